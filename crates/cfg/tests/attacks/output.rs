//! Text from a repository is displayed, but has no effect: control characters, changes of text direction and workflow commands never appear
//! unchanged in the output, whether they come from a file name, a key, a value, a note or a commit.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt as _, process::Command};

use serde_json::Value;

use crate::{
    computed::with_module,
    sized::sized,
    victim::{CLEAN, FORMATS, Victim, formats},
};

/// A text with terminal control sequences, a change of text direction, and workflow commands for GitHub and Azure on lines of their own.
const EVIL: &str = "a\u{1b}]0;owned\u{7}\u{1b}[2Jb\u{9b}31m\u{202e}c\u{2066}d##[error]owned\r\n::error file=x::owned\n::set-output name=x::owned\n##[error]owned\u{8}\u{7f}e";

/// That text as a string in TOML or JSON, with escapes.
fn escaped() -> String {
    let escape = |character: char| match character {
        ' '..='~' if character != '"' && character != '\\' => character.to_string(),
        other => format!("\\u{:04x}", u32::from(other)),
    };
    format!("\"{}\"", EVIL.chars().map(escape).collect::<String>())
}

/// Whether a terminal or a viewer acts on a character.
fn is_obeyed(character: char) -> bool {
    let turns = matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || character.is_control() && !matches!(character, '\n' | '\t')
}

/// Asserts that nothing in an output has an effect on a terminal or a workflow.
#[track_caller]
fn harmless(of: &str, text: &str) {
    if let Some(found) = text.chars().find(|character| is_obeyed(*character)) {
        panic!("{of}: {found:?} comes out raw: {text:?}");
    }
    for line in text.lines() {
        let is_planted = line.trim_start().starts_with("::") && line.split("::").nth(2) == Some("owned")
            || !line.starts_with("::") && line.contains("##[");
        assert!(!is_planted && !line.starts_with("::set-output"), "{of}: {line:?} speaks to a workflow: {text:?}");
    }
}

/// Commands with outputs of their own, first one of each kind.
const OTHER: [&str; 26] = [
    "compile rl.toml --explain",
    "diff rl.toml rl.toml --to-target 0.5.0",
    "memory rl.toml --gpu H100",
    "migrate rl.toml --to 0.5.0",
    "preflight rl.toml",
    "launch rl.toml",
    "log rl.toml",
    "log --graph --format svg",
    "registry list",
    "run list",
    "check --statistics .",
    "check --show-files .",
    "check --show-settings rl.toml",
    "compile rl.toml --format json",
    "compile rl.toml",
    "memory rl.toml --gpu H100 --format json",
    "curriculum rl.toml",
    "log",
    "log --format json",
    "log --graph",
    "log --graph --format mermaid",
    "log --graph --format dot",
    "registry list --format json",
    "run list --markdown",
    "run list --format json",
    "registry adopt --dry-run",
];

/// Runs every report on a repository, and opens the repository in an editor.
#[track_caller]
fn shown(victim: &Victim, names: &[&str]) {
    let reports = ["check .", "check -- uv run rl @ rl.toml", "registry verify", "check rl.toml", "hook run --all-files"];
    for (at, format) in FORMATS.iter().enumerate() {
        // Each format escapes what it prints; which command found it makes a difference in none.
        for words in &reports[..sized(if at == 0 { 3 } else { 1 }, reports.len())] {
            let words = format!("--format {format} {words}");
            let ended = victim.look(&words);
            harmless(&words, &ended.stdout);
            harmless(&words, &ended.stderr);
        }
    }
    for words in &OTHER[..sized(8, OTHER.len())] {
        let ended = victim.look(words);
        harmless(words, &ended.stdout);
        harmless(words, &ended.stderr);
    }
    let said: Value = serde_json::from_str(&victim.edit(names)).expect("JSON");
    messages(&said, &mut |message| {
        assert!(!message.contains(is_obeyed), "a character comes out raw: {message:?}");
    });
}

/// Calls `see` for the messages in a server's answer, but not for new texts of files, which are exact.
fn messages(said: &Value, see: &mut impl FnMut(&str)) {
    match said {
        Value::Array(all) => all.iter().for_each(|one| messages(one, see)),
        Value::Object(members) => {
            for (name, value) in members {
                match value
                    .as_str()
                    .filter(|_| matches!(name.as_str(), "message" | "title" | "label" | "tooltip" | "detail" | "value"))
                {
                    Some(text) => see(text),
                    None => messages(value, see),
                }
            }
        }
        _ => {}
    }
}

/// A registry with the dangerous text instead of `WORD`.
fn registry(text: &str) -> Victim {
    let victim = Victim::registered();
    victim.write("registry.json", &text.replace("WORD", escaped().trim_matches('"')));
    victim
}

#[test]
fn control_characters_in_keys_are_escaped() {
    shown(&Victim::new(&[("rl.toml", &format!("[trainer]\n[orchestrator]\n{} = 1\n", escaped()))]), &["rl.toml"]);
}

#[test]
fn control_characters_in_tables_are_escaped() {
    shown(&Victim::new(&[("rl.toml", &format!("[trainer]\n[orchestrator]\n[{}]\n[trainer.{0}.x]\n", escaped()))]), &["rl.toml"]);
}

#[test]
fn control_characters_in_values_are_escaped() {
    let text = "[model]\nname = WORD\n[trainer]\noutput_dir = WORD\n[orchestrator]\nbatch_size = WORD\nseq_len = [WORD]\n[[orchestrator.env]]\nid = WORD\n[wandb]\nname = WORD\nproject = WORD\n";
    shown(&Victim::new(&[("rl.toml", &text.replace("WORD", &escaped()))]), &["rl.toml"]);
}

#[test]
fn control_characters_in_a_clean_config_are_escaped() {
    let text = CLEAN.replacen('\n', &format!("\n# {}\n", "\u{202e}x"), 1) + &format!("\n[wandb]\nname = {}\n", escaped());
    shown(&Victim::new(&[("rl.toml", &text)]), &["rl.toml"]);
}

#[test]
fn control_characters_in_quoted_lines_are_escaped() {
    shown(
        &Victim::new(&[("rl.toml", &format!("[trainer]\n[orchestrator]\nbatch_size = 0 # {EVIL}\nx = '{EVIL}'\n= {EVIL}\n"))]),
        &["rl.toml"],
    );
}

#[test]
fn control_characters_in_metadata_are_escaped() {
    let keys = ["version", "created", "based_on", "notes", "hardware", "prime_rl", "env_version", "kind", "unknown"];
    for key in keys {
        let text = format!("# /// config\n# {key} = {}\n# ///\n{CLEAN}", escaped());
        let victim = Victim::new(&[("rl.toml", &text)]);
        for words in ["check .", "check --format github .", "memory rl.toml", "compile rl.toml", "run preflight rl.toml"] {
            let ended = victim.look(words);
            harmless(words, &ended.stdout);
            harmless(words, &ended.stderr);
        }
    }
}

#[test]
fn control_characters_in_ignore_comments_are_escaped() {
    let text = format!("# cfg: ignore-file[{EVIL}]\n[trainer]\n[orchestrator] # cfg: ignore[\u{1b}[2J\u{202e}]\n");
    shown(&Victim::new(&[("rl.toml", &text)]), &["rl.toml"]);
}

#[test]
fn control_characters_in_settings_are_escaped() {
    for text in [
        "target = WORD\n",
        "gpu = WORD\n",
        "WORD = 1\n",
        "[lint]\nselect = [WORD]\n[lint.severities]\nWORD = \"error\"\n",
        "[[group]]\ntrainer = WORD\norchestrator = WORD\nname = WORD\n",
        "[environments.WORD]\nversion = WORD\n",
        "[extend]\nWORD = \"int\"\n",
        "[lint.per-file-ignores]\nWORD = [WORD]\n",
    ] {
        let victim = Victim::new(&[("cfg.toml", &text.replace("WORD", &escaped()))]);
        for words in
            ["check .", "check --format github .", "check --format junit .", "memory rl.toml", "check --show-settings rl.toml"]
        {
            let ended = victim.look(words);
            harmless(words, &ended.stdout);
            harmless(words, &ended.stderr);
        }
    }
}

#[test]
fn control_characters_in_names_of_bases_are_escaped() {
    shown(&Victim::new(&[("rl.toml", &format!("toml_files = [{0}, \"{1}.toml\"]\n[trainer]\n", escaped(), "x"))]), &["rl.toml"]);
}

#[test]
fn control_characters_in_file_names_are_escaped() {
    let victim = Victim::registered();
    for name in [
        "a\u{1b}]0;owned\u{7}.toml",
        "b\u{202e}lmot.toml",
        "c\r\n::error::owned.toml",
        "d\n##[error]owned.toml",
        "e\u{9b}2J/x.toml",
    ] {
        victim.write(name, "[trainer]\n[orchestrator]\nx = 1\n");
    }
    victim.write("::error::owned.toml", "[trainer]\n[orchestrator]\nx = 1\n");
    fs::write(victim.at("clone").join(OsStr::from_bytes(b"f\xff\x1b[2J.toml")), "[trainer]\n[orchestrator]\nx = 1\n")
        .expect("a file");
    victim.git("add -A");
    shown(&victim, &["rl.toml"]);
    let names = ["a\u{1b}]0;owned\u{7}.toml", "c\r\n::error::owned.toml", "no\u{1b}[2J.toml", "\u{202e}"];
    for name in names {
        for command in
            ["check", "compile", "memory", "launch", "preflight", "log", "show", "bump", "curriculum", "registry verify"]
        {
            let words = command.split(' ').chain([name]).chain((command == "bump").then_some("-mx"));
            let ended = victim.finish(&mut victim.command_with(words), b"");
            harmless(command, &ended.stdout);
            harmless(command, &ended.stderr);
        }
    }
}

#[test]
fn control_characters_in_arguments_are_escaped() {
    let victim = Victim::registered();
    for words in [
        &["check", "--target", EVIL, "."][..],
        &["check", "--format", EVIL],
        &["check", "--select", EVIL],
        &[EVIL],
        &["explain", EVIL],
        &["schema", "show", EVIL],
        &["check", "--", "uv", "run", "rl", "@", "rl.toml", EVIL],
        &["memory", "rl.toml", "--gpu", EVIL],
        &["run", "finish", EVIL],
    ] {
        let ended = victim.finish(&mut victim.command_with(words), b"");
        harmless("said", &ended.stdout);
        harmless("said", &ended.stderr);
    }
}

#[test]
fn control_characters_in_registry_notes_are_escaped() {
    let text = r#"{"active_configs": {"WORD": "rl.toml:v1"}, "configs": {"rl.toml": {"model": "WORD", "hardware": "WORD", "current_version": "v1",
        "versions": {"v1": {"created": "WORD", "notes": "WORD", "based_on": "WORD", "env_version": "WORD", "prime_rl": "WORD"}}}}}"#;
    shown(&registry(text), &["rl.toml"]);
}

#[test]
fn control_characters_in_registry_names_are_escaped() {
    let text = r#"{"configs": {"WORD": {"current_version": "WORD", "versions": {"WORD": {"created": "2026-01-05", "notes": "x", "sha256": "WORD"}}},
        "rl.toml": {"current_version": "v1", "versions": {"v1": {"created": "2026-01-05", "notes": "x", "based_on": "WORD:WORD"}}}}, "WORD": 1}"#;
    shown(&registry(text), &["rl.toml"]);
}

#[test]
fn control_characters_in_runs_are_escaped() {
    let victim = Victim::registered();
    for words in [
        &["run", "add", "rl.toml:v1", "--id", "one", "--notes", EVIL, "--wandb", EVIL][..],
        &["run", "add", "rl.toml:v1", "--id", EVIL, "--hardware", EVIL, "--pod", EVIL],
        &["run", "finish", "one", "--notes", EVIL, "--reward", EVIL],
        &["bump", "rl.toml", "--force", "-m", EVIL],
    ] {
        let ended = victim.finish(&mut victim.command_with(words), b"");
        harmless("said", &ended.stdout);
        harmless("said", &ended.stderr);
    }
    shown(&victim, &["rl.toml"]);
    let text = victim.read("registry.json");
    let planted = text.replace("\"one\"", &escaped());
    victim.write("registry.json", &planted);
    shown(&victim, &["rl.toml"]);
}

#[test]
fn control_characters_in_commits_are_escaped() {
    let victim = Victim::new(&[]);
    victim.git("add -A");
    victim.git_with(["commit", "-qm", EVIL]);
    victim.write("rl.toml", &CLEAN.replace("max_steps = 100", "max_steps = 200"));
    victim.git("add -A");
    victim.git_with(["commit", "-q", "--author", "\u{1b}[2J\u{202e} <a@b>", "-m", "::error::owned", "-m", EVIL]);
    victim.git("branch -m m\u{202e}x");
    for words in ["registry adopt --dry-run", "registry adopt"] {
        let ended = victim.run(words);
        harmless(words, &ended.stdout);
        harmless(words, &ended.stderr);
    }
    shown(&victim, &["rl.toml"]);
}

#[test]
fn control_characters_in_a_model_are_escaped() {
    let model = |text: &str| text.replace("WORD", &escaped());
    for text in [
        "{\"model_type\": WORD}",
        "{\"model_type\": \"qwen3\", \"torch_dtype\": WORD, \"hidden_size\": WORD}",
        "{WORD: ",
        "{\"architectures\": [WORD]}",
    ] {
        let victim = Victim::new(&[("rl.toml", "[model]\nname = \"./model\"\n[trainer]\n[orchestrator]\n[inference]\n")]);
        victim.write("model/config.json", &model(text));
        for words in ["memory rl.toml --gpu H100", "memory rl.toml --gpu H100 --format json", "check .", "run preflight rl.toml"]
        {
            let ended = victim.look(words);
            harmless(words, &ended.stdout);
            harmless(words, &ended.stderr);
        }
    }
}

#[test]
fn a_value_without_an_end_is_not_shown_in_full() {
    let long = "x".repeat(1 << 20);
    let victim = Victim::new(&[("rl.toml", &format!("[trainer]\n[orchestrator]\nbatch_size = \"{long}\"\n{long} = 1\n"))]);
    for format in formats() {
        let ended = victim.look(&format!("check --format {format} rl.toml"));
        // The rules in a SARIF report alone need a hundred kilobytes, and formats for programs contain keys in full.
        assert!(ended.stdout.len() < 8 << 20, "{format}: {} bytes", ended.stdout.len());
    }
}

#[test]
fn control_characters_in_logs_are_escaped() {
    let text = format!(
        "RuntimeError: {EVIL}\n{EVIL} CUDA out of memory {EVIL}\nTraceback (most recent call last):\n  File \"{EVIL}\"\nValueError: {EVIL}\n"
    );
    let victim = Victim::new(&[("logs/trainer.log", &text)]);
    for words in
        ["diagnose logs", "diagnose logs --format json", "diagnose logs --against rl.toml", "diagnose logs --format github"]
    {
        let ended = victim.look(words);
        harmless(words, &ended.stdout);
        harmless(words, &ended.stderr);
    }
}

#[test]
fn control_characters_in_sources_are_escaped() {
    let evil = escaped();
    let classes = format!(
        "from typing import Annotated, Literal\nfrom pydantic import BaseModel, Field\nclass TrainerConfig(BaseModel):\n    n: int = 1\n    \
         warp: Annotated[str, Field(alias={evil}, description={evil})] = {evil}\n    shape: Literal[{evil}] = {evil}\n    {evil}\n"
    );
    let victim = with_module(&classes);
    victim.write("environments/x/pyproject.toml", "[project]\nname = \"x\"\nversion = \"0.1.0\"\n");
    let arguments = format!("def load_environment(a: str = {evil}, b=({evil},)):\n    {evil}\n");
    victim.write("environments/x/x.py", &arguments);
    for words in [
        "env x",
        "env x --format json",
        "schema show --kind trainer --target path:fork",
        "schema show warp --kind trainer --target path:fork",
        "schema show shape --kind trainer --target path:fork --format json",
        "schema import fork --name fork",
        "schema diff 0.8.0 local:fork --kind trainer",
        "schema history warp --kind trainer --target local:fork",
        "check fork/trainer.toml --kind trainer --target path:fork",
    ] {
        let ended = victim.run(words);
        harmless(words, &ended.stdout);
        harmless(words, &ended.stderr);
    }
    assert!(victim.look("env x").stdout.contains("default a\\x1b]0;owned"));
}

/// A script that is printed for a shell runs nothing that is in a config.
#[test]
fn a_script_for_a_launch_runs_nothing_of_a_config() {
    let victim = Victim::new(&[]);
    let marker = victim.marker();
    let names = [
        format!("a$({marker}).toml"),
        format!("b`{marker}`.toml"),
        format!("c'; {marker}; '.toml"),
        format!("d\n{marker}\n.toml"),
        "-e x.toml".to_owned(),
    ];
    let tricks = ["$(MARKER)", "`MARKER`", "'; MARKER; '", "\\n MARKER \\n", "\\\"; MARKER; \\\"", "\\n'; MARKER\\n#"];
    let mut scripts = Vec::new();
    for name in names {
        let name = name.replace('/', "\u{2215}");
        victim.write(&name, CLEAN);
        for more in [&["run", "launch"][..], &["run", "launch", "--by-hand"], &["run", "launch", "--shared-gpu", "0"]] {
            scripts.push(victim.finish(&mut victim.command_with(more.iter().chain(&[&*format!("./{name}")])), b""));
        }
    }
    for trick in tricks {
        let trick = trick.replace("MARKER", &marker);
        let text = format!("output_dir = \"{trick}\"\n{CLEAN}\n[wandb]\nname = \"{trick}\"\n# {trick}\n");
        victim.write("rl.toml", &text);
        for words in ["run launch rl.toml", "run launch rl.toml --by-hand", "run launch rl.toml --shared-gpu 0"] {
            scripts.push(victim.run(words));
        }
    }
    assert!(scripts.iter().any(|ended| ended.status == Some(0)), "some are printed");
    for name in ["uv", "tee", "nvidia-smi", "mkdir", "date"] {
        victim.program(&format!("state/programs/{name}"), "#!/bin/sh\nexit 0\n");
    }
    for ended in scripts {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &ended.stdout]);
        let mut command = victim.within(command);
        let _ = command.current_dir(victim.at("tmp")).env("PATH", victim.at("state/programs")).output();
        assert!(!victim.at("ran").exists(), "a script runs what a config holds: {}", ended.stdout);
    }
}
