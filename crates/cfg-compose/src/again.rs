//! Files that several configs of a command need: each is read again for each of them, until that takes too much.

use std::path::{Path, PathBuf};

use cfg_diag::{Diagnostic, codes};
use cfg_system::{System, tidy};

/// The path by which such a file is known, whatever links lead to it.
pub fn real_path(path: &Path, system: &dyn System) -> PathBuf {
    system.real(path).unwrap_or_else(|_| tidy(&system.absolute(path)))
}

/// The finding for a config for which a file is not read again; the verdict depends on that file.
pub fn not_read_again(path: &str) -> Diagnostic {
    let message = format!("{path} is not read for this config: the command has read it for too many others");
    let help = "check fewer configs at once: a command reads at most 160,000 keys and items again, beyond 300 for each config";
    Diagnostic::new(&codes::UNREADABLE_FILE, message).help(help)
}

/// About how many keys and items a text of TOML or JSON has: each is behind a sign or before the next one.
pub fn keys_of(text: &[u8]) -> usize {
    text.iter().filter(|byte| matches!(byte, b'=' | b',' | b':')).count()
}
