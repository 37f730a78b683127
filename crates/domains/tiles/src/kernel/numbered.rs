//! Boards whose tiles are known by where they stood at the start.
//!
//! Removing a group moves other tiles, but never changes the order of the tiles of a column or of the columns. What is
//! left of each start column therefore says where every tile is now, and which tile is at a place.

use super::board::Board;
use super::geometry::{Geometry, Window, base_of, close_column, count, lane_at, spread, unwindow, window};
use super::group::{Body, Group, lane};
use super::ops::Ops;
use crate::game::Game;

/// A board with what is left of each start column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered<G: Geometry> {
    /// The tiles where they are now.
    pub board: Board<G>,
    /// The rows of the start board whose tiles are still there, in the order of the columns of now.
    left: G::Words,
    /// The columns of the start board that still have tiles.
    columns: u32,
    /// Points of the moves so far.
    pub points: i32,
    /// Points of the moves to come if each colour left in one group: at least what they can bring.
    pub hope: i32,
}

impl<G: Geometry> Numbered<G> {
    /// Numbers the tiles of a board: tile = column x lane width + row from the bottom.
    #[must_use]
    pub fn new(board: &Board<G>, game: Game) -> Self {
        let left = board.occupied();
        let columns =
            (0..G::COLUMNS).filter(|&column| lane_at::<G>(&left, column) != 0).map(|column| 1 << column).sum();
        let hope = board.color_counts()[1..].iter().map(|&count| points(game, count)).sum();
        Self { board: *board, left, columns, points: 0, hope }
    }

    /// Becomes a copy of another board. Field by field: one copy of the whole is a call of `memcpy` here, and what is
    /// read behind it waits for its wide stores.
    #[inline(always)]
    pub fn copy_from(&mut self, other: &Self) {
        for plane in 0..G::PLANES {
            self.board.planes[plane] = other.board.planes[plane];
        }
        self.left = other.left;
        (self.columns, self.points, self.hope) = (other.columns, other.points, other.hope);
    }

    /// Whether the same tiles are left as on another board that has the same start.
    #[inline(always)]
    pub fn is_level(&self, other: &Self) -> bool {
        self.hope == other.hope && self.columns == other.columns && self.left == other.left
    }

    /// Returns the cell where a tile is now; `None` if it is gone.
    #[inline(always)]
    pub fn find(&self, tile: u16) -> Option<usize> {
        let (column, row) = (u32::from(tile) / G::LANE, u32::from(tile) % G::LANE);
        let now = (self.columns & ((1 << column) - 1)).count_ones();
        let lane = lane_at::<G>(&self.left, now as usize);
        if (self.columns >> column & 1 == 0) | (lane >> row & 1 == 0) {
            return None;
        }
        Some((now * G::LANE + (lane & ((1 << row) - 1)).count_ones()) as usize)
    }

    /// Returns the tile at a cell that holds one.
    #[inline(always)]
    pub fn tile<O: Ops<G>>(&self, ops: O, cell: usize) -> u16 {
        let now = cell / G::LANE as usize;
        let column = ops.deposit(1 << now, u64::from(self.columns)).trailing_zeros();
        let row = ops.deposit(1 << (cell % G::LANE as usize), lane_at::<G>(&self.left, now)).trailing_zeros();
        (column * G::LANE + row) as u16
    }

    /// Returns the tiles linked to a cell that holds one, the tile alone included.
    #[inline(always)]
    pub fn group<O: Ops<G>>(&self, ops: O, cell: usize) -> Group<G> {
        let width = G::LANE as usize;
        // One column of room on the left.
        let base = base_of::<G>((cell / width).saturating_sub(1));
        let bit = (cell - base * width) as u32;
        let mut color = 0_u8;
        let mut same = !G::Window::EMPTY;
        for i in 0..G::PLANES {
            let plane = window_by_words::<G>(&self.board.planes[i], base);
            let set = plane >> bit & G::Window::ONE != G::Window::EMPTY;
            color |= u8::from(set) << i;
            same = same & !(plane ^ G::Window::filled(set));
        }
        let step = |s: G::Window| (s | s << 1 | s >> 1 | s << G::LANE | s >> G::LANE) & same;
        let seed = G::Window::ONE << bit;
        let mut s = step(seed);
        if s == seed {
            return Group { cell, size: 1, base, body: Body::Window(s) };
        }
        s = step(step(s));
        loop {
            let t = step(s);
            if t == s {
                break;
            }
            s = step(t);
        }
        let beyond = |inside: u32, outside: usize| {
            let edge: u128 = (s >> (inside * G::LANE)).into();
            let mut equal = edge as u64 & ((1 << G::LANE) - 1);
            for i in 0..G::PLANES {
                let plane = lane_at::<G>(&self.board.planes[i], outside);
                equal &= if color >> i & 1 == 1 { plane } else { !plane };
            }
            equal != 0
        };
        let wide = s & lane::<G>(3) != G::Window::EMPTY && base + 4 < G::COLUMNS && beyond(3, base + 4)
            || s & lane::<G>(0) != G::Window::EMPTY && base > 0 && beyond(0, base - 1);
        if !wide {
            return Group { cell, size: s.count(), base, body: Body::Window(s) };
        }
        let words = self.flood(ops, color, spread::<G>(base, s));
        Group { cell, size: count::<G>(&words) as u32, base: 0, body: Body::Wide(words) }
    }

    /// The tiles of a colour linked to some of them.
    #[inline(always)]
    fn flood<O: Ops<G>>(&self, ops: O, color: u8, seed: G::Words) -> G::Words {
        let same = ops.color(&ops.load(&self.board), color);
        let mut s = ops.mask(&seed);
        loop {
            let before = s;
            for _ in 0..3 {
                let upright = ops.or(s, ops.or(ops.up(s), ops.down(s)));
                s = ops.and(ops.or(upright, ops.or(ops.right(s), ops.left(s))), same);
            }
            if !ops.any(ops.xor(s, before)) {
                return ops.words(s);
            }
        }
    }

    /// Removes a group of at least two tiles.
    #[inline(always)]
    pub fn play<O: Ops<G>>(&mut self, ops: O, game: Game, group: &Group<G>) {
        let before = count::<G>(&self.board.color_mask(self.board.color_at(group.cell as u16))) as u32;
        let occupied = self.board.occupied();
        match &group.body {
            Body::Window(cells) => {
                let (first, parts) = unwindow::<G>(group.base, *cells);
                for (i, part) in parts.into_iter().enumerate() {
                    if part != 0 {
                        let w = first + i;
                        self.left[w] ^= ops.deposit(ops.extract(part, occupied[w]), self.left[w]);
                    }
                }
            }
            Body::Wide(words) => {
                for w in 0..G::WORDS {
                    self.left[w] ^= ops.deposit(ops.extract(words[w], occupied[w]), self.left[w]);
                }
            }
        }
        ops.remove_from(&mut self.board, group);
        self.points += points(game, group.size);
        self.hope += points(game, before - group.size) - points(game, before);
        // Filled columns are contiguous from the left: the last one is empty when any has been emptied.
        let last = self.columns.count_ones() - 1;
        if self.board.color_at((last * G::LANE) as u16) == 0 {
            self.close(ops);
        }
    }

    /// Closes the columns that are empty.
    #[cold]
    #[inline(never)]
    fn close<O: Ops<G>>(&mut self, ops: O) {
        let mut column = self.columns.count_ones() as usize;
        while column > 0 {
            column -= 1;
            if lane_at::<G>(&self.left, column) != 0 {
                continue;
            }
            self.columns ^= ops.deposit(1 << column, u64::from(self.columns)) as u32;
            close_column::<G>(&mut self.left, column);
        }
    }

    /// Returns a cell of a group, drawn evenly from the cells of all groups but those of a colour, unless there are no
    /// others.
    #[inline(always)]
    pub fn draw<O: Ops<G>>(&self, ops: O, kept: u8, index: impl FnOnce(usize) -> usize) -> Option<usize> {
        let tiles = ops.load(&self.board);
        let linked = ops.cells(&ops.links(&tiles));
        let mut cells = linked;
        if kept > 0 {
            cells = ops.without(linked, ops.color(&tiles, kept));
            if !ops.any(cells) {
                cells = linked;
            }
        }
        let cells = ops.words(cells);
        let count = count::<G>(&cells);
        if count == 0 { None } else { Some(ops.select(&cells, index(count))) }
    }
}

/// The four columns of a mask from `base` on. Whole words are read: they are in registers or were just written.
#[inline(always)]
fn window_by_words<G: Geometry>(words: &G::Words, base: usize) -> G::Window {
    if G::LANE != 16 {
        return window::<G>(words, base);
    }
    let (w, shift) = (base / 4, base % 4 * 16);
    let next = words[(w + 1).min(G::WORDS - 1)];
    G::Window::truncate(u128::from(words[w] >> shift | (next << 1) << (63 - shift)))
}

/// The points of a group of this size; 0 below two tiles.
#[inline(always)]
fn points(game: Game, size: u32) -> i32 {
    let [square, linear, constant] = game.coefficients().map(|coefficient| coefficient as i32);
    let size = size as i32;
    if size < 2 { 0 } else { (square * size + linear) * size + constant }
}
