//! What configs that a later check refuses did before it existed. Generated from `schemas/unchecked.toml` by `cargo xtask generate`.

use super::{Effect, Part, Unchecked};
use crate::Kind;

#[rustfmt::skip]
pub(super) static ALL: &[Unchecked] = &[
    // src/prime_rl/trainer/scheduler.py, setup_linear_scheduler and setup_cosine_scheduler; #3318
    Unchecked { check: "scheduler_asserts", of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], since: 13, until: 453, effect: Effect::Fails, says: "the trainer ends with an AssertionError when it makes the schedule", validators: &["validate_scheduler", "validate_scheduler_steps"] },
    // src/prime_rl/trainer/scheduler.py, setup_cosine_scheduler; PyTorch's SequentialLR.step and CosineAnnealingLR._get_closed_form_lr
    Unchecked { check: "cosine_without_steps", of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], since: 13, until: 453, effect: Effect::Fails, says: "the trainer ends with a ZeroDivisionError in its last step, before it saves (`CosineAnnealingLR` with `T_max = 0`)", validators: &["validate_scheduler", "validate_scheduler_steps"] },
    // src/prime_rl/trainer/scheduler.py, setup_cosine_scheduler
    Unchecked { check: "cosine_after_end", of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], since: 13, until: 453, effect: Effect::Spoils, says: "the run ends during the warmup, and the learning rate never reaches its value", validators: &["validate_scheduler", "validate_scheduler_steps"] },
    // src/prime_rl/trainer/scheduler.py, setup_linear_scheduler; PyTorch's LinearLR._get_closed_form_lr with `total_iters = 0`
    Unchecked { check: "one_step_of_decay", of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], since: 13, until: u16::MAX, effect: Effect::Fails, says: "the trainer ends with a ZeroDivisionError at the step where the decay begins", validators: &[] },
    // src/prime_rl/templates/multi_node_rl.sbatch.j2, src/prime_rl/utils/client.py, setup_clients; #2696, #3105
    Unchecked { check: "data_parallel_ranks_behind_router", of: &[Part { kind: Kind::Rl, path: "" }], since: 345, until: 419, effect: Effect::Spoils, says: "the servers refuse the requests for every rank but 0 (`X-data-parallel-rank` out of range)", validators: &[] },
];
