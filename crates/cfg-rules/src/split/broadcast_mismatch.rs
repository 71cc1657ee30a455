//! Sender and receiver of weights must use the same type of broadcast.

use cfg_diag::codes;
use cfg_plan::{Setting, WeightBroadcast};

use super::{PARTS, between, differing, inference, number, orchestrator, trainer};
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::BROADCAST_MISMATCH,
    kinds: &PARTS,
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let Some(sender) = trainer(cx).and_then(|trainer| trainer.weight_broadcast.value()) else { return Vec::new() };
    let takers = [
        ("orchestrator", orchestrator(cx).and_then(|orchestrator| Some(&orchestrator.weight_broadcast.value()?.kind))),
        ("inference server", inference(cx).map(|inference| &inference.weight_broadcast)),
    ];
    let other_way = takers.into_iter().filter_map(|(whom, taker)| kind(&sender.kind, taker?, whom));
    let mut found: Vec<Finding> = other_way.collect();
    if found.is_empty() && sender.kind.is("nccl") {
        found.extend(world(cx, sender));
        let taker = orchestrator(cx).and_then(|orchestrator| orchestrator.weight_broadcast.value());
        found.extend(taker.and_then(|taker| port(sender, taker)));
    }
    found
}

fn kind(sent: &Setting<Box<str>>, taken: &Setting<Box<str>>, whom: &str) -> Option<Finding> {
    let (Some(sent_by), Some(taken_by)) = differing(sent, taken)? else { return None };
    let message = format!("the trainer sends weights by {sent_by}, but the {whom} receives them by {taken_by}");
    let help = "the first update of the weights never arrives: write the same `type` in the files of the run";
    Some(between(message, ("sent this way", sent), ("received this way", taken)).help(help))
}

/// Checks the number of processes that receive weights by NCCL: the trainer waits for exactly that many.
fn world(cx: &Context<'_>, sender: &WeightBroadcast) -> Option<Finding> {
    let inference = inference(cx)?;
    let expected = sender.inference_world_size.fact()?;
    let (dp, tp) = (inference.dp.get()?, inference.tp.get()?);
    let workers = dp.checked_mul(tp)?;
    // With several nodes or replicas there are more processes than one server's file shows.
    if workers == expected.value || inference.deployment.fact().is_some_and(|deployment| &*deployment.value != "single_node") {
        return None;
    }
    let message = format!(
        "the trainer waits for {} processes to receive weights, but the inference server has {workers} ({dp} replicas of {tp} \
         GPUs)",
        expected.value
    );
    let size = if inference.tp.is_written() { &inference.tp } else { &inference.dp };
    let help = format!("NCCL starts once all have joined: set the trainer's `{}` to {workers}", expected.key);
    Some(between(message, ("expected", &sender.inference_world_size), ("of the server", size)).help(help))
}

fn port(sender: &WeightBroadcast, taker: &WeightBroadcast) -> Option<Finding> {
    let (one, other) = differing(&sender.port, &taker.port)?;
    let message = format!("the trainer sends weights on port {}, but they are received on port {}", number(one), number(other));
    let help = "the processes never find each other: write the same `port` in both files";
    Some(between(message, ("the trainer's", &sender.port), ("the orchestrator's", &taker.port)).help(help))
}
