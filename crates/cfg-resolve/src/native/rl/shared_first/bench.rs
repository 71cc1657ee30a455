//! `bench` measures trainer and orchestrator together, on random data that replaces the values in `trainer.data.fake`. It can't measure only one of
//! them.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.bool("bench") {
        cx.from("bench").set_table("trainer.bench", None);
        cx.from("bench").set_bool("orchestrator.bench", true);
        let batch_size = cx.int("orchestrator.batch_size").filter(|&size| size != 0).unwrap_or(32);
        cx.from("bench").set_table("trainer.data.fake", None);
        cx.from("orchestrator.batch_size").set_int("trainer.data.fake.batch_size", batch_size);
    }
    if cx.has("trainer.bench") == cx.bool("orchestrator.bench") {
        return Ok(());
    }
    let message =
        format!("`trainer.bench` is {}, but `orchestrator.bench` is {}", cx.show("trainer.bench"), cx.bool("orchestrator.bench"));
    Err(Failure::value(message, &["trainer.bench", "orchestrator.bench"]).help("set the shared `bench` instead of the two"))
}
