//! Which of a project's own programs reads a file: the one that a command in its comments starts with it, or the one whose class has its keys.

use std::{path::Path, sync::Arc};

use cfg_compose::CommandLine;
use cfg_diag::{Diagnostic, codes, one_line};
use cfg_project::{NO_LOADER, OwnProgram, ProgramName, ProgramResult, ScriptClass};
use cfg_schema::{Node, Segment};
use cfg_syntax::{Dialect, Document};

use super::started;
use crate::{Family, Request, Session, guess_kind};

/// A program that reads a file.
pub(crate) struct ReadBy {
    /// Its name.
    pub(crate) name: String,
    /// Its config; `None` if the project does not have the program.
    pub(crate) config: Option<ProgramResult>,
}

/// The maximum number of comments that are searched for a command.
const MAX_COMMENTS: usize = 200;

impl ReadBy {
    /// The script that a user names.
    pub(crate) fn stated(session: &Session, path: &str, name: &str) -> Self {
        let around = [Path::new(path), Path::new("pyproject.toml")];
        let config = around.iter().find_map(|around| session.projects().own_program(around, ProgramName::Script(name)));
        Self { name: name.to_owned(), config }
    }
}

/// The program that reads a file that the user names and whose kind nobody states; `None` if it is a file of prime-rl's, or of no program that is
/// understood.
pub(crate) fn reader(session: &Session, request: &Request<'_>) -> Option<ReadBy> {
    if !request.named || request.kind.is_some() {
        return None;
    }
    let path = Path::new(request.path);
    if let Some(by) = by_comment(session, request) {
        return Some(by);
    }
    let programs = programs(session, path);
    if programs.is_empty() {
        return None;
    }
    let (document, _) = cfg_syntax::parse(request.file, request.text, Dialect::Toml11);
    let all = document.root.entries.len();
    let mut best: Option<((usize, bool), ReadBy)> = None;
    let mut is_tied = false;
    let mut part: Option<ReadBy> = None;
    for (name, is_script) in programs {
        let Some(config) = session.projects().own_program(path, program_name(&name, is_script)) else { continue };
        let Ok(OwnProgram::Own(class)) = &*config else { continue };
        part = part.or_else(|| part_of(class, &name, &document));
        let rank = (known(class, &document), is_at_place(path, &name));
        // Half of the keys may be misspelt, not more.
        if 2 * rank.0 <= all {
            continue;
        }
        let is_same =
            |other: &ReadBy| matches!(other.config.as_deref(), Some(Ok(OwnProgram::Own(other))) if other.place == class.place);
        match &best {
            Some((known, _)) if *known > rank => {}
            Some((known, other)) if *known == rank => is_tied |= !is_same(other),
            _ => {
                is_tied = false;
                best = Some((rank, ReadBy { name, config: Some(config) }));
            }
        }
    }
    let part = part.map(|by| ((all, false), by));
    let ((known, _), by) = best.filter(|_| !is_tied).or(part)?;
    (!is_of_prime_rl(session, request, &document, known)).then_some(by)
}

/// The programs of the project around a file: its scripts, and the files of Python that are run.
fn programs(session: &Session, path: &Path) -> Vec<(String, bool)> {
    let scripts = session.projects().own_scripts(path).into_iter().map(|name| (name, true));
    scripts.chain(session.projects().own_files(path).into_iter().map(|name| (name, false))).collect()
}

/// The name by which a program is read.
const fn program_name(name: &str, is_script: bool) -> ProgramName<'_> {
    if is_script { ProgramName::Script(name) } else { ProgramName::File(name) }
}

/// Whether prime-rl has as many of the keys at the root of a file as another program, which has `known` of them.
fn is_of_prime_rl(session: &Session, request: &Request<'_>, document: &Document, known: usize) -> bool {
    let kinds = match guess_kind(session.history, &session.place(request.path), document, true) {
        Family::Config(kind) | Family::Hosted(kind) => vec![kind],
        Family::OneOf(kinds) => kinds,
        Family::Evaluation(_) => return true,
        Family::OtherProgram(_) | Family::Unclear => return false,
    };
    kinds.into_iter().any(|kind| {
        let root = session.history.root(kind);
        document.root.entries.iter().filter(|entry| root.field(&entry.key.text).is_some()).count() >= known
    })
}

/// The program of a file that has the keys of one table of its class alone, as in `--train @ FILE`: it is told, not checked.
fn part_of(class: &ScriptClass, name: &str, document: &Document) -> Option<ReadBy> {
    let entries = &document.root.entries;
    let has_all = |table: &Node| !entries.is_empty() && entries.iter().all(|entry| table.field(&entry.key.text).is_some());
    let root = class.history.root(class.kind);
    let mut tables = root.children().filter(has_all);
    // Several tables have a common word such as `name`, and it alone may be a key of any file.
    let is_telling = entries.len() > 1 || entries.iter().any(|entry| entry.key.text.contains('_'));
    let table = tables.next().filter(|_| is_telling && tables.next().is_none())?;
    let Segment::Field(key) = table.segment() else { return None };
    let why = format!("this file has the keys of its table `{}` alone", one_line(key));
    Some(ReadBy { name: name.to_owned(), config: Some(Arc::new(Err(why))) })
}

/// The number of keys at the root of a document that a class has.
fn known(class: &ScriptClass, document: &Document) -> usize {
    let root = class.history.root(class.kind);
    document.root.entries.iter().filter(|entry| root.field(&entry.key.text).is_some() || root.is_alias(&entry.key.text)).count()
}

/// Whether the name of a file, or of the folder that it is in, is that of a script.
fn is_at_place(path: &Path, script: &str) -> bool {
    let is_it = |name: Option<&std::ffi::OsStr>| name.and_then(std::ffi::OsStr::to_str) == Some(script);
    is_it(path.file_stem()) || is_it(path.parent().and_then(Path::file_name))
}

/// The program that a command in the comments of a file starts with the file.
fn by_comment(session: &Session, request: &Request<'_>) -> Option<ReadBy> {
    let name = Path::new(request.path).file_name()?.to_str()?;
    // Most texts do not name their own file.
    if !request.text.contains(name) {
        return None;
    }
    let comments = request.text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
    let commands = comments.filter(|comment| comment.contains('@') && comment.contains(name)).take(MAX_COMMENTS);
    commands.into_iter().find_map(|comment| {
        let command = comment.trim().trim_start_matches("$ ").trim_matches('`');
        let line = CommandLine::new(request.file, command.split_whitespace());
        let names_file = |word: &cfg_compose::Word| {
            Path::new(word.text.trim_start_matches('@')).file_name().and_then(std::ffi::OsStr::to_str) == Some(name)
        };
        let started = started(session, &line.words).filter(|_| line.words.iter().any(names_file))?;
        match &*started.config {
            // A file of prime-rl's.
            Ok(OwnProgram::Known(_)) => None,
            _ => Some(ReadBy { name: started.name, config: Some(started.config) }),
        }
    })
}

/// Adds to the finding about a file that the user named, and that is no config of prime-rl, why no program of the project is known to read it: what is
/// not understood of the first that loads a config in some way.
pub(crate) fn say_why_unread(session: &Session, request: &Request<'_>, diagnostics: &mut [Diagnostic]) {
    let path = Path::new(request.path);
    let Some(found) = diagnostics.iter_mut().find(|found| found.code == &codes::NOT_A_CONFIG).filter(|_| request.named) else {
        return;
    };
    let why = programs(session, path).into_iter().find_map(|(name, is_script)| {
        let config = session.projects().own_program(path, program_name(&name, is_script))?;
        let why = config.as_ref().as_ref().err().filter(|why| !why.contains(NO_LOADER))?;
        Some(format!("the config of `{}` is not understood: {}", one_line(&name), one_line(why)))
    });
    if let Some(why) = why {
        found.help = Some(why);
    }
}
