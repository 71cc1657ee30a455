//! Activation checkpointing: offloading activations turns it on, and selective checkpointing needs at least one target; duplicates count once.
//! Without these checks, a run would keep every activation although it should save memory.

use std::collections::HashSet;

use cfg_schema::Behaviour;

use crate::{
    ResolvedValue,
    native::{Failure, ValidatorCtx},
};
pub(super) fn offloading(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("ac_offloading") && !cx.has("ac") {
        cx.from("ac_offloading").set_table("ac", None);
    }
    Ok(())
}

pub(super) fn targets(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let given = cx.get("targets").map(|resolved| resolved.value.clone());
    let Some(ResolvedValue::List(mut targets)) = given else { return Ok(()) };
    let count = targets.len();
    let mut seen = HashSet::new();
    targets.retain(|target| match &target.value {
        ResolvedValue::Str(text) => seen.insert(text.clone()),
        _ => true,
    });
    if cx.is("mode", "selective") && targets.is_empty() {
        return Err(Failure::value(
            "`mode` is \"selective\", but `targets` is empty: selective checkpointing needs something to recompute",
            &["targets", "mode"],
        )
        .help("list at least one target, or write `mode = \"full\"`"));
    }
    // Since a30d417f2 duplicate targets are dropped.
    if targets.len() < count && cx.point.has(Behaviour::TargetsOnce) {
        cx.from("targets").set("targets", ResolvedValue::List(targets));
    }
    Ok(())
}
