//! What a config says of itself, as far as checking needs it.

use cfg_diag::{Diagnostic, FileId, Location, codes};
use cfg_schema::{BeyondHistory, History, Kind, Target};
use cfg_syntax::{Document, Entry, ValueKind};

/// The members of the block of metadata.
const MEMBERS: [&str; 12] = [
    "version",
    "created",
    "env_version",
    "based_on",
    "prime_rl",
    "hardware",
    "input_tokens",
    "notes",
    "kind",
    "same_as",
    "except",
    "name",
];

/// What the block of metadata says.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// The prime-rl that the config is written for.
    pub target: Option<Target>,
    /// The entrypoint that it is for.
    pub kind: Option<Kind>,
}

impl Metadata {
    /// Reads the block of a document, with what is wrong in it. Nothing but the block is looked at.
    pub fn read(history: History, file: FileId, text: &str, document: &Document) -> (Self, Vec<Diagnostic>) {
        let Some((table, mut diagnostics)) = cfg_syntax::metadata(file, text, document) else { return Default::default() };
        let mut metadata = Self::default();
        for entry in &table.entries {
            match &*entry.key.text {
                "prime_rl" => {
                    metadata.target =
                        read(file, entry, &mut diagnostics, |text| Target::parse(history, text).map_err(|e| e.to_string()));
                    if let Some(beyond) = metadata.target.as_ref().and_then(|target| target.beyond(history)) {
                        let diagnostic = Diagnostic::new(&codes::TARGET_BEYOND_HISTORY, beyond.to_string());
                        diagnostics.push(diagnostic.at(Location::new(file, entry.value.span)).help(BeyondHistory::HELP));
                    }
                }
                "kind" => metadata.kind = read(file, entry, &mut diagnostics, str::parse),
                known if MEMBERS.contains(&known) => {}
                unknown => {
                    let diagnostic = Diagnostic::new(&codes::INVALID_METADATA, format!("the metadata has no member `{unknown}`"));
                    let help = format!("its members are {}", MEMBERS[..9].join(", "));
                    diagnostics.push(diagnostic.at(Location::new(file, entry.key.span)).help(help));
                }
            }
        }
        (metadata, diagnostics)
    }
}

/// The value of a member that is written as a string.
fn read<T>(
    file: FileId,
    entry: &Entry,
    diagnostics: &mut Vec<Diagnostic>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Option<T> {
    let outcome = match &entry.value.kind {
        ValueKind::String(text) => parse(text),
        ValueKind::Missing | ValueKind::Invalid => return None,
        _ => Err(format!("`{}` must be a string", entry.key.text)),
    };
    match outcome {
        Ok(value) => Some(value),
        Err(message) => {
            let code = if &*entry.key.text == "prime_rl" { &codes::UNKNOWN_TARGET } else { &codes::INVALID_METADATA };
            diagnostics.push(Diagnostic::new(code, message).at(Location::new(file, entry.value.span)));
            None
        }
    }
}
