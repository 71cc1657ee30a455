//! With FSDP's offload the gathered weights are in main memory, and vLLM's communicator asserts that a tensor is on its GPU.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CPU_OFFLOAD_WITH_NCCL,
    kinds: &[Kind::Rl, Kind::Trainer],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let trainer = cx.plan.trainer.as_ref()?;
    let offload = trainer.model.fsdp_cpu_offload.fact().filter(|offload| offload.value)?;
    let own = trainer.weight_broadcast.value()?.kind.fact().filter(|kind| &*kind.value == "nccl")?;
    // A benchmark sends nothing, and neither does a trainer that is fed with random data.
    if trainer.bench.is_on() || trainer.fake_data.fact().is_some() {
        return None;
    }
    let shared = cx.plan.run.weight_broadcast.value().and_then(|shared| shared.kind.fact()).filter(|kind| kind.is_written());
    let kind = shared.unwrap_or(own);
    let by_default = if kind.is_written() { "" } else { ", the default here" };
    let has_optimizer_offload = trainer.model.optim_cpu_offload.exists();
    let message = format!(
        "`{}` keeps the weights in main memory, but they are sent by NCCL{by_default}, which only sends from the GPU: the first update \
         ends in an assertion",
        offload.written_key()
    );
    let name = offload.written_key().name();
    let instead = if has_optimizer_offload { "offload only the optimizer (`optim_cpu_offload`), or " } else { "" };
    // What is written comes before a default.
    let own_key = kind.written_key().to_string();
    let key = match cx.kind {
        // Of a whole run, both ends have it from the top.
        Kind::Rl => cx.plan.run.weight_broadcast.exists().then(|| "weight_broadcast.type".to_owned()),
        _ => Some(own_key),
    };
    let key = key.filter(|_| offload.is_written() && !kind.is_written());
    let (help, repair) = if let Some(key) = key {
        let title = format!("set `{key}` to \"filesystem\"");
        let help =
            format!("{title}, or remove `{name}`{}", if has_optimizer_offload { " and offload only the optimizer" } else { "" });
        (help, Repair::possible(title).set(&key, "filesystem"))
    } else {
        let help = format!("remove `{name}`; {instead}send the weights by \"filesystem\"");
        (help, Repair::possible(format!("remove `{name}`")).remove(offload.written_key()))
    };
    Some(Finding::new(message).on(offload).label("on here").with(kind, "sent by NCCL").help(help).repair(repair))
}
