//! Values of the unknown factors of a polynomial.

use super::dense::{self, Dense, degree, monic};
use super::lift::{Plane, Tree, groups};
use crate::algebra::Polynomial;
use crate::scheme::field::{MODULUS, add, inverse, mul, negate};
use soloist::Rng;

/// The lines on which a polynomial is factored before the plane is: most irreducible polynomials show it there.
const LINES: usize = 5;
/// The largest total degree.
const MAX_DEGREE: usize = 60;

/// A polynomial modulo the prime, over the variables that it holds.
#[derive(Debug)]
struct Residues {
    values: Vec<u64>,
    /// Variable and exponent of each factor, term by term.
    factors: Vec<(u32, u16)>,
    ends: Vec<u32>,
    /// The largest exponent of each variable.
    most: Vec<u16>,
    powers: Vec<Vec<u64>>,
}

impl Residues {
    fn new(polynomial: &Polynomial, variables: &[usize]) -> Option<Self> {
        let mut residues = Self {
            values: Vec::new(),
            factors: Vec::new(),
            ends: Vec::new(),
            most: vec![0; variables.len()],
            powers: vec![Vec::new(); variables.len()],
        };
        for (row, value) in polynomial.terms() {
            residues.values.push(value.modulo(MODULUS)?);
            for (at, &variable) in variables.iter().enumerate() {
                let exponent = row[variable];
                if exponent > 0 {
                    residues.factors.push((at as u32, exponent));
                    residues.most[at] = residues.most[at].max(exponent);
                }
            }
            residues.ends.push(u32::try_from(residues.factors.len()).ok()?);
        }
        Some(residues)
    }

    /// The value at a point.
    fn value(&mut self, point: &[u64]) -> u64 {
        for (at, &x) in point.iter().enumerate() {
            let powers = &mut self.powers[at];
            powers.clear();
            powers.push(1);
            for exponent in 0..usize::from(self.most[at]) {
                powers.push(mul(powers[exponent], x));
            }
        }
        let (mut sum, mut from) = (0, 0);
        for (&value, &end) in self.values.iter().zip(&self.ends) {
            let factors = &self.factors[from as usize..end as usize];
            let product = factors.iter().fold(value, |product, &(variable, exponent)| {
                mul(product, self.powers[variable as usize][usize::from(exponent)])
            });
            sum = add(sum, product);
            from = end;
        }
        sum
    }
}

/// A factor that is known by its values only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unknown {
    pub(super) multiplicity: u32,
}

/// The values of all factors of a polynomial at once.
///
/// With a direction a and a base b, f(a X + b + Y (v - b)) is monic in X up to a number. Its factors at Y = 0 are the
/// same for every v. Lifting them to the power of Y that is their degree gives the factors of the plane, whose values
/// at X = 0, Y = 1 are those of the factors of f at v, up to a number that is the same for every v.
///
/// # References
/// E. Kaltofen and B. Trager, "Computing with polynomials given by black boxes for their evaluations", Journal of
/// Symbolic Computation 9, 1990, pages 301-320.
#[derive(Debug)]
pub(super) struct BlackBox {
    residues: Residues,
    degree: usize,
    direction: Vec<u64>,
    base: Vec<u64>,
    /// The polynomials that are 1 at one of the points 0 .. degree and 0 at the others.
    basis: Vec<Dense>,
    scale: u64,
    tree: Tree,
    pub(super) unknown: Vec<Unknown>,
    precision: usize,
}

/// What the attempt to factor a polynomial has found.
#[derive(Debug)]
pub(super) enum Split {
    /// It has a single factor, or the attempt failed.
    No,
    Yes(Box<BlackBox>),
}

impl BlackBox {
    /// Separates the factors of a polynomial of several terms. Each evaluation takes work, which is subtracted from
    /// `work`; an attempt that would take more is not made.
    pub(super) fn new(polynomial: &Polynomial, variables: &[usize], rng: &mut Rng, work: &mut u64) -> Split {
        Self::separate(polynomial, variables, rng, work).map_or(Split::No, |found| Split::Yes(Box::new(found)))
    }

    fn separate(polynomial: &Polynomial, variables: &[usize], rng: &mut Rng, work: &mut u64) -> Option<Self> {
        let size = usize::try_from(polynomial.degree()).ok().filter(|size| (2..=MAX_DEGREE).contains(size))?;
        let entries = polynomial.exponents().iter().filter(|&&exponent| exponent > 0).count() + polynomial.len();
        let line = (entries * (size + 1)) as u64;
        *work = work.checked_sub(line * LINES as u64)?;
        let mut residues = Residues::new(polynomial, variables)?;
        let basis = basis(size);
        let draw = |rng: &mut Rng| -> Vec<u64> { variables.iter().map(|_| rng.below(MODULUS)).collect() };
        let mut degrees = u64::MAX;
        let mut found = None;
        for _ in 0..LINES {
            let (direction, base) = (draw(rng), draw(rng));
            let values: Vec<u64> =
                (0..=size as u64).map(|x| residues.value(&on_line(&direction, &base, x))).collect();
            let line = interpolate(&basis, &values);
            if degree(&line) != size {
                continue;
            }
            let scale = line[size];
            let parts = dense::square_free(&monic(line));
            let powers = parts.iter().any(|&(_, multiplicity)| multiplicity > 1);
            let factors: Vec<(Dense, u32)> = parts
                .iter()
                .flat_map(|(part, multiplicity)| {
                    dense::factors(part, rng).into_iter().map(|factor| (factor, *multiplicity)).collect::<Vec<_>>()
                })
                .collect();
            let sums = factors.iter().fold(1_u64, |sums, (factor, multiplicity)| {
                (0..*multiplicity).fold(sums, |sums, _| sums | sums << degree(factor))
            });
            degrees &= sums;
            found = Some((direction, base, scale, factors));
            if powers {
                break;
            }
            if degrees == 1 | 1 << size {
                return None;
            }
        }
        let (direction, base, scale, factors) = found?;
        *work = work.checked_sub(line * (size as u64 + 1))?;
        let power = |factor: &Dense, exponent: u32| (1..exponent).fold(factor.clone(), |p, _| dense::mul(&p, factor));
        let leaves: Vec<Dense> = factors.iter().map(|(factor, multiplicity)| power(factor, *multiplicity)).collect();
        let mut black_box = Self {
            residues,
            degree: size,
            direction,
            base,
            basis,
            scale: inverse(scale),
            tree: Tree::new(&leaves)?,
            unknown: Vec::new(),
            precision: size + 2,
        };
        let mut lifted = Vec::new();
        let whole = black_box.plane(&draw(rng));
        black_box.tree.lift(whole, &mut lifted);
        let groups = groups(&lifted)?;
        if let [group] = &groups[..]
            && factors[group[0]].1 == 1
        {
            return None;
        }
        let mut products = Vec::new();
        for group in &groups {
            let multiplicity = factors[group[0]].1;
            if group.iter().any(|&at| factors[at].1 != multiplicity) {
                return None;
            }
            let product = group.iter().fold(vec![1], |product, &at| dense::mul(&product, &leaves[at]));
            black_box.unknown.push(Unknown { multiplicity });
            products.push(product);
        }
        black_box.precision = products.iter().map(|product| degree(product)).max()? + 1;
        black_box.tree = Tree::new(&products)?;
        Some(black_box)
    }

    /// The work of an evaluation.
    pub(super) fn work(&self) -> u64 {
        let entries = (self.residues.factors.len() + self.residues.values.len()) as u64;
        let size = self.degree as u64 + 1;
        (entries + size * size) * size * size
    }

    /// The values of the factors at a point, each divided by a number of its own.
    pub(super) fn values(&mut self, point: &[u64]) -> Vec<u64> {
        let mut lifted = Vec::new();
        let whole = self.plane(point);
        self.tree.lift(whole, &mut lifted);
        let one = |(factor, unknown): (Plane, &Unknown)| {
            let mut sum = vec![0; degree(&factor[0]) + 1];
            for part in &factor {
                for (place, &x) in sum.iter_mut().zip(part) {
                    *place = add(*place, x);
                }
            }
            dense::root(&sum, unknown.multiplicity)[0]
        };
        lifted.into_iter().zip(&self.unknown).map(one).collect()
    }

    /// f(a X + b + Y (v - b)), divided by its leading coefficient, modulo a power of Y.
    fn plane(&mut self, point: &[u64]) -> Plane {
        let size = self.degree;
        let way: Vec<u64> = point.iter().zip(&self.base).map(|(&v, &b)| add(v, negate(b))).collect();
        let mut rows: Vec<Dense> = Vec::new();
        for y in 0..=size as u64 {
            let from = on_line(&way, &self.base, y);
            let values: Vec<u64> = (0..=size as u64)
                .map(|x| mul(self.scale, self.residues.value(&on_line(&self.direction, &from, x))))
                .collect();
            rows.push(interpolate(&self.basis, &values));
        }
        let mut plane: Plane = vec![vec![0; size + 1]; self.precision];
        for (row, basis) in rows.iter().zip(&self.basis) {
            for (k, &factor) in basis.iter().enumerate().take(self.precision) {
                for (place, &x) in plane[k].iter_mut().zip(row) {
                    *place = add(*place, mul(factor, x));
                }
            }
        }
        plane
    }
}

/// `base + x direction`.
fn on_line(direction: &[u64], base: &[u64], x: u64) -> Vec<u64> {
    direction.iter().zip(base).map(|(&a, &b)| add(mul(a, x), b)).collect()
}

/// The polynomials of degree `size` that are 1 at one of the points 0 .. `size` and 0 at the others.
fn basis(size: usize) -> Vec<Dense> {
    let points = 0..=size as u64;
    let whole = points.clone().fold(vec![1], |product, x| dense::mul(&product, &[negate(x), 1]));
    points
        .map(|x| {
            let other = dense::div_rem(&whole, &[negate(x), 1]).0;
            let value = other.iter().rev().fold(0, |sum, &c| add(mul(sum, x), c));
            let scale = inverse(value);
            other.into_iter().map(|c| mul(c, scale)).collect()
        })
        .collect()
}

fn interpolate(basis: &[Dense], values: &[u64]) -> Dense {
    let mut sum = vec![0; basis.len()];
    for (basis, &value) in basis.iter().zip(values) {
        for (place, &x) in sum.iter_mut().zip(basis) {
            *place = add(*place, mul(value, x));
        }
    }
    dense::trim(sum)
}
