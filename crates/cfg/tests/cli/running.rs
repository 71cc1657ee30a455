//! Runs a program to its end, with a timeout.

use std::{
    io::{Read, Write as _},
    process::{Child, Command, Stdio},
    sync::mpsc::{RecvTimeoutError, channel},
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
        let (end, ends) = channel();
        let [stdout, stderr]: [Box<dyn Read + Send>; 2] = [Box::new(stdout.expect("piped")), Box::new(stderr.expect("piped"))];
        let [stdout, stderr] = [stdout, stderr].map(|from| {
            let end = end.clone();
            scope.spawn(move || {
                let text = read(from);
                // Nobody waits for it after a timeout.
                let _ = end.send(());
                text
            })
        });
        drop(end);
        // The outputs end with the program, so that nothing needs to ask for its end again and again.
        for _ in 0..2 {
            if ends.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                hangs(&mut child, command);
            }
        }
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
    let mut pause = Duration::from_micros(50);
    loop {
        if let Some(status) = child.try_wait().expect("the status") {
            return status.code();
        }
        if start.elapsed() > PATIENCE {
            hangs(child, command);
        }
        thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(5));
    }
}

fn hangs(child: &mut Child, command: &Command) -> ! {
    child.kill().expect("it can be killed");
    panic!("cfg hangs: {command:?}");
}
