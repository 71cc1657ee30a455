//! The trainer's weights alone exceed a GPU: `torch.OutOfMemoryError` while the model loads.

use cfg_diag::codes;
use cfg_memory::{trainer::Dtype, verdict::Reason};
use cfg_schema::Kind;

use crate::{
    Check, Context, Finding, FixKind, Rule, VersionRange,
    assessed::{Assessed, TroubleKind},
    remedy::advise,
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::NO_MEMORY_TO_LOAD,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (assessed, trouble) = Assessed::trouble(cx, TroubleKind::Load)?;
    let Reason::Load { needed, total } = trouble.reason else { return None };
    let model = cx.plan.trainer.as_ref()?.model.name.fact()?;
    let trainer = assessed.run.trainer.as_ref()?;
    let dtype = if trainer.dtype == Dtype::Float32 { "float32" } else { "bfloat16" };
    let gpus = if trainer.gpus == 1 { "one GPU".to_owned() } else { format!("each of {} GPUs", trainer.gpus) };
    let peak = assessed.assessment.peak.as_ref()?;
    let message = format!("the trainer needs {needed} on {gpus} before its first step, but the {} has {total}", assessed.card);
    let mut finding =
        Finding::new(message).on(model).label(format!("{} of weights in {dtype}, {} of CUDA context", peak.loaded, peak.context));
    if let Some(stated) = assessed.stated {
        finding = finding.related(stated, "the hardware");
    }
    // At that time there are no sequences or batches yet: only the weights and the number of their GPUs matter.
    Some(advise(
        finding,
        cx,
        assessed,
        trouble,
        "CUDA runs out of memory while the model loads, whatever the batch size and `seq_len`",
        None,
    ))
}
