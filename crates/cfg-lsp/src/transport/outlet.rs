//! The way of messages out of the process.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;
use tower_lsp_server::jsonrpc::Request;

use super::frames;

/// The output to the client; threads share it, and write one message at a time. Who writes waits for a client that does not read. Behind half a
/// message nothing can follow: once writing has failed, nothing more is written.
#[derive(Clone)]
pub(crate) struct Outlet(Arc<Mutex<Option<Box<dyn Write + Send>>>>);

impl Outlet {
    pub(crate) fn new(output: Box<dyn Write + Send>) -> Self {
        Self(Arc::new(Mutex::new(Some(output))))
    }

    /// Writes a message and sends it off.
    pub(crate) fn write(&self, message: &[u8]) -> io::Result<()> {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let written = output.as_mut().map_or(Err(io::ErrorKind::BrokenPipe.into()), |output| frames::write(output, message));
        if written.is_err() {
            *output = None;
        }
        written
    }

    /// Lets the message that is being written be the last.
    pub(crate) fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Tells the client something at once, before the answers that wait in the queue: no other thread has to wake up for it.
    pub(crate) fn notify(&self, method: &'static str, params: Value) -> io::Result<()> {
        let notification = Request::build(method).params(params).finish();
        self.write(&serde_json::to_vec(&notification)?)
    }
}
