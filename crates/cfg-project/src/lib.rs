//! What surrounds a config: the settings of its project, the prime-rl that the project uses, and the files to check.
//!
//! This is an edge: it reads files and asks `git`, and hands plain data inwards. It prints nothing, writes nothing, and nothing that it
//! meets stops a check: what is wrong in a settings file becomes a diagnostic of that file, what can't be told is left open.
//!
//! - [`Projects`] answers for every config: which settings hold for it, and which prime-rl it is for.
//! - [`local_gpus`] and [`free_disk`] ask the machine, for those who want that.
//! - [`Files`] says where files are read: on the disk, or in the [`Index`] of git, which holds what is about to be committed.
//! - [`discover`] turns the paths of a command line into the files to check.

mod discover;
mod environment;
mod files;
mod folder;
mod git;
mod gpus;
mod history;
mod included;
mod index;
mod machine;
mod models;
mod place;
mod program;
mod projects;
mod registry;
mod settings;
mod split;
mod staging;
mod target;

pub use discover::{DiscoverError, DiscoverOptions, Found, discover, may_be_config};
pub use environment::Environment;
pub use files::{Files, tidy};
pub use git::{is_root as is_repository, show as git_show};
pub use gpus::{LocalGpu, add_processes, local_gpus, local_hardware, visible_gpus};
pub use history::{Revision, history};
pub use index::{Index, Staged};
pub use machine::{MachineError, free_disk};
pub use models::LocalModel;
pub use place::{Place, Sourced};
pub use projects::Projects;
pub use settings::{
    Card, ExtraType, Gpu, Group, Level, Lint, PerFileIgnore, Preflight, ProjectSettings, Selector, SettingOfLevel, Settings,
    SettingsFile, read_settings,
};
pub use split::{SplitFile, SplitRun};
pub use staging::{GitError, HookFolder, hook_folder, staged};
pub use target::{DetectedTarget, ENTRIES, LOCAL, TargetProblem, TargetSource, Unusable, local_target};
