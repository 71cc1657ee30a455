//! The answers that were found last to a question whose answer depends on nothing but its subject.

use std::{borrow::Borrow, cell::RefCell, collections::VecDeque};

/// The number of answers that are kept: the configs of a project have only a few models, machines, versions and runs.
const KEPT: usize = 24;

/// The answers that were found last, by subject: a name, or a run.
#[derive(Debug, Default)]
pub struct Recent<T, Subject = String>(RefCell<VecDeque<(Subject, T)>>);

impl<T: Clone, Subject> Recent<T, Subject> {
    /// No answers yet.
    pub const fn new() -> Self {
        Self(RefCell::new(VecDeque::new()))
    }

    /// The answer for a subject; `find` finds it if it is not among them.
    pub fn of<S: ToOwned<Owned = Subject> + PartialEq + ?Sized>(&self, subject: &S, find: impl FnOnce() -> T) -> T
    where
        Subject: Borrow<S>,
    {
        if let Some((_, known)) = self.0.borrow().iter().find(|(known, _)| known.borrow() == subject) {
            return known.clone();
        }
        let found = find();
        let mut recent = self.0.borrow_mut();
        recent.truncate(KEPT - 1);
        recent.push_front((subject.to_owned(), found.clone()));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, Recent};

    #[test]
    fn only_the_most_recent_answers_are_kept() {
        let recent = Recent::new();
        let names: Vec<String> = (0..=KEPT).map(|number| format!("model {number}")).collect();
        for name in &names {
            assert_eq!(recent.of(name.as_str(), || 1), 1);
        }
        assert_eq!(recent.of(names[KEPT].as_str(), || 2), 1);
        assert_eq!(recent.of(names[0].as_str(), || 2), 2);
    }
}
