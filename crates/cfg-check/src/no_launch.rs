//! The finding for a command that starts no run from a config.

use std::path::Path;

use cfg_compose::{CommandLine, Launch, Word, launches, program_of};
use cfg_diag::{Diagnostic, Severity, codes};
use cfg_system::{Role, System};

use crate::hosted;

/// The finding for a command in which no launch is found, and none of whose words names a config as prime-rl's loader expects it.
pub(crate) fn finding(line: &CommandLine, launch: &Launch, system: &dyn System) -> Option<Diagnostic> {
    if let Some(found) = of_platform(&line.words) {
        return Some(found);
    }
    if hosted::command::started(&line.words).is_some() {
        return None;
    }
    let is_launch = launch.kind.is_some() || launch.stranger.is_some();
    if is_launch || line.words.iter().any(|word| word.text.starts_with('@')) {
        return None;
    }
    let (first, last) = (line.words.first()?.location, line.end()?);
    let place = cfg_diag::Location::new(first.file, cfg_diag::Span::new(first.span.start, last.span.end));
    let message = "no launch of prime-rl is found in this command, so nothing is checked";
    Some(Diagnostic::new(&codes::UNUSABLE_ARGUMENT, message).at(place).help(help(&line.words, system)))
}

/// The finding for a command that starts several runs, of which only the last is checked.
pub(crate) fn others(others: &[String], last: &str) -> Diagnostic {
    let named = |launch: &String| format!("`{}`", cfg_diag::one_line(launch));
    let message = format!(
        "this command starts {} runs, and only `{}` is checked, but not {}",
        others.len() + 1,
        cfg_diag::one_line(last),
        others.iter().map(named).collect::<Vec<_>>().join(", ")
    );
    let mut found = Diagnostic::new(&codes::UNUSABLE_ARGUMENT, message).help("check each of them alone: `cfg check -- COMMAND`");
    found.severity = Severity::Warning;
    found
}

/// The finding for a command of the platform's program that gives it no config.
fn of_platform(words: &[Word]) -> Option<Diagnostic> {
    let may_be_config = |word: &Word| word.text.starts_with('@') || word.text.ends_with(".toml");
    program_of(words, &["prime"]).filter(|_| !words.iter().any(may_be_config))?;
    let message = "`cfg` does not check this command of `prime`: it starts no run from a config";
    let help = "the files of `prime train FILE` and `prime eval run FILE.toml --hosted` are checked";
    Some(Diagnostic::new(&codes::NOT_A_CONFIG, message).help(help))
}

/// What to pass instead.
fn help(words: &[Word], system: &dyn System) -> String {
    for name in words.iter().map(|word| &*word.text).filter(|name| system.is_file(Path::new(name))) {
        if name.strip_suffix(".toml").is_some() {
            return format!(
                "check the config alone with `cfg check {name}`, or pass the command that starts it: `cfg check -- uv run rl @ {name}`"
            );
        }
        let started = system.text(Path::new(name), Role::Project).map(|text| launches(&text)).unwrap_or_default();
        if let Some(launch) = started.first() {
            let command = format!("uv run {} {}", launch.kind.name(), launch.words.join(" "));
            return format!("pass the command that `{name}` runs: `cfg check -- {command}`");
        }
    }
    "pass the command that starts the run, as in `cfg check -- uv run rl @ FILE.toml`, or a config, as in `cfg check FILE.toml`"
        .to_owned()
}
