//! What a fingerprint means, held by a registry of each scheme that is never written again: `crates/cfg/tests/registries`.
//!
//! If one of these tests fails, a config has another fingerprint than it had when it was registered. Then the method has changed: raise
//! `cfg_registry::fingerprint::SCHEME`, and add a registry of the new scheme, made by `cfg bump` from the same texts.

use std::{fs, path::Path};

use cfg_registry::fingerprint::SCHEME;
use serde_json::Value;

use super::{all, bump, codes, read, registered, replace, verify};
use crate::Folder;

/// A frozen registry, with its configs as they were registered.
fn frozen(scheme: u64) -> (Folder, Value) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("crates/cfg/tests/registries/scheme-{scheme}"));
    let folder = Folder::new(&[("cfg.toml", "target = \"0.8.0\"\n")]);
    let objects = all(&source.join("objects"));
    for (name, bytes) in &objects {
        folder.write(&format!(".cfg/objects/{}", name.display()), bytes);
    }
    let text = fs::read_to_string(source.join("registry.json")).expect("a registry");
    folder.write("registry.json", text.as_bytes());
    let registry: Value = serde_json::from_str(&text).expect("JSON");
    for (path, config) in registry["configs"].as_object().expect("configs") {
        let current = &config["versions"][config["current_version"].as_str().expect("a version")];
        folder.write(path, &objects[Path::new(current["sha256"].as_str().expect("a sha256"))]);
    }
    (folder, registry)
}

/// The fingerprints of a registry, each with the place at which it is written.
fn fingerprints(registry: &Value) -> Vec<(String, &Value)> {
    let configs = registry["configs"].as_object().expect("configs");
    let versions = configs.iter().flat_map(|(path, config)| {
        config["versions"].as_object().expect("versions").iter().map(move |(label, entry)| (path, label, entry))
    });
    let has_one = versions.filter(|(_, _, entry)| entry.get("fingerprint").is_some());
    has_one.map(|(path, label, entry)| (format!("{path}:{label}"), &entry["fingerprint"])).collect()
}

#[test]
fn every_scheme_has_a_frozen_registry_with_fingerprints_of_its_own() {
    for scheme in 1..=SCHEME {
        let (_folder, registry) = frozen(scheme);
        let fingerprints = fingerprints(&registry);
        assert!(fingerprints.len() >= 18, "{}", fingerprints.len());
        assert!(fingerprints.iter().all(|(_, fingerprint)| fingerprint["scheme"] == scheme), "scheme {scheme}");
    }
}

/// The current scheme: each stored fingerprint is computed again. One that is changed by a digit is found.
#[test]
fn every_stored_fingerprint_of_the_current_scheme_is_computed_again() {
    let (folder, registry) = frozen(SCHEME);
    let (status, found) = verify(&folder);
    assert_eq!(
        (status, found.iter().filter(|code| *code == "PRL724").count()),
        (Some(0), 0),
        "{}",
        folder.run("registry verify").stdout
    );
    let mut changed = registry.clone();
    let mut count = 0;
    for config in changed["configs"].as_object_mut().expect("configs").values_mut() {
        for entry in config["versions"].as_object_mut().expect("versions").values_mut() {
            if let Some(digest) = entry.pointer_mut("/fingerprint/training") {
                let text = digest.as_str().expect("a digest");
                let first = if text.starts_with('0') { '1' } else { '0' };
                *digest = format!("{first}{}", &text[1..]).into();
                count += 1;
            }
        }
    }
    folder.write("registry.json", changed.to_string().as_bytes());
    let (status, found) = verify(&folder);
    assert_eq!((status, found.iter().filter(|code| *code == "PRL724").count()), (Some(0), count));
}

/// Earlier schemes are read, and what a version means is computed from its text: a blank line is no change, another value is one.
#[test]
fn a_fingerprint_of_another_scheme_is_not_compared() {
    for scheme in 1..=SCHEME {
        let (folder, registry) = frozen(scheme);
        let quiet = |codes: Vec<String>| codes.into_iter().filter(|code| code != "PRL722").collect::<Vec<_>>();
        let (status, found) = verify(&folder);
        assert_eq!((status, quiet(found)), (Some(0), vec![]), "scheme {scheme}");
        let paths: Vec<&String> = registry["configs"].as_object().expect("configs").keys().collect();
        for path in &paths {
            folder.write(path, format!("{}\n# A comment.\n", read(&folder, path)).as_bytes());
        }
        let ended = folder.run("registry verify --format json");
        assert_eq!((ended.status, quiet(codes(&ended))), (Some(0), vec!["PRL710".to_owned(); paths.len()]), "scheme {scheme}");
        let ended = folder.run(&format!("diff {}", paths[0]));
        assert!(ended.stdout.contains("both mean the same"), "{ended:?}");
    }
    let (folder, _) = frozen(1);
    replace(&folder, "configs/prime-rl/qwen25-3b-2x4090.toml", "max_steps = ", "max_steps = 1");
    assert_eq!(verify(&folder).0, Some(1));
}

/// Layout does not count even in a config that prime-rl refuses: its values are compared.
#[test]
fn layout_of_a_refused_config_is_no_change() {
    let folder = registered();
    folder.write("b.toml", b"[trainer]\n[orchestrator]\nbatch_sise = 16\n[inference]\n");
    assert_eq!(bump(&folder, "b.toml -m refused --force").status, Some(0));
    let text = read(&folder, "b.toml");
    let (head, _) = text.split_once("[trainer]").expect("its values");
    folder.write("b.toml", format!("{head}[inference]\n\n[trainer]\n[orchestrator]\nbatch_sise    = 0x10 # why\n").as_bytes());
    let ended = folder.run("registry verify --format json");
    assert_eq!((ended.status, codes(&ended)), (Some(0), vec!["PRL710".to_owned()]), "{ended:?}");
    replace(&folder, "b.toml", "0x10", "17");
    assert_eq!(verify(&folder), (Some(1), vec!["PRL710".to_owned()]));
}

/// A fingerprint of a later scheme comes from a newer `cfg`, which is no reason to refuse the registry.
#[test]
fn a_fingerprint_of_a_later_scheme_stops_nothing() {
    let folder = registered();
    replace(&folder, "registry.json", &format!("\"scheme\": {SCHEME}"), "\"scheme\": 99");
    assert_eq!(verify(&folder), (Some(0), vec![]));
    replace(&folder, "a.toml", "max_steps = 100", "max_steps = 200");
    let ended = bump(&folder, "a.toml -m longer --format json");
    assert!(ended.status == Some(0) && ended.stdout.contains("\"suggested\":\"major\""), "{ended:?}");
    assert!(read(&folder, "registry.json").contains("\"scheme\": 99"), "what is registered is kept");
}
