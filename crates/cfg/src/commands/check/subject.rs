//! What is checked: the paths of the command line, or the staged files.

use std::{
    cell::LazyCell,
    collections::{BTreeSet, HashMap, HashSet},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use cfg_check::Session;
use cfg_project::{Foreign, FoundFile, LeftOut, discover_any, is_only_script, is_script, is_yaml, may_be_config};
use cfg_report::{Summary, count};
use cfg_system::{IgnoredFiles, SearchOptions, System, tidy};
use rayon::prelude::*;

use crate::{
    Outcome,
    args::Check,
    baseline::Run,
    commands::registry::findings::Findings,
    context::Context,
    control::Control,
    threads::{self, FEW},
};

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
        is_explicit: bool,
    },
    Unreadable {
        path: PathBuf,
        error: io::Error,
    },
}

impl Input {
    /// The path of a file.
    fn path(&self) -> Option<&Path> {
        match self {
            Self::File { path, .. } | Self::Dependent { path } | Self::Script { path, .. } => Some(path),
            Self::Stdin | Self::Command | Self::Unreadable { .. } => None,
        }
    }
}

/// What is checked, the system on which it is read, and what else is reported.
#[derive(Default)]
pub(in crate::commands) struct Subject {
    /// The system on which it is read; `None` for the disk.
    pub(in crate::commands) system: Option<Arc<dyn System>>,
    pub(in crate::commands) inputs: Vec<Input>,
    /// The paths that the user named, or those in which the files were searched for.
    pub(in crate::commands) named: Vec<PathBuf>,
    /// Settings files that are checked even if they apply to none of the inputs.
    pub(in crate::commands) settings: Vec<PathBuf>,
    pub(in crate::commands) registries: Vec<Findings>,
    /// `None` for files on the disk.
    pub(in crate::commands) staged: Option<Staged>,
    /// Where the report is written instead of standard output.
    pub(in crate::commands) out: Option<Arc<Mutex<Vec<u8>>>>,
    /// The TOML files that were left out because of ignore files, in words for the report; empty if none were, or if it is not to say so.
    pub(in crate::commands) left_out: String,
}

/// The staged files.
pub(in crate::commands) struct Staged {
    /// The files that the commit changes, relative to the root.
    pub(in crate::commands) changed: Vec<PathBuf>,
    /// Whether all files that git tracks are checked.
    pub(in crate::commands) is_all: bool,
    /// Where the work tree is.
    pub(in crate::commands) disk: Arc<dyn System>,
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
    pub(in crate::commands) fn of(cx: &Context, check: &Check) -> Self {
        let ignored = IgnoredFiles::new(may_be_config);
        let inputs = inputs(cx, check, check.control.verbose.then_some(&ignored));
        // That nothing was found is explained, which costs a second search.
        if inputs.is_empty() && !check.control.verbose && !cx.is_for_program() {
            drop(self::inputs(cx, check, Some(&ignored)));
        }
        // What a tool lists is not named by the user: only this folder is.
        let named = if check.configs_only { vec![PathBuf::from(".")] } else { check.paths.clone() };
        Self { inputs, named, left_out: left_out(&ignored), ..Self::default() }
    }
}

impl Subject {
    /// Whether everything in the named folders is checked: not only the files of a commit, and without an option that leaves out files, or leads to other
    /// findings than those that the settings and the files determine.
    pub(super) fn is_whole(&self, cx: &Context, check: &Check) -> bool {
        let has_all = self.staged.as_ref().is_none_or(|staged| staged.is_all) && check.exclude.is_empty() && !check.configs_only;
        let is_of_files = check.command.is_empty() && check.stdin_filename.is_none();
        let is_plain = check.gpu.is_none() && !check.env_vars && cx.common.target.is_none() && !cx.common.states_kind();
        has_all && is_of_files && is_plain
    }
}

/// The files that were found and are not checked.
#[derive(Default)]
pub(super) struct LeftOutFiles {
    by_settings: usize,
    foreign: BTreeSet<Foreign>,
}

impl LeftOutFiles {
    /// Lines for the end of a report for people. `is_all`: nothing else was found, so that nothing was checked.
    pub(super) fn in_words(&self, cx: &Context, control: &Control, is_all: bool) -> String {
        let mut lines = String::new();
        for Foreign { folder, is_submodule } in &self.foreign {
            let what = if *is_submodule { "a git submodule" } else { "a copy of prime-rl" };
            let shown = cfg_diag::one_line(&cx.system.shown(folder)).into_owned();
            lines.push_str(&format!("\nLeft out {shown}, {what}; name it to check it"));
        }
        if (control.verbose || is_all) && self.by_settings > 0 {
            lines.push_str(&format!("\nLeft out {} that `exclude` in the settings names", count(self.by_settings, "file")));
        }
        lines
    }
}

/// The inputs, without files that the settings exclude, or that belong to another project, unless the user named them.
pub(super) fn included(inputs: Vec<Input>, session: &Session, named: &[PathBuf]) -> (Vec<Input>, LeftOutFiles) {
    let judge = |input: &Input| match input {
        Input::File { path, is_explicit: false } | Input::Dependent { path } | Input::Script { path, is_explicit: false } => {
            session.projects().left_out(path, named)
        }
        // The settings around all inputs are read here, so that they can be refused before anything is checked.
        Input::File { path, .. } | Input::Script { path, .. } => {
            session.projects().settings(path);
            None
        }
        Input::Stdin | Input::Command | Input::Unreadable { .. } => None,
    };
    let judged: Vec<Option<LeftOut>> = if inputs.len() <= FEW || !threads::are_there() {
        inputs.iter().map(judge).collect()
    } else {
        threads::on_all(|| inputs.par_iter().map(judge).collect())
    };
    let mut left_out = LeftOutFiles::default();
    let mut kept = Vec::with_capacity(inputs.len());
    for (input, judged) in inputs.into_iter().zip(judged) {
        let is_yaml = matches!(&input, Input::File { path, .. } if is_yaml(path));
        match judged {
            None => kept.push(input),
            Some(_) if is_yaml => {}
            Some(LeftOut::BySettings) => left_out.by_settings += 1,
            Some(LeftOut::Foreign(foreign)) => drop(left_out.foreign.insert(foreign)),
        }
    }
    (kept, left_out)
}

/// The inputs, with the scripts in the folders that the user named that start configs elsewhere, or of others, which are no inputs. Scripts of a commit are
/// inputs already.
pub(super) fn with_scripts(
    cx: &Context,
    check: &Check,
    session: &Session,
    mut inputs: Vec<Input>,
    is_staged: bool,
) -> Vec<Input> {
    if is_staged || check.configs_only || !check.command.is_empty() {
        return inputs;
    }
    let place = |path: &Path| tidy(&cx.system.absolute(path));
    // Few folders have scripts that start a config elsewhere.
    let named: LazyCell<HashSet<PathBuf>, _> = LazyCell::new(|| inputs.iter().filter_map(Input::path).map(place).collect());
    let mut scripts: BTreeSet<PathBuf> = BTreeSet::new();
    for folder in check.paths.iter().filter(|path| cx.system.is_folder(path)) {
        let folder = place(folder);
        let index = session.projects().launch_index(&folder.join("cfg.toml"));
        let is_elsewhere = |file: &Path| match session.projects().left_out(file, &check.paths) {
            Some(LeftOut::Foreign(_)) => true,
            Some(LeftOut::BySettings) => false,
            None => !file.starts_with(&folder) && !named.contains(file),
        };
        scripts.extend(index.scripts_in(&folder, is_elsewhere));
        // A file that is passed for a component is not refused because of the flags of the run: these are reported with the script.
        scripts.extend(index.scripts_of_components().filter(|script| script.starts_with(&folder)).cloned());
    }
    scripts.retain(|script| !named.contains(script) && !check.exclude.iter().any(|pattern| pattern.is_part_of(script)));
    drop(named);
    inputs.extend(scripts.into_iter().map(|path| Input::Script { path: cx.system.shown(&path).into(), is_explicit: false }));
    inputs
}

/// Reads the settings around what is checked, so that they can be refused before anything is reported.
pub(super) fn read_settings(cx: &Context, check: &Check, session: &Session, near: &Path) {
    if check.command.is_empty() {
        session.projects().settings(&if cx.system.is_folder(near) { near.join("cfg.toml") } else { near.to_owned() });
    }
    for file in cfg_check::files_of_command(&check.command, &*cx.system) {
        session.projects().settings(Path::new(&file));
    }
}

impl Run {
    pub(super) fn new(named: &[PathBuf], inputs: &[Input]) -> Self {
        let file = |input: &Input| match input {
            Input::File { path, .. } => Some(path.clone()),
            _ => None,
        };
        Self { named: named.to_vec(), files: inputs.iter().filter_map(file).collect(), is_whole: false }
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

/// A report that another command reads.
pub(super) struct Kept(pub(super) Arc<Mutex<Vec<u8>>>);

impl io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
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
            is_script(&found.path).then_some(Input::Script { path: found.path, is_explicit: false })
        }
        Ok(found) if found.explicit && is_only_script(&found.path) => Some(Input::Script { path: found.path, is_explicit: true }),
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
