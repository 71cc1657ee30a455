//! The schema history of prime-rl: every field of every kind of config at every commit of its main line since September 2025, and
//! what became of removed keys.
//!
//! The reviewed source is in `schemas/` at the root of the repository; `cargo xtask generate` compiles it into the [`table`] that is
//! included here and read in place. Nothing is parsed at start: a [`Schema`] is a kind and a [`Point`], a [`Node`] is an index.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod ahead;
mod behaviour;
mod behaviours;
mod cache;
mod checks;
pub mod compiler;
mod docs;
mod entrypoints;
mod extended;
mod extra_type;
mod field_type;
mod former;
mod hash;
mod history;
mod hosted;
mod kind;
mod lookup;
pub mod moved;
mod moves;
mod needs;
mod node;
mod packages;
mod paths;
mod point;
pub mod table;
mod target;
mod unchecked;
mod version;
mod words;

pub use ahead::{Ahead, AheadChange, AheadRelease, Written};
pub use behaviours::Behaviour;
pub use cache::{Cache, CacheMap, NodeCache, NodeMap};
pub use checks::{
    Assigned, CheckCode, CheckedTable, FieldCheck, NotUnderstood, Open, OpenPart, OwnChecks, Raised, Reason, Ruling, Seen,
    ValueSegment,
};
pub use entrypoints::Entrypoint;
pub use extra_type::ExtraType;
pub use field_type::{Bounds, Discriminator, FieldType, Policy, TypeKind};
pub use former::{Former, FormerValue, former};
pub use history::{History, Schema};
pub use kind::Kind;
pub use lookup::{FoundField, Stretch, find_fields};
pub use moves::{Automatic, Move};
pub use needs::Need;
pub use node::{Interval, Node, Segment};
pub use packages::{EnvironmentArg, EnvironmentArgs, OtherArgs, OwnCheck, PackageClass, Packages, Role, Unread};
pub use paths::{without_indices, without_variants};
pub use point::{Commit, Point, Tag};
pub use target::{BeyondHistory, Target, TargetError, is_day};
pub use unchecked::{Effect, Part, Unchecked};
pub use version::Version;
pub use words::{alternatives, bounds_in_words, interval_in_words, type_in_words};
