//! Checks that the environment variables for vLLM have an effect.

use cfg_diag::{Diagnostic, Severity, codes};

use super::{Answer, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let machine = situation.machine;
    let mut found = Vec::new();
    // prime-rl uses vLLM 0.12 or later since v0.2; the earlier versions in the history use 0.11.
    if machine.variable("VLLM_USE_V1").is_some() {
        let message = "VLLM_USE_V1 has no effect: vLLM has only one engine since 0.11";
        let help = "unset it; against segmentation faults in forked processes, use VLLM_WORKER_MULTIPROC_METHOD=spawn and \
            `enforce_eager = true`";
        let mut finding = Diagnostic::new(&codes::VLLM_VARIABLE_WITHOUT_EFFECT, message).help(help);
        finding.severity = Severity::Info;
        found.push(finding);
    }
    if let Some(value) =
        machine.variable("VLLM_WORKER_MULTIPROC_METHOD").filter(|value| !matches!(value.as_str(), "spawn" | "fork"))
    {
        let message = format!("VLLM_WORKER_MULTIPROC_METHOD is {value:?}, which vLLM does not support");
        found.push(Diagnostic::new(&codes::VLLM_VARIABLE_WITHOUT_EFFECT, message).help("set it to `spawn`, or unset it"));
    }
    Answer::of(found, || "all take effect".to_owned())
}
