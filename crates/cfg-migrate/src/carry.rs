//! Moves one key of a config, with everything below it, to its place in the config's prime-rl.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use cfg_compose::{Tree, loader};
use cfg_diag::{Edit, FileId, Location};
use cfg_schema::{History, Kind, Point, Schema};
use cfg_syntax::rewrite::KeyPath;

use crate::{
    draft::{Draft, Id, Path, dotted},
    pattern::{self, find},
    rewriting::rewrite,
    step::{Inserts, Prepared, Stepper, What},
};

/// What became of a key.
#[derive(Clone, Debug)]
pub struct Carried {
    /// Its new place; `None` if it is gone.
    pub to: Option<String>,
    /// Whether something below it went to another place, or has another value.
    pub is_sorted: bool,
    /// If it is gone: the keys that have its content, or replace it.
    pub instead: Vec<String>,
    /// Whether the config keeps its meaning.
    pub is_safe: bool,
    /// The edits of the text, in the order of the text.
    pub edits: Vec<Edit>,
}

/// A text whose keys are to be moved to their new places.
pub struct Carrier<'t> {
    file: FileId,
    text: &'t str,
    schema: Schema,
    draft: Draft,
    prepared: Arc<[Prepared]>,
}

impl<'t> Carrier<'t> {
    /// Reads a text; `None` if it is not TOML.
    pub fn new(file: FileId, text: &'t str, schema: Schema) -> Option<Self> {
        let (document, faults) = cfg_syntax::parse(FileId(0), text, loader::dialect(schema.point));
        if !faults.is_empty() {
            return None;
        }
        let draft = Draft::new(&Tree::from_document(FileId(0), document).root);
        // Moves are recorded for prime-rl's own configs, not for hosted training.
        let schema = Schema { kind: schema.kind.entrypoint(), ..schema };
        Some(Self { file, text, schema, draft, prepared: Prepared::all(schema.history, schema.kind) })
    }

    /// Applies the moves since the schema last had this key, to this key alone. `None` if no move concerns it, or the user has to decide.
    pub fn carry(&self, key: &str) -> Option<Carried> {
        let Schema { history, kind, point } = self.schema;
        let path = KeyPath::parse(key).parts().to_vec();
        let node = self.draft.root.get(&path).filter(|_| !path.is_empty())?;
        let own = node.id;
        let mut within: HashSet<Id> = HashSet::new();
        node.visit(&mut Path::new(), &mut |node, _| within.extend(node.id));
        let from = self.last_known(&path)?;
        let attempt = |makes_all| {
            let start = Stepper::new(history, kind, self.draft.clone());
            let mut stepper = Stepper { makes_all, is_part: true, only: Some(within.clone()), ..start };
            stepper.run(&self.prepared, from, point);
            (!stepper.events.is_empty() && !stepper.draft.root.has_left()).then_some(stepper)
        };
        let stepper = attempt(false).or_else(|| attempt(true))?;
        let mut to = None;
        stepper.draft.root.visit(&mut Path::new(), &mut |node, path| {
            if node.id == own {
                to = Some(path.to_vec());
            }
        });
        let moved = stepper.events.iter().filter(|event| event.id == own && matches!(event.what, What::Moved(_))).count();
        let (new, edits) = rewrite(self.text, loader::dialect(point), &stepper.draft)?;
        if new == self.text {
            return None;
        }
        let edits = edits.into_iter();
        let instead = if to.is_none() { places(&stepper) } else { Vec::new() };
        Some(Carried {
            instead: instead.iter().map(|path| dotted(path)).collect(),
            to: to.map(|path| dotted(&path)),
            is_sorted: stepper.events.len() > moved,
            is_safe: stepper.events.iter().all(|event| event.is_safe),
            edits: edits.map(|edit| Edit { location: Location::new(self.file, edit.location.span), ..edit }).collect(),
        })
    }

    /// Of the points just before a move of the key that know the key, the one that knows most of what is below it; of several, the latest.
    fn last_known(&self, path: &[Box<str>]) -> Option<Point> {
        let root = self.schema.root();
        let mut points: Vec<Point> = Vec::new();
        for prepared in self.prepared.iter().rev() {
            let since = prepared.entry.point().filter(|&since| since <= self.schema.point && since > Point(0));
            let Some(before) = since.map(|since| Point(since.0 - 1)).filter(|before| !points.contains(before)) else { continue };
            let is_of_it = |found: &pattern::Match| found.path.starts_with(path) || path.starts_with(&found.path);
            if find(&self.draft.root, Some(root), before, &prepared.from).iter().any(is_of_it) {
                points.push(before);
            }
        }
        let within = || self.draft.sources.iter().map(|source| &source.path).filter(|below| below.starts_with(path));
        let is_known = |point, path: &[Box<str>]| pattern::field_at(&self.draft.root, root, point, path).is_some();
        let known = points.into_iter().filter(|&point| is_known(point, path));
        known.max_by_key(|&point| (within().filter(|below| is_known(point, below)).count(), point))
    }
}

/// The outermost keys to which moves have brought values, in the order of the moves.
fn places(stepper: &Stepper) -> Vec<Path> {
    let mut now: HashMap<Id, Path> = HashMap::new();
    stepper.draft.root.visit(&mut Path::new(), &mut |node, path| {
        if let Some(id) = node.id {
            now.insert(id, path.to_vec());
        }
    });
    let mut places: Vec<Path> = Vec::new();
    for event in &stepper.events {
        let place = match &event.what {
            What::Moved(path) => event.id.map_or_else(|| Some(path.clone()), |id| now.get(&id).cloned()),
            What::Added(path) => Some(path.clone()),
            What::Changed => event.id.and_then(|id| now.get(&id).cloned()),
            What::Dropped | What::Left(_) => None,
        };
        let is_there = |place: &Path| stepper.draft.root.get(place).is_some();
        if let Some(place) = place.filter(is_there).filter(|place| !places.iter().any(|other| place.starts_with(other))) {
            places.retain(|other| !other.starts_with(&place));
            places.push(place);
        }
    }
    places
}

impl Stepper {
    /// A config to which no move was applied yet.
    pub(crate) fn new(history: History, kind: Kind, draft: Draft) -> Self {
        Self {
            history,
            kind,
            draft,
            makes_all: false,
            is_part: false,
            keeps_undecided: false,
            inserts: Inserts::All,
            has_left_out: false,
            taken: HashMap::new(),
            unknown: HashSet::new(),
            only: None,
            events: Vec::new(),
            has_emptied: false,
            swept: 0,
        }
    }

    /// The path of the first value at a path or below it whose key the old prime-rl refuses.
    pub(crate) fn unknown_below(&self, path: &[Box<str>]) -> Option<Path> {
        if self.unknown.is_empty() {
            return None;
        }
        let mut first = None;
        self.draft.root.get(path)?.visit(&mut path.to_vec(), &mut |node, path| {
            if first.is_none() && node.id.is_some_and(|id| self.unknown.contains(&id)) {
                first = Some(path.to_vec());
            }
        });
        first
    }

    /// Whether everything at a path and below it is among the values that may move.
    pub(crate) fn may_move(&self, path: &[Box<str>]) -> bool {
        let Some(only) = &self.only else { return true };
        let Some(node) = self.draft.root.get(path).filter(|_| !path.is_empty()) else { return false };
        let (mut is_any, mut is_all) = (false, true);
        node.visit(&mut Path::new(), &mut |node, _| {
            if let Some(id) = node.id {
                is_any = true;
                is_all &= only.contains(&id);
            }
        });
        is_any && is_all
    }
}
