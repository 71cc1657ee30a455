//! What was read from one log.

use std::{collections::VecDeque, path::Path, time::Duration};

use crate::{
    Component, Curves, Origin, Progress, Symptom, course::Course, failure::Failure, foreign::Programs, last_write::LogEnd,
    prefix, timeline::Clock,
};

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighted {
    /// Its number, counted from 1.
    pub line: u64,
    /// Its text without escape sequences, or a part if it is long. Other control characters remain.
    pub text: String,
    /// The key in the line before or after it.
    pub key: Option<String>,
}

/// The result of reading a log.
#[derive(Debug, Default)]
pub struct ScannedLog {
    pub(crate) symptoms: Vec<SeenSymptom>,
    pub(crate) course: Course,
    pub(crate) failures: Vec<Failure>,
    pub(crate) programs: Programs,
    pub(crate) has_signs: bool,
    pub(crate) origin: Origin,
    /// The number of its lines.
    pub lines: u64,
    /// The number of its bytes.
    pub bytes: u64,
    /// Whether it is of an attempt that a newer one replaced: its steps are shown, but its failures are past.
    pub(crate) is_replaced: bool,
    /// By how many later launches it was replaced, each with a log of its own beside it.
    pub(crate) later: usize,
    /// Its end, on the clock of its lines.
    pub(crate) end: Option<LogEnd>,
    /// The modification time of its file, since 1970.
    pub(crate) modified: Option<Duration>,
}

impl ScannedLog {
    /// The progress of the run according to this log.
    pub const fn progress(&self) -> &Progress {
        &self.course.progress
    }

    /// The measures by step in this log.
    pub const fn curves(&self) -> &Curves {
        &self.course.curves
    }

    /// The attempt of the run that wrote it, counted from 1; `None` if its folder does not say.
    pub const fn attempt(&self) -> Option<u32> {
        self.origin.attempt
    }

    /// By how many later launches it was replaced, each with a log of its own beside it.
    pub const fn later_launches(&self) -> usize {
        self.later
    }

    /// The same log, of a file at this path.
    #[must_use]
    pub fn at(mut self, path: &Path) -> Self {
        self.origin = Origin::of(path);
        self
    }

    /// The same log, which may be of an attempt that a newer one [replaced](crate::replaced).
    #[must_use]
    pub const fn replaced(mut self, is_replaced: bool) -> Self {
        self.is_replaced = is_replaced;
        self
    }

    /// The same log, of a file that was modified at this time since 1970.
    #[must_use]
    pub const fn modified(mut self, time: Option<Duration>) -> Self {
        self.modified = time;
        self
    }

    /// Whether anything in it is of a training.
    pub(crate) const fn is_of_training(&self) -> bool {
        let course = &self.course;
        self.has_signs
            || self.origin.is_of_run
            || course.trainer.count > 0
            || course.orchestrator.count > 0
            || course.loop_begins.is_some()
            || course.launch > 0
            || !course.exits.is_empty()
    }

    /// Whether it is the log of another trainer, or of a script that has nothing to do with a run. A name that is that of a process is none of a script.
    pub(crate) fn is_foreign(&self) -> bool {
        let course = &self.course;
        let is_of_run = self.origin.is_of_run || course.begun().next().is_some() || course.has_trainer() || course.has_start;
        let has_ends = !course.exits.is_empty() || !course.finished.is_empty() || course.orchestrator.count > 0;
        let is_unnamed = matches!(self.origin.component, Component::Unknown | Component::Scheduler);
        !is_of_run && !has_ends && (self.programs.is_trainer() || is_unnamed && self.programs.is_script())
    }

    /// The process that wrote it: by its path, else by what it contains.
    pub(crate) fn component(&self) -> Component {
        let course = &self.course;
        let is_trainer = course.trainer.count > 0 || course.loop_begins.is_some();
        let is_orchestrator = course.orchestrator.count > 0 || course.has_start;
        match self.origin.component {
            Component::Unknown if is_trainer && !is_orchestrator => Component::Trainer,
            Component::Unknown if is_orchestrator && !is_trainer => Component::Orchestrator,
            Component::Unknown if !is_trainer && !is_orchestrator && course.begun().eq([Component::Evaluation]) => {
                Component::Evaluation
            }
            known => known,
        }
    }
}

/// What happens less often than once in this many seconds is rare.
const RARE: i64 = 600;

/// This many times of lines with a symptom are kept.
const MAX_KEPT_TIMES: usize = 10;

/// A symptom in a log.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "the flags of a sighting")]
pub(crate) struct SeenSymptom {
    pub(crate) symptom: &'static Symptom,
    pub(crate) first: Sighted,
    pub(crate) last_line: u64,
    pub(crate) count: u64,
    /// How many of its lines report that a rollout failed, or are in the traceback below such a line.
    pub(crate) of_rollouts: u64,
    pub(crate) is_certain: bool,
    /// Whether a logger wrote the first line as a warning, or as less: no process ends with it.
    pub(crate) is_warning: bool,
    /// When the first and the last line were written, on the log's clock.
    pub(crate) first_time: Option<i64>,
    pub(crate) last_time: Option<i64>,
    /// Whether neither the last line nor any below it has a time: it may have been written much later than the last that has one.
    pub(crate) is_open: bool,
    /// What the run had done when the last line was written: [`Course::serial`].
    pub(crate) last_serial: u64,
    /// The number of lines since then that followed each other closely.
    pub(crate) recent: u64,
    /// When the last of them were written, on the log's clock, as far as that was looked up.
    pub(crate) times: VecDeque<i64>,
    /// The launch of the last line.
    pub(crate) launch: u32,
    /// Whether the processes of the log were done or stopped before the first line.
    pub(crate) is_after_end: bool,
}

impl SeenSymptom {
    pub(crate) fn new(symptom: &'static Symptom, first: Sighted, is_certain: bool, course: &Course, time: Option<i64>) -> Self {
        Self {
            symptom,
            last_line: first.line,
            first,
            count: 1,
            of_rollouts: 0,
            is_certain,
            is_warning: false,
            first_time: time,
            last_time: time,
            is_open: false,
            last_serial: course.serial,
            recent: 1,
            times: time.into_iter().collect(),
            launch: course.launch,
            is_after_end: course.has_ended(),
        }
    }

    /// Looks below the last line for when it can have been written at the latest, if it has no time: in the last lines of a log, of which the last has this
    /// number.
    pub(crate) fn date(&mut self, tail: &str, lines: u64, clock: Clock) {
        let above = lines.saturating_sub(self.last_line);
        let Some(above) = usize::try_from(above).ok().filter(|above| *above < tail.lines().count()) else { return };
        let time = |text: &str| prefix::line(&prefix::plain(text)).time;
        let mut below = tail.lines().skip(tail.lines().count() - 1 - above);
        if below.next().is_none_or(|own| time(own).is_some()) {
            return;
        }
        match below.clone().find_map(time) {
            Some(time) => self.last_time = Some(clock.place(time)).max(self.last_time),
            // A server whose access log goes on has survived it.
            None => self.is_open = !below.any(|text| text.contains("\" 200 OK")),
        }
    }

    /// Counts another line.
    pub(crate) fn again(&mut self, line: u64, course: &Course, time: Option<i64>) {
        let is_rare = time.zip(self.last_time).is_some_and(|(time, last)| time - last > RARE);
        if self.last_serial != course.serial || is_rare {
            (self.last_serial, self.recent) = (course.serial, 0);
        }
        self.recent += 1;
        self.count += 1;
        if self.times.len() == MAX_KEPT_TIMES {
            self.times.pop_front();
        }
        match time {
            Some(time) => self.times.push_back(time),
            None => self.times.clear(),
        }
        (self.last_line, self.launch) = (line, course.launch);
        self.last_time = time.or(self.last_time);
    }
}
