//! Lists that commands print: as one JSON document with the list as a member, or as one document for each entry.
//!
//! Each entry is a type that serialises into the document and describes it, as in [`crate::json`].

mod env;
mod registry;
mod schema;

use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Value;

use crate::{
    json::{SCHEMA_VERSION, written_schema_of},
    runs::RunReport,
};

pub use env::{OwnCheck, PackageKey, PackagePart};
pub use registry::{LineageEntry, RegisteredConfig};
pub use schema::{Bounds, ChangedKey, Event, Holds, ImportedKey, Moved, MovedTo, SchemaKey, Version, When};

/// An entry of a list that a command prints.
pub trait Listed: Serialize + Sized {
    /// The document with a list of these.
    type Document<'e>: Serialize
    where
        Self: 'e;

    /// The document with this list, and what it is about, if it has a place for that.
    fn document<'e>(entries: &'e [Self], about: Option<&'e About>) -> Self::Document<'e>;
}

/// What a list of keys is about.
#[derive(Debug, Serialize, JsonSchema)]
pub struct About {
    /// The kind of config; left out if the list is about all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The prime-rl that was asked about; `null` for the class of a program of the project, which is read as it is now.
    pub target: Option<String>,
}

macro_rules! lists {
    ($($(#[$meta:meta])* $document:ident $title:literal $schema:ident $($about_it:ident)? { $(#[$about:meta])* $member:ident: $entry:ty })*) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Serialize, JsonSchema)]
            #[schemars(title = $title)]
            pub struct $document<'e> {
                /// The version of this format: 1.
                #[schemars(extend("const" = SCHEMA_VERSION))]
                schema_version: u32,
                $(
                    /// What the list is about.
                    #[serde(flatten)]
                    $about_it: Option<&'e About>,
                )?
                $(#[$about])*
                $member: &'e [$entry],
            }

            impl Listed for $entry {
                type Document<'e> = $document<'e>;

                fn document<'e>(entries: &'e [Self], about: Option<&'e About>) -> Self::Document<'e> {
                    let _ = about;
                    $document { schema_version: SCHEMA_VERSION, $($about_it: about,)? $member: entries }
                }
            }

            #[doc = concat!("The JSON Schema (draft-07) of a [`", stringify!($document), "`].")]
            pub fn $schema() -> Schema {
                written_schema_of::<$document<'static>>()
            }
        )*
    };
}

lists! {
    /// What `cfg explain` prints.
    FindingPages "cfg explain" findings_schema {
        /// The codes, in the order of their numbers.
        findings: FindingPage
    }
    /// What `cfg schema show` prints.
    SchemaKeys "cfg schema show" keys_schema about {
        /// The key, then the keys directly below it.
        keys: SchemaKey
    }
    /// What `cfg schema history` prints.
    Events "cfg schema history" events_schema {
        /// What happened to each field that the key names, the oldest first.
        events: Event
    }
    /// What `cfg schema diff` prints.
    ChangedKeys "cfg schema diff" changed_keys_schema {
        /// The keys that differ. Those below an added or removed table are not listed.
        changes: ChangedKey
    }
    /// What `cfg schema versions` prints.
    Versions "cfg schema versions" versions_schema {
        /// The releases, the oldest first.
        versions: Version
    }
    /// What `cfg schema import` prints.
    ImportedKeys "cfg schema import" imported_keys_schema {
        /// The keys that differ from those of the base point.
        differences: ImportedKey
    }
    /// What `cfg env` prints.
    PackageParts "cfg env" package_schema about {
        /// The functions and classes of the package.
        parts: PackagePart
    }
    /// What `cfg log` prints.
    Lineage "cfg log" lineage_schema {
        /// The versions.
        versions: LineageEntry
    }
    /// What `cfg registry list` prints.
    RegisteredConfigs "cfg registry list" registered_schema {
        /// The configs, in the order of the registry.
        configs: RegisteredConfig
    }
    /// What `cfg run list` prints.
    Runs "cfg run list" runs_schema {
        /// The runs, in the order of the registry.
        runs: RunReport
    }
    /// What `cfg run diagnose --list` prints.
    Symptoms "cfg run diagnose --list" symptoms_schema {
        /// The known symptoms.
        symptoms: SymptomEntry
    }
    /// What `cfg compile --explain` prints.
    ExplainedValues "cfg compile --explain" explained_values_schema {
        /// The values of the key, or of all keys below it.
        values: ExplainedValue
    }
    /// What `cfg check --statistics` prints.
    Statistics "cfg check --statistics" statistics_schema {
        /// The codes, the most frequent first.
        codes: CountedCode
    }
}

/// The documentation of a finding.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FindingPage {
    /// The stable code: `PRL101`.
    pub code: &'static str,
    /// The problem in kebab case: `unknown-key`.
    pub name: &'static str,
    /// The usual severity: `error`, `warning` or `info`.
    pub severity: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The address of its page, if it is published.
    pub url: Option<String>,
    /// The whole page in Markdown.
    pub page: &'static str,
}

/// A symptom that `cfg run diagnose` finds in logs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SymptomEntry {
    /// Its name.
    pub symptom: String,
    /// The program that writes the line.
    pub by: String,
    /// Texts that show it; `…` stands for any text. Empty if the course of the run shows it.
    pub lines: Vec<String>,
    /// What caused it.
    pub cause: String,
    /// What to do.
    pub repair: String,
    /// The names of the findings that predict it.
    pub rules: Vec<&'static str>,
}

/// A resolved value with its origin.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExplainedValue {
    /// The dotted key.
    pub key: String,
    /// The value.
    pub value: Value,
    /// Where it comes from.
    #[schemars(with = "ValueOrigin")]
    pub origin: Value,
}

/// Where a value comes from.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ValueOrigin {
    /// `file`, `command-line`, `environment`, `default`, `loader` or `rule` (a check of prime-rl that assigns it).
    pub kind: String,
    /// The place where it is written: `rl.toml:3:7`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The function of prime-rl that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The place of the value that the function used, or null.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Option<String>>,
    /// The prime-rl whose default it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// The number of findings with a code.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CountedCode {
    /// The code.
    pub code: &'static str,
    /// Its name.
    pub name: &'static str,
    /// The findings.
    pub count: usize,
    /// Those of them that have a fix.
    pub fixable: usize,
}
