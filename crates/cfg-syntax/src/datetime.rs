//! Dates and times, with the limits of Python's `datetime`.

use std::fmt;

/// A date, a time, or both; at least one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Datetime {
    /// The day.
    pub date: Option<Date>,
    /// The time of the day.
    pub time: Option<Time>,
    /// The offset from UTC in minutes. Only a date with a time has it.
    pub offset: Option<i16>,
}

/// A day of the Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Date {
    /// 1 to 9999.
    pub year: u16,
    /// From 1 on.
    pub month: u8,
    /// From 1 on.
    pub day: u8,
}

/// A time of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Time {
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// 0 to 999,999; further digits are cut off, as tomli does.
    pub microsecond: u32,
}

/// The format that pydantic uses in JSON: Python's `isoformat`, with `Z` for UTC. Read as TOML, it gives the same value.
impl fmt::Display for Datetime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Date { year, month, day }) = self.date {
            write!(f, "{year:04}-{month:02}-{day:02}")?;
        }
        if let Some(Time { hour, minute, second, microsecond }) = self.time {
            let separator = if self.date.is_some() { "T" } else { "" };
            write!(f, "{separator}{hour:02}:{minute:02}:{second:02}")?;
            if microsecond > 0 {
                write!(f, ".{microsecond:06}")?;
            }
        }
        match self.offset {
            None => Ok(()),
            Some(0) => f.write_str("Z"),
            Some(minutes) => {
                let sign = if minutes < 0 { '-' } else { '+' };
                let minutes = minutes.unsigned_abs();
                write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
        }
    }
}

/// The result of reading a date or time.
pub(crate) struct Read {
    pub(crate) datetime: Datetime,
    /// Whether its time has no seconds, which only TOML 1.1 allows.
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
        let (time, short, rest) = time(text)?;
        let datetime = Datetime { date: None, time: Some(time), offset: None };
        return rest.is_empty().then_some(Read { datetime, short });
    }
    let (day, rest) = text.split_at_checked(10)?;
    let date = Some(date(day)?);
    let Some(rest) = rest.strip_prefix(['T', 't', ' ']) else {
        return rest.is_empty().then_some(Read { datetime: Datetime { date, time: None, offset: None }, short: false });
    };
    let (time, short, rest) = time(rest)?;
    let offset = if rest.is_empty() { None } else { Some(offset(rest)?) };
    Some(Read { datetime: Datetime { date, time: Some(time), offset }, short })
}

fn date(text: &str) -> Option<Date> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<u16>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)? as u8, number(8..10)? as u8);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 0,
    };
    (year >= 1 && (1..=days).contains(&day)).then_some(Date { year, month, day })
}

/// Reads the time at the start of the text; returns it with whether it has no seconds, and the rest of the text.
fn time(text: &str) -> Option<(Time, bool, &str)> {
    let (hours, rest) = text.split_at_checked(2)?;
    let (minutes, rest) = rest.strip_prefix(':')?.split_at_checked(2)?;
    let (hour, minute) = (two_digits(hours, 23)?, two_digits(minutes, 59)?);
    let Some(rest) = rest.strip_prefix(':') else {
        return Some((Time { hour, minute, second: 0, microsecond: 0 }, true, rest));
    };
    let (seconds, rest) = rest.split_at_checked(2)?;
    let second = two_digits(seconds, 59)?;
    let Some(fraction) = rest.strip_prefix('.') else {
        return Some((Time { hour, minute, second, microsecond: 0 }, false, rest));
    };
    let after = fraction.trim_start_matches(|character: char| character.is_ascii_digit());
    let digits = &fraction[..fraction.len() - after.len()];
    let microsecond = (0..6).fold(0, |sum, at| sum * 10 + digits.as_bytes().get(at).map_or(0, |digit| u32::from(digit - b'0')));
    (!digits.is_empty()).then_some((Time { hour, minute, second, microsecond }, false, after))
}

fn offset(text: &str) -> Option<i16> {
    if matches!(text, "Z" | "z") {
        return Some(0);
    }
    let (hours, minutes) = text.strip_prefix(['+', '-'])?.split_once(':')?;
    let minutes = i16::from(two_digits(hours, 23)?) * 60 + i16::from(two_digits(minutes, 59)?);
    Some(if text.starts_with('-') { -minutes } else { minutes })
}

fn two_digits(text: &str, most: u8) -> Option<u8> {
    let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_number && *number <= most)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn dates_are_written_as_pydantic_writes_them() {
        for (written, shown) in [
            ("1979-05-27", "1979-05-27"),
            ("0001-01-01", "0001-01-01"),
            ("07:32:00", "07:32:00"),
            ("07:32", "07:32:00"),
            ("00:32:00.12345678", "00:32:00.123456"),
            ("1979-05-27 07:32:00z", "1979-05-27T07:32:00Z"),
            ("1979-05-27t07:32:00", "1979-05-27T07:32:00"),
            ("1979-05-27T07:32:00-00:00", "1979-05-27T07:32:00Z"),
            ("1979-05-27T00:32:00.5-07:30", "1979-05-27T00:32:00.500000-07:30"),
            ("1979-05-27T07:32:00+23:59", "1979-05-27T07:32:00+23:59"),
            ("1979-05-27T00:32:00.0000001+00:00", "1979-05-27T00:32:00Z"),
        ] {
            let datetime = read(written).map(|read| read.datetime);
            assert_eq!(datetime.map(|datetime| datetime.to_string()).as_deref(), Some(shown), "{written}");
            assert_eq!(read(shown).map(|read| read.datetime), datetime, "{shown}");
        }
    }
}
