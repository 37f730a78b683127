//! Groups: connected equal tiles, found by flooding a window of four columns.

use super::geometry::{Geometry, Window, base_of, count, lowest, spread, window};
use super::ops::{Linked, Ops};

/// The links between equal neighbours, as words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Links<G: Geometry> {
    /// Cells equal to the cell above.
    pub up: G::Words,
    /// Cells equal to the cell in the next column.
    pub right: G::Words,
    /// Cells equal to the cell in the column before.
    pub left: G::Words,
}

impl<G: Geometry> Links<G> {
    /// Returns the words of an engine's masks.
    #[inline(always)]
    pub fn new<O: Ops<G>>(ops: O, linked: &Linked<O::Mask>) -> Self {
        Self { up: ops.words(linked.up), right: ops.words(linked.right), left: ops.words(linked.left) }
    }

    /// Returns the cells that have an equal neighbour.
    #[must_use]
    pub fn cells(&self) -> G::Words {
        let mut out = G::Words::default();
        for w in 0..G::WORDS {
            out[w] = self.up[w] | self.up[w] << 1 | self.right[w] | self.left[w];
        }
        out
    }
}

/// The cells of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body<G: Geometry> {
    /// Within four columns from the group's base.
    Window(G::Window),
    /// Anywhere.
    Wide(G::Words),
}

/// A group of equal tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group<G: Geometry> {
    /// The smallest cell.
    pub cell: usize,
    /// Number of tiles.
    pub size: u32,
    /// Column of the window's first lane; meaningless for a wide body.
    pub base: usize,
    /// The tiles.
    pub body: Body<G>,
}

impl<G: Geometry> Group<G> {
    /// Returns the cells as a mask of the board.
    #[inline(always)]
    pub fn mask(&self) -> G::Words {
        match &self.body {
            Body::Window(window) => spread::<G>(self.base, *window),
            Body::Wide(words) => *words,
        }
    }

    #[inline(always)]
    fn in_window(base: usize, cells: G::Window) -> Self {
        let cell = base * G::LANE as usize + cells.lowest() as usize;
        Self { cell, size: cells.count(), base, body: Body::Window(cells) }
    }

    #[inline(always)]
    fn wide(words: G::Words) -> Self {
        let cell = lowest::<G>(&words).unwrap_or(0);
        Self { cell, size: count::<G>(&words) as u32, base: 0, body: Body::Wide(words) }
    }
}

/// Everything linked to `seed` within a window. The steps before the first test cover most groups: what a flood costs
/// is the misprediction at its end.
#[inline(always)]
fn flood_window<G: Geometry>(seed: G::Window, up: G::Window, right: G::Window) -> G::Window {
    let step = |s: G::Window| s | ((s & up) << 1 | (s >> 1) & up) | ((s & right) << G::LANE | (s >> G::LANE) & right);
    let mut s = step(step(step(seed)));
    loop {
        let t = step(s);
        if t == s {
            return s;
        }
        s = step(t);
    }
}

/// Everything linked to `seed` on the whole board.
#[inline(always)]
fn flood_board<G: Geometry, O: Ops<G>>(ops: O, links: &Links<G>, seed: G::Words) -> G::Words {
    let up = ops.mask(&links.up);
    let right = ops.mask(&links.right);
    let step = |s| {
        let vertical = ops.or(ops.up(ops.and(s, up)), ops.and(ops.down(s), up));
        let horizontal = ops.or(ops.right(ops.and(s, right)), ops.and(ops.left(s), right));
        ops.or(s, ops.or(vertical, horizontal))
    };
    let mut s = ops.mask(&seed);
    loop {
        let before = step(step(s));
        s = step(before);
        if !ops.any(ops.xor(s, before)) {
            return ops.words(s);
        }
    }
}

/// Returns the lane that is first, or last, of a window.
#[inline(always)]
pub(super) fn lane<G: Geometry>(index: u32) -> G::Window {
    // Cells of one lane: all below its end that are not below its start.
    let first = (G::Window::ONE << (G::LANE - 1)).below() | G::Window::ONE << (G::LANE - 1);
    first << (index * G::LANE)
}

/// Returns the group of `cell` if that is its smallest cell.
#[inline(always)]
pub fn flood_smallest<G: Geometry, O: Ops<G>>(ops: O, links: &Links<G>, cell: usize) -> Option<Group<G>> {
    let column = cell / G::LANE as usize;
    let base = base_of::<G>(column);
    let seed = G::Window::ONE << (cell - base * G::LANE as usize) as u32;
    let right = window::<G>(&links.right, base);
    let s = flood_window::<G>(seed, window::<G>(&links.up, base), right);
    // A smaller cell in the window, or in the column before it.
    let smaller = s & seed.below() | s & window::<G>(&links.left, base) & lane::<G>(0);
    if smaller != G::Window::EMPTY {
        return None;
    }
    if s & right & lane::<G>(3) == G::Window::EMPTY {
        return Some(Group { cell, size: s.count(), base, body: Body::Window(s) });
    }
    let group = flood_wide(ops, links, base, s);
    (group.cell == cell).then_some(group)
}

/// Returns the group of the lowest cell of `rest`, a nonempty mask of whole groups: what is lowest there is its group's
/// smallest.
#[inline(always)]
pub fn flood_lowest<G: Geometry, O: Ops<G>>(ops: O, links: &Links<G>, cell: usize) -> Group<G> {
    let base = base_of::<G>(cell / G::LANE as usize);
    let seed = G::Window::ONE << (cell - base * G::LANE as usize) as u32;
    let right = window::<G>(&links.right, base);
    let s = flood_window::<G>(seed, window::<G>(&links.up, base), right);
    // The window of the last four columns may have room on the left, but no cell of the group is there.
    if s & right & lane::<G>(3) == G::Window::EMPTY {
        return Group { cell, size: s.count(), base, body: Body::Window(s) };
    }
    flood_wide(ops, links, base, s)
}

/// Returns the group of any cell.
#[inline(always)]
pub fn flood_from<G: Geometry, O: Ops<G>>(ops: O, links: &Links<G>, cell: usize) -> Group<G> {
    // One column of room on the left.
    let base = base_of::<G>((cell / G::LANE as usize).saturating_sub(1));
    let seed = G::Window::ONE << (cell - base * G::LANE as usize) as u32;
    let right = window::<G>(&links.right, base);
    let s = flood_window::<G>(seed, window::<G>(&links.up, base), right);
    let beyond = s & right & lane::<G>(3) | s & window::<G>(&links.left, base) & lane::<G>(0);
    if beyond == G::Window::EMPTY {
        return Group::in_window(base, s);
    }
    flood_wide(ops, links, base, s)
}

#[inline(always)]
fn flood_wide<G: Geometry, O: Ops<G>>(ops: O, links: &Links<G>, base: usize, s: G::Window) -> Group<G> {
    Group::wide(flood_board(ops, links, spread::<G>(base, s)))
}

/// Whether the cells of `mask`, of one colour, form at least two connected components (single cells count).
#[inline(always)]
pub fn several_components<G: Geometry, O: Ops<G>>(ops: O, links: &Links<G>, mask: &G::Words) -> bool {
    let (mut cells, mut pairs) = (0, 0);
    for w in 0..G::WORDS {
        cells += mask[w].count_ones();
        pairs += (mask[w] & links.up[w]).count_ones() + (mask[w] & links.right[w]).count_ones();
    }
    // A connected component of n cells has at least n - 1 links.
    if cells >= pairs + 2 {
        return true;
    }
    lowest::<G>(mask).is_some_and(|cell| flood_from(ops, links, cell).size < cells)
}

/// Returns the next cell of `mask` from `start` on, from the beginning again after the end.
#[inline(always)]
pub fn next_cyclic<G: Geometry>(mask: &G::Words, start: usize) -> Option<usize> {
    let first = start / 64;
    let here = mask[first] & !0 << (start % 64);
    if here != 0 {
        return Some(first * 64 + here.trailing_zeros() as usize);
    }
    for i in 1..=G::WORDS {
        let w = (first + i) % G::WORDS;
        if mask[w] != 0 {
            return Some(w * 64 + mask[w].trailing_zeros() as usize);
        }
    }
    None
}

/// The code constants: outputs of SplitMix64 from a written seed, so that they never change.
const fn split_mix<const N: usize>(mut x: u64, odd: u64) -> [u64; N] {
    let mut out = [0; N];
    let mut i = 0;
    while i < N {
        x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = x;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        out[i] = (z ^ (z >> 31)) | odd;
        i += 1;
    }
    out
}

/// Mixed into a code: the colour.
pub static COLOR_SALT: [u64; 16] = split_mix(0x5010_1571_0000_0001, 0);
/// The odd multiplier of a code: the column.
pub static COLUMN_FACTOR: [u64; 64] = split_mix(0x5010_1571_0000_0002, 1);

/// Both halves of a product, folded.
#[inline(always)]
const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    (product >> 64) as u64 ^ product as u64
}

/// Returns the code of a group within the 64 bits from its leftmost column on: `mask` starts at that column.
#[inline(always)]
#[must_use]
pub fn code_of(color: u8, column: usize, mask: u64) -> u64 {
    fold(mask ^ COLOR_SALT[usize::from(color & 15)], COLUMN_FACTOR[column & 63])
}

/// Returns the code with 64 more bits of the group, `column` being the first column they show.
#[inline(always)]
#[must_use]
pub fn code_more(code: u64, column: usize, mask: u64) -> u64 {
    fold(mask ^ code, COLUMN_FACTOR[column & 63])
}

/// Returns the code of a group in its window.
#[inline(always)]
#[must_use]
pub fn code_window<G: Geometry>(color: u8, cell: usize, base: usize, cells: G::Window) -> u64 {
    let column = cell / G::LANE as usize;
    let wide: u128 = (cells >> ((column - base) as u32 * G::LANE)).into();
    let code = code_of(color, column, wide as u64);
    match (wide >> 64) as u64 {
        0 => code,
        more => code_more(code, column + 64 / G::LANE as usize, more),
    }
}

/// Returns the code of a group: equal cells and colour, equal code, whatever window they were found in.
#[must_use]
pub fn code<G: Geometry>(color: u8, group: &Group<G>) -> u64 {
    let words = match &group.body {
        Body::Window(cells) => return code_window::<G>(color, group.cell, group.base, *cells),
        Body::Wide(words) => words,
    };
    let mut column = group.cell / G::LANE as usize;
    let part = |column: usize| {
        let bit = column * G::LANE as usize;
        let next = if bit / 64 + 1 < G::WORDS { words[bit / 64 + 1] } else { 0 };
        words[bit / 64] >> (bit % 64) | (next << 1) << (63 - bit % 64)
    };
    let mut code = code_of(color, column, part(column));
    loop {
        column += 64 / G::LANE as usize;
        if column >= G::COLUMNS || part(column) == 0 {
            return code;
        }
        code = code_more(code, column, part(column));
    }
}
