//! Logs after public threads, in our words: healthy ones have no finding after any line, failed ones the cause that their author found. The table in
//! `docs/diagnose.md` lists them.

use cfg_diagnose::{Log, Matcher, RunContext, conclude};

/// The findings after each line, and those at the end.
fn found(text: &str) -> (Vec<String>, Vec<(String, String)>) {
    let matcher = Matcher::new();
    let read = |text: &str| {
        let mut log = Log::new(&matcher);
        log.feed(text.as_bytes());
        conclude(&[log.finish()], &RunContext::default())
    };
    let ends = text.match_indices('\n').map(|(at, _)| at + 1);
    let between = ends.flat_map(|end| read(&text[..end])).map(|finding| finding.symptom.name.to_string());
    let last = read(text);
    let last = last.iter().map(|finding| (finding.symptom.name.to_string(), finding.sightings[0].first.text.clone()));
    (between.collect(), last.collect())
}

/// prime-rl 1630: bars without line breaks before the logger's lines, and a server that needs a minute.
#[test]
fn a_run_whose_bars_have_no_line_breaks_is_well() {
    let mut text = "16:41:33    INFO Starting orchestrator\n16:41:33    INFO Waiting for inference pool to be ready\n\
        16:41:34 WARNING [verifiers] The parser and the rubric's parser differ.\n\
        16:41:43 WARNING Inference server was not reached after 10 seconds (Error: All connection attempts failed) on http://localhost:8000\n\
        16:42:27 SUCCESS Inference pool ready\n16:42:28    INFO Starting orchestrator loop (max_steps=20)\n"
        .to_owned();
    for step in 0..20 {
        let second = step * 5 % 60;
        let minute = 43 + step * 5 / 60;
        text += &format!(
            "16:{minute}:{second:02}    INFO Starting orchestrator step {step}\n\n\
             Generating rollouts (train):   0%|          | 0/128 [00:00<?, ?it/s]16:{minute}:{second:02}    INFO Orchestrator paused: waiting for trainer \
             process to complete checkpoint {step} (>1 step(s) ahead). Training is progressing normally.\n\n\
             Generating rollouts (train):  25%|##       | 32/128 [00:05<00:15,  6.14it/s]\n\
             Generating rollouts (train): 100%|#########| 128/128 [00:05<00:00, 24.55it/s]\n\
             16:{minute}:{second:02} SUCCESS Step {step} | Time: 5.23s | Reward: 0.{step:02}98 | Throughput: 3500.7 tokens/s | Seq. Length: 142.7 \
             tokens/sample | Async Level: 1 | Max. Off-Policy Level: 1\n"
        );
    }
    assert_eq!(found(&text), (vec![], vec![]));
}

/// prime-rl 2280: nearly all answers are right, so most groups have no advantage, and the trainer is waited for at each step.
#[test]
fn a_run_that_waits_at_each_step_is_well() {
    let mut text = "00:26:00    INFO Starting orchestrator loop (max_steps=20)\n".to_owned();
    for step in 8..20 {
        text += &format!(
            "00:27:{step:02}    INFO Orchestrator resumed: checkpoint {step} ready (after 3.00s)\n\
             Generating rollouts (train): 100%|####| 128/128 [00:00<00:00, 8493.85it/s]\n\
             00:27:{step:02}    INFO Detected 97/128 rollouts (gibberish=2, zero_advantage=95), enforced 95\n\
             00:27:{step:02} SUCCESS Step {step} | Time: 3.20s | Reward: 0.9912 | Seq. Length: 331.1 tokens/sample | Async Level: 1 | Max. Off-Policy Level: 0\n\
             00:27:{step:02}    INFO Starting orchestrator step {step}\n\
             00:27:{step:02}    INFO Orchestrator paused: waiting for trainer process to complete checkpoint {step} (>1 step(s) ahead). Training is progressing normally.\n"
        );
    }
    assert_eq!(found(&text), (vec![], vec![]));
}

/// prime-rl 938: a bug of the trainer for models without experts, reported by torchrun and the launcher.
#[test]
fn the_trainer_s_exception_is_quoted_not_torchrun_s() {
    let text = "/home/me/.venv/lib/python3.12/site-packages/torch/cuda/__init__.py:63: FutureWarning: The pynvml package is deprecated.\n  \
        import pynvml  # type: ignore[import]\n10:42:46    INFO Starting RL run\n10:42:46    INFO Starting orchestrator process\n\
        10:42:46 SUCCESS Startup complete. Showing trainer logs...\n10:45:01    INFO Starting training loop (max_steps=infinite)\n\
        [rank2]: Traceback (most recent call last):\n[rank2]:   File \"/home/me/src/prime_rl/trainer/rl/train.py\", line 303, in <module>\n\
        [rank2]:     main()\n[rank2]: AttributeError: 'NoneType' object has no attribute 'mean'\n\
        W0917 10:46:03.100000 31700 torch/distributed/elastic/multiprocessing/api.py:900] Sending process 31787 closing signal SIGTERM\n\
        E0917 10:46:03.500000 31700 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1) local_rank: 2 (pid: 31789) of binary: python\n\
        Traceback (most recent call last):\n  File \"/home/me/.venv/bin/torchrun\", line 10, in <module>\n    sys.exit(main())\n\
        torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n============================\nprime_rl.trainer.rl.train FAILED\n\
        Root Cause (first observed failure):\n[0]:\n  rank      : 2 (local_rank: 2)\n  exitcode  : 1 (pid: 31789)\n\
        10:46:04   ERROR Error: Trainer failed with exit code 1\n10:46:04   ERROR Terminating all processes...\n";
    let (_, last) = found(text);
    assert_eq!(last, [("uncaught-exception".to_owned(), "AttributeError: 'NoneType' object has no attribute 'mean'".to_owned())]);
}

/// prime-rl 3139, 3140: the server of an environment ends while it starts, and the orchestrator waits for its address.
#[test]
fn the_exception_of_an_environment_s_server_is_quoted() {
    let text = "2026-07-24 10:00:01,001 - verifiers.serve.server - EnvServer - INFO - Starting server for my-env\n\
        Traceback (most recent call last):\n  File \"/app/verifiers/serve/server.py\", line 40, in main\n    env = load()\n\
        LookupError: no taskset of this name\n";
    let (_, last) = found(text);
    assert_eq!(last, [("uncaught-exception".to_owned(), "LookupError: no taskset of this name".to_owned())]);
}

/// prime-rl 1318: an orchestrator's log of an early version, of which only the bars' last states were kept.
#[test]
fn a_run_whose_bars_are_whole_is_well() {
    let mut text =
        "02:00:00    INFO Starting orchestrator\n02:00:01    INFO Starting orchestrator loop (max_steps=100)\n".to_owned();
    for step in 0..20 {
        let minute = 1 + step;
        text += &format!(
            "02:{minute:02}:00    INFO Starting orchestrator step {step}\nGenerating rollouts (train): 100%|####| 512/512 [00:58<00:00,  7.44it/s]\n\
             02:{minute:02}:59 SUCCESS Step {step} | Time: 59.72s | Reward: 0.3{step:02}0 | Throughput: 2396.7 tokens/s | Seq. Length: 329.1 tokens/sample | \
             Async Level: 1 | Max. Off-Policy Level: 0\n"
        );
    }
    assert_eq!(found(&text), (vec![], vec![]));
}

/// prime-rl 999: supervised fine-tuning in seconds.
#[test]
fn a_short_fine_tuning_is_well() {
    let mut text = String::new();
    for step in 0..5 {
        text += &format!(
            "02:40:5{step} SUCCESS Step {step} | Time: 0.36s | Loss: 12.2{step}00 | Grad. Norm: 2.2032 | LR: 1.00e-06 | Throughput: 4175 tokens/s | MFU: 1.2% | \
             Peak Mem.: 5.2/23.7 GiB (22.1%) | Max Vio: 1.0000\n"
        );
    }
    text += "02:40:54    INFO Peak memory: 5.2 GiB\n02:40:54 SUCCESS SFT trainer finished!\n";
    assert_eq!(found(&text), (vec![], vec![]));
}

/// prime 784: hosted training; no rollout is in progress any more after the first evaluation.
#[test]
fn a_batch_without_rollouts_in_progress_stalls() {
    let mut text = "18:10:00 [INFO] Starting orchestrator (algorithm: grpo)\n18:10:10 [INFO] Starting orchestrator loop (max_steps=50)\n\
        18:14:57 [SUCCESS] Step 1 |   25.0s | Reward 0.1702 | Trainable 16/16 (100.0%) | Turns 1.0 | Branches 1.0 | Max Off-Policy 0 | Error 0.0%\n\
        18:15:07 [INFO] Train batch 8/16 (50.0%) (+14 buffered) | me/env@0.1.13 60/64 (93.8%); 4 inflight rollouts (train=3, eval=1)\n\
        18:15:09 [SUCCESS] Step 2 |    9.5s | Reward 0.1972 | Trainable 16/16 (100.0%) | Turns 1.0 | Branches 1.0 | Max Off-Policy 0 | Error 0.0%\n\
        18:15:19 [SUCCESS] Evaluated me/env@0.1.13 (Step 0) | Policy v0 |  4m 50s | Reward 0.2000 | Turns 1.0 | Branches 1.0 | Error 0.0%\n"
        .to_owned();
    let stands = |minute: u32| {
        format!("18:{minute}:27 [INFO] Train batch 0/16 (0.0%) (+8 buffered); 0 inflight rollouts (train=0, eval=0)\n")
    };
    text += &(15..28).map(stands).collect::<String>();
    assert_eq!(found(&text), (vec![], vec![]));
    text += &(28..40).map(stands).collect::<String>();
    let (_, last) = found(&text);
    assert_eq!(last.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["rollouts-stalled"]);
}

/// prime 416: every batch of a step is empty, because all rollouts fail.
#[test]
fn empty_batches_end_the_orchestrator() {
    let text = "09:03:00 SUCCESS Step 2 | Time: 41.00s | Reward: 0.1200 | Seq. Length: 900.0 tokens/sample | Async Level: 1 | Max. Off-Policy Level: 1\n\
        09:05:00 WARNING Step 3 produced 0 training samples (attempt 1/5). Retrying in 30s...\n\
        09:20:00   ERROR An error has been caught in function 'orchestrate', process 'MainProcess' (11), thread 'MainThread' (1):\n\
        Traceback (most recent call last):\n  File \"/app/src/prime_rl/orchestrator/orchestrator.py\", line 471, in orchestrate\n\
        RuntimeError: Step 3 failed after 5 consecutive empty batches\n";
    let (between, last) = found(text);
    // Cut within the traceback, the log shows where it stood.
    assert_eq!(between, ["uncaught-exception", "empty-batches"]);
    assert_eq!(last[0].1, "RuntimeError: Step 3 failed after 5 consecutive empty batches");
}

/// prime-rl 1098: NCCL refuses what LoRA's trainer sends.
#[test]
fn an_error_of_nccl_on_one_rank_is_quoted() {
    let text = "10:58:51    INFO Starting RL trainer in World(world_size=24, rank=0, local_rank=0)\n\
        10:59:01    INFO LoRA enabled: 1,073,741,824 adapter params adapting 31,205,621,760 base params\n\
        10:59:30    INFO Starting training loop (max_steps=300)\n[rank18]: Traceback (most recent call last):\n\
        [rank18]:   File \"/app/src/prime_rl/trainer/rl/broadcast/nccl.py\", line 60, in broadcast\n\
        [rank18]:     self.communicator.broadcast(t, src=0)\n[rank18]: RuntimeError: NCCL Error 5: invalid usage\n";
    assert_eq!(found(text).1, [("uncaught-exception".to_owned(), "RuntimeError: NCCL Error 5: invalid usage".to_owned())]);
}

/// prime-rl 3186: rank 13 waits in an all-to-all of its experts; rank 0 only hears of it.
#[test]
fn the_rank_that_timed_out_is_named() {
    let text = "22:55:00    INFO Starting training loop (max_steps=50)\n\
        [rank0]:[E804 23:05:54.816499929 ProcessGroupNCCL.cpp:1849] [PG ID 0 PG GUID 0(default_pg) Rank 0] Observed flight recorder dump signal from \
        another rank via TCPStore.\n\
        [rank13]:[E804 23:05:54.510486595 ProcessGroupNCCL.cpp:632] [Rank 13] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4539, \
        OpType=ALLTOALL_BASE, NumelIn=544997376, NumelOut=544997376, Timeout(ms)=600000) ran for 600061 milliseconds before timing out.\n";
    let (_, last) = found(text);
    assert_eq!(last[0].0, "nccl-timeout");
    assert!(last[0].1.contains("[Rank 13]"), "{last:?}");
}

/// prime-rl 3020: the trainer ends while it joins NCCL; only the launcher says so.
#[test]
fn the_launcher_s_word_is_enough() {
    let text = "09:00:00    INFO Starting RL run\n09:00:01    INFO Starting orchestrator process\n\
        09:00:02 SUCCESS Startup complete. Showing orchestrator logs...\n\
        09:01:02    INFO Initializing NCCL broadcast: 1 servers, inference_world_size=1, gpus_per_server=1\n\
        09:01:07   ERROR Error: Trainer failed with exit code 1\n09:01:07   ERROR Terminating all processes...\n";
    assert_eq!(
        found(text).1,
        [("process-failed".to_owned(), "09:01:07   ERROR Error: Trainer failed with exit code 1".to_owned())]
    );
}

/// A diary of a DeepSeek run on 16 nodes: reading 1.1 TB takes 36 minutes, the allocator runs out of memory and tries again, a few harnesses fail, half of
/// the episodes teach nothing, and a checkpoint of 3 TB takes longer than a step.
#[test]
fn a_large_run_whose_parts_all_take_long_is_well() {
    let mut text = "03:00:00    INFO Starting orchestrator (algorithm: grpo)\n03:01:00    INFO Waiting for policy inference pool to be ready\n".to_owned();
    for minute in 2..36 {
        text += &format!(
            "03:{minute:02}:00 WARNING Inference server was not reached after {} seconds (Error: All connection attempts failed) on http://10.0.0.1:8000\n",
            (minute - 1) * 60
        );
    }
    text += "03:36:24 SUCCESS Policy inference pool ready after 36m 24s\n\
        (Worker_TP0 pid=81) [W824 03:36:35.123 CUDACachingAllocator.cpp:1234] Warning: memory allocation failed with OOM, trying to allocate 13191086080 bytes\n\
        (Worker_TP0 pid=81) WARNING 08-24 03:36:53 [layerwise.py:268] DeepseekV4ScalingRotaryEmbedding: Failed to load weights\n\
        03:37:00    INFO Starting orchestrator loop (max_steps=200)\n";
    for minute in 37..56 {
        text += &format!("03:{minute}:30    INFO Train batch 0/64 (0.0%); 92 inflight episodes (train=92, eval=0)\n");
    }
    for step in 1..25_u32 {
        let (hour, minute) = (4 + step * 5 / 60, step * 5 % 60);
        text += &format!(
            "{hour:02}:{minute:02}:00 WARNING Trace failed in group {step} (scaleswe) — HarnessError: harness setup: RuntimeError: failed to prepare uv script\n\
             {hour:02}:{minute:02}:10 SUCCESS Step {step} | 15m 56s | Reward 0.7{step:02}0 | Trainable 64/64 (100.0%) | Turns 25.6 | Branches 1.1 | \
             Max Off-Policy {step} | Error 0.0% | Cancelled 15.3% | Truncation 0.0%\n\
             {hour:02}:{minute:02}:11 WARNING Discarded 72/136 episodes (52.9%): stale=0, errored=0, no_signal=72\n\
             {hour:02}:{minute:02}:12 WARNING Cancelled 8 train episodes past max_off_policy_steps=32. Consider increasing it to avoid this.\n\
             {hour:02}:{minute:02}:13 WARNING Trainer waited 799.00s for a batch, longer than its active time 305.00s - add more inference nodes\n"
        );
    }
    assert_eq!(found(&text), (vec![], vec![]));
}

/// The same diary: after the first step, the new weights do not fit beside the cache of the server.
#[test]
fn an_update_of_weights_that_does_not_fit_is_the_server_s() {
    let text = "(APIServer pid=2) INFO 08-24 03:00:05 [api_server.py:1805] vLLM API server version 0.17.0\n\
        (Worker_TP3 pid=84) ERROR 08-24 04:04:34 [multiproc_executor.py:700]   File \"/app/src/prime_rl/inference/vllm/worker/nccl.py\", line 44\n\
        (Worker_TP3 pid=84) ERROR 08-24 04:04:34 [multiproc_executor.py:700] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 12.25 GiB. GPU 3 \
        has a total capacity of 139.80 GiB of which 7.56 GiB is free.\n\
        (APIServer pid=2) INFO:     10.0.0.1:39012 - \"POST /update_weights HTTP/1.1\" 500 Internal Server Error\n";
    assert_eq!(found(text).1[0].0, "server-out-of-memory");
}

/// The same diary: the server needs longer than the orchestrator waits.
#[test]
fn a_server_that_is_not_ready_in_time_is_named() {
    let text = "03:00:00    INFO Starting orchestrator (algorithm: grpo)\nTraceback (most recent call last):\n\
        \x20 File \"/app/src/prime_rl/orchestrator/clients.py\", line 365, in wait_for_ready\n    raise TimeoutError(msg)\n\
        TimeoutError: Inference server is not ready after 1800 (>1800) seconds. Aborting...\n";
    assert_eq!(found(text).1[0].0, "inference-not-ready");
}

/// `OpenRLHF` 1193, `SkyRL` 1398: the engine logs that it could not take the weights, and goes on.
#[test]
fn an_update_that_the_engine_refuses_is_reported() {
    let text = "(EngineCore_DP2 pid=598582) ERROR 03-26 20:21:53 [core.py:1299] Invocation of collective_rpc method failed\n\
        (EngineCore_DP2 pid=598582) ERROR 03-26 20:21:53 [core.py:1299] Traceback (most recent call last):\n\
        (EngineCore_DP2 pid=598582) ERROR 03-26 20:21:53 [core.py:1299]   File \"/app/vllm/v1/engine/core.py\", line 1289, in run\n\
        (EngineCore_DP2 pid=598582) ERROR 03-26 20:21:53 [core.py:1299] AttributeError: no method of this name\n";
    let (_, last) = found(text);
    assert_eq!(last.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["weights-not-updated"]);
}
