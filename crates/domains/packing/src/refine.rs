//! The rollout that keeps a packing and improves it from playout to playout.

use super::bin::Bin;
use super::board::{Board, Piece, Stock};
use super::contents::{Contents, Scratch};
use super::express::Express;
use super::greedy::{Greedy, bundle, inside};
use super::problem::{Kit, Layout, Objective, Packing, encode};
use super::squeeze::Squeeze;
use serde::{Deserialize, Serialize};
use soloist::{CheckpointError, Playout, Problem, Rng, Rollout, replayed};

/// Steps of a playout unless the name says otherwise.
const STEPS: u64 = 200;
/// Steps of the first annealing; each further one has half as many more.
const FIRST: u64 = 2_000;
/// Temperatures at the beginning and the end of an annealing, in parts of a piece's mean value.
const HOT: f64 = 0.1;
/// See [`HOT`].
const COLD: f64 = 0.01;
/// Tubes that lie directly in a container, for it to be refined; fewest containers: a quarter of all tubes.
const LARGE: usize = 500;
/// Share of the steps that move all tubes.
const SQUEEZE: f64 = 0.6;

/// What lasts from playout to playout.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Memory {
    /// The pieces of the annealing.
    now: Vec<Piece>,
    /// The best pieces of this annealing.
    peak: Vec<Piece>,
    /// Steps done in this annealing, and how many it has.
    step: u64,
    length: u64,
    /// The best packing of all that moves can name: tubes left, moves, value, and the pieces that it came from.
    left: Vec<u32>,
    moves: Vec<u64>,
    value: f64,
    pieces: Vec<Piece>,
}

/// Each playout makes one semi-greedy packing, then some steps of annealing in place (ruin and recreate): a few
/// neighbouring tubes of the container are taken out, the hole is filled in another way from candidate positions, and
/// the result is kept by Metropolis' rule. In most steps a tube is added, changes its type, or two are exchanged
/// instead, and all tubes move until none overlap ([`Squeeze`]), if they can.
///
/// Contents of tubes are counts: a tube counts with the best bundle for its type, or with what the tubes offered allow.
/// A playout is a number of steps; its answer is the best packing met so far, as moves. Positions in place may be such
/// that no move names them, so each new best packing slides into a corner and is brought into an order in which every
/// tube touches two things placed before; tubes that still float move to the nearest such place. Annealings follow each
/// other, each half as long again as the one before.
///
/// For fewest containers each playout fills container after container, by annealings of their own. From states other
/// than the root it plays like `semi-greedy`; so it does where more than 500 tubes lie directly in the container, or
/// 2,000 are to be packed into the fewest containers.
#[derive(Debug)]
pub(crate) struct Refine {
    steps: u64,
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
    express: Express,
    scratch: Scratch,
    squeeze: Squeeze,
    /// The value of [`Memory::peak`].
    peak: f64,
    /// Whether `peak` is newer than what was last brought into order.
    fresh: bool,
}

impl Refine {
    /// The policy called `name`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let steps = match name.split_once(':') {
            None if name == "refine" => STEPS,
            Some(("refine", text)) => text.parse().ok().filter(|steps| (1..=1_000_000_000).contains(steps))?,
            _ => return None,
        };
        let greedy = Greedy::named("semi-greedy")?;
        Some(Self { steps, greedy, memory: Memory::default(), work: None })
    }
}

/// Brings pieces of a container into an order, fills their hulls, and appends the moves. `remaining` are the tubes
/// offered, then those left.
pub(crate) fn emit(
    problem: &Packing,
    pieces: &[Piece],
    corner: usize,
    express: &mut Express,
    bin: &mut Bin,
    remaining: &mut [u32],
    moves: &mut Vec<u64>,
) {
    let kit = &problem.kit;
    express.start(kit, kit.container, pieces, corner);
    bin.reset(kit.container);
    express.settle(kit, bin);
    let mut reserved = vec![0_u32; kit.len()];
    for piece in express.rest() {
        reserved[piece.kind as usize] += 1;
    }
    loop {
        let next = express.next(kit, bin, |kind| remaining[kind as usize] > 0);
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
        for piece in express.rest() {
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
    kit: &'a Kit,
    contents: &'a Contents,
    offer: &'a [u32],
    scratch: &'a mut Scratch,
) -> impl FnMut(&[u32]) -> f64 + 'a {
    |counts| contents.total(kit, offer, counts, scratch)
}

/// The temperature after this part of an annealing.
fn temperature(board: &Board, part: f64) -> f64 {
    let mean = board.value / board.pieces.len().max(1) as f64;
    (mean * HOT * libm::pow(COLD / HOT, part)).max(f64::MIN_POSITIVE)
}

/// Steps between two looks at the limits of the run.
const EVERY: u64 = 64;

impl Refine {
    fn work(problem: &Packing, memory: &Memory) -> Work {
        let kit = &problem.kit;
        let mut scratch = Scratch::default();
        let mut board = Board::new(kit, kit.container);
        board.set(&memory.peak, &mut valued(kit, &problem.contents, &kit.demand, &mut scratch));
        let peak = board.value;
        board.set(&memory.now, &mut valued(kit, &problem.contents, &kit.demand, &mut scratch));
        let bin = Bin::new(kit.container, kit.len(), kit.cell, kit.slack);
        Work { board, bin, express: Express::default(), scratch, squeeze: Squeeze::default(), peak, fresh: false }
    }

    /// Forgets what was loaded from a checkpoint of another problem.
    fn forget_foreign(&mut self, problem: &Packing) {
        let Memory { now, peak, pieces, left, moves, value, .. } = &self.memory;
        let types = problem.kit.len();
        let foreign = |piece: &Piece| usize::from(piece.kind) >= types || !(piece.x + piece.y).is_finite();
        let pieces = [now, peak, pieces].into_iter().flatten().any(foreign);
        // Its best packing is played by the rules before anything relies on it.
        let same = |end: Layout| end.remaining == *left && problem.score_of(left, 1) == *value;
        let answer = moves.is_empty() || replayed(problem, &problem.root(), moves).is_some_and(same);
        if pieces || !answer || !left.is_empty() && left.len() != types {
            self.memory = Memory::default();
        }
    }

    /// A semi-greedy packing, in case that it is the best one so far: where all that is offered fits, it is the shorter
    /// way.
    fn construct(&mut self, problem: &Packing, state: &mut Layout, playout: &mut Playout<u64>, rng: &mut Rng) {
        let before = playout.moves.len();
        self.greedy.run(problem, state, playout, rng);
        if playout.gives_up() {
            return;
        }
        let own = &playout.moves[before..];
        let value = problem.score_of(&state.remaining, 1);
        let memory = &mut self.memory;
        if memory.moves.is_empty() || value > memory.value {
            memory.value = value;
            memory.left.clone_from(&state.remaining);
            memory.moves = own.to_vec();
            let directly = problem.places(own).into_iter().filter(|place| place.hull.is_none());
            memory.pieces = directly.map(|place| Piece { kind: place.kind, x: place.x, y: place.y }).collect();
        }
    }

    /// Some steps of annealing; then the best packing is brought up to date.
    fn improve(&mut self, problem: &Packing, rng: &mut Rng, ends: impl Fn() -> bool) {
        let (kit, contents, memory) = (&problem.kit, &problem.contents, &mut self.memory);
        let work = self.work.get_or_insert_with(|| Self::work(problem, memory));
        let stock = Stock { kit, offer: &kit.demand, worth: &contents.worth };
        let mut value = valued(kit, contents, &kit.demand, &mut work.scratch);
        for step in 0..self.steps {
            if step % EVERY == EVERY - 1 && ends() {
                break;
            }
            if memory.step == memory.length {
                memory.length = if memory.length == 0 { FIRST } else { memory.length + memory.length / 2 };
                memory.step = 0;
                if rng.chance(0.5) {
                    work.board.restart(stock, &mut value, rng);
                } else {
                    work.board.set(&memory.pieces, &mut value);
                }
                work.peak = f64::NEG_INFINITY;
            }
            let part = memory.step as f64 / memory.length as f64;
            let temperature = temperature(&work.board, part);
            memory.step += 1;
            if rng.chance(SQUEEZE) {
                work.board.squeeze(stock, &mut value, temperature, &mut work.squeeze, rng);
            } else {
                work.board.step(stock, &mut value, temperature, rng);
            }
            if work.board.value > work.peak {
                work.peak = work.board.value;
                memory.peak.clone_from(&work.board.pieces);
                work.fresh = true;
            }
        }
        drop(value);
        memory.now.clone_from(&work.board.pieces);
        // Sums of values in different orders differ by rounding.
        let better = work.peak > memory.value * (1.0 + 1e-12);
        if work.fresh && better {
            // Floating tubes go to other places when another corner comes first.
            for corner in 0..4 {
                let mut left = kit.demand.clone();
                let mut moves = Vec::new();
                emit(problem, &memory.peak, corner, &mut work.express, &mut work.bin, &mut left, &mut moves);
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
        work.fresh = false;
    }

    /// Fills container after container, each by an annealing of its own with the tubes left; the annealings are longer
    /// in later playouts.
    fn fill_all(&mut self, problem: &Packing, state: &mut Layout, playout: &mut Playout<u64>, rng: &mut Rng) {
        let (kit, contents, memory) = (&problem.kit, &problem.contents, &mut self.memory);
        let work = self.work.get_or_insert_with(|| Self::work(problem, memory));
        memory.length = (memory.length + memory.length / 20 + 1).max(self.steps);
        let mut left = kit.demand.clone();
        let mut best: Vec<Piece> = Vec::new();
        state.containers = 0;
        while left.iter().any(|&count| count > 0) {
            state.containers += 1;
            let offer = left.clone();
            let everything: f64 = offer.iter().zip(&kit.value).map(|(&count, value)| f64::from(count) * value).sum();
            let stock = Stock { kit, offer: &offer, worth: &contents.worth };
            let mut value = valued(kit, contents, &offer, &mut work.scratch);
            work.board.set(&[], &mut value);
            let mut peak = f64::NEG_INFINITY;
            for step in 0..memory.length {
                // A container needs something in it.
                if step % EVERY == EVERY - 1 && !best.is_empty() && playout.is_cut() {
                    break;
                }
                let temperature = temperature(&work.board, step as f64 / memory.length as f64);
                if rng.chance(SQUEEZE) {
                    work.board.squeeze(stock, &mut value, temperature, &mut work.squeeze, rng);
                } else {
                    work.board.step(stock, &mut value, temperature, rng);
                }
                if work.board.value > peak {
                    peak = work.board.value;
                    best.clone_from(&work.board.pieces);
                    if peak >= everything * (1.0 - 1e-12) {
                        break;
                    }
                }
            }
            drop(value);
            emit(problem, &best, 0, &mut work.express, &mut work.bin, &mut left, &mut playout.moves);
        }
        state.remaining = left;
        state.depth = 0;
    }
}

impl Rollout<Packing> for Refine {
    fn candidates(&mut self, problem: &Packing, state: &Layout, moves: &mut Vec<u64>) {
        self.greedy.candidates(problem, state, moves);
    }

    fn run(&mut self, problem: &Packing, state: &mut Layout, playout: &mut Playout<u64>, rng: &mut Rng) {
        let at_root = state.containers == 1 && state.depth == 1 && state.stack[0].len() == 0;
        if !at_root {
            return self.greedy.run(problem, state, playout, rng);
        }
        if self.work.is_none() {
            self.forget_foreign(problem);
        }
        if problem.objective == Objective::Containers {
            let all: u64 = problem.kit.demand.iter().map(|&count| u64::from(count)).sum();
            if all > 4 * LARGE as u64 {
                return self.greedy.run(problem, state, playout, rng);
            }
            return self.fill_all(problem, state, playout, rng);
        }
        let before = playout.moves.len();
        self.construct(problem, state, playout, rng);
        if playout.gives_up() {
            return;
        }
        playout.moves.truncate(before);
        // Nothing is better than everything, and thousands of tubes take too long to bring into an order.
        if self.memory.left.iter().any(|&count| count > 0) && self.memory.pieces.len() <= LARGE {
            self.improve(problem, rng, || playout.is_cut());
        }
        playout.moves.extend_from_slice(&self.memory.moves);
        state.remaining.clone_from(&self.memory.left);
        state.depth = 0;
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(&self.memory).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        self.memory = match postcard::take_from_bytes(bytes) {
            Ok((memory, [])) => memory,
            _ => return Err(CheckpointError::Corrupt("the rollout's packing does not decode")),
        };
        self.work = None;
        Ok(())
    }
}
