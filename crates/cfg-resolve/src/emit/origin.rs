//! The origin of a value, in words and as JSON.

use cfg_compose::Origin;
use cfg_diag::Location;
use serde_json::{Map, Value as Json};

/// The names of places in messages.
#[derive(Clone, Copy)]
pub struct Places<'a> {
    /// A location in the form that is shown to the user: `rl.toml:3:5`.
    pub place: &'a dyn Fn(Location) -> String,
    /// The text at a location.
    pub text: &'a dyn Fn(Location) -> Option<&'a str>,
    /// The prime-rl whose defaults apply: `0.4.0`.
    pub target: &'a str,
}

/// An origin in words: `rl.toml:3:5`, `default of 0.4.0`, `auto_setup_seq_len, from rl.toml:3:5`.
pub fn origin_in_words(origin: Origin, places: Places<'_>) -> String {
    match origin {
        Origin::File(location) => (places.place)(location),
        Origin::CommandLine(location) => format!("command line: {}", word(location, places)),
        Origin::Environment(location) => format!("environment: {}", word(location, places)),
        Origin::Default => format!("default of {}", places.target),
        Origin::Loader(derivation) | Origin::Check(derivation) => match derivation.from {
            Some(from) => format!("{}, from {}", derivation.name, (places.place)(from)),
            None => derivation.name.to_owned(),
        },
    }
}

/// An origin as JSON.
pub fn origin_as_json(origin: Origin, places: Places<'_>) -> Json {
    let kind = match origin {
        Origin::File(_) => "file",
        Origin::CommandLine(_) => "command-line",
        Origin::Environment(_) => "environment",
        Origin::Default => "default",
        Origin::Loader(_) => "loader",
        Origin::Check(_) => "rule",
    };
    let mut json = Map::new();
    json.insert("kind".into(), kind.into());
    if let Some(location) = origin.location() {
        json.insert("place".into(), (places.place)(location).into());
    }
    if let Origin::Loader(derivation) | Origin::Check(derivation) = origin {
        json.insert("function".into(), derivation.name.into());
        json.insert("from".into(), derivation.from.map_or(Json::Null, |from| (places.place)(from).into()));
    }
    if origin == Origin::Default {
        json.insert("target".into(), places.target.into());
    }
    Json::Object(json)
}

fn word(location: Location, places: Places<'_>) -> String {
    (places.text)(location).map_or_else(|| (places.place)(location), str::to_owned)
}
