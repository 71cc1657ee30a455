//! Where a value comes from.

use cfg_diag::Location;

/// Where a key or a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is written in a file.
    File(Location),
    /// It is a word of the launch command, whose words are a text of their own.
    CommandLine(Location),
    /// It is an environment variable; the variables that were read are a text of their own.
    Environment(Location),
    /// prime-rl's loader puts it there before it looks at the values; the function's name.
    Loader(&'static str),
    /// It is the default of its field.
    Default,
    /// A check of prime-rl assigns it; the function's name.
    Rule(&'static str),
}

impl Origin {
    /// The place in a text, if it is written in one.
    pub const fn location(self) -> Option<Location> {
        match self {
            Self::File(location) | Self::CommandLine(location) | Self::Environment(location) => Some(location),
            Self::Loader(_) | Self::Default | Self::Rule(_) => None,
        }
    }
}
