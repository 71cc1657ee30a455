//! The trainer loads language models. Models with image input were added later: first one family, by its name.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, catalogue};

/// The only family that could be trained before the model's config was used to recognize such models.
const FIRST: &str = "qwen3_vl";

pub(crate) static RULE: Rule = Rule {
    code: &codes::VISION_LANGUAGE_MODEL,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Sft],
    versions: VersionRange::without(Behaviour::VisionByConfig),
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let name = super::trained(cx)?;
    let family = catalogue::family(&name.value).filter(|family| family.vision)?;
    let is_first = family.architecture == Some(FIRST);
    if is_first && cx.target.point.has(Behaviour::Qwen3Vl) {
        return None;
    }
    let later = if is_first { "2026-01-30" } else { "2026-03-23" };
    Some(
        Finding::new(format!(
            "{} is a vision-language model: the trainer of this version loads language models only",
            name.value
        ))
        .on(name)
        .help(format!("use a text model, or a prime-rl of {later} or later")),
    )
}
