//! How samples are packed into sequences: the kernels for stacked samples need lengths that are multiples of 256, and context parallelism works only
//! with one of the two ways.

use cfg_schema::Behaviour;

use super::context_parallel::parallel;
use crate::native::{Failure, ValidatorCtx};

pub(super) fn function(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(cp) = parallel(cx) else { return Ok(()) };
    // b82e85ad4 reversed which of the two ways is required.
    let wanted = if cx.point.lacks(Behaviour::CpAndTpCount) { "stack" } else { "cat" };
    for path in ["data.pack_function", "val.data.pack_function"] {
        if cx.exists(path) && !cx.is(path, wanted) {
            let message = format!(
                "`{path}` is {}, but `model.cp` is {cp}: context parallelism works only with \"{wanted}\" packing",
                cx.show(path)
            );
            return Err(
                Failure::value(message, &[path, "model.cp"]).help(format!("write `pack_function = \"{wanted}\"`, or `cp = 1`"))
            );
        }
    }
    Ok(())
}

pub(super) fn seq_len(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    for [function, length] in [["data.pack_function", "data.seq_len"], ["val.data.pack_function", "val.data.seq_len"]] {
        if cx.is(function, "stack")
            && let Some(tokens) = cx.int(length)
            && tokens % 256 != 0
        {
            let message = format!("`{length}` is {tokens}, but `{function}` is \"stack\", which needs a multiple of 256");
            let multiple = tokens.saturating_add(255) / 256 * 256;
            return Err(Failure::value(message, &[length, function])
                .help(format!("write `seq_len = {multiple}`, or `pack_function = \"cat\"`")));
        }
    }
    Ok(())
}
