//! Parses the text of `registry.json`, and reports its errors.

use std::collections::{HashMap, HashSet};

use cfg_diag::{Code, Diagnostic, Location, Span, codes};
use unicode_normalization::UnicodeNormalization as _;

use super::{Active, Config, Entry, REGISTRY_FILE, Registry, RunEntry, SCHEMA_VERSION, Text, file_name};
use crate::{
    Version,
    fingerprint::Recorded,
    json::{self, Kind, Member, Node},
    merge::STATED,
};

impl Registry {
    /// Reads a registry. If the text is not a registry, the result has no configs, and a diagnostic says so. If there is an error among the
    /// diagnostics, the registry must not be written.
    pub fn read(text: &str) -> (Self, Vec<Diagnostic>) {
        let mut reading = Reading { diagnostics: Vec::new() };
        let root = match json::parse(text) {
            Ok(root) => root,
            Err(_) if let Some(mark) = cfg_syntax::conflict(text) => {
                reading.diagnostics.push(cfg_syntax::unresolved_conflict(Location::new(REGISTRY_FILE, mark)));
                Node { span: Span::empty(0), kind: Kind::Object(Vec::new()) }
            }
            Err(fault) => {
                let span = Span::new(
                    fault.at,
                    text[fault.at as usize..].chars().next().map_or(fault.at, |next| fault.at + next.len_utf8() as u32),
                );
                let help = "nothing was changed; fix the JSON by hand, or restore registry.json from version control";
                reading.say(&codes::INVALID_REGISTRY, span, format!("invalid JSON: {}", fault.message), help);
                Node { span: Span::empty(0), kind: Kind::Object(Vec::new()) }
            }
        };
        let (mut configs, mut active, mut runs) = (Vec::new(), Vec::new(), Vec::new());
        if reading.diagnostics.is_empty() {
            reading.root(&root, &mut configs, &mut active);
            reading.each_its_own_file(&configs);
            runs = reading.runs(&root);
        }
        let by_path = configs.iter().enumerate().map(|(index, config)| (config.path.value.clone(), index)).collect();
        let mut by_name: HashMap<Box<str>, Vec<usize>> = HashMap::new();
        for (index, config) in configs.iter().enumerate() {
            by_name.entry(file_name(&config.path.value).into()).or_default().push(index);
        }
        (
            Self { text: text.to_owned(), root, configs, active, runs, by_path, by_name, texts: std::sync::OnceLock::new() },
            reading.diagnostics,
        )
    }

    /// The same as [`is_registry`] of its text.
    pub(crate) fn is_one(&self) -> bool {
        // Only what stands for an invalid text has no place in it.
        if self.root.span.is_empty() { names_configs(&self.text) } else { has_configs(&self.root) }
    }
}

/// Whether a text looks like a registry of configs: other programs also have a `registry.json`.
pub fn is_registry(text: &str) -> bool {
    json::parse(text).map_or_else(|_| names_configs(text), |root| has_configs(&root))
}

/// Whether a value has the parts of a registry of configs. Other programs have `configs` as well, without files of TOML and versions.
fn has_configs(root: &Node) -> bool {
    let names_file = |text: &str| text.contains(".toml");
    let is_config = |member: &Member| {
        let is_file = names_file(&member.key) || matches!(&member.value.kind, Kind::String(text) if names_file(text));
        is_file || ["versions", "current_version"].iter().any(|part| member.value.get(part).is_some())
    };
    let members = root.get("configs").or_else(|| root.get("active_configs")).and_then(Node::members);
    members.is_some_and(|members| members.is_empty() || members.iter().any(is_config))
}

/// Whether a text that is not JSON looks like a registry of configs.
fn names_configs(text: &str) -> bool {
    text.contains("\"configs\"") && text.contains("\"versions\"")
}

struct Reading {
    diagnostics: Vec<Diagnostic>,
}

impl Reading {
    fn say(&mut self, code: Code, span: Span, message: impl Into<String>, help: &str) {
        let mut diagnostic = Diagnostic::new(code, message).at(Location::new(REGISTRY_FILE, span));
        diagnostic.help = (!help.is_empty()).then(|| help.to_owned());
        self.diagnostics.push(diagnostic);
    }

    fn must_be(&mut self, key: &str, node: &Node, what: &str) {
        self.say(&codes::INVALID_REGISTRY, node.span, format!("`{key}` must be {what}"), "");
    }

    fn root(&mut self, root: &Node, configs: &mut Vec<Config>, active: &mut Vec<Active>) {
        let Some(members) = root.members() else {
            self.must_be("registry.json", root, "an object with `configs`");
            return;
        };
        self.once_each(members);
        if let Some(version) = root.get("schema_version") {
            match &version.kind {
                Kind::Number(digits) if digits.parse() == Ok(SCHEMA_VERSION) => {}
                Kind::Number(_) => {
                    let message = format!("unsupported registry `schema_version`; this cfg supports only {SCHEMA_VERSION}");
                    self.say(
                        &codes::INVALID_REGISTRY,
                        version.span,
                        message,
                        "use the version of cfg that wrote it, or a newer one",
                    );
                }
                _ => self.must_be("schema_version", version, "a number"),
            }
        }
        match root.get("configs") {
            Some(node) => match node.members() {
                Some(members) => {
                    self.once_each(members);
                    configs.extend(self.last_of_each(members).filter_map(|member| self.config(member)).collect::<Vec<_>>());
                }
                None => self.must_be("configs", node, "an object of paths"),
            },
            None => {
                let help = "a registry must be an object with `configs`: `cfg registry init` writes an empty one";
                self.say(
                    &codes::INVALID_REGISTRY,
                    Span::new(root.span.start, root.span.start + 1),
                    "the registry has no `configs`",
                    help,
                );
            }
        }
        if let Some(node) = root.get("active_configs") {
            match node.members() {
                Some(members) => {
                    self.once_each(members);
                    for member in members {
                        match member.value.as_str() {
                            Some(value) => {
                                let reference = Text { value: value.into(), span: member.value.span };
                                active
                                    .push(Active { name: Text { value: member.key.clone(), span: member.key_span }, reference });
                            }
                            None => self.must_be(&member.key, &member.value, "a version of a config, `path:version`"),
                        }
                    }
                }
                None => self.must_be("active_configs", node, "an object of names"),
            }
        }
    }

    /// Reports paths that are the same file for some programs or systems: `./rl.toml`; `RL.toml` and `rl.toml`; the same letters in composed
    /// and decomposed form.
    fn each_its_own_file(&mut self, configs: &[Config]) {
        let mut seen: HashMap<String, &Text> = HashMap::with_capacity(configs.len());
        for path in configs.iter().map(|config| &config.path) {
            let Text { value, span } = path;
            let plain = plain(value);
            if plain != **value {
                let message = format!("`{value}` is not a valid registry path");
                let help = if value.starts_with('/') {
                    "write paths relative to the registry's folder".to_owned()
                } else {
                    format!("write `{plain}`")
                };
                self.say(&codes::INVALID_REGISTRY, *span, message, &help);
                continue;
            }
            let composed = if plain.is_ascii() { plain } else { plain.nfc().collect() };
            let known_as = composed.to_lowercase();
            if let Some(first) = seen.insert(known_as, path) {
                let message = format!("`{value}` and `{}` are the same file on systems such as macOS and Windows", first.value);
                let help = "rename one of the two files";
                self.say(&codes::INVALID_REGISTRY, *span, message, help);
                if let Some(diagnostic) = self.diagnostics.pop() {
                    self.diagnostics.push(diagnostic.related(first.location(), "the other one is here"));
                }
            }
        }
    }

    /// The training runs. Values of other types are skipped, because users may write anything into a registry.
    fn runs(&mut self, root: &Node) -> Vec<RunEntry> {
        let Some(members) = root.get("runs").and_then(Node::members) else { return Vec::new() };
        self.once_each(members);
        members.iter().filter_map(|member| self.run(member)).collect()
    }

    fn run(&mut self, member: &Member) -> Option<RunEntry> {
        let node = &member.value;
        self.once_each(node.members()?);
        let config = node.get("config").and_then(|config| Some(Text { value: config.as_str()?.into(), span: config.span }));
        Some(RunEntry {
            id: Text { value: member.key.clone(), span: member.key_span },
            config,
            sha256: self.text(node, "sha256").filter(|sha| self.is_digest(sha)),
            fingerprint: self.fingerprint(node),
        })
    }

    /// Reports members that occur twice, for example after a merge.
    fn once_each(&mut self, members: &[Member]) {
        let mut seen: HashMap<&str, Span> = HashMap::with_capacity(members.len());
        for member in members {
            if let Some(first) = seen.insert(&member.key, member.key_span) {
                let message = format!("duplicate key `{}`", member.key);
                let help = "keep one of them, and merge the other if needed";
                self.say(&codes::INVALID_REGISTRY, member.key_span, message, help);
                if let Some(diagnostic) = self.diagnostics.pop() {
                    self.diagnostics.push(diagnostic.related(Location::new(REGISTRY_FILE, first), "also here"));
                }
            }
        }
    }

    #[expect(clippy::unused_self, reason = "reads as one of the steps")]
    fn last_of_each<'m>(&self, members: &'m [Member]) -> impl Iterator<Item = &'m Member> + use<'m> {
        let mut seen = HashSet::new();
        let mut kept: Vec<&Member> = members.iter().rev().filter(|member| seen.insert(&*member.key)).collect();
        kept.reverse();
        kept.into_iter()
    }

    fn config(&mut self, member: &Member) -> Option<Config> {
        let node = &member.value;
        let Some(members) = node.members() else {
            self.must_be(&member.key, node, "an object with `versions`");
            return None;
        };
        self.once_each(members);
        let versions = match node.get("versions") {
            Some(versions) => match versions.members() {
                Some(members) => {
                    self.once_each(members);
                    self.last_of_each(members).filter_map(|member| self.entry(member)).collect()
                }
                None => {
                    self.must_be("versions", versions, "an object of versions");
                    Vec::new()
                }
            },
            None => Vec::new(),
        };
        let by_label =
            versions.iter().enumerate().map(|(index, entry): (usize, &Entry)| (entry.label.value.clone(), index)).collect();
        Some(Config {
            path: Text { value: member.key.clone(), span: member.key_span },
            model: self.text(node, "model"),
            hardware: self.text(node, "hardware"),
            current: self.text(node, "current_version"),
            is_removed: node.get("removed").is_some_and(|removed| !matches!(removed.kind, Kind::Bool(false) | Kind::Null)),
            versions,
            by_label,
        })
    }

    fn entry(&mut self, member: &Member) -> Option<Entry> {
        let node = &member.value;
        let Some(members) = node.members() else {
            self.must_be(&member.key, node, "an object with `created` and `notes`");
            return None;
        };
        self.once_each(members);
        let version = Version::parse(&member.key);
        if version.is_none() {
            let message = format!("`{}` is not a version", member.key);
            let help = "a version is a counter, such as v3, or a semantic version, such as 1.4.0";
            self.say(&codes::INVALID_REGISTRY, member.key_span, message, help);
        }
        let fingerprint = self.fingerprint(node);
        let sha256 = self.text(node, "sha256").filter(|sha| self.is_digest(sha));
        let also = match node.get("also").map(|also| &also.kind) {
            Some(Kind::Array(items)) => items
                .iter()
                .filter_map(|item| {
                    let text = item.as_str().or_else(|| item.get("sha256").and_then(Node::as_str))?;
                    Some(Text { value: text.into(), span: item.span })
                })
                .collect(),
            _ => Vec::new(),
        };
        Some(Entry {
            label: Text { value: member.key.clone(), span: member.key_span },
            version,
            created: self.text(node, "created"),
            notes: self.text(node, "notes"),
            sha256,
            fingerprint,
            based_on: self.text(node, "based_on"),
            prime_rl: self.text(node, "prime_rl"),
            env_version: self.text(node, "env_version"),
            also,
            stated_version: node.get(STATED).and_then(|stated| self.text(stated, "version")),
            stated_parent: node.get(STATED).and_then(|stated| self.text(stated, "based_on")),
        })
    }

    fn fingerprint(&mut self, node: &Node) -> Option<Recorded> {
        let node = node.get("fingerprint").filter(|node| !matches!(node.kind, Kind::Null))?;
        Recorded::from_json(&json::to_json(node)).map_err(|error| self.say(&codes::INVALID_REGISTRY, node.span, error, "")).ok()
    }

    fn text(&mut self, node: &Node, key: &str) -> Option<Text> {
        let value = node.get(key)?;
        match &value.kind {
            Kind::String(text) => Some(Text { value: text.clone(), span: value.span }),
            Kind::Null => None,
            _ => {
                self.must_be(key, value, "a string");
                None
            }
        }
    }

    fn is_digest(&mut self, sha: &Text) -> bool {
        // It becomes a file name, so only hexadecimal digits are allowed.
        let is_digest = sha.value.len() == 64 && sha.value.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_digest {
            self.say(&codes::INVALID_REGISTRY, sha.span, "`sha256` must be 64 hexadecimal digits", "");
        }
        is_digest
    }
}

/// A path without empty components and `.`, with `/` between folders.
fn plain(path: &str) -> String {
    let steps: Vec<&str> = path.split('/').filter(|step| !matches!(*step, "" | ".")).collect();
    steps.join("/")
}

#[cfg(test)]
mod tests {
    use super::{Registry, is_registry};

    #[test]
    fn a_registry_that_is_read_is_one_if_its_text_looks_like_one() {
        const OF_ANOTHER: &str = r#"{"configs": {"local": {"url": "http://localhost"}, "production": {}}}"#;
        let ours = [
            r#"{"configs": {}}"#,
            r#"{"active_configs": {}}"#,
            r#"{"configs": {"a.toml": 1}}"#,
            r#"{"configs": {"x": {"versions": {}}}}"#,
            r#"{"configs": {"a.toml": {"versions": {}}},}"#,
        ];
        let others = ["", "{}", "[]", "1", "{", r#"{"configs": 1}"#, r#"{"configs": {},}"#, r#"{"images": {}}"#, OF_ANOTHER];
        for (texts, is_ours) in [(&ours[..], true), (&others[..], false)] {
            for text in texts {
                assert_eq!((is_registry(text), Registry::read(text).0.is_one()), (is_ours, is_ours), "{text}");
            }
        }
    }
}
