//! Generated instances: `random:COUNTxBITS:SEED`.

use super::{MAX_BITS, MAX_NUMBERS, Numbers};
use num_bigint::BigUint;
use soloist::Rng;
use soloist_domain::InstanceError;

/// Whether `text` is meant as a spec and not as a file name.
#[must_use]
pub fn is_spec(text: &str) -> bool {
    text.starts_with("random:")
}

/// Generates the instance of a spec.
///
/// `random:100x60:7` holds 100 independent numbers, uniform in 0..2^60; as many bits as numbers is the hardest ratio.
/// Each number takes its 64-bit words, the lowest first, from [`Rng::new`] with the seed after the second colon; of the
/// last word the highest bits are used. The same spec is the same instance in every release.
///
/// # Errors
/// One line: a spec that is not of this form, more than [`MAX_NUMBERS`] numbers or [`MAX_BITS`] bits, no numbers.
pub fn generate(spec: &str) -> Result<Numbers, InstanceError> {
    let fail = |message: &str| InstanceError::new(spec, message);
    let form = "expected random:COUNTxBITS:SEED, as in random:100x100:7";
    let rest = spec.strip_prefix("random:").ok_or_else(|| fail(form))?;
    let (size, seed) = rest.split_once(':').ok_or_else(|| fail(form))?;
    let (count, bits) = size.split_once('x').ok_or_else(|| fail(form))?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |text: &str| text.parse::<u64>().ok().filter(|_| digits(text));
    let most = MAX_NUMBERS as u64;
    let count = number(count).filter(|count| (1..=most).contains(count));
    let count = count.ok_or_else(|| fail(&format!("the number of numbers is not in 1..={most}")))?;
    let bits = number(bits).filter(|bits| (1..=MAX_BITS).contains(bits));
    let bits = bits.ok_or_else(|| fail(&format!("the number of bits is not in 1..={MAX_BITS}")))?;
    let seed = number(seed).ok_or_else(|| fail("the seed is not a whole number from 0 to 18446744073709551615"))?;
    let mut rng = Rng::new(seed);
    let words = bits.div_ceil(64);
    let mut draw = || {
        let mut digits = Vec::new();
        for word in 0..words {
            let kept = (bits - 64 * word).min(64);
            let drawn = rng.next_u64() >> (64 - kept);
            digits.extend([drawn as u32, (drawn >> 32) as u32]);
        }
        BigUint::new(digits)
    };
    Numbers::new((0..count).map(|_| draw()).collect()).map_err(|message| fail(&message))
}
