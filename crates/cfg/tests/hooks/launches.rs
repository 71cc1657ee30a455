//! What a launch starts is a config, and every launch is checked: by `check`, by the hook, and for the files that a hook names.

use std::fs;

use crate::{CLEAN, SETTINGS, repository::Repository};

/// A part with a key that prime-rl does not have, and one that would not show alone what it is.
const BASE: &str = "max_steps = 5\nbogus = 1\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n";
/// The rest of the config.
const RUN: &str = "[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n";
const BOGUS: &str = "c/base.toml:2:1: error[PRL101]";

/// A repository with a launch of two files, in this script.
fn launched(script: &str, text: &str) -> Repository {
    Repository::committed(&[SETTINGS, ("c/base.toml", BASE), ("c/run.toml", RUN), (script, text)])
}

#[test]
fn a_launch_is_checked_wherever_it_is_written() {
    for (script, text) in [
        ("launch.sh", "#!/bin/bash\nuv run rl @ c/base.toml @ c/run.toml\n"),
        ("launch.sh", "CONFIG=${1:-c/base.toml}\nuv run rl @ \"$CONFIG\" \\\n  @ c/run.toml \"$@\"\n"),
        ("experiments/one/go.sh", "cd ../..\nuv run rl @ c/base.toml @ c/run.toml --output-dir \"$OUT\"\n"),
        ("c/run.sbatch", "#SBATCH -N 2\nsrun uv run rl @ base.toml @ run.toml\n"),
        ("run.fish", "set -x N 2\nuv run rl @ c/base.toml @ c/run.toml\n"),
        ("job.yaml", "spec:\n  containers:\n  - args: [\"uv\",\"run\",\"rl\",\"@\",\"c/base.toml\",\"@\",\"c/run.toml\"]\n"),
        ("Makefile", "BASE := c/base.toml\ntrain:\n\tuv run rl @ $(BASE) @ c/run.toml\n"),
        ("justfile", "base := \"c/base.toml\"\ntrain:\n    uv run rl @ {{base}} @ c/run.toml\n"),
        ("justfile", "train base=\"c/base.toml\":\n    uv run rl @ {{base}} @ c/run.toml\n"),
        ("go.sh", "train() {\n  local base=$1\n  uv run rl @ \"$base\" @ c/run.toml\n}\ntrain c/base.toml\n"),
        ("go.sh", "for f in c/b*.toml; do\n  uv run rl @ \"$f\" @ c/run.toml\ndone\n"),
        ("go.sh", "ls c/b*.toml | xargs -I{} uv run rl @ {} @ c/run.toml\n"),
        (".github/workflows/train.yml", "jobs:\n  a:\n    steps:\n      - run: uv run rl @ c/base.toml @ c/run.toml\n"),
        ("c/other.toml", "# Usage: uv run rl @ c/base.toml @ c/run.toml\n"),
        (
            "launch.py",
            "import subprocess\nsubprocess.run([\"uv\", \"run\", \"rl\", \"@\", \"c/base.toml\", \"@\", \"c/run.toml\"])\n",
        ),
        ("package.json", "{\"scripts\": {\n  \"train\": \"cd c && uv run rl @ base.toml @ run.toml\"\n}}\n"),
        (".vscode/tasks.json", "{\"tasks\": [{\"command\": \"uv run rl @ c/base.toml @ c/run.toml\"}]} // x\n"),
        ("pyproject.toml", "[tool.poe.tasks.train]\ncmd = \"rl @ c/base.toml @ c/run.toml\"\n"),
        ("pyproject.toml", "[tool.taskipy.tasks]\ntrain = \"uv run rl @ c/base.toml @ c/run.toml\"\n"),
        ("pyproject.toml", "[tool.pdm.scripts]\ntrain = {composite = [\"uv run rl @ c/base.toml @ c/run.toml\"]}\n"),
        ("pixi.toml", "[tasks]\ntrain = \"uv run rl @ c/base.toml @ c/run.toml\"\n"),
        ("launch.ps1", "$base = \"c/base.toml\"\nuv run rl `\n  '@' $base `\n  '@' c/run.toml\n"),
        (
            "deep/er/train.ipynb",
            "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"!uv run rl @ c/base.toml @ c/run.toml\\n\"]}]}\n",
        ),
        (
            "deploy/k8s/job.yaml",
            "- command: [uv, run, rl]\n  args:\n    - \"@\"\n    - c/base.toml\n    - \"@\"\n    - c/run.toml\n",
        ),
        ("job.yml", "run: >\n  uv run rl\n  @ c/base.toml\n  @ c/run.toml\n"),
        ("Procfile", "train: uv run rl @ c/base.toml @ c/run.toml\n"),
        ("tools/go.py", "import os\nos.system(\"uv run rl @ c/base.toml @ c/run.toml\")\n"),
    ] {
        let repository = launched(script, text);
        let all = repository.cfg("check . --format concise").refused(BOGUS);
        let of_hook = repository.cfg("hook run --all-files --format concise").refused(BOGUS);
        for (path, said) in [("check", &all), ("hook", &of_hook)] {
            assert_eq!(said.matches("error[").count(), 1, "{script}, {path}: {said}");
            assert!(!said.contains("PRL025"), "{script}, {path}: {said}");
        }
        for named in ["check --configs-only --format concise c/base.toml", "check --format concise c/run.toml"] {
            let said = repository.cfg(named).refused(BOGUS);
            assert_eq!(said.matches("error[").count(), 1, "{script}, {named}: {said}");
        }
        repository.write("c/base.toml", &format!("{BASE}# A comment.\n"));
        repository.commit_all().refused("bogus");
        repository.git("reset -q --hard").well();
        repository.write("c/base.toml", &BASE.replace("bogus = 1\n", ""));
        assert_eq!(repository.commit_all().well(), "", "{script}");
    }
}

#[test]
fn a_key_that_only_the_composition_makes_wrong_is_reported_once_at_its_place() {
    let whole = format!("{RUN}[trainer.optim]\nlr = 1e-6\n");
    let files = [SETTINGS, ("a.toml", &*whole), ("b.toml", "[orchestrator]\nbatch_size = 60\nrollouts_per_example = 8\n")];
    let repository = Repository::committed(&files);
    repository.write("run.sh", "uv run rl @ a.toml @ b.toml --orchestrator.rollouts-per-example 7\n");
    // The script alone is staged.
    let said = repository.commit_all().refused("PRL202");
    assert_eq!(said.matches("error[").count(), 1, "{said}");
    let said = repository.cfg("check . --format concise").refused("PRL202");
    assert_eq!(said.matches("error[").count(), 1, "{said}");
}

#[test]
fn a_part_that_is_right_with_its_launch_is_right() {
    let part = "[orchestrator]\nbatch_size = 60\nrollouts_per_example = 7\n";
    let files = [
        SETTINGS,
        ("base.toml", CLEAN),
        ("part.toml", part),
        (
            "part.sh",
            "uv run rl @ base.toml @ part.toml --orchestrator.batch-size 70 --orchestrator.env '[{\"id\": \"reverse-text\"}]'\n",
        ),
    ];
    let repository = Repository::committed(&files);
    for words in ["check .", "check part.toml", "hook run --all-files"] {
        let said = repository.cfg(words).well();
        assert!(!said.contains("PRL103") && !said.contains("PRL202"), "{words}: {said}");
    }
    // Alone it would be refused.
    repository.git("rm -q part.sh").well();
    repository.cfg("check part.toml").refused("PRL202");
}

#[test]
fn flags_are_reported_in_the_script() {
    let script = "#!/bin/bash\nuv run rl @ a.toml @ b.toml \\\n  --max-stepz 5\n";
    let files = [SETTINGS, ("a.toml", CLEAN), ("b.toml", "max_steps = 5\n"), ("run.sh", script)];
    let repository = Repository::committed(&files);
    repository.cfg("check . --format concise").refused("run.sh:3:3: error[PRL018]");
    repository.write("run.sh", &format!("{script}# A comment.\n"));
    repository.commit_all().refused("run.sh:3:3");
    repository.replace("run.sh", "stepz", "steps");
    repository.commit_all().well();
}

/// A flag is reported, and renamed, where it is written: in a string of JSON too.
#[test]
fn flags_in_strings_have_their_places() {
    let package = "{\"scripts\": {\n  \"train\": \"uv run rl @ a.toml @ b.toml --wandb.name \\\"my run\\\" --max-stepz 5\"\n}}\n";
    let files = [SETTINGS, ("a.toml", CLEAN), ("b.toml", "max_steps = 5\n"), ("package.json", package)];
    let repository = Repository::committed(&files);
    repository.cfg("check . --format concise").refused("package.json:2:65: error[PRL018]");
}

/// A flag that prime-rl refuses, as one of a later release in a comment, hides nothing of a config that is whole.
#[test]
fn a_config_whose_launch_is_refused_is_judged_alone() {
    let text = format!("# uv run rl @ a.toml --ckpt.keep-lst 3\n{}", CLEAN.replace("max_tokens = 2048", "max_tokens = 10000"));
    let repository = Repository::committed(&[SETTINGS, ("a.toml", &*text)]);
    let said = repository.cfg("check . --format concise").refused("a.toml:31:14: error[PRL301]");
    assert_eq!(said.matches("error[").count(), 1, "{said}");
    // Beside the flag, if that is in a script.
    repository.write("a.toml", &text.replace("# uv run", "# run"));
    repository.write("run.sh", "uv run rl @ a.toml --ckpt.keep-lst 3\n");
    let said = repository.cfg("check . --format concise").refused("run.sh:1:20: error[PRL018]");
    assert_eq!(said.matches("a.toml:31:14: error[PRL301]").count(), 1, "{said}");
}

/// After a fix, what a launch shows has its places in the new text, and what a project accepts stays accepted.
#[test]
fn a_launch_is_checked_again_after_a_fix() {
    let text = format!(
        "# Config version: v1 (2026-01-06)\n#\n# Hardware: 2x RTX 4090 (24 GB each)\n# Start: uv run rl @ a.toml --max-steps 5\n{CLEAN}"
    );
    let settings = "target = \"0.4.0\"\nbaseline = \"accepted.json\"\n";
    let started = format!("# Start: uv run rl @ a.toml --max-steps 5\n{CLEAN}");
    let repository = Repository::committed(&[("cfg.toml", settings), ("a.toml", &*started)]);
    // Nothing is found, which a baseline can say as well.
    assert!(repository.cfg("check --update-baseline").well().contains("0 findings in the baseline"));
    repository.write("a.toml", &text);
    repository.cfg("check --update-baseline").well();
    let said = repository.cfg("check --fix --format concise").well();
    assert!(said.contains("Fixed 1 finding") && !said.contains("error["), "{said}");
    let said = repository.cfg("check --no-baseline --format concise").text;
    let line = fs::read_to_string(repository.path().join("a.toml")).expect("a config");
    let line = line.lines().position(|line| line.starts_with("seq_len = ")).expect("a length") + 1;
    assert!(said.contains(&format!("a.toml:{line}:11: error[PRL406]")), "{said}");
}

/// What only a shell knows may be anything.
#[test]
fn unknown_words_of_a_launch_make_nothing_wrong() {
    let part = "seq_lne = 5\n[orchestrator]\nbatch_size = 60\nrollouts_per_example = 7\n";
    for words in ["--model.name $MODEL", "$EXTRA", "${ARGS[@]}", "--orchestrator.batch-size \"$SIZE\""] {
        let script = format!("uv run rl @ part.toml @ rest.toml {words}\n");
        let files = [SETTINGS, ("part.toml", part), ("rest.toml", "[trainer]\n[inference]\n"), ("run.sh", &*script)];
        let repository = Repository::committed(&files);
        let said = repository.cfg("check . --format concise").refused("part.toml:1:1: error[PRL101]");
        assert_eq!(said.matches("error[").count(), 1, "{words}: {said}");
    }
}

#[test]
fn a_file_with_a_misspelt_key_remains_a_config() {
    let misspelt = "max_steps = 5\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[ckpt]\nkeep_lst = 2\ninterval = 5\n";
    let repository = Repository::committed(&[SETTINGS, ("x.toml", misspelt)]);
    repository.cfg("check . --format concise").refused("x.toml:5:1: error[PRL101]");
    // A launch and a group of the settings say it as well, whatever the keys are.
    let unclear = "sed = 5\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n";
    let script = ("go.sh", "uv run trainer @ y.toml\n");
    let repository = Repository::committed(&[SETTINGS, ("y.toml", unclear)]);
    assert!(repository.cfg("check . --format concise").well().contains("y.toml may be a prime-rl config"));
    repository.write(script.0, script.1);
    repository.cfg("check . --format concise").refused("y.toml:1:1: error[PRL101]");
    repository.git("clean -qfd").well();
    repository.write("cfg.toml", "target = \"0.4.0\"\n[[group]]\ntrainer = \"y.toml\"\norchestrator = \"o.toml\"\n");
    repository.cfg("check . --format concise").refused("y.toml:1:1: error[PRL101]");
}

/// What a commit takes away is missed by the scripts that start it; what a script makes is not.
#[test]
fn a_launch_of_a_config_that_is_not_there_is_reported() {
    let good = BASE.replace("bogus = 1\n", "");
    let script = "uv run rl @ c/base.toml @ c/run.toml\n";
    let repository = Repository::committed(&[SETTINGS, ("c/base.toml", &*good), ("c/run.toml", RUN), ("launch.sh", script)]);
    let said = repository.cfg("check . --format concise").well();
    assert!(!said.contains("PRL031"), "{said}");
    repository.git("mv c/run.toml c/start.toml").well();
    let warning = "launch.sh:1:27: warning[PRL031] this launch names `c/run.toml`, which does not exist";
    let said = repository.cfg("hook run --format concise").well();
    assert!(said.contains(warning), "{said}");
    let said = repository.cfg("check . --format concise --deny warnings").refused(warning);
    assert_eq!(said.matches("warning[PRL031]").count(), 1, "{said}");
    // The launch says what the other file is, and what a typo in it is.
    assert!(!said.contains("PRL011"), "{said}");
    let migrated = repository.cfg("migrate . --to 0.5.0");
    assert!(!migrated.text.contains("Not migrated"), "{migrated:?}");
    assert!(!repository.cfg("check c/base.toml --format concise").text.contains("PRL031"), "only the named file is checked");
    repository.write("make.py", "import shutil\nshutil.copy(\"c/start.toml\", \"c/run.toml\")\n");
    assert!(!repository.cfg("check . --format concise").text.contains("PRL031"));
    repository.write("make.py", "");
    repository.write("cfg.toml", "target = \"0.4.0\"\n[lint]\nignore = [\"PRL031\"]\n");
    assert!(!repository.cfg("check . --format concise").text.contains("PRL031"));
}

/// A folder of scripts, and a script by its name, are checked with the configs that they start, which may be elsewhere.
#[test]
fn scripts_are_checked_by_folder_and_by_name() {
    let repository = launched("scripts/launch.sh", "uv run rl @ c/base.toml @ c/run.toml --max-stps 3\n");
    for words in ["check scripts", "check scripts/launch.sh"] {
        let said = repository.cfg(&format!("{words} --format concise")).refused(BOGUS);
        assert!(said.contains("scripts/launch.sh:1:") && said.contains("`--max-stps`"), "{words}: {said}");
    }
    repository.write("scripts/other.sh", "echo nothing\nuv run rl @ c/gone.toml\n");
    let said = repository.cfg("check scripts/other.sh --format concise").well();
    assert!(said.contains("scripts/other.sh:2:13: warning[PRL031]") && !said.contains("starts no prime-rl config"), "{said}");
    repository.write("scripts/none.sh", "echo nothing\n");
    let ended = repository.cfg("check scripts/none.sh");
    assert!(format!("{ended:?}").contains("scripts/none.sh starts no prime-rl config that exists"), "{ended:?}");
}

/// Without a repository or a project, the scripts beside a config count also if it is named.
#[test]
fn a_script_beside_a_named_config_counts_without_a_repository() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("base.toml", BASE);
    write("over.toml", "max_steps = 9\n[orchestrator]\nbatch_size = 64\n");
    write("run.toml", RUN);
    write("launch.sh", "uv run rl @ base.toml @ over.toml @ run.toml\n");
    for name in ["base.toml", "over.toml", "."] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cfg"));
        let output =
            command.args(["check", name, "--target", "0.4.0", "--format", "concise"]).current_dir(folder.path()).output();
        let said = String::from_utf8(output.expect("it runs").stdout).expect("a text");
        assert!(said.contains("base.toml:2:1: error[PRL101]") && said.matches("error[").count() == 1, "{name}: {said}");
    }
}

/// The configs of a copy of prime-rl are for its authors; the flags with which a script starts them are not.
#[test]
fn flags_for_configs_of_others_are_checked() {
    let of_others =
        [("prime-rl/pyproject.toml", "[project]\nname = \"prime-rl\"\nversion = \"0.4.0\"\n"), ("prime-rl/c/all.toml", BASE)];
    let script = "uv run rl @ prime-rl/c/all.toml @ c/run.toml --max-stps 3\n";
    let repository = Repository::committed(
        &[&[SETTINGS, ("go.sh", script), ("mine.toml", CLEAN)][..], &of_others, &[("prime-rl/c/run.toml", RUN)]].concat(),
    );
    repository.write("go.sh", &script.replace("c/run.toml", "prime-rl/c/run.toml"));
    for words in ["check .", "check go.sh"] {
        let said = repository.cfg(&format!("{words} --format concise")).refused("go.sh:1:");
        assert!(said.contains("`--max-stps`") && !said.contains("bogus"), "{words}: {said}");
    }
}
