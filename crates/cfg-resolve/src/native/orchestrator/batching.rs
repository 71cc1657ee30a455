//! A batch is measured in rollouts or in tokens. From it prime-rl derives how many rollouts may be in progress, and each training environment gets
//! the group size.

use super::{batch_size, names};
use crate::{
    ResolvedValue, coerce,
    native::{Failure, ValidatorCtx},
};
use cfg_compose::Integer;
use cfg_schema::Behaviour;

/// The number of rollouts in progress for each worker.
const PER_WORKER: f64 = 256.0;

/// Fills in the batch, and refuses contradicting values.
pub(super) fn resolve(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("batch_size") && cx.has("token_batch_size") {
        return Err(Failure::value(
            "a batch is measured in rollouts (`batch_size`) or in tokens (`token_batch_size`), not both",
            &["token_batch_size", "batch_size"],
        )
        .help("remove one of the two"));
    }
    if !cx.has("batch_size") && !cx.has("token_batch_size") {
        cx.set_int("batch_size", 128);
    }
    let group = if cx.exists("group_size") { "group_size" } else { "rollouts_per_example" };
    if cx.point.has(Behaviour::Concurrency) {
        if let Some(batch) = cx.int("batch_size") {
            batch_size::divides(batch, cx.int(group), group)?;
        }
        at_least_a_group(cx, "concurrency.max_inflight", group)?;
        at_least_a_group(cx, "concurrency.initial_inflight", group)?;
    } else {
        let inflight = if cx.exists("max_inflight_episodes") { "max_inflight_episodes" } else { "max_inflight_rollouts" };
        if cx.has("token_batch_size") {
            of_tokens(cx, inflight)?;
        } else {
            of_rollouts(cx, inflight, group)?;
        }
        at_least_a_group(cx, inflight, group)?;
        workers(cx, inflight);
    }
    if cx.point.has(Behaviour::GroupSizes) {
        inherit(cx, "group_size");
    }
    if cx.point.has(Behaviour::Advantages) {
        inherit(cx, "advantage");
    }
    Ok(())
}

fn of_tokens(cx: &ValidatorCtx<'_>, inflight: &'static str) -> Result<(), Failure> {
    if let Some(factor) = cx.float("oversampling_factor") {
        return Err(Failure::value(
            format!("`oversampling_factor` {factor} multiplies a batch of rollouts, but this batch is measured in tokens"),
            &["oversampling_factor", "token_batch_size"],
        )
        .help(format!("remove it and set `{inflight}`")));
    }
    if cx.has(inflight) {
        return Ok(());
    }
    Err(Failure::value(
        format!("a batch measured in tokens does not determine how many rollouts run at once: `{inflight}` is missing"),
        &["token_batch_size", inflight],
    )
    .help(format!("set `{inflight}` to a multiple of the group size")))
}

fn of_rollouts(cx: &mut ValidatorCtx<'_>, inflight: &'static str, group: &'static str) -> Result<(), Failure> {
    let (Some(batch), Some(size)) = (cx.int("batch_size"), cx.int(group)) else { return Ok(()) };
    batch_size::divides(batch, Some(size), group)?;
    let factor = cx.float("oversampling_factor");
    let given = cx.int(inflight);
    // Before 6d80c412b the product was checked only if it was used.
    if cx.point.lacks(Behaviour::AGroupAtLeast) && given.is_some() && factor.is_none() {
        return Ok(());
    }
    let mut product = times(cx.float("batch_size").unwrap_or_default(), factor.unwrap_or(1.0))?;
    if cx.point.has(Behaviour::AGroupAtLeast) && coerce::wide(&product) < size {
        product = coerce::integer(size);
    }
    match (given, factor) {
        (Some(given), Some(factor)) if product != coerce::integer(given) => Err(Failure::value(
            format!("`{inflight}` {given} is not `batch_size` {batch} times `oversampling_factor` {factor}"),
            &[inflight, "oversampling_factor", "batch_size"],
        )
        .help("set only one of the two")),
        (Some(_), _) => Ok(()),
        (None, _) => {
            cx.from("batch_size").set(inflight, ResolvedValue::Int(product));
            Ok(())
        }
    }
}

/// Python's `int(batch * factor)`.
fn times(batch: f64, factor: f64) -> Result<Integer, Failure> {
    let product = (batch * factor).trunc();
    if !product.is_finite() {
        let kind = if product.is_nan() { "ValueError" } else { "OverflowError" };
        return Err(Failure::exception(
            kind,
            format!("`oversampling_factor` {factor} does not give a number of rollouts: prime-rl fails with an exception"),
            &["oversampling_factor"],
        )
        .help("write a finite number"));
    }
    Ok(truncated(product))
}

fn at_least_a_group(cx: &ValidatorCtx<'_>, path: &'static str, group: &'static str) -> Result<(), Failure> {
    let (Some(most), Some(size)) = (cx.int(path), cx.int(group)) else { return Ok(()) };
    if most >= size {
        return Ok(());
    }
    Err(Failure::value(format!("`{path}` {most} is less than one group: `{group}` is {size}"), &[path, group])
        .help(format!("write {size} or more")))
}

/// If prime-rl determines the number of workers, an environment gets one for each 256 rollouts in progress.
fn workers(cx: &mut ValidatorCtx<'_>, inflight: &'static str) {
    if cx.point.lacks(Behaviour::EnvWorkers) {
        return;
    }
    let Some(most) = cx.float(inflight) else { return };
    for mut env in cx.each("train.env") {
        if env.is("num_workers", "auto") {
            env.set("num_workers", workers_for(most));
        }
    }
}

/// The number of workers for this many rollouts at a time. As in Python, the division is one of floats.
pub(super) fn workers_for(rollouts: f64) -> ResolvedValue {
    ResolvedValue::Int(truncated((rollouts / PER_WORKER).ceil().clamp(1.0, f64::MAX)))
}

/// A finite float as an integer, without its fraction.
fn truncated(number: f64) -> Integer {
    if number.abs() < coerce::TWO_TO_63 {
        return Integer::Small(number as i64);
    }
    let digits = format!("{number:.0}");
    digits.parse().map_or_else(|_| Integer::Big(digits.as_str().into()), Integer::Small)
}

fn inherit(cx: &mut ValidatorCtx<'_>, name: &'static str) {
    let Some(value) = cx.value(name) else { return };
    for mut env in cx.each(names::train_path(cx)) {
        if !env.is_set(name) {
            env.set(name, value.clone());
        }
    }
}
