//! A file of a repository is replaced by something that is not a regular file, or that is too large.

use std::{fs, os::unix::fs::PermissionsExt as _};

use super::in_place_of;
use crate::victim::{Odd, Victim};

/// Replaces the only stored text.
#[track_caller]
fn kept_text(odd: Odd) {
    let victim = Victim::registered();
    let object = fs::read_dir(victim.path(".cfg/objects")).expect("a folder").next().expect("a text").expect("an entry");
    fs::remove_file(object.path()).expect("it is removed");
    victim.put(odd, &format!(".cfg/objects/{}", object.file_name().to_string_lossy()));
    victim.look_at_all();
    let ended = victim.look("registry verify");
    assert_eq!(ended.status, Some(1), "{ended:?}");
}

/// Replaces an imported schema that the settings name.
#[track_caller]
fn imported_schema(odd: Odd) {
    let victim = Victim::new(&[("cfg.toml", "target = \"local:x\"\n"), (".cfg/schemas/y.schema", "")]);
    victim.put(odd, ".cfg/schemas/x.schema");
    for words in ["check .", "check rl.toml", "compile rl.toml", "schema show --target local:x"] {
        assert_ne!(victim.look(words).status, Some(0), "{words}");
    }
    victim.edit(&["rl.toml"]);
}

#[test]
fn a_config_that_is_a_device_is_not_read() {
    in_place_of("zero.toml", Odd::Device);
}

#[test]
fn a_config_that_is_a_pipe_is_not_waited_for() {
    in_place_of("pipe.toml", Odd::Pipe);
}

#[test]
fn a_config_that_is_a_socket_is_not_opened() {
    in_place_of("socket.toml", Odd::Socket);
}

#[test]
fn a_config_that_is_a_folder_is_searched() {
    in_place_of("folder.toml", Odd::Folder);
}

#[test]
fn a_config_of_two_gib_is_not_read() {
    let victim = in_place_of("huge.toml", Odd::Huge);
    let ended = victim.look("check --format concise .");
    assert!(ended.stdout.contains("huge.toml: error[PRL007]"), "{ended:?}");
}

#[test]
fn a_registered_config_that_is_a_device_is_not_read() {
    in_place_of("rl.toml", Odd::Device);
}

#[test]
fn a_registered_config_that_is_a_pipe_is_not_waited_for() {
    in_place_of("rl.toml", Odd::Pipe);
}

#[test]
fn a_registry_that_is_a_device_is_not_read() {
    in_place_of("registry.json", Odd::Device);
}

#[test]
fn a_registry_that_is_a_pipe_is_not_waited_for() {
    in_place_of("registry.json", Odd::Pipe);
}

#[test]
fn a_registry_that_is_a_socket_is_not_opened() {
    in_place_of("registry.json", Odd::Socket);
}

#[test]
fn a_registry_that_is_a_folder_is_refused() {
    in_place_of("registry.json", Odd::Folder);
}

#[test]
fn a_registry_of_two_gib_is_not_read() {
    in_place_of("registry.json", Odd::Huge);
}

#[test]
fn a_kept_text_that_is_a_device_is_not_read() {
    kept_text(Odd::Device);
}

#[test]
fn a_kept_text_that_is_a_pipe_is_not_waited_for() {
    kept_text(Odd::Pipe);
}

#[test]
fn a_kept_text_of_two_gib_is_not_read() {
    kept_text(Odd::Huge);
}

#[test]
fn a_journal_that_is_a_device_is_not_read() {
    in_place_of(".cfg/journal", Odd::Device);
}

#[test]
fn a_journal_that_is_a_pipe_is_not_waited_for() {
    in_place_of(".cfg/journal", Odd::Pipe);
}

#[test]
fn a_journal_of_two_gib_is_not_read() {
    in_place_of(".cfg/journal", Odd::Huge);
}

#[test]
fn a_lock_that_is_a_pipe_is_not_waited_for() {
    in_place_of(".cfg/lock", Odd::Pipe);
}

#[test]
fn a_lock_that_is_a_device_is_not_opened() {
    in_place_of(".cfg/lock", Odd::Device);
}

#[test]
fn a_pipe_in_place_of_a_registry_folder_is_not_waited_for() {
    in_place_of(".cfg", Odd::Pipe);
}

#[test]
fn an_imported_schema_that_is_a_device_is_not_read() {
    imported_schema(Odd::Device);
}

#[test]
fn an_imported_schema_that_is_a_pipe_is_not_waited_for() {
    imported_schema(Odd::Pipe);
}

#[test]
fn an_imported_schema_of_two_gib_is_not_read() {
    imported_schema(Odd::Huge);
}

#[test]
fn settings_that_are_a_device_are_not_read() {
    in_place_of("cfg.toml", Odd::Device);
}

#[test]
fn settings_that_are_a_pipe_are_not_waited_for() {
    in_place_of("cfg.toml", Odd::Pipe);
}

#[test]
fn settings_of_two_gib_are_not_read() {
    in_place_of("cfg.toml", Odd::Huge);
}

#[test]
fn a_pyproject_that_is_a_device_is_not_read() {
    in_place_of("pyproject.toml", Odd::Device);
}

#[test]
fn a_pyproject_that_is_a_pipe_is_not_waited_for() {
    in_place_of("pyproject.toml", Odd::Pipe);
}

#[test]
fn a_pyproject_of_100_megabytes_is_not_read() {
    let victim = Victim::registered();
    let text = "[project]\nname = \"x\"\ndependencies = [\"prime-rl==0.4.0\"]\n# ".to_owned() + &"x".repeat(100_000_000);
    victim.write("pyproject.toml", &text);
    victim.look_at_all();
}

#[test]
fn a_lock_file_that_is_a_device_is_not_read() {
    in_place_of("uv.lock", Odd::Device);
}

#[test]
fn a_lock_file_that_is_a_pipe_is_not_waited_for() {
    in_place_of("uv.lock", Odd::Pipe);
}

#[test]
fn a_gitignore_that_is_a_device_is_not_read() {
    in_place_of(".gitignore", Odd::Device);
}

#[test]
fn a_gitignore_that_is_a_pipe_is_not_waited_for() {
    in_place_of(".gitignore", Odd::Pipe);
}

#[test]
fn an_ignore_file_that_is_a_pipe_is_not_waited_for() {
    in_place_of(".ignore", Odd::Pipe);
}

#[test]
fn requirements_that_are_a_device_are_not_read() {
    in_place_of("requirements.txt", Odd::Device);
}

#[test]
fn an_endless_baseline_or_settings_file_is_not_read() {
    let victim = Victim::new(&[]);
    for odd in [Odd::Device, Odd::Pipe, Odd::Huge] {
        let name = format!("{odd:?}");
        victim.put(odd, &name);
        for words in
            ["check --baseline NAME .", "--settings NAME check .", "check NAME", "compile NAME", "migrate NAME --to 0.5.0"]
        {
            assert_ne!(victim.look(&words.replace("NAME", &name)).status, Some(0), "{words} {name}");
        }
    }
}

#[test]
fn an_unreadable_folder_is_reported() {
    let victim = Victim::new(&[("closed/rl.toml", "[trainer]\n")]);
    fs::set_permissions(victim.path("closed"), fs::Permissions::from_mode(0o0)).expect("a mode");
    // root can read it nevertheless.
    victim.run("check .");
    fs::set_permissions(victim.path("closed"), fs::Permissions::from_mode(0o755)).expect("a mode");
}
