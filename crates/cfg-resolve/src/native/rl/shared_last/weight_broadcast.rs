//! The shared `weight_broadcast` replaces the tables of all components; their host, port and timeout are lost. Trainer and orchestrator must use the
//! same type.

use cfg_schema::Behaviour;

use super::same::same;
use crate::native::{Failure, ValidatorCtx};

const TABLES: [&str; 2] = ["trainer.weight_broadcast", "orchestrator.weight_broadcast"];

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if let Some(kind) = cx.str("weight_broadcast.type").map(str::to_owned) {
        for table in TABLES {
            cx.from("weight_broadcast.type").set_table(table, Some(&kind));
        }
        if kind == "nccl" {
            nccl(cx);
        }
        if cx.has("inference") {
            cx.from("weight_broadcast.type").set_table("inference.weight_broadcast", None);
            cx.from("weight_broadcast.type").set_str("inference.weight_broadcast.type", &kind);
        }
    }
    same(cx, "trainer.weight_broadcast.type", "orchestrator.weight_broadcast.type", "weight_broadcast.type")
}

fn nccl(cx: &mut ValidatorCtx<'_>) {
    let workers = match (cx.int("inference.parallel.dp"), cx.int("inference.parallel.tp")) {
        (Some(dp), Some(tp)) => dp.saturating_mul(tp),
        _ => 1,
    };
    cx.from("inference.parallel.dp").set_int("trainer.weight_broadcast.inference_world_size", workers);
    if cx.point.has(Behaviour::Replicas) {
        cx.from("inference.parallel.dp").set_int("orchestrator.weight_broadcast.inference_world_size", workers);
    }
    let keys: &[&str] = match cx.point {
        point if point.lacks(Behaviour::BroadcastPort) => &[],
        point if point.lacks(Behaviour::InferenceLeads) => &["port", "timeout"],
        _ => &["port", "timeout", "quantize_in_weight_transfer"],
    };
    for table in TABLES {
        for key in keys {
            cx.copy(&format!("weight_broadcast.{key}"), &format!("{table}.{key}"));
        }
    }
}
