//! Tracks where the values of a text are while it is rewritten.

use std::collections::BTreeMap;

use crate::draft::{Id, Path, Source};

/// The places of values as a tree: when a value moves, everything below it moves with it.
#[derive(Debug)]
pub(crate) struct Now {
    places: Vec<Place>,
    /// The place of each value; `None` if it is gone.
    of: Vec<Option<usize>>,
}

/// A key in the place of the table above it.
#[derive(Debug, Default)]
struct Place {
    /// `None` for the root and for places that were cut off.
    above: Option<usize>,
    key: Box<str>,
    below: BTreeMap<Box<str>, usize>,
    values: Vec<Id>,
}

const ROOT: usize = 0;

impl Now {
    pub(crate) fn new(sources: &[Source]) -> Self {
        let mut now = Self { places: vec![Place::default()], of: vec![None; sources.len()] };
        for (id, source) in sources.iter().enumerate() {
            let place = now.made(&source.path);
            now.set(id, place);
        }
        now
    }

    /// The current path of a value; `None` if it is gone.
    pub(crate) fn path(&self, id: Id) -> Option<Path> {
        let (mut path, mut at) = (Path::new(), self.of[id]?);
        while let Some(above) = self.places[at].above {
            path.push(self.places[at].key.clone());
            at = above;
        }
        path.reverse();
        (at == ROOT).then_some(path)
    }

    /// Records that a value is gone, but not what is below it.
    pub(crate) fn forget(&mut self, id: Id) {
        self.of[id] = None;
    }

    /// Records that a value and everything below it are gone.
    pub(crate) fn detach(&mut self, id: Id) {
        if let Some(place) = self.of[id] {
            self.cut(place);
        }
    }

    /// Records that everything at a path and below it is gone.
    pub(crate) fn detach_at(&mut self, path: &Path) {
        if let Some(place) = self.find(path) {
            self.cut(place);
        }
    }

    /// Records that everything at a path and below it moved to another path.
    pub(crate) fn relocate(&mut self, from: &Path, to: &Path) {
        let Some(place) = self.find(from).filter(|place| *place != ROOT) else { return };
        self.cut(place);
        // The old place itself may be needed as a part of the new path.
        let goal = self.made(to);
        self.merge(place, goal);
    }

    fn set(&mut self, id: Id, place: usize) {
        self.of[id] = Some(place);
        self.places[place].values.push(id);
    }

    fn find(&self, path: &Path) -> Option<usize> {
        path.iter().try_fold(ROOT, |at, key| self.places[at].below.get(key).copied())
    }

    /// The place at a path, which is created if necessary.
    fn made(&mut self, path: &Path) -> usize {
        path.iter().fold(ROOT, |at, key| {
            if let Some(below) = self.places[at].below.get(key) {
                return *below;
            }
            let below = self.places.len();
            self.places.push(Place { above: Some(at), key: key.clone(), ..Place::default() });
            self.places[at].below.insert(key.clone(), below);
            below
        })
    }

    fn cut(&mut self, place: usize) {
        let key = self.places[place].key.clone();
        if let Some(above) = self.places[place].above.take() {
            self.places[above].below.remove(&key);
        }
    }

    /// Moves everything at a place that was cut off to another place.
    fn merge(&mut self, from: usize, to: usize) {
        for id in std::mem::take(&mut self.places[from].values) {
            if self.of[id] == Some(from) {
                self.set(id, to);
            }
        }
        for (key, below) in std::mem::take(&mut self.places[from].below) {
            match self.places[to].below.get(&key).copied() {
                Some(other) => self.merge(below, other),
                None => {
                    self.places[below].above = Some(to);
                    self.places[to].below.insert(key, below);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Now;
    use crate::draft::{Source, path_of};

    #[test]
    fn nested_values_move_with_their_parent() {
        let paths = ["a", "a.b", "a.b.c", "a.d", "e"];
        let mut now = Now::new(&paths.map(|dotted| Source { path: path_of(dotted), place: None, value: None }));
        let shown = |now: &Now| -> Vec<String> {
            (0..paths.len()).map(|id| now.path(id).map_or("-".to_owned(), |path| path.join("."))).collect()
        };
        now.relocate(&path_of("a.b"), &path_of("e.f"));
        assert_eq!(shown(&now), ["a", "e.f", "e.f.c", "a.d", "e"]);
        now.relocate(&path_of("e"), &path_of("a.b"));
        assert_eq!(shown(&now), ["a", "a.b.f", "a.b.f.c", "a.d", "a.b"]);
        now.relocate(&path_of("a.d"), &path_of("a.d.x"));
        assert_eq!(shown(&now), ["a", "a.b.f", "a.b.f.c", "a.d.x", "a.b"]);
        now.forget(1);
        now.detach_at(&path_of("a.b"));
        assert_eq!(shown(&now), ["a", "-", "-", "a.d.x", "-"]);
        now.detach(0);
        assert_eq!(shown(&now), ["-"; 5]);
    }
}
