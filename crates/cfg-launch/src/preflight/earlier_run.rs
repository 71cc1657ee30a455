//! Checks that the output folder contains nothing from an earlier run that a new run would use.

use std::path::Path;

use cfg_diag::{Diagnostic, Severity, codes};
use cfg_schema::Behaviour;

use super::{
    Answer, Situation,
    checkpoint::{list, orchestrator_folder, resumes_from, steps, trainer_folder},
};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let plan = situation.run.plan;
    let mut folders = vec![trainer_folder(plan)];
    folders.extend(orchestrator_folder(plan).filter(|folder| *folder != folders[0]));
    folders.extend(plan.run.output_dir.text().map(str::to_owned).filter(|folder| !folders.contains(folder)));
    if let Some((step, _)) = resumes_from(plan) {
        return resumed(situation, &folders, step);
    }
    if plan.run.resume_dir.fact().is_some() {
        return Answer::NotNeeded("the run resumes an earlier one");
    }
    let is_cleaned = plan.run.clean.is_on();
    let is_guarded = situation.run.target.point.has(Behaviour::FolderIsGuarded);
    let mut left = Vec::new();
    for folder in &folders {
        for part in ["checkpoints", "weights", "rollouts", "broadcasts"] {
            // A launcher that guards the folder removes everything or nothing; earlier ones removed rollouts and broadcasts, but not checkpoints.
            let is_removed = is_cleaned && (is_guarded || matches!(part, "rollouts" | "broadcasts"));
            let path = format!("{}/{part}", folder.trim_end_matches('/'));
            let steps = steps(situation.machine, Path::new(&path));
            if !steps.is_empty() && !is_removed {
                left.push((path, steps));
            }
        }
    }
    if left.is_empty() {
        return Answer::Fine(format!("nothing in {}", folders.join(", ")));
    }
    let shown: Vec<String> = left.iter().map(|(path, steps)| format!("{path} ({})", list(steps))).collect();
    let has_checkpoints = left.iter().any(|(path, _)| path.ends_with("/checkpoints"));
    let (effect, is_error) = match (is_guarded, has_checkpoints) {
        (true, true) => ("prime-rl refuses to start over it", true),
        (false, true) => ("a new run reads these steps, and can wait forever", true),
        _ => ("a new run would use it as its own", false),
    };
    let message = format!("an earlier run left {}: {effect}", shown.join(", "));
    let help = format!("set another `output_dir`, or resume; otherwise move the earlier run first: {}", moves(&left));
    let mut finding = Diagnostic::new(&codes::EARLIER_RUN, message).help(help);
    finding.severity = if is_error { Severity::Error } else { Severity::Warning };
    Answer::found(if let Some(at) = plan.run.output_dir.location() { finding.at(at) } else { finding })
}

/// The command that moves folders away: nothing of a run is lost by it.
fn moves(left: &[(String, Vec<i64>)]) -> String {
    let paths: Vec<_> = left.iter().map(|(path, _)| cfg_diag::word(path)).collect();
    format!("`mkdir earlier && mv {} earlier/`", paths.join(" "))
}

/// Checks the rollouts and broadcasts of steps after the one that a run resumes from, which it would train on again.
fn resumed(situation: &Situation<'_>, folders: &[String], step: i64) -> Answer {
    if situation.run.target.point.has(Behaviour::LaterStepsAreRemoved) {
        return Answer::NotNeeded("the launcher removes rollouts of later steps than the one that the run resumes from");
    }
    // -1 means the newest step.
    if step < 0 {
        return Answer::NotNeeded("the run resumes from the newest step, after which there are no rollouts to train on");
    }
    let mut left = Vec::new();
    for folder in folders {
        for part in ["rollouts", "broadcasts"] {
            let path = format!("{}/{part}", folder.trim_end_matches('/'));
            let later: Vec<i64> = steps(situation.machine, Path::new(&path)).into_iter().filter(|found| *found > step).collect();
            if !later.is_empty() {
                left.push((path, later));
            }
        }
    }
    if left.is_empty() {
        return Answer::Fine(format!("no rollouts or broadcasts of steps after {step} in {}", folders.join(", ")));
    }
    let shown: Vec<String> = left.iter().map(|(path, steps)| format!("{path} ({})", list(steps))).collect();
    let message = format!(
        "the run resumes from step {step}, but {} {} of later steps: this prime-rl does not remove them, and trains on them again",
        shown.join(", "),
        if shown.len() == 1 { "is" } else { "are" }
    );
    let help = format!("move these steps before: {}", moves(&left));
    let mut finding = Diagnostic::new(&codes::EARLIER_RUN, message).help(help);
    finding.severity = Severity::Warning;
    Answer::found(finding)
}
