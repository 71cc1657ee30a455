//! The amount of work of a plan, which the model of durations takes: steps, rollouts, tokens.

use cfg_memory::{
    duration::{
        Data, Range, Workload,
        table::{GENERATING, Kernel},
    },
    trainer::Trainer,
};

use crate::{Metadata, Orchestrator, Plan};

/// Tokens of a prompt if none are given: a share of the sequence.
const PROMPT: f64 = 0.125;

/// The amount of work of a plan. `trainer` comes from the memory model, `metadata` from the config.
pub fn workload(plan: &Plan, metadata: &Metadata, trainer: Option<&Trainer>) -> Workload {
    let own = plan.trainer.as_deref();
    let orchestrator = plan.orchestrator.as_deref();
    let steps =
        [own.and_then(|own| own.max_steps.get()), orchestrator.and_then(|own| own.max_steps.get()), plan.run.max_steps.get()];
    let name = own.and_then(|own| own.model.name.text());
    let model = name.or_else(|| plan.inference.as_ref()?.model_name.text()).unwrap_or_default().to_owned();
    let mut assumed = Vec::new();
    let sequences = |count: Option<i64>| count.and_then(positive).map(Data::Sequences);
    let fake = own.and_then(|own| own.fake_data.value());
    let data = if plan.is_sft() {
        sequences(own.and_then(|own| own.data.batch_size.get())).unwrap_or(Data::Unknown)
    } else if let Some(fake) = fake {
        sequences(fake.batch_size.get()).unwrap_or(Data::Unknown)
    } else if let Some(orchestrator) = orchestrator {
        rollouts(orchestrator, metadata, trainer, plan, &mut assumed)
    } else {
        if own.is_some() {
            assumed.push("one micro-batch per GPU and step, since the trainer's file does not say how many".to_owned());
        }
        Data::Unknown
    };
    let level = own.and_then(|own| own.max_async_level.get());
    Workload {
        model,
        steps: steps.into_iter().flatten().find_map(positive),
        data,
        in_flight: orchestrator.and_then(|own| own.batch.in_flight()).and_then(positive),
        kernel: own.and_then(|own| own.model.attn.text()).and_then(Kernel::named),
        is_sft: plan.is_sft(),
        is_overlapped: level != Some(0),
        assumed,
    }
}

/// The rollouts of an orchestrator.
fn rollouts(own: &Orchestrator, metadata: &Metadata, trainer: Option<&Trainer>, plan: &Plan, assumed: &mut Vec<String>) -> Data {
    let of_trainer = trainer.map(|trainer| trainer.seq_len.as_f64());
    let length = own.seq_len.get().and_then(positive).or(of_trainer).or_else(|| plan.run.seq_len.get().and_then(positive));
    let Some(length) = length else { return Data::Unknown };
    let stated = metadata.input_tokens.as_ref().and_then(|stated| positive(i64::try_from(stated.value).ok()?));
    let prompt = stated.unwrap_or(length * PROMPT).min(length);
    if stated.is_none() {
        assumed.push(format!(
            "prompts have {prompt:.0} tokens (guess: an eighth of the sequence; set `input_tokens` in the \
            config's metadata block)"
        ));
    }
    let is_single_turn = plan.train_environments().all(|environment| environment.max_turns.get() == Some(1));
    let answer = own.sampling.max_tokens.get().and_then(positive).unwrap_or(length);
    let most = if is_single_turn { (prompt + answer).min(length) } else { length };
    let answers = GENERATING.answers.times(most - prompt);
    let tokens = Range { low: prompt + answers.low, high: prompt + answers.high };
    assumed.push(format!(
        "rollouts have {:.0} to {:.0} tokens (guess: answers use a quarter to all of their limit)",
        tokens.low, tokens.high
    ));
    let count = own.batch.batch_size.get().and_then(positive);
    let step = own.batch.token_batch_size.get().and_then(positive);
    if count.is_none() && step.is_none() { Data::Unknown } else { Data::Rollouts { count, tokens, prompt, step } }
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn positive(count: i64) -> Option<f64> {
    (count > 0).then_some(count as f64)
}
