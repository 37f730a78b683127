//! Tests of expression simplification.

mod coding;
mod counting;
mod reading;

use super::*;
use soloist::Rng;
use soloist_domain::testing::shared_data;
use std::path::PathBuf;

/// Expressions and how FORM 4.3 counts their operations.
pub(super) const FORM_COUNTS: [(&str, &str); 9] = [
    ("x^7*y^3+2*x^7-5*y^3", "4P 3M 2A : 17"),
    ("x^3*y^2+x^2*y+x^3*z", "2P 5M 2A : 11"),
    ("-x-y", "0P 0M 1A : 1"),
    ("x/2+y/3", "0P 2M 1A : 3"),
    ("-3/7*x*y+1/2", "0P 2M 1A : 3"),
    ("x^15+y^16+z^4", "3P 0M 2A : 14"),
    ("x*a-x*b+y*b-y*a", "0P 4M 3A : 7"),
    ("0", "0P 0M 0A : 0"),
    ("x^2", "0P 1M 0A : 1"),
];

/// The polynomial of a text with one output.
fn polynomial(text: &str) -> Polynomial {
    let system = parse("test", text.as_bytes(), true).unwrap();
    assert_eq!(system.definitions().len(), 1, "{text}");
    system.definitions()[0].polynomial.clone()
}

/// An order of the symbols by names.
pub(super) fn named(system: &System, names: &str) -> Vec<usize> {
    names.split(',').map(|name| system.symbols().iter().position(|own| own == name).unwrap()).collect()
}

fn shuffled(n: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    rng.shuffle(&mut order);
    order
}

/// A benchmark expression, if the folder of them is beside the checkout.
pub(super) fn shared(name: &str) -> Option<System> {
    let path = shared_data("horner")?.join(format!("{name}.txt"));
    Some(read(path.to_str().unwrap(), true).unwrap())
}
