//! The threads that process many files at once. Without them, if the system does not allow more threads, everything runs on this one.

use std::sync::OnceLock;

use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};

/// Below this number of files, starting threads costs more than it saves.
pub(crate) const FEW: usize = 8;

/// The threads, started when first needed: a single file needs none.
static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();

/// Runs a job on the threads, or on this one if there are no others.
pub(crate) fn on_all<T: Send>(job: impl FnOnce() -> T + Send) -> T {
    match pool() {
        Some(pool) => pool.install(job),
        None => job(),
    }
}

/// What a job makes of each of several things, in their order.
pub(crate) fn map<T: Send, U: Send>(things: Vec<T>, job: impl Fn(T) -> U + Sync + Send) -> Vec<U> {
    if things.len() <= FEW || !are_there() {
        return things.into_iter().map(job).collect();
    }
    on_all(|| things.into_par_iter().map(job).collect())
}

/// Whether there are threads besides this one.
pub(crate) fn are_there() -> bool {
    pool().is_some()
}

fn pool() -> Option<&'static ThreadPool> {
    let start = || {
        let pool = ThreadPoolBuilder::new().build().ok();
        if pool.is_none() {
            // Libraries that use the global thread pool run on this thread.
            let _ = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
        }
        pool
    };
    POOL.get_or_init(start).as_ref()
}
