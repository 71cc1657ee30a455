//! Files of verifiers' own evaluations with its loader's answer: accepted, or refused with which exception.
//!
//! The first line of `fixtures/evaluations.jsonl` names the releases that were asked, and the registries of endpoints next to the files. The files
//! are made at random from the keys and values of `schemas/evaluations.toml` and from invalid values; each release accepts about half of its files.

use std::{fs, path::Path, sync::Arc};

use cfg_check::{Checked, Request, Session, Verdict, VerifiersFile, check};
use cfg_diag::Severity;
use cfg_project::Projects;
use cfg_system::MemorySystem;
use serde_json::Value;

/// A file that is checked with `release`, or no release, locked.
fn checked(head: &Value, release: Option<&str>, text: &str) -> Checked {
    let registry = |name: &str| head[name].as_str().expect("a text");
    let lock = release.map(|release| {
        format!("version = 1\n\n[[package]]\nname = \"verifiers\"\nversion = \"{release}\"\nsource = {{ registry = \"https://x/simple\" }}\n")
    });
    let files = [
        ("/p/.git/HEAD", "?"),
        ("/p/c/endpoints.toml", registry("endpoints.toml")),
        ("/p/c/bad.toml", registry("bad.toml")),
        ("/p/c/x.toml", text),
    ];
    let files = files.into_iter().chain(lock.as_deref().map(|lock| ("/p/uv.lock", lock)));
    let system = Arc::new(MemorySystem::with_files(files));
    let session = Session::new(Arc::new(Projects::new(system, None)));
    let request = Request::new("/p/c/x.toml", text);
    check(&session, request)
}

/// The first line, and the others.
fn recorded() -> (Value, Vec<Value>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/evaluations.jsonl");
    let text = fs::read_to_string(path).expect("the cases");
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a case"));
    let head = lines.next().expect("a first line");
    (head, lines.collect())
}

#[test]
fn each_file_gets_the_verdict_of_the_loader_of_its_release() {
    let (head, cases) = recorded();
    assert!(cases.len() >= 200, "only {} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let (release, text) = (case["release"].as_str().expect("a release"), case["text"].as_str().expect("a text"));
        let found = checked(&head, Some(release), text);
        assert_eq!(found.of_verifiers.as_ref().map(|of| of.file), Some(VerifiersFile::Evaluations), "{text}");
        let wanted = if case["refused"].is_null() { Verdict::Ok } else { Verdict::Rejected };
        if found.verdict != wanted {
            let said: Vec<&str> = found.diagnostics.iter().map(|found| found.message.as_str()).collect();
            wrong.push(format!("{release} {}: {said:?}\n{text}", case["refused"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ\n\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn without_a_release_no_key_of_any_release_is_refused() {
    let (head, cases) = recorded();
    for case in cases.iter().filter(|case| case["refused"].is_null()) {
        let text = case["text"].as_str().expect("a text");
        let found = checked(&head, None, text);
        let errors: Vec<_> = found.diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
        assert!(errors.is_empty() && found.verdict == Verdict::Ok, "{} takes it: {errors:?}\n{text}", case["release"]);
    }
}

#[test]
fn a_refusal_masks_what_comes_after_it() {
    let (head, _) = recorded();
    let found = checked(&head, Some("0.3.0"), "debug = true\nnope = 1\nmax_concurrent = 4\n[[eval]]\nnum_examples = 2.5\n");
    let told = found.diagnostics.iter().filter_map(|found| Some((found.key.as_deref()?, found.native.as_ref()?.masked)));
    assert_eq!(told.collect::<Vec<_>>(), [("debug", false), ("nope", true), ("eval[0]", true), ("eval[0].num_examples", true)]);
}
