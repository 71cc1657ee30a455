//! Whether a folder of weights has the files that its index names.

use std::{collections::BTreeSet, path::Path};

use cfg_diag::{Diagnostic, codes};

use super::{Answer, Machine, Situation};

/// The index of weights in several files.
const INDEX: &str = "model.safetensors.index.json";

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let plan = situation.plan;
    let mut folders: BTreeSet<&str> = super::paths::named(situation).into_iter().map(|fact| &*fact.value).collect();
    // A name of the hub that is also a folder here is taken as the folder.
    let names = [
        plan.trainer.as_ref().and_then(|trainer| trainer.model.name.text()),
        plan.inference.as_ref().and_then(|inference| inference.model_name.text()),
    ];
    folders.extend(names.into_iter().flatten());
    let machine = situation.machine;
    let with_index: Vec<&str> = folders.into_iter().filter(|folder| machine.exists(&Path::new(folder).join(INDEX))).collect();
    if with_index.is_empty() {
        return Answer::NotNeeded("its models are no folders with an index");
    }
    let found = with_index.iter().filter_map(|folder| finding(machine, folder));
    Answer::of(found.collect(), || format!("complete in {}", with_index.join(", ")))
}

fn finding(machine: &dyn Machine, folder: &str) -> Option<Diagnostic> {
    let path = Path::new(folder);
    let text = machine.text(&path.join(INDEX)).ok()?;
    let Ok(index) = serde_json::from_str::<serde_json::Value>(&text) else {
        let message = format!("{folder}: {INDEX} is no JSON, as when it was copied in part");
        return Some(Diagnostic::new(&codes::WEIGHTS_INDEX_MISMATCH, message).help("copy the folder again"));
    };
    let files: BTreeSet<&str> = index["weight_map"].as_object()?.values().filter_map(serde_json::Value::as_str).collect();
    let missing: Vec<&str> = files.iter().copied().filter(|file| !machine.exists(&path.join(file))).collect();
    let first = missing.first()?;
    let message = format!(
        "{folder}: the index names {}{first}, which is not there",
        if missing.len() > 1 { format!("{} files such as ", missing.len()) } else { String::new() }
    );
    let help = if files.len() == 1 && machine.exists(&path.join("model.safetensors")) {
        format!("`mv {folder}/model.safetensors {folder}/{first}`")
    } else {
        "copy the missing files, or the folder again".to_owned()
    };
    Some(Diagnostic::new(&codes::WEIGHTS_INDEX_MISMATCH, message).help(help))
}
