//! The commands that start a run, for a given prime-rl.

use cfg_diag::Order as _;
use std::fmt::Write as _;

use cfg_plan::Plan;
use cfg_report::launch::{LaunchReport, StepReport};
use cfg_resolve::{View, launcher};
use cfg_rules::checkpoints::{self, INTERVAL, KEPT};
use cfg_schema::{Behaviour, History, Kind, Point};

/// The maximum number of GPUs of a process whose ids are listed one by one.
const MAX_GPUS: usize = 1024;

/// The number of files that an inference server keeps open at once.
pub const OPEN_FILES: u64 = 65536;

/// One command, with the reasons for its form.
#[derive(Clone, Debug, Default)]
pub struct LaunchStep {
    /// The reasons, as clauses without a final period.
    pub why: Vec<String>,
    /// Environment variables that are set for it.
    pub variables: Vec<(&'static str, String)>,
    /// Its words: program and arguments.
    pub words: Vec<String>,
    /// The beginning of the name of its log file; `None` if no log is written.
    pub log: Option<&'static str>,
    /// Whether it runs in the background while the next command is started.
    pub background: bool,
}

/// How a run is started.
pub struct Launch {
    /// Notes for the user, as sentences.
    pub notes: Vec<String>,
    /// The commands, in order.
    pub steps: Vec<LaunchStep>,
    /// Whether an inference server runs, which opens a file for each request.
    pub serves: bool,
}

/// A config, or one file of a split run.
pub struct Part<'a> {
    /// Its entrypoint.
    pub kind: Kind,
    /// Its files, in the order in which they are merged.
    pub files: Vec<String>,
    /// Further arguments after the files, as given by the user.
    pub rest: Vec<String>,
    /// The plan of the config.
    pub plan: &'a Plan,
    /// Its resolved values.
    pub view: View<'a>,
    /// Whether its path shows that it is for tests.
    pub is_for_tests: bool,
}

impl Launch {
    /// The command for a single config.
    pub fn single(part: &Part<'_>, point: Point) -> Self {
        let mut notes: Vec<String> = Vec::new();
        let mut step = entry(part, point);
        step.words.extend(part.rest.iter().cloned());
        if part.kind.is_hosted() {
            return Self { notes, steps: vec![step], serves: false };
        }
        let has_ckpt = part.rest.iter().any(|word| word.starts_with("--ckpt"));
        let flags = if has_ckpt { Vec::new() } else { checkpoint_flags(part, point) };
        if let [first, ..] = flags.as_slice() {
            let every = part.plan.trainer.as_ref().and_then(|trainer| trainer.max_steps.get());
            let run = every.map_or_else(String::new, |steps| format!(" of {steps} steps"));
            step.why
                .push(format!("the config saves no checkpoints, so {first} and the next flags do, every {INTERVAL} steps{run}"));
        }
        step.words.extend(flags);
        let is_slurm = part.plan.run.slurm.fact().is_some();
        if is_slurm {
            notes.push("SLURM starts the run: the command writes a script and submits it".to_owned());
        } else {
            step.why.push("the log is written outside of outputs/logs, which the next start may remove".to_owned());
            step.log = Some(part.kind.name());
        }
        let steps = vec![step];
        Self { notes, steps, serves: part.plan.inference.is_some() && !is_slurm }
    }

    /// The commands for split files, one for each. The server comes first, because the other processes wait for it.
    pub fn split(parts: &[Part<'_>], point: Point) -> Self {
        let order = [Kind::Inference, Kind::Orchestrator, Kind::Trainer];
        let mut parts: Vec<&Part<'_>> = parts.iter().collect();
        parts.order_by_key(|part| order.iter().position(|kind| *kind == part.kind));
        let last = parts.len().saturating_sub(1);
        let steps = parts.iter().enumerate().map(|(index, part)| {
            let mut step = entry(part, point);
            step.words.extend(part.rest.iter().cloned());
            step.log = Some(part.kind.name());
            step.background = index < last;
            step.why.push(match part.kind {
                Kind::Inference => "the server first: the orchestrator waits until it is ready".to_owned(),
                Kind::Orchestrator => "the orchestrator needs no GPU".to_owned(),
                _ => "the trainer; set CUDA_VISIBLE_DEVICES for it and for the server if they have separate GPUs".to_owned(),
            });
            step
        });
        let mut notes = vec![
            "each in its own shell, or all in one as here; start them in the same folder, through which they \
             communicate"
                .to_owned(),
        ];
        if parts.iter().any(|part| !checkpoint_flags(part, point).is_empty()) {
            notes.push(
                "no checkpoints are saved: to resume, add `[ckpt]` with an `interval` to the trainer's and the \
                orchestrator's file"
                    .to_owned(),
            );
        }
        Self { notes, steps: steps.collect(), serves: parts.iter().any(|part| part.kind == Kind::Inference) }
    }

    /// The commands that start the processes of an `rl` config one by one, from the files that the launcher would write to `folder`. With `gpu`,
    /// all processes use that GPU.
    ///
    /// # Errors
    /// If that is not possible: the reason, as a sentence.
    pub fn by_hand(part: &Part<'_>, folder: &str, gpu: Option<u32>, point: Point) -> Result<Self, String> {
        if part.kind != Kind::Rl {
            return Err("`--by-hand` needs an rl config, because the other kinds start only one process".to_owned());
        }
        if point.has(Behaviour::EnvServers) {
            return Err(
                "since 2026-07 prime-rl starts a server for each environment, which only its launcher can start; do not use \
                `--by-hand`"
                    .to_owned(),
            );
        }
        let mut compile = vec!["cfg".to_owned(), "compile".to_owned()];
        compile.extend(part.files.iter().map(|file| as_argument(file)));
        compile.extend(["-o".to_owned(), folder.to_owned(), "--overwrite".to_owned()]);
        let why = vec!["writes the files that the launcher would write".to_owned()];
        let mut steps = vec![LaunchStep { why, words: compile, ..LaunchStep::default() }];
        let gpus = &part.plan.run.gpus;
        let count =
            |ids: Option<&Vec<i64>>, count: Option<i64>| ids.map(Vec::len).or_else(|| usize::try_from(count?).ok()).unwrap_or(1);
        let serving = count(gpus.inference_ids.value(), part.plan.inference_gpus().filter(|gpus| *gpus > 0));
        let training = count(gpus.trainer_ids.value(), part.plan.trainer_gpus());
        let parts = [("inference server", &gpus.inference_ids, serving), ("trainer", &gpus.trainer_ids, training)];
        let is_counted = |ids: Option<&Vec<i64>>| gpu.is_none() && ids.is_none();
        if let Some((part, _, count)) = parts.iter().find(|(_, ids, count)| is_counted(ids.value()) && *count > MAX_GPUS) {
            return Err(format!(
                "`--by-hand` works on one machine with at most {MAX_GPUS} GPUs per process, but the {part} has {count}"
            ));
        }
        let visible = |ids: Option<&Vec<i64>>, from: usize, count: usize| match (gpu, ids) {
            (Some(gpu), _) => gpu.to_string(),
            (None, Some(ids)) => join(ids.iter()),
            (None, None) => join((from..from + count).collect::<Vec<_>>().iter()),
        };
        let order = ["inference", "orchestrator", "trainer"];
        let mut files = launcher::parts(part.view.table(), point, cfg_resolve::Defaults::LeftOut);
        files.retain(|file| order.contains(&file.part));
        files.order_by_key(|file| order.iter().position(|part| *part == file.part));
        for file in &files {
            let path = format!("{}/{}", folder.trim_end_matches('/'), file.path);
            let at = ["@".to_owned(), path];
            let mut step = LaunchStep { background: file.part != "trainer", ..LaunchStep::default() };
            match file.part {
                "inference" => {
                    step.why.push("the server first: the orchestrator waits until it is ready".to_owned());
                    let ids = visible(gpus.inference_ids.value(), 0, serving);
                    step.variables.push(("CUDA_VISIBLE_DEVICES", ids));
                    step.words = words("uv run inference");
                    step.log = Some("inference");
                }
                "orchestrator" => {
                    step.why.push("the orchestrator needs no GPU".to_owned());
                    step.words = words("uv run orchestrator");
                    step.log = Some("orchestrator");
                }
                _ => {
                    step.why.push("the trainer, with the launcher's allocator setting".to_owned());
                    let ids = visible(gpus.trainer_ids.value(), serving, training);
                    step.variables.push(("CUDA_VISIBLE_DEVICES", ids));
                    step.variables.push(("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True".to_owned()));
                    let world = if gpu.is_some() { 1 } else { training };
                    step.words = words(&format!("uv run torchrun --nproc-per-node={world} -m prime_rl.trainer.rl.train"));
                    step.log = Some("trainer");
                }
            }
            step.words.extend(at);
            steps.push(step);
        }
        let mut notes = Vec::new();
        if !checkpoint_flags(part, point).is_empty() {
            notes.push("no checkpoints are saved: add `[ckpt]` with an `interval` to the config".to_owned());
        }
        if let Some(gpu) = gpu {
            notes.push(format!(
                "everything on GPU {gpu}: the server's `gpu_memory_utilization` must leave room for the trainer, about 0.5 for \
                 7B with adapters on 80 GB"
            ));
        } else if point.has(Behaviour::Deployments) {
            notes.push(
                "this prime-rl gives trainer and server different GPUs; use `--shared-gpu ID` to start both on \
                one"
                .to_owned(),
            );
        }
        Ok(Self { notes, steps, serves: part.plan.inference.is_some() })
    }

    /// The commands as a report.
    pub fn report(&self, config: Vec<String>, target: &str) -> LaunchReport {
        let steps = self.steps.iter().map(|step| StepReport {
            why: step.why.clone(),
            variables: step.variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
            words: step.words.clone(),
            log: step.log.map(str::to_owned),
            background: step.background,
            line: step.line(),
        });
        LaunchReport {
            schema_version: cfg_report::json::SCHEMA_VERSION,
            config,
            target: target.to_owned(),
            notes: self.notes.clone(),
            open_files: self.serves.then_some(OPEN_FILES),
            steps: steps.collect(),
        }
    }

    /// The commands as a shell script, with `head` as its first comment.
    pub fn script(&self, head: &str) -> String {
        let mut script = format!("# {head}\n");
        for note in &self.notes {
            let _ = writeln!(script, "# {note}");
        }
        if self.steps.iter().any(|step| step.log.is_some()) {
            script += "set -o pipefail\n";
        }
        if self.serves {
            let _ = write!(
                script,
                "\n# the server opens a file per request, and stops answering at a low limit\nulimit -n {OPEN_FILES}\n"
            );
        }
        for step in &self.steps {
            script += "\n";
            for why in &step.why {
                let _ = writeln!(script, "# {why}");
            }
            script += &step.line();
            script += "\n";
        }
        script
    }
}

impl LaunchStep {
    /// The command as one line for a shell.
    pub fn line(&self) -> String {
        let mut line = String::new();
        for (name, value) in &self.variables {
            let _ = write!(line, "{name}={} ", cfg_diag::word(value));
        }
        line += &self.words.iter().map(|word| cfg_diag::word(word)).collect::<Vec<_>>().join(" ");
        if let Some(log) = self.log {
            // `tee -i` ignores Ctrl-C, so that the end of an interrupted run is logged too.
            let _ = write!(line, " 2>&1 | tee -ia \"{log}-$(date +%Y%m%d-%H%M%S).log\"");
        }
        if self.background {
            line += " &";
        }
        line
    }
}

/// The command for the entrypoint and its files.
fn entry(part: &Part<'_>, point: Point) -> LaunchStep {
    let mut step = LaunchStep::default();
    step.words = match part.kind {
        Kind::Sft if point.lacks(Behaviour::SftStartsItsProcesses) => {
            step.why.push("`--nproc-per-node gpu` uses all GPUs; `sft` alone would use one".to_owned());
            words("uv run torchrun --nproc-per-node gpu -m prime_rl.trainer.sft.train")
        }
        Kind::Trainer => {
            step.why.push("`--nproc-per-node gpu` uses all visible GPUs; `trainer` alone would use one".to_owned());
            words("uv run torchrun --nproc-per-node gpu -m prime_rl.trainer.rl.train")
        }
        kind if kind.is_hosted() => {
            step.words = words("prime train");
            step.words.extend(part.files.iter().map(|file| as_argument(file)));
            return step;
        }
        kind => words(&format!("uv run {}", kind.name())),
    };
    for file in &part.files {
        step.words.extend(["@".to_owned(), file.clone()]);
    }
    step
}

/// The path of a file as an argument that no program takes for an option.
fn as_argument(file: &str) -> String {
    if file.starts_with('-') { format!("./{file}") } else { file.to_owned() }
}

/// The flags that make a run save checkpoints; empty if the config saves some already, or the run does not need any.
pub fn checkpoint_flags(part: &Part<'_>, point: Point) -> Vec<String> {
    if part.kind.is_hosted() || !checkpoints::are_missing(part.plan, &part.view, part.is_for_tests) {
        return Vec::new();
    }
    let exists = |key: &str| History::built_in().schema(part.kind, point).has(key);
    let mut flags = Vec::new();
    if exists("ckpt.interval") {
        flags.extend(["--ckpt.interval".to_owned(), INTERVAL.to_string()]);
        let keep = checkpoints::keep_key(point);
        if exists(keep) {
            flags.extend([format!("--{}", keep.replace('_', "-")), KEPT.to_string()]);
        }
    }
    flags
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn join<T: ToString>(ids: impl Iterator<Item = T>) -> String {
    ids.map(|id| id.to_string()).collect::<Vec<_>>().join(",")
}
