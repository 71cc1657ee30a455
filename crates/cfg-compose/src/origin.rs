//! The origin of a value.

use cfg_diag::Location;

/// The origin of a key or a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is written in a file.
    File(Location),
    /// It is an argument of the launch command, whose words are a text of their own.
    CommandLine(Location),
    /// It is an environment variable; the variables that were read are a text of their own.
    Environment(Location),
    /// It is the default of its field.
    Default,
    /// prime-rl's loader sets it before it checks the values.
    Loader(Derivation),
    /// A check of prime-rl assigns it.
    Check(Derivation),
}

/// A step of prime-rl that creates a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// prime-rl's function.
    pub name: &'static str,
    /// The place of the value that it copies or computes from; `None` for a default, or if it depends on several.
    pub from: Option<Location>,
}

impl Origin {
    /// The origin of a value that a step of the loader makes from one with this origin.
    #[must_use]
    pub const fn through_loader(self, name: &'static str) -> Self {
        Self::Loader(Derivation { name, from: self.place() })
    }

    /// The origin of a value that a check makes from one with this origin.
    #[must_use]
    pub const fn through_check(self, name: &'static str) -> Self {
        Self::Check(Derivation { name, from: self.place() })
    }

    /// The place in a text, if it is written in one.
    pub const fn location(self) -> Option<Location> {
        match self {
            Self::File(location) | Self::CommandLine(location) | Self::Environment(location) => Some(location),
            Self::Default | Self::Loader(_) | Self::Check(_) => None,
        }
    }

    /// The place in a text that decides it: where it is written, or where the value is written from which it was made.
    pub const fn place(self) -> Option<Location> {
        match self {
            Self::Loader(derivation) | Self::Check(derivation) => derivation.from,
            written => written.location(),
        }
    }

    /// The function of prime-rl that made it, if one did.
    pub const fn made_by(self) -> Option<&'static str> {
        match self {
            Self::Loader(derivation) | Self::Check(derivation) => Some(derivation.name),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use cfg_diag::{FileId, Location, Span};

    use super::{Derivation, Origin};

    #[test]
    fn a_derived_value_refers_to_its_source() {
        let place = Location::new(FileId(0), Span::new(3, 7));
        let copied = Origin::File(place).through_loader("share");
        assert_eq!(copied, Origin::Loader(Derivation { name: "share", from: Some(place) }));
        let again = copied.through_check("fill");
        assert_eq!((again.location(), again.place(), again.made_by()), (None, Some(place), Some("fill")));
        assert_eq!(Origin::Default.through_check("fill").place(), None);
    }
}
