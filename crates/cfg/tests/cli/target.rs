//! The prime-rl for which a config is checked, and the findings if it is unknown, newer than the history, or assumed.

use serde_json::{Value, json};

use super::{
    CLEAN, Ended, Folder, MISSPELT,
    schema::{folder_with, small_prime_rl},
};

#[track_caller]
pub(crate) fn document(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
}

/// The file at this path in a report.
pub(crate) fn file<'d>(document: &'d Value, path: &str) -> &'d Value {
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
    // Beside another config, an environment may come from that; and a default has changed since.
    let is_other = |finding: &&Value| finding["code"] != "PRL520" && finding["code"] != "PRL118";
    let findings = config["diagnostics"].as_array().expect("findings").iter().filter(is_other);
    for finding in findings {
        assert_eq!((&finding["severity"], &finding["native"]), (&json!("warning"), &Value::Null), "{finding:#}");
        let help = finding["help"].as_str().expect("help");
        insta::assert_snapshot!("a_newer_target", help);
    }
    assert_eq!((&report["diagnostics"][0]["code"], &report["diagnostics"][0]["path"]), (&json!("PRL016"), &Value::Null));
    assert_eq!((report["files"].as_array().map(Vec::len), &report["summary"]["files"]), (Some(1), &json!(1)), "{report:#}");
    // A value of a wrong type is also wrong at a newer target.
    let ended = folder.run("check --format json --target 0.9.0 wrong.toml");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert_eq!(file(&document(&ended), "wrong.toml")["verdict"], "rejected");
}

#[test]
fn a_mistyped_target_is_an_error_that_names_the_nearest() {
    let folder = Folder::new(&[("rl.toml", MISSPELT)]);
    for (target, nearest) in [("8.0.0", "0.8.0"), ("0.80", "0.8.0"), ("v0.08", "0.8.0"), ("0.4.O", "0.4.0"), ("4.0", "0.4.0")] {
        for words in ["check rl.toml", "compile rl.toml", "memory rl.toml"] {
            let ended = folder.run(&format!("{words} --target {target}"));
            assert_eq!(ended.status, Some(2), "{target}: {ended:?}");
            assert!(ended.stderr.contains(&format!("nearest release is {nearest}")), "{target}: {ended:?}");
        }
        folder.write("stated.toml", format!("# /// config\n# prime_rl = \"{target}\"\n# ///\n{MISSPELT}").as_bytes());
        let told = folder.run("check --format concise stated.toml").stdout;
        assert!(told.contains("stated.toml:2:") && told.contains("PRL012") && told.contains(nearest), "{target}: {told}");
        folder.write("cfg.toml", format!("target = \"{target}\"\n").as_bytes());
        let ended = folder.run("check --format concise rl.toml");
        assert!(ended.status == Some(2) && ended.stdout.contains("cfg.toml:1:"), "{target}: {ended:?}");
        assert!(ended.stdout.contains(&format!("nearest release is {nearest}")), "{target}: {ended:?}");
        std::fs::remove_file(folder.path().join("cfg.toml")).expect("a file");
    }
    for newer in ["0.8.1", "0.9.0", "0.10.0", "1.0.0"] {
        assert_eq!(folder.run(&format!("check --target {newer} rl.toml")).status, Some(0), "{newer}");
    }
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
    let new = "max_steps = 5\n[trainer]\n[orchestrator]\n";
    let folder = Folder::new(&[("rl.toml", CLEAN), ("new/rl.toml", new)]);
    let run = committed(&folder, "rl.toml", "2026-02-20");
    insta::assert_snapshot!("the_release_on_the_day_of_a_commit", run("check rl.toml").stdout);
    let newest = cfg_schema::Target::newest_release(cfg_schema::History::built_in()).name;
    let report = document(&run("check --format json rl.toml new/rl.toml"));
    assert_eq!((&file(&report, "rl.toml")["target"], &file(&report, "new/rl.toml")["target"]), (&json!("0.4.0"), &json!(newest)));
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
    // The main line of that day has all keys: nothing contradicts it.
    assert_eq!(codes(&report, "rl.toml"), ["info PRL013"]);
    assert_eq!(file(&report, "rl.toml")["verdict"], "ok");
    assert_eq!(codes(&report, "wrong.toml"), ["info PRL013", "error PRL101"]);
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
fn a_file_without_a_date_is_judged_for_the_prime_rl_that_its_keys_show() {
    let old = "trainer_gpu_ids = [1]\ninference_gpu_ids = [0]\n[trainer]\n[orchestrator]\nrollouts_per_example = 8\n[[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n";
    let wrong = old.replace("= 8", "= \"many\"");
    let folder = Folder::new(&[("old.toml", old), ("wrong.toml", &wrong)]);
    let report = document(&folder.run("check --format json old.toml wrong.toml"));
    let codes = |path: &str| -> Vec<String> {
        let findings = file(&report, path)["diagnostics"].as_array().expect("findings");
        findings.iter().map(|finding| finding["code"].as_str().expect("a code").to_owned()).collect()
    };
    assert_eq!(codes("old.toml"), ["PRL013"]);
    // With a fault of its own it is judged for the one that knows the most of its keys.
    assert_eq!(codes("wrong.toml"), ["PRL013", "PRL105"]);
    let help = file(&report, "old.toml")["diagnostics"][0]["help"].as_str().expect("help");
    let target = help.split("--target ").nth(1).and_then(|rest| rest.split('`').next()).expect("a target");
    let report = document(&folder.run(&format!("check --format json --target {target} old.toml")));
    assert_ne!(file(&report, "old.toml")["verdict"], "rejected");
}

const OWN_TRAINER: &str = "from typing import Annotated\nfrom pydantic import BaseModel, Field\nclass TrainerConfig(BaseModel, extra='forbid'):\n    warp: Annotated[int, Field(ge=1)] = 8\n    swizzle: str = 'x'\n";

/// The sources of a prime-rl decide, wherever they are: in a checkout, in an environment, or at a path on the command line.
/// Whatever installs prime-rl states which one.
#[test]
fn each_manager_and_recipe_states_a_prime_rl() {
    let config = "[trainer]\n[orchestrator]\nbatch_size = 128\ngroup_size = 16\n[[orchestrator.train.env]]\nid = \"reverse-text\"\n[inference]\n";
    let url = "https://github.com/PrimeIntellect-ai/prime-rl";
    for (file, text) in [
        ("environment.yml", format!("dependencies:\n  - pip:\n    - prime-rl @ git+{url}@v0.6.0\n")),
        ("pyproject.toml", format!("[tool.poetry.dependencies]\nprime-rl = {{ git = \"{url}.git\", tag = \"v0.6.0\" }}\n")),
        ("pixi.toml", format!("[pypi-dependencies]\nprime-rl = {{ git = \"{url}\", tag = \"v0.6.0\" }}\n")),
        ("Pipfile", format!("[packages]\nprime-rl = {{ git = \"{url}\", ref = \"v0.6.0\" }}\n")),
        ("setup.py", format!("setup(install_requires=[\"prime-rl @ git+{url}@v0.6.0\"])\n")),
        ("requirements/train.txt", format!("git+{url}.git@v0.6.0#egg=prime-rl\n")),
        ("go.py", format!("# /// script\n# dependencies = [\"prime-rl @ git+{url}@v0.6.0\"]\n# ///\nimport prime_rl\n")),
        ("Dockerfile", "FROM ghcr.io/primeintellect-ai/prime-rl:v0.6.0\n".to_owned()),
        ("Makefile", format!("TAG := v0.6.0\nsetup:\n\tgit clone -b $(TAG) {url}\n")),
        ("justfile", format!("tag := \"v0.6.0\"\nsetup:\n    git clone -b {{{{tag}}}} {url}\n")),
        (
            ".github/workflows/a.yml",
            "steps:\n  - uses: actions/checkout@v4\n    with:\n      repository: PrimeIntellect-ai/prime-rl\n      ref: v0.6.0\n"
                .to_owned(),
        ),
    ] {
        let folder = Folder::repository(&[("rl.toml", config), (file, &text)]);
        let found = folder.reported("rl.toml", "rl.toml");
        assert_eq!(found["target"], "0.6.0", "{file}: {found:#}");
    }
    // What it does not install states none.
    for (file, text) in [
        ("go.py", format!("# pip install prime-rl==0.6.0\nimport prime_rl\nHELP = \"git+{url}@v0.6.0\"\n")),
        (".github/workflows/a.yml", "steps:\n  - with:\n      repository: PrimeIntellect-ai/prime-rl\n  - with:\n      repository: a/b\n      ref: v0.6.0\n".to_owned()),
    ] {
        let folder = Folder::repository(&[("rl.toml", config), (file, &text)]);
        assert_ne!(folder.reported("rl.toml", "rl.toml")["target"], "0.6.0", "{file}");
    }
}

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
