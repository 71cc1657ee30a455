//! The models that the `renderers` package has a renderer for, as data: each with the point of prime-rl's history from which its
//! version of the package knew it.
//!
//! Which commit of the package prime-rl had is known at every point; the table itself was read at its releases and development builds
//! (0.1.8.dev49, 0.1.8.dev61, 0.1.9.dev10, 0.1.10.dev13). The points between are those at which prime-rl's schema first has renderers
//! that came with them: 16efd8afd and 532d622b4.

use cfg_schema::Point;

use crate::points;

/// Sorted by name, in the order of bytes.
const MODELS: &[(&str, Point)] = &[
    ("MiniMaxAI/MiniMax-M2", points::START),
    ("MiniMaxAI/MiniMax-M2.5", points::START),
    ("PrimeIntellect/Qwen3-0.6B", points::RENDERERS_HY3),
    ("PrimeIntellect/Qwen3-1.7B", points::RENDERERS_HY3),
    ("Qwen/Qwen3-0.6B", points::START),
    ("Qwen/Qwen3-1.7B", points::START),
    ("Qwen/Qwen3-14B", points::START),
    ("Qwen/Qwen3-235B-A22B", points::START),
    ("Qwen/Qwen3-30B-A3B", points::START),
    ("Qwen/Qwen3-30B-A3B-Instruct-2507", points::START),
    ("Qwen/Qwen3-30B-A3B-Thinking-2507", points::START),
    ("Qwen/Qwen3-32B", points::START),
    ("Qwen/Qwen3-4B", points::START),
    ("Qwen/Qwen3-4B-Instruct-2507", points::START),
    ("Qwen/Qwen3-4B-Thinking-2507", points::START),
    ("Qwen/Qwen3-8B", points::START),
    ("Qwen/Qwen3-VL-30B-A3B-Instruct", points::START),
    ("Qwen/Qwen3-VL-4B-Instruct", points::START),
    ("Qwen/Qwen3-VL-8B-Instruct", points::START),
    ("Qwen/Qwen3.5-0.8B", points::START),
    ("Qwen/Qwen3.5-122B-A10B", points::START),
    ("Qwen/Qwen3.5-2B", points::START),
    ("Qwen/Qwen3.5-35B-A3B", points::START),
    ("Qwen/Qwen3.5-397B-A17B", points::START),
    ("Qwen/Qwen3.5-4B", points::START),
    ("Qwen/Qwen3.5-9B", points::START),
    ("Qwen/Qwen3.6-35B-A3B", points::START),
    ("THUDM/GLM-4.5-Air", points::START),
    ("deepseek-ai/DeepSeek-R1", points::START),
    ("deepseek-ai/DeepSeek-R1-0528", points::START),
    ("deepseek-ai/DeepSeek-V3", points::START),
    ("deepseek-ai/DeepSeek-V3-Base", points::START),
    ("google/gemma-4-26B-A4B-it", points::RENDERERS_INKLING),
    ("google/gemma-4-31B-it", points::RENDERERS_INKLING),
    ("google/gemma-4-E2B-it", points::RENDERERS_INKLING),
    ("google/gemma-4-E4B-it", points::RENDERERS_INKLING),
    ("meta-llama/Llama-3.2-1B-Instruct", points::START),
    ("meta-llama/Llama-3.2-3B-Instruct", points::START),
    ("moonshotai/Kimi-K2-Instruct", points::START),
    ("moonshotai/Kimi-K2.5", points::START),
    ("moonshotai/Kimi-K2.6", points::START),
    ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", points::START),
    ("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16", points::START),
    ("nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16", points::START),
    ("nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-FP8", points::START),
    ("nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-BF16", points::RENDERERS_INKLING),
    ("openai/gpt-oss-120b", points::START),
    ("openai/gpt-oss-20b", points::START),
    ("poolside/Laguna-M.1", points::RENDERERS_INKLING),
    ("poolside/Laguna-S-2.1", points::RENDERERS_INKLING),
    ("poolside/Laguna-XS-2.1", points::RENDERERS_HY3),
    ("poolside/Laguna-XS.2", points::START),
    ("tencent/Hy3", points::RENDERERS_HY3),
    ("tencent/Hy3-FP8", points::RENDERERS_HY3),
    ("thinkingmachines/Inkling", points::RENDERERS_INKLING),
    ("thinkingmachines/Inkling-Small", points::RENDERERS_INKLING),
    ("zai-org/GLM-4.5-Air", points::START),
    ("zai-org/GLM-4.7-Flash", points::START),
    ("zai-org/GLM-5", points::START),
    ("zai-org/GLM-5-FP8", points::START),
    ("zai-org/GLM-5.1", points::START),
];

/// The names of all of them.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|(name, _)| *name)
}

/// Whether a model has a renderer of its own. Names are compared letter by letter.
pub(in crate::native) fn is_mapped(model: &str, point: Point) -> bool {
    MODELS.binary_search_by_key(&model, |(name, _)| name).is_ok_and(|place| MODELS[place].1 <= point)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_sorted() {
        assert!(MODELS.is_sorted_by(|(one, _), (other, _)| one < other));
    }

    #[test]
    fn a_model_is_known_from_its_point_on() {
        assert!(is_mapped("Qwen/Qwen3-0.6B", Point(312)));
        assert!(!is_mapped("tencent/Hy3", Point(364)));
        assert!(is_mapped("tencent/Hy3", Point(365)));
        assert!(!is_mapped("qwen/qwen3-0.6b", Point(453)));
    }
}
