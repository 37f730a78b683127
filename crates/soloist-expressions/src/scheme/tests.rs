//! The two ways to count the levels of an order agree.

use super::field::signed;
use super::{Options, Scheme, Terms};
use crate::algebra::Signs;
use soloist::Rng;

/// Random polynomials as terms.
fn random_terms(rng: &mut Rng, outputs: u32, variables: usize, count: usize, degree: u64, largest: u64) -> Terms {
    let mut terms = Terms::new(variables);
    for output in 0..outputs {
        let mut rows = std::collections::BTreeSet::new();
        for _ in 0..count {
            let row: Vec<u16> = (0..variables).map(|_| rng.below(degree + 1) as u16).collect();
            let size = 1 + rng.below(largest) as i64;
            let value = if rng.chance(0.5) { size } else { -size };
            if rows.insert(row.clone()) {
                terms.push(output, &row, signed(value), value.unsigned_abs()).unwrap();
            }
        }
    }
    terms
}

/// Narrow and wide keys, sorted by comparisons and by digits.
#[test]
fn all_levels_at_once_cost_what_each_does() {
    let mut rng = Rng::new(9);
    for (variables, count, degree, largest, wide) in
        [(6, 60, 3, 3, false), (9, 5000, 3, 100, false), (11, 80, 200, 1 << 40, true), (12, 3000, 60, 9, true)]
    {
        for outputs in 1..3 {
            let terms = random_terms(&mut rng, outputs, variables, count, degree, largest);
            for signs in [Signs::Canonical, Signs::Kept] {
                let scheme = Scheme::new(&terms, &Options { signs, ..Options::default() });
                let kernel = scheme.kernel();
                let mut order: Vec<u8> = (0..variables as u8).collect();
                rng.shuffle(&mut order);
                let (mut workspace, mut costs) = (scheme.workspace(), Vec::new());
                let (scratch, buffers) = (&mut workspace.scratch, &mut workspace.buffers);
                assert!(scheme.sweep().costs(kernel, &order, buffers, &mut scratch.seen, &mut costs, None));
                assert_eq!(scheme.sweep().is_wide(kernel), wide);
                let (mut from, mut to, mut set) = (kernel.rows.clone(), Vec::new(), 0);
                for (&v, cost) in order.iter().zip(costs).rev() {
                    assert_eq!(kernel.extract(&from, set, v.into(), scratch, &mut to), cost);
                    std::mem::swap(&mut from, &mut to);
                    set |= 1 << v;
                }
            }
        }
    }
    // Too many bits for any key.
    let scheme = Scheme::new(&random_terms(&mut rng, 1, 10, 30, 20_000, 3), &Options::default());
    let mut workspace = scheme.workspace();
    let (scratch, buffers) = (&mut workspace.scratch, &mut workspace.buffers);
    let order = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    assert!(!scheme.sweep().costs(scheme.kernel(), &order, buffers, &mut scratch.seen, &mut Vec::new(), None));
}
