//! Formats for CI systems: workflow commands, code quality, test results, SARIF.

mod common;

use std::collections::BTreeSet;

use cfg_diag::{Applicability, Diagnostic, Edit, FileId, Location, Severity, Span, Verdict, codes};
use cfg_report::{FileReport, Format, Reporter, Sources, Style, line_schema};
use common::{diagnostics, everything, find, render, report, sources};
use serde_json::Value;

const CI: [Format; 5] = [Format::JsonLines, Format::Github, Format::Gitlab, Format::Junit, Format::Sarif];

/// Several files: one with every form of finding, a clean one, one that can't be read, one with echoes, control characters, CRLF and a path with
/// spaces.
fn several(format: Format) -> String {
    let mut stream = Reporter::new(format, Style::default()).stream(Vec::new());
    let (everything, crlf) = (diagnostics(), "[model]\r\nname = \"é\u{1b}\"\r\nsize = 1\r\n");
    stream.file(&report("configs/rl.toml", &everything), &sources()).expect("memory can be written");
    let clean = FileReport { verdict: Verdict::Ok, ..report("configs/clean.toml", &[]) };
    stream.file(&clean, &Sources::new()).expect("memory can be written");
    let unreadable = [Diagnostic::new(&codes::UNREADABLE_FILE, "gone.toml can't be read: no such file or directory")];
    let unreadable = FileReport { kind: None, target: None, ..report("gone.toml", &unreadable) };
    stream.file(&unreadable, &Sources::new()).expect("memory can be written");
    let size = find(FileId(0), crlf, "size");
    let message = "it says \"50%\", <a & b>, [this](1), ]]> and \u{1b}[2J\r\n::error::no, `{0}`\u{ffff}";
    let awkward = Diagnostic::new(&codes::WRONG_TYPE, message).at(find(FileId(0), crlf, "\"é\u{1b}\"")).key("model.name");
    let mut echo = Diagnostic::new(&codes::WRONG_TYPE, "an echo").at(size);
    echo.is_echo = true;
    let mut warning = Diagnostic::new(&codes::IGNORED_KEY, "`size` is dropped").at(size).key("model.size");
    warning.severity = Severity::Warning;
    let lines = Diagnostic::new(&codes::INVALID_TOML, "two lines").at(Location::new(FileId(0), Span::new(9, 28)));
    let elsewhere =
        Diagnostic::new(&codes::INVALID_TOML, "in a file that is not there").at(Location::new(FileId(7), Span::new(9, 28)));
    let listed = [lines, awkward, echo, warning, elsewhere];
    let path = "./my runs/100%,a:b.toml";
    stream.file(&report(path, &listed), &Sources::single(path, crlf)).expect("memory can be written");
    String::from_utf8(stream.finish("not for programs").expect("memory can be written")).expect("reports are text")
}

#[test]
fn json_lines() {
    insta::assert_snapshot!(several(Format::JsonLines));
}

#[test]
fn github() {
    insta::assert_snapshot!(several(Format::Github));
}

#[test]
fn gitlab() {
    insta::assert_snapshot!(several(Format::Gitlab));
}

/// What was not checked has not passed.
#[test]
fn a_file_that_is_not_checked_is_skipped_in_junit() {
    let mut stream = Reporter::new(Format::Junit, Style::default()).stream(Vec::new());
    let other = [Diagnostic::new(&codes::NOT_A_CONFIG, "not a config of prime-rl, so it was not checked")];
    let other = FileReport { kind: None, target: None, ..report("other.toml", &other) };
    stream.file(&other, &Sources::new()).expect("memory can be written");
    let text = String::from_utf8(stream.finish("").expect("memory can be written")).expect("reports are text");
    assert!(text.contains("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""), "{text}");
    assert!(text.contains("<skipped message=\"not a config of prime-rl, so it was not checked\"/>"), "{text}");
}

#[test]
fn junit() {
    insta::assert_snapshot!(several(Format::Junit));
}

#[test]
fn sarif() {
    let mut log: Value = serde_json::from_str(&several(Format::Sarif)).expect("it is JSON");
    let rules = log["runs"][0]["tool"]["driver"]["rules"].take();
    insta::assert_json_snapshot!(log);
    let rules: Vec<Value> = serde_json::from_value(rules).expect("an array");
    let unknown_key = rules.into_iter().find(|rule| rule["id"] == "PRL101").expect("there is one");
    assert_eq!(unknown_key["name"], "unknown-key");
    assert_eq!(unknown_key["help"]["markdown"], codes::UNKNOWN_KEY.page);
    assert_eq!(unknown_key["properties"]["page"], "docs/rules/unknown-key.md");
    assert_eq!(unknown_key["defaultConfiguration"]["level"], "error");
    assert!(unknown_key["fullDescription"]["text"].as_str().is_some_and(|text| text.len() > 20 && !text.contains('\n')));
}

#[test]
fn sarif_is_valid_under_its_schema() {
    let schema = serde_json::from_str(include_str!("sarif.schema.json")).expect("it is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    for text in [several(Format::Sarif), everything(Format::Sarif, Style::default()), nothing(Format::Sarif)] {
        let log: Value = serde_json::from_str(&text).expect("it is JSON");
        let errors: Vec<String> =
            validator.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert_eq!(errors, [""; 0]);
        let run = &log["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
        assert_eq!(rules.len(), codes::ALL.len());
        for result in run["results"].as_array().expect("results") {
            let index = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(rules[index]["id"], result["ruleId"]);
        }
        let mut wrong = log.clone();
        wrong["runs"][0]["columnKind"] = "bytes".into();
        assert!(!validator.is_valid(&wrong));
    }
}

#[test]
fn each_json_line_is_valid_under_its_schema() {
    let validator = jsonschema::validator_for(&line_schema().to_value()).expect("the schema is one");
    let text = several(Format::JsonLines);
    // The clean file has no findings; the others have 4, 1 and 5.
    assert_eq!(text.lines().count(), 10);
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("each is JSON");
        assert!(validator.is_valid(&line), "{line:#}");
        assert!(line["path"].is_string());
    }
}

#[test]
fn a_report_without_files_is_complete() {
    assert_eq!(nothing(Format::JsonLines), "");
    assert_eq!(nothing(Format::Github), "");
    assert_eq!(serde_json::from_str::<Value>(&nothing(Format::Gitlab)).expect("it is JSON"), serde_json::json!([]));
    assert!(nothing(Format::Junit).ends_with("<testsuites name=\"cfg\">\n</testsuites>\n"));
}

#[test]
fn files_rendered_ahead_make_the_same_report() {
    for format in CI {
        let reporter = Reporter::new(format, Style::default());
        let (found, clean) = (diagnostics(), Vec::new());
        let (mut one, mut other) = (reporter.clone().stream(Vec::new()), reporter.clone().stream(Vec::new()));
        for diagnostics in [&clean, &found, &clean, &found] {
            let file = report("configs/rl.toml", diagnostics);
            one.file(&file, &sources()).expect("memory can be written");
            other.rendered(&reporter.render(&file, &sources()).expect("memory can be written")).expect("memory can be written");
        }
        assert_eq!(one.summary(), other.summary());
        let (one, other) = (one.finish("").expect("memory can be written"), other.finish("").expect("memory can be written"));
        assert_eq!(one, other, "{format:?}");
    }
}

#[test]
fn control_characters_and_workflow_commands_are_escaped() {
    for format in CI {
        let written = several(format);
        assert!(!written.contains(|c: char| c.is_control() && c != '\n'), "{format:?}");
    }
    for line in several(Format::Github).lines() {
        assert!(["::error ", "::warning ", "::notice "].iter().any(|command| line.starts_with(command)), "{line}");
    }
}

#[test]
fn junit_fails_from_the_requested_severity() {
    let dropped = [Diagnostic::new(&codes::IGNORED_KEY, "dropped")];
    let written = |reporter: Reporter| {
        let rendered = reporter.render(&report("a.toml", &dropped), &Sources::new()).expect("memory can be written");
        let mut stream = reporter.stream(Vec::new());
        stream.rendered(&rendered).expect("memory can be written");
        String::from_utf8(stream.finish("").expect("memory can be written")).expect("reports are text")
    };
    let reporter = Reporter::new(Format::Junit, Style::default());
    assert!(written(reporter.clone()).contains("failures=\"0\""));
    assert!(written(reporter.failing_at(Severity::Warning)).contains("failures=\"1\""));
}

/// The fingerprints in the code quality report of a text in which all `name`s are unknown keys.
fn fingerprints(path: &str, text: &str, key: Option<&str>) -> Vec<String> {
    let found = text.match_indices("name").map(|(at, name)| {
        let place = Location::new(FileId(0), Span::new(at as u32, (at + name.len()) as u32));
        let found = Diagnostic::new(&codes::UNKNOWN_KEY, format!("unknown at {at}")).at(place);
        key.map_or(found.clone(), |key| found.key(key))
    });
    let found: Vec<Diagnostic> = found.collect();
    let written = render(Format::Gitlab, Style::default(), &report(path, &found), &Sources::single(path, text));
    let issues: Vec<Value> = serde_json::from_str(&written).expect("it is JSON");
    issues.iter().map(|issue| issue["fingerprint"].as_str().expect("each has one").to_owned()).collect()
}

#[test]
fn fingerprints_are_independent_of_lines() {
    for key in [None, Some("model.name")] {
        let before = fingerprints("a.toml", "name = 1\n[b]\nname = 1\n", key);
        let after = fingerprints("a.toml", "# new\n\nseq_len = 4\n  name = 1\n\n[b]\nname = 1\r\n", key);
        assert_eq!(before, after);
        assert_eq!(before.iter().collect::<BTreeSet<_>>().len(), 2);
        assert_ne!(before, fingerprints("b.toml", "name = 1\n[b]\nname = 1\n", key));
    }
    assert_ne!(fingerprints("a.toml", "name = 1\n", Some("a.name")), fingerprints("a.toml", "name = 1\n", Some("b.name")));
    assert_ne!(fingerprints("a.toml", "name = 1\n", None), fingerprints("a.toml", "name = 2\n", None));
}

#[test]
fn a_fix_over_several_files_names_each() {
    let edits = [
        (common::RL, common::RL_TEXT, "500"),
        (common::INFER, common::INFER_TEXT, "4096"),
        (common::RL, common::RL_TEXT, "8192"),
    ];
    let mut edits =
        edits.map(|(file, text, what)| Edit { location: find(file, text, what), new_text: "7".to_owned() }).into_iter();
    let first = edits.next().expect("there are three");
    let mut found = Diagnostic::new(&codes::OUT_OF_RANGE, "too much").fix("write 7", Applicability::Safe, first);
    found.fix.as_mut().expect("it was given").edits.extend(edits);
    let log: Value =
        serde_json::from_str(&render(Format::Sarif, Style::default(), &report("configs/rl.toml", &[found]), &sources()))
            .expect("it is JSON");
    let changes = log["runs"][0]["results"][0]["fixes"][0]["artifactChanges"].as_array().expect("changes").clone();
    let shape = changes
        .iter()
        .map(|change| (change["artifactLocation"]["uri"].as_str(), change["replacements"].as_array().map(Vec::len)));
    assert_eq!(shape.collect::<Vec<_>>(), [(Some("configs/rl.toml"), Some(2)), (Some("configs/infer.toml"), Some(1))]);
}

/// A report on no files.
fn nothing(format: Format) -> String {
    let stream = Reporter::new(format, Style::default()).stream(Vec::new());
    String::from_utf8(stream.finish("").expect("memory can be written")).expect("reports are text")
}
