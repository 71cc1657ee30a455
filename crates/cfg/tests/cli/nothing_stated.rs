//! Folders in which nothing states a prime-rl: each command takes the same one, and says why.

use super::Folder;

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
