//! Threads for what takes longer than a keystroke.
//!
//! What concerns one document is done in the order in which it was requested, and nothing else waits for it. Each request and each check has a budget
//! of its own, which is stopped when nobody waits for the result any more.

#[cfg(test)]
mod tests;

use std::{
    collections::{HashMap, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak},
    thread,
};

use cfg_meter::{Budget, until_stopped};
use tokio::sync::{oneshot, watch};
use tower_lsp_server::jsonrpc::{Error, Result};

/// The maximum number of documents that are worked on at the same time.
const MAX_THREADS: usize = 16;

/// The budgets of everything that is computed or waits for it.
#[derive(Default)]
pub(crate) struct Budgets {
    live: Mutex<Vec<Weak<Budget>>>,
    session: watch::Sender<Session>,
}

/// Whether the client still wants results.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Session {
    #[default]
    Goes,
    Ends,
    IsOver,
}

impl Budgets {
    /// The budget of a request or a check that begins.
    pub(crate) fn begin(&self) -> Arc<Budget> {
        let budget = Arc::<Budget>::default();
        let mut live = self.live();
        live.retain(|budget| budget.strong_count() > 0);
        live.push(Arc::downgrade(&budget));
        self.session.borrow().apply_to(&budget);
        budget
    }

    /// Winds down all that is computed, because the session ends.
    pub(crate) fn wind_down(&self) {
        self.set(Session::Ends);
    }

    /// Stops all that is computed, because the session is over.
    pub(crate) fn stop(&self) {
        self.set(Session::IsOver);
    }

    /// Waits for the end of the session.
    pub(crate) async fn end(&self) {
        // The sender is not dropped meanwhile.
        let _ = self.session.subscribe().wait_for(|session| *session != Session::Goes).await;
    }

    fn set(&self, session: Session) {
        let live = self.live();
        self.session.send_replace(session);
        live.iter().filter_map(Weak::upgrade).for_each(|budget| session.apply_to(&budget));
    }

    fn live(&self) -> MutexGuard<'_, Vec<Weak<Budget>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    fn apply_to(self, budget: &Budget) {
        match self {
            Self::Goes => {}
            Self::Ends => budget.wind_down(),
            Self::IsOver => budget.stop(),
        }
    }
}

/// The threads, and what they have to do. A clone shares them.
#[derive(Clone)]
pub(crate) struct Lanes(Arc<Shared>);

struct Shared {
    queues: Mutex<Queues>,
    bell: Condvar,
    budgets: Arc<Budgets>,
    /// Is called after each job, for work that is not urgent.
    rest: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct Queues {
    /// The documents with something to do.
    lanes: HashMap<String, Lane>,
    /// Those of them whose next job can begin.
    ready: VecDeque<String>,
    threads: usize,
    idle: usize,
    is_closed: bool,
}

/// What there is to do for one document.
#[derive(Default)]
struct Lane {
    waiting: VecDeque<Job>,
    running: Option<(Purpose, Arc<Budget>)>,
}

struct Job {
    purpose: Purpose,
    budget: Arc<Budget>,
    work: Box<dyn FnOnce(Arc<Budget>) + Send>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// The answer to a request, or what a command has to do.
    Answer,
    /// The check of the newest text, whose findings are sent.
    Check,
}

/// The budget of a request, which is stopped when this is dropped: the client has the answer, or has cancelled the request.
pub(crate) struct Wanted(pub(crate) Arc<Budget>);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// The outcome of computing something with a budget. A panic is an error of this request alone.
pub(crate) fn attempt<T>(budget: Arc<Budget>, compute: impl FnOnce() -> T) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(|| until_stopped(budget, compute))) {
        Ok(outcome) => outcome.map_err(|_| Error::content_modified()),
        Err(_) => Err(Error::internal_error()),
    }
}

impl Lanes {
    /// Without threads yet. `rest` is called after each job.
    pub(crate) fn new(budgets: Arc<Budgets>, rest: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(Shared { queues: Mutex::default(), bell: Condvar::new(), budgets, rest: Box::new(rest) }))
    }

    /// Computes the answer to a request about a document.
    pub(crate) async fn answer<T: Send + 'static>(&self, document: &str, ask: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let (sender, outcome) = oneshot::channel();
        let _wanted = Wanted(self.push(document, Purpose::Answer, move |budget| {
            // The receiver of a cancelled request no longer exists.
            let _ = sender.send(attempt(budget, ask));
        }));
        outcome.await.unwrap_or_else(|_| Err(Error::internal_error()))
    }

    /// Does something about a document for which no request waits.
    pub(crate) fn later(&self, document: &str, work: impl FnOnce() + Send + 'static) {
        self.push(document, Purpose::Answer, move |budget| drop(attempt(budget, work)));
    }

    /// Checks a document, which has changed: a check of its older text ends. The work is to use the newest text at its time.
    pub(crate) fn check(&self, document: &str, work: impl FnOnce(Arc<Budget>) + Send + 'static) {
        if let Some(lane) = self.0.queues().lanes.get(document) {
            if let Some((_, budget)) = lane.running.as_ref().filter(|(purpose, _)| *purpose == Purpose::Check) {
                budget.stop();
            }
            if lane.waiting.iter().any(|job| job.purpose == Purpose::Check) {
                return;
            }
        }
        self.push(document, Purpose::Check, work);
    }

    /// Winds down the answers about a document, whose text has changed or was closed.
    pub(crate) fn outdate(&self, document: &str) {
        if let Some(lane) = self.0.queues().lanes.get(document) {
            let waiting = lane.waiting.iter().map(|job| (job.purpose, &job.budget));
            let all = waiting.chain(lane.running.iter().map(|(purpose, budget)| (*purpose, budget)));
            all.filter(|(purpose, _)| *purpose == Purpose::Answer).for_each(|(_, budget)| budget.wind_down());
        }
    }

    /// Ends the threads, each after its current job. What waits is dropped.
    pub(crate) fn close(&self) {
        let mut queues = self.0.queues();
        queues.is_closed = true;
        let waiting = std::mem::take(&mut queues.lanes);
        drop(queues);
        self.0.bell.notify_all();
        drop(waiting);
    }

    fn push(&self, document: &str, purpose: Purpose, work: impl FnOnce(Arc<Budget>) + Send + 'static) -> Arc<Budget> {
        let budget = self.0.budgets.begin();
        let job = Job { purpose, budget: Arc::clone(&budget), work: Box::new(work) };
        let needs_thread = {
            let mut queues = self.0.queues();
            queues.push(document, job);
            queues.ready.len() > queues.idle && queues.threads < MAX_THREADS
        };
        if needs_thread {
            self.start();
        } else {
            self.0.bell.notify_one();
        }
        budget
    }

    /// Starts another thread. If none can be started and there is none, this one does the work.
    fn start(&self) {
        let shared = Arc::clone(&self.0);
        self.0.queues().threads += 1;
        if thread::Builder::new().spawn(move || while shared.step(true) {}).is_err() {
            let mut queues = self.0.queues();
            queues.threads -= 1;
            let is_alone = queues.threads == 0;
            drop(queues);
            while is_alone && self.0.step(false) {}
        }
    }
}

impl Queues {
    fn push(&mut self, document: &str, job: Job) {
        if self.is_closed {
            return;
        }
        if let Some(lane) = self.lanes.get_mut(document) {
            lane.waiting.push_back(job);
            return;
        }
        let lane = Lane { waiting: VecDeque::from([job]), running: None };
        self.lanes.insert(document.to_owned(), lane);
        self.ready.push_back(document.to_owned());
    }

    /// The next job, and its document.
    fn begin(&mut self) -> Option<(String, Job)> {
        while let Some(document) = self.ready.pop_front() {
            let Some(lane) = self.lanes.get_mut(&document) else { continue };
            if let Some(job) = lane.waiting.pop_front() {
                lane.running = Some((job.purpose, Arc::clone(&job.budget)));
                return Some((document, job));
            }
        }
        None
    }

    /// The job of a document is done.
    fn end(&mut self, document: String) {
        let Some(lane) = self.lanes.get_mut(&document) else { return };
        lane.running = None;
        if lane.waiting.is_empty() {
            self.lanes.remove(&document);
        } else {
            self.ready.push_back(document);
        }
    }
}

impl Shared {
    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does one job, and perhaps waits for it. Returns whether there may be others.
    fn step(&self, waits: bool) -> bool {
        let mut queues = self.queues();
        let (document, Job { budget, work, .. }) = loop {
            if let Some(next) = queues.begin() {
                break next;
            }
            if queues.is_closed || !waits {
                return false;
            }
            queues.idle += 1;
            queues = self.bell.wait(queues).unwrap_or_else(PoisonError::into_inner);
            queues.idle -= 1;
        };
        drop(queues);
        // Each job has handled its own panics.
        let _ = catch_unwind(AssertUnwindSafe(|| work(budget)));
        let mut queues = self.queues();
        queues.end(document);
        // It counts as idle: one thread for a document also frees what it has made, which is slower on another one.
        queues.idle += 1;
        drop(queues);
        (self.rest)();
        self.queues().idle -= 1;
        true
    }
}
