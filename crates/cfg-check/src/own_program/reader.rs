//! Which of a project's own programs reads a file: the one that a command in its comments starts with it, or the one whose class has its keys.

use std::{path::Path, sync::Arc};

use cfg_compose::CommandLine;
use cfg_diag::{Diagnostic, codes, one_line};
use cfg_project::{NO_LOADER, NamedProgram, OwnProgram, ProgramName, ProgramResult, ScriptClass};
use cfg_resolve::nearest;
use cfg_schema::{Interval, Kind, Node, Point};
use cfg_syntax::{Dialect, Document};

use super::command::started;
use crate::{Family, Request, Session, guess_kind};

/// A program that reads a file.
pub(crate) struct ReadBy {
    /// Its name.
    pub(crate) name: String,
    /// Its config; `None` if the project does not have the program.
    pub(crate) config: Option<ProgramResult>,
}

/// The maximum number of keys of a file whose keys may be misspelt.
const MAX_KEYS: usize = 64;

/// The maximum number of comments that are searched for a command.
const MAX_COMMENTS: usize = 200;

impl ReadBy {
    /// The script that a user names.
    pub(crate) fn stated(session: &Session, path: &str, name: &str) -> Self {
        let around = [Path::new(path), Path::new("pyproject.toml")];
        let config = around.iter().find_map(|around| session.projects().own_program(around, ProgramName::Script(name)));
        Self { name: name.to_owned(), config }
    }

    /// The kind of prime-rl's that it reads.
    pub(crate) fn known(&self) -> Option<Kind> {
        if let Some(Ok(OwnProgram::Known(kind))) = self.config.as_deref() { Some(*kind) } else { None }
    }
}

/// The program that reads a file whose kind nobody states; `None` if it is a file of prime-rl's, or of no program that is understood.
pub(crate) fn reader(session: &Session, request: &Request<'_>) -> Option<ReadBy> {
    if request.kind.is_some() {
        return None;
    }
    if let Some(by) = by_comment(session, request) {
        return Some(by);
    }
    let has_programs = !session.projects().own_programs(Path::new(request.path)).is_empty();
    has_programs.then(|| by_keys(session, request, &cfg_syntax::parse(request.file, request.text, Dialect::Toml11).0)).flatten()
}

/// The same for a file that was found in a folder, which must show more.
pub(crate) fn reader_of(session: &Session, request: &Request<'_>, document: &Document) -> Option<ReadBy> {
    let has_programs = !session.projects().own_programs(Path::new(request.path)).is_empty();
    let by = has_programs.then(|| by_comment(session, request).or_else(|| by_keys(session, request, document))).flatten();
    by.filter(|by| by.config.as_ref().is_some_and(|config| class_of(config).is_some()))
}

/// The program to which a script gives a file, or whose class has its keys.
fn by_keys(session: &Session, request: &Request<'_>, document: &Document) -> Option<ReadBy> {
    let path = Path::new(request.path);
    let programs = session.projects().own_programs(path);
    let of_classes = || programs.iter().filter_map(|(name, config)| Some((name, config, class_of(config)?)));
    of_classes().next()?;
    if let Some((name, config)) = session.projects().own_launch(path)
        && let Some(class) = class_of(&config)
        // A program may also be given configs of prime-rl.
        && !is_of_prime_rl(session, request, document, known(class.history.root(class.kind), None, document).0.max(1))
    {
        return Some(ReadBy { name, config: Some(config) });
    }
    let all = document.root.entries.len();
    if request.named && is_begun(request.text, document) {
        let (name, config, class) = of_classes().next()?;
        let is_only = of_classes().all(|(.., other)| other.place == class.place) && !session.projects().uses_prime_rl(path);
        return is_only.then(|| ReadBy { name: name.clone(), config: Some(Arc::clone(config)) });
    }
    let mut best: Option<((usize, bool), &NamedProgram)> = None;
    let mut is_tied = false;
    let mut part: Option<ReadBy> = None;
    for program @ (name, config) in &*programs {
        let Some(class) = class_of(config) else { continue };
        part = part.or_else(|| part_of(class, name, document)).filter(|_| request.named);
        let is_at_place = is_at_place(path, name);
        let (known, is_telling) = known(class.history.root(class.kind), None, document);
        // Half of the keys may be misspelt, not more.
        if 2 * known <= all || !(request.named || is_telling || is_at_place) {
            continue;
        }
        let rank = (known, is_at_place);
        let is_same = |(_, other): &NamedProgram| class_of(other).is_some_and(|other| other.place == class.place);
        match &best {
            Some((known, _)) if *known > rank => {}
            Some((known, other)) if *known == rank => is_tied |= !is_same(other),
            _ => {
                is_tied = false;
                best = Some((rank, program));
            }
        }
    }
    let read_by = |(name, config): &NamedProgram| ReadBy { name: name.clone(), config: Some(Arc::clone(config)) };
    let best = best.filter(|_| !is_tied).map(|((known, _), program)| (known, read_by(program)));
    let (known, by) = best.or(part.map(|by| (all, by)))?;
    (!is_of_prime_rl(session, request, document, known)).then_some(by)
}

fn class_of(config: &ProgramResult) -> Option<&ScriptClass> {
    if let Ok(OwnProgram::Own(class)) = &**config { Some(class) } else { None }
}

/// Whether a text only has the beginning of its first key.
fn is_begun(text: &str, document: &Document) -> bool {
    document.root.entries.is_empty() && text.lines().map(str::trim).any(|line| !line.is_empty() && !line.starts_with(['#', '[']))
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
        let ever = document.root.entries.iter().filter(|entry| root.field(&entry.key.text).is_some()).count();
        // Keys that prime-rl no longer has say less than those of a class that is here.
        ever > known || self::known(root, Some(session.history.newest()), document).0 >= known
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
    let key = table.field_name()?;
    let why = format!("this file has the keys of its table `{}` alone", one_line(key));
    Some(ReadBy { name: name.to_owned(), config: Some(Arc::new(Err(why))) })
}

/// The number of keys at the root of a document that a class has, if need be at a point, or that are misspelt: one of them is not. Whether they alone show
/// that it is that of the file: it has all keys that the class requires, and hardly others.
fn known(root: Node, point: Option<Point>, document: &Document) -> (usize, bool) {
    let is_there = |node: &Node| point.is_none_or(|point| node.at(point).is_some());
    let fields: Vec<&str> = root.children().filter(is_there).filter_map(Node::field_name).collect();
    let entries = &document.root.entries;
    let is_known = |key: &str| root.field(key).as_ref().is_some_and(is_there) || root.is_alias(key);
    let (exact, others): (Vec<&str>, Vec<&str>) = entries.iter().map(|entry| &*entry.key.text).partition(|key| is_known(key));
    if exact.is_empty() || entries.len() > MAX_KEYS {
        return (exact.len(), false);
    }
    let meant: Vec<&str> = others.iter().filter_map(|key| nearest(key, fields.iter().copied())).collect();
    let known = exact.len() + meant.len();
    let is_required = |node: &Node| node.intervals().any(Interval::is_required);
    let is_given = |node: Node| {
        exact.iter().any(|key| root.field(key) == Some(node))
            || node.intervals().flat_map(Interval::aliases).any(|alias| exact.contains(&alias))
    };
    let is_whole = root.children().filter(is_there).filter(is_required).all(is_given);
    // A common word such as `name` may be a key of any file.
    let is_telling = exact.len() > 1 && entries.len() <= known + 1 || others.is_empty() && exact[0].contains('_');
    (known, is_whole && is_telling)
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
        // One of prime-rl's is checked as that.
        started.known().is_none().then(|| started.into_reader())
    })
}

/// Adds to the finding about a file that the user named, and that is no config of prime-rl, why no program of the project is known to read it: what is
/// not understood of the first that loads a config in some way.
pub(crate) fn say_why_unread(session: &Session, request: &Request<'_>, diagnostics: &mut [Diagnostic]) {
    let path = Path::new(request.path);
    let Some(found) = diagnostics.iter_mut().find(|found| found.code == &codes::NOT_A_CONFIG).filter(|_| request.named) else {
        return;
    };
    let why = session.projects().own_programs(path).iter().find_map(|(name, config)| {
        let why = config.as_ref().as_ref().err().filter(|why| !why.contains(NO_LOADER))?;
        Some(format!("can't read the config class of `{}`: {}", one_line(name), one_line(why)))
    });
    if let Some(why) = why {
        found.help = Some(why);
    }
}
