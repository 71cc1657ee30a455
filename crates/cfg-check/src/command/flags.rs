//! Flags that prime-rl does not have, but other programs do: `--config FILE`.

use cfg_compose::CommandLine;
use cfg_diag::{Diagnostic, Location, codes};

/// The path of a config that the argument at this place is, or that a flag there has as its value: prime-rl reads one only after an `@`.
pub(super) fn config_at(line: &CommandLine, at: Location) -> Option<&str> {
    let index = line.words.iter().position(|word| word.location.file == at.file && word.location.span.start == at.span.start)?;
    let text = &*line.words[index].text;
    let value = match text.split_once('=') {
        Some((flag, value)) if flag.starts_with('-') => value,
        _ if text.starts_with('-') => &*line.words.get(index + 1)?.text,
        _ => text,
    };
    value.strip_suffix(".toml").map(|_| value)
}

/// Says of a flag that prime-rl does not have, but other programs do, `--config FILE`, what to write instead.
pub(crate) fn help_with_flags(line: &CommandLine, diagnostics: &mut [Diagnostic]) {
    for found in diagnostics.iter_mut().filter(|found| found.code == &codes::UNKNOWN_KEY) {
        if let Some(file) = found.location.and_then(|at| config_at(line, at)) {
            found.help = Some(format!("pass a config after an `@`: `@ {file}`"));
        }
    }
}
