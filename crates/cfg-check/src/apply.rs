//! Applies edits to a text.

use cfg_diag::{Edit, Order};

/// The text with the edits; `None` if they overlap or are outside it.
pub fn apply<'e>(text: &str, edits: impl IntoIterator<Item = &'e Edit>) -> Option<String> {
    let mut edits: Vec<&Edit> = edits.into_iter().collect();
    edits.order_by_key(|edit| edit.location.span);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        let range = edit.location.span.range();
        out.push_str(text.get(at..range.start)?);
        text.get(range.clone())?;
        out.push_str(&edit.new_text);
        at = range.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}
