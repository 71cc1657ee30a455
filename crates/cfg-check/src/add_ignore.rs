//! Writes comments that ignore findings.

use std::collections::BTreeMap;

use cfg_diag::{Diagnostic, FileId, Span, codes};
use cfg_syntax::{Dialect, Scope, suppressions};

/// A text with comments that ignore findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignoring {
    /// The text.
    pub text: String,
    /// The number of ignored findings.
    pub count: usize,
}

/// Adds `# cfg: ignore[...]` after the key of each finding, or a code to an existing comment; for findings without a place, a comment for the whole
/// file at its top. `diagnostics` are those of the text, and `reason` is written behind each new comment, unless it is empty. Text that is not TOML can't be
/// ignored, because a comment there would not be one.
pub fn add_ignores(file: FileId, text: &str, diagnostics: &[Diagnostic], reason: &str) -> Ignoring {
    let reason = cfg_diag::one_line(reason.trim());
    let reason = if reason.is_empty() { String::new() } else { format!(" {reason}") };
    let statements = cfg_syntax::statements(text);
    let mut by_line: BTreeMap<u32, Vec<&'static str>> = BTreeMap::new();
    let mut for_file: Vec<&'static str> = Vec::new();
    let mut count = 0;
    for diagnostic in diagnostics {
        let code = diagnostic.code.code;
        let is_never = [codes::UNUSED_SUPPRESSION.code, codes::MERGE_CONFLICT.code].contains(&code);
        if code < codes::NOT_A_CONFIG.code || is_never {
            continue;
        }
        let at = diagnostic.location.filter(|location| location.file == file).map(|location| location.span.start);
        let end = at.and_then(|at| end_of_statement(&statements, at)).map(|end| line_end(text, end));
        let codes = end.map_or(&mut for_file, |end| by_line.entry(end).or_default());
        if !codes.contains(&code) {
            codes.push(code);
        }
        count += 1;
    }
    let (document, _) = cfg_syntax::parse(file, text, Dialect::Toml11);
    let present = suppressions(text, &document);
    let mut inserts: Vec<(u32, String)> = Vec::new();
    for (end, codes) in by_line {
        let codes = codes.join(", ");
        let is_here = |span: Span| span.end == end;
        match present.iter().find(|found| is_here(found.span) && matches!(found.scope, Scope::Lines(_))) {
            Some(found) if !found.ignored.is_empty() => {
                let last = found.ignored[found.ignored.len() - 1].span;
                inserts.push((last.end, format!(", {codes}")));
            }
            _ => inserts.push((end, format!("  # cfg: ignore[{codes}]{reason}"))),
        }
    }
    if !for_file.is_empty() {
        let begin = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let newline = if text.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
        inserts.insert(0, (begin, format!("# cfg: ignore-file[{}]{reason}{newline}", for_file.join(", "))));
    }
    let mut out = text.to_owned();
    for (at, new_text) in inserts.into_iter().rev() {
        out.insert_str(at as usize, &new_text);
    }
    Ignoring { text: out, count }
}

/// The end of the statement that contains an offset; `None` in a comment or after the last one.
fn end_of_statement(statements: &[Span], offset: u32) -> Option<u32> {
    let before = statements.partition_point(|statement| statement.start <= offset);
    let around = before.checked_sub(1).map(|at| statements[at]).filter(|statement| offset <= statement.end);
    around.map(|statement| statement.end)
}

/// The end of the line that contains an offset, without its line break and the space before it.
fn line_end(text: &str, offset: u32) -> u32 {
    let start = cfg_diag::line_start(text, offset as usize);
    let line = text[start..].split('\n').next().unwrap_or_default();
    (start + line.trim_end().len()) as u32
}
