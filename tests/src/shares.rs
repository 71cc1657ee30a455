//! Work that is shared out to threads.

use std::thread;

/// The results of a function for consecutive parts of a list, one for each core, in their order.
///
/// # Panics
/// If the function panics for a part.
pub fn in_shares<T: Sync, R: Send>(all: &[T], work: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    let share = all.len().div_ceil(thread::available_parallelism().map_or(1, usize::from)).max(1);
    let work = &work;
    thread::scope(|scope| {
        let threads: Vec<_> = all.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}
