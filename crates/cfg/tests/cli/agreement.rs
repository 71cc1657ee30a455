//! Different commands agree about the same config: `check`, `memory`, `preflight`, `launch` and `diagnose` for all of `configs/`.

use std::{fs, path::Path};

use serde_json::Value;

use super::{Ended, Folder, finish, mcp::document, sized::sized};

/// The configs of this repository, with the files around them. An ordinary run compares the commands on every second one.
fn configs() -> (Folder, Vec<String>) {
    let folder = Folder::new(&[]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut open = vec![root.join("configs")];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(at).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                let name = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
                folder.write(&name, &fs::read(&path).expect("a file"));
                found.push(name);
            }
        }
    }
    found.sort();
    assert!(found.len() > 12, "{found:?}");
    (folder, found.into_iter().step_by(sized(2, 1)).collect())
}

fn json(folder: &Folder, words: &str) -> Value {
    let ended = folder.run(&format!("{words} --format json"));
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{words}: {error}: {ended:?}"))
}

/// The output of `preflight` on a machine with two such cards.
fn preflight(folder: &Folder, name: &str, total_mib: u32, file: &str) -> Ended {
    let script = format!(
        "#!/bin/sh\ncase \"$1\" in *compute-apps*) ;; *) for i in 0 1; do echo \"$i, GPU-$i, {name}, {total_mib}, 1\"; done;; esac\n"
    );
    folder.write("bin/nvidia-smi", script.as_bytes());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let permissions = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path().join("bin/nvidia-smi"), permissions).expect("it can be made a program");
    }
    finish(folder.command(&format!("run preflight --format json {file}")).env("PATH", folder.path().join("bin")), b"")
}

fn gib(bytes: &Value) -> String {
    #[expect(clippy::cast_precision_loss, reason = "no disk has 2^53 bytes")]
    let gib = bytes.as_u64().expect("bytes") as f64 / f64::from(1 << 30);
    format!("{gib:.1} GiB")
}

/// The output of the check with this name, as a single text.
fn said(document: &Value, name: &str) -> String {
    let checks = document["checks"].as_array().expect("checks");
    checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{name}")).to_string()
}

#[test]
#[cfg(unix)]
fn memory_and_preflight_agree_on_disk_and_gpus() {
    let (folder, files) = configs();
    let mut compared = 0;
    for file in &files {
        let ended = folder.run(&format!("memory {file} --gpu 2xH100 --format json"));
        let Ok(memory) = serde_json::from_str::<Value>(&ended.stdout) else { continue };
        if memory["gpus"].is_null() {
            continue;
        }
        let ended = preflight(&folder, "NVIDIA H100 80GB HBM3", 81559, file);
        let checked: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{file}: {error}: {ended:?}"));
        if memory["disk"].is_object() {
            let (disk, said) = (&memory["disk"], said(&checked, "disk"));
            assert!(said.contains(&gib(&disk["peak_bytes"])), "{file}: {disk:#} {said}");
            compared += 1;
        }
        let verdicts: Vec<&str> =
            memory["gpus"].as_array().expect("GPUs").iter().filter_map(|gpu| gpu["verdict"].as_str()).collect();
        let fails = verdicts.iter().any(|verdict| matches!(*verdict, "out-of-memory" | "start-up-failure"));
        let said = said(&checked, "gpu-memory");
        assert_eq!(said.contains("PRL"), fails, "{file}: {verdicts:?} {said}");
        for gpu in memory["gpus"].as_array().expect("GPUs") {
            for reason in gpu["reasons"].as_array().into_iter().flatten().filter_map(|reason| reason["message"].as_str()) {
                assert!(!fails || said.contains(reason) || gpu["verdict"] == "tight", "{file}: {reason} {said}");
            }
        }
    }
    assert!(compared >= sized(5, 10), "{compared}");
}

#[test]
fn check_and_memory_agree_on_what_does_not_fit() {
    let (folder, files) = configs();
    for file in &files {
        for gpu in ["2x H100", "2x RTX 4090"] {
            folder.write("cfg.toml", format!("gpu = \"{gpu}\"\n").as_bytes());
            let text = fs::read_to_string(folder.path().join(file)).expect("a file");
            // The config's own metadata takes precedence.
            let mut plain = String::new();
            for line in text.lines().filter(|line| !line.starts_with("# hardware")) {
                plain.push_str(line);
                plain.push('\n');
            }
            folder.write("plain.toml", plain.as_bytes());
            let ended = folder.run("memory plain.toml --format json");
            let Ok(memory) = serde_json::from_str::<Value>(&ended.stdout) else { continue };
            let Some(gpus) = memory["gpus"].as_array() else { continue };
            let fails = gpus.iter().any(|gpu| matches!(gpu["verdict"].as_str(), Some("out-of-memory" | "start-up-failure")));
            let report = json(&folder, "check plain.toml");
            let findings = report["files"][0]["diagnostics"].as_array().expect("findings");
            let of_memory = ["PRL401", "PRL402", "PRL403", "PRL404", "PRL405", "PRL406"];
            let errors: Vec<&Value> = findings
                .iter()
                .filter(|finding| {
                    finding["severity"] == "error" && finding["code"].as_str().is_some_and(|code| of_memory.contains(&code))
                })
                .collect();
            assert_eq!(!errors.is_empty(), fails, "{file} on {gpu}: {errors:?} {memory:#}");
        }
    }
}

#[test]
fn checkpoints_are_advised_turned_on_and_counted_alike() {
    let (folder, files) = configs();
    let mut advised = 0;
    for file in &files {
        let text = fs::read_to_string(folder.path().join(file)).expect("a file");
        // The config without its tables of checkpoints.
        let mut kept = String::new();
        let mut is_ckpt = false;
        for line in text.lines() {
            is_ckpt = if line.starts_with('[') { line.starts_with("[ckpt") } else { is_ckpt };
            if !is_ckpt && !line.contains("ckpt") {
                kept.push_str(line);
                kept.push('\n');
            }
        }
        folder.write("plain.toml", kept.as_bytes());
        let report = json(&folder, "check plain.toml");
        let findings = report["files"][0]["diagnostics"].as_array().expect("findings");
        let advice = findings.iter().find(|finding| finding["code"] == "PRL801");
        let ended = folder.run("run launch plain.toml --format json");
        let Ok(launch) = serde_json::from_str::<Value>(&ended.stdout) else { continue };
        let Some(steps) = launch["steps"].as_array() else { continue };
        let words: Vec<&str> =
            steps.iter().flat_map(|step| step["words"].as_array().into_iter().flatten().filter_map(Value::as_str)).collect();
        let turned_on: Vec<&str> = words.iter().skip_while(|word| !word.starts_with("--ckpt")).copied().collect();
        assert_eq!(advice.is_some(), !turned_on.is_empty(), "{file}: {advice:?} {words:?}");
        let Some(advice) = advice else { continue };
        advised += 1;
        let interval =
            turned_on.iter().position(|word| *word == "--ckpt.interval").map(|at| turned_on[at + 1]).expect("an interval");
        let keep = turned_on.last().expect("how many are kept");
        let edits = advice["fixes"][0]["edits"].to_string();
        assert!(edits.contains(&format!("interval = {interval}")) && edits.contains(&format!(" = {keep}")), "{file}: {edits}");
        assert!(advice["help"].as_str().is_some_and(|help| help.contains(&format!("--ckpt.interval {interval}"))), "{advice:#}");
        // `memory` counts the disk space for the checkpoints that `launch` adds.
        let memory = folder.run("memory plain.toml").stdout;
        assert!(memory.contains(&turned_on.join(" ")) || memory.is_empty(), "{file}: {memory}");
    }
    assert!(advised >= sized(1, 3), "{advised}");
}

#[test]
fn diagnose_relates_a_log_to_the_findings_of_check() {
    let (folder, files) = configs();
    folder.write(
        "rl.log",
        b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.52 GiB\n",
    );
    let mut blamed = 0;
    for file in &files {
        let text = fs::read_to_string(folder.path().join(file)).expect("a file");
        folder.write("small.toml", text.replace("2x H100", "2x RTX 4090").as_bytes());
        let diagnosis = json(&folder, "diagnose rl.log --against small.toml");
        let report = json(&folder, "check small.toml");
        let findings = report["files"][0]["diagnostics"].as_array().expect("findings");
        let places = diagnosis["findings"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|found| found["places"].as_array().into_iter().flatten());
        for place in places.filter(|place| place["code"].is_string()) {
            let says = |finding: &Value| {
                let related = finding["related"].as_array().into_iter().flatten();
                finding["message"] == place["message"] || related.clone().any(|other| other["message"] == place["message"])
            };
            let is_found = findings.iter().any(|finding| finding["code"] == place["code"] && says(finding));
            assert!(is_found, "{file}: {place:#}");
            blamed += 1;
        }
    }
    assert!(blamed >= sized(1, 2), "{blamed}");
}

#[test]
fn migrate_and_check_agree_on_the_new_prime_rl() {
    let (folder, files) = configs();
    let mut compared = 0;
    for file in &files {
        let ended = folder.run(&format!("migrate {file} --to 0.8.0 --format json"));
        let Ok(migration) = serde_json::from_str::<Value>(&ended.stdout) else { continue };
        let (Some(text), Some(told)) = (migration["text"].as_str(), migration["checked"]["diagnostics"].as_array()) else {
            continue;
        };
        folder.write(file, text.as_bytes());
        let report = json(&folder, &format!("check {file} --target 0.8.0"));
        let verdict = &report["files"][0]["verdict"];
        assert_eq!(verdict, &migration["checked"]["verdict"], "{file}");
        let native = |findings: &[Value]| -> Vec<(String, String)> {
            let of = |finding: &Value| (finding["code"].to_string(), finding["message"].to_string());
            let mut found: Vec<_> = findings.iter().filter(|finding| finding["native"].is_object()).map(of).collect();
            found.sort();
            found
        };
        assert_eq!(native(told), native(report["files"][0]["diagnostics"].as_array().expect("findings")), "{file}");
        if migration["complete"] == true {
            assert_ne!(verdict, "rejected", "{file}: nothing is left to do");
        }
        compared += 1;
    }
    assert!(compared >= sized(5, 10), "{compared}");
}

/// Servers and trainers whose figures depend on formats of weights, windows, recurrent layers, latents and experts, each with a machine.
fn figures() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/figures");
    let paths = fs::read_dir(root).expect("a folder").map(|entry| entry.expect("an entry").path());
    let named = paths.map(|path| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read_to_string(path).expect("a text"))
    });
    let mut all: Vec<_> = named.collect();
    all.sort();
    assert_eq!(all.len(), 20);
    all
}

/// The worst of some verdicts.
fn worst<'a>(verdicts: impl Iterator<Item = &'a str>) -> &'a str {
    let order = ["fits", "tight", "out-of-memory", "start-up-failure"];
    let of = |verdict: &&str| order.iter().position(|known| known == verdict).expect("a verdict");
    verdicts.max_by_key(of).expect("one")
}

#[test]
fn all_commands_have_one_answer_for_a_config() {
    let folder = Folder::new(&[]);
    let mut fails = 0;
    for (name, text) in figures() {
        folder.write(&name, text.as_bytes());
        let memory = json(&folder, &format!("memory {name}"));
        let verdict = worst(memory["gpus"].as_array().expect("GPUs").iter().filter_map(|gpu| gpu["verdict"].as_str()));
        let is_error = matches!(verdict, "out-of-memory" | "start-up-failure");
        let told = document(&folder, "memory", &serde_json::json!({ "paths": [name] }));
        assert_eq!(told, memory, "{name}: the assistant's answer");
        let report = json(&folder, &format!("check {name}"));
        let findings = report["files"][0]["diagnostics"].as_array().expect("findings");
        let of_memory = |finding: &&Value| {
            finding["severity"] == "error" && finding["code"].as_str().is_some_and(|code| ("PRL401".."PRL407").contains(&code))
        };
        assert_eq!(findings.iter().any(|finding| of_memory(&finding)), is_error, "{name}: {verdict} {findings:#?}");
        let machine =
            text.lines().find_map(|line| line.strip_prefix("# hardware = ")).expect("a machine").replace([' ', '"'], "");
        let estimate = json(&folder, &format!("estimate {name} --gpu {machine}"));
        let estimated = estimate["cards"][0]["verdict"].as_str().expect("a verdict");
        assert_eq!(estimated == "fits", verdict == "fits", "{name}: {estimated}, {verdict}");
        assert_eq!(matches!(estimated, "out-of-memory" | "start-up-failure"), is_error, "{name}: {estimated}, {verdict}");
        fails += usize::from(is_error);
        // What `new` writes for the model and the machine fits by `memory`.
        let model = text.lines().find_map(|line| line.strip_prefix("name = \"")).expect("a model").trim_end_matches('"');
        if name.starts_with("rl-") {
            let drafted =
                folder.run(&format!("new --model {model} --gpu {machine} --env reverse-text --goal cheap --target 0.8.0"));
            if drafted.status == Some(0) {
                folder.write("new.toml", drafted.stdout.as_bytes());
                let memory = json(&folder, &format!("memory new.toml --gpu {machine} --target 0.8.0"));
                let gpus = memory["gpus"].as_array().unwrap_or_else(|| panic!("{name}: {memory:#} {drafted:?}"));
                let verdict = worst(gpus.iter().filter_map(|gpu| gpu["verdict"].as_str()));
                assert!(matches!(verdict, "fits" | "tight"), "{name}: {verdict}");
            }
        }
    }
    assert!((1..20).contains(&fails), "{fails}");
}
