//! Whatever failed is quoted, unless the run went on after it.

mod logs;

use cfg_diagnose::{Component, RunContext, RunEnd, ScannedLog, conclude, processes};
use logs::{found, scanned};

fn names(logs: &[(&str, &str)]) -> Vec<String> {
    found(logs).iter().map(|finding| finding.symptom.name.to_string()).collect()
}

const START: &str =
    "2026-07-01 10:00:01    INFO Starting orchestrator\n2026-07-01 10:00:05    INFO Waiting for inference pool to be ready\n";
const STEP: &str = "10:05:00 SUCCESS Step 4 | 1m 2s | Loss 0.0010 | Entropy 0.3801 | Grad. Norm 0.0310 | LR 1.00e-06\n";

#[test]
fn the_last_exception_is_quoted_with_its_place_and_its_time() {
    let trainer = "2026-07-01 10:01:40    INFO Initializing optimizer (type='adamw' lr=1e-06)\n\
        [rank0]: Traceback (most recent call last):\n\
        [rank0]:   File \"/app/src/prime_rl/trainer/rl/train.py\", line 190, in train\n\
        [rank0]:     check_everything(config)\n\
        [rank0]: AssertionError: nothing fits\n";
    let findings = found(&[("logs/orchestrator.log", START), ("logs/trainer.log", trainer)]);
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    let [seen] = finding.sightings.as_slice() else { panic!("{finding:?}") };
    assert_eq!(&*finding.symptom.name, "uncaught-exception");
    assert_eq!((seen.first.line, &*seen.first.text), (5, "AssertionError: nothing fits"));
    assert_eq!((seen.component, seen.time, seen.log), (Component::Trainer, Some(36_100), 1));
}

#[test]
fn a_chain_of_exceptions_is_quoted_with_its_first() {
    let log = "prime_rl\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    f()\nKeyError: 'x'\n\n\
        The above exception was the direct cause of the following exception:\n\n\
        Traceback (most recent call last):\n  File \"b.py\", line 1, in g\n    g()\nRuntimeError: could not read it\n";
    let findings = found(&[("x.log", log)]);
    assert_eq!(findings[0].sightings[0].first.text, "RuntimeError: could not read it (caused by KeyError: 'x')");
    assert_eq!(findings[0].sightings.len(), 1);
}

#[test]
fn exceptions_of_any_class_are_quoted() {
    for exception in
        ["GraderTimedOut: after 30 s", "re.error: missing )", "MyOwnFailure", "env.Oops: no suffix", "Warning: raised"]
    {
        let log = format!("{STEP}Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    f()\n{exception}\n");
        assert_eq!(found(&[("logs/trainer.log", &log)])[0].sightings[0].first.text, exception);
        // Without a traceback it is a title.
        assert_eq!(names(&[("logs/trainer.log", &format!("{STEP}{exception}\n{STEP}"))]), [""; 0]);
    }
}

#[test]
fn exceptions_in_groups_and_between_the_lines_of_other_ranks_are_quoted() {
    let group = "prime_rl\n  + Exception Group Traceback (most recent call last):\n  |   File \"a.py\", line 1, in f\n  \
        | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n  +-+---------------- 1 ----------------\n    \
        | Traceback (most recent call last):\n    |   File \"b.py\", line 2, in g\n    | KeyError: 'x'\n    +------------------------------------\n";
    let texts: Vec<String> = found(&[("x.log", group)])[0].sightings.iter().map(|seen| seen.first.text.clone()).collect();
    assert!(texts.iter().any(|text| text == "KeyError: 'x'"), "{texts:?}");
    let ranks = "prime_rl\n[rank0]: Traceback (most recent call last):\n[rank1]: some words\n[rank0]:   File \"a.py\", line 1\n\
        [rank1]: more: words\n[rank0]: ZeroDivisionError: division by zero\n";
    assert_eq!(found(&[("x.log", ranks)])[0].sightings[0].first.text, "ZeroDivisionError: division by zero");
}

#[test]
fn tracebacks_in_json_are_quoted() {
    let entry = |message: &str| {
        format!(
            "prime_rl\n{{\"timestamp\": \"2026-08-10T09:00:01+00:00\", \"level\": \"ERROR\", \"message\": \"{message}\", \"module\": \"train\", \
             \"exception\": \"Traceback (most recent call last):\\n  File \\\"a.py\\\", line 1, in f\\nArithmeticError: x\\n\"}}\n"
        )
    };
    let caught = entry("An error has been caught in function 'main', process 'MainProcess' (12)");
    let findings = found(&[("logs/trainer.log", &caught)]);
    let seen = &findings[0].sightings[0];
    assert_eq!((&*seen.first.text, seen.first.line, seen.time), ("ArithmeticError: x", 2, Some(32_401)));
    assert_eq!(names(&[("logs/orchestrator.log", &entry("Rollout failed"))]), [""; 0]);
}

#[test]
fn warnings_at_a_start_are_no_ends() {
    for line in [
        "[rank0]:[W106 12:00:00.123 ProcessGroupNCCL.cpp:4561] [PG ID 0 PG GUID 0 Rank 0] using GPU 0 as device used by this process is unknown.",
        "[W808 19:28:13.127 TCPStore.cpp:343] [c10d] TCP client failed to connect to host n1:29500 - retrying",
        "FutureWarning: this will change",
        "node3:4242:4242 [0] misc/ibvwrap.cc:42 NCCL WARN Call to something failed",
    ] {
        assert_eq!(names(&[("logs/trainer.log", &format!("{START}{line}\n"))]), [""; 0], "{line}");
    }
    let script = "/var/spool/slurmd/job1/slurm_script: line 3: module: command not found\n10:00:00    INFO Starting RL run\n";
    assert_eq!(names(&[("job_1.log", &format!("{script}10:00:01    INFO Starting orchestrator process with vllm\n"))]), [""; 0]);
    // An orchestrator that reports the progress of its batch has survived.
    let survived = "Traceback (most recent call last):\n  File \"a.py\", line 1\nArithmeticError: x\n\
        10:00:10    INFO Train batch 0/64 (0.0%); 64 inflight rollouts (train=64, eval=0)\n";
    assert_eq!(names(&[("logs/orchestrator.log", &format!("{START}{survived}"))]), [""; 0]);
}

#[test]
fn the_process_that_ended_first_is_named_if_the_times_show_it() {
    let ended =
        |above: &str, name: &str| format!("{above}\nTraceback (most recent call last):\n  File \"a.py\", line 1\n{name}: x\n");
    let firsts = |trainer: &str, orchestrator: &str| -> Vec<_> {
        let findings = found(&[("logs/orchestrator.log", orchestrator), ("logs/trainer.log", trainer)]);
        findings[0].sightings.iter().map(|seen| (seen.component, seen.is_first)).collect()
    };
    let (trainer, orchestrator) = (Component::Trainer, Component::Orchestrator);
    let told = ended("10:01:40   ERROR prime_rl: Fatal error in train", "ArithmeticError");
    let later = ended("10:03:00    INFO prime_rl", "LookupError");
    assert_eq!(firsts(&told, &later), [(trainer, true), (orchestrator, false)]);
    // The trainer's last line with a time is no more than the earliest moment at which it can have ended.
    let silent = ended("10:01:40    INFO prime_rl", "ArithmeticError");
    assert_eq!(firsts(&silent, &later), [(trainer, false), (orchestrator, false)]);
    let exact = ended("10:03:00   ERROR prime_rl: Fatal error in run_orchestrator", "LookupError");
    assert_eq!(firsts(&silent, &exact), [(trainer, false), (orchestrator, false)]);
}

#[test]
fn ranks_that_end_alike_are_one_sighting() {
    let log = "10:01:40    INFO prime_rl\nTraceback (most recent call last):\n  File \"a.py\", line 1\nArithmeticError: first\n";
    let ranks = ["logs/trainer/torchrun/x/attempt_0/0/stderr.log", "logs/trainer/torchrun/x/attempt_0/1/stderr.log"];
    let findings = found(&ranks.map(|path| (path, log)));
    let seen: Vec<_> = findings[0].sightings.iter().map(|seen| (seen.log, seen.count)).collect();
    assert_eq!(seen, [(0, 2)]);
}

#[test]
fn fatal_lines_of_other_programs_are_quoted() {
    for line in [
        "slurmstepd: error: something of its own",
        "srun: error: node7: task 3: a new reason",
        "/opt/run.sh: line 12: uvx: command not found",
        "/bin/sh: 1: uvx: not found",
        "/opt/run.sh: line 12: 4242 Killed                  uv run rl @ rl.toml",
        "Killed",
        "error: Failed to parse `uv.lock`",
        "vllm serve: error: argument --x: invalid int value",
        "[rank3]:[E808 ProcessGroupNCCL.cpp:99] something new",
    ] {
        let log = format!("{STEP}{line}\n");
        let findings = found(&[("logs/trainer.log", &log)]);
        assert!(
            findings.iter().any(|finding| finding.sightings.iter().any(|seen| seen.first.text == line)),
            "{line}: {findings:?}"
        );
        assert_eq!(processes(&scanned(&[("logs/trainer.log", &log)])).1, RunEnd::Failed, "{line}");
    }
}

#[test]
fn the_launcher_s_words_end_a_run() {
    let log = "10:00:00    INFO Starting RL run\n10:09:00   ERROR Trainer failed with exit code 1\n";
    assert_eq!(names(&[("logs/rl.log", log)]), ["process-failed"]);
    assert_eq!(processes(&scanned(&[("logs/rl.log", log)])).1, RunEnd::Failed);
    // A later launch in the same file is another one.
    let again = format!("{log}10:20:00    INFO Starting RL run\n");
    assert_eq!(names(&[("logs/rl.log", &again)]), [""; 0]);
}

#[test]
fn what_the_run_survived_is_past() {
    let exception = "Traceback (most recent call last):\n  File \"a.py\", line 1\nArithmeticError: x\n";
    assert_eq!(names(&[("logs/trainer.log", &format!("{exception}{STEP}"))]), [""; 0]);
    assert_eq!(names(&[("logs/trainer.log", &format!("{STEP}{exception}"))]), ["uncaught-exception"]);
    // In another process, by the clock.
    let server = format!("10:04:00 prime_rl\n{exception}");
    assert_eq!(names(&[("logs/envs/train/x.log", &server)]), ["uncaught-exception"]);
    let later = STEP.replace("10:05", "10:25");
    assert_eq!(names(&[("logs/envs/train/x.log", &server), ("logs/trainer.log", &later)]), [""; 0]);
    // A known symptom, too; and its number counts if a run survives it.
    assert_eq!(names(&[("logs/trainer.log", &format!("CUDA out of memory\n{STEP}"))]), [""; 0]);
    let failed = "10:04:00 WARNING Rollout failed: APIConnectionError('Connection error.')\n";
    let reward = "10:05:00 SUCCESS Step 4 |   1m 2s | Reward 0.3000 | Trainable 64/64 (100.0%)\n";
    assert_eq!(names(&[("logs/orchestrator.log", &format!("{reward}{failed}"))]), [""; 0]);
    assert_eq!(names(&[("logs/orchestrator.log", &format!("{reward}{}", failed.repeat(12)))]), ["inference-died"]);
}

#[test]
fn the_newest_attempt_speaks() {
    let failed = format!("{STEP}torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.16 GiB\n");
    let logs = scanned(&[("run/logs/attempt_1/trainer.log", &failed), ("run/logs/attempt_2/trainer.log", STEP)]);
    let logs: Vec<ScannedLog> = logs.into_iter().zip([true, false]).map(|(log, is_replaced)| log.replaced(is_replaced)).collect();
    assert_eq!(conclude(&logs, &RunContext::default()).len(), 0);
    assert_eq!(names(&[("run/logs/attempt_1/trainer.log", &failed)]), ["cuda-out-of-memory"]);
}

#[test]
fn the_server_s_memory_is_not_the_trainer_s() {
    let line = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.16 GiB\n";
    assert_eq!(names(&[("logs/inference.log", line)]), ["server-out-of-memory"]);
    assert!(!found(&[("logs/inference.log", line)])[0].is_inferred());
    assert_eq!(names(&[("run.log", &format!("(EngineCore_DP0 pid=11) {line}"))]), ["server-out-of-memory"]);
    assert_eq!(names(&[("logs/trainer.log", line)]), ["cuda-out-of-memory"]);
}

/// The last line of a log, as programs of every kind write it, is an answer.
#[test]
fn the_last_words_of_other_programs_are_quoted() {
    let words = [
        "socket.gaierror: [Errno -2] Name or service not known",
        "torch._C._LinAlgError: the factorization could not be completed",
        "training failed with exit code 3",
        "command terminated with exit code 1",
        "+ exit 1",
        "trainer-1 exited with code 1",
        "make: *** [Makefile:12: train] Error 1",
        "bash: ./run.sh: Permission denied",
        "/var/spool/slurmd/job7/slurm_script: line 12: /data/.venv/bin/activate: No such file or directory",
        "fatal: not a git repository (or any of the parent directories): .git",
        "slurmstepd: fatal: Unable to set up cgroup",
        "docker: Error response from daemon: failed to create task",
        "Error from server (Forbidden): pods is forbidden",
        "(raylet) A worker died or was killed while executing a task by an unexpected system error.",
        "[2026-07-01 10:00:00,123 E 12 12] core_worker.cc:500: Failed to connect",
        "terminate called without an active exception",
        "malloc(): corrupted top size",
        "double free or corruption (!prev)",
        "*** stack smashing detected ***: terminated",
        "python: ../src/x.cpp:123: void f(): Assertion `x != 0' failed.",
        "nvcc fatal   : Unsupported gpu architecture 'compute_103'",
        "ninja: build stopped: subcommand failed.",
        "/usr/bin/ld: cannot find -lcuda: No such file or directory",
        "LLVM ERROR: Cannot select: intrinsic",
        "panic: runtime error: invalid memory address",
        "mpirun noticed that process rank 3 with PID 7 on node n1 exited on signal 9 (Killed).",
        "rl.service: Main process exited, code=killed, status=9/KILL",
        "Illegal instruction (core dumped)",
        "ssh: connect to host node-2 port 22: Connection refused",
        "wandb: ERROR Run initialization has timed out after 90.0 sec.",
        "ERROR:    Application startup failed. Exiting.",
        "['python', 'train.py'] exits with return code = -9",
        "nohup: failed to run command 'uv': No such file or directory",
        "env: 'uv': No such file or directory",
        "packet_write_wait: Connection to 10.0.0.1 port 22: Broken pipe",
        "[ERROR] enroot-import failed",
        "job.batch/rl-run failed: BackoffLimitExceeded",
        "2026-08-10 10:00:00,111 ERR cli.py:68 -- Job 'raysubmit_x' failed",
        "EnvironmentNameNotFound: Could not find conda environment: rl",
        "timeout: the monitored command dumped core",
        "tmux: lost server",
        "Killed: 9",
        "uv run rl: signal: killed",
        "OMP: Error #15: Initializing libiomp5.so, but found libomp.so already initialized.",
        "Intel MKL FATAL ERROR: Cannot load libmkl_core.so.",
        "make[1]: *** [Makefile:3: train] Killed",
        "The Kubernetes node is preempted: Node is shutting down",
        "Pod rl-0 was evicted",
        "mpiexec has exited due to process rank 0 with PID 0 on node n1 exiting improperly.",
        "Exiting: could not reach the coordinator within 300 s",
    ];
    for word in words {
        for log in [format!("{START}{word}\n"), format!("{START}{word}\n+ exit 1\nuser@node:~/x$ \n")] {
            let findings = found(&[("x.log", &log)]);
            let severe = findings.iter().any(|finding| finding.symptom.severity == cfg_diag::Severity::Error);
            assert!(severe, "{word}: {findings:?}");
            let line = findings[0].sightings[0].first.line;
            assert!(line == 3 || word.starts_with('+'), "{word}: {findings:?}");
            assert_eq!(processes(&scanned(&[("x.log", &log)])).1, RunEnd::Failed, "{word}");
        }
        // The run went on after it, or it is a log of something else.
        assert_eq!(names(&[("x.log", &format!("{START}{word}\n{STEP}"))]), [""; 0], "{word}");
    }
}

/// The words are those of any program: without a sign of training, they are not about a run.
#[test]
fn the_last_words_in_logs_of_other_programs_say_nothing() {
    for log in [
        "[2.0] systemd[1]: nginx.service: Main process exited, code=exited, status=1/FAILURE\n",
        "cc -O2 -c x.c\nx.c:1:10: fatal error: y.h: No such file or directory\nmake[1]: *** [Makefile:3: x.o] Error 1\n",
        "npm ERR! errno 1\nnpm ERR! Exit status 1\n",
        "Warning  FailedScheduling  2m  default-scheduler  0/3 nodes are available: 3 Insufficient cpu.\n",
    ] {
        assert_eq!(names(&[("x.log", log)]), [""; 0], "{log}");
    }
    let printed =
        "Command failed with exit code 1\n10:05:00    INFO Train batch 4/64 (6.0%); 64 inflight rollouts (train=64, eval=0)\n";
    assert_eq!(names(&[("logs/orchestrator.log", &format!("{START}{printed}"))]), [""; 0]);
}

/// What only reports that another process failed is not quoted beside that process's own words.
#[test]
fn a_report_of_a_failure_is_not_quoted_beside_it() {
    let traceback =
        |exception: &str| format!("Traceback (most recent call last):\n  File \"a.py\", line 1\n    f()\n{exception}\n");
    let report = traceback("subprocess.CalledProcessError: Command '['python', 'a.py']' returned non-zero exit status 1.");
    for own in ["LookupError: the first", "ModuleNotFoundError: No module named 'x'"] {
        let log = format!("{START}{}{report}", traceback(own));
        let findings = found(&[("x.log", &log)]);
        let texts: Vec<&str> = findings.iter().flat_map(|finding| &finding.sightings).map(|seen| &*seen.first.text).collect();
        assert_eq!(texts, [own]);
    }
    assert_eq!(names(&[("x.log", &format!("{START}{report}"))]), ["uncaught-exception"]);
}

#[test]
fn logs_as_they_are_quoted_in_mails_and_threads_are_read() {
    let log = format!("{START}Traceback (most recent call last):\n  File \"a.py\", line 1\n    f()\nLookupError: x\n");
    for before in ["> ", "    ", "[trainer] ", "trainer-1  | ", "[pod/a-0/b] "] {
        let quoted = log.lines().map(|line| format!("{before}{line}")).collect::<Vec<_>>().join("\n");
        assert_eq!(names(&[("x.log", &quoted)]), ["uncaught-exception"], "{before}");
    }
}

/// prime-rl writes an exception that ends the orchestrator with its own logger, in text or as JSON.
#[test]
fn an_exception_that_ends_the_orchestrator_is_quoted_although_it_is_logged() {
    let text = format!(
        "{START}10:04:00   ERROR Fatal error in orchestrate\nTraceback (most recent call last):\n\n  File \"/app/bin/orchestrator\", line 10, in <module>\n    \
         sys.exit(main())\n    │   └ <function main at 0x7f4c>\n\n> File \"/app/src/prime_rl/utils/utils.py\", line 70, in async_wrapper\n    ret = await \
         func(*args)\n                │     └ (Config(timeout=1200),)\n\nTimeoutError: no weights of step 0\n"
    );
    let json = "{\"timestamp\": \"2026-07-01T10:04:00.1+00:00\", \"level\": \"ERROR\", \"message\": \"Fatal error in orchestrate\", \"exception\": \"Traceback \
         (most recent call last):\\n  File \\\"a.py\\\", line 1, in <module>\\n    main()\\nTimeoutError: no weights of step 0\\n\"}\n";
    for text in [text, format!("{START}{json}")] {
        let findings = found(&[("logs/orchestrator.log", &text)]);
        let [finding] = findings.as_slice() else { panic!("{findings:?}") };
        let seen = &finding.sightings[0];
        assert_eq!((&*finding.symptom.name, &*seen.first.text), ("uncaught-exception", "TimeoutError: no weights of step 0"));
        assert_eq!((seen.component, seen.time), (Component::Orchestrator, Some(10 * 3600 + 240)));
        // Its own log says why it ended, so the launcher's word for it is not repeated.
        let launcher = ("logs/rl.log", "10:04:01   ERROR Error: Orchestrator failed with exit code 1\n");
        assert_eq!(names(&[("logs/orchestrator.log", &text), launcher]), ["uncaught-exception"]);
    }
}

#[test]
fn the_exceptions_of_a_group_stand_for_it() {
    let text = format!(
        "{START}10:34:00   ERROR Background task 'watcher' failed\n  + Exception Group Traceback (most recent call last):\n  |   File \"a.py\", line 1, in start\n  \
         |     await gather(*tasks)\n  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n  +-+---------------- 1 ----------------\n    | \
         Traceback (most recent call last):\n    |   File \"b.py\", line 88, in post\n    |     raise\n    | httpx.ReadTimeout\n    +------------------------------------\n\
         10:34:01 WARNING Orchestrator interrupted after 34m 1s\n"
    );
    let findings = found(&[("logs/orchestrator.log", &text)]);
    let quoted: Vec<&str> =
        findings.iter().flat_map(|finding| &finding.sightings).map(|seen| seen.first.text.trim_matches([' ', '|'])).collect();
    assert_eq!(quoted, ["httpx.ReadTimeout"]);
    assert_eq!(findings[0].sightings[0].time, Some(10 * 3600 + 34 * 60));
}

#[test]
fn a_log_that_was_cut_within_a_traceback_shows_where() {
    let cut = format!(
        "{START}[rank0]: Traceback (most recent call last):\n[rank0]:   File \"/app/x.py\", line 7, in f\n[rank0]:     g"
    );
    let findings = found(&[("logs/trainer.log", &cut)]);
    assert_eq!(&*findings[0].symptom.name, "uncaught-exception");
    let first = &findings[0].sightings[0].first;
    assert_eq!((first.line, first.text.starts_with("File \"/app/x.py\", line 7, in f")), (4, true));
}

/// What is written while a process ends does not hide its last words.
#[test]
fn last_words_before_the_lines_of_an_exit_are_quoted() {
    for end in [
        "wandb: \nwandb: Find logs at: ./wandb/run-1/logs\n",
        "[rank0]:[W804 10:05:54.816499929 ProcessGroupNCCL.cpp:1538] Warning: WARNING: destroy_process_group() was not called before program exit\n",
        "/usr/lib/python3.12/multiprocessing/resource_tracker.py:279: UserWarning: resource_tracker: There appear to be 1 leaked semaphore objects\n  \
         warnings.warn('x'\n",
    ] {
        let text = format!("{START}rl: error: the following arguments are required: --model.name\n{end}");
        assert_eq!(names(&[("logs/trainer.log", &text)]), ["fatal-line"], "{end}");
    }
}

/// What one process of a run ended with is not hidden by what the others show because of it.
#[test]
fn what_came_before_a_known_symptom_is_quoted_too() {
    let unknown = "Traceback (most recent call last):\n  File \"a.py\", line 1\nArithmeticError: first\n";
    let timeout = "09:40:00 prime_rl\n[rank0]:[E810 09:40:00.8 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9)\n";
    let server = format!("09:05:00   ERROR prime_rl: Fatal error in server\n{unknown}");
    let findings = found(&[("logs/inference.log", &server), ("logs/trainer.log", timeout)]);
    let all: Vec<_> = findings
        .iter()
        .map(|finding| (&*finding.symptom.name, finding.sightings[0].component, finding.sightings[0].is_first))
        .collect();
    assert_eq!(all, [("uncaught-exception", Component::Inference, true), ("nccl-timeout", Component::Trainer, false)]);
    // Another rank, in the same log.
    let rank = unknown.lines().map(|line| format!("[rank2]: {line}\n")).collect::<Vec<String>>().concat();
    let text = format!("{STEP}{rank}{}", timeout.replace("09:40", "10:40"));
    assert_eq!(names(&[("logs/trainer.log", &text)]), ["uncaught-exception", "nccl-timeout"]);
    // What a symptom explains is not quoted again: what follows it, and the exception of which it is a part.
    let later = format!("{timeout}{unknown}").replace("first", "because of it");
    assert_eq!(names(&[("logs/trainer.log", &later)]), ["nccl-timeout"]);
    let part = format!(
        "{STEP}Traceback (most recent call last):\n  File \"a.py\", line 1\nRuntimeError: Error building it\n/bin/sh: 1: nvcc: not found\n"
    );
    assert_eq!(names(&[("logs/trainer.log", &part)]), ["nvcc-missing"]);
    // A process survives what its logger warns of.
    let warned = format!(
        "09:00:00 WARNING HfHubHTTPError: 429 Client Error: Too Many Requests, retrying\n{}{unknown}",
        "09:01:00 INFO prime_rl\n".repeat(50)
    );
    assert!(names(&[("logs/trainer.log", &warned)]).contains(&"uncaught-exception".to_owned()));
}

/// A file without any time, such as the events of a pod, is past if steps were written to another file later.
#[test]
fn a_file_that_steps_left_behind_is_past() {
    use std::time::Duration;
    let read = |events: u64, steps: u64| {
        let logs = scanned(&[("logs/events.txt", "Last State: Terminated\n  Reason: OOMKilled\n"), ("logs/trainer.log", STEP)]);
        let times = [events, steps].map(|time| Some(Duration::from_secs(time)));
        let logs: Vec<ScannedLog> = logs.into_iter().zip(times).map(|(log, time)| log.modified(time)).collect();
        (conclude(&logs, &RunContext::default()).len(), processes(&logs).1)
    };
    assert_eq!(read(1_000, 2_000), (0, RunEnd::Open));
    assert_eq!(read(2_000, 1_000), (1, RunEnd::Failed));
}

#[test]
fn what_the_server_reported_before_another_process_ended_is_quoted_too() {
    let server = "(EngineCore_DP2 pid=5) ERROR 07-01 10:06:00 [core.py:1299] Invocation of collective_rpc method failed\n\
        (EngineCore_DP2 pid=5) ERROR 07-01 10:06:00 [core.py:1299] Traceback (most recent call last):\n\
        (EngineCore_DP2 pid=5) ERROR 07-01 10:06:00 [core.py:1299]   File \"/app/vllm/v1/engine/core.py\", line 1289, in _invoke\n\
        (EngineCore_DP2 pid=5) ERROR 07-01 10:06:00 [core.py:1299]     result = get_result()\n\
        (EngineCore_DP2 pid=5) ERROR 07-01 10:06:00 [core.py:1299] RuntimeError: a weight update is already active\n";
    let trainer = format!(
        "{STEP}10:16:00   ERROR x\n[rank0]:[E701 10:16:00.120 ProcessGroupNCCL.cpp:683] [Rank 0] Watchdog caught collective operation timeout\n\
         terminate called after throwing an instance of 'c10::DistBackendError'\n"
    );
    let logs = [("logs/trainer.log", &*trainer), ("logs/inference.log", server)];
    let all = found(&logs);
    let quoted: Vec<&str> = all.iter().flat_map(|finding| &finding.sightings).map(|seen| &*seen.first.text).collect();
    assert!(quoted.iter().any(|text| text.contains("a weight update is already active")), "{all:#?}");
    assert!(quoted.iter().any(|text| text.contains("Watchdog caught")), "{all:#?}");
    // The same report in a run that goes on is none.
    assert_eq!(names(&[("logs/trainer.log", STEP), ("logs/inference.log", server)]), [""; 0]);
}

#[test]
fn a_refused_override_and_a_cause_behind_a_prefix_of_ray_are_quoted() {
    let hydra = "Error executing job with overrides: ['algorithm.adv_estimator=grpo']\nCould not override 'algorithm.filter_groups.enable'.\n\
        To append to your config use +algorithm.filter_groups.enable=True\nKey 'filter_groups' is not in struct\n    full_key: algorithm.filter_groups\n\n\
        Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.\n";
    let all = found(&[("run.log", hydra)]);
    assert!(all.iter().any(|finding| finding.sightings.iter().any(|seen| seen.first.text.contains("filter_groups"))), "{all:#?}");
    let ray = "(Launcher pid=12) Traceback (most recent call last):\n\
        (Launcher pid=12)   File \"/tmp/ray/session/prime_rl/weights.py\", line 57, in __enter__\n\
        (Launcher pid=12)     ray.get(self.sync())\n\
        (Launcher pid=12) aiohttp.client_exceptions.ClientResponseError: 500, message=\"Call to collective_rpc method failed\"\n";
    let all = found(&[("train.log", ray)]);
    assert!(
        all.iter().any(|finding| finding.sightings.iter().any(|seen| seen.first.text.contains("collective_rpc"))),
        "{all:#?}"
    );
}

/// What ends another trainer or a script is not quoted as the end of a process of a run, unless the log is passed as that of a run.
#[test]
fn what_ends_another_program_is_not_said() {
    let trl = "{'loss': 0.0, 'grad_norm': 0.21, 'reward': 0.41, 'epoch': 0.01}\n\
        [rank0]: Traceback (most recent call last):\n[rank0]:   File \"/code/src/open_r1/grpo.py\", line 294, in <module>\n[rank0]:     main()\n\
        [rank0]:   File \"/opt/lib/python3.11/site-packages/trl/trainer/grpo_trainer.py\", line 400, in __init__\n[rank0]:     raise ValueError(\n\
        [rank0]: ValueError: The global train batch size (4 x 1) must be divisible by the number of generations\n\
        torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\ntrain_grpo.py FAILED\n";
    let script = "Traceback (most recent call last):\n  File \"/home/me/analyse.py\", line 3, in <module>\n    read('/data/x.csv')\n\
        FileNotFoundError: [Errno 2] No such file or directory: '/data/x.csv'\nsrun: error: node12: task 0: Exited with exit code 1\n";
    for (file, text) in [("train.log", trl), ("slurm-991.out", script), ("x.log", script)] {
        assert_eq!(names(&[(file, text)]), [""; 0], "{file}");
    }
    // Beside the logs of a run in a folder of one, and below the lines of a run, it is what somebody added to it.
    assert_eq!(names(&[("run/logs/trainer.log", script)]), ["uncaught-exception"]);
    assert_eq!(names(&[("x.log", &format!("{STEP}{trl}"))]), ["uncaught-exception"]);
    let own = trl.replace("/trl/trainer/", "/prime_rl/trainer/");
    assert_eq!(names(&[("x.log", &own)]), ["uncaught-exception"]);
}

/// The lines of a process that another program passes on have that program's level, which says nothing about them.
#[test]
fn an_exception_in_lines_that_are_passed_on_is_quoted() {
    let lines = [
        "(APIServer pid=557) INFO 05-29 09:14:30 [api_server.py:1970] vLLM API server version 0.20.1",
        "(EngineCore pid=600) Traceback (most recent call last):",
        "(EngineCore pid=600)   File \"/app/vllm/model_executor/models/minimax.py\", line 90, in load_weights",
        "(EngineCore pid=600)     param = params_dict[name]",
        "(EngineCore pid=600) KeyError: 'model.layers.0.norm.weight'",
        "(APIServer pid=557) Traceback (most recent call last):",
        "(APIServer pid=557)   File \"/usr/local/bin/vllm\", line 10, in <module>",
        "(APIServer pid=557) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
    ];
    let log = lines.map(|line| format!("2026-05-29 09:14:45,594 - INFO - [container] {line}\n")).concat();
    let findings = found(&[("logs/inference.log", &log)]);
    assert_eq!(findings[0].sightings[0].first.text, "KeyError: 'model.layers.0.norm.weight'", "{findings:?}");
}

/// A run survives a few broken connections; the one that ended it is quoted.
#[test]
fn a_broken_connection_that_ends_a_process_is_quoted() {
    let log = format!(
        "{STEP}[rank0]: Traceback (most recent call last):\n[rank0]:   File \"/app/train.py\", line 6, in send\n\
        [rank0]: requests.exceptions.ConnectionError: ('Connection aborted.', RemoteDisconnected('closed'))\n\
        E0402 10:11:13.123000 4242 torch/distributed/elastic/multiprocessing/api.py:870] failed (exitcode: 1) local_rank: 0\n"
    );
    let findings = found(&[("logs/trainer.log", &log)]);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].sightings[0].first.text.starts_with("requests.exceptions.ConnectionError"), "{findings:?}");
}

/// A rank of another node that waits in vain is told after the exception of the rank that it waits for, whatever the order of the logs.
#[test]
fn the_exception_of_one_rank_is_told_before_the_timeout_of_another() {
    let waits = format!(
        "{STEP}[rank3]:[E820 10:16:10.000000000 ProcessGroupNCCL.cpp:683] [Rank 3] Watchdog caught collective operation timeout: \
         WorkNCCL(SeqNum=412, OpType=_ALLGATHER_BASE) ran for 600029 milliseconds before timing out.\n"
    );
    let fails = format!(
        "{STEP}[rank13]: Traceback (most recent call last):\n[rank13]:   File \"a.py\", line 1, in f\n[rank13]: AssertionError: shapes differ\n"
    );
    let logs = [("logs/trainer/node_0.log", &*waits), ("logs/trainer/node_1.log", &*fails)];
    assert_eq!(names(&logs), ["uncaught-exception", "nccl-timeout"]);
}

/// The first line of a trainer shows whose log it is, without another word about training.
#[test]
fn an_exception_after_the_first_line_of_a_trainer_is_quoted() {
    let trace = "Traceback (most recent call last):\n  File \"/app/x.py\", line 3, in <module>\n    import mine\n  \
        File \"/app/mine.py\", line 9\n    def f(:\n          ^\nSyntaxError: invalid syntax\n";
    for begins in ["Starting SFT trainer in World(world_size=8, rank=0)", "Starting RL trainer in World(world_size=8, rank=0)"] {
        let log = format!("10:00:00    INFO {begins}\n{trace}");
        assert_eq!(found(&[("x.log", &log)])[0].sightings[0].first.text, "SyntaxError: invalid syntax");
    }
    assert_eq!(names(&[("x.log", &format!("10:00:00    INFO Starting the shop\n{trace}"))]), [""; 0]);
}

/// A checkpoint that can't be read is no full disk.
#[test]
fn an_exception_of_a_checkpoint_is_told_by_that_of_its_ranks() {
    let log = |inner: &str| {
        format!(
            "09:00:30    INFO Resuming training from checkpoint step 40\n09:01:00   ERROR Fatal error in train\n\
             Traceback (most recent call last):\n  File \"/app/src/prime_rl/trainer/rl/train.py\", line 150, in train\n    \
             ckpt_manager.load(model)\n\
             torch.distributed.checkpoint.api.CheckpointException: CheckpointException ranks:dict_keys([0])\n\
             Traceback (most recent call last): (RANK 0)\n  File \"/app/.venv/lib/x/utils.py\", line 163, in reduce_scatter\n    \
             local_data = map_fun()\n{inner}\n"
        )
    };
    let missing = log("RuntimeError: Missing key in checkpoint state_dict: app.optimizers.state.step.");
    assert_eq!(names(&[("logs/trainer.log", &missing)]), ["checkpoint-mismatch"]);
    let unknown = log("ValueError: the planner has no plan");
    let findings = found(&[("logs/trainer.log", &unknown)]);
    let quoted: Vec<_> = findings.iter().flat_map(|finding| &finding.sightings).map(|seen| &*seen.first.text).collect();
    assert!(quoted.iter().any(|text| text.contains("ValueError: the planner has no plan")), "{findings:#?}");
}

/// A run goes on for a while without the server of one of its environments.
#[test]
fn a_server_that_the_launcher_reports_is_no_past_one() {
    let server = "10:00:00    INFO Starting env server\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    f()\nKeyError: 'train'\n";
    let launcher = "10:00:00    INFO Starting RL run\n10:09:00   ERROR Train env server gsm8k failed with exit code 1\n";
    let logs = [("logs/envs/train/gsm8k/env_server.log", server), ("logs/trainer.log", STEP), ("logs/rl.log", launcher)];
    assert_eq!(found(&logs)[0].sightings[0].first.text, "KeyError: 'train'");
    assert_eq!(names(&logs[..2]), [""; 0]);
}

#[test]
fn what_a_group_cancelled_is_no_cause_and_the_server_s_exception_is() {
    let server = "(APIServer pid=1) INFO 07-01 10:00:00 [api_server.py:1] vLLM API server version 0.19.0\n\
        (EngineCore pid=2) ERROR 07-01 10:05:05 [core.py:1299] Invocation of collective_rpc method failed\n\
        (EngineCore pid=2) ERROR 07-01 10:05:05 [core.py:1299] Traceback (most recent call last):\n\
        (EngineCore pid=2) ERROR 07-01 10:05:05 [core.py:1299]   File \"/app/x.py\", line 1, in update\n\
        (EngineCore pid=2) ERROR 07-01 10:05:05 [core.py:1299] KeyError: 'model.layers.0'\n";
    let orchestrator = format!(
        "{START}10:05:00 SUCCESS Step 4 | 1m 2s | Reward 0.5000 | Trainable 30/64 (46.9%)\n\
         10:05:08 WARNING Orchestrator interrupted after 8m 2s — forcing cleanup (not a clean exit)\n  \
         + Exception Group Traceback (most recent call last):\n  |   File \"/app/src/prime_rl/orchestrator/orchestrator.py\", line 1, in start\n  \
         | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    \
         | Traceback (most recent call last):\n    |   File \"/app/src/prime_rl/orchestrator/watcher.py\", line 2, in poll\n    \
         | RuntimeError: no new weights\n    +---------------- 2 ----------------\n    | Traceback (most recent call last):\n    \
         |   File \"/app/src/prime_rl/orchestrator/dispatcher.py\", line 3, in loop\n    | asyncio.exceptions.CancelledError\n    \
         +------------------------------------\n"
    );
    let trainer = "10:05:30 SUCCESS Step 4 | 1m 2s | Loss 0.0010 | Entropy 0.3801 | Grad. Norm 0.0310 | LR 1.00e-06\n";
    let launcher = "10:00:00    INFO Starting RL run\n10:05:40   ERROR Error: Orchestrator failed with exit code 1\n";
    let logs = [
        ("logs/inference.log", server),
        ("logs/orchestrator.log", &orchestrator),
        ("logs/trainer.log", trainer),
        ("logs/launcher.log", launcher),
    ];
    let findings = found(&logs);
    let texts: Vec<&str> = findings.iter().flat_map(|finding| &finding.sightings).map(|seen| &*seen.first.text).collect();
    assert_eq!(texts, ["KeyError: 'model.layers.0'", "RuntimeError: no new weights"]);
    let (processes, _) = processes(&scanned(&logs));
    let states: Vec<_> = processes.iter().map(|process| (process.component.name(), process.state.name())).collect();
    assert_eq!(
        states,
        [("launcher", "stopped"), ("trainer", "stopped"), ("orchestrator", "failed"), ("inference server", "stopped")]
    );
}

#[test]
fn a_symptom_is_quoted_with_the_exception_and_its_cause() {
    let log = format!(
        "{STEP}Traceback (most recent call last):\n  File \"/app/a.py\", line 1, in f\n    import_it()\nModuleNotFoundError: No module named 'nltk'\n\n\
         The above exception was the direct cause of the following exception:\n\n\
         Traceback (most recent call last):\n  File \"/app/b.py\", line 1, in g\n    raise ValueError(\"Could not import 'x' environment\")\n\
         ValueError: Could not import 'x' environment.\n"
    );
    let findings = found(&[("logs/orchestrator.log", &log)]);
    assert_eq!(&*findings[0].symptom.name, "environment-install");
    let seen = &findings[0].sightings[0].first;
    let text = "ValueError: Could not import 'x' environment. (caused by ModuleNotFoundError: No module named 'nltk')";
    assert_eq!((seen.line, &*seen.text), (12, text));
    // An exception that announces its reason is quoted with it.
    for prefix in ["", "[rank0]: "] {
        let lines = [
            "Traceback (most recent call last):",
            "  File \"/app/torch/output_graph.py\", line 1, in call",
            "    raise BackendCompilerFailed(",
            "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:",
            "ImportError: cannot import name 'triton_key'",
        ];
        let log = lines.map(|line| format!("{prefix}{line}\n")).concat();
        let findings = found(&[("logs/trainer.log", &format!("{STEP}{log}"))]);
        assert_eq!(&*findings[0].symptom.name, "compile-failed");
        let seen = &findings[0].sightings[0].first;
        let text = format!("{prefix}{} {}", lines[3], lines[4]);
        assert_eq!((seen.line, &seen.text), (5, &text));
    }
}

#[test]
fn a_warning_that_ended_a_process_is_its_reason() {
    let orchestrator = format!(
        "{START}Traceback (most recent call last):\n  File \"/app/src/prime_rl/orchestrator/envs.py\", line 1, in f\n    f()\n\
         SandboxCreationError: no room\n"
    );
    let launcher = "10:00:00    INFO Starting RL run\n10:05:40   ERROR Error: Orchestrator failed with exit code 1\n";
    assert_eq!(names(&[("logs/orchestrator.log", &orchestrator), ("logs/launcher.log", launcher)]), ["sandbox-failed"]);
}

#[test]
fn lines_of_which_the_time_was_cut_off_are_read() {
    let log =
        "SUCCESS Step 4 | 1m 2s | Loss 0.0010 | Entropy 0.3801 | Grad. Norm 0.0310 | LR 1.00e-06\nSUCCESS RL trainer finished!\n";
    let (_, end) = processes(&scanned(&[("trainer.txt", log)]));
    assert_eq!(end, RunEnd::Finished);
}

#[test]
fn an_exception_from_the_top_of_a_program_ends_it_whatever_was_logged_before() {
    let traceback = |first: &str| {
        format!(
            "{START}10:05:40 WARNING Could not reach the server, retrying\nTraceback (most recent call last):\n  File \"{first}\n    main()\n  \
             File \"/app/src/prime_rl/utils/client.py\", line 1, in get\n    raise\nStatusError: no healthy upstream\n"
        )
    };
    let of = |log: &str| names(&[("logs/orchestrator.log", log)]);
    assert_eq!(of(&traceback("/app/.venv/bin/orchestrator\", line 10, in <module>")), ["uncaught-exception"]);
    assert_eq!(of(&traceback("/app/src/prime_rl/orchestrator/watcher.py\", line 10, in poll")), [""; 0]);
    // What a tool wrote.
    assert_eq!(of(&traceback("/testbed/run.py\", line 10, in <module>")), [""; 0]);
    // As loguru writes it.
    let caught =
        traceback("/app/.venv/bin/orchestrator\", line 10, in <module>").replace("  File \"/app/src", "> File \"/app/src");
    assert_eq!(of(&caught), [""; 0]);
}

#[test]
fn what_a_logger_only_warns_of_ends_nothing() {
    let step = |loss: &str| STEP.replace("Loss 0.0010", &format!("Loss {loss}"));
    let log = format!("{}{}", step("nan"), step("nan").replace("Step 4", "Step 5"));
    let findings = found(&[("logs/trainer.log", &log)]);
    assert_eq!((&*findings[0].symptom.name, findings[0].ends_nothing()), ("loss-nan", true));
    let memory = format!("{STEP}torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.32 GiB.\n");
    assert!(!found(&[("logs/trainer.log", &memory)])[0].ends_nothing());
}

#[test]
fn what_the_programs_of_a_model_write_is_no_end_of_an_environment() {
    let steps = |last: u32| -> String {
        let step = |step| format!("10:{step:02}:00 SUCCESS Step {step} | 1m 0s | Reward 0.5000 | Trainable 30/64 (46.9%)\n");
        (1..=last).map(step).collect()
    };
    let tools = "Sandbox created\nSegmentation fault (core dumped)\nmake: *** [all] Error 2\nKilled\n";
    let of = |orchestrator: &str, launcher: &str| {
        let logs = [("logs/orchestrator.log", orchestrator), ("logs/envs/train/swe.log", tools), ("logs/launcher.log", launcher)];
        names(&logs)
    };
    let start = "10:00:00    INFO Starting RL run\n";
    assert_eq!(of(&steps(9), start), [""; 0]);
    // The server ended, or the run has not done anything since.
    let exit = format!("{start}10:09:30   ERROR Error: Train env server swe failed with exit code -11\n");
    assert_eq!(of(&steps(9), &exit), ["segmentation-fault"]);
    let hangs = format!("{}11:30:00    INFO Train batch 0/64 (0.0%); 64 inflight episodes (train=64, eval=0)\n", steps(9));
    assert_eq!(of(&hangs, start), ["segmentation-fault"]);
    // The server, which writes the time, goes on.
    let server = "10:01:00 WARNING tool call failed\nTraceback (most recent call last):\n  File \"/app/solution.py\", line 3, in <module>\n\
                  NameError: name 'foo' is not defined\nKilled\n10:01:01    INFO sandbox sb-1 exited with code 137\n";
    let with = |orchestrator: &str, server: &str| {
        names(&[("logs/orchestrator.log", orchestrator), ("logs/envs/train/swe.log", server), ("logs/launcher.log", start)])
    };
    assert_eq!(with(&steps(2), server), [""; 0]);
    assert_eq!(
        with(&steps(1), &server.replace("10:01:01    INFO sandbox sb-1 exited with code 137\n", "")),
        ["uncaught-exception"]
    );
}

/// Waiting for the last weights of a trainer that has finished, or for those of one that does nothing more, in the words of the newest versions.
#[test]
fn waiting_for_weights_that_never_come_is_a_hang() {
    let orchestrator = |line: &str, later: &str| -> String {
        let step = |step| format!("10:{step:02}:00 SUCCESS Step {step} | 1m 0s | Reward 0.5000 | Trainable 30/64 (46.9%)\n");
        let steps: String = (1..=20).map(step).collect();
        format!(
            "09:59:00    INFO Starting orchestrator\n{steps}10:20:01    INFO {line}\n{later} WARNING Inference metrics poll failed: ConnectTimeout()\n"
        )
    };
    let step = |step| {
        format!("10:{step:02}:05 SUCCESS Step {step} | 40.0s | Loss 0.0010 | Entropy 0.3801 | Grad. Norm 0.0310 | LR 1.00e-06\n")
    };
    let steps: String = (1..=20).map(step).collect();
    let begins = "09:59:00    INFO Starting training loop (max_steps=20)\n";
    let finished = format!("{begins}{steps}10:20:30 SUCCESS RL trainer finished\n");
    for line in [
        "Waiting for the trainer's final broadcast (v19) before shutdown",
        "Waiting for inference to apply policy v20 before shutdown",
    ] {
        let of = |later| names(&[("logs/orchestrator.log", &orchestrator(line, later)), ("logs/trainer.log", &finished)]);
        assert_eq!((of("10:22:00"), of("11:20:00")), (vec![], vec!["hangs-at-end".to_owned()]), "{line}");
    }
    // The trainer works on the step whose weights are waited for, or does nothing more.
    let open = format!("{begins}{steps}");
    let line = "Waiting for inference to apply policy v21 to ship batch 23";
    let of = |later| names(&[("logs/orchestrator.log", &orchestrator(line, later)), ("logs/trainer.log", &open)]);
    assert_eq!((of("10:22:00"), of("11:20:00")), (vec![], vec!["async-barrier".to_owned()]));
}
