//! No text in a repository makes cfg read Python sources outside it.

use crate::{
    running::finish,
    victim::{SECRET, Victim},
};

const CONFIG: &str = "warp = \"x\"\n";

/// Writes config classes to a folder, with a secret that would be displayed if they were read.
fn classes(victim: &Victim, folder: &str) {
    for (module, class) in [
        ("rl", "RLConfig"),
        ("trainer", "TrainerConfig"),
        ("orchestrator", "OrchestratorConfig"),
        ("inference", "InferenceConfig"),
        ("sft", "SFTConfig"),
    ] {
        let text = format!(
            "from typing import Literal\nfrom pydantic import BaseModel\nclass {class}(BaseModel, extra='forbid'):\n    warp: Literal['{SECRET}'] = '{SECRET}'\n"
        );
        let path = victim.at(folder).join(format!("src/prime_rl/configs/{module}.py"));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
}

/// A clone with these files next to a config, and config classes outside the clone.
fn victim(files: &[(&str, &str)]) -> Victim {
    let victim = Victim::with_clone(&[("trainer.toml", CONFIG)]);
    classes(&victim, "outside/fork");
    for (name, text) in files {
        victim.write(name, text);
    }
    victim
}

/// Runs all commands on the clone, and asserts that none prints the secret; returns the output of `cfg check`.
#[track_caller]
fn look(victim: &Victim) -> String {
    for words in ["compile trainer.toml --kind trainer", "check --show-settings trainer.toml", "check --format json ."] {
        victim.look(words);
    }
    assert!(!victim.edit(&["trainer.toml"]).contains(SECRET));
    let ended = victim.look("check --kind trainer trainer.toml");
    let said = ended.stdout + &ended.stderr;
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A user may name any folder. This ensures that the tests below would notice a leak.
#[test]
fn a_user_may_name_any_folder() {
    let victim = victim(&[]);
    let ended = finish(&mut victim.command("check --kind trainer trainer.toml --target path:../outside/fork"), b"");
    assert!(ended.stdout.contains(SECRET), "{ended:?}");
}

#[test]
fn a_target_of_the_settings_reads_no_folder_outside() {
    let mut all = String::new();
    for (file, head) in [("cfg.toml", ""), ("pyproject.toml", "[project]\nname = \"x\"\n[tool.cfg]\n")] {
        for path in ["../outside/fork", "nowhere/../../outside/fork", "../outside/fork/.", "vendor", "vendor/../vendor"] {
            let text = format!("{head}target = \"path:{path}\"\n");
            let victim = victim(&[(file, &text)]);
            victim.link("vendor", victim.at("outside/fork"));
            let said = look(&victim);
            assert!(said.contains("PRL014"), "{path}: {said}");
            all += said.split(" help:").next().unwrap_or_default();
            all += "\n";
        }
        let victim = victim(&[]);
        victim.write(file, &format!("{head}target = \"path:{}\"\n", victim.at("outside/fork").display()));
        assert!(look(&victim).contains("`--target path:"));
    }
    insta::assert_snapshot!("targets_outside_the_repository", all);
}

#[test]
fn a_header_reads_no_folder_outside() {
    let victim = victim(&[("trainer.toml", &format!("# /// config\n# prime_rl = \"path:../outside/fork\"\n# ///\n{CONFIG}"))]);
    let said = look(&victim);
    insta::assert_snapshot!("a_target_of_a_header_outside_the_repository", said);
}

#[test]
fn sources_behind_a_link_are_not_read() {
    let victim = victim(&[("cfg.toml", "target = \"path:inner\"\n"), ("inner/README.md", "")]);
    victim.link("inner/src", victim.at("outside/fork/src"));
    look(&victim);
}

#[test]
fn a_dependency_reads_no_folder_outside() {
    let project =
        "[project]\nname = \"x\"\ndependencies = [\"prime-rl\"]\n[tool.uv.sources]\nprime-rl = { path = \"../outside/fork\" }\n";
    let lock =
        "version = 1\n\n[[package]]\nname = \"prime-rl\"\nversion = \"0.5.0\"\nsource = { editable = \"../outside/fork\" }\n";
    for (file, text) in
        [("pyproject.toml", project), ("uv.lock", lock), ("requirements.txt", "-e file:../outside/fork#egg=prime-rl\n")]
    {
        look(&victim(&[(file, text)]));
    }
}

/// A repository next to the clone that is not a prime-rl reveals nothing, not even its age.
#[test]
fn another_repository_is_not_taken_for_a_prime_rl() {
    let project = "[project]\nname = \"x\"\ndependencies = [\"prime-rl\"]\n[tool.uv.sources]\nprime-rl = { path = \"../outside/folder\" }\n";
    for (file, text) in [("pyproject.toml", project), ("cfg.toml", "target = \"path:../outside/folder\"\n")] {
        let victim = victim(&[(file, text)]);
        let before = look(&victim);
        let folder = victim.at("outside/folder").display().to_string();
        victim.git_with(["-C", &folder, "init", "-q", "--template="]);
        victim.git_with(["-C", &folder, "add", "."]);
        victim.git_with(["-C", &folder, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "one"]);
        assert_eq!(look(&victim), before, "{file}");
    }
}

#[test]
fn a_locked_folder_of_verifiers_reads_no_python_outside() {
    let files = [
        ("ev.toml", "[[eval]]\nenv_id = \"a\"\nnum_exampls = 3\n"),
        ("uv.lock", "version = 1\n\n[[package]]\nname = \"verifiers\"\nsource = { editable = \"../outside/vf\" }\n"),
    ];
    let victim = victim(&files);
    let path = victim.at("outside/vf/verifiers/utils/eval_utils.py");
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let text = format!("def load_toml_config(path):\n    valid_fields = {{'env_id', 'num_exampls', '{SECRET}'}}\n");
    std::fs::write(path, text).expect("a file");
    for words in ["check ev.toml", "check --format json ev.toml", "check ."] {
        let ended = victim.look(words);
        let said = ended.stdout + &ended.stderr;
        assert!(said.contains("num_exampls") && !said.contains("outside/vf"), "{words}: {said}");
    }
    assert!(!victim.edit(&["ev.toml"]).contains(SECRET));
}

/// A command in a text may go to a clone of prime-rl, and to nothing else outside.
#[test]
fn a_command_in_a_text_reads_no_folder_outside() {
    let script = "#!/bin/sh\n# Starts prime-rl.\ncd ../outside/fork && uv run trainer @ ../../clone/trainer.toml\n";
    let page = "prime-rl is started by `uv run --project ../outside/fork trainer @ trainer.toml`.\n";
    let header = format!("# cd ../outside/fork && uv run trainer @ ../../clone/trainer.toml\n{CONFIG}");
    for (file, text) in [("run.sh", script), ("scripts/run.sh", script), ("README.md", page), ("trainer.toml", &header)] {
        look(&victim(&[(file, text)]));
    }
}

/// A link in the place of a copy of prime-rl is not followed, whether it leads to a clone or not.
#[test]
fn a_link_in_the_place_of_a_copy_is_not_followed() {
    for place in ["prime-rl", "deps/prime-rl"] {
        let victim = victim(&[("deps/README.md", ""), ("pyproject.toml", "[project]\nname = \"x\"\n")]);
        victim.link(place, victim.at("outside/fork"));
        look(&victim);
        let victim = self::victim(&[("prime-rl/README.md", ""), ("deps/prime-rl/README.md", "")]);
        victim.link(&format!("{place}/src"), victim.at("outside/fork/src"));
        look(&victim);
    }
}
