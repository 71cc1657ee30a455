//! A `LoRA` is trained in the trainer, named by the orchestrator and served by the inference server. The trainer's table decides: its rank and alpha
//! are copied to the orchestrator or, if that has its own, compared with those; and the server is configured for adapters of that rank.

use cfg_schema::Behaviour;

use super::{engine::engine, python::equal};
use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("trainer.model.lora") {
        return Ok(());
    }
    if cx.point.lacks(Behaviour::Nixl) && cx.tag("trainer.weight_broadcast") == Some("nccl") {
        return Err(Failure::value(
            "`trainer.model.lora` is set, but the weight broadcast is \"nccl\": LoRA adapters are sent as files",
            &["trainer.model.lora", "weight_broadcast.type", "trainer.weight_broadcast.type"],
        )
        .help("set `weight_broadcast.type = \"filesystem\"`"));
    }
    if cx.point.lacks(Behaviour::Algorithms) {
        orchestrator(
            cx,
            "orchestrator.student.model.lora",
            "orchestrator.student.model.lora.rank",
            "orchestrator.student.model.lora.alpha",
            "orchestrator.student.model.lora.name",
        )?;
    } else {
        orchestrator(
            cx,
            "orchestrator.model.lora",
            "orchestrator.model.lora.rank",
            "orchestrator.model.lora.alpha",
            "orchestrator.model.lora.name",
        )?;
    }
    if cx.has("inference") {
        let engine = engine(cx.point);
        cx.from("trainer.model.lora").set_bool(engine.lora, true);
        cx.copy("trainer.model.lora.rank", engine.max_lora_rank);
    }
    Ok(())
}

fn orchestrator(
    cx: &mut ValidatorCtx<'_>,
    table: &'static str,
    rank: &'static str,
    alpha: &'static str,
    name: &'static str,
) -> Result<(), Failure> {
    if !cx.has(table) {
        cx.from("trainer.model.lora").set_table(table, None);
    }
    let pairs = [(rank, "trainer.model.lora.rank"), (alpha, "trainer.model.lora.alpha")];
    for (own, trainer) in pairs {
        if cx.has(own) && !equal(cx, own, trainer) {
            let message = format!("`{own}` is {}, but `{trainer}` is {}", cx.show(own), cx.show(trainer));
            return Err(Failure::value(message, &[own, trainer]).help(format!("remove `{own}`: the trainer's value is used")));
        }
    }
    for (own, trainer) in pairs {
        if !cx.has(own) {
            cx.copy(trainer, own);
        }
    }
    if !cx.has(name) {
        let alpha = cx.float(alpha).map_or_else(|| "None".to_owned(), crate::coerce::float_repr);
        let text = format!("r{}-a{alpha}", cx.int(rank).unwrap_or_default());
        cx.from(rank).set_str(name, &text);
    }
    Ok(())
}
