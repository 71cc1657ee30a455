//! Interrupted commands, and many commands at the same time.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::Stdio,
    thread,
};

use super::{bump, codes, read, registered};
use crate::{CLEAN, Folder, running::wait};

/// The number of versions in the registry, the version in the config's metadata, and the output of `verify`.
fn state(folder: &Folder) -> (usize, String, Vec<String>) {
    let found = codes(&folder.run("registry verify --format json"));
    let registry: serde_json::Value = serde_json::from_str(&read(folder, "registry.json")).expect("whole JSON");
    let versions = registry["configs"]["a.toml"]["versions"].as_object().expect("versions").len();
    let text = read(folder, "a.toml");
    let version =
        text.lines().find_map(|line| line.strip_prefix("# version = ")).expect("a version").trim_matches('"').to_owned();
    (versions, version, found)
}

#[test]
fn eight_concurrent_bumps_are_serialized() {
    let folder = registered();
    for number in 0..4 {
        folder.write(&format!("c{number}.toml"), CLEAN.as_bytes());
    }
    let ended: Vec<_> = thread::scope(|scope| {
        let run = |number: usize| {
            let file = if number < 4 { "a.toml".to_owned() } else { format!("c{}.toml", number - 4) };
            let folder = &folder;
            scope.spawn(move || bump(folder, &format!("{file} -m parallel --force")))
        };
        (0..8).map(run).collect::<Vec<_>>().into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(ended.iter().all(|ended| ended.status == Some(0)), "{ended:?}");
    let (versions, version, found) = state(&folder);
    assert_eq!((versions, version.as_str(), found), (5, "v5", vec![]));
}

#[test]
fn a_lock_is_waited_for() {
    let folder = registered();
    let lock = fs::File::options().write(true).open(folder.path().join(".cfg/lock")).expect("the lock");
    lock.lock().expect("it is free");
    let mut command = folder.command("bump a.toml -m later --force");
    let mut waiting = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let said = BufReader::new(waiting.stderr.take().expect("piped")).lines().map_while(Result::ok);
    let mut said = said.skip_while(|line| !line.contains("waiting for another"));
    assert!(said.next().is_some(), "it ends without a word");
    assert!(waiting.try_wait().expect("it is ours").is_none());
    drop(lock);
    said.for_each(drop);
    assert_eq!(wait(&mut waiting, &command), Some(0));
    assert_eq!(state(&folder), (2, "v2".to_owned(), vec![]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_every_byte() {
    let folder = registered();
    let before = (read(&folder, "a.toml"), read(&folder, "registry.json"));
    // A limit on file sizes simulates a full disk: writing fails in the middle of a file.
    let program = env!("CARGO_BIN_EXE_cfg");
    let command = format!("ulimit -f 0; trap '' XFSZ; exec {program} bump a.toml -m full --force");
    let ended = crate::finish(folder.program("sh").args(["-c", &command]), b"");
    assert_eq!(ended.status, Some(2), "{ended:?}");
    assert_eq!((read(&folder, "a.toml"), read(&folder, "registry.json")), before);
    assert_eq!(state(&folder).2, Vec::<String>::new());
}
