//! Playout policies: the flexibility heuristic and annealing over ranks.

use super::problem::Stacking;
use super::stacks::{NONE, Stacks};
use serde::{Deserialize, Serialize};
use soloist::{CheckpointError, Playout, Problem, Rng, Rollout, RolloutInfo, replayed};

/// What [`Problem::rollouts`] lists.
pub(crate) const INFO: &[RolloutInfo] = &[
    RolloutInfo {
        name: "fo",
        help: "the flexibility heuristic: the best stack, ties at random; cut off at relocations + inversions",
    },
    RolloutInfo {
        name: "ranks",
        help: "anneals the heuristic's ranks by item: 64 trials a playout, each of which changes one rank and replays the rest; \
               the best solution so far is played",
    },
    RolloutInfo { name: "random", help: "every stack alike" },
];

/// The policy of that name.
pub(crate) fn find(name: &str) -> Option<Box<dyn Rollout<Stacking>>> {
    match name {
        "fo" => Some(Box::new(Flexible)),
        "ranks" => Some(Box::new(Ranks { task: None })),
        _ => None,
    }
}

/// The flexibility heuristic with random ties. Under a learned policy it is the same as `random`.
#[derive(Clone, Copy, Debug)]
struct Flexible;

impl Rollout<Stacking> for Flexible {
    fn run(&mut self, problem: &Stacking, state: &mut Stacks, playout: &mut Playout<u16>, rng: &mut Rng) {
        self.run_within(problem, state, playout, rng, f64::INFINITY);
    }

    /// Stops when relocations and inversions are as many as the incumbent's relocations (the cut-off of the thesis).
    fn run_within(
        &mut self,
        problem: &Stacking,
        state: &mut Stacks,
        playout: &mut Playout<u16>,
        rng: &mut Rng,
        incumbent: f64,
    ) -> bool {
        while state.choices > 0 {
            if playout.moves.len().is_multiple_of(EVERY) && playout.gives_up() {
                return false;
            }
            if f64::from(state.relocations + state.inversions) >= incumbent {
                return false;
            }
            let ties = problem.ties(state);
            let rank = if ties > 1 { rng.index(ties) } else { 0 };
            playout.moves.push(rank as u16);
            problem.play(state, rank, &mut |_| {});
        }
        true
    }
}

/// Moves between two looks at the limits of the run.
const EVERY: usize = 8;

/// Trials of a playout at the root, and within another search.
const TRIALS: [usize; 2] = [64, 8];
/// Trials of the first cooling; each further one has twice as many.
const COOLING: u64 = 8192;
/// Temperatures at the start and the end of a cooling, in relocations.
const HEAT: [f64; 2] = [0.5, 0.01];
/// States of the present solution that are kept, so that a trial replays from the one before its first change.
const SNAPSHOTS: usize = 32;
/// How often an item's rank can differ: later placements share the last one.
const TIMES: usize = 64;
/// No place in the table.
const NOWHERE: u32 = u32::MAX;

/// The value of a solution that broke off, apart from the number of items that have not left.
const BROKEN: u32 = 1 << 30;

/// Everything that belongs to one state worked on.
#[derive(Debug, Serialize, Deserialize)]
struct Task {
    start: u64,
    /// The present ranks.
    table: Vec<u16>,
    /// Relocations of the present solution; see [`BROKEN`].
    present: u32,
    best: u32,
    best_moves: Vec<u16>,
    /// Coolings that have ended and trials of the present one.
    round: u32,
    trial: u64,
    #[serde(skip)]
    work: Option<Work>,
}

/// The present solution as it is replayed.
#[derive(Debug)]
struct Work {
    /// Where in the table each decision looked, and what was played.
    places: Vec<u32>,
    moves: Vec<u16>,
    /// For each decision about a relocated item: where the item and the one below it that leaves were put last.
    blamed: Vec<[u32; 2]>,
    /// The decisions with such places, and the decision that looked at each place.
    guilty: Vec<u32>,
    decision: Vec<u32>,
    /// The states before the decisions 0, `spacing`, 2 `spacing`, ...
    snapshots: Vec<Stacks>,
    spacing: usize,
    /// A trial in the making.
    next_places: Vec<u32>,
    next_moves: Vec<u16>,
    next_blamed: Vec<[u32; 2]>,
    next_snapshots: Vec<Stacks>,
    state: Stacks,
}

impl Work {
    fn new(problem: &Stacking, start: &Stacks) -> Self {
        Self {
            places: Vec::new(),
            moves: Vec::new(),
            blamed: Vec::new(),
            guilty: Vec::new(),
            decision: vec![NOWHERE; problem.count() * TIMES],
            snapshots: vec![start.clone(); SNAPSHOTS],
            spacing: usize::MAX,
            next_places: Vec::new(),
            next_moves: Vec::new(),
            next_blamed: Vec::new(),
            next_snapshots: vec![start.clone(); SNAPSHOTS],
            state: start.clone(),
        }
    }

    /// Replays the solution of `table` from the decision `from` on, which must be one before which a state was kept.
    /// `None`: its value would be more than `limit`.
    fn replay(&mut self, problem: &Stacking, table: &[u16], from: usize, limit: u32) -> Option<u32> {
        self.next_places.clear();
        self.next_places.extend_from_slice(&self.places[..from]);
        self.next_moves.clear();
        self.next_moves.extend_from_slice(&self.moves[..from]);
        self.next_blamed.clear();
        self.next_blamed.extend_from_slice(&self.blamed[..from]);
        let mut kept = if from == 0 { 0 } else { from / self.spacing };
        self.state.clone_from(&self.snapshots[kept]);
        let state = &mut self.state;
        while state.pending != NONE {
            if state.choices == 0 {
                let value = BROKEN + state.left;
                return (value <= limit).then_some(value);
            }
            if state.relocations + state.inversions > limit {
                return None;
            }
            let done = self.next_moves.len();
            if done == (kept + 1).saturating_mul(self.spacing) && kept + 1 < SNAPSHOTS {
                kept += 1;
                self.next_snapshots[kept].clone_from(state);
            }
            let item = usize::from(state.pending);
            let place = item * TIMES + usize::from(state.placed[item]).min(TIMES - 1);
            let last = |item: u16| match state.placed.get(usize::from(item)).copied().unwrap_or(0) {
                0 => NOWHERE,
                placed => usize::from(item) as u32 * TIMES as u32 + u32::from(placed - 1).min(TIMES as u32 - 1),
            };
            let relocated = state.source != NONE;
            self.next_blamed.push(if relocated { [last(state.pending), last(state.target)] } else { [NOWHERE; 2] });
            let rank = usize::from(table[place]).min(usize::from(state.choices) - 1);
            self.next_places.push(place as u32);
            self.next_moves.push(rank as u16);
            problem.play(state, rank, &mut |_| {});
        }
        (state.relocations <= limit).then_some(state.relocations)
    }

    /// Makes the solution replayed from `from` the present one.
    fn accept(&mut self, from: usize) {
        std::mem::swap(&mut self.places, &mut self.next_places);
        std::mem::swap(&mut self.moves, &mut self.next_moves);
        std::mem::swap(&mut self.blamed, &mut self.next_blamed);
        // All of them: a place that several decisions share names the last one.
        for (at, &place) in self.places.iter().enumerate() {
            self.decision[place as usize] = at as u32;
        }
        self.guilty.clear();
        let blamed = self.blamed.iter().enumerate().filter(|(_, places)| **places != [NOWHERE; 2]);
        self.guilty.extend(blamed.map(|(at, _)| at as u32));
        let first = if from == 0 { 0 } else { from / self.spacing };
        // Only what was passed is new; snapshots behind the end are never used.
        let passed = if self.spacing == usize::MAX { 0 } else { self.moves.len() / self.spacing };
        for kept in first + 1..=passed.min(SNAPSHOTS - 1) {
            std::mem::swap(&mut self.snapshots[kept], &mut self.next_snapshots[kept]);
        }
    }

    /// Builds everything from a table; returns the value of its solution.
    fn rebuild(&mut self, problem: &Stacking, table: &[u16]) -> u32 {
        self.spacing = usize::MAX;
        self.replay(problem, table, 0, u32::MAX);
        self.spacing = (self.next_moves.len() / SNAPSHOTS).max(1);
        let value = self.replay(problem, table, 0, u32::MAX);
        self.accept(0);
        value.unwrap_or(u32::MAX)
    }
}

impl Task {
    /// The task of `state`: the heuristic's solution, all ranks being 0.
    fn begin(problem: &Stacking, state: &Stacks, start: u64) -> Self {
        let table = vec![0; problem.count() * TIMES];
        Self { start, table, present: u32::MAX, best: u32::MAX, best_moves: Vec::new(), round: 0, trial: 0, work: None }
            .prepared(problem, state)
    }

    /// The same with everything that a checkpoint leaves out.
    fn prepared(mut self, problem: &Stacking, state: &Stacks) -> Self {
        if self.work.is_none() {
            let mut work = Work::new(problem, state);
            self.present = work.rebuild(problem, &self.table);
            if self.present < self.best {
                (self.best, self.best_moves) = (self.present, work.moves.clone());
            }
            self.work = Some(work);
        }
        self
    }

    /// The decision that a trial changes: any, or, as often, one that led to a relocation.
    fn pick(work: &Work, rng: &mut Rng) -> usize {
        if !work.guilty.is_empty() && rng.below(2) == 0 {
            let at = work.guilty[rng.index(work.guilty.len())] as usize;
            let place = work.blamed[at][rng.index(2)];
            // Where there was no choice, no decision looked at the place.
            let decision = work.decision.get(place as usize).map_or(usize::MAX, |&decision| decision as usize);
            if work.places.get(decision) == Some(&place) {
                return decision;
            }
        }
        rng.index(work.places.len())
    }

    /// One trial: a changed solution, kept or not.
    fn try_one(&mut self, problem: &Stacking, rng: &mut Rng) {
        let steps = COOLING << self.round.min(40);
        let part = self.trial as f64 / steps as f64;
        let heat = HEAT[0] * libm::pow(HEAT[1] / HEAT[0], part);
        self.trial += 1;
        if self.trial == steps {
            (self.round, self.trial) = (self.round + 1, 0);
        }
        let Some(work) = &mut self.work else { return };
        let first = Self::pick(work, rng);
        let place = work.places[first] as usize;
        let old = self.table[place];
        let back = old != 0 && rng.below(2) == 0;
        self.table[place] = if back { 0 } else { rng.index(problem.width()) as u16 };
        // A worse solution is accepted with probability exp(-loss / heat): the loss that is allowed is drawn
        // beforehand.
        let loss = (-heat * libm::log(1.0 - rng.unit())) as u32;
        let limit = self.present.saturating_add(loss);
        // The last state kept before the change.
        let from = (first / work.spacing).min(SNAPSHOTS - 1) * work.spacing;
        if let Some(value) = work.replay(problem, &self.table, from, limit) {
            work.accept(from);
            self.present = value;
            if self.present < self.best {
                self.best = self.present;
                self.best_moves.clone_from(&work.moves);
            }
        } else {
            self.table[place] = old;
        }
    }
}

/// Annealing over ranks: a solution is a table of ranks by item and number of its placement, 0 at first. A trial
/// changes one of them, half of the time one that led to a relocation, and replays what follows; the ranks of all other
/// items stay, so that the heuristic goes on from what has changed. Relocations and inversions beyond what would be
/// accepted end a trial.
#[derive(Debug)]
struct Ranks {
    task: Option<Task>,
}

impl Rollout<Stacking> for Ranks {
    fn run(&mut self, problem: &Stacking, state: &mut Stacks, playout: &mut Playout<u16>, rng: &mut Rng) {
        if state.choices == 0 {
            return;
        }
        let start = problem.key(state).unwrap_or(0);
        let task = self.task.take().filter(|task| {
            // What a checkpoint remembers is played by the rules before anything relies on it.
            let known = task.work.is_some() || replayed(problem, state, &task.best_moves).is_some();
            task.start == start && task.table.len() == problem.count() * TIMES && known
        });
        let mut task = match task {
            Some(task) => task.prepared(problem, state),
            None => Task::begin(problem, state, start),
        };
        // Alone at the root there is time; within another search a playout must be short.
        for _ in 0..TRIALS[usize::from(start != problem.root_key())] {
            if playout.is_cut() {
                break;
            }
            task.try_one(problem, rng);
        }
        for &mv in &task.best_moves {
            problem.apply(state, mv);
        }
        playout.moves.extend_from_slice(&task.best_moves);
        self.task = Some(task);
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(&self.task).expect("plain data is always encodable in memory")
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let Ok((task, [])) = postcard::take_from_bytes::<Option<Task>>(bytes) else {
            return Err(CheckpointError::Corrupt("a rollout of stacking"));
        };
        self.task = task;
        Ok(())
    }
}
