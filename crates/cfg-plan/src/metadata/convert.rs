//! Moves a `[config]` table, or members that comments state in words, into the metadata block, which prime-rl does not read.

use cfg_diag::{Applicability, Edit, FileId, Fix, Location, Order, Span};
use cfg_syntax::{Document, Entry, Header, Table, Value, ValueKind};

use super::{Metadata, Remark, members::is_member, remarks};

/// The edits that write these members as a metadata block. Members that the block already has are not changed, nor are other comments and
/// keys. `None` if there is nothing to move, or if it is not clear how to move it.
pub(super) fn into_block(file: FileId, text: &str, document: &Document, metadata: &Metadata) -> Option<Fix> {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = document.metadata_block(text);
    let stated = cfg_syntax::metadata(file, text, document).map(|(table, _)| table);
    let is_stated = |name: &str| stated.as_ref().is_some_and(|table| table.get(name).is_some());
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut cuts: Vec<Span> = Vec::new();
    let mut applicability = Applicability::Safe;
    let mut place = None;
    if metadata.table.is_some() {
        let table = table_of(document)?;
        for entry in &table.members {
            cuts.push(lines_of(text, entry.key.span.start, entry.value.span.end));
            lines.push((entry.key.text.to_string(), line_of(text, entry)?));
        }
        if !table.others.is_empty() {
            // After the change these keys belong to the table above: to the root, where most of them were probably meant to be.
            let is_free = |entry: &&Entry| document.root.get(&entry.key.text).is_none();
            if !table.is_first_header || !table.others.iter().all(is_free) {
                return None;
            }
            applicability = Applicability::Unsafe;
        }
        let header = lines_of(text, table.header.span.start, table.header.span.end);
        let comment = text[table.header.span.end as usize..header.end as usize].trim();
        if !is_comment(comment) {
            return None;
        }
        if !comment.is_empty() {
            lines.insert(0, (String::new(), comment.to_owned()));
        }
        cuts.push(header);
        place = table.is_first.then_some(header.start);
    }
    // A parent without a version is not a reference: its comment is not changed.
    let is_usable = |remark: &&Remark| remark.member != "based_on" || remarks::names_version(&remark.stated.value);
    for remark in metadata.remarks.iter().filter(is_usable) {
        lines.push((remark.member.to_owned(), format!("{} = {}", remark.member, quoted(&remark.stated.value))));
        let line = lines_of(text, remark.comment.span.start, remark.comment.span.end);
        if remark.is_all && !cuts.contains(&line) {
            cuts.push(line);
        }
        place = place.or(Some(line.start));
    }
    let mut names = Vec::new();
    lines.retain(|(name, _)| {
        let is_new = name.is_empty() || !is_stated(name) && !names.contains(name);
        names.push(name.clone());
        is_new
    });
    if cuts.is_empty() || (lines.is_empty() && metadata.table.is_none()) {
        return None;
    }
    let body: String = lines.iter().flat_map(|(_, line)| ["# ", line.as_str(), end]).collect();
    let (at, new) = match &block {
        Some(block) if !block.closed => return None,
        Some(block) => (last_line(text, block.span), body),
        None => (place.unwrap_or(0), format!("# /// config{end}{body}# ///{end}")),
    };
    Some(Fix::new("move the metadata into the comment block", applicability, edits(file, cuts, at, new)))
}

/// A `[config]` table.
struct Config<'d> {
    header: &'d Header,
    members: Vec<&'d Entry>,
    /// The keys that are not metadata.
    others: Vec<&'d Entry>,
    /// Whether the table is the first thing in the file.
    is_first: bool,
    /// Whether it is the first table in the file.
    is_first_header: bool,
}

/// The `[config]` table, if it has a header of its own and no table below it has one.
fn table_of(document: &Document) -> Option<Config<'_>> {
    let is_below = |header: &&Header| header.keys.first().is_some_and(|key| &*key.text == "config");
    let mut headers = document.headers.iter().filter(is_below);
    let header = headers.next().filter(|header| header.keys.len() == 1 && !header.array)?;
    if headers.next().is_some() {
        return None;
    }
    let ValueKind::Table(Table { entries, .. }) = &document.root.get("config")?.value.kind else { return None };
    let is_whole = |entry: &Entry| {
        let ValueKind::Table(table) = &entry.value.kind else {
            return !matches!(entry.value.kind, ValueKind::Missing | ValueKind::Invalid);
        };
        table.style == cfg_syntax::TableStyle::Inline
    };
    if !entries.iter().all(is_whole) {
        return None;
    }
    let (members, others) = entries.iter().partition(|entry| is_member(&entry.key.text));
    let above = |start: u32| start < header.span.start;
    let is_first_header = !document.headers.iter().any(|other| above(other.span.start));
    let is_first = is_first_header && !document.root.entries.iter().any(|entry| above(entry.key.span.start));
    Some(Config { header, members, others, is_first, is_first_header })
}

/// Whether the rest of a line is empty or a comment.
fn is_comment(behind: &str) -> bool {
    behind.is_empty() || behind.starts_with('#')
}

/// The text of an entry that is on one line, with the comment after it; `None` if anything else is on its line.
fn line_of(text: &str, entry: &Entry) -> Option<String> {
    let (start, end) = (entry.key.span.start as usize, entry.value.span.end as usize);
    let lines = lines_of(text, entry.key.span.start, entry.value.span.end).range();
    let behind = text[end..lines.end].trim();
    if !text[lines.start..start].trim().is_empty() || !is_comment(behind) {
        return None;
    }
    let written = &text[start..end];
    let mut line = if written.contains('\n') {
        format!("{} = {}", &text[entry.key.span.range()], on_one_line(text, &entry.value)?)
    } else {
        written.to_owned()
    };
    if !behind.is_empty() {
        line.push_str("  ");
        line.push_str(behind);
    }
    Some(line)
}

/// The text of a value of several lines, written on one line.
fn on_one_line(text: &str, value: &Value) -> Option<String> {
    match &value.kind {
        ValueKind::String(string) => Some(quoted(string)),
        ValueKind::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(|item| on_one_line(text, item)).collect();
            Some(format!("[{}]", items?.join(", ")))
        }
        ValueKind::Table(_) => None,
        _ => Some(text[value.span.range()].to_owned()),
    }
}

/// A string in TOML notation.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(control))),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// The span of whole lines from one offset to another, including the last line break.
fn lines_of(text: &str, start: u32, end: u32) -> Span {
    let begin = cfg_diag::line_start(text, start as usize);
    let stop = text[end as usize..].find('\n').map_or(text.len(), |at| end as usize + at + 1);
    Span::new(begin as u32, stop as u32)
}

/// The offset of the last line of a block.
fn last_line(text: &str, block: Span) -> u32 {
    lines_of(text, block.end, block.end).start
}

/// The edits that remove lines and insert text at the start of a line, which may be a removed one.
fn edits(file: FileId, mut cuts: Vec<Span>, at: u32, new: String) -> Vec<Edit> {
    let edit = |span: Span, new_text: String| Edit { location: Location::new(file, span), new_text };
    cuts.sort_unstable();
    let mut new = Some(new).filter(|new| !new.is_empty());
    let mut edits: Vec<Edit> = Vec::new();
    for cut in cuts {
        let text = if cut.start == at { new.take().unwrap_or_default() } else { String::new() };
        edits.push(edit(cut, text));
    }
    if let Some(new) = new {
        edits.push(edit(Span::new(at, at), new));
    }
    edits.order_by_key(|edit| edit.location.span);
    edits
}
