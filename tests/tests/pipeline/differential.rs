//! What `cfg` says of fresh configs at the conditions of prime-rl's checks, beside what prime-rl itself says of them; and what it says of recorded
//! ones if it reads the checks of their prime-rl from a checkout, because it knows only earlier ones.

#![expect(clippy::disallowed_methods, reason = "it starts Python, git, and the program that is asked")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use cfg_schema::{History, Kind};
use cfg_tests::{Recorded, workspace};
use serde_json::Value;

/// Commits of the main line without recorded configs.
const COMMITS: [&str; 3] = ["559b44772", "9975d8868", "61f2448d1"];

/// `CFG_PYTHON` is an interpreter that can import the dependencies of prime-rl's config classes, `CFG_MIRRORS` a folder with clones, `CFG` the
/// program. `tests/differential/compare.py` says how to make them.
#[test]
#[ignore = "asks prime-rl itself: it takes Python with pydantic from CFG_PYTHON, clones from CFG_MIRRORS, and the program from CFG"]
#[expect(clippy::print_stdout, reason = "says why it is skipped")]
fn fresh_configs_are_judged_as_prime_rl_judges_them() {
    let given = ["CFG", "CFG_PYTHON", "CFG_MIRRORS"].map(|name| std::env::var(name).ok());
    let [Some(program), Some(python), Some(mirrors)] = given else {
        println!("skipped: CFG, CFG_PYTHON and CFG_MIRRORS are not all set");
        return;
    };
    let mut compare = Command::new("python3");
    compare.arg(workspace().join("tests/differential/compare.py")).arg(program);
    compare.args(["--python", &python, "--mirrors", &mirrors, "--cases", "100"]).args(COMMITS);
    let done = compare.output().expect("Python");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    let counts: Vec<&str> = said.lines().filter(|line| line.contains(" cases, ")).collect();
    assert_eq!(counts.len(), COMMITS.len(), "{said}");
    for count in counts {
        assert!(count.contains("500 cases, 0 wrong, "), "{said}");
    }
}

/// So many schema commits are taken out of the history.
const TAKEN_OUT: usize = 30;

/// Commits among them of which configs are recorded.
const RECORDED: [&str; 2] = ["2441fd514", "559b44772"];

fn git(folder: &Path, words: &[&str]) -> String {
    let done = Command::new("git").arg("-C").arg(folder).args(words).output().expect("git");
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

/// Puts the files of a commit into a folder.
fn unpack(clone: &Path, commit: &str, into: &Path) {
    fs::create_dir_all(into).expect("it is writable");
    let archive = into.join(".archive.tar");
    git(clone, &["archive", "-o", &archive.to_string_lossy(), commit]);
    let done = Command::new("tar").arg("-x").arg("-C").arg(into).arg("-f").arg(&archive).status().expect("tar");
    assert!(done.success(), "{commit}");
}

/// A checkout with the files of a commit, whose only known ancestor is `base`.
fn checkout(mirrors: &Path, commit: &str, base: &str, into: &Path) {
    let (prime_rl, verifiers) =
        (mirrors.join("PrimeIntellect-ai+prime-rl/repo"), mirrors.join("PrimeIntellect-ai+verifiers/repo"));
    let words = ["clone", "-q", "--shared", "--no-checkout", &*prime_rl.to_string_lossy(), &*into.to_string_lossy()];
    git(mirrors, &words);
    let identity = ["-c", "user.name=x", "-c", "user.email=x"];
    let made = ["commit-tree", &format!("{commit}^{{tree}}"), "-p", base, "-m", "of a fork"];
    let made = git(into, &[&identity[..], &made].concat());
    git(into, &["update-ref", "--no-deref", "HEAD", &made]);
    unpack(&prime_rl, commit, into);
    let pin = git(&prime_rl, &["rev-parse", &format!("{commit}:deps/verifiers")]);
    unpack(&verifiers, &pin, &into.join("deps/verifiers"));
}

/// The recorded configs of a commit and a kind.
fn recorded(commit: &str, kind: Kind) -> Vec<Recorded> {
    let folder = workspace().join("tests/vectors");
    let texts = ["", "hunted."].map(|prefix| fs::read_to_string(folder.join(format!("{prefix}{commit}.{kind}.jsonl"))));
    let texts: Vec<String> = texts.into_iter().flatten().collect();
    texts.iter().flat_map(|text| text.lines()).filter_map(Recorded::parse).collect()
}

/// The checks of the last commits give the same verdicts run from their source; at most one of fifty is left open.
#[test]
#[ignore = "takes clones from CFG_MIRRORS, and the program from CFG"]
#[expect(clippy::print_stdout, reason = "says why it is skipped")]
fn the_last_thirty_commits_are_read_from_a_checkout_as_they_are_known() {
    let given = ["CFG", "CFG_MIRRORS"].map(|name| std::env::var_os(name).map(PathBuf::from));
    let [Some(program), Some(mirrors)] = given else {
        println!("skipped: CFG and CFG_MIRRORS are not both set");
        return;
    };
    let commits: Vec<_> = History::built_in().commits().collect();
    let base = commits[commits.len() - TAKEN_OUT - 1].sha();
    let (mut count, mut open, mut wrong) = (0, 0, Vec::new());
    for commit in RECORDED {
        let folder = tempfile::tempdir().expect("there is room");
        let source = folder.path().join("prime-rl");
        checkout(&mirrors, commit, &base, &source);
        for kind in [Kind::Rl, Kind::Trainer, Kind::Orchestrator, Kind::Inference, Kind::Sft] {
            let configs = recorded(commit, kind);
            for (index, config) in configs.iter().enumerate() {
                fs::write(folder.path().join(format!("{index:04}.toml")), &config.toml).expect("it is writable");
            }
            let mut check = Command::new(&program);
            check.current_dir(folder.path()).env("CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7");
            check.args(["check", "--format", "json", "--target", "path:prime-rl", "--kind", &kind.to_string()]);
            check.args((0..configs.len()).map(|index| format!("{index:04}.toml")));
            let said: Value = serde_json::from_slice(&check.output().expect("the program").stdout).expect("a document");
            let files = said["files"].as_array().expect("files");
            assert_eq!(files.len(), configs.len(), "{commit} {kind}");
            for (file, config) in files.iter().zip(&configs) {
                count += 1;
                if file["verdict"] == "depends" {
                    open += 1;
                } else if file["verdict"] != if config.ok { "ok" } else { "rejected" } {
                    wrong.push(format!("{}: {}\n{}", config.id, file["verdict"], config.toml));
                }
            }
        }
    }
    assert!(count > 200, "{count}");
    assert!(open * 50 <= count, "{open} of {count} are left open");
    assert!(wrong.is_empty(), "{} of {count} differ\n{}", wrong.len(), wrong.join("\n"));
}
