//! The operations on small boards with AVX-512: a plane or mask is one register of sixteen 16-bit lanes.

use std::arch::x86_64::*;

use super::board::Board;
use super::geometry::{Geometry, Small};
use super::ops::{Masks, Ops, select_words};

/// AVX-512 operations; see [`super::Engine::Avx512`].
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

/// Evaluates an intrinsic.
macro_rules! simd {
    ($call:expr) => {
        // SAFETY: a value of `Avx512` exists only where the processor has the instructions, and the intrinsics used
        // have no other condition but for loads and stores, which are of whole `[u64; 4]`.
        unsafe { $call }
    };
}

type Words = <Small as Geometry>::Words;

impl Masks<Small> for Avx512 {
    type Mask = __m256i;
    #[inline(always)]
    fn mask(self, words: &Words) -> __m256i {
        simd!(_mm256_loadu_si256((&raw const *words).cast()))
    }
    #[inline(always)]
    fn words(self, mask: __m256i) -> Words {
        let mut words = [0; 4];
        simd!(_mm256_storeu_si256((&raw mut words).cast(), mask));
        words
    }
    #[inline(always)]
    fn uniform(self, set: bool) -> __m256i {
        simd!(_mm256_set1_epi64x(-i64::from(set)))
    }
    #[inline(always)]
    fn and(self, a: __m256i, b: __m256i) -> __m256i {
        simd!(_mm256_and_si256(a, b))
    }
    #[inline(always)]
    fn or(self, a: __m256i, b: __m256i) -> __m256i {
        simd!(_mm256_or_si256(a, b))
    }
    #[inline(always)]
    fn xor(self, a: __m256i, b: __m256i) -> __m256i {
        simd!(_mm256_xor_si256(a, b))
    }
    #[inline(always)]
    fn without(self, a: __m256i, b: __m256i) -> __m256i {
        simd!(_mm256_andnot_si256(b, a))
    }
    #[inline(always)]
    fn up(self, a: __m256i) -> __m256i {
        simd!(_mm256_slli_epi16::<1>(a))
    }
    #[inline(always)]
    fn down(self, a: __m256i) -> __m256i {
        simd!(_mm256_srli_epi16::<1>(a))
    }
    #[inline(always)]
    fn right(self, a: __m256i) -> __m256i {
        let from = simd!(_mm256_setr_epi16(0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14));
        simd!(_mm256_maskz_permutexvar_epi16(0xfffe, from, a))
    }
    #[inline(always)]
    fn left(self, a: __m256i) -> __m256i {
        let from = simd!(_mm256_setr_epi16(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15));
        simd!(_mm256_maskz_permutexvar_epi16(0x7fff, from, a))
    }
    #[inline(always)]
    fn any(self, a: __m256i) -> bool {
        simd!(_mm256_testz_si256(a, a)) == 0
    }
}

impl Ops<Small> for Avx512 {
    type Tiles = [__m256i; 3];

    #[inline(always)]
    unsafe fn assume() -> Self {
        Self(())
    }
    #[inline(always)]
    fn load(self, board: &Board<Small>) -> Self::Tiles {
        board.planes.map(|plane| self.mask(&plane))
    }
    #[inline(always)]
    fn store(self, tiles: &Self::Tiles) -> Board<Small> {
        Board { planes: tiles.map(|plane| self.words(plane)) }
    }
    #[inline(always)]
    fn plane(self, tiles: &Self::Tiles, i: usize) -> __m256i {
        tiles[i]
    }
    #[inline(always)]
    fn select(self, words: &Words, k: usize) -> usize {
        select_words::<Small>(words, k, |word, k| simd!(_pdep_u64(1 << k, word)).trailing_zeros())
    }
    #[inline(always)]
    fn deposit(self, bits: u64, places: u64) -> u64 {
        simd!(_pdep_u64(bits, places))
    }
    #[inline(always)]
    fn extract(self, bits: u64, places: u64) -> u64 {
        simd!(_pext_u64(bits, places))
    }
    #[inline(always)]
    fn remove(self, tiles: &mut Self::Tiles, cells: &Words) {
        self.fall(tiles, self.mask(cells));
    }
    #[inline(always)]
    fn remove_window(self, tiles: &mut Self::Tiles, base: usize, window: u64) {
        let ramp = simd!(_mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
        // Lane `base` + i shows lane i of the window, which is repeated in all four quarters.
        let from = simd!(_mm256_sub_epi16(ramp, _mm256_set1_epi16(base as i16)));
        let cells = simd!(_mm256_maskz_permutexvar_epi16(0xf << base, from, _mm256_set1_epi64x(window as i64)));
        self.fall(tiles, cells);
    }
}

impl Avx512 {
    /// Removes cells, lets the tiles above fall and closes emptied columns.
    #[inline(always)]
    fn fall(self, tiles: &mut [__m256i; 3], mut cells: __m256i) {
        loop {
            // The lowest run of removed cells of every lane: adding its lowest cell carries past its end.
            let lowest = simd!(_mm256_and_si256(cells, _mm256_sub_epi16(_mm256_setzero_si256(), cells)));
            let carried = simd!(_mm256_add_epi16(cells, lowest));
            let length = simd!(_mm256_popcnt_epi16(_mm256_andnot_si256(carried, cells)));
            // All ones where a lane loses nothing.
            let below = simd!(_mm256_sub_epi16(lowest, _mm256_set1_epi16(1)));
            for plane in tiles.iter_mut() {
                let fallen = simd!(_mm256_srlv_epi16(*plane, length));
                // Bits of the plane below the run, of the shifted plane from there on.
                *plane = simd!(_mm256_ternarylogic_epi64::<0xca>(below, *plane, fallen));
            }
            cells = simd!(_mm256_srlv_epi16(_mm256_and_si256(cells, carried), length));
            if !self.any(cells) {
                break;
            }
        }
        let occupied = self.or(self.or(tiles[0], tiles[1]), tiles[2]);
        let filled = simd!(_mm256_test_epi16_mask(occupied, occupied));
        // Filled columns are contiguous from the left unless one has just been emptied.
        if filled & filled.wrapping_add(1) != 0 {
            for plane in tiles.iter_mut() {
                *plane = simd!(_mm256_maskz_compress_epi16(filled, *plane));
            }
        }
    }
}
