//! Limits of an environment that every answer exceeds, or that no rollout can reach: the penalty then always applies, or never.

use cfg_diag::codes;
use cfg_plan::{Environment, Orchestrator, Role};
use cfg_schema::Kind;

use super::{at_arg, name};
use crate::{
    Check, Context, Finding, FixKind, Repair, Rule, VersionRange,
    declared::{Declared, Meaning},
};

/// A call with its answer has more tokens than this in any chat template.
const TOKENS_OF_A_CALL: i64 = 64;

pub(crate) static RULE: Rule = Rule {
    code: &codes::ENV_LIMIT_MISMATCH,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let Some(orchestrator) = &cx.plan.orchestrator else { return Vec::new() };
    let mut findings = Vec::new();
    for (environment, declared) in cx.environments.each(cx.plan).filter(|(environment, _)| environment.role == Role::Train) {
        findings.extend(answers(orchestrator, environment, declared));
        findings.extend(calls(cx, orchestrator, environment, declared));
    }
    findings
}

fn answers(orchestrator: &Orchestrator, environment: &Environment, declared: &Declared) -> Option<Finding> {
    let arg = environment.arg(&declared.meaning(Meaning::AnswerTokens)?.name)?;
    let limit = arg.value.value.as_int().filter(|&limit| limit > 0)?;
    let sampled = environment.max_tokens.fact().or(orchestrator.sampling.max_tokens.fact())?;
    if sampled.value <= limit {
        return None;
    }
    let own = sampled.written_key().name();
    let message = format!(
        "an answer may have {} tokens, but {} penalizes those above {limit}: long answers are always penalized",
        sampled.value,
        name(environment)
    );
    let repair = Repair::possible(format!("lower `{own}` to {limit}")).set(sampled.written_key(), limit);
    let finding = at_arg(Finding::new(message), arg).label(format!("{limit} here"));
    let finding = finding.with(sampled, format!("{} for an answer", sampled.value));
    Some(finding.help(format!("use the same number in both: lower `{own}`, or raise `{}`", arg.name)).repair(repair))
}

fn calls(cx: &Context<'_>, orchestrator: &Orchestrator, environment: &Environment, declared: &Declared) -> Option<Finding> {
    let arg = environment.arg(&declared.meaning(Meaning::ToolCalls)?.name)?;
    let calls = arg.value.value.as_int().filter(|&calls| calls > 0)?;
    let seq_len = orchestrator.seq_len.fact()?;
    let prompt = cx.metadata.input_tokens.as_ref().and_then(|prompt| i64::try_from(prompt.value).ok()).unwrap_or(0);
    let each = (seq_len.value - prompt).max(0) / calls;
    if each >= TOKENS_OF_A_CALL {
        return None;
    }
    let beside = if prompt > 0 { format!(" after a prompt of {prompt}") } else { String::new() };
    let message = format!(
        "{} allows {calls} tool calls, but `{}` leaves {} tokens{beside}, {each} per call: no rollout can use them all",
        name(environment),
        seq_len.written_key().name(),
        seq_len.value
    );
    let finding = at_arg(Finding::new(message), arg).with(seq_len, format!("{} tokens for the whole rollout", seq_len.value));
    Some(finding.help(format!("lower `{}` or raise `{}`", arg.name, seq_len.written_key().name())))
}
