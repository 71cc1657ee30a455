//! The orchestrator: sampling, batches, environments, evaluation.

use crate::{Ckpt, Entries, Tokenizer, Wandb, WeightBroadcast, facts::facts};

facts! {
    /// The orchestrator.
    Orchestrator {
        /// The last step; null means that it runs forever.
        max_steps: i64 = "max_steps", shared "max_steps";
        /// The maximum number of tokens of a rollout over all its turns, prompts and answers. The environment gets this limit as well.
        seq_len: i64 = "seq_len", shared "seq_len";
        /// The number of steps that rollouts may be behind training; removed in 2026-05.
        max_async_level: i64 = "max_async_level" | "async_level", shared "max_async_level" | "async_level";
        /// The number of steps after which a rollout in progress is discarded.
        max_off_policy_steps: i64 = "max_off_policy_steps";
        /// How advantages are computed: `grpo`, `max_rl`, `opd`, ...; at earlier versions `default`, `custom`.
        algorithm: Box<str> = "algo" | "advantage.type";
        /// Whether advantages are computed; otherwise the rewards are used directly.
        advantage: bool = "advantage";
        /// `rl`, or a kind of distillation; from 2026-05 to 2026-06.
        training_mode: Box<str> = "training_mode";
        /// Whether problems whose rollouts all have the same reward are left out of the batch.
        filter_zero_advantages: bool = "train.filter_zero_advantages"
            | "pre_batch_filters[zero_advantage].enforce"
            | "buffer.online_difficulty_filtering"
            | "filters[zero_advantage].enforce";
        /// Whether this is a benchmark.
        bench: bool = "bench", shared "bench";
        /// Its output folder.
        output_dir: Box<str> = "output_dir", shared "output_dir";
        /// Its checkpoints; null means that it saves none.
        ckpt: Ckpt = "ckpt", shared "ckpt";
        /// The step from which to resume; -1 means the newest checkpoint.
        resume_step: i64 = "resume.step" | "ckpt.resume_step", shared "resume.step" | "ckpt.resume_step";
        /// The folder from which to resume.
        resume_dir: Box<str> = "resume.dir", shared "resume.dir";
        /// The settings for Weights & Biases; null means that it is off.
        wandb: Wandb = "monitors.wandb" | "wandb", shared "monitors.wandb" | "wandb";
        /// How weights are sent to the inference server.
        weight_broadcast: WeightBroadcast = "weight_broadcast", shared "weight_broadcast";
        /// How rollouts are sent to the trainer: `filesystem`, `zmq`.
        rollout_transport: Box<str> = "rollout_transport", shared "rollout_transport";
        /// The port of the first environment's server; those of the others follow it. Since 2026-07.
        env_server_base_port: i64 = "env_server_base_port";
        /// The number of training processes for which it packs batches.
        num_train_workers: i64 = "num_train_workers";
        /// How turns are combined to samples, until 2026-02: `interleaved`, `branching`.
        trajectory_strategy: Box<str> = "trajectory_strategy";
        /// The renderer that converts messages to prompts, since 2026-05; `auto` depends on the model's name.
        renderer: Box<str> = "renderer.name";
        /// The shares of the environments, in late 2025.
        env_mix: Vec<f64> = "env_mix.probabilities";
        /// The random seed.
        seed: i64 = "seed";
        /// The number of tasks that are started per minute; null means no limit.
        tasks_per_minute: i64 = "tasks_per_minute";
        /// The environment variables of its process.
        env_vars: Entries = "env_vars", shared "env_vars";
        /// The table of regular evaluations; null if there are none.
        eval: Eval = "eval";
        /// A validation set of the training environments; null means that there is none. Removed in 2026-04.
        val: Validation = "val";
        /// The buffer of problems; removed in 2026-06.
        buffer: Buffer = "buffer";
    } with {
        /// The model that is trained.
        model: Policy;
        /// The teacher from which it is distilled.
        teacher: Teacher;
        /// The tokenizer.
        tokenizer: Tokenizer;
        /// How training rollouts are sampled.
        sampling: Sampling;
        /// The number of rollouts in a step, and in progress.
        batch: Batch;
    }
}

facts! {
    /// The model from which the orchestrator requests rollouts.
    Policy {
        /// The name of the model on the hub, or a path.
        name: Box<str> = "model.name" | "student.model.name", shared "model.name";
        /// Whether code from the model's repository may run.
        trust_remote_code: bool = "model.trust_remote_code" | "student.model.trust_remote_code";
        /// The name of the adapter that is requested; null means the base model.
        lora_name: Box<str> = "model.lora.name" | "student.model.lora.name" | "lora_name";
        /// The rank of the adapter, for training several adapters at once.
        lora_rank: i64 = "model.lora.rank" | "student.model.lora.rank";
        /// The alpha of the adapter, for training several adapters at once.
        lora_alpha: f64 = "model.lora.alpha" | "student.model.lora.alpha";
        /// The addresses of the inference server.
        base_url: Vec<Box<str>> = "model.client.base_url" | "student.client.base_url" | "client.base_url";
        /// The addresses to which weights are sent, if these are others.
        admin_base_url: Vec<Box<str>> = "model.client.admin_base_url" | "student.client.admin_base_url" | "client.admin_base_url";
        /// Whether the addresses are those that DNS has for a name; removed in 2026-08.
        elastic: bool = "model.client.elastic" | "student.client.elastic" | "client.elastic";
        /// Whether nothing looks for the model among those that the server has.
        skip_model_check: bool = "model.client.skip_model_check" | "student.client.skip_model_check" | "client.skip_model_check";
        /// The timeout of a request, in seconds.
        timeout: i64 = "client.timeout" | "student.client.timeout";
        /// Whether it is a vision-language model.
        vlm: bool = "model.vlm" | "student.model.vlm", shared "model.vlm";
    }
}

facts! {
    /// The model from which training distils; absent or null if there is none.
    Teacher {
        /// The name of the model on the hub, or a path.
        name: Box<str> = "algo.teacher.name" | "teacher.model.name" | "teacher_model.model.name";
        /// The addresses of its server.
        base_url: Vec<Box<str>> = "algo.teacher.base_url" | "teacher.client.base_url" | "teacher_model.client.base_url";
    }
}

facts! {
    /// How rollouts are sampled.
    Sampling {
        /// The maximum number of tokens of an answer, which is one turn; null means the rest of the context.
        max_tokens: i64 = "train.sampling.max_completion_tokens" | "sampling.max_completion_tokens" | "sampling.max_tokens";
        /// The sampling temperature; 0 is greedy.
        temperature: f64 = "train.sampling.temperature" | "sampling.temperature";
        /// The minimum number of tokens of an answer.
        min_tokens: i64 = "train.sampling.min_tokens" | "sampling.min_tokens";
        /// The repetition penalty; 1 means none.
        repetition_penalty: f64 = "train.sampling.repetition_penalty" | "sampling.repetition_penalty";
        /// The seed for sampling.
        seed: i64 = "train.sampling.seed" | "sampling.seed";
        /// Further fields of each request, such as `top_p`.
        extra_body: Entries = "train.sampling.extra_body" | "sampling.extra_body";
        /// The temperature at the first step, if it changes during the run.
        start_temperature: f64 = "sampling.temp_scheduler.start_temperature";
        /// The temperature at the last step, if it changes during the run.
        end_temperature: f64 = "sampling.temp_scheduler.end_temperature";
    }
}

facts! {
    /// The number of rollouts in a step, and in progress.
    Batch {
        /// The number of rollouts in a step: problems times group size.
        batch_size: i64 = "batch_size";
        /// The number of tokens in a step; replaces `batch_size`.
        token_batch_size: i64 = "token_batch_size";
        /// The number of rollouts of each problem.
        group_size: i64 = "group_size" | "rollouts_per_example";
        /// The number of rollouts in progress, as a multiple of `batch_size`.
        oversampling_factor: f64 = "oversampling_factor" | "buffer.oversampling_factor";
        /// The maximum number of rollouts in progress; null means `batch_size` times the oversampling factor.
        max_inflight: i64 = "concurrency.max_inflight" | "max_inflight_episodes" | "max_inflight_rollouts";
        /// The maximum number of requests in progress; null means no limit. Removed in 2026-04.
        max_concurrent: i64 = "max_concurrent";
        /// The minimum number of rollouts in progress.
        min_inflight: i64 = "concurrency.min_inflight";
        /// The number of rollouts in progress at the start.
        initial_inflight: i64 = "concurrency.initial_inflight";
        /// The number of sequences in a micro-batch; removed in 2025-10.
        micro_batch_size: i64 = "micro_batch_size";
    }
}

impl Batch {
    /// The number of problems in a step: rollouts divided by group size.
    pub fn problems(&self) -> Option<i64> {
        self.batch_size.get()?.checked_div(self.group_size.get().filter(|&size| size > 0)?)
    }

    /// The number of rollouts in progress at a time, as far as the config states it.
    pub fn in_flight(&self) -> Option<i64> {
        self.max_inflight.get().or_else(|| {
            let factor = self.oversampling_factor.get().unwrap_or(1.0);
            #[expect(clippy::cast_precision_loss, reason = "no batch has that many rollouts")]
            let rollouts = self.batch_size.get()? as f64 * factor;
            Some(rollouts as i64)
        })
    }
}

facts! {
    /// The settings of regular evaluations.
    Eval {
        /// Steps between two evaluations.
        interval: i64 = "interval";
        /// In fine-tuning, the port of the first environment's server; that of each other one is one higher.
        env_server_base_port: i64 = "env_server_base_port";
        /// The number of problems of each environment; -1 means all.
        num_examples: i64 = "num_examples";
        /// The number of rollouts of each problem.
        group_size: i64 = "group_size" | "rollouts_per_example";
        /// The maximum number of tokens of an answer.
        max_tokens: i64 = "sampling.max_completion_tokens" | "sampling.max_tokens";
        /// The sampling temperature; null means the server's default.
        temperature: f64 = "sampling.temperature";
        /// The threshold of nucleus sampling.
        top_p: f64 = "sampling.top_p";
        /// Whether the model is evaluated before the first step.
        eval_base_model: bool = "eval_base_model";
        /// Whether the evaluation at the first step is skipped.
        skip_first_step: bool = "skip_first_step";
    }
}

facts! {
    /// A validation set of the training environments.
    Validation {
        /// Steps between two validations.
        interval: i64 = "interval";
        /// The number of problems.
        num_examples: i64 = "num_examples";
        /// The number of rollouts of each problem.
        group_size: i64 = "rollouts_per_example";
    }
}

facts! {
    /// The buffer of problems.
    Buffer {
        /// The kind of buffer, until 2025-11: `simple`, `difficulty-pool`, `online-difficulty`.
        kind: Box<str> = "type";
        /// Whether problems that all rollouts or no rollouts solve are left out.
        online_difficulty_filtering: bool = "online_difficulty_filtering";
        /// The mean reward above which a problem is easy.
        easy_threshold: f64 = "easy_threshold" | "easy_border";
        /// The mean reward below which a problem is hard.
        hard_threshold: f64 = "hard_threshold" | "hard_border";
        /// The share of easy problems that are kept.
        easy_fraction: f64 = "easy_fraction";
        /// The share of hard problems that are kept.
        hard_fraction: f64 = "hard_fraction";
        /// The shares of the environments.
        env_ratios: Vec<f64> = "env_ratios";
        /// The random seed.
        seed: i64 = "seed";
    }
}
