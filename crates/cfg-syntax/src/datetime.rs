//! Dates and times, with the bounds that Python's `datetime` has.

use crate::Datetime;

/// A date or time that was read.
pub(crate) struct Read {
    pub(crate) kind: Datetime,
    /// Whether its time has no seconds, as only TOML 1.1 allows.
    pub(crate) short: bool,
}

/// Whether a bare value starts like a date.
pub(crate) fn starts_like_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 10
        && bytes[..10]
            .iter()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() })
}

/// Whether a bare value starts like a time.
pub(crate) fn starts_like_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 3 && bytes[0].is_ascii_digit() && bytes[1].is_ascii_digit() && bytes[2] == b':'
}

/// Reads a date, a time, or both.
pub(crate) fn read(text: &str) -> Option<Read> {
    if !starts_like_date(text) {
        let (short, rest) = time(text)?;
        return rest.is_empty().then_some(Read { kind: Datetime::LocalTime, short });
    }
    let (date, rest) = text.split_at_checked(10)?;
    if !is_date(date) {
        return None;
    }
    let Some(rest) = rest.strip_prefix(['T', 't', ' ']) else {
        return rest.is_empty().then_some(Read { kind: Datetime::LocalDate, short: false });
    };
    let (short, offset) = time(rest)?;
    let kind = match offset {
        "" => Datetime::LocalDatetime,
        "Z" | "z" => Datetime::OffsetDatetime,
        _ => {
            let offset = offset.strip_prefix(['+', '-'])?;
            let (hours, minutes) = offset.split_once(':')?;
            two_digits(hours, 23)?;
            two_digits(minutes, 59)?;
            Datetime::OffsetDatetime
        }
    };
    Some(Read { kind, short })
}

fn is_date(text: &str) -> bool {
    let number = |range: std::ops::Range<usize>| text.get(range).and_then(|digits| digits.parse::<u32>().ok()).unwrap_or(0);
    let (year, month, day) = (number(0..4), number(5..7), number(8..10));
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 0,
    };
    year >= 1 && (1..=days).contains(&day)
}

/// Reads the time at the start; tells whether it lacks seconds, and what follows.
fn time(text: &str) -> Option<(bool, &str)> {
    let (hours, rest) = text.split_at_checked(2)?;
    two_digits(hours, 23)?;
    let (minutes, rest) = rest.strip_prefix(':')?.split_at_checked(2)?;
    two_digits(minutes, 59)?;
    let Some(rest) = rest.strip_prefix(':') else { return Some((true, rest)) };
    let (seconds, rest) = rest.split_at_checked(2)?;
    two_digits(seconds, 59)?;
    let Some(fraction) = rest.strip_prefix('.') else { return Some((false, rest)) };
    let after = fraction.trim_start_matches(|character: char| character.is_ascii_digit());
    (after.len() < fraction.len()).then_some((false, after))
}

fn two_digits(text: &str, most: u32) -> Option<()> {
    let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && text.parse::<u32>().is_ok_and(|number| number <= most)).then_some(())
}
