//! The problem's own search, which keeps a packing and improves it.

use super::bin::Bin;
use super::board::{Board, Stock};
use super::contents::{Contents, Scratch};
use super::encoder::MoveEncoder;
use super::instance::{Piece, Tubes, encode};
use super::model::{Layout, Objective, Packing};
use super::overlap::OverlapSolver;
use super::rollout::{Greedy, bundle, inside};
use serde::{Deserialize, Serialize};
use soloist::problem::{ProblemSearch, SearchInfo, StepStatus, Unit, Work as Slice};
use soloist::rollout::{Rollout, replayed};
use soloist::run::CheckpointError;
use soloist::search::parameters::Schedule;
use soloist::search::{ParameterValues, Preset};
use soloist::{Method, Problem, Rng, Score};

soloist::parameter_table! {
    /// How packings are improved.
    pub struct Parameters {
        /// moves tried between two semi-greedy packings; each packing may become the best one
        round: u64 = 200, 1..=1_000_000_000;
        /// moves tried in the first annealing; each further one has half as many more
        steps: u64 = 2_000, 1..=1_000_000_000_000;
        /// temperature at the beginning of an annealing, in parts of a piece's mean value
        start: f64 = 0.1, 1e-6..=1e3;
        /// temperature at the end of an annealing
        end: f64 = 0.01, 1e-6..=1e3;
        /// share of the moves that push all tubes
        squeeze: f64 = 0.6, 0.0..=1.0;
    }
}

/// The search for the objective `value`.
pub(crate) const REFINE: SearchInfo = info(Unit::Solution("moves tried"));
/// The search for `containers`: a move is one of a container among several, a solution is a sequence of containers.
pub(crate) const FILL: SearchInfo = info(Unit::Node("moves tried"));

const fn info(unit: Unit) -> SearchInfo {
    SearchInfo::new::<Parameters>(
        "refine",
        "ruin and recreation in place: annealing of the tubes' positions, the best packing brought into moves",
        "our search; after G. Schrimpf et al., Journal of Computational Physics 159, 2000",
        unit,
    )
    .units_a_step(200)
}

/// The methods of the problem, for lists.
pub(crate) const METHODS: &[Preset] = &[Preset::own(&REFINE, || Method::own(&REFINE))];

/// Returns the search.
pub(crate) fn search(_: &Packing, settings: &ParameterValues) -> Option<Box<dyn ProblemSearch<Packing>>> {
    let (parameters, greedy) = (settings.read().ok()?, Greedy::named("semi-greedy")?);
    Some(Box::new(Refine { parameters, greedy, memory: Memory::default(), work: None }))
}

/// Tubes that lie directly in a container, for it to be refined; fewest containers: a quarter of all tubes.
const LARGE: usize = 500;

/// What lasts from step to step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Memory {
    /// The pieces of the annealing.
    now: Vec<Piece>,
    /// The best pieces of this annealing.
    peak: Vec<Piece>,
    /// Moves tried in this annealing, and how many it has.
    step: u64,
    length: u64,
    /// Moves tried since the last semi-greedy packing.
    tried: u64,
    /// Whether `peak` is newer than what was last brought into order.
    fresh: bool,
    /// The best packing of all that moves can name: tubes left, moves, value, and the pieces that it came from.
    left: Vec<u32>,
    moves: Vec<u64>,
    value: f64,
    pieces: Vec<Piece>,
}

/// Rounds of one semi-greedy packing, then some moves of annealing in place (ruin and recreate): a few neighbouring
/// tubes of the container are taken out, the hole is filled in another way from candidate positions, and the result is
/// kept by Metropolis' rule. In most moves a tube is added, changes its type, or two are exchanged instead, and all
/// tubes move until none overlap ([`OverlapSolver`]), if they can.
///
/// Contents of tubes are counts: a tube counts with the best bundle for its type, or with what the tubes offered allow.
/// Positions in place may be such that no move names them, so at the end of a round a new best packing slides into a
/// corner and is brought into an order in which every tube touches two things placed before; tubes that still float
/// move to the nearest such place. Annealings follow each other, each half as long again as the one before.
///
/// For fewest containers each step fills container after container, by annealings of their own. Where more than 500
/// tubes lie directly in the container, or 2,000 are to be packed into the fewest containers, packings are semi-greedy.
#[derive(Debug)]
struct Refine {
    parameters: Parameters,
    greedy: Greedy,
    memory: Memory,
    /// Made when they are first needed.
    work: Option<Work>,
}

/// What can be computed from the memory at any time.
#[derive(Debug)]
struct Work {
    board: Board,
    bin: Bin,
    encoder: MoveEncoder,
    scratch: Scratch,
    solver: OverlapSolver,
    /// The value of [`Memory::peak`].
    peak: f64,
}

/// Brings pieces of a container into an order, fills their hulls, and appends the moves. `remaining` are the tubes
/// offered, then those left.
pub(crate) fn emit(
    problem: &Packing,
    pieces: &[Piece],
    corner: usize,
    encoder: &mut MoveEncoder,
    bin: &mut Bin,
    remaining: &mut [u32],
    moves: &mut Vec<u64>,
) {
    let kit = &problem.kit;
    encoder.start(kit, kit.container, pieces, corner);
    bin.reset(kit.container);
    encoder.settle(kit, bin);
    let mut reserved = vec![0_u32; kit.len()];
    for piece in encoder.rest() {
        reserved[piece.kind as usize] += 1;
    }
    loop {
        let next = encoder.next(kit, bin, |kind| remaining[kind as usize] > 0);
        // Nothing that still has a place may stay outside.
        let next = next.or_else(|| {
            reserved.fill(0);
            let has_place = |&kind: &u16| {
                let k = kind as usize;
                remaining[k] > 0
                    && kit.container.admits(kit.outer[k], kit.slack)
                    && !bin.candidates(k, kit.outer[k]).is_empty()
            };
            let kind = kit.by_size.iter().copied().find(has_place)?;
            Some((kind, bin.listed(kind as usize)[0]))
        });
        let Some((kind, spot)) = next else { return };
        let spot = bin.find(kind as usize, spot.place).unwrap_or(spot);
        bin.add(kind, spot.x, spot.y, kit.outer[kind as usize]);
        moves.push(encode(kind, spot.place));
        remaining[kind as usize] -= 1;
        // Pieces that were dropped are no longer waited for.
        reserved.fill(0);
        for piece in encoder.rest() {
            reserved[piece.kind as usize] += 1;
        }
        fill_hull(problem, kind as usize, &reserved, remaining, moves);
    }
}

/// Fills a hull with the most valuable contents that the tubes left allow; those reserved for the container only where
/// there is room for nothing else.
fn fill_hull(problem: &Packing, hull: usize, reserved: &[u32], remaining: &mut [u32], moves: &mut Vec<u64>) {
    let kit = &problem.kit;
    let available = |remaining: &[u32], kind: usize| remaining[kind].saturating_sub(reserved[kind]);
    let own = |remaining: &[u32], kind: usize| available(remaining, kind) + u32::from(kind == hull);
    if problem.contents.has_bundle(hull, |kind| own(remaining, kind)) {
        return bundle(problem, hull, remaining, moves);
    }
    let shape = inside(problem, hull);
    let fits = |remaining: &[u32], kind: usize| remaining[kind] > 0 && shape.admits(kit.outer[kind], kit.slack);
    if !(0..kit.len()).any(|kind| fits(remaining, kind)) {
        return;
    }
    let mut bin = Bin::new(shape, kit.len(), kit.cell, kit.slack);
    let put = |bin: &mut Bin, kind: usize, place: u64, remaining: &mut [u32], moves: &mut Vec<u64>| {
        let Some(spot) = bin.find(kind, place) else { return };
        bin.add(kind as u16, spot.x, spot.y, kit.outer[kind]);
        moves.push(encode(kind as u16, spot.place));
        remaining[kind] -= 1;
        fill_hull(problem, kind, reserved, remaining, moves);
    };
    if let Some((filling, _)) = problem.contents.choose(hull, |kind| available(remaining, kind)) {
        for piece in &filling.pieces {
            let kind = piece.kind as usize;
            if available(remaining, kind) == 0 {
                continue;
            }
            let first = bin.len() == 0;
            let list = bin.candidates(kind, kit.outer[kind]);
            let list = if first { &list[..list.len().min(1)] } else { list };
            if let Some((spot, _)) = super::bin::nearest(list, piece.x, piece.y) {
                put(&mut bin, kind, spot.place, remaining, moves);
            }
        }
    }
    for reserved_too in [false, true] {
        for &kind in &kit.by_size {
            let kind = kind as usize;
            while fits(remaining, kind) && (reserved_too || available(remaining, kind) > 0) {
                let Some(spot) = bin.candidates(kind, kit.outer[kind]).first().copied() else { break };
                put(&mut bin, kind, spot.place, remaining, moves);
            }
        }
    }
}

/// Returns the value of these numbers of pieces in the container, contents included.
fn valued<'a>(
    kit: &'a Tubes,
    contents: &'a Contents,
    offer: &'a [u32],
    scratch: &'a mut Scratch,
) -> impl FnMut(&[u32]) -> f64 + 'a {
    |counts| contents.total(kit, offer, counts, scratch)
}

/// Moves tried between two looks at the limits of the run.
const EVERY: u64 = 64;

impl Parameters {
    /// The temperature after this part of an annealing.
    fn temperature(&self, board: &Board, part: f64) -> f64 {
        let mean = board.value / board.pieces.len().max(1) as f64;
        Schedule::Geometric.temperature(mean * self.start, mean * self.end, part).max(f64::MIN_POSITIVE)
    }

    /// Tries one move when this part of an annealing is over.
    fn try_one(
        &self,
        board: &mut Board,
        solver: &mut OverlapSolver,
        stock: Stock<'_>,
        value: &mut impl FnMut(&[u32]) -> f64,
        part: f64,
        rng: &mut Rng,
    ) {
        let temperature = self.temperature(board, part);
        if rng.chance(self.squeeze) {
            board.squeeze(stock, value, temperature, solver, rng);
        } else {
            board.step(stock, value, temperature, rng);
        }
    }
}

impl Refine {
    fn work(problem: &Packing, memory: &Memory) -> Work {
        let kit = &problem.kit;
        let mut scratch = Scratch::default();
        let mut board = Board::new(kit, kit.container);
        board.set(&memory.peak, &mut valued(kit, &problem.contents, &kit.demand, &mut scratch));
        let peak = board.value;
        board.set(&memory.now, &mut valued(kit, &problem.contents, &kit.demand, &mut scratch));
        let bin = Bin::new(kit.container, kit.len(), kit.cell, kit.slack);
        Work { board, bin, encoder: MoveEncoder::default(), scratch, solver: OverlapSolver::default(), peak }
    }

    /// Whether what was loaded from a checkpoint is of this problem.
    fn is_sound(&self, problem: &Packing) -> bool {
        let Memory { now, peak, pieces, left, moves, value, step, length, tried, .. } = &self.memory;
        let types = problem.kit.len();
        let own = |piece: &Piece| usize::from(piece.kind) < types && (piece.x + piece.y).is_finite();
        let pieces = [now, peak, pieces].into_iter().flatten().all(own);
        // Its best packing is played by the rules before anything relies on it.
        let same = |end: Layout| end.remaining == *left && problem.score_of(left, 1) == *value;
        let answer = moves.is_empty() || replayed(problem, &problem.root(), moves).is_some_and(same);
        let lengths = step <= length && *length <= MOST && *tried < self.parameters.round;
        pieces && answer && lengths && (left.is_empty() && moves.is_empty() || left.len() == types)
    }

    /// Keeps a packing if it is the best one so far.
    fn keep(&mut self, problem: &Packing, left: &[u32], moves: &[u64]) -> bool {
        let (value, memory) = (problem.score_of(left, 1), &mut self.memory);
        let better = memory.moves.is_empty() || value > memory.value;
        if better {
            memory.value = value;
            memory.left = left.to_vec();
            memory.moves = moves.to_vec();
            let directly = problem.places(moves).into_iter().filter(|place| place.hull.is_none());
            memory.pieces = directly.map(|place| Piece { kind: place.kind, x: place.x, y: place.y }).collect();
        }
        better
    }

    /// A semi-greedy packing, in case that it is the best one so far: where all that is offered fits, it is the shorter
    /// way.
    fn construct(&mut self, problem: &Packing, slice: &mut Slice<'_, Packing>) {
        let (mut state, mut playout) = (problem.root(), slice.playout());
        self.greedy.run(problem, &mut state, &mut playout, slice.rng());
        if !playout.gives_up() && self.keep(problem, &state.remaining, &playout.moves) {
            slice.found(&self.memory.moves);
        }
    }

    /// Some moves of annealing; returns how many.
    fn improve(&mut self, problem: &Packing, moves: u64, rng: &mut Rng, ends: impl Fn() -> bool) -> u64 {
        let (kit, contents, memory) = (&problem.kit, &problem.contents, &mut self.memory);
        let work = self.work.get_or_insert_with(|| Self::work(problem, memory));
        let stock = Stock { kit, offer: &kit.demand, worth: &contents.worth };
        let mut value = valued(kit, contents, &kit.demand, &mut work.scratch);
        let mut made = 0;
        while made < moves && !(made % EVERY == EVERY - 1 && ends()) {
            made += 1;
            if memory.step == memory.length {
                let next = (memory.length + memory.length / 2).min(MOST);
                memory.length = if memory.length == 0 { self.parameters.steps } else { next };
                memory.step = 0;
                if rng.chance(0.5) {
                    work.board.restart(stock, &mut value, rng);
                } else {
                    work.board.set(&memory.pieces, &mut value);
                }
                work.peak = f64::NEG_INFINITY;
            }
            let part = memory.step as f64 / memory.length as f64;
            memory.step += 1;
            self.parameters.try_one(&mut work.board, &mut work.solver, stock, &mut value, part, rng);
            if work.board.value > work.peak {
                work.peak = work.board.value;
                memory.peak.clone_from(&work.board.pieces);
                memory.fresh = true;
            }
        }
        drop(value);
        memory.now.clone_from(&work.board.pieces);
        made
    }

    /// Brings the best packing up to date at the end of a round. Returns whether it has become better.
    fn settle(&mut self, problem: &Packing) -> bool {
        let (kit, memory) = (&problem.kit, &mut self.memory);
        let Some(work) = &mut self.work else { return false };
        let before = memory.value;
        // Sums of values in different orders differ by rounding.
        let better = work.peak > memory.value * (1.0 + 1e-12);
        if std::mem::take(&mut memory.fresh) && better {
            // Floating tubes go to other places when another corner comes first.
            for corner in 0..4 {
                let mut left = kit.demand.clone();
                let mut moves = Vec::new();
                emit(problem, &memory.peak, corner, &mut work.encoder, &mut work.bin, &mut left, &mut moves);
                let value = problem.score_of(&left, 1);
                if value > memory.value {
                    (memory.left, memory.moves, memory.value) = (left, moves, value);
                    memory.pieces.clone_from(&memory.peak);
                }
                if value >= work.peak * (1.0 - 1e-12) {
                    break;
                }
            }
        }
        memory.value > before
    }

    /// Fills container after container, each by an annealing of its own with the tubes left; the annealings are longer
    /// in later steps.
    fn fill_all(&mut self, problem: &Packing, slice: &mut Slice<'_, Packing>) {
        let (kit, contents, memory) = (&problem.kit, &problem.contents, &mut self.memory);
        let work = self.work.get_or_insert_with(|| Self::work(problem, memory));
        memory.length = (memory.length + memory.length / 20 + 1).clamp(self.parameters.round, MOST);
        let mut rng = slice.rng().clone();
        let (mut left, mut moves, mut tried) = (kit.demand.clone(), Vec::new(), 0);
        let mut best: Vec<Piece> = Vec::new();
        while left.iter().any(|&count| count > 0) {
            let offer = left.clone();
            let everything: f64 = offer.iter().zip(&kit.value).map(|(&count, value)| f64::from(count) * value).sum();
            let stock = Stock { kit, offer: &offer, worth: &contents.worth };
            let mut value = valued(kit, contents, &offer, &mut work.scratch);
            work.board.set(&[], &mut value);
            let mut peak = f64::NEG_INFINITY;
            for step in 0..memory.length {
                // A container needs something in it.
                if step % EVERY == EVERY - 1 && !best.is_empty() && slice.is_cut() {
                    break;
                }
                tried += 1;
                let part = step as f64 / memory.length as f64;
                self.parameters.try_one(&mut work.board, &mut work.solver, stock, &mut value, part, &mut rng);
                if work.board.value > peak {
                    peak = work.board.value;
                    best.clone_from(&work.board.pieces);
                    if peak >= everything * (1.0 - 1e-12) {
                        break;
                    }
                }
            }
            drop(value);
            emit(problem, &best, 0, &mut work.encoder, &mut work.bin, &mut left, &mut moves);
        }
        *slice.rng() = rng;
        slice.spend(tried);
        slice.found(&moves);
    }
}

/// The longest annealing.
const MOST: u64 = 1 << 50;

impl ProblemSearch<Packing> for Refine {
    fn step(&mut self, problem: &Packing, slice: &mut Slice<'_, Packing>) -> StepStatus {
        if problem.objective == Objective::Containers {
            let all: u64 = problem.kit.demand.iter().map(|&count| u64::from(count)).sum();
            if all <= 4 * LARGE as u64 {
                loop {
                    self.fill_all(problem, slice);
                    if slice.quota() == 0 || slice.is_cut() {
                        break;
                    }
                }
            } else {
                slice.spend(1);
                let (mut state, mut playout) = (problem.root(), slice.playout());
                self.greedy.run(problem, &mut state, &mut playout, slice.rng());
                slice.found(&playout.moves);
            }
            return StepStatus::Running;
        }
        while slice.quota() > 0 {
            // Nothing is better than everything, and thousands of tubes take too long to bring into an order.
            let known = !self.memory.moves.is_empty();
            let alone = known && (self.memory.left.iter().all(|&c| c == 0) || self.memory.pieces.len() > LARGE);
            if self.memory.tried == 0 || alone {
                self.memory.tried = 0;
                self.construct(problem, slice);
            }
            let improves = self.memory.left.iter().any(|&count| count > 0) && self.memory.pieces.len() <= LARGE;
            if !improves {
                slice.spend(1);
                return StepStatus::Running;
            }
            let most = slice.quota().min(self.parameters.round - self.memory.tried);
            let mut rng = slice.rng().clone();
            let made = self.improve(problem, most, &mut rng, || slice.is_cut());
            *slice.rng() = rng;
            slice.spend(made);
            self.memory.tried += made;
            if self.memory.tried == self.parameters.round {
                self.memory.tried = 0;
                if self.settle(problem) {
                    slice.found(&self.memory.moves);
                }
            } else if made < most {
                break;
            }
        }
        StepStatus::Running
    }

    /// Annealings begin with the packing if it is better than the best one.
    fn offer(&mut self, problem: &Packing, moves: &[u64], _: Score) {
        if problem.objective != Objective::Containers {
            let mut state = problem.root();
            moves.iter().for_each(|&mv| problem.apply(&mut state, mv));
            self.keep(problem, &state.remaining, moves);
        }
    }

    fn gauges(&self) -> Vec<(&'static str, f64)> {
        vec![("moves of this annealing", self.memory.length as f64)]
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(&self.memory).unwrap_or_default()
    }

    fn load(&mut self, problem: &Packing, bytes: &[u8]) -> Result<(), CheckpointError> {
        self.memory = match postcard::take_from_bytes(bytes) {
            Ok((memory, [])) => memory,
            _ => return Err(CheckpointError::Corrupt("the packing does not decode")),
        };
        self.work = None;
        if self.is_sound(problem) { Ok(()) } else { Err(CheckpointError::Corrupt("the packing of another instance")) }
    }
}
