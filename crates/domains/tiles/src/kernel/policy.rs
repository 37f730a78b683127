//! The rollout policies: how a playout picks its next group.

use soloist::Rng;

use super::board::{Board, most_frequent};
use super::geometry::{Geometry, contains, count};
use super::group::{Group, Links, flood_from, flood_smallest, next_cyclic, several_components};
use super::ops::{Linked, Ops};

/// Rows and columns of the box a game started in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
}

/// A rollout policy. Colours are counted from 1; 0 stands for no colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Policy {
    /// Uniform over the groups.
    Random,
    /// Schadd's random cell: uniform over the cells of the box, then upwards and on to the next columns to the first
    /// cell that is part of a group.
    RandomCell,
    /// Random cell with a tabu colour, drawn per playout over the colours present: its cells are passed over except
    /// with probability `epsilon` each; the last of them is taken when there is nothing else.
    TabuRandom {
        /// Probability of accepting a tabu cell.
        epsilon: f64,
    },
    /// The same, the tabu colour being the most frequent, looked for at every move, as Schadd's program does.
    TabuColor {
        /// Probability of accepting a tabu cell.
        epsilon: f64,
    },
    /// The same with one tabu colour for the whole playout, as Schadd's paper has it.
    TabuFixed {
        /// Probability of accepting a tabu cell.
        epsilon: f64,
        /// The tabu colour; 0: the most frequent at the playout's start.
        tabu: u8,
    },
    /// Roulette wheel: a colour is drawn at the playout's start, with a chance proportional to the fourth power of its
    /// tiles, and kept for last, so that it grows into large groups: a move takes the group at a uniform cell among the
    /// groups of all other colours (a group's chance is proportional to its size), of that colour only when there are
    /// none. The weights were chosen for this project: the mean of ten random boards was higher than with the square,
    /// in plain playouts and with UCT.
    Roulette,
    /// Uniform over the groups of other colours than `tabu`; over all when there are none.
    Tabu {
        /// The tabu colour; 0: the most frequent at the playout's start.
        tabu: u8,
    },
    /// Cazenave's selective policy: the tabu colour counts only while at least two components of it are left, and its
    /// pairs may be played once more than ten moves have been.
    Selective {
        /// The tabu colour: the most frequent of the game's start position.
        tabu: u8,
        /// Moves of the game played before this playout.
        played: usize,
    },
}

/// What a picking rule sees of a position.
pub(super) struct View<'a, G: Geometry, O: Ops<G>> {
    pub(super) ops: O,
    pub(super) tiles: &'a O::Tiles,
    pub(super) linked: &'a Linked<O::Mask>,
    pub(super) links: &'a Links<G>,
}

/// Picks the groups of one playout.
pub(super) trait Pick<G: Geometry> {
    /// The next group; empty when the game is over.
    fn pick<O: Ops<G>>(&mut self, view: &View<'_, G, O>, rng: &mut Rng) -> Option<Group<G>>;
}

/// Uniform over the groups whose smallest cell is in `starts`. Cells that turn out not to be smallest are drawn again,
/// so every group has the same chance.
#[inline(always)]
fn uniform<G: Geometry, O: Ops<G>>(view: &View<'_, G, O>, starts: O::Mask, rng: &mut Rng) -> Option<Group<G>> {
    let starts = view.ops.words(starts);
    let n = count::<G>(&starts);
    if n == 0 {
        return None;
    }
    loop {
        let cell = view.ops.select(&starts, rng.index(n));
        if let Some(group) = flood_smallest(view.ops, view.links, cell) {
            return Some(group);
        }
    }
}

pub(super) struct Uniform;

impl<G: Geometry> Pick<G> for Uniform {
    #[inline(always)]
    fn pick<O: Ops<G>>(&mut self, view: &View<'_, G, O>, rng: &mut Rng) -> Option<Group<G>> {
        uniform(view, view.ops.starts(view.linked), rng)
    }
}

pub(super) struct Tabu {
    pub(super) color: u8,
}

impl<G: Geometry> Pick<G> for Tabu {
    #[inline(always)]
    fn pick<O: Ops<G>>(&mut self, view: &View<'_, G, O>, rng: &mut Rng) -> Option<Group<G>> {
        // One call of `uniform`, which is large once inlined. Colour 0 masks empty cells only: nothing is tabu.
        let starts = view.ops.starts(view.linked);
        let others = view.ops.without(starts, view.ops.color(view.tiles, self.color));
        uniform(view, if view.ops.any(others) { others } else { starts }, rng)
    }
}

pub(super) struct Selective {
    pub(super) tabu: u8,
    pub(super) played: usize,
}

/// Returns the smallest cells of the groups that Cazenave's selective policy allows, mixed with cells that are not
/// smallest (see [`Ops::starts`]).
#[inline(always)]
pub fn selective_starts<G: Geometry, O: Ops<G>>(
    ops: O,
    tiles: &O::Tiles,
    linked: &Linked<O::Mask>,
    links: &Links<G>,
    tabu: u8,
    played: usize,
) -> O::Mask {
    let starts = ops.starts(linked);
    if tabu == 0 {
        return starts;
    }
    let banned = ops.color(tiles, tabu);
    let mut legal = ops.without(starts, banned);
    if played > 10 {
        // A pair's smallest cell is the only one that counts as a start, so pairs keep the draw uniform.
        legal = ops.or(legal, ops.and(ops.pairs(linked), banned));
    }
    if ops.any(legal) && several_components(ops, links, &ops.words(banned)) { legal } else { starts }
}

impl<G: Geometry> Pick<G> for Selective {
    #[inline(always)]
    fn pick<O: Ops<G>>(&mut self, view: &View<'_, G, O>, rng: &mut Rng) -> Option<Group<G>> {
        let View { ops, tiles, linked, links } = *view;
        let legal = selective_starts(ops, tiles, linked, links, self.tabu, self.played);
        self.played += 1;
        uniform(view, legal, rng)
    }
}

/// A uniform cell of the box, as a cell index.
#[inline(always)]
fn random_cell<G: Geometry>(extent: Extent, rng: &mut Rng) -> usize {
    let i = rng.index(extent.rows * extent.columns);
    i / extent.rows * G::LANE as usize + i % extent.rows
}

pub(super) struct Cell {
    pub(super) extent: Extent,
}

impl<G: Geometry> Pick<G> for Cell {
    #[inline(always)]
    fn pick<O: Ops<G>>(&mut self, view: &View<'_, G, O>, rng: &mut Rng) -> Option<Group<G>> {
        let cells = view.ops.words(view.ops.cells(view.linked));
        if !view.ops.any(view.ops.cells(view.linked)) {
            return None;
        }
        let cell = next_cyclic::<G>(&cells, random_cell::<G>(self.extent, rng))?;
        Some(flood_from(view.ops, view.links, cell))
    }
}

/// Groups of other colours than `color` by their sizes, of `color` when there are none.
pub(super) struct Grow {
    pub(super) color: u8,
}

impl<G: Geometry> Pick<G> for Grow {
    #[inline(always)]
    fn pick<O: Ops<G>>(&mut self, view: &View<'_, G, O>, rng: &mut Rng) -> Option<Group<G>> {
        let ops = view.ops;
        let cells = ops.cells(view.linked);
        let others = ops.without(cells, ops.color(view.tiles, self.color));
        let cells = ops.words(if ops.any(others) { others } else { cells });
        let n = count::<G>(&cells);
        (n > 0).then(|| flood_from(ops, view.links, ops.select(&cells, rng.index(n))))
    }
}

/// Independent trials that succeed with probability epsilon each, as the number of failures before the next
/// success.
///
/// A playout makes thousands of trials, and hardly one succeeds: this takes one draw for each success instead of one
/// for each trial.
pub(super) struct Trials {
    /// 1 / ln(1 - epsilon); 0 for certain success.
    scale: f64,
    failures: u64,
}

impl Trials {
    /// Trials with success probability `epsilon`. Draws one number.
    #[inline(always)]
    pub(super) fn new(epsilon: f64, rng: &mut Rng) -> Self {
        let scale = 1.0 / libm::log1p(-epsilon);
        let mut trials = Self { scale, failures: 0 };
        trials.failures = trials.draw(rng);
        trials
    }

    /// Failures before a success: geometric, by inversion, at most the largest integer.
    #[inline]
    fn draw(&self, rng: &mut Rng) -> u64 {
        // Kept from 0, because an epsilon of 0 makes the scale infinite.
        (libm::log(1.0 - rng.unit()).min(-f64::MIN_POSITIVE) * self.scale) as u64
    }

    /// Makes `n` trials; the first that succeeds, counted from 0. Draws one number if one does.
    #[inline(always)]
    fn first_success(&mut self, n: u32, rng: &mut Rng) -> Option<u32> {
        if self.failures >= u64::from(n) {
            self.failures -= u64::from(n);
            return None;
        }
        // What comes after a success is independent of it, whether or not some of the n trials are left.
        let first = self.failures as u32;
        self.failures = self.draw(rng);
        Some(first)
    }
}

pub(super) struct TabuCell {
    pub(super) extent: Extent,
    pub(super) trials: Trials,
    pub(super) tabu: u8,
    /// Whether the tabu colour is looked for at every move.
    pub(super) recompute: bool,
}

impl<G: Geometry> Pick<G> for TabuCell {
    #[inline(always)]
    fn pick<O: Ops<G>>(&mut self, view: &View<'_, G, O>, rng: &mut Rng) -> Option<Group<G>> {
        let ops = view.ops;
        let cells = ops.cells(view.linked);
        if !ops.any(cells) {
            return None;
        }
        let start = random_cell::<G>(self.extent, rng);
        let banned = ops.and(cells, ops.color(view.tiles, self.tabu));
        let (banned, free) = (ops.words(banned), ops.words(ops.without(cells, banned)));
        let mut cell = next_cyclic::<G>(&free, start);
        let all = count::<G>(&banned) as u32;
        // A trial for every tabu cell: those that the scan does not pass are made in vain, which is cheaper than
        // counting.
        if let Some(i) = self.trials.first_success(all, rng) {
            cell = exception::<G>(&banned, cell, start, i).or(cell);
        }
        // Nothing else found: the last cell seen.
        let cell = cell.unwrap_or_else(|| last_before::<G>(&banned, start));
        let group = flood_from(ops, view.links, cell);
        // The others only become fewer: the tabu colour is the most frequent one until it loses tiles itself.
        if self.recompute && contains::<G>(&banned, cell) {
            let board = ops.store(view.tiles);
            let mut counts = board.color_counts();
            counts[usize::from(self.tabu)] -= group.size;
            // Once the board is empty there is no move to forbid, but a colour is needed.
            self.tabu = most_frequent(&counts).max(1);
        }
        Some(group)
    }
}

/// The i-th of the `banned` cells that a scan from `start` to `free` passes; `None` if it passes fewer.
#[cold]
#[inline(never)]
fn exception<G: Geometry>(banned: &G::Words, free: Option<usize>, start: usize, i: u32) -> Option<usize> {
    let all = count::<G>(banned) as u32;
    let before = |cell: usize| count_before::<G>(banned, cell);
    let passed = match free {
        Some(cell) if cell >= start => before(cell) - before(start),
        Some(cell) => all + before(cell) - before(start),
        None => all,
    };
    (i < passed).then(|| nth_cyclic::<G>(banned, before(start), all, i))
}

/// The last cell of a nonempty mask before `start`, cyclically.
#[inline(always)]
fn last_before<G: Geometry>(mask: &G::Words, start: usize) -> usize {
    let highest = |word: u64| 63 - word.leading_zeros() as usize;
    let first = start / 64;
    let here = mask[first] & !(!0 << (start % 64));
    if here != 0 {
        return first * 64 + highest(here);
    }
    for i in 1..=G::WORDS {
        let w = (first + G::WORDS - i) % G::WORDS;
        if mask[w] != 0 {
            return w * 64 + highest(mask[w]);
        }
    }
    0
}

/// Number of cells of a mask below `cell`.
fn count_before<G: Geometry>(mask: &G::Words, cell: usize) -> u32 {
    let whole: u32 = (0..cell / 64).map(|w| mask[w].count_ones()).sum();
    whole + (mask[cell / 64] & !(!0 << (cell % 64))).count_ones()
}

/// The i-th cell of a mask after the first `before` ones, cyclically; `all` is the number of cells.
fn nth_cyclic<G: Geometry>(mask: &G::Words, before: u32, all: u32, i: u32) -> usize {
    let mut k = (before + i) % all;
    for w in 0..G::WORDS {
        let here = mask[w].count_ones();
        if k < here {
            let mut bits = mask[w];
            for _ in 0..k {
                bits &= bits - 1;
            }
            return w * 64 + bits.trailing_zeros() as usize;
        }
        k -= here;
    }
    0
}

/// Returns a colour drawn with a chance proportional to the fourth power of its tiles; 1 on an empty board, without a
/// draw.
pub(super) fn spin_color<G: Geometry>(board: &Board<G>, rng: &mut Rng) -> u8 {
    let weights = board.color_counts().map(|count| u64::from(count).pow(4));
    let total = weights.iter().sum();
    if total == 0 {
        return 1;
    }
    let mut rest = rng.below(total);
    let stops = |&weight: &u64| {
        let here = rest < weight;
        rest = rest.wrapping_sub(weight);
        here
    };
    weights.iter().position(stops).unwrap_or(1) as u8
}

/// Returns a colour drawn uniformly over those present; 1 on an empty board, without a draw.
pub(super) fn draw_color<G: Geometry>(board: &Board<G>, rng: &mut Rng) -> u8 {
    let counts = board.color_counts();
    let present = (1..16_u8).filter(|&c| counts[usize::from(c)] > 0);
    let n = present.clone().count();
    if n == 0 {
        return 1;
    }
    present.clone().nth(rng.index(n)).unwrap_or(1)
}
