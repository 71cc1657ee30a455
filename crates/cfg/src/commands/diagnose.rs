//! `cfg run diagnose`: finds symptoms in a run's logs, and the related lines of its config.

pub(super) mod code;
pub(super) mod logs;
pub(super) mod read;

use std::{
    collections::{BTreeMap, HashMap},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use cfg_check::{CheckedCommand, Command, Project, Session};
use cfg_diag::Severity;
use cfg_diagnose::{Component, Finding, Matcher, RunContext, ScannedLog, Sighted, Thresholds, blame, conclude, mark_replaced};
use cfg_plan::Plan;
use cfg_report::{
    Sources,
    diagnosis::{DiagnosisReport, LogReport, PlaceReport, RuleReport, SightingReport, SymptomReport, write_text},
    listed::SymptomEntry,
};
use cfg_schema::Target;

use super::{
    Listing,
    newest_run::{listed, runs_below},
    prediction::Prediction,
    read::why,
};
use crate::{
    CommandResult, Ended, Outcome,
    args::Diagnose,
    context::Context,
    inputs::{Inputs, sources},
    terminal,
};

/// The folder of a run's output if its config does not name another.
pub(crate) const OUTPUTS: &str = "outputs";

pub(crate) fn run(cx: &Context, diagnose: &Diagnose) -> CommandResult {
    let listing = Listing::of(cx);
    let Ok(target) = cx.stated_target() else { return Ok(Outcome::Failed) };
    if diagnose.list {
        return list(cx, listing);
    }
    let session = cx.session();
    let config = match &diagnose.against {
        None => None,
        Some(path) => match against(cx, &session, path, target.clone()) {
            Some(config) => Some(config),
            None => return Ok(Outcome::Failed),
        },
    };
    let matcher = Matcher::new();
    let mut reader = read::Reader::new(&matcher, Thresholds::default());
    let (mut reports, mut logs, mut has_failed) = (Vec::new(), Vec::new(), false);
    let asked = asked(cx, &diagnose.paths)?;
    let mut paths = logs::named(cx, &asked, &mut has_failed);
    let runs = runs_in(cx, &asked);
    let runs: HashMap<&Path, usize> = runs.iter().enumerate().map(|(at, run)| (&**run, at)).collect();
    paths.sort_by_cached_key(|path| logs::run_of(path, &runs));
    let is_replaced = logs::replaced(&paths, &asked);
    let mut run_of = Vec::new();
    for (path, is_replaced) in paths.into_iter().zip(is_replaced) {
        match reader.read(cx, &path, &asked) {
            Ok(seen) => {
                run_of.push(logs::run_of(&path, &runs));
                reports.push(LogReport { path: path.to_string_lossy().into_owned(), lines: seen.lines, bytes: seen.bytes });
                let modified = cx.system.own_status(&path).ok().and_then(|status| status.modified);
                logs.push(seen.replaced(is_replaced).modified(modified));
            }
            Err(error) => {
                cx.complain(&format!("{}: {}", path.display(), why(&error)));
                has_failed = true;
            }
        }
    }
    if logs.is_empty() {
        if !has_failed {
            cx.complain("no log found: no file ends in .log, .txt, .stdout, .stderr, .out or .err");
        }
        return Ok(Outcome::Failed);
    }
    let places: Vec<&Path> = reports.iter().map(|report: &LogReport| Path::new(&report.path)).collect();
    let marked = mark_replaced(&mut logs, &places, &staying(&asked, &places, &run_of, runs.len()));
    // An assumed target does not show which prime-rl wrote the log, so only a stated one is used.
    let of_config = config.as_ref().map(|config| &config.checked).filter(|checked| checked.is_stated());
    let target = target.or_else(|| of_config.map(|checked| checked.target.clone()));
    let point = target.as_ref().map(|target| target.point);
    let predicted = config.as_ref().zip(diagnose.against.as_ref());
    let expected = predicted.map(|(config, path)| Prediction::of(&session, path, config).expected).unwrap_or_default();
    let context = RunContext { point, is_training: config.is_some(), expected };
    note_replaced(cx, (&mut logs, &places), &marked, &context);
    let findings = concluded(&logs, &run_of, &context);
    if findings.is_empty() && !context.is_training {
        note_uncounted(cx, &logs, &places, &context);
    }
    let against = diagnose.against.as_ref().map(|path| path.to_string_lossy().into_owned());
    let code = code::Code { cx, session: &session, near: diagnose.against.as_deref() };
    let report = report(reports, target, against, &findings, config.as_ref(), Some(&code)).harmless();
    write(cx, listing, &report)?;
    Ok(match (has_failed, report.findings.is_empty()) {
        (true, _) => Outcome::Failed,
        (false, true) => Outcome::Clean,
        (false, false) => Outcome::Found,
    })
}

/// The runs in the named folders, each of which is read on its own, the newest first; a note names them. None if it is one run.
fn runs_in(cx: &Context, named: &[PathBuf]) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for folder in named {
        let mut found = runs_below(cx, folder);
        if found.len() > 1 {
            found.reverse();
            let number = found.len();
            cx.note(&format!("{} has {number} runs, each read on its own: {}", folder.display(), listed(&found, folder)));
            all.append(&mut found);
        }
    }
    all
}

/// The logs that no later one replaces: the named ones, and of several runs those outside of each, which can be of different ones.
fn staying(named: &[PathBuf], places: &[&Path], run_of: &[usize], runs: usize) -> Vec<PathBuf> {
    let outside = places.iter().zip(run_of).filter(|(_, run)| runs > 0 && **run == runs).map(|(place, _)| place.to_path_buf());
    named.iter().cloned().chain(outside).collect()
}

/// Names in a note the first line that would be a finding in the log of a training, if its file is called as a process of one and nothing else shows whether
/// it is one.
fn note_uncounted(cx: &Context, logs: &[ScannedLog], places: &[&Path], context: &RunContext) {
    let as_training = conclude(logs, &RunContext { is_training: true, ..*context });
    let sightings = as_training.iter().flat_map(|finding| finding.sightings.iter().map(|seen| (&finding.symptom.name, seen)));
    let of_process = |component| !matches!(component, Component::Unknown | Component::Scheduler);
    if let Some((name, seen)) = sightings.into_iter().find(|(_, seen)| of_process(seen.component)) {
        let place = format!("{}:{}", places[seen.log].display(), seen.first.line);
        cx.note(&format!("{place} looks like `{name}`, but no other line is from a training run: `--against CONFIG` counts it"));
    }
}

/// The maximum number of file names in a note; the others are counted.
const MAX_NOTED: usize = 3;

/// Names in a note the logs of earlier launches that have findings of their own, which the report leaves out. `marked` are the indices of these and of the
/// logs that replaced them.
fn note_replaced(cx: &Context, (logs, places): (&mut [ScannedLog], &[&Path]), marked: &[(usize, usize)], context: &RunContext) {
    let mut by_newest: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (at, newest) in marked {
        let alone = [std::mem::take(&mut logs[*at]).replaced(false)];
        let has_findings = !conclude(&alone, context).is_empty();
        let [log] = alone;
        logs[*at] = log.replaced(true);
        if has_findings {
            by_newest.entry(*newest).or_default().push(places[*at].display().to_string());
        }
    }
    for (newest, mut earlier) in by_newest {
        let more = earlier.len().saturating_sub(MAX_NOTED);
        earlier.truncate(MAX_NOTED);
        let names = match (earlier.join(", "), more) {
            (names, 0) => names,
            (names, more) => format!("{names} and {more} more"),
        };
        let newest = places[newest].display();
        cx.note(&match earlier.len() {
            1 => format!("{names} is from a launch before {newest}: name it to read it"),
            _ => format!("{names} are from launches before {newest}: name one to read it"),
        });
    }
}

/// The findings of each run, from its own logs, which stand together; `run_of` are the numbers of their runs. Errors come first.
fn concluded(logs: &[ScannedLog], run_of: &[usize], context: &RunContext) -> Vec<Finding> {
    let (mut findings, mut start) = (Vec::new(), 0);
    for run in run_of.chunk_by(|one, other| one == other) {
        let mut own = conclude(&logs[start..start + run.len()], context);
        own.iter_mut().flat_map(|finding| &mut finding.sightings).for_each(|seen| seen.log += start);
        findings.append(&mut own);
        start += run.len();
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.symptom.severity));
    findings
}

/// The logs and folders to read: the named ones, or else `outputs` unless a log comes from standard input.
fn asked(cx: &Context, named: &[PathBuf]) -> CommandResult<Vec<PathBuf>> {
    let has_outputs = cx.system.is_folder(Path::new(OUTPUTS));
    if !named.is_empty() {
        return Ok(named.to_owned());
    }
    if cx.host().is_interactive() && !has_outputs {
        cx.complain(&format!(
            "there is no folder `{OUTPUTS}` here; name the logs or their folder, or pipe a log into the command"
        ));
        return Err(Ended::Reported(Outcome::Failed));
    }
    // A pipe from another command has something to say, at the latest when it is closed.
    let is_piped = || cx.host().has_input();
    if has_outputs && (cx.host().is_interactive() || !is_piped()) {
        cx.note(&format!("reading the logs in {OUTPUTS}"));
        return Ok(vec![PathBuf::from(OUTPUTS)]);
    }
    Ok(Vec::new())
}

fn write(cx: &Context, listing: Listing, report: &DiagnosisReport) -> io::Result<()> {
    let mut out = io::BufWriter::new(cx.out());
    match listing {
        Listing::Text => write_text(&mut out, terminal::style(cx), report)?,
        Listing::Json | Listing::JsonLines => listing.write_one(&mut out, report)?,
    }
    out.flush()
}

/// Checks the config of the run; `None` if it can't be read, which is reported.
pub(super) fn against(cx: &Context, session: &Session, path: &Path, target: Option<Target>) -> Option<CheckedCommand> {
    if let Err(error) = cx.system.status(path) {
        cx.complain(&format!("{}: {}", path.display(), why(&error)));
        return None;
    }
    let project = Project::around(session.projects(), path);
    let inputs = Inputs { cx, session, kind: cx.common.kind(), target, project: Some(&project), env: false };
    let files = [path.to_string_lossy().into_owned()];
    let command = inputs.check(Command::Files(&files));
    cx.known_target(session, path, &command.checked).map_err(|why| cx.complain(&why)).ok()?;
    Some(command)
}

pub(super) fn report(
    logs: Vec<LogReport>,
    target: Option<Target>,
    against: Option<String>,
    findings: &[Finding],
    config: Option<&CheckedCommand>,
    code: Option<&code::Code<'_>>,
) -> DiagnosisReport {
    let plan = config.and_then(|config| {
        let schema = config.checked.target.schema(config.checked.kind?);
        Some(Plan::new(schema, config.checked.resolved.as_ref()?))
    });
    let sources = config.map(|config| sources(&config.texts));
    let findings = findings.iter().map(|finding| {
        let symptom = finding.symptom;
        let of_code: Vec<_> = finding
            .sightings
            .iter()
            .map(|seen| code?.of(seen, Path::new(&logs[seen.log].path), config.map(|config| &config.checked)))
            .collect();
        let mut places = config.map_or_else(Vec::new, |config| blame(finding, &config.checked, plan.as_ref()));
        for code in of_code.iter().flatten() {
            let more = config.map_or_else(Vec::new, |config| code::places(code, &config.checked));
            let is_new = |place: &cfg_diagnose::ImplicatedKey| places.iter().all(|known| known.location != place.location);
            let more: Vec<_> = more.into_iter().filter(is_new).collect();
            places.extend(more);
        }
        let places = places.into_iter().filter_map(|place| {
            let (path, at) = sources.as_ref()?.place(place.location)?;
            let text = line_of(sources.as_ref()?, config?, place.location)?;
            Some(PlaceReport {
                path: path.to_owned(),
                line: at.line,
                column: at.column,
                text,
                key: place.key,
                message: place.message,
                code: place.code,
            })
        });
        SymptomReport {
            symptom: symptom.name.to_string(),
            severity: if symptom.severity == Severity::Error { "error" } else { "warning" },
            by: symptom.by.to_string(),
            cause: symptom.cause.to_string(),
            repair: symptom.repair.to_string(),
            versions: symptom.versions.as_deref().map(str::to_owned),
            rules: symptom.rules.iter().map(|code| RuleReport { code: code.code, name: code.name }).collect(),
            seen: finding
                .sightings
                .iter()
                .zip(of_code)
                .map(|(sighting, code)| SightingReport {
                    path: logs[sighting.log].path.clone(),
                    line: sighting.first.line,
                    last_line: sighting.last_line,
                    count: sighting.count,
                    text: quote(&sighting.first),
                    component: sighting.component.name(),
                    time: sighting.time.map(clock),
                    ended_first: sighting.is_first,
                    code,
                })
                .collect(),
            places: places.collect(),
        }
    });
    let findings = findings.collect();
    let target = target.map(|target| target.name.clone());
    DiagnosisReport { schema_version: cfg_report::json::SCHEMA_VERSION, logs, target, against, findings }
}

/// A quoted line, after the key that stands alone in the line beside it.
fn quote(line: &Sighted) -> String {
    line.key.as_ref().map_or_else(|| line.text.clone(), |key| format!("{key}: {}", line.text))
}

/// A time of day in seconds as text.
pub(super) fn clock(seconds: u32) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Whether a log is a file of metrics: `metrics.jsonl`, written by prime-rl's file monitor.
pub(super) fn is_metrics(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "jsonl")
}

/// The maximum width of a quoted line of a config, in columns.
const WIDEST: usize = 160;

fn line_of(sources: &Sources<'_>, config: &CheckedCommand, location: cfg_diag::Location) -> Option<String> {
    let text = &config.texts.get(location.file)?.text;
    let (_, at) = sources.place(location)?;
    let line = text.lines().nth(usize::try_from(at.line).ok()?.checked_sub(1)?)?;
    Some(line.trim().chars().take(WIDEST).collect())
}

/// Lists all symptoms.
fn list(cx: &Context, listing: Listing) -> CommandResult {
    let mut out = io::BufWriter::new(cx.out());
    let entry = |symptom: &cfg_diagnose::Symptom| SymptomEntry {
        symptom: symptom.name.to_string(),
        by: symptom.by.to_string(),
        lines: symptom.lines.iter().map(ToString::to_string).collect(),
        cause: symptom.cause.to_string(),
        repair: symptom.repair.to_string(),
        rules: symptom.rules.iter().map(|code| code.name).collect(),
    };
    let entries: Vec<SymptomEntry> = cfg_diagnose::all().iter().map(entry).collect();
    if listing == Listing::Text {
        for symptom in cfg_diagnose::all() {
            let shown = symptom.lines.first().map_or("(from the course of the run)", |line| &**line);
            writeln!(out, "{:28}  {shown}", symptom.name)?;
        }
    }
    listing.write(&mut out, &entries)?;
    out.flush()?;
    Ok(Outcome::Clean)
}
