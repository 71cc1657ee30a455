//! What became of a config on its way to another prime-rl, for programs.

use schemars::generate::{Contract, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::json::{File, Range};

/// The JSON Schema of [`MigrationReport`].
pub fn schema() -> Schema {
    let settings = SchemaSettings::draft07().with(|settings| settings.contract = Contract::Serialize);
    settings.into_generator().into_root_schema_for::<MigrationReport<'_>>()
}

/// What `cfg migrate --format json` writes of a config; of several configs, an array of these.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a member of the document")]
pub struct MigrationReport<'a> {
    /// The version of this format.
    pub schema_version: u32,
    /// The config's path.
    pub path: String,
    /// Its kind.
    pub kind: &'static str,
    /// The prime-rl that it was written for.
    pub from: String,
    /// Whether nobody stated that: it follows from the keys.
    pub from_is_guessed: bool,
    /// The prime-rl that it is written for now.
    pub to: String,
    /// Whether nothing is left to decide, the new prime-rl accepts it, and a run fails at nothing that it did not fail at before.
    pub complete: bool,
    /// Whether the layout of the text did not allow the changes.
    pub stuck: bool,
    /// Whether other files belong to it: then nothing is said of defaults.
    pub part: bool,
    /// How many errors of `checked` no decision about a key explains.
    pub remaining_errors: usize,
    /// The new text.
    pub text: String,
    /// The edits of the old text that make the new one, in its order.
    pub edits: Vec<EditReport>,
    /// What was done, in the order of the old text.
    pub done: Vec<DoneReport>,
    /// What is left to the author.
    pub decisions: Vec<DecisionReport>,
    /// What both texts resolve to; null where one of them resolves to nothing.
    pub meaning: Option<MeaningReport>,
    /// What the new prime-rl says to the new text, as `cfg check` reports it.
    pub checked: File<'a>,
}

/// A change of the old text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EditReport {
    /// What is replaced.
    pub range: Option<Range>,
    /// What is there then.
    pub new_text: String,
}

/// A key that is at another place, has another value, is gone, or new.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DoneReport {
    /// The key in the old text; null where it was not in it.
    pub old: Option<String>,
    /// The key in the new text; null where it is gone.
    pub new: Option<String>,
    /// Its new value as TOML; null where it is as it was.
    pub value: Option<String>,
    /// Its place in the old text.
    pub range: Option<Range>,
    /// The commits of prime-rl that led there, oldest first; none where a former default is written out.
    pub commits: Vec<CommitReport>,
}

/// What the author has to decide.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DecisionReport {
    /// The key in the old text.
    pub key: String,
    /// The key in the new text.
    pub now: String,
    /// Its place in the old text; null where it is on no line of it.
    pub range: Option<Range>,
    /// What prime-rl did: `rename`, `move`, `restructure`, `remove`, `value-removed`, ..., or `new-error` where it refuses what it used to take, or fails at it.
    pub change: &'static str,
    /// Where it would go; null if there is nothing in its place.
    pub to: Option<String>,
    /// Why it was not done: `meaning` (it may mean something else), `occupied` (something is there already), `other-file`, `no-place` (the tables
    /// are not there, or not as many), `undecided` (something in it is to be decided first), `refused` (a value that prime-rl no longer takes), or `fails` (it takes the value, but the run would fail).
    pub reason: &'static str,
    /// The key that is there already, the kind of the other file, or what prime-rl says.
    pub detail: Option<String>,
    /// What to do.
    pub note: Option<String>,
    /// What `--unsafe-fixes` makes of it; null where it makes nothing of it.
    pub forced: Option<ForcedReport>,
    /// The commit of prime-rl that did it; null for a value that is refused or fails.
    pub commit: Option<CommitReport>,
    /// The first release that has it, or the target where no release before it refuses the value or fails at it.
    pub since: Option<String>,
}

/// What becomes of a key that is moved although it may mean something else.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ForcedReport {
    /// The key in the new text; null where it is taken out.
    pub new: Option<String>,
    /// Its value as TOML; null where it is as it was.
    pub value: Option<String>,
}

/// How the resolved values of both texts are to each other.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MeaningReport {
    /// Whether one side is refused: then only changes of defaults are reported.
    pub partial: bool,
    /// How many values are the same.
    pub same: usize,
    /// How many settings are new with this prime-rl.
    pub added: usize,
    /// How many defaults have no counterpart any more.
    pub gone: usize,
    /// The values that are others.
    pub changed: Vec<ChangedReport>,
}

/// A value that is another than before.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedReport {
    /// The key in the new config; in the old one where it is gone.
    pub key: String,
    /// The value before, as TOML; null where there was no such key.
    pub old: Option<String>,
    /// The value now, as TOML; null where there is no such key.
    pub new: Option<String>,
    /// What it is about: `training`, `resources` or `operations`.
    pub class: &'static str,
    /// Whether the new value is in the text, or follows from something that does.
    pub written: bool,
    /// The commit that changed the default.
    pub commit: Option<CommitReport>,
    /// What the user has to know.
    pub note: Option<String>,
    /// The line that keeps the former value: its key and the value as TOML.
    pub keep: Option<String>,
}

/// A commit of prime-rl.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CommitReport {
    /// Its hash, in short; null for one before the history.
    pub sha: Option<String>,
    /// Its day.
    pub date: Option<String>,
    /// The pull request.
    pub pull_request: Option<u32>,
    /// The first release that has it.
    pub release: Option<String>,
}
