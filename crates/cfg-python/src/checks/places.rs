//! Which objects are at which paths of the config.
//!
//! Python's names and fields refer to objects: one object can be in several fields, and a field can get another object while a name still refers to the
//! old one. The config has only values by path, so what a check puts where is recorded here.

use std::{rc::Rc, sync::Arc};

use cfg_schema::{Open, Reason, ValueSegment};

use super::{
    heap,
    object::{DEEPEST, Object, Place, Why, below},
    run::Run,
};
use crate::hash::HashMap;

/// A table that has been read: its path, and how often the object at the path had been replaced before.
pub(super) type Spot = (Place, u32);

/// The objects in the config.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The paths whose objects have been replaced.
    replaced: Vec<Place>,
    /// Paths with the object that is also at another path, which is the one by which it is known.
    same: Vec<(Place, Place)>,
    /// Where a table is now that is no longer at the path at which it was read.
    moved: HashMap<Spot, Spot>,
    /// The lists, dicts and sets that have been read or put, by path.
    containers: HashMap<Place, Object>,
}

impl Places {
    /// The path by which the object at a path is known.
    pub(super) fn known(&self, place: &[ValueSegment]) -> Place {
        let mut place: Place = place.into();
        // Each step leads to an earlier path; the bound is for code that shares the same object very often.
        for _ in 0..self.same.len() {
            if !heap::spend(self.same.len()) {
                break;
            }
            let found = self.same.iter().find(|(from, _)| place.starts_with(from));
            let Some((from, known)) = found else { break };
            place = known.iter().chain(&place[from.len()..]).cloned().collect();
        }
        place
    }

    /// All paths that lead to the object at a path.
    pub(super) fn all(&self, place: &[ValueSegment]) -> Vec<Place> {
        let mut all = vec![self.known(place)];
        let mut at = 0;
        while at < all.len() && all.len() < 64 {
            if !heap::spend(self.same.len() * 2) {
                break;
            }
            let place = Rc::clone(&all[at]);
            for (from, known) in &self.same {
                if place.starts_with(known) {
                    let other: Place = from.iter().chain(&place[known.len()..]).cloned().collect();
                    if !all.contains(&other) {
                        all.push(other);
                    }
                }
            }
            at += 1;
        }
        all
    }

    /// All paths that lead to a field or an entry of a table, which a new object is put into.
    pub(super) fn slots(&self, at: &[ValueSegment]) -> Vec<Place> {
        match at.split_last() {
            Some((last, above)) => self.all(above).iter().map(|above| below(above, last.clone())).collect(),
            None => vec![at.into()],
        }
    }

    /// How often the object at a path has been replaced.
    pub(super) fn version(&self, place: &[ValueSegment]) -> u32 {
        if !heap::spend(self.replaced.len()) {
            return 0;
        }
        let count = self.replaced.iter().filter(|slot| place.starts_with(slot)).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// The table at a path.
    pub(super) fn spot(&self, place: &[ValueSegment]) -> Spot {
        let place = self.known(place);
        let version = self.version(&place);
        (place, version)
    }

    /// Where a table is now; `None` if it is no longer in the config.
    pub(super) fn live(&self, spot: &Spot) -> Option<Spot> {
        let mut spot = spot.clone();
        for _ in 0..=self.moved.len() {
            if !heap::spend(2) {
                return None;
            }
            if self.version(&spot.0) == spot.1 {
                return Some(spot);
            }
            spot = self.moved.get(&spot)?.clone();
        }
        None
    }

    /// The list, dict or set at a path, if it has been read or put before.
    pub(super) fn container(&self, place: &[ValueSegment]) -> Option<Object> {
        self.containers.get(place).cloned()
    }

    /// Records a list, dict or set at a path.
    pub(super) fn keep(&mut self, place: &[ValueSegment], container: &Object) {
        self.containers.insert(place.into(), container.clone());
    }

    /// The paths with an object that is also at another path, each with that one.
    pub(super) fn shared(&self) -> Vec<(Vec<ValueSegment>, Vec<ValueSegment>)> {
        self.same.iter().map(|(from, known)| (from.to_vec(), known.to_vec())).collect()
    }

    /// The objects in a config in which these pairs of paths have the same object.
    pub(super) fn sharing(pairs: Vec<(Vec<ValueSegment>, Vec<ValueSegment>)>) -> Self {
        Self { same: pairs.into_iter().map(|(from, known)| (from.into(), known.into())).collect(), ..Self::default() }
    }

    /// Records that the object at a path is replaced or removed. An object in it that is also at another path is known by that one from now on.
    pub(super) fn replace(&mut self, slot: &Place) {
        if !heap::spend(self.same.len() + self.containers.len() * 2) {
            return;
        }
        self.same.retain(|(from, _)| !from.starts_with(slot));
        while let Some(at) = self.same.iter().position(|(_, known)| known.starts_with(slot)) {
            let (from, known) = self.same.swap_remove(at);
            if !heap::spend(self.same.len() * 2 + self.containers.len() * 2) {
                return;
            }
            let old = (Rc::clone(&known), self.version(&known));
            for (_, other) in &mut self.same {
                if other.starts_with(&known) {
                    *other = from.iter().chain(&other[known.len()..]).cloned().collect();
                }
            }
            let within: Vec<Place> = self.containers.keys().filter(|place| place.starts_with(&known)).cloned().collect();
            for place in within {
                let now: Place = from.iter().chain(&place[known.len()..]).cloned().collect();
                if let Some(container) = self.containers.remove(&place) {
                    container.set_home(Some(&now));
                    self.containers.insert(now, container);
                }
            }
            let now = (Rc::clone(&from), self.version(&from));
            self.moved.insert(old, now);
        }
        let gone: Vec<Place> = self.containers.keys().filter(|place| place.starts_with(slot)).cloned().collect();
        for place in gone {
            if let Some(container) = self.containers.remove(&place) {
                container.set_home(None);
            }
        }
        self.replaced.push(Rc::clone(slot));
    }

    /// Records that the value at a path was removed; a list or a dict may be put elsewhere later.
    pub(super) fn remove(&mut self, slot: &Place) {
        if heap::spend(self.containers.len()) {
            self.containers.retain(|place, _| !place.starts_with(slot));
            self.replace(slot);
        }
    }

    /// Records that a table is at a path now: it was put there alone, or it is at another path, too.
    pub(super) fn put_table(&mut self, spot: &Spot, at: &Place) {
        match self.live(spot) {
            Some((place, _)) if place == *at => {}
            Some((place, _)) => self.same.push((Rc::clone(at), place)),
            None => {
                let now = (Rc::clone(at), self.version(at));
                self.moved.insert(spot.clone(), now);
            }
        }
    }

    /// Records that a list, dict or set is at a path now. Returns whether it is only there, so that what it contains is at paths below.
    pub(super) fn put_container(&mut self, container: &Object, at: &Place) -> bool {
        match container.home() {
            Some(home) if self.containers.get(&home).is_some_and(|own| own.is_same(container)) => {
                if home != *at {
                    self.same.push((Rc::clone(at), home));
                }
                false
            }
            _ => {
                container.set_home(Some(at));
                self.keep(at, container);
                true
            }
        }
    }
}

/// Where a table is.
#[derive(Debug)]
pub(super) enum Where {
    /// It was never in the config.
    Nowhere,
    At(Place),
    /// It was replaced by another table.
    Gone,
}

impl Run<'_> {
    pub(super) fn whereabouts(&self, of: &Object) -> Where {
        let spot = match of {
            Object::Table(place, version) => Some((Rc::clone(place), *version)),
            Object::New(new) => new.home.borrow().clone(),
            _ => None,
        };
        let Some(spot) = spot else { return Where::Nowhere };
        self.places.borrow().live(&spot).map_or(Where::Gone, |(place, _)| Where::At(place))
    }

    /// The table at a path.
    pub(super) fn table_at(&self, at: &[ValueSegment]) -> Object {
        let (place, version) = self.places.borrow().spot(at);
        Object::Table(place, version)
    }

    /// Why a table that is no longer in the config is unknown.
    pub(super) fn gone() -> Why {
        let why = "a table that is no longer in the config".to_owned();
        Rc::new(Open { why, place: String::new(), reason: Reason::Code })
    }

    /// Records that an object is at a path of the config, with all that it contains.
    pub(super) fn settle(&self, object: &Object, at: &Place) {
        if at.len() > DEEPEST || !heap::spend(8 + at.len()) {
            return;
        }
        match object {
            Object::Table(place, version) => self.places.borrow_mut().put_table(&(Rc::clone(place), *version), at),
            Object::New(new) => {
                let home = new.home.borrow().clone();
                if let Some(home) = home {
                    self.places.borrow_mut().put_table(&home, at);
                    return;
                }
                let spot = (Rc::clone(at), self.places.borrow().version(at));
                *new.home.borrow_mut() = Some(spot);
                for (name, value) in new.given.borrow().iter() {
                    self.settle(value, &below(at, ValueSegment::Field(Arc::clone(name))));
                }
            }
            Object::List(_) | Object::Set(_) | Object::Dict(_) => {
                if !self.places.borrow_mut().put_container(object, at) {
                    return;
                }
                match object {
                    Object::List(list) => self.settle_items(&list.value.borrow(), at),
                    Object::Dict(dict) => {
                        for (key, value) in dict.value.borrow().iter() {
                            if let Object::Str(key) = key {
                                self.settle(value, &below(at, ValueSegment::Key(Arc::clone(key))));
                            }
                        }
                    }
                    _ => {}
                }
            }
            Object::Tuple(items) => self.settle_items(items, at),
            _ => {}
        }
    }

    fn settle_items(&self, items: &[Object], at: &Place) {
        for (index, item) in items.iter().enumerate() {
            self.settle(item, &below(at, ValueSegment::Item(index)));
        }
    }
}
