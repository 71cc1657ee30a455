//! The JSON Schemas of configs: no config that prime-rl accepts raises an alarm, and what a schema can say against one that it refuses is
//! said. `benches/schemas.py` asks the same of taplo and tombi.

use std::{fs, path::Path};

use cfg_schema::{History, Kind, Target};
use cfg_tests::{Recorded, shared, workspace};
use serde_json::Value;

/// So many alarms are shown.
const SHOWN: usize = 10;

/// How many of a folder's vectors a schema was asked about, and how it answered.
#[derive(Debug, Default)]
struct Counts {
    accepted: usize,
    alarms: Vec<String>,
    faulty: usize,
    refused: usize,
}

fn validator(kind: Kind, version: &str) -> jsonschema::Validator {
    let target = Target::parse(History::built_in(), version).expect("the target is known");
    let schema = cfg_emit::json_schema(History::built_in().schema(kind, target.point), &target.name);
    assert!(jsonschema::draft7::meta::is_valid(&schema), "{kind} at {version} is no JSON Schema");
    jsonschema::draft7::new(&schema).expect("the schema can be used")
}

fn count(folder: &Path) -> Counts {
    let mut counts = Counts::default();
    let mut files: Vec<_> = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    for file in files {
        let text = fs::read_to_string(&file).expect("a text");
        let vectors: Vec<Recorded> = text.lines().map(|line| Recorded::parse(line).expect("a vector")).collect();
        let Some(first) = vectors.first() else { continue };
        let validator = validator(first.kind, &first.version);
        for vector in &vectors {
            // Another reader of TOML stands here for the editors; it does not know all of the spellings of TOML 1.1.
            let Ok(config) = toml::from_str::<Value>(&vector.toml) else { continue };
            let is_valid = validator.is_valid(&config);
            if vector.ok {
                counts.accepted += 1;
                if let Err(error) = validator.validate(&config) {
                    counts.alarms.push(format!("{} at {}: {error}\n{}", vector.id, error.instance_path(), vector.toml));
                }
            } else if !vector.errors.is_empty() && vector.errors.iter().all(|error| !error.is_beyond_schema()) {
                counts.faulty += 1;
                counts.refused += usize::from(!is_valid);
            }
        }
    }
    counts
}

fn assert_holds(counts: &Counts) {
    let shown = counts.alarms.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(counts.alarms.is_empty(), "{} of {} accepted configs raise an alarm\n{shown}", counts.alarms.len(), counts.accepted);
    // The others are beyond JSON Schema: two keys for one field, a date where a text is meant.
    let Counts { faulty, refused, .. } = counts;
    assert!(refused * 100 >= faulty * 98, "only {refused} of {faulty} schema faults are refused");
}

#[test]
fn the_sample_raises_no_false_alarm_and_its_faults_are_refused() {
    let counts = count(&workspace().join("tests/vectors"));
    assert!(counts.accepted >= 200 && counts.faulty >= 150, "only {} and {} were asked", counts.accepted, counts.faulty);
    assert_holds(&counts);
}

#[test]
fn no_recorded_vector_raises_a_false_alarm_and_their_faults_are_refused() {
    if let Some(folder) = shared("vectors") {
        let counts = count(&folder);
        assert!(counts.accepted >= 2900, "only {} were asked", counts.accepted);
        assert_holds(&counts);
    }
}

#[test]
fn what_stands_in_the_repository_are_the_schemas_of_the_releases() {
    let history = History::built_in();
    for release in history.releases() {
        for kind in Kind::ALL {
            let file = workspace().join(format!("schemas/json/{}/{kind}.json", release.name()));
            let schema: Value = serde_json::from_str(&fs::read_to_string(&file).expect("each has its file")).expect("JSON");
            assert_eq!(schema, cfg_emit::json_schema(history.schema(kind, release.point()), release.name()));
        }
    }
}

#[test]
fn a_schema_says_what_an_editor_shows() {
    let history = History::built_in();
    let target = Target::parse(history, "0.8.0").expect("a release");
    let schema = cfg_emit::json_schema(history.schema(Kind::Trainer, target.point), &target.name);
    let lr = schema.pointer("/properties/optim/anyOf/0/properties/lr").expect("the rate of the first optimizer");
    assert!(lr["description"].as_str().is_some_and(|text| text.starts_with("Learning rate")), "{lr}");
    assert_eq!(lr["minimum"], 0);
    assert!(lr["default"].is_number(), "{lr}");
}
