//! `cfg run`: which version a run used.

use serde_json::Value;

use crate::{CLEAN, Ended, Folder, document_of, registry::registered};

fn run(folder: &Folder, words: &[&str]) -> Ended {
    let mut command = folder.command("run");
    command.args(words).env("SOURCE_DATE_EPOCH", "1767571200");
    crate::finish(&mut command, b"")
}

#[test]
fn runs_are_registered_ended_and_listed() {
    let folder = registered();
    let ended = run(&folder, &["add", "a.toml", "--wandb", "https://wandb.ai/x", "--pod", "p1", "--notes", "first | try"]);
    assert_eq!((ended.status, &*ended.stdout), (Some(0), "run 2026-01-05-1 of a.toml:v1\n"), "{ended:?}");
    let ended = run(&folder, &["add", "a.toml:v1", "--pod", "p1"]);
    assert_eq!(ended.status, Some(0), "{ended:?}");
    insta::assert_snapshot!("a_second_run_on_a_pod", ended.stderr);
    let words = ["finish", "2026-01-05-1", "--status", "abandoned", "--reward", "0.4", "--steps", "25", "--notes", "too slow"];
    assert_eq!(run(&folder, &words).status, Some(0));
    let ended = run(&folder, &["list", "--markdown"]);
    let expected = "# Runs\n\n| Run | Config | Status | Started | Ended | prime-rl | Pod | W&B | Steps | Reward | Notes |\n\
        | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n\
        | 2026-01-05-2 | a.toml:v1 | running | 2026-01-05 |  | 0.4.0 | p1 |  |  |  |  |\n\
        | 2026-01-05-1 | a.toml:v1 | abandoned | 2026-01-05 | 2026-01-05 | 0.4.0 | p1 | https://wandb.ai/x | 25 | 0.4 | first \\| try; too slow |\n";
    assert_eq!(ended.stdout, expected, "{ended:?}");
    let ended = run(&folder, &["list", "a.toml", "--format", "json"]);
    let json: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!((json["runs"][0]["id"].as_str(), json["runs"][1]["status"].as_str()), (Some("2026-01-05-1"), Some("running")));
    assert_eq!(folder.run("registry verify").status, Some(0), "the registry is as sound as before");
    assert_eq!(folder.run("log a.toml").status, Some(0));
}

#[test]
fn an_unregistered_config_is_not_run() {
    let folder = registered();
    let before = crate::registry::read(&folder, "registry.json");
    folder.write("a.toml", CLEAN.as_bytes());
    let ended = run(&folder, &["add", "a.toml"]);
    assert_eq!(ended.status, Some(1), "{ended:?}");
    insta::assert_snapshot!("an_unregistered_config_of_a_run", ended.stderr);
    for words in [&["add", "a.toml:v9"][..], &["add", "b.toml"], &["finish", "nothing"]] {
        let ended = run(&folder, words);
        assert_eq!((ended.status, ended.stdout.is_empty()), (Some(2), true), "{words:?}: {ended:?}");
    }
    assert_eq!(crate::registry::read(&folder, "registry.json"), before);
    assert_eq!(run(&folder, &["add", "a.toml:v1", "--id", "mine"]).status, Some(0));
    assert_eq!(run(&folder, &["add", "a.toml:v1", "--id", "mine"]).status, Some(2));
}

#[test]
fn dead_runs_are_reported() {
    let folder = registered();
    for (id, started, pod) in
        [("old", "2025-12-01", "p1"), ("left", "2026-01-04", "p2"), ("next", "2026-01-05", "p2"), ("odd", "soon", "p3")]
    {
        let ended = run(&folder, &["add", "a.toml", "--id", id, "--started", started, "--pod", pod]);
        assert_eq!(ended.status, Some(0), "{ended:?}");
    }
    let ended = run(&folder, &["list"]);
    assert_eq!((ended.status, ended.stdout.lines().count()), (Some(0), 4), "{ended:?}");
    insta::assert_snapshot!("dead_runs", ended.stderr);
    let stale = run(&folder, &["list", "--stale", "--format", "json"]);
    let json: Value = serde_json::from_str(&stale.stdout).expect("JSON");
    assert_eq!(
        json["runs"].as_array().expect("a list").iter().map(|run| run["id"].as_str()).collect::<Vec<_>>(),
        [Some("old"), Some("left")]
    );
    for id in ["old", "left"] {
        assert_eq!(run(&folder, &["finish", id, "--status", "abandoned"]).status, Some(0));
    }
    assert_eq!(run(&folder, &["list"]).stderr, "");
}

/// The metrics of a run with this many steps, in which the reward rises by this much.
fn metrics(steps: i64, rise: f64) -> String {
    let row = |step: i64| {
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let reward = 0.1 + rise * step as f64;
        format!(
            "{{\"step\": {step}, \"entropy/all/mean\": 0.09, \"optim/lr\": 1e-6, \"time/step\": 40.0}}\n{{\"step\": {step}, \"reward/mean\": {reward}}}\n"
        )
    };
    (0..steps).map(row).collect()
}

/// Two versions, each with a run and its folder.
fn compared() -> Folder {
    let folder = registered();
    folder.write("outputs/one/metrics.jsonl", metrics(100, 0.001).as_bytes());
    folder.write("outputs/other/metrics.jsonl", metrics(80, 0.002).as_bytes());
    assert_eq!(run(&folder, &["add", "a.toml", "--dir", "outputs/one"]).status, Some(0));
    folder.write("a.toml", crate::registry::read(&folder, "a.toml").replace("lr = 1e-5", "lr = 3e-6").as_bytes());
    let ended = crate::registry::bump(&folder, "a.toml -m faster");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let words = ["add", "a.toml", "--dir", "outputs/other", "--format", "json"];
    let added = document_of(&run(&folder, &words), &cfg_report::runs::run_schema().to_value());
    assert_eq!((&added["prime_rl"], &added["folder"]), (&"0.4.0".into(), &"outputs/other".into()));
    folder
}

#[test]
fn two_runs_are_compared_by_their_configs_and_at_equal_steps() {
    let folder = compared();
    let words = ["compare", "2026-01-05-1", "2026-01-05-2", "--format", "json"];
    let report = document_of(&run(&folder, &words), &cfg_report::runs::comparison_schema().to_value());
    let keys: Vec<&Value> = report["differences"].as_array().expect("some").iter().map(|one| &one["key"]).collect();
    assert_eq!((keys, &report["differences"][0]["class"]), (vec![&Value::from("trainer.optim.lr")], &"training".into()));
    assert_eq!((&report["one"]["config"], &report["other"]["config"]), (&"a.toml:v1".into(), &"a.toml:v2".into()));
    assert_eq!((&report["one"]["last_step"], &report["other"]["last_step"]), (&99.into(), &79.into()));
    let measures = report["measures"].as_array().expect("some");
    let names: Vec<&str> = measures.iter().filter_map(|one| one["measure"].as_str()).collect();
    assert_eq!(names, ["reward", "entropy", "step_seconds", "learning_rate"]);
    let points = measures[0]["points"].as_array().expect("points");
    assert_eq!((points.len(), &points[79]["step"]), (80, &79.into()), "only the steps that both have");
    // As text, and with folders instead of registered runs.
    let text = run(&folder, &["compare", "2026-01-05-1", "2026-01-05-2"]);
    assert!(text.stdout.contains("training\n  - trainer.optim.lr = 1e-5\n  + trainer.optim.lr = 3e-6\n"), "{text:?}");
    let values = |sign: &str| text.stdout.lines().filter(|line| line.split_whitespace().next() == Some(sign)).count();
    assert!(text.stdout.contains("reward") && values("+") >= 3, "{text:?}");
    let ended = run(&folder, &["compare", "outputs/one", "2026-01-05-2=outputs/one"]);
    assert_eq!(ended.status, Some(0), "{ended:?}");
    insta::assert_snapshot!("an_unknown_config_of_a_run", ended.stderr);
    for words in [["compare", "nothing", "outputs/one"], ["compare", "2026-01-05-1", "2026-01-05-2=nowhere"]] {
        assert_eq!(run(&folder, &words).status, Some(2), "{words:?}");
    }
}

#[test]
fn a_run_is_closed_with_the_state_of_its_folder() {
    let folder = compared();
    assert_eq!(run(&folder, &["close", "2026-01-05-1", "--notes", "flat"]).status, Some(0));
    assert_eq!(run(&folder, &["finish", "2026-01-05-2", "--reward", "0.9", "--status", "failed"]).status, Some(0));
    let runs = document_of(&run(&folder, &["list", "--format", "json"]), &cfg_report::listed::runs_schema().to_value());
    // The mean of the last ten of a hundred steps.
    assert_eq!(
        (&runs["runs"][0]["steps"], &runs["runs"][0]["reward"], &runs["runs"][0]["status"]),
        (&"99".into(), &"0.1945".into(), &"completed".into())
    );
    assert_eq!(
        (&runs["runs"][1]["steps"], &runs["runs"][1]["reward"], &runs["runs"][1]["status"]),
        (&"79".into(), &"0.9".into(), &"failed".into())
    );
}

#[test]
fn a_folder_that_a_registry_names_outside_of_it_is_not_read() {
    let folder = compared();
    let secret = folder.path().with_file_name("secret");
    std::fs::create_dir_all(&secret).expect("a folder");
    std::fs::write(secret.join("metrics.jsonl"), metrics(100, 0.5)).expect("a file");
    for place in ["../secret".to_owned(), secret.to_string_lossy().into_owned()] {
        let registry = crate::registry::read(&folder, "registry.json").replace("\"outputs/one\"", &format!("{place:?}"));
        let own = Folder::new(&[("registry.json", &registry), ("cfg.toml", "target = \"0.4.0\"\n")]);
        std::fs::create_dir_all(own.path().with_file_name("secret")).expect("a folder");
        std::fs::write(own.path().with_file_name("secret").join("metrics.jsonl"), metrics(100, 0.5)).expect("a file");
        let ended = run(&own, &["compare", "2026-01-05-1", "2026-01-05-1", "--format", "json"]);
        let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        assert_eq!((&report["one"]["folder"], report["measures"].as_array().map(Vec::len)), (&Value::Null, Some(0)), "{ended:?}");
    }
}
