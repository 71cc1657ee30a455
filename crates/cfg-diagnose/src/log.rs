//! Reads one log piece by piece.

use std::{collections::VecDeque, ops::Range};

use memchr::{memchr, memchr_iter};

use crate::{
    Matcher, ScannedLines, Thresholds, boxed,
    clean::Cleaner,
    course::Course,
    excerpt::{REACH, bounds, is_source, lossy, message, quoted},
    failure::{Failures, is_survived},
    last_write::LogEnd,
    line,
    log_event::LogEvent,
    matcher::Hit,
    prefix::{self, Level},
    scanned::{ScannedLog, SeenSymptom, Sighted},
    shape::Shape,
    symptom,
    timeline::Clock,
};

/// The number of bytes that are processed at once.
const PIECE: usize = 256 * 1024;

/// How often the lines around a generic message are searched for signs of training.
const MAX_SEARCHES_FOR_TRAINING: u64 = 64;

/// A log while it is read.
#[derive(Debug)]
pub struct Log<'m> {
    matcher: &'m Matcher,
    cleaner: Cleaner,
    /// The end of the cleaned log, as far as it is still needed.
    buffer: Vec<u8>,
    /// The part of the buffer up to here has been searched.
    searched: usize,
    /// The matches that were found but not yet handled, with their positions in the cleaned log.
    hits: VecDeque<(u64, Hit)>,
    /// The matches before this position of the buffer have been handled.
    handled: usize,
    /// The line breaks before this position of the buffer have been counted.
    counted: usize,
    /// The number of these line breaks.
    breaks: u64,
    /// The position of the buffer in the cleaned log.
    base: u64,
    pieces: u64,
    bytes: u64,
    has_signs: bool,
    found: Vec<SymptomMatches>,
    course: Course,
    failures: Failures,
    /// Where the last line that shows that the run goes on is in the cleaned log.
    progress: u64,
    /// The number of the last line that reports a failed rollout.
    failed_rollout: Option<u64>,
    /// The part of a line that was examined last.
    part: Part,
    /// What stands before each line, if that is nothing known, and how often it was looked for.
    shape: Option<Shape>,
    looked_for_shape: u32,
}

/// An examined line, or part of a line; it can contain several matches.
#[derive(Debug, Default)]
struct Part {
    /// Its bounds in the cleaned log; what is beyond them was not examined. `None` before the first part.
    bounds: Option<(u64, u64)>,
    /// Its text in lower case.
    lower: Vec<u8>,
    /// A bit for each event that was reported for it.
    events: u32,
}

/// A symptom in a log.
#[derive(Clone, Debug)]
struct SymptomMatches {
    symptom: usize,
    seen: SeenSymptom,
    /// Where its last line begins in the cleaned log: two matches in one line count once.
    last_start: u64,
    /// Whether its first line is the source of a line of a traceback: the exception says more.
    is_source: bool,
}

impl<'m> Log<'m> {
    /// An empty log.
    pub fn new(matcher: &'m Matcher) -> Self {
        Self::with(matcher, Thresholds::default())
    }

    /// An empty log with other thresholds.
    pub fn with(matcher: &'m Matcher, thresholds: Thresholds) -> Self {
        Self {
            matcher,
            cleaner: Cleaner::default(),
            buffer: Vec::with_capacity(PIECE + 3 * REACH),
            searched: 0,
            hits: VecDeque::new(),
            handled: 0,
            counted: 0,
            breaks: 0,
            base: 0,
            pieces: 0,
            bytes: 0,
            has_signs: false,
            found: Vec::new(),
            course: Course::new(thresholds),
            failures: Failures::default(),
            progress: 0,
            failed_rollout: None,
            part: Part::default(),
            shape: None,
            looked_for_shape: 0,
        }
    }

    /// Reads the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        for piece in bytes.chunks(PIECE) {
            self.cleaner.append(piece, &mut self.buffer);
            self.look_for_signs();
            self.search(self.buffer.len().saturating_sub(REACH));
            self.handle(self.searched);
            self.forget();
        }
    }

    /// Reads whole lines that were [scanned](Matcher::scan) before, perhaps on another thread. If the input so far does not end with a line break,
    /// its last line is searched together with these.
    pub fn take(&mut self, lines: &mut ScannedLines) {
        self.bytes += lines.bytes;
        // The end of a piece that was cut within a line.
        self.search(self.buffer.len());
        let start = self.base + self.buffer.len() as u64;
        self.buffer.extend_from_slice(&lines.text);
        self.look_for_signs();
        self.hits.extend(lines.hits.drain(..).map(|(at, hit)| (start + u64::from(at), hit)));
        self.searched = self.buffer.len();
        self.handle(self.searched.saturating_sub(REACH));
        self.forget();
    }

    /// Ends the log.
    pub fn finish(mut self) -> ScannedLog {
        self.look_for_signs();
        let end = self.buffer.len();
        self.search(end);
        self.handle(end);
        let lines = self.breaks + u64::from(self.buffer.last().is_some_and(|last| *last != b'\n'));
        let from = self.buffer.len().saturating_sub(REACH);
        // What is left of a line that begins before it could be taken for another one.
        let is_cut = self.base > 0 || from > 0;
        let from = memchr(b'\n', &self.buffer[from..]).filter(|_| is_cut).map_or(from, |at| from + at + 1);
        let tail = lossy(&self.buffer[from..]).into_owned();
        let last_time = tail.lines().rev().find_map(line::time_of_day);
        self.course.end(lines, last_time);
        let last = LogEnd::of(&tail);
        self.buffer.push(b'\n');
        self.failures.follow(&self.buffer, self.base, self.buffer.len());
        if !self.course.has_ended() {
            // Only what stands below the last line that shows that the run goes on.
            let since = usize::try_from(self.progress.saturating_sub(self.base)).unwrap_or_default();
            let below = lossy(&self.buffer[since.clamp(from, end)..end]);
            let has_steps = self.course.trainer.count > 0 || self.course.orchestrator.count > 0;
            self.failures.end(&below, lines, self.course.clock, has_steps);
        }
        // The exception below a `raise` says what happened; the names in that line are those of variables.
        let says = |found: &SymptomMatches| !(found.is_source && found.seen.first.text.contains("raise "));
        let mut symptoms: Vec<SeenSymptom> = self.found.into_iter().filter(says).map(|found| found.seen).collect();
        symptoms.iter_mut().for_each(|seen| seen.date(&tail, lines, self.course.clock));
        ScannedLog {
            symptoms,
            course: self.course,
            programs: self.failures.programs,
            failures: self.failures.all,
            end: last,
            has_signs: self.has_signs,
            lines,
            bytes: self.bytes,
            ..ScannedLog::default()
        }
    }

    /// Searches for signs of training: at the beginning, and then in parts until one is found.
    fn look_for_signs(&mut self) {
        self.pieces += 1;
        if self.has_signs || !(self.pieces <= 2 || self.pieces.is_multiple_of(8)) {
            return;
        }
        let window = &self.buffer[self.handled.min(self.buffer.len())..];
        let window = &window[..window.len().min(8 * REACH)];
        self.has_signs = self.matcher.signs.is_in(window);
    }

    /// Searches for matches that begin before `end`.
    fn search(&mut self, end: usize) {
        if end <= self.searched {
            return;
        }
        let (base, hits) = (self.base, &mut self.hits);
        self.matcher.find(&self.buffer, self.searched..end, |text, at| hits.push_back((base + at as u64, Hit::Text(text))));
        self.searched = end;
    }

    /// Handles the matches before `end`.
    fn handle(&mut self, end: usize) {
        let end_place = self.base + end as u64;
        while self.hits.front().is_some_and(|(place, _)| *place < end_place) {
            let Some((place, hit)) = self.hits.pop_front() else { break };
            let at = usize::try_from(place.saturating_sub(self.base)).unwrap_or_default();
            match hit {
                Hit::Text(text) => self.examine(text, at),
                Hit::Symptom(index) => {
                    let bounds = self.bounds(at);
                    self.record_match(index, at, bounds);
                }
                Hit::Event(event, time) => self.event(event, time, at),
                Hit::Traceback => self.traceback(at),
                Hit::Fatal => self.fatal(at),
            }
        }
        self.failures.follow(&self.buffer, self.base, end);
        self.count_to(end);
        self.handled = self.handled.max(end);
    }

    fn count_to(&mut self, end: usize) {
        if end > self.counted {
            self.breaks += memchr_iter(b'\n', &self.buffer[self.counted..end]).count() as u64;
            self.counted = end;
        }
    }

    /// Drops what no later line can need.
    fn forget(&mut self) {
        let needed = self.failures.needed().and_then(|place| usize::try_from(place.saturating_sub(self.base)).ok());
        let keep_from = self.handled.saturating_sub(REACH).min(needed.unwrap_or(usize::MAX));
        if keep_from > 0 {
            self.buffer.drain(..keep_from);
            self.searched -= keep_from;
            self.counted -= keep_from;
            self.handled -= keep_from;
            self.base += keep_from as u64;
        }
    }

    fn bounds(&self, at: usize) -> Range<usize> {
        bounds(&self.buffer, self.base, at)
    }

    /// Examines the line of a match.
    fn examine(&mut self, text: u32, at: usize) {
        let Range { start, end } = self.bounds(at);
        let bounds = Some((self.base + start as u64, self.base + end as u64));
        let mut part = std::mem::take(&mut self.part);
        if part.bounds != bounds {
            part.lower.clear();
            part.lower.extend_from_slice(&self.buffer[start..end]);
            part.lower.make_ascii_lowercase();
            (part.bounds, part.events) = (bounds, 0);
        }
        let matcher = self.matcher;
        matcher.report_hits(text, &part.lower, at - start, &mut part.events, |hit| match hit {
            Hit::Text(_) => {}
            Hit::Symptom(index) => self.record_match(index, at, start..end),
            Hit::Event(event, time) => self.event(event, time, at),
            Hit::Traceback => self.traceback(at),
            Hit::Fatal => self.fatal(at),
        });
        self.part = part;
    }

    fn event(&mut self, event: LogEvent, time: Option<u32>, at: usize) {
        if matches!(event, LogEvent::RolloutFails(_)) {
            self.count_to(at);
            self.failed_rollout = Some(self.breaks + 1);
        }
        let Self { buffer, counted, breaks, base, course, .. } = self;
        let mut quote = || {
            if at > *counted {
                *breaks += memchr_iter(b'\n', &buffer[*counted..at]).count() as u64;
                *counted = at;
            }
            Sighted { line: *breaks + 1, text: quoted(buffer, at, bounds(buffer, *base, at)), key: None }
        };
        let begins = matches!(event, LogEvent::Begins(_) | LogEvent::LoopBegins | LogEvent::OrchestratorGoes);
        // A process that reports the progress of its batch has survived what it wrote before. In a log of several, another one may have.
        let is_alive = matches!(event, LogEvent::Rollouts(_) | LogEvent::Waits(_) | LogEvent::GoesOn(_)) && !course.has_trainer();
        let first = if let LogEvent::Begins(component) = event { Some(component) } else { None };
        let first = first.filter(|component| course.begun().all(|known| known != *component));
        if course.take(event, time, &mut quote) || is_alive {
            self.progress = self.base + at as u64;
            match first {
                Some(component) => self.failures.begins(component),
                None => self.failures.refute(),
            }
        } else if begins {
            self.failures.begin();
        }
    }

    /// Begins to read the traceback whose first line is at a position.
    fn traceback(&mut self, at: usize) {
        let Range { start, end } = self.bounds(at);
        self.failures.follow(&self.buffer, self.base, start);
        if self.course.has_ended() || !self.failures.may_look() {
            return;
        }
        self.count_to(at);
        self.look_for_shape(start);
        let head = lossy(&self.buffer[start..end]);
        let above = lossy(&self.buffer[start.saturating_sub(REACH / 4)..start]);
        let shape = self.shape.as_ref();
        // Each process of several has its own lines.
        let who = prefix::line(&head).who();
        let is_above = |line: &&str| {
            let found = prefix::line_of(line, shape);
            !found.text.trim().is_empty() && (who.is_empty() || found.who() == who)
        };
        let is_text = |line: &&str| !prefix::line_of(line, shape).text.trim().is_empty();
        let before = above.lines().rev().find(is_above).or_else(|| above.lines().rev().find(is_text)).unwrap_or_default();
        let (next, number) = (self.base + end as u64 + 1, self.breaks + 2);
        let clock = Clock { now: self.time_at(start, end), ..self.course.clock };
        self.failures.open(&head, before, clock, next, number);
    }

    /// Reads a line that can be the last words of a process.
    fn fatal(&mut self, at: usize) {
        let Range { start, end } = self.bounds(at);
        // It may be the exception of a traceback that is being read.
        self.failures.follow(&self.buffer, self.base, self.buffer.len().min(end + 1));
        if self.course.has_ended() || !self.failures.may_look() {
            return;
        }
        self.count_to(at);
        let number = self.breaks + 1;
        if !self.failures.may_be_fatal(number) {
            return;
        }
        self.look_for_shape(start);
        let whole = lossy(&self.buffer[start..end]);
        let found = prefix::line_of(&whole, self.shape.as_ref());
        let above = &self.buffer[start.saturating_sub(REACH / 4)..start.saturating_sub(1)];
        if above.rsplit(|byte| *byte == b'\n').next().is_some_and(|line| is_survived(&lossy(line))) {
            return;
        }
        let text = || quoted(&self.buffer, at, start..end);
        let clock = Clock { now: self.time_at(start, end), ..self.course.clock };
        self.failures.fatal(&found, number, clock, text);
    }

    /// Looks for a prefix of an unknown kind in the lines above a position. All lines of a log have the same.
    fn look_for_shape(&mut self, start: usize) {
        const MAX_LINES: u32 = 64;
        if self.shape.is_none() && self.looked_for_shape < MAX_LINES {
            self.looked_for_shape += 1;
            self.shape = prefix::shape(&lossy(&self.buffer[start.saturating_sub(REACH / 4)..start]));
        }
    }

    fn record_match(&mut self, index: usize, at: usize, whole: Range<usize>) {
        let Range { start, end } = whole;
        let Some(symptom) = symptom::all().get(index) else { return };
        if boxed::is_quoted(&self.buffer[..start], &self.buffer[start..end]) {
            return;
        }
        self.count_to(at);
        let (line, place) = (self.breaks + 1, self.base + start as u64);
        let known = self.found.iter().position(|found| found.symptom == index);
        // A line counts once, however often it matches.
        let is_again = known.is_some_and(|known| self.found[known].last_start == place);
        let of_rollouts = u64::from(!is_again && self.is_of_rollout(line, start..end));
        let looked_around = known.map_or(0, |known| self.found[known].seen.count);
        let time = if looked_around < MAX_SEARCHES_FOR_TRAINING { self.time_at(start, end) } else { None };
        if let Some(known) = known {
            let Self { found, course, buffer, .. } = self;
            let SymptomMatches { seen, last_start, is_source: by_source, .. } = &mut found[known];
            if !is_again {
                if *by_source && !is_source(buffer, start..end) {
                    (seen.first.line, seen.first.text, *by_source) = (line, message(buffer, at, start..end), false);
                }
                seen.again(line, course, time);
                *last_start = place;
                seen.of_rollouts += of_rollouts;
            }
            if seen.is_certain || seen.count > MAX_SEARCHES_FOR_TRAINING {
                return;
            }
        }
        let window = &self.buffer[at.saturating_sub(REACH)..self.buffer.len().min(at + REACH)];
        let is_certain = !symptom.generic || self.has_signs || self.matcher.signs.is_in(window);
        if let Some(known) = known {
            self.found[known].seen.is_certain |= is_certain;
            return;
        }
        let key = symptom.names_key.then(|| self.key_beside(start, end)).flatten();
        let first = Sighted { line, text: message(&self.buffer, at, start..end), key };
        let level = prefix::line(&lossy(&self.buffer[start..end])).level;
        let mut seen = SeenSymptom::new(symptom, first, is_certain, &self.course, time);
        seen.is_warning = matches!(level, Level::Info | Level::Warning);
        seen.of_rollouts = of_rollouts;
        let is_source = is_source(&self.buffer, start..end);
        self.found.push(SymptomMatches { symptom: index, seen, last_start: place, is_source });
    }

    /// Whether a line reports a failed rollout, as its words before what it failed with have shown, or is in the traceback below such a line.
    fn is_of_rollout(&self, line: u64, whole: Range<usize>) -> bool {
        const NEAR: u64 = 60;
        let near = self.failed_rollout.filter(|failed| (*failed..=*failed + NEAR).contains(&line));
        let text = || lossy(&self.buffer[whole.clone()]);
        near.is_some_and(|failed| failed == line || prefix::line(&prefix::plain(&text())).level == Level::None)
    }

    /// The time of a line on the log's clock, or that of the nearest line before it.
    fn time_at(&self, start: usize, end: usize) -> Option<i64> {
        let from = start.saturating_sub(REACH / 4);
        let above = lossy(&self.buffer[from..end]);
        let time = above.lines().rev().take(prefix::SHOWN).find_map(|line| prefix::line(&prefix::plain(line)).time);
        time.map(|time| self.course.clock.place(time)).or(self.course.clock.now)
    }

    /// The key that is alone in the line before or after.
    fn key_beside(&self, start: usize, end: usize) -> Option<String> {
        let is_return = |at: usize| self.buffer.get(at) == Some(&b'\r');
        let before = start.checked_sub(1).map(|at| if at > 0 && is_return(at - 1) { at - 1 } else { at });
        let behind = Some(if is_return(end) { end + 2 } else { end + 1 }).filter(|at| *at < self.buffer.len());
        [before, behind].into_iter().flatten().find_map(|at| line::key_of(&self.buffer[self.bounds(at)]))
    }
}
