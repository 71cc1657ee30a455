//! Jobs about several files: each runs on its own thread beside the loop, and stops when its result is no longer needed.

use std::{
    future::{Future as _, poll_fn},
    path::{Path, PathBuf},
    pin::pin,
    sync::{
        Arc, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    task::Poll,
    thread,
    time::Instant,
};

use cfg_check::Session;
use cfg_meter::Budget;
use cfg_system::{PathMap, PathRefs};
use serde_json::{Value, json};
use tokio::{runtime::Handle, sync::oneshot};
use tower_lsp_server::{
    Client,
    jsonrpc::{Error, Result},
    ls_types as lsp,
};

use crate::{
    backend::{Backend, Shared, path},
    commands::{self, Shown},
    completion, convert, files,
    lanes::{Wanted, attempt},
    renames::{self, Renamed},
    state::Snapshot,
    versions::{Standing, Versions},
    workspace::{Progress, QUIET, Report, Workspace, for_each},
};

/// The number of files whose reports are sent in one message.
const CHUNK: usize = 256;

/// Creates a [`Workspace`]. That reads the disk, so it happens on the thread of the job.
pub(crate) struct OfWorkspace {
    folders: Vec<PathBuf>,
    shared: Arc<Shared>,
}

/// The input of a request about the workspace.
pub(crate) fn workspace(backend: &Backend) -> OfWorkspace {
    let folders = backend.folders.lock().unwrap_or_else(PoisonError::into_inner).clone();
    OfWorkspace { folders, shared: Arc::clone(&backend.shared) }
}

impl OfWorkspace {
    pub(crate) fn get(self) -> Workspace {
        let surroundings = self.shared.surroundings_of_workspace();
        let state = self.shared.state();
        let (pages, results) = (Arc::clone(&state.pages), Arc::clone(&self.shared.results));
        let listed = Arc::clone(&self.shared.listed);
        Workspace { folders: self.folders, listed, surroundings, results, encoding: state.encoding, pages }
    }
}

/// Runs a job on its own thread, until it is done or the client cancels the request.
pub(crate) async fn off_the_loop<T: Send + 'static>(backend: &Backend, job: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let wanted = Wanted(backend.budgets.begin());
    on_own_thread(Arc::clone(&wanted.0), job).await
}

/// Runs a job on its own thread, with a budget of its own.
async fn on_own_thread<T: Send + 'static>(budget: Arc<Budget>, job: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let (sender, outcome) = oneshot::channel();
    // If no thread can be started, the sender is dropped with the job, and the request fails.
    let _ = thread::Builder::new().spawn(move || {
        // The receiver of a cancelled job no longer exists.
        let _ = sender.send(attempt(budget, job));
    });
    outcome.await.unwrap_or_else(|_| Err(Error::internal_error()))
}

/// Reports the progress of a job to the client, once it has taken longer than [`QUIET`].
struct ProgressReporter {
    client: Client,
    runtime: Handle,
    /// The client's name for the job; `None` if it does not want progress.
    token: Option<lsp::ProgressToken>,
    /// Whether the client has accepted the token.
    is_known: Arc<AtomicBool>,
    started: Instant,
    last_report: Option<Instant>,
}

enum ProgressNotification {}

impl lsp::notification::Notification for ProgressNotification {
    type Params = Value;
    const METHOD: &'static str = "$/progress";
}

impl ProgressReporter {
    fn new(backend: &Backend, given: Option<lsp::ProgressToken>) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let is_known = Arc::new(AtomicBool::new(given.is_some()));
        let shows = backend.capabilities.get().is_some_and(|client| client.shows_progress);
        let own = || shows.then(|| lsp::ProgressToken::String(format!("cfg-{}", NEXT.fetch_add(1, Ordering::Relaxed))));
        Self {
            client: backend.client.clone(),
            runtime: Handle::current(),
            token: given.or_else(own),
            is_known,
            started: Instant::now(),
            last_report: None,
        }
    }

    fn send(&self, value: &Value) {
        let message = json!({ "token": self.token, "value": value });
        self.runtime.block_on(self.client.send_notification::<ProgressNotification>(message));
    }

    fn report_progress(&mut self, progress: &Progress) {
        if self.token.is_none() || self.started.elapsed() < QUIET {
            return;
        }
        if self.last_report.is_none() {
            return self.begin();
        }
        if self.last_report.is_some_and(|last_report| last_report.elapsed() >= QUIET / 5) {
            self.last_report = Some(Instant::now());
            let percentage = progress.done * 100 / progress.all.max(1);
            let message = format!("{} of {} files", progress.done, progress.all);
            self.send(&json!({ "kind": "report", "percentage": percentage, "message": message }));
        }
    }

    /// Begins to report progress. If the server created the token, it first asks the client to accept it; without an answer in time, no progress
    /// is sent.
    fn begin(&mut self) {
        if let (Some(token), false) = (self.token.clone(), self.is_known.load(Ordering::Relaxed)) {
            let (client, is_known) = (self.client.clone(), Arc::clone(&self.is_known));
            self.runtime.spawn(async move {
                is_known.store(client.create_work_done_progress(token).await.is_ok(), Ordering::Relaxed);
            });
            let until = Instant::now() + QUIET;
            while !self.is_known.load(Ordering::Relaxed) && Instant::now() < until {
                thread::sleep(QUIET / 100);
            }
        }
        if self.is_known.load(Ordering::Relaxed) {
            self.last_report = Some(Instant::now());
            self.send(&json!({ "kind": "begin", "title": "cfg: checking the workspace", "percentage": 0 }));
        } else {
            self.token = None;
        }
    }

    fn end(&self) {
        if self.last_report.is_some() {
            self.send(&json!({ "kind": "end" }));
        }
    }
}

/// The findings in files that are not open. A client that reports changes of files gets an answer only when there is something new, so that
/// repeated requests cost nothing.
pub(crate) async fn workspace_diagnostics(
    backend: &Backend,
    params: lsp::WorkspaceDiagnosticParams,
) -> Result<lsp::WorkspaceDiagnosticReportResult> {
    let of = |known: lsp::PreviousResultId| (files::normal(&path(&known.uri)).into_os_string(), known.value);
    let known: Arc<PathMap<String>> = Arc::new(params.previous_result_ids.into_iter().map(of).collect());
    let token = params.work_done_progress_params.work_done_token;
    let partial = params.partial_result_params.partial_result_token;
    let may_wait = backend.has(|client| client.watches) && backend.has_answered_workspace.load(Ordering::Relaxed);
    let items = loop {
        let mut announcements = backend.shared.announcements();
        let job = Job::new(backend, Arc::clone(&known), ProgressReporter::new(backend, token.clone()));
        let partial = partial.clone().filter(|_| !may_wait);
        let items = off_the_loop(backend, move || job.collect(partial.as_ref())).await?;
        let is_new =
            |item: &lsp::WorkspaceDocumentDiagnosticReport| matches!(item, lsp::WorkspaceDocumentDiagnosticReport::Full(_));
        if !may_wait || items.iter().any(is_new) {
            break items;
        }
        let (mut changed, mut end) = (pin!(announcements.changed()), pin!(backend.budgets.end()));
        let goes_on = poll_fn(|cx| match (changed.as_mut().poll(cx), end.as_mut().poll(cx)) {
            (Poll::Pending, Poll::Pending) => Poll::Pending,
            (changed, end) => Poll::Ready(end.is_pending() && matches!(changed, Poll::Ready(Ok(())))),
        });
        if !goes_on.await {
            break items;
        }
    };
    backend.has_answered_workspace.store(true, Ordering::Relaxed);
    Ok(lsp::WorkspaceDiagnosticReportResult::Report(lsp::WorkspaceDiagnosticReport { items }))
}

fn document_report(report: Report) -> lsp::WorkspaceDocumentDiagnosticReport {
    let Report { uri, result_id, diagnostics } = report;
    match (diagnostics, result_id) {
        (None, Some(result_id)) => {
            let unchanged_document_diagnostic_report = lsp::UnchangedDocumentDiagnosticReport { result_id };
            lsp::WorkspaceDocumentDiagnosticReport::Unchanged(lsp::WorkspaceUnchangedDocumentDiagnosticReport {
                uri,
                version: None,
                unchanged_document_diagnostic_report,
            })
        }
        (diagnostics, result_id) => {
            let items = diagnostics.unwrap_or_default();
            lsp::WorkspaceDocumentDiagnosticReport::Full(lsp::WorkspaceFullDocumentDiagnosticReport {
                uri,
                version: None,
                full_document_diagnostic_report: lsp::FullDocumentDiagnosticReport { result_id, items },
            })
        }
    }
}

/// A check of all files that are not open.
struct Job {
    workspace: OfWorkspace,
    shared: Arc<Shared>,
    /// The results that the client already has, by the path of the file.
    known: Arc<PathMap<String>>,
    reporter: ProgressReporter,
}

impl Job {
    fn new(backend: &Backend, known: Arc<PathMap<String>>, reporter: ProgressReporter) -> Self {
        Self { workspace: workspace(backend), shared: Arc::clone(&backend.shared), known, reporter }
    }

    /// Collects all reports. If the client has a token for partial results, complete batches are sent immediately, and only the last reports are
    /// returned.
    fn collect(self, partial: Option<&lsp::ProgressToken>) -> Vec<lsp::WorkspaceDocumentDiagnosticReport> {
        let mut items = Vec::new();
        let (client, runtime) = (self.reporter.client.clone(), self.reporter.runtime.clone());
        let send = |items: &mut Vec<lsp::WorkspaceDocumentDiagnosticReport>| {
            let message = json!({ "token": partial, "value": { "items": std::mem::take(items) } });
            runtime.block_on(client.send_notification::<ProgressNotification>(message));
        };
        self.run(&mut |report| {
            items.push(document_report(report));
            if partial.is_some() && items.len() >= CHUNK {
                send(&mut items);
            }
        });
        items
    }

    fn run(self, take: &mut dyn FnMut(Report)) {
        let Self { workspace, shared, known, mut reporter } = self;
        let workspace = workspace.get();
        let generation = shared.generation.load(Ordering::Relaxed);
        let open = shared.state().open_paths();
        let _searches = workspace.surroundings.keep_searches();
        let mut files = workspace.files();
        files.extend(workspace.registries());
        files.retain(|file| !open.contains(file));
        let report = |file: &PathBuf| {
            let known = known.get(file.as_os_str()).map(String::as_str);
            workspace.report(file, generation, known)
        };
        let mut is_reported = vec![false; files.len()];
        for_each(&files, &report, &mut |at, report, progress| {
            reporter.report_progress(progress);
            if let Some(report) = report {
                is_reported[at] = true;
                take(report);
            }
        });
        let reported = files.iter().zip(&is_reported).filter(|(_, is_reported)| **is_reported);
        let reported: PathRefs<'_> = reported.map(|(file, _)| file.as_os_str()).collect();
        // An empty report clears the findings that the client still shows for a deleted file.
        let is_gone = |path: &&Path| !reported.contains(path.as_os_str()) && !open.contains(*path);
        for uri in known.keys().map(Path::new).filter(is_gone).filter_map(lsp::Uri::from_file_path) {
            take(Report { uri, result_id: None, diagnostics: Some(Vec::new()) });
        }
        reporter.end();
    }
}

pub(crate) async fn will_rename_files(backend: &Backend, params: lsp::RenameFilesParams) -> Result<lsp::WorkspaceEdit> {
    let workspace = workspace(backend);
    let of = |uri: &str| uri.parse().ok().map(|uri: lsp::Uri| files::normal(&path(&uri)));
    let renamed = params.files.iter().filter_map(|file| Some(Renamed { old: of(&file.old_uri)?, new: of(&file.new_uri)? }));
    let renamed: Vec<Renamed> = renamed.collect();
    off_the_loop(backend, move || renames::edits(&workspace.get(), &renamed)).await
}

pub(crate) async fn execute(backend: &Backend, params: lsp::ExecuteCommandParams) -> Result<Option<Value>> {
    if params.command == commands::CHECK_WORKSPACE {
        return check_workspace(backend).await.map(Some);
    }
    let uri = params.arguments.first().and_then(|argument| argument.as_str()?.parse::<lsp::Uri>().ok());
    let uri = uri.ok_or_else(|| Error::invalid_params("the first argument must be the address of a document"))?;
    if params.command == commands::FINISH_WORD {
        return finish_word(backend, &uri, params.arguments.get(1).cloned().unwrap_or_default()).await;
    }
    backend.check_for_changes();
    let (snapshot, session) = {
        let state = backend.shared.state();
        (state.snapshot(uri.as_str()), state.surroundings().session)
    };
    let snapshot = snapshot.ok_or_else(|| Error::invalid_params("this document is not open"))?;
    let refused = |why: String| Error { message: convert::notified(&why).into(), ..Error::internal_error() };
    if params.command == commands::BUMP {
        let why = params.arguments.get(1).and_then(Value::as_str).map(str::to_owned);
        let made = bump(backend, &snapshot, why).await?;
        renew_shown(backend, &uri);
        return Ok(Some(made));
    }
    let (name, versions) = (params.command.clone(), Arc::clone(&backend.versions));
    let about = uri.clone();
    let run = move || outcome(&name, &about, &session, &*versions, &snapshot);
    let shown = backend.lanes.answer(uri.as_str(), run).await?;
    let shown = shown.ok_or_else(|| Error::invalid_params(format!("unknown command {}", params.command)))?.map_err(refused)?;
    if !backend.has(|client| client.shows_outcomes)
        && let Ok(path) = shown.to_file(&backend.scratch)
    {
        show(backend, &path).await;
        backend.shown.lock().unwrap_or_else(PoisonError::into_inner).insert((uri.to_string(), params.command));
    }
    Ok(Some(shown.to_json()))
}

/// Asks the client to remove the rest of a word, if it is still behind the accepted item that the arguments describe.
async fn finish_word(backend: &Backend, uri: &lsp::Uri, arguments: Value) -> Result<Option<Value>> {
    let edit = backend.answer(uri, move |view| {
        let range = view.range(completion::kept_rest(view, &arguments)?);
        Some(lsp::WorkspaceEdit::new([(view.uri.clone(), vec![lsp::TextEdit::new(range, String::new())])].into()))
    });
    if let Some(edit) = edit.await?.flatten() {
        let client = backend.client.clone();
        // The client may answer only when it has the answer to the command.
        tokio::spawn(async move { client.apply_edit(edit).await });
    }
    Ok(None)
}

/// The document that a command creates about another document; `None` if there is no such command.
fn outcome(
    command: &str,
    about: &lsp::Uri,
    session: &Session,
    versions: &dyn Versions,
    snapshot: &Snapshot,
) -> Option<std::result::Result<Shown, String>> {
    let path = about.path().as_str();
    if command == commands::LINEAGE {
        return Some(versions.lineage(&snapshot.path).map(|text| commands::lineage(path, text)));
    }
    commands::run(command, session, snapshot.analysis(), path)
}

/// Writes the files again that the client was asked to show about a document, because the document was saved. If a file can't be created any more,
/// it contains the reason.
pub(crate) fn renew_shown(backend: &Backend, about: &lsp::Uri) {
    let of = about.to_string();
    let shown = backend.shown.lock().unwrap_or_else(PoisonError::into_inner);
    let commands: Vec<String> = shown.iter().filter(|(uri, _)| *uri == of).map(|(_, command)| command.clone()).collect();
    drop(shown);
    let (snapshot, session) = {
        let state = backend.shared.state();
        (state.snapshot(&of), state.session())
    };
    let Some(snapshot) = snapshot.filter(|_| !commands.is_empty()) else { return };
    let (versions, scratch, about) = (Arc::clone(&backend.versions), Arc::clone(&backend.scratch), about.clone());
    backend.lanes.later(&of, move || {
        for command in commands {
            let document = match outcome(&command, &about, &session, &*versions, &snapshot) {
                Some(Ok(document)) => document,
                Some(Err(why)) => match commands::reason(&command, about.path().as_str(), &why) {
                    Some(document) => document,
                    None => continue,
                },
                None => continue,
            };
            // If the file can't be written, the old content stays.
            let _ = document.to_file(&scratch);
        }
    });
}

/// Asks a client to show a file; a client that can't do that gets a message with its path.
async fn show(backend: &Backend, path: &Path) {
    let client = backend.client.clone();
    match lsp::Uri::from_file_path(path).filter(|_| backend.has(|client| client.shows_files)) {
        Some(uri) => {
            let params = lsp::ShowDocumentParams { uri, external: None, take_focus: Some(true), selection: None };
            // The client's answer is not awaited: the answer to the command contains the text as well.
            tokio::spawn(async move { client.show_document(params).await });
        }
        None => client.show_message(lsp::MessageType::INFO, convert::notified(&path.display().to_string())).await,
    }
}

/// Registers the text of a document as a new version, and returns its name. What is begun is not stopped: it changes files.
async fn bump(backend: &Backend, snapshot: &Arc<Snapshot>, why: Option<String>) -> Result<Value> {
    let (of_job, versions, session) = (Arc::clone(snapshot), Arc::clone(&backend.versions), backend.shared.state().session());
    let made = on_own_thread(Arc::default(), move || {
        let analysis = of_job.analysis();
        let noted = || {
            let noted = analysis.stated.notes.as_ref().map(|notes| notes.value.to_string())?;
            let standing = versions.standing(&session, &of_job.path, &analysis.text, &analysis.checked)?;
            let is_old = matches!(standing, Standing::Registered { notes, .. } if notes.as_ref() == Some(&noted));
            (!is_old).then_some(noted)
        };
        let why = why
            .or_else(noted)
            .ok_or("say why this version is made: in `notes` of the metadata block, or as an argument of the command")?;
        versions.bump(&of_job.path, &analysis.text, &why)
    });
    let made = made.await?.map_err(|why: String| Error { message: convert::notified(&why).into(), ..Error::internal_error() })?;
    backend.refresh();
    backend.ask_to_refresh();
    // Editors cut long messages: what else there is to know is in the log, and in the answer.
    let (first, rest) = made.split_once('\n').unwrap_or((&made, ""));
    let more = if rest.is_empty() { "" } else { "; its notes are in the log of cfg" };
    backend.client.show_message(lsp::MessageType::INFO, convert::notified(&format!("{first}{more}"))).await;
    if !rest.is_empty() {
        backend.client.log_message(lsp::MessageType::INFO, cfg_diag::lines(&made).into_owned()).await;
    }
    Ok(json!({ "made": made }))
}

/// Sends the findings in the files that are not open; returns the number of checked files.
async fn check_workspace(backend: &Backend) -> Result<Value> {
    let job = Job::new(backend, Arc::default(), ProgressReporter::new(backend, None));
    let checked = off_the_loop(backend, move || {
        let (client, runtime) = (job.reporter.client.clone(), job.reporter.runtime.clone());
        let mut checked = 0;
        job.run(&mut |report| {
            checked += 1;
            runtime.block_on(client.publish_diagnostics(report.uri, report.diagnostics.unwrap_or_default(), None));
        });
        checked
    });
    Ok(json!({ "checked": checked.await? }))
}
