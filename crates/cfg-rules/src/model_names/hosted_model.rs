//! Models that are available only through an API: there are no weights to load.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, catalogue};

pub(crate) static RULE: Rule = Rule {
    code: &codes::HOSTED_MODEL,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Sft, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let name = super::everywhere(cx).find(|name| catalogue::hosted(&name.value).is_some())?;
    Some(
        Finding::new(format!("{} is only available through an API: there are no weights to load", name.value))
            .on(name)
            .label("not on the hub")
            .help("use a model whose weights are on the hub"),
    )
}
