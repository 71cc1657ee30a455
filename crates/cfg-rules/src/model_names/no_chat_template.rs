//! Base models whose tokenizer has no chat template: nothing converts the messages of a conversation to tokens. Since prime-rl renders them itself, in
//! fine-tuning later than in reinforcement learning, it refuses models that it has no renderer for.

use cfg_diag::codes;
use cfg_plan::{Fact, Setting};
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, catalogue};

pub(crate) static RULE: Rule = Rule {
    code: &codes::NO_CHAT_TEMPLATE,
    kinds: &[Kind::Rl, Kind::Sft],
    versions: VersionRange::without(Behaviour::AlwaysRenders),
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    if cx.plan.is_sft() {
        // While that was a choice, a renderer that is set takes the place of the template.
        if cx.view.location("renderer").is_some() {
            return None;
        }
        let trainer = cx.plan.trainer.as_ref()?;
        let name = base(&trainer.model.name)?;
        let has_other = trainer.tokenizer.name.text().is_some_and(|tokenizer| !catalogue::has_no_template(tokenizer));
        return (!has_other && trainer.tokenizer.chat_template.text().is_none()).then(|| finding(name, "the trainer"));
    }
    if cx.target.point.has(Behaviour::Renderers) {
        return None;
    }
    let name = base(&cx.plan.orchestrator.as_ref()?.model.name)?;
    let inference = cx.plan.inference.as_ref()?;
    (inference.chat_template.text().is_none()).then(|| finding(name, "the inference server"))
}

/// A written name of a model without a template.
fn base(name: &Setting<Box<str>>) -> Option<&Fact<Box<str>>> {
    name.fact().filter(|name| name.is_written() && catalogue::has_no_template(&name.value))
}

fn finding(name: &Fact<Box<str>>, who: &str) -> Finding {
    let message = format!("the tokenizer of {} has no chat template, so {who} can't convert messages to tokens", name.value);
    Finding::new(message).on(name).help("use the instruct model of the family, or set the `chat_template` of the tokenizer")
}
