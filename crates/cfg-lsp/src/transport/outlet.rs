//! The way of messages out of the process.

use std::{
    io::{self, Write},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use serde_json::Value;
use tower_lsp_server::jsonrpc::Request;

use super::frames;

/// The output to the client; threads share it, and write one message at a time. Who writes waits for a client that does not read. Behind half a
/// message nothing can follow: once writing has failed, nothing more is written.
#[derive(Clone)]
pub(crate) struct Outlet {
    output: Arc<Mutex<Option<Counted>>>,
    taken: Arc<AtomicU64>,
}

impl Outlet {
    pub(crate) fn new(output: Box<dyn Write + Send>) -> Self {
        let taken = Arc::new(AtomicU64::new(0));
        let counted = Counted { output, taken: Arc::clone(&taken) };
        Self { output: Arc::new(Mutex::new(Some(counted))), taken }
    }

    /// How many bytes the client has taken so far; what it takes of a long message shows before its end.
    pub(crate) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Writes a message and sends it off.
    pub(crate) fn write(&self, message: &[u8]) -> io::Result<()> {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let written = output.as_mut().map_or(Err(io::ErrorKind::BrokenPipe.into()), |output| frames::write(output, message));
        if written.is_err() {
            *output = None;
        }
        written
    }

    /// Lets the message that is being written be the last.
    pub(crate) fn close(&self) {
        *self.output.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Tells the client something at once, before the answers that wait in the queue: no other thread has to wake up for it.
    pub(crate) fn notify(&self, method: &'static str, params: Value) -> io::Result<()> {
        let notification = Request::build(method).params(params).finish();
        self.write(&serde_json::to_vec(&notification)?)
    }
}

/// So many bytes go out at once: less than a pipe holds.
const PIECE: usize = 1 << 14;

/// An output that counts what is taken.
struct Counted {
    output: Box<dyn Write + Send>,
    taken: Arc<AtomicU64>,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.output.write(&bytes[..bytes.len().min(PIECE)])?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
