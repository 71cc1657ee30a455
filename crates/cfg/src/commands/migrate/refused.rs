//! What the new prime-rl refuses of configs although a migration has nothing to decide about it.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use cfg_diag::Diagnostic;

use super::{
    one::MigratedConfig,
    together::{Together, place},
};
use crate::context::Context;

/// What is refused, a line each. Files that form one config are looked at together.
pub(super) fn lines(cx: &Context, all: &[MigratedConfig], together: &[Together]) -> Vec<String> {
    let of_others: HashSet<&Path> = together.iter().flat_map(Together::places).collect();
    let is_alone = |config: &&MigratedConfig| of_others.is_empty() || !of_others.contains(&*place(cx, Path::new(&config.name)));
    let alone = all.iter().filter(is_alone).flat_map(|config| {
        let told: HashSet<*const Diagnostic> =
            config.migration.new_faults().iter().map(|fault| std::ptr::from_ref(fault.finding)).collect();
        let is_left = move |found: &&Diagnostic| !told.contains(&std::ptr::from_ref(*found));
        let refusals = config.migration.refusals().into_iter();
        let places: HashMap<*const Diagnostic, _> =
            refusals.map(|refusal| (std::ptr::from_ref(refusal.finding), refusal.location)).collect();
        config.refused().filter(is_left).map(move |found| {
            // The line of the old text: what is in none is new.
            let line = config.line_of(places.get(&std::ptr::from_ref(found)).copied().flatten());
            let line = line.map_or_else(String::new, |line| format!(":{line}"));
            format!("{}{line}: {}", config.name, found.message)
        })
    });
    let of_several = together.iter().flat_map(Together::refused);
    alone.chain(of_several).chain(all.iter().flat_map(|config| config.beside.iter().cloned())).collect()
}
