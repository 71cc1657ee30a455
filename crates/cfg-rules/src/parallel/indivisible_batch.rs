//! `sft` gives every rank the same number of micro-batches at each step.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use super::{Degrees, World, choice, factors, multiples};
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::INDIVISIBLE_BATCH,
    kinds: &[Kind::Sft],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let trainer = cx.plan.trainer.as_ref()?;
    let degrees = Degrees::of(&trainer.model)?;
    let world = World::of(cx).filter(|world| world.gpus > 0 && world.gpus % degrees.product() == 0)?;
    let batch = trainer.data.batch_size.fact().filter(|batch| batch.value > 0)?;
    let micro = trainer.data.micro_batch_size.fact();
    let each = micro.map_or(1, |micro| micro.value);
    if each < 1 || batch.value % each != 0 {
        // prime-rl reports it itself.
        return None;
    }
    let micro_batches = batch.value / each;
    let ranks = world.gpus / degrees.of_sequence();
    let by_ranks = micro_batches % ranks == 0;
    let by_gpus = micro_batches % world.gpus == 0;
    let (runs, workers) = if cx.target.point.lacks(Behaviour::SftBatchInRanks) {
        (by_gpus, world.gpus)
    } else if cx.target.point == Behaviour::SftBatchInRanks.since() {
        // At this point the prime-rl may have either of the two checks.
        (by_ranks || by_gpus, ranks)
    } else {
        (by_ranks, ranks)
    };
    if runs {
        return None;
    }
    let unit = workers.checked_mul(each)?;
    let parts = if each > 1 { format!(", {micro_batches} micro-batches of {each}") } else { String::new() };
    let of_sequence = factors(degrees.above_one().filter(|degree| degrees.replicate.is_none_or(|other| other.key != degree.key)));
    let over = if workers == world.gpus { String::new() } else { format!(" over {of_sequence}") };
    let message = format!(
        "`{}` is {}{parts}, which {workers} ranks can't share evenly: {}{over}",
        batch.written_key(),
        batch.value,
        world.words()
    );
    let mut finding = Finding::new(message).on(batch).label(format!("not a multiple of {unit}"));
    if let Some(micro) = micro.filter(|micro| micro.value > 1) {
        finding = finding.with(micro, format!("{each} in a micro-batch"));
    }
    let order = format!("set `{}` to {}", batch.written_key(), choice(&multiples(unit, batch.value)));
    Some(world.show(finding).help(order))
}
