//! `cfg migrate`: a config of one prime-rl rewritten for another.

mod json;
mod report;

use std::{
    fs,
    io::{self, Read as _, Write as _},
    path::Path,
};

use cfg_check::Session;
use cfg_diag::FileId;
use cfg_migrate::{Failure, Request, migrate};
use cfg_project::Projects;
use cfg_report::{FileReport, Reporter, Sources, one_line};
use cfg_schema::Target;

use super::check::edit::diff;
use crate::{
    Outcome,
    args::{Common, Format, Migrate},
    terminal, write,
};

pub(crate) fn run(common: &Common, arguments: &Migrate) -> io::Result<Outcome> {
    if !matches!(common.format, Format::Full | Format::Concise | Format::Json) {
        terminal::complain("`cfg migrate` writes no findings; it takes the formats full and json");
        return Ok(Outcome::Failed);
    }
    if common.target.is_some() {
        terminal::complain("a migration has two targets: say `--to`, and `--from` where the file does not tell");
        return Ok(Outcome::Failed);
    }
    let session = Session::default();
    let parse = |text: &str| Target::parse(session.history, text).map_err(|error| terminal::complain(&error.to_string()));
    let Ok(to) = parse(&arguments.to) else { return Ok(Outcome::Failed) };
    let Ok(from) = arguments.from.as_deref().map(parse).transpose() else { return Ok(Outcome::Failed) };
    let is_stdin = arguments.path == Path::new("-");
    let path = if is_stdin { arguments.stdin_filename.as_deref().unwrap_or(Path::new("<stdin>")) } else { &arguments.path };
    let name = path.to_string_lossy();
    let bytes = match read(&arguments.path, is_stdin) {
        Ok(bytes) => bytes,
        Err(error) => {
            terminal::complain(&format!("{name} can't be read: {error}"));
            return Ok(Outcome::Failed);
        }
    };
    let Ok(whole) = std::str::from_utf8(&bytes) else {
        terminal::complain(&format!("{name} is no UTF-8; `cfg check` tells where"));
        return Ok(Outcome::Failed);
    };
    // A byte order mark is no part of the text, and stays in front of it.
    let text = whole.strip_prefix('\u{feff}').unwrap_or(whole);
    let mark = &whole[..whole.len() - text.len()];
    let projects = Projects::new(common.config.clone());
    let surroundings = || projects.target(path)?.as_ref().as_ref().ok().map(|detected| detected.target.clone());
    let request = Request {
        path: &name,
        text,
        kind: common.kind,
        from,
        to,
        surroundings: &surroundings,
        makes_all: arguments.unsafe_fixes,
    };
    let migration = match migrate(&session, &request) {
        Ok(migration) => migration,
        Err(failure) => return failed(common, &name, text, &failure),
    };
    let mut outcome = if migration.is_complete() { Outcome::Clean } else { Outcome::Found };
    let is_changed = migration.text != text;
    if arguments.diff {
        if is_changed {
            io::stdout().lock().write_all(diff(&name, whole, &format!("{mark}{}", migration.text)).as_bytes())?;
            outcome = Outcome::Found;
        }
        terminal::say(&report::sentence(&migration, report::Mode::Shown));
        return Ok(outcome);
    }
    if is_stdin && arguments.write {
        io::stdout().lock().write_all(format!("{mark}{}", migration.text).as_bytes())?;
        terminal::say(&report::sentence(&migration, report::Mode::Written));
        return Ok(outcome);
    }
    if arguments.write
        && is_changed
        && let Err(error) = write::replace(path, &bytes, format!("{mark}{}", migration.text).as_bytes())
    {
        terminal::complain(&format!("{name} is left as it is: {error}"));
        return Ok(Outcome::Failed);
    }
    if common.format == Format::Json {
        json::write(&name, text, &migration)?;
    } else {
        let mode = if arguments.write { report::Mode::Written } else { report::Mode::Planned };
        report::write(common, &session, &name, text, &migration, mode)?;
    }
    Ok(outcome)
}

fn read(path: &Path, is_stdin: bool) -> io::Result<Vec<u8>> {
    if !is_stdin {
        return fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Says why there is nothing to migrate.
fn failed(common: &Common, name: &str, text: &str, failure: &Failure) -> io::Result<Outcome> {
    let checked = match failure {
        Failure::Backwards(from) => {
            terminal::complain(&format!(
                "{} is written for prime-rl {from}, which is newer; a config is only taken forward",
                one_line(name)
            ));
            return Ok(Outcome::Failed);
        }
        Failure::NoConfig(checked) | Failure::NotToml(checked) => checked,
    };
    let mut stream = Reporter::new(cfg_report::Format::Full, terminal::style(common.color)).stream(io::stderr().lock());
    let report = FileReport {
        path: name,
        kind: checked.kind.map(cfg_schema::Kind::name),
        target: Some(&checked.target.name),
        verdict: cfg_report::Verdict::Rejected,
        diagnostics: &checked.diagnostics,
    };
    stream.file(&report, &Sources::single(name, text))?;
    let closing = stream.summary().sentence();
    drop(stream.finish(&closing)?);
    Ok(Outcome::Failed)
}

/// The line and column, counted from one, of a place in a text.
fn position(text: &str, location: Option<cfg_diag::Location>) -> Option<(u32, u32)> {
    let location = location.filter(|location| location.file == FileId(0))?;
    let index = cfg_diag::LineIndex::new(text);
    let at = index.line_column(text, location.span.start, cfg_diag::PositionEncoding::Utf32);
    Some((at.line + 1, at.column + 1))
}
