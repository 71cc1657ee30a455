//! Files and commands of programs whose configs are not checked: prime-rl's entrypoints besides those of [`Kind`](cfg_schema::Kind), the evaluations
//! of verifiers, and other tools.

use crate::shape::{Shape, Shaped};

const EVALUATION: &str = "an evaluation config";
const ENV_SERVER: &str = "a config for prime-rl's `env-server`";
const EVALS: &str = "a config for prime-rl's `evals`";
const EVAL: &str = "a config for `eval`, of prime-rl or of verifiers";
const EVAL_OR_ENV_SERVER: &str = "a config for verifiers' `eval` or prime-rl's `env-server`";
const VF_RL: &str = "a config for verifiers' `vf-rl`";

/// What the config of a launch command is, by the name of a program that is neither a mistake nor one whose configs are checked.
pub(crate) fn config_of_program(program: &str) -> Option<&'static str> {
    match program {
        "env-server" => Some(ENV_SERVER),
        "eval" => Some(EVAL),
        // The name between 15d6c8197 and bc9e18696 was `evaluator`.
        "evals" | "evaluator" => Some(EVALS),
        "synthesize" => Some("a config for prime-rl's `synthesize`"),
        "vf-eval" => Some(EVALUATION),
        "vf-rl" => Some(VF_RL),
        _ => None,
    }
}

/// What a file of another program is.
pub(super) fn other_program<T: Shaped>(path: &str, root: &T) -> Option<&'static str> {
    match path.rsplit(['/', '\\']).next().unwrap_or_default() {
        "pyproject.toml" => return Some("the metadata of a Python project"),
        "Cargo.toml" => return Some("the manifest of a Rust package"),
        "cfg.toml" | ".cfg.toml" => return Some("the settings of cfg itself"),
        "ruff.toml" | "uv.toml" | "taplo.toml" | ".taplo.toml" | "tombi.toml" => return Some("the settings of another tool"),
        _ => {}
    }
    if is_for_vf_rl(root) {
        return Some(VF_RL);
    }
    endpoints(root).or_else(|| evaluation(path, root)).or_else(|| serves(root))
}

/// Whether a file is for the trainer that verifiers had: it names the model by a string, and gives each program its GPUs and its arguments.
fn is_for_vf_rl<T: Shaped>(root: &T) -> bool {
    let is_program = |key: &str| match root.shape_of(key) {
        Some(Shape::Table(table)) => table.shapes().any(|(key, _)| matches!(key, "args" | "gpus")),
        _ => false,
    };
    matches!(root.shape_of("model"), Some(Shape::String))
        && root.shape_of("orchestrator").is_none()
        && (is_program("trainer") || is_program("inference"))
}

/// The registry of models that `endpoint_id` of an evaluation refers to.
fn endpoints<T: Shaped>(root: &T) -> Option<&'static str> {
    let is_array = matches!(root.shape_of("endpoint"), Some(Shape::Array));
    (is_array && root.shapes().count() == 1).then_some("a registry of endpoints for evaluations")
}

/// Files for the evaluations of verifiers, and for those that prime-rl runs by themselves.
fn evaluation<T: Shaped>(path: &str, root: &T) -> Option<&'static str> {
    let has = |key: &str| root.shape_of(key);
    let of_verifiers = || ["num_rollouts", "num_tasks"].iter().any(|key| has(key).is_some());
    match (has("model"), has("env"), has("eval")) {
        (_, _, Some(Shape::Array)) => return Some(EVALUATION),
        (_, _, Some(Shape::Table(eval))) if is_for_evals(root, eval) => return Some(EVALS),
        (Some(Shape::String), env, Some(_)) if !matches!(env, Some(Shape::Array)) => return Some(EVALUATION),
        (_, Some(Shape::Table(_)), _) if of_verifiers() => return Some("a config for verifiers' `eval`"),
        _ => {}
    }
    // What is for one of these has no component of a run.
    if ["trainer", "orchestrator", "inference", "train"].iter().any(|key| has(key).is_some()) {
        return None;
    }
    if matches!(has("ablation"), Some(Shape::Array)) {
        return Some(EVALUATION);
    }
    // What else has sources at its root (the lists of packages of Python tools) names neither a model nor how it is asked.
    let is_asked = || ["client", "model", "sampling"].iter().any(|key| has(key).is_some());
    (matches!(has("source"), Some(Shape::Array)) && (is_asked() || is_in_evaluations(path))).then_some(EVAL)
}

/// Whether a file with a table `[eval]` is for `evals`. An `sft` config has the same table, but its model is a table too.
fn is_for_evals<T: Shaped>(root: &T, eval: &T) -> bool {
    const ROOT: [&str; 7] = ["eval", "log", "model", "monitors", "online", "output_dir", "weight_broadcast"];
    let is_own = matches!(root.shape_of("model"), Some(Shape::String)) || root.shape_of("online").is_some();
    is_own && eval.shape_of("source").is_some() && root.shapes().all(|(key, _)| ROOT.contains(&key))
}

/// Whether a file has one environment and how it is served, as `env-server` has it.
fn serves<T: Shaped>(root: &T) -> Option<&'static str> {
    const ROOT: [&str; 5] = ["env", "env_install_prerelease", "log", "output_dir", "serve"];
    let Some(Shape::Table(env)) = root.shape_of("env") else { return None };
    let names_one = matches!(env.shape_of("id"), Some(Shape::String)) || matches!(env.shape_of("taskset"), Some(Shape::Table(_)));
    if !names_one || !root.shapes().all(|(key, _)| ROOT.contains(&key)) {
        return None;
    }
    // The environment alone may be for either.
    Some(if root.shapes().any(|(key, _)| key == "log") { ENV_SERVER } else { EVAL_OR_ENV_SERVER })
}

/// The root keys that prime-rl's entrypoints `eval` and `synthesize` had, which were there until 0.4.0.
const OF_EVALUATION: [&str; 21] = [
    "client",
    "env",
    "eval_base",
    "log",
    "max_concurrent",
    "model",
    "num_examples",
    "output_dir",
    "per_rollout",
    "reasoning_field",
    "resume_path",
    "retry",
    "rollouts_per_example",
    "sampling",
    "save",
    "steps",
    "toml_files",
    "use_tqdm",
    "wandb",
    "watcher",
    "weights_dir",
];

/// Those that no other entrypoint has at its root.
const ONLY_OF_EVALUATION: [&str; 8] =
    ["eval_base", "num_examples", "reasoning_field", "resume_path", "steps", "use_tqdm", "watcher", "weights_dir"];

/// Whether a file is for the `eval` or `synthesize` of then: their keys are those of an orchestrator, and a few of their own.
pub(super) fn evaluates<T: Shaped>(path: &str, root: &T) -> Option<&'static str> {
    let mut keys = root.shapes().map(|(key, _)| key).peekable();
    keys.peek()?;
    let (all, own) = keys
        .fold((true, false), |(all, own), key| (all && OF_EVALUATION.contains(&key), own || ONLY_OF_EVALUATION.contains(&key)));
    (all && (own || is_in_evaluations(path)))
        .then_some("a config for prime-rl's `eval` or `synthesize`, which existed until 0.4.0 and are not checked")
}

/// Whether the path of a file says that it evaluates.
fn is_in_evaluations(path: &str) -> bool {
    let stem = path.strip_suffix(".toml").unwrap_or(path);
    // The file and the three folders around it: what lies above these is not about configs.
    stem.rsplit(['/', '\\']).take(4).any(|part| matches!(part, "eval" | "evals" | "synthesize"))
}

#[cfg(test)]
mod tests {
    use cfg_schema::Kind;

    use super::{ENV_SERVER, EVAL, EVAL_OR_ENV_SERVER, EVALS, EVALUATION, VF_RL};
    use crate::kind::{
        KindGuess,
        tests::{found, guess},
    };

    #[test]
    fn configs_of_eval_and_synthesize_are_told_apart() {
        let is_evaluation = |path, text| matches!(guess(path, text), KindGuess::NoConfig(Some(what)) if what.contains("`eval`"));
        assert!(is_evaluation("x.toml", "num_examples = 5\n[model]\nname = 'x'\n[[env]]\nid = 'a'\n"));
        assert!(is_evaluation("evals/models/x.toml", "[model]\nname = 'x'\n"));
        assert!(is_evaluation("deepscaler/eval.toml", "[[env]]\nid = 'a'\nrollouts_per_example = 3\n"));
        assert!(!is_evaluation("x.toml", "num_examples = 5\nbatch_size = 8\n[[env]]\nid = 'a'\n"), "an orchestrator's mistake");
        assert!(!is_evaluation("evals/x.toml", "[orchestrator]\n"));
        assert!(!is_evaluation("evals/x.toml", ""));
    }

    #[test]
    fn a_file_of_another_tool_is_told_apart() {
        assert!(matches!(guess("pyproject.toml", "[project]\nname = 'x'\n"), KindGuess::NoConfig(Some(_))));
        assert!(matches!(guess("x.toml", "[package]\nname = 'x'\n[dependencies]\na = '1'\n"), KindGuess::NoConfig(None)));
        assert!(matches!(guess("x.toml", "[server]\nhost = 'a'\nport = 1\n[database]\nurl = 'b'\n"), KindGuess::NoConfig(None)));
        assert!(matches!(guess("x.toml", "[env]\nPATH = 'a'\n[log]\nlevel = 'x'\n"), KindGuess::NoConfig(None)));
        assert!(matches!(guess("x.toml", "[[source]]\nname = 'pypi'\nurl = 'a'\n"), KindGuess::NoConfig(None)));
    }

    #[test]
    fn a_config_of_another_program_of_the_field_is_named() {
        for (what, text) in [
            (EVALUATION, "[[eval]]\nenv_id = 'a/b'\n"),
            (EVALUATION, "model = 'x'\n[[ablation]]\nenv_id = 'a'\n[ablation.sweep]\ntemperature = [0.1, 0.2]\n"),
            (EVAL, "[[source]]\ntaskset = {id = 'gsm8k'}\n[client]\nbase_url = ['x']\n"),
            (EVALS, "model = 'x'\n[eval]\ninterval = 5\n[[eval.source]]\ntaskset = {id = 'gsm8k'}\n[online]\nmax_steps = 20\n"),
            (EVALS, "[[eval.source]]\ntaskset = {id = 'gsm8k'}\n[eval.client]\nbase_url = ['x']\n[online]\n"),
            ("a config for verifiers' `eval`", "num_tasks = 5\nnum_rollouts = 3\n[env.taskset]\nid = 'gsm8k'\n"),
            (EVAL_OR_ENV_SERVER, "[env.taskset]\nid = 'gsm8k'\n[serve]\naddress = 'tcp://127.0.0.1:5000'\n"),
            (ENV_SERVER, "[env]\nid = 'reverse-text'\n[log]\nlevel = 'debug'\n"),
            ("a registry of endpoints for evaluations", "[[endpoint]]\nendpoint_id = 'a'\nmodel = 'b'\n"),
            (
                VF_RL,
                "model = 'x'\n[env]\nid = 'gsm8k'\n[inference]\ngpus = 1\n[trainer]\ngpus = 1\n[trainer.args]\nmax_steps = 5\n",
            ),
        ] {
            assert_eq!(guess("x.toml", text), KindGuess::NoConfig(Some(what)), "{text}");
            assert!(matches!(found("configs/x.toml", text), KindGuess::NoConfig(_)), "{text}");
        }
    }

    #[test]
    fn a_config_of_training_that_evaluates_is_none_of_these() {
        for (kind, text) in [
            (Kind::Rl, "[trainer]\n[orchestrator.eval]\ninterval = 5\n"),
            (Kind::Rl, "model = 'x'\n[trainer]\n[orchestrator]\n[inference]\ngpus = 1\n"),
            (
                Kind::Orchestrator,
                "batch_size = 8\n[[train.source]]\ntaskset = {id = 'a'}\n[[eval.source]]\ntaskset = {id = 'a'}\n",
            ),
            (
                Kind::Sft,
                "[data]\nname = 'x'\nseq_len = 8\n[[eval.source]]\ntaskset = {id = 'a'}\n[eval.client]\nbase_url = ['x']\n",
            ),
            (Kind::Orchestrator, "batch_size = 8\n[eval]\ninterval = 5\n[[eval.env]]\nid = 'a'\n"),
        ] {
            assert_eq!(guess("x.toml", text), KindGuess::Is(kind), "{text}");
        }
    }
}
