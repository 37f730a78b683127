//! The memory limit of tree searches, measured by an allocator that counts.

use crate::common::{Bag, method, timeless};
use soloist::problem::Facts;
use soloist::{Budget, Problem, Solver};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    // Of each thread by itself: tests beside this one do not count.
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// Adds to the bytes in use by this thread.
fn count(bytes: isize) {
    // At its very end a thread has no such variables any more.
    let _ = NOW.try_with(|now| {
        now.set(now.get() + bytes);
        PEAK.try_with(|peak| peak.set(peak.get().max(now.get())))
    });
}

struct Counting;

// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the pointer came from `alloc` above, that is, from the system allocator, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    // Large blocks grow in place or by remapping on the usual systems, so only the difference counts.
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: the pointer came from the system allocator with this layout; the caller keeps the contract of
        // `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes in use at the same time by a run of one stream, on this thread, beyond what was in use before, and its best
/// score.
fn peak(name: &str, settings: &[(&str, &str)], memory: u64, bag: &Bag) -> (usize, f64) {
    let method = method(name, settings);
    let before = NOW.get();
    PEAK.set(before);
    let budget = Budget { memory, ..Budget::playouts(60_000) };
    let outcome = Solver::new(bag, method).seed(1).budget(budget).run().unwrap();
    assert_eq!(outcome.counters.playouts, 60_000);
    ((PEAK.get() - before) as usize, outcome.best.unwrap().score.value().unwrap())
}

#[test]
fn trees_stay_within_their_memory() {
    // What a run needs without a tree: buffers, incumbents, the result.
    const OTHER: usize = 16 << 10;
    for bag in [Bag::sixteen(), Bag::tight()] {
        for name in ["uct", "uct-best"] {
            let (free, _) = peak(name, &[("c", "1")], Budget::MEMORY, &bag);
            for memory in [32 << 10, 256 << 10, 1 << 20] {
                assert!(free > 2 * memory as usize, "{name} needs {free} bytes anyway");
                let (used, score) = peak(name, &[("c", "1")], memory, &bag);
                let limit = memory as usize + OTHER;
                assert!(used <= limit, "{name} used {used} bytes of {memory}");
                assert!(score >= bag.optimum() * 0.95, "{name} within {memory} bytes: {score}");
            }
            // Less than a node: the tree cannot grow, but the run continues.
            assert!(peak(name, &[("c", "1")], 1, &bag).0 <= OTHER);
        }
    }
}

/// The children of the root take more than half of the memory: they stay, and the search continues below them.
#[test]
fn a_root_wider_than_the_memory_does_not_stop_a_tree() {
    let bag = Bag { items: (0..60).map(|i| (100 + i, 100)).collect(), capacity: 1_000, ..Bag::sixteen() };
    for name in ["uct", "uct-best", "sp-mcts"] {
        for expansion in ["all", "lazy"] {
            let settings: &[_] = if name.starts_with("uct") { &[("expansion", expansion)] } else { &[] };
            for memory in [2 << 10, 4 << 10, 8 << 10, 16 << 10] {
                let budget = Budget { memory, ..Budget::playouts(20_000) };
                let outcome = Solver::new(&bag, method(name, settings)).seed(1).budget(budget).run().unwrap();
                assert_eq!(outcome.counters.playouts, 20_000, "{name} {settings:?} within {memory} bytes");
            }
        }
    }
}

/// A split into more beginnings than fit goes less deep.
#[test]
fn beginnings_of_a_beam_stay_within_their_memory() {
    let bag = Bag { items: (0..60).map(|i| (100 + i, 100)).collect(), capacity: 1_000, ..Bag::sixteen() };
    let run = |memory| {
        let method = method("beam", &[("width", "4"), ("split", "4")]);
        let before = NOW.get();
        PEAK.set(before);
        let budget = Budget { memory, nodes: Some(2_000), ..Budget::default() };
        let outcome = Solver::new(&bag, method).seed(1).budget(budget).run().unwrap();
        assert!(outcome.best.is_some());
        (PEAK.get() - before) as usize
    };
    let memory = 512 << 10;
    assert!(run(memory) <= memory as usize);
    // 60 to the power of 4 beginnings would take gigabytes.
    assert!(run(Budget::MEMORY) <= 32 << 20);
}

/// A beam of solutions that is wider than the memory allows keeps fewer, with and without a save.
#[test]
fn beams_of_solutions_stay_within_their_memory() {
    let bag = Bag { items: (0..40).map(|i| (100 + i * 37 % 101, 50 + i * 53 % 97)).collect(), ..Bag::sixteen() };
    let settings = [("level", "1"), ("iterations", "100000"), ("width", "100000"), ("threshold", "50000")];
    // The policy, and lists that have grown by doubling.
    const OTHER: usize = 128 << 10;
    let (free, _) = peak("hd-nrpa", &settings, Budget::MEMORY, &bag);
    for memory in [384 << 10, 768 << 10] {
        let (used, _) = peak("hd-nrpa", &settings, memory, &bag);
        assert!(free > 2 * memory as usize && used <= memory as usize + OTHER, "{used} of {memory}, {free} without");
    }
    let solver = || {
        let budget = Budget { memory: 256 << 10, ..Budget::playouts(3_000) };
        Solver::new(&bag, method("hd-nrpa", &[("level", "2"), ("iterations", "100"), ("width", "1000")])).budget(budget)
    };
    let whole = solver().run().unwrap();
    let mut session = solver().start().unwrap();
    for _ in 0..3 {
        session.advance(&Budget::playouts(1_000)).unwrap();
        session = solver().resume(&session.save()).unwrap().start().unwrap();
    }
    assert_eq!(timeless(session.outcome()), timeless(whole));
}

/// A beam that is wider than the memory allows is cut.
#[test]
fn beams_of_nested_search_stay_within_their_memory() {
    const OTHER: usize = 32 << 10;
    let bag = Bag::sixteen();
    for level in ["1", "2"] {
        let settings = [("level", level), ("width", "100000")];
        let (free, _) = peak("nmcs", &settings, Budget::MEMORY, &bag);
        for memory in [64 << 10, 512 << 10] {
            assert!(free > 2 * memory as usize, "level {level} needs {free} bytes anyway");
            let (used, score) = peak("nmcs", &settings, memory, &bag);
            assert!(used <= memory as usize + OTHER, "level {level} used {used} bytes of {memory}");
            assert!(score >= bag.optimum() * 0.9, "level {level} within {memory} bytes: {score}");
        }
        assert!(peak("nmcs", &settings, 1, &bag).0 <= OTHER);
    }
}

/// States with a large list: `depth` decisions between two moves. In a `comb`, one of the two moves ends the game.
struct Heavy {
    depth: u32,
    comb: bool,
    bytes: usize,
}

#[derive(Clone)]
struct Load {
    made: u32,
    value: u32,
    over: bool,
    list: Vec<u8>,
}

impl Problem for Heavy {
    type State = Load;
    type Move = u8;
    fn root(&self) -> Load {
        Load { made: 0, value: 0, over: false, list: vec![1; self.bytes] }
    }
    fn moves(&self, state: &Load, moves: &mut Vec<u8>) {
        if !state.over && state.made < self.depth {
            moves.extend([0, 1]);
        }
    }
    fn apply(&self, state: &mut Load, mv: u8) {
        state.made += 1;
        state.value = (state.value * 5 + u32::from(mv) + state.made) % 97;
        state.over |= self.comb && mv == 1;
        state.list[(state.made as usize) % self.bytes] ^= mv;
    }
    fn score(&self, state: &Load) -> soloist::Score {
        soloist::Score::Feasible(f64::from(state.value))
    }
    fn potential(&self, state: &Load) -> Option<f64> {
        Some(f64::from(state.value))
    }

    fn facts(&self) -> Facts {
        Facts { state_bytes: Some(size_of::<Load>() + self.bytes), ..Facts::default() }
    }
}

/// What states hold on the heap counts: in paths, which drop states and make them again, and in beams.
#[test]
fn states_with_lists_stay_within_the_memory() {
    let memory = 2_u64 << 20;
    for (name, heavy) in [
        ("dfs", Heavy { depth: 300, comb: true, bytes: 64 << 10 }),
        ("ida-star", Heavy { depth: 300, comb: true, bytes: 64 << 10 }),
        ("iterative-broadening", Heavy { depth: 300, comb: true, bytes: 64 << 10 }),
        ("dfs", Heavy { depth: 9, comb: false, bytes: 64 << 10 }),
        ("beam", Heavy { depth: 9, comb: false, bytes: 64 << 10 }),
        ("cabs", Heavy { depth: 9, comb: false, bytes: 64 << 10 }),
    ] {
        let run = |memory| {
            let before = NOW.get();
            PEAK.set(before);
            let budget = Budget { memory, nodes: Some(40_000), ..Budget::default() };
            let outcome = Solver::new(&heavy, method(name, &[])).seed(1).budget(budget).run().unwrap();
            ((PEAK.get() - before) as u64, timeless(outcome))
        };
        let ((used, outcome), (_, free)) = (run(memory), run(Budget::MEMORY));
        assert!(used <= memory * 3 / 2, "{name} used {used} bytes of {memory}");
        if name != "beam" && name != "cabs" {
            assert_eq!(outcome, free, "{name}");
        }
    }
    let heavy = Heavy { depth: 3, comb: false, bytes: 1 << 20 };
    for name in ["dfs", "beam", "nmcs"] {
        let budget = Budget { memory: 1 << 20, ..Budget::default() };
        let error = Solver::new(&heavy, method(name, &[])).budget(budget).run().unwrap_err();
        assert!(error.to_string().contains("needs at least"), "{name}: {error}");
    }
}
