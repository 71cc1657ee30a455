//! The tutorial: each command prints what the page shows.

use std::{env, fs, path::Path};

use super::{Folder, running::finish};

/// The page, relative to the root of the repository.
const PAGE: &str = "docs/tutorial.md";

/// A command, with the output on the page.
struct Step<'p> {
    command: &'p str,
    shown: String,
}

fn steps(block: &str) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push(Step { command, shown: String::new() }),
            (None, Some(step)) => step.shown.push_str(&format!("{line}\n")),
            (None, None) => panic!("{PAGE}: a block begins with `{line}`"),
        }
    }
    steps
}

/// If `CFG_UPDATE_PAGES` is set, the page is written instead of compared.
#[test]
#[cfg(unix)]
fn every_command_of_the_tutorial_prints_the_shown_output() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = fs::read_to_string(&path).expect("the page");
    let folder = Folder::new(&[]);
    let programs = Path::new(env!("CARGO_BIN_EXE_cfg")).parent().expect("a folder");
    let paths =
        env::join_paths([programs.to_owned()].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())));
    let (mut made, mut seen) = (String::new(), 0);
    for (index, part) in page.split("```console\n").enumerate() {
        if index == 0 {
            made.push_str(part);
            continue;
        }
        let (block, text) = part.split_once("```\n").expect("each block ends");
        made.push_str("```console\n");
        for step in steps(block) {
            let mut shell = folder.program("sh");
            shell.args(["-c", step.command]).env("PATH", paths.as_ref().expect("paths"));
            // A terminal that supports more than ASCII.
            shell
                .env("LC_ALL", "C.UTF-8")
                .env("COLUMNS", "100")
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_CONFIG_NOSYSTEM", "1");
            let ended = finish(&mut shell, b"");
            assert!(matches!(ended.status, Some(0 | 1)), "{}: {ended:?}", step.command);
            let mut printed = String::new();
            ended.stdout.trim_end().lines().for_each(|line| printed.extend([line.trim_end(), "\n"]));
            made.push_str(&format!("$ {}\n{printed}", step.command));
            seen += 1;
            if env::var_os("CFG_UPDATE_PAGES").is_none() {
                assert_eq!(printed, step.shown, "$ {}", step.command);
            }
        }
        made.push_str("```\n");
        made.push_str(text);
    }
    assert!(seen > 15, "{seen} commands");
    if env::var_os("CFG_UPDATE_PAGES").is_some() {
        fs::write(path, made).expect("the page is written");
    }
}
