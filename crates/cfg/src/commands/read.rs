//! One config, read and checked for a command that goes on with what prime-rl makes of it.

use std::{
    fs,
    io::{self},
    path::Path,
};

use cfg_check::{Checked, Request, Session, Verdict};
use cfg_diag::{Diagnostic, FileId};
use cfg_project::Projects;
use cfg_report::{FileReport, Format, Reporter, Sources};
use cfg_schema::{Kind, Target};

use crate::{Outcome, args::Common, terminal};

/// Reads and checks one file; with its text. A file that prime-rl refuses ends the command, and what is wrong with it is told.
pub(crate) fn read(
    common: &Common,
    session: &Session,
    projects: &Projects,
    path: &Path,
) -> io::Result<Result<(Checked, String), Outcome>> {
    let Ok(target) = super::stated_target(common) else { return Ok(Err(Outcome::Failed)) };
    let name = path.to_string_lossy();
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            terminal::complain(&format!("{name}: {error}"));
            return Ok(Err(Outcome::Failed));
        }
    };
    let (text, encoding) = cfg_syntax::decode(FileId(0), bytes);
    let checked = check_text(session, projects, path, &text, encoding, (common.kind, target));
    if checked.resolved.is_some() && checked.verdict != Verdict::Rejected {
        return Ok(Ok((checked, text)));
    }
    // What is wrong goes where errors go: the output is for what was asked.
    let mut stream = Reporter::new(Format::Full, terminal::style(common.color)).stream(io::stderr().lock());
    let report = FileReport {
        path: &name,
        kind: checked.kind.map(Kind::name),
        target: Some(&checked.target.name),
        verdict: cfg_report::Verdict::Rejected,
        diagnostics: &checked.diagnostics,
    };
    stream.file(&report, &Sources::single(&name, &text))?;
    let closing = stream.summary().sentence();
    drop(stream.finish(&closing)?);
    Ok(Err(Outcome::Found))
}

/// Checks a text in place of what a file holds, without what the project around it says beside its prime-rl.
pub(crate) fn check_text(
    session: &Session,
    projects: &Projects,
    path: &Path,
    text: &str,
    encoding: Vec<Diagnostic>,
    (kind, target): (Option<Kind>, Option<Target>),
) -> Checked {
    let surroundings = || projects.target(path)?.as_ref().as_ref().ok().map(|detected| detected.target.clone());
    let request = Request {
        file: FileId(0),
        path: &path.to_string_lossy(),
        named: true,
        text,
        encoding,
        kind,
        target,
        surroundings: &surroundings,
        project: None,
    };
    cfg_check::check(session, request)
}
