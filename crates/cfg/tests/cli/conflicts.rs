//! Marks of a merge that is not finished: in configs, their metadata, the registry and settings.

use std::fs;

use super::{CLEAN, Folder};

const CONFLICT: &str = "<<<<<<< HEAD\nseq_len = 2048\nnothing = 1\n=======\nseq_len = 4096\nnothing = 2\n>>>>>>> branch\n";

#[test]
fn a_conflict_in_a_config_is_one_error_in_every_command() {
    let config = format!("max_steps = 5\n{CONFLICT}[trainer]\n[orchestrator]\nmax_stepps = 3\n");
    let metadata = "# /// config\n<<<<<<< HEAD\n# prime_rl = \"0.4.0\"\n=======\n# prime_rl = \"nonsense\"\n>>>>>>> x\n# ///\nmax_steps = 3\nmax_stepps = 3\n[trainer]\n[orchestrator]\n";
    let folder = Folder::new(&[("rl.toml", &config), ("meta.toml", metadata), ("ok.toml", CLEAN)]);
    for words in
        ["rl.toml", "--target 0.4.0 rl.toml", "--kind sft rl.toml", "-- uv run rl @ rl.toml", "-- uv run rl @ ok.toml @ rl.toml"]
    {
        assert_eq!(folder.found(words), ["rl.toml:2:1: error[PRL029]"], "{words}");
    }
    assert_eq!(folder.found("meta.toml"), ["meta.toml:2:1: error[PRL029]"]);
    assert_eq!(folder.found("--target 0.4.0 ."), ["meta.toml:2:1: error[PRL029]", "rl.toml:2:1: error[PRL029]"]);
    let reported = folder.reported("rl.toml", "rl.toml");
    assert_eq!((&reported["verdict"], &reported["diagnostics"][0]["fixes"]), (&"rejected".into(), &serde_json::json!([])));
    for words in [
        "check --fix --unsafe-fixes rl.toml",
        "check --add-ignore rl.toml",
        "compile rl.toml",
        "memory rl.toml --gpu H200",
        "plan rl.toml",
        "estimate rl.toml --gpu H200",
        "launch rl.toml",
        "preflight rl.toml",
        "curriculum rl.toml",
        "migrate --to 0.8.0 rl.toml",
        "sweep rl.toml max_steps=1,2",
        "diff rl.toml ok.toml",
    ] {
        let ended = folder.run(words);
        let told = ended.stdout.clone() + &ended.stderr;
        assert!(ended.status != Some(0) && told.matches("unresolved merge conflict").count() == 1, "{words}: {ended:?}");
        assert_eq!(told.matches("error[").count() + told.matches("warning[").count(), 1, "{words}: {ended:?}");
        assert_eq!(fs::read_to_string(folder.path().join("rl.toml")).expect("a file"), config, "{words}");
    }
}

#[test]
fn text_in_a_string_is_no_conflict() {
    let text = format!("{CLEAN}\n[trainer.experimental]\nnote = \"\"\"\n{CONFLICT}\"\"\"\n");
    let folder = Folder::new(&[("rl.toml", &text)]);
    assert!(!folder.found("--target 0.4.0 rl.toml").join("").contains("PRL029"));
    folder.write("rl.toml", format!("{text}\nx = = 1\n").as_bytes());
    let all = folder.found("--target 0.4.0 rl.toml").join("");
    assert!(!all.contains("PRL029") && all.contains("PRL001"), "{all}");
}

#[test]
fn a_conflict_in_the_registry_is_one_error_in_every_command() {
    let folder = Folder::repository(&[("rl.toml", CLEAN)]);
    assert_eq!(folder.run("registry adopt rl.toml --target 0.4.0").status, Some(0));
    let registry = fs::read_to_string(folder.path().join("registry.json")).expect("a registry");
    let broken = registry.replacen("\"configs\": {", "<<<<<<< HEAD\n\"configs\": {\n=======\n\"configs\": {\n>>>>>>> x\n", 1);
    let line = registry.lines().position(|line| line.contains("\"configs\": {")).expect("it is there") + 1;
    folder.write("registry.json", broken.replacen("  <<<<<<<", "<<<<<<<", 1).as_bytes());
    let before = fs::read(folder.path().join("registry.json")).expect("a registry");
    for words in ["rl.toml", ".", "registry.json", "registry.json rl.toml"] {
        let all = folder.found(&format!("--target 0.4.0 {words}"));
        assert_eq!(all, [format!("registry.json:{line}:1: error[PRL029]")], "{words}");
    }
    for words in [
        "bump -m why rl.toml",
        "log rl.toml",
        "registry list",
        "registry verify",
        "registry adopt rl.toml",
        "registry gc",
        "show rl.toml:v1",
        "restore rl.toml:v1",
        "run list",
    ] {
        let ended = folder.run(words);
        let told = ended.stdout.clone() + &ended.stderr;
        assert!(ended.status != Some(0) && told.matches("error[PRL029]").count() == 1, "{words}: {ended:?}");
        assert!(told.contains(&format!("registry.json:{line}:1")) && told.matches("error[").count() == 1, "{words}: {ended:?}");
        assert_eq!(fs::read(folder.path().join("registry.json")).expect("a registry"), before, "{words}");
    }
}

#[test]
fn a_config_with_a_conflict_is_not_registered() {
    let folder = Folder::new(&[("rl.toml", CLEAN)]);
    assert_eq!(folder.run("registry adopt rl.toml --target 0.4.0").status, Some(0));
    folder.write("rl.toml", format!("{CLEAN}{CONFLICT}").as_bytes());
    folder.write("new.toml", format!("{CONFLICT}{CLEAN}").as_bytes());
    let before = fs::read(folder.path().join("registry.json")).expect("a registry");
    for words in ["bump -m why rl.toml", "bump --force -m why rl.toml", "registry adopt new.toml", "registry adopt ."] {
        let ended = folder.run(&format!("{words} --target 0.4.0"));
        assert!(ended.status == Some(2) && ended.stderr.matches("error[PRL029]").count() == 1, "{words}: {ended:?}");
        assert_eq!(fs::read(folder.path().join("registry.json")).expect("a registry"), before, "{words}");
    }
}

#[test]
fn a_conflict_in_settings_is_one_error() {
    let conflict = "<<<<<<< HEAD\ntarget = \"0.4.0\"\n=======\ntarget = \"0.5.0\"\n>>>>>>> x\n";
    let settings = format!("[tool.cfg]\n{conflict}");
    for (name, text, line) in [("cfg.toml", conflict, 1), ("pyproject.toml", settings.as_str(), 2)] {
        let folder = Folder::new(&[("rl.toml", CLEAN), (name, text)]);
        assert_eq!(folder.found("rl.toml"), [format!("{name}:{line}:1: error[PRL029]")]);
        assert_eq!(folder.run("check rl.toml").status, Some(2));
        let ended = folder.run("compile rl.toml");
        assert!(ended.status == Some(2) && ended.stderr.contains("unresolved merge conflict"), "{ended:?}");
    }
}
