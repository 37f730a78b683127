//! The few operations on masks that differ from engine to engine.

use super::board::Board;
use super::geometry::{Geometry, close_column, unwindow};
use super::group::{Body, Group};

/// The links of a position in an engine's registers.
#[derive(Clone, Copy, Debug)]
pub struct Linked<M> {
    /// Equal to the cell above.
    pub up: M,
    /// Equal to the cell below.
    pub down: M,
    /// Equal to the cell in the next column.
    pub right: M,
    /// Equal to the cell in the column before.
    pub left: M,
}

/// Operations on masks, as one engine does them.
pub trait Masks<G: Geometry>: Copy {
    /// A bit per cell.
    type Mask: Copy;
    /// A mask from words.
    fn mask(self, words: &G::Words) -> Self::Mask;
    /// The words of a mask.
    fn words(self, mask: Self::Mask) -> G::Words;
    /// Every bit of the mask, or none.
    fn uniform(self, set: bool) -> Self::Mask;
    /// Cells of both.
    fn and(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Cells of either.
    fn or(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Cells of just one.
    fn xor(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Cells of `a` that are not in `b`.
    fn without(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Every cell moved up by one. The guard bits must be clear.
    fn up(self, a: Self::Mask) -> Self::Mask;
    /// Every cell moved down by one; guard bits of the result may be garbage where bottom cells were set.
    fn down(self, a: Self::Mask) -> Self::Mask;
    /// Every cell moved one column to the right.
    fn right(self, a: Self::Mask) -> Self::Mask;
    /// Every cell moved one column to the left.
    fn left(self, a: Self::Mask) -> Self::Mask;
    /// Whether there is a cell.
    fn any(self, a: Self::Mask) -> bool;
}

/// Operations on boards, as one engine does them. A value of an implementing type is a promise that the processor has
/// what it needs.
pub trait Ops<G: Geometry>: Masks<G> {
    /// The colour planes.
    type Tiles: Copy;

    /// The operations.
    ///
    /// # Safety
    /// The processor has the instructions of the engine that these operations belong to.
    unsafe fn assume() -> Self;
    /// The planes of a board.
    fn load(self, board: &Board<G>) -> Self::Tiles;
    /// The board of some planes.
    fn store(self, tiles: &Self::Tiles) -> Board<G>;
    /// One plane.
    fn plane(self, tiles: &Self::Tiles, i: usize) -> Self::Mask;
    /// The k-th cell of a mask, counted from 0; k is below the number of cells.
    fn select(self, words: &G::Words, k: usize) -> usize;
    /// The bits of `bits`, from the lowest on, at the places of the bits set in `places`, from the lowest on.
    fn deposit(self, bits: u64, places: u64) -> u64;
    /// The bits of `bits` at the places of the bits set in `places`, packed at the low end.
    fn extract(self, bits: u64, places: u64) -> u64;
    /// Removes cells, lets the tiles above fall and closes emptied columns.
    fn remove(self, tiles: &mut Self::Tiles, cells: &G::Words);
    /// The same for the cells of a window.
    fn remove_window(self, tiles: &mut Self::Tiles, base: usize, window: G::Window);

    /// Removes a group from a board in memory.
    #[inline(always)]
    fn remove_from(self, board: &mut Board<G>, group: &Group<G>) {
        let mut tiles = self.load(board);
        match &group.body {
            Body::Window(window) => self.remove_window(&mut tiles, group.base, *window),
            Body::Wide(words) => self.remove(&mut tiles, words),
        }
        *board = self.store(&tiles);
    }

    /// The links between equal neighbours.
    #[inline(always)]
    fn links(self, tiles: &Self::Tiles) -> Linked<Self::Mask> {
        let first = self.plane(tiles, 0);
        let mut occupied = first;
        let mut differs_up = self.xor(first, self.down(first));
        let mut differs_right = self.xor(first, self.left(first));
        for i in 1..G::PLANES {
            let plane = self.plane(tiles, i);
            occupied = self.or(occupied, plane);
            differs_up = self.or(differs_up, self.xor(plane, self.down(plane)));
            differs_right = self.or(differs_right, self.xor(plane, self.left(plane)));
        }
        let up = self.without(occupied, differs_up);
        let right = self.without(occupied, differs_right);
        Linked { up, down: self.up(up), right, left: self.right(right) }
    }

    /// The cells that have an equal neighbour.
    #[inline(always)]
    fn cells(self, l: &Linked<Self::Mask>) -> Self::Mask {
        self.or(self.or(l.up, l.down), self.or(l.right, l.left))
    }

    /// The cells of groups with no equal cell below or in the column before: every group's smallest cell is one.
    #[inline(always)]
    fn starts(self, l: &Linked<Self::Mask>) -> Self::Mask {
        self.without(self.or(l.up, l.right), self.or(l.down, l.left))
    }

    /// The smallest cells of the groups of two tiles.
    #[inline(always)]
    fn pairs(self, l: &Linked<Self::Mask>) -> Self::Mask {
        let sideways = self.or(l.right, l.left);
        let vertical = self.without(l.up, self.or(l.down, sideways));
        let vertical = self.without(vertical, self.down(self.or(l.up, sideways)));
        let upright = self.or(l.up, l.down);
        let horizontal = self.without(l.right, self.or(l.left, upright));
        let horizontal = self.without(horizontal, self.left(self.or(l.right, upright)));
        self.or(vertical, horizontal)
    }

    /// The cells of a colour from 1.
    #[inline(always)]
    fn color(self, tiles: &Self::Tiles, color: u8) -> Self::Mask {
        // Without branches: the colour's bits, as masks, stay in registers for a whole playout.
        let mut differs = self.xor(self.plane(tiles, 0), self.uniform(color & 1 == 1));
        for i in 1..G::PLANES {
            let bit = self.uniform(color >> i & 1 == 1);
            differs = self.or(differs, self.xor(self.plane(tiles, i), bit));
        }
        self.without(self.uniform(true), differs)
    }
}

/// The k-th set bit of a word, without PDEP: byte counts in parallel, then bit by bit within the byte.
#[inline(always)]
fn select_word(word: u64, k: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let quads = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (quads + (quads >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    // Byte i of `sums`: set bits in bytes 0..=i, at most 64, so that the high bit is free for comparing with k.
    let sums = bytes.wrapping_mul(ONES);
    let at_most = ((u64::from(k) * ONES) | (ONES << 7)) - sums;
    let byte = ((at_most >> 7 & ONES).wrapping_mul(ONES) >> 56) as u32 * 8;
    let mut k = k - (sums << 8 >> byte & 0xff) as u32;
    let mut bits = word >> byte & 0xff;
    while k > 0 {
        bits &= bits - 1;
        k -= 1;
    }
    byte + bits.trailing_zeros()
}

/// [`Ops::deposit`] without PDEP, place by place.
#[inline(always)]
fn deposit_word(mut bits: u64, mut places: u64) -> u64 {
    let mut out = 0;
    while bits != 0 && places != 0 {
        let place = places & places.wrapping_neg();
        out |= place & (bits & 1).wrapping_neg();
        bits >>= 1;
        places ^= place;
    }
    out
}

/// [`Ops::extract`] without PEXT, bit by bit.
#[inline(always)]
fn extract_word(bits: u64, places: u64) -> u64 {
    let (mut out, mut rest) = (0, bits & places);
    while rest != 0 {
        let place = rest & rest.wrapping_neg();
        out |= 1 << (places & (place - 1)).count_ones();
        rest ^= place;
    }
    out
}

/// Returns the k-th set bit of a mask, the words' counts added up without branches.
#[inline(always)]
pub(super) fn select_words<G: Geometry>(words: &G::Words, k: usize, within: impl FnOnce(u64, u32) -> u32) -> usize {
    let k = k as u32;
    let (mut chosen, mut rest, mut before) = (0, k, 0);
    for w in 0..G::WORDS {
        // The last word with at most k bits before it; an empty word ties with its successor, which wins.
        let starts = k >= before;
        chosen = std::hint::select_unpredictable(starts, w, chosen);
        rest = std::hint::select_unpredictable(starts, k.wrapping_sub(before), rest);
        before += words[w].count_ones();
    }
    chosen * 64 + within(words[chosen], rest) as usize
}

/// Word operations that any processor has; with `BMI`, PDEP selects.
#[derive(Clone, Copy, Debug)]
pub struct Scalar<const BMI: bool>(());

/// The operations that any processor has.
pub const PORTABLE: Scalar<false> = Scalar(());

/// Applies `f` to every word.
#[inline(always)]
fn each<G: Geometry>(f: impl Fn(usize) -> u64) -> G::Words {
    let mut out = G::Words::default();
    for w in 0..G::WORDS {
        out[w] = f(w);
    }
    out
}

impl<const BMI: bool, G: Geometry> Masks<G> for Scalar<BMI> {
    type Mask = G::Words;
    #[inline(always)]
    fn mask(self, words: &G::Words) -> G::Words {
        *words
    }
    #[inline(always)]
    fn words(self, mask: G::Words) -> G::Words {
        mask
    }
    #[inline(always)]
    fn uniform(self, set: bool) -> G::Words {
        each::<G>(|_| 0_u64.wrapping_sub(u64::from(set)))
    }
    #[inline(always)]
    fn and(self, a: G::Words, b: G::Words) -> G::Words {
        each::<G>(|w| a[w] & b[w])
    }
    #[inline(always)]
    fn or(self, a: G::Words, b: G::Words) -> G::Words {
        each::<G>(|w| a[w] | b[w])
    }
    #[inline(always)]
    fn xor(self, a: G::Words, b: G::Words) -> G::Words {
        each::<G>(|w| a[w] ^ b[w])
    }
    #[inline(always)]
    fn without(self, a: G::Words, b: G::Words) -> G::Words {
        each::<G>(|w| a[w] & !b[w])
    }
    #[inline(always)]
    fn up(self, a: G::Words) -> G::Words {
        each::<G>(|w| a[w] << 1)
    }
    #[inline(always)]
    fn down(self, a: G::Words) -> G::Words {
        each::<G>(|w| a[w] >> 1)
    }
    #[inline(always)]
    fn right(self, a: G::Words) -> G::Words {
        each::<G>(|w| a[w] << G::LANE | if w > 0 { a[w - 1] >> (64 - G::LANE) } else { 0 })
    }
    #[inline(always)]
    fn left(self, a: G::Words) -> G::Words {
        each::<G>(|w| a[w] >> G::LANE | if w + 1 < G::WORDS { a[w + 1] << (64 - G::LANE) } else { 0 })
    }
    #[inline(always)]
    fn any(self, a: G::Words) -> bool {
        let mut all = 0;
        for w in 0..G::WORDS {
            all |= a[w];
        }
        all != 0
    }
}

impl<const BMI: bool, G: Geometry> Ops<G> for Scalar<BMI> {
    type Tiles = Board<G>;

    #[inline(always)]
    unsafe fn assume() -> Self {
        Self(())
    }
    #[inline(always)]
    fn load(self, board: &Board<G>) -> Board<G> {
        *board
    }
    #[inline(always)]
    fn store(self, tiles: &Board<G>) -> Board<G> {
        *tiles
    }
    #[inline(always)]
    fn plane(self, tiles: &Board<G>, i: usize) -> G::Words {
        tiles.planes[i]
    }
    #[inline(always)]
    fn select(self, words: &G::Words, k: usize) -> usize {
        #[cfg(target_arch = "x86_64")]
        if BMI {
            // SAFETY: `Scalar<true>` is only made where the processor has BMI2.
            let pdep = |word, k: u32| unsafe { std::arch::x86_64::_pdep_u64(1_u64 << k, word) }.trailing_zeros();
            return select_words::<G>(words, k, pdep);
        }
        select_words::<G>(words, k, select_word)
    }
    #[inline(always)]
    fn deposit(self, bits: u64, places: u64) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if BMI {
            // SAFETY: `Scalar<true>` is only made where the processor has BMI2.
            return unsafe { std::arch::x86_64::_pdep_u64(bits, places) };
        }
        deposit_word(bits, places)
    }
    #[inline(always)]
    fn extract(self, bits: u64, places: u64) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if BMI {
            // SAFETY: `Scalar<true>` is only made where the processor has BMI2.
            return unsafe { std::arch::x86_64::_pext_u64(bits, places) };
        }
        extract_word(bits, places)
    }
    #[inline(always)]
    fn remove_from(self, board: &mut Board<G>, group: &Group<G>) {
        match &group.body {
            Body::Window(window) => self.remove_window(board, group.base, *window),
            Body::Wide(words) => self.remove(board, words),
        }
    }
    #[inline(always)]
    fn remove(self, tiles: &mut Board<G>, cells: &G::Words) {
        let mut emptied = 0;
        for w in 0..G::WORDS {
            emptied |= fall::<G, BMI>(tiles, w, cells[w]);
        }
        if emptied != 0 {
            close(tiles);
        }
    }
    #[inline(always)]
    fn remove_window(self, tiles: &mut Board<G>, base: usize, window: G::Window) {
        let (first, parts) = unwindow::<G>(base, window);
        let mut emptied = fall::<G, BMI>(tiles, first, parts[0]);
        if parts[1] != 0 {
            emptied |= fall::<G, BMI>(tiles, first + 1, parts[1]);
        }
        if parts[2] != 0 {
            emptied |= fall::<G, BMI>(tiles, first + 2, parts[2]);
        }
        if emptied != 0 {
            close(tiles);
        }
    }
}

/// Removes cells of one word and lets the tiles above fall. Returns the bottom cells of the lanes that became empty.
#[inline(always)]
fn fall<G: Geometry, const BMI: bool>(tiles: &mut Board<G>, w: usize, cells: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if BMI {
        return fall_by_extraction(tiles, w, cells);
    }
    // The lowest removed cell of every lane at once, and again.
    let mut removed = cells;
    let was = (0..G::PLANES).fold(0, |all, i| all | tiles.planes[i][w]);
    let mut is = was;
    while removed != 0 {
        // Lane-wise two's complement: the guard bit absorbs the carry.
        let lowest = removed & ((removed ^ !G::GUARD) + G::BOTTOM);
        let below = (lowest | G::GUARD) - G::BOTTOM;
        let above = !below & !G::GUARD;
        is = 0;
        for i in 0..G::PLANES {
            let plane = tiles.planes[i][w];
            let fallen = plane & below | plane >> 1 & above;
            tiles.planes[i][w] = fallen;
            is |= fallen;
        }
        removed = (removed ^ lowest) >> 1;
    }
    was & !is & G::BOTTOM
}

/// [`fall`] by PEXT and PDEP: what stays is packed, then dealt out to the lanes from their bottoms. No branch depends
/// on the cells.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn fall_by_extraction<G: Geometry>(tiles: &mut Board<G>, w: usize, cells: u64) -> u64 {
    use std::arch::x86_64::{_pdep_u64, _pext_u64};
    let lane = u64::MAX >> (64 - G::LANE);
    let mut places = 0;
    let mut start = 0;
    while start < 64 {
        let removed = (cells >> start & lane).count_ones();
        places |= (lane >> removed) << start;
        start += G::LANE;
    }
    let (mut was, mut is) = (0, 0);
    for i in 0..G::PLANES {
        let plane = tiles.planes[i][w];
        // SAFETY: only `Scalar<true>` comes here, which is only made where the processor has BMI2.
        let fallen = unsafe { _pdep_u64(_pext_u64(plane, !cells), places) };
        tiles.planes[i][w] = fallen;
        was |= plane;
        is |= fallen;
    }
    was & !is & G::BOTTOM
}

/// Closes empty columns that have tiles to their right.
#[cold]
#[inline(never)]
fn close<G: Geometry>(tiles: &mut Board<G>) {
    loop {
        let occupied = tiles.occupied();
        let lane = |column: usize| {
            let bit = column * G::LANE as usize;
            occupied[bit / 64] >> (bit % 64) & 1
        };
        let Some(gap) = (0..G::COLUMNS - 1).find(|&c| lane(c) == 0 && lane(c + 1) != 0) else { return };
        for i in 0..G::PLANES {
            close_column::<G>(&mut tiles.planes[i], gap);
        }
    }
}
