//! The course of a run from its lines: steps, waiting, progress bars, ends. Each of these lines alone is harmless.

use crate::{
    Component, Curves, Measure, Progress, Sighted, Thresholds,
    curves::MAX_ENVIRONMENTS,
    evaluated::Evaluated,
    failing::FailingRollouts,
    log_event::{Batch, LogEvent, OrchestratorStep, Pace, TrainerStep},
    streak::{Quote, Rewards, Streak},
    timeline::{Clock, Steps},
};

/// Waiting for the weights of a step.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    pub(crate) for_step: Option<i64>,
    pub(crate) at: Sighted,
    /// When it began, in seconds of the log's clock.
    pub(crate) since: Option<i64>,
}

/// A batch of rollouts that makes no progress.
#[derive(Clone, Debug)]
pub(crate) struct Stalled {
    pub(crate) at: Sighted,
    /// What it showed, and since when, in seconds of the log's clock.
    pub(crate) batch: Batch,
    pub(crate) since: Option<i64>,
    /// How often it was shown.
    pub(crate) shown: u64,
    /// The elapsed seconds that it showed first and last.
    pub(crate) seconds: (u64, u64),
}

/// That the orchestrator's loop was left by an exception or a signal.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    /// The first line that says it.
    pub(crate) line: Sighted,
    /// When, in seconds of the log's clock; `None` if the log has none.
    pub(crate) at: Option<i64>,
}

/// Batches in a row without anything to train on.
#[derive(Clone, Debug)]
pub(crate) struct EmptyBatches {
    pub(crate) count: u64,
    /// Their share of those after which the orchestrator ends.
    pub(crate) share: f64,
    /// The first of their lines.
    pub(crate) first: Sighted,
}

/// The number of empty batches after which the orchestrator ends, if a line does not say it.
const MAX_EMPTY: f64 = 10.0;

/// The interrupt of a run by its user, or by a SIGTERM.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interrupt {
    /// When, in seconds of the log's clock; `None` if the log has none.
    pub(crate) at: Option<i64>,
    /// Whether it was its user.
    pub(crate) by_user: bool,
}

/// A measure that is out of bounds for this many steps is no accident.
const ENOUGH: u64 = 10;

/// Files of an earlier run are there at once: weights that come after this many seconds were made meanwhile.
const ARRIVES: i64 = 2;

/// The duration of a step is the median of this many steps.
const STEPS: usize = 21;

/// Records a measure of a step.
fn watch(value: Option<f64>, streak: &mut Streak, last: &mut Option<f64>, is_out: impl Fn(f64) -> bool, quote: Quote<'_>) {
    if let Some(value) = value {
        *last = Some(value);
        streak.step(is_out(value), ENOUGH, quote);
    }
}

/// The course of the run in one log.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "facts about a log that have nothing to do with each other")]
pub(crate) struct Course {
    pub(crate) loop_begins: Option<Sighted>,
    /// When the trainer's loop began, in seconds of the log's clock.
    pub(crate) loop_at: Option<i64>,
    /// The trainer's steps since its loop began.
    pub(crate) trainer: Steps,
    pub(crate) orchestrator: Steps,
    pub(crate) resumed: Option<(i64, Sighted)>,
    pub(crate) waiting: Option<Waiting>,
    /// Whether weights came while the orchestrator waited for them: then a trainer makes them, whatever its log shows so far.
    pub(crate) has_arrivals: bool,
    pub(crate) stalled: Option<Stalled>,
    /// The duration of the longest evaluation so far, in seconds.
    pub(crate) longest_evaluation: f64,
    /// The step whose weights are being evaluated, in the versions that say it before.
    evaluates: Option<i64>,
    pub(crate) has_rollouts: bool,
    /// Whether the log shows how the orchestrator began: otherwise it is a part of one.
    pub(crate) has_start: bool,
    pub(crate) rewards: Rewards,
    pub(crate) no_reward: Streak,
    pub(crate) failing: FailingRollouts,
    pub(crate) empty: Option<EmptyBatches>,
    /// The environments in whose newest evaluation most rollouts failed.
    pub(crate) failed_evaluations: Vec<(Box<str>, Sighted)>,
    pub(crate) low_entropy: Streak,
    pub(crate) high_kl: Streak,
    pub(crate) high_norm: Streak,
    pub(crate) truncated: Streak,
    pub(crate) no_signal: Streak,
    pub(crate) progress: Progress,
    pub(crate) curves: Curves,
    /// The limits of the measures.
    pub(crate) thresholds: Thresholds,
    pub(crate) slow: Option<(u64, Sighted)>,
    pub(crate) same_weights: Option<(String, u64, Sighted)>,
    pub(crate) weights_change: bool,
    pub(crate) lines: u64,
    pub(crate) clock: Clock,
    /// What the processes said about their end, with the time.
    pub(crate) finished: Vec<(Component, Option<i64>)>,
    /// The processes that ended with a code other than 0.
    pub(crate) exits: Vec<(Component, i64, Sighted)>,
    /// How often each process began.
    begun: Vec<(Component, u32)>,
    /// The number of the launch whose lines are being read: it rises if a process begins again.
    pub(crate) launch: u32,
    /// The number of things that show that the run goes on: steps, progress of a batch.
    pub(crate) serial: u64,
    /// Whether a server in this log was being stopped.
    pub(crate) shuts_down: bool,
    /// That the launcher said that it was interrupted.
    pub(crate) interrupted: Option<Interrupt>,
    /// That the orchestrator was stopped before it was done.
    pub(crate) stop: Option<Stop>,
    /// That the orchestrator ended although the trainer had not sent its last weights.
    pub(crate) gives_up: Option<Sighted>,
    /// When an inference server last reported that it generates.
    pub(crate) served_at: Option<i64>,
}

impl Course {
    /// The course of an empty log.
    pub(crate) fn new(thresholds: Thresholds) -> Self {
        Self { thresholds, ..Self::default() }
    }

    /// Records a line of the log, with its time of day in seconds. `quote` is only called if the line itself is kept. Returns whether the line shows
    /// that what failed before is past.
    pub(crate) fn take(&mut self, event: LogEvent, time: Option<u32>, quote: Quote<'_>) -> bool {
        let now = self.clock.take(time);
        let before = (self.serial, self.launch);
        match event {
            LogEvent::Begins(component) => self.begins(component),
            LogEvent::OrchestratorGoes => self.has_start = true,
            LogEvent::LoopBegins => {
                self.loop_begins = Some(quote());
                self.loop_at = now;
                self.trainer = Steps::default();
            }
            LogEvent::Resumes(step) => self.resumed = Some((step, quote())),
            LogEvent::Waits(for_step) => {
                if self.waiting.as_ref().is_none_or(|waiting| waiting.for_step != for_step) {
                    self.waiting = Some(Waiting { for_step, at: quote(), since: now });
                }
            }
            LogEvent::GoesOn(reached) => self.reached(reached, now),
            LogEvent::Rollouts(batch) => {
                self.failing.progress(&batch);
                self.rollouts(batch, now, quote);
            }
            LogEvent::RolloutFails(error) => self.failing.fails(error, now, quote),
            LogEvent::EmptyBatch(share) => self.empty_batch(share, quote),
            LogEvent::Reward(step) => self.orchestrator_step(&step, now, quote),
            LogEvent::Loss(step) => self.trainer_step(&step, now, quote),
            LogEvent::Evaluates(step) => self.evaluates = Some(step),
            LogEvent::Evaluated(own) => self.evaluated(own, quote),
            LogEvent::Validated { step, loss } => {
                self.goes_on();
                self.curves.take(Measure::ValidationLoss, step, Some(loss));
            }
            LogEvent::Pace(step, pace) => self.pace(step, pace),
            LogEvent::Batch { step, truncated, no_signal } => self.batch(step, truncated, no_signal, quote),
            // It was stopped, and only its clean-up took too long.
            LogEvent::Finished(Component::Orchestrator) if self.stop.is_some() => {}
            LogEvent::Finished(component) => {
                self.serial += 1;
                self.finished.retain(|(known, _)| *known != component);
                self.finished.push((component, now));
            }
            LogEvent::Exits(component, code) => {
                if !self.exits.iter().any(|(known, ..)| *known == component) {
                    self.exits.push((component, code, quote()));
                }
            }
            LogEvent::ShutsDown => self.shuts_down = true,
            LogEvent::Interrupted { by_user } => self.interrupted = Some(Interrupt { at: now, by_user }),
            LogEvent::Stops => {
                self.stop.get_or_insert_with(|| Stop { line: quote(), at: now });
            }
            LogEvent::GivesUp => self.gives_up = Some(quote()),
            LogEvent::Serves => self.served_at = now,
            LogEvent::Slow => match &mut self.slow {
                Some((count, _)) => *count += 1,
                None => self.slow = Some((1, quote())),
            },
            LogEvent::Weights(weights) => match &mut self.same_weights {
                None => self.same_weights = Some((weights.into(), 1, quote())),
                Some((known, count, _)) if **known == *weights => *count += 1,
                Some(_) => self.weights_change = true,
            },
        }
        before != (self.serial, self.launch)
    }

    /// A process begins; if it begins again, what was known about it belongs to an earlier launch.
    fn begins(&mut self, component: Component) {
        let at = self.begun.iter().position(|(known, _)| *known == component).unwrap_or_else(|| {
            self.begun.push((component, 0));
            self.begun.len() - 1
        });
        self.begun[at].1 += 1;
        let is_again = self.begun[at].1 > 1;
        self.launch = self.launch.max(self.begun[at].1);
        if component == Component::Orchestrator {
            self.has_start = true;
        }
        if !is_again {
            return;
        }
        self.finished.retain(|(known, _)| *known != component && *known != Component::Launcher);
        self.exits.clear();
        (self.shuts_down, self.interrupted) = (false, None);
        match component {
            Component::Trainer => {
                // What was measured before belongs to the earlier launch.
                let Progress { orchestrator_step, reward, truncated, no_signal, errors, off_policy, .. } = self.progress;
                self.progress =
                    Progress { orchestrator_step, reward, truncated, no_signal, errors, off_policy, ..Progress::default() };
                (self.loop_begins, self.loop_at, self.resumed) = (None, None, None);
                self.trainer = Steps::default();
                for streak in [&mut self.low_entropy, &mut self.high_kl, &mut self.high_norm] {
                    *streak = Streak::default();
                }
            }
            Component::Orchestrator => {
                (self.waiting, self.stalled, self.has_rollouts, self.slow) = (None, None, false, None);
                (self.has_arrivals, self.evaluates) = (false, None);
                (self.failing, self.empty, self.stop, self.gives_up) = (FailingRollouts::default(), None, None, None);
                self.orchestrator = Steps::default();
                let progress = &mut self.progress;
                (progress.orchestrator_step, progress.reward, progress.truncated) = (None, None, None);
                (progress.no_signal, progress.errors, progress.off_policy) = (None, None, None);
                self.rewards = Rewards::default();
                for streak in [&mut self.no_reward, &mut self.truncated, &mut self.no_signal] {
                    *streak = Streak::default();
                }
            }
            _ => {}
        }
    }

    /// The orchestrator makes progress. It goes on for a while without the trainer: in a log of both, only the trainer's steps show that the run goes on.
    fn goes_on(&mut self) {
        self.serial += u64::from(!self.has_trainer());
    }

    /// The processes that began.
    pub(crate) fn begun(&self) -> impl Iterator<Item = Component> {
        self.begun.iter().map(|(component, _)| *component)
    }

    /// Whether a trainer writes to the log.
    pub(crate) const fn has_trainer(&self) -> bool {
        self.loop_begins.is_some() || self.trainer.count > 0
    }

    /// Ends waiting for a step: its weights have arrived, or a step that needs them has finished.
    fn reached(&mut self, step: Option<i64>, now: Option<i64>) {
        let waits_for = self.waiting.as_ref().and_then(|waiting| waiting.for_step);
        if self.waiting.is_some() && step.zip(waits_for).is_none_or(|(step, waits_for)| step >= waits_for) {
            let since = self.waiting.take().and_then(|waiting| waiting.since);
            self.has_arrivals |= since.zip(now).is_some_and(|(since, now)| now - since >= ARRIVES);
        }
    }

    fn pace(&mut self, step: i64, Pace { seconds, computing, tokens }: Pace) {
        let measures =
            [(Measure::StepSeconds, seconds), (Measure::TrainerSeconds, computing), (Measure::TokensPerSecond, tokens)];
        for (measure, value) in measures {
            self.curves.take(measure, step, value.filter(|value| *value > 0.0));
        }
    }

    fn rollouts(&mut self, batch: Batch, now: Option<i64>, quote: Quote<'_>) {
        let is_same = self.stalled.as_ref().is_some_and(|stalled| stalled.batch.progress() == batch.progress());
        self.has_rollouts |= batch.bar.done > 0 || batch.others > 0;
        if !is_same {
            if self.stalled.is_some() && (batch.bar.done > 0 || batch.others > 0) {
                self.goes_on();
            }
            // A batch that is complete does not have to go on.
            let is_whole = batch.bar.done >= batch.bar.total;
            // Until the first rollout, nothing has been completed since its beginning.
            let from = if batch.bar.done == 0 { 0 } else { batch.bar.seconds.unwrap_or(0) };
            let new = || Stalled { at: quote(), batch, since: now, shown: 0, seconds: (from, from) };
            self.stalled = (!is_whole).then(new);
        }
        if let Some(stalled) = &mut self.stalled {
            stalled.shown += 1;
            stalled.since = stalled.since.or(now);
            stalled.seconds.1 = stalled.seconds.1.max(batch.bar.seconds.unwrap_or(0));
        }
    }

    fn orchestrator_step(&mut self, own: &OrchestratorStep, now: Option<i64>, quote: Quote<'_>) {
        let &OrchestratorStep { step, reward, .. } = own;
        self.goes_on();
        self.orchestrator.take(step, now);
        (self.progress.orchestrator_step, self.progress.reward) = (Some(step), Some(reward));
        self.curves.take(Measure::Reward, step, Some(reward));
        self.curves.take(Measure::OrchestratorSeconds, step, own.seconds);
        self.curves.take(Measure::Errors, step, own.errors);
        self.curves.take(Measure::OffPolicy, step, own.off_policy);
        self.progress.errors = own.errors.or(self.progress.errors);
        self.progress.off_policy = own.off_policy.or(self.progress.off_policy);
        self.batch(step, own.truncated, own.no_signal, quote);
        (self.stalled, self.has_rollouts) = (None, true);
        self.reached(Some(step), now);
        self.empty = None;
        self.failing.step(own.errors, self.thresholds.errors, quote);
        self.no_reward.step(reward == 0.0, ENOUGH, quote);
        self.rewards.take(reward, quote);
    }

    fn evaluated(&mut self, own: Evaluated, quote: Quote<'_>) {
        self.longest_evaluation = self.longest_evaluation.max(own.seconds.unwrap_or(0.0));
        self.goes_on();
        self.stalled = None;
        // An excerpt may begin after the line that names the step.
        if let Some(step) = own.step.or(self.evaluates)
            && let Some(reward) = own.reward.filter(|_| !own.environment.is_empty())
        {
            self.curves.take_evaluation(&own.environment, step, reward);
        }
        self.failed_evaluations.retain(|(environment, _)| *environment != own.environment);
        if own.errors.is_some_and(|errors| errors > self.thresholds.errors) && self.failed_evaluations.len() < MAX_ENVIRONMENTS {
            self.failed_evaluations.push((own.environment, quote()));
        }
    }

    fn empty_batch(&mut self, share: Option<f64>, quote: Quote<'_>) {
        let empty = self.empty.get_or_insert_with(|| EmptyBatches { count: 0, share: 0.0, first: quote() });
        empty.count += 1;
        #[expect(clippy::cast_precision_loss, reason = "batches")]
        let counted = empty.count as f64 / MAX_EMPTY;
        empty.share = share.unwrap_or(counted);
    }

    fn trainer_step(&mut self, own: &TrainerStep, now: Option<i64>, quote: Quote<'_>) {
        let &TrainerStep { step, loss, entropy, kl, norm, pace, .. } = own;
        self.serial += 1;
        self.trainer.take(step, now);
        self.progress.trainer_step = Some(step);
        let measures = [
            (Measure::Loss, loss),
            (Measure::Entropy, entropy),
            (Measure::Kl, kl),
            (Measure::GradientNorm, norm),
            (Measure::LearningRate, own.learning_rate),
            (Measure::Mfu, own.mfu),
            (Measure::PeakMemory, own.memory),
        ];
        for (measure, value) in measures {
            self.curves.take(measure, step, value);
        }
        self.pace(step, pace);
        let (bounds, progress) = (self.thresholds, &mut self.progress);
        progress.learning_rate = own.learning_rate.or(progress.learning_rate);
        progress.mfu = own.mfu.or(progress.mfu);
        progress.peak_memory = own.memory.or(progress.peak_memory);
        progress.loss = loss.or(progress.loss);
        watch(entropy, &mut self.low_entropy, &mut progress.entropy, |entropy| entropy < bounds.entropy, quote);
        watch(kl, &mut self.high_kl, &mut progress.kl, |kl| kl > bounds.kl, quote);
        watch(norm, &mut self.high_norm, &mut progress.norm, |norm| norm > bounds.norm, quote);
    }

    fn batch(&mut self, step: i64, truncated: Option<f64>, no_signal: Option<f64>, quote: Quote<'_>) {
        self.curves.take(Measure::Truncated, step, truncated);
        self.curves.take(Measure::NoSignal, step, no_signal);
        let (bounds, progress) = (self.thresholds, &mut self.progress);
        watch(truncated, &mut self.truncated, &mut progress.truncated, |share| share > bounds.truncated, quote);
        watch(no_signal, &mut self.no_signal, &mut progress.no_signal, |share| share > bounds.no_signal, quote);
    }

    /// Records the end of the log: the number of its lines, and the last time in a line.
    pub(crate) fn end(&mut self, lines: u64, last_time: Option<u32>) {
        self.lines = lines;
        self.clock.take(last_time);
        let pace = self.curves.of(Measure::StepSeconds).median(STEPS);
        self.progress.step_seconds = pace.or_else(|| self.curves.of(Measure::OrchestratorSeconds).median(STEPS));
    }

    /// Whether what the log says from here on is about the end of processes that are done or were stopped.
    pub(crate) fn has_ended(&self) -> bool {
        self.shuts_down || !self.finished.is_empty() && (!self.has_trainer() || self.has_finished(Component::Trainer))
    }

    /// Whether a process said that it is done.
    pub(crate) fn has_finished(&self, component: Component) -> bool {
        self.finished.iter().any(|(known, _)| *known == component)
    }
}

impl Batch {
    /// What changes while rollouts are completed.
    const fn progress(&self) -> (u64, u64, u64) {
        (self.bar.done, self.bar.total, self.others)
    }
}
