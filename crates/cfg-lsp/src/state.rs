//! The open documents.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use cfg_check::Session;
use cfg_diag::{LineColumn, PositionEncoding};
use cfg_ide::{Analysis, Skeletons};
use cfg_system::{MemorySystem, Overlay, System};

use crate::{
    backend::is_untitled,
    edited::changed,
    files,
    pages::Pages,
    surroundings::{AnalyzedText, Overrides, Surroundings},
    versions::Versions,
};

/// One version of one open document. Its results are computed once, on first use.
pub struct Snapshot {
    /// Its version number from the client.
    pub version: i32,
    /// The path of its file; the client's name for it if it is not a file.
    pub path: PathBuf,
    text: Arc<str>,
    surroundings: Surroundings,
    known: OnceLock<AnalyzedText>,
}

/// How a file has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// Only its text.
    Text,
    /// Perhaps its existence.
    Presence,
}

/// A replacement within a text.
#[derive(Clone, Debug)]
pub struct Change {
    /// The replaced range; `None` for the whole text.
    pub range: Option<(LineColumn, LineColumn)>,
    /// The new text.
    pub text: String,
}

/// The state of the server.
pub struct State {
    /// The encoding of columns.
    pub encoding: PositionEncoding,
    /// The addresses of rule pages.
    pub(crate) pages: Arc<Pages>,
    /// The surroundings of open documents.
    surroundings: Surroundings,
    /// The surroundings of files that are not open, once they are needed. They are separate, so that the files of a large workspace need not be
    /// checked whenever one document is edited.
    of_workspace: Option<Surroundings>,
    documents: HashMap<String, Arc<Snapshot>>,
    /// Old versions of documents with their results, which are freed later, because that takes a while for a long text.
    outdated: Vec<Arc<Snapshot>>,
}

/// The maximum number of old versions that wait to be freed.
const MAX_OUTDATED: usize = 16;
/// A text with more bytes is long, and its results are freed immediately.
const MAX_CACHED_TEXT: usize = 1 << 20;

impl Snapshot {
    /// The results of the check, computed on first use. If that is stopped, they are computed on the next use.
    pub fn analysis(&self) -> &Analysis {
        &self.known.get_or_init(|| self.surroundings.analyze(&self.path, self.text.to_string())).analysis
    }

    /// Whether the results may depend on a file. While the document is being checked the answer is yes, because the check may have read that file
    /// before the change.
    fn depends_on(&self, path: &Path, change: Touch) -> bool {
        self.known.get().is_none_or(|known| match change {
            Touch::Text => known.files.has_read(path),
            Touch::Presence => known.files.is_requested(path),
        })
    }
}

impl Default for State {
    fn default() -> Self {
        let system: Arc<dyn System> = Arc::new(MemorySystem::default());
        Self::with_overrides(&system, Overrides::default())
    }
}

impl State {
    /// Creates the state on a system; `overrides` has what the user states for all files.
    pub fn with_overrides(system: &Arc<dyn System>, overrides: Overrides) -> Self {
        let open = Overlay::new(Arc::clone(system));
        Self {
            encoding: PositionEncoding::Utf16,
            pages: Arc::default(),
            surroundings: Surroundings::new(system, &open, Arc::new(overrides), None),
            of_workspace: None,
            documents: HashMap::new(),
            outdated: Vec::new(),
        }
    }

    /// The session for checking all documents.
    pub fn session(&self) -> Arc<Session> {
        Arc::clone(&self.surroundings.session)
    }

    /// The skeletons that were drafted in that session.
    pub(crate) fn skeletons(&self) -> Arc<Skeletons> {
        Arc::clone(&self.surroundings.skeletons)
    }

    /// Uses these registries from now on, and reads them again. Existing results of documents are kept.
    pub(crate) fn use_registries(&mut self, versions: Arc<dyn Versions>) {
        (self.surroundings, self.of_workspace) = (self.surroundings.with_registries(versions), None);
    }

    /// Adds a document, or replaces it. `uri` is the client's name for it.
    pub fn open(&mut self, uri: &str, path: &Path, version: i32, text: String) {
        let text: Arc<str> = text.into();
        if !is_untitled(uri) {
            self.surroundings.put(path, Arc::clone(&text));
        }
        self.put(uri, path, version, text);
    }

    fn put(&mut self, uri: &str, path: &Path, version: i32, text: Arc<str>) {
        let surroundings = self.surroundings.clone();
        let snapshot = Snapshot { version, path: path.to_owned(), text, surroundings, known: OnceLock::new() };
        let old = self.documents.insert(uri.to_owned(), Arc::new(snapshot));
        // Old versions are freed here if no other thread does it. The results of a long text are freed immediately, because two of them need too
        // much memory.
        if self.outdated.len() >= MAX_OUTDATED {
            self.outdated.clear();
        }
        self.outdated.extend(old.filter(|old| old.known.get().is_some() && old.text.len() <= MAX_CACHED_TEXT));
    }

    /// Takes the old versions out of the state, so that the calling thread can free them while it is idle. It should be the thread that computed
    /// their results: memory is freed faster on the thread that allocated it.
    pub(crate) fn outdated(&mut self) -> Vec<Arc<Snapshot>> {
        std::mem::take(&mut self.outdated)
    }

    /// Applies changes to an open document, each to the result of the previous one. A document that is not open is ignored.
    pub fn change(&mut self, uri: &str, version: i32, changes: Vec<Change>) {
        let Some(old) = self.documents.get(uri) else { return };
        let path = old.path.clone();
        // The lines of the old text are known if it was checked.
        let lines = old.known.get().map(|known| &known.analysis.lines);
        let text = changed(&old.text, lines, self.encoding, changes);
        self.open(uri, &path, version, text);
    }

    /// Removes a document.
    pub fn close(&mut self, uri: &str) {
        if let Some(old) = self.documents.remove(uri).filter(|_| !is_untitled(uri)) {
            self.surroundings.take(&old.path);
        }
    }

    /// The newest version of a document.
    pub fn snapshot(&self, uri: &str) -> Option<Arc<Snapshot>> {
        self.documents.get(uri).cloned()
    }

    /// The client's names of all open documents.
    pub fn open_documents(&self) -> Vec<String> {
        let mut names: Vec<String> = self.documents.keys().cloned().collect();
        names.sort();
        names
    }

    /// The paths of all open documents that are files.
    pub(crate) fn open_paths(&self) -> BTreeSet<PathBuf> {
        let files = self.documents.iter().filter(|(uri, _)| !is_untitled(uri));
        files.map(|(_, snapshot)| files::normal(&snapshot.path)).collect()
    }

    pub(crate) fn surroundings(&self) -> Surroundings {
        self.surroundings.clone()
    }

    /// The surroundings for files that are not open.
    pub(crate) fn surroundings_of_workspace(&mut self) -> Surroundings {
        self.of_workspace.get_or_insert_with(|| self.surroundings.anew()).clone()
    }

    /// New surroundings for files that are not open, because something has changed since `old`.
    pub(crate) fn new_surroundings_of_workspace(&mut self, old: &Surroundings) -> Surroundings {
        self.of_workspace = self.of_workspace.take().filter(|known| !known.is(old));
        self.surroundings_of_workspace()
    }

    /// Whether this file includes an open document, and was checked together with it.
    pub(crate) fn is_included_by(&self, path: &Path) -> bool {
        let path = files::normal(path);
        let names_it = |whole: &String| files::normal(Path::new(whole)) == path;
        self.documents
            .values()
            .filter_map(|snapshot| snapshot.known.get())
            .any(|known| known.analysis.whole.as_ref().is_some_and(names_it))
    }

    /// Drops the results of the other open documents that depend on a file, because it has changed, open or on disk. Returns the names of those
    /// documents.
    pub fn touched(&mut self, path: &Path, change: Touch) -> Vec<String> {
        let path = files::normal(path);
        let affected = |snapshot: &Snapshot| files::normal(&snapshot.path) != path && snapshot.depends_on(&path, change);
        let names = self.open_documents().into_iter();
        let names: Vec<String> = names.filter(|uri| self.documents.get(uri).is_some_and(|found| affected(found))).collect();
        self.forget(&names);
        names
    }

    /// Reads the settings and the projects' prime-rl again, because a file that determines them has changed.
    pub fn refresh(&mut self) {
        (self.surroundings, self.of_workspace) = (self.surroundings.anew(), None);
        self.forget(&self.open_documents());
    }

    fn forget(&mut self, names: &[String]) {
        for uri in names {
            if let Some(old) = self.snapshot(uri) {
                self.put(uri, &old.path, old.version, Arc::clone(&old.text));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use cfg_diag::{LineColumn, PositionEncoding};
    use cfg_meter::{Budget, Stopped, until_stopped};

    use super::{Change, State, Touch};

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
    fn columns_count_in_the_negotiated_encoding() {
        let text = "n = \"𝄞x\"\n";
        assert_eq!(after(text, PositionEncoding::Utf16, vec![edit((0, 7), (0, 8), "y")]), "n = \"𝄞y\"\n");
        assert_eq!(after(text, PositionEncoding::Utf32, vec![edit((0, 6), (0, 7), "y")]), "n = \"𝄞y\"\n");
        assert_eq!(after(text, PositionEncoding::Utf8, vec![edit((0, 9), (0, 10), "y")]), "n = \"𝄞y\"\n");
    }

    #[test]
    fn positions_outside_the_document_are_clamped_to_it() {
        assert_eq!(after("a", PositionEncoding::Utf16, vec![edit((9, 9), (99, 0), "b")]), "ab");
        assert_eq!(after("abc", PositionEncoding::Utf16, vec![edit((0, 2), (0, 1), "x")]), "abxc");
    }

    #[test]
    fn changes_of_closed_documents_are_ignored() {
        let mut state = State::default();
        state.change("a", 1, vec![edit((0, 0), (0, 0), "x")]);
        state.close("a");
        assert!(state.snapshot("a").is_none());
    }

    #[test]
    fn a_check_that_was_stopped_is_done_on_the_next_use() {
        let mut state = State::default();
        state.open("a", Path::new("/nowhere/a.toml"), 1, "max_steps = 5\n[trainer]\n[orchestrator]\n".to_owned());
        let snapshot = state.snapshot("a").expect("open");
        let budget = Arc::<Budget>::default();
        let check = || {
            budget.stop();
            snapshot.analysis().checked.kind
        };
        assert_eq!(until_stopped(Arc::clone(&budget), check), Err(Stopped));
        assert!(snapshot.known.get().is_none(), "nothing is kept of it");
        assert_eq!(until_stopped(Arc::default(), || snapshot.analysis().checked.is_config), Ok(true));
    }

    #[test]
    fn a_change_of_a_base_file_reaches_its_overlays() {
        let overlay = "# /// config\n# prime_rl = \"0.2.0\"\n# ///\ntoml_files = [\"base.toml\"]\n".to_owned();
        let mut state = State::default();
        state.open("base", Path::new("/nowhere/base.toml"), 1, "[trainer]\n[orchestrator]\nbatch_size = \"x\"\n".to_owned());
        state.open("run", Path::new("/nowhere/run.toml"), 1, overlay);
        let found = |state: &State| {
            let snapshot = state.snapshot("run").expect("open");
            snapshot.analysis().checked.diagnostics.iter().filter(|found| found.native.is_some()).count()
        };
        // A check in progress may have read any file before it changed.
        assert_eq!(state.touched(Path::new("/nowhere/other.toml"), Touch::Text), ["base", "run"]);
        assert_eq!(found(&state), 1);
        state.open("base", Path::new("/nowhere/base.toml"), 2, "[trainer]\n[orchestrator]\nbatch_size = 16\n".to_owned());
        assert_eq!(state.touched(Path::new("/nowhere/base.toml"), Touch::Text), ["run"]);
        assert_eq!(found(&state), 0);
        assert_eq!(state.snapshot("base").map(|base| base.analysis().parts.len()), Some(0));
        assert_eq!(state.touched(Path::new("/nowhere/other.toml"), Touch::Text), Vec::<String>::new());
    }
}
