//! The generations of prime-rl's loader: values, not branches.

use cfg_schema::{Behaviour, Point};
use cfg_syntax::Dialect;

/// The TOML that the loader reads at `point`.
pub fn dialect(point: Point) -> Dialect {
    if point.lacks(Behaviour::Tomli24) { Dialect::Toml10 } else { Dialect::Toml11 }
}

/// The uncaught exception for a file that is not TOML at `point`.
pub fn syntax_exception(point: Point) -> &'static str {
    at(point).syntax
}

/// How a later file is merged over an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// Each key of the root replaces that of the earlier file, with everything below it.
    Shallow,
    /// Tables are merged key by key, everything else is replaced.
    Deep,
}

/// What happens to `--a.b @ file`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nested {
    /// It is one of the files, at its place. The keys of the prefix are wrapped around it from the first to the last, so that the last becomes the
    /// outermost.
    InPlace,
    /// It is merged after all files of the root, and `@file` can be one word behind a flag.
    BehindTheRoot,
}

/// The parser of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// pydantic-settings, on argparse.
    Settings,
    /// pydantic-config reads some arguments, tyro the rest.
    Tyro,
    /// pydantic-config alone.
    Own,
}

/// A generation of the loader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loader {
    /// How files are merged.
    pub merge: Merge,
    /// The order of nested files.
    pub nested: Nested,
    /// Whether `toml_files` at the root of a file includes further ones.
    pub includes: bool,
    /// The extensions of the files that it reads; without any, every file is read as TOML.
    pub suffixes: &'static [&'static str],
    /// The exception for a missing file.
    pub missing: &'static str,
    /// The exception for a file that is not TOML.
    pub syntax: &'static str,
    /// The exception for an `@` at the end.
    pub nothing_behind_at: &'static str,
    /// The parser of the command line.
    pub grammar: Grammar,
    /// The prefix of the environment variables that set values.
    pub environment: Option<&'static str>,
    /// Whether `@file` can be one word for a file of the root too.
    pub glued_root: bool,
    /// Whether the files are checked before the rest of the command line is read, and then everything again.
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
    glued_root: false,
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
    glued_root: false,
    two_passes: true,
};

const OWN: Loader = Loader { grammar: Grammar::Own, two_passes: false, ..TYRO };

/// `parse_argv` of the first pydantic-config, which programs other than prime-rl use.
pub const PARSE_ARGV: Loader = Loader { glued_root: true, ..OWN };

/// The loader of prime-rl at `point`.
pub const fn at(point: Point) -> &'static Loader {
    if point.lacks(Behaviour::LeftPydanticSettings) {
        &SETTINGS
    } else if point.lacks(Behaviour::LeftTyro) {
        &TYRO
    } else {
        &OWN
    }
}
