//! The models that the `renderers` package has a renderer for, as data: each with the point of prime-rl's history from which its
//! version of the package knew it.
//!
//! Which commit of the package prime-rl had is known at every point; the table was read at the development builds of the package that
//! are of the same days as those commits (0.1.8.dev30 to 0.1.10.dev13).

use cfg_schema::{Behaviour, Point};

/// With the renderer of each, as later versions of the package call it. Sorted by name, in the order of bytes.
const MODELS: &[(&str, Behaviour, &str)] = &[
    ("MiniMaxAI/MiniMax-M2", Behaviour::Always, "minimax-m2"),
    ("MiniMaxAI/MiniMax-M2.5", Behaviour::Always, "minimax-m2"),
    ("PrimeIntellect/Qwen3-0.6B", Behaviour::RenderersHy3, "prime-qwen3"),
    ("PrimeIntellect/Qwen3-1.7B", Behaviour::RenderersHy3, "prime-qwen3"),
    ("Qwen/Qwen3-0.6B", Behaviour::Always, "qwen3"),
    ("Qwen/Qwen3-1.7B", Behaviour::Always, "qwen3"),
    ("Qwen/Qwen3-14B", Behaviour::Always, "qwen3"),
    ("Qwen/Qwen3-235B-A22B", Behaviour::Always, "qwen3"),
    ("Qwen/Qwen3-30B-A3B", Behaviour::Always, "qwen3"),
    ("Qwen/Qwen3-30B-A3B-Instruct-2507", Behaviour::Always, "qwen3"),
    ("Qwen/Qwen3-30B-A3B-Thinking-2507", Behaviour::Always, "qwen3"),
    ("Qwen/Qwen3-32B", Behaviour::Always, "qwen3"),
    ("Qwen/Qwen3-4B", Behaviour::Always, "qwen3"),
    ("Qwen/Qwen3-4B-Instruct-2507", Behaviour::Always, "qwen3"),
    ("Qwen/Qwen3-4B-Thinking-2507", Behaviour::Always, "qwen3"),
    ("Qwen/Qwen3-8B", Behaviour::Always, "qwen3"),
    ("Qwen/Qwen3-VL-30B-A3B-Instruct", Behaviour::Always, "qwen3-vl"),
    ("Qwen/Qwen3-VL-4B-Instruct", Behaviour::Always, "qwen3-vl"),
    ("Qwen/Qwen3-VL-8B-Instruct", Behaviour::Always, "qwen3-vl"),
    ("Qwen/Qwen3.5-0.8B", Behaviour::Always, "qwen3.5"),
    ("Qwen/Qwen3.5-122B-A10B", Behaviour::Always, "qwen3.5"),
    ("Qwen/Qwen3.5-2B", Behaviour::Always, "qwen3.5"),
    ("Qwen/Qwen3.5-35B-A3B", Behaviour::Always, "qwen3.5"),
    ("Qwen/Qwen3.5-397B-A17B", Behaviour::Always, "qwen3.5"),
    ("Qwen/Qwen3.5-4B", Behaviour::Always, "qwen3.5"),
    ("Qwen/Qwen3.5-9B", Behaviour::Always, "qwen3.5"),
    ("Qwen/Qwen3.6-35B-A3B", Behaviour::Always, "qwen3.6"),
    ("THUDM/GLM-4.5-Air", Behaviour::Always, "glm-4.5"),
    ("deepseek-ai/DeepSeek-R1", Behaviour::RenderersDeepSeekR1, "deepseek-r1"),
    ("deepseek-ai/DeepSeek-R1-0528", Behaviour::RenderersDeepSeekR1, "deepseek-r1"),
    ("deepseek-ai/DeepSeek-V3", Behaviour::Always, "deepseek-v3"),
    ("deepseek-ai/DeepSeek-V3-Base", Behaviour::Always, "deepseek-v3"),
    ("google/gemma-4-26B-A4B-it", Behaviour::RenderersInkling, "gemma4"),
    ("google/gemma-4-31B-it", Behaviour::RenderersInkling, "gemma4"),
    ("google/gemma-4-E2B-it", Behaviour::RenderersInkling, "gemma4"),
    ("google/gemma-4-E4B-it", Behaviour::RenderersInkling, "gemma4"),
    ("meta-llama/Llama-3.2-1B-Instruct", Behaviour::RenderersLlama3, "llama-3"),
    ("meta-llama/Llama-3.2-3B-Instruct", Behaviour::RenderersLlama3, "llama-3"),
    ("moonshotai/Kimi-K2-Instruct", Behaviour::Always, "kimi-k2"),
    ("moonshotai/Kimi-K2.5", Behaviour::Always, "kimi-k2.5"),
    ("moonshotai/Kimi-K2.6", Behaviour::Always, "kimi-k2.5"),
    ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", Behaviour::Always, "nemotron-3"),
    ("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16", Behaviour::Always, "nemotron-3"),
    ("nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16", Behaviour::RenderersNemotronUltra, "nemotron-3-ultra"),
    ("nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-FP8", Behaviour::RenderersNemotronUltra, "nemotron-3-ultra"),
    ("nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-BF16", Behaviour::RenderersInkling, "nemotron-3.5"),
    ("openai/gpt-oss-120b", Behaviour::Always, "gpt-oss"),
    ("openai/gpt-oss-20b", Behaviour::Always, "gpt-oss"),
    ("poolside/Laguna-M.1", Behaviour::RenderersInkling, "laguna-m.1"),
    ("poolside/Laguna-S-2.1", Behaviour::RenderersInkling, "laguna-s-2.1"),
    ("poolside/Laguna-XS-2.1", Behaviour::RenderersHy3, "laguna-xs-2.1"),
    ("poolside/Laguna-XS.2", Behaviour::Always, "laguna-xs.2"),
    ("tencent/Hy3", Behaviour::RenderersHy3, "hy3"),
    ("tencent/Hy3-FP8", Behaviour::RenderersHy3, "hy3"),
    ("thinkingmachines/Inkling", Behaviour::RenderersInkling, "inkling"),
    ("thinkingmachines/Inkling-Small", Behaviour::RenderersInkling, "inkling"),
    ("zai-org/GLM-4.5-Air", Behaviour::Always, "glm-4.5"),
    ("zai-org/GLM-4.7-Flash", Behaviour::Always, "glm-5"),
    ("zai-org/GLM-5", Behaviour::Always, "glm-5"),
    ("zai-org/GLM-5-FP8", Behaviour::Always, "glm-5"),
    ("zai-org/GLM-5.1", Behaviour::Always, "glm-5.1"),
];

/// Models that later releases of the package know, each with its renderer and the first release. Sorted by name.
const LATER: &[(&str, &str, &str)] = &[
    ("Qwen/Qwen3.8-27B", "qwen3.8", "0.1.10"),
    ("Qwen/Qwen3.8-Flash-Next", "qwen3.8", "0.1.11"),
    ("deepseek-ai/DeepSeek-V4-Flash-0731", "deepseek-v4", "0.1.11"),
    ("meta-models/Muse-Glimmer-30B", "muse-glimmer", "0.1.13.dev17"),
    ("nvidia/NVIDIA-Nemotron-3.5-Super-EA-09112026", "nemotron-3.5", "0.1.12"),
    ("zai-org/GLM-5.3", "glm-5.3", "0.1.12"),
    ("zai-org/GLM-5.3-BF16", "glm-5.3", "0.1.12"),
    ("zai-org/GLM-5.3-Flash", "glm-5.3-flash", "0.1.13.dev17"),
    ("zai-org/GLM-5.3-Flash-BF16", "glm-5.3-flash", "0.1.13.dev17"),
];

/// The names of all of them.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|(name, ..)| *name).chain(LATER.iter().map(|(name, ..)| *name))
}

/// Whether a model has a renderer of its own. Names are compared letter by letter.
pub(in crate::native) fn is_mapped(model: &str, point: Point) -> bool {
    MODELS.binary_search_by_key(&model, |(name, ..)| name).is_ok_and(|place| point.has(MODELS[place].1))
}

/// The renderer that is made for a model, by the name that it has in later versions of the package.
pub(in crate::native) fn renderer(model: &str) -> Option<&'static str> {
    let mapped = MODELS.binary_search_by_key(&model, |(name, ..)| name).map(|place| MODELS[place].2);
    mapped.ok().or_else(|| later(model).map(|(renderer, _)| renderer))
}

/// The renderer of a model that only later releases of the package know, and the first of these.
pub(in crate::native) fn later(model: &str) -> Option<(&'static str, &'static str)> {
    let place = LATER.binary_search_by_key(&model, |(name, ..)| name).ok()?;
    Some((LATER[place].1, LATER[place].2))
}

/// What to do about a model without a renderer, where a later release of the package has one.
pub(in crate::native) fn advice(model: &str, otherwise: &str) -> String {
    match later(model) {
        Some((renderer, release)) => format!(
            "the renderers package has \"{renderer}\" for it from {release} on, and this prime-rl comes with an older one: take a newer \
             prime-rl, or {otherwise}"
        ),
        None => otherwise.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use cfg_schema::History;

    use super::*;

    #[test]
    fn models_are_sorted() {
        assert!(MODELS.is_sorted_by(|(one, ..), (other, ..)| one < other));
        assert!(LATER.is_sorted_by(|(one, ..), (other, ..)| one < other));
        assert!(LATER.iter().all(|(name, ..)| MODELS.binary_search_by_key(name, |(name, ..)| name).is_err()));
    }

    #[test]
    fn a_model_is_known_from_its_point_on() {
        assert!(is_mapped("Qwen/Qwen3-0.6B", Behaviour::Always.since()));
        assert!(!is_mapped("tencent/Hy3", Behaviour::LaunchersVariables.since()));
        assert!(is_mapped("tencent/Hy3", Behaviour::RenderersHy3.since()));
        assert!(!is_mapped("qwen/qwen3-0.6b", History::built_in().newest()));
        assert!(!is_mapped("Qwen/Qwen3.8-27B", History::built_in().newest()));
    }

    #[test]
    fn a_model_of_a_later_release_is_told_with_it() {
        assert_eq!(renderer("Qwen/Qwen3-4B"), Some("qwen3"));
        assert_eq!(renderer("zai-org/GLM-5.3"), Some("glm-5.3"));
        assert!(advice("zai-org/GLM-5.3", "wait").contains("from 0.1.12 on"));
        assert_eq!(advice("Qwen/Qwen3-4B", "wait"), "wait");
    }
}
