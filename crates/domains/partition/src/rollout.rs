//! Playout policies: differencing, the tree's kernels, meeting in the middle and the generalised birthday.

use super::birthday::{Birthday, Shape};
use super::limbs::compare;
use super::meet;
use super::problem::{Differencing, JOIN, Labels, SPLIT};
use super::tree::{DepthFirst, Discrepancies};
use serde::{Deserialize, Serialize};
use soloist::{CheckpointError, Playout, Problem, Rng, Rollout, RolloutInfo, replayed};

/// What [`Problem::rollouts`] lists.
pub(crate) const INFO: &[RolloutInfo] = &[
    RolloutInfo {
        name: "kk",
        help: "the Karmarkar-Karp heuristic: splits to the end. kk:30: to 30 labels (5 to 40), which are divided optimally",
    },
    RolloutInfo {
        name: "k-list",
        help: "generalised birthday: lists of small signed sums, merged; a part of a construction a playout, the best so far \
               played. k-list:20 ends with lists of 2^20",
    },
    RolloutInfo {
        name: "ckk",
        help: "depth-first search on leading bits, 2^20 nodes a playout, the best so far played",
    },
    RolloutInfo { name: "lds", help: "as ckk, in the order of limited discrepancies: leaves with 0, 1, 2, ... joins" },
    RolloutInfo {
        name: "meet",
        help: "differencing with few random joins down to 36 labels, which are divided optimally; meet:40 for 40 labels",
    },
    RolloutInfo { name: "random", help: "splits and joins with equal chances" },
];

/// A policy by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// `kk`.
    Heuristic,
    /// `kk:LABELS`.
    Divided(usize),
    /// `ckk`.
    DepthFirst,
    /// `lds`.
    Discrepancies,
    /// `meet:LABELS`.
    Meet(usize),
    /// `k-list:SIZE`.
    Lists(u32),
}

/// Lists of 2^20 sums unless another size is asked for: some 30 ms a step, 50 to 300 MiB.
const LISTS: u32 = 20;
/// Labels that `meet` leaves.
const MEET: usize = 36;

impl Plan {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let (kind, argument) = name.split_once(':').map_or((name, None), |(kind, argument)| (kind, Some(argument)));
        let number = |least: usize, most: usize, default: usize| match argument {
            None => Some(default),
            Some(text) => {
                let digits = !text.is_empty() && text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
                text.parse().ok().filter(|number| digits && (least..=most).contains(number))
            }
        };
        match (kind, argument) {
            ("kk", None) => Some(Self::Heuristic),
            ("kk", _) => number(5, 40, 0).map(Self::Divided),
            ("ckk", None) => Some(Self::DepthFirst),
            ("lds", None) => Some(Self::Discrepancies),
            ("meet", _) => number(5, 48, MEET).map(Self::Meet),
            ("k-list", _) => number(8, 24, LISTS as usize).map(|size| Self::Lists(size as u32)),
            _ => None,
        }
    }
}

pub(crate) fn build(plan: Plan, problem: &Differencing) -> Box<dyn Rollout<Differencing>> {
    match plan {
        Plan::Heuristic => Box::new(Heuristic::new(problem.words())),
        Plan::Divided(labels) => Box::new(Divided { labels, known: vec![None; Heuristic::PLACES], is_spent: false }),
        _ => Box::new(Worker::new(plan)),
    }
}

/// The Karmarkar-Karp heuristic. A state has the same completion as the state it was split from: completions are
/// remembered by the joins on the way.
#[derive(Debug)]
struct Heuristic {
    /// The joins, and the depth of the completion; by a hash of the joins.
    known: Vec<Option<(u64, u32)>>,
    /// The words of the differences.
    differences: Vec<u64>,
    words: usize,
}

impl Heuristic {
    const PLACES: usize = 1 << 12;

    fn new(words: usize) -> Self {
        Self { known: vec![None; Self::PLACES], differences: vec![0; words * Self::PLACES], words }
    }
}

/// Splits `state` to its end; returns the moves made.
fn difference(problem: &Differencing, state: &mut Labels) -> usize {
    let mut moves = 0;
    while !problem.finished(state) {
        problem.combine(state, SPLIT);
        moves += 1;
    }
    moves
}

impl Rollout<Differencing> for Heuristic {
    fn run(&mut self, problem: &Differencing, state: &mut Labels, playout: &mut Playout<u16>, _: &mut Rng) {
        if problem.finished(state) {
            return;
        }
        let joins = state.joins();
        let place = (joins >> 13) as usize % Self::PLACES;
        let own = place * self.words..(place + 1) * self.words;
        let depth = state.depth();
        let moves = match self.known[place] {
            Some((known, end)) if known == joins && end >= depth => {
                problem.finish_with(state, &self.differences[own], end);
                (end - depth) as usize
            }
            _ => {
                let moves = difference(problem, state);
                let end = state.depth();
                let value = problem.difference(state);
                problem.finish_with(state, &value, end);
                self.differences[own].copy_from_slice(&value);
                self.known[place] = Some((joins, end));
                moves
            }
        };
        playout.moves.resize(playout.moves.len() + moves, SPLIT);
    }
}

/// A completion by [`Divided`].
#[derive(Clone, Debug)]
struct Division {
    joins: u64,
    /// The depth at which few labels are left.
    few: u32,
    /// The moves from there on, and the difference.
    moves: Vec<u16>,
    difference: Vec<u64>,
}

/// Differencing until few labels are left, which are divided optimally (on their leading 128 bits). Completions are
/// remembered as by [`Heuristic`].
#[derive(Debug)]
struct Divided {
    labels: usize,
    known: Vec<Option<Division>>,
    is_spent: bool,
}

impl Rollout<Differencing> for Divided {
    fn run(&mut self, problem: &Differencing, state: &mut Labels, playout: &mut Playout<u16>, _: &mut Rng) {
        self.is_spent = state.len() <= self.labels;
        // Of a state with fewer labels the best completion is not that of the states above.
        let starts_above = state.len() >= self.labels;
        let (joins, depth) = (state.joins(), state.depth());
        let known = &mut self.known[(joins >> 13) as usize % Heuristic::PLACES];
        if let Some(division) = known
            && division.joins == joins
            && division.few >= depth
        {
            playout.moves.resize(playout.moves.len() + (division.few - depth) as usize, SPLIT);
            playout.moves.extend_from_slice(&division.moves);
            problem.finish_with(state, &division.difference, division.few + division.moves.len() as u32);
            return;
        }
        while state.len() > self.labels && !problem.finished(state) {
            problem.combine(state, SPLIT);
            playout.moves.push(SPLIT);
        }
        if problem.finished(state) {
            return;
        }
        let few = state.depth();
        let mut right = vec![false; problem.count()];
        for (side, &slot) in optimal(state).into_iter().zip(state.slots()) {
            right[usize::from(slot)] = side;
        }
        let mut moves = Vec::new();
        problem.follow(state, &right, &mut moves);
        playout.moves.extend_from_slice(&moves);
        if starts_above {
            let difference = problem.difference(state);
            *known = Some(Division { joins, few, moves, difference });
        }
    }

    fn is_spent(&self) -> bool {
        self.is_spent
    }
}

/// A construction of the generalised birthday in progress.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Construction {
    /// Constructions that have ended.
    ended: u32,
    /// What the present one draws from; none between two.
    seed: Option<u64>,
    /// Its steps so far.
    steps: u32,
    /// Made from seed and steps where it is missing.
    #[serde(skip)]
    lists: Option<Lists>,
}

/// A construction and the labels it works on.
#[derive(Debug)]
struct Lists {
    birthday: Birthday,
    /// The state that the labels are of, some of those played differenced first.
    labels: Labels,
    /// Moves from the worker's start to it.
    before: usize,
}

/// What a worker keeps between playouts.
#[derive(Debug, Serialize, Deserialize)]
enum Progress {
    DepthFirst(DepthFirst),
    Discrepancies(Discrepancies),
    Meet { playouts: u64 },
    Lists(Construction),
}

/// Everything that belongs to one state worked on.
#[derive(Debug, Serialize, Deserialize)]
struct Task {
    depth: u32,
    joins: u64,
    progress: Progress,
    /// The best moves from there and their difference.
    moves: Vec<u16>,
    difference: Vec<u64>,
}

/// A policy that works on, playout after playout, as long as it is asked to complete the same state; each playout ends
/// with the best completion known.
#[derive(Debug)]
struct Worker {
    plan: Plan,
    task: Option<Task>,
    /// Whether the task comes from a checkpoint and was not looked at yet.
    is_restored: bool,
}

impl Worker {
    fn new(plan: Plan) -> Self {
        Self { plan, task: None, is_restored: false }
    }

    /// The task of `state`, with the heuristic completion.
    fn begin(&self, problem: &Differencing, state: &Labels) -> Task {
        let progress = match self.plan {
            Plan::DepthFirst | Plan::Heuristic | Plan::Divided(_) => {
                Progress::DepthFirst(DepthFirst::new(state.keys(), problem.least()))
            }
            Plan::Discrepancies => Progress::Discrepancies(Discrepancies::new(state.keys(), problem.least())),
            Plan::Meet(_) => Progress::Meet { playouts: 0 },
            Plan::Lists(_) => Progress::Lists(Construction::default()),
        };
        let mut end = state.clone();
        let moves = vec![SPLIT; difference(problem, &mut end)];
        let difference = problem.difference(&end);
        Task { depth: state.depth(), joins: state.joins(), progress, moves, difference }
    }
}

impl Task {
    /// Keeps a completion if it is better: `moves` to the state `from`, whose labels (ascending) then lie as `right`
    /// says.
    fn offer(&mut self, problem: &Differencing, from: &Labels, mut moves: Vec<u16>, right: &[bool]) {
        let mut by_slot = vec![false; problem.count()];
        from.slots().iter().zip(right).for_each(|(&slot, &side)| by_slot[usize::from(slot)] = side);
        let mut end = from.clone();
        problem.follow(&mut end, &by_slot, &mut moves);
        let difference = problem.difference(&end);
        if compare(&difference, &self.difference).is_lt() {
            (self.moves, self.difference) = (moves, difference);
        }
    }

    /// Works on for one playout.
    fn work(&mut self, problem: &Differencing, state: &Labels, plan: Plan, rng: &mut Rng) {
        // Alone at the root there is time; within another search a playout must be short.
        let root = state.depth() == 0;
        let nodes = if root { 1 << 20 } else { 1 << 12 };
        let improved = match &mut self.progress {
            Progress::DepthFirst(search) => {
                search.advance(nodes);
                search.improved()
            }
            Progress::Discrepancies(search) => {
                search.advance(nodes);
                search.improved()
            }
            Progress::Meet { playouts } => {
                *playouts += 1;
                let joins = *playouts - 1;
                let Plan::Meet(most) = plan else { return };
                self.meet(problem, state, joins.min(rng.below(6)), most, rng);
                None
            }
            Progress::Lists(_) => {
                let Plan::Lists(size) = plan else { return };
                self.lists(problem, state, if root { size } else { size.min(12) }, root, rng);
                None
            }
        };
        if let Some(right) = improved {
            self.offer(problem, state, Vec::new(), &right);
        }
    }

    /// Differences the labels to `most`, with some joins at random places, and divides those optimally.
    fn meet(&mut self, problem: &Differencing, state: &Labels, joins: u64, most: usize, rng: &mut Rng) {
        let mut labels = state.clone();
        let mut moves = Vec::new();
        let steps = labels.len().saturating_sub(most);
        let places: Vec<usize> = (0..joins).map(|_| rng.index(steps.max(1))).collect();
        while labels.len() > most && !problem.finished(&labels) {
            let mv = if places.contains(&moves.len()) { JOIN } else { SPLIT };
            problem.apply(&mut labels, mv);
            moves.push(mv);
        }
        let right = if problem.finished(&labels) { Vec::new() } else { optimal(&labels) };
        self.offer(problem, &labels, moves, &right);
    }

    /// Does a step of a construction, or, if not at the `root`, a whole one.
    fn lists(&mut self, problem: &Differencing, state: &Labels, size: u32, root: bool, rng: &mut Rng) {
        let Progress::Lists(own) = &mut self.progress else { return };
        if state.len() <= MEET + 4 {
            // Few enough to be divided optimally at once.
            if own.ended == 0 {
                own.ended = 1;
                let right = optimal(state);
                self.offer(problem, state, Vec::new(), &right);
            }
            return;
        }
        let seed = *own.seed.get_or_insert_with(|| rng.next_u64());
        // The first constructions are small, so that something good is found at once; all of them take as long as two
        // of the full size.
        let size = if root { size.min(12 + own.ended / 2) } else { size };
        loop {
            let done = own.steps;
            let lists = own.lists.get_or_insert_with(|| {
                let mut lists = Lists::new(problem, state, size, seed);
                // After a checkpoint: the steps that were done.
                for _ in 0..done {
                    lists.birthday.step();
                }
                lists
            });
            own.steps += 1;
            if let Some(right) = lists.birthday.step() {
                let (labels, before) = (lists.labels.clone(), lists.before);
                *own = Construction { ended: own.ended.saturating_add(1), ..Construction::default() };
                self.offer(problem, &labels, vec![SPLIT; before], &right);
                return;
            }
            if root {
                return;
            }
        }
    }
}

impl Lists {
    fn new(problem: &Differencing, state: &Labels, size: u32, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut labels = state.clone();
        let spread = |labels: &Labels| {
            let unit = libm::exp2(-f64::from(problem.scale().min(127)));
            let squares = labels.keys().iter().map(|&key| (key as f64 * unit) * (key as f64 * unit)).sum::<f64>();
            let words = 64.0 * (problem.words() - 2) as f64;
            0.5 * libm::log2(squares.max(1e-300)) + words
        };
        // No larger lists than a difference of about 1 needs.
        let (count, spread) = (labels.len(), spread(&labels));
        let mut shapes = (8..size).map(|size| Shape::best(size, count, spread));
        let enough = shapes.find(|shape| shape.expected(count, spread) < -4.0);
        let shape = enough.unwrap_or_else(|| Shape::best(size, count, spread));
        // Groups have a limited size: what is too much is differenced.
        let before = shape.excess(count);
        let mut made = 0;
        while made < before && !problem.finished(&labels) {
            problem.combine(&mut labels, SPLIT);
            made += 1;
        }
        let exact: Vec<Vec<u64>> = (0..labels.len()).map(|at| problem.label(&labels, at)).collect();
        Self { birthday: Birthday::new(&exact, shape, &mut rng), labels, before: made }
    }
}

/// The sides of an optimal division of the leading bits of at most 64 labels.
fn optimal(labels: &Labels) -> Vec<bool> {
    let set = meet::solve(labels.keys()).1;
    (0..labels.len()).map(|at| set >> at & 1 == 1).collect()
}

impl Rollout<Differencing> for Worker {
    fn run(&mut self, problem: &Differencing, state: &mut Labels, playout: &mut Playout<u16>, rng: &mut Rng) {
        if problem.finished(state) {
            return;
        }
        // What a checkpoint remembers is played by the rules before anything relies on it.
        let is_restored = std::mem::take(&mut self.is_restored);
        let same = |task: &Task| {
            (task.depth, task.joins) == (state.depth(), state.joins())
                && (!is_restored || task.moves.is_empty() || replayed(problem, state, &task.moves).is_some())
        };
        let mut task = self.task.take().filter(same).unwrap_or_else(|| self.begin(problem, state));
        task.work(problem, state, self.plan, rng);
        for &mv in &task.moves {
            problem.combine(state, mv);
        }
        playout.moves.extend_from_slice(&task.moves);
        self.task = Some(task);
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(&self.task).expect("plain data is always encodable in memory")
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let wrong = CheckpointError::Corrupt("a rollout of a partition");
        let (task, []) = postcard::take_from_bytes::<Option<Task>>(bytes)
            .map_err(|_| CheckpointError::Corrupt("a rollout of a partition"))?
        else {
            return Err(wrong);
        };
        let fits = task.as_ref().is_none_or(|task| {
            matches!(
                (&task.progress, self.plan),
                (Progress::DepthFirst(_), Plan::DepthFirst)
                    | (Progress::Discrepancies(_), Plan::Discrepancies)
                    | (Progress::Meet { .. }, Plan::Meet(_))
                    | (Progress::Lists(_), Plan::Lists(_))
            )
        });
        if !fits {
            return Err(wrong);
        }
        self.task = task;
        self.is_restored = true;
        Ok(())
    }
}
