//! `cfg check`: reads files, checks each alone, and reports them in the order of their paths.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, BufWriter, Read as _, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use cfg_check::{COMMAND_LINE, Checked, CheckedCommand, Command, Request, Session, Verdict};
use cfg_diag::{Diagnostic, FileId, Severity, codes};
use cfg_project::{DiscoverOptions, Projects, discover};
use cfg_report::{FileReport, Rendered, Reporter, Sources, Stream};
use cfg_schema::Target;
use rayon::prelude::*;

use crate::{
    Outcome,
    args::{Check, Common, Deny, Format},
    inputs::{Inputs, sources},
    terminal,
};

/// So many files are read, checked and rendered at once, and then written: memory does not grow with their number.
const CHUNK: usize = 4096;
/// Below this number of files, starting threads costs more than they save.
const FEW: usize = 8;

pub(crate) fn run(common: &Common, check: &Check) -> io::Result<Outcome> {
    let session = Session::default();
    let Ok(target) = super::stated_target(common) else { return Ok(Outcome::Failed) };
    if let Some(settings) = &common.config
        && let Err(error) = fs::File::open(settings)
    {
        terminal::complain(&format!("{} can't be read: {}", settings.display(), why(&error)));
        return Ok(Outcome::Failed);
    }
    let job = Job {
        session,
        projects: Projects::new(common.config.clone()),
        problems: Mutex::default(),
        target,
        common,
        check,
        reporter: Reporter::new(format(common.format), terminal::style(common.color)),
    };
    let inputs = inputs(check);
    let mut stream = job.reporter.stream(BufWriter::new(io::stdout().lock()));
    let mut outcome = Outcome::Clean;
    let mut targets = BTreeSet::new();
    for chunk in inputs.chunks(CHUNK) {
        let done: Vec<Done> = if chunk.len() <= FEW {
            chunk.iter().map(|input| job.input(input)).collect::<io::Result<_>>()?
        } else {
            chunk.par_iter().map(|input| job.input(input)).collect::<io::Result<_>>()?
        };
        for file in &done {
            if let Some(rendered) = &file.rendered {
                stream.rendered(rendered)?;
            }
            outcome = worse(outcome, file.outcome);
        }
        targets.extend(done.into_iter().filter_map(|file| file.target));
    }
    outcome = worse(outcome, job.surroundings(&mut stream)?);
    let closing = Job::closing(&stream, inputs.len(), &targets);
    stream.finish(&closing)?;
    Ok(outcome)
}

/// Something to check.
enum Input {
    Stdin,
    Command,
    File { path: PathBuf, is_explicit: bool },
    Unreadable { path: PathBuf, error: io::Error },
}

/// What the command line names, folders opened up.
fn inputs(check: &Check) -> Vec<Input> {
    if !check.command.is_empty() {
        return vec![Input::Command];
    }
    let (stdin, paths): (Vec<PathBuf>, Vec<PathBuf>) = check.paths.iter().cloned().partition(|path| path == Path::new("-"));
    let found = discover(&paths, DiscoverOptions::default()).into_iter().map(|found| match found {
        Ok(found) => Input::File { path: found.path, is_explicit: found.explicit },
        Err(error) => Input::Unreadable { path: error.path, error: error.error },
    });
    stdin.first().map(|_| Input::Stdin).into_iter().chain(found).collect()
}

struct Job<'a> {
    session: Session,
    projects: Projects,
    /// What projects use but can't be checked against, by the file that says so.
    problems: Mutex<BTreeMap<PathBuf, Diagnostic>>,
    target: Option<Target>,
    common: &'a Common,
    check: &'a Check,
    reporter: Reporter,
}

/// A file that has been looked at.
struct Done {
    /// Nothing for a file of a folder that is no config.
    rendered: Option<Rendered>,
    outcome: Outcome,
    /// The prime-rl that it was checked for, if it is a config.
    target: Option<String>,
}

impl Job<'_> {
    fn input(&self, input: &Input) -> io::Result<Done> {
        match input {
            Input::Stdin => {
                let named = self.check.stdin_filename.as_deref().unwrap_or(Path::new("<stdin>"));
                let mut bytes = Vec::new();
                match io::stdin().lock().read_to_end(&mut bytes) {
                    Ok(_) => self.bytes(named, bytes, true),
                    Err(error) => self.unreadable(named, &error),
                }
            }
            Input::Command => self.command(COMMAND_LINE, Command::Words(&self.check.command)),
            Input::File { path, is_explicit } => match fs::read(path) {
                Ok(bytes) => self.bytes(path, bytes, *is_explicit),
                Err(error) => self.unreadable(path, &error),
            },
            Input::Unreadable { path, error } => self.unreadable(path, error),
        }
    }

    fn bytes(&self, path: &Path, bytes: Vec<u8>, is_explicit: bool) -> io::Result<Done> {
        let name = path.to_string_lossy();
        let (text, encoding) = cfg_syntax::decode(FileId(0), bytes);
        let request = Request {
            file: FileId(0),
            path: &name,
            named: is_explicit,
            text: &text,
            encoding,
            kind: self.common.kind,
            target: self.target.clone(),
            surroundings: &|| self.target_of_project(path),
        };
        let mut checked = cfg_check::check(&self.session, request);
        if checked.has_includes {
            return self.command(&name, Command::Files(&[name.to_string()]));
        }
        self.apply_settings(path, &mut checked);
        if !checked.is_config && !is_explicit {
            return Ok(Done { rendered: None, outcome: Outcome::Clean, target: None });
        }
        let outcome = self.judge(&checked.diagnostics);
        let rendered = self.render(&name, &Sources::single(&name, &text), &checked)?;
        Ok(Done { rendered: Some(rendered), outcome, target: target_of(&checked) })
    }

    /// Checks what several files, or the words of a launch command, are together.
    fn command(&self, name: &str, command: Command<'_>) -> io::Result<Done> {
        let inputs = Inputs {
            session: &self.session,
            kind: self.common.kind,
            target: self.target.clone(),
            surroundings: &|path| self.target_of_project(path),
            env: self.check.env,
        };
        let CheckedCommand { mut checked, texts, files } = inputs.check(command);
        let first = files.first().and_then(|file| texts.get(*file)).map_or(name, |text| text.path.as_str());
        self.apply_settings(Path::new(first), &mut checked);
        let unreadable = checked.diagnostics.iter().any(|diagnostic| diagnostic.code == &codes::UNREADABLE_FILE);
        let outcome = if unreadable { Outcome::Failed } else { self.judge(&checked.diagnostics) };
        let rendered = self.render(name, &sources(&texts), &checked)?;
        Ok(Done { rendered: Some(rendered), outcome, target: target_of(&checked) })
    }

    /// Drops what the project's settings do not want to hear, and gives the rest the severities that they state. The verdict stays
    /// prime-rl's.
    fn apply_settings(&self, path: &Path, checked: &mut Checked) {
        let project = self.projects.settings(path);
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        checked.diagnostics.retain_mut(|diagnostic| {
            let severity = project.settings.lint.severity(diagnostic.code, diagnostic.severity, &absolute);
            diagnostic.severity = severity.unwrap_or(diagnostic.severity);
            severity.is_some()
        });
    }

    /// The target that the project around a file uses. What can't be used is kept, to be said once.
    fn target_of_project(&self, path: &Path) -> Option<Target> {
        match self.projects.target(path)?.as_ref() {
            Ok(detected) => Some(detected.target.clone()),
            Err(problem) => {
                let here = std::env::current_dir().unwrap_or_default();
                let diagnostic = Diagnostic::new(&codes::UNKNOWN_TARGET, problem.message(&here)).help(problem.help());
                let source = problem.source.path().unwrap_or(path).to_owned();
                self.problems.lock().unwrap_or_else(PoisonError::into_inner).insert(source, diagnostic);
                None
            }
        }
    }

    /// What is wrong around the files: their settings, and the prime-rl that their project uses.
    fn surroundings<W: Write>(&self, stream: &mut Stream<W>) -> io::Result<Outcome> {
        let here = std::env::current_dir().unwrap_or_default();
        let relative = |path: &Path| path.strip_prefix(&here).unwrap_or(path).to_string_lossy().into_owned();
        let mut outcome = Outcome::Clean;
        let mut report = |path: &Path, text: &str, diagnostics: &[Diagnostic]| {
            let path = relative(path);
            let verdict = cfg_report::Verdict::Ok;
            outcome = worse(outcome, self.judge(diagnostics));
            stream
                .file(&FileReport { path: &path, kind: None, target: None, verdict, diagnostics }, &Sources::single(&path, text))
        };
        for settings in self.projects.diagnostics() {
            report(&settings.path, &settings.text, &settings.diagnostics)?;
        }
        for (path, problem) in self.problems.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            report(path, "", std::slice::from_ref(problem))?;
        }
        Ok(outcome)
    }

    /// The last line for people.
    fn closing<W: Write>(stream: &Stream<W>, inputs: usize, targets: &BTreeSet<String>) -> String {
        let summary = stream.summary();
        if summary.files == 0 {
            return if inputs == 0 { "No TOML files found".to_owned() } else { "No prime-rl configs found".to_owned() };
        }
        let code = summary.first_code.map(|code| format!("\n`cfg explain {}` tells more", code.code)).unwrap_or_default();
        let prime_rl = match targets.iter().collect::<Vec<_>>()[..] {
            [] => String::new(),
            [one] => format!(", for prime-rl {one}"),
            ref several => format!(", for {} versions of prime-rl", several.len()),
        };
        summary.sentence() + &prime_rl + &code
    }

    fn judge(&self, diagnostics: &[Diagnostic]) -> Outcome {
        let limit = if self.check.deny == Some(Deny::Warnings) { Severity::Warning } else { Severity::Error };
        if diagnostics.iter().any(|diagnostic| diagnostic.severity >= limit) { Outcome::Found } else { Outcome::Clean }
    }

    fn render(&self, name: &str, sources: &Sources<'_>, checked: &Checked) -> io::Result<Rendered> {
        let verdict = match checked.verdict {
            Verdict::Ok => cfg_report::Verdict::Ok,
            Verdict::Rejected => cfg_report::Verdict::Rejected,
            Verdict::Depends => cfg_report::Verdict::Depends,
        };
        let report = FileReport {
            path: name,
            kind: checked.kind.map(cfg_schema::Kind::name),
            target: Some(&checked.target.name),
            verdict,
            diagnostics: &checked.diagnostics,
        };
        self.reporter.render(&report, sources)
    }

    fn unreadable(&self, path: &Path, error: &io::Error) -> io::Result<Done> {
        let why = why(error);
        let name = path.to_string_lossy();
        let diagnostics = [Diagnostic::new(&codes::UNREADABLE_FILE, format!("{name} can't be read: {why}"))];
        let verdict = cfg_report::Verdict::Rejected;
        let report = FileReport { path: &name, kind: None, target: None, verdict, diagnostics: &diagnostics };
        let rendered = self.reporter.render(&report, &Sources::new())?;
        Ok(Done { rendered: Some(rendered), outcome: Outcome::Failed, target: None })
    }
}

/// The prime-rl that a config was checked for, with whether anyone stated it.
fn target_of(checked: &Checked) -> Option<String> {
    let assumed = if checked.is_assumed { " (assumed)" } else { "" };
    checked.is_config.then(|| format!("{}{assumed}", checked.target))
}

/// Why a file can't be read, in words.
fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "reading it is not allowed".to_owned(),
        _ => error.to_string(),
    }
}

fn format(format: Format) -> cfg_report::Format {
    match format {
        Format::Full => cfg_report::Format::Full,
        Format::Concise => cfg_report::Format::Concise,
        Format::Json => cfg_report::Format::Json,
    }
}

fn worse(one: Outcome, other: Outcome) -> Outcome {
    match (one, other) {
        (Outcome::Failed, _) | (_, Outcome::Failed) => Outcome::Failed,
        (Outcome::Found, _) | (_, Outcome::Found) => Outcome::Found,
        _ => Outcome::Clean,
    }
}
