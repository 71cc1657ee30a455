//! The trainer has its own classes for some architectures. If the config requires one for another architecture, it stops.

use cfg_diag::codes;
use cfg_schema::{History, Kind};

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, catalogue};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CUSTOM_IMPLEMENTATION,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Sft],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let implementation = cx.plan.trainer.as_ref()?.model.implementation.fact()?;
    if &*implementation.value != "custom" || !implementation.is_written() {
        return None;
    }
    let name = super::trained(cx)?;
    let architecture = catalogue::architecture(&name.value)?;
    if architecture.has_own_class(cx.target.point) {
        return None;
    }
    let first = architecture.native.and_then(|native| History::built_in().commit_of(native.since()));
    let later = first.map(|commit| format!(", before {}", commit.day()));
    let message = format!(
        "the trainer has no custom implementation of {}, whose architecture is {}{}",
        name.value,
        architecture.name,
        later.unwrap_or_default()
    );
    let repair = Repair::possible("use the transformers implementation").set(implementation.written_key(), "hf");
    Some(
        Finding::new(message)
            .on(implementation)
            .label("\"custom\" here")
            .with(name, "the model")
            .help(format!("set `{}` to \"hf\"", implementation.written_key()))
            .repair(repair),
    )
}
