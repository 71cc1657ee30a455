//! Writes to a program and reads from it at the same time, where streams can only be waited for by threads.

use std::{
    io::{self, Read, Write as _},
    process::{Child, ChildStdout},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use super::{Heard, IsStopped, MAX_COMPLAINTS, STOP_AFTER, failed, stopped};
use crate::{NoAnswer, Program};

/// It is not possible to check here whether there is something to read.
pub(super) fn wait(_: &ChildStdout, _: Duration) -> io::Result<()> {
    Ok(())
}

/// The output of a program's two streams.
pub(super) fn read(child: &mut Child, program: &Program, is_stopped: Option<IsStopped<'_>>) -> Heard {
    let end = Instant::now() + program.limit;
    let gone = || failed(&io::ErrorKind::BrokenPipe.into());
    let answer = hear(child.stdout.take().ok_or_else(gone)?, program.most + 1).map_err(|error| failed(&error))?;
    let complaints = child.stderr.take().ok_or_else(gone)?;
    let complaints = hear(complaints, MAX_COMPLAINTS as u64).map_err(|error| failed(&error))?;
    if let Some(mut input) = child.stdin.take() {
        let said = program.input.clone();
        // Its answer shows whether it has read all of it.
        let say = move || drop(input.write_all(&said));
        thread::Builder::new().spawn(say).map_err(|error| failed(&error))?;
    }
    let heard = |from: Receiver<Vec<u8>>| {
        loop {
            let left = end.checked_duration_since(Instant::now()).ok_or(NoAnswer::Late)?;
            if is_stopped.is_some_and(|is_stopped| is_stopped()) {
                return Err(stopped());
            }
            match from.recv_timeout(left.min(STOP_AFTER)) {
                Ok(heard) => return Ok(heard),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(NoAnswer::Late),
            }
        }
    };
    let answer = heard(answer)?;
    if answer.len() as u64 > program.most {
        return Err(NoAnswer::TooLong(program.most));
    }
    Ok((answer, heard(complaints)?))
}

/// Reads a stream to its end; keeps at most this many bytes.
fn hear(mut stream: impl Read + Send + 'static, most: u64) -> io::Result<Receiver<Vec<u8>>> {
    let (sender, receiver) = channel();
    let hear = move || {
        let mut heard = Vec::new();
        let _ = stream.by_ref().take(most).read_to_end(&mut heard);
        if (heard.len() as u64) < most || most <= MAX_COMPLAINTS as u64 {
            let _ = io::copy(&mut stream, &mut io::sink());
        }
        // After the time limit nothing receives it.
        let _ = sender.send(heard);
    };
    thread::Builder::new().spawn(hear)?;
    Ok(receiver)
}
