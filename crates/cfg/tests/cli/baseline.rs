//! Accepted findings: the setting `baseline`, what a baseline keeps, stale entries, renamed files.

use std::fs;

use super::{CLEAN, Folder, running::Ended};

/// An error of prime-rl, and a warning.
const TWO: &str = "[trainer.optim]\ntype = \"adamw\"\nmomentum = 0.9\n[orchestrator]\nfoo = 1\n";

const SETTINGS: &str = "target = \"0.4.0\"\nbaseline = \"ci/known.json\"\n";

fn project() -> Folder {
    let folder = Folder::repository(&[("cfg.toml", SETTINGS), ("configs/two.toml", TWO), ("configs/clean.toml", CLEAN)]);
    let written = folder.run("check --update-baseline");
    assert_eq!(written.status, Some(0), "{written:?}");
    folder
}

fn known(folder: &Folder) -> serde_json::Value {
    let text = fs::read_to_string(folder.path().join("ci/known.json")).expect("a baseline");
    serde_json::from_str(&text).expect("JSON")
}

/// The codes of the findings with their files, from a report with one line for each.
fn found(ended: &Ended) -> Vec<String> {
    let lines = ended.stdout.lines().filter_map(|line| Some((line.split_once(".toml:")?.0, line.split_once('[')?.1)));
    lines.map(|(path, rest)| format!("{path} {}", &rest[..6])).collect()
}

fn git(folder: &Folder, words: &[&str]) {
    let fixed = ["-c", "user.name=a", "-c", "user.email=a@b"];
    let done = folder.program("git").args(fixed).args(words).output().expect("git");
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn the_baseline_of_the_settings_hides_findings_in_every_command() {
    let folder = project();
    assert_eq!(known(&folder)["findings"]["../configs/two.toml"].as_array().map(Vec::len), Some(2));
    let checked = folder.run("check");
    assert_eq!(checked.status, Some(0), "{checked:?}");
    assert!(checked.stdout.contains("Found no problems in 2 files (2 in the baseline)"), "{checked:?}");
    assert_eq!(found(&folder.run("check --no-baseline --format concise")).len(), 2);
    let json: serde_json::Value = serde_json::from_str(&folder.run("check --format json").stdout).expect("JSON");
    assert_eq!((&json["summary"]["errors"], &json["summary"]["accepted"]), (&0.into(), &2.into()));
    for format in ["github", "gitlab", "junit", "json-lines"] {
        let ended = folder.run(&format!("check --format {format}"));
        assert!(ended.status == Some(0) && !ended.stdout.contains("PRL101"), "{format}: {ended:?}");
    }
    let sarif: serde_json::Value = serde_json::from_str(&folder.run("check --format sarif").stdout).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(0));
    git(&folder, &["add", "-A"]);
    assert_eq!(folder.run("hook run --all-files").status, Some(0));
    assert_eq!(folder.run("hook run").status, Some(0));
    // A finding with the same code in the same file is new.
    folder.write("configs/two.toml", format!("# moved\n{TWO}bar = 2\n").as_bytes());
    assert_eq!(found(&folder.run("check --format concise")), ["configs/two PRL101"]);
    git(&folder, &["add", "-A"]);
    let hook = folder.run("hook run --format concise");
    assert_eq!((hook.status, found(&hook)), (Some(1), vec!["configs/two PRL101".to_owned()]));
}

#[test]
fn a_changed_line_is_a_new_finding() {
    let folder = project();
    folder.write("configs/two.toml", TWO.replace("foo = 1", "  foo=1").as_bytes());
    assert_eq!(found(&folder.run("check --format concise")), [""; 0]);
    folder.write("configs/two.toml", TWO.replace("foo = 1", "foo = 2").as_bytes());
    assert_eq!(found(&folder.run("check --format concise")), ["configs/two PRL101"]);
}

#[test]
fn a_baseline_that_is_missing_or_invalid_hides_nothing_and_is_an_error() {
    let folder = project();
    for text in [None, Some("{}"), Some("[1]"), Some("{\"schema_version\": 9, \"findings\": {}}")] {
        match text {
            Some(text) => folder.write("ci/known.json", text.as_bytes()),
            None => fs::remove_file(folder.path().join("ci/known.json")).expect("it was there"),
        }
        let ended = folder.run("check --format concise");
        assert_eq!(
            (ended.status, found(&ended)),
            (Some(1), vec!["configs/two PRL101".to_owned(), "configs/two PRL102".to_owned(), "cfg PRL014".to_owned()]),
            "{ended:?}"
        );
    }
    // A file that is no baseline is not overwritten.
    let refused = folder.run("check --update-baseline");
    assert_eq!(refused.status, Some(2), "{refused:?}");
    let none = Folder::new(&[("two.toml", TWO)]).run("check --update-baseline");
    assert_eq!(none.status, Some(2), "{none:?}");
}

#[test]
fn an_accepted_info_does_not_hide_a_warning() {
    let folder = project();
    let settings = |level: &str| format!("{SETTINGS}[lint.severities]\nPRL102 = \"{level}\"\n");
    folder.write("cfg.toml", settings("info").as_bytes());
    assert_eq!(found(&folder.run("check --format concise")), [""; 0], "a lower severity stays hidden");
    assert_eq!(folder.run("check --update-baseline").status, Some(0));
    folder.write("cfg.toml", settings("warning").as_bytes());
    assert_eq!(found(&folder.run("check --format concise")), ["configs/two PRL102"]);
}

#[test]
fn stale_entries_are_told_by_a_run_over_all_files() {
    let folder = project();
    folder.write("configs/two.toml", TWO.replace("foo = 1\n", "").as_bytes());
    let told = folder.run("check");
    let line = "1 finding in ci/known.json no longer occurs (configs/two.toml: PRL101 orchestrator.foo)";
    assert!(told.status == Some(0) && told.stdout.contains(line), "{told:?}");
    for (words, status) in [
        ("check --deny stale", 1),
        ("check configs --deny stale", 1),
        ("check --deny stale --format json", 1),
        ("check --deny warnings,stale --quiet", 1),
        ("check --select PRL1 --deny stale", 1),
        ("check --select PRL102 --deny stale", 0),
        ("check configs/two.toml --deny stale", 0),
        ("check --exclude clean.toml --deny stale", 0),
        ("check --target 0.5.0 --deny stale --exit-zero", 0),
        ("check", 0),
    ] {
        assert_eq!(folder.run(words).status, Some(status), "{words}");
    }
    git(&folder, &["add", "-A"]);
    assert_eq!(folder.run("hook run --all-files --deny stale").status, Some(1));
    assert_eq!(folder.run("hook run --deny stale").status, Some(0));
    assert_eq!(folder.run("check --update-baseline").status, Some(0));
    assert_eq!(folder.run("check --deny stale").status, Some(0));
    // A file that is gone has only stale entries.
    fs::remove_file(folder.path().join("configs/two.toml")).expect("it was there");
    assert_eq!(folder.run("check --deny stale").status, Some(1));
}

#[test]
fn an_update_keeps_what_it_could_not_find() {
    let folder = project();
    folder.write("configs/more.toml", TWO.as_bytes());
    assert_eq!(folder.run("check configs/more.toml --update-baseline").status, Some(0));
    assert_eq!(folder.run("check --deny stale").status, Some(0));
    folder.write("configs/two.toml", b"[trainer]\n[orchestrator]\nbar = 1\n");
    folder.write("configs/more.toml", CLEAN.as_bytes());
    assert_eq!(folder.run("check --update-baseline --select PRL101").status, Some(0));
    let codes = |file: &str| -> Vec<String> {
        let known = known(&folder);
        let entries = known["findings"][format!("../configs/{file}.toml")].as_array().cloned().unwrap_or_default();
        entries
            .iter()
            .map(|entry| format!("{} {}", entry["code"].as_str().unwrap_or(""), entry["about"].as_str().unwrap_or("")))
            .collect()
    };
    assert_eq!(codes("two"), ["PRL101 orchestrator.bar", "PRL102 trainer.optim.momentum"]);
    assert_eq!(codes("more"), ["PRL102 trainer.optim.momentum"]);
}

#[test]
fn renamed_files_are_followed() {
    let folder = project();
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-qm", "a"]);
    git(&folder, &["mv", "configs/two.toml", "renamed.toml"]);
    folder.write("renamed.toml", format!("# renamed\n{TWO}bar = 2\n").as_bytes());
    let ended = folder.run("check --format concise");
    assert_eq!(found(&ended), ["renamed PRL101"], "{ended:?}");
    git(&folder, &["add", "-A"]);
    assert_eq!(found(&folder.run("hook run --format concise")), ["renamed PRL101"]);
    // A copy beside the file is new.
    folder.write("configs/two.toml", TWO.as_bytes());
    assert_eq!(found(&folder.run("check renamed.toml --format concise")).len(), 3);
    fs::remove_file(folder.path().join("configs/two.toml")).expect("it was there");
    assert_eq!(folder.run("check --update-baseline --select PRL102").status, Some(0));
    assert_eq!(found(&folder.run("check --format concise")), ["renamed PRL101"]);
}

#[test]
fn a_baseline_of_the_earlier_format_is_read_and_replaced() {
    let folder = project();
    let entries = "[{\"code\": \"PRL101\", \"about\": \"orchestrator.foo\", \"count\": 1}]";
    let path = folder.path().join("configs/two.toml");
    let absolute = path.to_string_lossy().replace('\\', "/");
    folder.write("ci/known.json", format!("{{\"schema_version\": 1, \"findings\": {{\"{absolute}\": {entries}}}}}").as_bytes());
    assert_eq!(found(&folder.run("check --format concise")), ["configs/two PRL102"]);
    assert_eq!(folder.run("check --update-baseline --select PRL102").status, Some(0));
    assert_eq!(found(&folder.run("check --format concise --deny stale")), [""; 0]);
    assert_eq!(folder.run("check --update-baseline").status, Some(0));
    assert!(
        known(&folder)["findings"]["../configs/two.toml"]
            .as_array()
            .is_some_and(|all| all.iter().all(|one| one["line"].is_string()))
    );
}

#[test]
fn a_finding_in_a_base_is_accepted_with_the_base() {
    let base = "[orchestrator]\nfoo = 1\n[trainer]\n";
    let top = |name: &str| format!("toml_files = [\"base.toml\"]\nmax_steps = {name}\n");
    let folder = Folder::new(&[
        ("cfg.toml", "target = \"0.3.0\"\nbaseline = \"known.json\"\n"),
        ("base.toml", base),
        ("one.toml", &top("1")),
        ("two.toml", &top("2")),
    ]);
    assert_eq!(folder.run("check --update-baseline").status, Some(0));
    for words in ["check", "check one.toml", "check base.toml", "check two.toml one.toml", "check --deny stale"] {
        assert_eq!(found(&folder.run(&format!("{words} --format concise"))), [""; 0], "{words}");
    }
    let known: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("known.json")).expect("a baseline")).expect("JSON");
    assert!(known["findings"].as_object().is_some_and(|files| files.keys().eq(["base.toml"])), "{known}");
}

/// The key of a line has other tables around it in a newer prime-rl.
#[test]
fn an_accepted_finding_stays_accepted_where_its_key_has_another_place() {
    let text = "seq_len = 2048\n[model]\nname = \"deepseek-ai/DeepSeek-R1-Distill-Qwen-7B\"\n[trainer]\n[inference]\n[orchestrator]\n\
                batch_size = 128\n[[orchestrator.train.env]]\nid = \"reverse-text\"\n";
    let settings = |version: &str| format!("target = \"{version}\"\nbaseline = \"ci/known.json\"\n");
    let folder = Folder::repository(&[("cfg.toml", &settings("0.6.0")), ("rl.toml", text)]);
    assert_eq!(folder.run("check --update-baseline").status, Some(0));
    let entries = known(&folder);
    assert!(entries.to_string().contains("orchestrator.student.model.name"), "{entries}");
    folder.write("cfg.toml", settings("0.7.0").as_bytes());
    assert!(folder.run("check --no-baseline --format json").stdout.contains("\"orchestrator.model.name\""));
    let ended = folder.run("check --select PRL202 --deny stale");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert_eq!(folder.run("check --update-baseline").status, Some(0));
    assert!(!known(&folder).to_string().contains("student"), "{}", known(&folder));
}

/// An accepted finding is not gone because another error is found before it, also in a file that was renamed.
#[test]
fn what_another_error_hides_is_kept() {
    let refused = "[trainer]\n[orchestrator]\nbatch_size = 100\nrollouts_per_example = 16\n[[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n";
    let settings = "target = \"0.5.0\"\nbaseline = \"known.json\"\n";
    let folder = Folder::repository(&[("cfg.toml", settings), ("rl.toml", refused)]);
    let update = |folder: &Folder| {
        assert_eq!(folder.run("check --update-baseline").status, Some(0));
        fs::read_to_string(folder.path().join("known.json")).expect("a baseline")
    };
    assert_eq!(update(&folder).matches("PRL202").count(), 1);
    fs::rename(folder.path().join("rl.toml"), folder.path().join("renamed.toml")).expect("it is there");
    for broken in [
        refused.replace("rollouts_per_example", "rolouts_per_example"),
        refused.replace("[inference]", "<<<<<<< HEAD\n[inference]\n=======\n>>>>>>> b"),
    ] {
        folder.write("renamed.toml", broken.as_bytes());
        let told = folder.run("check --deny stale");
        assert!(told.status == Some(1) && !told.stdout.contains("no longer occurs"), "{told:?}");
    }
    let text = update(&folder);
    assert!(text.contains("PRL202") && text.contains("PRL029") && !text.contains("\"rl.toml\""), "{text}");
    folder.write("renamed.toml", refused.replace("100", "128").as_bytes());
    assert!(!update(&folder).contains("PRL202"));
}

/// Files with the same findings are told apart by their names.
#[test]
fn a_folder_that_was_moved_is_followed() {
    let files = [("cfg.toml", SETTINGS), ("x/a.toml", TWO), ("x/b.toml", TWO)];
    let folder = Folder::repository(&files);
    assert_eq!(folder.run("check --update-baseline").status, Some(0));
    fs::rename(folder.path().join("x"), folder.path().join("z")).expect("it is there");
    let told = folder.run("check --deny stale");
    assert_eq!(told.status, Some(0), "{told:?}");
}

#[test]
fn an_unresolved_merge_of_the_baseline_is_said() {
    let folder = project();
    folder.write("ci/known.json", b"<<<<<<< HEAD\n{}\n=======\n{ }\n>>>>>>> b\n");
    let ended = folder.run("check");
    assert!(ended.status == Some(1) && ended.stdout.replace("\n ", "").contains("unresolved merge conflict"), "{ended:?}");
}

/// Rules may not run on a config that prime-rl refuses, as after its version was raised: what they found before is not gone.
#[test]
fn what_rules_found_is_kept_while_prime_rl_refuses_the_config() {
    let one = "max_steps = 200\nseq_len = 2048\n[model]\nname = \"Qwen/Qwen3-4B\"\n[trainer]\n[orchestrator]\nbatch_size = 128\nrollouts_per_example = 1\n\
               [[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n";
    let settings = |target: &str| format!("target = \"{target}\"\nbaseline = \"known.json\"\n");
    let folder = Folder::repository(&[("cfg.toml", &settings("0.5.0")), ("rl.toml", one)]);
    assert_eq!(folder.run("check --update-baseline").status, Some(0));
    let entries = |folder: &Folder| {
        let text = fs::read_to_string(folder.path().join("known.json")).expect("a baseline");
        let count = text.matches("PRL309").count();
        (count, text.matches("\"code\"").count() > count)
    };
    assert_eq!(entries(&folder), (1, false));
    folder.write("cfg.toml", settings("0.8.0").as_bytes());
    let told = folder.run("check --deny stale");
    assert!(told.status == Some(1) && !told.stdout.contains("no longer occurs"), "{told:?}");
    assert_eq!(folder.run("check --update-baseline").status, Some(0));
    assert_eq!(entries(&folder), (1, true));
    // Once it runs again, what is repaired is stale.
    folder.write("cfg.toml", settings("0.5.0").as_bytes());
    folder.write("rl.toml", one.replace("rollouts_per_example = 1\n", "rollouts_per_example = 8\n").as_bytes());
    assert_eq!(folder.run("check --update-baseline").status, Some(0));
    assert_eq!(entries(&folder), (0, false));
}

/// prime-rl refuses the value of a flag with the flag, and a shared value in each component: each counts once, when it is accepted and when it is hidden.
#[test]
fn what_repeats_a_finding_is_accepted_with_it() {
    let folder = Folder::repository(&[
        ("cfg.toml", "target = \"0.4.0\"\nbaseline = \"known.json\"\n"),
        ("rl.toml", "max_steps = \"x\"\n[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"reverse-text\"\n"),
        ("run.sh", "uv run rl @ rl.toml --ckpt.kep 4\n"),
    ]);
    let all = folder.run("check --format json").stdout;
    assert!(all.contains("\"echo\": true") || all.contains("\"echo\":true"), "{all}");
    let found = folder.run("check --no-baseline");
    assert!(found.stdout.contains("Found 2 errors"), "{found:?}");
    let written = folder.run("check --update-baseline");
    assert!(written.stdout.starts_with("2 findings in the baseline\n"), "{written:?}");
    let hidden = folder.run("check --deny stale");
    assert!(hidden.status == Some(0) && hidden.stdout.contains("(2 in the baseline"), "{hidden:?}");
    let all = folder.run("check --format json").stdout;
    assert!(!all.contains("\"code\""), "{all}");
}
