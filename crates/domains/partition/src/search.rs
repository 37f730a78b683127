//! The problem's own searches: the generalised birthday, and all sums of four lists.

use super::birthday::{Birthday, Buffers, Shape};
use super::limbs::{compare, lead};
use super::model::{Differencing, Labels, SPLIT};
use super::rollout::{difference, optimal};
use super::windows::{self, Windows};
use serde::{Deserialize, Serialize};
use soloist::problem::{NamedSearch, ProblemSearch, SearchInfo, StepStatus, Unit, Work};
use soloist::rollout::replayed;
use soloist::run::CheckpointError;
use soloist::search::Preset;
use soloist::{Method, Problem, Rng, Score};

soloist::parameter_table! {
    /// How lists of sums are merged.
    pub struct Lists {
        /// the binary logarithm of the length of the lists: with 20, some 30 ms a list, and 50 to 300 MiB in all
        size: u64 = 20, 8..=24;
    }
}

soloist::parameter_table! {
    /// How sums are divided into windows.
    pub struct Shares {
        /// the binary logarithm of the sums in a window
        size: u64 = 18, 4..=22;
    }
}

/// Returns the searches, the best general one first.
pub(crate) fn searches() -> Vec<NamedSearch<Differencing>> {
    vec![
        NamedSearch::new(K_LIST, |_, settings| {
            let parameters: Lists = settings.read().ok()?;
            Some(search(Progress::Lists(parameters.size as u32, Box::default())))
        }),
        NamedSearch::new(FOUR_LISTS, |_, settings| {
            let parameters: Shares = settings.read().ok()?;
            Some(search(Progress::Windows(Windows::new(parameters.size as u32))))
        }),
    ]
}

const K_LIST: SearchInfo = SearchInfo::new::<Lists>(
    "k-list",
    "generalised birthday: lists of small signed sums are merged, construction after construction",
    "D. Wagner, CRYPTO 2002; the constructions are ours",
    Unit::Node("sums"),
)
.units_a_step(1 << 18);

const FOUR_LISTS: SearchInfo = SearchInfo::new::<Shares>(
    "four-lists",
    "all divisions as sums of four lists, window by window: a proof for some 50 to 64 numbers",
    "R. Schroeppel and A. Shamir, SIAM Journal on Computing 10, 1981",
    Unit::Node("sums"),
)
.units_a_step(1 << 18)
.exact();

/// The methods of the problem, for lists.
pub(crate) const METHODS: &[Preset] =
    &[Preset::own(&K_LIST, || Method::own(&K_LIST)), Preset::own(&FOUR_LISTS, || Method::own(&FOUR_LISTS))];

/// Returns a search in that state.
fn search(progress: Progress) -> Box<dyn ProblemSearch<Differencing>> {
    Box::new(AnytimeSolver { progress, best: None })
}

/// The labels that are divided optimally at once instead of by lists.
const FEW: usize = 40;

/// A construction of the generalised birthday in progress.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Construction {
    /// Constructions that have ended.
    ended: u32,
    /// The seed of the present one. `None`: the next one has not begun.
    seed: Option<u64>,
    /// Its steps so far.
    steps: u32,
    /// Made from seed and steps where it is missing.
    #[serde(skip)]
    lists: Option<Merging>,
    /// The sums of the last step.
    #[serde(skip)]
    sums: u64,
    /// What the construction before has left.
    #[serde(skip)]
    buffers: Buffers,
}

/// A construction and the labels it works on.
#[derive(Debug)]
struct Merging {
    birthday: Birthday,
    /// The state that the labels are of, some of those played differenced first.
    labels: Labels,
    /// Moves from the root to it.
    before: usize,
}

/// How far a search has come.
#[derive(Debug, Serialize, Deserialize)]
enum Progress {
    /// The size of the lists, and the construction.
    Lists(u32, Box<Construction>),
    Windows(Windows),
}

/// The best moves and their difference.
#[derive(Debug, Serialize, Deserialize)]
struct Best {
    moves: Vec<u16>,
    difference: Vec<u64>,
}

/// One of the searches.
#[derive(Debug)]
struct AnytimeSolver {
    progress: Progress,
    /// `None`: before the first step.
    best: Option<Best>,
}

impl AnytimeSolver {
    /// Keeps a solution if it is better: `moves` to the state `from`, whose labels (ascending) then lie as `right`
    /// says. Returns whether it is.
    fn keep(&mut self, problem: &Differencing, from: &Labels, moves: Vec<u16>, right: &[bool]) -> bool {
        let (end, moves) = played(problem, from, moves, right);
        self.keep_end(problem, &end, moves)
    }

    fn keep_end(&mut self, problem: &Differencing, end: &Labels, moves: Vec<u16>) -> bool {
        let difference = problem.difference(end);
        let better = self.best.as_ref().is_none_or(|best| compare(&difference, &best.difference).is_lt());
        if better {
            self.best = Some(Best { moves, difference });
        }
        better
    }

    /// Works on up to the next solution that may be better; returns whether it is, and the end of the search if it has
    /// come.
    fn advance(&mut self, problem: &Differencing, work: &mut Work<'_, Differencing>) -> (bool, bool) {
        let root = problem.root();
        match &mut self.progress {
            Progress::Windows(windows) => {
                let few = FewLabels::new(problem, &root);
                let all = || few.values.iter().sum();
                let incumbent = self.best.as_ref().map_or_else(all, |best| lead(&best.difference) >> few.shift);
                let found = windows.advance(&few.values, incumbent);
                work.spend(found.sums.max(1));
                let better = found.right.is_some_and(|right| self.keep(problem, &few.labels, few.moves, &right));
                if found.ended && !few.is_exact {
                    work.leave_out(None);
                }
                (better, found.ended)
            }
            Progress::Lists(..) if root.len() <= FEW => {
                // Few enough to be divided optimally at once.
                work.spend(1 << root.len().div_ceil(2));
                (self.keep(problem, &root, Vec::new(), &optimal(&root)), true)
            }
            Progress::Lists(size, construction) => {
                let seed = *construction.seed.get_or_insert_with(|| work.rng().next_u64());
                // The first constructions are small, so that something good is found at once; all of them take as long
                // as two of the full size.
                let size = (*size).min(12 + construction.ended / 2);
                let found = construction.step(problem, &root, size, seed);
                work.spend(construction.sums.max(1));
                let Some((labels, before, right)) = found else { return (false, false) };
                let (end, moves) = played(problem, &labels, vec![SPLIT; before], &right);
                // Every construction is a solution, and so a playout.
                work.found(&moves);
                self.keep_end(problem, &end, moves);
                (false, false)
            }
        }
    }
}

/// As many labels as four lists can hold, and what they are worth as whole numbers.
struct FewLabels {
    labels: Labels,
    /// The moves to them.
    moves: Vec<u16>,
    /// The labels without their lowest bits.
    values: Vec<u128>,
    shift: u32,
    /// Whether these are all labels, and nothing is cut off.
    is_exact: bool,
}

impl FewLabels {
    fn new(problem: &Differencing, root: &Labels) -> Self {
        let (mut labels, mut moves) = (root.clone(), Vec::new());
        while labels.len() > windows::MOST && !problem.finished(&labels) {
            problem.combine(&mut labels, SPLIT);
            moves.push(SPLIT);
        }
        // Labels are multiples of a power of two; sums have 124 bits.
        let keys = labels.keys();
        let zeros = keys.iter().fold(0, |all, key| all | key).trailing_zeros().min(127);
        let total: u128 = keys.iter().sum();
        let shift = zeros.max(4_u32.saturating_sub(total.leading_zeros()));
        let values = keys.iter().map(|key| key >> shift).collect();
        let is_exact = problem.is_exact() && moves.is_empty() && shift == zeros;
        Self { values, labels, moves, shift, is_exact }
    }
}

/// Returns the end of a solution and its moves: `moves` to the state `from`, whose labels (ascending) then lie as
/// `right` says.
fn played(problem: &Differencing, from: &Labels, mut moves: Vec<u16>, right: &[bool]) -> (Labels, Vec<u16>) {
    let mut by_slot = vec![false; problem.count()];
    from.slots().iter().zip(right).for_each(|(&slot, &side)| by_slot[usize::from(slot)] = side);
    let mut end = from.clone();
    problem.follow(&mut end, &by_slot, &mut moves);
    (end, moves)
}

impl Construction {
    /// Does a step. At the end of the construction: the labels it works on, the moves to them, and their sides.
    fn step(
        &mut self,
        problem: &Differencing,
        root: &Labels,
        size: u32,
        seed: u64,
    ) -> Option<(Labels, usize, Vec<bool>)> {
        let buffers = &mut self.buffers;
        let lists = self.lists.get_or_insert_with(|| {
            let mut lists = Merging::new(problem, root, size, seed, std::mem::take(buffers));
            // After a checkpoint: the steps that were done.
            self.steps = self.steps.min(lists.birthday.steps() as u32 - 1);
            for _ in 0..self.steps {
                lists.birthday.step();
            }
            lists
        });
        self.steps += 1;
        let before = lists.birthday.sums();
        let right = lists.birthday.step();
        self.sums = lists.birthday.sums() - before;
        let right = right?;
        let Merging { birthday, labels, before } = self.lists.take()?;
        let buffers = birthday.into_buffers();
        *self = Self { ended: self.ended.saturating_add(1), buffers, sums: self.sums, ..Self::default() };
        Some((labels, before, right))
    }
}

impl Merging {
    fn new(problem: &Differencing, state: &Labels, size: u32, seed: u64, buffers: Buffers) -> Self {
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
        Self { birthday: Birthday::new(&exact, shape, &mut rng, buffers), labels, before: made }
    }
}

impl ProblemSearch<Differencing> for AnytimeSolver {
    fn step(&mut self, problem: &Differencing, work: &mut Work<'_, Differencing>) -> StepStatus {
        let root = problem.root();
        if self.best.is_none() {
            let mut end = root.clone();
            let moves = vec![SPLIT; difference(problem, &mut end)];
            work.found(&moves);
            self.keep_end(problem, &end, moves);
        }
        if problem.finished(&root) {
            // There is one solution. Large leaves are divided on leading bits where these do not hold all.
            if !problem.is_exact() && root.len() > 4 && !problem.dominated(&root) {
                work.leave_out(None);
            }
            return work.covered().map_or(StepStatus::Completed, StepStatus::Exhausted);
        }
        while work.quota() > 0 {
            let (better, ended) = self.advance(problem, work);
            if let Some(best) = &self.best
                && better
            {
                // Differences are compared exactly, of which scores are not capable.
                work.found_finer(&best.moves);
            }
            if ended {
                if !problem.is_exact() {
                    work.leave_out(None);
                }
                return work.covered().map_or(StepStatus::Completed, StepStatus::Exhausted);
            }
            // Between two of these some ten milliseconds pass.
            if work.is_cut() {
                break;
            }
        }
        StepStatus::Running
    }

    /// Only better solutions are found from then on.
    fn offer(&mut self, problem: &Differencing, moves: &[u16], _: Score) {
        let mut end = problem.root();
        moves.iter().for_each(|&mv| problem.apply(&mut end, mv));
        self.keep_end(problem, &end, moves.to_vec());
    }

    fn gauges(&self) -> Vec<(&'static str, f64)> {
        match &self.progress {
            Progress::Lists(_, construction) => vec![("constructions", f64::from(construction.ended))],
            _ => Vec::new(),
        }
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(&(&self.progress, &self.best)).expect("plain data is always encodable in memory")
    }

    fn load(&mut self, problem: &Differencing, bytes: &[u8]) -> Result<(), CheckpointError> {
        const WRONG: CheckpointError = CheckpointError::Corrupt("a search of another partition");
        let Ok(((progress, best), [])) = postcard::take_from_bytes::<(Progress, Option<Best>)>(bytes) else {
            return Err(WRONG);
        };
        let fits = match (&progress, &self.progress) {
            (Progress::Lists(size, _), Progress::Lists(own, _)) => size == own,
            (Progress::Windows(windows), Progress::Windows(own)) => windows.continues(own),
            _ => false,
        };
        // What a checkpoint remembers is played by the rules before anything relies on it.
        let same = |best: &Best| {
            let end = replayed(problem, &problem.root(), &best.moves);
            end.is_some_and(|end| problem.difference(&end) == best.difference)
        };
        if !fits || !best.as_ref().is_none_or(same) {
            return Err(WRONG);
        }
        (self.progress, self.best) = (progress, best);
        Ok(())
    }
}
