//! Rollouts that fail: how many of them, with which error most, and whether any succeeds.

use std::collections::VecDeque;

use crate::{Sighted, error_kind::ErrorKind, log_event::Batch, streak::Quote};

/// The share of failed rollouts is the mean of this many newest steps.
const STEPS: usize = 10;

/// In fewer steps it may be an accident.
const ENOUGH_STEPS: usize = 5;

/// If no rollout succeeds, as many failures are no accident; if nothing shows how many do, [`WITHOUT_BATCH`].
const ENOUGH: u64 = 50;
const WITHOUT_BATCH: u64 = 100;

/// From this share of failures on, hardly any rollout succeeds.
const NEARLY_ALL: f64 = 0.9;

/// Rollouts that all fail within fewer seconds may have begun before their server was ready.
const MOMENT: i64 = 60;

/// This many kinds of errors are counted at once.
const MAX_KINDS: usize = 8;

/// The failed rollouts of one log.
#[derive(Clone, Debug, Default)]
pub(crate) struct FailingRollouts {
    /// The shares of failed rollouts in the newest steps.
    shares: VecDeque<f64>,
    /// The first of these steps above the limit.
    first: Option<Sighted>,
    /// The failures since the last step, and when the first and the last of them were, on the log's clock.
    since_step: u64,
    times: Option<(i64, i64)>,
    /// How far the batch of this step has come, and its size.
    done: u64,
    total: u64,
    /// All failures.
    pub(crate) count: u64,
    /// The kinds of errors, how often each occurred, and the first line of each.
    kinds: Vec<(ErrorKind, u64, Sighted)>,
}

impl FailingRollouts {
    /// Records the line of a failed rollout.
    pub(crate) fn fails(&mut self, error: ErrorKind, now: Option<i64>, quote: Quote<'_>) {
        self.count += 1;
        self.since_step += 1;
        if let Some(now) = now {
            self.times = Some((self.times.map_or(now, |(first, _)| first), now));
        }
        if let Some((_, count, _)) = self.kinds.iter_mut().find(|(known, ..)| *known == error) {
            *count += 1;
            return;
        }
        if self.kinds.len() < MAX_KINDS {
            self.kinds.push((error, 1, quote()));
            return;
        }
        // The rarest makes room and leaves its count, so that a frequent error is found whenever it begins.
        if let Some(rarest) = self.kinds.iter_mut().min_by_key(|(_, count, _)| *count) {
            *rarest = (error, rarest.1 + 1, quote());
        }
    }

    /// Records the progress of the batch of the next step.
    pub(crate) fn progress(&mut self, batch: &Batch) {
        // Those of groups that are not complete, and of evaluations, may be failed ones.
        self.done = self.done.max(batch.bar.done + batch.others.saturating_sub(self.since_step));
        self.total = batch.bar.total;
    }

    /// Records a finished step. `share` is the share of failed rollouts that it states; before 0.6.0 none does.
    pub(crate) fn step(&mut self, share: Option<f64>, limit: f64, quote: Quote<'_>) {
        #[expect(clippy::cast_precision_loss, reason = "rollouts of a step")]
        let counted = || (self.total > 0).then(|| self.since_step as f64 / (self.since_step + self.total) as f64);
        let share = share.or_else(counted);
        (self.since_step, self.times, self.done) = (0, None, 0);
        let Some(share) = share.filter(|share| share.is_finite()) else { return };
        // The errors that are quoted are those since the last step in which most rollouts succeeded.
        if share <= limit {
            self.kinds.clear();
        }
        if self.shares.len() == STEPS {
            self.shares.pop_front();
        }
        self.shares.push_back(share);
        if share > limit {
            self.first.get_or_insert_with(quote);
        } else if !self.is_frequent(limit) {
            self.first = None;
        }
    }

    /// The size of a batch, as far as its progress was reported; else 0.
    pub(crate) const fn batch(&self) -> u64 {
        self.total
    }

    /// Whether most rollouts of the newest steps failed.
    fn is_frequent(&self, limit: f64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "ten")]
        let mean = self.shares.iter().sum::<f64>() / self.shares.len().max(1) as f64;
        self.shares.len() >= ENOUGH_STEPS && mean > limit
    }

    /// How often most rollouts of the newest steps failed with the same error, and its first line; of a log without the errors the number of steps, and the
    /// first of them.
    pub(crate) fn frequent(&self, limit: f64) -> Option<(u64, &Sighted)> {
        if !self.is_frequent(limit) {
            return None;
        }
        self.commonest().or_else(|| Some((self.shares.len() as u64, self.first.as_ref()?)))
    }

    /// If rollouts fail and hardly any succeeds since the last step: how often they did with the same error, and its first line.
    pub(crate) fn without_success(&self, limit: f64) -> Option<(u64, &Sighted)> {
        let enough = if self.total > 0 { ENOUGH } else { WITHOUT_BATCH };
        let is_moment = self.times.is_some_and(|(first, last)| last - first < MOMENT);
        #[expect(clippy::cast_precision_loss, reason = "rollouts of a step")]
        let share = self.since_step as f64 / (self.since_step + self.done).max(1) as f64;
        // Beside a batch that is half done, the failures are those of an evaluation.
        let is_half_done = self.total > 0 && self.done * 2 >= self.total;
        if self.since_step < enough || is_moment || is_half_done || share <= limit.max(NEARLY_ALL) {
            None
        } else {
            self.commonest()
        }
    }

    fn commonest(&self) -> Option<(u64, &Sighted)> {
        self.kinds.iter().max_by_key(|(_, count, _)| *count).map(|(_, count, line)| (*count, line))
    }
}

#[cfg(test)]
mod tests {
    use super::{ENOUGH, FailingRollouts};
    use crate::{Sighted, error_kind::ErrorKind, line::Bar, log_event::Batch};

    fn line(text: &str) -> Sighted {
        Sighted { line: 1, text: text.to_owned(), key: None }
    }

    fn batch(done: u64, others: u64) -> Batch {
        Batch { bar: Bar { done, total: 64, seconds: None }, is_bar: false, others }
    }

    #[test]
    fn the_commonest_error_is_found_among_many() {
        let mut failing = FailingRollouts::default();
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
        for round in 0..40 {
            let rare = names[round % names.len()];
            failing.fails(ErrorKind::of(rare), None, &mut || line(rare));
            failing.fails(ErrorKind::of("often"), None, &mut || line("often"));
        }
        assert_eq!(failing.commonest().map(|(_, line)| &*line.text), Some("often"));
        assert_eq!(failing.count, 80);
    }

    #[test]
    fn a_few_failures_among_many_rollouts_are_no_finding() {
        let mut failing = FailingRollouts::default();
        for at in 0..200 {
            failing.fails(ErrorKind::of("x"), Some(at), &mut || line("x"));
            failing.progress(&batch(0, 10 * u64::try_from(at).expect("small")));
        }
        assert_eq!(failing.without_success(0.5), None);
        // As many without any other rollout.
        let mut failing = FailingRollouts::default();
        for at in 0..ENOUGH {
            assert_eq!(failing.without_success(0.5), None, "{at}");
            failing.progress(&batch(0, at));
            failing.fails(ErrorKind::of("x"), Some(at.cast_signed() * 2), &mut || line("x"));
        }
        assert_eq!(failing.without_success(0.5).map(|(count, _)| count), Some(ENOUGH));
        failing.step(None, 0.5, &mut || line("step"));
        assert_eq!(failing.without_success(0.5), None);
    }

    #[test]
    fn the_share_counts_while_it_is_high() {
        let mut failing = FailingRollouts::default();
        for step in 0..6 {
            assert_eq!(failing.frequent(0.5).is_some(), step >= 5, "{step}");
            failing.step(Some(0.8), 0.5, &mut || line("step"));
        }
        assert_eq!(failing.frequent(0.5).map(|(count, line)| (count, &*line.text)), Some((6, "step")));
        for _ in 0..6 {
            failing.step(Some(0.02), 0.5, &mut || line("step"));
        }
        assert_eq!(failing.frequent(0.5), None);
    }
}
