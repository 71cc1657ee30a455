//! What ends commands, and many at once.

use std::{
    fs,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use super::{bump, codes, read, registered};
use crate::{CLEAN, Folder};

/// So many bumps are killed.
const ROUNDS: u32 = 200;

/// What `verify` says, which finishes what a killed command has begun; then the number of versions in the registry, and the version that
/// the header states.
fn state(folder: &Folder) -> (usize, String, Vec<String>) {
    let found = codes(&folder.run("registry verify --format json"));
    let registry: serde_json::Value = serde_json::from_str(&read(folder, "registry.json")).expect("whole JSON");
    let versions = registry["configs"]["a.toml"]["versions"].as_object().expect("versions").len();
    let text = read(folder, "a.toml");
    let version =
        text.lines().find_map(|line| line.strip_prefix("# version = ")).expect("a version").trim_matches('"').to_owned();
    (versions, version, found)
}

#[cfg(unix)]
#[test]
fn a_killed_bump_leaves_the_old_state_or_the_new_one() {
    let folder = registered();
    let start = Instant::now();
    drop(bump(&folder, "a.toml -m measured --force"));
    let whole = start.elapsed();
    let (mut killed, mut made) = (0, 2);
    for round in 0..ROUNDS {
        let mut child = folder
            .command("bump a.toml -m again --force")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        // Moments over the whole length of a bump.
        thread::sleep(whole * round / ROUNDS);
        let _ = child.kill();
        killed += u32::from(child.wait().expect("it ends").code().is_none());
        if round % 10 == 9 {
            let (versions, version, found) = state(&folder);
            assert_eq!(found, Vec::<String>::new(), "round {round}");
            assert_eq!(version, format!("v{versions}"), "round {round}");
            assert!(versions >= made, "nothing registered is lost");
            made = versions;
        }
    }
    assert!(killed > ROUNDS / 10, "only {killed} of {ROUNDS} were killed in time");
    for version in 1..=made {
        let shown = folder.run(&format!("show a.toml:v{version}"));
        assert!(shown.stdout.ends_with(CLEAN), "v{version}");
    }
    assert_eq!(bump(&folder, "a.toml -m last --force").status, Some(0));
}

#[test]
fn eight_bumps_at_once_follow_one_another() {
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
    thread::scope(|scope| {
        let waiting = scope.spawn(|| bump(&folder, "a.toml -m later --force"));
        thread::sleep(Duration::from_millis(300));
        assert!(!waiting.is_finished());
        drop(lock);
        let ended = waiting.join().expect("no panic");
        assert_eq!(ended.status, Some(0), "{ended:?}");
        assert!(ended.stderr.contains("waiting for another"), "{ended:?}");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_every_byte() {
    let folder = registered();
    let before = (read(&folder, "a.toml"), read(&folder, "registry.json"));
    // A limit on the size of files stands for a disk without room: writing fails in the middle of a file.
    let program = env!("CARGO_BIN_EXE_cfg");
    let command = format!("ulimit -f 0; trap '' XFSZ; exec {program} bump a.toml -m full --force");
    let ended = crate::finish(std::process::Command::new("sh").args(["-c", &command]).current_dir(folder.path()), b"");
    assert_eq!(ended.status, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("nothing was changed"), "{ended:?}");
    assert_eq!((read(&folder, "a.toml"), read(&folder, "registry.json")), before);
    assert_eq!(state(&folder).2, Vec::<String>::new());
}
