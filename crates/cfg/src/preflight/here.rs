//! The machine that we run on.

use std::{
    env, fs, io,
    io::Read as _,
    path::{Path, PathBuf},
};

use super::{Machine, Process};

/// So much of a small file is read.
const SMALL: u64 = 64 * 1024 * 1024;

/// This machine.
pub(crate) struct Here;

impl Machine for Here {
    fn variable(&self, name: &str) -> Option<String> {
        env::var(name).ok().filter(|value| !value.is_empty())
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        let path = env::var_os("PATH")?;
        env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_program(file))
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let mut names: Vec<String> =
            fs::read_dir(folder)?.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort_unstable();
        Ok(names)
    }

    fn text(&self, path: &Path) -> io::Result<String> {
        if !fs::metadata(path)?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut bytes = Vec::new();
        fs::File::open(path)?.take(SMALL).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn free_bytes(&self, path: &Path) -> Option<u64> {
        let absolute = env::current_dir().ok()?.join(path);
        let existing = absolute.ancestors().find(|folder| folder.exists())?;
        let stat = rustix::fs::statvfs(existing).ok()?;
        stat.f_bavail.checked_mul(stat.f_frsize)
    }

    fn open_files(&self) -> Option<(Option<u64>, Option<u64>)> {
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
        Some((limit.current, limit.maximum))
    }

    fn processes(&self) -> Vec<Process> {
        let own = ancestors();
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let mut found: Vec<Process> = ids.filter(|id| !own.contains(id)).filter_map(process).collect();
        found.sort_by_key(|process| process.id);
        found
    }

    fn listens(&self, port: u16) -> Option<bool> {
        let tables: Vec<String> =
            ["/proc/net/tcp", "/proc/net/tcp6"].iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
        (!tables.is_empty()).then(|| tables.iter().any(|table| has_listener(table, port)))
    }
}

fn is_program(file: &Path) -> bool {
    let Ok(metadata) = fs::metadata(file) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    {
        metadata.is_file()
    }
}

/// This process and those above it.
fn ancestors() -> Vec<u32> {
    let parent = |id: u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name in brackets may hold anything; behind it come the state and the parent.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok().filter(|parent| *parent > 0)
    };
    std::iter::successors(Some(std::process::id()), |id| parent(*id)).take(64).collect()
}

fn process(id: u32) -> Option<Process> {
    let bytes = fs::read(format!("/proc/{id}/cmdline")).ok()?;
    let words: Vec<String> = bytes
        .split(|byte| *byte == 0)
        .filter(|word| !word.is_empty())
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect();
    (!words.is_empty()).then_some(Process { id, words })
}

/// Whether a table of connections has one that listens (state 0A) on a port.
fn has_listener(table: &str, port: u16) -> bool {
    let end = format!(":{port:04X}");
    table.lines().skip(1).any(|line| {
        let mut columns = line.split_whitespace().skip(1);
        columns.next().is_some_and(|local| local.ends_with(&end)) && columns.nth(1) == Some("0A")
    })
}

#[cfg(test)]
mod tests {
    use super::has_listener;

    #[test]
    fn listeners_are_told_from_connections() {
        let table = "  sl  local_address rem_address   st\n   0: 00000000:1F40 00000000:0000 0A 0\n   1: 0100007F:2328 0100007F:9999 01 0\n";
        assert!(has_listener(table, 8000));
        assert!(!has_listener(table, 9000));
    }
}
