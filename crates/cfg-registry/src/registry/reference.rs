//! `path:version`, as written by users.

use super::{Config, Registry, VersionPlace};
use crate::Version;

/// A reference to a version of a config.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'t> {
    /// The config; `None` if only a version is written, which then is one of the same config.
    pub path: Option<&'t str>,
    /// The version; `None` if only a config is written.
    pub label: Option<&'t str>,
}

/// The maximum number of versions or configs in a message, because many references may be invalid.
const MAX_NAMED: usize = 16;

/// Why a reference is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// It has no version.
    NoVersion {
        /// The config, by its name in the registry.
        path: String,
    },
    /// The registry has no such config.
    UnknownConfig {
        /// The written path.
        path: String,
    },
    /// Several configs have this file name.
    Ambiguous {
        /// The paths of some of them.
        paths: Vec<String>,
        /// The number of others.
        others: usize,
    },
    /// The config has no such version.
    UnknownVersion {
        /// The config.
        config: usize,
        /// The written version.
        label: String,
    },
}

impl<'t> Reference<'t> {
    /// Splits a reference. Text after a colon is a version, and so is a text that has the form of one.
    pub fn parse(text: &'t str) -> Self {
        let text = text.trim();
        match text.rsplit_once(':') {
            // `C:\configs\a.toml` contains no version.
            Some((path, label)) if !label.contains(['/', '\\']) => {
                let path = Some(path.trim()).filter(|path| !path.is_empty());
                Self { path, label: Some(label.trim()).filter(|label| !label.is_empty()) }
            }
            _ if Version::parse(text).is_some() => Self { path: None, label: Some(text) },
            _ => Self { path: Some(text), label: None },
        }
    }

    /// Whether it means that there is no reference: `none`.
    pub fn is_none(&self) -> bool {
        self.label.is_none() && self.path.is_none_or(|path| matches!(path.to_ascii_lowercase().as_str(), "none" | "-" | "n/a"))
    }
}

impl Registry {
    /// The version to which a reference in the config at `from` refers. Its path may be relative to the base of the registry or to that config, or be
    /// a file name that only one config has.
    pub fn resolve(&self, text: &str, from: Option<&str>) -> Result<VersionPlace, Unresolved> {
        let reference = Reference::parse(text);
        let config = match reference.path.or(from) {
            Some(path) => self.find_config(path, from)?,
            None => return Err(Unresolved::UnknownConfig { path: text.to_owned() }),
        };
        let of: &Config = &self.configs[config];
        let Some(label) = reference.label else {
            return Err(Unresolved::NoVersion { path: of.path.value.to_string() });
        };
        match of.index_of(label) {
            Some(entry) => Ok(VersionPlace { config, entry }),
            None => Err(Unresolved::UnknownVersion { config, label: label.to_owned() }),
        }
    }

    fn find_config(&self, path: &str, from: Option<&str>) -> Result<usize, Unresolved> {
        let path = path.replace('\\', "/");
        let path = path.strip_prefix("./").unwrap_or(&path);
        if let Some(found) = self.index_of(path) {
            return Ok(found);
        }
        let beside = from.and_then(|from| joined(from, path)).and_then(|beside| self.index_of(&beside));
        if let Some(found) = beside {
            return Ok(found);
        }
        let none: &[usize] = &[];
        let of_name = if path.contains('/') { none } else { self.by_name.get(path).map_or(none, Vec::as_slice) };
        match of_name {
            [] => Err(Unresolved::UnknownConfig { path: path.to_owned() }),
            [only] => Ok(*only),
            several => {
                let named = several.iter().take(MAX_NAMED).map(|&index| self.configs[index].path.value.to_string());
                Err(Unresolved::Ambiguous { paths: named.collect(), others: several.len().saturating_sub(MAX_NAMED) })
            }
        }
    }
}

/// A path relative to another one.
fn joined(from: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

impl Unresolved {
    /// The reason, as a sentence without a full stop.
    pub fn message(&self, registry: &Registry) -> String {
        match self {
            Self::NoVersion { path } => format!("`{path}` has no version"),
            Self::UnknownConfig { path } => format!("the registry has no config `{path}`"),
            Self::Ambiguous { paths, others } => {
                let named: Vec<&str> = paths.iter().map(String::as_str).collect();
                format!("it matches {}", listed(&named, *others))
            }
            Self::UnknownVersion { config, label } => {
                let of = &registry.configs[*config];
                // The newest versions are the last ones.
                let others = of.versions.len().saturating_sub(MAX_NAMED);
                let known: Vec<&str> = of.versions[others..].iter().map(|entry| &*entry.label.value).collect();
                let known =
                    if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", listed(&known, others)) };
                format!("`{}` has no version `{label}`: {known}", of.path.value)
            }
        }
    }
}

/// A list of names, with the number of others.
fn listed(names: &[&str], others: usize) -> String {
    let names = names.join(", ");
    if others > 0 { format!("{names}, and {others} more") } else { names }
}

#[cfg(test)]
mod tests {
    use super::{super::Registry, Unresolved};

    const TEXT: &str = r#"{"configs": {
        "configs/a/x.toml": {"versions": {"v1": {}, "v2": {}}},
        "configs/a/y.toml": {"versions": {"v1": {}}},
        "configs/b/y.toml": {"versions": {"1.0.0": {}}}}}"#;

    #[test]
    fn a_reference_is_found_in_every_spelling() {
        let (registry, diagnostics) = Registry::read(TEXT);
        assert_eq!(diagnostics, []);
        let name = |text: &str, from| registry.resolve(text, from).map(|place| registry.name(place));
        let from = Some("configs/b/z.toml");
        for (text, expected) in [
            ("configs/a/x.toml:v2", "configs/a/x.toml:v2"),
            ("./configs/a/x.toml:v2", "configs/a/x.toml:v2"),
            ("x.toml:v1", "configs/a/x.toml:v1"),
            ("y.toml:1.0.0", "configs/b/y.toml:1.0.0"),
            ("../a/y.toml:v1", "configs/a/y.toml:v1"),
            (r"..\a\y.toml:v1", "configs/a/y.toml:v1"),
        ] {
            assert_eq!(name(text, from).as_deref(), Ok(expected), "{text}");
        }
        assert_eq!(name("v1", Some("configs/a/x.toml")).as_deref(), Ok("configs/a/x.toml:v1"));
        let two = vec!["configs/a/y.toml".to_owned(), "configs/b/y.toml".to_owned()];
        assert_eq!(name("y.toml:v1", None), Err(Unresolved::Ambiguous { paths: two, others: 0 }));
        assert_eq!(name("x.toml", None), Err(Unresolved::NoVersion { path: "configs/a/x.toml".to_owned() }));
        assert_eq!(name("x.toml:v3", None), Err(Unresolved::UnknownVersion { config: 0, label: "v3".to_owned() }));
        assert_eq!(name("w.toml:v3", None), Err(Unresolved::UnknownConfig { path: "w.toml".to_owned() }));
    }

    #[test]
    fn long_lists_are_shortened() {
        let versions: Vec<String> = (0..100).map(|number| format!("\"v{number}\": {{}}")).collect();
        let configs: Vec<String> = (0..100).map(|number| format!("\"{number}/b.toml\": {{}}")).collect();
        let text =
            format!("{{\"configs\": {{\"a.toml\": {{\"versions\": {{{}}}}}, {}}}}}", versions.join(","), configs.join(","));
        let (registry, _) = Registry::read(&text);
        let message = |text: &str| registry.resolve(text, None).expect_err("it leads nowhere").message(&registry);
        let unknown = message("a.toml:v100");
        assert!(unknown.contains("it has v84, ") && unknown.ends_with(", v99, and 84 more"), "{unknown}");
        let ambiguous = message("b.toml:v1");
        assert!(ambiguous.starts_with("it matches 0/b.toml, ") && ambiguous.ends_with(", 15/b.toml, and 84 more"), "{ambiguous}");
    }
}
