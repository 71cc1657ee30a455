//! What some models on the hub say of themselves in their `config.json`. Of a model that is not listed nothing is known, and nothing said.

/// A model on the hub.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model {
    /// Its name there, in small letters: the hub doesn't tell capitals from small letters.
    name: &'static str,
    /// Positions that it was made for, in tokens: `max_position_embeddings`.
    pub(crate) context: i64,
    /// Attention heads of a layer: `num_attention_heads`.
    pub(crate) heads: i64,
}

/// In the order of their names.
static MODELS: &[Model] = &[
    Model { name: "allenai/olmo-3-7b-instruct", context: 65_536, heads: 32 },
    Model { name: "deepseek-ai/deepseek-r1-distill-llama-70b", context: 131_072, heads: 64 },
    Model { name: "deepseek-ai/deepseek-r1-distill-llama-8b", context: 131_072, heads: 32 },
    Model { name: "google/gemma-3-12b-it", context: 131_072, heads: 16 },
    Model { name: "google/gemma-3-1b-it", context: 32_768, heads: 4 },
    Model { name: "google/gemma-3-27b-it", context: 131_072, heads: 32 },
    Model { name: "google/gemma-3-4b-it", context: 131_072, heads: 8 },
    Model { name: "huggingfacetb/smollm2-1.7b-instruct", context: 8_192, heads: 32 },
    Model { name: "huggingfacetb/smollm2-135m-instruct", context: 8_192, heads: 9 },
    Model { name: "huggingfacetb/smollm2-360m-instruct", context: 8_192, heads: 15 },
    Model { name: "huggingfacetb/smollm3-3b", context: 65_536, heads: 16 },
    Model { name: "meta-llama/llama-3.1-70b-instruct", context: 131_072, heads: 64 },
    Model { name: "meta-llama/llama-3.1-8b-instruct", context: 131_072, heads: 32 },
    Model { name: "meta-llama/llama-3.2-1b-instruct", context: 131_072, heads: 32 },
    Model { name: "meta-llama/llama-3.2-3b-instruct", context: 131_072, heads: 24 },
    Model { name: "meta-llama/llama-3.3-70b-instruct", context: 131_072, heads: 64 },
    Model { name: "mistralai/mistral-7b-instruct-v0.3", context: 32_768, heads: 32 },
    Model { name: "mistralai/mistral-nemo-instruct-2407", context: 131_072, heads: 32 },
    Model { name: "openai/gpt-oss-120b", context: 131_072, heads: 64 },
    Model { name: "openai/gpt-oss-20b", context: 131_072, heads: 64 },
    Model { name: "qwen/qwen2.5-0.5b", context: 32_768, heads: 14 },
    Model { name: "qwen/qwen2.5-0.5b-instruct", context: 32_768, heads: 14 },
    Model { name: "qwen/qwen2.5-1.5b", context: 131_072, heads: 12 },
    Model { name: "qwen/qwen2.5-1.5b-instruct", context: 32_768, heads: 12 },
    Model { name: "qwen/qwen2.5-14b", context: 131_072, heads: 40 },
    Model { name: "qwen/qwen2.5-14b-instruct", context: 32_768, heads: 40 },
    Model { name: "qwen/qwen2.5-32b", context: 131_072, heads: 40 },
    Model { name: "qwen/qwen2.5-32b-instruct", context: 32_768, heads: 40 },
    Model { name: "qwen/qwen2.5-3b", context: 32_768, heads: 16 },
    Model { name: "qwen/qwen2.5-3b-instruct", context: 32_768, heads: 16 },
    Model { name: "qwen/qwen2.5-72b", context: 131_072, heads: 64 },
    Model { name: "qwen/qwen2.5-72b-instruct", context: 32_768, heads: 64 },
    Model { name: "qwen/qwen2.5-7b", context: 131_072, heads: 28 },
    Model { name: "qwen/qwen2.5-7b-instruct", context: 32_768, heads: 28 },
    Model { name: "qwen/qwen3-0.6b", context: 40_960, heads: 16 },
    Model { name: "qwen/qwen3-1.7b", context: 40_960, heads: 16 },
    Model { name: "qwen/qwen3-14b", context: 40_960, heads: 40 },
    Model { name: "qwen/qwen3-235b-a22b", context: 40_960, heads: 64 },
    Model { name: "qwen/qwen3-235b-a22b-instruct-2507", context: 262_144, heads: 64 },
    Model { name: "qwen/qwen3-235b-a22b-thinking-2507", context: 262_144, heads: 64 },
    Model { name: "qwen/qwen3-30b-a3b", context: 40_960, heads: 32 },
    Model { name: "qwen/qwen3-30b-a3b-instruct-2507", context: 262_144, heads: 32 },
    Model { name: "qwen/qwen3-30b-a3b-thinking-2507", context: 262_144, heads: 32 },
    Model { name: "qwen/qwen3-32b", context: 40_960, heads: 64 },
    Model { name: "qwen/qwen3-4b", context: 40_960, heads: 32 },
    Model { name: "qwen/qwen3-4b-instruct-2507", context: 262_144, heads: 32 },
    Model { name: "qwen/qwen3-4b-thinking-2507", context: 262_144, heads: 32 },
    Model { name: "qwen/qwen3-8b", context: 40_960, heads: 32 },
    Model { name: "zai-org/glm-4.5-air", context: 131_072, heads: 96 },
];

/// The model of this name.
pub(crate) fn find(name: &str) -> Option<&'static Model> {
    let of = |model: &Model| model.name.bytes().cmp(name.bytes().map(|byte| byte.to_ascii_lowercase()));
    MODELS.binary_search_by(of).ok().map(|index| &MODELS[index])
}

#[cfg(test)]
mod tests {
    use super::{MODELS, find};

    #[test]
    fn every_model_is_found_by_its_name_in_any_letters() {
        for model in MODELS {
            assert_eq!(find(&model.name.to_uppercase()).map(|found| found.name), Some(model.name));
        }
        assert!(find("Qwen/Qwen2.5").is_none());
        assert_eq!(find("Qwen/Qwen2.5-7B-Instruct").map(|model| (model.context, model.heads)), Some((32_768, 28)));
    }
}
