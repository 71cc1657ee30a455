//! The mistakes of coding agents, and what comes of them if nothing but the advice is followed: in at most three rounds the config is right, and says what
//! it was meant to say.
//!
//! `tests/fixtures/mistakes.txt` has each case: `=== NAME | TARGET | KIND` (`-` if it is not stated), the wrong config, and after `---` values of the right one.

use std::{collections::HashSet, fs, thread};

use serde_json::Value;

use super::{Folder, sized::sized};

/// The maximum number of rounds.
const MAX_ROUNDS: usize = 3;

/// The largest size of what the concise form says in a round, in bytes.
const MAX_SAID: usize = 1536;

pub(super) struct Case {
    pub(super) name: String,
    pub(super) options: String,
    pub(super) text: String,
    wanted: Vec<(String, Value)>,
}

pub(super) fn cases() -> Vec<Case> {
    let case = |part: &str| {
        let (head, rest) = part.split_once('\n').expect("a head");
        let [name, target, kind] = head.split(" | ").collect::<Vec<_>>()[..] else { panic!("{head}") };
        let (text, wanted) = rest.split_once("\n--- ").expect("what is wanted");
        let wanted = wanted.split_whitespace().map(|pair| {
            let (key, value) = pair.split_once('=').expect("a key and a value");
            (key.to_owned(), serde_json::from_str(value).unwrap_or_else(|error| panic!("{name}: {pair}: {error}")))
        });
        let stated = [("--target", target), ("--kind", kind)].into_iter().filter(|(_, value)| *value != "-");
        let options: Vec<String> = stated.map(|(option, value)| format!("{option} {value}")).collect();
        let (name, options, wanted) = (name.to_owned(), options.join(" "), wanted.collect());
        Case { name, options, text: format!("{text}\n"), wanted }
    };
    include_str!("../../../../tests/fixtures/mistakes.txt").split("=== ").skip(1).map(case).collect()
}

/// The findings of a check that a person has to do something about.
fn findings(folder: &Folder, options: &str) -> Vec<Value> {
    let ended = folder.run(&format!("check rl.toml --format json {options}"));
    let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let found = report["files"][0]["diagnostics"].as_array().cloned().unwrap_or_default();
    found.into_iter().filter(|found| found["echo"] != true && found["severity"] != "info").collect()
}

fn name(found: &Value) -> (String, String) {
    (found["code"].to_string(), found["key"].to_string())
}

/// One round: the fixes, then what a finding of the round advises.
fn round(folder: &Folder, options: &str, found: &[Value]) {
    let of_round: HashSet<(String, String)> = found.iter().map(name).collect();
    folder.run(&format!("check rl.toml --fix --unsafe-fixes {options}"));
    let mut done = HashSet::new();
    loop {
        let left = findings(folder, options);
        let Some(next) = left.iter().find(|found| of_round.contains(&name(found)) && !done.contains(&name(found))) else {
            return;
        };
        done.insert(name(next));
        let mut text = fs::read_to_string(folder.path().join("rl.toml")).expect("a text");
        if let Some(fix) = next["fixes"].as_array().and_then(|fixes| fixes.first()) {
            for edit in fix["edits"].as_array().expect("edits").iter().rev() {
                let offset =
                    |end: &str| usize::try_from(edit["range"][end]["offset"].as_u64().expect("a number")).expect("small");
                text.replace_range(offset("start")..offset("end"), edit["new_text"].as_str().expect("a text"));
            }
        } else if let Some((table, _)) =
            next["help"].as_str().and_then(|help| help.strip_prefix("add `[")).and_then(|help| help.split_once("]`"))
        {
            text = format!("{}\n[{table}]\n", text.trim_end());
        } else if next["help"].as_str().is_some_and(|help| help.contains("; "))
            && next["key"].is_string()
            && next["range"].is_object()
        {
            // A setting that counts something else is left to the author, who leaves it out here.
            let line = usize::try_from(next["range"]["start"]["line"].as_u64().expect("a line")).expect("small");
            text =
                text.split_inclusive('\n').enumerate().filter(|(number, _)| number + 1 != line).map(|(_, line)| line).collect();
        }
        folder.write("rl.toml", text.as_bytes());
    }
}

/// The value at a dotted path.
fn at<'v>(document: &'v Value, path: &str) -> Option<&'v Value> {
    path.split(['.', '[', ']']).filter(|step| !step.is_empty()).try_fold(document, |value, step| match step.parse::<usize>() {
        Ok(index) => value.get(index),
        Err(_) => value.get(step),
    })
}

/// Whether two values are the same, whatever the form of their numbers.
fn is_same(one: &Value, other: &Value) -> bool {
    one == other || one.is_number() && one.as_f64() == other.as_f64()
}

/// What is wrong at the end.
fn fault(case: &Case) -> Option<String> {
    let folder = Folder::new(&[("rl.toml", &case.text)]);
    for _ in 0..MAX_ROUNDS {
        let found = findings(&folder, &case.options);
        if found.is_empty() {
            break;
        }
        let said = folder.run(&format!("check rl.toml --format concise {}", case.options)).stdout;
        if said.len() > MAX_SAID {
            return Some(format!("{}: {} bytes in a round", case.name, said.len()));
        }
        round(&folder, &case.options, &found);
    }
    let left = folder.run(&format!("check rl.toml --format concise {}", case.options));
    if left.status != Some(0) {
        return Some(format!("{}: {}", case.name, left.stdout));
    }
    let compiled = folder.run(&format!("compile rl.toml --format json {}", case.options));
    let values: Value =
        serde_json::from_str(&compiled.stdout).unwrap_or_else(|error| panic!("{}: {error}: {compiled:?}", case.name));
    let other = case.wanted.iter().find(|(key, value)| !at(&values, key).is_some_and(|found| is_same(found, value)));
    other.map(|(key, value)| format!("{}: `{key}` is {:?} in place of {value}", case.name, at(&values, key)))
}

/// What is wrong with each case, as `fault` says, worked out at once.
fn faults(cases: &[Case], fault: fn(&Case) -> Option<String>) -> Vec<String> {
    thread::scope(|scope| {
        let parts: Vec<_> = cases
            .chunks(cases.len().div_ceil(4))
            .map(|cases| scope.spawn(move || cases.iter().filter_map(fault).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|faults| faults.join().expect("no panic")).collect()
    })
}

/// The cases that don't end right: one in 30 at most.
const ENDS_WRONG: [&str; 10] = [
    "eval-wrong",
    "trl-on-main",
    "dtype-vllm-main",
    "openrlhf-06",
    "old-keys-02-on-07",
    "no-target-mixed-inference",
    "trl-full-main",
    "eval-words",
    "no-limits",
    "torchtune-lora",
];

#[test]
fn mistakes_of_agents_end_right_in_three_rounds() {
    let all = cases();
    assert!(ENDS_WRONG.len() * 30 <= all.len(), "{} of {}", ENDS_WRONG.len(), all.len());
    let cases: Vec<Case> = all.into_iter().step_by(sized(4, 1)).collect();
    assert!(cases.len() >= sized(80, 320), "{}", cases.len());
    let faults = faults(&cases, fault);
    let ends_wrong = |name: &str| faults.iter().any(|fault| fault.starts_with(&format!("{name}: ")));
    let wrong: Vec<&str> = cases.iter().map(|case| case.name.as_str()).filter(|name| ends_wrong(name)).collect();
    let known: Vec<&str> = cases.iter().map(|case| case.name.as_str()).filter(|name| ENDS_WRONG.contains(name)).collect();
    assert_eq!(wrong, known, "{faults:#?}");
}

/// What is wrong after all fixes were made at once: an error that was not there before, or something that making them again would change.
fn fault_of_fixes(case: &Case) -> Option<String> {
    let folder = Folder::new(&[("rl.toml", &case.text)]);
    let names = |found: &[Value]| -> HashSet<(String, String)> {
        found.iter().filter(|found| found["severity"] == "error").map(name).collect()
    };
    let text = || fs::read_to_string(folder.path().join("rl.toml")).expect("a text");
    let before = names(&findings(&folder, &case.options));
    folder.run(&format!("check rl.toml --fix --unsafe-fixes {}", case.options));
    let (once, after) = (text(), names(&findings(&folder, &case.options)));
    if let Some(new) = after.difference(&before).next() {
        return Some(format!("{}: {new:?} is new", case.name));
    }
    folder.run(&format!("check rl.toml --fix --unsafe-fixes {}", case.options));
    (text() != once).then(|| format!("{}: not all fixes were made at once", case.name))
}

#[test]
fn all_fixes_at_once_leave_only_what_needs_its_author() {
    let cases: Vec<Case> = cases().into_iter().skip(1).step_by(sized(4, 1)).collect();
    assert_eq!(faults(&cases, fault_of_fixes), Vec::<String>::new());
}
