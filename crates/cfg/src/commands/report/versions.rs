//! The versions of the page's config according to the registry: the changes, their reasons, and the lineage.

use std::path::Path;

use cfg_check::Session;
use cfg_registry::{
    lineage::{Lineage, Parent},
    place,
    registry::VersionPlace,
    runs::{MEMBERS, runs},
};
use cfg_report::page::{Change, Version};

use super::{About, Subject};
use crate::{
    commands::{
        diff::side::Side,
        registry::{
            config::Reader,
            log::{newest_first, related, stated_by_headers},
            open::{Opened, open_silently},
        },
        run::compare::differences,
    },
    context::Context,
};

/// The maximum number of versions that are listed. Those of the config itself and its ancestors come first.
const MAX_VERSIONS: usize = 100;

/// The versions of a config.
#[derive(Default)]
pub(super) struct History {
    pub(super) changes: Vec<Change>,
    pub(super) versions: Vec<Version>,
}

/// The text of a version, for comparisons.
#[derive(Clone, Copy)]
enum Text {
    Kept(VersionPlace),
    /// The text that the page is about.
    Own,
}

impl History {
    /// Reads what the registry around the config contains; the result is empty if there is none.
    pub(super) fn read(cx: &Context, session: &Session, subject: &Subject, about: &About) -> Self {
        let Ok(opened) = open_silently(cx, &subject.path) else { return Self::default() };
        let Some(reader) = Reader::new(&cx.on(opened.system())) else { return Self::default() };
        let registry = &opened.registry;
        let lineage = Lineage::new(registry, &stated_by_headers(&reader, &opened));
        let key = place::key(&opened.base, &cx.system.plain(&subject.path));
        let config = key.and_then(|key| registry.index_of(&key)).or_else(|| registry.index_of(&subject.path.to_string_lossy()));
        let is_it = opened.version_of(&cx.system.plain(&subject.path), subject.text.as_bytes());
        // A copy of the config that the launcher wrote does not have the registered path.
        let Some(config) = config.or(is_it.map(|place| place.config)) else { return Self::default() };
        let named = |label: &str| registry.configs[config].index_of(label).map(|entry| VersionPlace { config, entry });
        let parent_of = |place: VersionPlace| match lineage.parent(place) {
            Parent::Stated(parent) | Parent::Implied(parent) => Some(*parent),
            Parent::None | Parent::Unknown(_) => None,
        };
        let shown = about.span.as_ref().map_or(is_it, |(_, last)| named(last));
        let current = || registry.configs[config].current_entry().and_then(|entry| named(&entry.label.value));
        let pairs: Vec<(VersionPlace, Text)> = match (&about.span, shown) {
            (Some((first, _)), Some(shown)) => {
                let steps = std::iter::successors(Some(shown), |place| parent_of(*place)).take(MAX_VERSIONS);
                let steps: Vec<VersionPlace> = steps.collect();
                let until = named(first).and_then(|first| steps.iter().position(|place| *place == first)).unwrap_or(1);
                steps.windows(2).take(until).map(|pair| (pair[1], Text::Kept(pair[0]))).collect()
            }
            (_, Some(shown)) => parent_of(shown).map(|parent| (parent, Text::Kept(shown))).into_iter().collect(),
            (_, None) => current().map(|current| (current, Text::Own)).into_iter().collect(),
        };
        let changes = pairs.into_iter().map(|(from, to)| change(cx, session, &opened, subject, from, to)).collect();
        let related = related(registry, &lineage, config);
        let listed = newest_first(registry).into_iter().filter(|place| related.contains(place)).take(MAX_VERSIONS);
        let version = |place: VersionPlace| {
            let entry = registry.entry(place);
            Version {
                name: registry.name(place),
                created: entry.created.as_ref().map(|created| created.value.to_string()),
                parent: parent_of(place).map(|parent| registry.name(parent)),
                notes: entry.notes.as_ref().map(|notes| notes.value.to_string()),
                is_shown: Some(place) == shown,
            }
        };
        Self { changes, versions: listed.map(version).collect() }
    }
}

fn change(cx: &Context, session: &Session, opened: &Opened, subject: &Subject, from: VersionPlace, to: Text) -> Change {
    let side = |place: VersionPlace| {
        let digest = opened.registry.entry(place).sha256.as_ref()?.value.parse().ok()?;
        let path = opened.file(&opened.registry.configs[place.config].path.value);
        Some(Side::of_bytes(cx, session, &opened.registry.name(place), &path, opened.store.object(&digest)?, None))
    };
    let before = side(from);
    let after = match to {
        Text::Kept(place) => side(place),
        Text::Own => Some(Side::of_bytes(cx, session, "", &subject.path, subject.text.clone().into_bytes(), None)),
    };
    let meaning = |side: &Option<Side>| side.as_ref().and_then(|side| side.meaning(session));
    let (before, after) = (meaning(&before), meaning(&after));
    let (name, why) = match to {
        Text::Own => ("the current file, not registered yet".to_owned(), None),
        Text::Kept(place) => {
            let entry = opened.registry.entry(place);
            let parts = [&entry.created, &entry.notes].map(|text| text.as_ref().map(|text| text.value.to_string()));
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            (opened.registry.name(place), (!parts.is_empty()).then(|| parts.join(": ")))
        }
    };
    Change {
        from: opened.registry.name(from),
        to: name,
        why,
        differences: before.zip(after).map(|(before, after)| differences(&before, &after)),
    }
}

/// What the registry states about the run in a folder, as pairs of a name and a value.
pub(super) fn registered(cx: &Context, run: &Path) -> Vec<(&'static str, String)> {
    let Ok(opened) = open_silently(cx, run) else { return Vec::new() };
    let Some(key) = place::key(&opened.base, &cx.system.plain(run)) else { return Vec::new() };
    let known = runs(&opened.registry);
    let Some(run) = known.iter().rev().find(|run| run.get("folder") == Some(&key)) else { return Vec::new() };
    let members = MEMBERS.iter().filter(|(name, _)| *name != "folder");
    let facts = members.filter_map(|(name, title)| Some((*title, run.get(name)?.to_owned())));
    std::iter::once(("Run", run.id.clone())).chain(facts).collect()
}
