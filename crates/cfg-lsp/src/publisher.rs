//! Sends diagnostics to clients that do not request them.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
};

use tower_lsp_server::ls_types::{Diagnostic, PublishDiagnosticsParams, Uri};

use crate::{backend::Shared, convert::View, transport::Outlet};

/// The documents whose diagnostics are to be sent, without duplicates. The newest text of each is checked.
#[derive(Default)]
struct Queue {
    dirty: Vec<Uri>,
    is_closed: bool,
}

/// A thread that checks changed documents. If no thread can be started, they are checked immediately.
pub(crate) struct Publisher {
    queue: Arc<(Mutex<Queue>, Condvar)>,
    without_thread: Option<(Arc<Shared>, Outlet)>,
}

impl Publisher {
    /// Starts the thread.
    pub(crate) fn start(shared: Arc<Shared>, outlet: Outlet) -> Self {
        let queue: Arc<(Mutex<Queue>, Condvar)> = Arc::default();
        let waiting = Arc::clone(&queue);
        let parts = (Arc::clone(&shared), outlet.clone());
        let started = thread::Builder::new().spawn(move || {
            while let Some(uri) = next(&waiting) {
                publish(&shared, &outlet, uri);
                shared.free_outdated();
            }
        });
        Self { queue, without_thread: started.is_err().then_some(parts) }
    }

    /// Checks a document again, because it has changed.
    pub(crate) fn check_again(&self, uri: Uri) {
        if let Some((shared, outlet)) = &self.without_thread {
            publish(shared, outlet, uri);
            return;
        }
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

fn publish(shared: &Shared, outlet: &Outlet, uri: Uri) {
    let (snapshot, encoding, pages) = {
        let state = shared.state();
        (state.snapshot(uri.as_str()), state.encoding, Arc::clone(&state.pages))
    };
    let Some(snapshot) = snapshot else {
        // A closed document has no findings.
        send(outlet, uri, Vec::new(), None);
        return;
    };
    let found = || View { uri: &uri, analysis: snapshot.analysis(), encoding, pages: &pages }.diagnostics();
    let diagnostics = catch_unwind(AssertUnwindSafe(found));
    let is_newest = shared.state().snapshot(uri.as_str()).is_some_and(|newest| Arc::ptr_eq(&newest, &snapshot));
    if let Ok(diagnostics) = diagnostics
        && is_newest
    {
        send(outlet, uri, diagnostics, Some(snapshot.version));
    }
}

/// Sends diagnostics. An error is ignored: if the output is closed, answers to requests fail as well, which ends the session.
fn send(outlet: &Outlet, uri: Uri, diagnostics: Vec<Diagnostic>, version: Option<i32>) {
    let params = PublishDiagnosticsParams { uri, diagnostics, version };
    if let Ok(params) = serde_json::to_value(params) {
        let _ = outlet.notify("textDocument/publishDiagnostics", params);
    }
}
