//! How a process of a run ended, in its own words: the last exception that nobody caught, or the last fatal line of torchrun, NCCL, CUDA, vLLM, SLURM
//! or the shell. Whatever failed is quoted, even if no symptom explains it.

use crate::{
    Component, Frame, Sighted,
    foreign::Programs,
    last_words::{cause, fatal, is_exception, is_last_word, is_lost_connection, is_of_terminal, is_trapped},
    prefix::{self, Level, Line, line, line_of, plain},
    timeline::Clock,
    traceback::{Head, Read, Traceback, is_of_excepthook, named},
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
#[expect(clippy::struct_excessive_bools, reason = "the flags of a failure")]
pub(crate) struct Failure {
    pub(crate) kind: FailureKind,
    /// The line, with its cause if it names one.
    pub(crate) line: Sighted,
    /// When it was written, on the log's clock; from the nearest line before it that has a time.
    pub(crate) time: Option<i64>,
    /// Whether that is its own time. If not, it may have been written much later.
    pub(crate) is_dated: bool,
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
    /// Whether its process may have gone on without it, and the rest of the run may wait for it in vain: it ended a task, or the log does not show what became
    /// of it.
    pub(crate) is_of_task: bool,
    /// Whether its traceback, or what stands above it, shows that nothing caught it.
    pub(crate) is_uncaught: bool,
}

impl Failure {
    /// It ends a process only if something else says so, should `is_open` be true: what caught it may not be in the log yet.
    pub(crate) const fn may_go_on(&mut self, is_open: bool) {
        self.is_logged |= is_open;
        self.is_of_task |= is_open;
    }
}

/// This many processes write tracebacks into one log at once.
const MAX_OPEN: usize = 16;

/// The first line of a traceback, as far as it must be there for one to be read.
const HEAD: &str = "Traceback (most recent call last";

/// What asyncio writes above the traceback of a task of which nobody takes the result.
const TASK: &str = "future: <Task finished";

/// A list of failures is as long as this at most: the first ones, and the last.
const MAX_FAILURES: usize = 6;

/// NCCL's warning about a connection that it tries again is the end if the log ends with this many.
const MAX_TRIES: usize = 3;

/// In a log with more errors than these, only the end is looked at.
const MAX_ERRORS: u32 = 100_000;

/// The longest quote of an exception, in characters.
pub(crate) const LONGEST: usize = 400;

/// The failures at the end of a log: those after which the process did nothing more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failures {
    pub(crate) all: Vec<Failure>,
    /// Whose tracebacks the log has, whatever became of the processes.
    pub(crate) programs: Programs,
    /// The tracebacks whose exception has not been read yet: the ranks of a process write between each other's lines.
    open: Vec<Traceback>,
    /// The line up to which tracebacks have been read.
    read: u64,
    /// The number of lines that were looked at.
    looked: u32,
}

/// The column at which a text begins. The lines at the left of an exception group don't count.
pub(crate) fn column(text: &str) -> usize {
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
        self.open.clear();
    }

    /// Forgets what a process that begins for the first time may have failed with before. The others of the same log went on.
    pub(crate) fn begins(&mut self, component: Component) {
        let is_other = |named: Option<Component>| named.is_some_and(|named| named != component);
        self.all.retain(|failure| is_other(failure.named));
        self.open.retain(|open| is_other(open.owner()));
    }

    /// The position from which the log is still needed.
    pub(crate) fn needed(&self) -> Option<u64> {
        self.open.iter().map(Traceback::next).min()
    }

    /// Counts a line that is to be looked at; `false` if there were too many.
    pub(crate) fn may_look(&mut self) -> bool {
        self.looked = self.looked.saturating_add(1);
        self.looked <= MAX_ERRORS
    }

    fn add(&mut self, failure: Failure) {
        // Every rank ends with the same exception. The cause of one may have been read between the lines of another.
        let is_same = |known: &Failure| {
            let rest = known.line.text.strip_prefix(&*failure.line.text);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" (caused by "))
        };
        if self.all.iter().any(is_same) {
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
            is_dated: line(&plain).time.is_some(),
            is_logged: !CAUGHT.iter().any(|text| lower.contains(text)),
            speaker: "".into(),
            named: None,
            root: None,
            frame: None,
            is_followed: false,
            is_of_task: false,
            is_uncaught: false,
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
        let who = head.who();
        let is_own = |known: &Failure| *known.speaker == *who;
        let cause = self.all.iter().rposition(is_own).filter(|_| has_cause).map(|at| self.all.remove(at));
        let is_caught = CAUGHT.iter().any(|text| lower.contains(text));
        let says_so = matches!(before.level, Level::Warning | Level::Error) && REPORTS.iter().any(|text| lower.contains(text));
        let is_told = before.who() == who && says_so;
        let is_reported = head.level != Level::None || is_told;
        // A box with a text of the model, whose border is at the left.
        let is_quoted = head.text.split("Traceback (most").next().is_some_and(|left| left.contains('│'));
        let is_survived = is_quoted || lower.starts_with("error:") || is_survived(&lower);
        let is_logged = match &cause {
            Some(cause) => cause.is_logged,
            None => !is_caught && (is_reported || is_survived),
        };
        // Of one process, the last one counts. Of many, the first ones do: they failed first.
        let displaced: Vec<Traceback> = self.open.extract_if(.., |open| open.is_of(&who)).collect();
        displaced.into_iter().filter_map(Traceback::cause).for_each(|cause| self.add(cause));
        if self.open.len() >= MAX_OPEN {
            cause.into_iter().for_each(|cause| self.add(cause));
            return;
        }
        self.open.push(Traceback::new(Head {
            next,
            number,
            time: head.time.or(before.time).map(|time| clock.place(time)).or(clock.now),
            // The line of a logger above it announces it.
            is_dated: head.time.is_some() || before.time.is_some() && before.level == Level::Error,
            is_logged,
            is_told: is_logged && is_told && !is_survived && head.level == Level::None,
            is_uncaught: is_caught && !is_survived,
            is_of_task: before.text.trim_start().starts_with(TASK),
            cause,
            line: head,
        }));
    }

    /// Reads the lines of the open tracebacks in the buffer, whose position in the cleaned log is `base`, up to `end`.
    pub(crate) fn follow(&mut self, buffer: &[u8], base: u64, end: usize) {
        let mut at = 0;
        while let Some(open) = self.open.get_mut(at) {
            match open.read(buffer, base, end) {
                Read::Waits => at += 1,
                Read::Missed => {
                    let missed = self.open.remove(at);
                    self.read = self.read.max(missed.read_to());
                    missed.cause().into_iter().for_each(|cause| self.add(cause));
                }
                Read::Ended(failure) => {
                    let ended = self.open.remove(at);
                    self.read = self.read.max(ended.read_to());
                    self.programs.add(ended.programs);
                    self.add(failure);
                }
            }
        }
        self.read = self.open.iter().map(Traceback::read_to).fold(self.read, u64::max);
    }

    /// Whether a line that is found now can be the last words of a process: it is not that of a traceback.
    pub(crate) fn may_be_fatal(&self, number: u64) -> bool {
        self.open.is_empty() && number > self.read && self.all.iter().all(|known| known.line.line != number)
    }

    /// Adds a line if it is the last words of a process.
    pub(crate) fn fatal(&mut self, found: &Line<'_>, number: u64, clock: Clock, quote: impl FnOnce() -> String) {
        let Some(kind) = fatal(found) else { return };
        self.add(Failure {
            kind,
            line: Sighted { line: number, text: quote(), key: None },
            time: found.time.map(|time| clock.place(time)).or(clock.now),
            is_dated: found.time.is_some(),
            is_logged: kind == FailureKind::Exception && found.level == Level::Error,
            speaker: found.who().into(),
            named: named(found),
            root: None,
            frame: None,
            is_followed: false,
            is_of_task: false,
            is_uncaught: false,
        });
    }

    /// Reads the last line of a log that may end between the exceptions of a chain: what happened to the first one is not there yet.
    fn end_of_chain(&mut self, last: &Line<'_>) {
        let lower = last.text.to_ascii_lowercase();
        let who = last.who();
        if CHAINS.iter().any(|chain| lower.contains(chain)) && !is_of_excepthook(&who) {
            let first = self.all.iter_mut().rfind(|known| *known.speaker == *who);
            first.into_iter().for_each(|first| first.may_go_on(!first.is_uncaught));
        }
    }

    /// Reads the last lines of a log, of which the last has this number: an exception of any name is the end if nothing happened after it, and so is
    /// the shell's word for a process that was ended. `has_steps`: once there are steps, W&B's errors end no process.
    pub(crate) fn end(&mut self, tail: &str, last: u64, clock: Clock, has_steps: bool) {
        let (mut has_text, mut root) = (false, None);
        let mut last_logged = 0;
        let shape = prefix::shape(tail);
        // NCCL tries again for a while at many a start.
        let tries = tail.lines().rev().take(MAX_TRIES).filter(|text| is_lost_connection(text)).count();
        let befores = tail.lines().rev().skip(1).chain([""]);
        for (above, (text, before)) in (0..).zip(tail.lines().rev().zip(befores)) {
            let Some(number) = last.checked_sub(above) else { continue };
            let found = line_of(text.trim_end(), shape.as_ref());
            // What a program says last may have its causes below it.
            if let Some(cause) = cause(found.text) {
                root = root.or_else(|| Some(cause.chars().take(LONGEST).collect()));
                continue;
            }
            if has_steps && found.text.starts_with("wandb: ") {
                continue;
            }
            let is_text = !is_of_terminal(found.text.trim());
            let is_last = !has_text;
            has_text |= is_text;
            if last_logged == 0 && matches!(found.level, Level::Info | Level::Warning) {
                last_logged = number;
            }
            let gave_up = || is_last && tries == MAX_TRIES && is_lost_connection(found.text);
            let is_trapped = || last_logged == 0 && is_trapped(found.text.trim());
            let is_end = found.level == Level::None && (is_last_word(found.text.trim(), is_last) || is_trapped() || gave_up());
            let is_known = number <= self.read || self.all.iter().any(|known| known.line.line == number);
            let is_last_word = is_end || is_exception(found.text) && !matches!(found.level, Level::Info | Level::Warning);
            let root = root.take().filter(|_| is_last);
            if !is_last_word || is_known || is_survived(before) || is_survived(found.text) {
                continue;
            }
            let mut text: String = text.trim().chars().take(LONGEST).collect();
            if let Some(root) = &root {
                text = format!("{text} (caused by {root})");
            }
            let failure = Failure {
                kind: if is_end { FailureKind::Fatal } else { FailureKind::Exception },
                line: Sighted { line: number, text, key: None },
                time: found.time.map(|time| clock.place(time)).or(clock.now),
                is_dated: found.time.is_some(),
                is_logged: found.level == Level::Error,
                speaker: found.who().into(),
                named: named(&found),
                root,
                frame: None,
                is_followed: false,
                is_of_task: false,
                is_uncaught: false,
            };
            self.add(failure);
        }
        // What there is of the next line.
        let is_begun = |text: &str| HEAD.starts_with(line_of(text, shape.as_ref()).text.trim());
        if let Some(sentence) = tail.lines().rev().find(|text| !is_begun(text)) {
            self.end_of_chain(&line_of(sentence, shape.as_ref()));
        }
        if self.all.is_empty() {
            std::mem::take(&mut self.open).into_iter().filter_map(Traceback::cut).for_each(|failure| self.add(failure));
        }
        self.all.iter_mut().for_each(|failure| failure.is_followed = failure.line.line < last_logged);
        self.all.order_by_key(|failure| failure.line.line);
    }
}
