//! The entrypoints of prime-rl. Generated from `schemas/entrypoints.tsv` by `cargo xtask generate`.

use super::{Boundary, Entrypoint};
use crate::{Kind, Point};

#[rustfmt::skip]
pub(super) static ALL: &[Entrypoint] = &[
    Entrypoint { name: "env-server", class: "prime_rl.orchestrator.env_server.config.EnvServerConfig", kind: Some(Kind::EnvServer), since: Boundary { commit: "31b48b8b1", day: "2026-02-08", point: Point(168) }, until: Some(Boundary { commit: "cae5532f5", day: "2026-02-24", point: Point(193) }) },
    Entrypoint { name: "env-server", class: "prime_rl.configs.env_server.EnvServerConfig", kind: Some(Kind::EnvServer), since: Boundary { commit: "cae5532f5", day: "2026-02-24", point: Point(193) }, until: None },
    Entrypoint { name: "eval", class: "prime_rl.eval.config.OfflineEvalConfig", kind: Some(Kind::Eval), since: Boundary { commit: "ceb60c03f", day: "2025-09-01", point: Point(0) }, until: Some(Boundary { commit: "31b48b8b1", day: "2026-02-08", point: Point(168) }) },
    Entrypoint { name: "evals", class: "prime_rl.configs.evals.EvalsConfig", kind: Some(Kind::Evals), since: Boundary { commit: "bc9e18696", day: "2026-08-19", point: Point(450) }, until: None },
    Entrypoint { name: "evaluator", class: "prime_rl.configs.evaluator.EvaluatorConfig", kind: Some(Kind::Evals), since: Boundary { commit: "15d6c8197", day: "2026-08-17", point: Point(445) }, until: Some(Boundary { commit: "bc9e18696", day: "2026-08-19", point: Point(450) }) },
    Entrypoint { name: "inference", class: "prime_rl.inference.config.InferenceConfig", kind: Some(Kind::Inference), since: Boundary { commit: "ceb60c03f", day: "2025-09-01", point: Point(0) }, until: Some(Boundary { commit: "cae5532f5", day: "2026-02-24", point: Point(193) }) },
    Entrypoint { name: "inference", class: "prime_rl.configs.inference.InferenceConfig", kind: Some(Kind::Inference), since: Boundary { commit: "cae5532f5", day: "2026-02-24", point: Point(193) }, until: None },
    Entrypoint { name: "orchestrator", class: "prime_rl.orchestrator.config.OrchestratorConfig", kind: Some(Kind::Orchestrator), since: Boundary { commit: "ceb60c03f", day: "2025-09-01", point: Point(0) }, until: Some(Boundary { commit: "cae5532f5", day: "2026-02-24", point: Point(193) }) },
    Entrypoint { name: "orchestrator", class: "prime_rl.configs.orchestrator.OrchestratorConfig", kind: Some(Kind::Orchestrator), since: Boundary { commit: "cae5532f5", day: "2026-02-24", point: Point(193) }, until: None },
    Entrypoint { name: "rl", class: "prime_rl.rl.RLConfig", kind: Some(Kind::Rl), since: Boundary { commit: "ceb60c03f", day: "2025-09-01", point: Point(0) }, until: Some(Boundary { commit: "1826b1892", day: "2026-02-24", point: Point(188) }) },
    Entrypoint { name: "rl", class: "prime_rl.rl_config.RLConfig", kind: Some(Kind::Rl), since: Boundary { commit: "1826b1892", day: "2026-02-24", point: Point(188) }, until: Some(Boundary { commit: "cae5532f5", day: "2026-02-24", point: Point(193) }) },
    Entrypoint { name: "rl", class: "prime_rl.configs.rl.RLConfig", kind: Some(Kind::Rl), since: Boundary { commit: "cae5532f5", day: "2026-02-24", point: Point(193) }, until: None },
    Entrypoint { name: "rl_slurm", class: "prime_rl.slurm.rl.RLSLURMConfig", kind: None, since: Boundary { commit: "a77725e5c", day: "2026-02-17", point: Point(177) }, until: Some(Boundary { commit: "1826b1892", day: "2026-02-24", point: Point(188) }) },
    Entrypoint { name: "sft", class: "prime_rl.trainer.sft.config.SFTTrainerConfig", kind: Some(Kind::Sft), since: Boundary { commit: "ceb60c03f", day: "2025-09-01", point: Point(0) }, until: Some(Boundary { commit: "cae5532f5", day: "2026-02-24", point: Point(193) }) },
    Entrypoint { name: "sft", class: "prime_rl.configs.sft.SFTConfig", kind: Some(Kind::Sft), since: Boundary { commit: "cae5532f5", day: "2026-02-24", point: Point(193) }, until: None },
    Entrypoint { name: "sft_slurm", class: "prime_rl.slurm.sft.SFTSLURMConfig", kind: None, since: Boundary { commit: "7eade4f7e", day: "2026-02-20", point: Point(183) }, until: Some(Boundary { commit: "1826b1892", day: "2026-02-24", point: Point(188) }) },
    Entrypoint { name: "synthesize", class: "prime_rl.synthesize.config.SynthesizeConfig", kind: Some(Kind::Synthesize), since: Boundary { commit: "13a518a19", day: "2025-12-01", point: Point(94) }, until: Some(Boundary { commit: "31b48b8b1", day: "2026-02-08", point: Point(168) }) },
    Entrypoint { name: "trainer", class: "prime_rl.trainer.rl.config.RLTrainerConfig", kind: Some(Kind::Trainer), since: Boundary { commit: "ceb60c03f", day: "2025-09-01", point: Point(0) }, until: Some(Boundary { commit: "cae5532f5", day: "2026-02-24", point: Point(193) }) },
    Entrypoint { name: "trainer", class: "prime_rl.configs.trainer.TrainerConfig", kind: Some(Kind::Trainer), since: Boundary { commit: "cae5532f5", day: "2026-02-24", point: Point(193) }, until: None },
];
