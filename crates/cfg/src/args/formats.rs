//! Output formats, and which of them each command has. `--format` is an option of every command, but each accepts only its own formats.

use std::sync::LazyLock;

use clap::{
    Arg, ArgMatches, Command, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser as _},
    error::ErrorKind,
};

use super::Arguments;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Each finding with its source lines, at most 100 per file
    Full,
    /// One line per finding
    Concise,
    /// One JSON document
    Json,
    /// One JSON document per finding, each on its own line
    JsonLines,
    /// GitHub workflow annotations
    Github,
    /// GitLab code quality report
    Gitlab,
    /// JUnit XML, one suite per file
    Junit,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// A config in TOML
    Toml,
    /// A picture
    Svg,
    /// A Mermaid flowchart
    Mermaid,
    /// A Graphviz graph
    Dot,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// If the terminal supports them
    Auto,
    Always,
    Never,
}

impl Format {
    /// The format of findings of the same name.
    pub(crate) fn of_findings(self) -> Option<cfg_report::Format> {
        let value = self.to_possible_value()?;
        cfg_report::Format::ALL.iter().copied().find(|format| format.name() == value.get_name())
    }
}

/// The formats of commands that report findings.
static FINDINGS: LazyLock<Vec<Format>> =
    LazyLock::new(|| Format::value_variants().iter().copied().filter(|format| format.of_findings().is_some()).collect());

/// The formats of the other commands.
const LISTING: &[Format] = &[Format::Full, Format::Concise, Format::Json, Format::JsonLines];

const PICTURE: &[Format] = &[Format::Full, Format::Concise, Format::Json, Format::JsonLines, Format::Svg];

/// The formats of some commands, by the words of the command (`registry verify`); all others have those of `LISTING`.
const OF_COMMANDS: [(&str, &[Format]); 8] = [
    ("compile", &[Format::Full, Format::Json, Format::JsonLines, Format::Toml]),
    ("diff", &[Format::Full, Format::Concise, Format::Json]),
    ("memory", PICTURE),
    ("estimate", PICTURE),
    ("plan", PICTURE),
    ("log", &[Format::Full, Format::Concise, Format::Json, Format::JsonLines, Format::Mermaid, Format::Dot, Format::Svg]),
    ("lsp", &[Format::Full]),
    ("mcp", &[Format::Full]),
];

/// The commands that report findings.
const REPORT_FINDINGS: [&str; 3] = ["check", "hook run", "registry verify"];

fn of(words: &str) -> &'static [Format] {
    if REPORT_FINDINGS.contains(&words) {
        return &FINDINGS;
    }
    OF_COMMANDS.iter().find(|(name, _)| *name == words).map_or(LISTING, |(_, formats)| formats)
}

/// Whether a command has only one format, so that there is nothing to choose.
pub(super) fn has_one_format(words: &str) -> bool {
    of(words).len() == 1
}

/// Replaces the common `--format` by its own option for each command.
pub(super) fn offer(command: Command) -> Command {
    let general = command.get_arguments().find(|arg| arg.get_id() == "format").cloned();
    let Some(general) = general else { return command };
    offer_below(command, &general, "")
}

fn offer_below(command: Command, general: &Arg, words: &str) -> Command {
    command.mut_subcommands(|command| {
        let words = format!("{words} {}", command.get_name()).trim_start().to_owned();
        if command.has_subcommands() {
            return offer_below(command, general, &words);
        }
        let values = PossibleValuesParser::new(of(&words).iter().filter_map(Format::to_possible_value));
        let parser = values.map(|value| Format::from_str(&value, false).unwrap_or(Format::Full));
        command.arg(general.clone().value_parser(parser))
    })
}

/// Refuses a `--format` that was given before the command, if the command does not have that format.
pub(super) fn check(command: &mut Command, matches: &ArgMatches, arguments: &Arguments) -> Result<(), clap::Error> {
    let below = std::iter::successors(matches.subcommand(), |(_, matches)| matches.subcommand());
    let words = below.map(|(name, _)| name).collect::<Vec<_>>().join(" ");
    let formats = of(&words);
    if formats.contains(&arguments.common.format) {
        return Ok(());
    }
    let name = |format: &Format| format.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
    let (format, others) = (name(&arguments.common.format), formats.iter().map(name).collect::<Vec<_>>().join(", "));
    let message = format!("`cfg {words}` has no format '{format}'\n  [possible values: {others}]");
    Err(command.error(ErrorKind::InvalidValue, message))
}

#[cfg(test)]
mod tests {
    use super::FINDINGS;

    #[test]
    fn every_format_of_findings_is_offered() {
        for format in cfg_report::Format::ALL {
            assert!(
                FINDINGS.iter().any(|offered| offered.of_findings() == Some(*format)),
                "add {format:?} to `Format` in args/formats.rs, with what `--help` says about it"
            );
        }
    }
}
