//! Values of the unknown factors of a polynomial.

use super::dense::{self, Dense, degree, monic};
use super::lift::{Plane, Tree, groups};
use crate::algebra::{Polynomial, Signs, System};
use crate::horner::{Dag, Program};
use crate::scheme::field::{MODULUS, add, inverse, mul, negate};
use soloist::Rng;

/// The lines on which a polynomial is factored before the plane is: most irreducible polynomials show it there.
const LINES: usize = 5;
/// The largest total degree.
const MAX_DEGREE: usize = 60;

/// A sum: the numbers in front, each with the end of its factors in the list of all factors.
type Sum = Vec<(u64, u32)>;

/// The program of a Horner form of a polynomial, modulo the prime: it takes fewer multiplications than the terms.
#[derive(Debug)]
struct Residues {
    inputs: usize,
    /// The temporaries and the polynomial.
    sums: Vec<Sum>,
    factors: Vec<u32>,
    /// The places of the inputs in a point.
    places: Vec<usize>,
    values: Vec<u64>,
}

impl Residues {
    fn new(polynomial: &Polynomial, variables: &[usize]) -> Option<Self> {
        let system = System::single(polynomial.clone());
        let dag = Dag::build(&system, &system.occurrence_order(), Signs::Canonical);
        let program = Program::new(&system, &dag);
        let mut residues = Self {
            inputs: program.inputs,
            sums: Vec::with_capacity(program.temporaries.len() + 1),
            factors: Vec::new(),
            places: Vec::new(),
            values: Vec::new(),
        };
        // The inputs are all variables; those that do not occur are 0.
        for input in 0..program.inputs {
            residues.places.push(variables.iter().position(|&variable| variable == input).unwrap_or(usize::MAX));
        }
        for terms in program.temporaries.iter().chain(&program.outputs) {
            let mut sum = Sum::with_capacity(terms.len());
            for term in terms {
                residues.factors.extend_from_slice(&term.factors);
                sum.push((term.value.modulo(MODULUS)?, u32::try_from(residues.factors.len()).ok()?));
            }
            residues.sums.push(sum);
        }
        Some(residues)
    }

    /// The multiplications and additions of an evaluation.
    fn work(&self) -> usize {
        self.factors.len() + self.sums.iter().map(Vec::len).sum::<usize>() + self.inputs
    }

    /// The value at a point.
    fn value(&mut self, point: &[u64]) -> u64 {
        let Self { sums, factors, places, values, .. } = self;
        values.clear();
        values.extend(places.iter().map(|&place| point.get(place).copied().unwrap_or(0)));
        let mut from = 0;
        for sum in sums {
            let mut total = 0;
            for &(number, end) in &*sum {
                let end = end as usize;
                let product = factors[from..end].iter().fold(number, |product, &at| mul(product, values[at as usize]));
                total = add(total, product);
                from = end;
            }
            values.push(total);
        }
        values.last().copied().unwrap_or(0)
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
    /// For each degree the polynomials that are 1 at one of the points 0 .. degree and 0 at the others.
    bases: Vec<Vec<Dense>>,
    /// The polynomial on the line Y = 0.
    line: Dense,
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
    pub(super) fn split(polynomial: &Polynomial, variables: &[usize], rng: &mut Rng, work: &mut u64) -> Split {
        Self::separate(polynomial, variables, rng, work).map_or(Split::No, |found| Split::Yes(Box::new(found)))
    }

    fn separate(polynomial: &Polynomial, variables: &[usize], rng: &mut Rng, work: &mut u64) -> Option<Self> {
        let size = usize::try_from(polynomial.degree()).ok().filter(|size| (2..=MAX_DEGREE).contains(size))?;
        let entries = polynomial.exponents().iter().filter(|&&exponent| exponent > 0).count() + polynomial.len();
        *work = work.checked_sub((entries * 8) as u64)?;
        let mut residues = Residues::new(polynomial, variables)?;
        let cost = (residues.work() * (size + 1)) as u64;
        *work = work.checked_sub(cost * LINES as u64)?;
        let bases: Vec<Vec<Dense>> = (0..=size).map(basis).collect();
        let draw = |rng: &mut Rng| -> Vec<u64> { variables.iter().map(|_| rng.below(MODULUS)).collect() };
        let mut degrees = u64::MAX;
        let mut found = None;
        for _ in 0..LINES {
            let (direction, base) = (draw(rng), draw(rng));
            let values: Vec<u64> = (0..=size as u64).map(|x| residues.value(&on_line(&direction, &base, x))).collect();
            let line = interpolate(&bases[size], &values);
            if degree(&line) != size {
                continue;
            }
            let scale = line[size];
            let line = monic(line);
            let parts = dense::square_free(&line);
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
            found = Some((direction, base, scale, line, factors));
            if powers {
                break;
            }
            if degrees == 1 | 1 << size {
                return None;
            }
        }
        let (direction, base, scale, line, factors) = found?;
        *work = work.checked_sub(cost * (size as u64 + 1) / 2)?;
        let power = |factor: &Dense, exponent: u32| (1..exponent).fold(factor.clone(), |p, _| dense::mul(&p, factor));
        let leaves: Vec<Dense> = factors.iter().map(|(factor, multiplicity)| power(factor, *multiplicity)).collect();
        let mut black_box = Self {
            residues,
            degree: size,
            direction,
            base,
            bases,
            line,
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
        let size = self.degree as u64 + 1;
        (self.residues.work() as u64 + 2 * size) * size * size / 2
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
        // Newton's form in Y: the sum of p_j(X) Y (Y - 1) .. (Y - j + 1), where p_j has degree size - j at most.
        let mut newton: Vec<Dense> = vec![self.line.clone()];
        for y in 1..=size as u64 {
            let from = on_line(&way, &self.base, y);
            let mut falling = vec![1];
            for j in 0..y {
                falling.push(mul(falling[j as usize], y - j));
            }
            let scale = inverse(falling[y as usize]);
            let count = size as u64 - y;
            let values: Vec<u64> = (0..=count)
                .map(|x| {
                    let value = mul(self.scale, self.residues.value(&on_line(&self.direction, &from, x)));
                    let known = newton.iter().zip(&falling).fold(0, |sum, (part, &factor)| {
                        add(sum, mul(factor, part.iter().rev().fold(0, |sum, &c| add(mul(sum, x), c))))
                    });
                    mul(add(value, negate(known)), scale)
                })
                .collect();
            newton.push(interpolate(&self.bases[count as usize], &values));
        }
        let mut plane: Plane = vec![vec![0; size + 1]; self.precision];
        let mut basis: Dense = vec![1];
        for (j, part) in newton.iter().enumerate() {
            for (k, &factor) in basis.iter().enumerate().take(self.precision) {
                for (place, &x) in plane[k].iter_mut().zip(part) {
                    *place = add(*place, mul(factor, x));
                }
            }
            basis = dense::mul(&basis, &[negate(j as u64), 1]);
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
