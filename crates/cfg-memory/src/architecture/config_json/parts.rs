//! The parts of a model that only some kinds have: experts, latent attention, windows, recurrent layers and towers.

use serde_json::{Map, Value};

use super::{ConfigError, File, number};
use crate::{
    architecture::{Index, Mla, Moe, Recurrent, RecurrentKind, Window},
    units::Tokens,
};

/// The longest list of layers that is read.
const MAX_LAYERS: usize = 1 << 12;

/// Keys of any kind that memory depends on and that aren't counted, each with what it stands for.
const UNCOUNTED: [(&str, &str); 7] = [
    ("num_mtp_modules", "layers for multi-token prediction, which neither prime-rl nor vLLM loads unless asked to"),
    ("hc_mult", "several residual streams"),
    ("compress_ratios", "compressed keys and values"),
    ("cross_attention_layers", "cross-attention"),
    ("zero_expert_num", "experts without weights"),
    ("block_configs", "layers of different widths"),
    ("attn_type_list", "layers of different kinds"),
];

/// Whether a value turns something on.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64().is_some_and(|number| number != 0.0),
        Value::Array(items) => items.iter().any(is_set),
        Value::String(text) => !text.is_empty(),
        Value::Bool(true) | Value::Object(_) => true,
    }
}

impl File<'_> {
    /// The decoder layers: their number, or the length of the list of their kinds.
    pub(super) fn layers(&self) -> Result<u32, ConfigError> {
        let listed = || u32::try_from(self.types()?.len()).ok().filter(|layers| *layers > 0);
        match self.number("num_hidden_layers") {
            Ok(None) => listed().ok_or(ConfigError::Number("num_hidden_layers")),
            _ => self.need("num_hidden_layers"),
        }
    }

    /// The kinds of the layers, if the file lists them.
    fn types(&self) -> Option<Vec<String>> {
        for key in ["layer_types", "layers_block_type"] {
            if let Some(Value::Array(types)) = self.text.get(key) {
                return Some(types.iter().take(MAX_LAYERS).map(|kind| kind.as_str().unwrap_or_default().to_owned()).collect());
            }
        }
        let Some(Value::String(pattern)) = self.text.get("hybrid_override_pattern") else { return None };
        let word = |letter| match letter {
            'M' => "mamba",
            'E' => "moe",
            '-' => "mlp",
            '*' => "attention",
            _ => "",
        };
        Some(pattern.chars().take(MAX_LAYERS).map(word).map(str::to_owned).collect())
    }

    /// Layers of these kinds.
    pub(super) fn count_types(&self, kinds: &[&str]) -> u32 {
        let types = self.types().unwrap_or_default();
        u32::try_from(types.iter().filter(|kind| kinds.contains(&kind.as_str())).count()).unwrap_or(0)
    }

    /// Layers with a window or chunk.
    pub(super) fn window(&self, layers: u32) -> Result<Option<Window>, ConfigError> {
        let size = match (self.number("sliding_window")?, self.number("attention_chunk_size")?) {
            (Some(size), _) if self.flag("use_sliding_window") != Some(false) && size > 0 => size,
            (_, Some(size)) if size > 0 && self.kind.full_every > 1 => size,
            _ => return Ok(None),
        };
        let listed = self.types().map(|_| self.count_types(&["sliding_attention", "chunked_attention"]));
        let every = self.first(&["sliding_window_pattern", "global_attn_every_n_layers"]).ok().flatten();
        let by_pattern = match every.filter(|every| *every > 0).unwrap_or(self.kind.full_every) {
            1 => layers,
            every => layers - layers / every,
        };
        // Mistral's first models have a window in every layer; that of other kinds is stated for each layer.
        let with_window = listed.unwrap_or(by_pattern);
        let has_global = self.number("global_head_dim")?.is_some_and(|width| width > 0);
        let own = |keys: &[&'static str], differs: bool| Ok(if differs { self.first(keys)? } else { None });
        Ok((with_window > 0).then_some(Window {
            size: Tokens(size.into()),
            layers: with_window.min(layers),
            heads: self.first(&["swa_num_attention_heads", "num_sliding_attention_heads"])?,
            kv_heads: match self.number("swa_num_key_value_heads")? {
                Some(heads) => Some(heads),
                None => own(&["num_key_value_heads"], self.number("num_global_key_value_heads")?.is_some())?,
            },
            head_dim: own(&["head_dim"], has_global)?,
        }))
    }

    /// A mixture of experts.
    pub(super) fn moe(&self, layers: u32) -> Result<Option<Moe>, ConfigError> {
        let keys = ["num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"];
        let Some(key) =
            keys.into_iter().find(|key| matches!(self.number(key), Ok(Some(count)) if count > 0) || self.number(key).is_err())
        else {
            return Ok(None);
        };
        let experts = self.need(key)?;
        let intermediate = match self.number(self.kind.expert_width)? {
            Some(width) if width > 0 => width,
            _ => self.need("intermediate_size")?,
        };
        let hidden = self.need("hidden_size")?;
        let (usual, has_gate) = self.kind.shared;
        let shared = self.first(&["n_shared_experts", "num_shared_experts", "moe_num_shared_experts"])?.unwrap_or(usual);
        let shared_intermediate = self.first(&[
            "shared_expert_intermediate_size",
            "moe_shared_expert_intermediate_size",
            "shared_intermediate_size",
            "share_expert_dim",
        ])?;
        let biases = match self.kind.name {
            // Biases of the router and of both matrices of each expert.
            "gpt_oss" => u64::from(experts) * (1 + 2 * u64::from(intermediate) + u64::from(hidden)),
            _ if self.kind.corrects_router => experts.into(),
            _ => 0,
        };
        Ok(Some(Moe {
            experts,
            top_k: self
                .first(&["num_experts_per_tok", "moe_top_k", "top_k_experts", "moe_k"])?
                .ok_or(ConfigError::Number("num_experts_per_tok"))?,
            intermediate,
            shared_experts: shared,
            shared_intermediate: shared_intermediate.filter(|width| *width > 0 && *width != intermediate && shared > 0),
            dense_layers: self.dense_layers(layers)?,
            latent: self.number("moe_latent_size")?.filter(|width| *width > 0),
            extra: biases + if has_gate { u64::from(hidden) } else { 0 },
        }))
    }

    /// Layers with a dense MLP in place of experts.
    fn dense_layers(&self, layers: u32) -> Result<u32, ConfigError> {
        if self.kind.has_single_parts {
            return Ok(self.count_types(&["mlp"]));
        }
        if let Some(Value::Array(types)) = self.text.get("mlp_layer_types") {
            let dense = types.iter().take(MAX_LAYERS).filter(|kind| kind.as_str() == Some("dense")).count();
            return Ok(u32::try_from(dense).unwrap_or(layers).min(layers));
        }
        if let Some(first) = self.first(&["first_k_dense_replace", "num_dense_layers"])? {
            return Ok(first.min(layers));
        }
        let step = self.first(&["decoder_sparse_step", "interleave_moe_layer_step"])?.unwrap_or(1).max(1);
        let listed: Vec<u64> = match self.text.get("mlp_only_layers") {
            Some(Value::Array(indices)) => indices.iter().take(MAX_LAYERS).filter_map(Value::as_u64).collect(),
            _ => Vec::new(),
        };
        let is_dense = |index: &u32| listed.contains(&u64::from(*index)) || !(index + 1).is_multiple_of(step);
        let dense = (0..layers.min(1 << 12)).filter(is_dense).count();
        Ok(u32::try_from(dense).unwrap_or(layers))
    }

    /// Latent attention.
    pub(super) fn mla(&self) -> Result<Option<Mla>, ConfigError> {
        let Some(kv_rank) = self.number("kv_lora_rank")? else { return Ok(None) };
        let index = match (self.number("index_n_heads")?, self.number("index_head_dim")?) {
            (Some(heads), Some(dim)) if heads > 0 => Some(Index { heads, dim }),
            _ => None,
        };
        Ok(Some(Mla {
            kv_rank,
            q_rank: self.number("q_lora_rank")?.filter(|rank| *rank > 0),
            qk_nope: self.need("qk_nope_head_dim")?,
            qk_rope: self.need("qk_rope_head_dim")?,
            value: self.need("v_head_dim")?,
            index,
            compressed: None,
        }))
    }

    /// Recurrent layers.
    pub(super) fn recurrent(&self) -> Result<Option<Recurrent>, ConfigError> {
        let stated = ["mamba_ssm_dtype", "mamba_ssm_cache_dtype"].into_iter().find_map(|key| self.text.get(key)?.as_str());
        let is_half = stated.map_or(self.kind.half_state, |dtype| matches!(dtype, "bfloat16" | "float16"));
        let state_bytes = if is_half { 2 } else { 4 };
        let beside_attention = self.kind.beside_attention;
        let of_kind = |layers: u32, kind, conv| {
            // A recurrence beside attention has a norm only if that is stated.
            let extra = match kind {
                RecurrentKind::Mamba { heads, head_dim, .. } if beside_attention && self.flag("mamba_rms_norm") != Some(true) => {
                    -i64::from(heads) * i64::from(head_dim)
                }
                _ => 0,
            };
            (layers > 0).then_some(Recurrent { layers, kind, conv, extra, state_bytes, beside_attention })
        };
        if self.text.contains_key("linear_num_value_heads") {
            let layers = match (self.types(), self.number("full_attention_interval")?) {
                (Some(_), _) => self.count_types(&["linear_attention"]),
                (None, every) => self.layers()? - self.layers()? / every.unwrap_or(4).max(1),
            };
            let kind = RecurrentKind::Delta {
                key_heads: self.need("linear_num_key_heads")?,
                value_heads: self.need("linear_num_value_heads")?,
                key_dim: self.need("linear_key_head_dim")?,
                value_dim: self.need("linear_value_head_dim")?,
            };
            return Ok(of_kind(layers, kind, self.number("linear_conv_kernel_dim")?.unwrap_or(4)));
        }
        let mamba = if beside_attention { self.layers()? } else { self.count_types(&["mamba"]) };
        if mamba > 0 {
            let need = |keys: &[&'static str]| self.first(keys)?.filter(|number| *number > 0).ok_or(ConfigError::Number(keys[0]));
            let heads = need(&["mamba_num_heads", "mamba_n_heads"])?;
            let is_derived = self.text.get("mamba_d_head").is_some_and(Value::is_string);
            let kind = RecurrentKind::Mamba {
                heads,
                head_dim: if is_derived { self.mamba_width()? / heads } else { need(&["mamba_head_dim", "mamba_d_head"])? },
                groups: need(&["n_groups", "mamba_n_groups"])?,
                state: need(&["ssm_state_size", "mamba_d_state"])?,
            };
            return Ok(of_kind(mamba, kind, self.first(&["conv_kernel", "mamba_d_conv"])?.unwrap_or(4)));
        }
        let convolutions = self.count_types(&["conv"]);
        Ok(of_kind(convolutions, RecurrentKind::Convolution, self.first(&["conv_L_cache"])?.unwrap_or(3)))
    }

    /// The width of all heads of a recurrence together, if that of one is to be derived.
    fn mamba_width(&self) -> Result<u32, ConfigError> {
        let times = self.number("mamba_expand")?.unwrap_or(2);
        Ok(self.number("mamba_d_ssm")?.unwrap_or(self.need("hidden_size")?.saturating_mul(times)))
    }

    /// Layers for multi-token prediction.
    pub(super) fn mtp_layers(&self) -> Result<u32, ConfigError> {
        Ok(self.first(&["num_nextn_predict_layers", "mtp_num_hidden_layers"])?.unwrap_or(0))
    }

    /// Parameters of the vision tower and its projection, by the shape of a plain transformer; other towers aren't counted.
    pub(super) fn towers(&self) -> u64 {
        let Some(Value::Object(vision)) = self.whole.get("vision_config") else { return 0 };
        let first = |keys: &[&'static str]| keys.iter().find_map(|key| number(vision, key).ok().flatten()).map(u64::from);
        let hidden = first(&["embed_dim", "hidden_size", "vt_hidden_size", "width"]).unwrap_or(0);
        let depth = first(&["depth", "num_hidden_layers", "vt_num_hidden_layers", "layers"]).unwrap_or(0);
        let inner = first(&["intermediate_size", "vt_intermediate_size"]).unwrap_or(4 * hidden);
        let merge = first(&["spatial_merge_size"]).unwrap_or(1);
        let merged = hidden.saturating_mul(merge).saturating_mul(merge);
        let out = number(self.text, "hidden_size").ok().flatten().map_or(0, u64::from);
        let matrices = if self.kind.name.starts_with("qwen2_5_vl") { 3 } else { 2 };
        let blocks = depth.saturating_mul(4 * hidden * hidden + matrices * hidden * inner);
        blocks.saturating_add(merged.saturating_mul(merged.saturating_add(out)))
    }

    /// What the model doesn't count, as clauses.
    pub(super) fn unmodelled(&self) -> Vec<String> {
        let is_on = |map: &Map<String, Value>, key: &str| map.get(key).is_some_and(is_set);
        let mut clauses: Vec<String> = Vec::new();
        for (key, what) in UNCOUNTED {
            if is_on(self.text, key) || is_on(self.whole, key) {
                clauses.push(format!("`{key}`: {what}"));
            }
        }
        for key in self.kind.uncounted {
            if is_on(self.text, key) {
                clauses.push(format!("`{key}`, which isn't counted"));
            }
        }
        for key in ["audio_config", "vision_config"] {
            if is_on(self.whole, key) {
                let how = if key == "vision_config" { "is estimated from its depth and widths" } else { "isn't counted" };
                clauses.push(format!("`{key}`, which {how}"));
            }
        }
        let known = [
            "full_attention",
            "attention",
            "sliding_attention",
            "chunked_attention",
            "linear_attention",
            "mamba",
            "mlp",
            "moe",
            "conv",
        ];
        if self.types().is_some_and(|types| types.iter().any(|kind| !known.contains(&kind.as_str()))) {
            clauses.push("`layer_types` with kinds that aren't known".to_owned());
        }
        clauses
    }
}
