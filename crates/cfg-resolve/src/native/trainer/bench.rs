//! A benchmark runs four steps, in the trainer on random data, and saves nothing.

use cfg_schema::Behaviour;

use super::wandb;
use crate::native::{Failure, ValidatorCtx};
pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    // d8f290ef0 turned the switch into a table.
    let on = if cx.point.lacks(Behaviour::BenchTable) { cx.bool("bench") } else { cx.has("bench") };
    if !on {
        return Ok(());
    }
    cx.from("bench").set_int("max_steps", 4);
    if cx.exists("data.fake") && !cx.has("data.fake") {
        cx.from("bench").set_table("data.fake", None);
    }
    // Until 9754790f5 the trainer could log samples.
    let extras = format!("{}.log_extras", wandb(cx));
    if cx.point.lacks(Behaviour::NoSamplesInBench) && cx.exists(&extras) {
        cx.from("bench").set_null(&extras);
    }
    if cx.has("ckpt") {
        cx.from("bench").set_null("ckpt");
    }
    Ok(())
}
