//! The JSON Schemas of all documents that commands print, by name.

use schemars::Schema;

use crate::{
    compared, course, curriculum, diagnosis, draft, estimate, gpus, json, launch, listed, memory, migration, model, outcome,
    preflight, resume, runs, sweep, watch,
};

/// A kind of document.
pub struct DocumentKind {
    /// Its name, and that of its file: `schemas/NAME.schema.json`.
    pub name: &'static str,
    /// The commands that print it with `--format json`, without `cfg`.
    pub commands: &'static [&'static str],
    /// The text of its JSON Schema (draft-07), with its `$id`.
    pub text: &'static str,
}

/// The JSON Schema of the kind with this name as its types describe it, with its `$id`: what [`DocumentKind::text`] has to be.
pub fn describe(name: &str) -> Option<Schema> {
    let mut schema = made(name)?;
    schema.insert("$id".to_owned(), id(name).into());
    Some(schema)
}

/// The `$id` of a schema. The number is the version of the format.
pub fn id(name: &str) -> String {
    format!("urn:cfg:schema:{name}:{}", json::SCHEMA_VERSION)
}

/// The kind with this name.
pub fn find(name: &str) -> Option<&'static DocumentKind> {
    ALL.iter().find(|kind| kind.name == name)
}

/// The schema of resolved values: those of the target's config class, which `cfg schema export` describes.
fn compiled() -> Schema {
    schemars::json_schema!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "cfg compile",
        "description": "The resolved values of a config, as prime-rl has them: defaults, shared keys and its own checks included. The keys are those of the target, which `cfg schema export` describes.",
        "type": "object"
    })
}

/// All kinds in the order of their names, each with its commands and the function that makes its schema from the types that are written.
///
/// A program has the schemas as the texts in `schemas/`, which `cargo xtask generate` writes: making them takes more code than they have bytes. For a
/// new kind, first make its file with `{}`.
macro_rules! kinds {
    ($($name:literal: [$($command:literal),*] = $schema:path;)*) => {
        /// All kinds, in the order of their names.
        pub static ALL: &[DocumentKind] = &[$(DocumentKind {
            name: $name,
            commands: &[$($command),*],
            text: include_str!(concat!("../../../schemas/", $name, ".schema.json")),
        }),*];

        fn made(name: &str) -> Option<Schema> {
            match name {
                $($name => Some($schema()),)*
                _ => None,
            }
        }
    };
}

kinds! {
    "adoption": ["registry adopt"] = compared::adoption_schema;
    "bump": ["bump"] = compared::bump_schema;
    "changed-keys": ["schema diff"] = listed::changed_keys_schema;
    "comparison": ["run compare"] = runs::comparison_schema;
    "compiled": ["compile"] = compiled;
    "course": ["plan"] = course::schema;
    "curriculum": ["plan --curriculum"] = curriculum::schema;
    "diagnosis": ["run diagnose"] = diagnosis::schema;
    "diff": ["diff"] = compared::comparison_schema;
    "diff-since": ["diff --since"] = compared::since_schema;
    "estimate": ["estimate"] = estimate::schema;
    "events": ["schema history"] = listed::events_schema;
    "explained-values": ["compile --explain"] = listed::explained_values_schema;
    "findings": ["explain"] = listed::findings_schema;
    "gpus": ["gpu"] = gpus::schema;
    "imported-keys": ["schema import"] = listed::imported_keys_schema;
    "keys": ["schema show"] = listed::keys_schema;
    "launch": ["run launch"] = launch::schema;
    "lineage": ["log"] = listed::lineage_schema;
    "memory": ["memory"] = memory::schema;
    "memory-rows": ["memory --sweep"] = memory::rows_schema;
    "migration": ["migrate"] = migration::schema;
    "migration-of-folder": ["migrate FOLDER"] = migration::schema_of_folder;
    "migrations": ["migrate FILE FILE"] = migration::schema_of_several;
    "model": ["model"] = model::schema;
    "new": ["new"] = draft::schema;
    "outcome": [] = outcome::schema;
    "package": ["env"] = listed::package_schema;
    "preflight": ["run preflight"] = preflight::schema;
    "registered": ["registry list"] = listed::registered_schema;
    "report": ["check", "hook run", "registry verify"] = json::report_schema;
    "report-line": ["check --format json-lines"] = json::line_schema;
    "resume": ["run resume"] = resume::schema;
    "run": ["run add", "run close"] = runs::run_schema;
    "runs": ["run list"] = listed::runs_schema;
    "statistics": ["check --statistics"] = listed::statistics_schema;
    "sweep": ["sweep"] = sweep::schema;
    "symptoms": ["run diagnose --list"] = listed::symptoms_schema;
    "versions": ["schema versions"] = listed::versions_schema;
    "watch": ["run watch"] = watch::schema;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{ALL, DocumentKind, describe};

    #[test]
    fn each_kind_has_a_name_and_an_id_of_its_own() {
        let names: Vec<&str> = ALL.iter().map(|kind| kind.name).collect();
        assert!(names.is_sorted(), "{names:?}");
        let described = |kind: &DocumentKind| describe(kind.name).expect("it is one").to_value();
        let ids: BTreeSet<String> = ALL.iter().filter_map(|kind| Some(described(kind)["$id"].as_str()?.to_owned())).collect();
        assert_eq!(ids.len(), ALL.len());
        for kind in ALL {
            assert!(jsonschema::validator_for(&described(kind)).is_ok(), "{}", kind.name);
        }
    }

    #[test]
    fn the_texts_are_those_of_the_types() {
        for kind in ALL {
            let text: serde_json::Value = serde_json::from_str(kind.text).expect("JSON");
            assert_eq!(describe(kind.name).expect("it is one").to_value(), text, "`cargo xtask generate` writes {}", kind.name);
        }
    }

    /// What a program reads is always a document with members, to which more can be added.
    #[test]
    fn no_document_is_a_bare_array() {
        for kind in ALL {
            let schema = describe(kind.name).expect("it is one").to_value();
            assert_eq!(schema["type"], "object", "{}", kind.name);
        }
    }
}
