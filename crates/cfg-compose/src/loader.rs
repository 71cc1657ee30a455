//! The generations of prime-rl's loader: values, not branches.

use cfg_schema::Point;
use cfg_syntax::Dialect;

cfg_schema::points! {
    /// Of December 2025: the first point at which the inference server knows its own flags by their spelling with hyphens too.
    pub LENIENT_FLAGS_WITH_HYPHENS = 99, "91182b7d6";
    /// Of February 2026: the first point at which pydantic-settings no longer lays a field's default below the user's table.
    pub DEFAULTS_NO_LONGER_MERGED = 190, "f9b7856ee";
    /// Of March 2026: the first point whose configs are no longer loaded by pydantic-settings.
    pub LEFT_PYDANTIC_SETTINGS = 204, "09a6875f1";
    /// Of May 2026: until here aliases become one key in nullable tables and tagged unions too. The loader of that time was another; the
    /// release after it stands for it, as in the recorded verdicts.
    pub ALIASES_COLLAPSE_IN_VARIANTS_UNTIL = 307, "81f9e9512";
    /// Of May 2026: the first point behind 897b935ca, which locked a tomli that reads TOML 1.1 (2.4.1 after 2.2.1).
    TOMLI_2_4 = 308, "ae610d9dd";
    /// Of May 2026: the first point whose command line is no longer read by tyro.
    pub LEFT_TYRO = 315, "d3e478d73";
    /// Of August 2026: the first point at which aliases become one key there again (prime-pydantic-config 0.4.3).
    pub ALIASES_COLLAPSE_IN_VARIANTS = 438, "15d6c8197";
}

/// The TOML that the loader reads at `point`.
pub fn dialect(point: Point) -> Dialect {
    if point < TOMLI_2_4 { Dialect::Toml10 } else { Dialect::Toml11 }
}

/// The uncaught exception in which a file that is not TOML ends at `point`.
pub fn syntax_exception(point: Point) -> &'static str {
    at(point).syntax
}

/// How a later file is laid over an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// Each key of the root replaces that of the earlier file, with all that is below.
    Shallow,
    /// Tables are merged key by key, everything else is replaced.
    Deep,
}

/// What becomes of `--a.b @ file`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nested {
    /// It is one file among the others, at its place. The keys of the prefix are wrapped around it from the first to the last, so that
    /// the last ends up outermost.
    InPlace,
    /// It is merged when all files of the root are, and `@file` may be one word.
    BehindTheRoot,
}

/// Who reads the words of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// pydantic-settings, on argparse.
    Settings,
    /// pydantic-config takes some words, tyro the rest.
    Tyro,
    /// pydantic-config alone.
    Own,
}

/// A generation of the loader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loader {
    /// How files are merged.
    pub merge: Merge,
    /// Where nested files go.
    pub nested: Nested,
    /// Whether `toml_files` at the root of a file names further ones.
    pub includes: bool,
    /// The endings of the files that it reads; every file is read as TOML where there are none.
    pub suffixes: &'static [&'static str],
    /// The exception for a file that is not there.
    pub missing: &'static str,
    /// The exception for a file that is not TOML.
    pub syntax: &'static str,
    /// The exception for an `@` behind which nothing follows.
    pub nothing_behind_at: &'static str,
    /// Who reads the words of the command line.
    pub grammar: Grammar,
    /// The prefix of the environment variables that set values.
    pub environment: Option<&'static str>,
    /// Whether the files are checked before the rest of the command line is read, and everything once more behind it.
    pub two_passes: bool,
}

const SETTINGS: Loader = Loader {
    merge: Merge::Shallow,
    nested: Nested::InPlace,
    includes: true,
    suffixes: &[],
    missing: "FileNotFoundError",
    syntax: "TOMLDecodeError",
    nothing_behind_at: "ValueError",
    grammar: Grammar::Settings,
    environment: Some("PRIME_"),
    two_passes: false,
};

const TYRO: Loader = Loader {
    merge: Merge::Deep,
    nested: Nested::BehindTheRoot,
    includes: false,
    suffixes: &[".toml", ".json", ".yaml", ".yml"],
    missing: "ConfigFileError",
    syntax: "ConfigFileError",
    nothing_behind_at: "ConfigFileError",
    grammar: Grammar::Tyro,
    environment: None,
    two_passes: true,
};

const OWN: Loader = Loader { grammar: Grammar::Own, two_passes: false, ..TYRO };

/// The loader of prime-rl at `point`.
pub const fn at(point: Point) -> &'static Loader {
    if point.0 < LEFT_PYDANTIC_SETTINGS.0 {
        &SETTINGS
    } else if point.0 < LEFT_TYRO.0 {
        &TYRO
    } else {
        &OWN
    }
}

#[cfg(test)]
mod tests {
    use cfg_schema::{Commit, History};

    use super::{
        ALIASES_COLLAPSE_IN_VARIANTS, DEFAULTS_NO_LONGER_MERGED, LEFT_PYDANTIC_SETTINGS, LEFT_TYRO, LENIENT_FLAGS_WITH_HYPHENS,
        TOMLI_2_4,
    };

    #[test]
    fn the_points_are_the_commits_that_are_meant() {
        let sha = |point| History::built_in().commit_of(point).map(Commit::short_sha).unwrap_or_default();
        assert_eq!(sha(LEFT_PYDANTIC_SETTINGS), "09a6875f1");
        assert_eq!(sha(LEFT_TYRO), "d3e478d73");
        assert_eq!(sha(LENIENT_FLAGS_WITH_HYPHENS), "91182b7d6");
        assert_eq!(sha(DEFAULTS_NO_LONGER_MERGED), "f9b7856ee");
        assert_eq!(sha(ALIASES_COLLAPSE_IN_VARIANTS), "15d6c8197");
        assert_eq!(sha(TOMLI_2_4), "ae610d9dd");
    }
}
