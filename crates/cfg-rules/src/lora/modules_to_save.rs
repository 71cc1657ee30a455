//! Modules that are trained in full beside the adapter never reach an inference server that gets only the adapter.

use cfg_diag::{Severity, codes};
use cfg_plan::Fact;
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, catalogue};

/// The non-linear modules that every model has.
const OF_EVERY_MODEL: [&str; 2] = ["embed_tokens", "lm_head"];

pub(crate) static RULE: Rule = Rule {
    code: &codes::MODULES_TO_SAVE,
    kinds: &[Kind::Rl, Kind::Trainer],
    versions: VersionRange::with(Behaviour::AdaptersAreServed),
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    if super::sends_no_adapter(cx) {
        return None;
    }
    // prime-rl never fills the list itself. A fork whose check does also changes what its trainer sends.
    let is_given = |modules: &&Fact<_>| modules.is_written();
    let modules =
        super::adapters(cx)?.value.modules_to_save.fact().filter(is_given).filter(|modules| !modules.value.is_empty())?;
    let name = cx.plan.trainer.as_ref().and_then(|trainer| trainer.model.name.text());
    let linear = name.and_then(catalogue::architecture).map(|architecture| architecture.linear).unwrap_or_default();
    // Other names may be patterns, or match no module; then the adapter's config lists none of them.
    let is_certain = modules.value.iter().any(|module| OF_EVERY_MODEL.contains(&&**module) || linear.contains(&&**module));
    let list = modules.value.iter().map(|module| format!("`{module}`")).collect::<Vec<_>>().join(", ");
    let reach = if modules.value.len() == 1 { "reaches" } else { "reach" };
    let finding = Finding::new(format!("the trainer also trains {list}, which never {reach} the inference server"));
    let key = modules.written_key();
    let repair = Repair::possible(format!("remove `{}`", key.name())).remove(key);
    let finding = finding
        .on(modules)
        .help(
            "remove it, or train all weights without adapters: the server gets only the adapter, and vLLM refuses one whose \
            config lists `modules_to_save`",
        )
        .repair(repair);
    Some(if is_certain { finding } else { finding.severity(Severity::Warning) })
}
