//! Classes of packages: read from their sources if the project contains these, and otherwise unknown.

use serde_json::{Value, json};

use super::{Ended, Folder};

/// A package whose taskset has its own keys and a check.
const TASKSET: &str = r#"
from typing import Literal

import verifiers.v1 as vf
from pydantic import Field, model_validator


class TaskConfig(vf.TaskConfig):
    points: int = 1


class Config(vf.TasksetConfig):
    split: Literal["train", "bench"] = "train"
    count: int = Field(10, ge=1)
    low: int = 0
    high: int = 5
    task: TaskConfig = TaskConfig()

    @model_validator(mode="after")
    def check_range(self):
        if self.low > self.high:
            raise ValueError(f"{self.low} > {self.high}")
        return self


class Tasks(vf.Taskset[vf.Task, Config]):
    def load(self):
        return []
"#;

const EXPORT: &str = "from my_tasks.taskset import Tasks\n\n__all__ = [\"Tasks\"]\n";

/// An orchestrator config for 0.8.0 with one environment that has these lines.
fn config(environment: &str) -> String {
    format!("# /// config\n# kind = \"orchestrator\"\n# prime_rl = \"0.8.0\"\n# ///\n\n[[train.source]]\n{environment}\n")
}

/// A project with a package at `path` and a config that uses its taskset with these lines.
fn project(path: &str, taskset: &str) -> Folder {
    let module = |name: &str| format!("{path}/{name}");
    let text = config(&format!("env.taskset.id = \"my-tasks\"\n{taskset}"));
    Folder::repository(&[("configs/orch.toml", &*text), (&*module("__init__.py"), EXPORT), (&*module("taskset.py"), TASKSET)])
}

/// The verdict on the config, and its findings: code, key, and the type of prime-rl's error.
fn judged(folder: &Folder) -> (String, Vec<(String, String, Value)>) {
    let ended: Ended = folder.run("check --format json configs/orch.toml");
    let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let file = &report["files"][0];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let found = file["diagnostics"].as_array().expect("findings").iter();
    let found = found.filter(|found| text(&found["code"]).starts_with("PRL1"));
    (text(&file["verdict"]), found.map(|one| (text(&one["code"]), text(&one["key"]), one["native"]["type"].clone())).collect())
}

const HOME: &str = "environments/my_tasks/my_tasks";

#[test]
fn the_keys_of_a_package_in_the_project_are_known() {
    let fits = "env.taskset.split = \"bench\"\nenv.taskset.count = 3\nenv.taskset.task.points = 2";
    for home in [
        HOME,
        "environments/my_tasks/src/my_tasks",
        "environments/my-tasks/my_tasks",
        "src/my_tasks",
        ".venv/lib/python3.12/site-packages/my_tasks",
    ] {
        assert_eq!(judged(&project(home, fits)), ("ok".to_owned(), Vec::new()), "{home}");
    }
    // The environment links to a package in a folder that is not searched.
    let linked = project(".other/my_tasks", fits);
    linked.write(".venv/lib/python3.12/site-packages/my_tasks.pth", b"../../../../.other\n");
    assert_eq!(judged(&linked), ("ok".to_owned(), Vec::new()));
    assert_is_absent(&project(".other/my_tasks", fits), "not linked");
}

/// Asserts that the package of the config is not found.
#[track_caller]
fn assert_is_absent(folder: &Folder, about: &str) {
    let (verdict, found) = judged(folder);
    let codes: Vec<&str> = found.iter().map(|(code, ..)| &**code).collect();
    assert_eq!((&*verdict, codes), ("depends", vec!["PRL114", "PRL113", "PRL113", "PRL113"]), "{about}");
}

#[test]
fn a_package_anywhere_in_the_project_is_found() {
    let fits = "env.taskset.split = \"bench\"\nenv.taskset.count = 3\nenv.taskset.task.points = 2";
    let found = ("ok".to_owned(), Vec::new());
    for home in [
        "my_tasks",
        "other/my_tasks",
        "packages/x/my_tasks",
        "mine/src/my_tasks",
        "packages/envs/x/src/my_tasks",
        "my-tasks/my_tasks",
        "configs/my_tasks",
    ] {
        assert_eq!(judged(&project(home, fits)), found, "{home}");
    }
    // A module that is one file.
    let text = config(&format!("env.taskset.id = \"my-tasks\"\n{fits}"));
    let module = format!("{TASKSET}\n__all__ = [\"Tasks\"]\n");
    let single = Folder::repository(&[("configs/orch.toml", &*text), ("envs/foo/my_tasks.py", &*module)]);
    assert_eq!(judged(&single), found);
    // A module of the same name that is no environment, and one inside a package, are others.
    let both = project("envs/foo/my_tasks", fits);
    both.write("lib/my_tasks.py", b"def helper(): ...\n");
    both.write("inner/pack/__init__.py", b"");
    both.write("inner/pack/my_tasks.py", TASKSET.replace("count", "number").as_bytes());
    assert_eq!(judged(&both), found);
    // Of two environments, the distribution with the name of the id is meant.
    both.write("else/my_tasks.py", TASKSET.replace("count", "number").as_bytes());
    assert_is_absent(&both, "either can be meant");
    both.write("envs/foo/pyproject.toml", b"[project]\nname = \"My_Tasks\"\n");
    assert_eq!(judged(&both), found);
}

#[test]
fn what_is_no_environment_of_the_project_is_not_found() {
    let fits = "env.taskset.split = \"bench\"\nenv.taskset.count = 3\nenv.taskset.task.points = 2";
    for home in ["a/b/c/d/e/my_tasks", "node_modules/my_tasks", "my_tasks_2", "my-tasks"] {
        assert_is_absent(&project(home, fits), home);
    }
    let folder = project("a/my_tasks", fits);
    folder.write("a/__init__.py", b"");
    assert_is_absent(&folder, "a part of a package");
    let folder = project("a/my_tasks", fits);
    folder.write("a/my_tasks/taskset.py", b"");
    folder.write("a/my_tasks/__init__.py", b"class Tasks: ...\n");
    assert_is_absent(&folder, "no environment");
}

#[test]
fn errors_of_a_package_class_are_at_the_same_key() {
    let at = |key: &str| format!("train.source[0].env.taskset.{key}");
    for (given, code, key, kind) in [
        ("env.taskset.nope = 1", "PRL101", "nope", "extra_forbidden"),
        ("env.taskset.count = 0", "PRL106", "count", "greater_than_equal"),
        ("env.taskset.count = \"many\"", "PRL105", "count", "int_parsing"),
        ("env.taskset.split = \"tset\"", "PRL107", "split", "literal_error"),
        ("env.taskset.task.points = []", "PRL104", "task.points", "int_type"),
        ("env.taskset.task.nope = 1", "PRL101", "task.nope", "extra_forbidden"),
    ] {
        let (verdict, found) = judged(&project(HOME, given));
        assert_eq!((&*verdict, found), ("rejected", vec![(code.to_owned(), at(key), json!(kind))]), "{given}");
    }
}

#[test]
fn a_package_check_decides_only_if_its_values_are_known() {
    let (verdict, found) = judged(&project(HOME, "env.taskset.low = 3"));
    assert_eq!((&*verdict, found.len()), ("depends", 1));
    assert_eq!((&*found[0].0, &*found[0].1), ("PRL113", "train.source[0].env.taskset"));
    assert_eq!(judged(&project(HOME, "env.taskset.count = 3")).0, "ok");
}

#[test]
fn without_a_source_only_keys_of_prime_rl_are_judged() {
    let folder = Folder::new(&[("configs/orch.toml", &*config("env.taskset.id = \"elsewhere\""))]);
    let (verdict, found) = judged(&folder);
    assert_eq!((&*verdict, found.len(), &*found[0].0), ("ok", 1, "PRL114"));
    let more = config("env.taskset.id = \"elsewhere\"\nenv.taskset.own = 1\nenv.taskset.task = 1");
    let (verdict, found) = judged(&Folder::new(&[("configs/orch.toml", &*more)]));
    let codes: Vec<&str> = found.iter().map(|(code, ..)| &**code).collect();
    assert_eq!((&*verdict, codes), ("rejected", vec!["PRL104", "PRL114", "PRL113"]));
}

#[test]
fn an_unsupported_class_is_unknown_with_a_reason() {
    let mut reasons = String::new();
    for text in [
        "import verifiers.v1 as vf\n",
        "def broken(:\n",
        "import other\nimport verifiers.v1 as vf\nclass C(other.Base, vf.TasksetConfig):\n    pass\nclass Tasks(vf.Taskset[vf.Task, C]):\n    pass\n",
    ] {
        let folder = project(HOME, "env.taskset.own = 1");
        folder.write("environments/my_tasks/my_tasks/taskset.py", text.as_bytes());
        let ended = folder.run("check --format json configs/orch.toml");
        let report: Value = serde_json::from_str(&ended.stdout).expect("a document");
        assert_eq!(report["files"][0]["verdict"], "depends", "{text}: {report:#}");
        let found = report["files"][0]["diagnostics"].as_array().expect("findings");
        let unread = found.iter().find(|found| found["code"] == "PRL114").expect("what is not known is told");
        let help = unread["help"].as_str().expect("the reason");
        assert!(help.contains(".py:"), "{text}: {help}");
        reasons += &format!("{help}\n");
    }
    insta::assert_snapshot!("unsupported_classes_of_packages", reasons);
}

#[test]
fn the_environment_of_a_taskset_is_read_with_it() {
    let environment =
        "\nclass EnvConfig(vf.SingleAgentEnvConfig):\n    rounds: int = 1\n\n\nclass Game(vf.Env[EnvConfig]):\n    pass\n";
    let with = |given: &str| {
        let folder = project(HOME, given);
        folder.write("environments/my_tasks/my_tasks/taskset.py", format!("{TASKSET}{environment}").as_bytes());
        let export = "from my_tasks.taskset import Game, Tasks\n\n__all__ = [\"Tasks\", \"Game\"]\n";
        folder.write("environments/my_tasks/my_tasks/__init__.py", export.as_bytes());
        judged(&folder)
    };
    assert_eq!(with("env.rounds = 2\nenv.taskset.count = 2").0, "ok");
    let (verdict, found) = with("env.rounds = \"two\"");
    assert_eq!((&*verdict, &*found[0].1, found.len()), ("rejected", "train.source[0].env.rounds", 1));
    // Without a class of its own, the environment has prime-rl's class, which does not have the key.
    let (verdict, found) = judged(&project(HOME, "env.rounds = 2"));
    assert_eq!((&*verdict, &*found[0].0, &*found[0].1), ("rejected", "PRL101", "train.source[0].env.rounds"));
}

#[test]
fn a_possible_class_of_the_role_does_not_refuse_a_key() {
    for (export, more) in [
        // The environment class of another package may be re-exported.
        ("from my_tasks.taskset import Tasks\nfrom elsewhere import Game\n\n__all__ = [\"Tasks\", \"Game\"]\n", ""),
        (
            "from my_tasks.taskset import Tasks, Game\n\n__all__ = [\"Tasks\", \"Game\"]\n",
            "\nimport elsewhere\nclass Game(elsewhere.Game):\n    pass\n",
        ),
        ("from my_tasks.taskset import *\nimport os\n__all__ = [\"Tasks\"] if os.environ else []\n", ""),
    ] {
        let folder = project(HOME, "env.rounds = 2");
        folder.write("environments/my_tasks/my_tasks/taskset.py", format!("{TASKSET}{more}").as_bytes());
        folder.write("environments/my_tasks/my_tasks/__init__.py", export.as_bytes());
        assert_eq!(judged(&folder).0, "depends", "{export}");
    }
}

#[test]
fn an_id_reads_no_other_folder() {
    for id in ["../.hidden/my_tasks", ".hidden/my_tasks", ".hidden.my_tasks", "/etc/passwd", "..", ".hidden", "a\\b"] {
        let folder = project(".hidden/my_tasks", "");
        folder.write("configs/orch.toml", config(&format!("env.taskset.id = '{id}'\nenv.taskset.own = 1")).as_bytes());
        // prime-rl does not accept some of these as package names either.
        let (verdict, found) = judged(&folder);
        assert!(verdict != "ok" && !found.iter().any(|(code, ..)| code == "PRL101"), "{id}: {found:?}");
    }
}

/// An environment that a function creates.
const FUNCTION: &str = r#"
from typing import Literal, Optional

import verifiers as vf


def load_environment(
    corpus: str,
    split: Literal["train", "bench"] = "bench",
    turns: int = 3,
    judge: Optional[str] = None,
    KWARGS
) -> vf.Environment:
    async def reward(completion) -> float:
        return float(turns)

    return vf.SingleTurnEnv(corpus, split, judge, rubric=reward)
"#;

/// The findings on an environment's arguments in a config for 0.4.0: code, severity, message and help.
fn of_arguments(source: &str, given: &str) -> Vec<String> {
    let config = format!(
        "max_steps = 10\n[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"me/my-env\"\n[orchestrator.env.args]\n{given}\n"
    );
    let folder = Folder::new(&[("rl.toml", &*config), ("environments/my_env/my_env.py", source), ("pyproject.toml", "")]);
    let ended = folder.run("check --format json --target 0.4.0 rl.toml");
    let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let found = report["files"][0]["diagnostics"].as_array().expect("findings").iter();
    let found = found.filter(|found| found["code"].as_str().is_some_and(|code| code.starts_with("PRL5")));
    found.map(|found| format!("{} {} {}", found["code"], found["severity"], found["key"]).replace('"', "")).collect()
}

#[test]
fn the_arguments_of_an_environment_are_those_of_its_function() {
    let strict = FUNCTION.replace("    KWARGS\n", "");
    let at = |name: &str| format!("orchestrator.env[0].args.{name}");
    for (given, expected) in [
        ("corpus = \"x\"\nsplit = \"train\"\nturns = 4\njudge = \"gpt\"", Vec::new()),
        // The type of the default determines the type of the argument.
        ("corpus = \"x\"", vec![format!("PRL503 warning {}", at("split"))]),
        ("split = \"train\"\nturns = 4", vec![format!("PRL510 error {}", at("corpus"))]),
        ("corpus = \"x\"\nsplit = \"train\"\nturn = 4", vec![format!("PRL501 error {}", at("turn"))]),
        (
            "corpus = \"x\"\nsplit = \"train\"\nturns = \"four\"\njudge = 1",
            vec![format!("PRL502 warning {}", at("turns")), format!("PRL502 warning {}", at("judge"))],
        ),
        ("corpus = \"x\"\nsplit = \"tset\"", vec![format!("PRL502 warning {}", at("split"))]),
    ] {
        assert_eq!(of_arguments(&strict, given), expected, "{given}");
    }
}

#[test]
fn other_arguments_may_be_dropped_or_passed_on() {
    let dropped = FUNCTION.replace("KWARGS", "**kwargs,");
    assert_eq!(
        of_arguments(&dropped, "corpus = \"x\"\nsplit = \"train\"\nturn = 4"),
        ["PRL501 warning orchestrator.env[0].args.turn"]
    );
    for handed_on in ["rubric=reward, **kwargs)", "rubric=kwargs.pop('rubric', reward))"] {
        let source = dropped.replace("rubric=reward)", handed_on);
        assert_eq!(of_arguments(&source, "corpus = \"x\"\nsplit = \"train\"\nturn = 4"), Vec::<String>::new(), "{handed_on}");
    }
}

#[test]
fn an_unsupported_function_has_no_findings() {
    let plain = FUNCTION.replace("    KWARGS\n", "");
    for source in [
        plain.replace("def load_environment", "@wrapped\ndef load_environment"),
        plain.replace("def load_environment", "def other"),
        "import verifiers as vf\ndef load_environment(config: vf.EnvConfig) -> vf.Environment:\n    pass\n".to_owned(),
        plain.replace("    corpus: str,\n", "    corpus: str, /,\n"),
        "import os\nif os.environ:\n    def load_environment():\n        pass\n".to_owned(),
        "def load_environment(:\n".to_owned(),
    ] {
        assert_eq!(of_arguments(&source, "turn = 4"), Vec::<String>::new(), "{source}");
    }
}

#[test]
fn the_keys_of_a_package_are_shown() {
    let folder = project(HOME, "");
    folder.write("environments/my_env/my_env.py", FUNCTION.replace("KWARGS", "**kwargs,").as_bytes());
    let ended = folder.run("env --target 0.8.0 --format json me/my-tasks");
    let shown: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let taskset = &shown["parts"][0];
    assert_eq!((&taskset["what"], &taskset["name"]), (&json!("taskset"), &json!("Config")));
    assert_eq!(taskset["place"], "environments/my_tasks/my_tasks/taskset.py:12");
    let keys: Vec<&str> = taskset["keys"].as_array().expect("keys").iter().filter_map(|key| key["key"].as_str()).collect();
    assert!(["count", "split", "low", "task.points", "id"].iter().all(|key| keys.contains(key)), "{keys:?}");
    assert_eq!(taskset["checks"][0]["reads"], json!(["high", "low"]));
    let ended = folder.run("env my-env");
    assert_eq!(ended.status, Some(0));
    insta::assert_snapshot!("the_arguments_of_a_package", ended.stdout);
    let ended = folder.run("env nowhere");
    assert_eq!(ended.status, Some(2));
    insta::assert_snapshot!("a_package_without_a_source", ended.stderr);
}

/// The commit of verifiers that the newest known prime-rl uses.
const VERIFIERS: &str = "a60a606ecc4d309247edf9ff92c3eabca362781f";

/// A lock file with the taskset `reverse-text` from a source.
fn locked(source: &str) -> String {
    format!("version = 1\n\n[[package]]\nname = \"reverse-text\"\nversion = \"0.1.0\"\nsource = {{ {source} }}\n\n")
}

/// A project that uses the taskset `reverse-text` with these lines, with these files as well.
fn reversing(taskset: &str, files: &[(&str, &str)]) -> Folder {
    let text = config(&format!("env.taskset.id = \"reverse-text\"\n{taskset}"));
    let own = [("configs/orch.toml", &*text)];
    Folder::repository(&[own.as_slice(), files].concat())
}

const FITS: &str = "env.taskset.dataset_split = \"test\"";

#[test]
fn an_environment_of_verifiers_is_that_of_the_commit_in_the_lock_file() {
    let at = |commit: &str| {
        locked(&format!("git = \"https://x/verifiers.git?subdirectory=environments%2Freverse_text&rev=main#{commit}\""))
    };
    let lock = at(VERIFIERS);
    assert_eq!(judged(&reversing(FITS, &[("uv.lock", &lock)])), ("ok".to_owned(), Vec::new()));
    for (given, code, key, kind) in [
        ("env.taskset.dataset_splits = \"test\"", "PRL101", "dataset_splits", "extra_forbidden"),
        ("env.taskset.dataset_name = 5", "PRL104", "dataset_name", "string_type"),
    ] {
        let (verdict, found) = judged(&reversing(given, &[("uv.lock", &lock)]));
        let key = format!("train.source[0].env.taskset.{key}");
        assert_eq!((&*verdict, found), ("rejected", vec![(code.to_owned(), key, json!(kind))]), "{given}");
    }
    let elsewhere = "git = \"https://x/mine?subdirectory=environments%2Freverse_text#";
    for other in [
        &*at("0000000000000000000000000000000000000000"),
        &locked(&format!("{elsewhere}{VERIFIERS}\"")),
        &locked("registry = \"https://x/simple\""),
        "version = 1\n",
    ] {
        let (verdict, found) = judged(&reversing(FITS, &[("uv.lock", other)]));
        let codes: Vec<&str> = found.iter().map(|(code, ..)| &**code).collect();
        assert_eq!((&*verdict, codes), ("depends", vec!["PRL114", "PRL113"]), "{other}");
    }
    // The source of a package takes precedence.
    let source = [("uv.lock", &*lock), ("src/reverse_text/__init__.py", EXPORT), ("src/my_tasks/taskset.py", TASKSET)];
    assert_eq!(judged(&reversing("env.taskset.count = 3", &source)).0, "ok");
    let shown = reversing("", &[("uv.lock", &lock)]).run("env --target 0.8.0 reverse-text");
    assert_eq!(shown.status, Some(0), "{shown:?}");
    for part in ["dataset_split", "deps/verifiers/environments/reverse_text at a60a606ec"] {
        assert!(shown.stdout.contains(part), "{part}: {shown:?}");
    }
}

#[test]
fn an_environment_of_verifiers_is_that_of_the_submodule() {
    let modules = "[submodule \"deps/verifiers\"]\n\tpath = deps/verifiers\n\turl = ../verifiers.git\n";
    let folder = reversing(FITS, &[(".gitmodules", modules)]);
    assert_eq!(judged(&folder).0, "depends");
    let link = format!("160000,{VERIFIERS},deps/verifiers");
    let linked = folder.program("git").args(["update-index", "--add", "--cacheinfo", &link]).status();
    assert!(linked.is_ok_and(|status| status.success()));
    assert_eq!(judged(&folder), ("ok".to_owned(), Vec::new()));
    // If it is checked out, its sources decide: here it has no such package.
    folder.write("deps/verifiers/verifiers/__init__.py", b"");
    assert_eq!(judged(&folder).0, "depends");
}

/// Classes that come with verifiers have the types of their time, even without sources.
#[test]
fn keys_of_built_in_verifiers_packages_have_types() {
    let config = |taskset: &str, harness: &str| {
        format!(
            "max_steps = 5\n[trainer]\n[inference]\n[orchestrator]\n[[orchestrator.train.source]]\nname = \"a\"\n\
            [orchestrator.train.source.env.taskset]\n{taskset}\n[orchestrator.train.source.env.agent.harness]\n{harness}\n"
        )
    };
    let harbor = "id = \"harbor\"";
    for (taskset, harness, expected) in [
        (harbor, "id = \"codex\"\nversion = \"0.146.1\"\nmulti_agent = true", None),
        (harbor, "id = \"codex\"\nmulti_agent = \"perhaps\"", Some("PRL105 agent.harness.multi_agent")),
        (harbor, "id = \"codex\"\nmulti_agents = true", Some("PRL101 agent.harness.multi_agents")),
        (harbor, "id = \"rlm\"\nmax_depth = 2\nsummarize_at_tokens = [1000, 2000]", None),
        (harbor, "id = \"rlm\"\nmax_depth = \"deep\"", Some("PRL105 agent.harness.max_depth")),
        (harbor, "id = \"rlm\"\nsummarize_at_tokens = [2000, 1000]", Some("PRL202 agent.harness.summarize_at_tokens")),
        (harbor, "id = \"rlm\"\ndisabled_tools = [\"bash\"]", Some("PRL202 agent.harness.disabled_tools")),
        ("id = \"harbor\"\ntimeout_multiplier = 0", "id = \"null\"", Some("PRL106 taskset.timeout_multiplier")),
        ("id = \"harbor\"\ntasks = [\"a\", \"b\"]\ntimeout_multiplier = 2", "id = \"bash\"", None),
        // The keys of another package are unknown.
        ("id = \"my-tasks\"", "id = \"my-harness\"\nanything = 1", None),
    ] {
        let folder = Folder::new(&[("rl.toml", &config(taskset, harness))]);
        let ended = folder.run("check --target 559b44772 --format json rl.toml");
        let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
        let found = report["files"][0]["diagnostics"].as_array().expect("a list").iter();
        let found: Vec<String> = found
            .filter(|found| !found["native"].is_null())
            .map(|found| {
                let key = found["key"].as_str().unwrap_or_default().rsplit(".env.").next().unwrap_or_default().to_owned();
                format!("{} {key}", found["code"].as_str().unwrap_or_default())
            })
            .collect();
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{taskset}\n{harness}\n{ended:?}");
    }
}
