//! `cfg run watch`: the reports about healthy runs, and about runs with problems.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Folder, document_of};

const CONFIG: &str = "# /// config\n# prime_rl = \"0.4.0\"\n# ///\nmax_steps = 400\n[ckpt]\ninterval = 50\n[trainer]\n[trainer.optim]\nlr = 1e-4\n[orchestrator]\nbatch_size = 64\n\
                      rollouts_per_example = 8\n[[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n";

#[track_caller]
fn watch(folder: &Folder, words: &str, status: i32) -> Value {
    let ended = folder.run(&format!("run watch outputs {words} --once --format json"));
    assert_eq!(ended.status, Some(status), "{ended:?}");
    document_of(&ended, &cfg_report::watch::schema().to_value())
}

fn names(report: &Value) -> Vec<&str> {
    report["findings"].as_array().expect("findings").iter().filter_map(|finding| finding["symptom"].as_str()).collect()
}

fn trainer(steps: u32, entropy: impl Fn(u32) -> f64) -> String {
    let mut log = "12:00:00    INFO Starting training loop (max_steps=400)\n".to_owned();
    for step in 0..steps {
        let _ = writeln!(
            log,
            "12:00:{:02} SUCCESS Step {step} | Time: 41.20s | Loss: 0.0100 | Entropy: {:.4} | Mismatch KL: 0.0021 | Grad. Norm: 0.3100 | LR: 1.00e-05",
            step % 60,
            entropy(step)
        );
    }
    log
}

fn orchestrator(steps: u32, reward: impl Fn(u32) -> f64) -> String {
    let mut log = String::new();
    for step in 0..steps {
        let _ = writeln!(
            log,
            "12:00:{:02} SUCCESS Step {step} | Time: 40.00s | Reward: {:.4} | Throughput: 900 tokens/s",
            step % 60,
            reward(step)
        );
    }
    log
}

fn run(trainer: &str, orchestrator: &str) -> Folder {
    Folder::new(&[
        ("rl.toml", CONFIG),
        ("outputs/logs/trainer.log", trainer),
        ("outputs/run_default/logs/orchestrator.log", orchestrator),
    ])
}

#[test]
fn cfg_watch_finds_no_problem_in_a_healthy_run() {
    let rising = |step: u32| 0.1 + f64::from(step) / 1000.0;
    let folder = run(&trainer(350, |_| 0.09), &orchestrator(351, rising));
    let report = watch(&folder, "rl.toml", 0);
    assert_eq!((&report["state"], &report["step"], &report["max_steps"]), (&"healthy".into(), &349.into(), &400.into()));
    assert_eq!(names(&report), [""; 0]);
    assert_eq!(report["measures"]["entropy"], 0.09);
    assert_eq!(report["measures"]["orchestrator_step"], 350);
    // A run can also be watched without its config.
    assert_eq!(watch(&folder, "", 0)["state"], "healthy");
    assert_eq!(watch(&run("12:00:00 INFO Initializing model\n", ""), "rl.toml", 0)["state"], "starting");
    // The last step is not the end: checkpoints and evaluations follow. The processes say when they are done.
    let (trainer, orchestrator) = (trainer(400, |_| 0.09), orchestrator(400, rising));
    assert_eq!(watch(&run(&trainer, &orchestrator), "rl.toml", 0)["state"], "healthy");
    let trainer = format!("{trainer}13:00:00 SUCCESS RL trainer finished!\n");
    assert_eq!(watch(&run(&trainer, &orchestrator), "rl.toml", 0)["state"], "healthy");
    let orchestrator = format!("{orchestrator}13:00:01 SUCCESS Orchestrator finished.\n");
    let report = watch(&run(&trainer, &orchestrator), "", 0);
    assert_eq!(report["state"], "ended");
    let processes: Vec<_> = report["processes"].as_array().expect("processes").iter().map(|one| &one["state"]).collect();
    assert_eq!(processes, ["finished", "finished"]);
}

#[test]
fn each_incident_is_reported_with_the_line_of_the_config() {
    let rising = |step: u32| 0.1 + f64::from(step) / 1000.0;
    // The entropy has collapsed.
    let folder = run(&trainer(60, |step| if step < 50 { 0.09 } else { 0.02 }), &orchestrator(60, rising));
    let report = watch(&folder, "rl.toml", 1);
    assert_eq!((names(&report), &report["state"]), (vec!["entropy-collapsed"], &"unhealthy".into()));
    let places = report["findings"][0]["places"].as_array().expect("places");
    assert!(places.iter().any(|place| place["key"] == "trainer.optim.lr" && place["line"] == 9), "{report:#}");
    // One step earlier, it could still be a temporary drop.
    assert_eq!(
        watch(&run(&trainer(59, |step| if step < 50 { 0.09 } else { 0.02 }), &orchestrator(59, rising)), "rl.toml", 0)["state"],
        "healthy"
    );
    // The reward has been flat.
    let report = watch(&run(&trainer(350, |_| 0.09), &orchestrator(350, |_| 0.4)), "rl.toml", 1);
    assert_eq!(names(&report), ["reward-flat"]);
    // No rollout is completed.
    let bar = "12:00:00    INFO Starting orchestrator loop\nGenerating rollouts (train):   0%|          | 0/8 [05:12<?, ?it/s]\n";
    assert_eq!(names(&watch(&run(&trainer(0, |_| 0.0), bar), "rl.toml", 1)), ["rollouts-at-zero"]);
    // The trainer has resumed from a step before that of the orchestrator.
    let resumed = format!("12:00:00    INFO Resuming training from checkpoint step 10\n{}", trainer(1, |_| 0.09));
    let waits = "12:00:00    INFO Hit async barrier because we are >2 steps async. Waiting for checkpoint 13\n";
    assert_eq!(names(&watch(&run(&resumed, waits), "rl.toml", 1)), ["step-desync"]);
    // The disk is full.
    let full = format!("{}OSError: [Errno 28] No space left on device\n", trainer(50, |_| 0.09));
    assert_eq!(names(&watch(&run(&full, &orchestrator(50, rising)), "rl.toml", 1)), ["disk-full"]);
}

#[test]
fn metrics_have_the_pace_and_more_measures() {
    let mut rows = String::new();
    for step in 0..40 {
        let _ = writeln!(rows, "{{\"step\": {step}, \"time\": 1.0, \"entropy/all/mean\": 0.09, \"time/step\": 30.0}}");
        let _ = writeln!(
            rows,
            "{{\"step\": {step}, \"time\": 1.0, \"reward/mean\": 0.5, \"is_truncated/mean\": 0.8, \"batch/solve_none\": 0.2, \"batch/solve_all\": 0.1}}"
        );
    }
    let folder = Folder::new(&[("rl.toml", CONFIG), ("outputs/metrics.jsonl", &rows)]);
    let report = watch(&folder, "rl.toml", 1);
    assert_eq!(names(&report), ["truncated-answers"]);
    assert_eq!((&report["step_seconds"], &report["remaining_seconds"]), (&30.0.into(), &(360.0 * 30.0).into()));
    // The limits in the settings have priority.
    folder.write("cfg.toml", b"[watch]\ntruncated = 0.9\n");
    assert_eq!(watch(&folder, "rl.toml", 0)["state"], "healthy");
    folder.write("cfg.toml", b"[watch]\ntruncated = 0.9\nentropy = 0.1\n");
    assert_eq!(names(&watch(&folder, "rl.toml", 1)), ["entropy-collapsed"]);
    // `diagnose` finds the same, with the default limits.
    let ended = folder.run("run diagnose outputs --format json");
    assert!(ended.stdout.contains("truncated-answers"), "{ended:?}");
}

#[test]
fn invalid_bounds_are_reported() {
    let folder = Folder::new(&[("rl.toml", CONFIG), ("cfg.toml", "[watch]\nentrpy = 1\nkl = \"high\"\n")]);
    let ended = folder.run("check rl.toml");
    insta::assert_snapshot!("invalid_bounds", ended.stdout + &ended.stderr);
}

#[test]
fn the_newest_attempt_decides() {
    let step = |step: u32, reward: f64| {
        format!("12:{step:02}:00 SUCCESS Step {step} |   1m 2s | Reward {reward:.4} | Trainable 64/64 (100.0%)\n")
    };
    let steps = |range: std::ops::Range<u32>, reward: f64| range.map(|number| step(number, reward)).collect::<String>();
    let failed = format!("{}torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.16 GiB\n", trainer(15, |_| 0.09));
    let evaluated =
        "12:31:00 SUCCESS Evaluated gsm8k (Step 30) | Policy v30 |   1m 2s | Reward 0.9100 | Turns 1.0 | Error 0.0%\n";
    let folder = Folder::new(&[
        ("rl.toml", CONFIG),
        ("outputs/logs/attempt_1/trainer.log", &failed),
        ("outputs/logs/attempt_1/orchestrator.log", &steps(1..15, 0.1)),
        ("outputs/logs/attempt_2/orchestrator.log", &format!("{}{evaluated}", steps(11..31, 0.5))),
    ]);
    let report = watch(&folder, "rl.toml", 0);
    assert_eq!((&report["state"], &report["attempt"], &report["step"]), (&"healthy".into(), &2.into(), &30.into()));
    assert_eq!(report["measures"]["reward"], 0.5);
    // `diagnose` reads an attempt that is named itself.
    assert_eq!(folder.run("run diagnose outputs").status, Some(0));
    assert_eq!(folder.run("run diagnose outputs/logs/attempt_1").status, Some(1));
    // Steps that were run again count as the later attempt ran them.
    let page = folder.run("run report outputs");
    assert!(page.stdout.contains("0.5000") && page.stdout.contains("0.1000"), "{page:?}");
}

#[test]
fn a_failed_launch_has_failed() {
    let words = "12:00:00    INFO Starting RL run\n12:10:00   ERROR Trainer failed with exit code 1\n";
    let folder = Folder::new(&[("rl.toml", CONFIG), ("outputs/logs/rl.log", words)]);
    let report = watch(&folder, "rl.toml", 1);
    assert_eq!((&report["state"], names(&report)), (&"failed".into(), vec!["process-failed"]));
    let exception = "Traceback (most recent call last):\n  File \"/app/x.py\", line 46, in f\nAssertionError\n";
    let folder = run(&format!("{}{exception}", trainer(0, |_| 0.0)), "12:00:00    INFO Starting orchestrator\n");
    let report = watch(&folder, "rl.toml", 1);
    assert_eq!((&report["state"], names(&report)), (&"failed".into(), vec!["uncaught-exception"]));
    let seen = &report["findings"][0]["seen"][0];
    assert_eq!((&seen["component"], &seen["time"], &seen["line"]), (&"trainer".into(), &"12:00:00".into(), &4.into()));
}

#[test]
fn a_command_gets_the_state() {
    let folder = run(&trainer(5, |_| 0.09), &orchestrator(5, |_| 0.5));
    let mut command = folder.command("run watch outputs rl.toml --once --exec");
    command.arg("echo \"$CFG_STATE $CFG_RUN\" > told");
    let ended = super::finish(&mut command, b"");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    #[cfg(unix)]
    assert_eq!(std::fs::read_to_string(folder.path().join("told")).expect("it was run"), "healthy outputs\n");
    assert_eq!(folder.run("run watch nowhere --once").status, Some(2));
    // A single log is a run, too.
    let one = folder.run("run watch outputs/logs/trainer.log rl.toml --once");
    assert!(one.status == Some(0) && one.stdout.starts_with("outputs/logs/trainer.log: healthy\n  step 4 of 400"), "{one:?}");
    let text = folder.run("run watch outputs rl.toml --once");
    assert!(
        text.stdout.starts_with("outputs: healthy\n  step 4 of 400, 41.2 s each, 4 h 31 min to go, last written "),
        "{}",
        text.stdout
    );
}

/// Gives all logs of a run a time of their files, in seconds since 1970.
fn touch(folder: &Folder, seconds: u64) {
    let time = std::time::UNIX_EPOCH + std::time::Duration::new(seconds, 123);
    for path in ["outputs/logs/trainer.log", "outputs/run_default/logs/orchestrator.log"] {
        let file = std::fs::File::options().append(true).open(folder.path().join(path)).expect("a log");
        file.set_modified(time).expect("a time");
    }
}

/// The files of a copied folder have any time. Only if it is that of their last lines, it shows that a run is silent.
#[test]
fn a_copied_run_is_not_silent() {
    const NOON: u64 = 20_000 * 24 * 3600 + 12 * 3600;
    let folder = run(&trainer(31, |_| 0.09), &orchestrator(31, |step| f64::from(step) / 100.0));
    touch(&folder, NOON + 31);
    let report = watch(&folder, "rl.toml", 1);
    assert_eq!((&report["state"], &report["last_line"]), (&"silent".into(), &Value::Null));
    assert!(report["silent_seconds"].as_u64().expect("seconds") > 3600);
    touch(&folder, NOON + 500);
    let report = watch(&folder, "rl.toml", 0);
    assert_eq!((&report["state"], &report["silent_seconds"]), (&"healthy".into(), &Value::Null));
    assert_eq!(report["last_line"], "12:00:30");
    let text = folder.run("run watch outputs rl.toml --once").stdout;
    assert!(text.contains("last written at 12:00:30 by its own clock (the files are copies)"), "{text}");
}

/// What the processes write while they are being stopped is no failure.
#[test]
fn an_interrupted_run_has_ended() {
    let exception = "Traceback (most recent call last):\n  File \"/app/x.py\", line 46, in f\nKeyboardInterrupt\n";
    let folder = run(&trainer(5, |_| 0.09), &format!("{}{exception}", orchestrator(5, |_| 0.5)));
    let words = "12:00:00    INFO Starting RL run\n12:10:00 WARNING Received interrupt signal, terminating all processes...\n";
    std::fs::write(folder.path().join("outputs/logs/rl.log"), words).expect("a log");
    let report = watch(&folder, "rl.toml", 1);
    assert_eq!((&report["state"], names(&report)), (&"ended".into(), vec!["interrupted"]));
}

/// The measures are shown beside what the config says about them.
#[test]
fn measures_are_shown_beside_the_predictions() {
    let config = CONFIG.replace("prime_rl = \"0.4.0\"\n", "prime_rl = \"0.4.0\"\n# hardware = \"2x H100\"\n");
    let config = config.replace("[ckpt]", "seq_len = 2048\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[ckpt]");
    let log =
        trainer(5, |_| 0.09).replace("LR: 1.00e-05", "LR: 1.00e-05 | Throughput: 9 tokens/s | MFU: 9.0% | Peak Mem.: 2.0 GiB");
    let folder = Folder::new(&[("rl.toml", &config), ("outputs/logs/trainer.log", &log)]);
    let report = watch(&folder, "rl.toml", 0);
    // The config has another learning rate than the log.
    assert_eq!((&report["measures"]["learning_rate"], &report["predicted"]["learning_rate"]), (&1e-5.into(), &1e-4.into()));
    let predicted = |name: &str| report["predicted"][name].as_f64().expect(name);
    assert!(
        predicted("peak_memory_low") > 2.0 && predicted("peak_memory_high") < 80.0 && predicted("tokens_per_second") > 1e3,
        "{report}"
    );
    let text = folder.run("run watch outputs rl.toml --once").stdout;
    assert!(text.contains(" GiB below the computed ") && text.contains("(by the schedule 1.0e-4)"), "{text}");
    let page = folder.run("run report outputs rl.toml").stdout;
    assert!(page.contains("dashed: the schedule of the config") && page.contains(" GiB below the computed "), "{page}");
}

/// A run of evaluations alone trains nothing, in the words of prime-rl since August 2026 and of its `eval` until 0.4.0.
#[test]
fn evaluations_alone_are_a_run() {
    let newer = (
        "Starting evals (standalone)",
        "Evaluated gsm8k (Step 0) | Policy v0 | 10m 10s | Reward 0.0000 | Error 0.0%",
        "Evals finished!",
    );
    let older = (
        "Starting evals for Qwen/Qwen3-8B in environments gsm8k",
        "Evaluated Qwen/Qwen3-8B on gsm8k in 9.50s (Avg@4=0.3000)",
        "Eval finished!",
    );
    for (begins, evaluated, ends) in [newer, older] {
        let begun = format!("09:00:00    INFO {begins}\n09:01:00 SUCCESS Inference pool ready\n");
        let done = format!("{begun}09:10:00 SUCCESS {evaluated}\n09:10:01 SUCCESS {ends}\n");
        let of = |log: &str, status| watch(&Folder::new(&[("outputs/logs/run.log", log)]), "", status)["state"].clone();
        assert_eq!((of(&begun, 0), of(&done, 0)), ("healthy".into(), "ended".into()), "{begins}");
        let fails = "Traceback (most recent call last):\n  File \"/app/a.py\", line 1, in f\n    f()\nValueError: no model\n";
        assert_eq!(of(&format!("{begun}{fails}"), 1), "failed", "{begins}");
    }
}

/// The results of evaluations are shown beside the first of their environment, also where runs are compared.
#[test]
fn the_results_of_evaluations_are_shown() {
    let evaluated = |step: u32, reward: f64| {
        format!("12:50:00 SUCCESS Evaluated gsm8k (Step {step}) | Policy v{step} | 1m 2s | Reward {reward:.4} | Turns 1.0\n")
    };
    let log = |last: f64| orchestrator(41, |_| 0.3) + &evaluated(0, 0.4) + &evaluated(40, last);
    let folder = run(&trainer(40, |_| 0.09), &log(0.6));
    folder.write("other/logs/orchestrator.log", log(0.7).as_bytes());
    let report = watch(&folder, "rl.toml", 0);
    let newest = &report["evaluations"][0];
    assert_eq!((&newest["environment"], &newest["step"], &newest["reward"]), (&"gsm8k".into(), &40.into(), &0.6.into()));
    let text = folder.run("run watch outputs --once").stdout;
    assert!(text.contains("evaluated gsm8k 0.6000 at step 40 (0.4000 at step 0)"), "{text}");
    let compared = folder.run("run compare outputs other").stdout;
    let row = compared.lines().find(|line| line.starts_with("evaluation of gsm8k")).unwrap_or_default();
    assert!(row.ends_with("0.6000"), "{compared}");
}
