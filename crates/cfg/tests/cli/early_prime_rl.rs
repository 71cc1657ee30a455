//! Checkouts of a prime-rl that is older than the history, with no commit that it has.

use super::Folder;

const TRAINER: &str = "from prime_rl.utils.pydantic_config import BaseSettings\n\nclass TrainerConfig(BaseSettings):\n    max_steps: int = 3\n    lr: float = 0.1\n";
const ORCHESTRATOR: &str = "from prime_rl.utils.pydantic_config import BaseSettings\n\nclass OrchestratorConfig(BaseSettings):\n    max_steps: int = 3\n    \
    batch_size: int = 8\n    rollouts_per_prompt: int = 4\n    environments_per_rollout: int = 1\n";
const INFERENCE: &str =
    "from prime_rl.utils.pydantic_config import BaseSettings\n\nclass InferenceConfig(BaseSettings):\n    seed: int = 3\n";
const RL: &str = "from prime_rl.inference.config import InferenceConfig\nfrom prime_rl.orchestrator.config import OrchestratorConfig\n\
    from prime_rl.trainer.config import TrainerConfig\nfrom prime_rl.utils.pydantic_config import BaseSettings\n\n\
    class RLConfig(BaseSettings):\n    trainer: TrainerConfig\n    orchestrator: OrchestratorConfig\n    inference: InferenceConfig | None = None\n";
const SETTINGS: &str = "from pydantic import BaseModel, ConfigDict\nfrom pydantic_settings import BaseSettings as PydanticBaseSettings\n\n\
    class BaseConfig(BaseModel):\n    model_config = ConfigDict(extra=\"forbid\")\n\nclass BaseSettings(PydanticBaseSettings, BaseConfig):\n    pass\n";
const PROJECT: &str = "[project]\nname = \"prime-rl\"\nversion = \"0.1.0\"\n[project.scripts]\nrl = \"prime_rl.rl:main\"\ntrainer = \"prime_rl.trainer.train:main\"\n";

fn checkout(configs: &[(&str, &str)]) -> Folder {
    let files = [
        ("pyproject.toml", PROJECT),
        ("src/prime_rl/__init__.py", ""),
        ("src/prime_rl/rl.py", RL),
        ("src/prime_rl/inference/config.py", INFERENCE),
        ("src/prime_rl/orchestrator/config.py", ORCHESTRATOR),
        ("src/prime_rl/trainer/config.py", TRAINER),
        ("src/prime_rl/trainer/train.py", ""),
        ("src/prime_rl/utils/pydantic_config.py", SETTINGS),
    ];
    Folder::repository(&[&files, configs].concat())
}

/// It had one trainer, and no class for supervised fine-tuning, without which the other classes are read.
#[test]
fn a_prime_rl_without_fine_tuning_is_read() {
    let folder = checkout(&[("rl.toml", "[trainer]\nlr = 0.2\n[orchestrator]\nrollouts_per_prompt = 2\nbatch_sise = 3\n")]);
    assert_eq!(folder.found(""), ["rl.toml:5:1: error[PRL101]"]);
    let said = folder.run("check --kind sft --format concise rl.toml").stdout;
    assert!(said.contains("warning[PRL026]") && said.contains("no known entrypoint `sft`"), "{said}");
}

/// Keys that the history never had are those of a kind all the same.
#[test]
fn the_kind_of_a_config_is_that_of_the_classes_that_are_there() {
    let text = "max_steps = 5\nbatch_size = 4\nrollouts_per_prompt = 2\nenvironments_per_rollout = 1\n";
    let folder = checkout(&[("configs/math/1b.toml", text)]);
    assert_eq!(folder.found("configs/math/1b.toml"), [""; 0]);
}
