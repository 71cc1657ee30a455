//! The open documents.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use cfg_check::Session;
use cfg_diag::{LineColumn, LineIndex, PositionEncoding};
use cfg_ide::{Analysis, Source};
use cfg_project::Projects;
use cfg_schema::Target;

use crate::surroundings::project_around;

/// One version of one open document. What is known of it is computed when it is first asked for, once.
pub struct Snapshot {
    /// Its version, as the client counts.
    pub version: i32,
    /// Its path; what the client calls it, where it is not a file.
    pub path: PathBuf,
    text: Arc<str>,
    surroundings: Surroundings,
    analysis: OnceLock<Analysis>,
}

/// What does not change between two versions of a document.
#[derive(Clone)]
struct Surroundings {
    session: Arc<Session>,
    projects: Arc<Projects>,
}

/// A replacement in a text.
#[derive(Clone, Debug)]
pub struct Change {
    /// What is replaced, from and to; the whole text where there is nothing.
    pub range: Option<(LineColumn, LineColumn)>,
    /// What stands there afterwards.
    pub text: String,
}

/// Everything that the server remembers.
pub struct State {
    /// What columns count.
    pub encoding: PositionEncoding,
    surroundings: Surroundings,
    documents: HashMap<String, Arc<Snapshot>>,
}

impl Snapshot {
    /// What is known of it.
    pub fn analysis(&self) -> &Analysis {
        self.analysis.get_or_init(|| {
            let target = || self.target();
            let path = self.path.to_string_lossy();
            let settings = self.surroundings.projects.settings(&self.path);
            let project = project_around(&self.surroundings.projects, &self.path);
            let source = Source { path: &path, text: self.text.to_string(), surroundings: &target, project: Some(&project) };
            let mut analysis = Analysis::new(&self.surroundings.session, source);
            let lint = &settings.settings.lint;
            analysis.checked.diagnostics.retain_mut(|found| {
                let wanted = lint.severity(found.code, found.severity, &self.path);
                found.severity = wanted.unwrap_or(found.severity);
                wanted.is_some()
            });
            analysis
        })
    }

    fn target(&self) -> Option<Target> {
        let detected = self.surroundings.projects.target(&self.path)?;
        detected.as_ref().as_ref().ok().map(|detected| detected.target.clone())
    }
}

impl Default for State {
    fn default() -> Self {
        let surroundings = Surroundings { session: Arc::default(), projects: Arc::new(Projects::new(None)) };
        Self { encoding: PositionEncoding::Utf16, surroundings, documents: HashMap::new() }
    }
}

impl State {
    /// Takes a document in, or replaces it. `uri` is how the client names it.
    pub fn open(&mut self, uri: &str, path: &Path, version: i32, text: String) {
        let snapshot = Snapshot {
            version,
            path: path.to_owned(),
            text: text.into(),
            surroundings: self.surroundings.clone(),
            analysis: OnceLock::new(),
        };
        self.documents.insert(uri.to_owned(), Arc::new(snapshot));
    }

    /// Applies changes to an open document, each to the outcome of the one before it. An unknown document is left alone.
    pub fn change(&mut self, uri: &str, version: i32, changes: Vec<Change>) {
        let Some(old) = self.documents.get(uri) else { return };
        let path = old.path.clone();
        let mut text = old.text.to_string();
        for change in changes {
            match change.range {
                None => text = change.text,
                Some((from, to)) => {
                    let lines = LineIndex::new(&text);
                    let start = lines.offset(&text, from, self.encoding) as usize;
                    let end = lines.offset(&text, to, self.encoding) as usize;
                    text.replace_range(start..end.max(start), &change.text);
                }
            }
        }
        self.open(uri, &path, version, text);
    }

    /// Forgets a document.
    pub fn close(&mut self, uri: &str) {
        self.documents.remove(uri);
    }

    /// The newest version of a document.
    pub fn snapshot(&self, uri: &str) -> Option<Arc<Snapshot>> {
        self.documents.get(uri).cloned()
    }

    /// The names of all open documents.
    pub fn open_documents(&self) -> Vec<String> {
        let mut names: Vec<String> = self.documents.keys().cloned().collect();
        names.sort();
        names
    }

    /// Looks at the settings and at the projects' prime-rl anew: a file that tells them has changed.
    pub fn refresh(&mut self) {
        self.surroundings.projects = Arc::new(Projects::new(None));
        for uri in self.open_documents() {
            if let Some(old) = self.snapshot(&uri) {
                self.open(&uri, &old.path, old.version, old.text.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cfg_diag::{LineColumn, PositionEncoding};

    use super::{Change, State};

    fn edit(from: (u32, u32), to: (u32, u32), text: &str) -> Change {
        let at = |(line, column)| LineColumn { line, column };
        Change { range: Some((at(from), at(to))), text: text.to_owned() }
    }

    fn after(text: &str, encoding: PositionEncoding, changes: Vec<Change>) -> String {
        let mut state = State { encoding, ..State::default() };
        state.open("a", Path::new("a.toml"), 1, text.to_owned());
        state.change("a", 2, changes);
        state.snapshot("a").expect("open").analysis().text.clone()
    }

    #[test]
    fn changes_apply_one_after_the_other() {
        let changes = vec![edit((0, 0), (0, 1), "bb"), edit((0, 2), (0, 2), "c")];
        assert_eq!(after("a = 1\n", PositionEncoding::Utf8, changes), "bbc = 1\n");
    }

    #[test]
    fn columns_count_what_was_agreed_on() {
        let text = "n = \"𝄞x\"\n";
        assert_eq!(after(text, PositionEncoding::Utf16, vec![edit((0, 7), (0, 8), "y")]), "n = \"𝄞y\"\n");
        assert_eq!(after(text, PositionEncoding::Utf32, vec![edit((0, 6), (0, 7), "y")]), "n = \"𝄞y\"\n");
        assert_eq!(after(text, PositionEncoding::Utf8, vec![edit((0, 9), (0, 10), "y")]), "n = \"𝄞y\"\n");
    }

    #[test]
    fn positions_outside_the_text_are_brought_inside() {
        assert_eq!(after("a", PositionEncoding::Utf16, vec![edit((9, 9), (99, 0), "b")]), "ab");
        assert_eq!(after("abc", PositionEncoding::Utf16, vec![edit((0, 2), (0, 1), "x")]), "abxc");
    }

    #[test]
    fn what_is_not_open_is_left_alone() {
        let mut state = State::default();
        state.change("a", 1, vec![edit((0, 0), (0, 0), "x")]);
        state.close("a");
        assert!(state.snapshot("a").is_none());
    }
}
