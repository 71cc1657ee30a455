//! The behaviours of prime-rl, each with its first point and the first point without it. Generated from `schemas/behaviours.toml` by `cargo xtask generate`.

use crate::behaviour::behaviours;

behaviours! {
    /// Applies to every known prime-rl. (the history)
    Always = 0..END;
    /// vLLM 0.12 can't load new weights into gpt-oss. (vLLM 23577; #1625)
    GptOssWeightsAreRefused = 0..143;
    /// prime-rl locks a transformers version that is older than 4.57. (uv.lock: 4.56.1, then 4.57.6)
    TransformersBefore457 = 0..149;
    /// prime-rl locks a transformers version that is older than 5. (uv.lock: 4.57.6, then 5.2.0.dev0; #1731)
    TransformersBefore5 = 0..172;
    /// prime-rl locks a transformers version that is older than the development version of 5.3. (uv.lock: 5.2.0.dev0, then 5.3.0.dev0)
    TransformersBefore53 = 0..208;
    /// prime-rl locks a transformers version that is older than 5.5. (uv.lock: 5.3.0.dev0, then 5.5.0)
    TransformersBefore55 = 0..253;
    /// A list with one item applies to all evals, and the concurrency is such a list. (#870)
    OneItemForAll = 4..END;
    /// `wandb` is no longer in the table `monitor`. (#895)
    NoMonitorTable = 5..END;
    /// GPUs have ids. (#971)
    GpuIds = 10..END;
    /// The trainer supports adapters. (#1065)
    Adapters = 30..END;
    /// Random data has no micro-batch size of its own. (#1155)
    NoMicroBatch = 47..END;
    /// The number of data-parallel ranks is derived from the GPUs. (#1198)
    DpFromGpus = 57..END;
    /// prime-rl's own verdicts are recorded from here on. (#1260)
    VerdictsAreRecorded = 70..END;
    /// Every shared key that is not null is copied, even if it is empty or zero. (#1229)
    ZeroIsShared = 72..END;
    /// The buffer removes problems by thresholds, and filters by difficulty. (#1303)
    DifficultyThresholds = 80..339;
    /// The launcher removes broadcast weights unless the shared table says that the run resumes. Before, it used the trainer's table. (#1299)
    CleanRemovesBroadcasts = 85..END;
    /// The inference server gets only the adapter. Before, it got merged weights. (#1320)
    AdaptersAreServed = 86..END;
    /// `sft` divides its batch by ranks instead of GPUs. (#1349)
    SftBatchInRanks = 88..END;
    /// Samples are made from turns in another way, which does not require growing positions. (#1315)
    TurnsMayBranch = 89..END;
    /// A benchmark no longer has to turn off the logging of samples. (#1363)
    NoSamplesInBench = 91..END;
    /// `rl` passes the adapter's name on. (#1392)
    AdapterIsNamed = 99..END;
    /// The inference server accepts its own flags with hyphens too. (#1392)
    LenientFlagsWithHyphens = 99..END;
    /// The orchestrator uses the folder `run_default` of the run, and random data has no length of its own. (#1419)
    RunFolder = 102..END;
    /// A resumed trainer counts its steps from the newest checkpoint of the orchestrator, not from the one that the run resumes from. (#1419; #1684)
    TrainerWaitsForNewestCheckpoint = 102..163;
    /// Context and tensor parallelism count for the number of processes, and context parallelism requires the packing "cat". (#1305)
    CpAndTpCount = 104..END;
    /// The RL trainer supports context parallelism. Before, it refused it. (#1305)
    RlContextParallelism = 104..END;
    /// The trainer always builds the model without weights, and copies those of its files into it as they are. (#1438)
    WeightsAreCopied = 106..END;
    /// `lora` is no longer in the table `experimental`. (#1440)
    LoraOutOfExperiment = 107..END;
    /// `LoRA` turns `adapter_only` on. (#1456)
    LoraSendsAdapters = 115..END;
    /// `impl = "auto"` may select Hugging Face's code. (#1488)
    AutoRunsRemoteCode = 117..END;
    /// The switch `adapter_only` is removed. (#1489)
    NoAdapterOnly = 118..END;
    /// The trainer has its own class for `afmoe`. (#1515)
    AfmoeHasOwnClass = 125..END;
    /// `keep` is renamed to `keep_last`, and `keep_interval` is added. (#1521)
    KeepInterval = 125..END;
    /// Checkpoints of an earlier process count too. The commit that changes this is be0e3d131, shortly after. (#1526)
    OldCheckpointsCount = 127..END;
    /// The adapter's name is in the orchestrator's `model.lora`. (#1555)
    AdapterInModel = 129..END;
    /// The orchestrator's model has a table `lora`. (#1555)
    OrchestratorLora = 129..END;
    /// Experts are distributed over the GPUs of expert parallelism. Before, the degree only shaped the mesh. (#1595)
    ExpertsAreSpread = 141..END;
    /// The trainer's switch `bench` is now a table. (#1566)
    BenchTable = 142..END;
    /// A resumed orchestrator looks for weights in files even if NCCL sends them. (#1593, #1665)
    NcclResumeNeedsFiles = 143..149;
    /// vLLM is newer than 0.12, but it is not known whether it can load new weights into gpt-oss. (vLLM 23577; #2073)
    GptOssWeightsMayBeRefused = 143..231;
    /// A config in which only the trainer or only the orchestrator uses Weights & Biases is rejected. (#1629)
    BothLog = 144..END;
    /// Offloaded weights are created on the CPU. (#1636)
    OffloadedWeightsOnCpu = 146..END;
    /// The default chunk size of the fused head is "auto" instead of null. (#1649)
    AutoChunks = 147..END;
    /// The fused head uses chunks with the Liger kernels too. (#1691)
    LigerChunks = 152..END;
    /// The first models with image input can be trained. (#1680)
    Qwen3Vl = 152..END;
    /// Logs can be JSON. (#1681)
    JsonLogs = 155..END;
    /// The newer kernels of context parallelism require prime-rl's own model code. (#1727)
    CpWantsOwnCode = 160..END;
    /// Turns are joined into one sample if the tokens of one are the beginning of the next; otherwise they become several samples. (#1674)
    BestEffortInterleaving = 163..END;
    /// `rl` compares the port of the orchestrator's client with that of the inference server when it starts on one node. (#1684)
    AddressIsCompared = 163..END;
    /// The orchestrator's `lora` has a rank and an alpha. (#1729)
    LoraRankShared = 169..END;
    /// Turns of one rollout can be separate samples, and environments no longer get an argument for that. (#1780)
    NotInterleaved = 174..END;
    /// The trainer has its own class for `minimax_m2`. (#1773)
    MinimaxM2HasOwnClass = 175..END;
    /// Port and timeout of the weight broadcast are shared keys. (#1818)
    BroadcastPort = 177..END;
    /// The tool-call parser is selected by the model's name, and turns the tool choice on. (#1844)
    ParserByModel = 183..END;
    /// The trainer has its own class for `glm_moe_dsa`. (#1827)
    GlmMoeDsaHasOwnClass = 185..END;
    /// The tool-call parser is selected by the model's name. (#1854)
    ParserFollowsModel = 186..END;
    /// Deployments replace lists of GPU ids. At this point only, the output folder has no default. (#1859)
    Deployments = 188..END;
    /// The launcher refuses a folder that contains checkpoints, unless the shared table says that the run resumes, or the launcher may delete the folder. (#1872)
    FolderIsGuarded = 189..END;
    /// The output folder has a default again. (#1872)
    OutputDirDefault = 189..END;
    /// `sft` starts a process on each GPU itself. (#1872)
    SftStartsItsProcesses = 189..END;
    /// pydantic-settings no longer merges a field's default into the user's table. (#1875)
    DefaultsNoLongerMerged = 190..END;
    /// A component's own `seq_len` is not replaced. (#1875)
    GivenSeqLenStays = 190..END;
    /// The parser is looked up when the server starts. (#1882)
    ParserAtStart = 195..END;
    /// A parser, or `auto`, turns the tool choice on; without either, it is off. (#1882)
    ParserIsToolChoice = 195..END;
    /// The default chunks of the fused head are larger. (#1892)
    LargerChunks = 197..END;
    /// The orchestrator's batch size can be null. A SLURM job on a single node reads the whole config again. (#1897)
    NullBatchSize = 199..END;
    /// Expert parallelism can span nodes. A given number of API servers is kept. (#1894)
    ExpertsOverNodes = 201..END;
    /// pydantic-settings no longer loads configs. (#1915)
    LeftPydanticSettings = 204..END;
    /// A rollout becomes older before its age is compared with the limit, so that a limit of 0 keeps none. (#1865)
    RolloutsAgeFirst = 207..END;
    /// A separate table decides whether rewards are computed. (#1865)
    VerificationTable = 207..END;
    /// The environment argument for the context length is `max_seq_len`. (#1983)
    MaxSeqLen = 210..END;
    /// Weights & Biases runs have no `id` in the config. (#1984)
    NoWandbId = 211..END;
    /// The number of inference nodes can be 0. (#2012)
    NoInferenceNodes = 218..END;
    /// The trainer has its own class for `qwen3_5_moe`. (#2026)
    Qwen35MoeHasOwnClass = 220..END;
    /// Trainer and orchestrator of `rl` can share one run of Weights & Biases. (#2044)
    SharedWandb = 223..END;
    /// The orchestrator has a prime monitor. (#1896)
    PrimeMonitor = 227..END;
    /// `extra_body` is sent in a request unchanged. Before, `top_k` and `min_p` in it were overwritten. (#2053)
    ExtraBodyIsKept = 230..END;
    /// Inference can serve a quantized copy of the model: it keeps its own name, and weights can be quantized during the broadcast. (#2038)
    InferenceLeads = 231..END;
    /// A model with image input is detected by its own config. (#2063)
    VisionByConfig = 233..END;
    /// A table says that a model has image input. Before, the model's name did. (#2063)
    VlmTable = 233..END;
    /// The trainer has its own class for `nemotron_h`. (#2046)
    NemotronHHasOwnClass = 234..END;
    /// Replicas and disaggregated inference are added. A headless node gets no API server. The inference server's file does not contain keys that only the launcher needs. (#2030)
    Replicas = 238..END;
    /// An environment server that is started by itself has one worker if the number is "auto". (#2104)
    OneWorker = 240..END;
    /// The recorded verdicts of single files are those of a later loader, which validates them once and makes aliases one key, in nullable tables and tagged unions too. The loader of that time validates them twice, and renames nothing. (the recorded verdicts of 0.5.0)
    OnePassIsRecorded = 244..245;
    /// Duplicate targets of selective checkpointing are dropped. (#2120)
    TargetsOnce = 245..END;
    /// The key `log.file` is removed. (#2150)
    NoLogFile = 248..END;
    /// With several nodes, each node gets its own ranks and servers. (#2221)
    RanksPerNode = 258..END;
    /// A single node gets as many API servers as ranks. (#2223)
    ServersOfOneNode = 259..END;
    /// Before a run resumes, its launcher removes the rollouts and broadcasts of later steps. (#2219)
    ResumeRemovesLaterSteps = 263..END;
    /// Each environment has its own workers. (#2193)
    EnvWorkers = 264..361;
    /// Environments inherit more settings of sampling, and inherit them together with the rest. (#2238)
    InheritedTogether = 266..END;
    /// A chat template can be the path of a file. Before, it is always the text itself. (#2258)
    ChatTemplateFromFile = 270..END;
    /// The session header is added to the given headers. (#2283)
    HeaderIsAdded = 281..END;
    /// Before a run that does not resume, its launcher removes all rollouts and broadcasts. (#2304)
    StartRemovesSteps = 282..END;
    /// "fa4" supports context parallelism. (#2307)
    CpWithFa4 = 283..END;
    /// Entity, group and tags of Weights & Biases are shared keys. (#2350)
    EntityGroupTags = 287..END;
    /// Rollouts from an external server exclude only an inference server. (#2271)
    ExternalNeedsNoInference = 288..END;
    /// The trainer has its own class for `gpt_oss`. (#2365)
    GptOssHasOwnClass = 288..END;
    /// The client can render prompts from messages; it then also parses the tool calls. (#2278)
    Renderers = 292..END;
    /// The trainer has its own class for `laguna`. (#2479)
    LagunaHasOwnClass = 303..END;
    /// `WANDB_MODE` takes precedence over a shared run. (#2512)
    WandbModeCounts = 307..END;
    /// The locked tomli reads TOML 1.1 (2.4.1 after 2.2.1, since 897b935ca). (#2436)
    Tomli24 = 308..END;
    /// The number of rollouts in progress is at least the size of a group. (#2533)
    AGroupAtLeast = 310..END;
    /// The trainer refuses samples of an environment that is named "all". (#2478)
    EnvNameAllIsReserved = 311..END;
    /// The trainer has its own class for `qwen3`. (#2505)
    Qwen3HasOwnClass = 311..END;
    /// The orchestrator's model and client are in the table `student`; a training mode decides which model samples. (#2546)
    Student = 314..END;
    /// tyro no longer reads the command line. (#2564)
    LeftTyro = 315..END;
    /// The unused `max_model_len` at the root of an `rl` config is removed. (#2565)
    RootMaxModelLenGone = 318..END;
    /// Shared keys are copied before any check. (#2565)
    SharingComesFirst = 318..END;
    /// A session is one rollout instead of one problem. (#2615)
    SessionPerTrajectory = 328..END;
    /// The trainer's asynchronous level is removed. (#2631)
    NoAsyncLevel = 331..END;
    /// Null means no renderer. (#2635)
    NullRenderer = 333..END;
    /// A shared key and a component's key with equal values do not conflict. (#2649)
    EqualValuesAgree = 334..END;
    /// The processes of `rl` always share their run of Weights & Biases. (#2649)
    WandbAlwaysShared = 334..END;
    /// A shared table turns the components' tables on only if it is written. (#2654)
    PresenceWantsATable = 335..END;
    /// A last step of 0 is one for the orchestrator, too: it meant no limit. (#2639)
    ZeroIsALastStep = 339..END;
    /// The buffer is removed. (#2639)
    BufferGone = 339..END;
    /// Each environment has its own group size. (#2639)
    GroupSizes = 339..END;
    /// The KV transfer between prefill and decode has a switch. (#2689)
    TransferSwitch = 342..END;
    /// Disaggregated inference requires SLURM too, and its `slurm` is a shared key. (#2694)
    InferenceSlurm = 343..END;
    /// Each engine has a role. Before, each node had one. (#2696)
    RolePerEngine = 345..END;
    /// The log settings are shared with inference. (#2466)
    InferenceLog = 346..END;
    /// The renderers package supports Nemotron 3 Ultra. (#2718)
    RenderersNemotronUltra = 347..END;
    /// The processes that receive weights are counted by GPUs, not by API servers. (#2707)
    CountedByGpus = 348..END;
    /// The renderers package supports Llama 3. (#2732)
    RenderersLlama3 = 349..END;
    /// Each environment has its own advantage. (#2721)
    Advantages = 350..365;
    /// Learning from rollouts is possible without a teacher. (#2720)
    SftWithoutTeacher = 351..361;
    /// The parsers of Nemotron 3 are supported. (#2767)
    NemotronReasons = 353..END;
    /// On several nodes the router distributes the requests. (#2830)
    RouterSpreads = 356..END;
    /// The renderers package supports DeepSeek-R1. (#2852)
    RenderersDeepSeekR1 = 358..END;
    /// Environments of the newer kind no longer get the orchestrator's sequence length. (#2742)
    EnvironmentsNotToldSeqLen = 361..END;
    /// Environments are verifiers' own. (#2742)
    Verifiers = 361..END;
    /// `ep` can be "auto", and fine-tuning replaces a chunk size instead of refusing it. (#2868)
    AutoEp = 364..END;
    /// Algorithms replace the training mode, and `student` is removed. (#2746)
    Algorithms = 365..END;
    /// Environment variables that the launcher sets are refused. (#2863)
    LaunchersVariables = 367..END;
    /// The metrics over all environments are named "agg". Before, they were named "all". (#2907)
    Agg = 370..END;
    /// A run ends only after its last evaluation has started all rollouts. (#2913)
    LastEvaluationIsAwaited = 370..END;
    /// The inference server's type of weight broadcast is always compared. (#2922)
    InferenceCompared = 373..END;
    /// Steps are counted from 1, and the trainer stops at its last step only, not beyond it. (#2896)
    StepsFromOne = 379..END;
    /// A resumed trainer sends weights with NCCL only after its next step, which waits for them. (#2896, #3004)
    NcclResumeHangs = 380..392;
    /// The renderers package supports Hy3, among others. (#2950)
    RenderersHy3 = 380..END;
    /// A weight broadcast is created if none is written. (#2982)
    BroadcastAlways = 388..END;
    /// A null that counts as set is written as the text `None`. (#2981)
    NullAsText = 391..END;
    /// A `LoRA` is refused with any broadcast except through files. (#3004)
    LoraNeedsFiles = 392..END;
    /// Fine-tuning always uses a renderer. (#2988)
    AlwaysRenders = 396..END;
    /// Ulysses repeats key and value heads if there are too few. (#3042)
    KvHeadsAreRepeated = 397..END;
    /// Supervised fine-tuning computes its loss in the chunks of the output head. (#3044)
    SftHead = 402..END;
    /// The value is written in full, `flash_attention_4`, and `impl = "auto"` is enough for it. (#3057)
    Fa4SpelledOut = 403..END;
    /// `attn = "auto"` can select a newer kernel. (#3076)
    AutoAttention = 405..END;
    /// Context parallelism requires one of the trainer's own classes, and a sequence length that it divides. (#3099)
    ContextParallelismNeedsOwnClass = 409..END;
    /// Sequences of models with image input can be split in the Ulysses style. (#3099)
    VisionByUlysses = 409..END;
    /// Environments are in a table `env` of their entry. (#3104)
    NestedEnvs = 410..END;
    /// One rollout can have several agents, whose rewards are compared with each other. (#3104)
    SeveralAgents = 410..END;
    /// Each kind of weight broadcast has a table, and NIXL is one of them. (#3060)
    Nixl = 411..END;
    /// A file monitor is added. (#3111)
    FileMonitor = 412..END;
    /// The model's own checks decide about context parallelism of models with image input. (#3103)
    VisionCpElsewhere = 414..END;
    /// The rollout transport is a shared key. (#3149)
    SharedTransport = 418..END;
    /// The engines of several nodes are behind one router, which the launcher starts. Its table moves from the deployment to the root. The client no longer counts engines, and knows those behind the router. (#3105)
    Router = 419..END;
    /// Environments are renamed to sources, and the old kind has a table `legacy`. (#3150)
    Sources = 420..END;
    /// Each environment's server is a separate process. (#3162)
    EnvServers = 426..END;
    /// The parsers of Trinity, gpt-oss and Laguna are supported. (#3201)
    Trinity = 427..END;
    /// The renderers package supports Inkling, among others. (#3205)
    RenderersInkling = 429..END;
    /// The keys of the engine itself move into the table `vllm`, under vLLM's names. (#3202)
    VllmTable = 430..END;
    /// A single address replaces a list, and there is one output folder. Context parallelism lowers the number of trainer processes. (#3189)
    OneAddress = 432..END;
    /// The orchestrator cuts and packs the samples. Before, the trainer did. (#3189)
    OrchestratorPacks = 432..END;
    /// Environments of the old kind are removed. (#3226)
    NoLegacy = 433..END;
    /// The parser of Nemotron 3.5 is supported. (#3237)
    Nemotron35 = 435..END;
    /// The run has a table, and folders are derived from it. (#3268)
    FoldersAreDerived = 440..END;
    /// The run and resuming have a table each, and folders are derived. The launcher's files are JSON. (#3268)
    RunTable = 440..END;
    /// The bench mode is removed. (#3272)
    NoBench = 442..END;
    /// The monitors have a table of their own. (#3275)
    Monitors = 443..END;
    /// Aliases become one key in nullable tables and tagged unions again (prime-pydantic-config 0.4.3). (#3256)
    AliasesCollapseInVariants = 445..END;
    /// `sft` evaluates with servers of its own, in one run of Weights & Biases with the trainer. (#3256)
    SftEvaluates = 445..END;
    /// `sft` also stops at a step beyond its last one. (#3256)
    SftStopsBeyondItsEnd = 445..END;
    /// The launcher decides which process is the primary one of a Weights & Biases run. (#3256)
    SharedWandbRoles = 445..END;
    /// The limits on rollouts in progress are a table, and environment packages no longer come from the hub. (#3285)
    Concurrency = 448..END;
    /// Evals of fine-tuning can serve adapters, and no longer require weight checkpoints. (#3316)
    EvalLora = 456..END;
    /// The parsers of Qwen 3.6 and 3.8 are supported. (#3314)
    Qwen36 = 457..END;
    /// Weights can be sent to the evals without files. (#3323)
    EvalTransfer = 458..END;
}
