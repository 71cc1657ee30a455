//! Any bytes as `registry.json`: no panic; every place within the text; what was read can be verified, drawn and resolved; and a changed text
//! reads back as what it was changed to.

#![no_main]

use std::collections::{HashMap, HashSet};

use cfg_diag::{FileId, Severity, Span};
use cfg_fuzz::within;
use cfg_plan::Metadata;
use cfg_registry::{
    Registry, Version,
    fingerprint::Digest,
    json::{self, Patch},
    lineage::{self, Lineage},
    registry::{REGISTRY_FILE, Text, VersionPlace},
    runs,
    verify::{self, Drift, File, Held, Object},
};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value as Json, json};

/// The content of every config of the registry.
const CONFIG: &str = "# /// config\n# version = \"v2\"\n# based_on = \"a.toml:v1\"\n# ///\nmax_steps = 1\n";

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (registry, diagnostics) = Registry::read(&text);
    let of = |file| match file {
        REGISTRY_FILE => Some(&*text),
        FileId(0) => Some(CONFIG),
        _ => None,
    };
    within(&diagnostics, &of);
    places(&registry, &|span| assert!(text.get(span.range()).is_some(), "{span:?}"));

    let lineage = Lineage::new(&registry, &HashMap::new());
    let drift = Drift { changed: (0..registry.configs.len()).collect(), missing: HashSet::from([0, 2]) };
    for drift in [&Drift::default(), &drift] {
        within(&verify::graph(&registry, &lineage, drift), &of);
    }
    let kept: [&dyn Fn(VersionPlace) -> bool; 2] = [&|_| true, &|place| place.entry % 2 == 0];
    for keep in kept {
        lineage::text(&registry, &lineage, keep, &|_| Some("changed"));
        for drawn in [lineage::mermaid, lineage::dot, lineage::svg] {
            drawn(&registry, &lineage, keep);
        }
    }
    lineage::json(&registry, &lineage, &|_| true);

    let (document, _) = cfg_syntax::parse(FileId(0), CONFIG, cfg_syntax::Dialect::Toml11);
    let (metadata, _) = Metadata::read(cfg_schema::History::built_in(), FileId(0), CONFIG, &document);
    let sha256 = Digest::of(CONFIG.as_bytes());
    let held = Held {
        text: CONFIG,
        sha256,
        metadata: &metadata,
        model: Some("m"),
        fingerprint: &|| None,
        stored: &|_| Some(CONFIG.to_owned()),
        fingerprint_of: &|_| None,
    };
    for (object, file) in [
        (Object::Whole, File::Missing),
        (Object::Missing, File::Unreadable("it is locked")),
        (Object::Damaged, File::Held(&held)),
        (Object::NotAsked, File::Held(&held)),
    ] {
        for index in 0..registry.configs.len() {
            within(&verify::config(&registry, index, file, &|_| object).diagnostics, &of);
        }
        within(&verify::runs(&registry, &|_| object, &|_, _| None), &of);
    }

    for place in registry.places() {
        let found = registry.resolve(&registry.name(place), None);
        let (path, label) = (&*registry.configs[place.config].path.value, &*registry.entry(place).label.value);
        let is_plain = path == path.trim() && !path.contains(['\\', ':']) && !path.starts_with("./") && !path.is_empty();
        if diagnostics.is_empty() && is_plain && Version::parse(label).is_some_and(|_| !label.contains([':', '/', '\\'])) {
            assert_eq!(found, Ok(place), "{path}:{label}");
        }
        if let Some(based_on) = &registry.entry(place).based_on {
            let found = registry.resolve(&based_on.value, Some(path));
            found.map_or_else(|unresolved| unresolved.message(&registry), |place| registry.name(place));
        }
    }

    registry.configs.iter().for_each(|config| drop(config.highest().map(ToString::to_string)));

    let all = runs::runs(&registry);
    runs::markdown(&all.iter().collect::<Vec<_>>());
    let id = runs::next_id(&all, "2026-01-05");
    assert!(all.iter().all(|run| run.id != id));

    let Ok(root) = json::parse(&text) else {
        assert!(diagnostics.iter().any(|found| found.severity == Severity::Error));
        return;
    };
    let Some(members) = root.members() else { return };
    assert_eq!(registry.patched(&Patch::none()), text);
    let changed = |patch: &Patch| {
        let new = registry.patched(patch);
        let read = json::parse(&new).unwrap_or_else(|fault| panic!("{fault:?} in {new:?} of {text:?}"));
        let expected = made(&json::to_json(&root), patch);
        assert_eq!(Some(json::to_json(&read)), expected, "{new:?} of {text:?}");
        new
    };
    for member in members {
        let mut patch = Patch::none();
        *patch.member(&member.key) = Patch::Remove;
        changed(&patch);
        let mut patch = Patch::none();
        patch.member(&member.key).set("x", json!([1, {"a": null}]));
        changed(&patch);
    }
    let mut patch = Patch::none();
    for config in &registry.configs {
        let config = patch.member("configs").member(&config.path.value);
        config.set("current_version", "v99");
        config.member("versions").set("v99", json!({"created": "2026-01-05", "notes": "say \"why\"\n", "based_on": null}));
    }
    patch.member("active_configs").set("now", "a.toml:v1");
    let new = changed(&patch);
    if !diagnostics.iter().any(|found| found.severity == Severity::Error) {
        let (again, found) = Registry::read(&new);
        assert!(!found.iter().any(|found| found.severity == Severity::Error), "{found:?} in {new:?}");
        assert_eq!(again.configs.len(), registry.configs.len());
        assert!(again.configs.iter().all(|config| config.entry("v99").is_some()), "{new:?}");
        let new = runs::with_members(&registry, &id, &[("status", json!("running")), ("config", json!("a.toml:v1"))]);
        let (again, found) = Registry::read(&new);
        assert!(!found.iter().any(|found| found.severity == Severity::Error), "{found:?} in {new:?}");
        assert!(runs::runs(&again).iter().any(|run| run.id == id), "{new:?}");
    }
});

/// The value after a patch, computed without a text.
fn made(old: &Json, patch: &Patch) -> Option<Json> {
    let changes = match patch {
        Patch::Set(new) => return Some(new.clone()),
        Patch::Remove => return None,
        Patch::Members(changes) => changes,
    };
    let mut members = old.as_object().cloned().unwrap_or_default();
    for (key, patch) in changes {
        let before = members.get(key).cloned();
        if before.is_none() && matches!(patch, Patch::Remove) {
            continue;
        }
        match made(&before.unwrap_or(Json::Null), patch) {
            Some(new) => drop(members.insert(key.clone(), new)),
            None => drop(members.shift_remove(key)),
        }
    }
    Some(Json::Object(members))
}

fn places(registry: &Registry, check: &dyn Fn(Span)) {
    let optional = |texts: &[&Option<Text>]| texts.iter().filter_map(|text| text.as_ref()).for_each(|text| check(text.span));
    for config in &registry.configs {
        check(config.path.span);
        optional(&[&config.model, &config.hardware, &config.current]);
        for entry in &config.versions {
            check(entry.label.span);
            optional(&[&entry.created, &entry.notes, &entry.sha256, &entry.based_on, &entry.prime_rl, &entry.env_version]);
            entry.also.iter().for_each(|also| check(also.span));
        }
    }
    for active in &registry.active {
        check(active.name.span);
        check(active.reference.span);
    }
    for run in &registry.runs {
        check(run.id.span);
        optional(&[&run.config, &run.sha256]);
    }
}
