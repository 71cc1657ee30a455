//! Generated from `schemas/speed.toml` by `cargo xtask generate`.

use super::{Accuracy, Card, Error, Exception, Fit, Generating, Generation, Window};
use crate::{duration::Range, prime_rl::Date};

#[rustfmt::skip]
/// What the file states.
pub static FIT: Fit = Fit { adapter_launch: 0.0104, adapters: 91.3303, channels: 72.7218, dense: 0.6353, dispatch: 221.7885, experts: 0.2734, flash2_ampere: 0.6771, flash2_blackwell: 0.1621, flash2_hopper: 0.3505, flash3: 0.7123, flash4: 0.4499, head: 1.2137, logits: 426.6559 };

#[rustfmt::skip]
/// What the file states.
pub static ACCURACY: Accuracy = Accuracy { runs: 63, fitted: Error { mean: 0.039, worst: 0.12 }, unseen_model: Error { mean: 0.094, worst: 0.29 }, unseen_card: Error { mean: 0.075, worst: 0.25 }, unseen_configuration: Error { mean: 0.063, worst: 0.24 }, unseen_half: Error { mean: 0.059, worst: 0.27 }, since: Date::new(2025, 12, 15), until: Date::new(2026, 3, 1) };

#[rustfmt::skip]
/// What the file states.
pub static EXCEPTIONS: &[Exception] = &[
    Exception { generation: Generation::Blackwell, until: Date::new(2026, 2, 1), seconds_per_expert: 0.0036, says: "experts on Blackwell before February 2026: one measured run took five times as long, which is counted in" },
];

#[rustfmt::skip]
/// What the file states.
pub static GENERATING: Generating = Generating { bandwidth: Range { low: 0.35, high: 0.85 }, compute: Range { low: 0.2, high: 0.5 }, wait: Range { low: 4e-5, high: 1e-5 }, wait_eager: Range { low: 0.0005, high: 0.0001 }, under_way: Range { low: 0.125, high: 1.0 }, max_num_seqs: 256.0, answers: Range { low: 0.25, high: 1.0 } };

#[rustfmt::skip]
/// What the file states.
pub static WINDOWS: &[Window] = &[
    Window { models: &["allenai/Olmo-3"], tokens: 4096.0, full_every: 4 },
    Window { models: &["google/gemma-3"], tokens: 1024.0, full_every: 6 },
    Window { models: &["openai/gpt-oss"], tokens: 128.0, full_every: 2 },
    Window { models: &["arcee-ai/Trinity"], tokens: 2048.0, full_every: 4 },
];

#[rustfmt::skip]
/// What the file states.
pub static CARDS: &[Card] = &[
    Card { name: "H100", generation: Generation::Hopper, bf16: 989.0e12, fp32: 67.0e12, memory: 3350.0e9, link: 450.0e9, handover: 1.5e9, measured: true },
    Card { name: "H200", generation: Generation::Hopper, bf16: 989.0e12, fp32: 67.0e12, memory: 4800.0e9, link: 450.0e9, handover: 1.5e9, measured: true },
    Card { name: "B200", generation: Generation::Blackwell, bf16: 2250.0e12, fp32: 75.0e12, memory: 8000.0e9, link: 900.0e9, handover: 3.9e9, measured: true },
    Card { name: "A100-80", generation: Generation::Ampere, bf16: 312.0e12, fp32: 19.5e12, memory: 2039.0e9, link: 300.0e9, handover: 1.5e9, measured: false },
    Card { name: "A100-40", generation: Generation::Ampere, bf16: 312.0e12, fp32: 19.5e12, memory: 1555.0e9, link: 300.0e9, handover: 1.5e9, measured: false },
    Card { name: "A6000", generation: Generation::Ampere, bf16: 154.8e12, fp32: 38.7e12, memory: 768.0e9, link: 25.0e9, handover: 1.5e9, measured: true },
    Card { name: "RTX 6000 Ada", generation: Generation::Ada, bf16: 364.2e12, fp32: 91.1e12, memory: 960.0e9, link: 25.0e9, handover: 1.5e9, measured: false },
    Card { name: "RTX PRO 6000", generation: Generation::BlackwellRtx, bf16: 503.8e12, fp32: 125.0e12, memory: 1792.0e9, link: 50.0e9, handover: 1.5e9, measured: false },
    Card { name: "L40S", generation: Generation::Ada, bf16: 362.0e12, fp32: 91.6e12, memory: 864.0e9, link: 25.0e9, handover: 1.5e9, measured: false },
    Card { name: "L40", generation: Generation::Ada, bf16: 181.0e12, fp32: 90.5e12, memory: 864.0e9, link: 25.0e9, handover: 1.5e9, measured: false },
    Card { name: "RTX 5090", generation: Generation::BlackwellRtx, bf16: 209.5e12, fp32: 104.8e12, memory: 1792.0e9, link: 50.0e9, handover: 1.5e9, measured: false },
    Card { name: "RTX 4090", generation: Generation::Ada, bf16: 165.2e12, fp32: 82.6e12, memory: 1008.0e9, link: 25.0e9, handover: 1.5e9, measured: false },
    Card { name: "RTX 3090", generation: Generation::Ampere, bf16: 71.0e12, fp32: 35.6e12, memory: 936.0e9, link: 25.0e9, handover: 1.5e9, measured: false },
    Card { name: "A30", generation: Generation::Ampere, bf16: 165.0e12, fp32: 10.3e12, memory: 933.0e9, link: 25.0e9, handover: 1.5e9, measured: false },
    Card { name: "L4", generation: Generation::Ada, bf16: 121.0e12, fp32: 30.3e12, memory: 300.0e9, link: 25.0e9, handover: 1.5e9, measured: false },
];
