//! The policy playout of nested rollout policy adaptation on tile games, with a list of groups kept from move to move.
//!
//! A group is flooded, hashed and looked up once, when it appears; a move ends only the groups that it touches. What a
//! group offers to adaptation is one entry with its first and last step. Weights are integers, so that running totals
//! by column are exact and the playout is the one that [`soloist::rollout::policy_playout`] defines, draw by draw.

use super::game::Game;
use super::kernel::geometry::{Window, unwindow, window};
use super::kernel::group::{Body, Links, code, flood_lowest};
use super::kernel::ops::Ops;
use super::kernel::{Engine, Geometry, KernelTask};
use super::model::Position;
use soloist::Rng;
use soloist::rollout::{Lifetime, Policy, Trace};
use soloist_domain::bits::bits;

/// A group of the present board.
#[derive(Clone, Copy, Debug)]
struct Slot<G: Geometry> {
    /// Its cells in four columns from `base` on; of a wide group, those of its first columns.
    cells: G::Window,
    weight: u64,
    code: u64,
    /// The step at which it became available, while it is.
    since: u32,
    size: u16,
    base: u8,
    kind: u8,
    wide: bool,
    /// Its place in [`Biases`].
    bias: u8,
}

/// The factors of the biases, by size and whether the colour is the start board's most frequent one.
pub(super) struct Biases {
    /// That colour.
    pub kept: u8,
    pub factors: [f64; 2 * SIZES],
}

/// The bias counts at most eight tiles beyond two.
const SIZES: usize = 9;

impl Biases {
    /// Tabulates the factors of `bias`, a function of the tiles beyond two, at most 8, and whether the colour is kept.
    pub(super) fn new(kept: u8, factor: impl Fn(usize, bool) -> f64) -> Self {
        Self { kept, factors: std::array::from_fn(|at| factor(at % SIZES, at >= SIZES)) }
    }

    /// The place of a group.
    #[inline(always)]
    fn place(&self, color: u8, size: u32) -> u8 {
        let kept = if color == self.kept { SIZES } else { 0 };
        ((size.saturating_sub(2) as usize).min(SIZES - 1) + kept) as u8
    }
}

/// Tabu groups of two tiles, other tabu groups, and the rest become available under different conditions.
const FREE: usize = 0;
const PAIR: usize = 1;
const BANNED: usize = 2;

/// Buffers of the playout.
#[derive(Debug)]
pub(super) struct Lists<G: Geometry> {
    /// By smallest cell.
    slots: Vec<Slot<G>>,
    /// The groups that reach beyond their window, by smallest cell.
    wide: Vec<(u16, G::Words)>,
}

impl<G: Geometry> Default for Lists<G> {
    fn default() -> Self {
        Self { slots: Vec::new(), wide: Vec::new() }
    }
}

/// Plays `state` to its end; `tabu` is the colour of the selective rule (0: no colour), `biases` are those of a policy
/// that uses them.
#[allow(clippy::too_many_arguments, reason = "the arguments of a playout, each of another kind")]
pub(super) fn softmax<G: Geometry>(
    engine: Engine,
    game: Game,
    tabu: u8,
    biases: Option<&Biases>,
    lists: &mut Lists<G>,
    state: &mut Position<G>,
    policy: &Policy,
    trace: &mut Trace<u16>,
    rng: &mut Rng,
) {
    engine.for_lists().run(Softmax { game, tabu, biases, lists, state, policy, trace, rng });
}

struct Softmax<'a, G: Geometry> {
    game: Game,
    tabu: u8,
    biases: Option<&'a Biases>,
    lists: &'a mut Lists<G>,
    state: &'a mut Position<G>,
    policy: &'a Policy,
    trace: &'a mut Trace<u16>,
    rng: &'a mut Rng,
}

/// Adds the cells of a window to a mask.
#[inline(always)]
fn or_into<G: Geometry>(words: &mut G::Words, base: usize, cells: G::Window) {
    let (first, parts) = unwindow::<G>(base, cells);
    for (i, part) in parts.into_iter().enumerate().take(reach::<G>() + 1) {
        if first + i < G::WORDS {
            words[first + i] |= part;
        }
    }
}

/// Takes the cells of a window out of a mask.
#[inline(always)]
fn clear_from<G: Geometry>(words: &mut G::Words, base: usize, cells: G::Window) {
    let (first, parts) = unwindow::<G>(base, cells);
    for (i, part) in parts.into_iter().enumerate().take(reach::<G>() + 1) {
        if first + i < G::WORDS {
            words[first + i] &= !part;
        }
    }
}

/// How many words after its first a window may touch.
const fn reach<G: Geometry>() -> usize {
    (4 * G::LANE as usize).div_ceil(64)
}

/// The groups of the present board and what may be drawn of them.
///
/// Single words are written here, so that nothing may read several of them at once: a vector load behind a narrow store
/// has to wait for it.
struct Listed<G: Geometry> {
    /// Smallest cells of all groups, and of the available ones.
    all: G::Words,
    open: G::Words,
    /// Number of groups by kind.
    counts: [u32; 3],
    available: [bool; 3],
    /// Summed weight of the available groups by column of their smallest cell.
    columns: [u64; 32],
    total: u64,
}

impl<G: Geometry> Listed<G> {
    /// Makes a group available or unavailable.
    #[inline(always)]
    fn set_open(&mut self, cell: usize, weight: u64, open: bool) {
        let column = cell / G::LANE as usize;
        if open {
            self.open[cell / 64] |= 1 << (cell % 64);
            self.columns[column] += weight;
            self.total += weight;
        } else {
            self.open[cell / 64] &= !(1 << (cell % 64));
            self.columns[column] -= weight;
            self.total -= weight;
        }
    }
}

impl<G: Geometry> KernelTask<G> for Softmax<'_, G> {
    type Output = ();

    // One function, long as it is: what a playout changes at each move is in local variables, which stay in registers.
    #[inline(always)]
    fn run<O: Ops<G>>(self, ops: O) {
        let Self { game, tabu, biases, lists, state, policy, trace, rng } = self;
        let Lists { slots, wide } = lists;
        let [square, linear, constant] = game.coefficients();
        if slots.is_empty() {
            let free = Slot {
                cells: G::Window::EMPTY,
                weight: 0,
                code: 0,
                since: 0,
                size: 0,
                base: 0,
                kind: 0,
                wide: false,
                bias: 0,
            };
            slots.resize(G::WORDS * 64, free);
        }
        // A length known here spares bounds checks below.
        let slots = &mut slots[..G::WORDS * 64];
        wide.clear();
        // A local copy keeps the generator's state in registers.
        let mut local = rng.clone();
        let mut tiles = ops.load(&state.board);
        let mut linked = ops.links(&tiles);
        let mut listed = Listed::<G> {
            all: G::Words::default(),
            open: G::Words::default(),
            counts: [0; 3],
            available: [true, false, false],
            columns: [0; 32],
            total: 0,
        };
        // Cells of listed groups.
        let mut covered = G::Words::default();
        let mut step = trace.steps() as u32;
        loop {
            let links = Links::new(ops, &linked);
            let in_groups = ops.words(ops.cells(&linked));
            let board = ops.store(&tiles);
            for w in 0..G::WORDS {
                loop {
                    let rest = in_groups[w] & !covered[w];
                    if rest == 0 {
                        break;
                    }
                    let cell = w * 64 + rest.trailing_zeros() as usize;
                    let group = flood_lowest(ops, &links, cell);
                    let color = board.color_at(cell as u16);
                    let code = code::<G>(color, &group);
                    let (weight, bias) = match biases {
                        None => (policy.weight(code), 0),
                        Some(biases) => {
                            let bias = biases.place(color, group.size);
                            (policy.biased_weight(code, biases.factors[usize::from(bias)]), bias)
                        }
                    };
                    let kind = match (color == tabu, group.size) {
                        (false, _) => FREE,
                        (true, 2) => PAIR,
                        (true, _) => BANNED,
                    };
                    let (cells, base, is_wide) = match &group.body {
                        Body::Window(cells) => {
                            or_into::<G>(&mut covered, group.base, *cells);
                            (*cells, group.base, false)
                        }
                        Body::Wide(words) => {
                            for i in 0..G::WORDS {
                                covered[i] |= words[i];
                            }
                            wide.push((cell as u16, *words));
                            (G::Window::EMPTY, 0, true)
                        }
                    };
                    slots[cell] = Slot {
                        cells,
                        weight,
                        code,
                        since: step,
                        size: group.size as u16,
                        base: base as u8,
                        kind: kind as u8,
                        wide: is_wide,
                        bias,
                    };
                    listed.all[w] |= 1 << (cell % 64);
                    listed.counts[kind] += 1;
                    if listed.available[kind] {
                        listed.set_open(cell, weight, true);
                    }
                }
            }
            if tabu != 0 {
                let wanted = available(ops, &tiles, &in_groups, &listed, tabu, state.played);
                if wanted != listed.available {
                    switch(&mut listed, wanted, slots, biases, trace, step);
                }
            }
            if listed.total == 0 {
                // Weights are at least 1, so that nothing is left to draw.
                break;
            }
            let cell = draw(&listed, slots, local.below(listed.total));
            let chosen = slots[cell];
            trace.step(0, cell as u16);
            let n = i64::from(chosen.size);
            state.points += (square * n + linear) * n + constant;
            state.played += 1;
            let before = (tiles, linked);
            if chosen.wide {
                let words = wide.iter().find(|group| usize::from(group.0) == cell).map(|group| group.1);
                ops.remove(&mut tiles, &words.unwrap_or_default());
            } else {
                ops.remove_window(&mut tiles, usize::from(chosen.base), chosen.cells);
            }
            linked = ops.links(&tiles);
            // A group lives on exactly if no cell of it changed its colour or one of its links.
            let mut touched = ops.or(ops.xor(before.1.up, linked.up), ops.xor(before.1.down, linked.down));
            touched =
                ops.or(touched, ops.or(ops.xor(before.1.right, linked.right), ops.xor(before.1.left, linked.left)));
            for i in 0..G::PLANES {
                touched = ops.or(touched, ops.xor(ops.plane(&before.0, i), ops.plane(&tiles, i)));
            }
            let touched = ops.words(touched);
            step += 1;
            let ended = ended::<G>(&listed.all, &touched, slots, wide, &mut covered);
            for w in 0..G::WORDS {
                let mut rest = ended[w];
                listed.all[w] &= !rest;
                while rest != 0 {
                    let gone = w * 64 + rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    let slot = &slots[gone];
                    clear_from::<G>(&mut covered, usize::from(slot.base), slot.cells);
                    listed.counts[usize::from(slot.kind)] -= 1;
                    if listed.available[usize::from(slot.kind)] {
                        let entry = record(trace, slot, biases, step);
                        if gone == cell {
                            trace.set_chosen(step as usize - 1, entry);
                        }
                        listed.set_open(gone, slot.weight, false);
                    }
                }
            }
        }
        state.board = ops.store(&tiles);
        *rng = local;
    }
}

/// Records a group that is no longer available. Returns the number of the entry.
#[inline(always)]
fn record<G: Geometry>(trace: &mut Trace<u16>, slot: &Slot<G>, biases: Option<&Biases>, end: u32) -> u32 {
    let lifetime = Lifetime { code: slot.code, first: slot.since, end };
    match biases {
        None => trace.record(lifetime),
        Some(biases) => trace.record_biased(lifetime, biases.factors[usize::from(slot.bias)]),
    }
}

/// The groups that a move ended.
#[inline(always)]
fn ended<G: Geometry>(
    listed: &G::Words,
    touched: &G::Words,
    slots: &[Slot<G>],
    wide: &mut Vec<(u16, G::Words)>,
    covered: &mut G::Words,
) -> G::Words {
    let mut ended = G::Words::default();
    let lane = G::LANE as usize;
    let Some(first) = (0..G::WORDS).find(|&w| touched[w] != 0) else { return ended };
    let last = (first..G::WORDS).rfind(|&w| touched[w] != 0).unwrap_or(first);
    let lowest = first * 64 + touched[first].trailing_zeros() as usize;
    let highest = last * 64 + 63 - touched[last].leading_zeros() as usize;
    // A window shows four columns: groups that begin further left, or behind the last touched column, are out of reach.
    let from = (lowest / lane).saturating_sub(3) * lane;
    let to = (highest / lane + 1) * lane;
    for w in from / 64..to.div_ceil(64) {
        let mut within = !0_u64;
        if w * 64 < from {
            within &= !0 << (from - w * 64);
        }
        if w * 64 + 64 > to {
            within &= !0 >> (w * 64 + 64 - to);
        }
        let mut rest = listed[w] & within;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let slot = &slots[w * 64 + bit as usize];
            let hit = window::<G>(touched, usize::from(slot.base)) & slot.cells != G::Window::EMPTY;
            // Without a branch: about every third is hit, which no branch predictor foresees.
            ended[w] |= u64::from(hit) << bit;
        }
    }
    if !wide.is_empty() {
        wide.retain(|(cell, words)| {
            let hit = (0..G::WORDS).any(|w| words[w] & touched[w] != 0);
            if hit {
                ended[usize::from(*cell) / 64] |= 1 << (cell % 64);
                for w in 0..G::WORDS {
                    covered[w] &= !words[w];
                }
            }
            !hit
        });
    }
    ended
}

/// Which kinds the selective rule allows at this step.
#[inline(always)]
fn available<G: Geometry, O: Ops<G>>(
    ops: O,
    tiles: &O::Tiles,
    in_groups: &G::Words,
    listed: &Listed<G>,
    tabu: u8,
    played: u32,
) -> [bool; 3] {
    let mut components = listed.counts[PAIR] + listed.counts[BANNED];
    if components <= 1 {
        let tabu_cells = ops.words(ops.color(tiles, tabu));
        for w in 0..G::WORDS {
            components += (tabu_cells[w] & !in_groups[w]).count_ones();
        }
    }
    let pairs = played > 10;
    let nothing_else = listed.counts[FREE] == 0 && (!pairs || listed.counts[PAIR] == 0);
    let all = components <= 1 || nothing_else;
    [true, all || pairs, all]
}

/// Opens or closes the entries of the kinds whose availability changes.
#[cold]
fn switch<G: Geometry>(
    listed: &mut Listed<G>,
    wanted: [bool; 3],
    slots: &mut [Slot<G>],
    biases: Option<&Biases>,
    trace: &mut Trace<u16>,
    step: u32,
) {
    let all = listed.all;
    for cell in (0..G::WORDS).flat_map(|w| bits(all[w]).map(move |bit| w * 64 + bit)) {
        let slot = &mut slots[cell];
        let kind = usize::from(slot.kind);
        if wanted[kind] == listed.available[kind] {
            continue;
        }
        if wanted[kind] {
            slot.since = step;
        } else if slot.since < step {
            // One closed in the step in which it opened was never offered.
            record(trace, slot, biases, step);
        }
        listed.set_open(cell, slot.weight, wanted[kind]);
    }
    listed.available = wanted;
}

/// The available group at which the running sum of weights, in the order of smallest cells, first exceeds `rest`.
#[inline(always)]
fn draw<G: Geometry>(listed: &Listed<G>, slots: &[Slot<G>], mut rest: u64) -> usize {
    let mut column = 0;
    while rest >= listed.columns[column] {
        rest -= listed.columns[column];
        column += 1;
    }
    let bit = column * G::LANE as usize;
    let mut cells = listed.open[bit / 64] >> (bit % 64) & (u64::MAX >> (64 - G::LANE));
    loop {
        let cell = bit + cells.trailing_zeros() as usize;
        if rest < slots[cell].weight {
            return cell;
        }
        rest -= slots[cell].weight;
        cells &= cells - 1;
    }
}
