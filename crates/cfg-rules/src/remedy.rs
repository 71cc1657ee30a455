//! Changes that would help a run that does not have enough memory: the least costly changes of a single setting, computed by the
//! memory model, as text and as a repair.

use cfg_memory::{
    solve::{self, Change, Remedy},
    verdict::Verdict,
};
use cfg_plan::{Fact, Key};

use crate::{
    Context, Finding, Repair,
    assessed::{Assessed, Trouble},
};

/// The maximum number of changes in a message; the first is the repair.
const MAX_CHANGES: usize = 3;

/// Adds the proposed changes to a finding: after the parts of the peak and what happens at run time; `first` is the preferred one.
pub(crate) fn advise(
    finding: Finding,
    cx: &Context<'_>,
    assessed: &Assessed,
    trouble: &Trouble,
    symptom: &str,
    first: Option<Change>,
) -> Finding {
    let mut remedies = solve::remedies(&assessed.on(&trouble.gpu));
    if let Some(at) = first.and_then(|first| remedies.iter().position(|remedy| remedy.change == first)) {
        let preferred = remedies.remove(at);
        remedies.insert(0, preferred);
    }
    let has_checkpointing = remedies.iter().any(|remedy| remedy.change == Change::Checkpointing);
    // If checkpoints fit on the card, offloading them to the host only costs time.
    remedies.retain(|remedy| remedy.change != Change::OffloadCheckpoints || !has_checkpointing);
    let mut offers: Vec<(String, Option<Repair>)> = remedies.iter().filter_map(|remedy| offer(cx, remedy)).collect();
    offers.truncate(MAX_CHANGES);
    if offers.is_empty() {
        return finding.help(format!("{symptom}; {}", without_remedy(assessed)));
    }
    let words: Vec<&str> = offers.iter().map(|(words, _)| words.as_str()).collect();
    let finding = finding.help(format!("{symptom}; {}", words.join(", or ")));
    match offers.swap_remove(0) {
        (_, Some(repair)) => finding.repair(repair),
        (_, None) => finding,
    }
}

/// A change as text, and as a repair if it sets one value. `None` if the target has no key for it.
fn offer(cx: &Context<'_>, remedy: &Remedy) -> Option<(String, Option<Repair>)> {
    let (trainer, inference) = (cx.plan.trainer.as_ref(), cx.plan.inference.as_ref());
    let tight = if remedy.verdict == Verdict::Tight { " (tight)" } else { "" };
    let set = |key: &str, value: String, literal: cfg_syntax::rewrite::Literal| {
        let words = format!("set `{key}` to {value}{tight}");
        (words.clone(), Some(Repair::possible(words).set(&key, literal)))
    };
    match remedy.change {
        Change::Utilization(share) => {
            let key = inference?.gpu_memory_utilization.key()?.to_string();
            Some(set(&key, format!("{share:.2}"), share.into()))
        }
        Change::Checkpointing => {
            let key = trainer?.model.ac.key()?.below("freq");
            Some(set(&key, "1".to_owned(), 1_i64.into()))
        }
        Change::EnforceEager => {
            let key = inference?.enforce_eager.key()?.to_string();
            Some(set(&key, "true".to_owned(), true.into()))
        }
        Change::OffloadOptimizer => {
            let key = trainer?.model.optim_cpu_offload.key()?.to_string();
            Some(set(&key, "true".to_owned(), true.into()))
        }
        Change::MicroBatch(sequences) => {
            let key = trainer?.data.micro_batch_size.key()?.to_string();
            Some(set(&key, sequences.to_string(), i64::from(sequences).into()))
        }
        Change::OffloadCheckpoints => {
            let key = trainer?.model.ac_offloading.key()?;
            Some((format!("add a table `{key}`{tight}"), None))
        }
        Change::MaxModelLen(tokens) => {
            let tokens = i64::try_from(tokens.0).ok().filter(|tokens| *tokens >= longest(cx))?;
            let own = &inference?.max_model_len;
            let key = own.fact().map_or_else(|| own.key(), |fact| Some(fact.written_key()))?.to_string();
            Some(set(&key, tokens.to_string(), tokens.into()))
        }
        Change::SeqLen(tokens) => {
            let tokens = i64::try_from(tokens.0).ok().filter(|tokens| *tokens >= longest(cx))?;
            Some(shorter(cx, tokens, tight))
        }
    }
}

/// Shortens each `seq_len` that is longer than this: the orchestrator's must not exceed the trainer's.
fn shorter(cx: &Context<'_>, tokens: i64, tight: &str) -> (String, Option<Repair>) {
    let trainer = cx.plan.trainer.as_ref();
    let facts = [
        trainer.and_then(|trainer| trainer.seq_len.fact()),
        trainer.and_then(|trainer| trainer.data.seq_len.fact()),
        cx.plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.seq_len.fact()),
    ];
    let longer = |fact: &&Fact<i64>| fact.value > tokens;
    let mut keys: Vec<&Key> = facts.into_iter().flatten().filter(longer).map(Fact::written_key).collect();
    keys.dedup();
    let names: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    let words = format!("set {} to {tokens}{tight}", names.join(" and "));
    let repair = keys.iter().fold(Repair::possible(words.clone()), |repair, key| repair.set(*key, tokens));
    (words, (!keys.is_empty()).then_some(repair))
}

/// The tokens that a prompt and its answer need: shorter contexts and sequences fit, but are useless.
fn longest(cx: &Context<'_>) -> i64 {
    let prompt = cx.metadata.input_tokens.as_ref().and_then(|prompt| i64::try_from(prompt.value).ok()).unwrap_or(1);
    let answer = cx.plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.sampling.max_tokens.get()).unwrap_or(0);
    prompt.saturating_add(answer)
}

/// The text if no single setting helps.
fn without_remedy(assessed: &Assessed) -> String {
    /// The maximum number of cards in the message.
    const MAX_CARDS: usize = 4;
    let fitting: Vec<&str> = solve::fitting(&assessed.run).into_iter().map(|gpu| &*gpu.name).take(MAX_CARDS).collect();
    if fitting.is_empty() {
        return "no single setting helps, and neither does another card: use a smaller model, or more GPUs".to_owned();
    }
    format!("no single setting helps; the same config fits on: {}", fitting.join(", "))
}
