//! What the files of a command state: their kind, their prime-rl, the metadata of the first one.

use cfg_compose::{Texts, Word};
use cfg_diag::{Diagnostic, Location, codes};
use cfg_plan::Metadata;
use cfg_schema::{Kind, Target};
use cfg_syntax::Dialect;

use super::{CommandRequest, file_words};
use crate::Session;

/// What the metadata of the files and the arguments state.
pub(super) struct CommandMetadata {
    pub(super) target: Option<Target>,
    /// Whether a file states a target that can't be used, and no file states another one.
    pub(super) is_target_refused: bool,
    pub(super) kind: Option<Kind>,
    /// The metadata of the first file.
    pub(super) metadata: Option<Metadata>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The paths of the files that are the whole config, or a part of its root.
    pub(super) paths: Vec<String>,
    /// The path of the first file that is a part below the root.
    pub(super) below: Option<String>,
}

/// Reads the metadata of the files in the arguments. The first file that states a value is used.
pub(super) fn command_metadata(
    session: &Session,
    texts: &mut Texts,
    words: &[Word],
    request: &CommandRequest<'_>,
    command: Option<Kind>,
) -> CommandMetadata {
    let mut stated = CommandMetadata {
        target: None,
        is_target_refused: false,
        kind: None,
        metadata: None,
        diagnostics: Vec::new(),
        paths: Vec::new(),
        below: None,
    };
    let mut first: Option<(Target, Location)> = None;
    for named in file_words(words) {
        let Some(last) = named.last() else { continue };
        let path = last.text.strip_prefix('@').unwrap_or(&last.text);
        let is_of_root = !named[0].text.starts_with("--");
        if is_of_root {
            stated.paths.push(path.to_owned());
        } else if !path.is_empty() && stated.below.is_none() {
            stated.below = Some(path.to_owned());
        }
        // A file in another format than TOML has no metadata block.
        if path.is_empty() || [".json", ".yaml", ".yml"].iter().any(|suffix| path.ends_with(suffix)) {
            continue;
        }
        let Ok(file) = texts.file(path, request.system) else { continue };
        let Some(text) = texts.get(file) else { continue };
        let (document, _) = text.parse(Dialect::Toml10);
        let (metadata, mut diagnostics) = session.metadata(file, path, &text.text, &document);
        if stated.diagnostics.iter().all(|known| known.location.map(|location| location.file) != Some(file)) {
            stated.diagnostics.append(&mut diagnostics);
        }
        let mut disagree = |message: String, other: Option<Location>| {
            let mut diagnostic = Diagnostic::new(&codes::CONFLICTING_METADATA, message).at(last.location);
            if let Some(other) = other {
                diagnostic = diagnostic.related(other, "the other one");
            }
            stated.diagnostics.push(diagnostic);
        };
        stated.is_target_refused |= metadata.is_target_refused;
        match (metadata.target.as_ref().map(|stated| &stated.value), &first) {
            (Some(target), None) => first = Some((target.clone(), last.location)),
            (Some(target), Some((other, at))) if target.point != other.point => {
                disagree(format!("{path} is written for {target}, and the config before it for {other}"), Some(*at));
            }
            _ => {}
        }
        if let Some(kind) = metadata.kind.as_ref().map(|stated| stated.value).filter(|_| is_of_root) {
            match command.or(stated.kind) {
                Some(other) if other != kind => {
                    let what = if command.is_some() { "the command starts" } else { "the config before it is for" };
                    disagree(format!("{path} is for {}, but {what} {}", kind.name(), other.name()), None);
                }
                _ => stated.kind = stated.kind.or(Some(kind)),
            }
        }
        stated.metadata.get_or_insert(metadata);
    }
    stated.target = request.target.clone().or(first.map(|(target, _)| target));
    stated.is_target_refused &= stated.target.is_none();
    stated
}
