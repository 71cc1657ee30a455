//! `cfg run launch`: its commands are accepted by prime-rl and by a shell.

use serde_json::Value;

use super::{Folder, finish};

const RL: &str = "inference_gpu_ids = [0]\ntrainer_gpu_ids = [1]\nmax_steps = 1000\n[trainer]\n[orchestrator]\n\
    [[orchestrator.env]]\nid = \"x\"\n[inference]\n";

/// The lines of the script that are commands.
fn commands(script: &str) -> Vec<&str> {
    script.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

#[test]
fn checkpoints_are_switched_on_as_the_version_spells_them() {
    let folder = Folder::new(&[
        ("rl.toml", RL),
        ("saves.toml", &format!("{RL}[ckpt]\ninterval = 5\n")),
        ("short.toml", &RL.replace("1000", "5")),
    ]);
    let run = |words: &str| folder.run(&format!("run launch {words}")).stdout;
    let tail = " 2>&1 | tee -ia \"rl-$(date +%Y%m%d-%H%M%S).log\"";
    let old = run("rl.toml --target 0.2");
    assert_eq!(
        commands(&old),
        ["set -o pipefail", "ulimit -n 65536", &format!("uv run rl @ rl.toml --ckpt.interval 50 --ckpt.keep 2{tail}")]
    );
    assert!(run("rl.toml --target d564195ca").contains("rl @ rl.toml --ckpt.interval 50 --ckpt.keep-last 2 2>&1"));
    for file in ["saves.toml", "short.toml"] {
        assert!(run(&format!("{file} --target d564195ca")).contains(&format!("uv run rl @ {file} 2>&1")));
    }
    // prime-rl accepts the printed command.
    for target in ["0.2", "0.3.0", "0.4.0"] {
        let script = run(&format!("rl.toml --target {target}"));
        let line = commands(&script)[2].split(" 2>&1").next().expect("a command").to_owned();
        assert_eq!(folder.run(&format!("check --target {target} -- {line}")).status, Some(0), "{line}");
    }
    let later = RL.replace("inference_gpu_ids = [0]\ntrainer_gpu_ids = [1]\n", "");
    folder.write("later.toml", later.as_bytes());
    let script = run("later.toml --target 0.6.0");
    let line = commands(&script)[2].split(" 2>&1").next().expect("a command").to_owned();
    assert!(line.contains("--ckpt.interval 50"), "{script}");
    assert_eq!(folder.run(&format!("check --target 0.6.0 -- {line}")).status, Some(0), "{line}");
}

#[test]
fn a_command_that_can_t_start_has_its_reason() {
    let four = RL.replace("trainer_gpu_ids = [1]", "trainer_gpu_ids = [1, 2, 3, 4]");
    let folder = Folder::new(&[
        ("rl.toml", &format!("{four}[trainer.model]\ncp = 3\nattn = \"flash_attention_2\"\n").replace("[trainer]\n", "")),
        ("none.toml", "[deployment]\nnum_train_gpus = 0\n[trainer]\n[orchestrator]\n"),
    ]);
    let mut said = String::new();
    for (file, target, place) in [("rl.toml", "0.4.0", "rl.toml:9:6: PRL352 "), ("none.toml", "0.8.0", "none.toml:2:18: PRL350 ")]
    {
        let ended = folder.run(&format!("run launch {file} --target {target}"));
        assert_eq!(ended.status, Some(1), "{ended:?}");
        assert!(ended.stdout.contains(&format!("uv run rl @ {file}")) && ended.stderr.contains(place), "{ended:?}");
        said += &ended.stderr;
    }
    insta::assert_snapshot!("reasons_why_a_command_can_t_start", said);
}

#[test]
fn the_number_of_gpus_is_read_from_torchrun() {
    let folder = Folder::new(&[("train.toml", "[model]\ncp = 3\nattn = \"flash_attention_2\"\n")]);
    let check = |processes: &str| {
        let command = format!("uv run torchrun --nproc-per-node {processes} -m prime_rl.trainer.rl.train @ train.toml");
        folder.run(&format!("check --target 0.4.0 -- {command}")).status
    };
    assert_eq!((check("4"), check("6"), check("gpu")), (Some(1), Some(0), Some(0)));
}

#[test]
fn names_are_quoted_for_the_shell() {
    let folder = Folder::new(&[("it's $HOME.toml", RL)]);
    let mut command = folder.command("run launch --target 0.2");
    command.arg("it's $HOME.toml");
    let ended = finish(&mut command, b"");
    assert!(ended.stdout.contains("uv run rl @ 'it'\\''s $HOME.toml'"), "{ended:?}");
}

#[test]
fn split_files_are_started_one_by_one() {
    let folder = Folder::new(&[
        ("train.toml", "max_steps = 5\n[model.ac]\nfreq = 1\n[optim]\nlr = 1e-5\n"),
        ("long/train.toml", "max_steps = 500\n[model.ac]\nfreq = 1\n[optim]\nlr = 1e-5\n"),
        ("orch.toml", "batch_size = 4\nrollouts_per_example = 4\nseq_len = 1024\n[[env]]\nid = \"swe-grep-oss-env\"\n"),
        ("infer.toml", "gpu_memory_utilization = 0.5\n[model]\nenforce_eager = true\n"),
    ]);
    let ended = folder.run("run launch train.toml infer.toml orch.toml --target 0.2");
    let long = folder.run("run launch long/train.toml infer.toml orch.toml --target 0.2");
    assert!(long.stdout.contains("# no checkpoints are saved") && !ended.stdout.contains("checkpoints"), "{long:?}");
    let script = commands(&ended.stdout);
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(script[2].starts_with("uv run inference @ infer.toml") && script[2].ends_with(" &"), "{script:?}");
    assert!(script[3].starts_with("uv run orchestrator @ orch.toml"), "{script:?}");
    assert!(
        script[4].starts_with("uv run torchrun --nproc-per-node gpu -m prime_rl.trainer.rl.train @ train.toml"),
        "{script:?}"
    );
    assert!(!script[4].ends_with('&'), "{script:?}");
}

#[test]
fn one_gpu_for_all_is_started_by_hand() {
    let later = RL.replace("inference_gpu_ids = [0]\ntrainer_gpu_ids = [1]\n", "");
    let folder = Folder::new(&[("rl.toml", &later)]);
    let ended = folder.run("run launch rl.toml --shared-gpu 0 --target 0.5.0");
    let script = commands(&ended.stdout);
    assert_eq!(script[2], "cfg compile rl.toml -o run-configs --overwrite", "{ended:?}");
    assert!(script[3].starts_with("CUDA_VISIBLE_DEVICES=0 uv run inference @ run-configs/inference.toml"), "{script:?}");
    assert!(script[5].contains("--nproc-per-node=1 -m prime_rl.trainer.rl.train @ run-configs/trainer.toml"), "{script:?}");
    folder.write("newest.toml", b"[trainer]\n[orchestrator]\n[inference]\n");
    let refused = folder.run("run launch newest.toml --by-hand --target main");
    assert_eq!((refused.status, refused.stdout.as_str()), (Some(2), ""), "{refused:?}");
}

#[test]
fn gpus_without_number_are_not_named_one_by_one() {
    let folder = Folder::new(&[]);
    for (gpus, part) in [("num_infer_gpus", "inference server"), ("num_train_gpus", "trainer")] {
        for (count, status) in [(1024_i64, 0), (1025, 2), (i64::MAX - 1, 2)] {
            let later = RL.replace("inference_gpu_ids = [0]\ntrainer_gpu_ids = [1]\n", "");
            let text = format!("{later}[deployment]\ntype = \"single_node\"\ngpus_per_node = {}\n{gpus} = {count}\n", count + 1);
            folder.write("rl.toml", text.as_bytes());
            let ended = folder.run("run launch rl.toml --by-hand --target 0.5.0");
            assert_eq!(ended.status, Some(status), "{ended:?}");
            let names_it = ended.stderr.contains(part) && ended.stderr.ends_with(&format!(" {count}\n"));
            assert!(status == 0 || ended.stdout.is_empty() && names_it, "{ended:?}");
        }
    }
}

#[test]
fn exec_starts_only_runs_that_pass_preflight() {
    let config = RL.replace("[inference]\n", "").replace("1000", "5").replace("trainer_gpu_ids = [1]", "trainer_gpu_ids = [0]");
    let folder = Folder::new(&[("rl.toml", &config)]);
    let ended = folder.run("run launch rl.toml --exec --target d564195ca");
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(1), ""), "{ended:?}");
    assert!(ended.stderr.contains("PRL834"), "{ended:?}");
    let script = |name: &str, text: &str| {
        let path = format!("bin/{name}");
        folder.write(&path, format!("#!/bin/sh\n{text}\n").as_bytes());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let permissions = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(folder.path().join(path), permissions).expect("it can be made a program");
        }
    };
    script("uv", "echo \"started: $*\"; echo trouble >&2; exit 3");
    script("nvidia-smi", "case \"$1\" in *compute-apps*) ;; *) echo '0, GPU-a, NVIDIA H100 80GB HBM3, 81559, 1';; esac");
    // The folder of `tee` also contains other programs, so it is the last one in `PATH`.
    let mut command = folder.command("run launch rl.toml --exec --target d564195ca");
    let path = format!("{}:/usr/bin:/bin", folder.path().join("bin").display());
    let ended = finish(command.env("PATH", path).env("HOME", folder.path()), b"");
    if ended.stderr.contains("error[") {
        // On a machine with a training run in progress or a full disk, the run is not started.
        return;
    }
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("started: run rl @ rl.toml\ntrouble\n"), "{ended:?}");
}

#[test]
fn json_has_the_commands_of_its_schema() {
    let folder = Folder::new(&[("rl.toml", RL)]);
    let schema = jsonschema::validator_for(&cfg_report::launch::schema().to_value()).expect("the schema is one");
    for words in ["run launch rl.toml --target 0.2", "run launch rl.toml --by-hand --target d564195ca"] {
        let ended = folder.run(&format!("{words} --format json"));
        let document: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
        let errors: Vec<String> = schema.iter_errors(&document).map(|error| error.to_string()).collect();
        assert_eq!(errors, [""; 0], "{document:#}");
        assert_eq!((&document["config"][0], &document["open_files"]), (&"rl.toml".into(), &65536.into()));
        let script = folder.run(words).stdout;
        for step in document["steps"].as_array().expect("steps") {
            assert!(script.contains(step["line"].as_str().expect("a line")), "{step:#}");
        }
        let line = folder.run(&format!("{words} --format json-lines")).stdout;
        assert_eq!((line.lines().count(), serde_json::from_str::<Value>(&line).ok()), (1, Some(document)));
    }
}
