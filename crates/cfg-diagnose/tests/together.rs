//! What several processes write into one log, and what they say about each other: whose failure it is, when it was, and what only reports it.

mod logs;

use cfg_diagnose::{Component, Finding, ProcessState, RunEnd, processes};
use logs::{found, scanned};

/// The names of the findings, and the first lines that show them.
fn told(logs: &[(&str, &str)]) -> Vec<(String, String)> {
    let sightings = |finding: &Finding| {
        let name = finding.symptom.name.to_string();
        finding.sightings.iter().map(|seen| (name.clone(), seen.first.text.clone())).collect::<Vec<_>>()
    };
    found(logs).iter().flat_map(sightings).collect()
}

const START: &str = "10:00:01    INFO Starting orchestrator\n10:00:02    INFO Starting orchestrator loop (max_steps=100)\n";

/// Steps of the orchestrator, one in a minute.
fn steps(count: usize) -> String {
    let step = |minute: usize| {
        format!(
            "10:{minute:02}:30    INFO Train batch 64/128 (50.0%)\n10:{minute:02}:59 SUCCESS Step {minute} |   55.2s | Reward 0.3000 | Trainable 96/128 (75.0%) | Turns 1.0 \
             | Branches 1.0 | Max Off-Policy 1 | Error 5.5% | Truncation 1.2%\n"
        )
    };
    START.to_owned() + &(1..=count).map(step).collect::<String>()
}

#[test]
fn each_of_several_tracebacks_between_each_other_s_lines_is_quoted() {
    let log = "10:00:01    INFO Starting RL trainer in World(world_size=2, rank=0, local_rank=0)\n\
        [rank1]: Traceback (most recent call last):\n\
        [rank0]: Traceback (most recent call last):\n\
        [rank1]:   File \"/app/src/prime_rl/trainer/model.py\", line 12, in get_model\n\
        [rank0]:   File \"/app/src/prime_rl/trainer/model.py\", line 14, in get_model\n\
        [rank1]:     return cls(config)\n\
        [rank0]:     barrier()\n\
        [rank1]: ValueError: no such thing\n\
        [rank0]: RuntimeError: the other one is gone\n";
    let expected = ["ValueError: no such thing", "RuntimeError: the other one is gone"];
    let told = told(&[("logs/trainer.log", log)]);
    assert_eq!(told.iter().map(|(_, text)| &**text).collect::<Vec<_>>(), expected, "{told:?}");
}

/// What other processes write between the lines of one does not make it longer.
#[test]
fn long_tracebacks_of_many_ranks_are_one() {
    let frame = |depth| format!("  File \"/app/src/prime_rl/trainer/model.py\", line {depth}, in f{depth}\n    f{depth}()");
    let own: Vec<String> = std::iter::once("Traceback (most recent call last):".to_owned())
        .chain((0..60).flat_map(|depth| frame(depth).lines().map(str::to_owned).collect::<Vec<_>>()))
        .chain(["ValueError: the same for all".to_owned()])
        .collect();
    let lines = own.iter().flat_map(|line| (0..8).map(move |rank| format!("[rank{rank}]: {line}\n")));
    let log = "10:00:01    INFO Starting RL trainer in World(world_size=8, rank=0, local_rank=0)\n".to_owned()
        + &lines.collect::<String>();
    let told = told(&[("logs/trainer.log", &log)]);
    assert_eq!(told.iter().map(|(_, text)| &**text).collect::<Vec<_>>(), ["ValueError: the same for all"], "{told:?}");
}

#[test]
fn chains_of_ranks_between_each_other_s_lines_are_one() {
    let chain = "Traceback (most recent call last):\n  File \"/app/a.py\", line 1, in f\n    f()\nKeyError: 'x'\n\n\
        During handling of the above exception, another exception occurred:\n\n\
        Traceback (most recent call last):\n  File \"/app/b.py\", line 2, in g\n    g()\nRuntimeError: nothing to do\n";
    let lines = chain.lines().flat_map(|line| [format!("[rank0]: {line}\n"), format!("[rank1]: {line}\n")]);
    let log = "10:00:01    INFO Starting RL trainer in World(world_size=2, rank=0, local_rank=0)\n".to_owned()
        + &lines.collect::<String>();
    let told = told(&[("logs/trainer.log", &log)]);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].1, "RuntimeError: nothing to do (caused by KeyError: 'x')");
}

#[test]
fn in_the_output_of_a_whole_job_a_traceback_says_whose_it_is() {
    let of = |process: &str, place: &str| {
        let log = format!(
            "TRAIN_HOSTS=n2\nMASTER_PORT=29500\n0: 10:00:01    INFO Starting RL trainer in World(world_size=16, rank=0, local_rank=0)\n\
             1: {process}Traceback (most recent call last):\n1: {process}  File \"{place}\", line 3, in f\n1: {process}    f()\n\
             1: {process}ValueError: too many values to unpack\nsrun: error: n2: task 1: Exited with exit code 1\n"
        );
        let logs = [("slurm-8812.out", &*log)];
        let findings = found(&logs);
        let failed: Vec<Component> = processes(&scanned(&logs))
            .0
            .into_iter()
            .filter(|process| process.state == ProcessState::Failed)
            .map(|process| process.component)
            .collect();
        (findings[0].sightings[0].component, failed)
    };
    let trainer = (Component::Trainer, vec![Component::Trainer]);
    assert_eq!(of("[rank9]: ", "/app/src/prime_rl/trainer/model.py"), trainer);
    assert_eq!(of("[rank9]: ", "/app/lib/torch/nn/modules/module.py"), trainer);
    assert_eq!(of("[default1]:[rank1]: ", "/app/src/prime_rl/trainer/sft/train.py"), trainer);
    assert_eq!(of("", "/app/src/prime_rl/orchestrator/ckpt.py"), (Component::Orchestrator, vec![Component::Orchestrator]));
    assert_eq!(of("[rank1]: ", "/app/lib/vllm/v1/worker/gpu_worker.py"), (Component::Inference, vec![Component::Inference]));
}

#[test]
fn a_list_of_errors_is_quoted_with_the_first() {
    let log = START.to_owned()
        + "Traceback (most recent call last):\n  File \"/app/src/prime_rl/orchestrator/envs.py\", line 3, in run\n    validate(wire)\n\
           pydantic_core._pydantic_core.ValidationError: 2 validation errors for Trace[TaskT]\nnodes.0.content\n  Input should be a valid string [type=string_type]\n\
               For further information visit x\nrewards\n  Field required\n";
    let told = told(&[("logs/orchestrator.log", &log)]);
    assert!(
        told[0].1.ends_with("for Trace[TaskT] nodes.0.content: Input should be a valid string [type=string_type]"),
        "{told:?}"
    );
    // Nothing below it.
    let (cut, _) = log.split_once("nodes.0").expect("it is there");
    assert!(self::told(&[("logs/orchestrator.log", cut)])[0].1.ends_with("2 validation errors for Trace[TaskT]"));
}

#[test]
fn the_script_of_a_job_that_ends_before_any_process_is_quoted() {
    let begin = "HOSTNAMES=n1\nMASTER_ADDR=n1\nMASTER_PORT=29500\n";
    for (words, expected) in [
        ("/var/spool/slurmd/job9/slurm_script: line 44: HF_HOME: unbound variable\n", "line 44: HF_HOME: unbound variable"),
        (
            "error: Failed to fetch: `https://wheels.example.org/torch.whl`\n  Caused by: Request failed after 3 retries\n  Caused by: operation timed out\n",
            "torch.whl` (caused by operation timed out)",
        ),
    ] {
        let told = told(&[("job_902.log", &format!("{begin}{words}"))]);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].1.ends_with(expected), "{told:?}");
    }
}

#[test]
fn the_last_words_of_a_job_end_the_run() {
    let logs = |code: i32| {
        let words = format!("[gpu-7] component exited with code {code} - terminating remaining processes\n");
        let logs = [("logs/orchestrator.log", &*steps(3)), ("job_7.log", &*format!("TRAIN_HOSTS=n2\n{words}"))]
            .map(|(path, text)| (path.to_owned(), text.to_owned()));
        let logs: Vec<(&str, &str)> = logs.iter().map(|(path, text)| (&**path, &**text)).collect();
        (told(&logs), processes(&scanned(&logs)).1)
    };
    let (told, end) = logs(1);
    assert_eq!((told.len(), &*told[0].0, end), (1, "fatal-line", RunEnd::Failed), "{told:?}");
    assert_eq!(logs(0), (vec![], RunEnd::Open));
}

#[test]
fn what_ends_a_log_without_a_time_is_not_past_because_others_went_on() {
    let orchestrator = steps(5);
    let server = "INFO 11-29 10:00:10 [api.py:1] vLLM API server version 0.11.0\nINFO 11-29 10:01:00 [loggers.py:1] Engine 000: Running: 3 reqs\n";
    let words = "!!!!!!! Segfault encountered !!!!!!!\n  File \"<unknown>\", line 0, in cudaMemcpyAsync\n";
    for below in
        ["", "(APIServer pid=1) WARNING 11-29 10:05:30 [core_client.py:803] engine core exited unexpectedly; starting cleanup\n"]
    {
        let server = format!("{server}{words}{below}");
        let told = told(&[("logs/orchestrator.log", &orchestrator), ("logs/inference.log", &server)]);
        assert_eq!(told.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["cuda-segfault"], "{told:?}");
    }
    // The server goes on.
    for below in [
        "INFO:     127.0.0.1:1 - \"POST /v1/chat/completions HTTP/1.1\" 200 OK\n",
        "INFO 11-29 10:01:10 [loggers.py:1] Engine 000: Running: 3 reqs\n",
    ] {
        let server = format!("{server}{words}{below}");
        assert_eq!(told(&[("logs/orchestrator.log", &orchestrator), ("logs/inference.log", &server)]), []);
    }
    // SLURM's words stand below a line of the launcher.
    let job = "10:00:00    INFO Starting RL run\nslurmstepd: error: Detected 1 oom_kill event in StepId=77.batch.\n";
    let told = told(&[("logs/orchestrator.log", &orchestrator), ("job_77.log", job)]);
    assert_eq!(told.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["slurm-out-of-memory"], "{told:?}");
}

#[test]
fn the_names_in_the_source_of_a_raise_are_no_symptom() {
    let log = "10:00:01    INFO Starting RL trainer in World(world_size=1, rank=0, local_rank=0)\nTraceback (most recent call last):\n\
        File \"/app/lib/torch/distributed/checkpoint/utils.py\", line 3, in all_gather\n    raise CheckpointException(step, node_failures)\n\
        Oops: nothing that is known\n"
        .replace("\nFile", "\n  File");
    let told = told(&[("logs/trainer.log", &log)]);
    assert_eq!(told.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["uncaught-exception"], "{told:?}");
}

#[test]
fn what_a_client_says_of_the_server_comes_after_what_the_server_says() {
    let orchestrator = steps(2)
        + "Traceback (most recent call last):\n  File \"/app/src/prime_rl/utils/client.py\", line 3, in load\n    response.raise_for_status()\n\
           httpx.HTTPStatusError: Server error '500 Internal Server Error' for url 'http://localhost:8000/v1/load_lora_adapter'\n";
    let server = "INFO 11-29 10:00:10 [api.py:1] vLLM API server version 0.11.0\n(EngineCore pid=1) ERROR 11-29 10:05:00 [core.py:1] Traceback (most recent call last):\n\
        (EngineCore pid=1) ERROR 11-29 10:05:00 [core.py:1]   File \"/app/lib/vllm/lora/manager.py\", line 3, in load\n\
        (EngineCore pid=1) ERROR 11-29 10:05:00 [core.py:1] ValueError: Loading lora a failed: No adapter found for /nfs/step_3\n";
    let findings = found(&[("logs/orchestrator.log", &orchestrator), ("logs/inference.log", server)]);
    let firsts: Vec<(&str, bool)> =
        findings.iter().map(|finding| (&*finding.symptom.name, finding.sightings[0].is_first)).collect();
    assert_eq!(firsts, [("no-adapter-config", false), ("uncaught-exception", false)]);
}

#[test]
fn what_is_tried_again_and_what_only_a_monitor_needs_is_no_alarm() {
    let trainer = "10:00:01    INFO Starting RL trainer in World(world_size=1, rank=0, local_rank=0)\n\
        [W1129 10:00:02.200000 socket.cpp:464] [c10d] The server socket has failed to bind to [::]:29500 (errno: 97 - Address family not supported by protocol).\n\
        10:00:03    INFO Initializing model (name='a/b')\n\
        'HTTPSConnectionPool(host='huggingface.co', port=443): Read timed out.' thrown while requesting HEAD https://huggingface.co/a/b/resolve/main/config.json\n\
        Retrying in 2s [Retry 2/5].\n";
    assert_eq!(told(&[("logs/trainer.log", trainer)]), []);
    let step = "10:05:00 SUCCESS Step 4 | 1m 2s | Loss 0.0010 | Entropy 0.3801 | Grad. Norm 0.0310 | LR 1.00e-06\n";
    let words = "wandb: ERROR Error while calling W&B API: context deadline exceeded (<Response [500]>)\n";
    assert_eq!(told(&[("logs/trainer.log", &format!("{trainer}{step}{words}"))]), []);
    // Before the first step, the process may have waited for it.
    assert_eq!(told(&[("logs/trainer.log", &format!("{trainer}{words}"))]).len(), 1);
}

#[test]
fn what_few_rollouts_of_a_batch_fail_with_is_no_alarm() {
    let log = |failed: usize| {
        let lines = (0..failed)
            .map(|at| format!("10:01:30 WARNING Episode task failed in group {at} (env): SandboxTimeoutError('Timeout')\n"));
        let failures: String = lines.collect();
        steps(8).replace("INFO Train batch", &format!("INFO x\n{failures}10:01:31    INFO Train batch"))
    };
    assert_eq!(told(&[("logs/orchestrator.log", &log(7))]), []);
    assert_eq!(told(&[("logs/orchestrator.log", &log(40))]).len(), 1);
}

#[test]
fn ctrl_c_alone_is_an_interrupt() {
    let log = "10:05:00 SUCCESS Step 4 | 1m 2s | Loss 0.0010 | Entropy 0.3801 | Grad. Norm 0.0310 | LR 1.00e-06\nTraceback (most recent call last):\n  \
        File \"/app/src/prime_rl/trainer/rl/train.py\", line 3, in train\n    loss.backward()\nKeyboardInterrupt\n";
    let logs = [("logs/trainer.log", log)];
    assert_eq!(told(&logs).iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["interrupted"]);
    assert_eq!(processes(&scanned(&logs)).1, RunEnd::Interrupted);
}

#[test]
fn a_task_that_begins_does_not_refute_another_one_s_failure() {
    let log = "0: Traceback (most recent call last):\n0:   File \"/app/lib/vllm/platforms/cuda.py\", line 14, in <module>\n0:     import vllm._C\n\
        0: ImportError: something is missing\n1: 10:00:04    INFO Starting RL trainer in World(world_size=8, rank=0, local_rank=0)\n\
        1: 10:03:20    INFO Starting training loop (max_steps=100)\nsrun: error: n1: task 0: Exited with exit code 1\n";
    let findings = found(&[("slurm-9.out", log)]);
    let quoted = findings.iter().find(|finding| &*finding.symptom.name == "uncaught-exception").expect("it is quoted");
    assert_eq!(quoted.sightings[0].component, Component::Inference);
    // What stood before the process itself began is past.
    let own = log
        .replace("/app/lib/vllm/platforms/cuda.py", "/app/src/prime_rl/trainer/x.py")
        .replace("0: ", "")
        .replace("srun: error: n1: task Exited", "x");
    assert!(found(&[("slurm-9.out", &own)]).iter().all(|finding| &*finding.symptom.name != "uncaught-exception"));
}

#[test]
fn tasks_write_between_each_other_s_lines() {
    let of = |task: u32, exception: &str| {
        let text = format!(
            "Traceback (most recent call last):\n  File \"/app/src/prime_rl/trainer/x.py\", line {task}, in f\n    f()\n{exception}"
        );
        text.lines().map(|line| format!("{task}: {line}\n")).collect::<Vec<_>>()
    };
    let lines = of(3, "ValueError: one").into_iter().zip(of(4, "TypeError: other"));
    let log = lines.flat_map(|(one, other)| [one, other]).collect::<String>();
    let told = told(&[("slurm-9.out", &format!("TRAIN_HOSTS=n1\n{log}"))]);
    let texts: Vec<&str> = told.iter().map(|(_, text)| &**text).collect();
    assert_eq!(texts, ["ValueError: one", "TypeError: other"]);
}

#[test]
fn a_log_that_ends_within_a_chain_is_quoted_with_its_first_exception() {
    let log = "10:05:00 SUCCESS Step 4 | 1m 2s | Loss 0.0010 | Entropy 0.3801 | Grad. Norm 0.0310 | LR 1.00e-06\n\
        [rank0]: Traceback (most recent call last):\n[rank0]:   File \"/app/src/prime_rl/a.py\", line 1, in f\n[rank0]:     f()\n[rank0]: KeyError: 'x'\n[rank0]: \n\
        [rank0]: During handling of the above exception, another exception occurred:\n[rank0]: \n[rank0]: Traceback (most recent call last):\n\
        [rank0]:   File \"/app/src/prime_rl/tra";
    let told = told(&[("logs/trainer.log", log)]);
    assert_eq!(told, [("uncaught-exception".to_owned(), "KeyError: 'x' (the log ends within the next traceback)".to_owned())]);
}

#[test]
fn what_ended_the_machine_is_the_last_word() {
    let log = steps(3) + "Runner terminated by the platform: input exceeded its maximum lifetime of 86400 s\n";
    let told = told(&[("run.log", &log)]);
    assert_eq!(told.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["fatal-line"], "{told:?}");
}

#[test]
fn what_is_written_below_the_exception_that_ended_a_process_is_of_its_end() {
    let log = steps(1)
        + "Traceback (most recent call last):\n  File \"/app/src/prime_rl/orchestrator/batch.py\", line 55, in pad\n    pad()\nValueError: no padding token\n\
           Exception ignored in: <coroutine object Dispatcher.run at 0x7f>\nTraceback (most recent call last):\n  \
           File \"/usr/lib/python3.12/asyncio/base_events.py\", line 540, in _check_closed\n    raise x\nRuntimeError: Event loop is closed\n";
    let told = told(&[("logs/orchestrator.log", &log)]);
    assert_eq!(told, [("uncaught-exception".to_owned(), "ValueError: no padding token".to_owned())]);
}

#[test]
fn the_exception_of_a_process_is_not_hidden_by_another_one_that_waited_for_it() {
    let log = "10:00:01    INFO Starting orchestrator\n10:00:02    INFO Waiting for train environment servers to be ready\nProcess SpawnProcess-3:\n\
        Traceback (most recent call last):\n  File \"/app/environments/my_env/my_env.py\", line 3, in <module>\n    import my_rubric\n\
        ModuleNotFoundError: No module named 'my_rubric'\nTraceback (most recent call last):\n  File \"/app/src/prime_rl/orchestrator/orchestrator.py\", line 4, in f\n    wait()\n\
        TimeoutError: Env server at tcp://127.0.0.1:40221 did not become healthy within 600s\n";
    let told = told(&[("logs/orchestrator.log", log)]);
    assert_eq!(
        told.iter().map(|(name, _)| &**name).collect::<Vec<_>>(),
        ["missing-module", "environment-server-silent"],
        "{told:?}"
    );
}

#[test]
fn exceptions_of_libraries_in_other_languages_are_quoted() {
    let log = "INFO 11-29 10:00:10 [api.py:1] vLLM API server version 0.11.0\n(EngineCore pid=1) ERROR 11-29 10:00:50 [core.py:1] EngineCore failed to start.\n\
        (EngineCore pid=1) ERROR 11-29 10:00:50 [core.py:1] Traceback (most recent call last):\n\
        (EngineCore pid=1) ERROR 11-29 10:00:50 [core.py:1]   File \"/app/lib/vllm/connector.py\", line 3, in load\n\
        (EngineCore pid=1) ERROR 11-29 10:00:50 [core.py:1]     wrapper()\n\
        (EngineCore pid=1) ERROR 11-29 10:00:50 [core.py:1] nixl._bindings.nixlBackendError: NIXL_ERR_BACKEND\n\
        (APIServer pid=2) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}\n";
    let told = told(&[("logs/inference.log", log)]);
    assert_eq!(told, [("uncaught-exception".to_owned(), "nixl._bindings.nixlBackendError: NIXL_ERR_BACKEND".to_owned())]);
}

#[test]
fn what_a_model_s_programs_end_with_is_no_end_of_their_environment() {
    let server = "2026-11-29 10:00:01,101 - verifiers.serve.server - EnvServer - INFO - Serving\n2026-11-29 10:05:50,101 - my_env - INFO - tool output:\n";
    for words in ["Segmentation fault (core dumped)\n", "terminate called after throwing an instance of 'x'\n"] {
        let log = format!("{server}{words}");
        assert_eq!(told(&[("logs/orchestrator.log", &steps(6)), ("logs/envs/train/x/env_server.log", &log)]), [], "{words}");
        // Nothing shows that rollouts go on.
        assert_eq!(told(&[("logs/orchestrator.log", START), ("logs/envs/train/x/env_server.log", &log)]).len(), 1, "{words}");
    }
}

#[test]
fn a_line_that_announces_a_survived_exception_is_no_end() {
    let log = "INFO 11-29 10:00:10 [api.py:1] vLLM API server version 0.11.0\n(APIServer pid=1) ERROR:    Exception in ASGI application\n";
    assert_eq!(told(&[("logs/inference.log", log), ("logs/orchestrator.log", START)]), []);
}

#[test]
fn troubles_of_slurm_s_node_end_no_job() {
    let log = "slurmstepd: error: Unable to create TMPDIR [/scratch/me]: Permission denied\nslurmstepd: error: Setting TMPDIR to /tmp\n";
    assert_eq!(told(&[("job_32.log", log), ("logs/orchestrator.log", START)]), []);
}
