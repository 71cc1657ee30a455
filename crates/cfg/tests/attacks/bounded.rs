//! Reading is bounded: whatever replaces a file, each command ends soon and needs little memory.

use std::{fs, os::unix::fs::PermissionsExt as _};

use crate::{
    sized::sized,
    victim::{Odd, Victim},
};

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

/// Replaces a file that `rl.toml` names in `toml_files`.
#[track_caller]
fn named_by_a_config(odd: Odd) {
    let victim = Victim::new(&[("rl.toml", "toml_files = [\"base.toml\"]\n[trainer]\n[orchestrator]\n")]);
    victim.put(odd, "base.toml");
    for words in ["check rl.toml", "check .", "compile rl.toml", "check -- uv run rl @ rl.toml"] {
        let ended = victim.look(words);
        let said = [&*ended.stdout, &*ended.stderr].concat();
        assert!(ended.status != Some(0) && said.contains("base.toml"), "{words}: {ended:?}");
    }
    victim.edit(&["rl.toml"]);
}

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
fn a_base_that_is_a_device_is_not_read() {
    named_by_a_config(Odd::Device);
}

#[test]
fn a_base_that_is_a_pipe_is_not_waited_for() {
    named_by_a_config(Odd::Pipe);
}

#[test]
fn a_base_that_is_a_socket_is_not_opened() {
    named_by_a_config(Odd::Socket);
}

#[test]
fn a_base_that_is_a_folder_is_refused() {
    named_by_a_config(Odd::Folder);
}

#[test]
fn a_base_of_two_gib_is_not_read() {
    named_by_a_config(Odd::Huge);
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
fn gitattributes_that_are_a_pipe_are_not_waited_for() {
    in_place_of(".gitattributes", Odd::Pipe);
}

#[test]
fn gitattributes_in_a_folder_that_are_a_pipe_are_not_waited_for() {
    in_place_of("configs/.gitattributes", Odd::Pipe);
}

#[test]
fn gitmodules_that_are_a_pipe_are_not_waited_for() {
    in_place_of(".gitmodules", Odd::Pipe);
}

#[test]
fn gitmodules_that_are_a_device_are_not_read() {
    in_place_of(".gitmodules", Odd::Device);
}

#[test]
fn requirements_that_are_a_device_are_not_read() {
    in_place_of("requirements.txt", Odd::Device);
}

#[test]
fn a_git_folder_that_is_a_pipe_is_not_waited_for() {
    in_place_of(".git", Odd::Pipe);
}

#[test]
fn a_git_folder_that_is_a_device_is_not_read() {
    in_place_of(".git", Odd::Device);
}

#[test]
fn a_head_that_is_a_pipe_is_not_waited_for() {
    in_place_of(".git/HEAD", Odd::Pipe);
}

#[test]
fn a_head_that_is_a_device_is_not_read() {
    in_place_of(".git/HEAD", Odd::Device);
}

#[test]
fn a_branch_that_is_a_pipe_is_not_waited_for() {
    in_place_of(".git/refs/heads/main", Odd::Pipe);
}

#[test]
fn an_index_that_is_a_pipe_is_not_waited_for() {
    in_place_of(".git/index", Odd::Pipe);
}

#[test]
fn an_index_that_is_a_device_is_not_read() {
    in_place_of(".git/index", Odd::Device);
}

#[test]
fn an_index_of_two_gib_is_not_read() {
    in_place_of(".git/index", Odd::Huge);
}

#[test]
fn gits_settings_that_are_a_pipe_are_not_waited_for() {
    in_place_of(".git/config", Odd::Pipe);
}

#[test]
fn gits_settings_that_are_a_device_are_not_read() {
    in_place_of(".git/config", Odd::Device);
}

#[test]
fn gits_exclusions_that_are_a_pipe_are_not_waited_for() {
    in_place_of(".git/info/exclude", Odd::Pipe);
}

#[test]
fn packed_references_that_are_a_pipe_are_not_waited_for() {
    in_place_of(".git/packed-refs", Odd::Pipe);
}

#[test]
fn alternates_that_are_a_pipe_are_not_waited_for() {
    in_place_of(".git/objects/info/alternates", Odd::Pipe);
}

#[test]
fn attributes_that_the_settings_of_git_name_are_not_waited_for() {
    let victim = Victim::registered();
    victim.put(Odd::Pipe, "pipe");
    victim.git_with(["config", "core.attributesFile", &victim.path("pipe").display().to_string()]);
    victim.git_with(["config", "core.excludesFile", &victim.path("pipe").display().to_string()]);
    victim.look_at_all();
}

#[test]
fn an_endless_baseline_or_settings_file_is_not_read() {
    let victim = Victim::new(&[]);
    for odd in [Odd::Device, Odd::Pipe, Odd::Huge] {
        let name = format!("{odd:?}");
        victim.put(odd, &name);
        for words in ["check --baseline NAME .", "--config NAME check .", "check NAME", "compile NAME", "migrate NAME --to 0.5.0"]
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

#[test]
fn cyclic_links_are_reported() {
    let victim = Victim::new(&[("rl.toml", "toml_files = [\"a.toml\"]\n[trainer]\n")]);
    victim.link("a.toml", "b.toml");
    victim.link("b.toml", "a.toml");
    victim.link("folder/up", "..");
    for words in ["check .", "check rl.toml", "check a.toml", "compile rl.toml"] {
        victim.look(words);
    }
    victim.git("add -A");
    victim.look("hook run");
    victim.edit(&["rl.toml"]);
}

#[test]
fn configs_that_include_each_other_are_reported() {
    let victim = Victim::new(&[("rl.toml", "toml_files = [\"a.toml\"]\n"), ("a.toml", "toml_files = [\"rl.toml\"]\n")]);
    for words in ["check .", "compile rl.toml"] {
        assert_ne!(victim.look(words).status, Some(0), "{words}");
    }
    victim.edit(&["rl.toml", "a.toml"]);
}

/// A text of many megabytes, more than any file may have, of which git stores a thousandth.
#[test]
fn a_text_of_git_that_grows_when_it_is_read_is_not_read() {
    let victim = Victim::registered();
    let zeros = fs::File::create(victim.at("state/zeros"))
        .and_then(|file| file.set_len(sized(70_000_000, 200_000_000)).map(|()| file))
        .expect("a file");
    drop(zeros);
    victim.git_with(["config", "core.bigFileThreshold", "16m"]);
    let blob = victim.git_with(["hash-object", "-w", "--no-filters", &victim.at("state/zeros").display().to_string()]);
    for name in ["rl.toml", "big.toml", "registry.json", "cfg.toml", "sub/pyproject.toml"] {
        victim.git(&format!("update-index --add --cacheinfo 100644,{},{name}", blob.trim()));
    }
    victim.look("hook run");
    victim.git("commit -qm big");
    for words in ["hook run --all-files", "diff HEAD:rl.toml rl.toml", "registry adopt --dry-run", "registry adopt", "log"] {
        victim.run(words);
    }
}

#[test]
fn a_long_symbolic_reference_of_git_is_bounded() {
    let victim = Victim::registered();
    for (name, target) in
        [("a.toml", "b.toml"), ("b.toml", "c.toml"), ("c.toml", "a.toml"), ("d", "d/d/d/d/d/d"), ("up", "../../../..")]
    {
        victim.link(name, target);
    }
    victim.write("rl.toml", "toml_files = [\"a.toml\", \"d/x.toml\", \"up/up/x.toml\"]\n[trainer]\n[orchestrator]\n");
    victim.git("add -A");
    victim.look("hook run");
    victim.commit();
    for words in ["hook run --all-files", "diff HEAD:a.toml rl.toml", "check ."] {
        victim.look(words);
    }
}

#[test]
fn files_named_by_a_dialect_are_not_waited_for() {
    let settings = "[[dialect]]\nfiles = [\"*.yaml\"]\nschema = \"own.schema\"\n";
    let schema = "(root)\n  ..  root(allow)\n\nfile\n  ..  str\n    file: project\n    lines: distinct\n    listed: list\n";
    for odd in [Odd::Device, Odd::Pipe, Odd::Socket, Odd::Folder, Odd::Huge] {
        let victim = Victim::new(&[("cfg.toml", settings), ("own.schema", schema), ("x.yaml", "file: odd\n")]);
        victim.put(odd, "odd");
        victim.put(odd, "list");
        assert!(matches!(victim.look("check .").status, Some(0 | 1)), "a file of a check");
        let victim = Victim::new(&[("cfg.toml", settings), ("x.yaml", "file: odd\n")]);
        victim.put(odd, "own.schema");
        assert_eq!(victim.look("check .").status, Some(1), "the schema");
        let victim = Victim::new(&[("cfg.toml", settings), ("own.schema", schema)]);
        victim.put(odd, "x.yaml");
        victim.look("check .");
        victim.look("check x.yaml");
    }
}

#[test]
fn a_pattern_of_a_dialect_takes_linear_time() {
    let settings = "[[dialect]]\nfiles = [\"*.yaml\"]\nschema = \"own.schema\"\n";
    let long = "a".repeat(500_000);
    for (pattern, is_read) in [
        ("(a*)*b", true),
        ("(a|aa)+$", true),
        ("(a{1000}){1000}", false),
        ("((((((((((a{9}){9}){9}){9}){9}){9}){9}){9}){9}){9})", false),
    ] {
        let schema = format!("(root)\n  ..  root(allow)\n\nname\n  ..  str\n    pattern: {pattern}\n");
        let victim = Victim::new(&[("cfg.toml", settings), ("own.schema", &schema), ("x.yaml", &format!("name: {long}\n"))]);
        let ended = victim.look("check --format concise x.yaml");
        assert_eq!(ended.stdout.contains("PRL028"), !is_read, "{pattern}: {ended:?}");
    }
}
