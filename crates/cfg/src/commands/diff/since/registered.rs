//! What the registry has for the configs that changed: their versions before and now, and what it lacks.

use std::path::Path;

use cfg_check::{Registries, Request, Seen, Session};
use cfg_diag::{
    Diagnostic, Severity, codes,
    markdown::{code, text_cell},
    word,
};
use cfg_project::outside_of_sparse_checkout;
use cfg_registry::{
    around::CachedRegistry,
    fingerprint::Fingerprint,
    place,
    registry::{Entry, VersionPlace},
};
use cfg_report::compared::ChangedVersion;
use cfg_system::System;

/// The version of a config that a registry has for its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) label: String,
    /// The reason for it.
    pub(super) notes: String,
}

/// A config before and now, in the registries around it.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    /// Its path, from the root of the work tree.
    pub(super) path: String,
    pub(super) before: Option<Version>,
    pub(super) now: Option<Version>,
    /// What the registry lacks for the text of today, as sentences.
    pub(super) lacks: Vec<String>,
}

/// A text with its path.
pub(super) struct Text<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

/// One state of the repository, with its registries.
pub(super) struct Around<'a> {
    pub(super) system: &'a dyn System,
    pub(super) session: &'a Session,
    pub(super) registries: Registries,
}

impl Around<'_> {
    /// The version of the registry around a file that has its text: the current one if several have it.
    fn version(&self, file: &Text<'_>) -> Option<Version> {
        let (around, config) = self.config(file.path)?;
        let sha256 = around.registry.digest_of(file.text.as_bytes()).to_string();
        let config = &around.registry.configs[config];
        let has_text = |entry: &&Entry| entry.sha256.as_ref().is_some_and(|known| *known.value == *sha256);
        let entry = config.current_entry().filter(has_text).or_else(|| config.versions.iter().rev().find(has_text))?;
        let notes = entry.notes.as_ref().map_or("", |notes| &notes.value).lines().next().unwrap_or_default();
        Some(Version { label: entry.label.value.to_string(), notes: notes.trim().to_owned() })
    }

    /// The registry around a file, and the index of the config there.
    fn config(&self, path: &Path) -> Option<(std::sync::Arc<CachedRegistry>, usize)> {
        let file = self.system.plain(path);
        let around = self.registries.of(file.parent()?).filter(|around| around.is_sound)?;
        let config = around.registry.index_of(&place::key(&around.base, &file)?)?;
        Some((around, config))
    }

    /// Whether the registry around a path has a config there that is not marked as removed.
    pub(super) fn is_registered(&self, path: &Path) -> bool {
        self.config(path).is_some_and(|(around, config)| !around.registry.configs[config].is_removed)
    }

    /// What the registry lacks for a file, as sentences.
    fn lacks(&self, file: &Text<'_>, version: Option<&Version>) -> Vec<String> {
        let shown = self.system.shown(file.path);
        let (document, _) = cfg_syntax::parse(cfg_diag::FileId(0), file.text, cfg_syntax::Dialect::Toml11);
        let (metadata, _) = self.session.metadata(cfg_diag::FileId(0), &shown, file.text, &document);
        let means = |text: &str| {
            let file = cfg_diag::FileId(0);
            let request = Request { file, ..Request::new(&shown, text) };
            cfg_check::meaning_of_text(self.session, &request).map(|meaning| Fingerprint::of_meaning(&meaning))
        };
        let own = || means(file.text);
        let left_out = |folder: &Path| outside_of_sparse_checkout(self.system, folder);
        let seen = Seen {
            path: &shown,
            text: file.text,
            metadata: &metadata,
            fingerprint: &own,
            fingerprint_of: &means,
            left_out: &left_out,
        };
        let found = self.registries.findings(&seen).into_iter().filter(|found| found.severity > Severity::Info);
        let lack = |found: Diagnostic| match found.code {
            code if code == &codes::UNBUMPED_CHANGE => "the change is not registered".to_owned(),
            code if code == &codes::UNREGISTERED_CONFIG => "it is not registered".to_owned(),
            _ => found.message,
        };
        let mut lacks: Vec<String> = found.map(lack).collect();
        if let (Some(version), Some((around, config))) = (version, self.config(file.path))
            && let Some(entry) = around.registry.configs[config].index_of(&version.label)
            && !around.is_kept(VersionPlace { config, entry })
            && !around.is_left_out(VersionPlace { config, entry }, &outside_of_sparse_checkout(self.system, &around.base))
        {
            lacks.push(format!("the text of {} is not stored: commit `.cfg/objects`", version.label));
        }
        lacks
    }
}

/// What became of a config in the registries; `None` if no registry is around it.
pub(super) fn standing(
    before: &Around<'_>,
    now: &Around<'_>,
    one: Option<&Text<'_>>,
    other: &Text<'_>,
    path: String,
) -> Option<Standing> {
    let old = one.filter(|one| one.path != other.path && now.is_registered(one.path) && !now.is_registered(other.path));
    let is_around = |of: &Around<'_>, file: &Text<'_>| {
        let file = of.system.plain(file.path);
        file.parent().is_some_and(|folder| of.registries.of(folder).is_some_and(|around| around.is_sound))
    };
    if !is_around(now, other) {
        return None;
    }
    let version = now.version(other);
    let lacks = match old {
        Some(old) => {
            let (old, new) = (now.system.shown(old.path), now.system.shown(other.path));
            vec![format!("it has its old path: cfg registry mv {} {}", word(&old), word(&new))]
        }
        None => now.lacks(other, version.as_ref()),
    };
    Some(Standing { path, before: one.and_then(|one| before.version(one)), now: version, lacks })
}

impl Standing {
    /// Whether there is something to say.
    pub(super) fn is_open(&self) -> bool {
        self.before != self.now || !self.lacks.is_empty()
    }

    /// The versions, as Markdown: `v3` instead of `v2`: longer answers.
    pub(super) fn sentence(&self) -> String {
        let label = |version: &Option<Version>| version.as_ref().map(|version| code(&version.label));
        let why = self.now.as_ref().map(|now| now.notes.as_str()).filter(|notes| !notes.is_empty());
        let why = why.map_or(String::new(), |why| format!(": {}", text_cell(why)));
        match (label(&self.before), label(&self.now)) {
            (Some(before), Some(now)) if before == now => format!("is {now}, as before"),
            (Some(before), Some(now)) => format!("is {now} instead of {before}{why}"),
            (None, Some(now)) => format!("is {now}{why}"),
            (Some(before), None) => format!("was {before}, and has no version"),
            (None, None) => "has no version".to_owned(),
        }
    }

    pub(super) fn report(&self) -> ChangedVersion {
        let label = |version: &Option<Version>| version.as_ref().map(|version| version.label.clone());
        ChangedVersion {
            path: self.path.clone(),
            before: label(&self.before),
            now: label(&self.now),
            notes: self.now.as_ref().map(|now| now.notes.clone()),
            lacks: self.lacks.clone(),
        }
    }
}
