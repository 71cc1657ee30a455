//! The parts that all handlers of requests share: the state, the client, and the channels that announce changes.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use cfg_ide::Analysis;
use cfg_system::{SearchMemory, System};
use tokio::sync::watch;
use tower_lsp_server::{Client, jsonrpc::Result, ls_types as lsp};

use crate::{
    capabilities,
    convert::View,
    files,
    lanes::{Budgets, Lanes},
    publisher::Publisher,
    result_cache::ResultCache,
    scratch::Scratch,
    state::{State, Touch},
    surroundings::{Overrides, Surroundings},
    transport,
    versions::{Standing, Versions},
};

/// The files that the client is asked to watch: configs, and everything that findings in them may depend on. A change of a file that is neither TOML
/// nor a registry has an effect only if the file was read.
const WATCHED: [&str; 40] = [
    "**/*.toml",
    "**/registry.json",
    "**/*baseline*.json",
    // They determine the prime-rl of a project.
    "**/uv.lock",
    "**/.gitmodules",
    "**/direct_url.json",
    "**/METADATA",
    // prime-rl's config classes, those of environments, and patches.
    "**/*.py",
    "**/*.pth",
    "**/*.patch",
    "**/*.diff",
    // They may contain launch commands.
    "**/*.sh",
    "**/*.bash",
    "**/*.zsh",
    "**/*.fish",
    "**/*.sbatch",
    "**/*.slurm",
    "**/*.mk",
    "**/*.just",
    "**/*.j2",
    "**/*.ps1",
    "**/*.ipynb",
    "**/package.json",
    "**/deno.json",
    "**/tasks.json",
    "**/launch.json",
    "**/devcontainer.json",
    "**/Procfile",
    "**/tox.ini",
    "**/*.dockerfile",
    "**/*akefile",
    "**/*ustfile",
    "**/*ockerfile*",
    "**/*ontainerfile*",
    "**/*.yml",
    "**/*.yaml",
    "**/*.md",
    // Schemas of declared dialects, lists that their configs name, and requirements.
    "**/*.schema",
    "**/*.txt",
    // The architecture of a model.
    "**/config.json",
];

/// The state that the loop shares with other threads.
pub(crate) struct Shared {
    state: Mutex<State>,
    /// A counter that increases whenever anything that findings depend on changes, except the text itself.
    pub(crate) generation: AtomicU64,
    /// The results for files of the workspace that are not open, as they were last read.
    pub(crate) results: Arc<ResultCache>,
    /// The entries of the workspace's folders.
    pub(crate) listed: Arc<SearchMemory>,
    /// Wakes the receivers of [`announcements`](Self::announcements).
    announcements: watch::Sender<()>,
}

impl Shared {
    /// Creates the state for a session; `overrides` has what the user states for all files.
    pub(crate) fn with_overrides(system: &Arc<dyn System>, overrides: Overrides) -> Self {
        Self {
            state: Mutex::new(State::with_overrides(system, overrides)),
            generation: AtomicU64::default(),
            results: Arc::default(),
            listed: Arc::default(),
            announcements: watch::Sender::default(),
        }
    }

    /// Frees the results for older texts; the state can be used meanwhile.
    pub(crate) fn free_outdated(&self) {
        let outdated = self.state().outdated();
        drop(outdated);
    }

    /// Announces that the text of an open document has changed, if that may change the findings in files that are not open.
    pub(crate) fn announce_edit(&self, path: &Path) {
        if self.results.is_needed(&files::normal(path)) {
            self.announce_changes();
        }
    }

    /// Announces that the findings in files that are not open may have changed.
    pub(crate) fn announce_changes(&self) {
        self.announcements.send_replace(());
    }

    /// Receives all announcements from now on.
    pub(crate) fn announcements(&self) -> watch::Receiver<()> {
        self.announcements.subscribe()
    }

    /// The surroundings for files that are not open, updated to the current state of the disk.
    pub(crate) fn surroundings_of_workspace(&self) -> Surroundings {
        let known = self.state().surroundings_of_workspace();
        if known.changed_files().is_empty() {
            return known;
        }
        self.generation.fetch_add(1, Ordering::Relaxed);
        self.state().new_surroundings_of_workspace(&known)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The parts of a session from which a [`Backend`] is created.
pub(crate) struct Parts {
    pub(crate) shared: Arc<Shared>,
    pub(crate) gone: transport::Gone,
    pub(crate) budgets: Arc<Budgets>,
    pub(crate) versions: Arc<dyn Versions>,
    pub(crate) system: Arc<dyn System>,
    pub(crate) scratch: Arc<Scratch>,
}

pub(crate) struct Backend {
    pub(crate) client: Client,
    pub(crate) shared: Arc<Shared>,
    pub(crate) capabilities: OnceLock<capabilities::Client>,
    /// The folders of the workspace.
    pub(crate) folders: Mutex<Vec<PathBuf>>,
    pub(crate) versions: Arc<dyn Versions>,
    pub(crate) system: Arc<dyn System>,
    pub(crate) scratch: Arc<Scratch>,
    /// The files that the client was asked to show, by the document that they are about and the command that created them.
    pub(crate) shown: Mutex<BTreeSet<(String, String)>>,
    /// The budgets of all requests and checks.
    pub(crate) budgets: Arc<Budgets>,
    /// The threads for requests and checks of documents.
    pub(crate) lanes: Lanes,
    publisher: OnceLock<Publisher>,
    outlet: transport::Outlet,
    gone: transport::Gone,
    /// Whether a request for the whole workspace has been answered.
    pub(crate) has_answered_workspace: AtomicBool,
}

impl Backend {
    pub(crate) fn new(client: Client, outlet: transport::Outlet, parts: Parts) -> Self {
        let Parts { shared, gone, budgets, versions, system, scratch } = parts;
        shared.state().use_registries(Arc::clone(&versions));
        let of_lanes = Arc::clone(&shared);
        let lanes = Lanes::new(Arc::clone(&budgets), move || of_lanes.free_outdated());
        Self {
            client,
            shared,
            versions,
            system,
            scratch,
            capabilities: OnceLock::new(),
            folders: Mutex::default(),
            shown: Mutex::default(),
            budgets,
            lanes,
            publisher: OnceLock::new(),
            outlet,
            gone,
            has_answered_workspace: AtomicBool::default(),
        }
    }

    /// The path of a document. An unsaved document is treated as a file in the first folder of the workspace, and uses the settings of that folder.
    pub(crate) fn path(&self, uri: &lsp::Uri) -> PathBuf {
        let path = path(uri);
        if !is_untitled(uri.as_str()) {
            return path;
        }
        let folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.first().map_or_else(|| path.clone(), |folder| folder.join(&path))
    }

    /// The path of a document that is a file, or will be saved as one. `None` for a document with another scheme, such as an older version (`git:`)
    /// or the output of a command (`cfg:`), because the user can't fix it.
    pub(crate) fn path_of_file(&self, uri: &lsp::Uri) -> Option<PathBuf> {
        let is_file = uri.scheme().as_str().eq_ignore_ascii_case("file") || is_untitled(uri.as_str());
        is_file.then(|| self.path(uri))
    }

    /// The result of `ask` for the newest text of a document, with the current files around it; `None` for a document that is not open.
    pub(crate) async fn answer<T: Send + 'static>(
        &self,
        uri: &lsp::Uri,
        ask: impl FnOnce(&View<'_>) -> T + Send + 'static,
    ) -> Result<Option<T>> {
        self.check_for_changes();
        let (snapshot, encoding, pages) = {
            let state = self.shared.state();
            (state.snapshot(uri.as_str()), state.encoding, Arc::clone(&state.pages))
        };
        let Some(snapshot) = snapshot else { return Ok(None) };
        let of_job = uri.clone();
        let answer = move || {
            let analysis: &Analysis = snapshot.analysis();
            ask(&View { uri: &of_job, analysis, encoding, pages: &pages })
        };
        self.lanes.answer(uri.as_str(), answer).await.map(Some)
    }

    /// The result of `ask` for a config; `None` for a document of another program.
    pub(crate) async fn answer_of_config<T: Send + 'static>(
        &self,
        uri: &lsp::Uri,
        ask: impl FnOnce(&View<'_>) -> T + Send + 'static,
    ) -> Result<Option<T>> {
        Ok(self.answer(uri, |view| (!view.is_others(None)).then(|| ask(view))).await?.flatten())
    }

    /// The result of `ask` for a file of cfg: a config, or a settings file that belongs only to cfg.
    pub(crate) async fn answer_of_own<T: Send + 'static>(
        &self,
        uri: &lsp::Uri,
        ask: impl FnOnce(&View<'_>) -> T + Send + 'static,
    ) -> Result<Option<T>> {
        let is_own = |view: &View<'_>| !view.is_others(None) || is_settings(&path(view.uri));
        Ok(self.answer(uri, move |view| is_own(view).then(|| ask(view))).await?.flatten())
    }

    /// The result of `ask` for a position in a config, or in a document that may become one.
    pub(crate) async fn answer_at<T: Send + 'static>(
        &self,
        at: &lsp::TextDocumentPositionParams,
        ask: impl FnOnce(&View<'_>, u32) -> T + Send + 'static,
    ) -> Result<Option<T>> {
        let position = at.position;
        let ask = move |view: &View<'_>| {
            let offset = view.offset(position);
            (!view.is_others(Some(offset))).then(|| ask(view, offset))
        };
        Ok(self.answer(&at.text_document.uri, ask).await?.flatten())
    }

    /// The states of open configs in their registries.
    pub(crate) fn standings(&self) -> Standings {
        Standings { shared: Arc::clone(&self.shared), versions: Arc::clone(&self.versions) }
    }

    pub(crate) fn has(&self, capability: impl FnOnce(&capabilities::Client) -> bool) -> bool {
        self.capabilities.get().is_some_and(capability)
    }

    /// Checks a document again, and publishes the result if the client does not request it.
    pub(crate) fn check_again(&self, uri: lsp::Uri) {
        if let Some(publisher) = self.publisher.get() {
            publisher.check_again(uri);
        }
    }

    /// Handles the change of a file, open or on disk: checks the documents that depend on it again. Returns whether there are any.
    pub(crate) fn touched(&self, path: &Path, change: Touch) -> bool {
        let affected = self.shared.state().touched(path, change);
        for uri in affected.iter().filter_map(|uri| uri.parse().ok()) {
            self.check_again(uri);
        }
        !affected.is_empty()
    }

    /// Starts sending diagnostics, for a client that does not request them.
    pub(crate) fn start_publisher(&self) {
        let new = || Publisher::new(Arc::clone(&self.shared), self.outlet.clone(), self.lanes.clone());
        self.publisher.get_or_init(new);
    }

    /// Whether a change of the file affects all configs around it.
    pub(crate) fn affects_all_configs(&self, path: &Path) -> bool {
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        // A file that is not TOML is read only to determine the prime-rl: its classes, its source, or launch commands.
        !name.ends_with(".toml")
            || matches!(&*name, "cfg.toml" | "pyproject.toml")
            || self.shared.state().surroundings().is_stated(path)
    }

    /// Whether a file includes other configs, or did so when an open config was last checked; `None` if the file can't be read.
    pub(crate) fn names_others(&self, path: &Path) -> Option<bool> {
        let surroundings = {
            let state = self.shared.state();
            if state.is_included_by(path) {
                return Some(true);
            }
            state.surroundings()
        };
        let text = surroundings.system().read(path, files::role(path)).ok()?;
        Some(String::from_utf8_lossy(&text).contains("toml_files"))
    }

    /// Checks all open documents again, because settings or projects have changed.
    pub(crate) fn refresh(&self) {
        let open = {
            let mut state = self.shared.state();
            state.refresh();
            state.open_documents()
        };
        self.shared.generation.fetch_add(1, Ordering::Relaxed);
        self.shared.announce_changes();
        for uri in open.iter().filter_map(|uri| uri.parse().ok()) {
            self.check_again(uri);
        }
    }

    /// Checks whether files have changed since the open documents were checked: settings, registries, included configs, the sources of a prime-rl.
    /// This happens at every message of the client, so it also works for clients that do not watch files, and an idle client costs nothing.
    pub(crate) fn check_for_changes(&self) {
        let surroundings = self.shared.state().surroundings();
        let changed = surroundings.changed_files();
        if changed.is_empty() && !surroundings.is_full() {
            return;
        }
        let open = self.shared.state().open_paths();
        let matters = |path: &PathBuf| {
            let path = files::normal(path);
            // For an open config the text in the editor is used, and it was checked when it was edited.
            !open.contains(&path) || self.affects_all_configs(&path) || self.names_others(&path).unwrap_or(true)
        };
        if surroundings.is_full() || changed.iter().any(matters) {
            self.refresh();
            self.ask_to_refresh();
        } else {
            changed.iter().for_each(|path| surroundings.accept(path));
        }
    }

    /// Asks the client to send its requests again. Its answers are not awaited: without them, only this refresh is lost.
    pub(crate) fn ask_to_refresh(&self) {
        let Some(client) = self.capabilities.get().cloned() else { return };
        let to_client = self.client.clone();
        tokio::spawn(async move {
            if client.pulls && client.refreshes {
                let _ = to_client.workspace_diagnostic_refresh().await;
            }
            if client.refreshes_hints {
                let _ = to_client.inlay_hint_refresh().await;
            }
            if client.refreshes_lenses {
                let _ = to_client.code_lens_refresh().await;
            }
        });
    }

    pub(crate) async fn watch(&self) {
        let watchers = WATCHED
            .map(|pattern| lsp::FileSystemWatcher { glob_pattern: lsp::GlobPattern::String(pattern.to_owned()), kind: None });
        let options = lsp::DidChangeWatchedFilesRegistrationOptions { watchers: watchers.to_vec() };
        let registration = lsp::Registration {
            id: "files".to_owned(),
            method: "workspace/didChangeWatchedFiles".to_owned(),
            register_options: serde_json::to_value(options).ok(),
        };
        // If the registration fails, changes are noticed at the client's next message.
        let _ = self.client.register_capability(vec![registration]).await;
    }

    /// Exits after the process that started this one has exited, even if another process still holds its end of the streams.
    pub(crate) fn watch_client(&self, process: Option<u32>) {
        let system = Arc::clone(&self.system);
        let Some(id) = process.filter(|id| system.host().runs(*id) == Some(true)) else { return };
        let gone = Arc::clone(&self.gone);
        let watch = move || {
            while system.host().runs(id) == Some(true) {
                thread::sleep(Duration::from_secs(1));
            }
            gone.notify_one();
        };
        // Without a thread for it, the end of the streams ends the session.
        drop(thread::Builder::new().spawn(watch));
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        self.lanes.close();
    }
}

/// The states of open configs in their registries, for threads beside the loop.
pub(crate) struct Standings {
    shared: Arc<Shared>,
    versions: Arc<dyn Versions>,
}

impl Standings {
    /// The state of an open config in its registry.
    pub(crate) fn of(&self, path: &Path, analysis: &Analysis) -> Option<Standing> {
        let session = self.shared.state().session();
        self.versions
            .standing(&session, path, &analysis.text, &analysis.checked)
            .filter(|_| analysis.checked.is_config && analysis.checked.of_verifiers.is_none())
    }
}

/// The path of a document. For a document that is not a file, the last part of its name, which may show its kind.
pub(crate) fn path(uri: &lsp::Uri) -> PathBuf {
    let path = uri.to_file_path().map_or_else(|| PathBuf::from(uri.path().as_str()), std::borrow::Cow::into_owned);
    if cfg_system::is_out_of_reach(&path) { files::stand_in(&path) } else { path }
}

/// Whether a document has not been saved as a file yet.
pub(crate) fn is_untitled(uri: &str) -> bool {
    uri.split_once(':').is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("untitled"))
}

/// Whether a file has the name of settings.
pub(crate) fn is_settings(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "cfg.toml")
}

/// Whether a file has the name of a registry.
pub(crate) fn is_registry(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "registry.json")
}
