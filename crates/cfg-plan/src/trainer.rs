//! The trainer of an `rl` run, of a trainer's own file, or of supervised fine-tuning.

use crate::{
    Entries, Eval, IntOrWord, State,
    facts::facts,
    run::{Ckpt, Wandb, WeightBroadcast},
};

facts! {
    /// The processes that train. In an `sft` config, everything except evaluation.
    Trainer {
        /// The last step; null means that training never ends.
        max_steps: i64 = "max_steps", shared "max_steps";
        /// The number of tokens of a packed sequence. Longer samples are truncated. For `sft`, it is a key of the data.
        seq_len: i64 = "model.seq_len", shared "seq_len";
        /// The number of steps that rollouts may be behind training, as set for the trainer; removed in 2026-05.
        max_async_level: i64 = "max_async_level" | "async_level", shared "max_async_level" | "async_level";
        /// The number of adapters that are trained at once. Available from 2025-12 to 2026-08; if it is absent, there is one.
        max_concurrent_runs: i64 = "max_concurrent_runs";
        /// Whether this is a benchmark: random data, few steps.
        bench: bool = "bench", shared "bench";
        /// Its output folder.
        output_dir: Box<str> = "output_dir", shared "output_dir";
        /// Its checkpoints; null means that it saves none.
        ckpt: Ckpt = "ckpt", shared "ckpt";
        /// A table about weights for inference, beside that of the checkpoints, until 2025-11; later it is inside that of the checkpoints.
        weights: bool = "weights";
        /// Steps between two of these; null means as often as checkpoints.
        weights_interval: i64 = "weights.interval";
        /// The step from which to resume; -1 means the newest checkpoint.
        resume_step: i64 = "resume.step" | "ckpt.resume_step", shared "resume.step" | "ckpt.resume_step";
        /// The folder from which to resume.
        resume_dir: Box<str> = "resume.dir", shared "resume.dir";
        /// The settings for Weights & Biases; null means that it is off.
        wandb: Wandb = "monitors.wandb" | "wandb", shared "monitors.wandb" | "wandb";
        /// How weights are sent to the inference server.
        weight_broadcast: WeightBroadcast = "weight_broadcast", shared "weight_broadcast";
        /// How it receives rollouts: `filesystem`, `zmq`.
        rollout_transport: Box<str> = "rollout_transport", shared "rollout_transport";
        /// The host at which it receives them, with `zmq`.
        rollout_host: Box<str> = "rollout_transport.host", shared "rollout_transport.host";
        /// The first of three ports at which it receives them, with `zmq`.
        rollout_port: i64 = "rollout_transport.port", shared "rollout_transport.port";
        /// The server of its metrics; null means that there is none.
        metrics_server: bool = "metrics_server";
        /// The host on which that listens.
        metrics_host: Box<str> = "metrics_server.host";
        /// The port on which that listens.
        metrics_port: i64 = "metrics_server.port";
        /// A table of random data that replaces rollouts; null for real training.
        fake_data: FakeData = "data.fake";
        /// The type of loss: `default`, `ipo`, `custom`; empty before losses had types.
        loss: Box<str> = "loss.type";
        /// The dotted path of a custom loss.
        loss_import_path: Box<str> = "loss.import_path";
        /// The weight of the loss relative to a teacher.
        teacher_tau: f64 = "loss.teacher_tau";
        /// The weight of the KL term.
        kl_tau: f64 = "loss.kl_tau";
        /// How SFT computes its loss: `liger`, `torch`, `liger_fused`, `quack_fused`.
        loss_impl: Box<str> = "loss_impl";
        /// Evaluation during supervised fine-tuning, since 2026-08; null means that there is none.
        eval: Eval = "eval";
        /// The environment variables of its processes.
        env_vars: Entries = "env_vars", shared "env_vars";
        /// Whether the trainer uses the experts that the inference server chose for each token.
        enable_router_replay: bool = "enable_router_replay";
        /// The timeout of collective operations, in seconds.
        dist_timeout_seconds: i64 = "dist_timeout_seconds";
        /// The path to which a memory snapshot is written.
        memory_profiler_path: Box<str> = "memory_profiler_path";
    } with {
        /// The model, and how it is distributed over the GPUs.
        model: TrainerModel;
        /// The tokenizer.
        tokenizer: Tokenizer;
        /// The optimizer and the schedule of its learning rate.
        optim: Optim;
        /// The data of supervised fine-tuning.
        data: SftData;
    }
}

facts! {
    /// The trained model, and the settings on which its memory depends.
    TrainerModel {
        /// The name of the model on the hub, or a path.
        name: Box<str> = "model.name", shared "model.name";
        /// Whether code from the model's repository may run.
        trust_remote_code: bool = "model.trust_remote_code";
        /// The implementation of the model: `hf`, `liger_kernel`, `custom`, `auto`.
        implementation: Box<str> = "model.impl";
        /// The attention kernel: `sdpa`, `flash_attention_2`, ..., `auto`.
        attn: Box<str> = "model.attn";
        /// Low-rank adapters; null means that all parameters are trained.
        lora: Lora = "model.lora" | "model.experimental.lora";
        /// Activation checkpointing; null means that all activations are kept.
        ac: ActivationCheckpointing = "model.ac";
        /// Offloading of checkpointed activations to the CPU; null means that they stay on the GPU.
        ac_offloading: ActivationOffloading = "model.ac_offloading" | "ac_offloading";
        /// Whether `torch.compile` is used.
        compile: bool = "model.compile";
        /// The degree of context parallelism: the number of GPUs among which a sequence is split.
        cp: i64 = "model.cp";
        /// How context parallelism splits the work: `ring`, `ulysses`; absent at versions that only have the ring.
        cp_style: Box<str> = "model.cp_style";
        /// The degree of tensor parallelism; removed in 2026-03.
        tp: i64 = "model.tp";
        /// The degree of expert parallelism, or `auto`.
        ep: IntOrWord = "model.ep";
        /// The library that sends tokens between the GPUs of expert parallelism: `torch`, `deepep`.
        ep_comm_backend: Box<str> = "model.ep_comm_backend";
        /// Whether routed experts run in a fused kernel, which does not support expert parallelism.
        moe_fused_kernel: bool = "model.moe_fused_kernel";
        /// The number of replicas that FSDP does not shard over.
        dp_replicate: i64 = "model.dp_replicate";
        /// Whether parameters are freed between the forward and the backward pass.
        reshard_after_forward: bool = "model.reshard_after_forward";
        /// Whether FSDP's parameters, gradients and optimizer state are on the CPU.
        fsdp_cpu_offload: bool = "model.fsdp_cpu_offload";
        /// Whether the optimizer's state is on the CPU between steps.
        optim_cpu_offload: bool = "model.optim_cpu_offload";
        /// Whether master weights and optimizer state are on the CPU; bf16 weights and gradients are then streamed.
        full_offload: bool = "model.full_offload";
        /// The type of master weights, gradients and optimizer state: `float32`, `bfloat16`.
        optimization_dtype: Box<str> = "model.optimization_dtype";
        /// The type in which gradients are summed.
        reduce_dtype: Box<str> = "model.reduce_dtype";
        /// The number of positions in a chunk of the fused LM head and loss, or `disabled`; since 2026-03.
        lm_head_token_chunk: IntOrWord = "model.fused_lm_head_token_chunk_size";
        /// The number of vocabulary entries in a chunk of the fused LM head and loss, or `auto` or `disabled`; until 2026-03.
        lm_head_vocab_chunk: IntOrWord = "model.fused_lm_head_chunk_size";
        /// The kind of quantised training: `fp8`, `mxfp8`.
        quantization: Box<str> = "model.quantization";
        /// Whether training is quantised, at versions without kinds of it.
        fp8: bool = "model.fp8";
        /// Whether it is a vision-language model; a table with the names of its parts.
        vlm: bool = "model.vlm", shared "model.vlm";
        /// The number of layers for debugging.
        debug_num_layers: i64 = "model.debug.num_layers";
        /// Whether random weights replace those from the hub, for debugging.
        debug_random_init: bool = "model.debug.random_init";
        /// Whether the router of a mixture of experts is not trained.
        freeze_moe_router: bool = "model.freeze_moe_router";
        /// Whether experts get the same number of tokens each, for debugging.
        force_balanced_routing: bool = "model.debug.force_balanced_routing";
    }
}

facts! {
    /// Low-rank adapters, as set for the trainer.
    Lora {
        /// The rank of the matrices.
        rank: i64 = "rank";
        /// The scale: the update is multiplied by `alpha / rank`.
        alpha: f64 = "alpha";
        /// The dropout, 0 to 1.
        dropout: f64 = "dropout";
        /// The names of the modules that get an adapter.
        target_modules: Vec<Box<str>> = "target_modules";
        /// The names of the modules that are trained in full next to the adapter.
        modules_to_save: Vec<Box<str>> = "modules_to_save";
    }
}

facts! {
    /// Activation checkpointing.
    ActivationCheckpointing {
        /// One in this many layers is checkpointed; 1 means all.
        freq: i64 = "freq";
        /// `full` or `selective`; before 2026-03 always `full`.
        mode: Box<str> = "mode";
        /// The parts that selective checkpointing recomputes.
        targets: Vec<Box<str>> = "targets";
    }
}

facts! {
    /// Offloading of activations.
    ActivationOffloading {
        /// Whether the CPU memory is pinned.
        pin_memory: bool = "pin_memory";
        /// The maximum number of layers whose activations are being transferred.
        max_inflight_activations: i64 = "max_inflight_activations";
    }
}

facts! {
    /// The optimizer, and the schedule of its learning rate.
    Optim {
        /// The type of optimizer: `adamw`, `sgd`, `muon`, `sign_sgd`.
        kind: Box<str> = "optim.type";
        /// The learning rate.
        lr: f64 = "optim.lr";
        /// The weight decay.
        weight_decay: f64 = "optim.weight_decay";
        /// The norm to which gradients are clipped.
        max_norm: f64 = "optim.max_norm";
        /// The momentum of `sgd`.
        momentum: f64 = "optim.momentum";
        /// The first beta of `adamw` and `muon`.
        betas1: f64 = "optim.betas1";
        /// The second beta of `adamw` and `muon`.
        betas2: f64 = "optim.betas2";
        /// The type of schedule: `constant`, `linear`, `cosine`.
        scheduler: Box<str> = "scheduler.type";
        /// The number of steps until the learning rate is reached.
        warmup_steps: i64 = "scheduler.warmup_steps";
        /// The number of steps at the end in which it decays.
        decay_steps: i64 = "scheduler.decay_steps";
        /// The learning rate at the end.
        min_lr: f64 = "scheduler.min_lr";
    }
}

facts! {
    /// Random data for the trainer.
    FakeData {
        /// The number of samples in a step.
        batch_size: i64 = "batch_size";
        /// The number of tokens of a sample; at later versions the model has this key.
        seq_len: i64 = "seq_len";
    }
}

facts! {
    /// The data of supervised fine-tuning; absent in other configs.
    SftData {
        /// The type of data: `sft`, `fake`.
        kind: Box<str> = "data.type";
        /// The name of the dataset on the hub, or a path.
        name: Box<str> = "data.name";
        /// The number of samples in a step, over all GPUs.
        batch_size: i64 = "data.batch_size";
        /// The number of tokens of a packed sequence.
        seq_len: i64 = "data.seq_len";
        /// The number of packed sequences in a micro-batch.
        micro_batch_size: i64 = "data.micro_batch_size";
        /// How samples are packed: `cat`, `stack`.
        pack_function: Box<str> = "data.pack_function";
        /// The weights of the subsets.
        probabilities: Vec<f64> = "data.probabilities";
        /// The names of the subsets.
        subsets: Vec<Box<str>> = "data.subsets";
        /// The names of the splits.
        splits: Vec<Box<str>> = "data.splits";
    }
}

facts! {
    /// The tokenizer of a component.
    Tokenizer {
        /// The name of the tokenizer on the hub, or a path.
        name: Box<str> = "tokenizer.name", shared "tokenizer.name";
        /// A chat template that replaces the tokenizer's own.
        chat_template: Box<str> = "tokenizer.chat_template", shared "tokenizer.chat_template";
        /// Whether code from its repository may run.
        trust_remote_code: bool = "tokenizer.trust_remote_code", shared "tokenizer.trust_remote_code";
    }
}

/// How the last layer and the loss are computed. This determines how much memory the logits need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LmHead {
    /// For all positions at once.
    Whole,
    /// For this many positions at a time.
    Tokens(i64),
    /// For this many entries of the vocabulary at a time.
    Vocabulary(i64),
}

impl TrainerModel {
    /// How the last layer and the loss are computed; `None` if prime-rl chooses it, or if the value is invalid. Until 2026-07 supervised
    /// fine-tuning computes all logits at once, whatever the keys state.
    pub fn lm_head(&self) -> Option<LmHead> {
        let (chunk, head): (_, fn(i64) -> LmHead) = match (self.lm_head_token_chunk.state(), self.lm_head_vocab_chunk.state()) {
            (State::Absent, State::Absent) => return Some(LmHead::Whole),
            (State::Absent, chunk) => (chunk, LmHead::Vocabulary),
            (chunk, _) => (chunk, LmHead::Tokens),
        };
        match chunk {
            State::Absent | State::Empty { .. } => Some(LmHead::Whole),
            State::Faulty { .. } => None,
            State::Is(fact) if fact.value.is("disabled") => Some(LmHead::Whole),
            State::Is(fact) => fact.value.int().map(head),
        }
    }
}
