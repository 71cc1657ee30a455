//! The whole migration: check, apply the moves, rewrite, check again, compare.

use std::collections::{BTreeSet, HashMap, HashSet};

use cfg_check::{Certainty, Checked, Session, check};
use cfg_compose::{Tree, loader};
use cfg_diag::{Diagnostic, Edit, FileId, Location, codes};
use cfg_schema::{Kind, Move, Point, Target};

use crate::{
    draft::{Draft, Id, Path, dotted},
    keep,
    meaning::{Meaning, Sides, compare},
    migration_context::{Arrived, MigrationContext},
    step::{Event, Prepared, Stepper, What, Why, prefix},
    written::Written,
};

/// The input of a migration.
pub struct Request<'a> {
    /// The path of the config, as the user wrote it; the kind may follow from it.
    pub path: &'a str,
    /// The text of the config.
    pub text: &'a str,
    /// The kind, if the user states it.
    pub kind: Option<Kind>,
    /// The prime-rl that the config is written for, if the user states it.
    pub from: Option<Target>,
    /// The prime-rl to migrate to.
    pub to: Target,
    /// Whether to apply moves that may change the config's meaning, too.
    pub makes_all: bool,
    /// Whether to write out former defaults where the new prime-rl has others.
    pub keeps_defaults: bool,
    /// Whether it is part of a config, so that absent keys may be in other files. A file that lacks required keys is treated as a part as well.
    pub is_part: bool,
}

/// A migrated config.
pub struct Migration {
    /// The kind of the config.
    pub kind: Kind,
    /// The prime-rl that the old text is written for.
    pub from: Target,
    /// Whether `from` is not stated anywhere, but inferred from the keys.
    pub is_guessed: bool,
    /// The prime-rl that the new text is written for.
    pub to: Target,
    /// The new text.
    pub text: String,
    /// The edits that turn the old text into the new one, in the order of the text, without overlaps.
    pub edits: Vec<Edit>,
    /// The changes, in the order of the old text.
    pub done: Vec<Done>,
    /// The decisions that are left to the user, in the order of the old text.
    pub decisions: Vec<Decision>,
    /// The result of checking the old text for the old prime-rl.
    pub before: Checked,
    /// The result of checking the new text for the new prime-rl.
    pub after: Checked,
    /// The comparison of the resolved values of both.
    pub meaning: Option<Meaning>,
    /// Why the text is unchanged although it should have changed.
    pub stuck: Option<Stuck>,
    /// Whether it is part of a config. Then changed defaults are not reported, because they depend on all files together.
    pub is_part: bool,
}

/// Why a text is left unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// The layout of the text does not allow the edits.
    Layout,
    /// The new text would have more errors.
    Errors,
}

/// A key whose place or value changed, or that is gone.
#[derive(Clone, Debug)]
pub struct Done {
    /// The key in the old text; empty if it is new.
    pub old: String,
    /// Its location in the old text.
    pub location: Option<Location>,
    /// The key in the new text; `None` if it is gone.
    pub new: Option<String>,
    /// Its value as TOML, if it changed or the key is new.
    pub value: Option<String>,
    /// The moves that changed it, oldest first; empty if a former default is written out.
    pub moves: Vec<Move>,
}

/// A key about which the user has to decide.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The key in the old text.
    pub key: String,
    /// Its location in the old text.
    pub location: Option<Location>,
    /// The key in the new text.
    pub now: String,
    /// Its location in the new text.
    pub new_location: Option<Location>,
    /// Where it would move, in this file or in one of another kind; `None` if nothing replaces it.
    pub to: Option<String>,
    /// The kind of the file that it would move to; `None` for this file.
    pub other_file: Option<Kind>,
    /// The move that was not applied.
    pub entry: Move,
    /// Why it was not applied.
    pub reason: Reason,
}

/// Why a move was not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It may change the config's meaning, or nothing is equivalent.
    Meaning,
    /// This key already has a value.
    Occupied(String),
    /// The key belongs in a file of this kind.
    OtherFile(Kind),
    /// The tables that should receive it don't exist, or their number differs.
    NoPlace,
    /// The user has to decide about something below it first.
    Undecided,
}

/// Why a text can't be migrated.
pub enum Failure {
    /// It is not a config, or its kind is ambiguous, as the findings say.
    NoConfig(Box<Checked>),
    /// It is not valid TOML, as the findings say.
    NotToml(Box<Checked>),
    /// The new prime-rl is older than the one that the config is written for, which is this one.
    Backwards(Target),
}

/// Migrates a config from one prime-rl to another.
///
/// # Errors
/// The text can't be read as a config, or the new prime-rl is older.
pub fn migrate(session: &Session, request: &Request<'_>) -> Result<Migration, Failure> {
    let look = |text: &str, target: Option<Target>, kind: Option<Kind>| {
        let request = cfg_check::Request {
            file: FileId(0),
            path: request.path,
            named: true,
            text,
            encoding: Vec::new(),
            kind,
            target,
            otherwise: None,
            project: None,
        };
        check(session, request)
    };
    let mut before = look(request.text, request.from.clone(), request.kind);
    let Some(kind) = before.kind else { return Err(Failure::NoConfig(Box::new(before))) };
    let mut is_guessed = !before.is_stated();
    let to = request.to.clone();
    // Whoever migrates a config that nothing dates means that it is old: a single key shows it.
    if let Certainty::Assumed(None) = before.certainty {
        let fitting = cfg_check::best_target(session, kind, request.text, before.target.point);
        let older = || (to.point < before.target.point).then(|| to.clone());
        if let Some(from) = fitting.or_else(older) {
            before = look(request.text, Some(from), Some(kind));
        }
    }
    is_guessed &= request.from.is_none();
    let from = before.target.clone();
    if to.point < from.point {
        return Err(Failure::Backwards(from));
    }
    let dialect = loader::dialect(from.point);
    let (document, diagnostics) = cfg_syntax::parse(FileId(0), request.text, dialect);
    if !diagnostics.is_empty() {
        return Err(Failure::NotToml(Box::new(before)));
    }
    // Moves are recorded for prime-rl's own configs, not for hosted training.
    let entrypoint = kind.entrypoint();
    let prepared = Prepared::all(session.history, entrypoint);
    let draft = Draft::new(&Tree::from_document(FileId(0), document).root);
    let is_missing = |finding: &Diagnostic| finding.code == &codes::MISSING_KEY && finding.native.is_some();
    let is_part = request.is_part || before.diagnostics.iter().any(is_missing);
    let start = Stepper { makes_all: request.makes_all, is_part, ..Stepper::new(session.history, entrypoint, draft) };
    let write = |draft: &Draft| {
        let written = Written::new(session, request, dialect, draft);
        let after = look(&written.text, Some(to.clone()), Some(kind));
        (written, after)
    };
    let mean = |after: &Checked| {
        let (old, new) = before.resolved.as_ref().zip(after.resolved.as_ref())?;
        let sides = Sides { history: session.history, kind: entrypoint, old, from: from.point, new, to: to.point };
        let mut meaning = compare(&sides, &prepared);
        if is_part {
            meaning.changed.retain(|changed| changed.is_written);
        }
        Some(meaning)
    };
    let untouched = || look(request.text, Some(to.clone()), Some(kind));
    let way = MigrationContext {
        prepared: &prepared,
        from: from.point,
        to: to.point,
        text: request.text,
        before: &before,
        write: &write,
        untouched: &untouched,
    };
    let Arrived { mut stepper, mut written, mut after, is_worse } = way.go(start);
    let mut meaning = mean(&after);
    let mut kept = Vec::new();
    if request.keeps_defaults
        && !is_worse
        && let Some(changed) = meaning.as_ref().map(|meaning| &meaning.changed)
    {
        let is_fine = |draft: &Draft| {
            let (written, then) = write(draft);
            !written.is_stuck && refused(&then) <= refused(&after)
        };
        kept = keep::defaults(&mut stepper.draft, changed, &is_fine);
        (written, after) = write(&stepper.draft);
        meaning = mean(&after);
    }
    let Written { text, edits, is_stuck } = written;
    let story = Story::new(&stepper, &text, to.point);
    Ok(Migration {
        kind,
        is_guessed,
        done: story.done(&kept),
        decisions: story.decisions(),
        from,
        to,
        text,
        edits,
        before,
        after,
        meaning,
        stuck: is_stuck.then_some(if is_worse { Stuck::Errors } else { Stuck::Layout }),
        is_part,
    })
}

/// The number of errors that prime-rl reports.
fn refused(checked: &Checked) -> usize {
    checked.diagnostics.iter().filter(|finding| finding.native.is_some()).count()
}

impl Migration {
    /// Whether nothing is left to the user: every key was moved, the new prime-rl accepts the text, and there are no new errors.
    pub fn is_complete(&self) -> bool {
        let is_accepted = self.after.verdict != cfg_check::Verdict::Rejected;
        self.stuck.is_none() && self.decisions.is_empty() && is_accepted && self.new_errors().is_empty()
    }

    /// The new prime-rl's errors in the new text, except those that follow from a pending decision.
    pub fn remaining(&self) -> impl Iterator<Item = &Diagnostic> {
        let places: HashSet<Location> = self.decisions.iter().filter_map(|decision| decision.new_location).collect();
        let keys: HashSet<&str> = self.decisions.iter().map(|decision| &*decision.now).collect();
        let above: HashSet<&str> = keys.iter().flat_map(|key| with_those_above(key)).collect();
        let is_told = move |diagnostic: &Diagnostic| {
            let key = diagnostic.key.as_deref().unwrap_or_default();
            diagnostic.location.is_some_and(|location| places.contains(&location))
                || with_those_above(key).any(|key| keys.contains(key))
                || diagnostic.code == &codes::REMOVED_KEY && above.contains(key)
        };
        self.after.diagnostics.iter().filter(move |diagnostic| !is_told(diagnostic))
    }
}

/// A dotted key, and the keys of the tables and arrays around it.
fn with_those_above(key: &str) -> impl Iterator<Item = &str> {
    let ends = key.char_indices().filter(|(_, character)| matches!(character, '.' | '[')).map(|(end, _)| &key[..end]);
    ends.chain([key])
}

/// The history of the values, by the keys of the old text.
struct Story<'a> {
    stepper: &'a Stepper,
    /// The current path of each value of the old text.
    now: Vec<Option<Path>>,
    /// The values of the new text.
    new: Option<Draft>,
}

impl<'a> Story<'a> {
    fn new(stepper: &'a Stepper, text: &str, to: Point) -> Self {
        let mut now = vec![None; stepper.draft.sources.len()];
        stepper.draft.root.visit(&mut Path::new(), &mut |node, path| {
            if let Some(id) = node.id {
                now[id] = Some(path.to_vec());
            }
        });
        let (document, _) = cfg_syntax::parse(FileId(0), text, loader::dialect(to));
        let new = Some(Draft::new(&Tree::from_document(FileId(0), document).root));
        Self { stepper, now, new }
    }

    fn place_now(&self, path: &[Box<str>]) -> Option<Location> {
        let new = self.new.as_ref()?;
        let id = new.root.get(path)?.id?;
        new.sources[id].place
    }

    fn done(&self, kept: &[Path]) -> Vec<Done> {
        let mut done: Vec<Done> = Vec::new();
        let mut of_value: HashMap<Id, usize> = HashMap::new();
        // The current path of each reported change, and the changes at each path.
        let mut places: Vec<Path> = Vec::new();
        let mut at_place: HashMap<Path, BTreeSet<usize>> = HashMap::new();
        for event in self.stepper.events.iter().filter(|event| !matches!(event.what, What::Left(_))) {
            let (at, one) = if let What::Added(path) = &event.what {
                (path, self.added(event, path))
            } else {
                let earlier = match event.id {
                    Some(id) => of_value.get(&id).copied(),
                    None => at_place.get(&event.at).and_then(BTreeSet::first).copied(),
                };
                if let Some(earlier) = earlier {
                    if let What::Moved(path) = &event.what {
                        let before = std::mem::replace(&mut places[earlier], path.clone());
                        at_place.entry(before).or_default().remove(&earlier);
                        at_place.entry(path.clone()).or_default().insert(earlier);
                    }
                    let earlier = &mut done[earlier];
                    earlier.moves.push(event.entry);
                    earlier.new = self.end_of(event).map(|path| dotted(&path));
                    continue;
                }
                // What one move added and a later one removed was never in the user's text.
                let Some(id) = event.id else { continue };
                of_value.insert(id, done.len());
                (if let What::Moved(path) = &event.what { path } else { &event.at }, self.first(event))
            };
            at_place.entry(at.clone()).or_default().insert(done.len());
            places.push(at.clone());
            done.push(one);
        }
        done.retain(|done| done.new.as_ref() != Some(&done.old) || done.value.is_some());
        done.sort_by_key(|done| done.location);
        done.extend(kept.iter().map(|path| Done {
            old: String::new(),
            location: None,
            new: Some(dotted(path)),
            value: self.written_at(path),
            moves: Vec::new(),
        }));
        done
    }

    fn first(&self, event: &Event) -> Done {
        let source = event.id.and_then(|id| self.stepper.draft.sources.get(id));
        let new = self.end_of(event);
        let changed =
            new.as_ref().and_then(|path| self.stepper.draft.root.get(path)).filter(|node| node.is_changed || node.id.is_none());
        Done {
            old: dotted(source.map_or(&event.at, |source| &source.path)),
            location: source.and_then(|source| source.place),
            value: changed.map(|node| crate::rewriting::written(&node.to_value())),
            new: new.map(|path| dotted(&path)),
            moves: vec![event.entry],
        }
    }

    fn added(&self, event: &Event, path: &Path) -> Done {
        let value = self.written_at(path);
        Done { old: String::new(), location: None, new: Some(dotted(path)), value, moves: vec![event.entry] }
    }

    fn written_at(&self, path: &Path) -> Option<String> {
        self.stepper.draft.root.get(path).map(|node| crate::rewriting::written(&node.to_value()))
    }

    /// The final path of the value of an event; `None` if it is gone.
    fn end_of(&self, event: &Event) -> Option<Path> {
        match (event.id.and_then(|id| self.now.get(id)), &event.what) {
            (Some(Some(now)), _) => Some(now.clone()),
            (_, What::Moved(path)) => Some(path.clone()),
            _ => None,
        }
    }

    fn decisions(&self) -> Vec<Decision> {
        let left = self.stepper.events.iter().filter_map(|event| match &event.what {
            What::Left(why) => Some((event, why)),
            _ => None,
        });
        let mut decisions: Vec<Decision> = left
            .map(|(event, why)| {
                let source = event.id.and_then(|id| self.stepper.draft.sources.get(id));
                let now = event.id.and_then(|id| self.now[id].clone()).unwrap_or_else(|| event.at.clone());
                Decision {
                    key: dotted(source.map_or(&event.at, |source| &source.path)),
                    location: source.and_then(|source| source.place),
                    new_location: self.place_now(&now),
                    now: dotted(&now),
                    to: event.entry.to().map(|(kind, path)| crate::words::in_file(self.stepper.kind, kind, path)),
                    other_file: event.entry.to().map(|(kind, _)| kind).filter(|kind| prefix(self.stepper.kind, *kind).is_none()),
                    entry: event.entry,
                    reason: match why {
                        Why::Meaning => Reason::Meaning,
                        Why::Occupied(path) => Reason::Occupied(dotted(path)),
                        Why::OtherFile(kind) => Reason::OtherFile(*kind),
                        Why::NoPlace => Reason::NoPlace,
                        Why::Undecided => Reason::Undecided,
                    },
                }
            })
            .collect();
        decisions.sort_by_key(|decision| decision.location);
        decisions
    }
}
