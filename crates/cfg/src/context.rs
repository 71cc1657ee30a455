//! The context of a command, created once in `main`.

mod unresolved;

use std::{
    io::{self, IsTerminal as _, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use cfg_check::{Checked, Registries, Session};
use cfg_diag::{Diagnostic, Verdict, codes, one_line};
use cfg_project::{NamedBy, Projects, Unusable, local_target};
use cfg_report::{
    FileReport, Guarded, Identity, RepeatedOptions, Reporter, Root, Sources,
    json::Identified,
    outcome::{self, Ending, OutcomeReport},
};
use cfg_schema::{History, Kind, Target};
use cfg_system::{Host, OsSystem, System, WritableSystem};

use self::unresolved::unresolved;
use crate::{
    Outcome,
    args::{Arguments, Common, Format},
    out::Out,
    progress, terminal,
};

/// The variables in which CI systems state the folder of the checked repository.
const FOLDERS_OF_CI: [&str; 2] = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"];

/// What all commands need.
#[derive(Clone)]
pub(crate) struct Context {
    /// The common options of the command line.
    pub(crate) common: Common,
    /// Read access to files and programs.
    pub(crate) system: Arc<dyn System>,
    /// Write access, used only for files that the command is asked to change.
    pub(crate) writer: Arc<dyn WritableSystem>,
    said: Arc<Printed>,
}

/// What the command has printed, for a JSON document if the command itself does not print one.
#[derive(Default)]
struct Printed {
    /// Whether anything was written to standard output.
    has_document: AtomicBool,
    output: Mutex<String>,
    done: Mutex<Vec<String>>,
    notes: Mutex<Vec<String>>,
    errors: Mutex<Vec<String>>,
    files: Mutex<Vec<serde_json::Value>>,
}

impl Context {
    /// A context on this machine, with the paths of the command line admitted.
    pub(crate) fn new(arguments: &Arguments) -> Self {
        let system = Arc::new(OsSystem::new());
        arguments.common.within.iter().for_each(|folder| system.confine(folder));
        arguments.admit(&*system);
        let said = Arc::default();
        Self { common: arguments.common.clone(), system: Arc::<OsSystem>::clone(&system), writer: system, said }
    }

    /// The common options of the command line, which are repeated in suggested commands.
    pub(crate) fn options(&self) -> String {
        let Common { target, settings, .. } = &self.common;
        let kind = self.common.kind().map(Kind::name).or(self.common.script());
        let settings = settings.as_ref().map(|path| path.to_string_lossy());
        let options = [("--target", target.as_deref()), ("--kind", kind), ("--settings", settings.as_deref())];
        let given = options.into_iter().filter_map(|(option, value)| Some(format!("{option}={}", cfg_diag::word(value?))));
        given.collect::<Vec<_>>().join(" ")
    }

    /// Access to programs, the environment and the time.
    pub(crate) fn host(&self) -> &dyn Host {
        self.system.host()
    }

    /// This context with another system for reading.
    pub(crate) fn on(&self, system: &Arc<dyn System>) -> Self {
        Self { system: Arc::clone(system), ..self.clone() }
    }

    /// This context without the target of the command line.
    pub(crate) fn without_target(&self) -> Self {
        let mut cx = self.clone();
        cx.common.target = None;
        cx
    }

    /// This context without the settings file of the command line.
    pub(crate) fn without_settings(&self) -> Self {
        let mut cx = self.clone();
        cx.common.settings = None;
        cx
    }

    /// The projects around the configs, which are read when first needed.
    pub(crate) fn projects(&self) -> Arc<Projects> {
        Arc::new(Projects::new(Arc::clone(&self.system), self.common.settings.as_deref()))
    }

    /// A session for the configs of these projects.
    pub(crate) fn session(&self) -> Session {
        Session::new(self.projects()).of_configs()
    }

    /// A session that also uses the registries around the configs, and accepts files of verifiers' own evaluations.
    pub(crate) fn session_with_registries(&self) -> (Session, Arc<Registries>) {
        let registries = Arc::new(Registries::new(Arc::clone(&self.system)));
        (Session::new(self.projects()).with_registries(Arc::clone(&registries)), registries)
    }

    /// The target of the command line, if it states one; reports an error if the target is unknown.
    pub(crate) fn stated_target(&self) -> Result<Option<Target>, ()> {
        let target = self.common.target.as_deref().map(|text| self.named_target(text)).transpose();
        target.map_err(|error| self.complain(&error))
    }

    /// Checks that a command can use the target of a checked config. If the project's prime-rl is unknown, a note states which one is used instead.
    ///
    /// # Errors
    /// Why the target can't be used: the config or the settings state an invalid one.
    pub(crate) fn known_target(&self, session: &Session, path: &Path, checked: &Checked) -> Result<(), String> {
        if !checked.is_unknown() {
            return Ok(());
        }
        let stated = checked.diagnostics.iter().find(|found| found.code == &codes::UNKNOWN_TARGET);
        if let Some(stated) = stated {
            return Err(format!("{}: {}; pass `--target`", path.display(), stated.message));
        }
        if let Some(why) = self.refused_settings(session, path) {
            return Err(format!("{why}; pass `--target`"));
        }
        match session.projects().target(path).as_deref() {
            Some(Err(problem)) => {
                let here = self.host().folder();
                self.note(&format!("{}: this is for prime-rl {}", problem.message(here), checked.target.name));
                Ok(())
            }
            _ => {
                self.note(&format!("the prime-rl of {} is unknown: this is for {}", path.display(), checked.target.name));
                Ok(())
            }
        }
    }

    /// Why the settings around a config, which should state a prime-rl, can't be used for that.
    pub(crate) fn refused_settings(&self, session: &Session, path: &Path) -> Option<String> {
        let target = session.projects().target(path)?;
        let problem = target.as_ref().as_ref().err().filter(|problem| problem.unusable == Unusable::Refused)?;
        let settings = session.projects().diagnostics();
        let found = settings.iter().flat_map(|file| file.diagnostics.iter().map(move |found| (&file.path, found)));
        let why = found.filter(|(_, found)| hides_the_target(found));
        let why: Vec<String> = why.map(|(path, found)| format!("{}: {}", self.system.shown(path), found.message)).collect();
        Some(if why.is_empty() { problem.message(self.host().folder()) } else { why.join("; ") })
    }

    /// Why the settings around one of these paths can't be used by this version of the program.
    pub(crate) fn refused_version(&self, configs: &[&Path]) -> Option<String> {
        let projects = self.projects();
        for path in configs {
            projects.settings(&if self.system.is_folder(path) { path.join("cfg.toml") } else { path.to_path_buf() });
        }
        self.refusal_of_version(&projects)
    }

    /// What is said if one of the settings files that were read is for other versions of the program.
    pub(crate) fn refusal_of_version(&self, projects: &Projects) -> Option<String> {
        let (path, required) = projects.refused_version()?;
        let (path, required) = (self.system.shown(path), one_line(required));
        Some(format!("{path}: this is cfg {}, and the settings require {required}; nothing was done", env!("CARGO_PKG_VERSION")))
    }

    /// The target that a text names: a known one, or an imported one.
    pub(crate) fn named_target(&self, text: &str) -> Result<Target, String> {
        match local_target(&*self.system, text, Path::new("."), NamedBy::User) {
            Some(local) => local.map_err(|(error, help)| format!("{error}; {help}")),
            None => Target::parse(History::built_in(), text).map_err(|error| error.to_string()),
        }
    }

    /// Standard output, for text that can't contain control characters from a repository: documents and reports. No line of it is a command of a CI
    /// system, and on a terminal no word of a text for people is broken.
    pub(crate) fn out(&self) -> Out<'_> {
        let width = if self.common.format == Format::Full { terminal::columns(self, &io::stdout()) } else { None };
        Out::of_lines(&self.said.has_document, width)
    }

    /// Standard output like [`out`](Self::out), for lines that must stay as they are however long: patches, scripts, and what is wrapped already.
    pub(crate) fn out_of_lines(&self) -> Out<'_> {
        Out::of_lines(&self.said.has_document, None)
    }

    /// Standard output for findings in a format, which may consist of commands for a CI system.
    pub(crate) fn out_of_findings(&self, format: cfg_report::Format) -> Out<'_> {
        if format == cfg_report::Format::Github { self.exact_out() } else { self.out_of_lines() }
    }

    fn exact_out(&self) -> Out<'_> {
        Out::exact(&self.said.has_document)
    }

    /// Prints the text of a file, which is reproduced exactly. A pipe gets the bytes unchanged; on a terminal, control characters are made visible; for
    /// `--format json` the text becomes part of the document.
    pub(crate) fn print(&self, text: &[u8]) -> io::Result<()> {
        self.print_to(Self::exact_out, text)
    }

    /// Prints a view of files, such as a diff or a list of files, like [`print`](Self::print); but no line of it is a command of a CI system.
    pub(crate) fn print_view(&self, text: &str) -> io::Result<()> {
        self.print_to(Self::out_of_lines, text.as_bytes())
    }

    fn print_to<'a>(&'a self, out: impl FnOnce(&'a Self) -> Out<'a>, text: &[u8]) -> io::Result<()> {
        if self.is_for_program() {
            lock(&self.said.output).push_str(&String::from_utf8_lossy(text));
            return Ok(());
        }
        if io::stdout().is_terminal() {
            return self.out_of_lines().write_all(cfg_diag::lines(&String::from_utf8_lossy(text)).as_bytes());
        }
        out(self).write_all(text)
    }

    /// What writes findings about these paths in a format. CI systems read paths from the folder that they state, or else from the root of the repository.
    pub(crate) fn reporter(&self, format: cfg_report::Format, paths: &[PathBuf]) -> Reporter {
        let reporter = Reporter::new(format, terminal::style(self));
        if !format.is_for_ci() {
            return reporter;
        }
        let here = self.host().folder();
        let stated = FOLDERS_OF_CI.iter().filter_map(|name| self.host().variable(name)).map(PathBuf::from);
        let stated = stated.filter_map(|folder| self.system.real(&folder).ok().filter(|real| here.starts_with(real)));
        let repository = || Some(self.system.root_of(here)).filter(|root| self.system.is_repository(root));
        let Some(root) = stated.into_iter().next().or_else(repository) else { return reporter };
        let root = Root::new(here.to_owned(), root);
        let id = root.automation_id(paths);
        reporter.from_root(Some(root), &id)
    }

    /// Reports findings in a file on standard error, because standard output is for the command's result.
    pub(crate) fn report(&self, report: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
        if self.is_for_program() {
            lock(&self.said.files).push(outcome::file(report, sources));
        }
        let _shown = progress::make_way(true);
        let mut stream = Reporter::new(cfg_report::Format::Full, terminal::style(self)).stream(Guarded::new(io::stderr().lock()));
        stream.file(report, sources)?;
        let closing = stream.summary().sentence();
        stream.finish(&closing).map(drop)
    }

    /// Reports findings in a checked config on standard error. For one that is rejected although no error is the reason, the reason
    /// comes last.
    pub(crate) fn report_checked(
        &self,
        name: &str,
        checked: &Checked,
        verdict: Verdict,
        sources: &Sources<'_>,
    ) -> io::Result<()> {
        let options = self.options();
        // Only `cfg check` tries fixes, and what has not been tried is not shown.
        let mut diagnostics = checked.diagnostics.clone();
        for found in &mut diagnostics {
            found.fix = None;
            found.other_fixes.clear();
        }
        let report = FileReport {
            path: name,
            kind: checked.kind.map(Kind::name),
            target: Some(&checked.target.name),
            verdict,
            checks: None,
            diagnostics: &diagnostics,
            repeated: Some(RepeatedOptions { options: &options, gpu: None }),
            is_common: false,
            is_of_script: checked.of_script.is_some(),
            identity: None,
            fixed: None,
        };
        self.report(&report, sources)?;
        if verdict == Verdict::Rejected
            && let Some(why) = unresolved(name, &diagnostics)
        {
            self.complain(&why);
        }
        Ok(())
    }

    /// For which prime-rl a config was judged, and why; `None` for a file that no prime-rl reads.
    pub(crate) fn identity(&self, checked: &Checked) -> Option<Identity> {
        let why = || checked.certainty.why(self.host().folder());
        let is_known = checked.is_of_prime_rl();
        is_known.then(|| Identity {
            kind: checked.kind_name().map(str::to_owned),
            target: checked.target_name().map(str::to_owned),
            certainty: checked.certainty.name(),
            why: why(),
            bases: checked.bases.clone(),
            started: checked.started.clone(),
        })
    }

    /// The document of a command about a config, with the config's identity.
    pub(crate) fn identified<'a, T>(&self, checked: &Checked, report: &'a T) -> Identified<'a, T> {
        Identified { identity: self.identity(checked), report }
    }

    /// Prints as the first lines of a command's text its verdict, if it has one, and what a config is, for which prime-rl, and how certain that is.
    pub(crate) fn introduce(&self, name: &str, verdict: Option<&str>, checked: &Checked) -> io::Result<()> {
        if !self.is_introduced() {
            return Ok(());
        }
        let identity = checked.identity(self.host().folder());
        let verdict = verdict.map_or_else(String::new, |verdict| format!("{verdict}\n"));
        writeln!(self.out(), "{verdict}{}: {identity}", one_line(name))
    }

    /// Prints the blank line after the introduction of a config.
    pub(crate) fn end_introduction(&self) -> io::Result<()> {
        if self.is_introduced() { writeln!(self.out()) } else { Ok(()) }
    }

    fn is_introduced(&self) -> bool {
        !self.is_for_program() && self.common.format != Format::Svg && !self.common.quiet
    }

    /// Prints a message about what was done to standard error.
    pub(crate) fn say(&self, message: &str) {
        if !self.common.quiet {
            terminal::write(self, "", message);
        }
        push(&self.said.done, message);
    }

    /// Prints a note to standard error.
    pub(crate) fn note(&self, message: &str) {
        if !self.common.quiet {
            terminal::write(self, "note: ", message);
        }
        push(&self.said.notes, message);
    }

    /// Prints an error message to standard error: why the command could not do its work.
    pub(crate) fn complain(&self, message: &str) {
        terminal::write(self, "cfg: ", message);
        push(&self.said.errors, message);
    }

    /// Whether the output is JSON for a program.
    pub(crate) const fn is_for_program(&self) -> bool {
        matches!(self.common.format, Format::Json | Format::JsonLines)
    }

    /// Ends a command. With `--format json`, a document is printed in any case.
    pub(crate) fn end(&self, outcome: Outcome) -> io::Result<()> {
        if !self.is_for_program() || self.said.has_document.load(Ordering::Relaxed) {
            return Ok(());
        }
        let output = Some(std::mem::take(&mut *lock(&self.said.output))).filter(|output| !output.is_empty());
        let said = |messages: &Mutex<Vec<String>>| std::mem::take(&mut *lock(messages));
        let report = OutcomeReport {
            output,
            done: said(&self.said.done),
            notes: said(&self.said.notes),
            files: std::mem::take(&mut *lock(&self.said.files)),
            ..outcome_of(outcome, said(&self.said.errors))
        };
        write_outcome(&mut self.out(), &report)
    }
}

/// Whether a finding in the settings makes the target unknown: the stated target can't be used, or the settings can't be read.
pub(crate) fn hides_the_target(diagnostic: &Diagnostic) -> bool {
    let is_of_target = diagnostic.key.as_deref().is_some_and(|key| matches!(key, "target" | "tool.cfg.target"));
    let is_unread = diagnostic.code == &codes::UNREADABLE_FILE || diagnostic.code == &codes::MERGE_CONFLICT;
    is_unread || (diagnostic.code == &codes::INVALID_SETTINGS && is_of_target)
}

/// The JSON document of a command that has no other output: whether it succeeded, and its errors.
pub(crate) fn outcome_of(outcome: Outcome, errors: Vec<String>) -> OutcomeReport {
    let outcome = match outcome {
        Outcome::Clean => Ending::Done,
        Outcome::Found => Ending::Refused,
        Outcome::Failed => Ending::Failed,
    };
    let schema_version = cfg_report::json::SCHEMA_VERSION;
    OutcomeReport { schema_version, outcome, output: None, done: Vec::new(), notes: Vec::new(), errors, files: Vec::new() }
}

/// Writes the document as one line.
pub(crate) fn write_outcome(out: &mut impl Write, report: &OutcomeReport) -> io::Result<()> {
    cfg_report::json::write_line(out, report)?;
    writeln!(out)
}

fn push(messages: &Mutex<Vec<String>>, message: &str) {
    lock(messages).push(message.to_owned());
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
