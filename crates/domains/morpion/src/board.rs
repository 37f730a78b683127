//! The board of the search: which lines may be drawn, kept up to date from move to move.
//!
//! Every line that fits on the board has a number and a byte. The byte counts the dots on the line and sums up their
//! positions, `16 x dots + sum of positions`: with all dots but one it identifies the missing one. Its highest bit says
//! that the line may not be drawn any more, or does not fit on the board. Numbers are chosen so that a line's next
//! neighbour in its direction has the next number. The lines through a new dot are then five neighbouring bytes per
//! direction, and a new line shuts out up to nine; both are handled eight at a time in a word.
//!
//! The lines that may be drawn are a bit set, so that their order, by number, depends on what has been drawn and not on
//! the order of drawing: two games that have drawn the same lines list the same moves in the same order.

use super::{Direction, Point, Stroke, Variant};
use soloist_domain::bits::bits;

/// Columns and rows of the board. The cross is in the middle with at least 15 points around it on each side; the
/// longest games known go 9 points beyond it.
pub(super) const SIDE: usize = 40;
const CELLS: usize = SIDE * SIDE;
/// Lines have numbers below this: direction x [`CELLS`] + address of the first point.
pub(super) const LINES: usize = 4 * CELLS;
const WORDS: usize = LINES / 64;
/// Bytes in front of the first line's, which the word of the dots at the first points reaches.
const FRONT: usize = 4;

/// The highest bit of each byte.
const HIGH: u64 = 0x8080_8080_8080_8080;
/// The mark of a line that may not be drawn.
const SHUT: u8 = 0x80;
/// The byte of the line that a word is read around.
const OWN: u64 = 0xff << (8 * FRONT);

/// The address of each cell (row x [`SIDE`] + column) in each direction, offset to that direction's lines.
///
/// Neighbours in the direction have neighbouring addresses; diagonals that leave the board at the top or at the bottom
/// continue at the other side. (No line may be drawn there.)
static ADDRESSES: [[u16; 4]; CELLS] = {
    let mut addresses = [[0; 4]; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let (x, y) = (cell % SIDE, cell / SIDE);
        let down = CELLS + x * SIDE + y;
        let falling = 2 * CELLS + (y + SIDE - x) % SIDE * SIDE + x;
        let rising = 3 * CELLS + (y + x) % SIDE * SIDE + x;
        addresses[cell] = [cell as u16, down as u16, falling as u16, rising as u16];
        cell += 1;
    }
    addresses
};

/// The cell at each address.
static POINTS: [u16; LINES] = {
    let mut points = [0; LINES];
    let mut cell = 0;
    while cell < CELLS {
        let mut direction = 0;
        while direction < 4 {
            points[ADDRESSES[cell][direction] as usize] = cell as u16;
            direction += 1;
        }
        cell += 1;
    }
    points
};

/// A variant as the constants of [`Board::play`].
#[derive(Clone, Debug)]
pub(super) struct Rules {
    length: usize,
    /// Where the cross begins, in columns and rows.
    offset: usize,
    /// What a dot adds to the bytes around its address.
    dot: u64,
    /// The high bits of the bytes that a dot changes.
    lanes: u64,
    /// The high bits of the bytes around a line that it shuts out, in two words.
    shut: [u64; 2],
    /// What lifts a byte to the high bit if it has all dots but one, more than that, all.
    lift: [u64; 3],
    /// The byte of a line that lacks its first point only.
    lacks_first: u8,
    /// Directions in which a dot may change lines, counted from the one after its line's. Disjoint lines shut out all
    /// other lines through the dot in their direction.
    directions: usize,
}

impl Rules {
    pub(super) fn new(variant: Variant) -> Self {
        let length = variant.length();
        let all: u8 = (0..length as u8).map(|position| 16 + position).sum();
        let lacks = |position: usize| all - 16 - position as u8;
        let lift = |from: u8| u64::from(0x80 - from) * 0x0101_0101_0101_0101;
        let (mut dot, mut lanes) = (0, 0);
        for position in 0..length {
            let shift = 8 * (FRONT - position);
            dot |= (16 + position as u64) << shift;
            lanes |= 0x80 << shift;
        }
        let reach = if variant.is_disjoint() { length - 1 } else { length - 2 };
        let shut = (FRONT - reach..=FRONT + reach).fold(0_u128, |shut, byte| shut | 0x80 << (8 * byte));
        Self {
            length,
            offset: (SIDE - variant.cross_size()) / 2,
            dot,
            lanes,
            shut: [shut as u64, (shut >> 64) as u64],
            lift: [lift(lacks(length - 1)), lift(lacks(0) + 1), lift(all)],
            lacks_first: lacks(0),
            directions: if variant.is_disjoint() { 3 } else { 4 },
        }
    }

    /// The high bits of the bytes whose lines may be drawn.
    #[inline(always)]
    fn open(&self, word: u64) -> u64 {
        let dots = word & !HIGH;
        (dots + self.lift[0]) & !(dots + self.lift[1]) & !word & HIGH
    }

    /// The high bits of the bytes whose lines have all dots and are not shut out.
    #[inline(always)]
    fn full(&self, word: u64) -> u64 {
        ((word & !HIGH) + self.lift[2]) & !word & HIGH
    }

    /// The cell of a point.
    fn cell(&self, (x, y): Point) -> Option<usize> {
        let place = |at: i32| usize::try_from(i64::from(at) + self.offset as i64).ok().filter(|&at| at < SIDE);
        Some(place(y)? * SIDE + place(x)?)
    }

    /// Returns a line with the position of its new dot, as people write it.
    pub(super) fn stroke(&self, line: usize, position: usize) -> Stroke {
        let cell = usize::from(POINTS[line + position]);
        let place = |at: usize| at as i32 - self.offset as i32;
        let point = (place(cell % SIDE), place(cell / SIDE));
        Stroke { point, direction: Direction::ALL[line / CELLS], position }
    }

    /// Returns the line that may be drawn on `board` as `stroke` says, if there is one.
    pub(super) fn line(&self, board: &Board, stroke: &Stroke) -> Option<usize> {
        let direction = Direction::ALL.iter().position(|&direction| direction == stroke.direction)?;
        let address = usize::from(ADDRESSES[self.cell(stroke.point)?][direction]);
        let line = address.checked_sub(stroke.position)?;
        (board.is_open(line) && board.missing(self, line) == stroke.position).then_some(line)
    }
}

/// Told about the lines that a move makes possible or impossible; the line drawn itself is not reported.
pub(super) trait Listener {
    fn opened(&mut self, line: usize);
    fn closed(&mut self, line: usize);
}

impl Listener for () {
    #[inline(always)]
    fn opened(&mut self, _line: usize) {}
    #[inline(always)]
    fn closed(&mut self, _line: usize) {}
}

/// A position of the game, without pointers: cloning copies 7.2 kB.
#[derive(Debug)]
pub(super) struct Board {
    /// By line + [`FRONT`].
    bytes: [u8; LINES + 4 * FRONT],
    /// The lines that may be drawn, and the words of that set that are not zero.
    open: [u64; WORDS],
    used: [u64; WORDS.div_ceil(64)],
    /// The number of lines that may be drawn.
    pub(super) choices: u32,
    /// The number of lines drawn.
    pub(super) drawn: u32,
    /// Combines the lines drawn, in any order.
    pub(super) key: u128,
}

impl Clone for Board {
    fn clone(&self) -> Self {
        Self { ..*self }
    }

    /// Without a copy on the stack.
    fn clone_from(&mut self, source: &Self) {
        self.bytes.copy_from_slice(&source.bytes);
        self.open.copy_from_slice(&source.open);
        (self.used, self.choices, self.drawn, self.key) = (source.used, source.choices, source.drawn, source.key);
    }
}

impl Board {
    /// Returns the bare cross.
    pub(super) fn new(variant: Variant, rules: &Rules) -> Self {
        let mut board = Self {
            bytes: [SHUT; LINES + 4 * FRONT],
            open: [0; WORDS],
            used: [0; WORDS.div_ceil(64)],
            choices: 0,
            drawn: 0,
            key: 0,
        };
        let fits = |at: usize, step: i32| {
            let end = at as i32 + step * (rules.length as i32 - 1);
            (0..SIDE as i32).contains(&end)
        };
        for (cell, addresses) in ADDRESSES.iter().enumerate() {
            for (&address, (dx, dy)) in addresses.iter().zip([(1, 0), (0, 1), (1, 1), (1, -1)]) {
                if fits(cell % SIDE, dx) && fits(cell / SIDE, dy) {
                    board.bytes[usize::from(address) + FRONT] = 0;
                }
            }
        }
        let cells = variant.cross().into_iter().filter_map(|point| rules.cell(point));
        for address in cells.flat_map(|cell| ADDRESSES[cell]) {
            let at = usize::from(address);
            board.store(at, board.load(at) + rules.dot);
        }
        for line in 0..LINES {
            if rules.open(u64::from(board.bytes[line + FRONT])) & u64::from(SHUT) != 0 {
                board.set(line);
                board.choices += 1;
            }
        }
        board
    }

    /// Eight bytes from that of line `line` - [`FRONT`] on.
    #[inline(always)]
    fn load(&self, line: usize) -> u64 {
        let mut word = [0; 8];
        word.copy_from_slice(&self.bytes[line..line + 8]);
        u64::from_le_bytes(word)
    }

    #[inline(always)]
    fn store(&mut self, line: usize, word: u64) {
        self.bytes[line..line + 8].copy_from_slice(&word.to_le_bytes());
    }

    #[inline(always)]
    fn set(&mut self, line: usize) {
        let word = line / 64;
        self.open[word] |= 1 << (line % 64);
        self.used[word / 64] |= 1 << (word % 64);
    }

    #[inline(always)]
    fn clear(&mut self, line: usize) {
        let word = line / 64;
        self.open[word] &= !(1 << (line % 64));
        self.used[word / 64] &= !(u64::from(self.open[word] == 0) << (word % 64));
    }

    /// Whether the line may be drawn; false for numbers that no line has.
    #[inline]
    pub(super) fn is_open(&self, line: usize) -> bool {
        self.open.get(line / 64).is_some_and(|word| word >> (line % 64) & 1 == 1)
    }

    /// Returns the position of the only point without a dot on a line that may be drawn.
    #[inline(always)]
    pub(super) fn missing(&self, rules: &Rules, line: usize) -> usize {
        usize::from(rules.lacks_first.wrapping_sub(self.bytes[line + FRONT]))
    }

    /// Draws a line that may be drawn, and its dot.
    #[inline(always)]
    pub(super) fn play<L: Listener>(&mut self, rules: &Rules, line: usize, listener: &mut L) {
        let cell = usize::from(POINTS[line + self.missing(rules, line)]);
        let direction = line / CELLS;
        // Eight flags a word, of what it opened and closed; `at` says where the words were read.
        let mut at = [0; 6];
        let (near, far) = (self.load(line), self.load(line + 8));
        (at[0], at[1]) = (line, line + 8);
        let mut closed = flags(rules.open(near) & rules.shut[0] & !OWN) | flags(rules.open(far) & rules.shut[1]) << 8;
        let mut opened = 0;
        self.store(line, near | rules.shut[0]);
        self.store(line + 8, far | rules.shut[1]);
        // The line's direction comes last: by then the bytes just written can be read without waiting.
        for turn in 1..=rules.directions {
            let address = usize::from(ADDRESSES[cell][(direction + turn) % 4]);
            let word = self.load(address).wrapping_add(rules.dot);
            self.store(address, word);
            at[turn + 1] = address;
            opened |= flags(rules.open(word) & rules.lanes) << (8 * turn + 8);
            closed |= flags(rules.full(word) & rules.lanes) << (8 * turn + 8);
        }
        self.choices = self.choices + opened.count_ones() - closed.count_ones() - 1;
        self.drawn += 1;
        self.key ^= u128::from(mixed(line as u64)) | u128::from(mixed(!(line as u64))) << 64;
        self.clear(line);
        // One loop over all flags of a kind, because the number in a single word cannot be predicted.
        while closed != 0 {
            let bit = closed.trailing_zeros() as usize;
            closed &= closed - 1;
            let line = at[bit / 8] + bit % 8 - FRONT;
            self.clear(line);
            listener.closed(line);
        }
        while opened != 0 {
            let bit = opened.trailing_zeros() as usize;
            opened &= opened - 1;
            let line = at[bit / 8] + bit % 8 - FRONT;
            self.set(line);
            listener.opened(line);
        }
    }

    /// Returns the lines that may be drawn, by number.
    pub(super) fn lines(&self) -> impl Iterator<Item = usize> {
        self.words().flat_map(move |word| bits(self.open[word]).map(move |bit| word * 64 + bit))
    }

    /// The words of the set of lines that are not zero.
    #[inline(always)]
    fn words(&self) -> impl Iterator<Item = usize> {
        (0..self.used.len()).flat_map(move |part| bits(self.used[part]).map(move |bit| part * 64 + bit))
    }

    /// Returns the line that `rest` others, below [`choices`](Self::choices), precede.
    #[inline(always)]
    pub(super) fn nth(&self, mut rest: usize) -> usize {
        for word in self.words() {
            let mut lines = self.open[word];
            while lines != 0 {
                if rest == 0 {
                    return word * 64 + lines.trailing_zeros() as usize;
                }
                rest -= 1;
                lines &= lines - 1;
            }
        }
        0
    }

    /// Returns the line at which the running sum of weights, by number, first exceeds `rest`; `sums` has the sums of
    /// the words of the set of lines.
    #[inline(always)]
    pub(super) fn draw(&self, mut rest: u64, sums: &[u64; SUMS], weight: impl Fn(usize) -> u64) -> usize {
        for word in self.words() {
            if rest >= sums[word] {
                rest -= sums[word];
                continue;
            }
            for bit in bits(self.open[word]) {
                let weight = weight(word * 64 + bit);
                if rest < weight {
                    return word * 64 + bit;
                }
                rest -= weight;
            }
        }
        0
    }
}

/// Sums of weights, one for 64 neighbouring lines.
pub(super) const SUMS: usize = WORDS;

/// The high bits of eight bytes as eight bits.
#[inline(always)]
fn flags(word: u64) -> u64 {
    // The product's highest byte collects bit 8i at 56 + i; no two terms meet, so that nothing is carried.
    (word >> 7 & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// A number as 64 bits for a key: the finaliser of SplitMix64.
#[inline(always)]
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_gathered_in_order() {
        for pattern in 0..256_u64 {
            let word = (0..8).filter(|i| pattern >> i & 1 == 1).fold(0, |word, i| word | 0x80 << (8 * i));
            assert_eq!(flags(word), pattern);
        }
    }

    #[test]
    fn addresses_are_a_permutation() {
        let mut seen = vec![false; LINES];
        for (cell, addresses) in ADDRESSES.iter().enumerate() {
            for (direction, &address) in addresses.iter().enumerate() {
                let address = usize::from(address);
                assert!(address / CELLS == direction && !std::mem::replace(&mut seen[address], true));
                assert_eq!(usize::from(POINTS[address]), cell);
            }
        }
    }

    /// Lines that are not shut are those that fit on the board, and their points are neighbours in their direction.
    #[test]
    fn lines_are_straight() {
        for variant in Variant::ALL {
            let rules = Rules::new(variant);
            let board = Board::new(variant, &rules);
            let mut count = 0;
            for line in (0..LINES).filter(|line| board.bytes[line + FRONT] & SHUT == 0) {
                count += 1;
                let points: Vec<Point> = (0..rules.length).map(|at| rules.stroke(line, at).point).collect();
                let step = match Direction::ALL[line / CELLS] {
                    Direction::Across => (1, 0),
                    Direction::Down => (0, 1),
                    Direction::Falling => (1, 1),
                    Direction::Rising => (1, -1),
                };
                assert!(
                    points.windows(2).all(|pair| (pair[0].0 + step.0, pair[0].1 + step.1) == pair[1]),
                    "{points:?}"
                );
            }
            let places = SIDE + 1 - rules.length;
            assert_eq!(count, 2 * places * (SIDE + places));
        }
    }
}
