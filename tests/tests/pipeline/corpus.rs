//! Every revision of one real project's configs, with prime-rl's verdict at nine versions. The files belong to others and are read where they are.

use std::fs;

use cfg_check::{Checked, Verdict};
use cfg_diag::{LocPart, Severity};
use cfg_schema::Kind;
use cfg_tests::{Checking, shared};
use serde_json::Value;

/// The dotted key and the error type of each error, sorted.
type Errors = Vec<(String, String)>;

/// The maximum number of errors that were recorded for a config.
const RECORDED_AT_MOST: usize = 8;

/// The errors, and whether there may be more. An accepted config is recorded as `ok`.
fn recorded(verdict: &Value) -> (Errors, bool) {
    let pair = |error: &Value| {
        let text = |index: usize| error[index].as_str().expect("a text").to_owned();
        let place = text(0);
        (if place == "<root>" { String::new() } else { place }, text(1))
    };
    let mut errors: Errors = verdict.as_array().into_iter().flatten().map(pair).collect();
    let is_cut = errors.len() == RECORDED_AT_MOST;
    errors.sort();
    (errors, is_cut)
}

fn reported(checked: &Checked) -> Errors {
    let step = |part: &LocPart| match part {
        LocPart::Key(key) => key.clone(),
        LocPart::Index(index) => index.to_string(),
    };
    let natives = checked.diagnostics.iter().filter_map(|diagnostic| diagnostic.native.as_ref()).filter(|native| !native.masked);
    let mut errors: Errors =
        natives.map(|native| (native.loc.iter().map(step).collect::<Vec<_>>().join("."), native.kind.to_string())).collect();
    errors.sort();
    errors
}

/// The commit of prime-rl whose verdicts are recorded as those of `HEAD`.
const RECORDED_HEAD: &str = "2441fd514";

#[test]
#[ignore = "reads ../shared/corpus"]
fn every_revision_gets_the_verdict_of_prime_rl() {
    let folder = shared("corpus");
    let (mut count, mut wrong) = (0, Vec::new());
    for line in fs::read_to_string(folder.join("verdicts.jsonl")).expect("the verdicts").lines() {
        let entry: Value = serde_json::from_str(line).expect("a line of JSON");
        let file = entry["file"].as_str().expect("a file");
        let kind: Kind = entry["kind"].as_str().expect("a kind").parse().expect("a known kind");
        let text = fs::read_to_string(folder.join(file)).expect("a config");
        for (version, verdict) in entry["prime_rl"].as_object().expect("versions") {
            // The kind is not stated, so that its detection is tested as well.
            // The verdicts for the newest prime-rl are those of one commit; `main` may know more by name.
            let target = if version == "HEAD" { RECORDED_HEAD } else { version };
            let checked = Checking::for_target(target).check(&text);
            let ((recorded, is_cut), reported) = (recorded(verdict), reported(&checked));
            let agree = if is_cut { recorded.iter().all(|error| reported.contains(error)) } else { recorded == reported };
            let is_accepted = checked.verdict == Verdict::Ok;
            count += 1;
            if checked.kind != Some(kind) || !agree || is_accepted != recorded.is_empty() {
                wrong.push(format!("{file} at {version}: {recorded:?}\n  cfg says {:?}: {reported:?}", checked.verdict));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} differ\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 250, "only {count} verdicts were compared");
}

/// Configs that prime-rl accepts but the project's own notes call wrong: the rule that reports an error, the config's model, and what happened.
const CALLED_WRONG: [(&str, &str, &str); 6] = [
    ("blocked-model", "openai/gpt-oss-20b", "vLLM could not load new weights into it"),
    ("blocked-model", "mistralai/Ministral-3-8B-Instruct-2512", "transformers did not know its architecture"),
    ("vision-language-model", "qwen/qwen3-vl-8b-instruct", "the trainer loads language models only"),
    ("api-slug", "mistralai/mistral-small-3.2-24b-instruct", "the hub has no model of this name"),
    ("no-memory-to-load", "Qwen/Qwen3-8B", "8B was out of memory on cards of 24 GB"),
    ("no-kv-cache", "Qwen/Qwen3-8B", "the same run"),
];

#[test]
#[ignore = "reads ../shared/corpus"]
fn no_rule_reports_an_error_in_accepted_configs() {
    let folder = shared("corpus");
    let (mut accepted, mut wrong) = (0, Vec::new());
    for line in fs::read_to_string(folder.join("verdicts.jsonl")).expect("the verdicts").lines() {
        let entry: Value = serde_json::from_str(line).expect("a line of JSON");
        let file = entry["file"].as_str().expect("a file");
        let text = fs::read_to_string(folder.join(file)).expect("a config");
        let versions = entry["prime_rl"].as_object().expect("versions");
        // At versions where prime-rl accepts it; and at that of the config's day, if that prime-rl accepts it.
        let day = entry["date"].as_str().and_then(|date| date.get(..10)).expect("a day");
        for version in versions.iter().filter(|(_, verdict)| *verdict == "ok").map(|(version, _)| version.as_str()).chain([day]) {
            let checked = Checking::for_target(version).check(&text);
            if checked.verdict != Verdict::Ok {
                assert_eq!(version, day, "{file} is accepted");
                continue;
            }
            accepted += 1;
            let errors = checked.diagnostics.iter().filter(|found| found.severity == Severity::Error);
            let is_told =
                |name: &str| CALLED_WRONG.iter().any(|(rule, model, _)| *rule == name && text.contains(&format!("\"{model}\"")));
            wrong.extend(
                errors.filter(|found| !is_told(found.code.name)).map(|found| format!("{file} at {version}: {}", found.message)),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(accepted >= 26, "only {accepted} configs were accepted");
}
