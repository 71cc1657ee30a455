//! Files that only override another config: with which configs they are checked, and what is reported if these are unknown.

use super::Folder;

const BASE: &str = "max_steps = 50\n[trainer]\n[orchestrator]\nbatch_size = 64\nrollouts_per_example = 8\n";
const OVER: &str = "output_dir = \"outputs/x\"\n[slurm]\njob_name = \"x\"\n";

fn said(folder: &Folder, arguments: &str) -> String {
    folder.run(&format!("check --target 0.5.0 --format concise {arguments}")).stdout
}

#[test]
fn the_usage_line_names_the_base_of_an_overlay() {
    let over =
        |keys: &str| format!("# Usage: uv run rl @ configs/a/base.toml @ configs/a/over.toml --max-steps 60\n{OVER}{keys}");
    let folder = Folder::new(&[("configs/a/base.toml", BASE), ("configs/a/over.toml", &over(""))]);
    let told = said(&folder, ".") + &said(&folder, "configs/a/over.toml");
    insta::assert_snapshot!("an_overlay_as_part_of_its_launch", told);
    folder.write("configs/a/over.toml", over("nothing = 1\n").as_bytes());
    for path in [".", "configs/a/over.toml"] {
        let told = said(&folder, path);
        assert!(told.contains("configs/a/over.toml:5:1: error[PRL101]") && told.matches("error[").count() == 1, "{told}");
    }
}

#[test]
fn scripts_and_documents_name_the_base_of_an_overlay() {
    for (script, text) in [
        ("run.sh", "#!/bin/sh\nuv run rl @ a/base.toml \\\n  @ a/over.toml --output-dir \"$OUT\"\n"),
        ("scripts/train.sbatch", "srun uv run rl @ a/base.toml @ a/over.toml\n"),
        (".github/workflows/ci.yml", "      - run: uv run rl @ a/base.toml @ a/over.toml\n"),
        ("README.md", "```bash\nuv run rl @ a/base.toml @ a/over.toml\n```\n"),
    ] {
        let bad = format!("{OVER}max_steps = \"many\"\n").replace("output_dir = \"outputs/x\"\n", "");
        let folder = Folder::new(&[("pyproject.toml", ""), ("a/base.toml", BASE), ("a/over.toml", &bad), (script, text)]);
        let told = said(&folder, ".");
        assert!(!told.contains("PRL103") && !told.contains("PRL025"), "{script}: {told}");
    }
}

#[test]
fn a_wrapped_usage_line_names_the_base_of_an_overlay() {
    for usage in [
        "./guard.sh rl 20G uv run rl @ a/base.toml @ a/over.toml",
        "sbatch --wrap 'cd a && uv run rl @ base.toml @ over.toml'",
        "tmux send-keys -t s \"uv run rl @ a/base.toml @ a/over.toml\" Enter",
        "docker run --gpus all image rl @ a/base.toml @ a/over.toml",
        "python -m prime_rl.entrypoints.rl @ a/base.toml @ a/over.toml",
        "source .venv/bin/activate && rl @ a/base.toml @ a/over.toml > log 2>&1 &",
    ] {
        let bad = format!("# {usage}\n[slurm]\njob_name = \"x\"\nmax_stepps = 1\n");
        let folder = Folder::new(&[("a/base.toml", BASE), ("a/over.toml", &bad)]);
        for path in [".", "a/over.toml"] {
            let told = said(&folder, path);
            assert!(told.contains("a/over.toml:4:1: error[PRL101]") && told.matches("error[").count() == 1, "{usage}: {told}");
        }
    }
}

#[test]
fn a_neighbouring_config_may_complete_an_overlay() {
    let folder = Folder::new(&[("base.toml", BASE), ("slurm.toml", OVER)]);
    let told = said(&folder, "-v .");
    insta::assert_snapshot!("an_overlay_beside_its_base", told);
    // Errors in its own keys are always reported.
    folder.write("slurm.toml", format!("nothing = 1\n{OVER}").as_bytes());
    let told = said(&folder, "-v .");
    assert!(told.contains("slurm.toml:1:1: error[PRL101]") && !told.contains("PRL103"), "{told}");
}

#[test]
fn an_overlay_without_a_known_base_has_one_hint() {
    let folder = Folder::new(&[("over.toml", OVER)]);
    let told = said(&folder, "-v .");
    assert_eq!((told.matches("warning[PRL011]").count(), told.matches("PRL").count()), (1, 2), "{told}");
    assert_eq!(said(&folder, "over.toml").matches("warning[PRL011]").count(), 1);
    // It lacks tables, and has keys that no other kind has.
    folder.write("over.toml", b"max_steps = 5\ninference_gpu_ids = [0]\n");
    let told = folder.run("check --target 0.4.0 --format concise over.toml");
    assert_eq!((told.status, told.stdout.matches("PRL025").count()), (Some(0), 2), "{told:?}");
    folder.write("over.toml", OVER.as_bytes());
    // A stated kind means that the config is complete; and in a file that was named, a missing table is an error.
    assert!(said(&folder, "--kind rl over.toml").contains("error[PRL103]"));
    folder.write("forgotten.toml", b"max_steps = 50\n[trainer]\n");
    assert!(said(&folder, "forgotten.toml").contains("error[PRL103]"));
}

#[test]
fn keys_of_a_variant_chosen_by_the_base_are_not_errors_of_an_overlay() {
    let base = "[trainer]\n[orchestrator]\n[inference]\n[deployment]\ntype = \"multi_node\"\nnum_train_nodes = 4\nnum_infer_nodes = 1\n[slurm]\njob_name = \"x\"\n";
    let overlay = "max_steps = 3\n[deployment]\nnum_train_nodes = 2\n[trainer]\n[orchestrator]\n";
    let folder = Folder::new(&[("rl.toml", base), ("validation.toml", overlay)]);
    let ended = folder.run("check --target 0.6.0 --format json validation.toml");
    let report: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    assert_eq!((&report["files"][0]["verdict"], ended.status), (&serde_json::json!("depends"), Some(0)), "{report:#}");
    // Without a base that selects the variant, the key is wrong.
    let alone = Folder::new(&[("validation.toml", overlay)]);
    let ended = alone.run("check --target 0.6.0 --format json validation.toml");
    let report: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    assert_eq!(report["files"][0]["diagnostics"][0]["code"], "PRL112", "{report:#}");
    assert_eq!(ended.status, Some(1));
}

/// The findings, as code and severity.
fn found(folder: &Folder, words: &str) -> Vec<String> {
    let ended = folder.run(&format!("check --target 0.8.0 --format json {words}"));
    let report: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let findings = report["files"].as_array().into_iter().flatten().filter_map(|file| file["diagnostics"].as_array().cloned());
    let told = findings.flatten().filter(|finding| finding["severity"] != "info");
    let text = |finding: &serde_json::Value, name: &str| finding[name].as_str().expect("a text").to_owned();
    told.map(|finding| format!("{} {}", text(&finding, "code"), text(&finding, "severity"))).collect()
}

const WITHOUT: &str = "[trainer]\n[orchestrator]\ngroup_size = 8\n";
const WITH: &str = "[[orchestrator.train.source]]\nenv.taskset.id = \"gsm8k\"\n";

#[test]
fn a_missing_environment_is_reported_only_for_complete_configs() {
    // The only config of its folder may still get the table from a flag.
    let folder = Folder::new(&[("rl.toml", WITHOUT)]);
    assert_eq!(found(&folder, "rl.toml"), ["PRL520 warning"]);
    assert_eq!(found(&folder, "-- uv run rl @ rl.toml"), ["PRL520 error"]);
    // If there are other configs in its folder, it may be an override for one of them.
    let folder = Folder::new(&[("rl.toml", WITHOUT), ("over.toml", WITH)]);
    assert_eq!(found(&folder, "rl.toml"), [""; 0]);
    let report = folder.run("check --target 0.8.0 --format json rl.toml");
    let report: serde_json::Value = serde_json::from_str(&report.stdout).expect("JSON");
    let (file, told) = (&report["files"][0], &report["files"][0]["diagnostics"][0]);
    assert_eq!((&file["verdict"], &told["code"], &told["severity"]), (&"depends".into(), &"PRL520".into(), &"info".into()));
    assert_eq!(found(&folder, "-- uv run rl @ rl.toml @ over.toml"), [""; 0]);
    assert_eq!(found(&folder, "-- uv run rl @ rl.toml"), ["PRL520 error"]);
    // A file of another program adds none.
    let other = Folder::new(&[("rl.toml", WITHOUT), ("tool.toml", "[project]\nname = \"x\"\n")]);
    assert_eq!(found(&other, "rl.toml"), ["PRL520 warning"]);
    // One script starts both together, and another starts it alone.
    let folder = Folder::new(&[
        ("rl.toml", WITHOUT),
        ("over.toml", WITH),
        ("pyproject.toml", ""),
        ("run.sh", "uv run rl @ rl.toml @ over.toml\n"),
    ]);
    assert_eq!(found(&folder, "rl.toml"), [""; 0]);
    folder.write("run.sh", b"uv run rl @ rl.toml\n");
    assert_eq!(found(&folder, "rl.toml"), ["PRL520 error"]);
}

#[test]
fn rules_about_single_values_apply_to_an_overlay() {
    let folder = Folder::new(&[("over.toml", "[inference]\ngpu_memory_utilization = 90\n")]);
    for target in ["0.4.0", "0.6.0", "0.7.0", "0.8.0"] {
        let ended = folder.run(&format!("check over.toml --target {target} --format concise"));
        assert_eq!(ended.status, Some(1), "{target}: {ended:?}");
        assert!(ended.stdout.contains("PRL411"), "{target}: {}", ended.stdout);
    }
}
