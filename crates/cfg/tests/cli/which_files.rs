//! Which files of a folder are checked: those that git tracks, whatever it ignores.

use super::{CLEAN, Folder, MISSPELT};

#[test]
fn tracked_files_below_an_ignored_folder_are_checked() {
    let folder = Folder::repository(&[
        ("configs/rl.toml", MISSPELT),
        ("configs/new.toml", MISSPELT),
        (".gitignore", "configs/\n"),
        ("other/plain.toml", CLEAN),
    ]);
    let git = |words: &str| folder.program("git").args(words.split_whitespace()).status().is_ok_and(|status| status.success());
    let files = |words: &str| -> Vec<String> {
        let ended = folder.run(&format!("check --target 0.4.0 --show-files {words}"));
        ended.stdout.lines().map(|line| line.replace('\\', "/")).collect()
    };
    assert_eq!(files(""), ["other/plain.toml"]);
    assert!(git("add --force configs/rl.toml"));
    assert_eq!(files(""), ["configs/rl.toml", "other/plain.toml"]);
    assert_eq!(files("configs"), ["configs/new.toml", "configs/rl.toml"], "a named folder is not ignored");
    let ended = folder.run("check --target 0.4.0 --format concise");
    assert!(ended.stdout.starts_with("configs/rl.toml:3:"), "{ended:?}");
    assert!(!ended.stdout.contains("Left out"), "{ended:?}");
    // A file found in a folder is judged like the same file if it is named.
    let named = folder.run("check --target 0.4.0 --format concise configs/rl.toml");
    assert_eq!((named.status, named.stdout.lines().next()), (ended.status, ended.stdout.lines().next()));
    let counted = folder.run("check --target 0.4.0 --format concise -v");
    assert!(counted.stdout.contains("\nLeft out 1 TOML file that git does not track"), "{counted:?}");
}

#[test]
fn that_no_config_was_found_is_true_and_explained() {
    let folder = Folder::repository(&[("pyproject.toml", "[project]\nname = \"x\"\n"), (".gitignore", "runs/\n")]);
    assert_eq!(folder.run("check").stdout, "No prime-rl configs found\n");
    folder.write("runs/rl.toml", CLEAN.as_bytes());
    let ended = folder.run("check");
    let told = "No prime-rl configs found\nLeft out 1 TOML file that git does not track and `.gitignore` or `.ignore` excludes\n";
    assert_eq!((ended.status, &*ended.stdout), (Some(0), told), "{ended:?}");
}
