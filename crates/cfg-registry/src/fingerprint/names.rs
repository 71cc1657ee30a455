//! The names of a key over time: prime-rl renames keys, but their meaning stays the same.
//!
//! A meaning uses the oldest name of each key. A later rename can't change that name, so registered versions stay comparable.

use std::{
    collections::{BTreeMap, HashMap},
    sync::OnceLock,
};

use cfg_schema::{History, Kind, Move, Point, without_variants};
use serde_json::Value as Json;

/// A path in a kind of config, without indices and variants: `model.seq_len` of a trainer. Keys below `trainer`, `orchestrator` or `inference` of an
/// rl config have that kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct KeyPlace {
    pub(crate) kind: Kind,
    pub(crate) path: String,
}

impl KeyPlace {
    /// The place for a path of a kind of config.
    pub(crate) fn new(kind: Kind, path: &str) -> Self {
        let kind = kind.entrypoint();
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        match first.parse::<Kind>() {
            Ok(component) if kind == Kind::Rl && component != Kind::Rl => Self { kind: component, path: rest.to_owned() },
            _ => Self { kind, path: path.to_owned() },
        }
    }
}

/// The oldest name of a key, and how its values have changed since then.
#[derive(Clone, Debug)]
pub(crate) struct Origins {
    /// The oldest place.
    pub(crate) place: KeyPlace,
    /// The changes of its values since then, the latest first.
    changes: Vec<&'static Change>,
}

impl Origins {
    /// Whether the value was a single one then and is an array now.
    pub(crate) fn is_single(&self) -> bool {
        self.changes.iter().any(|change| **change == Change::Single)
    }

    /// Converts a value to its oldest form.
    pub(crate) fn first_form(&self, value: Json) -> Json {
        self.changes.iter().fold(value, |value, change| change.undo(value))
    }
}

/// How values changed when a key was moved.
#[derive(Debug, PartialEq)]
enum Change {
    /// True became false.
    Invert,
    /// A value became an array with that value as its only item, or the reverse.
    Single,
    /// Pairs of an old and a new value.
    Map(Vec<(Json, Json)>),
}

impl Change {
    fn undo(&self, value: Json) -> Json {
        match (self, value) {
            (Self::Invert, Json::Bool(boolean)) => Json::Bool(!boolean),
            (Self::Single, Json::Array(mut items)) if items.len() == 1 => items.swap_remove(0),
            (Self::Map(pairs), value) => pairs.iter().find(|(_, new)| *new == value).map_or(value, |(old, _)| old.clone()),
            (_, value) => value,
        }
    }
}

/// A move in which a key replaced exactly one other.
struct Rename {
    point: Point,
    from: KeyPlace,
    change: Option<Change>,
}

/// The oldest place of the key that is at `place` at a point.
pub(crate) fn origins(place: &KeyPlace, point: Point) -> Origins {
    let steps = steps();
    let mut origins = Origins { place: place.clone(), changes: Vec::new() };
    let mut point = point;
    while let Some((length, step)) = last_step(steps, &origins.place, point) {
        let rest = origins.place.path.get(length..).unwrap_or_default();
        if rest.is_empty() {
            origins.changes.extend(&step.change);
        }
        origins.place = KeyPlace { kind: step.from.kind, path: format!("{}{rest}", step.from.path) };
        // Going back in time: the next move must be before this one.
        point = Point(step.point.0.saturating_sub(1));
    }
    origins
}

/// The last move to this place, of the key itself or of a table that contains it, with the length of the moved path.
fn last_step<'s>(steps: &'s HashMap<KeyPlace, Vec<Rename>>, place: &KeyPlace, point: Point) -> Option<(usize, &'s Rename)> {
    let mut candidate = place.clone();
    let mut last: Option<(usize, &Rename)> = None;
    loop {
        let length = candidate.path.len();
        let here = steps.get(&candidate).into_iter().flatten().filter(|step| step.point <= point).max_by_key(|step| step.point);
        // If a key and its table moved at the same time, the move of the key is used.
        if let Some(step) = here.filter(|step| last.is_none_or(|(_, last)| step.point > last.point)) {
            last = Some((length, step));
        }
        let Some(dot) = candidate.path.rfind('.') else { return last };
        candidate.path.truncate(dot);
    }
}

fn steps() -> &'static HashMap<KeyPlace, Vec<Rename>> {
    static STEPS: OnceLock<HashMap<KeyPlace, Vec<Rename>>> = OnceLock::new();
    STEPS.get_or_init(|| make_steps(History::built_in()))
}

fn make_steps(history: History) -> HashMap<KeyPlace, Vec<Rename>> {
    let mut candidates: BTreeMap<(KeyPlace, Point), Vec<(KeyPlace, Move)>> = BTreeMap::new();
    for entry in history.moves() {
        let (Some((kind, to)), Some(point)) = (entry.to(), entry.point()) else { continue };
        let renames = matches!(entry.change(), "rename" | "move" | "restructure" | "type-change" | "value-rename");
        if point.0 == 0 || !renames || !(is_same(entry) || change_of(entry).is_some()) {
            continue;
        }
        let (from_kind, from) = entry.from();
        let to = KeyPlace::new(kind, &plain(to));
        candidates.entry((to, point)).or_default().push((KeyPlace::new(from_kind, &plain(from)), entry));
    }
    let mut steps: HashMap<KeyPlace, Vec<Rename>> = HashMap::new();
    for ((to, point), entries) in candidates {
        let Some((from, entry)) = entries.first() else { continue };
        let is_only = entries.iter().all(|(other, _)| other == from);
        // If a key replaced several others, or one that still existed, the two keys are not the same.
        if is_only && (*from == to || !existed(history, &to, Point(point.0 - 1))) {
            steps.entry(to).or_default().push(Rename { point, from: from.clone(), change: change_of(*entry) });
        }
    }
    steps
}

fn existed(history: History, place: &KeyPlace, point: Point) -> bool {
    history.schema(place.kind, point).has(&place.path)
}

fn is_same(entry: Move) -> bool {
    entry.value() == "copy" && entry.from() != entry.to().unwrap_or(entry.from())
}

fn change_of(entry: Move) -> Option<Change> {
    match entry.value() {
        "invert" => Some(Change::Invert),
        "wrap-list" | "first-element" => Some(Change::Single),
        map => {
            let pairs: serde_json::Map<String, Json> = serde_json::from_str(map.strip_prefix("map:")?).ok()?;
            let pairs: Vec<(Json, Json)> = pairs
                .into_iter()
                .map(|(old, new)| (serde_json::from_str(&old).unwrap_or(Json::String(old)), new))
                .filter(|(old, _)| *old != Json::String("*".into()))
                .collect();
            // Only a map that can be inverted preserves the meaning.
            let is_reversible = pairs.iter().enumerate().all(|(at, (_, new))| pairs[..at].iter().all(|(_, other)| other != new));
            is_reversible.then_some(Change::Map(pairs))
        }
    }
}

/// A path of the history without array items, map values and variants.
fn plain(path: &str) -> String {
    without_variants(path).replace("[]", "").replace(".*", "")
}

#[cfg(test)]
mod tests {
    use cfg_schema::{History, Kind, Target};
    use serde_json::json;

    use super::{KeyPlace, origins};

    fn oldest(kind: Kind, path: &str, target: &str) -> (Kind, String) {
        let point = Target::parse(History::built_in(), target).expect("it is known").point;
        let place = origins(&KeyPlace::new(kind, path), point).place;
        (place.kind, place.path)
    }

    #[test]
    fn a_renamed_key_is_known_by_its_oldest_name() {
        let own = |kind, path: &str| (kind, path.to_owned());
        assert_eq!(oldest(Kind::Rl, "trainer.model.lora.rank", "0.2"), own(Kind::Trainer, "model.experimental.lora.rank"));
        assert_eq!(oldest(Kind::Trainer, "optim.lr", "main"), own(Kind::Trainer, "optim.lr"));
        assert_eq!(oldest(Kind::Rl, "orchestrator.max_async_level", "0.2"), own(Kind::Orchestrator, "async_level"));
        let (before, after) =
            (oldest(Kind::Inference, "model.max_model_len", "0.7.0"), oldest(Kind::Inference, "vllm.max_model_len", "main"));
        assert_eq!(before, after);
        assert_eq!(oldest(Kind::Sft, "ckpt.keep_last", "main").1, oldest(Kind::Sft, "ckpt.keep", "6b01ba5ae").1);
    }

    #[test]
    fn values_are_converted_to_their_first_form() {
        let newest = History::built_in().newest();
        let compile = origins(&KeyPlace::new(Kind::Trainer, "model.compile"), newest);
        assert_eq!(compile.first_form(json!({})), json!(true));
        assert_eq!(compile.first_form(json!(null)), json!(false));
        assert_eq!(compile.place.path, "model.compile");
    }
}
