//! TOML that the library of `prime train` does not read, or reads otherwise: it supports version 0.5, and splits inline tables at their commas.

use cfg_diag::{Diagnostic, FileId, Location, codes};
use cfg_syntax::{Document, Table, TableStyle, Value, ValueKind};

/// Checks all arrays and inline tables of a document.
pub(crate) fn check(file: FileId, text: &str, document: &Document, diagnostics: &mut Vec<Diagnostic>) {
    Reader { file, text, diagnostics }.table(&document.root, "");
    super::misread::check(file, text, document, diagnostics);
}

struct Reader<'a> {
    file: FileId,
    text: &'a str,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn table(&mut self, table: &Table, path: &str) {
        for entry in &table.entries {
            let key = if path.is_empty() { entry.key.text.to_string() } else { format!("{path}.{}", entry.key.text) };
            self.value(&entry.value, &key);
        }
    }

    fn value(&mut self, value: &Value, key: &str) {
        match &value.kind {
            ValueKind::Table(table) => {
                if table.style == TableStyle::Inline {
                    let written = self.text.get(value.span.start as usize..value.span.end as usize).unwrap_or_default();
                    if let Some(part) = unread(written) {
                        self.unread(value, key, &part);
                    }
                }
                self.table(table, key);
            }
            ValueKind::Array(items) => {
                self.mixed(items, key);
                for (index, item) in items.iter().enumerate() {
                    self.value(item, &format!("{key}[{index}]"));
                }
            }
            _ => {}
        }
    }

    fn unread(&mut self, value: &Value, key: &str, part: &str) {
        let message = format!("`prime train` can't read this inline table: its TOML library fails on `{part}`");
        let help = "write it as a table with its own header; prime-rl's loader does read it";
        self.diagnostics.push(
            Diagnostic::new(&codes::UNSUPPORTED_TOML, message)
                .key(key)
                .at(Location::new(self.file, value.span))
                .help(help)
                .native("TomlDecodeError", Vec::new()),
        );
    }

    /// Reports an array with items of several types.
    fn mixed(&mut self, items: &[Value], key: &str) {
        let Some((first, own)) = items.first().and_then(|first| Some((first, types(&first.kind)?))) else { return };
        // The library drops items after a table that are not tables, without an error.
        let is_other = |item: &&Value| types(&item.kind).is_some_and(|ty| ty != own);
        let Some(other) = items.iter().find(is_other).filter(|_| own != "tables") else { return };
        let beside = types(&other.kind).unwrap_or("others");
        let message = format!("`prime train` can't read an array of {own} and {beside}");
        let help = "its library reads TOML 0.5, where all items of an array have the same type; prime-rl's loader does read it";
        self.diagnostics.push(
            Diagnostic::new(&codes::UNSUPPORTED_TOML, message)
                .key(key)
                .at(Location::new(self.file, other.span))
                .related(Location::new(self.file, first.span), format!("the array starts with {own}"))
                .help(help)
                .native("TomlDecodeError", Vec::new()),
        );
    }
}

/// The name of the items' type, in the plural; `None` if the value is still being typed.
const fn types(kind: &ValueKind) -> Option<&'static str> {
    Some(match kind {
        ValueKind::Boolean(_) => "booleans",
        ValueKind::Integer(_) => "integers",
        ValueKind::Float(_) => "floats",
        ValueKind::String(_) => "strings",
        ValueKind::Datetime(_) => "dates",
        ValueKind::Array(_) => "arrays",
        ValueKind::Table(_) => "tables",
        ValueKind::Missing | ValueKind::Invalid => return None,
    })
}

/// The part of an inline table at which the library fails; `written` includes the braces. It splits at each comma, and joins parts again until the
/// first and the last character look like those of one value.
fn unread(written: &str) -> Option<String> {
    let inner = written.strip_prefix('{')?.strip_suffix('}')?;
    if inner.trim().is_empty() {
        return None;
    }
    let mut parts = inner.split(',').map(str::to_owned);
    let mut part = parts.next()?;
    loop {
        let Some((_, value)) = part.split_once('=') else { return Some(part.trim().to_owned()) };
        let value = value.trim();
        if looks_whole(value) {
            part = parts.next()?;
        } else if let Some(next) = parts.next() {
            part = format!("{part},{next}");
        } else {
            return Some(part.trim().to_owned());
        }
    }
}

fn looks_whole(value: &str) -> bool {
    let (Some(first), Some(last)) = (value.chars().next(), value.chars().next_back()) else { return false };
    match first {
        '"' | '\'' => first == last,
        '-' | '0'..='9' => true,
        '[' => last == ']',
        '{' => last == '}',
        _ => matches!(value, "true" | "false"),
    }
}

#[cfg(test)]
mod tests {
    use super::unread;

    #[test]
    fn an_inline_table_is_cut_at_its_commas() {
        for read in [
            "{}",
            "{ }",
            "{x = 1}",
            "{x = \"a, b\", y = 'c'}",
            "{x = [1, 2], y = {z = 1}}",
            "{x = [[1]]}",
            "{x = -1.5, y = true}",
        ] {
            assert_eq!(unread(read), None, "{read}");
        }
        assert_eq!(unread("{x = [[1], [2]]}").as_deref(), Some("[2]]"));
        assert_eq!(unread("{x = inf}").as_deref(), Some("x = inf"));
        assert_eq!(unread("{x = 1, y = +2}").as_deref(), Some("y = +2"));
        assert_eq!(unread("{x ="), None);
    }
}
