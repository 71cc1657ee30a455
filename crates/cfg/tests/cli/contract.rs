//! The JSON of commands as a contract: what each of them prints is valid for the schema that `cfg_report::schemas` has for it.

use std::collections::BTreeSet;

use cfg_report::schemas::{ALL, describe};
use serde_json::Value;

use super::{
    CLEAN, Folder, MISSPELT,
    running::finish,
    schema::{folder_with, small_prime_rl},
    sized::sized,
};

/// The kinds of documents whose commands need more than a few files; their own tests validate them.
const ELSEWHERE: [&str; 7] = ["comparison", "imported-keys", "migration-of-folder", "outcome", "preflight", "resume", "watch"];

/// The errors of a document of this kind.
fn errors(kind: &str, document: &Value) -> Vec<String> {
    let schema = describe(kind).unwrap_or_else(|| panic!("no schema {kind}")).to_value();
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn folder() -> Folder {
    let package = "def load_environment(split: str = \"train\", size: int = 3):\n    return None\n";
    let log = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n";
    let folder = Folder::repository(&[
        ("rl.toml", CLEAN),
        ("bad.toml", MISSPELT),
        ("other.toml", &CLEAN.replace("max_steps = 100", "max_steps = 200")),
        ("environments/my_env/my_env.py", package),
        ("environments/my_env/pyproject.toml", "[project]\nname = \"my-env\"\nversion = \"0.1.0\"\n"),
        ("trainer.log", log),
    ]);
    for words in [&["add", "."][..], &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "configs"]] {
        let ended = finish(folder.program("git").args(words), b"");
        assert_eq!(ended.status, Some(0), "{ended:?}");
    }
    folder
}

#[test]
fn what_every_command_prints_is_valid_for_its_schema() {
    let folder = folder();
    let run = |words: &str| {
        let stated = if words.starts_with("migrate") { "--from" } else { "--target" };
        folder.run(&format!("{words} {stated} 0.4.0"))
    };
    let mut seen: BTreeSet<&str> = ELSEWHERE.into();
    for (words, kind) in [
        ("check rl.toml bad.toml --format json", "report"),
        ("check . --statistics --format json", "statistics"),
        ("explain PRL101 --format json", "findings"),
        ("explain --format json", "findings"),
        ("schema show trainer.optim --format json", "keys"),
        ("schema show --format json", "keys"),
        ("schema history trainer.model.experimental.lora --format json", "events"),
        ("schema diff 0.7.0 0.8.0 --format json", "changed-keys"),
        ("schema versions --format json", "versions"),
        ("compile rl.toml --format json", "compiled"),
        ("compile rl.toml --explain trainer --format json", "explained-values"),
        ("diff rl.toml other.toml --format json", "diff"),
        ("diff --since HEAD --format json", "diff-since"),
        ("memory rl.toml --gpu 2xH100 --format json", "memory"),
        ("memory rl.toml --gpu all --format json", "memory-rows"),
        ("estimate rl.toml --format json", "estimate"),
        ("plan rl.toml --format json", "course"),
        ("plan --curriculum rl.toml --format json", "curriculum"),
        ("run launch rl.toml --format json", "launch"),
        ("new --model Qwen/Qwen3-0.6B --gpu 2xH100 --env primeintellect/reverse-text --format json", "new"),
        ("sweep rl.toml trainer.optim.lr=1e-6,3e-6 --format json", "sweep"),
        ("gpu --format json", "gpus"),
        ("model Qwen/Qwen3-8B --format json", "model"),
        ("run diagnose trainer.log --format json", "diagnosis"),
        ("run diagnose --list --format json", "symptoms"),
        ("migrate rl.toml --to 0.8.0 --format json", "migration"),
        ("migrate rl.toml other.toml --to 0.8.0 --format json", "migrations"),
        ("env my-env --format json", "package"),
        ("registry adopt . --dry-run --format json", "adoption"),
        ("registry adopt . --format json", "adoption"),
        ("registry list --format json", "registered"),
        ("log --format json", "lineage"),
        ("run add rl.toml --format json", "run"),
        ("run list --format json", "runs"),
        ("check bad.toml --fix --unsafe-fixes --format json", "report"),
    ] {
        let ended = run(words);
        let document: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{words}: {error}: {ended:?}"));
        assert_eq!(errors(kind, &document), [""; 0], "{words}: {document:#}");
        assert!(document.get("outcome").is_none_or(|outcome| outcome != "failed"), "{words}: {document:#}");
        seen.insert(kind);
    }
    folder.write("rl.toml", CLEAN.replace("max_steps = 100", "max_steps = 150").as_bytes());
    let bumped: Value = serde_json::from_str(&run("bump rl.toml -m longer --format json").stdout).expect("a document");
    assert_eq!(errors("bump", &bumped), [""; 0], "{bumped:#}");
    folder.write("bad.toml", MISSPELT.as_bytes());
    let lines = run("check bad.toml --format json-lines").stdout;
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).expect("a document");
        assert_eq!(errors("report-line", &line), [""; 0], "{line:#}");
    }
    seen.extend(["bump", "report-line"]);
    let missing: Vec<&str> = ALL.iter().map(|kind| kind.name).filter(|name| !seen.contains(name)).collect();
    assert_eq!(missing, [""; 0], "no command of this test prints these");
}

#[test]
fn a_program_is_told_what_was_fixed() {
    let folder = Folder::new(&[("bad.toml", MISSPELT)]);
    let report: Value =
        serde_json::from_str(&folder.run("check bad.toml --target 0.4.0 --fix --unsafe-fixes --format json").stdout)
            .expect("a document");
    let file = &report["files"][0];
    let fixed = &file["fixed"][0];
    assert_eq!((&fixed["code"], &fixed["path"], &fixed["step"]), (&"PRL101".into(), &"bad.toml".into(), &1.into()));
    assert_eq!(fixed["key"], "orchestrator.rolouts_per_exmaple");
    assert_eq!(fixed["edits"][0]["new_text"], "rollouts_per_example");
    assert_eq!(fixed["edits"][0]["range"]["start"], serde_json::json!({"line": 3, "column": 1, "offset": 25}));
    assert_eq!(file["changed"], serde_json::json!(["orchestrator.rollouts_per_example", "orchestrator.rolouts_per_exmaple"]));
    // Nothing was left to fix, and nothing was asked for.
    for (words, made) in [("--fix", Some(&serde_json::json!([]))), ("", None)] {
        let report: Value =
            serde_json::from_str(&folder.run(&format!("check bad.toml --target 0.4.0 {words} --format json")).stdout)
                .expect("a document");
        assert_eq!(report["files"][0].get("fixed"), made, "{words}");
    }
}

#[test]
fn imported_keys_are_valid_for_their_schema() {
    let folder = folder_with(&small_prime_rl(&[]), &[]);
    let printed: Value = serde_json::from_str(&folder.run("schema import fork --format json").stdout).expect("a document");
    assert_eq!(errors("imported-keys", &printed), [""; 0], "{printed:#}");
    assert!(printed["differences"].as_array().is_some_and(|all| !all.is_empty()), "{printed:#}");
}

/// What a program gets for input that no command can use.
#[test]
fn what_every_command_prints_about_nonsense_is_valid_for_its_schema() {
    let files: [(&str, &[u8]); 5] = [
        ("empty.toml", b""),
        ("nul.toml", b"max_steps = 1\0\n"),
        ("latin.toml", b"# caf\xe9\nmax_steps = 1\n"),
        ("words.toml", b"this is no config\n"),
        ("list.toml", b"[[[[\n"),
    ];
    let folder = Folder::new(&[("rl.toml", CLEAN)]);
    files.iter().for_each(|(path, bytes)| folder.write(path, bytes));
    let inputs = [
        "nothere.toml",
        "empty.toml",
        "nul.toml",
        "latin.toml",
        "words.toml",
        "list.toml",
        "--no-such-option",
        "rl.toml --target 9.9.9",
        "",
    ];
    let commands: BTreeSet<(&str, &str)> = ALL
        .iter()
        .flat_map(|kind| kind.commands.iter().map(|command| (*command, kind.name)))
        .filter(|(command, _)| !command.contains("json-lines") && !command.starts_with("run watch") && *command != "run close")
        .collect();
    let mut faults = Vec::new();
    for (number, (command, kind)) in commands.iter().enumerate() {
        let command = command.replace(" FILE FILE", "").replace(" FILE", "").replace(" FOLDER", "");
        for input in inputs.iter().skip(number % 3).step_by(sized(3, 1)) {
            let ended = folder.run(&format!("{command} {input} --format json"));
            let Ok(document) = serde_json::from_str::<Value>(&ended.stdout) else {
                faults.push(format!("{command} {input}: no document: {ended:?}"));
                continue;
            };
            let is_valid = |kind: &str| errors(kind, &document).is_empty();
            let own = ALL.iter().filter(|kind| kind.commands.iter().any(|other| other.starts_with(&*command)));
            let is_one = is_valid("outcome") || is_valid(kind) || own.map(|kind| kind.name).any(is_valid) || is_valid("report");
            if !is_one || !matches!(ended.status, Some(0..=2)) {
                faults.push(format!("{command} {input}: {document:#}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}:\n{}", faults.len(), faults.join("\n"));
}
