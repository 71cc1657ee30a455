//! The course of a run: the arithmetic of its steps, and what happens at which of them.

use cfg_memory::disk::Disk;
use cfg_plan::{Metadata, Orchestrator, Plan, Setting, Socket, Trainer};
use cfg_report::course::{
    CheckpointsReport, CourseReport, EvaluationReport, RolloutReport, RunReport, SocketReport, StepReport, grouped,
};
use cfg_rules::{
    Project,
    declared::{Declarations, Meaning},
};

use crate::{Analysis, curriculum_report};

/// The limit of steps of a kind that are listed.
const MAX_STEPS: i64 = 1000;

/// The course of a run. `metadata` is from its files, `disk` is the space that its checkpoints take.
pub fn course(plan: &Plan, project: &Project, metadata: &Metadata, disk: Option<&Disk>, target: String) -> CourseReport {
    let (trainer, orchestrator) = (plan.trainer.as_deref(), plan.orchestrator.as_deref());
    let of_trainer = trainer.and_then(|trainer| trainer.max_steps.get());
    let last_step = orchestrator.and_then(|own| own.max_steps.get()).or(of_trainer);
    let max_steps = last_step.filter(|steps| *steps > 0);
    let step = step(plan);
    let run = max_steps.map(|steps| {
        let all = |each: Option<i64>| each.and_then(|each| each.checked_mul(steps));
        let known_problems = known_problems(plan, project).map(|(_, number)| number);
        let problems = all(step.problems);
        #[expect(clippy::cast_precision_loss, reason = "counts are small")]
        let passes = problems.zip(known_problems).map(|(taken, known)| taken as f64 / known);
        RunReport { samples: all(step.samples), tokens: all(step.tokens), problems, known_problems, passes }
    });
    CourseReport {
        rollout: orchestrator.map(|orchestrator| rollout(plan, orchestrator, metadata)),
        checkpoints: trainer.and_then(|trainer| checkpoints(trainer, max_steps, disk)),
        evaluations: evaluations(plan, max_steps),
        curriculum: curriculum_report(plan, project, target.clone()).environments,
        sockets: plan.sockets().into_iter().map(socket).collect(),
        target,
        trains_or_serves: trainer.is_some() || orchestrator.is_some() || plan.inference.is_some(),
        below_first_step: last_step.filter(|steps| *steps <= 0),
        max_steps,
        step,
        run,
    }
}

fn socket(socket: Socket) -> SocketReport {
    SocketReport {
        port: socket.port,
        owner: socket.owner,
        node: socket.node.in_words(),
        host: socket.host.map(Into::into),
        key: Some(socket.key).filter(|key| !key.is_empty()),
    }
}

/// The arithmetic of the keys for steps, rollouts and checkpoints, with the sentences of `cfg plan`; `None` for other keys, and if the config has
/// errors.
pub(crate) fn arithmetic(analysis: &Analysis, key: &str) -> Option<String> {
    let plan = analysis.plan().filter(|_| analysis.checked.is_accepted())?;
    let names = said_of(plan, key)?;
    let target = analysis.checked.target.name.clone();
    let course = course(plan, &analysis.project, &analysis.stated, None, target);
    let said = course.sentences().into_iter().filter(|(name, _)| names.contains(name));
    let lines: Vec<String> = said.map(|(name, words)| format!("{}: {words}", name.to_lowercase())).collect();
    (!lines.is_empty()).then(|| lines.join("\n\n"))
}

/// The sentences of `cfg plan` that a key affects, with its names at every target.
fn said_of(plan: &Plan, key: &str) -> Option<&'static [&'static str]> {
    let is = |setting: &Setting<i64>| {
        let fact = setting.fact();
        fact.is_some_and(|fact| fact.key.to_string() == key || fact.written_key().to_string() == key)
    };
    let (trainer, orchestrator) = (plan.trainer.as_deref(), plan.orchestrator.as_deref());
    let batch = orchestrator.map(|own| &own.batch);
    let of_steps = [trainer.map(|own| &own.max_steps), orchestrator.map(|own| &own.max_steps), Some(&plan.run.max_steps)];
    let of_step = [batch.map(|own| &own.batch_size), batch.map(|own| &own.group_size), batch.map(|own| &own.max_inflight)];
    let of_step = of_step.into_iter().chain([batch.map(|own| &own.token_batch_size)]);
    let of_tokens = [orchestrator.map(|own| &own.seq_len), orchestrator.map(|own| &own.sampling.max_tokens)];
    let of_server = plan.inference.as_ref().map(|own| &own.max_model_len);
    let ckpt = trainer.and_then(|own| own.ckpt.value());
    let of_ckpt = [ckpt.map(|own| &own.interval), ckpt.map(|own| &own.keep_last), ckpt.map(|own| &own.keep_interval)];
    match () {
        () if of_steps.into_iter().flatten().any(is) => Some(&["The run", "Checkpoints", "Evaluation", "Curriculum"]),
        () if of_step.flatten().any(is) => Some(&["Each step", "The run"]),
        () if of_tokens.into_iter().chain([of_server]).flatten().any(is) => Some(&["A rollout", "What is cut"]),
        () if of_ckpt.into_iter().flatten().any(is) => Some(&["Checkpoints"]),
        () => None,
    }
}

/// The number of problems of a run, and the environment argument that states it: for a run with a single environment.
pub fn known_problems(plan: &Plan, project: &Project) -> Option<(String, f64)> {
    let mut environments = plan.train_environments();
    let environment = environments.next().filter(|_| environments.next().is_none())?;
    let declarations = Declarations::of(plan, project);
    let (_, declared) = declarations.each(plan).find(|(own, _)| own.key == environment.key)?;
    let known = declared.meaning(Meaning::Examples)?;
    let number = declared.effective(environment, &known.name)?.parse().ok().filter(|number| *number > 0.0)?;
    Some((known.name.clone(), number))
}

fn step(plan: &Plan) -> StepReport {
    if let Some(orchestrator) = plan.orchestrator.as_deref() {
        let batch = &orchestrator.batch;
        return StepReport {
            samples: batch.batch_size.get(),
            tokens: batch.token_batch_size.get(),
            problems: batch.problems(),
            group_size: batch.group_size.get(),
            in_flight: batch.in_flight(),
        };
    }
    let data = plan.trainer.as_deref().filter(|_| plan.is_sft()).map(|trainer| &trainer.data);
    let samples = data.and_then(|data| data.batch_size.get());
    let length = data.and_then(|data| data.seq_len.get());
    let tokens = samples.zip(length).and_then(|(samples, length)| samples.checked_mul(length));
    StepReport { samples, tokens, ..StepReport::default() }
}

fn rollout(plan: &Plan, orchestrator: &Orchestrator, metadata: &Metadata) -> RolloutReport {
    let tokens = orchestrator.seq_len.get();
    let context = plan.inference.as_ref().and_then(|inference| inference.max_model_len.get());
    let answer = orchestrator.sampling.max_tokens.get();
    let prompt = metadata.input_tokens.as_ref().and_then(|stated| i64::try_from(stated.value).ok());
    let room = tokens.into_iter().chain(context).min();
    let left = room.zip(answer).map(|(room, answer)| room.saturating_sub(answer).saturating_sub(prompt.unwrap_or(0)));
    let turns = turns(plan);
    RolloutReport { tokens, context, answer, prompt, left, turns, cut: cut(tokens, context, answer, prompt, turns) }
}

/// The most answers of a rollout, if all environments state it.
fn turns(plan: &Plan) -> Option<i64> {
    let mut most = None;
    for environment in plan.train_environments() {
        let turns = environment.max_turns.get().filter(|turns| *turns > 0)?;
        most = most.max(Some(turns));
    }
    most
}

/// The limits that cut a rollout. The server refuses a longer conversation, which ends the rollout.
fn cut(tokens: Option<i64>, context: Option<i64>, answer: Option<i64>, prompt: Option<i64>, turns: Option<i64>) -> Vec<String> {
    let mut all = Vec::new();
    let room = tokens.into_iter().chain(context).min();
    if let Some(answer) = answer.filter(|answer| room.is_none_or(|room| *answer < room)) {
        all.push(format!("an answer is cut at {} tokens", grouped(answer)));
        all.extend(room.map(|room| {
            format!(
                "a turn after more than {} tokens of conversation has no room for a whole answer",
                grouped(room.saturating_sub(answer))
            )
        }));
    }
    if let (Some(room), Some(answer), Some(turns @ 2..)) = (room, answer, turns) {
        let needed = turns.saturating_mul(answer).saturating_add(prompt.unwrap_or(0));
        let and_prompt = if prompt.is_some() { " and the prompt" } else { "" };
        all.push(if needed > room {
            format!(
                "{turns} answers of full length{and_prompt} would have {} tokens, {} too many",
                grouped(needed),
                grouped(needed.saturating_sub(room))
            )
        } else {
            format!(
                "{turns} answers of full length{and_prompt} have {} tokens and leave {} for tools",
                grouped(needed),
                grouped(room.saturating_sub(needed))
            )
        });
    }
    all
}

fn checkpoints(trainer: &Trainer, max_steps: Option<i64>, disk: Option<&Disk>) -> Option<CheckpointsReport> {
    let ckpt = trainer.ckpt.value()?;
    let interval = ckpt.interval.get().filter(|interval| *interval > 0);
    let mut at = interval.map_or_else(Vec::new, |interval| multiples(interval, max_steps));
    // The last step is saved whatever the interval.
    at.extend(max_steps.filter(|last| at.last() != Some(last) && i64::try_from(at.len()).is_ok_and(|count| count < MAX_STEPS)));
    Some(CheckpointsReport {
        interval,
        at,
        keep_last: ckpt.keep_last.get(),
        keep_interval: ckpt.keep_interval.get(),
        each_bytes: disk.map(|disk| (disk.checkpoint + disk.weights).rounded()),
        peak_bytes: disk.map(|disk| disk.peak.rounded()),
    })
}

fn evaluations(plan: &Plan, max_steps: Option<i64>) -> Vec<EvaluationReport> {
    let Some(eval) = plan.eval() else { return Vec::new() };
    let is_base_too = eval.eval_base_model.is_on() || eval.skip_first_step.is_off();
    let each = plan.eval_environments().filter_map(|environment| {
        let interval = environment.interval.get().or_else(|| eval.interval.get()).filter(|interval| *interval > 0)?;
        let base = is_base_too.then_some(0);
        Some(EvaluationReport {
            environment: environment.base_id().map(str::to_owned),
            interval,
            at: if max_steps.is_some() { base.into_iter().chain(multiples(interval, max_steps)).collect() } else { Vec::new() },
            problems: environment.num_examples.get().or_else(|| eval.num_examples.get()),
            group_size: environment.group_size.get().or_else(|| eval.group_size.get()),
        })
    });
    each.collect()
}

/// The multiples of a number of steps up to the last one.
fn multiples(interval: i64, last: Option<i64>) -> Vec<i64> {
    let count = last.map_or(0, |last| last / interval).min(MAX_STEPS);
    (1..=count).filter_map(|number| number.checked_mul(interval)).collect()
}
