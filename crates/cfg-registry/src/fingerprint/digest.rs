//! A sha256 hash as a value.

use std::{fmt, str::FromStr};

use sha2::{Digest as _, Sha256};

/// A sha256 hash. Written as 64 lower-case hexadecimal digits, as by `sha256sum`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The 32 bytes.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = NoDigest;

    fn from_str(text: &str) -> Result<Self, NoDigest> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return Err(NoDigest);
        }
        let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8).ok_or(NoDigest);
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

/// The text is not a sha256 hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoDigest;

impl fmt::Display for NoDigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a sha256 is 64 hexadecimal digits")
    }
}

impl std::error::Error for NoDigest {}

#[cfg(test)]
mod tests {
    use super::Digest;

    #[test]
    fn a_digest_is_written_as_sha256sum_writes_it() {
        let empty = Digest::of(b"");
        assert_eq!(empty.to_string(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(empty.to_string().parse(), Ok(empty));
        for wrong in ["", "e3b0", &"g".repeat(64), &"é".repeat(32)] {
            assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
        }
    }
}
