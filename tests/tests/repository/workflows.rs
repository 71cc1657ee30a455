//! The CI workflows: actions are pinned to commits, and README has the commands that `.ci/run` takes from it.

use std::fs;

use cfg_tests::workspace;

fn read(name: &str) -> String {
    fs::read_to_string(workspace().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn actions_are_named_by_commits() {
    let mut seen = 0;
    for name in [".github/workflows/ci.yml", ".github/workflows/release.yml", ".github/workflows/site.yml", "action.yml"] {
        let text = read(name);
        for used in text.lines().filter_map(|line| line.trim_start().trim_start_matches("- ").strip_prefix("uses: ")) {
            let (action, version) = used.split_once(" # v").unwrap_or_else(|| panic!("{name}: {used} has no version behind it"));
            let commit = action.split_once('@').map_or("", |(_, commit)| commit);
            assert!(commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}: {used}");
            assert!(version.split('.').count() == 3, "{name}: {used}");
            seen += 1;
        }
    }
    assert!(seen >= 5, "{seen} actions");
}

#[test]
fn a_fresh_machine_with_rust_needs_exactly_two_commands() {
    let readme = read("README.md");
    let section = readme.split("\n## ").find_map(|section| section.strip_prefix("Try it\n")).expect("a section");
    let mut commands = Vec::new();
    let mut is_code = false;
    for line in section.lines() {
        match line {
            "```sh" => is_code = true,
            "```" => is_code = false,
            _ if is_code => commands.push(line),
            _ => {}
        }
    }
    assert_eq!(commands, ["cargo run -- check configs", "cargo test --workspace"]);
}

/// A release builds the VS Code extension together with a wheel, keeps it, and attests its origin.
#[test]
fn a_release_has_the_extension_with_the_program() {
    let release = read(".github/workflows/release.yml");
    let (wheel, publish) = release.split_once("\n  publish:\n").expect("a job");
    for wanted in ["cargo xtask vsix --check", "name: vsix-${{ matrix.os }}", "path: target/vsix/*.vsix"] {
        assert!(wheel.contains(wanted), "{wanted}: {wheel}");
    }
    for wanted in ["pattern: vsix-*", "            vsix/*"] {
        assert!(publish.contains(wanted), "{wanted}: {publish}");
    }
    assert!(read("docs/release.md").contains("| `cargo xtask vsix` |"));
}

/// Each command of docs/release.md that makes or checks what is shipped runs in a workflow.
#[test]
fn every_artefact_is_checked_by_a_workflow() {
    let workflows = ["ci.yml", "release.yml", "site.yml"].map(|name| read(&format!(".github/workflows/{name}"))).concat();
    let page = read("docs/release.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `cargo xtask "));
    let commands: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    for command in &commands {
        // What only writes files is made by its check, too, and a release is prepared by hand.
        let is_made = page.contains(&format!("| `cargo xtask {command} --check` |"));
        let is_by_hand = command.starts_with("release ") || *command == "dist" || command.ends_with("--pictures");
        assert!(
            is_made
                || is_by_hand
                || workflows.contains(&format!("- run: cargo xtask {command}\n"))
                || workflows.contains(&format!("        run: cargo xtask {command}\n")),
            "no workflow runs {command}"
        );
    }
    assert!(commands.len() >= 12, "{commands:?}");
}
