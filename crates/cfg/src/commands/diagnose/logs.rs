//! Finds the logs to read: named files, and in named folders the files that look like logs.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use cfg_launch::outputs::inner_runs;
use cfg_system::{Kind, Scope};

use crate::{commands::read::why, context::Context};

/// The file extensions of logs. Versions of prime-rl have written `rank_0.log`, `orchestrator.stdout` and `trainer.log`.
const ENDINGS: [&str; 6] = ["log", "txt", "stdout", "stderr", "out", "err"];

/// The file that prime-rl's file monitor writes.
const METRICS: &str = "metrics.jsonl";

/// The maximum depth of the search. prime-rl's logs are at most four levels below `output_dir`.
const DEEPEST: usize = 8;

/// Folders with data, which are not searched: checkpoints can have millions of files.
const NO_LOGS: [&str; 7] = ["checkpoints", "weights", "broadcasts", "rollouts", ".git", ".venv", "node_modules"];

/// The logs at the paths of a command line; standard input if there are none. If something can't be read, that is reported, and `has_failed` is set.
pub(crate) fn named(cx: &Context, paths: &[PathBuf], has_failed: &mut bool) -> Vec<PathBuf> {
    let mut logs = Vec::new();
    if paths.is_empty() {
        logs.push(PathBuf::from("-"));
    }
    for path in paths {
        if cx.system.is_folder(path) {
            let before = logs.len();
            search(cx, path, 0, &mut logs, has_failed);
            logs[before..].sort_unstable();
        } else {
            logs.push(path.clone());
        }
    }
    logs
}

/// The logs of one run: those of other runs below its folder are not its own.
pub(crate) fn of_run(cx: &Context, run: &Path, has_failed: &mut bool) -> Vec<PathBuf> {
    let mut logs = named(cx, &[run.to_owned()], has_failed);
    let others: HashSet<PathBuf> = inner_runs(&*cx.system, run).into_iter().collect();
    logs.retain(|log| !cfg_system::around(log).any(|folder| others.contains(folder)));
    logs
}

/// The run that wrote a log, as the number of its folder in `runs`, or `runs.len()` if it is in none.
pub(crate) fn run_of(log: &Path, runs: &HashMap<&Path, usize>) -> usize {
    cfg_system::around(log).find_map(|folder| runs.get(folder).copied()).unwrap_or(runs.len())
}

/// Of logs that were found at the paths of a command line, which are of an attempt that a newer one replaced. A log that was named itself is not.
pub(crate) fn replaced(found: &[PathBuf], named: &[PathBuf]) -> Vec<bool> {
    let paths: Vec<&Path> = found.iter().map(PathBuf::as_path).collect();
    let is_replaced = cfg_diagnose::replaced(&paths);
    is_replaced.into_iter().zip(found).map(|(is_replaced, path)| is_replaced && !named.contains(path)).collect()
}

/// Whether a file is a log by its name: `trainer.log`, and as it is kept, `trainer.log.1` or `trainer.log.gz`.
fn is_log(path: &Path) -> bool {
    let ending = |path: &Path| path.extension().and_then(|ending| ending.to_str()).map(str::to_owned);
    let is_kept = |ending: &str| ending == "gz" || ending.len() <= 2 && ending.bytes().all(|byte| byte.is_ascii_digit());
    let mut path = path.to_owned();
    while ending(&path).is_some_and(|ending| is_kept(&ending)) {
        path.set_extension("");
    }
    ending(&path).is_some_and(|ending| ENDINGS.contains(&&*ending))
}

fn search(cx: &Context, folder: &Path, depth: usize, logs: &mut Vec<PathBuf>, has_failed: &mut bool) {
    let entries = match cx.system.list(folder, Scope::Inside) {
        Ok(entries) => entries,
        Err(error) => {
            cx.complain(&format!("{}: {}", folder.display(), why(&error)));
            *has_failed = true;
            return;
        }
    };
    // `latest` is a link to the newest attempt, whose logs would be read twice.
    let has_attempts = entries.iter().any(|entry| entry.name.to_str().is_some_and(|name| name.starts_with("attempt_")));
    for entry in entries {
        let path = folder.join(&entry.name);
        if has_attempts && entry.name == "latest" {
            continue;
        }
        if entry.kind == Kind::Folder {
            let is_data = entry.name.to_str().is_some_and(|name| NO_LOGS.contains(&name));
            if depth < DEEPEST && !is_data {
                search(cx, &path, depth + 1, logs, has_failed);
            }
        } else if (entry.name == METRICS || is_log(&path))
            // Reading a pipe or a device could block forever. A link to a file is allowed.
            && cx.system.is_file(&path)
        {
            logs.push(path);
        }
    }
}
