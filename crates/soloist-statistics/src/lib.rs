//! Statistics for comparing searches: summaries, bootstrap intervals, the paired t test, Wilcoxon's signed-rank test,
//! Holm's correction.
//!
//! Every function takes plain numbers, so that it serves scores, times or counts alike; values must be finite. The
//! special functions come from `libm`, so that the same numbers give the same figures on every machine.

use soloist::Rng;

/// Most differences for which [`wilcoxon`] counts the distribution out: at 50 the normal approximation is good to three
/// digits.
pub const EXACT: usize = 50;

/// What describes a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many values, at least 1.
    pub count: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard error of the mean: s / sqrt(n), with the sample deviation s (divisor n - 1). `None` for a single value.
    pub error: Option<f64>,
    /// Median; of an even number of values the mean of the middle two.
    pub median: f64,
    /// Smallest value.
    pub least: f64,
    /// Largest value.
    pub largest: f64,
}

impl Summary {
    /// Describes `values`; `None` if there are none. O(n log n).
    ///
    /// ```
    /// use soloist_statistics::Summary;
    /// let summary = Summary::of(&[2.0, 4.0, 4.0, 6.0]).unwrap();
    /// assert_eq!((summary.mean, summary.median), (4.0, 4.0));
    /// assert!(Summary::of(&[]).is_none());
    /// ```
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len();
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (&least, &largest) = (sorted.first()?, sorted.last()?);
        let median = f64::midpoint(sorted[(count - 1) / 2], sorted[count / 2]);
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let error = (count > 1).then(|| (squares / (count - 1) as f64 / count as f64).sqrt());
        Some(Self { count, mean, error, median, least, largest })
    }
}

/// Resamples of [`bootstrap`]: another seed moves the ends by some hundredths of the interval.
const RESAMPLES: usize = 9_999;
/// The same for more than [`MANY`] values, whose interval is short.
const FEW_RESAMPLES: usize = 999;
/// Values from which on fewer resamples are drawn.
const MANY: usize = 1_000;

/// Returns an interval that holds the true mean with about the confidence asked for (0.95, say; between 0 and 1), by
/// the bootstrap: bias-corrected and accelerated (BCa). `None` for fewer than two values.
///
/// Unlike [`paired_t`] it does not assume that means are close to normal, and its interval need not be symmetric. For a
/// handful of values it is too narrow, as every bootstrap is. O(9,999 n), beyond 1,000 values O(999 n); reproducible:
/// `seed` determines the result.
///
/// The means of 9,999 (999) samples drawn from `values` with replacement are sorted; the ends are their quantiles at
/// `Phi(z0 + (z0 + z) / (1 - a (z0 + z)))` for the normal quantiles z = -/+ z(confidence), where z0 is the normal
/// quantile of the share of those means below the mean of `values` (equal ones count half), and a = sum d^3 / (6 (sum
/// d^2)^(3/2)) over the differences d of the values from their mean: the jackknife's acceleration, in the special case
/// of the mean.
///
/// ```
/// use soloist_statistics::bootstrap;
/// let (low, high) = bootstrap(&[2.0, 3.0, 5.0, 8.0, 4.0, 2.0], 0.95, 1).unwrap();
/// assert!(2.0 < low && low < 4.0 && 4.0 < high && high < 8.0);
/// assert_eq!(bootstrap(&[2.0], 0.95, 1), None);
/// ```
///
/// # References
/// B. Efron, "Better bootstrap confidence intervals", Journal of the American Statistical Association 82, 1987; B.
/// Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, section 14.3.
#[must_use]
pub fn bootstrap(values: &[f64], confidence: f64, seed: u64) -> Option<(f64, f64)> {
    let Summary { count, mean, least, largest, .. } = Summary::of(values)?;
    if count < 2 {
        return None;
    }
    if least >= largest {
        return Some((least, largest));
    }
    let resamples = if count > MANY { FEW_RESAMPLES } else { RESAMPLES };
    let mut rng = Rng::new(seed);
    let mut resample = || (0..count).map(|_| values[rng.index(count)]).sum::<f64>() / count as f64;
    let mut means: Vec<f64> = (0..resamples).map(|_| resample()).collect();
    means.sort_by(f64::total_cmp);
    // Sums of the same values in another order differ by rounding.
    let slack = 1e-12 * (largest - least);
    let below = means.partition_point(|&other| other < mean - slack);
    let up_to = means.partition_point(|&other| other <= mean + slack);
    let share = (below + up_to) as f64 / (2 * resamples) as f64;
    // Not 0 nor 1, where the quantile is infinite.
    let z0 = normal_quantile(share.clamp(0.5 / resamples as f64, 1.0 - 0.5 / resamples as f64));
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let cubes: f64 = values.iter().map(|value| (value - mean) * (value - mean) * (value - mean)).sum();
    let a = cubes / (6.0 * squares * squares.sqrt());
    let end = |level: f64| {
        let z = z0 + normal_quantile(level);
        let level = normal_below(z0 + z / (1.0 - a * z));
        means[((level * (resamples + 1) as f64).round() as usize).clamp(1, resamples) - 1]
    };
    let tail = (1.0 - confidence) / 2.0;
    Some((end(tail), end(1.0 - tail)))
}

/// Returns the probability that a standard normal number is below `z`.
fn normal_below(z: f64) -> f64 {
    libm::erfc(-z / std::f64::consts::SQRT_2) / 2.0
}

/// Returns the number below which a standard normal one is with probability `p`, 0 < p < 1: the inverse of
/// [`normal_below`], by bisection.
fn normal_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    // More halvings than a number has bits.
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if normal_below(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Mean of paired differences with its interval and the t test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedT {
    /// How many pairs, at least 1.
    pub count: usize,
    /// Mean difference.
    pub mean: f64,
    /// Standard error of the mean; `None` for a single pair.
    pub error: Option<f64>,
    /// Interval that holds the true mean with the confidence asked for: mean -/+ t(confidence, n - 1) s / sqrt(n).
    /// `None` for a single pair.
    pub interval: Option<(f64, f64)>,
    /// Two-sided p of "the true mean is 0". `None` for a single pair and where all differences are equal: without
    /// variation t is undefined.
    pub p: Option<f64>,
}

/// Returns the paired t test on differences, with an interval of `confidence` (0.95, say; between 0 and 1). `None`
/// without differences.
///
/// It assumes that the mean of the differences is close to normal: fair for some tens of instances, not for a handful
/// of skewed ones, for which [`wilcoxon`] stands beside it.
///
/// ```
/// use soloist_statistics::paired_t;
/// let t = paired_t(&[1.0, 2.0, 3.0], 0.95).unwrap();
/// assert_eq!(t.mean, 2.0);
/// assert!((t.p.unwrap() - 0.0742).abs() < 1e-4);
/// ```
///
/// # References
/// Student, "The probable error of a mean", Biometrika 6, 1908.
#[must_use]
pub fn paired_t(differences: &[f64], confidence: f64) -> Option<PairedT> {
    let Summary { count, mean, error, least, largest, .. } = Summary::of(differences)?;
    let degrees = count.saturating_sub(1) as f64;
    let interval = error.map(|error| {
        let reach = student_t(1.0 - confidence, degrees) * error;
        (mean - reach, mean + reach)
    });
    // Not by the error: that of equal numbers may be a rounding error above 0.
    let p = error.filter(|_| least < largest).map(|error| student_p(mean / error, degrees));
    Some(PairedT { count, mean, error, interval, p })
}

/// Two-sided p of Student's t: the probability of a value at least as far from 0 as `t`, with `degrees` > 0 of freedom.
///
/// It is I_x(degrees / 2, 1/2) at x = degrees / (degrees + t^2), I being the regularised incomplete beta function.
#[must_use]
pub fn student_p(t: f64, degrees: f64) -> f64 {
    let square = t * t;
    if square.is_infinite() { 0.0 } else { incomplete_beta(degrees / 2.0, 0.5, degrees / (degrees + square)) }
}

/// Returns the value that Student's t exceeds on either side with probability `p` in all: the inverse of [`student_p`],
/// by bisection.
///
/// Infinite for p = 0; 0 for p >= 1.
#[must_use]
pub fn student_t(p: f64, degrees: f64) -> f64 {
    if p <= 0.0 {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while student_p(high, degrees) > p && high < 1e300 {
        (low, high) = (high, high * 2.0);
    }
    // More halvings than a number has bits.
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if student_p(middle, degrees) > p {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Returns the regularised incomplete beta function I_x(a, b) for a, b > 0 and 0 <= x <= 1, by its continued fraction.
///
/// # References
/// W. Press, S. Teukolsky, W. Vetterling and B. Flannery, "Numerical Recipes", 3rd edition, 2007, section 6.4 (the
/// fraction, evaluated by Lentz's method).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return f64::from(u8::from(x >= 1.0));
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        // There the fraction converges slowly, and fast for the complement.
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let front =
        libm::exp(libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * libm::log(x) + b * libm::log1p(-x));
    front * beta_fraction(a, b, x) / a
}

/// Returns the continued fraction of the incomplete beta function.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let guarded = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / guarded(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    // The terms needed grow with the square root of the degrees: 10,000 suffice for 10^7 and more.
    for m in 1..10_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut last = 1.0;
        for term in [even, odd] {
            d = 1.0 / guarded(1.0 + term * d);
            c = guarded(1.0 + term / c);
            last = c * d;
            fraction *= last;
        }
        if (last - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

/// Wilcoxon's signed-rank test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wilcoxon {
    /// Differences that are not 0.
    pub count: usize,
    /// Differences of 0, left out as Wilcoxon did.
    pub zeros: usize,
    /// Sum of the ranks of the positive differences; equal sizes share their mean rank.
    pub plus: f64,
    /// Sum of the ranks of the negative differences.
    pub minus: f64,
    /// Two-sided p of "differences are symmetric about 0"; 1 if all of them are 0.
    pub p: f64,
    /// Whether p was counted out and not approximated.
    pub exact: bool,
}

/// Wilcoxon's signed-rank test on paired differences, two-sided. O(n log n), and O(n^3) where it is exact, for up to
/// [`EXACT`] differences.
///
/// Exact: all 2^n assignments of signs to the ranks, tied ones included, are counted by dynamic programming.
/// Beyond, the normal approximation with correction for ties and continuity.
///
/// ```
/// use soloist_statistics::wilcoxon;
/// let test = wilcoxon(&[1.0, 2.0, 3.0, 4.0, 5.0]);
/// assert_eq!((test.plus, test.minus, test.p), (15.0, 0.0, 0.0625)); // 2 of 32
/// ```
///
/// # References
/// F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1, 1945; W. J. Conover, "Practical
/// Nonparametric Statistics", 3rd edition, 1999, section 5.7.
#[must_use]
pub fn wilcoxon(differences: &[f64]) -> Wilcoxon {
    let mut sorted: Vec<f64> = differences.iter().copied().filter(|&difference| difference != 0.0).collect();
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let (count, zeros) = (sorted.len(), differences.len() - sorted.len());
    // Twice the rank is whole even where a rank is shared.
    let mut doubled = Vec::with_capacity(count);
    let (mut plus, mut minus, mut ties) = (0_u64, 0_u64, 0.0);
    for group in sorted.chunk_by(|a, b| a.abs() == b.abs()) {
        let rank = (2 * doubled.len() + group.len() + 1) as u64;
        doubled.extend(group.iter().map(|_| rank));
        let positive = group.iter().filter(|&&difference| difference > 0.0).count() as u64;
        plus += rank * positive;
        minus += rank * (group.len() as u64 - positive);
        let size = group.len() as f64;
        ties += size * size * size - size;
    }
    let exact = count <= EXACT;
    let p = if exact { signed_rank_tail(&doubled, plus.min(minus)) } else { approximate(count, plus, ties) };
    Wilcoxon { count, zeros, plus: plus as f64 / 2.0, minus: minus as f64 / 2.0, p, exact }
}

/// Twice the probability, at most 1, that the ranks with a positive sign add up to at most `sum`, signs being fair
/// coins.
fn signed_rank_tail(ranks: &[u64], sum: u64) -> f64 {
    let sum = sum as usize;
    let mut chance = vec![0.0; sum + 1];
    chance[0] = 1.0;
    for &rank in ranks {
        for total in (0..=sum).rev() {
            let without = total.checked_sub(rank as usize).map_or(0.0, |rest| chance[rest]);
            chance[total] = f64::midpoint(chance[total], without);
        }
    }
    (2.0 * chance.iter().sum::<f64>()).min(1.0)
}

/// Returns the normal approximation; `plus` is twice the rank sum, `ties` the sum of t^3 - t over groups of t equal
/// sizes.
fn approximate(count: usize, plus: u64, ties: f64) -> f64 {
    let n = count as f64;
    let mean = n * (n + 1.0) / 4.0;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
    let distance = ((plus as f64 / 2.0 - mean).abs() - 0.5).max(0.0);
    libm::erfc(distance / (2.0 * variance).sqrt())
}

/// Holm's step-down correction: p values of several tests of one question, so that the chance of any false alarm stays
/// below the level.
///
/// The k-th smallest of m is multiplied by m - k + 1, and none becomes smaller than one before it; at most 1. The order
/// is kept.
///
/// ```
/// use soloist_statistics::holm;
/// assert_eq!(holm(&[0.25, 0.125, 0.5]), [0.5, 0.375, 0.5]);
/// ```
///
/// # References
/// S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut adjusted = vec![0.0; p.len()];
    let mut least = 0.0_f64;
    for (k, &at) in order.iter().enumerate() {
        least = least.max(p[at] * (p.len() - k) as f64).min(1.0);
        adjusted[at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a} and {b}");
    }

    #[test]
    fn summaries() {
        let summary = Summary::of(&[5.0, 1.0, 3.0, 7.0]).unwrap();
        // By hand: squares 9 + 1 + 1 + 9 = 20, s^2 = 20/3, error = sqrt(20/12).
        assert_eq!((summary.count, summary.mean, summary.median), (4, 4.0, 4.0));
        assert_eq!((summary.least, summary.largest), (1.0, 7.0));
        near(summary.error.unwrap(), (20.0_f64 / 12.0).sqrt(), 1e-15);
        assert_eq!(Summary::of(&[2.5]).unwrap().error, None);
    }

    #[test]
    fn normal_quantiles() {
        // Of the printed tables.
        for (p, z) in [(0.5, 0.0), (0.975, 1.959_964), (0.995, 2.575_829), (0.05, -1.644_854), (1e-4, -3.719_016)] {
            near(normal_quantile(p), z, 1e-6);
            near(normal_below(z), p, 1e-6);
        }
    }

    #[test]
    fn bootstrap_intervals() {
        // Of many close to normal values it is the interval of the normal distribution.
        let mut rng = Rng::new(3);
        let values: Vec<f64> = (0..400).map(|_| (0..12).map(|_| rng.unit()).sum::<f64>()).collect();
        let summary = Summary::of(&values).unwrap();
        let (low, high) = bootstrap(&values, 0.95, 1).unwrap();
        let reach = 1.96 * summary.error.unwrap();
        near(low, summary.mean - reach, 0.1 * reach);
        near(high, summary.mean + reach, 0.1 * reach);
        assert_eq!(bootstrap(&values, 0.95, 1), Some((low, high)));
        let many: Vec<f64> = values.iter().cycle().take(4000).copied().collect();
        let (from, to) = bootstrap(&many, 0.95, 1).unwrap();
        near((to - from) / (high - low), 0.1_f64.sqrt(), 0.03);
        let wide = bootstrap(&values, 0.99, 1).unwrap();
        assert!(wide.0 < low && high < wide.1);
        // A long tail to the right moves both ends to the right: another program, with 400,000 resamples, gives 0.530
        // to 3.830, and 0.385 to 2.895 for the plain quantiles.
        let skewed = [0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.9, 1.3, 2.5, 7.5];
        let (low, high) = bootstrap(&skewed, 0.95, 1).unwrap();
        near(low, 0.530, 0.03);
        near(high, 3.830, 0.2);
        assert_eq!(bootstrap(&[4.0, 4.0, 4.0], 0.95, 1), Some((4.0, 4.0)));
        assert_eq!((bootstrap(&[], 0.95, 1), bootstrap(&[1.0], 0.95, 1)), (None, None));
    }

    #[test]
    fn published_quantiles_of_t() {
        // Two-sided points of the printed tables.
        for (degrees, five, one) in [
            (1.0, 12.706, 63.657),
            (2.0, 4.303, 9.925),
            (5.0, 2.571, 4.032),
            (9.0, 2.262, 3.250),
            (30.0, 2.042, 2.750),
            (120.0, 1.980, 2.617),
        ] {
            near(student_t(0.05, degrees), five, 5e-4);
            near(student_t(0.01, degrees), one, 5e-4);
            near(student_p(five, degrees), 0.05, 5e-5);
        }
        // Cauchy for one degree, and the normal in the limit.
        near(student_p(1.0, 1.0), 0.5, 1e-14);
        near(student_t(0.05, 1e7), 1.959_964, 1e-6);
        assert_eq!((student_p(0.0, 9.0), student_p(f64::INFINITY, 9.0)), (1.0, 0.0));
        assert_eq!(student_p(-2.0, 7.0), student_p(2.0, 7.0));
        assert_eq!((student_t(0.0, 3.0), student_t(1.0, 3.0) < 1e-6), (f64::INFINITY, true));
    }

    #[test]
    fn the_sleep_data() {
        // Extra hours of sleep of ten patients under two drugs: the example of Student's paper; t = -4.0621, p =
        // 0.002833 as printed by R.
        let a = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let b = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        let test = paired_t(&differences, 0.95).unwrap();
        near(test.mean, -1.58, 1e-12);
        near(test.mean / test.error.unwrap(), -4.0621, 5e-5);
        near(test.p.unwrap(), 0.002_833, 5e-7);
        let (low, high) = test.interval.unwrap();
        near(low, -2.459_886, 5e-7);
        near(high, -0.700_114_2, 5e-7);
    }

    #[test]
    fn t_tests_of_little() {
        assert_eq!(paired_t(&[], 0.95), None);
        let one = paired_t(&[3.0], 0.95).unwrap();
        assert_eq!((one.mean, one.error, one.interval, one.p), (3.0, None, None, None));
        let same = paired_t(&[2.0, 2.0, 2.0], 0.95).unwrap();
        assert_eq!((same.interval, same.p), (Some((2.0, 2.0)), None));
    }

    #[test]
    fn published_tails_of_the_signed_rank_sum() {
        // Ten pairs with the ranks 1, 3 and 4 negative: W = 8, P(W <= 8) = 25 / 1024.
        let test = wilcoxon(&[-1.0, 2.0, -3.0, -4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]);
        assert_eq!((test.count, test.zeros, test.plus, test.minus, test.exact), (10, 0, 47.0, 8.0, true));
        near(test.p, 50.0 / 1024.0, 1e-15);
        // Critical values of the tables at 0.05, two-sided: the tail is within it, that of the next value is not.
        for (n, critical) in [(6, 0), (8, 3), (12, 13), (15, 25), (20, 52), (25, 89)] {
            let ranks: Vec<u64> = (1..=n).map(|rank| 2 * rank).collect();
            assert!(signed_rank_tail(&ranks, 2 * critical) <= 0.05, "{n}");
            assert!(signed_rank_tail(&ranks, 2 * (critical + 1)) > 0.05, "{n}");
        }
    }

    #[test]
    fn ties_are_counted_out() {
        // Ranks 2, 2, 2, 4: of 16 signs, those with a sum of at most 2 are none and one of the three: 4, so p = 8 / 16.
        let test = wilcoxon(&[1.0, 0.0, -1.0, 1.0, 2.0]);
        assert_eq!((test.count, test.zeros, test.plus, test.minus), (4, 1, 8.0, 2.0));
        near(test.p, 0.5, 1e-15);
        let none = wilcoxon(&[0.0, 0.0]);
        assert_eq!((none.count, none.zeros, none.p), (0, 2, 1.0));
        assert_eq!(wilcoxon(&[]).p, 1.0);
    }

    #[test]
    fn exact_and_normal_agree() {
        // The distribution has lighter tails than the normal one: by its fourth cumulant the two differ by up to 0.005
        // here.
        let ranks: Vec<u64> = (1..=25).map(|rank| 2 * rank).collect();
        for (minus, exact) in [(60, 0.004_605), (89, 0.048_262), (120, 0.263_476), (150, 0.750_993)] {
            near(signed_rank_tail(&ranks, 2 * minus), exact, 1e-6);
            near(approximate(25, 2 * (325 - minus), 0.0), exact, 0.005_1);
        }
        // Beyond the limit the approximation is what is used; ties lessen its variance.
        let differences: Vec<f64> = (1..=60).map(|i| f64::from(i) * if i % 3 == 0 { -1.0 } else { 1.0 }).collect();
        let test = wilcoxon(&differences);
        assert!(!test.exact);
        near(test.minus, 630.0, 0.0);
        near(test.p, libm::erfc(284.5 / (2.0 * 18_452.5_f64).sqrt()), 1e-14);
        near(test.p, 0.036_2, 1e-4);
        let tied: Vec<f64> = differences.iter().map(|difference| difference.signum()).collect();
        // 40 of 60 positive: z = (1220 - 915 - 0.5) / sqrt(18452.5 - 215940 / 48).
        near(wilcoxon(&tied).p, libm::erfc(304.5 / (2.0 * (18_452.5_f64 - 215_940.0 / 48.0)).sqrt()), 1e-12);
    }

    #[test]
    fn swapping_sides_mirrors() {
        let differences = [3.5, -1.0, 0.0, 2.0, -7.25, 2.0, 11.0];
        let mirrored = differences.map(|difference: f64| -difference);
        let (a, b) = (wilcoxon(&differences), wilcoxon(&mirrored));
        assert_eq!((a.p, a.plus, a.minus, a.zeros), (b.p, b.minus, b.plus, b.zeros));
        let (a, b) = (paired_t(&differences, 0.9).unwrap(), paired_t(&mirrored, 0.9).unwrap());
        assert_eq!((a.mean, a.p, a.error), (-b.mean, b.p, b.error));
        let ((low, high), (least, most)) = (a.interval.unwrap(), b.interval.unwrap());
        assert_eq!((low, high), (-most, -least));
    }

    #[test]
    fn corrections_keep_order() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (value, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            near(*value, expected, 1e-15);
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert_eq!(holm(&[]), Vec::<f64>::new());
    }
}
