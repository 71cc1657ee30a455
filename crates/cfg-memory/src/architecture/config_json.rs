//! The shape of a model from the text of its `config.json`, as Hugging Face transformers writes it.

mod defaults;
mod kinds;
mod parts;
mod quantisation;

use std::fmt;

use serde_json::{Map, Value};

use super::{Architecture, QkNorm};
use crate::{precision::Format, units::Tokens};
use kinds::{Bias, KINDS, Kind};

/// What a `config.json` says about memory.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelConfig {
    /// The shape.
    pub architecture: Architecture,
    /// The format of its matrices, from `quantization_config`.
    pub format: Format,
    /// What of it memory depends on and the model doesn't count, as clauses for messages.
    pub unmodelled: Vec<String>,
}

/// Why a `config.json` does not give a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// The text is not a JSON object.
    NoObject,
    /// The memory model does not support this kind of model; empty if the value doesn't look like a kind.
    UnknownKind(String),
    /// A number is missing or invalid.
    Number(&'static str),
    /// A number is not a multiple of another one: first the number, then its divisor.
    Indivisible(&'static str, &'static str),
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
            Self::Indivisible(key, divisor) => write!(formatter, "`{key}` is not a multiple of `{divisor}`"),
        }
    }
}

impl std::error::Error for ConfigError {}

/// A text that may be quoted as the kind of a model. The value can come from any file that a config names; kinds are written like names in Python.
fn as_kind(text: String) -> String {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'.');
    if text.len() <= 40 && text.bytes().all(is_part) { text } else { String::new() }
}

/// Reads a shape. Of a model with image input, the towers are counted too.
///
/// # Errors
/// If the text has no shape, or that of a kind which the memory model does not support.
pub fn from_config_json(text: &str) -> Result<Architecture, ConfigError> {
    ModelConfig::read(text).map(|config| config.architecture)
}

/// A `config.json`: the whole file, and the part about the language model.
pub(super) struct File<'a> {
    whole: &'a Map<String, Value>,
    text: &'a Map<String, Value>,
    kind: &'static Kind,
}

impl ModelConfig {
    /// Reads a `config.json`.
    ///
    /// # Errors
    /// If the text has no shape, or that of a kind which the memory model does not support.
    pub fn read(text: &str) -> Result<Self, ConfigError> {
        let Ok(Value::Object(whole)) = serde_json::from_str(text) else { return Err(ConfigError::NoObject) };
        let part = match whole.get("text_config").or_else(|| whole.get("llm_config")) {
            Some(Value::Object(part)) => Some(part),
            _ => None,
        };
        let inner = part.unwrap_or(&whole);
        let word = |map: &Map<String, Value>| map.get("model_type").and_then(Value::as_str).map(str::to_owned);
        let name = word(inner).or_else(|| word(&whole)).unwrap_or_default();
        let kind = KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| ConfigError::UnknownKind(as_kind(name)))?;
        let mut text = inner.clone();
        let assumed = defaults::fill(kind.name, part.is_some(), &mut text);
        let file = File { whole: &whole, text: &text, kind };
        let architecture = file.architecture()?;
        let (format, unknown_format) = quantisation::format(&file);
        let mut unmodelled: Vec<String> = unknown_format.into_iter().collect();
        unmodelled.extend(file.unmodelled());
        if !assumed.is_empty() {
            let keys: Vec<String> = assumed.iter().map(|key| format!("`{key}`")).collect();
            unmodelled.push(format!("no {}: the defaults of its class in transformers are taken", keys.join(", ")));
        }
        Ok(Self { architecture, format, unmodelled })
    }
}

impl File<'_> {
    fn architecture(&self) -> Result<Architecture, ConfigError> {
        let Self { kind, .. } = self;
        let hidden = self.need("hidden_size")?;
        let heads = self.need("num_attention_heads")?;
        let kv_heads = self.first(&["num_key_value_heads", "num_attention_groups"])?.filter(|heads| *heads > 0).unwrap_or(heads);
        if !heads.is_multiple_of(kv_heads) && kind.heads_divide {
            return Err(ConfigError::Indivisible("num_attention_heads", "num_key_value_heads"));
        }
        let bias = |bias| match bias {
            Bias::Never => false,
            Bias::Always => true,
            Bias::Stated => self.flag("attention_bias").or_else(|| self.flag("use_bias")).unwrap_or(false),
        };
        let qk_norm = match self.flag("use_qk_norm") {
            Some(true) if kind.qk_norm == QkNorm::None => QkNorm::Head,
            _ => kind.qk_norm,
        };
        let layers = self.layers()?;
        let window = self.window(layers)?;
        let moe = self.moe(layers)?;
        let head_dim = self.first(&["global_head_dim", "head_dim", "attention_head_dim"])?.filter(|width| *width > 0);
        let head_dim = head_dim.unwrap_or(hidden / heads);
        // A dense MLP that some layers of a mixture of experts have has a key of its own in some families.
        let intermediate = self.first(kind.dense_width)?.map_or_else(|| self.need("intermediate_size"), Ok)?;
        let mlp_bias = if self.flag("mlp_bias") == Some(true) { i64::from(hidden) + 2 * i64::from(intermediate) } else { 0 };
        let gate = if kind.gates_attention { i64::from(hidden) * i64::from(heads) * i64::from(head_dim) } else { 0 };
        let global_kv = self.number("num_global_key_value_heads")?.filter(|heads| *heads > 0);
        Ok(Architecture {
            layers,
            hidden,
            heads,
            kv_heads: global_kv.unwrap_or(kv_heads),
            head_dim,
            intermediate,
            vocab: self.need("vocab_size")?,
            tied_embeddings: self.flag("tie_word_embeddings").unwrap_or(kind.tied_embeddings),
            context: Tokens(
                self.first(&["max_position_embeddings", "max_seq_len"])?
                    .ok_or(ConfigError::Number("max_position_embeddings"))?
                    .into(),
            ),
            norms: kind.norms,
            qk_norm,
            qkv_bias: bias(kind.qkv_bias),
            output_bias: bias(kind.output_bias),
            extra_attention: i64::from(kind.per_head) * i64::from(heads) + mlp_bias + gate,
            moe,
            mla: self.mla()?,
            value_dim: if self.text.contains_key("kv_lora_rank") {
                None
            } else {
                self.number("v_head_dim")?.filter(|width| *width != head_dim)
            },
            key_is_value: self.flag("attention_k_eq_v").unwrap_or(false),
            window,
            recurrent: self.recurrent()?,
            shared_kv_layers: self.number("num_kv_shared_layers")?.unwrap_or(0),
            mlp_layers: if kind.has_single_parts { Some(self.count_types(&["mlp", "moe"])) } else { None },
            mlp_matrices: kind.mlp_matrices,
            mtp_layers: self.mtp_layers()?,
            towers: self.towers(),
            other: 0,
        })
    }

    /// A flag, of the language model or else of the whole.
    fn flag(&self, key: &str) -> Option<bool> {
        self.text.get(key).or_else(|| self.whole.get(key)).and_then(Value::as_bool)
    }

    /// A required number from 1 to 2^30.
    fn need(&self, key: &'static str) -> Result<u32, ConfigError> {
        self.number(key)?.filter(|number| *number > 0).ok_or(ConfigError::Number(key))
    }

    /// An optional number from 0 to 2^30.
    fn number(&self, key: &'static str) -> Result<Option<u32>, ConfigError> {
        number(self.text, key)
    }

    /// The number under the first of these keys that there is.
    fn first(&self, keys: &[&'static str]) -> Result<Option<u32>, ConfigError> {
        for key in keys {
            if let Some(number) = self.number(key)? {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }
}

/// An optional number from 0 to 2^30.
fn number(map: &Map<String, Value>, key: &'static str) -> Result<Option<u32>, ConfigError> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let number = value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number <= 1 << 30);
            number.map(Some).ok_or(ConfigError::Number(key))
        }
    }
}
