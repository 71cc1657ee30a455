//! Context parallelism splits each sequence into as many parts as there are GPUs, one sequence at a time.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn seq_len(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(cp) = parallel(cx) else { return Ok(()) };
    for path in ["data.seq_len", "val.data.seq_len"] {
        if let Some(length) = cx.int(path)
            && length % cp != 0
        {
            let message = format!("`{path}` is {length}, but `model.cp` is {cp}: a sequence is split into {cp} equal parts");
            return Err(Failure::value(message, &[path, "model.cp"]).help(format!("make it a multiple of {cp}")));
        }
    }
    Ok(())
}

pub(super) fn micro_batch_size(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(cp) = parallel(cx) else { return Ok(()) };
    for path in ["data.micro_batch_size", "val.data.micro_batch_size"] {
        if let Some(size) = cx.int(path)
            && size != 1
        {
            let message = format!("`{path}` is {size}, but `model.cp` is {cp}: only single sequences are split");
            return Err(Failure::value(message, &[path, "model.cp"]).help("write `micro_batch_size = 1`"));
        }
    }
    Ok(())
}

/// The number of GPUs over which each sequence is split; `None` if sequences are not split.
pub(super) fn parallel(cx: &ValidatorCtx<'_>) -> Option<i128> {
    cx.int("model.cp").filter(|&cp| cp > 1)
}
