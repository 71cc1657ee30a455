//! Checks that a folder of weights has the files that its index names.

use std::{collections::BTreeSet, path::Path};

use cfg_diag::{Diagnostic, codes, word};
use cfg_system::Role;

use super::{Answer, Machine, Situation};

/// The index of weights that are split into several files.
const INDEX: &str = "model.safetensors.index.json";

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let plan = situation.run.plan;
    let mut folders: BTreeSet<&str> = super::paths::named(situation).into_iter().map(|fact| &*fact.value).collect();
    // The name of a hub model is also the path of a folder if such a folder exists.
    let names = [
        plan.trainer.as_ref().and_then(|trainer| trainer.model.name.text()),
        plan.inference.as_ref().and_then(|inference| inference.model_name.text()),
    ];
    folders.extend(names.into_iter().flatten());
    let machine = situation.machine;
    let with_index: Vec<&str> = folders.into_iter().filter(|folder| machine.exists(&Path::new(folder).join(INDEX))).collect();
    if with_index.is_empty() {
        return Answer::NotNeeded("its models are not local folders with an index");
    }
    let found = with_index.iter().filter_map(|folder| finding(machine, folder));
    Answer::of(found.collect(), || format!("complete in {}", with_index.join(", ")))
}

fn finding(machine: Machine<'_>, folder: &str) -> Option<Diagnostic> {
    let path = Path::new(folder);
    let text = machine.text(&path.join(INDEX), Role::Model).ok()?;
    let Ok(index) = serde_json::from_str::<serde_json::Value>(&text) else {
        let message = format!("{folder}: {INDEX} is not valid JSON; the copy may be incomplete");
        return Some(Diagnostic::new(&codes::WEIGHTS_INDEX_MISMATCH, message).help("copy the folder again"));
    };
    let files: BTreeSet<&str> = index["weight_map"].as_object()?.values().filter_map(serde_json::Value::as_str).collect();
    let missing: Vec<&str> = files.iter().copied().filter(|file| !machine.exists(&path.join(file))).collect();
    let first = missing.first()?;
    // The config determines which file is read here, so a name in it is quoted only if it looks like a file of weights.
    let named = if is_usual(first) { first } else { "a file with an unusual name" };
    let message = format!(
        "{folder}: the index lists {}{named}, which is missing",
        if missing.len() > 1 { format!("{} files such as ", missing.len()) } else { String::new() }
    );
    let help = if files.len() == 1 && is_usual(first) && machine.exists(&path.join("model.safetensors")) {
        format!("`mv {} {}`", word(&format!("{folder}/model.safetensors")), word(&format!("{folder}/{first}")))
    } else {
        "copy the missing files, or the folder again".to_owned()
    };
    Some(Diagnostic::new(&codes::WEIGHTS_INDEX_MISMATCH, message).help(help))
}

/// Whether a name looks like that of a file of weights: `model-00001-of-00004.safetensors`.
fn is_usual(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'.');
    name.len() <= 80 && name.ends_with(".safetensors") && name.bytes().all(is_part)
}
