//! How a process of a run ended, in its own words: the last exception that nobody caught, or the last fatal line of torchrun, NCCL, CUDA, vLLM, SLURM
//! or the shell. Whatever failed is quoted, even if no symptom explains it.

use crate::{
    Component, Frame, Sighted,
    excerpt::reason_below,
    foreign::Programs,
    last_words::{fatal, is_class, is_exception, is_last_word, is_lost_connection, is_of_terminal},
    origin,
    prefix::{self, Level, Line, line, line_of, plain},
    shape::Shape,
    timeline::Clock,
};
use cfg_diag::Order as _;

/// What a failure is known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// An exception of Python.
    Exception,
    /// A line of another program that says that a process ended.
    Fatal,
}

/// The end of a process.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) kind: FailureKind,
    /// The line, with its cause if it names one.
    pub(crate) line: Sighted,
    /// When it was written, on the log's clock; from the nearest line before it that has a time.
    pub(crate) time: Option<i64>,
    /// Whether a logger reported it. The process then went on, unless something else says that it ended.
    pub(crate) is_logged: bool,
    /// The process, as the line's prefix names it, and which one that is; `None` if it does not say.
    pub(crate) speaker: Box<str>,
    pub(crate) named: Option<Component>,
    /// The first exception of its chain of causes.
    pub(crate) root: Option<String>,
    /// The last place of its traceback that is in prime-rl's own code.
    pub(crate) frame: Option<Frame>,
    /// Whether a logger wrote something below it.
    pub(crate) is_followed: bool,
}

/// A list of failures is as long as this at most: the first ones, and the last.
const MAX_FAILURES: usize = 6;

/// NCCL's warning about a connection that it tries again is the end if the log ends with this many.
const MAX_TRIES: usize = 3;

/// A traceback has at most this many lines; recursion is shortened by Python.
const MAX_TRACEBACK_LINES: u32 = 600;

/// In a log with more errors than these, only the end is looked at.
const MAX_ERRORS: u32 = 100_000;

/// The longest quote of an exception, in characters.
const LONGEST: usize = 400;

/// A longer line is not part of a traceback, in bytes.
const LONGEST_LINE: usize = 1 << 20;

/// The failures at the end of a log: those after which the process did nothing more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failures {
    pub(crate) all: Vec<Failure>,
    /// Whose tracebacks the log has, whatever became of the processes.
    pub(crate) programs: Programs,
    open: Option<Traceback>,
    /// The line up to which tracebacks have been read.
    read: u64,
    /// The number of lines that were looked at.
    looked: u32,
}

/// A traceback whose exception has not been read yet.
#[derive(Clone, Debug)]
struct Traceback {
    /// The position of its next line in the cleaned log, and the number of that line.
    next: u64,
    line: u64,
    /// The column of its first word, which is that of its exception, too.
    column: usize,
    lines: u32,
    time: Option<i64>,
    is_logged: bool,
    /// Whether only the words of the logger above it say that it was caught.
    is_told: bool,
    speaker: Box<str>,
    named: Option<Component>,
    /// What stands before its first line, if that is nothing known, and the column if it is no prefix.
    shape: Option<Shape>,
    unshaped: usize,
    /// The exception that it says was the cause of the next one.
    cause: Option<String>,
    frame: Option<Frame>,
    /// Its last line that names a place in a file, and the number of that line.
    place: Option<(u64, String)>,
    /// Whether any of its places is in a file of a program, not only in code that a model wrote.
    is_of_program: bool,
    programs: Programs,
}

/// The process that what stands before a message names: `[pod/rl-trainer-0/main]`, `trainer-1  |`, `[orchestrator]`.
fn named(found: &Line<'_>) -> Option<Component> {
    origin::named(&found.before().to_ascii_lowercase())
}

/// Whether a place in a traceback is in a file of a program. An agent's code runs from a string or a temporary file, and the log shows what it wrote.
fn is_of_program(place: &str) -> bool {
    const OF_MODEL: [&str; 6] = ["<string>", "<stdin>", "<exec>", "/tmp/", "/private/tmp/", "/sandbox/"];
    // Ray unpacks programs there.
    let is_of_ray = |path: &str| path.starts_with("/tmp/ray/");
    let is_of_model = |path: &str| OF_MODEL.iter().any(|place| path.starts_with(place)) && !is_of_ray(path);
    place.strip_prefix("File \"").is_some_and(|path| !is_of_model(path))
}

/// Whether a place is where a program of a run begins: `File "/app/.venv/bin/orchestrator", line 10, in <module>`.
fn is_top(place: &str) -> bool {
    place.ends_with(", in <module>") && (place.contains("/bin/") || place.contains("/prime_rl/"))
}

/// The column at which a text begins. The lines at the left of an exception group don't count.
fn column(text: &str) -> usize {
    text.bytes().take_while(|byte| matches!(byte, b' ' | b'|' | b'+' | b'\t')).count()
}

/// Sentences between the exceptions of a chain.
const CHAINS: [&str; 2] = ["during handling of the above exception", "the above exception was the direct cause"];

/// Texts in the line before a traceback that the process survives.
const SURVIVED: [&str; 9] = [
    "exception in asgi application",
    "task exception was never retrieved",
    "future exception was never retrieved",
    // The line below it.
    "future: <",
    "exception in thread",
    "exception in callback",
    "exception ignored",
    "rollout failed",
    "--- logging error ---",
];

/// Whether a process survives the exception below a line.
pub(crate) fn is_survived(before: &str) -> bool {
    let lower = before.to_ascii_lowercase();
    SURVIVED.iter().any(|text| lower.contains(text))
}

/// What a logger says about an exception whose traceback it writes below. Another warning may just happen to be the last line before the end.
const REPORTS: [&str; 8] = ["fail", "error", "exception", "retry", "retri", "could not", "unable", "timed out"];

/// What a logger says before a traceback that ends the process.
const CAUGHT: [&str; 11] = [
    // prime-rl itself: `Fatal error in orchestrate`.
    "fatal error in",
    "background task",
    "hit an exception",
    "an error has been caught",
    "failed to start",
    "encountered a fatal error",
    "error occurred",
    "encountered an issue",
    "workerproc failed",
    "unhandled exception",
    "uncaught exception",
];

impl Failures {
    /// Forgets everything: the process goes on.
    pub(crate) fn refute(&mut self) {
        self.all.clear();
        self.open = None;
    }

    /// The position from which the log is still needed.
    pub(crate) fn needed(&self) -> Option<u64> {
        self.open.as_ref().map(|open| open.next)
    }

    /// Counts a line that is to be looked at; `false` if there were too many.
    pub(crate) fn may_look(&mut self) -> bool {
        self.looked = self.looked.saturating_add(1);
        self.looked <= MAX_ERRORS
    }

    fn add(&mut self, failure: Failure) {
        // Every rank ends with the same exception.
        if self.all.iter().any(|known| known.line.text == failure.line.text) {
            return;
        }
        if self.all.len() >= MAX_FAILURES {
            self.all.pop();
        }
        self.all.push(failure);
    }

    /// Reads a traceback that a logger wrote as JSON, in one line.
    fn in_json(&mut self, head: &str, number: u64, clock: Clock) {
        let lines = head.split("\\n").map(|line| line.split("\",").next().unwrap_or(line).trim_end_matches(['"', '}']));
        let Some(exception) = lines.filter(|line| is_exception(line)).last() else { return };
        let lower = head.to_ascii_lowercase();
        let plain = plain(head);
        self.add(Failure {
            kind: FailureKind::Exception,
            line: Sighted { line: number, text: exception.chars().take(LONGEST).collect(), key: None },
            time: line(&plain).time.map(|time| clock.place(time)).or(clock.now),
            is_logged: !CAUGHT.iter().any(|text| lower.contains(text)),
            speaker: "".into(),
            named: None,
            root: None,
            frame: None,
            is_followed: false,
        });
        self.read = number;
    }

    /// Forgets the last words of programs after which the processes of the run began.
    pub(crate) fn begin(&mut self) {
        self.all.retain(|failure| failure.kind != FailureKind::Fatal);
    }

    /// Begins to read a traceback, whose lines begin at `next`, with that number. `before` is the last line above it that is not empty.
    pub(crate) fn open(&mut self, head: &str, before: &str, clock: Clock, next: u64, number: u64) {
        if head.contains("\\n") {
            self.in_json(head, number - 1, clock);
            return;
        }
        let (head, before) = (line(head), line(before));
        let lower = before.text.to_ascii_lowercase();
        let has_cause = CHAINS.iter().any(|chain| lower.contains(chain));
        let cause = if has_cause { self.all.pop_if(|known| *known.speaker == *head.speaker) } else { None };
        let is_caught = CAUGHT.iter().any(|text| lower.contains(text));
        let says_so = matches!(before.level, Level::Warning | Level::Error) && REPORTS.iter().any(|text| lower.contains(text));
        let is_told = before.speaker == head.speaker && says_so;
        let is_reported = head.level != Level::None || is_told;
        // A box with a text of the model, whose border is at the left.
        let is_quoted = head.text.split("Traceback (most").next().is_some_and(|left| left.contains('│'));
        let is_survived = is_quoted || lower.starts_with("error:") || is_survived(&lower);
        let is_logged = match &cause {
            Some(cause) => cause.is_logged,
            None => !is_caught && (is_reported || is_survived),
        };
        let at = ["Exception Group Traceback", "Traceback (most"].iter().filter_map(|first| head.text.find(first)).min();
        let shape = Shape::of(&head.text[..at.unwrap_or_default()]);
        let column = column(head.text);
        self.open = Some(Traceback {
            next,
            line: number,
            column: if shape.is_some() { 0 } else { column },
            unshaped: column,
            shape,
            lines: 0,
            time: head.time.or(before.time).map(|time| clock.place(time)).or(clock.now),
            is_logged,
            is_told: is_logged && is_told && !is_survived && head.level == Level::None,
            speaker: head.speaker.into(),
            named: named(&head),
            cause: cause.map(|cause| cause.root.unwrap_or(cause.line.text)),
            frame: None,
            place: None,
            is_of_program: false,
            programs: Programs::default(),
        });
    }

    /// Reads the lines of an open traceback in the buffer, whose position in the cleaned log is `base`, up to `end`.
    pub(crate) fn follow(&mut self, buffer: &[u8], base: u64, end: usize) {
        while let Some(open) = &mut self.open {
            let from = open.next.checked_sub(base).and_then(|at| usize::try_from(at).ok());
            let Some(from) = from.filter(|from| *from < end) else { return };
            let Some(length) = memchr::memchr(b'\n', &buffer[from..end]) else {
                if end - from > LONGEST_LINE {
                    self.open = None;
                }
                return;
            };
            let text = String::from_utf8_lossy(&buffer[from..from + length.min(LONGEST * 4)]);
            let number = open.line;
            self.read = number;
            open.next += length as u64 + 1;
            open.line += 1;
            open.lines += 1;
            if open.lines > MAX_TRACEBACK_LINES {
                self.open = None;
                return;
            }
            // loguru also writes what is above the place where it was caught, and marks that.
            open.is_logged |= open.is_told && text.starts_with("> File \"");
            let mut found = line(text.trim_end());
            let stripped = open.shape.as_ref().map(|shape| shape.strip(found.text));
            match stripped {
                Some(Some(stripped)) => found.text = stripped,
                // Other lines stand between.
                Some(None) if open.lines > 1 || *found.speaker != *open.speaker => continue,
                // What stood before the first line was a sentence.
                Some(None) => (open.shape, open.column) = (None, open.unshaped),
                None => {}
            }
            // The processes of a run write between each other's lines.
            let is_other = *found.speaker != *open.speaker || found.text.trim().is_empty();
            if is_other || column(found.text) != open.column {
                open.frame = Frame::read(found.text).filter(|_| !is_other).or(open.frame.take());
                let place = found.text.trim().trim_start_matches("> ");
                if !is_other && place.starts_with("File \"") {
                    // One that begins at the top of a program was not caught below.
                    open.is_logged &= !(open.is_told && open.place.is_none() && is_top(place));
                    open.is_of_program |= is_of_program(place);
                    open.programs.place(place, open.place.is_none());
                    open.place = Some((number, place.chars().take(LONGEST).collect()));
                }
                continue;
            }
            let message = &found.text[open.column..];
            if message.starts_with("Traceback (most") || message.contains("Exception Group Traceback") {
                continue;
            }
            if !is_exception(message) && !is_class(message) {
                // A logger's line follows, so the exception has been missed.
                if found.level != Level::None && open.speaker.is_empty() {
                    self.open = None;
                }
                continue;
            }
            let mut text: String = message.chars().take(LONGEST).collect();
            if let Some(reason) = reason_below(&text, &buffer[from + length..]) {
                text = format!("{text} {reason}");
            }
            let root = open.cause.take().filter(|cause| *cause != text);
            if let Some(root) = &root {
                text = format!("{text} (caused by {root})");
            }
            let failure = Failure {
                kind: FailureKind::Exception,
                line: Sighted { line: number, text, key: None },
                time: open.time,
                is_logged: open.is_logged || open.place.is_some() && !open.is_of_program,
                speaker: std::mem::take(&mut open.speaker),
                named: open.named,
                root,
                frame: open.frame.take(),
                is_followed: false,
            };
            self.programs.add(open.programs);
            self.open = None;
            self.add(failure);
        }
    }

    /// Whether a line that is found now can be the last words of a process: it is not that of a traceback.
    pub(crate) fn may_be_fatal(&self, number: u64) -> bool {
        self.open.is_none() && self.all.iter().all(|known| known.line.line != number)
    }

    /// Adds a line if it is the last words of a process.
    pub(crate) fn fatal(&mut self, found: &Line<'_>, number: u64, clock: Clock, quote: impl FnOnce() -> String) {
        let Some(kind) = fatal(found) else { return };
        self.add(Failure {
            kind,
            line: Sighted { line: number, text: quote(), key: None },
            time: found.time.map(|time| clock.place(time)).or(clock.now),
            is_logged: kind == FailureKind::Exception && found.level == Level::Error,
            speaker: found.speaker.into(),
            named: named(found),
            root: None,
            frame: None,
            is_followed: false,
        });
    }

    /// Adds a traceback of which the log has no exception, because it was cut: where it stood is all that is known.
    fn end_of_open(&mut self) {
        let Some(open) = self.open.take().filter(|open| !open.is_logged && open.is_of_program) else { return };
        let Some((line, place)) = open.place else { return };
        self.add(Failure {
            kind: FailureKind::Exception,
            line: Sighted { line, text: format!("{place} (the log ends within this traceback)"), key: None },
            time: open.time,
            is_logged: false,
            speaker: open.speaker,
            named: open.named,
            root: None,
            frame: open.frame,
            is_followed: false,
        });
    }

    /// Reads the last lines of a log, of which the last has this number: an exception of any name is the end if nothing happened after it, and so is
    /// the shell's word for a process that was ended.
    pub(crate) fn end(&mut self, tail: &str, last: u64, clock: Clock) {
        let mut has_text = false;
        let mut last_logged = 0;
        let shape = prefix::shape(tail);
        // NCCL tries again for a while at many a start.
        let tries = tail.lines().rev().take(MAX_TRIES).filter(|text| is_lost_connection(text)).count();
        let befores = tail.lines().rev().skip(1).chain([""]);
        for (above, (text, before)) in (0..).zip(tail.lines().rev().zip(befores)) {
            let Some(number) = last.checked_sub(above) else { continue };
            let found = line_of(text.trim_end(), shape.as_ref());
            let is_text = !is_of_terminal(found.text.trim());
            let is_last = !has_text;
            has_text |= is_text;
            if last_logged == 0 && matches!(found.level, Level::Info | Level::Warning) {
                last_logged = number;
            }
            let gave_up = || is_last && tries == MAX_TRIES && is_lost_connection(found.text);
            let is_end = found.level == Level::None && (is_last_word(found.text.trim(), is_last) || gave_up());
            let is_known = number <= self.read || self.all.iter().any(|known| known.line.line == number);
            let is_last_word = is_end || is_exception(found.text) && !matches!(found.level, Level::Info | Level::Warning);
            if !is_last_word || is_known || is_survived(before) {
                continue;
            }
            let failure = Failure {
                kind: if is_end { FailureKind::Fatal } else { FailureKind::Exception },
                line: Sighted { line: number, text: text.trim().chars().take(LONGEST).collect(), key: None },
                time: found.time.map(|time| clock.place(time)).or(clock.now),
                is_logged: found.level == Level::Error,
                speaker: found.speaker.into(),
                named: named(&found),
                root: None,
                frame: None,
                is_followed: false,
            };
            self.add(failure);
        }
        if self.all.is_empty() {
            self.end_of_open();
        }
        self.all.iter_mut().for_each(|failure| failure.is_followed = failure.line.line < last_logged);
        self.all.order_by_key(|failure| failure.line.line);
    }
}
