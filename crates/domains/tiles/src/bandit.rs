//! A bandit over colours: which colour to keep for last, learned from the scores of playouts.

use soloist::run::CheckpointError;

/// Highest colour that a bandit knows.
pub(crate) const COLORS: usize = 15;

/// Scores are clamped to this distance from 0. Boards have at most 992 tiles, so that no game comes near.
const SCORE: i64 = 1 << 22;

/// Playouts after which a bandit stops learning, so that its sums stay exact.
const PLAYOUTS: u64 = 1 << 40;

/// Bytes of a saved bandit.
const SAVED: usize = 16 + COLORS * 32;

/// UCB1-Tuned over the colours from 1 to `COLORS`.
///
/// A colour that was never tried comes first, the lowest of several. Otherwise the colour with the highest `v + sqrt(ln
/// n / m * min(1/4, V))` is chosen, the lowest of those tied, where n is the number of playouts learned, m those of the
/// colour, v the mean and `V = mean of squares - v^2 + sqrt(2 ln n / m)` of its rewards. A reward is (score - worst) /
/// (best - worst) over the scores learned so far, larger scores being better, and 0 while all are equal. Sums are kept
/// of the scores themselves, in integers: a range that grows rescales everything learned before, and nothing depends on
/// rounding or order.
///
/// No playout is ever forgotten. A choice costs a logarithm and two square roots for each colour, learning three
/// additions.
///
/// # References
/// P. Auer, N. Cesa-Bianchi and P. Fischer, "Finite-time analysis of the multiarmed bandit problem", Machine Learning
/// 47, 2002 (UCB1-Tuned).
///
/// ```
/// use soloist_tiles::Bandit;
/// let mut bandit = Bandit::default();
/// let present = 1 << 2 | 1 << 5;
/// assert_eq!(bandit.choose(present), Some(2));
/// bandit.learn(2, 100);
/// assert_eq!(bandit.choose(present), Some(5));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bandit {
    /// The worst and the best score; both 0 before the first.
    worst: i64,
    best: i64,
    playouts: u64,
    arms: [Arm; COLORS],
}

/// The record of a colour: its playouts, the sum and the sum of squares of their scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Arm {
    playouts: u64,
    sum: i64,
    squares: u128,
}

impl Arm {
    /// Mean and variance of the rewards.
    fn rewards(&self, worst: i64, best: i64) -> (f64, f64) {
        if best == worst {
            return (0.0, 0.0);
        }
        let (n, sum) = (i128::from(self.playouts), i128::from(self.sum));
        // Exact up to the conversions: no cancellation of nearly equal floats. Never negative (Cauchy and Schwarz).
        let deviation = self.squares * u128::from(self.playouts) - (sum * sum) as u128;
        let scale = self.playouts as f64 * (best - worst) as f64;
        ((sum - n * i128::from(worst)) as f64 / scale, deviation as f64 / (scale * scale))
    }
}

impl Bandit {
    /// Returns the colour to try next among those whose bits are set in `present` (bit c: colour c; bit 0 is ignored);
    /// `None` when there is no such arm.
    #[must_use]
    pub fn choose(&self, present: u16) -> Option<u8> {
        let candidates = || (1..=COLORS as u8).filter(|&color| present >> color & 1 == 1);
        if let Some(color) = candidates().find(|&color| self.playouts(color) == 0) {
            return Some(color);
        }
        // The library's logarithm, which is the same on every platform.
        let log = libm::log(self.playouts as f64);
        let mut chosen = None;
        for color in candidates() {
            let arm = &self.arms[usize::from(color) - 1];
            let (mean, variance) = arm.rewards(self.worst, self.best);
            let share = log / arm.playouts as f64;
            let index = mean + (share * (variance + (2.0 * share).sqrt()).min(0.25)).sqrt();
            if chosen.is_none_or(|(_, highest)| index > highest) {
                chosen = Some((color, index));
            }
        }
        chosen.map(|(color, _)| color)
    }

    /// Learns the score of a playout that kept `color`; colours from 1 to `COLORS`, others are ignored.
    pub fn learn(&mut self, color: u8, score: i64) {
        let Some(arm) = usize::from(color).checked_sub(1).and_then(|at| self.arms.get_mut(at)) else { return };
        if self.playouts >= PLAYOUTS {
            return;
        }
        let score = score.clamp(-SCORE, SCORE);
        let first = self.playouts == 0;
        self.worst = if first { score } else { self.worst.min(score) };
        self.best = if first { score } else { self.best.max(score) };
        self.playouts += 1;
        arm.playouts += 1;
        arm.sum += score;
        arm.squares += u128::from(score.unsigned_abs().pow(2));
    }

    /// Returns the number of playouts of `color` that were learned.
    #[must_use]
    pub fn playouts(&self, color: u8) -> u64 {
        usize::from(color).checked_sub(1).and_then(|at| self.arms.get(at)).map_or(0, |arm| arm.playouts)
    }

    /// Everything learned: the worst and the best score, then for each colour playouts, sum (64 bits each) and sum of
    /// squares (128), little-endian.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(SAVED);
        bytes.extend(self.worst.to_le_bytes());
        bytes.extend(self.best.to_le_bytes());
        for arm in &self.arms {
            bytes.extend(arm.playouts.to_le_bytes());
            bytes.extend(arm.sum.to_le_bytes());
            bytes.extend(arm.squares.to_le_bytes());
        }
        bytes
    }

    /// Returns the bandit that [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// When no sequence of playouts can have led to these numbers.
    pub fn load(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let corrupt = CheckpointError::Corrupt("the bandit over colours");
        let Some((range, arms)) = bytes.split_first_chunk::<16>().filter(|_| bytes.len() == SAVED) else {
            return Err(corrupt);
        };
        let half = |bytes: &[u8], at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let mut bandit = Self { worst: half(range, 0) as i64, best: half(range, 8) as i64, ..Self::default() };
        for (arm, bytes) in bandit.arms.iter_mut().zip(arms.chunks_exact(32)) {
            let squares = u128::from(half(bytes, 16)) | u128::from(half(bytes, 24)) << 64;
            *arm = Arm { playouts: half(bytes, 0), sum: half(bytes, 8) as i64, squares };
            bandit.playouts = bandit.playouts.saturating_add(arm.playouts);
        }
        if bandit.is_possible() { Ok(bandit) } else { Err(corrupt) }
    }

    /// Whether playouts can have led here. Numbers within the limits cannot overflow in what is computed of them.
    fn is_possible(&self) -> bool {
        let Self { worst, best, playouts, .. } = *self;
        if playouts == 0 {
            return *self == Self::default();
        }
        let largest = u128::from(worst.unsigned_abs().max(best.unsigned_abs()));
        let scores = -SCORE <= worst && worst <= best && best <= SCORE;
        scores
            && playouts <= PLAYOUTS
            && self.arms.iter().all(|arm| {
                let (n, sum) = (i128::from(arm.playouts), i128::from(arm.sum));
                n * i128::from(worst) <= sum
                    && sum <= n * i128::from(best)
                    && arm.squares <= u128::from(arm.playouts) * largest * largest
                    && (sum * sum) as u128 <= u128::from(arm.playouts) * arm.squares
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_worked_out_by_hand() {
        let mut bandit = Bandit::default();
        let all = 0b1110;
        let mut play = |score| {
            let color = bandit.choose(all).expect("three colours");
            bandit.learn(color, score);
            color
        };
        // Each once, in order.
        assert_eq!([play(10), play(60), play(20)], [1, 2, 3]);
        // n = 3, rewards 0, 1, 0.2; V = sqrt(2 ln 3) > 1/4 for all, so that each gets sqrt(ln 3 / 4) = 0.524.
        assert_eq!(play(60), 2);
        // n = 4: colour 2 has 1 + sqrt(ln 4 / 8) = 1.416, colour 3 0.2 + sqrt(ln 4 / 4) = 0.789.
        assert_eq!(play(-140), 2);
        // n = 5, range 200: rewards 0.75; 1, 1, 0 with mean 2/3 and variance 2/9; 0.8. Colour 1: 0.75 + sqrt(ln 5 / 4)
        // = 1.384, colour 2: 2/3 + sqrt(ln 5 / 12) = 1.033, colour 3: 0.8 + 0.634 = 1.434.
        assert_eq!(play(-140), 3);
        // n = 6: colour 1 0.75 + sqrt(ln 6 / 4) = 1.419, colour 2 2/3 + sqrt(ln 6 / 12) = 1.053, colour 3 0.4 + sqrt(ln
        // 6 / 8) = 0.873.
        assert_eq!(play(10), 1);
        // n = 7: colour 1 0.75 + sqrt(ln 7 / 8) = 1.243, colour 2 2/3 + sqrt(ln 7 / 12) = 1.069, colour 3 0.4 + 0.493 =
        // 0.893.
        assert_eq!(play(10), 1);
        // A colour that is gone is no choice; one never seen comes first.
        assert_eq!(bandit.choose(0b1100), Some(2));
        assert_eq!(bandit.choose(0b1_1100), Some(4));
        assert_eq!(bandit.choose(0b1), None);
    }

    #[test]
    fn the_variance_counts() {
        // Equal means; after many playouts V decides: 0 and a little for colour 1, 1/4 for colour 2.
        let mut bandit = Bandit::default();
        for score in 0..1_000 {
            bandit.learn(1, 50);
            bandit.learn(2, 100 * (score % 2));
        }
        assert_eq!(bandit.choose(0b110), Some(2));
        // mean 0.5, ln 2000 / 1000 = 0.0076009; V = 0.123296 and 1/4 (capped): 0.530613 against 0.543592.
        let (mean, variance) = bandit.arms[0].rewards(0, 100);
        assert_eq!((mean, variance), (0.5, 0.0));
        assert_eq!(bandit.arms[1].rewards(0, 100), (0.5, 0.25));
        // Colour 1 needs a mean above 0.512979.
        for (score, choice) in [(51, 2), (52, 1)] {
            let mut other = bandit.clone();
            other.arms[0] = Arm { playouts: 1_000, sum: 1_000 * score, squares: 1_000 * (score * score) as u128 };
            assert_eq!(other.choose(0b110), Some(choice));
        }
    }

    #[test]
    fn the_best_color_is_played_most() {
        let mut rng = soloist::Rng::new(3);
        let mut bandit = Bandit::default();
        for _ in 0..5_000 {
            let color = bandit.choose(0b11_1110).expect("five colours");
            // Uniform over 1000 points, from 0 or, for colour 4, from 200.
            bandit.learn(color, rng.below(1_000) as i64 + if color == 4 { 200 } else { 0 });
        }
        assert!(bandit.playouts(4) > 4_000, "{bandit:?}");
        assert!((1..=5).all(|color| bandit.playouts(color) > 20), "{bandit:?}");
    }

    #[test]
    fn scores_without_a_range() {
        let mut bandit = Bandit::default();
        for _ in 0..9 {
            let color = bandit.choose(0b1110).expect("three colours");
            bandit.learn(color, -7);
        }
        // All rewards 0: the least tried is chosen.
        assert_eq!([1, 2, 3].map(|color| bandit.playouts(color)), [3, 3, 3]);
        let before = bandit.clone();
        bandit.learn(0, 5);
        bandit.learn(16, 5);
        assert_eq!(bandit, before);
    }

    #[test]
    fn extreme_scores_stay_within_the_limits() {
        let mut bandit = Bandit::default();
        for score in [i64::MIN, i64::MAX, 0] {
            bandit.learn(1, score);
        }
        assert_eq!(bandit.arms[0].rewards(bandit.worst, bandit.best), (0.5, 1.0 / 6.0));
        assert_eq!(Bandit::load(&bandit.save()).expect("as saved"), bandit);
        bandit.arms[0] = Arm { playouts: PLAYOUTS, sum: SCORE << 40, squares: u128::from(PLAYOUTS) << 44 };
        bandit.playouts = PLAYOUTS;
        let full = Bandit::load(&bandit.save()).expect("the limit itself");
        bandit.learn(1, 3);
        assert_eq!(bandit, full);
        assert_eq!(full.choose(0b10), Some(1));
    }

    #[test]
    fn damaged_bytes_are_errors_or_possible() {
        let mut bandit = Bandit::default();
        assert_eq!(Bandit::load(&bandit.save()).expect("blank"), bandit);
        for (color, score) in [(1, 120), (2, -300), (4, 57), (2, 80), (2, 1_500), (15, 0)] {
            bandit.learn(color, score);
        }
        let saved = bandit.save();
        assert_eq!(Bandit::load(&saved).expect("as saved"), bandit);
        for cut in 0..saved.len() {
            assert!(Bandit::load(&saved[..cut]).is_err());
        }
        assert!(Bandit::load(&[&saved[..], &[0]].concat()).is_err());
        let mut refused = 0;
        for at in 0..saved.len() {
            for flip in [1, 0x20, 0x80, 0xff] {
                let mut bytes = saved.clone();
                bytes[at] ^= flip;
                match Bandit::load(&bytes) {
                    Ok(other) => {
                        assert_eq!(other.save(), bytes);
                        assert!(other.choose(!0).is_some());
                    }
                    Err(error) => {
                        assert!(matches!(error, CheckpointError::Corrupt(_)), "{error}");
                        refused += 1;
                    }
                }
            }
        }
        // What passes is damage of sums and squares of the four colours tried, within what scores allow.
        assert!(refused > saved.len() * 3, "{refused}");
        // Counts that disagree, sums beyond the range, squares too small for the sum.
        let with = |at: usize, value: u64| {
            let mut bytes = saved.clone();
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            Bandit::load(&bytes)
        };
        assert!(with(16, 0).is_err());
        assert!(with(16, u64::MAX).is_err());
        assert!(with(16 + 32 + 8, 4_501).is_err());
        assert!(with(16 + 32 + 16, 500_000).is_err());
        assert!(with(0, 121).is_err());
        assert!(with(0, i64::MIN as u64).is_err());
    }
}
