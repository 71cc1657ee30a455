//! Why a question has no answer.

use std::fmt;

use crate::{Report, Severity};

/// Why a question has no answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// No such prime-rl is known; why, in words.
    Target(String),
    /// No such machine is known; why, in words.
    Gpu(String),
    /// prime-rl refuses the config, or what it is for is not known.
    Refused(Box<Report>),
    /// What the memory model would have to know is not there; what that is, in words.
    Unknown(String),
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target(why) | Self::Gpu(why) | Self::Unknown(why) => formatter.write_str(why),
            Self::Refused(report) => {
                let first = report.findings.iter().find(|finding| finding.severity == Severity::Error);
                match first {
                    Some(finding) => write!(formatter, "{}: {}", report.path, finding.message),
                    None => write!(formatter, "{}: prime-rl does not accept it", report.path),
                }
            }
        }
    }
}

impl std::error::Error for Error {}
