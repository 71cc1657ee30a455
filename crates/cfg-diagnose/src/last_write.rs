//! When a run last wrote to its logs: by the times of the files, if these are the times at which their last lines were written. The files of a copied folder, or of a
//! checkout, have the time of the copy, or any other; what they say about the run is in their lines alone.

use std::{cmp::Ordering, time::Duration};

use crate::{ScannedLog, line, prefix, timeline::DAY};

/// The end of a log on the clock of its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogEnd {
    /// The time of day in seconds of the last line that has one, with what a progress bar below it adds.
    pub(crate) at: u32,
    /// Whether the very last line has a time.
    pub(crate) is_exact: bool,
}

impl LogEnd {
    /// The end of the last lines of a log.
    pub(crate) fn of(tail: &str) -> Option<Self> {
        let (mut bar, mut is_exact) = (0, true);
        for whole in tail.rsplit(['\n', '\r']).filter(|line| !line.trim().is_empty()) {
            let whole = prefix::plain(whole);
            if let Some(time) = prefix::line(&whole).time {
                return Some(Self { at: time + bar, is_exact });
            }
            is_exact = false;
            let seconds = line::bar(&whole.to_ascii_lowercase()).and_then(|bar| bar.seconds);
            bar = bar.max(seconds.and_then(|seconds| u32::try_from(seconds).ok()).unwrap_or(0));
        }
        None
    }
}

/// When a run last wrote to its logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastWrite {
    /// At this time, since 1970; `None` if no file has a time.
    At(Option<Duration>),
    /// The files' times are not those of their lines: they were copied. The time of day in seconds of the newest line.
    Copied(u32),
}

/// How far the clocks of zones differ from UTC in minutes, besides whole hours, modulo a day. Those of a few islands and of a road in Australia are left out:
/// the time of a copied file fits them more often than a run is there.
const ZONES: [i64; 9] = [210, 270, 330, 345, 390, 570, 630, 1230, 1290];

/// A file's time may be this many seconds before and after the time of its last line: clocks differ, and a line is written a moment after its time was taken.
const EARLIER: i64 = 5;
const LATER: i64 = 20;

/// The same, if lines without a time stand below.
const MUCH_LATER: i64 = 60;

impl LastWrite {
    /// Of a run with these logs, whose newest file is of this time.
    pub fn of(logs: &[ScannedLog], newest: Option<Duration>) -> Self {
        let dated = || logs.iter().filter_map(|log| log.end.zip(log.modified));
        // A last line with a time says more than one with lines of another program below it.
        let has_exact = dated().any(|(end, _)| end.is_exact);
        let (genuine, other): (Vec<_>, Vec<_>) =
            dated().filter(|(end, _)| end.is_exact || !has_exact).partition(|(end, modified)| is_genuine(*modified, *end));
        // The files of a copy are of one moment: their lines know better which of them is the newest.
        let newest_line = logs.iter().filter_map(|log| Some((log.course.clock.now?, log.end?))).max_by_key(|(now, _)| *now);
        let is_newest_copied = || newest_line.is_some_and(|(_, newest)| other.iter().any(|(end, _)| *end == newest));
        let is_copied = match genuine.len().cmp(&other.len()) {
            Ordering::Less => true,
            // The time of a copy fits the one or the other line by chance.
            Ordering::Equal => is_newest_copied(),
            Ordering::Greater => false,
        };
        match newest_line {
            Some((_, end)) if is_copied => Self::Copied(end.at % (24 * 3600)),
            _ => Self::At(newest),
        }
    }
}

/// Whether a file was modified when its last line was written, in whatever zone that line's clock is.
fn is_genuine(modified: Duration, end: LogEnd) -> bool {
    const HALF_HOUR: i64 = 1800;
    let seconds = i64::try_from(modified.as_secs()).unwrap_or_default();
    // Archives and `touch` write midnight, or another round time; so do clocks of examples.
    let is_round = modified.subsec_nanos() == 0 && seconds % HALF_HOUR == 0;
    let most = if end.is_exact { LATER } else { MUCH_LATER };
    let ahead = i64::from(end.at) - seconds;
    let zones = (0..24).map(|hours| hours * 60).chain(ZONES);
    let is_zone = |minutes: i64| (minutes * 60 - ahead + EARLIER).rem_euclid(DAY) <= most + EARLIER;
    !is_round && zones.into_iter().any(is_zone)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{LastWrite, LogEnd};
    use crate::{Log, Matcher, ScannedLog};

    fn log(text: &str, modified: u64) -> ScannedLog {
        let matcher = Matcher::new();
        let mut log = Log::new(&matcher);
        log.feed(text.as_bytes());
        log.finish().modified(Some(Duration::from_secs(modified)))
    }

    #[test]
    fn the_end_of_a_log_is_that_of_its_last_line_with_a_time() {
        let of = |text: &str| LogEnd::of(text).map(|end| (end.at, end.is_exact));
        assert_eq!(of("08:00:00 INFO x\n09:00:01 INFO y\n\n"), Some((32_401, true)));
        assert_eq!(of("09:00:01 INFO y\n  File \"x\"\n"), Some((32_401, false)));
        assert_eq!(of("09:00:00 INFO y\rGenerating rollouts:  0%| | 0/8 [01:02<?, ?it/s]\r"), Some((32_462, false)));
        assert_eq!(
            of("{\"timestamp\": \"2026-08-10T09:00:01Z\", \"level\": \"INFO\", \"message\": \"x\"}"),
            Some((32_401, true))
        );
        assert_eq!(of("no time\n"), None);
    }

    /// The hours of a zone are no difference, nor are the half hours of some.
    #[test]
    fn files_with_the_times_of_their_lines_are_no_copies() {
        const DAY: u64 = 20_000 * 24 * 3600;
        let nine = "09:00:00 INFO x\n";
        let of = |times: &[u64]| {
            let logs: Vec<ScannedLog> = times.iter().map(|time| log(nine, DAY + time)).collect();
            LastWrite::of(&logs, Some(Duration::from_secs(7)))
        };
        let known = LastWrite::At(Some(Duration::from_secs(7)));
        for time in [9 * 3600 + 2, 9 * 3600 + 19, 9 * 3600 - 4, 2 * 3600 + 1, 23 * 3600 + 1801, 3 * 3600 + 901] {
            assert_eq!(of(&[time]), known, "{time}");
        }
        for time in [9 * 3600 + 21, 9 * 3600 - 6, 13 * 3600 + 1000, 3600 + 1801, 0] {
            assert_eq!(of(&[time]), LastWrite::Copied(9 * 3600), "{time}");
        }
        assert_eq!(of(&[9 * 3600 + 1, 9 * 3600 + 1, 9 * 3600 + 500]), known);
        assert_eq!(of(&[9 * 3600 + 1, 9 * 3600 + 400, 9 * 3600 + 500]), LastWrite::Copied(9 * 3600));
        // A minute that fits one of two logs by chance: the one with the newest line decides.
        let two = [log("09:00:00 INFO x\n", DAY + 20 * 3600 + 5), log("09:02:01 INFO y\n", DAY + 20 * 3600 + 5)];
        assert_eq!(LastWrite::of(&two, None), LastWrite::Copied(9 * 3600 + 121));
        let live = [log("09:00:00 INFO x\n", DAY + 9 * 3600 + 400), log("09:02:01 INFO y\n", DAY + 9 * 3600 + 122)];
        assert_eq!(LastWrite::of(&live, None), LastWrite::At(None));
        // Without any time in the lines, the files' times are all that is known.
        assert_eq!(LastWrite::of(&[log("no time\n", DAY)], Some(Duration::from_secs(7))), known);
        assert_eq!(LastWrite::of(&[], None), LastWrite::At(None));
    }

    /// The last words of a process are below the last line with a time.
    #[test]
    fn a_log_that_ends_with_a_time_decides() {
        const NINE: u64 = 20_000 * 24 * 3600 + 9 * 3600;
        let logs = [log("09:00:00 INFO x\n", NINE + 1), log("07:11:00 INFO x\nno time\n", NINE)];
        assert_eq!(LastWrite::of(&logs, None), LastWrite::At(None));
        assert_eq!(LastWrite::of(&logs[1..], None), LastWrite::Copied(7 * 3600 + 11 * 60));
    }
}
