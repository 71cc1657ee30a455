//! What the other files of a folder show about one of them: that it is among configs of prime-rl, and for which prime-rl these are written.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use cfg_compose::Tree;
use cfg_diag::{Diagnostic, FileId, Location};
use cfg_project::FileDay;
use cfg_schema::{Kind, Point, Target};
use cfg_system::{Kind as EntryKind, Role, Scope};

use super::{
    family::{Family, guess_kind},
    infer::{Inferred, Search, Signs, infer},
    version::{Certainty, Inference, Subject, day_of},
};
use crate::{Session, stage};

/// A folder with more files is a collection, whose configs need not belong together. None of them is read.
const MAX_FILES: usize = 32;

/// The configs of the folders that were asked for, and the hash of their texts.
#[derive(Default)]
pub(crate) struct Neighbourhoods(Mutex<HashMap<PathBuf, Slot>>, RandomState);

type Slot = Arc<OnceLock<Vec<Neighbour>>>;

/// A config of a folder that is clearly one, whatever its neighbours are.
struct Neighbour {
    name: String,
    /// Its day. Files of different days may be for different versions.
    day: Option<String>,
    /// Why it is for another prime-rl than the assumed one, if it states none and is: one that accepts it, or else knows more of its keys.
    shows: Option<Arc<Inference>>,
    /// The key that shows that it is for a prime-rl after the last known commit, and its day, if none that is known accepts it.
    ahead: Option<(String, &'static str)>,
    /// Which one it is for, so that this is not searched for again when the file itself is checked.
    own: Option<Known>,
}

/// What was inferred from a text, and all that it depends on.
struct Known {
    question: Question,
    inferred: Option<Inferred>,
    ahead: Option<(String, &'static str)>,
}

/// What is asked about a text.
#[derive(PartialEq)]
struct Question {
    /// The hash of the text.
    text: u64,
    kind: Kind,
    assumed: Target,
    day: Option<FileDay>,
    signs: Signs,
}

/// A config, and what is known of its version.
pub(crate) struct Undecided<'a> {
    pub(crate) path: &'a str,
    /// The text that the tree was read from; `None` if there are several, or one with faults.
    pub(crate) text: Option<&'a str>,
    pub(crate) kind: Kind,
    pub(crate) tree: &'a Tree,
    pub(crate) assumed: &'a Target,
    pub(crate) day: Option<&'a FileDay>,
}

/// Whether another file of the folder is clearly a config.
pub(crate) fn is_among_configs(session: &Session, path: &str) -> bool {
    with_others(session, path, |others| others.next().is_some())
}

/// The target that suits a config better than the assumed one, which refuses it with the errors `found`: its own, and what the other configs of its folder
/// show. `None` if none does.
pub(crate) fn inferred(session: &Session, config: &Undecided<'_>, found: &[Diagnostic]) -> Option<Inferred> {
    let Undecided { path, text, kind, tree, assumed, day } = *config;
    let signs = Signs::of(found);
    let question = text.filter(|_| kind.is_run() && !path.is_empty()).map(|text| Question {
        text: session.neighbourhoods.1.hash_one(text),
        kind,
        assumed: assumed.clone(),
        day: day.cloned(),
        signs,
    });
    let known = question.and_then(|question| {
        let (folder, name) = folder_and_name(session, path)?;
        let slot = slot_of(session, &folder);
        // Nothing is read for this alone.
        let known = slot.get()?.iter().find(|other| other.name == name)?.own.as_ref()?;
        (known.question == question).then(|| known.inferred.clone())
    });
    shared(session, config, known.unwrap_or_else(|| infer(session, assumed.schema(kind), assumed, day, tree, signs)))
}

/// The target for which all configs of the folder of the same day are written: that of the config itself, `own`, within what the others show; or what
/// the others show, if nothing is known of the config itself and that accepts it.
fn shared(session: &Session, config: &Undecided<'_>, own: Option<Inferred>) -> Option<Inferred> {
    let own = match own {
        Some(Inferred { certainty: Certainty::Inferred(inference), target }) if inference.is_accepted => {
            Some((inference, target))
        }
        Some(other) => return Some(other),
        None => None,
    };
    let unchanged = |own: Option<(Arc<Inference>, Target)>| {
        own.map(|(inference, target)| Inferred { target, certainty: Certainty::Inferred(inference) })
    };
    if config.path.is_empty() || !config.kind.is_run() {
        return unchanged(own);
    }
    let day = config.day.map(|day| day.day.as_str());
    let Some((range, inference)) = with_others(session, config.path, |others| {
        let shown =
            others.filter(|other| other.day.as_deref() == day).filter_map(|other| Some((other.shows.as_ref()?, &other.name)));
        let (accepted, faulty): (Vec<_>, Vec<_>) = shown.partition(|(other, _)| other.is_accepted);
        let mut shown = if accepted.is_empty() { faulty } else { accepted }.into_iter();
        let (first, name) = shown.next()?;
        let start = own.as_ref().map_or(Some(first.accepting), |(own, _)| common(own.accepting, first.accepting))?;
        let range = shown.try_fold(start, |range, (other, _)| common(range, other.accepting))?;
        Some((range, Inference { neighbour: Some(name.clone()), accepting: range, ..Inference::clone(first) }))
    }) else {
        return if own.is_none() { ahead_of_others(session, config, day) } else { unchanged(own) };
    };
    let search = Search::new(session, config.assumed.schema(config.kind), config.tree, day);
    let Some(target) = search.target_within(range) else { return unchanged(own) };
    if let Some((inference, _)) = own {
        let inference = Inference { accepting: range, ..Inference::clone(&inference) };
        return Some(Inferred { target, certainty: Certainty::Inferred(Arc::new(inference)) });
    }
    let schema = target.schema(config.kind);
    let is_accepted = target.point != config.assumed.point && stage::accepts(session, schema, config.tree.clone());
    is_accepted.then(|| Inferred { target, certainty: Certainty::Inferred(Arc::new(inference)) })
}

/// The prime-rl after the last known commit that another file of the same day shows, if none shows another one and the last known commit accepts the config.
fn ahead_of_others(session: &Session, config: &Undecided<'_>, day: Option<&str>) -> Option<Inferred> {
    let (shown, since) = with_others(session, config.path, |others| {
        let mut of_day = others.filter(|other| other.day.as_deref() == day);
        let mut ahead = None;
        of_day.try_for_each(|other| {
            if let Some((shown, since)) = other.ahead.as_ref().filter(|_| ahead.is_none()) {
                ahead = Some((format!("in {}, {shown}", cfg_diag::one_line(&other.name)), *since));
            }
            other.shows.is_none().then_some(())
        })?;
        ahead
    })?;
    let target = Target::main(session.history);
    let is_accepted = stage::accepts(session, target.schema(config.kind), config.tree.clone());
    is_accepted.then(|| Inferred { target, certainty: Certainty::Ahead(shown.into(), since) })
}

/// What two ranges have in common.
fn common(one: (Point, Point), other: (Point, Point)) -> Option<(Point, Point)> {
    let both = (one.0.max(other.0), one.1.min(other.1));
    (both.0 <= both.1).then_some(both)
}

/// Calls a function with the other configs of the folder of a file.
fn with_others<T>(session: &Session, path: &str, answer: impl FnOnce(&mut dyn Iterator<Item = &Neighbour>) -> T) -> T {
    let Some((folder, name)) = folder_and_name(session, path) else {
        return answer(&mut std::iter::empty());
    };
    let slot = slot_of(session, &folder);
    let found = slot.get_or_init(|| read(session, &folder));
    answer(&mut found.iter().filter(|other| other.name != name))
}

fn folder_and_name(session: &Session, path: &str) -> Option<(PathBuf, String)> {
    let place = session.projects().system().absolute(Path::new(path));
    Some((place.parent()?.to_owned(), place.file_name()?.to_str()?.to_owned()))
}

fn slot_of(session: &Session, folder: &Path) -> Slot {
    let mut known = session.neighbourhoods.0.lock().unwrap_or_else(PoisonError::into_inner);
    match known.get(folder) {
        Some(slot) => Arc::clone(slot),
        None => Arc::clone(known.entry(folder.to_owned()).or_default()),
    }
}

/// The files of a folder that are clearly configs.
fn read(session: &Session, folder: &Path) -> Vec<Neighbour> {
    let system = session.projects().system();
    let entries = system.list(folder, Scope::Inside).unwrap_or_default().into_iter();
    let files = entries.filter(|entry| entry.kind == EntryKind::File).filter_map(|entry| entry.name.into_string().ok());
    let mut names: Vec<String> = files.filter(|name| cfg_project::may_be_config(Path::new(name))).collect();
    if names.len() < 2 || names.len() > MAX_FILES {
        return Vec::new();
    }
    names.sort_unstable();
    let read = |name: String| {
        let text = system.text(&folder.join(&name), Role::Config)?;
        neighbour(session, folder, name, &text)
    };
    names.into_iter().filter_map(read).collect()
}

fn neighbour(session: &Session, folder: &Path, name: String, text: &str) -> Option<Neighbour> {
    let (document, faults, _) = cfg_syntax::parse_first(FileId(0), text);
    let place = folder.join(&name);
    let path = place.to_string_lossy();
    let family = guess_kind(session.history, &path, &document, false);
    let kind = match family {
        Family::Config(kind) if kind.is_run() => kind,
        Family::Config(_) | Family::Hosted(_) | Family::Evaluation(_) => {
            return Some(Neighbour { name, day: None, shows: None, ahead: None, own: None });
        }
        Family::OneOf(_) | Family::OtherProgram(_) | Family::Unclear => return None,
    };
    let (metadata, _) = session.metadata(FileId(0), &path, text, &document);
    let day = day_of(session, &Subject { path: Some(&place), text, metadata: Some(&metadata) });
    let is_stated = metadata.target.is_some() || metadata.is_target_refused;
    let own = if is_stated { None } else { known(session, kind, text, &Tree::of(FileId(0), &document), day.clone()) };
    let shows = own.as_ref().and_then(|own| match &own.inferred.as_ref()?.certainty {
        Certainty::Inferred(inference) => Some(Arc::clone(inference)),
        _ => None,
    });
    // Another TOML may read the rest of a text with faults.
    let own = own.filter(|_| faults.is_empty());
    let ahead = own.as_ref().and_then(|own| own.ahead.clone());
    Some(Neighbour { name, day: day.map(|day| day.day), shows, ahead, own })
}

/// For which prime-rl a config is, if for another one than that which is assumed on its day.
fn known(session: &Session, kind: Kind, text: &str, tree: &Tree, day: Option<FileDay>) -> Option<Known> {
    let history = session.history;
    let newest = || Target::newest_release(history);
    let assumed = day.as_ref().map_or_else(|| Ok(newest()), |day| Target::newest_release_on(history, &day.day)).ok()?;
    let schema = assumed.schema(kind);
    let (_, found) = cfg_resolve::resolve(schema, &session.names(schema, None, None), tree.clone());
    let signs = Signs::of(&found);
    let inferred = infer(session, schema, &assumed, day.as_ref(), tree, signs);
    let text_at = |at: Location| text.get(at.span.range()).map(str::to_owned);
    let ahead = crate::values::ahead_of(history, kind, day.as_ref(), &tree.root, &found, &text_at, inferred.as_ref());
    let question = Question { text: session.neighbourhoods.1.hash_one(text), kind, assumed, day, signs };
    Some(Known { question, inferred, ahead })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cfg_project::Projects;
    use cfg_system::MemorySystem;

    use super::is_among_configs;
    use crate::Session;

    #[test]
    fn a_folder_with_a_clear_config_is_one_of_configs() {
        let session = |other: (&str, &str)| {
            let system = MemorySystem::with_files([("a/x.toml", "[model]\nname = 'x'\n"), other]);
            Session::new(Arc::new(Projects::new(Arc::new(system), None)))
        };
        assert!(is_among_configs(&session(("a/rl.toml", "[trainer]\n[orchestrator]\n")), "a/x.toml"));
        assert!(!is_among_configs(&session(("b/rl.toml", "[trainer]\n[orchestrator]\n")), "a/x.toml"));
        assert!(!is_among_configs(&session(("a/other.toml", "[package]\nname = 'x'\n")), "a/x.toml"));
    }
}
