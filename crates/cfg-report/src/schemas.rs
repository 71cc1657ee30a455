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
    schema: fn() -> Schema,
}

impl DocumentKind {
    /// The JSON Schema (draft-07), with its `$id`.
    pub fn schema(&self) -> Schema {
        let mut schema = (self.schema)();
        schema.insert("$id".to_owned(), id(self.name).into());
        schema
    }
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

/// All kinds, in the order of their names.
pub const ALL: &[DocumentKind] = &[
    DocumentKind { name: "adoption", commands: &["registry adopt"], schema: compared::adoption_schema },
    DocumentKind { name: "bump", commands: &["bump"], schema: compared::bump_schema },
    DocumentKind { name: "changed-keys", commands: &["schema diff"], schema: listed::changed_keys_schema },
    DocumentKind { name: "comparison", commands: &["run compare"], schema: runs::comparison_schema },
    DocumentKind { name: "compiled", commands: &["compile"], schema: compiled },
    DocumentKind { name: "course", commands: &["plan"], schema: course::schema },
    DocumentKind { name: "curriculum", commands: &["plan --curriculum"], schema: curriculum::schema },
    DocumentKind { name: "diagnosis", commands: &["run diagnose"], schema: diagnosis::schema },
    DocumentKind { name: "diff", commands: &["diff"], schema: compared::comparison_schema },
    DocumentKind { name: "diff-since", commands: &["diff --since"], schema: compared::since_schema },
    DocumentKind { name: "estimate", commands: &["estimate"], schema: estimate::schema },
    DocumentKind { name: "events", commands: &["schema history"], schema: listed::events_schema },
    DocumentKind { name: "explained-values", commands: &["compile --explain"], schema: listed::explained_values_schema },
    DocumentKind { name: "findings", commands: &["explain"], schema: listed::findings_schema },
    DocumentKind { name: "gpus", commands: &["gpu"], schema: gpus::schema },
    DocumentKind { name: "imported-keys", commands: &["schema import"], schema: listed::imported_keys_schema },
    DocumentKind { name: "keys", commands: &["schema show"], schema: listed::keys_schema },
    DocumentKind { name: "launch", commands: &["run launch"], schema: launch::schema },
    DocumentKind { name: "lineage", commands: &["log"], schema: listed::lineage_schema },
    DocumentKind { name: "memory", commands: &["memory"], schema: memory::schema },
    DocumentKind { name: "memory-rows", commands: &["memory --sweep"], schema: memory::rows_schema },
    DocumentKind { name: "migration", commands: &["migrate"], schema: migration::schema },
    DocumentKind { name: "migration-of-folder", commands: &["migrate FOLDER"], schema: migration::schema_of_folder },
    DocumentKind { name: "migrations", commands: &["migrate FILE FILE"], schema: migration::schema_of_several },
    DocumentKind { name: "model", commands: &["model"], schema: model::schema },
    DocumentKind { name: "new", commands: &["new"], schema: draft::schema },
    DocumentKind { name: "outcome", commands: &[], schema: outcome::schema },
    DocumentKind { name: "package", commands: &["env"], schema: listed::package_schema },
    DocumentKind { name: "preflight", commands: &["run preflight"], schema: preflight::schema },
    DocumentKind { name: "registered", commands: &["registry list"], schema: listed::registered_schema },
    DocumentKind { name: "report", commands: &["check", "hook run", "registry verify"], schema: json::report_schema },
    DocumentKind { name: "report-line", commands: &["check --format json-lines"], schema: json::line_schema },
    DocumentKind { name: "resume", commands: &["run resume"], schema: resume::schema },
    DocumentKind { name: "run", commands: &["run add", "run close"], schema: runs::run_schema },
    DocumentKind { name: "runs", commands: &["run list"], schema: listed::runs_schema },
    DocumentKind { name: "statistics", commands: &["check --statistics"], schema: listed::statistics_schema },
    DocumentKind { name: "sweep", commands: &["sweep"], schema: sweep::schema },
    DocumentKind { name: "symptoms", commands: &["run diagnose --list"], schema: listed::symptoms_schema },
    DocumentKind { name: "versions", commands: &["schema versions"], schema: listed::versions_schema },
    DocumentKind { name: "watch", commands: &["run watch"], schema: watch::schema },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::ALL;

    #[test]
    fn each_kind_has_a_name_and_an_id_of_its_own() {
        let names: Vec<&str> = ALL.iter().map(|kind| kind.name).collect();
        assert!(names.is_sorted(), "{names:?}");
        let ids: BTreeSet<String> = ALL.iter().filter_map(|kind| Some(kind.schema().get("$id")?.as_str()?.to_owned())).collect();
        assert_eq!(ids.len(), ALL.len());
        for kind in ALL {
            assert!(jsonschema::validator_for(&kind.schema().to_value()).is_ok(), "{}", kind.name);
        }
    }

    /// What a program reads is always a document with members, to which more can be added.
    #[test]
    fn no_document_is_a_bare_array() {
        for kind in ALL {
            let schema = kind.schema().to_value();
            assert_eq!(schema["type"], "object", "{}", kind.name);
        }
    }
}
