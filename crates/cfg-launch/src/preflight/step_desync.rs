//! Checks that the orchestrator has no checkpoints after the step to resume from, for a prime-rl that counts steps by them.

use cfg_diag::{Diagnostic, codes};
use cfg_schema::Behaviour;

use super::{
    Answer, Situation,
    checkpoint::{list, orchestrator_folder, resumes_from, steps},
};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let Some((step, at)) = resumes_from(situation.run.plan).filter(|(step, _)| *step >= 0) else {
        return Answer::NotNeeded("the run does not resume from a given step");
    };
    if situation.run.target.point.lacks(Behaviour::TrainerWaitsForNewestCheckpoint) {
        return Answer::NotNeeded("this prime-rl is not affected");
    }
    let Some(folder) = orchestrator_folder(situation.run.plan) else { return Answer::NotNeeded("the run has no orchestrator") };
    let folder = format!("{}/checkpoints", folder.trim_end_matches('/'));
    let mut ahead = steps(situation.machine, std::path::Path::new(&folder));
    ahead.retain(|other| *other > step);
    if ahead.is_empty() {
        return Answer::Fine(format!("no checkpoint of the orchestrator is ahead of step {step}"));
    }
    let message = format!("the run resumes from step {step}, but the orchestrator has later checkpoints: {}", list(&ahead));
    let folders: Vec<String> = ahead.iter().map(|step| format!("{folder}/step_{step}")).collect();
    let help = format!(
        "the run would finish one step and hang; move them away: `{}`, or resume from the newest step",
        folders.join("`, `")
    );
    let finding = Diagnostic::new(&codes::STEP_DESYNC, message).help(help);
    Answer::found(if let Some(at) = at { finding.at(at) } else { finding })
}
