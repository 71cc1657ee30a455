use std::{
    path::Path,
    sync::{Arc, atomic::Ordering},
};

use super::{
    Allowance, Budget, Meter, Part, Spent, Stopped,
    again::charge_again,
    budget::{OF_A_COMMAND, OF_ALL_FREE, OF_ALL_SOURCES, OF_THE_END},
    charge, extend_for, is_spent, until_stopped, within,
};

fn spent_of(budget: &Budget) -> u64 {
    OF_A_COMMAND - budget.left.load(Ordering::Relaxed)
}

#[test]
fn a_meter_ends_at_its_allowance_and_gives_the_outer_one_back() {
    let outer = Meter::begin(Allowance { free: 10, most: 10 });
    assert_eq!(charge(4), Ok(()));
    {
        let _inner = Meter::begin(Allowance { free: 100, most: 100 });
        assert_eq!(charge(99), Ok(()));
        assert_eq!(charge(2), Err(Spent::TooMuch));
        assert_eq!(charge(1), Err(Spent::TooMuch), "what failed once fails from then on");
        assert!(is_spent());
    }
    assert_eq!(charge(6), Ok(()));
    assert_eq!(charge(1), Err(Spent::TooMuch));
    drop(outer);
    assert_eq!(charge(1), Ok(()));
}

#[test]
fn a_part_leaves_its_reserve_to_the_meter() {
    let _meter = Meter::begin(Allowance { free: 100_000, most: 100_000 });
    assert_eq!(charge(10_000), Ok(()));
    for _ in 0..2 {
        let _part = Part::begin(40_000);
        assert_eq!(charge(20_000), Ok(()));
    }
    {
        let _part = Part::begin(40_000);
        assert_eq!(charge(20_000), Err(Spent::TooMuch));
        assert!(is_spent());
    }
    assert_eq!(charge(40_000), Ok(()), "the reserve is left");
    assert_eq!(charge(10_001), Err(Spent::TooMuch));
}

#[test]
fn only_what_is_beyond_the_free_part_draws_from_the_budget() {
    let budget = Arc::new(Budget::default());
    let _within = within(Arc::clone(&budget));
    for _ in 0..3 {
        let _meter = Meter::begin(Allowance { free: 100, most: 150 });
        assert_eq!(charge(100), Ok(()));
    }
    // A portion is taken at once, so it may reach beyond the free part.
    assert_eq!(spent_of(&budget), 150);
    let _meter = Meter::begin(Allowance { free: 0, most: u64::MAX });
    assert_eq!(charge(OF_A_COMMAND), Err(Spent::TooMuch));
}

#[test]
fn a_budget_that_is_stopped_ends_everything() {
    let (budget, kept) = (Arc::new(Budget::default()), std::sync::OnceLock::new());
    let computed = until_stopped(Arc::clone(&budget), || {
        let _meter = Meter::begin(Allowance::CONFIG);
        *kept.get_or_init(|| {
            assert_eq!(charge(1), Ok(()));
            std::thread::scope(|scope| {
                scope.spawn(|| budget.stop());
            });
            charge(super::PORTION).is_ok()
        })
    });
    assert_eq!((computed, kept.get()), (Err(Stopped), None), "nothing is kept of what was stopped");
    assert_eq!(until_stopped(budget, || ()), Err(Stopped), "nothing is begun any more");
    assert_eq!(until_stopped(Arc::default(), || *kept.get_or_init(|| charge(1).is_ok())), Ok(true));
}

#[test]
fn what_is_wound_down_may_end_by_itself() {
    let budget = Arc::new(Budget::default());
    budget.wind_down();
    let compute = |units| until_stopped(Arc::clone(&budget), || charge(units));
    assert_eq!(compute(OF_THE_END / 2), Ok(Ok(())));
    budget.wind_down();
    assert_eq!(compute(OF_THE_END), Err(Stopped), "it is not unknown, but stopped");
}

#[test]
fn what_was_refused_before_is_stopped_when_it_is_wound_down() {
    let budget = Arc::new(Budget::default());
    let computed = until_stopped(Arc::clone(&budget), || {
        assert_eq!(charge(OF_A_COMMAND + 1), Err(Spent::TooMuch));
        budget.wind_down();
        super::unwind_if_stopped();
    });
    assert_eq!(computed, Err(Stopped));
}

#[test]
fn other_panics_are_not_taken_for_a_stop() {
    let panics = || until_stopped(Arc::default(), || std::panic::resume_unwind(Box::new(7)));
    let panicked = std::panic::catch_unwind(|| panics().map(|(): ()| ()));
    assert_eq!(panicked.map_err(|panic| panic.downcast_ref::<i32>().copied()), Err(Some(7)));
}

/// The declarations of a few packages are free, and those of thousands draw from the budget.
#[test]
fn what_is_free_for_each_is_limited_for_all_and_its_rest_is_given_back() {
    let budget = Arc::new(Budget::default());
    let _within = within(Arc::clone(&budget));
    let configs = |count: u64, units: u64| {
        for _ in 0..count {
            let _meter = Meter::begin(Allowance::CONFIG);
            assert_eq!(charge(units), Ok(()));
        }
    };
    configs(20_000, 1_000);
    assert_eq!(
        budget.free.load(Ordering::Relaxed),
        OF_ALL_FREE - 20_000_000,
        "a portion is not used up by a config that needs less"
    );
    configs(200, 400_000);
    assert_eq!(spent_of(&budget), 0);
    configs(2, 400_000);
    assert_eq!(spent_of(&budget), 800_000, "from then on, all of it draws from the budget");
}

#[test]
fn sources_share_what_is_free() {
    let budget = Arc::new(Budget::default());
    let _within = within(Arc::clone(&budget));
    let left = || budget.left.load(Ordering::Relaxed);
    let read = |path: &str| {
        let meter = Meter::begin_source();
        let is_new = extend_for(path, 4_000_000);
        assert_eq!(charge(5_000_000), Ok(()));
        drop(meter);
        is_new
    };
    assert!(read("a.py"));
    assert_eq!(left(), OF_A_COMMAND);
    assert!(!read("a.py"));
    assert!(left() < OF_A_COMMAND - 3_900_000, "what is read again is not free");
    (0..60).for_each(|at| assert!(read(&format!("{at}.py"))));
    assert!(left() < OF_A_COMMAND - 10_000_000, "not all of many packages is free");
    // What is not used is given back.
    let budget = Arc::new(Budget::default());
    let _within = within(Arc::clone(&budget));
    (0..100).for_each(|_| drop(Meter::begin_source()));
    assert_eq!(budget.of_sources.load(Ordering::Relaxed), OF_ALL_SOURCES);
}

/// Two threads that read a file at the same time have not both read it for the first time.
#[test]
fn a_file_is_read_for_the_first_time_once() {
    let budget = Arc::new(Budget::default());
    let _within = within(Arc::clone(&budget));
    let begin = || charge_again(Path::new("large")).expect("it was not read before");
    let (one, other) = (begin(), begin());
    assert_eq!((one.done(50_000, 0), spent_of(&budget)), (Ok(()), 0));
    assert_eq!(other.done(50_000, 0), Ok(()));
    assert!(spent_of(&budget) >= 30_000_000);
}

/// A config has a part of what is read again for itself, and the rest is that of the command.
#[test]
fn what_is_read_again_draws_from_the_budget() {
    let budget = Arc::new(Budget::default());
    let _within = within(Arc::clone(&budget));
    let compose = |file: &str, keys: usize| {
        let _meter = Meter::begin(Allowance::COMPOSED);
        charge_again(Path::new(file))?.done(keys, 10 * keys)
    };
    for _ in 0..1_000 {
        assert_eq!(compose("small", 100), Ok(()));
    }
    for at in 0..100 {
        assert_eq!(compose(&at.to_string(), 50_000), Ok(()), "a file that was not read before is free");
    }
    assert_eq!(spent_of(&budget), 0);
    assert_eq!((0..40).filter(|_| compose("large", 5_000).is_ok()).count(), 36);
    assert_eq!((compose("small", 100), compose("new", 5_000)), (Ok(()), Ok(())));
    budget.renew();
    assert_eq!((compose("large", 5_000), compose("large", 5_000)), (Ok(()), Ok(())));
}
