//! Folders in which nothing states a prime-rl: each command takes the same one, and says why.

use super::{CLEAN, Folder};

/// The files of a split run as prime-rl had them until 0.5.0; only the orchestrator's keys show that.
const SPLIT: [(&str, &str); 2] = [
    (
        "orch.toml",
        "batch_size = 64\nrollouts_per_example = 8\nseq_len = 2048\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[sampling]\nmax_tokens = 128\n\
         [[env]]\nid = \"reverse-text\"\n",
    ),
    ("infer.toml", "gpu_memory_utilization = 0.9\n[model]\nname = \"Qwen/Qwen3-0.6B\"\nmax_model_len = 2048\n"),
];

/// A config of an entrypoint that prime-rl had for two months.
const SYNTHESIZE: &str = "num_examples = 4\nrollouts_per_example = 2\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[sampling]\nmax_tokens = 64\n\
                          [[env]]\nid = \"reverse-text\"\n";

const WHOLE: &str = "max_steps = 20\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[trainer.optim]\nlr = 1e-6\n[orchestrator]\nbatch_size = 64\n\
                     group_size = 8\n[[orchestrator.train.source]]\nenv.taskset.id = \"reverse-text\"\n[inference]\n";

#[test]
fn a_file_is_migrated_from_the_prime_rl_that_its_folder_shows() {
    let folder = Folder::new(&SPLIT);
    let checked = folder.run("check infer.toml --format concise");
    assert!(checked.stdout.contains("keys of orch.toml"), "{checked:?}");
    let ended = folder.run("migrate infer.toml");
    assert!(ended.stdout.contains(", from prime-rl 0.7.0 to "), "{ended:?}");
    assert!(ended.stdout.contains("prime-rl 0.7.0 is inferred: "), "{ended:?}");
}

/// The newest release refuses this text for its two lengths before it looks at the old names of its keys.
#[test]
fn what_shows_behind_another_error_dates_a_config() {
    let text = "max_steps = 100\nseq_len = 8192\nmax_async_level = 3\n[trainer.model]\nseq_len = 16384\n[orchestrator]\nbatch_size = 64\n\
                rollouts_per_example = 8\n[[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n";
    let folder = Folder::new(&[("rl.toml", text)]);
    let ended = folder.run("check rl.toml");
    assert!(ended.status == Some(0) && ended.stdout.contains("for prime-rl 0.5.0 (inferred"), "{ended:?}");
    let fixed = folder.run("check rl.toml --fix");
    assert_eq!(std::fs::read_to_string(folder.path().join("rl.toml")).expect("a text"), text, "{fixed:?}");
}

/// Releases after 0.4.0 read no `toml_files`.
#[test]
fn a_config_that_includes_others_is_of_a_prime_rl_that_reads_them() {
    let base = "seq_len = 2048\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[trainer]\n[orchestrator]\nbatch_size = 64\nrollouts_per_example = 8\n\
                [[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n";
    let folder = Folder::new(&[("base.toml", base), ("run.toml", "toml_files = [\"base.toml\"]\nmax_steps = 10\n")]);
    for words in ["check", "check run.toml", "check -- rl @ run.toml"] {
        let ended = folder.run(words);
        assert!(ended.status == Some(0) && !ended.stdout.contains("error"), "{words}: {ended:?}");
    }
    let ended = folder.run("check run.toml");
    assert!(ended.stdout.contains("prime-rl 0.4.0 (assumed: ") && ended.stdout.contains("reads its `toml_files`"), "{ended:?}");
    let ended = folder.run("run launch run.toml");
    assert!(ended.stdout.contains("uv run rl @ run.toml"), "{ended:?}");
}

#[test]
fn an_entrypoint_of_the_past_is_one_in_every_command() {
    let folder = Folder::new(&[("synthesize.toml", SYNTHESIZE)]);
    for words in ["check", "plan", "run launch"] {
        let ended = folder.run(&format!("{words} synthesize.toml"));
        assert_eq!(ended.status, Some(0), "{words}: {ended:?}");
        assert!(ended.stdout.contains("prime-rl 0.4.0 (inferred"), "{words}: {ended:?}");
    }
    assert!(!folder.run("plan synthesize.toml").stdout.contains("runs until"));
    let ended = folder.run("migrate synthesize.toml");
    assert!(ended.stdout.contains(" has no entrypoint `synthesize`, so there is nothing to migrate to: "), "{ended:?}");
    // The newest release, written into the settings, would make it unknown.
    folder.run("init --no-hook --yes");
    let settings = std::fs::read_to_string(folder.path().join("cfg.toml")).expect("it is written");
    assert!(!settings.lines().any(|line| line.starts_with("target")), "{settings}");
}

#[test]
fn a_file_that_overrides_another_one_does_so_in_every_command() {
    let folder = Folder::new(&[("rl.toml", WHOLE), ("override.toml", "max_steps = 5\n")]);
    assert!(folder.run("check override.toml").stdout.contains("(override.toml with rl.toml)"));
    let ended = folder.run("migrate override.toml");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("override.toml is read with rl.toml") && ended.stdout.contains("an rl config"), "{ended:?}");
    for words in ["run launch", "run preflight"] {
        let ended = folder.run(&format!("{words} override.toml"));
        assert_eq!(ended.status, Some(2), "{ended:?}");
        assert!(ended.stderr.contains("only overrides rl.toml: pass all files, `rl.toml override.toml`"), "{ended:?}");
    }
}

#[test]
fn what_is_assumed_is_not_said_to_be_known() {
    let folder = Folder::new(&[("rl.toml", WHOLE), ("empty.toml", "# nothing\n")]);
    let ended = folder.run("migrate rl.toml");
    assert!(ended.stdout.contains("is assumed: the newest release"), "{ended:?}");
    assert!(ended.stdout.contains("Nothing to change if it is for prime-rl "), "{ended:?}");
    let ended = folder.run("check empty.toml");
    assert!(ended.stdout.contains("empty.toml: not checked"), "{ended:?}");
    let ended = folder.run("run launch empty.toml");
    assert!(ended.stderr.contains("this file has no keys"), "{ended:?}");
    let hosted = Folder::new(&[("hosted.toml", "model = \"Qwen/Qwen3-8B\"\nmax_steps = 9\n[[env]]\nid = \"a/b\"\n")]);
    let ended = hosted.run("migrate hosted.toml");
    assert!(ended.stderr.contains("is for hosted training") && ended.stderr.contains("there is nothing to migrate"), "{ended:?}");
}

/// The verdict and the findings of a file that are no infos, as a folder or the name of the file gives them.
fn judged(folder: &Folder, words: &str, path: &str) -> (String, Vec<String>) {
    let ended = folder.run(&format!("check {words} --format json"));
    let report: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let files = report["files"].as_array().expect("files");
    let file = files.iter().find(|file| file["path"] == path).unwrap_or_else(|| panic!("{path}: {ended:?}"));
    let found = file["diagnostics"].as_array().into_iter().flatten().filter(|found| found["severity"] != "info");
    let found =
        found.map(|found| format!("{} {}", found["code"].as_str().expect("a code"), found["severity"].as_str().expect("a text")));
    (file["verdict"].as_str().expect("a verdict").to_owned(), found.collect())
}

#[test]
fn a_part_of_a_component_is_judged_alike_in_a_folder_and_by_name() {
    let part = "[trainer.optim]\nlr = 1e-5\n";
    let lone: &[(&str, &str)] = &[("part.toml", part)];
    let beside: &[(&str, &str)] = &[("rl.toml", WHOLE), ("part.toml", part)];
    let between: &[(&str, &str)] = &[("a.toml", WHOLE), ("b.toml", WHOLE), ("part.toml", part)];
    let faulty: &[(&str, &str)] = &[("rl.toml", WHOLE), ("part.toml", "[trainer.optim]\nlearning = 1e-5\n")];
    let whole: &[(&str, &str)] = &[("rl.toml", WHOLE), ("part.toml", "[trainer.model]\nname = \"Qwen/Qwen3-0.6B\"\n")];
    for (files, verdict, expected) in [
        (lone, "rejected", &["PRL103 error"][..]),
        (beside, "depends", &[]),
        (between, "depends", &["PRL025 warning"]),
        (faulty, "rejected", &["PRL101 error"]),
        (whole, "rejected", &["PRL103 error"]),
    ] {
        let folder = Folder::new(files);
        let (of_folder, by_name) = (judged(&folder, ".", "part.toml"), judged(&folder, "part.toml", "part.toml"));
        assert_eq!(of_folder, by_name, "{files:?}");
        assert_eq!(
            (of_folder.0.as_str(), of_folder.1),
            (verdict, expected.iter().map(ToString::to_string).collect()),
            "{files:?}"
        );
    }
    let folder = Folder::new(beside);
    for command in ["compile", "run launch"] {
        let ended = folder.run(&format!("{command} part.toml"));
        assert!(ended.stderr.contains("only overrides rl.toml: pass all files, `rl.toml part.toml`"), "{command}: {ended:?}");
    }
    let folder = Folder::new(between);
    let ended = folder.run("plan part.toml");
    assert!(
        ended.status == Some(1) && ended.stderr.contains("the result depends on the config that this file overrides"),
        "{ended:?}"
    );
}

#[test]
fn a_part_is_migrated_from_the_prime_rl_of_its_base() {
    let old = "max_steps = 20\n[trainer]\n[orchestrator]\nbatch_size = 64\nrollouts_per_example = 8\n[[orchestrator.env]]\n\
               id = \"reverse-text\"\n[inference]\n";
    let folder = Folder::new(&[("rl.toml", old), ("part.toml", "max_steps = 5\n[trainer.optim]\nlr = 1e-5\n")]);
    let ended = folder.run("migrate part.toml");
    assert!(
        ended.stdout.contains("from prime-rl 0.7.0 to ") && ended.stdout.contains("read with rl.toml, which it overrides"),
        "{ended:?}"
    );
}

/// A check that came before 0.4.0 refuses the override. An older prime-rl would accept both files, but the base shows the release.
#[test]
fn a_fault_of_an_override_is_one_for_the_prime_rl_of_its_base() {
    let base = "inference_gpu_ids = [0]\ntrainer_gpu_ids = [1]\nmax_steps = 20\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[trainer]\n\
                [orchestrator]\nseq_len = 2048\nbatch_size = 64\nrollouts_per_example = 8\n[[orchestrator.env]]\n\
                id = \"reverse-text\"\n[inference]\n";
    let folder = Folder::new(&[("rl.toml", base), ("part.toml", "[trainer.model]\nseq_len = 512\n")]);
    for words in [".", "part.toml", "-- rl @ rl.toml @ part.toml"] {
        let ended = folder.run(&format!("check --format concise {words}"));
        let of = "prime-rl 0.4.0 (inferred from the keys)";
        assert!(ended.stdout.contains("PRL202") && ended.stdout.contains(of), "{words}: {ended:?}");
    }
}

/// A comment that names paths of the repository from which both files were copied.
#[test]
fn files_that_were_copied_together_are_still_one_config() {
    let part = "# Usage: uv run rl @ examples/word/rl.toml @ examples/word/slurm.toml\n[slurm]\njob_name = \"word\"\n";
    let folder = Folder::new(&[("rl.toml", WHOLE), ("slurm.toml", part)]);
    let ended = folder.run("check");
    assert!(ended.stdout.contains("slurm.toml with rl.toml") && !ended.stdout.contains("PRL025"), "{ended:?}");
}

#[test]
fn the_versions_of_several_configs_are_advised_as_they_are() {
    let of = |keys: &str, source: &str| {
        format!(
            "{keys}[trainer]\n[orchestrator]\nbatch_size = 64\nrollouts_per_example = 8\n[[orchestrator.{source}]]\nid = \"reverse-text\"\n[inference]\n"
        )
    };
    let (older, newer) =
        (of("trainer_gpu_ids = [1]\ninference_gpu_ids = [0]\n", "env"), of("[deployment]\nnum_train_gpus = 1\n", "train.env"));
    let folder = Folder::new(&[("a.toml", &older), ("b.toml", &newer)]);
    let ended = folder.run("check");
    let words = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("`prime_rl = \"0.4.0\"` in that of a.toml, `prime_rl = \"0.7.0\"` in that of b.toml"), "{ended:?}");
    assert!(!words.contains("--target 0.7.0"), "{ended:?}");
    // Where several versions accept a file, the advice says which.
    let folder = Folder::new(&[("b.toml", &newer)]);
    let ended = folder.run("check");
    let words = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("one of 0.6.0 to 0.7.0, such as `--target 0.7.0`"), "{ended:?}");
}

#[test]
fn a_kind_that_only_one_entrypoint_accepts_is_known_to_each_command() {
    let text = "max_steps = 50\n[model]\nname = \"willcb/Qwen2.5-0.5B-Reverse-SFT\"\n[optim]\nlr = 3e-6\n";
    let folder = Folder::new(&[("x.toml", text)]);
    for words in ["check x.toml", "plan x.toml", "compile x.toml", "run launch x.toml", "diff x.toml x.toml"] {
        let ended = folder.run(words);
        assert!(ended.status == Some(0) && !ended.stderr.contains("unclear"), "{words}: {ended:?}");
    }
}

#[test]
fn an_evaluation_of_the_past_is_known_by_a_single_sign() {
    let folder = Folder::new(&[("eval.toml", "[sampling]\nmax_tokens = 2048\n[[env]]\nid = \"math500\"\n")]);
    let ended = folder.run("check eval.toml");
    assert!(ended.status == Some(0) && ended.stdout.contains("for prime-rl 0.4.0 (inferred"), "{ended:?}");
}

#[test]
fn a_config_of_another_folder_completes_what_it_includes() {
    let of_run = "toml_files = [\"../common/model.toml\", \"../common/env.toml\"]\nmax_steps = 10\n[trainer]\n[orchestrator]\nbatch_size = 64\n\
                  rollouts_per_example = 8\n";
    let folder = Folder::new(&[
        ("pyproject.toml", ""),
        ("exp/run.toml", of_run),
        ("common/model.toml", "[model]\nname = \"Qwen/Qwen3-0.6B\"\n"),
        ("common/env.toml", "[orchestrator]\nseq_len = 2048\n[[orchestrator.env]]\nid = \"reverse-text\"\n"),
    ]);
    for words in ["check", "check exp/run.toml", "check common/model.toml", "check common/env.toml"] {
        let ended = folder.run(words);
        assert!(ended.status == Some(0) && ended.stdout.contains("for prime-rl 0.4.0"), "{words}: {ended:?}");
    }
}

/// Newer examples of prime-rl keep the environments in a file of their own, for any model.
#[test]
fn a_file_of_environments_is_a_part_of_a_config() {
    let part = "[[orchestrator.train.source]]\nname = \"swe\"\nenv.taskset.id = \"r2e-gym\"\n";
    let folder = Folder::new(&[("envs/swe.toml", part)]);
    for words in [".", "envs/swe.toml"] {
        let (verdict, found) = judged(&folder, words, "envs/swe.toml");
        assert_eq!((verdict.as_str(), found), ("depends", vec!["PRL025 warning".to_owned()]));
    }
    let base = WHOLE.replace("[[orchestrator.train.source]]\nenv.taskset.id = \"reverse-text\"\n", "");
    let folder = Folder::new(&[("rl.toml", &base), ("swe.toml", part)]);
    let ended = folder.run("check swe.toml");
    assert!(ended.status == Some(0) && ended.stdout.contains("swe.toml with rl.toml"), "{ended:?}");
}

#[test]
fn a_config_without_a_table_is_still_dated_by_its_keys() {
    let text = "[orchestrator]\nrollouts_per_example = 4\n[[orchestrator.env]]\nid = \"reverse-text\"\n";
    let folder = Folder::new(&[("rl.toml", text)]);
    let (verdict, found) = judged(&folder, "rl.toml", "rl.toml");
    assert_eq!((verdict.as_str(), found), ("rejected", vec!["PRL013 warning".to_owned(), "PRL103 error".to_owned()]));
}

/// A folder that was copied to a rented machine has no repository.
#[test]
fn the_script_of_a_folder_without_a_repository_states_its_prime_rl() {
    let old = WHOLE.replace("group_size", "rollouts_per_example").replace(
        "[[orchestrator.train.source]]\nenv.taskset.id = \"reverse-text\"",
        "[[orchestrator.env]]\nid = \"reverse-text\"",
    );
    let script = "pip install prime-rl==0.5.0\nuv run rl @ rl.toml\n";
    let folder = Folder::new(&[("rl.toml", &old), ("train.sh", script), ("below/rl.toml", &old)]);
    for path in ["rl.toml", "below/rl.toml"] {
        let file = folder.reported(path, path);
        assert_eq!(
            (&file["target"], file["identity"]["certainty"].as_str()),
            (&"0.5.0".into(), Some("read")),
            "{path}: {file:#}"
        );
        assert!(file["identity"]["why"].as_str().is_some_and(|why| why.contains("train.sh:1")), "{file:#}");
    }
    // Programs that were not started for a project run in the home folder.
    let mut at_home = folder.command("check rl.toml");
    at_home.env("HOME", folder.path());
    let ended = super::finish(&mut at_home, b"");
    assert!(ended.stdout.contains("prime-rl 0.7.0 (inferred"), "{ended:?}");
}

#[test]
fn a_misspelt_key_in_one_file_does_not_change_the_prime_rl_of_its_folder() {
    let misspelt = SPLIT[0].1.replace("rollouts_per_example", "rollouts_per_exampel");
    let folder = Folder::new(&[(SPLIT[0].0, &misspelt), SPLIT[1]]);
    let ended = folder.run("check infer.toml --format concise");
    assert!(ended.stdout.contains("prime-rl 0.7.0") && ended.stdout.contains("of orch.toml"), "{ended:?}");
}

#[test]
fn what_an_overlay_does_to_its_base_is_shown_in_the_folder_as_by_name() {
    let old = WHOLE.replace("group_size", "rollouts_per_example").replace(
        "[[orchestrator.train.source]]\nenv.taskset.id = \"reverse-text\"",
        "[[orchestrator.env]]\nid = \"reverse-text\"",
    );
    let env = "[[orchestrator.train.source]]\nname = \"x\"\nenv.taskset.id = \"gsm8k\"\n";
    let folder = Folder::new(&[("base.toml", &old), ("env.toml", env)]);
    let errors = |words: &str| {
        let ended = folder.run(&format!("check --format concise {words}"));
        (ended.status, ended.stdout.matches("error[PRL110]").count())
    };
    assert_eq!(errors("env.toml"), (Some(1), 2));
    assert_eq!(errors("."), (Some(1), 2));
    assert_eq!(errors("base.toml"), (Some(0), 0));
}

#[test]
fn a_file_that_is_not_toml_is_named() {
    let folder = Folder::new(&[("broken.toml", "not = toml = x\n")]);
    let ended = folder.run("check");
    assert!(ended.stdout.contains("broken.toml can't be read as TOML: name it to check it"), "{ended:?}");
    folder.write("rl.toml", WHOLE.as_bytes());
    let ended = folder.run("check");
    assert!(ended.status == Some(0) && ended.stdout.contains("broken.toml can't be read as TOML"), "{ended:?}");
    // TOML 1.1, which another program reads.
    folder.write("broken.toml", b"a = {\n  b = 1,\n}\n");
    assert!(!folder.run("check").stdout.contains("broken.toml"));
}

#[test]
fn a_file_with_only_a_finding_about_its_version_is_counted() {
    let assumed =
        "[trainer.model]\nname = \"a\"\n[trainer.data.fake]\nbatch_size = 2\n[orchestrator]\nrollouts_per_example = 8\n";
    let inferred = "max_steps = 5\nseq_len = 2048\n[trainer]\n[orchestrator]\nbatch_size = 128\n[[orchestrator.env]]\nid = \"reverse-text\"\n";
    let folder = Folder::repository(&[("a.toml", assumed), ("b.toml", inferred)]);
    let said = folder.run("check").stdout;
    assert!(said.contains("Found 2 errors and 1 warning in 2 of 2 files"), "{said}");
    let folder = Folder::repository(&[("b.toml", &format!("{inferred}bogus = 1\n")), ("c.toml", CLEAN)]);
    let said = folder.run("check").stdout;
    assert!(said.contains(" in 1 of 2 files"), "{said}");
}

#[test]
fn what_is_no_toml_is_not_compared_or_migrated() {
    let folder = Folder::new(&[("rl.yaml", "steps: 5\n"), ("run.py", "import os\n")]);
    for command in ["diff rl.yaml rl.yaml", "plan rl.yaml", "memory rl.yaml", "migrate rl.yaml"] {
        let ended = folder.run(command);
        assert!(ended.status == Some(2) && ended.stderr.contains("rl.yaml is YAML, which is not supported"), "{ended:?}");
    }
    for command in ["diff run.py run.py", "plan run.py", "migrate run.py", "compile run.py", "run launch run.py"] {
        let ended = folder.run(command);
        let told = "run.py is a script, not a config; `cfg check run.py` checks what it starts";
        assert!(ended.status == Some(2) && ended.stderr.contains(told) && ended.stdout.is_empty(), "{ended:?}");
    }
}

#[test]
fn a_folder_of_configs_for_hosted_training_has_nothing_to_migrate_or_to_state() {
    let hosted = "model = \"Qwen/Qwen3-4B-Instruct-2507\"\nmax_steps = 50\nbatch_size = 64\nrollouts_per_example = 4\n\
                  [[env]]\nid = \"org/name\"\n";
    let folder = Folder::repository(&[("configs/rl.toml", hosted)]);
    let ended = folder.run("migrate .");
    let told = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        ended.status == Some(2) && told.contains("the config here is for hosted training, which runs prime-rl main"),
        "{ended:?}"
    );
    let plan = folder.run("plan configs/rl.toml");
    assert!(plan.stderr.contains("`prime train` refuses this config"), "{plan:?}");
    let init = folder.run("init --no-hook").stdout;
    assert!(init.contains("# The configs here need no `target`") && !init.contains("target = "), "{init}");
    // Of others, the prime-rl of which is open, it says nothing.
    folder.write("train.toml", format!("{}[[orchestrator.env]]\nid = \"a\"\n", "[trainer]\n[orchestrator]\n").as_bytes());
    let init = folder.run("init --no-hook").stdout;
    assert!(init.contains("# target = \"") && !init.contains("several versions"), "{init}");
}
