//! Compares one config with the registry.

use cfg_diag::{Code, Diagnostic, FileId, Location, Severity, Span, codes, in_a_row, word};
use cfg_plan::Located;

use super::{File, Held, Object};
use crate::{
    fingerprint::Digest,
    registry::{Config, Entry, REGISTRY_FILE, Reference, Registry, Text, Unresolved},
};

/// The file id of the config.
const FILE: FileId = FileId(0);

/// The findings for a config's file and its part of the registry.
#[derive(Debug, Default)]
pub struct Verified {
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the content of the file differs from its current version.
    pub has_changed: bool,
}

/// The errors of a config in the registry. `object` looks up the stored text for a sha256.
pub fn config(registry: &Registry, index: usize, file: File<'_>, object: &dyn Fn(&Digest) -> Object) -> Verified {
    let config = &registry.configs[index];
    let mut verified = Verified::default();
    let mut verify = Verify { registry, config, found: &mut verified.diagnostics };
    verify.current_version();
    match file {
        File::Missing if !config.is_removed => verify.missing(),
        File::Missing | File::LeftOut => {}
        File::Unreadable(why) => {
            let message = format!("`{}` can't be read: {why}", config.path.value);
            verify.say(Diagnostic::new(&codes::MISSING_CONFIG, message).at(config.path.location()));
        }
        File::Held(now) => verified.has_changed = verify.held(now),
    }
    let mut verify = Verify { registry, config, found: &mut verified.diagnostics };
    verify.notes();
    verify.unrecorded();
    verify.objects(file, object);
    verified
}

/// The finding for a config that is not registered, although its folder contains registered configs.
pub fn unregistered(path: &str) -> Diagnostic {
    let message = format!("`{path}` is not registered, but others in its folder are");
    Diagnostic::new(&codes::UNREGISTERED_CONFIG, message).help(format!(
        "`cfg bump {} -m \"why\"` registers it; `cfg registry adopt` registers all of them, with their git history",
        word(path)
    ))
}

struct Verify<'a> {
    registry: &'a Registry,
    config: &'a Config,
    found: &'a mut Vec<Diagnostic>,
}

impl Verify<'_> {
    fn say(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Reports that a member of the file and one of the registry differ.
    fn disagree(&mut self, code: Code, message: String, here: Location, there: &Text, help: String) {
        self.say(Diagnostic::new(code, message).at(here).related(there.location(), "the registry says this").help(help));
    }

    fn path(&self) -> &str {
        &self.config.path.value
    }

    fn current_version(&mut self) {
        let path = self.path();
        let diagnostic = match &self.config.current {
            None => {
                let message = format!("the registry has no current version for `{path}`");
                Diagnostic::new(&codes::UNKNOWN_CURRENT_VERSION, message).at(self.config.path.location())
            }
            Some(current) if self.config.entry(&current.value).is_none() => {
                let message = format!("`{path}` is at `{}`, which is not one of its versions", current.value);
                Diagnostic::new(&codes::UNKNOWN_CURRENT_VERSION, message).at(current.location())
            }
            Some(_) => return,
        };
        let known: Vec<&str> = self.config.versions.iter().map(|entry| &*entry.label.value).collect();
        let help = match known[..] {
            [] => format!("it has no versions yet: `cfg bump {} -m \"why\"` makes the first", word(path)),
            _ => format!("`current_version` must be one of {}", known.join(", ")),
        };
        self.say(diagnostic.help(help));
    }

    fn missing(&mut self) {
        let path = self.path();
        let kept = self.config.current_entry().filter(|entry| entry.sha256.is_some());
        let help = match kept {
            Some(entry) => format!("`cfg registry restore {}` restores it", word(&format!("{path}:{}", entry.label.value))),
            None => "restore it from version control, or run `cfg registry adopt` to mark it as removed".to_owned(),
        };
        let message = format!("`{path}` is registered, but the file does not exist");
        self.say(Diagnostic::new(&codes::MISSING_CONFIG, message).at(self.config.path.location()).help(help));
    }

    /// Compares the file with the registry. Returns whether the content of the file differs from its current version.
    fn held(&mut self, now: &Held<'_>) -> bool {
        if self.config.is_removed {
            let message = format!("`{}` exists, but the registry marks it as removed", self.path());
            let help = format!("`cfg bump {} -m \"why\"` registers its current text", word(self.path()));
            self.say(Diagnostic::new(&codes::REGISTRY_MISMATCH, message).at(self.config.path.location()).help(help));
        }
        let has_changed = self.contents(now);
        self.header(now, has_changed);
        self.model(now);
        has_changed
    }

    /// Compares the bytes of the file with those of its versions. Returns whether they differ from the current one.
    fn contents(&mut self, now: &Held<'_>) -> bool {
        let Some(current) = self.config.current_entry() else { return false };
        let Some(registered) = &current.sha256 else { return false };
        let sha256 = now.sha256.to_string();
        if *registered.value == *sha256 {
            return false;
        }
        let (path, label) = (self.path(), &current.label.value);
        let other = self.config.versions.iter().find(|entry| entry.sha256.as_ref().is_some_and(|known| *known.value == *sha256));
        if let Some(other) = other {
            let other = &other.label.value;
            let message = format!("`{path}` has the text of {other}, but the registry says {label}");
            let (back, forth) = (format!("{path}:{label}"), format!("{path}:{other}"));
            let help = format!(
                "`cfg registry restore {}` restores {label}; `cfg registry restore {}` makes {other} the current version",
                word(&back),
                word(&forth)
            );
            self.disagree(&codes::REGISTRY_MISMATCH, message, version_place(now), registered, help);
            return true;
        }
        // The stored text says what the version means; without it, its fingerprint does if it was computed as that of the file is. Texts with the
        // same values mean the same even if prime-rl refuses them.
        let stored = registered.value.parse().ok().and_then(|sha256| (now.stored)(&sha256));
        let before = || stored.as_deref().and_then(now.fingerprint_of).or_else(|| current.fingerprint?.current());
        let is_same = stored.as_deref().is_some_and(|stored| cfg_syntax::has_same_values(stored, now.text))
            || (now.fingerprint)().is_some_and(|now| before() == Some(now));
        let (message, severity, help) = if is_same {
            let message = format!("only comments, layout or metadata of `{path}` changed since {label}");
            let help = format!(
                "it still means the same, so a run of it counts as {label}; `cfg bump {} -m \"why\" --force` registers this text \
                 as well",
                word(path)
            );
            (message, Severity::Info, help)
        } else {
            let message = format!("`{path}` changed since {label} was registered");
            let help = format!(
                "`cfg bump {} -m \"why\"` registers it as a new version; `cfg registry restore {} --force` restores {label}",
                word(path),
                word(&format!("{path}:{label}"))
            );
            (message, Severity::Error, help)
        };
        let mut diagnostic = Diagnostic::new(&codes::UNBUMPED_CHANGE, message).at(version_place(now));
        diagnostic.severity = severity;
        self.say(diagnostic.related(registered.location(), "its sha256 is registered here").help(help));
        !is_same
    }

    /// Compares the metadata of the file with the registry.
    fn header(&mut self, now: &Held<'_>, has_changed: bool) {
        let metadata = now.metadata;
        let Some(current) = &self.config.current else { return };
        let path = self.path();
        // A text that was registered under another name by one of two branches states that name, also once it is edited.
        let of_current = self.config.current_entry();
        let is_stated = |text: Option<&Text>, here: &str| text.is_some_and(|text| *text.value == *here);
        if let Some(version) = &metadata.version
            && version.value != current.value
            && !is_stated(of_current.and_then(|entry| entry.stated_version.as_ref()), &version.value)
        {
            let is_known = self.config.entry(&version.value).is_some();
            let known = if is_known { "" } else { ", and has no such version" };
            let message = format!("`{path}` states version {}, but the registry says {}{known}", version.value, current.value);
            // If the content is that of another version, this has been reported.
            if !(has_changed && self.found.last().is_some_and(|last| last.code == &codes::REGISTRY_MISMATCH)) {
                let help = format!("`cfg bump {} -m \"why\"` makes them agree", word(path));
                self.disagree(&codes::REGISTRY_MISMATCH, message, version.location, current, help);
            }
            return;
        }
        let Some(entry) = self.config.current_entry().filter(|_| metadata.version.is_some()) else { return };
        self.member("created", metadata.created.as_ref(), entry.created.as_ref(), entry);
        self.member("env_version", metadata.env_version.as_ref(), entry.env_version.as_ref(), entry);
        self.based_on(metadata.based_on.as_ref(), entry);
    }

    fn member(&mut self, key: &str, here: Option<&Located<Box<str>>>, there: Option<&Text>, entry: &Entry) {
        if let (Some(here), Some(there)) = (here, there)
            && here.value != there.value
        {
            let message = format!(
                "`{key}` of {} is {} in `{}`, but {} in the registry",
                entry.label.value,
                here.value,
                self.path(),
                there.value
            );
            let help = "write the same value in both places; the history of the files shows which is right".to_owned();
            self.disagree(&codes::REGISTRY_MISMATCH, message, here.location, there, help);
        }
    }

    fn based_on(&mut self, here: Option<&Located<Box<str>>>, entry: &Entry) {
        let Some(here) = here.filter(|here| !Reference::parse(&here.value).is_none()) else { return };
        if entry.stated_parent.as_ref().is_some_and(|stated| is_same_reference(&stated.value, &here.value)) {
            return;
        }
        let path = self.config.path.value.clone();
        let resolved = self.registry.resolve(&here.value, Some(&path));
        match (&entry.based_on, resolved) {
            (Some(there), resolved) => {
                if resolved.ok() != self.registry.resolve(&there.value, Some(&path)).ok() {
                    self.member("based_on", Some(here), Some(there), entry);
                }
            }
            (None, Err(unresolved)) => {
                let message = format!("`{path}` is based on `{}`: {}", here.value, unresolved.message(self.registry));
                let diagnostic = Diagnostic::new(&codes::UNKNOWN_PARENT, message).at(here.location);
                self.say(diagnostic.help(parent_help(&unresolved)));
            }
            (None, Ok(_)) => {}
        }
    }

    fn model(&mut self, now: &Held<'_>) {
        let (Some(registered), Some(model)) = (&self.config.model, now.model) else { return };
        if !registered.value.eq_ignore_ascii_case(model) {
            let message = format!("`{}` trains {model}, but the registry says {}", self.path(), registered.value);
            let help = "correct `model` in the registry, or give this config its own file";
            let mut diagnostic = Diagnostic::new(&codes::REGISTRY_MISMATCH, message).at(registered.location()).help(help);
            diagnostic.severity = Severity::Warning;
            self.say(diagnostic);
        }
    }

    fn notes(&mut self) {
        for entry in &self.config.versions {
            if entry.notes.as_ref().is_none_or(|notes| notes.value.trim().is_empty()) {
                let message = format!("version {} of `{}` has no notes", entry.label.value, self.path());
                let place = entry.notes.as_ref().unwrap_or(&entry.label).location();
                self.found.push(
                    Diagnostic::new(&codes::MISSING_NOTES, message)
                        .at(place)
                        .help("write in `notes` what changed and why; `cfg bump` asks for it"),
                );
            }
        }
    }

    /// Reports versions whose content is not recorded.
    fn unrecorded(&mut self) {
        let labels: Vec<&str> =
            self.config.versions.iter().filter(|entry| entry.sha256.is_none()).map(|entry| &*entry.label.value).collect();
        let Some(first) = labels.first() else { return };
        let labels = in_a_row(&labels);
        let place = self.config.entry(first).map_or(self.config.path.location(), |entry| entry.label.location());
        let message = format!("the registry has no text for {labels} of `{}`", self.path());
        let help = "`cfg registry adopt` records it if the file or its git history has it";
        self.say(Diagnostic::new(&codes::UNRECORDED_VERSION, message).at(place).help(help));
    }

    fn objects(&mut self, file: File<'_>, object: &dyn Fn(&Digest) -> Object) {
        let own = match file {
            File::Held(now) => Some(now.sha256),
            _ => None,
        };
        for entry in &self.config.versions {
            for sha256 in entry.sha256.iter().chain(&entry.also) {
                let Ok(digest) = sha256.value.parse::<Digest>() else { continue };
                let Some((what, help)) = loss_of(object(&digest)) else { continue };
                let message = format!("the text of {} of `{}` {what}", entry.label.value, self.config.path.value);
                let help = match help {
                    Some(help) => help,
                    None if own == Some(digest) => "the file still has it: `cfg registry adopt` stores it again",
                    None => {
                        "restore `.cfg/objects` from version control or a backup; `cfg registry adopt` finds it if the git \
                         history has it"
                    }
                };
                self.found.push(Diagnostic::new(&codes::LOST_OBJECT, message).at(sha256.location()).help(help));
            }
        }
    }
}

/// What is wrong with a stored text, and what to do if that is the same for every text; `None` if nothing is.
pub(super) const fn loss_of(object: Object) -> Option<(&'static str, Option<&'static str>)> {
    match object {
        Object::Whole | Object::NotAsked => None,
        Object::Missing => Some(("is missing", None)),
        Object::Unstaged => Some(("is not staged", Some("`git add .cfg/objects`, and commit it together with registry.json"))),
        Object::Damaged => Some(("has been altered", None)),
    }
}

/// The help for an unknown parent.
pub(super) fn parent_help(unresolved: &Unresolved) -> &'static str {
    match unresolved {
        Unresolved::NoVersion { .. } => "add the version: `path:version`",
        Unresolved::Ambiguous { .. } => "write the full path, as in the registry",
        _ => "write a parent as `path:version`, with a registered path",
    }
}

/// The place where a config states its version; else its first line.
fn version_place(now: &Held<'_>) -> Location {
    let first_line = Span::from(0..now.text.lines().next().map_or(0, |line| line.trim_end().len()));
    now.metadata.version.as_ref().map_or(Location::new(FILE, first_line), |version| version.location)
}

impl Verified {
    /// The diagnostics whose location is in the config.
    pub fn of_file(self) -> impl Iterator<Item = Diagnostic> {
        self.diagnostics
            .into_iter()
            .filter(|diagnostic| diagnostic.location.is_none_or(|location| location.file != REGISTRY_FILE))
    }
}

/// Whether two references are the same text, or one of them leaves out the folders that the other one names: `a.toml:v1` and `configs/a.toml:v1`.
fn is_same_reference(one: &str, other: &str) -> bool {
    let is_end = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|start| start.is_empty() || start.ends_with('/'));
    is_end(one, other) || is_end(other, one)
}
