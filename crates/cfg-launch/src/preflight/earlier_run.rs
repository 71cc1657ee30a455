//! Checks that the output folder contains nothing of an earlier run, or of later steps of a resumed one, that this run would take for its own.

use std::path::Path;

use cfg_diag::{Diagnostic, Severity, codes};
use cfg_plan::Plan;
use cfg_schema::Behaviour;

use super::{
    Answer, Situation,
    checkpoint::{list, orchestrator_folder, resumes_from, sides, steps, trainer_folder},
};

/// What the processes of a run pass on to each other, in folders of their steps.
const PASSED_ON: [&str; 2] = ["rollouts", "broadcasts"];

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let plan = situation.run.plan;
    if plan.run.resume_dir.fact().is_some() {
        return Answer::NotNeeded("the run resumes a run in another folder");
    }
    match resumes_from(plan) {
        Some((step, _)) => of_resumed(situation, step),
        None => of_new(situation),
    }
}

/// The folders below which the processes of a run write.
fn folders(plan: &Plan) -> Vec<String> {
    let mut folders = vec![trainer_folder(plan)];
    folders.extend(orchestrator_folder(plan).filter(|folder| *folder != folders[0]));
    folders.extend(plan.run.output_dir.text().map(str::to_owned).filter(|folder| !folders.contains(folder)));
    folders
}

/// The steps after `step` in the folders of these names that this machine has.
fn later(situation: &Situation<'_>, names: &[&str], step: i64) -> Vec<(String, Vec<i64>)> {
    let folders = folders(situation.run.plan);
    let paths =
        folders.iter().flat_map(|folder| names.iter().map(move |name| format!("{}/{name}", folder.trim_end_matches('/'))));
    let of_path = |path: String| {
        let mut steps = steps(situation.machine, Path::new(&path));
        steps.retain(|other| *other > step);
        (!steps.is_empty()).then_some((path, steps))
    };
    paths.filter_map(of_path).collect()
}

/// A run that resumes trains on the rollouts of later steps, which its first try left: their policy was another one.
fn of_resumed(situation: &Situation<'_>, step: i64) -> Answer {
    let plan = situation.run.plan;
    let newest = || sides(situation).first().and_then(|side| side.steps.last().copied());
    let Some(step) = (if step < 0 { newest() } else { Some(step) }) else {
        return Answer::Unknown("there is no checkpoint to resume from".to_owned());
    };
    if situation.run.target.point.has(Behaviour::ResumeRemovesLaterSteps) {
        return Answer::Fine(format!("the launcher removes rollouts and broadcasts after step {step}"));
    }
    let left = later(situation, &PASSED_ON, step);
    if left.is_empty() {
        return Answer::Fine(format!("no rollouts or broadcasts after step {step} in {}", folders(plan).join(", ")));
    }
    let message = format!(
        "the run resumes from step {step}, but the first try left {}: the trainer would train on these rollouts",
        shown(&left)
    );
    found(plan, message, &format!("move them away: {}", moves(&left)), Severity::Warning)
}

fn of_new(situation: &Situation<'_>) -> Answer {
    let plan = situation.run.plan;
    let point = situation.run.target.point;
    let is_guarded = point.has(Behaviour::FolderIsGuarded);
    let is_cleaned = plan.run.clean.is_on();
    // A launcher that guards the folder removes everything or nothing; earlier ones removed rollouts and broadcasts, but not checkpoints.
    let are_passed_on_removed = is_cleaned || point.has(Behaviour::StartRemovesSteps);
    let mut left = Vec::new();
    if !(is_cleaned && is_guarded) {
        left.extend(later(situation, &["checkpoints", "weights"], -1));
    }
    if !are_passed_on_removed {
        left.extend(later(situation, &PASSED_ON, -1));
    }
    if left.is_empty() {
        return Answer::Fine(format!("nothing in {}", folders(plan).join(", ")));
    }
    let has_checkpoints = left.iter().any(|(path, _)| path.ends_with("/checkpoints"));
    let (effect, severity) = match (is_guarded, has_checkpoints) {
        (true, true) => ("prime-rl refuses to start over it", Severity::Error),
        (false, true) => ("a new run reads these steps, and can wait forever", Severity::Error),
        _ => ("a new run would use it as its own", Severity::Warning),
    };
    let message = format!("an earlier run left {}: {effect}", shown(&left));
    found(plan, message, &format!("set another `output_dir`, resume, or move them away: {}", moves(&left)), severity)
}

fn shown(left: &[(String, Vec<i64>)]) -> String {
    left.iter().map(|(path, steps)| format!("{path} ({})", list(steps))).collect::<Vec<_>>().join(", ")
}

/// Commands that keep what they move: it may be all that remains of a run.
fn moves(left: &[(String, Vec<i64>)]) -> String {
    let of_path =
        |(path, _): &(String, Vec<i64>)| format!("`mv {} {}`", cfg_diag::word(path), cfg_diag::word(&format!("{path}.earlier")));
    left.iter().map(of_path).collect::<Vec<_>>().join(", ")
}

fn found(plan: &Plan, message: String, help: &str, severity: Severity) -> Answer {
    let mut finding = Diagnostic::new(&codes::EARLIER_RUN, message).help(help);
    finding.severity = severity;
    Answer::found(if let Some(at) = plan.run.output_dir.location() { finding.at(at) } else { finding })
}
