//! Chat templates that remove the thoughts of earlier turns: the text that was sampled in one turn does not precede the next one.

use cfg_diag::{Severity, codes};
use cfg_plan::Environment;
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, catalogue, tool_use::tool_environment};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CHAT_TEMPLATE,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::without(Behaviour::BestEffortInterleaving),
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let orchestrator = cx.plan.orchestrator.as_ref()?;
    let name = orchestrator.model.name.fact().filter(|name| name.is_written())?;
    let template = catalogue::template(&name.value)?;
    let is_early = cx.target.point.lacks(Behaviour::TurnsMayBranch);
    if !is_early && !orchestrator.trajectory_strategy.is("interleaved") {
        return None;
    }
    // If the only later messages are tool outputs, the thoughts are kept; but early versions failed in that case too.
    let has_turns = has_turns(cx) || (is_early && tool_environment(cx).is_some());
    let severity = if is_early { Severity::Warning } else { Severity::Info };
    let has_own_template = cx.plan.trainer.as_ref().is_some_and(|trainer| trainer.tokenizer.chat_template.value().is_some());
    if has_own_template || !has_turns {
        return None;
    }
    let message = format!("{}'s chat template drops the thinking of earlier turns: turns do not extend each other", name.value);
    let finding = Finding::new(message).severity(severity).on(name);
    let Some(replacement) = template.replacement else {
        return Some(finding.help(
            "use a model whose template keeps every turn unchanged, or set `trajectory_strategy` if this version \
                has it",
        ));
    };
    let repair = Repair::possible(format!("use {replacement}")).set(name.written_key(), replacement);
    Some(finding.help(format!("{replacement} has the same weights and a template that keeps every turn")).repair(repair))
}

/// Whether an environment is known to have several turns of the user.
fn has_turns(cx: &Context<'_>) -> bool {
    let turns = |environment: &Environment| environment.arg_int("max_turns").is_some_and(|turns| turns > 1);
    cx.plan.train_environments().any(turns)
}
