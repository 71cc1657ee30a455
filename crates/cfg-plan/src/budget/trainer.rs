//! The settings of the trainer.

use crate::{IntOrWord, Plan, TrainerModel};
use cfg_memory::{
    Tokens,
    architecture::Architecture,
    prime_rl::{Date, days},
    trainer::{Allocator, Checkpointing, Dtype, LmHead, Lora, LoraTarget, Offload, Optimizer, Trainer},
};

/// The number of vocabulary entries in a chunk if it is `auto`.
const AUTO_ENTRIES: u32 = 2048;

/// The maximum number of GPUs to which `ep = "auto"` distributes the experts.
const AUTO_EXPERT_PARALLEL: u32 = 8;

/// The settings of the trainer of a plan; `None` if its sequence length is not known.
pub(super) fn trainer(plan: &Plan, own: &crate::Trainer, date: Date, gpus: u32, shape: &Architecture) -> Option<Trainer> {
    let model = &own.model;
    let stated = [
        // Random data has a length of its own.
        own.fake_data.value().and_then(|fake| fake.seq_len.get()),
        own.seq_len.get(),
        own.data.seq_len.get(),
        plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.seq_len.get()),
        plan.run.seq_len.get(),
    ];
    let seq_len = u64::try_from(stated.into_iter().flatten().next()?).ok().filter(|tokens| *tokens > 0)?;
    let replicas = positive(model.dp_replicate.get());
    let island = (gpus / replicas).max(1);
    let expert_parallel = match (&shape.moe, model.ep.value()) {
        (Some(_), Some(IntOrWord::Int(ep))) => positive(Some(*ep)),
        (Some(_), Some(IntOrWord::Word(_))) => island.min(AUTO_EXPERT_PARALLEL),
        _ => 1,
    };
    Some(Trainer {
        prime_rl: date,
        seq_len: Tokens(seq_len),
        micro_batch: positive(own.data.micro_batch_size.get()),
        packs: packs(plan),
        gpus: gpus.max(1),
        replicas,
        context_parallel: positive(model.cp.get()),
        expert_parallel,
        lora: lora(own),
        dtype: if model.optimization_dtype.is("bfloat16") { Dtype::Bfloat16 } else { Dtype::Float32 },
        optimizer: match own.optim.kind.text() {
            Some("sgd") => Optimizer::Sgd,
            Some("sign_sgd") => Optimizer::SignSgd,
            Some("muon") => Optimizer::Muon,
            _ => Optimizer::AdamW,
        },
        offload: offload(model),
        checkpointing: checkpointing(model),
        lm_head: lm_head(plan, model, date),
        compile: model.compile.is_on(),
        // prime-rl's launchers set the variable for this; a trainer with a config of its own is started by hand.
        allocator: if plan.is_split() { Allocator::Fixed } else { Allocator::Expandable },
    })
}

/// The sequences that the orchestrator packs at most. Its default was far more than there are rollouts, so only a written number counts.
fn packs(plan: &Plan) -> u32 {
    let stated = plan.orchestrator.as_ref().map(|orchestrator| &orchestrator.batch.micro_batch_size);
    positive(stated.filter(|stated| stated.is_written()).and_then(crate::Setting::get))
}

fn offload(model: &TrainerModel) -> Offload {
    if model.full_offload.is_on() {
        Offload::Full
    } else if model.fsdp_cpu_offload.is_on() {
        Offload::Fsdp
    } else if model.optim_cpu_offload.is_on() {
        Offload::Optimizer
    } else {
        Offload::None
    }
}

fn checkpointing(model: &TrainerModel) -> Checkpointing {
    let Some(ac) = model.ac.value() else { return Checkpointing::None };
    if ac.mode.is("selective") {
        return Checkpointing::Selective;
    }
    Checkpointing::Full { every: positive(ac.freq.get()), offloaded: model.ac_offloading.value().is_some() }
}

fn lm_head(plan: &Plan, model: &TrainerModel, date: Date) -> LmHead {
    if plan.is_sft() && date < days::SFT_HEAD {
        return LmHead::Whole;
    }
    match model.lm_head() {
        Some(crate::LmHead::Tokens(tokens)) => LmHead::TokenChunks(Tokens(u64::try_from(tokens).unwrap_or(1).max(1))),
        Some(crate::LmHead::Vocabulary(entries)) => LmHead::VocabChunks(positive(Some(entries))),
        None if model.lm_head_vocab_chunk.value().is_some_and(|chunk| chunk.is("auto")) => LmHead::VocabChunks(AUTO_ENTRIES),
        None if model.lm_head_token_chunk.value().is_some_and(|chunk| chunk.is("auto")) => LmHead::TokenChunks(Tokens(1024)),
        Some(crate::LmHead::Whole) | None => LmHead::Whole,
    }
}

fn lora(own: &crate::Trainer) -> Option<Lora> {
    let lora = own.model.lora.value()?;
    let targets = match lora.target_modules.value() {
        None => LoraTarget::DEFAULT.to_vec(),
        Some(names) => {
            // A pattern such as `layers\..*\.q_proj` names a module, too.
            let is_module = |name: &str| LoraTarget::DEFAULT.iter().any(|target| target.module() == name);
            let patterns: Vec<&str> = names.iter().map(|name| &**name).filter(|name| !is_module(name)).collect();
            let is_named = |module: &str| {
                names.iter().any(|name| **name == *module) || patterns.iter().any(|pattern| pattern.contains(module))
            };
            LoraTarget::DEFAULT.into_iter().filter(|target| is_named(target.module())).collect()
        }
    };
    Some(Lora { rank: positive(lora.rank.get()), adapters: positive(own.max_concurrent_runs.get()), targets })
}

/// A count, which is at least 1; 1 is prime-rl's default.
fn positive(count: Option<i64>) -> u32 {
    count.map_or(1, |count| u32::try_from(count.max(1)).unwrap_or(u32::MAX))
}
