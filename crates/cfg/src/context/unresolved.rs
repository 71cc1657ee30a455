//! Why a config has no resolved values.

use cfg_check::COMMAND_LINE;
use cfg_diag::{Diagnostic, Severity, codes, one_line};

/// Why a config has no resolved values, if no error in it is the reason.
pub(super) fn unresolved(name: &str, diagnostics: &[Diagnostic]) -> Option<String> {
    let name = if name == COMMAND_LINE { "the config".into() } else { one_line(name) };
    if diagnostics.iter().any(|found| found.code == &codes::UNKNOWN_KIND) {
        return Some(format!("{name} can't be resolved without its kind: pass it, such as `--kind rl`"));
    }
    if diagnostics.iter().any(|found| found.severity == Severity::Error) {
        return None;
    }
    let ahead: Vec<String> = diagnostics
        .iter()
        .filter(|found| found.code == &codes::FUTURE_KEY)
        .filter_map(|found| found.key.as_ref().map(|key| format!("`{}`", one_line(key))))
        .collect();
    if !ahead.is_empty() {
        return Some(format!(
            "{name} can't be resolved: this cfg does not know what a newer prime-rl does with {}; pass your checkout, `--target path:CHECKOUT`, or \
             remove the key",
            ahead.join(", ")
        ));
    }
    Some(match diagnostics.first() {
        Some(first) => format!("{name} can't be resolved: see {} above", first.code.code),
        None => format!("{name} is not a prime-rl config"),
    })
}
