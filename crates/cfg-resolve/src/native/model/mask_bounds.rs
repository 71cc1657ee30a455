//! The loss masks tokens whose probability ratio is outside the limits; the lower limit must be below the upper one, or everything is masked.

use crate::native::{Failure, ValidatorCtx};

const BOUNDS: [[&str; 2]; 3] =
    [["token_mask_low", "token_mask_high"], ["geo_mask_low", "geo_mask_high"], ["sequence_mask_low", "sequence_mask_high"]];

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    for [low, high] in BOUNDS {
        let (Some(least), Some(most)) = (cx.float(low), cx.float(high)) else { continue };
        if least >= most {
            let message = format!(
                "`{low}` is {least}, but `{high}` is {most}: no value is between them, so everything is \
                masked"
            );
            return Err(Failure::value(message, &[low, high]).help(format!("write a `{low}` below `{high}`")));
        }
    }
    Ok(())
}
