//! Generated instances: `KIND:TYPESxTUBES:SEED`.

use super::format::whole;
use super::{MAX_TUBES, MAX_TYPES, Order, Tube};
use soloist::Rng;
use soloist_domain::InstanceError;

/// The kind that `spec` starts with and the rest; `None`: it is a file name.
fn split(spec: &str) -> Option<(bool, &str)> {
    let (kind, rest) = spec.split_once(':')?;
    match kind {
        "random" => Some((true, rest)),
        "circles" => Some((false, rest)),
        _ => None,
    }
}

/// Whether `text` is meant as a spec and not as a file name.
#[must_use]
pub fn is_spec(text: &str) -> bool {
    split(text).is_some()
}

/// Generates the instance of a spec.
///
/// `random:5x80:7` offers 80 tubes of 5 types, `circles:5x80:7` discs without an inside. Outer radii are powers of a
/// uniform number, from 0.13 to 1.95 with as many types in each octave on average, rounded up to thousandths; walls are
/// a tenth to a sixth of the outer radius. Each tube is of a type drawn with a weight that falls with the radius. The
/// container is 1.2 times as high as wide, sides rounded to hundredths and at least 4, so that the outer discs would
/// cover 1.1 times its area: a good packing of rings holds most of them. The draws come from [`Rng::new`] with the seed
/// after the second colon: the same spec is the same instance in every release.
///
/// # Errors
/// One line: a spec that is not of this form, no types or more than 1,000, no tubes or more than 100,000.
pub fn generate(spec: &str) -> Result<Order, InstanceError> {
    let fail = |message: String| InstanceError::new(spec, message);
    let form = "expected random:TYPESxTUBES:SEED or circles:TYPESxTUBES:SEED, as in random:5x80:7";
    let (rings, rest) = split(spec).ok_or_else(|| fail(form.into()))?;
    let parts = rest.split_once(':').and_then(|(size, seed)| size.split_once('x').map(|(n, all)| (n, all, seed)));
    let (types, count, seed) = parts.ok_or_else(|| fail(form.into()))?;
    let types = whole(types.as_bytes(), MAX_TYPES as u64).map_err(|wrong| fail(format!("number of types {wrong}")))?;
    let count = whole(count.as_bytes(), MAX_TUBES).map_err(|wrong| fail(format!("number of tubes {wrong}")))?;
    let seed = whole(seed.as_bytes(), u64::MAX).map_err(|wrong| fail(format!("seed {wrong}")))?;
    if types == 0 || count == 0 {
        return Err(fail("at least one type and one tube are needed".into()));
    }
    let mut rng = Rng::new(seed);
    let mut tubes: Vec<Tube> = (0..types)
        .map(|_| {
            let outer = (130.0 * libm::pow(15.0, rng.unit())).ceil();
            let wall = (outer * (0.1 + rng.unit() / 15.0)).ceil();
            // Whole thousandths, so that files have three digits.
            let inner = if rings { (outer - wall) / 1e3 } else { 0.0 };
            Tube { demand: 0, inner, outer: outer / 1e3, value: None }
        })
        .collect();
    soloist::order::sort_by(&mut tubes, |a, b| a.outer.total_cmp(&b.outer));
    let weights: Vec<f64> = tubes.iter().map(|tube| 1.0 / tube.outer).collect();
    let all: f64 = weights.iter().sum();
    for _ in 0..count {
        let mut draw = rng.unit() * all;
        let drawn = weights.iter().position(|weight| {
            draw -= weight;
            draw < 0.0
        });
        tubes[drawn.unwrap_or(0)].demand += 1;
    }
    let discs: f64 =
        tubes.iter().map(|tube| f64::from(tube.demand) * std::f64::consts::PI * tube.outer * tube.outer).sum();
    let width = ((discs / 1.1 / 1.2).sqrt() * 100.0).round() / 100.0;
    let height = (width * 120.0).round() / 100.0;
    Order::new(&spec.replace(':', "-"), width.max(4.0), height.max(4.0), tubes).map_err(fail)
}
