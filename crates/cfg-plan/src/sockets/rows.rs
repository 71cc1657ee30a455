//! The ports on which the processes of a run listen. Generated from `schemas/sockets.toml` by `cargo xtask generate`.

use super::{Condition, On, Port, Row, Runs};

#[rustfmt::skip]
pub(super) static ALL: &[Row] = &[
    // src/prime_rl/entrypoints/inference.py
    Row { owner: "the inference server", of_each: false, port: Port::Setting("inference.port"), offset: 0, host: "inference.host", when: &[], place: "", runs: Runs::Any, node: On::Servers, since: 0, until: u16::MAX },
    // src/prime_rl/entrypoints/inference.py
    Row { owner: "the engine behind the inference server", of_each: false, port: Port::Setting("inference.backend_port"), offset: 0, host: "", when: &[Condition::Is("inference.router", "true")], place: "inference.port", runs: Runs::Any, node: On::Servers, since: 0, until: u16::MAX },
    // src/prime_rl/entrypoints/inference.py, --prometheus-port; #3105
    Row { owner: "the metrics of the router of the inference server", of_each: false, port: Port::Setting("inference.port"), offset: 21000, host: "", when: &[Condition::Is("inference.router", "true"), Condition::IsGiven("inference.backend_port")], place: "", runs: Runs::Any, node: On::Servers, since: 419, until: u16::MAX },
    // src/prime_rl/entrypoints/rl.py
    Row { owner: "the teacher's inference server", of_each: false, port: Port::Setting("teacher_inference.port"), offset: 0, host: "teacher_inference.host", when: &[], place: "", runs: Runs::OneMachine, node: On::Servers, since: 0, until: u16::MAX },
    // src/prime_rl/entrypoints/inference.py
    Row { owner: "the engine behind the teacher's inference server", of_each: false, port: Port::Setting("teacher_inference.backend_port"), offset: 0, host: "", when: &[Condition::Is("teacher_inference.router", "true")], place: "teacher_inference.port", runs: Runs::OneMachine, node: On::Servers, since: 0, until: u16::MAX },
    // src/prime_rl/entrypoints/inference.py, --prometheus-port; #3105
    Row { owner: "the metrics of the router of the teacher's inference server", of_each: false, port: Port::Setting("teacher_inference.port"), offset: 21000, host: "", when: &[Condition::Is("teacher_inference.router", "true"), Condition::IsGiven("teacher_inference.backend_port")], place: "", runs: Runs::OneMachine, node: On::Servers, since: 419, until: u16::MAX },
    // src/prime_rl/entrypoints/rl.py; templates/multi_node_rl.sbatch.j2
    Row { owner: "the environment server of `{}`", of_each: true, port: Port::Setting("orchestrator.env_server_base_port"), offset: 0, host: "127.0.0.1", when: &[], place: "", runs: Runs::Any, node: On::Trainer, since: 0, until: u16::MAX },
    // MASTER_PORT in templates/multi_node_rl.sbatch.j2
    Row { owner: "the meeting place of the trainer's ranks", of_each: false, port: Port::Fixed(29500), offset: 0, host: "", when: &[Condition::IsAbove("run.gpus.num_train_nodes", 1)], place: "run.gpus.num_train_nodes", runs: Runs::SeveralNodes, node: On::Trainer, since: 0, until: u16::MAX },
    // src/prime_rl/utils/metrics_server.py
    Row { owner: "the trainer's metrics server", of_each: false, port: Port::Setting("trainer.metrics_port"), offset: 0, host: "trainer.metrics_host", when: &[], place: "trainer.metrics_server", runs: Runs::Any, node: On::Trainer, since: 0, until: u16::MAX },
    // src/prime_rl/transport/zmq.py
    Row { owner: "the trainer's socket for rollouts", of_each: false, port: Port::Setting("trainer.rollout_port"), offset: 0, host: "trainer.rollout_host", when: &[Condition::Is("trainer.rollout_transport", "zmq")], place: "trainer.rollout_transport", runs: Runs::Any, node: On::Trainer, since: 0, until: 432 },
    // src/prime_rl/transport/zmq.py
    Row { owner: "the trainer's socket for micro-batches", of_each: false, port: Port::Setting("trainer.rollout_port"), offset: 1, host: "trainer.rollout_host", when: &[Condition::Is("trainer.rollout_transport", "zmq")], place: "trainer.rollout_transport", runs: Runs::Any, node: On::Trainer, since: 0, until: 432 },
    // src/prime_rl/transport/zmq.py
    Row { owner: "the trainer's socket for readiness", of_each: false, port: Port::Setting("trainer.rollout_port"), offset: 2, host: "trainer.rollout_host", when: &[Condition::Is("trainer.rollout_transport", "zmq")], place: "trainer.rollout_transport", runs: Runs::Any, node: On::Trainer, since: 0, until: 432 },
    // src/prime_rl/transport/zmq.py; #3189
    Row { owner: "the orchestrator's socket for micro-batches", of_each: false, port: Port::Setting("trainer.rollout_port"), offset: 0, host: "trainer.rollout_host", when: &[Condition::Is("trainer.rollout_transport", "zmq")], place: "trainer.rollout_transport", runs: Runs::Any, node: On::Trainer, since: 432, until: u16::MAX },
    // src/prime_rl/transport/zmq.py; #3189
    Row { owner: "the orchestrator's socket for readiness", of_each: false, port: Port::Setting("trainer.rollout_port"), offset: 1, host: "trainer.rollout_host", when: &[Condition::Is("trainer.rollout_transport", "zmq")], place: "trainer.rollout_transport", runs: Runs::Any, node: On::Trainer, since: 432, until: u16::MAX },
    // src/prime_rl/trainer/rl/broadcast/nccl.py
    Row { owner: "the trainer's NCCL broadcast", of_each: false, port: Port::Setting("trainer.weight_broadcast.port"), offset: 0, host: "trainer.weight_broadcast.host", when: &[Condition::Is("trainer.weight_broadcast.kind", "nccl"), Condition::IsGiven("inference")], place: "trainer.weight_broadcast.kind", runs: Runs::Any, node: On::Trainer, since: 0, until: u16::MAX },
];
