//! The JSON report: its shape, as types that serialise into it and describe it.
//!
//! Members are only ever added. Lines and columns count from 1, columns in characters; offsets count bytes from 0.

mod convert;
mod lines;
mod next;
mod write;

use cfg_diag::{Applicability, Does, Severity, Verdict};
use schemars::generate::{Contract, SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::{Checks, Identity};
pub(crate) use lines::JsonLines;
pub use lines::{Line, line_schema};
pub use next::Next;
pub(crate) use write::Json;
pub use write::{write_line, write_pretty};

/// The version of the format: it changes only if programs that read the old format can't read the new one.
pub const SCHEMA_VERSION: u32 = 1;

/// The JSON Schema (draft-07) of a [`Report`].
pub fn report_schema() -> Schema {
    generator().into_root_schema_for::<Report<'_>>()
}

/// The JSON Schema (draft-07) of a command's output.
pub(crate) fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft07().into_generator().into_root_schema_for::<T>()
}

/// The JSON Schema (draft-07) of a document that is only written.
pub(crate) fn written_schema_of<T: JsonSchema>() -> Schema {
    generator().into_root_schema_for::<T>()
}

/// As [`schema_of`], for a document that is written with the identity of its config: see [`Identified`].
pub(crate) fn schema_of_identified<T: JsonSchema>() -> Schema {
    let mut schema = schema_of::<T>();
    let inline = SchemaSettings::draft07().with(|settings| {
        settings.inline_subschemas = true;
        settings.contract = Contract::Serialize;
    });
    let mut identity = inline.into_generator().into_root_schema_for::<Identity>();
    ["$schema", "title"].into_iter().for_each(|name| drop(identity.remove(name)));
    if let Some(properties) = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut) {
        properties.insert("identity".to_owned(), identity.to_value());
    }
    schema
}

/// The document of a command about a config, with the config's identity.
#[derive(Debug, Serialize)]
pub struct Identified<'a, T> {
    /// For which prime-rl the config was judged, and why; left out if no prime-rl reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
    /// The members of the document.
    #[serde(flatten)]
    pub report: &'a T,
}

fn generator() -> SchemaGenerator {
    SchemaSettings::draft07().with(|settings| settings.contract = Contract::Serialize).into_generator()
}

/// What `cfg --format json` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "cfg report")]
pub struct Report<'a> {
    /// The version of this format: 1.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u32,
    /// Every checked file or launch, in the order of their paths.
    pub files: Vec<File<'a>>,
    /// Findings about the command itself, such as a `--target` that is newer than this `cfg` knows; left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic<'a>>,
    /// Counts over all files.
    pub summary: Summary,
}

/// One checked file or launch.
#[derive(Debug, Serialize, JsonSchema)]
pub struct File<'a> {
    /// Its path.
    pub path: &'a str,
    /// The entrypoint (`rl`, `trainer`, `orchestrator`, `inference`, `sft`), if it is known; `vf-eval` and `vf-endpoints` are files of
    /// verifiers' own evaluations.
    pub kind: Option<&'a str>,
    /// The target that it was checked for, if it is known.
    pub target: Option<&'a str>,
    /// For which prime-rl it was judged, and why; left out for files that are not checked as configs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<&'a Identity>,
    /// prime-rl's own verdict: it accepts the file, refuses it, or it depends: on an installed package, on a check that the project has changed, on the
    /// config that this one overrides, or on a prime-rl or an entrypoint that nothing states.
    #[serde(serialize_with = "verdict")]
    #[schemars(with = "VerdictName")]
    pub verdict: Verdict,
    /// The number of prime-rl's own checks that apply to it, and why the results of some are unknown; left out if none were run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<&'a Checks>,
    /// What `--fix` did to the file, in the order in which it was done; left out without `--fix`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<&'a [Fixed]>,
    /// The keys whose written values `--fix` changed, added or removed; left out without `--fix`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<&'a [String]>,
    /// The text after `--fix`; only for a text from standard input, which no file has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
    /// The findings, those of the fixed text if it was fixed.
    pub diagnostics: Vec<Diagnostic<'a>>,
}

/// A finding that `--fix` removed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Fixed {
    /// Its code.
    pub code: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its dotted key.
    pub key: Option<String>,
    /// What was done.
    pub title: String,
    /// Whether that was safe.
    #[serde(serialize_with = "applicability")]
    #[schemars(with = "ApplicabilityName")]
    pub applicability: Applicability,
    /// What kind of change that was: of what is written, of the name of a key, of its table, or a removal.
    #[serde(serialize_with = "does")]
    #[schemars(with = "DoesName")]
    pub does: Does,
    /// The settings that nothing in the config makes after it.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub lost: Vec<String>,
    /// The file.
    pub path: String,
    /// The number of the step, from 1. Fixes of a step were made at once; the ranges of their edits are those of the text after the steps before.
    pub step: usize,
    /// The replacements.
    pub edits: Vec<FixedEdit>,
}

/// A replacement that was made.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FixedEdit {
    /// The replaced range.
    pub range: Range,
    /// The new text.
    pub new_text: String,
}

impl Fixed {
    /// The fix of a finding that was made in a text at `path`.
    pub fn new(found: &cfg_diag::Diagnostic, fix: &cfg_diag::Fix, step: usize, path: &str, text: &str) -> Self {
        let sources = crate::Sources::single(path, text);
        let edit = |edit: &cfg_diag::Edit| {
            Some(FixedEdit { range: Range::of(edit.location, &sources)?, new_text: edit.new_text.clone() })
        };
        Self {
            code: found.code.code,
            name: found.code.name,
            key: found.key.clone(),
            title: fix.title.clone(),
            applicability: fix.applicability,
            does: fix.does,
            lost: fix.lost.as_ref().map(|lost| lost.keys.clone()).unwrap_or_default(),
            path: path.to_owned(),
            step,
            edits: fix.edits.iter().filter_map(edit).collect(),
        }
    }
}

/// What `--fix` did to a file.
#[derive(Clone, Debug, Default)]
pub struct FixesMade {
    /// The fixes.
    pub fixed: Vec<Fixed>,
    /// The keys whose written values differ.
    pub changed: Vec<String>,
    /// The new text, if no file has it.
    pub text: Option<String>,
}

/// Counts over all files; echoes and folded diagnostics are not counted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Summary {
    /// Checked files.
    pub files: usize,
    /// Diagnostics of severity `error`.
    pub errors: usize,
    /// Diagnostics of severity `warning`.
    pub warnings: usize,
    /// Diagnostics of severity `info`.
    pub infos: usize,
    /// Files whose verdict is `rejected`.
    pub rejected: usize,
    /// Findings that a baseline accepts, which are not in the report. Left out if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(default)]
    pub accepted: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// One finding.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Diagnostic<'a> {
    /// The stable code: `PRL101`.
    #[schemars(regex(pattern = "^PRL[0-9]{3}$"))]
    pub code: &'a str,
    /// The problem in kebab case: `unknown-key`.
    pub name: &'a str,
    /// Its severity.
    #[serde(serialize_with = "severity")]
    #[schemars(with = "SeverityName")]
    pub severity: Severity,
    /// The fault, in one sentence.
    pub message: &'a str,
    /// The dotted key of the finding, from the root of the config.
    pub key: Option<&'a str>,
    /// The file of `range`, if it is not the file that lists this diagnostic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<&'a str>,
    /// The place to look at first.
    pub range: Option<Range>,
    /// What a person sees at the places: that of `range` first, then those of `related`. Places without a text have none.
    pub labels: Vec<Label<'a>>,
    /// Further places, such as the other end of a contradiction.
    pub related: Vec<Related<'a>>,
    /// What may be written at the place: the values of a choice, or the keys that are meant, the most probable first. Left out if that is not a list.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[schemars(default)]
    pub choices: &'a [String],
    /// prime-rl's own error, if there is one.
    pub native: Option<Native<'a>>,
    /// Alternative fixes, the most certain first. Each was tried: it removes the finding, and no new finding of the same severity appears.
    pub fixes: Vec<Fix<'a>>,
    /// Commands that explain or repair it, the most useful first.
    pub next: Vec<Next>,
    /// What to write instead, or how to find the cause.
    pub help: Option<&'a str>,
    /// The address of its documentation, if that is published; `cfg explain` has the same text.
    pub url: Option<String>,
    /// Whether an earlier diagnostic reports the same fault: prime-rl reports some faults at several places. Left out if false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub echo: bool,
    /// Findings that this one explains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<Diagnostic<'a>>,
}

/// A range of a text; `end` is after its last character.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Range {
    /// Its first character.
    pub start: Position,
    /// The position after its last character.
    pub end: Position,
}

/// A position in a text.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Position {
    /// The line, from 1.
    #[schemars(range(min = 1))]
    pub line: u32,
    /// The column in characters, from 1.
    #[schemars(range(min = 1))]
    pub column: u32,
    /// The offset in bytes, from 0.
    pub offset: u32,
}

/// A text at a place.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Label<'a> {
    /// The file.
    pub path: &'a str,
    /// Its range in the file.
    pub range: Range,
    /// The text, in a few words.
    pub text: &'a str,
    /// Whether the finding is about this place; the others are related to it.
    pub primary: bool,
}

/// A second place that is involved in a finding.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Related<'a> {
    /// The file.
    pub path: &'a str,
    /// Its range in the file.
    pub range: Range,
    /// How it is involved.
    pub message: &'a str,
}

/// prime-rl's error for a fault.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Native<'a> {
    /// Its error type, such as `extra_forbidden`, or the name of the exception.
    pub r#type: &'a str,
    /// Its location, from the root of the config.
    pub loc: Vec<LocStep<'a>>,
    /// The function of prime-rl that raises it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<&'a str>,
    /// Whether prime-rl stops at an earlier error and does not report this one yet.
    pub masked: bool,
}

/// One step of a location.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum LocStep<'a> {
    /// A key, the tag of a variant, or the label of a union's member.
    Key(&'a str),
    /// The index of an array's item.
    Index(usize),
}

/// A repair: edits that don't overlap and must be made together.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Fix<'a> {
    /// What the repair does.
    pub title: &'a str,
    /// `safe`: it matches the author's intention; `unsafe`: it may change the meaning of the config.
    #[serde(serialize_with = "applicability")]
    #[schemars(with = "ApplicabilityName")]
    pub applicability: Applicability,
    /// What kind of change it is: of what is written, of the name of a key, of its table, or a removal.
    #[serde(serialize_with = "does")]
    #[schemars(with = "DoesName")]
    pub does: Does,
    /// The settings that nothing in the config makes after it.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub lost: &'a [String],
    /// The replacements, in the order of the file.
    pub edits: Vec<Edit<'a>>,
}

/// A replacement; an empty range inserts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Edit<'a> {
    /// The file.
    pub path: &'a str,
    /// The replaced range.
    pub range: Range,
    /// The new text.
    pub new_text: &'a str,
}

/// The names of [`Severity`], [`Applicability`] and [`Verdict`], whose types do not depend on JSON.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum SeverityName {
    Error,
    Warning,
    Info,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum ApplicabilityName {
    Safe,
    Unsafe,
}

/// What a fix does with what is written.
#[derive(JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes what is written")]
enum DoesName {
    Write,
    Rename,
    Move,
    Remove,
}

/// prime-rl's own verdict on a config.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Verdict")]
enum VerdictName {
    /// It accepts it.
    Ok,
    /// It refuses to start with it.
    Rejected,
    /// It depends on something that the config leaves open: an installed package, a changed check, the config that this one overrides.
    Depends,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn severity<S: serde::Serializer>(severity: &Severity, serializer: S) -> Result<S::Ok, S::Error> {
    let name = match severity {
        Severity::Error => SeverityName::Error,
        Severity::Warning => SeverityName::Warning,
        Severity::Info => SeverityName::Info,
    };
    name.serialize(serializer)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn does<S: serde::Serializer>(does: &Does, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(does.name())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn applicability<S: serde::Serializer>(applicability: &Applicability, serializer: S) -> Result<S::Ok, S::Error> {
    let name = match applicability {
        Applicability::Safe => ApplicabilityName::Safe,
        Applicability::Unsafe => ApplicabilityName::Unsafe,
    };
    name.serialize(serializer)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn verdict<S: serde::Serializer>(verdict: &Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    let name = match verdict {
        Verdict::Ok => VerdictName::Ok,
        Verdict::Rejected => VerdictName::Rejected,
        Verdict::Depends => VerdictName::Depends,
    };
    name.serialize(serializer)
}
