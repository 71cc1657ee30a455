//! What is known of models by their names. Made of `schemas/models/names/known.toml` by `cargo xtask generate`.

use cfg_diag::Severity;
use cfg_schema::Point;

use crate::catalogue::{Answer, Architecture, Blocker, Caller, Family, Hosted, Native, Slug, Template, Told};

#[rustfmt::skip]
pub(crate) static ARCHITECTURES: &[Architecture] = &[
    Architecture { name: "llama", native: Native::Always, dense: true, linear: &["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "lm_head"], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "qwen2", native: Native::Never, dense: true, linear: &["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "lm_head"], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "qwen3", native: Native::Since(Point(310)), dense: true, linear: &["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "lm_head"], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "mistral", native: Native::Never, dense: true, linear: &["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "lm_head"], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "gemma3", native: Native::Never, dense: true, linear: &["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "lm_head"], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "olmo3", native: Native::Never, dense: true, linear: &["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "lm_head"], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "ministral3", native: Native::Never, dense: true, linear: &["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "lm_head"], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "qwen3_moe", native: Native::Always, dense: false, linear: &[], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "glm4_moe", native: Native::Always, dense: false, linear: &[], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "afmoe", native: Native::Since(Point(125)), dense: false, linear: &[], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "minimax_m2", native: Native::Since(Point(175)), dense: false, linear: &[], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "glm_moe_dsa", native: Native::Since(Point(184)), dense: false, linear: &[], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "qwen3_5_moe", native: Native::Since(Point(219)), dense: false, linear: &[], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "nemotron_h", native: Native::Since(Point(233)), dense: false, linear: &[], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "gpt_oss", native: Native::Since(Point(287)), dense: false, linear: &[], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "laguna", native: Native::Since(Point(302)), dense: false, linear: &[], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "deepseek_v3", native: Native::Never, dense: false, linear: &[], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "mixtral", native: Native::Never, dense: false, linear: &[], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "qwen3_vl", native: Native::Never, dense: false, linear: &[], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
    Architecture { name: "qwen2_5_vl", native: Native::Never, dense: false, linear: &[], told: Told { source: "prime-rl's trainer/models", confirmed: "2026-08-21" } },
];

#[rustfmt::skip]
pub(crate) static FAMILIES: &[Family] = &[
    Family { prefixes: &["Qwen/Qwen2.5-"], architecture: Some("qwen2"), parsers: &["hermes"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["Qwen/Qwen2.5-VL-", "Qwen/Qwen2-VL-"], architecture: Some("qwen2_5_vl"), parsers: &["hermes"], vision: true, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["Qwen/Qwen3-"], architecture: None, parsers: &["hermes"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["Qwen/Qwen3-0.6B", "Qwen/Qwen3-1.7B", "Qwen/Qwen3-4B", "Qwen/Qwen3-8B", "Qwen/Qwen3-14B", "Qwen/Qwen3-32B", "PrimeIntellect/Qwen3-0.6B", "PrimeIntellect/Qwen3-1.7B", "PrimeIntellect/Qwen3-4B", "willcb/Qwen3-"], architecture: Some("qwen3"), parsers: &["hermes"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["Qwen/Qwen3-30B-A3B", "Qwen/Qwen3-235B-A22B"], architecture: Some("qwen3_moe"), parsers: &["hermes"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["Qwen/Qwen3-Coder"], architecture: None, parsers: &["qwen3_coder", "qwen3_xml", "hermes"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["Qwen/Qwen3-Coder-30B", "Qwen/Qwen3-Coder-480B"], architecture: Some("qwen3_moe"), parsers: &["qwen3_coder", "qwen3_xml", "hermes"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["Qwen/Qwen3-VL-"], architecture: Some("qwen3_vl"), parsers: &["hermes"], vision: true, remote_code: false, told: Told { source: "field notes of a project that trained with prime-rl; prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["Qwen/Qwen3.5-", "Qwen/Qwen3.6-", "Qwen/Qwen3.8-"], architecture: None, parsers: &["qwen3_coder", "qwen3_xml"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["meta-llama/Llama-3", "meta-llama/Meta-Llama-3"], architecture: Some("llama"), parsers: &["llama3_json", "pythonic"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["meta-llama/Llama-4"], architecture: None, parsers: &["llama4_pythonic", "llama4_json"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["mistralai/Mistral-", "mistralai/Ministral-8B", "mistralai/Ministral-3-", "mistralai/Mistral-Small"], architecture: None, parsers: &["mistral"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["mistralai/Mistral-7B", "mistralai/Mistral-Nemo"], architecture: Some("mistral"), parsers: &["mistral", "hermes"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["mistralai/Mixtral-"], architecture: Some("mixtral"), parsers: &["mistral", "hermes"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["openai/gpt-oss"], architecture: Some("gpt_oss"), parsers: &["openai"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["zai-org/GLM-4.5", "zai-org/GLM-4.6"], architecture: Some("glm4_moe"), parsers: &["glm45"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["zai-org/GLM-4.5V", "zai-org/GLM-4.6V", "zai-org/GLM-4.1V"], architecture: None, parsers: &["glm45"], vision: true, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["zai-org/GLM-4.7"], architecture: Some("glm4_moe"), parsers: &["glm47"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["zai-org/GLM-4.7-Flash"], architecture: None, parsers: &["glm47"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["zai-org/GLM-5"], architecture: Some("glm_moe_dsa"), parsers: &["glm47"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["PrimeIntellect/INTELLECT-3"], architecture: Some("glm4_moe"), parsers: &["qwen3_coder", "hermes"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["arcee-ai/Trinity-"], architecture: Some("afmoe"), parsers: &["hermes"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["arcee-ai/Trinity-Large-Thinking"], architecture: Some("afmoe"), parsers: &["qwen3_coder"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["MiniMaxAI/MiniMax-M2"], architecture: Some("minimax_m2"), parsers: &["minimax_m2"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["deepseek-ai/DeepSeek-V3.2"], architecture: None, parsers: &["deepseek_v32"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["deepseek-ai/DeepSeek-V3.1"], architecture: Some("deepseek_v3"), parsers: &["deepseek_v31"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-R1"], architecture: None, parsers: &["deepseek_v3"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["nvidia/NVIDIA-Nemotron-3"], architecture: None, parsers: &["qwen3_coder"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["moonshotai/Kimi-K2"], architecture: Some("deepseek_v3"), parsers: &["kimi_k2"], vision: false, remote_code: true, told: Told { source: "vLLM's tool parsers; the tokenizer of these models is code of their repository", confirmed: "2026-08-21" } },
    Family { prefixes: &["moonshotai/Moonlight-"], architecture: Some("deepseek_v3"), parsers: &[], vision: false, remote_code: true, told: Told { source: "the tokenizer of these models is code of their repository", confirmed: "2026-08-21" } },
    Family { prefixes: &["allenai/Olmo-3-"], architecture: Some("olmo3"), parsers: &["olmo3"], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["google/gemma-3-"], architecture: Some("gemma3"), parsers: &[], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
    Family { prefixes: &["HuggingFaceTB/SmolLM2-"], architecture: Some("llama"), parsers: &[], vision: false, remote_code: false, told: Told { source: "prime-rl's tables of parsers (2026-02, 2026-08) and vLLM's tool parsers", confirmed: "2026-08-21" } },
];

#[rustfmt::skip]
pub(crate) static HOSTED: &[Hosted] = &[
    Hosted { prefixes: &["anthropic/"], exceptions: &[], told: Told { source: "field notes of a project that trained with prime-rl", confirmed: "2026-01-04" } },
    Hosted { prefixes: &["openai/gpt-", "openai/o1", "openai/o3", "openai/o4", "openai/chatgpt"], exceptions: &["openai/gpt-oss", "openai/gpt-2"], told: Told { source: "field notes of a project that trained with prime-rl", confirmed: "2026-01-04" } },
    Hosted { prefixes: &["google/gemini"], exceptions: &[], told: Told { source: "field notes of a project that trained with prime-rl", confirmed: "2026-01-04" } },
    Hosted { prefixes: &["x-ai/"], exceptions: &[], told: Told { source: "field notes of a project that trained with prime-rl", confirmed: "2026-01-04" } },
    Hosted { prefixes: &["qwen/qwen3-max", "qwen/qwen-max", "qwen/qwen-plus", "qwen/qwen-turbo"], exceptions: &[], told: Told { source: "field notes of a project that trained with prime-rl", confirmed: "2026-01-04" } },
    Hosted { prefixes: &["gpt-3.5-turbo", "gpt-4", "gpt-5", "chatgpt-", "claude-3", "claude-opus", "claude-sonnet", "claude-haiku", "gemini-1", "gemini-2", "gemini-3"], exceptions: &[], told: Told { source: "names under which OpenAI, Anthropic and Google serve models whose weights they don't publish", confirmed: "2026-11-21" } },
    Hosted { prefixes: &["openrouter/", "amazon/nova"], exceptions: &[], told: Told { source: "field notes of a project that trained with prime-rl", confirmed: "2026-01-04" } },
];

#[rustfmt::skip]
pub(crate) static SLUGS: &[Slug] = &[
    Slug { slug: "arcee-ai/trinity-mini", hub: "arcee-ai/Trinity-Mini", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "qwen/qwen3-8b", hub: "Qwen/Qwen3-8B", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "qwen/qwen3-4b", hub: "Qwen/Qwen3-4B", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "qwen/qwen3-14b", hub: "Qwen/Qwen3-14B", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "qwen/qwen3-32b", hub: "Qwen/Qwen3-32B", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "qwen/qwen3-30b-a3b-instruct-2507", hub: "Qwen/Qwen3-30B-A3B-Instruct-2507", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "qwen/qwen3-30b-a3b-thinking-2507", hub: "Qwen/Qwen3-30B-A3B-Thinking-2507", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "allenai/olmo-3-7b-instruct", hub: "allenai/Olmo-3-7B-Instruct", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "allenai/olmo-3-7b-think", hub: "allenai/Olmo-3-7B-Think", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "qwen/qwen3-vl-8b-instruct", hub: "Qwen/Qwen3-VL-8B-Instruct", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "mistralai/mistral-large-2512", hub: "mistralai/Mistral-Large-3-675B-Instruct-2512", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their lists of models; the hub's names as models are published", confirmed: "2026-11-21" } },
    Slug { slug: "qwen/qwen3-coder", hub: "Qwen/Qwen3-Coder-480B-A35B-Instruct", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their lists of models; the hub's names as models are published", confirmed: "2026-11-21" } },
    Slug { slug: "prime-intellect/intellect-3", hub: "PrimeIntellect/INTELLECT-3", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "z-ai/glm-4.5-air", hub: "zai-org/GLM-4.5-Air", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "mistralai/mistral-nemo", hub: "mistralai/Mistral-Nemo-Instruct-2407", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "meta-llama/llama-4-maverick", hub: "meta-llama/Llama-4-Maverick-17B-128E-Instruct", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "qwen/qwen3-235b-a22b-2507", hub: "Qwen/Qwen3-235B-A22B-Instruct-2507", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "qwen/qwen3-235b-a22b-instruct-2507", hub: "Qwen/Qwen3-235B-A22B-Instruct-2507", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "qwen/qwen3-235b-a22b-thinking-2507", hub: "Qwen/Qwen3-235B-A22B-Thinking-2507", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "mistralai/mistral-small-24b-instruct-2501", hub: "mistralai/Mistral-Small-24B-Instruct-2501", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "mistralai/mistral-small-3.2-24b-instruct", hub: "mistralai/Mistral-Small-3.2-24B-Instruct-2506", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "allenai/olmo-3-32b-think", hub: "allenai/Olmo-3-32B-Think", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "moonshotai/kimi-k2-thinking", hub: "moonshotai/Kimi-K2-Thinking", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "deepseek/deepseek-v3.2", hub: "deepseek-ai/DeepSeek-V3.2", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "deepseek/deepseek-chat-v3.1", hub: "deepseek-ai/DeepSeek-V3.1", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "deepseek/deepseek-r1-0528", hub: "deepseek-ai/DeepSeek-R1-0528", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "mistralai/mixtral-8x7b-instruct", hub: "mistralai/Mixtral-8x7B-Instruct-v0.1", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "mistralai/mixtral-8x22b-instruct", hub: "mistralai/Mixtral-8x22B-Instruct-v0.1", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "z-ai/glm-4.5", hub: "zai-org/GLM-4.5", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "z-ai/glm-4.6", hub: "zai-org/GLM-4.6", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "meta-llama/llama-3.1-70b-instruct", hub: "meta-llama/Llama-3.1-70B-Instruct", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "meta-llama/llama-3.3-70b-instruct", hub: "meta-llama/Llama-3.3-70B-Instruct", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "qwen/qwen-2.5-72b-instruct", hub: "Qwen/Qwen2.5-72B-Instruct", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "qwen/qwen-2.5-7b-instruct", hub: "Qwen/Qwen2.5-7B-Instruct", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "moonshotai/kimi-k2-0905", hub: "moonshotai/Kimi-K2-Instruct-0905", certain: true, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "qwen/qwen3-vl-30b-a3b-instruct", hub: "Qwen/Qwen3-VL-30B-A3B-Instruct", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "qwen/qwen3-vl-30b-a3b-thinking", hub: "Qwen/Qwen3-VL-30B-A3B-Thinking", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "qwen/qwen3-vl-235b-a22b-instruct", hub: "Qwen/Qwen3-VL-235B-A22B-Instruct", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
    Slug { slug: "qwen/qwen3-vl-235b-a22b-thinking", hub: "Qwen/Qwen3-VL-235B-A22B-Thinking", certain: false, told: Told { source: "field notes of a project that trained with prime-rl, their registry; the hub's names as models are published", confirmed: "2026-01-04" } },
];

#[rustfmt::skip]
pub(crate) static BLOCKERS: &[Blocker] = &[
    Blocker { prefixes: &["openai/gpt-oss"], symptom: "vLLM 0.12 can't load new weights into it: `default_weight_loader() got an unexpected keyword argument 'weight_name'`", help: "train another model, or with a prime-rl of 2026-03-23 or later, which supports gpt-oss", severity: Severity::Error, since: None, until: Some(Point(143)), told: Told { source: "field notes of a project that trained with prime-rl; vLLM issue 23577", confirmed: "2026-01-04" } },
    Blocker { prefixes: &["openai/gpt-oss"], symptom: "new weights did not load into it under vLLM 0.12 (`unexpected keyword argument 'weight_name'`), and prime-rl supports it from 2026-03-23 on only", help: "check that the first update of the weights succeeds before you leave the run alone", severity: Severity::Warning, since: Some(Point(143)), until: Some(Point(230)), told: Told { source: "vLLM issue 23577, still open; prime-rl 2073", confirmed: "2026-03-23" } },
    Blocker { prefixes: &["mistralai/Ministral-3-"], symptom: "the transformers of this version do not know its architecture: `KeyError: 'ministral3'`", help: "train another model, or with a prime-rl of 2026-02-13 or later, which has transformers 5", severity: Severity::Error, since: None, until: Some(Point(172)), told: Told { source: "field notes of a project that trained with prime-rl; transformers has it from 5.0 on", confirmed: "2026-01-04" } },
];

#[rustfmt::skip]
pub(crate) static TEMPLATES: &[Template] = &[
    Template { hub: "Qwen/Qwen3-0.6B", replacement: Some("PrimeIntellect/Qwen3-0.6B"), told: Told { source: "field notes of a project that trained with prime-rl; prime-rl's docs/trajectories.md", confirmed: "2026-02-06" } },
    Template { hub: "Qwen/Qwen3-1.7B", replacement: Some("PrimeIntellect/Qwen3-1.7B"), told: Told { source: "field notes of a project that trained with prime-rl; prime-rl's docs/trajectories.md", confirmed: "2026-02-06" } },
    Template { hub: "Qwen/Qwen3-4B", replacement: None, told: Told { source: "field notes of a project that trained with prime-rl; prime-rl's docs/trajectories.md", confirmed: "2026-02-06" } },
    Template { hub: "Qwen/Qwen3-8B", replacement: Some("willcb/Qwen3-8B"), told: Told { source: "field notes of a project that trained with prime-rl; prime-rl's docs/trajectories.md", confirmed: "2026-02-06" } },
    Template { hub: "Qwen/Qwen3-14B", replacement: None, told: Told { source: "field notes of a project that trained with prime-rl; prime-rl's docs/trajectories.md", confirmed: "2026-02-06" } },
    Template { hub: "Qwen/Qwen3-32B", replacement: None, told: Told { source: "field notes of a project that trained with prime-rl; prime-rl's docs/trajectories.md", confirmed: "2026-02-06" } },
    Template { hub: "Qwen/Qwen3-30B-A3B", replacement: None, told: Told { source: "field notes of a project that trained with prime-rl; prime-rl's docs/trajectories.md", confirmed: "2026-02-06" } },
    Template { hub: "Qwen/Qwen3-235B-A22B", replacement: None, told: Told { source: "field notes of a project that trained with prime-rl; prime-rl's docs/trajectories.md", confirmed: "2026-02-06" } },
];

#[rustfmt::skip]
pub(crate) static ANSWERS: &[Answer] = &[
    Answer { prefixes: &["openai/gpt-5-nano", "zai-org/GLM-4.5", "z-ai/glm-4.5"], tokens: 4000, told: Told { source: "field notes of a project that trained with prime-rl, their table of token budgets", confirmed: "2026-01-04" } },
    Answer { prefixes: &["meta-llama/Llama-4-Maverick", "openai/gpt-oss-20b"], tokens: 6000, told: Told { source: "field notes of a project that trained with prime-rl, their table of token budgets", confirmed: "2026-01-04" } },
    Answer { prefixes: &["PrimeIntellect/INTELLECT-3", "prime-intellect/intellect-3", "arcee-ai/Trinity-Mini"], tokens: 10000, told: Told { source: "field notes of a project that trained with prime-rl, their table of token budgets", confirmed: "2026-01-04" } },
];

#[rustfmt::skip]
pub(crate) static CALLERS: &[Caller] = &[
    Caller { prefixes: &["meta-llama/Llama-4-Maverick"], trouble: "it writes blocks of code in place of tool calls", told: Told { source: "field notes of a project that trained with prime-rl, through an API", confirmed: "2026-01-04" } },
    Caller { prefixes: &["allenai/Olmo-3-7B-Instruct"], trouble: "it writes Markdown in place of tool calls", told: Told { source: "field notes of a project that trained with prime-rl, through an API", confirmed: "2026-01-04" } },
    Caller { prefixes: &["arcee-ai/Trinity-Mini", "Qwen/Qwen3-30B-A3B-Instruct-2507"], trouble: "it breaks off the arguments of its tool calls, even with 10,000 tokens", told: Told { source: "field notes of a project that trained with prime-rl, through an API", confirmed: "2026-01-04" } },
];
