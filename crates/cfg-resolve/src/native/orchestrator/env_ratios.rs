//! The share of each environment in a batch: a positive number for each environment, or for none.

use crate::{
    ResolvedValue,
    native::{Failure, ValidatorCtx},
};

/// The number of ratios must equal the number of environments.
pub(super) fn one_for_each(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let (Some(ratios), Some(envs)) = (cx.len("buffer.env_ratios"), cx.len("env")) else { return Ok(()) };
    if ratios == envs {
        return Ok(());
    }
    Err(Failure::assertion(
        format!("`buffer.env_ratios` has {ratios} numbers for {envs} environments"),
        &["buffer.env_ratios", "env"],
    )
    .help(format!("write {envs} numbers, one for each `[[env]]`, in their order")))
}

/// Checks the ratios of the buffer, and since 1a1a39619 those of the environments.
pub(super) fn inner(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.exists("env_ratios") { positive(cx) } else { all_or_none(cx) }
}

fn positive(cx: &ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(ResolvedValue::List(ratios)) = cx.value("env_ratios").map(|ratios| ratios.value) else { return Ok(()) };
    let number = |value: &ResolvedValue| if let ResolvedValue::Float(float) = value { Some(*float) } else { None };
    let wrong = ratios.iter().filter_map(|ratio| number(&ratio.value)).find(|ratio| *ratio <= 0.0 || ratio.is_nan());
    match wrong {
        Some(ratio) => {
            Err(Failure::assertion(format!("`env_ratios` has {ratio}, and every ratio must be above 0"), &["env_ratios"])
                .help("to sample nothing from it, remove the environment"))
        }
        None => Ok(()),
    }
}

fn all_or_none(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let given: Vec<bool> = cx.each("env").iter().map(|env| env.has("ratio")).collect();
    let count = given.iter().filter(|given| **given).count();
    if count == 0 || count == given.len() {
        return Ok(());
    }
    Err(Failure::value(format!("{count} of {} environments have a `ratio`", given.len()), &["env"])
        .help("give each environment a `ratio`, or none"))
}
