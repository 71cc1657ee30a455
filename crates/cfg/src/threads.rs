//! The threads that process many files at once. Without them, if the system does not allow more threads, everything runs on this one.

use std::sync::OnceLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads, started when first needed: a single file needs none.
static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();

/// Runs a job on the threads, or on this one if there are no others.
pub(crate) fn on_all<T: Send>(job: impl FnOnce() -> T + Send) -> T {
    match pool() {
        Some(pool) => pool.install(job),
        None => job(),
    }
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
