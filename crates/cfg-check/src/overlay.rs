//! A file that may be meant to be laid over another one.

use cfg_diag::{Diagnostic, codes};
use cfg_schema::{Kind, Point};

use cfg_compose::loader::{self, Merge};

/// Whether a file can't be judged alone: it lacks a table of the root, or does not tell its kind.
pub(crate) fn is_fragment(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| {
        let is_of_root = || diagnostic.native.as_ref().is_some_and(|native| native.loc.len() == 1);
        let is_open = [codes::UNKNOWN_KIND.code, codes::NOT_A_CONFIG.code].contains(&diagnostic.code.code);
        is_open || diagnostic.code == &codes::MISSING_KEY && is_of_root()
    })
}

/// Where a config lacks a table of its root, it may be a part of one: says how it is checked with the rest. The finding stays, as prime-rl
/// refuses the file by itself.
pub(crate) fn mention(diagnostics: &mut [Diagnostic], kind: Kind, point: Point, path: &str) {
    let lacks_table = |diagnostic: &&mut Diagnostic| {
        let is_of_root = diagnostic.native.as_ref().is_some_and(|native| native.loc.len() == 1);
        diagnostic.code == &codes::MISSING_KEY && is_of_root
    };
    if let Some(diagnostic) = diagnostics.iter_mut().find(lacks_table) {
        let path = if path.starts_with('<') { "this.toml" } else { path };
        let check = format!("`cfg check -- {} @ BASE @ {path}`", kind.name());
        let caution = match loader::at(point).merge {
            Merge::Shallow => "; this prime-rl then takes each table of the root from the last file that has it",
            Merge::Deep => "",
        };
        let help = diagnostic.help.take().map(|help| help + "; ").unwrap_or_default();
        diagnostic.help = Some(format!("{help}if the file is laid over another one, check the two together: {check}{caution}"));
    }
}
