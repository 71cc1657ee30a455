//! Models whose tokenizer is code in their repository, which runs only if the config allows it.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, catalogue};

pub(crate) static RULE: Rule = Rule {
    code: &codes::REMOTE_CODE,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Sft],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let trainer = cx.plan.trainer.as_ref()?;
    let name = super::trained(cx)?;
    catalogue::family(&name.value).filter(|family| family.remote_code)?;
    let trust = trainer.model.trust_remote_code.fact().filter(|trust| !trust.value)?;
    Some(
        Finding::new(format!("{} needs code from its repository, which is not allowed to run", name.value))
            .on(name)
            .with(trust, "false here")
            .help(format!("if you trust the repository, set `{}` here and for the other components", trust.key)),
    )
}
