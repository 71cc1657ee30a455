//! The settings of the whole run: where it runs, what it writes, and what its components share.

use crate::{Entries, Setting, facts::facts};

facts! {
    /// The settings of the run in an `rl` or `sft` config. For files of a split run, only what the file itself states.
    Run {
        /// The output folder.
        output_dir: Box<str> = "output_dir";
        /// Whether the output of an earlier run is removed at the start. Until 2026-02 this was the default and kept checkpoints; since then it
        /// removes the whole folder.
        clean: bool = "clean" | "clean_output_dir";
        /// The name of the run.
        name: Box<str> = "run.name";
        /// The folder of the run below `output_dir`.
        dir: Box<str> = "run.dir";
        /// Whether prime-rl only writes the configs of the processes.
        dry_run: bool = "dry_run" | "slurm.dry_run";
        /// Whether this is a benchmark.
        bench: bool = "bench";
        /// The number of steps, for every component.
        max_steps: i64 = "max_steps";
        /// The number of tokens of a sequence, for every component.
        seq_len: i64 = "seq_len";
        /// A key that prime-rl accepted but never read, until 2026-05.
        max_model_len: i64 = "max_model_len";
        /// The number of steps that rollouts may be behind training.
        max_async_level: i64 = "max_async_level" | "async_level";
        /// The name of the model, for every component.
        model_name: Box<str> = "model.name";
        /// The name of the tokenizer, for every component.
        tokenizer_name: Box<str> = "tokenizer.name";
        /// The settings of checkpoints, for every component.
        ckpt: Ckpt = "ckpt";
        /// The step from which to resume; -1 means the newest checkpoint.
        resume_step: i64 = "resume.step" | "ckpt.resume_step";
        /// The folder from which to resume.
        resume_dir: Box<str> = "resume.dir";
        /// The settings for Weights & Biases, for every component.
        wandb: Wandb = "monitors.wandb" | "wandb";
        /// How weights are sent to the inference server.
        weight_broadcast: WeightBroadcast = "weight_broadcast";
        /// How rollouts are sent to the trainer.
        rollout_transport: Box<str> = "rollout_transport";
        /// The settings for SLURM; null means that the run starts on this machine.
        slurm: Slurm = "slurm";
        /// The environment variables of all processes.
        env_vars: Entries = "env_vars";
    } with {
        /// The GPUs of each component.
        gpus: Gpus;
    }
}

facts! {
    /// The GPUs of each component: their ids until 2026-02, their number since then.
    Gpus {
        /// The ids of the trainer's GPUs.
        trainer_ids: Vec<i64> = "trainer_gpu_ids";
        /// The ids of the inference server's GPUs.
        inference_ids: Vec<i64> = "inference_gpu_ids";
        /// The ids of the teacher's GPUs.
        teacher_ids: Vec<i64> = "teacher_gpu_ids";
        /// Whether the numbers are for a single node or for several: `single_node`, `multi_node`.
        deployment: Box<str> = "deployment";
        /// The number of the trainer's GPUs on a single node.
        num_train: i64 = "deployment.num_train_gpus" | "deployment.num_gpus" | "trainer_gpus";
        /// The number of the inference server's GPUs on a single node.
        num_infer: i64 = "deployment.num_infer_gpus" | "inference_gpus";
        /// The number of the teacher's GPUs on a single node.
        num_teacher: i64 = "deployment.num_teacher_gpus";
        /// The number of GPUs of a node.
        per_node: i64 = "deployment.gpus_per_node";
        /// The number of the trainer's nodes.
        num_train_nodes: i64 = "deployment.num_train_nodes" | "deployment.num_nodes";
        /// The number of nodes of the inference servers, or of each replica of them.
        num_infer_nodes: i64 = "deployment.num_infer_nodes";
        /// The number of replicas of the inference servers.
        num_infer_replicas: i64 = "deployment.num_infer_replicas";
        /// Whether the orchestrator starts on the last node of the inference servers instead of the first one of the trainer.
        orchestrator_on_inference: bool = "deployment.orchestrator_on_inference";
        /// The number of nodes over which FSDP shards; null means all.
        nodes_per_fsdp_group: i64 = "deployment.nodes_per_fsdp_group";
    }
}

impl Gpus {
    /// The number of GPUs of a component: that of its ids, or its nodes times the GPUs of a node, or the number on a single node.
    pub(crate) fn count(&self, ids: &Setting<Vec<i64>>, count: &Setting<i64>, nodes: &Setting<i64>) -> Option<i64> {
        if let Some(ids) = ids.value() {
            return i64::try_from(ids.len()).ok();
        }
        let of_nodes = || nodes.get()?.checked_mul(self.per_node.get()?);
        count.get().or_else(of_nodes)
    }
}

facts! {
    /// The settings of checkpoints.
    Ckpt {
        /// Steps between two checkpoints; null means only one at the end.
        interval: i64 = "interval", shared "ckpt.interval";
        /// How many of the newest checkpoints are kept; null means all. Only the trainer reads it.
        keep_last: i64 = "keep_last" | "keep", shared "ckpt.keep_last" | "ckpt.keep";
        /// Checkpoints at multiples of this step are also kept; without `keep_last`, only these are.
        keep_interval: i64 = "keep_interval", shared "ckpt.keep_interval";
        /// The folder to which they are written, if it is not `output_dir`.
        output_dir: Box<str> = "output_dir", shared "ckpt.output_dir";
        /// Whether weights for inference are written next to each checkpoint; null means no.
        weights: bool = "weights";
        /// Whether only these weights are written, and no state from which to resume.
        weights_only: bool = "weights_only";
        /// Whether the adapter is written to a separate file.
        save_adapter_separately: bool = "weights.save_adapter_separately";
        /// Whether the optimizer's state is left out.
        skip_optimizer: bool = "skip_optimizer";
        /// Whether a resumed run begins its learning-rate schedule anew.
        skip_scheduler: bool = "skip_scheduler";
        /// Whether a resumed run counts its steps anew.
        skip_progress: bool = "skip_progress";
        /// Whether a resumed run reads its data from the beginning.
        skip_dataloader: bool = "skip_dataloader";
    }
}

facts! {
    /// The settings for Weights & Biases.
    Wandb {
        /// The project.
        project: Box<str> = "project", shared "monitors.wandb.project" | "wandb.project";
        /// The name of the run there.
        name: Box<str> = "name", shared "monitors.wandb.name" | "wandb.name";
        /// The entity.
        entity: Box<str> = "entity", shared "monitors.wandb.entity" | "wandb.entity";
        /// The group.
        group: Box<str> = "group", shared "monitors.wandb.group" | "wandb.group";
        /// Whether the run is only logged to the disk.
        offline: bool = "offline", shared "monitors.wandb.offline" | "wandb.offline";
        /// The id of the run to continue.
        id: Box<str> = "id";
    }
}

facts! {
    /// How weights are sent to the inference server.
    WeightBroadcast {
        /// The type: `filesystem`, `nccl`, `nixl`.
        kind: Box<str> = "type", shared "weight_broadcast.type" | "weight_broadcast";
        /// The trainer's host.
        host: Box<str> = "host", shared "weight_broadcast.host";
        /// The trainer's port.
        port: i64 = "port", shared "weight_broadcast.port";
        /// The timeout, in seconds.
        timeout: i64 = "timeout", shared "weight_broadcast.timeout";
        /// The number of the inference server's GPUs, as the trainer counts them.
        inference_world_size: i64 = "inference_world_size";
        /// Whether an adapter is sent in place of all weights; removed in 2025-12, since when each adapter is.
        adapter_only: bool = "adapter_only";
    }
}

facts! {
    /// The settings of a SLURM job.
    Slurm {
        /// The name of the job.
        job_name: Box<str> = "job_name";
        /// The partition.
        partition: Box<str> = "partition";
        /// The account.
        account: Box<str> = "account";
        /// The time limit, in SLURM's notation.
        time: Box<str> = "time";
        /// The folder of the project on the nodes.
        project_dir: Box<str> = "project_dir";
        /// The path of the script's template.
        template_path: Box<str> = "template_path";
    }
}
