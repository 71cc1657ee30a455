//! `cfg launch`: the command that starts a run.

use std::{
    io::{self, Write as _},
    path::PathBuf,
    process::{Command as Program, Stdio},
};

use cfg_check::{Command, Session, Verdict};
use cfg_project::Projects;
use cfg_report::preflight::write_text;
use cfg_schema::Kind;

use super::{Listing, preflight::Ready};
use crate::{
    Outcome,
    args::{Common, Launch as Arguments},
    inputs::Inputs,
    launch::{Launch, OPEN_FILES, Part, Step},
    preflight::Here,
    terminal,
};

pub(crate) fn run(common: &Common, arguments: &Arguments) -> io::Result<Outcome> {
    let Some(listing) = Listing::of(common, "launch") else { return Ok(Outcome::Failed) };
    let session = super::session();
    // Files of different components are the parts of a split run; others are laid one over the other.
    let group = match split_group(common, &session, &arguments.paths)? {
        Ok(group) => group,
        Err(outcome) => return Ok(outcome),
    };
    let ready = match group {
        Some(group) => group,
        None => match Ready::read(common, &session, &arguments.paths, &[])? {
            Ok(ready) => vec![ready],
            Err(outcome) => return Ok(outcome),
        },
    };
    let Some(first) = ready.first() else { return Ok(Outcome::Failed) };
    let target = &first.command.checked.target;
    let parts: Vec<Part<'_>> = ready.iter().filter_map(|ready| part(ready, arguments, &ready.name)).collect();
    let launch = match parts.as_slice() {
        [] => return Ok(Outcome::Failed),
        [part] if arguments.by_hand || arguments.shared_gpu.is_some() => {
            match Launch::by_hand(part, "run-configs", arguments.shared_gpu, target.point) {
                Ok(launch) => launch,
                Err(why) => {
                    terminal::complain(&why);
                    return Ok(Outcome::Failed);
                }
            }
        }
        [part] => accepted(common, &session, part, target.point),
        parts => Launch::split(parts, target.point),
    };
    if arguments.exec {
        return exec(common, &session, &launch);
    }
    let names: Vec<String> = ready.iter().map(|ready| ready.name.clone()).collect();
    let kind = parts.first().map_or("", |part| part.kind.name());
    let head = cfg_report::one_line(&format!(
        "{} at {}{}",
        names.join(", "),
        target.name,
        if parts.len() == 1 { format!(" ({kind})") } else { String::new() }
    ))
    .into_owned();
    let mut out = io::BufWriter::new(io::stdout().lock());
    match listing {
        Listing::Text => out.write_all(launch.script(&head).as_bytes())?,
        Listing::Json | Listing::JsonLines => listing.write_one(&mut out, &launch.report(names, &target.name))?,
    }
    out.flush()?;
    Ok(Outcome::Clean)
}

fn part<'a>(ready: &'a Ready, arguments: &Arguments, name: &str) -> Option<Part<'a>> {
    let one = arguments.paths.iter().map(|path| path.to_string_lossy().into_owned());
    let is_alone = one.clone().any(|path| path == name);
    let files = if is_alone { vec![name.to_owned()] } else { one.collect() };
    let checked = &ready.command.checked;
    Some(Part { kind: checked.kind?, files, rest: Vec::new(), plan: &ready.plan, resolved: checked.resolved.as_ref()? })
}

/// The parts of a split run; nothing where the files are something else.
fn split_group(common: &Common, session: &Session, paths: &[PathBuf]) -> io::Result<Result<Option<Vec<Ready>>, Outcome>> {
    if paths.len() < 2 {
        return Ok(Ok(None));
    }
    let target = super::stated_target(common).ok().flatten();
    let projects = Projects::new(common.config.clone());
    let surroundings =
        |path: &std::path::Path| projects.target(path)?.as_ref().as_ref().ok().map(|detected| detected.target.clone());
    let kind_of = |path: &PathBuf| {
        let file = [path.to_string_lossy().into_owned()];
        let inputs =
            Inputs { session, kind: None, target: target.clone(), surroundings: &surroundings, project: None, env: false };
        inputs.check(Command::Files(&file)).checked.kind
    };
    let kinds: Vec<Option<Kind>> = paths.iter().map(kind_of).collect();
    let is_component = |kind: &Option<Kind>| matches!(kind, Some(Kind::Trainer | Kind::Orchestrator | Kind::Inference));
    let differ = (1..kinds.len()).all(|index| !kinds[..index].contains(&kinds[index]));
    if !kinds.iter().all(is_component) || !differ {
        return Ok(Ok(None));
    }
    let mut group = Vec::new();
    for path in paths {
        match Ready::read(common, session, std::slice::from_ref(path), &[])? {
            Ok(ready) => group.push(ready),
            Err(outcome) => return Ok(Err(outcome)),
        }
    }
    Ok(Ok(Some(group)))
}

/// The launch of one config, with flags of ours only if prime-rl takes the whole command.
fn accepted(common: &Common, session: &Session, part: &Part<'_>, point: cfg_schema::Point) -> Launch {
    let launch = Launch::whole(part, point);
    let takes = |step: &Step| {
        let target = cfg_schema::Target { point, ..cfg_schema::Target::newest_release(session.history) };
        let surroundings = |_: &std::path::Path| None;
        let inputs = Inputs {
            session,
            kind: common.kind.or(Some(part.kind)),
            target: Some(target),
            surroundings: &surroundings,
            project: None,
            env: false,
        };
        inputs.check(Command::Words(&step.words)).checked.verdict != Verdict::Rejected
    };
    if launch.steps.first().is_none_or(takes) {
        return launch;
    }
    let rest = vec!["--ckpt".to_owned()];
    // Words that count as given keep ours away.
    let mut plain = Launch::whole(&Part { rest, files: part.files.clone(), ..*part }, point);
    for step in &mut plain.steps {
        step.words.retain(|word| word != "--ckpt");
    }
    plain
}

/// Makes the preflight, and starts the run if nothing stands against it.
fn exec(common: &Common, session: &Session, launch: &Launch) -> io::Result<Outcome> {
    let [step] = launch.steps.as_slice() else {
        terminal::complain("--exec starts one process; run the printed script for several");
        return Ok(Outcome::Failed);
    };
    // The whole command counts: its flags can save checkpoints that the files don't.
    let ready = match Ready::read(common, session, &[], &step.words)? {
        Ok(ready) => ready,
        Err(outcome) => return Ok(outcome),
    };
    let report = ready.report(&Here);
    write_text(&mut io::stderr().lock(), terminal::style(common.color), &report)?;
    if report.has_errors() {
        terminal::complain("nothing was started; without --exec the command is printed");
        return Ok(Outcome::Found);
    }
    if launch.serves {
        raise_file_limit();
    }
    start(step)
}

/// Raises the limit of open files as far as it goes, up to what an inference server wants.
fn raise_file_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(OPEN_FILES).min(OPEN_FILES);
    if limit.current.is_some_and(|current| current < most) {
        limit.current = Some(most);
        // Where it fails, the preflight has told.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}

/// Runs a command to its end; its output also goes into a log, by way of `tee`, which outlives an interrupt of the terminal.
fn start(step: &Step) -> io::Result<Outcome> {
    let Some((program, words)) = step.words.split_first() else { return Ok(Outcome::Failed) };
    terminal::say(&step.line());
    let mut command = Program::new(program);
    command.args(words).envs(step.variables.iter().map(|(name, value)| (*name, value)));
    let mut tee = None;
    if let Some(log) = step.log {
        let (reader, writer) = io::pipe()?;
        let file = format!("{log}-{}.log", stamp());
        tee = Program::new("tee").args(["-ia", &file]).stdin(reader).spawn().ok();
        if tee.is_some() {
            command.stdout(writer.try_clone()?).stderr(writer);
            terminal::say(&format!("log: {file}"));
        }
    }
    command.stdin(Stdio::inherit());
    let status = match command.status() {
        Ok(status) => status,
        Err(error) => {
            terminal::complain(&format!("{program}: {error}"));
            return Ok(Outcome::Failed);
        }
    };
    // The last writer must be gone, or tee would wait for ever.
    drop(command);
    if let Some(mut tee) = tee {
        let _ = tee.wait();
    }
    Ok(if status.success() { Outcome::Clean } else { Outcome::Found })
}

/// Seconds since 1970: a name that no earlier log has.
fn stamp() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
