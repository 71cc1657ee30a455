//! Wraps sentences to the columns of a terminal.

use cfg_diag::is_command;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The lines of a text. A line that could be a workflow command is joined to the one before it.
pub(crate) fn lines_to_wrap(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match lines.last_mut() {
            Some(last) if is_command(line) => *last = format!("{last} {}", line.trim_start()),
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

/// Splits a text without control characters into lines of at most `width` columns, the first of at most `first`. A wider word is not split, so that
/// keys and paths can be copied, and neither is a number from its unit.
pub(crate) fn wrap(text: &str, first: usize, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let (mut limit, mut used) = (first, 0);
    let mut words = text.split(' ').filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        let unit = words.next_if(|next| is_unit_of(word, next));
        let word = unit.map_or_else(|| word.to_owned(), |unit| format!("{word} {unit}"));
        let wide = word.width();
        if used > 0 && used + 1 + wide > limit && !is_command(&word) {
            lines.push(String::new());
            (limit, used) = (width, 0);
        }
        if let Some(line) = lines.last_mut() {
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(&word);
            used += wide;
        }
    }
    lines
}

/// Units that stay on the line of their number.
const UNITS: [&str; 8] = ["B", "KiB", "MiB", "GiB", "TiB", "MB", "GB", "%"];

/// Whether a word is the unit of the number before it.
fn is_unit_of(number: &str, word: &str) -> bool {
    number.ends_with(|last: char| last.is_ascii_digit()) && UNITS.contains(&word.trim_end_matches([',', ';', ':', '.', ')']))
}

/// A part of a line that is not broken.
#[derive(Debug)]
pub(crate) struct Unit {
    /// The number of blanks before it.
    pub(crate) blanks: usize,
    /// One word or several, with colours.
    pub(crate) text: String,
    /// The columns that it takes; colours take none.
    pub(crate) columns: usize,
}

impl Unit {
    /// Its columns, with the blanks before it.
    pub(crate) const fn all_columns(&self) -> usize {
        self.blanks + self.columns
    }
}

/// The widest text between backticks that is not broken, in columns.
const WIDEST_COMMAND: usize = 40;

/// The parts of a line that are not broken: words, numbers with their unit, and short commands between backticks.
pub(crate) fn units(line: &str) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut blanks = 0;
    let mut is_in_command = false;
    for word in line.split(' ') {
        if word.is_empty() {
            blanks += 1;
            continue;
        }
        let columns = visible(word);
        let is_joined = blanks == 1
            && units.last().is_some_and(|last| {
                is_unit_of(&last.text, word) || (is_in_command && last.columns + 1 + columns <= WIDEST_COMMAND)
            });
        match units.last_mut() {
            Some(last) if is_joined => {
                last.text.push(' ');
                last.text.push_str(word);
                last.columns += 1 + columns;
            }
            _ => units.push(Unit { blanks, text: word.to_owned(), columns }),
        }
        is_in_command ^= word.matches('`').count() % 2 == 1;
        blanks = 1;
    }
    units
}

/// The columns of a text with colours and links.
fn visible(text: &str) -> usize {
    let mut rest = text;
    let mut used = 0;
    while let Some(at) = rest.find('\x1b') {
        used += rest[..at].width();
        rest = &rest[at + 1..];
        let end = if let Some(link) = rest.strip_prefix(']') {
            link.find("\x1b\\").map(|end| end + 3)
        } else {
            rest.find(|last: char| last.is_ascii_alphabetic()).map(|end| end + 1)
        };
        rest = end.map_or("", |end| &rest[end..]);
    }
    used + rest.width()
}

/// The number of columns of a character, which is not a control character.
pub(crate) fn columns(character: char) -> usize {
    character.width().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("one two three", 7, 5), ["one two", "three"]);
        assert_eq!(wrap("漢字 漢字", 8, 8), ["漢字", "漢字"]);
        assert_eq!(wrap("configs/very/long/path.toml x", 5, 5), ["configs/very/long/path.toml", "x"]);
        assert_eq!(wrap("", 5, 5), [""]);
        assert_eq!(wrap("it takes 1.2 GiB, no more", 12, 12), ["it takes", "1.2 GiB, no", "more"]);
        assert_eq!(wrap("a ::error file=x::evil", 4, 4), ["a ::error", "file=x::evil"]);
    }
}
