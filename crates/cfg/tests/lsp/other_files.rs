//! Findings in a file follow changes of every other file on which it depends: on disk, in the editor, and after that file is closed.

use super::{
    editor::{
        Sequence,
        Step::{Close, Open, Remove, Replace, Type, Write},
        holds,
    },
    project_sequences::ONE_RUN,
};

const WITHOUT_ENDPOINT: &[&str] = &["PRL212"];

fn registry(id: &str) -> String {
    format!("[[endpoint]]\nendpoint_id = \"{id}\"\nmodel = \"x/y\"\nurl = \"https://x/v1\"\nkey = \"KEY\"\n")
}

const EVALUATION: &str =
    "endpoints_path = \"./endpoints.toml\"\nendpoint_id = \"mini\"\nnum_examples = 5\n\n[[eval]]\nenv_id = \"gsm8k\"\n";

#[test]
fn a_registry_of_endpoints_changes() {
    let (good, bad) = (registry("mini"), registry("other"));
    holds(&Sequence {
        files: &[("eval.toml", EVALUATION), ("endpoints.toml", &bad), ("cfg.toml", "")],
        stages: &[
            (&[Open("eval.toml")], &[("eval.toml", WITHOUT_ENDPOINT)]),
            (&[Write("endpoints.toml", &good)], &[]),
            (
                &[Replace("endpoints.toml", "url = \"https://x/v1\"\n", "")],
                &[("eval.toml", WITHOUT_ENDPOINT), ("endpoints.toml", &["PRL213"])],
            ),
            (&[Write("endpoints.toml", &good)], &[]),
            (&[Remove("endpoints.toml")], &[("eval.toml", WITHOUT_ENDPOINT)]),
            (&[Write("endpoints.toml", &good)], &[]),
        ],
    });
}

#[test]
fn a_registry_of_endpoints_is_edited() {
    let good = registry("mini");
    holds(&Sequence {
        files: &[("eval.toml", EVALUATION), ("endpoints.toml", &good), ("cfg.toml", "")],
        stages: &[
            (&[Open("eval.toml"), Open("endpoints.toml")], &[]),
            // The unsaved text is used, as for `toml_files`.
            (&[Type("endpoints.toml", "mini", "maxi")], &[("eval.toml", WITHOUT_ENDPOINT)]),
            (&[Type("endpoints.toml", "maxi", "mini")], &[]),
            (&[Replace("endpoints.toml", "mini", "maxi")], &[("eval.toml", WITHOUT_ENDPOINT)]),
            (&[Type("endpoints.toml", "maxi", "mini")], &[]),
            // Unsaved changes are lost when the document is closed.
            (&[Close("endpoints.toml")], &[("eval.toml", WITHOUT_ENDPOINT)]),
            (&[Replace("endpoints.toml", "maxi", "mini")], &[]),
            // The file does not exist on disk, and is written in the editor.
            (&[Open("endpoints.toml"), Remove("endpoints.toml")], &[]),
            (&[Close("endpoints.toml")], &[("eval.toml", WITHOUT_ENDPOINT)]),
        ],
    });
}

#[test]
fn a_registry_is_edited_while_the_evaluation_is_closed() {
    let good = registry("mini");
    holds(&Sequence {
        files: &[("eval.toml", EVALUATION), ("endpoints.toml", &good), ("cfg.toml", "")],
        stages: &[
            (&[Open("endpoints.toml")], &[]),
            (&[Type("endpoints.toml", "mini", "maxi")], &[("eval.toml", WITHOUT_ENDPOINT)]),
            (&[Type("endpoints.toml", "maxi", "mini")], &[]),
            (&[Type("endpoints.toml", "mini", "maxi")], &[("eval.toml", WITHOUT_ENDPOINT)]),
            (&[Open("eval.toml")], &[("eval.toml", WITHOUT_ENDPOINT)]),
            (&[Close("endpoints.toml")], &[]),
        ],
    });
}

/// The project's verifiers determines which keys exist.
#[test]
fn the_verifiers_of_an_evaluation_changes() {
    let lock = |release: &str| {
        format!(
            "version = 1\n\n[[package]]\nname = \"verifiers\"\nversion = \"{release}\"\nsource = {{ registry = \"https://x\" }}\n"
        )
    };
    let evaluation = "model = \"x/y\"\ndebug = true\n\n[[eval]]\nenv_id = \"gsm8k\"\n";
    let (old, new) = (lock("0.1.11"), lock("0.1.14"));
    let project = "[project]\nname = \"x\"\ndependencies = [\"verifiers\"]\n";
    holds(&Sequence {
        files: &[("eval.toml", evaluation), ("pyproject.toml", project), ("uv.lock", &old)],
        stages: &[
            (&[Open("eval.toml")], &[]),
            (&[Write("uv.lock", &new)], &[("eval.toml", &["PRL210"])]),
            (&[Write("uv.lock", &old)], &[]),
        ],
    });
}

/// An earlier stage changes its last step.
#[test]
fn a_stage_before_ends_elsewhere() {
    let rest = "[trainer]\n[orchestrator]\nbatch_size = 64\nrollouts_per_example = 8\n[inference]\n";
    let head = "# /// config\n# prime_rl = \"0.4.0\"\n# ///\n";
    let second = format!("{head}max_steps = 400\n[ckpt]\ninterval = 50\nresume_step = 130\n{rest}");
    let first = format!("{head}max_steps = 130\n[ckpt]\ninterval = 50\n{rest}");
    holds(&Sequence {
        files: &[("second.toml", &second), ("first.toml", &first), ("cfg.toml", "")],
        stages: &[
            (&[Open("second.toml")], &[]),
            (&[Replace("first.toml", "130", "100")], &[("second.toml", &["PRL809"])]),
            (&[Open("first.toml"), Type("first.toml", "100", "130")], &[]),
            (&[Type("first.toml", "130", "131")], &[("second.toml", &["PRL809"])]),
            (&[Type("first.toml", "131", "130")], &[]),
            (&[Close("first.toml")], &[("second.toml", &["PRL809"])]),
            (&[Replace("first.toml", "100", "130")], &[]),
            (&[Remove("first.toml")], &[("second.toml", &["PRL809"])]),
        ],
    });
}

/// A config that only overrides another one is checked together with its base, with the text that the base has in the editor.
#[test]
fn the_base_of_a_launch_is_edited() {
    let base = "max_steps = 5\nseq_len = 2048\n[trainer]\n[orchestrator]\n[inference]\n";
    holds(&Sequence {
        files: &[
            ("over.toml", "output_dir = \"outputs/x\"\n[slurm]\njob_name = \"x\"\n"),
            ("a/base.toml", base),
            ("run.sh", "uv run rl @ a/base.toml @ over.toml\n"),
            ("pyproject.toml", "[project]\nname = \"x\"\n"),
            ("cfg.toml", "target = \"0.8.0\"\n"),
        ],
        stages: &[
            (&[Open("over.toml"), Open("a/base.toml")], &[("over.toml", &["PRL030"])]),
            (&[Type("a/base.toml", "seq_len", "seq_lne")], &[("over.toml", &["PRL030", "PRL101"]), ("a/base.toml", &["PRL101"])]),
            (&[Type("a/base.toml", "seq_lne", "seq_len")], &[("over.toml", &["PRL030"])]),
            (
                &[Replace("a/base.toml", "seq_len", "seq_lne"), Close("a/base.toml")],
                &[("over.toml", &["PRL030", "PRL101"]), ("a/base.toml", &["PRL101"])],
            ),
            (&[Write("a/base.toml", base)], &[("over.toml", &["PRL030"])]),
        ],
    });
}

/// The files of a run are checked together, with the texts that they have in the editor.
#[test]
fn a_file_of_the_same_run_is_edited() {
    holds(&Sequence {
        files: &ONE_RUN,
        stages: &[
            (&[Open("orch.toml"), Open("train.toml")], &[("orch.toml", &["PRL309"])]),
            (&[Type("train.toml", "100", "90")], &[("orch.toml", &["PRL341", "PRL309"]), ("train.toml", &["PRL341"])]),
            (&[Type("train.toml", "90", "100")], &[("orch.toml", &["PRL309"])]),
            (&[Type("train.toml", "100", "90")], &[("orch.toml", &["PRL341", "PRL309"]), ("train.toml", &["PRL341"])]),
            (&[Close("train.toml")], &[("orch.toml", &["PRL309"])]),
        ],
    });
}

/// The name, which could be a misspelling, is that of a folder with a model.
#[test]
fn a_model_is_added_and_removed() {
    let config = "# /// config\n# prime_rl = \"0.4.0\"\n# ///\nmax_steps = 10\n[model]\nname = \"Qwen/Qwne3-8B\"\n[trainer]\n[orchestrator]\nbatch_size = 64\n[inference]\n";
    let shape = "Qwen/Qwne3-8B/config.json";
    holds(&Sequence {
        files: &[("rl.toml", config), ("cfg.toml", "")],
        stages: &[
            (&[Open("rl.toml")], &[("rl.toml", &["PRL609"])]),
            (&[Write(shape, "{\"model_type\": \"qwen3\"}")], &[]),
            (&[Remove(shape)], &[("rl.toml", &["PRL609"])]),
        ],
    });
}
