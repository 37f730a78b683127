//! Construction by value and position: greedy and semi-greedy playouts.

use super::bin::{Bin, Candidate, Shape};
use super::instance::encode;
use super::model::{Layout, Packing};
use soloist::Rng;
use soloist::rollout::{Playout, Rollout, RolloutInfo};

/// The names, the best general one first.
pub(crate) const ROLLOUTS: &[RolloutInfo] = &[
    RolloutInfo {
        name: "semi-greedy",
        help: "the most valuable tube per area to the lowest position, each with probability P, else the next one and so on; semi-greedy:P (0.9); the direction of low and the ranking are drawn for each playout",
    },
    RolloutInfo {
        name: "semi-greedy-position",
        help: "the most valuable tube per area, contents included, to the lowest position with probability P, else to the next one and so on; semi-greedy-position:P (0.9) (Rei, algorithm 6.1)",
    },
    RolloutInfo {
        name: "greedy",
        help: "the most valuable tube per area, contents included, to the lowest position, the leftmost of several",
    },
    RolloutInfo { name: "random", help: "uniform over all candidate positions of all types" },
];

/// Which way is down: the signs and the order of the coordinates that positions are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Direction(u8);

impl Direction {
    /// Lowest first, then leftmost.
    pub(crate) const BOTTOM_LEFT: Self = Self(0);

    /// One of all eight: bottom-left, left-bottom and their mirror images.
    pub(crate) fn draw(rng: &mut Rng) -> Self {
        Self(rng.below(8) as u8)
    }

    /// The pair that is to be small.
    #[inline]
    fn key(self, spot: &Candidate) -> (f64, f64) {
        let x = if self.0 & 1 == 0 { spot.x } else { -spot.x };
        let y = if self.0 & 2 == 0 { spot.y } else { -spot.y };
        if self.0 & 4 == 0 { (y, x) } else { (x, y) }
    }

    /// Returns the candidate of this rank, or the last one there is. Positions that differ by rounding alone count as
    /// equally low.
    pub(crate) fn pick(self, list: &[Candidate], rank: usize, slack: f64) -> Candidate {
        let before = |a: (f64, f64), b: (f64, f64)| a.0 < b.0 - slack || a.0 <= b.0 + slack && a.1 < b.1;
        let mut last: Option<((f64, f64), usize)> = None;
        for _ in 0..=rank.min(list.len() - 1) {
            let mut best: Option<((f64, f64), usize)> = None;
            for (at, spot) in list.iter().enumerate() {
                let key = self.key(spot);
                let is_later = last.is_none_or(|(low, index)| at != index && !before(key, low));
                if is_later && best.is_none_or(|(other, _)| before(key, other)) {
                    best = Some((key, at));
                }
            }
            match best {
                Some(_) => last = best,
                None => break,
            }
        }
        list[last.map_or(0, |(_, at)| at)]
    }
}

/// How types are ranked in a playout.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Merit {
    /// By value, contents included, per area.
    Density,
    /// By outer radius.
    Size,
    /// By density times a random factor up to this.
    Noise(f64),
}

/// What a playout draws at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chance {
    /// Nothing.
    None,
    /// The position alone.
    Position,
    /// The type as well, and for each playout the direction and the ranking.
    All,
}

/// The greedy and semi-greedy playouts.
///
/// In the object being filled the types are ranked by estimated value, with contents, per area. With probability P the
/// first type that has a position is taken, else the next one with probability P, and so on; likewise its lowest
/// position. `semi-greedy` draws for each playout which way is down and whether types are ranked by density, by size,
/// or by density with noise: orders that hold all that is offered need the large tubes first, others the dense ones.
///
/// `semi-greedy-position` is algorithm 6.1 of Rei's thesis (2018): the type is the best one, and the position alone is
/// drawn, towards the lowest, then leftmost one. The thesis fills the open object with the least free area; here it is
/// the one opened last, which lies in the others.
#[derive(Clone, Debug)]
pub(crate) struct Greedy {
    /// Probability of the greedy choice.
    chance: f64,
    drawn: Chance,
    order: Vec<(f64, u16)>,
}

impl Greedy {
    /// Returns the policy called `name`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let (name, chance) = match name.split_once(':') {
            None => (name, 0.9),
            Some(("greedy", _)) => return None,
            Some((name, text)) => (name, text.parse().ok().filter(|chance| (0.01..=1.0).contains(chance))?),
        };
        let drawn = match name {
            "greedy" => Chance::None,
            "semi-greedy-position" => Chance::Position,
            "semi-greedy" => Chance::All,
            _ => return None,
        };
        let drawn = if chance == 1.0 { Chance::None } else { drawn };
        Some(Self { chance, drawn, order: Vec::new() })
    }

    /// Ranks the types.
    fn rank(&mut self, problem: &Packing, merit: Merit, rng: &mut Rng) {
        self.order.clear();
        for kind in 0..problem.kit.len() {
            let density = problem.contents.worth[kind] / problem.kit.disc(kind);
            let key = match merit {
                Merit::Density => density,
                Merit::Size => problem.kit.outer[kind],
                Merit::Noise(most) => density * (1.0 + most * rng.unit()),
            };
            self.order.push((key, kind as u16));
        }
        soloist::order::sort_by(&mut self.order, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    }

    /// The number of failures before a success.
    fn failures(&self, rng: &mut Rng) -> usize {
        let mut count = 0;
        while self.drawn != Chance::None && count < 64 && !rng.chance(self.chance) {
            count += 1;
        }
        count
    }

    /// The type to place in the object being filled: of those with a position, the one of this rank or the last.
    fn choose(&self, problem: &Packing, state: &mut Layout, rank: usize) -> Option<usize> {
        let bin = &mut state.stack[state.depth - 1];
        let (shape, mut chosen, mut left) = (bin.shape, None, rank);
        for &(_, kind) in &self.order {
            let kind = kind as usize;
            let r = problem.kit.outer[kind];
            if state.remaining[kind] > 0 && shape.admits(r, problem.kit.slack) && !bin.candidates(kind, r).is_empty() {
                chosen = Some(kind);
                if left == 0 {
                    break;
                }
                left -= 1;
            }
        }
        chosen
    }

    /// Completes a packing. Objects are closed when they are met without a candidate; lists are updated only where they
    /// are read.
    fn complete(&mut self, problem: &Packing, state: &mut Layout, playout: &mut Playout<u64>, rng: &mut Rng) {
        let (direction, merit) = if self.drawn == Chance::All {
            let merit = [Merit::Density, Merit::Size, Merit::Noise(0.5), Merit::Noise(2.0)][rng.index(4)];
            (Direction::draw(rng), merit)
        } else {
            (Direction::BOTTOM_LEFT, Merit::Density)
        };
        self.rank(problem, merit, rng);
        let mut turn = 0_u32;
        while state.depth > 0 || problem.open_container(state) {
            turn += 1;
            if turn.is_multiple_of(EVERY) && playout.gives_up() {
                return;
            }
            let moves = &mut playout.moves;
            let rank = if self.drawn == Chance::All { self.failures(rng) } else { 0 };
            let Some(kind) = self.choose(problem, state, rank) else {
                state.depth -= 1;
                continue;
            };
            let bin = &state.stack[state.depth - 1];
            let list = first_only(bin, bin.listed(kind));
            let spot = direction.pick(list, self.failures(rng), problem.kit.slack);
            // The candidate that the move names, should two have the same name.
            let spot = bin.find(kind, spot.place).unwrap_or(spot);
            moves.push(encode(kind as u16, spot.place));
            let depth = state.depth;
            problem.put(state, kind, spot);
            // With tubes enough the best contents are known.
            if state.depth > depth && merit != Merit::Size && self.drawn != Chance::Position {
                let remaining = &state.remaining;
                let whole = problem.contents.has_bundle(kind, |other| remaining[other] + u32::from(other == kind));
                if whole && rng.chance(0.9) {
                    state.depth -= 1;
                    bundle(problem, kind, &mut state.remaining, moves);
                }
            }
        }
    }
}

/// Tubes between two looks at the limits of the run.
const EVERY: u32 = 8;

/// In an empty area only the first candidate is a move.
fn first_only<'a>(bin: &Bin, list: &'a [Candidate]) -> &'a [Candidate] {
    if bin.len() == 0 { &list[..1] } else { list }
}

/// Fills a hull with its best bundle; all tubes of the bundle are left.
pub(crate) fn bundle(problem: &Packing, hull: usize, remaining: &mut [u32], moves: &mut Vec<u64>) {
    let Some(filling) = problem.contents.fillings[hull].first() else { return };
    for (piece, &place) in filling.pieces.iter().zip(&filling.places) {
        moves.push(encode(piece.kind, place));
        remaining[piece.kind as usize] -= 1;
        bundle(problem, piece.kind as usize, remaining, moves);
    }
}

impl Rollout<Packing> for Greedy {
    /// The two best types with a position, and the lowest positions of each: what a learned policy chooses from.
    fn candidates(&mut self, problem: &Packing, state: &Layout, moves: &mut Vec<u64>) {
        const TYPES: usize = 2;
        const SPOTS: usize = 5;
        let Some(top) = state.depth.checked_sub(1) else { return };
        if self.order.len() != problem.kit.len() {
            self.rank(problem, Merit::Density, &mut Rng::new(0));
        }
        let bin = &state.stack[top];
        let mut types = 0;
        for &(_, kind) in &self.order {
            let (kind, shape) = (kind as usize, bin.shape);
            if !problem.is_open(state, shape, kind) || bin.listed(kind).is_empty() {
                continue;
            }
            let list = first_only(bin, bin.listed(kind));
            for rank in 0..SPOTS.min(list.len()) {
                let mv = encode(kind as u16, Direction::BOTTOM_LEFT.pick(list, rank, problem.kit.slack).place);
                if !moves.contains(&mv) {
                    moves.push(mv);
                }
            }
            types += 1;
            if types == TYPES {
                break;
            }
        }
    }

    fn run(&mut self, problem: &Packing, state: &mut Layout, playout: &mut Playout<u64>, rng: &mut Rng) {
        self.complete(problem, state, playout, rng);
        // Ranks of this playout do not serve the candidates of another.
        self.order.clear();
    }
}

/// Returns the area that a hull of this type offers.
pub(crate) fn inside(problem: &Packing, kind: usize) -> Shape {
    Shape::Disc { radius: problem.kit.inner[kind] }
}
