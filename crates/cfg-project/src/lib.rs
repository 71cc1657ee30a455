//! What surrounds a config: the settings of its project, the prime-rl that the project uses, and the files to check.
//!
//! This is an edge: it reads files and asks `git`, and hands plain data inwards. It prints nothing, writes nothing, and nothing that it
//! meets stops a check: what is wrong in a settings file becomes a diagnostic of that file, what can't be told is left open.
//!
//! - [`Projects`] answers for every config: which settings hold for it, and which prime-rl it is for.
//! - [`local_gpus`] and [`free_disk`] ask the machine, for those who want that.
//! - [`discover`] turns the paths of a command line into the files to check.

mod discover;
mod environment;
mod files;
mod folder;
mod git;
mod history;
mod included;
mod machine;
mod models;
mod place;
mod program;
mod projects;
mod registry;
mod settings;
mod split;
mod target;

pub use discover::{DiscoverError, DiscoverOptions, Found, discover};
pub use environment::Environment;
pub use git::show as git_show;
pub use history::{Revision, history};
pub use machine::{LocalGpu, MachineError, free_disk, local_gpus, local_hardware};
pub use models::LocalModel;
pub use place::{Place, Sourced};
pub use projects::Projects;
pub use settings::{
    Card, ExtraType, Gpu, Group, Level, Lint, PerFileIgnore, ProjectSettings, Selector, SettingOfLevel, Settings, SettingsFile,
    read_settings,
};
pub use split::{SplitFile, SplitRun};
pub use target::{DetectedTarget, ENTRIES, LOCAL, TargetProblem, TargetSource, Unusable, local_target};
