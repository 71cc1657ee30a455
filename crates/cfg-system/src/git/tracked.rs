//! The files that git tracks, read from the index of a repository without starting git.
//!
//! The format is described in git's `index-format`: a header, the entries in the order of their paths, and extensions.

use std::{borrow::Cow, path::Path, time::Duration};

use super::{Repository, answer, ask, belongs, own_folder, path};
use crate::{Role, System};

/// The tracked files of a repository that were asked for: their paths relative to its root, as git writes them and in its order, that of their bytes.
#[derive(Debug, Default)]
pub struct Tracked(Vec<Box<[u8]>>);

/// The bytes before the hash of an entry: times, device, mode, owner, size.
const STATUS: usize = 40;

/// The place of the mode in them.
const MODE: std::ops::Range<usize> = 24..28;

/// The sizes of hashes, in both formats of repositories.
const HASHES: [usize; 2] = [20, 32];

/// The flag of an entry with further flags.
const IS_EXTENDED: u16 = 0x4000;

/// The time limit for git, if it is asked.
const LIMIT: Duration = Duration::from_secs(20);

/// The maximum size of its answer in bytes.
const MAX_ANSWER: u64 = 64 << 20;

impl Tracked {
    /// As [`read`](Self::read); git is asked only for an index that can't be read.
    pub fn of(system: &dyn System, top: &Path, wanted: &dyn Fn(&Path) -> bool) -> Option<Self> {
        Self::read(system, top, wanted).or_else(|| {
            let program = ask(system.host(), top, Repository::AroundFolder, ["ls-files", "-z"]).limited(LIMIT, MAX_ANSWER);
            let listed = answer(system, top, Repository::AroundFolder, &program).ok()?;
            let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
            Some(Self::sorted(names.filter(|name| wanted(&path(name))).map(Into::into).collect()))
        })
    }

    /// The tracked files in the repository whose root is `top`, of those that are `wanted` by their paths. Links count as files. `None` if its index
    /// can't be read, is not complete, or is that of another repository.
    pub fn read(system: &dyn System, top: &Path, wanted: &dyn Fn(&Path) -> bool) -> Option<Self> {
        let own = own_folder(system, top)?;
        if !belongs(system, top, &own) {
            return None;
        }
        let index = own.join("index");
        if !system.is_there(&index) {
            return Some(Self::default());
        }
        let bytes = system.read(&index, Role::GitFile).ok()?;
        let names = HASHES.iter().find_map(|hash| names(&bytes, *hash, &|name| wanted(&path(name))))?;
        Some(Self::sorted(names))
    }

    fn sorted(mut names: Vec<Box<[u8]>>) -> Self {
        // They are, in an index that git has written.
        names.sort();
        Self(names)
    }

    /// Whether a file is tracked.
    pub fn has(&self, file: &Path) -> bool {
        let name = written(file);
        self.0.binary_search_by(|known| (**known).cmp(&name)).is_ok()
    }

    /// Whether any file below a folder is tracked.
    pub fn has_below(&self, folder: &Path) -> bool {
        let mut begin = written(folder).into_owned();
        // All files are below the folder of the repository.
        if !begin.is_empty() {
            begin.push(b'/');
        }
        let first = self.0.partition_point(|known| **known < *begin);
        self.0.get(first).is_some_and(|known| known.starts_with(&begin))
    }
}

/// A relative path as git writes it, with slashes.
fn written(path: &Path) -> Cow<'_, [u8]> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if cfg!(windows) { bytes.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect() } else { bytes.into() }
}

/// The names of the wanted files in an index with hashes of this size; `None` if it has another form.
fn names(bytes: &[u8], hash: usize, wanted: &dyn Fn(&[u8]) -> bool) -> Option<Vec<Box<[u8]>>> {
    let mut rest = Bytes(bytes);
    if rest.take(4)? != b"DIRC" {
        return None;
    }
    let version = rest.number()?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let count = rest.number()?;
    let mut names = Vec::new();
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..count {
        let before = rest.0.len();
        let mode = Bytes(&rest.take(STATUS)?[MODE]).number()?;
        rest.take(hash)?;
        let flags = rest.short()?;
        if flags & IS_EXTENDED != 0 {
            rest.take(2)?;
        }
        if version == 4 {
            // Only what differs from the previous name is stored.
            let cut = rest.variable()?;
            name.truncate(name.len().checked_sub(cut)?);
            name.extend_from_slice(rest.until_zero()?);
        } else {
            rest.until_zero()?.clone_into(&mut name);
            // There are one to eight zeros, so that the length is a multiple of eight; one of them was read.
            let length = before - rest.0.len();
            rest.take(length.next_multiple_of(8) - length)?;
        }
        match mode >> 12 {
            // A file, and a link.
            0o10 | 0o12 if !name.is_empty() => {
                if wanted(&name) {
                    names.push(name.as_slice().into());
                }
            }
            // A submodule, and a folder that is not checked out.
            0o16 | 0o4 => {}
            _ => return None,
        }
    }
    is_complete(rest, hash).then_some(names)
}

/// Whether an index has all entries itself, by its extensions: a split one has most of them in another file.
fn is_complete(mut rest: Bytes<'_>, hash: usize) -> bool {
    while rest.0.len() > hash {
        let (Some(name), Some(length)) = (rest.take(4), rest.number()) else { return false };
        if name == b"link" || rest.take(length as usize).is_none() {
            return false;
        }
    }
    rest.0.len() == hash
}

/// The bytes that were not read yet.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn until_zero(&mut self) -> Option<&'b [u8]> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let name = self.take(end)?;
        self.take(1)?;
        Some(name)
    }

    /// A number in git's variable length: seven bits in each byte, and one is added for each byte that follows.
    fn variable(&mut self) -> Option<usize> {
        let mut number = 0usize;
        loop {
            let byte = self.take(1)?[0];
            number = number.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
            number = number.checked_add(1)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Tracked;
    use crate::MemorySystem;

    /// An index of version 2 with an empty file of this name, which is only as long as git writes it with `tail`.
    fn index(version: u8, name: &str, mode: u32, tail: &[u8]) -> Vec<u8> {
        let mut bytes = [b"DIRC".as_slice(), &[0, 0, 0, version, 0, 0, 0, 1]].concat();
        let mut entry = vec![0; 40];
        entry[24..28].copy_from_slice(&mode.to_be_bytes());
        entry.extend([0; 20]);
        entry.extend([0, name.len() as u8]);
        entry.extend(name.as_bytes());
        let length = entry.len() / 8 * 8 + 8;
        entry.resize(length, 0);
        bytes.extend(entry);
        bytes.extend(tail);
        bytes.extend([0; 20]);
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Tracked> {
        let system = MemorySystem::with_files([("/p/.git/HEAD", "")]);
        system.put_bytes(Path::new("/p/.git/index"), bytes);
        Tracked::read(&system, Path::new("/p"), &|path| path.extension().is_some_and(|ending| ending == "toml"))
    }

    #[test]
    fn an_index_that_is_not_understood_tells_nothing() {
        let file = 0o100_644;
        let tracked = read(&index(2, "a/b.toml", file, b"")).expect("it is complete");
        assert!(tracked.has(Path::new("a/b.toml")) && tracked.has_below(Path::new("a")));
        assert!(!tracked.has_below(Path::new("a/b")) && !tracked.has(Path::new("a")));
        assert!(read(&index(2, "a/b.toml", file, b"TREE\0\0\0\x01x")).is_some());
        assert!(read(&index(2, "a/b.txt", file, b"")).is_some_and(|tracked| !tracked.has(Path::new("a/b.txt"))));
        let whole = index(2, "a/b.toml", file, b"");
        for cut in [0, 11, 40, whole.len() - 1] {
            assert!(read(&whole[..cut]).is_none(), "{cut}");
        }
        assert!(read(&index(2, "a/b.toml", file, b"link\0\0\0\0")).is_none(), "split");
        assert!(read(&index(5, "a/b.toml", file, b"")).is_none());
        assert!(read(&index(2, "a/b.toml", 0o777_777, b"")).is_none());
        assert!(read(&index(2, "", file, b"")).is_none());
        let none = MemorySystem::with_files([("/p/.git/HEAD", "")]);
        assert!(Tracked::read(&none, Path::new("/p"), &|_| true).is_some(), "nothing was added yet");
        assert!(Tracked::read(&none, Path::new("/q"), &|_| true).is_none());
    }
}
