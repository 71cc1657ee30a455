//! The versions that led to a config, under whichever path.

use std::collections::{HashMap, HashSet};

use cfg_registry::{
    Registry,
    lineage::{Lineage, Parent},
    registry::VersionPlace,
};

use super::newest_first;

/// The versions of a config, the newest first, then those of other configs on which they are based, each after its child. A version without a parent
/// goes on with the one of a removed config that has the same text: the file had that path before.
pub(super) fn of(registry: &Registry, lineage: &Lineage, config: usize) -> Vec<VersionPlace> {
    let mut followed: Vec<VersionPlace> = newest_first(registry).into_iter().filter(|place| place.config == config).collect();
    let mut seen: HashSet<VersionPlace> = followed.iter().copied().collect();
    let removed = registry.places().filter(|place| registry.configs[place.config].is_removed);
    let texts: HashMap<&str, VersionPlace> =
        removed.filter_map(|place| Some((&*registry.entry(place).sha256.as_ref()?.value, place))).collect();
    let before = |place: VersionPlace| match lineage.parent(place) {
        Parent::Stated(parent) | Parent::Implied(parent) => Some(*parent),
        Parent::None | Parent::Unknown(_) => {
            let text = registry.entry(place).sha256.as_ref()?;
            texts.get(&*text.value).copied()
        }
    };
    let mut at = 0;
    while let Some(place) = followed.get(at).copied() {
        followed.extend(before(place).filter(|parent| seen.insert(*parent)));
        at += 1;
    }
    followed
}
