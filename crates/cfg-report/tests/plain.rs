//! The formats for programs and `grep`.

mod common;

use cfg_diag::{Diagnostic, Verdict, codes};
use cfg_report::{FileReport, Format, Reporter, Sources, Style, Summary, json, report_schema};
use common::{diagnostics, everything, render, report, sources};
use serde_json::Value;

#[test]
fn concise() {
    insta::assert_snapshot!(everything(Format::Concise, Style::default()), @r#"
    configs/rl.toml: info[PRL013] this config fits prime-rl 0.2.0 to 0.3.1 better than 0.4.0 (say which one it is for: `prime_rl = "0.3.1"` in its metadata) [3 further findings]
    configs/rl.toml:2:11: error[PRL106] sequences of 8192 tokens do not fit the 4096 tokens that the inference server keeps (raise `max_model_len` to 8192, or lower `seq_len`; each costs memory: `cfg memory` says how much)
    configs/rl.toml:9:1: error[PRL101] `orchestrator` has no key `rollouts_per_exmaple` (fix: rename to `rollouts_per_example`)
    configs/rl.toml:13:18: error[PRL104] `target_modules` takes a name, not an array (fix: write "all-linear")
    Found 3 errors and 1 info (1 fixable with `--fix`, 1 unsafe)
    "#);
}

#[test]
fn concise_in_color() {
    let style = Style { color: true, links: true, ..Style::default() };
    insta::assert_snapshot!(everything(Format::Concise, style).replace('\x1b', "␛"));
}

#[test]
fn a_concise_finding_is_one_line() {
    let diagnostics = [Diagnostic::new(&codes::INVALID_TOML, "a\nb\u{1b}[2J").help("c\r\n\td")];
    let written = render(Format::Concise, Style::default(), &report("x\u{1b}]0;y\u{7}\n.toml", &diagnostics), &Sources::new());
    insta::assert_snapshot!(written, @r#"
    x\x1b]0;y\x07 .toml: error[PRL001] a b\x1b[2J (c  d)
    Found 1 error
    "#);
}

#[test]
fn json() {
    let document: Value = serde_json::from_str(&everything(Format::Json, Style::default())).expect("it is JSON");
    insta::assert_json_snapshot!(document);
}

#[test]
fn json_is_valid_under_its_schema() {
    let schema = report_schema().to_value();
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    for text in [everything(Format::Json, Style::default()), nothing()] {
        let mut document = serde_json::from_str(&text).expect("it is JSON");
        assert!(validator.is_valid(&document), "{:#?}", validator.iter_errors(&document).collect::<Vec<_>>());
        document["schema_version"] = 2.into();
        assert!(!validator.is_valid(&document));
    }
}

#[test]
fn schema() {
    insta::assert_json_snapshot!(report_schema());
}

#[test]
fn the_stream_writes_the_json_of_the_types() {
    let (diagnostics, sources) = (diagnostics(), sources());
    let files = [report("a.toml", &diagnostics), FileReport { verdict: Verdict::Ok, diagnostics: &[], ..report("b.toml", &[]) }];
    let reporter = Reporter::new(Format::Json, Style::default());
    let mut stream = reporter.clone().stream(Vec::new());
    stream.file(&files[0], &sources).expect("memory can be written");
    stream.rendered(&reporter.render(&files[1], &sources).expect("memory can be written")).expect("memory can be written");
    let mut summary = Summary::of(&files[0]);
    summary += Summary::of(&files[1]);
    assert_eq!(stream.summary(), summary);
    let of_command = [Diagnostic::new(&codes::TARGET_BEYOND_HISTORY, "it is newer")];
    stream.about_command("--target", &of_command).expect("memory can be written");
    summary.infos += 1;
    let report = FileReport::about("--target", &of_command);
    let whole = json::Report {
        schema_version: json::SCHEMA_VERSION,
        files: files.iter().map(|file| json::File::new(file, &sources)).collect(),
        diagnostics: vec![json::Diagnostic::new(&of_command[0], &report, &sources)],
        summary: json::Summary::from(&summary),
    };
    let written: Value =
        serde_json::from_slice(&stream.finish("not in JSON").expect("memory can be written")).expect("it is JSON");
    assert_eq!(written, serde_json::to_value(whole).expect("it can be serialised"));
    assert_eq!(written["summary"], serde_json::json!({"files": 2, "errors": 3, "warnings": 0, "infos": 2, "rejected": 1}));
}

#[test]
fn json_names_the_file_of_a_range_in_another_file() {
    let place = common::find(common::INFER, common::INFER_TEXT, "4096");
    let diagnostics = [Diagnostic::new(&codes::OUT_OF_RANGE, "too small").at(place)];
    let written = render(Format::Json, Style::default(), &report("configs/rl.toml", &diagnostics), &sources());
    let document: Value = serde_json::from_str(&written).expect("it is JSON");
    assert_eq!(document["files"][0]["diagnostics"][0]["path"], "configs/infer.toml");
}

#[test]
fn json_has_no_control_characters() {
    let message = "\u{1b}[2J \u{9b}2J \u{202e} \u{7f} \" \\ 漢 👩‍💻";
    let diagnostics = [Diagnostic::new(&codes::INVALID_TOML, message)];
    let written = render(Format::Json, Style::default(), &report("a.toml", &diagnostics), &Sources::new());
    assert!(written.contains(r#""\u001b[2J \u009b2J \u202e \u007f \" \\ 漢 👩‍💻""#), "{written}");
    let document: Value = serde_json::from_str(&written).expect("it is JSON");
    assert_eq!(document["files"][0]["diagnostics"][0]["message"], message);
}

/// A report on no files.
fn nothing() -> String {
    let stream = Reporter::new(Format::Json, Style::default()).stream(Vec::new());
    String::from_utf8(stream.finish("").expect("memory can be written")).expect("reports are text")
}
