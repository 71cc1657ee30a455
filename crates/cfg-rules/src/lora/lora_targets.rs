//! Module names that the model does not have silently get no adapter. If none matches, the trainer continues without adapters; later versions stop.

use cfg_diag::{Severity, codes};
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, catalogue};

/// The parts of a layer's path above its own name.
const ABOVE: [&str; 4] = ["model", "layers", "self_attn", "mlp"];

/// Characters that make a name a regular expression for prime-rl, which may match anything.
const PATTERN: &[char] = &['.', '*', '+', '?', '^', '$', '[', ']', '{', '}', '|', '(', ')', '\\'];

pub(crate) static RULE: Rule = Rule {
    code: &codes::LORA_TARGETS,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Sft],
    versions: VersionRange::with(Behaviour::Adapters),
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let targets = super::adapters(cx)?.value.target_modules.fact().filter(|targets| targets.is_written())?;
    let model = cx.plan.trainer.as_ref()?.model.name.fact()?;
    let architecture = catalogue::architecture(&model.value).filter(|architecture| !architecture.linear.is_empty())?;
    let fits = |target: &str| {
        architecture.linear.contains(&target)
            || target.contains(PATTERN)
            || ABOVE.contains(&target)
            || target.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut strange = targets.value.iter().filter(|target| !fits(target)).peekable();
    let first = strange.peek().copied()?;
    let is_all = !targets.value.iter().any(|target| fits(target));
    let list = || strange.map(|target| format!("`{target}`")).collect::<Vec<_>>().join(", ");
    let finding = if is_all {
        let message = format!("{} has no layer named {}: no layer gets an adapter", model.value, list());
        Finding::new(message).severity(Severity::Error)
    } else if architecture.dense && &**first == "experts" && targets.value.iter().filter(|target| !fits(target)).count() == 1 {
        Finding::new(format!("{} has no experts: `experts` does nothing", model.value)).severity(Severity::Info)
    } else {
        Finding::new(format!("{} has no layer named {}: it gets no adapter", model.value, list())).severity(Severity::Warning)
    };
    Some(finding.on(targets).with(model, "the model").help(format!(
        "its layers are {}",
        architecture.linear.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    )))
}
