//! Writes to a program and reads from it at the same time, without a thread: it may not be possible to start one.

use std::{
    io::{self, Read, Write as _},
    os::fd::AsFd,
    process::{Child, ChildStdout},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, ioctl_fionbio},
};

use super::{Heard, IsStopped, MAX_COMPLAINTS, STOP_AFTER, failed, stopped};
use crate::{NoAnswer, Program};

/// Waits until there is something to read, or the end.
pub(super) fn wait(stream: &ChildStdout, limit: Duration) -> io::Result<()> {
    let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
    loop {
        match poll(&mut [PollFd::new(stream, PollFlags::IN)], Some(&limit)) {
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The output of a program's two streams.
pub(super) fn read(child: &mut Child, program: &Program, is_stopped: Option<IsStopped<'_>>) -> Heard {
    let end = Instant::now() + program.limit;
    let gone = || failed(&io::ErrorKind::BrokenPipe.into());
    let mut answer = Ear::new(child.stdout.take().ok_or_else(gone)?)?;
    let mut complaints = Ear::new(child.stderr.take().ok_or_else(gone)?)?;
    let mut input = child.stdin.take();
    let mut unsaid = &program.input[..];
    if let Some(input) = &input {
        ioctl_fionbio(input, true).map_err(|error| failed(&error.into()))?;
    }
    while answer.is_open() || complaints.is_open() {
        let left = end.checked_duration_since(Instant::now()).ok_or(NoAnswer::Late)?;
        if is_stopped.is_some_and(|is_stopped| is_stopped()) {
            return Err(stopped());
        }
        let slice = if is_stopped.is_some() { left.min(STOP_AFTER) } else { left };
        let is_last = slice == left;
        let left = Timespec::try_from(slice).map_err(|_| NoAnswer::Late)?;
        let mut waited: Vec<PollFd<'_>> = Vec::with_capacity(3);
        waited.extend(answer.stream.as_ref().map(|stream| PollFd::new(stream, PollFlags::IN)));
        waited.extend(complaints.stream.as_ref().map(|stream| PollFd::new(stream, PollFlags::IN)));
        waited.extend(input.as_ref().map(|input| PollFd::new(input, PollFlags::OUT)));
        match poll(&mut waited, Some(&left)) {
            Ok(0) if is_last => return Err(NoAnswer::Late),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(failed(&error.into())),
        }
        drop(waited);
        if let Some(open) = &mut input {
            match open.write(unsaid) {
                Ok(written) => unsaid = &unsaid[written..],
                Err(error) if is_not_now(&error) => {}
                // It does not read any more.
                Err(_) => unsaid = &[],
            }
            if unsaid.is_empty() {
                input = None;
            }
        }
        answer.listen()?;
        complaints.listen()?;
        complaints.heard.truncate(MAX_COMPLAINTS);
        if answer.heard.len() as u64 > program.most {
            return Err(NoAnswer::TooLong(program.most));
        }
    }
    Ok((answer.heard, complaints.heard))
}

/// An output stream of a program.
struct Ear<S> {
    /// `None` after its end.
    stream: Option<S>,
    heard: Vec<u8>,
}

impl<S: AsFd + Read> Ear<S> {
    fn new(stream: S) -> Result<Self, NoAnswer> {
        ioctl_fionbio(&stream, true).map_err(|error| failed(&error.into()))?;
        Ok(Self { stream: Some(stream), heard: Vec::new() })
    }

    fn is_open(&self) -> bool {
        self.stream.is_some()
    }

    /// Reads the available bytes.
    fn listen(&mut self) -> Result<(), NoAnswer> {
        let Some(stream) = &mut self.stream else { return Ok(()) };
        let mut piece = [0; 1 << 14];
        match stream.read(&mut piece) {
            Ok(0) => self.stream = None,
            Ok(read) => self.heard.extend_from_slice(&piece[..read]),
            Err(error) if is_not_now(&error) => {}
            Err(error) => return Err(failed(&error)),
        }
        Ok(())
    }
}

fn is_not_now(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
