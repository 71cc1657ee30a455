//! Reads numbers from a line in lower case.

use std::sync::LazyLock;

use memchr::memmem::{self, Finder};

/// The number after `name`, with or without a sign, a colon and blanks between them: `reward: 0.5`, `loss nan`.
pub(crate) fn number_behind(line: &str, name: &Finder<'_>) -> Option<f64> {
    let at = name.find(line.as_bytes())? + name.needle().len();
    let rest = line.get(at..)?.trim_start_matches([':', '=', ' ']);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+');
    let end = rest.bytes().position(|byte| !is_part(&byte)).unwrap_or(rest.len());
    rest[..end].trim_end_matches('.').parse().ok()
}

/// The word before the number of a step.
pub(crate) static STEP: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("step "));

/// The step in a line: `step 12`.
pub(crate) fn step(line: &str) -> Option<i64> {
    let bytes = line.as_bytes();
    STEP.find_iter(bytes).find_map(|at| {
        let from = at + STEP.needle().len();
        let digits = bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        line[from..from + digits].parse().ok()
    })
}

/// The integer after `name`.
pub(crate) fn integer_behind(line: &str, name: &str) -> Option<i64> {
    let at = line.find(name)? + name.len();
    let rest = line[at..].trim_start_matches([':', '=', ' ']);
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// A duration in seconds: `41.20s`, ` 1m 3s`, `480ms`, `time: 2h 1m`; `None` if the text is anything else, or no time passed.
pub(crate) fn duration(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let text = text.strip_prefix("time:").unwrap_or(text);
    let seconds = text.split_ascii_whitespace().try_fold(0.0, |sum, word| {
        // Most texts are no durations.
        let at =
            word.as_bytes().first()?.is_ascii_digit().then(|| word.bytes().position(|byte| byte.is_ascii_alphabetic()))??;
        let (number, unit) = word.split_at(at);
        let unit = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        Some(sum + number.parse::<f64>().ok()? * unit)
    });
    seconds.filter(|seconds| *seconds > 0.0)
}

/// A progress bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bar {
    /// The number of finished items.
    pub(crate) done: u64,
    /// The number of all items.
    pub(crate) total: u64,
    /// The elapsed seconds, if stated.
    pub(crate) seconds: Option<u64>,
}

/// The first `3/8` in a line, with the time in `[05:12<`.
pub(crate) fn bar(line: &str) -> Option<Bar> {
    let bytes = line.as_bytes();
    let (slash, done, total) = line.match_indices('/').find_map(|(slash, _)| {
        let before = bytes[..slash].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let behind = bytes[slash + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let done = line[slash - before..slash].parse().ok()?;
        let total = line[slash + 1..slash + 1 + behind].parse().ok()?;
        // `2026/01/05` is a date.
        let next = bytes.get(slash + 1 + behind);
        let previous = slash.checked_sub(before + 1).and_then(|at| bytes.get(at));
        (total > 0 && done <= total && next != Some(&b'/') && previous != Some(&b'/')).then_some((slash, done, total))
    })?;
    let seconds = line[slash..].split_once('[').and_then(|(_, rest)| clock(rest.split_once('<')?.0));
    Some(Bar { done, total, seconds })
}

/// `05:12` or `1:05:12` in seconds.
fn clock(text: &str) -> Option<u64> {
    let parts: Vec<&str> = text.trim().split(':').collect();
    if !(2..=3).contains(&parts.len()) {
        return None;
    }
    parts.iter().try_fold(0_u64, |sum, part| sum.checked_mul(60)?.checked_add(part.parse().ok()?))
}

/// The time of day at the beginning of a line, in seconds: `12:00:01 ...`, `2026-01-06 03:00:12,123 ...`.
pub(crate) fn time_of_day(line: &str) -> Option<u32> {
    let head: &[u8] = &line.as_bytes()[..line.len().min(48)];
    let two = |at: usize| match head.get(at..at + 2)? {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0')),
        _ => None,
    };
    let colons = memmem::find_iter(head, b":");
    colons.filter(|at| *at >= 2).find_map(|at| {
        let (hours, minutes, seconds) = (two(at - 2)?, two(at + 1)?, two(at + 4)?);
        (head.get(at + 3) == Some(&b':') && hours < 24 && minutes < 60 && seconds < 60)
            .then_some(hours * 3600 + minutes * 60 + seconds)
    })
}

/// The dotted key in a line that contains nothing else but perhaps a rank before it.
pub(crate) fn key_of(line: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(line).ok()?.trim();
    let line = line.strip_prefix("[rank").and_then(|rest| rest.split_once("]:")).map_or(line, |(_, rest)| rest.trim());
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let begins = line.starts_with(|first: char| first.is_ascii_lowercase() || first == '_');
    (begins && line.split('.').all(is_part)).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use memchr::memmem::Finder;

    use super::{Bar, bar, duration, integer_behind, number_behind, step, time_of_day};

    #[test]
    fn numbers_are_read() {
        let line = "12:00:01 success step 41 | time: 3.25s | reward: 0.0238 | throughput: 50 tokens/s";
        let number = |line, name: &str| number_behind(line, &Finder::new(name));
        assert_eq!((step(line), number(line, "| reward")), (Some(41), Some(0.0238)));
        assert!(number("| loss nan |", "| loss").is_some_and(f64::is_nan));
        assert_eq!(number("| loss: -1.5e-3 |", "| loss"), Some(-0.0015));
        assert_eq!(integer_behind("waiting for checkpoint 16", "waiting for checkpoint"), Some(16));
        assert_eq!(step("a step ahead, step 7"), Some(7));
        assert_eq!(step("no steps"), None);
    }

    #[test]
    fn durations_are_read() {
        assert_eq!([duration("time: 41.20s"), duration("     41s "), duration("480ms")], [Some(41.2), Some(41.0), Some(0.48)]);
        assert_eq!([duration(" 1m 3s"), duration("2h 1m"), duration("2h")], [Some(63.0), Some(7260.0), Some(7200.0)]);
        assert_eq!(["loss: 0.1", "41", "xs", "step 3", "", "0s", ".5s"].map(duration), [None; 7]);
    }

    #[test]
    fn bars_are_read() {
        let first = bar("generating rollouts (train):   0%|          | 0/8 [05:12<?, ?it/s]");
        assert_eq!(first, Some(Bar { done: 0, total: 8, seconds: Some(312) }));
        assert_eq!(bar("0/8 rollouts"), Some(Bar { done: 0, total: 8, seconds: None }));
        assert_eq!(bar("2026/01/05 3/4"), Some(Bar { done: 3, total: 4, seconds: None }));
        assert_eq!(bar("outputs/rollouts/step_1"), None);
    }

    #[test]
    fn times_are_read() {
        assert_eq!(time_of_day("12:00:01    info x"), Some(43_201));
        assert_eq!(time_of_day("[rank0]: 2026-01-06 03:00:12,123 x"), Some(10_812));
        assert_eq!(time_of_day("rl.toml:18:14: x"), None);
    }
}
