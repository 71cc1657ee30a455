//! A user who works in a repository that someone else created.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    io::Write as _,
    os::unix::{
        fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink},
        net::UnixListener,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    client::Server,
    running::{Ended, finish},
    sized::sized,
};

/// A text in the user's files and environment that no output may contain.
pub(crate) const SECRET: &str = "canary-3f9a1c";

/// A config without findings at 0.4.0.
pub(crate) const CLEAN: &str = include_str!("../../../../tests/fixtures/clean.toml");

/// The memory limit of a command in KiB.
const MEMORY: u64 = 2 << 20;

/// The limit of the CPU time of a command in seconds. The tested program is not optimized, and only what would take minutes is to be ended.
const CPU_TIME: u64 = 100;

/// Commands that only read, first those that read most; `rl.toml` is registered as v1.
const READING: [&str; 13] = [
    "check .",
    "registry verify",
    "hook run --all-files",
    "diff rl.toml:v1 rl.toml",
    "log rl.toml",
    "check rl.toml",
    "check . --diff",
    "compile rl.toml",
    "memory rl.toml --gpu H100",
    "registry list",
    "log",
    "show rl.toml:v1",
    "run list",
];

/// The report formats: for users, for programs, for a workflow, and the others.
pub(crate) const FORMATS: [&str; 8] = ["full", "json", "github", "concise", "json-lines", "gitlab", "junit", "sarif"];

/// Commands that write.
const WRITING: [&str; 6] = [
    "bump rl.toml -m more --force",
    "registry adopt",
    "registry gc",
    "run add rl.toml:v1 --id one",
    "restore rl.toml:v1 --force",
    "run close one",
];

/// The commands that only read, of which an ordinary run has some.
pub(crate) fn reading() -> &'static [&'static str] {
    &READING[..sized(3, READING.len())]
}

/// The report formats, of which an ordinary run has some.
pub(crate) fn formats() -> &'static [&'static str] {
    &FORMATS[..sized(2, FORMATS.len())]
}

/// The commands that write, of which an ordinary run has some.
pub(crate) fn writing() -> &'static [&'static str] {
    &WRITING[..sized(2, WRITING.len())]
}

/// A user with a clone of someone else's repository.
pub(crate) struct Victim {
    folder: TempDir,
}

/// What is at each path: kind, mode and bytes.
pub(crate) type Files = BTreeMap<PathBuf, (char, u32, Vec<u8>)>;

impl Victim {
    /// A user with a clone that has these files, a config, settings for it and a registry.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let victim = Self::with_clone(files);
        victim.write("cfg.toml", "target = \"0.4.0\"\n");
        victim.write("rl.toml", CLEAN);
        for (name, text) in files {
            victim.write(name, text);
        }
        victim
    }

    /// A clone with `rl.toml` registered as v1, and everything committed.
    pub(crate) fn registered() -> Self {
        // It is made once and then copied, because most tests begin with it.
        static MADE: OnceLock<Files> = OnceLock::new();
        let made = MADE.get_or_init(|| {
            let victim = Self::new(&[]);
            assert_eq!(victim.run("registry init").status, Some(0));
            assert_eq!(victim.run("bump rl.toml -m first").status, Some(0));
            victim.commit();
            let mut files = Files::new();
            ["clone", "state"].iter().for_each(|folder| collect(&victim.at(folder), &|_| true, &mut files));
            let root = victim.at("");
            files.into_iter().map(|(path, file)| (path.strip_prefix(&root).expect("below it").to_owned(), file)).collect()
        });
        let victim = Self::with_machine();
        for (path, (letter, mode, bytes)) in made {
            let path = victim.at("").join(path);
            if *letter == 'd' {
                fs::create_dir_all(&path).expect("a folder");
            } else {
                fs::write(&path, bytes).expect("a file");
            }
            fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).expect("a mode");
        }
        victim
    }

    /// A clone that has only these files.
    pub(crate) fn with_clone(files: &[(&str, &str)]) -> Self {
        let victim = Self::with_machine();
        victim.git("init -q -b main --template=");
        for (name, text) in files {
            victim.write(name, text);
        }
        victim
    }

    /// A user without a clone.
    fn with_machine() -> Self {
        let victim = Self { folder: tempfile::tempdir().expect("a folder") };
        for folder in ["clone", "home", "outside/folder", "programs", "state", "tmp"] {
            fs::create_dir_all(victim.at(folder)).expect("a folder");
        }
        for name in ["outside/secret.toml", "outside/folder/secret.toml", "outside/secret.json", "home/secret.toml"] {
            fs::write(victim.at(name), secrets()).expect("a file");
            fs::set_permissions(victim.at(name), fs::Permissions::from_mode(0o640)).expect("a mode");
        }
        let marker = format!("#!/bin/sh\n: > '{}'\nexit 1\n", victim.at("ran").display());
        victim.program("programs/marker", &marker);
        victim
    }

    /// A path on the user's machine.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("it is there").join(name)
    }

    /// A path in the clone.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.at("clone").join(name)
    }

    /// A program that leaves a trace if it runs.
    pub(crate) fn marker(&self) -> String {
        self.at("programs/marker").display().to_string()
    }

    /// An executable file on the user's machine.
    pub(crate) fn program(&self, name: &str, text: &str) {
        let path = self.at(name);
        make_room(&path);
        fs::write(&path, text).expect("a file");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        self.write_bytes(name, text.as_bytes());
    }

    pub(crate) fn write_bytes(&self, name: &str, bytes: &[u8]) {
        make_room(&self.path(name));
        fs::write(self.path(name), bytes).expect("a file");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("it is there")
    }

    /// A link in the clone.
    pub(crate) fn link(&self, name: &str, target: impl AsRef<Path>) {
        make_room(&self.path(name));
        symlink(target, self.path(name)).expect("a link");
    }

    /// A link in the clone to one of the user's files or folders.
    pub(crate) fn leak(&self, name: &str, to: &str) {
        self.link(name, self.at(to));
    }

    /// Creates something in the clone that never ends, blocks forever, or is not a file.
    pub(crate) fn put(&self, odd: Odd, name: &str) {
        make_room(&self.path(name));
        match odd {
            Odd::Device => self.link(name, "/dev/zero"),
            Odd::Pipe => assert!(Command::new("mkfifo").arg(self.path(name)).status().is_ok_and(|status| status.success())),
            // The path of a socket can have only about a hundred characters.
            Odd::Socket => {
                drop(UnixListener::bind(self.at("s")).expect("a socket"));
                fs::rename(self.at("s"), self.path(name)).expect("it is moved");
            }
            Odd::Folder => fs::create_dir(self.path(name)).expect("a folder"),
            Odd::Huge => fs::File::create(self.path(name)).and_then(|file| file.set_len(2 << 30)).expect("a file"),
        }
    }

    /// Runs `git` in the clone; words are separated by spaces.
    pub(crate) fn git(&self, words: &str) -> String {
        self.git_with(words.split_whitespace())
    }

    pub(crate) fn git_with(&self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> String {
        let output = self.within(Command::new("git")).args(words).output().expect("git runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Commits everything.
    pub(crate) fn commit(&self) {
        self.git("add -A");
        self.git("commit -qm all --allow-empty");
    }

    /// A program in the clone, with the user's environment.
    pub(crate) fn within(&self, mut command: Command) -> Command {
        command.current_dir(self.at("clone")).env_clear().stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", self.at("home"));
        command.env("XDG_STATE_HOME", self.at("state")).env("TMPDIR", self.at("tmp")).env("WANDB_API_KEY", SECRET);
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("SOURCE_DATE_EPOCH", "1767571200");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "a").env(format!("GIT_{role}_EMAIL"), "a@b");
        }
        command
    }

    /// `cfg` with words separated by spaces.
    pub(crate) fn command(&self, words: &str) -> Command {
        self.command_with(words.split_whitespace())
    }

    pub(crate) fn command_with(&self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        self.limited(&format!("ulimit -v {MEMORY}; ulimit -t {CPU_TIME}"), words)
    }

    /// `cfg` after these shell commands, such as `ulimit`.
    pub(crate) fn limited(&self, limits: &str, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("{limits}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_cfg")]).args(words);
        self.within(command)
    }

    /// Runs `cfg`, and asserts that it ends, prints no secret, changes none of the user's files, leaves no temporary file, and
    /// starts no planted program.
    #[track_caller]
    pub(crate) fn run(&self, words: &str) -> Ended {
        self.finish(&mut self.command(words), b"")
    }

    #[track_caller]
    pub(crate) fn finish(&self, command: &mut Command, input: &[u8]) -> Ended {
        let before = self.own_files();
        if !input.is_empty() {
            command.stdin(Stdio::piped());
        }
        let ended = finish(command, input);
        assert!(matches!(ended.status, Some(0..=2)), "{command:?}: {ended:?}");
        assert!(!ended.stdout.contains(SECRET) && !ended.stderr.contains(SECRET), "{command:?} tells a secret: {ended:?}");
        self.is_unharmed(&before);
        ended
    }

    /// Runs `cfg`, and asserts that it changes nothing at all.
    #[track_caller]
    pub(crate) fn look(&self, words: &str) -> Ended {
        let before = self.files();
        let ended = self.run(words);
        assert!(self.files() == before, "{words} changes the clone: {ended:?}");
        ended
    }

    /// Opens the folder and some files in an editor; returns all messages of the server.
    #[track_caller]
    pub(crate) fn edit(&self, names: &[&str]) -> String {
        let (before, own) = (self.files(), self.own_files());
        let mut command = self.command("lsp");
        let process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut server = Server::around(process);
        let uri = |name: &str| format!("file://{}", self.path(name).display());
        let folders = json!([{ "uri": uri("").trim_end_matches('/'), "name": "clone" }]);
        let asked = json!({ "capabilities": {}, "rootUri": uri(""), "workspaceFolders": folders });
        let mut said = vec![server.ask("initialize", &asked)];
        server.tell("initialized", &json!({}));
        for name in names {
            let is_file = fs::symlink_metadata(self.path(name)).is_ok_and(|there| there.is_file());
            server.open_as(&uri(name), &if is_file { self.read(name) } else { CLEAN.to_owned() });
            said.push(server.published_for(&uri(name), 1).into());
            for method in ["textDocument/documentLink", "textDocument/codeLens", "textDocument/documentSymbol"] {
                let id = server.request(method, &json!({ "textDocument": { "uri": uri(name) } }));
                said.push(server.answer(id));
            }
            for line in 0..4 {
                let position = json!({ "textDocument": { "uri": uri(name) }, "position": { "line": line, "character": 3 } });
                for method in ["textDocument/hover", "textDocument/definition"] {
                    let id = server.request(method, &position);
                    said.push(server.answer(id));
                }
            }
        }
        let id = server.request("workspace/symbol", &json!({ "query": "" }));
        said.push(server.answer(id));
        said.extend(server.drain());
        assert_eq!(server.end(), Some(0), "the server ends well");
        let said = Value::from(said).to_string();
        assert!(!said.contains(SECRET), "the server tells a secret: {said}");
        assert!(self.files() == before, "the server changes the clone");
        self.is_unharmed(&own);
        said
    }

    /// Runs every command that only reads, and an editor, and asserts that each ends and changes nothing.
    #[track_caller]
    pub(crate) fn look_at_all(&self) {
        self.look_at(reading());
        self.edit(&["rl.toml"]);
    }

    /// Runs commands that only read. Some wait for a limit of time. None changes anything, so they run side by side.
    #[track_caller]
    pub(crate) fn look_at(&self, commands: &[&str]) {
        std::thread::scope(|scope| {
            for words in commands {
                scope.spawn(|| self.look(words));
            }
        });
    }

    /// Reports that a test is not possible on this machine.
    #[expect(clippy::unused_self, reason = "it reads well")]
    pub(crate) fn skip(&self, what: &str) {
        // If standard error is closed, nothing can be reported.
        let _ = writeln!(std::io::stderr(), "{what}: this machine can't make one, so that was not tested");
    }

    /// The files of the clone, except git's.
    pub(crate) fn files(&self) -> Files {
        let mut files = Files::new();
        collect(&self.at("clone"), &is_not_gits, &mut files);
        files
    }

    /// The user's own files.
    fn own_files(&self) -> Files {
        let mut files = Files::new();
        ["home", "outside", "programs"].iter().for_each(|folder| collect(&self.at(folder), &is_not_gits, &mut files));
        files
    }

    #[track_caller]
    fn is_unharmed(&self, before: &Files) {
        assert!(self.own_files() == *before, "what lies outside of the clone is changed");
        assert!(!self.at("ran").exists(), "a program of the repository ran");
        let left: Vec<_> = fs::read_dir(self.at("tmp")).expect("a folder").collect();
        assert!(left.is_empty(), "temporary files are left: {left:?}");
    }
}

/// Something other than a regular file of a bounded size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Odd {
    /// A link to `/dev/zero`, which never ends.
    Device,
    /// A pipe to which no process writes.
    Pipe,
    /// A socket.
    Socket,
    /// A folder.
    Folder,
    /// A sparse file of two GiB.
    Huge,
}

fn secrets() -> String {
    format!("[{SECRET}]\n{SECRET} = \"{SECRET}\"\n[trainer]\n[orchestrator]\n{SECRET} = 1\n")
}

fn make_room(path: &Path) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
}

fn is_not_gits(folder: &Path) -> bool {
    folder.file_name() != Some(OsStr::new(".git"))
}

/// Everything below a folder. Links are not followed, folders that are not `wanted` are not searched, and large files are not read.
fn collect(folder: &Path, wanted: &dyn Fn(&Path) -> bool, files: &mut Files) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let there = fs::symlink_metadata(&path).expect("it is there");
        let kind = there.file_type();
        let (letter, bytes) = if kind.is_symlink() {
            ('l', fs::read_link(&path).expect("a link").into_os_string().into_encoded_bytes())
        } else if kind.is_dir() {
            if wanted(&path) {
                collect(&path, wanted, files);
            }
            ('d', Vec::new())
        } else if kind.is_fifo() || kind.is_socket() {
            ('p', Vec::new())
        } else if there.len() > 1 << 20 {
            ('f', there.len().to_string().into_bytes())
        } else {
            ('f', fs::read(&path).expect("a file"))
        };
        files.insert(path, (letter, there.mode(), bytes));
    }
}
