//! The generations of prime-rl's loader: values, not branches.

use cfg_schema::Point;
use cfg_syntax::Dialect;

/// 09a6875f1, of March 2026: the first point whose configs are no longer loaded by pydantic-settings.
pub(crate) const LEFT_PYDANTIC_SETTINGS: Point = Point(203);

/// f9b7856ee, of February 2026: the first point at which pydantic-settings no longer lays a field's default below the user's table.
pub(crate) const DEFAULTS_NO_LONGER_MERGED: Point = Point(189);

/// Of May 2026: until here aliases become one key in nullable tables and tagged unions too. The loader of that time was another; the
/// release after it stands for it, as in the recorded verdicts.
pub(crate) const ALIASES_COLLAPSE_IN_VARIANTS_UNTIL: Point = Point(306);

/// 15d6c8197, of August 2026: the first point at which they do so again (prime-pydantic-config 0.4.3).
pub(crate) const ALIASES_COLLAPSE_IN_VARIANTS: Point = Point(425);

/// Of May 2026: the first point behind 897b935ca, which locked a tomli that reads TOML 1.1 (2.4.1 after 2.2.1).
const TOMLI_2_4: Point = Point(307);

/// The TOML that the loader reads at `point`.
pub fn dialect(point: Point) -> Dialect {
    if point < TOMLI_2_4 { Dialect::Toml10 } else { Dialect::Toml11 }
}

/// The uncaught exception in which a file that is no TOML ends at `point`.
pub fn syntax_exception(point: Point) -> &'static str {
    if point < LEFT_PYDANTIC_SETTINGS { "TOMLDecodeError" } else { "ConfigFileError" }
}

#[cfg(test)]
mod tests {
    use cfg_schema::{Commit, History};

    use super::{ALIASES_COLLAPSE_IN_VARIANTS, DEFAULTS_NO_LONGER_MERGED, LEFT_PYDANTIC_SETTINGS, TOMLI_2_4};

    #[test]
    fn the_points_are_the_commits_that_are_meant() {
        let sha = |point| History::built_in().commit_of(point).map(Commit::short_sha).unwrap_or_default();
        assert_eq!(sha(LEFT_PYDANTIC_SETTINGS), "09a6875f1");
        assert_eq!(sha(DEFAULTS_NO_LONGER_MERGED), "f9b7856ee");
        assert_eq!(sha(ALIASES_COLLAPSE_IN_VARIANTS), "15d6c8197");
        assert_eq!(sha(TOMLI_2_4), "ae610d9dd");
    }
}
