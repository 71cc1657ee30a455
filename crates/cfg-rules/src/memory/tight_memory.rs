//! The upper bound of the peak exceeds the card, but the lower bound does not: the run may fail at its longest sequence.

use cfg_diag::codes;
use cfg_memory::{between, verdict::Reason};
use cfg_schema::Kind;

use super::out_of_memory::of_peak;
use crate::{
    Check, Context, Finding, FixKind, Rule, VersionRange,
    assessed::{Assessed, TroubleKind},
    remedy::advise,
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::TIGHT_MEMORY,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (assessed, trouble) = Assessed::trouble(cx, TroubleKind::Tight)?;
    let Reason::Peak { low, high, total, .. } = trouble.reason else { return None };
    let who = if trouble.gpu.serves { "trainer and vLLM together" } else { "the trainer" };
    let message = format!("{who} may need {} at the peak, but the {} has {total}", between(low, high), assessed.card);
    let finding = of_peak(Finding::new(message), cx, assessed, trouble);
    Some(advise(
        finding,
        cx,
        assessed,
        trouble,
        "the run may fail with `CUDA out of memory` once a micro-batch is full, possibly hours after the start",
        None,
    ))
}
