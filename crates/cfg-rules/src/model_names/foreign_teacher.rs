//! A teacher with another vocabulary: it scores the policy's tokens, whose numbers are other words for it.

use cfg_diag::codes;
use cfg_schema::Kind;

use super::{foreign_tokenizer::is_foreign, teachers};
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, models};

pub(crate) static RULE: Rule = Rule {
    code: &codes::FOREIGN_TEACHER,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let Some(orchestrator) = cx.plan.orchestrator.as_deref() else { return Vec::new() };
    // In this mode, which one version has, the teacher writes rollouts as text.
    if orchestrator.training_mode.is("sft") {
        return Vec::new();
    }
    let teachers = teachers(cx);
    let Some(policy) = orchestrator.model.name.fact().filter(|_| !teachers.is_empty()) else { return Vec::new() };
    let Some(own) = models::find(&policy.value) else { return Vec::new() };
    let found = teachers.into_iter().filter_map(|(name, _)| {
        let other = models::find(&name.value).filter(|other| is_foreign(own.vocab, other.vocab))?;
        let message = format!(
            "the teacher {} has {} vocabulary entries, but {} has {}: the same token ids are different words to the teacher",
            name.value, other.vocab, policy.value, own.vocab
        );
        let help = "use a teacher from the same family, with the same tokenizer";
        Some(Finding::new(message).on(name).with(policy, "the model that is trained").help(help))
    });
    found.collect()
}
