//! Where prime-rl has defined the config class of each kind.

/// A kind, the modules that have contained its class, and the names of the class.
pub(crate) type Home = (&'static str, &'static [&'static str], &'static [&'static str]);

pub(crate) const HOMES: [Home; 9] = [
    ("rl", &["prime_rl.configs.rl", "prime_rl.rl", "prime_rl.entrypoints.rl"], &["RLConfig"]),
    (
        "trainer",
        &["prime_rl.configs.trainer", "prime_rl.trainer.rl.config", "prime_rl.trainer.config"],
        &["TrainerConfig", "RLTrainerConfig"],
    ),
    ("orchestrator", &["prime_rl.configs.orchestrator", "prime_rl.orchestrator.config"], &["OrchestratorConfig"]),
    ("inference", &["prime_rl.configs.inference", "prime_rl.inference.config"], &["InferenceConfig"]),
    ("sft", &["prime_rl.configs.sft", "prime_rl.trainer.sft.config"], &["SFTConfig", "SFTTrainerConfig"]),
    // A prime-rl without an entrypoint `eval` starts that of verifiers.
    (
        "eval",
        &["prime_rl.configs.eval", "prime_rl.eval.config", "verifiers.v1.configs.cli.eval", "verifiers.v1.configs.eval"],
        &["OfflineEvalConfig", "EvalConfig"],
    ),
    ("evals", &["prime_rl.configs.evals", "prime_rl.configs.evaluator"], &["EvalsConfig", "EvaluatorConfig"]),
    ("synthesize", &["prime_rl.configs.synthesize", "prime_rl.synthesize.config"], &["SynthesizeConfig"]),
    ("env-server", &["prime_rl.configs.env_server", "prime_rl.orchestrator.env_server.config"], &["EnvServerConfig"]),
];

/// The order in which the kinds are read: `rl` uses the classes of its components, and evaluations those of training.
pub(crate) const ORDER: [usize; HOMES.len()] = [1, 2, 3, 4, 0, 5, 6, 7, 8];

/// The training loop of the time before supervised fine-tuning had one of its own: a prime-rl that has it has no config class of that kind.
pub(crate) const ONLY_TRAINER: &str = "prime_rl.trainer.train";
