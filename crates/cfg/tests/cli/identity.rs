//! What a file is, and for which prime-rl: the same in every command, and never more certain than it is.

use cfg_prime_rl::{Checker, Config};
use serde_json::{Value, json};

use super::{Folder, mcp};

/// A config with keys that prime-rl had until 0.4.0.
const OLD: &str = "max_steps = 20\ninference_gpu_ids = [0]\ntrainer_gpu_ids = [1]\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[trainer.optim]\nlr = 1e-6\n[orchestrator]\nbatch_size = 64\nrollouts_per_example = 8\n[orchestrator.sampling]\nmax_tokens = 512\n[[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n";

/// A config that the newest release accepts.
const NEW: &str = "max_steps = 20\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[trainer.optim]\nlr = 1e-6\n[orchestrator]\nbatch_size = 64\ngroup_size = 8\n[[orchestrator.train.source]]\nenv.taskset.id = \"reverse-text\"\n[inference]\n";

fn document(folder: &Folder, words: &str) -> Value {
    let ended = folder.run(&format!("{words} --format json"));
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{words}: {error}: {ended:?}"))
}

/// The folders of the set, each with how certain its version is.
fn set() -> (Folder, [(&'static str, &'static str); 5]) {
    let stated = format!("# /// config\n# prime_rl = \"0.3.0\"\n# ///\n{OLD}");
    let dated = format!("# passed on 2026-02-20\n{OLD}");
    let folder = Folder::new(&[
        ("old/rl.toml", OLD),
        ("stated/rl.toml", &stated),
        ("read/rl.toml", OLD),
        ("read/cfg.toml", "target = \"0.4.0\"\n"),
        ("dated/rl.toml", &dated),
        ("new/rl.toml", NEW),
    ]);
    (folder, [("old", "inferred"), ("stated", "stated"), ("read", "read"), ("dated", "assumed"), ("new", "assumed")])
}

#[test]
fn every_command_judges_a_file_for_the_same_prime_rl() {
    let (folder, files) = set();
    for (name, certainty) in files {
        let path = format!("{name}/rl.toml");
        let file = &document(&folder, &format!("check {path}"))["files"][0];
        let target = file["target"].as_str().unwrap_or_else(|| panic!("{file:#}"));
        assert_eq!(file["identity"]["certainty"], certainty, "{name}");
        let commands = [
            "memory --gpu 2xH100",
            "plan",
            "estimate --gpu 2xH100",
            "run launch",
            "sweep trainer.optim.lr=1e-6,2e-6 --gpu 2xH100",
            "plan --curriculum",
            "run preflight",
        ];
        for command in commands {
            let is_run = command.starts_with("run ");
            let (first, rest) = command.split_once(' ').filter(|_| !is_run).unwrap_or((command, ""));
            let document = document(&folder, &format!("{first} {path} {rest}"));
            if let Some(other) = document["target"].as_str() {
                assert_eq!(other, target, "{name}: {command}");
            }
            if let Some(identity) = document.get("identity") {
                assert_eq!(identity, &file["identity"], "{name}: {command}");
            }
            assert!(document.get("target").is_some() || document.get("identity").is_some(), "{name}: {command}");
        }
        let migration = document(&folder, &format!("migrate {path} --to main"));
        // Keys that fit the new prime-rl as well do not show that the text is for an older one.
        assert_eq!(migration["from"], if name == "new" { "main" } else { target }, "{name}");
        let sides = document(&folder, &format!("diff {path} {path}"));
        assert!(sides.to_string().contains(&format!("\"target\":\"{target}\"")), "{name}: {sides}");
        let alone = |words: &str| folder.run(&format!("compile {path} --format json {words}")).stdout;
        assert_eq!(alone(""), alone(&format!("--target {target}")), "{name}");
        let of_tool = mcp::document(&folder, "check", &json!({ "paths": [path] }));
        assert_eq!(of_tool["files"][0]["target"], target, "{name}");
        // The text begins with it, after the verdict of those that have one.
        for command in ["memory", "plan", "estimate", "run launch", "plan --curriculum"] {
            let said = folder.run(&format!("{command} {path}")).stdout;
            let mut first = said.lines().take(if matches!(command, "memory" | "estimate") { 2 } else { 1 });
            let words = format!("an rl config for prime-rl {target} (");
            assert!(first.any(|line| line.contains(&words)), "{name}: {command}: {said}");
        }
    }
}

#[test]
fn the_library_judges_a_file_for_the_same_prime_rl() {
    let settings = "target = \"0.4.0\"\n";
    let files = [("old/rl.toml", OLD), ("read/rl.toml", OLD), ("read/cfg.toml", settings), ("new/rl.toml", NEW)];
    let (folder, checker) = (Folder::new(&files), Checker::with_files(files));
    for (path, text) in files.into_iter().filter(|(path, _)| path.ends_with("rl.toml")) {
        let report = checker.check(&Config::new(text).path(path)).expect("a report");
        let file = &document(&folder, &format!("check {path}"))["files"][0];
        assert_eq!(
            (json!(report.target), json!(report.certainty)),
            (file["target"].clone(), file["identity"]["certainty"].clone())
        );
        assert_eq!(json!(report.why), file["identity"]["why"], "{path}");
    }
}

/// The verdict, the exit status and the codes of the findings that are no infos.
fn said(folder: &Folder, words: &str, path: &str) -> (String, Option<i32>, Vec<String>) {
    let ended = folder.run(&format!("check --format json {words}"));
    let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let file = report["files"].as_array().into_iter().flatten().find(|file| file["path"] == path);
    let file = file.unwrap_or_else(|| panic!("{path}: {report:#}"));
    let found = file["diagnostics"].as_array().into_iter().flatten().filter(|found| found["severity"] != "info");
    let codes = found.map(|found| found["code"].as_str().unwrap_or_default().to_owned()).collect();
    (file["verdict"].as_str().unwrap_or_default().to_owned(), ended.status, codes)
}

#[test]
fn an_inferred_file_has_all_its_findings() {
    let wrong = OLD.replace("lr = 1e-6", "lr = \"fast\"").replace("batch_size", "batch_sise");
    let folder = Folder::new(&[("rl.toml", &wrong)]);
    let (verdict, status, codes) = said(&folder, "rl.toml", "rl.toml");
    assert_eq!((verdict.as_str(), status), ("rejected", Some(1)));
    assert_eq!(codes, ["PRL013", "PRL105", "PRL101"]);
}

#[test]
fn files_of_a_folder_share_what_decides() {
    let plain = "max_steps = 20\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n";
    let folder = Folder::new(&[("rl.toml", OLD), ("train.toml", plain)]);
    let file = &document(&folder, "check train.toml")["files"][0];
    assert_eq!((&file["target"], &file["identity"]["certainty"]), (&json!("0.4.0"), &json!("inferred")));
    assert!(file["identity"]["why"].as_str().is_some_and(|why| why.contains("rl.toml")), "{file}");
    let alone = Folder::new(&[("train.toml", plain)]);
    assert_eq!(document(&alone, "check train.toml")["files"][0]["identity"]["certainty"], "assumed");
}

#[test]
fn what_none_of_several_kinds_accepts_is_an_error() {
    for (keys, codes) in
        [("lr = 1e-5", &["PRL011"][..]), ("lrr = 1e-5", &["PRL011", "PRL101"]), ("lr = \"fast\"", &["PRL011", "PRL105"])]
    {
        let folder = Folder::new(&[("run1.toml", &format!("[model]\nname = \"Qwen/Qwen3-8B\"\n[optim]\n{keys}\n"))]);
        let (verdict, status, found) = said(&folder, "run1.toml", "run1.toml");
        assert_eq!(found, codes, "{keys}");
        let is_wrong = codes.len() > 1;
        assert_eq!((verdict.as_str(), status), if is_wrong { ("rejected", Some(1)) } else { ("depends", Some(0)) }, "{keys}");
    }
    for (text, key) in [
        ("max_stepps = 5\n[model]\nname = \"Qwen/Qwen3-8B\"\n", "PRL101"),
        ("[model]\nname = \"Qwen/Qwen3-8B\"\n[model.nonsense]\na = 1\n", "PRL101"),
    ] {
        let folder = Folder::new(&[("run.toml", text)]);
        assert!(said(&folder, "run.toml", "run.toml").2.contains(&key.to_owned()), "{text}");
    }
    let empty = Folder::new(&[("empty.toml", "")]);
    assert_eq!(said(&empty, "empty.toml", "empty.toml"), ("depends".to_owned(), Some(0), vec!["PRL011".to_owned()]));
}

#[test]
fn a_whole_config_is_refused_whatever_is_beside_it() {
    let without = NEW.replace("[trainer.optim]\nlr = 1e-6\n", "");
    let folder = Folder::new(&[("rl.toml", NEW), ("new.toml", &without)]);
    for words in ["new.toml", ".", "--deny warnings .", "-v new.toml"] {
        let (verdict, status, codes) = said(&folder, words, "new.toml");
        assert_eq!((verdict.as_str(), status), ("rejected", Some(1)), "{words}");
        assert!(codes.contains(&"PRL103".to_owned()), "{words}: {codes:?}");
    }
}

#[test]
fn an_overlay_is_judged_with_its_base_which_is_named() {
    let over = "max_steps = 500\n[slurm]\njob_name = \"x\"\n";
    let folder = Folder::new(&[("rl.toml", NEW), ("slurm.toml", over)]);
    let file = document(&folder, "check slurm.toml")["files"][0].clone();
    assert_eq!((&file["identity"]["bases"], &file["verdict"]), (&json!(["rl.toml"]), &json!("depends")), "{file:#}");
    assert!(folder.run("check slurm.toml").stdout.contains("slurm.toml with rl.toml"));
    let memory = folder.run("memory slurm.toml --gpu 2xH100");
    assert!(
        memory.stdout.contains("\nslurm.toml: an rl config for prime-rl 0.8.0") && memory.stderr.contains("rl.toml"),
        "{memory:?}"
    );
    assert_eq!(folder.run("sweep slurm.toml max_steps=1,2").status, Some(2));
    // What is wrong with the base is said, and so is everything of the overlay but what the base supplies.
    folder.write("rl.toml", NEW.replace("group_size", "group_sise").as_bytes());
    assert_eq!(said(&folder, "slurm.toml", "slurm.toml").1, Some(1));
    folder.write("rl.toml", NEW.as_bytes());
    folder.write("slurm.toml", over.replace("max_steps = 500", "max_steps = \"many\"").as_bytes());
    assert_eq!(said(&folder, "slurm.toml", "slurm.toml").1, Some(1));
    // Another overlay is no base.
    folder.write("bs.toml", b"# overlay for debugging\n[orchestrator]\nbatch_size = 8\n");
    folder.write("slurm.toml", over.as_bytes());
    assert_eq!(document(&folder, "check slurm.toml")["files"][0]["identity"]["bases"], json!(["rl.toml"]));
    // Of two configs that complete it, none is taken.
    folder.write("slurm.toml", over.as_bytes());
    folder.write("other.toml", NEW.as_bytes());
    assert_eq!(said(&folder, "slurm.toml", "slurm.toml").2, ["PRL011"]);
}

#[test]
fn keys_of_a_later_prime_rl_are_warnings_in_a_file_of_a_later_day() {
    let later = NEW.replace("[orchestrator]\n", "[orchestrator]\nrollout_budget_policy = \"greedy\"\n");
    let folder = Folder::new(&[("undated/rl.toml", &later), ("dated/rl.toml", &format!("# passed on 2026-11-20\n{later}"))]);
    assert_eq!(said(&folder, "dated/rl.toml", "dated/rl.toml"), ("depends".to_owned(), Some(0), vec!["PRL101".to_owned()]));
    let (verdict, status, _) = said(&folder, "undated/rl.toml", "undated/rl.toml");
    assert_eq!((verdict.as_str(), status), ("rejected", Some(1)));
    let help = document(&folder, "check undated/rl.toml")["files"][0]["diagnostics"][0]["help"].to_string();
    assert!(help.contains("--target path:CHECKOUT"), "{help}");
    // A near miss of a known key is an error on any day.
    let slip = format!("# passed on 2026-11-20\n{}", later.replace("group_size", "group_sise"));
    folder.write("dated/rl.toml", slip.as_bytes());
    assert_eq!(said(&folder, "dated/rl.toml", "dated/rl.toml").1, Some(1));
    // And alone it does not show a later prime-rl.
    folder.write("dated/rl.toml", format!("# passed on 2026-11-20\n{}", NEW.replace("group_size", "group_sise")).as_bytes());
    assert_eq!(folder.reported("dated/rl.toml", "dated/rl.toml")["target"], "0.8.0");
}

#[test]
fn a_file_beside_a_config_is_judged_as_if_it_was_named() {
    let eval = "[model]\nname = \"a/b\"\n[optim]\nlrr = 1e-5\n";
    let folder = Folder::new(&[("configs/rl.toml", NEW), ("configs/x.toml", eval), ("other/x.toml", eval)]);
    let report = document(&folder, "check .");
    let paths: Vec<&str> = report["files"].as_array().into_iter().flatten().filter_map(|file| file["path"].as_str()).collect();
    assert_eq!(paths, ["configs/rl.toml", "configs/x.toml"]);
    assert!(folder.run("check .").stdout.contains("other/x.toml may be a prime-rl config: name it to check it"));
}

#[test]
fn a_base_that_is_stated_and_missing_is_replaced_by_no_other() {
    let over = "# Usage: uv run rl @ base.toml @ over.toml\nmax_steps = 500\ninference_gpu_ids = [0]\n";
    let folder = Folder::new(&[("rl.toml", OLD), ("over.toml", over)]);
    let (verdict, status, codes) = said(&folder, "--target 0.4.0 over.toml", "over.toml");
    assert_eq!((verdict.as_str(), status, codes), ("depends", Some(0), vec!["PRL025".to_owned()]));
}

#[test]
fn a_misspelt_key_is_one_also_in_a_file_that_has_no_other() {
    let folder = Folder::new(&[("rl.toml", NEW), ("t.toml", "max_stepps = 5\n")]);
    for words in ["t.toml", "."] {
        assert!(said(&folder, words, "t.toml").2.contains(&"PRL101".to_owned()), "{words}");
    }
    folder.write("empty.toml", b"");
    assert_eq!(said(&folder, "empty.toml", "empty.toml").2, ["PRL011"]);
}

#[test]
fn a_page_dates_only_the_file_that_it_names() {
    let later = NEW.replace("[orchestrator]\n", "[orchestrator]\nrollout_budget_policy = \"greedy\"\n");
    let page = "The run of `old/rl.toml` passed on 2026-11-20 with prime-rl.\n";
    let folder = Folder::new(&[("pyproject.toml", ""), ("README.md", page), ("old/rl.toml", &later), ("new/rl.toml", &later)]);
    assert_eq!(said(&folder, "old/rl.toml", "old/rl.toml").1, Some(0));
    assert_eq!(said(&folder, "new/rl.toml", "new/rl.toml").1, Some(1));
}

#[test]
fn a_launch_says_what_a_file_with_a_mistake_is_for() {
    let mistaken = "[model]\nname = \"Qwen/Qwen3-0.6B\"\n[optim]\nlr = 1e-5\n[data]\nnmae = \"a/b\"\n";
    let kind = |folder: &Folder| document(folder, "check train.toml")["files"][0]["kind"].clone();
    let folder = Folder::new(&[("train.toml", mistaken), ("pyproject.toml", "")]);
    assert_eq!(kind(&folder), "trainer");
    folder.write("run.sh", b"uv run sft @ train.toml\n");
    assert_eq!(kind(&folder), "sft");
    // Two that disagree say nothing.
    folder.write("other.sh", b"uv run trainer @ train.toml\n");
    assert_eq!(kind(&folder), "trainer");
}
