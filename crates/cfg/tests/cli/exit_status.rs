//! The exit status is 0 without errors, 1 if errors were found, and 2 if the command could not do its work.

use super::{CLEAN, DROPPED, Folder, MISSPELT};

fn folder() -> Folder {
    Folder::new(&[("clean.toml", CLEAN), ("misspelt.toml", MISSPELT), ("dropped.toml", DROPPED)])
}

#[track_caller]
fn check(words: &str, status: i32) {
    let ended = folder().run(words);
    assert_eq!(ended.status, Some(status), "{ended:?}");
}

#[test]
fn no_findings_exit_with_0() {
    check("check --target 0.4.0 clean.toml", 0);
    check("--target 0.4.0 check clean.toml", 0);
    check("explain PRL101", 0);
    check("--version", 0);
    check("--help", 0);
}

#[test]
fn errors_exit_with_1() {
    check("check --target 0.4.0 misspelt.toml", 1);
    check("check --target 0.4.0 clean.toml misspelt.toml", 1);
    check("check --target 0.4.0 .", 1);
}

#[test]
fn warnings_exit_with_0_unless_denied() {
    check("check --target 0.4.0 dropped.toml", 0);
    check("check --target 0.4.0 --deny warnings dropped.toml", 1);
    check("check --target 0.4.0 --deny warnings clean.toml", 0);
}

#[test]
fn bad_usage_exits_with_2() {
    check("", 2);
    check("frobnicate", 2);
    check("check --frobnicate", 2);
    check("check --format xml clean.toml", 2);
    check("check --kind dpo clean.toml", 2);
    check("explain PRL999", 2);
}

#[test]
fn a_command_that_fails_says_why() {
    let circle = Folder::new(&[
        ("a.toml", "toml_files = [\"b.toml\"]\nmax_steps = 10\n"),
        ("b.toml", "toml_files = [\"a.toml\"]\nseq_len = 2048\n"),
        ("part.toml", "max_steps = 10\n"),
    ]);
    for words in [
        "migrate a.toml --from 0.4.0",
        "migrate a.toml --from 0.8.0 --to main",
        "migrate a.toml",
        "compile a.toml --target 0.4.0",
        "compile a.toml --target 0.8.0",
        "compile a.toml part.toml",
        "plan a.toml --target 0.4.0",
        "memory part.toml --gpu H100",
        "estimate part.toml",
        "run preflight part.toml",
        "diff part.toml a.toml",
        "sweep part.toml max_steps=1,2",
    ] {
        let ended = circle.run(words);
        assert!(ended.status > Some(0), "{words}: {ended:?}");
        let why = ended.stderr.lines().rev().find(|line| line.starts_with("cfg: ")).unwrap_or_default();
        assert!(why.contains("can't be resolved without its kind: pass it, such as `--kind rl`"), "{words}: {ended:?}");
    }
    // With the kind, a circle is no obstacle: each file is read once.
    let ended = circle.run("migrate a.toml --kind orchestrator --from 0.4.0");
    assert!(ended.stdout.contains("max_steps") || ended.stdout.contains("To decide"), "{ended:?}");
}

#[test]
fn an_unknown_target_exits_with_2_and_lists_the_known_ones() {
    for target in ["0.4.9", "ffffffffff", "yesterday", "2020-01-01"] {
        let ended = folder().run(&format!("check --target {target} clean.toml"));
        assert_eq!(ended.status, Some(2), "{ended:?}");
        assert!(ended.stderr.contains(target), "{ended:?}");
    }
    assert!(folder().run("check --target 0.4.9 clean.toml").stderr.contains("0.8.0"));
}

#[test]
fn an_unknown_target_in_the_settings_exits_with_2_if_it_is_used() {
    for (name, text) in [("cfg.toml", "target = \"0.4.9\"\n"), ("pyproject.toml", "[tool.cfg]\ntarget = \"0.4.9\"\n")] {
        let folder = folder();
        folder.write(name, text.as_bytes());
        let ended = folder.run("check --format concise clean.toml");
        assert_eq!(ended.status, Some(2), "{ended:?}");
        assert!(ended.stdout.contains("error[PRL014]"), "{ended:?}");
        // If another target is stated, this one is not needed, but it is still an error in the settings.
        assert_eq!(folder.run("check --target 0.4.0 clean.toml").status, Some(1));
    }
    let folder = folder();
    folder.write("cfg.toml", b"targt = \"0.4.0\"\n");
    assert_eq!(folder.run("check clean.toml").status, Some(1));
}

#[test]
fn a_target_after_the_known_history_is_noted_once_and_not_an_error() {
    let folder = folder();
    let code = "info[PRL016]";
    let ended = folder.run("check --target 2999-01-01 --format concise clean.toml dropped.toml");
    assert_eq!(ended.stdout.matches(code).count(), 1, "{ended:?}");
    assert!(ended.stdout.contains("--target: info[PRL016] 2999-01-01 "), "{ended:?}");
    folder.write("cfg.toml", b"target = \"2999-01-01\"\n");
    let ended = folder.run("check --format concise clean.toml dropped.toml");
    assert_eq!(ended.stdout.matches(code).count(), 1, "{ended:?}");
    assert!(ended.stdout.contains("cfg.toml:1:10: info[PRL016]"), "{ended:?}");
    let ended = self::folder().run("check --target 2026-01-06 --format concise clean.toml");
    assert!(!ended.stdout.contains("PRL016"), "{ended:?}");
}

#[test]
fn a_missing_file_exits_with_2_despite_other_findings() {
    check("check --target 0.4.0 nothere.toml", 2);
    check("check --target 0.4.0 clean.toml nothere.toml", 2);
    check("check --target 0.4.0 misspelt.toml nothere.toml", 2);
}

#[test]
fn missing_settings_exit_with_2() {
    check("check --target 0.4.0 --settings nothere.toml clean.toml", 2);
    check("check --settings nothere.toml clean.toml", 2);
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_exits_with_2() {
    let folder = folder();
    std::os::unix::fs::symlink("loop.toml", folder.path().join("loop.toml")).expect("a link");
    let ended = folder.run("check --target 0.4.0 --format concise loop.toml clean.toml");
    assert_eq!(ended.status, Some(2), "{ended:?}");
    assert!(ended.stdout.starts_with("loop.toml: error[PRL007]"), "{ended:?}");
}

#[test]
fn standard_input_is_checked_under_its_name() {
    let folder = folder();
    assert_eq!(folder.run_with_input("check --target 0.4.0 -", CLEAN.as_bytes()).status, Some(0));
    let ended = folder.run_with_input("check --target 0.4.0 --format concise -", MISSPELT.as_bytes());
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert!(ended.stdout.starts_with("<stdin>:3:1: error[PRL101]"), "{ended:?}");
    // The file name determines the kind.
    let split = b"[model]\nname = \"Qwen/Qwen3-8B\"\nseq_ln = 4\n";
    let words = "check --target 0.4.0 --format concise --stdin-filename runs/train.toml -";
    let ended = folder.run_with_input(words, split);
    assert!(ended.stdout.starts_with("runs/train.toml:3:1: error[PRL101]"), "{ended:?}");
}
