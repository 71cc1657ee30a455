//! What transformers takes for a key that a `config.json` leaves out.
//!
//! transformers writes the part about the language model of a composite model (`text_config`) as its differences from the defaults of its class, so a
//! file is complete without them. The numbers are those of the configuration classes of transformers 5.24.

use serde_json::{Map, Value};

/// The defaults of the classes that are parts of composite models, by `model_type`.
#[rustfmt::skip]
const DEFAULTS: &[(&str, &[(&str, u32)])] = &[
    ("llama", &[("vocab_size", 32_000), ("hidden_size", 4_096), ("intermediate_size", 11_008), ("num_hidden_layers", 32), ("num_attention_heads", 32), ("max_position_embeddings", 2_048)]),
    ("mistral", &[("vocab_size", 32_000), ("hidden_size", 4_096), ("intermediate_size", 14_336), ("num_hidden_layers", 32), ("num_attention_heads", 32), ("num_key_value_heads", 8)]),
    ("ministral3", &[("vocab_size", 131_072), ("hidden_size", 4_096), ("intermediate_size", 14_336), ("num_hidden_layers", 34), ("num_attention_heads", 32), ("num_key_value_heads", 8), ("head_dim", 128), ("max_position_embeddings", 262_144)]),
    ("mistral4", &[("vocab_size", 131_072), ("hidden_size", 4_096), ("intermediate_size", 12_288), ("num_hidden_layers", 36), ("num_attention_heads", 32), ("num_key_value_heads", 32), ("max_position_embeddings", 1_048_576), ("moe_intermediate_size", 2_048), ("num_experts_per_tok", 4)]),
    ("qwen2", &[("vocab_size", 151_936), ("hidden_size", 4_096), ("intermediate_size", 22_016), ("num_hidden_layers", 32), ("num_attention_heads", 32), ("num_key_value_heads", 32), ("max_position_embeddings", 32_768)]),
    ("qwen2_vl_text", &[("vocab_size", 152_064), ("hidden_size", 8_192), ("intermediate_size", 29_568), ("num_hidden_layers", 80), ("num_attention_heads", 64), ("num_key_value_heads", 8), ("max_position_embeddings", 32_768)]),
    ("qwen2_5_vl_text", &[("vocab_size", 152_064), ("hidden_size", 8_192), ("intermediate_size", 29_568), ("num_hidden_layers", 80), ("num_attention_heads", 64), ("num_key_value_heads", 8), ("max_position_embeddings", 32_768)]),
    ("qwen3", &[("vocab_size", 151_936), ("hidden_size", 4_096), ("intermediate_size", 22_016), ("num_hidden_layers", 32), ("num_attention_heads", 32), ("num_key_value_heads", 32), ("head_dim", 128), ("max_position_embeddings", 32_768)]),
    ("qwen3_moe", &[("vocab_size", 151_936), ("hidden_size", 2_048), ("intermediate_size", 6_144), ("num_hidden_layers", 24), ("num_attention_heads", 32), ("num_key_value_heads", 4), ("max_position_embeddings", 32_768), ("moe_intermediate_size", 768), ("num_experts", 128), ("num_experts_per_tok", 8)]),
    ("qwen3_vl_text", &[("vocab_size", 151_936), ("hidden_size", 4_096), ("intermediate_size", 22_016), ("num_hidden_layers", 32), ("num_attention_heads", 32), ("num_key_value_heads", 32), ("head_dim", 128), ("max_position_embeddings", 128_000)]),
    ("qwen3_vl_moe_text", &[("vocab_size", 151_936), ("hidden_size", 2_048), ("intermediate_size", 5_632), ("num_hidden_layers", 24), ("num_attention_heads", 16), ("num_key_value_heads", 16), ("max_position_embeddings", 128_000), ("moe_intermediate_size", 1_408), ("num_experts", 60), ("num_experts_per_tok", 4)]),
    ("qwen3_5_text", &[("vocab_size", 248_320), ("hidden_size", 4_096), ("intermediate_size", 12_288), ("num_hidden_layers", 32), ("num_attention_heads", 16), ("num_key_value_heads", 4), ("head_dim", 256), ("max_position_embeddings", 32_768)]),
    ("qwen3_5_moe_text", &[("vocab_size", 248_320), ("hidden_size", 2_048), ("num_hidden_layers", 40), ("num_attention_heads", 16), ("num_key_value_heads", 2), ("head_dim", 256), ("max_position_embeddings", 32_768), ("moe_intermediate_size", 512), ("num_experts", 256), ("num_experts_per_tok", 8)]),
    ("gemma", &[("vocab_size", 256_000), ("hidden_size", 3_072), ("intermediate_size", 24_576), ("num_hidden_layers", 28), ("num_attention_heads", 16), ("num_key_value_heads", 16), ("head_dim", 256), ("max_position_embeddings", 8_192)]),
    ("gemma2", &[("vocab_size", 256_000), ("hidden_size", 2_304), ("intermediate_size", 9_216), ("num_hidden_layers", 26), ("num_attention_heads", 8), ("num_key_value_heads", 4), ("head_dim", 256), ("max_position_embeddings", 8_192)]),
    ("gemma3_text", &[("vocab_size", 262_208), ("hidden_size", 2_304), ("intermediate_size", 9_216), ("num_hidden_layers", 26), ("num_attention_heads", 8), ("num_key_value_heads", 4), ("head_dim", 256), ("max_position_embeddings", 131_072)]),
    ("gemma3n_text", &[("vocab_size", 262_400), ("hidden_size", 2_048), ("intermediate_size", 16_384), ("num_hidden_layers", 35), ("num_attention_heads", 8), ("num_key_value_heads", 2), ("head_dim", 256), ("max_position_embeddings", 32_768)]),
    ("gemma4_text", &[("vocab_size", 262_144), ("hidden_size", 2_304), ("intermediate_size", 9_216), ("num_hidden_layers", 30), ("num_attention_heads", 8), ("num_key_value_heads", 4), ("head_dim", 256), ("max_position_embeddings", 131_072)]),
    ("glm4v_text", &[("vocab_size", 151_552), ("hidden_size", 4_096), ("intermediate_size", 13_696), ("num_hidden_layers", 40), ("num_attention_heads", 32), ("num_key_value_heads", 2), ("max_position_embeddings", 32_768)]),
    ("glm4v_moe_text", &[("vocab_size", 151_424), ("hidden_size", 4_096), ("intermediate_size", 10_944), ("num_hidden_layers", 46), ("num_attention_heads", 96), ("num_key_value_heads", 8), ("max_position_embeddings", 65_536), ("moe_intermediate_size", 1_408), ("num_experts_per_tok", 8)]),
    ("llama4_text", &[("vocab_size", 202_048), ("hidden_size", 5_120), ("intermediate_size", 8_192), ("num_hidden_layers", 48), ("num_attention_heads", 40), ("num_key_value_heads", 8), ("head_dim", 128), ("num_local_experts", 16), ("num_experts_per_tok", 1)]),
];

/// The keys without which a file that is no part of another says too little of a model.
const ALWAYS_WRITTEN: [&str; 2] = ["hidden_size", "num_hidden_layers"];

/// Adds the defaults that a part leaves out, and returns their keys.
pub(super) fn fill(kind: &str, is_part: bool, part: &mut Map<String, Value>) -> Vec<&'static str> {
    let of_class = DEFAULTS.iter().find(|(name, _)| *name == kind).map(|(_, defaults)| *defaults).unwrap_or_default();
    let is_written = |part: &Map<String, Value>| ALWAYS_WRITTEN.iter().all(|key| part.contains_key(*key));
    if !is_part && !is_written(part) {
        return Vec::new();
    }
    let mut filled = Vec::new();
    for (key, default) in of_class {
        if !part.contains_key(*key) {
            part.insert((*key).to_owned(), (*default).into());
            filled.push(*key);
        }
    }
    filled
}
