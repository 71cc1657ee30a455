//! Quotes from logs are found at any position and in any form in a log, and nothing is found in logs without them.

use std::fmt::Write as _;

use cfg_diag::codes;
use cfg_diagnose::{Finding, Log, Matcher, RunContext, ScannedLines, ScannedLog, all, conclude};

/// A quote from a log, its symptom, and a rule that the symptom must name.
const QUOTED: &[(&str, &str, &str)] = &[
    (
        "ValueError: 'max_tokens' or 'max_completion_tokens' is too large: 4000. This model's maximum context length is 4096 tokens and \
         your request has 1297 input tokens (4000 > 4096 - 1297).",
        "context-overflow",
        "context-overflow",
    ),
    (
        "This model's maximum context length is 4096 tokens and your request has 1297 input tokens",
        "context-overflow",
        "context-overflow",
    ),
    (
        "Malformed tool arguments from model: Unterminated string starting at: line 1 column 10",
        "truncated-tool-call",
        "tool-call-budget",
    ),
    ("Could not repair JSON, using empty args", "cut-arguments", "tool-call-budget"),
    ("Expecting value: line 1 column 1 (char 0)", "code-for-tool-call", "tool-parser"),
    ("json.decoder.JSONDecodeError: Invalid \\escape: line 1 column 40", "truncated-tool-call", "tool-call-budget"),
    (
        "wandb.errors.errors.UsageError: api_key not configured (no-tty). call wandb.login(key=[your_api_key])",
        "wandb-key",
        "missing-wandb-key",
    ),
    ("wandb: ERROR No API key configured. Use `wandb login` to log in.", "wandb-key", "missing-wandb-key"),
    ("FileNotFoundError: [Errno 2] No such file or directory: 'uv'", "uv-missing", "missing-program"),
    ("TypeError: default_weight_loader() got an unexpected keyword argument 'weight_name'", "weight-reload", "blocked-model"),
    (
        "ValueError: Unrecognized configuration class Qwen3VLConfig for AutoModelForCausalLM",
        "vision-language-model",
        "vision-language-model",
    ),
    (
        "ValueError: Unrecognized configuration class <class 'transformers.models.qwen3_vl.Qwen3VLConfig'> for this kind of AutoModel: \
         AutoModelForCausalLM.",
        "vision-language-model",
        "vision-language-model",
    ),
    ("KeyError: 'ministral3'", "unknown-architecture", "blocked-model"),
    ("OSError: mistralai/mistral-small-3.2-24b-instruct is not a valid model identifier", "no-such-model", "api-slug"),
    (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.16 GiB. GPU 0 has a total capacity of 47.40 GiB",
        "cuda-out-of-memory",
        "out-of-memory",
    ),
    (
        "ValueError: Free memory on device (48.97/79.18 GiB) on startup is less than desired GPU memory utilization (0.9, 71.26 GiB).",
        "no-memory-to-start",
        "no-memory-to-start",
    ),
    (
        "RuntimeError: Attempted to set the storage of a tensor on device \"cpu\" to a storage on different device \"cuda:0\"",
        "lora-cpu-offload",
        "lora-cpu-offload",
    ),
    ("!!!!!!! Segfault encountered !!!!!!!", "cuda-segfault", "vllm-variable-without-effect"),
    (
        "  File \"<unknown>\", line 0, in THCPModule_initExtension(_object*, _object*)",
        "cuda-segfault",
        "vllm-variable-without-effect",
    ),
    ("  File \"<unknown>\", line 0, in cuCtxGetDevice", "cuda-segfault", "vllm-variable-without-effect"),
    (
        "WARNING 01-05 Found ulimit of 32000 and failed to automatically increase with error current limit exceeds maximum limit",
        "low-file-limit",
        "low-file-limit",
    ),
    ("OSError: [Errno 24] Too many open files", "too-many-open-files", "low-file-limit"),
    ("Rollout failed: APIConnectionError('Connection error.')", "inference-died", "low-file-limit"),
    ("Reward function failed: 'list' object has no attribute 'get'", "broken-reward", "broken-env-version"),
    ("Trainer model seq_len (4096) must be >= orchestrator seq_len (8192)", "sequence-lengths-contradict", "contradiction"),
    ("Batch size must be divisible by the number of samples per problem", "batch-not-divisible", "contradiction"),
    (
        "Number of tokens 3000 is greater than sequence length 2048. This should not happen.",
        "sample-longer-than-sequence",
        "cut-rollouts",
    ),
    ("All positions in `loss_mask` are `False`", "empty-loss-mask", "prompt-fills-sequence"),
    (
        "RuntimeError: max(): Expected reduction dim to be specified for input.numel() == 0",
        "empty-loss-mask",
        "prompt-fills-sequence",
    ),
    ("AssertionError: non-increasing position IDs", "position-ids", "chat-template"),
    (
        "RuntimeError: Failed to install environment seconds-0/beautiful-soup-env (stdout=, stderr=)",
        "environment-install",
        "missing-environment",
    ),
    ("0 tool calls in 680 examples", "no-tool-calls", "tool-call-budget"),
    ("Sandbox timeout after 30 s", "sandbox-timeout", "slow-executor"),
    ("404: Model not found", "unknown-to-server", "hosted-model"),
    ("ValidationError: expects config object", "table-expected", "wrong-type"),
    ("error: Failed to spawn: `prime-rl`", "no-such-entrypoint", "missing-program"),
    ("  - Rollout generation: 26m 30s (97%)", "slow-rollouts", "slow-executor"),
    ("Step 0 | Time: 3.1s | Loss: nan | Entropy: 0.2 | Grad. Norm: 0.1 | LR: 1.00e-05", "loss-nan", "prompt-fills-sequence"),
    ("FileNotFoundError: model-00001-of-00001.safetensors", "weights-index", "weights-index-mismatch"),
    ("default_weight_loader() got unexpected keyword argument 'weight_name'", "weight-reload", "blocked-model"),
    ("extra_forbidden trainer.model.experimental", "refused-key", "removed-key"),
    ("{'type': 'extra_forbidden', 'loc': ('orchestrator', 'sampling', 'top_p')}", "refused-key", "removed-key"),
    ("ValueError: until_step must be positive", "curriculum-refused", "curriculum-order"),
    ("ValueError: Invalid difficulty: 'trivial'", "curriculum-refused", "curriculum-weights"),
    ("TypeError: generate() got multiple values for keyword argument 'max_tokens'", "vllm-keyword-twice", ""),
    (
        "[rank3]:[E ProcessGroupNCCL.cpp:632] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=812, \
         OpType=_ALLGATHER_BASE, NumelIn=1, NumelOut=8, Timeout(ms)=600000) ran for 600021 milliseconds before timing out.",
        "nccl-timeout",
        "",
    ),
    (
        "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.hpp:268, ncclSystemError: \
         System call (e.g. socket, malloc) or external library call failed or device error.",
        "nccl-error",
        "",
    ),
    ("RuntimeError: CUDA error: an illegal memory access was encountered", "illegal-memory-access", ""),
    ("RuntimeError: CUDA error: device-side assert triggered", "device-side-assert", ""),
    ("torch.distributed.elastic.multiprocessing.errors.ChildFailedError:", "child-failed", ""),
    ("  exitcode  : -9 (pid: 41233)", "killed-by-system", ""),
    ("[ 1234.5] Memory cgroup out of memory: Killed process 41233 (python3) total-vm:812345678kB", "killed-by-system", ""),
    ("ModuleNotFoundError: No module named 'flash_attn'", "missing-module", "missing-environment"),
    ("ValueError: TrainSource needs at least one train env", "no-training-environment", "no-training-environment"),
    (
        "ValueError: Cannot use chat template functions because tokenizer.chat_template is not set and no template argument was passed!",
        "no-chat-template",
        "no-chat-template",
    ),
    ("wandb: ERROR 404: run \"abc\" not found while updating run", "wandb-run-lost", "offline-without-effect"),
    ("wandb.errors.errors.CommError: Error uploading run: returned error 404", "wandb-run-lost", "offline-without-effect"),
    ("prime_sandboxes.exceptions.CommandTimeoutError: Command timed out after 900s", "sandbox-failed", ""),
    ("Task was killed due to the node running low on memory.", "killed-by-system", ""),
    ("huggingface_hub.errors.GatedRepoError: 401 Client Error. (Request ID: Root=1-69)", "gated-model", "missing-hub-token"),
];

fn seen(matcher: &Matcher, bytes: &[u8], piece: usize) -> ScannedLog {
    let mut log = Log::new(matcher);
    bytes.chunks(piece).for_each(|piece| log.feed(piece));
    log.finish()
}

fn diagnosed(bytes: &[u8]) -> Vec<Finding> {
    conclude(&[seen(&Matcher::new(), bytes, 64 * 1024)], &RunContext::default())
}

/// Lines of a healthy run, and of other programs.
fn healthy(lines: u32) -> String {
    let mut log = String::new();
    for line in 0..lines {
        let (step, reward) = (line / 10, 0.1 + f64::from(line) / 1e4);
        let _ = match line % 10 {
            0 => writeln!(
                log,
                "\x1b[2m12:00:{:02}\x1b[0m \x1b[1m   INFO\x1b[0m \x1b[22mStarting orchestrator step {step}\x1b[0m",
                line % 60
            ),
            1 => writeln!(
                log,
                "Generating rollouts (train):   0%|          | 0/128 [00:00<?, ?it/s]\rGenerating rollouts (train): 100%|###| 128/128 [03:12<00:00, 1.5s/it]"
            ),
            2 => writeln!(log, "12:00:00 SUCCESS Step {step} | Time: 220.10s | Reward: {reward:.4} | Throughput: 50.1 tokens/s"),
            3 => writeln!(
                log,
                "12:00:01 SUCCESS Step {step} | Time: 200.10s | Loss: 0.0012 | Entropy: 0.1102 | Mismatch KL: 0.0021 | Grad. Norm: 0.3100"
            ),
            4 => writeln!(log, "INFO:     127.0.0.1:39012 - \"POST /v1/chat/completions HTTP/1.1\" 200 OK"),
            5 => writeln!(log, "   INFO Hit async barrier because we are >1 step(s) async. Waiting for checkpoint {step}"),
            6 => writeln!(
                log,
                "(APIServer pid=4242) INFO Avg generation throughput: 812.1 tokens/s, Running: 31 reqs, GPU KV cache usage: 12.1%"
            ),
            7 => writeln!(log, "[rank0]: loaded 10 of 120 tool calls, 20 tool calls done, prices fell, 3/4 left"),
            8 => writeln!(log, "   INFO Starting training loop (max_steps=1000)"),
            _ => writeln!(log, "   INFO Saving checkpoint at step {step}"),
        };
    }
    // The run ended well.
    log + "12:00:00 SUCCESS Step 99999 | Time: 220.10s | Reward: 0.9000 |\n12:00:01 SUCCESS Step 99999 | Time: 1s | Loss: 0.0012 |\n"
}

#[test]
fn quoted_messages_are_found_among_thousands_of_lines() {
    let before = healthy(3_000);
    // If steps followed, the failure would be past.
    let is_step = |line: &&str| ["Step", "Starting training loop", "rollouts"].iter().any(|word| line.contains(word));
    let behind: Vec<&str> = before.lines().filter(|line| !is_step(line)).collect();
    let behind = behind.join("\n");
    for (text, symptom, rule) in QUOTED {
        // What a run survives must be frequent.
        let is_survivable = all().iter().any(|known| &*known.name == *symptom && known.is_survivable);
        let often = format!("[rank0]: {text}\n").repeat(if is_survivable { 12 } else { 1 });
        let findings = diagnosed(format!("{before}{often}{behind}").as_bytes());
        let names: Vec<&str> = findings.iter().map(|finding| &*finding.symptom.name).collect();
        let finding = findings.iter().find(|finding| &*finding.symptom.name == *symptom);
        let finding = finding.unwrap_or_else(|| panic!("{text}: {names:?}"));
        let first = &finding.sightings[0].first;
        assert_eq!(first.line, before.lines().count() as u64 + 1, "{text}");
        assert!(first.text.contains(&text.trim()[..20]), "{first:?}");
        let rules: Vec<&str> = finding.symptom.rules.iter().map(|code| code.name).collect();
        assert!(rule.is_empty() && rules.is_empty() || rules.contains(rule), "{text}: {rules:?}");
    }
}

/// Logs of other programs, and of a healthy server; failures in them are not those of a training run.
const OTHER_LOGS: [(&str, &str); 5] = [
    (
        "nginx",
        "192.0.2.7 - - [06/Jan/2026:03:00:12 +0000] \"GET /loss?nan=1&loss=nan HTTP/1.1\" 200 512\n\
        nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)\nworker process 31 exited, received SIGTERM\n\
        [crit] 31#31: accept4() failed (24: Too many open files)\n\
        [error] 31#31: *14 open() \"/usr/share/nginx/html/model not found\" failed (2: No such file or directory)\n\
        pydantic: 1 validation error for UserConfig\nname\n  Extra inputs are not permitted [type=extra_forbidden]\n\
        write failed: No space left on device\nmake: *** [all] Error 2\nBatch size 8, step 3 of 10\n",
    ),
    (
        "pip",
        "Collecting torch==2.8.0\nERROR: No matching distribution found for flash-attn==9.9\n  error: subprocess-exited-with-error\n\
        Traceback (most recent call last):\nTimeoutError: The read operation timed out\n\
        outlines 0.1.11 requires numpy<2.0.0, but you have numpy 2.2.0 which is incompatible.\nSuccessfully installed transformers-4.56.0\n",
    ),
    (
        "cargo",
        "error[E0382]: use of moved value: `loss`\nthread 'main' panicked at 'Os { code: 98, message: \"Address already in use\" }'\n\
        error: process didn't exit successfully: `rustc` (signal: 9, SIGKILL: kill)\nNo space left on device (os error 28)\n\
        error: Too many open files (os error 24)\ntest result: FAILED. 3 passed; 1 failed; step 3/8\n",
    ),
    (
        "pytest",
        "E       pydantic_core._pydantic_core.ValidationError: 2 validation errors for UserConfig\nE       name\n\
        E         Input should be a valid string [type=string_type, input_value=1, input_type=int]\n\
        E       json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n\
        E       json.decoder.JSONDecodeError: Unterminated string starting at: line 1 column 10\n\
        E       AttributeError: 'list' object has no attribute 'get'\nE       ModuleNotFoundError: No module named 'bs4'\n\
        E       FileNotFoundError: [Errno 2] No such file or directory: 'uv'\nE       ValueError: Invalid difficulty\n\
        ================== 1 failed, 118 passed, 1 error in 12.34s ===================\n",
    ),
    (
        "vLLM",
        "(APIServer pid=4242) INFO 01-06 12:00:02 [utils.py:233] non-default args: {'model': 'Qwen/Qwen3-8B', 'max_model_len': 4096}\n\
        (EngineCore_DP0 pid=4300) INFO 01-06 12:00:07 [cuda.py:366] Using Flash Attention backend on V1 engine.\n\
        Loading safetensors checkpoint shards:   0% Completed | 0/5 [00:00<?, ?it/s]\n\
        Capturing CUDA graphs (decode, FULL):   0%|          | 0/35 [00:00<?, ?it/s]\n\
        (EngineCore_DP0 pid=4300) INFO 01-06 12:00:30 [kv_cache_utils.py:1087] GPU KV cache size: 394,720 tokens\n\
        (EngineCore_DP0 pid=4300) INFO 01-06 12:00:30 Maximum concurrency for 4,096 tokens per request: 96.37x\n\
        (APIServer pid=4242) INFO:     127.0.0.1:39012 - \"POST /v1/load_lora_adapter HTTP/1.1\" 200 OK\n\
        (APIServer pid=4242) INFO 01-06 12:01:40 Engine 000: Avg prompt throughput: 0.0 tokens/s, Running: 0 reqs, GPU KV cache usage: 0.0%\n\
        [rank0]:[W106] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources.\n",
    ),
];

#[test]
fn a_clean_log_has_no_symptoms() {
    let found =
        |text: &str| diagnosed(text.as_bytes()).iter().map(|finding| finding.symptom.name.to_string()).collect::<Vec<_>>();
    assert_eq!(found(&healthy(20_000)), [""; 0]);
    assert_eq!(found(""), [""; 0]);
    for (name, text) in OTHER_LOGS {
        assert_eq!(found(&text.repeat(500)), [""; 0], "{name}");
    }
}

#[test]
fn the_chunks_of_a_log_do_not_affect_the_result() {
    let text = format!("{}RuntimeError: CUDA out of memory. Tried to allocate 2.16 GiB\n", healthy(300));
    let matcher = Matcher::new();
    for piece in [1, 7, 100, 4096] {
        let seen = seen(&matcher, text.as_bytes(), piece);
        assert_eq!((seen.lines, seen.bytes), (303, text.len() as u64), "{piece}");
        let findings = conclude(&[seen], &RunContext::default());
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].sightings[0].first.line, text.lines().count() as u64);
    }
}

/// A log that only says that the disk is full may be from any program; together with a config it is from its run.
#[test]
fn a_log_beside_a_config_is_a_training_log() {
    let seen = || seen(&Matcher::new(), b"write failed: No space left on device\n", 64 * 1024);
    assert_eq!(conclude(&[seen()], &RunContext::default()).len(), 0);
    let findings = conclude(&[seen()], &RunContext { is_training: true, ..RunContext::default() });
    assert_eq!(&*findings[0].symptom.name, "disk-full");
}

/// torchrun's report of a failed process is not a separate finding if the reason was found.
#[test]
fn a_cause_is_listed_before_its_consequences() {
    let log = "CUDA out of memory. Tried to allocate 2.16 GiB\nncclSystemError\n\
        torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n";
    let names: Vec<&str> = diagnosed(log.as_bytes()).iter().map(|finding| &*finding.symptom.name).collect();
    assert_eq!(names, ["cuda-out-of-memory"]);
}

/// Lines that are searched in blocks, as on several threads, give the same symptoms, lines, counts and quotes as when read in order.
#[test]
fn blocks_of_lines_give_the_same_result() {
    let matcher = Matcher::new();
    let mut text = healthy(400).into_bytes();
    for (index, (quoted, ..)) in QUOTED.iter().enumerate() {
        text.extend_from_slice(quoted.as_bytes());
        text.extend_from_slice(if index % 3 == 0 { b"\r\n" } else { b"\n" });
        // Lines close to the length from which lines are examined in parts, with several matches.
        let long = "y".repeat(4_040 + index * 2);
        text.extend_from_slice(format!("{long} {quoted} Step 7 | Reward: 0.0 | Loss: nan | Entropy: 0.01 {quoted}\n").as_bytes());
        text.extend_from_slice(&[0xff, b'|', b' ', b'R', b'e', b'w', b'a', b'r', b'd', 0x80, b'\n']);
    }
    text.extend_from_slice("orchestrator.top_p\n  Extra inputs are not permitted [type=extra_forbidden]\n\n\r".as_bytes());
    text.extend_from_slice(healthy(50).as_bytes());
    let told = |seen: ScannedLog| {
        let counts = (seen.lines, seen.bytes);
        (counts, format!("{:?}", conclude(&[seen], &RunContext::default())))
    };
    let plain = told(seen(&matcher, &text, 64 * 1024));
    assert!(plain.1.len() > 10_000);
    let mut scanned = ScannedLines::default();
    for size in [50, 3_000, 20_000, 400_000] {
        let mut log = Log::new(&matcher);
        let mut rest = &text[..];
        while !rest.is_empty() {
            let least = size.min(rest.len());
            let end = rest[least..].iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| least + at + 1);
            matcher.scan(&rest[..end], &mut scanned);
            log.take(&mut scanned);
            rest = &rest[end..];
        }
        assert_eq!(told(log.finish()), plain, "{size}");
    }
}

#[test]
fn bytes_of_any_kind_are_read() {
    // Colours within a text, invalid UTF-8, Windows line ends, text in UTF-16.
    let colours = b"\xff\xfe\x80 \x1b[31mCUDA out\x1b[0m of \x1b[1mmemory\x1b[0m\r\nnext\r\n";
    let found = diagnosed(colours);
    assert_eq!((&*found[0].symptom.name, found[0].sightings[0].first.line), ("cuda-out-of-memory", 1));
    assert!(found[0].sightings[0].first.text.ends_with("CUDA out of memory"), "{found:?}");
    let wide: Vec<u8> = "one\nKeyError: 'ministral3'\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(diagnosed(&wide)[0].sightings[0].first.line, 2);
    // A line of several megabytes, and the bytes of binary files.
    let mut long = vec![b'x'; 3_000_000];
    long.extend_from_slice(b" No API key configured ");
    long.extend(vec![b'y'; 3_000_000]);
    let found = diagnosed(&long);
    assert_eq!(found[0].sightings[0].first.line, 1);
    assert!(found[0].sightings[0].first.text.len() < 500, "{}", found[0].sightings[0].first.text.len());
    let noise: Vec<u8> = (0_u32..2_000_000).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    assert_eq!(diagnosed(&noise).len(), 0);
}

#[test]
fn counts_are_of_lines() {
    let line =
        "ValueError: Free memory on device (1/2 GiB) on startup is less than desired GPU memory utilization (0.9, 71.26 GiB).\n";
    let findings = diagnosed(line.repeat(1000).as_bytes());
    let sighting = &findings[0].sightings[0];
    assert_eq!((sighting.count, sighting.first.line, sighting.last_line), (1000, 1, 1000));
}

#[test]
fn pydantic_names_the_key() {
    let text = "pydantic_core._pydantic_core.ValidationError: 1 validation error for RLConfig\r\norchestrator.sampling.top_p\r\n  \
        Extra inputs are not permitted [type=extra_forbidden, input_value=0.95, input_type=float]\r\n";
    let findings = diagnosed(text.as_bytes());
    let [finding] = findings.as_slice() else { panic!("the head of the error is not told beside it: {findings:?}") };
    assert_eq!(&*finding.symptom.name, "refused-key");
    assert_eq!(finding.sightings[0].first.key.as_deref(), Some("orchestrator.sampling.top_p"));
}

#[test]
fn every_symptom_names_known_rules_and_has_advice() {
    for symptom in all() {
        assert!(symptom.rules.iter().all(|code| codes::find(code.name).is_some()));
        assert!(symptom.repair.len() > 20 && symptom.cause.ends_with('.'), "{}", symptom.name);
        assert!(!symptom.repair.ends_with('.'), "{}", symptom.name);
    }
}

/// Each line of the table is found as the symptom that it is listed under, and as no other one.
#[test]
fn each_line_of_the_table_is_one_symptom() {
    let matcher = Matcher::new();
    let context = RunContext { is_training: true, ..RunContext::default() };
    let mut several = Vec::new();
    for symptom in all() {
        for line in &symptom.lines {
            let text = format!("12:00:00 words before {} words behind\n", line.replace('…', "x"));
            let names: Vec<String> = conclude(&[seen(&matcher, text.as_bytes(), 64 * 1024)], &context)
                .iter()
                .map(|finding| finding.symptom.name.to_string())
                .collect();
            assert!(names.iter().any(|name| **name == *symptom.name) || symptom.weak || symptom.generic, "{line}: {names:?}");
            if names.len() > 1 {
                several.push((line.to_string(), names));
            }
        }
    }
    assert!(several.is_empty(), "{several:#?}");
}
