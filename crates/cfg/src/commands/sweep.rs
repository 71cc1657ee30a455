//! `cfg sweep`: writes a config with each combination of values of some settings.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use cfg_check::{
    Certainty, Checked, Project, Request, Session,
    memory::{MachineSource, MemoryOptions},
};
use cfg_draft::{Base, Setting, Surroundings, Variant, combinations, left_out, values};
use cfg_memory::hardware::Hardware;
use cfg_report::{
    draft::DraftGpu,
    sweep::{SweepReport, VariantReport, write_text},
};
use cfg_resolve::View;
use cfg_system::NewMode;

use super::{
    Listing,
    memory::{Job, StepResult},
    read::Flags,
    registry::open::open_silently,
};
use crate::{CommandResult, Outcome, args, context::Context, machine, terminal};

/// The maximum number of configs in a sweep.
const MAX_CONFIGS: usize = 256;

pub(crate) fn run(cx: &Context, words: &args::Sweep) -> CommandResult {
    let paths = [words.path.clone()];
    let job = Job::read_with(cx, &paths, Flags::LeftOut)?;
    let mut report = match sweep(cx, &job, words) {
        Ok(report) => report,
        Err(why) => {
            cx.complain(&why);
            return Ok(Outcome::Failed);
        }
    };
    if let Some(folder) = &words.output
        && let Err(why) = write(cx, folder, &mut report)
    {
        cx.complain(&why);
        return Ok(Outcome::Failed);
    }
    job.introduce(None)?;
    let mut out = io::BufWriter::new(cx.out());
    match Listing::of(cx) {
        Listing::Text => write_text(&mut out, terminal::style(cx), &report)?,
        listing => job.write_one(listing, &mut out, &report)?,
    }
    out.flush()?;
    drop(out);
    close(cx, words, &report);
    Ok(if report.refused() == 0 { Outcome::Clean } else { Outcome::Found })
}

/// Creates the variants; the error is the reason why there are none.
fn sweep(cx: &Context, job: &Job<'_>, words: &args::Sweep) -> StepResult<SweepReport> {
    let settings = words.varied.iter().map(|words| setting(words)).collect::<StepResult<Vec<_>>>()?;
    distinct(&settings)?;
    let (session, checked, text) = job.first().ok_or("missing config: pass its file")?;
    let (Some(kind), Some(resolved)) = (checked.kind, &checked.resolved) else {
        return Err("its kind is unknown; pass --kind".to_owned());
    };
    if kind.is_hosted() {
        return Err("sweeps are not supported for hosted training".to_owned());
    }
    if let Some(base) = checked.bases.first() {
        let shown = words.path.display();
        return Err(format!("{shown} only overrides {base}; merge them with `cfg compile {base} {shown} --format toml` first"));
    }
    if checked.has_includes {
        let shown = words.path.display();
        return Err(format!(
            "{shown} consists of several files (`toml_files`); merge them with `cfg compile --format toml` first"
        ));
    }
    let folder = words.output.as_deref().or(words.path.parent()).unwrap_or(Path::new(""));
    let own_name = words.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let project = Project::around(session.projects(), &folder.join(&own_name));
    let requested = words.gpu.as_deref().map(|text| machine::RequestedMachine::read(cx, text, &project.gpus)).transpose()?;
    let plan = Job::plan(&job.checked()).map_err(|missing| job.sentence(&missing))?;
    let hardware = requested.as_ref().map(|requested| &requested.hardware);
    let memory = job.memory(&plan, MemoryOptions { hardware, shape: None });
    // A registry states the machine by the path of a config, but the variants have other paths.
    let of_registry = memory.as_ref().ok().filter(|memory| memory.stated == Some(MachineSource::Registry));
    let of_registry: Option<Hardware> = of_registry.and_then(|memory| memory.hardware.clone());
    let there = alone(session, &folder.join(&own_name), text);
    // A target that is only inferred from the keys is another one for a variant with other keys, and uncertain.
    let is_unclear = there.target.name != checked.target.name || there.is_for_another() && checked.certainty == Certainty::Stated;
    let stated = (is_unclear && !checked.target.name.contains(':')).then(|| checked.target.name.clone());
    let version = version(cx, &words.path, text);
    let output_dir = View::new(checked.target.schema(kind), resolved).str("output_dir").unwrap_or("outputs");
    let base = Base {
        text,
        name: &own_name,
        kind,
        states_kind: there.kind != Some(kind),
        version: version.as_deref(),
        output_dir,
        hardware: hardware.or(of_registry.as_ref()),
    };
    let path = match folder.to_string_lossy() {
        path if path.is_empty() => String::new(),
        path => format!("{}/", path.trim_end_matches('/')),
    };
    let around = Surroundings { session, project: &project, path: &path, target: &checked.target, stated: stated.as_deref() };
    let variants = cfg_draft::sweep(around, &base, &settings)?;
    let mut notes: Vec<String> = requested.into_iter().flat_map(|requested| requested.notes).collect();
    notes.extend(
        left_out(text, &settings).iter().map(|key| {
            format!("`{key}` is left out of the variants: each has its own folder, without a checkpoint to resume from")
        }),
    );
    match &memory {
        Ok(memory) if memory.hardware.is_none() => {
            notes.push("memory is not checked without a machine; pass --gpu".to_owned());
        }
        Ok(_) => {}
        Err(missing) => notes.push(format!("memory can't be estimated: {}", job.sentence(missing))),
    }
    Ok(SweepReport {
        config: words.path.display().to_string(),
        version,
        kind: kind.to_string(),
        target: checked.target.name.clone(),
        keys: settings.into_iter().map(|setting| setting.key).collect(),
        variants: variants.into_iter().map(|variant| report(folder, variant)).collect(),
        notes,
    })
}

/// Parses a setting: `trainer.optim.lr=1e-6,3e-6`.
fn setting(words: &str) -> StepResult<Setting> {
    let Some((key, text)) = words.split_once('=').filter(|(key, text)| !key.trim().is_empty() && !text.is_empty()) else {
        return Err(format!("`{words}` has no values: write KEY=VALUES, such as trainer.optim.lr=1e-6,3e-6"));
    };
    let values = values::parse(text)?.iter().map(ToString::to_string).collect();
    Ok(Setting { key: key.trim().to_owned(), values })
}

/// Refuses keys that are varied twice, duplicate values, and too many variants.
fn distinct(settings: &[Setting]) -> StepResult<()> {
    for (index, setting) in settings.iter().enumerate() {
        if settings[..index].iter().any(|other| other.key == setting.key) {
            return Err(format!("`{}` is given twice", setting.key));
        }
        let mut values = setting.values.clone();
        values.sort_unstable();
        if let Some([value, _]) = values.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("`{}` has the value {} twice", setting.key, value));
        }
    }
    match combinations(settings) {
        Some(count) if count <= MAX_CONFIGS => Ok(()),
        _ => Err(format!("more than {MAX_CONFIGS} configs; vary fewer settings at once")),
    }
}

/// The check of a text at this path, if the command line states neither its kind nor its target.
pub(super) fn alone(session: &Session, path: &Path, text: &str) -> Checked {
    cfg_check::check(session, Request::new(&path.to_string_lossy(), text))
}

/// The version with the text of the file, if it is registered.
fn version(cx: &Context, path: &Path, text: &str) -> Option<String> {
    let opened = open_silently(cx, path).ok()?;
    let place = opened.version_of(&cx.system.plain(path), text.as_bytes())?;
    Some(opened.registry.name(place))
}

fn report(folder: &Path, variant: Variant) -> VariantReport {
    let is_refused = variant.is_refused();
    let (errors, warnings): (Vec<_>, Vec<_>) = variant.problems.into_iter().partition(|problem| problem.is_error);
    let sentences = |problems: Vec<cfg_draft::Problem>| problems.into_iter().map(|problem| problem.sentence).collect();
    let memory = variant.memory.as_ref();
    VariantReport {
        path: folder.join(&variant.name).display().to_string(),
        written: false,
        values: variant.values.into_iter().collect(),
        verdict: if is_refused { "refused" } else { "right" },
        errors: sentences(errors),
        warnings: sentences(warnings),
        // Without a card nothing is known of a GPU.
        gpus: memory
            .filter(|(run, _)| run.gpu.is_some())
            .map(|(run, assessment)| DraftGpu::all(run, assessment))
            .unwrap_or_default(),
        disk_bytes: memory.and_then(|(_, assessment)| assessment.disk.as_ref()).map(|disk| disk.peak.rounded()),
        text: variant.text,
    }
}

/// Writes the valid variants; fails if one of the files exists.
fn write(cx: &Context, folder: &Path, report: &mut SweepReport) -> StepResult<()> {
    let right = || report.variants.iter().filter(|variant| variant.verdict == "right");
    if let Some(there) = right().find(|variant| cx.system.own_status(Path::new(&variant.path)).is_ok()) {
        return Err(format!("{}: the file already exists; nothing was written", there.path));
    }
    if right().next().is_none() {
        return Ok(());
    }
    cx.writer.create_folder(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for variant in report.variants.iter_mut().filter(|variant| variant.verdict == "right") {
        let path = PathBuf::from(&variant.path);
        cx.writer
            .create(&path, variant.text.as_bytes(), NewMode::Plain)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        variant.written = true;
    }
    Ok(())
}

/// Reports what was written.
fn close(cx: &Context, words: &args::Sweep, report: &SweepReport) {
    report.notes.iter().for_each(|note| cx.note(note));
    let written = report.variants.iter().filter(|variant| variant.written).count();
    let (all, refused) = (report.variants.len(), report.refused());
    let of = if all == 1 { "1 config".to_owned() } else { format!("{all} configs") };
    let refused = if refused == 0 { String::new() } else { format!(", {refused} refused") };
    cx.say(&match &words.output {
        Some(folder) => format!("{of}{refused}; {written} written to {}", folder.display()),
        None => format!("{of}{refused}; use -o DIR to write the valid ones"),
    });
}
