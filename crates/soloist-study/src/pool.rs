//! Jobs on a pool of threads; the calling thread hears of every end.

use crate::context::Context;
use crate::failure::Failure;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Time between two ticks when no job ends.
const TICK: Duration = Duration::from_millis(200);

/// What the calling thread learns.
#[derive(Debug)]
pub(crate) enum Event<T> {
    /// This job ended by itself.
    Finished(T),
    /// Some time passed.
    Tick,
}

/// Runs jobs 0 to `count` - 1, begun in this order, `at_a_time` at a time. Jobs that return `None` were interrupted and
/// are dropped; the first failure, of a job or of `tell`, stops all others by raising the stop flag. A job that panics
/// has failed; `name` says which it is.
pub(crate) fn run<T: Send>(
    count: usize,
    at_a_time: usize,
    context: &Context<'_>,
    name: &(dyn Fn(usize) -> String + Sync),
    job: &(dyn Fn(usize) -> Result<Option<T>, Failure> + Sync),
    tell: &mut dyn FnMut(Event<T>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let stop = context.stop;
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let (mut started, mut refused) = (0, None);
    std::thread::scope(|scope| {
        for _ in 0..at_a_time.min(count) {
            let (sender, next) = (sender.clone(), &next);
            let work = move || {
                while !stop.load(Ordering::SeqCst) {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        break;
                    }
                    // A panic leaves nothing half done that others see: each job has its own data.
                    let done = catch_unwind(AssertUnwindSafe(|| job(at))).unwrap_or_else(|panic| {
                        stop.store(true, Ordering::SeqCst);
                        Err(Failure::runtime(format!("internal error: {}: {}", name(at), said(&*panic))))
                    });
                    // Nobody listens any more once a failure is on its way out.
                    let _ = sender.send(done);
                }
            };
            // With fewer threads the jobs take longer.
            match std::thread::Builder::new().spawn_scoped(scope, work) {
                Ok(_) => started += 1,
                Err(error) => {
                    refused = Some(error);
                    break;
                }
            }
        }
        drop(sender);
        let mut failed = match refused {
            Some(error) if started == 0 => Err(Failure::runtime(format!("cannot start a thread: {error}"))),
            Some(error) => {
                context.show.warn(&format!("{started} of {at_a_time} threads: no more can be started: {error}"));
                Ok(())
            }
            None => Ok(()),
        };
        loop {
            let shown = match receiver.recv_timeout(TICK) {
                Ok(Ok(Some(result))) => tell(Event::Finished(result)),
                Ok(Ok(None)) => Ok(()),
                Ok(Err(failure)) => Err(failure),
                Err(RecvTimeoutError::Timeout) => tell(Event::Tick),
                Err(RecvTimeoutError::Disconnected) => break failed,
            };
            if failed.is_ok() && shown.is_err() {
                stop.store(true, Ordering::SeqCst);
                failed = shown;
            }
        }
    })
}

/// What a panic says.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked")
}

#[cfg(test)]
mod tests {
    use super::*;
    use soloist_domain::Registry;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn a_job_that_panics_stops_the_others() {
        let stop = AtomicBool::new(false);
        let job = |at: usize| {
            if at == 1 {
                panic!("the {at}st");
            }
            // As long as a search that nothing interrupts, within the patience of a test.
            for _ in 0..6000 {
                if stop.load(Ordering::SeqCst) {
                    return Ok(None);
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            Ok(Some(at))
        };
        let mut finished = 0;
        let failure =
            run(9, 2, &Context::silent(Registry::new(&[]), &stop), &|at| format!("job {at}"), &job, &mut |event| {
                finished += usize::from(matches!(event, Event::Finished(..)));
                Ok(())
            })
            .unwrap_err();
        assert_eq!((failure.code(), failure.message.as_str()), (1, "internal error: job 1: the 1st"));
        assert_eq!(finished, 0);
    }
}
