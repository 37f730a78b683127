//! The calls that are at work, so that the interpreter can wait for them before it goes.
//!
//! An interpreter that shuts down ends its other threads where they wait for it, in the middle of compiled code, which
//! aborts the process. So a hook of `atexit` asks all runs to end and waits until they have. Forked children do not
//! have the threads: runs of another process are not waited for.
//!
//! The list is locked by threads alone that hold the interpreter's lock.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

/// How often handlers of signals get their turn.
pub(crate) const PULSE: Duration = Duration::from_millis(20);

/// How often the hook looks whether all calls have ended.
const GLANCE: Duration = Duration::from_millis(5);

/// Locks what a thread that panicked cannot have left half done.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does `work` on a thread of its own, which needs no interpreter, and calls `look` with the interpreter every
/// [`PULSE`] until it is done.
pub(crate) fn beside<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send, mut look: impl FnMut()) -> T {
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel::<()>(1);
        let worker = scope.spawn(move || {
            let done = work();
            let _ = sender.send(());
            done
        });
        let receiver = Mutex::new(receiver);
        // Otherwise it is done, or dead.
        let works = || matches!(locked(&receiver).recv_timeout(PULSE), Err(RecvTimeoutError::Timeout));
        while py.detach(works) {
            look();
        }
        py.detach(|| worker.join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

struct Call {
    number: u64,
    process: u32,
    thread: ThreadId,
    stop: Arc<AtomicBool>,
}

#[derive(Default)]
struct Calls {
    all: Vec<Call>,
    count: u64,
    /// The process that shuts down, and the thread that does it.
    closing: Option<(u32, ThreadId)>,
}

static CALLS: Mutex<Calls> = Mutex::new(Calls { all: Vec::new(), count: 0, closing: None });

fn calls() -> MutexGuard<'static, Calls> {
    locked(&CALLS)
}

/// A call at work, until it is dropped.
#[derive(Debug)]
pub(crate) struct Live(u64);

impl Live {
    /// Enters a call that ends soon after `stop` becomes true.
    pub(crate) fn enter(stop: &Arc<AtomicBool>) -> PyResult<Self> {
        let mut calls = calls();
        let (process, thread) = (std::process::id(), std::thread::current().id());
        if calls.closing.is_some_and(|closing| closing.0 == process && closing.1 != thread) {
            return Err(PyRuntimeError::new_err("the interpreter is shutting down"));
        }
        calls.count += 1;
        let number = calls.count;
        calls.all.push(Call { number, process, thread, stop: Arc::clone(stop) });
        Ok(Self(number))
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        calls().all.retain(|call| call.number != self.0);
    }
}

/// Asks the calls of all other threads to end, and waits until they have. Ctrl-C ends the waiting.
#[pyfunction]
pub(crate) fn close(py: Python<'_>) -> PyResult<()> {
    let (process, thread) = (std::process::id(), std::thread::current().id());
    calls().closing = Some((process, thread));
    loop {
        let mut left = 0;
        for call in &calls().all {
            if call.process == process && call.thread != thread {
                // Again in each round: a call that begins resets the flag.
                call.stop.store(true, Ordering::SeqCst);
                left += 1;
            }
        }
        if left == 0 {
            return Ok(());
        }
        py.detach(|| std::thread::sleep(GLANCE));
        py.check_signals()?;
    }
}
