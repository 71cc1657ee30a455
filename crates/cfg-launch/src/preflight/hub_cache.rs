//! Checks that the models of the config are in the cache of the hub if nothing may be downloaded.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use cfg_diag::{Diagnostic, codes};

use super::{Answer, Machine, Run, Situation, hub_token::is_on};

/// The variables that the hub's library reads.
const VARIABLES: [&str; 6] =
    ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME"];

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let Situation { run: Run { plan, .. }, machine, .. } = situation;
    // The library reads the second one only if the first one has no value.
    let has_value = |name: &&str| machine.variable(name).is_some_and(|value| !value.is_empty());
    let set = ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"].into_iter().find(has_value);
    let Some(variable) = set.filter(|name| is_on(machine.variable(name))) else {
        return Answer::NotNeeded("models may be downloaded");
    };
    let trainer = plan.trainer.as_ref().and_then(|trainer| trainer.env_vars.value());
    let server = plan.inference.as_ref().and_then(|inference| inference.env_vars.value());
    let own = [plan.run.env_vars.value(), trainer, server];
    if own.into_iter().flatten().any(|own| VARIABLES.iter().any(|name| own.get(name).is_some())) {
        return Answer::Unknown("the config sets the hub's variables itself".to_owned());
    }
    let of_trainer = plan.trainer.as_ref().and_then(|trainer| trainer.model.name.fact());
    let of_server = plan.inference.as_ref().and_then(|inference| inference.model_name.fact());
    // A local folder has a name like a model of the hub, too.
    let names = [of_trainer, of_server].into_iter().flatten();
    let models: Vec<_> = names.filter(|name| is_of_hub(&name.value) && !machine.exists(Path::new(&*name.value))).collect();
    if models.is_empty() {
        return Answer::NotNeeded("its models are local folders");
    }
    let Some(cache) = cache(*machine) else { return Answer::Unknown("the folder of the cache is unknown".to_owned()) };
    let (mut found, mut fine): (Vec<Diagnostic>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for name in models {
        if !seen.insert(&name.value) {
            continue;
        }
        let folder = cache.join(format!("models--{}", name.value.replace('/', "--")));
        if machine.names(&folder.join("snapshots")).is_ok_and(|snapshots| !snapshots.is_empty()) {
            fine.push(&name.value);
            continue;
        }
        let message = format!("`{}` is not in {}, but {variable} forbids its download", name.value, cache.display());
        let help = format!(
            "`hf download {}` on a machine with network, into the same HF_HOME; or unset {variable}",
            cfg_diag::word(&name.value)
        );
        let finding = Diagnostic::new(&codes::UNCACHED_MODEL, message).help(help).key(name.written_key().to_string());
        found.push(if let Some(at) = name.location() { finding.at(at) } else { finding });
    }
    Answer::of(found, || format!("{} in {}", fine.join(", "), cache.display()))
}

/// Whether a name is that of a model of the hub: `Qwen/Qwen3-4B`, not `./model` or `/models/a`.
fn is_of_hub(name: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && !part.starts_with(['.', '~']);
    name.split('/').count() <= 2 && name.split('/').all(is_part)
}

/// The folder in which the hub's library keeps models.
fn cache(machine: Machine<'_>) -> Option<PathBuf> {
    let of = |name: &str| {
        let path = machine.variable(name)?;
        match path.strip_prefix("~/") {
            Some(below) => Some(PathBuf::from(machine.variable("HOME")?).join(below)),
            None => Some(PathBuf::from(path)),
        }
    };
    let home =
        || of("HF_HOME").or_else(|| Some(of("XDG_CACHE_HOME").or_else(|| Some(of("HOME")?.join(".cache")))?.join("huggingface")));
    of("HF_HUB_CACHE").or_else(|| of("HUGGINGFACE_HUB_CACHE")).or_else(|| Some(home()?.join("hub")))
}
