//! The whole migration: check, apply the moves, rewrite, check again, compare.

use std::{collections::HashSet, path::Path};

use cfg_check::{Certainty, Checked, Session, check};
use cfg_compose::{Tree, loader};
use cfg_diag::{Diagnostic, Edit, FileId, Location, codes};
use cfg_schema::{Kind, Move, Target};

use crate::{
    draft::Draft,
    fresh, keep,
    meaning::{Meaning, Sides, compare},
    migration_context::{Arrived, MigrationContext},
    step::{Prepared, Stepper},
    story::Story,
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
    /// Why `from` is taken although nothing states it, as a clause: `inferred: prime-rl 0.2 to 0.4.0 knows all 20 keys of this file, 0.8.0 knows 11`;
    /// `None` if something states it.
    pub guess: Option<Box<str>>,
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
    /// The comparison of the resolved values of both, if both have values and they are compared.
    pub meaning: Option<Meaning>,
    /// Why the text is unchanged although it should have changed.
    pub stuck: Option<Stuck>,
    /// Whether the old text is for the new prime-rl already: that refuses nothing of it that the old prime-rl accepts, and accepts something that the
    /// old one refuses. Then no key is changed.
    pub is_migrated: bool,
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
    /// It would be removed with this key, which the old prime-rl does not know.
    Unknown(String),
}

/// Why a text can't be migrated.
pub enum Failure {
    /// It is not a config, or its kind is ambiguous, as the findings say.
    NoConfig(Box<Checked>),
    /// It is not valid TOML, as the findings say.
    NotToml(Box<Checked>),
    /// The new prime-rl is older than the one that the config is written for, which is this one. Hosted training runs the newest one, whatever the
    /// config states.
    Backwards(Target, Kind),
}

/// Migrates a config from one prime-rl to another.
///
/// # Errors
/// The text can't be read as a config, or the new prime-rl is older.
pub fn migrate(session: &Session, request: &Request<'_>) -> Result<Migration, Failure> {
    migrated(session, request, true)
}

/// As [`migrate`], for what becomes of the text alone: the meaning, which takes about as long as everything else, is compared only if defaults are kept.
///
/// # Errors
/// As [`migrate`].
pub fn migrate_text(session: &Session, request: &Request<'_>) -> Result<Migration, Failure> {
    migrated(session, request, request.keeps_defaults)
}

fn migrated(session: &Session, request: &Request<'_>, is_compared: bool) -> Result<Migration, Failure> {
    let look = |text: &str, target, kind| look_at(session, request.path, text, target, kind);
    let to = request.to.clone();
    let Start { before, kind, guess } = Start::new(session, request)?;
    let from = before.target.clone();
    if to.point < from.point {
        return Err(Failure::Backwards(from, kind));
    }
    let is_missing = |finding: &Diagnostic| finding.code == &codes::MISSING_KEY && finding.native.is_some();
    let is_part = request.is_part || before.diagnostics.iter().any(is_missing);
    let is_refused = fresh::refuses(&before) && to.point != from.point;
    let untouched = is_refused.then(|| look(request.text, Some(to.clone()), Some(kind)));
    let is_accepted_as_is = untouched.as_ref().is_some_and(|after| fresh::is_migrated(&before, after));
    if is_accepted_as_is
        && untouched.as_ref().is_some_and(|after| fresh::is_shown(&before, after))
        && let Some(after) = untouched
    {
        return Ok(Start { before, kind, guess }.into_migrated(session, request, after, is_part));
    }
    let dialect = loader::dialect(from.point);
    let (document, diagnostics) = cfg_syntax::parse(FileId(0), request.text, dialect);
    if !diagnostics.is_empty() {
        return Err(Failure::NotToml(Box::new(before)));
    }
    // Moves are recorded for prime-rl's own configs, not for hosted training.
    let entrypoint = kind.entrypoint();
    let all = Prepared::all(session.history, entrypoint);
    let prepared = &*all;
    let mut draft = Draft::new(&Tree::from_document(FileId(0), document).root);
    let root = session.history.root(entrypoint);
    let mark = |untouched: &Checked| fresh::mark(&mut draft, root, prepared, from.point, to.point, untouched);
    let taken = untouched.as_ref().and_then(mark);
    // A text that is for the new prime-rl in part does not show which defaults it had.
    let is_partly_new = taken.is_some();
    let keeps_defaults = request.keeps_defaults && !is_partly_new;
    let taken = taken.unwrap_or_default();
    let unknown = fresh::unknown(&draft, &before);
    let start =
        Stepper { makes_all: request.makes_all, is_part, taken, unknown, ..Stepper::new(session.history, entrypoint, draft) };
    let write = |draft: &Draft| {
        let written = Written::new(session, request, dialect, draft);
        let after = look(&written.text, Some(to.clone()), Some(kind));
        (written, after)
    };
    let mean = |after: &Checked| {
        let (old, new) = before.resolved.as_ref().zip(after.resolved.as_ref()).filter(|_| is_compared)?;
        let sides = Sides { history: session.history, kind: entrypoint, old, from: from.point, new, to: to.point };
        let mut meaning = compare(&sides, prepared);
        if is_part {
            meaning.changed.retain(|changed| changed.is_written);
        }
        Some(meaning)
    };
    let untouched = || look(request.text, Some(to.clone()), Some(kind));
    let way = MigrationContext {
        prepared,
        from: from.point,
        to: to.point,
        text: request.text,
        before: &before,
        is_partly_new,
        write: &write,
        untouched: &untouched,
    };
    let Arrived { mut stepper, mut written, mut after, is_worse } = if is_accepted_as_is {
        // Nothing has to move, and what its defaults were is still to be compared.
        let (written, after) = write(&start.draft);
        Arrived { stepper: start, written, after, is_worse: false }
    } else {
        way.go(&start)
    };
    let mut meaning = mean(&after);
    let mut kept = Vec::new();
    if keeps_defaults
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
        guess,
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
        is_migrated: false,
        is_part,
    })
}

/// Checks a text for a target, as a config of a kind.
fn look_at(session: &Session, path: &str, text: &str, target: Option<Target>, kind: Option<Kind>) -> Checked {
    let request = cfg_check::Request { kind, target, ..cfg_check::Request::new(path, text) };
    check(session, request)
}

/// The old text as its prime-rl sees it.
struct Start {
    before: Checked,
    kind: Kind,
    /// Why the old prime-rl is taken, if nothing states it.
    guess: Option<Box<str>>,
}

impl Start {
    /// The migration of a text that is for the new prime-rl already, which has been checked for it as `after`.
    fn into_migrated(self, session: &Session, request: &Request<'_>, after: Checked, is_part: bool) -> Migration {
        let Self { before, kind, guess } = self;
        let Written { text, edits, .. } = Written::untouched(session, request);
        Migration {
            kind,
            from: before.target.clone(),
            guess,
            to: request.to.clone(),
            text,
            edits,
            done: Vec::new(),
            decisions: Vec::new(),
            before,
            after,
            meaning: None,
            stuck: None,
            is_migrated: true,
            is_part,
        }
    }

    /// Determines the kind and the old prime-rl of a text.
    fn new(session: &Session, request: &Request<'_>) -> Result<Self, Failure> {
        let to = &request.to;
        let look = |text: &str, target, kind| look_at(session, request.path, text, target, kind);
        let mut before = look(request.text, request.from.clone(), request.kind);
        // The keys of a text that has been migrated may show its kind only to the new prime-rl.
        let by_new = || look(request.text, Some(to.clone()), request.kind).kind;
        let Some(kind) = before.kind.or_else(by_new) else { return Err(Failure::NoConfig(Box::new(before))) };
        if before.kind.is_none() {
            before = look(request.text, request.from.clone(), Some(kind));
        }
        let is_guessed = !before.is_stated() && request.from.is_none();
        let mut guess = is_guessed.then(|| match &before.certainty {
            Certainty::Unknown => format!("assumed: {}", before.certainty.why(Path::new(""))),
            certainty => certainty.why(session.projects().system().host().folder()),
        });
        // Whoever migrates a config that nothing dates means that it is old: a single key shows it.
        if let Certainty::Assumed(None) = before.certainty {
            let fitting = cfg_check::best_target(session, kind, request.text, before.target.point);
            let by_keys = fitting.map(|from| (format!("inferred: {from} knows more of its keys than {}", before.target), from));
            let older =
                || (to.point < before.target.point).then(|| (format!("assumed, since it is to be migrated to {to}"), to.clone()));
            if let Some((why, from)) = by_keys.or_else(older) {
                before = look(request.text, Some(from), Some(kind));
                guess = guess.map(|_| why);
            }
        }
        // Keys that fit the new prime-rl as well as a guessed one do not show that the text is for that. Other files of its folder do, and its day.
        let is_shown = match &before.certainty {
            Certainty::Inferred(inference) => inference.neighbour.is_some() || inference.is_of_its_day,
            Certainty::Assumed(day) => day.is_some(),
            // Only another file is ahead.
            Certainty::Ahead(..) => !before.is_open,
            _ => false,
        };
        if is_guessed && to.point != before.target.point && !is_shown {
            let there = look(request.text, Some(to.clone()), Some(kind));
            if fresh::fits_as_well(&before, &there) {
                guess = Some(format!("assumed: its keys fit {to} as well as {}", before.target));
                before = there;
            }
        }
        Ok(Self { before, kind, guess: guess.map(Into::into) })
    }
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
