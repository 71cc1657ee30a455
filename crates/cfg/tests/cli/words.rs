//! Command lines: the formats of each command, synonyms, `--quiet`, excluded files, completions.

use super::{CLEAN, DROPPED, Folder, MISSPELT};

const RL: &str = "max_steps = 500\n[model]\nname = \"Qwen/Qwen3-4B\"\n[trainer]\n[orchestrator]\nbatch_size = 8\nrollouts_per_example = 2\n\
    [[orchestrator.env]]\nid = \"x\"\n[inference]\n";

#[test]
fn each_command_has_its_own_formats() {
    let folder = Folder::new(&[("rl.toml", RL), ("registry.json", "{\"active_configs\": [], \"configs\": {}}\n")]);
    for (words, formats) in [
        ("compile rl.toml", ["sarif", "github", "svg", "concise"]),
        ("check rl.toml", ["toml", "svg", "mermaid", "dot"]),
        ("memory rl.toml", ["toml", "sarif", "mermaid", "junit"]),
        ("diff rl.toml rl.toml", ["sarif", "mermaid", "svg", "toml"]),
        ("launch rl.toml", ["svg", "sarif", "toml", "gitlab"]),
        ("show rl.toml", ["sarif", "svg", "toml", "github"]),
        ("schema export", ["sarif", "svg", "toml", "github"]),
        ("log", ["sarif", "toml", "junit", "github"]),
    ] {
        for format in formats {
            for words in [format!("{words} --format {format}"), format!("--format {format} {words}")] {
                let ended = folder.run(&words);
                assert_eq!((ended.status, &*ended.stdout), (Some(2), ""), "{words}");
                assert!(ended.stderr.contains(format) && ended.stderr.contains("full, "), "{ended:?}");
            }
        }
        // The help does not list other formats.
        let help = folder.run(&format!("{} --help", words.replace("rl.toml", ""))).stdout;
        let listed = help.split("--format <FORMAT>").nth(1).unwrap_or_default().split("--color").next().unwrap_or_default();
        assert!(formats.iter().all(|format| !listed.contains(format)) && listed.contains("json"), "{help}");
    }
    for words in ["compile rl.toml --format toml", "--format json compile rl.toml", "memory rl.toml --gpu 2xH200 --format svg"] {
        let ended = folder.run(&format!("{words} --target 0.4.0"));
        assert!(ended.status == Some(0) && !ended.stdout.is_empty(), "{ended:?}");
    }
}

#[test]
fn the_help_lists_commands_and_options_in_groups() {
    let folder = Folder::new(&[]);
    let help = folder.run("--help").stdout;
    let headings = |help: &str| -> Vec<String> {
        help.lines().filter(|line| line.ends_with(':') && !line.starts_with(' ')).map(str::to_owned).collect()
    };
    assert!(help.contains(":\n  check ") && help.contains(":\n  lsp ") && help.contains("\nOptions:\n  "), "{help}");
    let mut all = headings(&help);
    let help = folder.run("check --help").stdout;
    all.extend(headings(&help));
    insta::assert_snapshot!("headings_of_the_help", all.join("\n"));
}

#[test]
fn quiet_prints_only_findings() {
    let folder = Folder::new(&[("clean.toml", CLEAN), ("misspelt.toml", MISSPELT), ("dropped.toml", DROPPED)]);
    for words in ["-q check --target 0.4.0 clean.toml", "check --quiet --target 0.4.0 clean.toml"] {
        let ended = folder.run(words);
        assert_eq!((ended.status, &*ended.stdout, &*ended.stderr), (Some(0), "", ""), "{words}");
    }
    let ended = folder.run("check -q --target 0.4.0 --format concise .");
    assert_eq!((ended.status, ended.stdout.lines().count()), (Some(1), 2), "{ended:?}");
    assert!(ended.stdout.lines().all(|line| line.contains("[PRL")), "{ended:?}");
    // The JSON document is the same with both options.
    let document = |words: &str| folder.run(&format!("check --target 0.4.0 --format json . {words}")).stdout;
    assert_eq!(document("-q"), document(""));
}

#[test]
fn exclusions_apply_to_folders_and_not_to_named_files() {
    let folder = Folder::new(&[("a.toml", CLEAN), ("old/a.toml", MISSPELT), ("x/old/b.toml", MISSPELT), ("x/c.toml", CLEAN)]);
    let shown = |words: &str| folder.run(&format!("check --show-files {words}")).stdout.replace('\\', "/");
    assert_eq!(shown(". --exclude old"), "a.toml\nx/c.toml\n");
    assert_eq!(shown(". --exclude x/old --exclude c.toml"), "a.toml\nold/a.toml\n");
    assert_eq!(shown(". --exclude *.toml"), "");
    assert_eq!(shown("old/a.toml --exclude old"), "old/a.toml\n");
    assert_eq!(shown("old/a.toml a.toml --configs-only --exclude old"), "a.toml\n");
    let refused = folder.run("check . --exclude {");
    assert_eq!(refused.status, Some(2), "{refused:?}");
    insta::assert_snapshot!("an_invalid_pattern", refused.stderr);
}

#[test]
fn a_missing_file_is_reported_first() {
    let folder = Folder::new(&[]);
    for words in ["check @ nofile.toml", "check -- uv run rl @ nofile.toml", "compile -- rl @ nofile.toml", "check @nofile.toml"]
    {
        let ended = folder.run(words);
        let said = format!("{}{}", ended.stdout, ended.stderr);
        let first = said.lines().next().unwrap_or_default();
        assert!(first.contains("nofile.toml "), "{words}: {said}");
        // The missing key may be in the file that does not exist.
        assert!(!said.contains("PRL103"), "{words}: {said}");
    }
    insta::assert_snapshot!("a_launch_command_without_dashes", folder.run("check @ nofile.toml").stdout);
}

#[test]
fn target_is_the_destination_of_a_migration() {
    let folder = Folder::new(&[("rl.toml", &RL.replace("rollouts_per_example", "micro = 1\nrollouts_per_example"))]);
    let text = |words: &str| folder.run(&format!("migrate rl.toml --from 0.4.0 {words}")).stdout;
    assert_eq!(text("--target 0.6.0"), text("--to 0.6.0"));
    assert!(text("--target 0.6.0").contains("0.6.0"));
    let ended = folder.run("migrate rl.toml");
    // Without a target it is the newest release, and that is said.
    assert!(ended.status == Some(1) && ended.stderr.contains("migrating to prime-rl 0.8.0"), "{ended:?}");
}

#[test]
fn the_newest_release_has_a_name() {
    let folder = Folder::new(&[("rl.toml", RL)]);
    let ended = folder.run("schema show max_steps --target latest");
    assert!(ended.status == Some(0) && ended.stdout == folder.run("schema show max_steps --target 0.8.0").stdout, "{ended:?}");
}

#[test]
fn the_settings_state_what_a_migration_begins_with() {
    let folder = Folder::new(&[("rl.toml", RL), ("cfg.toml", "target = \"0.4.0\"\n")]);
    let ended = folder.run("migrate rl.toml");
    assert!(ended.stdout.contains("from prime-rl 0.4.0 to 0.8.0") && ended.stderr.contains("the newest release"), "{ended:?}");
    let folder = Folder::new(&[("rl.toml", RL), ("requirements.txt", "prime-rl==0.5.0\n")]);
    let ended = folder.run("migrate rl.toml --from 0.4.0");
    assert!(ended.stderr.contains("migrating to prime-rl 0.5.0, which"), "{ended:?}");
}

#[test]
fn a_card_is_shown_alone() {
    let folder = Folder::new(&[]);
    let ended = folder.run("gpu H100");
    assert!(ended.status == Some(0) && ended.stdout.contains("H100") && !ended.stdout.contains("A6000"), "{ended:?}");
    assert_eq!(folder.run("gpu H1000").status, Some(2));
}

#[test]
fn a_key_without_its_table_is_shown_at_its_place() {
    let folder = Folder::new(&[]);
    let mut said = String::new();
    for words in ["show lora", "show max_lora_rnk", "history model.lora.rnk --kind trainer", "show frobnicate"] {
        let ended = folder.run(&format!("schema {words}"));
        assert_eq!(ended.status, Some(2), "{ended:?}");
        said += &format!("$ cfg schema {words}\n{}", ended.stderr);
    }
    insta::assert_snapshot!("keys_without_their_tables", said);
}

#[test]
fn shells_complete_the_words() {
    let folder = Folder::new(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.run(&format!("generate completions {shell}"));
        assert!(script.status == Some(0) && script.stdout.contains("preflight") && script.stdout.contains("exclude"), "{shell}");
    }
    // The completions list each command's own formats.
    let bash = folder.run("generate completions bash").stdout;
    let formats = |command: &str| {
        let of_command = bash.split(&format!("        cfg__subcmd__{command})")).nth(1).unwrap_or_default();
        let values = of_command.split("--format)").nth(1).unwrap_or_default();
        values.split("return 0").next().unwrap_or_default().to_owned()
    };
    assert!(formats("check").contains("sarif"), "{}", formats("check"));
    assert!(formats("compile").contains("toml") && !formats("compile").contains("sarif"), "{}", formats("compile"));
    assert_eq!(folder.run("generate completions tcsh").status, Some(2));
}

#[test]
fn a_misspelt_key_of_a_table_and_the_number_of_a_code_are_understood() {
    let folder = Folder::new(&[]);
    for (words, meant) in [
        ("schema show trainer.modle", "did you mean `trainer.model`?"),
        ("schema history trainer.model.atn", "did you mean `trainer.model.attn`?"),
        ("explain 101", "did you mean `PRL101`?"),
        ("explain unknown_key", "did you mean `PRL101`?"),
    ] {
        let ended = folder.run(words);
        assert!(ended.status == Some(2) && ended.stderr.contains(meant), "{words}: {ended:?}");
    }
    assert!(!folder.run("explain nothing").stderr.contains("did you mean"));
}
