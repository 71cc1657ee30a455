//! The models that the `renderers` package has a renderer for, as data: each with the point of prime-rl's history from which its
//! version of the package knew it.
//!
//! Which commit of the package prime-rl had is known at every point; the table itself was read at its releases and development builds
//! (0.1.8.dev49, 0.1.8.dev61, 0.1.9.dev10, 0.1.10.dev13). The points between are those at which prime-rl's schema first has renderers
//! that came with them: 16efd8afd (364) and 532d622b4 (411).

use cfg_schema::Point;

/// Sorted by name, in the order of bytes.
const MODELS: &[(&str, u16)] = &[
    ("MiniMaxAI/MiniMax-M2", 0),
    ("MiniMaxAI/MiniMax-M2.5", 0),
    ("PrimeIntellect/Qwen3-0.6B", 364),
    ("PrimeIntellect/Qwen3-1.7B", 364),
    ("Qwen/Qwen3-0.6B", 0),
    ("Qwen/Qwen3-1.7B", 0),
    ("Qwen/Qwen3-14B", 0),
    ("Qwen/Qwen3-235B-A22B", 0),
    ("Qwen/Qwen3-30B-A3B", 0),
    ("Qwen/Qwen3-30B-A3B-Instruct-2507", 0),
    ("Qwen/Qwen3-30B-A3B-Thinking-2507", 0),
    ("Qwen/Qwen3-32B", 0),
    ("Qwen/Qwen3-4B", 0),
    ("Qwen/Qwen3-4B-Instruct-2507", 0),
    ("Qwen/Qwen3-4B-Thinking-2507", 0),
    ("Qwen/Qwen3-8B", 0),
    ("Qwen/Qwen3-VL-30B-A3B-Instruct", 0),
    ("Qwen/Qwen3-VL-4B-Instruct", 0),
    ("Qwen/Qwen3-VL-8B-Instruct", 0),
    ("Qwen/Qwen3.5-0.8B", 0),
    ("Qwen/Qwen3.5-122B-A10B", 0),
    ("Qwen/Qwen3.5-2B", 0),
    ("Qwen/Qwen3.5-35B-A3B", 0),
    ("Qwen/Qwen3.5-397B-A17B", 0),
    ("Qwen/Qwen3.5-4B", 0),
    ("Qwen/Qwen3.5-9B", 0),
    ("Qwen/Qwen3.6-35B-A3B", 0),
    ("THUDM/GLM-4.5-Air", 0),
    ("deepseek-ai/DeepSeek-R1", 0),
    ("deepseek-ai/DeepSeek-R1-0528", 0),
    ("deepseek-ai/DeepSeek-V3", 0),
    ("deepseek-ai/DeepSeek-V3-Base", 0),
    ("google/gemma-4-26B-A4B-it", 411),
    ("google/gemma-4-31B-it", 411),
    ("google/gemma-4-E2B-it", 411),
    ("google/gemma-4-E4B-it", 411),
    ("meta-llama/Llama-3.2-1B-Instruct", 0),
    ("meta-llama/Llama-3.2-3B-Instruct", 0),
    ("moonshotai/Kimi-K2-Instruct", 0),
    ("moonshotai/Kimi-K2.5", 0),
    ("moonshotai/Kimi-K2.6", 0),
    ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 0),
    ("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16", 0),
    ("nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16", 0),
    ("nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-FP8", 0),
    ("nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-BF16", 411),
    ("openai/gpt-oss-120b", 0),
    ("openai/gpt-oss-20b", 0),
    ("poolside/Laguna-M.1", 411),
    ("poolside/Laguna-S-2.1", 411),
    ("poolside/Laguna-XS-2.1", 364),
    ("poolside/Laguna-XS.2", 0),
    ("tencent/Hy3", 364),
    ("tencent/Hy3-FP8", 364),
    ("thinkingmachines/Inkling", 411),
    ("thinkingmachines/Inkling-Small", 411),
    ("zai-org/GLM-4.5-Air", 0),
    ("zai-org/GLM-4.7-Flash", 0),
    ("zai-org/GLM-5", 0),
    ("zai-org/GLM-5-FP8", 0),
    ("zai-org/GLM-5.1", 0),
];

/// Whether a model has a renderer of its own. Names are compared letter by letter.
pub(super) fn is_mapped(model: &str, point: Point) -> bool {
    MODELS.binary_search_by_key(&model, |(name, _)| name).is_ok_and(|place| Point(MODELS[place].1) <= point)
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
        assert!(is_mapped("Qwen/Qwen3-0.6B", Point(311)));
        assert!(!is_mapped("tencent/Hy3", Point(363)));
        assert!(is_mapped("tencent/Hy3", Point(364)));
        assert!(!is_mapped("qwen/qwen3-0.6b", Point(439)));
    }
}
