//! What is slow here goes on until it is stopped, so a test that passes shows that it was stopped, however long that took.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    task::Poll,
    thread,
};

use tower_lsp_server::jsonrpc::Error;

use super::{Budgets, Lanes};

/// Tells a test, when it is dropped, that a computation has ended.
struct Ends(Sender<&'static str>, &'static str);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.send(self.1);
    }
}

fn lanes() -> (Lanes, Arc<Budgets>) {
    let budgets = Arc::<Budgets>::default();
    (Lanes::new(Arc::clone(&budgets), || ()), budgets)
}

/// Computes until it is stopped.
fn forever() {
    loop {
        cfg_meter::unwind_if_stopped();
        thread::yield_now();
    }
}

/// Asks for more and more units, as an evaluator does.
fn greedily() {
    while cfg_meter::charge(1 << 16).is_ok() {
        thread::yield_now();
    }
}

/// A job that tells when it has begun and when it has ended.
fn told(sender: &Sender<&'static str>, names: (&'static str, &'static str), job: fn()) -> impl FnOnce() + Send + 'static {
    let sender = sender.clone();
    move || {
        let ends = Ends(sender, names.1);
        let _ = ends.0.send(names.0);
        job();
    }
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future)
}

/// Polls a future once.
async fn begin(future: &mut (impl Future + Unpin)) {
    let mut future = pin!(future);
    poll_fn(|cx| {
        assert!(future.as_mut().poll(cx).is_pending());
        Poll::Ready(())
    })
    .await;
}

fn heard(receiver: &Receiver<&'static str>, count: usize) -> Vec<&'static str> {
    receiver.iter().take(count).collect()
}

#[test]
fn a_slow_document_delays_no_other_and_ends_when_its_request_is_cancelled() {
    let (lanes, _) = lanes();
    let (sender, receiver) = channel();
    run(async {
        let mut slow = Box::pin(lanes.answer("slow", told(&sender, ("begun", "ended"), forever)));
        begin(&mut slow).await;
        assert_eq!(heard(&receiver, 1), ["begun"]);
        for number in 0..100 {
            assert_eq!(lanes.answer("other", move || number).await, Ok(number));
        }
        // What waits behind it is computed in its turn.
        let mut next = Box::pin(lanes.answer("slow", || 7));
        begin(&mut next).await;
        drop(slow);
        assert_eq!((heard(&receiver, 1), next.await), (vec!["ended"], Ok(7)));
    });
}

#[test]
fn a_document_is_worked_on_in_the_order_of_its_requests() {
    let (lanes, _) = lanes();
    let (sender, receiver) = channel();
    for number in 0..500 {
        let sender = sender.clone();
        lanes.later("one", move || {
            let _ = sender.send(number);
        });
        lanes.later("two", || ());
    }
    assert_eq!(receiver.iter().take(500).collect::<Vec<_>>(), (0..500).collect::<Vec<_>>());
}

#[test]
fn a_new_check_stops_the_one_of_the_older_text() {
    let (lanes, _) = lanes();
    let (sender, receiver) = channel();
    let check = |job: fn()| {
        let sender = sender.clone();
        lanes.check("a", move |budget| drop(super::attempt(budget, told(&sender, ("begun", "ended"), job))));
    };
    check(forever);
    assert_eq!(heard(&receiver, 1), ["begun"]);
    check(forever);
    assert_eq!(heard(&receiver, 2), ["ended", "begun"]);
    check(|| ());
    assert_eq!(heard(&receiver, 3), ["ended", "begun", "ended"]);
}

#[test]
fn an_edit_ends_what_takes_long_and_no_other_answer() {
    let (lanes, _) = lanes();
    let (sender, receiver) = channel();
    run(async {
        let mut slow = Box::pin(lanes.answer("a", told(&sender, ("begun", "ended"), forever_greedily)));
        let mut quick = Box::pin(lanes.answer("a", || cfg_meter::charge(1000).is_ok()));
        begin(&mut slow).await;
        begin(&mut quick).await;
        assert_eq!(heard(&receiver, 1), ["begun"]);
        lanes.outdate("a");
        assert_eq!(slow.await, Err(Error::content_modified()));
        assert_eq!(quick.await, Ok(true), "it was asked before the edit, and takes no time");
    });
}

/// Asks for more than there is, before the edit or after it, and goes on whatever it is told.
fn forever_greedily() {
    greedily();
    forever();
}

#[test]
fn the_end_of_the_session_ends_everything() {
    let (lanes, budgets) = lanes();
    let (sender, receiver) = channel();
    run(async {
        let mut slow = Box::pin(lanes.answer("a", told(&sender, ("begun", "ended"), forever)));
        begin(&mut slow).await;
        assert_eq!(heard(&receiver, 1), ["begun"]);
        budgets.wind_down();
        budgets.end().await;
        assert_eq!(lanes.answer("b", || 1).await, Ok(1));
        budgets.stop();
        assert_eq!((slow.await, heard(&receiver, 1)), (Err(Error::content_modified()), vec!["ended"]));
        assert_eq!(lanes.answer("b", || 1).await, Err(Error::content_modified()), "nothing is begun any more");
    });
}

#[test]
fn a_panic_is_an_error_of_its_own_request() {
    let (lanes, _) = lanes();
    run(async {
        let unlucky = lanes.answer("a", || std::panic::resume_unwind(Box::new("unlucky")));
        assert_eq!(unlucky.await.map(|(): ()| ()), Err(Error::internal_error()));
        assert_eq!(lanes.answer("a", || 1).await, Ok(1));
    });
}
