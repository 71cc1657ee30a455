//! A dataset's subsets, splits and probabilities are parallel lists, so they must have the same length.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    for (one, other) in [("subsets", "splits"), ("probabilities", "subsets"), ("probabilities", "splits")] {
        if let (Some(count), Some(others)) = (cx.len(one), cx.len(other))
            && count != others
        {
            let message = format!("`{one}` has {count} items, but `{other}` has {others}: they are paired one to one");
            return Err(Failure::value(message, &[one, other]).help(format!("write as many `{one}` as `{other}`")));
        }
    }
    Ok(())
}
