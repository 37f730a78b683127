//! Linear relations between the exponents of all terms, as homogeneous expressions have them.

use super::field::{add, inverse, mul, negate, residue};
use super::set::Set;
use super::terms::Terms;

/// Linear forms that have the same value for all terms, modulo 2^61 - 1, as an independent list.
///
/// If the forms, restricted to a set of variables, determine all variables of the set, then terms that agree outside
/// the set also agree inside. In that case no block holds two terms, and an extraction needs no look-up.
#[derive(Clone, Debug)]
pub(super) struct Relations {
    /// A coefficient for each variable.
    forms: Vec<Vec<u64>>,
}

impl Relations {
    /// The relations of the terms in the variables `searched`. O(terms x variables x relations).
    pub(super) fn new(terms: &Terms, searched: &[usize]) -> Self {
        let n = searched.len();
        // The last column is the number of the polynomial, in which the terms of a block also agree.
        let unit = |at: usize| (0..=n).map(|column| u64::from(column == at)).collect::<Vec<u64>>();
        let mut forms: Vec<Vec<u64>> = (0..=n).map(unit).collect();
        let mut difference = vec![0; n + 1];
        for at in 1..terms.len() {
            let (first, row) = (terms.row(0), terms.row(at));
            let minus = |a: u64, b: u64| add(residue(a), negate(residue(b)));
            for (entry, &v) in difference.iter_mut().zip(searched) {
                *entry = minus(row[v].into(), first[v].into());
            }
            difference[n] = minus(terms.output(at).into(), terms.output(0).into());
            let value = |form: &Vec<u64>| {
                let products = form.iter().zip(&difference).filter(|(a, b)| **a != 0 && **b != 0);
                products.fold(0, |sum, (&a, &b)| add(sum, mul(a, b)))
            };
            // A form that the term violates is no relation. It is removed and makes the others hold.
            let Some(pivot) = forms.iter().position(|form| value(form) != 0) else { continue };
            let removed = forms.swap_remove(pivot);
            let scale = negate(inverse(value(&removed)));
            for form in &mut forms {
                let factor = mul(value(form), scale);
                if factor != 0 {
                    form.iter_mut().zip(&removed).for_each(|(entry, &other)| *entry = add(*entry, mul(factor, other)));
                }
            }
        }
        forms.iter_mut().for_each(|form| form.truncate(n));
        forms.retain(|form| form.iter().any(|&entry| entry != 0));
        Self { forms }
    }

    /// Whether no two terms differ only in variables of `set`.
    pub(super) fn determine(&self, set: Set) -> bool {
        let count = set.count_ones() as usize;
        if count > self.forms.len() {
            return false;
        }
        // The rank of the columns of `set` by elimination.
        let mut rows: Vec<Vec<u64>> = Vec::with_capacity(self.forms.len());
        let columns: Vec<usize> = (0..Set::BITS as usize).filter(|&v| set >> v & 1 == 1).collect();
        rows.extend(self.forms.iter().map(|form| columns.iter().map(|&v| form[v]).collect::<Vec<u64>>()));
        for column in 0..count {
            let Some(pivot) = rows.iter().position(|row| row[column] != 0) else { return false };
            let pivot = rows.swap_remove(pivot);
            let scale = negate(inverse(pivot[column]));
            for row in rows.iter_mut().filter(|row| row[column] != 0) {
                let factor = mul(row[column], scale);
                row.iter_mut().zip(&pivot).for_each(|(entry, &other)| *entry = add(*entry, mul(factor, other)));
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homogeneous_terms_are_determined_by_all_variables_but_one() {
        // x^2, x y, y^2, x z, y z, z^2: total degree 2.
        let rows = [[2, 0, 0], [1, 1, 0], [0, 2, 0], [1, 0, 1], [0, 1, 1], [0, 0, 2]].concat();
        let terms = Terms::from_integers(3, &rows, &[1; 6]).unwrap();
        let relations = Relations::new(&terms, &[0, 1, 2]);
        assert_eq!(relations.forms.len(), 1);
        assert_eq!((0..8).map(|set| relations.determine(set)).filter(|&known| known).count(), 4);
        assert!(relations.determine(0) && relations.determine(0b100) && !relations.determine(0b110));
        // The same in two polynomials, once with another degree in the second.
        for (degree, determined) in [(0, true), (1, true)] {
            let mut two = Terms::new(2);
            for (output, row) in [(0, [2, 0]), (0, [0, 2]), (0, [1, 1]), (1, [1 + degree, 0]), (1, [degree, 1])] {
                two.push(output, &row, 1, 1).unwrap();
            }
            assert_eq!(Relations::new(&two, &[0, 1]).determine(1), determined);
        }
        let loose = Terms::from_integers(2, &[0, 0, 1, 0, 0, 1, 1, 1], &[1; 4]).unwrap();
        assert!(!Relations::new(&loose, &[0, 1]).determine(1));
    }
}
