//! One line per finding: `path:line:column: error[PRL101] message (help)`.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use cfg_diag::{Diagnostic, Severity};

use crate::layout::ForPeople;
use crate::paint::{BOLD, DIM};
use crate::summary::count;
use crate::{FileReport, Sources, Style};
use cfg_diag::one_line;

/// Each finding on one line.
pub(crate) static CONCISE: ForPeople = ForPeople(write);

fn write(out: &mut Vec<u8>, style: &Style, shown: Severity, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
    file.diagnostics
        .iter()
        .filter(|diagnostic| !diagnostic.is_echo && diagnostic.severity >= shown)
        .try_for_each(|diagnostic| write_line(out, style, file, sources, diagnostic))
}

/// The maximum number of characters of a line, for programs that pay for each: 80 tokens of a language model.
const MAX_LINE_CHARS: usize = 320;

/// At least this many characters are left for the text, however long the path is.
const FEWEST: usize = 200;

fn write_line(
    out: &mut Vec<u8>,
    style: &Style,
    file: &FileReport<'_>,
    sources: &Sources<'_>,
    diagnostic: &Diagnostic,
) -> io::Result<()> {
    let (path, place) = match diagnostic.location.and_then(|location| sources.place(location)) {
        Some((path, at)) => (one_line(path), format!(":{}:{}: ", at.line, at.column)),
        None => (one_line(file.path), ": ".to_owned()),
    };
    write!(out, "{}{place}{} ", style.paint(BOLD, &path), style.tag(diagnostic.severity, diagnostic.code))?;
    let behind = match diagnostic.folded.len() {
        0 => String::new(),
        more => format!(" [{}]", count(more, "further finding")),
    };
    let tag = "warning[PRL000] ".len();
    let taken = path.chars().count() + place.len() + tag + behind.len();
    let left = MAX_LINE_CHARS.saturating_sub(taken).max(FEWEST);
    let message = one_line(&diagnostic.message);
    let message = shortened(&message, left);
    write!(out, "{message}")?;
    let left = left.saturating_sub(message.chars().count() + " ()".len());
    let help = match (&diagnostic.help, &diagnostic.fix) {
        (Some(help), _) => one_line(help).into_owned(),
        (None, Some(fix)) => format!("fix: {}", one_line(&fix.title)),
        (None, None) => String::new(),
    };
    let help = shortened(&help, left);
    if !help.is_empty() {
        write!(out, " ({help})")?;
    }
    if !behind.is_empty() {
        write!(out, "{}", style.paint(DIM, behind))?;
    }
    writeln!(out)
}

/// As many words of a text as fit; `...` marks those that are left out. `cfg explain` and the other formats have the full text.
fn shortened(text: &str, room: usize) -> Cow<'_, str> {
    const CUT: &str = " ...";
    if text.chars().count() <= room {
        return Cow::Borrowed(text);
    }
    let end = text.char_indices().nth(room.saturating_sub(CUT.len())).map_or(0, |(at, _)| at);
    let words = text[..end].rfind(' ').map_or("", |at| text[..at].trim_end_matches([',', ';', ':', '(']));
    if words.is_empty() { Cow::Borrowed("") } else { Cow::Owned(format!("{words}{CUT}")) }
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn words_beyond_the_width_are_omitted() {
        for (room, text) in [(13, "one; two four"), (12, "one ..."), (9, "one ..."), (8, ""), (0, "")] {
            assert_eq!(shortened("one; two four", room), text, "{room}");
        }
    }
}
