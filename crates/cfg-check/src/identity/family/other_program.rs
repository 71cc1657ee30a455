//! Files and commands other than those of a training run: evaluations and servers of prime-rl and verifiers, and programs whose configs are not
//! checked.

use std::path::Path;

use cfg_plan::Metadata;
use cfg_schema::Kind;

use super::Family;
use crate::{
    Request, Session,
    shape::{Shape, Shaped},
};

const EVALUATION: &str = "an evaluation config of another program";
const VF_RL: &str = "a config for verifiers' `vf-rl`";
const OF_ANOTHER_TRAINER: &str = "a config for the programs of its own project";

/// The kind of config that a launch command passes to a program of this name; `None` for a typing error and for programs whose configs are checked.
pub(crate) fn config_of_program(program: &str) -> Option<&'static str> {
    (program == "vf-rl").then_some(VF_RL)
}

/// The guess for a config that states no prime-rl, in the project of another trainer: it is for that project's own programs.
pub(crate) fn of_another_trainer(session: &Session, request: &Request<'_>, metadata: &Metadata) -> Option<Family> {
    let (projects, path) = (session.projects(), Path::new(request.path));
    let is_stated = || request.target.is_some() || request.otherwise.is_some() || metadata.target.is_some();
    let is_other = !is_stated() && projects.is_another_trainer(path) && projects.target(path).is_none();
    is_other.then_some(Family::OtherProgram(OF_ANOTHER_TRAINER))
}

/// What a file is for, if it is not for a training run.
pub(super) fn other_program<T: Shaped>(path: &str, root: &T) -> Option<Family> {
    let other = match path.rsplit(['/', '\\']).next().unwrap_or_default() {
        "pyproject.toml" => Some("the metadata of a Python project"),
        "Cargo.toml" => Some("the manifest of a Rust package"),
        "cfg.toml" | ".cfg.toml" => Some("the settings of cfg itself"),
        "ruff.toml" | "uv.toml" | "taplo.toml" | ".taplo.toml" | "tombi.toml" => Some("the settings of another tool"),
        _ if is_for_vf_rl(root) => Some(VF_RL),
        _ => None,
    };
    other.map(Family::OtherProgram).or_else(|| evaluation(path, root)).or_else(|| serves(path, root))
}

/// Whether a file is for the former trainer of verifiers: it names the model by a string, and gives each program its GPUs and its arguments.
fn is_for_vf_rl<T: Shaped>(root: &T) -> bool {
    let is_program = |key: &str| match root.shape_of(key) {
        Some(Shape::Table(table)) => table.shapes().any(|(key, _)| matches!(key, "args" | "gpus")),
        _ => false,
    };
    matches!(root.shape_of("model"), Some(Shape::String))
        && root.shape_of("orchestrator").is_none()
        && (is_program("trainer") || is_program("inference"))
}

/// Recognizes files for the evaluations that prime-rl runs separately, and for those of other programs.
fn evaluation<T: Shaped>(path: &str, root: &T) -> Option<Family> {
    let has = |key: &str| root.shape_of(key);
    let of_verifiers = || ["num_rollouts", "num_tasks"].iter().any(|key| has(key).is_some());
    let of_other = || Some(Family::OtherProgram(EVALUATION));
    match (has("model"), has("env"), has("eval")) {
        (_, _, Some(Shape::Array)) => return of_other(),
        (_, _, Some(Shape::Table(eval))) if is_for_evals(root, eval) => return Some(Family::Config(Kind::Evals)),
        (Some(Shape::String), env, Some(_)) if !matches!(env, Some(Shape::Array)) => return of_other(),
        (_, Some(Shape::Table(_)), _) if of_verifiers() => return Some(Family::Config(Kind::Eval)),
        _ => {}
    }
    // A file for an evaluation has none of these components of a run.
    if ["trainer", "orchestrator", "inference", "train"].iter().any(|key| has(key).is_some()) {
        return None;
    }
    if matches!(has("ablation"), Some(Shape::Array)) {
        return of_other();
    }
    // The format of `eval` before it had a table `env`.
    if has("env").is_none() && names_tasks(root) && has("batch_size").is_none() {
        return Some(Family::Config(Kind::Eval));
    }
    // Other files with sources at their root (package lists of Python tools) have neither a model nor a client.
    let is_asked = || ["client", "model", "sampling"].iter().any(|key| has(key).is_some());
    (matches!(has("source"), Some(Shape::Array)) && (is_asked() || is_in_evaluations(path))).then_some(Family::Config(Kind::Eval))
}

/// Whether a table names a taskset: `taskset = { id = "gsm8k" }`.
fn names_tasks<T: Shaped>(table: &T) -> bool {
    matches!(table.shape_of("taskset"), Some(Shape::Table(taskset)) if matches!(taskset.shape_of("id"), Some(Shape::String)))
}

/// Whether a file with a table `[eval]` is for `evals`. An `sft` config has the same table, but its model is a table too.
fn is_for_evals<T: Shaped>(root: &T, eval: &T) -> bool {
    const ROOT: [&str; 7] = ["eval", "log", "model", "monitors", "online", "output_dir", "weight_broadcast"];
    let is_own = matches!(root.shape_of("model"), Some(Shape::String)) || root.shape_of("online").is_some();
    is_own && eval.shape_of("source").is_some() && root.shapes().all(|(key, _)| ROOT.contains(&key))
}

/// Recognizes a file with one environment and how to serve it, in the format of `env-server`.
fn serves<T: Shaped>(path: &str, root: &T) -> Option<Family> {
    const ROOT: [&str; 6] = ["env", "env_install_prerelease", "legacy", "log", "output_dir", "serve"];
    let Some(Shape::Table(env)) = root.shape_of("env") else { return None };
    let names_one = matches!(env.shape_of("id"), Some(Shape::String)) || matches!(env.shape_of("taskset"), Some(Shape::Table(_)));
    if !names_one || !root.shapes().all(|(key, _)| ROOT.contains(&key)) {
        return None;
    }
    // A taskset with how to serve it, and without a log, may be for either program.
    let is_for_eval = names_tasks(env) && root.shape_of("log").is_none() && is_in_evaluations(path);
    Some(Family::Config(if is_for_eval { Kind::Eval } else { Kind::EnvServer }))
}

/// Whether a file that was found in a folder certainly has such a kind: it names an environment in a form that other tools do not use.
pub(super) fn is_clear<T: Shaped>(kind: Kind, root: &T) -> bool {
    let has = |key: &str| root.shape_of(key).is_some();
    let names_tasks_of_env = || matches!(root.shape_of("env"), Some(Shape::Table(env)) if names_tasks(env));
    match kind {
        Kind::Evals => true,
        Kind::EnvServer => names_tasks_of_env(),
        _ => {
            let is_array = |key: &str| matches!(root.shape_of(key), Some(Shape::Array));
            let is_asked = || ["model", "client", "sampling", "rollouts_per_example"].into_iter().any(has);
            names_tasks(root)
                || names_tasks_of_env()
                || is_array("source")
                || is_array("environment_ids")
                || is_array("env") && is_asked()
        }
    }
}

/// The root keys of prime-rl's entrypoints `eval` and `synthesize`, which existed until 0.4.0.
const OF_EVALUATION: [&str; 26] = [
    "client",
    "env",
    "environment_args",
    "environment_ids",
    "eval_base",
    "log",
    "max_concurrent",
    "model",
    "monitor",
    "num_examples",
    "output_dir",
    "per_rollout",
    "reasoning_field",
    "resume_path",
    "retry",
    "rollouts_per_example",
    "sampling",
    "save",
    "save_to_disk",
    "save_to_hf",
    "steps",
    "toml_files",
    "use_tqdm",
    "wandb",
    "watcher",
    "weights_dir",
];

/// Root keys that only these two entrypoints have.
const ONLY_OF_EVALUATION: [&str; 8] =
    ["eval_base", "num_examples", "reasoning_field", "resume_path", "steps", "use_tqdm", "watcher", "weights_dir"];

/// Whether a file is for the former `eval` or `synthesize`, which have the keys of an orchestrator and a few of their own.
pub(super) fn evaluates<T: Shaped>(path: &str, root: &T) -> Option<Family> {
    let mut keys = root.shapes().map(|(key, _)| key).peekable();
    keys.peek()?;
    let (all, own) = keys
        .fold((true, false), |(all, own), key| (all && OF_EVALUATION.contains(&key), own || ONLY_OF_EVALUATION.contains(&key)));
    if !all || !own && !is_in_evaluations(path) {
        return None;
    }
    let is_for = |word: &str| places(path).any(|part| part.split(['-', '_', '.']).any(|own| own == word));
    Some(Family::Config(if is_for("synthesize") || is_for("synth") { Kind::Synthesize } else { Kind::Eval }))
}

/// Whether the path of a file indicates an evaluation.
pub(super) fn is_in_evaluations(path: &str) -> bool {
    places(path).any(|part| matches!(part, "eval" | "evals" | "synthesize"))
}

/// The name of a file and of the three folders above it: folders further up are not about configs.
fn places(path: &str) -> impl Iterator<Item = &str> {
    path.strip_suffix(".toml").unwrap_or(path).rsplit(['/', '\\']).take(4)
}

#[cfg(test)]
mod tests {
    use cfg_schema::Kind;

    use super::{EVALUATION, VF_RL};
    use crate::identity::family::{
        Family,
        tests::{found, guess},
    };

    #[test]
    fn configs_of_the_older_eval_and_synthesize_are_recognized() {
        for (kind, path, text) in [
            (Kind::Eval, "x.toml", "num_examples = 5\n[model]\nname = 'x'\n[[env]]\nid = 'a'\n"),
            (Kind::Eval, "evals/models/x.toml", "[model]\nname = 'x'\n"),
            (Kind::Eval, "deepscaler/eval.toml", "[[env]]\nid = 'a'\nrollouts_per_example = 3\n"),
            (Kind::Eval, "evals/x.toml", "environment_ids = ['a', 'b']\nnum_examples = [5, 6]\n"),
            (Kind::Synthesize, "synthesize/x.toml", "[[env]]\nid = 'a'\n[model]\nname = 'x'\n"),
        ] {
            assert_eq!(guess(path, text), Family::Config(kind), "{text}");
        }
        let of_run = |path, text| !matches!(guess(path, text), Family::Config(Kind::Eval | Kind::Synthesize));
        assert!(of_run("x.toml", "num_examples = 5\nbatch_size = 8\n[[env]]\nid = 'a'\n"), "an orchestrator's mistake");
        assert!(of_run("evals/x.toml", "[orchestrator]\n"));
        assert!(of_run("evals/x.toml", ""));
    }

    #[test]
    fn a_file_of_another_tool_is_recognized() {
        assert!(matches!(guess("pyproject.toml", "[project]\nname = 'x'\n"), Family::OtherProgram(_)));
        assert!(matches!(guess("x.toml", "[package]\nname = 'x'\n[dependencies]\na = '1'\n"), Family::Unclear));
        assert!(matches!(guess("x.toml", "[server]\nhost = 'a'\nport = 1\n[database]\nurl = 'b'\n"), Family::Unclear));
        assert!(matches!(guess("x.toml", "[env]\nPATH = 'a'\n[log]\nlevel = 'x'\n"), Family::Unclear));
        assert!(matches!(guess("x.toml", "[[source]]\nname = 'pypi'\nurl = 'a'\n"), Family::Unclear));
        // A folder may contain files of a tool with similar keys.
        for foreign in
            ["[env]\nid = 'CartPole-v1'\n[log]\nlevel = 'info'\n", "num_tasks = 5\n[env]\nname = 'x'\n", "[model]\nname = 'x'\n"]
        {
            assert!(matches!(found("evals/x.toml", foreign), Family::OtherProgram(_) | Family::Unclear), "{foreign}");
        }
    }

    #[test]
    fn a_config_that_evaluates_or_serves_is_of_its_entrypoint() {
        for (kind, text) in [
            (Kind::Eval, "[[source]]\ntaskset = {id = 'gsm8k'}\n[client]\nbase_url = ['x']\n"),
            (Kind::Eval, "num_tasks = 5\nnum_rollouts = 3\n[env.taskset]\nid = 'gsm8k'\n"),
            (Kind::Eval, "model = 'x'\n[taskset]\nid = 'gsm8k'\n[harness]\nid = 'bash'\n"),
            (
                Kind::Evals,
                "model = 'x'\n[eval]\ninterval = 5\n[[eval.source]]\ntaskset = {id = 'gsm8k'}\n[online]\nmax_steps = 20\n",
            ),
            (Kind::Evals, "[[eval.source]]\ntaskset = {id = 'gsm8k'}\n[eval.client]\nbase_url = ['x']\n[online]\n"),
            (Kind::EnvServer, "[env.taskset]\nid = 'gsm8k'\n[serve]\naddress = 'tcp://127.0.0.1:5000'\n"),
        ] {
            assert_eq!(guess("x.toml", text), Family::Config(kind), "{text}");
            assert_eq!(found("configs/x.toml", text), Family::Config(kind), "{text}");
        }
        let older = "[env]\nid = 'reverse-text'\n[log]\nlevel = 'debug'\n";
        assert_eq!(guess("x.toml", older), Family::Config(Kind::EnvServer));
        assert_eq!(guess("evals/x.toml", "[env.taskset]\nid = 'gsm8k'\n[serve]\n"), Family::Config(Kind::Eval));
    }

    #[test]
    fn a_config_of_another_training_program_is_named() {
        for (what, text) in [
            (EVALUATION, "[[eval]]\ntask = 'mmlu'\nshots = 5\n"),
            (EVALUATION, "model = 'x'\n[[ablation]]\nlayers = 4\n"),
            (
                VF_RL,
                "model = 'x'\n[env]\nid = 'gsm8k'\n[inference]\ngpus = 1\n[trainer]\ngpus = 1\n[trainer.args]\nmax_steps = 5\n",
            ),
        ] {
            assert_eq!(guess("x.toml", text), Family::OtherProgram(what), "{text}");
            assert!(matches!(found("configs/x.toml", text), Family::OtherProgram(_) | Family::Unclear), "{text}");
        }
    }

    #[test]
    fn a_training_config_that_evaluates_is_not_an_evaluation() {
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
            assert_eq!(guess("x.toml", text), Family::Config(kind), "{text}");
        }
    }
}
