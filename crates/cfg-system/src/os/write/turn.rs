//! Lets only one process at a time change a file.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use super::super::refused;
use crate::Refusal;

/// The time to wait for another process: it holds the lock only while it writes one file.
const LIMIT: Duration = Duration::from_secs(5);

/// The time between two tries: the system can't wait for a lock with a time limit.
const BETWEEN: Duration = Duration::from_millis(2);

/// The right to change a file, until it is dropped. What is read of the file meanwhile is not changed by another process that takes its turn.
pub(super) struct Turn {
    /// What is at the path.
    pub(super) there: fs::Metadata,
    /// The open file, which has the lock; `None` if the system or its disk has no locks.
    #[expect(dead_code, reason = "it is held, not used")]
    file: Option<File>,
}

impl Turn {
    /// The turn for the regular file at a path.
    pub(super) fn take(path: &Path) -> io::Result<Self> {
        let end = Instant::now() + LIMIT;
        loop {
            let there = fs::symlink_metadata(path)?;
            if !there.is_file() {
                return refused(Refusal::NotRegular);
            }
            let Some(file) = open(path) else { return Ok(Self { there, file: None }) };
            match file.try_lock() {
                // The file at the path may be another one by then: a writer replaces it.
                Ok(()) if is_at(&file, path) => return Ok(Self { there: file.metadata()?, file: Some(file) }),
                Err(TryLockError::Error(_)) => return Ok(Self { there, file: None }),
                Ok(()) | Err(TryLockError::WouldBlock) if Instant::now() > end => {
                    return Err(io::Error::other("another process is changing it"));
                }
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => thread::sleep(BETWEEN),
            }
        }
    }
}

/// Opens a file to lock it: on network drives that is possible only for writing. Elsewhere than on Unix, nobody could read a locked file.
#[cfg(unix)]
fn open(path: &Path) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags);
    let for_writing = options.clone().write(true).open(path);
    for_writing.or_else(|_| options.open(path)).ok()
}

#[cfg(not(unix))]
fn open(_: &Path) -> Option<File> {
    let _ = OpenOptions::new();
    None
}

/// Whether an open file is the one at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |there: fs::Metadata| (there.dev(), there.ino());
    file.metadata().is_ok_and(|own| fs::symlink_metadata(path).is_ok_and(|there| id(own) == id(there)))
}

#[cfg(not(unix))]
const fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use std::{
        fs,
        sync::atomic::{AtomicUsize, Ordering},
        thread,
    };

    use super::super::replace;

    /// Each of several writers adds a line to what it has read. With two names, the file is written in place; otherwise it is replaced.
    fn write_at_once(names: usize) {
        const WRITERS: usize = 4;
        const LINES: usize = 25;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, "").expect("written");
        (1..names).for_each(|name| fs::hard_link(&path, folder.path().join(name.to_string())).expect("a name"));
        let written = AtomicUsize::new(0);
        let add_lines = |writer: usize| {
            let mut count = 0;
            while count < LINES {
                let old = fs::read(&path).expect("it is there");
                let new = [&old[..], format!("{writer}-{count}\n").as_bytes()].concat();
                if replace(&path, &old, &new, &|| Some(format!("{writer:016}"))).is_ok() {
                    written.fetch_add(1, Ordering::Relaxed);
                    count += 1;
                }
            }
        };
        thread::scope(|scope| (0..WRITERS).for_each(|writer| drop(scope.spawn(move || add_lines(writer)))));
        let text = fs::read_to_string(&path).expect("it is there");
        assert_eq!(text.lines().count(), written.into_inner());
        for writer in 0..WRITERS {
            let own: Vec<&str> = text.lines().filter(|line| line.starts_with(&format!("{writer}-"))).collect();
            assert_eq!(own, (0..LINES).map(|count| format!("{writer}-{count}")).collect::<Vec<_>>());
        }
    }

    #[test]
    fn no_change_that_is_reported_as_done_is_lost() {
        write_at_once(1);
        write_at_once(2);
    }

    #[test]
    fn a_writer_that_waits_changes_nothing_of_a_newer_text() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, "old").expect("written");
        let seal = || None;
        replace(&path, b"old", b"first", &seal).expect("it is unchanged");
        let error = replace(&path, b"old", b"second", &seal).expect_err("it has changed");
        assert_eq!(error.to_string(), "it changed in the meantime");
        assert_eq!(fs::read(&path).expect("it is there"), b"first");
    }
}
