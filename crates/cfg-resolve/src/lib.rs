//! Resolution: a single walker over a tree and a schema, which returns the typed values together with the diagnostics.
//!
//! [`resolve`] is the only place where a value is compared with a type. Behaviour that depends on the prime-rl version is attached as hooks before
//! and after each table, which the schema history names: the validators of a class are data, and each body is a file.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod before;
mod coerce;
mod constructed;
mod count;
mod default;
mod dump;
pub mod emit;
mod fields;
mod free_table;
pub mod launcher;
mod loc;
mod native;
mod report;
mod resolved;
mod suggest;
mod synonyms;
mod tables;
#[cfg(test)]
mod testing;
mod view;
mod vllm;
mod walk;
mod written;

pub use before::{OldPlaces, old_places};
pub use cfg_compose::loader;
pub use coerce::float_repr;
pub use constructed::{construct, defaults_alone};
pub use count::{Checks, checks};
pub use dump::{Dump, changed_keys, dump};
pub use fields::Fields;
pub use free_table::FreeTable;
pub use native::{Contradiction, End, has_renderer, models_with_renderer, renderer_of, unchecked};
pub use report::OTHER_VARIANT;
pub use resolved::{Field, Resolved, ResolvedTable, ResolvedValue};
pub use suggest::{Names, is_slip, nearest};
pub use synonyms::other_names;
pub use view::{View, untouched};
pub use vllm::{VllmChoices, vllm_choices, vllm_last_choices};
pub use walk::{
    is_accepted,
    narrow::{has_id as names_its_class, looked_up},
    refusals, resolve,
};
pub use written::{Defaults, Nulls, written, written_for_any_class};

/// Whether a validator of prime-rl has a body here at a point, or is known to need none.
pub fn has_body(point: cfg_schema::Point, name: &str) -> bool {
    before::is_known(name) || native::is_known(point, name)
}

/// The validators of an interval of a class that have no body here, although prime-rl runs them: each with its mode.
pub fn unported(interval: cfg_schema::Interval) -> impl Iterator<Item = (&'static str, &'static str)> {
    let of = move |mode: &'static str| interval.validators_of(mode).map(move |name| (mode, name));
    let is_known = move |name: &str| has_body(interval.since(), name);
    ["before", "before field", "after"].into_iter().flat_map(of).filter(move |(_, name)| !is_known(name))
}
