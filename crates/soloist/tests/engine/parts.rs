//! A run is the same run whatever parts it is cut into: by checkpoints, by slices, by signals.

use crate::common::{method, methods, scratch, timeless};
use soloist::problem::{Extras, Key, stable_hash};
use soloist::run::{Control, Observer, Progress, StopReason};
use soloist::{Budget, Outcome, Problem, Rng, Score, Sense, Setup, Solver};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// A tree of games of three to seven moves, each worth up to 100 points. One game in eight is infeasible. Orders of
/// children differ between streams, and so do the counts after which they have examined everything.
struct Wood {
    seed: u64,
    /// The score is at most this number, which is then the bound of the root.
    cap: Option<u32>,
    /// Scores that are left before the signal is raised.
    left: AtomicU64,
    signal: AtomicBool,
}

#[derive(Clone, Debug)]
struct Place {
    depth: u32,
    points: u32,
    hash: u64,
}

impl Wood {
    fn new(seed: u64, cap: Option<u32>) -> Self {
        Self { seed, cap, left: AtomicU64::new(u64::MAX), signal: AtomicBool::new(false) }
    }

    fn is_end(at: &Place) -> bool {
        at.depth == 7 || at.depth >= 3 && at.hash.is_multiple_of(5)
    }

    fn capped(&self, points: u32) -> u32 {
        self.cap.map_or(points, |cap| points.min(cap))
    }
}

impl Problem for Wood {
    type State = Place;
    type Move = u8;

    fn root(&self) -> Place {
        Place { depth: 0, points: 0, hash: stable_hash(&self.seed) }
    }
    fn moves(&self, at: &Place, moves: &mut Vec<u8>) {
        if !Self::is_end(at) {
            moves.extend(0..1 + (at.hash >> 8 & 3) as u8);
        }
    }
    fn apply(&self, at: &mut Place, mv: u8) {
        at.hash = stable_hash(&(at.hash, mv));
        at.depth += 1;
        at.points += (at.hash >> 20) as u32 % 100;
    }
    fn score(&self, at: &Place) -> Score {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.signal.store(true, Ordering::Relaxed);
        }
        match at.hash >> 40 & 7 {
            0 => Score::Infeasible(f64::from(1 + at.depth)),
            _ => Score::Feasible(self.capped(at.points).into()),
        }
    }
    fn sense(&self) -> Sense {
        Sense::Maximize
    }
    fn bound(&self, at: &Place) -> Option<f64> {
        let left = if Self::is_end(at) { 0 } else { 99 * (7 - at.depth) };
        Some(self.capped(at.points + left).into())
    }
    fn key(&self, at: &Place) -> Option<Key> {
        Some(at.hash.into())
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Wood {
    fn fingerprint(&self) -> Option<u64> {
        Some(stable_hash(&(self.seed, self.cap)))
    }
}

/// A run and what it is to be compared with.
struct Pair<'a> {
    wood: &'a Wood,
    setup: Setup,
    budget: Budget,
    whole: Outcome<u8>,
}

impl<'a> Pair<'a> {
    fn new(wood: &'a Wood, setup: &Setup, budget: &Budget) -> Self {
        let whole = Solver::new(wood, setup.clone()).budget(budget.clone()).keep(3).run().unwrap();
        Self { wood, setup: setup.clone(), budget: budget.clone(), whole }
    }

    fn solver(&self) -> Solver<'a, Wood> {
        Solver::new(self.wood, self.setup.clone()).budget(self.budget.clone()).keep(3)
    }

    fn is(&self, other: Outcome<u8>, how: &str) {
        let documented = |mut outcome: Outcome<u8>| {
            let at_goal = matches!(outcome.stop, StopReason::Target | StopReason::Bound | StopReason::Exhausted);
            // How far the other streams have come when one is at a goal depends on their schedule.
            if at_goal && self.setup.threads > 1 {
                (outcome.counters, outcome.tree) = Default::default();
            }
            timeless(outcome)
        };
        let what = || format!("{how}: {:?} {:?}", self.setup, self.budget);
        assert_eq!(documented(other), documented(self.whole.clone()), "{}", what());
    }

    /// A checkpoint after every step, or once per interval.
    fn with_checkpoints(&self, every: Duration) {
        let path = scratch("parts");
        self.is(self.solver().checkpoint(&path, every).run().unwrap(), "with checkpoints");
        // What was written last is the same run.
        let saved = std::fs::read(&path).unwrap();
        self.is(Solver::new(self.wood, self.setup.clone()).resume(&saved).unwrap().start().unwrap().outcome(), "saved");
        std::fs::remove_file(path).unwrap();
    }

    /// Slices whose counts add up to the budget.
    fn in_slices(&self, slices: u64, rng: &mut Rng, saves: bool) {
        let mut session = self.solver().start().unwrap();
        let (mut playouts, mut nodes) = (self.budget.playouts, self.budget.nodes);
        for at in 0..slices {
            let mut share = |left: &mut Option<u64>| {
                let all = (*left)?;
                let part = if at + 1 == slices { all } else { rng.index(all as usize + 1) as u64 / (slices - at) * 2 };
                let part = part.min(all);
                *left = Some(all - part);
                Some(part)
            };
            let slice = Budget { playouts: share(&mut playouts), nodes: share(&mut nodes), ..self.budget.clone() };
            session.advance(&slice).unwrap();
            if saves {
                session = self.solver().resume(&session.save()).unwrap().start().unwrap();
            }
        }
        self.is(session.outcome(), if saves { "in slices that are saved" } else { "in slices" });
    }

    /// Signals after a number of scores, whichever streams made them.
    fn with_signals(&self, rng: &mut Rng) {
        let mut saved: Option<Vec<u8>> = None;
        loop {
            let solver = match &saved {
                Some(bytes) => self.solver().resume(bytes).unwrap(),
                None => self.solver(),
            };
            let mut session = solver.start().unwrap();
            self.wood.signal.store(false, Ordering::Relaxed);
            self.wood.left.store(1 + rng.index(120) as u64, Ordering::Relaxed);
            let before = session.counters();
            // What is left of the limits of the whole run.
            let left = |all: Option<u64>, made: u64| all.map(|all| all.saturating_sub(made));
            let slice = Budget {
                playouts: left(self.budget.playouts, before.playouts),
                nodes: left(self.budget.nodes, before.nodes),
                ..self.budget.clone()
            };
            let control = Control { stop: Some(&self.wood.signal), ..Control::default() };
            let reason = session.advance_with(&slice, control).unwrap();
            self.wood.left.store(u64::MAX, Ordering::Relaxed);
            if reason != StopReason::Interrupted {
                self.is(session.outcome(), "with signals");
                return;
            }
            saved = Some(session.save());
        }
    }
}

/// Limits of counts, alone and with what may end a run before them. Runs of a larger `size` are longer.
fn budgets(rng: &mut Rng, streams: u64, size: usize) -> Budget {
    let playouts = Some((20 + rng.index(size) as u64) * streams);
    let nodes = Some((40 + rng.index(8 * size) as u64) * streams);
    let counts = Budget { playouts, nodes, ..Budget::default() };
    match rng.index(5) {
        0 => Budget { nodes: Some(50 * size as u64), ..counts },
        1 => Budget { playouts: None, stall: Some(20), ..counts },
        2 => Budget { stall: Some(10 + rng.index(30) as u64), ..counts },
        _ => Budget { target: Some(250.0 + rng.index(200) as f64), ..counts },
    }
}

/// Every method, or one in `stride`, on streams that are uneven: `checks` compares a run with the same run in parts.
fn compare_all(seed: u64, threads: &[usize], (size, stride): (usize, usize), checks: impl Fn(&Pair<'_>, &mut Rng)) {
    let mut rng = Rng::new(seed);
    let (mut goals, mut all) = (0, 0);
    for (at, method) in methods().into_iter().enumerate().step_by(stride) {
        for &threads in threads {
            let cap = (rng.index(3) == 0).then(|| 300 + rng.index(200) as u32);
            let wood = Wood::new(seed + at as u64, cap);
            let setup = Setup::from(method.clone()).seed(rng.index(1_000) as u64).threads(threads);
            let pair = Pair::new(&wood, &setup, &budgets(&mut rng, threads as u64, size));
            goals += usize::from(!matches!(pair.whole.stop, StopReason::Playouts | StopReason::Nodes));
            checks(&pair, &mut rng);
            all += 1;
        }
    }
    assert!(goals > all / 5, "{goals} of {all} runs ended before their limits");
}

#[test]
fn a_run_with_checkpoints_after_every_step_is_the_run_without() {
    compare_all(1, &[3], (20, 6), |pair, _| pair.with_checkpoints(Duration::ZERO));
}

#[test]
fn a_run_with_a_checkpoint_every_millisecond_is_the_run_without() {
    compare_all(2, &[2, 3, 4], (200, 1), |pair, _| pair.with_checkpoints(Duration::from_millis(1)));
}

#[test]
fn a_run_in_random_slices_is_the_run_at_once() {
    compare_all(3, &[1, 2, 3, 4], (200, 1), |pair, rng| {
        let slices = 2 + rng.index(9) as u64;
        pair.in_slices(slices, rng, false);
        pair.in_slices(slices, rng, true);
    });
}

/// Streams that wait for one that has stalled cannot continue, whatever later slices grant.
#[test]
fn a_run_that_has_stalled_says_so_in_later_slices() {
    let mut stalled = 0;
    for seed in 0..60 {
        let wood = Wood::new(seed, None);
        let islands = [("level", "2"), ("iterations", "7"), ("share", "islands")];
        let setup = Setup::from(method("nrpa", &islands)).seed(seed).threads(3);
        let slice = |playouts| Budget { stall: Some(20 + seed % 7), ..Budget::playouts(playouts) };
        let mut session = Solver::new(&wood, setup.clone()).budget(slice(3_000)).start().unwrap();
        if session.advance(&slice(3_000)).unwrap() != StopReason::Stall {
            continue;
        }
        stalled += 1;
        for more in [0, 1, 50, 3_000] {
            assert_eq!(session.advance(&slice(more)).unwrap(), StopReason::Stall, "seed {seed}, {more} more");
            let saved = session.save();
            session = Solver::new(&wood, setup.clone()).budget(slice(3_000)).resume(&saved).unwrap().start().unwrap();
        }
    }
    assert!(stalled > 5, "{stalled}");
}

#[test]
fn a_run_that_signals_cut_is_the_run_at_once() {
    compare_all(4, &[1, 2, 3, 4], (200, 1), |pair, rng| pair.with_signals(rng));
}

/// Raises a flag at the first report of progress.
struct Watcher<'a>(&'a AtomicBool);

impl<M> Observer<M> for Watcher<'_> {
    fn progress(&mut self, _: &Progress) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn progress_is_reported_however_often_checkpoints_are_written() {
    let (wood, flag, path) = (Wood::new(9, None), AtomicBool::new(false), scratch("watched"));
    let mut watcher = Watcher(&flag);
    let solver =
        Solver::new(&wood, Setup::preset("sampling").unwrap()).observer(&mut watcher, Duration::from_millis(20));
    let solver = solver.budget(Budget::time(Duration::from_secs(60))).stop_flag(&flag);
    let outcome = solver.checkpoint(&path, Duration::ZERO).run().unwrap();
    assert_eq!(outcome.stop, StopReason::Interrupted);
    std::fs::remove_file(path).unwrap();
}
