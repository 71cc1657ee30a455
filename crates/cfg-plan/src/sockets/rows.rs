//! The ports on which the processes of a run listen. Generated from `schemas/sockets.toml` by `cargo xtask generate`.

use super::{Condition, Each, On, Port, Row, Runs};

#[rustfmt::skip]
pub(super) static ALL: &[Row] = &[
    // src/prime_rl/entrypoints/inference.py
    Row { owner: "the inference server", each: Each::One, port: Port::Setting("inference.port"), offset: 0, host: "inference.host", when: &[], place: "", runs: Runs::OneMachine, node: On::Servers, since: 0, until: u16::MAX },
    // templates/multi_node_rl.sbatch.j2
    Row { owner: "the inference server", each: Each::One, port: Port::Setting("inference.port"), offset: 0, host: "inference.host", when: &[], place: "", runs: Runs::SeveralNodes, node: On::Servers, since: 0, until: 238 },
    // templates/multi_node_rl.sbatch.j2; #2030
    Row { owner: "the inference router", each: Each::One, port: Port::Setting("inference.router_port"), offset: 0, host: "", when: &[Condition::IsNot("inference.deployment", "disaggregated")], place: "", runs: Runs::SeveralNodes, node: On::Servers, since: 238, until: 419 },
    // templates/multi_node_rl.sbatch.j2; #2030
    Row { owner: "the inference router", each: Each::One, port: Port::Setting("inference.router_port"), offset: 0, host: "", when: &[Condition::Is("inference.deployment", "disaggregated")], place: "", runs: Runs::SeveralNodes, node: On::Prefill, since: 238, until: 419 },
    // BACKEND_PORT in templates/multi_node_rl.sbatch.j2; #2030
    Row { owner: "the engine behind the router", each: Each::One, port: Port::Setting("inference.backend_port"), offset: 0, host: "", when: &[Condition::IsNot("inference.deployment", "disaggregated")], place: "", runs: Runs::SeveralNodes, node: On::Servers, since: 238, until: 345 },
    // ROUTER_PORT in templates/multi_node_rl.sbatch.j2; #3105
    Row { owner: "the inference router", each: Each::One, port: Port::Setting("inference.port"), offset: 0, host: "", when: &[Condition::IsNot("inference.deployment", "disaggregated")], place: "", runs: Runs::SeveralNodes, node: On::FirstServer, since: 419, until: u16::MAX },
    // ROUTER_PORT in templates/multi_node_rl.sbatch.j2; #3105
    Row { owner: "the inference router", each: Each::One, port: Port::Setting("inference.port"), offset: 0, host: "", when: &[Condition::Is("inference.deployment", "disaggregated")], place: "", runs: Runs::SeveralNodes, node: On::Prefill, since: 419, until: u16::MAX },
    // BACKEND_PORT + d in templates/multi_node_rl.sbatch.j2; #2696
    Row { owner: "engine {} behind the router", each: Each::Rank, port: Port::Setting("inference.backend_port"), offset: 0, host: "", when: &[Condition::IsNot("inference.deployment", "disaggregated")], place: "", runs: Runs::SeveralNodes, node: On::Servers, since: 345, until: u16::MAX },
    // src/prime_rl/entrypoints/inference.py
    Row { owner: "the engine behind the inference server", each: Each::One, port: Port::Setting("inference.backend_port"), offset: 0, host: "", when: &[Condition::Is("inference.router", "true")], place: "inference.port", runs: Runs::OneMachine, node: On::Servers, since: 0, until: u16::MAX },
    // src/prime_rl/entrypoints/inference.py, --prometheus-port; #3105
    Row { owner: "the metrics of the inference router", each: Each::One, port: Port::Setting("inference.port"), offset: 21000, host: "", when: &[Condition::Is("inference.router", "true"), Condition::IsGiven("inference.backend_port"), Condition::IsNot("inference.router_type", "llm-d"), Condition::IsNot("inference.deployment", "disaggregated")], place: "", runs: Runs::Any, node: On::FirstServer, since: 419, until: u16::MAX },
    // templates/_launch_router.sh.j2, --prometheus-port; #3105
    Row { owner: "the metrics of the inference router", each: Each::One, port: Port::Setting("inference.port"), offset: 21000, host: "", when: &[Condition::Is("inference.router", "true"), Condition::IsNot("inference.router_type", "llm-d"), Condition::Is("inference.deployment", "disaggregated")], place: "", runs: Runs::SeveralNodes, node: On::Prefill, since: 419, until: u16::MAX },
    // PREFILL_PORT in templates/multi_node_rl.sbatch.j2; #2030
    Row { owner: "the prefill engine", each: Each::One, port: Port::Setting("inference.prefill_port"), offset: 0, host: "", when: &[Condition::Is("inference.deployment", "disaggregated")], place: "", runs: Runs::SeveralNodes, node: On::Prefill, since: 238, until: 345 },
    // DECODE_PORT in templates/multi_node_rl.sbatch.j2; #2030
    Row { owner: "the decode engine", each: Each::One, port: Port::Setting("inference.decode_port"), offset: 0, host: "", when: &[Condition::Is("inference.deployment", "disaggregated")], place: "", runs: Runs::SeveralNodes, node: On::Decode, since: 238, until: 345 },
    // PORT + k in templates/multi_node_rl.sbatch.j2; #2696
    Row { owner: "prefill engine {}", each: Each::Rank, port: Port::Setting("inference.prefill_port"), offset: 0, host: "", when: &[Condition::Is("inference.deployment", "disaggregated")], place: "", runs: Runs::SeveralNodes, node: On::Prefill, since: 345, until: u16::MAX },
    // PORT + k in templates/multi_node_rl.sbatch.j2; #2696
    Row { owner: "decode engine {}", each: Each::Rank, port: Port::Setting("inference.decode_port"), offset: 0, host: "", when: &[Condition::Is("inference.deployment", "disaggregated")], place: "", runs: Runs::SeveralNodes, node: On::Decode, since: 345, until: u16::MAX },
    // VLLM_NIXL_SIDE_CHANNEL_PORT in templates/multi_node_rl.sbatch.j2 (vLLM itself adds the rank before #2696)
    Row { owner: "NIXL in engine {}", each: Each::Rank, port: Port::Fixed(5600), offset: 0, host: "", when: &[Condition::Is("inference.deployment", "disaggregated")], place: "inference.deployment", runs: Runs::SeveralNodes, node: On::Servers, since: 238, until: u16::MAX },
    // --data-parallel-rpc-port in templates/multi_node_rl.sbatch.j2; #2030
    Row { owner: "the engines' rendezvous", each: Each::One, port: Port::Setting("inference.rpc_port"), offset: 0, host: "", when: &[Condition::Is("inference.deployment", "disaggregated")], place: "", runs: Runs::SeveralNodes, node: On::Servers, since: 238, until: u16::MAX },
    // --data-parallel-rpc-port in templates/multi_node_rl.sbatch.j2; #1894
    Row { owner: "the engines' rendezvous", each: Each::One, port: Port::Setting("inference.rpc_port"), offset: 0, host: "", when: &[Condition::IsNot("inference.deployment", "disaggregated"), Condition::Is("inference.enable_expert_parallel", "true"), Condition::IsAbove("inference.dp", 1)], place: "", runs: Runs::SeveralNodes, node: On::Servers, since: 201, until: u16::MAX },
    // templates/_mooncake_store.sh.j2; #2689
    Row { owner: "Mooncake's master", each: Each::One, port: Port::Fixed(50051), offset: 0, host: "", when: &[Condition::Is("inference.kv_cache_offload", "mooncake")], place: "inference.kv_cache_offload", runs: Runs::SeveralNodes, node: On::FirstServer, since: 342, until: u16::MAX },
    // templates/_mooncake_store.sh.j2; #2689
    Row { owner: "Mooncake's metadata server", each: Each::One, port: Port::Fixed(8080), offset: 0, host: "", when: &[Condition::Is("inference.kv_cache_offload", "mooncake")], place: "inference.kv_cache_offload", runs: Runs::SeveralNodes, node: On::FirstServer, since: 342, until: u16::MAX },
    // the comment on 9003 in templates/_launch_router.sh.j2
    Row { owner: "the metrics of Mooncake's master", each: Each::One, port: Port::Fixed(9003), offset: 0, host: "", when: &[Condition::Is("inference.kv_cache_offload", "mooncake")], place: "inference.kv_cache_offload", runs: Runs::SeveralNodes, node: On::FirstServer, since: 342, until: u16::MAX },
    // templates/_mooncake_store.sh.j2; #2689
    Row { owner: "Mooncake's client", each: Each::One, port: Port::Fixed(50052), offset: 0, host: "", when: &[Condition::Is("inference.kv_cache_offload", "mooncake")], place: "inference.kv_cache_offload", runs: Runs::SeveralNodes, node: On::Servers, since: 342, until: u16::MAX },
    // pd-sidecar in templates/multi_node_rl.sbatch.j2; #2697
    Row { owner: "the sidecar of decode engine {}", each: Each::Rank, port: Port::Setting("inference.sidecar_port"), offset: 0, host: "", when: &[Condition::Is("inference.router_type", "llm-d"), Condition::Is("inference.deployment", "disaggregated")], place: "", runs: Runs::SeveralNodes, node: On::Decode, since: 359, until: u16::MAX },
    // epp in templates/_launch_router.sh.j2; #2697
    Row { owner: "llm-d's endpoint picker", each: Each::One, port: Port::Fixed(9002), offset: 0, host: "", when: &[Condition::Is("inference.router_type", "llm-d")], place: "inference.router_type", runs: Runs::SeveralNodes, node: On::FirstServer, since: 359, until: u16::MAX },
    // epp in templates/_launch_router.sh.j2; #2697
    Row { owner: "the health check of llm-d's endpoint picker", each: Each::One, port: Port::Fixed(9013), offset: 0, host: "", when: &[Condition::Is("inference.router_type", "llm-d")], place: "inference.router_type", runs: Runs::SeveralNodes, node: On::FirstServer, since: 359, until: u16::MAX },
    // epp in templates/_launch_router.sh.j2; #2697
    Row { owner: "the metrics of llm-d's endpoint picker", each: Each::One, port: Port::Fixed(9090), offset: 0, host: "", when: &[Condition::Is("inference.router_type", "llm-d")], place: "inference.router_type", runs: Runs::SeveralNodes, node: On::FirstServer, since: 359, until: u16::MAX },
    // templates/llmd/envoy.yaml.j2; #2697
    Row { owner: "Envoy's admin interface", each: Each::One, port: Port::Fixed(9901), offset: 0, host: "127.0.0.1", when: &[Condition::Is("inference.router_type", "llm-d")], place: "inference.router_type", runs: Runs::SeveralNodes, node: On::FirstServer, since: 359, until: u16::MAX },
    // src/prime_rl/entrypoints/rl.py
    Row { owner: "the teacher's inference server", each: Each::One, port: Port::Setting("teacher_inference.port"), offset: 0, host: "teacher_inference.host", when: &[], place: "", runs: Runs::OneMachine, node: On::Servers, since: 0, until: u16::MAX },
    // src/prime_rl/entrypoints/inference.py
    Row { owner: "the engine behind the teacher's inference server", each: Each::One, port: Port::Setting("teacher_inference.backend_port"), offset: 0, host: "", when: &[Condition::Is("teacher_inference.router", "true")], place: "teacher_inference.port", runs: Runs::OneMachine, node: On::Servers, since: 0, until: u16::MAX },
    // src/prime_rl/entrypoints/inference.py, --prometheus-port; #3105
    Row { owner: "the metrics of the teacher's router", each: Each::One, port: Port::Setting("teacher_inference.port"), offset: 21000, host: "", when: &[Condition::Is("teacher_inference.router", "true"), Condition::IsGiven("teacher_inference.backend_port")], place: "", runs: Runs::OneMachine, node: On::Servers, since: 419, until: u16::MAX },
    // src/prime_rl/entrypoints/rl.py; templates/multi_node_rl.sbatch.j2
    Row { owner: "the environment server of `{}`", each: Each::Environment, port: Port::Setting("orchestrator.env_server_base_port"), offset: 0, host: "127.0.0.1", when: &[], place: "", runs: Runs::Any, node: On::Orchestrator, since: 0, until: u16::MAX },
    // src/prime_rl/entrypoints/sft.py; templates/multi_node_sft_eval.sbatch.j2; #3256
    Row { owner: "the environment server of `{}`", each: Each::Environment, port: Port::Setting("eval.env_server_base_port"), offset: 0, host: "127.0.0.1", when: &[], place: "", runs: Runs::Any, node: On::FirstServer, since: 0, until: u16::MAX },
    // MASTER_PORT in templates/multi_node_rl.sbatch.j2
    Row { owner: "the rendezvous of the trainer's ranks", each: Each::One, port: Port::Fixed(29500), offset: 0, host: "", when: &[Condition::IsAbove("run.gpus.num_train_nodes", 1)], place: "run.gpus.num_train_nodes", runs: Runs::SeveralNodes, node: On::Trainer, since: 0, until: u16::MAX },
    // src/prime_rl/utils/metrics_server.py
    Row { owner: "the trainer's metrics server", each: Each::One, port: Port::Setting("trainer.metrics_port"), offset: 0, host: "trainer.metrics_host", when: &[], place: "trainer.metrics_server", runs: Runs::Any, node: On::Trainer, since: 0, until: u16::MAX },
    // src/prime_rl/transport/zmq.py
    Row { owner: "the trainer's socket for rollouts", each: Each::One, port: Port::Setting("trainer.rollout_port"), offset: 0, host: "trainer.rollout_host", when: &[Condition::Is("trainer.rollout_transport", "zmq")], place: "trainer.rollout_transport", runs: Runs::Any, node: On::Trainer, since: 0, until: 432 },
    // src/prime_rl/transport/zmq.py
    Row { owner: "the trainer's socket for micro-batches", each: Each::One, port: Port::Setting("trainer.rollout_port"), offset: 1, host: "trainer.rollout_host", when: &[Condition::Is("trainer.rollout_transport", "zmq")], place: "trainer.rollout_transport", runs: Runs::Any, node: On::Trainer, since: 0, until: 432 },
    // src/prime_rl/transport/zmq.py
    Row { owner: "the trainer's socket for readiness", each: Each::One, port: Port::Setting("trainer.rollout_port"), offset: 2, host: "trainer.rollout_host", when: &[Condition::Is("trainer.rollout_transport", "zmq")], place: "trainer.rollout_transport", runs: Runs::Any, node: On::Trainer, since: 0, until: 432 },
    // src/prime_rl/transport/zmq.py; #3189
    Row { owner: "the orchestrator's socket for micro-batches", each: Each::One, port: Port::Setting("trainer.rollout_port"), offset: 0, host: "trainer.rollout_host", when: &[Condition::Is("trainer.rollout_transport", "zmq")], place: "trainer.rollout_transport", runs: Runs::Any, node: On::Orchestrator, since: 432, until: u16::MAX },
    // src/prime_rl/transport/zmq.py; #3189
    Row { owner: "the orchestrator's socket for readiness", each: Each::One, port: Port::Setting("trainer.rollout_port"), offset: 1, host: "trainer.rollout_host", when: &[Condition::Is("trainer.rollout_transport", "zmq")], place: "trainer.rollout_transport", runs: Runs::Any, node: On::Orchestrator, since: 432, until: u16::MAX },
    // src/prime_rl/trainer/rl/broadcast/nccl.py
    Row { owner: "the trainer's NCCL broadcast", each: Each::One, port: Port::Setting("trainer.weight_broadcast.port"), offset: 0, host: "trainer.weight_broadcast.host", when: &[Condition::Is("trainer.weight_broadcast.kind", "nccl"), Condition::IsGiven("inference")], place: "trainer.weight_broadcast.kind", runs: Runs::Any, node: On::Trainer, since: 0, until: u16::MAX },
];
