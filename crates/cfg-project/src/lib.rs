//! What surrounds a config: the settings of its project, the prime-rl that the project uses, and the files to check.
//!
//! It reads files and runs `git`, through a [`System`](cfg_system::System), and returns plain data. It prints nothing, writes nothing, and never
//! stops a check: an error in a settings file becomes a diagnostic of that file, and what can't be read is unknown.
//!
//! - [`Projects`] has the settings of each config, and the prime-rl that it is for.
//! - [`local_gpus`] reads the GPUs of this machine.
//! - The [`Index`] of git is a system whose files are those of the next commit.
//! - [`discover`] turns the paths of a command line into the files to check.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod baseline;
mod day;
mod discover;
mod earlier;
mod editor;
mod folder;
mod foreign;
mod git;
mod gpus;
mod history;
mod included;
mod index;
mod launched;
mod launches;
mod machine;
mod models;
mod nearby;
mod own_launches;
mod own_program;
mod packages;
mod patches;
mod pattern;
mod pattern_set;
mod place;
mod programs;
mod projects;
mod purpose;
mod registry;
mod scripts;
mod settings;
mod split;
mod stages;
mod staging;
mod target;
mod verifiers;

pub use baseline::{Baseline, Covered, Texts as BaselineTexts};
pub use cfg_python::{Loader, NO_LOADER};
pub use day::{DaySource, FileDay, days_between};
pub use discover::{FoundFile, discover, discover_any, is_yaml, may_be_config};
pub use earlier::{Earlier, EarlierTarget};
pub use editor::editor;
pub use foreign::{Foreign, LeftOut};
pub use git::{commits_that_added, show as git_show};
pub use gpus::{LocalGpu, add_processes, driver, local_gpus, local_hardware, visible_gpus};
pub use history::{Revision, history, names_in_history};
pub use index::{Index, Staged};
pub use launched::{LaunchIndex, LaunchSource, MissingConfig, PlacedLaunch};
pub use machine::MachineError;
pub use models::LocalModel;
pub use nearby::{FileSet, Nearby};
pub use own_program::{NamedProgram, OwnProgram, ProgramName, ProgramResult, ScriptClass};
pub use patches::{Patch, Patches};
pub use pattern::FilePattern;
pub use place::{SettingPlace, Sourced};
pub use projects::{ProjectAround, Projects};
pub use scripts::{has_lines_of_shell, is_only_script, is_script, launches_in_file, may_have_launches};
pub use settings::{
    Card, DeclaredDialect, ExtraType, Gpu, Group, Level, Lint, PathPattern, PerFile, Preflight, ProjectSettings, RequiredVersion,
    SETTINGS, Selector, Setting, SettingOfLevel, SettingType, Settings, SettingsFile, Watch, read_settings, setting_at,
    settings_in, settings_schema, settings_table,
};
pub use split::{SplitFile, SplitRun};
pub use staging::{
    GitError, HookFolder, Unmerged, git_setting, hook_folder, outside_of_sparse_checkout, remove_git_settings, renames,
    set_git_setting, staged, unmerged, work_tree,
};
pub use target::{
    Basis, DetectedTarget, ENTRIES, LOCAL, NamedBy, OwnClasses, TargetProblem, TargetSource, Unusable, local_target,
    may_state_prime_rl, read_own,
};
pub use verifiers::{EvaluationClass, Verifiers};
