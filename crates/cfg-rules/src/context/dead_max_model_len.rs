//! The `max_model_len` at the root of an `rl` config was declared, and never read.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Repair, Rule, Targets, points};

pub(crate) static RULE: Rule = Rule {
    code: &codes::DEAD_MAX_MODEL_LEN,
    kinds: &[Kind::Rl],
    targets: Targets::until(points::ROOT_MAX_MODEL_LEN_GONE),
    fix: FixKind::Mixed,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let dead = cx.plan.run.max_model_len.fact().filter(|fact| fact.is_written())?;
    let key = dead.written_key();
    let inference = cx.plan.inference.as_ref();
    let live = inference.and_then(|inference| inference.max_model_len.fact()).filter(|live| live.is_written());
    let path = inference.and_then(|inference| inference.max_model_len.key());
    let finding =
        Finding::new(format!("prime-rl never reads the `{key}` of the whole run: {} has no effect", dead.value)).on(dead);
    Some(match (live, path) {
        (Some(live), _) => finding
            .label("not read")
            .with(live, format!("{} counts", live.value))
            .help(format!("leave it out: `{}` counts", live.written_key()))
            .repair(Repair::safe(format!("remove `{key}`")).remove(key)),
        (None, Some(path)) => finding
            .label("not read")
            .help(format!("the server's context is `{path}`"))
            .repair(Repair::possible(format!("move it to `{path}`")).relocate(key, path)),
        (None, None) => finding.label("not read").help("the server's context is `max_model_len` of the server's own config"),
    })
}
