//! The trainer compares its own probabilities with those of the server. If a part of the server's distribution is cut off, or penalties change it, the two
//! differ without any learning.

use cfg_diag::codes;
use cfg_plan::{Entries, Fact};
use cfg_resolve::Resolved;
use cfg_schema::{Ahead, Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::BIASED_SAMPLING,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Each(check),
};

/// A key of a request that can change the distribution.
struct Cut {
    key: &'static str,
    /// Whether a value changes it.
    cuts: fn(f64) -> bool,
    /// What it does to it.
    does: &'static str,
    /// Whether prime-rl formerly overwrote it.
    was_overwritten: bool,
    /// Whether prime-rl sets it itself; with a renderer this overrides `extra_body`.
    is_set: bool,
}

const TRUNCATES: &str = "truncates";

/// A penalty makes tokens less likely that the answer already has; the trainer computes their probabilities without it.
const CHANGES: &str = "changes";

const CUTS: [Cut; 6] = [
    Cut { key: "top_p", cuts: |share| share < 1.0, does: TRUNCATES, was_overwritten: false, is_set: true },
    Cut { key: "top_k", cuts: |count| count > 0.0, does: TRUNCATES, was_overwritten: true, is_set: false },
    Cut { key: "min_p", cuts: |share| share > 0.0, does: TRUNCATES, was_overwritten: true, is_set: false },
    Cut {
        key: "repetition_penalty",
        cuts: |factor| (factor - 1.0).abs() > f64::EPSILON,
        does: CHANGES,
        was_overwritten: true,
        is_set: false,
    },
    Cut {
        key: "frequency_penalty",
        cuts: |amount| amount.abs() > f64::EPSILON,
        does: CHANGES,
        was_overwritten: false,
        is_set: false,
    },
    Cut {
        key: "presence_penalty",
        cuts: |amount| amount.abs() > f64::EPSILON,
        does: CHANGES,
        was_overwritten: false,
        is_set: false,
    },
];

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let sampling = cx.plan.orchestrator.as_ref().map(|orchestrator| &orchestrator.sampling);
    if let Some(penalty) =
        sampling.and_then(|sampling| sampling.repetition_penalty.fact()).filter(|fact| (fact.value - 1.0).abs() > f64::EPSILON)
    {
        let message = said("repetition_penalty", penalty.value, CHANGES);
        let repair = Repair::possible("remove `repetition_penalty`").remove(&penalty.written_key().to_string());
        findings.push(Finding::new(message).on(penalty).help(HELP).repair(repair));
    }
    if let Some(bodies) = cx.plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.sampling.extra_body.fact()) {
        find(cx, bodies, &mut findings);
    }
    for environment in cx.plan.train_environments() {
        // A value that prime-rl copied is checked where it is written.
        if let Some(bodies) =
            environment.extra_body.fact().filter(|fact| fact.shared.is_none() && fact.origin.location().is_some())
        {
            find(cx, bodies, &mut findings);
        }
    }
    findings
}

const HELP: &str = "train on the full distribution; evaluation may still truncate it";

fn said(key: &str, number: f64, does: &str) -> String {
    format!(
        "`{key}` = {number} {does} the sampling distribution without the trainer knowing: its off-policy correction is biased"
    )
}

fn find(cx: &Context<'_>, body: &Fact<Entries>, findings: &mut Vec<Finding>) {
    for Cut { key, cuts, does, was_overwritten, is_set } in CUTS {
        let Some(Resolved { value, origin }) = body.value.get(key) else { continue };
        let Some(number) = value.as_float().filter(|&number| cuts(number)) else { continue };
        if was_overwritten && cx.plan.point.lacks(Behaviour::ExtraBodyIsKept) || is_set && has_renderer(cx) {
            continue;
        }
        let path = body.written_key().below(key);
        let finding = Finding::new(said(key, number, does)).key(path.clone()).at_place(origin.location());
        let repair = Repair::possible(format!("remove `{key}`")).remove(&path);
        let help = own_key(cx, key).unwrap_or_else(|| HELP.to_owned());
        findings.push(finding.help(help).repair(repair));
    }
}

/// Where a prime-rl after the last known commit has a key of its own for what a request truncates: the trainer then replays it.
fn own_key(cx: &Context<'_>, key: &str) -> Option<String> {
    let until = cx.target.has_changes_until();
    let added =
        Ahead::added(Kind::Orchestrator, &format!("train.sampling.{key}")).into_iter().find(|entry| entry.day <= until)?;
    let table = if cx.kind == Kind::Rl { "orchestrator.train.sampling" } else { "train.sampling" };
    let since = added.since();
    Some(format!(
        "set `{key}` in `[{table}]`, which prime-rl has {since}: the trainer replays it there, and `extra_body` is refused"
    ))
}

/// Whether the client renders prompts from messages; then prime-rl's own sampling settings override those of the request.
fn has_renderer(cx: &Context<'_>) -> bool {
    let prefix = if cx.kind == Kind::Rl { "orchestrator." } else { "" };
    let is_there = cx.plan.orchestrator.as_ref().is_some_and(|orchestrator| orchestrator.renderer.fact().is_some());
    let switch = cx.view.bool(&format!("{prefix}use_renderer"));
    is_there && switch != Some(false)
}
