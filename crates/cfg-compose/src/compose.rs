//! Composes files, the arguments of a command and the environment to one tree.

use std::path::Path;

use cfg_diag::{Diagnostic, FileId, Location, Native, Severity, Span, codes};
use cfg_meter::{Allowance, Meter, again::charge_again, charge};
use cfg_schema::{Point, Schema, TypeKind};
use cfg_syntax::{Dialect, Document, MAX_DIGITS};
use cfg_system::System;

use crate::{
    Node, Origin, Table, Tree, Value, Word,
    again::{not_read_again, real_path},
    cli_args::{Reading, files, files::Named, own, settings, tyro},
    environment::{self, Variable},
    includes,
    json::{self, JsonPlace},
    loader::{self, Grammar, Loader, Merge, Nested},
    merge::wrapped,
    near_file::near_file,
    texts::{ReadError, Texts},
};

/// The input of the composition.
pub struct Input<'a> {
    /// The kind and the point.
    pub schema: Schema,
    /// The arguments that the loader reads.
    pub words: &'a [Word],
    /// The environment variables that may set values.
    pub variables: &'a [Variable],
    /// The system on which files are read.
    pub system: &'a dyn System,
    /// What reads them and the arguments.
    pub loader: &'static Loader,
}

/// A composed config.
#[derive(Debug, Default)]
pub struct Composed {
    /// The values that are checked first; all of them, if the loader makes a single pass.
    pub tree: Tree,
    /// The values that a second pass merges over the first ones.
    pub overlay: Table,
    /// The findings of the second pass for its arguments. They come after all errors of `tree`.
    pub late: Vec<Diagnostic>,
    /// The files, in the order of merging. A file can occur twice.
    pub files: Vec<FileId>,
    /// Whether a file was omitted that prime-rl would have read.
    pub is_partial: bool,
    /// The findings, in the order in which prime-rl would report them. The first that has a native part and is not masked is prime-rl's.
    pub diagnostics: Vec<Diagnostic>,
}

/// The limit of values of one config, including tables and items of arrays. Each takes some kilobytes until the check ends.
pub const MAX_VALUES: usize = 50_000;

/// The finding for a config with more values, or that was not read, whatever prime-rl does with it.
pub fn too_many_values(document: &Document, text: &str) -> Option<Diagnostic> {
    // Each value has at least one byte.
    (text.len() > MAX_VALUES && document.has_more_values_than(MAX_VALUES)).then(|| {
        let message = if document.is_unread {
            "more than a million words, signs and lines: cfg does not read a config this large"
        } else {
            "more than 50,000 keys and items: cfg does not check a config this large"
        };
        let help = "a config has a few hundred; put generated data in a file that the environment reads";
        Diagnostic::new(&codes::UNREADABLE_FILE, message).help(help)
    })
}

/// Composes a config.
pub fn compose(texts: &mut Texts, input: &Input<'_>) -> Composed {
    let loader = input.loader;
    let mut diagnostics = Vec::new();
    let (named, words) = files::split(loader, input.words, &mut diagnostics);
    let _meter = Meter::begin(Allowance::COMPOSED);
    let mut state = State { texts, input, loader, composed: Composed::default(), values: 0, bytes: 0, is_full: false };
    let reserved = |word: &Word| loader.grammar == Grammar::Own && matches!(&*word.text, "--plain" | "--no-wide");
    let words: Vec<&Word> = words.into_iter().filter(|word| !reserved(word)).collect();
    match loader.nested {
        Nested::InPlace => state.in_place(&named),
        Nested::BehindTheRoot => state.behind_the_root(&named),
    }
    let mut composed = state.composed;
    composed.diagnostics.append(&mut diagnostics);
    let root = &mut composed.tree.root;
    let mut reading = Reading { schema: input.schema, diagnostics: &mut composed.diagnostics };
    match loader.grammar {
        Grammar::Settings => root.merge_deep(settings::read(&mut reading, &words)),
        Grammar::Own => root.merge_deep(own::read(&mut reading, &words)),
        Grammar::Tyro => {
            let mut overrides = Table::default();
            let words = own::optional_tables(&mut reading, &words, false, &mut overrides);
            let words = tyro::maps(&mut reading, &words, &mut overrides);
            root.merge_deep(overrides);
            if root.is_empty() {
                tyro::required_tables(input.schema, root);
            }
            // tyro reads its arguments only if the rest is valid: its errors come last.
            let mut late = Reading { schema: input.schema, diagnostics: &mut composed.late };
            composed.overlay = tyro::read(&mut late, &words);
        }
    }
    if loader.environment.is_some() {
        environment::lay_below(input.schema, input.variables, &mut composed.tree.root, &mut composed.diagnostics);
    }
    mask_all_but_the_first(&mut composed.diagnostics);
    mask_all_but_the_first(&mut composed.late);
    composed
}

/// prime-rl stops at the first exception.
fn mask_all_but_the_first(diagnostics: &mut [Diagnostic]) {
    let natives = diagnostics.iter_mut().filter_map(|diagnostic| diagnostic.native.as_mut());
    natives.filter(|native| !native.masked).skip(1).for_each(|native| native.masked = true);
}

/// A file that is not TOML ends prime-rl with an exception, at the first error.
pub fn name_exceptions(syntax: &mut [Diagnostic], text: &str, point: Point) {
    let mut masked = false;
    for diagnostic in syntax.iter_mut().filter(|diagnostic| diagnostic.severity == Severity::Error) {
        let at = diagnostic.location.and_then(|location| text.get(location.span.start as usize..)).unwrap_or_default();
        let kind = match diagnostic.code.code {
            // Decoding put a replacement character where the bytes are not text; a byte order mark is text.
            code if code == codes::INVALID_ENCODING.code && at.starts_with('\u{FFFD}') => "UnicodeDecodeError",
            code if code == codes::NESTED_TOO_DEEP.code => "RecursionError",
            // tomli passes it to Python's `int`, whose exception is not caught.
            _ if is_long_integer(at) => "ValueError",
            _ => loader::syntax_exception(point),
        };
        diagnostic.native = Some(Native { kind: kind.into(), loc: Vec::new(), check: None, masked });
        masked = true;
    }
}

/// Whether a text begins with a decimal integer of more digits than Python's `int` reads.
fn is_long_integer(text: &str) -> bool {
    let unsigned = text.trim_start_matches(['+', '-']);
    let length = unsigned.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'_').count();
    let (digits, rest) = unsigned.split_at(length);
    let ends = rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n', ',', ']', '}', '#']);
    ends && length > MAX_DIGITS && digits.bytes().filter(u8::is_ascii_digit).count() > MAX_DIGITS
}

pub(crate) struct State<'s, 'i> {
    texts: &'s mut Texts,
    pub(crate) input: &'s Input<'i>,
    pub(crate) loader: &'static Loader,
    pub(crate) composed: Composed,
    /// The number of values of all files so far.
    values: usize,
    /// The size of their texts in bytes.
    bytes: usize,
    /// Whether no further files are read.
    pub(crate) is_full: bool,
}

/// The maximum number of values of one config with all files that it includes.
const MAX_VALUES_OF_ALL_FILES: usize = 2 * MAX_VALUES;

/// The maximum size of the texts of one config in bytes. One file has half of it at most.
const MAX_BYTES: usize = 32 << 20;

/// The units for reading a file, and for following a link to one.
const OF_A_FILE: u64 = 5_000;
pub(crate) const OF_A_LINK: u64 = 1_000;

impl State<'_, '_> {
    /// Reads no further files, because those that a config includes are too many or too large, and reports it once.
    pub(crate) fn refuse_more(&mut self, at: Location) {
        if std::mem::replace(&mut self.is_full, true) {
            return;
        }
        self.composed.is_partial = true;
        let message = "the files of this config are too many or too large together: cfg does not read all of them";
        let help = format!("a config has at most {MAX_VALUES_OF_ALL_FILES} keys and items, with all files that it includes");
        self.composed.diagnostics.push(Diagnostic::new(&codes::UNREADABLE_FILE, message).at(at).help(help));
    }

    /// Does not read a file again that was read for many other configs, and reports it.
    fn refuse_again(&mut self, path: &str, at: Location) {
        (self.is_full, self.composed.is_partial) = (true, true);
        self.composed.diagnostics.push(not_read_again(path).at(at));
    }

    /// Files that are merged in their order, whatever key they are below; each can include others.
    fn in_place(&mut self, named: &[Named<'_>]) {
        let mut inclusion = includes::Inclusion::default();
        let mut links = false;
        for file in named {
            // After a file that includes another one, the loader ignores the other files of the command: it is about to fail.
            if !links {
                links = self.include(&mut inclusion, file.path, file.prefix(self.loader).as_deref(), file.word.location);
            }
        }
        if let (true, [first, second, ..]) = (links, named) {
            let message = "several configs on one command line, one of which lists others in `toml_files`";
            let help = "list them all on the command line, or all in the `toml_files` of a single one";
            let diagnostic = Diagnostic::new(&codes::INCLUDES_BESIDE_FILES, message).at(second.word.location).help(help);
            self.composed
                .diagnostics
                .push(diagnostic.related(first.word.location, "the first config").native("TypeError", Vec::new()));
        }
    }

    /// Merges a file over those before it, by the keys of the root, and reports what is lost by that.
    pub(crate) fn lay_over(&mut self, file: FileId, table: Table) {
        for entry in table.entries() {
            let Some(lost) = self.composed.tree.root.get(&entry.key) else { continue };
            let (Value::Table(before), Value::Table(after)) = (&lost.node.value, &entry.node.value) else { continue };
            let Some(key) = lost_key(before, after) else { continue };
            if let (Some(at), Some(earlier)) = (entry.key_origin.location(), lost.key_origin.location())
                && at.file != earlier.file
            {
                let message = format!(
                    "this `{}` replaces the earlier one completely: `{}.{key}` is \
                    dropped",
                    entry.key, entry.key
                );
                let help = "this prime-rl merges configs only by top-level keys; write the whole table in one of them";
                let diagnostic = Diagnostic::new(&codes::DROPPED_TABLE, message).at(at).key(&*entry.key).help(help);
                self.composed.diagnostics.push(diagnostic.related(earlier, "the dropped table"));
            }
        }
        self.composed.tree.root.merge(table, self.loader.merge);
        self.composed.files.push(file);
    }

    /// Merges the files of the root, then those of single keys.
    fn behind_the_root(&mut self, named: &[Named<'_>]) {
        let mut nested = Table::default();
        for file in named {
            let Some((id, node)) = self.load(file.path, file.word.location) else { continue };
            self.composed.files.push(id);
            match (file.prefix(self.loader), node.value) {
                (None, Value::Table(table)) => self.composed.tree.root.merge(table, self.loader.merge),
                (None, _) => {
                    let message = "a config must be a table, but this file holds something else";
                    let diagnostic = Diagnostic::new(&codes::INVALID_JSON, message).at(file.word.location);
                    self.composed.diagnostics.push(diagnostic.native("AttributeError", Vec::new()));
                }
                (Some(key), value) => {
                    let origin = Origin::CommandLine(file.below.unwrap_or(file.word).location);
                    nested.insert(wrapped(&key, Node { value, origin: node.origin }, origin));
                }
            }
        }
        for entry in nested.into_entries() {
            if entry.key.bytes().filter(|&byte| byte == b'.').count() < cfg_syntax::MAX_DEPTH {
                self.composed.tree.root.merge(Table::nested(&entry.key, entry.node, entry.key_origin), Merge::Deep);
            }
        }
    }

    /// Reads a file that is named at `at`.
    pub(crate) fn load(&mut self, path: &str, at: Location) -> Option<(FileId, Node)> {
        if self.is_full {
            return None;
        }
        let system = self.input.system;
        let mut reading = None;
        let charged = || charge_again(&real_path(Path::new(path), system)).map(|begun| reading = Some(begun)).is_ok();
        if !self.texts.may_use(path, charged) {
            self.refuse_again(path, at);
            return None;
        }
        let file = match self.texts.file(path, self.input.system) {
            Ok(file) => file,
            Err(error) => {
                let message = format!("{path} can't be read: {}", error.reason());
                let mut diagnostic = Diagnostic::new(&codes::UNREADABLE_FILE, message).at(at);
                if error == ReadError::NotFound {
                    diagnostic.help = help_for_missing(path, self.input.system);
                }
                let exception = match error {
                    ReadError::NotFound => self.loader.missing,
                    ReadError::IsFolder => "IsADirectoryError",
                    ReadError::Forbidden => "PermissionError",
                    ReadError::Other(_) => "OSError",
                    ReadError::Refused(refusal) => {
                        // prime-rl would read it.
                        self.composed.is_partial = true;
                        self.composed.diagnostics.push(diagnostic.help(refusal.help()));
                        return None;
                    }
                };
                self.composed.diagnostics.push(diagnostic.native(exception, Vec::new()));
                return None;
            }
        };
        let length = self.texts.get(file)?.text.len();
        self.bytes = self.bytes.saturating_add(length);
        if self.bytes > MAX_BYTES || charge(OF_A_FILE + length as u64 / 4).is_err() {
            self.refuse_more(at);
            return None;
        }
        let before = self.values;
        let loaded = self.parsed(file, path, at);
        if reading.is_some_and(|reading| reading.done(self.values - before, length).is_err()) {
            self.refuse_again(path, at);
            return None;
        }
        loaded
    }

    /// The values of a file that was read.
    fn parsed(&mut self, file: FileId, path: &str, at: Location) -> Option<(FileId, Node)> {
        let suffixes = self.loader.suffixes;
        let suffix = suffixes.iter().find(|suffix| path.ends_with(**suffix));
        if !suffixes.is_empty() && suffix.is_none() {
            let message = format!("prime-rl does not read {path}: its name must end in {}", suffixes.join(", "));
            let diagnostic = Diagnostic::new(&codes::UNSUPPORTED_FILE, message).at(at);
            self.composed.diagnostics.push(diagnostic.native("ConfigFileError", Vec::new()));
        }
        match suffix {
            Some(&".json") => self.json(file, at),
            Some(&(".yaml" | ".yml")) => {
                let message = format!("YAML is not supported: {path} is not checked");
                let help = "write it as TOML or JSON to have it checked".to_owned();
                self.composed.diagnostics.push(Diagnostic::new(&codes::UNSUPPORTED_FILE, message).at(at).help(help));
                self.composed.is_partial = true;
                None
            }
            _ => self.toml(file, at),
        }
    }

    fn toml(&mut self, file: FileId, at: Location) -> Option<(FileId, Node)> {
        let point = self.input.schema.point;
        let text = self.texts.get(file)?;
        // TOML 1.1 accepts everything of TOML 1.0 with the same meaning.
        let (mut document, mut diagnostics) = text.parse(Dialect::Toml10);
        let dialect = loader::dialect(point);
        if dialect != Dialect::Toml10 && !diagnostics.is_empty() {
            (document, diagnostics) = text.parse(dialect);
        }
        if let Some(refusal) = too_many_values(&document, &text.text) {
            self.composed.is_partial = true;
            self.composed.diagnostics.push(refusal.at(at));
            return None;
        }
        self.values += document.values_up_to(MAX_VALUES);
        if self.values > MAX_VALUES_OF_ALL_FILES {
            self.refuse_more(at);
            return None;
        }
        name_exceptions(&mut diagnostics, &text.text, point);
        let origin = Origin::File(Location::new(file, (0..text.text.len()).into()));
        if !self.composed.files.contains(&file) {
            self.composed.diagnostics.append(&mut diagnostics);
        }
        Some((file, Node { value: Value::Table(Tree::from_document(file, document).root), origin }))
    }

    fn json(&mut self, file: FileId, at: Location) -> Option<(FileId, Node)> {
        // A comma is between two values, or in a string: there are no more values than commas, except for the first of each table and array.
        self.values += self.texts.get(file)?.text.bytes().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
        if self.values > MAX_VALUES_OF_ALL_FILES {
            self.refuse_more(at);
            return None;
        }
        let text = &self.texts.get(file)?.text;
        let whole = Location::new(file, (0..text.len()).into());
        match json::parse(text, JsonPlace::At(whole), Origin::File) {
            Ok(node) => Some((file, node)),
            Err(fault) => {
                let message = format!("this file is not valid JSON: {}", fault.message);
                let there = Location::new(file, Span::new(fault.at, fault.at));
                let diagnostic = Diagnostic::new(&codes::INVALID_JSON, message).at(there).related(at, "named here");
                self.composed.diagnostics.push(diagnostic.native("ConfigFileError", Vec::new()));
                None
            }
        }
    }
}

/// What to write instead of the path of a file that does not exist.
fn help_for_missing(path: &str, system: &dyn System) -> Option<String> {
    if path.contains(['$', '{', '<', '*']) {
        return Some("cfg does not run the command: write the path of the file itself".to_owned());
    }
    near_file(Path::new(path), system).map(|near| format!("there is `{}`", near.display()))
}

/// A key of `before` that `after` does not have; dotted, if it is deeper.
fn lost_key(before: &Table, after: &Table) -> Option<String> {
    before.entries().iter().find_map(|entry| match (after.get(&entry.key), &entry.node.value) {
        (None, _) => Some(entry.key.to_string()),
        (Some(same), Value::Table(inner)) => {
            lost_key(inner, same.node.value.as_table()?).map(|below| format!("{}.{below}", entry.key))
        }
        _ => None,
    })
}

/// The required tables of a class.
pub(crate) fn is_required_table(interval: cfg_schema::Interval) -> bool {
    let ty = interval.field_type();
    interval.is_required() && matches!(ty.kind(), TypeKind::Table(_)) && !ty.is_nullable()
}
