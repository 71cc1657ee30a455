//! `cfg compile`: what prime-rl makes of a config.

use std::{
    io::{self, Write as _},
    path::Path,
};

use cfg_check::{COMMAND_LINE, CheckedCommand, Command, Session, Verdict};
use cfg_project::Projects;
use cfg_report::{FileReport, Format, Reporter};

use crate::{
    Outcome,
    args::{Common, Compile},
    inputs::{Inputs, sources},
    terminal,
};

pub(crate) fn run(common: &Common, compile: &Compile) -> io::Result<Outcome> {
    let session = Session::default();
    let Ok(target) = super::stated_target(common) else { return Ok(Outcome::Failed) };
    let projects = Projects::new(common.config.clone());
    let surroundings = |path: &Path| projects.target(path)?.as_ref().as_ref().ok().map(|detected| detected.target.clone());
    let inputs = Inputs { session: &session, kind: common.kind, target, surroundings: &surroundings, env: compile.env };
    let files: Vec<String> = compile.paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let command = if files.is_empty() { Command::Words(&compile.command) } else { Command::Files(&files) };
    let name = if let [file] = files.as_slice() { file } else { COMMAND_LINE };
    let CheckedCommand { checked, texts, .. } = inputs.check(command);
    let (Some(resolved), Verdict::Ok) = (&checked.resolved, checked.verdict) else {
        // What is wrong goes where errors go: the output is for a program.
        let mut stream = Reporter::new(Format::Full, terminal::style(common.color)).stream(io::stderr().lock());
        let report = FileReport {
            path: name,
            kind: checked.kind.map(cfg_schema::Kind::name),
            target: Some(&checked.target.name),
            verdict: cfg_report::Verdict::Rejected,
            diagnostics: &checked.diagnostics,
        };
        stream.file(&report, &sources(&texts))?;
        let closing = stream.summary().sentence();
        drop(stream.finish(&closing)?);
        return Ok(Outcome::Found);
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, &cfg_resolve::dump(resolved, checked.target.point))?;
    writeln!(out)?;
    out.flush()?;
    Ok(Outcome::Clean)
}
