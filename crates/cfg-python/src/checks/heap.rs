//! The containers that a run of a check creates.
//!
//! Untrusted code can nest lists to any depth, put a list into itself, or double a list at each step. Therefore all containers of a run are kept
//! here until the run ends, and are then emptied: dropping does not recurse through the nesting, and no reference cycle remains. What is created or
//! gone through is charged to the meter of the config, by its size.

use std::{cell::RefCell, rc::Rc};

use cfg_meter::{Allowance, Part};

use super::object::{New, Object, Shared};
use crate::pattern;

/// The units for an item of a container: what it needs in memory, and some for what it takes to make it.
const OF_AN_ITEM: usize = 2;

/// The units for a container itself.
const OF_A_CONTAINER: usize = 16;

/// The maximum number of functions that are defined within functions. Each holds a copy of the names around it.
const MAX_CLOSURES: usize = 200;

thread_local! {
    static HEAP: RefCell<Heap> = const { RefCell::new(Heap { made: Vec::new(), closures: 0, frames: 0 }) };
}

struct Heap {
    made: Vec<Container>,
    closures: usize,
    frames: usize,
}

enum Container {
    Items(Rc<Shared<Vec<Object>>>),
    Entries(Rc<Shared<Vec<(Object, Object)>>>),
    New(Rc<New>),
}

/// The scope of one run; it frees all containers when it is dropped. It can't use up the meter of the config, so that the rest of the config is checked
/// whatever a check asks for.
pub(super) struct Scope {
    _part: Part,
}

impl Scope {
    pub(super) fn enter() -> Self {
        HEAP.with_borrow_mut(|heap| heap.closures = 0);
        Self { _part: Part::begin(Allowance::RESERVE) }
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        pattern::forget();
        let made = HEAP.with_borrow_mut(|heap| std::mem::take(&mut heap.made));
        for container in &made {
            match container {
                Container::Items(items) => drop((items.value.take(), items.dump_of.take(), items.missing.take())),
                Container::Entries(entries) => drop((entries.value.take(), entries.dump_of.take(), entries.missing.take())),
                Container::New(new) => drop(new.given.take()),
            }
        }
    }
}

/// Charges work before it is done; returns whether it may be done.
pub(super) fn spend(units: usize) -> bool {
    cfg_meter::charge_each(units).is_ok()
}

/// Whether nothing is left.
pub(super) fn is_empty() -> bool {
    cfg_meter::is_spent()
}

/// Whether another function may be defined within a function; it is counted.
pub(super) fn may_close() -> bool {
    HEAP.with_borrow_mut(|heap| {
        heap.closures += 1;
        heap.closures <= MAX_CLOSURES
    })
}

/// The number of the next run of a function.
pub(super) fn next_frame() -> usize {
    HEAP.with_borrow_mut(|heap| {
        heap.frames += 1;
        heap.frames
    })
}

pub(super) fn keep_items(items: &Rc<Shared<Vec<Object>>>) {
    spend(items.value.borrow().len() * OF_AN_ITEM + OF_A_CONTAINER);
    HEAP.with_borrow_mut(|heap| heap.made.push(Container::Items(Rc::clone(items))));
}

pub(super) fn keep_entries(entries: &Rc<Shared<Vec<(Object, Object)>>>) {
    spend(entries.value.borrow().len() * 2 * OF_AN_ITEM + OF_A_CONTAINER);
    HEAP.with_borrow_mut(|heap| heap.made.push(Container::Entries(Rc::clone(entries))));
}

pub(super) fn keep_new(new: &Rc<New>) {
    spend(new.given.borrow().len() * 2 * OF_AN_ITEM + OF_A_CONTAINER);
    HEAP.with_borrow_mut(|heap| heap.made.push(Container::New(Rc::clone(new))));
}
