//! A renderer that the config names and that is made for other models than this one.

use std::collections::BTreeSet;

use cfg_diag::codes;
use cfg_resolve::{models_with_renderer, renderer_of};
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::FOREIGN_RENDERER,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::with(Behaviour::Renderers),
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let orchestrator = cx.plan.orchestrator.as_ref()?;
    let renderer = orchestrator.renderer.fact().filter(|renderer| renderer.is_written())?;
    let model = orchestrator.model.name.fact()?;
    // With another model's tokenizer, the chat template is also that of the other model.
    if orchestrator.tokenizer.name.text().is_some_and(|name| name != &*model.value) {
        return None;
    }
    let own = renderer_of(&model.value)?;
    let named = plain(&renderer.value);
    // A renderer that no known model uses may be the user's own.
    let known: BTreeSet<String> = models_with_renderer().filter_map(renderer_of).map(plain).collect();
    if named == plain(own) || !known.contains(&named) {
        return None;
    }
    let message = format!(
        "the renderer \"{}\" is not made for {}: its turns begin and end with different tokens",
        renderer.value, model.value
    );
    let repair = Repair::possible("set the renderer to \"auto\"").set(renderer.written_key(), "auto");
    let help = format!("set `{}` to \"auto\": the renderer of this model is \"{own}\"", renderer.written_key());
    Some(Finding::new(message).on(renderer).with(model, "the model").help(help).repair(repair))
}

/// A name in a form that all releases share: `glm5`, `glm-5`. Models that Prime Intellect derived from a family have that family's tokens.
fn plain(name: &str) -> String {
    let name = name.strip_prefix("prime-").unwrap_or(name);
    name.chars().filter(char::is_ascii_alphanumeric).collect()
}
