use super::{Likeness, named, stated_format, unquantised};
use crate::precision::Format;

/// The model that a name is taken for, how, and the format of its weights.
fn found(name: &str) -> Option<(&'static str, Likeness, Format)> {
    named(name).ok().map(|named| (named.model.id, named.likeness, named.precision.format))
}

#[test]
fn other_spellings_and_precisions_are_variants() {
    use Format::{Bnb4, Fp8, Half, Int4, Int8, Mxfp4, Nvfp4};
    let cases = [
        ("unsloth/Qwen3-8B", "Qwen/Qwen3-8B", Half),
        ("Qwen/Qwen3-8B-FP8", "Qwen/Qwen3-8B", Fp8),
        ("RedHatAI/Qwen3-8B-FP8-dynamic", "Qwen/Qwen3-8B", Fp8),
        ("RedHatAI/Qwen3-8B-quantized.w4a16", "Qwen/Qwen3-8B", Int4),
        ("Qwen/Qwen3-8B-AWQ", "Qwen/Qwen3-8B", Int4),
        ("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8", "Qwen/Qwen2.5-7B-Instruct", Int8),
        ("unsloth/Qwen2.5-7B-Instruct-unsloth-bnb-4bit", "Qwen/Qwen2.5-7B-Instruct", Bnb4),
        ("nvidia/Qwen3-30B-A3B-NVFP4", "Qwen/Qwen3-30B-A3B", Nvfp4),
        ("unsloth/gpt-oss-20b-BF16", "openai/gpt-oss-20b", Half),
        ("openai/gpt-oss-20b", "openai/gpt-oss-20b", Mxfp4),
        ("qwen/qwen3-8b-04-28", "Qwen/Qwen3-8B", Half),
        ("qwen/qwen3-235b-a22b-2507", "Qwen/Qwen3-235B-A22B-Instruct-2507", Half),
        ("qwen/qwen-2.5-72b-instruct", "Qwen/Qwen2.5-72B-Instruct", Half),
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B-Instruct", Half),
        ("meta-llama/llama-3.3-70b-instruct:free", "meta-llama/Llama-3.3-70B-Instruct", Half),
        ("z-ai/glm-4.6", "zai-org/GLM-4.6", Half),
        ("z-ai/glm-5", "zai-org/GLM-5", Half),
        ("zai-org/GLM-5.1-FP8", "zai-org/GLM-5.1", Fp8),
        ("moonshotai/kimi-k2-0905", "moonshotai/Kimi-K2-Instruct-0905", Fp8),
        ("moonshotai/kimi-k2-thinking-20251106", "moonshotai/Kimi-K2-Thinking", Int4),
        ("minimax/minimax-m2.5-20260211", "MiniMaxAI/MiniMax-M2.5", Fp8),
        ("PrimeIntellect/MiniMax-M2.5-bf16", "MiniMaxAI/MiniMax-M2.5", Half),
        ("nvidia/nemotron-3-nano-30b-a3b", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", Half),
        ("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-FP8", "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16", Fp8),
        ("PrimeIntellect/INTELLECT-3-Base", "PrimeIntellect/INTELLECT-3", Half),
        ("gemma-3-27b-it", "google/gemma-3-27b-it", Half),
        ("qwen3:8b", "Qwen/Qwen3-8B", Half),
        ("gpt-oss:20b", "openai/gpt-oss-20b", Mxfp4),
        ("qwen3:30b-a3b", "Qwen/Qwen3-30B-A3B", Half),
    ];
    for (name, model, format) in cases {
        assert_eq!(found(name).map(|(id, _, format)| (id, format)), Some((model, format)), "{name}");
    }
    assert_eq!(found("Qwen/Qwen3-8B").map(|(_, likeness, _)| likeness), Some(Likeness::Exact));
    assert_eq!(found("Qwen/Qwen3-8B-FP8").map(|(_, likeness, _)| likeness), Some(Likeness::Variant));
}

#[test]
fn a_precision_is_stated_by_a_name_or_its_entry() {
    let is_quantised = |name: &str| stated_format(name).map(Format::is_quantised);
    assert_eq!(is_quantised("Qwen/Qwen3-8B"), Some(false));
    assert_eq!(is_quantised("Qwen/Qwen3-8B-FP8"), Some(true));
    assert_eq!(is_quantised("openai/gpt-oss-20b"), Some(true));
    assert_eq!(is_quantised("mistralai/Ministral-3-8B-Instruct-2512"), Some(true));
    assert_eq!(is_quantised("mistralai/Ministral-3-8B-Instruct-2512-BF16"), Some(false));
    // Others upload the same model in another precision.
    assert!(named("unsloth/gpt-oss-20b").is_ok());
    assert_eq!(is_quantised("unsloth/gpt-oss-20b"), None);
    assert_eq!(is_quantised("/runs/qwen3-8b-fp8/weights"), None);
}

#[test]
fn a_quantised_model_has_been_made_of_one_with_16_bits() {
    let plain = |name: &str| unquantised(name).map(|model| model.id);
    assert_eq!(plain("Qwen/Qwen3-8B-FP8"), Some("Qwen/Qwen3-8B"));
    assert_eq!(plain("unsloth/Qwen2.5-7B-Instruct-bnb-4bit"), Some("Qwen/Qwen2.5-7B-Instruct"));
    assert_eq!(plain("mistralai/Ministral-3-8B-Instruct-2512"), Some("mistralai/Ministral-3-8B-Instruct-2512-BF16"));
    assert_eq!(plain("openai/gpt-oss-20b"), None);
    assert_eq!(plain("someone/Qwen3-8B-mine-FP8"), None);
}

#[test]
fn fine_tuned_models_have_the_shape_that_their_name_contains() {
    let cases = [
        ("someone/Qwen2.5-0.5B-Reverse-SFT", "Qwen/Qwen2.5-0.5B"),
        ("HarleyCooper/Qwen3-30B-Dakota1890", "Qwen/Qwen3-30B-A3B"),
        ("/data/models/Qwen3-8B-wordle/step_100", "Qwen/Qwen3-8B"),
        ("NousResearch/Hermes-3-Llama-3.1-70B", "meta-llama/Llama-3.1-70B"),
        ("tokyotech-llm/Llama-3.3-Swallow-70B-Instruct-v0.5", "meta-llama/Llama-3.3-70B-Instruct"),
        ("someone/qwen2.5-bakeneko-7b-v2", "Qwen/Qwen2.5-7B"),
        ("Jackmin108/Moonlight-16B-A3B-Instruct-Fast", "moonshotai/Moonlight-16B-A3B"),
        ("mikasenghaas/Qwen3-14B-0.2", "Qwen/Qwen3-14B"),
        ("nreHieW/partial-edits-sft-qwen3-4b-instruct-2507", "Qwen/Qwen3-4B"),
    ];
    for (name, model) in cases {
        let (id, likeness, _) = found(name).unwrap_or_else(|| panic!("{name}"));
        let (expected, got) = (super::super::model(model).expect("known"), super::super::model(id).expect("known"));
        assert_eq!((expected.published, likeness), (got.published, Likeness::FineTuned), "{name}: {id}");
    }
}

#[test]
fn later_checkpoints_have_the_shape_of_what_they_were_trained_from() {
    let cases = [
        ("allenai/tulu-2-dpo-70b", "meta-llama/Llama-2-70b-hf"),
        ("allenai/OLMo-2-0425-1B-RLVR1", "allenai/OLMo-2-0425-1B"),
        ("TinyLlama/TinyLlama_v1.1", "TinyLlama/TinyLlama-1.1B-Chat-v1.0"),
        ("deepcogito/cogito-v1-preview-qwen-14B", "Qwen/Qwen2.5-14B"),
        ("katanemo/Plano-Orchestrator-30B-A3B-FP8", "Qwen/Qwen3-30B-A3B"),
        ("zai-org/AutoGLM-Phone-9B", "zai-org/GLM-4.1V-9B-Thinking"),
        ("Nanbeige/Nanbeige4.1-3B", "Nanbeige/Nanbeige4-3B-Base"),
    ];
    for (name, model) in cases {
        let (id, ..) = found(name).unwrap_or_else(|| panic!("{name}"));
        let (expected, got) = (super::super::model(model).expect("known"), super::super::model(id).expect("known"));
        assert_eq!(expected.published, got.published, "{name}: {id}");
    }
}

#[test]
fn folders_are_called_after_models_in_other_spellings() {
    let cases = [
        ("outputs/math_qwen3_4b_instruct/weights/step_200", "Qwen/Qwen3-4B"),
        ("checkpoints/qwen2_5_7b_sft/step_1000", "Qwen/Qwen2.5-7B"),
        ("runs/qwen2_5_1_5b_math/hf", "Qwen/Qwen2.5-1.5B"),
        ("/mnt/ckpt/qwen3_1_7b_base/hf", "Qwen/Qwen3-1.7B"),
        ("outputs/qwen3_0_6b_rt/run_default/broadcasts/step_20", "Qwen/Qwen3-0.6B"),
        ("models/llama3_1_8b_instruct", "meta-llama/Llama-3.1-8B"),
        ("outputs/qwen25-3b-mixed", "Qwen/Qwen2.5-3B"),
        ("outputs/dynamo-qwen3-06b-math", "Qwen/Qwen3-0.6B"),
        ("someone/llama31-8b-sft", "meta-llama/Llama-3.1-8B"),
        ("~/.cache/huggingface/hub/models--Qwen--Qwen3-8B/snapshots/b968826d9c46dd6066d109eabc6255188de91218", "Qwen/Qwen3-8B"),
    ];
    for (name, model) in cases {
        let (id, likeness, _) = found(name).unwrap_or_else(|| panic!("{name}"));
        let (expected, got) = (super::super::model(model).expect("known"), super::super::model(id).expect("known"));
        assert_eq!(expected.published, got.published, "{name}: {id}");
        assert!(likeness != Likeness::Exact, "{name}");
    }
}

#[test]
fn other_shapes_are_unknown() {
    let unknown = [
        "nobody/nothing",
        "Qwen/Qwen3-9B",
        "Qwen/Qwen3",
        "Qwen/Qwen3-8B-GGUF",
        "Qwen/Qwen3-8B-MLX-4bit",
        "mlx-community/Qwen3-8B-4bit",
        "turboderp/Qwen3-8B-exl3",
        "someone/Olmo-3-Hybrid-7B",
        "someone/Qwen3-VL-8B-from-scratch-2B",
        "AngelSlim/Qwen3-8B_eagle3",
        "someone/Qwen3-8B-pruned-6B",
        "someone/Qwen3-4B-to-8B",
        "Qwen/Qwen3-Omni-30B-A3B-Instruct",
        "org/llama",
        "openai/gpt-5",
        "anakin87/qwen-scheduler-grpo",
        "deepseek-ai/DeepSeek-V9",
        "moonshotai/Kimi-K4",
        "outputs/weights/step_100",
        "outputs/qwen_4b/weights/step_100",
        "outputs/qwen3_9b/step_1",
        "goyalayus/wordle-full-qwen06b",
        "debaters/qwen35-a3b",
        "home/qwen3-8b/a/b/c",
        "",
        "/",
        "8b",
    ];
    for name in unknown {
        assert_eq!(found(name), None, "{name}");
    }
}
