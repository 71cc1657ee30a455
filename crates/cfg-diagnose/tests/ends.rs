//! Ends of processes of which the line that says most is not the last one, or that only the clock shows.

mod logs;

use logs::found;

const TRAINER: &str = "10:00:01    INFO Starting RL trainer in World(world_size=1, rank=0, local_rank=0)\n";
const ORCHESTRATOR: &str = "10:00:01    INFO Starting orchestrator\n10:02:06    INFO Starting orchestrator loop (max_steps=20)\n";
const STEP: &str = "10:04:00 SUCCESS Step 0 | 105.2s | Reward 0.3100 | Trainable 120/128 (93.8%) | Turns 1.0 | Branches 1.0 | Max Off-Policy 1 | Error 0.0% | Truncation 1.2%\n";

/// The names of the symptoms, each with its first line.
fn quoted(logs: &[(&str, &str)]) -> Vec<(String, String)> {
    let of = |finding: &cfg_diagnose::Finding| (finding.symptom.name.to_string(), finding.sightings[0].first.text.clone());
    found(logs).iter().map(of).collect()
}

#[test]
fn the_driver_says_more_of_a_card_than_the_exception_does() {
    let failed = "[rank2]: Traceback (most recent call last):\n[rank2]:   File \"/app/src/prime_rl/trainer/rl/train.py\", line 520, in train\n\
        [rank2]:     optimizer.step()\n[rank2]: torch.AcceleratorError: CUDA error: unspecified launch failure\n";
    let xid = "[ 8123.114512] NVRM: Xid (PCI:0000:4e:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n";
    let alone = quoted(&[("logs/trainer.log", &format!("{TRAINER}{failed}"))]);
    assert_eq!(alone.len(), 1, "{alone:?}");
    assert_eq!(alone[0].0, "kernel-launch-failed");
    for log in [format!("{TRAINER}{failed}{xid}"), format!("{TRAINER}{xid}{failed}")] {
        let both = quoted(&[("logs/trainer.log", &log)]);
        assert_eq!(both.len(), 1, "{both:?}");
        assert!(both[0].0 == "gpu-hardware" && both[0].1.contains("Xid"), "{both:?}");
    }
}

#[test]
fn a_pod_that_starts_again_and_again_ended_for_a_reason() {
    let waits = "    State:          Waiting\n      Reason:       CrashLoopBackOff\n";
    let killed = "    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n";
    let names = |log: &str| quoted(&[("trainer-0.log", log)]).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(&format!("{TRAINER}{waits}")), ["pod-restarts"]);
    assert_eq!(names(&format!("{TRAINER}{waits}{killed}")), ["pod-out-of-memory"]);
}

/// What another node or another pod says may be of another fault.
#[test]
fn a_line_yields_only_to_one_beside_it() {
    let failed = "[rank2]: Traceback (most recent call last):\n[rank2]:   File \"/app/src/prime_rl/trainer/rl/train.py\", line 520, in train\n\
        [rank2]:     optimizer.step()\n[rank2]: torch.AcceleratorError: CUDA error: unspecified launch failure\n";
    let xid = "[ 8123.114512] NVRM: Xid (PCI:0000:4e:00): 43, pid=99, name=ffmpeg\n";
    let told = quoted(&[("logs/trainer.log", &format!("{TRAINER}{failed}")), ("node7/dmesg.txt", xid)]);
    let names: Vec<&str> = told.iter().map(|(name, _)| &**name).collect();
    assert!(names.contains(&"kernel-launch-failed") && names.contains(&"gpu-hardware"), "{told:?}");
    let names = |log: &str| {
        let mut names: Vec<String> = quoted(&[("job.log", log)]).into_iter().map(|(name, _)| name).collect();
        names.sort();
        names
    };
    let listed = "trainer-0     0/1   OOMKilled          0   5m\ninference-0   0/1   ImagePullBackOff   0   5m\n";
    assert_eq!(names(&format!("{TRAINER}{listed}")), ["image-not-pulled", "pod-out-of-memory"]);
    let restarts = |pod: &str| format!("{TRAINER}[pod/a/x] OOMKilled\n[pod/{pod}/x] CrashLoopBackOff\n");
    assert_eq!(names(&restarts("a")), ["pod-out-of-memory"]);
    assert_eq!(names(&restarts("b")), ["pod-out-of-memory", "pod-restarts"]);
}

/// The number of a port or a process is not the status.
#[test]
fn an_accepted_broadcast_is_no_failure() {
    for path in ["init_broadcaster", "update_weights"] {
        for (pid, port) in [(1234, 50012), (50012, 44012), (500, 44500)] {
            let log = |status: &str| {
                format!(
                    "(APIServer pid={pid}) INFO 07-02 10:00:20 [api_server.py:1805] vLLM API server version 0.19.0\n\
                     (APIServer pid={pid}) INFO:     127.0.0.1:{port} - \"POST /{path} HTTP/1.1\" {status}\n"
                )
            };
            let names = |status: &str| quoted(&[("logs/inference.log", &log(status)), ("logs/trainer.log", TRAINER)]);
            assert_eq!(names("200 OK"), [], "{path} {pid}");
            let failed = names("500 Internal Server Error");
            assert_eq!(failed.len(), 1, "{path} {pid} {failed:?}");
        }
    }
}

/// A run does not survive it, so it is told before anything has been waited for.
#[test]
fn a_server_that_cannot_join_the_broadcast_ends_the_start() {
    let server = "(APIServer pid=311) INFO 07-02 10:00:20 [api_server.py:1805] vLLM API server version 0.19.0\n\
        (EngineCore_DP0 pid=402) ERROR 07-02 10:02:24 [core.py:994] Invocation of collective_rpc method failed\n\
        (EngineCore_DP0 pid=402) ERROR 07-02 10:02:24 [core.py:994] RuntimeError: NCCL error: unhandled system error\n\
        (APIServer pid=311) INFO:     127.0.0.1:52504 - \"POST /init_broadcaster HTTP/1.1\" 500 Internal Server Error\n";
    let orchestrator = "10:00:01    INFO Starting orchestrator\n10:02:19    INFO Initializing weight broadcast (type=nccl)\n";
    let logs = [("logs/inference.log", server), ("logs/orchestrator.log", orchestrator), ("logs/trainer.log", TRAINER)];
    let told = quoted(&logs);
    let (name, line) = told.first().expect("a finding");
    assert!(name == "broadcast-not-joined" && line.contains("caused by RuntimeError: NCCL error"), "{told:?}");
}

#[test]
fn a_task_that_nobody_waits_for_is_missed_once_the_run_stands_still() {
    let task = "10:04:31   ERROR Task exception was never retrieved\n\
        future: <Task finished name='Task-91' coro=<WeightWatcher.run() done> exception=KeyError('abc')>\n\
        Traceback (most recent call last):\n  File \"/app/src/prime_rl/orchestrator/watcher.py\", line 77, in run\n    version = self.versions[name]\n\
        KeyError: 'abc'\n";
    let lags = |hours: u32| -> String {
        let lag = |at: u32| format!("{}:{:02}:00 WARNING Event loop lag is 0.3s\n", 10 + at / 6, at % 6 * 10 + 5);
        (0..hours * 6).map(lag).collect::<Vec<String>>().concat()
    };
    let log = |below: &str| format!("{ORCHESTRATOR}{STEP}{task}{below}");
    assert_eq!(quoted(&[("logs/orchestrator.log", &log("10:06:00 WARNING Event loop lag is 0.3s\n"))]), []);
    let missed = quoted(&[("logs/orchestrator.log", &log(&lags(2)))]);
    assert_eq!(missed, [("uncaught-exception".to_owned(), "KeyError: 'abc'".to_owned())]);
    // The run went on.
    let went_on = lags(2) + &STEP.replace("10:04:00", "11:58:00").replace("Step 0", "Step 1");
    assert!(quoted(&[("logs/orchestrator.log", &log(&went_on))]).iter().all(|(name, _)| name != "uncaught-exception"));
}

#[test]
fn reward_functions_that_fail_often_are_quoted() {
    let steps = |failures: u32| -> String {
        let step = |at: u32| {
            let failed = format!("10:{:02}:00 WARNING Error calling reward function correct: KeyError('answer')\n", at + 4)
                .repeat(failures as usize);
            failed + &STEP.replace("10:04:00", &format!("10:{:02}:50", at + 4)).replace("Step 0", &format!("Step {at}"))
        };
        (0..20).map(step).collect()
    };
    let names = |log: &str| quoted(&[("logs/orchestrator.log", log)]).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert!(names(&format!("{ORCHESTRATOR}{}", steps(16))).contains(&"reward-function-failed".to_owned()));
    assert!(!names(&format!("{ORCHESTRATOR}{}", steps(0))).contains(&"reward-function-failed".to_owned()));
}

/// prime-rl's script looks for InfiniBand on each node, and the trainer begins a minute later.
#[test]
fn a_node_without_infiniband_has_not_failed() {
    let job = |program: &str| format!("MASTER_ADDR=n3\nMASTER_PORT=29500\nbash: line 12: {program}: command not found\n");
    assert_eq!(quoted(&[("job_8.log", &job("ibv_devinfo"))]), []);
    assert_eq!(quoted(&[("job_8.log", &job("uv"))]).len(), 1);
}

/// pydantic's head and the line below it are one fault.
#[test]
fn what_vllm_refuses_is_one_finding() {
    let head = "(APIServer pid=1) INFO 07-02 10:00:20 [api_server.py:1805] vLLM API server version 0.19.0\n\
        (APIServer pid=1) Traceback (most recent call last):\n(APIServer pid=1)   File \"/app/lib/vllm/engine/arg_utils.py\", line 40, in f\n\
        (APIServer pid=1) pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig\n";
    let reason = "(APIServer pid=1)   Value error, User-specified max_model_len (65536) is greater than the derived max_model_len (40960). [type=value_error]\n";
    let names = |log: &str| quoted(&[("logs/inference.log", log)]).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(&format!("{head}{reason}")), ["context-beyond-model"]);
    assert_eq!(names(&format!("{head}(APIServer pid=1)   Value error, something else [type=value_error]\n")), ["refused-value"]); // Another process wrote the line between.
    let between = "(EngineCore_DP0 pid=402) torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n";
    let log = format!("{head}{between}(APIServer pid=1)   Value error, something else [type=value_error]\n");
    let told = quoted(&[("logs/inference.log", &log)]);
    let refused = told.iter().find(|(name, _)| name == "refused-value").expect("the refused value");
    assert!(told.len() == 2 && refused.1.contains("ModelConfig Value error, something else"), "{told:?}");
}

/// What nothing caught has ended its process, even if the log does not say with what; else something other must say that it ended.
#[test]
fn a_cut_traceback_is_an_end_if_nothing_caught_it() {
    let frame = "File \"/app/src/prime_rl/trainer/rl/train.py\", line 520, in train\n    loss.backward()\n";
    let handled = format!("{TRAINER}Traceback (most recent call last):\n  {frame}");
    assert_eq!(quoted(&[("logs/trainer.log", &handled)]), []);
    let launcher = "10:00:00    INFO Starting RL run\n10:04:10   ERROR Error: Trainer failed with exit code 1\n";
    assert_ne!(quoted(&[("logs/trainer.log", &handled), ("logs/rl.log", launcher)]), []);
    for ended in [
        format!(
            "Traceback (most recent call last):\n  File \"/app/.venv/bin/trainer\", line 10, in <module>\n    main()\n  {frame}"
        ),
        format!("[rank1]: Traceback (most recent call last):\n[rank1]:   {}", frame.replace("    loss", "[rank1]:     loss")),
        format!("10:04:00   ERROR Fatal error in train\nTraceback (most recent call last):\n  {frame}"),
    ] {
        let told = quoted(&[("logs/trainer.log", &format!("{TRAINER}{ended}"))]);
        assert!(told.len() == 1 && told[0].0 == "uncaught-exception", "{told:?}: {ended}");
    }
}

#[test]
fn the_disk_of_a_node_ends_a_pod_in_several_words() {
    for words in [
        "Pod ephemeral local storage usage exceeds the total limit of containers 50Gi.",
        "Container trainer exceeded its local ephemeral storage limit \"50Gi\".",
        "Usage of EmptyDir volume \"dshm\" exceeds the limit \"64Gi\".",
    ] {
        let events = format!(
            "2m11s       Warning   Evicted     pod/prime-rl-trainer-0    {words}\n2m11s  Normal  Killing  pod/prime-rl-trainer-0  x\n"
        );
        let told = quoted(&[("logs/trainer.log", TRAINER), ("events.txt", &events)]);
        assert_eq!(told.into_iter().map(|(name, _)| name).collect::<Vec<_>>(), ["pod-killed"], "{words}");
    }
}

/// What a server asks of a library before it chooses another one is no failure.
#[test]
fn a_kernel_that_is_not_chosen_is_no_failure() {
    let server = "10:00:01    INFO Starting inference on http://0.0.0.0:8000/v1\n\
        (EngineCore_DP0 pid=140) ERROR 11-12 10:00:44 [fa_utils.py:59] Cannot use FA version 3 is not supported due to FA3 is only supported on devices \
        with compute capability >= 8 excluding 8.6 and 8.9\n";
    assert_eq!(quoted(&[("logs/inference.log", server)]), []);
    let ended = "Traceback (most recent call last):\n  File \"/app/.venv/bin/trainer\", line 10, in <module>\n    main()\n\
        AssertionError: FlashAttention-3 only supports Hopper\n";
    assert_eq!(quoted(&[("logs/trainer.log", &format!("{TRAINER}{ended}"))])[0].0, "flash-attn-card");
}

/// The assembler's word about the card says more than that of the compiler around it.
#[test]
fn the_assembler_says_more_than_the_compiler() {
    let ended = "Traceback (most recent call last):\n  File \"/app/src/prime_rl/trainer/rl/train.py\", line 520, in train\n    forward()\n\
        torch._inductor.exc.InductorError: PTXASError: PTXAS error: Internal Triton PTX codegen error\n`ptxas` stderr:\n\
        ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'\n";
    let told = quoted(&[("logs/trainer.log", &format!("{TRAINER}{ended}"))]);
    assert_eq!(told.into_iter().map(|(name, _)| name).collect::<Vec<_>>(), ["ptxas-failed"]);
}

#[test]
fn a_platform_that_ends_a_container_has_the_last_word() {
    let ended =
        "Runner failed with exception: ExecutionError: Container exceeded its memory limit of 131072 MiB and was terminated\n";
    assert_eq!(quoted(&[("app.log", &format!("{TRAINER}{ended}"))])[0].0, "fatal-line");
    // What a script does last when its machine is taken away.
    let trapped = "[10:50:00] Caught SIGTERM (spot reclaim), copying checkpoints\n[10:50:31] copied\n";
    assert_eq!(quoted(&[("run.out", &format!("{TRAINER}{trapped}"))])[0].0, "fatal-line");
}

/// An inference server alone says whose it is in its first line, and in its prefix.
#[test]
fn a_server_whose_port_is_taken_is_of_a_run() {
    let refused = "(APIServer pid=9) ERROR:    [Errno 98] error while attempting to bind on address ('0.0.0.0', 8000): address already in use\n";
    for log in [refused.to_owned(), format!("10:00:00    INFO Starting inference on http://0.0.0.0:8000/v1\n{}", &refused[18..])]
    {
        assert_eq!(quoted(&[("inference.log", &log)])[0].0, "port-in-use", "{log}");
    }
}

/// A traceback that was caught and logged may begin where a child begins: a sandbox or a worker.
#[test]
fn the_logged_traceback_of_a_child_is_no_end() {
    for top in [
        "File \"<frozen runpy>\", line 198, in _run_module_as_main",
        "File \"/usr/lib/python3.12/multiprocessing/process.py\", line 314, in _bootstrap",
    ] {
        let logged = format!(
            "10:04:31 WARNING Could not score, the reward is 0\nTraceback (most recent call last):\n  {top}\n  \
             File \"/workspace/tests/test_it.py\", line 4, in check\n    assert answer\nAssertionError: wrong answer\n"
        );
        assert_eq!(quoted(&[("logs/orchestrator.log", &format!("{ORCHESTRATOR}{STEP}{logged}"))]), [], "{top}");
    }
}

#[test]
fn a_worker_that_is_told_to_end_is_replaced() {
    let went_on = "09:04:10 Caught SIGTERM, stopping worker\n09:04:11    INFO Env worker started\n";
    assert_eq!(quoted(&[("logs/env_a.log", went_on), ("logs/trainer.log", TRAINER)]), []);
    let drains = format!("{ORCHESTRATOR}{STEP}env worker 2 caught SIGTERM, draining\n");
    assert_eq!(quoted(&[("logs/orchestrator.log", &drains)]), []);
}

#[test]
fn a_sandbox_that_is_ended_is_no_container_of_the_run() {
    for last in
        ["Sandbox sb-12 was idle for 600 s and was terminated", "sandbox sb-12 exceeded its memory limit, starting another"]
    {
        assert_eq!(quoted(&[("logs/orchestrator.log", &format!("{ORCHESTRATOR}{STEP}{last}\n"))]), [], "{last}");
    }
}

#[test]
fn a_sandbox_that_is_evicted_is_no_pod_of_the_run() {
    let words = "Pod ephemeral local storage usage exceeds the total limit of containers 5Gi.";
    let step = STEP.replace("10:04:00", "10:06:00").replace("Step 0", "Step 1");
    for line in [
        format!("10:04:31 WARNING Sandbox sb-12: {words}, starting another one\n"),
        format!("10:04:31 WARNING Rollout failed (SandboxError): {words}\n"),
    ] {
        for below in ["", &step] {
            assert_eq!(quoted(&[("logs/orchestrator.log", &format!("{ORCHESTRATOR}{STEP}{line}{below}"))]), [], "{line}{below}");
        }
        let both = format!("{TRAINER}{ORCHESTRATOR}{STEP}{line}{step}");
        assert_eq!(quoted(&[("run.log", &both)]), [], "{line}");
    }
}

#[test]
fn a_chain_that_is_cut_is_an_end_if_nothing_caught_its_first_exception() {
    let frame = "File \"/app/src/prime_rl/trainer/rl/train.py\", line 520, in train\n    loss.backward()\n";
    let chain = "RuntimeError: first\n\nDuring handling of the above exception, another exception occurred:\n\n";
    let head = "Traceback (most recent call last):\n  ";
    let top = "File \"/app/.venv/bin/trainer\", line 10, in <module>\n    main()\n  ";
    let count = |log: String| quoted(&[("logs/trainer.log", &format!("{TRAINER}{log}"))]).len();
    for below in [String::new(), format!("{head}{frame}")] {
        assert_eq!(count(format!("10:04:00   ERROR Fatal error in train\n{head}{frame}{chain}{below}")), 1, "{below}");
        assert_eq!(count(format!("{head}{top}{frame}{chain}{below}")), 1, "{below}");
        assert_eq!(count(format!("{head}{frame}{chain}{below}")), 0, "{below}");
    }
}
