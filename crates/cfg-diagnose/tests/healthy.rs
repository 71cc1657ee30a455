//! Healthy runs of several versions of prime-rl have no findings, at whatever time they are looked at.

use std::{fmt::Write as _, path::Path};

use cfg_diagnose::{Log, Matcher, RunContext, RunEnd, ScannedLog, conclude, processes};

/// The log of a process: its path, and its lines with the second of the run at which each was written.
struct Written {
    path: &'static str,
    lines: Vec<(u32, String)>,
}

impl Written {
    fn new(path: &'static str) -> Self {
        Self { path, lines: Vec::new() }
    }

    /// A line of prime-rl's logger.
    fn log(&mut self, at: u32, level: &str, message: &str) {
        let clock = at + 23 * 3600 + 40 * 60;
        let time = format!("{:02}:{:02}:{:02}", clock / 3600 % 24, clock / 60 % 60, clock % 60);
        self.lines.push((at, format!("{time} {level:>7} {message}")));
    }

    fn plain(&mut self, at: u32, line: &str) {
        self.lines.push((at, line.to_owned()));
    }

    fn until(&self, second: u32) -> String {
        self.lines.iter().filter(|(at, _)| *at <= second).fold(String::new(), |mut text, (_, line)| {
            let _ = writeln!(text, "{line}");
            text
        })
    }
}

fn scanned(matcher: &Matcher, logs: &[Written], second: u32) -> Vec<ScannedLog> {
    let read = |log: &Written| {
        let mut reader = Log::new(matcher);
        reader.feed(log.until(second).as_bytes());
        reader.finish().at(Path::new(log.path))
    };
    logs.iter().map(read).collect()
}

/// Looks at a run whenever a line was written; it must be well each time, and finished at the end.
#[track_caller]
fn is_well(logs: &[Written]) {
    let matcher = Matcher::new();
    let mut times: Vec<u32> = logs.iter().flat_map(|log| log.lines.iter().map(|(at, _)| *at)).collect();
    times.sort_unstable();
    times.dedup();
    for second in &times {
        let seen = scanned(&matcher, logs, *second);
        for is_training in [false, true] {
            let found = conclude(&seen, &RunContext { is_training, ..RunContext::default() });
            let names: Vec<&str> = found.iter().map(|finding| &*finding.symptom.name).collect();
            assert_eq!(names, [""; 0], "after {second} s: {found:#?}");
        }
        assert_ne!(processes(&seen).1, RunEnd::Failed, "after {second} s");
    }
    let seen = scanned(&matcher, logs, u32::MAX);
    assert_eq!(processes(&seen).1, RunEnd::Finished);
}

/// vLLM's own lines while it starts, and at the end of the run.
fn server(path: &'static str, end: u32) -> Written {
    let mut log = Written::new(path);
    log.log(0, "INFO", "Starting inference on http://0.0.0.0:8000/v1");
    log.plain(5, "(APIServer pid=2) INFO 08-24 23:40:05 [api_server.py:1805] vLLM API server version 0.17.0");
    log.plain(20, "Capturing CUDA graphs (decode, FULL):   0%|          | 0/35 [00:00<?, ?it/s]");
    log.plain(400, "(APIServer pid=2) INFO:     127.0.0.1:39012 - \"POST /v1/chat/completions HTTP/1.1\" 200 OK");
    // One request is refused, which the server survives.
    log.plain(401, "(APIServer pid=2) ERROR:    Exception in ASGI application");
    log.plain(401, "(APIServer pid=2) Traceback (most recent call last):");
    log.plain(401, "(APIServer pid=2)   File \"/app/.venv/lib/python3.12/site-packages/uvicorn/x.py\", line 9, in run");
    log.plain(401, "(APIServer pid=2)     await self.app()");
    log.plain(401, "(APIServer pid=2) ValueError: unexpected field");
    log.plain(402, "(APIServer pid=2) INFO:     127.0.0.1:39012 - \"POST /v1/chat/completions HTTP/1.1\" 200 OK");
    log.plain(end, "(APIServer pid=2) INFO:     Shutting down");
    log.plain(end, "(APIServer pid=2) ERROR 08-24 04:44:14 [core_client.py:606] Engine core proc EngineCore_DP0 died unexpectedly, shutting down client.");
    log.plain(
        end,
        "[rank0]:[W106] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources.",
    );
    log
}

/// From 0.6: prime-rl's formats without colons, steps counted from 1 since 0.7.0, progress by whole groups.
fn newer(paths: [&'static str; 4], word: &str) -> Vec<Written> {
    let [launcher, trainer, orchestrator, inference] = paths.map(Written::new);
    let (mut launcher, mut trainer, mut orchestrator, _) = (launcher, trainer, orchestrator, inference);
    launcher.log(0, "INFO", "Starting RL run");
    launcher.log(1, "INFO", "Starting orchestrator process");
    launcher.log(2, "SUCCESS", "Startup complete. Showing orchestrator logs...");
    trainer.log(2, "INFO", "Starting RL trainer in World(world_size=2, rank=0, local_rank=0) in outputs");
    trainer.log(40, "INFO", "Initializing model (name='Qwen/Qwen3-8B' attn='flash_attention_2')");
    trainer.log(200, "INFO", "Starting training loop (max_steps=12)");
    orchestrator.log(2, "INFO", "Starting orchestrator (algorithm: grpo)");
    orchestrator.log(5, "INFO", "Waiting for policy inference pool to be ready");
    orchestrator.log(
        300,
        "WARNING",
        "Inference server was not reached after 280 seconds (Error: All connection attempts failed) on http://localhost:8000",
    );
    orchestrator.log(390, "SUCCESS", "Policy inference pool ready");
    orchestrator.log(391, "INFO", "Starting orchestrator loop (max_steps=12)");
    let mut now = 391;
    for step in 1..=12_u32 {
        // The first batch takes ten minutes; while its groups are incomplete, it stands at 0.
        for tick in 1..=6 {
            let buffered = if tick > 1 { format!(" (+{} buffered)", tick * 8) } else { String::new() };
            now += if step == 1 { 100 } else { 20 };
            let done = if tick > 4 { tick * 8 } else { 0 };
            orchestrator.log(
                now,
                "INFO",
                &format!("Train batch {done}/64 ({done}.0%){buffered}; 64 inflight {word} (train=64, eval=0)"),
            );
        }
        if step == 3 {
            orchestrator.log(now, "WARNING", "Rollout failed in group 7 (reverse-text) — HarnessError: harness 'null' exited 1");
            orchestrator.log(
                now,
                "WARNING",
                "Rollout task failed in group 8 (reverse-text): APIConnectionError('Connection error.')",
            );
        }
        if step == 5 {
            orchestrator.log(now, "INFO", "Starting evals in gsm8k (500 total rollouts)");
            for done in 1..=9 {
                now += 30;
                let done = done * 50;
                orchestrator.log(
                    now,
                    "INFO",
                    &format!("Train batch 0/64 (0.0%) | gsm8k {done}/500 (4.0%); 0 inflight {word} (train=0, eval=64)"),
                );
            }
            orchestrator.log(
                now,
                "SUCCESS",
                "Evaluated gsm8k (Step 4) | Policy v4 |   1m 2s | Reward 0.0000 | Turns 1.0 | Error 0.0% | Truncation 90.0%",
            );
        }
        let reward = 0.3 + f64::from(step) / 100.0;
        orchestrator.log(
            now,
            "SUCCESS",
            &format!("Step {step} |   1m 2s | Reward {reward:.4} | Trainable 60/64 (93.8%) | Turns 9.0 | Branches 1.0 | Max Off-Policy 1 | Error 1.6% | Truncation 1.6%"),
        );
        if step < 12 {
            orchestrator.log(
                now,
                "INFO",
                "Pausing dispatcher to prevent orchestrator from racing from trainer. Waiting for new policy...",
            );
        }
        // The trainer compiles in its first step.
        let stepped = now + if step == 1 { 400 } else { 15 };
        trainer.log(
            stepped,
            "SUCCESS",
            &format!("Step {step} |   1m 2s | Loss 0.0010 | Entropy 0.3801 | Mismatch KL 0.0010 | Grad. Norm 0.0310 | LR 1.00e-06 | Throughput 15712 tokens/s | MFU 9.4% | Peak Mem. 71.8 GiB"),
        );
        if step < 12 {
            now = stepped + 1;
            orchestrator.log(now, "INFO", "Resuming dispatcher");
        } else {
            now = stepped;
        }
    }
    orchestrator.log(
        now,
        "INFO",
        "Draining pipeline (cancelled 12 in-flight train rollout(s); any in-flight evals will complete)",
    );
    orchestrator.log(now + 1, "INFO", "Pipeline drained, exiting main loop");
    orchestrator.log(now + 2, "SUCCESS", "Orchestrator finished.");
    trainer.log(now + 1, "INFO", "Writing final checkpoint");
    trainer.log(now + 30, "INFO", "Peak memory: 71.8 GiB");
    trainer.log(now + 31, "SUCCESS", "RL trainer finished!");
    trainer.plain(now + 32, "[rank1]:[W808 19:28:13.127871296 TCPStore.cpp:125] [c10d] recvValue failed on SocketImpl(fd=82, addr=[n1]:44620): Connection was likely closed.");
    launcher.log(now + 33, "SUCCESS", "Training finished!");
    vec![launcher, trainer, orchestrator, server(paths[3], now + 34)]
}

#[test]
fn a_run_of_0_8_has_no_findings_at_any_time() {
    is_well(&newer(
        ["run/logs/rl.log", "run/logs/trainer.log", "run/logs/orchestrator.log", "run/logs/inference.log"],
        "rollouts",
    ));
}

#[test]
fn a_run_of_main_has_no_findings_at_any_time() {
    is_well(&newer(
        [
            "run/logs/attempt_1/launcher.log",
            "run/logs/attempt_1/trainer/node_0.log",
            "run/logs/attempt_1/orchestrator.log",
            "run/logs/attempt_1/inference/node_0.log",
        ],
        "episodes",
    ));
}

/// 0.2 to 0.5: formats with colons, steps counted from 0, bars of tqdm.
fn older(barrier: &str, resumed: &str) -> Vec<Written> {
    let [mut trainer, mut orchestrator] = ["run/logs/trainer.stdout", "run/logs/orchestrator.stdout"].map(Written::new);
    trainer.log(1, "INFO", "Starting RL trainer in World(world_size=1, rank=0, local_rank=0, num_nodes=1)");
    trainer.log(60, "INFO", "Starting training loop (max_steps=15)");
    orchestrator.log(1, "INFO", "Starting orchestrator");
    orchestrator.log(50, "SUCCESS", "Inference pool ready");
    orchestrator.log(51, "INFO", "Starting orchestrator loop (max_steps=15)");
    let mut now = 51;
    for step in 0..15_u32 {
        orchestrator.log(now, "INFO", &format!("Starting orchestrator step {step}"));
        if step >= 2 {
            orchestrator.log(now, "INFO", &barrier.replace("{}", &(step - 1).to_string()));
            now += 30;
            orchestrator.log(now, "INFO", &resumed.replace("{}", &(step - 1).to_string()));
        }
        for done in [0, 3, 8] {
            orchestrator
                .plain(now, &format!("Generating rollouts (train):  {done}%|     | {done}/8 [0{}:00<?, ?it/s]", done / 3));
            now += 60;
        }
        orchestrator.log(
            now,
            "SUCCESS",
            &format!("Step {step} | Time: 220.10s | Reward: {:.4} | Throughput: 50.1 tokens/s | Seq. Length: 812.0 tokens/sample | Async Level: 1 | Max. Off-Policy Level: 1", 0.1 + f64::from(step) / 100.0),
        );
        trainer.log(
            now + 40,
            "SUCCESS",
            &format!("Step {step} | Time: 200.10s | Loss: 0.0012 | Entropy: 0.1102 | Mismatch KL: 0.0021 | Grad. Norm: 0.3100 | LR: 1.00e-05 | Throughput: 900 tokens/s | MFU: 9.4% | Peak Mem.: 61.0 GiB"),
        );
    }
    orchestrator.log(now + 1, "INFO", "Running final evals");
    orchestrator.log(now + 300, "SUCCESS", "Orchestrator finished.");
    trainer.log(now + 60, "SUCCESS", "RL trainer finished!");
    vec![trainer, orchestrator]
}

#[test]
fn a_run_of_0_3_has_no_findings_at_any_time() {
    is_well(&older(
        "Hit async barrier because we are >1 step(s) async. Waiting for checkpoint {}",
        "Got new policy with step {}. Updating weights and cancelling old rollout requests.",
    ));
}

#[test]
fn a_run_of_0_5_has_no_findings_at_any_time() {
    is_well(&older(
        "Orchestrator paused: waiting for trainer process to complete checkpoint {} (>1 step(s) ahead). Training is progressing normally.",
        "Orchestrator resumed: checkpoint {} ready (after 12.00s)",
    ));
}

#[test]
fn supervised_fine_tuning_has_no_findings_at_any_time() {
    let [mut launcher, mut trainer] = ["run/logs/sft.log", "run/logs/trainer/rank_0.log"].map(Written::new);
    trainer.log(1, "INFO", "Starting SFT trainer in World(world_size=8, rank=0, local_rank=0)");
    trainer.log(60, "INFO", "Starting training loop (max_steps=40)");
    for step in 1..=40_u32 {
        if step == 4 {
            trainer.log(step * 60 + 60, "WARNING", "Skipping example 12 because no trainable tokens were found within the context window (4096). This is to prevent NaN loss.");
        }
        trainer.log(
            step * 60 + 60,
            "SUCCESS",
            &format!("Step {step} | Time: 1.20s | Loss: 1.{step:04} | Grad. Norm: 0.5000 | LR: 1.00e-06 | Throughput: 3324 tokens/s | MFU: 1.0% | Peak Mem.: 5.2/23.7 GiB (22.1%)"),
        );
        trainer.log(step * 60 + 61, "SUCCESS", &format!("Validation | Step {step} | Loss 0.5000"));
    }
    trainer.log(2600, "SUCCESS", "SFT trainer finished!");
    launcher.log(0, "INFO", "Starting SFT trainer with 8 GPU(s)");
    launcher.log(2601, "SUCCESS", "SFT training finished!");
    is_well(&[launcher, trainer]);
}

/// What a model or its code wrote, and what libraries write while they start, are no ends, at any moment.
#[test]
fn what_models_and_libraries_write_is_no_end() {
    let steps = |from: u32| -> String {
        (from..from + 3)
            .map(|step| {
                format!("09:{step:02}:00 SUCCESS Step {step} |   1m 2s | Reward 0.3000 | Trainable 64/64 (100.0%) | Turns 2.0\n")
            })
            .collect::<Vec<String>>()
            .concat()
    };
    let start =
        "09:00:00    INFO Starting orchestrator (algorithm: grpo)\n09:00:05    INFO Starting orchestrator loop (max_steps=100)\n";
    let said = [
        "09:04:00    INFO Sample completion (reward 0.0):\nTraceback (most recent call last):\n  File \"<string>\", line 3, in <module>\nNameError: name 'foo' is not defined\n",
        "09:04:00    INFO Tool output:\nTraceback (most recent call last):\n  File \"/tmp/tmp3k2/solution.py\", line 3, in <module>\n    print(foo)\nKeyError: 'x'\n",
        "╭──────── Prompt ────────╮\n│ Traceback (most recent call last): │\n│   File \"a.py\", line 1 │\n│ ValueError: x │\n╰────────╯\n",
        "Task exception was never retrieved\nfuture: <Task finished name='Task-3' exception=ConnectionResetError(104)>\nTraceback (most recent call last):\n  \
         File \"/app/x.py\", line 3, in f\n    g()\nConnectionResetError: [Errno 104] Connection reset by peer\n",
        "╭──────── Completion ────────╮\n│ torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB │\n│ the loss is nan │\n╰────────╯\n",
        "Exception ignored in sys.unraisablehook: <built-in function unraisablehook>\nOSError: [Errno 9] Bad file descriptor\n",
        "E0000 00:00:1754812841.123456    1234 cuda_dnn.cc:8579] Unable to register cuDNN factory: Attempting to register factory\n",
        "Token indices sequence length is longer than the specified maximum sequence length for this model (40000 > 32768).\n",
        "node-1:1234:1290 [0] NCCL WARN NET/Plugin: Could not find: libnccl-net.so.\n",
    ];
    for said in said {
        let text = format!("{start}{}{said}{}", steps(1), steps(4));
        let matcher = Matcher::new();
        for (at, _) in text.match_indices('\n') {
            let mut log = Log::new(&matcher);
            log.feed(&text.as_bytes()[..=at]);
            let findings = conclude(&[log.finish()], &RunContext { is_training: true, ..RunContext::default() });
            let names: Vec<&str> = findings.iter().map(|finding| &*finding.symptom.name).collect();
            assert_eq!(names, [""; 0], "{}", &text[..=at]);
        }
    }
}

/// What a server reports of single requests, and what NCCL warns of, is no end as long as steps follow; between two steps nothing is known.
#[test]
fn what_single_requests_and_networks_report_between_two_steps_is_no_end() {
    let mut trainer = Written::new("logs/trainer.log");
    let mut orchestrator = Written::new("logs/orchestrator.log");
    let mut server = Written::new("logs/inference.log");
    trainer.log(0, "INFO", "Starting RL trainer in World(world_size=4, rank=0)");
    trainer.plain(1, "node3:1311:2019 [0] misc/ibvwrap.cc:94 NCCL WARN Call to ibv_open_device failed");
    orchestrator.log(0, "INFO", "Starting orchestrator");
    trainer.log(60, "INFO", "Starting training loop (max_steps=30)");
    orchestrator.log(60, "INFO", "Starting orchestrator loop (max_steps=30)");
    for step in 1..=30 {
        let at = 60 + step * 60;
        for line in ["Error in preprocessing prompt inputs", "ValueError: This model's maximum context length is 4096 tokens."] {
            let clock = at + 23 * 3600 + 40 * 60;
            let time = format!("{:02}:{:02}:{:02}", clock / 3600 % 24, clock / 60 % 60, clock % 60);
            server.plain(at, &format!("(APIServer pid=42) ERROR 11-29 {time} [serving_chat.py:240] {line}"));
        }
        trainer.plain(at, "node3:1311:2310 [0] transport/net_ib.cc:211 NCCL WARN NET/IB : Unable to open device mlx5_7");
        let step_line = "Reward 0.3000 | Trainable 64/64 (100.0%) | Turns 2.0 | Branches 1.0 | Max Off-Policy 1 | Error 0.0% | Truncation 0.0%";
        orchestrator.log(at + 20, "SUCCESS", &format!("Step {step} | 1m 0s | {step_line}"));
        trainer.log(
            at + 30,
            "SUCCESS",
            &format!("Step {step} | 1m 0s | Loss 0.0010 | Entropy 0.3801 | Mismatch KL 0.0010 | Grad. Norm 0.0310 | LR 1.00e-06"),
        );
    }
    orchestrator.log(2000, "SUCCESS", "Orchestrator finished.");
    trainer.log(2001, "SUCCESS", "RL trainer finished!");
    is_well(&[trainer, orchestrator, server]);
}

/// A log that is copied while a process writes about an exception that it handles.
#[test]
fn a_traceback_that_is_still_being_written_is_no_end() {
    let start = "09:00:00    INFO Starting orchestrator (algorithm: grpo)\n09:00:05    INFO Starting orchestrator loop (max_steps=100)\n\
        09:03:00 SUCCESS Step 1 |   1m 2s | Reward 0.3000 | Trainable 64/64 (100.0%) | Turns 2.0\n";
    let handled = [
        // `traceback.print_exc()`, from the function that handles it on.
        "Traceback (most recent call last):\n  File \"/app/src/prime_rl/orchestrator/scheduler.py\", line 120, in poll\n    await client.get(url)\n  \
         File \"/app/.venv/lib/python3.12/site-packages/httpx/_client.py\", line 1767, in get\n    return await self.request(url)\n",
        // A chain.
        "Traceback (most recent call last):\n  File \"/app/.venv/lib/python3.12/site-packages/httpcore/_async/pool.py\", line 20, in connect\n    \
         raise error\nOSError: [Errno 111] Connect call failed\n\nDuring handling of the above exception, another exception occurred:\n\n\
         Traceback (most recent call last):\n  File \"/app/src/prime_rl/utils/client.py\", line 61, in check\n    await self.connect()\n",
        // loguru, from the top of the program on, with a mark where it was caught.
        "09:04:00   ERROR Failed to reload the adapter, trying again\nTraceback (most recent call last):\n\n  \
         File \"/app/.venv/bin/orchestrator\", line 10, in <module>\n    sys.exit(main())\n    │   │    └ <function main at 0x7f>\n    │   └ <built-in function exit>\n  \
         File \"/app/src/prime_rl/orchestrator/orchestrator.py\", line 800, in main\n    asyncio.run(orchestrate(config))\n",
    ];
    for text in handled.map(|handled| format!("{start}{handled}")) {
        for end in (start.len()..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            let cut = &text[..end];
            // Until its sentence follows, the first exception of a chain looks like the only one.
            if cut.contains("\nO") && !cut.contains("During handling of the above exception") {
                continue;
            }
            assert_eq!(of_cut(cut), [""; 0], "{cut}");
        }
    }
}

fn of_cut(text: &str) -> Vec<String> {
    let matcher = Matcher::new();
    let mut log = Log::new(&matcher);
    log.feed(text.as_bytes());
    let findings = conclude(
        &[log.finish().at(Path::new("run/logs/process.log"))],
        &RunContext { is_training: true, ..RunContext::default() },
    );
    findings.iter().map(|finding| finding.symptom.name.to_string()).collect()
}
