//! `required-version`: the versions of this program for which settings are written.

use std::{fmt, path::Path, str::FromStr, sync::Arc};

use super::reader::{Entry, Reader};
use crate::{Projects, Sourced};

/// The version of this program.
const OWN: &str = env!("CARGO_PKG_VERSION");

/// A requirement on the version of this program: `>=0.3`, `>=0.3,<0.5`, `==0.3.*`, `^0.3`, `0.3.1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequiredVersion {
    text: String,
    clauses: Vec<Clause>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Clause {
    operator: Operator,
    /// The numbers of the version; fewer than three mean all versions that begin with them.
    numbers: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    AtLeast,
    Above,
    AtMost,
    Below,
    Equal,
    Unequal,
    /// The version or a later one that is compatible by its first number that is not zero.
    Compatible,
    /// The version or a later one that has all its numbers but the last.
    Near,
}

/// The longer ones first.
const OPERATORS: [(&str, Operator); 11] = [
    (">=", Operator::AtLeast),
    ("<=", Operator::AtMost),
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
    ("~=", Operator::Near),
    ("~", Operator::Near),
    (">", Operator::Above),
    ("<", Operator::Below),
    ("^", Operator::Compatible),
    ("=", Operator::Equal),
    ("", Operator::Equal),
];

impl RequiredVersion {
    /// Whether this program has such a version.
    pub fn holds(&self) -> bool {
        self.allows(OWN)
    }

    /// Whether a version is one of these. What follows its three numbers does not count: a pre-release has the settings of its release.
    fn allows(&self, version: &str) -> bool {
        let Some(own) = numbers(version.split(['-', '+']).next().unwrap_or_default()) else { return false };
        self.clauses.iter().all(|clause| clause.allows(&own))
    }
}

impl Clause {
    fn allows(&self, own: &[u64]) -> bool {
        let begins = |count: usize| own.iter().take(count).eq(self.numbers.iter().take(count));
        let mut whole = self.numbers.clone();
        whole.resize(own.len().max(whole.len()), 0);
        let has_prefix = begins(self.numbers.len());
        match self.operator {
            Operator::Equal => has_prefix,
            Operator::Unequal => !has_prefix,
            Operator::AtLeast => own >= whole.as_slice(),
            Operator::Above => own > whole.as_slice() && !has_prefix,
            Operator::AtMost => own <= whole.as_slice() || has_prefix,
            Operator::Below => own < whole.as_slice(),
            Operator::Near => own >= whole.as_slice() && begins(self.numbers.len().saturating_sub(1).max(1)),
            Operator::Compatible => {
                let first = self.numbers.iter().position(|number| *number != 0).unwrap_or(self.numbers.len() - 1);
                own >= whole.as_slice() && begins(first + 1)
            }
        }
    }
}

impl FromStr for RequiredVersion {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let clause = |part: &str| {
            let part = part.trim();
            let (rest, operator) = OPERATORS.iter().find_map(|(sign, operator)| Some((part.strip_prefix(sign)?, *operator)))?;
            let rest = rest.trim().trim_start_matches('v');
            let rest = if operator == Operator::Equal || operator == Operator::Unequal {
                rest.strip_suffix(".*").unwrap_or(rest)
            } else {
                rest
            };
            Some(Clause { operator, numbers: numbers(rest)? })
        };
        let clauses: Option<Vec<Clause>> = text.split(',').map(clause).collect();
        clauses.map(|clauses| Self { text: text.trim().to_owned(), clauses }).ok_or(())
    }
}

impl fmt::Display for RequiredVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// One to three numbers with dots between them.
fn numbers(text: &str) -> Option<Vec<u64>> {
    let numbers: Option<Vec<u64>> = text.split('.').map(|number| number.parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() <= 3)
}

impl Projects {
    /// A settings file that is written for other versions of this program, and the requirement in it, among those read so far.
    pub fn refused_version(&self) -> Option<&(Arc<Path>, String)> {
        self.refused_version.get()
    }
}

/// Reads the requirement; a program that does not meet it reports that, at this place.
pub(super) fn required<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> Option<Sourced<RequiredVersion>> {
    let required: Sourced<RequiredVersion> = reader.parsed(entry, |text| {
        text.parse().map_err(|()| {
            let help = "write for example `\">=0.3\"`, `\">=0.3,<0.5\"` or `\"==0.3.*\"`".to_owned();
            (format!("`{text}` is not a requirement on a version"), help)
        })
    })?;
    if !required.value.holds() {
        let message = format!("this is cfg {OWN}, and the settings require {}", required.value);
        let help = "use a version of cfg that meets the requirement, or change it".to_owned();
        reader.refuse(entry, message, Some(help));
    }
    Some(required)
}

#[cfg(test)]
mod tests {
    use super::RequiredVersion;

    #[test]
    fn requirements_are_those_of_packages() {
        let allows = |text: &str, version: &str| text.parse::<RequiredVersion>().map(|required| required.allows(version));
        for (text, version) in [
            (">=0.1", "0.1.0"),
            (">=0.1,<0.3", "0.2.9"),
            ("==0.2.*", "0.2.7"),
            ("0.2", "0.2.7"),
            ("0.2.7", "0.2.7"),
            ("=0.2.7", "0.2.7"),
            ("^0.2.1", "0.2.9"),
            ("^1.2", "1.9.0"),
            ("~=0.2.1", "0.2.9"),
            ("~0.2", "0.9.0"),
            ("<=0.2", "0.2.5"),
            ("!=0.2.6", "0.2.7"),
            (" >= v0.2 , < 1 ", "0.9.0-rc.1"),
        ] {
            assert_eq!(allows(text, version), Ok(true), "{text} {version}");
        }
        for (text, version) in [
            (">=0.3", "0.2.9"),
            (">0.2", "0.2.9"),
            ("<0.2.0", "0.2.0"),
            ("==0.2.*", "0.3.0"),
            ("0.2.7", "0.2.8"),
            ("^0.2.1", "0.3.0"),
            ("^1.2", "2.0.0"),
            ("~=0.2.1", "0.3.0"),
            ("!=0.2", "0.2.7"),
            (">=0.1,<0.3", "0.3.0"),
        ] {
            assert_eq!(allows(text, version), Ok(false), "{text} {version}");
        }
        for text in ["", "latest", ">=", "0.1.2.3", ">=0.1,", "==*", "0.x"] {
            assert_eq!(allows(text, "0.1.0"), Err(()), "{text}");
        }
    }
}
