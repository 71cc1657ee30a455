//! The facts about prime-rl's own checks: for each check a config that triggers it, and prime-rl's answer at ten versions. They are in
//! `../shared/facts/rules.json`; the sample of recorded vectors in the repository covers the same checks.

use std::{collections::HashMap, fs};

use cfg_check::Verdict;
use cfg_diag::{LocPart, Native};
use cfg_schema::Kind;
use cfg_tests::{Checking, shared};
use serde_json::Value;

const VERSIONS: [&str; 10] =
    ["6b01ba5ae", "v0.2", "d564195ca", "v0.3.0", "v0.4.0", "v0.5.0", "v0.6.0", "v0.7.0", "v0.8.0", "HEAD"];

/// The commit that is called HEAD in the facts.
const HEAD: &str = "2441fd514";

/// The configs of an entry. The first was run at all versions, unless its keys have other names there.
const TRIGGERS: [&str; 3] = ["violates", "first_version_example", "last_version_example"];

/// Checks that depend on the machine or on installed packages: the visible GPUs, the packages of environments and of renderers.
const LEFT_OPEN: [&str; 6] = [
    "rl.visible_gpu_count",
    "rl.visible_devices_numeric",
    "orch.hier_grpo_env",
    "renderer.custom_import_path_required",
    "renderer.custom_import_path_form",
    "renderer.custom_import_fails",
];

/// The number of entries that may differ, because they were run in a form that the facts do not contain.
const ADAPTED: usize = 16;

/// The answer of `cfg`: its verdict, and the errors that prime-rl would report.
struct Said {
    verdict: Verdict,
    natives: Vec<Native>,
}

impl Said {
    fn places(&self) -> Vec<String> {
        self.natives.iter().map(|native| format!("{}@{}", native.kind, dotted(&native.loc))).collect()
    }
}

fn dotted(loc: &[LocPart]) -> String {
    let step = |part: &LocPart| match part {
        LocPart::Key(key) => key.clone(),
        LocPart::Index(index) => index.to_string(),
    };
    loc.iter().map(step).collect::<Vec<_>>().join(".")
}

/// Whether the answer is that of prime-rl; `is_refusal` distinguishes entries that refuse from those that change values.
fn agrees(said: &Said, recorded: &str, is_refusal: bool) -> bool {
    if said.verdict == Verdict::Depends {
        return true;
    }
    match recorded.strip_prefix("rejected otherwise: ") {
        Some(others) => others.split("; ").all(|other| said.places().iter().any(|place| place == other.trim())),
        None if recorded == "fires" => said.natives.is_empty() != is_refusal,
        None => said.natives.is_empty(),
    }
}

/// Whether the facts for a version can be tested with a config.
fn is_recorded(recorded: &str) -> bool {
    !["absent", "not run", "not-a-rule"].iter().any(|left_out| recorded.starts_with(left_out)) && !recorded.contains("adapted")
}

#[test]
#[ignore = "reads ../shared/facts"]
fn every_rule_of_the_facts_holds_at_each_version() {
    let facts = shared("facts/rules.json");
    let facts: Value = serde_json::from_str(&fs::read_to_string(facts).expect("a text")).expect("JSON");
    let rules = facts["rules"].as_array().expect("entries");
    let (mut compared, mut wrong) = (0, Vec::new());
    for version in VERSIONS {
        let target = if version == "HEAD" { HEAD } else { version };
        let checkings: HashMap<Kind, Checking> =
            Kind::ALL.into_iter().map(|kind| (kind, Checking::for_target(target).of_kind(kind))).collect();
        for rule in rules {
            let id = rule["id"].as_str().expect("an id");
            let Some(recorded) = rule["matrix"][version].as_str().filter(|recorded| is_recorded(recorded)) else { continue };
            let said: Vec<Said> = TRIGGERS.iter().filter_map(|name| say(&checkings, &rule[name])).collect();
            if said.is_empty() || LEFT_OPEN.contains(&id) {
                continue;
            }
            compared += 1;
            if !said.iter().any(|said| agrees(said, recorded, rule["severity"] == "error")) {
                wrong.push(format!("{version} {id}: {recorded}, cfg says {:?}", said[0].places()));
            }
        }
    }
    assert!(compared >= 2_250, "only {compared} were compared");
    assert!(wrong.len() <= ADAPTED, "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// An entry's own example has the recorded errors in `cfg`, at the same places.
#[test]
#[ignore = "reads ../shared/facts"]
fn the_examples_have_the_recorded_errors() {
    let facts = shared("facts/rules.json");
    let facts: Value = serde_json::from_str(&fs::read_to_string(facts).expect("a text")).expect("JSON");
    let (mut compared, mut wrong) = (0, Vec::new());
    for rule in facts["rules"].as_array().expect("entries") {
        let id = rule["id"].as_str().expect("an id");
        for example in TRIGGERS[1..].iter().map(|name| &rule[name]) {
            let (Some(version), Some(errors)) = (example["version"].as_str(), example["error"].as_array()) else { continue };
            let target = if version == "HEAD" { HEAD } else { version };
            let Some(kind) = example["kind"].as_str().and_then(|kind| kind.parse::<Kind>().ok()) else { continue };
            let checkings = HashMap::from([(kind, Checking::for_target(target).of_kind(kind))]);
            let Some(said) = say(&checkings, example).filter(|_| !LEFT_OPEN.contains(&id)) else { continue };
            let text = |error: &Value, key: &str| error[key].as_str().unwrap_or_default().to_owned();
            let mut recorded: Vec<String> =
                errors.iter().map(|error| format!("{}@{}", text(error, "type"), text(error, "loc"))).collect();
            let mut places = said.places();
            recorded.sort();
            places.sort();
            compared += 1;
            if recorded != places {
                wrong.push(format!("{version} {id}: {recorded:?}, cfg says {places:?}"));
            }
        }
    }
    assert!(compared >= 180, "only {compared} were compared");
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn say(checkings: &HashMap<Kind, Checking>, trigger: &Value) -> Option<Said> {
    let kind = trigger["kind"].as_str()?.parse().ok()?;
    let checked = checkings.get(&kind)?.check(trigger["toml"].as_str()?);
    let natives = checked.diagnostics.iter().filter_map(|diagnostic| diagnostic.native.clone());
    Some(Said { verdict: checked.verdict, natives: natives.filter(|native| !native.masked).collect() })
}
