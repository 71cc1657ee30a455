//! A resolved config as a list of its values, each under the oldest name of its key and with the first default of that key.

mod known;

use cfg_compose::{Integer, Origin};
use cfg_diag::Order as _;
use cfg_resolve::{Resolved, ResolvedTable, ResolvedValue, View};
use cfg_schema::{Interval, Kind, Node, Point, Schema, Segment};
use serde_json::{Map, Value as Json};

use super::{
    Class, class_of,
    names::{KeyPlace, Origins, origins},
};

/// Replaces the random part of a value.
const RANDOM: &str = "????????";

/// All values of a config, including defaults and those of keys that the schema does not have. Not included are keys whose values prime-rl copies elsewhere, and values that are
/// random at each start.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The schema with which the config was resolved.
    pub schema: Schema,
    /// Its values, in the order of the schema.
    pub leaves: Vec<Leaf>,
    /// The keys whose values prime-rl copies elsewhere, and which therefore have no class.
    pub(super) copied: Vec<Leaf>,
}

/// A value that is not a table or array, or the existence of a table or array.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The dotted key from the root, by its name in this prime-rl: `orchestrator.env[0].args.mode`.
    pub key: String,
    /// Its class.
    pub class: Class,
    /// The value. A table is represented as `{}`, one with variants as `"<adamw>"`, and an array of tables as `"[2]"`.
    pub value: Json,
    /// The value in the form that it had in the first prime-rl with the key.
    pub(super) first: Json,
    /// Whether it equals the first default of the key. Then it is treated as if the key did not exist.
    pub is_usual: bool,
    /// Whether prime-rl refuses the value; then only its place is known.
    pub is_invalid: bool,
    /// Its origin.
    pub origin: Origin,
    /// How the schema has the key.
    pub(super) known: Known,
    /// The oldest name of the key with the indices of the items around it, which is the same at all versions.
    pub(super) identity: Identity,
}

/// How a schema has a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// As a field.
    Field,
    /// As a free key, which its table takes.
    Free,
    /// Not at all: the value is as it is written, and means what a prime-rl that has the key makes of it.
    Refused,
}

/// Identifies a leaf across versions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Identity {
    pub(super) place: KeyPlace,
    pub(super) indices: Vec<usize>,
}

impl Meaning {
    /// The meaning of a resolved config. For a config with errors, the values that could be read.
    pub fn new(view: &View<'_>) -> Self {
        let schema = view.schema();
        let mut walk = Walk { schema, leaves: Vec::new(), copied: Vec::new() };
        let (key, path) = (String::new(), String::new());
        let root = At { key, path, indices: Vec::new(), class: None, known: Known::Field, origin: Origin::Default };
        walk.fields(view.table(), &root, None);
        Self { schema, leaves: walk.leaves, copied: walk.copied }
    }
}

struct Walk {
    schema: Schema,
    leaves: Vec<Leaf>,
    copied: Vec<Leaf>,
}

/// The position in the traversal.
#[derive(Clone)]
struct At {
    /// The path as written, with indices.
    key: String,
    /// The path without indices.
    path: String,
    indices: Vec<usize>,
    /// `None` if prime-rl copies the value elsewhere.
    class: Option<Class>,
    known: Known,
    /// The origin of the value.
    origin: Origin,
}

/// The first default of a key.
#[derive(Clone, Default)]
struct Usual {
    /// `None` if the key is required.
    json: Option<Json>,
    /// The tags of the tables in the default, in the form of the history.
    variants: Json,
    /// The variant that corresponds to the original table, if there was only one kind of table at first.
    heir: Option<&'static str>,
}

impl Usual {
    fn of(interval: Interval) -> Self {
        if interval.is_required() {
            return Self::default();
        }
        let json = interval.default_json().and_then(|json| serde_json::from_str(json).ok()).unwrap_or(Json::Null);
        let variants = interval.default_variant_json().and_then(|json| serde_json::from_str(json).ok()).unwrap_or(Json::Null);
        Self { json: Some(json), variants, heir: None }
    }

    fn is(&self, value: &Json) -> bool {
        self.json.as_ref().is_some_and(|json| canonical(json) == *value)
    }

    /// The first default of the leaf for the table's existence, if the table exists by default.
    fn marker(&self) -> Self {
        let json = self.json.as_ref().map(|json| match (json, &self.variants) {
            (Json::Object(_), Json::String(tag)) => marker(Some(tag)),
            (Json::Object(_), _) => marker(None),
            (other, _) => other.clone(),
        });
        Self { json, variants: Json::Null, heir: None }
    }

    fn object(&self) -> Option<&Map<String, Json>> {
        self.json.as_ref()?.as_object()
    }

    /// The default of an array's item.
    fn item(&self, index: usize) -> Self {
        let json = self.json.as_ref().and_then(|json| json.as_array()?.get(index).cloned());
        Self { json, variants: self.variants.get(index).cloned().unwrap_or_default(), heir: None }
    }
}

impl Walk {
    const fn point(&self) -> Point {
        self.schema.point
    }

    /// Visits all fields of a table. `owner` is the default of the whole table, if that determines its fields.
    fn fields(&mut self, table: &ResolvedTable, at: &At, owner: Option<&Map<String, Json>>) {
        let view = View::new(self.schema, table);
        for (field, interval) in table.node.fields(self.point()) {
            let Some(name) = field.field_name() else { continue };
            if interval.is_hidden() {
                continue;
            }
            let path = if at.path.is_empty() { name.to_owned() } else { format!("{}.{name}", at.path) };
            let Some(resolved) = view.get(name) else { continue };
            let known = known::of(self.schema, field, interval, &path);
            let below = At {
                key: joined(&at.key, name),
                path,
                indices: at.indices.clone(),
                class: known.class,
                known: Known::Field,
                origin: resolved.origin,
            };
            let of_owner = owner.and_then(|owner| owner.get(name));
            let of_owner = of_owner.map(|json| Usual { json: Some(json.clone()), variants: Json::Null, heir: None });
            self.value(resolved, &below, &known.since, of_owner.as_ref().unwrap_or(&known.usual));
        }
        for (name, resolved) in view.extras("") {
            self.free(&name, &resolved, at, None);
        }
        for (name, resolved) in view.refused() {
            self.free(name, &resolved, &At { known: Known::Refused, ..at.clone() }, None);
        }
    }

    /// Visits an entry with a free key.
    fn free(&mut self, name: &str, resolved: &Resolved, at: &At, usual: Option<&Json>) {
        let path = joined(&at.path, name);
        let known = if at.known == Known::Refused { Known::Refused } else { Known::Free };
        let class = class_of(self.schema.kind, &path).or_else(|| (known == Known::Refused).then_some(Class::Training));
        let key = joined(&at.key, &cfg_resolve::emit::key(name));
        let below = At { key, path, indices: at.indices.clone(), class, known, origin: resolved.origin };
        let since = origins(&KeyPlace::new(self.schema.kind, &below.path), self.point());
        self.value(resolved, &below, &since, &Usual { json: usual.cloned(), variants: Json::Null, heir: None });
    }

    fn value(&mut self, resolved: &Resolved, at: &At, since: &Origins, usual: &Usual) {
        match &resolved.value {
            ResolvedValue::Table(table) => {
                let tag = if let Segment::Variant(tag) | Segment::Class(tag) = table.node.segment() { Some(tag) } else { None };
                let mark = marker(tag.filter(|tag| usual.heir != Some(*tag)));
                let is_default = usual.marker().is(&mark);
                self.leaf(mark, at, since, &usual.marker());
                self.fields(table, at, usual.object().filter(|_| is_default));
            }
            ResolvedValue::Map(entries) => {
                self.leaf(marker(None), at, since, &usual.marker());
                for (name, entry) in entries {
                    self.free(name, entry, at, usual.object().and_then(|object| object.get(&**name)));
                }
            }
            ResolvedValue::List(items) if !items.is_empty() && items.iter().all(|item| is_table(&item.value)) => {
                if let ([item], true) = (items.as_slice(), since.is_single()) {
                    return self.value(item, &At { key: format!("{}[0]", at.key), ..at.clone() }, since, usual);
                }
                let length = usual.json.as_ref().and_then(|json| Some(Json::String(format!("[{}]", json.as_array()?.len()))));
                let usual_length = Usual { json: length, variants: Json::Null, heir: None };
                self.leaf(Json::String(format!("[{}]", items.len())), at, since, &usual_length);
                for (index, item) in items.iter().enumerate() {
                    let mut below = At { key: format!("{}[{index}]", at.key), origin: item.origin, ..at.clone() };
                    below.indices.push(index);
                    self.value(item, &below, since, &usual.item(index));
                }
            }
            other => {
                let known = (self.leaves.len(), self.copied.len());
                self.leaf(json_of(other), at, since, usual);
                if matches!(other, ResolvedValue::Invalid) && known != (self.leaves.len(), self.copied.len()) {
                    let all = if known.0 == self.leaves.len() { &mut self.copied } else { &mut self.leaves };
                    all.iter_mut().last().into_iter().for_each(|leaf| leaf.is_invalid = true);
                }
            }
        }
    }

    fn leaf(&mut self, value: Json, at: &At, since: &Origins, usual: &Usual) {
        let is_random = matches!(&value, Json::String(text) if text.contains(RANDOM)) && at.origin.location().is_none();
        if is_random {
            return;
        }
        let first = since.first_form(value.clone());
        let identity = Identity { place: since.place.clone(), indices: at.indices.clone() };
        let is_usual = usual.is(&first);
        let class = at.class.unwrap_or(Class::Training);
        let (key, origin, known) = (at.key.clone(), at.origin, at.known);
        let leaf = Leaf { key, class, value, first, is_usual, is_invalid: false, origin, known, identity };
        if at.class.is_some() { self.leaves.push(leaf) } else { self.copied.push(leaf) }
    }
}

impl Leaf {
    /// Whether it is written: in a file, on the command line, in the environment.
    pub fn is_written(&self) -> bool {
        self.origin.location().is_some()
    }

    /// Whether it is the existence of a table or of an array of tables.
    pub(super) fn is_table(&self) -> bool {
        match &self.value {
            Json::Object(object) => object.is_empty(),
            Json::String(mark) => {
                [('<', '>'), ('[', ']')].iter().any(|(start, end)| mark.starts_with(*start) && mark.ends_with(*end))
            }
            _ => false,
        }
    }

    /// The value for messages, in TOML notation: `2e-5`, `"a"`, `null`; `muon` for a table of that variant, `2 tables` for an array of them.
    pub fn text(&self) -> String {
        match &self.value {
            _ if self.is_invalid => "an invalid value".to_owned(),
            Json::Object(object) if object.is_empty() => "a table".to_owned(),
            Json::String(mark) if mark.starts_with('<') && mark.ends_with('>') => mark[1..mark.len() - 1].to_owned(),
            Json::String(mark) if mark == "[1]" => "1 table".to_owned(),
            Json::String(mark) if mark.starts_with('[') && mark.ends_with(']') => format!("{} tables", &mark[1..mark.len() - 1]),
            Json::Number(number) => match number.as_f64().filter(|float| !number.is_i64() && float.abs() < 1e-3) {
                Some(small) => format!("{small:e}"),
                None => number.to_string(),
            },
            other => other.to_string(),
        }
    }

    /// Its line in the text that is hashed for a fingerprint.
    pub(super) fn line(&self) -> String {
        let Identity { place, indices } = &self.identity;
        format!("{}:{}{indices:?} = {}\n", place.kind, place.path, self.first)
    }
}

/// The oldest names of all keys that a kind of config has at a point.
pub(super) fn places(schema: Schema) -> std::collections::HashSet<KeyPlace> {
    fn collect(node: Node, kind: Kind, point: Point, path: &str, all: &mut std::collections::HashSet<KeyPlace>) {
        for child in node.children() {
            match child.segment() {
                Segment::Field(name) if child.at(point).is_some() => {
                    let path = joined(path, name);
                    all.insert(origins(&KeyPlace::new(kind, &path), point).place);
                    collect(child, kind, point, &path, all);
                }
                Segment::Field(_) => {}
                _ => collect(child, kind, point, path, all),
            }
        }
    }
    let mut all = std::collections::HashSet::new();
    collect(schema.root(), schema.kind, schema.point, "", &mut all);
    all
}

fn joined(owner: &str, name: &str) -> String {
    if owner.is_empty() { name.to_owned() } else { format!("{owner}.{name}") }
}

const fn is_table(value: &ResolvedValue) -> bool {
    matches!(value, ResolvedValue::Table(_) | ResolvedValue::Map(_))
}

/// The value of the leaf for a table's existence.
fn marker(tag: Option<&str>) -> Json {
    tag.map_or_else(|| Json::Object(Map::new()), |tag| Json::String(format!("<{tag}>")))
}

/// A value in canonical form: the keys of tables are sorted, and whole numbers have no decimal point.
fn json_of(value: &ResolvedValue) -> Json {
    match value {
        ResolvedValue::Null => Json::Null,
        ResolvedValue::Bool(boolean) => Json::Bool(*boolean),
        ResolvedValue::Int(Integer::Small(small)) => Json::from(*small),
        ResolvedValue::Int(Integer::Big(digits)) => Json::String(format!("{digits} as a number")),
        ResolvedValue::Float(float) => number(*float),
        ResolvedValue::Str(text) => Json::String(text.to_string()),
        ResolvedValue::Datetime(datetime) => Json::String(datetime.to_string()),
        ResolvedValue::List(items) => Json::Array(items.iter().map(|item| json_of(&item.value)).collect()),
        ResolvedValue::Map(entries) => {
            let mut pairs: Vec<(String, Json)> =
                entries.iter().map(|(key, entry)| (key.to_string(), json_of(&entry.value))).collect();
            pairs.order_by(|one, other| one.0.cmp(&other.0));
            Json::Object(pairs.into_iter().collect())
        }
        ResolvedValue::Table(table) => marker(table.node.variant_tag()),
        ResolvedValue::Invalid => Json::String("faulty".to_owned()),
    }
}

/// A default of the history in canonical form.
fn canonical(json: &Json) -> Json {
    match json {
        Json::Number(some) => some.as_i64().map_or_else(|| number(some.as_f64().unwrap_or(f64::NAN)), Json::from),
        Json::Array(items) => Json::Array(items.iter().map(canonical).collect()),
        Json::Object(object) => {
            let mut pairs: Vec<(String, Json)> = object.iter().map(|(key, json)| (key.clone(), canonical(json))).collect();
            pairs.order_by(|one, other| one.0.cmp(&other.0));
            Json::Object(pairs.into_iter().collect())
        }
        other => other.clone(),
    }
}

fn number(float: f64) -> Json {
    /// Up to this number, floats represent every integer exactly.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if float.fract() == 0.0 && float.abs() < EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
        return Json::from(float as i64);
    }
    serde_json::Number::from_f64(float).map_or_else(|| Json::String(format!("{float} as a number")), Json::Number)
}
