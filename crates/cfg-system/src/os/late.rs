//! The programs that did not answer in time.

use std::{
    collections::HashMap,
    ffi::{OsStr, OsString},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The time in which a program that was late is not asked again. A command ends before; for a server, a disk may be reachable again after it.
const PAUSE: Duration = Duration::from_mins(10);

/// The programs that did not answer in time, with the times when they were ended. Each question may wait for its whole limit, and a command has many of
/// them: all of them together wait only once.
#[derive(Clone, Debug, Default)]
pub(super) struct Late(Arc<Mutex<HashMap<OsString, Instant>>>);

impl Late {
    /// Remembers that a program was late.
    pub(super) fn add(&self, program: &OsStr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(program.to_owned(), Instant::now());
    }

    /// Whether a program is not asked, because it was late before.
    pub(super) fn has(&self, program: &OsStr) -> bool {
        let late = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        late.get(program).is_some_and(|since| since.elapsed() < PAUSE)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Duration;

    use crate::{Host as _, NoAnswer, OsSystem, Program};

    #[test]
    fn a_program_that_was_late_is_not_asked_again() {
        let system = OsSystem::new();
        let sleep = |seconds: &str| Program::new("sleep").arguments([seconds]);
        assert_eq!(system.run(&sleep("0")), Ok(Vec::new()));
        assert_eq!(system.run(&sleep("600").limited(Duration::from_millis(10), 1)), Err(NoAnswer::Late));
        assert_eq!(system.run(&sleep("0")), Err(NoAnswer::Late));
        assert!(system.start(&sleep("0")).is_err());
        assert_eq!(system.run(&Program::new("true")), Ok(Vec::new()), "another program");
    }

    #[test]
    fn a_conversation_that_was_late_counts_as_well() {
        let system = OsSystem::new();
        let sleep = |seconds: &str| Program::new("sleep").arguments([seconds]);
        let mut running = system.start(&sleep("600").limited(Duration::from_millis(10), 1)).expect("it starts");
        assert!(running.output().fill_buf().is_err());
        assert_eq!(system.run(&sleep("0")), Err(NoAnswer::Late));
    }
}
