//! Recognizes files of verifiers' own evaluations by their contents: many programs have tables named `eval`.

use crate::{
    shape::{Shape, Shaped},
    verifiers::{VerifiersFile, facts},
};

/// Keys that identify a file for these evaluations; many programs have an `id`.
const TELLING: [&str; 20] = [
    "api_base_url",
    "api_client_type",
    "api_key_var",
    "disable_env_server",
    "disable_tui",
    "endpoint_id",
    "endpoints_path",
    "env_args",
    "env_dir_path",
    "env_id",
    "extra_env_kwargs",
    "header_from_state",
    "headers_from_state",
    "independent_scoring",
    "max_concurrent",
    "num_examples",
    "rollouts_per_example",
    "sampling_args",
    "save_results",
    "state_columns",
];

/// The role of a file for verifiers; `None` if it is not clearly one. `is_meant` says that its name or its folder, or the user,
/// indicates an evaluation.
pub(super) fn of_verifiers<T: Shaped>(path: &str, root: &T, is_meant: bool) -> Option<VerifiersFile> {
    if is_registry(root) || is_named_registry(path) && is_begun_registry(root) {
        return Some(VerifiersFile::Endpoints);
    }
    // In a folder of evaluations, one that has no value yet has been begun.
    (evaluates(root, is_meant) || is_meant && is_begun_evaluation(root)).then_some(VerifiersFile::Evaluations)
}

/// Whether an entry of the registry names an endpoint and how to access it.
fn is_registry<T: Shaped>(root: &T) -> bool {
    let is_text = |table: &T, key: &str| matches!(table.shape_of(key), Some(Shape::String));
    let names_one = |table: &&T| {
        let is_reached = is_text(table, "url") || is_text(table, "api_base_url");
        let has_key = is_text(table, "key") || is_text(table, "api_key_var");
        let count = [is_text(table, "endpoint_id"), is_text(table, "model"), is_reached, has_key];
        count.into_iter().filter(|is_there| *is_there).count() >= 3
    };
    let is_alone = || root.shapes().all(|(key, _)| !matches!(key, "eval" | "ablation"));
    ["endpoint", "endpoints"].into_iter().any(|key| root.tables_of(key).iter().any(names_one)) && is_alone()
}

/// Whether a file has the name of the registry that verifiers reads by default.
fn is_named_registry(path: &str) -> bool {
    path.rsplit(['/', '\\']).next() == Some("endpoints.toml")
}

/// Whether nothing but an endpoint has been begun: it has no value yet, or its name and other keys of endpoints.
fn is_begun_registry<T: Shaped>(root: &T) -> bool {
    let is_endpoint = |key: &str| "endpoint".starts_with(key);
    let entries = tables_below(root, &is_endpoint);
    let has_name = |table: &&T| matches!(table.shape_of("endpoint_id"), Some(Shape::String));
    !entries.is_empty()
        && given(root).all(is_endpoint)
        && entries.iter().all(|table| given(*table).all(|key| facts().is_of_endpoint(key)))
        && (entries.iter().any(has_name) || entries.iter().all(|table| given(*table).next().is_none()))
}

/// Whether nothing but an evaluation has been begun: it has no value yet.
fn is_begun_evaluation<T: Shaped>(root: &T) -> bool {
    let is_evaluation = |key: &str| "eval".starts_with(key) || "ablation".starts_with(key);
    let entries = tables_below(root, &is_evaluation);
    !entries.is_empty()
        && given(root).all(|key| is_evaluation(key) || facts().has_key(key))
        && entries.iter().all(|table| given(*table).next().is_none())
}

/// The tables in the arrays of a table whose keys, which may be half written, are wanted.
fn tables_below<'t, T: Shaped>(root: &'t T, is_wanted: &dyn Fn(&str) -> bool) -> Vec<&'t T> {
    root.shapes().map(|(key, _)| key).filter(|key| is_wanted(key)).flat_map(|key| root.tables_of(key)).collect()
}

/// The keys of a table that have a value.
fn given<T: Shaped>(table: &T) -> impl Iterator<Item = &str> {
    table.shapes().filter(|(_, shape)| !matches!(shape, Shape::Unknown)).map(|(key, _)| key)
}

fn evaluates<T: Shaped>(root: &T, is_meant: bool) -> bool {
    // A file with one of these tables is a prime-rl config.
    if ["trainer", "orchestrator", "inference"].iter().any(|key| root.shape_of(key).is_some()) {
        return false;
    }
    let mut entries: Vec<&T> = ["eval", "ablation"].into_iter().flat_map(|key| root.tables_of(key)).collect();
    // `[eval]` is taken for a mistyped `[[eval]]` only if the file can't belong to another program.
    let single = match root.shape_of("eval") {
        Some(Shape::Table(table)) if matches!(table.shape_of("env_id"), Some(Shape::String)) => Some(table),
        _ => None,
    };
    entries.extend(single);
    if entries.is_empty() {
        return false;
    }
    let is_text = |table: &T, key: &str| matches!(table.shape_of(key), Some(Shape::String));
    let names_tasks = |table: &T| matches!(table.shape_of("taskset"), Some(Shape::Table(taskset)) if is_text(taskset, "id"));
    let all = || {
        let of_root = root.shapes().filter(|(key, _)| !matches!(*key, "eval" | "ablation"));
        of_root.chain(entries.iter().flat_map(|table| table.shapes())).map(|(key, _)| key)
    };
    let count = all().count();
    let known = all().filter(|key| *key == "sweep" || facts().may_mean(key)).count();
    let telling = all().filter(|key| TELLING.contains(key)).count();
    let is_named = entries.iter().any(|table| is_text(table, "env_id") || names_tasks(table));
    let is_perhaps_named = entries.iter().any(|table| is_text(table, "id"));
    // Other programs have environments as well, so more keys must be known.
    let is_known = known * 3 >= count * 2 || is_named && is_meant && known * 2 >= count;
    is_known && (is_named || is_perhaps_named && (is_meant || telling > 0) || telling > 1)
}

#[cfg(test)]
mod tests {
    use crate::{
        VerifiersFile,
        identity::family::{
            Family,
            tests::{found, guess},
        },
    };

    #[test]
    fn evaluation_files_are_recognized_by_their_content() {
        for (file, text) in [
            (VerifiersFile::Evaluations, "[[eval]]\nenv_id = 'a/b'\n"),
            (VerifiersFile::Evaluations, "model = 'x'\n[[ablation]]\nenv_id = 'a'\n[ablation.sweep]\ntemperature = [0.1, 0.2]\n"),
            (VerifiersFile::Evaluations, "num_examples = 5\n[[eval]]\nid = 'gsm8k'\n"),
            (VerifiersFile::Evaluations, "[[eval]]\n[eval.taskset]\nid = 'gsm8k'\n"),
            // A file whose mistake is that no environment is named.
            (VerifiersFile::Evaluations, "model = 'x'\n[[eval]]\nnum_examples = 5\nrollouts_per_example = 3\n"),
            (VerifiersFile::Evaluations, "env_id = 'gsm8k'\n[[eval]]\nnum_examples = 5\n"),
            (VerifiersFile::Evaluations, "[eval]\nenv_id = 'gsm8k'\nnum_examples = 5\n"),
            // A misspelt key counts like the correct one.
            (VerifiersFile::Evaluations, "[[eval]]\nenv_id = 'gsm8k'\nnum_exampels = 5\n"),
            (VerifiersFile::Endpoints, "[[endpoint]]\nendpoint_id = 'a'\nmodel = 'b'\nurl = 'c'\nkey = 'D'\n"),
            (VerifiersFile::Endpoints, "[[endpoint]]\nmodel = 'b'\napi_base_url = 'c'\napi_key_var = 'D'\n"),
        ] {
            assert_eq!(guess("x.toml", text), Family::Evaluation(file), "{text}");
            // A file name that indicates training does not outweigh the contents.
            assert_eq!(found("configs/rl.toml", text), Family::Evaluation(file), "{text}");
        }
        let with_id = "[[eval]]\nid = 'gsm8k'\n";
        assert_eq!(guess("x.toml", with_id), Family::Evaluation(VerifiersFile::Evaluations));
        assert_eq!(found("configs/eval/x.toml", with_id), Family::Evaluation(VerifiersFile::Evaluations));
        assert!(matches!(found("configs/x.toml", with_id), Family::OtherProgram(_) | Family::Unclear));
    }

    #[test]
    fn a_file_that_has_just_been_begun_is_recognized_by_its_place() {
        for text in ["[[endpoint]]\n", "[[endp\n", "[[endpoint]]\nmo\n", "[[endpoint]]\nendpoint_id = 'a'\nmod\n"] {
            assert_eq!(found("configs/endpoints.toml", text), Family::Evaluation(VerifiersFile::Endpoints), "{text}");
            assert_eq!(guess("x.toml", text), Family::Unclear, "{text}");
        }
        for text in
            ["[[endpoint]]\nurl = 'x'\n", "[[endpoint]]\nendpoint_id = 'a'\npath = '/'\n", "[[endpoint]]\n[server]\nport = 1\n"]
        {
            assert!(!matches!(found("configs/endpoints.toml", text), Family::Evaluation(_)), "{text}");
        }
        for text in ["[[eval]]\n", "[[ev\n", "model = 'x'\n[[eval]]\nen\n"] {
            assert_eq!(found("configs/eval/x.toml", text), Family::Evaluation(VerifiersFile::Evaluations), "{text}");
        }
        assert!(!matches!(found("configs/eval/x.toml", "[[eval]]\n[agent]\nhidden = 64\n"), Family::Evaluation(_)));
    }

    #[test]
    fn tables_of_other_programs_are_not_taken_for_verifiers() {
        for text in [
            "[[eval]]\ntask = 'mmlu'\nshots = 5\n",
            "[[eval]]\nid = 'mmlu'\nmetric = 'acc'\nsplit = 'test'\n",
            "[[eval]]\nenv_id = 'CartPole-v1'\nepisodes = 10\nrender = true\n",
            "[[eval]]\nenv_id = 'CartPole-v1'\nepisodes = 10\n[agent]\nhidden = 64\n",
            "[eval]\ninterval = 5\n[[eval.env]]\nid = 'a'\n",
            "[eval]\nid = 'x'\nbatch_size = 4\n",
            "eval = ['a', 'b']\n",
            "[[endpoint]]\npath = '/health'\nmethod = 'GET'\n",
            "[[endpoint]]\nname = 'a'\nurl = 'http://b'\nkey = 'c'\n",
            "[trainer]\n[[eval]]\nenv_id = 'gsm8k'\n",
        ] {
            for guess in [guess("x.toml", text), found("evals/x.toml", text)] {
                assert!(!matches!(guess, Family::Evaluation(_)), "{text}");
            }
        }
    }
}
