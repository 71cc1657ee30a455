//! `cfg check`: reads files, checks each of them, and reports them in the order of their paths.

mod around;
mod composed;
mod edit;
mod file;
mod gather;
mod launched;
mod missing;
mod open;
mod report;
mod show;
mod split;
pub(super) mod subject;
mod watch;

use std::{
    collections::{HashMap, HashSet},
    io::{self, BufWriter, Write},
    panic,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, mpsc},
    thread,
};

use cfg_check::{COMMAND_LINE, Checked, Command, Doubt, FileSet, Project, Registries, Session};
use cfg_diag::{Diagnostic, Severity};
use cfg_repair::Wanted;
use cfg_report::{Rendered, Reporter, json::FixesMade};
use cfg_schema::Target;

use cfg_system::{Role, SearchedOnce, System};
use rayon::prelude::*;

use super::read::why;
use crate::{
    CommandResult, Outcome,
    args::{Check, Deny},
    baseline::{Baselines, Run},
    context::Context,
    machine::RequestedMachine,
    progress,
    statistics::Statistics,
    threads,
};
use composed::Alone;
use file::Given;
use gather::{Gathered, Late};
use launched::LaunchChecks;
use report::{CheckedFor, TargetsUsed};
use subject::{Input, Subject};

/// The number of files that are read, checked and rendered at once. At most a few times as many results are kept until they are written, so that
/// memory does not grow with the number of files.
const CHUNK: usize = 512;

pub(crate) fn run(cx: &Context, check: &Check) -> CommandResult {
    if check.gpu.as_deref() == Some(super::gpu::LIST) {
        return super::gpu::list(cx);
    }
    if check.watch {
        return watch::run(cx, check).map(|never| match never {});
    }
    let system: Arc<dyn System> = Arc::new(SearchedOnce::new(Arc::clone(&cx.system)));
    let cx = cx.on(&system);
    run_check(&cx, check, Subject::of(&cx, check))
}

/// Checks the inputs, which may be on another system than the disk.
pub(super) fn run_check(cx: &Context, check: &Check, subject: Subject) -> CommandResult {
    let format = super::format_of_findings(cx.common.format);
    let cx = subject.system.as_ref().map_or_else(|| cx.clone(), |system| cx.on(system));
    let (session, registries) = cx.session_with_registries();
    let Ok(target) = cx.stated_target() else { return Ok(Outcome::Failed) };
    let Ok(baselines) = baselines(&cx, check).map_err(|why| cx.complain(&why)) else { return Ok(Outcome::Failed) };
    let near = check.paths.first().map_or(Path::new("."), PathBuf::as_path);
    let Ok(gpu) = check.gpu.as_deref().map(|gpu| machine(&cx, gpu, &session, near)).transpose() else {
        return Ok(Outcome::Failed);
    };
    let control = &check.control;
    let is_whole = subject.is_whole(&cx, check);
    session.projects().searched_in(&folders(&cx, check));
    let inputs = subject::with_scripts(&cx, check, &session, subject.inputs, subject.staged.is_some());
    let (inputs, left_out) = subject::included(inputs, &session, &subject.named);
    let inputs = subject::declared(inputs, &session);
    subject::read_settings(&cx, check, &session, near);
    if let Some(why) = cx.refusal_of_version(session.projects()) {
        cx.complain(&why);
        return Ok(Outcome::Failed);
    }
    let covered = Run { is_whole, ..Run::new(&subject.named, &inputs) };
    // Nothing is reported if standard output is used for something else.
    let is_stdin = inputs.iter().any(|input| matches!(input, Input::Stdin));
    // A program gets the new text as a member of the document.
    let is_new_text = control.edits() && is_stdin && !control.diff && !cx.is_for_program();
    let is_quiet = control.diff || control.statistics || control.show_files || is_new_text;
    let job = Job {
        is_quiet,
        is_stdin,
        options: cx.options(),
        wanted: if cx.is_for_program() { Wanted::All } else { Wanted::First },
        alone: Mutex::default(),
        launch_checks: LaunchChecks::default(),
        is_for_people: format.is_for_people() && !is_quiet,
        baselines,
        session,
        registries,
        named: split::named(&inputs),
        scripts: split::scripts(&inputs, &*cx.system),
        disk: subject.staged.as_ref().map(|staged| Arc::clone(&staged.disk)),
        changed: subject.staged.iter().flat_map(|staged| staged.changed.iter().cloned()).collect(),
        target,
        gpu,
        check,
        reporter: cx.reporter(format, &check.paths).failing_at(failing(check)).showing_from(control.shown()),
        cx,
    };
    if control.show_settings {
        return job.show_settings(near);
    }
    let is_kept = subject.out.is_some();
    let mut stream = job.reporter.clone().stream(BufWriter::new(job.out(subject.out, format)));
    let (mut edited_files, mut edits, mut accepted, mut outcome) = (0, 0, 0, Outcome::Clean);
    let (mut statistics, mut targets, mut gathered) = (Statistics::default(), TargetsUsed::default(), Gathered::default());
    job.each(&inputs, |mut file| {
        file.defer_shared(&job, &mut gathered);
        if let Some(rendered) = &file.rendered {
            stream.rendered(rendered)?;
        }
        if let Some(instead) = &file.instead {
            if is_new_text { job.cx.print(instead.as_bytes())? } else { job.cx.print_view(instead)? }
        }
        statistics.add(&file.diagnostics);
        accepted += file.accepted;
        edited_files += usize::from(file.edits > 0);
        edits += file.edits;
        outcome = worse(outcome, file.outcome);
        file.target.into_iter().for_each(|target| targets.add(target));
        Ok(())
    })?;
    if control.show_files {
        return Ok(outcome);
    }
    let missing = job.missing_configs(&subject.named, subject.staged.as_ref(), &mut stream)?;
    statistics.add(&missing.diagnostics);
    (accepted, outcome) = (accepted + missing.accepted, worse(outcome, missing.outcome));
    let open = job.gathered(gathered, &mut stream)?;
    subject.settings.iter().for_each(|settings| drop(job.session.projects().settings(settings)));
    outcome = worse(outcome, job.surroundings(!targets.is_empty(), &subject.registries, &mut stream)?);
    targets.tell_what_is_open(&job.cx);
    outcome = worse(outcome, job.registries(subject.registries, &mut stream)?);
    stream.accept(accepted);
    let mut closing =
        Job::closing(&stream, &open, &targets) + &left_out.in_words(&job.cx, control, inputs.is_empty()) + &subject.left_out;
    let ended = job.baselines.end(&job.cx, &job.session, check, job.is_for_people, &covered, outcome);
    closing += &ended.stale;
    outcome = worse(outcome, ended.outcome);
    if let Some(staged) = subject.staged {
        closing = staged.closing(closing, stream.summary(), outcome);
    }
    if edits > 0 {
        closing = format!("{}\n{closing}", edit::sentence(control, edits, edited_files));
    }
    closing.insert_str(0, &ended.written);
    stream.finish(if job.cx.common.quiet && !is_kept { "" } else { &closing })?;
    if control.statistics {
        statistics.write(&mut job.cx.out(), job.cx.common.format)?;
    } else if is_quiet && edits > 0 {
        job.cx.say(&edit::sentence(control, edits, edited_files));
    }
    outcome = edit::of_diff(&job.cx, control, edits, outcome);
    Ok(if control.exit_zero && outcome == Outcome::Found { Outcome::Clean } else { outcome })
}

/// The folders that are searched for configs.
fn folders(cx: &Context, check: &Check) -> Vec<PathBuf> {
    check.paths.iter().filter(|path| cx.system.is_folder(path)).cloned().collect()
}

/// The machine that `--gpu` names; an error if it is unknown, which has been reported.
fn machine(cx: &Context, gpu: &str, session: &Session, near: &Path) -> Result<Box<str>, ()> {
    let own = Project::around(session.projects(), near).gpus;
    RequestedMachine::read(cx, gpu, &own).map(|requested| requested.text.into()).map_err(|why| cx.complain(&why))
}

/// The baselines of the check. It is an error if the one of the command line, or the settings file, can't be read.
fn baselines(cx: &Context, check: &Check) -> Result<Baselines, String> {
    if let Some(settings) = &cx.common.settings
        && let Err(error) = cx.system.read(settings, Role::Settings)
    {
        return Err(format!("{} can't be read: {}", settings.display(), why(&error)));
    }
    Baselines::open(cx, &check.control)
}

struct Job<'a> {
    /// Whether standard output is used for something other than a report.
    is_quiet: bool,
    /// The findings of checking files alone that other files name.
    alone: Mutex<HashMap<PathBuf, Arc<Alone>>>,
    /// The results of checking launches.
    launch_checks: LaunchChecks,
    /// Whether the report is for people.
    is_for_people: bool,
    /// The fixes that are shown.
    wanted: Wanted,
    baselines: Baselines,
    session: Session,
    registries: Arc<Registries>,
    /// The files that are checked, so that rules know whether another file of a run is among them.
    named: Arc<FileSet>,
    /// The scripts whose launches are checked.
    scripts: HashSet<PathBuf>,
    /// The files that a commit would change, relative to the root.
    changed: HashSet<PathBuf>,
    /// The disk, if what is checked is staged.
    disk: Option<Arc<dyn System>>,
    target: Option<Target>,
    /// Whether standard input is checked.
    is_stdin: bool,
    /// The common options of the command line, which are repeated in suggested commands.
    options: String,
    /// The machine that `--gpu` names.
    gpu: Option<Box<str>>,
    cx: Context,
    check: &'a Check,
    reporter: Reporter,
}

/// The result of checking one input.
struct Done {
    /// The report. `None` for a file that was found in a folder and is not a config.
    rendered: Option<Rendered>,
    outcome: Outcome,
    /// The prime-rl for which it was checked, if it is a config.
    target: Option<CheckedFor>,
    /// The text for standard output instead of a report: a diff, or the fixed config.
    instead: Option<String>,
    /// The number of findings that were fixed or ignored.
    edits: usize,
    /// What was fixed, if that was requested.
    fixed: Option<FixesMade>,
    /// Descriptions of the findings that were not fixed, with reasons.
    left: Vec<String>,
    /// The findings, if they are to be counted.
    diagnostics: Vec<Diagnostic>,
    /// The number of findings that a baseline accepts.
    accepted: usize,
    /// Findings that are reported after all files, with the path of the file.
    late: Option<(PathBuf, Late)>,
    /// What of it was not checked: "eval.toml: only its syntax was checked".
    unchecked: Option<String>,
    /// On what the verdict depends, if no warning says so.
    depends_on: Option<&'static str>,
    /// Why it may be a config although it was not checked, and its path.
    doubt: Option<(Doubt, String)>,
    /// The file, and those with which it was checked because it overrides them.
    together: Option<open::Together>,
}

impl Done {
    /// Combines the edits of this file with the report of the config to which it belongs.
    fn merge_report(self, told: Self) -> Self {
        let outcome = worse(self.outcome, told.outcome);
        let left = [self.left, told.left].concat();
        Self { outcome, instead: self.instead, edits: self.edits, left, ..told }
    }

    fn new(rendered: Option<Rendered>, outcome: Outcome) -> Self {
        Self {
            rendered,
            outcome,
            target: None,
            instead: None,
            edits: 0,
            fixed: None,
            left: Vec::new(),
            diagnostics: Vec::new(),
            accepted: 0,
            late: None,
            unchecked: None,
            depends_on: None,
            doubt: None,
            together: None,
        }
    }
}

impl Done {
    /// Notes what of a file is open, for the last line of the report.
    fn note_open(&mut self, name: &str, checked: &Checked) {
        self.unchecked = checked.what_is_unchecked().map(|what| format!("{}: {what}", cfg_diag::one_line(name)));
        self.depends_on = checked.depends_on();
    }

    /// Reports what was not fixed, and collects the findings that are reported after all files.
    fn defer_shared(&mut self, job: &Job<'_>, gathered: &mut Gathered) {
        self.left.iter().for_each(|left| job.cx.note(left));
        gathered.open.add(self);
        if let Some((path, late)) = self.late.take() {
            late.add_to(job, &path, self.rendered.as_ref().is_some_and(Rendered::shows_findings), gathered);
        }
    }
}

impl Job<'_> {
    /// Where the report is written.
    fn out(&self, kept: Option<Arc<Mutex<Vec<u8>>>>, format: cfg_report::Format) -> Box<dyn Write + '_> {
        match kept {
            Some(kept) => Box::new(subject::Kept(kept)),
            None if self.is_quiet => Box::new(io::sink()),
            None => Box::new(self.cx.out_of_findings(format)),
        }
    }

    /// Checks all inputs in parallel, and calls `take` with each result in order. With very many inputs, it is called for the first results while
    /// later inputs are checked.
    fn each(&self, inputs: &[Input], mut take: impl FnMut(Done) -> io::Result<()>) -> io::Result<()> {
        progress::count(inputs.len(), "files");
        if inputs.len() <= threads::FEW || !threads::are_there() {
            return inputs.iter().try_for_each(|input| take(self.input(input)?));
        }
        let at_once = |chunk: &[Input]| -> io::Result<Vec<Done>> {
            threads::on_all(|| chunk.par_iter().map(|input| self.input(input)).collect())
        };
        if inputs.len() <= CHUNK {
            return at_once(inputs)?.into_iter().try_for_each(take);
        }
        thread::scope(|scope| {
            let (done, chunks) = mpsc::sync_channel(1);
            // If no one receives the results any more, the remaining chunks are skipped.
            let check = move || inputs.chunks(CHUNK).try_for_each(|chunk| done.send(at_once(chunk)));
            let Ok(checking) = thread::Builder::new().spawn_scoped(scope, check) else {
                return inputs.iter().try_for_each(|input| take(self.input(input)?));
            };
            let taken = chunks.into_iter().try_for_each(|chunk| chunk?.into_iter().try_for_each(&mut take));
            if let Err(panic) = checking.join() {
                panic::resume_unwind(panic);
            }
            taken
        })
    }

    fn input(&self, input: &Input) -> io::Result<Done> {
        let done = self.check_input(input);
        progress::step();
        done
    }

    fn check_input(&self, input: &Input) -> io::Result<Done> {
        match input {
            Input::Stdin => {
                let named = self.check.stdin_filename.as_deref().unwrap_or(Path::new("<stdin>"));
                let given = Given { path: named, is_explicit: true, is_stdin: true };
                match self.cx.host().input(Role::Config.limit()) {
                    Ok(bytes) => self.file(&given, bytes),
                    Err(error) => self.unreadable(named, &error),
                }
            }
            Input::Command => self.command(COMMAND_LINE, Command::Words(&self.check.command)),
            Input::Dependent { path } => self.dependent(path),
            Input::Script { path, is_explicit } => self.script(path, *is_explicit),
            Input::File { path, is_explicit } => match self.cx.system.read(path, Role::Config) {
                Ok(bytes) => self.file(&Given { path, is_explicit: *is_explicit, is_stdin: false }, bytes),
                Err(error) => self.unreadable(path, &error),
            },
            Input::Unreadable { path, error } => self.unreadable(path, error),
        }
    }

    /// Applies the project's settings: removes the findings that they ignore, and sets their severities. The verdict is not changed.
    fn apply_settings(&self, path: &Path, checked: &mut Checked) {
        let control = &self.check.control;
        self.session.projects().apply_lint(
            path,
            control.select.as_slice(),
            control.ignore.as_slice(),
            &mut checked.diagnostics,
            |_| false,
        );
    }

    /// The severity from which on findings are shown: programs get all.
    fn shown(&self) -> Severity {
        if self.is_for_people { self.check.control.shown() } else { Severity::Info }
    }

    fn judge(&self, diagnostics: &[Diagnostic]) -> Outcome {
        let limit = failing(self.check);
        if diagnostics.iter().any(|diagnostic| diagnostic.severity >= limit) { Outcome::Found } else { Outcome::Clean }
    }
}

/// The lowest severity that makes the command fail.
fn failing(check: &Check) -> Severity {
    if check.deny.contains(&Deny::Warnings) { Severity::Warning } else { Severity::Error }
}

fn worse(one: Outcome, other: Outcome) -> Outcome {
    match (one, other) {
        (Outcome::Failed, _) | (_, Outcome::Failed) => Outcome::Failed,
        (Outcome::Found, _) | (_, Outcome::Found) => Outcome::Found,
        _ => Outcome::Clean,
    }
}
