//! Configs for hosted training with the answers of `prime train`: accepted, or refused, by which part and at which keys.
//!
//! The first line of `fixtures/hosted.jsonl` names the releases that were asked: `prime train validate`, and `prime train` itself, with simulated
//! answers of the platform, for the form that only it accepts.

use std::{collections::BTreeSet, fs};

use cfg_check::{Checked, Request, Session, Verdict, check};
use cfg_diag::{Diagnostic, LocPart, Native, Severity, codes};
use cfg_schema::Kind;
use cfg_tests::workspace;
use serde_json::Value;

fn checked(text: &str, kind: Option<Kind>, named: bool) -> Checked {
    let request = Request { named, kind, ..Request::new("train.toml", text) };
    check(&Session::default(), request)
}

fn refusals(checked: &Checked) -> impl Iterator<Item = (&Diagnostic, &Native)> {
    let all = checked.diagnostics.iter().filter_map(|found| Some((found, found.native.as_ref()?)));
    all.filter(|(_, native)| !native.masked)
}

fn loc(native: &Native) -> String {
    let part = |part: &LocPart| match part {
        LocPart::Key(key) => key.clone(),
        LocPart::Index(index) => index.to_string(),
    };
    native.loc.iter().map(part).collect::<Vec<_>>().join(".")
}

fn differs(case: &Value) -> Option<String> {
    let text = case["toml"].as_str().expect("a text");
    let checked = checked(text, Some(Kind::HostedRl), true);
    let wanted: BTreeSet<String> =
        case["keys"].as_array().into_iter().flatten().map(|key| key.as_str().expect("a key").to_owned()).collect();
    let found: BTreeSet<String> = match case["by"].as_str() {
        None if checked.verdict != Verdict::Ok => return Some(format!("{:?}", checked.verdict)),
        // Findings of rules are not from prime train.
        None => refusals(&checked).map(|(found, _)| found.message.clone()).collect(),
        Some("prime-rl") => refusals(&checked).map(|(_, native)| loc(native)).filter(|loc| !loc.is_empty()).collect(),
        Some(_) => refusals(&checked).filter_map(|(found, _)| found.key.clone()).collect(),
    };
    let is_refused = checked.verdict == Verdict::Rejected;
    if is_refused == (case["accepted"] == true) {
        return Some(format!("{:?}", checked.verdict));
    }
    // For some errors prime train names no key, but `cfg` knows one.
    let is_open = is_refused && wanted.is_empty();
    (!is_open && found != wanted).then(|| format!("{found:?} instead of {wanted:?}"))
}

#[test]
fn each_case_gets_the_verdict_of_prime_train() {
    let text = fs::read_to_string(workspace().join("tests/fixtures/hosted.jsonl")).expect("the cases");
    let cases: Vec<Value> = text.lines().skip(1).map(|line| serde_json::from_str(line).expect("a case")).collect();
    assert!(cases.len() >= 100, "only {} cases", cases.len());
    let differ =
        |case: &Value| differs(case).map(|how| format!("{}: {how}\n{}", case["name"], case["toml"].as_str().unwrap_or("")));
    let wrong: Vec<String> = cases.iter().filter_map(differ).collect();
    assert!(wrong.is_empty(), "{} of {} differ\n\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

const WHOLE: &str = "[trainer]\n[orchestrator]\n[inference]\n";

#[test]
fn a_dropped_key_is_a_warning() {
    for (text, key) in [
        ("dry_run = true\n", "dry_run"),
        ("type = 'full_finetune'\n", "type"),
        ("env_files = 3\n", "env_files"),
        ("[slurm]\njob_name = 'x'\n", "slurm"),
        ("[env_vars]\nA = '1'\n", "env_vars"),
        ("[inference.deployment]\ngpus_per_node = 4\n", "inference.deployment"),
        ("[orchestrator.buffer]\nseed = 1\n", "orchestrator.buffer"),
        ("[k8s]\n", "k8s"),
    ] {
        let text = if text.contains("inference.") || text.contains("orchestrator.") {
            format!("{WHOLE}{text}")
        } else {
            format!("{text}{WHOLE}")
        };
        let checked = checked(&text, Some(Kind::HostedRl), true);
        let dropped: Vec<_> = checked.diagnostics.iter().filter(|found| found.code == &codes::DROPPED_BY_HOSTED).collect();
        assert_eq!(dropped.len(), 1, "{text}: {:?}", checked.diagnostics);
        assert_eq!((dropped[0].key.as_deref(), dropped[0].severity), (Some(key), Severity::Warning), "{text}");
        assert!(dropped[0].location.is_some(), "{text}");
        assert_eq!(checked.verdict, Verdict::Ok, "{text}");
    }
}

#[test]
fn a_refusal_masks_what_comes_after_it() {
    let checked = checked(&format!("gpu_type = 1\nclean = true\nnope = 2\n{WHOLE}[k8s]\na = 1\n"), Some(Kind::HostedRl), true);
    let mut natives: Vec<(&str, bool)> =
        checked.diagnostics.iter().filter_map(|found| Some((found.key.as_deref()?, found.native.as_ref()?.masked))).collect();
    natives.sort_unstable();
    assert_eq!(natives, [("clean", true), ("gpu_type", false), ("k8s", true), ("nope", true)]);
}

#[test]
fn the_kind_follows_from_the_keys_and_the_target_is_main() {
    let found = checked(&format!("gpu_type = 'H200_141GB'\n{WHOLE}"), None, false);
    assert_eq!((found.kind, &*found.target.name), (Some(Kind::HostedRl), "main"));
    assert!(found.resolved.as_ref().is_some_and(|resolved| resolved.given("gpu_type").is_none()), "prime-rl sees no such key");
    let sft = "volume = 'v'\nmax_steps = 3\n[model]\nname = 'x'\n[data]\nname = 'datasets/x'\n";
    assert_eq!(checked(sft, None, false).kind, Some(Kind::HostedSft));
    let at = |commit: &str| checked(&format!("source_ref = '{commit}'\n{WHOLE}"), None, true);
    assert_eq!(at("2441fd514").target.name, "2441fd514");
    let old = at("v0.8.0");
    assert_eq!(&*old.target.name, "main");
    assert!(old.diagnostics.iter().any(|found| found.key.as_deref() == Some("source_ref")));
}

#[test]
fn a_former_format_found_in_a_folder_is_not_an_error() {
    let text = "model = 'x'\nmax_steps = 5\n[[env]]\nid = 'a/b'\n";
    for (named, severity) in [(true, Severity::Error), (false, Severity::Warning)] {
        let checked = checked(text, None, named);
        let codes: Vec<_> = checked.diagnostics.iter().map(|found| (found.code.name, found.severity)).collect();
        assert_eq!(codes, [("retired-hosted-form", severity)]);
        assert_eq!(checked.verdict, Verdict::Rejected);
    }
}
