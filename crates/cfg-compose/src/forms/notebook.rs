//! Commands in the cells of a Jupyter notebook: lines that begin with `!`, cells of a shell, and Python.

use cfg_syntax::json::{self, Kind, Node, Style};

use super::{has_sign, written::Written};
use crate::commands_of_python;

/// The maximum number of values of a notebook.
const MAX_VALUES: usize = 200_000;

/// The first lines of cells that a shell runs.
const OF_SHELL: [&str; 5] = ["%%bash", "%%sh", "%%script bash", "%%script sh", "%%system"];

/// The commands of a notebook: one text, because the cells share folder and variables.
pub(super) fn commands(text: &str) -> Vec<Written> {
    let Ok(node) = json::parse(text, Style::Strict { max_values: MAX_VALUES }) else { return Vec::new() };
    let Some(Kind::Array(cells)) = node.get("cells").map(|cells| &cells.kind) else { return Vec::new() };
    let mut commands = Written::default();
    for cell in cells.iter().filter(|cell| cell.get("cell_type").and_then(Node::as_str) == Some("code")) {
        if let Some(source) = cell.get("source") {
            of_cell(&source_of(text, source), &mut commands);
        }
    }
    if has_sign(commands.text()) { vec![commands] } else { Vec::new() }
}

/// The source of a cell: a text, or a list of lines.
fn source_of(text: &str, source: &Node) -> Written {
    let mut written = Written::default();
    let lines = match &source.kind {
        Kind::Array(lines) => lines.as_slice(),
        _ => std::slice::from_ref(source),
    };
    for line in lines.iter().filter(|line| line.as_str().is_some()) {
        written.append(&Written::of_string(text, line.span.range()));
    }
    written
}

fn of_cell(source: &Written, commands: &mut Written) {
    let text = source.text();
    let first = text.lines().next().unwrap_or_default();
    if OF_SHELL.iter().any(|start| first.starts_with(start)) {
        let start = first.len().min(text.len());
        commands.append_part(source, start..text.len(), &text[start..]);
        commands.insert("\n");
        return;
    }
    let mut python = String::with_capacity(text.len());
    let (mut at, mut is_continued) = (0, false);
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        let inside = content.trim_start();
        let start = at + content.len() - inside.len();
        let command = match inside.as_bytes() {
            _ if is_continued => Some(inside),
            [b'!', ..] => Some(inside.trim_start_matches('!')),
            [b'%', ..] => inside.strip_prefix('%').filter(|magic| magic.starts_with("cd ") || magic.starts_with("env ")),
            _ => None,
        };
        let is_magic = is_continued || inside.starts_with(['!', '%']);
        is_continued = command.is_some() && inside.ends_with('\\');
        if let Some(command) = command {
            let from = start + inside.len() - command.len();
            // A variable of Python is written as `{NAME}`.
            let word = command.strip_prefix("env ").unwrap_or(command);
            append_with_references(commands, source, from + command.len() - word.len(), word);
            commands.insert("\n");
        } else if let Some(assigned) = assigned(inside) {
            commands.append_part(source, start..start + assigned.len(), &assigned);
            commands.insert("\n");
        }
        if is_magic {
            python.extend(
                line.chars().flat_map(|letter| std::iter::repeat_n(if letter == '\n' { '\n' } else { ' ' }, letter.len_utf8())),
            );
        } else {
            python.push_str(line);
        }
        at += line.len();
    }
    if let Some(found) = commands_of_python(&python) {
        commands.append_part(source, 0..text.len(), &found.text);
        commands.insert("\n");
    }
}

/// Adds a command with `${NAME}` for `{NAME}`.
fn append_with_references(commands: &mut Written, source: &Written, from: usize, command: &str) {
    let mut at = 0;
    while let Some(open) = command[at..].find('{').map(|open| at + open) {
        commands.append_part(source, from + at..from + open, &command[at..open]);
        if !command[..open].ends_with(['$', '{']) {
            commands.insert("$");
        }
        commands.append_part(source, from + open..from + open + 1, "{");
        at = open + 1;
    }
    commands.append_part(source, from + at..from + command.len(), &command[at..]);
}

/// `NAME = "text"` as a shell has it: `NAME=` and the text in quotes, with blanks before it.
fn assigned(line: &str) -> Option<String> {
    let (name, value) = line.split_once('=')?;
    let (name, value) = (name.trim_end(), value.trim());
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let is_text = value.len() > 1 && value.ends_with(quote) && !value[1..value.len() - 1].contains([quote, '\\', '{']);
    let written = format!("{name}={value}");
    (is_name(name) && is_text).then(|| format!("{}{written}", " ".repeat(line.len().saturating_sub(written.len()))))
}
