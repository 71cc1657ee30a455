//! The containers that a run of a check creates, and their limit.
//!
//! Untrusted code can nest lists to any depth, put a list into itself, or double a list at each step. Therefore all containers of a run are kept
//! here until the run ends, and are then emptied: dropping does not recurse through the nesting, and no reference cycle remains. Reading and
//! creating containers uses the fuel of the run, by their size.

use std::{cell::RefCell, rc::Rc};

use super::object::{New, Object, Shared};

/// The fuel of one run. prime-rl's own checks need some thousand for a config with hundreds of environments.
const FUEL: usize = 1_000_000;

/// The maximum number of functions that are defined within functions. Each holds a copy of the names around it.
const MOST_CLOSURES: usize = 200;

thread_local! {
    static HEAP: RefCell<Heap> = const { RefCell::new(Heap { made: Vec::new(), fuel: FUEL, closures: 0, frames: 0 }) };
}

struct Heap {
    made: Vec<Container>,
    fuel: usize,
    closures: usize,
    frames: usize,
}

enum Container {
    Items(Rc<Shared<Vec<Object>>>),
    Entries(Rc<Shared<Vec<(Object, Object)>>>),
    New(Rc<New>),
}

/// The scope of one run; it frees all containers when it is dropped.
pub(super) struct Scope;

impl Scope {
    pub(super) fn enter() -> Self {
        HEAP.with_borrow_mut(|heap| (heap.fuel, heap.closures) = (FUEL, 0));
        Self
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
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

/// Uses fuel; returns whether there was enough.
pub(super) fn spend(fuel: usize) -> bool {
    HEAP.with_borrow_mut(|heap| {
        let is_enough = heap.fuel >= fuel;
        heap.fuel = heap.fuel.saturating_sub(fuel);
        is_enough
    })
}

/// Whether the fuel is used up.
pub(super) fn is_empty() -> bool {
    HEAP.with_borrow(|heap| heap.fuel == 0)
}

/// Whether another function may be defined within a function; it is counted.
pub(super) fn may_close() -> bool {
    HEAP.with_borrow_mut(|heap| {
        heap.closures += 1;
        heap.closures <= MOST_CLOSURES
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
    spend(items.value.borrow().len() + 1);
    HEAP.with_borrow_mut(|heap| heap.made.push(Container::Items(Rc::clone(items))));
}

pub(super) fn keep_entries(entries: &Rc<Shared<Vec<(Object, Object)>>>) {
    spend(entries.value.borrow().len() + 1);
    HEAP.with_borrow_mut(|heap| heap.made.push(Container::Entries(Rc::clone(entries))));
}

pub(super) fn keep_new(new: &Rc<New>) {
    spend(new.given.borrow().len() + 1);
    HEAP.with_borrow_mut(|heap| heap.made.push(Container::New(Rc::clone(new))));
}
