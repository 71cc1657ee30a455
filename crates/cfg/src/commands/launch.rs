//! `cfg run launch`: the command that starts a run.

use std::{
    io::{self},
    path::{Path, PathBuf},
};

use cfg_check::{Checked, Command, Session, Verdict};
use cfg_diag::Severity;
use cfg_launch::{Launch, LaunchStep, OPEN_FILES, Part, checkpoint_flags};
use cfg_plan::Plan;
use cfg_report::{
    Guarded,
    preflight::{write_heading, write_text},
};
use cfg_resolve::View;
use cfg_schema::{Kind, Point, Target};
use cfg_system::Program;

use super::{Listing, preflight::Ready};
use crate::{
    CommandResult, Outcome,
    args::Launch as Arguments,
    context::Context,
    inputs::{Inputs, sources},
    terminal,
};

pub(crate) fn run(cx: &Context, arguments: &Arguments) -> CommandResult {
    let listing = Listing::of(cx);
    let session = cx.session();
    // Files for different components are a split run; other files are composed.
    let ready = match split_group(cx, &session, &arguments.paths)? {
        Some(group) => group,
        None => vec![Ready::read(cx, &session, &arguments.paths, &[])?],
    };
    let Some(first) = ready.first() else { return Ok(Outcome::Failed) };
    let target = &first.command.checked.target;
    let parts: Vec<Part<'_>> = ready.iter().filter_map(|ready| part(ready, &arguments.paths)).collect();
    let launch = match parts.as_slice() {
        [] => return Ok(Outcome::Failed),
        [part] if arguments.by_hand || arguments.shared_gpu.is_some() => {
            match Launch::by_hand(part, "run-configs", arguments.shared_gpu, target.point) {
                Ok(launch) => launch,
                Err(why) => {
                    cx.complain(&why);
                    return Ok(Outcome::Failed);
                }
            }
        }
        [part] => accepted(cx, &session, part, target.point),
        parts => Launch::split(parts, target.point),
    };
    if arguments.exec {
        return exec(cx, &session, &launch);
    }
    let names: Vec<String> = ready.iter().map(|ready| ready.name.clone()).collect();
    let identity = first.command.checked.identity(cx.host().folder());
    let head = cfg_diag::one_line(&format!("{}: {identity}", names.join(", "))).into_owned();
    match listing {
        Listing::Text => cx.print(launch.script(&head).as_bytes())?,
        Listing::Json | Listing::JsonLines => {
            let report = launch.report(names, &target.name);
            listing.write_one(&mut cx.out(), &cx.identified(&first.command.checked, &report))?;
        }
    }
    Ok(if complain_of_errors(cx, &ready) { Outcome::Found } else { Outcome::Clean })
}

/// Reports errors for which the printed command would fail; returns whether there are any.
fn complain_of_errors(cx: &Context, ready: &[Ready]) -> bool {
    let mut has_errors = false;
    for ready in ready {
        let sources = sources(&ready.command.texts);
        for finding in ready.command.checked.diagnostics.iter().filter(|finding| finding.severity == Severity::Error) {
            has_errors = true;
            let place = finding.location.and_then(|location| sources.place(location));
            let place = place.map_or_else(|| ready.name.clone(), |(path, at)| format!("{path}:{}:{}", at.line, at.column));
            let help = finding.help.as_ref().map_or_else(String::new, |help| format!("; {help}"));
            cx.complain(&format!("{place}: {} {}{help}", finding.code.code, finding.message));
        }
    }
    has_errors
}

/// All files of a command, as one part of a launch.
pub(super) fn part<'a>(ready: &'a Ready, paths: &[PathBuf]) -> Option<Part<'a>> {
    let all = paths.iter().map(|path| path.to_string_lossy().into_owned());
    let is_alone = all.clone().any(|path| path == ready.name);
    let files = if is_alone { vec![ready.name.clone()] } else { all.collect() };
    let checked = &ready.command.checked;
    Some(Part {
        kind: checked.kind?,
        files,
        rest: ready.flags.clone(),
        plan: &ready.plan,
        view: View::new(checked.target.schema(checked.kind?), checked.resolved.as_ref()?),
        is_for_tests: ready.project.is_for_tests,
    })
}

/// The flags that `cfg run launch` adds if the files save no checkpoints, and the resulting plan; `None` if prime-rl does not accept the flags.
pub(super) fn with_checkpoints(cx: &Context, session: &Session, part: &Part<'_>, point: Point) -> Option<(String, Plan)> {
    let flags = checkpoint_flags(part, point);
    let launch = Launch::single(part, point);
    let step = launch.steps.first().filter(|_| !flags.is_empty())?;
    let checked = start_of(cx, session, part, step, point);
    let resolved = checked.resolved.as_ref().filter(|_| checked.verdict != Verdict::Rejected)?;
    Some((flags.join(" "), Plan::new(checked.target.schema(checked.kind?), resolved)))
}

/// Checks the launch command that was generated.
fn start_of(cx: &Context, session: &Session, part: &Part<'_>, step: &LaunchStep, point: Point) -> Checked {
    let target = Target { point, ..Target::newest_release(session.history) };
    let kind = cx.common.kind().or(Some(part.kind));
    let inputs = Inputs { cx, session, kind, target: Some(target), project: None, env: false };
    inputs.check(Command::Words(&step.words)).checked
}

/// The parts of a split run; `None` if the files are not one.
fn split_group(cx: &Context, session: &Session, paths: &[PathBuf]) -> CommandResult<Option<Vec<Ready>>> {
    if paths.len() < 2 {
        return Ok(None);
    }
    let target = cx.stated_target().ok().flatten();
    let kind_of = |path: &PathBuf| {
        let file = [path.to_string_lossy().into_owned()];
        let inputs = Inputs { cx, session, kind: None, target: target.clone(), project: None, env: false };
        inputs.check(Command::Files(&file)).checked.kind
    };
    let kinds: Vec<Option<Kind>> = paths.iter().map(kind_of).collect();
    let is_component = |kind: &Option<Kind>| matches!(kind, Some(Kind::Trainer | Kind::Orchestrator | Kind::Inference));
    let differ = (1..kinds.len()).all(|index| !kinds[..index].contains(&kinds[index]));
    if !kinds.iter().all(is_component) || !differ {
        return Ok(None);
    }
    let group = paths.iter().map(|path| Ready::read(cx, session, std::slice::from_ref(path), &[]));
    group.collect::<CommandResult<_>>().map(Some)
}

/// The launch of one config. Flags for checkpoints are added only if prime-rl accepts the whole command.
fn accepted(cx: &Context, session: &Session, part: &Part<'_>, point: Point) -> Launch {
    let launch = Launch::single(part, point);
    let takes = |step: &LaunchStep| start_of(cx, session, part, step, point).verdict != Verdict::Rejected;
    if part.kind.is_hosted() || launch.steps.first().is_none_or(takes) {
        return launch;
    }
    let rest = part.rest.iter().cloned().chain(["--ckpt".to_owned()]).collect();
    // `Launch` adds no flags for checkpoints if `--ckpt` is among the words, so it is added here and removed again below.
    let mut plain = Launch::single(&Part { rest, files: part.files.clone(), ..*part }, point);
    for step in &mut plain.steps {
        step.words.pop_if(|last| last == "--ckpt");
    }
    plain
}

/// Runs the preflight checks and, if none of them fails, starts the run.
fn exec(cx: &Context, session: &Session, launch: &Launch) -> CommandResult {
    let [step] = launch.steps.as_slice() else {
        cx.complain("--exec can start only one process; for several, run the printed script");
        return Ok(Outcome::Failed);
    };
    // The whole command is checked, because its flags may turn on checkpoints that are off in the files.
    let ready = Ready::read(cx, session, &[], &step.words)?;
    let report = ready.report(cx);
    let (mut err, style) = (Guarded::new(io::stderr().lock()), terminal::style(cx));
    write_heading(&mut err, style, &report)?;
    write_text(&mut err, style, &report)?;
    drop(err);
    if report.has_errors() {
        cx.complain("nothing was started; run without --exec to print the command");
        return Ok(Outcome::Found);
    }
    if launch.serves {
        // If the limit can't be raised, the preflight checks have reported it.
        cx.host().raise_limit_of_files(OPEN_FILES);
    }
    start(cx, step)
}

/// Runs a command to its end, and copies its output to a log.
fn start(cx: &Context, step: &LaunchStep) -> CommandResult {
    let Some((name, words)) = step.words.split_first() else { return Ok(Outcome::Failed) };
    cx.say(&step.line());
    let mut program = Program::new(name).arguments(words);
    for (name, value) in &step.variables {
        program = program.variable(name, value);
    }
    // The time in seconds since 1970 makes the name unique.
    let log = step.log.map(|log| format!("{log}-{}.log", cx.host().now().as_secs()));
    // An existing file is not overwritten, because it could be a link.
    let log = log.filter(|log| !cx.system.is_there(Path::new(log)));
    let mut started = |is_logged: bool| {
        if let Some(log) = log.as_ref().filter(|_| is_logged) {
            cx.say(&format!("log: {log}"));
        }
    };
    match cx.host().execute(&program, log.as_deref().map(Path::new), &mut started) {
        Ok(true) => Ok(Outcome::Clean),
        Ok(false) => Ok(Outcome::Found),
        Err(error) => {
            cx.complain(&format!("{name}: {error}"));
            Ok(Outcome::Failed)
        }
    }
}
