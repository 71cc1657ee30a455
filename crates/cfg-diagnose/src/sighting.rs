//! Where a symptom is seen.

use crate::{
    Component, Frame, ScannedLog, Sighted,
    failure::Failure,
    prefix::{line, plain},
};

/// A symptom in one log.
#[derive(Clone, Debug)]
pub struct Sighting {
    /// The index of the log.
    pub log: usize,
    /// The first line that shows it.
    pub first: Sighted,
    /// The number of the last line that shows it.
    pub last_line: u64,
    /// The number of lines that show it.
    pub count: u64,
    /// The number of these that are in what a rollout failed with.
    pub(crate) of_rollouts: u64,
    /// Whether a logger wrote it as a warning, or as less.
    pub(crate) is_warning: bool,
    /// The process that wrote the line.
    pub component: Component,
    /// The time of day of the line in seconds, if it is known.
    pub time: Option<u32>,
    /// Whether several processes failed, and this one did first, as far as the times of the logs show it.
    pub is_first: bool,
    /// Whether it probably did: without a time of its own it may have been written later than the line above it.
    pub(crate) comes_first: bool,
    /// Where prime-rl's own code was when it failed.
    pub frame: Option<Frame>,
}

impl Sighting {
    /// A line that shows a symptom once.
    pub(crate) fn of(log: usize, first: Sighted) -> Self {
        Self {
            log,
            last_line: first.line,
            first,
            count: 1,
            of_rollouts: 0,
            is_warning: false,
            component: Component::Unknown,
            time: None,
            is_first: false,
            comes_first: false,
            frame: None,
        }
    }
}

impl Sighting {
    /// Whether the prefixes of both lines name the same pod, task and process of one log, or none.
    pub(crate) fn has_speaker_of(&self, other: &Self) -> bool {
        let (own, others) = (plain(&self.first.text), plain(&other.first.text));
        let (own, others) = (line(&own), line(&others));
        self.log == other.log && (own.pod, own.task, own.speaker) == (others.pod, others.task, others.speaker)
    }

    /// Whether both lines are of one log, and not of different pods or tasks in it: the system says nothing of processes.
    pub(crate) fn may_be_beside(&self, other: &Self) -> bool {
        let (own, others) = (plain(&self.first.text), plain(&other.first.text));
        let (own, others) = (line(&own), line(&others));
        let may_be = |one: &str, other: &str| one.is_empty() || other.is_empty() || one == other;
        self.log == other.log && may_be(own.pod, others.pod) && may_be(own.task, others.task)
    }
}

/// A line this far from the exception of its traceback belongs to it.
const NEAR: u64 = 40;

impl Sighting {
    /// Sets where prime-rl's own code was, if the line is near an exception that ended a process.
    pub(crate) fn set_frame(&mut self, log: &ScannedLog) {
        let place = self.first.line;
        let near = log.failures.iter().filter(|failure| failure.frame.is_some() && failure.line.line.abs_diff(place) <= NEAR);
        let nearest = near.min_by_key(|failure| failure.line.line.abs_diff(place));
        self.frame = self.frame.take().or_else(|| nearest.and_then(|failure| failure.frame.clone()));
    }

    /// Names the first exception of the chain whose last one its line is.
    pub(crate) fn set_root(&mut self, log: &ScannedLog) {
        let own = log.failures.iter().find(|failure| failure.line.line == self.first.line);
        if let Some(root) = own.and_then(|failure| failure.root.as_ref()).filter(|root| !self.first.text.contains(root.as_str()))
        {
            self.first.text = format!("{} (caused by {root})", self.first.text);
        }
        // The line of a server's access log, below the exception that it reported.
        if own.is_none() && self.first.text.contains("\" 500") {
            let is_near = |failure: &&Failure| self.first.line.checked_sub(failure.line.line).is_some_and(|above| above <= NEAR);
            if let Some(reported) = log.failures.iter().rfind(is_near) {
                let exception = plain(&reported.line.text);
                self.first.text = format!("{} (caused by {})", self.first.text, line(&exception).text);
            }
        }
    }
}
