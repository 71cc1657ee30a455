//! `cargo xtask history environments PRIME-RL VERIFIERS`: reads the config classes of the environments in verifiers' repository, at every commit of the
//! main line in the history.

use std::collections::BTreeSet;

use super::{
    rows::Rows,
    shipped::{News, add, below_groups, table, write},
};
use crate::mirror::Mirror;

/// Writes `schemas/environments.schema` from the commit with the index `first` on, and returns lines for a person to review.
pub(crate) fn read(mirror: &mut Mirror, first: usize) -> Result<Vec<String>, String> {
    write(mirror, ("environments.schema", HEAD), first, of_pin)
}

const HEAD: &str = "# The config classes of the environments in verifiers' repository (`environments/`), with the fields that each has beyond, or otherwise than, the\n# class of its role: `taskset.gsm8k` is what a taskset with the id `gsm8k` has. What an environment has by its taskset is below `env_of`; it is `any`\n# where that is not known. `own` are checks of such a class, with the fields that each reads.\n# `cargo xtask history environments` writes it.";

/// What is said of a module that has no class for a role.
const NO_CLASS: &str = "exports no taskset";

/// The classes at a commit of verifiers.
fn of_pin(mirror: &mut Mirror, pin: &str, news: &mut News) -> Result<Rows, String> {
    let mut all = Rows::new();
    let found = mirror.environments(pin)?;
    let module = |place: &str| place.split_once('.').map(|(_, module)| module.to_owned()).unwrap_or_default();
    let readable: BTreeSet<String> = found.iter().filter(|(_, read)| read.is_ok()).map(|(place, _)| module(place)).collect();
    for (place, read) in found {
        match read {
            Ok(Some(class)) => add(&mut all, &place, &class, |_| false)?,
            Ok(None) => {
                all.insert(place, cfg_schema::compiler::body(&table("forbid")));
            }
            Err(why) if place.starts_with("env_of.") => {
                news.insert(format!("{place}: {why}"));
                all.insert(place, "any".to_owned());
            }
            // Most have a class for one role only, and older ones have none, which is no news.
            Err(why) if place.starts_with("taskset.") && !readable.contains(&module(&place)) && !why.contains(NO_CLASS) => {
                news.insert(format!("{place}: {why}"));
            }
            Err(_) => {}
        }
    }
    Ok(below_groups(all))
}
