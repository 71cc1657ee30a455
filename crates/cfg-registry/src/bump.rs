//! Computes what `cfg bump` does to a config and its registry, before anything is written.

use cfg_diag::word;
use cfg_plan::Metadata;
use serde_json::{Map, Value as Json};

use crate::{
    Version,
    fingerprint::{Class, Digest, Fingerprint, Level},
    header::{self, Unwritable},
    json::Patch,
    registry::{Config, Reference, Registry, SCHEMA_VERSION, Unresolved},
};

/// The input for a new version.
pub struct Request<'a> {
    /// The registry.
    pub registry: &'a Registry,
    /// The config's path in it.
    pub path: &'a str,
    /// The config's text.
    pub text: &'a str,
    /// Its metadata.
    pub metadata: &'a Metadata,
    /// Its meaning, if known.
    pub fingerprint: Option<Fingerprint>,
    /// The meaning of the current version, computed from its stored text.
    pub previous: Option<Fingerprint>,
    /// The reason for the new version.
    pub why: &'a str,
    /// The level of the change, if the user states it.
    pub level: Option<Level>,
    /// The parent, if the user states it.
    pub based_on: Option<&'a str>,
    /// The day: `2026-01-05`.
    pub today: &'a str,
    /// The prime-rl for which it is checked, unless it was only assumed.
    pub prime_rl: Option<&'a str>,
    /// The model that it trains.
    pub model: Option<&'a str>,
    /// Whether to create a version even if nothing changed.
    pub is_forced: bool,
}

/// A new version.
#[derive(Clone, Debug)]
pub struct Bump {
    /// The current version of the file.
    pub from: Option<String>,
    /// The new version.
    pub to: String,
    /// The parent of the new version: `path:version`.
    pub based_on: Option<String>,
    /// The parent that the file states, if that is not a version of the registry; the new version then has no parent.
    pub unknown_parent: Option<String>,
    /// The classes in which it differs from the previous version; `None` if unknown.
    pub differing: Option<Vec<Class>>,
    /// The level that follows from these classes.
    pub suggested: Option<Level>,
    /// The config's new text.
    pub text: String,
    /// The registry's new text.
    pub registry: String,
}

/// Why no version is created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No reason is given.
    NoReason,
    /// The file is identical to a version.
    Unchanged {
        /// That version.
        version: String,
    },
    /// The file has the same meaning as its version.
    OnlyComments {
        /// That version.
        version: String,
    },
    /// The user states a parent that does not exist.
    UnknownParent(Unresolved),
    /// The user states a parent without a version.
    NoParentVersion,
    /// The metadata block can't be written.
    Unwritable(Unwritable),
}

/// Computes a new version.
pub fn plan(request: &Request<'_>) -> Result<Bump, Refusal> {
    let registry = request.registry;
    if request.why.trim().is_empty() {
        return Err(Refusal::NoReason);
    }
    let config = registry.config(request.path);
    let current = config.and_then(Config::current_entry);
    let sha256 = registry.digest_of(request.text.as_bytes()).to_string();
    let same = config.into_iter().flat_map(|config| &config.versions);
    let mut same = same.filter(|entry| entry.sha256.as_ref().is_some_and(|known| *known.value == *sha256));
    if let Some(same) = same.next().filter(|_| !request.is_forced) {
        return Err(Refusal::Unchanged { version: same.label.value.to_string() });
    }
    // The text of the current version says what it means; without it, its fingerprint does if it was computed as that of the file is.
    let before = request.previous.or_else(|| current?.fingerprint?.current());
    let both = before.zip(request.fingerprint);
    let differing: Option<Vec<Class>> = both.map(|(before, now)| before.differing(&now).collect());
    if let (Some(current), Some([])) = (current, differing.as_deref())
        && !request.is_forced
    {
        return Err(Refusal::OnlyComments { version: current.label.value.to_string() });
    }
    let suggested = both.and_then(|(before, now)| before.level_to(&now));
    let from = current.map(|entry| entry.label.value.to_string());
    let stated = request.metadata.version.as_ref().and_then(|stated| Version::parse(&stated.value));
    let level = request.level.or(suggested).unwrap_or(Level::Major);
    let to = next_version(registry, config, stated.as_ref(), level).to_string();
    let based_on = match request.based_on {
        Some(text) if Reference::parse(text).is_none() => None,
        Some(text) => Some(stated_parent(registry, request.path, text)?),
        None => from.as_ref().map(|from| format!("{}:{from}", request.path)).or_else(|| parent_of_header(request)),
    };
    let of_header = request.metadata.based_on.as_ref().filter(|stated| !Reference::parse(&stated.value).is_none());
    let dropped = of_header.filter(|_| based_on.is_none());
    let mut members = vec![("version", to.as_str()), ("created", request.today), ("notes", request.why)];
    match &based_on {
        Some(based_on) => members.push(("based_on", based_on)),
        // `cfg check` would report the parent that the file states.
        None if dropped.is_some() => members.push(("based_on", "none")),
        None => {}
    }
    let unknown_parent = dropped.filter(|_| request.based_on.is_none()).map(|stated| stated.value.to_string());
    let text = header::with_members(request.text, &members).map_err(Refusal::Unwritable)?;
    let registry = registered(request, &to, based_on.as_deref(), &text);
    Ok(Bump { from, to, based_on, unknown_parent, differing, suggested, text, registry })
}

/// The version after the highest one, or after the one that the config states, if that is higher.
fn next_version(registry: &Registry, config: Option<&Config>, stated: Option<&Version>, level: Level) -> Version {
    let Some(highest) = config.and_then(Config::highest) else {
        return stated.cloned().unwrap_or_else(|| first_version(registry));
    };
    let next = highest.next(level);
    stated.filter(|stated| **stated > *highest).cloned().unwrap_or(next)
}

/// The first version of a config, in the form that the other configs have.
fn first_version(registry: &Registry) -> Version {
    let mut versions = registry.configs.iter().filter_map(Config::highest);
    let are_semantic = registry.configs.iter().any(|config| config.highest().is_some()) && versions.all(Version::has_levels);
    let semantic = Version::Semantic { version: semver::Version::new(1, 0, 0), has_v: false };
    if are_semantic { semantic } else { Version::FIRST }
}

fn stated_parent(registry: &Registry, path: &str, text: &str) -> Result<String, Refusal> {
    let reference = Reference::parse(text);
    let place = match registry.resolve(text, Some(path)) {
        // A reference without a version refers to the current version of the config.
        Err(Unresolved::NoVersion { path: config }) if reference.label.is_none() => {
            let current = registry.config(&config).and_then(|config| config.current.as_ref());
            let current = current.ok_or(Refusal::NoParentVersion)?;
            registry.resolve(&format!("{config}:{}", current.value), None)
        }
        resolved => resolved,
    };
    place.map(|place| registry.name(place)).map_err(Refusal::UnknownParent)
}

/// The parent in the config's own metadata, which is used when the config is registered for the first time.
fn parent_of_header(request: &Request<'_>) -> Option<String> {
    stated_parent(request.registry, request.path, &request.metadata.based_on.as_ref()?.value).ok()
}

/// The text of the registry with the new version.
fn registered(request: &Request<'_>, to: &str, based_on: Option<&str>, text: &str) -> String {
    let mut patch = Patch::none();
    patch.set("schema_version", SCHEMA_VERSION);
    let config = patch.member("configs").member(request.path);
    let known = request.registry.config(request.path);
    let has_model = known.is_some_and(|config| config.model.is_some());
    if let Some(model) = request.model.filter(|_| !has_model) {
        config.set("model", model);
    }
    let has_hardware = known.is_some_and(|config| config.hardware.is_some());
    if let Some(hardware) = request.metadata.hardware.as_ref().filter(|_| !has_hardware) {
        config.set("hardware", &*hardware.value);
    }
    config.set("current_version", to);
    if known.is_some_and(|config| config.is_removed) {
        *config.member("removed") = Patch::Remove;
    }
    let mut entry = Map::new();
    let mut say = |key: &str, value: Option<Json>| {
        if let Some(value) = value {
            entry.insert(key.to_owned(), value);
        }
    };
    say("created", Some(request.today.into()));
    say("notes", Some(request.why.into()));
    say("based_on", based_on.map(Json::from));
    say("prime_rl", request.prime_rl.map(Json::from));
    say("env_version", request.metadata.env_version.as_ref().map(|stated| (*stated.value).into()));
    say("sha256", Some(Digest::of(text.as_bytes()).to_string().into()));
    say("fingerprint", request.fingerprint.map(|fingerprint| fingerprint.to_json()));
    config.member("versions").set(to, Json::Object(entry));
    request.registry.patched(&patch)
}

impl Refusal {
    /// The reason, as a sentence without a full stop.
    pub fn message(&self, registry: &Registry, path: &str) -> String {
        match self {
            Self::NoReason => "say why you are making this version: -m \"why\"".to_owned(),
            Self::Unchanged { version } => {
                let current = registry.config(path).and_then(|config| config.current.as_ref()).map(|current| &*current.value);
                match current.filter(|current| *current != version.as_str()) {
                    Some(current) => format!(
                        "{path} is identical to the registered {version}, and the current version is {current}: \
                         `cfg registry restore {}` makes {version} the current one (use --force to make a new version of it)",
                        word(&format!("{path}:{version}"))
                    ),
                    None => format!(
                        "{path} is identical to the registered {version}: nothing to bump (use --force to make a version anyway)"
                    ),
                }
            }
            Self::OnlyComments { version } => format!(
                "{path} means the same as {version}: only comments, layout or metadata changed (use --force to make a version \
                 anyway)"
            ),
            Self::UnknownParent(unresolved) => format!("--based-on: {}", unresolved.message(registry)),
            Self::NoParentVersion => "--based-on names a config without a current version; write path:version".to_owned(),
            Self::Unwritable(Unwritable::Broken) => {
                format!("the metadata block in {path} is invalid; run `cfg check {}` for details", word(path))
            }
        }
    }
}
