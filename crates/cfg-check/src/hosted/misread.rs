//! TOML that the library of `prime train` accepts, and reads otherwise than TOML means: it works on lines, and splits keys at their dots.

use cfg_diag::{Diagnostic, FileId, Location, Span, codes};
use cfg_syntax::{Document, Entry, Table, TableStyle, Value, ValueKind};

/// Checks all keys and strings of a document.
pub(super) fn check(file: FileId, text: &str, document: &Document, diagnostics: &mut Vec<Diagnostic>) {
    Reader { file, text, diagnostics }.table(&document.root, "", "");
}

struct Reader<'a> {
    file: FileId,
    text: &'a str,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    /// `path` is that of the table, `header` that of the table with a header around it.
    fn table(&mut self, table: &Table, path: &str, header: &str) {
        let header = if table.style == TableStyle::Dotted { header } else { path };
        for entry in &table.entries {
            let key = join(path, &entry.key.text);
            let place = Place { key: &key, header, is_dotted: table.style == TableStyle::Dotted };
            if table.style == TableStyle::Inline {
                self.in_inline_table(&entry.value, &place);
            } else {
                self.statement(entry, &place);
            }
            self.below(&entry.value, &key, header);
        }
    }

    fn below(&mut self, value: &Value, key: &str, header: &str) {
        match &value.kind {
            ValueKind::Table(table) => self.table(table, key, header),
            ValueKind::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.below(item, &format!("{key}[{index}]"), header);
                }
            }
            _ => {}
        }
    }

    /// A key with its value, on lines of their own.
    fn statement(&mut self, entry: &Entry, place: &Place<'_>) {
        let value = &entry.value;
        if !matches!(&value.kind, ValueKind::Table(table) if table.style != TableStyle::Inline) {
            self.key(value, place);
        }
        self.array(value, place);
        self.number(value, place);
        let Some(string) = self.string(value) else { return };
        let last = place.key.rsplit('.').next().unwrap_or(place.key);
        if string.is_long {
            let rest = self.text.get(value.span.end as usize..).unwrap_or_default().lines().next().unwrap_or_default();
            if place.is_dotted {
                self.forgotten(value, &join(place.header, last), place);
            }
            if !rest.is_empty() && !string.ends_in_continuation() {
                let what = if rest.trim().is_empty() { "spaces" } else { "a comment" };
                let message = format!(
                    "`prime train` loses `{}`, and what follows it: {what} after the end of a multi-line string",
                    place.key
                );
                self.report(value.span, place.key, message, "end the line with the closing quotes");
            }
            self.content(value, string, place);
        } else if let ValueKind::String(text) = &value.kind
            && string.written.starts_with("\"\\\"")
            && (text.len() == 1 || text.starts_with("\"\""))
        {
            let message = format!(
                "`prime train` reads another text at `{}`: it mistakes the escaped quotes for the string's own",
                place.key
            );
            self.report(value.span, place.key, message, "write it in single quotes");
        }
    }

    /// A string of several lines under a dotted key.
    fn forgotten(&mut self, value: &Value, to: &str, place: &Place<'_>) {
        let message = format!(
            "`prime train` reads `{}` as `{to}`: its TOML library forgets the dotted key of a multi-line string",
            place.key
        );
        let help = "write the string on one line, with `\\n`, or under its own `[header]`";
        self.report(value.span, place.key, message, help);
    }

    /// An array with strings of several lines, or with other items behind tables.
    fn array(&mut self, value: &Value, place: &Place<'_>) {
        let ValueKind::Array(items) = &value.kind else { return };
        let is_long = |item: &Value| self.string(item).is_some_and(|string| string.is_long);
        let is_table = |item: &Value| matches!(item.kind, ValueKind::Table(_));
        let long = items.iter().position(is_long);
        let dropped = items.iter().position(|item| !is_table(item)).filter(|_| items.first().is_some_and(is_table));
        if let Some(at) = long.filter(|at| *at > 0) {
            let message = format!(
                "`prime train` reads an empty text at `{}[{at}]`: its TOML library reads a multi-line string only at the start of an array",
                place.key
            );
            self.report(items[at].span, place.key, message, "write the string on one line, with `\\n`");
        } else if long.is_some() && place.is_dotted {
            let last = place.key.rsplit('.').next().unwrap_or(place.key);
            self.forgotten(&items[0], &join(place.header, last), place);
        }
        if let Some(at) = dropped {
            let message = format!(
                "`prime train` loses `{}[{at}]`: its TOML library drops items after a table that are not tables",
                place.key
            );
            self.report(items[at].span, place.key, message, "write only tables into the array");
        }
    }

    /// `a=0xff`, without a space before the number.
    fn number(&mut self, value: &Value, place: &Place<'_>) {
        let (before, written) = self.text.split_at_checked(value.span.start as usize).unwrap_or_default();
        let has_base =
            matches!(value.kind, ValueKind::Integer(_)) && ["0x", "0o", "0b"].iter().any(|base| written.starts_with(base));
        if has_base && before.ends_with('=') {
            let message =
                format!("`prime train` can't read the number of `{}`: its TOML library needs a space before it", place.key);
            self.report(value.span, place.key, message, "write a space after `=`, or the number in decimal");
        }
    }

    /// Lines of a string that the library changes.
    fn content(&mut self, value: &Value, string: Written<'_>, place: &Place<'_>) {
        let inner = string.written.get(3..string.written.len().saturating_sub(3)).unwrap_or_default();
        let ends_in_quotes = |line: &str| line.ends_with("\"\"") || line.ends_with("''");
        let mut lines = inner.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).rev();
        lines.next();
        let joined = lines.any(ends_in_quotes);
        let cut = string.written.starts_with('"') && is_cut(inner);
        if joined || cut {
            let why = if joined {
                "it joins a line that ends in two quotes with the next one"
            } else {
                "it mistakes `#` after a single quote for a comment"
            };
            let message = format!("`prime train` reads another text at `{}`: {why}", place.key);
            self.report(value.span, place.key, message, "write the string on one line, with `\\n`");
        }
    }

    fn in_inline_table(&mut self, value: &Value, place: &Place<'_>) {
        if self.string(value).is_some_and(|string| string.is_long) {
            let message =
                format!("`prime train` loses `{}`: its TOML library drops multi-line strings in inline tables", place.key);
            self.report(value.span, place.key, message, "write the string on one line, with `\\n`");
        }
    }

    /// A dotted key as it is written.
    fn key(&mut self, value: &Value, place: &Place<'_>) {
        let before = self.text.get(..value.span.start as usize).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        let Some(written) = line.trim_end().strip_suffix('=').map(str::trim) else { return };
        if !place.is_dotted || !written.contains('.') {
            return;
        }
        let has_double = written.find('"');
        let is_mixed = has_double.is_some_and(|at| written[at..].contains('\''));
        let parts: Vec<&str> = written.split('.').collect();
        let is_quoted = has_double.is_some() || written.contains('\'');
        let spaced = parts.iter().rev().skip(1).find(|part| part.trim() != **part);
        let start = value.span.start as usize - line.len() + (line.len() - line.trim_start().len());
        let span = Span::new(offset(start), offset(start + written.len()));
        if is_mixed {
            let message =
                format!("`prime train` misreads the key `{}`: it does not recognize a second kind of quotes", place.key);
            self.report(span, place.key, message, "use one kind of quotes");
        } else if parts.iter().skip(1).any(|part| part.starts_with(char::is_whitespace))
            && parts.iter().all(|part| !part.ends_with(char::is_whitespace))
        {
            let message = format!("`prime train` can't read the key `{}`: there is a space after a dot", place.key);
            self.report(span, place.key, message, "write the key without spaces around its dots");
        } else if let Some(part) = spaced.filter(|_| !is_quoted) {
            let message = format!("`prime train` misreads the key `{}`: it keeps the space in \"{part}\"", place.key);
            self.report(span, place.key, message, "write the key without spaces around its dots");
        }
    }

    fn string(&self, value: &Value) -> Option<Written<'a>> {
        let ValueKind::String(_) = &value.kind else { return None };
        let text: &'a str = self.text;
        let written = text.get(value.span.start as usize..value.span.end as usize)?;
        // Of a line break after the opening quotes, nothing remains.
        let is_triple = written.starts_with("\"\"\"") || written.starts_with("'''");
        let inner = written.get(3..).filter(|_| is_triple).unwrap_or_default();
        let inner = inner.strip_prefix('\r').unwrap_or(inner);
        Some(Written { written, is_long: inner.strip_prefix('\n').unwrap_or(inner).contains('\n') })
    }

    fn report(&mut self, span: Span, key: &str, message: String, help: &str) {
        let diagnostic = Diagnostic::new(&codes::UNSUPPORTED_TOML, message).key(key).at(Location::new(self.file, span));
        self.diagnostics.push(diagnostic.help(format!("{help}; prime-rl's loader reads it as it is written")));
    }
}

/// Where a value is.
struct Place<'a> {
    /// Its dotted key from the root.
    key: &'a str,
    /// The table whose header it stands under; empty for the root.
    header: &'a str,
    /// Whether its own table is one of a dotted key.
    is_dotted: bool,
}

/// A string with its quotes.
#[derive(Clone, Copy)]
struct Written<'a> {
    written: &'a str,
    /// Whether it is written over several lines.
    is_long: bool,
}

impl Written<'_> {
    /// Whether the last of its line breaks is escaped: then the library finds its end.
    fn ends_in_continuation(self) -> bool {
        let line = self.written.rsplit_once('\n').map_or("", |(line, _)| line.trim_end_matches('\r'));
        let backslashes = line.bytes().rev().take_while(|byte| *byte == b'\\').count();
        self.written.starts_with('"') && backslashes % 2 == 1
    }
}

fn join(table: &str, key: &str) -> String {
    if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Whether a `#` in the text of a string follows an odd number of quotes that are not escaped.
fn is_cut(inner: &str) -> bool {
    let (mut is_odd, mut is_escaped) = (false, false);
    for character in inner.chars() {
        match character {
            '"' if !is_escaped => is_odd = !is_odd,
            '#' if is_odd => return true,
            _ => {}
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    false
}

#[cfg(test)]
mod tests {
    use cfg_diag::FileId;
    use cfg_syntax::Dialect;

    /// The keys of the findings in a text.
    fn keys(text: &str) -> Vec<String> {
        let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml10);
        let mut found = Vec::new();
        super::check(FileId(0), text, &document, &mut found);
        found.into_iter().filter_map(|found| found.key).collect()
    }

    // What toml 0.10.2 returns for each of these differs from what tomllib returns.
    #[test]
    fn what_is_read_otherwise_is_reported_at_its_key() {
        for (text, key) in [
            ("a.b = \"\"\"x\ny\"\"\"\n", "a.b"),
            ("a.b.c = '''x\ny'''\n", "a.b.c"),
            ("[t]\na.b = \"\"\"x\ny\"\"\"\n", "t.a.b"),
            ("a.b = \"\"\"x\\\ny\"\"\"\n", "a.b"),
            ("a = \"\"\"x\ny\"\"\" # c\nb = 2\n", "a"),
            ("a = \"\"\"x\ny\"\"\"  \nb = 2\n", "a"),
            ("a .b = 1\n", "a.b"),
            ("a . b = 1\n", "a.b"),
            ("a. b = 1\n", "a.b"),
            ("a.\"b\".'c' = 1\n", "a.b.c"),
            ("a = \"\"\"\nends with \"\"\nmore\n\"\"\"\n", "a"),
            ("a = \"\"\"\nsay \"x # y\n\"\"\"\n", "a"),
            ("a = \"\\\"\"\n", "a"),
            ("a.b = [\"\"\"x\ny\"\"\"]\n", "a.b"),
            ("a = [\"x\", \"\"\"y\nz\"\"\"]\n", "a"),
            ("a = [{ b = 1 }, \"x\"]\n", "a"),
            ("a=0xff\n", "a"),
            ("a = \"\"\"x \\\n y\nz\"\"\" # c\n", "a"),
        ] {
            assert_eq!(keys(text), [key], "{text}");
        }
    }

    // It returns the same for these.
    #[test]
    fn what_is_read_alike_is_not_reported() {
        for text in [
            "a = \"\"\"x\ny\"\"\"\nb = 1\n",
            "[t]\na = '''x\ny'''\n",
            "a.b = \"\"\"x\"\"\" # c\n",
            "a.b = [\n  1, # one\n  2,\n]\n",
            "\"a.b\" = \"\"\"x\ny\"\"\"\n",
            "a.\"q r\".b = 1\n",
            "\"q r\" . a = 1\n",
            "a = \"\"\"\nit's \"fine\" # no comment\n\"\"\"\n",
            "a = \"say \\\"hi\\\"\"\nb = \"\\\"x\\\"\"\n",
            "x = [\"\"\"a\nb\"\"\"]\n",
            "[a.b]\nc.d = \"x.y = z\"\n",
            "a = \"\"\"\n\"\"\"\n",
            "a.b = \"\"\"\nx\"\"\" # c\n",
            "a = \"\"\"x \\\n  y\"\"\" # c\n",
            "a = [\"\"\"x\ny\"\"\", \"z\"]\n",
            "a = 0xff\n",
        ] {
            assert_eq!(keys(text), Vec::<String>::new(), "{text}");
        }
    }
}
