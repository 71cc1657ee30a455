//! Files that are not checked: they are no configs, or the target has no classes for them.

use cfg_compose::{Entry, Table, Value};
use cfg_diag::{Diagnostic, codes};
use cfg_schema::{Ahead, Entrypoint, History, Kind, Target};

use crate::Checked;

/// The finding for a config that can't be checked for a target, because the target does not have this entrypoint, or not in this
/// form. `None` if it can be checked.
pub(crate) fn finding(target: &Target, kind: Kind, root: &Table) -> Option<Diagnostic> {
    let schema = target.schema(kind);
    if schema.root().at(schema.point).is_some() {
        return None;
    }
    let absence = Some(kind.name()).filter(|_| target.history == History::built_in());
    let message = match absence.and_then(|name| Entrypoint::absence(name, target.point)) {
        Some(absence) => {
            format!("only the TOML syntax of this file is checked: {target} has no entrypoint `{kind}`; {absence}")
        }
        None => format!("only the TOML syntax of this file is checked: {target} has no known entrypoint `{kind}`"),
    };
    let later =
        Ahead::added(kind, "source").first().filter(|_| kind == Kind::Eval && has_sources(root)).map(|entry| entry.since());
    let later = later.map(|since| format!("prime-rl reads `[[source]]` {since}; ")).unwrap_or_default();
    let help = format!("{later}state the prime-rl that you run, or check the file next to its checkout");
    Some(Diagnostic::new(&codes::UNCHECKED_KIND, message).help(help))
}

/// Whether the entrypoint `eval` of a target is known to be that of verifiers.
pub(crate) fn is_of_verifiers(target: &Target) -> bool {
    let schema = target.schema(Kind::Eval);
    schema.root().field("num_tasks").is_some_and(|field| field.at(schema.point).is_some())
}

fn has_sources(root: &Table) -> bool {
    root.get("source").is_some_and(|entry| matches!(entry.node.value, Value::List(_)))
}

/// Reports a file of verifiers' own evaluations where only configs are wanted.
pub(crate) fn evaluation(checked: &mut Checked, diagnostics: &mut Vec<Diagnostic>) {
    checked.is_config = false;
    let message = "this is not a prime-rl config: it is a file for verifiers' own evaluations";
    diagnostics.clear();
    diagnostics.push(Diagnostic::new(&codes::NOT_A_CONFIG, message).help("check it with `cfg check FILE`"));
}

/// Reports a file that is not a prime-rl config; `what` says what it is instead.
///
/// `root` has its values, if it is one file.
pub(crate) fn no_config(
    checked: &mut Checked,
    root: Option<&Table>,
    what: Option<&str>,
    named: bool,
    diagnostics: &mut Vec<Diagnostic>,
) {
    checked.is_config = false;
    // If a file can hardly be parsed, its syntax errors are more helpful than the message that it has no known keys.
    if diagnostics.is_empty() || !named || what.is_some() {
        diagnostics.clear();
        let message = match what {
            Some(what) => format!("`cfg` does not check this file: it is {what}"),
            None => "this is not a prime-rl config: prime-rl has few or none of its keys".to_owned(),
        };
        let help = match root.and_then(|root| likely_kind(checked, root)) {
            Some(kind) => format!("if it is a prime-rl config, pass its kind: `--kind {}`", kind.name()),
            None => "if it is a prime-rl config, pass its kind, such as `--kind rl`".to_owned(),
        };
        diagnostics.push(Diagnostic::new(&codes::NOT_A_CONFIG, message).help(help));
    }
}

/// The kind that has more of the tables at the top of a file than any other kind before it, if it has several.
fn likely_kind(checked: &Checked, root: &Table) -> Option<Kind> {
    let known = |kind: Kind| {
        let schema = checked.target.schema(kind);
        let is_known = |entry: &&Entry| {
            entry.node.value.as_table().is_some() && schema.root().field_for_key(&entry.key, schema.point).is_some()
        };
        root.entries().iter().filter(is_known).count()
    };
    let counts = [Kind::Rl, Kind::Sft, Kind::Trainer, Kind::Orchestrator, Kind::Inference].map(|kind| (kind, known(kind)));
    let most = counts.iter().map(|(_, count)| *count).max().filter(|count| *count > 1)?;
    counts.iter().find(|(_, count)| *count == most).map(|(kind, _)| *kind)
}
