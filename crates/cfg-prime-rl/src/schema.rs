//! The keys of prime-rl's configs, and the schemas of the documents of this program.

use cfg_schema::{History, Kind, Target, find_fields, interval_in_words};

use crate::Error;

/// A key at a prime-rl.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Key {
    /// The path in the notation of the history: `trainer.optim<type=adamw>.lr`.
    pub path: String,
    /// Its type, its bounds and its default, in words.
    pub holds: String,
    /// The allowed strings; empty if any is.
    pub choices: Vec<&'static str>,
    /// Whether it must be given.
    pub is_required: bool,
    /// Its default as JSON.
    pub default: Option<&'static str>,
    /// What it is for.
    pub doc: Option<&'static str>,
}

/// A key of a config and those directly below it, at a target; an empty path is the whole config. Empty if there is no such key.
///
/// ```
/// use cfg_prime_rl::{Kind, schema};
///
/// let keys = schema::keys(Kind::Rl, "0.8.0", "trainer.scheduler")?;
/// assert!(keys.iter().any(|key| key.path == "trainer.scheduler<type=cosine>.warmup_steps"));
/// # Ok::<(), cfg_prime_rl::Error>(())
/// ```
///
/// # Errors
/// If the target is unknown.
pub fn keys(kind: Kind, target: &str, path: &str) -> Result<Vec<Key>, Error> {
    let history = if kind.is_hosted() { History::built_in().hosted() } else { History::built_in() };
    let target = Target::parse(history, target).map_err(|error| Error::Target(error.to_string()))?;
    let found = find_fields(history, kind, path);
    let here: Vec<_> = found.iter().filter(|field| field.exists_at(target.point)).collect();
    let below = here.iter().flat_map(|field| field.fields_at(target.point)).collect::<Vec<_>>();
    let key = |field: &cfg_schema::FoundField| {
        let interval = field.node.at(target.point)?;
        Some(Key {
            path: field.path.clone(),
            holds: interval_in_words(interval),
            choices: interval.field_type().literals().collect(),
            is_required: interval.is_required(),
            default: interval.default_json(),
            doc: field.node.doc(target.point),
        })
    };
    Ok(here.into_iter().chain(&below).filter_map(key).collect())
}

/// The JSON Schema (draft-07) of a kind of document of `cfg`, by the name of its file: `report` for `schemas/report.schema.json`.
///
/// ```
/// let report = cfg_prime_rl::schema::document("report").expect("it is one");
/// assert_eq!(report["$id"], "urn:cfg:schema:report:1");
/// ```
pub fn document(name: &str) -> Option<serde_json::Value> {
    serde_json::from_str(cfg_report::schemas::find(name)?.text).ok()
}

/// The JSON Schema (draft-07) of the configs of a kind, as `cfg schema export` writes it.
///
/// # Errors
/// If the target is unknown.
pub fn config(kind: Kind, target: &str) -> Result<serde_json::Value, Error> {
    let history = if kind.is_hosted() { History::built_in().hosted() } else { History::built_in() };
    let target = Target::parse(history, target).map_err(|error| Error::Target(error.to_string()))?;
    Ok(cfg_resolve::emit::json_schema(target.schema(kind), &target.name))
}
