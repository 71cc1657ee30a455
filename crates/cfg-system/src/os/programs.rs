//! Starts other programs: those of the user, never those of a repository.

#[cfg(not(unix))]
#[path = "programs/talk_by_threads.rs"]
mod talk;
#[cfg(unix)]
#[path = "programs/talk.rs"]
mod talk;

use std::{
    env,
    ffi::{OsStr, OsString},
    io::{self, BufReader},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use super::{OsSystem, late::Late, status};
use crate::{Host as _, Kind, NoAnswer, Output, Program, Running};

/// The memory limit of a program that answers a question, in bytes.
#[cfg(target_os = "linux")]
const MAX_MEMORY: u64 = 2 << 30;

/// The variables with which a program finds others, or its own modules.
const SEARCHED: [&str; 4] = ["PATH", "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE"];

/// The folders for programs if there is no `PATH`.
const USUAL: [&str; 2] = ["/bin", "/usr/bin"];

impl OsSystem {
    /// The path of a program by its name. Entries of `PATH` that are relative, or in the repository, could contain anything, so they are ignored;
    /// unless everything of the user is in the repository.
    pub(super) fn program(&self, name: &OsStr) -> Option<PathBuf> {
        let admitted = self.admitted();
        let home = env::home_dir();
        let holds_home = |root: &Path| root.parent().is_none() || home.as_ref().is_some_and(|home| home.starts_with(root));
        let is_foreign = |folder: &Path| {
            let own = admitted.roots().iter().chain([self.folder.as_path()]);
            !own.filter(|root| !root.as_os_str().is_empty() && !holds_home(root)).any(|root| folder.starts_with(root))
        };
        let is_usable = |folder: &PathBuf| {
            let real = folder.canonicalize();
            folder.is_absolute() && is_foreign(folder) && real.is_ok_and(|real| is_foreign(&real))
        };
        let mut folders = self.path();
        if folders.is_empty() {
            folders.extend(USUAL.map(PathBuf::from));
        }
        let mut names = vec![name.to_owned()];
        if !env::consts::EXE_SUFFIX.is_empty() {
            names.push([name, OsStr::new(env::consts::EXE_SUFFIX)].into_iter().collect());
        }
        let in_folder = |folder: PathBuf| names.iter().map(|name| folder.join(name)).find(|path| is_program(path));
        folders.into_iter().filter(is_usable).find_map(in_folder)
    }

    /// A command that is ready to start, without its streams.
    fn command(&self, program: &Program) -> io::Result<Command> {
        let name = Path::new(&program.name);
        let path = if name.is_absolute() { Some(name.to_owned()) } else { self.program(name.as_os_str()) };
        let mut command = Command::new(path.ok_or(io::ErrorKind::NotFound)?);
        command.args(&program.arguments);
        if let Some(folder) = &program.folder {
            command.current_dir(folder);
        }
        if let Some(environment) = &self.environment {
            command.env_clear().envs(environment);
        }
        for (name, value) in &program.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        Ok(command)
    }

    /// A command for a question. Relative and empty entries are removed from its search paths, because they mean the working folder.
    fn question(&self, program: &Program) -> io::Result<Command> {
        let mut command = self.command(program)?;
        for name in SEARCHED {
            let Some(value) = crate::Host::variable(self, name) else { continue };
            let folders: Vec<PathBuf> = env::split_paths(&value).collect();
            if folders.iter().any(|folder| !folder.is_absolute()) {
                let kept = env::join_paths(folders.iter().filter(|folder| folder.is_absolute())).unwrap_or_default();
                // An empty one would mean the working folder again.
                if kept.is_empty() {
                    command.env_remove(name)
                } else {
                    command.env(name, kept)
                };
            }
        }
        Ok(command)
    }

    /// The standard output of a program, which is ended once it is stopped.
    pub(super) fn answer(&self, program: &Program, is_stopped: Option<IsStopped<'_>>) -> Result<Vec<u8>, NoAnswer> {
        let absent = |error: &io::Error| match error.kind() {
            io::ErrorKind::NotFound => NoAnswer::Absent,
            _ => failed(error),
        };
        if self.late.has(&program.name) && !program.is_forgiven {
            return Err(NoAnswer::Late);
        }
        let mut command = self.question(program).map_err(|error| absent(&error))?;
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if program.input.is_empty() { Stdio::null() } else { Stdio::piped() });
        let child = command.spawn().map_err(|error| absent(&error))?;
        bound(&child);
        let answer = answered(child, program, is_stopped);
        if answer == Err(NoAnswer::Late) && !program.is_forgiven {
            self.late.add(&program.name);
        }
        answer
    }

    /// Starts a program that answers several questions.
    pub(super) fn running(&self, program: &Program) -> io::Result<Box<dyn Running>> {
        if self.late.has(&program.name) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let mut child = self.question(program)?.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        bound(&child);
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let input = Some(child.stdin.take().ok_or_else(gone)?);
        let stream = child.stdout.take().ok_or_else(gone)?;
        let output = Patient { stream, limit: program.limit, late: self.late.clone(), name: program.name.clone() };
        Ok(Box::new(Conversation { child, input, output: BufReader::new(output) }))
    }

    /// The output of a program after its end.
    pub(super) fn output_of(&self, program: &Program) -> io::Result<Output> {
        let mut command = self.question(program)?;
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        if let Some(mut input) = child.stdin.take() {
            // If it ends early, its output has the reason.
            let _ = io::Write::write_all(&mut input, &program.input);
        }
        let output = child.wait_with_output()?;
        Ok(Output { status: output.status.to_string(), stdout: output.stdout, stderr: output.stderr })
    }

    /// Runs a program to its end. Its output goes to a log through `tee`, which is not ended by an interrupt of the terminal.
    pub(super) fn run_to_completion(
        &self,
        program: &Program,
        log: Option<&Path>,
        started: &mut dyn FnMut(bool),
    ) -> io::Result<bool> {
        let mut command = self.command(program)?;
        command.stdin(Stdio::inherit()).stderr(Stdio::inherit());
        let mut tee = None;
        if let Some(log) = log {
            let (reader, writer) = io::pipe()?;
            let copies = Program::new("tee").arguments([OsStr::new("-ia"), log.as_os_str()]);
            tee = self.command(&copies).and_then(|mut tee| tee.stdin(reader).stderr(Stdio::inherit()).spawn()).ok();
            if tee.is_some() {
                command.stdout(writer.try_clone()?).stderr(writer);
            }
        }
        started(tee.is_some());
        let status = command.status();
        // The last writer must be closed, or tee would wait forever.
        drop(command);
        if let Some(mut tee) = tee {
            let _ = tee.wait();
        }
        Ok(status?.success())
    }
}

/// Limits the memory of a program; mapped files do not count. A repository may make git read endless data.
#[cfg(target_os = "linux")]
fn bound(child: &Child) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let most = Rlimit { current: Some(MAX_MEMORY), maximum: Some(MAX_MEMORY) };
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // If that is not allowed, the time limit remains.
    let _ = pid.map(|pid| prlimit(Some(pid), Resource::Data, most));
}

#[cfg(not(target_os = "linux"))]
fn bound(_: &Child) {}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| {
        let status = status(&metadata);
        status.kind == Kind::File && status.is_program
    })
}

/// A running program.
struct Conversation {
    child: Child,
    /// `None` after the last request.
    input: Option<ChildStdin>,
    output: BufReader<Patient>,
}

/// The output of a program. After a time limit nothing waits for more: it may itself be waiting for something.
struct Patient {
    stream: ChildStdout,
    limit: Duration,
    late: Late,
    name: OsString,
}

impl io::Read for Patient {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let waited = talk::wait(&self.stream, self.limit);
        if waited.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::TimedOut) {
            self.late.add(&self.name);
        }
        waited?;
        self.stream.read(bytes)
    }
}

impl Running for Conversation {
    fn input(&mut self) -> &mut dyn io::Write {
        match &mut self.input {
            Some(input) => input,
            None => unreachable!("it is taken only when the conversation ends"),
        }
    }

    fn output(&mut self) -> &mut dyn io::BufRead {
        &mut self.output
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.input = None;
        // Its result does not matter any more, but it must not outlive this process.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The limit of a program's error output that is kept, in bytes.
const MAX_COMPLAINTS: usize = 4 << 10;

/// The answer of a program, after its end.
fn answered(mut child: Child, program: &Program, is_stopped: Option<IsStopped<'_>>) -> Result<Vec<u8>, NoAnswer> {
    let read = talk::read(&mut child, program, is_stopped);
    if read.is_err() {
        // It may have ended by itself in between.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| failed(&error));
    let (answer, complaints) = read?;
    let is_ending = status?.code().is_some_and(|code| program.endings.contains(&code));
    if is_ending { Ok(answer) } else { Err(NoAnswer::Failed(String::from_utf8_lossy(&complaints).trim().to_owned())) }
}

fn failed(error: &io::Error) -> NoAnswer {
    NoAnswer::Failed(error.to_string())
}

/// Whether a program is to be ended.
type IsStopped<'a> = &'a dyn Fn() -> bool;

/// What a program wrote to its two streams.
type Heard = Result<(Vec<u8>, Vec<u8>), NoAnswer>;

/// The time after which it is asked again whether a program is to be ended.
const STOP_AFTER: Duration = Duration::from_millis(50);

fn stopped() -> NoAnswer {
    NoAnswer::Failed("it was stopped".to_owned())
}
