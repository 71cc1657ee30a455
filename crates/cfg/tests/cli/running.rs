//! Runs a program to its end, with a timeout.

use std::{
    io::{Read, Write as _},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The timeout: a run that takes longer hangs, even on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs to the end; fails after a timeout.
pub(crate) fn finish(command: &mut Command, input: &[u8]) -> Ended {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("cfg starts");
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        if let Some(mut stdin) = stdin {
            // The program may close its input early.
            scope.spawn(move || stdin.write_all(input));
        }
        let stdout = scope.spawn(|| read(stdout.expect("piped")));
        let stderr = scope.spawn(|| read(stderr.expect("piped")));
        let status = wait(&mut child, command);
        Ended { status, stdout: stdout.join().expect("no panic"), stderr: stderr.join().expect("no panic") }
    })
}

pub(crate) fn read(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).expect("the output");
    String::from_utf8(bytes).expect("the output is UTF-8")
}

/// Waits for the end of a process; fails after a timeout.
pub(crate) fn wait(child: &mut Child, command: &Command) -> Option<i32> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("the status") {
            return status.code();
        }
        if start.elapsed() > PATIENCE {
            child.kill().expect("it can be killed");
            panic!("cfg hangs: {command:?}");
        }
        thread::sleep(Duration::from_millis(5));
    }
}
