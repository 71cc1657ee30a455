//! The points of prime-rl's history at which what rules say begins or ceases to be true. Where the commit itself touched no config class, the
//! point is the last one before it, at which both answers are possible: a rule is silent there.

cfg_schema::points! {
    /// Of October 2025: the trainer has adapters.
    pub(crate) ADAPTERS = 30, "84e4b9665";
    /// Of November 2025: the buffer puts problems aside by thresholds, and filters by difficulty.
    pub(crate) DIFFICULTY_THRESHOLDS = 80, "613b40891";
    /// The launcher removes broadcast weights, unless the shared table says that the run is resumed; before, it went by the trainer's.
    pub(crate) CLEAN_REMOVES_BROADCASTS = 85, "8518c157c";
    /// Of November 2025: the inference server gets the adapter alone; before, it got merged weights.
    pub(crate) ADAPTERS_ARE_SERVED = 86, "2aa47ae6b";
    /// The last commit of a config class before 4f138cf27 (November 2025), from which `sft` counts its batch in ranks and not in GPUs.
    pub(crate) SFT_BATCH_IN_RANKS = 88, "f01aa4ec2";
    /// Of November 2025: samples are made of turns in another way, which does not need positions that only grow.
    pub(crate) TURNS_MAY_BRANCH = 89, "49d7999ca";
    /// Of December 2025: `rl` names the adapter.
    pub(crate) ADAPTER_IS_NAMED = 99, "91182b7d6";
    /// Of December 2025: the orchestrator works in the folder `run_default` of the trainer's.
    pub(crate) RUN_FOLDER = 102, "b8697b0f0";
    /// Of December 2025: the RL trainer knows context parallelism; before, it refused it.
    pub(crate) RL_CONTEXT_PARALLELISM = 104, "b82e85ad4";
    /// `keep` is called `keep_last`, and there is `keep_interval`.
    pub(crate) KEEP_INTERVAL = 125, "e3dbf2ad8";
    /// Checkpoints of an earlier process are counted soon after (be0e3d131).
    pub(crate) OLD_CHECKPOINTS_COUNT = 127, "f870bc91d";
    /// Of January 2026: the adapter's name is in the orchestrator's `model.lora`.
    pub(crate) ADAPTER_IN_MODEL = 129, "e75677fcb";
    /// Of January 2026: experts are given to the GPUs of expert parallelism; before, the degree only shaped the mesh.
    pub(crate) EXPERTS_ARE_SPREAD = 141, "43cacaa28";
    /// Of January 2026: the last commit of a config class before 82a8241f0, which makes weights on the CPU where they are offloaded.
    pub(crate) OFFLOADED_WEIGHTS_ON_CPU = 146, "d0f2eb43d";
    /// Of January 2026: the last commit of a config class before 36959cbba, from which the first models that see images can be trained.
    pub(crate) QWEN3_VL = 152, "a57550349";
    /// Of February 2026: turns become one sample where one's tokens begin the next's, and several where not.
    pub(crate) BEST_EFFORT_INTERLEAVING = 163, "8dbd955a0";
    /// Of February 2026: the parser of tool calls follows from the model's name, and turns the tool choice on.
    pub(crate) PARSER_BY_MODEL = 183, "bf0f903b8";
    /// Deployments take the place of lists of GPU ids.
    pub(crate) DEPLOYMENTS = 188, "1826b1892";
    /// The launcher refuses a folder that holds checkpoints, unless the shared table says that the run is resumed, or it may delete it.
    pub(crate) FOLDER_IS_GUARDED = 189, "82652c739";
    /// Of February 2026: a parser alone means that tools may be called; without one, or `auto`, they may not.
    pub(crate) PARSER_IS_TOOL_CHOICE = 195, "5b15e54e8";
    /// Runs of Weights & Biases have no `id` in the config.
    pub(crate) NO_WANDB_ID = 211, "2c5c69da8";
    /// Of March 2026: trainer and orchestrator of `rl` may share one run of Weights & Biases.
    pub(crate) SHARED_WANDB = 223, "0f236d322";
    /// Of March 2026: `extra_body` goes into a request as it is; before, `top_k` and `min_p` in it were overwritten.
    pub(crate) EXTRA_BODY_IS_KEPT = 230, "40da51a23";
    /// Of March 2026: a model that sees images is known by its own config.
    pub(crate) VISION_BY_CONFIG = 233, "d80306520";
    /// Of April 2026: prompts may be made of messages on the client's side, where tool calls are then found as well.
    pub(crate) RENDERERS = 292, "0b8c35e9b";
    /// Of May 2026: `WANDB_MODE` goes before a shared run.
    pub(crate) WANDB_MODE_COUNTS = 307, "81f9e9512";
    /// Of May 2026: the root of an `rl` config no longer has the `max_model_len` that nothing read.
    pub(crate) ROOT_MAX_MODEL_LEN_GONE = 318, "fa191e589";
    /// Of May 2026: the processes of `rl` always share their run of Weights & Biases.
    pub(crate) WANDB_ALWAYS_SHARED = 334, "10bc02c6d";
    /// Of June 2026: there is no buffer any more.
    pub(crate) BUFFER_GONE = 339, "f6563ff0e";
    /// Of June 2026: environments of the newer kind are no longer told the orchestrator's sequence length.
    pub(crate) ENVIRONMENTS_NOT_TOLD_SEQ_LEN = 358, "7089ba1e4";
    /// The last commit of a config class before 436873190 (June 2026), from which a run ends only when its last evaluation has begun all rollouts.
    pub(crate) LAST_EVALUATION_IS_AWAITED = 366, "9f425fffc";
    /// The last commit of a config class before 1cb5d91ab (July 2026), from which Ulysses repeats key and value heads where there are too few.
    pub(crate) KV_HEADS_ARE_REPEATED = 390, "7a7dd8029";
    /// Of July 2026: context parallelism needs one of the trainer's own classes, and sequences that it divides.
    pub(crate) CONTEXT_PARALLELISM_NEEDS_OWN_CLASS = 402, "d69dbb8da";
    /// Of July 2026: one rollout may have several agents, whose rewards are compared with one another.
    pub(crate) SEVERAL_AGENTS = 403, "cb74ae2be";
    /// Of August 2026: the orchestrator cuts and packs the samples; before, the trainer did.
    pub(crate) ORCHESTRATOR_PACKS = 425, "289562d2e";
    /// Of August 2026: the run has a table, and folders follow from it.
    pub(crate) FOLDERS_ARE_DERIVED = 433, "e26b50503";
    /// Of August 2026: `sft` evaluates with servers of its own, in one run of Weights & Biases with the trainer.
    pub(crate) SFT_EVALUATES = 438, "15d6c8197";
}
