//! The two board layouts, and the machine words they are made of.
//!
//! A board is a set of bit planes; a column is one *lane* of 16 or 32 bits, its bottom cell the lowest bit, the
//! leftmost column the first lane. The highest bit of a lane is a guard, always 0, so that shifts of whole words and
//! lane-wise negation need no masks.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitOr, BitXor, Index, IndexMut, Not, Shl, Shr};

use super::ops::{Ops, Scalar};

/// A fixed array of 64-bit words, one bit per cell.
pub trait WordArray:
    Copy + Eq + Hash + Debug + Default + Index<usize, Output = u64> + IndexMut<usize> + AsRef<[u64]> + Send + Sync + 'static
{
}

impl<const N: usize> WordArray for [u64; N] where [u64; N]: Default {}

/// Four columns of a mask in one integer.
pub trait Window:
    Copy
    + Eq
    + Debug
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + Into<u128>
    + Send
    + Sync
    + 'static
{
    /// No cell.
    const EMPTY: Self;
    /// The cell of the lowest bit.
    const ONE: Self;
    /// Number of cells.
    fn count(self) -> u32;
    /// Position of the lowest cell.
    fn lowest(self) -> u32;
    /// All cells below `self`, a single cell.
    fn below(self) -> Self;
    /// All bits set, or none.
    fn filled(set: bool) -> Self;
    /// The low bits of an integer.
    fn truncate(wide: u128) -> Self;
}

macro_rules! impl_window {
    ($int:ty) => {
        impl Window for $int {
            const EMPTY: Self = 0;
            const ONE: Self = 1;
            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline(always)]
            fn below(self) -> Self {
                self.wrapping_sub(1)
            }
            #[inline(always)]
            fn filled(set: bool) -> Self {
                <$int>::from(set).wrapping_neg()
            }
            #[inline(always)]
            fn truncate(wide: u128) -> Self {
                wide as $int
            }
        }
    };
}
impl_window!(u64);
impl_window!(u128);

mod sealed {
    /// The layouts are those of this file: unchecked reads rely on their constants.
    pub trait Sealed {}
    impl Sealed for super::Small {}
    impl Sealed for super::Large {}
}

/// A board layout: how many rows, columns and colours fit, and the words that hold them.
pub trait Geometry: sealed::Sealed + Copy + Eq + Hash + Debug + Default + Send + Sync + 'static {
    /// Highest number of rows.
    const ROWS: usize;
    /// Highest number of columns: the number of lanes.
    const COLUMNS: usize;
    /// Highest colour; colours are 1..=COLOURS.
    const COLORS: u8;
    /// Bits of a lane. Cell index = column * LANE + row from the bottom.
    const LANE: u32;
    /// Words of a mask.
    const WORDS: usize;
    /// Colour planes: bits of a colour number.
    const PLANES: usize;
    /// The guard bit of every lane of a word.
    const GUARD: u64;
    /// The bottom cell of every lane of a word.
    const BOTTOM: u64;
    /// Whether the AVX-512 engine has kernels of its own; else it runs those of BMI2, which the compiler makes slower
    /// when it may use wider registers.
    const HAS_AVX512: bool;
    /// A mask with a bit per cell.
    type Words: WordArray;
    /// The colour planes.
    type Planes: Copy
        + Eq
        + Hash
        + Debug
        + Default
        + Index<usize, Output = Self::Words>
        + IndexMut<usize>
        + Send
        + Sync
        + 'static;
    /// Four columns.
    type Window: Window;
    /// The kernels of [`super::Engine::Bmi2`].
    type Bmi2: Ops<Self>;
    /// The kernels of [`super::Engine::Avx512`].
    type Avx512: Ops<Self>;
}

/// Up to 15 rows, 16 columns, 7 colours: 96 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Small;

impl Geometry for Small {
    const ROWS: usize = 15;
    const COLUMNS: usize = 16;
    const COLORS: u8 = 7;
    const LANE: u32 = 16;
    const WORDS: usize = 4;
    const PLANES: usize = 3;
    const GUARD: u64 = 0x8000_8000_8000_8000;
    const BOTTOM: u64 = 0x0001_0001_0001_0001;
    const HAS_AVX512: bool = true;
    type Words = [u64; 4];
    type Planes = [[u64; 4]; 3];
    type Window = u64;
    type Bmi2 = Scalar<true>;
    #[cfg(target_arch = "x86_64")]
    type Avx512 = super::x86::Avx512;
    #[cfg(not(target_arch = "x86_64"))]
    type Avx512 = Scalar<true>;
}

/// Up to 31 rows, 32 columns, 15 colours: 512 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Large;

impl Geometry for Large {
    const ROWS: usize = 31;
    const COLUMNS: usize = 32;
    const COLORS: u8 = 15;
    const LANE: u32 = 32;
    const WORDS: usize = 16;
    const PLANES: usize = 4;
    const GUARD: u64 = 0x8000_0000_8000_0000;
    const BOTTOM: u64 = 0x0000_0001_0000_0001;
    const HAS_AVX512: bool = false;
    type Words = [u64; 16];
    type Planes = [[u64; 16]; 4];
    type Window = u128;
    type Bmi2 = Scalar<true>;
    type Avx512 = Scalar<true>;
}

/// Returns the number of cells of a mask.
#[inline(always)]
pub fn count<G: Geometry>(words: &G::Words) -> usize {
    let mut sum = 0;
    for w in 0..G::WORDS {
        sum += words[w].count_ones();
    }
    sum as usize
}

/// Returns the lowest cell of a mask.
#[inline(always)]
pub fn lowest<G: Geometry>(words: &G::Words) -> Option<usize> {
    (0..G::WORDS).find(|&w| words[w] != 0).map(|w| w * 64 + words[w].trailing_zeros() as usize)
}

/// Whether a mask holds a cell.
#[inline(always)]
pub fn contains<G: Geometry>(words: &G::Words, cell: usize) -> bool {
    words[cell / 64] >> (cell % 64) & 1 == 1
}

/// One column of a mask, its bottom cell the lowest bit.
#[inline(always)]
pub fn lane_at<G: Geometry>(words: &G::Words, column: usize) -> u64 {
    let bit = column * G::LANE as usize;
    words[bit / 64] >> (bit % 64) & ((1 << G::LANE) - 1)
}

/// Takes a column out of a mask: those to its right move one to the left.
#[inline(always)]
pub fn close_column<G: Geometry>(words: &mut G::Words, column: usize) {
    let (first, bit) = (column * G::LANE as usize / 64, column * G::LANE as usize % 64);
    let keep = (1_u64 << bit) - 1;
    for w in first..G::WORDS {
        let next = if w + 1 < G::WORDS { words[w + 1] << (64 - G::LANE) } else { 0 };
        let moved = words[w] >> G::LANE | next;
        words[w] = if w == first { words[w] & keep | moved & !keep } else { moved };
    }
}

/// Leftmost column of the window that shows `column` in as low a lane as the board's edge allows.
#[inline(always)]
pub fn base_of<G: Geometry>(column: usize) -> usize {
    column.min(G::COLUMNS - 4)
}

/// Returns the four columns of a mask from `base` on; the last four for any `base` beyond `COLUMNS` - 4.
#[inline(always)]
pub fn window<G: Geometry>(words: &G::Words, base: usize) -> G::Window {
    const {
        // What the read below relies on, for every geometry that is compiled.
        assert!(G::COLUMNS >= 4 && (G::LANE as usize).is_multiple_of(8));
        assert!(size_of::<G::Window>() * 8 == 4 * G::LANE as usize);
        assert!(G::COLUMNS * G::LANE as usize / 8 <= size_of::<G::Words>());
    }
    let base = base_of::<G>(base);
    #[cfg(target_endian = "little")]
    {
        let bytes = (&raw const *words).cast::<u8>();
        // SAFETY: the four lanes from `base` <= COLUMNS - 4 on, which `base_of` ensures, lie within the words, as was
        // asserted; their bytes are in lane order on a little-endian machine. An unaligned read of integers has no
        // other condition.
        unsafe { bytes.add(base * G::LANE as usize / 8).cast::<G::Window>().read_unaligned() }
    }
    #[cfg(not(target_endian = "little"))]
    {
        let bit = base * G::LANE as usize;
        let word = |i: usize| if i < G::WORDS { u128::from(words[i]) } else { 0 };
        let first = bit / 64;
        let low = word(first) | word(first + 1) << 64;
        let shift = bit % 64;
        G::Window::truncate(if shift == 0 { low } else { low >> shift | word(first + 2) << (128 - shift) })
    }
}

/// Returns the words of a window: (first word, its bits, the next word's, the one's after that).
#[inline(always)]
pub fn unwindow<G: Geometry>(base: usize, window: G::Window) -> (usize, [u64; 3]) {
    let bit = base * G::LANE as usize;
    let wide: u128 = window.into();
    let shift = (bit % 64) as u32;
    // The last word needs the bits shifted out at the top; two shifts, because a shift by 128 is not defined.
    let low = wide << shift;
    (bit / 64, [low as u64, (low >> 64) as u64, ((wide >> 1) >> (127 - shift)) as u64])
}

/// Returns the mask of a window.
#[inline(always)]
pub fn spread<G: Geometry>(base: usize, window: G::Window) -> G::Words {
    let (first, parts) = unwindow::<G>(base, window);
    let mut words = G::Words::default();
    for (i, part) in parts.into_iter().enumerate() {
        if part != 0 {
            words[first + i] = part;
        }
    }
    words
}
