//! `cargo xtask history update`: brings clones of prime-rl and verifiers up to date, adds the new commits, makes and tests what depends on them, and ends
//! with the one list of what a person must decide.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::{
    decisions::{self, Decisions},
    news::Summary,
    say,
};
use crate::{commits::Commits, entrypoints, generate::root, mirror::Mirror, tools};

/// What the command is asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Words<'w> {
    folder: Option<&'w str>,
    /// The repositories that are cloned, in place of those on GitHub.
    remotes: Option<[&'w str; 2]>,
    /// Whether nothing is generated and tested.
    only_reads: bool,
}

const USAGE: &str = "usage: cargo xtask history update [FOLDER] [--from PRIME-RL VERIFIERS] [--only-read]";

const NAMES: [&str; 2] = ["prime-rl", "verifiers"];

/// The packages whose tests say what else depends on the history.
const TESTED: [&str; 5] = ["cfg-schema", "cfg-resolve", "cfg-plan", "cfg-rules", "cfg-tests"];

fn parsed<'w>(words: &[&'w str]) -> Result<Words<'w>, String> {
    let mut found = Words::default();
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        rest = match (*word, after) {
            ("--from", [prime_rl, verifiers, after @ ..]) => {
                found.remotes = Some([prime_rl, verifiers]);
                after
            }
            ("--only-read", after) => {
                found.only_reads = true;
                after
            }
            (folder, after) if found.folder.is_none() && !folder.starts_with('-') => {
                found.folder = Some(folder);
                after
            }
            _ => return Err(USAGE.to_owned()),
        };
    }
    Ok(found)
}

/// Runs the command. A list that is not empty is no error.
pub(crate) fn update(words: &[&str]) -> Result<(), String> {
    let words = parsed(words)?;
    let root = root().canonicalize().map_err(|error| error.to_string())?;
    let folder = words.folder.map_or_else(|| root.join("target/history"), PathBuf::from);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let [prime_rl, verifiers] = clones(&folder, words.remotes)?;

    let known = Commits::read()?.main_line;
    let last = known.last().ok_or("commits.tsv is empty")?;
    say(&format!("The history ends at {} of {}.", &last.sha[..9], last.day));
    let mut mirror = Mirror::at(&prime_rl, Some(&verifiers), None)?;
    let added = super::added(None, &mut mirror)?;
    added.lines.iter().for_each(|line| say(line));
    let mut decided = Decisions::default();
    if added.first < Commits::read()?.main_line.len() {
        let mut news = Vec::new();
        news.extend(crate::revisions::write(&mut mirror, added.first)?);
        news.extend(entrypoints::write(&mut mirror, added.first)?);
        news.extend(super::shipped::read(&mut mirror, added.first)?);
        news.extend(super::environments::read(&mut mirror, added.first)?);
        news.iter().for_each(|line| say(line));
        changelog(&added.summary)?;
    }
    decided.append(added.open);
    decided.append(decisions::open(&mut mirror, Some(added.first))?);
    // What follows takes long: whoever stops it has the list.
    write(&folder.join("news.md"), &added.lines)?;
    write(&folder.join("decisions.md"), &decided.lines())?;
    if !words.only_reads && added.first < Commits::read()?.main_line.len() {
        say("Generating what depends on the history, and testing it; the list so far is in decisions.md");
        decided.add("What is not generated yet: follow these errors, then run `cargo xtask generate` twice", generated(&root)?);
        decided.add("Tests that fail: follow what they say", tested(&root)?);
    }
    let lines = decided.lines();
    write(&folder.join("decisions.md"), &lines)?;
    say("");
    lines.iter().for_each(|line| say(line));
    if let Some(first) = Commits::read()?.main_line.get(added.first) {
        say("");
        say(&format!("`cargo xtask history decisions {}` prints this list again, without the tests.", &first.sha[..9]));
    }
    Ok(())
}

fn write(path: &Path, lines: &[String]) -> Result<(), String> {
    fs::write(path, lines.join("\n") + "\n").map_err(|error| format!("{}: {error}", path.display()))
}

/// Clones both repositories, or brings the clones up to date.
fn clones(folder: &Path, remotes: Option<[&str; 2]>) -> Result<[PathBuf; 2], String> {
    let clone = |at: usize| {
        let path = folder.join(format!("{}.git", NAMES[at]));
        let github = format!("https://github.com/PrimeIntellect-ai/{}", NAMES[at]);
        let remote = remotes.map_or(&*github, |remotes| remotes[at]);
        say(&format!("Reading {remote}"));
        if !path.is_dir() {
            tools::run(Command::new("git").args(["init", "--quiet", "--bare", "--initial-branch=main"]).arg(&path))?;
        }
        let mut fetch = Command::new("git");
        fetch.arg("-C").arg(&path).args(["fetch", "--quiet", "--tags", "--force", remote, "+HEAD:refs/heads/main"]);
        tools::run(&mut fetch).map_err(|error| format!("{remote} can't be fetched: {error}"))?;
        Ok::<PathBuf, String>(path)
    };
    Ok([clone(0)?, clone(1)?])
}

/// Runs `cargo xtask generate` until it changes nothing. Returns its errors.
fn generated(root: &Path) -> Result<Vec<String>, String> {
    // The first runs may only make what the program is itself built with.
    let mut said = String::new();
    for _ in 0..3 {
        let mut cargo = Command::new(env!("CARGO"));
        let output = cargo.args(["xtask", "generate"]).current_dir(root).stdout(Stdio::null()).output();
        let output = output.map_err(|error| format!("cargo: {error}"))?;
        if output.status.success() {
            return Ok(Vec::new());
        }
        let again = String::from_utf8_lossy(&output.stderr).into_owned();
        if again == said {
            break;
        }
        said = again;
    }
    let is_of_cargo = |line: &&str| line.trim_start().starts_with(|first: char| first.is_uppercase()) && line.starts_with(' ');
    Ok(said.lines().filter(|line| !line.trim().is_empty() && !is_of_cargo(line)).map(str::to_owned).collect())
}

/// Runs the tests that depend on the history. Returns those that fail, each with the first line that it says.
fn tested(root: &Path) -> Result<Vec<String>, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--quiet", "--no-fail-fast"]).args(TESTED.iter().flat_map(|package| ["-p", package]));
    let output = cargo.current_dir(root).output().map_err(|error| format!("cargo: {error}"))?;
    if output.status.success() {
        return Ok(Vec::new());
    }
    let found = failures(&String::from_utf8_lossy(&output.stdout));
    if !found.is_empty() {
        return Ok(found);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Ok(errors.lines().filter(|line| line.starts_with("error")).map(str::to_owned).collect())
}

/// The maximum number of lines of a failed test.
const MAX_LINES: usize = 12;

/// The failed tests in the output of `cargo test`, each with what it said.
fn failures(output: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in output.split("\n---- ").skip(1) {
        let (name, said) = part.split_once(" stdout ----").unwrap_or((part, ""));
        let is_said = |line: &&str| !line.trim().is_empty() && !line.starts_with("note: ") && !line.starts_with("thread '");
        let said: Vec<&str> =
            said.lines().take_while(|line| *line != "failures:").filter(is_said).take(MAX_LINES).map(str::trim).collect();
        found.push(format!("{name}: {}", said.join(" ")));
    }
    found
}

const CHANGELOG: &str = "CHANGELOG.md";

/// How a line of the changelog about the extent of the history begins.
const KNOWN: &str = "- prime-rl is known until ";

/// Says in the changelog until when prime-rl is known, and what is new; in place of the line that said it before.
fn changelog(summary: &Summary) -> Result<(), String> {
    let path = root().join(CHANGELOG);
    let text = fs::read_to_string(&path).map_err(|error| format!("{CHANGELOG}: {error}"))?;
    let text = with_line(&text, &summary.sentence(KNOWN)).ok_or_else(|| format!("{CHANGELOG} has no list of changes"))?;
    fs::write(&path, text).map_err(|error| format!("{CHANGELOG}: {error}"))
}

/// A changelog with a line at the beginning of its first list.
fn with_line(text: &str, line: &str) -> Option<String> {
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with(KNOWN)).collect();
    let at = kept.iter().position(|line| line.starts_with("- "))?;
    let lines = [&kept[..at], &[line], &kept[at..]].concat();
    Some(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::{Words, failures, parsed, with_line};

    #[test]
    fn words_are_a_folder_and_two_remotes() {
        assert_eq!(parsed(&[]), Ok(Words::default()));
        let all = Words { folder: Some("f"), remotes: Some(["a", "b"]), only_reads: true };
        assert_eq!(parsed(&["--from", "a", "b", "f", "--only-read"]), Ok(all));
        assert!(parsed(&["--from", "a"]).is_err() && parsed(&["f", "g"]).is_err() && parsed(&["--other"]).is_err());
    }

    #[test]
    fn failed_tests_are_listed_with_what_they_say() {
        let output = "\nrunning 2 tests\n.F\nfailures:\n\n---- a::b stdout ----\n\nthread 'a::b' panicked at x.rs:1:2:\nwrite the body\n  left: 1\nnote: run with\n\n\nfailures:\n    a::b\n\ntest result: FAILED\n";
        assert_eq!(failures(output), ["a::b: write the body left: 1"]);
        assert!(failures("running 3 tests\n...\n").is_empty());
    }

    #[test]
    fn the_line_of_the_changelog_is_replaced() {
        let text = "# C\n\n## 0.1\n\n- prime-rl is known until x.\n- b\n";
        assert_eq!(
            with_line(text, "- prime-rl is known until y.").as_deref(),
            Some("# C\n\n## 0.1\n\n- prime-rl is known until y.\n- b\n")
        );
        assert_eq!(with_line("nothing", "- a"), None);
    }
}
