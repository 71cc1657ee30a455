//! Changes around configs: settings, registries, and all files that determine a project's prime-rl.

use super::editor::{
    CLEAN, FAULTY, Sequence,
    Step::{Cfg, Close, Git, Open, Remove, Rename, Replace, Write},
    UNKNOWN, holds,
};

#[test]
fn settings_are_changed() {
    let ignoring = "[lint]\nignore = [\"unknown-key\"]\n";
    holds(&Sequence {
        files: &[("sub/rl.toml", FAULTY), ("rl.toml", CLEAN)],
        stages: &[
            (&[Open("sub/rl.toml"), Open("rl.toml")], &[("sub/rl.toml", UNKNOWN)]),
            (&[Write("cfg.toml", ignoring)], &[]),
            // Changes that keep the size of the file, directly after each other.
            (&[Write("cfg.toml", "[lint]\nignore = [\"removed-key\"]\n")], &[("sub/rl.toml", UNKNOWN)]),
            (&[Write("sub/cfg.toml", ignoring)], &[]),
            (&[Remove("sub/cfg.toml")], &[("sub/rl.toml", UNKNOWN)]),
            (&[Remove("cfg.toml"), Write("pyproject.toml", "[tool.cfg.lint]\nignore = [\"unknown-key\"]\n")], &[]),
        ],
    });
}

#[test]
fn a_version_is_registered_outside_of_the_editor() {
    holds(&Sequence {
        files: &[("rl.toml", CLEAN)],
        stages: &[
            (&[Open("rl.toml"), Cfg(&["registry", "init"])], &[]),
            (&[Cfg(&["bump", "rl.toml", "-m", "first"])], &[]),
            (&[Replace("rl.toml", "batch_size = 64", "batch_size = 128")], &[("rl.toml", &["PRL710"])]),
            (&[Cfg(&["bump", "rl.toml", "-m", "second"])], &[]),
            (&[Replace("registry.json", "\"v2\"", "\"v9\"")], &[("rl.toml", &["PRL711"])]),
        ],
    });
}

/// In a checkout of prime-rl its classes are used, and a pull changes them.
#[test]
fn a_checkout_is_pulled() {
    let class = |name: &str, key: &str| {
        format!(
            "from pydantic import BaseModel\nclass {name}(BaseModel, extra='forbid'):\n    warp: int = 1\n    {key}: int = 1\n"
        )
    };
    let rest =
        [("rl", "RLConfig"), ("orchestrator", "OrchestratorConfig"), ("inference", "InferenceConfig"), ("sft", "SFTConfig")];
    let rest = rest.map(|(kind, name)| (format!("src/prime_rl/configs/{kind}.py"), class(name, "more")));
    let trainer = "src/prime_rl/configs/trainer.py";
    let (old, new) = (class("TrainerConfig", "more"), class("TrainerConfig", "swizzle"));
    let project = "[project]\nname = \"prime-rl\"\nversion = \"0.8.0\"\n";
    let config = "# /// config\n# kind = \"trainer\"\n# ///\nwarp = 2\nswizzle = 3\n";
    let mut files = vec![("t.toml", config), ("pyproject.toml", project), (trainer, &*old)];
    files.extend(rest.iter().map(|(path, text)| (&**path, &**text)));
    holds(&Sequence {
        files: &files,
        stages: &[
            (&[Open("t.toml")], &[("t.toml", UNKNOWN)]),
            (&[Write(trainer, &new)], &[]),
            (&[Remove(trainer), Write(trainer, &old)], &[("t.toml", UNKNOWN)]),
        ],
    });
}

#[test]
fn settings_are_moved() {
    let ignoring = "[lint]\nignore = [\"unknown-key\"]\n";
    holds(&Sequence {
        files: &[("sub/rl.toml", FAULTY), ("sub/cfg.toml", ignoring), ("rl.toml", FAULTY)],
        stages: &[
            (&[Open("sub/rl.toml")], &[("rl.toml", UNKNOWN)]),
            (&[Rename("sub/cfg.toml", "cfg.toml")], &[]),
            (&[Rename("cfg.toml", "sub/settings.txt")], &[("sub/rl.toml", UNKNOWN), ("rl.toml", UNKNOWN)]),
            // Unsaved settings are used as they are in the editor.
            (&[Write("cfg.toml", ignoring), Open("cfg.toml")], &[]),
            (
                &[Replace("cfg.toml", "unknown-key", "unknown-kye")],
                &[("sub/rl.toml", UNKNOWN), ("rl.toml", UNKNOWN), ("cfg.toml", &["PRL014"])],
            ),
            (&[Remove("cfg.toml"), Close("cfg.toml")], &[("sub/rl.toml", UNKNOWN), ("rl.toml", UNKNOWN)]),
        ],
    });
}

#[test]
fn a_registry_is_removed_and_restored() {
    let commit: &[&str] = &["commit", "-qam", "next"];
    holds(&Sequence {
        files: &[("rl.toml", CLEAN)],
        stages: &[
            (&[Cfg(&["registry", "init"]), Cfg(&["bump", "rl.toml", "-m", "first"]), Open("rl.toml")], &[]),
            (&[Git(&["init", "-q", "-b", "main"]), Git(&["add", "-A"]), Git(commit)], &[]),
            (&[Replace("rl.toml", "batch_size = 64", "batch_size = 128")], &[("rl.toml", &["PRL710"])]),
            (&[Remove("registry.json")], &[]),
            (&[Git(&["checkout", "-q", "--", "registry.json"])], &[("rl.toml", &["PRL710"])]),
            (&[Cfg(&["restore", "rl.toml", "--force"])], &[]),
        ],
    });
}

/// The sources of a project's target: pins, scripts, documentation pages.
#[test]
fn the_prime_rl_of_a_project_changes() {
    let config = "max_steps = 10\n[trainer]\n[orchestrator]\nbatch_size = 64\ngroup_size = 8\n[inference]\n";
    let script = "git clone -b v0.8.0 https://github.com/PrimeIntellect-ai/prime-rl\n";
    let old = script.replace("v0.8.0", "v0.4.0");
    holds(&Sequence {
        files: &[("rl.toml", config), ("pyproject.toml", "[project]\nname = \"x\"\n"), ("setup.sh", script)],
        stages: &[
            (&[Open("rl.toml")], &[]),
            (&[Write("setup.sh", &old)], &[("rl.toml", &["PRL111"])]),
            (&[Write("requirements.txt", "prime-rl==0.8.0\n")], &[]),
            (&[Write("requirements.txt", "prime-rl==0.4.0\n")], &[("rl.toml", &["PRL111"])]),
            (&[Write("pyproject.toml", "[project]\nname = \"x\"\ndependencies = [\"prime-rl==0.8.0\"]\n")], &[]),
            (
                &[
                    Write("pyproject.toml", "[project]\nname = \"x\"\n"),
                    Remove("requirements.txt"),
                    Remove("setup.sh"),
                    Write("README.md", &format!("```bash\n{old}```\n")),
                ],
                &[("rl.toml", &["PRL111"])],
            ),
        ],
    });
}

#[test]
fn a_patch_is_added() {
    let config = "max_steps = 10\n[trainer]\n[orchestrator]\nbatch_size = 64\n[inference]\n[tokenizer]\neos_token = \"x\"\n";
    let patch = "--- a/packages/prime-rl-configs/src/prime_rl/configs/trainer.py\n+++ b/packages/prime-rl-configs/src/prime_rl/configs/trainer.py\n@@ -281,3 +281,4 @@ class TokenizerConfig(BaseConfig):\n     chat_template: str | None = None\n+    eos_token: str | None = None\n \n";
    let other = patch.replace("eos_token", "bos_token");
    holds(&Sequence {
        files: &[("rl.toml", config), ("pyproject.toml", "[project]\nname = \"x\"\n"), ("cfg.toml", "target = \"main\"\n")],
        stages: &[
            (&[Open("rl.toml")], &[("rl.toml", UNKNOWN)]),
            (&[Write("patches/own.patch", patch)], &[("rl.toml", &["PRL116"])]),
            (&[Write("patches/own.patch", &other)], &[("rl.toml", UNKNOWN)]),
            (&[Write("own.diff", patch)], &[("rl.toml", &["PRL116"])]),
            (&[Remove("own.diff")], &[("rl.toml", UNKNOWN)]),
        ],
    });
}

#[test]
fn the_package_of_an_environment_changes() {
    let config = "# /// config\n# kind = \"orchestrator\"\n# prime_rl = \"0.8.0\"\n# ///\n\n[[train.source]]\nenv.taskset.id = \"my-tasks\"\nenv.taskset.count = 3\n";
    let module = |key: &str| {
        format!(
            "import verifiers.v1 as vf\n\nclass Config(vf.TasksetConfig):\n    {key}: int = 1\n\nclass Tasks(vf.Taskset[vf.Task, Config]):\n    pass\n"
        )
    };
    let (known, unknown) = (module("count"), module("number"));
    let home = "environments/my_tasks/my_tasks/__init__.py";
    let known = format!("{known}\n__all__ = [\"Tasks\"]\n");
    let unknown = format!("{unknown}\n__all__ = [\"Tasks\"]\n");
    holds(&Sequence {
        files: &[("orch.toml", config), ("pyproject.toml", "[project]\nname = \"x\"\n"), (home, &known)],
        stages: &[
            (&[Open("orch.toml")], &[]),
            (&[Write(home, &unknown)], &[("orch.toml", UNKNOWN)]),
            (&[Write(home, &known)], &[]),
            (&[Remove(home)], &[("orch.toml", &["PRL114", "PRL113"])]),
        ],
    });
}

/// A script states which base is used with a config that only overrides it.
#[test]
fn a_script_starts_other_configs() {
    let overlay = "output_dir = \"outputs/x\"\n[slurm]\njob_name = \"x\"\n";
    holds(&Sequence {
        files: &[
            ("over.toml", overlay),
            ("a/base.toml", "max_steps = 5\n[trainer]\n[orchestrator]\n[inference]\n"),
            ("pyproject.toml", "[project]\nname = \"x\"\n"),
            ("cfg.toml", "target = \"0.8.0\"\n"),
        ],
        stages: &[
            (&[Open("over.toml")], &[("over.toml", &["PRL011"])]),
            (&[Write("run.sh", "uv run rl @ a/base.toml @ over.toml\n")], &[("over.toml", &["PRL030"])]),
            (&[Remove("run.sh")], &[("over.toml", &["PRL011"])]),
            (&[Write("README.md", "```bash\nuv run rl @ a/base.toml @ over.toml\n```\n")], &[("over.toml", &["PRL030"])]),
            (
                &[Write("train.sbatch", "srun uv run rl @ a/base.toml @ over.toml\n"), Remove("README.md")],
                &[("over.toml", &["PRL030"])],
            ),
        ],
    });
}

/// The processes of a run, each with its own config.
pub(crate) const ONE_RUN: [(&str, &str); 4] = [
    ("cfg.toml", "target = \"0.4.0\"\n"),
    ("train.toml", "max_steps = 100\n[model]\nname = \"Qwen/Qwen3-8B\"\n"),
    ("orch.toml", "max_steps = 100\nbatch_size = 64\n[model]\nname = \"Qwen/Qwen3-8B\"\n"),
    ("infer.toml", "[model]\nname = \"Qwen/Qwen3-8B\"\n"),
];

/// The files of one run are checked together.
#[test]
fn a_file_of_the_same_run_changes() {
    holds(&Sequence {
        files: &ONE_RUN,
        stages: &[
            (&[Open("orch.toml")], &[("orch.toml", &["PRL309"])]),
            (&[Replace("train.toml", "100", "90")], &[("orch.toml", &["PRL341", "PRL309"]), ("train.toml", &["PRL341"])]),
            (&[Rename("train.toml", "train.txt")], &[("orch.toml", &["PRL309"])]),
            (&[Rename("train.txt", "train.toml")], &[("orch.toml", &["PRL341", "PRL309"]), ("train.toml", &["PRL341"])]),
        ],
    });
}
