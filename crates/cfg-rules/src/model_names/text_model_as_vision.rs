//! A table for image input at a model that reads text only: the trainer finds no vision encoder.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, catalogue};

/// Architectures without a variant that reads images.
const TEXT: [&str; 3] = ["qwen3", "qwen3_moe", "gpt_oss"];

pub(crate) static RULE: Rule = Rule {
    code: &codes::TEXT_MODEL_AS_VISION,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Sft],
    versions: VersionRange::with(Behaviour::VlmTable),
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let vlm = cx.plan.trainer.as_ref()?.model.vlm.fact().filter(|vlm| vlm.value && vlm.is_written())?;
    let name = super::trained(cx)?;
    let architecture = catalogue::architecture(&name.value)?.name;
    if !TEXT.contains(&architecture) {
        return None;
    }
    let key = vlm.written_key();
    let message = format!("`{key}` is for models that read images, but {} reads text only", name.value);
    let finding = Finding::new(message).on(vlm).label("the trainer finds no vision encoder").with(name, "a text model");
    Some(finding.help(format!("remove `{key}`")).repair(Repair::possible(format!("remove `{key}`")).remove(key)))
}
