//! `cfg model`: what is known about a model, and on which machines it fits.

use std::{
    io::{self, Write as _},
    path::Path,
};

use cfg_check::{Project, Session};
use cfg_draft::{Goal, Method, Refusal, Surroundings, Wish};
use cfg_memory::{architecture::Architecture, catalogue::Gpu, hardware::Hardware};
use cfg_plan::budget::Shape;
use cfg_report::{
    model::{ModelCard, ModelReport, ShapeReport, write_text},
    resume::ProblemReport,
};
use cfg_resolve::has_renderer;
use cfg_rules::catalogue;
use cfg_schema::{Kind, Target};
use rayon::prelude::*;

use super::{
    Listing,
    memory::{StepResult, shape_of, unread_config, usable_cards},
    sweep::alone,
};
use crate::{CommandResult, Outcome, args::Model, context::Context, machine, terminal, threads};

/// The minimum sequence length, in tokens, that is useful for rollouts.
const SEQ_LEN: u64 = 4096;

/// The numbers of GPUs of a card that are tried.
const COUNTS: [u32; 4] = [1, 2, 4, 8];

pub(crate) fn run(cx: &Context, words: &Model) -> CommandResult {
    // Settings are TOML files, so in `--settings config.json` the option means the model's `config.json`.
    let is_of_model = |path: &&std::path::PathBuf| path.extension().is_some_and(|ending| ending == "json");
    let of_model = cx.common.settings.as_ref().filter(is_of_model).cloned();
    let cx = &if of_model.is_some() { cx.without_settings() } else { cx.clone() };
    let report = match checked_model(cx, words, words.model_config.as_deref().or(of_model.as_deref())) {
        Ok(report) => report,
        Err(why) => {
            cx.complain(&why);
            return Ok(Outcome::Failed);
        }
    };
    let mut out = io::BufWriter::new(cx.out());
    match Listing::of(cx) {
        Listing::Text => write_text(&mut out, terminal::style(cx), &report)?,
        listing => listing.write_one(&mut out, &report)?,
    }
    out.flush()?;
    Ok(if report.problems.iter().any(|problem| problem.severity == "error") { Outcome::Found } else { Outcome::Clean })
}

fn checked_model(cx: &Context, words: &Model, model_config: Option<&Path>) -> StepResult<ModelReport> {
    let (name, session) = (&*words.name, cx.session());
    let mut project = Project::around(session.projects(), Path::new("rl.toml"));
    if let Some(file) = model_config {
        project.shapes.insert(name.to_owned(), shape_of(cx, file)?);
    }
    let target = target(cx, &session)?;
    let mut problems = problems(name, &target);
    let found = cfg_plan::budget::shape(name, |name| project.shapes.get(name).cloned(), |name| project.local_shape(name));
    if let Err(unknown) = &found {
        let (unread, advice) = unread_config(&session, name, Path::new("rl.toml"), unknown);
        problems.push(error(format!(
            "its architecture is unknown{unread}, so memory is not estimated{advice}{}",
            similar(&unknown.similar())
        )));
    }
    let cards = match (&found, &words.gpu) {
        (Err(_), _) => Vec::new(),
        (Ok(_), Some(text)) => vec![machine::RequestedMachine::read(cx, text, &project.gpus)?.hardware.gpu],
        (Ok(_), None) => usable_cards(&project.gpus),
    };
    let shape = found.ok();
    let around = Surroundings { session: &session, project: &project, path: "rl.toml", target: &target, stated: None };
    let weights = shape.as_ref().map_or(0.0, |shape| 2.0 * shape.architecture.parameters());
    let seq_len = shape.as_ref().map_or(SEQ_LEN, |shape| shape.architecture.context.0.min(SEQ_LEN));
    let (cards, refused): (Vec<ModelCard>, Vec<Option<String>>) = threads::on_all(|| {
        let needs = |card: &Gpu| {
            let [(full, why), (lora, why_not_lora)] =
                [Method::Full, Method::Lora].map(|method| needed(around, name, card, method, weights));
            (ModelCard { name: card.name.to_string(), lora, full }, why.or(why_not_lora))
        };
        cards.par_iter().map(needs).unzip()
    });
    problems.extend(without_config(&cards, &refused).map(warning));
    let architecture = catalogue::architecture(name);
    let has = |kind: Kind, key: &str| target.schema(kind).has(key);
    let has_renderers = has(Kind::Rl, "orchestrator.renderer") || has(Kind::Sft, "renderer");
    Ok(ModelReport {
        model: name.to_owned(),
        kind: Kind::Rl.name(),
        target: target.name.clone(),
        tensor_parallel: shape.as_ref().map(|shape| degrees(&shape.architecture)).unwrap_or_default(),
        shape: shape.as_ref().map(report),
        tool_parsers: catalogue::family(name)
            .map(|family| family.parsers.iter().map(|&name| name.to_owned()).collect())
            .unwrap_or_default(),
        drops_thoughts: catalogue::template(name).is_some(),
        has_renderer: has_renderers.then(|| has_renderer(name, target.point)),
        custom_implementation: architecture.map(|architecture| architecture.has_own_class(target.point)),
        vision: catalogue::family(name).is_some_and(|family| family.vision),
        remote_code: catalogue::family(name).is_some_and(|family| family.remote_code),
        cards,
        seq_len,
        problems,
    })
}

/// That no valid config exists, and why: for the model, or only on the cards that can't run it.
fn without_config(cards: &[ModelCard], refused: &[Option<String>]) -> Option<String> {
    let why = refused.iter().flatten().next()?;
    let on: Vec<&str> = cards.iter().zip(refused).filter(|(_, why)| why.is_some()).map(|(card, _)| &*card.name).collect();
    let where_ = if on.len() == cards.len() { "for it".to_owned() } else { format!("for it on {}", on.join(", ")) };
    Some(format!("no valid config exists {where_}: {why}"))
}

/// The stated prime-rl, or else that of the project around this folder, or else the newest release.
fn target(cx: &Context, session: &Session) -> StepResult<Target> {
    if let Some(text) = &cx.common.target {
        return cx.named_target(text);
    }
    Ok(alone(session, Path::new("rl.toml"), "").target)
}

/// The number of GPUs of a card that a run needs; `None` if the largest machine is too small. The error is a reason other than memory for which
/// there is no config.
fn needed(around: Surroundings<'_>, model: &str, card: &Gpu, method: Method, weights: f64) -> (Option<u32>, Option<String>) {
    for count in COUNTS {
        // Machines that can't hold the weights are skipped.
        if f64::from(count) * card.total.as_f64() < weights {
            continue;
        }
        let wish = Wish {
            kind: Kind::Rl,
            model,
            hardware: Hardware { count, gpu: card.clone() },
            source: Some("reverse-text"),
            images: false,
            goal: Goal::Cheap,
            method: Some(method),
            seq_len: None,
        };
        match cfg_draft::can_draft(around, &wish) {
            Ok(()) => return (Some(count), None),
            Err(Refusal::NoneIsRight { why }) => return (None, Some(why)),
            Err(_) => {}
        }
    }
    (None, None)
}

/// The known problems of a model with a prime-rl.
fn problems(name: &str, target: &Target) -> Vec<ProblemReport> {
    let mut problems = Vec::new();
    if catalogue::hosted(name).is_some() {
        problems.push(error("there are no public weights: it is only available through an API".to_owned()));
    }
    if let Some(slug) = catalogue::slug(name) {
        problems.push(error(format!("this is its API name; on the hub it is {}", slug.hub)));
    }
    if let Some(blocker) = catalogue::blocker(name, target.point) {
        let message = format!("{}; {}", blocker.symptom, blocker.help);
        problems.push(if blocker.severity == cfg_diag::Severity::Error { error(message) } else { warning(message) });
    }
    if let Some(template) = catalogue::template(name) {
        let instead =
            template.replacement.map_or_else(String::new, |other| format!("; {other} has the same weights and keeps it"));
        problems.push(warning(format!(
            "its chat template drops the thinking of earlier turns, so a turn is not a prefix of the next one{instead}"
        )));
    }
    if let Some(caller) = catalogue::caller(name) {
        problems.push(warning(caller.trouble.to_owned()));
    }
    if catalogue::family(name).is_some_and(|family| family.remote_code) {
        problems.push(warning("it needs code from its repository (`trust_remote_code`)".to_owned()));
    }
    problems
}

/// The numbers of GPUs over which a copy of the model can be distributed: those that divide the number of attention heads, and divide or are a
/// multiple of the number of key-value heads.
fn degrees(architecture: &Architecture) -> Vec<u32> {
    let is_degree = |degree: &u32| {
        let kv_heads = architecture.kv_heads.max(1);
        architecture.heads.is_multiple_of(*degree) && (kv_heads.is_multiple_of(*degree) || degree.is_multiple_of(kv_heads))
    };
    (1..=8).filter(is_degree).collect()
}

fn report(shape: &Shape) -> ShapeReport {
    let Shape { architecture, confirmed, precision, origin, unmodelled } = shape;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float is cast to the nearest that there is")]
    let [parameters, mtp_parameters] = [architecture.parameters(), architecture.mtp_parameters()].map(|count| count as u64);
    ShapeReport {
        confirmed: *confirmed,
        source: origin.to_string(),
        precision: precision.format.as_str(),
        not_counted: unmodelled.clone(),
        parameters,
        mtp_parameters,
        layers: architecture.layers,
        heads: architecture.heads,
        kv_heads: architecture.kv_heads,
        context: architecture.context.0,
        vocab: architecture.vocab,
        experts: architecture.moe.as_ref().map(|moe| moe.experts),
    }
}

fn similar(names: &[&str]) -> String {
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", names.join(", ")) }
}

const fn warning(message: String) -> ProblemReport {
    ProblemReport { severity: "warning", message }
}

const fn error(message: String) -> ProblemReport {
    ProblemReport { severity: "error", message }
}
