//! Commands that write are killed at random times: after the next command, the files are exactly as before the killed one, or as after
//! it.
//!
//! `CFG_KILL_ROUNDS` is the total number of kills; by default there are only a few.

use std::{
    collections::BTreeSet,
    env, fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant, SystemTime},
};

use cfg_registry::fingerprint::Digest;

use super::{
    Files,
    adopted::{commit, git},
    all, bump, codes, registered, replace,
};
use crate::{CLEAN, Ended, Folder, finish, running::wait, sized::sized};

/// The number of commands.
const COMMANDS: u32 = 5;

/// A config with two errors that a fix removes.
const BROKEN: &str = "# /// config\n# prime_rl = \"0.4.0\"\n# ///\n[config]\nversion = \"v1\"\n[trainer]\n[orchestrator]\n";

/// A command to kill.
struct Case {
    words: &'static str,
    /// Another command that writes, which runs next.
    next: &'static str,
}

/// The states in which killed commands left their folders.
#[derive(Debug, Default)]
struct Tally {
    killed: u32,
    /// The same as before the command.
    unchanged: u32,
    /// In between; the next command completed the change.
    finished: u32,
    /// In between; the next command discarded the change.
    taken_back: u32,
    /// The same as after the command, including commands that had ended before they were killed.
    done: u32,
}

/// Pseudo-random numbers.
struct Random(u64);

impl Random {
    fn part_of(&mut self, whole: Duration) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        whole * (self.0 % 10_000) as u32 / 10_000
    }
}

/// Random times up to a limit that adapts to the duration of the command, so that about half of the commands are killed in time.
struct Moments(Duration);

impl Moments {
    fn learn(&mut self, was_killed: bool) {
        self.0 = self.0.mul_f64(if was_killed { 1.1 } else { 0.9 });
    }
}

/// Copies the files and folders of a registry.
fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry").path();
        let copied = to.join(entry.file_name().expect("a name"));
        if entry.is_dir() {
            fs::create_dir_all(&copied).expect("a folder");
            copy(&entry, &copied);
        } else {
            fs::copy(&entry, &copied).expect("a copy");
        }
    }
}

fn copy_of(base: &Folder) -> Folder {
    let folder = Folder::new(&[]);
    copy(base.path(), folder.path());
    folder
}

/// `cfg` on a fixed day, for a user with this home.
fn command(folder: &Folder, home: &Path, words: &str) -> Command {
    let mut command = folder.command(words);
    command.env("HOME", home).env("XDG_STATE_HOME", home.join("state")).env("SOURCE_DATE_EPOCH", "1767571200");
    command
}

fn run(folder: &Folder, home: &Path, words: &str) -> Ended {
    finish(&mut command(folder, home, words), b"")
}

/// The modification times of the folders, in which a change becomes visible first.
fn names_changed(folder: &Folder) -> Vec<Option<SystemTime>> {
    let of = |path: &str| fs::metadata(folder.path().join(path)).and_then(|metadata| metadata.modified()).ok();
    [".", ".cfg", ".cfg/objects"].map(of).to_vec()
}

/// Kills the process after this time, counted from its start or from its first change.
fn kill(child: &mut Child, folder: &Folder, since_change: bool, moment: Duration) {
    if since_change {
        let before = names_changed(folder);
        while names_changed(folder) == before && child.try_wait().expect("it is ours").is_none() {}
    }
    let begun = Instant::now();
    // The last part of the time is a busy wait, because the steps of a change follow each other quickly.
    thread::sleep(moment.saturating_sub(Duration::from_millis(2)));
    while begun.elapsed() < moment {
        std::hint::spin_loop();
    }
    let _ = child.kill();
}

/// The state after the next command if the first one was completed, or if it was never started, with the findings.
fn outcome(base: &Folder, case: &Case, has_run: bool) -> (Files, Vec<String>) {
    let folder = copy_of(base);
    if has_run {
        run(&folder, &folder.home(), case.words);
    }
    run(&folder, &folder.home(), case.next);
    (all(folder.path()), found(&folder, &folder.home()))
}

fn found(folder: &Folder, home: &Path) -> Vec<String> {
    codes(&run(folder, home, "registry verify --format json"))
}

/// The files that differ.
fn difference(one: &Files, other: &Files) -> Vec<String> {
    let names: BTreeSet<_> = one.keys().chain(other.keys()).filter(|name| one.get(*name) != other.get(*name)).collect();
    names.into_iter().map(|name| name.display().to_string()).collect()
}

fn survives(base: &Folder, case: &Case) {
    let rounds = env::var("CFG_KILL_ROUNDS").ok().and_then(|count| count.parse().ok()).unwrap_or(sized(20, 50)) / COMMANDS;
    let (old, new) = (outcome(base, case, false), outcome(base, case, true));
    let (before, after) = (all(base.path()), new.0.clone());
    // The next command is the same one, so the change is made in any case.
    let is_repeated = case.words == case.next;
    assert!(is_repeated || old.0 != new.0, "it changes something");
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut moments = [Moments(Duration::from_millis(100)), Moments(Duration::from_millis(5))];
    let mut tally = Tally::default();
    for round in 0_usize.. {
        if tally.killed >= rounds {
            break;
        }
        let folder = copy_of(base);
        // Another home folder means a user who has no secret yet.
        let home = if round & 2 == 0 { base.home() } else { folder.home() };
        let since_change = round & 1;
        let moment = random.part_of(moments[since_change].0);
        let mut command = command(&folder, &home, case.words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        kill(&mut child, &folder, since_change == 1, moment);
        let was_killed = wait(&mut child, &command).is_none();
        moments[since_change].learn(was_killed);
        let said = crate::running::read(child.stdout.take().expect("piped"));
        let context = format!("{} in round {round}, killed: {was_killed}, after {moment:?}", case.words);

        let left = all(folder.path());
        for (path, text) in left.iter().filter(|(path, _)| path.extension().is_some_and(|extension| extension == "toml")) {
            assert!([&before, &after].iter().any(|files| files.get(path) == Some(text)), "{context}: {}", path.display());
        }
        for (path, text) in left.iter().filter(|(path, _)| path.starts_with(".cfg/objects")) {
            assert_eq!(path.file_name(), Some(Digest::of(text).to_string().as_ref()), "{context}: no text is cut short");
        }
        let seen = found(&folder, &home);
        assert_eq!(difference(&all(folder.path()), &left), [""; 0], "{context}: who reads changes nothing");

        let next = run(&folder, &home, case.next);
        assert!(is_repeated || next.status == Some(0), "{context}: {next:?}");
        let now = all(folder.path());
        let is_new = now == new.0;
        let (unlike_old, unlike_new) = (difference(&now, &old.0), difference(&now, &new.0));
        assert!(is_new || unlike_old.is_empty(), "{context}: unlike before {unlike_old:?}, unlike after {unlike_new:?}");
        assert!(is_repeated || is_new || (was_killed && said.is_empty()), "{context}: what it said is done is lost: {said}");
        assert!(is_repeated || seen == if is_new { &*new.1 } else { &*old.1 }, "{context}: {seen:?} was shown");
        let kept: Vec<PathBuf> = all(&home).into_keys().collect();
        assert!(kept.iter().all(|path| path == Path::new("state/cfg/secret")), "{context}: {kept:?}");

        tally.killed += u32::from(was_killed);
        let end = match (left == before, left == after, is_new) {
            (true, ..) => &mut tally.unchanged,
            (_, true, _) => &mut tally.done,
            (.., true) => &mut tally.finished,
            (.., false) => &mut tally.taken_back,
        };
        *end += 1;
    }
    // If standard error is closed, nothing can be reported.
    let _ = writeln!(io::stderr(), "{}: {tally:?}", case.words);
}

#[test]
fn a_killed_bump_leaves_the_old_state_or_the_new_one() {
    let base = registered();
    replace(&base, "a.toml", "max_steps = 100", "max_steps = 200");
    survives(&base, &Case { words: "bump a.toml -m killed", next: "registry gc" });
}

#[test]
fn a_killed_restore_leaves_the_old_state_or_the_new_one() {
    let base = registered();
    replace(&base, "a.toml", "max_steps = 100", "max_steps = 200");
    assert_eq!(bump(&base, "a.toml -m longer").status, Some(0));
    survives(&base, &Case { words: "registry restore a.toml:v1", next: "registry gc" });
}

#[test]
fn a_killed_adoption_is_completed_by_the_next_one() {
    let base = Folder::new(&[("cfg.toml", "target = \"0.4.0\"\n")]);
    git(base.path(), &["init", "-q"], "2026-01-01T12:00:00Z");
    for (steps, date) in [(100, "2026-01-02T12:00:00Z"), (200, "2026-01-03T12:00:00Z"), (300, "2026-01-04T12:00:00Z")] {
        let text = CLEAN.replace("max_steps = 100", &format!("max_steps = {steps}"));
        commit(&base, &[("a.toml", &text)], date, "steps");
    }
    survives(&base, &Case { words: "registry adopt", next: "registry adopt" });
}

#[test]
fn a_killed_run_is_registered_or_not() {
    survives(&registered(), &Case { words: "run add a.toml:v1 --id killed", next: "registry gc" });
}

#[test]
fn a_killed_fix_leaves_each_file_as_it_was_or_repaired() {
    let base = registered();
    for name in ["b.toml", "c.toml", "deep/d.toml"] {
        base.write(name, BROKEN.as_bytes());
    }
    survives(&base, &Case { words: "check . --fix", next: "check . --fix" });
}
