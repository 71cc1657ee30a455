//! What prime-rl, PyTorch and vLLM say when they start with a config that every validator accepts: each is a symptom that names the config's keys.

use std::path::Path;

use cfg_diagnose::{Finding, Log, Matcher, RunContext, all, conclude};

/// The last line of a traceback, the process that writes it, and its symptom.
const ENDS: [(&str, &str, &str); 30] = [
    (
        "FileNotFoundError: [Errno 2] No such file or directory: 'outputs/configs/envs/train/owner/name.toml'",
        "rl",
        "env-config-not-written",
    ),
    (
        "FileNotFoundError: [Errno 2] No such file or directory: '/o/configs/envs/eval/a/b.json'",
        "evals",
        "env-config-not-written",
    ),
    (
        "ValueError: flash_attention_3 requires model.impl='custom' or 'auto' (resolved to 'custom'), but model.impl resolved to 'hf'",
        "trainer",
        "attention-needs-own-class",
    ),
    ("ValueError: No MoE router parameters found to freeze. Is this a MoE model?", "trainer", "no-router-to-set"),
    ("ValueError: No MoE routers found to force-balance", "trainer", "no-router-to-set"),
    ("AssertionError: You must set `enable_return_routed_experts=True` for router replay", "trainer", "no-router-to-set"),
    (
        "ValueError: Selective activation checkpoint targets ['routed_experts'] are not supported by the selected model layers.",
        "trainer",
        "checkpoint-targets",
    ),
    ("AssertionError: env_name='all' is reserved for aggregate metric keys", "trainer", "reserved-env-name"),
    (
        "ValueError: Elastic inference pool requires LoRA training (lora_name must be set)",
        "orchestrator",
        "elastic-without-adapter",
    ),
    (
        "ValueError: orchestrator.model.client.base_url port (8000) does not match inference.server.port (8001)",
        "rl",
        "address-mismatch",
    ),
    ("ValueError: Empty module name", "trainer", "object-not-imported"),
    ("ValueError: Invalid beta parameter at index 0: 1.0", "trainer", "optimizer-refuses"),
    ("ValueError: Invalid momentum value: -0.5", "trainer", "optimizer-refuses"),
    ("ValueError: Nesterov momentum requires a momentum and zero dampening", "trainer", "optimizer-refuses"),
    (
        "ValueError: VLM training requires a registered custom PrimeRL VLM implementation, got 'qwen3'",
        "trainer",
        "vision-without-class",
    ),
    ("ValueError: Could not find vision encoder to freeze", "trainer", "vision-without-class"),
    ("AssertionError: FP8 training is not supported for GPT-OSS", "trainer", "fp8-without-support"),
    ("ValueError: CP is not supported for RL", "trainer", "context-parallelism-unsupported"),
    (
        "ValueError: cp_style='ring' is not supported for models with linear-attention or Mamba/SSM layers",
        "trainer",
        "context-parallelism-unsupported",
    ),
    ("jinja2.exceptions.TemplateNotFound: 'mine.sbatch.j2'", "rl", "script-template-missing"),
    (
        "ValueError: The supplied chat template (templates/mine.jinja) looks like a file path, but it failed to be opened.",
        "inference",
        "chat-template-missing",
    ),
    (
        "ValueError: Number of experts in the model must be greater than 0 when expert parallelism is enabled.",
        "inference",
        "served-without-experts",
    ),
    ("AssertionError: DP adjusted local rank 2 is out of bounds.", "inference", "engine-beyond-gpus"),
    (
        "ValueError: World size (16) is larger than the number of available GPUs (8) in this node.",
        "inference",
        "engine-beyond-gpus",
    ),
    ("KeyError: 'invalid reasoning parser: deepseek_r2 (chose from { deepseek_r1,qwen3 })'", "inference", "unknown-parser"),
    ("KeyError: \"Reasoning parser 'foo' not found. Available parsers: deepseek_r1\"", "inference", "unknown-parser"),
    ("KeyError: 'invalid tool call parser: hermess (chose from { hermes })'", "inference", "unknown-parser"),
    ("KeyError: \"Tool parser 'hermess' not found.\"", "inference", "unknown-parser"),
    ("pydantic_core._pydantic_core.ValidationError: 1 validation error for CacheConfig", "inference", "engine-value-refused"),
    ("ValueError: Unknown quantization method: foo. Must be one of ['awq'].", "inference", "engine-value-refused"),
];

fn found(path: &str, text: &str) -> Vec<Finding> {
    let matcher = Matcher::new();
    let mut log = Log::new(&matcher);
    log.feed(text.as_bytes());
    conclude(&[log.finish().at(Path::new(path))], &RunContext { is_training: true, ..RunContext::default() })
}

fn traceback(code: &str, last: &str) -> String {
    format!(
        "10:00:05    INFO Initializing model (name='Qwen/Qwen3-4B')\n[rank0]: Traceback (most recent call last):\n\
         [rank0]:   File \"/app/src/prime_rl/utils/start.py\", line 90, in start\n[rank0]:     {code}\n[rank0]: {last}\n"
    )
}

#[test]
fn what_ends_a_start_is_a_symptom_with_the_keys_of_the_config() {
    for (last, component, name) in ENDS {
        let findings = found(&format!("logs/{component}.log"), &traceback("raise error", last));
        assert_eq!(findings.iter().map(|finding| &*finding.symptom.name).collect::<Vec<_>>(), [name], "{last}");
        let symptom = findings[0].symptom;
        assert!(!symptom.keys.is_empty() && !symptom.rules.is_empty(), "{name}");
    }
}

/// An assertion without a message, and a division, are known by their code.
#[test]
fn the_code_of_a_traceback_is_a_symptom_where_its_exception_says_nothing() {
    for (code, last, name) in [
        ("assert chunk_size > 0", "AssertionError", "chunk-without-token"),
        (
            "min_lr_factor = min_lr / lr if min_lr > 0 else 1e-8",
            "ZeroDivisionError: float division by zero",
            "schedule-divides-by-zero",
        ),
    ] {
        let findings = found("logs/trainer.log", &traceback(code, last));
        assert_eq!(findings.iter().map(|finding| &*finding.symptom.name).collect::<Vec<_>>(), [name], "{code}");
    }
}

/// A limit of 0 for the age of rollouts only warns.
#[test]
fn rollouts_that_every_update_cancels_are_a_warning() {
    let log =
        "10:00:05 WARNING Cancelled 128 train rollouts past max_off_policy_steps=0. Consider increasing it to avoid this.\n";
    let findings = found("logs/orchestrator.log", log);
    assert_eq!(findings.iter().map(|finding| &*finding.symptom.name).collect::<Vec<_>>(), ["stale-rollouts"]);
    let other = log.replace("steps=0", "steps=8");
    assert!(found("logs/orchestrator.log", &other).is_empty());
}

/// The lines of healthy starts that have the same words.
#[test]
fn healthy_starts_are_no_symptom() {
    let log = "10:00:01    INFO Loading custom chat template from file: templates/mine.jinja\n\
        10:00:02    INFO Starting train env server gsm8k at tcp://127.0.0.1:5000 (logs: outputs/logs/envs/train/gsm8k.log)\n\
        10:00:03    INFO Using reasoning parser deepseek_r1\n\
        10:00:04    INFO Running 48 MoE router gates in fp32\n\
        10:00:05    INFO Injecting Prime LM head with chunk size 1024\n\
        10:00:06    INFO Starting training loop (max_steps=20)\n";
    assert!(found("logs/trainer.log", log).is_empty());
    assert!(all().len() > 180);
}
