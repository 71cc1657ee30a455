//! The format of a model's matrices, from `quantization_config`.

use serde_json::{Map, Value};

use super::File;
use crate::precision::Format;

/// The format of the matrices, and a clause if it isn't known.
pub(super) fn format(file: &File<'_>) -> (Format, Option<String>) {
    let stated = [file.whole, file.text].into_iter().find_map(|map| match map.get("quantization_config") {
        Some(Value::Object(config)) => Some(config),
        _ => None,
    });
    let Some(config) = stated else {
        let dtype =
            [file.text, file.whole].into_iter().find_map(|map| map.get("torch_dtype").or_else(|| map.get("dtype"))?.as_str());
        return (if dtype == Some("float32") { Format::Float32 } else { Format::Half }, None);
    };
    match of(config) {
        Some(format) => (format, None),
        None => {
            (Format::Half, Some("`quantization_config`, whose method isn't known; the weights are counted as bf16".to_owned()))
        }
    }
}

fn of(config: &Map<String, Value>) -> Option<Format> {
    let word = |key: &str| config.get(key).and_then(Value::as_str).unwrap_or_default();
    let bits = config.get("bits").and_then(Value::as_u64);
    match word("quant_method") {
        "compressed-tensors" => grouped(config),
        "modelopt" => {
            let algorithm =
                config.get("quant_algo").or_else(|| config.get("quantization")?.get("quant_algo")).and_then(Value::as_str)?;
            if algorithm.contains("FP4") { Some(Format::Nvfp4) } else { algorithm.contains("FP8").then_some(Format::Fp8) }
        }
        "bitsandbytes" if config.get("load_in_8bit").and_then(Value::as_bool) == Some(true) => Some(Format::Int8),
        "awq" | "gptq" | "auto-round" | "auto_round" if bits == Some(8) => Some(Format::Int8),
        "awq" | "gptq" | "auto-round" | "auto_round" if bits.is_none_or(|bits| bits == 4) => Some(Format::Int4),
        method => Format::of_key(method),
    }
}

/// The format of compressed-tensors: that of the first group.
fn grouped(config: &Map<String, Value>) -> Option<Format> {
    let Some(Value::Object(groups)) = config.get("config_groups") else { return None };
    let weights = groups.values().find_map(|group| group.get("weights"))?;
    let bits = weights.get("num_bits").and_then(Value::as_u64)?;
    match (weights.get("type").and_then(Value::as_str), bits, weights.get("group_size").and_then(Value::as_u64)) {
        (Some("float"), 8, _) => Some(Format::Fp8),
        (Some("float"), 4, Some(32)) => Some(Format::Mxfp4),
        (Some("float"), 4, _) => Some(Format::Nvfp4),
        (_, 8, _) => Some(Format::Int8),
        (_, 4, _) => Some(Format::Int4),
        _ => None,
    }
}
