//! Every answer has the requested format: with `--format json` a command prints exactly one JSON document, whatever the result
//! is, and even if the command fails.

use std::fs;

use serde_json::Value;

use crate::{running::Ended, sized::sized, victim::Victim};

/// All commands that take a config; FILE stands for its path.
const WITH_A_FILE: [&str; 31] = [
    "check FILE",
    "check FILE --fix",
    "check FILE --diff",
    "check FILE --statistics",
    "check FILE --show-files",
    "check FILE --show-settings",
    "check FILE --add-ignore",
    "check --configs-only FILE",
    "check -- uv run rl @ FILE",
    "compile FILE",
    "compile FILE --explain",
    "compile -- uv run rl @ FILE",
    "compile FILE -o out",
    "curriculum FILE",
    "diff FILE rl.toml",
    "diff FILE --to-target 0.5.0",
    "diff FILE:v1 rl.toml",
    "memory FILE",
    "memory FILE --gpu H100",
    "memory FILE --gpu local",
    "memory FILE --sweep seq_len=1024..2048",
    "migrate FILE --to 0.5.0",
    "migrate FILE --to 0.5.0 --diff",
    "launch FILE",
    "launch FILE --by-hand",
    "preflight FILE",
    "bump FILE -m why",
    "log FILE",
    "show FILE:v1",
    "restore FILE:v1",
    "run add FILE",
];

/// All commands that take no config.
const WITHOUT_A_FILE: [&str; 32] = [
    "check",
    "check nothing",
    "check --baseline nothing.json .",
    "check --select nonsense .",
    "check --target 0.4.9 .",
    "--settings nothing.toml check .",
    "diagnose rl.toml",
    "diagnose nothing",
    "diagnose --list",
    "explain",
    "explain PRL101",
    "explain nonsense",
    "hook run",
    "hook install",
    "hook uninstall",
    "log",
    "log --graph",
    "registry verify",
    "registry list",
    "registry gc",
    "registry gc --dry-run",
    "registry adopt --dry-run",
    "registry adopt",
    "registry init",
    "run list",
    "run list --stale",
    "run close nothing",
    "schema show trainer.model",
    "schema show nonsense",
    "schema history trainer.model",
    "schema diff 0.4.0 0.5.0",
    "schema export",
];

/// Invalid command lines.
const NONSENSE: [&str; 12] = [
    "",
    "nonsense",
    "check --nonsense",
    "check --fix --add-ignore",
    "compile",
    "bump rl.toml --nonsense",
    "migrate rl.toml --to nonsense",
    "memory",
    "registry",
    "run add",
    "schema import",
    "schema export --kind nonsense",
];

/// Asserts that the command prints one document for `--format json`.
#[track_caller]
fn answered(victim: &Victim, words: &str) {
    if sized(false, true) {
        return answered_in_all_forms(victim, words);
    }
    is_document(victim, &format!("--format json {words}"));
}

#[track_caller]
fn is_document(victim: &Victim, asked: &str) {
    let ended = victim.run(asked);
    let document: Result<Value, _> = serde_json::from_str(&ended.stdout);
    assert!(document.is_ok(), "{asked}: {document:?}: {ended:?}");
}

/// Asserts that the command prints one document for each of the two spellings of `--format json`, and one document per line for the other format.
#[track_caller]
fn answered_in_all_forms(victim: &Victim, words: &str) {
    for asked in [format!("--format json {words}"), format!("{words} --format=json")] {
        // The words after `--` are those of a launch command.
        if asked.contains(" -- ") && asked.ends_with("=json") {
            continue;
        }
        is_document(victim, &asked);
    }
    let ended = victim.run(&format!("--format json-lines {words}"));
    are_lines(words, &ended);
}

#[track_caller]
fn are_lines(words: &str, ended: &Ended) {
    for line in ended.stdout.lines() {
        let document: Result<Value, _> = serde_json::from_str(line);
        assert!(document.is_ok(), "{words}: {document:?}: {ended:?}");
    }
}

/// Runs the commands on this config; every second one in an ordinary run.
#[track_caller]
fn of(victim: &Victim, file: &str) {
    for words in WITH_A_FILE.iter().step_by(sized(2, 1)) {
        answered(victim, &words.replace("FILE", file));
    }
}

#[test]
fn a_clean_config_is_answered() {
    let victim = Victim::registered();
    for (at, words) in WITH_A_FILE.iter().enumerate() {
        let words = words.replace("FILE", "rl.toml");
        if at % 2 == 0 { answered_in_all_forms(&victim, &words) } else { answered(&victim, &words) }
    }
}

#[test]
fn a_config_that_is_refused_is_answered() {
    let victim = Victim::registered();
    victim.write("bad.toml", "[trainer]\n[orchestrator]\nbatch_size = 0\nunknown = 1\n");
    of(&victim, "bad.toml");
}

#[test]
fn a_config_that_is_not_toml_has_a_json_answer() {
    let victim = Victim::registered();
    victim.write("bad.toml", "[trainer\n= 1\n\u{1b}[2J");
    of(&victim, "bad.toml");
}

#[test]
fn a_file_that_is_not_there_is_answered() {
    of(&Victim::registered(), "nothing.toml");
}

#[test]
fn a_folder_in_place_of_a_file_has_a_json_answer() {
    let victim = Victim::registered();
    fs::create_dir(victim.path("folder")).expect("a folder");
    of(&victim, "folder");
}

#[test]
fn a_link_out_of_the_repository_has_a_json_answer() {
    let victim = Victim::registered();
    victim.link("environ.toml", "/proc/self/environ");
    of(&victim, "environ.toml");
}

#[test]
fn a_config_without_a_registry_is_answered() {
    let victim = Victim::new(&[]);
    of(&victim, "rl.toml");
    for words in WITHOUT_A_FILE {
        answered(&victim, words);
    }
}

#[test]
fn commands_without_files_have_a_json_answer() {
    let victim = Victim::registered();
    for (at, words) in WITHOUT_A_FILE.iter().enumerate() {
        if at % 4 == 0 { answered_in_all_forms(&victim, words) } else { answered(&victim, words) }
    }
}

#[test]
fn a_broken_registry_is_answered() {
    for text in ["", "{", "[]", "null", "{\"configs\": []}", "{\"configs\": {\"rl.toml\": 1}}"] {
        let victim = Victim::registered();
        victim.write("registry.json", text);
        for words in [
            "registry verify",
            "registry list",
            "log",
            "log rl.toml",
            "run list",
            "registry show rl.toml:v1",
            "bump rl.toml -m x",
        ] {
            answered(&victim, words);
        }
    }
}

#[test]
fn broken_settings_are_answered() {
    for text in ["= 1\n", "target = 1\n", "target = \"0.4.9\"\n", "[lint]\nselect = 1\n"] {
        let victim = Victim::registered();
        victim.write("cfg.toml", text);
        for words in
            ["check .", "compile rl.toml", "memory rl.toml", "run launch rl.toml", "bump rl.toml -m x --force", "hook run"]
        {
            answered(&victim, words);
        }
    }
}

#[test]
fn an_invalid_command_line_has_a_json_answer() {
    let victim = Victim::registered();
    for words in NONSENSE {
        answered(&victim, words);
        assert_eq!(victim.run(&format!("--format json {words}")).status, Some(2), "{words}");
    }
}

#[test]
fn a_checkout_that_can_not_be_imported_is_answered() {
    let victim = Victim::new(&[("fork/src/prime_rl/__init__.py", "")]);
    for words in ["schema import fork", "schema import nothing", "schema import rl.toml"] {
        answered(&victim, words);
    }
}

#[test]
fn a_missing_repository_has_a_json_answer() {
    let victim = Victim::registered();
    fs::remove_dir_all(victim.path(".git")).expect("it is removed");
    for words in [
        "hook run",
        "hook install",
        "hook uninstall",
        "hook run --all-files",
        "check .",
        "registry verify",
        "diff HEAD:rl.toml rl.toml",
    ] {
        answered(&victim, words);
    }
}

#[test]
fn a_deleted_working_folder_has_a_json_answer() {
    let victim = Victim::new(&[]);
    for words in ["check", "check .", "registry verify", "log", "hook run", "compile rl.toml"] {
        let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" --format json \"$@\"";
        let mut command = std::process::Command::new("/bin/sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_cfg")]).args(words.split_whitespace());
        let ended = victim.finish(&mut victim.within(command), b"");
        assert!(serde_json::from_str::<Value>(&ended.stdout).is_ok(), "{words}: {ended:?}");
    }
}

#[test]
fn standard_input_is_answered() {
    let victim = Victim::new(&[]);
    for (words, input) in [
        ("check -", &b"[trainer]\n[orchestrator]\nx = 1\n"[..]),
        ("check --fix -", b"[trainer]\n[orchestrator]\nx = 1\n"),
        ("check -", b"\xff\xfe\0"),
        ("migrate - --to 0.5.0", b"[trainer]\n[orchestrator]\n"),
        ("diagnose -", b"CUDA out of memory\n"),
        ("diagnose -", b"\xff\x1b[2J"),
    ] {
        let ended = victim.finish(&mut victim.command(&format!("--format json {words}")), input);
        assert!(serde_json::from_str::<Value>(&ended.stdout).is_ok(), "{words}: {ended:?}");
    }
}
