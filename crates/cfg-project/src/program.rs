//! Asking another program a question that it answers at once.

use std::{
    io::{ErrorKind, Read as _},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

/// No answer that is asked for here is longer.
const MAX_ANSWER: u64 = 1 << 20;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// There is no such program.
    Absent,
    /// It failed.
    Failed,
    /// It did not end in time.
    Late,
}

/// What a program writes to its standard output.
pub(crate) fn ask(name: &str, arguments: &[&str], limit: Duration) -> Result<String, NoAnswer> {
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).env("LC_ALL", "C");
    let child =
        command.spawn().map_err(|error| if error.kind() == ErrorKind::NotFound { NoAnswer::Absent } else { NoAnswer::Failed })?;
    answer(child, limit, MAX_ANSWER).map(|answer| String::from_utf8_lossy(&answer).into_owned())
}

/// The first `most` bytes that a program writes to its standard output, which is a pipe.
pub(crate) fn answer(mut child: Child, limit: Duration, most: u64) -> Result<Vec<u8>, NoAnswer> {
    let output = child.stdout.take().ok_or(NoAnswer::Failed)?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut answer = Vec::new();
        let read = output.take(most).read_to_end(&mut answer);
        // Nobody listens any more after the limit.
        let _ = sender.send(read.ok().map(|_| answer));
    });
    let answer = receiver.recv_timeout(limit);
    if !matches!(answer, Ok(Some(_))) {
        // It may have ended by itself in between.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|_| NoAnswer::Failed)?;
    match answer {
        Err(_) => Err(NoAnswer::Late),
        Ok(Some(answer)) if status.success() => Ok(answer),
        Ok(_) => Err(NoAnswer::Failed),
    }
}
