//! In read-only places nothing is written, and commands that only read still work.
//!
//! root can write to any folder whatever its mode, so these commands are run as the user nobody. A read-only file system prevents root from
//! writing as well; it is used if user namespaces are allowed.

use std::{
    ffi::OsString,
    fs,
    io::Write as _,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::Path,
    process::Command,
};

use super::{all, read, registered, replace};
use crate::{Ended, Folder, finish};

const PROGRAM: &str = env!("CARGO_BIN_EXE_cfg");

/// The words before a command that prevent it from writing to the folder; empty if the folder's mode is sufficient.
type Guard = Vec<OsString>;

/// Makes a folder read-only; `None` if that is not possible on this machine.
type Forbid = fn(&Path) -> Option<Guard>;

/// Makes a folder read-only by its mode, which applies to all users except root.
fn by_mode(folder: &Path) -> Option<Guard> {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    for (path, mode) in [(folder.join(".cfg/objects"), 0o555), (folder.join(".cfg"), 0o555), (folder.to_owned(), 0o555)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    }
    let words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let guard: Guard = if is_root { words.iter().map(Into::into).collect() } else { Vec::new() };
    works(&guard).then_some(guard)
}

/// Makes a folder read-only by a mount, which applies to root as well.
fn by_mount(folder: &Path) -> Option<Guard> {
    let script = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && cd \"$0\" && exec \"$@\"";
    let mut guard: Guard =
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script].iter().map(Into::into).collect();
    guard.push(folder.into());
    works(&guard).then_some(guard)
}

/// Whether the program runs under a guard.
fn works(guard: &Guard) -> bool {
    guarded(guard, &Folder::new(&[])).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn guarded(guard: &Guard, folder: &Folder) -> Command {
    let mut words = guard.iter().cloned().chain([OsString::from(PROGRAM)]);
    let mut command = folder.program(words.next().unwrap_or_default());
    command.args(words).env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

/// Reports what was not tested.
fn say(message: &str) {
    // If standard error is closed, nothing can be reported.
    let _ = writeln!(std::io::stderr(), "{message}");
}

fn nothing_is_written(name: &str, folder: &Folder, guard: &Guard, said: &[&str]) {
    let run = |words: &str| -> Ended { finish(guarded(guard, folder).args(words.split_whitespace()), b"") };
    let before = all(folder.path());
    for words in [
        "bump a.toml -m x --force",
        "restore a.toml:v1 --force",
        "run add a.toml:v1",
        "registry adopt",
        "registry init other",
        "check a.toml --fix",
    ] {
        let ended = run(words);
        if !words.starts_with("check") {
            assert_eq!(ended.status, Some(2), "{name}: {words}: {ended:?}");
            assert!(said.iter().any(|said| ended.stderr.contains(said)), "{name}: {words}: {ended:?}");
        }
        assert!(all(folder.path()) == before, "{name}: {words}");
    }
    for words in [
        "registry verify",
        "check a.toml",
        "log a.toml",
        "registry show a.toml:v1",
        "registry list",
        "run list",
        "diff a.toml:v1 a.toml",
    ] {
        let ended = run(words);
        assert!(ended.status.is_some_and(|status| status < 2), "{name}: {words}: {ended:?}");
    }
    assert!(all(folder.path()) == before, "{name}: what only reads writes nothing");
}

#[test]
fn a_file_without_write_permission_keeps_every_byte() {
    let forbidders: [(&str, Forbid); 2] = [("by mode", by_mode), ("by mount", by_mount)];
    for (name, forbid) in forbidders {
        let folder = registered();
        fs::create_dir(folder.path().join("other")).expect("a folder");
        fs::set_permissions(folder.path().join("other"), fs::Permissions::from_mode(0o555)).expect("a mode");
        replace(&folder, "a.toml", "max_steps = 100", "max_steps = 200");
        // The folder can't be listed either.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
        let text = read(&folder, "a.toml");
        if let Some(guard) = forbid(folder.path()) {
            nothing_is_written(name, &folder, &guard, &["not allowed", "may not", "read-only", "ermission denied"]);
        } else {
            say(&format!("this machine can't forbid to write {name}; that was not tested"));
        }
        assert_eq!(read(&folder, "a.toml"), text);
        for path in [
            folder.path().to_owned(),
            folder.path().join(".cfg"),
            folder.path().join(".cfg/objects"),
            folder.path().join("other"),
        ] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
        }
    }
}
