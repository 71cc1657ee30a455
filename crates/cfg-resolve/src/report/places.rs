//! Which of several keys of the same name is meant.

use cfg_diag::is_within;

use crate::synonyms;

/// The key at the top of the file whose value goes to the components that have the others.
pub(super) fn shared<'p>(homes: &[&'p String]) -> Option<&'p String> {
    let of_components =
        |top: &&&String| homes.iter().all(|home| home == *top || home.split_once('.').is_some_and(|(_, rest)| *rest == ***top));
    homes.iter().find(of_components).filter(|_| homes.len() > 1).copied()
}

/// The places of a key without those of a run's second model, and of one of several runs that a trainer has, unless there are no others.
pub(super) fn usual(homes: &[String]) -> Vec<&String> {
    let is_other_model = |home: &str| home.split('.').any(|step| step.starts_with("teacher") || step == "student");
    let is_usual = |home: &&String| !is_other_model(home) && !home.starts_with("orchestrator.optim.");
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

/// The one of several places that is nearest to the top of the file; what is for training comes before what is for evaluations.
pub(super) fn nearest_of<'h>(homes: &[&'h String]) -> Option<&'h String> {
    let rank = |home: &str| (home.split('.').any(|step| step.starts_with("eval")) && homes.len() > 1, home.matches('.').count());
    let first = homes.iter().min_by_key(|home| rank(home))?;
    (homes.iter().filter(|home| rank(home) == rank(first)).count() == 1).then_some(first)
}

/// A path without its last steps.
pub(super) fn before_last(path: &str, steps: usize) -> &str {
    let ends: Vec<usize> = path.match_indices('.').map(|(at, _)| at).collect();
    ends.len().checked_sub(steps).map_or("", |number| &path[..ends[number]])
}

/// Whether two keys are in two tables of the same table.
pub(super) fn is_beside(home: &str, own: &str) -> bool {
    let table_around = |path: &str| Some(path.rsplit_once('.')?.0.rsplit_once('.')?.0.len());
    table_around(own).is_some_and(|length| table_around(home) == Some(length) && home[..length] == own[..length])
}
