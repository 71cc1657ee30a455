//! What prime-rl does, and from which point until before which. Made of `schemas/behaviours.toml` by `cargo xtask generate`.

use crate::behaviour::behaviours;

behaviours! {
    /// Aliases become one key in nullable tables and tagged unions too. The loader of that time was another; the release after it stands for it, as in the recorded verdicts. (#2512)
    AliasesCollapsedInVariants = 0..307;
    /// Holds at every known prime-rl. (the history)
    Always = 0..END;
    /// vLLM 0.12 can't load new weights into gpt-oss. (vLLM 23577; #1625)
    GptOssWeightsAreRefused = 0..143;
    /// The transformers of this prime-rl is older than 5 and does not know `ministral3`. (#1731)
    Ministral3IsUnknown = 0..172;
    /// One item of a list over the evals stands for all of them, and the concurrency is such a list. (#870)
    OneItemForAll = 4..END;
    /// `wandb` leaves the table `monitor`. (#895)
    NoMonitorTable = 5..END;
    /// GPUs get ids. (#971)
    GpuIds = 10..END;
    /// The trainer has adapters. (#1065)
    Adapters = 30..END;
    /// Fake data has no size of its own for a micro batch. (#1155)
    NoMicroBatch = 47..END;
    /// The number of data-parallel ranks follows from the GPUs. (#1198)
    DpFromGpus = 57..END;
    /// Verdicts of prime-rl itself have been recorded. (#1260)
    VerdictsAreRecorded = 70..END;
    /// All keys that are not null are shared, no matter whether they are empty or zero. (#1229)
    ZeroIsShared = 72..END;
    /// The buffer puts problems aside by thresholds, and filters by difficulty. (#1303)
    DifficultyThresholds = 80..339;
    /// The launcher removes broadcast weights, unless the shared table says that the run is resumed; before, it went by the trainer's. (#1299)
    CleanRemovesBroadcasts = 85..END;
    /// The inference server gets the adapter alone; before, it got merged weights. (#1320)
    AdaptersAreServed = 86..END;
    /// `sft` counts its batch in ranks and not in GPUs. (#1349)
    SftBatchInRanks = 88..END;
    /// Samples are made of turns in another way, which does not need positions that only grow. (#1315)
    TurnsMayBranch = 89..END;
    /// A benchmark no longer has to switch off the logging of samples. (#1363)
    NoSamplesInBench = 91..END;
    /// `rl` names the adapter. (#1392)
    AdapterIsNamed = 99..END;
    /// The inference server knows its own flags by their spelling with hyphens too. (#1392)
    LenientFlagsWithHyphens = 99..END;
    /// The orchestrator works in the folder `run_default` of the run, and fake data has no length of its own. (#1419)
    RunFolder = 102..END;
    /// Context and tensor parallelism are counted, and context parallelism wants the "cat" packing. (#1305)
    CpAndTpCount = 104..END;
    /// The RL trainer knows context parallelism; before, it refused it. (#1305)
    RlContextParallelism = 104..END;
    /// `lora` leaves the table `experimental`. (#1440)
    LoraOutOfExperiment = 107..END;
    /// `LoRA` turns `adapter_only` on. (#1456)
    LoraSendsAdapters = 115..END;
    /// `impl = "auto"` may choose Hugging Face's code. (#1488)
    AutoRunsRemoteCode = 117..END;
    /// There is no switch `adapter_only`. (#1489)
    NoAdapterOnly = 118..END;
    /// The trainer has a class of its own for `afmoe`. (#1515)
    AfmoeHasOwnClass = 125..END;
    /// `keep` is called `keep_last`, and there is `keep_interval`. (#1521)
    KeepInterval = 125..END;
    /// Checkpoints of an earlier process are counted soon after (be0e3d131). (#1526)
    OldCheckpointsCount = 127..END;
    /// The adapter's name is in the orchestrator's `model.lora`. (#1555)
    AdapterInModel = 129..END;
    /// The orchestrator's model has a table `lora`. (#1555)
    OrchestratorLora = 129..END;
    /// Experts are given to the GPUs of expert parallelism; before, the degree only shaped the mesh. (#1595)
    ExpertsAreSpread = 141..END;
    /// The trainer's switch `bench` is a table. (#1566)
    BenchTable = 142..END;
    /// vLLM is newer than 0.12, and nobody has said that it loads new weights into gpt-oss. (vLLM 23577; #2073)
    GptOssWeightsMayBeRefused = 143..231;
    /// Weights & Biases on one side alone is refused. (#1629)
    BothLog = 144..END;
    /// Weights are made on the CPU where they are offloaded. (#1636)
    OffloadedWeightsOnCpu = 146..END;
    /// The chunk size of the fused head says "auto" where it said nothing. (#1649)
    AutoChunks = 147..END;
    /// The Liger kernels are no longer spared chunks. (#1691)
    LigerChunks = 152..END;
    /// The first models that see images can be trained. (#1680)
    Qwen3Vl = 152..END;
    /// Logs may be JSON. (#1681)
    JsonLogs = 155..END;
    /// The newer kernels of context parallelism are tied to prime-rl's own model code. (#1727)
    CpWantsOwnCode = 160..END;
    /// Turns become one sample where one's tokens begin the next's, and several where not. (#1674)
    BestEffortInterleaving = 163..END;
    /// The orchestrator's `lora` has a rank and an alpha. (#1729)
    LoraRankShared = 169..END;
    /// Turns of one rollout may be trained on apart, and no argument says so any more. (#1780)
    NotInterleaved = 174..END;
    /// The trainer has a class of its own for `minimax_m2`. (#1773)
    MinimaxM2HasOwnClass = 175..END;
    /// Port and timeout of the weight broadcast are shared. (#1818)
    BroadcastPort = 177..END;
    /// The parser of tool calls follows from the model's name, and turns the tool choice on. (#1844)
    ParserByModel = 183..END;
    /// The trainer has a class of its own for `glm_moe_dsa`. (#1827)
    GlmMoeDsaHasOwnClass = 185..END;
    /// The parser of tool calls follows from the model's name. (#1854)
    ParserFollowsModel = 186..END;
    /// Deployments take the place of lists of GPU ids; at this point alone the output folder has no default. (#1859)
    Deployments = 188..END;
    /// The launcher refuses a folder that holds checkpoints, unless the shared table says that the run is resumed, or it may delete it. (#1872)
    FolderIsGuarded = 189..END;
    /// The output folder has a default again. (#1872)
    OutputDirDefault = 189..END;
    /// `sft` starts a process on each GPU itself. (#1872)
    SftStartsItsProcesses = 189..END;
    /// pydantic-settings no longer lays a field's default below the user's table. (#1875)
    DefaultsNoLongerMerged = 190..END;
    /// A given `seq_len` of a component is not replaced. (#1875)
    GivenSeqLenStays = 190..END;
    /// The parser is looked up when the server starts. (#1882)
    ParserAtStart = 195..END;
    /// A parser alone means that tools may be called; without one, or `auto`, they may not. (#1882)
    ParserIsToolChoice = 195..END;
    /// The fused head takes larger chunks by itself. (#1892)
    LargerChunks = 197..END;
    /// The orchestrator's batch size may be null. A job of SLURM on a single node reads the whole config again. (#1897)
    NullBatchSize = 199..END;
    /// Expert parallelism over nodes; a given number of API servers is kept. (#1894)
    ExpertsOverNodes = 201..END;
    /// Configs are no longer loaded by pydantic-settings. (#1915)
    LeftPydanticSettings = 204..END;
    /// Whether rewards are computed is said in a table of its own. (#1865)
    VerificationTable = 207..END;
    /// An environment's argument for the context's length is `max_seq_len`. (#1983)
    MaxSeqLen = 210..END;
    /// Runs of Weights & Biases have no `id` in the config. (#1984)
    NoWandbId = 211..END;
    /// There may be no inference nodes. (#2012)
    NoInferenceNodes = 218..END;
    /// The trainer has a class of its own for `qwen3_5_moe`. (#2026)
    Qwen35MoeHasOwnClass = 220..END;
    /// Trainer and orchestrator of `rl` may share one run of Weights & Biases. (#2044)
    SharedWandb = 223..END;
    /// The orchestrator has a prime monitor. (#1896)
    PrimeMonitor = 227..END;
    /// `extra_body` goes into a request as it is; before, `top_k` and `min_p` in it were overwritten. (#2053)
    ExtraBodyIsKept = 230..END;
    /// Inference may serve a quantized copy of the model: its name stays, and weights may be quantized on their way. (#2038)
    InferenceLeads = 231..END;
    /// A model that sees images is known by its own config. (#2063)
    VisionByConfig = 233..END;
    /// A table says that a model has vision, which its name did before. (#2063)
    VlmTable = 233..END;
    /// The trainer has a class of its own for `nemotron_h`. (#2046)
    NemotronHHasOwnClass = 234..END;
    /// Replicas and disaggregated inference; a headless node gets no API server. The file of the inference server goes without what only the launcher needs. (#2030)
    Replicas = 238..END;
    /// An environment server that is started by itself has one worker where the number is left to prime-rl. (#2104)
    OneWorker = 240..END;
    /// Doubled targets of selective checkpointing are dropped. (#2120)
    TargetsOnce = 245..END;
    /// Log files are no longer a choice. (#2150)
    NoLogFile = 248..END;
    /// Each of several nodes gets ranks and servers of its own. (#2221)
    RanksPerNode = 258..END;
    /// A single node gets as many API servers as ranks. (#2223)
    ServersOfOneNode = 259..END;
    /// Environments have workers of their own. (#2193)
    EnvWorkers = 264..361;
    /// Environments inherit sampling together with the rest, and more of it. (#2238)
    InheritedTogether = 266..END;
    /// The session's header is added to those that are given. (#2283)
    HeaderIsAdded = 281..END;
    /// "fa4" has kernels for context parallelism. (#2307)
    CpWithFa4 = 283..END;
    /// Entity, group and tags of Weights & Biases are shared. (#2350)
    EntityGroupTags = 287..END;
    /// Rollouts from outside exclude an inference server only. (#2271)
    ExternalNeedsNoInference = 288..END;
    /// The trainer has a class of its own for `gpt_oss`. (#2365)
    GptOssHasOwnClass = 288..END;
    /// Prompts may be made of messages on the client's side, where tool calls are then found as well. (#2278)
    Renderers = 292..END;
    /// The trainer has a class of its own for `laguna`. (#2479)
    LagunaHasOwnClass = 303..END;
    /// `WANDB_MODE` goes before a shared run. (#2512)
    WandbModeCounts = 307..END;
    /// The locked tomli reads TOML 1.1 (2.4.1 after 2.2.1, from 897b935ca on). (#2436)
    Tomli24 = 308..END;
    /// No fewer rollouts are under way than a group has. (#2533)
    AGroupAtLeast = 310..END;
    /// The trainer has a class of its own for `qwen3`. (#2505)
    Qwen3HasOwnClass = 311..END;
    /// The orchestrator's model and client move below `student`; a training mode says who samples. (#2546)
    Student = 314..END;
    /// The command line is no longer read by tyro. (#2564)
    LeftTyro = 315..END;
    /// The root of an `rl` config no longer has the `max_model_len` that nothing read. (#2565)
    RootMaxModelLenGone = 318..END;
    /// Shared keys are filled in before anything is checked. (#2565)
    SharingComesFirst = 318..END;
    /// A session is one rollout, not one problem. (#2615)
    SessionPerTrajectory = 328..END;
    /// The trainer no longer has an asynchronous level. (#2631)
    NoAsyncLevel = 331..END;
    /// No renderer is said by null. (#2635)
    NullRenderer = 333..END;
    /// Equal values of a shared key and a component's are not conflict. (#2649)
    EqualValuesAgree = 334..END;
    /// The processes of `rl` always share their run of Weights & Biases. (#2649)
    WandbAlwaysShared = 334..END;
    /// Only a shared table of its own turns the components' tables on. (#2654)
    PresenceWantsATable = 335..END;
    /// There is no buffer any more. (#2639)
    BufferGone = 339..END;
    /// Each environment has its group size. (#2639)
    GroupSizes = 339..END;
    /// The KV transfer between prefill and decode gets a switch. (#2689)
    TransferSwitch = 342..END;
    /// Disaggregated inference needs SLURM too, and its `slurm` is shared. (#2694)
    InferenceSlurm = 343..END;
    /// Each engine has a role; before, each node had one. (#2696)
    RolePerEngine = 345..END;
    /// Inference shares the log's settings. (#2466)
    InferenceLog = 346..END;
    /// The renderers package knows Nemotron 3 Ultra. (#2718)
    RenderersNemotronUltra = 347..END;
    /// The processes that receive weights are counted by GPUs, not by API servers. (#2707)
    CountedByGpus = 348..END;
    /// The renderers package knows Llama 3. (#2732)
    RenderersLlama3 = 349..END;
    /// Each environment has its advantage. (#2721)
    Advantages = 350..365;
    /// Learning from rollouts may do without a teacher. (#2720)
    SftWithoutTeacher = 351..361;
    /// The parsers of Nemotron 3 are known. (#2767)
    NemotronReasons = 353..END;
    /// On many nodes the router spreads the requests. (#2830)
    RouterSpreads = 356..END;
    /// The renderers package knows DeepSeek-R1. (#2852)
    RenderersDeepSeekR1 = 358..END;
    /// Environments of the newer kind no longer get the orchestrator's sequence length. (#2742)
    EnvironmentsNotToldSeqLen = 361..END;
    /// Environments are verifiers' own. (#2742)
    Verifiers = 361..END;
    /// `ep` may be "auto", and a chunk size is overruled in fine-tuning instead of refused. (#2868)
    AutoEp = 364..END;
    /// Algorithms stand in for the training mode, and `student` is gone. (#2746)
    Algorithms = 365..END;
    /// Environment variables that the launcher sets are refused. (#2863)
    LaunchersVariables = 367..END;
    /// The metrics over all environments are called "agg", before that "all". (#2907)
    Agg = 370..END;
    /// A run ends only when its last evaluation has begun all rollouts. (#2913)
    LastEvaluationIsAwaited = 370..END;
    /// The inference server's kind of weight broadcast is compared in any case. (#2922)
    InferenceCompared = 373..END;
    /// The renderers package knows Hy3, among others. (#2950)
    RenderersHy3 = 380..END;
    /// A weight broadcast is made where none is written. (#2982)
    BroadcastAlways = 388..END;
    /// A null that counts as set is written as the text `None`. (#2981)
    NullAsText = 391..END;
    /// A `LoRA` is refused with any broadcast but through files. (#3004)
    LoraNeedsFiles = 392..END;
    /// There is no fine-tuning without a renderer. (#2988)
    AlwaysRenders = 396..END;
    /// Ulysses repeats key and value heads where there are too few. (#3042)
    KvHeadsAreRepeated = 397..END;
    /// `flash_attention_4` is spelled out, and `impl = "auto"` suffices for it. (#3057)
    Fa4SpelledOut = 403..END;
    /// `attn = "auto"` may stand for a newer kernel. (#3076)
    AutoAttention = 405..END;
    /// Context parallelism needs one of the trainer's own classes, and sequences that it divides. (#3099)
    ContextParallelismNeedsOwnClass = 409..END;
    /// Models with vision may be cut up in the Ulysses way. (#3099)
    VisionByUlysses = 409..END;
    /// Environments are in a table `env` of their entry. (#3104)
    NestedEnvs = 410..END;
    /// One rollout may have several agents, whose rewards are compared with one another. (#3104)
    SeveralAgents = 410..END;
    /// Each kind of weight broadcast has a table, and NIXL is one of them. (#3060)
    Nixl = 411..END;
    /// There is a file monitor. (#3111)
    FileMonitor = 412..END;
    /// Context parallelism of models with vision is left to the model's checks. (#3103)
    VisionCpElsewhere = 414..END;
    /// The rollout transport is shared. (#3149)
    SharedTransport = 418..END;
    /// The engines of several nodes are behind one router, which the launcher starts; it moves from the deployment to the root. The client no longer counts engines, and knows those behind the router. (#3105)
    Router = 419..END;
    /// Environments are called sources, and the old kind has a table `legacy`. (#3150)
    Sources = 420..END;
    /// Each environment's server is a process of its own. (#3162)
    EnvServers = 426..END;
    /// The parsers of Trinity, gpt-oss and Laguna are known. (#3201)
    Trinity = 427..END;
    /// The renderers package knows Inkling, among others. (#3205)
    RenderersInkling = 429..END;
    /// What is the engine's own moves into the table `vllm`, with vLLM's names. (#3202)
    VllmTable = 430..END;
    /// One address in place of a list, one output folder; context parallelism lowers the number of trainer processes. (#3189)
    OneAddress = 432..END;
    /// The orchestrator cuts and packs the samples; before, the trainer did. (#3189)
    OrchestratorPacks = 432..END;
    /// Environments of the old kind are gone. (#3226)
    NoLegacy = 433..END;
    /// The parser of Nemotron 3.5 is known. (#3237)
    Nemotron35 = 435..END;
    /// The run has a table, and folders follow from it. (#3268)
    FoldersAreDerived = 440..END;
    /// The run has a table, and resuming one; folders are derived. The launcher's files are JSON. (#3268)
    RunTable = 440..END;
    /// There is no bench mode. (#3272)
    NoBench = 442..END;
    /// The monitors have a table of their own. (#3275)
    Monitors = 443..END;
    /// Aliases become one key in nullable tables and tagged unions again (prime-pydantic-config 0.4.3). (#3256)
    AliasesCollapseInVariants = 445..END;
    /// `sft` evaluates with servers of its own, in one run of Weights & Biases with the trainer. (#3256)
    SftEvaluates = 445..END;
    /// The launcher says who leads a run of Weights & Biases. (#3256)
    SharedWandbRoles = 445..END;
    /// What may be under way is a table, and packages of environments no longer come from the Hub. (#3285)
    Concurrency = 448..END;
    /// Evals of fine-tuning serve adapters, and no longer need weight checkpoints. (#3316)
    EvalLora = 456..END;
    /// The parsers of Qwen 3.6 and 3.8 are known. (#3314)
    Qwen36 = 457..END;
    /// Weights may go to the evals from memory to memory. (#3323)
    EvalTransfer = 458..END;
}
