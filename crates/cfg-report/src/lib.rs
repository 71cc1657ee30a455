//! Diagnostics in the forms that users and programs read.
//!
//! A [`Reporter`] turns the findings of one file into text: a picture of the place ([`Format::Full`]), one line each
//! ([`Format::Concise`]), the JSON of `schemas/report.schema.json` ([`Format::Json`]), or the format of a CI system. A [`Stream`]
//! writes file after file, so that ten thousand files are never in memory together, and counts its output in a [`Summary`].
//!
//! ```
//! use cfg_diag::{Diagnostic, FileId, Location, Span, Verdict, codes};
//! use cfg_report::{FileReport, Format, Reporter, Sources, Style};
//!
//! let text = "[orchestrator]\nseqlen = 4096\n";
//! let sources = Sources::single("rl.toml", text);
//! let place = Location::new(FileId(0), Span::new(15, 21));
//! let diagnostics = [Diagnostic::new(&codes::UNKNOWN_KEY, "`orchestrator` has no key `seqlen`").at(place)];
//! let (kind, target) = (Some("rl"), Some("0.4.0"));
//! let file = FileReport { kind, target, verdict: Verdict::Rejected, ..FileReport::about("rl.toml", &diagnostics) };
//!
//! let mut stream = Reporter::new(Format::Concise, Style::default()).stream(Vec::new());
//! stream.file(&file, &sources)?;
//! let closing = stream.summary().sentence();
//! let written = stream.finish(&closing)?;
//! assert_eq!(
//!     String::from_utf8_lossy(&written),
//!     "rl.toml:2:1: error[PRL101] `orchestrator` has no key `seqlen`\nFound 1 error\n"
//! );
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Architecture invariant: text of a config, or of a path, never reaches a terminal before [`cfg_diag::one_line`] has made its control
//! characters visible. That no line is a command of a CI system is seen to by [`Guarded`], where lines are printed. Only `full/picture.rs` names miette.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod compared;
mod concise;
pub mod course;
pub mod curriculum;
pub mod curves;
pub mod diagnosis;
pub mod draft;
pub mod estimate;
mod fingerprint;
mod folded;
mod full;
mod github;
mod gitlab;
pub mod gpus;
mod guarded;
pub mod json;
mod junit;
pub mod launch;
mod layout;
pub mod listed;
pub mod memory;
pub mod migration;
pub mod model;
pub mod outcome;
pub mod page;
mod paint;
mod plain;
pub mod preflight;
pub mod resume;
mod root;
pub mod runs;
mod sarif;
pub mod schemas;
mod sources;
mod stream;
mod summary;
mod svg;
pub mod sweep;
mod text;
mod uri;
pub mod watch;

use cfg_diag::{Diagnostic, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use layout::Layout;

pub use folded::{Folded, fold, fold_paragraph};
pub use guarded::Guarded;
pub use json::{line_schema, report_schema};
pub use root::Root;
pub use sources::Sources;
pub use stream::{Rendered, Reporter, Stream};
pub use summary::{Summary, count};

macro_rules! formats {
    ($($(#[$meta:meta])* $format:ident = $name:literal $layout:path;)*) => {
        /// How findings are written.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum Format {
            $($(#[$meta])* $format,)*
        }

        impl Format {
            /// All formats. A command that reports findings offers each of them.
            pub const ALL: &[Self] = &[$(Self::$format),*];

            /// The word for it on a command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$format => $name,)*
                }
            }

            fn layout(self) -> &'static dyn Layout {
                match self {
                    $(Self::$format => &$layout,)*
                }
            }
        }
    };
}

formats! {
    /// Each finding with its lines, for people.
    #[default]
    Full = "full" full::FULL;
    /// Each finding on one line, for people and for tools that read `path:line:column:`.
    Concise = "concise" concise::CONCISE;
    /// One JSON document, for programs.
    Json = "json" json::Json;
    /// A JSON document for each finding, on one line ([`json::Line`]).
    JsonLines = "json-lines" json::JsonLines;
    /// Workflow commands, which GitHub shows as annotations of a change.
    Github = "github" github::Github;
    /// The code quality report of GitLab: a JSON array.
    Gitlab = "gitlab" gitlab::Gitlab;
    /// `JUnit`'s XML, which most CI systems show as test results: a suite for each file.
    Junit = "junit" junit::Junit;
    /// SARIF 2.1.0, the interchange format of static analysis, which code scanning reads.
    Sarif = "sarif" sarif::Sarif;
}

/// The abilities of the output. The caller determines them; nothing here reads the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether colours are supported.
    pub color: bool,
    /// Columns of a line; less than 40 counts as 40.
    pub width: usize,
    /// Whether hyperlinks (OSC 8) are supported; they are written only with colours.
    pub links: bool,
    /// Whether lines are drawn with box-drawing characters instead of ASCII.
    pub unicode: bool,
}

impl Default for Style {
    /// The abilities of every pipe and terminal: ASCII, 80 columns, no colours.
    fn default() -> Self {
        Self { color: false, width: 80, links: false, unicode: false }
    }
}

/// One checked file, or one checked launch, ready to be reported.
#[derive(Clone, Copy, Debug)]
pub struct FileReport<'a> {
    /// Its path, as the user writes it.
    pub path: &'a str,
    /// Its entrypoint.
    pub kind: Option<&'a str>,
    /// The target that it was checked for.
    pub target: Option<&'a str>,
    /// The verdict of that prime-rl.
    pub verdict: Verdict,
    /// The results of prime-rl's own checks.
    pub checks: Option<&'a Checks>,
    /// The findings, in display order.
    pub diagnostics: &'a [Diagnostic],
    /// The options that further commands about it repeat; `None` if no command can name it.
    pub repeated: Option<RepeatedOptions<'a>>,
    /// Whether it is about what several files have in common, and not a file of its own.
    pub is_common: bool,
    /// Whether a program of the project reads it that is none of prime-rl's.
    pub is_of_script: bool,
    /// How its kind and its target were found, if it was checked as a config.
    pub identity: Option<&'a Identity>,
    /// What was fixed before, if that was requested.
    pub fixed: Option<&'a json::FixesMade>,
}

/// For which prime-rl a config was judged, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Identity {
    /// The entrypoint that it is for: `rl`, `trainer`, `orchestrator`, `inference`, `sft`, or a program of verifiers or of the project; left out if that is
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The prime-rl for which it was judged; left out if that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// How certain the target is: `stated` by the user or the file, `read` from the project, `inferred` from the file's keys, `assumed`, `newer` than the
    /// known history, or `unknown`.
    pub certainty: &'static str,
    /// Why it is this target, in words.
    pub why: String,
    /// The files with which the config was checked, because it only overrides them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bases: Vec<String>,
    /// How scripts of the project start the config with flags, and whether these are counted, in words; left out if none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<Box<str>>,
}

impl<'a> FileReport<'a> {
    /// Findings about a file that was not checked for a prime-rl, such as settings or a registry.
    pub fn about(path: &'a str, diagnostics: &'a [Diagnostic]) -> Self {
        let repeated = Some(RepeatedOptions::default());
        Self {
            path,
            kind: None,
            target: None,
            verdict: Verdict::Ok,
            checks: None,
            diagnostics,
            repeated,
            is_common: false,
            is_of_script: false,
            identity: None,
            fixed: None,
        }
    }
}

/// Options from the command line that further commands about the same file repeat.
#[derive(Clone, Copy, Debug, Default)]
pub struct RepeatedOptions<'a> {
    /// Options of all commands, for a shell: `--target 0.4.0`.
    pub options: &'a str,
    /// The machine.
    pub gpu: Option<&'a str>,
}

/// The number of prime-rl's own checks that apply to a config.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Checks {
    /// The checks with known results.
    pub known: usize,
    /// The checks that are run from the source of the project's own prime-rl.
    pub from_source: usize,
    /// Why the results of some of them, or the decisions of packages that the config names, are unknown, without duplicates. No other check could
    /// refuse the config.
    pub undecided: Vec<String>,
}

impl Checks {
    /// In one line: `215 prime-rl checks apply, 3 run from source, none left open`.
    pub fn sentence(&self) -> String {
        let from_source = match self.from_source {
            0 => String::new(),
            some => format!(", {some} run from source"),
        };
        let undecided = match self.undecided.as_slice() {
            [] => ", none left open".to_owned(),
            [one] => format!(", 1 left open: {one}"),
            several => format!(", {} left open: {}", several.len(), several.join("; ")),
        };
        let applying = count(self.known + self.from_source, "prime-rl check");
        let apply = if self.known + self.from_source == 1 { " applies" } else { " apply" };
        applying + apply + &from_source + &undecided
    }
}
