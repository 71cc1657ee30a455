//! The threads that look at many files at once; none where the system allows no more.

use std::sync::OnceLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Started when it is first needed: one file takes no thread.
static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();

/// Does a job on the threads; on this one, where none can be started.
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
            // What asks for the threads of the whole process gets this one.
            let _ = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
        }
        pool
    };
    POOL.get_or_init(start).as_ref()
}
