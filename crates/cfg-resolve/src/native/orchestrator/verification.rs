//! Without rewards, problems can't be filtered or sorted by them.

use crate::native::{Failure, ValidatorCtx};

/// The check before bf71516c9, for `skip_verification` of the buffer.
pub(super) fn skipped(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.bool("skip_verification") {
        return Ok(());
    }
    unused(
        cx,
        "skip_verification",
        "`skip_verification` computes no rewards",
        ["online_difficulty_filtering", "easy_threshold", "hard_threshold"],
    )
}

/// The check since then, for `verification.enabled`.
pub(super) fn needed(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.bool("verification.enabled") {
        return Ok(());
    }
    unused(
        cx,
        "verification.enabled",
        "`verification.enabled` false computes no rewards",
        ["buffer.online_difficulty_filtering", "buffer.easy_threshold", "buffer.hard_threshold"],
    )
}

fn unused(cx: &ValidatorCtx<'_>, switch: &'static str, why: &str, users: [&'static str; 3]) -> Result<(), Failure> {
    let [filtering, easy, hard] = users;
    let user = [(filtering, cx.bool(filtering)), (easy, cx.has(easy)), (hard, cx.has(hard))];
    match user.into_iter().find(|(_, is_used)| *is_used) {
        Some((path, _)) => Err(Failure::value(format!("{why}, but `{path}` needs them"), &[switch, path])
            .help(format!("enable rewards, or remove `{path}`"))),
        None => Ok(()),
    }
}
