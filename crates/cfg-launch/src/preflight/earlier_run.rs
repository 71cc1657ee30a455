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
    if resumes_from(plan).is_some() || plan.run.resume_dir.fact().is_some() {
        return Answer::NotNeeded("the run resumes an earlier one");
    }
    let mut folders = vec![trainer_folder(plan)];
    folders.extend(orchestrator_folder(plan).filter(|folder| *folder != folders[0]));
    folders.extend(plan.run.output_dir.text().map(str::to_owned).filter(|folder| !folders.contains(folder)));
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
    let paths: Vec<_> = left.iter().map(|(path, _)| cfg_diag::word(path)).collect();
    let help = format!("if it is not needed: `rm -r {}`; otherwise set another `output_dir`, or resume", paths.join(" "));
    let mut finding = Diagnostic::new(&codes::EARLIER_RUN, message).help(help);
    finding.severity = if is_error { Severity::Error } else { Severity::Warning };
    Answer::found(if let Some(at) = plan.run.output_dir.location() { finding.at(at) } else { finding })
}
