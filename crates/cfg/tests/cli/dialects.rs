//! Configs of other programs whose schema a project declares: the example of this repository, and configs with errors.

use std::{fs, path::Path};

use serde_json::Value;

use super::{Folder, registry::read};

/// The files of `examples/rlvr`.
const EXAMPLE: [&str; 5] = ["cfg.toml", "rlvr.schema", "configs/mixed.yaml", "curricula/gsm8k.txt", "job_log.md"];

const DATA: &str = "data:\n  datasets:\n    - name: gsm8k\n      weight: 1.0\n";

fn example(path: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/rlvr");
    fs::read_to_string(folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A repository with the example and additional files.
fn project(further: &[(&str, &str)]) -> Folder {
    let texts: Vec<(&str, String)> = EXAMPLE.into_iter().map(|path| (path, example(path))).collect();
    let mut files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (*path, text.as_str())).collect();
    files.extend(further);
    Folder::repository(&files)
}

/// The verdict on a file, and its findings: severity, code, key and line.
fn judged(folder: &Folder, words: &str, path: &str) -> (String, Vec<String>) {
    let file = folder.reported(words, path);
    assert_eq!((&file["target"], &file["kind"]), (&Value::Null, &Value::from("dialect")));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let found = file["diagnostics"].as_array().expect("a list").iter().map(|found| {
        let line = &found["range"]["start"]["line"];
        format!("{} {} {}:{line}", text(&found["severity"]), text(&found["code"]), text(&found["key"]))
    });
    (text(&file["verdict"]), found.collect())
}

/// The findings in a config of the example.
fn found(config: &str) -> Vec<String> {
    let folder = project(&[("configs/x.yaml", config)]);
    judged(&folder, "configs/x.yaml", "configs/x.yaml").1
}

#[test]
fn the_example_is_clean_by_path_and_by_folder() {
    let folder = project(&[]);
    for words in ["configs/mixed.yaml", "configs", "."] {
        assert_eq!(judged(&folder, words, "configs/mixed.yaml"), ("ok".to_owned(), vec![]), "{words}");
    }
    let ended = folder.run("check configs");
    assert_eq!(ended.status, Some(0));
    insta::assert_snapshot!("clean_configs_of_a_dialect", ended.stdout);
}

/// Incidents from docs/incidents.md.
#[test]
fn incidents_of_another_program_are_found() {
    let config = |job: &str, model: &str, data: &str| format!("{job}model:\n  path: {model}\n{data}");
    let hub = "Qwen/Qwen3-1.7B-Base";
    let mixture = |items: &str| format!("data:\n  datasets:\n{items}");
    for (row, text, expected) in [
        // Underscores and dots in the name, which leave no line in the log.
        (163, config("job:\n  name: qwen3_1.7b\n", hub, DATA), vec!["error PRL220 job.name:2", "error PRL221 job.name:2"]),
        (
            163,
            config(&format!("job:\n  name: {}\n", "a".repeat(64)), hub, DATA),
            vec!["error PRL220 job.name:2", "error PRL221 job.name:2"],
        ),
        (164, config("job:\n  name: annotations-adhoc-20260117-041250\n", hub, DATA), vec!["error PRL221 job.name:2"]),
        (165, config("", "/efs/rlvr/Qwen3", DATA), vec!["error PRL220 model.path:2"]),
        (167, config("", hub, &DATA.replace("gsm8k", "aime")), vec!["error PRL218 data.datasets[0].name:5"]),
        (
            168,
            config("", hub, &format!("{DATA}      order: curricula/other.txt\n")),
            vec!["error PRL221 data.datasets[0].order:7"],
        ),
        (
            168,
            config("", hub, &format!("{DATA}      order: curricula/twice.txt\n")),
            vec!["error PRL221 data.datasets[0].order:7"],
        ),
        (
            168,
            config("", hub, &format!("{DATA}      order: curricula/empty.txt\n")),
            vec!["error PRL221 data.datasets[0].order:7"],
        ),
        (168, config("", hub, &format!("{DATA}      order: s3://bucket/a.txt\n")), vec![]),
        (
            169,
            config("", hub, &mixture("    - {name: gsm8k, weight: 0.25}\n    - {name: math, weight: 0.5}\n")),
            vec!["error PRL222 data.datasets:5"],
        ),
        (169, config("", hub, &mixture("    - {name: gsm8k, weight: 0.1}\n    - {name: math, weight: 0.9}\n")), vec![]),
        (176, config("checkpoint:\n  resume_from: out/mixed-200\n", hub, DATA), vec!["error PRL220 checkpoint.resume_from:2"]),
        (
            179,
            config("", hub, &mixture("    - {name: mbpp, weight: 1.0, verifier_timeout: 2}\n")),
            vec!["error PRL219 data.datasets[0].stop:5", "error PRL218 data.datasets[0].verifier_timeout:5"],
        ),
    ] {
        let further = [("configs/x.yaml", text.as_str()), ("curricula/twice.txt", "a\nb\na\n"), ("curricula/empty.txt", "\n")];
        let folder = project(&further);
        let (verdict, found) = judged(&folder, "configs/x.yaml", "configs/x.yaml");
        assert_eq!(found, expected, "row {row}\n{text}");
        assert_eq!(verdict, if expected.is_empty() { "ok" } else { "rejected" }, "row {row}");
    }
}

#[test]
fn findings_in_yaml_have_their_places() {
    assert_eq!(found(&format!("model: {{path: x}}\ntrainer:\n  lr: 1e-5\n{DATA}")), ["warning PRL223 trainer.lr:3"]);
    assert_eq!(found(&format!("model: {{path: x}}\ntrainer:\n  lr: 1.0e-5\n{DATA}")), Vec::<String>::new());
    assert_eq!(found(&format!("model: {{path: x}}\ntrainer:\n  lr: fast\n{DATA}")), ["error PRL218 trainer.lr:3"]);
    assert_eq!(found(&format!("model:\n  pth: x\n{DATA}")), ["error PRL219 model.path:2"]);
    // Aliases and merged mappings are checked as if they were written out.
    let merged = "model: {path: x}\nbase: &base {weight: 0.5}\ndata:\n  datasets:\n    - {name: gsm8k, <<: *base}\n    - {name: math, <<: *base, weight: 0.4}\n";
    assert_eq!(found(merged), ["error PRL222 data.datasets:5"]);
}

#[test]
fn a_number_that_is_a_text_is_repaired() {
    let text = format!("model: {{path: x}}\ntrainer:\n  lr: 1e-5  # low\n{DATA}");
    let folder = project(&[("configs/x.yaml", &text)]);
    let ended = folder.run("check --fix configs/x.yaml");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert_eq!(read(&folder, "configs/x.yaml"), text.replace("1e-5", "1.0e-5"));
}

#[test]
fn toml_of_a_dialect_is_compared_with_the_same_schema() {
    let settings = "[[dialect]]\nfiles = [\"*.toml\"]\nschema = \"own.schema\"\n";
    let schema = "(root)\n  ..  root(forbid)\n\nsteps\n  ..  int(ge 1)  ; required\n\nname\n  ..  str\n    pattern: [a-z]+\n";
    let config = "steps = 0\nname = \"A\"  # cfg: ignore[PRL220] as it is\nother = 1\n";
    let folder = Folder::repository(&[("cfg.toml", settings), ("own.schema", schema), ("a/rl.toml", config)]);
    let expected = ["error PRL218 steps:1".to_owned(), "error PRL219 other:3".to_owned()];
    for words in [".", "a/rl.toml"] {
        assert_eq!(judged(&folder, words, "a/rl.toml"), ("rejected".to_owned(), expected.to_vec()), "{words}");
    }
    // With `--kind`, a file is treated as a prime-rl config.
    assert!(folder.run("check --kind rl --format concise a/rl.toml").stdout.contains("PRL101"));
}

#[test]
fn yaml_without_a_dialect_is_skipped_or_reported_in_one_sentence() {
    let folder = project(&[("other/x.yaml", "a: [\n"), ("k8s.yml", "a: 1\n")]);
    let ended = folder.run("check --format json .");
    assert!(!ended.stdout.contains("other/x.yaml") && !ended.stdout.contains("k8s.yml"), "{ended:?}");
    let named = folder.run("check --format concise other/x.yaml");
    assert_eq!(named.stdout.lines().filter(|line| line.contains("other/x.yaml")).count(), 1, "{named:?}");
}

#[test]
fn a_schema_that_cannot_be_used_leaves_its_configs_open() {
    let mut said = String::new();
    for schema in [Some("(root)\n  ..  root(forbid)\n\na\n  ..  strr\n"), Some("a\n  ..  str\n"), None] {
        let mut files = vec![("cfg.toml", "[[dialect]]\nfiles = [\"*.yaml\"]\nschema = \"x.schema\"\n"), ("x.yaml", "a: 1\n")];
        files.extend(schema.map(|schema| ("x.schema", schema)));
        let folder = Folder::repository(&files);
        let (verdict, found) = judged(&folder, "x.yaml", "x.yaml");
        assert_eq!((verdict.as_str(), found), ("depends", vec!["error PRL028 :null".to_owned()]), "{schema:?}");
        said += &folder.run("check --format concise x.yaml").stdout;
    }
    insta::assert_snapshot!("schemas_that_can_t_be_used", said);
}

#[test]
fn errors_in_a_declared_dialect_are_reported() {
    let mut said = String::new();
    for settings in [
        "[[dialect]]\nfiles = [\"*.yaml\"]\n",
        "[[dialect]]\nschema = \"x\"\nfiles = [\"[\"]\n",
        "[[dialect]]\nschema = \"x\"\nfiles = [\"*.yaml\"]\ntype = 1\n",
        "[dialect]\nschema = \"x\"\n",
    ] {
        let folder = Folder::repository(&[("cfg.toml", settings), ("rl.toml", "[trainer]\n[orchestrator]\n")]);
        let ended = folder.run("check --format concise rl.toml");
        let of_settings = ended.stdout.lines().find(|line| line.contains("error[PRL014]"));
        said += &format!("{}\n", of_settings.unwrap_or_else(|| panic!("{ended:?}")));
    }
    insta::assert_snapshot!("errors_in_declared_dialects", said);
}

/// A cloned repository contains its own schema and files.
#[test]
fn a_hostile_schema_is_bounded() {
    let settings = "[[dialect]]\nname = \"x\"\nfiles = [\"*.yaml\"]\nschema = \"x.schema\"\n";
    let deep = format!("(root)\n  ..  root(forbid)\n\na\n  ..  {}int{}\n", "list[".repeat(5000), "]".repeat(5000));
    let folder = Folder::new(&[("cfg.toml", settings), ("x.schema", &deep), ("a.yaml", "a: 1\n")]);
    let ended = folder.run("check a.yaml");
    assert!(ended.status == Some(1) && ended.stdout.contains("PRL028"), "{ended:?}");
    // Each file is read once, and the number of bytes that are searched is limited.
    let schema = "(root)\n  ..  root(forbid)\n\nf\n  ..  list[str]\n    file: project\n    lines: distinct\n\nl\n  ..  list[str]\n    listed: words.txt\n";
    let words: String = (0..100_000).fold(String::new(), |words, number| words + &format!("word{number}\n"));
    let config = format!("f:\n{}l:\n- nothing\n{}", "- words.txt\n".repeat(5000), "- word99999\n".repeat(5000));
    let folder = Folder::new(&[("cfg.toml", settings), ("x.schema", schema), ("words.txt", &words), ("a.yaml", &config)]);
    let ended = folder.run("check a.yaml --format concise");
    assert_eq!(ended.stdout.matches("error[").count(), 1, "{:.500}", ended.stdout);
}

/// No message reveals whether a file outside the repository exists.
#[test]
fn schemas_outside_are_not_described() {
    let folder =
        Folder::new(&[("there/x.schema", "(root)\n  ..  root(forbid)\n"), ("in/a.yaml", "a: 1\n"), ("in/pyproject.toml", "")]);
    let said = |schema: &str| {
        let settings = format!("[[dialect]]\nname = \"x\"\nfiles = [\"*.yaml\"]\nschema = \"{schema}\"\n");
        folder.write("in/cfg.toml", settings.as_bytes());
        folder.run("check in/a.yaml --format concise").stdout.replace(schema, "").replace("there", "").replace("gone", "")
    };
    assert_eq!(said("../there/x.schema"), said("../gone/x.schema"));
}

#[test]
fn settings_that_are_named_with_dots_count() {
    let schema = "(root)\n  ..  root(forbid)\n\na\n  ..  str\n";
    let settings = "[[dialect]]\nname = \"x\"\nfiles = [\"*.yaml\"]\nschema = \"x.schema\"\n";
    let folder = Folder::new(&[("cfg.toml", settings), ("x.schema", schema), ("sub/a.yaml", "a: 1\n")]);
    let ended = super::finish(
        folder.command("check a.yaml --format concise --settings ../cfg.toml").current_dir(folder.path().join("sub")),
        b"",
    );
    assert!(ended.stdout.contains("PRL218"), "{ended:?}");
}

/// A project with this schema below its root, and this config.
fn own(schema: &str, config: &[u8]) -> Folder {
    let settings = "[[dialect]]\nfiles = [\"x.yaml\"]\nschema = \"own.schema\"\n";
    let schema = format!("(root)\n  ..  root(forbid)\n\n{schema}");
    let folder = Folder::repository(&[("cfg.toml", settings), ("own.schema", &schema)]);
    fs::write(folder.path().join("x.yaml"), config).expect("it is written");
    folder
}

/// The output for such a config, as lines.
fn said(schema: &str, config: &[u8]) -> Vec<String> {
    let ended = own(schema, config).run("check --format concise x.yaml");
    ended.stdout.lines().filter(|line| line.contains("x.yaml")).map(str::to_owned).collect()
}

#[test]
fn aliases_of_a_key_are_named_as_they_may_be_written() {
    let schema = "a\n  ..  int  ; required; alias b|c\n\nd\n  ..  table(forbid)  ; required\n";
    let both = said(schema, b"c: 1\nb: 2\nd: {}\n");
    assert!(both.len() == 1 && both[0].contains("PRL219") && both[0].contains("b, c"), "{both:?}");
    insta::assert_snapshot!("a_key_with_aliases_by_its_own_name", said(schema, b"a: 1\nd: {}\n").join("\n"));
    insta::assert_snapshot!("a_missing_table", said(schema, b"b: 1\n").join("\n"));
}

#[test]
fn keys_that_yaml_reads_as_other_values_are_reported() {
    let schema = "on\n  ..  int\n\n1\n  ..  int\n\nm\n  ..  dict[str, int]\n";
    let found = said(schema, b"on: 1\n");
    assert!(found.len() == 1 && found[0].contains("PRL219"), "{found:?}");
    let full = own(schema, b"on: 1\n").run("check x.yaml").stdout;
    insta::assert_snapshot!("a_key_that_yaml_reads_as_true", full);
    assert_eq!(said(schema, b"'on': 1\n'1': 2\nm: {1: 2, '1': 3}\n"), Vec::<String>::new());
}

#[test]
fn utf16_is_reported_as_such() {
    let utf16: Vec<u8> = "\u{feff}a: x\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let found = said("a\n  ..  int\n", &utf16);
    assert!(found.len() == 2 && !found.concat().contains("TOML"), "{found:?}");
    assert!(found[0].contains("warning[PRL005]") || found[1].contains("warning[PRL005]"), "{found:?}");
    assert!(said("a\n  ..  str\n", b"a: \xff\n").concat().contains("error[PRL"), "a byte that is no character");
}

#[test]
fn yaml_that_pyyaml_may_read_differently_is_not_judged() {
    let folder = own("a\n  ..  int\n", b"a: &x: b\n");
    let (verdict, found) = judged(&folder, "x.yaml", "x.yaml");
    assert_eq!((verdict.as_str(), found.as_slice()), ("depends", ["warning PRL008 :1".to_owned()].as_slice()));
    let (verdict, found) = judged(&own("a\n  ..  int\n", b"!t {a: b}\n"), "x.yaml", "x.yaml");
    assert_eq!((verdict.as_str(), found.len()), ("depends", 1));
}

#[test]
fn an_invalid_schema_is_reported() {
    let folder = own("a\n  ..  int(ge 3, le 2)\n", b"a: 1\n");
    let ended = folder.run("check --format concise x.yaml");
    insta::assert_snapshot!("an_invalid_schema", ended.stdout);
}

#[test]
fn yaml_is_not_read_as_toml_by_any_command() {
    let folder = Folder::repository(&[("q.yaml", "a: 1\n"), ("rl.toml", "a: 1\n")]);
    let mut said = String::new();
    for words in ["plan", "memory", "plan --curriculum", "estimate", "migrate --to 0.8.0"] {
        let ended = folder.run(&format!("{words} q.yaml"));
        assert_eq!(ended.status, Some(2), "{words}: {ended:?}");
        said += &ended.stderr;
    }
    insta::assert_snapshot!("yaml_in_other_commands", said);
    for (words, text, code) in [
        ("check --format concise -", "a: 1\n", "PRL008"),
        ("check --format concise - --stdin-filename q.yaml", "a: 1\n", "PRL008"),
        ("check --format concise - --stdin-filename q.toml", "a: 1\n", "PRL001"),
        ("check --format concise -", "a = [\n", "PRL001"),
    ] {
        let ended = folder.run_with_input(words, text.as_bytes());
        assert!(ended.stdout.contains(code) && ended.stdout.matches("error[").count() == 1, "{words}: {ended:?}");
    }
    // A program that reads the fixed text from standard output gets it unchanged.
    assert_eq!(folder.run_with_input("check --fix - --stdin-filename q.yaml", b"a: 1\n").stdout, "a: 1\n");
}
