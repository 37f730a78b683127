//! Stamps (AtCoder Heuristic Contest 032): 9 x 9 residues, 20 stamps of 3 x 3, 81 stampings; the sum shall be large.

use crate::bench::{ByHand, Instance};
use crate::hand::Clock;
use soloist::{Problem, Rng, Score};

const PRIME: u32 = 998_244_353;
const STAMPS: usize = 20;
const SLOTS: u8 = 81;
type Cells = [u32; 81];

/// The board and the stamps, and how people model it first: any stamp anywhere, or nothing, in each of 81 slots.
pub(crate) struct Slots {
    board: Cells,
    stamps: Vec<[u32; 9]>,
}

impl Slots {
    fn press(&self, cells: &mut Cells, stamp: usize, at: usize) {
        for part in 0..9 {
            let cell = &mut cells[(at / 7 + part / 3) * 9 + at % 7 + part % 3];
            *cell = (*cell + self.stamps[stamp][part]) % PRIME;
        }
    }
}

impl Instance for Slots {
    fn instance() -> Self {
        let mut rng = Rng::new(32);
        let mut number = || rng.below(PRIME.into()) as u32;
        Self {
            board: std::array::from_fn(|_| number()),
            stamps: (0..STAMPS).map(|_| std::array::from_fn(|_| number())).collect(),
        }
    }
}

impl Problem for Slots {
    type State = (Cells, u8);
    /// A stamp at a place, or nothing.
    type Move = u16;

    fn root(&self) -> (Cells, u8) {
        (self.board, 0)
    }
    fn moves(&self, state: &(Cells, u8), moves: &mut Vec<u16>) {
        if state.1 < SLOTS {
            moves.extend(0..=STAMPS as u16 * 49);
        }
    }
    fn apply(&self, state: &mut (Cells, u8), mv: u16) {
        let (stamp, at) = (usize::from(mv) / 49, usize::from(mv) % 49);
        if stamp < STAMPS {
            self.press(&mut state.0, stamp, at);
        }
        state.1 += 1;
    }
    fn score(&self, state: &(Cells, u8)) -> Score {
        Score::Feasible(state.0.iter().map(|&cell| f64::from(cell)).sum())
    }
}

/// Corner by corner: a set of stamps at each, after which some cells are final.
pub(crate) struct Corners {
    slots: Slots,
    sets: Vec<Vec<usize>>,
}

#[derive(Clone)]
pub(crate) struct Spot {
    cells: Cells,
    left: u8,
    at: u8,
    sum: u64,
    open: u8,
}

impl Instance for Corners {
    /// All sets of up to three stamps, the smaller ones first.
    fn instance() -> Self {
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..3 {
            let until = sets.len();
            for at in from..until {
                for stamp in sets[at].last().copied().unwrap_or(0)..STAMPS {
                    sets.push([&sets[at][..], &[stamp]].concat());
                }
            }
            from = until;
        }
        Self { slots: Slots::instance(), sets }
    }
}

impl Problem for Corners {
    type State = Spot;
    /// Which set.
    type Move = u16;

    fn root(&self) -> Spot {
        Spot { cells: self.slots.board, left: SLOTS, at: 0, sum: 0, open: 81 }
    }
    fn moves(&self, spot: &Spot, moves: &mut Vec<u16>) {
        if spot.at < 49 {
            let is_edge = spot.at / 7 == 6 || spot.at % 7 == 6;
            let most = if is_edge { self.sets.len() } else { 231 };
            moves.extend((0..most).filter(|&set| self.sets[set].len() <= spot.left.into()).map(|set| set as u16));
        }
    }
    fn apply(&self, spot: &mut Spot, set: u16) {
        let (set, at) = (&self.sets[usize::from(set)], usize::from(spot.at));
        set.iter().for_each(|&stamp| self.slots.press(&mut spot.cells, stamp, at));
        spot.left -= set.len() as u8;
        let last = |at: usize| if at == 6 { 3 } else { 1 };
        for row in at / 7..at / 7 + last(at / 7) {
            for column in at % 7..at % 7 + last(at % 7) {
                spot.sum += u64::from(spot.cells[row * 9 + column]);
                spot.open -= 1;
            }
        }
        spot.at += 1;
    }
    fn score(&self, spot: &Spot) -> Score {
        Score::Feasible(spot.sum as f64)
    }
    fn code(&self, spot: &Spot, set: u16) -> u64 {
        u64::from(spot.at) << 16 | u64::from(set)
    }
    /// Stamps that are left are worth something.
    fn potential(&self, spot: &Spot) -> Option<f64> {
        Some(spot.sum as f64 + 3e8 * f64::from(spot.left))
    }
    fn bound(&self, spot: &Spot) -> Option<f64> {
        Some(spot.sum as f64 + f64::from(PRIME - 1) * f64::from(spot.open))
    }
}

impl ByHand for Corners {
    /// A beam, as contestants write it: twice as wide each time, while there is time.
    fn hand(&self, clock: &Clock, _: &mut Rng) -> Vec<u16> {
        let (mut width, mut best) = (1, (0, vec![0; 49]));
        loop {
            let mut layer = vec![(self.root(), Vec::new())];
            let mut moves = Vec::new();
            for _ in 0..49 {
                let mut next = Vec::new();
                for (at, (spot, _)) in layer.iter().enumerate() {
                    if clock.is_over() {
                        return best.1;
                    }
                    moves.clear();
                    self.moves(spot, &mut moves);
                    for &mv in &moves {
                        let mut child = spot.clone();
                        self.apply(&mut child, mv);
                        next.push((child.sum + 300_000_000 * u64::from(child.left), child, at, mv));
                    }
                }
                next.sort_by_key(|child| std::cmp::Reverse(child.0));
                next.truncate(width);
                let line = |at: usize, mv| [&layer[at].1[..], &[mv]].concat();
                layer = next.into_iter().map(|(_, spot, at, mv)| (spot, line(at, mv))).collect();
            }
            let last = layer.into_iter().map(|(spot, line)| (spot.sum, line)).max();
            best = best.max(last.unwrap_or_default());
            width *= 2;
        }
    }
}
