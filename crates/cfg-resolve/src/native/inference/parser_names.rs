//! The models whose tool calls prime-rl knew by exact name, from `bf0f903b8` to `5b15e54e8`.

const GLM45: [&str; 8] = [
    "zai-org/GLM-4.5",
    "zai-org/GLM-4.5-Air",
    "zai-org/GLM-4.5-Air-Base",
    "zai-org/GLM-4.5-Air-FP8",
    "zai-org/GLM-4.5-Base",
    "zai-org/GLM-4.5-FP8",
    "zai-org/GLM-4.5V",
    "zai-org/GLM-4.5V-FP8",
];

const GLM47: [&str; 3] = ["zai-org/GLM-4.7", "zai-org/GLM-4.7-FP8", "zai-org/GLM-4.7-Flash"];

const MINIMAX_M2: [&str; 3] = ["MiniMaxAI/MiniMax-M2", "MiniMaxAI/MiniMax-M2.1", "MiniMaxAI/MiniMax-M2.5"];

const HERMES: [&str; 50] = [
    "PrimeIntellect/INTELLECT-3",
    "PrimeIntellect/INTELLECT-3-FP8",
    "PrimeIntellect/INTELLECT-3.1",
    "Qwen/Qwen3-0.6B",
    "Qwen/Qwen3-0.6B-Base",
    "Qwen/Qwen3-0.6B-FP8",
    "Qwen/Qwen3-1.7B",
    "Qwen/Qwen3-1.7B-Base",
    "Qwen/Qwen3-1.7B-FP8",
    "Qwen/Qwen3-14B",
    "Qwen/Qwen3-14B-Base",
    "Qwen/Qwen3-14B-FP8",
    "Qwen/Qwen3-235B-A22B",
    "Qwen/Qwen3-235B-A22B-FP8",
    "Qwen/Qwen3-235B-A22B-Instruct-2507",
    "Qwen/Qwen3-235B-A22B-Instruct-2507-FP8",
    "Qwen/Qwen3-235B-A22B-Thinking-2507",
    "Qwen/Qwen3-235B-A22B-Thinking-2507-FP8",
    "Qwen/Qwen3-30B-A3B",
    "Qwen/Qwen3-30B-A3B-Base",
    "Qwen/Qwen3-30B-A3B-FP8",
    "Qwen/Qwen3-30B-A3B-Instruct-2507",
    "Qwen/Qwen3-30B-A3B-Instruct-2507-FP8",
    "Qwen/Qwen3-30B-A3B-Thinking-2507",
    "Qwen/Qwen3-30B-A3B-Thinking-2507-FP8",
    "Qwen/Qwen3-32B",
    "Qwen/Qwen3-32B-FP8",
    "Qwen/Qwen3-4B",
    "Qwen/Qwen3-4B-Base",
    "Qwen/Qwen3-4B-FP8",
    "Qwen/Qwen3-4B-Instruct-2507",
    "Qwen/Qwen3-4B-Instruct-2507-FP8",
    "Qwen/Qwen3-4B-Thinking-2507",
    "Qwen/Qwen3-4B-Thinking-2507-FP8",
    "Qwen/Qwen3-8B",
    "Qwen/Qwen3-8B-Base",
    "Qwen/Qwen3-8B-FP8",
    "Qwen/Qwen3-Coder-30B-A3B-Instruct",
    "Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8",
    "Qwen/Qwen3-Coder-480B-A35B-Instruct",
    "Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8",
    "Qwen/Qwen3-Coder-Next",
    "Qwen/Qwen3-Coder-Next-Base",
    "Qwen/Qwen3-Coder-Next-FP8",
    "Qwen/Qwen3-Next-80B-A3B-Instruct",
    "Qwen/Qwen3-Next-80B-A3B-Instruct-FP8",
    "Qwen/Qwen3-Next-80B-A3B-Thinking",
    "Qwen/Qwen3-Next-80B-A3B-Thinking-FP8",
    "Qwen/Qwen3.5-397B-A17B",
    "Qwen/Qwen3.5-397B-A17B-FP8",
];

/// How a model of this name writes its tool calls.
pub(super) fn tool_calls(name: &str) -> Option<&'static str> {
    let known: [(&str, &[&str]); 4] = [("glm45", &GLM45), ("glm47", &GLM47), ("minimax_m2", &MINIMAX_M2), ("hermes", &HERMES)];
    known.into_iter().find(|(_, names)| names.contains(&name)).map(|(parser, _)| parser)
}
