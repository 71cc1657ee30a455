//! If the trainer trains a `LoRA`, the orchestrator requests the adapter by name, and inference must serve adapters of its rank.
//! NCCL can't send adapters.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};

struct Places {
    table: &'static str,
    rank: &'static str,
    alpha: &'static str,
}

const TRAINER: Places =
    Places { table: "trainer.model.lora", rank: "trainer.model.lora.rank", alpha: "trainer.model.lora.alpha" };
const EXPERIMENTAL: Places = Places {
    table: "trainer.model.experimental.lora",
    rank: "trainer.model.experimental.lora.rank",
    alpha: "trainer.model.experimental.lora.alpha",
};
const ORCHESTRATOR: Places =
    Places { table: "orchestrator.model.lora", rank: "orchestrator.model.lora.rank", alpha: "orchestrator.model.lora.alpha" };
const STUDENTS: Places = Places {
    table: "orchestrator.student.model.lora",
    rank: "orchestrator.student.model.lora.rank",
    alpha: "orchestrator.student.model.lora.alpha",
};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let trainer = if cx.point.lacks(Behaviour::LoraOutOfExperiment) { EXPERIMENTAL } else { TRAINER };
    if !cx.has(trainer.table) {
        return Ok(());
    }
    if cx.is("trainer.weight_broadcast.type", "nccl") {
        let message =
            format!("`[{}]` is set and `trainer.weight_broadcast.type` is \"nccl\": NCCL can't send adapters", trainer.table);
        let ends = ["trainer.weight_broadcast.type", trainer.table];
        return Err(Failure::value(message, &ends).help("set `weight_broadcast.type = \"filesystem\"`, or remove the LoRA"));
    }
    if cx.point.lacks(Behaviour::NoAdapterOnly) {
        cx.from(trainer.table).set_bool("trainer.weight_broadcast.adapter_only", true);
    }
    if cx.point.lacks(Behaviour::OrchestratorLora) {
        if !cx.has("orchestrator.lora_name") {
            let name = name(cx, &trainer);
            cx.from(trainer.rank).set_str("orchestrator.lora_name", &name);
        }
    } else {
        orchestrator(cx, &trainer)?;
    }
    if cx.has("inference") {
        cx.from(trainer.table).set_bool("inference.enable_lora", true);
        cx.copy(trainer.rank, "inference.max_lora_rank");
    }
    Ok(())
}

fn orchestrator(cx: &mut ValidatorCtx<'_>, trainer: &Places) -> Result<(), Failure> {
    let own = if cx.point.lacks(Behaviour::Student) { ORCHESTRATOR } else { STUDENTS };
    if !cx.has(own.table) {
        cx.from(trainer.table).set_table(own.table, None);
    }
    let has_values = cx.point.has(Behaviour::LoraRankShared);
    if has_values {
        agree(cx, own.rank, trainer.rank)?;
        agree(cx, own.alpha, trainer.alpha)?;
        for (to, from) in [(own.rank, trainer.rank), (own.alpha, trainer.alpha)] {
            if !cx.has(to) {
                cx.copy(from, to);
            }
        }
    }
    let place = format!("{}.name", own.table);
    if !cx.has(&place) {
        let name = name(cx, if has_values { &own } else { trainer });
        cx.from(if has_values { own.rank } else { trainer.rank }).set_str(&place, &name);
    }
    Ok(())
}

fn agree(cx: &ValidatorCtx<'_>, own: &'static str, trainer: &'static str) -> Result<(), Failure> {
    if !cx.has(own) || cx.float(own) == cx.float(trainer) {
        return Ok(());
    }
    let message = format!("`{own}` is {}, but `{trainer}` is {}: they are the same adapter", cx.show(own), cx.show(trainer));
    Err(Failure::value(message, &[own, trainer]).help(format!("remove `{own}`; it follows the trainer")))
}

/// The name of an adapter: `r16-a32.0`.
fn name(cx: &ValidatorCtx<'_>, places: &Places) -> String {
    let alpha = match cx.int(places.alpha) {
        Some(alpha) => alpha.to_string(),
        None => cx.float(places.alpha).map_or_else(|| "None".to_owned(), crate::coerce::float_repr),
    };
    format!("r{}-a{alpha}", cx.show(places.rank))
}
