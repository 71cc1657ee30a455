//! The shape of a model from the text of its `config.json`, as Hugging Face transformers writes it.

use std::fmt;

use serde_json::{Map, Value};

use super::{Architecture, Mla, Moe, Norms, QkNorm};
use crate::units::Tokens;

/// Why a `config.json` does not give a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// The text is not a JSON object.
    NoObject,
    /// The memory model does not support this kind of model; empty if the value doesn't look like a kind.
    UnknownKind(String),
    /// A number is missing or invalid.
    Number(&'static str),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoObject => formatter.write_str("not a JSON object"),
            Self::UnknownKind(kind) if kind.is_empty() => {
                formatter.write_str("the memory model does not support its `model_type`")
            }
            Self::UnknownKind(kind) => write!(formatter, "the memory model does not support models of type `{kind}`"),
            Self::Number(key) => write!(formatter, "`{key}` is missing or not a valid number"),
        }
    }
}

impl std::error::Error for ConfigError {}

/// The values that a `config.json` leaves out because they are the same for all models of a kind.
struct Kind {
    /// `model_type`.
    name: &'static str,
    tied_embeddings: bool,
    norms: Norms,
    qk_norm: QkNorm,
    qkv_bias: Bias,
    output_bias: Bias,
    /// The key of an expert's width, if the kind has experts.
    expert_width: &'static str,
    /// Parameters of the attention beyond the projections, for each head.
    per_head: u64,
}

/// Whether projections have a bias.
#[derive(Clone, Copy)]
enum Bias {
    Never,
    Always,
    /// As given by `attention_bias`.
    Stated,
}

const PLAIN: Kind = Kind {
    name: "",
    tied_embeddings: false,
    norms: Norms::Before,
    qk_norm: QkNorm::None,
    qkv_bias: Bias::Stated,
    output_bias: Bias::Stated,
    expert_width: "moe_intermediate_size",
    per_head: 0,
};

const KINDS: [Kind; 18] = [
    Kind { name: "llama", ..PLAIN },
    Kind { name: "mistral", qkv_bias: Bias::Never, output_bias: Bias::Never, ..PLAIN },
    Kind { name: "smollm3", tied_embeddings: true, ..PLAIN },
    Kind { name: "qwen2", qkv_bias: Bias::Always, output_bias: Bias::Never, ..PLAIN },
    Kind { name: "qwen3", qk_norm: QkNorm::Head, ..PLAIN },
    Kind { name: "qwen3_moe", qk_norm: QkNorm::Head, ..PLAIN },
    Kind { name: "olmo2", norms: Norms::After, qk_norm: QkNorm::Full, ..PLAIN },
    Kind { name: "olmo3", norms: Norms::After, qk_norm: QkNorm::Full, ..PLAIN },
    Kind { name: "gemma2", tied_embeddings: true, norms: Norms::Both, ..PLAIN },
    Kind { name: "gemma3", tied_embeddings: true, norms: Norms::Both, qk_norm: QkNorm::Head, ..PLAIN },
    Kind { name: "gemma3_text", tied_embeddings: true, norms: Norms::Both, qk_norm: QkNorm::Head, ..PLAIN },
    Kind { name: "mixtral", qkv_bias: Bias::Never, output_bias: Bias::Never, expert_width: "intermediate_size", ..PLAIN },
    Kind { name: "glm4_moe", output_bias: Bias::Never, ..PLAIN },
    Kind {
        name: "gpt_oss",
        qkv_bias: Bias::Always,
        output_bias: Bias::Always,
        expert_width: "intermediate_size",
        per_head: 1,
        ..PLAIN
    },
    Kind { name: "deepseek_v2", ..PLAIN },
    Kind { name: "deepseek_v3", ..PLAIN },
    Kind { name: "phi3", qkv_bias: Bias::Never, output_bias: Bias::Never, ..PLAIN },
    Kind { name: "granite", tied_embeddings: true, ..PLAIN },
];

/// A text that may be quoted as the kind of a model. The value can come from any file that a config names; kinds are written like names in Python.
fn as_kind(text: String) -> String {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'.');
    if text.len() <= 40 && text.bytes().all(is_part) { text } else { String::new() }
}

/// Reads a shape. For a model with image input, the text part (`text_config`) counts.
pub fn from_config_json(text: &str) -> Result<Architecture, ConfigError> {
    let Ok(Value::Object(file)) = serde_json::from_str(text) else { return Err(ConfigError::NoObject) };
    let config = match file.get("text_config") {
        Some(Value::Object(inner)) => inner,
        _ => &file,
    };
    let word = |map: &Map<String, Value>| map.get("model_type").and_then(Value::as_str).map(str::to_owned);
    let name = word(config).or_else(|| word(&file)).unwrap_or_default();
    let kind = KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| ConfigError::UnknownKind(as_kind(name)))?;
    let hidden = need(config, "hidden_size")?;
    let heads = need(config, "num_attention_heads")?;
    let moe = moe(config, kind)?;
    let flag = |key| config.get(key).or_else(|| file.get(key)).and_then(Value::as_bool);
    let bias = |bias| match bias {
        Bias::Never => false,
        Bias::Always => true,
        Bias::Stated => flag("attention_bias").unwrap_or(false),
    };
    let qk_norm = if flag("use_qk_norm") == Some(true) { QkNorm::Head } else { kind.qk_norm };
    Ok(Architecture {
        layers: need(config, "num_hidden_layers")?,
        hidden,
        heads,
        kv_heads: number(config, "num_key_value_heads")?.unwrap_or(heads),
        head_dim: number(config, "head_dim")?.unwrap_or(hidden / heads),
        intermediate: need(config, "intermediate_size")?,
        vocab: need(config, "vocab_size")?,
        tied_embeddings: flag("tie_word_embeddings").unwrap_or(kind.tied_embeddings),
        context: Tokens(need(config, "max_position_embeddings")?.into()),
        norms: kind.norms,
        qk_norm,
        qkv_bias: bias(kind.qkv_bias),
        output_bias: bias(kind.output_bias),
        extra_attention: kind.per_head * u64::from(heads),
        moe,
        mla: mla(config)?,
    })
}

fn moe(config: &Map<String, Value>, kind: &Kind) -> Result<Option<Moe>, ConfigError> {
    let keys = ["num_experts", "num_local_experts", "n_routed_experts"];
    let Some(key) = keys.into_iter().find(|key| config.get(*key).is_some_and(|value| !value.is_null())) else { return Ok(None) };
    let experts = need(config, key)?;
    let intermediate = need(config, kind.expert_width)?;
    let hidden = need(config, "hidden_size")?;
    let extra = match kind.name {
        // Biases of the router and of both matrices of each expert.
        "gpt_oss" => u64::from(experts) * (1 + 2 * u64::from(intermediate) + u64::from(hidden)),
        // The router's correction.
        "glm4_moe" | "deepseek_v3" => experts.into(),
        _ => 0,
    };
    Ok(Some(Moe {
        experts,
        top_k: need(config, "num_experts_per_tok")?,
        intermediate,
        shared_experts: number(config, "n_shared_experts")?.unwrap_or(0),
        dense_layers: number(config, "first_k_dense_replace")?.unwrap_or(0),
        extra,
    }))
}

fn mla(config: &Map<String, Value>) -> Result<Option<Mla>, ConfigError> {
    let Some(kv_rank) = number(config, "kv_lora_rank")? else { return Ok(None) };
    Ok(Some(Mla {
        kv_rank,
        qk_nope: need(config, "qk_nope_head_dim")?,
        qk_rope: need(config, "qk_rope_head_dim")?,
        value: need(config, "v_head_dim")?,
    }))
}

/// A required number from 1 to 2^30.
fn need(config: &Map<String, Value>, key: &'static str) -> Result<u32, ConfigError> {
    number(config, key)?.filter(|number| *number > 0).ok_or(ConfigError::Number(key))
}

/// An optional number from 0 to 2^30.
fn number(config: &Map<String, Value>, key: &'static str) -> Result<Option<u32>, ConfigError> {
    match config.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let number = value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number <= 1 << 30);
            number.map(Some).ok_or(ConfigError::Number(key))
        }
    }
}
