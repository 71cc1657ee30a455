//! Problems with a reward above one threshold count as easy, those below the other as hard; the two must not overlap. An advantage that depends on
//! length needs groups with different rewards, which online filtering provides.

use crate::native::{Failure, ValidatorCtx};

/// The easy threshold must be above the hard one.
pub(super) fn thresholds(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    match (cx.float("easy_threshold"), cx.float("hard_threshold")) {
        (Some(easy), Some(hard)) if easy <= hard => Err(Failure::assertion(
            format!("`easy_threshold` {easy} is not above `hard_threshold` {hard}"),
            &["easy_threshold", "hard_threshold"],
        )
        .help("write the larger number as `easy_threshold`")),
        _ => Ok(()),
    }
}

/// Shaping by length requires online filtering.
pub(super) fn length_shaping(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("advantage.length_shaping_alpha") && !cx.bool("buffer.online_difficulty_filtering") {
        return Err(Failure::value(
            "`advantage.length_shaping_alpha` needs `buffer.online_difficulty_filtering`, which is off",
            &["advantage.length_shaping_alpha", "buffer.online_difficulty_filtering"],
        )
        .help("set `online_difficulty_filtering = true` below `[buffer]`"));
    }
    Ok(())
}
