//! The keys of `prime train` itself, and its changes of others before prime-rl's classes check them.

use cfg_compose::{Derivation, Entry, Node, Origin, Table, Value};
use cfg_diag::{Diagnostic, codes};
use cfg_resolve::{ResolvedTable, ResolvedValue, View};
use cfg_schema::{History, Kind, Schema, Target};
use cfg_syntax::Integer;

use super::{LeftOut, entry_at, refusal, refusals};

/// The position of a key in the order in which `prime train` checks its own keys.
pub(super) fn order(key: &str) -> usize {
    let all = ["source_ref", "image_tag", "gpu_type", "volume", "volume_size"];
    all.iter().position(|own| *own == key).unwrap_or(all.len())
}

/// The errors in the values of the keys of `prime train`, and the values that it ignores. The walker reports names that are not strings.
pub(super) fn check(root: &Table) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if let Some((entry, name)) = string(root, "source_ref") {
        found.extend(source_ref(entry, name));
    }
    let is_given = |key| root.get(key).is_some_and(|entry| !is_falsy(&entry.node.value));
    if let Some((entry, _)) = string(root, "volume_size").filter(|_| is_given("volume_size") && !is_given("volume")) {
        let message = "`volume_size` is set without a volume: `prime train` refuses it unless `--volume` is passed".to_owned();
        found.push(warning(refusal(Some(entry), "volume_size", message)).help("write `volume = \"NAME\"`"));
    }
    for key in ["env_files", "env_file"] {
        found.extend(root.get(key).and_then(|entry| variables(entry, key)));
    }
    if let Some(entry) = root.get("type") {
        found.push(dropped(entry, "type", "`type` is no longer read").help("remove it"));
    }
    found
}

/// A refusal that a flag of the command line can prevent.
fn warning(mut refusal: Diagnostic) -> Diagnostic {
    refusal.native = None;
    refusal.severity = cfg_diag::Severity::Warning;
    refusal
}

fn string<'t>(root: &'t Table, key: &str) -> Option<(&'t Entry, &'t str)> {
    let entry = root.get(key)?;
    Some((entry, entry.node.value.as_str()?))
}

fn source_ref(entry: &Entry, name: &str) -> Option<Diagnostic> {
    if let Some(why) = why_no_ref(name) {
        let message = format!("`source_ref` must be a branch, tag or commit of prime-rl: {why}");
        let help = if name.starts_with("refs/") || name.starts_with("pull/") {
            "write the branch name; for a pull request, run `prime train --pr NUMBER`"
        } else {
            "write it as git does: `main`, `v0.8.0`, or a commit hash"
        };
        return Some(refusal(Some(entry), "source_ref", message).help(help));
    }
    let named = Target::parse(History::built_in(), name).ok().filter(|target| !refusals::can_be_run(target))?;
    let message = format!(
        "prime-rl {named} has no `clean`, which `prime train` reads from every rl config: it fails with an \
            AttributeError"
    );
    let checked = "the rest is checked for prime-rl's main branch";
    Some(warning(refusal(Some(entry), "source_ref", message)).help(format!("choose a newer commit; {checked}")))
}

/// Why git can't fetch a string as a reference; `None` if it can.
fn why_no_ref(name: &str) -> Option<&'static str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric();
    if name.is_empty() {
        return Some("it is empty");
    }
    if name.len() > 200 {
        return Some("it is longer than 200 characters");
    }
    if !name.bytes().next().is_some_and(is_plain) {
        return Some("it must start with a letter or digit");
    }
    if !name.bytes().all(|byte| is_plain(byte) || matches!(byte, b'.' | b'_' | b'/' | b'-')) {
        return Some("only letters, digits, `.`, `_`, `/` and `-` are allowed");
    }
    if name.contains("..") || name.contains("//") || name.contains("/.") {
        return Some("it contains `..`, `//` or `/.`");
    }
    if name.ends_with(['/', '.']) || name.split('/').any(|part| part.strip_suffix(".lock").is_some()) {
        return Some("it, or a part of it, ends in a way that git does not allow");
    }
    (name.starts_with("refs/") || name.starts_with("pull/")).then_some("it is an internal git reference")
}

/// The errors in the list of files with environment variables.
fn variables(entry: &Entry, key: &str) -> Option<Diagnostic> {
    match &entry.node.value {
        Value::Str(_) | Value::Unknown => None,
        Value::List(items) => {
            let strange = items.iter().find(|item| !matches!(item.value, Value::Str(_) | Value::Unknown))?;
            let message = format!("an item of `{key}` is not a path: `prime train` fails with a TypeError");
            let mut found = warning(refusal(Some(entry), key, message));
            found.severity = cfg_diag::Severity::Error;
            found.location = strange.origin.place();
            Some(found)
        }
        _ => Some(dropped(entry, key, &format!("`prime train` ignores `{key}`, which is neither a path nor a list of paths"))),
    }
}

/// A finding about a key that has no effect.
fn dropped(entry: &Entry, key: &str, message: &str) -> Diagnostic {
    let mut found = Diagnostic::new(&codes::DROPPED_BY_HOSTED, message).key(key);
    found.location = entry.key_origin.place();
    found
}

/// Keys that an orchestrator formerly had; `prime train` removes them with a warning.
const DEPRECATED: [&str; 3] = ["trajectory_strategy", "trajectoryStrategy", "buffer"];

/// Removes, or renames, former keys of the orchestrator that hosted training still accepts.
pub(super) fn drop_deprecated(root: &mut Table, notes: &mut Vec<Diagnostic>) {
    let Some(orchestrator) = root.get_mut("orchestrator").and_then(|entry| entry.node.value.as_table_mut()) else { return };
    for key in DEPRECATED {
        let Some(entry) = orchestrator.remove(key) else { continue };
        let message = format!("`prime train` drops `{key}`, which orchestrators no longer have");
        notes.push(dropped(&entry, &format!("orchestrator.{key}"), &message).help("remove it"));
    }
    let Some(eval) = orchestrator.get_mut("eval").and_then(|entry| entry.node.value.as_table_mut()) else { return };
    let Some(entry) = eval.remove("eval_base_model") else { return };
    let key = "orchestrator.eval.eval_base_model";
    if eval.get("skip_first_step").is_some() {
        let message = "`prime train` drops `eval_base_model` because `skip_first_step` is also set";
        notes.push(dropped(&entry, key, message).help("remove it"));
        return;
    }
    let value = match entry.node.value {
        Value::Bool(is_wanted) => Value::Bool(!is_wanted),
        ref other => other.clone(),
    };
    let message = "`prime train` reads `eval_base_model` as `skip_first_step`, which means the opposite";
    let help = match value {
        Value::Bool(skips) => format!("write `skip_first_step = {skips}`"),
        _ => "write `skip_first_step`".to_owned(),
    };
    notes.push(dropped(&entry, key, message).help(help));
    eval.insert(Entry {
        key: "skip_first_step".into(),
        written: Some(entry.key),
        key_origin: entry.key_origin,
        node: Node { value, origin: entry.node.origin },
    });
}

/// Adds the SLURM settings that prime-rl requires for several nodes, as `prime train` does if a config has none.
pub(super) fn add_launcher(root: &mut Table) {
    let Some(ty) = entry_at(root, "deployment.type") else { return };
    if ty.node.value.as_str() != Some("multi_node") || root.get("slurm").is_some() {
        return;
    }
    let origin = Origin::Loader(Derivation { name: "normalize", from: ty.node.origin.place() });
    let node = Node { value: Value::Table(Table::default()), origin };
    root.insert(Entry { key: "slurm".into(), written: None, key_origin: origin, node });
}

/// Removes what `prime train` leaves to the platform, and returns it.
pub(super) fn leave_out(root: &mut Table, kind: Kind) -> Vec<LeftOut> {
    let mut left_out = Vec::new();
    if kind == Kind::HostedSft {
        for key in ["eval", "inference", "weight_broadcast"] {
            if root.remove(key).is_some() {
                left_out.push(LeftOut { loc: vec![key], is_looked_at: true });
            }
        }
        return left_out;
    }
    let Some(orchestrator) = root.get_mut("orchestrator").and_then(|entry| entry.node.value.as_table_mut()) else {
        return left_out;
    };
    let train = orchestrator.get_mut("train").and_then(|entry| entry.node.value.as_table_mut());
    if train.and_then(|train| train.remove("source")).is_some() {
        left_out.push(LeftOut { loc: vec!["orchestrator", "train", "source"], is_looked_at: false });
    }
    if orchestrator.remove("eval").is_some() {
        left_out.push(LeftOut { loc: vec!["orchestrator", "eval"], is_looked_at: true });
    }
    left_out
}

/// Settings of an rl config that reach neither trainer nor orchestrator nor inference server, each with what to do instead.
const NOT_HANDED_ON: [(&str, &str); 6] = [
    ("dry_run", "hosted training starts the run anyway; `prime train validate` only checks"),
    ("slurm", "the platform starts the processes itself"),
    ("env_vars", "set the variables in `[trainer.env_vars]`, `[orchestrator.env_vars]` and `[inference.env_vars]`"),
    ("inference.slurm", "the platform starts the processes itself"),
    ("inference.dry_run", "hosted training starts the run anyway; `prime train validate` only checks"),
    ("inference.output_dir", "the platform decides where a run writes"),
];

/// Reports settings of an rl config without effect: `prime train` passes on the tables of trainer, orchestrator and inference server, and the numbers
/// of their GPUs.
pub(super) fn dropped_settings(root: &Table, notes: &mut Vec<Diagnostic>) {
    let is_multi_node = entry_at(root, "deployment.type").is_some_and(|entry| entry.node.value.as_str() == Some("multi_node"));
    let by_nodes = if is_multi_node {
        ("inference.router", "the platform does its own routing between nodes")
    } else {
        ("inference.deployment", "set the inference GPUs in `[deployment]`")
    };
    for (key, help) in NOT_HANDED_ON.into_iter().chain([by_nodes]) {
        let Some(entry) = entry_at(root, key).filter(|entry| !is_falsy(&entry.node.value)) else { continue };
        if entry.key_origin.location().is_none() {
            continue;
        }
        notes.push(dropped(entry, key, &format!("hosted training drops `{key}`")).help(help));
    }
}

/// Reports a config for supervised training that names no volume, from which its data is read.
pub(super) fn of_sft(root: &Table, schema: Schema, resolved: &ResolvedTable, notes: &mut Vec<Diagnostic>) {
    let view = View::new(schema, resolved);
    let is_real = || {
        let ty = view.get("data.type").map(|ty| &ty.value);
        matches!(ty, Some(ResolvedValue::Str(ty)) if **ty != *"fake")
    };
    if let Some(entry) = root.get("data").filter(|_| root.get("volume").is_none() && is_real()) {
        let message = "hosted training reads data from a volume, but none is named: without `--volume`, only fake data works";
        notes.push(
            warning(refusal(Some(entry), "data", message.to_owned()))
                .help("write `volume = \"NAME\"`, and the path of the data on it as `data.name`"),
        );
    }
}

/// Whether a value is false in Python.
pub(super) fn is_falsy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Int(integer) => *integer == Integer::Small(0),
        Value::Float(float) => *float == 0.0,
        Value::Str(text) => text.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Table(table) => table.is_empty(),
        Value::Bool(true) | Value::Datetime(_) | Value::Unknown => false,
    }
}
