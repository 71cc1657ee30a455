//! The contents of git's objects, from one `git cat-file` process that is started when the first object is needed.

use std::{
    fmt,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use cfg_system::{Refusal, Role, Running, System};

use crate::staging;

/// A reader of objects.
pub(super) struct Blobs {
    system: Arc<dyn System>,
    top: PathBuf,
    running: Option<Box<dyn Running>>,
    /// Whether git has exceeded the time limit once: then it is not asked again.
    is_late: bool,
}

/// The time limit for an answer of git.
const LIMIT: Duration = Duration::from_secs(10);

impl Blobs {
    pub(super) fn of(system: Arc<dyn System>, top: &Path) -> Self {
        Self { system, top: top.to_owned(), running: None, is_late: false }
    }

    /// The bytes of an object, by its full name.
    pub(super) fn read(&mut self, object: &str, role: Role) -> io::Result<Vec<u8>> {
        if self.is_late {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let running = match &mut self.running {
            Some(running) => running,
            none => none.insert(start(&*self.system, &self.top)?),
        };
        let answer = ask(&mut **running, object, role.limit());
        if let Err(error) = &answer {
            // The pipe may contain an incomplete answer.
            self.running = None;
            self.is_late = error.kind() == io::ErrorKind::TimedOut;
        }
        answer
    }
}

impl fmt::Debug for Blobs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Blobs").field("top", &self.top).finish_non_exhaustive()
    }
}

fn start(system: &dyn System, top: &Path) -> io::Result<Box<dyn Running>> {
    let program = staging::question(system, top, &["cat-file", "--batch"]);
    let most = program.most;
    system.host().start(&program.limited(LIMIT, most))
}

/// Requests an object. The answer is `<object> blob <size>\n<bytes>\n`, or `<object> missing\n`.
fn ask(running: &mut dyn Running, object: &str, limit: u64) -> io::Result<Vec<u8>> {
    let questions = running.input();
    questions.write_all(format!("{object}\n").as_bytes())?;
    questions.flush()?;
    let answers = running.output();
    let mut head = String::new();
    answers.read_line(&mut head)?;
    let size = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<u64>().ok());
    let size = size.ok_or_else(|| io::Error::other(format!("git has no object {object}")))?;
    if size > limit {
        return Err(Refusal::TooLarge { limit }.into());
    }
    let mut bytes = Vec::new();
    (&mut *answers).take(size).read_to_end(&mut bytes)?;
    let mut end = [0];
    answers.read_exact(&mut end)?;
    if bytes.len() as u64 == size { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}
