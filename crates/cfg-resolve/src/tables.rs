//! The keys that prime-rl shares, and what it derives from the names of models. Generated from `schemas/shares.toml`, `schemas/models/names/renderers.toml` and
//! `schemas/models/names/parsers.toml` by `cargo xtask generate`.

use cfg_schema::Behaviour;

use crate::{before::Share, native::Family};

/// Shared keys, in prime-rl's order.
#[rustfmt::skip]
pub(crate) const SHARES: &[Share] = &[
    Share { with: Behaviour::SharingComesFirst, without: Some(Behaviour::VllmTable), from: "model.name", to: &["trainer.model.name", "inference.model.name", "orchestrator.model.name"] },
    Share { with: Behaviour::VllmTable, without: None, from: "model.name", to: &["trainer.model.name", "inference.vllm.model", "orchestrator.model.name"] },
    Share { with: Behaviour::SharingComesFirst, without: Some(Behaviour::VllmTable), from: "model.vlm", to: &["trainer.model.vlm", "inference.model.vlm", "orchestrator.model.vlm"] },
    Share { with: Behaviour::VllmTable, without: None, from: "model.vlm", to: &["trainer.model.vlm", "orchestrator.model.vlm"] },
    Share { with: Behaviour::SharingComesFirst, without: Some(Behaviour::InferenceLog), from: "log.level", to: &["trainer.log.level", "orchestrator.log.level"] },
    Share { with: Behaviour::InferenceLog, without: None, from: "log.level", to: &["trainer.log.level", "orchestrator.log.level", "inference.log.level"] },
    Share { with: Behaviour::SharingComesFirst, without: Some(Behaviour::InferenceLog), from: "log.json_logging", to: &["trainer.log.json_logging", "orchestrator.log.json_logging"] },
    Share { with: Behaviour::InferenceLog, without: None, from: "log.json_logging", to: &["trainer.log.json_logging", "orchestrator.log.json_logging", "inference.log.json_logging"] },
    Share { with: Behaviour::SharingComesFirst, without: None, from: "ckpt.output_dir", to: &["trainer.ckpt.output_dir"] },
    Share { with: Behaviour::SharingComesFirst, without: None, from: "ckpt.interval", to: &["trainer.ckpt.interval", "orchestrator.ckpt.interval"] },
    Share { with: Behaviour::SharingComesFirst, without: Some(Behaviour::RunTable), from: "ckpt.resume_step", to: &["trainer.ckpt.resume_step", "orchestrator.ckpt.resume_step"] },
    Share { with: Behaviour::SharingComesFirst, without: None, from: "ckpt.keep_last", to: &["trainer.ckpt.keep_last", "orchestrator.ckpt.keep_last"] },
    Share { with: Behaviour::SharingComesFirst, without: None, from: "ckpt.keep_interval", to: &["trainer.ckpt.keep_interval", "orchestrator.ckpt.keep_interval"] },
    Share { with: Behaviour::SharingComesFirst, without: Some(Behaviour::Monitors), from: "wandb.project", to: &["trainer.wandb.project", "orchestrator.wandb.project"] },
    Share { with: Behaviour::SharingComesFirst, without: Some(Behaviour::Monitors), from: "wandb.entity", to: &["trainer.wandb.entity", "orchestrator.wandb.entity"] },
    Share { with: Behaviour::SharingComesFirst, without: Some(Behaviour::Monitors), from: "wandb.name", to: &["trainer.wandb.name", "orchestrator.wandb.name"] },
    Share { with: Behaviour::SharingComesFirst, without: Some(Behaviour::Monitors), from: "wandb.group", to: &["trainer.wandb.group", "orchestrator.wandb.group"] },
    Share { with: Behaviour::SharingComesFirst, without: Some(Behaviour::Monitors), from: "wandb.tags", to: &["trainer.wandb.tags", "orchestrator.wandb.tags"] },
    Share { with: Behaviour::SharingComesFirst, without: Some(Behaviour::Monitors), from: "wandb.offline", to: &["trainer.wandb.offline", "orchestrator.wandb.offline"] },
    Share { with: Behaviour::Monitors, without: None, from: "monitors.wandb.project", to: &["trainer.monitors.wandb.project", "orchestrator.monitors.wandb.project"] },
    Share { with: Behaviour::Monitors, without: None, from: "monitors.wandb.entity", to: &["trainer.monitors.wandb.entity", "orchestrator.monitors.wandb.entity"] },
    Share { with: Behaviour::Monitors, without: None, from: "monitors.wandb.name", to: &["trainer.monitors.wandb.name", "orchestrator.monitors.wandb.name"] },
    Share { with: Behaviour::Monitors, without: None, from: "monitors.wandb.group", to: &["trainer.monitors.wandb.group", "orchestrator.monitors.wandb.group"] },
    Share { with: Behaviour::Monitors, without: None, from: "monitors.wandb.tags", to: &["trainer.monitors.wandb.tags", "orchestrator.monitors.wandb.tags"] },
    Share { with: Behaviour::Monitors, without: None, from: "monitors.wandb.offline", to: &["trainer.monitors.wandb.offline", "orchestrator.monitors.wandb.offline"] },
    Share { with: Behaviour::FileMonitor, without: Some(Behaviour::Monitors), from: "file_monitor.filename", to: &["trainer.file_monitor.filename", "orchestrator.file_monitor.filename"] },
    Share { with: Behaviour::Monitors, without: None, from: "monitors.file.path", to: &["trainer.monitors.file.path", "orchestrator.monitors.file.path"] },
    Share { with: Behaviour::Monitors, without: None, from: "monitors.prime.name", to: &["orchestrator.monitors.prime.name"] },
    Share { with: Behaviour::SharingComesFirst, without: None, from: "tokenizer.name", to: &["trainer.tokenizer.name", "orchestrator.tokenizer.name"] },
    Share { with: Behaviour::SharingComesFirst, without: None, from: "tokenizer.trust_remote_code", to: &["trainer.tokenizer.trust_remote_code", "orchestrator.tokenizer.trust_remote_code"] },
    Share { with: Behaviour::SharingComesFirst, without: Some(Behaviour::VllmTable), from: "tokenizer.chat_template", to: &["trainer.tokenizer.chat_template", "orchestrator.tokenizer.chat_template", "inference.model.chat_template"] },
    Share { with: Behaviour::VllmTable, without: None, from: "tokenizer.chat_template", to: &["trainer.tokenizer.chat_template", "orchestrator.tokenizer.chat_template", "inference.vllm.chat_template"] },
    Share { with: Behaviour::SharedTransport, without: None, from: "rollout_transport", to: &["trainer.rollout_transport", "orchestrator.rollout_transport"] },
    Share { with: Behaviour::SharingComesFirst, without: None, from: "max_steps", to: &["trainer.max_steps", "orchestrator.max_steps"] },
    Share { with: Behaviour::SharingComesFirst, without: Some(Behaviour::NoAsyncLevel), from: "max_async_level", to: &["trainer.max_async_level", "orchestrator.max_async_level"] },
    Share { with: Behaviour::SharingComesFirst, without: None, from: "seq_len", to: &["trainer.model.seq_len", "orchestrator.seq_len"] },
    Share { with: Behaviour::InferenceSlurm, without: None, from: "slurm", to: &["inference.slurm"] },
    Share { with: Behaviour::OneAddress, without: Some(Behaviour::RunTable), from: "output_dir", to: &["trainer.output_dir", "orchestrator.output_dir"] },
];

/// Old spellings of their targets.
#[rustfmt::skip]
pub(crate) const ALIASES: &[Share] = &[
    Share { with: Behaviour::SharingComesFirst, without: Some(Behaviour::Algorithms), from: "model.name", to: &["orchestrator.student.model.name"] },
    Share { with: Behaviour::SharingComesFirst, without: Some(Behaviour::Algorithms), from: "model.vlm", to: &["orchestrator.student.model.vlm"] },
];

/// Shared tables that turn tables on.
#[rustfmt::skip]
pub(crate) const PRESENCES: &[Share] = &[
    Share { with: Behaviour::SharingComesFirst, without: None, from: "ckpt", to: &["trainer.ckpt", "orchestrator.ckpt"] },
    Share { with: Behaviour::SharingComesFirst, without: Some(Behaviour::Monitors), from: "wandb", to: &["trainer.wandb", "orchestrator.wandb"] },
    Share { with: Behaviour::FileMonitor, without: Some(Behaviour::Monitors), from: "file_monitor", to: &["trainer.file_monitor", "orchestrator.file_monitor"] },
    Share { with: Behaviour::Monitors, without: None, from: "monitors.wandb", to: &["trainer.monitors.wandb", "orchestrator.monitors.wandb"] },
    Share { with: Behaviour::Monitors, without: None, from: "monitors.file", to: &["trainer.monitors.file", "orchestrator.monitors.file"] },
    Share { with: Behaviour::Monitors, without: None, from: "monitors.prime", to: &["orchestrator.monitors.prime"] },
];

/// Models with a renderer of their own, since when, and which.
#[rustfmt::skip]
pub(crate) const RENDERERS: &[(&str, Behaviour, &str)] = &[
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

/// Models that only later releases know: the renderer, and the release.
#[rustfmt::skip]
pub(crate) const LATER_RENDERERS: &[(&str, &str, &str)] = &[
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

/// How models write tool calls.
#[rustfmt::skip]
pub(crate) const TOOL_CALLS: &[Family] = &[
    Family { prefix: "arcee-ai/Trinity-Large-Thinking", contains: "", parser: "qwen3_coder", with: Behaviour::Trinity },
    Family { prefix: "arcee-ai/Trinity-", contains: "", parser: "hermes", with: Behaviour::Trinity },
    Family { prefix: "deepseek-ai/DeepSeek-V3.2", contains: "", parser: "deepseek_v32", with: Behaviour::Always },
    Family { prefix: "deepseek-ai/DeepSeek-V3.1", contains: "", parser: "deepseek_v31", with: Behaviour::Always },
    Family { prefix: "zai-org/GLM-4.5", contains: "", parser: "glm45", with: Behaviour::Always },
    Family { prefix: "zai-org/GLM-4.7", contains: "", parser: "glm47", with: Behaviour::Always },
    Family { prefix: "zai-org/GLM-5", contains: "", parser: "glm47", with: Behaviour::Always },
    Family { prefix: "MiniMaxAI/MiniMax-M2", contains: "", parser: "minimax_m2", with: Behaviour::Always },
    Family { prefix: "openai/gpt-oss", contains: "", parser: "openai", with: Behaviour::Trinity },
    Family { prefix: "poolside/Laguna", contains: "", parser: "poolside_v1", with: Behaviour::Trinity },
    Family { prefix: "PrimeIntellect/INTELLECT-3", contains: "", parser: "qwen3_coder", with: Behaviour::Always },
    Family { prefix: "nvidia/NVIDIA-Nemotron-3", contains: "", parser: "qwen3_coder", with: Behaviour::Always },
    Family { prefix: "stepfun-ai/Step-3.5", contains: "", parser: "step3p5", with: Behaviour::Always },
    Family { prefix: "Qwen/Qwen3.5-", contains: "", parser: "qwen3_coder", with: Behaviour::Always },
    Family { prefix: "Qwen/Qwen3.6-", contains: "", parser: "qwen3_coder", with: Behaviour::Qwen36 },
    Family { prefix: "Qwen/Qwen3.8-", contains: "", parser: "qwen3_coder", with: Behaviour::Qwen36 },
    Family { prefix: "Qwen/Qwen3-Coder", contains: "", parser: "qwen3_coder", with: Behaviour::Always },
    Family { prefix: "Qwen/Qwen3-", contains: "", parser: "hermes", with: Behaviour::Always },
];

/// How models write their reasoning.
#[rustfmt::skip]
pub(crate) const REASONING: &[Family] = &[
    Family { prefix: "arcee-ai/Trinity-Large-Thinking", contains: "", parser: "deepseek_r1", with: Behaviour::Trinity },
    Family { prefix: "arcee-ai/Trinity-Mini", contains: "", parser: "deepseek_r1", with: Behaviour::Trinity },
    Family { prefix: "arcee-ai/Trinity-Nano", contains: "", parser: "deepseek_r1", with: Behaviour::Trinity },
    Family { prefix: "deepseek-ai/DeepSeek-V3.1", contains: "", parser: "deepseek_r1", with: Behaviour::Always },
    Family { prefix: "deepseek-ai/DeepSeek-V3.2", contains: "", parser: "deepseek_r1", with: Behaviour::Always },
    Family { prefix: "zai-org/GLM-", contains: "", parser: "glm45", with: Behaviour::Always },
    Family { prefix: "MiniMaxAI/MiniMax-M2", contains: "", parser: "minimax_m2_append_think", with: Behaviour::Always },
    Family { prefix: "poolside/Laguna", contains: "", parser: "poolside_v1", with: Behaviour::Trinity },
    Family { prefix: "PrimeIntellect/INTELLECT-3", contains: "", parser: "deepseek_r1", with: Behaviour::Always },
    Family { prefix: "nvidia/NVIDIA-Nemotron-3-Super", contains: "", parser: "nemotron_v3", with: Behaviour::NemotronReasons },
    Family { prefix: "nvidia/NVIDIA-Nemotron-3-Nano", contains: "", parser: "nano_v3", with: Behaviour::NemotronReasons },
    Family { prefix: "nvidia/NVIDIA-Nemotron-3.5", contains: "", parser: "nano_v3", with: Behaviour::Nemotron35 },
    Family { prefix: "stepfun-ai/Step-3.5", contains: "", parser: "step3p5", with: Behaviour::Always },
    Family { prefix: "Qwen/Qwen3-", contains: "Thinking", parser: "deepseek_r1", with: Behaviour::Always },
    Family { prefix: "Qwen/Qwen3.5-", contains: "", parser: "qwen3", with: Behaviour::Always },
    Family { prefix: "Qwen/Qwen3.6-", contains: "", parser: "qwen3", with: Behaviour::Qwen36 },
    Family { prefix: "Qwen/Qwen3.8-", contains: "", parser: "qwen3", with: Behaviour::Qwen36 },
];

/// Parsers of tool calls, each with the models that have it.
#[rustfmt::skip]
pub(crate) const EXACT_TOOL_CALLS: &[(&str, &[&str])] = &[
    ("glm45", &["zai-org/GLM-4.5", "zai-org/GLM-4.5-Air", "zai-org/GLM-4.5-Air-Base", "zai-org/GLM-4.5-Air-FP8", "zai-org/GLM-4.5-Base", "zai-org/GLM-4.5-FP8", "zai-org/GLM-4.5V", "zai-org/GLM-4.5V-FP8"]),
    ("glm47", &["zai-org/GLM-4.7", "zai-org/GLM-4.7-FP8", "zai-org/GLM-4.7-Flash"]),
    ("minimax_m2", &["MiniMaxAI/MiniMax-M2", "MiniMaxAI/MiniMax-M2.1", "MiniMaxAI/MiniMax-M2.5"]),
    ("hermes", &["PrimeIntellect/INTELLECT-3", "PrimeIntellect/INTELLECT-3-FP8", "PrimeIntellect/INTELLECT-3.1", "Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B-Base", "Qwen/Qwen3-0.6B-FP8", "Qwen/Qwen3-1.7B", "Qwen/Qwen3-1.7B-Base", "Qwen/Qwen3-1.7B-FP8", "Qwen/Qwen3-14B", "Qwen/Qwen3-14B-Base", "Qwen/Qwen3-14B-FP8", "Qwen/Qwen3-235B-A22B", "Qwen/Qwen3-235B-A22B-FP8", "Qwen/Qwen3-235B-A22B-Instruct-2507", "Qwen/Qwen3-235B-A22B-Instruct-2507-FP8", "Qwen/Qwen3-235B-A22B-Thinking-2507", "Qwen/Qwen3-235B-A22B-Thinking-2507-FP8", "Qwen/Qwen3-30B-A3B", "Qwen/Qwen3-30B-A3B-Base", "Qwen/Qwen3-30B-A3B-FP8", "Qwen/Qwen3-30B-A3B-Instruct-2507", "Qwen/Qwen3-30B-A3B-Instruct-2507-FP8", "Qwen/Qwen3-30B-A3B-Thinking-2507", "Qwen/Qwen3-30B-A3B-Thinking-2507-FP8", "Qwen/Qwen3-32B", "Qwen/Qwen3-32B-FP8", "Qwen/Qwen3-4B", "Qwen/Qwen3-4B-Base", "Qwen/Qwen3-4B-FP8", "Qwen/Qwen3-4B-Instruct-2507", "Qwen/Qwen3-4B-Instruct-2507-FP8", "Qwen/Qwen3-4B-Thinking-2507", "Qwen/Qwen3-4B-Thinking-2507-FP8", "Qwen/Qwen3-8B", "Qwen/Qwen3-8B-Base", "Qwen/Qwen3-8B-FP8", "Qwen/Qwen3-Coder-30B-A3B-Instruct", "Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8", "Qwen/Qwen3-Coder-480B-A35B-Instruct", "Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8", "Qwen/Qwen3-Coder-Next", "Qwen/Qwen3-Coder-Next-Base", "Qwen/Qwen3-Coder-Next-FP8", "Qwen/Qwen3-Next-80B-A3B-Instruct", "Qwen/Qwen3-Next-80B-A3B-Instruct-FP8", "Qwen/Qwen3-Next-80B-A3B-Thinking", "Qwen/Qwen3-Next-80B-A3B-Thinking-FP8", "Qwen/Qwen3.5-397B-A17B", "Qwen/Qwen3.5-397B-A17B-FP8"]),
];
