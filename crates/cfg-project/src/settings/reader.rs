//! Reads typed values from a settings file, with a diagnostic for each value of the wrong type.

use std::{ops::Range, path::Path, sync::Arc};

use cfg_diag::{Diagnostic, FileId, LineIndex, Location, PositionEncoding, Severity, Span, codes};
use cfg_system::System;
use toml::{
    Spanned,
    de::{DeArray, DeTable, DeValue},
};

use super::{PathPattern, description::SETTINGS, nearest::suggestion};
use crate::{
    SettingPlace, Sourced,
    pattern_set::{Contents, PatternBelow, PatternError, PatternSet},
};

/// The state of reading a settings file.
pub(super) struct Reader<'t> {
    /// The system on which the files that the settings name are looked up.
    pub(super) system: &'t dyn System,
    path: Arc<Path>,
    text: &'t str,
    lines: LineIndex,
    /// The errors so far.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The file patterns so far.
    pub(super) patterns: Arc<PatternSet>,
    /// Whether there are more patterns than are used, which is reported once.
    has_too_many_patterns: bool,
}

/// A value with its dotted key, for messages.
#[derive(Clone, Copy)]
pub(super) struct Entry<'v, 't> {
    pub(super) key: &'v str,
    pub(super) value: &'v Spanned<DeValue<'t>>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(system: &'t dyn System, path: Arc<Path>, text: &'t str) -> Self {
        Self {
            system,
            path,
            text,
            lines: LineIndex::new(text),
            diagnostics: Vec::new(),
            patterns: Arc::default(),
            has_too_many_patterns: false,
        }
    }

    /// The folder of the settings file.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// `value`, with the location of the bytes from which it was read.
    pub(super) fn sourced<T>(&self, value: T, span: Range<usize>) -> Sourced<T> {
        let span = Span::from(span);
        let line = self.lines.line_column(self.text, span.start, PositionEncoding::Utf8).line + 1;
        Sourced::new(value, SettingPlace { path: Arc::clone(&self.path), span, line })
    }

    /// Adds a diagnostic at a location; an empty `key` means the whole file.
    pub(super) fn report(&mut self, span: Range<usize>, key: &str, message: String, help: Option<String>) {
        let mut diagnostic = Diagnostic::new(&codes::INVALID_SETTINGS, message).at(Location::new(FileId(0), Span::from(span)));
        diagnostic.key = Some(key.to_owned()).filter(|key| !key.is_empty());
        diagnostic.help = help;
        self.diagnostics.push(diagnostic);
    }

    /// Reads a file pattern. The errors are a message for a pattern that exceeds a limit, and one for a text that is not a pattern.
    pub(super) fn pattern(&mut self, span: Range<usize>, key: &str, text: &str) -> Result<PatternBelow, Option<PatternError>> {
        let read = self.patterns.add(text);
        self.bounded(read, span, key)
    }

    /// Reads a pattern of files and folders, and reports one that can't be used. `span` is its place, and `name` its dotted key.
    pub(super) fn paths(&mut self, span: Range<usize>, name: &str, text: &str, contents: Contents) -> Option<PathPattern> {
        let read = self.patterns.add_with_contents(text, contents);
        let matchers = match self.bounded(read, span.clone(), name) {
            Ok(matchers) => matchers,
            Err(why) => {
                let help = match contents {
                    Contents::OfFolders => "write several patterns, each with its own codes",
                    Contents::OfAll => "write several patterns",
                };
                self.refuse_pattern(span, name, text, why, help);
                return None;
            }
        };
        Some(PathPattern { pattern: self.sourced(text.trim_start_matches("./").to_owned(), span), matchers })
    }

    fn refuse_pattern(&mut self, span: Range<usize>, name: &str, text: &str, why: Option<PatternError>, help: &str) {
        match why {
            Some(PatternError::BeyondBounds(message)) => self.report(span, name, message, Some(help.to_owned())),
            Some(PatternError::Invalid(error)) => {
                let message = format!("`{text}` is not a valid file pattern: {}", error.kind());
                self.report(span, name, message, Some("write a path or a glob, such as `configs/**/*.toml`".to_owned()));
            }
            None | Some(PatternError::TooMany) => {}
        }
    }

    /// Reports once that the file has more patterns than are used.
    fn bounded<T>(&mut self, read: Result<T, PatternError>, span: Range<usize>, key: &str) -> Result<T, Option<PatternError>> {
        match read {
            Err(PatternError::TooMany) => {
                if !self.has_too_many_patterns {
                    self.has_too_many_patterns = true;
                    let message = "the file patterns of these settings have more than 16 KiB: from this one on they are not used";
                    self.report(span, key, message.to_owned(), Some("write patterns that match more files".to_owned()));
                }
                Err(None)
            }
            read => read.map_err(Some),
        }
    }

    /// Adds a warning at a location.
    pub(super) fn warn(&mut self, span: Range<usize>, key: &str, message: String, help: Option<String>) {
        self.report(span, key, message, help);
        if let Some(diagnostic) = self.diagnostics.last_mut() {
            diagnostic.severity = Severity::Warning;
        }
    }

    /// Adds a diagnostic at a value.
    pub(super) fn refuse(&mut self, entry: Entry<'_, '_>, message: String, help: Option<String>) {
        self.report(entry.value.span(), entry.key, message, help);
    }

    /// The table that has the settings, before which a `pyproject.toml` has others; empty for the whole file.
    fn root(&self) -> &'static str {
        if self.path.file_name().is_some_and(|name| name == "pyproject.toml") { "tool.cfg" } else { "" }
    }

    /// Reports a key that is not in `known`.
    pub(super) fn unknown(&mut self, key: &Spanned<std::borrow::Cow<'_, str>>, table: &str, known: &[&str]) {
        let message = match table {
            "" => format!("unknown setting `{}`", key.get_ref()),
            table => format!("`{table}` has no setting `{}`", key.get_ref()),
        };
        let help = elsewhere(self.root(), table, key.get_ref(), known).unwrap_or_else(|| suggestion(key.get_ref(), known));
        self.report(key.span(), &joined(table, key.get_ref()), message, Some(help));
    }

    pub(super) fn string<'v>(&mut self, entry: Entry<'v, 't>) -> Option<&'v str> {
        let text = entry.value.get_ref().as_str();
        if text.is_none() {
            let quote = match entry.value.get_ref() {
                DeValue::Integer(_) | DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Boolean(_) => {
                    let written = self.text.get(entry.value.span()).unwrap_or_default();
                    Some(format!("put it in quotes: `\"{written}\"`"))
                }
                _ => None,
            };
            self.wrong_type(entry, "a string", quote);
        }
        text
    }

    /// Reads a string that is parsed further; `parse` returns a message and a help if it is invalid.
    pub(super) fn parsed<T>(
        &mut self,
        entry: Entry<'_, 't>,
        parse: impl FnOnce(&str) -> Result<T, (String, String)>,
    ) -> Option<Sourced<T>> {
        let text = self.string(entry)?;
        match parse(text) {
            Ok(value) => Some(self.sourced(value, entry.value.span())),
            Err((message, help)) => {
                self.refuse(entry, message, Some(help).filter(|help| !help.is_empty()));
                None
            }
        }
    }

    pub(super) fn table<'v>(&mut self, entry: Entry<'v, 't>) -> Option<&'v DeTable<'t>> {
        let table = entry.value.get_ref().as_table();
        if table.is_none() {
            self.wrong_type(entry, "a table", None);
        }
        table
    }

    pub(super) fn array<'v>(&mut self, entry: Entry<'v, 't>, of: &str) -> Option<&'v DeArray<'t>> {
        let array = entry.value.get_ref().as_array();
        if array.is_none() {
            let written = self.text.get(entry.value.span()).unwrap_or_default();
            let help = entry.value.get_ref().is_str().then(|| format!("put it in brackets: `[{written}]`"));
            self.wrong_type(entry, of, help);
        }
        array
    }

    fn wrong_type(&mut self, entry: Entry<'_, '_>, wanted: &str, help: Option<String>) {
        let found = match entry.value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        self.refuse(entry, format!("`{}` must be {wanted}, not {found}", entry.key), help);
    }
}

/// A dotted key, in which parts are quoted if TOML requires it.
pub(super) fn joined(table: &str, key: &str) -> String {
    let is_bare =
        !key.is_empty() && key.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '-'));
    let key = if is_bare { key.to_owned() } else { format!("{key:?}") };
    if table.is_empty() { key } else { format!("{table}.{key}") }
}

/// Where a setting belongs that is in a table without it, or that other linters have under another name. `root` is the table that has all settings.
fn elsewhere(root: &str, table: &str, name: &str, known: &[&str]) -> Option<String> {
    let table = table.strip_prefix(root).map_or(table, |below| below.trim_start_matches('.'));
    if let Some(added) = name.strip_prefix("extend-").filter(|added| known.contains(added)) {
        return Some(format!("write `{added}`: it adds to that of the folders above"));
    }
    let above = |path: &'static str| {
        let (above, last) = path.rsplit_once('.').unwrap_or(("", path));
        (last == name && above != table && !above.contains('*')).then_some(above)
    };
    let mut tables = SETTINGS.iter().filter_map(|setting| above(setting.path));
    match (tables.next()?, tables.next()) {
        ("", None) if root.is_empty() => Some(format!("`{name}` belongs to no table: write it above the first `[...]`")),
        ("", None) => Some(format!("`{name}` belongs to no other table: write it in `[{root}]`")),
        (above, None) => {
            let whole = if root.is_empty() { above.to_owned() } else { format!("{root}.{above}") };
            // A dotted key is relative to the table in which it is written.
            let here = if table.is_empty() { format!(", or `{above}.{name}` here") } else { String::new() };
            Some(format!("it belongs to `[{whole}]`: write `{name}` below that{here}"))
        }
        _ => None,
    }
}
