//! Products of symbols, and numbers, each stored once.

use super::index::{Index, mix};
use crate::algebra::Coefficient;
use crate::table::Table;

/// A product of symbols, by its number in [`Products`].
pub(super) type Product = u32;

/// The empty product.
pub(super) const ONE: Product = 0;

/// Products of symbols. Factors ascend; a square is two factors.
#[derive(Clone, Debug)]
pub(super) struct Products {
    factors: Vec<u32>,
    /// The range of each product in `factors`.
    spans: Vec<(u32, u32)>,
    /// The sum of the hashes of the symbols of each product.
    hashes: Vec<u64>,
    index: Index,
    buffer: Vec<u32>,
}

impl Products {
    pub(super) fn new() -> Self {
        let mut products = Self {
            factors: Vec::new(),
            spans: Vec::new(),
            hashes: Vec::new(),
            index: Index::new(),
            buffer: Vec::new(),
        };
        products.intern(&[]);
        products
    }

    /// The number of products.
    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    pub(super) fn get(&self, product: Product) -> &[u32] {
        let (from, to) = self.spans[product as usize];
        &self.factors[from as usize..to as usize]
    }

    pub(super) fn hash(&self, product: Product) -> u64 {
        self.hashes[product as usize]
    }

    /// The number of the product of these factors, which ascend.
    pub(super) fn intern(&mut self, factors: &[u32]) -> Product {
        let hash = factors.iter().fold(0_u64, |hash, &symbol| hash.wrapping_add(mix(u64::from(symbol) + 1)));
        if let Some(known) = self.index.find(mix(hash), |product| self.get(product) == factors) {
            return known;
        }
        let product = self.spans.len() as u32;
        let from = self.factors.len() as u32;
        self.factors.extend_from_slice(factors);
        self.spans.push((from, self.factors.len() as u32));
        self.hashes.push(hash);
        let hashes = &self.hashes;
        self.index.push(|product| mix(hashes[product as usize]));
        product
    }

    /// Removes all but the first `count` products.
    pub(super) fn truncate(&mut self, count: usize) {
        while self.spans.len() > count
            && let Some(hash) = self.hashes.pop()
        {
            self.index.pop(mix(hash));
            if let Some((from, _)) = self.spans.pop() {
                self.factors.truncate(from as usize);
            }
        }
    }

    pub(super) fn contains(&self, product: Product, symbol: u32) -> bool {
        self.get(product).contains(&symbol)
    }

    fn edit(&mut self, change: impl FnOnce(&Self, &mut Vec<u32>)) -> Product {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        change(self, &mut buffer);
        buffer.sort_unstable();
        let product = self.intern(&buffer);
        self.buffer = buffer;
        product
    }

    /// The product without one of its factors `symbol`.
    pub(super) fn without(&mut self, product: Product, symbol: u32) -> Product {
        self.edit(|products, buffer| {
            let factors = products.get(product);
            let place = factors.iter().position(|&factor| factor == symbol).unwrap_or(factors.len());
            buffer.extend(factors.iter().enumerate().filter(|&(at, _)| at != place).map(|(_, factor)| factor));
        })
    }

    pub(super) fn times_symbol(&mut self, product: Product, symbol: u32) -> Product {
        self.edit(|products, buffer| {
            buffer.extend_from_slice(products.get(product));
            buffer.push(symbol);
        })
    }

    pub(super) fn times(&mut self, left: Product, right: Product) -> Product {
        if left == ONE || right == ONE {
            return left | right;
        }
        self.edit(|products, buffer| {
            buffer.extend_from_slice(products.get(left));
            buffer.extend_from_slice(products.get(right));
        })
    }

    /// The number of common factors of two different products, and the remaining symbol of each, or [`NOTHING`]. `None`
    /// if more than one symbol of a product remains.
    pub(super) fn split(&self, left: Product, right: Product) -> Option<(i32, u32, u32)> {
        let (left, right) = (self.get(left), self.get(right));
        if left.len().abs_diff(right.len()) > 1 {
            return None;
        }
        let (mut i, mut j, mut common) = (0, 0, 0);
        let (mut a, mut b) = (NOTHING, NOTHING);
        while i < left.len() || j < right.len() {
            let (x, y) = (left.get(i).copied().unwrap_or(NOTHING), right.get(j).copied().unwrap_or(NOTHING));
            let rest = match x.cmp(&y) {
                std::cmp::Ordering::Equal => {
                    (i, j, common) = (i + 1, j + 1, common + 1);
                    continue;
                }
                std::cmp::Ordering::Less => {
                    i += 1;
                    std::mem::replace(&mut a, x)
                }
                std::cmp::Ordering::Greater => {
                    j += 1;
                    std::mem::replace(&mut b, y)
                }
            };
            if rest != NOTHING {
                return None;
            }
        }
        Some((common, a, b))
    }
}

/// No symbol.
pub(super) const NOTHING: u32 = u32::MAX;

/// A number by its place in [`Numbers`]: twice the place of its size, plus 1 if it is negative.
pub(super) type Number = u32;

/// The absolute value of a number, by its place.
pub(super) type Size = u32;

/// Two sizes without a common factor, by their place. At place 0 both are 1.
pub(super) type Ratio = u32;

/// Sizes of numbers. The first one is 1.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    sizes: Vec<Coefficient>,
    places: Table<Coefficient, Size>,
    ratios: Vec<(Size, Size)>,
    ratio_places: Table<(Size, Size), Ratio>,
    /// The ratio and the greatest common factor of two sizes.
    known: Table<(Size, Size), (Ratio, Size)>,
    /// The contents of lists with sizes beyond 64 bits, and such sizes divided by others: polishing asks for the same
    /// ones again and again, and a greatest common divisor of thousands of digits takes long.
    contents: Table<Vec<Size>, Size>,
    quotients: Table<(Size, Size), Size>,
    /// Greatest common divisors of sizes beyond 64 bits that were computed.
    #[cfg(test)]
    pub(super) divisors: u64,
}

impl Numbers {
    pub(super) fn new() -> Self {
        let mut numbers = Self {
            sizes: Vec::new(),
            places: Table::default(),
            ratios: vec![(0, 0)],
            ratio_places: Table::default(),
            known: Table::default(),
            contents: Table::default(),
            quotients: Table::default(),
            #[cfg(test)]
            divisors: 0,
        };
        numbers.place(&Coefficient::ONE);
        numbers.ratio_places.insert((0, 0), 0);
        numbers
    }

    /// The place of a number that is not zero.
    pub(super) fn place(&mut self, value: &Coefficient) -> Number {
        let size = value.abs();
        let negative = u32::from(value.is_negative());
        if let Some(&place) = self.places.get(&size) {
            return 2 * place + negative;
        }
        let place = self.sizes.len() as u32;
        self.sizes.push(size.clone());
        self.places.insert(size, place);
        2 * place + negative
    }

    pub(super) fn get(&self, number: Number) -> Coefficient {
        self.sizes[number as usize / 2].with_sign(number % 2 == 1)
    }

    pub(super) fn times(&mut self, a: Number, b: Number) -> Number {
        if a < 2 || b < 2 {
            // One of them is 1 or -1.
            return a.max(b) ^ (a.min(b) & 1);
        }
        let value = self.sizes[a as usize / 2].mul(&self.sizes[b as usize / 2]);
        self.place(&value) ^ ((a ^ b) & 1)
    }

    /// The sum; `None` when it is zero.
    pub(super) fn plus(&mut self, a: Number, b: Number) -> Option<Number> {
        let value = self.get(a).add(&self.get(b));
        (!value.is_zero()).then(|| self.place(&value))
    }

    /// Two sizes as a ratio and the factor in front of it.
    pub(super) fn ratio(&mut self, m: Size, n: Size) -> (Ratio, Size) {
        if m == n {
            return (0, m);
        }
        if let Some(&known) = self.known.get(&(m, n)) {
            return known;
        }
        let (first, second) = (&self.sizes[m as usize], &self.sizes[n as usize]);
        #[cfg(test)]
        {
            self.divisors += u64::from(first.small().is_none() && second.small().is_none());
        }
        let front = first.gcd(second);
        // The common factor divides both and is not zero.
        let quotient = |value: &Coefficient| value.div(&front).unwrap_or(Coefficient::ONE);
        let (first, second) = (quotient(first), quotient(second));
        let sizes = (self.place(&first) / 2, self.place(&second) / 2);
        let front = self.place(&front) / 2;
        let next = self.ratios.len() as u32;
        let ratio = *self.ratio_places.entry(sizes).or_insert(next);
        if ratio == next {
            self.ratios.push(sizes);
        }
        self.known.insert((m, n), (ratio, front));
        (ratio, front)
    }

    /// The greatest common divisor of several sizes.
    pub(super) fn content(&mut self, sizes: &[Size]) -> Size {
        if let Some(&known) = self.contents.get(sizes) {
            return known;
        }
        let values = sizes.iter().map(|&size| &self.sizes[size as usize]);
        let content = values.clone().fold(Coefficient::ZERO, |content, value| content.gcd(value));
        let large = values.filter(|value| value.small().is_none()).count();
        #[cfg(test)]
        {
            self.divisors += large.saturating_sub(1) as u64;
        }
        let place = self.place(&content) / 2;
        if large > 0 {
            self.contents.insert(sizes.to_vec(), place);
        }
        place
    }

    /// The quotient of two sizes.
    pub(super) fn quotient(&mut self, size: Size, by: Size) -> Size {
        if let Some(&known) = self.quotients.get(&(size, by)) {
            return known;
        }
        let value = &self.sizes[size as usize];
        let large = value.small().is_none();
        // No size is zero.
        let quotient = value.div(&self.sizes[by as usize]).unwrap_or(Coefficient::ONE);
        let place = self.place(&quotient) / 2;
        if large {
            self.quotients.insert((size, by), place);
        }
        place
    }

    pub(super) fn sizes_of(&self, ratio: Ratio) -> (Size, Size) {
        self.ratios[ratio as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_stored_once() {
        let mut products = Products::new();
        let square = products.intern(&[3, 3, 7]);
        assert_eq!(products.without(square, 3), products.intern(&[3, 7]));
        let left = products.times_symbol(square, 5);
        assert_eq!(products.get(left), [3, 3, 5, 7]);
        let product = products.times(square, square);
        assert_eq!(products.get(product), [3, 3, 3, 3, 7, 7]);
        assert_eq!(products.times(square, ONE), square);
        let right = products.intern(&[3, 3, 6, 7]);
        assert_eq!(products.split(left, right), Some((3, 5, 6)));
        assert_eq!(products.split(square, right), Some((3, NOTHING, 6)));
        assert_eq!(products.split(product, right), None);
    }

    #[test]
    fn numbers_have_ratios() {
        let mut numbers = Numbers::new();
        let place = |numbers: &mut Numbers, n: i64, d: i64| numbers.place(&Coefficient::ratio(n, d).unwrap());
        let (four, six) = (place(&mut numbers, 4, 1), place(&mut numbers, -6, 1));
        let (two, three) = (place(&mut numbers, 2, 1), place(&mut numbers, 3, 1));
        let (ratio, front) = numbers.ratio(four / 2, six / 2);
        assert_eq!((numbers.sizes_of(ratio), front), ((two / 2, three / 2), two / 2));
        assert_eq!(numbers.ratio(six / 2, six / 2), (0, six / 2));
        assert_eq!(numbers.times(four, 1), four ^ 1);
        assert_eq!(numbers.times(six, 1), six ^ 1);
        assert_eq!(numbers.times(1, 1), 0);
        let product = numbers.times(two, six);
        assert_eq!(numbers.get(product), Coefficient::from(-12));
        assert_eq!(numbers.plus(six, six ^ 1), None);
        assert_eq!(numbers.plus(four, six), Some(two ^ 1));
        let halves = place(&mut numbers, 1, 2);
        let thirds = place(&mut numbers, 1, 3);
        let (same, _) = numbers.ratio(thirds / 2, halves / 2);
        assert_eq!(same, ratio);
    }
}
