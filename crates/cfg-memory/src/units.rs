//! Units: amounts of memory and of tokens. A number without a unit is a count.

use std::{
    fmt,
    iter::Sum,
    ops::{Add, AddAssign, Div, Mul, Sub},
    str::FromStr,
};

/// Bytes in one GiB.
pub const GIB: f64 = 1_073_741_824.0;

/// An amount of memory or of disk space. A share of something on several GPUs may not be a whole number of bytes, so the number is a double: exact up
/// to 8 PiB, and a configuration of any size gives a large number instead of an overflow.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Bytes(f64);

/// An amount between two bounds; a single number if they hardly differ.
pub fn between(low: Bytes, high: Bytes) -> String {
    let is_one = (high - low).as_f64() < (high.as_f64() * 0.01).max(Bytes::gib(0.1).as_f64());
    if is_one { high.to_string() } else { format!("{:.1} to {high}", low.as_gib()) }
}

impl Bytes {
    /// Zero bytes.
    pub const ZERO: Self = Self(0.0);

    /// This number of bytes.
    pub const fn new(bytes: f64) -> Self {
        Self(bytes)
    }

    /// This number of GiB (2^30 bytes), as in the messages of `nvidia-smi`, PyTorch and vLLM.
    pub const fn gib(gib: f64) -> Self {
        Self(gib * GIB)
    }

    /// This number of GB (10^9 bytes), as in sizes of disks and downloads.
    pub const fn gb(gb: f64) -> Self {
        Self(gb * 1e9)
    }

    /// In GiB.
    pub const fn as_gib(self) -> f64 {
        self.0 / GIB
    }

    /// In bytes, with their fraction.
    pub const fn as_f64(self) -> f64 {
        self.0
    }

    /// In whole bytes, rounded; 0 for a negative amount.
    #[expect(clippy::cast_sign_loss, reason = "the cast saturates: below zero is 0")]
    pub fn rounded(self) -> u64 {
        self.0.round() as u64
    }

    /// The larger of two amounts.
    #[must_use]
    pub const fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    /// The smaller of two amounts.
    #[must_use]
    pub const fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }
}

/// A text that is not an amount with a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoAmount;

impl fmt::Display for NoAmount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("write an amount with its unit, such as \"48 GiB\" or \"500 GB\"")
    }
}

impl std::error::Error for NoAmount {}

impl FromStr for Bytes {
    type Err = NoAmount;

    /// Reads `48 GiB`, `500 GB`, `1.5TB` or `81559 MiB`: a positive amount, in units of 1000 or 1024.
    fn from_str(text: &str) -> Result<Self, NoAmount> {
        const UNITS: [(&str, f64); 6] =
            [("mb", 1e6), ("gb", 1e9), ("tb", 1e12), ("mib", GIB / 1024.0), ("gib", GIB), ("tib", GIB * 1024.0)];
        let text = text.trim();
        let number = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
        let unit = text[number.len()..].to_ascii_lowercase();
        let (_, bytes) = UNITS.iter().find(|(name, _)| *name == unit).ok_or(NoAmount)?;
        let count: f64 = number.trim().parse().map_err(|_| NoAmount)?;
        if count.is_finite() && count > 0.0 { Ok(Self(count * bytes)) } else { Err(NoAmount) }
    }
}

impl Add for Bytes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Bytes {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<f64> for Bytes {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self(self.0 * factor)
    }
}

impl Mul<Tokens> for Bytes {
    type Output = Self;

    /// An amount per token, multiplied by a number of tokens.
    fn mul(self, tokens: Tokens) -> Self {
        Self(self.0 * tokens.as_f64())
    }
}

impl Div<f64> for Bytes {
    type Output = Self;

    fn div(self, divisor: f64) -> Self {
        Self(self.0 / divisor)
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Bytes {
    /// In GiB with one decimal: `48.0 GiB`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.1} GiB", self.as_gib())
    }
}

/// A number of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tokens(pub u64);

impl Tokens {
    /// The number, for a formula.
    pub const fn as_f64(self) -> f64 {
        real(self.0)
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

/// A count, for a formula. Counts above 2^53 lose their last digits, which no result contains.
#[expect(clippy::cast_precision_loss, reason = "no count of this model reaches 2^53 in earnest")]
pub(crate) const fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::{Bytes, Tokens};

    #[test]
    fn amounts_are_clamped_to_their_range() {
        assert_eq!(Bytes::new(-1.0).rounded(), 0);
        assert_eq!(Bytes::new(f64::INFINITY).rounded(), u64::MAX);
        assert_eq!((Bytes::new(2.0) * Tokens(u64::MAX)).rounded(), u64::MAX);
        assert_eq!(Bytes::gib(1.5).rounded(), 1_610_612_736);
        assert_eq!(Bytes::gib(79.18).to_string(), "79.2 GiB");
    }

    #[test]
    fn amounts_are_read_with_their_unit() {
        let amounts = [
            ("48 GiB", 48.0),
            ("47.4gib", 47.4),
            ("81559 MiB", 81559.0 / 1024.0),
            (" 2 TiB ", 2048.0),
            ("107.3741824 GB", 100.0),
        ];
        for (text, gib) in amounts {
            let read: Bytes = text.parse().expect(text);
            assert!((read.as_gib() - gib).abs() < 1e-9, "{text}: {}", read.as_gib());
        }
        for text in ["", "48", "GiB", "-1 GB", "0 GB", "inf GB", "nan GB", "48 G", "48 GiB free", "4 8 GB"] {
            assert_eq!(text.parse::<Bytes>(), Err(super::NoAmount), "{text}");
        }
    }
}
