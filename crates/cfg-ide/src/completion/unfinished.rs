//! Closes a value that is still open.

use cfg_diag::{Span, codes};

use super::{Item, ItemKind};
use crate::{Analysis, brackets::Open};

/// The brackets that are missing after the word at the cursor; `open` are those around it.
pub(super) fn closing_brackets(analysis: &Analysis, span: Span, open: Option<&Open>) -> String {
    let quote = open_quote(analysis, span);
    // After an open string, nothing in its line closes anything.
    let is_lost = |start: u32| {
        let below = analysis.text[span.end as usize..].split_once('\n').map_or("", |(_, below)| below);
        let is_in_line = !analysis.text[start as usize..span.end as usize].contains('\n');
        quote.is_some() && is_in_line && !below.trim_start().starts_with([']', '}', ','])
    };
    let brackets = open.filter(|open| is_reported(analysis, open.outermost) || is_lost(open.outermost));
    brackets.map(|open| open.closing.clone()).unwrap_or_default()
}

/// Whether the quote or bracket at a place is reported as not closed.
fn is_reported(analysis: &Analysis, start: u32) -> bool {
    let own = |found: &cfg_diag::Diagnostic| found.location.and_then(|location| analysis.own(location));
    let mut faults = analysis.checked.diagnostics.iter().filter(|found| found.code == &codes::INVALID_TOML);
    faults.any(|found| own(found).is_some_and(|span| span.start == start))
}

/// The quote of a word that is not closed.
fn open_quote(analysis: &Analysis, span: Span) -> Option<char> {
    let quote = analysis.text[span.range()].chars().next();
    quote.filter(|quote| matches!(quote, '"' | '\'') && is_reported(analysis, span.start))
}

/// The word at the cursor with its missing quote and `brackets`; `None` if the value is closed.
pub(super) fn closed(analysis: &Analysis, span: Span, brackets: &str) -> Option<Item> {
    let (word, quote) = (&analysis.text[span.range()], open_quote(analysis, span));
    if quote.is_none() && brackets.is_empty() {
        return None;
    }
    let rest = analysis.text[span.end as usize..].lines().next().unwrap_or_default();
    // Outside a string, a comment ends the text in which brackets are closed.
    let rest = if quote.is_none() { rest.split('#').next().unwrap_or_default() } else { rest };
    let text = format!("{word}{}{}{brackets}", rest.trim_end(), quote.map(String::from).unwrap_or_default());
    // A blank before the cursor sets the brackets off already.
    let text = if word.is_empty() { text.trim_start().to_owned() } else { text };
    let span = Span::new(span.start, span.end + rest.trim_end().len() as u32);
    Some(Item { detail: "close open brackets".to_owned(), rank: 4, ..Item::new(ItemKind::Value, text.clone(), span, text) })
}

#[cfg(test)]
mod tests {
    use crate::{complete, testing::with_cursor};

    fn last(text: &str) -> Option<String> {
        let (analysis, offset) = with_cursor(text);
        complete(&analysis, offset).pop().map(|item| item.insert)
    }

    #[test]
    fn open_brackets_and_strings_are_closed() {
        assert_eq!(last("[trainer]\n[orchestrator]\nx = { a = \"b^\nseq_len = 1\n").as_deref(), Some("\"b\" }"));
        assert_eq!(last("[trainer]\n[orchestrator]\nx = {a = \"b^\nseq_len = 1\n").as_deref(), Some("\"b\"}"));
        assert_eq!(last("[trainer]\n[orchestrator]\nx = [\"b^\n]\nseq_len = 1\n").as_deref(), Some("\"b\""));
        assert_eq!(last("[trainer]\n[orchestrator]\nx = [1, 2^\nseq_len = 1\n").as_deref(), Some("2]"));
        assert_eq!(last("[trainer]\n[orchestrator]\nx = [1, 2^  # two\nseq_len = 1\n").as_deref(), Some("2]"));
        assert_eq!(last("[trainer]\n[orchestrator]\nx = [{ a = [\"b^\nseq_len = 1\n").as_deref(), Some("\"b\"] }]"));
        assert_eq!(last("[trainer]\n[orchestrator]\nx = \"abc^\n").as_deref(), Some("\"abc\""));
        assert_eq!(last("[trainer]\n[orchestrator]\nx = [\"abc^\"]\n"), None);
    }
}
