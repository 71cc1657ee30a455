//! Several files of one run: those of a `[[group]]`, those with usual names, and those named in `toml_files`.

use super::Folder;

const TRAIN: &str = "max_steps = 100\n[model]\nname = \"Qwen/Qwen3-8B\"\n";
const INFER: &str = "[model]\nname = \"Qwen/Qwen3-8B\"\n";
const GROUP: &str =
    "target = \"0.4.0\"\n[[group]]\ntrainer = \"a/one.toml\"\norchestrator = \"two.toml\"\ninference = \"three.toml\"\n";

fn said(folder: &Folder, arguments: &str) -> String {
    let ended = folder.run(&format!("check {arguments}"));
    assert!(ended.status == Some(0) || ended.status == Some(1), "{ended:?}");
    ended.stdout
}

/// The number of times that a code occurs in a report.
fn count(said: &str, code: &str) -> usize {
    said.matches(&format!("[{code}]")).count()
}

#[test]
fn a_group_is_checked_together_from_each_of_its_files() {
    let orch = "max_steps = 50\n[model]\nname = \"Qwen/Qwen3-8B\"\n[sampling]\nmax_tokens = 512\n";
    let folder = Folder::new(&[("cfg.toml", GROUP), ("a/one.toml", TRAIN), ("two.toml", orch), ("three.toml", INFER)]);
    // If both files are checked, it is reported once.
    let both = said(&folder, "--format concise a/one.toml two.toml three.toml");
    insta::assert_snapshot!("a_group_with_different_steps", both);
    // Otherwise it is reported for the checked file, with the other file as a related place.
    let one = said(&folder, "two.toml");
    assert!(one.contains("two.toml:1:13]") && one.contains("[a/one.toml:1:13]"), "{one}");
    assert_eq!(count(&said(&folder, "--format concise three.toml"), "PRL341"), 0);
    // Only the group shows that the first file is for the trainer.
    assert_eq!(count(&both, "PRL011"), 0, "{both}");
    // A folder has the same findings as its files.
    let all = said(&folder, "--format concise .");
    assert_eq!(count(&all, "PRL341"), 1, "{all}");
}

#[test]
fn three_neighbouring_files_are_one_run_by_their_names() {
    let files = |orch: &'static str| {
        Folder::new(&[("cfg.toml", "target = \"0.4.0\"\n"), ("train.toml", TRAIN), ("orch.toml", orch), ("infer.toml", INFER)])
    };
    let differing = files("max_steps = 50\n[model]\nname = \"Qwen/Qwen3-4B\"\n");
    let told = said(&differing, "--format concise .");
    assert_eq!((count(&told, "PRL340"), count(&told, "PRL341")), (2, 1), "{told}");
    // If a value is only a default, another one may come from the command line.
    let open = said(&files("batch_size = 64\n"), "--format concise .");
    assert_eq!((count(&open, "PRL340"), count(&open, "PRL341")), (0, 0), "{open}");
    let fixed = said(&files("max_steps = 100\n[model]\nname = \"Qwen/Qwen3-8B\"\n"), "--format concise .");
    assert_eq!((count(&fixed, "PRL340"), count(&fixed, "PRL341")), (0, 0), "{fixed}");
}

#[test]
fn two_neighbouring_files_may_be_two_runs() {
    let folder = Folder::new(&[
        ("cfg.toml", "target = \"0.4.0\"\n"),
        ("train.toml", TRAIN),
        ("orch.toml", "max_steps = 50\nbatch_size = 64\n"),
    ]);
    let told = said(&folder, "--format concise .");
    assert_eq!(count(&told, "PRL341"), 0, "{told}");
}

#[test]
fn a_missing_file_of_a_group() {
    let folder = Folder::new(&[("cfg.toml", GROUP), ("a/one.toml", TRAIN), ("two.toml", "max_steps = 100\nbatch_size = 64\n")]);
    let told = said(&folder, "--format concise a/one.toml");
    insta::assert_snapshot!("a_missing_file_of_a_group", told);
}

#[test]
fn programs_get_the_place_in_the_other_file() {
    let folder = Folder::new(&[
        ("cfg.toml", "target = \"0.4.0\"\n"),
        ("train.toml", TRAIN),
        ("orch.toml", "max_steps = 50\n[model]\nname = \"Qwen/Qwen3-8B\"\n"),
        ("infer.toml", INFER),
    ]);
    let json: serde_json::Value = serde_json::from_str(&said(&folder, "--format json train.toml")).expect("it is JSON");
    let found = json["files"][0]["diagnostics"].as_array().expect("an array");
    let steps = found.iter().find(|found| found["code"] == "PRL341").expect("it is found");
    assert_eq!(steps["related"][0]["path"], "orch.toml");
    assert_eq!(steps["related"][0]["range"]["start"]["line"], 1);
}

#[test]
fn an_included_file_is_a_part_of_its_config() {
    let whole = "toml_files = [\"base.toml\"]\n[orchestrator]\nbatch_size = 64\n";
    let part = "max_steps = \"many\"\n[trainer.model]\nname = \"Qwen/Qwen3-8B\"\n";
    let folder = Folder::new(&[("cfg.toml", "target = \"0.2\"\n"), ("rl.toml", whole), ("base.toml", part)]);
    // Alone it lacks a table that the other file has; errors in its own keys are reported.
    let alone = said(&folder, "--format concise base.toml");
    assert_eq!((count(&alone, "PRL103"), count(&alone, "PRL105")), (0, 1), "{alone}");
    // It is reported once if the other file is checked as well.
    let all = said(&folder, "--format concise .");
    assert_eq!((count(&all, "PRL103"), count(&all, "PRL105")), (0, 1), "{all}");
    // For a prime-rl without `toml_files`, the missing table is reported.
    let later = said(&folder, "--format concise --target 0.6.0 base.toml");
    assert_eq!(count(&later, "PRL103"), 1, "{later}");
}

#[test]
fn a_chain_of_parts_is_checked_from_its_top() {
    let files = [
        ("cfg.toml", "target = \"0.2\"\n"),
        ("top.toml", "toml_files = [\"mid.toml\"]\n[orchestrator]\nbatch_size = 64\n"),
        ("mid.toml", "toml_files = [\"leaf.toml\"]\n[inference]\n"),
        ("leaf.toml", "max_steps = \"many\"\n[trainer.model]\nname = \"Qwen/Qwen3-8B\"\n"),
    ];
    let folder = Folder::new(&files);
    for asked in ["leaf.toml", "mid.toml", "top.toml", "."] {
        let told = said(&folder, &format!("--format concise {asked}"));
        assert_eq!((count(&told, "PRL103"), count(&told, "PRL105")), (0, 1), "{asked}: {told}");
        // `--fix` does not change the findings.
        let fixed = said(&folder, &format!("--format concise --fix {asked}"));
        assert_eq!((count(&fixed, "PRL103"), count(&fixed, "PRL105")), (0, 1), "{asked}: {fixed}");
    }
    let shown = said(&folder, "--show-files .");
    assert!(["top.toml", "mid.toml", "leaf.toml"].iter().all(|name| shown.contains(name)), "{shown}");
}

#[test]
fn files_that_include_each_other_are_reported() {
    let files = [
        ("cfg.toml", "target = \"0.4.0\"\n"),
        ("self.toml", "toml_files = [\"self.toml\"]\nfoo = 1\n[trainer]\n"),
        ("a.toml", "toml_files = [\"b.toml\"]\nfoo = 1\n[trainer]\n"),
        ("b.toml", "toml_files = [\"a.toml\"]\nbar = 1\n[orchestrator]\n"),
    ];
    let folder = Folder::new(&files);
    for asked in ["--kind rl self.toml", "--kind rl a.toml", "--kind rl ."] {
        let told = said(&folder, &format!("--format concise {asked}"));
        assert!(told.contains("error["), "{asked}: {told}");
    }
}
