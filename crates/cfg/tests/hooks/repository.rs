//! A git repository that is independent of the settings of the user and the system.

use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

/// A repository, in a folder that also contains the user's home.
pub(crate) struct Repository {
    folder: TempDir,
}

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: Option<i32>,
    /// Standard output and standard error combined.
    pub(crate) text: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = [output.stdout, output.stderr].concat();
        Self { status: output.status.code(), text: String::from_utf8_lossy(&text).into_owned() }
    }
}

impl Ended {
    /// Asserts success.
    #[track_caller]
    pub(crate) fn well(self) -> String {
        assert_eq!(self.status, Some(0), "{}", self.text);
        self.text
    }

    /// Asserts failure, with these words in the output.
    #[track_caller]
    pub(crate) fn refused(self, words: &str) -> String {
        assert_eq!(self.status, Some(1), "{}", self.text);
        assert!(self.text.contains(words), "{words}: {}", self.text);
        self.text
    }
}

impl Repository {
    /// A repository with these files, none of them staged.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("home")).expect("a folder");
        fs::create_dir(folder.path().join("repo with space")).expect("a folder");
        let repository = Self { folder };
        repository.git("init -q -b main").well();
        for (name, text) in files {
            repository.write(name, text);
        }
        repository
    }

    /// A repository with the hook installed and everything committed.
    pub(crate) fn committed(files: &[(&str, &str)]) -> Self {
        let repository = Self::new(files);
        repository.git("add -A").well();
        repository.git("commit -qm first --no-verify").well();
        repository.cfg("hook install").well();
        repository
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("it is there").join("repo with space")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn write(&self, name: impl AsRef<OsStr>, text: &str) {
        let path = self.path().join(Path::new(name.as_ref()));
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn write_bytes_named(&self, name: &[u8], text: &str) {
        self.write(OsStr::from_bytes(name), text);
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).expect("it is there")
    }

    pub(crate) fn replace(&self, name: &str, old: &str, new: &str) {
        let text = self.read(name);
        assert!(text.contains(old), "{text}");
        self.write(name, &text.replace(old, new));
    }

    /// A program whose environment has only `PATH`.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", self.home());
        command.env("XDG_STATE_HOME", self.home().join("state"));
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("SOURCE_DATE_EPOCH", "1767571200");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "a").env(format!("GIT_{role}_EMAIL"), "a@b");
        }
        command
    }

    /// Runs `git`; words are separated by spaces.
    pub(crate) fn git(&self, words: &str) -> Ended {
        self.command("git").args(words.split_whitespace()).output().expect("git runs").into()
    }

    pub(crate) fn cfg(&self, words: &str) -> Ended {
        self.command(env!("CARGO_BIN_EXE_cfg")).args(words.split_whitespace()).output().expect("cfg runs").into()
    }

    /// Stages and commits all changes.
    pub(crate) fn commit_all(&self) -> Ended {
        self.git("add -A").well();
        self.git("commit -qm change")
    }

    /// The number of commits.
    pub(crate) fn commits(&self) -> usize {
        self.git("rev-list --all").well().lines().count()
    }
}
