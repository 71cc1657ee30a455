//! The only access to files, other programs, the environment and time.
//!
//! `cfg` runs on other people's repositories. The limits on what such a repository can cause are here and nowhere else: [`System`] reads only regular
//! files, of a limited size, and only where the user pointed; [`WritableSystem`] changes only what a command was asked to change; [`Host`] starts
//! programs that do not come from the repository. `docs/security.md` lists what remains possible.
//!
//! [`OsSystem`] is the machine of this process, created once in `main`. [`MemorySystem`] has files in memory, for tests and for wasm32. [`Overlay`]
//! puts texts over another system: documents that are open in an editor, a change that is not finished. [`Recorded`] remembers the files that one
//! answer depends on, whether their texts come from an overlay or from the disk. [`Observed`] remembers what was read from another system, and finds
//! what has changed. [`SearchedOnce`] looks at nothing twice.

mod absolute;
pub mod git;
mod host;
mod memory;
mod observed;
#[cfg(not(target_family = "wasm"))]
mod os;
mod overlay;
mod path_map;
mod projectless;
mod recorded;
mod refusal;
mod role;
mod search;
mod searched_once;
mod system;
mod writable;

pub use absolute::{around, below, file_name, folder_and_name, is_out_of_reach, path_in, relative, tidy, without_dots};
pub use host::{Host, LimitOfFiles, NoAnswer, Output, Process, Program, Running};
pub use memory::MemorySystem;
pub use observed::{KeptSearches, Observed};
#[cfg(not(target_family = "wasm"))]
pub use os::OsSystem;
pub use overlay::Overlay;
pub use path_map::{PathMap, PathRefs, PathSet};
pub use projectless::ProjectlessFolders;
pub use recorded::Recorded;
pub use refusal::Refusal;
pub use role::{Role, Scope};
pub use search::{FoundLinks, IgnoredFiles, SearchMemory, SearchOptions, Unsearched};
pub use searched_once::{Listings, SearchedOnce};
pub use system::{Admission, Entry, Kind, Status, System};
pub use writable::{Lock, NewMode, TemporaryFolder, WritableSystem};
