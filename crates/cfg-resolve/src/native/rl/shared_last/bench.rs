//! `bench` turns the benchmark on in trainer and orchestrator, and gives the trainer random data of the orchestrator's size. One side alone would
//! wait for the other.

use cfg_schema::Behaviour;

use crate::{
    ResolvedValue,
    native::{Failure, ValidatorCtx},
};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.bool("bench") {
        if cx.point.lacks(Behaviour::Deployments) {
            cx.from("bench").set_bool("trainer.bench", true);
        } else {
            cx.from("bench").set_table("trainer.bench", None);
        }
        cx.from("bench").set_bool("orchestrator.bench", true);
        fake_data(cx);
    }
    let trainer = if cx.point.lacks(Behaviour::BenchTable) { cx.bool("trainer.bench") } else { cx.has("trainer.bench") };
    let orchestrator = cx.bool("orchestrator.bench");
    if trainer == orchestrator {
        return Ok(());
    }
    let (on, off) = if trainer { ("trainer.bench", "orchestrator.bench") } else { ("orchestrator.bench", "trainer.bench") };
    let message = format!("`{on}` is on, `{off}` is off: trainer and orchestrator can only be benchmarked together");
    Err(Failure::value(message, &[on, off]).help("use the top-level `bench = true` for both"))
}

fn fake_data(cx: &mut ValidatorCtx<'_>) {
    cx.from("bench").set_table("trainer.data.fake", None);
    if cx.point.lacks(Behaviour::NoMicroBatch) {
        cx.copy("orchestrator.micro_batch_size", "trainer.data.fake.micro_batch_size");
    }
    if cx.point.lacks(Behaviour::RunFolder) {
        cx.copy("orchestrator.seq_len", "trainer.data.fake.seq_len");
    }
    if cx.point.has(Behaviour::NullBatchSize) && !cx.is_true("orchestrator.batch_size") {
        cx.set_int("trainer.data.fake.batch_size", 32);
    } else if let Some(value) = cx.get("orchestrator.batch_size").map(|resolved| resolved.value.clone())
        && !matches!(value, ResolvedValue::Null)
    {
        cx.from("orchestrator.batch_size").set("trainer.data.fake.batch_size", value);
    }
}
