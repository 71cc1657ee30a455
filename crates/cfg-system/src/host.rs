//! The machine: its programs, its environment, its time.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fmt, io,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::Kind;

/// The machine that this process runs on.
pub trait Host: fmt::Debug + Send + Sync {
    /// The working folder, which relative paths are relative to; empty if it is gone.
    fn folder(&self) -> &Path;

    /// A variable of the environment; `None` if it is not set or empty.
    fn variable(&self, name: &str) -> Option<OsString>;

    /// All variables of the environment.
    fn variables(&self) -> Vec<(OsString, OsString)>;

    /// The time since 1970.
    fn now(&self) -> Duration;

    /// All of standard input, of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// If it can't be read, or is longer.
    fn input(&self, limit: u64) -> io::Result<Vec<u8>>;

    /// Standard input as a stream.
    fn input_stream(&self) -> Box<dyn io::Read + Send>;

    /// Whether standard input has at least one byte, which it keeps. Waits for the first byte or the end.
    fn has_input(&self) -> bool;

    /// Whether standard input is a terminal with a user.
    fn is_interactive(&self) -> bool;

    /// Standard output, without a buffer if the system allows that.
    fn output_stream(&self) -> Box<dyn io::Write + Send>;

    /// The folders of `PATH`.
    fn path(&self) -> Vec<PathBuf>;

    /// The path of a program by its name: in a folder of `PATH` that is not part of the repository.
    fn find_program(&self, name: &str) -> Option<PathBuf>;

    /// The standard output of a program.
    ///
    /// # Errors
    ///
    /// If there is no such program, it fails, or does not end in time.
    fn run(&self, program: &Program) -> Result<Vec<u8>, NoAnswer>;

    /// As [`Host::run`], but the program is ended soon after `is_stopped` is true.
    ///
    /// # Errors
    ///
    /// As [`Host::run`]; a program that was ended has failed.
    fn run_until(&self, program: &Program, is_stopped: &dyn Fn() -> bool) -> Result<Vec<u8>, NoAnswer> {
        if is_stopped() { Err(NoAnswer::Failed("it was stopped".to_owned())) } else { self.run(program) }
    }

    /// Runs a program to its end, however it ends and however long it takes.
    ///
    /// # Errors
    ///
    /// If there is no such program, or it can't be started.
    fn output(&self, program: &Program) -> io::Result<Output>;

    /// Starts a program that answers several questions, each within its time limit.
    ///
    /// # Errors
    ///
    /// If there is no such program, or it can't be started.
    fn start(&self, program: &Program) -> io::Result<Box<dyn Running>>;

    /// Runs a program to its end, on this process's standard streams; returns whether it succeeded. Its output is also written to a log, if possible.
    /// `started` is called with whether it is.
    ///
    /// # Errors
    ///
    /// If there is no such program, or it can't be started.
    fn execute(&self, program: &Program, log: Option<&Path>, started: &mut dyn FnMut(bool)) -> io::Result<bool>;

    /// The links, pipes and devices below a folder, by their paths, each with its own type: what a program that opens the files there could be led away by,
    /// or wait for. Of the folders directly in it, those are entered whose names `is_entered` accepts. `None` if there are more than `most` entries, or they
    /// are too deep.
    fn unusual_below(&self, folder: &Path, is_entered: &dyn Fn(&OsStr) -> bool, most: usize) -> Option<Vec<(PathBuf, Kind)>>;

    /// The bytes that are free for this user on the disk of a path, which need not exist yet.
    fn free_disk(&self, path: &Path) -> Option<u64>;

    /// The bytes of the machine's main memory; `None` if unknown.
    fn main_memory(&self) -> Option<u64> {
        None
    }

    /// The limit of open files.
    fn limit_of_files(&self) -> Option<LimitOfFiles>;

    /// Raises the limit of open files as far as possible, up to this number.
    fn raise_limit_of_files(&self, most: u64);

    /// The processes of this machine, except this one and its ancestors.
    fn processes(&self) -> Vec<Process>;

    /// Whether a process is still running; `None` if unknown.
    fn runs(&self, process: u32) -> Option<bool>;

    /// The ports on which processes listen; `None` if unknown.
    fn listening(&self) -> Option<BTreeSet<u16>>;

    /// The program that is running.
    ///
    /// # Errors
    ///
    /// If unknown.
    fn own_program(&self) -> io::Result<PathBuf>;
}

/// A program to start. [`Host::find_program`] finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name, or its path.
    pub name: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The variables that it gets in addition to those of this process; `None` removes one.
    pub environment: Vec<(OsString, Option<OsString>)>,
    /// Its working folder, if it is not that of this process.
    pub folder: Option<PathBuf>,
    /// The exit codes with which its answer counts.
    pub endings: &'static [i32],
    /// What it gets on its standard input.
    pub input: Vec<u8>,
    /// Its time limit.
    pub limit: Duration,
    /// The limit of bytes of its answer.
    pub most: u64,
    /// Whether it is asked again after it was late once.
    pub is_forgiven: bool,
}

/// A running program, with its input and output.
pub trait Running: Send {
    /// Its standard input.
    fn input(&mut self) -> &mut dyn io::Write;
    /// Its standard output.
    fn output(&mut self) -> &mut dyn io::BufRead;
}

/// The output and the end of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Its end, in words: `exit status: 1`.
    pub status: String,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// Why a program gives no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// There is no such program.
    Absent,
    /// It failed, with its message if it has one.
    Failed(String),
    /// It did not end in time.
    Late,
    /// Its answer exceeds this many bytes.
    TooLong(u64),
}

/// The limit of a process's open files; `None` if there is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitOfFiles {
    /// The current limit.
    pub current: Option<u64>,
    /// The highest possible limit.
    pub most: Option<u64>,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub id: u32,
    /// Its arguments.
    pub words: Vec<String>,
}

impl Program {
    /// A program that answers immediately, with at most 1 MiB.
    pub fn new(name: impl Into<OsString>) -> Self {
        Self {
            name: name.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: None,
            endings: &[0],
            input: Vec::new(),
            limit: Duration::from_secs(20),
            most: 1 << 20,
            is_forgiven: false,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), Some(value.into())));
        self
    }

    /// Sets the working folder.
    #[must_use]
    pub fn in_folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    /// Sets the exit codes of a valid answer.
    #[must_use]
    pub const fn ending_with(mut self, endings: &'static [i32]) -> Self {
        self.endings = endings;
        self
    }

    /// Sets the bytes on its standard input.
    #[must_use]
    pub fn with_input(mut self, input: &[u8]) -> Self {
        input.clone_into(&mut self.input);
        self
    }

    /// Asks it again although it was late before: its other questions have nothing to do with that one.
    #[must_use]
    pub const fn forgiving(mut self) -> Self {
        self.is_forgiven = true;
        self
    }

    /// Sets a time limit, and a limit of the answer's size in bytes.
    #[must_use]
    pub const fn limited(mut self, limit: Duration, most: u64) -> Self {
        (self.limit, self.most) = (limit, most);
        self
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => formatter.write_str("program not found"),
            Self::Failed(why) if why.is_empty() => formatter.write_str("it failed"),
            Self::Failed(why) => write!(formatter, "it failed: {why}"),
            Self::Late => formatter.write_str("it timed out"),
            Self::TooLong(most) => write!(formatter, "it failed: its output exceeds {}", crate::role::size(*most)),
        }
    }
}

impl std::error::Error for NoAnswer {}
