//! Temporary folders, whose names contain the id of the process that created them: those of a killed process are deleted when the next one is
//! created.

use std::{env, fs, io, path::Path, process, time::Duration};

use tempfile::TempDir;

/// Younger ones may belong to a process that is not visible here: containers may share the folder for temporary files.
const A_DAY: Duration = Duration::from_hours(24);

/// A new private folder with an unpredictable name.
pub(super) fn make(prefix: &str) -> io::Result<TempDir> {
    let prefix = format!("{prefix}{}-", process::id());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir()
}

/// Deletes folders of this user that are a day old, and whose process `is_gone`. Folders that can't be deleted stay.
pub(super) fn clear(prefix: &str, is_gone: &dyn Fn(u32) -> bool) {
    for entry in fs::read_dir(env::temp_dir()).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let maker = name.to_str().and_then(|name| name.strip_prefix(prefix)?.split_once('-')?.0.parse::<u32>().ok());
        if maker.is_some_and(is_gone) && is_own_folder(&entry.path()) && is_old(&entry) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_old(entry: &fs::DirEntry) -> bool {
    let modified = entry.metadata().and_then(|there| there.modified());
    modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age > A_DAY))
}

/// Whether there is a folder, not a link, that only this user has created and can use.
#[cfg(unix)]
fn is_own_folder(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let own = rustix::process::geteuid().as_raw();
    fs::symlink_metadata(path).is_ok_and(|there| there.is_dir() && there.uid() == own && there.mode() % 0o100 == 0)
}

#[cfg(not(unix))]
fn is_own_folder(_: &Path) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{
        fs,
        os::unix::fs::symlink,
        time::{Duration, SystemTime},
    };

    use super::{clear, make};

    #[test]
    fn only_folders_of_dead_processes_are_removed() {
        let prefix = format!("cfg-test-{}-", std::process::id());
        let own = make(&prefix).expect("a folder");
        let dead = make(&format!("{prefix}1-")).expect("a folder").keep();
        fs::write(dead.join("file"), "").expect("written");
        clear(&prefix, &|process| process < 3);
        assert!(dead.exists(), "it is new");
        let before = SystemTime::now() - Duration::from_secs(200_000);
        fs::File::open(&dead).and_then(|dead| dead.set_modified(before)).expect("a time");
        let link = std::env::temp_dir().join(format!("{prefix}2-x"));
        symlink(own.path(), &link).expect("a link");
        clear(&prefix, &|process| process < 3);
        assert!(own.path().is_dir() && !dead.exists() && link.is_symlink());
        fs::remove_file(link).expect("removed");
    }
}
