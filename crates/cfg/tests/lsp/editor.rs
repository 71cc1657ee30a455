//! An editor for a folder in which files change, for each kind of client: after each step it displays the same as a newly started server reports.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use super::{
    client::{self, Server},
    sized::sized,
};
use Step::{Cfg, Close, Git, Link, Open, Remove, Rename, Replace, Type, Write};

/// A config without findings, the same with a misspelt key, and the finding for it.
pub(super) const CLEAN: &str =
    "# /// config\n# prime_rl = \"0.4.0\"\n# ///\nmax_steps = 10\n[trainer]\n[orchestrator]\nbatch_size = 64\n[inference]\n";
pub(super) const FAULTY: &str =
    "# /// config\n# prime_rl = \"0.4.0\"\n# ///\nmax_stesp = 10\n[trainer]\n[orchestrator]\nbatch_size = 64\n[inference]\n";
pub(super) const UNKNOWN: &[&str] = &["PRL101"];

/// The kinds of clients: how they get diagnostics, and what makes the server compare with the disk. An ordinary run has the first ones: both ways to get
/// diagnostics, with and without events.
const CLIENTS: [Client; 6] = [
    Client { pulls: true, tells: Tells::Events },
    Client { pulls: false, tells: Tells::Edit },
    Client { pulls: true, tells: Tells::Nothing },
    Client { pulls: false, tells: Tells::Events },
    Client { pulls: false, tells: Tells::Request },
    Client { pulls: false, tells: Tells::Save },
];

#[derive(Clone, Copy, Debug)]
struct Client {
    pulls: bool,
    tells: Tells,
}

/// What a client sends after a change on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tells {
    /// It watches files, and sends an event for each change.
    Events,
    /// It does not watch files, and sends a request about each document.
    Request,
    /// It does not watch files; its user types.
    Edit,
    /// It does not watch files; its user saves.
    Save,
    /// It does not watch files, and only pulls diagnostics.
    Nothing,
}

/// A change.
pub(crate) enum Step<'a> {
    Write(&'a str, &'a str),
    Replace(&'a str, &'a str, &'a str),
    /// The user replaces a part of an open document, without saving.
    Type(&'a str, &'a str, &'a str),
    /// The target of a link changes.
    Link(&'a str, &'a str),
    Remove(&'a str),
    Rename(&'a str, &'a str),
    Open(&'a str),
    Close(&'a str),
    Cfg(&'a [&'a str]),
    Git(&'a [&'a str]),
}

/// Several steps, and the findings after them: each file with its codes. Files without findings are omitted.
pub(crate) type Stage<'a> = (&'a [Step<'a>], &'a [(&'a str, &'a [&'a str])]);

/// A folder with its files, and the stages through which it goes.
pub(crate) struct Sequence<'a> {
    pub(crate) files: &'a [(&'a str, &'a str)],
    pub(crate) stages: &'a [Stage<'a>],
}

/// An open document.
struct Document {
    version: i64,
    text: String,
}

/// An editor for a folder.
struct Editor {
    client: Client,
    server: Server,
    root: PathBuf,
    open: BTreeMap<String, Document>,
    /// The patterns of the files that the server has asked to watch.
    watched: Vec<String>,
    /// The diagnostics that it displays, by file.
    shown: BTreeMap<String, Vec<Value>>,
    /// The ids of the results for files that are not open.
    results: BTreeMap<String, Value>,
    /// The pending request for workspace diagnostics.
    waiting: Option<i64>,
    /// Whether it has requested workspace diagnostics.
    has_asked: bool,
}

/// Tests a sequence with each kind of client.
#[track_caller]
pub(crate) fn holds(sequence: &Sequence<'_>) {
    for &client in &CLIENTS[..sized(2, CLIENTS.len())] {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(folder.path()).expect("it is there");
        sequence.files.iter().for_each(|(path, text)| write(&root.join(path), text));
        let mut editor = Editor::new(client, &root);
        for (number, (steps, found)) in sequence.stages.iter().enumerate() {
            steps.iter().for_each(|step| editor.does(step));
            let found: BTreeMap<String, Vec<String>> = found
                .iter()
                .map(|(path, codes)| ((*path).to_owned(), codes.iter().map(|code| (*code).to_owned()).collect()))
                .collect();
            editor.comes_to_show(&found, &format!("{client:?}, stage {number}"));
            editor.shows_what_a_new_one_shows();
        }
        assert_eq!(editor.server.end(), Some(0));
    }
}

/// The patterns of the files that a server asks to watch.
fn registered(server: &mut Server) -> Vec<String> {
    let asked = server.notified("client/registerCapability", |_| true);
    let watchers = &asked["registrations"][0]["registerOptions"]["watchers"];
    let pattern = |watcher: &Value| watcher["globPattern"].as_str().expect("a pattern").to_owned();
    watchers.as_array().expect("watchers").iter().map(pattern).collect()
}

/// Whether a path matches a pattern such as `**/prime_rl/*.py`: any folders, then names with at most one `*` each.
fn matches(pattern: &str, path: &str) -> bool {
    let names: Vec<&str> = pattern.strip_prefix("**/").expect("in any folder").rsplit('/').collect();
    let parts: Vec<&str> = path.rsplit('/').collect();
    let fits = |(name, part): (&&str, &&str)| match name.split_once('*') {
        Some((first, last)) => part.len() >= first.len() + last.len() && part.starts_with(first) && part.ends_with(last),
        None => name == part,
    };
    names.len() <= parts.len() && names.iter().zip(&parts).all(fits)
}

#[cfg(unix)]
fn link(path: &Path, to: &str) {
    let _ = fs::remove_file(path);
    std::os::unix::fs::symlink(to, path).expect("it is made");
}

/// On other systems links are rare and need special rights, so a copy is used instead.
#[cfg(not(unix))]
fn link(path: &Path, to: &str) {
    fs::copy(path.with_file_name(to), path).expect("it is there");
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("within")).and_then(|()| fs::write(path, text)).expect("it is written");
}

impl Editor {
    fn new(client: Client, root: &Path) -> Self {
        let sends_events = client.tells == Tells::Events;
        let mut capabilities = json!({ "workspace": {
            "didChangeWatchedFiles": { "dynamicRegistration": sends_events },
            "diagnostics": { "refreshSupport": sends_events },
        } });
        if client.pulls {
            capabilities["textDocument"] = json!({ "diagnostic": {} });
        }
        let folders = json!([{ "uri": format!("file://{}", root.display()), "name": "ws" }]);
        let (mut server, _) = Server::start_with(&json!({ "capabilities": capabilities, "workspaceFolders": folders }));
        let watched = if sends_events { registered(&mut server) } else { Vec::new() };
        let (open, shown, results) = Default::default();
        Self { client, server, root: root.to_owned(), open, watched, shown, results, waiting: None, has_asked: false }
    }

    fn uri(&self, path: &str) -> String {
        format!("file://{}/{path}", self.root.display())
    }

    fn path(&self, uri: &str) -> String {
        uri.strip_prefix(&self.uri("")).expect("of this folder").to_owned()
    }

    /// The files with their texts, except those of git and the registry.
    fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")) {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(&self.root).expect("within").to_string_lossy().into_owned();
                    files.insert(name, fs::read_to_string(&path).expect("text"));
                }
            }
        }
        files
    }

    fn does(&mut self, step: &Step<'_>) {
        let before = self.files();
        let at = |path: &str| self.root.join(path);
        match step {
            Write(path, text) => write(&at(path), text),
            Replace(path, old, new) => {
                let text = fs::read_to_string(at(path)).expect("it is there");
                assert!(text.contains(old), "{text}");
                write(&at(path), &text.replace(old, new));
            }
            Type(path, old, new) => return self.types(path, old, new),
            Link(path, to) => link(&at(path), to),
            Remove(path) => fs::remove_file(at(path)).expect("it is there"),
            Rename(old, new) => {
                fs::create_dir_all(at(new).parent().expect("within")).expect("a folder");
                fs::rename(at(old), at(new)).expect("it is there");
            }
            Cfg(words) => run(client::cfg(words).current_dir(&self.root)),
            Git(words) => git(&self.root, words),
            Open(path) => self.open(path, fs::read_to_string(at(path)).expect("it is there")),
            Close(path) => {
                self.open.remove(*path);
                // A client that pulls diagnostics drops those of a document that it closes.
                if self.client.pulls {
                    self.shown.remove(*path);
                }
                self.server.tell("textDocument/didClose", &json!({ "textDocument": { "uri": self.uri(path) } }));
            }
        }
        self.says_what_changed(&before);
    }

    fn open(&mut self, path: &str, text: String) {
        self.server.open_as(&self.uri(path), &text);
        self.results.remove(path);
        self.open.insert(path.to_owned(), Document { version: 1, text });
    }

    fn types(&mut self, path: &str, old: &str, new: &str) {
        let uri = self.uri(path);
        let document = self.open.get_mut(path).expect("open");
        assert!(document.text.contains(old), "{}", document.text);
        document.version += 1;
        document.text = document.text.replace(old, new);
        self.server.replace(&uri, document.version, &document.text);
    }

    /// Sends what an editor sends after files have changed: the new texts of open documents, and the changes of watched files.
    fn says_what_changed(&mut self, before: &BTreeMap<String, String>) {
        let after = self.files();
        let mut events = Vec::new();
        for path in before.keys().chain(after.keys().filter(|path| !before.contains_key(*path))) {
            let kind = match (before.get(path), after.get(path)) {
                (Some(old), Some(new)) if old == new => continue,
                (None, _) => 1,
                (_, Some(_)) => 2,
                (_, None) => 3,
            };
            if self.watched.iter().any(|pattern| matches(pattern, path)) {
                events.push(json!({ "uri": self.uri(path), "type": kind }));
            }
            if let Some((text, version)) = after.get(path).zip(self.open.get(path).map(|open| open.version + 1)) {
                self.server.replace(&self.uri(path), version, text);
                self.open.insert(path.clone(), Document { version, text: text.clone() });
            }
        }
        if !events.is_empty() {
            self.server.tell("workspace/didChangeWatchedFiles", &json!({ "changes": events }));
        }
    }

    /// What the user does while findings are expected.
    fn goes_on(&mut self) {
        let open: Vec<String> = self.open.keys().cloned().collect();
        for path in open {
            let uri = self.uri(&path);
            match self.client.tells {
                Tells::Request => drop(self.server.at_of(&uri, "textDocument/hover", 0, 0)),
                Tells::Save => self.server.tell("textDocument/didSave", &json!({ "textDocument": { "uri": uri } })),
                Tells::Edit => {
                    let document = self.open.get_mut(&path).expect("open");
                    document.version += 1;
                    self.server.replace(&uri, document.version, &document.text);
                }
                Tells::Events | Tells::Nothing => {}
            }
        }
    }

    /// Asserts that the editor eventually displays these findings; waits only for messages.
    #[track_caller]
    fn comes_to_show(&mut self, found: &BTreeMap<String, Vec<String>>, when: &str) {
        self.goes_on();
        let mut wanted = found.clone();
        if self.client.pulls {
            self.asks_of_documents();
            self.asks_of_workspace();
        } else {
            // Clients of this kind get no findings for files that are not open.
            wanted.retain(|path, _| self.open.contains_key(path));
        }
        while self.codes() != wanted {
            assert!(!self.client.pulls || self.waiting.is_some(), "{when}: {:?}, not {wanted:?}", self.codes());
            let state = format!("{when}: {:?}, not {wanted:?}", self.codes());
            let mut message =
                if self.server.told.is_empty() { self.server.receive_or(&state) } else { self.server.told.remove(0) };
            if message["method"] == "textDocument/publishDiagnostics" {
                self.shows(&message["params"].take(), "diagnostics");
            } else if message["method"] == "workspace/diagnostic/refresh" {
                self.asks_of_documents();
            } else if self.waiting.is_some_and(|id| message["id"] == id && message.get("method").is_none()) {
                self.hears_of_workspace(&message);
                self.waiting = None;
                self.asks_of_workspace();
            }
        }
    }

    fn codes(&self) -> BTreeMap<String, Vec<String>> {
        let code = |found: &Value| found["code"].as_str().expect("a code").to_owned();
        let all = self.shown.iter().filter(|(_, found)| !found.is_empty());
        all.map(|(path, found)| (path.clone(), found.iter().map(code).collect())).collect()
    }

    fn shows(&mut self, report: &Value, items: &str) {
        let path = self.path(report["uri"].as_str().expect("an address"));
        self.shown.insert(path, report[items].as_array().cloned().unwrap_or_default());
    }

    fn asks_of_documents(&mut self) {
        for path in self.open.keys().cloned().collect::<Vec<_>>() {
            let report = self.server.of(&self.uri(&path), "textDocument/diagnostic");
            self.shown.insert(path, report["items"].as_array().cloned().unwrap_or_default());
        }
    }

    /// Requests workspace diagnostics. A client that watches files gets the first answer at once, and later ones after changes.
    fn asks_of_workspace(&mut self) {
        if self.waiting.is_some() {
            return;
        }
        let known: Vec<Value> = self.results.iter().map(|(path, id)| json!({ "uri": self.uri(path), "value": id })).collect();
        let id = self.server.request("workspace/diagnostic", &json!({ "previousResultIds": known }));
        if self.has_asked && self.client.tells == Tells::Events {
            self.waiting = Some(id);
        } else {
            let answer = self.server.answer(id);
            self.hears_of_workspace(&answer);
        }
        self.has_asked = true;
    }

    fn hears_of_workspace(&mut self, answer: &Value) {
        for report in answer["result"]["items"].as_array().cloned().unwrap_or_default() {
            let path = self.path(report["uri"].as_str().expect("an address"));
            match report["resultId"].as_str() {
                Some(id) => drop(self.results.insert(path, id.into())),
                None => drop(self.results.remove(&path)),
            }
            if report["kind"] == "full" {
                self.shows(&report, "items");
            }
        }
    }

    /// Asserts that a newly started server reports the same for the open documents.
    #[track_caller]
    fn shows_what_a_new_one_shows(&self) {
        let capabilities = json!({ "textDocument": { "diagnostic": {} } });
        let (mut server, _) = Server::start(&capabilities);
        for (path, document) in &self.open {
            server.open_as(&self.uri(path), &document.text);
        }
        for path in self.open.keys() {
            let report = server.of(&self.uri(path), "textDocument/diagnostic");
            let shown = self.shown.get(path).cloned().unwrap_or_default();
            assert_eq!(Some(&shown), report["items"].as_array(), "{path}");
        }
        assert_eq!(server.end(), Some(0));
    }
}

#[track_caller]
fn run(command: &mut Command) {
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// `git` without the user's settings.
#[track_caller]
fn git(folder: &Path, words: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    run(command.args(["-c", "user.name=test", "-c", "user.email=test@example.org"]).args(words));
}
