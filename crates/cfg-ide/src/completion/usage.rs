//! How often keys and their values are written in real configs, from `schemas/usage.tsv`: the order in which they are offered.

use std::{collections::HashMap, sync::LazyLock};

use cfg_schema::Kind;

#[derive(Default)]
struct Usage {
    configs: u16,
    /// Each value with the number of configs that have it, the most common one first.
    values: Vec<(&'static str, u16)>,
}

static ALL: LazyLock<HashMap<&'static str, Usage>> = LazyLock::new(|| {
    let mut all: HashMap<&str, Usage> = HashMap::new();
    for line in include_str!("../../../../schemas/usage.tsv").lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split('\t');
        let (Some(key), Some(count)) = (columns.next(), columns.next().and_then(|count| count.parse().ok())) else { continue };
        let usage = all.entry(key).or_default();
        match columns.next() {
            Some(value) => usage.values.push((value, count)),
            None => usage.configs = count,
        }
    }
    all
});

/// The number of configs that write a key.
pub(super) fn of_key(kind: Kind, key: &str) -> u16 {
    named(kind, key).map(|usage| usage.configs).max().unwrap_or_default()
}

/// The number of configs that write a key of this name in a table of this name, wherever that is: `log.level` for `orchestrator.log.level`.
pub(super) fn of_name(key: &str) -> u16 {
    static BY_NAME: LazyLock<HashMap<&str, u16>> = LazyLock::new(|| {
        let mut counts: HashMap<&str, u16> = HashMap::new();
        ALL.iter().for_each(|(key, usage)| {
            let count = counts.entry(with_table(key)).or_default();
            *count = (*count).max(usage.configs);
        });
        counts
    });
    BY_NAME.get(with_table(key)).copied().unwrap_or_default()
}

/// The last two parts of a key.
fn with_table(key: &str) -> &str {
    let name = key.rfind('.').unwrap_or(0);
    key[..name].rfind('.').map_or(key, |table| &key[table + 1..])
}

/// The strings and numbers that configs give a key, as TOML, each with the number of configs.
pub(super) fn values(kind: Kind, key: &str) -> impl Iterator<Item = (&'static str, u16)> {
    named(kind, key).max_by_key(|usage| usage.values.len()).map(|usage| &usage.values[..]).unwrap_or_default().iter().copied()
}

/// The models that configs name, in whichever of their tables; each with the number of configs.
pub(super) fn models() -> impl Iterator<Item = (&'static str, u16)> {
    static COUNTED: LazyLock<Vec<(&str, u16)>> = LazyLock::new(|| counted(&["model.name"]));
    COUNTED.iter().copied()
}

/// The ids that configs give environments of the old kind, in whichever of their tables; each with the number of configs.
pub(super) fn environments() -> impl Iterator<Item = (&'static str, u16)> {
    static COUNTED: LazyLock<Vec<(&str, u16)>> = LazyLock::new(|| counted(&["env.id", "environment.id", "legacy.id"]));
    COUNTED.iter().copied()
}

/// The values of keys with one of these ends.
fn counted(ends: &[&str]) -> Vec<(&'static str, u16)> {
    let ends_so =
        |key: &str| ends.iter().any(|end| key.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')));
    let mut counts: Vec<(&str, u16)> = Vec::new();
    for (_, usage) in ALL.iter().filter(|(key, _)| ends_so(key)) {
        for (value, count) in &usage.values {
            match counts.iter_mut().find(|(known, _)| known == value) {
                // A config gives several of its parts the same model.
                Some((_, all)) => *all = (*all).max(*count),
                None => counts.push((value, *count)),
            }
        }
    }
    counts
}

/// A key under its own name, and as the part of an `rl` config that it is in the file of a component.
fn named(kind: Kind, key: &str) -> impl Iterator<Item = &'static Usage> {
    let component = match kind {
        Kind::Trainer | Kind::Sft => Some("trainer"),
        Kind::Orchestrator => Some("orchestrator"),
        Kind::Inference => Some("inference"),
        _ => None,
    };
    let in_rl = component.and_then(|component| ALL.get(&*format!("{component}.{key}")));
    ALL.get(key).into_iter().chain(in_rl)
}

#[cfg(test)]
mod tests {
    use cfg_schema::Kind;

    use super::{of_key, of_name, values};

    #[test]
    fn keys_and_values_are_counted_in_the_config_and_in_its_parts() {
        assert!(of_key(Kind::Rl, "max_steps") > of_key(Kind::Rl, "wandb.name"));
        assert_eq!(of_key(Kind::Trainer, "optim.lr"), of_key(Kind::Rl, "trainer.optim.lr").max(of_key(Kind::Rl, "optim.lr")));
        assert_eq!(of_key(Kind::Rl, "nonsense"), 0);
        assert!(of_name("orchestrator.log.level") > of_name("orchestrator.log.interval"));
        assert_eq!(of_name("log.level"), of_name("a.b.log.level"));
        let counts: Vec<u16> = values(Kind::Rl, "trainer.optim.type").map(|(_, count)| count).collect();
        assert!(counts.len() > 1 && counts.is_sorted_by(|one, other| one >= other), "{counts:?}");
    }
}
