//! Two people with git: branches that register versions of the same config, renames, and what a file is compared with.

use std::{fs, process::Output};

use cfg_registry::fingerprint::Digest;

use super::{bump, read, verify};
use crate::{CLEAN, Ended, Folder};

/// A repository with a registered config, whose merges are made by the driver.
pub(super) fn repository() -> Folder {
    let folder = Folder::new(&[("rl.toml", CLEAN), ("cfg.toml", "target = \"0.4.0\"\n")]);
    git(&folder, "init -q -b main");
    for words in ["registry init", "registry merge --install"] {
        assert_eq!(folder.run(words).status, Some(0), "{words}");
    }
    registers(&folder, "rl.toml", ("", ""), "first");
    folder
}

pub(super) fn git_or_not(folder: &Folder, words: &str) -> Output {
    let mut command = folder.program("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.editor=true"]).args(words.split(' '));
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).output().expect("git runs")
}

pub(super) fn git(folder: &Folder, words: &str) {
    let done = git_or_not(folder, words);
    assert!(done.status.success(), "{words}: {done:?}");
}

/// Changes a config, registers it, and commits all of it.
fn registers(folder: &Folder, name: &str, (old, new): (&str, &str), why: &str) {
    let text = read(folder, name);
    assert!(text.contains(old), "{text}");
    folder.write(name, text.replacen(old, new, 1).as_bytes());
    let ended = bump(folder, &format!("{name} -m {why}"));
    assert_eq!(ended.status, Some(0), "{ended:?}");
    git(folder, "add -A");
    git(folder, &format!("commit -qm {why}"));
}

const STEPS: (&str, &str) = ("max_steps = 100", "max_steps = 300");
const LESS: (&str, &str) = ("max_steps = 100", "max_steps = 200");
const RATE: (&str, &str) = ("lr = 1e-5", "lr = 2e-5");

/// The versions of a config, each with its reason, and the current one.
fn versions(folder: &Folder, path: &str) -> (Vec<String>, String) {
    let all: serde_json::Value = serde_json::from_str(&read(folder, "registry.json")).expect("JSON");
    let config = &all["configs"][path];
    let versions = config["versions"].as_object().unwrap_or_else(|| panic!("{all:#}"));
    let listed = versions.iter().map(|(label, entry)| format!("{label} {}", entry["notes"].as_str().expect("notes")));
    (listed.collect(), config["current_version"].as_str().expect("a version").to_owned())
}

/// Two branches that each registered a v2.
fn branches(ours: (&str, &str), theirs: (&str, &str)) -> Folder {
    let folder = repository();
    git(&folder, "checkout -qb other");
    registers(&folder, "rl.toml", theirs, "theirs");
    git(&folder, "checkout -q main");
    registers(&folder, "rl.toml", ours, "ours");
    folder
}

fn said(ended: &Ended) -> String {
    ended.stdout.clone() + &ended.stderr
}

#[test]
fn a_merge_keeps_the_versions_of_both_sides_and_asks_only_about_the_text() {
    let folder = branches(RATE, STEPS);
    assert!(!git_or_not(&folder, "merge -q other").status.success(), "a person looks at a text that no one registered");
    assert_eq!(
        versions(&folder, "rl.toml"),
        (vec!["v1 first".to_owned(), "v2 ours".to_owned(), "v3 theirs".to_owned()], "v2".to_owned())
    );
    let text = read(&folder, "rl.toml");
    assert!(text.contains("# notes = \"ours\"") && text.contains("max_steps = 300") && text.contains("lr = 2e-5"), "{text}");
    assert!(!text.contains("<<<<<<<"), "{text}");
    for words in ["registry verify", "hook run --all-files", "hook run"] {
        let ended = folder.run(words);
        assert!(ended.status == Some(1) && said(&ended).contains("not merged: rl.toml"), "{words}: {ended:?}");
    }
    let ended = bump(&folder, "rl.toml -m both");
    assert!(ended.status == Some(2) && ended.stderr.contains("rl.toml is not merged"), "{ended:?}");
    git(&folder, "add -A");
    registers(&folder, "rl.toml", ("", ""), "both");
    assert_eq!(versions(&folder, "rl.toml").1, "v4");
    assert_eq!(verify(&folder), (Some(0), vec![]));
    // The text of the other side is that of v3, although it states the name that it had.
    assert_eq!(folder.run("registry restore rl.toml:v3").status, Some(0));
    assert!(read(&folder, "rl.toml").contains("# version = \"v2\"\n"));
    assert_eq!(verify(&folder), (Some(0), vec![]));
}

#[test]
fn only_lines_that_both_sides_changed_are_between_marks() {
    let folder = branches(LESS, STEPS);
    assert!(!git_or_not(&folder, "merge -q other").status.success());
    let text = read(&folder, "rl.toml");
    assert!(text.contains("<<<<<<< ours\nmax_steps = 200\n=======\nmax_steps = 300\n>>>>>>> theirs\n"), "{text}");
    assert_eq!(text.matches("<<<<<<<").count(), 1, "{text}");
    let (status, codes) = verify(&folder);
    assert_eq!((status, codes), (Some(1), vec!["PRL029".to_owned()]));
}

#[test]
fn values_of_neighbouring_keys_are_no_conflict() {
    let pairs = [("rollouts_per_example = 16", "rollouts_per_example = 8"), ("batch_size = 512", "batch_size = 256")];
    let folder = branches(pairs[0], pairs[1]);
    assert!(!git_or_not(&folder, "merge -q other").status.success(), "both registered a version");
    let text = read(&folder, "rl.toml");
    assert!(pairs.iter().all(|(_, new)| text.contains(new)) && !text.contains("<<<<<<<"), "{text}");
    // Nobody is asked where only one side registered a version.
    let folder = repository();
    git(&folder, "checkout -qb other");
    registers(&folder, "rl.toml", pairs[1], "theirs");
    git(&folder, "checkout -q main");
    let commented = read(&folder, "rl.toml").replace(pairs[0].0, &format!("{} # as before", pairs[0].0));
    folder.write("rl.toml", commented.as_bytes());
    git(&folder, "commit -qanm comment");
    git(&folder, "merge -q other");
    assert!(read(&folder, "rl.toml").contains("# as before") && read(&folder, "rl.toml").contains(pairs[1].1));
    assert_eq!(verify(&folder), (Some(0), vec!["PRL710".to_owned()]), "an info: only a comment differs from the registered text");
}

#[test]
fn texts_that_mean_the_same_are_merged_without_a_question() {
    let folder = branches(RATE, ("lr = 1e-5", "lr = 0.00002  # twice"));
    git(&folder, "merge -q other");
    assert_eq!(versions(&folder, "rl.toml").0, ["v1 first", "v2 ours", "v3 theirs"]);
    assert_eq!(verify(&folder), (Some(0), vec![]));
}

#[test]
fn a_rebase_a_cherry_pick_and_a_revert_leave_a_valid_registry() {
    for words in ["rebase -q main other", "cherry-pick other", "revert --no-edit HEAD~1"] {
        let folder = branches(RATE, STEPS);
        registers(&folder, "rl.toml", ("batch_size = 512", "batch_size = 256"), "later");
        assert!(!git_or_not(&folder, words).status.success(), "{words}");
        git(&folder, "add -A");
        registers(&folder, "rl.toml", ("", ""), "resolved");
        assert_eq!(verify(&folder), (Some(0), vec![]), "{words}");
        let (versions, current) = versions(&folder, "rl.toml");
        assert!(versions.contains(&format!("{current} resolved")), "{words}: {versions:?}");
    }
}

#[test]
fn a_conflict_that_git_made_alone_is_merged_by_hand() {
    let folder = branches(RATE, STEPS);
    git(&folder, "config --remove-section merge.cfg");
    assert!(!git_or_not(&folder, "merge -q other").status.success());
    assert!(read(&folder, "registry.json").contains("<<<<<<<") && read(&folder, "rl.toml").contains("<<<<<<<"));
    let ended = folder.run("registry merge");
    assert_eq!(ended.status, Some(1), "the config is left to look at: {ended:?}");
    assert_eq!(versions(&folder, "rl.toml").0, ["v1 first", "v2 ours", "v3 theirs"]);
    assert!(!read(&folder, "rl.toml").contains("<<<<<<<"));
    // What has no marks is not written again.
    let before = read(&folder, "rl.toml");
    assert_eq!(folder.run("registry merge").status, Some(0));
    assert_eq!(read(&folder, "rl.toml"), before);
    // A text with marks that git does not know any more.
    folder.write("registry.json", b"<<<<<<< a\n{\"configs\": {}}\n=======\n{\"configs\": {}, \"runs\": {}}\n>>>>>>> b\n");
    git(&folder, "add -A");
    assert_eq!(folder.run("registry merge registry.json").status, Some(0));
    assert_eq!(read(&folder, "registry.json"), "{\"configs\": {}, \"runs\": {}}\n");
}

#[test]
fn a_file_that_is_no_config_is_merged_as_git_does() {
    let folder = repository();
    folder.write("other.toml", b"a = 1\nb = 1\nc = 1\nd = 1\n");
    git(&folder, "add -A");
    git(&folder, "commit -qm base");
    git(&folder, "checkout -qb other");
    folder.write("other.toml", b"a = 1\nb = 1\nc = 1\nd = 2\n");
    git(&folder, "commit -qam other");
    git(&folder, "checkout -q main");
    folder.write("other.toml", b"a = 2\nb = 1\nc = 1\nd = 1\n");
    git(&folder, "commit -qam main");
    git(&folder, "merge -q other");
    assert_eq!(read(&folder, "other.toml"), "a = 2\nb = 1\nc = 1\nd = 2\n");
}

#[test]
fn the_driver_is_installed_once_and_keeps_other_attributes() {
    let folder = repository();
    folder.write(".gitattributes", b"*.bin binary\n*.toml   merge=cfg");
    assert_eq!(folder.run("registry merge --install").status, Some(0));
    assert_eq!(read(&folder, ".gitattributes"), "*.bin binary\n*.toml   merge=cfg\nregistry.json merge=cfg\n");
    let ended = folder.run("registry merge --install");
    assert_eq!((ended.status, said(&ended)), (Some(0), String::new()));
}

#[test]
fn a_renamed_config_keeps_its_versions_and_runs() {
    let folder = repository();
    assert_eq!(folder.run("run add rl.toml").status, Some(0));
    registers(&folder, "rl.toml", RATE, "second");
    git(&folder, "mv rl.toml qwen.toml");
    let ended = folder.run("hook run");
    assert!(ended.status == Some(1) && said(&ended).contains("cfg registry mv rl.toml qwen.toml"), "{ended:?}");
    assert_eq!(folder.run("registry mv").status, Some(0));
    assert_eq!(verify(&folder), (Some(0), vec![]));
    assert_eq!(versions(&folder, "qwen.toml"), (vec!["v1 first".to_owned(), "v2 second".to_owned()], "v2".to_owned()));
    assert!(read(&folder, "registry.json").contains("\"config\": \"qwen.toml:v1\""));
    git(&folder, "add -A");
    git(&folder, "commit -qm renamed");
    // With edits, git sees the rename; by name, the file is moved too.
    git(&folder, "mv qwen.toml big.toml");
    folder.write("big.toml", read(&folder, "big.toml").replace("max_steps = 100", "max_steps = 150").as_bytes());
    git(&folder, "add -A");
    assert_eq!(folder.run("registry mv").status, Some(0));
    assert_eq!(verify(&folder), (Some(1), vec!["PRL710".to_owned()]));
    registers(&folder, "big.toml", ("", ""), "third");
    assert_eq!(folder.run("registry mv big.toml deep/er.toml").status, Some(0));
    assert!(!folder.path().join("big.toml").exists());
    assert_eq!(versions(&folder, "deep/er.toml").0, ["v1 first", "v2 second", "v3 third"]);
    assert_eq!(verify(&folder), (Some(0), vec![]));
    for words in ["registry mv no.toml a.toml", "registry mv deep/er.toml a.txt", "registry mv deep/er.toml ../a.toml"] {
        let before = read(&folder, "registry.json");
        assert_eq!(folder.run(words).status, Some(2), "{words}");
        assert_eq!(read(&folder, "registry.json"), before, "{words}");
    }
}

/// Whoever looks at a config that was renamed and edited at once is told that it was, by each command, and `adopt` follows it like `mv`.
#[test]
fn a_rename_with_edits_is_recognised_by_every_command() {
    let folder = repository();
    registers(&folder, "rl.toml", RATE, "second");
    assert_eq!(folder.run("run add rl.toml").status, Some(0));
    git(&folder, "add -A");
    git(&folder, "commit -qm run");
    git(&folder, "mv rl.toml qwen.toml");
    folder.write("qwen.toml", read(&folder, "qwen.toml").replace("max_steps = 100", "max_steps = 150").as_bytes());
    git(&folder, "add -A");
    for words in ["hook run", "check qwen.toml", "registry verify"] {
        let told = said(&folder.run(&format!("{words} --format concise")));
        let advice = "`cfg registry mv rl.toml qwen.toml` renames it in the registry, with its versions and runs";
        assert!(told.contains("seems to be edited from") && told.contains(advice), "{words}: {told}");
        assert!(!told.contains("registry restore"), "{words}: {told}");
    }
    let ended = folder.run("registry adopt");
    assert!(ended.stdout.starts_with("rl.toml is qwen.toml now, with 2 versions\n"), "{ended:?}");
    assert!(read(&folder, "registry.json").contains("\"config\": \"qwen.toml:v2\""));
    assert!(!read(&folder, "registry.json").contains("\"rl.toml\":"), "it has one name");
    // A config that only resembles the one that is gone is asked about, and not renamed by itself.
    let folder = repository();
    git(&folder, "rm -q rl.toml");
    folder.write("new.toml", CLEAN.replace("max_steps = 100", "max_steps = 150").as_bytes());
    assert!(said(&folder.run("registry verify")).contains("cfg registry mv rl.toml new.toml"));
    let ended = folder.run("registry adopt");
    assert!(
        ended.stdout.contains("new.toml is registered") && ended.stdout.contains("rl.toml is marked as removed"),
        "{ended:?}"
    );
}

/// A committed rename is one config, also where no one has renamed it in the registry.
#[test]
fn adopting_a_committed_rename_renames_it() {
    let folder = repository();
    git(&folder, "mv rl.toml qwen.toml");
    git(&folder, "commit -qnm renamed");
    let ended = folder.run("registry adopt");
    assert_eq!(ended.stdout, "rl.toml is qwen.toml now, with 1 version\n", "{ended:?}");
    assert_eq!(versions(&folder, "qwen.toml"), (vec!["v1 first".to_owned()], "v1".to_owned()));
    assert_eq!(verify(&folder), (Some(0), vec![]));
    assert!(folder.run("registry adopt").stderr.contains("nothing to adopt"));
}

/// What a cherry-pick does not bring along takes no name from what it brings.
#[test]
fn a_picked_version_keeps_its_name_if_that_is_free() {
    let folder = branches(RATE, STEPS);
    git(&folder, "checkout -q other");
    registers(&folder, "rl.toml", ("batch_size = 512", "batch_size = 256"), "picked");
    git(&folder, "checkout -q main");
    assert!(!git_or_not(&folder, "cherry-pick other").status.success());
    let (versions, current) = versions(&folder, "rl.toml");
    assert_eq!((versions, &*current), (vec!["v1 first".to_owned(), "v2 ours".to_owned(), "v3 picked".to_owned()], "v2"));
}

#[test]
fn a_dry_run_shows_what_would_be_recorded_without_a_reason() {
    let folder = repository();
    folder.write("rl.toml", read(&folder, "rl.toml").replace(RATE.0, RATE.1).as_bytes());
    let before = read(&folder, "registry.json");
    let ended = folder.run("bump rl.toml --dry-run");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("v1 -> v2") && ended.stdout.contains("1e-5 -> 2e-5"), "{ended:?}");
    assert_eq!(read(&folder, "registry.json"), before);
    assert_eq!(folder.run("bump rl.toml").status, Some(2));
}

#[test]
fn a_file_is_compared_with_what_is_registered_or_else_with_head() {
    let folder = repository();
    let ended = folder.run("diff rl.toml");
    assert!(ended.status == Some(0) && ended.stdout.starts_with("- rl.toml:v1 at 0.4.0\n+ rl.toml at 0.4.0\n"), "{ended:?}");
    folder.write("rl.toml", read(&folder, "rl.toml").replace("max_steps = 100", "max_steps = \"many\"").as_bytes());
    let ended = folder.run("diff rl.toml");
    assert_eq!(ended.status, Some(1));
    assert!(ended.stdout.contains("+ max_steps = \"many\" (invalid)"), "{ended:?}");
    assert!(ended.stdout.contains("\n1 changed") && !ended.stdout.contains("faulty"), "{ended:?}");
    let ended = folder.run("diff rl.toml --format json");
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(json.pointer("/differences/0/other/invalid"), Some(&"\"many\"".into()));
    folder.write("new.toml", CLEAN.as_bytes());
    let ended = folder.run("diff new.toml");
    assert!(ended.status == Some(2) && ended.stderr.contains("neither registered nor in HEAD"), "{ended:?}");
    git(&folder, "add new.toml");
    git(&folder, "commit -qm new");
    folder.write("new.toml", CLEAN.replace("lr = 1e-5", "lr = 2e-5").as_bytes());
    let ended = folder.run("diff new.toml");
    assert!(ended.status == Some(1) && ended.stdout.starts_with("- HEAD:./new.toml at 0.4.0\n"), "{ended:?}");
    let ended = folder.run("diff nope.toml");
    assert!(ended.status == Some(2) && ended.stderr.contains("nope.toml: no such file"), "{ended:?}");
}

#[test]
fn what_is_based_on_a_renamed_config_may_go_on_stating_its_former_name() {
    for stated in ["a.toml:v1", "deep/a.toml:v1"] {
        let folder = repository();
        let version = |parent: &str| format!("{{ \"v1\": {{ \"created\": \"2026-01-06\", \"notes\": \"why\"{parent} }} }}");
        let config = |parent: &str| format!("{{ \"current_version\": \"v1\", \"versions\": {} }}", version(parent));
        let child = config(", \"based_on\": \"deep/a.toml:v1\"");
        let registry = format!("{{ \"configs\": {{ \"deep/a.toml\": {}, \"deep/b.toml\": {child} }} }}", config(""));
        folder.write("registry.json", registry.as_bytes());
        folder.write("deep/a.toml", CLEAN.as_bytes());
        folder.write("deep/b.toml", format!("# Config version: v1 (2026-01-06)\n# Based on: {stated}\n{CLEAN}").as_bytes());
        let before = verify(&folder);
        assert_eq!(before.0, Some(0), "{stated}: {before:?}");
        assert_eq!(folder.run("registry mv deep/a.toml deep/c.toml").status, Some(0));
        assert_eq!(verify(&folder), before, "{stated}");
        assert!(read(&folder, "registry.json").contains("\"based_on\": \"deep/c.toml:v1\""));
    }
}

/// git takes a stored text, which is equal to its config, for the renamed config: nothing of the other side's edits may get into it, or be lost.
#[test]
fn a_renamed_config_gets_the_edits_of_the_other_side_and_stored_texts_stay_as_they_are() {
    for is_ours in [true, false] {
        let folder = repository();
        git(&folder, "checkout -qb other");
        registers(&folder, "rl.toml", STEPS, "edit");
        git(&folder, "checkout -q main");
        git(&folder, "mv rl.toml qwen.toml");
        assert_eq!(folder.run("registry mv").status, Some(0));
        registers(&folder, "qwen.toml", RATE, "renamed");
        if !is_ours {
            git(&folder, "checkout -q other");
        }
        git_or_not(&folder, if is_ours { "merge -q other" } else { "merge -q main" });
        let ended = folder.run("registry merge");
        assert!(matches!(ended.status, Some(0 | 1)), "{ended:?}");
        for file in fs::read_dir(folder.path().join(".cfg/objects")).expect("stored texts").map_while(Result::ok) {
            let bytes = fs::read(file.path()).expect("a text");
            assert_eq!(file.file_name().to_string_lossy(), Digest::of(&bytes).to_string());
        }
        let text = read(&folder, "qwen.toml");
        assert!(text.contains("max_steps = 300") && text.contains("lr = 2e-5") && !text.contains("<<<<<<<"), "{text}");
        assert!(!folder.path().join("rl.toml").exists());
        git(&folder, "add -A");
        registers(&folder, "qwen.toml", ("", ""), "both");
        assert_eq!(verify(&folder), (Some(0), vec![]));
        assert_eq!(versions(&folder, "qwen.toml").0.len(), 4);
    }
}

/// git takes the stored text of a config that one side deletes for the renamed config, and then reports no conflict about the config.
#[test]
fn a_config_that_one_side_deletes_and_the_other_changes_is_not_lost() {
    let folder = repository();
    git(&folder, "checkout -qb other");
    registers(&folder, "rl.toml", STEPS, "edit");
    let edited = read(&folder, "rl.toml");
    git(&folder, "checkout -q main");
    registers(&folder, "rl.toml", RATE, "last");
    git(&folder, "rm -q rl.toml");
    assert_eq!(folder.run("registry adopt").status, Some(0));
    git(&folder, "add -A");
    git(&folder, "commit -qm removed");
    git(&folder, "checkout -q other");
    git_or_not(&folder, "merge -q main");
    assert!(!folder.path().join("rl.toml").exists(), "git has kept it, so there is nothing to find");
    let ended = folder.run("registry merge");
    assert!(ended.status == Some(1) && said(&ended).contains("one side deleted it"), "{ended:?}");
    assert_eq!(read(&folder, "rl.toml"), edited);
}

#[test]
fn a_text_of_another_version_is_not_bumped_but_made_the_current_one() {
    let folder = repository();
    registers(&folder, "rl.toml", RATE, "second");
    let second = read(&folder, "rl.toml");
    assert_eq!(folder.run("registry restore rl.toml:v1").status, Some(0));
    folder.write("rl.toml", second.as_bytes());
    let ended = bump(&folder, "rl.toml -m why");
    assert!(
        ended.status == Some(1) && ended.stderr.contains("`cfg registry restore rl.toml:v2` makes v2 the current one"),
        "{ended:?}"
    );
    assert_eq!(folder.run("registry restore rl.toml:v2").status, Some(0));
    assert_eq!(verify(&folder), (Some(0), vec![]));
}

#[test]
fn a_text_that_was_lost_is_found_in_the_history_which_is_said() {
    let folder = repository();
    registers(&folder, "rl.toml", RATE, "second");
    fs::remove_dir_all(folder.path().join(".cfg/objects")).expect("removed");
    assert_eq!(verify(&folder).0, Some(1));
    let ended = folder.run("registry adopt");
    assert!(ended.stdout.contains("2 texts of registered versions are stored again"), "{ended:?}");
    assert_eq!(verify(&folder), (Some(0), vec![]));
}
