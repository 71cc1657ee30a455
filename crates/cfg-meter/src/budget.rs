//! What one command, or one request of an editor, may spend.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use crate::Spent;

/// The units of a command or a request: about a second, or 1.6 GB if they were all bytes. What makes bytes is charged several units for each step, and
/// every meter has less.
pub(crate) const OF_A_COMMAND: u64 = 100_000_000;

/// What the declarations of all packages that a command reads may cost without drawing from its budget: half a second. It is enough for those of a
/// project; a config can name thousands.
pub(crate) const OF_ALL_SOURCES: u64 = 50_000_000;

/// What of all meters together need not draw from the budget of a command: a second. prime-rl's own checks take one portion for each config; a few bytes
/// of a config can ask for all that is free.
pub(crate) const OF_ALL_FREE: u64 = 100_000_000;

/// What a budget that is [wound down](Budget::wind_down) still has: about 10 ms.
pub(crate) const OF_THE_END: u64 = 1_000_000;

/// What one command, or one request of an editor, may spend on what it computes from a repository.
#[derive(Debug)]
pub struct Budget {
    pub(crate) left: AtomicU64,
    /// What is left of [`OF_ALL_SOURCES`].
    pub(crate) of_sources: AtomicU64,
    /// What is left of [`OF_ALL_FREE`].
    pub(crate) free: AtomicU64,
    /// The texts that have been read, by hashes of their paths.
    pub(crate) texts: Mutex<HashSet<u64>>,
    /// What each file costs that was read, by a hash of its path: see [`again`].
    pub(crate) files: Mutex<HashMap<u64, u64>>,
    is_stopped: AtomicBool,
    is_ending: AtomicBool,
    /// Whether more was asked for than it has.
    is_exceeded: AtomicBool,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            left: AtomicU64::new(OF_A_COMMAND),
            of_sources: AtomicU64::new(OF_ALL_SOURCES),
            free: AtomicU64::new(OF_ALL_FREE),
            texts: Mutex::default(),
            files: Mutex::default(),
            is_stopped: AtomicBool::new(false),
            is_ending: AtomicBool::new(false),
            is_exceeded: AtomicBool::new(false),
        }
    }
}

impl Budget {
    /// Ends all that is computed with this budget, on whatever thread.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Ends what is computed with this budget unless it ends soon by itself: the result is hardly wanted any more. What most requests need is left.
    pub fn wind_down(&self) {
        if !self.is_ending.swap(true, Ordering::SeqCst) {
            self.left.fetch_min(OF_THE_END, Ordering::Relaxed);
            self.stop_if_exceeded();
        }
    }

    /// What has asked for more than there is, or was, takes long; if it is winding down, it ends.
    fn stop_if_exceeded(&self) {
        if self.is_exceeded.load(Ordering::SeqCst) && self.is_ending.load(Ordering::SeqCst) {
            self.stop();
        }
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Makes it as it was at the beginning, unless it was stopped: what follows is another command, such as the next check of `--watch`.
    pub fn renew(&self) {
        self.left.store(OF_A_COMMAND, Ordering::Relaxed);
        self.of_sources.store(OF_ALL_SOURCES, Ordering::Relaxed);
        self.free.store(OF_ALL_FREE, Ordering::Relaxed);
        self.is_exceeded.store(false, Ordering::SeqCst);
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.files.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Takes at most this many of the units for declarations.
    pub(crate) fn take_for_source(&self, units: u64) -> u64 {
        take_at_most(&self.of_sources, units)
    }

    pub(crate) fn take(&self, units: u64) -> Result<(), Spent> {
        let take = |left: u64| left.checked_sub(units);
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).map(|_| ()).map_err(|_| Spent::TooMuch);
        if taken.is_err() {
            self.is_exceeded.store(true, Ordering::SeqCst);
            self.stop_if_exceeded();
        }
        taken
    }
}

/// Takes at most this many units of what is left.
pub(crate) fn take_at_most(left: &AtomicU64, units: u64) -> u64 {
    let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(units)));
    taken.unwrap_or_default().min(units)
}
