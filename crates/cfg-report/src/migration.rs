//! The migration of a config to another prime-rl, for programs.

use schemars::generate::{Contract, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::json::{File, Range, SCHEMA_VERSION};

/// The JSON Schema of [`MigrationReport`].
pub fn schema() -> Schema {
    let settings = SchemaSettings::draft07().with(|settings| settings.contract = Contract::Serialize);
    settings.into_generator().into_root_schema_for::<MigrationReport<'_>>()
}

/// The JSON Schema of [`FolderReport`].
pub fn schema_of_folder() -> Schema {
    let settings = SchemaSettings::draft07().with(|settings| settings.contract = Contract::Serialize);
    settings.into_generator().into_root_schema_for::<FolderReport<'_>>()
}

/// What `cfg migrate --format json` writes for a folder, or with `--all`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FolderReport<'a> {
    /// The version of this format.
    pub schema_version: u32,
    /// Whether nothing is left to decide.
    pub complete: bool,
    /// Its configs.
    pub configs: Vec<MigrationReport<'a>>,
    /// The launch commands whose flags are to be changed, in scripts, pages and comments of configs.
    pub scripts: Vec<ScriptReport>,
    /// The settings that state the old prime-rl.
    pub settings: Vec<SettingsReport>,
    /// The pins that state the old prime-rl, each as a sentence.
    pub pins: Vec<String>,
    /// The files that are not migrated, each with the reason.
    pub unclear: Vec<String>,
    /// What the new prime-rl refuses although the migration leaves nothing to decide about it, each as a line.
    pub refused: Vec<String>,
}

/// A text with launch commands.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScriptReport {
    /// Its path.
    pub path: String,
    /// Whether it is a config, and the flags are in its comments.
    pub is_config: bool,
    /// The flags that are to be changed.
    pub flags: Vec<FlagReport>,
}

/// A flag of a launch command.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FlagReport {
    /// Its line, counted from 1.
    pub line: usize,
    /// As it is written.
    pub old: String,
    /// What replaces it; null if that is to be decided.
    pub new: Option<String>,
    /// What to decide.
    pub note: Option<String>,
}

/// A settings file with a `target`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingsReport {
    /// Its path.
    pub path: String,
    /// The line of `target`, counted from 1.
    pub line: u32,
    /// The old target.
    pub from: String,
    /// The new target.
    pub to: String,
    /// Why it stays as it is; null if it is changed.
    pub kept_because: Option<String>,
}

/// What `cfg migrate --format json` writes for several configs.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "cfg migrate, several configs")]
pub struct MigrationsReport<'a> {
    /// The version of this format: 1.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    schema_version: u32,
    /// What is written for each of them.
    migrations: &'a [MigrationReport<'a>],
}

impl<'a> MigrationsReport<'a> {
    /// The document of several configs.
    pub const fn new(migrations: &'a [MigrationReport<'a>]) -> Self {
        Self { schema_version: SCHEMA_VERSION, migrations }
    }
}

/// The JSON Schema (draft-07) of a [`MigrationsReport`].
pub fn schema_of_several() -> Schema {
    crate::json::written_schema_of::<MigrationsReport<'static>>()
}

/// What `cfg migrate --format json` writes for a config.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a member of the document")]
pub struct MigrationReport<'a> {
    /// The version of this format.
    pub schema_version: u32,
    /// The config's path.
    pub path: String,
    /// Its kind.
    pub kind: &'static str,
    /// The old target.
    pub from: String,
    /// Whether the old target is not given and was inferred from the keys.
    pub from_is_guessed: bool,
    /// The new target.
    pub to: String,
    /// Whether no decisions are left, the new prime-rl accepts it, and a run has no new reason to fail.
    pub complete: bool,
    /// What prime-rl refuses of it with the files that it overrides, or with the flags with which a script starts it, each as a line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// Whether the layout of the text did not allow the changes.
    pub stuck: bool,
    /// Whether other files belong to it: then defaults are not reported.
    pub part: bool,
    /// The number of errors in `checked` that no decision about a key explains.
    pub remaining_errors: usize,
    /// The new text.
    pub text: String,
    /// The target in the config's metadata, which is changed as well; null if it states none.
    pub metadata: Option<StatedReport>,
    /// The edits that turn the old text into the new one, in its order.
    pub edits: Vec<EditReport>,
    /// The changes, in the order of the old text.
    pub done: Vec<DoneReport>,
    /// The decisions left to the author.
    pub decisions: Vec<DecisionReport>,
    /// The comparison of the resolved values; null if one text has none.
    pub meaning: Option<MeaningReport>,
    /// The new prime-rl's check of the new text, as `cfg check` reports it.
    pub checked: File<'a>,
}

/// The target that a config states.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StatedReport {
    /// In the old text.
    pub from: String,
    /// In the new text.
    pub to: String,
}

/// A change of the old text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EditReport {
    /// The replaced range.
    pub range: Option<Range>,
    /// The new text.
    pub new_text: String,
}

/// A key with a new place or value, a removed key, or a new one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DoneReport {
    /// The key in the old text; null if it was not in it.
    pub old: Option<String>,
    /// The key in the new text; null if it is removed.
    pub new: Option<String>,
    /// Its new value as TOML; null if it is unchanged.
    pub value: Option<String>,
    /// Its place in the old text.
    pub range: Option<Range>,
    /// The commits of prime-rl that led there, oldest first; empty if a former default is written out.
    pub commits: Vec<CommitReport>,
}

/// A decision for the author.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DecisionReport {
    /// The key in the old text.
    pub key: String,
    /// The key in the new text.
    pub now: String,
    /// Its place in the old text; null if it is on no line of it.
    pub range: Option<Range>,
    /// prime-rl's change: `rename`, `move`, `restructure`, `remove`, `value-removed`, ..., or `new-error` if it now refuses the value or fails with
    /// it.
    pub change: &'static str,
    /// Its new place; null if there is no replacement.
    pub to: Option<String>,
    /// Why it was not done: `meaning` (its meaning may change), `occupied` (the new place is in use), `other-file`, `no-place` (the tables
    /// do not exist, or are fewer), `undecided` (a part of it needs a decision first), `refused` (prime-rl no longer accepts the value), or `fails`
    /// (it accepts the value, but the run would fail).
    pub reason: &'static str,
    /// The key that is in use, the kind of the other file, or prime-rl's error.
    pub detail: Option<String>,
    /// What to do.
    pub note: Option<String>,
    /// The change that `--unsafe-fixes` makes; null if it makes none.
    pub forced: Option<ForcedReport>,
    /// The commit of prime-rl with the change; null for a value that is refused or fails.
    pub commit: Option<CommitReport>,
    /// The first release with it, or the target if no earlier release refuses the value or fails with it.
    pub since: Option<String>,
}

/// The result for a key that is moved although its meaning may change.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ForcedReport {
    /// The key in the new text; null if it is removed.
    pub new: Option<String>,
    /// Its value as TOML; null if it is unchanged.
    pub value: Option<String>,
}

/// The comparison of the resolved values of both texts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MeaningReport {
    /// Whether one text is refused: then only changed defaults are reported.
    pub partial: bool,
    /// The number of equal values.
    pub same: usize,
    /// The number of settings that only the new prime-rl has.
    pub added: usize,
    /// The number of defaults without a counterpart in the new prime-rl.
    pub gone: usize,
    /// The changed values.
    pub changed: Vec<ChangedReport>,
}

/// A changed value.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedReport {
    /// The key in the new config; in the old one if it is removed.
    pub key: String,
    /// The old value as TOML; null if the key did not exist.
    pub old: Option<String>,
    /// The new value as TOML; null if the key does not exist.
    pub new: Option<String>,
    /// What it affects: `training`, `resources` or `operations`.
    pub class: &'static str,
    /// Whether the new value is in the text, or results from a value in it.
    pub written: bool,
    /// The commit that changed the default.
    pub commit: Option<CommitReport>,
    /// The note for the user.
    pub note: Option<String>,
    /// The line that keeps the old value: its key and the value as TOML.
    pub keep: Option<String>,
}

/// A commit of prime-rl.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CommitReport {
    /// Its short hash; null for a commit before the history.
    pub sha: Option<String>,
    /// Its day.
    pub date: Option<String>,
    /// The pull request.
    pub pull_request: Option<u32>,
    /// The first release with it.
    pub release: Option<String>,
}
