//! Facts about the machine.

use std::{
    collections::BTreeSet,
    env,
    ffi::{OsStr, OsString},
    fs,
    io::{self, BufRead as _, Read as _},
    path::{Path, PathBuf},
    process,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{OsSystem, refused};
use crate::{Host, Kind, LimitOfFiles, NoAnswer, Output, Process, Program, Refusal, Running, around};

impl Host for OsSystem {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn variable(&self, name: &str) -> Option<OsString> {
        let value = match &self.environment {
            Some(environment) => environment.get(&OsString::from(name)).cloned(),
            None => env::var_os(name),
        };
        value.filter(|value| !value.is_empty())
    }

    fn variables(&self) -> Vec<(OsString, OsString)> {
        match &self.environment {
            Some(environment) => environment.clone().into_iter().collect(),
            None => env::vars_os().collect(),
        }
    }

    fn now(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }

    fn input(&self, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        io::stdin().lock().take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit { refused(Refusal::TooLarge { limit }) } else { Ok(bytes) }
    }

    fn input_stream(&self) -> Box<dyn io::Read + Send> {
        Box::new(io::stdin())
    }

    fn has_input(&self) -> bool {
        io::stdin().lock().fill_buf().is_ok_and(|bytes| !bytes.is_empty())
    }

    fn is_interactive(&self) -> bool {
        io::IsTerminal::is_terminal(&io::stdin())
    }

    fn output_stream(&self) -> Box<dyn io::Write + Send> {
        #[cfg(unix)]
        if let Ok(output) = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned() {
            return Box::new(fs::File::from(output));
        }
        Box::new(io::stdout())
    }

    fn path(&self) -> Vec<PathBuf> {
        self.variable("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default()
    }

    fn find_program(&self, name: &str) -> Option<PathBuf> {
        self.program(name.as_ref())
    }

    fn run(&self, program: &Program) -> Result<Vec<u8>, NoAnswer> {
        self.answer(program, None)
    }

    fn run_until(&self, program: &Program, is_stopped: &dyn Fn() -> bool) -> Result<Vec<u8>, NoAnswer> {
        self.answer(program, Some(is_stopped))
    }

    fn output(&self, program: &Program) -> io::Result<Output> {
        self.output_of(program)
    }

    fn start(&self, program: &Program) -> io::Result<Box<dyn Running>> {
        self.running(program)
    }

    fn execute(&self, program: &Program, log: Option<&Path>, started: &mut dyn FnMut(bool)) -> io::Result<bool> {
        self.run_to_completion(program, log, started)
    }

    fn unusual_below(&self, folder: &Path, is_entered: &dyn Fn(&OsStr) -> bool, most: usize) -> Option<Vec<(PathBuf, Kind)>> {
        self.folders.unusual_below(&self.folder.join(folder), is_entered, most)
    }

    #[cfg(unix)]
    fn free_disk(&self, path: &Path) -> Option<u64> {
        let absolute = self.folder.join(path);
        let existing = around(&absolute).find(|folder| folder.exists())?;
        let stat = rustix::fs::statvfs(existing).ok()?;
        stat.f_bavail.checked_mul(stat.f_frsize)
    }

    #[cfg(not(unix))]
    fn free_disk(&self, _: &Path) -> Option<u64> {
        None
    }

    fn main_memory(&self) -> Option<u64> {
        let stated = fs::read_to_string("/proc/meminfo").ok()?;
        let total = stated.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        total.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    }

    #[cfg(unix)]
    fn limit_of_files(&self) -> Option<LimitOfFiles> {
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
        Some(LimitOfFiles { current: limit.current, most: limit.maximum })
    }

    #[cfg(not(unix))]
    fn limit_of_files(&self) -> Option<LimitOfFiles> {
        None
    }

    fn raise_limit_of_files(&self, most: u64) {
        #[cfg(unix)]
        {
            use rustix::process::{Resource, getrlimit, setrlimit};
            let mut limit = getrlimit(Resource::Nofile);
            let most = limit.maximum.map_or(most, |maximum| maximum.min(most));
            if limit.current.is_some_and(|current| current < most) {
                limit.current = Some(most);
                // If it fails, the old limit is still in effect.
                let _ = setrlimit(Resource::Nofile, limit);
            }
        }
        #[cfg(not(unix))]
        let _ = most;
    }

    fn processes(&self) -> Vec<Process> {
        let own = ancestors();
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let mut found: Vec<Process> = ids.filter(|id| !own.contains(id)).filter_map(read_process).collect();
        found.sort_by_key(|process| process.id);
        found
    }

    fn runs(&self, process: u32) -> Option<bool> {
        Path::new("/proc/self").exists().then(|| Path::new(&format!("/proc/{process}")).exists())
    }

    fn listening(&self) -> Option<BTreeSet<u16>> {
        let tables: Vec<String> =
            ["/proc/net/tcp", "/proc/net/tcp6"].iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
        (!tables.is_empty()).then(|| tables.iter().flat_map(|table| listeners(table)).collect())
    }

    fn own_program(&self) -> io::Result<PathBuf> {
        env::current_exe()
    }
}

/// This process and its ancestors.
fn ancestors() -> Vec<u32> {
    let parent = |id: u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name in brackets may contain anything; the state and the parent come after it.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok().filter(|parent| *parent > 0)
    };
    std::iter::successors(Some(process::id()), |id| parent(*id)).take(64).collect()
}

fn read_process(id: u32) -> Option<Process> {
    let bytes = fs::read(format!("/proc/{id}/cmdline")).ok()?;
    let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    (!words.is_empty()).then_some(Process { id, words })
}

/// The ports of a table of connections on which something listens (state 0A).
fn listeners(table: &str) -> impl Iterator<Item = u16> {
    table.lines().skip(1).filter_map(|line| {
        let mut columns = line.split_whitespace().skip(1);
        let (_, port) = columns.next()?.rsplit_once(':')?;
        (columns.nth(1) == Some("0A")).then_some(())?;
        u16::from_str_radix(port, 16).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::listeners;

    #[test]
    fn listeners_are_distinguished_from_connections() {
        let table = "  sl  local_address rem_address   st\n   0: 00000000:1F40 00000000:0000 0A 0\n   1: 0100007F:2328 0100007F:9999 01 0\n";
        assert_eq!(listeners(table).collect::<Vec<_>>(), [8000]);
    }
}
