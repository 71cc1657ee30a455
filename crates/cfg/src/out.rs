//! Standard output.

use std::{
    io::{self, StdoutLock, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use cfg_report::{Folded, Guarded};

use crate::progress;

/// Standard output, which records whether anything was written.
pub(crate) struct Out<'a> {
    has_document: &'a AtomicBool,
    stdout: Destination,
}

enum Destination {
    Lines(Folded<Guarded<StdoutLock<'static>>>),
    Exact(StdoutLock<'static>),
}

impl<'a> Out<'a> {
    /// For lines, none of which is a command of a CI system; with a width, longer ones go on below.
    pub(crate) fn of_lines(has_document: &'a AtomicBool, width: Option<usize>) -> Self {
        Self { has_document, stdout: Destination::Lines(Folded::new(Guarded::new(io::stdout().lock()), width)) }
    }

    /// For bytes that are passed on as they are.
    pub(crate) fn exact(has_document: &'a AtomicBool) -> Self {
        Self { has_document, stdout: Destination::Exact(io::stdout().lock()) }
    }
}

impl Destination {
    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Lines(lines) => lines,
            Self::Exact(stdout) => stdout,
        }
    }
}

impl Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.has_document.fetch_or(!bytes.is_empty(), Ordering::Relaxed);
        let _shown = progress::make_way(bytes.ends_with(b"\n"));
        self.stdout.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stdout.writer().flush()
    }
}
