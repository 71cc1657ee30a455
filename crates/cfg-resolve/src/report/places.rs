//! Which of several keys of the same name is meant.

use cfg_diag::is_within;

use crate::synonyms;

/// The key at the top of the file whose value goes to the components that have the others.
pub(super) fn shared<'p>(homes: &[&'p String]) -> Option<&'p String> {
    let of_components =
        |top: &&&String| homes.iter().all(|home| home == *top || home.split_once('.').is_some_and(|(_, rest)| *rest == ***top));
    homes.iter().find(of_components).filter(|_| homes.len() > 1).copied()
}

/// The places of a key without those of a run's second model, unless there are no others.
pub(super) fn usual(homes: &[String]) -> Vec<&String> {
    let is_usual = |home: &&String| !home.split('.').any(|step| step.starts_with("teacher") || step == "student");
    let usual: Vec<&String> = homes.iter().filter(is_usual).collect();
    if usual.is_empty() { homes.iter().collect() } else { usual }
}

/// The places of a key without those about evaluations, unless it is written in a table about these, or has no others.
pub(super) fn of_training<'h>(steps: &[&str], homes: Vec<&'h String>) -> Vec<&'h String> {
    let is_of_evaluations = |step: &str| synonyms::is_of_evaluations(step) || step == "val";
    let other: Vec<&String> = homes.iter().copied().filter(|home| !home.split('.').any(is_of_evaluations)).collect();
    if other.is_empty() || steps.iter().copied().any(is_of_evaluations) { homes } else { other }
}

/// The one of several keys whose table contains the tables of all others.
pub(super) fn outermost(homes: &[String]) -> Option<&String> {
    let first = homes.iter().min_by_key(|home| home.matches('.').count())?;
    let (table, _) = first.rsplit_once('.')?;
    homes.iter().all(|home| home == first || is_within(home, table) && home.len() > first.len()).then_some(first)
}

/// The one of several keys that is the trainer's.
pub(super) fn the_trainers<'p>(homes: &[&'p String]) -> Option<&'p String> {
    let mut own = homes.iter().filter(|home| home.starts_with("trainer."));
    own.next().filter(|_| own.next().is_none()).copied()
}
