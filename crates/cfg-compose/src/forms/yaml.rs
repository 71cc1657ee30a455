//! Commands of YAML that are not written in one line: lists of words, and texts whose lines are joined.
//!
//! Only what such files usually have is read, line by line; a file that has it otherwise has no commands here.

use std::ops::Range;

use super::{
    has_sign,
    values::{ARGUMENTS, PROGRAMS},
    written::Written,
};

/// The maximum number of lines of a list or a text.
const MAX_LINES: usize = 512;

/// A mapping that is being read.
struct Open {
    /// The column of its keys.
    indent: usize,
    program: Option<Written>,
    arguments: Option<Written>,
    /// Whether one of them is a list.
    has_list: bool,
}

/// A line with a key.
struct Keyed<'t> {
    indent: usize,
    key: &'t str,
    /// The place of what follows the colon.
    value: Range<usize>,
    /// Whether it begins an item of a list.
    begins_item: bool,
}

/// The commands of a text.
pub(super) fn commands(text: &str) -> Vec<Written> {
    let lines = lines(text);
    let mut found = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(keyed) = keyed(text, line.clone()) else { continue };
        while let Some(inner) =
            open.pop_if(|inner| inner.indent > keyed.indent || inner.indent == keyed.indent && keyed.begins_item)
        {
            found.extend(inner.command());
        }
        let value = text[keyed.value.clone()].trim();
        if value.starts_with('>') {
            found.extend(Some(folded(text, &lines[at + 1..], keyed.indent)).filter(|command| has_sign(command.text())));
        }
        let (is_program, is_arguments) = (PROGRAMS.contains(&keyed.key), ARGUMENTS.contains(&keyed.key));
        if !is_program && !is_arguments {
            continue;
        }
        let list = list(text, &keyed, &lines[at + 1..]);
        let has_list = list.is_some();
        let is_plain = is_program && !value.is_empty() && !value.starts_with(['|', '>', '[', '{', '&', '*', '!', '#']);
        let Some(words) = list.or_else(|| is_plain.then(|| scalar(text, keyed.value.clone()))) else { continue };
        if open.last().is_none_or(|last| last.indent != keyed.indent) {
            open.push(Open { indent: keyed.indent, program: None, arguments: None, has_list: false });
        }
        if let Some(mapping) = open.last_mut() {
            let place = if is_program { &mut mapping.program } else { &mut mapping.arguments };
            *place = Some(words);
            mapping.has_list |= has_list;
        }
    }
    found.extend(open.into_iter().rev().filter_map(Open::command));
    found
}

impl Open {
    fn command(self) -> Option<Written> {
        let mut command = self.program?;
        if let Some(arguments) = self.arguments {
            command.insert(" ");
            command.append(&arguments);
        }
        (self.has_list && has_sign(command.text())).then_some(command)
    }
}

/// The places of the lines, without their breaks.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let line = |line: &str| {
        let range = start..start + line.trim_end().len();
        start += line.len();
        range
    };
    text.split_inclusive('\n').map(line).collect()
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn keyed(text: &str, line: Range<usize>) -> Option<Keyed<'_>> {
    let written = &text[line.clone()];
    let mut inside = written.trim_start_matches(' ');
    let begins_item = inside.starts_with("- ");
    while let Some(item) = inside.strip_prefix("- ") {
        inside = item.trim_start_matches(' ');
    }
    let indent = written.len() - inside.len();
    let colon = inside.find(':')?;
    let key = inside[..colon].trim_matches(['"', '\'']);
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    let rest = &inside[colon + 1..];
    let value = line.start + indent + colon + 1..line.end;
    (is_key && (rest.is_empty() || rest.starts_with(' '))).then_some(Keyed { indent, key, value, begins_item })
}

/// The words of the list that a key has: in brackets, or an item on each line.
fn list(text: &str, keyed: &Keyed<'_>, below: &[Range<usize>]) -> Option<Written> {
    let value = &text[keyed.value.clone()];
    let inside = value.trim_start();
    if inside.starts_with('[') {
        let start = keyed.value.end - inside.len() + 1;
        let last = below.iter().take(MAX_LINES).next_back().map_or(keyed.value.end, |line| line.end);
        return flow(text, start..last);
    }
    if !inside.is_empty() && !inside.starts_with('#') {
        return None;
    }
    let mut words = Written::default();
    let mut column = None;
    for line in below.iter().take(MAX_LINES) {
        let written = &text[line.clone()];
        let item = written.trim_start_matches(' ');
        if item.is_empty() || item.starts_with('#') {
            continue;
        }
        let indent = indent_of(written);
        let Some(rest) = item.strip_prefix("- ").filter(|_| indent >= keyed.indent && column.is_none_or(|known| known == indent))
        else {
            break;
        };
        column = Some(indent);
        let rest = rest.trim_start();
        if rest.starts_with(['|', '>', '[', '{', '&', '*', '!']) {
            return None;
        }
        words.append_word(&scalar(text, line.end - rest.len()..line.end));
    }
    column.map(|_| words)
}

/// The words between brackets, up to the closing one.
fn flow(text: &str, range: Range<usize>) -> Option<Written> {
    let mut words = Written::default();
    let mut at = range.start;
    while at < range.end {
        let rest = &text[at..range.end];
        let first = rest.chars().next()?;
        let length = match first {
            ']' => return Some(words),
            '[' | '{' => return None,
            '"' | '\'' => quoted(rest)?,
            '#' => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            _ if first.is_whitespace() || first == ',' => {
                at += first.len_utf8();
                continue;
            }
            _ => rest.find([',', ']', '\n']).unwrap_or(rest.len()),
        };
        let end = at + text[at..at + length].trim_end().len();
        words.append_word(&scalar(text, at..end));
        at += length;
    }
    None
}

/// The length of the string in quotes at the beginning of a text, on one line.
fn quoted(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\n' => return None,
            '\\' if quote == '"' => drop(letters.next()),
            _ if letter == quote && quote == '\'' && letters.next_if(|(_, next)| *next == '\'').is_some() => {}
            _ if letter == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// A scalar, without its quotes and without a comment behind it.
fn scalar(text: &str, range: Range<usize>) -> Written {
    let written = &text[range.clone()];
    let start = range.end - written.trim_start().len();
    let written = written.trim();
    match quoted(written).filter(|_| written.starts_with(['"', '\''])) {
        Some(length) => Written::of_string(text, start..start + length),
        None => {
            let end = written.find(" #").unwrap_or(written.len());
            Written::of(text, start..start + written[..end].trim_end().len())
        }
    }
}

/// The lines of a text below a key, joined.
fn folded(text: &str, below: &[Range<usize>], indent: usize) -> Written {
    let mut words = Written::default();
    for line in below.iter().take(MAX_LINES) {
        let written = &text[line.clone()];
        if written.trim().is_empty() {
            continue;
        }
        let column = indent_of(written);
        if column <= indent {
            break;
        }
        if !words.is_empty() {
            words.insert(" ");
        }
        words.append(&Written::of(text, line.start + column..line.end));
    }
    words
}
