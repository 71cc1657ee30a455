//! What of prime-rl's own code memory depends on, by the date of its commit (memory model, section 6). What a configuration states or
//! defaults to is not here: that is read from the resolved configuration.

use std::fmt;

/// A day, by which prime-rl's code is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// A day; months and days count from 1.
    pub const fn new(year: u16, month: u8, day: u8) -> Self {
        Self { year, month, day }
    }

    /// The day at the beginning of `2026-01-06` or `2026-01-06T12:00:00`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.get(..10)?.split('-').map(|word| word.bytes().all(|byte| byte.is_ascii_digit()).then_some(word));
        let year = numbers.next()??.parse().ok()?;
        let month = numbers.next()??.parse().ok()?;
        let day = numbers.next()??.parse().ok()?;
        let is_day = (1..=12).contains(&month) && (1..=31).contains(&day);
        (numbers.next().is_none() && is_day).then_some(Self { year, month, day })
    }
}

impl fmt::Display for Date {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// A version of vLLM, as far as its budget depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Vllm {
    /// The number before the first dot.
    pub major: u16,
    /// The number behind it.
    pub minor: u16,
}

impl Vllm {
    /// A version.
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }

    /// The version that prime-rl asks for at this date.
    pub fn of_prime_rl(date: Date) -> Self {
        /// Dates of the commits that raised it.
        const RAISED: [(Date, Vllm); 14] = [
            (Date::new(2025, 9, 16), Vllm::new(0, 10)),
            (Date::new(2025, 12, 17), Vllm::new(0, 12)),
            (Date::new(2026, 1, 20), Vllm::new(0, 14)),
            (Date::new(2026, 2, 13), Vllm::new(0, 16)),
            (Date::new(2026, 3, 6), Vllm::new(0, 17)),
            (Date::new(2026, 3, 31), Vllm::new(0, 18)),
            (Date::new(2026, 4, 1), Vllm::new(0, 17)),
            (Date::new(2026, 4, 6), Vllm::new(0, 19)),
            (Date::new(2026, 5, 8), Vllm::new(0, 20)),
            (Date::new(2026, 5, 18), Vllm::new(0, 21)),
            (Date::new(2026, 6, 1), Vllm::new(0, 22)),
            (Date::new(2026, 6, 26), Vllm::new(0, 23)),
            (Date::new(2026, 7, 2), Vllm::new(0, 24)),
            (Date::new(2026, 7, 30), Vllm::new(0, 26)),
        ];
        RAISED.iter().rev().find(|(since, _)| *since <= date).map_or(Self::new(0, 10), |(_, version)| *version)
    }
}

impl fmt::Display for Vllm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.major, self.minor)
    }
}
