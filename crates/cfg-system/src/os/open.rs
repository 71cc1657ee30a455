//! Opens files: only regular ones, where they may be used, and not outside the repository by its links.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::{self, Read as _},
    path::{Component, Path, PathBuf},
};

use super::{
    admitted::{Admitted, RequestedPath, root},
    refused,
};
use crate::{
    Refusal, Scope,
    absolute::{around, below, goes_back, is_out_of_reach, is_too_long, tidy},
};

/// The longest chain of links: people have a few, and each costs several looks whenever one of them is followed.
const MAX_LINKS: usize = 16;

/// The maximum number of steps, names and `..`, of a path that goes back, and of the links of a chain together.
const MAX_STEPS: usize = 256;

/// An open file.
pub(super) struct Opened {
    pub(super) file: File,
    /// Its size when it was opened, in bytes.
    size: u64,
}

/// Opens a file for reading.
pub(super) fn open(admitted: &Admitted, place: &RequestedPath, scope: Scope) -> io::Result<Opened> {
    let path = &place.path;
    // For a path elsewhere, not even its existence is reported. A file that is only searched for above a folder counts as missing.
    if !admitted.may_look_untidy(path) {
        return if scope == Scope::Around && !place.is_named {
            Err(io::ErrorKind::NotFound.into())
        } else {
            refused(Refusal::Confined)
        };
    }
    if !place.is_named && is_out_of_reach(path) {
        return if scope == Scope::Around { Err(io::ErrorKind::NotFound.into()) } else { refused(Refusal::TooDeep) };
    }
    if place.is_named {
        if is_own_stream(path) {
            let file = File::open(path)?;
            let size = file.metadata()?.len();
            return Ok(Opened { file, size });
        }
        // Only a link must be followed first, and where a file is matters only if not all may be read.
        if !admitted.is_confined()
            && let Ok(opened) = open_regular(path)
        {
            return Ok(opened);
        }
        let (resolved, missing) = follow(path);
        if !admitted.may_look(&resolved.path) {
            return refused(Refusal::Confined);
        }
        return missing.map_or_else(|| open_regular(&resolved.path), Err);
    }
    if !goes_back(path) && admitted.contains(path, scope) {
        match open_without_links(path) {
            Ok(file) => return regular(file),
            Err(error) if !may_be_behind_links(&error) => return Err(error),
            Err(_) => {}
        }
    }
    let (resolved, missing) = follow(path);
    // For a path that leads outside, not even whether there is a file is reported.
    if !may_be_used(admitted, &resolved, scope) {
        return refused(Refusal::Outside);
    }
    missing.map_or_else(|| open_regular(&resolved.path), Err)
}

/// The real path of a folder whose files are to be listed.
pub(super) fn folder(admitted: &Admitted, place: &RequestedPath, scope: Scope) -> io::Result<PathBuf> {
    if !admitted.may_look_untidy(&place.path) {
        return refused(Refusal::Confined);
    }
    if !place.is_named && is_out_of_reach(&place.path) {
        return refused(Refusal::TooDeep);
    }
    let (mut resolved, missing) = follow(&place.path);
    if !admitted.may_look(&resolved.path) {
        return refused(Refusal::Confined);
    }
    resolved.path.push("file");
    let may = place.is_named || may_be_used(admitted, &resolved, scope);
    resolved.path.pop();
    match missing {
        _ if !may => refused(Refusal::Outside),
        Some(error) => Err(error),
        None => Ok(resolved.path),
    }
}

/// Whether an absolute path stays in the folders in which reading is allowed, wherever its links lead.
pub(super) fn is_confined_to(admitted: &Admitted, path: &Path) -> bool {
    admitted.may_look_untidy(path) && admitted.may_look(&follow(path).0.path)
}

/// Whether a link in a repository leads to a file, or out of the repository, whatever there is.
pub(super) fn may_be_file(admitted: &Admitted, place: &RequestedPath) -> bool {
    let (resolved, missing) = follow(&place.path);
    if !may_be_used(admitted, &resolved, Scope::Inside) {
        return true;
    }
    missing.is_none() && resolved.path.is_file()
}

/// Whether a path is where this scope allows, and no link of a repository leads out of it. A path that leads back from outside would tell whether
/// the folders on its way exist.
fn may_be_used(admitted: &Admitted, Resolved { path, links, left }: &Resolved, scope: Scope) -> bool {
    // The links of a chain are often in one folder.
    let mut folders: Vec<&Path> = links.iter().map(|link| link.parent().unwrap_or(link)).collect();
    folders.dedup();
    let stays = |folder: &&Path| {
        let root = root(folder);
        path.starts_with(fs::canonicalize(&root).unwrap_or(root))
    };
    let is_bound = matches!(scope, Scope::Inside | Scope::Around);
    admitted.contains(path, scope)
        && (scope == Scope::Anywhere || folders.iter().all(stays))
        && (!is_bound || left.iter().all(|folder| admitted.is_known(folder)))
}

/// The bytes of a file, of at most `limit`.
pub(super) fn read_all(Opened { file, size }: Opened, limit: u64) -> io::Result<Vec<u8>> {
    if size > limit {
        return refused(Refusal::TooLarge { limit });
    }
    // There is space for one more byte: a file that leaves it free has ended.
    let mut bytes = Vec::with_capacity(size as usize + 1);
    #[cfg(unix)]
    rustix::io::retry_on_intr(|| rustix::io::read(&file, rustix::buffer::spare_capacity(&mut bytes)))?;
    if cfg!(not(unix)) || bytes.len() as u64 != size {
        file.take((limit + 1).saturating_sub(bytes.len() as u64)).read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 > limit { refused(Refusal::TooLarge { limit }) } else { Ok(bytes) }
}

/// The path of a file or folder that is to be created, changed or removed: of a named link its target, of any other path the path itself.
pub(super) fn to_write(admitted: &Admitted, place: &RequestedPath) -> io::Result<PathBuf> {
    if admitted.is_confined() {
        return refused(Refusal::Confined);
    }
    let resolved = to_lock(admitted, place)?;
    admitted.may_write(place, &resolved)?;
    Ok(resolved.path)
}

/// The path of a lock file, or of a file that is to be created or changed.
pub(super) fn to_lock(admitted: &Admitted, place: &RequestedPath) -> io::Result<Resolved> {
    if !admitted.may_look_untidy(&place.path) {
        return refused(Refusal::Confined);
    }
    if place.is_named {
        return match follow(&place.path) {
            (resolved, None) => Ok(resolved),
            (resolved, Some(error)) if error.kind() == io::ErrorKind::NotFound => {
                let (path, _) = new_path(&place.path)?;
                if path != resolved.path && !goes_back(&place.path) {
                    return Err(io::Error::other("the folders on its path are changing"));
                }
                Ok(Resolved { path, ..resolved })
            }
            (_, Some(error)) => Err(error),
        };
    }
    let (path, is_behind_links) = new_path(&place.path)?;
    if is_behind_links || path.is_symlink() {
        return refused(Refusal::ThroughLink);
    }
    if admitted.is_of_git(&path) {
        return refused(Refusal::OfGit);
    }
    if admitted.contains(&path, Scope::Inside) { Ok(Resolved { path, ..Resolved::default() }) } else { refused(Refusal::Outside) }
}

/// A path that need not exist, with the links before it resolved, and whether there are any.
pub(super) fn new_path(path: &Path) -> io::Result<(PathBuf, bool)> {
    let tidied = tidy(path);
    let there = around(&tidied).skip(1).find(|above| above.exists()).ok_or(io::ErrorKind::NotFound)?;
    let real = fs::canonicalize(there)?;
    let below = tidied.strip_prefix(there).map_err(io::Error::other)?;
    Ok((real.join(below), real != there))
}

/// A path without links, and how it was found.
#[derive(Default)]
pub(super) struct Resolved {
    pub(super) path: PathBuf,
    /// The links to it, each in a folder without links.
    pub(super) links: Vec<PathBuf>,
    /// The folders that a `..` left.
    left: Vec<PathBuf>,
}

impl Resolved {
    fn step(&mut self, name: &OsStr) {
        if name == ".." {
            self.left.push(self.path.clone());
            self.path.pop();
        } else {
            self.path.push(name);
        }
    }
}

/// Follows the links in an absolute path. Where that ends, because there is nothing or it may not be read, the rest of the path is added as it is, with
/// the error.
pub(super) fn follow(path: &Path) -> (Resolved, Option<io::Error>) {
    // Each `..` is a step that the system can't take with the others.
    if is_too_long(path) || goes_back(path) && path.components().count() > MAX_STEPS {
        return (Resolved { path: path.to_owned(), ..Resolved::default() }, Some(Refusal::TooDeep.into()));
    }
    // Most paths have no links, which the system finds out in one step; looking at each folder takes time that grows with the square of the depth.
    if !goes_back(path) {
        let as_it_is = || Resolved { path: path.to_owned(), ..Resolved::default() };
        match look_without_links(path) {
            Ok(()) => return (as_it_is(), None),
            Err(error) if !may_be_behind_links(&error) => return (as_it_is(), Some(error)),
            Err(_) => {}
        }
    }
    let mut resolved = Resolved { path: PathBuf::with_capacity(path.as_os_str().len()), ..Resolved::default() };
    let mut steps = path.components();
    // The steps of the links, the next one at the end; those of the path come after them.
    let mut of_links: Vec<OsString> = Vec::new();
    let mut taken = 0;
    loop {
        let of_link = of_links.pop();
        let Some(name) = of_link.as_deref().or_else(|| Some(steps.next()?.as_os_str())) else { return (resolved, None) };
        resolved.step(name);
        if name == ".." {
            continue;
        }
        let target = match fs::symlink_metadata(&resolved.path) {
            Ok(status) if !status.is_symlink() => continue,
            Ok(_) if resolved.links.len() >= MAX_LINKS => Err(too_many()),
            Ok(_) => fs::read_link(&resolved.path).and_then(|target| {
                taken += target.components().count();
                if taken > MAX_STEPS { Err(too_many()) } else { Ok(target) }
            }),
            Err(error) => Err(error),
        };
        match target {
            Ok(target) => {
                resolved.links.push(resolved.path.clone());
                resolved.path.pop();
                let steps = target.components().filter(|part| *part != Component::CurDir).map(|part| part.as_os_str().to_owned());
                of_links.extend(steps.rev());
            }
            Err(error) => {
                of_links.iter().rev().for_each(|step| resolved.step(step));
                steps.for_each(|step| resolved.step(step.as_os_str()));
                return (resolved, Some(error));
            }
        }
    }
}

fn too_many() -> io::Error {
    io::Error::other("too many links lead from one to the next, or too far")
}

/// Opens a regular file at a path without links. Other types are not even opened: that could block, or have an effect.
fn open_regular(path: &Path) -> io::Result<Opened> {
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return refused(Refusal::NotRegular);
    }
    match open_without_links(path) {
        Err(error) if is_unsupported(&error) => regular(open_anyhow(path)?),
        opened => regular(opened?),
    }
}

/// A file, if it is a regular one, and its bytes are on a disk.
fn regular(file: File) -> io::Result<Opened> {
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let size = metadata.len();
    if metadata.is_file() && !is_made_up(&file, size) { Ok(Opened { file, size }) } else { refused(Refusal::NotRegular) }
}

/// Whether a path names an open stream of this process, such as a shell creates for `cfg check <(command)`.
fn is_own_stream(path: &Path) -> bool {
    let is_below = |folder: &str| below(path, Path::new(folder)).is_some_and(|number| number.components().count() == 1);
    path.as_os_str() == "/dev/stdin" || is_below("/dev/fd") || is_below("/proc/self/fd")
}

/// Opens a file without following any link.
#[cfg(target_os = "linux")]
fn open_without_links(path: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    // A pipe is opened without waiting for a writer.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?.into())
}

#[cfg(not(target_os = "linux"))]
fn open_without_links(_: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Opens a folder without following any link, for what is done in it; `None` if links can't be refused here.
#[cfg(target_os = "linux")]
pub(super) fn open_folder_without_links(path: &Path) -> io::Result<Option<File>> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS).map_err(io::Error::from) {
        Ok(folder) => Ok(Some(folder.into())),
        Err(error) if is_unsupported(&error) => Ok(None),
        Err(error) if may_be_behind_links(&error) => refused(Refusal::ThroughLink),
        Err(error) => Err(error),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) const fn open_folder_without_links(_: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// Whether there is something at a path without links. It is not opened.
#[cfg(target_os = "linux")]
fn look_without_links(path: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    Ok(openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS).map(drop)?)
}

#[cfg(not(target_os = "linux"))]
fn look_without_links(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Opens a file that was just checked to be a regular one.
fn open_anyhow(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY).bits().cast_signed(),
    );
    options.open(path)
}

/// Whether an error may mean that there are links in the path, or that links can't be refused here.
fn may_be_behind_links(error: &io::Error) -> bool {
    #[cfg(unix)]
    if rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::LOOP) {
        return true;
    }
    is_unsupported(error)
}

/// Whether this system has no way to refuse links. Containers answer with EPERM to unknown system calls.
fn is_unsupported(error: &io::Error) -> bool {
    #[cfg(target_os = "linux")]
    if let Some(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) = rustix::io::Errno::from_io_error(error) {
        return true;
    }
    error.kind() == io::ErrorKind::Unsupported
}

/// Whether the kernel generates a file while it is read, as those of `/proc`: for example an environment with its secrets.
#[cfg(target_os = "linux")]
fn is_made_up(file: &File, size: u64) -> bool {
    /// proc, sysfs, debugfs, tracefs, securityfs, cgroup, cgroup2, bpf, nsfs, selinuxfs, efivarfs, configfs, `binfmt_misc`, pstore.
    const MADE_UP: [u32; 14] = [
        0x9fa0,
        0x6265_6572,
        0x6462_6720,
        0x7472_6163,
        0x7363_6673,
        0x0027_e0eb,
        0x6367_7270,
        0xcafe_4a11,
        0x6e73_6673,
        0xf97c_ff8c,
        0xde5e_81e4,
        0x6265_6570,
        0x4249_4e4d,
        0x6165_676c,
    ];
    /// Such files have no size, or the size of a page.
    const PAGE: u64 = 4096;
    size.is_multiple_of(PAGE)
        && rustix::fs::fstatfs(file)
            .is_ok_and(|system| MADE_UP.iter().any(|magic| i128::from(system.f_type) == i128::from(*magic)))
}

#[cfg(not(target_os = "linux"))]
const fn is_made_up(_: &File, _: u64) -> bool {
    false
}
