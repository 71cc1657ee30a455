//! Configs for hosted training on the command line.

use serde_json::Value;

use super::Folder;

const WHOLE: &str = "gpu_type = \"H200_141GB\"\n[trainer]\n[orchestrator]\n[inference]\n";
const RETIRED: &str = "model = \"x\"\nmax_steps = 5\n[[env]]\nid = \"a/b\"\n";

#[test]
fn the_kind_is_named_and_the_target_is_main() {
    let folder =
        Folder::new(&[("cfg.toml", "target = \"0.4.0\"\n"), ("x.toml", WHOLE), ("y.toml", &WHOLE.replace("gpu_type", "name"))]);
    for (options, file) in [("", "x.toml"), ("--kind hosted ", "y.toml")] {
        let ended = folder.run(&format!("check {options}--format json {file}"));
        let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        let told = &report["files"][0];
        assert_eq!(
            (&told["kind"], &told["target"], &told["verdict"]),
            (&"hosted".into(), &"main".into(), &"ok".into()),
            "{ended:?}"
        );
        assert_eq!(ended.status, Some(0), "{ended:?}");
    }
}

#[test]
fn text_output_names_the_program_that_refuses() {
    let folder = Folder::new(&[("x.toml", &format!("clean = true\n{WHOLE}"))]);
    let ended = folder.run("check x.toml");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    insta::assert_snapshot!("a_refusal_of_prime_train", ended.stdout);
}

#[test]
fn a_command_that_starts_a_run_is_checked_with_its_flags() {
    let sft = "volume_size = \"5Ti\"\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[data]\nname = \"datasets/x\"\n";
    let folder = Folder::new(&[("x.toml", WHOLE), ("s.toml", sft)]);
    let codes = |words: &str| {
        let ended = folder.run(&format!("check --format json -- {words}"));
        let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        let told = &report["files"][0];
        let found = told["diagnostics"].as_array().expect("a list").iter();
        let found: Vec<String> =
            found.filter(|found| found["severity"] != "info").map(|found| format!("{}", found["key"])).collect();
        (told["kind"].as_str().map(str::to_owned), found.join(" "))
    };
    let hosted = || Some("hosted".to_owned());
    assert_eq!(codes("prime train x.toml"), (hosted(), String::new()));
    assert_eq!(codes("uv run prime train run x.toml --yes -o json"), (hosted(), String::new()));
    assert_eq!(codes("prime train s.toml"), (hosted(), "\"volume_size\" \"data\"".to_owned()));
    assert_eq!(codes("prime train s.toml --volume research"), (hosted(), String::new()));
    assert_eq!(codes("prime train x.toml --ref=a..b"), (hosted(), "\"source_ref\"".to_owned()));
}

#[test]
fn the_former_format_is_reported_once_for_a_folder() {
    let folder = Folder::new(&[("a/1.toml", RETIRED), ("a/2.toml", RETIRED), ("a/3.toml", RETIRED)]);
    let ended = folder.run("check .");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert_eq!(ended.stdout.matches("PRL208]").count(), 1, "{}", ended.stdout);
    insta::assert_snapshot!("configs_in_the_former_format", ended.stdout);
    let named = folder.run("check a/1.toml");
    assert_eq!(named.status, Some(1), "{named:?}");
}

#[test]
fn keys_of_hosted_training_are_not_passed_to_prime_rl() {
    let folder = Folder::new(&[("x.toml", WHOLE)]);
    let ended = folder.run("compile x.toml --format json");
    let resolved: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert!(resolved["trainer"].is_object() && resolved.get("gpu_type").is_none(), "{ended:?}");
    let launched = folder.run("run launch x.toml");
    assert!(launched.stdout.contains("prime train x.toml"), "{launched:?}");
}

#[test]
fn the_machine_is_that_of_the_gpu_type() {
    let large = "gpu_type = \"H200_141GB\"\n[model]\nname = \"Qwen/Qwen3-32B\"\n[trainer]\n[orchestrator]\n[inference]\n";
    let ended = Folder::new(&[("x.toml", large)]).run("check x.toml");
    assert!(ended.stdout.contains("PRL405") && ended.stdout.contains("H200"), "{}", ended.stdout);
}

#[test]
fn env_files_that_do_not_exist_are_reported() {
    let config = "gpu_type = \"H200_141GB\"\nenv_files = [\"here.env\", \"gone.env\", \"../top.env\"]\n[trainer]\n[orchestrator]\n[inference]\n";
    let folder = Folder::new(&[("sub/hosted.toml", config), ("sub/here.env", ""), ("top.env", "")]);
    for words in ["sub/hosted.toml", ".", "-- prime train sub/hosted.toml"] {
        let told = folder.run(&format!("check --format concise {words}")).stdout;
        assert!(told.contains("sub/hosted.toml:2:26: warning[PRL224]") && told.matches("PRL224]").count() == 1, "{told}");
    }
    // One that is in the working folder may be meant as well.
    folder.write("gone.env", b"");
    assert!(!folder.run("check --format concise sub/hosted.toml").stdout.contains("PRL224"));
    folder.write("sub/hosted.toml", config.replace("[\"here.env\", \"gone.env\", \"../top.env\"]", "\"none.env\"").as_bytes());
    let told = folder.run("check --format concise sub/hosted.toml").stdout;
    assert!(told.contains("sub/hosted.toml:2:13: warning[PRL224]"), "{told}");
}
