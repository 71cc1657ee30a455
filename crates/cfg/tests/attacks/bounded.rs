//! Reading is bounded: whatever replaces a file, and whatever a file asks for, each command ends soon and needs little memory.

mod configs;
mod dialects;
mod files;
mod git;
mod schemas;
mod settings;

use std::fs;

use crate::victim::{Odd, Victim};

/// Replaces a file of a repository with a registry by something unusual, and runs all commands.
#[track_caller]
fn in_place_of(name: &str, odd: Odd) -> Victim {
    let victim = Victim::registered();
    let path = victim.path(name);
    if path.is_dir() {
        fs::remove_dir_all(&path).expect("it is removed");
    } else if path.exists() {
        fs::remove_file(&path).expect("it is removed");
    }
    victim.put(odd, name);
    victim.look_at_all();
    victim
}

/// The letters `a` and `b` without a pattern, always the same.
fn letters() -> impl Iterator<Item = char> {
    let mut number = 88_172_645_463_325_252_u64;
    std::iter::repeat_with(move || {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        if number & 1 == 0 { 'a' } else { 'b' }
    })
}

/// What is looked for in the folders around a file would be looked for in each of these.
#[test]
fn nothing_is_looked_for_around_a_file_that_is_too_deep() {
    let victim = Victim::new(&[("rl.toml", "max_steps = 5\n[trainer]\n[orchestrator]\n")]);
    let folders = "a/".repeat(300);
    victim.write(&format!("{folders}rl.toml"), &victim.read("rl.toml"));
    victim.write(&format!("{folders}cfg.toml"), "not = [settings\n");
    for words in [format!("check {folders}rl.toml"), format!("compile {folders}rl.toml")] {
        let ended = victim.look(&words);
        assert_eq!(ended.status, Some(0), "{ended:?}");
    }
    let ended = victim.look("check .");
    assert!(ended.status == Some(2) && ended.stdout.contains("too deep"), "{ended:?}");
    for folders in ["b/".repeat(2000), "b/".repeat(20_000), "b/../".repeat(20_000)] {
        let mut command = victim.command_with(["check", "--stdin-filename", &format!("{folders}rl.toml"), "-"]);
        let ended = victim.finish(&mut command, victim.read("rl.toml").as_bytes());
        assert_eq!(ended.status, Some(0), "{ended:?}");
    }
}
