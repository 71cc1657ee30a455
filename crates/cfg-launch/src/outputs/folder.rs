//! The output folder of a run.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use cfg_system::{Kind, Scope, System};

use crate::outputs::{
    Tracked,
    checkpoint::{Checkpoint, Part, State, of_orchestrator, of_trainer, size},
    inner_runs, tracked,
    written::written,
};

/// The contents of a run's output folder at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    /// Its path.
    pub path: PathBuf,
    /// The processes that save checkpoints: first the trainer, then each orchestrator.
    pub components: Vec<Component>,
    /// The checkpoints, ascending.
    pub checkpoints: Vec<Checkpoint>,
    /// The newest step with any output: a checkpoint, rollouts or weights.
    pub reached: Option<u64>,
    /// Its W&B runs, the newest of each process.
    pub tracked: Vec<Tracked>,
    /// The modification time of its newest log, since 1970.
    pub written: Option<Duration>,
}

/// A process that saves checkpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name: `trainer`, `orchestrator`, or `orchestrator run_a` if there are several.
    pub name: String,
    /// The folder with its steps.
    pub folder: PathBuf,
}

/// The name of the trainer's part in the folder of a step.
const TRAINER: &str = "trainer";
const ORCHESTRATOR: &str = "orchestrator";

/// Folders with a subfolder for each step.
const OF_STEPS: [&str; 4] = ["checkpoints", "rollouts", "broadcasts", "weights"];

impl RunFolder {
    /// Reads the folder of a run. `has_orchestrator` says whether an orchestrator belongs to the run; if that is not known (`None`), the contents of
    /// the folder decide.
    pub fn read(system: &dyn System, path: &Path, has_orchestrator: Option<bool>) -> Self {
        Self::with_trainer_at(system, path, has_orchestrator, path)
    }

    /// The same for a run whose trainer writes its checkpoints below another folder (`ckpt.output_dir`).
    pub fn with_trainer_at(system: &dyn System, path: &Path, has_orchestrator: Option<bool>, trainer: &Path) -> Self {
        let mut components = vec![Component { name: TRAINER.to_owned(), folder: trainer.join("checkpoints") }];
        let own = runs(system, path);
        if has_orchestrator.unwrap_or_else(|| left_by_orchestrator(system, path, &own)) {
            // An orchestrator has its own folder for checkpoints only if the folders of single runs have one.
            let apart: Vec<&PathBuf> = own.iter().filter(|run| system.is_folder(&run.join("checkpoints"))).collect();
            match apart.as_slice() {
                [] => components.push(Component { name: ORCHESTRATOR.to_owned(), folder: path.join("checkpoints") }),
                [one] => components.push(Component { name: ORCHESTRATOR.to_owned(), folder: one.join("checkpoints") }),
                several => components.extend(several.iter().map(|run| Component {
                    name: format!("{ORCHESTRATOR} {}", run.file_name().unwrap_or_default().to_string_lossy()),
                    folder: run.join("checkpoints"),
                })),
            }
        }
        let folders: Vec<&Path> = std::iter::once(path).chain(own.iter().map(PathBuf::as_path)).collect();
        let all = folders.iter().chain([&trainer]).flat_map(|folder| OF_STEPS.map(|name| folder.join(name)));
        let reached = all.filter_map(|folder| steps(system, &folder).pop()).max();
        let tracked = tracked::newest(system, &folders);
        let written = written(system, path, &inner_runs(system, path));
        let checkpoints = checkpoints(system, trainer, &components);
        Self { written, path: path.to_owned(), checkpoints, components, reached, tracked }
    }

    /// The newest step that is complete for all components.
    pub fn newest_whole(&self) -> Option<&Checkpoint> {
        self.checkpoints.iter().rev().find(|checkpoint| self.is_whole(checkpoint))
    }

    /// Whether a step is complete for all components.
    pub fn is_whole(&self, checkpoint: &Checkpoint) -> bool {
        let is_whole = |component| checkpoint.part(component).is_some_and(|part| part.state == State::Whole);
        (0..self.components.len()).all(is_whole)
    }
}

/// The checkpoints of these components; the trainer's weights alone are below its folder.
fn checkpoints(system: &dyn System, trainer: &Path, components: &[Component]) -> Vec<Checkpoint> {
    let mut found: BTreeMap<u64, Vec<Part>> = BTreeMap::new();
    for (component, of) in components.iter().enumerate() {
        let is_trainer = of.name == TRAINER;
        for step in steps(system, &of.folder) {
            let folder = of.folder.join(format!("step_{step}"));
            let path = folder.join(if is_trainer { TRAINER } else { ORCHESTRATOR });
            let parts = found.entry(step).or_default();
            if !system.is_folder(&path) {
                continue;
            }
            let state = if is_trainer { of_trainer(system, &path) } else { of_orchestrator(system, &path) };
            let bytes = size(system, &path);
            parts.push(Part { component, path, state, bytes });
        }
    }
    let weights = |step: u64| size(system, &trainer.join("weights").join(format!("step_{step}")));
    found.into_iter().map(|(step, parts)| Checkpoint { step, parts, weights: weights(step) }).collect()
}

/// Its folders of single runs: `run_default`.
fn runs(system: &dyn System, path: &Path) -> Vec<PathBuf> {
    let entries = system.list(path, Scope::Anywhere).unwrap_or_default().into_iter();
    let names = entries.filter(|entry| entry.kind == Kind::Folder).filter_map(|entry| entry.name.into_string().ok());
    let mut runs: Vec<PathBuf> = names.filter(|name| name.starts_with("run_")).map(|name| path.join(name)).collect();
    runs.sort_unstable();
    runs
}

/// Whether the folder contains output of an orchestrator.
fn left_by_orchestrator(system: &dyn System, path: &Path, runs: &[PathBuf]) -> bool {
    let left = [
        "configs/orchestrator.toml",
        "logs/orchestrator.log",
        "logs/orchestrator.stdout",
        "logs/latest/orchestrator.log",
        "launcher/orchestrator.log",
        "rollouts",
    ];
    let logs = path.join("logs");
    let attempts = system.list(&logs, Scope::Anywhere).unwrap_or_default().into_iter();
    let attempts = attempts.filter(|entry| entry.name.to_str().is_some_and(|name| name.starts_with("attempt_")));
    let has_log = attempts.into_iter().any(|entry| system.exists(&logs.join(entry.name).join("orchestrator.log")));
    let checkpoints = path.join("checkpoints");
    let has_part = |step: u64| system.is_folder(&checkpoints.join(format!("step_{step}")).join(ORCHESTRATOR));
    !runs.is_empty()
        || has_log
        || left.iter().any(|name| system.exists(&path.join(name)))
        || steps(system, &checkpoints).into_iter().any(has_part)
}

/// The numbers of the folders `step_N` in this folder, ascending.
fn steps(system: &dyn System, folder: &Path) -> Vec<u64> {
    let entries = system.list(folder, Scope::Anywhere).unwrap_or_default();
    let step = |name: std::ffi::OsString| name.to_str()?.strip_prefix("step_")?.parse().ok();
    let mut steps: Vec<u64> = entries.into_iter().filter_map(|entry| step(entry.name)).collect();
    steps.sort_unstable();
    steps
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cfg_system::MemorySystem;

    use super::RunFolder;

    const METADATA: &str = "X__0_0.distcp";

    fn read(files: &[(&str, &str)]) -> RunFolder {
        RunFolder::read(&MemorySystem::with_files(files.iter().copied()), Path::new("/run"), None)
    }

    #[test]
    fn the_step_is_the_newest_that_is_complete_for_all() {
        let files = [
            ("/run/checkpoints/step_5/trainer/.metadata", METADATA),
            ("/run/checkpoints/step_5/trainer/__0_0.distcp", "1234"),
            ("/run/checkpoints/step_10/trainer/.metadata", METADATA),
            ("/run/checkpoints/step_10/trainer/__0_0.distcp", "1234"),
            ("/run/checkpoints/step_15/trainer/__0_0.distcp", "1"),
            ("/run/run_default/checkpoints/step_5/orchestrator/progress.pt", "x"),
            ("/run/run_default/checkpoints/step_15/orchestrator/progress.pt", "x"),
            ("/run/run_default/rollouts/step_17/rank_0.bin", "x"),
        ];
        let run = read(&files);
        let names: Vec<&str> = run.components.iter().map(|component| &*component.name).collect();
        assert_eq!(names, ["trainer", "orchestrator"]);
        assert_eq!(run.checkpoints.iter().map(|checkpoint| checkpoint.step).collect::<Vec<_>>(), [5, 10, 15]);
        assert_eq!(run.newest_whole().map(|checkpoint| checkpoint.step), Some(5));
        assert_eq!(run.reached, Some(17));
        assert_eq!(run.checkpoints[0].part(0).map(|part| part.bytes), Some(4 + METADATA.len() as u64));
    }

    #[test]
    fn without_an_orchestrator_the_trainer_decides() {
        let files =
            [("/run/checkpoints/step_5/trainer/.metadata", METADATA), ("/run/checkpoints/step_5/trainer/__0_0.distcp", "1")];
        let run = read(&files);
        assert_eq!((run.components.len(), run.newest_whole().map(|checkpoint| checkpoint.step)), (1, Some(5)));
        let system = MemorySystem::with_files(files);
        let both = RunFolder::read(&system, Path::new("/run"), Some(true));
        assert_eq!((both.components.len(), both.newest_whole()), (2, None));
        assert_eq!(read(&[]).reached, None);
    }

    #[test]
    fn the_trainer_may_write_its_checkpoints_elsewhere() {
        let files = [
            ("/disk/checkpoints/step_5/trainer/.metadata", METADATA),
            ("/disk/checkpoints/step_5/trainer/__0_0.distcp", "1"),
            ("/run/checkpoints/step_5/orchestrator/progress.pt", "x"),
        ];
        let run = RunFolder::with_trainer_at(&MemorySystem::with_files(files), Path::new("/run"), None, Path::new("/disk"));
        assert_eq!((run.newest_whole().map(|checkpoint| checkpoint.step), run.reached), (Some(5), Some(5)));
        assert_eq!(read(&files).newest_whole(), None);
    }

    #[test]
    fn several_runs_have_an_orchestrator_each() {
        let run = read(&[("/run/run_a/checkpoints/step_1/x", ""), ("/run/run_b/checkpoints/step_1/x", "")]);
        let names: Vec<&str> = run.components.iter().map(|component| &*component.name).collect();
        assert_eq!(names, ["trainer", "orchestrator run_a", "orchestrator run_b"]);
    }
}
