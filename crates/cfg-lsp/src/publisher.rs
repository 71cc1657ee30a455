//! Sends diagnostics to clients that do not ask for them.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
};

use tokio::runtime::Handle;
use tower_lsp_server::{Client, ls_types::Uri};

use crate::{backend::Shared, convert::View};

/// The documents whose diagnostics are to be sent; each at most once, the newest text counts.
#[derive(Default)]
struct Queue {
    dirty: Vec<Uri>,
    is_closed: bool,
}

/// A thread that checks what has changed.
pub(crate) struct Publisher {
    queue: Arc<(Mutex<Queue>, Condvar)>,
}

impl Publisher {
    /// Starts the thread.
    pub(crate) fn start(shared: Arc<Shared>, client: Client, runtime: Handle) -> Self {
        let queue: Arc<(Mutex<Queue>, Condvar)> = Arc::default();
        let waiting = Arc::clone(&queue);
        thread::spawn(move || {
            while let Some(uri) = next(&waiting) {
                publish(&shared, &client, &runtime, uri);
                shared.free_outdated();
            }
        });
        Self { queue }
    }

    /// Says that a document has changed.
    pub(crate) fn changed(&self, uri: Uri) {
        let (queue, bell) = &*self.queue;
        let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
        if !queue.dirty.contains(&uri) {
            queue.dirty.push(uri);
            bell.notify_one();
        }
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        let (queue, bell) = &*self.queue;
        queue.lock().unwrap_or_else(PoisonError::into_inner).is_closed = true;
        bell.notify_one();
    }
}

fn next((queue, bell): &(Mutex<Queue>, Condvar)) -> Option<Uri> {
    let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if queue.is_closed {
            return None;
        }
        if !queue.dirty.is_empty() {
            return Some(queue.dirty.remove(0));
        }
        queue = bell.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
}

fn publish(shared: &Shared, client: &Client, runtime: &Handle, uri: Uri) {
    let (snapshot, encoding, pages) = {
        let state = shared.state();
        (state.snapshot(uri.as_str()), state.encoding, Arc::clone(&state.pages))
    };
    let Some(snapshot) = snapshot else {
        // A closed document has no findings any more.
        runtime.block_on(client.publish_diagnostics(uri, Vec::new(), None));
        return;
    };
    let found = || View { uri: &uri, analysis: snapshot.analysis(), encoding, pages: &pages }.diagnostics();
    let diagnostics = catch_unwind(AssertUnwindSafe(found));
    let is_newest = shared.state().snapshot(uri.as_str()).is_some_and(|newest| Arc::ptr_eq(&newest, &snapshot));
    if let Ok(diagnostics) = diagnostics
        && is_newest
    {
        runtime.block_on(client.publish_diagnostics(uri, diagnostics, Some(snapshot.version)));
    }
}
