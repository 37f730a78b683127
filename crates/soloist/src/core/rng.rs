//! The named random generator: xoshiro256++ with numbered streams.
//!
//! The generator is part of the reproducibility promise, so it is written out here: no release of another crate can
//! change a run. Reference: D. Blackman and S. Vigna, "Scrambled linear pseudorandom number generators", ACM
//! Transactions on Mathematical Software 47(4), 2021; the constants are those of their public-domain code.

use serde::{Deserialize, Serialize};

/// Xoshiro256++: 256 bits of state, period 2^256 - 1, about a nanosecond a number.
///
/// The whole state is stored in checkpoints. Draws below are exact on every platform.
///
/// ```
/// use soloist::Rng;
/// let mut rng = Rng::new(7);
/// let die = 1 + rng.below(6);
/// assert!((1..=6).contains(&die));
/// assert_eq!(Rng::new(7).next_u64(), Rng::new(7).next_u64());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Rng {
    s: [u64; 4],
}

/// A generator as it was written, not yet checked.
#[derive(Deserialize)]
struct Stored {
    s: [u64; 4],
}

impl TryFrom<Stored> for Rng {
    type Error = &'static str;

    fn try_from(Stored { s }: Stored) -> Result<Self, Self::Error> {
        // Zeros are the one state that the generator never reaches and never leaves.
        if s == [0; 4] { Err("a generator of zeros") } else { Ok(Self { s }) }
    }
}

impl Rng {
    /// Returns the generator of stream 0 of `seed`.
    ///
    /// The four words are the first four outputs of SplitMix64 started at `seed`, as the authors recommend.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut x = seed;
        let s = std::array::from_fn(|_| {
            x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = x;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        });
        Self { s }
    }

    /// Returns the generator of stream `stream` of `seed`: disjoint from every other stream for 2^128 numbers.
    #[must_use]
    pub fn stream(seed: u64, stream: usize) -> Self {
        let mut rng = Self::new(seed);
        for _ in 0..stream {
            rng.jump();
        }
        rng
    }

    /// Returns the generators of the streams of `seed`, from [`stream`](Self::stream) 0 on.
    pub(crate) fn streams(seed: u64) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(Self::new(seed)), |rng| {
            let mut next = rng.clone();
            next.jump();
            Some(next)
        })
    }

    /// Returns the next 64 uniform bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.s;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Returns a uniform number in `0..bound`, by multiply and shift (bias below `bound` / 2^64).
    ///
    /// `bound = 0` returns 0. For places of a list see [`index`](Self::index), which takes and returns `usize`.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Returns a uniform index in `0..len`; draws as [`below`](Self::below).
    #[inline]
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// Puts `items` into a random order, each as likely (Fisher and Yates, from the end): one draw for each but the
    /// first.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }

    /// Returns a uniform number in `[0, 1)` with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// True with probability `p` (never for `p <= 0`, always for `p >= 1`). Draws one number.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Returns a standard normal number, by the polar method. Draws two numbers or more.
    ///
    /// # References
    /// G. Marsaglia and T. Bray, "A convenient method for generating normal variables", SIAM Review 6, 1964.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * libm::log(square) / square).sqrt();
            }
        }
    }

    /// Advances by 2^128 numbers.
    pub fn jump(&mut self) {
        const JUMP: [u64; 4] =
            [0x180e_c6d3_3cfd_0aba, 0xd5a6_1266_f0c9_392c, 0xa958_2618_e03f_c9aa, 0x39ab_dc45_29b1_661c];
        let mut s = [0; 4];
        for word in JUMP {
            for bit in 0..64 {
                if word >> bit & 1 == 1 {
                    for (sum, word) in s.iter_mut().zip(self.s) {
                        *sum ^= word;
                    }
                }
                self.next_u64();
            }
        }
        self.s = s;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_numbers_of_the_reference_code() {
        // State 1, 2, 3, 4 in Vigna's xoshiro256plusplus.c.
        let mut rng = Rng { s: [1, 2, 3, 4] };
        let got: Vec<u64> = (0..4).map(|_| rng.next_u64()).collect();
        assert_eq!(got, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
    }

    #[test]
    fn streams_differ_and_repeat() {
        let take = |stream| {
            let mut rng = Rng::stream(42, stream);
            [rng.next_u64(), rng.next_u64()]
        };
        assert_eq!(take(3), take(3));
        assert_ne!(take(0), take(1));
        assert_ne!(take(1), take(2));
        for (index, mut rng) in Rng::streams(42).take(5).enumerate() {
            assert_eq!([rng.next_u64(), rng.next_u64()], take(index));
        }
    }

    #[test]
    fn normal_numbers_have_the_moments_of_the_distribution() {
        let mut rng = Rng::new(5);
        let draws: Vec<f64> = (0..40_000).map(|_| rng.normal()).collect();
        let moment = |power: i32| draws.iter().map(|x| x.powi(power)).sum::<f64>() / draws.len() as f64;
        assert!(moment(1).abs() < 0.02 && (moment(2) - 1.0).abs() < 0.03 && (moment(4) - 3.0).abs() < 0.2);
    }

    #[test]
    fn bounded_draws_are_uniform() {
        let mut rng = Rng::new(1);
        let mut count = [0_u32; 7];
        for _ in 0..70_000 {
            count[rng.index(7)] += 1;
        }
        // Chi-square with 6 degrees of freedom: 22.5 is the 0.999 quantile.
        let chi: f64 = count.iter().map(|&c| (f64::from(c) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi < 22.5, "{count:?}");
    }
}
