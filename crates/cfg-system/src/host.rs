//! The machine: its programs, its environment, its time.

use std::{
    ffi::{OsStr, OsString},
    fmt, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// The machine that we run on.
pub trait Host: fmt::Debug + Send + Sync {
    /// The working folder, to which relative paths belong; empty if it is gone.
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
    /// Where it can't be read, or is longer.
    fn input(&self, limit: u64) -> io::Result<Vec<u8>>;

    /// Standard input, piece by piece.
    fn input_stream(&self) -> Box<dyn io::Read + Send>;

    /// Whether somebody sits at standard input who can be asked.
    fn is_interactive(&self) -> bool;

    /// Standard output, without a buffer where the system allows that.
    fn output_stream(&self) -> Box<dyn io::Write + Send>;

    /// The folders of `PATH`.
    fn path(&self) -> Vec<PathBuf>;

    /// Where the program is that this name means: in a folder of `PATH` that is not part of the repository.
    fn find_program(&self, name: &str) -> Option<PathBuf>;

    /// What a program writes to its standard output.
    ///
    /// # Errors
    ///
    /// Where there is no such program, it fails, or does not end in time.
    fn run(&self, program: &Program) -> Result<Vec<u8>, NoAnswer>;

    /// Runs a program to its end, however it ends and however long it takes.
    ///
    /// # Errors
    ///
    /// Where there is no such program, or it can't be started.
    fn output(&self, program: &Program) -> io::Result<Output>;

    /// Starts a program that answers several questions, for none of which it may take longer than its limit of time.
    ///
    /// # Errors
    ///
    /// Where there is no such program, or it can't be started.
    fn start(&self, program: &Program) -> io::Result<Box<dyn Running>>;

    /// Runs a program to its end, on our own standard streams; whether it succeeded. What it writes also goes into a log, if that can be had.
    /// `started` gets whether it can.
    ///
    /// # Errors
    ///
    /// Where there is no such program, or it can't be started.
    fn execute(&self, program: &Program, log: Option<&Path>, started: &mut dyn FnMut(bool)) -> io::Result<bool>;

    /// Bytes that are free for us on the disk of a path, which need not exist yet.
    fn free_disk(&self, path: &Path) -> Option<u64>;

    /// How many files may be open.
    fn limit_of_files(&self) -> Option<LimitOfFiles>;

    /// Raises the limit of open files as far as it goes, up to this many.
    fn raise_limit_of_files(&self, most: u64);

    /// The processes of this machine, but this one and those above it.
    fn processes(&self) -> Vec<Process>;

    /// Whether a process still runs; `None` if that is unknown.
    fn runs(&self, process: u32) -> Option<bool>;

    /// Whether something listens on a port; `None` if that is unknown.
    fn listens(&self, port: u16) -> Option<bool>;

    /// The program that is running.
    ///
    /// # Errors
    ///
    /// Where that is unknown.
    fn own_program(&self) -> io::Result<PathBuf>;
}

/// A program to be started. It is searched for with [`Host::find_program`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name, or its path.
    pub name: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The variables that it gets besides ours; `None` takes one away.
    pub environment: Vec<(OsString, Option<OsString>)>,
    /// The folder in which it works, if that is not ours.
    pub folder: Option<PathBuf>,
    /// The exit codes with which its answer counts.
    pub endings: &'static [i32],
    /// What it gets on its standard input.
    pub input: Vec<u8>,
    /// How long it may take.
    pub limit: Duration,
    /// How many bytes of its answer are read.
    pub most: u64,
}

/// A program that runs, and what it reads and writes.
pub trait Running: Send {
    /// Its standard input.
    fn input(&mut self) -> &mut dyn io::Write;
    /// Its standard output.
    fn output(&mut self) -> &mut dyn io::BufRead;
}

/// What a program has written, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// How it ended, in words: `exit status: 1`.
    pub status: String,
    /// What it wrote to its standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to its standard error.
    pub stderr: Vec<u8>,
}

/// Why a program gives no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// There is no such program.
    Absent,
    /// It failed, and says why, if it says anything.
    Failed(String),
    /// It did not end in time.
    Late,
}

/// How many files a process may have open; `None` if there is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitOfFiles {
    /// The limit that holds.
    pub current: Option<u64>,
    /// The limit up to which it can be raised.
    pub most: Option<u64>,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub id: u32,
    /// Its words.
    pub words: Vec<String>,
}

impl Program {
    /// A program that answers at once, with at most 1 MiB.
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
        }
    }

    /// With further arguments.
    #[must_use]
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// With a variable of its environment.
    #[must_use]
    pub fn variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), Some(value.into())));
        self
    }

    /// Working in a folder.
    #[must_use]
    pub fn in_folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    /// Whose answer counts with each of these exit codes.
    #[must_use]
    pub const fn ending_with(mut self, endings: &'static [i32]) -> Self {
        self.endings = endings;
        self
    }

    /// With these bytes on its standard input.
    #[must_use]
    pub fn told(mut self, input: &[u8]) -> Self {
        input.clone_into(&mut self.input);
        self
    }

    /// With a limit of time, and of the bytes that are read of its answer.
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
        }
    }
}

impl std::error::Error for NoAnswer {}
