//! Far more rollouts are in progress than the KV cache holds: the others wait, or are preempted and computed again.

use cfg_diag::{Severity, codes};
use cfg_memory::{
    Tokens,
    inference::KvCache,
    solve::{self, Change},
};
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, assessed::Assessed};

pub(crate) static RULE: Rule = Rule {
    code: &codes::KV_CACHE_CROWDED,
    kinds: &[Kind::Rl],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

/// Answers rarely use all their tokens, so up to this many times the rollouts that fit are not reported.
const SHORTER: u64 = 4;

fn check(cx: &Context<'_>) -> Option<Finding> {
    let orchestrator = cx.plan.orchestrator.as_ref()?;
    let assessed = Assessed::of(cx)?;
    if !assessed.follows_server || !assessed.has_no_error() {
        return None;
    }
    let budget = assessed.assessment.budget.as_ref()?;
    let inference = cx.plan.inference.as_ref()?;
    let context = i64::try_from(budget.max_model_len.0).ok()?;
    let prompt = cx.metadata.input_tokens.as_ref().and_then(|prompt| i64::try_from(prompt.value).ok()).unwrap_or(0);
    let answer = orchestrator.sampling.max_tokens.get()?;
    let each = u64::try_from(prompt.saturating_add(answer).clamp(1, context.max(1))).ok()?;
    // Every replica has its own cache.
    let replicas =
        (assessed.run.inference_gpus.len() as u64 / u64::from(assessed.run.inference.as_ref()?.tensor_parallel)).max(1);
    let held = |kv: &KvCache| {
        if kv.is_hybrid() {
            kv.sequences(kv.room.high, Tokens(each)).saturating_mul(replicas)
        } else {
            kv.most().0.saturating_mul(replicas) / each
        }
    };
    let fitting = held(&budget.kv);
    let in_flight = u64::try_from(orchestrator.batch.in_flight()?).ok()?;
    let group = orchestrator.batch.group_size.get().and_then(|size| u64::try_from(size).ok()).unwrap_or(1);
    // It is enough if the rollouts of one problem fit together, and a quarter of all rollouts.
    let is_enough = |fitting: u64| fitting >= group.min(in_flight) && in_flight <= fitting.saturating_mul(SHORTER);
    if is_enough(fitting) {
        return None;
    }
    let is_below_group = fitting < group.min(in_flight);
    let batch = orchestrator.batch.max_inflight.fact().or_else(|| orchestrator.batch.batch_size.fact())?;
    let message = format!(
        "up to {in_flight} rollouts are in flight, but the KV cache on the {} holds {fitting} of {each} tokens each",
        assessed.card
    );
    let mut finding = Finding::new(message).on(batch).label(format!("{in_flight} in flight"));
    if let Some(share) = inference.gpu_memory_utilization.fact() {
        finding = finding.with(share, format!("{} of KV cache", budget.kv.room.expected));
    }
    if let Some(stated) = assessed.stated {
        finding = finding.related(stated, "the hardware");
    }
    let symptom = "vLLM queues the rest, or evicts and recomputes their cache, so a larger batch takes longer without more \
        throughput";
    let share = inference.gpu_memory_utilization.fact();
    let larger =
        solve::limits(&assessed.run).utilization.map(|(_, most)| most).zip(share).filter(|(most, share)| *most > share.value);
    let with = larger.and_then(|(most, share)| {
        let budget = Change::Utilization(most).applied(&assessed.run)?.assess().budget?;
        Some((most, share.key.to_string(), held(&budget.kv)))
    });
    let finding = match with {
        Some((most, key, then)) if is_enough(then) => {
            let title = format!("set `{key}` to {most:.2}");
            finding
                .help(format!(
                    "{symptom}: {title}, which makes room for \
                {then}"
                ))
                .repair(Repair::possible(title).set(&key, most))
        }
        Some((most, key, then)) => finding.help(format!(
            "{symptom}: lower the batch size or shorten the answers; `{key}` at {most:.2}, the largest that fits, would hold \
             {then}"
        )),
        None => finding.help(format!("{symptom}: lower the batch size, shorten the answers, or give vLLM more memory")),
    };
    Some(if is_below_group { finding } else { finding.severity(Severity::Info) })
}
