//! Where the hook is installed, and what happens to existing hooks.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
};

use crate::{CLEAN, MISSPELT, SETTINGS, repository::Repository};

const HOOK: &str = ".git/hooks/pre-commit";

#[test]
fn installing_twice_is_installing_once() {
    let repository = Repository::new(&[SETTINGS, ("a.toml", MISSPELT)]);
    repository.cfg("hook install").well();
    let text = repository.read(HOOK);
    let mut said = repository.cfg("hook install").well();
    assert_eq!(repository.read(HOOK), text);
    said += &repository.cfg("hook install --deny warnings").well();
    assert!(repository.read(HOOK).ends_with("hook run --deny warnings\n"));
    fs::set_permissions(repository.path().join(HOOK), fs::Permissions::from_mode(0o644)).expect("a mode");
    said += &repository.cfg("hook install").well();
    repository.commit_all().refused("rollouts_per_exmaple");
    // The same from a subfolder.
    fs::create_dir(repository.path().join("deep")).expect("a folder");
    let mut within = repository.command(env!("CARGO_BIN_EXE_cfg"));
    let ended = within.args(["hook", "uninstall"]).current_dir(repository.path().join("deep")).output().expect("cfg runs");
    assert!(ended.status.success(), "{ended:?}");
    assert!(!repository.path().join(HOOK).exists());
    said += &repository.cfg("hook uninstall").well();
    insta::assert_snapshot!("hooks_installed_and_uninstalled_again", said);
    repository.commit_all().well();
}

#[test]
fn an_existing_foreign_hook_is_kept() {
    let repository = Repository::new(&[SETTINGS, ("a.toml", MISSPELT)]);
    let foreign = "#!/bin/sh\n# cfg hook run\necho mine\n";
    repository.write(HOOK, foreign);
    fs::set_permissions(repository.path().join(HOOK), fs::Permissions::from_mode(0o755)).expect("a mode");
    let ended = repository.cfg("hook install");
    assert_eq!(ended.status, Some(2), "{ended:?}");
    let line = "cfg hook run || exit 1";
    assert!(ended.text.contains(line), "{ended:?}");
    repository.cfg("hook uninstall").well();
    assert_eq!(repository.read(HOOK), foreign);
    // With the suggested line, the existing hook runs the check.
    repository.write(HOOK, &format!("{foreign}{line}\n"));
    insta::assert_snapshot!("a_foreign_hook_with_the_line", repository.cfg("hook install").well());
    assert_eq!(repository.cfg("hook uninstall").status, Some(2));
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_cfg")).parent().expect("a folder");
    let path = std::env::join_paths([folder, "/usr/bin".as_ref(), "/bin".as_ref()]).expect("a path");
    repository.git("add -A").well();
    let ended = repository.command("git").args(["commit", "-qm", "x"]).env("PATH", path).output().expect("git runs");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned() + &String::from_utf8_lossy(&ended.stdout);
    assert!(!ended.status.success() && said.contains("mine") && said.contains("rollouts_per_exmaple"), "{said}");
    // A link is never followed, even if it leads nowhere.
    for target in ["nowhere", "../../a.toml"] {
        fs::remove_file(repository.path().join(HOOK)).expect("it goes");
        symlink(target, repository.path().join(HOOK)).expect("a link");
        assert_eq!(repository.cfg("hook install").status, Some(2));
        assert!(repository.path().join(HOOK).is_symlink());
        assert_eq!(repository.read("a.toml"), MISSPELT);
    }
}

#[test]
fn a_missing_program_is_reported() {
    let repository = Repository::new(&[SETTINGS, ("a.toml", CLEAN)]);
    repository.cfg("hook install").well();
    let program = env!("CARGO_BIN_EXE_cfg");
    repository.replace(HOOK, program, "/nowhere/it's/cfg\\");
    let text = repository.read(HOOK).replace("/nowhere/it's/cfg\\", "/nowhere/cfg");
    repository.write(HOOK, &text);
    repository.git("add -A").well();
    let path = "/usr/bin:/bin";
    let ended = repository.command("git").args(["commit", "-qm", "x"]).env("PATH", path).output().expect("git runs");
    insta::assert_snapshot!("a_hook_without_its_program", String::from_utf8_lossy(&ended.stderr));
    // The program in `PATH` is run instead.
    let folder = std::path::Path::new(program).parent().expect("a folder");
    let path = std::env::join_paths([folder, path.split_once(':').expect("two").0.as_ref(), "/bin".as_ref()]).expect("a path");
    let ended = repository.command("git").args(["commit", "-qm", "x"]).env("PATH", path).output().expect("git runs");
    assert!(ended.status.success(), "{ended:?}");
}

#[test]
fn the_folder_for_hooks_may_be_configured() {
    let repository = Repository::new(&[SETTINGS, ("a.toml", MISSPELT)]);
    repository.git("config core.hooksPath my-hooks").well();
    repository.cfg("hook install").well();
    assert!(repository.path().join("my-hooks/pre-commit").is_file());
    assert!(!repository.path().join(HOOK).exists());
    repository.commit_all().refused("rollouts_per_exmaple");
    // A hook folder that all repositories share is not changed.
    repository.git("config --unset core.hooksPath").well();
    let shared = repository.home().join("hooks");
    repository.command("git").args(["config", "--global", "core.hooksPath"]).arg(&shared).status().expect("git runs");
    let ended = repository.cfg("hook install");
    assert!(ended.status == Some(2) && ended.text.contains("core.hooksPath"), "{ended:?}");
    assert!(!shared.exists() && !repository.path().join(HOOK).exists());
}

#[test]
fn without_a_repository_no_hook_is_installed() {
    let repository = Repository::new(&[]);
    let outside = repository.home();
    for words in [["hook", "install"], ["hook", "uninstall"], ["hook", "run"]] {
        let mut command = repository.command(env!("CARGO_BIN_EXE_cfg"));
        let ended = command.args(words).current_dir(&outside).env("GIT_CEILING_DIRECTORIES", "/").output().expect("cfg runs");
        assert_eq!(ended.status.code(), Some(2), "{words:?}: {ended:?}");
    }
    let bare = repository.home().join("bare.git");
    repository.command("git").args(["init", "-q", "--bare"]).arg(&bare).status().expect("git runs");
    let mut command = repository.command(env!("CARGO_BIN_EXE_cfg"));
    let ended = command.args(["hook", "install"]).current_dir(&bare).output().expect("cfg runs");
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
}
