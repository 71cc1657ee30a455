//! The properties of prime-rl's own code that memory depends on, by the date of its commit (memory model, section 6). Values and defaults of a
//! configuration are not here: they come from the resolved configuration.

pub mod days;

use std::fmt;

/// A day, which identifies prime-rl's code.
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

    /// The day at the start of `2026-01-06` or `2026-01-06T12:00:00`.
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
    /// The number after it.
    pub minor: u16,
}

impl Vllm {
    /// A version.
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }

    /// The version that prime-rl requires at this date.
    pub fn of_prime_rl(date: Date) -> Self {
        days::VLLM.iter().rev().find(|(since, _)| *since <= date).map_or(Self::new(0, 10), |(_, version)| *version)
    }
}

impl fmt::Display for Vllm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.major, self.minor)
    }
}
