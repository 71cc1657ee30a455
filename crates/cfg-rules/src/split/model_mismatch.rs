//! Trainer, orchestrator and inference server use one model, which each of them names separately.

use cfg_diag::codes;
use cfg_plan::Fact;

use super::{PARTS, inference, orchestrator, trainer, whose};
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::MODEL_MISMATCH,
    kinds: &PARTS,
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

type Name = Fact<Box<str>>;

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let trained = trainer(cx).and_then(|trainer| trainer.model.name.fact());
    let asked = orchestrator(cx).and_then(|orchestrator| orchestrator.model.name.fact());
    let served = inference(cx).and_then(|inference| inference.model_name.fact());
    let mut found = Vec::new();
    if let (Some(asked), Some(served)) = (asked, served)
        && asked.value != served.value
    {
        found.push(not_served(asked, served));
    }
    let other = asked.map(|asked| (asked, "orchestrator")).or(served.map(|served| (served, "inference server")));
    if let (Some(trained), Some((other, whom))) = (trained, other)
        && are_others(&trained.value, &other.value)
    {
        found.push(not_trained(trained, other, whom));
    }
    found
}

fn not_served(asked: &Name, served: &Name) -> Finding {
    let message = format!(
        "the orchestrator requests {}{}, but the inference server serves {}{}",
        asked.value,
        whose(asked),
        served.value,
        whose(served)
    );
    ends(message, (asked, "requested here"), (served, "served here"))
        .help("vLLM answers 404 to any name other than the one it serves; use exactly the same name in both files")
}

fn not_trained(trained: &Name, other: &Name, whom: &str) -> Finding {
    let message =
        format!("the trainer trains {}{}, but the {whom} has {}{}", trained.value, whose(trained), other.value, whose(other));
    ends(message, (trained, "trained here"), (other, "another model here"))
        .help("the trainer's weights are loaded into the served model: use the same model in all files of the run")
}

fn ends(message: String, one: (&Name, &'static str), other: (&Name, &'static str)) -> Finding {
    if one.0.is_written() {
        Finding::new(message).on(one.0).label(one.1).with(other.0, other.1)
    } else {
        Finding::new(message).on(other.0).label(other.1)
    }
}

/// Whether two names certainly mean two models: a folder may contain a hub model, and prime-rl's patched test models have different names for
/// training and serving.
fn are_others(trained: &str, other: &str) -> bool {
    let is_of_hub = |name: &str| !name.starts_with(['/', '.', '~']) && name.matches('/').count() == 1;
    let is_patched = trained.starts_with("Jackmin108/");
    trained != other && !is_patched && is_of_hub(trained) == is_of_hub(other)
}

#[cfg(test)]
mod tests {
    use super::are_others;

    #[test]
    fn a_local_folder_may_be_the_model_of_another_file() {
        assert!(are_others("Qwen/Qwen3-4B", "Qwen/Qwen3-8B"));
        assert!(are_others("/models/a", "/models/b"));
        for (trained, other) in [
            ("Qwen/Qwen3-4B", "Qwen/Qwen3-4B"),
            ("/models/qwen", "Qwen/Qwen3-4B"),
            ("Jackmin108/debug-moe", "PrimeIntellect/debug"),
        ] {
            assert!(!are_others(trained, other), "{trained} {other}");
        }
    }
}
