//! The figures in `tests/memory/golden.json` are right within 0.1 %. With `UPDATE=1` in the environment they are written instead.

use std::{env, fs, path::Path};

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
        packs: 1,
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

/// The part of a peak that a golden figure is about; `None` if its parts don't show it. The file leaves out the constant of token chunks, which is an
/// upper bound and was not fitted.
fn figure(peak: &Peak, name: &str, chunk: Bytes) -> Option<Bytes> {
    let part = |name| peak.parts.iter().filter(|part| part.name == name).map(|part| part.bytes).sum::<Bytes>();
    // The parts are those of the moment with the highest use; these three belong to the layer.
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

/// The figures of a case that its peak shows, each with its expected and computed value in GiB.
fn figures(case: &Value) -> Vec<(&str, f64, f64)> {
    let trainer = trainer(case);
    let name = case["model"].as_str().expect("a name");
    let peak = trainer.peak(model(name).expect("a known model").architecture);
    let chunk = match trainer.lm_head {
        LmHead::TokenChunks(tokens) => Bytes::new(22.0 * 8192.0) * tokens,
        _ => Bytes::ZERO,
    };
    let expected = case["expect_gib"].as_object().expect("figures").iter();
    let compared = expected.filter_map(|(what, expected)| {
        Some((what.as_str(), expected.as_f64().expect("a number"), figure(&peak, what, chunk)?.as_gib()))
    });
    compared.collect()
}

/// The file with the computed figures, one per line, in the order of the cases.
fn updated(cases: &[Value]) -> String {
    let mut computed = cases.iter().map(figures);
    let mut figures = Vec::new();
    let mut lines = Vec::new();
    for line in GOLDEN.lines() {
        if line.contains("\"model\": ") {
            figures.clear();
        } else if line.contains("\"expect_gib\": ") {
            figures = computed.next().expect("each case has figures");
        }
        let name = line.trim().strip_prefix('"').and_then(|line| line.split_once("\": ")).map(|(name, _)| name);
        match figures.iter().find(|(what, ..)| Some(*what) == name) {
            Some((what, _, got)) => {
                let comma = if line.ends_with(',') { "," } else { "" };
                lines.push(format!("   \"{what}\": {:?}{comma}", (got * 1e4).round() / 1e4));
            }
            None => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

#[test]
fn golden_figures_hold_to_a_thousandth() {
    let cases: Vec<Value> = serde_json::from_str(GOLDEN).expect("JSON");
    assert_eq!(cases.len(), 9);
    if env::var_os("UPDATE").is_some() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/memory/golden.json");
        return fs::write(file, updated(&cases)).expect("the file can be written");
    }
    for case in &cases {
        let figures = figures(case);
        assert!(figures.len() >= 8, "{}: all but three figures are compared at every moment", case["model"]);
        for (what, expected, got) in figures {
            // The file rounds to four digits.
            let allowed = (expected * 1e-3).max(1e-4);
            assert!(
                (got - expected).abs() <= allowed,
                "{} {:?}: {what} {got}, not {expected}; if this is intended, run `UPDATE=1 cargo test -p cfg-memory --test golden` and review the change",
                case["model"],
                case["args"]
            );
        }
    }
}

#[test]
fn an_update_changes_no_figure_that_holds() {
    let cases: Vec<Value> = serde_json::from_str(GOLDEN).expect("JSON");
    let again: Vec<Value> = serde_json::from_str(&updated(&cases)).expect("JSON");
    for (case, again) in cases.iter().zip(&again) {
        assert_eq!((&case["model"], &case["args"]), (&again["model"], &again["args"]));
        for ((what, expected, got), (_, updated, _)) in figures(case).into_iter().zip(figures(again)) {
            assert!((updated - got).abs() <= 1e-4, "{what}: {updated}, not {got}, was {expected}");
        }
    }
}
