//! The former format of hosted training, for shared models: the refusal, and the config of prime-rl that says the same.

use cfg_compose::{Entry, Table, Value};
use cfg_diag::{Diagnostic, KeyChange, LocPart, Proposal, codes};

/// The keys of the former format, and their places in an rl config.
const PLACES: [(&str, &str); 15] = [
    ("model", "model.name"),
    ("batch_size", "orchestrator.batch_size"),
    ("rollouts_per_example", "orchestrator.group_size"),
    ("group_size", "orchestrator.group_size"),
    ("learning_rate", "trainer.optim.lr"),
    ("lora_rank", "trainer.model.lora.rank"),
    ("lora_alpha", "trainer.model.lora.alpha"),
    ("sampling.max_tokens", "orchestrator.train.sampling.max_completion_tokens"),
    ("sampling.temperature", "orchestrator.train.sampling.temperature"),
    ("sampling.extra_body", "orchestrator.train.sampling.extra_body"),
    ("eval.interval", "orchestrator.eval.interval"),
    ("eval.env", "orchestrator.eval.source"),
    ("wandb", "monitors.wandb"),
    ("checkpoints.interval", "ckpt.interval"),
    ("env", "orchestrator.train.source"),
];

/// The maximum number of environments that are rewritten.
const MAX_ITEMS: usize = 64;

/// Refuses the format of shared LoRA training; then nothing else is checked.
pub(super) fn refusal(root: &Table) -> Option<Diagnostic> {
    let model = root.get("model").filter(|entry| entry.node.value.as_str().is_some());
    let environments = root.get("env").filter(|entry| matches!(entry.node.value, Value::List(_)));
    let entry = model.or(environments)?;
    let what = if model.is_some() { "`model` is a string" } else { "`env` is a top-level array" };
    let message = format!("this is a config for shared LoRA training, which no longer accepts new runs: {what}");
    let loc = vec![LocPart::Key(entry.key.to_string())];
    let mut diagnostic = Diagnostic::new(&codes::RETIRED_HOSTED_FORM, message).key(&*entry.key).native("ValueError", loc);
    diagnostic.location = entry.node.origin.place().or_else(|| entry.key_origin.place());
    let diagnostic = diagnostic.help(
        "hosted training now runs prime-rl configs: `[model]` with `name`, `[trainer]`, `[orchestrator]` with \
         `[[orchestrator.train.source]]`, and `[inference]`",
    );
    Some(diagnostic.propose(Proposal::possible("write it as an rl config of prime-rl", changes(root))))
}

/// The changes that make it a config of prime-rl.
fn changes(root: &Table) -> Vec<KeyChange> {
    let mut changes = Vec::new();
    let mut parts = vec!["trainer", "inference"];
    for (key, place) in PLACES {
        let Some(entry) = at(root, key) else { continue };
        parts.retain(|part| place.split('.').next() != Some(part) && root.get(part).is_none());
        changes.push(KeyChange::Move { from: key.to_owned(), to: place.to_owned() });
        if let Value::List(items) = &entry.node.value {
            let tables = items.iter().enumerate().filter_map(|(index, item)| Some((index, item.value.as_table()?)));
            tables.take(MAX_ITEMS).for_each(|(index, item)| environment(item, &format!("{place}[{index}]"), &mut changes));
        }
    }
    for (table, place) in [("sampling", "orchestrator.train.sampling"), ("checkpoints", "ckpt")] {
        let Some(entry) = root.get(table) else { continue };
        // What the former format did not have either keeps its name, for the check of the new one.
        let others = entry.node.value.as_table().map(Table::entries).unwrap_or_default().iter().map(|entry| &entry.key);
        let others = others.filter(|key| !PLACES.iter().any(|(known, _)| *known == format!("{table}.{key}")));
        changes.extend(others.map(|key| KeyChange::Move { from: format!("{table}.{key}"), to: format!("{place}.{key}") }));
        changes.push(KeyChange::Remove { key: table.to_owned() });
    }
    changes.extend(parts.into_iter().map(|part| KeyChange::Set { key: part.to_owned(), value: "{}".to_owned() }));
    changes
}

/// The changes of an environment, whose package is the taskset now.
fn environment(item: &Table, at: &str, changes: &mut Vec<KeyChange>) {
    let taskset = format!("{at}.env.taskset");
    if item.get("id").is_some() {
        changes.push(KeyChange::Move { from: format!("{at}.id"), to: format!("{taskset}.id") });
    }
    let Some(args) = item.get("args").and_then(|args| args.node.value.as_table()) else { return };
    let each = args
        .entries()
        .iter()
        .map(|arg| KeyChange::Move { from: format!("{at}.args.{}", arg.key), to: format!("{taskset}.{}", arg.key) });
    changes.extend(each);
    changes.push(KeyChange::Remove { key: format!("{at}.args") });
}

/// The entry at a dotted key.
fn at<'t>(root: &'t Table, key: &str) -> Option<&'t Entry> {
    let (table, last) = key
        .rsplit_once('.')
        .map_or((Some(root), key), |(table, last)| (root.get(table).and_then(|entry| entry.node.value.as_table()), last));
    table?.get(last)
}
