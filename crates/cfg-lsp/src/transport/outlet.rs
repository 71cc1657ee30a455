//! The output to the client.

use std::{
    io::{self, Write},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use serde_json::Value;
use tower_lsp_server::jsonrpc::Request;

use super::{addresses::Addresses, frames};

/// The output to the client. It is shared by threads, and one message is written at a time. Writing waits for a client that does not read. After a
/// failed write nothing more is written, because half a message can't be continued.
#[derive(Clone)]
pub(crate) struct Outlet {
    output: Arc<Mutex<Option<Counted>>>,
    taken: Arc<AtomicU64>,
    /// How the client spells addresses.
    pub(crate) addresses: Addresses,
}

impl Outlet {
    pub(crate) fn new(output: Box<dyn Write + Send>) -> Self {
        let taken = Arc::new(AtomicU64::new(0));
        let counted = Counted { output, taken: Arc::clone(&taken) };
        Self { output: Arc::new(Mutex::new(Some(counted))), taken, addresses: Addresses::default() }
    }

    /// The number of bytes that the client has accepted so far. It also grows while a long message is being written.
    pub(crate) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Writes a message and flushes it.
    pub(crate) fn write(&self, message: &[u8]) -> io::Result<()> {
        let message = &self.addresses.written(message);
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let written = output.as_mut().map_or(Err(io::ErrorKind::BrokenPipe.into()), |output| frames::write(output, message));
        if written.is_err() {
            *output = None;
        }
        written
    }

    /// Makes the message that is being written the last one.
    pub(crate) fn close(&self) {
        *self.output.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Sends a notification immediately, before the answers in the queue. No other thread has to be woken for it.
    pub(crate) fn notify(&self, method: &'static str, params: Value) -> io::Result<()> {
        let notification = Request::build(method).params(params).finish();
        self.write(&serde_json::to_vec(&notification)?)
    }
}

/// The number of bytes that are written at a time. It is less than the capacity of a pipe.
const PIECE: usize = 1 << 14;

/// An output that counts the accepted bytes.
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
