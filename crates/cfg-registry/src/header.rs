//! Writes members of a config's metadata block.

use cfg_diag::{FileId, Order};
use cfg_syntax::{Dialect, ValueKind};
use serde_json::Value as Json;

/// The order in which members are written.
const ORDER: [&str; 9] =
    ["version", "created", "env_version", "based_on", "prime_rl", "hardware", "disk", "input_tokens", "notes"];

/// Why a config's metadata can't be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwritable {
    /// The metadata block has no end, or its content or the text before it is not TOML.
    Broken,
}

/// The text with members of its metadata block set; without a block, one is added at the top. All other bytes stay the same.
pub fn with_members(text: &str, members: &[(&str, &str)]) -> Result<String, Unwritable> {
    // If the result is not TOML, the new lines could mean something else.
    Some(written(text, members)?).filter(|new| reads_back(new, members)).ok_or(Unwritable::Broken)
}

/// The text without these members of its metadata block: whole lines are removed. All other bytes stay
/// the same.
///
/// # Errors
/// If the block has no end, or is not TOML.
pub fn without_members(text: &str, members: &[&str]) -> Result<String, Unwritable> {
    let file = FileId(0);
    let (document, _) = cfg_syntax::parse(file, text, Dialect::Toml11);
    let Some(block) = document.metadata_block(text) else { return Ok(text.to_owned()) };
    let Some((table, faults)) = cfg_syntax::metadata(file, text, &document) else { return Err(Unwritable::Broken) };
    if !block.closed || !faults.is_empty() {
        return Err(Unwritable::Broken);
    }
    let mut out = text.to_owned();
    for entry in table.entries.iter().rev().filter(|entry| members.contains(&&*entry.key.text)) {
        let (first, last) = (entry.key.span.start as usize, entry.value.span.end as usize);
        let start = cfg_diag::line_start(text, first);
        let end = text[last..].find('\n').map_or(text.len(), |at| last + at + 1);
        out.replace_range(start..end, "");
    }
    Ok(out)
}

fn written(text: &str, members: &[(&str, &str)]) -> Result<String, Unwritable> {
    let file = FileId(0);
    let (document, _) = cfg_syntax::parse(file, text, Dialect::Toml11);
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let Some(block) = document.metadata_block(text) else { return Ok(with_new_block(text, members, line_end)) };
    let Some((table, faults)) = cfg_syntax::metadata(file, text, &document) else { return Err(Unwritable::Broken) };
    if !block.closed || !faults.is_empty() {
        return Err(Unwritable::Broken);
    }
    // Each edit is a range of the text and its replacement.
    let mut edits: Vec<(usize, usize, String)> = Vec::new();
    let indent = block.lines.first().map_or("# ", |line| indent_of(&text[line.range()]));
    let rank = |key: &str| ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len());
    let end_of_line = |offset: u32| text[offset as usize..].find('\n').map_or(text.len(), |at| offset as usize + at + 1);
    let first_line = end_of_line(block.span.start);
    for (key, value) in members {
        let quoted = quoted(value);
        if let Some(entry) = table.entries.iter().find(|entry| &*entry.key.text == *key) {
            if !matches!(&entry.value.kind, ValueKind::String(old) if **old == **value) {
                edits.push((entry.value.span.start as usize, entry.value.span.end as usize, quoted));
            }
            continue;
        }
        // The position is after the last of the members that precede this one in the order.
        let before =
            table.entries.iter().filter(|entry| rank(&entry.key.text) < rank(key)).map(|entry| entry.value.span.end).max();
        let at = before.map_or(first_line, end_of_line);
        edits.push((at, at, format!("{indent}{key} = {quoted}{line_end}")));
    }
    // A stable sort keeps the order of edits at the same position.
    edits.order_by_key(|(start, ..)| *start);
    let mut out = String::with_capacity(text.len() + 256);
    let mut done = 0;
    for (start, end, new) in edits {
        out.push_str(&text[done..start]);
        out.push_str(&new);
        done = end;
    }
    out.push_str(&text[done..]);
    Ok(out)
}

/// Whether a text has the expected metadata when it is read.
fn reads_back(text: &str, members: &[(&str, &str)]) -> bool {
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    let Some((table, faults)) = cfg_syntax::metadata(FileId(0), text, &document) else { return false };
    let says = |key: &str, value: &str| {
        table.get(key).is_some_and(|entry| matches!(&entry.value.kind, ValueKind::String(said) if **said == *value))
    };
    faults.is_empty() && members.iter().all(|(key, value)| says(key, value))
}

fn with_new_block(text: &str, members: &[(&str, &str)], line_end: &str) -> String {
    // Editors look for a schema directive in the first line, so it stays the first.
    let directive = if text.starts_with("#:") { text.find('\n').map_or(text.len(), |at| at + 1) } else { 0 };
    let (head, rest) = text.split_at(directive);
    let mut out = head.to_owned();
    if !head.is_empty() && !head.ends_with('\n') {
        out.push_str(line_end);
    }
    let mut sorted = members.to_vec();
    sorted.order_by_key(|(key, _)| ORDER.iter().position(|known| known == key));
    out.push_str(&format!("# /// config{line_end}"));
    for (key, value) in sorted {
        out.push_str(&format!("# {key} = {}{line_end}", quoted(value)));
    }
    out.push_str(&format!("# ///{line_end}"));
    if !rest.is_empty() && !rest.starts_with(['\n', '\r']) {
        out.push_str(line_end);
    }
    out.push_str(rest);
    out
}

/// The part of a line before the name of the member: `# `.
fn indent_of(line: &str) -> &str {
    let rest = line.trim_start_matches('#').trim_start_matches([' ', '\t']);
    if rest.is_empty() { "# " } else { &line[..line.len() - rest.len()] }
}

/// A string in TOML notation. JSON's notation is the same, except for escapes of surrogates, which `serde_json` does not write, and for DEL.
fn quoted(text: &str) -> String {
    Json::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::{Unwritable, with_members, without_members};

    const BLOCK: &str = "# /// config\n# version = \"v3\"  # the third\n# notes = \"a\"\n# ///\n\nmax_steps = 1\n";

    #[test]
    fn existing_members_are_set_in_place_and_new_ones_in_order() {
        let members = [("version", "v4"), ("created", "2026-01-05"), ("based_on", "a.toml:v3"), ("notes", "say \"why\"\n\u{7f}")];
        let new = with_members(BLOCK, &members).expect("it can be written");
        let expected = "# /// config\n# version = \"v4\"  # the third\n# created = \"2026-01-05\"\n# based_on = \"a.toml:v3\"\n\
                        # notes = \"say \\\"why\\\"\\n\\u007f\"\n# ///\n\nmax_steps = 1\n";
        assert_eq!(new, expected);
        assert_eq!(with_members(&new, &members).as_deref(), Ok(expected));
    }

    #[test]
    fn members_are_removed_with_their_lines() {
        let text = "# /// config\n# version = \"v3\"  # the third\n# except = [\n#   \"a\",\n# ]\n# notes = \"a\"\n# ///\nmax_steps = 1\n";
        let without = |members: &[&str]| without_members(text, members).expect("it can be written");
        assert_eq!(without(&["version", "except", "created"]), "# /// config\n# notes = \"a\"\n# ///\nmax_steps = 1\n");
        assert_eq!(without(&[]), text);
        assert_eq!(without_members("max_steps = 1\n", &["version"]).as_deref(), Ok("max_steps = 1\n"));
        assert_eq!(without_members("# /// config\n# version = \n# ///\n", &["version"]), Err(Unwritable::Broken));
    }

    #[test]
    fn a_missing_block_is_created() {
        let members = [("version", "v1"), ("notes", "first")];
        let block = "# /// config\n# version = \"v1\"\n# notes = \"first\"\n# ///\n";
        let new = |text: &str| with_members(text, &members).expect("it can be written");
        assert_eq!(new(""), block);
        assert_eq!(new("a = 1\n"), format!("{block}\na = 1\n"));
        assert_eq!(new("\na = 1\n"), format!("{block}\na = 1\n"));
        assert_eq!(new("#:schema x.json\n# what\na = 1\n"), format!("#:schema x.json\n{block}\n# what\na = 1\n"));
        assert_eq!(new("a = 1\r\n"), format!("{block}\na = 1\n").replace('\n', "\r\n"));
        assert_eq!(new("# a comment"), format!("{block}\n# a comment"));
    }

    #[test]
    fn a_broken_block_is_left_alone() {
        for text in ["# /// config\n# version = \"v1\"\n\na = 1\n", "# /// config\n# version = v1\n# ///\n"] {
            assert_eq!(with_members(text, &[("version", "v2")]), Err(Unwritable::Broken), "{text}");
        }
        // A carriage return ends the comment in the middle of the first line, and what follows it is not a comment.
        assert_eq!(with_members("#:schema a\rb.json\n", &[("version", "v2")]), Err(Unwritable::Broken));
    }
}
