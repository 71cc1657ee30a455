//! A line that shows that a command is still at work: on a terminal only, and only once a second has passed.

use std::{
    io::{self, IsTerminal as _, Write as _},
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use crate::{
    args::{Arguments, Command, RunCommand},
    context::Context,
    terminal,
};

/// How long a command takes before the line appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long each picture of the line is shown.
const PICTURE: Duration = Duration::from_millis(120);

/// The line, which the thread that draws it shares with all that print.
pub(crate) struct Line {
    /// What the command does.
    doing: &'static str,
    /// What is counted, such as `files`; empty if nothing is.
    counted: &'static str,
    is_drawn: bool,
    /// Whether the last output ended a line, so that the next one is free.
    is_free: bool,
    is_over: bool,
}

static LINE: Mutex<Line> = Mutex::new(Line { doing: "", counted: "", is_drawn: false, is_free: true, is_over: true });
static IS_OVER: Condvar = Condvar::new();
/// Whether there may be a line to erase. Nearly always there is none.
static IS_ON: AtomicBool = AtomicBool::new(false);
/// How many are done, and of how many.
static DONE: AtomicUsize = AtomicUsize::new(0);
static TOTAL: AtomicUsize = AtomicUsize::new(0);

fn line() -> MutexGuard<'static, Line> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prepares the line for a command, unless it serves or waits, or its output is not for someone at a terminal.
pub(crate) fn begin(cx: &Context, arguments: &Arguments) {
    let Some(doing) = doing(&arguments.command) else { return };
    let is_seen = io::stdout().is_terminal() && io::stderr().is_terminal();
    if !is_seen || cx.common.quiet || cx.is_for_program() {
        return;
    }
    let style = terminal::style(cx);
    *line() = Line { doing, counted: "", is_drawn: false, is_free: true, is_over: false };
    IS_ON.store(true, Ordering::Relaxed);
    // Without the thread there is no line, which is no loss for the command.
    let _ = thread::Builder::new().name("progress".to_owned()).spawn(move || draw(style.unicode, style.width));
}

/// What a command does that may take long; `None` for one that waits, asks, or hands the terminal to another program.
fn doing(command: &Command) -> Option<&'static str> {
    Some(match command {
        Command::Check(check) if check.watch || check.paths.iter().any(|path| path.as_os_str() == "-") => return None,
        Command::Check(_) | Command::Hook(_) => "checking",
        Command::Compile(_) => "resolving",
        Command::Diff(_) => "comparing",
        Command::Memory(_) | Command::Estimate(_) | Command::Plan(_) => "estimating",
        Command::Model(_) => "trying machines",
        Command::New(_) => "trying settings",
        Command::Sweep(_) => "trying variants",
        Command::Migrate(_) => "migrating",
        Command::Fmt(_) | Command::Init(_) | Command::Log(_) | Command::Env(_) | Command::Bump(_) => "reading",
        Command::Registry(_) => "reading the registry",
        Command::Schema(_) => "reading the schema",
        Command::Run(run) => match &run.command {
            RunCommand::Diagnose(_) | RunCommand::Report(_) | RunCommand::Resume(_) | RunCommand::Compare(_) => "reading the run",
            RunCommand::Preflight(_) => "checking the machine",
            RunCommand::Add(_) | RunCommand::List(_) | RunCommand::Close(_) => "reading the registry",
            RunCommand::Launch(_) | RunCommand::Watch(_) => return None,
        },
        Command::Explain(_) | Command::Generate(_) | Command::Gpu(_) | Command::Lsp(_) | Command::Mcp(_) => return None,
    })
}

/// Draws the line until the command is over.
fn draw(is_unicode: bool, width: usize) {
    let pictures: &[char] =
        if is_unicode { &['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] } else { &['|', '/', '-', '\\'] };
    let mut next = pictures.iter().cycle();
    let mut shared = line();
    let mut pause = PATIENCE;
    while !shared.is_over {
        shared = IS_OVER.wait_timeout(shared, pause).map_or_else(|poisoned| poisoned.into_inner().0, |(shared, _)| shared);
        pause = PICTURE;
        if shared.is_over || !shared.is_free {
            continue;
        }
        let text = format!(
            "{} {}",
            next.next().unwrap_or(&' '),
            words(&shared, DONE.load(Ordering::Relaxed), TOTAL.load(Ordering::Relaxed))
        );
        let text: String = text.chars().take(width.saturating_sub(1)).collect();
        let mut stderr = io::stderr().lock();
        // If standard error is closed, nobody sees it.
        let _ = write!(stderr, "\r{text}\x1b[K").and_then(|()| stderr.flush());
        shared.is_drawn = true;
    }
}

/// `checking: 1,200 of 4,000 files`.
fn words(line: &Line, done: usize, total: usize) -> String {
    let Line { doing, counted, .. } = line;
    if counted.is_empty() || total == 0 {
        return format!("{doing} ...");
    }
    let grouped = |number: usize| cfg_report::course::grouped(i64::try_from(number).unwrap_or(i64::MAX));
    format!("{doing}: {} of {} {counted}", grouped(done.min(total)), grouped(total))
}

/// States how many of what the command will go through.
pub(crate) fn count(total: usize, counted: &'static str) {
    if IS_ON.load(Ordering::Relaxed) {
        line().counted = counted;
        DONE.store(0, Ordering::Relaxed);
        TOTAL.store(total, Ordering::Relaxed);
    }
}

/// One more is done.
pub(crate) fn step() {
    if IS_ON.load(Ordering::Relaxed) {
        DONE.fetch_add(1, Ordering::Relaxed);
    }
}

/// Erases the line for an output, which ends a line or not. The line is not drawn again before the result is dropped.
pub(crate) fn make_way(ends_line: bool) -> Option<MutexGuard<'static, Line>> {
    if !IS_ON.load(Ordering::Relaxed) {
        return None;
    }
    let mut shared = line();
    erase(&mut shared);
    shared.is_free = ends_line;
    Some(shared)
}

/// Ends the line: the command is over, or asks something.
pub(crate) fn end() {
    if IS_ON.swap(false, Ordering::Relaxed) {
        let mut shared = line();
        erase(&mut shared);
        shared.is_over = true;
        IS_OVER.notify_all();
    }
}

fn erase(shared: &mut Line) {
    if std::mem::take(&mut shared.is_drawn) {
        let mut stderr = io::stderr().lock();
        let _ = write!(stderr, "\r\x1b[K").and_then(|()| stderr.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, words};

    #[test]
    fn the_line_says_what_is_done_and_how_much_of_it() {
        let line = |counted| Line { doing: "checking", counted, is_drawn: false, is_free: true, is_over: false };
        assert_eq!(words(&line(""), 3, 10), "checking ...");
        assert_eq!(words(&line("files"), 3, 0), "checking ...");
        assert_eq!(words(&line("files"), 1200, 4000), "checking: 1,200 of 4,000 files");
    }
}
