//! `cfg fmt`: regular blanks and blank lines in configs.

use std::path::{Path, PathBuf};

use cfg_check::{Family, guess_kind};
use cfg_diag::{FileId, one_line};
use cfg_schema::History;
use cfg_syntax::Dialect;
use cfg_system::Role;

use super::read::not_toml;
use crate::{CommandResult, Outcome, args::Fmt, context::Context, lines::unified};

/// The result for one file.
enum Formatted {
    /// It is formatted already.
    Unchanged,
    /// It is a file of a folder, and not a config.
    LeftOut,
    /// Its text before and after.
    Changed(String, String),
    /// It can't be formatted, which is reported.
    Failed,
}

pub(crate) fn run(cx: &Context, arguments: &Fmt) -> CommandResult {
    let is_stdin = |path: &PathBuf| path == Path::new("-");
    if arguments.paths.iter().any(is_stdin) {
        return from_stdin(cx, arguments);
    }
    let (mut changed, mut unchanged, mut left_out, mut failed) = (0, 0, 0, 0);
    for found in cx.projects().discover(&arguments.paths) {
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                cx.complain(&format!("{} can't be read: {}", one_line(&error.path.to_string_lossy()), error.error));
                failed += 1;
                continue;
            }
        };
        let name = found.path.to_string_lossy().into_owned();
        match file(cx, &found.path, found.explicit) {
            Formatted::Unchanged => unchanged += 1,
            Formatted::LeftOut => left_out += 1,
            Formatted::Failed => failed += 1,
            Formatted::Changed(old, new) => {
                if arguments.diff {
                    cx.print_view(&unified(&name, &old, &new))?;
                } else if arguments.check {
                    cx.print_view(&format!("{}\n", one_line(&name)))?;
                } else if let Err(error) = cx.writer.replace(&found.path, old.as_bytes(), new.as_bytes()) {
                    cx.complain(&format!("{} can't be written: {error}", one_line(&name)));
                    failed += 1;
                    continue;
                }
                changed += 1;
            }
        }
    }
    let files = |count: usize| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    let shows = arguments.check || arguments.diff;
    let verb = if shows { "to format" } else { "formatted" };
    let others = match left_out {
        0 => String::new(),
        1 => ", 1 left as it is: it shows no keys of prime-rl (name it to format it)".to_owned(),
        many => format!(", {many} left as they are: they show no keys of prime-rl (name one to format it)"),
    };
    cx.say(&format!("{} {verb}, {unchanged} already formatted{others}", files(changed)));
    Ok(match (failed, changed) {
        (1.., _) => Outcome::Failed,
        (_, 1..) if shows => Outcome::Found,
        _ => Outcome::Clean,
    })
}

/// Formats standard input to standard output.
fn from_stdin(cx: &Context, arguments: &Fmt) -> CommandResult {
    if arguments.paths.len() > 1 {
        cx.complain("standard input can't be combined with files");
        return Ok(Outcome::Failed);
    }
    let bytes = cx.host().input(Role::Config.limit())?;
    let (old, formatted) = match text(cx, "<stdin>", bytes) {
        Formatted::Failed => return Ok(Outcome::Failed),
        Formatted::Unchanged | Formatted::LeftOut => return Ok(Outcome::Clean),
        Formatted::Changed(old, new) => (old, new),
    };
    if arguments.diff {
        cx.print_view(&unified("<stdin>", &old, &formatted))?;
    } else if !arguments.check {
        cx.print(formatted.as_bytes())?;
    }
    let is_changed = old != formatted;
    Ok(if is_changed && (arguments.check || arguments.diff) { Outcome::Found } else { Outcome::Clean })
}

fn file(cx: &Context, path: &Path, is_named: bool) -> Formatted {
    let name = path.to_string_lossy();
    if let Some(why) = not_toml(path).filter(|_| is_named) {
        cx.complain(&why);
        return Formatted::Failed;
    }
    let bytes = match cx.system.read(path, Role::Config) {
        Ok(bytes) => bytes,
        Err(error) => {
            cx.complain(&format!("{} can't be read: {error}", one_line(&name)));
            return Formatted::Failed;
        }
    };
    if !is_named && !std::str::from_utf8(&bytes).is_ok_and(|text| is_config(&name, text)) {
        return Formatted::LeftOut;
    }
    match text(cx, &name, bytes) {
        Formatted::Changed(old, new) if old == new => Formatted::Unchanged,
        formatted => formatted,
    }
}

/// Whether the text of a file that a search has found is a config.
fn is_config(name: &str, text: &str) -> bool {
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    !matches!(guess_kind(History::built_in(), name, &document, false), Family::OtherProgram(_) | Family::Unclear)
}

fn text(cx: &Context, name: &str, bytes: Vec<u8>) -> Formatted {
    let Ok(old) = String::from_utf8(bytes) else {
        cx.complain(&format!("{} is not UTF-8; run `cfg check` for the place", one_line(name)));
        return Formatted::Failed;
    };
    let Some(edits) = cfg_ide::format(&old) else {
        cx.complain(&format!("{} has a syntax error and is left as it is; run `cfg check` for the place", one_line(name)));
        return Formatted::Failed;
    };
    let new = cfg_ide::applied(&old, &edits);
    Formatted::Changed(old, new)
}
