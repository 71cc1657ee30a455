//! Repairs of what is written twice: an old key beside its new one, a key or a table that is defined again.

use cfg_diag::{Applicability, Diagnostic, Does, Edit, FileId, Fix, Location, Span};
use cfg_syntax::{Dialect, Document, Entry, Header, Table, Value, ValueKind};

/// A text in which something is written twice.
pub(crate) struct Twice<'a> {
    file: FileId,
    text: &'a str,
    document: Document,
}

impl<'a> Twice<'a> {
    pub(crate) fn new(file: FileId, text: &'a str) -> Self {
        Self { file, text, document: cfg_syntax::parse(file, text, Dialect::Toml11).0 }
    }

    /// The names of the keys of a table; `None` if there is none at this path.
    pub(crate) fn names_below(&self, path: &str) -> Option<Vec<&str>> {
        let table = at_path(&self.document.root, path)?.value.as_table()?;
        Some(table.entries.iter().map(|entry| &*entry.key.text).collect())
    }

    /// Whether a key has a single value: no table with keys, and no list of tables.
    pub(crate) fn is_single(&self, path: &str) -> bool {
        let has_tables = |value: &Value| value.items().iter().any(|item| item.as_table().is_some());
        at_path(&self.document.root, path).is_none_or(|entry| match entry.value.as_table() {
            Some(table) => table.entries.is_empty(),
            None => !has_tables(&entry.value),
        })
    }

    /// Whether there is an array at a path.
    pub(crate) fn is_array(&self, path: &str) -> bool {
        at_path(&self.document.root, path).is_some_and(|entry| matches!(entry.value.kind, ValueKind::Array(_)))
    }

    /// Whether there is anything at a path.
    pub(crate) fn is_written(&self, path: &str) -> bool {
        at_path(&self.document.root, path).is_some()
    }

    /// The repairs of an old key whose new one, `to`, has a value as well: remove the old one, or keep its value.
    pub(crate) fn old_beside_new(&self, found: &Diagnostic, to: &str) -> Vec<Fix> {
        let Some(at) = found.location.map(|location| location.span.start) else { return Vec::new() };
        let Some(new) = at_path(&self.document.root, to) else { return Vec::new() };
        if let Some(header) = self.header_at(at) {
            let into = self.document.headers.iter().position(|other| is_named(other, to) && !other.array);
            return into.and_then(|into| self.merge(header, into)).into_iter().collect();
        }
        let Some(old) = entry_at(&self.document.root, at) else { return Vec::new() };
        let (Some(line), name) = (self.lines_of(old), &old.key.text) else { return Vec::new() };
        let (old_text, new_text) = (&self.text[old.value.span.range()], &self.text[new.value.span.range()]);
        let new_name = &new.key.text;
        if old_text == new_text {
            let title = format!("remove `{name}`: `{new_name}` has the same value");
            return vec![self.fix(title, Applicability::Safe, vec![(line, String::new())])];
        }
        let keep_new = format!("remove `{name}`: `{new_name}` is {}", shortened(new_text));
        let keep_old = format!("set `{new_name}` to {}, the value of `{name}`, and remove that", shortened(old_text));
        vec![
            self.fix(keep_new, Applicability::Unsafe, vec![(line, String::new())]),
            self.fix(keep_old, Applicability::Unsafe, vec![(new.value.span, old_text.to_owned()), (line, String::new())]),
        ]
    }

    /// The repairs of a key or a table that is defined again.
    pub(crate) fn again(&self, found: &Diagnostic) -> Vec<Fix> {
        let (Some(second), Some(first)) = (found.location, found.related.first()) else { return Vec::new() };
        let (second, first) = (second.span.start, first.location.span.start);
        match (self.header_at(second), self.header_at(first)) {
            (Some(second), Some(first)) => self.merge(second, first).into_iter().collect(),
            (None, None) => self.duplicate_lines(first, second).unwrap_or_default(),
            (Some(header), None) => {
                self.as_header(first, header).map_or_else(|| self.within_header(first, header), |fix| vec![fix])
            }
            (None, Some(header)) => self.below_header(second, header).into_iter().collect(),
        }
    }

    /// The repairs of two lines that define one key.
    fn duplicate_lines(&self, first: u32, second: u32) -> Option<Vec<Fix>> {
        let (first, second) = (self.line_at(first), self.line_at(second));
        let (one, other) = (only_entry(&self.text[first.range()])?, only_entry(&self.text[second.range()])?);
        if one.0 != other.0 {
            return None;
        }
        let remove = |title: String, applicability, line: Span| self.fix(title, applicability, vec![(line, String::new())]);
        if one.1 == other.1 {
            let title = format!("remove the second `{}`, which has the same value", one.0);
            return Some(vec![remove(title, Applicability::Safe, second)]);
        }
        let keep = |value: &str| format!("keep `{} = {}`", one.0, shortened(value));
        Some(vec![remove(keep(&one.1), Applicability::Unsafe, second), remove(keep(&other.1), Applicability::Unsafe, first)])
    }

    /// Moves the entries below one header to the end of those below another, and removes the header. `None` if both have a key with different values.
    fn merge(&self, from: usize, into: usize) -> Option<Fix> {
        let (source, target) = (&self.document.headers[from], &self.document.headers[into]);
        if source.array || target.array || from == into {
            return None;
        }
        let (body, kept) = (self.body(from), self.body(into));
        let own = table_of(&self.text[body.range()])?;
        let there = table_of(&self.text[kept.range()])?;
        let mut moved = String::new();
        let mut last = 0;
        for entry in &own.entries {
            let text = &self.text[body.range()];
            let end = text[entry.value.span.end as usize..]
                .find('\n')
                .map_or(text.len(), |end| entry.value.span.end as usize + end + 1);
            let lines = text.get(last..end)?;
            last = end;
            match there.get(&entry.key.text) {
                None => moved.push_str(lines.trim_start_matches(['\r', '\n'])),
                Some(other) if other.value.kind == entry.value.kind => {}
                Some(_) => return None,
            }
        }
        // Behind the last entry, or behind the header.
        let written = self.text[kept.range()].trim_end().len() as u32;
        let at = if written == 0 { kept.start } else { self.line_at(kept.start + written - 1).end };
        if !moved.is_empty() && !moved.ends_with('\n') {
            moved.push('\n');
        }
        if !self.text[..at as usize].ends_with('\n') {
            moved.insert(0, '\n');
        }
        let start = self.line_at(source.span.start).start;
        // What is inserted directly before the removed header is one edit with its removal.
        let removed = Span::new(start, body.end);
        let mut edits = vec![(Span::empty(at), moved), (removed, String::new())];
        if removed.touches(at) {
            let (_, moved) = edits.remove(0);
            edits[0].1 = moved;
        }
        let name = named(target);
        Some(Fix { does: Does::Move, ..self.fix(format!("move its entries to `[{name}]`"), Applicability::Safe, edits) })
    }

    /// Moves the entries of an inline table below a header that extends it, where TOML allows no extension. `None` if both have a key.
    fn as_header(&self, inline: u32, header: usize) -> Option<Fix> {
        let entry = entry_at(&self.document.root, inline)?;
        let table = entry.value.as_table().filter(|table| !table.entries.is_empty())?;
        let body = self.body(header);
        let own = table_of(&self.text[body.range()])?;
        if self.document.headers[header].array || table.entries.iter().any(|entry| own.get(&entry.key.text).is_some()) {
            return None;
        }
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let line =
            |entry: &Entry| format!("{}{newline}", &self.text[entry.key.span.start as usize..entry.value.span.end as usize]);
        let mut lines: String = table.entries.iter().map(line).collect();
        // Dotted keys of an inline table are no lines of their own.
        table_of(&lines)?;
        if !self.text[..body.start as usize].ends_with('\n') {
            lines.insert_str(0, newline);
        }
        let name = named(&self.document.headers[header]);
        let edits = vec![(self.lines_of(entry)?, String::new()), (Span::empty(body.start), lines)];
        Some(Fix {
            does: Does::Move,
            ..self.fix(format!("move the entries of `{}` to `[{name}]`", entry.key.text), Applicability::Unsafe, edits)
        })
    }

    /// Puts a single value, which is written where a header makes a table, into that table: what names or chooses something is its `type` or its `name`. A
    /// switch says nothing beside it.
    fn within_header(&self, value: u32, header: usize) -> Vec<Fix> {
        let Some(entry) = entry_at(&self.document.root, value) else { return Vec::new() };
        let (body, name) = (self.body(header), named(&self.document.headers[header]));
        let (Some(line), Some(own)) = (self.lines_of(entry), table_of(&self.text[body.range()])) else { return Vec::new() };
        if entry.value.as_table().is_some() || !entry.value.items().is_empty() {
            return Vec::new();
        }
        let text = &self.text[entry.value.span.range()];
        let is_text = matches!(entry.value.kind, ValueKind::String(_));
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let gap = if self.text[..body.start as usize].ends_with('\n') { "" } else { newline };
        // A comment stays with its value.
        let rest = &self.text[entry.value.span.end as usize..line.end as usize];
        let end = if rest.ends_with('\n') { "" } else { newline };
        let keys = ["type", "name"].into_iter().filter(|key| is_text && own.get(key).is_none());
        let moved = keys.map(|key| {
            let edits = vec![(line, String::new()), (Span::empty(body.start), format!("{gap}{key} = {text}{rest}{end}"))];
            let title = format!("write `{key} = {}` in `[{name}]` instead", shortened(text));
            Fix { does: Does::Move, ..self.fix(title, Applicability::Unsafe, edits) }
        });
        let title = format!("remove `{} = {}`: `[{name}]` is written as well", entry.key.text, shortened(text));
        let removed = rest.trim().is_empty().then(|| self.fix(title, Applicability::Unsafe, vec![(line, String::new())]));
        moved.chain(removed).collect()
    }

    /// Moves the line of a dotted key, whose first step at `key` is the table of a header, below that header.
    fn below_header(&self, key: u32, header: usize) -> Option<Fix> {
        let (line, target) = (self.line_at(key), &self.document.headers[header]);
        let name = &*target.keys.last()?.text;
        let own = self.text[key as usize..line.end as usize].strip_prefix(name)?.trim_start().strip_prefix('.')?.trim_start();
        let entry = table_of(own)?;
        let kept = self.body(header);
        let there = table_of(&self.text[kept.range()])?;
        let is_alone = self.text[line.start as usize..key as usize].trim().is_empty() && !target.array;
        let is_new = entry.entries.iter().all(|entry| there.get(&entry.key.text).is_none());
        if !is_alone || !is_new || entry.entries.len() != 1 || line.touches(kept.start) || line.touches(kept.end) {
            return None;
        }
        let written = self.text[kept.range()].trim_end().len() as u32;
        let at = if written == 0 { kept.start } else { self.line_at(kept.start + written - 1).end };
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let gap = if self.text[..at as usize].ends_with('\n') { "" } else { newline };
        let moved = format!("{gap}{}{newline}", own.trim_end());
        let mut edits = vec![(line, String::new()), (Span::empty(at), moved)];
        edits.sort_by_key(|(span, _)| *span);
        let title = format!("move `{name}.{}` to `[{}]`", entry.entries[0].key.text, named(target));
        Some(Fix { does: Does::Move, ..self.fix(title, Applicability::Safe, edits) })
    }

    fn fix(&self, title: String, applicability: Applicability, edits: Vec<(Span, String)>) -> Fix {
        let edit = |(span, new_text)| Edit { location: Location::new(self.file, span), new_text };
        Fix::new(title, applicability, edits.into_iter().map(edit).collect())
    }

    fn header_at(&self, at: u32) -> Option<usize> {
        self.document.headers.iter().position(|header| header.span.start <= at && at < header.span.end)
    }

    /// What is below a header, from the next line to the next header.
    fn body(&self, header: usize) -> Span {
        let start = self.line_at(self.document.headers[header].span.start).end;
        let next = self.document.headers.get(header + 1).map(|next| self.line_at(next.span.start).start);
        Span::new(start, next.unwrap_or(self.text.len() as u32).max(start))
    }

    /// The line at an offset, with its end.
    fn line_at(&self, at: u32) -> Span {
        let start = cfg_diag::line_start(self.text, at as usize);
        let end = self.text[at as usize..].find('\n').map_or(self.text.len(), |newline| at as usize + newline + 1);
        Span::from(start..end)
    }

    /// The whole lines of an entry; `None` if they have something else, too.
    fn lines_of(&self, entry: &Entry) -> Option<Span> {
        let whole = Span::new(self.line_at(entry.key.span.start).start, self.line_at(entry.value.span.end).end);
        let before = &self.text[whole.start as usize..entry.key.span.start as usize];
        let behind = self.text[entry.value.span.end as usize..whole.end as usize].trim_start();
        (before.trim().is_empty() && (behind.is_empty() || behind.starts_with('#'))).then_some(whole)
    }
}

/// The key and the value of a line that is an entry by itself.
fn only_entry(line: &str) -> Option<(Box<str>, String)> {
    let table = table_of(line)?;
    let [entry] = &*table.entries else { return None };
    (!matches!(entry.value.kind, ValueKind::Table(_)))
        .then(|| (entry.key.text.clone(), line[entry.value.span.range()].to_owned()))
}

/// The table that a text without headers is; `None` if it has errors.
fn table_of(text: &str) -> Option<Table> {
    let (document, faults) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    (faults.is_empty() && document.headers.is_empty()).then_some(document.root)
}

fn is_named(header: &Header, name: &str) -> bool {
    header.keys.iter().map(|key| &*key.text).eq(name.split('.'))
}

fn named(header: &Header) -> String {
    header.keys.iter().map(|key| &*key.text).collect::<Vec<_>>().join(".")
}

/// The entry at a dotted path of tables.
fn at_path<'d>(root: &'d Table, path: &str) -> Option<&'d Entry> {
    match path.split_once('.') {
        None => root.get(path),
        Some((first, rest)) => at_path(root.value(first).and_then(Value::as_table)?, rest),
    }
}

/// The entry whose key begins at an offset.
fn entry_at(table: &Table, at: u32) -> Option<&Entry> {
    table.entries.iter().find_map(|entry| if entry.key.span.start == at { Some(entry) } else { below(&entry.value, at) })
}

fn below(value: &Value, at: u32) -> Option<&Entry> {
    match value.as_table() {
        Some(table) => entry_at(table, at),
        None => value.items().iter().find_map(|item| below(item, at)),
    }
}

/// A value in a title.
fn shortened(value: &str) -> String {
    const MAX_CHARS: usize = 30;
    let line = cfg_diag::one_line(value);
    if line.chars().count() <= MAX_CHARS { line.into_owned() } else { line.chars().take(MAX_CHARS - 1).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use cfg_check::apply;
    use cfg_diag::{Applicability, Diagnostic, FileId, Location, Span, codes};

    use super::Twice;

    /// The texts after each fix, and whether it is safe. The places are those of `old` and `new`.
    fn after(text: &str, make: impl Fn(&Twice<'_>) -> Vec<cfg_diag::Fix>) -> Vec<(String, bool)> {
        let fixes = make(&Twice::new(FileId(0), text));
        let applied = fixes.iter().map(|fix| {
            let text = apply(text, &fix.edits).expect("the edits fit");
            (text, fix.applicability == Applicability::Safe)
        });
        applied.collect()
    }

    fn found(text: &str, second: &str, first: Option<&str>) -> Diagnostic {
        let at = |word: &str| {
            let start = text.rfind(word).expect("it is there") as u32;
            Location::new(FileId(0), Span::new(start, start + word.len() as u32))
        };
        let found = Diagnostic::new(&codes::DUPLICATE_KEY, "").at(at(second));
        let start = |word: &str| Location::new(FileId(0), Span::empty(text.find(word).expect("it is there") as u32));
        match first {
            Some(first) => found.related(start(first), ""),
            None => found,
        }
    }

    #[test]
    fn an_old_key_beside_its_new_one_goes_or_gives_its_value() {
        let text = "[o]\nold = 8\nnew = 8 # why\n";
        let fixes = |text: &str| after(text, |twice| twice.old_beside_new(&found(text, "old", None), "o.new"));
        assert_eq!(fixes(text), [("[o]\nnew = 8 # why\n".to_owned(), true)]);
        let other = text.replace("old = 8", "old = 4");
        let both = [("[o]\nnew = 8 # why\n".to_owned(), false), ("[o]\nnew = 4 # why\n".to_owned(), false)];
        assert_eq!(fixes(&other), both);
    }

    #[test]
    fn a_duplicate_key_is_removed_if_nothing_is_lost() {
        let fixes = |text: &str| after(text, |twice| twice.again(&found(text, "a = ", Some("a = "))));
        assert_eq!(fixes("a = 1\nb = 2\na = 1\n"), [("a = 1\nb = 2\n".to_owned(), true)]);
        let both = [("a = 1\nb = 2\n".to_owned(), false), ("b = 2\na = 3\n".to_owned(), false)];
        assert_eq!(fixes("a = 1\nb = 2\na = 3\n"), both);
    }

    #[test]
    fn an_inline_table_joins_its_header_if_its_entries_are_lines() {
        let fixes = |text: &str| after(text, |twice| twice.again(&found(text, "[t]", Some("t = "))));
        assert_eq!(fixes("t = { a = 1, b = 2 }\n[t]\nc = 3\n"), [("[t]\na = 1\nb = 2\nc = 3\n".to_owned(), false)]);
        assert!(fixes("t = { a = 1, a = 2 }\n[t]\nc = 3\n").iter().all(|(text, _)| text.matches("a = ").count() == 1));
    }

    #[test]
    fn a_value_beside_its_header_goes_into_the_table() {
        let fixes = |text: &str| after(text, |twice| twice.again(&found(text, "[t]", Some("t = "))));
        let texts = |text: &str| fixes(text).into_iter().map(|(text, _)| text).collect::<Vec<_>>();
        let removed = "[t]\nc = 3\n".to_owned();
        let named = ["[t]\ntype = \"a\"\nc = 3\n", "[t]\nname = \"a\"\nc = 3\n"].map(str::to_owned);
        assert_eq!(texts("t = \"a\"\n[t]\nc = 3\n"), named.into_iter().chain([removed.clone()]).collect::<Vec<_>>());
        assert_eq!(texts("t = true\n[t]\nc = 3\n"), [removed]);
    }

    #[test]
    fn a_duplicate_table_is_merged() {
        let fixes = |text: &str| after(text, |twice| twice.again(&found(text, "[t]", Some("[t]"))));
        let text = "[t]\na = 1\n\n[u]\nb = 2\n\n[t]\n# why\nc = 3\na = 1\n";
        assert_eq!(fixes(text), [("[t]\na = 1\n# why\nc = 3\n\n[u]\nb = 2\n\n".to_owned(), true)]);
        assert_eq!(fixes("[t]\na = 1\n[t]\nb = 2\n"), [("[t]\na = 1\nb = 2\n".to_owned(), true)]);
        assert_eq!(fixes("[t]\n[u]\na = 1\n[t]\nb = 2"), [("[t]\nb = 2\n[u]\na = 1\n".to_owned(), true)]);
        assert!(fixes("[t]\na = 1\n[t]\na = 2\n").is_empty(), "only the author knows");
    }
}
