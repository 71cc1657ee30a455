//! The parents of versions.

mod draw;

use cfg_diag::Order as _;
use std::collections::HashMap;

use crate::registry::{Registry, Unresolved, VersionPlace};

pub use draw::{dot, json, mermaid, svg, text};

/// The parent of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parent {
    /// There is none.
    None,
    /// It is stated.
    Stated(VersionPlace),
    /// It is not stated; this is the previous version of the config.
    Implied(VersionPlace),
    /// The stated parent does not exist.
    Unknown(Unresolved),
}

/// The lineage of every version of a registry.
#[derive(Clone, Debug)]
pub struct Lineage {
    /// The places, in the order of the registry.
    places: Vec<VersionPlace>,
    parents: Vec<Parent>,
    index: HashMap<VersionPlace, usize>,
}

impl Lineage {
    /// The lineage in a registry. `headers` are the parents that configs state for their versions; they are used if the registry states none.
    pub fn new(registry: &Registry, headers: &HashMap<VersionPlace, String>) -> Self {
        let places: Vec<VersionPlace> = registry.places().collect();
        let index: HashMap<VersionPlace, usize> = places.iter().enumerate().map(|(index, place)| (*place, index)).collect();
        let mut parents = Vec::with_capacity(places.len());
        let mut in_front = HashMap::new();
        for config in 0..registry.configs.len() {
            // Sorted once for each config, because searching for the predecessor of each version would take quadratic time.
            let of = &registry.configs[config];
            let mut sorted: Vec<usize> = (0..of.versions.len()).filter(|&entry| of.versions[entry].version.is_some()).collect();
            sorted.order_by(|&one, &other| of.versions[one].version.cmp(&of.versions[other].version));
            for pair in sorted.windows(2) {
                in_front.insert(VersionPlace { config, entry: pair[1] }, VersionPlace { config, entry: pair[0] });
            }
        }
        for place in &places {
            let stated = registry.entry(*place).based_on.as_ref().map(|text| &*text.value);
            let stated = stated.or_else(|| headers.get(place).map(String::as_str));
            let path = &*registry.configs[place.config].path.value;
            let stated = stated.filter(|text| !text.trim().is_empty() && !crate::registry::Reference::parse(text).is_none());
            parents.push(match stated.map(|text| registry.resolve(text, Some(path))) {
                Some(Ok(parent)) => Parent::Stated(parent),
                Some(Err(unresolved)) => Parent::Unknown(unresolved),
                None => in_front.get(place).map_or(Parent::None, |parent| Parent::Implied(*parent)),
            });
        }
        Self { places, parents, index }
    }

    /// The parent of a version.
    pub fn parent(&self, place: VersionPlace) -> &Parent {
        self.index.get(&place).map_or(&Parent::None, |&index| &self.parents[index])
    }

    /// Every version with its parent, in the order of the registry.
    pub fn iter(&self) -> impl Iterator<Item = (VersionPlace, &Parent)> {
        self.places.iter().copied().zip(&self.parents)
    }

    /// Versions that are based on themselves: each cycle once, beginning with the version that is first in the registry.
    pub fn cycles(&self) -> Vec<Vec<VersionPlace>> {
        // A version has only one parent, so a walk along the parents ends at a root, at a version that was visited before, or in a cycle.
        let mut seen_by = vec![usize::MAX; self.places.len()];
        let mut cycles = Vec::new();
        for start in 0..self.places.len() {
            let mut path = Vec::new();
            let mut at = Some(start);
            while let Some(index) = at.filter(|&index| seen_by[index] == usize::MAX) {
                seen_by[index] = start;
                path.push(index);
                at = match &self.parents[index] {
                    Parent::Stated(parent) => self.index.get(parent).copied(),
                    _ => None,
                };
            }
            if let Some(index) = at.filter(|&index| seen_by[index] == start)
                && let Some(from) = path.iter().position(|&on_path| on_path == index)
            {
                let mut circle = path.split_off(from);
                let first = circle.iter().enumerate().min_by_key(|(_, index)| **index).map_or(0, |(at, _)| at);
                circle.rotate_left(first);
                cycles.push(circle.into_iter().map(|index| self.places[index]).collect());
            }
        }
        cycles
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{Lineage, Parent};
    use crate::Registry;

    fn names(registry: &Registry, cycles: &[Vec<crate::registry::VersionPlace>]) -> Vec<Vec<String>> {
        cycles.iter().map(|cycle| cycle.iter().map(|place| registry.name(*place)).collect()).collect()
    }

    #[test]
    fn all_circles_and_unknown_parents_are_found_at_once() {
        let (registry, _) = Registry::read(
            r#"{"configs": {
                "a.toml": {"versions": {"v1": {"based_on": "b.toml:v2"}, "v2": {"based_on": "v3"}, "v3": {"based_on": "v3"}}},
                "b.toml": {"versions": {"v1": {"based_on": "a.toml:v1"}, "v2": {"based_on": "b.toml:v1"}, "v3": {}}},
                "c.toml": {"versions": {"v1": {"based_on": "none"}, "v2": {"based_on": "d.toml:v1"}, "v10": {}, "v9": {}}}}}"#,
        );
        let lineage = Lineage::new(&registry, &HashMap::new());
        let expected = [vec!["a.toml:v1", "b.toml:v2", "b.toml:v1"], vec!["a.toml:v3"]];
        assert_eq!(names(&registry, &lineage.cycles()), expected);
        let unknown = lineage.iter().filter(|(_, parent)| matches!(parent, Parent::Unknown(_))).count();
        assert_eq!(unknown, 1);
        let parent = |name: &str| match lineage.parent(registry.resolve(name, None).expect("a version")) {
            Parent::Implied(parent) => registry.name(*parent),
            other => format!("{other:?}"),
        };
        assert_eq!(parent("c.toml:v10"), "c.toml:v9");
        assert_eq!(parent("c.toml:v9"), "c.toml:v2");
        assert_eq!(parent("b.toml:v3"), "b.toml:v2");
        assert_eq!(parent("c.toml:v1"), "None");
    }

    #[test]
    fn a_long_lineage_needs_linear_time_and_no_recursion() {
        let versions: Vec<String> =
            (0..100_000).map(|n| format!("\"v{n}\":{{\"based_on\":\"v{}\"}}", (n + 1) % 100_000)).collect();
        let text = format!("{{\"configs\":{{\"a.toml\":{{\"versions\":{{{}}}}}}}}}", versions.join(","));
        let (registry, diagnostics) = Registry::read(&text);
        assert!(diagnostics.is_empty());
        let cycles = Lineage::new(&registry, &HashMap::new()).cycles();
        assert_eq!(cycles.iter().map(Vec::len).collect::<Vec<_>>(), [100_000]);
    }

    #[test]
    fn a_lineage_that_alternates_between_configs_has_bounded_indentation() {
        let versions = |other: &str, by: usize| {
            let version = |n: usize| format!("\"v{n}\":{{\"based_on\":\"{other}:v{}\"}}", n + by - 1);
            (1..1000).map(version).collect::<Vec<_>>().join(",")
        };
        let (a, b) = (versions("b.toml", 0), versions("a.toml", 1));
        let text = format!("{{\"configs\":{{\"a.toml\":{{\"versions\":{{{a}}}}},\"b.toml\":{{\"versions\":{{{b}}}}}}}}}");
        let (registry, _) = Registry::read(&text);
        let drawn = super::text(&registry, &Lineage::new(&registry, &HashMap::new()), &|_| true, &|_| None);
        assert_eq!(drawn.lines().count(), 1998);
        let indented = |line: &str| line.len() - line.trim_start().len();
        assert_eq!(drawn.lines().map(indented).max(), Some(128));
    }
}
