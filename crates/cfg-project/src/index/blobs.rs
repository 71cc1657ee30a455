//! The contents of git's objects, from one `git cat-file` that is started when the first of them is asked for.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use crate::staging;

/// A reader of objects.
pub(super) struct Blobs {
    top: PathBuf,
    running: Option<Running>,
}

struct Running {
    child: Child,
    /// Nothing once it was told that no more questions come.
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Blobs {
    pub(super) fn of(top: &Path) -> Self {
        Self { top: top.to_owned(), running: None }
    }

    /// The bytes of an object, by its full name.
    pub(super) fn read(&mut self, object: &str) -> io::Result<Vec<u8>> {
        if self.running.is_none() {
            self.running = Some(Running::start(&self.top)?);
        }
        let answer = self.running.as_mut().map_or_else(|| Err(io::ErrorKind::BrokenPipe.into()), |running| running.ask(object));
        if answer.is_err() {
            // Half an answer may still lie in the pipe.
            self.running = None;
        }
        answer
    }
}

impl Running {
    fn start(top: &Path) -> io::Result<Self> {
        let mut command = staging::command(top);
        let mut child = command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let questions = Some(child.stdin.take().ok_or_else(gone)?);
        let answers = BufReader::new(child.stdout.take().ok_or_else(gone)?);
        Ok(Self { child, questions, answers })
    }

    /// The answer is `<object> blob <size>\n<bytes>\n`, or `<object> missing\n`.
    fn ask(&mut self, object: &str) -> io::Result<Vec<u8>> {
        let questions = self.questions.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        questions.write_all(format!("{object}\n").as_bytes())?;
        questions.flush()?;
        let mut head = String::new();
        self.answers.read_line(&mut head)?;
        let size = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<usize>().ok());
        let size = size.ok_or_else(|| io::Error::other(format!("git does not know the object {object}")))?;
        let mut bytes = Vec::new();
        (&mut self.answers).take(size as u64).read_to_end(&mut bytes)?;
        let mut end = [0];
        self.answers.read_exact(&mut end)?;
        if bytes.len() == size { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.questions = None;
        // It ends once its input does; what becomes of it afterwards is of no account.
        let _ = self.child.wait();
    }
}
