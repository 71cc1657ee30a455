//! Runs a program to its end, with a timeout.

use std::{
    fs,
    io::{Read, Write as _},
    process::{Child, Command, Stdio},
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

/// The timeout: a run hangs that takes as much of the processors' time, or takes none of it for as long. On a busy machine, it waits for longer.
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
            let mut before = Duration::ZERO;
            while ends.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                match processor_time(&child) {
                    Some(used) if before < used && used < PATIENCE => before = used,
                    _ => hangs(&mut child, command),
                }
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

/// What a process and those that it has waited for have had of the processors; `None` where the system does not tell it so.
fn processor_time(child: &Child) -> Option<Duration> {
    let status = fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // The name of the program, in brackets, may have blanks. Four times follow it, in hundredths of a second.
    let (_, fields) = status.rsplit_once(')')?;
    let hundredths = fields.split_whitespace().skip(11).take(4).map(|field| field.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some(Duration::from_millis(10 * hundredths))
}

fn hangs(child: &mut Child, command: &Command) -> ! {
    child.kill().expect("it can be killed");
    panic!("cfg hangs: {command:?}");
}
