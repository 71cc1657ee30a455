//! The metadata of a config.

mod convert;
mod members;
mod remarks;
mod usage;

use cfg_diag::{Code, Diagnostic, FileId, Fix, Location, Span, codes};
use cfg_schema::{BeyondHistory, History, Kind, Target};
use cfg_syntax::{Document, Entry, Integer, Table, ValueKind};

pub use members::{MEMBERS, member_of};
pub use remarks::Remark;
pub use usage::Usage;

/// The value of a member, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where the value is written.
    pub location: Location,
}

/// The metadata of a config: that of the metadata block from `# /// config` to `# ///`, the members of a `[config]` table, and comments
/// at the top that state members in words.
///
/// prime-rl refuses that table; it is read because users write it. If several state a member, the block has priority over the table, and
/// the table over the comments in words. Such comments can't state the target or the entrypoint.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// Its version: `v3`.
    pub version: Option<Located<Box<str>>>,
    /// The day on which this version was created, as written: `2026-01-05`.
    pub created: Option<Located<Box<str>>>,
    /// The version of the environment for which it was created.
    pub env_version: Option<Located<Box<str>>>,
    /// The config on which it is based: `path:version`.
    pub based_on: Option<Located<Box<str>>>,
    /// The prime-rl for which it is written.
    pub target: Option<Located<Target>>,
    /// The imported entry (`local:NAME`) or checkout (`path:DIR`) for which it is written. A caller that can read files converts it to
    /// the `target`.
    pub local: Option<Located<Box<str>>>,
    /// Whether it states a prime-rl that can't be used. If nothing else states one, the target is unknown.
    pub is_target_refused: bool,
    /// The machine for which it is written: `2x H100`.
    pub hardware: Option<Located<Box<str>>>,
    /// The free disk space for the run, in bytes; written as `500 GB`.
    pub disk: Option<Located<u64>>,
    /// The number of tokens of a prompt.
    pub input_tokens: Option<Located<u64>>,
    /// The reason for this version.
    pub notes: Option<Located<Box<str>>>,
    /// Its entrypoint.
    pub kind: Option<Located<Kind>>,
    /// The config with which it claims to train the same: `path:version`.
    pub same_as: Option<Located<Box<str>>>,
    /// The keys in which the two may differ, each with its place.
    pub except: Vec<Located<Box<str>>>,
    /// A name for the config.
    pub name: Option<Located<Box<str>>>,
    /// The location of the `[config]` table, if there is one.
    pub table: Option<Location>,
    /// The members that comments at the top state in words.
    pub remarks: Vec<Remark>,
    /// The start commands in its comments.
    pub usage: Usage,
}

impl Metadata {
    /// Reads the metadata of a document and reports its errors.
    pub fn read(history: History, file: FileId, text: &str, document: &Document) -> (Self, Vec<Diagnostic>) {
        let mut reading = Reading { history, file, text, metadata: Self::default(), diagnostics: Vec::new() };
        let mut block = None;
        if let Some((table, diagnostics)) = cfg_syntax::metadata(file, text, document) {
            reading.diagnostics = diagnostics;
            reading.members(&table, true);
            block = Some(table.span);
        }
        let config = document.root.entries.iter().find(|entry| &*entry.key.text == "config");
        if let Some(Entry { value: cfg_syntax::Value { kind: ValueKind::Table(table), .. }, key }) = config {
            reading.metadata.table = Some(Location::new(file, key.span));
            reading.members(table, false);
        }
        reading.target_beyond_history();
        reading.remarks(document, block);
        reading.metadata.usage = Usage::read(text, document);
        (reading.metadata, reading.diagnostics)
    }

    /// The fix that moves the members of a `[config]` table, or of comments in words, into the metadata block; `None` if it is not clear
    /// how. `text` and `document` are those from which the metadata was read.
    pub fn into_block(&self, file: FileId, text: &str, document: &Document) -> Option<Fix> {
        convert::into_block(file, text, document, self)
    }
}

struct Reading<'a> {
    history: History,
    file: FileId,
    text: &'a str,
    metadata: Metadata,
    diagnostics: Vec<Diagnostic>,
}

impl Reading<'_> {
    /// Reads a table of members. Unknown keys of a `[config]` table are not reported, because prime-rl refuses the table.
    fn members(&mut self, table: &Table, is_block: bool) {
        for entry in &table.entries {
            self.member(entry, is_block);
        }
    }

    fn member(&mut self, entry: &Entry, is_block: bool) {
        let history = self.history;
        match member_of(&entry.key.text) {
            "version" => self.text(entry, |metadata| &mut metadata.version),
            "env_version" => self.text(entry, |metadata| &mut metadata.env_version),
            "based_on" => self.text(entry, |metadata| &mut metadata.based_on),
            "hardware" => self.text(entry, |metadata| &mut metadata.hardware),
            "notes" => self.text(entry, |metadata| &mut metadata.notes),
            "same_as" => self.text(entry, |metadata| &mut metadata.same_as),
            "name" => self.text(entry, |metadata| &mut metadata.name),
            "created" => self.state(entry, |metadata| &mut metadata.created, day),
            "prime_rl" if text_of(entry).is_ok_and(Target::is_in_files) => {
                self.text(entry, |metadata| &mut metadata.local);
            }
            "prime_rl" => {
                self.state(
                    entry,
                    |metadata| &mut metadata.target,
                    |entry, _| {
                        let refused = |why: String| (&codes::UNKNOWN_TARGET, why);
                        let text = text_of(entry).map_err(|_| {
                            refused(
                                "`prime_rl` must be a string with a release, a commit or a date, such as \"0.8.0\"".to_owned(),
                            )
                        })?;
                        Target::parse(history, text).map_err(|error| refused(error.to_string()))
                    },
                );
                self.metadata.is_target_refused |= self.metadata.target.is_none();
            }
            "kind" => self.state(
                entry,
                |metadata| &mut metadata.kind,
                |entry, _| text_of(entry)?.parse().map_err(|error: String| invalid(error)),
            ),
            "disk" => self.state(entry, |metadata| &mut metadata.disk, |entry, _| size(entry)),
            "input_tokens" => self.state(entry, |metadata| &mut metadata.input_tokens, |entry, _| count(entry)),
            "except" => self.keys(entry),
            unknown if is_block => {
                let help = format!("expected one of: {}", members::names());
                let message = format!("unknown metadata key `{unknown}`");
                self.diagnostics.push(
                    Diagnostic::new(&codes::INVALID_METADATA, message).at(Location::new(self.file, entry.key.span)).help(help),
                );
            }
            _ => {}
        }
    }

    /// Reads the members that comments outside the metadata block state in words, if nothing else states them. A version that is stated only in
    /// words can't be updated.
    fn remarks(&mut self, document: &Document, block: Option<Span>) {
        let remarks = remarks::read(self.file, self.text, document, block);
        let is_versioned = self.metadata.version.is_some();
        for Remark { member, stated, .. } in &remarks {
            let slot = match *member {
                "version" => &mut self.metadata.version,
                "created" => &mut self.metadata.created,
                "env_version" => &mut self.metadata.env_version,
                "based_on" => &mut self.metadata.based_on,
                "hardware" => &mut self.metadata.hardware,
                _ => &mut self.metadata.notes,
            };
            slot.get_or_insert_with(|| stated.clone());
        }
        self.metadata.remarks = remarks;
        let version = self.metadata.remarks.iter().find(|remark| remark.member == "version");
        let Some(version) = version.filter(|_| !is_versioned) else { return };
        let message = format!("version `{}` is only in a comment, where nothing keeps it up to date", version.stated.value);
        let mut diagnostic = Diagnostic::new(&codes::METADATA_IN_COMMENT, message)
            .at(version.stated.location)
            .help("put it in a comment block from `# /// config` to `# ///`, which `cfg` reads and updates");
        diagnostic.fix = self.metadata.into_block(self.file, self.text, document);
        self.diagnostics.push(diagnostic);
    }

    fn target_beyond_history(&mut self) {
        let Some(stated) = &self.metadata.target else { return };
        if let Some(beyond) = stated.value.beyond() {
            let diagnostic = Diagnostic::new(&codes::TARGET_BEYOND_HISTORY, beyond.to_string());
            self.diagnostics.push(diagnostic.at(stated.location).help(BeyondHistory::HELP));
        }
    }

    fn text(&mut self, entry: &Entry, slot: impl Fn(&mut Metadata) -> &mut Option<Located<Box<str>>>) {
        self.state(entry, slot, |entry, _| text_of(entry).map(Into::into));
    }

    /// Reads the value of a member, unless the member already has one.
    fn state<T>(
        &mut self,
        entry: &Entry,
        slot: impl Fn(&mut Metadata) -> &mut Option<Located<T>>,
        read: impl Fn(&Entry, &str) -> Result<T, Fault>,
    ) {
        if matches!(entry.value.kind, ValueKind::Missing | ValueKind::Invalid) || slot(&mut self.metadata).is_some() {
            return;
        }
        let location = Location::new(self.file, entry.value.span);
        match read(entry, self.text) {
            Ok(value) => *slot(&mut self.metadata) = Some(Located { value, location }),
            Err((code, message)) => self.diagnostics.push(Diagnostic::new(code, message).at(location)),
        }
    }

    fn keys(&mut self, entry: &Entry) {
        if !self.metadata.except.is_empty() {
            return;
        }
        let items = match &entry.value.kind {
            ValueKind::Array(items) => items.as_slice(),
            ValueKind::Missing | ValueKind::Invalid => return,
            _ => std::slice::from_ref(&entry.value),
        };
        for item in items {
            let location = Location::new(self.file, item.span);
            match &item.kind {
                ValueKind::String(text) => self.metadata.except.push(Located { value: text.clone(), location }),
                ValueKind::Missing | ValueKind::Invalid => {}
                _ => {
                    let message = "`except` must be an array of keys, each a string";
                    self.diagnostics.push(Diagnostic::new(&codes::INVALID_METADATA, message).at(location));
                }
            }
        }
    }
}

/// Why a value can't be used.
type Fault = (Code, String);

const fn invalid(message: String) -> Fault {
    (&codes::INVALID_METADATA, message)
}

fn text_of(entry: &Entry) -> Result<&str, Fault> {
    match &entry.value.kind {
        ValueKind::String(text) => Ok(text),
        _ => Err(invalid(format!("`{}` must be a string", entry.key.text))),
    }
}

/// A day, written as a string or as a TOML date.
fn day(entry: &Entry, text: &str) -> Result<Box<str>, Fault> {
    match &entry.value.kind {
        ValueKind::Datetime(_) => Ok(text.get(entry.value.span.range()).unwrap_or_default().into()),
        ValueKind::String(text) => Ok(text.clone()),
        _ => Err(invalid("`created` must be a day, such as \"2026-01-05\"".to_owned())),
    }
}

/// A number of tokens.
fn count(entry: &Entry) -> Result<u64, Fault> {
    let count = match &entry.value.kind {
        ValueKind::Integer(Integer::Small(small)) => u64::try_from(*small).ok(),
        _ => None,
    };
    count.ok_or_else(|| invalid(format!("`{}` must be a number of tokens, such as 1500", entry.key.text)))
}

/// An amount of disk space in bytes, written as `500 GB` or `1.5 TiB`.
fn size(entry: &Entry) -> Result<u64, Fault> {
    /// The units, each in bytes.
    const UNITS: [(&str, f64); 4] = [("GB", 1e9), ("TB", 1e12), ("GiB", 1_073_741_824.0), ("TiB", 1_099_511_627_776.0)];
    let text = text_of(entry)?.trim();
    let number = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let unit = text[number.len()..].trim();
    let bytes = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)).map(|(_, bytes)| *bytes);
    let count = number.trim().parse::<f64>().ok().filter(|count| count.is_finite() && *count > 0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, and the number is above zero"
    )]
    let size = bytes.zip(count).map(|(bytes, count)| (bytes * count) as u64);
    size.ok_or_else(|| invalid("`disk` must be a size, such as \"500 GB\" or \"1 TB\"".to_owned()))
}
