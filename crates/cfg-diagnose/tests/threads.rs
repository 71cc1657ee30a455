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
