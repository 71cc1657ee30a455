//! What `cfg` says of fresh configs at the conditions of prime-rl's checks, beside what prime-rl itself says of them; and what it says of recorded
//! ones if it reads the checks of their prime-rl from a checkout, because it knows only earlier ones or because they are changed there.

#![expect(clippy::disallowed_methods, reason = "it starts Python, git, and the program that is asked")]

use std::{
    collections::BTreeSet,
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
fn fresh_configs_get_the_verdict_of_prime_rl() {
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

const KINDS: [Kind; 5] = [Kind::Rl, Kind::Trainer, Kind::Orchestrator, Kind::Inference, Kind::Sft];

/// The recorded configs of a commit and a kind, each with what the program says of it by the checkout `prime-rl` in a folder.
fn judged(program: &Path, folder: &Path, commit: &str, kind: Kind) -> Vec<(Recorded, Value)> {
    let configs = recorded(commit, kind);
    for (index, config) in configs.iter().enumerate() {
        fs::write(folder.join(format!("{index:04}.toml")), &config.toml).expect("it is writable");
    }
    let mut check = Command::new(program);
    check.current_dir(folder).env("CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7");
    check.args(["check", "--format", "json", "--target", "path:prime-rl", "--kind", &kind.to_string()]);
    check.args((0..configs.len()).map(|index| format!("{index:04}.toml")));
    let said: Value = serde_json::from_slice(&check.output().expect("the program").stdout).expect("a document");
    let files = said["files"].as_array().expect("files");
    assert_eq!(files.len(), configs.len(), "{commit} {kind}");
    configs.into_iter().zip(files.iter().cloned()).collect()
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
        checkout(&mirrors, commit, &base, &folder.path().join("prime-rl"));
        for kind in KINDS {
            for (config, file) in &judged(&program, folder.path(), commit, kind) {
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

/// How the validators of a checkout are changed: makes a body of another, given without its indentation and with the value that it returns
/// unchanged. `None` if it changes nothing.
type Change = fn(&[String], &str) -> Option<Vec<String>>;

/// It returns before it checks anything.
fn return_early(body: &[String], value: &str) -> Option<Vec<String>> {
    Some(std::iter::once(format!("return {value}")).chain(body.iter().cloned()).collect())
}

/// The first number in its code is another one.
fn change_a_number(body: &[String], _: &str) -> Option<Vec<String>> {
    let has_code = |line: &str| {
        !["raise", "warnings", "stacklevel", "\"", "f\"", "#"].iter().any(|start| line.trim_start().starts_with(start))
    };
    let is_word = |letter: char| letter.is_alphanumeric() || "_.\"'".contains(letter);
    let number = |line: &str| {
        let mut digits = line.char_indices().filter(|(_, letter)| letter.is_ascii_digit());
        digits.find(|(at, _)| !line[..*at].ends_with(is_word) && !line[at + 1..].starts_with(is_word)).map(|(at, _)| at)
    };
    let (index, at) =
        body.iter().enumerate().find_map(|(index, line)| Some((index, number(line).filter(|_| has_code(line))?)))?;
    let mut made = body.to_vec();
    made[index].insert(at, '7');
    Some(made)
}

/// A text with each of its validators changed, and their names.
fn changed(text: &str, change: Change) -> (String, Vec<String>) {
    let lines: Vec<&str> = text.lines().collect();
    let (mut made, mut names, mut at, mut is_validator) = (Vec::new(), Vec::new(), 0, false);
    while let Some(line) = lines.get(at) {
        made.push((*line).to_owned());
        at += 1;
        let word = line.trim_start();
        is_validator |= word.starts_with("@model_validator(") || word.starts_with("@field_validator(");
        let Some((name, rest)) = word.strip_prefix("def ").and_then(|rest| rest.split_once('(')) else { continue };
        if !std::mem::take(&mut is_validator) || !line.ends_with(':') {
            continue;
        }
        let mut parameters = rest.split([',', ')']).map(|one| one.split(':').next().unwrap_or_default().trim());
        let value = parameters.find(|name| *name != "cls").expect("a parameter");
        let space = line.len() - word.len() + 4;
        let is_inside = |line: &&&str| line.trim().is_empty() || line.len() - line.trim_start().len() >= space;
        let count = lines[at..].iter().take_while(is_inside).count();
        let body: Vec<String> =
            lines[at..at + count].iter().map(|line| line.get(space..).unwrap_or_default().to_owned()).collect();
        let other = change(&body, value);
        names.extend(other.as_ref().map(|_| name.to_owned()));
        let indented = |line: String| if line.is_empty() { line } else { format!("{}{line}", " ".repeat(space)) };
        made.extend(other.unwrap_or(body).into_iter().map(indented));
        at += count;
    }
    (made.join("\n") + "\n", names)
}

/// Changes the validators of all Python files below a folder; returns their names.
fn change_all(folder: &Path, change: Change) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("it is readable").path();
        if path.is_dir() {
            names.extend(change_all(&path, change));
        } else if path.extension().is_some_and(|extension| extension == "py") {
            let (text, found) = changed(&fs::read_to_string(&path).expect("a text"), change);
            fs::write(&path, text).expect("it is writable");
            names.extend(found);
        }
    }
    names
}

#[test]
fn only_the_validators_are_changed() {
    let text = "class A:\n    @model_validator(mode=\"before\")\n    @classmethod\n    def a(cls, data: dict):\n        if 8 in data:\n            raise ValueError(\"2\")\n        return data\n\n    def b(self):\n        return 8\n";
    let (early, names) = changed(text, return_early);
    assert_eq!((early, names), (text.replace("        if 8", "        return data\n        if 8"), vec!["a".to_owned()]));
    assert_eq!(changed(text, change_a_number).0, text.replace("if 8", "if 78"));
}

/// No port speaks for a validator of another revision: if each returns at once, none refuses anything; and one with another number in it is run from
/// its source.
#[test]
#[ignore = "takes clones from CFG_MIRRORS, and the program from CFG"]
#[expect(clippy::print_stdout, reason = "says why it is skipped")]
fn no_port_is_used_for_a_changed_validator() {
    let given = ["CFG", "CFG_MIRRORS"].map(|name| std::env::var_os(name).map(PathBuf::from));
    let [Some(program), Some(mirrors)] = given else {
        println!("skipped: CFG and CFG_MIRRORS are not both set");
        return;
    };
    for commit in RECORDED {
        let sha = git(&mirrors.join("PrimeIntellect-ai+prime-rl/repo"), &["rev-parse", commit]);
        for (change, is_early) in [(return_early as Change, true), (change_a_number, false)] {
            let folder = tempfile::tempdir().expect("there is room");
            let source = folder.path().join("prime-rl");
            checkout(&mirrors, commit, &sha, &source);
            let mut names: BTreeSet<String> =
                ["packages", "src"].into_iter().flat_map(|part| change_all(&source.join(part), change)).collect();
            // verifiers, which is not changed, has a function of this name, too.
            names.remove("resolve_env_config");
            assert!(names.len() > 20, "{commit}: {names:?}");
            let mut ports: BTreeSet<(String, String)> = BTreeSet::new();
            for kind in KINDS {
                for (_, file) in judged(&program, folder.path(), commit, kind) {
                    for found in file["diagnostics"].as_array().into_iter().flatten() {
                        let check = found["native"]["check"].as_str().unwrap_or_default();
                        // A check that is run from its source says where.
                        let is_port =
                            !found["help"].as_str().is_some_and(|help| help.contains("the project's own check refuses it"));
                        if names.contains(check) && (is_port || is_early) {
                            ports.insert((check.to_owned(), found["message"].to_string()));
                        }
                    }
                }
            }
            assert!(ports.is_empty(), "{commit}: {ports:?}");
        }
    }
}

/// Replaces a text in all Python files below a folder; returns how often it did.
fn replace_all(folder: &Path, from: &str, to: &str) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("it is readable").path();
        if path.is_dir() {
            count += replace_all(&path, from, to);
        } else if path.extension().is_some_and(|extension| extension == "py") {
            let text = fs::read_to_string(&path).expect("a text");
            count += text.matches(from).count();
            fs::write(&path, text.replace(from, to)).expect("it is writable");
        }
    }
    count
}

/// A constant of a class belongs to the validators that read it: `validate_sampling_source` asks for the loss type of its class, and refuses a
/// frozen model only for those that train on the policy's own samples.
#[test]
#[ignore = "takes clones from CFG_MIRRORS, and the program from CFG"]
#[expect(clippy::print_stdout, reason = "says why it is skipped")]
fn no_port_speaks_for_a_changed_constant() {
    let given = ["CFG", "CFG_MIRRORS"].map(|name| std::env::var_os(name).map(PathBuf::from));
    let [Some(program), Some(mirrors)] = given else {
        println!("skipped: CFG and CFG_MIRRORS are not both set");
        return;
    };
    let frozen = "[algo]\ntype = \"grpo\"\n[algo.sampling.source]\nname = \"m\"\nbase_url = \"http://localhost:8000/v1\"\n";
    for commit in RECORDED {
        let sha = git(&mirrors.join("PrimeIntellect-ai+prime-rl/repo"), &["rev-parse", commit]);
        let folder = tempfile::tempdir().expect("there is room");
        let source = folder.path().join("prime-rl");
        checkout(&mirrors, commit, &sha, &source);
        fs::write(folder.path().join("frozen.toml"), frozen).expect("it is writable");
        let refusals = || -> Vec<bool> {
            let mut check = Command::new(&program);
            check.current_dir(folder.path()).args(["check", "--format", "json", "--target", "path:prime-rl"]);
            check.args(["--kind", "orchestrator", "frozen.toml"]);
            let said: Value = serde_json::from_slice(&check.output().expect("the program").stdout).expect("a document");
            let found = said["files"][0]["diagnostics"].as_array().cloned().unwrap_or_default();
            let refusals = found.iter().filter(|one| one["native"]["check"] == "validate_sampling_source");
            let is_from_source =
                |one: &Value| one["help"].as_str().is_some_and(|help| help.contains("the project's own check refuses it"));
            refusals.map(is_from_source).collect()
        };
        assert_eq!(refusals(), [false], "{commit}: the port");
        let packages = source.join("packages");
        let constant = "action_loss_type: ClassVar[ActionLossType] = ";
        // Another algorithm's constant: the check is run from its source, and says the same.
        assert_eq!(replace_all(&packages, &format!("{constant}\"ce\""), &format!("{constant}\"rl\"")), 1, "{commit}");
        assert_eq!(refusals(), [true], "{commit}: from its source");
        assert!(replace_all(&packages, &format!("{constant}\"rl\""), &format!("{constant}\"ce\"")) > 1, "{commit}");
        assert_eq!(refusals(), [false; 0], "{commit}: the constant is another one");
    }
}
