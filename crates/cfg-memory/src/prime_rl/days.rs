//! The days of the commits that memory depends on. Generated from `schemas/days.toml` by `cargo xtask generate`.

use super::{Date, Vllm};

/// The trainer uses transformers 5. Earlier measurements with the launcher are a separate group. (#1731)
pub const TRANSFORMERS_5: Date = Date::new(2026, 2, 13);

/// A compiled layer needs less memory than the same layer without compilation: torch 2.11 and prime-rl's own dense models. (#2505)
pub const COMPILED_LAYERS: Date = Date::new(2026, 5, 18);

/// Measurements of spring 2026, before this, are a separate group: runs used more memory than the model computes, for an unknown reason. (docs/memory-accuracy.md)
pub const AFTER_SPRING: Date = Date::new(2026, 6, 1);

/// Supervised fine-tuning uses the keys of the output head. Before, it always computed all logits at once. (#3044; memory model, section 6)
pub const SFT_HEAD: Date = Date::new(2026, 7, 16);

/// From which day on prime-rl asks for which vLLM, oldest first.
pub(super) const VLLM: &[(Date, Vllm)] = &[
    (Date::new(2025, 9, 16), Vllm::new(0, 10)),
    (Date::new(2025, 12, 17), Vllm::new(0, 12)),
    (Date::new(2026, 1, 20), Vllm::new(0, 14)),
    (Date::new(2026, 2, 13), Vllm::new(0, 16)),
    (Date::new(2026, 3, 6), Vllm::new(0, 17)),
    (Date::new(2026, 3, 31), Vllm::new(0, 18)),
    (Date::new(2026, 4, 1), Vllm::new(0, 17)),
    (Date::new(2026, 4, 6), Vllm::new(0, 19)),
    (Date::new(2026, 5, 8), Vllm::new(0, 20)),
    (Date::new(2026, 5, 18), Vllm::new(0, 21)),
    (Date::new(2026, 6, 1), Vllm::new(0, 22)),
    (Date::new(2026, 6, 26), Vllm::new(0, 23)),
    (Date::new(2026, 7, 2), Vllm::new(0, 24)),
    (Date::new(2026, 7, 30), Vllm::new(0, 26)),
];
