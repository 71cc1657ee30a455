//! Checks that the checkpoint to resume from exists, for the trainer and for the orchestrator.

use std::path::Path;

use cfg_diag::{Diagnostic, Location, codes};
use cfg_plan::{Plan, Setting};

use super::{Answer, Machine, Situation};

/// The maximum number of steps that are listed.
const MAX_STEPS: usize = 6;

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let Some((step, at)) = resumes_from(situation.run.plan) else { return Answer::NotNeeded("the run does not resume") };
    let sides = sides(situation);
    let of_all = |step: i64| sides.iter().all(|side| side.has(step));
    let mut both: Vec<i64> = sides.first().map_or_else(Vec::new, |side| side.steps.clone());
    both.retain(|step| of_all(*step));
    let whole = match both.last() {
        None if sides.len() > 1 => "no step exists for both".to_owned(),
        None => "there is no checkpoint".to_owned(),
        Some(_) => format!("there {} {}", if both.len() == 1 { "is" } else { "are" }, list(&both)),
    };
    // -1 means the newest step.
    if step < 0 {
        return match both.last() {
            Some(newest) if sides.iter().all(|side| side.newest() == Some(*newest)) => {
                Answer::Fine(format!("step {newest}, the newest"))
            }
            _ => {
                let describe = |side: &Side| {
                    format!("{} has {}", side.name, side.newest().map_or("none".to_owned(), |step| format!("step {step}")))
                };
                let newest: Vec<String> = sides.iter().map(describe).collect();
                let message = format!(
                    "the run resumes from the newest checkpoint, but that differs between processes: {}",
                    newest.join(", ")
                );
                Answer::found(placed(message, at).help(format!("state the step; {whole}")))
            }
        };
    }
    let missing: Vec<&Side> = sides.iter().filter(|side| !side.has(step)).collect();
    if missing.is_empty() {
        return Answer::Fine(format!("step {step} exists"));
    }
    let found = missing.iter().map(|side| {
        let state =
            if side.incomplete.contains(&step) { "has an incomplete checkpoint of it" } else { "has no checkpoint of it" };
        let message = format!("the run resumes from step {step}, but {} {state}: {}/step_{step}", side.name, side.folder);
        placed(message, at).help(format!("resume from an existing step ({whole}), or copy what is missing"))
    });
    Answer::Found(found.collect())
}

fn placed(message: String, at: Option<Location>) -> Diagnostic {
    let finding = Diagnostic::new(&codes::MISSING_CHECKPOINT, message);
    if let Some(at) = at { finding.at(at) } else { finding }
}

/// The checkpoints of one component.
pub(super) struct Side {
    pub(super) name: &'static str,
    /// The folder with its steps.
    pub(super) folder: String,
    /// Complete steps, ascending.
    pub(super) steps: Vec<i64>,
    /// Incomplete steps.
    pub(super) incomplete: Vec<i64>,
}

impl Side {
    fn has(&self, step: i64) -> bool {
        self.steps.contains(&step)
    }

    fn newest(&self) -> Option<i64> {
        self.steps.last().copied()
    }
}

/// The existing checkpoints of each component.
pub(super) fn sides(situation: &Situation<'_>) -> Vec<Side> {
    let plan = situation.run.plan;
    let mut sides = Vec::new();
    if plan.trainer.is_some() {
        // The trainer writes `.metadata` last.
        sides.push(side(situation.machine, "the trainer", &trainer_folder(plan), |machine, folder| {
            machine.exists(&folder.join("trainer/.metadata")) || (folder.ends_with(".metadata") && machine.exists(folder))
        }));
    }
    if let Some(folder) = orchestrator_folder(plan) {
        sides.push(side(situation.machine, "the orchestrator", &folder, |machine, folder| {
            machine.exists(&folder.join("orchestrator"))
        }));
    }
    sides
}

fn side(machine: Machine<'_>, name: &'static str, output: &str, is_complete: fn(Machine<'_>, &Path) -> bool) -> Side {
    let folder = format!("{}/checkpoints", output.trim_end_matches('/'));
    let mut all = steps(machine, Path::new(&folder));
    let (complete, incomplete) =
        all.drain(..).partition(|step| is_complete(machine, &Path::new(&folder).join(format!("step_{step}"))));
    Side { name, folder, steps: complete, incomplete }
}

/// The steps that have a subfolder in a folder, ascending.
pub(super) fn steps(machine: Machine<'_>, folder: &Path) -> Vec<i64> {
    let names = machine.names(folder).unwrap_or_default();
    let mut steps: Vec<i64> = names.iter().filter_map(|name| name.strip_prefix("step_")?.parse().ok()).collect();
    steps.sort_unstable();
    steps
}

/// Formats a list of steps: `step_5, step_10 ... step_50`.
pub(super) fn list(steps: &[i64]) -> String {
    let name = |step: &i64| format!("step_{step}");
    match steps {
        [first @ .., last] if steps.len() > MAX_STEPS => {
            format!("{} ... {}", first[..MAX_STEPS - 1].iter().map(name).collect::<Vec<_>>().join(", "), name(last))
        }
        all => all.iter().map(name).collect::<Vec<_>>().join(", "),
    }
}

/// The step to resume from, with its place in the config; -1 means the newest step. `None` if the run does not resume from a
/// step.
pub(super) fn resumes_from(plan: &Plan) -> Option<(i64, Option<Location>)> {
    let of = |setting: &Setting<i64>| Some((setting.get()?, setting.location()));
    of(&plan.run.resume_step)
        .or_else(|| of(&plan.trainer.as_ref()?.resume_step))
        .or_else(|| of(&plan.orchestrator.as_ref()?.resume_step))
}

/// The folder of the trainer's checkpoints.
pub(super) fn trainer_folder(plan: &Plan) -> String {
    let trainer = plan.trainer.as_ref();
    let own = || trainer?.ckpt.value()?.output_dir.text();
    let output = || trainer?.output_dir.text().or_else(|| plan.run.output_dir.text());
    own().or_else(output).unwrap_or("outputs").to_owned()
}

/// The folder of the orchestrator's checkpoints; `None` if the config has no orchestrator.
pub(super) fn orchestrator_folder(plan: &Plan) -> Option<String> {
    Some(plan.orchestrator.as_ref()?.output_dir.text().unwrap_or("outputs").to_owned())
}
