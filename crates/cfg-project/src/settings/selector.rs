//! Selects the codes that a setting applies to: `PRL101`, `unknown-key`, `PRL1`, `ALL`.

use std::{fmt, str::FromStr};

use cfg_diag::{Code, codes};

use super::nearest::nearest;

/// Selects one code, the codes with a common prefix, or all codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// `ALL`.
    All,
    /// A code prefix: `PRL1`.
    Prefix(String),
    /// A single code, by its code or its name.
    Code(Code),
}

/// The families of codes, by the digit after `PRL`, including families that have no code in this version.
const FAMILIES: std::ops::RangeInclusive<char> = '0'..='8';

impl Selector {
    /// Whether it selects `code`.
    pub fn matches(&self, code: Code) -> bool {
        match self {
            Self::All => true,
            Self::Prefix(prefix) => code.code.starts_with(prefix.as_str()),
            Self::Code(own) => own.code == code.code,
        }
    }

    /// How specific it is: of two matching selectors, the one with the larger number decides.
    pub fn specificity(&self) -> usize {
        match self {
            Self::All => 0,
            Self::Prefix(prefix) => prefix.len(),
            Self::Code(_) => usize::MAX,
        }
    }
}

impl FromStr for Selector {
    /// The message that says what to write instead.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.eq_ignore_ascii_case("ALL") {
            return Ok(Self::All);
        }
        if let Some(code) = codes::find(text) {
            return Ok(Self::Code(code));
        }
        let upper = text.to_ascii_uppercase();
        let is_family = upper.strip_prefix("PRL").is_some_and(|digits| match digits.chars().next() {
            None => true,
            Some(family) => {
                digits.len() == 1 && FAMILIES.contains(&family) || codes::ALL.iter().any(|info| info.code.starts_with(&upper))
            }
        });
        if is_family {
            return Ok(Self::Prefix(upper));
        }
        // A code with a wrong digit means another finding, so only similar names are suggested.
        match nearest(text, codes::ALL.iter().map(|info| info.name)) {
            Some(name) if !upper.starts_with("PRL") => Err(format!("did you mean `{name}`?")),
            _ => Err("write a code (`PRL101`), a name (`unknown-key`), a code prefix (`PRL1`) or `ALL`".to_owned()),
        }
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::All => "ALL",
            Self::Prefix(prefix) => prefix,
            Self::Code(code) => code.code,
        })
    }
}

#[cfg(test)]
mod tests {
    use cfg_diag::codes;

    use super::Selector;

    #[test]
    fn codes_names_and_families_are_understood() {
        let selects = |text: &str| text.parse::<Selector>().map(|selector| selector.matches(&codes::UNKNOWN_KEY));
        for text in ["PRL101", "prl101", "unknown-key", "PRL", "PRL1", "PRL10", "ALL", "all"] {
            assert_eq!(selects(text), Ok(true), "{text}");
        }
        for text in ["PRL0", "PRL104", "wrong-type", "PRL8"] {
            assert_eq!(selects(text), Ok(false), "{text}");
        }
    }

    #[test]
    fn an_unknown_selector_suggests_the_nearest() {
        let problem = |text: &str| text.parse::<Selector>().expect_err("it is no selector");
        assert_eq!(problem("unknwon_key"), "did you mean `unknown-key`?");
        for text in ["", "PRL9", "PRL1011", "E501", "PRL1x"] {
            assert!(problem(text).starts_with("write a code"), "{text}");
        }
    }
}
