//! The memory limit of tree searches, measured by an allocator that counts.

mod common;

use common::{Bag, method};
use soloist::{Budget, Solver};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the pointer came from `alloc` above, that is, from the system allocator, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    // Large blocks grow in place or by remapping on the usual systems, so only the difference counts.
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        let now = NOW.fetch_add(size, Ordering::Relaxed) + size;
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the pointer came from the system allocator with this layout; the caller keeps the contract of
        // `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes in use at the same time by a run beyond what was in use before, and its best score.
fn peak(name: &str, memory: u64, bag: &Bag) -> (usize, f64) {
    let method = method(name, &[("c", "1")]);
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let budget = Budget { memory, ..Budget::playouts(60_000) };
    let outcome = Solver::new(bag, method).seed(1).budget(budget).run().unwrap();
    assert_eq!(outcome.counters.playouts, 60_000);
    (PEAK.load(Ordering::Relaxed) - before, outcome.best.unwrap().score.value().unwrap())
}

// One test only: another one running beside it would be counted as well.
#[test]
fn trees_stay_within_their_memory() {
    // What a run needs without a tree: buffers, incumbents, the result.
    const OTHER: usize = 16 << 10;
    for bag in [Bag::sixteen(), Bag::tight()] {
        for name in ["uct", "uct-best"] {
            let (free, _) = peak(name, Budget::MEMORY, &bag);
            for memory in [32 << 10, 256 << 10, 1 << 20] {
                assert!(free > 2 * memory as usize, "{name} needs {free} bytes anyway");
                let (used, score) = peak(name, memory, &bag);
                let limit = memory as usize + OTHER;
                assert!(used <= limit, "{name} used {used} bytes of {memory}");
                assert!(score >= bag.optimum() * 0.95, "{name} within {memory} bytes: {score}");
            }
            // Less than a node: nothing to grow, but the run goes on.
            assert!(peak(name, 1, &bag).0 <= OTHER);
        }
    }
}
