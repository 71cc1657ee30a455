//! Only staged content is checked.

use std::{fs, os::unix::fs::symlink};

use crate::{CLEAN, MISSPELT, SETTINGS, repository::Repository};

/// Settings for 0.2.0, which reads `toml_files`.
const OLD: (&str, &str) = ("cfg.toml", "target = \"0.2.0\"\n");
const COMPOSED: &str = "toml_files = [\"base.toml\"]\ninference_gpu_ids = [0]\n[inference]\n";
const BASE: &str = "trainer_gpu_ids = [1]\n[trainer]\n[orchestrator]\n";

#[test]
fn the_staged_text_counts_and_not_the_one_in_the_working_tree() {
    let repository = Repository::new(&[SETTINGS, ("a.toml", CLEAN)]);
    repository.cfg("hook install").well();
    // The first commit of the repository.
    repository.write("b.toml", MISSPELT);
    let said = repository.commit_all().refused("b.toml:3:1");
    assert!(said.contains("git add") && !said.contains("a.toml"), "{said}");
    // The file is fixed, but the fix is not staged.
    repository.write("b.toml", CLEAN);
    repository.git("commit -qm first").refused("rollouts_per_exmaple");
    repository.git("add b.toml").well();
    // The file is broken again, but that is not staged.
    repository.write("b.toml", MISSPELT);
    assert_eq!(repository.git("commit -qm first").well(), "", "a commit that is well is silent");
    assert_eq!(repository.commits(), 1);
    // A commit of one of several files, for which git creates a separate index.
    repository.write("a.toml", &CLEAN.replace("max_steps = 100", "max_steps = 101"));
    repository.git("add b.toml").well();
    repository.git("commit -qm one a.toml").well();
    repository.git("commit -qm other b.toml").refused("b.toml:3:1");
    repository.git("commit -qm other --no-verify").well();
    // Files that were committed earlier are not checked.
    repository.write("a.toml", CLEAN);
    repository.git("commit -qam back").well();
    let said = repository.cfg("hook run --all-files").refused("b.toml:3:1");
    insta::assert_snapshot!("an_error_in_one_of_two_files", said);
    assert!(!repository.cfg("hook run --all-files a.toml").well().contains("b.toml"));
}

#[test]
fn other_toml_and_hidden_folders_are_passed_over() {
    let repository = Repository::committed(&[SETTINGS]);
    repository.write("Cargo.toml", "[package]\nname = \"x\"\n");
    repository.write("pyproject.toml", "[project]\nname = \"x\"\n");
    repository.write("notes.toml", "title = 'x'\n");
    repository.write(".github/x.toml", MISSPELT);
    repository.write("readme.md", "[trainer]\n");
    assert_eq!(repository.commit_all().well(), "");
    // The same for files that a hook names.
    let words = "check --format concise --configs-only Cargo.toml pyproject.toml notes.toml cfg.toml";
    assert_eq!(repository.cfg(words).well(), "No prime-rl configs found\n");
    assert!(repository.cfg("check --format concise notes.toml").well().contains("PRL010"));
    // Errors in settings are reported even if no config is staged.
    repository.write("cfg.toml", "target = 5\n");
    repository.git("add -A").well();
    let ended = repository.git("commit -qm settings");
    assert!(ended.status == Some(1) && ended.text.contains("cfg.toml"), "{ended:?}");
}

#[test]
fn bases_are_read_as_they_are_staged() {
    let repository = Repository::new(&[OLD, ("base.toml", BASE), ("run.toml", COMPOSED)]);
    repository.cfg("hook install").well();
    repository.git("add run.toml cfg.toml").well();
    let ended = repository.git("commit -qm first");
    assert!(ended.status != Some(0) && ended.text.contains("base.toml"), "the base would be missing in the commit: {ended:?}");
    repository.git("add base.toml").well();
    repository.write("base.toml", "[trainer\n");
    repository.git("commit -qm first").well();
    // A changed base makes an unchanged config invalid that includes it.
    repository.write("base.toml", &BASE.replace("[1]", "[0]"));
    repository.write("other.toml", "toml_files = [\"nobody.toml\"]\n");
    repository.git("add other.toml").well();
    repository.git("commit -qm other --no-verify").well();
    repository.git("add -A").well();
    let said = repository.cfg("hook run --deny warnings").refused("run.toml:2:21");
    assert!(!said.contains("nobody.toml"), "no base of it is staged: {said}");
    repository.git("rm -q --cached base.toml").well();
    let ended = repository.git("commit -qm gone");
    assert!(ended.status != Some(0) && ended.text.contains("run.toml"), "{ended:?}");
}

#[test]
fn settings_are_read_as_they_are_staged() {
    let repository = Repository::committed(&[("cfg.toml", "target = \"0.8.0\"\n"), ("a.toml", "[trainer]\n")]);
    repository.write("a.toml", CLEAN);
    repository.git("add a.toml").well();
    repository.write("cfg.toml", "target = \"0.4.0\"\n");
    assert_eq!(repository.git("commit -qm a").status, Some(1), "at 0.8.0 the config is refused");
    repository.git("add cfg.toml").well();
    repository.write("cfg.toml", "target = \"0.8.0\"\n");
    repository.git("commit -qm a").well();
}

/// What raises the prime-rl changes the verdict on configs that nobody edited.
#[test]
fn a_commit_that_changes_the_prime_rl_has_its_configs_checked() {
    let pin = |version: &str| format!("[project]\nname = \"x\"\ndependencies = [\"prime-rl=={version}\"]\n");
    let repository = Repository::committed(&[("pyproject.toml", &pin("0.4.0")), ("c/a.toml", CLEAN), ("uv.lock", "")]);
    repository.write("pyproject.toml", &pin("0.4.0").replace("\"x\"", "\"y\""));
    repository.git("commit -qam a").well();
    repository.write("pyproject.toml", &pin("0.8.0"));
    repository.git("add -A").well();
    repository.git("commit -qm a").refused("c/a.toml");
    repository.write("pyproject.toml", &pin("0.4.0").replace("\"x\"", "\"z\""));
    repository.git("commit -qam a").well();
}

#[test]
fn any_file_name_is_accepted() {
    let repository = Repository::committed(&[SETTINGS]);
    let names: [&[u8]; 5] =
        [b"with space.toml", b"two\nlines.toml", b"caf\xe9.toml", b"\"quoted\" -x.toml", b"d\xc3\xa9/tab\t.toml"];
    for name in names {
        repository.write_bytes_named(name, MISSPELT);
        let said = repository.commit_all().refused("rollouts_per_exmaple");
        assert_eq!(said.matches("error[PRL101]").count(), 1, "{said}");
        repository.write_bytes_named(name, CLEAN);
        repository.commit_all().well();
    }
    assert!(repository.cfg("hook run --all-files").well().contains("5 files"));
}

#[test]
fn a_registry_is_verified_as_it_is_staged() {
    let repository = Repository::committed(&[SETTINGS, ("a.toml", CLEAN), ("c.toml", CLEAN)]);
    repository.cfg("registry init").well();
    repository.cfg("bump a.toml -m first").well();
    repository.cfg("bump c.toml -m first").well();
    // The stored text of the version is not staged.
    repository.git("add registry.json a.toml c.toml").well();
    let said = repository.git("commit -qm registry").refused("PRL721");
    assert!(said.contains("the text of v1 of `a.toml` is not staged") && said.contains("git add .cfg/objects"), "{said}");
    repository.commit_all().well();
    // A changed config without a new version; then with one that is not staged; then with everything staged.
    repository.replace("a.toml", "max_steps = 100", "max_steps = 200");
    repository.commit_all().refused("PRL710");
    repository.cfg("bump a.toml -m longer").well();
    repository.git("add a.toml").well();
    let said = repository.git("commit -qm a").refused("PRL71");
    assert!(said.contains("`git add registry.json .cfg`") && !said.contains("registry restore"), "{said}");
    repository.commit_all().well();
    // A registered config that is removed or renamed.
    repository.git("mv a.toml b.toml").well();
    let said = repository.git("commit -qm moved").refused("a.toml");
    assert!(said.contains("PRL7"), "{said}");
    repository.git("mv b.toml a.toml").well();
    // Findings in a config that is not staged are reported for the registry.
    repository.replace("c.toml", "max_steps = 100", "max_steps = 50");
    repository.git("add c.toml").well();
    repository.git("commit -qm wrong --no-verify").well();
    repository.replace("registry.json", "longer", "much longer");
    repository.commit_all().refused("c.toml");
    repository.cfg("registry restore c.toml:v1 --force").well();
    repository.commit_all().well();
    let ended = repository.cfg("hook run --all-files");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    // A stored text has been changed.
    let objects = repository.path().join(".cfg/objects");
    let object = fs::read_dir(objects).expect("a folder").next().expect("an object").expect("an object").path();
    fs::remove_file(&object).expect("it goes");
    fs::write(&object, "x").expect("it is written");
    let said = repository.commit_all().refused("PRL721");
    assert!(said.contains("has been altered") && !said.contains("git add .cfg/objects"), "{said}");
}

#[test]
fn an_earlier_text_that_is_not_staged_is_named_as_such() {
    let repository = Repository::committed(&[SETTINGS, ("a.toml", CLEAN)]);
    repository.cfg("registry init").well();
    repository.cfg("bump a.toml -m first").well();
    repository.replace("a.toml", "max_steps = 100", "max_steps = 200");
    repository.cfg("bump a.toml -m longer").well();
    repository.git("add registry.json a.toml").well();
    let said = repository.git("commit -qm registry").refused("PRL721");
    assert_eq!(said.matches("is not staged").count(), 2, "{said}");
    let objects = repository.path().join(".cfg/objects");
    for object in fs::read_dir(objects).expect("a folder") {
        fs::remove_file(object.expect("an object").path()).expect("it goes");
    }
    let said = repository.git("commit -qm registry").refused("PRL721");
    assert!(said.contains("is missing") && !said.contains("git add .cfg/objects"), "{said}");
}

#[test]
fn links_are_resolved_in_the_index() {
    let repository = Repository::committed(&[SETTINGS, ("real/a.toml", CLEAN)]);
    symlink("real", repository.path().join("linked")).expect("a link");
    symlink("../real/a.toml", repository.path().join("real/b.toml")).expect("a link");
    symlink("nowhere.toml", repository.path().join("gone.toml")).expect("a link");
    symlink("loop.toml", repository.path().join("loop.toml")).expect("a link");
    repository.git("add -A").well();
    repository.write("real/a.toml", MISSPELT);
    repository.git("commit -qm links").well();
    repository.git("add -A").well();
    let said = repository.git("commit -qm wrong").refused("real/a.toml");
    assert!(!said.contains("linked"), "a folder is looked at once: {said}");
}

#[test]
fn a_merge_with_conflicts_is_checked_as_it_was_resolved() {
    let repository = Repository::committed(&[SETTINGS, ("a.toml", CLEAN)]);
    repository.git("checkout -qb other").well();
    repository.replace("a.toml", "max_steps = 100", "max_steps = 200");
    repository.commit_all().well();
    repository.git("checkout -q main").well();
    repository.replace("a.toml", "max_steps = 100", "max_steps = 300");
    repository.commit_all().well();
    assert_eq!(repository.git("merge other").status, Some(1));
    for words in ["hook run", "hook run --all-files"] {
        let said = repository.cfg(words).refused("unresolved merge conflict");
        assert!(said.contains("a.toml:2:1"), "{words}: {said}");
    }
    repository.write("a.toml", MISSPELT);
    repository.git("add a.toml").well();
    repository.git("commit -qm merged").refused("rollouts_per_exmaple");
    repository.write("a.toml", CLEAN);
    repository.git("add a.toml").well();
    repository.git("commit -qm merged").well();
}

/// A file that only one side has changed, and the other has removed, has no markers; and a registry may be in conflict, too.
#[test]
fn all_files_of_a_merge_with_conflicts_are_checked() {
    let registry = |notes: &str| {
        let version = format!("{{ \"created\": \"2026-01-05\", \"notes\": \"{notes}\" }}");
        format!(
            "{{\n  \"configs\": {{\n    \"a.toml\": {{ \"current_version\": \"v1\", \"versions\": {{\n      \"v1\": {version}\n    }} }}\n  }}\n}}\n"
        )
    };
    let repository =
        Repository::committed(&[SETTINGS, ("a.toml", CLEAN), ("gone.toml", CLEAN), ("registry.json", &registry("one"))]);
    repository.git("checkout -qb other").well();
    repository.replace("gone.toml", "max_steps", "max_setps");
    repository.write("registry.json", &registry("two"));
    repository.git("commit -qam change --no-verify").well();
    repository.git("checkout -q main").well();
    repository.git("rm -q gone.toml").well();
    repository.write("registry.json", &registry("three"));
    repository.git("commit -qam change --no-verify").well();
    // Otherwise the registry would be merged.
    repository.git("config --remove-section merge.cfg").well();
    assert_eq!(repository.git("merge other").status, Some(1));
    for words in ["hook run", "hook run --all-files"] {
        let said = repository.cfg(words).refused("unresolved merge conflict");
        assert!(said.contains("registry.json") && said.contains("max_setps"), "{words}: {said}");
    }
}

#[test]
fn an_error_in_a_chain_of_bases_is_reported_once() {
    let leaf = "trainer_gpu_ids = [1]\n[trainer]\n";
    let chain = [
        OLD,
        ("top.toml", "toml_files = [\"mid.toml\"]\ninference_gpu_ids = [0]\n[orchestrator]\n[inference]\n"),
        ("mid.toml", "toml_files = [\"leaf.toml\"]\nmax_steps = 5\n"),
        ("leaf.toml", leaf),
    ];
    let repository = Repository::committed(&chain);
    repository.write("leaf.toml", &format!("max_setps = 4\n{leaf}"));
    repository.git("add leaf.toml").well();
    let said = repository.cfg("hook run").refused("max_setps");
    assert_eq!((said.matches("error[").count(), said.matches("error[PRL101]").count()), (1, 1), "{said}");
}

#[test]
fn a_file_added_with_intent_to_add_is_not_part_of_a_commit() {
    let repository = Repository::committed(&[OLD]);
    repository.write("run.toml", COMPOSED);
    repository.write("base.toml", BASE);
    repository.git("add run.toml").well();
    repository.git("add -N base.toml").well();
    let missing = repository.cfg("hook run");
    assert_eq!(missing.status, Some(2), "{missing:?}");
    insta::assert_snapshot!("a_base_with_intent_to_add", missing.text);
    repository.git("add base.toml").well();
    repository.cfg("hook run").well();
}

#[test]
fn a_missing_path_is_not_a_passed_check() {
    let repository = Repository::committed(&[SETTINGS, ("a.toml", CLEAN)]);
    repository.cfg("hook run --all-files a.toml").well();
    let nothing = repository.cfg("hook run --all-files nosuch");
    assert_eq!(nothing.status, Some(2), "{nothing:?}");
    insta::assert_snapshot!("a_path_that_git_does_not_track", nothing.text);
}

#[test]
fn a_base_through_a_parent_folder_is_the_staged_one() {
    let repository = Repository::committed(&[OLD, ("runs/other.toml", CLEAN), ("base.toml", BASE)]);
    let name = repository.path().file_name().expect("a name").to_str().expect("a text").to_owned();
    // The hook is run in the folder by its own name, and by a link that leads to it.
    symlink(repository.path(), repository.path().with_file_name("beside")).expect("a link");
    for around in [name.as_str(), "beside"] {
        let base = format!("../../{around}/base.toml");
        repository.write("runs/run.toml", &COMPOSED.replace("base.toml", &base));
        repository.git("add -A").well();
        // The content of the work tree does not matter.
        repository.write("base.toml", MISSPELT);
        repository.cfg("hook run").well();
        repository.write("base.toml", &format!("max_setps = 4\n{BASE}"));
        repository.git("add base.toml").well();
        repository.write("base.toml", BASE);
        repository.cfg("hook run").refused("max_setps");
        repository.git("add base.toml").well();
    }
}
