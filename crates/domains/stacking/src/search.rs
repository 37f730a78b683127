//! The problem's own search: annealing over ranks.

use super::model::Stacking;
use super::stacks::{NONE, Stacks};
use serde::{Deserialize, Serialize};
use soloist::problem::{Acceptance, ProblemSearch, SearchInfo, StepStatus, Unit, Work as Slice};
use soloist::rollout::replayed;
use soloist::run::CheckpointError;
use soloist::search::parameters::Schedule;
use soloist::search::{ParameterValues, Preset};
use soloist::{Method, Problem, Rng, Score};

soloist::parameter_table! {
    /// How ranks are annealed.
    pub struct Parameters {
        /// trials of the first cooling; each further one has twice as many
        steps: u64 = 8192, 1..=1_000_000_000_000;
        /// temperature at the start of a cooling, in relocations
        start: f64 = 0.5, 1e-6..=1e6;
        /// temperature at the end of a cooling
        end: f64 = 0.01, 1e-6..=1e6;
    }
}

impl Parameters {
    /// Returns the trials of a cooling.
    fn length(&self, round: u32) -> u64 {
        self.steps << round.min(20)
    }

    /// Returns the temperature after this part of a cooling.
    fn temperature_after(&self, part: f64) -> f64 {
        Schedule::Geometric.temperature(self.start, self.end, part)
    }
}

/// The search of the problem's own.
pub(crate) const RANKS: SearchInfo = SearchInfo::new::<Parameters>(
    "ranks",
    "anneals the flexibility heuristic's ranks by item: a trial changes one and replays the rest",
    "our search; S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, Science 220, 1983",
    Unit::Solution("moves tried"),
)
// A trial on ten thousand items takes some milliseconds.
.units_a_step(16);

/// The methods of the problem, for lists.
pub(crate) const METHODS: &[Preset] = &[Preset::own(&RANKS, || Method::own(&RANKS))];

/// Returns the search.
pub(crate) fn search(_: &Stacking, settings: &ParameterValues) -> Option<Box<dyn ProblemSearch<Stacking>>> {
    Some(Box::new(Ranks { parameters: settings.read().ok()?, task: None }))
}

/// States of the present solution that are kept, so that a trial replays from the one before its first change.
const SNAPSHOTS: usize = 32;
/// How often an item's rank can differ: later placements share the last one.
const TIMES: usize = 64;
/// No place in the table.
const NOWHERE: u32 = u32::MAX;

/// The value of a solution that broke off, apart from the number of items that have not left.
const BROKEN: u32 = 1 << 30;

/// The state of the annealing.
#[derive(Debug, Serialize, Deserialize)]
struct Task {
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

/// Returns the place in the table of a state's decision.
fn place(state: &Stacks) -> usize {
    let item = usize::from(state.pending);
    item * TIMES + usize::from(state.placed[item]).min(TIMES - 1)
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
    /// A trial that is being made.
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
            let place = place(state);
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
    /// Returns the heuristic's solution, all ranks being 0.
    fn begin(problem: &Stacking) -> Self {
        let table = vec![0; problem.count() * TIMES];
        Self { table, present: u32::MAX, best: u32::MAX, best_moves: Vec::new(), round: 0, trial: 0, work: None }
            .prepared(problem)
    }

    /// The same with everything that a checkpoint leaves out.
    fn prepared(mut self, problem: &Stacking) -> Self {
        let mut work = Work::new(problem, &problem.root());
        self.present = work.rebuild(problem, &self.table);
        if self.present < self.best {
            (self.best, self.best_moves) = (self.present, work.moves.clone());
        }
        self.work = Some(work);
        self
    }

    /// Continues from a solution from outside if it is better than the best one.
    fn offer(&mut self, problem: &Stacking, moves: &[u16]) {
        let (mut state, mut table) = (problem.root(), vec![0; problem.count() * TIMES]);
        for &mv in moves {
            table[place(&state)] = mv;
            problem.apply(&mut state, mv);
        }
        // A replay of large instances takes long.
        if state.relocations >= self.best {
            return;
        }
        let Some(work) = &mut self.work else { return };
        // Placements of an item that share a rank may have made it another solution.
        let value = work.rebuild(problem, &table);
        if value < self.best {
            (self.best, self.present, self.table) = (value, value, table);
            self.best_moves.clone_from(&work.moves);
        } else {
            work.rebuild(problem, &self.table);
        }
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

    /// One trial: a changed solution, kept or not. Returns whether it is the best one.
    fn try_one(&mut self, problem: &Stacking, parameters: &Parameters, rng: &mut Rng) -> bool {
        let steps = parameters.length(self.round);
        let temperature = parameters.temperature_after(self.trial as f64 / steps as f64);
        self.trial += 1;
        if self.trial == steps {
            (self.round, self.trial) = (self.round + 1, 0);
        }
        let Some(work) = &mut self.work else { return false };
        let first = Self::pick(work, rng);
        let place = work.places[first] as usize;
        let old = self.table[place];
        let back = old != 0 && rng.below(2) == 0;
        self.table[place] = if back { 0 } else { rng.index(problem.width()) as u16 };
        let limit = self.present.saturating_add(Acceptance::new(rng, temperature).limit() as u32);
        // The last state kept before the change.
        let from = (first / work.spacing).min(SNAPSHOTS - 1) * work.spacing;
        if let Some(value) = work.replay(problem, &self.table, from, limit) {
            work.accept(from);
            self.present = value;
            if self.present < self.best {
                self.best = self.present;
                self.best_moves.clone_from(&work.moves);
                return true;
            }
        } else {
            self.table[place] = old;
        }
        false
    }
}

/// Annealing over ranks: a solution is a table of ranks by item and number of its placement, 0 at first. A trial
/// changes one of them, half of the time one that led to a relocation, and replays what follows; the ranks of all other
/// items stay, so that the heuristic continues from what has changed. Relocations and inversions beyond what would be
/// accepted end a trial.
#[derive(Debug)]
struct Ranks {
    parameters: Parameters,
    task: Option<Task>,
}

impl ProblemSearch<Stacking> for Ranks {
    fn step(&mut self, problem: &Stacking, work: &mut Slice<'_, Stacking>) -> StepStatus {
        if problem.root().choices == 0 {
            work.found(&[]);
            return StepStatus::Completed;
        }
        while work.next_unit() {
            let improved = match &mut self.task {
                None => {
                    self.task = Some(Task::begin(problem));
                    true
                }
                Some(task) => task.try_one(problem, &self.parameters, work.rng()),
            };
            if let Some(task) = &self.task
                && improved
            {
                work.found(&task.best_moves);
            }
        }
        StepStatus::Running
    }

    /// The annealing continues from the solution if it is better than its own.
    fn offer(&mut self, problem: &Stacking, moves: &[u16], _: Score) {
        if !moves.is_empty() {
            self.task.get_or_insert_with(|| Task::begin(problem)).offer(problem, moves);
        }
    }

    fn gauges(&self) -> Vec<(&'static str, f64)> {
        let Some(task) = &self.task else { return Vec::new() };
        let part = task.trial as f64 / self.parameters.length(task.round) as f64;
        vec![("cooling", f64::from(task.round)), ("temperature, relocations", self.parameters.temperature_after(part))]
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(&self.task).expect("plain data is always encodable in memory")
    }

    fn load(&mut self, problem: &Stacking, bytes: &[u8]) -> Result<(), CheckpointError> {
        const WRONG: CheckpointError = CheckpointError::Corrupt("ranks of another instance");
        let Ok((task, [])) = postcard::take_from_bytes::<Option<Task>>(bytes) else { return Err(WRONG) };
        self.task = match task {
            None => None,
            Some(task) => {
                // What a checkpoint remembers is played by the rules before anything relies on it.
                let end = replayed(problem, &problem.root(), &task.best_moves).ok_or(WRONG)?;
                let value = if end.left > 0 { BROKEN + end.left } else { end.relocations };
                let whole = task.table.len() == problem.count() * TIMES && problem.root().choices > 0;
                if !whole || value != task.best || task.trial >= self.parameters.length(task.round) {
                    return Err(WRONG);
                }
                let task = task.prepared(problem);
                // The present solution is no better than the best one.
                Some(task).filter(|task| task.best == value).map(Some).ok_or(WRONG)?
            }
        };
        Ok(())
    }
}
