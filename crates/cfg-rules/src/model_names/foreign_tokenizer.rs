//! A tokenizer of a model with another vocabulary: the same token ids are other words for this model.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, models};

pub(crate) static RULE: Rule = Rule {
    code: &codes::FOREIGN_TOKENIZER,
    kinds: &[Kind::Rl, Kind::Orchestrator, Kind::Trainer, Kind::Sft],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

/// Because of padding, the sizes of embeddings of the same vocabulary differ, but by less than 1 part in 50.
const PADDING: i64 = 50;

fn check(cx: &Context<'_>) -> Option<Finding> {
    let trainer = cx.plan.trainer.as_ref().map(|trainer| (&trainer.model.name, &trainer.tokenizer.name));
    let orchestrator = cx.plan.orchestrator.as_ref().map(|orchestrator| (&orchestrator.model.name, &orchestrator.tokenizer.name));
    trainer.into_iter().chain(orchestrator).find_map(|(model, tokenizer)| {
        let (model, tokenizer) = model.fact().zip(tokenizer.fact().filter(|tokenizer| tokenizer.is_written()))?;
        let (own, other) = (models::find(&model.value)?.vocab, models::find(&tokenizer.value)?.vocab);
        if !is_foreign(own, other) {
            return None;
        }
        let message = format!(
            "the tokenizer of {} has {other} entries, but {} was trained with {own}: the same token ids are different words",
            tokenizer.value, model.value
        );
        let repair = Repair::possible("remove the tokenizer").remove(tokenizer.written_key());
        let help = "remove it: prime-rl then uses the model's own tokenizer";
        Some(Finding::new(message).on(tokenizer).with(model, "the model").help(help).repair(repair))
    })
}

/// Whether sizes of embeddings are those of different vocabularies.
pub(super) fn is_foreign(own: i64, other: i64) -> bool {
    (own - other).abs() > own.max(other) / PADDING
}
