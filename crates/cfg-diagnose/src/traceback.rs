//! A traceback of Python while it is read, line by line, up to its exception.

use crate::{
    Component, Frame, Sighted,
    excerpt::{lossy, reason_below},
    failure::{Failure, FailureKind, LONGEST, column},
    foreign::Programs,
    last_words::{is_class, is_exception},
    origin,
    prefix::{Level, Line, line},
    shape::Shape,
};

/// A traceback has at most this many lines; recursion is shortened by Python.
const MAX_LINES: u32 = 600;

/// Between its lines stand at most this many of other processes.
const MAX_OTHERS: u32 = 4 * MAX_LINES;

/// A longer line is not part of a traceback, in bytes.
const LONGEST_LINE: usize = 1 << 20;

/// A traceback whose exception has not been read yet.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "the flags of its failure")]
pub(crate) struct Traceback {
    /// The position of its next line in the cleaned log, and the number of that line.
    next: u64,
    line: u64,
    /// The column of its first word, which is that of its exception, too.
    column: usize,
    lines: u32,
    /// The number of lines of other processes between them.
    others: u32,
    time: Option<i64>,
    is_dated: bool,
    is_logged: bool,
    /// Whether only the words of the logger above it say that it was caught.
    is_told: bool,
    /// Whether what stands above it, or where it begins, says that nothing caught it.
    is_uncaught: bool,
    is_of_task: bool,
    speaker: Box<str>,
    named: Option<Component>,
    /// What stands before its first line, if that is nothing known, and the column if it is no prefix.
    shape: Option<Shape>,
    unshaped: usize,
    /// The exception that was the cause of its own.
    cause: Option<Failure>,
    frame: Option<Frame>,
    /// The process in whose code it begins.
    owner: Option<Component>,
    /// Its last line that names a place in a file, and the number of that line.
    place: Option<(u64, String)>,
    /// Whether any of its places is in a file of a program, not only in code that a model wrote.
    is_of_program: bool,
    /// Whose code its places are in.
    pub(crate) programs: Programs,
}

/// Where a traceback begins, and what is known of it there.
#[expect(clippy::struct_excessive_bools, reason = "the flags of its failure")]
pub(crate) struct Head<'l> {
    /// Its first line.
    pub(crate) line: Line<'l>,
    /// The position and the number of the line below.
    pub(crate) next: u64,
    pub(crate) number: u64,
    pub(crate) time: Option<i64>,
    pub(crate) is_dated: bool,
    pub(crate) is_logged: bool,
    pub(crate) is_told: bool,
    pub(crate) is_uncaught: bool,
    pub(crate) is_of_task: bool,
    pub(crate) cause: Option<Failure>,
}

/// What has become of a traceback.
pub(crate) enum Read {
    /// Its next line is not there yet.
    Waits,
    /// Its exception is not in the log.
    Missed,
    Ended(Failure),
}

impl Traceback {
    pub(crate) fn new(head: Head<'_>) -> Self {
        let Head { line: head, next, number, time, is_dated, is_logged, is_told, is_uncaught, is_of_task, cause } = head;
        let at = ["Exception Group Traceback", "Traceback (most"].iter().filter_map(|first| head.text.find(first)).min();
        let shape = Shape::of(&head.text[..at.unwrap_or_default()]);
        let column = column(head.text);
        Self {
            next,
            line: number,
            column: if shape.is_some() { 0 } else { column },
            unshaped: column,
            shape,
            lines: 0,
            others: 0,
            time,
            is_dated,
            is_logged,
            is_told,
            is_uncaught: is_uncaught || is_of_excepthook(&head.who()),
            is_of_task,
            speaker: head.who().into(),
            named: named(&head),
            cause,
            frame: None,
            owner: None,
            place: None,
            is_of_program: false,
            programs: Programs::default(),
        }
    }

    /// The position of its next line in the cleaned log.
    pub(crate) const fn next(&self) -> u64 {
        self.next
    }

    /// The number of the last line that was read.
    pub(crate) const fn read_to(&self) -> u64 {
        self.line.saturating_sub(1)
    }

    /// Whether its lines begin with this name of a process.
    pub(crate) fn is_of(&self, speaker: &str) -> bool {
        *self.speaker == *speaker
    }

    /// The process in whose code it begins, or that its lines name.
    pub(crate) fn owner(&self) -> Option<Component> {
        self.named.or(self.owner).or_else(|| of_rank(&self.speaker))
    }

    /// Reads its lines in a buffer, whose position in the cleaned log is `base`, up to `end`.
    pub(crate) fn read(&mut self, buffer: &[u8], base: u64, end: usize) -> Read {
        loop {
            let from = self.next.checked_sub(base).and_then(|at| usize::try_from(at).ok());
            let Some(from) = from.filter(|from| *from < end) else { return Read::Waits };
            let Some(length) = memchr::memchr(b'\n', &buffer[from..end]) else {
                return if end - from > LONGEST_LINE { Read::Missed } else { Read::Waits };
            };
            let text = lossy(&buffer[from..from + length.min(LONGEST * 4)]);
            let number = self.line;
            self.next += length as u64 + 1;
            self.line += 1;
            if self.lines == MAX_LINES {
                return Read::Missed;
            }
            let taken = if self.names_other(&text) { Taken::Other } else { self.take(&text, number) };
            match taken {
                Taken::Goes => self.lines += 1,
                Taken::Other => {
                    self.others += 1;
                    if self.others > MAX_OTHERS {
                        return Read::Missed;
                    }
                }
                Taken::Missed => return Read::Missed,
                Taken::Exception(text) => return Read::Ended(self.ended(&text, number, &buffer[from + length..])),
            }
        }
    }

    /// Whether a line can't be its own, because the name of its process is not in it. Many tracebacks can be open at once, and each reads all lines.
    fn names_other(&self, text: &str) -> bool {
        !self.speaker.is_empty() && !self.speaker.contains(' ') && !text.contains(&*self.speaker)
    }

    /// Takes its next line.
    fn take(&mut self, text: &str, number: u64) -> Taken {
        // loguru also writes what is above the place where it was caught, and marks that.
        self.is_logged |= self.is_told && text.starts_with("> File \"");
        let mut found = line(text.trim_end());
        match self.shape.as_ref().map(|shape| shape.strip(found.text)) {
            Some(Some(stripped)) => found.text = stripped,
            // Other lines stand between.
            Some(None) if self.lines > 0 || *found.who() != *self.speaker => return Taken::Goes,
            // What stood before the first line was a sentence.
            Some(None) => (self.shape, self.column) = (None, self.unshaped),
            None => {}
        }
        // The processes of a run write between each other's lines.
        if *found.who() != *self.speaker {
            return Taken::Other;
        }
        let is_empty = found.text.trim().is_empty();
        if is_empty || column(found.text) != self.column {
            if !is_empty {
                self.place(found.text, number);
            }
            return Taken::Goes;
        }
        let message = &found.text[self.column..];
        if message.starts_with("Traceback (most") || message.contains("Exception Group Traceback") {
            return Taken::Goes;
        }
        if is_exception(message) || is_class(message) {
            return Taken::Exception(message.chars().take(LONGEST).collect());
        }
        // A logger's line follows, so the exception has been missed.
        if found.level != Level::None && self.speaker.is_empty() { Taken::Missed } else { Taken::Goes }
    }

    /// Takes a line that may name a place in a file.
    fn place(&mut self, text: &str, number: u64) {
        self.frame = Frame::read(text).or(self.frame.take());
        let place = text.trim().trim_start_matches("> ");
        if !place.starts_with("File \"") {
            return;
        }
        // One that begins at the top of a program was not caught below.
        let is_first = self.place.is_none();
        self.is_logged &= !(self.is_told && is_first && is_program(place));
        // loguru marks the place where one was caught, which may be further below.
        self.is_uncaught |= !self.is_told && is_first && is_top(place);
        self.is_of_program |= is_of_program(place);
        self.owner = self.owner.or_else(|| owner(place));
        self.programs.place(place, self.place.is_none());
        self.place = Some((number, place.chars().take(LONGEST).collect()));
    }

    fn ended(&mut self, text: &str, number: u64, below: &[u8]) -> Failure {
        let text = reason_below(text, &self.speaker, below).map_or_else(|| text.to_owned(), |reason| format!("{text} {reason}"));
        let cause = self.cause.take().map(|cause| cause.root.unwrap_or(cause.line.text));
        let root = cause.filter(|cause| *cause != text);
        let text = root.as_ref().map_or_else(|| text.clone(), |root| format!("{text} (caused by {root})"));
        let is_logged = self.is_logged || self.place.is_some() && !self.is_of_program;
        self.failure(Sighted { line: number, text, key: None }, is_logged, root)
    }

    /// The exception before it, if its own is not in the log.
    pub(crate) fn cause(self) -> Option<Failure> {
        self.cause
    }

    /// The failure of which the log has no exception, because it was cut: its cause, or else where it stood. A process that writes about an exception that
    /// it handles may be at this line right now.
    pub(crate) fn cut(mut self) -> Option<Failure> {
        let is_open = !self.is_uncaught;
        if let Some(mut cause) = self.cause.take() {
            cause.line.text += " (the log ends within the next traceback)";
            cause.may_go_on(is_open && !cause.is_uncaught);
            return Some(cause);
        }
        if self.is_logged || !self.is_of_program {
            return None;
        }
        let (line, place) = self.place.take()?;
        let text = format!("{place} (the log ends within this traceback)");
        let mut failure = self.failure(Sighted { line, text, key: None }, false, None);
        failure.may_go_on(is_open);
        Some(failure)
    }

    fn failure(&mut self, line: Sighted, is_logged: bool, root: Option<String>) -> Failure {
        Failure {
            kind: FailureKind::Exception,
            line,
            time: self.time,
            is_dated: self.is_dated,
            is_logged,
            named: self.owner(),
            speaker: std::mem::take(&mut self.speaker),
            root,
            frame: self.frame.take(),
            is_followed: false,
            is_of_task: self.is_of_task,
            is_uncaught: self.is_uncaught,
        }
    }
}

/// What a line of a traceback is.
enum Taken {
    Goes,
    /// That of another process.
    Other,
    Missed,
    Exception(String),
}

/// The process that what stands before a message names: `[pod/rl-trainer-0/main]`, `trainer-1  |`, `[orchestrator]`.
pub(crate) fn named(found: &Line<'_>) -> Option<Component> {
    origin::named(&found.before().to_ascii_lowercase())
}

/// torchrun and PyTorch name the ranks of a trainer: `rank0`, `default3`.
fn of_rank(speaker: &str) -> Option<Component> {
    let own = speaker.rsplit(' ').next().unwrap_or(speaker).to_ascii_lowercase();
    let number = ["rank", "default"].iter().find_map(|name| own.strip_prefix(name))?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(Component::Trainer)
}

/// Whether the name before a line is that of PyTorch's own handler of exceptions that nothing caught.
pub(crate) fn is_of_excepthook(speaker: &str) -> bool {
    let own = speaker.rsplit(' ').next().unwrap_or(speaker);
    own.strip_prefix("rank").is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The process of a run whose code a place is in: `File "/app/src/prime_rl/trainer/rl/train.py", line 4, in main`.
fn owner(place: &str) -> Option<Component> {
    const OWNERS: [(&str, Component); 5] = [
        ("/prime_rl/trainer/", Component::Trainer),
        ("/prime_rl/orchestrator/", Component::Orchestrator),
        ("/prime_rl/inference/", Component::Inference),
        ("/vllm/", Component::Inference),
        ("/verifiers/serve/", Component::Environment),
    ];
    OWNERS.iter().find(|(path, _)| place.contains(path)).map(|(_, owner)| *owner)
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
fn is_program(place: &str) -> bool {
    place.ends_with(", in <module>") && (place.contains("/bin/") || place.contains("/prime_rl/"))
}

/// Whether a place is where any process of Python begins, which may be a child whose traceback its parent caught and logged: a sandbox, a worker.
fn is_top(place: &str) -> bool {
    is_program(place)
        || place.starts_with("File \"<frozen runpy>\"")
        || place.ends_with(", in _bootstrap") && place.contains("/multiprocessing/process.py\"")
}
