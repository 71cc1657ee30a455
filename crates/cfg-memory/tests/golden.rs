//! The figures of `tests/memory/golden.json` hold to 0.1 %.

use cfg_memory::{
    Bytes, Tokens,
    catalogue::model,
    prime_rl::Date,
    trainer::{Allocator, Checkpointing, Dtype, LmHead, Lora, Moment, Offload, Optimizer, Peak, Trainer},
};
use serde_json::Value;

const GOLDEN: &str = include_str!("../../../tests/memory/golden.json");

fn trainer(case: &Value) -> Trainer {
    let args = &case["args"];
    let number = |value: &Value| value.as_u64().map(|number| u32::try_from(number).expect("a small number"));
    let chunk = number(&args["C"]);
    Trainer {
        prime_rl: Date::new(2026, 1, 15),
        seq_len: Tokens(case["seq_len"].as_u64().expect("a length")),
        micro_batch: 1,
        gpus: number(&case["gpus"]).expect("a number of GPUs"),
        replicas: 1,
        context_parallel: 1,
        expert_parallel: number(&args["ep"]).unwrap_or(1),
        lora: number(&args["lora"]).map(|rank| Lora { adapters: number(&args["nad"]).unwrap_or(1), ..Lora::of_rank(rank) }),
        dtype: Dtype::Float32,
        optimizer: if args["adam_lora_states"] == false { Optimizer::Never } else { Optimizer::AdamW },
        offload: Offload::None,
        checkpointing: match args["ac"].as_str() {
            Some("none") => Checkpointing::None,
            _ => Checkpointing::Full { every: 1, offloaded: args["offload"] == true },
        },
        lm_head: match args["head"].as_str() {
            Some("vanilla") => LmHead::Whole,
            Some("token") => LmHead::TokenChunks(Tokens(chunk.expect("a chunk").into())),
            _ => LmHead::VocabChunks(chunk.unwrap_or(2048)),
        },
        compile: false,
        allocator: Allocator::Expandable,
    }
}

/// What a peak says of a golden figure; `None` if its parts don't show it. The file leaves out the constant of token chunks, an upper
/// bound that was not fitted.
fn figure(peak: &Peak, name: &str, chunk: Bytes) -> Option<Bytes> {
    let part = |name| peak.parts.iter().filter(|part| part.name == name).map(|part| part.bytes).sum::<Bytes>();
    // Parts are of the highest moment; these three are those of the layer.
    if matches!(name, "root" | "unsharded" | "work") && peak.moment != Moment::Layer {
        return None;
    }
    Some(match name {
        "total" => peak.high,
        "param" => part("weights"),
        "grad" => part("gradients"),
        "opt" => part("optimizer"),
        "root" => part("gathered-embedding"),
        "unsharded" => part("gathered-layer"),
        "ckpt" => part("activations"),
        "work" => part("layer-work"),
        "layer" => peak.moments[0],
        "head" => peak.moments[1] - chunk,
        "optstep" => peak.moments[2],
        other => panic!("an unknown figure {other}"),
    })
}

#[test]
fn golden_figures_hold_to_a_thousandth() {
    let cases: Vec<Value> = serde_json::from_str(GOLDEN).expect("JSON");
    assert_eq!(cases.len(), 9);
    let mut checked = 0;
    for case in &cases {
        let name = case["model"].as_str().expect("a name");
        let trainer = trainer(case);
        let peak = trainer.peak(&model(name).expect("a known model").architecture);
        let chunk = match trainer.lm_head {
            LmHead::TokenChunks(tokens) => Bytes::new(22.0 * 8192.0) * tokens,
            _ => Bytes::ZERO,
        };
        for (what, expected) in case["expect_gib"].as_object().expect("figures") {
            let expected = expected.as_f64().expect("a number");
            let Some(got) = figure(&peak, what, chunk).map(Bytes::as_gib) else { continue };
            // The file rounds to four digits.
            let allowed = (expected * 1e-3).max(1e-4);
            assert!((got - expected).abs() <= allowed, "{name} {:?}: {what} {got}, not {expected}", case["args"]);
            checked += 1;
        }
    }
    assert_eq!(checked, 9 * 11 - 3 * 3);
}
