//! When a run last wrote to one of its logs.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    time::Duration,
};

use cfg_system::{Kind, Scope, System};

/// Ends of the names of logs.
const ENDINGS: [&str; 7] = [".log", ".stdout", ".stderr", ".out", ".err", ".txt", ".jsonl"];

/// Folders without logs, which can have millions of files.
const NO_LOGS: [&str; 9] =
    ["checkpoints", "weights", "broadcasts", "rollouts", "evals", "token_exports", ".git", ".venv", "node_modules"];

/// The logs of prime-rl are at most this many folders below the output folder: `logs/attempt_1/trainer/torchrun/ID/attempt_0/3/stderr.log`.
const DEEPEST: usize = 8;

/// No more entries than these are looked at: a folder with more is not that of a run.
pub(crate) const MAX_ENTRIES: usize = 20_000;

/// The modification time of the newest log in a folder and below it, without those of other runs.
pub(crate) fn written(system: &dyn System, folder: &Path, others: &[PathBuf]) -> Option<Duration> {
    let mut left = MAX_ENTRIES;
    let others = others.iter().map(PathBuf::as_path).collect();
    search(system, folder, &others, 0, &mut left)
}

fn search(system: &dyn System, folder: &Path, others: &HashSet<&Path>, depth: usize, left: &mut usize) -> Option<Duration> {
    let mut newest = None;
    for entry in system.list(folder, Scope::Anywhere).unwrap_or_default() {
        let Some(rest) = left.checked_sub(1) else { break };
        *left = rest;
        let Some(name) = entry.name.to_str() else { continue };
        let path = folder.join(name);
        let time = match entry.kind {
            Kind::Folder if depth < DEEPEST && !NO_LOGS.contains(&name) && !others.contains(&*path) => {
                search(system, &path, others, depth + 1, left)
            }
            Kind::Folder => None,
            _ if ENDINGS.iter().any(|end| name.ends_with(end)) => {
                system.own_status(&path).ok().and_then(|status| status.modified)
            }
            _ => None,
        };
        newest = newest.max(time);
    }
    newest
}
