//! Checks that there is a Hugging Face token if a model is gated.

use std::path::{Path, PathBuf};

use cfg_diag::{Diagnostic, codes};

use super::{Answer, Machine, Run, Situation};

/// The beginnings of the names of gated models: users must accept their terms, and there is no ungated copy.
const GATED: [&str; 7] = [
    "meta-llama/",
    "google/gemma-2",
    "google/gemma-3",
    "google/gemma-7b",
    "google/gemma-1",
    "google/codegemma",
    "mistralai/Mistral-Large",
];

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let Situation { run: Run { plan, .. }, machine, .. } = situation;
    let of_trainer = plan.trainer.as_ref().and_then(|trainer| trainer.model.name.fact());
    let of_server = plan.inference.as_ref().and_then(|inference| inference.model_name.fact());
    let gated =
        [of_trainer, of_server].into_iter().flatten().find(|name| GATED.iter().any(|gated| name.value.starts_with(gated)));
    let Some(name) = gated else { return Answer::NotNeeded("none of its models is known to be gated") };
    if is_on(machine.variable("HF_HUB_OFFLINE")) {
        return Answer::NotNeeded("HF_HUB_OFFLINE is set");
    }
    if let Some(source) = token(*machine) {
        return Answer::Fine(format!("a token is in {source}"));
    }
    let message = format!("`{}` is gated, but there is no hub token", name.value);
    let help = "accept the terms on the model's page, then set HF_TOKEN or run `hf auth login`; if it is already in the cache, \
        set HF_HUB_OFFLINE=1";
    let finding = Diagnostic::new(&codes::MISSING_HUB_TOKEN, message).help(help).key(name.written_key().to_string());
    Answer::found(if let Some(at) = name.location() { finding.at(at) } else { finding })
}

/// Whether the value of a variable turns something on, as the hub's library reads it.
pub(super) fn is_on(value: Option<String>) -> bool {
    value.is_some_and(|value| matches!(value.to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on"))
}

fn token(machine: Machine<'_>) -> Option<String> {
    if let Some(name) = ["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"].into_iter().find(|name| machine.variable(name).is_some()) {
        return Some(name.to_owned());
    }
    let own = machine.variable("HF_TOKEN_PATH").map(PathBuf::from);
    let home = machine.variable("HF_HOME").map(PathBuf::from);
    let usual = || Some(Path::new(&machine.variable("HOME")?).join(".cache/huggingface"));
    let file = own.or_else(|| Some(home.or_else(usual)?.join("token")))?;
    machine.exists(&file).then(|| file.display().to_string())
}
