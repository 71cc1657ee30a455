//! Nothing is made or changed behind a link of a repository that leads out of it, even if the user named a path below the link; and nothing is made on
//! the way there, or in the repository, by a command that is refused.

use std::fs;

use crate::victim::{CLEAN, Victim};

/// A config with an error that has a safe fix.
const BROKEN: &str = "[trainer]\n[orchestrator]\nrollouts_per_exmaple = 16\n";

const SWEEP: &str = "sweep rl.toml max_steps=1,2";
const NEW: &str = "new --model Qwen/Qwen3-0.6B --gpu H100 --method lora --env reverse-text --target 0.4.0";

/// A clone with a link to a folder of the user that has a config, and a folder whose second folder is such a link.
fn linked() -> Victim {
    let victim = Victim::registered();
    for (name, text) in [("bad.toml", BROKEN), ("clean.toml", CLEAN), ("base.json", "{\"schema_version\":1,\"findings\":{}}\n")] {
        fs::write(victim.at("outside/folder").join(name), text).expect("a file");
    }
    fs::create_dir(victim.at("outside/plain")).expect("a folder");
    for (name, text) in [("bad.toml", BROKEN), ("clean.toml", CLEAN)] {
        fs::write(victim.at("outside/plain").join(name), text).expect("a file");
    }
    victim.leak("plain", "outside/plain");
    victim.leak("l", "outside/folder");
    victim.leak("out/l", "outside/folder");
    victim.leak("base.json", "outside/folder/base.json");
    victim.leak("bad.toml", "outside/folder/bad.toml");
    victim.leak("clean-link.toml", "outside/folder/clean.toml");
    victim.link("chain.toml", "bad.toml");
    victim.leak(".github", "outside/folder");
    victim.write("broken.toml", BROKEN);
    victim
}

/// Runs commands, each of which is refused, and changes nothing: neither outside, which [`Victim::run`] looks at, nor in the clone.
#[track_caller]
fn refused(commands: &[&str]) {
    let victim = linked();
    for words in commands {
        let ended = victim.look(words);
        assert_ne!(ended.status, Some(0), "{words}: {ended:?}");
        let why = ["leads out of the repository", "it is a link", "outside the repository"];
        let said = ended.stdout + &ended.stderr;
        assert!(why.iter().any(|why| said.contains(why)), "{words}: {said}");
    }
}

#[test]
fn a_folder_for_new_files_is_not_made_behind_a_link() {
    let folders = ["l", "l/new", "l/new/deep", "out/l", "out/l/new", "./l/../l/new"];
    for folder in folders {
        for words in [SWEEP, "compile rl.toml", "schema export"] {
            refused(&[&format!("{words} -o {folder}")]);
        }
    }
}

#[test]
fn a_new_file_is_not_made_behind_a_link() {
    refused(&["report rl.toml -o l/report.html", "report rl.toml -o out/l/report.html", &format!("{NEW} -o l/new.toml")]);
}

#[test]
fn a_baseline_is_not_written_behind_a_link() {
    refused(&[
        "check broken.toml --baseline l/base.json --update-baseline",
        "check broken.toml --baseline l/new.json --update-baseline",
        "check broken.toml --baseline base.json --update-baseline",
    ]);
}

#[test]
fn a_registry_is_not_made_behind_a_link() {
    refused(&["registry init l", "skill install l", "skill install l/new"]);
}

#[test]
fn a_config_behind_a_link_is_not_changed_if_only_a_path_below_the_link_is_named() {
    refused(&[
        "check l/bad.toml --target 0.4.0 --fix --unsafe-fixes",
        "check out/l/bad.toml --target 0.4.0 --add-ignore",
        "migrate out/l/clean.toml --from 0.4.0 --to 0.5.0 --write --unsafe-fixes",
    ]);
}

#[test]
fn a_link_that_the_user_names_itself_is_not_written_through() {
    let commands =
        ["fmt", "check --target 0.4.0 --fix --unsafe-fixes", "check --target 0.4.0 --add-ignore", "bump -m more --force"];
    for words in commands {
        for name in ["bad.toml", "chain.toml", "./bad.toml"] {
            refused(&[&format!("{words} {name}")]);
        }
    }
    refused(&[
        "fmt plain",
        "check plain --target 0.4.0 --fix --unsafe-fixes",
        "migrate plain --from 0.4.0 --to 0.5.0 --write --unsafe-fixes",
    ]);
    refused(&["migrate clean-link.toml --from 0.4.0 --to 0.5.0 --write --unsafe-fixes"]);
}

#[test]
fn a_refused_link_is_named_with_its_destination_and_a_way_to_write_there() {
    let victim = linked();
    fs::write(victim.at("state/own.toml"), "max_steps   = 9\n").expect("a file");
    victim.leak("own.toml", "state/own.toml");
    let (link, to) = (victim.path("own.toml").display().to_string(), victim.at("state/own.toml").display().to_string());
    let ended = victim.look("fmt own.toml");
    let why = format!("the link `{link}` leads out of the repository; to write there, name `{to}` itself");
    assert!(ended.stderr.contains(&why), "{ended:?}");
    assert_eq!(victim.run(&format!("fmt {to}")).status, Some(0));
    assert_eq!(fs::read_to_string(to).expect("it is there"), "max_steps = 9\n");
}

#[test]
fn a_link_at_the_end_of_a_path_that_is_too_deep_is_not_written_through() {
    let victim = linked();
    let deep = "d/".repeat(140);
    victim.leak(&format!("{deep}bad.toml"), "outside/folder/bad.toml");
    for words in ["fmt", "check --target 0.4.0 --fix --unsafe-fixes"] {
        let ended = victim.look(&format!("{words} {deep}bad.toml"));
        assert_ne!(ended.status, Some(0), "{words}: {ended:?}");
    }
}

/// The user's own link to the clone is none of the clone's.
#[test]
fn a_clone_that_is_reached_through_a_link_is_changed() {
    let victim = linked();
    std::os::unix::fs::symlink(victim.path("."), victim.at("state/work")).expect("a link");
    let own = victim.at("state/work").display().to_string();
    fs::write(victim.path("untidy.toml"), "max_steps   = 9\n").expect("a file");
    assert_eq!(victim.run(&format!("fmt {own}/untidy.toml")).status, Some(0));
    assert_eq!(victim.read("untidy.toml"), "max_steps = 9\n");
    let ended = victim.look(&format!("fmt {own}/bad.toml"));
    assert_eq!(ended.status, Some(2), "{ended:?}");
}

#[test]
fn files_of_a_project_are_not_made_if_one_of_them_is_behind_a_link() {
    let victim = linked();
    fs::remove_file(victim.path("cfg.toml")).expect("it is removed");
    let ended = victim.look("init --yes --ci github --target 0.4.0");
    assert_eq!(ended.status, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("nothing was written"), "{ended:?}");
}

#[test]
fn files_of_a_launcher_are_not_written_if_one_of_them_is_behind_a_link() {
    let victim = linked();
    victim.leak("made/inference.toml", "outside/folder/new.toml");
    let ended = victim.look("compile rl.toml -o made");
    assert_eq!(ended.status, Some(2), "{ended:?}");
}

#[test]
fn a_link_within_the_repository_and_one_of_the_user_are_followed() {
    let victim = linked();
    fs::create_dir_all(victim.path("real")).expect("a folder");
    victim.link("inner", "real");
    std::os::unix::fs::symlink(victim.at("state"), victim.at("tmp").parent().expect("a folder").join("own")).expect("a link");
    let own = victim.at("own/swept").display().to_string();
    for folder in ["inner/swept", "new/deep", &own] {
        let ended = victim.run(&format!("{SWEEP} -o {folder}"));
        assert_eq!(ended.status, Some(0), "{folder}: {ended:?}");
        assert_eq!(fs::read_dir(victim.path(folder)).expect("a folder").count(), 2, "{folder}");
    }
}
