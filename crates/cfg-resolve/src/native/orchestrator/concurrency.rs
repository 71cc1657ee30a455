//! The number of episodes in progress starts at one value and changes between two limits.

use crate::native::{Failure, ValidatorCtx};

/// Neither the initial nor the smallest number may exceed the largest.
pub(super) fn bounds(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(most) = cx.int("max_inflight") else { return Ok(()) };
    for path in ["initial_inflight", "min_inflight"] {
        if let Some(number) = cx.int(path).filter(|&number| number > most) {
            return Err(Failure::value(format!("`{path}` {number} is more than `max_inflight` {most}"), &[path, "max_inflight"])
                .help(format!("write {most} or less, or raise `max_inflight`")));
        }
    }
    Ok(())
}
