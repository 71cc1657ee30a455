//! The inference server, which is vLLM.

use crate::{Entries, facts::facts};

// What `vllm_extra` has is set over prime-rl's own keys, and therefore stands before them.
facts! {
    /// An inference server.
    Inference {
        /// The name of the model on the hub, or a path.
        model_name: Box<str> = "vllm.model" | "vllm_extra.model" | "model.name", shared "model.name";
        /// The type of weights and activations: `auto`, `bfloat16`, ...
        dtype: Box<str> = "vllm.dtype" | "vllm_extra.dtype" | "model.dtype";
        /// The type of the KV cache; `auto` means the model's. Only at versions that accept vLLM's own keys.
        kv_cache_dtype: Box<str> = "vllm.kv_cache_dtype" | "vllm_extra.kv_cache_dtype";
        /// The quantisation that vLLM applies.
        quantization: Box<str> = "vllm.quantization" | "vllm_extra.quantization" | "quantization";
        /// The maximum number of tokens of a request, prompt and answer together; null means the model's context length.
        max_model_len: i64 = "vllm.max_model_len" | "vllm_extra.max_model_len" | "model.max_model_len";
        /// The fraction of the GPU's memory for vLLM, 0 to 1.
        gpu_memory_utilization: f64 = "vllm.gpu_memory_utilization" | "vllm_extra.gpu_memory_utilization" | "gpu_memory_utilization";
        /// Whether CUDA graphs are off.
        enforce_eager: bool = "vllm.enforce_eager" | "vllm_extra.enforce_eager" | "model.enforce_eager";
        /// Whether prompts with the same beginning share their KV cache; null means vLLM's default.
        enable_prefix_caching: bool = "vllm.enable_prefix_caching" | "vllm_extra.enable_prefix_caching" | "enable_prefix_caching";
        /// The maximum number of requests in a batch. Only at versions that accept vLLM's own keys.
        max_num_seqs: i64 = "vllm.max_num_seqs" | "vllm_extra.max_num_seqs";
        /// Whether layers with a window keep all tokens. Only at versions that accept vLLM's own keys.
        disable_hybrid_kv_cache_manager: bool = "vllm.disable_hybrid_kv_cache_manager" | "vllm_extra.disable_hybrid_kv_cache_manager";
        /// How tokens are drafted before the model itself computes them.
        speculative_config: Entries = "vllm.speculative_config" | "vllm_extra.speculative_config";
        /// The maximum number of tokens in a batch. Only at versions that accept vLLM's own keys.
        max_num_batched_tokens: i64 = "vllm.max_num_batched_tokens" | "vllm_extra.max_num_batched_tokens";
        /// The number of GPUs over which a replica is split.
        tp: i64 = "vllm.tensor_parallel_size" | "vllm_extra.tensor_parallel_size" | "parallel.tp";
        /// The number of replicas of the model.
        dp: i64 = "vllm.data_parallel_size" | "vllm_extra.data_parallel_size" | "parallel.dp";
        /// The number of GPUs of a replica as prime-rl counts it: it does not read `vllm_extra`.
        own_tp: i64 = "vllm.tensor_parallel_size" | "parallel.tp";
        /// The number of replicas as prime-rl counts them.
        own_dp: i64 = "vllm.data_parallel_size" | "parallel.dp";
        /// The number of processes that accept requests.
        api_server_count: i64 = "vllm.api_server_count" | "vllm_extra.api_server_count" | "api_server_count";
        /// Whether it serves adapters.
        enable_lora: bool = "vllm.enable_lora" | "vllm_extra.enable_lora" | "enable_lora";
        /// The maximum number of adapters in a batch; memory for `max_lora_rank` is reserved for each.
        max_loras: i64 = "vllm.max_loras" | "vllm_extra.max_loras" | "max_loras";
        /// The maximum number of adapters in CPU memory.
        max_cpu_loras: i64 = "vllm.max_cpu_loras" | "vllm_extra.max_cpu_loras" | "max_cpu_loras";
        /// The largest rank of an adapter.
        max_lora_rank: i64 = "vllm.max_lora_rank" | "vllm_extra.max_lora_rank" | "max_lora_rank";
        /// The names of the modules that may have an adapter.
        lora_target_modules: Vec<Box<str>> = "vllm.lora_target_modules" | "vllm_extra.lora_target_modules" | "lora_target_modules";
        /// Whether the model may call tools without being forced to; removed in 2026-02, when a parser alone began to turn this on.
        enable_auto_tool_choice: bool = "model.enable_auto_tool_choice";
        /// The parser that finds tool calls in answers: `hermes`, ..., `auto`; null means that none are looked for.
        tool_call_parser: Box<str> = "vllm.tool_call_parser" | "vllm_extra.tool_call_parser" | "model.tool_call_parser";
        /// The parser that separates reasoning from answers.
        reasoning_parser: Box<str> = "vllm.reasoning_parser" | "vllm_extra.reasoning_parser" | "model.reasoning_parser";
        /// A chat template that replaces the tokenizer's own.
        chat_template: Box<str> = "vllm.chat_template" | "vllm_extra.chat_template" | "model.chat_template", shared "tokenizer.chat_template";
        /// The scaling of positions beyond the model's context length; null means none.
        rope_scaling: Entries = "vllm.rope_scaling" | "vllm_extra.rope_scaling" | "model.rope_scaling";
        /// Whether code from the model's repository may run.
        trust_remote_code: bool = "vllm.trust_remote_code" | "vllm_extra.trust_remote_code" | "model.trust_remote_code";
        /// Whether experts are distributed over the GPUs.
        enable_expert_parallel: bool = "vllm.enable_expert_parallel" | "vllm_extra.enable_expert_parallel" | "enable_expert_parallel";
        /// The seed for sampling.
        seed: i64 = "vllm.seed" | "vllm_extra.seed" | "seed";
        /// Where the KV cache is moved if the GPU is full: `native`, `mooncake`; null means that it is not moved.
        kv_cache_offload: Box<str> = "kv_cache_offload.type";
        /// Keys that are passed to vLLM unchanged.
        vllm_extra: Entries = "vllm_extra";
        /// The type of deployment: `single_node`, `multi_node`, `disaggregated`.
        deployment: Box<str> = "deployment";
        /// The number of GPUs of a node.
        gpus_per_node: i64 = "deployment.gpus_per_node";
        /// The number of nodes of a `multi_node` deployment.
        num_nodes: i64 = "deployment.num_nodes";
        /// The number of nodes on which each replica of a `disaggregated` deployment reads prompts.
        prefill_nodes: i64 = "deployment.prefill_nodes_per_replica" | "deployment.num_prefill_nodes";
        /// The number of nodes on which each replica of a `disaggregated` deployment generates.
        decode_nodes: i64 = "deployment.decode_nodes_per_replica" | "deployment.num_decode_nodes";
        /// The host on which it listens; null means all.
        host: Box<str> = "server.host";
        /// The port on which it listens.
        port: i64 = "server.port";
        /// The router in front of it; null means that there is none.
        router: bool = "router";
        /// The kind of the router in front of it: `vllm-router`, `llm-d`.
        router_type: Box<str> = "router.type" | "deployment.router.type";
        /// The port of the router in front of the servers of several nodes, while that was not the port of the server.
        router_port: i64 = "deployment.router.port" | "deployment.router_port";
        /// The port on which it listens behind the router.
        backend_port: i64 = "backend_port" | "deployment.backend_port";
        /// The port on which the engines of a `disaggregated` deployment that read prompts listen.
        prefill_port: i64 = "deployment.prefill_port";
        /// The port on which the engines of a `disaggregated` deployment that generate listen.
        decode_port: i64 = "deployment.decode_port";
        /// The port of llm-d in front of the engines that generate.
        sidecar_port: i64 = "router.decode_sidecar_port" | "deployment.router.decode_sidecar_port";
        /// The port at which the replicas of several nodes meet.
        rpc_port: i64 = "vllm.data_parallel_rpc_port" | "vllm_extra.data_parallel_rpc_port" | "data_parallel_rpc_port";
        /// How it receives new weights: `filesystem`, `nccl`, `nixl`.
        weight_broadcast: Box<str> = "weight_broadcast.type", shared "weight_broadcast.type" | "weight_broadcast";
        /// Its output folder.
        output_dir: Box<str> = "output_dir";
        /// The environment variables of its processes.
        env_vars: Entries = "env_vars", shared "env_vars";
    }
}
