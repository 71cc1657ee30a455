//! A file that may be an override for another config.

use std::collections::HashSet;

use cfg_diag::{Diagnostic, Native, codes};
use cfg_schema::{Kind, Point};

use cfg_compose::loader::{self, Merge};
use cfg_resolve::OTHER_VARIANT;

use crate::Checked;

/// Whether a file is not a complete config: it lacks a table of the root.
pub(crate) fn is_fragment(diagnostics: &[Diagnostic]) -> bool {
    missing(diagnostics).next().is_some()
}

/// The tables of the root that a file lacks.
fn missing(diagnostics: &[Diagnostic]) -> impl Iterator<Item = &str> {
    diagnostics.iter().filter(|found| is_missing(found)).filter_map(|found| found.key.as_deref())
}

/// Whether a finding says that a table of the root is missing. It is no error if a later prime-rl may not need it.
pub(crate) fn is_missing(found: &Diagnostic) -> bool {
    let is_of_root = || found.key.as_ref().is_some_and(|key| !key.contains('.'));
    found.code == &codes::MISSING_KEY && found.native.as_ref().map_or_else(is_of_root, |native| native.loc.len() == 1)
}

/// Whether a table has a key of another variant than the default one, which its base may select.
pub(crate) fn has_key_of_other_variant(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.label.as_deref() == Some(OTHER_VARIANT))
}

/// Whether a config is complete except for one table of the root.
pub(crate) fn lacks_one(diagnostics: &[Diagnostic]) -> bool {
    missing(diagnostics).count() == 1
}

/// Removes the findings about missing root tables, and those that depend on values of an unknown base; one finding says so.
pub(crate) fn leave_open(diagnostics: &mut Vec<Diagnostic>, kind: Option<Kind>, path: &str, stated: &[String]) {
    let lacks = lacking(diagnostics);
    diagnostics.retain(holds_for_any_base);
    let name = kind.map_or("rl", Kind::name);
    let why = match stated {
        [] => "and nothing names its base".to_owned(),
        stated => {
            let named: Vec<String> = stated.iter().map(|file| format!("`{}`", cfg_diag::one_line(file))).collect();
            format!("and of {}, which its comment names, not every file is there", named.join(" and "))
        }
    };
    let message = format!("can't tell which config this file overrides: it has no {lacks}, {why}, so only its keys were checked");
    diagnostics.push(Diagnostic::new(&codes::UNKNOWN_BASE, message).help(format!(
        "add a comment at the top: `# Usage: uv run {name} @ BASE @ {path}`; or check both together: `cfg check -- {name} @ BASE @ \
         {path}`"
    )));
}

/// Whether a finding holds whichever other values there are: it is about a key, the text, or a value alone.
pub(crate) fn holds_for_any_base(diagnostic: &Diagnostic) -> bool {
    // Whether the value is valid may depend on those of the base.
    let depends = |native: &Native| matches!(&*native.kind, "value_error" | "assertion_error");
    let is_of_keys = diagnostic.code != &codes::MISSING_KEY && diagnostic.native.as_ref().is_some_and(|native| !depends(native));
    let is_about_text = diagnostic.code.code < codes::UNKNOWN_KEY.code;
    is_of_keys || is_about_text || cfg_rules::needs_only_its_value(diagnostic.code)
}

/// The finding that a file was checked together with the files that it overrides.
pub(crate) fn with_base(bases: &[String], alone: &Checked) -> Diagnostic {
    let bases: Vec<String> = bases.iter().map(|base| cfg_diag::one_line(base).into_owned()).collect();
    let message = format!("checked together with {}", bases.join(", "));
    let lacks = lacking(&alone.diagnostics);
    let found = Diagnostic::new(&codes::CHECKED_WITH_BASE, message);
    if lacks.is_empty() { found } else { found.help(format!("alone, prime-rl refuses it: it has no {lacks}")) }
}

/// The tables of the root that a file lacks, in words: "`trainer` or `orchestrator`".
pub(crate) fn lacking(diagnostics: &[Diagnostic]) -> String {
    missing(diagnostics).map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" or ")
}

/// Adds to the finding of a missing root table how to check the file together with its base, since it may be only a part of a config. The finding
/// stays, because prime-rl refuses the file alone.
pub(crate) fn mention(diagnostics: &mut [Diagnostic], kind: Kind, point: Point, path: &str) {
    if let Some(diagnostic) = diagnostics.iter_mut().find(|found| is_missing(found)) {
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
