//! What computing from a repository's files may cost.
//!
//! A config, and the Python, patterns and schemas beside it, are texts of strangers: a few lines of them can ask for more work, or more memory, than
//! the machine has. Whatever is computed from them is therefore charged here *before* it is done, by the sizes of its operands. One unit stands for
//! about ten nanoseconds, or for [`BYTES`] bytes that are made; memory that is freed again is not given back, so what is alive is at most what was
//! made.
//!
//! - A [`Budget`] belongs to one command, or to one request of an editor. Everything that the command computes draws from it, and it can be
//!   [stopped](Budget::stop) from another thread.
//! - A [`Meter`] belongs to one thing that is computed: the checks of a config, the declarations of a package. It has an [`Allowance`] of its own,
//!   part of which does not draw from the budget, up to a limit for all: thousands of harmless configs do not use up the budget, and the results for one
//!   of them do not depend on the others.
//!
//! Both belong to the thread: [`charge`] takes no argument. A thread without a meter draws from the budget; a thread without a budget of its own
//! draws from that of the process. If too much is asked for, [`charge`] fails, and whatever was to be computed is unknown.
//!
//! That is a result, and may be kept. A budget that was stopped has no result: [`charge`] unwinds to [`until_stopped`], so nothing on the way takes a
//! part for the whole, and what is filled on first use, such as a `OnceLock`, stays empty. Only a `LazyLock` can't be filled after that, so none may be
//! filled by anything that is charged.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod again;
mod budget;
pub mod patterns;
#[cfg(test)]
mod tests;

use std::{
    any::Any,
    cell::{Cell, RefCell},
    fmt,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    marker::PhantomData,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, LazyLock, PoisonError, atomic::Ordering},
};

pub use budget::Budget;
use budget::take_at_most;

/// The number of bytes for which a unit stands.
pub const BYTES: usize = 16;

/// Units are taken from the budget, and the budget is asked whether it was stopped, in portions of this size: 0.2 ms.
const PORTION: u64 = 16_384;

/// Why something is not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// It would need more work or memory than it may.
    TooMuch,
}

impl fmt::Display for Spent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("it takes too much work or memory")
    }
}

impl std::error::Error for Spent {}

/// There is no result, because the budget was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// What one thing may cost, in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The part that does not draw from the budget.
    pub free: u64,
    /// The most that it may cost.
    pub most: u64,
}

impl Allowance {
    /// The checks of one config, by code or patterns of the repository. prime-rl's own checks need some thousand units, for hundreds of environments.
    pub const CONFIG: Self = Self { free: 400_000, most: 8_000_000 };

    /// Composing a config of files: what the command has read before is charged ([`again`]). The free part is enough for 300 such keys.
    pub const COMPOSED: Self = Self { free: 200_000, most: 8_000_000 };

    /// The declarations of a package; [`extend_for`] adds [`Self::OF_A_BYTE`] for each byte of its texts.
    pub const SOURCE: Self = Self { free: 1_000_000, most: 20_000_000 };

    /// What the checks of a config leave for the rest of it.
    pub const RESERVE: u64 = 2_000_000;

    /// What is added for each byte of a text from which something is computed. prime-rl's own declarations need about one unit for each byte.
    pub const OF_A_BYTE: u64 = 4;
}

static OF_THE_PROCESS: LazyLock<Arc<Budget>> = LazyLock::new(Arc::default);

/// The meter of the thread.
struct Counts {
    /// What the meter may still take beyond [`LEFT`].
    free: u64,
    most: u64,
    /// Whether what is free is part of [what is free for all](budget::OF_ALL_FREE).
    is_shared: bool,
    budget: Option<Arc<Budget>>,
}

thread_local! {
    /// What is left of the current portion.
    static LEFT: Cell<u64> = const { Cell::new(0) };
    static COUNTS: RefCell<Counts> = const { RefCell::new(Counts { free: 0, most: u64::MAX, is_shared: false, budget: None }) };
}

/// Charges work before it is done.
///
/// # Errors
/// More than there is; nothing is left then.
#[inline]
pub fn charge(units: u64) -> Result<(), Spent> {
    let left = LEFT.get();
    if let Some(rest) = left.checked_sub(units) {
        LEFT.set(rest);
        return Ok(());
    }
    more(units - left)
}

/// Charges a number of items, characters or bytes that are gone through: one unit for each.
///
/// # Errors
/// As [`charge`].
#[inline]
pub fn charge_each(count: usize) -> Result<(), Spent> {
    charge(count as u64)
}

/// Charges a number of bytes that are made, before they are made.
///
/// # Errors
/// As [`charge`].
#[inline]
pub fn charge_bytes(bytes: usize) -> Result<(), Spent> {
    charge((bytes / BYTES) as u64 + 1)
}

/// Whether nothing is left, or nobody waits any more.
#[must_use]
pub fn is_spent() -> bool {
    LEFT.get() == 0 && charge(1).is_err()
}

#[cold]
fn more(units: u64) -> Result<(), Spent> {
    LEFT.set(0);
    COUNTS.with_borrow_mut(|counts| {
        let budget = counts.budget.clone().unwrap_or_else(|| Arc::clone(&OF_THE_PROCESS));
        let taken = units.max(PORTION).min(counts.most);
        let free = taken.min(counts.free);
        let free = if counts.is_shared { take_at_most(&budget.free, free) } else { free };
        let of_budget = taken - free;
        let has_enough = taken >= units && budget.take(of_budget).is_ok();
        if budget.is_stopped() {
            resume_unwind(Box::new(Stopped));
        }
        if !has_enough {
            // What failed once fails from then on: a result does not depend on how its steps are portioned.
            (counts.free, counts.most) = (0, 0);
            return Err(Spent::TooMuch);
        }
        counts.free -= free;
        counts.most -= taken;
        LEFT.set(taken - units);
        Ok(())
    })
}

/// What the thread counted with before a meter began.
#[derive(Debug)]
struct Outer {
    left: u64,
    free: u64,
    most: u64,
    is_shared: bool,
}

/// The meter of one thing that is computed on this thread, until it is dropped.
///
/// Whoever has one, or a reference to one, can rely on it that there is a limit.
#[derive(Debug)]
pub struct Meter {
    outer: Option<Outer>,
    /// What is free, if it is part of [what is free for all](budget::OF_ALL_FREE).
    shared: Option<u64>,
    /// What it has of the units for declarations, and whose those are.
    granted: Option<(u64, Arc<Budget>)>,
    of_thread: PhantomData<*const ()>,
}

impl Meter {
    /// See [`charge_each`].
    ///
    /// # Errors
    /// As [`charge`].
    #[inline]
    pub fn charge_each(&self, count: usize) -> Result<(), Spent> {
        charge_each(count)
    }

    /// See [`is_spent`].
    #[must_use]
    pub fn is_spent(&self) -> bool {
        is_spent()
    }

    /// Begins to count. Until the meter is dropped, the thread spends its allowance.
    #[must_use]
    pub fn begin(allowance: Allowance) -> Self {
        Self::new(allowance, true)
    }

    fn new(Allowance { free, most }: Allowance, is_shared: bool) -> Self {
        let free = free.min(most);
        let outer = COUNTS.with_borrow_mut(|counts| {
            let outer = Outer { left: LEFT.replace(0), free: counts.free, most: counts.most, is_shared: counts.is_shared };
            (counts.free, counts.most, counts.is_shared) = (free, most, is_shared);
            outer
        });
        Self { outer: Some(outer), shared: is_shared.then_some(free), granted: None, of_thread: PhantomData }
    }

    /// Begins to count for the declarations of a package: [`Allowance::SOURCE`], whose free part is that of the command as long as it lasts.
    #[must_use]
    pub fn begin_source() -> Self {
        let Allowance { free, most } = Allowance::SOURCE;
        let budget = budget();
        let granted = budget.take_for_source(free);
        let mut meter = Self::new(Allowance { free: granted, most }, false);
        meter.granted = Some((granted, budget));
        meter
    }
}

/// A part of the meter of this thread, until it is dropped: what is computed in it can't use up the meter.
#[derive(Debug)]
pub struct Part {
    left: u64,
    most: u64,
    allowed: u64,
    of_thread: PhantomData<*const ()>,
}

impl Part {
    /// Begins a part that leaves at least `reserve` units to the meter.
    #[must_use]
    pub fn begin(reserve: u64) -> Self {
        COUNTS.with_borrow_mut(|counts| {
            let left = LEFT.replace(0);
            let most = counts.most;
            let allowed = left.saturating_add(most).saturating_sub(reserve).min(most);
            counts.most = allowed;
            Self { left, most, allowed, of_thread: PhantomData }
        })
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        COUNTS.with_borrow_mut(|counts| {
            counts.most = self.most - (self.allowed - counts.most);
            LEFT.set(self.left.saturating_add(LEFT.get()));
        });
    }
}

/// Adds to the allowance of the meter of this thread for a text that is read. What is added draws from the budget if the command has read the text
/// before: thousands of packages can import the same one. Returns whether it has not.
pub fn extend_for(path: &str, units: u64) -> bool {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    let is_new = budget().texts.lock().unwrap_or_else(PoisonError::into_inner).insert(hasher.finish());
    extend(if is_new { units } else { 0 }, units);
    is_new
}

/// Adds to what the meter of this thread may cost. A meter that is spent stays so.
fn extend(free: u64, most: u64) {
    COUNTS.with_borrow_mut(|counts| {
        if counts.most > 0 || LEFT.get() > 0 {
            counts.free = counts.free.saturating_add(free);
            counts.most = counts.most.saturating_add(most);
        }
    });
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some(Outer { left, free, most, is_shared }) = self.outer.take() {
            let of_portion = LEFT.replace(left);
            let unused = COUNTS.with_borrow_mut(|counts| {
                let unused = counts.free;
                (counts.free, counts.most, counts.is_shared) = (free, most, is_shared);
                unused
            });
            // Most configs need a part of one portion.
            if let Some(all) = self.shared {
                budget().free.fetch_add(of_portion.min(all.saturating_sub(unused)), Ordering::Relaxed);
            }
            if let Some((granted, budget)) = self.granted.take() {
                budget.of_sources.fetch_add(unused.min(granted), Ordering::Relaxed);
            }
        }
    }
}

/// The time in which a thread works with a budget.
#[derive(Debug)]
pub struct Within {
    outer: Option<Arc<Budget>>,
    of_thread: PhantomData<*const ()>,
}

/// Makes this thread work with a budget, until the result is dropped.
#[must_use]
pub fn within(budget: Arc<Budget>) -> Within {
    let outer = COUNTS.with_borrow_mut(|counts| counts.budget.replace(budget));
    LEFT.set(0);
    Within { outer, of_thread: PhantomData }
}

impl Drop for Within {
    fn drop(&mut self) {
        LEFT.set(0);
        COUNTS.with_borrow_mut(|counts| counts.budget = self.outer.take());
    }
}

/// The budget of this thread, for other threads that work for it.
#[must_use]
pub fn budget() -> Arc<Budget> {
    COUNTS.with_borrow(|counts| counts.budget.clone()).unwrap_or_else(|| Arc::clone(&OF_THE_PROCESS))
}

/// Whether nobody waits any more for what this thread computes.
#[must_use]
pub fn is_stopped() -> bool {
    COUNTS.with_borrow(|counts| counts.budget.as_ref().is_some_and(|budget| budget.is_stopped()))
}

/// Unwinds if nobody waits any more for what this thread computes. Whoever keeps a result calls this before.
pub fn unwind_if_stopped() {
    if is_stopped() {
        resume_unwind(Box::new(Stopped));
    }
}

/// Computes with a budget, on this thread. Another panic goes on.
///
/// # Errors
/// The budget was stopped.
pub fn until_stopped<T>(budget: Arc<Budget>, compute: impl FnOnce() -> T) -> Result<T, Stopped> {
    let within = within(budget);
    let computed = catch_unwind(AssertUnwindSafe(|| {
        unwind_if_stopped();
        compute()
    }));
    drop(within);
    computed.map_err(|panic: Box<dyn Any + Send>| match panic.downcast::<Stopped>() {
        Ok(stopped) => *stopped,
        Err(panic) => resume_unwind(panic),
    })
}
