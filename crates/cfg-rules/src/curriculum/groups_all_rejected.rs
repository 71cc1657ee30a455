//! Gates of prime-rl's own curriculum: a group of rollouts is trained on only if its advantages are not all in the range that the gate rejects.

use cfg_diag::{Severity, codes};
use cfg_plan::Environment;
use cfg_resolve::{ResolvedValue, View};
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::GROUPS_ALL_REJECTED,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

/// No advantage is as large as this.
const BEYOND: f64 = 1e6;

/// The list of training environments that can have gates.
const KEY: &str = "train.source";

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let prefix = if cx.kind == Kind::Rl { "orchestrator." } else { "" };
    let mut found = Vec::new();
    let tables = cx.view.each(&format!("{prefix}{KEY}"));
    for ((index, table), environment) in tables.into_iter().zip(cx.plan.train_environments()) {
        let Some(gates) = table.get("curriculum.gates").and_then(|gates| gates.value.as_map()) else { continue };
        for (name, gate) in gates {
            let ResolvedValue::Table(inner) = &gate.value else { continue };
            let view = View::new(cx.view.schema(), inner);
            let Some(Rejected { why, severity, help }) = rejected(cx, environment, &table, &view) else { continue };
            let key = format!("{prefix}{KEY}[{index}].curriculum.gates.{name}");
            let message = format!("the gate `{name}` rejects every group: {why}");
            let place = view.location("reject_max").or_else(|| view.location("reject_min")).or_else(|| gate.origin.location());
            found.push(Finding::new(message).key(key).at_place(place).severity(severity).help(help));
        }
    }
    found
}

/// What is wrong with a gate that rejects all groups.
struct Rejected {
    why: String,
    severity: Severity,
    help: &'static str,
}

/// The help for a gate whose range is too large.
const NEAR_ZERO: &str = "no batch is ever full; reject only what is near 0, as `reject_min = 0` and `reject_max = 0` do";

/// Why all groups are rejected, and how certain that is.
fn rejected(cx: &Context<'_>, environment: &Environment, table: &View<'_>, gate: &View<'_>) -> Option<Rejected> {
    let too_wide = |why: String, severity| Rejected { why, severity, help: NEAR_ZERO };
    let (low, high) = (gate.float("reject_min")?, gate.float("reject_max")?);
    let covers = |from: f64, to: f64| low <= from && to <= high;
    let algorithm = algorithm(cx, table);
    // Groups without advantages pass.
    if matches!(algorithm, "sft" | "opd" | "opsd") {
        return None;
    }
    if covers(-BEYOND, BEYOND) {
        return Some(too_wide("every advantage is in its range".to_owned(), Severity::Error));
    }
    // An environment without its own takes that of all. Of a default, another rule decides what it means.
    let of_all = cx.plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.batch.group_size.fact());
    let sizes = [environment.group_size.fact(), of_all].into_iter().flatten();
    let group = sizes.filter(|size| size.origin.location().is_some()).map(|size| size.value).next();
    match algorithm {
        "max_rl" => {
            #[expect(clippy::cast_precision_loss, reason = "rollouts of a group")]
            let most = group.filter(|size| *size > 0)? as f64 - 1.0;
            let why = format!("with \"max_rl\" advantages are from -1 to {most}, the size of a group less 1");
            covers(-1.0, most).then(|| too_wide(why, Severity::Error))
        }
        "grpo" | "echo" if group == Some(1) && covers(0.0, 0.0) => Some(Rejected {
            why: "in groups of one rollout, each agent's advantage is 0".to_owned(),
            severity: Severity::Warning,
            help: "no batch is ever full; set `group_size` to 2 or more, or remove the gate",
        }),
        "grpo" | "echo" if covers(-1.0, 1.0) => {
            Some(too_wide("with rewards from 0 to 1 all advantages are from -1 to 1".to_owned(), Severity::Warning))
        }
        _ => None,
    }
}

/// The algorithm of an environment: its own, or that of all.
fn algorithm<'a>(cx: &Context<'a>, table: &View<'a>) -> &'a str {
    let of_all = || cx.plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.algorithm.text());
    let own = table.tag("algo").or_else(|| table.below("algo")?.str("type"));
    own.or_else(of_all).unwrap_or("grpo")
}
