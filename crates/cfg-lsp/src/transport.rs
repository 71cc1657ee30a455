//! Transports messages between the standard streams and the service of `tower-lsp-server`.
//!
//! Messages are begun in the order of arrival, so edits keep their order, and a request uses exactly the text at the time it was sent. What is to be
//! computed runs beside the loop, can be cancelled there, and blocks nothing.
//!
//! There are three threads. One reads, so that a disconnected client is always noticed. One writes, so that a client that does not read blocks only
//! itself. The third is the loop. Diagnostics are written by the thread that computed them, between two messages of the writing thread.
//!
//! `shutdown` and `exit` are noticed by the reading thread, whatever the loop does. What is still computed is wound down then, so that a client that
//! sends everything at once gets its answers, and is stopped soon after.

mod addresses;
mod frames;
mod outlet;

use std::{
    future::{Future, poll_fn},
    io,
    io::{BufReader, Read},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::{Notify, Semaphore, mpsc};
use tower_lsp_server::{
    ClientSocket, ExitedError,
    jsonrpc::{Error, Id, Request, Response},
};
use tower_service::Service;

use crate::lanes::Budgets;
use addresses::Addresses;
use frames::Incoming;
pub(crate) use outlet::Outlet;

/// The maximum number of messages that wait in each direction. Further senders have to wait.
const MAX_WAITING_MESSAGES: usize = 1024;

/// The maximum number of requests that wait for their answers. Then the next message has to wait.
const MAX_UNANSWERED: u32 = 1024;

/// The time in which requests may still be answered before `shutdown` and `exit` are answered.
const LAST_MOMENT: Duration = Duration::from_millis(500);

/// The time that a client that has closed its end has for reading the rest of the output.
const GRACE: Duration = Duration::from_secs(2);

type Answer = Pin<Box<dyn Future<Output = Result<Option<Response>, ExitedError>> + Send>>;

/// Signals that the client has disconnected. It is shared by threads.
pub(crate) type Gone = Arc<Notify>;

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The client sent `shutdown` before `exit`, or disconnected.
    InOrder,
    /// The client sent only `exit`, for which the protocol requires status 1.
    WithoutShutdown,
}

/// Serves until the client sends `exit`, closes its end, or is reported as gone. `budgets` are those of all that is computed.
///
/// # Errors
///
/// If no thread can be started.
pub(crate) async fn serve<S>(
    input: impl Read + Send + 'static,
    outlet: Outlet,
    service: S,
    socket: ClientSocket,
    gone: Gone,
    budgets: Arc<Budgets>,
) -> io::Result<Ended>
where
    S: Service<Request, Response = Option<Response>, Error = ExitedError> + Send + 'static,
    S::Future: Send + 'static,
{
    let (received, incoming) = mpsc::channel(MAX_WAITING_MESSAGES);
    let (outgoing, to_write) = mpsc::channel(MAX_WAITING_MESSAGES);
    let end_of_input = Arc::clone(&gone);
    let unanswered = Arc::new(Unanswered::default());
    let ending = Arc::clone(&unanswered);
    let addresses = outlet.addresses.clone();
    thread::Builder::new().spawn(move || {
        receive(input, &addresses, &received, &|within| end_soon(&budgets, &ending, within));
        drop(received);
        // Messages that have been received are still answered, for at most this time.
        thread::sleep(GRACE);
        end_of_input.notify_one();
    })?;
    let to_client = outlet.clone();
    let writing = thread::Builder::new().spawn(move || send(&to_client, to_write))?;
    let mut work = pin!(work(service, socket, incoming, outgoing, unanswered));
    let mut over = pin!(gone.notified());
    let is_done = poll_fn(|cx| match (work.as_mut().poll(cx), over.as_mut().poll(cx)) {
        (Poll::Ready(ended), _) => Poll::Ready(Some(ended)),
        (_, Poll::Ready(())) => Poll::Ready(None),
        _ => Poll::Pending,
    });
    let ended = is_done.await;
    if ended.is_some() {
        let (mut taken, mut until) = (outlet.taken(), Instant::now() + GRACE);
        while !writing.is_finished() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
            if outlet.taken() != taken {
                (taken, until) = (outlet.taken(), Instant::now() + GRACE);
            }
        }
    }
    Ok(ended.unwrap_or(Ended::InOrder))
}

fn receive(input: impl Read, addresses: &Addresses, received: &mpsc::Sender<Incoming>, end_soon: &dyn Fn(Duration)) {
    let mut input = BufReader::with_capacity(1 << 16, input);
    while let Ok(Some(message)) = frames::read(&mut input) {
        let is = |method: &str| matches!(&message, Incoming::Request(request) if request.method() == method);
        let is_exit = is("exit");
        if is_exit || is("shutdown") {
            end_soon(LAST_MOMENT);
        }
        let message = match message {
            Incoming::Request(request) => Incoming::Request(addresses.read(request)),
            other => other,
        };
        if received.blocking_send(message).is_err() || is_exit {
            return;
        }
    }
    end_soon(GRACE);
}

/// The requests that wait for their answers.
struct Unanswered {
    /// One permit for each that may still be added.
    rest: Arc<Semaphore>,
    /// Whether the loop must not wait for answers any more.
    is_over: AtomicBool,
    over: Notify,
}

impl Default for Unanswered {
    fn default() -> Self {
        let rest = Arc::new(Semaphore::new(MAX_UNANSWERED as usize));
        Self { rest, is_over: AtomicBool::new(false), over: Notify::new() }
    }
}

impl Unanswered {
    /// Waits for all answers, until [`end`](Self::end) is called.
    async fn wait(&self) {
        let mut answered = pin!(self.rest.acquire_many(MAX_UNANSWERED));
        let mut over = pin!(self.over.notified());
        over.as_mut().enable();
        if self.is_over.load(Ordering::SeqCst) {
            return;
        }
        poll_fn(|cx| match (answered.as_mut().poll(cx), over.as_mut().poll(cx)) {
            (Poll::Pending, Poll::Pending) => Poll::Pending,
            _ => Poll::Ready(()),
        })
        .await;
    }

    /// Lets the loop wait no longer.
    fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        self.over.notify_waiters();
    }
}

/// Winds down what is computed, and stops it after a while.
fn end_soon(budgets: &Arc<Budgets>, unanswered: &Arc<Unanswered>, within: Duration) {
    budgets.wind_down();
    let (of_timer, ending) = (Arc::clone(budgets), Arc::clone(unanswered));
    let stop = move || {
        thread::sleep(within);
        of_timer.stop();
        ending.end();
    };
    if thread::Builder::new().spawn(stop).is_err() {
        budgets.stop();
        unanswered.end();
    }
}

/// Writes messages until the queue is closed, an empty message arrives, or the client accepts no more output. After that nothing is written.
fn send(outlet: &Outlet, mut to_write: mpsc::Receiver<Vec<u8>>) {
    while let Some(message) = to_write.blocking_recv().filter(|message| !message.is_empty()) {
        if outlet.write(&message).is_err() {
            break;
        }
    }
    outlet.close();
}

/// Processes incoming messages.
async fn work<S>(
    mut service: S,
    socket: ClientSocket,
    mut incoming: mpsc::Receiver<Incoming>,
    outgoing: mpsc::Sender<Vec<u8>>,
    unanswered: Arc<Unanswered>,
) -> Ended
where
    S: Service<Request, Response = Option<Response>, Error = ExitedError>,
    S::Future: Send + 'static,
{
    let (mut requests, mut responses) = socket.split();
    let to_client = outgoing.clone();
    // Sends the requests of the server to the client.
    let asking = tokio::spawn(async move {
        while let Some(request) = requests.next().await {
            if !put(&to_client, serde_json::to_vec(&request)).await {
                return;
            }
        }
    });
    let (mut ended, mut is_shut_down) = (Ended::InOrder, false);
    while let Some(message) = incoming.recv().await {
        let goes_on = match message {
            Incoming::Request(request) => {
                let is_exit = request.method() == "exit";
                is_shut_down |= request.method() == "shutdown";
                if is_exit && !is_shut_down {
                    ended = Ended::WithoutShutdown;
                }
                if is_exit || request.method() == "shutdown" {
                    unanswered.wait().await;
                }
                let answered = begin(&mut service, request);
                !is_exit
                    && match answered {
                        Begun::Done(Some(response)) => put(&outgoing, serde_json::to_vec(&response)).await,
                        Begun::Done(None) => true,
                        Begun::Waiting(answer) => {
                            let outgoing = outgoing.clone();
                            let permit = Arc::clone(&unanswered.rest).acquire_owned().await;
                            tokio::spawn(async move {
                                let _until_answered = permit;
                                if let Ok(Some(response)) = answer.await {
                                    put(&outgoing, serde_json::to_vec(&response)).await;
                                }
                            });
                            true
                        }
                    }
            }
            Incoming::Response(response) => responses.send(response).await.is_ok(),
            Incoming::Malformed(error) => put(&outgoing, serde_json::to_vec(&Response::from_error(Id::Null, error))).await,
        };
        if !goes_on {
            break;
        }
    }
    unanswered.wait().await;
    asking.abort();
    // An empty message ends the writing thread: other threads may still hold an end of the queue, but their messages are not needed.
    let _ = outgoing.send(Vec::new()).await;
    ended
}

/// A message whose processing has begun.
enum Begun {
    Done(Option<Response>),
    Waiting(Answer),
}

/// Begins to answer a message, and finishes if it does not have to wait. If it panics, only its own answer is an error.
fn begin<S>(service: &mut S, request: Request) -> Begun
where
    S: Service<Request, Response = Option<Response>, Error = ExitedError>,
    S::Future: Send + 'static,
{
    let id = request.id().cloned();
    let begun = catch_unwind(AssertUnwindSafe(|| {
        let _within = cfg_meter::within(Arc::default());
        let mut answer: Answer = Box::pin(service.call(request));
        // The answer is polled again when it is awaited, with a waker.
        match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(response) => Begun::Done(response.unwrap_or_default()),
            Poll::Pending => Begun::Waiting(answer),
        }
    }));
    begun.unwrap_or_else(|_| Begun::Done(id.map(|id| Response::from_error(id, Error::internal_error()))))
}

/// Sends a message to the writing thread; returns whether the client still accepts messages.
async fn put(outgoing: &mpsc::Sender<Vec<u8>>, message: serde_json::Result<Vec<u8>>) -> bool {
    match message {
        Ok(bytes) => outgoing.send(bytes).await.is_ok(),
        Err(_) => true,
    }
}
