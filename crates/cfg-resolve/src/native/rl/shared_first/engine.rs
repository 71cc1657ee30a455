//! The names of the engine's settings. d1046b876 moved them into a separate table, under vLLM's own names.

use cfg_schema::{Behaviour, Point};

/// The paths of the engine's settings, from the root of an rl config.
pub(super) struct Engine {
    pub(super) model: &'static str,
    pub(super) chat_template: &'static str,
    pub(super) dp: &'static str,
    pub(super) tp: &'static str,
    pub(super) dp_local: &'static str,
    pub(super) api_servers: &'static str,
    pub(super) expert_parallel: &'static str,
    pub(super) eplb: &'static str,
    pub(super) lora: &'static str,
    pub(super) max_lora_rank: &'static str,
    pub(super) routed_experts: &'static str,
}

const FLAT: Engine = Engine {
    model: "inference.model.name",
    chat_template: "inference.model.chat_template",
    dp: "inference.parallel.dp",
    tp: "inference.parallel.tp",
    dp_local: "inference.data_parallel_size_local",
    api_servers: "inference.api_server_count",
    expert_parallel: "inference.enable_expert_parallel",
    eplb: "inference.enable_eplb",
    lora: "inference.enable_lora",
    max_lora_rank: "inference.max_lora_rank",
    routed_experts: "inference.enable_return_routed_experts",
};

const VLLM: Engine = Engine {
    model: "inference.vllm.model",
    chat_template: "inference.vllm.chat_template",
    dp: "inference.vllm.data_parallel_size",
    tp: "inference.vllm.tensor_parallel_size",
    dp_local: "inference.vllm.data_parallel_size_local",
    api_servers: "inference.vllm.api_server_count",
    expert_parallel: "inference.vllm.enable_expert_parallel",
    eplb: "inference.vllm.enable_eplb",
    lora: "inference.vllm.enable_lora",
    max_lora_rank: "inference.vllm.max_lora_rank",
    routed_experts: "inference.vllm.enable_return_routed_experts",
};

/// The names at a point.
pub(super) fn engine(point: Point) -> &'static Engine {
    if point.lacks(Behaviour::VllmTable) { &FLAT } else { &VLLM }
}
