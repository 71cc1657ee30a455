//! The peak exceeds the card because every activation is kept: with activation checkpointing the run would fit.

use cfg_diag::{Severity, codes};
use cfg_memory::{between, solve::Change, verdict::Reason};
use cfg_schema::Kind;

use super::out_of_memory::{SYMPTOM, of_peak};
use crate::{
    Check, Context, Finding, FixKind, Rule, VersionRange,
    assessed::{Assessed, TroubleKind},
    remedy::advise,
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::MISSING_CHECKPOINTING,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (assessed, trouble) = Assessed::trouble(cx, TroubleKind::Checkpointing)?;
    let Reason::Peak { low, high, total, .. } = trouble.reason else { return None };
    let with = Change::Checkpointing.applied(&assessed.run)?.assess();
    let after = with.gpus.iter().find(|gpu| gpu.index == trouble.gpu.index)?.judgement.held.1;
    let who = if trouble.gpu.serves { "trainer and vLLM need" } else { "the trainer needs" };
    let message = format!(
        "{who} {} at the peak, but the {} has {total}; with activation checkpointing, {after} would be enough",
        between(low, high),
        assessed.card
    );
    let finding = of_peak(Finding::new(message), cx, assessed, trouble);
    let finding = if trouble.is_certain { finding } else { finding.severity(Severity::Warning) };
    Some(advise(finding, cx, assessed, trouble, SYMPTOM, Some(Change::Checkpointing)))
}
