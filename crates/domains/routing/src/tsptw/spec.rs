//! Generated instances: `random:CUSTOMERSxWIDTH:SEED`.

use super::{Instance, MAX_NODES};
use crate::vrptw::whole;
use soloist::Rng;
use soloist_domain::InstanceError;
use soloist_domain::error::quote;

const PREFIX: &str = "random:";
const FORM: &str = "expected random:CUSTOMERSxWIDTH:SEED, as in random:40x60:7";
/// The widest window.
const MAX_WIDTH: u64 = 1_000_000;

/// Whether `text` is meant as a spec and not as a file name.
#[must_use]
pub fn is_spec(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// Generates the instance of a spec such as `random:40x60:7`: 40 customers, windows 60 wide, seed 7.
///
/// Customers and the depot are uniform in a square of 50 x 50, travel times are straight lines rounded down, so that
/// the triangle inequality may fail by one. Around a random tour's arrival times windows open and close, at distances
/// uniform from 0 to half of the width: the tour is a solution. The depot closes a width after that tour's return. The
/// draws come from [`Rng::new`] with the seed: the same spec is the same instance in every release.
///
/// # Errors
/// One line: a spec that is not of this form, no customers or more than 800, a width above 1,000,000.
///
/// # References
/// Y. Dumas, J. Desrosiers, E. Gelinas and M. Solomon, "An optimal algorithm for the traveling salesman problem with
/// time windows", Operations Research 43, 1995, pages 367-371 (the kind of instance).
pub fn generate(spec: &str) -> Result<Instance, InstanceError> {
    let fail = |message: String| InstanceError::new(spec, message);
    let rest = spec.strip_prefix(PREFIX).ok_or_else(|| fail(FORM.into()))?;
    let parts = rest.split_once(':').and_then(|(size, seed)| size.split_once('x').map(|(n, width)| (n, width, seed)));
    let (customers, width, seed) = parts.ok_or_else(|| fail(FORM.into()))?;
    let read = |text: &str, what: &str, least: u64, most: u64| {
        let value = whole(text).ok_or_else(|| fail(format!("{what} {}: {FORM}", quote(text.as_bytes()))))?;
        let range = (least..=most).contains(&value);
        range.then_some(value).ok_or_else(|| fail(format!("{what} {value}, expected {least} to {most}")))
    };
    let customers = read(customers, "number of customers", 1, MAX_NODES as u64 - 1)?;
    let width = read(width, "width of windows", 0, MAX_WIDTH)?;
    let seed =
        whole(seed).ok_or_else(|| fail("the seed is not a whole number from 0 to 18446744073709551615".into()))?;
    let mut rng = Rng::new(seed);
    let n = customers as usize + 1;
    let places: Vec<(f64, f64)> = (0..n).map(|_| (rng.below(51) as f64, rng.below(51) as f64)).collect();
    let way = |i: usize, j: usize| {
        let (x, y) = (places[i].0 - places[j].0, places[i].1 - places[j].1);
        (x * x + y * y).sqrt().floor()
    };
    let mut order: Vec<usize> = (1..n).collect();
    rng.shuffle(&mut order);
    let mut windows = vec![(0.0, 0.0); n];
    let (mut time, mut last) = (0.0, 0);
    for &node in &order {
        time += way(last, node);
        let (before, after) = (rng.below(width / 2 + 1) as f64, rng.below(width / 2 + 1) as f64);
        windows[node] = ((time - before).max(0.0), time + after);
        last = node;
    }
    windows[0] = (0.0, time + way(last, 0) + width as f64);
    let matrix = (0..n * n).map(|at| way(at / n, at % n)).collect();
    Ok(Instance { matrix, windows })
}
