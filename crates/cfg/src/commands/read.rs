//! One config, read and checked for a command that goes on with what prime-rl makes of it.

use std::{
    fs,
    io::{self},
    path::Path,
};

use cfg_check::{Checked, Request, Session, Verdict};
use cfg_diag::FileId;
use cfg_project::Projects;
use cfg_report::{FileReport, Format, Reporter, Sources};

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
    let surroundings = || projects.target(path)?.as_ref().as_ref().ok().map(|detected| detected.target.clone());
    let request = Request {
        file: FileId(0),
        path: &name,
        named: true,
        text: &text,
        encoding,
        kind: common.kind,
        target,
        surroundings: &surroundings,
        project: None,
    };
    let checked = cfg_check::check(session, request);
    if checked.resolved.is_some() && checked.verdict != Verdict::Rejected {
        return Ok(Ok((checked, text)));
    }
    // What is wrong goes where errors go: the output is for what was asked.
    let mut stream = Reporter::new(Format::Full, terminal::style(common.color)).stream(io::stderr().lock());
    let report = FileReport {
        path: &name,
        kind: checked.kind.map(cfg_schema::Kind::name),
        target: Some(&checked.target.name),
        verdict: cfg_report::Verdict::Rejected,
        diagnostics: &checked.diagnostics,
    };
    stream.file(&report, &Sources::single(&name, &text))?;
    let closing = stream.summary().sentence();
    drop(stream.finish(&closing)?);
    Ok(Err(Outcome::Found))
}
