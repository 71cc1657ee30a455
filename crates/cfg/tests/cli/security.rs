//! docs/security.md is complete.

use std::{fs, path::Path};

use cfg_system::Role;

use crate::Folder;

/// The text of a file in this repository.
fn file(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rows of the table with this head.
fn rows<'t>(page: &'t str, head: &str) -> Vec<&'t str> {
    let (_, table) = page.split_once(head).unwrap_or_else(|| panic!("a table `{head}`"));
    table.lines().skip(2).take_while(|line| line.starts_with('|')).collect()
}

#[test]
fn every_role_has_its_row() {
    let page = file("docs/security.md");
    let mib = |limit: u64| format!("{} MiB", limit >> 20);
    let row = |role: &Role| format!("| {} | {} | {} |", role.name(), mib(role.limit()), role.scope().name());
    let rows = rows(&page, "| what is read | at most | where |");
    for role in &Role::ALL {
        assert!(rows.contains(&&*row(role)), "docs/security.md lacks {}", row(role));
    }
    assert_eq!(rows.len(), Role::ALL.len());
}

#[test]
fn every_command_has_its_row() {
    let help = Folder::new(&[]).run("--help").stdout;
    let (commands, _) = help.split_once("\n      --").expect("options");
    // Commands are listed below the headings of their groups. Lines that continue a description are indented further.
    let commands = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' '))?.split_whitespace().next());
    let listed: Vec<&str> = commands.collect();
    let page = file("docs/security.md");
    let rows = rows(&page, "| command | writes | starts |");
    // A command with commands below it may have a row for each.
    let mut named: Vec<&str> = rows.iter().filter_map(|row| row.strip_prefix("| `cfg ")?.split(['`', ' ']).next()).collect();
    assert_eq!(named.len(), rows.len(), "{rows:?}");
    for command in &listed {
        assert!(named.contains(command), "docs/security.md lacks {command}");
    }
    named.retain(|name| !listed.contains(name));
    assert_eq!(named, [""; 0]);
}

#[test]
fn the_tests_that_are_named_are_there() {
    for row in rows(&file("docs/security.md"), "| guarantee | tests |") {
        let name = row.split('`').nth(1).expect("a file");
        assert!(file(&format!("crates/cfg/tests/attacks/{name}")).contains("#[test]"), "{name}");
    }
}
