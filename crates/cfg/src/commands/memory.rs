//! `cfg memory`: what each GPU and the disk have to hold.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use cfg_budget::{Known, Missing, Shape, budget};
use cfg_check::Session;
use cfg_diag::FileId;
use cfg_memory::{Tokens, architecture::from_config_json, catalogue, hardware, run::Run, solve};
use cfg_plan::{Metadata, Plan};
use cfg_project::Projects;
use cfg_report::memory::{MemoryReport, write_cards, write_sweep, write_table};

use super::{Listing, read::read};
use crate::{
    Outcome,
    args::{Common, Memory},
    terminal,
};

/// The shortest sequence of a sweep.
const SHORTEST: u64 = 512;

pub(crate) fn run(common: &Common, memory: &Memory) -> io::Result<Outcome> {
    let Some(listing) = Listing::of(common, "memory") else { return Ok(Outcome::Failed) };
    let session = Session::default();
    let projects = Projects::new(common.config.clone());
    let (mut files, mut of_metadata): (Vec<_>, Option<String>) = (Vec::new(), None);
    for path in &memory.paths {
        match read(common, &session, &projects, path)? {
            Ok((checked, text)) => {
                let (document, _) = cfg_syntax::parse(FileId(0), &text, cfg_syntax::Dialect::Toml11);
                let (metadata, _) = Metadata::read(session.history, FileId(0), &text, &document);
                files.push(checked);
                of_metadata = of_metadata.or_else(|| metadata.hardware.map(|hardware| hardware.value.into()));
            }
            Err(outcome) => return Ok(outcome),
        }
    }
    let plans = files.iter().filter_map(|file| {
        let schema = file.target.schema(file.kind?);
        Some(Plan::new(schema, file.resolved.as_ref()?))
    });
    let (Some(plan), Some(first)) = (plans.reduce(Plan::merge), files.first()) else { return Ok(Outcome::Failed) };
    let is_all = memory.gpu.as_deref() == Some("all");
    let settings = memory.paths.first().map(|path| projects.settings(path));
    let of_settings = || settings.as_ref()?.settings.gpu.as_ref().map(|gpu| gpu.value.to_string());
    let asked = memory.gpu.clone().filter(|_| !is_all);
    let is_asked = asked.is_some();
    let stated = asked.or(of_metadata).or_else(of_settings);
    let machine = match stated.map(|text| hardware::parse(&text, &[])).transpose() {
        Ok(machine) => machine,
        Err(error) => {
            terminal::complain(&error.to_string());
            if is_asked {
                return Ok(Outcome::Failed);
            }
            None
        }
    };
    let stated = match memory.model_config.as_deref().map(shape_of).transpose() {
        Ok(stated) => stated,
        Err(why) => {
            terminal::complain(&why);
            return Ok(Outcome::Failed);
        }
    };
    // A name that is a folder here has the shape of what lies in it.
    let shape = |name: &str| stated.clone().or_else(|| shape_of(&Path::new(name).join("config.json")).ok());
    let known = Known { target: &first.target, hardware: machine.as_ref(), shape: &shape };
    let budget = match budget(&plan, &known) {
        Ok(budget) => budget,
        Err(missing) => {
            terminal::complain(&sentence(&missing));
            return Ok(Outcome::Failed);
        }
    };
    let style = terminal::style(common.color);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let assessment = budget.run.assess();
    if listing != Listing::Text {
        let report = MemoryReport::new(&first.target.name, &budget.run, &assessment, &budget.assumed);
        if listing == Listing::Json {
            serde_json::to_writer_pretty(&mut out, &report)?;
        } else {
            serde_json::to_writer(&mut out, &report)?;
        }
        writeln!(out)?;
    } else if is_all {
        write_cards(&mut out, style, &solve::on_cards(&budget.run, catalogue::gpus()))?;
    } else if memory.sweep {
        write_sweep(&mut out, style, &solve::sweep(&budget.run, seq_lens(&budget.run)))?;
    } else {
        write_table(&mut out, style, &budget.run, &assessment, &budget.assumed)?;
    }
    out.flush()?;
    Ok(if assessment.verdict().is_error() && !is_all { Outcome::Found } else { Outcome::Clean })
}

/// The shape that a model's `config.json` gives, or why it gives none.
fn shape_of(path: &Path) -> Result<Shape, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let architecture = from_config_json(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Shape { architecture, confirmed: true, weights_on_disk: None })
}

/// Sequence lengths from [`SHORTEST`] to the model's context, each twice the last.
fn seq_lens(run: &Run) -> impl Iterator<Item = Tokens> {
    let longest = run.model.context.0;
    std::iter::successors(Some(SHORTEST), |tokens| tokens.checked_mul(2)).take_while(move |tokens| *tokens <= longest).map(Tokens)
}

pub(crate) fn sentence(missing: &Missing) -> String {
    match missing {
        Missing::Nothing => "nothing in it trains or serves a model".to_owned(),
        Missing::Model => "it names no model".to_owned(),
        Missing::SeqLen => "its sequence length is not known".to_owned(),
        Missing::Shape(unknown) => {
            let (name, similar) = (&unknown.id, unknown.similar());
            let known = if similar.is_empty() { String::new() } else { format!("; these are: {}", similar.join(", ")) };
            format!("the shape of the model `{name}` is not known{known}; its config.json may be given with --model-config")
        }
    }
}
