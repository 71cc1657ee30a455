//! `cfg compile`: what prime-rl makes of a config.

mod split;
mod toml;

use std::{
    fs,
    io::{self, Write as _},
};

use cfg_check::{Checked, Request, Session, Verdict};
use cfg_diag::{FileId, Location, Severity};
use cfg_emit::Texts;
use cfg_project::Projects;
use cfg_report::{FileReport, Format, Reporter, Sources};
use cfg_resolve::ResolvedTable;
use cfg_schema::{Kind, Point};

use crate::{
    Outcome,
    args::{self, Common, Compile},
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
    };
    let checked = cfg_check::check(&session, request);
    let is_accepted = checked.verdict == Verdict::Ok;
    if !is_accepted || checked.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        // What is wrong goes where errors go: the output is for a program. What only a process that rl starts will refuse does not keep
        // the config from being resolved.
        let mut stream = Reporter::new(Format::Full, terminal::style(common.color)).stream(io::stderr().lock());
        let report = FileReport {
            path: &name,
            kind: checked.kind.map(Kind::name),
            target: Some(&checked.target.name),
            verdict: if is_accepted { cfg_report::Verdict::Ok } else { cfg_report::Verdict::Rejected },
            diagnostics: &checked.diagnostics,
        };
        stream.file(&report, &Sources::single(&name, &text))?;
        let closing = stream.summary().sentence();
        drop(stream.finish(&closing)?);
    }
    let Some(resolved) = checked.resolved.as_ref().filter(|_| is_accepted) else { return Ok(Outcome::Found) };
    let texts = |location: Location| text.get(location.span.range()).filter(|_| location.file == FileId(0));
    let config = Config { session: &session, name: &name, checked: &checked, resolved, texts: &texts };
    let output = &compile.output;
    if let Some(folder) = &output.folder {
        return split::run(&config, folder, output.overwrite);
    }
    if common.format == args::Format::Toml {
        return toml::run(&config);
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, &cfg_resolve::dump(resolved, checked.target.point))?;
    writeln!(out)?;
    out.flush()?;
    Ok(Outcome::Clean)
}

/// A config that was read and that prime-rl accepts.
struct Config<'a> {
    session: &'a Session,
    /// How messages call it.
    name: &'a str,
    checked: &'a Checked,
    resolved: &'a ResolvedTable,
    /// The texts that locations point into.
    texts: Texts<'a>,
}

impl Config<'_> {
    fn point(&self) -> Point {
        self.checked.target.point
    }

    fn kind(&self) -> Kind {
        self.checked.kind.unwrap_or(Kind::Rl)
    }
}
