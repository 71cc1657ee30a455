//! The program that a command starts, compared with the entrypoints that its prime-rl has.

use cfg_compose::{CommandLine, Launch, Word};
use cfg_diag::{Diagnostic, Severity, codes};
use cfg_schema::{Entrypoint, History, Kind, Target};

use crate::{Certainty, Checked};

/// The finding for a program that reads none of these configs, or that this prime-rl does not have.
pub(super) fn finding(line: &CommandLine, launch: &Launch, checked: &Checked) -> Option<Diagnostic> {
    let word = word(line, launch)?;
    let target = &checked.target;
    // Evaluations are started by verifiers' program of the same name.
    let is_checked = launch.kind.is_none_or(|kind| kind != Kind::Eval && target.schema(kind).root().at(target.point).is_some());
    let absence = Some(name(word)).filter(|_| is_checked && is_recorded(target) && checked.own.is_none());
    if let Some(absence) = absence.and_then(|name| Entrypoint::absence(name, target.point)) {
        let message = format!("{target} has no entrypoint `{}`: {absence}", name(word));
        let programs = target.history.entrypoints(target.point).join(", ");
        let mut found = Diagnostic::new(&codes::UNUSABLE_ARGUMENT, message).at(word.location);
        found = found.help(format!("start one that it has: {programs}; or state the prime-rl that you run"));
        if !matches!(checked.certainty, Certainty::Stated | Certainty::Read(_)) {
            found.severity = Severity::Warning;
        }
        return Some(found);
    }
    launch.stranger.map(|_| stranger(word))
}

/// The finding for an entrypoint that the prime-rl has, but whose fields the history does not have.
pub(super) fn without_fields(line: &CommandLine, launch: &Launch, target: &Target) -> Option<Diagnostic> {
    let word = launch.stranger.and_then(|_| word(line, launch)).filter(|_| is_recorded(target))?;
    let entry = Entrypoint::named(name(word)).find(|entry| entry.kind.is_none() && entry.is_at(target.point))?;
    let message = format!(
        "only the TOML syntax of these files is checked: cfg does not know the fields of `{}`, the class of `{}` of {target}",
        entry.class.rsplit('.').next().unwrap_or_default(),
        entry.name
    );
    let help = "check them next to the checkout of that prime-rl, whose class is read: `--target path:CHECKOUT`";
    Some(Diagnostic::new(&codes::UNCHECKED_KIND, message).at(word.location).help(help))
}

/// Whether the entrypoints of a target are those of the history.
fn is_recorded(target: &Target) -> bool {
    target.history == History::built_in() && !target.is_beyond
}

/// The word that names the program.
fn word<'l>(line: &'l CommandLine, launch: &Launch) -> Option<&'l Word> {
    let index = launch.stranger.or_else(|| launch.kind.and(launch.arguments.start.checked_sub(1)))?;
    line.words.get(index)
}

/// The name of the program without its folder.
fn name(word: &Word) -> &str {
    word.text.rsplit('/').next().unwrap_or(&word.text)
}

fn stranger(word: &Word) -> Diagnostic {
    let programs: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    let message = format!("`{}` is not a prime-rl program that reads these configs", word.text);
    Diagnostic::new(&codes::UNUSABLE_ARGUMENT, message)
        .at(word.location)
        .help(format!("the programs are {}: `uv run rl @ FILE`", programs.join(", ")))
}
