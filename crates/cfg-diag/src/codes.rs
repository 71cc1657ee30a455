//! The only table of codes. Every diagnostic, in any crate, refers to its entry here; its page, its explanation on the command line and its link all
//! come from the entry. A code is never reused and never renamed.

use crate::Severity;

/// The facts about a kind of finding.
#[derive(Debug, PartialEq, Eq)]
pub struct CodeInfo {
    /// The stable code: `PRL101`.
    pub code: &'static str,
    /// The problem in kebab case: `unknown-key`.
    pub name: &'static str,
    /// Its usual severity.
    pub severity: Severity,
    /// One line for lists.
    pub summary: &'static str,
    /// The whole documentation, in Markdown; the same text is the page under `docs/rules/`.
    pub page: &'static str,
}

/// A reference to an entry of the table.
pub type Code = &'static CodeInfo;

macro_rules! codes {
    ($($ident:ident = $code:literal $name:literal $severity:ident $summary:literal;)*) => {
        $(
            #[doc = $summary]
            pub static $ident: CodeInfo = CodeInfo {
                code: $code,
                name: $name,
                severity: Severity::$severity,
                summary: $summary,
                page: include_str!(concat!("../../../docs/rules/", $name, ".md")),
            };
        )*

        /// Every entry, in the order of the codes.
        pub static ALL: &[Code] = &[$(&$ident),*];
    };
}

codes! {
    INVALID_TOML = "PRL001" "invalid-toml" Error "A line that is not TOML";
    DUPLICATE_KEY = "PRL002" "duplicate-key" Error "A key or table that is defined twice";
    KEY_CONFLICT = "PRL003" "key-conflict" Error "A key used as a table and as a value";
    UNSUPPORTED_TOML = "PRL004" "unsupported-toml" Error "TOML that the target's loader does not read";
    INVALID_ENCODING = "PRL005" "invalid-encoding" Error "A file that is not UTF-8";
    NESTED_TOO_DEEP = "PRL006" "nested-too-deep" Error "Values nested deeper than the loader reads";
    UNREADABLE_FILE = "PRL007" "unreadable-file" Error "A file that can't be read";
    UNSUPPORTED_FILE = "PRL008" "unsupported-file" Error "A file that prime-rl's loader, or cfg, does not read";
    INVALID_JSON = "PRL009" "invalid-json" Error "A text that is not JSON where JSON is expected";
    NOT_A_CONFIG = "PRL010" "not-a-config" Warning "A TOML file that is not a prime-rl config";
    UNKNOWN_KIND = "PRL011" "unknown-kind" Warning "A config whose entrypoint is unclear";
    UNKNOWN_TARGET = "PRL012" "unknown-target" Error "A target that is not a known prime-rl version";
    OTHER_TARGET_FITS = "PRL013" "other-target-fits" Warning "A config written for a different prime-rl than assumed";
    INVALID_SETTINGS = "PRL014" "invalid-settings" Error "An invalid project setting";
    INVALID_METADATA = "PRL015" "invalid-metadata" Warning "An invalid metadata entry";
    TARGET_BEYOND_HISTORY = "PRL016" "target-beyond-history" Info "A target newer than the known history";
    UNUSED_SUPPRESSION = "PRL017" "unused-suppression" Warning "An ignore comment without a matching finding";
    UNUSABLE_ARGUMENT = "PRL018" "unusable-argument" Error "An argument of a launch command that prime-rl does not accept";
    MANGLED_VALUE = "PRL019" "mangled-value" Warning "A command-line value that prime-rl changes before reading it";
    HANDED_TO_VLLM = "PRL020" "handed-to-vllm" Info "A flag that is not a field and is passed to vLLM";
    INCLUDE_CYCLE = "PRL021" "include-cycle" Warning "A config that includes itself";
    INCLUDES_BESIDE_FILES = "PRL022" "includes-beside-files" Error "Several configs on one command line, one of which includes others";
    DROPPED_TABLE = "PRL023" "dropped-table" Warning "A table that a later config replaces completely";
    CONFLICTING_METADATA = "PRL024" "conflicting-metadata" Warning "Configs of one run with different targets or kinds";
    UNKNOWN_BASE = "PRL025" "unknown-base" Warning "A config that overrides an unnamed base config";
    UNCHECKED_KIND = "PRL026" "unchecked-kind" Warning "A config of a kind that the target does not have";
    INVALID_YAML = "PRL027" "invalid-yaml" Error "A file of a declared dialect that is not YAML";
    INVALID_DIALECT = "PRL028" "invalid-dialect" Error "A schema of a dialect that can't be read";
    MERGE_CONFLICT = "PRL029" "merge-conflict" Error "An unresolved merge conflict";
    CHECKED_WITH_BASE = "PRL030" "checked-with-base" Info "An overlay that was checked together with its base";
    MISSING_LAUNCHED = "PRL031" "missing-launched" Warning "A script that starts a config that does not exist";
    UNKNOWN_KEY = "PRL101" "unknown-key" Error "A key that the target does not know";
    IGNORED_KEY = "PRL102" "ignored-key" Warning "A key that the target silently ignores";
    MISSING_KEY = "PRL103" "missing-key" Error "A missing required key";
    WRONG_TYPE = "PRL104" "wrong-type" Error "A value of the wrong type";
    UNPARSABLE_VALUE = "PRL105" "unparsable-value" Error "A value that can't be parsed as its type";
    OUT_OF_RANGE = "PRL106" "out-of-range" Error "A value out of range";
    INVALID_CHOICE = "PRL107" "invalid-choice" Error "A value that is not one of the allowed ones";
    UNKNOWN_VARIANT = "PRL108" "unknown-variant" Error "A discriminator that matches no variant";
    MISSING_VARIANT = "PRL109" "missing-variant" Error "A table that does not say which variant it is";
    REMOVED_KEY = "PRL110" "removed-key" Error "A key that the target no longer has";
    FUTURE_KEY = "PRL111" "future-key" Error "A key that the target does not have yet";
    MISPLACED_KEY = "PRL112" "misplaced-key" Error "A key that belongs to another table";
    PLUGIN_DECIDES = "PRL113" "plugin-decides" Info "Something that only an installed package can decide";
    UNREAD_PACKAGE = "PRL114" "unread-package" Info "A package whose checks cfg does not know";
    CHANGED_CHECK = "PRL115" "changed-check" Info "A check that the project's prime-rl has changed";
    PATCHED_PRIME_RL = "PRL116" "patched-prime-rl" Info "Something that a patch of the project may change in prime-rl";
    UNREAD_KEY = "PRL117" "unread-key" Warning "A key that its table accepts and that nothing reads";
    CHANGED_DEFAULT = "PRL118" "changed-default" Info "A default that a later prime-rl has changed";
    SHARED_CONFLICT = "PRL201" "shared-conflict" Error "A shared key and a component's key that disagree";
    CONTRADICTION = "PRL202" "contradiction" Error "Values that prime-rl does not accept together";
    LOADING_CRASHES = "PRL203" "loading-crashes" Error "A config that crashes prime-rl while loading";
    REJECTED_BY_SUBPROCESS = "PRL204" "rejected-by-subprocess" Error "Values that rl accepts but a process it starts refuses";
    LOST_NULL = "PRL205" "lost-null" Warning "A null that does not reach the process it is meant for";
    REPLACED_VALUE = "PRL206" "replaced-value" Warning "A value that prime-rl silently replaces by a shared one";
    HOSTED_REFUSAL = "PRL207" "hosted-refusal" Error "A setting that hosted training refuses";
    RETIRED_HOSTED_FORM = "PRL208" "retired-hosted-form" Error "A config for shared LoRA training, which no longer accepts new runs";
    DROPPED_BY_HOSTED = "PRL209" "dropped-by-hosted" Warning "A setting that hosted training drops";
    UNKNOWN_EVAL_KEY = "PRL210" "unknown-eval-key" Error "A key that verifiers' evaluations do not take";
    REFUSED_EVALUATION = "PRL211" "refused-evaluation" Error "A setting with which verifiers starts no evaluation";
    UNKNOWN_ENDPOINT = "PRL212" "unknown-endpoint" Error "An endpoint that the registry of an evaluation does not have";
    REFUSED_ENDPOINT = "PRL213" "refused-endpoint" Warning "An endpoint for which verifiers drops the whole registry";
    DROPPED_ENDPOINT_KEY = "PRL214" "dropped-endpoint-key" Warning "A key of an endpoint that verifiers drops";
    REFUSED_LM_EVAL = "PRL215" "refused-lm-eval" Error "An evaluation harness command that ends before it evaluates";
    LM_EVAL_TROUBLE = "PRL216" "lm-eval-trouble" Warning "An evaluation harness command that is slow, wastes memory or cuts prompts";
    UNSEEDED_LM_EVAL = "PRL217" "unseeded-lm-eval" Info "An evaluation harness command without a seed";
    DIALECT_VALUE = "PRL218" "dialect-value" Error "A value that a declared dialect does not allow";
    DIALECT_KEY = "PRL219" "dialect-key" Error "A key that a declared dialect does not have, or misses";
    DIALECT_NAME = "PRL220" "dialect-name" Error "A text that does not fit the pattern of its dialect";
    DIALECT_FILE = "PRL221" "dialect-file" Error "A file or an entry that a config of a dialect names and that is not there";
    DIALECT_SUM = "PRL222" "dialect-sum" Error "Shares that do not sum to what their dialect says";
    YAML_TEXT = "PRL223" "yaml-text" Warning "A number that YAML 1.1 reads as a text";
    MISSING_ENV_FILE = "PRL224" "missing-env-file" Warning "An env file of hosted training that does not exist";
    CONTEXT_OVERFLOW = "PRL301" "context-overflow" Error "Answers that leave no room for a prompt in the context";
    CUT_ROLLOUTS = "PRL302" "cut-rollouts" Warning "Answers longer than the training sequence";
    PROMPT_FILLS_SEQUENCE = "PRL303" "prompt-fills-sequence" Error "Prompts that leave no room for answers in the training sequence";
    GROWING_PROMPT = "PRL304" "growing-prompt" Info "Tool output that may exceed the context in a later turn";
    CONTEXT_BEYOND_MODEL = "PRL305" "context-beyond-model" Error "A context longer than the model supports";
    DEAD_MAX_MODEL_LEN = "PRL306" "dead-max-model-len" Warning "A context length that is never read";
    BIASED_SAMPLING = "PRL307" "biased-sampling" Warning "Sampling that the trainer does not account for";
    ZERO_TEMPERATURE = "PRL308" "zero-temperature" Error "Training on greedy answers";
    SINGLE_ROLLOUT_GROUPS = "PRL309" "single-rollout-groups" Error "Groups of one, in which nothing is learned";
    ONE_PROBLEM_PER_STEP = "PRL310" "one-problem-per-step" Info "Steps with a single problem";
    SPLIT_GROUPS = "PRL311" "split-groups" Info "A batch that is not a multiple of the group size";
    IDLE_RANKS = "PRL312" "idle-ranks" Warning "Steps with fewer rollouts than the trainer has ranks";
    NO_SPARE_GROUPS = "PRL313" "no-spare-groups" Info "Filtered problems without spare groups";
    EVICTING_THRESHOLDS = "PRL314" "evicting-thresholds" Warning "Thresholds that set every problem aside";
    LEARNING_RATE = "PRL315" "learning-rate" Warning "A learning rate that looks like a typo";
    INDIVISIBLE_HEADS = "PRL316" "indivisible-heads" Error "Attention heads that the GPUs can't share evenly";
    PLACEHOLDER = "PRL317" "placeholder" Warning "A placeholder that was never filled in";
    UNCHECKED_CONTRADICTION = "PRL318" "unchecked-contradiction" Error "Values that only a later prime-rl refuses, and that fail at run time";
    CPU_OFFLOAD_WITH_NCCL = "PRL319" "cpu-offload-with-nccl" Error "Weights in main memory that are to be sent by NCCL";
    LORA_CPU_OFFLOAD = "PRL320" "lora-cpu-offload" Error "LoRA adapters with weights offloaded to the CPU";
    ADAPTER_NAME = "PRL321" "adapter-name" Error "An adapter that rollouts do not use";
    LORA_RANK_ROUNDED = "PRL322" "lora-rank-rounded" Info "A rank that the inference server rounds up";
    LORA_SCALE = "PRL323" "lora-scale" Info "An unusual ratio of alpha and rank";
    LORA_DROPOUT = "PRL324" "lora-dropout" Info "Dropout that only the trainer applies";
    LORA_IN_MEMORY_BROADCAST = "PRL325" "lora-in-memory-broadcast" Error "Adapters sent as weights in memory";
    LORA_TARGETS = "PRL326" "lora-targets" Warning "Adapters for layers that the model does not have";
    MODULES_TO_SAVE = "PRL327" "modules-to-save" Error "Modules trained with an adapter that the inference server never gets";
    ELASTIC_WITHOUT_ADAPTER = "PRL328" "elastic-without-adapter" Error "Servers found by DNS, which only get adapters, without an adapter";
    STALE_ROLLOUTS = "PRL329" "stale-rollouts" Warning "Rollouts that every update of the weights discards";
    TOOL_CHOICE_OFF = "PRL330" "tool-choice-off" Warning "An environment with tools that the server refuses";
    TOOL_PARSER = "PRL331" "tool-parser" Warning "A tool-call parser for another model family";
    TOOL_CALL_BUDGET = "PRL332" "tool-call-budget" Warning "Answers too short for the model's tool calls";
    IMPOSSIBLE_VALUE = "PRL334" "impossible-value" Error "A value with which nothing is trained";
    IMPORT_PATH = "PRL335" "import-path" Error "A function of the user that can't be imported";
    UNKNOWN_ENGINE_VALUE = "PRL336" "unknown-engine-value" Error "A value that vLLM does not have";
    TEMPLATE_NOT_FOUND = "PRL337" "template-not-found" Warning "A path of a template where no file is";
    MODEL_MISMATCH = "PRL340" "model-mismatch" Error "Files of one run with different models";
    STEPS_MISMATCH = "PRL341" "steps-mismatch" Warning "Files of one run with different step counts";
    SHORTER_TRAINING_SEQUENCE = "PRL342" "shorter-training-sequence" Warning "A trainer that accepts shorter sequences than the orchestrator produces";
    ADAPTER_NOT_SERVED = "PRL343" "adapter-not-served" Error "An adapter missing in the files of the other processes";
    BROADCAST_MISMATCH = "PRL344" "broadcast-mismatch" Error "Files of one run whose weight broadcast does not match";
    ADDRESS_MISMATCH = "PRL345" "address-mismatch" Warning "An orchestrator that connects where no server listens";
    FOLDER_MISMATCH = "PRL346" "folder-mismatch" Warning "Files of one run with different output folders";
    SERVED_NAME = "PRL347" "served-name" Error "A model served under a name that the orchestrator does not request";
    NO_GPUS = "PRL350" "no-gpus" Error "A process group that gets no GPU";
    INVALID_DEGREE = "PRL351" "invalid-degree" Error "A degree of parallelism below 1";
    INDIVISIBLE_GPUS = "PRL352" "indivisible-gpus" Error "A number of GPUs that the degrees of parallelism do not divide";
    UNEVEN_EXPERT_PARALLELISM = "PRL353" "uneven-expert-parallelism" Error "Expert parallelism that does not fit the trainer's GPUs";
    INDIVISIBLE_EXPERTS = "PRL354" "indivisible-experts" Error "Experts that the GPUs can't share evenly";
    INDIVISIBLE_SEQUENCE = "PRL355" "indivisible-sequence" Error "Sequences that can't be split evenly";
    INDIVISIBLE_BATCH = "PRL356" "indivisible-batch" Error "A batch that the ranks can't share evenly";
    UNEVEN_CONTEXT_HEADS = "PRL357" "uneven-context-heads" Error "Attention heads that context parallelism can't share evenly";
    UNSUPPORTED_CONTEXT_PARALLELISM = "PRL358" "unsupported-context-parallelism" Error "Context parallelism that the trainer refuses";
    FAKE_BATCH_BELOW_RANKS = "PRL359" "fake-batch-below-ranks" Error "Random data with fewer samples than ranks";
    FUSED_KERNEL_WITH_EXPERT_PARALLELISM = "PRL360" "fused-kernel-with-expert-parallelism" Error "A fused kernel combined with expert parallelism";
    SERVED_WITHOUT_EXPERTS = "PRL361" "served-without-experts" Error "Expert parallelism in vLLM for a model without experts";
    ENGINE_BEYOND_GPUS = "PRL362" "engine-beyond-gpus" Error "An engine that is split over more GPUs than it has";
    SERVER_BEYOND_NODE = "PRL363" "server-beyond-node" Error "A server that needs more GPUs than its node has";
    NO_TRAINED_ROLE = "PRL370" "no-trained-role" Error "Supervised training without a role that is trained on";
    DATASET_PROBABILITIES = "PRL371" "dataset-probabilities" Error "Probabilities of datasets that can't be drawn from, or weigh nothing";
    VALIDATION_NEVER_RUNS = "PRL372" "validation-never-runs" Warning "A validation that the run ends before";
    NO_MEMORY_TO_LOAD = "PRL401" "no-memory-to-load" Error "Trainer weights that do not fit on a GPU";
    NO_MEMORY_TO_START = "PRL402" "no-memory-to-start" Error "A share of GPU memory for vLLM that is not free when it starts";
    NO_KV_CACHE = "PRL403" "no-kv-cache" Error "No room for a KV cache in vLLM's memory";
    KV_CACHE_TOO_SMALL = "PRL404" "kv-cache-too-small" Error "A KV cache smaller than one sequence";
    OUT_OF_MEMORY = "PRL405" "out-of-memory" Error "A memory peak that exceeds the GPU";
    MISSING_CHECKPOINTING = "PRL406" "missing-checkpointing" Error "A memory peak that needs activation checkpointing to fit";
    TIGHT_MEMORY = "PRL407" "tight-memory" Warning "A memory peak that may exceed the GPU";
    SHARED_GPU_DEFAULT = "PRL408" "shared-gpu-default" Warning "The default share for vLLM on a GPU shared with the trainer";
    KV_CACHE_CROWDED = "PRL409" "kv-cache-crowded" Warning "More rollouts in flight than the KV cache holds";
    DISK_FULL = "PRL410" "disk-full" Error "Checkpoints that do not fit on the disk";
    UTILIZATION_OUT_OF_RANGE = "PRL411" "utilization-out-of-range" Error "A share of GPU memory that is out of range";
    UNSUPPORTED_BY_CARD = "PRL412" "unsupported-by-card" Error "A setting or a model that the card can't run";
    OFFLOAD_EXCEEDS_HOST = "PRL413" "offload-exceeds-host" Warning "An offload that takes more main memory than machines with these cards have";
    UNCHECKED_MEMORY = "PRL414" "unchecked-memory" Info "A machine for which memory is not checked, because the model is unknown";
    UNKNOWN_ENV_ARG = "PRL501" "unknown-env-arg" Warning "An argument that the environment silently ignores";
    INVALID_ENV_ARG = "PRL502" "invalid-env-arg" Warning "An argument that the environment does not accept";
    WRONG_SPLIT = "PRL503" "wrong-split" Error "Training on the evaluation split";
    ENV_ARGS_CONFLICT = "PRL504" "env-args-conflict" Warning "Environment arguments that conflict";
    SLOW_EXECUTOR = "PRL505" "slow-executor" Warning "Slow tool calls that each step waits for";
    BROKEN_ENV_VERSION = "PRL506" "broken-env-version" Error "An environment version that does not work";
    FEW_EXAMPLES = "PRL507" "few-examples" Warning "Few problems that are trained on again and again";
    ENV_LIMIT_MISMATCH = "PRL508" "env-limit-mismatch" Warning "Environment limits that do not match the run";
    INVALID_ENV_DECLARATION = "PRL509" "invalid-env-declaration" Warning "An invalid environment declaration";
    MISSING_ENV_ARG = "PRL510" "missing-env-arg" Error "A missing required environment argument";
    CURRICULUM_WITHOUT_EFFECT = "PRL511" "curriculum-without-effect" Warning "A curriculum that the environment ignores";
    CURRICULUM_INCOMPLETE = "PRL512" "curriculum-incomplete" Warning "A curriculum without phases, or phases without a curriculum";
    CURRICULUM_ORDER = "PRL513" "curriculum-order" Warning "Phases that are out of order";
    CURRICULUM_WEIGHTS = "PRL514" "curriculum-weights" Warning "Invalid weights of a phase";
    CURRICULUM_LENGTH = "PRL515" "curriculum-length" Warning "Phases that do not match the length of the run";
    CURRICULUM_CONSTANT = "PRL516" "curriculum-constant" Warning "A curriculum that never changes anything";
    CURRICULUM_CLOCK = "PRL517" "curriculum-clock" Warning "A curriculum that counts steps differently from training";
    CURRICULUM_RESTARTS = "PRL518" "curriculum-restarts" Warning "A curriculum that starts over in a resumed run";
    CURRICULUM_OVERRIDDEN = "PRL519" "curriculum-overridden" Warning "Phases for tasks that `difficulty` excludes";
    NO_TRAINING_ENVIRONMENT = "PRL520" "no-training-environment" Error "A run without an environment to train on";
    INVALID_ENV_ID = "PRL521" "invalid-env-id" Warning "An id of an environment that no package can have";
    RESERVED_ENV_NAME = "PRL522" "reserved-env-name" Error "An environment with a name that the trainer keeps for all of them";
    ENV_NAME_WITH_SLASH = "PRL523" "env-name-with-slash" Error "An environment's name with a slash";
    GROUPS_ALL_REJECTED = "PRL524" "groups-all-rejected" Warning "A gate that no group of rollouts passes";
    HOSTED_MODEL = "PRL601" "hosted-model" Error "A model without public weights";
    API_SLUG = "PRL602" "api-slug" Error "A model's API name in place of its hub name";
    VISION_LANGUAGE_MODEL = "PRL603" "vision-language-model" Error "A vision-language model that the trainer can't load";
    BLOCKED_MODEL = "PRL604" "blocked-model" Error "A model that does not work with this version";
    CHAT_TEMPLATE = "PRL605" "chat-template" Warning "A chat template that changes earlier turns";
    CUSTOM_IMPLEMENTATION = "PRL606" "custom-implementation" Error "An architecture without a custom implementation";
    REMOTE_CODE = "PRL607" "remote-code" Warning "A model that needs code permission denied to run";
    POOR_TOOL_CALLER = "PRL608" "poor-tool-caller" Info "A model that is known to call tools badly";
    MISSPELT_MODEL = "PRL609" "misspelt-model" Warning "A misspelled model name";
    FOREIGN_RENDERER = "PRL610" "foreign-renderer" Warning "A renderer made for other models";
    FOREIGN_TOKENIZER = "PRL611" "foreign-tokenizer" Warning "A tokenizer with a different vocabulary than the model";
    UNSUPPORTED_ATTENTION = "PRL612" "unsupported-attention" Error "An attention kernel that the model's implementation does not have";
    NO_EXPERTS = "PRL613" "no-experts" Error "A setting for experts of a model without experts";
    CHECKPOINT_TARGETS = "PRL614" "checkpoint-targets" Error "Selective checkpointing of a part that the model does not have";
    TEACHER_NOT_SERVED = "PRL615" "teacher-not-served" Error "A teacher at the address of the trained model's own server";
    FOREIGN_TEACHER = "PRL616" "foreign-teacher" Error "A teacher with a different vocabulary than the model";
    TEXT_MODEL_AS_VISION = "PRL617" "text-model-as-vision" Error "A text model with settings for image input";
    FP8_WITHOUT_SUPPORT = "PRL618" "fp8-without-support" Error "FP8 for a model whose experts have no such kernel";
    QUANTISED_WEIGHTS = "PRL619" "quantised-weights" Error "A trained model whose weights are stored quantised";
    NO_CHAT_TEMPLATE = "PRL620" "no-chat-template" Warning "A base model without a chat template";
    UNBUMPED_CHANGE = "PRL710" "unbumped-change" Error "A registered config that changed without a new version";
    REGISTRY_MISMATCH = "PRL711" "registry-mismatch" Error "A config that contradicts its registry";
    UNKNOWN_CURRENT_VERSION = "PRL712" "unknown-current-version" Error "A current version that does not exist";
    UNKNOWN_PARENT = "PRL713" "unknown-parent" Error "A parent that does not exist";
    LINEAGE_CYCLE = "PRL714" "lineage-cycle" Error "Versions derived from themselves";
    PARENT_CHANGED = "PRL715" "parent-changed" Warning "A parent that changed after its child was created";
    UNKNOWN_ACTIVE_CONFIG = "PRL716" "unknown-active-config" Error "A version in use that does not exist";
    UNREGISTERED_CONFIG = "PRL717" "unregistered-config" Warning "An unregistered config among registered ones";
    MISSING_NOTES = "PRL718" "missing-notes" Warning "A version without notes";
    MISSING_CONFIG = "PRL719" "missing-config" Error "A registered config whose file is missing";
    INVALID_REGISTRY = "PRL720" "invalid-registry" Error "An invalid registry";
    LOST_OBJECT = "PRL721" "lost-object" Error "A registered text that is missing";
    UNRECORDED_VERSION = "PRL722" "unrecorded-version" Info "A version without a recorded text";
    RUN_MISMATCH = "PRL723" "run-mismatch" Error "A run that used a different text than its version";
    WRONG_FINGERPRINT = "PRL724" "wrong-fingerprint" Warning "A fingerprint that does not match its text";
    FALSE_CLAIM = "PRL730" "false-claim" Warning "A config that does not train the same as it claims";
    UNCHECKED_CLAIM = "PRL731" "unchecked-claim" Info "A claim about a config that can't be read";
    METADATA_IN_COMMENT = "PRL732" "metadata-in-comment" Info "A version that is only stated in a comment";
    CHECKPOINTING_OFF = "PRL801" "checkpointing-off" Info "A long run that saves no checkpoints";
    ONLY_FINAL_CHECKPOINT = "PRL802" "only-final-checkpoint" Warning "Checkpoints without an interval";
    CHECKPOINTS_PILE_UP = "PRL803" "checkpoints-pile-up" Warning "Many checkpoints that are never deleted";
    BENCHMARK_CHECKPOINTS_DELETED = "PRL804" "benchmark-checkpoints-deleted" Info "Checkpoints for benchmarks that are deleted";
    NEWEST_CHECKPOINT_DELETED = "PRL805" "newest-checkpoint-deleted" Warning "Checkpoints that are deleted as soon as they are saved";
    KEEP_INTERVAL_BETWEEN_SAVES = "PRL806" "keep-interval-between-saves" Warning "A `keep_interval` that matches no saved step";
    KEEP_LAST_WITHOUT_EFFECT = "PRL807" "keep-last-without-effect" Warning "A `keep_last` that deletes nothing";
    RESUME_BEYOND_END = "PRL808" "resume-beyond-end" Error "A run that resumes at or after its last step";
    RESUME_BETWEEN_SAVES = "PRL809" "resume-between-saves" Warning "A resume step that is never saved";
    RESUME_WITHOUT_WANDB_ID = "PRL810" "resume-without-wandb-id" Info "A resumed run that starts a new Weights & Biases run";
    RESUME_UNSEEN_BY_LAUNCHER = "PRL811" "resume-unseen-by-launcher" Warning "A resume that the launcher does not see";
    CLEAN_DELETES_CHECKPOINTS = "PRL812" "clean-deletes-checkpoints" Warning "A config that deletes its checkpoints at every start";
    STALE_OUTPUTS = "PRL813" "stale-outputs" Warning "A new run that picks up rollouts of an earlier one";
    SHARED_GPU = "PRL814" "shared-gpu" Warning "A GPU that trainer and inference server seem to share by accident";
    CUDA_GRAPHS_ON_SHARED_GPU = "PRL815" "cuda-graphs-on-shared-gpu" Info "CUDA graphs on a GPU shared with the trainer";
    MORE_GPUS_THAN_STATED = "PRL816" "more-gpus-than-stated" Error "More GPUs than the stated machine has";
    NCCL_ON_ONE_GPU = "PRL817" "nccl-on-one-gpu" Error "Weights sent by NCCL from a GPU to itself";
    VLLM_VARIABLE_WITHOUT_EFFECT = "PRL818" "vllm-variable-without-effect" Warning "A variable that vLLM or prime-rl ignores";
    SECRET_IN_CONFIG = "PRL819" "secret-in-config" Warning "A key or token in a config";
    WANDB_NAME_OF_OTHER_VERSION = "PRL820" "wandb-name-of-other-version" Warning "A run named after another version of the config";
    NO_EVALUATION_OF_RESULT = "PRL821" "no-evaluation-of-result" Warning "An evaluation interval that skips the result";
    OFFLINE_WITHOUT_EFFECT = "PRL822" "offline-without-effect" Warning "Offline logging to a run that is shared over the network";
    LAST_EVALUATION_LOST = "PRL823" "last-evaluation-lost" Info "An evaluation of the last step that may be lost";
    NO_INFERENCE_SERVER = "PRL824" "no-inference-server" Warning "GPUs for an inference server that nobody starts";
    NO_STEPS = "PRL825" "no-steps" Error "A last step below the first one";
    PORT_COLLISION = "PRL826" "port-collision" Error "Two servers of a run on one port";
    LOCALHOST_ACROSS_NODES = "PRL827" "localhost-across-nodes" Error "Trainer nodes that look for each other on `localhost`";
    PORT_OUT_OF_RANGE = "PRL828" "port-out-of-range" Error "A port above 65535";
    SERVER_OUT_OF_REACH = "PRL829" "server-out-of-reach" Error "A server that does not listen where the orchestrator connects";
    MISSING_GPUS = "PRL830" "missing-gpus" Error "GPUs that the machine does not have";
    GPU_IN_USE = "PRL831" "gpu-in-use" Error "A GPU that another process is using";
    GPU_MEMORY_SHORT = "PRL832" "gpu-memory-short" Error "A GPU with less memory than the run needs";
    STALE_PROCESSES = "PRL833" "stale-processes" Warning "Running processes of an earlier run";
    MISSING_PROGRAM = "PRL834" "missing-program" Error "A program that prime-rl needs and that is not in PATH";
    MISSING_WANDB_KEY = "PRL835" "missing-wandb-key" Error "Weights & Biases without an API key";
    LOW_FILE_LIMIT = "PRL836" "low-file-limit" Warning "A low limit of open files";
    LITTLE_DISK = "PRL837" "little-disk" Error "Less free disk than the checkpoints take";
    EARLIER_RUN = "PRL838" "earlier-run" Warning "Leftover folders of an earlier run";
    STEP_DESYNC = "PRL839" "step-desync" Error "Checkpoints of the orchestrator ahead of the step to resume from";
    MISSING_CHECKPOINT = "PRL840" "missing-checkpoint" Error "A checkpoint to resume from that is missing or incomplete";
    MISSING_ENVIRONMENT = "PRL841" "missing-environment" Warning "An environment that is not installed";
    MISSING_HUB_TOKEN = "PRL842" "missing-hub-token" Warning "A gated model without a hub token";
    WEIGHTS_INDEX_MISMATCH = "PRL843" "weights-index-mismatch" Error "A weights index that lists missing files";
    OTHER_PRIME_RL = "PRL844" "other-prime-rl" Warning "An installed prime-rl that differs from the target";
    MISSING_PATH = "PRL845" "missing-path" Error "A path that is not on this machine";
    MISSING_VARIABLE = "PRL846" "missing-variable" Error "An unset variable that the project's settings require";
    MISSING_SANDBOX_KEY = "PRL847" "missing-sandbox-key" Error "Sandboxes of a service without its key";
    RESUME_IN_NEW_RUN = "PRL848" "resume-in-new-run" Warning "Resuming in a folder with a random name";
    LITTLE_HOST_MEMORY = "PRL849" "little-host-memory" Error "Less main memory than an offload takes";
    WEIGHTS_TO_ROUTER = "PRL850" "weights-to-router" Error "New weights that are sent to the router";
    OLD_DRIVER = "PRL851" "old-driver" Error "A driver that is too old for prime-rl's CUDA";
    OTHER_PYTHON = "PRL852" "other-python" Warning "A Python that prime-rl does not run with";
    UNCACHED_MODEL = "PRL853" "uncached-model" Error "A model that is not in the cache while nothing may be downloaded";
    UNSHARED_FOLDER = "PRL854" "unshared-folder" Error "Outputs of several nodes in a folder that each has for itself";
    SMALL_SHARED_MEMORY = "PRL855" "small-shared-memory" Warning "Too little shared memory for several GPUs";
}

/// The address of the pages, with `{name}` for the name of a code: publishers of the pages set it for the build.
const PAGES: Option<&str> = option_env!("CFG_PAGES_URL");

impl CodeInfo {
    /// The path of its page, from the root of this repository.
    pub fn page_path(&self) -> String {
        format!("docs/rules/{}.md", self.name)
    }

    /// The address of its page; `None` in a build without an address for the pages.
    pub fn url(&self) -> Option<String> {
        PAGES.filter(|pages| !pages.is_empty()).map(|pages| pages.replace("{name}", self.name))
    }
}

/// Finds an entry by its code or its name.
pub fn find(code_or_name: &str) -> Option<Code> {
    ALL.iter().copied().find(|info| info.code.eq_ignore_ascii_case(code_or_name) || info.name == code_or_name)
}

/// Whether `selector` selects `code`: a code (`PRL101`), a name (`unknown-key`), a code prefix (`PRL1`), or `ALL`.
pub fn selects(selector: &str, code: Code) -> bool {
    selector == code.name
        || selector.eq_ignore_ascii_case("ALL")
        || code
            .code
            .get(..selector.len())
            .is_some_and(|beginning| selector.len() >= "PRL".len() && beginning.eq_ignore_ascii_case(selector))
}
