//! Models with image input are fine-tuned in bfloat16, as vLLM serves them, and one sample at a time.

use cfg_schema::Behaviour;

use super::{context_parallel::parallel, model};
use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("model.vlm") {
        return Ok(());
    }
    model::vlm_precision(cx, ["model.optimization_dtype", "model.reduce_dtype"])?;
    // At first sequences could not be split; since d69dbb8da the Ulysses style is allowed; since 55fc08db4 the model's checks decide.
    if let Some(cp) = parallel(cx)
        && (cx.point.lacks(Behaviour::VisionByUlysses)
            || (cx.point.lacks(Behaviour::VisionCpElsewhere) && !cx.is("model.cp_style", "ulysses")))
    {
        let help = if cx.point.lacks(Behaviour::VisionByUlysses) {
            "write `cp = 1`"
        } else {
            "write `cp_style = \"ulysses\"`, or `cp = 1`"
        };
        return Err(Failure::value(
            format!("`model.cp` is {cp}, but `model.vlm` is set: images can't be split this way"),
            &["model.cp", "model.vlm"],
        )
        .help(help));
    }
    for path in ["data.micro_batch_size", "val.data.micro_batch_size"] {
        if let Some(size) = cx.int(path)
            && size != 1
        {
            let message = format!("`{path}` is {size}, but `model.vlm` is set: samples with images are not batched");
            return Err(Failure::value(message, &[path, "model.vlm"]).help("write `micro_batch_size = 1`"));
        }
    }
    Ok(())
}
