//! `cfg migrate`: what it says, what it writes, and what it leaves alone.

use std::fs;

use serde_json::Value;

use super::Folder;

const OLD: &str = "\
# /// config
# prime_rl = \"0.2\"
# ///
max_steps = 20  # a short run
[ckpt]
keep = 2  # the last two
[trainer]
[orchestrator]
rollouts_per_example = 8
[[orchestrator.env]]
id = \"reverse-text\"
";

const NEW: &str = "\
# /// config
# prime_rl = \"0.7.0\"
# ///
max_steps = 20  # a short run
[ckpt]
keep_last = 2  # the last two
[trainer]
[orchestrator]
group_size = 8
[[orchestrator.train.env]]
id = \"reverse-text\"
";

fn text(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).expect("a text")
}

#[test]
fn nothing_is_written_without_being_asked_for() {
    let folder = Folder::new(&[("a.toml", OLD)]);
    let ended = folder.run("migrate a.toml --to 0.7.0");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert_eq!(text(&folder, "a.toml"), OLD);
    for said in [
        "a.toml: an rl config, from prime-rl 0.2 to 0.7.0",
        "    6 ckpt.keep -> ckpt.keep_last (0.3.0 by #1521)",
        "Means something else now",
        "~ trainer.model.ac: \"None\" -> {",
        "to keep it as it was: trainer.model.ac = \"None\"",
        "~ clean: true -> gone",
        "Nothing is written yet",
    ] {
        assert!(ended.stdout.contains(said), "{said}\nis not in\n{}", ended.stdout);
    }
}

#[test]
fn the_file_is_written_once_and_then_stays() {
    let folder = Folder::new(&[("a.toml", OLD)]);
    let ended = folder.run("migrate a.toml --to 0.7.0 --write");
    assert_eq!((ended.status, &*text(&folder, "a.toml")), (Some(0), NEW), "{ended:?}");
    assert!(ended.stdout.contains("Changed 3 keys from prime-rl 0.2 to 0.7.0"), "{ended:?}");
    let again = folder.run("migrate a.toml --to 0.7.0 --write");
    assert_eq!((again.status, &*text(&folder, "a.toml")), (Some(0), NEW), "{again:?}");
    assert_eq!(folder.run("check a.toml").status, Some(0));
}

#[test]
fn a_diff_can_be_applied_and_ends_with_one() {
    let folder = Folder::new(&[("a.toml", OLD)]);
    let ended = folder.run("migrate a.toml --to 0.7.0 --diff");
    assert_eq!((ended.status, &*text(&folder, "a.toml")), (Some(1), OLD), "{ended:?}");
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines[..2], ["--- a/a.toml", "+++ b/a.toml"]);
    assert!(lines.contains(&"-keep = 2  # the last two") && lines.contains(&"+keep_last = 2  # the last two"), "{ended:?}");
    assert_eq!(ended.stderr, "Would change 3 keys from prime-rl 0.2 to 0.7.0\n");
}

#[test]
fn standard_input_goes_to_standard_output() {
    let folder = Folder::new(&[]);
    let ended = folder.run_with_input("migrate - --to 0.7.0 --write", OLD.as_bytes());
    assert_eq!((ended.status, &*ended.stdout), (Some(0), NEW), "{ended:?}");
    let marked = format!("\u{feff}{}", OLD.replace('\n', "\r\n"));
    let ended = folder.run_with_input("migrate - --to 0.7.0 --write", marked.as_bytes());
    assert_eq!(ended.stdout, format!("\u{feff}{}", NEW.replace('\n', "\r\n")), "{ended:?}");
}

#[test]
fn what_is_to_be_decided_is_told_and_ends_with_one() {
    let folder = Folder::new(&[("rl.toml", "clean = true\n[trainer]\n[orchestrator]\n")]);
    let ended = folder.run("migrate rl.toml --from 0.4.0 --to 0.5.0");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("To decide: 1 key\n    1 clean\n"), "{ended:?}");
    assert!(ended.stdout.contains("(0.5.0 by #1872)"), "{ended:?}");
    let ended = folder.run("migrate rl.toml --from 0.4.0 --to 0.5.0 --unsafe-fixes --write");
    assert_eq!((ended.status, &*text(&folder, "rl.toml")), (Some(0), "[trainer]\n[orchestrator]\n"), "{ended:?}");
}

#[test]
fn programs_get_the_same_as_json() {
    let folder = Folder::new(&[("a.toml", OLD)]);
    let ended = folder.run("migrate a.toml --to 0.7.0 --format json");
    let document: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!((&document["from"], &document["to"], &document["kind"]), (&"0.2".into(), &"0.7.0".into(), &"rl".into()));
    assert_eq!((&document["text"], &document["complete"]), (&NEW.into(), &true.into()));
    assert_eq!(document["done"][0]["range"]["start"]["line"], 6);
    assert_eq!(document["checked"]["verdict"], "ok");
    let changed = document["meaning"]["changed"].as_array().expect("an array");
    assert!(changed.iter().any(|changed| changed["key"] == "trainer.model.ac" && changed["commit"]["pull_request"] == 2868));
}

#[test]
fn what_can_not_be_migrated_says_why() {
    let folder = Folder::new(&[("a.toml", OLD), ("b.toml", "a = [\n"), ("c.toml", "name = \"x\"\n")]);
    for (words, said) in [
        ("migrate a.toml --to 0.7.x", "0.7.x"),
        ("migrate a.toml --from 0.8.0 --to 0.7.0", "is written for prime-rl 0.8.0, which is newer"),
        ("migrate none.toml --to 0.7.0", "none.toml can't be read"),
        ("migrate a.toml --target 0.7.0 --to 0.7.0", "say `--to`"),
        ("migrate b.toml --kind rl --to 0.7.0", "Found"),
        ("migrate c.toml --to 0.7.0", "no prime-rl config"),
    ] {
        let ended = folder.run(words);
        assert_eq!(ended.status, Some(2), "{words}: {ended:?}");
        assert!(ended.stderr.contains(said), "{words}: {ended:?}");
    }
}
