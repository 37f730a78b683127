//! Jobs on a pool of threads; the calling thread hears of every end.

use crate::failure::Failure;
use crate::signal::STOP;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Time between two beats when no job ends.
const BEAT: Duration = Duration::from_millis(200);

/// What the caller is told.
#[derive(Debug)]
pub(crate) enum Event<T> {
    /// This job ended by itself.
    Finished(usize, T),
    /// Some time passed.
    Beat,
}

/// Runs jobs 0 to `count` - 1, begun in this order, `at_a_time` at a time. Jobs that return `None` were interrupted and
/// are dropped; the first failure, of a job or of `tell`, stops all others by raising [`STOP`].
pub(crate) fn run<T: Send>(
    count: usize,
    at_a_time: usize,
    job: &(dyn Fn(usize) -> Result<Option<T>, Failure> + Sync),
    tell: &mut dyn FnMut(Event<T>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..at_a_time.min(count) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while !STOP.load(Ordering::SeqCst) {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        break;
                    }
                    // Nobody listens any more once a failure is on its way out.
                    let _ = sender.send((at, job(at)));
                }
            });
        }
        drop(sender);
        let mut failed = Ok(());
        loop {
            let told = match receiver.recv_timeout(BEAT) {
                Ok((at, Ok(Some(result)))) => tell(Event::Finished(at, result)),
                Ok((_, Ok(None))) => Ok(()),
                Ok((_, Err(failure))) => Err(failure),
                Err(RecvTimeoutError::Timeout) => tell(Event::Beat),
                Err(RecvTimeoutError::Disconnected) => break failed,
            };
            if failed.is_ok() && told.is_err() {
                STOP.store(true, Ordering::SeqCst);
                failed = told;
            }
        }
    })
}
