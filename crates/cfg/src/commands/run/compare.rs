//! `cfg run compare`: compares two runs.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use cfg_check::Session;
use cfg_diagnose::{Curves, Measure, Progress, RunEnd};
use cfg_registry::{
    fingerprint::{self, Meaning},
    runs::{Run, runs},
};
use cfg_report::{
    curves::{CurveReport, EVALUATION},
    runs::{ComparedMeasure, ComparedRun, ComparisonReport, DifferenceReport, write_comparison},
};
use cfg_schema::Target;

use super::super::{
    Listing, diff,
    diff::side::Side,
    newest_run::newest_run,
    registry::{
        open::{Opened, open_sound},
        reference,
    },
    resume, watch,
};
use crate::{CommandResult, Outcome, args::RunCompare, context::Context, terminal};

pub(super) fn run(cx: &Context, words: &RunCompare) -> CommandResult {
    let session = cx.session();
    let Ok(target) = cx.stated_target() else { return Ok(Outcome::Failed) };
    let is_registered = [&words.one, &words.other].into_iter().any(|run| !cx.system.is_folder(Path::new(run)));
    let opened = if is_registered { Some(open_sound(cx, &words.registry)?) } else { None };
    let read = |run: &str| Compared::read(cx, &session, opened.as_ref(), run, target.clone());
    let (Some(one), Some(other)) = (read(&words.one), read(&words.other)) else { return Ok(Outcome::Failed) };
    let meanings = [&one, &other].map(|run| run.side.as_ref().and_then(|side| side.meaning(&session)));
    let differences = match &meanings {
        [Some(one), Some(other)] => Some(differences(one, other)),
        _ => None,
    };
    for (run, meaning) in [&one, &other].into_iter().zip(&meanings) {
        if meaning.is_none() {
            cx.note(&format!("the config of {} is not known, so only measures are compared", run.about.name));
        }
    }
    let courses = [&one, &other].map(|run| run.side.as_ref().and_then(Side::course));
    let hints = match &courses {
        [Some(one), Some(other)] => diff::hints::hints(one, other),
        _ => Vec::new(),
    };
    let (ones, others) = (curve_reports(&one.curves), curve_reports(&other.curves));
    let both = ones.iter().filter_map(|one| Some((one, others.iter().find(|other| other.measure == one.measure)?)));
    let report = ComparisonReport {
        measures: both.filter_map(|(one, other)| ComparedMeasure::of(one, other)).collect(),
        one: one.about,
        other: other.about,
        differences,
        hints,
    };
    let mut out = io::BufWriter::new(cx.out());
    match Listing::of(cx) {
        Listing::Text => write_comparison(&mut out, terminal::style(cx), &report)?,
        listing => listing.write_one(&mut out, &report)?,
    }
    out.flush()?;
    Ok(Outcome::Clean)
}

/// The differences between the meanings of two configs.
pub(in crate::commands) fn differences(one: &Meaning, other: &Meaning) -> Vec<DifferenceReport> {
    let report = |difference: &fingerprint::Difference<'_>| DifferenceReport {
        key: difference.key().to_owned(),
        class: difference.class.name(),
        cause: diff::print::cause_name(difference.cause),
        one: difference.one.map(fingerprint::Leaf::text),
        other: difference.other.map(fingerprint::Leaf::text),
    };
    fingerprint::compare(one, other).iter().map(report).collect()
}

/// The curves of all measures, in the order of [`Measure::ALL`], an unknown one empty, and of the evaluated environments.
pub(in crate::commands) fn curve_reports(curves: &Curves) -> Vec<CurveReport> {
    let report = |measure: Measure| CurveReport { measure: measure.name().into(), points: curves.of(measure).points() };
    let evaluated = curves
        .evaluations()
        .map(|(environment, curve)| CurveReport { measure: format!("{EVALUATION}{environment}").into(), points: curve.points() });
    Measure::ALL.into_iter().map(report).chain(evaluated).collect()
}

/// The output folder of a run according to the registry, if it is below the folder of the registry. Other folders are not read,
/// because the registry could name any.
pub(super) fn folder_of(cx: &Context, opened: &Opened, run: &Run) -> Option<PathBuf> {
    let folder = Path::new(run.get("folder")?);
    let is_below = folder.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let folder = opened.base.join(folder);
    (is_below && cx.system.is_folder(&folder)).then_some(folder)
}

/// One of the two runs.
struct Compared {
    about: ComparedRun,
    side: Option<Side>,
    curves: Curves,
}

impl Compared {
    /// Reads the run that an argument names; reports an error if there is none.
    fn read(cx: &Context, session: &Session, opened: Option<&Opened>, text: &str, target: Option<Target>) -> Option<Self> {
        if cx.system.is_folder(Path::new(text)) {
            let folder = &*newest_run(cx, Path::new(text));
            let config = resume::left_config(cx, folder);
            let side = config.as_ref().and_then(|config| Side::of_file(cx, session, config, target));
            return Some(Self::new(cx, text, config.map(|config| cx.system.shown(&config)), side, Some(folder)));
        }
        let opened = opened?;
        let known = runs(&opened.registry);
        let (id, stated) = match text.split_once('=') {
            Some((id, folder)) if !known.iter().any(|run| run.id == text) => (id, Some(Path::new(folder))),
            _ => (text, None),
        };
        let Some(run) = known.iter().find(|run| run.id == id) else {
            cx.complain(&format!("unknown run `{id}`, and no such folder; `cfg run list` lists the runs"));
            return None;
        };
        if let Some(folder) = stated.filter(|folder| !cx.system.is_folder(folder)) {
            cx.complain(&format!("{}: no such folder", folder.display()));
            return None;
        }
        let folder = stated.map(Path::to_owned).or_else(|| folder_of(cx, opened, run));
        if folder.is_none() {
            cx.note(&format!("the folder of run {id} is not known here; `{id}=RUN_DIR` names it"));
        }
        let sealed = || run.get("prime_rl").and_then(|target| cx.named_target(target).ok());
        let side = Self::config(cx, session, opened, run, target.or_else(sealed));
        let mut compared = Self::new(cx, id, run.get("config").map(str::to_owned), side, folder.as_deref());
        compared.about.status = run.get("status").map(str::to_owned);
        Some(compared)
    }

    fn new(cx: &Context, name: &str, config: Option<String>, side: Option<Side>, folder: Option<&Path>) -> Self {
        let (curves, progress, end) = match folder {
            Some(folder) => watch::course(cx, folder),
            None => (Curves::default(), Progress::default(), RunEnd::Open),
        };
        let about = ComparedRun {
            name: name.to_owned(),
            config,
            target: side.as_ref().map(|side| side.target().name.clone()),
            folder: folder.map(|folder| cx.system.shown(folder)),
            status: None,
            last_step: progress.trainer_step.max(progress.orchestrator_step),
            ended: match end {
                RunEnd::Open => None,
                RunEnd::Finished => Some("finished"),
                RunEnd::Failed => Some("failed"),
                RunEnd::Interrupted => Some("interrupted"),
            },
        };
        Self { about, side, curves }
    }

    /// The config of a run: the text with the run's sha256, or else that of its version.
    fn config(cx: &Context, session: &Session, opened: &Opened, run: &Run, target: Option<Target>) -> Option<Side> {
        let place = opened.registry.resolve(run.get("config")?, None).ok()?;
        let sealed = run.text.iter().find(|(name, _)| *name == "sha256");
        let sealed = sealed.and_then(|(_, digest)| opened.store.object(&digest.as_str()?.parse().ok()?));
        let bytes = sealed.or_else(|| reference::bytes(cx, opened, place))?;
        let path = opened.file(&opened.registry.configs[place.config].path.value);
        Some(Side::of_bytes(cx, session, &opened.registry.name(place), &path, bytes, target))
    }
}
