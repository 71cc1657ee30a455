//! The points at which prime-rl's checks, automatic changes and `before` validators changed: each a commit, and all that it brought. A check
//! that names one of them holds from that commit on, or until it.

cfg_schema::points! {
    /// The beginning of the history.
    pub(crate) START = 0, "ceb60c03f";
    /// One item of a list over the evals stands for all of them, and the concurrency is such a list.
    pub(crate) ONE_ITEM_FOR_ALL = 4, "d9a794731";
    /// `wandb` leaves the table `monitor`.
    pub(crate) NO_MONITOR_TABLE = 5, "f12e2f2ee";
    /// GPUs get ids.
    pub(crate) GPU_IDS = 10, "454e2cba4";
    /// Fake data has no size of its own for a micro batch.
    pub(crate) NO_MICRO_BATCH = 47, "9a0070b1b";
    /// The number of data-parallel ranks follows from the GPUs.
    pub(crate) DP_FROM_GPUS = 57, "6e8d6ac28";
    /// All keys that are not null are shared, no matter whether they are empty or zero.
    pub(crate) ZERO_IS_SHARED = 72, "385538edb";
    /// A benchmark no longer has to switch off the logging of samples.
    pub(crate) NO_SAMPLES_IN_BENCH = 91, "9754790f5";
    /// The orchestrator works in the folder `run_default` of the run, and fake data has no length of its own.
    pub(crate) RUN_FOLDER = 102, "b8697b0f0";
    /// Context and tensor parallelism are counted, and context parallelism wants the "cat" packing.
    pub(crate) CP_AND_TP_COUNT = 104, "b82e85ad4";
    /// `lora` leaves the table `experimental`.
    pub(crate) LORA_OUT_OF_EXPERIMENT = 107, "e25953539";
    /// `LoRA` turns `adapter_only` on.
    pub(crate) LORA_SENDS_ADAPTERS = 115, "29be89daf";
    /// `impl = "auto"` may choose Hugging Face's code.
    pub(crate) AUTO_RUNS_REMOTE_CODE = 117, "27295a741";
    /// There is no switch `adapter_only`.
    pub(crate) NO_ADAPTER_ONLY = 118, "72e954806";
    /// The orchestrator's model has a table `lora`.
    pub(crate) ORCHESTRATOR_LORA = 129, "e75677fcb";
    /// The trainer's switch `bench` is a table.
    pub(crate) BENCH_TABLE = 142, "d8f290ef0";
    /// Weights & Biases on one side alone is refused.
    pub(crate) BOTH_LOG = 144, "63988a79e";
    /// The chunk size of the fused head says "auto" where it said nothing.
    pub(crate) AUTO_CHUNKS = 147, "e3146ba9f";
    /// The Liger kernels are no longer spared chunks.
    pub(crate) LIGER_CHUNKS = 152, "a57550349";
    /// Logs may be JSON.
    pub(crate) JSON_LOGS = 155, "3194b161a";
    /// The newer kernels of context parallelism are tied to prime-rl's own model code.
    pub(crate) CP_WANTS_OWN_CODE = 160, "c87c19ba8";
    /// The orchestrator's `lora` has a rank and an alpha.
    pub(crate) LORA_RANK_SHARED = 169, "050490e0f";
    /// Turns of one rollout may be trained on apart, and no argument says so any more.
    pub(crate) NOT_INTERLEAVED = 174, "39ce147af";
    /// Port and timeout of the weight broadcast are shared.
    pub(crate) BROADCAST_PORT = 177, "a77725e5c";
    /// The parser of tool calls follows from the model's name.
    pub(crate) PARSER_FOLLOWS_MODEL = 186, "4076a0e45";
    /// Deployments take the place of lists of GPU ids; at this point alone the output folder has no default.
    pub(crate) DEPLOYMENTS = 188, "1826b1892";
    /// The output folder has a default again.
    pub(crate) OUTPUT_DIR_DEFAULT = 189, "82652c739";
    /// A given `seq_len` of a component is not replaced.
    pub(crate) GIVEN_SEQ_LEN_STAYS = 190, "f9b7856ee";
    /// The parser is looked up when the server starts.
    pub(crate) PARSER_AT_START = 195, "5b15e54e8";
    /// The fused head takes larger chunks by itself.
    pub(crate) LARGER_CHUNKS = 197, "83c21ddac";
    /// The orchestrator's batch size may be null. A job of SLURM on a single node reads the whole config again.
    pub(crate) NULL_BATCH_SIZE = 199, "3d9aa90a2";
    /// Expert parallelism over nodes; a given number of API servers is kept.
    pub(crate) EXPERTS_OVER_NODES = 201, "35671879f";
    /// Whether rewards are computed is said in a table of its own.
    pub(crate) VERIFICATION_TABLE = 207, "bf71516c9";
    /// An environment's argument for the context's length is `max_seq_len`.
    pub(crate) MAX_SEQ_LEN = 210, "8ea7bd483";
    /// There may be no inference nodes.
    pub(crate) NO_INFERENCE_NODES = 218, "051c8bac2";
    /// The orchestrator has a prime monitor.
    pub(crate) PRIME_MONITOR = 227, "d5c724067";
    /// Inference may serve a quantized copy of the model: its name stays, and weights may be quantized on their way.
    pub(crate) INFERENCE_LEADS = 231, "3dd48be5b";
    /// A table says that a model has vision, which its name did before.
    pub(crate) VLM_TABLE = 233, "d80306520";
    /// Replicas and disaggregated inference; a headless node gets no API server. The file of the inference server goes without what only the
    /// launcher needs.
    pub(crate) REPLICAS = 238, "ecd080928";
    /// An environment server that is started by itself has one worker where the number is left to prime-rl.
    pub(crate) ONE_WORKER = 240, "12034385c";
    /// Doubled targets of selective checkpointing are dropped.
    pub(crate) TARGETS_ONCE = 245, "a30d417f2";
    /// Log files are no longer a choice.
    pub(crate) NO_LOG_FILE = 248, "1692a67d9";
    /// Each of several nodes gets ranks and servers of its own.
    pub(crate) RANKS_PER_NODE = 258, "eed10dcc7";
    /// A single node gets as many API servers as ranks.
    pub(crate) SERVERS_OF_ONE_NODE = 259, "04da032d9";
    /// Environments have workers of their own, until [`VERIFIERS`].
    pub(crate) ENV_WORKERS = 264, "1a1a39619";
    /// Environments inherit sampling together with the rest, and more of it.
    pub(crate) INHERITED_TOGETHER = 266, "07eb6464e";
    /// The session's header is added to those that are given.
    pub(crate) HEADER_IS_ADDED = 281, "3a6b46189";
    /// "fa4" has kernels for context parallelism.
    pub(crate) CP_WITH_FA4 = 283, "bb7449c82";
    /// Entity, group and tags of Weights & Biases are shared.
    pub(crate) ENTITY_GROUP_TAGS = 287, "8342ccd0c";
    /// Rollouts from outside exclude an inference server only.
    pub(crate) EXTERNAL_NEEDS_NO_INFERENCE = 288, "d2f36c9f6";
    /// No fewer rollouts are under way than a group has.
    pub(crate) A_GROUP_AT_LEAST = 310, "6d80c412b";
    /// The orchestrator's model and client move below `student`; a training mode says who samples.
    pub(crate) STUDENT = 314, "eaf95997f";
    /// Shared keys are filled in before anything is checked.
    pub(crate) SHARING_COMES_FIRST = 318, "fa191e589";
    /// A session is one rollout, not one problem.
    pub(crate) SESSION_PER_TRAJECTORY = 328, "81822debb";
    /// The trainer no longer has an asynchronous level.
    pub(crate) NO_ASYNC_LEVEL = 331, "e792f9cf8";
    /// No renderer is said by null.
    pub(crate) NULL_RENDERER = 333, "6d1755942";
    /// Equal values of a shared key and a component's are not conflict.
    pub(crate) EQUAL_VALUES_AGREE = 334, "10bc02c6d";
    /// Only a shared table of its own turns the components' tables on.
    pub(crate) PRESENCE_WANTS_A_TABLE = 335, "189177120";
    /// Each environment has its group size.
    pub(crate) GROUP_SIZES = 339, "f6563ff0e";
    /// The KV transfer between prefill and decode gets a switch.
    pub(crate) TRANSFER_SWITCH = 342, "c13409e2c";
    /// Disaggregated inference needs SLURM too, and its `slurm` is shared.
    pub(crate) INFERENCE_SLURM = 343, "bf7eab064";
    /// Each engine has a role; before, each node had one.
    pub(crate) ROLE_PER_ENGINE = 345, "e7517948f";
    /// Inference shares the log's settings.
    pub(crate) INFERENCE_LOG = 346, "e6998a6f4";
    /// The processes that receive weights are counted by GPUs, not by API servers.
    pub(crate) COUNTED_BY_GPUS = 347, "65914f924";
    /// Each environment has its advantage, until [`ALGORITHMS`].
    pub(crate) ADVANTAGES = 348, "e0f8a35c7";
    /// Learning from rollouts may do without a teacher, until [`VERIFIERS`].
    pub(crate) SFT_WITHOUT_TEACHER = 349, "0695f9caa";
    /// The parsers of Nemotron 3 are known.
    pub(crate) NEMOTRON_REASONS = 351, "7c9c1308d";
    /// On many nodes the router spreads the requests.
    pub(crate) ROUTER_SPREADS = 354, "8dfe8734e";
    /// Environments are verifiers' own.
    pub(crate) VERIFIERS = 358, "7089ba1e4";
    /// The verifiers package calls a taskset harbor.
    pub(crate) HARBOR = 359, "d3765e289";
    /// `ep` may be "auto", and a chunk size is overruled in fine-tuning instead of refused.
    pub(crate) AUTO_EP = 361, "c5afcaa2e";
    /// Algorithms stand in for the training mode, and `student` is gone.
    pub(crate) ALGORITHMS = 362, "0be5ac452";
    /// Environment variables that the launcher sets are refused.
    pub(crate) LAUNCHERS_VARIABLES = 364, "d70075381";
    /// The renderers package knows Hy3, among others.
    pub(crate) RENDERERS_HY3 = 365, "16efd8afd";
    /// The metrics over all environments are called "agg", before that "all".
    pub(crate) AGG = 366, "9f425fffc";
    /// The default harness takes `edit` and `search`.
    pub(crate) HARNESS_TOOLS = 367, "7b7c7efdf";
    /// The inference server's kind of weight broadcast is compared in any case.
    pub(crate) INFERENCE_COMPARED = 369, "e48a53853";
    /// The verifiers package brings judges.
    pub(crate) JUDGES = 377, "df2acf487";
    /// A weight broadcast is made where none is written.
    pub(crate) BROADCAST_ALWAYS = 382, "77766bb59";
    /// A null that counts as set is written as the text `None`.
    pub(crate) NULL_AS_TEXT = 385, "df5f991bf";
    /// A `LoRA` is refused with any broadcast but through files.
    pub(crate) LORA_NEEDS_FILES = 386, "2fdffa7d3";
    /// There is no fine-tuning without a renderer.
    pub(crate) ALWAYS_RENDERS = 389, "5af45e431";
    /// The verifiers package brings the harness pi.
    pub(crate) HARNESS_PI = 391, "0d2a7f5a1";
    /// `flash_attention_4` is spelled out, and `impl = "auto"` suffices for it.
    pub(crate) FA4_SPELLED_OUT = 396, "cac463e79";
    /// The verifiers package brings the harness claude-code.
    pub(crate) HARNESS_CLAUDE = 397, "8dcf55acb";
    /// `attn = "auto"` may stand for a newer kernel.
    pub(crate) AUTO_ATTENTION = 398, "3d2dbae5f";
    /// The default harness is called bash.
    pub(crate) HARNESS_BASH = 399, "256809b2e";
    /// The verifiers package brings the harness pool.
    pub(crate) HARNESS_POOL = 400, "445392294";
    /// Models with vision may be cut up in the Ulysses way.
    pub(crate) VISION_BY_ULYSSES = 402, "d69dbb8da";
    /// Environments are in a table `env` of their entry.
    pub(crate) NESTED_ENVS = 403, "cb74ae2be";
    /// Each kind of weight broadcast has a table, and NIXL is one of them.
    pub(crate) NIXL = 404, "c505e07a1";
    /// There is a file monitor.
    pub(crate) FILE_MONITOR = 405, "cd00986f7";
    /// Context parallelism of models with vision is left to the model's checks.
    pub(crate) VISION_CP_ELSEWHERE = 407, "55fc08db4";
    /// The rollout transport is shared.
    pub(crate) SHARED_TRANSPORT = 411, "6df90dc0a";
    /// The engines of several nodes are behind one router, which the launcher starts; it moves from the deployment to the root. The client
    /// no longer counts engines, and knows those behind the router.
    pub(crate) ROUTER = 412, "9551e20fa";
    /// Environments are called sources, and the old kind has a table `legacy`.
    pub(crate) SOURCES = 413, "d135ed4c9";
    /// The verifiers package brings the harnesses browser-use, hermes-agent and openclaw, and an environment for harbor.
    pub(crate) HARNESS_BROWSER = 418, "756f217f2";
    /// Each environment's server is a process of its own.
    pub(crate) ENV_SERVERS = 419, "327f378e0";
    /// The parsers of Trinity, gpt-oss and Laguna are known.
    pub(crate) TRINITY = 420, "01e959596";
    /// The renderers package knows Inkling, among others.
    pub(crate) RENDERERS_INKLING = 422, "532d622b4";
    /// What is the engine's own moves into the table `vllm`, with vLLM's names.
    pub(crate) VLLM_TABLE = 423, "d1046b876";
    /// One address in place of a list, one output folder; context parallelism lowers the number of trainer processes.
    pub(crate) ONE_ADDRESS = 425, "289562d2e";
    /// Environments of the old kind are gone.
    pub(crate) NO_LEGACY = 426, "03f12efba";
    /// The parser of Nemotron 3.5 is known.
    pub(crate) NEMOTRON_3_5 = 428, "efe8e7fda";
    /// The run has a table, and resuming one; folders are derived. The launcher's files are JSON.
    pub(crate) RUN_TABLE = 433, "e26b50503";
    /// There is no bench mode.
    pub(crate) NO_BENCH = 435, "e56a8df19";
    /// The monitors have a table of their own.
    pub(crate) MONITORS = 436, "9975d8868";
    /// The launcher says who leads a run of Weights & Biases.
    pub(crate) SHARED_WANDB_ROLES = 438, "15d6c8197";
    /// What may be under way is a table, and packages of environments no longer come from the Hub.
    pub(crate) CONCURRENCY = 441, "0630b7bff";
    /// Evals of fine-tuning serve adapters, and no longer need weight checkpoints.
    pub(crate) EVAL_LORA = 449, "29e422276";
    /// The parsers of Qwen 3.6 and 3.8 are known.
    pub(crate) QWEN_3_6 = 450, "c69f5b038";
    /// Weights may go to the evals from memory to memory.
    pub(crate) EVAL_TRANSFER = 451, "fe38722e8";
}
