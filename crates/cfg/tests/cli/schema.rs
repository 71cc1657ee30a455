//! `cfg schema export`.

use serde_json::Value;

use super::Folder;

#[test]
fn a_schema_is_printed_or_all_are_written() {
    let folder = Folder::new(&[]);
    let printed = folder.run("schema export --target 0.8.0 --kind sft");
    assert_eq!((printed.status, &*printed.stderr), (Some(0), ""));
    let schema: Value = serde_json::from_str(&printed.stdout).expect("JSON");
    assert_eq!(schema["title"], "sft config of prime-rl 0.8.0");
    let written = folder.run("schema export --target 0.8.0 -o schemas/here");
    assert_eq!((written.status, &*written.stdout), (Some(0), ""));
    assert_eq!(written.stderr.lines().count(), 5);
    let file = std::fs::read_to_string(folder.path().join("schemas/here/sft.json")).expect("it was written");
    assert_eq!(file, printed.stdout);
}

/// A fork with keys of its own: one in a known table, one in each environment, and a table.
const FORK: &str = "target = \"0.4.0\"\n[extend]\ntrainer.swizzle = \"int\"\n\"orchestrator.env.shard\" = \"literal('a', 'b')\"\n\
    \"trainer.sandbox.slots\" = \"list[int]\"\n";

#[test]
fn keys_that_a_project_declares_are_known() {
    let config =
        "[trainer]\nswizzle = 3\nsandbox = { slots = [1, 2] }\n[orchestrator]\n[[orchestrator.env]]\nid = \"a\"\nshard = \"b\"\n";
    let with = Folder::new(&[("cfg.toml", FORK), ("rl.toml", config)]);
    let ended = with.run("check rl.toml --kind rl");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let without = Folder::new(&[("rl.toml", config)]).run("check rl.toml --kind rl --target 0.4.0 --format concise");
    assert_eq!(without.stdout.matches("error[PRL101]").count(), 3, "{without:?}");
    let split = Folder::new(&[("cfg.toml", FORK), ("train.toml", "swizzle = 3\n")]).run("check train.toml --kind trainer");
    assert_eq!(split.status, Some(0), "{split:?}");
    // What is given is resolved, what is not has no default that anyone knows.
    let resolved = with.run("compile rl.toml --kind rl");
    let resolved: Value = serde_json::from_str(&resolved.stdout).expect("JSON");
    assert_eq!(resolved["trainer"]["swizzle"], 3);
    assert_eq!(resolved["trainer"]["sandbox"]["slots"], serde_json::json!([1, 2]));
    let written = with.run("compile rl.toml --kind rl --format toml");
    assert!(written.stdout.contains("swizzle = 3") && written.stdout.contains("shard = \"b\""), "{written:?}");
    let bare = Folder::new(&[("cfg.toml", FORK), ("rl.toml", "[trainer]\n[orchestrator]\n")]).run("compile rl.toml --kind rl");
    assert!(!bare.stdout.contains("swizzle") && !bare.stdout.contains("sandbox"), "{bare:?}");
}

#[test]
fn what_is_declared_is_checked() {
    let config = "[trainer]\nswizzle = \"many\"\nsandbox = { slot = 1 }\n[orchestrator]\n[[orchestrator.env]]\nid = \"a\"\nshard = \"c\"\n";
    let ended = Folder::new(&[("cfg.toml", FORK), ("rl.toml", config)]).run("check rl.toml --kind rl");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    for said in ["trainer.swizzle", "did you mean `slots`", "orchestrator.env.0.shard", "one of \"a\" or \"b\""] {
        assert!(ended.stdout.contains(said), "{said}\n{}", ended.stdout);
    }
}
