//! `cfg check`: reads files, checks each alone, and reports them in the order of their paths.

use std::{
    fs,
    io::{self, BufWriter, Read as _},
    path::{Path, PathBuf},
};

use cfg_check::{Checked, Request, Session, Verdict};
use cfg_diag::{Diagnostic, FileId, Severity, codes};
use cfg_report::{FileReport, Rendered, Reporter, Sources};
use cfg_schema::Target;
use rayon::prelude::*;

use crate::{
    Outcome,
    args::{Check, Common, Deny, Format},
    terminal,
};

/// So many files are read, checked and rendered at once, and then written: memory does not grow with their number.
const CHUNK: usize = 512;
/// Below this number of files, starting threads costs more than they save.
const FEW: usize = 4;

pub(crate) fn run(common: &Common, check: &Check) -> io::Result<Outcome> {
    let session = Session::default();
    let target = match common.target.as_deref().map(|text| Target::parse(session.history, text)).transpose() {
        Ok(target) => target,
        Err(error) => {
            terminal::complain(&error.to_string());
            return Ok(Outcome::Failed);
        }
    };
    let job =
        Job { session, target, common, check, reporter: Reporter::new(format(common.format), terminal::style(common.color)) };
    let inputs: Vec<Input> = check.paths.iter().map(|path| Input { path: path.clone(), is_explicit: true }).collect();
    let mut stream = job.reporter.stream(BufWriter::new(io::stdout().lock()));
    let mut outcome = Outcome::Clean;
    for chunk in inputs.chunks(CHUNK) {
        let done: Vec<Done> = if chunk.len() <= FEW {
            chunk.iter().map(|input| job.file(input)).collect::<io::Result<_>>()?
        } else {
            chunk.par_iter().map(|input| job.file(input)).collect::<io::Result<_>>()?
        };
        for file in &done {
            if let Some(rendered) = &file.rendered {
                stream.rendered(rendered)?;
            }
            outcome = worse(outcome, file.outcome);
        }
    }
    let closing = stream.summary().sentence();
    stream.finish(&closing)?;
    Ok(outcome)
}

struct Job<'a> {
    session: Session,
    target: Option<Target>,
    common: &'a Common,
    check: &'a Check,
    reporter: Reporter,
}

struct Input {
    path: PathBuf,
    is_explicit: bool,
}

/// A file that has been looked at.
struct Done {
    /// Nothing for a file of a folder that is no config.
    rendered: Option<Rendered>,
    outcome: Outcome,
}

impl Job<'_> {
    fn file(&self, input: &Input) -> io::Result<Done> {
        let is_stdin = input.path == Path::new("-");
        let named = if is_stdin { self.check.stdin_filename.as_deref().unwrap_or(Path::new("<stdin>")) } else { &input.path };
        let name = named.to_string_lossy();
        let bytes = if is_stdin {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
        } else {
            fs::read(&input.path)
        };
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(error) => return self.unreadable(&name, &error),
        };
        let (text, encoding) = cfg_syntax::decode(FileId(0), bytes);
        let request = Request {
            file: FileId(0),
            path: &name,
            text: &text,
            encoding,
            kind: self.common.kind,
            target: self.target.clone(),
            surroundings: &|| None,
        };
        let checked = cfg_check::check(&self.session, request);
        if !checked.is_config && !input.is_explicit {
            return Ok(Done { rendered: None, outcome: Outcome::Clean });
        }
        let outcome = self.judge(&checked.diagnostics);
        let rendered = self.render(&name, &text, &checked)?;
        Ok(Done { rendered: Some(rendered), outcome })
    }

    fn judge(&self, diagnostics: &[Diagnostic]) -> Outcome {
        let limit = if self.check.deny == Some(Deny::Warnings) { Severity::Warning } else { Severity::Error };
        if diagnostics.iter().any(|diagnostic| diagnostic.severity >= limit) { Outcome::Found } else { Outcome::Clean }
    }

    fn render(&self, name: &str, text: &str, checked: &Checked) -> io::Result<Rendered> {
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
        self.reporter.render(&report, &Sources::single(name, text))
    }

    fn unreadable(&self, name: &str, error: &io::Error) -> io::Result<Done> {
        let why = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
            io::ErrorKind::PermissionDenied => "reading it is not allowed".to_owned(),
            _ => error.to_string(),
        };
        let diagnostics = [Diagnostic::new(&codes::UNREADABLE_FILE, format!("{name} can't be read: {why}"))];
        let report = FileReport {
            path: name,
            kind: None,
            target: None,
            verdict: cfg_report::Verdict::Rejected,
            diagnostics: &diagnostics,
        };
        let rendered = self.reporter.render(&report, &Sources::new())?;
        Ok(Done { rendered: Some(rendered), outcome: Outcome::Failed })
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
