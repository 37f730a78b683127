//! Generated expressions: resultants, random polynomials, and families of applications.

mod families;

use crate::algebra::{Coefficient, Polynomial, System, write_term};
use crate::read::MAX_TABLE;
use families::{FAMILIES, family};
use soloist::Rng;
use soloist_domain::InstanceError;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The largest `m + n` of a resultant.
const MAX_SYLVESTER: usize = 18;
/// The most products of terms that one row of a determinant forms.
const MAX_PRODUCTS: usize = 100_000_000;
/// The most terms of a random polynomial.
const MAX_TERMS: u64 = 5_000_000;

/// Whether `text` is a spec and not a file name.
#[must_use]
pub fn is_spec(text: &str) -> bool {
    let Some((name, _)) = text.split_once(':') else { return false };
    matches!(name, "res" | "random") || FAMILIES.iter().any(|family| family.0 == name)
}

/// Generates the expression of a spec.
///
/// - `res:7,4`: the resultant in x of `a0 + a1 x + .. + a7 x^7` and `b0 + .. + b4 x^4`, the determinant of their
///   Sylvester matrix; the term `a7^4 b0^7` has coefficient 1. Degrees from 1 on, together at most 18. 2562 terms;
///   `res:7,5` has 11380, `res:7,6` 43166.
/// - `random:5x100x6:7`: the sum of 100 random terms in `x1 .. x5`, each a product of 1 to 6 variables (uniform, each
///   uniform) with a coefficient uniform in -9..=9 without 0; equal monomials are added. The draws come from
///   [`Rng::new`] with the seed after the second colon: the same spec is the same instance in every release.
/// - `NAME:N`, multiplied out, with one or several outputs: `det`, `permanent`, `symdet`, `toeplitz` (symmetric),
///   `circulant`, `vandermonde` (determinants and permanents of N x N matrices), `cayley` (Cayley-Menger determinant of
///   N points), `disc` (discriminant of degree N), `trees` (spanning trees of N vertices), `symanzik` (U and F of the
///   N-loop ladder), `kinematics` (arm of N joints), `mass` (mass matrix of N joints), `element` (Jacobian determinant
///   of the quadrilateral, 2, or hexahedron, 3), `trace` (of N gamma matrices), `power` (`(a+b+c+d)^N`), `elementary`
///   (symmetric polynomials), `cyclic`, `katsura` (systems of equations), `harmonics` (real solid harmonics up to
///   degree N), `kinetics` (rates of N species and their Jacobian), `stiffness` (of the linear triangle, 2, or
///   tetrahedron, 3), `lagrange` (interpolation of degree N in two directions).
///
/// # Errors
/// One line: a spec that is not of this form or above the limits (1000 variables, 5,000,000 terms, 100 factors).
pub fn generate(spec: &str) -> Result<System, InstanceError> {
    let fail = |message: String| InstanceError::new(spec, message);
    match spec.split_once(':') {
        Some(("res", degrees)) => {
            let form = "expected res:M,N with two degrees from 1 on, as in res:7,4";
            let whole =
                |text: &str| text.parse::<usize>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
            let pair = degrees.split_once(',').and_then(|(m, n)| whole(m).zip(whole(n)));
            let (m, n) = pair.filter(|&(m, n)| m > 0 && n > 0).ok_or_else(|| fail(form.into()))?;
            if m.saturating_add(n) > MAX_SYLVESTER || m.max(n) > 15 {
                return Err(fail(format!(
                    "degrees {m} and {n}, expected at most {MAX_SYLVESTER} together and 15 each"
                )));
            }
            resultant(m, n).map(System::single).map_err(fail)
        }
        Some(("random", rest)) => random(rest).map(System::single).map_err(fail),
        Some((name, size)) if is_spec(spec) => {
            family(name, size).unwrap_or_else(|| Err("no family".into())).map_err(fail)
        }
        _ => Err(fail("expected res:M,N, random:VARIABLESxTERMSxDEGREE:SEED or a family, as in det:5".into())),
    }
}

fn random(rest: &str) -> Result<Polynomial, String> {
    let form = || "expected random:VARIABLESxTERMSxDEGREE:SEED, as in random:5x100x6:7".to_owned();
    let (size, seed) = rest.split_once(':').ok_or_else(form)?;
    let whole = |text: &str| text.parse::<u64>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    let sizes: Vec<Option<u64>> = size.split('x').map(whole).collect();
    let [Some(variables), Some(terms), Some(degree)] = sizes[..] else { return Err(form()) };
    let seed = whole(seed).ok_or("the seed is not a whole number from 0 to 18446744073709551615")?;
    for (name, value, most) in [("variables", variables, 1000), ("terms", terms, MAX_TERMS), ("factors", degree, 100)] {
        if !(1..=most).contains(&value) {
            return Err(format!("{value} {name}, expected 1 to {most}"));
        }
    }
    let table = variables.saturating_mul(terms);
    if table > MAX_TABLE as u64 {
        return Err(format!("{table} exponents (terms times variables), at most {} are held", MAX_TABLE));
    }
    let mut rng = Rng::new(seed);
    let n = variables as usize;
    let mut exponents = vec![0_u16; terms as usize * n];
    let mut coefficients = Vec::with_capacity(terms as usize);
    for row in exponents.chunks_mut(n) {
        for _ in 0..=rng.below(degree) {
            row[rng.index(n)] += 1;
        }
        let value = rng.below(18) as i64 - 9;
        coefficients.push(Coefficient::from(if value >= 0 { value + 1 } else { value }));
    }
    let names: Arc<[String]> = (1..=n).map(|at| format!("x{at}")).collect();
    Polynomial::new(names, exponents, coefficients)
}

/// The resultant of two generic polynomials of degrees `m` and `n` as a determinant, expanded row by row. The state
/// after a row is one polynomial for each set of columns used so far.
///
/// Rows of both polynomials alternate by their shift, so that few sets occur. Four bits hold an exponent; a word of 128
/// bits holds a monomial.
fn resultant(m: usize, n: usize) -> Result<Polynomial, String> {
    let size = m + n;
    // Rows as (first column, highest variable, number of entries); coefficients stand by falling degree.
    let mut rows: Vec<(usize, usize, usize, usize)> = Vec::new();
    rows.extend((0..n).map(|shift| (shift, shift, m, m + 1)));
    rows.extend((0..m).map(|shift| (n + shift, shift, m + 1 + n, n + 1)));
    soloist::order::sort_by_key(&mut rows, |&(number, shift, ..)| (shift, number));
    let order: Vec<usize> = rows.iter().map(|row| row.0).collect();
    let inversions = (0..size).map(|i| (0..i).filter(|&j| order[j] > order[i]).count()).sum::<usize>();
    let mut layer: BTreeMap<u32, Vec<(u128, i64)>> = BTreeMap::new();
    layer.insert(0, vec![(0, if inversions % 2 == 0 { 1 } else { -1 })]);
    for (done, &(_, shift, top, entries)) in rows.iter().enumerate() {
        let mut next: BTreeMap<u32, Vec<(u128, i64)>> = BTreeMap::new();
        // The following rows start at this column or later, so every column before it must be used.
        let start = rows.get(done + 1).map_or(size, |row| row.1);
        let before = (1_u32 << start) - 1;
        let mut products = 0_usize;
        for (&set, terms) in &layer {
            for entry in 0..entries {
                let column = shift + entry;
                let bit = 1_u32 << column;
                if set & bit != 0 || (set | bit) & before != before {
                    continue;
                }
                products += terms.len();
                let negative = (set >> column).count_ones() % 2 == 1;
                let variable = 1_u128 << (4 * (top - entry));
                let into = next.entry(set | bit).or_default();
                into.extend(
                    terms.iter().map(|&(monomial, value)| (monomial + variable, if negative { -value } else { value })),
                );
            }
        }
        if products > MAX_PRODUCTS {
            return Err(format!(
                "the resultant has too many terms: a row forms {products} products, at most {MAX_PRODUCTS}"
            ));
        }
        for terms in next.values_mut() {
            soloist::order::sort_by_key(terms, |&(monomial, _)| monomial);
            terms.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
            terms.retain(|&(_, value)| value != 0);
        }
        layer = next;
    }
    let terms = layer.into_values().next().unwrap_or_default();
    let names: Arc<[String]> = (0..=m).map(|at| format!("a{at}")).chain((0..=n).map(|at| format!("b{at}"))).collect();
    let mut exponents = Vec::with_capacity(terms.len() * names.len());
    for &(monomial, _) in &terms {
        exponents.extend((0..names.len()).map(|at| (monomial >> (4 * at) & 15) as u16));
    }
    Polynomial::new(names, exponents, terms.iter().map(|&(_, value)| Coefficient::from(value)).collect())
}

/// The outputs as text that [`parse`](crate::parse()) reads back, one term a line. If there are several outputs, `name
/// =` stands before each and `;` behind.
#[must_use]
pub fn write(system: &System) -> String {
    let named = system.definitions().len() > 1;
    let mut text = String::new();
    for definition in system.outputs() {
        if named {
            text.push_str(&definition.name);
            text.push_str(" =\n");
        }
        let polynomial = &definition.polynomial;
        for (row, value) in polynomial.terms() {
            text.push_str(if value.is_negative() { "-" } else { "+" });
            write_term(&mut text, polynomial.variables(), row, &value.abs());
            text.push('\n');
        }
        if polynomial.is_empty() {
            text.push_str("+ 0\n");
        }
        if named {
            text.push_str(";\n");
        }
    }
    text
}
