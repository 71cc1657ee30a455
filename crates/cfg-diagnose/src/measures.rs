//! Measures of a run that were out of bounds for many steps.

use crate::{halts::Named, run::Run};

/// A mean of many steps that stays low for this many more has collapsed.
const STAYED: u64 = 3;

/// This many lines with equal weights mean that a curriculum does not move.
const SAME_WEIGHTS: u64 = 50;

/// Finds measures that were out of bounds for many steps.
pub(crate) fn measures(run: &Run<'_>, told: &mut Vec<Named>) {
    for (log, course) in run.courses() {
        let streaks = [
            ("reward-zero", &course.no_reward),
            ("entropy-collapsed", &course.low_entropy),
            ("kl-explosion", &course.high_kl),
            ("gradient-explosion", &course.high_norm),
            ("truncated-answers", &course.truncated),
            ("no-signal", &course.no_signal),
        ];
        for (name, streak) in streaks {
            if let Some((steps, first)) = &streak.longest {
                told.push((name, log, first.clone(), *steps));
            }
        }
        if course.no_reward.longest.is_none()
            && let Some((steps, line)) = course.rewards.flat().filter(|(steps, _)| *steps >= course.thresholds.flat_steps)
        {
            told.push(("reward-flat", log, line.clone(), steps));
        }
        let collapsed = course.rewards.collapsed().filter(|(steps, _)| *steps >= STAYED);
        // Harder tasks have lower rewards.
        if course.no_reward.longest.is_none()
            && !course.weights_change
            && let Some((steps, line)) = collapsed
        {
            told.push(("reward-collapsed", log, line.clone(), steps));
        }
        if let Some((count, line)) = &course.slow {
            told.push(("slow-rollouts", log, line.clone(), *count));
        }
        if let Some((_, count, line)) = course.same_weights.as_ref().filter(|(_, count, _)| *count >= SAME_WEIGHTS)
            && !course.weights_change
        {
            told.push(("curriculum-stands-still", log, line.clone(), *count));
        }
    }
}
