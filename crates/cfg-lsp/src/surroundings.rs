//! The surroundings that a document is checked with: the settings, the session, and the files around it as the client sees them.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use cfg_check::{Project, Session};
use cfg_diag::{Diagnostic, FileId};
use cfg_ide::{Analysis, Skeletons, Source};
use cfg_project::Projects;
use cfg_schema::{Kind, Target};
use cfg_syntax::{Dialect, Document};
use cfg_system::{KeptSearches, Observed, Overlay, Recorded, System};

use crate::{backend::is_registry, files, versions::Versions};

/// What stays the same between two versions of a document. It is shared by threads.
#[derive(Clone)]
pub(crate) struct Surroundings {
    /// What the user states for all files.
    overrides: Arc<Overrides>,
    pub(crate) session: Arc<Session>,
    /// The skeletons that were drafted in that session.
    pub(crate) skeletons: Arc<Skeletons>,
    /// The registries, if there are any.
    versions: Option<Arc<dyn Versions>>,
    /// The files on disk, with a record of those that were read.
    observed: Arc<Observed>,
    /// The most questions that one check has added to that record.
    most_asked: Arc<AtomicUsize>,
    /// The files as the client sees them: the texts of open documents take precedence over the disk.
    open: Arc<Overlay>,
    /// The same files as `open`, but without a record.
    unobserved: Arc<Overlay>,
}

/// The maximum number of recorded reads for open documents, beside twice those that a single check needs. Beyond it the record is cleared: typing the
/// name of a file adds a read for each keystroke.
const MAX_READS: usize = 1 << 14;

/// The results for a text, and the files that they depend on.
pub(crate) struct AnalyzedText {
    pub(crate) analysis: Analysis,
    pub(crate) files: Arc<Recorded>,
}

/// What the user states for all files of a session, in place of what the files or their projects state.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// The settings file that is used instead of those around the files.
    pub settings: Option<PathBuf>,
    /// The kind of all configs.
    pub kind: Option<Kind>,
    /// The target of all configs.
    pub target: Option<Target>,
    /// The machine of all configs. A card that a settings file defines is known only for the files that use those settings.
    pub gpu: Option<Box<str>>,
}

impl Surroundings {
    /// Surroundings with the texts of open documents over the current disk.
    pub(crate) fn new(
        disk: &Arc<dyn System>,
        open: &Overlay,
        overrides: Arc<Overrides>,
        versions: Option<Arc<dyn Versions>>,
    ) -> Self {
        let observed = Arc::new(Observed::new(Arc::clone(disk)));
        let system: Arc<dyn System> = Arc::<Observed>::clone(&observed);
        let projects = Arc::new(Projects::new(Arc::clone(&system), overrides.settings.as_deref()));
        let session = Arc::new(match &versions {
            Some(versions) => versions.session(&projects),
            None => Session::new(projects),
        });
        let unobserved = Arc::new(open.over(Arc::clone(disk)));
        let open = Arc::new(open.over(system));
        Self { overrides, session, skeletons: Arc::default(), versions, observed, most_asked: Arc::default(), open, unobserved }
    }

    /// New surroundings with the same input, in which no file has been read.
    pub(crate) fn anew(&self) -> Self {
        Self::new(self.observed.base(), &self.open, Arc::clone(&self.overrides), self.versions.clone())
    }

    /// The same surroundings with other registries. Existing results of documents are kept.
    pub(crate) fn with_registries(&self, versions: Arc<dyn Versions>) -> Self {
        let session = Arc::new(versions.session(self.session.projects()));
        Self { session, versions: Some(versions), ..self.clone() }
    }

    /// Puts the text of an open document over its file.
    pub(crate) fn put(&self, path: &Path, text: Arc<str>) {
        self.open.put(path, text);
    }

    /// Removes the text of a closed document.
    pub(crate) fn take(&self, path: &Path) {
        self.open.take(path);
    }

    /// Whether a file is open.
    pub(crate) fn has_open(&self, path: &PathBuf) -> bool {
        self.open.has_any(std::slice::from_ref(path))
    }

    /// Keeps what searches find until the result is dropped.
    pub(crate) fn keep_searches(&self) -> KeptSearches {
        self.observed.keep_searches()
    }

    /// The files that have changed on disk since they were read.
    pub(crate) fn changed_files(&self) -> Vec<PathBuf> {
        self.observed.changed_files()
    }

    /// The number of questions in the record.
    pub(crate) fn questions(&self) -> usize {
        self.observed.len()
    }

    /// Whether the record is so large that it should be cleared.
    pub(crate) fn is_full(&self) -> bool {
        self.questions() > MAX_READS + 2 * self.most_asked.load(Ordering::Relaxed)
    }

    /// Records the current state of a file as unchanged.
    pub(crate) fn accept(&self, path: &Path) {
        self.observed.accept(path);
    }

    /// Whether two surroundings have the same record of files: neither was created by [`anew`](Self::anew) from the other.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.observed, &other.observed)
    }

    /// The results for a text that the user has opened.
    pub(crate) fn analyze(&self, path: &Path, text: String) -> AnalyzedText {
        self.analyze_as(path, text, true)
    }

    /// The results for a file that was found in a folder. It is checked only if it looks like a config.
    pub(crate) fn analyze_found(&self, path: &Path, text: String) -> AnalyzedText {
        self.analyze_as(path, text, false)
    }

    fn analyze_as(&self, path: &Path, text: String, named: bool) -> AnalyzedText {
        let before = self.questions();
        let name = path.to_string_lossy();
        let projects = self.session.projects();
        let files = Arc::new(Recorded::new(&self.open));
        let system: Arc<dyn System> = Arc::<Recorded>::clone(&files);
        let source = Source {
            path: &name,
            named,
            text,
            kind: self.overrides.kind,
            target: self.overrides.target.clone(),
            project: self.project(path, &system),
            system: Some(&system),
        };
        let mut analysis = Analysis::new(&self.session, source);
        if is_registry(path) {
            let verify = |versions: &Arc<dyn Versions>| versions.verify(&self.session, path, &analysis.text);
            analysis.checked.diagnostics = self.versions.as_ref().map(verify).unwrap_or_default();
            (analysis.checked.is_config, analysis.checked.kind) = (false, None);
        } else if !analysis.checked.is_config {
            // In files of other programs, only the settings of cfg are checked.
            analysis.checked.diagnostics = projects.wrong_in(path, &analysis.text);
            if path.file_name().is_some_and(|name| name == "pyproject.toml") {
                leave_to_others(&analysis.document, &analysis.text, &mut analysis.checked.diagnostics);
            }
        } else if analysis.checked.kind.is_none() && analysis.document.root.entries.is_empty() && analysis.stated.target.is_none()
        {
            // It is unknown whether an empty file will become a config.
            analysis.checked.diagnostics.clear();
        }
        let judged = analysis.whole.clone().map_or_else(|| path.to_owned(), PathBuf::from);
        projects.apply_lint(&judged, &[], &[], &mut analysis.checked.diagnostics, |_| false);
        if analysis.checked.is_config {
            analysis.hide_accepted(&self.session);
        }
        self.most_asked.fetch_max(self.questions().saturating_sub(before), Ordering::Relaxed);
        cfg_meter::unwind_if_stopped();
        AnalyzedText { analysis, files }
    }

    /// Whether a file of a folder is not checked unless it is open: the settings exclude it, or it belongs to another project.
    pub(crate) fn leaves_out(&self, path: &Path, folders: &[PathBuf]) -> bool {
        self.session.projects().left_out(path, folders).is_some()
    }

    /// The settings that apply to a file, and the project around it.
    fn project(&self, path: &Path, system: &Arc<dyn System>) -> Arc<Project> {
        let mut project = Project::around(self.session.projects(), path);
        project.nearby = project.nearby.read_on(system);
        if let Some(gpu) = &self.overrides.gpu {
            project.request_gpu(gpu);
        }
        Arc::new(project)
    }

    /// Whether this is the settings file that the user states for all files.
    pub(crate) fn is_stated(&self, path: &Path) -> bool {
        self.overrides.settings.as_ref().is_some_and(|settings| files::normal(settings) == files::normal(path))
    }

    /// The text of a file as the client sees it; `None` if it is not text.
    pub(crate) fn text(&self, path: &Path) -> Option<String> {
        self.system().text(path, files::role(path))
    }

    /// The files as the client sees them, with a record. Only a search on this finds what [`keep_searches`](Self::keep_searches) keeps.
    pub(crate) fn recording_system(&self) -> &dyn System {
        &*self.open
    }

    /// The files as the client sees them, without a record.
    pub(crate) fn system(&self) -> &dyn System {
        &*self.unobserved
    }
}

/// Removes syntax errors outside the settings of cfg, in a file that several tools share.
fn leave_to_others(document: &Document, text: &str, found: &mut Vec<Diagnostic>) {
    let is_toml = found.is_empty() || cfg_syntax::parse(FileId(0), text, Dialect::Toml11).1.is_empty();
    found.retain(|found| {
        let table = found.location.map(|location| cfg_ide::table_around(document, location.span.start)).unwrap_or_default();
        is_toml || table == "tool.cfg" || table.starts_with("tool.cfg.")
    });
}

#[cfg(test)]
mod tests {
    use std::{fmt::Write as _, path::Path, sync::Arc};

    use cfg_system::{MemorySystem, Overlay, System};

    use super::{MAX_READS, Surroundings};

    /// A check that needs a large record is not done again at each message of the client.
    #[test]
    fn what_one_check_needs_does_not_fill_the_record() {
        let script = |number: usize| {
            let mut text = String::new();
            (0..1000).for_each(|line| writeln!(text, "uv run rl @ x{number}_{line}.toml").expect("a string"));
            (format!("r/s{number}.sh"), text)
        };
        let scripts: Vec<(String, String)> = (0..24).map(script).collect();
        let config = ("r/rl.toml", "[trainer]\n[orchestrator]\n");
        let files = scripts.iter().map(|(path, text)| (&**path, &**text)).chain([("r/.git/HEAD", ""), config]);
        let disk: Arc<dyn System> = Arc::new(MemorySystem::with_files(files));
        let surroundings = Surroundings::new(&disk, &Overlay::new(Arc::clone(&disk)), Arc::default(), None);
        let path = disk.absolute(Path::new(config.0));
        surroundings.analyze(&path, config.1.to_owned());
        assert!(surroundings.questions() > MAX_READS && !surroundings.is_full(), "{}", surroundings.questions());
        // Names that are typed later are not all remembered.
        let typed = (0..3 * surroundings.questions()).map(|number| path.with_file_name(format!("typed{number}.toml")));
        typed.for_each(|path| assert!(!surroundings.recording_system().is_file(&path)));
        assert!(surroundings.is_full());
    }
}
