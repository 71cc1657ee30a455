//! What trainer, orchestrator and inference server of one run must agree on, and no validator compared at first.

use crate::native::{Failure, ValidatorCtx};

const RANKS: [&str; 2] = ["orchestrator.model.lora.rank", "trainer.model.lora.rank"];
const ALPHAS: [&str; 2] = ["orchestrator.model.lora.alpha", "trainer.model.lora.alpha"];

/// The ranks of the orchestrator's and the trainer's adapter; the orchestrator's is the trainer's if it is null.
fn ranks(cx: &ValidatorCtx<'_>) -> Option<(i128, i128)> {
    let trained = cx.int(RANKS[1]).filter(|_| cx.has("orchestrator.model.lora"))?;
    Some((cx.int(RANKS[0]).unwrap_or(trained), trained))
}

/// The trainer multiplied the adapter's updates by the orchestrator's alpha over its rank, and sent the server its own alpha and rank with the adapter.
pub(super) fn adapter_scales(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some((own, rank)) = ranks(cx).filter(|(own, rank)| own <= rank && *own > 0) else { return Ok(()) };
    let (Some(in_training), Some(at_server)) = (cx.float(ALPHAS[0]), cx.float(ALPHAS[1])) else { return Ok(()) };
    #[expect(clippy::cast_precision_loss, reason = "a rank")]
    let (trained, served) = (in_training / own as f64, at_server / rank as f64);
    if (trained - served).abs() <= f64::EPSILON * trained.abs().max(served.abs()) {
        return Ok(());
    }
    let message = format!(
        "the trainer scales the adapter by {trained} (`{}` {in_training} over rank {own}), and the server by {served} (`{}` {at_server} over rank {rank})",
        ALPHAS[0], ALPHAS[1]
    );
    let ends = if cx.is_set(ALPHAS[0]) || cx.is_set(RANKS[0]) { [ALPHAS[0], ALPHAS[1]] } else { [ALPHAS[1], ALPHAS[0]] };
    let help = if own == rank {
        format!("write `alpha = {at_server}` in `[orchestrator.model.lora]`")
    } else {
        "write the same `rank` and `alpha` in `[orchestrator.model.lora]` and `[trainer.model.lora]`".to_owned()
    };
    Err(Failure::value(message, &[ends[0], ends[1], RANKS[0], RANKS[1]]).help(help))
}

/// The trainer only takes runs whose rank it has room for.
pub(super) fn adapter_above_trainer(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some((own, rank)) = ranks(cx).filter(|(own, rank)| own > rank) else { return Ok(()) };
    let message = format!("`{}` is {own}, but `{}` is {rank}", RANKS[0], RANKS[1]);
    Err(Failure::value(message, &RANKS).help(format!("remove `{}`: it is the trainer's then", RANKS[0])))
}

/// All three were compared by a chain that only looks at neighbours, which a server of another type passes.
pub(super) fn broadcast_of_server(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let (trainer, orchestrator) = ("trainer.weight_broadcast", "orchestrator.weight_broadcast");
    let server = "inference.weight_broadcast.type";
    let (Some(sends), Some(tells)) = (cx.tag(trainer), cx.tag(orchestrator)) else { return Ok(()) };
    let Some(takes) = cx.str(server).filter(|takes| sends == tells && *takes != sends) else { return Ok(()) };
    let message = format!("trainer and orchestrator send the weights by \"{sends}\", but `{server}` is \"{takes}\"");
    let help = format!("state \"{sends}\" once, as the type of the shared `[weight_broadcast]`");
    Err(Failure::value(message, &[trainer, server, orchestrator]).help(help))
}
