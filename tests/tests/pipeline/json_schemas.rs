//! The JSON Schemas of configs accept every config that prime-rl accepts, and refuse what a schema can refuse. `benches/schemas.py` tests the same
//! with taplo and tombi.

use std::{fs, path::Path, process::Command as Program};

use cfg_schema::{History, Kind, Target};
use cfg_tests::{Recorded, shared, workspace};
use serde_json::Value;

/// The number of false alarms that are shown.
const SHOWN: usize = 10;

/// The vectors of a folder that were validated, and the results.
#[derive(Debug, Default)]
struct Counts {
    accepted: usize,
    alarms: Vec<String>,
    faulty: usize,
    refused: usize,
}

fn validator(kind: Kind, version: &str) -> jsonschema::Validator {
    let target = Target::parse(History::built_in(), version).expect("the target is known");
    let schema = cfg_resolve::emit::json_schema(History::built_in().schema(kind, target.point), &target.name);
    assert!(jsonschema::draft7::meta::is_valid(&schema), "{kind} at {version} is no JSON Schema");
    jsonschema::draft7::new(&schema).expect("the schema can be used")
}

fn count(folder: &Path) -> Counts {
    let mut counts = Counts::default();
    for file in Recorded::files(folder) {
        let text = fs::read_to_string(&file).expect("a text");
        let vectors: Vec<Recorded> = text.lines().map(|line| Recorded::parse(line).expect("a vector")).collect();
        let Some(first) = vectors.first() else { continue };
        let validator = validator(first.kind, &first.version);
        for vector in &vectors {
            // Another TOML parser takes the place of the editors; it does not support all of TOML 1.1.
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
    // The others are beyond JSON Schema: two keys for one field, a date in place of a text.
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
#[ignore = "reads ../shared/vectors"]
fn no_recorded_vector_raises_a_false_alarm_and_their_faults_are_refused() {
    let counts = count(&shared("vectors"));
    assert!(counts.accepted >= 2900, "only {} were asked", counts.accepted);
    assert_holds(&counts);
}

#[test]
fn the_schemas_in_the_repository_are_those_of_the_releases() {
    let history = History::built_in();
    for release in history.releases() {
        for kind in Kind::ALL.into_iter().filter(|kind| history.root(*kind).at(release.point()).is_some()) {
            let file = workspace().join(format!("schemas/json/{}/{kind}.json", release.name()));
            let schema: Value = serde_json::from_str(&fs::read_to_string(&file).expect("each has its file")).expect("JSON");
            assert_eq!(schema, cfg_resolve::emit::json_schema(history.schema(kind, release.point()), release.name()));
        }
    }
}

#[test]
fn a_schema_has_the_texts_of_the_hover() {
    let history = History::built_in();
    let target = Target::parse(history, "0.8.0").expect("a release");
    let schema = cfg_resolve::emit::json_schema(history.schema(Kind::Trainer, target.point), &target.name);
    let lr = schema.pointer("/properties/optim/anyOf/0/properties/lr").expect("the rate of the first optimizer");
    assert!(lr["description"].as_str().is_some_and(|text| text.starts_with("Learning rate")), "{lr}");
    assert_eq!(lr["minimum"], 0);
    assert!(lr["default"].is_number(), "{lr}");
}

/// With the editors' tools, if they are installed: a sample of valid configs, and of configs with schema errors.
#[test]
fn taplo_and_tombi_accept_valid_configs_and_refuse_schema_errors() {
    for tool in ["taplo", "tombi"] {
        if Program::new(tool).arg("--version").output().is_err() {
            continue;
        }
        for (version, kind) in [("v0.2", Kind::Rl), ("v0.4.0", Kind::Trainer), ("v0.8.0", Kind::Rl), ("v0.8.0", Kind::Inference)]
        {
            ask(tool, version, kind);
        }
    }
}

#[track_caller]
fn ask(tool: &str, version: &str, kind: Kind) {
    const EACH: usize = 12;
    let folder = std::env::temp_dir().join(format!("cfg-schemas-{tool}-{version}-{kind}-{}", std::process::id()));
    fs::create_dir_all(folder.join("configs")).expect("a folder");
    let target = Target::parse(History::built_in(), version).expect("the target is known");
    let schema = cfg_resolve::emit::json_schema(History::built_in().schema(kind, target.point), &target.name);
    fs::write(folder.join("schema.json"), schema.to_string()).expect("written");
    fs::write(folder.join("tombi.toml"), "[[schemas]]\npath = \"schema.json\"\ninclude = [\"configs/*.toml\"]\n")
        .expect("written");
    let text = fs::read_to_string(workspace().join(format!("tests/vectors/{version}.{kind}.jsonl"))).expect("vectors");
    let vectors: Vec<Recorded> = text.lines().filter_map(Recorded::parse).collect();
    // Both tools refuse integers of more than 64 bits, and neither supports all of TOML 1.1.
    let is_plain = |vector: &&Recorded| toml::from_str::<Value>(&vector.toml).is_ok();
    let is_faulty = |vector: &&Recorded| {
        !vector.ok && !vector.errors.is_empty() && vector.errors.iter().all(|error| error.kind == "extra_forbidden")
    };
    let valid = vectors.iter().filter(is_plain).filter(|vector| vector.ok).take(EACH).map(|vector| (vector, true));
    let faulty = vectors.iter().filter(is_plain).filter(is_faulty).take(EACH).map(|vector| (vector, false));
    let sample: Vec<(&Recorded, bool)> = valid.chain(faulty).collect();
    assert!(sample.iter().filter(|(_, is_valid)| *is_valid).count() > 3, "{version} {kind}");
    for (vector, is_valid) in sample {
        let file = folder.join("configs/one.toml");
        fs::write(&file, &vector.toml).expect("written");
        let mut command = Program::new(tool);
        if tool == "taplo" {
            let schema = format!("file://{}", folder.join("schema.json").display());
            command.args(["lint", "--no-auto-config", "--schema", &schema, "configs/one.toml"]);
        } else {
            command.args(["lint", "--offline", "configs/one.toml"]);
        }
        let ended = command.current_dir(&folder).env("HOME", &folder).output().expect("it runs");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.success(), is_valid, "{tool} on {}:\n{}\n{said}", vector.id, vector.toml);
    }
    fs::remove_dir_all(folder).expect("removed");
}
