//! A large file that many others need, each with a line: including it, starting it with them, naming it as the other part of a run, or linking to it. What
//! it costs to read it again is bounded for the whole command.

use std::{fs, process::Command};

use crate::{
    sized::sized,
    victim::{CLEAN, Victim},
};

/// What is said of a config for which a file is not read again.
const REFUSED: &str = "is not read for this config: the command has read it for too many others";

/// A clone with so many small configs that are made from a large one, which has so many items.
fn with(count: usize, items: usize, small: impl Fn(usize) -> String) -> Victim {
    let large = format!("{CLEAN}\n[orchestrator.sampling.extra_body]\na = [{}]\n", "1,".repeat(items));
    let victim = Victim::with_clone(&[("cfg.toml", "target = \"0.4.0\"\n"), ("base.toml", &large)]);
    (0..count).for_each(|at| victim.write(&format!("x{at}.toml"), &small(at)));
    victim
}

fn includes(at: usize) -> String {
    format!("# {at}\ntoml_files = [\"base.toml\"]\n[trainer]\n[orchestrator]\n")
}

#[test]
fn a_large_file_that_many_configs_include_is_not_read_for_all() {
    let count = sized(20, 500);
    let victim = with(count, 20_000, includes);
    let said = victim.look("check . --format concise").stdout;
    let refused = said.matches(REFUSED).count();
    assert!((count - 12..count).contains(&refused), "{refused}");
    assert_eq!(said.matches("[PRL").count(), refused, "one finding for each, and no other");
    let report: serde_json::Value = serde_json::from_str(&victim.look("check . --format json").stdout).expect("a document");
    let of = |verdict: &str| report["files"].as_array().expect("files").iter().filter(|file| file["verdict"] == verdict).count();
    assert_eq!((of("depends"), of("rejected")), (refused, 0));
    for words in &["migrate . --to 0.8.0", "hook run --all-files", "registry adopt --dry-run"][..sized(1, 3)] {
        victim.look(words);
    }
    // Alone, each is read.
    assert!(!victim.look("check x1.toml").stdout.contains(REFUSED));
    victim.edit(&["x1.toml"]);
}

/// What is not read is not compared, either.
#[test]
fn a_commit_is_compared_with_what_is_read() {
    let victim = with(sized(12, 300), 30_000, includes);
    victim.commit();
    victim.write("base.toml", &victim.read("base.toml").replace("max_steps = 100", "max_steps = 70"));
    let said = victim.look("diff --since HEAD").stdout;
    assert!(said.contains("not all of its files are read") && !said.contains("extra_body"), "{said}");
}

#[test]
fn launches_with_one_large_file_are_bounded() {
    let count = sized(20, 1_000);
    let victim = with(count, 20_000, |_| "[trainer]\n".to_owned());
    let lines = (0..count).map(|at| format!("uv run rl @ base.toml @ x{at}.toml\n")).collect::<Vec<_>>().concat();
    victim.write("run.sh", &lines);
    assert!(victim.look("check .").stdout.contains("is not read for this config"));
}

#[test]
fn runs_with_one_large_part_are_bounded() {
    let count = sized(20, 1_600);
    let items = "1,".repeat(20_000);
    let other = format!("[[env]]\nid = \"reverse-text\"\n[sampling.extra_body]\na = [{items}]\n{}", "#".repeat(1 << 20));
    let group = "[[group]]\ntrainer = \"t.toml\"\norchestrator = \"o.toml\"\n".repeat(count);
    let victim = Victim::with_clone(&[
        ("cfg.toml", &format!("target = \"0.4.0\"\n{group}")),
        ("t.toml", "max_steps = 10\n"),
        ("o.toml", &other),
    ]);
    assert!(victim.look("check t.toml --format concise").stdout.contains(REFUSED));
}

#[test]
fn links_to_one_large_file_are_bounded() {
    let victim = with(0, 50_000, includes);
    let count = sized(30, 900);
    (0..count).for_each(|at| victim.link(&format!("l{at}.toml"), "base.toml"));
    let said = victim.look("check . --format concise").stdout;
    let refused = said.matches("links lead to more than 2 MiB of files").count();
    assert!((1..count).contains(&refused), "{said}");
    for words in &["fmt --check .", "migrate . --to 0.8.0", "registry adopt --dry-run"][..sized(1, 3)] {
        victim.look(words);
    }
}

/// Each finding of such a file is reported once, and found among thousands.
#[test]
fn the_faults_of_one_file_are_told_once() {
    let faults = (0..sized(200, 3_000)).map(|at| format!("weight_deca{at} = 1\n")).collect::<Vec<_>>().concat();
    let victim = with(sized(12, 500), 0, includes);
    victim.write("base.toml", &CLEAN.replace("[trainer.optim]\n", &format!("[trainer.optim]\n{faults}")));
    victim.look("check .");
}

/// What people have: an include of a hundred keys in each of fifty configs, and a link.
#[test]
fn an_ordinary_base_is_read_for_all() {
    let victim = with(50, 100, includes);
    victim.link("latest.toml", "x49.toml");
    for words in ["check .", "migrate . --to 0.4.0", "diff --since HEAD"] {
        victim.commit();
        let ended = victim.look(words);
        assert_eq!(ended.status, Some(0), "{words}: {ended:?}");
    }
}

/// What a commit has takes no room in a clone, and a tree can be in another one any number of times.
#[test]
fn copies_in_a_commit_are_bounded() {
    let victim = Victim::with_clone(&[("cfg.toml", "target = \"0.4.0\"\n")]);
    let count = sized(10, 30);
    let text = format!("{CLEAN}{}", "#".repeat(60_000));
    (0..count).for_each(|at| victim.write(&format!("d/f{at}.toml"), &text));
    victim.commit();
    let tree = victim.git("rev-parse HEAD:d");
    let trees = (0..count).map(|at| format!("040000 tree {}\td{at}\n", tree.trim())).collect::<Vec<_>>().concat();
    fs::write(victim.at("state/trees"), trees).expect("a file");
    let made = victim.within(Command::new("sh")).args(["-c", "git mktree < ../state/trees"]).output().expect("git runs");
    let bomb = String::from_utf8_lossy(&made.stdout).trim().to_owned();
    let commit = victim.git(&format!("commit-tree -m x {bomb}"));
    let ended = victim.look(&format!("diff --since {}", commit.trim()));
    assert!(ended.status == Some(2) && ended.stderr.contains("are copies of others"), "{ended:?}");
    assert_eq!(victim.look("diff --since HEAD").status, Some(0), "{count} copies are few");
}
