//! Generated instances: `KIND:ITEMSxMAX:SEED`.

use super::{Item, MAX_ITEMS, Sack};
use soloist::Rng;
use soloist_domain::InstanceError;
use soloist_domain::spec::{Form, Size, Spec};

const FORM: Form<2> = Form {
    kinds: &["random", "weak", "strong", "inverse", "subset", "ceiling", "circle", "span"],
    sizes: [
        Size { name: "# items", range: 1..=MAX_ITEMS as u64 },
        Size { name: "largest weight #", range: 1..=1_000_000_000 },
    ],
    expected: "expected random:ITEMSxMAX:SEED, as in random:100x1000:7 (or weak, strong, inverse, subset, ceiling, circle, span)",
};

/// Whether `text` is meant as a spec and not as a file name.
#[must_use]
pub fn is_spec(text: &str) -> bool {
    FORM.matches(text)
}

/// Generates the instance of a spec.
///
/// `random:100x1000:7` has 100 items of weights uniform in 1..=1000 and values
/// - `random`: uniform in 1..=1000, whatever the weight (uncorrelated);
/// - `weak`: uniform in weight - 100 ..= weight + 100 and at least 1 (a tenth of the largest weight either way);
/// - `strong`: weight + 100 (a tenth of the largest weight more), the hard kind;
/// - `subset`: the weight; `ceiling`: the weight, rounded up to a multiple of 3;
/// - `circle`: two thirds of the root of 4 MAX^2 - (weight - 2 MAX)^2, rounded down.
///
/// `inverse`: the values are uniform, the weights a tenth of the largest value more. `span`: each item is one of two
/// items of kind `strong`, drawn first, taken one to ten times.
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
    let Spec { kind, sizes: [count, max], seed } = FORM.parse(spec)?;
    let mut rng = Rng::new(seed);
    let spread = (max / 10).max(1);
    let keys = if kind == "span" { [1 + rng.below(max), 1 + rng.below(max)] } else { [0; 2] };
    let mut draw = || {
        if kind == "span" {
            let (weight, times) = (keys[rng.index(2)], 1 + rng.below(10));
            return Item { value: (weight + spread) * times, weight: weight * times };
        }
        let weight = 1 + rng.below(max);
        let value = match kind {
            "weak" => (weight + rng.below(2 * spread + 1)).saturating_sub(spread).max(1),
            "strong" => weight + spread,
            "inverse" => return Item { value: weight, weight: weight + spread },
            "subset" => weight,
            "ceiling" => weight.div_ceil(3) * 3,
            "circle" => (4 * weight * (4 * max - weight)).isqrt() / 3,
            _ => 1 + rng.below(max),
        };
        Item { value, weight }
    };
    let items: Vec<Item> = (0..count).map(|_| draw()).collect();
    let total: u64 = items.iter().map(|item| item.weight).sum();
    let heaviest = items.iter().map(|item| item.weight).max().unwrap_or(0);
    Sack::new((total / 2).max(heaviest), items).map_err(|message| InstanceError::new(spec, message))
}
