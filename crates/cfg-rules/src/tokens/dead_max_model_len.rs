//! The `max_model_len` at the root of an `rl` config was declared but never read.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::DEAD_MAX_MODEL_LEN,
    kinds: &[Kind::Rl],
    versions: VersionRange::without(Behaviour::RootMaxModelLenGone),
    fix: FixKind::Mixed,
    check: Check::Once(check),
};

/// The key that the server reads, at the versions that have the unused one.
const LIVE: &str = "inference.model.max_model_len";

fn check(cx: &Context<'_>) -> Option<Finding> {
    let dead = cx.plan.run.max_model_len.fact().filter(|fact| fact.is_written())?;
    let key = dead.written_key();
    let inference = cx.plan.inference.as_ref();
    let live = inference.and_then(|inference| inference.max_model_len.fact()).filter(|live| live.is_written());
    let message = format!("prime-rl never reads the top-level `{key}`: {} has no effect", dead.value);
    let finding = Finding::new(message).on(dead).label("not read");
    Some(match live {
        Some(live) => finding
            .with(live, format!("{} takes effect", live.value))
            .help(format!("remove it: `{LIVE}` takes effect"))
            .repair(Repair::safe(format!("remove `{key}`")).remove(key)),
        None if inference.is_some() => finding
            .help(format!("the server reads `{LIVE}`"))
            .repair(Repair::possible(format!("move it to `{LIVE}`")).relocate(key, &LIVE)),
        None => finding.help(format!("the server reads `{LIVE}`, or its own config if this run does not start it")),
    })
}
