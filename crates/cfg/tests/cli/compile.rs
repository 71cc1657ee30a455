//! What `cfg compile` prints and writes.

use std::fs;

use super::{
    CLEAN, Folder, MISSPELT,
    schema::{folder_with, small_prime_rl},
};

fn folder() -> Folder {
    Folder::new(&[("rl.toml", CLEAN), ("other.toml", "[trainer]\n[orchestrator]\n"), ("misspelt.toml", MISSPELT)])
}

#[test]
fn compiled_toml_resolves_to_the_same_values() {
    let folder = folder();
    let written = folder.run("compile rl.toml --target 0.4.0 --format toml");
    assert_eq!((written.status, &*written.stderr), (Some(0), ""), "{written:?}");
    folder.write("again.toml", written.stdout.as_bytes());
    let json = |file: &str| folder.run(&format!("compile {file} --target 0.4.0 --kind rl --format json")).stdout;
    assert_eq!(json("again.toml"), json("rl.toml"));
}

#[test]
fn files_of_the_launcher_are_written_and_never_replaced_unasked() {
    let folder = folder();
    let compile = |words: &str| folder.run(&format!("compile rl.toml --target 0.4.0 -o out {words}"));
    assert_eq!(compile("").status, Some(0));
    let path = folder.path().join("out/trainer.toml");
    let first = fs::read(&path).expect("a file");
    assert_eq!(compile("").status, Some(0), "the same files again are no change");
    folder.write("out/trainer.toml", b"mine");
    let refused = compile("");
    assert_eq!(refused.status, Some(2));
    assert!(refused.stderr.contains("trainer.toml"), "{refused:?}");
    assert_eq!(fs::read(&path).expect("a file"), b"mine");
    assert_eq!(compile("--overwrite").status, Some(0));
    assert_eq!(fs::read(&path).expect("a file"), first);
    let names = fs::read_dir(folder.path().join("out")).expect("a folder").count();
    assert_eq!(names, 3, "nothing is left beside the files");
}

#[test]
fn each_value_has_its_origin() {
    let folder = folder();
    let explained = folder.run("compile rl.toml --target 0.4.0 --explain trainer.model.seq_len");
    assert_eq!((explained.status, &*explained.stdout), (Some(0), "trainer.model.seq_len = 4096  rl.toml:13:11\n"));
    let copied = folder.run("compile rl.toml --target 0.4.0 --explain trainer.model.name").stdout;
    assert!(copied.ends_with("  auto_setup_model, from rl.toml:6:8\n"), "{copied}");
    let default = folder.run("compile rl.toml --target 0.4.0 --explain trainer.model.cp --format json").stdout;
    let default: serde_json::Value = serde_json::from_str(&default).expect("JSON");
    assert_eq!(default["values"][0]["origin"], serde_json::json!({ "kind": "default", "target": "0.4.0" }));
    assert_eq!(folder.run("compile rl.toml --target 0.4.0 --explain no.such.key").status, Some(2));
}

/// Comparing is for `cfg diff`.
#[test]
fn a_comparison_is_for_another_command() {
    let asked = folder().run("compile rl.toml --target 0.4.0 --diff other.toml");
    assert_eq!(asked.status, Some(2));
    assert!(asked.stderr.contains("`cfg diff`"), "{asked:?}");
}

#[test]
fn findings_are_not_printed_as_toml() {
    assert_eq!(folder().run("check rl.toml --target 0.4.0 --format toml").status, Some(2));
}

#[test]
fn fields_of_another_package_keep_their_defaults() {
    let text = "max_steps = 5\n[trainer]\n[orchestrator]\n[[orchestrator.train.env]]\n[orchestrator.train.env.taskset]\nid = \"my-tasks\"\n\
        [orchestrator.train.env.harness]\nid = \"ID\"\n[inference]\n";
    for (id, has_defaults) in [("my-harness", false), ("codex", true), ("default", true)] {
        let folder = Folder::new(&[("rl.toml", &text.replace("ID", id))]);
        let written = folder.run("compile rl.toml --target 0.7.0 --format toml");
        assert_eq!(written.status, Some(0), "{written:?}");
        let (_, harness) = written.stdout.split_once("[orchestrator.train.env.harness]\n").expect("it is there");
        let harness = harness.split_once("\n[").map_or(harness, |(harness, _)| harness);
        assert_eq!(harness.contains("forward_env"), has_defaults, "{harness}");
        // Only the default harness has these keys.
        assert_eq!(harness.contains("edit = ") || harness.contains("search = "), id == "default", "{harness}");
        folder.write("again.toml", written.stdout.as_bytes());
        let json = |name: &str| folder.run(&format!("compile {name} --target 0.7.0 --format json")).stdout;
        assert!(!json("rl.toml").is_empty());
        assert_eq!(json("again.toml"), json("rl.toml"), "{id}");
    }
}

/// The trainer of a fork with a check of its own, which sets one key from another.
const FILLING_TRAINER: &str = r#"
from pydantic import BaseModel, model_validator

class TrainerConfig(BaseModel, extra="forbid"):
    warp: int = 1
    reach: int = 1

    @model_validator(mode="after")
    def fill_reach(self):
        if self.warp > 1:
            self.reach = self.warp * 2
        return self
"#;

#[test]
fn toml_for_a_fork_is_resolved_by_its_own_checks() {
    let folder = folder_with(&small_prime_rl(&[("trainer", FILLING_TRAINER)]), &[("train.toml", "warp = 3\n")]);
    let compile =
        |file: &str, format: &str| folder.run(&format!("compile {file} --kind trainer --target path:fork --format {format}"));
    let written = compile("train.toml", "toml");
    assert_eq!(written.status, Some(0), "{written:?}");
    folder.write("again.toml", written.stdout.as_bytes());
    let json = compile("train.toml", "json").stdout;
    assert!(json.contains("\"reach\": 6"), "{json}");
    assert_eq!(compile("again.toml", "json").stdout, json);
}
