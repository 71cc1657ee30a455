//! Writing preserves modes, owners, links, and every file that the user did not name. However a command ends, it leaves no incomplete file and no
//! additional file next to it.

use std::{
    fs,
    os::unix::{
        fs::{MetadataExt as _, PermissionsExt as _, chown, symlink},
        process::ExitStatusExt as _,
    },
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Instant,
};

use crate::{
    sized::sized,
    victim::{CLEAN, SECRET, Victim},
};

/// A config with an error that has a safe fix, and the fixed config.
const BROKEN: &str = "[trainer]\n[orchestrator]\nrollouts_per_exmaple = 16\n";
const FIXED: &str = "[trainer]\n[orchestrator]\nrollouts_per_example = 16\n";

/// A repository with a config that can be fixed.
fn broken() -> Victim {
    Victim::new(&[("bad.toml", BROKEN)])
}

/// Runs `cfg`, and asserts that it fixes `bad.toml`.
#[track_caller]
fn fixes(victim: &Victim, words: &str) {
    let ended = victim.run(words);
    assert_eq!(victim.read("bad.toml"), FIXED, "{words}: {ended:?}");
    is_alone(victim);
}

/// Asserts that the clone contains nothing but the original files.
#[track_caller]
fn is_alone(victim: &Victim) {
    let names: Vec<_> = victim.files().into_keys().filter_map(|path| path.file_name().map(std::ffi::OsStr::to_owned)).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().contains(".cfg-")), "something is left: {names:?}");
}

/// Asserts that fixing a file preserves this mode.
#[track_caller]
fn keeps_mode(mode: u32) {
    let victim = broken();
    fs::set_permissions(victim.path("bad.toml"), fs::Permissions::from_mode(mode)).expect("a mode");
    fixes(&victim, "check bad.toml --fix --unsafe-fixes");
    assert_eq!(fs::metadata(victim.path("bad.toml")).expect("it is there").mode() & 0o7777, mode);
}

#[test]
fn a_private_file_remains_private() {
    keeps_mode(0o600);
}

#[test]
fn a_file_keeps_its_group() {
    keeps_mode(0o640);
}

#[test]
fn an_executable_file_remains_executable() {
    keeps_mode(0o755);
}

#[test]
fn a_world_writable_file_keeps_its_mode() {
    keeps_mode(0o666);
}

#[test]
fn a_file_that_may_not_be_written_is_not_replaced() {
    let victim = broken();
    fs::set_permissions(victim.path("bad.toml"), fs::Permissions::from_mode(0o444)).expect("a mode");
    for words in ["check bad.toml --fix --unsafe-fixes", "check . --fix --unsafe-fixes", "migrate bad.toml --to 0.5.0 --write"] {
        victim.look(words);
    }
}

#[test]
fn a_file_with_two_hard_links_keeps_both() {
    let victim = broken();
    fs::hard_link(victim.path("bad.toml"), victim.path("other.txt")).expect("a link");
    let number = fs::metadata(victim.path("bad.toml")).expect("it is there").ino();
    fixes(&victim, "check bad.toml --fix --unsafe-fixes");
    assert_eq!(victim.read("other.txt"), FIXED);
    assert_eq!(fs::metadata(victim.path("bad.toml")).expect("it is there").ino(), number);
}

/// Gives a file to another user, which only root can do.
fn give_away(path: &Path) -> bool {
    chown(path, Some(1234), Some(1235)).is_ok()
}

#[test]
fn a_file_of_another_user_keeps_its_owner() {
    let victim = broken();
    if !give_away(&victim.path("bad.toml")) {
        return victim.skip("a file of somebody else");
    }
    fs::set_permissions(victim.path("bad.toml"), fs::Permissions::from_mode(0o640)).expect("a mode");
    fixes(&victim, "check bad.toml --fix --unsafe-fixes");
    let there = fs::metadata(victim.path("bad.toml")).expect("it is there");
    assert_eq!((there.uid(), there.gid(), there.mode() & 0o777), (1234, 1235, 0o640));
}

#[test]
fn a_registered_file_of_another_user_keeps_its_owner() {
    let victim = Victim::registered();
    if !give_away(&victim.path("rl.toml")) || !give_away(&victim.path("registry.json")) {
        return victim.skip("a registered file of somebody else");
    }
    victim.write("rl.toml", &victim.read("rl.toml").replace("max_steps = 100", "max_steps = 200"));
    for words in ["bump rl.toml -m more", "registry restore rl.toml:v1 --force"] {
        assert_eq!(victim.run(words).status, Some(0));
        for name in ["rl.toml", "registry.json"] {
            assert_eq!(fs::metadata(victim.path(name)).expect("it is there").uid(), 1234, "{words} {name}");
        }
    }
}

#[test]
fn access_lists_and_other_attributes_are_kept() {
    let victim = broken();
    let is_set = Command::new("setfattr").args(["-n", "user.mine", "-v", "kept"]).arg(victim.path("bad.toml")).status();
    if !is_set.is_ok_and(|status| status.success()) {
        return victim.skip("attributes of a file");
    }
    fixes(&victim, "check bad.toml --fix --unsafe-fixes");
    let got = Command::new("getfattr").args(["-n", "user.mine", "--only-values"]).arg(victim.path("bad.toml")).output();
    assert_eq!(got.expect("it runs").stdout, b"kept");
}

#[test]
fn a_named_link_within_the_repository_is_kept() {
    let victim = Victim::new(&[("real/bad.toml", BROKEN)]);
    victim.link("bad.toml", "real/bad.toml");
    fixes(&victim, "check bad.toml --fix --unsafe-fixes");
    assert_eq!(fs::read_link(victim.path("bad.toml")).expect("a link"), Path::new("real/bad.toml"));
    assert_eq!(victim.read("real/bad.toml"), FIXED);
}

#[test]
fn a_link_within_a_named_folder_is_kept() {
    let victim = Victim::new(&[("real/bad.toml", BROKEN)]);
    victim.link("bad.toml", "real/bad.toml");
    victim.run("check . --fix --unsafe-fixes");
    assert_eq!(fs::read_link(victim.path("bad.toml")).expect("a link"), Path::new("real/bad.toml"));
    assert_eq!(victim.read("real/bad.toml"), FIXED, "the file itself is named as well");
    is_alone(&victim);
}

/// Tests a config of the user that could be fixed, and a repository that leads to it: no command writes to it.
#[track_caller]
fn nobody_named(prepare: impl FnOnce(&Victim)) {
    let victim = Victim::new(&[]);
    for name in ["outside/bad.toml", "outside/folder/bad.toml"] {
        fs::write(victim.at(name), format!("{BROKEN}# {SECRET}\n")).expect("a file");
    }
    prepare(&victim);
    for words in [
        "check . --fix",
        "check . --fix --unsafe-fixes",
        "check . --add-ignore",
        "check --configs-only bad.toml linked/bad.toml --fix --unsafe-fixes",
        "check rl.toml --fix --unsafe-fixes",
        "migrate rl.toml --to 0.5.0 --write --unsafe-fixes",
        "registry init",
        "registry adopt",
    ] {
        victim.run(words);
    }
}

#[test]
fn a_file_behind_an_unnamed_link_is_not_fixed() {
    nobody_named(|victim| victim.leak("bad.toml", "outside/bad.toml"));
}

#[test]
fn a_file_in_an_unnamed_linked_folder_is_not_fixed() {
    nobody_named(|victim| victim.leak("linked", "outside/folder"));
}

#[test]
fn an_unnamed_base_is_not_migrated() {
    nobody_named(|victim| {
        victim.write("rl.toml", "toml_files = [\"../outside/bad.toml\", \"leak.toml\"]\n[trainer]\n[orchestrator]\n");
        victim.leak("leak.toml", "outside/folder/bad.toml");
    });
}

#[test]
fn compiled_files_are_not_written_through_links() {
    let victim = Victim::new(&[]);
    for name in ["trainer.toml", "orchestrator.toml", "inference.toml", "rl.toml", "train.toml", "orch.toml", "infer.toml"] {
        victim.leak(&format!("out/{name}"), "outside/secret.toml");
    }
    victim.run("compile rl.toml -o out");
    victim.run("compile rl.toml -o out --overwrite");
    for kind in ["rl", "trainer", "orchestrator", "inference", "sft"] {
        victim.leak(&format!("schemas/{kind}.json"), "outside/secret.json");
    }
    victim.run("schema export -o schemas");
    victim.leak("known.json", "outside/new.json");
    victim.leak("near/known.json", "outside/secret.json");
    fs::remove_file(victim.path("near/known.json")).expect("it is removed");
}

#[test]
fn a_hook_is_not_installed_through_a_link() {
    let victim = Victim::registered();
    fs::create_dir_all(victim.path(".git/hooks")).expect("a folder");
    for to in ["outside/secret.toml", "outside/new"] {
        let _ = fs::remove_file(victim.path(".git/hooks/pre-commit"));
        victim.leak(".git/hooks/pre-commit", to);
        for words in ["hook install", "hook uninstall"] {
            victim.run(words);
        }
    }
    fs::remove_dir_all(victim.path(".git/hooks")).expect("it is removed");
    victim.leak(".git/hooks", "outside/folder");
    for words in ["hook install", "hook uninstall"] {
        victim.run(words);
    }
}

#[test]
fn a_hook_is_not_installed_in_a_folder_that_the_repository_names_outside() {
    let victim = Victim::registered();
    for folder in [victim.at("outside/folder").display().to_string(), "../outside/folder".to_owned(), "~/hooks".to_owned()] {
        victim.git_with(["config", "core.hooksPath", &folder]);
        for words in ["hook install", "hook uninstall"] {
            victim.run(words);
        }
    }
}

#[test]
fn a_temporary_name_that_exists_is_not_followed() {
    let victim = Victim::registered();
    // Names that a temporary file might have.
    for name in [".rl.toml.cfg-old", ".rl.toml.tmp", ".rl.toml.cfg-1", "rl.toml.tmp", ".registry.json.cfg-old", ".cfg/new-1"] {
        victim.leak(name, "outside/new");
    }
    fs::hard_link(victim.path("rl.toml"), victim.path("second.txt")).expect("a link");
    victim.run("bump rl.toml -m more --force");
    victim.run("check rl.toml --fix --unsafe-fixes");
    victim.run("migrate rl.toml --to 0.5.0 --write");
}

/// Ends a command by a signal at times over its whole duration, and asserts that each file has its old or its new content.
#[track_caller]
fn ended_by(signal: &str, words: &str) {
    let victim = broken();
    let start = Instant::now();
    victim.run(words);
    let whole = start.elapsed();
    let mut ended = 0;
    for round in 0..24 {
        victim.write("bad.toml", BROKEN);
        let mut command = victim.command(words);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        thread::sleep(whole * round / 24);
        let _ = Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status();
        ended += u32::from(child.wait().expect("it ends").signal().is_some());
        let text = victim.read("bad.toml");
        assert!(text == BROKEN || text == FIXED, "round {round}: {text}");
    }
    // A new text is written to a temporary file, which is then renamed. A process that is killed in between leaves that file; the next one that
    // changes the file removes it.
    victim.write("bad.toml", BROKEN);
    victim.run(words);
    is_alone(&victim);
    assert!(ended > 2 || is_ignored(signal), "only {ended} were ended in time");
    assert!(fs::read_dir(victim.at("tmp")).expect("a folder").next().is_none());
}

/// Whether processes started here ignore a signal, as background processes of a shell do.
fn is_ignored(signal: &str) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok()).unwrap_or(0);
    // SIGINT is signal 2.
    signal == "-INT" && mask & 0b10 != 0
}

#[test]
fn a_killed_fix_leaves_no_files() {
    ended_by("-KILL", "check bad.toml --fix --unsafe-fixes");
}

#[test]
fn a_terminated_fix_leaves_no_files() {
    ended_by("-TERM", "check . --fix --unsafe-fixes");
}

#[test]
fn an_interrupted_fix_leaves_no_files() {
    ended_by("-INT", "check bad.toml --fix --unsafe-fixes");
}

/// Tests that `cfg` starts in a folder that has been deleted.
#[track_caller]
fn gone(words: &str) {
    let victim = broken();
    let first = "mkdir gone && cd gone && rmdir ../gone && ulimit -v 2097152 || exit 100";
    let ended = victim.finish(&mut victim.limited(first, words.split_whitespace()), b"");
    assert_eq!(ended.status, Some(2), "{words}: {ended:?}");
    assert!(!ended.stdout.contains("No prime-rl configs") && !ended.stderr.contains("No prime-rl configs"), "{words}: {ended:?}");
}

#[test]
fn a_deleted_working_folder_is_an_error() {
    for words in ["check", "check .", "check rl.toml", "check ../bad.toml", "hook run", "registry verify", "log"] {
        gone(words);
    }
}

#[test]
fn a_deleted_folder_is_an_error() {
    let victim = broken();
    for words in ["check nothing", "check nothing/here", "registry verify nothing", "check bad.toml/inner"] {
        let ended = victim.look(words);
        assert_eq!(ended.status, Some(2), "{words}: {ended:?}");
        assert!(!ended.stdout.contains("No prime-rl configs"), "{words}: {ended:?}");
    }
    victim.link("dangling", "nothing");
    assert_eq!(victim.look("check dangling").status, Some(2));
}

#[test]
fn a_full_disk_leaves_every_byte() {
    let victim = broken();
    fs::hard_link(victim.path("bad.toml"), victim.path("other.txt")).expect("a link");
    let before = victim.files();
    for words in
        ["check bad.toml --fix --unsafe-fixes", "check . --add-ignore", "migrate bad.toml --to 0.5.0 --write --unsafe-fixes"]
    {
        victim.finish(&mut victim.limited("ulimit -f 0; trap '' XFSZ", words.split_whitespace()), b"");
        assert!(victim.files() == before, "{words}");
    }
}

#[test]
fn a_file_that_becomes_a_link_meanwhile_is_not_written_through() {
    let victim = broken();
    fs::write(victim.at("outside/bad.toml"), format!("{BROKEN}# {SECRET}\n")).expect("a file");
    let path = victim.path("bad.toml");
    let there = victim.path("there.toml");
    thread::scope(|scope| {
        let commands = scope.spawn(|| (0..sized(24, 240)).for_each(|_| drop(victim.run("check . --fix --unsafe-fixes"))));
        while !commands.is_finished() {
            let _ = fs::write(&there, BROKEN);
            let _ = fs::rename(&there, &path);
            let _ = symlink(victim.at("outside/bad.toml"), &there);
            let _ = fs::rename(&there, &path);
        }
    });
}

#[test]
fn a_clean_file_is_not_touched() {
    let victim = Victim::new(&[("bad.toml", CLEAN)]);
    let before = fs::metadata(victim.path("bad.toml")).expect("it is there");
    for words in ["check . --fix --unsafe-fixes", "check bad.toml --fix --unsafe-fixes", "check . --add-ignore"] {
        victim.look(words);
    }
    let after = fs::metadata(victim.path("bad.toml")).expect("it is there");
    assert_eq!((before.ino(), before.mtime_nsec()), (after.ino(), after.mtime_nsec()));
}

/// Two commands change a file that has two names, and so is written in place. Each of them either changes what it has read, or reports that it did not.
#[test]
fn two_commands_that_change_a_file_do_not_mix_their_texts() {
    const TEXT: &str = "max_step = 9\n[trainer]\n[orchestrator]\nbatch_size = 16\nrollouts_per_example = 4\n[inference]\n";
    let fix = "check bad.toml --fix --unsafe-fixes";
    let migrate = "migrate bad.toml --to 0.8.0 --write";
    let fresh = || {
        let victim = Victim::new(&[("bad.toml", TEXT)]);
        fs::hard_link(victim.path("bad.toml"), victim.path("other-name")).expect("a name");
        victim
    };
    let after = |commands: &[&str]| {
        let victim = fresh();
        let ends: Vec<_> = commands.iter().map(|words| victim.run(words).status).collect();
        (victim.read("bad.toml"), ends)
    };
    let one_by_one = [&[fix][..], &[migrate], &[fix, migrate], &[migrate, fix]].map(|commands| after(commands).0);
    assert!(one_by_one[0] != TEXT && one_by_one[1] != TEXT);
    for _ in 0..sized(5, 100) {
        let victim = fresh();
        thread::scope(|scope| {
            let ends = [fix, migrate].map(|words| scope.spawn(|| victim.run(words)));
            let [fixed, migrated] = ends.map(|end| end.join().expect("no panic"));
            let text = victim.read("bad.toml");
            assert!(one_by_one.contains(&text), "{text}\n{fixed:?}\n{migrated:?}");
            let is_migrated = one_by_one[1..].contains(&text);
            assert!(is_migrated || migrated.status == Some(2), "a change that was reported is lost: {migrated:?}");
        });
    }
}
