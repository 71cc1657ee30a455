//! Reading never writes, and a change that someone else has begun is completed neither by a command that reads nor by one that writes. Files of a
//! registry must not be links.

use std::{fs, path::Path};

use cfg_registry::fingerprint::Digest;
use serde_json::json;

use crate::victim::{CLEAN, Files, Victim, writing};

/// The text that a planted change would write.
const PLANTED: &str = "[trainer]\n[orchestrator]\n# planted\n";

/// A change in the form of a journal: for each file its path, its old text, and its new text.
fn change(files: &[(&str, Option<&str>, &str)]) -> String {
    let sha256 = |text: &str| Digest::of(text.as_bytes()).to_string();
    let file = |(path, old, new): &(&str, Option<&str>, &str)| json!({ "path": path, "old": old.map(sha256), "new": sha256(new), "text": new });
    json!({ "what": "bump rl.toml to v2", "files": files.iter().map(file).collect::<Vec<_>>() }).to_string()
}

/// The journal of a change, with a seal.
fn journal(change: &str, mark: Option<&str>) -> String {
    json!({ "format": 2, "seal": mark, "change": change }).to_string()
}

/// The seal that the user's own `cfg` would give to a change of the clone's registry.
fn mark(victim: &Victim, change: &str) -> String {
    let secret = fs::read(victim.at("state/cfg/secret")).expect("a secret");
    mark_for(&secret, &victim.path("registry.json"), change)
}

/// HMAC-SHA-256 of the path of a registry and a change.
fn mark_for(secret: &[u8], registry: &Path, change: &str) -> String {
    let message = [registry.as_os_str().as_encoded_bytes(), b"\0", change.as_bytes()].concat();
    let padded = |pad: u8| (0..64).map(|at| secret.get(at).copied().unwrap_or_default() ^ pad).collect::<Vec<u8>>();
    let sha256 = |bytes: &[u8]| -> Vec<u8> {
        let digits = Digest::of(bytes).to_string();
        (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("digits")).collect()
    };
    let inner = sha256(&[padded(0x36), message].concat());
    Digest::of(&[padded(0x5c), inner].concat()).to_string()
}

/// A repository with a registered config: the repository, the registry, and the text of the config.
fn victim() -> (Victim, String, String) {
    let victim = Victim::registered();
    let (registry, config) = (victim.read("registry.json"), victim.read("rl.toml"));
    (victim, registry, config)
}

/// Commands that read ignore the journal, and commands that write refuse it with one clear reason.
#[track_caller]
fn refused(victim: &Victim) {
    victim.look_at_all();
    for words in writing().iter().chain(&["registry gc --dry-run", "registry adopt --dry-run"]) {
        let ended = victim.look(words);
        assert_eq!(ended.status, Some(2), "{words}: {ended:?}");
        assert_eq!(
            ended.stderr.matches("journal of a change that was not started by this user").count(),
            1,
            "{words}: {ended:?}"
        );
    }
}

/// Tests a journal with the user's seal, which changes a file that it must not change.
#[track_caller]
fn marked(prepare: impl FnOnce(&Victim), path: impl FnOnce(&Victim) -> String) {
    let victim = Victim::registered();
    prepare(&victim);
    let path = path(&victim);
    let old = fs::read_to_string(victim.path(&path)).ok();
    let change = change(&[(&path, old.as_deref(), PLANTED)]);
    victim.write(".cfg/journal", &journal(&change, Some(&mark(&victim, &change))));
    refused(&victim);
}

#[test]
fn a_journal_without_a_mark_is_not_followed() {
    let (victim, _, config) = victim();
    victim.write(".cfg/journal", &journal(&change(&[("rl.toml", Some(&config), PLANTED)]), None));
    refused(&victim);
}

#[test]
fn a_journal_with_the_mark_of_another_user_is_not_followed() {
    let (victim, _, config) = victim();
    let change = change(&[("rl.toml", Some(&config), PLANTED)]);
    let mark = mark_for(&[7; 32], &victim.path("registry.json"), &change);
    victim.write(".cfg/journal", &journal(&change, Some(&mark)));
    refused(&victim);
}

#[test]
fn a_journal_with_an_invented_mark_is_not_followed() {
    let (victim, _, config) = victim();
    for mark in [String::new(), "0".repeat(64), Digest::of(config.as_bytes()).to_string()] {
        victim.write(".cfg/journal", &journal(&change(&[("rl.toml", Some(&config), PLANTED)]), Some(&mark)));
        refused(&victim);
    }
}

#[test]
fn a_journal_of_this_machine_from_another_repository_is_not_followed() {
    let (victim, _, config) = victim();
    let change = change(&[("rl.toml", Some(&config), PLANTED)]);
    let secret = fs::read(victim.at("state/cfg/secret")).expect("a secret");
    let mark = mark_for(&secret, &victim.at("outside/registry.json"), &change);
    victim.write(".cfg/journal", &journal(&change, Some(&mark)));
    refused(&victim);
}

#[test]
fn a_journal_that_was_changed_after_it_was_marked_is_not_followed() {
    let (victim, _, config) = victim();
    let own = change(&[("rl.toml", Some(&config), &format!("{config}\n"))]);
    let other = change(&[("rl.toml", Some(&config), PLANTED)]);
    victim.write(".cfg/journal", &journal(&other, Some(&mark(&victim, &own))));
    refused(&victim);
}

#[test]
fn a_journal_that_git_tracks_is_never_followed() {
    let (victim, _, config) = victim();
    let change = change(&[("rl.toml", Some(&config), PLANTED)]);
    victim.write(".cfg/journal", &journal(&change, Some(&mark(&victim, &change))));
    victim.git("add -f .cfg/journal");
    refused(&victim);
    victim.git("commit -qm journal");
    refused(&victim);
}

#[test]
fn a_journal_that_git_ignores_is_never_followed() {
    let (victim, _, config) = victim();
    let change = change(&[("rl.toml", Some(&config), PLANTED)]);
    victim.write(".cfg/journal", &journal(&change, Some(&mark(&victim, &change))));
    victim.git("add -f .cfg/journal");
    victim.git("update-index --assume-unchanged .cfg/journal");
    refused(&victim);
    victim.git("update-index --skip-worktree .cfg/journal");
    refused(&victim);
}

#[test]
fn a_journal_of_an_older_cfg_is_not_followed() {
    let (victim, _, config) = victim();
    let old: serde_json::Value = serde_json::from_str(&change(&[("rl.toml", Some(&config), PLANTED)])).expect("JSON");
    for format in [0, 1, 3] {
        let text = json!({ "format": format, "what": old["what"], "files": old["files"], "change": old.to_string() }).to_string();
        victim.write(".cfg/journal", &text);
        refused(&victim);
    }
}

#[test]
fn half_a_journal_is_not_followed() {
    let (victim, _, config) = victim();
    let change = change(&[("rl.toml", Some(&config), PLANTED)]);
    let whole = journal(&change, Some(&mark(&victim, &change)));
    for text in [&whole[..whole.len() / 2], "", "{}", "null", "[]", "{\"format\": 2}"] {
        victim.write(".cfg/journal", text);
        refused(&victim);
    }
}

#[test]
fn a_journal_with_an_absolute_path_is_not_followed() {
    marked(|_| {}, |victim| victim.at("outside/secret.toml").display().to_string());
}

#[test]
fn a_journal_with_a_path_above_the_repository_is_not_followed() {
    marked(|_| {}, |_| "../outside/secret.toml".to_owned());
}

#[test]
fn a_journal_with_a_parent_path_is_not_followed() {
    marked(|victim| victim.write("inner/a.toml", CLEAN), |_| "inner/../../outside/new.toml".to_owned());
}

#[test]
fn a_journal_through_a_linked_folder_is_not_followed() {
    marked(|victim| victim.leak("linked", "outside/folder"), |_| "linked/secret.toml".to_owned());
}

#[test]
fn a_journal_that_creates_a_file_in_a_linked_folder_is_not_followed() {
    marked(|victim| victim.leak("linked", "outside/folder"), |_| "linked/new.toml".to_owned());
}

#[test]
fn a_journal_through_a_link_to_a_file_is_not_followed() {
    marked(|victim| victim.leak("leak.toml", "outside/secret.toml"), |_| "leak.toml".to_owned());
}

#[test]
fn a_journal_through_a_dangling_link_is_not_followed() {
    marked(|victim| victim.leak("leak.toml", "outside/new.toml"), |_| "leak.toml".to_owned());
}

#[test]
fn a_journal_that_writes_a_hook_is_not_followed() {
    marked(|_| {}, |_| ".git/hooks/pre-commit".to_owned());
}

#[test]
fn a_journal_that_writes_a_program_is_not_followed() {
    marked(|_| {}, |_| "setup.py".to_owned());
}

#[test]
fn a_journal_is_not_the_users_own_where_the_secret_came_with_the_repository() {
    let (victim, _, config) = victim();
    let change = change(&[("rl.toml", Some(&config), PLANTED)]);
    let secret = [7; 32];
    victim.write_bytes("state/cfg/secret", &secret);
    fs::set_permissions(victim.path("state/cfg/secret"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("a mode");
    let mark = mark_for(&secret, &victim.path("registry.json"), &change);
    victim.write(".cfg/journal", &journal(&change, Some(&mark)));
    let before = victim.files();
    for words in ["registry verify", "log", "check .", "bump rl.toml -m more --force", "registry gc"] {
        for state in [victim.path("state"), "state".into()] {
            victim.finish(victim.command(words).env("XDG_STATE_HOME", state), b"");
            assert!(victim.files() == before, "{words}");
        }
    }
}

#[test]
fn the_users_own_journal_is_shown_by_readers_and_finished_by_writers() {
    let (victim, registry, config) = victim();
    let change = change(&[("registry.json", Some(&registry), &format!("{registry}\n")), ("rl.toml", Some(&config), PLANTED)]);
    victim.write(".cfg/journal", &journal(&change, Some(&mark(&victim, &change))));
    victim.look_at_all();
    let shown = victim.look("registry verify").stderr;
    assert!(shown.contains("rl.toml") && shown.contains("v2"), "{shown}");
    victim.run("registry gc");
    assert_eq!((victim.read("rl.toml"), victim.path(".cfg/journal").exists()), (PLANTED.to_owned(), false));
}

#[test]
fn the_users_own_journal_that_created_a_file_is_finished() {
    let (victim, registry, _) = victim();
    let changed = format!("{registry}\n");
    let change =
        change(&[("registry.json", Some(&registry), &changed), ("new.toml", None, PLANTED), ("inner/b.toml", None, PLANTED)]);
    victim.write("new.toml", PLANTED);
    fs::create_dir(victim.path("inner")).expect("a folder");
    victim.write(".cfg/journal", &journal(&change, Some(&mark(&victim, &change))));
    victim.look_at_all();
    assert_eq!(victim.run("registry gc").status, Some(0));
    assert_eq!((victim.read("registry.json"), victim.read("inner/b.toml")), (changed, PLANTED.to_owned()));
    assert!(!victim.path(".cfg/journal").exists());
}

#[test]
fn the_users_own_journal_does_not_overwrite_later_changes() {
    let (victim, registry, _) = victim();
    let change = change(&[("registry.json", Some(&registry), &format!("{registry}\n")), ("rl.toml", Some("another"), PLANTED)]);
    victim.write(".cfg/journal", &journal(&change, Some(&mark(&victim, &change))));
    let before = victim.read("rl.toml");
    victim.look_at_all();
    victim.run("registry gc");
    assert_eq!(victim.read("rl.toml"), before);
}

/// A repository with a registry in which one path is a link to a place outside. No command may write through the link.
#[track_caller]
fn linked(name: &str, to: &str) -> (Victim, Files) {
    let victim = Victim::registered();
    // Stored texts of another user, which `gc` would remove.
    for text in ["one", "two"] {
        fs::write(victim.at("outside/folder").join(Digest::of(text.as_bytes()).to_string()), text).expect("a file");
    }
    let path = victim.path(name);
    if path.is_dir() {
        fs::remove_dir_all(&path).expect("it is removed");
    } else if path.exists() {
        fs::remove_file(&path).expect("it is removed");
    }
    victim.leak(name, to);
    let before = victim.files();
    for words in writing() {
        let ended = victim.run(words);
        assert_ne!(ended.status, Some(0), "{words}: {ended:?}");
    }
    victim.look_at_all();
    (victim, before)
}

#[test]
fn a_lock_that_is_a_link_is_not_opened() {
    let (victim, before) = linked(".cfg/lock", "outside/secret.toml");
    assert!(victim.files() == before);
}

#[test]
fn a_lock_that_is_a_dangling_link_creates_no_file() {
    linked(".cfg/lock", "outside/new");
}

#[test]
fn stored_texts_behind_a_link_are_neither_removed_nor_written() {
    let (victim, before) = linked(".cfg/objects", "outside/folder");
    assert!(victim.files() == before);
    assert!(victim.look("registry gc --dry-run").status != Some(0));
}

#[test]
fn a_registry_whose_folder_is_a_link_is_refused() {
    let (victim, before) = linked(".cfg", "outside/folder");
    assert!(victim.files() == before);
}

#[test]
fn a_journal_that_is_a_link_is_refused() {
    linked(".cfg/journal", "outside/secret.toml");
}

#[test]
fn a_journal_that_is_a_dangling_link_creates_no_file() {
    linked(".cfg/journal", "outside/new");
}

#[test]
fn a_registry_that_is_a_link_is_not_written_through() {
    linked("registry.json", "outside/secret.json");
}

#[test]
fn the_files_of_a_new_registry_are_not_written_through_links() {
    let victim = Victim::new(&[]);
    for name in [".cfg/.gitignore", ".cfg/.gitattributes", ".cfg/lock"] {
        victim.leak(name, "outside/new");
    }
    victim.run("registry init");
    victim.run("bump rl.toml -m first");
    victim.run("registry adopt");
}

#[test]
fn a_new_registry_is_not_created_through_a_link() {
    let victim = Victim::new(&[]);
    victim.leak("registry.json", "outside/new.json");
    victim.run("registry init");
    victim.run("registry adopt");
    victim.run("bump rl.toml -m first");
    let victim = Victim::new(&[]);
    victim.leak(".cfg", "outside/folder");
    for words in ["registry init", "registry adopt", "bump rl.toml -m first"] {
        assert_eq!(victim.run(words).status, Some(2), "{words}");
    }
}

#[test]
fn a_text_is_not_stored_through_a_planted_link() {
    let names = |victim: &Victim| -> Vec<String> {
        let entries = fs::read_dir(victim.path(".cfg/objects")).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    };
    let twin = Victim::registered();
    twin.run("bump rl.toml -m more --force");
    let victim = Victim::registered();
    let known = names(&victim);
    let next = names(&twin).into_iter().find(|name| !known.contains(name)).expect("a second text");
    victim.leak(&format!(".cfg/objects/{next}"), "outside/new");
    victim.run("bump rl.toml -m more --force");
}

#[test]
fn a_version_is_not_restored_through_a_link() {
    let victim = Victim::registered();
    fs::remove_file(victim.path("rl.toml")).expect("it is removed");
    victim.leak("rl.toml", "outside/folder/secret.toml");
    for words in ["registry restore rl.toml:v1", "registry adopt", "registry gc"] {
        victim.run(words);
    }
}

#[test]
fn a_config_below_a_linked_folder_is_not_restored() {
    let victim = Victim::new(&[("configs/a.toml", CLEAN)]);
    assert_eq!(victim.run("registry init").status, Some(0));
    assert_eq!(victim.run("bump configs/a.toml -m first").status, Some(0));
    fs::remove_dir_all(victim.path("configs")).expect("it is removed");
    victim.leak("configs", "outside/folder");
    for words in [
        "registry restore configs/a.toml:v1",
        "registry restore configs/a.toml:v1 --force",
        "bump configs/a.toml -m more --force",
    ] {
        assert_eq!(victim.run(words).status, Some(2), "{words}");
    }
}

#[test]
fn reading_commands_leave_no_lock_or_folder() {
    let victim = Victim::registered();
    fs::remove_file(victim.path(".cfg/lock")).expect("it is removed");
    victim.look_at_all();
    fs::remove_dir_all(victim.path(".cfg")).expect("it is removed");
    victim.look_at_all();
    let victim = Victim::new(&[]);
    victim.look_at_all();
    assert!(!victim.at("state/cfg").exists(), "no secret is made where nothing is written");
}
