//! What commands say of a file: the program that they start with it.

use std::{cmp::Reverse, path::Path};

use cfg_compose::WrittenLaunch;
use cfg_schema::Kind;
use cfg_syntax::Document;
use cfg_system::tidy;

use crate::{Family, Request, Session, identity::family::knows_all};

/// The kind that the commands say of a file that may be another one than its name and its keys say: with keys of another kind, it may be a config with
/// mistakes; without the tables of all components, it may be passed for one of them.
pub(crate) fn in_doubt(session: &Session, request: &Request<'_>, kind: Kind, document: &Document) -> Option<Kind> {
    let root = &document.root;
    let has_strange = !knows_all(session.history, kind, root);
    let lacks_component = || kind == Kind::Rl && ["trainer", "orchestrator"].iter().any(|table| root.value(table).is_none());
    let may_be_component = || lacks_component() && is_passed_for_component(session, request);
    let launched = (has_strange || may_be_component()).then(|| as_launched(session, request)).flatten()?;
    (if has_strange { launched.is_run() } else { cfg_rules::split::PARTS.contains(&launched) }).then_some(launched)
}

/// Whether a command in the project or in the comments of a file starts a run with a config for each of its components, one of which is the file.
fn is_passed_for_component(session: &Session, request: &Request<'_>) -> bool {
    let projects = session.projects();
    let place = tidy(&projects.system().absolute(Path::new(request.path)));
    let is_in_index = || projects.launch_index(&place).of(&place).any(|placed| placed.launch.is_of_components());
    let is_in_comment = || cfg_compose::launches(request.text).iter().any(|launch| launch.tables().any(|table| table.is_some()));
    is_in_index() || is_in_comment()
}

/// The kind of a file whose name and keys disagree, if commands name it and agree: that of the program, or of the table for which it is passed.
pub(crate) fn as_launched(session: &Session, request: &Request<'_>) -> Option<Kind> {
    let path = Path::new(request.path);
    let place = tidy(&session.projects().system().absolute(path));
    let own = cfg_compose::launches(request.text);
    let kind_of = |launch: &WrittenLaunch| {
        let at = named_at(&launch.words, &place)?;
        let flag = launch.words[..at].iter().rev().find(|word| *word != "@").and_then(|word| word.strip_prefix("--"));
        let part = flag.and_then(|flag| Kind::RUNS.into_iter().find(|kind| kind.name() == flag));
        Some(part.unwrap_or(launch.kind))
    };
    let launches = session.projects().launches_of(&**session.projects().system(), path, &own);
    if !launches.is_empty() {
        return only(launches.iter().filter_map(kind_of));
    }
    // A file that is passed with others that are not there is still passed to this program.
    let index = session.projects().launch_index(&place);
    only(index.incomplete_of(&place).filter_map(kind_of))
}

/// Which of the words of a command names a file: of those that end in its name, the first of those whose folders agree the farthest.
fn named_at(words: &[String], place: &Path) -> Option<usize> {
    let agreeing = |word: &String| {
        let named = Path::new(word.trim_start_matches('@'));
        named.components().rev().zip(place.components().rev()).take_while(|(one, other)| one == other).count()
    };
    let named = words.iter().map(agreeing).enumerate().filter(|(_, agreeing)| *agreeing > 0);
    named.max_by_key(|(at, agreeing)| (*agreeing, Reverse(*at))).map(|(at, _)| at)
}

/// The kind that all of these are.
fn only(mut kinds: impl Iterator<Item = Kind>) -> Option<Kind> {
    let first = kinds.next()?;
    kinds.all(|kind| kind == first).then_some(first)
}

/// The kind of a file that does not show alone what it is, if a command starts prime-rl with it.
pub(crate) fn launched_kind(session: &Session, request: &Request<'_>, open: &Family, document: &Document) -> Option<Kind> {
    let may_be = !matches!(open, Family::Evaluation(_)) && !document.root.entries.is_empty();
    may_be.then(|| as_launched(session, request)).flatten().filter(|kind| kind.is_run())
}
