//! Folders that are held open while something in them is changed: what takes the place of one meanwhile, such as a link, is not written into.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use super::open::open_folder_without_links;

/// A path that is to be written, in a folder that is held open.
pub(super) struct Held {
    /// The path by which the file is written.
    pub(super) path: PathBuf,
    #[expect(dead_code, reason = "it is held, not used")]
    folder: Option<File>,
}

impl Held {
    /// A path without links, in a folder that exists.
    pub(super) fn new(path: PathBuf) -> io::Result<Self> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(Self { path, folder: None }) };
        let held = open_folder_without_links(folder)?;
        Ok(Self { path: held.as_ref().map_or_else(|| path.clone(), |held| below(held, name)), folder: held })
    }
}

/// Creates a folder at a path without links, and those above it, unless they exist.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    let mut new: Vec<&OsStr> = Vec::new();
    let mut at = path;
    while fs::symlink_metadata(at).is_err() {
        let (Some(folder), Some(name)) = (at.parent(), at.file_name()) else { break };
        new.push(name);
        at = folder;
    }
    let Some(mut folder) = open_folder_without_links(at)? else { return fs::create_dir_all(path) };
    for name in new.into_iter().rev() {
        let path = below(&folder, name);
        match fs::create_dir(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        folder = open_step(&path)?;
    }
    Ok(())
}

/// A name in an open folder, as a path.
#[cfg(target_os = "linux")]
fn below(folder: &File, name: &OsStr) -> PathBuf {
    use std::os::fd::AsRawFd as _;
    PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())).join(name)
}

#[cfg(not(target_os = "linux"))]
fn below(_: &File, name: &OsStr) -> PathBuf {
    name.into()
}

/// Opens a folder that is no link, in one that is held open.
#[cfg(target_os = "linux")]
fn open_step(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(open(path, flags, Mode::empty())?.into())
}

#[cfg(not(target_os = "linux"))]
fn open_step(_: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::{Held, create_folder};

    #[test]
    fn a_link_that_takes_the_place_of_a_held_folder_is_not_written_through() {
        let root = tempfile::tempdir().expect("a folder");
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("in")).and_then(|()| fs::create_dir(at("out"))).expect("folders");
        let held = Held::new(fs::canonicalize(root.path()).expect("a path").join("in/file")).expect("a folder");
        fs::rename(at("in"), at("moved")).and_then(|()| symlink(at("out"), at("in"))).expect("replaced");
        fs::write(&held.path, "text").expect("written");
        assert!(at("moved/file").exists());
        assert!(!at("out/file").exists());
    }

    #[test]
    fn folders_are_created_below_folders_alone() {
        let root = tempfile::tempdir().expect("a folder");
        let real = fs::canonicalize(root.path()).expect("a path");
        create_folder(&real.join("a/b/c")).expect("created");
        create_folder(&real.join("a/b/c")).expect("it exists");
        fs::create_dir(real.join("out")).and_then(|()| symlink(real.join("out"), real.join("link"))).expect("a link");
        create_folder(&real.join("link/d")).expect_err("a link");
        fs::write(real.join("file"), "").expect("written");
        create_folder(&real.join("file/d")).expect_err("a file");
        assert!(real.join("a/b/c").is_dir() && !real.join("out/d").exists());
    }
}
