//! Models that only their makers' servers have: there are no weights to load.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, Targets, catalogue};

pub(crate) static RULE: Rule = Rule {
    code: &codes::HOSTED_MODEL,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Sft, Kind::Inference],
    targets: Targets::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let name = super::everywhere(cx).find(|name| catalogue::hosted(&name.value).is_some())?;
    Some(
        Finding::new(format!("{} is served by its maker alone: there are no weights to load", name.value))
            .on(name)
            .label("no model of the hub")
            .help("name a model whose weights are on the hub"),
    )
}
