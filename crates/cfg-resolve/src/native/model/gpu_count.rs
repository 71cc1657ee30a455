//! On a single node the requested GPUs must exist there.

use cfg_schema::Kind;

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let counted: &[&'static str] = if cx.exists("num_gpus") {
        &["num_gpus"]
    } else if cx.schema.kind == Kind::Sft {
        // The GPUs for its evals are checked with the evals.
        &["num_train_gpus"]
    } else {
        &["num_train_gpus", "num_infer_gpus", "num_teacher_gpus"]
    };
    let Some(present) = cx.int("gpus_per_node") else { return Ok(()) };
    let parts: Vec<(&'static str, i128)> = counted.iter().filter_map(|path| Some((*path, cx.int(*path)?))).collect();
    let total = parts.iter().fold(0_i128, |total, (_, count)| total.saturating_add(*count));
    if total <= present {
        return Ok(());
    }
    let named: Vec<String> = parts.iter().map(|(path, count)| format!("`{path}` is {count}")).collect();
    let sum = if parts.len() > 1 { format!(", {total} together") } else { String::new() };
    let message = format!("{}{sum}, but `gpus_per_node` is {present}", named.join(" and "));
    let related_keys: Vec<&'static str> = parts.iter().map(|(path, _)| *path).chain(["gpus_per_node"]).collect();
    Err(Failure::value(message, &related_keys).help("request fewer GPUs, or set `gpus_per_node` to the number that a node has"))
}
