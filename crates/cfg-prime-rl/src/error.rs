//! Why a question has no answer.

use std::fmt;

use crate::{Report, Severity};

/// Why a question has no answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The prime-rl is unknown; the reason, in words.
    Target(String),
    /// The machine is unknown; the reason, in words.
    Gpu(String),
    /// A code or name to select or ignore is unknown; the reason, in words.
    Selector(String),
    /// prime-rl refuses the config, or its kind is unknown.
    Refused(Box<Report>),
    /// A fact that the memory model needs is unknown; which one, in words.
    Unknown(String),
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target(why) | Self::Gpu(why) | Self::Selector(why) | Self::Unknown(why) => formatter.write_str(why),
            Self::Refused(report) => {
                let of_prime_rl = report.findings.iter().filter(|finding| finding.native.is_some());
                let mut errors = of_prime_rl.chain(&report.findings).filter(|finding| finding.severity == Severity::Error);
                let why = errors.next().map_or("its kind is not known", |finding| &finding.message);
                write!(formatter, "prime-rl does not accept {}: {why}", report.path)
            }
        }
    }
}

impl std::error::Error for Error {}
