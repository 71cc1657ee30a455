//! The files of the workspace, opened or not.
//!
//! Of the last result of a file only the id is kept: each request examines all files, on all cores, and checks those that may have changed. So no
//! result can be outdated.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher as _},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use cfg_diag::{FileId, LineIndex, Order, PositionEncoding};
use cfg_ide::{Analysis, Naming, PathSegment, Renaming, Word};
use cfg_project::{FoundFile, discover};
use cfg_syntax::{Dialect, Document};
use cfg_system::{SearchMemory, SearchOptions};
use tower_lsp_server::ls_types as lsp;

use crate::{
    backend::{is_registry, is_settings},
    convert::{self, View},
    files,
    pages::Pages,
    result_cache::{Now, ResultCache},
    surroundings::{AnalyzedText, Surroundings},
};

/// The maximum number of symbols in the answer to a search.
const MAX_SYMBOLS: usize = 1000;

/// The input of a request about the workspace. It is a copy, so that the loop can continue while the request is answered.
#[derive(Clone)]
pub(crate) struct Workspace {
    pub(crate) folders: Vec<PathBuf>,
    /// The entries of these folders.
    pub(crate) listed: Arc<SearchMemory>,
    pub(crate) surroundings: Surroundings,
    pub(crate) results: Arc<ResultCache>,
    pub(crate) encoding: PositionEncoding,
    pub(crate) pages: Arc<Pages>,
}

/// The findings in one file.
pub(crate) struct Report {
    pub(crate) uri: lsp::Uri,
    /// The id of the result, which changes whenever the findings may have changed; `None` for a deleted file.
    pub(crate) result_id: Option<String>,
    /// `None` if the client already has the findings.
    pub(crate) diagnostics: Option<Vec<lsp::Diagnostic>>,
}

/// The progress of a job.
pub(crate) struct Progress {
    pub(crate) done: usize,
    pub(crate) all: usize,
}

impl Workspace {
    fn view<'a>(&'a self, uri: &'a lsp::Uri, analysis: &'a Analysis) -> View<'a> {
        View { uri, analysis, encoding: self.encoding, pages: &self.pages }
    }

    /// The encoding of columns.
    pub(crate) const fn encoding(&self) -> PositionEncoding {
        self.encoding
    }

    /// The registries that are directly in the folders.
    pub(crate) fn registries(&self) -> impl Iterator<Item = PathBuf> {
        self.folders.iter().map(|folder| folder.join("registry.json")).filter(|path| self.surroundings.system().is_file(path))
    }

    /// The TOML files in the folders, sorted.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let options = SearchOptions { memory: Some(&self.listed), ..SearchOptions::default() };
        let found = discover(self.surroundings.recording_system(), &self.folders, options);
        let paths = found.into_iter().filter_map(Result::ok).map(|FoundFile { path, .. }| path);
        paths.filter(|path| !self.surroundings.leaves_out(path, &self.folders)).collect()
    }

    /// The text of a file as the client sees it; `None` if it is not text.
    pub(crate) fn text(&self, path: &Path) -> Option<String> {
        self.surroundings.text(path)
    }

    /// The findings in a file; `None` if it is not a config. `known` is the result that the client has.
    pub(crate) fn report(&self, path: &Path, generation: u64, known: Option<&str>) -> Option<Report> {
        let system = self.surroundings.system();
        // The status is read before the text, so that a change in between is noticed next time.
        let status = system.status(path).ok();
        let uri = lsp::Uri::from_file_path(path)?;
        // A file that was read from disk for the result may be open now.
        let is_open = |file: &PathBuf| self.surroundings.has_open(file);
        let now = Now { path, status: status.as_ref(), generation };
        if let Some(known) = known.filter(|known| self.results.is_same(now, known, &is_open)) {
            return Some(Report { uri, result_id: Some(known.to_owned()), diagnostics: None });
        }
        let text = self.text(path)?;
        // The findings in a registry depend on all files that it names, so its own text is not enough.
        let by_text = (!is_registry(path)).then(|| hash(&(generation, &text)));
        let known_by_text = by_text.as_deref().filter(|by_text| known == Some(by_text));
        if known_by_text.is_some_and(|known| self.results.is_same_text(system, now, known, &is_open)) {
            return Some(Report { uri, result_id: by_text, diagnostics: None });
        }
        let AnalyzedText { mut analysis, files } = self.surroundings.analyze_found(path, text);
        if analysis.whole.is_some() || analysis.is_launched {
            // Findings in the other files of the config are reported there.
            let (file, is_launched) = (analysis.file, analysis.is_launched);
            let is_own = |found: &cfg_diag::Diagnostic| found.location.map_or(is_launched, |location| location.file == file);
            analysis.checked.diagnostics.retain(is_own);
        }
        let diagnostics = self.view(&uri, &analysis).diagnostics();
        let must_be_reported = analysis.checked.is_config || known.is_some() || !diagnostics.is_empty();
        let needed = self.results.needs(files.paths());
        let result_id = match by_text.filter(|_| files.is_of_disk()) {
            Some(result_id) => {
                self.results.note(system, now, &result_id, needed);
                result_id
            }
            // Only the findings themselves show whether the result changed.
            None => hash(&format!("{diagnostics:?}")),
        };
        let is_known = known == Some(&*result_id);
        must_be_reported.then(|| Report { uri, result_id: Some(result_id), diagnostics: (!is_known).then_some(diagnostics) })
    }

    /// The keys of all configs whose dotted names contain `query`, and the environments whose names or ids do. Case is ignored.
    pub(crate) fn symbols(&self, query: &str) -> Vec<lsp::SymbolInformation> {
        let query = query.to_lowercase();
        let count = AtomicUsize::new(0);
        let files = self.files();
        let mut found: Vec<(usize, Vec<lsp::SymbolInformation>)> = Vec::new();
        let of = |path: &PathBuf| {
            if count.load(Ordering::Relaxed) >= MAX_SYMBOLS {
                return Vec::new();
            }
            let symbols = self.symbols_of(path, &query).unwrap_or_default();
            count.fetch_add(symbols.len(), Ordering::Relaxed);
            symbols
        };
        for_each(&files, &of, &mut |at, symbols, _| found.push((at, symbols)));
        found.order_by_key(|(at, _)| *at);
        let mut all: Vec<lsp::SymbolInformation> = found.into_iter().flat_map(|(_, symbols)| symbols).collect();
        all.truncate(MAX_SYMBOLS);
        all
    }

    fn symbols_of(&self, path: &Path, query: &str) -> Option<Vec<lsp::SymbolInformation>> {
        let text = self.text(path)?;
        // Most files contain none of the words, and a text search is faster than parsing.
        let low = text.to_lowercase();
        if !query.split('.').all(|part| low.contains(part)) {
            return None;
        }
        let (document, _) = cfg_syntax::parse(FileId(0), &text, Dialect::Toml11);
        let uri = lsp::Uri::from_file_path(path)?;
        let lines = LineIndex::new(&text);
        let file = path.file_name().map(|name| convert::harmless(name.to_string_lossy().into_owned()));
        let is_wanted = |name: &str| name.to_lowercase().contains(query);
        let keys = cfg_ide::search(&document, &is_wanted).into_iter();
        let keys = keys.map(|(name, span)| (name, span, lsp::SymbolKind::PROPERTY));
        let environments = cfg_ide::environments(&document);
        let names = environments.iter().flat_map(|environment| environment.name.iter().chain(&environment.ids));
        let names = names.filter(|(name, _)| is_wanted(name));
        let symbols = keys.chain(names.map(|(name, span)| ((*name).to_owned(), *span, lsp::SymbolKind::MODULE)));
        #[expect(deprecated, reason = "the protocol's type has no other way to be made")]
        let symbol = |(name, span, kind)| lsp::SymbolInformation {
            name: convert::harmless(name),
            kind,
            tags: None,
            deprecated: None,
            location: lsp::Location::new(uri.clone(), convert::range(&text, &lines, span, self.encoding)),
            container_name: file.clone(),
        };
        Some(symbols.map(symbol).collect())
    }

    /// Calls `of` for the files other than `own` that may contain an environment: for its id all configs and the settings; for its name the configs
    /// that `own` includes or that include `own`.
    fn with_environment<T: Send>(
        &self,
        (own, parts): (&Path, &[PathBuf]),
        word: &Word,
        of: &(dyn Fn(&Path, &str, &Document) -> T + Sync),
    ) -> Vec<T> {
        let own = files::normal(own);
        let parts: Vec<PathBuf> = parts.iter().map(|part| files::normal(part)).collect();
        let own_name = own.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let names_own = |path: &Path, text: &str| {
            text.contains("toml_files") && text.contains(&own_name) && {
                let AnalyzedText { analysis, .. } = self.surroundings.analyze_found(path, text.to_owned());
                analysis.parts.iter().any(|part| files::normal(Path::new(&part.path)) == own)
            }
        };
        let base = word.text.split('@').next().unwrap_or_default();
        let look = |path: &PathBuf| {
            let normal = files::normal(path);
            let text = self.text(path).filter(|text| normal != own && text.contains(base))?;
            let is_meant = word.naming == Naming::Id || parts.contains(&normal) || names_own(path, &text);
            is_meant.then(|| of(path, &text, &cfg_syntax::parse(FileId(0), &text, Dialect::Toml11).0))
        };
        let mut files = self.files();
        // Other files of the config may be outside the folders.
        files.extend(parts.iter().filter(|part| !files.contains(part)).cloned().collect::<Vec<_>>());
        if word.naming == Naming::Id {
            files.extend(self.settings_files(&files, &own));
        }
        let mut found = Vec::new();
        for_each(&files, &look, &mut |at, outcome, _| found.extend(outcome.map(|outcome| (at, outcome))));
        found.order_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, outcome)| outcome).collect()
    }

    /// The settings files of configs in the workspace, without those in `files`.
    fn settings_files(&self, files: &[PathBuf], own: &Path) -> Vec<PathBuf> {
        let mut folders: Vec<&Path> = files.iter().map(PathBuf::as_path).chain([own]).filter_map(Path::parent).collect();
        folders.sort_unstable();
        folders.dedup();
        let inside = |folder: &&Path| self.folders.iter().any(|root| folder.starts_with(root));
        let mut above: Vec<PathBuf> = folders
            .iter()
            .flat_map(|folder| cfg_system::around(folder).take_while(inside))
            .map(|folder| folder.join("cfg.toml"))
            .collect();
        above.sort_unstable();
        above.dedup();
        above.retain(|path| !files.contains(path) && self.surroundings.system().is_file(path));
        above
    }

    /// The places where other files name an environment.
    pub(crate) fn environment(&self, around: (&Path, &[PathBuf]), word: &Word) -> Vec<lsp::Location> {
        let of = |path: &Path, text: &str, document: &Document| {
            let (lines, uri) = (LineIndex::new(text), lsp::Uri::from_file_path(path));
            let spans = if is_settings(path) {
                cfg_ide::declarations(document, word)
            } else {
                cfg_ide::places(document, word).into_iter().map(|(span, _)| span).collect()
            };
            let range = |span| convert::range(text, &lines, span, self.encoding);
            let at = |uri: lsp::Uri| spans.iter().map(|span| lsp::Location::new(uri.clone(), range(*span))).collect();
            uri.map_or_else(Vec::new, at)
        };
        self.with_environment(around, word, &of).into_iter().flatten().collect()
    }

    /// The edits in other files that rename an environment.
    ///
    /// # Errors
    ///
    /// If one of the files already uses the name: a sentence that says which one.
    pub(crate) fn renamed_environment(
        &self,
        around: (&Path, &[PathBuf]),
        renaming: &Renaming,
    ) -> Result<HashMap<lsp::Uri, Vec<lsp::TextEdit>>, String> {
        let of = |path: &Path, text: &str, document: &Document| {
            let edits =
                if is_settings(path) { renaming.edits_of_settings(document, text) } else { renaming.edits(document, text) };
            if let Some(list) = renaming.holder(&[document]).filter(|_| !edits.is_empty()) {
                return Err(format!("the name is already used in {}, by another environment of `{list}`", path.display()));
            }
            let lines = LineIndex::new(text);
            let edit = |(span, new)| lsp::TextEdit::new(convert::range(text, &lines, span, self.encoding), new);
            Ok((lsp::Uri::from_file_path(path), edits.into_iter().map(edit).collect::<Vec<_>>()))
        };
        let mut changes = HashMap::new();
        for outcome in self.with_environment(around, renaming.word(), &of) {
            if let (Some(uri), edits) = outcome?
                && !edits.is_empty()
            {
                changes.insert(uri, edits);
            }
        }
        Ok(changes)
    }

    /// The places where other configs that include `base` by `toml_files` set the same key.
    pub(crate) fn overlays(&self, base: &Path, key: &[PathSegment]) -> Vec<lsp::Location> {
        let base = files::normal(base);
        let Some(name) = base.file_name().map(|name| name.to_string_lossy().into_owned()) else { return Vec::new() };
        let of = |path: &PathBuf| -> Vec<lsp::Location> {
            let Some(text) = self.text(path).filter(|text| text.contains("toml_files") && text.contains(&name)) else {
                return Vec::new();
            };
            let AnalyzedText { analysis, .. } = self.surroundings.analyze_found(path, text);
            let is_base = |part: &cfg_ide::Part| files::normal(Path::new(&part.path)) == base;
            let Some(uri) = lsp::Uri::from_file_path(path).filter(|_| analysis.parts.iter().any(is_base)) else {
                return Vec::new();
            };
            let view = self.view(&uri, &analysis);
            cfg_ide::occurrences(&analysis.document, key).into_iter().map(|span| view.location(span)).collect()
        };
        let mut found = Vec::new();
        for_each(&self.files(), &of, &mut |at, locations, _| found.push((at, locations)));
        found.order_by_key(|(at, _)| *at);
        found.into_iter().flat_map(|(_, locations)| locations).collect()
    }
}

/// A hash of a value, as text.
fn hash(value: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// The maximum number of threads: more would only wait for the disk.
const MAX_THREADS: usize = 16;
/// The maximum number of files whose results are passed on together, because each batch wakes another thread.
const MAX_BATCH: usize = 32;

/// Runs a job for each file, on all cores and with the budget of this thread, and passes the results to `take`, in any order. A job that panics has no
/// result. If the budget is stopped, this unwinds.
pub(crate) fn for_each<T: Send>(
    files: &[PathBuf],
    job: &(dyn Fn(&PathBuf) -> T + Sync),
    take: &mut dyn FnMut(usize, T, &Progress),
) {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS).min(files.len().div_ceil(8)).max(1);
    let batch = (files.len() / threads / 4).clamp(1, MAX_BATCH);
    let next = AtomicUsize::new(0);
    let budget = cfg_meter::budget();
    // The start of the next batch of files, and their results.
    let step = || -> Option<(usize, Vec<Option<T>>)> {
        let start = next.fetch_add(batch, Ordering::Relaxed);
        let rest = files.get(start..).filter(|rest| !rest.is_empty())?;
        let mut outcomes = Vec::with_capacity(batch);
        for file in rest.iter().take(batch) {
            if budget.is_stopped() {
                return None;
            }
            outcomes.push(catch_unwind(AssertUnwindSafe(|| job(file))).ok());
        }
        Some((start, outcomes))
    };
    let step = &step;
    thread::scope(|scope| {
        // The number of waiting batches is limited, so that memory does not grow with the number of files.
        let (sender, batches) = mpsc::sync_channel(256 / MAX_BATCH);
        let start = |_: &usize| {
            let sender = sender.clone();
            let budget = Arc::clone(&budget);
            let work = move || {
                let _within = cfg_meter::within(budget);
                while step().is_some_and(|batch| sender.send(batch).is_ok()) {}
            };
            thread::Builder::new().spawn_scoped(scope, work).is_ok()
        };
        let started = (0..threads).take_while(start).count();
        drop(sender);
        let mut progress = Progress { done: 0, all: files.len() };
        // If no thread can be started, this one does the work.
        while let Some((start, outcomes)) = if started == 0 { step() } else { batches.recv().ok() } {
            for (at, outcome) in (start..).zip(outcomes) {
                progress.done += 1;
                if let Some(outcome) = outcome {
                    take(at, outcome, &progress);
                }
            }
        }
    });
    cfg_meter::unwind_if_stopped();
}

/// The time after which a job reports its progress.
pub(crate) const QUIET: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use std::{path::PathBuf, sync::Arc};

    use cfg_meter::{Budget, Stopped, until_stopped};

    use super::for_each;

    /// A project's files are not looked up in each folder of a config, and what is kept for that does not grow with their number.
    #[cfg(unix)]
    #[test]
    fn a_folder_without_project_files_is_one_question() {
        use std::{fs, time::SystemTime};

        use cfg_diag::PositionEncoding;
        use cfg_system::{Admission, OsSystem, Overlay, System};

        use super::Workspace;
        use crate::surroundings::Surroundings;

        const FOLDERS: usize = 40;
        let root = tempfile::tempdir().expect("a temporary folder");
        for number in 0..FOLDERS {
            let folder = root.path().join(number.to_string());
            fs::create_dir(&folder).expect("a folder");
            fs::write(folder.join("rl.toml"), "max_steps = 5\n[trainer]\n[orchestrator]\n").expect("a file");
            fs::File::open(&folder).and_then(|folder| folder.set_modified(SystemTime::UNIX_EPOCH)).expect("a time");
        }
        let disk: Arc<dyn System> = Arc::new(OsSystem::new());
        disk.admit(root.path(), Admission::Named);
        let workspace = Workspace {
            folders: vec![root.path().to_owned()],
            listed: Arc::default(),
            surroundings: Surroundings::new(&disk, &Overlay::new(Arc::clone(&disk)), Arc::default(), None),
            results: Arc::default(),
            encoding: PositionEncoding::Utf16,
            pages: Arc::default(),
        };
        let searches = workspace.surroundings.keep_searches();
        let files = workspace.files();
        assert_eq!(files.len(), FOLDERS);
        let before = workspace.surroundings.questions();
        assert!(files.iter().all(|file| workspace.report(file, 0, None).is_some()));
        drop(searches);
        let asked = workspace.surroundings.questions() - before;
        // One about each folder, and few about each config and the files that it may be used with; each of the project's names would be one more.
        assert!((FOLDERS..6 * FOLDERS).contains(&asked), "{asked} questions");
    }

    #[test]
    fn every_file_is_checked_and_a_panic_loses_only_its_own() {
        let files: Vec<PathBuf> = (0..1003).map(|number| PathBuf::from(number.to_string())).collect();
        let job = |path: &PathBuf| {
            assert!(path.as_os_str() != "13", "unlucky");
            path.clone()
        };
        let mut taken = Vec::new();
        for_each(&files, &job, &mut |at, path, _| taken.push((at, path)));
        taken.sort();
        assert_eq!(taken.len(), 1002);
        assert!(taken.iter().all(|(at, path)| path.as_os_str() == at.to_string().as_str()));
    }

    #[test]
    fn a_job_that_is_stopped_ends_soon() {
        let files: Vec<PathBuf> = (0..100_000).map(|number| PathBuf::from(number.to_string())).collect();
        let (budget, mut taken) = (Arc::<Budget>::default(), 0);
        let all = || for_each(&files, &|_| budget.stop(), &mut |_, (), _| taken += 1);
        assert_eq!(until_stopped(Arc::clone(&budget), all), Err(Stopped));
        assert!(taken < 10_000, "{taken}");
    }
}
