//! Where a setting is found in tables of a class.

use std::{borrow::Cow, sync::OnceLock};

use cfg_compose::Origin;
use cfg_diag::Location;
use cfg_resolve::{Field, Resolved, ResolvedValue, View};
use cfg_schema::{Node, NodeCache, Point, Policy, TypeKind};

use crate::{
    Fact, Key, Setting,
    class::Class,
    fact::{Owner, State},
    place::{Place, first_field, first_key, state},
    reader::{Above, FieldSet, Reader},
    table::is_open,
    value::Value,
};

/// A setting in one class of table at one point.
#[derive(Debug)]
pub(crate) struct Layout<T: 'static> {
    /// The keys that begin with a field of the table, the newest first. A key is a dotted path from the table. `filters[zero_advantage].enforce`
    /// is a key of the item with that tag in an array.
    candidates: Vec<Candidate<T>>,
    /// The fields with which they begin.
    fields: FieldSet,
    /// The shared keys from which prime-rl copies it.
    shared: &'static [&'static str],
    /// These keys in the tables that have them.
    shared_in: NodeCache<Vec<SharedKey>>,
}

/// A shared key in one class of table.
#[derive(Debug)]
struct SharedKey {
    key: Key,
    /// The fields on it, without those that depend on what is written.
    fields: Box<[Node]>,
    /// The rest of the key, below these fields.
    rest: &'static str,
}

/// A key that a setting can have in a table.
#[derive(Debug)]
struct Candidate<T: 'static> {
    /// The key where nothing is given.
    untouched: Place<T>,
    /// The field of the table with which the key begins.
    field: Node,
    /// The rest of the key: `.lr` of `optim.lr`; empty if its first field is the whole key.
    rest: &'static str,
    /// Where the key leads to from that field, by the class of its table.
    leads_to: NodeCache<LeadsTo<T>>,
    may_exist: OnceLock<bool>,
    /// Whether the class has no field of this name, but a table that accepts it, as `vllm_extra` does.
    is_free: bool,
}

/// Where a key leads to from one of its fields.
#[derive(Debug)]
enum LeadsTo<T: 'static> {
    /// It is the field itself.
    Itself,
    /// To a field of the field's table, or below it.
    Inner {
        /// The field.
        field: Node,
        /// The key where the table is given and the field is not.
        untouched: Place<T>,
        /// Where the key leads to from the field.
        leads_to: Box<LeadsTo<T>>,
    },
    /// To a place that depends on what is written.
    Elsewhere,
    /// The table does not have the rest of the key.
    Nowhere,
}

/// What a table has for a key.
enum Found<'a, T: 'static> {
    /// A value.
    Value(&'a Resolved),
    /// A value that was made from a free key.
    Made(Box<Resolved>),
    /// Nothing, so that the schema decides.
    Nothing(&'static Place<T>),
    /// The key does not exist.
    NoKey,
}

impl<T: Value> Layout<T> {
    /// The layout of a setting with these keys, the newest first, and the shared keys from which prime-rl copies it.
    pub(crate) fn new(own: &'static [&'static str], shared: &'static [&'static str], class: &Class) -> Self {
        let mut candidates = Vec::with_capacity(own.len());
        candidates.extend(own.iter().filter_map(|path| Candidate::find(path, class)));
        if candidates.len() > 1 {
            candidates.retain(Candidate::may_exist);
        }
        let fields = FieldSet::of(candidates.iter().map(|candidate| candidate.field));
        Self { candidates, fields, shared, shared_in: NodeCache::new() }
    }

    /// Reads the setting, which is absent, from a table of the class.
    #[inline]
    pub(crate) fn read(&'static self, setting: &mut Setting<T>, reader: &Reader<'_>) {
        let relevant = if self.shared.is_empty() { reader.relevant } else { reader.relevant_if_shared };
        match &*self.candidates {
            [only] if !self.fields.meets(relevant) => setting.set(Setting::not_given(&only.untouched)),
            [] => {}
            _ => setting.set(self.setting_in(reader)),
        }
    }

    /// The setting by the first of its keys that is given, or else the first that exists: one with a field of its own, if there is one.
    #[inline(never)]
    fn setting_in(&'static self, reader: &Reader<'_>) -> Setting<T> {
        let mut first: Option<(Found<'_, T>, &'static &'static str, bool)> = None;
        for candidate in &self.candidates {
            let found = match reader.given(candidate.field) {
                Some(given) => candidate.found_in(given, reader),
                None => Found::Nothing(&candidate.untouched),
            };
            match found {
                // Whether the key exists is determined only if the setting is used.
                Found::Nothing(place) if self.candidates.len() == 1 && reader.not_copied_from().is_none() => {
                    return place.setting_in(reader);
                }
                found if !found.exists() => {}
                found if found.is_default() => {
                    if first.as_ref().is_none_or(|(.., is_free)| *is_free && !candidate.is_free) {
                        first = Some((found, candidate.untouched.path(), candidate.is_free));
                    }
                }
                found => return self.make(found, reader, candidate.untouched.path()),
            }
        }
        let Some((found, path, _)) = first else { return Setting::default() };
        self.not_yet_copied(path, reader).unwrap_or_else(|| self.make(found, reader, path))
    }

    fn make(&'static self, found: Found<'_, T>, reader: &Reader<'_>, path: &'static &'static str) -> Setting<T> {
        let shared = |resolved: &Resolved| self.copied_from(source(resolved.origin)?, reader);
        match found {
            Found::NoKey => Setting::default(),
            Found::Nothing(place) => place.setting_in(reader),
            Found::Value(resolved) => state(resolved, reader, path, || shared(resolved)).into(),
            Found::Made(resolved) => state(&resolved, reader, path, || shared(&resolved)).into(),
        }
    }

    /// The shared key from which prime-rl copied the value at a place, if the user wrote that key.
    fn copied_from(&'static self, place: Location, reader: &Reader<'_>) -> Option<&'static Key> {
        let (above, owner) = match reader.above? {
            Above::Run(above) => (above, &Owner::TOP),
            Above::Component(above, owner) => (above, owner),
        };
        let shared = self.shared_in(above, owner);
        shared.iter().find(|shared| shared.place_in(above) == Some(place)).map(|shared| &shared.key)
    }

    /// The shared keys in a table with this key.
    fn shared_in(&'static self, above: &View<'_>, owner: &Owner) -> &'static [SharedKey] {
        let node = above.table().node;
        let key = |path| SharedKey::new(Key::new(*owner, path), node);
        self.shared_in.of(node, above.schema().point, || self.shared.iter().map(key).collect())
    }

    /// The value of a shared key that prime-rl has not copied because of an error elsewhere.
    fn not_yet_copied(&'static self, own: &'static &'static str, reader: &Reader<'_>) -> Option<Setting<T>> {
        let top = reader.not_copied_from()?;
        let shared = self.shared_in(top, &Owner::TOP);
        let (path, resolved, key) =
            self.shared.iter().zip(shared).find_map(|(path, shared)| Some((path, top.get(path)?, &shared.key)))?;
        resolved.origin.location()?;
        let value = T::read(resolved, &Reader::new(*top, Owner::TOP, None), path)?;
        let fact = Fact { value, key: Key::new(reader.owner, own), origin: resolved.origin, shared: Some(key) };
        Some(State::Is(fact).into())
    }
}

/// The place of the value from which prime-rl made a value with this origin.
const fn source(origin: Origin) -> Option<Location> {
    match origin {
        Origin::Loader(derivation) | Origin::Check(derivation) => derivation.from,
        _ => None,
    }
}

impl SharedKey {
    /// A key of tables of this class.
    fn new(key: Key, class: Node) -> Self {
        let mut node = class;
        let field = |key| {
            node = node.field(key)?;
            Some(node)
        };
        let fields: Box<[Node]> = key.path().split('.').map_while(field).collect();
        Self { rest: without_keys(key.path(), fields.len()), key, fields }
    }

    /// The place that decides its value in a table, if it is given.
    fn place_in(&self, view: &View<'_>) -> Option<Location> {
        let mut table = view.table();
        for (above, field) in self.fields.iter().enumerate() {
            let given = &table.fields.find(*field)?.resolved;
            if self.rest.is_empty() && above + 1 == self.fields.len() {
                return given.origin.place();
            }
            match &given.value {
                ResolvedValue::Table(inner) if inner.node == *field => table = inner,
                ResolvedValue::Table(inner) => {
                    return View::new(view.schema(), inner).location(without_keys(self.key.path(), above + 1));
                }
                _ => return None,
            }
        }
        View::new(view.schema(), table).location(self.rest)
    }
}

/// Whether a key ends in one that a table accepts without having a field of that name.
fn is_free(path: &str, class: Node, point: Point) -> bool {
    let mut table = class;
    for key in path.split('.') {
        let Some(field) = table.field(key) else {
            return table.at(point).is_some_and(|interval| is_open(interval.field_type()));
        };
        table = field;
    }
    false
}

/// A path without its first keys.
fn without_keys(path: &'static str, keys: usize) -> &'static str {
    path.splitn(keys + 1, '.').nth(keys).unwrap_or_default()
}

impl<T: Value> Found<'_, T> {
    fn exists(&self) -> bool {
        match self {
            Self::Nothing(place) => place.value().is_some(),
            Self::NoKey => false,
            Self::Value(_) | Self::Made(_) => true,
        }
    }

    fn is_default(&self) -> bool {
        let origin = match self {
            Self::Value(resolved) => resolved.origin,
            Self::Made(resolved) => resolved.origin,
            Self::Nothing(_) | Self::NoKey => Origin::Default,
        };
        matches!(origin, Origin::Default)
    }
}

impl<T: Value> LeadsTo<T> {
    /// Where a key of a class leads to from a field whose rest is `rest`. `table` is the class of the field's table: the field itself, or a variant.
    fn find(class: &Class, path: &'static &'static str, rest: &'static str, table: Node) -> Self {
        if rest.is_empty() {
            return Self::Itself;
        }
        let Some(rest) = rest.strip_prefix('.') else { return Self::Elsewhere };
        let Some(field) = first_field(rest, table, class.point()) else {
            let kind = table.at(class.point()).map(|interval| interval.field_type().kind());
            let is_closed = matches!(kind, Some(TypeKind::Table(policy)) if policy != Policy::Allow);
            return if is_closed { Self::Nowhere } else { Self::Elsewhere };
        };
        let untouched = Place::new(*class, path, table, rest);
        let below = &rest[first_key(rest).len()..];
        let exists = below.is_empty() || untouched.value().is_some();
        if exists {
            Self::Inner { field, untouched, leads_to: Box::new(Self::find(class, path, below, field)) }
        } else {
            Self::Elsewhere
        }
    }

    /// What a table has for the key if the field from which it leads is given; `None` if that depends on what is written.
    /// `class` is the known class of that field's table.
    fn found<'r>(&'static self, class: Node, given: &'r Resolved) -> Option<Found<'r, T>> {
        match (self, &given.value) {
            (Self::Itself, _) => Some(Found::Value(given)),
            (Self::Inner { field, untouched, leads_to }, ResolvedValue::Table(table)) if table.node == class => {
                match table.fields.find(*field) {
                    Some(given) => leads_to.found(*field, &given.resolved),
                    None => Some(Found::Nothing(untouched)),
                }
            }
            (Self::Nowhere, ResolvedValue::Table(table)) if table.node == class && table.extra.is_empty() => Some(Found::NoKey),
            _ => None,
        }
    }
}

impl<T: Value> Candidate<T> {
    /// The candidate for a key; `None` if the class does not have its first field.
    fn find(path: &'static &'static str, class: &Class) -> Option<Self> {
        let field = first_field(path, class.node, class.point())?;
        let rest = &path[first_key(path).len()..];
        Some(Self {
            untouched: Place::new(*class, path, class.node, path),
            field,
            rest,
            leads_to: NodeCache::new(),
            may_exist: OnceLock::new(),
            is_free: is_free(path, class.node, class.point()),
        })
    }

    /// Whether the key can exist, whatever is given.
    fn may_exist(&self) -> bool {
        *self.may_exist.get_or_init(|| self.untouched.may_exist())
    }

    /// What a table has for the key if the key's first field is given.
    fn found_in<'r>(&'static self, given: &'r Field, reader: &Reader<'r>) -> Found<'r, T> {
        let path = self.untouched.path();
        let known = match &given.resolved.value {
            _ if self.rest.is_empty() => Some(Found::Value(&given.resolved)),
            ResolvedValue::Table(table) => {
                let class = self.untouched.class();
                let find = || LeadsTo::find(class, path, self.rest, table.node);
                self.leads_to.of(table.node, class.point(), find).found(table.node, &given.resolved)
            }
            _ => None,
        };
        known.unwrap_or_else(|| match self.may_exist().then(|| reader.get(path)).flatten() {
            Some(Cow::Borrowed(resolved)) => Found::Value(resolved),
            Some(Cow::Owned(resolved)) => Found::Made(Box::new(resolved)),
            None => Found::NoKey,
        })
    }
}
