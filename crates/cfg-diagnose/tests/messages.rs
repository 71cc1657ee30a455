//! What libraries, machines and services say when a run can't go on, as public threads quote it, in our words.

use std::path::Path;

use cfg_diagnose::{Log, Matcher, RunContext, RunEnd, conclude, processes};

const MESSAGES: &[(&str, &str)] = &[
    // NeMo-RL 237, verl 1398.
    ("ValueError: Token id 151708 is out of vocabulary", "token-out-of-vocabulary"),
    // vLLM 12783, OpenRLHF 991.
    ("ValueError: There is no module or parameter named '_orig_mod' in Qwen2ForCausalLM", "weight-of-unknown-name"),
    ("ValueError: Unrecognized model in out/ckpt. Should have a `model_type` key in its config.json", "no-model-config"),
    ("OSError: me/adapter does not appear to have a file named config.json. Checkout the page", "no-model-config"),
    ("ValueError: Can't find 'adapter_config.json' at 'out/weights/step_40'", "no-adapter-config"),
    ("ValueError: Loading lora a failed: No adapter found for /out/a", "no-adapter-config"),
    ("RuntimeError: FlashAttention forward only supports head dimension at most 256", "head-dimension"),
    (
        "ValueError: The output_size of gate's and up's weight = 192 is not divisible by weight quantization block_n = 128.",
        "quantization-blocks",
    ),
    ("AttributeError: 'Qwen3Config' object has no attribute 'rope_theta'", "rope-of-other-version"),
    ("ValueError: At most 1 image(s) may be provided in one prompt.", "too-many-images"),
    ("ValueError: Image features and image tokens do not match: tokens: 300, features 364", "images-without-tokens"),
    // verl 4337.
    ("AttributeError: Qwen2Tokenizer has no attribute all_special_tokens_extended", "transformers-mismatch"),
    ("ImportError: Numba needs NumPy 2.2 or less. Got NumPy 2.4.", "numpy-mismatch"),
    ("torch.AcceleratorError: CUDA error: misaligned address", "kernel-refused"),
    ("RuntimeError: CUDA error: peer access is not supported between these two devices", "peer-access"),
    // Megatron-Bridge 1335.
    ("RuntimeError: DeepEP error: timeout (dispatch CPU)", "expert-kernels"),
    // vLLM 41848, 20939.
    ("ValueError: invalid literal for int() with base 10: 'MIG-377e0049-554c-540b'", "visible-devices-by-name"),
    // PyTorch 164554.
    ("NotImplementedError: Cannot copy out of meta tensor; no data!", "meta-tensor"),
    ("error: No interpreter found for Python >=3.12 in virtual environments", "python-version"),
    ("run.sh: line 3: 812 Illegal instruction     (core dumped) uv run rl @ rl.toml", "illegal-instruction"),
    ("run.sh: line 3: 812 Floating point exception(core dumped) uv run rl @ rl.toml", "arithmetic-signal"),
    ("socket.gaierror: [Errno -2] Name or service not known", "hostname-unknown"),
    ("OSError: [Errno 99] Cannot assign requested address", "address-not-here"),
    (
        "ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate in certificate chain",
        "certificate-refused",
    ),
    ("requests.exceptions.ProxyError: ('Unable to connect to proxy', OSError('Tunnel connection failed: 403'))", "proxy-refused"),
    ("docker.errors.DockerException: Error while fetching server API version: ('Connection aborted.')", "docker-unavailable"),
    (
        "playwright._impl._errors.Error: BrowserType.launch: Executable doesn't exist at /home/user/.cache/ms-playwright/chromium-1187/chrome",
        "browser-missing",
    ),
    ("LookupError: Resource punkt_tab not found. Please use the NLTK Downloader to obtain the resource", "nltk-data-missing"),
    ("filelock._error.Timeout: The file lock '/nfs/hub/.locks/a.lock' could not be acquired.", "lock-failed"),
    ("OSError: [Errno 36] File name too long: 'a-very-long-name'", "path-too-long"),
    (
        "zmq.error.ZMQError: ipc path \"/scratch/a/b\" is longer than 107 characters (sizeof(sockaddr_un.sun_path)).",
        "path-too-long",
    ),
    ("KeyError: 'JUDGE_API_KEY'", "key-variable-missing"),
    ("prime_sandboxes.core.client.APIError: HTTP 402: 402 Payment Required", "balance-used-up"),
    ("PermissionError: [Errno 13] Permission denied: '/out/run/configs'", "permission-denied"),
    ("datasets.exceptions.DatasetGenerationError: An error occurred while generating the dataset", "dataset-broken"),
    ("RuntimeError: unable to write to file </torch_812_3>: No space left on device (28)", "shared-memory-small"),
];

fn found(text: &str) -> Vec<String> {
    let matcher = Matcher::new();
    let mut log = Log::new(&matcher);
    log.feed(text.as_bytes());
    let findings = conclude(&[log.finish().at(Path::new("logs/orchestrator.log"))], &RunContext::default());
    findings.iter().map(|finding| finding.symptom.name.to_string()).collect()
}

#[test]
fn messages_of_public_threads_are_known() {
    let start = "09:00:00    INFO Starting orchestrator (algorithm: grpo)\n";
    for (message, name) in MESSAGES {
        let end = format!("{start}Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    f()\n{message}\n");
        let names = found(&end);
        assert!(names.iter().any(|found| found == name), "{message}: {names:?}");
        let harmless = format!("{start}09:00:10    INFO the environment's answer mentions a problem: nothing happened\n");
        assert_eq!(found(&harmless), [""; 0]);
    }
}

/// The trainer's last weights come too late for the orchestrator, or never.
#[test]
fn an_orchestrator_that_gives_up_waiting_is_told() {
    let text = "09:00:00    INFO Starting orchestrator (algorithm: grpo)\n\
        09:10:00 SUCCESS Step 20 | 1m 0s | Reward 0.3100 | Trainable 48/64 (75.0%) | Turns 9.0 | Max Off-Policy 2 | Error 0.0% | Truncation 0.0%\n\
        09:20:00 WARNING Trainer did not broadcast v20 within 600s — shutting down anyway\n\
        09:20:01 SUCCESS Orchestrator finished.\n";
    assert_eq!(found(text), ["hangs-at-end"]);
    assert_eq!(found(&format!("{text}09:21:00 SUCCESS RL trainer finished!\n")), [""; 0]);
}

/// An evaluation that was skipped is missing, however far the training gets.
#[test]
fn an_evaluation_that_was_skipped_is_told_until_another_one_succeeds() {
    let matcher = Matcher::new();
    let read = |path: &str, text: &str| {
        let mut log = Log::new(&matcher);
        log.feed(text.as_bytes());
        log.finish().at(Path::new(path))
    };
    let skipped = "09:00:00    INFO Starting evals (sft)\n\
        09:03:00   ERROR Failed to update inference weights to step 20 - skipping evals: HTTPStatusError('500')\n";
    let step = |minute| format!("09:{minute:02}:00 SUCCESS Step {minute} | 9.1s | Loss 1.0000 | Grad. Norm 0.8 | LR 1.00e-05\n");
    let trainer: String = (1..30).map(step).collect();
    let names = |evals: &str| -> Vec<String> {
        let logs = [read("logs/evals.log", evals), read("logs/trainer/rank_0.log", &trainer)];
        conclude(&logs, &RunContext::default()).iter().map(|finding| finding.symptom.name.to_string()).collect()
    };
    assert_eq!(names(skipped), ["evaluation-skipped"]);
    assert_eq!(names(&format!("{skipped}09:20:00 SUCCESS Evaluated gsm8k (Step 40) | 1m 2s | Reward 0.9\n")), [""; 0]);
}

/// The words of main in September 2026: ends without punctuation, and waiting for the server instead of the trainer.
#[test]
fn the_words_of_the_newest_prime_rl_are_read() {
    let matcher = Matcher::new();
    let read = |path: &str, text: &str| {
        let mut log = Log::new(&matcher);
        log.feed(text.as_bytes());
        log.finish().at(Path::new(path))
    };
    let mut orchestrator =
        "09:00:00    INFO Starting from scratch\n09:01:00    INFO Starting orchestrator loop (max_steps=20)\n".to_owned();
    let mut trainer = "09:00:00    INFO Starting training loop (max_steps=20)\n".to_owned();
    for step in 1..=20_i32 {
        orchestrator += &format!(
            "09:{step:02}:30    INFO Pausing dispatcher until inference applies policy v{} (currently v{})\n\
             09:{step:02}:31    INFO Holding batch {step} until inference applies policy v{} (currently v{})\n\
             09:{step:02}:40    INFO Resuming dispatcher (policy v{})\n\
             09:{step:02}:50 SUCCESS Step {step} |   1m 0s | Reward 0.3100 | Trainable 60/64 (93.8%) | Turns 2.0 | Branches 1.0 | Max Off-Policy 1 | \
             Error 0.0% | Cancelled 0.0% | Truncation 1.6% | Timeout 0.0%\n",
            step - 1,
            step - 2,
            step - 1,
            step - 2,
            step - 1,
        );
        trainer += &format!(
            "09:{step:02}:55 SUCCESS Step {step} |   50.0s | Loss 0.0010 | Entropy 0.4000 | Mismatch KL 0.0010 | Grad. Norm 0.2 | LR 1.00e-06\n"
        );
    }
    let names = |orchestrator: &str, trainer: &str| {
        let logs = [read("logs/orchestrator.log", orchestrator), read("logs/trainer/rank_0.log", trainer)];
        let found = conclude(&logs, &RunContext::default());
        (found.iter().map(|finding| finding.symptom.name.to_string()).collect::<Vec<_>>(), processes(&logs).1, logs)
    };
    orchestrator += "09:22:00 SUCCESS Evaluated GSM8K | Policy v20 |   1m 2s | Reward 0.9100 | Turns 1.0 | Error 0.0% | Truncation 0.0% | Timeout 0.0%\n";
    let (found, end, logs) = names(&orchestrator, &trainer);
    assert_eq!((found, end), (vec![], RunEnd::Open));
    let evaluations: Vec<_> = logs[0].curves().evaluations().map(|(name, curve)| (name, curve.points())).collect();
    assert_eq!(evaluations, [("gsm8k", vec![(20, 0.91)])]);
    let gives_up = "09:40:00 WARNING Inference did not apply policy v20 within 600s — proceeding anyway\n";
    assert_eq!(names(&format!("{orchestrator}{gives_up}09:40:01 SUCCESS Orchestrator finished\n"), &trainer).0, ["hangs-at-end"]);
    orchestrator += "09:23:00 SUCCESS Orchestrator finished\n";
    trainer += "09:24:00 SUCCESS RL trainer finished\n";
    let (found, end, _) = names(&orchestrator, &trainer);
    assert_eq!((found, end), (vec![], RunEnd::Finished));
}

/// The files of a run are copied one after the other, so the trainer's log may end before the orchestrator's: weights that came are a sign of its steps.
#[test]
fn a_trainer_whose_log_is_behind_is_no_stale_folder() {
    let matcher = Matcher::new();
    let read = |path: &str, text: &str| {
        let mut log = Log::new(&matcher);
        log.feed(text.as_bytes());
        log.finish().at(Path::new(path))
    };
    let names = |pause: u32| -> Vec<String> {
        let mut orchestrator = "09:01:00    INFO Starting orchestrator loop (max_steps=20)\n".to_owned();
        for step in 1..=6_i32 {
            orchestrator += &format!(
                "09:0{step}:10    INFO Holding batch {step} until inference applies policy v{} (currently v{})\n\
                 09:0{step}:{}    INFO Resuming dispatcher (policy v{})\n\
                 09:0{step}:50 SUCCESS Step {step} |   1m 0s | Reward 0.3100 | Trainable 60/64 (93.8%) | Turns 2.0 | Max Off-Policy 1 | Error 0.0%\n",
                step - 1,
                step - 2,
                10 + pause,
                step - 1,
            );
        }
        orchestrator += "09:07:10    INFO Holding batch 7 until inference applies policy v6 (currently v5)\n";
        let trainer = "09:01:00    INFO Starting training loop (max_steps=20)\n";
        let logs = [read("logs/orchestrator.log", &orchestrator), read("logs/trainer/rank_0.log", trainer)];
        conclude(&logs, &RunContext::default()).iter().map(|finding| finding.symptom.name.to_string()).collect()
    };
    assert_eq!(names(8), [""; 0]);
    assert_eq!(names(0), ["stale-folders"], "files of an earlier run are there at once");
}
