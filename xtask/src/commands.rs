//! The page about every command: what the program prints when it is asked for help.

use std::{fmt::Write as _, process::Command};

use crate::generate::root;

/// What stands in front of the options that every command has.
const COMMON: &str = "For every command:";

/// The page.
pub(crate) fn page() -> Result<Vec<u8>, String> {
    let top = help(&[])?;
    let mut page = "# Every command\n\nWhat `cfg COMMAND --help` prints, but for the options at the end that all have. Made by `cargo xtask generate`.\n".to_owned();
    let (_, common) = top.split_once(COMMON).ok_or("the help has no options for every command")?;
    let _ = write!(page, "\n## For every command\n\n```text\n{}\n```\n", common.trim_end().trim_start_matches('\n'));
    for name in commands(&top) {
        section(&mut page, &[&name])?;
    }
    Ok(page.into_bytes())
}

fn section(page: &mut String, words: &[&str]) -> Result<(), String> {
    let text = help(words)?;
    let own = text.split(COMMON).next().unwrap_or_default().trim_end();
    let _ = write!(page, "\n{} cfg {}\n\n```text\n{own}\n```\n", "#".repeat(words.len() + 1), words.join(" "));
    for name in commands(own) {
        section(page, &[words, &[&*name]].concat())?;
    }
    Ok(())
}

/// The commands that a help lists.
fn commands(help: &str) -> Vec<String> {
    let list = help.split_once("Commands:\n").map_or("", |(_, list)| list);
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names =
        lines.filter(|line| line.starts_with("  ") && !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

fn help(words: &[&str]) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--package", "cfg", "--manifest-path"]).arg(root().join("Cargo.toml")).arg("--");
    // The width is that of the page, whoever runs it.
    command.args(words).args(["--help", "--color", "never"]).env("COLUMNS", "100");
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    if text.is_empty() { Err(String::from_utf8_lossy(&output.stderr).into_owned()) } else { Ok(lines.join("\n")) }
}
