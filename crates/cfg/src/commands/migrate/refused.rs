//! What the new prime-rl refuses of configs although a migration has nothing to decide about it.

use std::{collections::HashSet, path::Path};

use cfg_diag::{Diagnostic, codes};
use cfg_migrate::Migration;

use super::{
    one::MigratedConfig,
    together::{Together, place},
};
use crate::context::Context;

/// What is refused, a line each: of configs that are for the new prime-rl already, or `of_all`. Files that form one config are looked at together.
pub(super) fn lines(cx: &Context, all: &[MigratedConfig], together: &[Together], of_all: bool) -> Vec<String> {
    let of_others: HashSet<&Path> = together.iter().flat_map(Together::places).collect();
    let is_alone = |config: &&MigratedConfig| of_others.is_empty() || !of_others.contains(&*place(cx, Path::new(&config.name)));
    let is_arrived = |migration: &Migration| migration.from.point == migration.to.point || migration.is_migrated;
    let alone = all.iter().filter(is_alone).filter(|config| of_all || is_arrived(&config.migration)).flat_map(|config| {
        let told: HashSet<*const Diagnostic> =
            config.migration.new_faults().iter().map(|fault| std::ptr::from_ref(fault.finding)).collect();
        let is_left = move |found: &&Diagnostic| {
            let is_of_other_file = config.migration.is_part && found.code == &codes::MISSING_KEY;
            found.native.is_some() && !found.is_echo && !is_of_other_file && !told.contains(&std::ptr::from_ref(*found))
        };
        config.migration.remaining().filter(is_left).map(|found| {
            // A text that is for the new prime-rl already has not changed.
            let line = config.line_of(found.location).filter(|_| !config.is_changed());
            let line = line.map_or_else(String::new, |line| format!(":{line}"));
            format!("{}{line}: {}", config.name, found.message)
        })
    });
    let of_several = together.iter().filter(|together| of_all || together.is_arrived).flat_map(Together::refused);
    alone.chain(of_several).collect()
}
