//! What configs of every generation mean. The snapshots show each setting that the target has a key for, with its key and origin.

use std::fmt::Write as _;

use cfg_compose::Tree;
use cfg_diag::{Diagnostic, FileId, Severity};
use cfg_plan::{Environment, Plan};
use cfg_resolve::{Names, Resolved, ResolvedTable, ResolvedValue};
use cfg_schema::{History, Kind, Schema, Target};
use cfg_syntax::Dialect;

/// Resolves a text for a target and a kind.
fn resolve(target: &str, kind: Kind, text: &str) -> (Schema, ResolvedTable, Vec<Diagnostic>) {
    let history = History::built_in();
    let target = Target::parse(history, target).expect("a target");
    let schema = history.schema(kind, target.point);
    let (document, faults) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    assert!(faults.is_empty(), "{faults:?}");
    let (resolved, found) = cfg_resolve::resolve(schema, &Names::new(schema), Tree::from_document(FileId(0), document));
    (schema, resolved, found)
}

fn plan(target: &str, kind: Kind, text: &str) -> Plan {
    let (schema, resolved, _) = resolve(target, kind, text);
    Plan::new(schema, &resolved)
}

/// The plan of a config that prime-rl takes, or leaves to a plugin.
fn valid_plan(target: &str, kind: Kind, text: &str) -> Plan {
    let (schema, resolved, found) = resolve(target, kind, text);
    let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
    let errors: Vec<_> = found.iter().filter(is_error).map(|error| (&error.key, &error.message)).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    Plan::new(schema, &resolved)
}

fn value(resolved: &Resolved) -> String {
    let list = |items: Vec<String>, open, close| format!("{open}{}{close}", items.join(", "));
    match &resolved.value {
        ResolvedValue::List(items) => list(items.iter().map(value).collect(), "[", "]"),
        ResolvedValue::Map(entries) => {
            list(entries.iter().map(|(key, entry)| format!("{key}: {}", value(entry))).collect(), "{", "}")
        }
        other => format!("{other:?}"),
    }
}

fn environment(environment: &Environment) -> String {
    let place = if environment.location.is_some() { "written" } else { "default" };
    let mut text = format!("{:?} {} ({place})\n", environment.role, environment.key);
    for arg in &environment.args {
        writeln!(text, "  {}: {}", arg.key, value(&arg.value)).expect("a string");
    }
    text
}

/// The rows of a plan that have a key.
fn shown(plan: &Plan) -> String {
    let mut text = format!("kinds {:?}, valid {}\n", plan.kinds, plan.is_valid);
    plan.rows().iter().filter(|row| row.key.is_some()).for_each(|row| writeln!(text, "{row}").expect("a string"));
    plan.environments.iter().for_each(|each| text.push_str(&environment(each)));
    text
}

macro_rules! generations {
    ($($name:ident: $target:literal, $kind:ident, $file:literal;)*) => {
        $(
            #[test]
            fn $name() {
                let plan = valid_plan($target, Kind::$kind, include_str!(concat!("configs/", $file)));
                insta::assert_snapshot!(shown(&plan));
            }
        )*
    };
}

generations! {
    november_2025_trainer: "6b01ba5ae", Trainer, "6b01ba5ae-trainer.toml";
    november_2025_orchestrator: "6b01ba5ae", Orchestrator, "6b01ba5ae-orchestrator.toml";
    november_2025_inference: "6b01ba5ae", Inference, "6b01ba5ae-inference.toml";
    rl_0_2: "0.2", Rl, "v0.2-rl.toml";
    sft_0_2: "0.2", Sft, "v0.2-sft.toml";
    rl_0_4: "0.4.0", Rl, "v0.4.0-rl.toml";
    rl_0_5: "0.5.0", Rl, "v0.5.0-rl.toml";
    rl_0_6: "0.6.0", Rl, "v0.6.0-rl.toml";
    rl_0_7: "0.7.0", Rl, "v0.7.0-rl.toml";
    rl_0_8: "0.8.0", Rl, "v0.8.0-rl.toml";
    rl_of_august_2026: "2441fd514", Rl, "2441fd514-rl.toml";
    sft_of_august_2026: "2441fd514", Sft, "2441fd514-sft.toml";
}

#[test]
fn nothing_is_unused() {
    let _ = plan("0.4.0", Kind::Rl, "");
}
