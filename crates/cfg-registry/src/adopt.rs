//! Makes a registry from existing configs, their headers, and their git history. What a registry already states is not changed, unless it can't be
//! true.

mod label;

use cfg_diag::Order as _;
use std::collections::{BTreeMap, HashMap, HashSet};

use cfg_plan::Metadata;
use serde_json::{Map, Value as Json, json};

use crate::{
    Version,
    fingerprint::{Digest, Fingerprint},
    json::Patch,
    merge::STATED,
    registry::{Config, Entry, Reference, Registry, SCHEMA_VERSION},
};

/// A config that was found, or that the registry contains.
#[derive(Clone, Debug)]
pub struct FoundConfig {
    /// Its path in the registry, or the path that it would have there.
    pub path: String,
    /// Whether the file exists.
    pub is_there: bool,
    /// Its revisions, the oldest first; the last is the current content of the file, if it exists.
    pub revisions: Vec<Revision>,
}

/// A content of a config at some time.
#[derive(Clone, Debug)]
pub struct Revision {
    /// The exact bytes.
    pub bytes: Vec<u8>,
    /// Its metadata.
    pub metadata: Metadata,
    /// The model that it trains.
    pub model: Option<String>,
    /// Its meaning, if it can be determined.
    pub fingerprint: Option<Fingerprint>,
    /// The prime-rl with which its meaning was determined, unless that was only assumed.
    pub prime_rl: Option<String>,
    /// The day on which it was committed, or else today.
    pub day: String,
    /// The first line of the commit's message.
    pub subject: Option<String>,
    /// The commit.
    pub commit: Option<String>,
}

/// The result of adopting configs.
#[derive(Clone, Debug, Default)]
pub struct Adopted {
    /// The registry's new text.
    pub registry: String,
    /// Texts to store, each with the path of its config.
    pub objects: Vec<(String, Vec<u8>)>,
    /// What was done, as sentences.
    pub notes: Vec<String>,
}

/// A version, and the indices of its revisions, the oldest first.
struct Labelled {
    label: String,
    revisions: Vec<usize>,
}

/// Computes the registry for the configs that were found.
pub fn adopt(registry: &Registry, found: &[FoundConfig]) -> Adopted {
    let mut adopted = Adopted::default();
    let mut patch = Patch::none();
    let labelled: Vec<Vec<Labelled>> =
        found.iter().map(|found| label::labels(registry.config(&found.path), &found.revisions)).collect();
    let known = KnownVersions::new(registry, found, &labelled);
    let mut kept: HashSet<Digest> = HashSet::new();
    let mut gone: HashSet<&str> = HashSet::new();
    for (found, labelled) in found.iter().zip(&labelled) {
        let config = registry.config(&found.path);
        if !found.is_there {
            gone.insert(&found.path);
        }
        if found.revisions.is_empty() && found.is_there {
            continue;
        }
        let mut change = Patch::none();
        config_members(config, found, &mut change, &mut adopted.notes);
        for label in never_seen(config, found, labelled) {
            let notes = "named as a parent in a file header; its text could not be found";
            change.member("versions").set(&label, json!({ "notes": notes }));
            adopted.notes.push(format!("{}:{label} is known only by name", found.path));
        }
        for (index, of) in labelled.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| labelled[before].label.as_str());
            let entry = config.and_then(|config| config.entry(&of.label));
            version(found, of, entry, before, &known, change.member("versions"), &mut adopted.notes);
            for &revision in &of.revisions {
                let bytes = &found.revisions[revision].bytes;
                if kept.insert(Digest::of(bytes)) {
                    adopted.objects.push((found.path.clone(), bytes.clone()));
                }
            }
        }
        if let Some(last) =
            labelled.iter().find(|of| of.revisions.contains(&(found.revisions.len() - 1))).filter(|_| found.is_there)
        {
            current(config, &found.path, &last.label, &mut change, &mut adopted.notes);
        }
        if has_changes(&change) {
            *patch.member("configs").member(&found.path) = change;
        }
    }
    not_in_use(registry, &gone, &mut patch, &mut adopted.notes);
    if has_changes(&patch) {
        patch.set("schema_version", SCHEMA_VERSION);
    }
    adopted.registry = registry.patched(&patch);
    let (after, _) = Registry::read(&adopted.registry);
    let named: HashSet<&str> = after.contents().collect();
    adopted.objects.retain(|(_, bytes)| named.contains(&*Digest::of(bytes).to_string()));
    adopted
}

/// Versions of a config that its headers state as parents, but that neither the registry nor any revision has.
fn never_seen(config: Option<&Config>, found: &FoundConfig, labelled: &[Labelled]) -> Vec<String> {
    let name = found.path.rsplit('/').next().unwrap_or(&found.path);
    let mut labels: Vec<String> = Vec::new();
    for revision in &found.revisions {
        let Some(based_on) = &revision.metadata.based_on else { continue };
        let reference = Reference::parse(&based_on.value);
        let is_own = reference.path.is_none_or(|path| path == name || path == found.path);
        let Some(label) = reference.label.filter(|label| is_own && Version::parse(label).is_some()) else { continue };
        let is_known = config.is_some_and(|config| config.entry(label).is_some()) || labelled.iter().any(|of| of.label == label);
        if !is_known && !labels.iter().any(|known| known == label) {
            labels.push(label.to_owned());
        }
    }
    labels.order_by_key(|label| Version::parse(label));
    labels
}

fn has_changes(patch: &Patch) -> bool {
    match patch {
        Patch::Members(members) => members.iter().any(|(_, patch)| has_changes(patch)),
        Patch::Set(_) | Patch::Remove => true,
    }
}

/// The members of a config besides its versions.
fn config_members(config: Option<&Config>, found: &FoundConfig, change: &mut Patch, notes: &mut Vec<String>) {
    let path = &found.path;
    match config {
        None => notes.push(format!("{path} is registered")),
        Some(config) if !found.is_there && !config.is_removed => {
            change.set("removed", true);
            notes.push(format!("{path} is marked as removed: the file does not exist"));
        }
        Some(config) if found.is_there && config.is_removed => {
            *change.member("removed") = Patch::Remove;
            notes.push(format!("{path} exists again"));
        }
        Some(_) => {}
    }
    let Some(last) = found.revisions.last() else { return };
    if let Some(model) = last.model.as_deref().filter(|_| config.is_none_or(|config| config.model.is_none())) {
        change.set("model", model);
    }
    if let Some(hardware) = last.metadata.hardware.as_ref().filter(|_| config.is_none_or(|config| config.hardware.is_none())) {
        change.set("hardware", &*hardware.value);
    }
    if config.is_none() {
        // Reserves its place: the members of an entry are written in the order in which they are first named.
        change.member("current_version");
    }
}

fn current(config: Option<&Config>, path: &str, label: &str, change: &mut Patch, notes: &mut Vec<String>) {
    let known = config.and_then(|config| config.current.as_ref()).map(|current| &*current.value);
    if known == Some(label) {
        return;
    }
    change.set("current_version", label);
    if let Some(known) = known {
        notes.push(format!("{path} is at {label}, not at {known}"));
    }
}

/// Adds the members of a version that the registry lacks.
fn version(
    found: &FoundConfig,
    of: &Labelled,
    entry: Option<&Entry>,
    before: Option<&str>,
    known: &KnownVersions,
    versions: &mut Patch,
    notes: &mut Vec<String>,
) {
    let Some((&last, earlier)) = of.revisions.split_last() else { return };
    let (path, label) = (&found.path, &of.label);
    let first = &found.revisions[of.revisions[0]];
    let revision = &found.revisions[last];
    let metadata = &revision.metadata;
    let mut lacks = Map::new();
    let mut say = |key: &str, is_known: bool, value: Option<Json>| {
        if let Some(value) = value.filter(|_| !is_known) {
            lacks.insert(key.to_owned(), value);
        }
    };
    let text = |stated: &Option<cfg_plan::Located<Box<str>>>| stated.as_ref().map(|stated| Json::from(&*stated.value));
    let has = |member: fn(&Entry) -> bool| entry.is_some_and(member);
    say("created", has(|entry| entry.created.is_some()), text(&metadata.created).or_else(|| Some(first.day.as_str().into())));
    let reason = text(&metadata.notes).or_else(|| first.subject.as_deref().map(Json::from));
    say("notes", has(|entry| entry.notes.is_some()), reason.or_else(|| Some("as found".into())));
    let named = metadata.based_on.as_ref().and_then(|stated| known.name(&stated.value, path));
    let is_own = |parent: &String| *parent == format!("{path}:{label}");
    let follows = before.filter(|_| entry.is_none() && named.is_none()).map(|before| format!("{path}:{before}"));
    let follows = follows.filter(|parent| !is_own(parent));
    // The text says a name that no version has, such as that of the config before it was renamed.
    if let (Some(stated), Some(parent)) = (&metadata.based_on, &follows) {
        notes.push(format!("{path}:{label} is based on {parent}: its text says {}, which isn't registered", stated.value));
        say(STATED, false, Some(json!({ "based_on": &*stated.value })));
    }
    let parent = named.filter(|parent| !is_own(parent)).or(follows);
    say("based_on", has(|entry| entry.based_on.is_some()), parent.map(Json::from));
    say("prime_rl", has(|entry| entry.prime_rl.is_some()), revision.prime_rl.as_deref().map(Json::from));
    say("env_version", has(|entry| entry.env_version.is_some()), text(&metadata.env_version));
    let sha256 = |index: usize| Digest::of(&found.revisions[index].bytes).to_string();
    let recorded = entry.and_then(|entry| entry.sha256.as_ref());
    say("sha256", recorded.is_some(), Some(sha256(last).into()));
    let is_recorded = recorded.is_none_or(|recorded| *recorded.value == *sha256(last));
    let fingerprint = revision.fingerprint.filter(|_| is_recorded).map(|fingerprint| fingerprint.to_json());
    say("fingerprint", has(|entry| entry.fingerprint.is_some()), fingerprint);
    if !earlier.is_empty() && recorded.is_none() {
        let also = earlier.iter().map(|&index| {
            let revision = &found.revisions[index];
            let mut also = json!({ "sha256": sha256(index), "created": revision.day });
            if let Some(commit) = &revision.commit {
                also["commit"] = commit.as_str().into();
            }
            also
        });
        say("also", has(|entry| !entry.also.is_empty()), Some(also.collect()));
        let means = |index: &usize| found.revisions[*index].fingerprint;
        let is_same = earlier.iter().all(|index| means(index).is_some() && means(index) == means(&last));
        if !is_same {
            let contents = of.revisions.len();
            notes.push(format!(
                "{path}:{label} had {contents} different texts; it now names the last one, and the others are \
                kept in `also`"
            ));
        }
    }
    if recorded.is_none() && entry.is_some() {
        notes.push(format!("{path}:{label} is recorded as of {}", revision.day));
    }
    if entry.is_none() {
        versions.set(label, Json::Object(lacks));
    } else {
        let of_version = versions.member(label);
        for (key, value) in lacks {
            of_version.set(&key, value);
        }
    }
}

/// Removes active names whose file does not exist.
fn not_in_use(registry: &Registry, gone: &HashSet<&str>, patch: &mut Patch, notes: &mut Vec<String>) {
    for active in &registry.active {
        let named = registry.resolve(&active.reference.value, None).map(|place| &*registry.configs[place.config].path.value);
        if named.is_ok_and(|named| gone.contains(named)) {
            *patch.member("active_configs").member(&active.name.value) = Patch::Remove;
            notes.push(format!(
                "`{}` is no longer in use: it pointed to {}, which was removed",
                active.name.value, active.reference.value
            ));
        }
    }
}

/// All versions of the result, in which parents are looked up.
struct KnownVersions {
    labels: HashMap<String, HashSet<String>>,
    /// The paths of the configs with each file name.
    paths: BTreeMap<String, Vec<String>>,
}

impl KnownVersions {
    fn new(registry: &Registry, found: &[FoundConfig], labelled: &[Vec<Labelled>]) -> Self {
        let mut labels: HashMap<String, HashSet<String>> = HashMap::new();
        for config in &registry.configs {
            labels
                .entry(config.path.value.to_string())
                .or_default()
                .extend(config.versions.iter().map(|entry| entry.label.value.to_string()));
        }
        for (found, labelled) in found.iter().zip(labelled) {
            let of_path = labels.entry(found.path.clone()).or_default();
            of_path.extend(labelled.iter().map(|of| of.label.clone()));
            of_path.extend(never_seen(registry.config(&found.path), found, labelled));
        }
        let mut paths: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut all: Vec<&String> = labels.keys().collect();
        all.sort();
        for path in all {
            paths.entry(path.rsplit('/').next().unwrap_or(path).to_owned()).or_default().push(path.clone());
        }
        Self { labels, paths }
    }

    /// The version to which a reference in the config at `from` refers.
    fn name(&self, text: &str, from: &str) -> Option<String> {
        let reference = Reference::parse(text);
        let label = reference.label?;
        let written = reference.path.unwrap_or(from);
        let path = if self.labels.contains_key(written) {
            written
        } else {
            match self.paths.get(written.rsplit('/').next().unwrap_or(written)).map(Vec::as_slice) {
                Some([only]) if only.ends_with(written.trim_start_matches("./")) => only,
                _ => return None,
            }
        };
        self.labels.get(path)?.contains(label).then(|| format!("{path}:{label}"))
    }
}

/// The version that a revision states, if it is valid.
fn stated(revision: &Revision) -> Option<Version> {
    Version::parse(&revision.metadata.version.as_ref()?.value)
}
