//! The built `cfg`, run as its users run it: one module for each topic, and here what they share.

mod color;
mod compile;
mod control;
mod curriculum;
mod diagnose;
mod diff;
mod exit_status;
mod fix;
mod formats;
mod hostile_input;
mod json;
mod launch;
mod memory;
mod migrate;
mod output;
mod preflight;
mod refused_words;
mod registry;
mod run;
mod schema;
mod security;
mod split;

use std::{
    ffi::OsStr,
    fs,
    io::{Read, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// Nothing is wrong with it at 0.4.0.
const CLEAN: &str = include_str!("../../../../tests/fixtures/clean.toml");

/// One key is misspelt.
const MISSPELT: &str = "[trainer]\n[orchestrator]\nrollouts_per_exmaple = 16\n";

/// 0.4.0 drops one key without a word.
const DROPPED: &str = "[trainer.optim]\ntype = \"adamw\"\nmomentum = 0.9\n[orchestrator]\n";

/// After so long a run hangs, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a command says on standard output, in JSON, where its own document can't be made.
#[track_caller]
fn outcome(ended: &Ended) -> serde_json::Value {
    let document = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let validator = jsonschema::validator_for(&cfg_report::outcome::schema().to_value()).expect("the schema is one");
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert_eq!(errors, [""; 0], "{document:#}");
    document
}

/// A folder with files for `cfg` to look at, and beside it what `cfg` keeps for its user.
struct Folder {
    path: PathBuf,
    around: TempDir,
}

/// How a run ended.
#[derive(Debug)]
struct Ended {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let around = tempfile::tempdir().expect("a folder");
        let folder = Self { path: around.path().join("here"), around };
        fs::create_dir(folder.path()).expect("a folder");
        for (name, text) in files {
            folder.write(name, text.as_bytes());
        }
        folder
    }

    fn path(&self) -> &Path {
        &self.path
    }

    /// The home of the user who runs `cfg`.
    fn home(&self) -> PathBuf {
        self.around.path().join("home")
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    /// `cfg` with words separated by spaces, here, in an environment that holds nothing but a home.
    fn command(&self, words: &str) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_cfg"));
        command.args(words.split_whitespace());
        command
    }

    /// Any program that runs `cfg`, in the same surroundings.
    fn program(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path()).env_clear().stdin(Stdio::null());
        command.env("HOME", self.home()).env("XDG_STATE_HOME", self.home().join("state"));
        command
    }

    fn run(&self, words: &str) -> Ended {
        finish(&mut self.command(words), b"")
    }

    fn run_with_input(&self, words: &str, input: &[u8]) -> Ended {
        finish(self.command(words).stdin(Stdio::piped()), input)
    }
}

/// Runs to the end, or fails when that takes too long.
fn finish(command: &mut Command, input: &[u8]) -> Ended {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("cfg starts");
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        if let Some(mut stdin) = stdin {
            // A program that has seen enough may stop reading.
            scope.spawn(move || stdin.write_all(input));
        }
        let stdout = scope.spawn(|| read(stdout.expect("piped")));
        let stderr = scope.spawn(|| read(stderr.expect("piped")));
        let status = wait(&mut child);
        Ended { status, stdout: stdout.join().expect("no panic"), stderr: stderr.join().expect("no panic") }
    })
}

fn read(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).expect("the output");
    String::from_utf8(bytes).expect("the output is UTF-8")
}

fn wait(child: &mut Child) -> Option<i32> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("the status") {
            return status.code();
        }
        if start.elapsed() > PATIENCE {
            child.kill().expect("it can be killed");
            panic!("cfg hangs");
        }
        thread::sleep(Duration::from_millis(5));
    }
}
