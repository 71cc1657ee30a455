//! A file that may be an override for another config.

use std::collections::HashSet;

use cfg_diag::{Diagnostic, Native, codes};
use cfg_schema::{Kind, Point};

use cfg_compose::loader::{self, Merge};
use cfg_resolve::OTHER_VARIANT;

/// Whether a file can't be checked alone: it lacks a table of the root, or does not state its kind.
pub(crate) fn is_fragment(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| {
        let is_of_root = || diagnostic.native.as_ref().is_some_and(|native| native.loc.len() == 1);
        let is_open = [codes::UNKNOWN_KIND.code, codes::NOT_A_CONFIG.code].contains(&diagnostic.code.code);
        is_open || diagnostic.code == &codes::MISSING_KEY && is_of_root()
    })
}

/// Whether a table has a key of another variant than the default one, which its base may select.
pub(crate) fn has_key_of_other_variant(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.label.as_deref() == Some(OTHER_VARIANT))
}

/// Whether a config is complete except for one table of the root.
pub(crate) fn lacks_one(diagnostics: &[Diagnostic]) -> bool {
    let is_of_root = |found: &&Diagnostic| found.native.as_ref().is_some_and(|native| native.loc.len() == 1);
    diagnostics.iter().filter(|found| found.code == &codes::MISSING_KEY).filter(is_of_root).count() == 1
}

/// Removes the findings about missing root tables, and those caused by them. If no base completes the file, one finding says so.
pub(crate) fn leave_open(diagnostics: &mut Vec<Diagnostic>, kind: Option<Kind>, path: &str, base: Option<&str>) {
    let is_of_keys = |diagnostic: &Diagnostic| {
        let is_missing = diagnostic.code == &codes::MISSING_KEY || diagnostic.code == &codes::UNKNOWN_KIND;
        // Whether the value is valid may depend on those of the base.
        let depends = |native: &Native| matches!(&*native.kind, "value_error" | "assertion_error");
        !is_missing && diagnostic.native.as_ref().is_some_and(|native| !depends(native))
    };
    let is_about_text =
        |diagnostic: &Diagnostic| diagnostic.code.code < codes::UNKNOWN_KEY.code && diagnostic.code != &codes::UNKNOWN_KIND;
    // Together with its base, the file is a config that prime-rl accepts.
    diagnostics.retain(|diagnostic| {
        let is_of_value = cfg_rules::needs_only_its_value(diagnostic.code);
        base.is_none() && is_of_keys(diagnostic) || is_about_text(diagnostic) || is_of_value
    });
    if base.is_none() {
        let name = kind.map_or("rl", Kind::name);
        let message = "this file only overrides another config, but nothing says which one";
        let diagnostic = Diagnostic::new(&codes::UNKNOWN_BASE, message);
        diagnostics.push(diagnostic.help(format!(
            "add a comment at the top: `# Usage: uv run {name} @ BASE @ {path}`; or check both together: `cfg check -- {name} @ \
             BASE @ {path}`"
        )));
    }
}

/// Adds to the finding of a missing root table how to check the file together with its base, since it may be only a part of a config. The finding
/// stays, because prime-rl refuses the file alone.
pub(crate) fn mention(diagnostics: &mut [Diagnostic], kind: Kind, point: Point, path: &str) {
    let lacks_table = |diagnostic: &&mut Diagnostic| {
        let is_of_root = diagnostic.native.as_ref().is_some_and(|native| native.loc.len() == 1);
        diagnostic.code == &codes::MISSING_KEY && is_of_root
    };
    if let Some(diagnostic) = diagnostics.iter_mut().find(lacks_table) {
        let path = if path.starts_with('<') { "this.toml" } else { path };
        let check = format!("`cfg check -- {} @ BASE @ {path}`", kind.name());
        let caution = match loader::at(point).merge {
            Merge::Shallow => "; this prime-rl then takes each top-level table from the last file that has it",
            Merge::Deep => "",
        };
        let help = diagnostic.help.take().map(|help| help + "; ").unwrap_or_default();
        diagnostic.help = Some(format!("{help}if the file overrides another one, check both together: {check}{caution}"));
    }
}

/// Removes findings that are caused by a syntax error: a value that is still being typed, such as an open bracket, has that error, and should not
/// also have one about its type.
pub(crate) fn retain_untold(told: &[Diagnostic], found: &mut Vec<Diagnostic>) {
    let start = |diagnostic: &Diagnostic| diagnostic.location.map(|location| location.span.start);
    let starts: HashSet<Option<u32>> = told.iter().map(start).collect();
    found.retain(|diagnostic| diagnostic.code != &codes::WRONG_TYPE || !starts.contains(&start(diagnostic)));
}
