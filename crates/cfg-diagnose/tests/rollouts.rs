//! Rollouts that fail with errors of any name, batches without anything to train on, and orchestrators that are stopped.

use std::{fmt::Write as _, path::Path};

use cfg_diagnose::{Finding, Log, Matcher, RunContext, RunEnd, ScannedLog, conclude, processes};

/// The findings in an orchestrator's log, and how its run ended.
fn read(text: &str) -> (Vec<Finding>, RunEnd) {
    let matcher = Matcher::new();
    let mut log = Log::new(&matcher);
    log.feed(text.as_bytes());
    let logs = [log.finish().at(Path::new("logs/orchestrator.log"))];
    (conclude(&logs, &RunContext { is_training: true, ..RunContext::default() }), processes(&logs).1)
}

/// The names of the findings, each with its first line's message and the number of lines.
fn found(text: &str) -> Vec<(String, String, u64)> {
    let message =
        |text: &str| text.split_once("NING ").or_else(|| text.split_once("CESS ")).map_or(text, |(_, text)| text).to_owned();
    let of = |finding: &Finding| {
        let seen = &finding.sightings[0];
        (finding.symptom.name.to_string(), message(&seen.first.text), seen.count)
    };
    read(text).0.iter().map(of).collect()
}

fn names(text: &str) -> Vec<String> {
    found(text).into_iter().map(|(name, ..)| name).collect()
}

/// A log that says one thing after the other.
struct Written {
    second: u32,
    text: String,
}

impl Written {
    fn new() -> Self {
        Self { second: 6 * 3600, text: "06:00:00    INFO Starting orchestrator loop (max_steps=200)\n".to_owned() }
    }

    fn after(&mut self, seconds: u32, level: &str, message: &str) {
        self.second += seconds;
        let (hour, minute, second) = (self.second / 3600, self.second / 60 % 60, self.second % 60);
        let _ = writeln!(self.text, "{hour:02}:{minute:02}:{second:02} {level:>7} {message}");
    }

    /// A step, as 0.8.0 reports it.
    fn step(&mut self, step: u32, reward: f64, errors: f64) {
        let line = format!(
            "Step {step} |     20s | Reward {reward:.4} | Trainable 60/64 (93.8%) | Turns 1.0 | Branches 1.0 | Max Off-Policy 1 | Error {errors:.1}% | \
             Truncation 1.0%"
        );
        self.after(20, "SUCCESS", &line);
    }
}

#[test]
fn the_share_that_steps_state_is_reported() {
    let steps = |count: u32, errors: fn(u32) -> f64, reward: f64| {
        let mut log = Written::new();
        (1..=count).for_each(|step| log.step(step, reward, errors(step)));
        log.text
    };
    assert_eq!(names(&steps(12, |_| 79.0, 0.3)), ["failed-rollouts"]);
    // Rewards of 0 follow from it.
    assert_eq!(names(&steps(12, |_| 95.0, 0.0)), ["failed-rollouts", "reward-zero"]);
    assert_eq!(names(&steps(12, |step| if step % 4 == 0 { 30.0 } else { 90.0 }, 0.3)), ["failed-rollouts"]);
    for (count, errors) in [
        (4, (|_| 95.0) as fn(u32) -> f64),
        (40, |_| 12.5),
        (40, |step| if step % 8 == 0 { 90.0 } else { 3.0 }),
        // It was so, and is no longer.
        (40, |step| if step < 20 { 95.0 } else { 2.0 }),
    ] {
        assert_eq!(names(&steps(count, errors, 0.3)), [""; 0]);
    }
}

/// A line of each release about a rollout that failed, with an id or number that differs.
const FAILS: [fn(u32) -> String; 9] = [
    |_| "Rollout failed: 'answer_key'".to_owned(),
    |_| "Rollout lost due to worker death: answer_key".to_owned(),
    |at| format!("Rollout error in group {at} (my-env), re-scheduling ({}/8 complete): KeyError('answer_key')", at % 8),
    |at| format!("Empty trajectory in group {at} (my-env), re-scheduling ({}/8 complete)", at % 8),
    |at| format!("Rollout failed in group {at} (my-env) - KeyError('answer_key')"),
    |at| format!("Rollout task failed in group 3f{at}b2a-77 (my-env): KeyError('answer_key')"),
    |at| format!("Rollout failed in group 3f{at}b2a-77 (my-env) — KeyError: 'answer_key'"),
    |at| format!("Episode task failed in group 3f{at}b2a-77 (my-env): KeyError('answer_key')"),
    |at| format!("Trace failed in group 3f{at}b2a-77 (my-env) — KeyError: 'answer_key'"),
];

#[test]
fn rollouts_that_all_fail_are_reported_in_the_words_of_each_release() {
    for fails in FAILS {
        let mut log = Written::new();
        for at in 0..120 {
            log.after(1, "WARNING", &fails(at));
        }
        assert_eq!(found(&log.text), [("no-rollout-succeeds".to_owned(), fails(0), 120)]);
        // A line shows how far the batch has come: as many have failed, and none succeeded.
        let mut log = Written::new();
        for at in 0..60 {
            log.after(2, "WARNING", &fails(at));
            log.after(
                0,
                "INFO",
                &format!("Train batch 0/64 (0.0%) (+{} buffered); 64 inflight rollouts (train=64, eval=0)", at % 8),
            );
        }
        assert_eq!(names(&log.text), ["no-rollout-succeeds"]);
        log.step(1, 0.3, 20.0);
        assert_eq!(names(&log.text), [""; 0]);
    }
}

#[test]
fn the_commonest_error_is_quoted() {
    let mut log = Written::new();
    for at in 0..200 {
        let error = if at % 5 == 0 {
            format!("TimeoutError: case {at} of {}", if at % 2 == 0 { "a" } else { "b" })
        } else {
            "KeyError: 'x'".to_owned()
        };
        log.after(1, "WARNING", &format!("Rollout failed in group {at} (my-env) — {error}"));
    }
    let first = "Rollout failed in group 1 (my-env) — KeyError: 'x'".to_owned();
    assert_eq!(found(&log.text), [("no-rollout-succeeds".to_owned(), first, 160)]);
}

/// Before 0.6.0 no step states the share: it is that of the lines and of the batch.
#[test]
fn the_share_is_counted_where_no_step_states_it() {
    let run = |failures: u32| {
        let mut log = Written::new();
        for step in 0..12 {
            for at in 0..failures {
                log.after(0, "WARNING", &FAILS[2](at));
            }
            log.text += "Generating rollouts (train):  50%|##| 32/64 [00:10<00:10,  3.20it/s]\nGenerating rollouts (train): 100%|####| 64/64 [00:20<00:00,  3.20it/s]\n";
            log.after(
                20,
                "SUCCESS",
                &format!("Step {step} | Time: 20.00s | Reward: 0.3{step:02}0 | Seq. Length: 9.0 tokens/sample | Async Level: 1"),
            );
        }
        log.text
    };
    assert_eq!(names(&run(100)), ["failed-rollouts"]);
    assert_eq!(names(&run(8)), [""; 0]);
}

#[test]
fn a_start_with_some_failures_is_well() {
    let mut log = Written::new();
    // The server is not ready yet.
    for at in 0..150 {
        log.after(0, "WARNING", &FAILS[6](at));
    }
    log.after(30, "INFO", "Train batch 0/512 (0.0%) (+150 buffered); 512 inflight rollouts (train=512, eval=0)");
    assert_eq!(names(&log.text), [""; 0]);
    for at in 0..40 {
        log.after(5, "WARNING", &FAILS[6](at));
        log.after(5, "INFO", &format!("Train batch {}/512 (0.0%); 512 inflight rollouts (train=512, eval=0)", at * 12));
    }
    assert_eq!(names(&log.text), [""; 0]);
}

/// An evaluation whose rollouts fail, while those of the training do not; and the log of a server, which has the failures alone.
#[test]
fn failures_of_others_are_not_those_of_the_training() {
    let mut log = Written::new();
    for at in 0..400 {
        log.after(1, "WARNING", &format!("Rollout failed in group {at} (eval-env) — KeyError: 'x'"));
        if at % 10 == 0 {
            let done = (at / 6).clamp(40, 63);
            log.after(
                0,
                "INFO",
                &format!("Train batch {done}/64 (50.0%) | eval-env {at}/500 (9.0%); 64 inflight rollouts (train=32, eval=32)"),
            );
        }
    }
    assert_eq!(names(&log.text), [""; 0]);
    let matcher = Matcher::new();
    let mut server = Log::new(&matcher);
    (0..400).for_each(|_| server.feed(b"06:00:00 WARNING Rollout failed: KeyError('x')\n"));
    let server = [server.finish().at(Path::new("logs/envs/train/my-env.log"))];
    let findings = conclude(&server, &RunContext { is_training: true, ..RunContext::default() });
    assert_eq!(findings.iter().map(|finding| &*finding.symptom.name).collect::<Vec<_>>(), [""; 0], "{findings:#?}");
}

#[test]
fn a_symptom_with_a_name_explains_them() {
    let mut log = Written::new();
    for at in 0..120 {
        log.after(1, "WARNING", &format!("Rollout failed in group {at} (my-env) — HarnessError: exit 1"));
    }
    assert_eq!(names(&log.text), ["harness-failed"]);
    let mut log = Written::new();
    for at in 0..120 {
        let error =
            "ProviderError: As of transformers v4.44, default chat template is no longer allowed, so you must provide one";
        log.after(1, "WARNING", &format!("Rollout failed in group {at} (my-env) — {error}"));
    }
    assert_eq!(names(&log.text), ["no-chat-template"]);
}

#[test]
fn batches_without_anything_to_train_on_are_counted() {
    let warnings: [fn(u32) -> String; 5] = [
        |at| format!("Step 20: post-batch filters dropped all 64 rollouts (consecutive empty batches: {at}/10)"),
        |at| {
            format!(
                "Step 20: empty train batch (0 of 64 generated rollouts shipped — all errored or filtered out) (consecutive empty batches: {at}/10)"
            )
        },
        |at| format!("Step 20: empty train batch after 64 finalized episodes (consecutive empty batches: {at}/10)"),
        |at| format!("No admitted train payload after 128 finalized units (consecutive zero-output batch equivalents: {at}/10)"),
        |at| format!("Step 20 produced 0 training samples (attempt {at}/10). Retrying in 30s..."),
    ];
    for warning in warnings {
        let mut log = Written::new();
        for at in 1..=10 {
            assert_eq!(names(&log.text), if at > 5 { vec!["empty-batch-streak"] } else { vec![] }, "{at}");
            log.after(30, "WARNING", &warning(at));
        }
        let before = log.text.clone();
        log.step(20, 0.3, 0.0);
        assert_eq!(names(&log.text), [""; 0]);
        // The orchestrator's own words when it ends.
        for error in [
            "RuntimeError: Step 20 failed after 10 consecutive empty batches",
            "RuntimeError: 10 consecutive zero-trainable batches — check filter config (pre_batch_filters / post_batch_filters) or task difficulty.",
            "RuntimeError: 10 consecutive empty train batches — check algorithm credit and task difficulty.",
            "RuntimeError: 10 consecutive zero-output batch equivalents — check the curriculum admission policy, task difficulty, and staleness drops.",
        ] {
            let mut log = Written { second: 7 * 3600, text: before.clone() };
            log.after(0, "WARNING", "Orchestrator interrupted after 50m 1s — forcing cleanup (not a clean exit)");
            log.after(0, "WARNING", "Orchestrator cleanup complete (forced).");
            log.after(0, "ERROR", "Fatal error in run_orchestrator");
            log.text += "Traceback (most recent call last):\n  File \"/app/src/prime_rl/orchestrator/orchestrator.py\", line 598, in finalize_train_batch\n    raise RuntimeError(\n";
            let _ = writeln!(log.text, "{error}");
            assert_eq!((names(&log.text), read(&log.text).1), (vec!["empty-batches".to_owned()], RunEnd::Failed));
        }
    }
}

#[test]
fn an_orchestrator_that_was_stopped_is_not_well() {
    let mut log = Written::new();
    (1..8).for_each(|step| log.step(step, 0.3, 0.0));
    log.after(5, "WARNING", "Orchestrator interrupted after 2m 25s — forcing cleanup (not a clean exit)");
    log.after(0, "INFO", "Writing final checkpoint");
    log.after(1, "WARNING", "Orchestrator cleanup complete (forced).");
    assert_eq!((names(&log.text), read(&log.text).1), (vec!["forced-cleanup".to_owned()], RunEnd::Interrupted));
    // Python's word for Ctrl-C.
    let by_hand = "Traceback (most recent call last):\n  File \"/usr/lib/python3.12/asyncio/runners.py\", line 118, in run\n    return self._loop.run_until_complete(task)\n\
        asyncio.exceptions.CancelledError\n\nDuring handling of the above exception, another exception occurred:\n\n\
        Traceback (most recent call last):\n  File \"/app/src/prime_rl/orchestrator/orchestrator.py\", line 1014, in main\n    asyncio.run(run_orchestrator(config))\nKeyboardInterrupt\n";
    let text = format!("{}{by_hand}", log.text);
    assert_eq!((names(&text), read(&text).1), (vec!["interrupted".to_owned()], RunEnd::Interrupted));
    // It was an exception.
    let failed = "06:03:00   ERROR Fatal error in run_orchestrator\nTraceback (most recent call last):\n\
        \x20 File \"/app/src/prime_rl/orchestrator/watcher.py\", line 88, in start\n    await self.poll()\nOSError: [Errno 121] Remote I/O error\n";
    let text = format!("{}{failed}", log.text);
    assert_eq!((names(&text), read(&text).1), (vec!["uncaught-exception".to_owned()], RunEnd::Failed));
    // It was started again.
    let mut log = Written { second: log.second, text: format!("06:00:00    INFO Starting orchestrator\n{}", log.text) };
    log.after(60, "INFO", "Starting orchestrator");
    log.step(8, 0.3, 0.0);
    assert_eq!((names(&log.text), read(&log.text).1), (vec![], RunEnd::Open));
}

#[test]
fn a_run_that_a_signal_ended_did_not_fail() {
    let mut log = Written::new();
    (1..8).for_each(|step| log.step(step, 0.3, 0.0));
    log.after(5, "WARNING", "Received SIGTERM, terminating all processes...");
    assert_eq!((names(&log.text), read(&log.text).1), (vec!["interrupted".to_owned()], RunEnd::Interrupted));
    // The scheduler says why.
    let text =
        format!("{}slurmstepd: error: *** JOB 12 ON gpu-3 CANCELLED AT 2026-08-24T06:02:25 DUE TO TIME LIMIT ***\n", log.text);
    assert_eq!((names(&text), read(&text).1), (vec!["slurm-time-limit".to_owned()], RunEnd::Interrupted));
}

/// The launcher of 0.8.0 starts the servers of the environments, and ends the run with any of them.
#[test]
fn a_server_of_an_environment_ends_the_run() {
    let matcher = Matcher::new();
    let seen = |path: &str, text: &str| {
        let mut log = Log::new(&matcher);
        log.feed(text.as_bytes());
        log.finish().at(Path::new(path))
    };
    let launcher = "06:00:00    INFO Starting RL run\n06:00:09   ERROR Error: Train env server my-env failed with exit code 1\n";
    let server = "Traceback (most recent call last):\n  File \"/app/envs/my_env.py\", line 12, in load_environment\n    rows = load()\n\
        ZeroDivisionError: division by zero\n";
    let logs = [seen("logs/rl.log", launcher), seen("logs/envs/train/my-env.log", server)];
    assert_eq!(processes(&logs).1, RunEnd::Failed);
    let findings = conclude(&logs, &RunContext::default());
    assert_eq!(findings.iter().map(|finding| &*finding.symptom.name).collect::<Vec<_>>(), ["uncaught-exception"]);
}

/// torchrun's report about a rank that ended says less than the rank's own log.
#[test]
fn a_report_of_torchrun_is_explained_by_the_rank() {
    let matcher = Matcher::new();
    let seen = |path: &str, text: &str| {
        let mut log = Log::new(&matcher);
        log.feed(text.as_bytes());
        log.finish().at(Path::new(path))
    };
    let report = "06:00:00    INFO Starting training loop (max_steps=9)\n\
        E0824 06:20:01.000000 99 torch/distributed/elastic/multiprocessing/api.py:882] failed (exitcode: 1) local_rank: 3 (pid: 103) of binary: python3\n";
    let rank = "Traceback (most recent call last):\n  File \"/app/src/prime_rl/trainer/models/layers/moe.py\", line 88, in forward\n    assert counts\nAssertionError\n";
    let names = |logs: &[ScannedLog]| -> Vec<String> {
        conclude(logs, &RunContext::default()).iter().map(|finding| finding.symptom.name.to_string()).collect()
    };
    assert_eq!(names(&[seen("logs/trainer.log", report)]), ["fatal-line"]);
    let both = [seen("logs/trainer.log", report), seen("logs/trainer/torchrun/x/attempt_0/3/stderr.log", rank)];
    assert_eq!(names(&both), ["uncaught-exception"]);
}

#[test]
fn an_evaluation_that_failed_is_reported_until_the_next() {
    let evaluated = |environment: &str, errors: f64| {
        format!(
            "Evaluated {environment} (Step 10) | Policy v9 |   2m 1s | Reward 0.9000 | Turns 1.0 | Branches 1.0 | Error {errors:.1}% | Truncation 0.0%"
        )
    };
    let mut log = Written::new();
    log.step(1, 0.3, 0.0);
    log.after(5, "SUCCESS", &evaluated("gsm8k", 4.0));
    log.after(5, "SUCCESS", &evaluated("swe", 95.0));
    log.step(2, 0.3, 0.0);
    log.after(5, "SUCCESS", &evaluated("gsm8k", 5.0));
    assert_eq!(found(&log.text), [("failed-evaluation".to_owned(), evaluated("swe", 95.0), 1)]);
    log.after(5, "SUCCESS", &evaluated("swe", 5.0));
    assert_eq!(names(&log.text), [""; 0]);
    log.after(5, "WARNING", "Eval @ step=20 env=swe: no surviving rollouts, skipping log");
    assert_eq!(names(&log.text), ["failed-evaluation"]);
}

/// The process of the evaluations ended, and the training goes on without it.
#[test]
fn an_evaluation_that_ended_is_missed() {
    let matcher = Matcher::new();
    let seen = |path: &str, text: &str| {
        let mut log = Log::new(&matcher);
        log.feed(text.as_bytes());
        log.finish().at(Path::new(path))
    };
    let mut log = Written::new();
    (1..30).for_each(|step| log.step(step, 0.3, 0.0));
    let evals = "06:01:00    INFO Starting evals (online)\nTraceback (most recent call last):\n  File \"/app/src/prime_rl/evals/evals.py\", line 300, in watch\n    \
        await self.evaluate()\nTypeError: unsupported operand type(s) for /: 'NoneType' and 'int'\n";
    let logs = [seen("logs/orchestrator.log", &log.text), seen("logs/evals.log", evals)];
    let findings = conclude(&logs, &RunContext::default());
    assert_eq!(findings.iter().map(|finding| &*finding.symptom.name).collect::<Vec<_>>(), ["uncaught-exception"]);
    assert_eq!(processes(&logs).1, RunEnd::Open);
}

#[test]
fn an_orchestrator_whose_clean_up_takes_too_long_has_finished() {
    let forced =
        "Orchestrator shutdown did not complete within 30s; forcing process exit. Training artifacts are already persisted.";
    let mut log = Written::new();
    log.step(1, 0.3, 0.0);
    log.after(5, "SUCCESS", "Orchestrator step loop done in 9m 3s");
    log.after(30, "WARNING", forced);
    assert_eq!((names(&log.text), read(&log.text).1), (vec![], RunEnd::Finished));
    let mut log = Written::new();
    log.step(1, 0.3, 0.0);
    log.after(5, "WARNING", "Orchestrator interrupted after 2m 25s — forcing cleanup (not a clean exit)");
    log.after(30, "WARNING", forced);
    assert_eq!((names(&log.text), read(&log.text).1), (vec!["forced-cleanup".to_owned()], RunEnd::Interrupted));
}

/// What is as frequent as failed rollouts explains them only if it is what they failed with.
#[test]
fn another_line_does_not_hide_failed_rollouts() {
    const OTHER: &str = "Malformed tool arguments from model: Expecting value: line 1 column 1 (char 0)";
    let mut log = Written::new();
    for at in 0..120 {
        log.after(1, "WARNING", OTHER);
        log.after(1, "WARNING", &FAILS[6](at));
    }
    assert!(names(&log.text).iter().any(|name| name == "no-rollout-succeeds"), "{:?}", names(&log.text));
    // The rollouts fail with it.
    for below in [false, true] {
        let mut log = Written::new();
        for at in 0..120 {
            let error = if below { "KeyError" } else { OTHER };
            log.after(2, "WARNING", &format!("Rollout failed in group {at} (my-env) — {error}"));
            if below {
                log.text += &format!("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: {OTHER}\n");
            }
        }
        assert!(names(&log.text).iter().all(|name| name != "no-rollout-succeeds"), "{below}: {:?}", names(&log.text));
    }
}
