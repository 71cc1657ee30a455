//! Compiles the text of the schema history, in the notation of `schemas/README.md`, to the binary table that `cfg-schema` reads. `cargo xtask
//! generate` compiles the built-in history this way, and the program compiles the schemas that a user has imported.

mod beside;
pub mod chronicle;
mod compare;
mod encode;
mod entry;
mod environments;
mod evaluations;
mod listing;
mod notation;
mod packages;
mod recorded;
mod revisions;
mod shipped;
mod text;
mod tree;
mod types;

pub use beside::{Beside, Pin, beside};
pub use compare::{Difference, all_nearest, differences, nearest};
pub use encode::{Sentence, encode};
pub use entry::{Entry, SUFFIX, compile, compile_class, compile_program, entry, read_entry};
pub use environments::{environment_class, environment_of_taskset, has_environment};
pub use evaluations::{RecordedEvaluation, recorded_evaluation, recorded_evaluations};
pub use listing::listing;
pub use notation::{body, in_notation, meaning, type_in_notation};
pub use packages::{Seam, changed_checks, is_used_alike, pin_at, point_with, uses};
pub use recorded::{always, recorded};
pub use revisions::{revisions_at, validators_at};
pub use shipped::{comes_whole, own_checks, shipped, shipped_environment_of, with_own};
pub use text::{Field, Interval, parse};
pub use tree::{Node, Segment, build, joined, node_at, segments};
pub use types::Type;

/// The kinds, in the order of the table's roots and of `crate::Kind`.
pub const KINDS: [&str; 9] = ["rl", "trainer", "orchestrator", "inference", "sft", "eval", "evals", "synthesize", "env-server"];

#[cfg(test)]
mod tests {
    use super::KINDS;

    #[test]
    fn the_kinds_are_those_of_the_schema() {
        let names = crate::Kind::ALL.map(crate::Kind::name);
        assert_eq!(
            KINDS.as_slice(),
            names,
            "each of `crate::Kind::ALL` is in `crate::compiler::KINDS`, in the same order, and has files in schemas/"
        );
    }
}
