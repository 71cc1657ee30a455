//! The selection of findings: `--select` and `--ignore`, baselines, `ignore` comments, statistics.

use std::fs;

use super::{CLEAN, DROPPED, Folder, MISSPELT, finish};

/// Two findings: an error of prime-rl, and a warning.
const TWO: &str = "[trainer.optim]\ntype = \"adamw\"\nmomentum = 0.9\n[orchestrator]\nfoo = 1\n";

fn codes(folder: &Folder, words: &str) -> Vec<String> {
    let ended = folder.run(&format!("check --target 0.4.0 --format concise {words}"));
    let code = |line: &str| line.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(code, _)| code.to_owned());
    ended.stdout.lines().filter(|line| line.contains(".toml:")).filter_map(code).collect()
}

#[test]
fn a_selection_replaces_that_of_the_settings() {
    let folder = Folder::new(&[("two.toml", TWO), ("cfg.toml", "[lint]\nignore = [\"unknown-key\"]\n")]);
    assert_eq!(codes(&folder, "two.toml"), ["PRL102"]);
    assert_eq!(codes(&folder, "--select ALL two.toml"), ["PRL101", "PRL102"]);
    assert_eq!(codes(&folder, "--select PRL1 --ignore ignored-key two.toml"), ["PRL101"]);
    assert_eq!(codes(&folder, "--ignore PRL1,PRL2 two.toml"), [""; 0]);
    let wrong = folder.run("check --select unknown_keys two.toml");
    assert_eq!(wrong.status, Some(2));
    insta::assert_snapshot!("an_unknown_name_of_a_finding", wrong.stderr);
}

#[test]
fn ignored_errors_do_not_change_the_verdict() {
    let folder = Folder::new(&[("a.toml", "[trainer]\n[orchestrator]\nfoo = 1 # cfg: ignore[PRL101] ours\n")]);
    let ended = folder.run("check --target 0.4.0 --format json a.toml");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("\"verdict\": \"rejected\"") || ended.stdout.contains("\"verdict\":\"rejected\""), "{ended:?}");
}

#[test]
fn add_ignore_writes_comments_that_ignore_the_findings() {
    let folder = Folder::new(&[(
        "two.toml",
        "# top\r\n[trainer.optim]\r\ntype = \"adamw\"\r\nmomentum = 0.9 # m\r\n[orchestrator]\r\nfoo = [\r\n  1,\r\n]",
    )]);
    assert_eq!(codes(&folder, "two.toml"), ["PRL101", "PRL102"]);
    let ended = folder.run("check --target 0.4.0 --add-ignore two.toml");
    insta::assert_snapshot!("ignored_findings", ended.stdout);
    let text = fs::read_to_string(folder.path().join("two.toml")).expect("a text");
    assert_eq!(
        text,
        "# top\r\n[trainer.optim]\r\ntype = \"adamw\"\r\nmomentum = 0.9 # m  # cfg: ignore[PRL102]\r\n[orchestrator]\r\nfoo = [\r\n  1,\r\n]  # cfg: ignore[PRL101]"
    );
    assert_eq!(codes(&folder, "two.toml"), [""; 0]);
}

#[test]
fn add_ignore_takes_a_reason_and_leaves_what_is_not_shown() {
    let settings = "target = \"0.4.0\"\n[lint.severities]\nPRL102 = \"info\"\n";
    let folder = Folder::new(&[("cfg.toml", settings), ("two.toml", TWO)]);
    let added = folder.run("check --add-ignore=agreed two.toml");
    assert_eq!(added.status, Some(0), "{added:?}");
    let text = fs::read_to_string(folder.path().join("two.toml")).expect("a text");
    assert_eq!(text, TWO.replace("foo = 1", "foo = 1  # cfg: ignore[PRL101] agreed"));
    assert_eq!(folder.run("check --add-ignore=agreed --verbose two.toml").status, Some(0));
    let text = fs::read_to_string(folder.path().join("two.toml")).expect("a text");
    assert!(text.contains("momentum = 0.9  # cfg: ignore[PRL102] agreed\n"), "{text}");
    // What the baseline accepts needs no comment.
    let folder = Folder::new(&[("cfg.toml", "target = \"0.4.0\"\nbaseline = \"known.json\"\n"), ("two.toml", TWO)]);
    assert_eq!(folder.run("check --update-baseline").status, Some(0));
    assert_eq!(folder.run("check --add-ignore two.toml").status, Some(0));
    assert_eq!(fs::read_to_string(folder.path().join("two.toml")).expect("a text"), TWO);
}

/// What a file lacks alone is no finding of a launch with its base, so there is nothing to ignore.
#[test]
fn a_part_of_a_launch_gets_no_comment_for_what_its_base_has() {
    let part = "# Usage: uv run rl @ base.toml @ part.toml\nbogus = 1\nmax_steps = 5\n";
    let folder = Folder::repository(&[("cfg.toml", "target = \"0.4.0\"\n"), ("base.toml", CLEAN), ("part.toml", part)]);
    let added = folder.run("check --add-ignore=agreed part.toml");
    let text = fs::read_to_string(folder.path().join("part.toml")).expect("a text");
    assert!(!text.contains("PRL103") && text.contains("bogus = 1  # cfg: ignore[PRL101] agreed"), "{text}\n{added:?}");
    let said = folder.run("check part.toml --deny warnings");
    assert!(!said.stdout.contains("PRL017"), "{said:?}");
}

#[test]
fn an_update_accepts_only_what_is_shown() {
    let settings = "target = \"0.4.0\"\nbaseline = \"known.json\"\n[lint.severities]\nPRL102 = \"info\"\n";
    let folder = Folder::new(&[("cfg.toml", settings), ("two.toml", TWO)]);
    let known = || fs::read_to_string(folder.path().join("known.json")).expect("a baseline");
    assert_eq!(folder.run("check --update-baseline").status, Some(0));
    assert!(!known().contains("PRL102") && known().contains("PRL101"), "{}", known());
    assert_eq!(folder.run("check --update-baseline -v").status, Some(0));
    assert!(known().contains("PRL102"), "{}", known());
}

#[test]
fn a_baseline_has_known_findings_until_they_are_fixed() {
    let folder = Folder::new(&[("configs/two.toml", TWO), ("configs/clean.toml", CLEAN)]);
    let missing = folder.run("check --target 0.4.0 --baseline known.json configs");
    assert_eq!(missing.status, Some(2), "{missing:?}");
    let written = folder.run("check --target 0.4.0 --baseline known.json --update-baseline configs");
    assert_eq!(written.status, Some(0), "{written:?}");
    let known = fs::read_to_string(folder.path().join("known.json")).expect("a baseline");
    assert!(known.contains("\"configs/two.toml\"") && known.contains("\"orchestrator.foo\""), "{known}");
    assert_eq!(folder.run("check --target 0.4.0 --baseline known.json configs").status, Some(0));
    // A finding that has moved is still accepted; a new one is reported.
    folder.write("configs/two.toml", format!("# moved\n{TWO}bar = 2\n").as_bytes());
    assert_eq!(codes(&folder, "--baseline known.json configs"), ["PRL101"]);
    folder.write("known.json", b"{}");
    assert_eq!(folder.run("check --baseline known.json configs").status, Some(2));
}

#[test]
fn statistics_count_each_code() {
    let folder = Folder::new(&[("a.toml", TWO), ("b.toml", MISSPELT), ("c.toml", DROPPED)]);
    let ended = folder.run("check --target 0.4.0 --statistics .");
    assert_eq!(ended.status, Some(1));
    let lines: Vec<Vec<&str>> = ended.stdout.lines().map(|line| line.split_whitespace().take(3).collect()).collect();
    assert_eq!(lines, [["2", "PRL101", "unknown-key"], ["2", "PRL102", "ignored-key"]], "{ended:?}");
    let json = folder.run("check --target 0.4.0 --statistics --format json .");
    let counts: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(counts["codes"][0]["count"], 2, "{counts}");
    assert_eq!(folder.run("check --target 0.4.0 --statistics --exit-zero .").status, Some(0));
}

#[test]
fn files_and_settings_of_a_check_can_be_shown() {
    let folder = Folder::new(&[
        ("configs/a.toml", MISSPELT),
        ("configs/other.toml", "[package]\nname = 'x'\n[dependencies]\na = '1'\n"),
        (
            "cfg.toml",
            "target = \"0.4.0\"\ngpu = \"2x H100\"\n[lint]\nignore = [\"PRL102\"]\n[lint.severities]\nunknown-key = \"warning\"\n",
        ),
    ]);
    let files = folder.run("check --show-files .");
    assert_eq!((files.status, &*files.stdout), (Some(0), "configs/a.toml\n"), "{files:?}");
    let settings = folder.run("check --show-settings configs/a.toml");
    for part in ["target = \"0.4.0\"  # ", "gpu = \"2x H100\"  # ", "cfg.toml:2", "ignore = [\"PRL102\"]", "PRL101 = \"warning\""]
    {
        assert!(settings.stdout.contains(part), "{part}: {}", settings.stdout);
    }
}

#[test]
fn ignores_for_files_count_with_settings_of_the_command_line() {
    let settings = "[lint.per-file-ignores]\n\"in/*.toml\" = [\"PRL101\"]\n";
    let folder = Folder::new(&[("cfg.toml", settings), ("in/two.toml", TWO), ("other/two.toml", TWO)]);
    let codes = |within: &str, words: &str| {
        let mut command = folder.command(&format!("check --target 0.4.0 --format concise --settings ../cfg.toml {words}"));
        let ended = finish(command.current_dir(folder.path().join(within)), b"");
        ["[PRL101]", "[PRL102]"].map(|code| ended.stdout.matches(code).count())
    };
    assert_eq!(codes("in", "two.toml"), [0, 1]);
    assert_eq!(codes("other", "two.toml"), [1, 1]);
    // The same for another spelling of the path.
    assert_eq!(codes("other", "../in/two.toml"), [0, 1]);
    assert_eq!(codes("in", "../other/../in/two.toml ../other/two.toml"), [1, 2]);
}

#[test]
fn a_file_that_a_walk_passes_over_is_named_with_v() {
    let text = "[trainer.model]\nname = \"a\"\n[foo]\na = 1\nb = 2\nc = 3\n[bar]\nd = 1\n";
    let folder = Folder::new(&[("few.toml", text)]);
    let quiet = folder.run("check .");
    assert!(quiet.status == Some(0) && !quiet.stderr.contains("few.toml"), "{quiet:?}");
    let told = folder.run("check -v .");
    assert_eq!(told.status, Some(0), "{told:?}");
    insta::assert_snapshot!("a_skipped_file", told.stderr);
    assert_eq!(codes(&folder, "few.toml").len(), 3, "who names it means it");
}

/// What the registry says of a file that a script starts with flags is about the file alone: a comment that ignores it is needed.
#[test]
fn a_comment_for_a_finding_of_the_registry_is_used_in_a_file_that_is_launched() {
    let folder = Folder::repository(&[
        ("cfg.toml", "target = \"0.4.0\"\n"),
        ("rl.toml", CLEAN),
        ("run.sh", "uv run rl @ rl.toml --max-steps 3\n"),
    ]);
    for words in ["registry init", "bump rl.toml -m first"] {
        assert_eq!(folder.run(words).status, Some(0), "{words}");
    }
    let text = fs::read_to_string(folder.path().join("rl.toml")).expect("a text");
    folder.write("rl.toml", text.replace("max_steps = 100", "max_steps = 200").as_bytes());
    assert!(folder.run("check").stdout.contains("PRL710"), "it changed");
    folder.run("check --add-ignore=agreed");
    let checked = folder.run("check --deny warnings");
    assert_eq!(checked.status, Some(0), "{checked:?}");
}

/// A script has no comments that ignore: what can is said.
#[test]
fn a_finding_in_a_script_is_ignored_by_the_settings() {
    let folder = Folder::repository(&[
        ("cfg.toml", "target = \"0.4.0\"\n"),
        ("rl.toml", CLEAN),
        ("run.sh", "uv run rl @ rl.toml --ckpt.kep 3\n"),
    ]);
    for paths in [".", "run.sh", "rl.toml"] {
        let said = folder.run(&format!("check {paths} --add-ignore=agreed"));
        let note = "run.sh: no comment ignores 1 finding in a script; `per-file-ignores` in the settings does";
        assert!(said.status == Some(1) && said.stderr.contains(note), "{paths}: {said:?}");
    }
    folder.write("cfg.toml", b"target = \"0.4.0\"\n[lint.per-file-ignores]\n\"run.sh\" = [\"PRL018\"]\n");
    let checked = folder.run("check --deny warnings");
    assert_eq!(checked.status, Some(0), "{checked:?}");
}
