//! The runs in a folder: prime-rl writes each run to a folder of its own, often several of them below one `outputs`.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use cfg_system::{Entry, Kind, Scope, System};

use crate::outputs::written::{MAX_ENTRIES, written};

/// Folders that only a run has, at any version.
const OF_RUNS: [&str; 7] = ["logs", "launcher", "checkpoints", "weights", "broadcasts", "rollouts", "monitors"];

/// Folders below which there is no run.
const CLOSED: [&str; 9] = ["configs", "wandb", "evals", "token_exports", "torchrun", "latest", ".git", ".venv", "node_modules"];

/// A run is at most this many folders below the one that was named: `outputs/2026-08-10/09-00-00`, `outputs/project/name`.
const DEEPEST: usize = 3;

/// The folders of the runs in a folder: the folder itself if it is one, and those below it, the newest last.
pub fn runs(system: &dyn System, folder: &Path) -> Vec<PathBuf> {
    // Files of a copy, or of a checkout, are of one moment. Names often count.
    const MOMENT: Duration = Duration::from_secs(2);
    let paths = found(system, folder);
    // Each run is found before those below it.
    let inner = |(at, run): (usize, &PathBuf)| -> Vec<PathBuf> {
        paths[at + 1..].iter().take_while(|other| other.starts_with(run)).cloned().collect()
    };
    let mut dated: Vec<_> = paths.iter().enumerate().map(|run| (written(system, run.1, &inner(run)), run.1.clone())).collect();
    let times = || dated.iter().filter_map(|(written, _)| *written);
    let is_copy = times().max().zip(times().min()).is_none_or(|(newest, oldest)| newest.saturating_sub(oldest) <= MOMENT);
    dated.sort_by_key(|(written, run)| (written.filter(|_| !is_copy), numbered(run)));
    dated.into_iter().map(|(_, run)| run).collect()
}

/// The runs below the folder of a run, whose files are not its own.
pub fn inner_runs(system: &dyn System, run: &Path) -> Vec<PathBuf> {
    found(system, run).into_iter().filter(|inner| inner != run).collect()
}

fn found(system: &dyn System, folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = MAX_ENTRIES;
    search(system, folder, 0, &mut left, &mut found);
    found
}

fn search(system: &dyn System, folder: &Path, depth: usize, left: &mut usize, found: &mut Vec<PathBuf>) {
    let entries = system.list(folder, Scope::Anywhere).unwrap_or_default();
    let is_run = is_run(system, folder, &entries);
    if is_run {
        found.push(folder.to_owned());
    }
    if depth == DEEPEST {
        return;
    }
    for entry in entries {
        let Some(rest) = left.checked_sub(1) else { return };
        *left = rest;
        let Some(name) = entry.name.to_str().filter(|_| entry.kind == Kind::Folder) else { continue };
        let path = folder.join(name);
        let is_closed = OF_RUNS.contains(&name) || CLOSED.contains(&name) || name.starts_with("attempt_");
        // The orchestrators of a run have folders `run_default`, `run_a`; a run that its user called like that has a trainer of its own.
        let is_part = name.starts_with("run_") && !has_trainer(system, &path);
        if !is_closed && !is_part {
            search(system, &path, depth + 1, left, found);
        }
    }
}

/// Whether a folder is that of a run: it has a folder that only a run has, or the logs of a trainer and of an orchestrator.
fn is_run(system: &dyn System, folder: &Path, entries: &[Entry]) -> bool {
    let has = |name: &str| entries.iter().any(|entry| entry.kind == Kind::Folder && entry.name.to_str() == Some(name));
    let is_used =
        |name: &&str| has(name) && system.list(&folder.join(name), Scope::Anywhere).is_ok_and(|entries| !entries.is_empty());
    let has_log = |of: &str| {
        let names = entries.iter().filter(|entry| entry.kind != Kind::Folder).filter_map(|entry| entry.name.to_str());
        names.filter_map(|name| name.strip_prefix(of)).any(|ending| ending.starts_with('.'))
    };
    OF_RUNS.iter().any(is_used) || has_log("trainer") && has_log("orchestrator")
}

/// Whether a folder has output of a trainer, or of a launcher.
fn has_trainer(system: &dyn System, folder: &Path) -> bool {
    let names = |folder: PathBuf| system.list(&folder, Scope::Anywhere).unwrap_or_default();
    let is_own = |name: &str| ["trainer", "rl.", "sft", "attempt_"].iter().any(|begin| name.starts_with(begin));
    let has_step = |checkpoints: PathBuf| {
        names(checkpoints.clone()).into_iter().any(|step| system.is_folder(&checkpoints.join(step.name).join("trainer")))
    };
    names(folder.join("logs")).iter().chain(&names(folder.to_owned())).any(|entry| entry.name.to_str().is_some_and(is_own))
        || system.is_folder(&folder.join("launcher"))
        || has_step(folder.join("checkpoints"))
}

/// A path whose numbers are in the order of their values.
fn numbered(path: &Path) -> String {
    const WIDTH: usize = 12;
    let text = path.to_string_lossy();
    let mut sorted = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, behind) = rest.split_at(at);
        let end = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        sorted.push_str(before);
        sorted.push_str(&"0".repeat(WIDTH.saturating_sub(end)));
        sorted.push_str(&behind[..end]);
        rest = &behind[end..];
    }
    sorted + rest
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use cfg_system::MemorySystem;

    use super::{inner_runs, runs};

    fn system(files: &[&str]) -> MemorySystem {
        MemorySystem::with_files(files.iter().map(|path| (*path, "x")))
    }

    fn found(files: &[&str]) -> Vec<PathBuf> {
        runs(&system(files), Path::new("/out"))
    }

    #[test]
    fn each_run_has_a_folder_of_its_own() {
        let files = ["/out/a9/logs/trainer.log", "/out/a10/logs/attempt_2/trainer.log", "/out/p/x/checkpoints/step_1/trainer/x"];
        assert_eq!(found(&files), ["/out/a9", "/out/a10", "/out/p/x"].map(PathBuf::from));
        let files = ["/out/a/trainer.log", "/out/a/orchestrator.log", "/out/logs/trainer.log"];
        assert_eq!(found(&files), ["/out", "/out/a"].map(PathBuf::from));
        assert_eq!(inner_runs(&system(&files), Path::new("/out")), [PathBuf::from("/out/a")]);
    }

    #[test]
    fn the_parts_of_a_run_are_no_runs() {
        for part in [
            "/out/run_default/logs/orchestrator.log",
            "/out/run_a/checkpoints/step_1/orchestrator/progress.pt",
            "/out/logs/attempt_1/trainer/logs/x.log",
            "/out/evals/step_10/logs/x.log",
            "/out/wandb/run-1/logs/output.log",
        ] {
            assert_eq!(found(&["/out/logs/trainer.log", part]), [PathBuf::from("/out")], "{part}");
        }
        // A dump of pods.
        assert!(found(&["/out/rl-trainer-0/trainer.log", "/out/rl-orchestrator-0/orchestrator.log"]).is_empty());
    }

    #[test]
    fn runs_may_be_called_like_parts() {
        let files = ["/out/run_1/logs/trainer.log", "/out/run_2/logs/attempt_1/orchestrator.log", "/out/logs/x.log"];
        assert_eq!(found(&files), ["/out", "/out/run_1", "/out/run_2"].map(PathBuf::from));
    }
}
