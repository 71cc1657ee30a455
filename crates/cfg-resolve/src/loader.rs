//! The generations of prime-rl's loader: values, not branches.

use cfg_schema::Point;
use cfg_syntax::Dialect;

/// The first point whose configs are no longer loaded by pydantic-settings: 09a6875f1, of March 2026.
pub(crate) const LEFT_PYDANTIC_SETTINGS: Point = Point(203);

/// The uncaught exception in which a file ends that is no TOML, at `point`.
pub fn syntax_exception(point: Point) -> &'static str {
    if point < LEFT_PYDANTIC_SETTINGS { "TOMLDecodeError" } else { "ConfigFileError" }
}

/// The first point whose lock file has a tomli that reads TOML 1.1 (2.4 and later).
const TOMLI_2_4: Point = Point(243);

/// The TOML that the loader reads, at `point`.
pub fn dialect(point: Point) -> Dialect {
    if point <= TOMLI_2_4 { Dialect::Toml10 } else { Dialect::Toml11 }
}
