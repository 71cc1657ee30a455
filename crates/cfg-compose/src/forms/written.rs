//! A text that is made of parts of a file, and where each of its bytes is there.

use std::ops::Range;

use cfg_diag::Span;

use crate::launches::{WrittenLaunch, launches};

/// A text with the places of its bytes in a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    text: String,
    runs: Vec<Run>,
}

/// A part of the text.
#[derive(Clone, Debug)]
struct Run {
    /// Where it begins in the text.
    start: usize,
    /// Its bytes in the file.
    source: Range<usize>,
    /// Whether it is written in the file as it is; otherwise each byte of it has the whole place, as that of an escape.
    is_verbatim: bool,
}

impl Written {
    /// A part of a file.
    pub(super) fn of(file: &str, range: Range<usize>) -> Self {
        let mut written = Self::default();
        written.push(&file[range.clone()], range, true);
        written
    }

    /// A string in quotes at a place of a file, without its escapes: of JSON, of TOML, or of YAML on one line.
    pub(super) fn of_string(file: &str, range: Range<usize>) -> Self {
        let raw = &file[range.clone()];
        let quote = if raw.starts_with('\'') { '\'' } else { '"' };
        let mark = if raw.len() >= 6 && raw.chars().take(3).all(|first| first == quote) { 3 } else { 1 };
        let mut written = Self::default();
        let Some(inside) = raw.get(mark..raw.len().saturating_sub(mark)) else { return written };
        let mut at = range.start + mark;
        if mark == 3 {
            at += inside.len() - inside.trim_start_matches('\r').strip_prefix('\n').unwrap_or(inside).len();
        }
        let end = range.end - mark;
        while at < end {
            let rest = &file[at..end];
            let special: &[char] = if quote == '"' { &['\\', '\r'] } else { &['\'', '\r'] };
            let plain = rest.find(special).unwrap_or(rest.len());
            written.push(&rest[..plain], at..at + plain, true);
            at += plain;
            let Some(first) = file[at..end].chars().next() else { break };
            let (text, length) = match first {
                '\\' => escape(&file[at..end]),
                // Of two quotes in a string of YAML, one counts.
                '\'' => ("'".to_owned(), if file[at..end].starts_with("''") { 2 } else { 1 }),
                _ => (String::new(), 1),
            };
            written.push(&text, at..at + length, false);
            at += length;
        }
        written
    }

    /// The text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    fn push(&mut self, text: &str, source: Range<usize>, is_verbatim: bool) {
        if !text.is_empty() {
            self.runs.push(Run { start: self.text.len(), source, is_verbatim });
            self.text.push_str(text);
        }
    }

    /// Adds what the file does not have, such as the blank between two words.
    pub(super) fn insert(&mut self, text: &str) {
        let end = self.runs.last().map_or(0, |run| run.source.end);
        self.push(text, end..end, false);
    }

    /// Adds another text.
    pub(super) fn append(&mut self, other: &Self) {
        let start = self.text.len();
        self.text.push_str(&other.text);
        self.runs.extend(other.runs.iter().map(|run| Run { start: start + run.start, ..run.clone() }));
    }

    /// Adds a part of another text; in the place of its bytes, `text` of the same length may stand.
    pub(super) fn append_part(&mut self, other: &Self, range: Range<usize>, text: &str) {
        let mut at = range.start;
        while at < range.end {
            let index = other.runs.partition_point(|run| run.start <= at).saturating_sub(1);
            let Some(run) = other.runs.get(index) else { return };
            let next = other.runs.get(index + 1).map_or(other.text.len(), |run| run.start).min(range.end);
            let source = if run.is_verbatim {
                run.source.start + at - run.start..run.source.start + next - run.start
            } else {
                run.source.clone()
            };
            let Some(part) = text.get(at - range.start..next - range.start) else { return };
            self.push(part, source, run.is_verbatim);
            at = next;
        }
    }

    /// Adds a word of a command, in quotes if a shell would take it apart.
    pub(super) fn append_word(&mut self, word: &Self) {
        if !self.is_empty() {
            self.insert(" ");
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"@-_=./:,+%$~{}".contains(&byte) || !byte.is_ascii();
        let is_one_word = !word.is_empty() && word.text.bytes().all(is_plain);
        let is_quoted = !word.text.contains('\'') && !is_one_word;
        if is_quoted {
            self.insert("'");
        }
        self.append(word);
        if is_quoted {
            self.insert("'");
        }
    }

    /// The place in the file of a byte of the text.
    fn place(&self, at: usize) -> Range<usize> {
        let index = self.runs.partition_point(|run| run.start <= at).saturating_sub(1);
        match self.runs.get(index) {
            Some(run) if run.is_verbatim => run.source.start + at - run.start..run.source.start + at - run.start + 1,
            Some(run) => run.source.clone(),
            None => 0..0,
        }
    }

    /// The launches in the text, with their places in the file.
    pub(super) fn launches(&self) -> Vec<WrittenLaunch> {
        let mut found = launches(&self.text);
        for place in found.iter_mut().flat_map(|launch| &mut launch.places) {
            let (start, end) = (place.start as usize, (place.end as usize).max(place.start as usize + 1));
            *place = Span::from(self.place(start).start..self.place(end - 1).end);
        }
        found
    }
}

/// What an escape stands for, and its length.
fn escape(text: &str) -> (String, usize) {
    let Some(second) = text[1..].chars().next() else { return (String::new(), 1) };
    let number = |digits: usize| {
        let value = text.get(2..2 + digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let length = if value.is_some() { 2 + digits } else { 2 };
        (value.and_then(char::from_u32).unwrap_or('\u{fffd}').to_string(), length)
    };
    let plain = |text: &str| (text.to_owned(), 1 + second.len_utf8());
    match second {
        'n' => plain("\n"),
        't' => plain("\t"),
        'r' | 'b' | 'f' | 'e' => plain(" "),
        'u' => number(4),
        'U' => number(8),
        'x' => number(2),
        // A line of TOML that goes on in the next one.
        '\n' | '\r' | ' ' | '\t' => {
            let rest = text[1..].trim_start();
            (String::new(), text.len() - rest.len())
        }
        _ => plain(second.encode_utf8(&mut [0; 4])),
    }
}
