//! An answer that is truncated before its tool call is complete contains no tool call. The length of answers depends on the model
//! and on the environment.

use cfg_diag::codes;
use cfg_plan::{Fact, Role};
use cfg_schema::Kind;

use crate::{
    Check, Context, Finding, FixKind, Repair, Rule, VersionRange, catalogue,
    tool_use::{answering_model, tool_environment},
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::TOOL_CALL_BUDGET,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let budget = cx.plan.orchestrator.as_ref()?.sampling.max_tokens.fact()?;
    of_model(cx, budget).or_else(|| of_environment(cx, budget))
}

/// Reports a limit below the tokens that answers of this model have needed.
fn of_model(cx: &Context<'_>, budget: &Fact<i64>) -> Option<Finding> {
    let model = answering_model(cx)?;
    let needed = catalogue::answer(&model.value)?.tokens;
    if budget.value >= needed {
        return None;
    }
    let (environment, _) = tool_environment(cx)?;
    let key = budget.written_key();
    let message = format!(
        "an answer may have {} tokens, but answers of {} with a tool call need {needed}: a truncated answer calls no tool",
        budget.value, model.value
    );
    let finding = Finding::new(message).on(budget).label(format!("{} here", budget.value)).with(model, "the model");
    let finding = match environment.location {
        Some(location) => finding.related(location, "an environment with tools"),
        None => finding,
    };
    // An answer that does not fit into the context is refused.
    let context = cx.plan.inference.as_ref().and_then(|inference| inference.max_model_len.get());
    if context.is_some_and(|context| context <= needed) {
        return Some(finding.help(format!("raise `{key}`, and the context with it, or use a less verbose model")));
    }
    let repair = Repair::possible(format!("raise `{}` to {needed}", key.name())).set(key, needed);
    Some(finding.help(format!("raise `{key}` to {needed} or more")).repair(repair))
}

/// Reports a limit at which answers in this environment were truncated before their tool call.
fn of_environment(cx: &Context<'_>, budget: &Fact<i64>) -> Option<Finding> {
    let mut trained = cx.environments.each(cx.plan).filter(|(environment, _)| environment.role == Role::Train);
    let (environment, cut) = trained
        .find_map(|(environment, declared)| Some((environment, declared.cut_answers.filter(|cut| budget.value <= *cut)?)))?;
    let id = environment.base_id()?;
    let message =
        format!("an answer may have {} tokens: with {cut}, answers in {id} were cut off before their tool call", budget.value);
    let finding = Finding::new(message).on(budget).label(format!("{} here", budget.value));
    let finding = finding.help(format!("raise `{}`: a truncated answer calls no tool", budget.written_key()));
    Some(match environment.location {
        Some(location) => finding.related(location, "tools are called at the end of an answer"),
        None => finding,
    })
}
