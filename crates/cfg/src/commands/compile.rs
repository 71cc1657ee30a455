//! `cfg compile`: what prime-rl makes of a config.

use std::{
    fs,
    io::{self, Write as _},
};

use cfg_check::{Request, Session, Verdict};
use cfg_diag::FileId;
use cfg_project::Projects;
use cfg_report::{FileReport, Format, Reporter, Sources};

use crate::{
    Outcome,
    args::{Common, Compile},
    terminal,
};

pub(crate) fn run(common: &Common, compile: &Compile) -> io::Result<Outcome> {
    let session = Session::default();
    let Ok(target) = super::stated_target(common) else { return Ok(Outcome::Failed) };
    let name = compile.path.to_string_lossy();
    let bytes = match fs::read(&compile.path) {
        Ok(bytes) => bytes,
        Err(error) => {
            terminal::complain(&format!("{name}: {error}"));
            return Ok(Outcome::Failed);
        }
    };
    let (text, encoding) = cfg_syntax::decode(FileId(0), bytes);
    let projects = Projects::new(common.config.clone());
    let surroundings = || projects.target(&compile.path)?.as_ref().as_ref().ok().map(|detected| detected.target.clone());
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
    let checked = cfg_check::check(&session, request);
    let (Some(resolved), Verdict::Ok) = (&checked.resolved, checked.verdict) else {
        // What is wrong goes where errors go: the output is for a program.
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
        return Ok(Outcome::Found);
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, &cfg_resolve::dump(resolved, checked.target.point))?;
    writeln!(out)?;
    out.flush()?;
    Ok(Outcome::Clean)
}
