//! The prime-rl for which a config is checked, and the findings if it is unknown, newer than the history, or assumed.

use serde_json::{Value, json};

use super::{
    CLEAN, Ended, Folder, MISSPELT,
    schema::{folder_with, small_prime_rl},
};

#[track_caller]
fn document(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
}

/// The file at this path in a report.
fn file<'d>(document: &'d Value, path: &str) -> &'d Value {
    let mut files = document["files"].as_array().expect("files").iter();
    files.find(|file| file["path"] == path).unwrap_or_else(|| panic!("{path} is in {document:#}"))
}

#[test]
fn an_unknown_prime_rl_has_no_verdict() {
    let pin = "[project]\ndependencies = [\"prime-rl @ git+https://github.com/me/prime-rl@0123456789012345678901234567890123456789\"]\n";
    let folder = Folder::new(&[("pyproject.toml", pin), ("rl.toml", MISSPELT), ("half.toml", "[trainer\n[orchestrator]\n")]);
    let ended = folder.run("check --format json rl.toml");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let report = document(&ended);
    let config = file(&report, "rl.toml");
    assert_eq!((&config["kind"], &config["target"], &config["verdict"]), (&json!("rl"), &Value::Null, &json!("depends")));
    assert_eq!(config["diagnostics"], json!([]));
    let said = &file(&report, "pyproject.toml")["diagnostics"];
    assert_eq!(said.as_array().map(Vec::len), Some(1), "{said:#}");
    assert_eq!((&said[0]["code"], &said[0]["severity"]), (&json!("PRL012"), &json!("info")));
    // Text that is not TOML is invalid at every version.
    let report = document(&folder.run("check --format json half.toml"));
    assert_eq!(file(&report, "half.toml")["verdict"], "rejected");
    // A stated target is used.
    let report = document(&folder.run("check --format json --target 0.4.0 rl.toml"));
    assert_eq!(file(&report, "rl.toml")["diagnostics"][0]["code"], "PRL101");
}

#[test]
fn a_key_that_a_newer_prime_rl_may_accept_is_a_warning() {
    let text = format!("max_steps = \"many\"\n{MISSPELT}");
    let folder = Folder::new(&[("rl.toml", MISSPELT), ("wrong.toml", &text)]);
    let ended = folder.run("check --format json --target 0.9.0 rl.toml");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let report = document(&ended);
    let config = file(&report, "rl.toml");
    assert_eq!((&config["target"], &config["verdict"]), (&json!("0.9.0"), &json!("depends")));
    for finding in config["diagnostics"].as_array().expect("findings") {
        assert_eq!((&finding["severity"], &finding["native"]), (&json!("warning"), &Value::Null), "{finding:#}");
        let help = finding["help"].as_str().expect("help");
        insta::assert_snapshot!("a_newer_target", help);
    }
    assert_eq!(file(&report, "--target")["diagnostics"][0]["code"], "PRL016");
    // A value of a wrong type is also wrong at a newer target.
    let ended = folder.run("check --format json --target 0.9.0 wrong.toml");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert_eq!(file(&document(&ended), "wrong.toml")["verdict"], "rejected");
}

/// Runs `cfg` in a folder in which only `file` was committed, on this day.
fn committed(folder: &Folder, file: &str, day: &str) -> impl Fn(&str) -> Ended {
    let path = std::env::var_os("PATH").expect("there is one");
    for words in ["init -q", &format!("add {file}"), "-c user.name=t -c user.email=t@t commit -q -m first"] {
        let mut git = folder.program("git");
        git.args(words.split(' ')).env("PATH", &path).env("GIT_COMMITTER_DATE", format!("{day}T12:00:00Z"));
        assert!(git.status().expect("git runs").success());
    }
    move |words| super::finish(folder.command(words).env("PATH", &path), b"")
}

#[test]
fn the_newest_release_on_the_day_of_the_last_commit_is_assumed() {
    let folder = Folder::new(&[("rl.toml", CLEAN), ("new.toml", CLEAN)]);
    let run = committed(&folder, "rl.toml", "2026-02-20");
    insta::assert_snapshot!("the_release_on_the_day_of_a_commit", run("check rl.toml").stdout);
    let newest = cfg_schema::Target::newest_release(cfg_schema::History::built_in()).name;
    let report = document(&run("check --format json rl.toml new.toml"));
    assert_eq!((&file(&report, "rl.toml")["target"], &file(&report, "new.toml")["target"]), (&json!("0.4.0"), &json!(newest)));
}

/// The newest release of that day is only assumed: a key that the main line had between releases is not an error.
#[test]
fn a_key_of_another_version_makes_the_assumed_target_doubtful() {
    // A key of 0.5.0, which is a later release; and a key that no prime-rl accepts.
    let of_main = "clean_output_dir = true\n[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"reverse-text\"\n";
    let wrong = format!("nonsense = 1\n{of_main}");
    let folder = Folder::new(&[("rl.toml", of_main), ("wrong.toml", &wrong)]);
    let run = committed(&folder, ".", "2026-03-29");
    let codes = |report: &Value, path: &str| -> Vec<String> {
        let found = file(report, path)["diagnostics"].as_array().expect("findings").iter();
        found.map(|found| format!("{} {}", found["severity"], found["code"]).replace('"', "")).collect()
    };
    let report = document(&run("check --format json rl.toml wrong.toml"));
    assert_eq!(codes(&report, "rl.toml"), ["warning PRL013"]);
    assert_eq!(file(&report, "rl.toml")["verdict"], "depends");
    assert_eq!(codes(&report, "wrong.toml"), ["error PRL101"]);
    assert_ne!(file(&report, "wrong.toml")["target"], "0.4.0");
    let said = run("check wrong.toml").stdout;
    insta::assert_snapshot!(
        "the_release_with_the_most_keys",
        said.lines().find(|line| line.starts_with("Found")).expect("a summary")
    );
}

/// What is newer than the history may be for a prime-rl that is newer as well: no known commit is advised.
#[test]
fn a_file_newer_than_the_history_is_not_pinned_to_a_known_commit() {
    let of_main = "[monitors.wandb]\nproject = \"x\"\n[trainer]\n[orchestrator]\n[[orchestrator.train.source]]\nenv.taskset.id = \"reverse-text\"\n";
    for (day, way) in [("2026-08-21", "--target 559b44772"), ("2099-01-01", "--target path:CHECKOUT")] {
        let folder = Folder::new(&[("rl.toml", of_main)]);
        let run = committed(&folder, ".", day);
        let report = document(&run("check --format json rl.toml"));
        let found = &file(&report, "rl.toml")["diagnostics"][0];
        assert_eq!(found["code"], "PRL013", "{report:#}");
        let help = found["help"].as_str().expect("help");
        assert!(help.contains(way), "{day}: {help}");
        assert_eq!(help.contains("559b44772"), day < "2026-09", "{day}: {help}");
    }
}

#[test]
fn another_prime_rl_is_named_only_if_it_accepts_the_file() {
    let old = "trainer_gpu_ids = [1]\ninference_gpu_ids = [0]\n[trainer]\n[orchestrator]\nrollouts_per_example = 8\n[[orchestrator.env]]\nid = \"reverse-text\"\n";
    let wrong = old.replace("= 8", "= \"many\"");
    let folder = Folder::new(&[("old.toml", old), ("wrong.toml", &wrong)]);
    let report = document(&folder.run("check --format json old.toml wrong.toml"));
    let codes = |path: &str| -> Vec<String> {
        let findings = file(&report, path)["diagnostics"].as_array().expect("findings");
        findings.iter().map(|finding| finding["code"].as_str().expect("a code").to_owned()).collect()
    };
    assert_eq!(codes("old.toml"), ["PRL013"]);
    assert!(!codes("wrong.toml").contains(&"PRL013".to_owned()), "{:?}", codes("wrong.toml"));
    let help = file(&report, "old.toml")["diagnostics"][0]["help"].as_str().expect("help");
    let target = help.split("--target ").nth(1).and_then(|rest| rest.split('`').next()).expect("a target");
    let report = document(&folder.run(&format!("check --format json --target {target} old.toml")));
    assert_ne!(file(&report, "old.toml")["verdict"], "rejected");
}

const OWN_TRAINER: &str = "from typing import Annotated\nfrom pydantic import BaseModel, Field\nclass TrainerConfig(BaseModel, extra='forbid'):\n    warp: Annotated[int, Field(ge=1)] = 8\n    swizzle: str = 'x'\n";

/// The sources of a prime-rl decide, wherever they are: in a checkout, in an environment, or at a path on the command line.
#[test]
fn local_sources_decide() {
    let project = "[project]\nname = \"prime-rl\"\nversion = \"0.8.0\"\n";
    let metadata = "Metadata-Version: 2.4\nName: prime-rl\nVersion: 0.8.0\n";
    let good = "warp = 3\nswizzle = \"y\"\n";
    let bad = "warp = 0\nmax_steps = 3\n";
    for (place, more, words, said) in [
        ("", vec![("pyproject.toml", project)], "", "the prime-rl in this folder"),
        (
            ".venv/lib/python3.12/site-packages",
            vec![(".venv/lib/python3.12/site-packages/prime_rl-0.8.0.dist-info/METADATA", metadata)],
            "",
            "the prime-rl in .venv/lib/python3.12/site-packages",
        ),
        (
            "clone/src",
            vec![
                (".venv/lib/python3.12/site-packages/prime_rl-0.8.0.dist-info/METADATA", metadata),
                (".venv/lib/python3.12/site-packages/_prime_rl.pth", "../../../../clone/src\n"),
            ],
            "",
            "clone/src",
        ),
        ("elsewhere", vec![], "--target path:elsewhere", "prime-rl path:elsewhere"),
    ] {
        let moved = |path: String| match path.strip_prefix("fork/src/") {
            Some(below) if place.is_empty() => format!("src/{below}"),
            Some(below) => format!("{place}/{below}"),
            None => path,
        };
        let files: Vec<(String, String)> =
            small_prime_rl(&[("trainer", OWN_TRAINER)]).into_iter().map(|(path, text)| (moved(path), text)).collect();
        let mut texts: Vec<(&str, &str)> = vec![("good.toml", good), ("bad.toml", bad)];
        texts.extend(more);
        let folder = folder_with(&files, &texts);
        let ended = folder.run(&format!("check good.toml --kind trainer {words}"));
        assert_eq!(ended.status, Some(0), "{ended:?}");
        assert!(ended.stdout.contains(said), "{said}: {ended:?}");
        let ended = folder.run(&format!("check bad.toml --kind trainer --format concise {words}"));
        assert_eq!(ended.status, Some(1), "{ended:?}");
        assert!(ended.stdout.contains("bad.toml:1:8") && ended.stdout.contains("bad.toml:2:1"), "{ended:?}");
    }
}

/// A config and the settings can name a checkout, relative to their own folder: one inside their repository, or a git clone of prime-rl next to it.
#[test]
fn a_text_names_a_checkout_in_its_repository_or_a_clone_beside_it() {
    let head = |path: &str| format!("# /// config\n# prime_rl = \"path:{path}\"\n# ///\n");
    let settings = |path: &str| format!("target = \"path:{path}\"\n");
    let (inside, beside) = ("project/vendor/prime-rl", "prime-rl");
    for (place, clone, is_allowed) in [(inside, "", true), (beside, "prime-rl/.git/HEAD", true), (beside, "", false)] {
        let files: Vec<(String, String)> = small_prime_rl(&[("trainer", OWN_TRAINER)])
            .into_iter()
            .map(|(path, text)| (path.replace("fork/", &format!("{place}/")), text))
            .collect();
        let from =
            |folder: &str| format!("{folder}{}", place.strip_prefix("project/").map_or("../prime-rl", |_| "vendor/prime-rl"));
        for (in_settings, in_config) in [(settings(&from("")), String::new()), (String::new(), head(&from("../")))] {
            let (good, bad) = (format!("{in_config}warp = 3\n"), format!("{in_config}warp = 0\n"));
            let mut texts = vec![
                ("project/.git/HEAD", "?"),
                ("project/cfg.toml", &in_settings),
                ("project/configs/good.toml", &good),
                ("project/configs/bad.toml", &bad),
            ];
            texts.extend(Some((clone, "?")).filter(|(clone, _)| !clone.is_empty()));
            let folder = folder_with(&files, &texts);
            let good = folder.run("check --kind trainer project/configs/good.toml");
            let bad = folder.run("check --kind trainer --format concise project/configs/bad.toml");
            assert_eq!(good.status == Some(0), is_allowed, "{place}: {good:?}");
            assert_eq!(bad.stdout.contains(":1:8") || bad.stdout.contains(":4:8"), is_allowed, "{place}: {bad:?}");
            assert_eq!(bad.stdout.contains("PRL012") || bad.stdout.contains("PRL014"), !is_allowed, "{place}: {bad:?}");
        }
    }
}

/// What is not understood in the sources does not cause an error, and is reported.
#[test]
fn unknown_results_are_reported() {
    let open = "from elsewhere import Thing\nfrom pydantic import BaseModel\nclass TrainerConfig(BaseModel, extra='forbid'):\n    warp: Thing = 1\n";
    let folder = folder_with(
        &small_prime_rl(&[("trainer", open)]),
        &[("fork/pyproject.toml", "[project]\nname = \"prime-rl\"\nversion = \"0.8.0\"\n"), ("fork/t.toml", "warp = \"x\"\n")],
    );
    let ended = folder.run("check fork/t.toml --kind trainer");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let told = "trainer.py:4: the source of `elsewhere.Thing` ";
    assert!(ended.stderr.contains(told), "{ended:?}");
    // The same, whether the command line, the settings or the config names it.
    let files = small_prime_rl(&[("trainer", open)]);
    let in_config = "# /// config\n# prime_rl = \"path:fork\"\n# ///\nwarp = \"x\"\n";
    for (text, settings, words) in
        [("warp = \"x\"\n", "", "--target path:fork"), ("warp = \"x\"\n", "target = \"path:fork\"\n", ""), (in_config, "", "")]
    {
        let folder = folder_with(&files, &[("cfg.toml", settings), ("t.toml", text), ("u.toml", text)]);
        let ended = folder.run(&format!("check t.toml u.toml --kind trainer {words}"));
        assert_eq!((ended.status, ended.stderr.matches(told).count()), (Some(0), 1), "{ended:?}");
    }
}

const OWN_CHECK: &str = "from pydantic import BaseModel, model_validator
class ModelConfig(BaseModel, extra='forbid'):
    optim_cpu_offload: bool = False
class TrainerConfig(BaseModel, extra='forbid'):
    model: ModelConfig = ModelConfig()
    max_concurrent_runs: int = 1
    @model_validator(mode='after')
    def validate_optim_cpu_offload_single_run(self):
        return self
";

/// The verdict of the project's own checks on a config, which is the same however their sources are found; and the findings.
fn judged(trainer: &str, config: &str) -> (String, Vec<Value>) {
    let folder = folder_with(
        &small_prime_rl(&[("trainer", trainer)]),
        &[("fork/pyproject.toml", "[project]\nname = \"prime-rl\"\nversion = \"0.8.0\"\n"), ("fork/t.toml", config)],
    );
    let said = ["", "--target path:fork"].map(|words| {
        let report = document(&folder.run(&format!("check fork/t.toml --kind trainer --format json {words}")));
        let file = file(&report, "fork/t.toml");
        let found = file["diagnostics"].as_array().expect("findings").iter();
        let found = found.filter(|found| found["severity"] == "error" || found["code"] == "PRL115").cloned().collect();
        (file["verdict"].as_str().expect("a verdict").to_owned(), found)
    });
    let [unstated, stated] = said;
    assert_eq!(unstated.0, stated.0, "{trainer}");
    unstated
}

const OFFLOADED: &str = "max_concurrent_runs = 2\n\n[model]\noptim_cpu_offload = true\n";

/// A check that differs in the available sources is run from these: here it accepts what the known check refuses.
#[test]
fn a_changed_check_decides_as_it_is_there() {
    assert_eq!(judged(OWN_CHECK, OFFLOADED), ("ok".to_owned(), vec![]));
    let early = OWN_CHECK.replace(
        "        return self\n",
        "        if self.max_concurrent_runs < 3:\n            return self\n        raise ValueError(f'{self.max_concurrent_runs} runs')\n",
    );
    assert_eq!(judged(&early, OFFLOADED).0, "ok");
    let (verdict, found) = judged(&early, "max_concurrent_runs = 3\n");
    assert_eq!((verdict.as_str(), &found[0]["message"]), ("rejected", &Value::from("3 runs")), "{found:?}");
}

/// A check that only the available sources have is run as well. The error has the message of the check, and the keys that it has read.
#[test]
fn a_new_check_decides() {
    let new = OWN_CHECK.replace(
        "        return self\n",
        "        return self\n    @model_validator(mode='after')\n    def no_offload(self):\n        if self.model.optim_cpu_offload:\n            raise ValueError('this fork has no offload')\n        return self\n",
    );
    assert_eq!(judged(&new, "").0, "ok");
    let (verdict, found) = judged(&new, OFFLOADED);
    assert_eq!((verdict.as_str(), found.len()), ("rejected", 1), "{found:?}");
    let found = &found[0];
    assert_eq!(found["message"], "this fork has no offload");
    assert_eq!(
        (&found["key"], &found["range"]["start"]["line"]),
        (&Value::from("model.optim_cpu_offload"), &Value::from(4)),
        "{found}"
    );
    assert_eq!(found["native"]["type"], "value_error");
    assert!(found["help"].as_str().is_some_and(|help| help.contains("trainer.py:13")), "{found}");
}

/// A validator of the raw table is run as well: keys that it moves are read at their new place, and its errors are reported.
#[test]
fn a_new_check_of_the_raw_table_decides() {
    let new = OWN_CHECK.replace(
        "    @model_validator(mode='after')\n",
        "    @model_validator(mode='before')\n    @classmethod\n    def fold_runs(cls, data):\n        if isinstance(data, dict) and 'runs' in data:\n            if 'max_concurrent_runs' in data:\n                raise ValueError(f\"runs = {data.get('runs')} and its old name\")\n            data['max_concurrent_runs'] = data.pop('runs')\n        return data\n    @model_validator(mode='after')\n",
    );
    assert_eq!(judged(&new, "runs = 2\n"), ("ok".to_owned(), vec![]));
    let (verdict, found) = judged(&new, "runs = \"many\"\n");
    assert_eq!((verdict.as_str(), &found[0]["native"]["type"]), ("rejected", &Value::from("int_parsing")), "{found:?}");
    assert_eq!((&found[0]["range"]["start"]["line"], found.len()), (&Value::from(1), 1), "{found:?}");
    let (verdict, found) = judged(&new, "max_concurrent_runs = 2\nruns = 3\n");
    let first = found.iter().find(|one| one["native"]["masked"] == false).expect("what prime-rl says");
    assert_eq!((verdict.as_str(), &first["message"]), ("rejected", &Value::from("runs = 3 and its old name")), "{found:?}");
    assert_eq!((&first["key"], &first["range"]["start"]["line"]), (&Value::from("runs"), &Value::from(2)), "{first}");
}

/// `OWN_CHECK` with this text before its model check, and with this type of `max_concurrent_runs`.
fn with_field(ty: &str, check: &str) -> String {
    let imports =
        "from typing import Annotated\nfrom pydantic import AfterValidator, BeforeValidator, Field, field_validator, BaseModel, ";
    OWN_CHECK
        .replace("from pydantic import BaseModel, ", imports)
        .replace("class ModelConfig", "def half(value):\n    if value == 'none':\n        raise ValueError('no runs')\n    return value if isinstance(value, str) else value // 2\ndef even(value):\n    assert value % 2 == 0, f'{value} is odd'\n    return value\nclass ModelConfig")
        .replace("max_concurrent_runs: int = 1", &format!("max_concurrent_runs: {ty}"))
        .replace("    @model_validator(mode='after')\n", &format!("{check}    @model_validator(mode='after')\n"))
}

/// An unknown check of a single field is run if the field is given; the error has the message of the check.
#[test]
fn a_new_check_of_a_field_decides() {
    let new = with_field(
        "int = 1",
        "    @field_validator('max_concurrent_runs')\n    @classmethod\n    def is_even(cls, value):\n        if value % 2:\n            raise ValueError(f'{value} is odd')\n        return value\n",
    );
    assert_eq!(judged(&new, ""), ("ok".to_owned(), vec![]));
    assert_eq!(judged(&new, "max_concurrent_runs = 2\n"), ("ok".to_owned(), vec![]));
    let (verdict, found) = judged(&new, "max_concurrent_runs = 3\n");
    assert_eq!((verdict.as_str(), found.len(), &found[0]["message"]), ("rejected", 1, &Value::from("3 is odd")), "{found:?}");
    let native = &found[0]["native"];
    assert_eq!(
        (&native["type"], &native["loc"][0], &native["check"]),
        (&"value_error".into(), &"max_concurrent_runs".into(), &"is_even".into())
    );
    assert_eq!((&found[0]["key"], &found[0]["range"]["start"]["line"]), (&"max_concurrent_runs".into(), &1.into()));
    // A value that the type refuses is not checked further.
    let (_, found) = judged(&new, "max_concurrent_runs = \"x\"\n");
    assert_eq!((found.len(), &found[0]["native"]["type"]), (1, &Value::from("int_parsing")), "{found:?}");
    // A check of all fields is run for each of them.
    let (_, found) = judged(
        &new.replace("field_validator('max_concurrent_runs')", "field_validator('*', mode='after')")
            .replace("value % 2", "value is True"),
        "max_concurrent_runs = 3\n",
    );
    assert_eq!(found, Vec::<Value>::new());
}

/// Functions in a type are run in pydantic's order: first those before the type check, from the last to the first, then those after it.
#[test]
fn validators_in_an_annotation_decide() {
    let new = with_field("Annotated[int, AfterValidator(even), BeforeValidator(half)] = 1", "");
    assert_eq!(judged(&new, "max_concurrent_runs = 4\n"), ("ok".to_owned(), vec![]));
    let (verdict, found) = judged(&new, "max_concurrent_runs = 6\n");
    assert_eq!((verdict.as_str(), &found[0]["message"]), ("rejected", &Value::from("3 is odd")), "{found:?}");
    assert_eq!(found[0]["native"]["type"], "assertion_error");
    let (_, found) = judged(&new, "max_concurrent_runs = \"none\"\n");
    assert_eq!(found[0]["message"], "no runs");
    // A check gets the value that the previous one has returned.
    let twice = with_field(
        "Annotated[int, BeforeValidator(half), AfterValidator(even), AfterValidator(half), AfterValidator(even)] = 1",
        "",
    );
    assert_eq!(judged(&twice, "max_concurrent_runs = 8\n"), ("ok".to_owned(), vec![]));
    let (_, found) = judged(&twice, "max_concurrent_runs = 4\n");
    assert_eq!(found[0]["message"], "1 is odd");
}

/// A default is checked only if the field requires it. What pydantic would pass to such a check is unknown.
#[test]
fn a_check_of_a_field_that_is_absent() {
    let check = "    @field_validator('max_concurrent_runs')\n    @classmethod\n    def is_even(cls, value):\n        return even(value)\n";
    assert_eq!(judged(&with_field("int = 1", check), ""), ("ok".to_owned(), vec![]));
    let (verdict, found) = judged(&with_field("int = Field(1, validate_default=True)", check), "");
    assert_eq!((verdict.as_str(), &found[0]["message"]), ("rejected", &Value::from("1 is odd")), "{found:?}");
    let asks = check
        .replace("(cls, value)", "(cls, value, info)")
        .replace("return even(value)", "if info.config:\n            even(value)\n        return value");
    assert_eq!(judged(&with_field("int = 1", &asks), "max_concurrent_runs = 2\n"), ("ok".to_owned(), vec![]));
    let (verdict, found) = judged(&with_field("int = 1", &asks), "max_concurrent_runs = 3\n");
    assert_eq!((verdict.as_str(), &found[0]["code"]), ("depends", &Value::from("PRL115")), "{found:?}");
}

/// A check of a field gets the fields that its class declares before it, whatever their order in the file is; changes that it
/// makes to these are unknown.
#[test]
fn a_check_of_a_field_reads_the_fields_before_it() {
    let with = |mode: &str, body: &str| {
        format!(
            "from pydantic import field_validator\nclass TrainerConfig(BaseModel, extra='forbid'):\n    a: int = 2\n    b: int = 1\n    c: int = 1\n    @field_validator('b', mode='{mode}')\n    @classmethod\n    def v(cls, value, info):\n        {body}\n        return value\n"
        )
    };
    for mode in ["before", "after"] {
        let larger = with(mode, "if value > info.data['a']: raise ValueError(f'{info.field_name} is larger')");
        are_judged(
            &larger,
            &[("b = 3\na = 3\n", "ok"), ("b = 4\na = 3\n", "rejected"), ("b = 3\n", "rejected"), ("b = 2\n", "ok")],
        );
        are_judged(&larger, &[("b = 3\na = \"x\"\n", "rejected"), ("a = 0\n", "ok")]);
        let later = with(mode, "if 'c' in info.data or info.mode != 'python' or info.context: raise ValueError('no')");
        are_judged(&later, &[("c = 3\nb = 3\n", "ok")]);
        are_judged(&with(mode, "info.data['a'] = value"), &[("b = 3\n", "depends"), ("c = 3\n", "ok")]);
    }
}

/// The number of checks that apply to a config, and what makes its verdict open, are in reports for programs, and in those for
/// people with `--verbose`.
#[test]
fn the_checks_of_a_config_are_counted() {
    let check = "    @field_validator('max_concurrent_runs')\n    @classmethod\n    def is_even(cls, value, info):\n        if info.config:\n            even(value)\n        return value\n";
    let folder = folder_with(
        &small_prime_rl(&[("trainer", &with_field("int = 1", check))]),
        &[
            ("fork/pyproject.toml", "[project]\nname = \"prime-rl\"\nversion = \"0.8.0\"\n"),
            ("fork/t.toml", "max_concurrent_runs = 3\n"),
        ],
    );
    let report = document(&folder.run("check fork/t.toml --kind trainer --format json"));
    let checks = &file(&report, "fork/t.toml")["checks"];
    assert_eq!((&checks["known"], &checks["from_source"]), (&0.into(), &2.into()), "{checks}");
    assert_eq!(checks["undecided"].as_array().map(Vec::len), Some(1), "{checks}");
    let ended = folder.run("check -v fork/t.toml --kind trainer");
    let counts = ended.stdout.lines().find(|line| line.contains("checks known"));
    insta::assert_snapshot!("checks_of_a_config", counts.expect("the counts"));
    let ended = folder.run("check fork/t.toml --kind trainer");
    assert!(!ended.stdout.contains("run from source"), "{ended:?}");
}

/// If a check depends on something unknown, the verdict is open, and the reason and its place are reported.
#[test]
fn an_unsupported_check_makes_the_verdict_unknown() {
    let asks = OWN_CHECK.replace(
        "        return self\n",
        "        import requests\n        if requests.get('https://example.org').ok:\n            raise ValueError('no')\n        return self\n",
    );
    let (verdict, found) = judged(&asks, OFFLOADED);
    assert_eq!((verdict.as_str(), &found[0]["code"]), ("depends", &Value::from("PRL115")), "{found:?}");
    insta::assert_snapshot!("an_unsupported_check", found[0]["message"].as_str().expect("a message"));
    assert!(found[0]["help"].as_str().is_some_and(|help| help.contains("trainer.py:10")), "{found:?}");
}

/// Tests each trainer class with configs and the verdicts on them: what is not understood is neither accepted nor refused.
#[track_caller]
fn are_judged(trainer: &str, cases: &[(&str, &str)]) {
    let trainer = format!("import os\nfrom pydantic import BaseModel, BeforeValidator, Field, model_validator\n{trainer}");
    for (config, wanted) in cases {
        let (verdict, found) = judged(&trainer, config);
        assert_eq!(verdict, *wanted, "{config}: {found:#?}\n{trainer}");
    }
}

/// If a check returns another table, its fields are those of that table; if its contents are unknown, the whole table is open, and so are the checks
/// that read it.
#[test]
fn a_table_that_a_check_replaces_is_the_one_that_is_checked() {
    let inner = "class Inner(BaseModel, extra='forbid'):\n    n: int = 1\n    @model_validator(mode='before')\n    @classmethod\n    def v(cls, data):\n        BODY\nclass TrainerConfig(BaseModel, extra='forbid'):\n    x: Inner = Inner()\n    y: int = 1\n    @model_validator(mode='after')\n    def c(self):\n        if self.x.n > 1: raise ValueError('large')\n        return self\n";
    let with = |body: &str| inner.replace("BODY", body);
    let another = with("return {'n': len(data)}");
    are_judged(
        &another,
        &[("[x]\na = 1\nb = 2\n", "rejected"), ("[x]\nn = \"a\"\n", "ok"), ("y = \"a\"\n[x]\na = 1\n", "rejected")],
    );
    let unknown = with("return something(data)");
    are_judged(
        &unknown,
        &[("[x]\na = 1\nb = 2\n", "depends"), ("[x]\nn = \"a\"\n", "depends"), ("y = \"a\"\n[x]\na = 1\n", "rejected")],
    );
    let number = with("return {'n': data} if isinstance(data, int) else data");
    are_judged(&number, &[("x = 1\n", "depends"), ("x = { n = 1 }\n", "ok"), ("x = { n = 2 }\n", "rejected")]);
    let same = with("data.pop('old', None)\n        return data");
    are_judged(&same, &[("x = { old = 1 }\n", "ok"), ("x = { older = 1 }\n", "rejected"), ("x = 1\n", "rejected")]);
}

/// Attributes that pydantic's classes have, or that are classes in the body of the class, are not missing.
#[test]
fn attributes_that_are_not_fields_are_not_missing() {
    for (members, reads) in [
        ("", "self.json()"),
        ("", "self.validate"),
        ("", "self.schema()"),
        ("    class Other:\n        z = 1\n", "self.Other.z"),
        ("    if True:\n        def f(self): return 1\n", "self.f()"),
        ("    import os\n", "self.os.sep"),
    ] {
        let trainer = format!(
            "class TrainerConfig(BaseModel, extra='forbid'):\n    y: int = 1\n{members}    @model_validator(mode='after')\n    def c(self):\n        {reads}\n        return self\n"
        );
        are_judged(&trainer, &[("y = 2\n", "depends")]);
    }
    let missing = "class TrainerConfig(BaseModel, extra='forbid'):\n    y: int = 1\n    @model_validator(mode='after')\n    def c(self):\n        self.z\n        return self\n";
    are_judged(missing, &[("y = 2\n", "rejected")]);
}

/// A class whose declaration is not understood may accept any value and make anything of it.
#[test]
fn a_value_of_a_class_that_is_not_understood_is_unknown_to_checks() {
    let check = "    @model_validator(mode='after')\n    def c(self):\n        if self.x.n > 1: raise ValueError('large')\n        return self\n";
    for inner in [
        "from elsewhere import Inner\n",
        "from elsewhere import Base\nclass Inner(Base):\n    n: int = 1\n",
        "class Inner(BaseModel):\n    n: int = 1\n    @classmethod\n    def __get_pydantic_core_schema__(cls, source, handler):\n        return handler(source)\n",
        "class Inner(BaseModel, metaclass=type(BaseModel)):\n    n: int = 1\n",
    ] {
        let trainer = format!("{inner}class TrainerConfig(BaseModel, extra='forbid'):\n    x: Inner\n{check}");
        are_judged(&trainer, &[("x = 1\n", "depends"), ("x = \"a\"\n", "depends")]);
        for (of, loop_over, config) in [
            ("list[Inner]", "self.x", "x = [1]\n"),
            ("dict[str, Inner]", "self.x.values()", "x = { a = 1 }\n"),
            ("dict[str, list[Inner]]", "self.x['a']", "x = { a = [1] }\n"),
            ("Inner | int | None", "[self.x]", "x = \"a\"\n"),
            ("tuple[Inner, int]", "[self.x[0]]", "x = [1, 2]\n"),
        ] {
            let check = format!(
                "    @model_validator(mode='after')\n    def c(self):\n        for x in {loop_over}:\n            if x.n > 1: raise ValueError('large')\n        return self\n"
            );
            let trainer = format!("{inner}class TrainerConfig(BaseModel, extra='forbid'):\n    x: {of}\n{check}");
            are_judged(&trainer, &[(config, "depends")]);
        }
    }
}

/// A check of the raw table gets a value of any type: for one that only looks at tables, the class reports the error.
#[test]
fn a_value_that_is_not_a_table_is_passed_to_before_validators() {
    let with = |body: &str| {
        format!(
            "class Inner(BaseModel, extra='forbid'):\n    n: int = 1\n    @model_validator(mode='before')\n    @classmethod\n    def v(cls, data):\n        {body}\n        return data\nclass TrainerConfig(BaseModel, extra='forbid'):\n    x: Inner = Inner()\n"
        )
    };
    let of_tables = with("if isinstance(data, dict): data.pop('old', None)");
    are_judged(&of_tables, &[("x = 1\n", "rejected"), ("x = [1]\n", "rejected"), ("x = { old = 1 }\n", "ok")]);
    let refuses = with("if data in ('small', 7): raise ValueError(f'{data} is gone')");
    let (_, found) = judged(&format!("from pydantic import BaseModel, model_validator\n{refuses}"), "x = \"small\"\n");
    assert_eq!((found.len(), &found[0]["message"]), (1, &Value::from("small is gone")), "{found:#?}");
    let (_, found) = judged(&format!("from pydantic import BaseModel, model_validator\n{refuses}"), "x = \"large\"\n");
    assert_eq!((found.len(), &found[0]["native"]["type"]), (1, &Value::from("model_type")), "{found:#?}");
}

/// A check builds a table from values that its fields refuse: pydantic reports the error of the field, with the path of the check's table.
#[test]
fn a_table_created_by_a_check_from_wrong_values_is_refused() {
    let trainer = "from pydantic import BaseModel, Field, model_validator\nclass Inner(BaseModel, extra='forbid'):\n    n: int = Field(1, ge=1)\nclass TrainerConfig(BaseModel, extra='forbid'):\n    x: Inner | None = None\n    y: int = 1\n    @model_validator(mode='after')\n    def v(self):\n        self.x = Inner(n=self.y)\n        return self\n";
    assert_eq!(judged(trainer, "y = 2\n"), ("ok".to_owned(), vec![]));
    let (verdict, found) = judged(trainer, "y = 0\n");
    let native = &found[0]["native"];
    assert_eq!((verdict.as_str(), &native["type"]), ("rejected", &Value::from("greater_than_equal")), "{found:#?}");
    assert_eq!(native["loc"], serde_json::json!(["n"]));
}

/// If it is unknown which type a check sets, a table without a type is not refused.
#[test]
fn a_field_that_a_check_may_set_is_not_missing() {
    let trainer = "import elsewhere\nfrom typing import Annotated, Literal\nclass A(BaseModel, extra='forbid'):\n    type: Literal['a'] = 'a'\n    n: int = 1\nclass B(BaseModel, extra='forbid'):\n    type: Literal['b'] = 'b'\nclass TrainerConfig(BaseModel, extra='forbid'):\n    x: Annotated[A | B, Field(discriminator='type')] = A()\n    @model_validator(mode='before')\n    @classmethod\n    def v(cls, data):\n        value = data.get('x')\n        if isinstance(value, dict) and 'type' not in value: FILL\n        return data\n";
    let by_default = trainer.replace("FILL", "value['type'] = cls.model_fields['x'].default.type");
    are_judged(&by_default, &[("x = { n = 2 }\n", "ok"), ("x = { n = \"a\" }\n", "rejected"), ("x = { type = \"b\" }\n", "ok")]);
    let unknown = trainer.replace("FILL", "value['type'] = elsewhere.TYPE");
    are_judged(&unknown, &[("x = { n = 2 }\n", "depends"), ("x = { type = \"c\" }\n", "rejected")]);
}

/// A value that a check of the raw table makes unknown is not read as its default.
#[test]
fn a_value_made_unknown_by_a_check_has_no_verdict() {
    let trainer = "import elsewhere\nclass TrainerConfig(BaseModel, extra='forbid'):\n    x: int = 1\n    z: int = 1\n    @model_validator(mode='before')\n    @classmethod\n    def v(cls, data):\n        if 'x' in data: data['x'] = elsewhere.made(data['x'])\n        return data\n    @model_validator(mode='after')\n    def c(self):\n        if self.x == 1: raise ValueError('the default')\n        return self\n";
    are_judged(trainer, &[("x = 2\n", "depends"), ("z = 2\n", "rejected")]);
}

/// Where a validator calls the function of verifiers that looks up a class by its `id`, the packages decide; where it does not, the declared class.
#[test]
fn a_class_is_looked_up_where_the_check_does_that() {
    let with = |body: &str| {
        format!(
            "import verifiers.v1 as vf\nclass Env(BaseModel, extra='forbid'):\n    id: str = ''\n    n: int = 1\nclass TrainerConfig(BaseModel, extra='forbid'):\n    env: Env = Env()\n    @model_validator(mode='before')\n    @classmethod\n    def _resolve_env(cls, data):\n        {body}\n"
        )
    };
    let unknown_key = "env = { id = \"some-package\", own = 1 }\n";
    let looks_up = with("return vf.resolve_env_field(data, vf.narrowed_env_annotation(cls))");
    are_judged(&looks_up, &[("env = { n = 2 }\n", "ok"), (unknown_key, "depends"), ("env = { id = 5 }\n", "rejected")]);
    let plain = with("return data");
    are_judged(&plain, &[("env = { n = 2 }\n", "ok"), (unknown_key, "rejected"), ("env = { id = \"a\" }\n", "ok")]);
}

#[test]
fn a_check_that_returns_something_else_is_left_open() {
    let with = |body: &str| {
        format!(
            "class TrainerConfig(BaseModel, extra='forbid'):\n    x: int = 1\n    @model_validator(mode='after')\n    def v(self):\n        {body}\n"
        )
    };
    are_judged(&with("return self.model_copy(update={'x': 'no'})"), &[("x = 1\n", "depends"), ("x = \"a\"\n", "rejected")]);
    are_judged(&with("return None"), &[("x = 1\n", "depends")]);
    are_judged(&with("return self"), &[("x = 1\n", "ok")]);
}

/// A check does not fail because of an unknown default.
#[test]
fn an_unknown_default_has_no_verdict() {
    let trainer = "class TrainerConfig(BaseModel, extra='forbid'):\n    x: int = os.getpid()\n    z: int = 1\n    @model_validator(mode='after')\n    def v(self):\n        if self.x < 1: raise ValueError('small')\n        return self\n";
    are_judged(trainer, &[("z = 2\n", "ok"), ("x = 0\n", "rejected"), ("x = 2\n", "ok")]);
}

/// A class that is not understood may accept values that are not tables, and unknown keys.
#[test]
fn an_unsupported_class_refuses_nothing() {
    let strange = "class Inner(BaseModel, strict=True, extra='forbid'):\n    n: int = 1\nclass TrainerConfig(BaseModel, extra='forbid'):\n    x: Inner = Inner()\n";
    are_judged(strange, &[("x = 3\n", "depends"), ("[x]\nm = 1\n", "depends"), ("w = 1\n", "rejected")]);
    let root = "class TrainerConfig(BaseModel, extra='forbid', strict=True):\n    x: int = 1\n";
    are_judged(root, &[("x = 1.0\n", "depends"), ("w = 1\n", "depends")]);
    let absent = "from elsewhere import Base\nclass Inner(Base):\n    n: int = 1\nclass TrainerConfig(BaseModel, extra='forbid'):\n    x: Inner = Inner()\n";
    are_judged(
        absent,
        &[("x = 3\n", "depends"), ("[x]\nm = 1\n", "depends"), ("[x]\nn = \"a\"\n", "rejected"), ("[x]\nn = 1\n", "depends")],
    );
}

/// A key may be added and removed several times: of the ranges of points that have all keys of a file, the one around the day of
/// its commit is the most likely.
#[test]
fn releases_near_the_commit_of_a_file_are_tried_first() {
    let text = "max_steps = 5\nbatch_size = 16\nrollouts_per_example = 4\nseq_len = 512\n[model]\nname = \"me/unheard-of\"\n[[train.env]]\nid = \"a\"\n";
    let folder = Folder::new(&[("orch.toml", text), ("sub/orch.toml", text)]);
    let run = committed(&folder, ".", "2026-04-19");
    let report = document(&run("check --format json orch.toml"));
    let found = file(&report, "orch.toml")["diagnostics"].as_array().expect("findings");
    let codes: Vec<&str> = found.iter().filter_map(|found| found["code"].as_str()).collect();
    assert_eq!(codes, ["PRL013"], "{report:#}");
    let help = found[0]["help"].as_str().expect("help");
    let target = help.split("--target ").nth(1).and_then(|rest| rest.split('`').next()).expect("a target");
    assert_eq!(run(&format!("check --target {target} orch.toml")).status, Some(0));
    let of_day = run("check --target 2026-04-19 --format json orch.toml");
    assert_eq!(file(&document(&of_day), "orch.toml")["verdict"], "ok", "{of_day:?}");
}

/// The programs of the project have the same names as prime-rl's, but other configs.
#[test]
fn a_trainer_with_programs_of_the_same_names_is_left_alone() {
    let project =
        "[project]\nname = \"small-rl\"\n[project.scripts]\nsft = \"small_rl.sft:main\"\norchestrator = \"small_rl.orch:main\"\n";
    let files = [("pyproject.toml", project), ("configs/sft.toml", "max_steps = 5\npace = 4\n[model]\nseq_len = 8\n[ckpt]\n")];
    let folder = Folder::new(&files);
    let ended = folder.run("check .");
    assert_eq!((ended.status, ended.stdout.trim()), (Some(0), "No prime-rl configs found"), "{ended:?}");
    insta::assert_snapshot!(
        "a_config_for_programs_of_its_own_project",
        folder.run("check configs/sft.toml --format concise").stdout
    );
    let stated = folder.run("check configs/sft.toml --target 0.4.0");
    assert!(stated.stdout.contains("`pace`"), "{stated:?}");
}
