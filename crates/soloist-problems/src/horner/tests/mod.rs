//! Tests of expression simplification.

mod coding;
mod counting;
mod reading;

use super::*;
use soloist::Rng;
use std::path::PathBuf;

/// The polynomial of a text with one output.
fn polynomial(text: &str) -> Polynomial {
    let system = parse("test", text.as_bytes(), true).unwrap();
    assert_eq!(system.definitions().len(), 1, "{text}");
    system.definitions()[0].polynomial.clone()
}

/// An order of the symbols by names.
fn named(system: &System, names: &str) -> Vec<usize> {
    names.split(',').map(|name| system.symbols().iter().position(|own| own == name).unwrap()).collect()
}

fn shuffled(n: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for at in (1..n).rev() {
        order.swap(at, rng.index(at + 1));
    }
    order
}

/// A benchmark expression, if the folder of them is beside the checkout.
fn shared(name: &str) -> Option<System> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/horner"));
    if folder.is_dir() {
        return Some(read(folder.join(format!("{name}.txt")).to_str().unwrap(), true).unwrap());
    }
    #[expect(clippy::print_stderr, reason = "a skipped test says so")]
    {
        eprintln!("skipped: {} is absent", folder.display());
    }
    None
}
