//! Symptoms as the reason why a process ended, and which exceptions they explain.

use cfg_diag::Severity;

use crate::{
    Component, Symptom,
    failure::{Failure, FailureKind},
    prefix::{line, plain},
    scanned::SeenSymptom,
    timeline::aligned,
};

/// A symptom in a log that ends a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reason {
    pub(crate) symptom: &'static Symptom,
    pub(crate) component: Component,
    pub(crate) log: usize,
    /// Its first line, and when that was written on the log's clock.
    pub(crate) line: u64,
    pub(crate) time: Option<i64>,
    /// Whether the line has that time itself.
    pub(crate) is_dated: bool,
    /// Whether a logger only warned.
    pub(crate) is_warning: bool,
}

/// The message of an exception, with what its libraries write below it, has at most this many lines.
const NEAR: u64 = 40;

/// Clocks of different logs differ by this many seconds at most.
const SAME_MOMENT: i64 = 5;

impl Reason {
    /// A symptom that was found; `None` if a run survives it.
    pub(crate) fn of(symptom: &'static Symptom, log: usize, seen: &SeenSymptom, component: Component) -> Option<Self> {
        let is_reason = symptom.severity == Severity::Error && !symptom.is_survivable;
        let SeenSymptom { first, first_time, is_warning, .. } = seen;
        let is_dated = line(&plain(&first.text)).time.is_some();
        let reason = Self { symptom, component, log, line: first.line, time: *first_time, is_dated, is_warning: *is_warning };
        is_reason.then_some(reason)
    }

    /// Whether a process ended with it, as far as its line shows.
    pub(crate) const fn is_end(&self) -> bool {
        !self.is_warning && !self.symptom.weak
    }

    /// Whether it explains how a process ended: what came before it is a reason of its own.
    pub(crate) fn explains(&self, log: usize, failure: &Failure) -> bool {
        if self.symptom.weak {
            return false;
        }
        if failure.kind != FailureKind::Exception || failure.is_logged {
            return true;
        }
        let follows = self.symptom.follows;
        if log == self.log {
            return match failure.line.line.checked_sub(self.line) {
                // A warning that the process survived.
                Some(behind) => !(self.is_warning && behind > NEAR),
                None => !follows && self.line - failure.line.line <= NEAR,
            };
        }
        match failure.time.zip(self.time) {
            Some((time, own)) => aligned(time, own) >= own - SAME_MOMENT,
            None => !follows,
        }
    }
}
