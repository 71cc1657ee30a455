//! `cfg run`: training runs, each linked to the version of a config that it used.

pub(super) mod compare;

use std::{
    collections::HashMap,
    io::{self, Write as _},
    path::Path,
};

use cfg_diag::word;
use cfg_diagnose::Measure;
use cfg_registry::{
    Registry, place,
    registry::{Entry, Reference, VersionPlace},
    runs::{MEMBERS, Run, Status, markdown, next_id, on_the_same_pod, runs, text_of, with_members},
    store::{Change, Replace, Writer},
};
use cfg_report::runs::RunReport;
use cfg_system::Role;
use serde_json::Value as Json;

use super::{
    Listing, diagnose, launch, preflight,
    registry::{
        open::{self, Opened, open_sound, open_to_change},
        reference,
        today::{days_between, today},
    },
    report, resume, watch,
};
use crate::{
    CommandResult, Ended, Outcome,
    args::{RunAdd, RunClose, RunCommand, RunList, RunStatus},
    context::Context,
};

/// The maximum number of days for which a run is plausibly in progress. After that it has probably ended, or never started: GPU
/// machines are rented by the hour.
const LONGEST_RUN: i64 = 7;

/// The number of last steps whose mean is the reward of a run.
const LAST: usize = 10;

pub(crate) fn run(cx: &Context, command: &RunCommand) -> CommandResult {
    match command {
        RunCommand::Preflight(preflight) => preflight::run(cx, preflight),
        RunCommand::Launch(launch) => launch::run(cx, launch),
        RunCommand::Watch(watch) => watch::run(cx, watch),
        RunCommand::Resume(resume) => resume::run(cx, resume),
        RunCommand::Diagnose(words) => diagnose::run(cx, words),
        RunCommand::Report(report) => report::run(cx, report),
        RunCommand::Add(add) => self::add(cx, add),
        RunCommand::Close(close) => self::close(cx, close),
        RunCommand::List(list) => self::list(cx, list),
        RunCommand::Compare(words) => compare::run(cx, words),
    }
}

fn add(cx: &Context, add: &RunAdd) -> CommandResult {
    let (opened, at, writer) = launched(cx, add)?;
    let version = opened.registry.name(at);
    let known = runs(&opened.registry);
    let day = today(cx.host());
    let id = add.id.clone().unwrap_or_else(|| next_id(&known, &day));
    if id.trim().is_empty() || known.iter().any(|run| run.id == id) {
        cx.complain(&format!("run `{id}` already exists; record how it ended with `cfg run close {}`", word(&id)));
        return Ok(Outcome::Failed);
    }
    if let Some(pod) = &add.pod {
        for other in on_the_same_pod(&known, &id, pod) {
            cx.note(&format!("run {} is still running on {pod}; end it with `cfg run close {}`", other.id, word(&other.id)));
        }
    }
    let hardware = add.hardware.clone().or_else(|| hardware_of(&opened.registry, &version));
    let members = [
        ("config", Some(version.clone())),
        ("status", Some(Status::Running.name().to_owned())),
        ("started", Some(add.started.clone().unwrap_or(day))),
        ("prime_rl", prime_rl(cx, add, opened.registry.entry(at))),
        ("hardware", hardware),
        ("pod", add.pod.clone()),
        ("folder", add.dir.as_deref().map(|folder| folder_from(cx, &opened, folder))),
        ("wandb", add.wandb.clone()),
        ("baseline", add.baseline.clone()),
        ("notes", add.notes.clone()),
    ];
    let members = members.into_iter().filter_map(|(name, value)| Some((name, Json::from(value?))));
    let members: Vec<_> = members.chain(text_of(opened.registry.entry(at))).collect();
    commit(cx, &opened, &writer, &id, &members, &format!("register run {id} of {version}"))
}

/// The prime-rl of the run: the stated one, or else that of the file or its project, or else that of the version.
fn prime_rl(cx: &Context, add: &RunAdd, entry: &Entry) -> Option<String> {
    if let Some(target) = &cx.common.target {
        return Some(target.clone());
    }
    let path = Path::new(&add.launched);
    let config = cx.system.is_file(path).then(|| diagnose::against(cx, &cx.session(), path, None)).flatten();
    let found = config.filter(|config| config.checked.is_stated()).map(|config| config.checked.target.name);
    found.or_else(|| entry.prime_rl.as_ref().map(|target| target.value.to_string()))
}

/// The path of a run's folder relative to the folder of the registry; a folder outside it is recorded as given.
fn folder_from(cx: &Context, opened: &Opened, folder: &Path) -> String {
    let whole = cx.system.plain(folder);
    place::key(&opened.base, &whole).unwrap_or_else(|| whole.to_string_lossy().into_owned())
}

/// The version that is run: the stated one, or the one with the text of the file. Reports an error if there is none.
fn launched(cx: &Context, add: &RunAdd) -> CommandResult<(Opened, VersionPlace, Writer)> {
    let path = Path::new(&add.launched);
    if !cx.system.is_file(path) {
        return reference::find_to_change(cx, &add.launched);
    }
    let (opened, writer) = open_to_change(cx, path)?;
    let Some(found) = opened.version_of(&cx.system.plain(path), &cx.system.read(path, Role::Config)?) else {
        let shown = path.display();
        cx.complain(&format!(
            "{shown} is not a registered version, so the run could not be traced to a config; register it with `cfg bump {} -m \"why\"`",
            word(&path.to_string_lossy())
        ));
        return Err(Ended::Reported(Outcome::Found));
    };
    Ok((opened, found, writer))
}

fn hardware_of(registry: &Registry, version: &str) -> Option<String> {
    let place = registry.resolve(version, None).ok()?;
    registry.configs[place.config].hardware.as_ref().map(|text| text.value.to_string())
}

fn close(cx: &Context, close: &RunClose) -> CommandResult {
    let (opened, writer) = open_to_change(cx, &close.registry)?;
    let known = runs(&opened.registry);
    let Some(run) = known.iter().find(|run| run.id == close.id) else {
        cx.complain(&format!("no run `{}`; list runs with `cfg run list`", close.id));
        return Ok(Outcome::Failed);
    };
    let notes = match (run.get("notes"), &close.notes) {
        (Some(before), Some(more)) => Some(format!("{before}; {more}")),
        (_, more) => more.clone(),
    };
    let folder = compare::folder_of(cx, &opened, run);
    let is_stated = close.steps.is_some() && close.reward.is_some();
    let (curves, progress) = folder.filter(|_| !is_stated).map(|folder| watch::measures(cx, &folder)).unwrap_or_default();
    // A launch that reached no step follows one that did.
    let newest = || {
        [Measure::Reward, Measure::Loss]
            .into_iter()
            .filter_map(|measure| curves.of(measure).points().last().map(|(step, _)| *step))
    };
    let reached = progress.trainer_step.max(progress.orchestrator_step).or_else(|| newest().max());
    let steps = close.steps.map(|steps| steps.to_string()).or_else(|| reached.map(|step| step.to_string()));
    let reward = close.reward.clone().or_else(|| curves.of(Measure::Reward).mean(LAST).map(|mean| format!("{mean:.4}")));
    let status = match close.status {
        RunStatus::Completed => Status::Completed,
        RunStatus::Failed => Status::Failed,
        RunStatus::Abandoned => Status::Abandoned,
    };
    let members = [
        ("status", Some(status.name().to_owned())),
        ("ended", Some(close.ended.clone().unwrap_or_else(|| today(cx.host())))),
        ("wandb", close.wandb.clone()),
        ("steps", steps),
        ("reward", reward),
        ("notes", notes),
    ];
    let members: Vec<_> = members.into_iter().filter_map(|(name, value)| Some((name, Json::from(value?)))).collect();
    commit(cx, &opened, &writer, &close.id, &members, &format!("end run {}", close.id))
}

/// Writes members of a run to the registry, and reports what was done.
fn commit(cx: &Context, opened: &Opened, writer: &Writer, id: &str, members: &[(&str, Json)], what: &str) -> CommandResult {
    let change = Change {
        what: what.to_owned(),
        registry: Some(Replace {
            path: opened.store.registry().to_owned(),
            old: Some(opened.registry.text.clone().into_bytes()),
            new: Some(with_members(&opened.registry, id, members)),
        }),
        ..Change::default()
    };
    if !open::commit(cx, writer, &change) {
        return Ok(Outcome::Failed);
    }
    if cx.is_for_program() {
        let new = change.registry.as_ref().and_then(|registry| registry.new.as_deref()).unwrap_or_default();
        let known = runs(&Registry::read(new).0);
        let run = known.iter().find(|run| run.id == id).map(report);
        Listing::JsonLines.write_one(&mut cx.out(), &run)?;
        return Ok(Outcome::Clean);
    }
    let of = |member: &str| members.iter().find(|(name, _)| *name == member)?.1.as_str();
    let what = match of("config") {
        Some(config) => format!("run {id} of {config}"),
        None => format!("run {id}: {}", of("status").unwrap_or_default()),
    };
    writeln!(cx.out(), "{}", cfg_diag::one_line(&what))?;
    Ok(Outcome::Clean)
}

/// The run as JSON.
fn report(run: &Run) -> RunReport {
    let of = |member: &str| run.get(member).map(str::to_owned);
    let text = |name: &str| run.text.iter().find(|(own, _)| *own == name).map(|(_, value)| value.clone());
    RunReport {
        id: run.id.clone(),
        config: of("config"),
        status: of("status"),
        started: of("started"),
        ended: of("ended"),
        prime_rl: of("prime_rl"),
        hardware: of("hardware"),
        pod: of("pod"),
        folder: of("folder"),
        wandb: of("wandb"),
        steps: of("steps"),
        baseline: of("baseline"),
        reward: of("reward"),
        notes: of("notes"),
        sha256: text("sha256").and_then(|digest| digest.as_str().map(str::to_owned)),
        fingerprint: text("fingerprint"),
    }
}

fn list(cx: &Context, list: &RunList) -> CommandResult {
    let listing = Listing::of(cx);
    let opened = open_sound(cx, &list.path)?;
    let known = runs(&opened.registry);
    let day = today(cx.host());
    let key = cx.system.is_file(&list.path).then(|| cx.system.plain(&list.path));
    let key = key.and_then(|path| place::key(&opened.base, &path)).filter(|key| opened.registry.index_of(key).is_some());
    let is_of = |run: &&Run| match &key {
        Some(key) => run.get("config").and_then(|config| Reference::parse(config).path).is_some_and(|path| path == key),
        None => true,
    };
    let on_pods = last_on_pods(&known);
    let is_shown = |run: &&Run| !list.stale || why_stale(run, &on_pods, &day).is_some();
    let shown: Vec<&Run> = known.iter().filter(is_of).filter(is_shown).collect();
    let mut out = io::BufWriter::new(cx.out());
    if list.markdown {
        out.write_all(markdown(&shown).as_bytes())?;
    } else if listing == Listing::Text {
        for run in &shown {
            let parts = MEMBERS.iter().filter_map(|(name, _)| run.get(name)).map(cfg_diag::one_line);
            let line: Vec<_> = std::iter::once(cfg_diag::one_line(&run.id)).chain(parts).collect();
            writeln!(out, "{}", line.join("  "))?;
        }
    } else {
        let entries: Vec<_> = shown.iter().map(|run| report(run)).collect();
        listing.write(&mut out, &entries)?;
    }
    out.flush()?;
    drop(out);
    match (&*known, &*shown) {
        ([], _) => cx.note("no runs are recorded; `cfg run add` records one"),
        (_, []) => cx.note("none of the recorded runs is one of these"),
        _ => {}
    }
    for run in &shown {
        if let Some(why) = why_stale(run, &on_pods, &day) {
            cx.note(&format!("run {} {why}; end it with `cfg run close {} --status abandoned`", run.id, word(&run.id)));
        }
    }
    Ok(Outcome::Clean)
}

/// The last run that was started on each pod, by the pod's name.
fn last_on_pods(all: &[Run]) -> HashMap<&str, &Run> {
    all.iter().filter_map(|run| Some((run.get("pod")?, run))).collect()
}

/// Why a run that is recorded as running has probably ended; `None` if it is recorded as ended, or may still be running.
fn why_stale(run: &Run, last_on_pods: &HashMap<&str, &Run>, today: &str) -> Option<String> {
    if run.status() != Some(Status::Running) {
        return None;
    }
    if let Some(pod) = run.get("pod") {
        let on_it = last_on_pods.get(pod).filter(|other| other.id != run.id);
        if let Some(other) = on_it {
            return Some(format!("is marked as running on {pod}, but run {} was started there later", other.id));
        }
    }
    let days = days_between(run.get("started")?, today)?;
    (days > LONGEST_RUN).then(|| format!("has been marked as running for {days} days"))
}
