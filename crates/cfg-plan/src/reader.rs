//! Reads the settings of one table by their keys at all versions.

use std::{borrow::Cow, sync::Arc};

use cfg_compose::Origin;
use cfg_diag::Location;
use cfg_resolve::{Field, Resolved, ResolvedTable, ResolvedValue, View};
use cfg_schema::NodeCache;

use crate::{
    Fact, Key, Setting,
    fact::{self, Owner, join},
    layout::{Candidate, Layout, LeadsTo},
    value::Value,
};

/// The keys of a setting at all versions, the newest first, and the shared keys from which prime-rl copies it.
///
/// A key is a dotted path from its table. `filters[zero_advantage].enforce` is a key of the item with that tag in an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paths {
    pub(crate) own: &'static [&'static str],
    pub(crate) shared: &'static [&'static str],
}

/// A table from which settings are read, with its key.
pub(crate) struct Reader<'a> {
    pub(crate) view: View<'a>,
    pub(crate) owner: Owner,
    /// The table from which it inherits values; `None` if there is none.
    pub(crate) above: Option<Above<'a>>,
}

/// A table from which other tables get values.
#[derive(Clone, Copy)]
pub(crate) enum Above<'a> {
    /// The root of an `rl` config. prime-rl copies its shared keys to the components.
    Run(&'a View<'a>),
    /// A component with its key. Its environments inherit its sampling settings.
    Component(&'a View<'a>, &'a Owner),
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(view: View<'a>, owner: Owner, above: Option<Above<'a>>) -> Self {
        Self { view, owner, above }
    }

    /// The layouts of a part's settings in this table, in the order of the settings.
    pub(crate) fn layout(&self, settings: &'static [Paths], known: &'static NodeCache<Box<[Layout]>>) -> &'static [Layout] {
        let (node, schema) = (self.view.table().node, self.view.schema());
        known.of(node, schema.point, || {
            let table = ResolvedTable::new(node);
            let empty = Reader::new(View::new(schema, &table), fact::top(), None);
            let candidates = |paths: &Paths| paths.own.iter().filter_map(|path| Candidate::find(path, &empty)).collect();
            settings.iter().map(|paths| Layout { paths: *paths, candidates: candidates(paths) }).collect()
        })
    }

    /// A setting: the first of its keys that is given, or else the first that exists.
    pub(crate) fn setting<T: Value>(&self, layout: Option<&Layout>) -> Setting<T> {
        let Some(Layout { paths, candidates }) = layout else { return Setting::Absent };
        let given = &self.view.table().fields;
        let mut first = None;
        for candidate in candidates {
            let path = candidate.path;
            // Most keys are not given, nor is the table that would contain them: then the default is known.
            let resolved = match given.iter().find(|given| given.node == candidate.field) {
                Some(given) => self.given(given, candidate),
                None => candidate.untouched.as_ref().map(Cow::Borrowed),
            };
            let Some(resolved) = resolved else { continue };
            if !matches!(resolved.origin, Origin::Default) {
                return self.make(&resolved, path, paths.shared);
            }
            first.get_or_insert((resolved, path));
        }
        let Some((resolved, path)) = first else { return Setting::Absent };
        self.not_yet_copied(path, paths.shared).unwrap_or_else(|| self.make(&resolved, path, paths.shared))
    }

    /// The value of a key whose first field is given. Most keys are that field, or a field of its table.
    fn given<'r>(&'r self, given: &'r Field, candidate: &'r Candidate) -> Option<Cow<'r, Resolved>> {
        match (&candidate.leads_to, &given.resolved.value) {
            (LeadsTo::Itself, _) => Some(Cow::Borrowed(&given.resolved)),
            (LeadsTo::Inner { field, untouched }, ResolvedValue::Table(table)) if table.node == candidate.field => {
                let own = table.fields.iter().find(|given| given.node == *field);
                Some(Cow::Borrowed(own.map_or(untouched, |given| &given.resolved)))
            }
            _ => self.get(candidate.path, candidate.in_item),
        }
    }

    /// The value at a path below this table. With `in_item`, the path leads into an item of an array.
    pub(crate) fn get(&self, path: &str, in_item: bool) -> Option<Cow<'_, Resolved>> {
        if !in_item {
            let given = self.view.get(path);
            let free = || self.view.free(path).map(Cow::Owned);
            return given.map(Cow::Borrowed).or_else(free).or_else(|| self.view.in_the_way(path).map(Cow::Borrowed));
        }
        let (list, rest) = path.split_once('[')?;
        let (tag, field) = rest.split_once("].")?;
        let items = self.view.each(list);
        let item = items.iter().find(|(_, item)| item.tag("") == Some(tag));
        let absent = || Cow::Owned(Resolved { value: ResolvedValue::Null, origin: Origin::Default });
        self.view.get(list)?;
        Some(item.and_then(|(_, item)| item.get(field)).map_or_else(absent, Cow::Borrowed))
    }

    fn make<T: Value>(&self, resolved: &Resolved, path: &'static &'static str, shared: &'static [&'static str]) -> Setting<T> {
        let (key, origin) = (Key::new(Arc::clone(&self.owner), path), resolved.origin);
        let value = match &resolved.value {
            ResolvedValue::Null => T::null(),
            ResolvedValue::Invalid => return Setting::Faulty { key, origin },
            _ => match T::read(resolved, self, path) {
                Some(value) => Some(value),
                None => return Setting::Faulty { key, origin },
            },
        };
        match value {
            Some(value) => Setting::Is(Fact { value, key, origin, shared: self.shared(shared, resolved) }),
            None => Setting::Empty { key, origin },
        }
    }

    /// The shared key from which a value was copied, if the user wrote that key.
    fn shared(&self, paths: &'static [&'static str], resolved: &Resolved) -> Option<Box<(Key, Location)>> {
        // Only a value that prime-rl assigned can be a copy.
        resolved.origin.made_by()?;
        let above = match self.above? {
            Above::Run(above) | Above::Component(above, _) => above,
        };
        let owner = || match self.above {
            Some(Above::Component(_, key)) => Arc::clone(key),
            _ => fact::top(),
        };
        paths.iter().find_map(|path| {
            let location = above.location(path)?;
            (resolved.origin.place() == Some(location)).then(|| Box::new((Key::new(owner(), path), location)))
        })
    }

    /// The value of a shared key that prime-rl copies only if all fields are valid, and that has not been copied because of an error elsewhere.
    fn not_yet_copied<T: Value>(&self, own: &'static &'static str, paths: &'static [&'static str]) -> Option<Setting<T>> {
        let Some(Above::Run(top)) = self.above.filter(|_| !paths.is_empty()) else { return None };
        if top.table().is_valid {
            return None;
        }
        let (path, resolved) = paths.iter().find_map(|path| Some((path, top.get(path)?)))?;
        let location = resolved.origin.location()?;
        let value = T::read(resolved, &Reader::new(*top, fact::top(), None), path)?;
        let shared = Some(Box::new((Key::new(fact::top(), path), location)));
        Some(Setting::Is(Fact { value, key: Key::new(Arc::clone(&self.owner), own), origin: resolved.origin, shared }))
    }

    /// The key of a path below this table.
    pub(crate) fn key_of(&self, path: &str) -> Owner {
        if path.is_empty() { Arc::clone(&self.owner) } else { Owner::new(join(&self.owner, path)) }
    }

    /// The table at a path below this table.
    pub(crate) fn below(&self, path: &str) -> Option<Reader<'_>> {
        Some(Reader { view: self.view.below(path)?, owner: self.key_of(path), above: self.above })
    }
}
