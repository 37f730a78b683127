//! Lifting of factors from a line to a plane.

use super::dense::{Dense, cofactors, degree, div_rem, mul, sub, trim};
use crate::scheme::field::{add, mul as times, negate};

/// A polynomial in X and Y: for each power of Y a polynomial in X.
pub(super) type Plane = Vec<Dense>;

/// Coprime monic factors at Y = 0, prepared for lifting: a binary tree of pairs.
#[derive(Debug)]
pub(super) enum Tree {
    Leaf,
    Pair { left: Dense, right: Dense, cofactor: Dense, below: Box<[Tree; 2]> },
}

impl Tree {
    /// `None` unless the factors are coprime.
    pub(super) fn new(factors: &[Dense]) -> Option<Self> {
        if factors.len() < 2 {
            return Some(Self::Leaf);
        }
        let (first, second) = factors.split_at(factors.len() / 2);
        let product = |factors: &[Dense]| factors.iter().fold(vec![1], |product, factor| mul(&product, factor));
        let (left, right) = (product(first), product(second));
        let (_, cofactor) = cofactors(&left, &right)?;
        let below = Box::new([Self::new(first)?, Self::new(second)?]);
        Some(Self::Pair { left, right, cofactor, below })
    }

    /// The factors of `whole`, monic in X, modulo a power of Y, in the order of the tree. `whole` holds all powers of Y
    /// below that one.
    pub(super) fn lift(&self, whole: Plane, out: &mut Vec<Plane>) {
        let Self::Pair { left, right, cofactor, below } = self else {
            out.push(whole);
            return;
        };
        let mut a: Plane = vec![left.clone()];
        let mut b: Plane = vec![right.clone()];
        for k in 1..whole.len() {
            let mut error = whole[k].clone();
            error.resize(error.len().max(degree(left) + degree(right) + 1), 0);
            for i in 1..k {
                let product = mul(&a[i], &b[k - i]);
                for (place, &x) in product.iter().enumerate() {
                    error[place] = add(error[place], negate(x));
                }
            }
            let error = trim(error);
            // x right + y left = error
            let x = div_rem(&mul(&error, cofactor), left).1;
            let y = div_rem(&sub(&error, &mul(&x, right)), left).0;
            a.push(x);
            b.push(y);
        }
        below[0].lift(a, out);
        below[1].lift(b, out);
    }
}

/// Which of the lifted factors belong together: the groups whose products are polynomials of total degree at most their
/// degree in X. `None` if the precision does not decide that.
///
/// The sum of the m-th powers of the roots in X has degree at most m in Y for such a product. That is a linear
/// condition on the sets of factors.
///
/// # References
/// S. Gao, "Factoring multivariate polynomials via partial differential equations", Mathematics of Computation 72,
/// 2003; G. Lecerf, "Sharp precision in Hensel lifting for bivariate polynomial factorization", Mathematics of
/// Computation 75, 2006.
pub(super) fn groups(lifted: &[Plane]) -> Option<Vec<Vec<usize>>> {
    let r = lifted.len();
    let precision = lifted.first()?.len();
    let most = lifted.iter().map(|factor| degree(&factor[0])).sum::<usize>().min(precision - 2);
    let sums: Vec<Vec<Vec<u64>>> = lifted.iter().map(|factor| power_sums(factor, most)).collect();
    let mut rows: Vec<Vec<u64>> = Vec::new();
    for m in 1..=most {
        for k in m + 1..precision {
            rows.push(sums.iter().map(|sums| sums[m - 1][k]).collect());
        }
    }
    let basis = nullspace(rows, r);
    let mut taken = vec![false; r];
    let mut groups = Vec::new();
    for vector in basis {
        let mut group = Vec::new();
        for (at, &x) in vector.iter().enumerate() {
            match x {
                0 => {}
                1 if !std::mem::replace(&mut taken[at], true) => group.push(at),
                _ => return None,
            }
        }
        groups.push(group);
    }
    taken.iter().all(|&taken| taken).then_some(groups)
}

/// The sums of the first `most` powers of the roots in X as polynomials in Y, by the identities of Newton.
fn power_sums(factor: &Plane, most: usize) -> Vec<Vec<u64>> {
    let (size, precision) = (degree(&factor[0]), factor.len());
    // The coefficient of X^(size - i) as a series in Y.
    let series =
        |i: usize| -> Vec<u64> { (0..precision).map(|k| factor[k].get(size - i).copied().unwrap_or(0)).collect() };
    let coefficients: Vec<Vec<u64>> = (0..=size).map(series).collect();
    let product = |a: &[u64], b: &[u64]| -> Vec<u64> {
        let mut product = mul(a, b);
        product.resize(precision.max(product.len()), 0);
        product.truncate(precision);
        product
    };
    let mut sums: Vec<Vec<u64>> = Vec::new();
    for m in 1..=most {
        let mut sum = vec![0; precision];
        let mut subtract = |series: &[u64], factor: u64| {
            for (x, &y) in sum.iter_mut().zip(series) {
                *x = add(*x, negate(times(factor, y)));
            }
        };
        if m <= size {
            subtract(&coefficients[m], m as u64);
        }
        for i in 1..m.min(size + 1) {
            subtract(&product(&coefficients[i], &sums[m - i - 1]), 1);
        }
        sums.push(sum);
    }
    sums
}

/// A basis of the vectors that are orthogonal to all rows, in reduced form: each has a 1 where all others have 0.
pub(super) fn nullspace(mut rows: Vec<Vec<u64>>, width: usize) -> Vec<Vec<u64>> {
    let mut pivots: Vec<usize> = Vec::new();
    let mut done = 0;
    // From the right: the free columns are then on the left, and a vector begins with its own 1.
    for column in (0..width).rev() {
        let Some(place) = (done..rows.len()).find(|&row| rows[row][column] != 0) else { continue };
        rows.swap(done, place);
        let scale = crate::scheme::field::inverse(rows[done][column]);
        rows[done].iter_mut().for_each(|x| *x = times(*x, scale));
        for row in 0..rows.len() {
            if row != done && rows[row][column] != 0 {
                let factor = negate(rows[row][column]);
                let pivot = rows[done].clone();
                rows[row].iter_mut().zip(pivot).for_each(|(x, other)| *x = add(*x, times(factor, other)));
            }
        }
        pivots.push(column);
        done += 1;
    }
    let mut basis = Vec::new();
    for free in (0..width).filter(|column| !pivots.contains(column)) {
        let mut vector = vec![0; width];
        vector[free] = 1;
        for (row, &pivot) in pivots.iter().enumerate() {
            vector[pivot] = negate(rows[row][free]);
        }
        basis.push(vector);
    }
    basis
}
