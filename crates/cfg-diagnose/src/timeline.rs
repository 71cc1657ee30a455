//! The time of a log, and the steps on it.

/// Seconds of a day.
pub(crate) const DAY: i64 = 24 * 3600;

/// The clock of a log whose lines only have the time of day: seconds since the midnight before its first line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock {
    /// The first time in the log.
    pub(crate) first: Option<i64>,
    /// The last time in the log.
    pub(crate) now: Option<i64>,
}

impl Clock {
    /// Reads the time of day of a line, in seconds; returns the time of the line, or of the last line that had one.
    pub(crate) fn take(&mut self, time: Option<u32>) -> Option<i64> {
        if let Some(time) = time {
            let time = self.place(time);
            self.first = self.first.or(Some(time));
            self.now = Some(self.now.map_or(time, |now| now.max(time)));
        }
        self.now
    }

    /// The time of a line with this time of day, at the end of the log so far.
    pub(crate) fn place(&self, time: u32) -> i64 {
        let time = i64::from(time);
        let Some(now) = self.now else { return time };
        let midnight = now - now.rem_euclid(DAY);
        // Lines of several processes can be a few seconds out of order.
        let time = midnight + time;
        if time < now - DAY / 2 { time + DAY } else { time }
    }
}

/// A time of one log on the clock of another log of the same run: within half a day of `near`.
pub(crate) fn aligned(time: i64, near: i64) -> i64 {
    near + (time - near + DAY / 2).rem_euclid(DAY) - DAY / 2
}

/// The finished steps of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Steps {
    pub(crate) count: u64,
    pub(crate) last: Option<i64>,
    /// When the first and the last one were finished, in seconds of the log's clock.
    pub(crate) first_at: Option<i64>,
    pub(crate) last_at: Option<i64>,
    /// The longest time between two of them, in seconds.
    pub(crate) longest: i64,
}

impl Steps {
    pub(crate) fn take(&mut self, step: i64, now: Option<i64>) {
        self.count += 1;
        self.last = Some(step);
        if let Some((last, now)) = self.last_at.zip(now) {
            self.longest = self.longest.max(now - last);
        }
        self.first_at = self.first_at.or(now);
        self.last_at = now.or(self.last_at);
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, DAY, aligned};

    #[test]
    fn a_log_goes_on_after_midnight() {
        let mut clock = Clock::default();
        assert_eq!(clock.take(None), None);
        assert_eq!(clock.take(Some(86_000)), Some(86_000));
        assert_eq!(clock.take(Some(85_990)), Some(86_000));
        assert_eq!(clock.take(Some(100)), Some(DAY + 100));
        assert_eq!(clock.take(None), Some(DAY + 100));
        assert_eq!((clock.first, clock.place(99)), (Some(86_000), DAY + 99));
        assert_eq!((aligned(100, DAY + 50), aligned(86_000, DAY + 50)), (DAY + 100, 86_000));
    }
}
