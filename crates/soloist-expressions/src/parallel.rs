//! Independent jobs on several threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The results of `job` for 0 to `count - 1`, in this order, computed by at most `threads` threads. A job that returns
/// `None` is left out.
pub(crate) fn map<R: Send>(threads: usize, count: usize, job: impl Fn(usize) -> Option<R> + Sync) -> Vec<R> {
    if threads < 2 || count < 2 {
        return (0..count).filter_map(job).collect();
    }
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.min(count) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        break;
                    }
                    if let Some(result) = job(at) {
                        results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((at, result));
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    soloist::order::sort_by_key(&mut results, |&(at, _)| at);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn results_keep_their_order() {
        for threads in [1, 2, 5] {
            let odd = map(threads, 50, |at| (at % 2 == 1).then_some(at * at));
            assert_eq!(odd, (0..25).map(|at| (2 * at + 1) * (2 * at + 1)).collect::<Vec<_>>());
        }
    }
}
