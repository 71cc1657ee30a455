//! Which process of a run wrote a log, and in which attempt, from the path of the log. A path that says nothing leaves it to the contents.

use std::{
    collections::BTreeMap,
    path::{Component as Part, Path, PathBuf},
};

/// A process of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Component {
    /// The program that starts the others.
    Launcher,
    /// A trainer, with all its ranks.
    Trainer,
    /// An orchestrator.
    Orchestrator,
    /// A server for inference, its router included.
    Inference,
    /// The server of an environment.
    Environment,
    /// The process that evaluates.
    Evaluation,
    /// SLURM, with the output of all its tasks.
    Scheduler,
    /// Not known, or several processes in one log.
    #[default]
    Unknown,
}

impl Component {
    /// Its name in text and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Launcher => "launcher",
            Self::Trainer => "trainer",
            Self::Orchestrator => "orchestrator",
            Self::Inference => "inference server",
            Self::Environment => "environment server",
            Self::Evaluation => "evaluation",
            Self::Scheduler => "scheduler",
            Self::Unknown => "run",
        }
    }

    /// The component with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let all = [
            Self::Launcher,
            Self::Trainer,
            Self::Orchestrator,
            Self::Inference,
            Self::Environment,
            Self::Evaluation,
            Self::Scheduler,
        ];
        all.into_iter().find(|component| component.name() == name)
    }
}

/// Where a log comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The process that wrote it.
    pub component: Component,
    /// The number of the attempt, from `attempt_2`; `None` if the logs are not kept by attempt.
    pub attempt: Option<u32>,
    /// Whether the folders are those in which prime-rl keeps the logs of a run.
    pub(crate) is_of_run: bool,
}

/// Words in the names of files and folders, in lower case. The first that is found in the last part of a path decides.
const WORDS: [(&str, Component); 18] = [
    ("env_server", Component::Environment),
    ("env-server", Component::Environment),
    ("envs", Component::Environment),
    ("env_worker", Component::Environment),
    ("orchestrator", Component::Orchestrator),
    ("orch", Component::Orchestrator),
    ("torchrun", Component::Trainer),
    ("trainer", Component::Trainer),
    ("train", Component::Trainer),
    ("sft", Component::Trainer),
    ("inference", Component::Inference),
    ("infer", Component::Inference),
    ("router", Component::Inference),
    ("vllm", Component::Inference),
    ("evals", Component::Evaluation),
    ("launcher", Component::Launcher),
    ("slurm", Component::Scheduler),
    ("job_", Component::Scheduler),
];

/// The folders in which prime-rl keeps the logs of a run.
fn is_folder_of_logs(name: &str) -> bool {
    matches!(name, "logs" | "launcher") || name.starts_with("attempt_")
}

/// The part of the path of a log that can say which process wrote it: what is below the folder of its run. `named` are the files and folders that the user
/// named. How the folders above a run are called says nothing about its processes.
pub fn below_run<'p>(path: &'p Path, named: &[PathBuf]) -> &'p Path {
    let parts: Vec<Part<'_>> = path.components().collect();
    let text = |part: &Part<'_>| part.as_os_str().to_string_lossy().to_ascii_lowercase();
    let below = |from: usize| {
        let above: PathBuf = parts[..from].iter().collect();
        path.strip_prefix(above).unwrap_or(path)
    };
    let folder = named.iter().filter(|named| path.starts_with(named) && path != *named).map(|named| named.components().count());
    let file = parts.len().saturating_sub(1);
    let mut from = folder.max().unwrap_or(file).min(file);
    // The user may have named one of prime-rl's own folders, or a file in one.
    match parts[..from].iter().rposition(|part| is_folder_of_logs(&text(part))) {
        Some(at) if parts[at + 1..from].iter().all(|part| is_folder_of_logs(&text(part)) || is_of_process(&text(part))) => {
            from = parts[..at].iter().rposition(|part| !is_folder_of_logs(&text(part))).map_or(0, |at| at + 1);
        }
        // `trainer/rank_0.log`.
        None if from == file && from > 0 && is_numbered(&text(&parts[file])) && is_of_process(&text(&parts[from - 1])) => {
            from -= 1;
        }
        _ => {}
    }
    below(from)
}

/// Whether a folder is called exactly as a process.
fn is_of_process(name: &str) -> bool {
    matches!(name, "trainer" | "orchestrator" | "inference" | "envs" | "env_servers" | "env_workers" | "evals" | "train" | "eval")
}

/// Whether a file is called as those of the ranks or nodes of a process: `rank_0.log`, `node_1.log`, `stderr.log`.
fn is_numbered(name: &str) -> bool {
    ["rank", "node", "stdout", "stderr"].iter().any(|begin| name.starts_with(begin))
}

impl Origin {
    /// The origin of the log at a path below the folder of a run: `logs/attempt_2/trainer/rank_0.log`.
    pub fn of(path: &Path) -> Self {
        let mut parts: Vec<String> = path
            .components()
            .filter_map(
                |part| if let Part::Normal(name) = part { Some(name.to_string_lossy().to_ascii_lowercase()) } else { None },
            )
            .collect();
        // torchrun counts its own attempts in its own folders.
        let own = parts.iter().take_while(|part| *part != "torchrun");
        let attempt = own.filter_map(|part| part.strip_prefix("attempt_")?.parse().ok()).last();
        // What is above prime-rl's own folder of logs belongs to its run, which may be called like anything.
        let file = parts.len().saturating_sub(1);
        if let Some(at) = parts[..file].iter().rposition(|part| part == "logs" || part == "launcher") {
            parts.drain(..at);
        }
        // An environment may be called like anything: its folder decides.
        if parts.iter().rev().skip(1).any(|part| part == "envs" || part == "env_servers" || part == "env_workers") {
            return Self { component: Component::Environment, attempt, is_of_run: true };
        }
        let component = parts.iter().rev().take(6).find_map(|part| named(part)).unwrap_or_default();
        let is_own = matches!(component, Component::Launcher | Component::Trainer | Component::Orchestrator);
        Self { component, attempt, is_of_run: is_own && parts.iter().rev().skip(1).any(|part| is_folder_of_logs(part)) }
    }
}

/// The process that a name in small letters is of: `rl-trainer-0`.
pub(crate) fn named(name: &str) -> Option<Component> {
    // `train` in `constrained.log` is no trainer.
    let words = WORDS.iter().find(|(word, _)| name.match_indices(word).any(|(at, _)| is_word(name, at, word.len())));
    words.map(|(_, component)| *component)
}

/// Of logs at these paths, which are of an attempt that a newer one replaced. Attempts are compared with those in the same folder.
pub fn replaced(paths: &[&Path]) -> Vec<bool> {
    let place = |path: &Path| -> Option<(PathBuf, u32)> {
        let attempt = Origin::of(path).attempt?;
        let name = format!("attempt_{attempt}");
        let parts: Vec<Part<'_>> = path.components().collect();
        let at = parts.iter().rposition(|part| part.as_os_str().eq_ignore_ascii_case(&name))?;
        Some((parts[..at].iter().collect(), attempt))
    };
    let places: Vec<_> = paths.iter().map(|path| place(path)).collect();
    let mut newest: BTreeMap<&Path, u32> = BTreeMap::new();
    for (folder, attempt) in places.iter().flatten() {
        let known = newest.entry(folder).or_default();
        *known = (*known).max(*attempt);
    }
    let is_replaced = |place: &Option<(PathBuf, u32)>| {
        place.as_ref().is_some_and(|(folder, attempt)| newest.get(folder.as_path()).is_some_and(|newest| newest > attempt))
    };
    places.iter().map(is_replaced).collect()
}

/// Whether a part of a name stands apart from the letters around it.
fn is_word(name: &str, at: usize, length: usize) -> bool {
    let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
    let bytes = name.as_bytes();
    let begins = at == 0 || !is_letter(bytes.get(at - 1));
    begins && (!is_letter(bytes.get(at + length)) || bytes.get(at + length - 1) == Some(&b'_'))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Component, Origin, replaced};

    #[test]
    fn newer_attempts_replace_older_ones_of_the_same_run() {
        let paths = ["a/logs/attempt_1/trainer.log", "a/logs/attempt_10/trainer.log", "b/logs/attempt_2/x.log", "a/job_1.log"];
        let logs = paths.map(Path::new);
        assert_eq!(replaced(&logs), [true, false, false, false]);
        let torchrun = ["logs/trainer/torchrun/x/attempt_0/0/stderr.log", "logs/trainer/torchrun/x/attempt_1/0/stderr.log"];
        assert_eq!(replaced(&torchrun.map(Path::new)), [false, false]);
    }

    #[test]
    fn folders_above_a_run_say_nothing() {
        let of = |path: &str, named: &str| {
            let named = [named.into()];
            Origin::of(super::below_run(Path::new(path), &named)).component
        };
        for folder in ["/exp/x-trainer", "router-b", "/home/me/envs/a", "inference", "/logs/x-trainer", "train/a"] {
            let named = |file: &str| of(&format!("{folder}/{file}"), folder);
            assert_eq!(named("logs/rl.log"), Component::Unknown, "{folder}");
            assert_eq!(named("rl.log"), Component::Unknown, "{folder}");
            assert_eq!(named("logs/orchestrator.log"), Component::Orchestrator, "{folder}");
            assert_eq!(named("run_default/logs/orchestrator.stdout"), Component::Orchestrator, "{folder}");
            assert_eq!(named("logs/trainer/rank_0.log"), Component::Trainer, "{folder}");
            assert_eq!(named("trainer/rank_0.log"), Component::Trainer, "{folder}");
            assert_eq!(named("logs/envs/train/x/env_server.log"), Component::Environment, "{folder}");
            // Its file, or one of prime-rl's own folders, was named.
            let file = format!("{folder}/logs/rl.log");
            assert_eq!((of(&file, &file), of(&file, &format!("{folder}/logs"))), (Component::Unknown, Component::Unknown));
            let file = format!("{folder}/logs/trainer/rank_0.log");
            assert_eq!(
                (of(&file, &file), of(&file, &format!("{folder}/logs/trainer"))),
                (Component::Trainer, Component::Trainer)
            );
        }
        assert_eq!(of("trainer/rank_0.log", "trainer"), Component::Trainer);
        assert_eq!(of("pods/rl-trainer-0/current.log", "pods"), Component::Trainer);
        assert_eq!(of("x-trainer/rl.log", "x-trainer/rl.log"), Component::Unknown);
        let logs = [Path::new("runs/a/logs").to_owned()];
        let own = super::below_run(Path::new("runs/a/logs/attempt_2/trainer.log"), &logs);
        assert_eq!(own, Path::new("logs/attempt_2/trainer.log"));
        assert_eq!(super::below_run(Path::new("-"), &[]), Path::new("-"));
    }

    #[test]
    fn the_layouts_of_all_versions_are_known() {
        let of = |path: &str| {
            let origin = Origin::of(Path::new(path));
            (origin.component, origin.attempt)
        };
        assert_eq!(of("run/logs/trainer.log"), (Component::Trainer, None));
        assert_eq!(of("run/logs/trainer/rank_0.log"), (Component::Trainer, None));
        assert_eq!(of("run/logs/attempt_2/trainer/torchrun/abc/attempt_0/3/stderr.log").0, Component::Trainer);
        assert_eq!(of("run/logs/attempt_12/orchestrator.log"), (Component::Orchestrator, Some(12)));
        assert_eq!(of("logs/orchestrator.stdout"), (Component::Orchestrator, None));
        assert_eq!(of("logs/inference/node_1.log"), (Component::Inference, None));
        assert_eq!(of("logs/envs/train/long-text-train/env_server.log"), (Component::Environment, None));
        assert_eq!(of("logs/envs/train/orchestrator.log"), (Component::Environment, None));
        assert_eq!(of("logs/evals.log"), (Component::Evaluation, None));
        assert_eq!(of("run/launcher/rl.log"), (Component::Launcher, None));
        assert_eq!(of("run/job_837.log"), (Component::Scheduler, None));
        assert_eq!(of("slurm-837.out"), (Component::Scheduler, None));
        assert_eq!(of("constrained.log"), (Component::Unknown, None));
        assert_eq!(of("-"), (Component::Unknown, None));
    }
}
