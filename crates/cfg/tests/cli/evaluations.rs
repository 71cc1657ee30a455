//! Files of verifiers' own evaluations on the command line.

use serde_json::Value;

use super::Folder;

const ENDPOINTS: &str =
    "[[endpoint]]\nendpoint_id = \"gpt-5-mini\"\nmodel = \"openai/gpt-5-mini\"\nurl = \"https://x/v1\"\nkey = \"KEY\"\n";

const WITH_DEBUG: &str = "model = \"x/y\"\ndebug = true\n\n[[eval]]\nenv_id = \"gsm8k\"\n";

/// A lock file with a release of verifiers.
fn lock(release: &str) -> String {
    format!(
        "version = 1\n\n[[package]]\nname = \"verifiers\"\nversion = \"{release}\"\nsource = {{ registry = \"https://x/simple\" }}\n"
    )
}

/// The verdict on a file, and its findings: severity, code and key.
fn judged(folder: &Folder, words: &str, path: &str) -> (String, Vec<String>) {
    let file = folder.reported(words, path);
    assert_eq!(file["target"], Value::Null, "no prime-rl reads it");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let found = file["diagnostics"].as_array().expect("a list").iter();
    let found = found.map(|found| format!("{} {} {}", text(&found["severity"]), text(&found["code"]), text(&found["key"])));
    (text(&file["verdict"]), found.collect())
}

#[test]
fn the_release_that_is_locked_decides() {
    for (release, verdict, found) in [
        ("0.1.11", "ok", vec![]),
        ("0.1.14", "rejected", vec!["error PRL210 debug"]),
        // This release does not read config files.
        ("0.1.8", "ok", vec!["warning PRL210 debug"]),
        // This one has no loader of lists any more.
        ("0.4.0", "rejected", vec!["error PRL211 eval"]),
    ] {
        let lock = lock(release);
        let folder = Folder::repository(&[("uv.lock", &lock), ("configs/eval/x.toml", WITH_DEBUG)]);
        // The findings are the same whether the file is named, found in a folder, or in a launch command.
        for words in ["configs/eval/x.toml", "."] {
            let found = found.iter().map(|found| (*found).to_owned()).collect();
            assert_eq!(judged(&folder, words, "configs/eval/x.toml"), (verdict.to_owned(), found), "{release} {words}");
        }
        let started = folder.run("check --format concise -- uv run vf-eval configs/eval/x.toml --verbose");
        assert_eq!(started.status, Some(i32::from(verdict == "rejected")), "{started:?}");
    }
}

#[test]
fn sources_decide_before_the_release_that_is_locked() {
    let loader = "def load_toml_config(path):\n    valid_fields = {\n        \"env_id\",\n        \"model\",\n        \"debug\",\n        \"of_a_fork\",\n    }\n";
    let text = format!("of_a_fork = 1\ntimeout = 5.0\n{WITH_DEBUG}");
    let lock = lock("0.3.0");
    let library = ".venv/lib/python3.12/site-packages/verifiers";
    let folder = Folder::repository(&[
        ("uv.lock", &lock),
        (&format!("{library}/__init__.py"), ""),
        (&format!("{library}/utils/eval_utils.py"), loader),
        ("eval.toml", &text),
    ]);
    assert_eq!(judged(&folder, "eval.toml", "eval.toml"), ("rejected".to_owned(), vec!["error PRL210 timeout".to_owned()]));
    let people = folder.run("check eval.toml");
    insta::assert_snapshot!("a_key_that_the_sources_of_verifiers_lack", people.stdout);
}

#[test]
fn a_typing_error_is_fixed() {
    let folder = Folder::repository(&[("x.toml", "num_exampels = 5 # few\n\n[[eval]]\nenv_id = \"gsm8k\"\n")]);
    let shown = folder.run("check x.toml");
    insta::assert_snapshot!("a_misspelt_key_of_an_evaluation", shown.stdout);
    let ended = folder.run("check --fix x.toml");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert_eq!(
        std::fs::read_to_string(folder.path.join("x.toml")).expect("it is there"),
        "num_examples = 5 # few\n\n[[eval]]\nenv_id = \"gsm8k\"\n"
    );
}

#[test]
fn an_endpoint_is_looked_up_in_the_registry_beside_the_file() {
    let text =
        |id: &str| format!("endpoints_path = \"../endpoints.toml\"\nendpoint_id = \"{id}\"\n\n[[eval]]\nenv_id = \"gsm8k\"\n");
    let wrong = || ("rejected".to_owned(), vec!["error PRL212 endpoint_id".to_owned()]);
    let clean = || ("ok".to_owned(), Vec::new());
    let folder = |id: &str, endpoints: &str| {
        Folder::repository(&[("configs/endpoints.toml", endpoints), ("configs/eval/x.toml", &text(id))])
    };
    assert_eq!(judged(&folder("gpt-5-mini", ENDPOINTS), ".", "eval/x.toml"), clean());
    let misspelt = folder("gpt-5-mni", ENDPOINTS);
    assert_eq!(judged(&misspelt, ".", "eval/x.toml"), wrong());
    let shown = misspelt.run("check .");
    insta::assert_snapshot!("a_misspelt_endpoint", shown.stdout);
    // One invalid entry makes the whole registry invalid.
    let broken = folder("gpt-5-mini", &format!("{ENDPOINTS}[[endpoint]]\nendpoint_id = \"b\"\nmodel = \"b\"\nurl = \"c\"\n"));
    assert_eq!(judged(&broken, ".", "eval/x.toml"), wrong());
    assert_eq!(judged(&broken, ".", "endpoints.toml"), ("ok".to_owned(), vec!["warning PRL213 endpoint[1]".to_owned()]));
    // The default registry is that of the folder in which the command is run.
    let open = Folder::repository(&[("x.toml", "endpoint_id = \"a\"\n[[eval]]\nenv_id = \"gsm8k\"\n")]);
    assert_eq!(judged(&open, "x.toml", "x.toml"), clean());
}

#[test]
fn nothing_outside_the_repository_is_looked_up() {
    let text = "endpoints_path = \"../../endpoints.toml\"\nendpoint_id = \"a\"\n[[eval]]\nenv_id = \"gsm8k\"\n";
    let folder = Folder::new(&[("endpoints.toml", ENDPOINTS), ("inner/configs/x.toml", text)]);
    let made = folder.program("git").args(["init", "--quiet", "inner"]).status();
    assert!(made.is_ok_and(|status| status.success()));
    assert_eq!(judged(&folder, "inner/configs/x.toml", "x.toml"), ("ok".to_owned(), Vec::new()));
}

#[test]
fn other_commands_report_that_it_is_not_a_config() {
    let folder = Folder::repository(&[("x.toml", WITH_DEBUG)]);
    let mut told = String::new();
    for command in
        ["compile", "memory", "run launch", "plan", "estimate", "plan --curriculum", "migrate --to 0.8.0", "run preflight"]
    {
        let ended = folder.run(&format!("{command} x.toml"));
        assert_ne!(ended.status, Some(0), "{command}: {ended:?}");
        told += &format!("$ cfg {command} x.toml\n{}{}", ended.stdout, ended.stderr);
    }
    insta::assert_snapshot!("other_commands_with_an_evaluation", told);
}

#[test]
fn a_table_of_another_program_has_no_findings() {
    let folder = Folder::repository(&[("configs/x.toml", "[[eval]]\ntask = \"mmlu\"\nshots = 5\n")]);
    let found = folder.run("check .");
    assert_eq!(found.status, Some(0), "{found:?}");
    insta::assert_snapshot!("a_folder_without_configs", found.stdout);
    let named = folder.run("check configs/x.toml");
    insta::assert_snapshot!("a_table_of_another_program", named.stdout);
}

/// The expected findings were recorded by hand from the loader of prime 0.18.0, for `prime eval run --hosted`.
#[test]
fn evaluations_on_the_platform_are_compared_strictly() {
    let of = |root: &str, entry: &str| format!("{root}[[eval]]\nenv_id = \"gsm8k\"\n{entry}");
    for (text, expected) in [
        (of("", "timeout_minutes = 60\nallow_sandbox_access = false\neval_name = \"nightly\"\n"), vec![]),
        (of("", "timeout_minutes = \"60\"\n"), vec!["error PRL211 eval[0].timeout_minutes"]),
        (of("", "timeout_minutes = 60.0\n"), vec!["error PRL211 eval[0].timeout_minutes"]),
        (of("", "allow_tunnel_access = 1\n"), vec!["error PRL211 eval[0].allow_tunnel_access"]),
        (of("", "allow_instances_access = \"no\"\n"), vec!["error PRL211 eval[0].allow_instances_access"]),
        (of("", "eval_name = \"\"\n"), vec!["error PRL211 eval[0].eval_name"]),
        // Keys that have no effect on the platform, in any table.
        (of("save_results = true\n", "eval_name = \"a\"\n"), vec!["error PRL210 save_results"]),
        (
            of("eval_name = \"a\"\n", "name = \"a\"\nprovider = \"openai\"\n"),
            vec!["error PRL210 eval[0].name", "error PRL210 eval[0].provider"],
        ),
        (of("eval_name = \"a\"\ndebug = true\n", ""), vec!["error PRL210 debug"]),
        // Values are not converted, and are sent as JSON.
        (of("eval_name = \"a\"\nmax_concurrent = 8.0\n", ""), vec!["error PRL211 max_concurrent"]),
        (of("eval_name = \"a\"\n", "env_args = { day = 2026-01-06 }\n"), vec!["error PRL211 eval[0].env_args"]),
        (
            of("eval_name = \"a\"\nnum_examples = -2\n", "rollouts_per_example = 0\n"),
            vec!["error PRL211 num_examples", "error PRL211 eval[0].rollouts_per_example"],
        ),
        (of("eval_name = \"a\"\n", "state_columns = [\"\"]\n"), vec!["error PRL211 eval[0].state_columns"]),
        (of("eval_name = \"a\"\nheader = \"\"\n", ""), vec!["error PRL211 header"]),
        (
            of(
                "eval_name = \"a\"\ntemperature = 1\nnum_examples = -1\n",
                "taskset = { id = \"t\" }\nsampling = { top_p = 0.9 }\n",
            ),
            vec![],
        ),
        // Without a key that only the platform has, the config is for verifiers.
        (of("save_results = true\nmax_concurrent = 8\n", "provider = \"openai\"\n"), vec![]),
    ] {
        let folder = Folder::repository(&[("configs/eval/x.toml", &text)]);
        let (verdict, found) = judged(&folder, "configs/eval/x.toml", "configs/eval/x.toml");
        assert_eq!(found, expected, "{text}");
        assert_eq!(verdict, if expected.is_empty() { "ok" } else { "rejected" }, "{text}");
    }
    // The command selects the platform as well; then the project's verifiers is irrelevant.
    let lock = lock("0.1.11");
    let folder = Folder::repository(&[
        ("uv.lock", &lock),
        ("x.toml", "save_results = true\n[[eval]]\nenv_id = \"gsm8k\"\nsampling = { top_p = 1 }\n"),
    ]);
    let here = folder.run("check --format concise -- prime eval run x.toml --hosted");
    assert!(here.stdout.contains("`save_results`") && !here.stdout.contains("`sampling`"), "{here:?}");
    let local = folder.run("check --format concise -- uv run vf-eval x.toml");
    assert!(local.stdout.contains("sampling") && !local.stdout.contains("`save_results`"), "{local:?}");
}

#[test]
fn an_error_of_many_endpoints_is_one_finding() {
    let endpoint = |name: &str, ty: &str| {
        format!("[[endpoint]]\nendpoint_id = \"{name}\"\nmodel = \"m\"\nurl = \"https://x/v1\"\nkey = \"KEY\"\ntype = \"{ty}\"\n")
    };
    // An endpoint without the key is used for chat completions.
    let names = [("a", "openai_chat_completions"), ("b", "anthropic_messages"), ("c", "anthropic_messages")];
    let text: String = names.iter().map(|(name, ty)| endpoint(name, ty)).collect();
    for (release, found) in [("0.1.10", vec!["warning PRL214 endpoint[1].type".to_owned()]), ("0.1.12", vec![])] {
        let folder = Folder::repository(&[("uv.lock", &lock(release)), ("configs/endpoints.toml", &text)]);
        assert_eq!(judged(&folder, ".", "endpoints.toml"), ("ok".to_owned(), found), "{release}");
        if release == "0.1.10" {
            insta::assert_snapshot!("a_key_of_two_endpoints_that_the_release_lacks", folder.run("check .").stdout);
        }
    }
}

#[test]
fn an_evaluation_without_a_file_is_recognized() {
    let folder = Folder::new(&[]);
    for words in ["prime eval run a/b -n 5", "uv run vf-eval gsm8k -n 5", "prime eval list", "uvx prime pods list --limit 5"] {
        let ended = folder.run(&format!("check --format concise -- {words}"));
        assert!(ended.status == Some(0) && ended.stdout.contains("PRL010"), "{words}: {ended:?}");
        assert!(!ended.stdout.contains("PRL011"), "{words}: {ended:?}");
    }
}

/// The class of typed evaluations, as verifiers 0.4.0 has one.
const TYPED: &str = "from pydantic import Field, AliasChoices\nfrom pydantic_config import BaseConfig\n\n\nclass Select(BaseConfig):\n    \
                     limit: int | None = Field(None, ge=1)\n\n\nclass EvalConfig(BaseConfig):\n    model: str = \"x/y\"\n    \
                     select: Select = Select()\n    group_size: int = Field(1, ge=1, validation_alias=AliasChoices(\"group_size\", \"r\"))\n";

#[test]
fn a_typed_evaluation_is_read_by_the_verifiers_of_the_project() {
    let library = ".venv/lib/python3.12/site-packages/verifiers";
    let folder = Folder::repository(&[
        (&format!("{library}/__init__.py"), ""),
        (&format!("{library}/v1/__init__.py"), ""),
        (&format!("{library}/v1/configs/__init__.py"), ""),
        (&format!("{library}/v1/configs/cli/__init__.py"), ""),
        (&format!("{library}/v1/configs/cli/eval.py"), TYPED),
        ("right.toml", "model = \"a/b\"\nr = 4\n[select]\nlimit = 5\n"),
        ("wrong.toml", "num_tasks = 4\n[select]\nlimit = 0\n"),
    ]);
    assert_eq!(judged(&folder, "-- uv run vf-eval @ right.toml", "<command line>"), ("ok".to_owned(), vec![]));
    let (verdict, found) = judged(&folder, "-- uv run vf-eval gsm8k @ wrong.toml -n 5", "<command line>");
    assert_eq!(
        (&*verdict, found),
        ("rejected", vec!["error PRL106 select.limit".to_owned(), "error PRL101 num_tasks".to_owned()])
    );
    // The file alone is one for this verifiers too, as the project has no prime-rl.
    assert_eq!(judged(&folder, "--kind eval right.toml", "right.toml"), ("ok".to_owned(), vec![]));
    assert_eq!(judged(&folder, "--kind eval wrong.toml", "wrong.toml").0, "rejected");
    // What a release before typed evaluations does with the sign is known.
    let folder = Folder::repository(&[("uv.lock", &lock("0.3.1")), ("right.toml", "model = \"a/b\"\n")]);
    let said = folder.run("check --format concise -- uv run vf-eval @ right.toml");
    assert!(said.stdout.contains("verifiers 0.3.1 takes `@` for the name of an environment"), "{said:?}");
}

#[test]
fn the_program_of_the_platform_evaluates_nothing_locally() {
    let list = "[[eval]]\nenv_id = \"gsm8k\"\n";
    let folder = Folder::repository(&[("x.toml", list)]);
    assert_eq!(judged(&folder, "-- prime eval run x.toml", "<command line>").1, ["warning PRL018 "]);
    assert_eq!(judged(&folder, "-- prime eval run x.toml --hosted", "<command line>").1, Vec::<String>::new());
    for (version, number) in [("0.7.7", 0), ("0.18.0", 1)] {
        let folder = Folder::repository(&[("uv.lock", &lock(version).replace("verifiers", "prime")), ("x.toml", list)]);
        assert_eq!(judged(&folder, "-- prime eval run x.toml", "<command line>").1.len(), number, "{version}");
    }
}

/// `eval` is prime-rl's own again after the last known commit.
#[test]
fn an_evaluation_of_a_later_prime_rl_is_checked_by_what_is_known_of_it() {
    let text = "model = \"a/b\"\nnum_examples = 5\n[client]\nbase_url = \"http://localhost:8000/v1\"\nskip_model_check = true\n\
                [sampling]\nmin_p = 0.1\n[[source]]\nenv.taskset.id = \"gsm8k\"\nenv.agent.harness.id = \"bash\"\n";
    let folder = Folder::new(&[("eval.toml", text), ("slip.toml", &text.replace("num_examples", "num_exmaples"))]);
    let verdict = |name: &str, target: &str| folder.reported(&format!("{name} {target}"), name)["verdict"].clone();
    for target in ["", "--target main", "--target 2026-10-01"] {
        assert_eq!(verdict("eval.toml", target), "depends", "{target}");
        assert_eq!(verdict("slip.toml", target), "rejected", "{target}");
    }
    assert_eq!(verdict("eval.toml", "--target 0.8.0"), "rejected");
    let found = folder.reported("slip.toml", "slip.toml")["diagnostics"].clone();
    assert!(found.as_array().into_iter().flatten().any(|found| found["help"] == "did you mean `num_examples`?"), "{found:#}");
}

#[test]
fn a_list_without_evaluations_is_refused() {
    let folder = Folder::new(&[("list.toml", "model = \"a\"\n")]);
    let ended = folder.run("check -- vf-eval list.toml");
    assert!(ended.status == Some(1) && ended.stdout.contains("there is no `[[eval]]`"), "{ended:?}");
}

#[test]
fn the_release_that_is_installed_decides() {
    let list = "model = \"m\"\n[[eval]]\nenv_id = \"gsm8k\"\n";
    let installed = ".venv/lib/python3.11/site-packages/verifiers-0.4.0.dist-info/METADATA";
    let folder = Folder::new(&[("old.toml", list), ("pyproject.toml", ""), (installed, "Name: verifiers\n")]);
    let ended = folder.run("check -- vf-eval old.toml");
    assert!(ended.status == Some(1) && ended.stdout.contains("verifiers 0.4.0 has no loader of lists"), "{ended:?}");
}
