//! The commands that a Python script gives to a shell or to another program, as a text that a shell could read.

#[cfg(test)]
mod tests;

use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem, memrchr};

use crate::launches::may_have_launches;

/// The functions that run a command, or split one into its words, by the last part of their names.
const RUNNERS: [&str; 18] = [
    "Popen",
    "call",
    "check_call",
    "check_output",
    "create_subprocess_exec",
    "create_subprocess_shell",
    "execute",
    "getoutput",
    "getstatusoutput",
    "popen",
    "run",
    "run_cmd",
    "run_command",
    "sh",
    "shell",
    "split",
    "submit",
    "system",
];

/// The parts of names of variables that have commands.
const NAMES: [&str; 4] = ["cmd", "command", "launch", "script"];

/// What separates the words of a shell, or has a meaning there, and so makes an argument one that is not known here.
const SHELL: &[u8] = b" \t\r\n\"'\\$;&|()<>`#*?";

/// The deepest nesting of brackets that is followed.
const DEEPEST: usize = 64;

/// The commands of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonCommands {
    /// The commands, each byte where it is in the script; other bytes are white space. An argument that is known only when the script runs is a `$`.
    pub text: String,
    /// The folders in which commands run, as far as the script names them.
    pub folders: Vec<String>,
}

/// The commands of a Python script: the lists of strings that name a config (`["uv", "run", "rl", "@", "rl.toml"]`), and the strings that are passed to
/// a function that runs them, or assigned to a variable of such a name. `None` if it names no config.
pub fn commands_of_python(script: &str) -> Option<PythonCommands> {
    if !may_have_launches(script) || !memchr_iter(b'@', script.as_bytes()).any(|at| may_be_of_launch(script.as_bytes(), at)) {
        return None;
    }
    let mut reader = Reader {
        bytes: script.as_bytes(),
        text: vec![b' '; script.len()],
        folders: Vec::new(),
        frames: vec![Frame::default()],
        name: 0..0,
        annotated: None,
    };
    reader.read();
    let text = String::from_utf8(reader.text).unwrap_or_default();
    Some(PythonCommands { text, folders: reader.folders })
}

/// Whether an `@` of a script may be that of a launch: it is not in a word, as in an address, and does not begin a decorator. Most scripts with an `@` that
/// also mention a file of TOML have only such ones.
fn may_be_of_launch(script: &[u8], at: usize) -> bool {
    let before = &script[..at];
    let is_in_word = before.last().is_some_and(|last| last.is_ascii_alphanumeric() || matches!(last, b'_' | b'$'));
    // The letter may be a part of an escape, such as that of a line break.
    if is_in_word && !before[before.len().saturating_sub(MAX_ESCAPE)..].contains(&b'\\') {
        return false;
    }
    let line = &before[memrchr(b'\n', before).map_or(0, |end| end + 1)..];
    let rest = &script[at + 1..];
    let rest = rest[..memchr(b'\n', rest).unwrap_or(rest.len())].trim_ascii_end();
    let is_decorator = line.iter().all(u8::is_ascii_whitespace)
        && rest.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
        && !rest.ends_with(b"\\")
        && memmem::find(rest, b".toml").is_none();
    !is_decorator
}

/// The longest escape in a string, in bytes.
const MAX_ESCAPE: usize = 10;

/// An argument of a call, or an item of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Item {
    #[default]
    None,
    /// The content of a string.
    Text(Range<usize>),
    /// Anything else, with its first byte.
    Other(usize),
}

/// A pair of brackets, or the script itself.
#[derive(Default)]
struct Frame {
    /// Its opening bracket; 0 for the script itself.
    bracket: u8,
    start: usize,
    /// Whether it has the arguments of a function that runs commands.
    is_run: bool,
    /// The name to which what follows is assigned.
    assigned: Option<Range<usize>>,
    item: Item,
    items: Vec<Item>,
}

struct Reader<'s> {
    bytes: &'s [u8],
    text: Vec<u8>,
    folders: Vec<String>,
    frames: Vec<Frame>,
    /// The last name, directly before what is read.
    name: Range<usize>,
    /// The name before the `:` of an annotation, outside of brackets.
    annotated: Option<Range<usize>>,
}

impl Reader<'_> {
    fn read(&mut self) {
        let mut at = 0;
        while let Some(&byte) = self.bytes.get(at) {
            let name = std::mem::replace(&mut self.name, at..at);
            match byte {
                b'#' => at = self.end_of_line(at),
                b'"' | b'\'' => at = self.string(at, &name),
                b'(' | b'[' | b'{' => {
                    self.open(byte, at, &name);
                    at += 1;
                }
                b')' | b']' | b'}' => {
                    self.close(at);
                    at += 1;
                }
                b',' => {
                    self.text[at] = b'\n';
                    self.next_item();
                    at += 1;
                }
                b':' if self.frames.len() == 1 => {
                    self.annotated = Some(name).filter(|name| !name.is_empty());
                    at += 1;
                }
                b'=' if self.bytes.get(at + 1) != Some(&b'=') => {
                    let name = self.annotated.take().unwrap_or(name);
                    if let Some(frame) = self.frames.last_mut().filter(|_| !name.is_empty()) {
                        frame.assigned = Some(name);
                        frame.item = Item::None;
                    }
                    at += 1;
                }
                b'\n' => {
                    if self.frames.len() == 1 {
                        self.annotated = None;
                        self.text[at] = b'\n';
                        self.next_item();
                    }
                    at += 1;
                }
                // `a = b`: what is before the sign is still the last name.
                b' ' | b'\t' | b'\r' => {
                    self.name = name;
                    at += 1;
                }
                _ if is_letter(byte) => {
                    let end = at + self.bytes[at..].iter().take_while(|byte| is_letter(**byte)).count();
                    self.other(at);
                    self.name = at..end;
                    at = end;
                }
                _ => {
                    self.other(at);
                    at += 1;
                }
            }
        }
    }

    fn end_of_line(&self, at: usize) -> usize {
        memchr(b'\n', &self.bytes[at..]).map_or(self.bytes.len(), |end| at + end)
    }

    fn other(&mut self, at: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.item = Item::Other(match frame.item {
                Item::None => at,
                Item::Text(Range { start, .. }) | Item::Other(start) => start,
            });
        }
    }

    fn next_item(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            let item = std::mem::take(&mut frame.item);
            frame.assigned = None;
            if frame.bracket != 0 && item != Item::None {
                frame.items.push(item);
            }
        }
    }

    fn open(&mut self, bracket: u8, at: usize, name: &Range<usize>) {
        self.text[at] = b'\n';
        let assigned = self.frames.last().and_then(|frame| frame.assigned.clone()).filter(|_| name.is_empty());
        let is_run = bracket == b'(' && RUNNERS.iter().any(|runner| runner.as_bytes() == &self.bytes[name.clone()]);
        self.other(at);
        if self.frames.len() < DEEPEST {
            // What is in parentheses alone belongs to the assignment around them.
            self.frames.push(Frame { bracket, start: at, is_run, assigned, ..Frame::default() });
        }
    }

    fn close(&mut self, at: usize) {
        self.text[at] = b'\n';
        self.next_item();
        if self.frames.len() == 1 {
            return;
        }
        let Some(frame) = self.frames.pop().filter(|frame| matches!(frame.bracket, b'[' | b'(')) else { return };
        let names_config = |item: &Item| match item {
            Item::Text(content) => self.bytes[content.clone()].starts_with(b"@"),
            _ => false,
        };
        if frame.items.len() < 2 || !frame.items.iter().any(names_config) {
            return;
        }
        self.text[frame.start..=at].fill(b' ');
        (self.text[frame.start], self.text[at]) = (b'\n', b'\n');
        for item in &frame.items {
            match item {
                Item::Text(content) if !self.bytes[content.clone()].iter().any(|byte| SHELL.contains(byte)) => {
                    self.text[content.clone()].copy_from_slice(&self.bytes[content.clone()]);
                }
                Item::Text(Range { start, .. }) | Item::Other(start) => self.text[*start] = b'$',
                Item::None => {}
            }
        }
    }

    /// Reads a string, which begins at a quote, and returns its end.
    fn string(&mut self, at: usize, name: &Range<usize>) -> usize {
        let prefix = if name.end == at { &self.bytes[name.clone()] } else { &[] };
        let is_prefix = !prefix.is_empty() && prefix.len() <= 2 && prefix.iter().all(|byte| b"rRbBfFuU".contains(byte));
        let is_raw = is_prefix && prefix.iter().any(|byte| b"rR".contains(byte));
        let quote = self.bytes[at];
        let mark = if self.bytes[at..].starts_with(&[quote; 3]) { 3 } else { 1 };
        let content = at + mark..self.end_of_string(at + mark, quote, mark);
        let end = (content.end + mark).min(self.bytes.len());
        let Some(frame) = self.frames.last_mut() else { return end };
        if is_prefix && frame.item == Item::Other(name.start) {
            frame.item = Item::None;
        }
        let assigned = frame.assigned.clone().map(|name| &self.bytes[name]);
        let is_value = |names: &[&str]| {
            let written = assigned.map(|name| String::from_utf8_lossy(name).to_ascii_lowercase());
            written.is_some_and(|written| names.iter().any(|name| written.contains(name)))
        };
        let is_command = match (frame.is_run, assigned) {
            (true, None) => frame.bracket == b'(',
            (true, Some(_)) => is_value(&["args", "cmd", "command"]),
            (false, _) => is_value(&NAMES),
        };
        if frame.is_run && assigned == Some(b"cwd") {
            self.folders
                .extend(String::from_utf8(self.bytes[content.clone()].to_vec()).ok().filter(|folder| !folder.contains('{')));
        }
        frame.item = match frame.item {
            Item::None => Item::Text(content.clone()),
            Item::Text(Range { start, .. }) | Item::Other(start) => Item::Other(start),
        };
        let is_top = frame.bracket == 0;
        let names_file =
            frame.assigned.clone().filter(|_| is_top && !is_prefix && self.bytes[content.clone()].ends_with(b".toml"));
        if is_command {
            self.text[content.clone()].copy_from_slice(&self.bytes[content.clone()]);
            if is_prefix && prefix.iter().any(|byte| b"fF".contains(byte)) {
                self.put_names(content.clone());
            }
            if !is_raw {
                self.break_lines(content);
            }
        } else if let Some(name) = names_file {
            // A command may be put together with this variable.
            self.text[name.start..end].copy_from_slice(&self.bytes[name.start..end]);
        }
        end
    }

    /// Writes the names that are words of a formatted string as a shell does: `{name}`.
    fn put_names(&mut self, content: Range<usize>) {
        let mut at = content.start;
        while let Some(open) = memchr(b'{', &self.text[at..content.end]).map(|open| at + open) {
            let letters = self.text[open + 1..content.end].iter().take_while(|byte| is_letter(**byte)).count();
            let close = open + 1 + letters;
            let is_end = self.text[..content.end].get(close + 1).is_none_or(u8::is_ascii_whitespace);
            let is_begin = open == content.start || self.text[open - 1].is_ascii_whitespace();
            if letters > 0 && close < content.end && self.text[close] == b'}' && is_end && is_begin {
                self.text[open] = b'$';
                self.text[close] = b' ';
            }
            at = open + 1;
        }
    }

    /// The end of a string's content: its closing quotes, or the end of its line.
    fn end_of_string(&self, start: usize, quote: u8, mark: usize) -> usize {
        let mut at = start;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'\\' => at += 2,
                b'\n' if mark == 1 => return at,
                _ if byte == quote && self.bytes[at..].starts_with(&[quote; 3][..mark]) => return at,
                _ => at += 1,
            }
        }
        self.bytes.len()
    }

    /// Replaces the line breaks that a string writes as `\n`.
    fn break_lines(&mut self, content: Range<usize>) {
        let mut at = content.start;
        while at + 1 < content.end {
            match &self.text[at..at + 2] {
                b"\\n" => {
                    self.text[at..at + 2].copy_from_slice(b" \n");
                    at += 2;
                }
                [b'\\', _] => at += 2,
                _ => at += 1,
            }
        }
    }
}

const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}
