//! The most recent answers to a question that has only one answer for each name.

use std::{cell::RefCell, collections::VecDeque};

/// The number of answers that are kept: the configs of a project name only a few models, machines and versions.
const KEPT: usize = 8;

/// The most recent answers, by name.
#[derive(Debug, Default)]
pub struct Recent<T>(RefCell<VecDeque<(String, T)>>);

impl<T: Clone> Recent<T> {
    /// No answers yet.
    pub const fn new() -> Self {
        Self(RefCell::new(VecDeque::new()))
    }

    /// The answer for a name; `find` finds it if it is not among the most recent ones. It must depend on nothing else.
    pub fn of(&self, name: &str, find: impl FnOnce() -> T) -> T {
        if let Some((_, known)) = self.0.borrow().iter().find(|(known, _)| known == name) {
            return known.clone();
        }
        let found = find();
        let mut recent = self.0.borrow_mut();
        recent.truncate(KEPT - 1);
        recent.push_front((name.to_owned(), found.clone()));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, Recent};

    #[test]
    fn only_the_most_recent_answers_are_kept() {
        let recent = Recent::new();
        let names: Vec<String> = (0..=KEPT).map(|number| number.to_string()).collect();
        for name in &names {
            assert_eq!(recent.of(name, || name.len()), 1);
        }
        assert_eq!(recent.of(&names[KEPT], || 2), 1);
        assert_eq!(recent.of(&names[0], || 2), 2);
    }
}
