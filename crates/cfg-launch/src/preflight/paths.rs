//! Checks that the paths in the config exist on this machine.

use std::path::Path;

use cfg_diag::{Diagnostic, codes};
use cfg_plan::Fact;

use super::{Answer, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let named = named(situation);
    if named.is_empty() {
        return Answer::NotNeeded("the config has no paths");
    }
    let missing = named.iter().filter(|name| !situation.machine.exists(Path::new(&*name.value)));
    let found = missing.map(|name| {
        let message = format!("`{}` is the path {}, which is not on this machine", name.written_key(), name.value);
        let help = "copy or mount it here, or use the model's hub name";
        let finding = Diagnostic::new(&codes::MISSING_PATH, message).help(help).key(name.written_key().to_string());
        if let Some(at) = name.location() { finding.at(at) } else { finding }
    });
    Answer::of(found.collect(), || format!("{} there", named.len()))
}

/// The settings that contain paths: models, tokenizers, the folder to resume from.
pub(super) fn named<'a>(situation: &Situation<'a>) -> Vec<&'a Fact<Box<str>>> {
    let plan = situation.run.plan;
    let trainer = plan.trainer.as_ref();
    let all = [
        trainer.and_then(|trainer| trainer.model.name.fact()),
        trainer.and_then(|trainer| trainer.tokenizer.name.fact()),
        plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.model.name.fact()),
        plan.inference.as_ref().and_then(|inference| inference.model_name.fact()),
        plan.run.resume_dir.fact().or_else(|| trainer?.resume_dir.fact()),
    ];
    let mut paths: Vec<&Fact<Box<str>>> = Vec::new();
    for fact in all.into_iter().flatten() {
        let is_path = ["/", "./", "../", "~/"].iter().any(|begin| fact.value.starts_with(begin));
        if is_path && paths.iter().all(|known| known.value != fact.value) {
            paths.push(fact);
        }
    }
    paths
}
