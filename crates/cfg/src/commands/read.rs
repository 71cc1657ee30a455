//! One config, read and checked for a command that goes on with what prime-rl makes of it.

use std::{
    fs,
    io::{self},
    path::Path,
};

use cfg_check::{Checked, Command, Request, Session, Verdict};
use cfg_diag::{Diagnostic, FileId};
use cfg_project::Projects;
use cfg_report::{FileReport, Format, Reporter, Sources};
use cfg_schema::{Kind, Target};

use crate::{
    Outcome,
    args::Common,
    inputs::{Inputs, sources},
    terminal,
};

/// Reads and checks one file, with the files that it names itself; with its text. A file that prime-rl refuses ends the command, and what is wrong with it is told.
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
    let mut checked = check_text(session, projects, path, &text, encoding, (common.kind, target.clone()));
    let mut texts = None;
    if checked.has_includes {
        // What it says alone is not what prime-rl sees.
        let surroundings = |path: &Path| projects.target(path)?.as_ref().as_ref().ok().map(|detected| detected.target.clone());
        let inputs = Inputs { session, kind: common.kind, target, surroundings: &surroundings, project: None, env: false };
        let composed = inputs.check(Command::Files(&[name.to_string()]));
        checked = Checked { has_includes: true, ..composed.checked };
        texts = Some(composed.texts);
    }
    if checked.resolved.is_some() && checked.verdict != Verdict::Rejected {
        return Ok(Ok((checked, text)));
    }
    refused(common, &name, &checked, &texts.as_ref().map_or_else(|| Sources::single(&name, &text), sources))?;
    Ok(Err(Outcome::Found))
}

/// Tells what is wrong with a config. That goes where errors go: the output is for what was asked.
pub(super) fn refused(common: &Common, name: &str, checked: &Checked, sources: &Sources<'_>) -> io::Result<()> {
    let mut stream = Reporter::new(Format::Full, terminal::style(common.color)).stream(io::stderr().lock());
    let report = FileReport {
        path: name,
        kind: checked.kind.map(Kind::name),
        target: Some(&checked.target.name),
        verdict: cfg_report::Verdict::Rejected,
        diagnostics: &checked.diagnostics,
    };
    stream.file(&report, sources)?;
    let closing = stream.summary().sentence();
    drop(stream.finish(&closing)?);
    Ok(())
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
