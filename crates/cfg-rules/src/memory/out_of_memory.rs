//! The trainer's peak, with everything else on its card, exceeds the card even by the lower bound.

use cfg_diag::{Severity, codes};
use cfg_memory::{between, verdict::Reason};
use cfg_schema::Kind;

use crate::{
    Check, Context, Finding, FixKind, Rule, VersionRange,
    assessed::{Assessed, Trouble, TroubleKind},
    remedy::advise,
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::OUT_OF_MEMORY,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (assessed, trouble) = Assessed::trouble(cx, TroubleKind::Peak)?;
    let Reason::Peak { low, high, total, .. } = trouble.reason else { return None };
    let who = if trouble.gpu.serves { "trainer and vLLM together need" } else { "the trainer needs" };
    let message = format!("{who} {} at the peak, but the {} has {total}", between(low, high), assessed.card);
    let finding = of_peak(Finding::new(message), cx, assessed, trouble);
    let finding = if trouble.is_certain { finding } else { finding.severity(Severity::Warning) };
    Some(advise(finding, cx, assessed, trouble, SYMPTOM, None))
}

/// What happens at run time.
pub(super) const SYMPTOM: &str = "the first step with a full sequence fails with `CUDA out of memory`";

/// Places a finding about the peak where the sequence length is written, or the model's name, and lists the parts of the peak.
pub(super) fn of_peak(finding: Finding, cx: &Context<'_>, assessed: &Assessed, trouble: &Trouble) -> Finding {
    let trainer = cx.plan.trainer.as_ref();
    let of_trainer = trainer.and_then(|trainer| trainer.seq_len.fact().or_else(|| trainer.data.seq_len.fact()));
    let model = trainer.and_then(|trainer| trainer.model.name.fact());
    let parts = format!("{}: {}", trouble.gpu.judgement.held.1, assessed.parts(&trouble.gpu));
    let mut finding = match (of_trainer.filter(|length| length.is_written()), model) {
        (Some(length), _) => finding.on(length).label(parts),
        (None, Some(model)) => finding.on(model).label(parts),
        (None, None) => finding,
    };
    if let Some(share) =
        cx.plan.inference.as_ref().and_then(|own| own.gpu_memory_utilization.fact()).filter(|_| trouble.gpu.serves)
    {
        finding = finding.with(share, "what vLLM takes of this GPU");
    }
    match assessed.stated {
        Some(stated) => finding.related(stated, "the hardware"),
        None => finding,
    }
}
