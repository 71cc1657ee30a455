//! How reliable the trainer's part of an estimate is.

use crate::{
    architecture::Architecture,
    trainer::{Checkpointing, Dtype, Offload, Trainer},
};

use crate::duration::{
    table::{ACCURACY, Card, Kernel},
    workload::Workload,
};

/// The properties of this run that were never measured, as clauses.
pub fn unmeasured(trainer: &Trainer, model: &Architecture, workload: &Workload) -> Vec<String> {
    let days = ACCURACY.since..ACCURACY.until;
    let checks = [
        (
            !days.contains(&trainer.prime_rl),
            format!("prime-rl of {} (measured: {} to {})", trainer.prime_rl, ACCURACY.since, ACCURACY.until),
        ),
        (trainer.checkpointing == Checkpointing::None, "no activation checkpointing".to_owned()),
        (trainer.checkpointing == Checkpointing::Selective, "selective activation checkpointing".to_owned()),
        (matches!(trainer.checkpointing, Checkpointing::Full { every: 2.., .. }), "checkpointing of some layers only".to_owned()),
        (trainer.compile, "compiled layers".to_owned()),
        (trainer.context_parallel > 1, "context parallelism".to_owned()),
        (trainer.expert_parallel > 1, "expert parallelism".to_owned()),
        (trainer.gpus > 8, "more than one machine".to_owned()),
        (trainer.offload != Offload::None, "weights or optimizer in the host's memory".to_owned()),
        (trainer.dtype == Dtype::Bfloat16, "bfloat16 master weights".to_owned()),
        (trainer.micro_batch > 1, "several sequences in a micro-batch".to_owned()),
        (trainer.seq_len.0 < 16_384 && !workload.is_sft, "sequences of less than 16,384 tokens".to_owned()),
        (model.mla.is_some(), "multi-head latent attention".to_owned()),
    ];
    checks.into_iter().filter_map(|(applies, what)| applies.then_some(what)).collect()
}

/// Whether attention on this card runs with a different kernel from the configured one, because that kernel does not support the card.
pub fn has_other_kernel(card: &Card, kernel: Option<Kernel>) -> bool {
    kernel.is_some_and(|kernel| kernel.on(card.generation) != kernel)
}
