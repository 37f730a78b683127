//! Expressions that several tests share.

use soloist::Rng;
use soloist_expressions::{Coefficient, Header, Polynomial, System, generate, parse};
use std::collections::BTreeMap;
use std::sync::Arc;
use tempfile::TempDir;

/// Expressions and how FORM 4.3 counts their operations.
pub(crate) const FORM_COUNTS: [(&str, &str); 9] = [
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

/// The system of a text.
pub(crate) fn system(text: &str) -> System {
    parse("test", text.as_bytes(), true).unwrap()
}

/// The polynomial of a text with one output.
pub(crate) fn polynomial(text: &str) -> Polynomial {
    let system = system(text);
    assert_eq!(system.outputs().count(), 1, "{text}");
    system.outputs().next().unwrap().polynomial.clone()
}

/// A header for code of `system`.
pub(crate) fn header<'a>(system: &System, order: &'a [usize]) -> Header<'a> {
    Header { function: "f", source: "a", input: system.counts(), order, exceptions: 0 }
}

/// An order of the symbols by names.
pub(crate) fn named(system: &System, names: &str) -> Vec<usize> {
    names.split(',').map(|name| system.symbols().iter().position(|symbol| symbol == name).unwrap()).collect()
}

pub(crate) fn shuffled(n: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    rng.shuffle(&mut order);
    order
}

/// A published expression in the folder beside the checkout. Tests that call this are ignored where it is absent.
pub(crate) fn shared(name: &str) -> System {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/horner");
    soloist_expressions::read(&format!("{folder}/{name}.txt"), true).unwrap()
}

/// The determinant of a matrix of sizes up to 6 whose entries are 0, 1 or variables.
fn determinant(names: &[String], entries: &[Vec<Entry>]) -> System {
    let n = entries.len();
    let mut terms: BTreeMap<Vec<u16>, i64> = BTreeMap::new();
    let mut columns: Vec<usize> = (0..n).collect();
    permutations(&mut columns, 0, 1, &mut |columns, sign| {
        let mut row = vec![0; names.len()];
        for (entry, &column) in entries.iter().zip(columns) {
            match entry[column] {
                Entry::Zero => return,
                Entry::One => {}
                Entry::Variable(variable) => row[variable] += 1,
            }
        }
        *terms.entry(row).or_default() += sign;
    });
    let exponents = terms.keys().flatten().copied().collect();
    let coefficients = terms.values().map(|&value| Coefficient::from(value)).collect();
    System::single(Polynomial::new(names.to_vec().into(), exponents, coefficients).unwrap())
}

#[derive(Clone, Copy)]
enum Entry {
    Zero,
    One,
    Variable(usize),
}

fn permutations(items: &mut Vec<usize>, fixed: usize, sign: i64, visit: &mut dyn FnMut(&[usize], i64)) {
    if fixed == items.len() {
        return visit(items, sign);
    }
    for at in fixed..items.len() {
        items.swap(fixed, at);
        permutations(items, fixed + 1, if at == fixed { sign } else { -sign }, visit);
        items.swap(fixed, at);
    }
}

/// The determinant of the generic symmetric 6 x 6 matrix.
pub(crate) fn symdet_6() -> System {
    let pairs: Vec<(usize, usize)> = (0..6).flat_map(|i| (i..6).map(move |j| (i, j))).collect();
    let names: Vec<String> = pairs.iter().map(|(i, j)| format!("s{i}{j}")).collect();
    let place = |i: usize, j: usize| pairs.iter().position(|&pair| pair == (i.min(j), i.max(j))).unwrap();
    let entries: Vec<Vec<Entry>> = (0..6).map(|i| (0..6).map(|j| Entry::Variable(place(i, j))).collect()).collect();
    determinant(&names, &entries)
}

/// The Cayley-Menger determinant of five points, in their squared distances.
pub(crate) fn cayley_menger_5() -> System {
    let pairs: Vec<(usize, usize)> = (0..5).flat_map(|i| (i + 1..5).map(move |j| (i, j))).collect();
    let names: Vec<String> = pairs.iter().map(|(i, j)| format!("d{i}{j}")).collect();
    let entry = |i: usize, j: usize| match (i, j) {
        _ if i == j => Entry::Zero,
        (0, _) | (_, 0) => Entry::One,
        _ => Entry::Variable(pairs.iter().position(|&pair| pair == (i.min(j) - 1, i.max(j) - 1)).unwrap()),
    };
    let entries: Vec<Vec<Entry>> = (0..6).map(|i| (0..6).map(|j| entry(i, j)).collect()).collect();
    determinant(&names, &entries)
}

/// The discriminant of the generic polynomial of degree 7, up to its sign: the resultant of the polynomial and its
/// derivative, divided by the leading coefficient.
pub(crate) fn disc_7() -> System {
    let resultant = generate("res:7,6").unwrap();
    let names: Arc<[String]> = resultant.symbols()[..8].into();
    let (mut exponents, mut coefficients) = (Vec::new(), Vec::new());
    for (row, value) in resultant.definitions()[0].polynomial.terms() {
        let (a, b) = row.split_at(8);
        let mut row = a.to_vec();
        let mut value = value.clone();
        // The derivative has the coefficients b_i = (i + 1) a_(i + 1).
        for (i, &exponent) in b.iter().enumerate() {
            row[i + 1] += exponent;
            for _ in 0..exponent {
                value = value.mul(&Coefficient::from(i as i64 + 1));
            }
        }
        row[7] -= 1;
        exponents.extend(row);
        coefficients.push(value);
    }
    System::single(Polynomial::new(names, exponents, coefficients).unwrap())
}

/// The generated expressions are those of the files.
#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn generated_expressions_are_the_published_ones() {
    for (name, system) in [
        ("symdet_6", symdet_6()),
        ("cayley_menger_5", cayley_menger_5()),
        ("disc_7", disc_7()),
        ("res_7_4", generate("res:7,4").unwrap()),
    ] {
        let terms = |system: &System| {
            let polynomial = &system.definitions()[0].polynomial;
            let term = |(row, value): (&[u16], &Coefficient)| {
                let factors = row.iter().zip(polynomial.variables()).filter(|(exponent, _)| **exponent > 0);
                (factors.map(|(&exponent, name)| (name.clone(), exponent)).collect::<BTreeMap<_, _>>(), value.clone())
            };
            polynomial.terms().map(term).collect::<BTreeMap<_, _>>()
        };
        let negative = System::single(system.definitions()[0].polynomial.scale(&Coefficient::from(-1)));
        let published = terms(&shared(name));
        assert!(terms(&system) == published || terms(&negative) == published, "{name}");
    }
}

/// A new folder for one test.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}
