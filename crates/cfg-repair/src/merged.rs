//! A table that is defined twice: the entries below its second header move below the first.

use cfg_diag::{Applicability, Diagnostic, Edit, FileId, Fix, Location, Span, codes};

/// The fix for a second header of a table; `None` for other findings.
pub(crate) fn merged(file: FileId, text: &str, found: &Diagnostic) -> Option<Fix> {
    if found.code != &codes::DUPLICATE_KEY {
        return None;
    }
    let (second, first) = (found.location?.span, found.related.first()?.location.span);
    let is_header = |span: Span| line_of(text, span.start).trim_start().starts_with('[');
    if found.location?.file != file || !is_header(second) || !is_header(first) || first.start >= second.start {
        return None;
    }
    let (start, end) = section(text, second.start);
    let body = &text[line_end(text, second.start)..end];
    let (_, place) = section(text, first.start);
    if place > start {
        return None;
    }
    // Blank lines at the end of a section separate it from the next.
    let before = text[..place].trim_end_matches(['\n', '\r', ' ', '\t']).len();
    let at = text[before..].find('\n').map_or(before, |newline| before + newline + 1);
    let edit = |span: Span, new_text: String| Edit { location: Location::new(file, span), new_text };
    let moved = body.trim_end_matches(['\n', '\r']).to_owned() + "\n";
    let moved = if text[..at].ends_with('\n') { moved } else { format!("\n{moved}") };
    Some(Fix {
        title: "put all entries under the first header".to_owned(),
        applicability: Applicability::Safe,
        edits: vec![edit(Span::empty(u32::try_from(at).ok()?), moved), edit(Span::from(start..end), String::new())],
    })
}

/// The bytes of a section, from the line of its header to the line of the next.
fn section(text: &str, header: u32) -> (usize, usize) {
    let start = text[..header as usize].rfind('\n').map_or(0, |newline| newline + 1);
    let mut end = line_end(text, header);
    while end < text.len() && !line_of(text, end as u32).trim_start().starts_with('[') {
        end = line_end(text, end as u32);
    }
    (start, end)
}

/// The end of a line, after its newline.
fn line_end(text: &str, at: u32) -> usize {
    text[at as usize..].find('\n').map_or(text.len(), |newline| at as usize + newline + 1)
}

fn line_of(text: &str, at: u32) -> &str {
    let start = text[..at as usize].rfind('\n').map_or(0, |newline| newline + 1);
    &text[start..line_end(text, at)]
}
