//! Commands in the values of JSON and TOML.
//!
//! A string is a command. A list with an `@` is the words of one; the strings of another list are commands. In a table, `args` follow the program that
//! `command` or a member like it names.

use cfg_diag::FileId;
use cfg_syntax::{
    Dialect, ValueKind,
    json::{self, Kind, MAX_NESTING, Node, Style},
};

use super::{has_sign, written::Written};

/// The maximum number of values of a JSON text.
const MAX_VALUES: usize = 200_000;

/// The tables of TOML whose strings are commands.
const TABLES: [&str; 2] = ["tasks", "scripts"];

/// The members of a table that name a program, and those with its arguments and its folder.
pub(super) const PROGRAMS: [&str; 6] = ["command", "cmd", MODULE, "program", "entrypoint", "exec"];
pub(super) const ARGUMENTS: [&str; 2] = ["args", "arguments"];
const MODULE: &str = "module";
const FOLDERS: [&str; 4] = ["cwd", "working_dir", "workdir", "dir"];

/// A value, as far as it may have commands.
enum Value {
    Text(Written),
    List(Vec<Self>),
    Table(Vec<(Box<str>, Self)>),
    Other,
}

/// The commands of a JSON text.
pub(super) fn of_json(text: &str) -> Vec<Written> {
    let plain = without_comments(text);
    let Ok(node) = json::parse(&plain, Style::Strict { max_values: MAX_VALUES }) else { return Vec::new() };
    let mut found = Vec::new();
    if node.members().is_some() {
        take(value_of_json(text, &node), &mut found);
    }
    found
}

/// A JSON text with blanks for comments, and for commas before a closing bracket.
pub(super) fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut comma) = (0, None);
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let comment = match byte {
            b'/' if rest.starts_with(b"//") => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with(b"/*") => memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2),
            _ => 0,
        };
        if comment > 0 {
            bytes[at..at + comment].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            at += comment;
            continue;
        }
        match byte {
            b'"' => {
                comma = None;
                at += 1;
                while let Some(&inside) = bytes.get(at).filter(|inside| **inside != b'"') {
                    at += if inside == b'\\' { 2 } else { 1 };
                }
            }
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    bytes[comma] = b' ';
                }
            }
            _ if !byte.is_ascii_whitespace() => comma = None,
            _ => {}
        }
        at += 1;
    }
    String::from_utf8(bytes).unwrap_or_default()
}

fn value_of_json(text: &str, node: &Node) -> Value {
    match &node.kind {
        Kind::String(_) => Value::Text(Written::of_string(text, node.span.range())),
        Kind::Array(items) => Value::List(items.iter().map(|item| value_of_json(text, item)).collect()),
        Kind::Object(members) => {
            Value::Table(members.iter().map(|member| (member.key.clone(), value_of_json(text, &member.value))).collect())
        }
        _ => Value::Other,
    }
}

/// The commands of a TOML text: those in its tables for tasks.
pub(super) fn of_toml(text: &str) -> Vec<Written> {
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    let mut found = Vec::new();
    of_table(text, &document.root, 0, &mut found);
    found
}

fn of_table(text: &str, table: &cfg_syntax::Table, depth: usize, found: &mut Vec<Written>) {
    for entry in &table.entries {
        if TABLES.contains(&&*entry.key.text) {
            take(value_of_toml(text, &entry.value, depth), found);
        } else if let ValueKind::Table(inside) = &entry.value.kind
            && depth < MAX_NESTING
        {
            of_table(text, inside, depth + 1, found);
        }
    }
}

fn value_of_toml(text: &str, value: &cfg_syntax::Value, depth: usize) -> Value {
    match &value.kind {
        _ if depth >= MAX_NESTING => Value::Other,
        ValueKind::String(_) => Value::Text(Written::of_string(text, value.span.range())),
        ValueKind::Array(items) => Value::List(items.iter().map(|item| value_of_toml(text, item, depth + 1)).collect()),
        ValueKind::Table(table) => {
            let member = |entry: &cfg_syntax::Entry| (entry.key.text.clone(), value_of_toml(text, &entry.value, depth + 1));
            Value::Table(table.entries.iter().map(member).collect())
        }
        _ => Value::Other,
    }
}

/// Adds the commands of a value.
fn take(value: Value, found: &mut Vec<Written>) {
    match value {
        Value::Text(text) => found.extend(Some(text).filter(|text| has_sign(text.text()))),
        Value::List(items) if are_words(&items) => found.push(joined(false, items.iter())),
        Value::List(items) => items.into_iter().for_each(|item| take(item, found)),
        Value::Table(members) => {
            let begin = found.len();
            let of = |names: &[&str]| members.iter().position(|(name, _)| names.contains(&&**name));
            let (program, arguments) = (of(&PROGRAMS), of(&ARGUMENTS));
            let folder = of(&FOLDERS).and_then(|at| match &members[at].1 {
                Value::Text(folder) => Some(folder.clone()),
                _ => None,
            });
            let words: Option<Vec<&Value>> = match (program.map(|at| &members[at].1), arguments.map(|at| &members[at].1)) {
                (Some(program @ Value::Text(_)), Some(Value::List(arguments))) if are_words(arguments) => {
                    Some([program].into_iter().chain(arguments).collect())
                }
                (Some(Value::List(words)), Some(Value::List(arguments))) if are_words(arguments) => {
                    Some(words.iter().chain(arguments).collect())
                }
                _ => None,
            };
            let is_module = program.is_some_and(|at| &*members[at].0 == MODULE);
            let together = words.map(|words| joined(is_module, words.into_iter()));
            let is_together = together.is_some();
            found.extend(together);
            for (at, (_, value)) in members.into_iter().enumerate() {
                if !is_together || Some(at) != program && Some(at) != arguments {
                    take(value, found);
                }
            }
            if let Some(folder) = folder {
                for command in &mut found[begin..] {
                    let mut inside = Written::default();
                    inside.insert("cd ");
                    inside.append(&folder);
                    inside.insert("\n");
                    inside.append(command);
                    *command = inside;
                }
            }
        }
        Value::Other => {}
    }
}

/// Whether the items of a list are the words of one command.
fn are_words(items: &[Value]) -> bool {
    let is_sign = |item: &Value| matches!(item, Value::Text(text) if text.text().starts_with('@'));
    items.iter().any(is_sign)
}

/// The words as a command; the first one may be a module of Python.
fn joined<'v>(is_module: bool, words: impl Iterator<Item = &'v Value>) -> Written {
    let mut command = Written::default();
    if is_module {
        command.insert("python -m ");
    }
    for (at, word) in words.enumerate() {
        match word {
            // A program may be named with its first words.
            Value::Text(text) if at == 0 => command.append(text),
            Value::Text(text) => command.append_word(text),
            _ => {}
        }
    }
    command
}
