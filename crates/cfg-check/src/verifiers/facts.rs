//! What verifiers accepts in which release, read from `schemas/evaluations.toml`.

use std::sync::LazyLock;

use cfg_diag::FileId;
use cfg_resolve::{is_slip, nearest};
use cfg_schema::{ExtraType, Version};
use cfg_syntax::{Dialect, Table, Value};

/// The facts about all releases of verifiers.
#[derive(Debug)]
pub(crate) struct Facts {
    /// The last known release.
    newest: Option<Version>,
    /// The first release that reads such files.
    oldest: Option<Version>,
    /// The environments in the repository of verifiers.
    pub(super) environments: Vec<Box<str>>,
    /// The tasksets there.
    pub(super) tasksets: Vec<Box<str>>,
    keys: Vec<Key>,
    endpoint_keys: Vec<Key>,
    behaviours: Vec<(Box<str>, Stretch)>,
    /// The release whose behaviour hosted evaluations have, and the release of `prime` that starts them.
    pub(super) hosted: Option<(Version, Box<str>)>,
    /// The types of clients that an `[[endpoint]]` may name, in all releases.
    pub(super) client_types: Vec<String>,
}

/// A range of releases, with the names of its ends as shown in messages.
#[derive(Debug)]
pub(super) struct Stretch {
    pub(super) since: Option<(Version, Box<str>)>,
    pub(super) until: Option<(Version, Box<str>)>,
}

#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: Box<str>,
    /// What it is, in a sentence.
    pub(super) says: Box<str>,
    pub(super) stretch: Stretch,
    /// The type of its value, in the notation of the history.
    pub(super) ty: Box<str>,
    /// The type with which its value is usually written, if any type is accepted.
    written: Option<Box<str>>,
    /// Whether only entries have it, and not the root.
    pub(super) is_of_entries: bool,
    /// Whether only hosted evaluations accept it.
    pub(super) is_hosted: bool,
    /// The type or condition that hosted evaluations require; `None` if they refuse the key.
    pub(super) platform: Option<Box<str>>,
}

static ALL: LazyLock<Facts> = LazyLock::new(|| {
    let (document, _) = cfg_syntax::parse(FileId(0), include_str!("../../../../schemas/evaluations.toml"), Dialect::Toml10);
    let root = &document.root;
    let tables = |key: &str| root.value(key).map_or(&[][..], Value::items).iter().filter_map(Value::as_table);
    let names = |key: &str| -> Vec<Box<str>> {
        root.value(key).map_or(&[][..], Value::items).iter().filter_map(Value::as_str).map(Into::into).collect()
    };
    let release = |key: &str| version(root, key).map(|(release, _)| release);
    let keys: Vec<Key> = tables("key").map(Key::read).collect();
    let of_clients = keys.iter().find(|key| &*key.name == "api_client_type").and_then(|key| key.ty.parse().ok());
    Facts {
        newest: release("newest"),
        oldest: release("oldest"),
        client_types: if let Some(ExtraType::Literal(types)) = of_clients { types } else { Vec::new() },
        environments: names("environments"),
        tasksets: names("tasksets"),
        keys,
        hosted: root
            .value("hosted")
            .and_then(Value::as_table)
            .and_then(|hosted| Some((version(hosted, "like")?.0, text(hosted, "prime")?))),
        endpoint_keys: tables("endpoint_key").map(Key::read).collect(),
        behaviours: tables("behaviour").map(|table| (text(table, "name").unwrap_or_default(), Stretch::read(table))).collect(),
    }
});

pub(crate) fn facts() -> &'static Facts {
    &ALL
}

fn text(table: &Table, key: &str) -> Option<Box<str>> {
    table.value(key).and_then(Value::as_str).map(Into::into)
}

fn version(table: &Table, key: &str) -> Option<(Version, Box<str>)> {
    let name = text(table, key)?;
    Some((Version::parse(&name)?, name))
}

impl Key {
    /// The type that accepts any value: such values are not checked.
    pub(super) const ANY: &str = "any";

    fn read(table: &Table) -> Self {
        let is = |key: &str| table.value(key).and_then(Value::as_bool) == Some(true);
        Self {
            name: text(table, "name").unwrap_or_default(),
            says: text(table, "says").unwrap_or_default(),
            stretch: Stretch::read(table),
            ty: text(table, "type").unwrap_or_else(|| Self::ANY.into()),
            written: text(table, "written"),
            is_of_entries: is("entries"),
            is_hosted: is("hosted"),
            platform: text(table, "platform"),
        }
    }
}

impl Key {
    /// The type with which its value is written, for an editor.
    pub(super) fn written_type(&self) -> ExtraType {
        let written = self.written.as_ref().filter(|_| &*self.ty == Self::ANY).unwrap_or(&self.ty);
        written.parse().unwrap_or(ExtraType::Any)
    }
}

impl Stretch {
    fn read(table: &Table) -> Self {
        Self { since: version(table, "since"), until: version(table, "until") }
    }

    /// Whether the range begins at or before a release.
    pub(super) fn has_begun(&self, release: &Version) -> bool {
        self.since.as_ref().is_none_or(|(since, _)| since <= release)
    }

    /// Whether the range ends before a release.
    pub(super) fn has_ended(&self, release: &Version) -> bool {
        self.until.as_ref().is_some_and(|(until, _)| until <= release)
    }

    fn holds(&self, release: &Version) -> bool {
        self.has_begun(release) && !self.has_ended(release)
    }
}

impl Facts {
    /// Whether a release is newer than the known ones.
    pub(super) fn is_beyond(&self, release: &Version) -> bool {
        self.newest.as_ref().is_some_and(|newest| newest < release)
    }

    /// Whether a release does not read such files yet.
    pub(super) fn is_before(&self, release: &Version) -> bool {
        self.oldest.as_ref().is_some_and(|oldest| release < oldest)
    }

    /// A key of the root or of an evaluation.
    pub(super) fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| *key.name == *name)
    }

    /// Whether any release accepts a key.
    pub(crate) fn has_key(&self, name: &str) -> bool {
        self.key(name).is_some()
    }

    /// Whether any release accepts a key, or one that differs from it by a single typing error.
    pub(crate) fn may_mean(&self, name: &str) -> bool {
        let names = || self.keys.iter().map(|key| &*key.name);
        let is_word = |word: &str| names().any(|name| name.split('_').any(|other| other == word));
        let is_meant = |near| is_slip(name, near, &names().collect::<Vec<_>>(), is_word);
        self.has_key(name) || nearest(name, names()).is_some_and(is_meant)
    }

    /// All keys of the root and of evaluations.
    pub(super) fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Whether any release accepts a key of an endpoint.
    pub(crate) fn is_of_endpoint(&self, name: &str) -> bool {
        self.endpoint_keys.iter().any(|key| *key.name == *name)
    }

    pub(super) fn endpoint_keys(&self) -> &[Key] {
        &self.endpoint_keys
    }

    /// The releases in which its loader has a behaviour.
    pub(super) fn behaviour(&self, name: &str) -> Option<&Stretch> {
        self.behaviours.iter().find(|(own, _)| **own == *name).map(|(_, stretch)| stretch)
    }

    /// The newest known release that accepts only these keys.
    pub(super) fn newest_with(&self, names: &[String]) -> Option<&Version> {
        let ends =
            self.keys.iter().flat_map(|key| [&key.stretch.since, &key.stretch.until]).flatten().map(|(release, _)| release);
        let behaviours = self.behaviours.iter().filter_map(|(_, stretch)| stretch.since.as_ref()).map(|(release, _)| release);
        let takes_no_other = |release: &&Version| {
            let known = self.keys.iter().filter(|key| !key.is_hosted && &*key.name != "id" && key.stretch.holds(release));
            known.into_iter().all(|key| names.iter().any(|name| **name == *key.name))
        };
        ends.chain(behaviours).chain(&self.oldest).chain(&self.newest).filter(takes_no_other).max()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use cfg_schema::Version;

    use super::facts;

    fn version(text: &str) -> Version {
        Version::parse(text).expect("a version")
    }

    #[test]
    fn each_fact_holds_over_a_stretch_of_known_releases() {
        let facts = facts();
        let (Some(oldest), Some(newest)) = (&facts.oldest, &facts.newest) else { panic!("both are given") };
        assert!(oldest < newest && facts.keys.len() > 40, "{}", facts.keys.len());
        let names: BTreeSet<&str> = facts.keys.iter().map(|key| &*key.name).collect();
        assert_eq!(names.len(), facts.keys.len(), "each is there once");
        let all = facts.keys.iter().chain(&facts.endpoint_keys);
        let unexplained: Vec<&str> = all.filter(|key| !key.says.ends_with('.')).map(|key| &*key.name).collect();
        assert!(unexplained.is_empty(), "{unexplained:?}");
        let stretches = facts.keys.iter().chain(&facts.endpoint_keys).map(|key| (&key.name, &key.stretch));
        for (name, stretch) in stretches.chain(facts.behaviours.iter().map(|(name, stretch)| (name, stretch))) {
            let since = stretch.since.as_ref().map_or(oldest, |(since, _)| since);
            let until = stretch.until.as_ref().map(|(until, _)| until);
            assert!(oldest <= since && since <= newest, "{name}");
            // The loader itself ends after the newest release that has it.
            assert!(until.is_none_or(|until| since < until && (until <= newest || &**name == "lists")), "{name}");
        }
        assert!(facts.client_types.len() > 4 && facts.endpoint_keys.len() > 5);
    }

    #[test]
    fn the_age_of_a_source_is_recognized_by_its_keys() {
        let at = |release: &str| -> Vec<String> {
            let known = facts().keys.iter().filter(|key| !key.is_hosted && key.stretch.holds(&version(release)));
            known.map(|key| key.name.to_string()).filter(|name| name != "id").collect()
        };
        for (written, found) in [("0.1.10", "0.1.10.dev5"), ("0.1.13.dev1", "0.1.12.dev6"), ("0.2.1", "0.3.2.dev22")] {
            assert_eq!(facts().newest_with(&at(written)), Some(&version(found)), "{written}");
        }
        let mut forked = at("0.2.1");
        forked.push("of_a_fork".to_owned());
        assert_eq!(facts().newest_with(&forked), Some(&version("0.3.2.dev22")));
        assert_eq!(facts().newest_with(&["env_id".to_owned()]), None);
    }
}
