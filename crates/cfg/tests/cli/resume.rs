//! `cfg run resume`: the step to resume from, and the command.

use serde_json::Value;

use super::{Folder, document_of};

const CONFIG: &str = "# /// config\n# prime_rl = \"0.8.0\"\n# ///\nmax_steps = 200\nseq_len = 4096\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[wandb]\nproject = \"p\"\n\
                      [ckpt]\ninterval = 50\nkeep_last = 2\n[deployment]\nnum_train_gpus = 1\nnum_infer_gpus = 1\n[trainer]\n[orchestrator]\nbatch_size = 64\ngroup_size = 8\n\
                      [[orchestrator.train.source]]\n[orchestrator.train.source.legacy]\nid = \"reverse-text\"\n[inference]\n";

struct Run(Folder);

impl Run {
    fn new(config: &str) -> Self {
        Self(Folder::new(&[("rl.toml", config)]))
    }

    fn trainer(&self, run: &str, step: u32) {
        let folder = format!("{run}/checkpoints/step_{step}/trainer");
        self.0.write(&format!("{folder}/.metadata"), b"X\x0c__0_0.distcpq");
        self.0.write(&format!("{folder}/__0_0.distcp"), b"shards");
    }

    fn orchestrator(&self, run: &str, step: u32) {
        self.0.write(&format!("{run}/checkpoints/step_{step}/orchestrator/progress.pt"), b"PK\x03\x04..PK\x05\x06..");
    }

    #[track_caller]
    fn resume(&self, words: &str, status: i32) -> Value {
        let ended = self.0.run(&format!("run resume {words} --format json"));
        assert_eq!(ended.status, Some(status), "{ended:?}");
        document_of(&ended, &cfg_report::resume::schema().to_value())
    }
}

fn problems(report: &Value) -> String {
    format!("{:#}", report["problems"])
}

#[test]
fn it_resumes_at_the_newest_step_that_is_complete_for_both() {
    let run = Run::new(CONFIG);
    for step in [50, 100] {
        run.trainer("outputs", step);
        run.orchestrator("outputs/run_default", step);
    }
    run.orchestrator("outputs/run_default", 150);
    run.0.write("outputs/checkpoints/step_150/trainer/__0_0.distcp", b"shards");
    run.0.write("outputs/run_default/rollouts/step_163/rank_0.bin", b"");
    run.0.write("outputs/run_default/wandb/run-20260106_030000-3f9k2lq1/run.wandb", b"");
    let report = run.resume("outputs rl.toml", 0);
    assert_eq!((&report["resume_step"], &report["reached_step"], &report["lost_steps"]), (&100.into(), &163.into(), &63.into()));
    assert_eq!(report["command"], "WANDB_SHARED_RUN_ID=3f9k2lq1 uv run rl @ rl.toml --ckpt.resume-step 100");
    assert_eq!(report["checkpoints"][2]["parts"][0]["state"], "broken");
    assert_eq!(report["disk"]["more_checkpoints"], 0);
    // The text ends with the command.
    let text = run.0.run("run resume outputs rl.toml");
    assert_eq!(text.status, Some(0));
    // The free disk space is that of the machine.
    let lines: Vec<&str> = text.stdout.lines().filter(|line| !line.starts_with("disk: ")).collect();
    insta::assert_snapshot!("a_run_to_resume", lines.join("\n"));
}

#[test]
fn each_prime_rl_gets_its_own_keys() {
    let run = Run::new(CONFIG);
    run.trainer("some/run", 50);
    run.orchestrator("some/run", 50);
    run.0.write("some/run/wandb/run-20260106_030000-a1/run.wandb", b"");
    run.0.write("some/run/run_default/wandb/run-20260106_030000-b2/run.wandb", b"");
    let report = run.resume("some/run rl.toml", 0);
    assert_eq!(report["command"], "uv run rl @ rl.toml --ckpt.resume-step 50 --output-dir some/run");
    insta::assert_snapshot!("one_id_of_wandb_for_two_processes", problems(&report));
    let of = |target: &str, config: &str| {
        run.0.write("other.toml", config.as_bytes());
        run.resume(&format!("some/run other.toml --target {target}"), 0)["command"].clone()
    };
    let old = "max_steps = 200\n[wandb]\nproject = \"p\"\n[ckpt]\ninterval = 50\n[trainer]\n[orchestrator]\nbatch_size = 64\nrollouts_per_example = 8\n\
               [[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n";
    assert_eq!(
        of("0.4.0", old),
        "uv run rl @ other.toml --ckpt.resume-step 50 --output-dir some/run --trainer.wandb.id a1 --orchestrator.wandb.id b2"
    );
    let new = "max_steps = 200\n[ckpt]\ninterval = 50\n[deployment]\nnum_train_gpus = 1\nnum_infer_gpus = 1\n[trainer]\n[orchestrator]\nbatch_size = 64\ngroup_size = 8\n\
               [[orchestrator.train.source]]\n[orchestrator.train.source.env.taskset]\nid = \"reverse-text\"\n[inference]\n";
    assert_eq!(of("main", new), "uv run rl @ other.toml --resume.step 50 --output-dir some --run.name run");
    // If the config saves no checkpoints, neither would the resumed run.
    let forgetful = old.replace("[ckpt]\ninterval = 50\n", "");
    let command = of("0.4.0", &forgetful);
    assert!(command.as_str().is_some_and(|command| command.contains("--ckpt.interval 50")), "{command}");
}

#[test]
fn a_run_without_a_step_has_no_checkpoint() {
    let run = Run::new(CONFIG);
    run.trainer("outputs", 50);
    run.orchestrator("outputs/run_default", 100);
    let report = run.resume("outputs rl.toml", 1);
    assert!(report["resume_step"].is_null() && report["command"].is_null(), "{report:#}");
    run.0.write("empty/x", b"");
    assert_eq!(run.resume("empty", 1)["checkpoints"], Value::Array(Vec::new()));
    assert_eq!(run.0.run("run resume nowhere rl.toml").status, Some(2));
    run.0.write("wrong.toml", b"[trainer\n");
    // If prime-rl refuses the config, the checkpoints are still listed.
    run.orchestrator("outputs/run_default", 50);
    let report = run.resume("outputs wrong.toml", 1);
    assert!(report["resume_step"] == 50 && report["command"].is_null(), "{report:#}");
    insta::assert_snapshot!("a_refused_config_of_a_run", problems(&report));
}

#[test]
fn the_config_written_by_the_launcher_is_used() {
    let run = Run::new(CONFIG);
    run.trainer("outputs", 50);
    run.orchestrator("outputs", 50);
    let without = run.resume("outputs", 0);
    assert!(without["command"].is_null() && without["resume_step"] == 50, "{without:#}");
    run.0.write("outputs/configs/rl.toml", CONFIG.as_bytes());
    assert_eq!(run.resume("outputs", 0)["command"], "uv run rl @ outputs/configs/rl.toml --ckpt.resume-step 50");
}

#[test]
fn obstacles_to_resuming_are_reported() {
    let run = Run::new(CONFIG);
    run.trainer("outputs", 200);
    run.orchestrator("outputs", 200);
    let ended = run.0.run("run resume outputs rl.toml --format json");
    let report = document_of(&ended, &cfg_report::resume::schema().to_value());
    insta::assert_snapshot!("a_run_at_its_last_step", problems(&report));
    // Until 2026-02 the trainer counted steps from the orchestrator's checkpoints.
    let old = "max_steps = 300\n[ckpt]\ninterval = 50\n[trainer]\n[orchestrator]\nbatch_size = 64\nrollouts_per_example = 8\n[inference]\n";
    run.0.write("old.toml", old.as_bytes());
    run.orchestrator("outputs", 250);
    let report = run.resume("outputs old.toml --target 0.4.0", 1);
    insta::assert_snapshot!("a_later_checkpoint_of_the_orchestrator", problems(&report));
    assert_ne!(run.resume("outputs old.toml --target 0.3.0 --quiet", 1)["problems"], Value::Array(Vec::new()));
}

/// What is left out of the checkpoint is said before it is lost.
#[test]
fn what_a_resumed_run_begins_anew_is_reported() {
    let config = "max_steps = 300\n[data]\nname = \"org/data\"\n[deployment]\nnum_gpus = 4\n[ckpt]\ninterval = 50\n";
    let run = Run::new(config);
    run.trainer("outputs", 50);
    for rank in 0..4 {
        run.0.write(&format!("outputs/checkpoints/step_50/trainer/dataloader/rank_{rank}.pt"), b"x");
    }
    let words = "outputs rl.toml --kind sft --target 0.8.0";
    assert_eq!(run.resume(words, 0)["problems"], Value::Array(Vec::new()));
    run.0.write("rl.toml", config.replace("num_gpus = 4", "num_gpus = 8").as_bytes());
    let text = problems(&run.resume(words, 0));
    assert!(text.contains("4 ranks") && text.contains("8 GPUs"), "{text}");
    run.0.write("rl.toml", format!("{config}skip_dataloader = true\nskip_scheduler = true\n").as_bytes());
    let text = problems(&run.resume(words, 0));
    assert!(text.contains("`ckpt.skip_dataloader`") && text.contains("`ckpt.skip_scheduler`"), "{text}");
}

/// The logs say what was reached, and how the run ended.
#[test]
fn the_logs_of_a_run_are_read() {
    let run = Run::new(CONFIG);
    run.trainer("outputs", 50);
    run.orchestrator("outputs", 50);
    let step = |step: u32| {
        format!(
            "09:{step:02}:00 SUCCESS Step {step} |    58.1s | Loss 0.0010 | Entropy 0.2105 | Grad. Norm 0.0680 | LR 1.00e-06\n"
        )
    };
    let steps: String = (50..58).map(step).collect();
    run.0.write("outputs/logs/trainer.log", steps.as_bytes());
    let report = run.resume("outputs rl.toml", 0);
    assert_eq!((&report["reached_step"], &report["lost_steps"]), (&57.into(), &7.into()));
    assert!(problems(&report).contains("may still be running"), "{report:#}");
    let failed = format!("{steps}torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n");
    run.0.write("outputs/logs/trainer.log", failed.as_bytes());
    let report = run.resume("outputs rl.toml", 0);
    assert!(problems(&report).contains("it failed with cuda-out-of-memory (outputs/logs/trainer.log:9)"), "{report:#}");
    let traceback =
        "Traceback (most recent call last):\n  File \"/app/losses.py\", line 1, in f\n    x\nKeyError: 'ref_logprobs'\n";
    run.0.write("outputs/logs/trainer.log", format!("{steps}{traceback}").as_bytes());
    let report = run.resume("outputs rl.toml", 0);
    assert!(problems(&report).contains("it failed with KeyError: 'ref_logprobs' (outputs/logs/trainer.log:12)"), "{report:#}");
    let finished = format!("{steps}09:59:00 SUCCESS RL trainer finished!\n");
    run.0.write("outputs/logs/trainer.log", finished.as_bytes());
    let report = run.resume("outputs rl.toml", 0);
    assert!(!problems(&report).contains("may still be running"), "{report:#}");
}

/// prime-rl 3004: for ten days a resumed run could not send its weights with NCCL.
#[test]
fn weights_that_nccl_would_not_send_are_reported() {
    let config = "max_steps = 200\n[ckpt]\ninterval = 50\n[weight_broadcast]\ntype = \"nccl\"\n[deployment]\nnum_train_gpus = 1\nnum_infer_gpus = 1\n[trainer]\n\
                  [orchestrator]\nbatch_size = 64\n[[orchestrator.train.env]]\nid = \"reverse-text\"\n[inference]\n";
    let run = Run::new(config);
    run.trainer("outputs", 50);
    run.orchestrator("outputs", 50);
    for (target, is_reported) in [("2026-07-01", false), ("2026-07-08", true), ("0.7.0", false)] {
        let report = run.resume(&format!("outputs rl.toml --target {target}"), i32::from(is_reported));
        assert_eq!(problems(&report).contains("the run would hang"), is_reported, "{target}: {report:#}");
    }
}
