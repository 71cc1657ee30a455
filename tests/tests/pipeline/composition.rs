//! Files, command lines and variables with what prime-rl itself made of them: the verdict, the errors, and the values that differ from those of the
//! minimal config.
//!
//! `composition/` has the recorded cases, one file for each version. At 0.5.0, whose loader validates twice, a few may differ: `docs/conformance.md`
//! says why.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use cfg_check::{CheckedCommand, Command, CommandRequest, Session, Verdict, check_command};
use cfg_schema::{Kind, Target};
use cfg_system::MemorySystem;
use cfg_tests::{Recorded, compare, workspace};
use serde_json::Value;

/// The number of disagreements that are shown.
const SHOWN: usize = 15;

/// Values that are random, or follow from random ones.
const VOLATILE: [&str; 5] = ["run.name", "run.dir", "output_dir", "wandb.name", "prime.name"];

/// Values as JSON, by dotted path.
type Leaves = BTreeMap<String, Value>;

/// Checks a command line as prime-rl was run: with these files, and no others.
fn check(session: &Session, target: &Target, kind: Kind, words: &[String], case: &Value) -> CheckedCommand {
    let pairs = |member: &str| -> Vec<(String, String)> {
        let object = case[member].as_object();
        object.into_iter().flatten().map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_owned())).collect()
    };
    let files = pairs("files");
    let system = MemorySystem::with_files(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let request = CommandRequest {
        project: None,
        command: Command::Words(words),
        environment: &pairs("env"),
        kind: Some(kind),
        target: Some(target.clone()),
        system: &system,
    };
    check_command(session, &request)
}

fn leaves(value: &Value, path: &str, into: &mut Leaves) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(object) if !object.is_empty() => {
            object.iter().for_each(|(key, inner)| leaves(inner, &below(key), into));
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(index, item)| leaves(item, &below(&index.to_string()), into));
        }
        _ => drop(into.insert(path.to_owned(), value.clone())),
    }
}

fn values(checked: &CheckedCommand) -> Leaves {
    let mut all = Leaves::new();
    if let Some(resolved) = &checked.checked.resolved {
        leaves(&cfg_resolve::dump(resolved, checked.checked.target.point), "", &mut all);
    }
    all.retain(|path, _| !VOLATILE.iter().any(|volatile| path.ends_with(volatile)));
    all
}

/// Compares the values that differ from the minimal config with the recorded ones.
fn compare_values(base: &Leaves, own: &Leaves, changed: &Value) -> Result<(), String> {
    let is_volatile = |path: &str| VOLATILE.iter().any(|volatile| path.ends_with(volatile));
    let set: Leaves =
        changed["set"].as_object().into_iter().flatten().map(|(path, value)| (path.clone(), value.clone())).collect();
    let unset: BTreeSet<&str> = changed["unset"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut expected = base.clone();
    expected.retain(|path, _| !unset.contains(path.as_str()));
    expected.extend(set.into_iter().filter(|(path, _)| !is_volatile(path)));
    let paths: BTreeSet<&String> = expected.keys().chain(own.keys()).collect();
    let different = paths.into_iter().find(|path| expected.get(*path) != own.get(*path));
    match different {
        Some(path) => Err(format!("`{path}` is {:?} in prime-rl, {:?} here", expected.get(path), own.get(path))),
        None => Ok(()),
    }
}

/// Whether `docs/conformance.md` explains the differences: this loader validates twice, `cfg` once.
fn validates_twice(version: &str) -> bool {
    version == "v0.5.0-real"
}

/// Runs the cases of a file; returns their number, those that differ, and the number of known differences.
fn run(file: &Path) -> (usize, Vec<String>, usize) {
    let session = Session::default();
    let text = fs::read_to_string(file).expect("a text");
    let mut bases: BTreeMap<Kind, Leaves> = BTreeMap::new();
    let (mut wrong, mut known) = (Vec::new(), 0);
    for (number, line) in text.lines().enumerate() {
        let case: Value = serde_json::from_str(line).expect("JSON");
        let version = case["version"].as_str().expect("a version");
        let target = Target::parse(session.history, version.trim_end_matches("-real")).expect("a known target");
        let kind: Kind = case["kind"].as_str().and_then(|kind| kind.parse().ok()).expect("a kind");
        let words: Vec<String> =
            case["words"].as_array().expect("words").iter().map(|word| word.as_str().unwrap_or_default().to_owned()).collect();
        let full: Vec<String> = std::iter::once(kind.name().to_owned()).chain(words.iter().cloned()).collect();
        let checked = check(&session, &target, kind, &full, &case);
        let ok = case["ok"].as_bool().expect("a verdict");
        let outcome = compare(&checked.checked, ok, &Recorded::errors_of(&case).expect("errors")).and_then(|()| {
            if !ok || checked.checked.verdict != Verdict::Ok || case["changed"].is_null() {
                return Ok(());
            }
            let base = bases.entry(kind).or_insert_with(|| {
                let minimal = if kind == Kind::Rl { "[trainer]\n[orchestrator]\n" } else { "" };
                let case = serde_json::json!({ "files": { "m.toml": minimal } });
                let words = [kind.name(), "@", "m.toml"].map(str::to_owned);
                values(&check(&session, &target, kind, &words, &case))
            });
            compare_values(base, &values(&checked), &case["changed"])
        });
        if let Err(difference) = outcome {
            if validates_twice(version) {
                known += 1;
            } else {
                let environment = if case["env"].is_null() { String::new() } else { format!(" {}", case["env"]) };
                wrong.push(format!("{}:{}: {}{environment}\n  {difference}", file.display(), number + 1, full.join(" ")));
            }
        }
    }
    (text.lines().count(), wrong, known)
}

fn run_all(folder: &Path) -> usize {
    let (mut count, mut wrong) = (0, Vec::new());
    for file in Recorded::files(folder) {
        let (cases, mut differ, known) = run(&file);
        // Known differences are few, so that a new fault can't hide among them.
        assert!(known * 28 <= cases, "{known} of {cases} cases of {} differ", file.display());
        count += cases;
        wrong.append(&mut differ);
    }
    let shown = wrong.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {count} cases differ\n\n{shown}", wrong.len());
    count
}

#[test]
fn the_recorded_commands_agree_with_prime_rl() {
    let count = run_all(&workspace().join("tests/composition"));
    assert!(count >= 900, "only {count} cases were run");
}
