//! The exponential function, inlined and the same on every platform.

/// exp(x), within two units in the last place for |x| <= 700; smaller and larger arguments are taken for these limits.
///
/// The search adapts hundreds of weights after every playout: `libm`'s division and call took an eighth of a run. Only
/// IEEE additions and multiplications are used, in a fixed order, so that the result has the same bits everywhere.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    const LOG2_E: f64 = std::f64::consts::LOG2_E;
    // ln 2 in two parts; the first has zeros at its end, so that its product with a small integer is exact.
    const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
    const LN_2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
    /// 1.5 x 2^52: adding and subtracting it rounds to the nearest integer.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let x = x.clamp(-700.0, 700.0);
    let shifted = x * LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    // Taylor's polynomial: |r| <= ln 2 / 2, so that the first term left out is below 2^-52.
    const C: [f64; 13] = {
        let mut c = [1.0; 13];
        let mut i = 1;
        while i < 13 {
            c[i] = c[i - 1] / i as f64;
            i += 1;
        }
        c
    };
    let (r2, pair) = (r * r, |i: usize| C[i] + C[i + 1] * r);
    let r4 = r2 * r2;
    let low = pair(0) + pair(2) * r2;
    let middle = pair(4) + pair(6) * r2;
    let high = pair(8) + pair(10) * r2 + C[12] * r4;
    let p = low + (middle + high * r4) * r4;
    // The low bits of `shifted` hold k as an integer.
    let scale = f64::from_bits((shifted.to_bits().wrapping_add(1023)) << 52);
    p * scale
}

/// Whether `u < exp(-x)`, where `x` is not negative, as the exponential of `libm` says.
///
/// Most questions need no exponential: `1 - x` is smaller, and the reciprocal of the first terms of the series of
/// `exp(x)` is larger, by more than rounding errors where the answer is taken from them.
#[inline]
pub(crate) fn is_below_exp(u: f64, x: f64) -> bool {
    const MARGIN: f64 = 1e-9;
    if u < 1.0 - x - MARGIN {
        return true;
    }
    let series = 1.0 + x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0))));
    if u * series > 1.0 + MARGIN {
        return false;
    }
    u < libm::exp(-x)
}

#[cfg(test)]
mod tests {
    use super::{exp, is_below_exp};
    use crate::Rng;

    #[test]
    fn close_to_libm() {
        let mut worst = 0.0_f64;
        for i in -700_000..=700_000 {
            let x = f64::from(i) * 0.001;
            worst = worst.max((exp(x) / libm::exp(x) - 1.0).abs());
        }
        assert!(worst < 5e-16, "{worst}");
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-1e9), exp(-700.0));
        assert_eq!(exp(f64::INFINITY), exp(700.0));
    }

    #[test]
    fn the_same_bits_everywhere() {
        let bits = [-20.0, -0.1, 0.3, 1.0, 15.0].map(|x| exp(x).to_bits());
        let expected = [
            0x3e21_b486_55f3_7267,
            0x3fec_f46d_99d5_2b3b,
            0x3ff5_9905_8c8c_1a96,
            0x4005_bf0a_8b14_5769,
            0x4148_f0cc_afad_2a87,
        ];
        assert_eq!(bits, expected, "{bits:x?}");
    }

    #[test]
    fn the_question_has_the_answer_of_the_exponential() {
        let mut rng = Rng::new(1);
        for round in 0..200_000 {
            let x = libm::exp(rng.unit() * 50.0 - 30.0);
            let exact = libm::exp(-x);
            // Draws at random, and next to the border.
            let near = f64::from_bits(exact.to_bits() + rng.below(9)).min(1.0);
            let near = if round % 2 == 0 { near } else { f64::from_bits(near.to_bits().saturating_sub(4)) };
            for u in [rng.unit(), near, exact, 0.0] {
                assert_eq!(is_below_exp(u, x), u < exact, "{u} {x}");
            }
        }
        assert!(!is_below_exp(0.5, f64::INFINITY) && is_below_exp(0.999, 0.0));
    }
}
