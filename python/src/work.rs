//! Work without the interpreter's lock: long work on a thread of its own, so that Ctrl-C is answered while it goes on.

use crate::failure::Failure;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use visard::study::Stop;

/// How often signals are looked at.
const POLL: Duration = Duration::from_millis(50);
/// How long work that was stopped is waited for, so that its folder is free again when the exception arrives.
const GRACE: Duration = Duration::from_millis(250);

/// How far the work is, for a progress bar: what is counted, how many are done, how many there are (0: not known).
#[derive(Debug, Clone)]
pub struct Progress {
    /// What is counted.
    pub what: &'static str,
    /// How many are done.
    pub done: u64,
    /// How many there are.
    pub total: u64,
}

enum Message<T> {
    Progress(Progress),
    Done(Result<T, Failure>),
}

/// Where the work tells how far it is.
pub struct Reporter<'a>(&'a (dyn Fn(Progress) + Sync));

impl Reporter<'_> {
    /// Tells.
    pub fn tell(&self, what: &'static str, done: u64, total: u64) {
        (self.0)(Progress { what, done, total });
    }
}

/// Does something short without the lock. A panic is a failure like others.
pub fn short<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Failure> + Send) -> PyResult<T> {
    Ok(py.detach(|| guarded(work))?)
}

/// Does something long on a thread of its own. Signals and progress are looked after meanwhile: an exception from either ends the wait. It
/// asks the work to `stop`, and is told so where that came too late, after the charge; work that has no such end goes on unseen, and its
/// result is dropped.
pub fn long<T: Send + 'static>(
    py: Python<'_>,
    stop: Stop,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Reporter<'_>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    std::thread::Builder::new()
        .name("visard".into())
        // As a main thread has: the command's arguments alone take a good part of the usual two.
        .stack_size(8 << 20)
        .spawn(move || run(&sender, work))
        .map_err(|e| Failure::other(format!("cannot start a thread: {e}")))?;
    loop {
        let (message, back) = next(py, receiver);
        receiver = back;
        let seen = match message {
            Ok(Message::Done(result)) => return Ok(result?),
            Ok(Message::Progress(Progress { what, done, total })) => match progress {
                Some(callback) => callback.call1((what, done, total)).map(drop),
                None => Ok(()),
            },
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::other("the work ended unheard").into());
            }
        };
        if let Err(error) = seen.and_then(|()| py.check_signals()) {
            if !stop.ask() {
                let note = "the charge had been made: the study goes on to its end in its folder; call again with resume=True for its result";
                let _ = error.value(py).call_method1("add_note", (note,));
            }
            wait_for_end(py, receiver);
            return Err(error);
        }
    }
}

/// Does something long on a thread of its own with what the caller lends. A signal asks the work to stop, which it learns from the function
/// it is given, and is answered when the work has ended: until then what was lent is in use.
pub fn beside<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let stop = Stop::default();
    let asked = stop.clone();
    let (sender, mut receiver) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || run(&sender, |_| work(&move || asked.asked())));
        let mut interrupted = Ok(());
        loop {
            let (message, back) = next(py, receiver);
            receiver = back;
            match message {
                Ok(Message::Done(result)) => {
                    // First: work that was asked to stop may say that it got nowhere.
                    interrupted?;
                    return Ok(result?);
                }
                Ok(Message::Progress(_)) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::other("the work ended unheard").into());
                }
            }
            if interrupted.is_ok() {
                interrupted = py.check_signals();
                if interrupted.is_err() {
                    stop.ask();
                }
            }
        }
    })
}

/// The next message, or that there is none yet; the lock is free meanwhile.
fn next<T: Send>(
    py: Python<'_>,
    receiver: Receiver<Message<T>>,
) -> (Result<Message<T>, RecvTimeoutError>, Receiver<Message<T>>) {
    py.detach(move || (receiver.recv_timeout(POLL), receiver))
}

fn wait_for_end<T: Send>(py: Python<'_>, receiver: Receiver<Message<T>>) {
    py.detach(move || {
        let end = Instant::now() + GRACE;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            match receiver.recv_timeout(left) {
                Ok(Message::Progress(_)) => {}
                Ok(Message::Done(_)) | Err(_) => return,
            }
        }
    });
}

fn run<T: Send>(sender: &Sender<Message<T>>, work: impl FnOnce(&Reporter<'_>) -> Result<T, Failure>) {
    // Whoever listened may have gone.
    let tell = |progress| drop(sender.send(Message::Progress(progress)));
    let result = guarded(|| work(&Reporter(&tell)));
    let _ = sender.send(Message::Done(result));
}

fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        Err(Failure::other(format!("a defect of visard, please report it: {}", words(panic.as_ref()))))
    })
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// Sets the number of worker threads, once, before anything has used them (otherwise one per core, or RAYON_NUM_THREADS).
#[pyfunction]
pub fn set_threads(threads: usize) -> PyResult<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let late = |_| Failure::other("the worker threads are at work already: set_threads comes first");
    Ok(pool.build_global().map_err(late)?)
}
