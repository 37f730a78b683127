//! Generated instances: `KIND:ITEMSxMAX:SEED`.

use super::format::whole;
use super::{Item, MAX_ITEMS, Sack};
use soloist::Rng;
use soloist_domain::InstanceError;

/// The largest `MAX` of a spec.
const MAX_COEFFICIENT: u64 = 1_000_000_000;

/// How values depend on weights.
#[derive(Clone, Copy)]
enum Kind {
    Uncorrelated,
    Weak,
    Strong,
}

/// The kind that `spec` starts with and the rest; `None`: it is a file name.
fn split(spec: &str) -> Option<(Kind, &str)> {
    let (kind, rest) = spec.split_once(':')?;
    let kind = match kind {
        "random" => Kind::Uncorrelated,
        "weak" => Kind::Weak,
        "strong" => Kind::Strong,
        _ => return None,
    };
    Some((kind, rest))
}

/// Whether `text` is meant as a spec and not as a file name.
#[must_use]
pub fn is_spec(text: &str) -> bool {
    split(text).is_some()
}

/// Generates the instance of a spec.
///
/// `random:100x1000:7` has 100 items of weights uniform in 1..=1000 and values
/// - `random`: uniform in 1..=1000, whatever the weight (uncorrelated);
/// - `weak`: uniform in weight - 100 ..= weight + 100 and at least 1 (a tenth of the largest weight either way);
/// - `strong`: weight + 100 (a tenth of the largest weight more), the hard kind.
///
/// The capacity is half of all weights, rounded down, and at least the heaviest item. The draws come from [`Rng::new`]
/// with the seed after the second colon, weight before value: the same spec is the same instance in every release.
///
/// # Errors
/// One line: a spec that is not of this form, more than 1,000,000 items, a `MAX` outside 1..=1,000,000,000.
///
/// # References
/// D. Pisinger, "Where are the hard knapsack problems?", Computers & Operations Research 32, 2005, pages 2271-2284.
pub fn generate(spec: &str) -> Result<Sack, InstanceError> {
    let fail = |message: String| InstanceError::new(spec, message);
    let form = "expected random:ITEMSxMAX:SEED, weak:ITEMSxMAX:SEED or strong:ITEMSxMAX:SEED, as in random:100x1000:7";
    let (kind, rest) = split(spec).ok_or_else(|| fail(form.into()))?;
    let parts = rest.split_once(':').and_then(|(size, seed)| size.split_once('x').map(|(n, max)| (n, max, seed)));
    let (count, max, seed) = parts.ok_or_else(|| fail(form.into()))?;
    let count = whole(count.as_bytes()).map_err(|wrong| fail(format!("number of items {wrong}")))?;
    let max = whole(max.as_bytes()).map_err(|wrong| fail(format!("largest weight {wrong}")))?;
    let digits = !seed.is_empty() && seed.bytes().all(|byte| byte.is_ascii_digit());
    let seed: u64 = seed
        .parse()
        .ok()
        .filter(|_| digits)
        .ok_or_else(|| fail("the seed is not a whole number from 0 to 18446744073709551615".into()))?;
    if !(1..=MAX_ITEMS as u64).contains(&count) {
        return Err(fail(format!("{count} items, expected 1 to {MAX_ITEMS}")));
    }
    if !(1..=MAX_COEFFICIENT).contains(&max) {
        return Err(fail(format!("largest weight {max}, expected 1 to {MAX_COEFFICIENT}")));
    }
    let mut rng = Rng::new(seed);
    let spread = (max / 10).max(1);
    let mut draw = || {
        let weight = 1 + rng.below(max);
        let value = match kind {
            Kind::Uncorrelated => 1 + rng.below(max),
            Kind::Weak => (weight + rng.below(2 * spread + 1)).saturating_sub(spread).max(1),
            Kind::Strong => weight + spread,
        };
        Item { value, weight }
    };
    let items: Vec<Item> = (0..count).map(|_| draw()).collect();
    let total: u64 = items.iter().map(|item| item.weight).sum();
    let heaviest = items.iter().map(|item| item.weight).max().unwrap_or(0);
    Sack::new((total / 2).max(heaviest), items).map_err(fail)
}
