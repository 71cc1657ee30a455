//! The servers of several nodes: the launcher starts as many on each node as fit there, so one that needs more GPUs than a node has is never started.

use cfg_diag::{Severity, codes};
use cfg_plan::{Fact, budget::gpus_in_words};
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::SERVER_BEYOND_NODE,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let inference = cx.plan.inference.as_ref()?;
    let (tp, node) = (inference.own_tp.fact()?, node(cx)?);
    // Other rules report degrees and nodes without a GPU; prime-rl itself refuses such a degree if experts are distributed.
    if tp.value < 2 || node.value < 1 || inference.enable_expert_parallel.is_on() && cx.kind != Kind::Inference {
        return None;
    }
    let unused = node.value % tp.value;
    let finding = if tp.value > node.value {
        let message = format!(
            "`{}` is {}, but a node has {}: no server fits on a node, and the launcher starts none",
            tp.written_key(),
            tp.value,
            gpus_in_words(node.value)
        );
        let help = format!(
            "set `{}` to at most {}; each server runs on one node, and more nodes only add servers",
            tp.written_key(),
            node.value
        );
        Finding::new(message).help(help)
    } else if unused > 0 {
        // The trainer expects a receiver on every GPU of every node.
        let waits = cx.kind == Kind::Rl && broadcasts_by_nccl(cx);
        let effect = if waits { ", and the trainer waits for them to receive weights" } else { "" };
        let message = format!(
            "`{}` is {}, which does not divide the {} of a node: {unused} of them stay unused{effect}",
            tp.written_key(),
            tp.value,
            gpus_in_words(node.value)
        );
        let help = format!("set `{}` to a divisor of {}", tp.written_key(), node.value);
        let severity = if waits { Severity::Error } else { Severity::Warning };
        Finding::new(message).help(help).severity(severity)
    } else {
        return None;
    };
    Some(finding.on(tp).with(node, format!("{} of each node", gpus_in_words(node.value))))
}

/// The number of GPUs of a node, if the server is started on several.
fn node<'a>(cx: &Context<'a>) -> Option<&'a Fact<i64>> {
    let of_run = &cx.plan.run.gpus;
    let inference = cx.plan.inference.as_ref()?;
    let (deployment, per_node, nodes) = if cx.kind == Kind::Inference {
        (&inference.deployment, &inference.gpus_per_node, &inference.num_nodes)
    } else {
        (&of_run.deployment, &of_run.per_node, &of_run.num_infer_nodes)
    };
    let is_on_several = deployment.text().is_some_and(|deployment| matches!(deployment, "multi_node" | "disaggregated"));
    let has_nodes = nodes.get().is_none_or(|nodes| nodes > 0);
    per_node.fact().filter(|_| is_on_several && has_nodes)
}

fn broadcasts_by_nccl(cx: &Context<'_>) -> bool {
    let trainer = cx.plan.trainer.as_ref().and_then(|trainer| trainer.weight_broadcast.value());
    trainer.is_some_and(|broadcast| broadcast.kind.is("nccl"))
}
