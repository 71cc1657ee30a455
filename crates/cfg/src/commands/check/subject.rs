//! What is checked: the paths of the command line, or the staged files.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_check::Session;
use cfg_project::{FoundFile, discover_any, is_script, is_yaml, may_be_config};
use cfg_report::{Summary, count};
use cfg_system::{IgnoredFiles, SearchOptions, System};

use crate::{Outcome, args::Check, commands::registry::findings::Findings, context::Context};

/// One input of a check.
pub(in crate::commands) enum Input {
    Stdin,
    Command,
    File {
        path: PathBuf,
        is_explicit: bool,
    },
    /// A config that is only checked if one of the inputs is a part of it.
    Dependent {
        path: PathBuf,
    },
    /// A script: its launches are checked, unless one of their configs is an input.
    Script {
        path: PathBuf,
    },
    Unreadable {
        path: PathBuf,
        error: io::Error,
    },
}

/// What is checked, the system on which it is read, and what else is reported.
#[derive(Default)]
pub(in crate::commands) struct Subject {
    /// The system on which it is read; `None` for the disk.
    pub(in crate::commands) system: Option<Arc<dyn System>>,
    pub(in crate::commands) inputs: Vec<Input>,
    /// Settings files that are checked even if they apply to none of the inputs.
    pub(in crate::commands) settings: Vec<PathBuf>,
    pub(in crate::commands) registries: Vec<Findings>,
    /// `None` for files on the disk.
    pub(in crate::commands) staged: Option<Staged>,
    /// The TOML files that were left out because of ignore files, in words for the report; empty if none were, or if it is not to say so.
    pub(in crate::commands) left_out: String,
}

/// The staged files.
pub(in crate::commands) struct Staged {
    /// The files that the commit changes, relative to the root.
    pub(in crate::commands) changed: Vec<PathBuf>,
    /// Whether all files that git tracks are checked.
    pub(in crate::commands) is_all: bool,
}

impl Staged {
    /// The last line of a report for people. Empty for a commit without problems, in which case git continues.
    pub(super) fn closing(&self, closing: String, summary: Summary, outcome: Outcome) -> String {
        let has_findings = summary.errors + summary.warnings + summary.infos > summary.hidden;
        match outcome {
            _ if self.is_all => closing,
            Outcome::Clean if !has_findings => String::new(),
            Outcome::Clean => closing,
            Outcome::Found | Outcome::Failed => {
                format!(
                    "{closing}\nStaged files were checked: `git add` your fixes, or skip the check with `git commit --no-verify`"
                )
            }
        }
    }
}

impl Subject {
    /// The inputs of the command line, with folders expanded.
    pub(super) fn of(cx: &Context, check: &Check) -> Self {
        let ignored = check.control.verbose.then(|| IgnoredFiles::new(may_be_config));
        let inputs = inputs(cx, check, ignored.as_ref());
        Self { inputs, left_out: ignored.as_ref().map(left_out).unwrap_or_default(), ..Self::default() }
    }
}

/// The inputs, without YAML files that were found in a folder and that no project declares to be configs.
pub(super) fn declared(mut inputs: Vec<Input>, session: &Session) -> Vec<Input> {
    // The settings of each folder are read only once, because it may contain many files of other programs.
    let mut declaring: HashMap<PathBuf, bool> = HashMap::new();
    inputs.retain(|input| match input {
        Input::File { path, is_explicit: false } if is_yaml(path) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            let declares = match declaring.get(folder) {
                Some(declares) => *declares,
                None => {
                    let declares = !session.projects().settings(path).settings.dialects.is_empty();
                    *declaring.entry(folder.to_owned()).or_insert(declares)
                }
            };
            declares && session.projects().dialect(path).is_some()
        }
        _ => true,
    });
    inputs
}

/// The number of ignored files, as a line of its own.
fn left_out(ignored: &IgnoredFiles) -> String {
    let more = if ignored.is_more() { "more than " } else { "" };
    match ignored.count() {
        0 => String::new(),
        files => format!(
            "\nLeft out {more}{} that git does not track and `.gitignore` or `.ignore` excludes",
            count(files, "TOML file")
        ),
    }
}

fn inputs(cx: &Context, check: &Check, ignored: Option<&IgnoredFiles>) -> Vec<Input> {
    if !check.command.is_empty() {
        return vec![Input::Command];
    }
    let (stdin, paths): (Vec<PathBuf>, Vec<PathBuf>) = check.paths.iter().cloned().partition(|path| path.as_os_str() == "-");
    let is_left_out = |found: &FoundFile| {
        let is_named = found.explicit && !check.configs_only;
        !is_named && check.exclude.iter().any(|pattern| pattern.is_part_of(&found.path))
    };
    let wanted = |path: &Path| may_be_config(path) || is_yaml(path) && !check.configs_only;
    let options = SearchOptions { ignored, ..SearchOptions::default() };
    let found = discover_any(&*cx.system, &paths, options, &wanted).into_iter().filter_map(|found| match found {
        Ok(found) if is_left_out(&found) => None,
        Ok(found) if check.configs_only && found.explicit && !may_be_config(&found.path) => {
            is_script(&found.path).then_some(Input::Script { path: found.path })
        }
        Ok(found) => Some(Input::File { path: found.path, is_explicit: found.explicit && !check.configs_only }),
        Err(error) => Some(Input::Unreadable { path: error.path, error: error.error }),
    });
    let mut inputs: Vec<Input> = stdin.first().map(|_| Input::Stdin).into_iter().chain(found).collect();
    // An error about a missing file is more helpful than one about an unexpected `@`.
    inputs.sort_by_key(|input| matches!(input, Input::Unreadable { path, .. } if is_sign(path)));
    inputs
}

/// Whether a path is the `@` that precedes file names in a launch command.
pub(super) fn is_sign(path: &Path) -> bool {
    path.to_string_lossy().starts_with('@')
}
