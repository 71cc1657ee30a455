//! Checks that the output folder of a run on several nodes is not on a disk that each node has for itself.

use std::path::Path;

use cfg_diag::{Diagnostic, codes};
use cfg_system::{around, tidy};

use super::{Answer, Situation};

/// Folders that each machine has for itself.
const OWN: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/run"];

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let plan = situation.run.plan;
    let gpus = &plan.run.gpus;
    let servers = gpus.num_infer_nodes.get().unwrap_or(0).saturating_mul(gpus.num_infer_replicas.get().unwrap_or(1));
    let nodes = gpus.num_train_nodes.get().unwrap_or(0).saturating_add(servers);
    if nodes < 2 {
        return Answer::NotNeeded("the run has one node");
    }
    let setting = &plan.run.output_dir;
    let folder = setting.text().unwrap_or("outputs");
    let path = tidy(&situation.machine.host().folder().join(folder));
    // A link may lead to a disk that the nodes share.
    let is_own = |path: &Path| OWN.iter().any(|own| path.starts_with(own));
    let is_led_away = around(&path).find_map(|above| situation.machine.real(above)).is_some_and(|real| !is_own(&real));
    let Some(own) = OWN.iter().find(|own| path.starts_with(own)).filter(|_| !is_led_away) else {
        return Answer::Fine(format!("{folder} is in no folder that each machine has for itself"));
    };
    let message = format!(
        "{folder} is in {own}, which is local to each of the {nodes} nodes: they share configs, weights and checkpoints there"
    );
    let help = "set `output_dir` to a folder on a disk that all nodes share";
    let finding = Diagnostic::new(&codes::UNSHARED_FOLDER, message).help(help).key("output_dir".to_owned());
    Answer::found(if let Some(at) = setting.location() { finding.at(at) } else { finding })
}
