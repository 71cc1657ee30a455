//! What became of the keys of the old text, and what is left to the user.

use std::collections::{BTreeSet, HashMap};

use cfg_compose::{Tree, loader};
use cfg_diag::{FileId, Location, Order};
use cfg_schema::Point;

use crate::{
    draft::{Draft, Id, Path, Source, dotted},
    migrate::{Decision, Done, Reason},
    step::{Event, Stepper, What, Why, prefix},
};

/// The history of the values, by the keys of the old text.
pub(crate) struct Story<'a> {
    stepper: &'a Stepper,
    /// The current path of each value of the old text.
    now: Vec<Option<Path>>,
    /// The values of the new text.
    new: Option<Draft>,
}

impl<'a> Story<'a> {
    pub(crate) fn new(stepper: &'a Stepper, text: &str, to: Point) -> Self {
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

    /// The first value of the old text that is now in a table.
    fn first_in(&self, table: &[Box<str>]) -> Option<&Source> {
        let is_in = |now: &Option<Path>| now.as_ref().is_some_and(|now| now.starts_with(table));
        self.now.iter().zip(&self.stepper.draft.sources).find_map(|(now, source)| is_in(now).then_some(source))
    }

    fn place_now(&self, path: &[Box<str>]) -> Option<Location> {
        let new = self.new.as_ref()?;
        let id = new.root.get(path)?.id?;
        new.sources[id].place
    }

    /// The changes, in the order of the old text; `kept` has the paths of the former defaults that are written out.
    pub(crate) fn done(&self, kept: &[Path]) -> Vec<Done> {
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
        done.order_by_key(|done| done.location);
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
            // A later move may have removed it with the table in which it is.
            (Some(None), What::Moved(path)) => Some(path.clone()).filter(|path| self.stepper.draft.root.get(path).is_some()),
            (_, What::Moved(path)) => Some(path.clone()),
            _ => None,
        }
    }

    /// The decisions that are left to the user, in the order of the old text.
    pub(crate) fn decisions(&self) -> Vec<Decision> {
        let left = self.stepper.events.iter().filter_map(|event| match &event.what {
            What::Left(why) => Some((event, why)),
            _ => None,
        });
        let mut decisions: Vec<Decision> = left
            .map(|(event, why)| {
                let source = event.id.and_then(|id| self.stepper.draft.sources.get(id));
                let now = event.id.and_then(|id| self.now[id].clone()).unwrap_or_else(|| event.at.clone());
                // A table that a move has made is that of the first value in it.
                let source = source.or_else(|| self.first_in(&now));
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
                        Why::Unknown(path) => Reason::Unknown(dotted(path)),
                    },
                }
            })
            .collect();
        decisions.order_by_key(|decision| decision.location);
        decisions
    }
}
