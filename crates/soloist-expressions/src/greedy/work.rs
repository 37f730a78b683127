//! The program under improvement: its sums, the candidates in them, and changes that can be taken back.

use super::index::{mix, note};
use super::pair::{Pair, Pairs};
use super::product::{NOTHING, Number, Numbers, ONE, Product, Products, Size};
use crate::horner::{Program, Term};
use crate::table::Table;

/// Pairs of terms are counted in sums of at most this many terms: the number of pairs grows with the square.
const MAX_WIDTH: usize = 600;

/// All pairs of factors are counted in terms of at most this many factors; in longer products only neighbours.
const MAX_PAIRED: usize = 60;

/// A number times a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) product: Product,
    pub(super) number: Number,
}

impl Item {
    pub(super) fn size(self) -> Size {
        self.number / 2
    }

    pub(super) fn negative(self) -> u32 {
        self.number % 2
    }
}

/// A temporary or an output. An output is no symbol.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    pub(super) terms: Vec<Item>,
    /// Hashes of the sum and of its negative, independent of the order of the terms.
    hashes: [u64; 2],
    pub(super) alive: bool,
    pub(super) output: bool,
    /// Whether the sum has too many terms for pairs to be counted.
    wide: bool,
}

impl Sum {
    /// A hash that is the same for a sum and its negative.
    fn hash(&self) -> u64 {
        self.hashes[0].min(self.hashes[1])
    }
}

/// A change that can be taken back.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// A term was added at the end of a sum.
    Added(u32),
    /// A term was removed from a place of a sum.
    Removed(u32, u32, Item),
    /// A sum was added at the end.
    Made,
    /// A sum was dropped.
    Died(u32),
}

/// A program with tables of everything that extraction looks up.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub(super) sums: Vec<Sum>,
    pub(super) inputs: u32,
    pub(super) pairs: Pairs,
    pub(super) products: Products,
    pub(super) numbers: Numbers,
    /// Whether no sum is multiplied out.
    pub(super) keeps_products: bool,
    /// The number of occurrences of each symbol in terms, with multiplicity.
    references: Vec<u32>,
    /// The sums that hold each temporary. Some of them may not hold it any more.
    users: Vec<Vec<u32>>,
    /// A sum for each hash. The sum may have changed since.
    index: Table<u64, u32>,
    /// Changed sums, to be compared with the others.
    changed: Vec<u32>,
    /// Temporaries that may be unused or used once.
    rare: Vec<u32>,
    /// The operations of all sums.
    operations: i64,
    /// The changes since the last mark, if there is one.
    journal: Option<Vec<Change>>,
    /// The number of products at the last mark.
    marked: usize,
    /// The number of sums, and that of products and pairs, after the tables were built.
    fresh: (usize, usize),
}

impl Work {
    pub(super) fn new(program: Program, seed: u64) -> Self {
        let Program { inputs, temporaries, outputs } = program;
        let symbols = inputs + temporaries.len() + outputs.len();
        let mut work = Self {
            sums: Vec::with_capacity(temporaries.len() + outputs.len()),
            inputs: inputs as u32,
            pairs: Pairs::new(seed),
            products: Products::new(),
            numbers: Numbers::new(),
            keeps_products: false,
            references: vec![0; symbols],
            users: vec![Vec::new(); symbols],
            index: Table::default(),
            changed: Vec::new(),
            rare: Vec::new(),
            operations: 0,
            journal: None,
            marked: 0,
            fresh: (0, 0),
        };
        let count = temporaries.len();
        for (at, terms) in temporaries.into_iter().chain(outputs).enumerate() {
            let output = at >= count;
            work.sums.push(Sum { alive: true, output, wide: terms.len() > MAX_WIDTH, ..Sum::default() });
            for term in terms {
                let item =
                    Item { product: work.products.intern(&term.factors), number: work.numbers.place(&term.value) };
                work.add(at as u32, item);
            }
            work.changed.push(at as u32);
            if !output {
                work.rare.push(at as u32);
            }
        }
        work.settle();
        work.fresh = (work.sums.len(), work.products.len() + work.pairs.len());
        work
    }

    /// The present program.
    pub(super) fn program(&self) -> Program {
        let (mut temporaries, mut outputs) = (Vec::with_capacity(self.sums.len()), Vec::new());
        for sum in &self.sums {
            let term = |item: &Item| Term {
                value: self.numbers.get(item.number),
                factors: self.products.get(item.product).to_vec(),
            };
            let terms: Vec<Term> = sum.terms.iter().map(term).collect();
            if sum.output {
                outputs.push(terms);
                temporaries.push(Vec::new());
            } else {
                temporaries.push(terms);
            }
        }
        let mut program = Program { inputs: self.inputs as usize, temporaries, outputs };
        program.sort();
        program
    }

    pub(super) fn operations(&self) -> u64 {
        self.operations as u64
    }

    /// Begins to record changes, so that they can be taken back. `seed` and `noise` are those of [`Pairs::mark`].
    pub(super) fn mark(&mut self, seed: u64, noise: u32) {
        self.pairs.mark(seed, noise);
        self.marked = self.products.len();
        self.journal.get_or_insert_default().clear();
    }

    /// Takes all changes since the mark back.
    pub(super) fn roll_back(&mut self) {
        self.pairs.roll_back();
        let mut journal = self.journal.take().unwrap_or_default();
        for change in journal.drain(..).rev() {
            match change {
                Change::Added(at) => {
                    let last = self.sums[at as usize].terms.len() - 1;
                    self.take(at, last);
                    self.register(at);
                }
                Change::Removed(at, place, item) => {
                    self.put(at, place as usize, item);
                    self.register(at);
                }
                Change::Made => {
                    self.sums.pop();
                    self.references.pop();
                    self.users.pop();
                }
                Change::Died(at) => self.sums[at as usize].alive = true,
            }
        }
        self.journal = Some(journal);
        self.products.truncate(self.marked);
        self.changed.clear();
        self.rare.clear();
    }

    fn record(&mut self, change: Change) {
        if let Some(journal) = &mut self.journal {
            journal.push(change);
        }
    }

    fn multiplications(&self, item: Item) -> i64 {
        (self.products.get(item.product).len() as i64 + i64::from(item.size() != 0) - 1).max(0)
    }

    /// Inserts a term into a sum without counting pairs.
    fn put(&mut self, at: u32, place: usize, item: Item) {
        for &symbol in self.products.get(item.product) {
            self.references[symbol as usize] += 1;
            if symbol >= self.inputs {
                note(&mut self.users[symbol as usize], at);
            }
        }
        let hashes = self.item_hashes(item);
        let multiplications = self.multiplications(item);
        let sum = &mut self.sums[at as usize];
        self.operations += multiplications + i64::from(!sum.terms.is_empty());
        for (hash, change) in sum.hashes.iter_mut().zip(hashes) {
            *hash = hash.wrapping_add(change);
        }
        sum.terms.insert(place, item);
    }

    /// Removes a term from a sum without counting pairs.
    fn take(&mut self, at: u32, place: usize) -> Item {
        let item = self.sums[at as usize].terms.remove(place);
        for &symbol in self.products.get(item.product) {
            self.references[symbol as usize] -= 1;
            if symbol >= self.inputs && self.references[symbol as usize] <= 1 {
                self.rare.push(symbol - self.inputs);
            }
        }
        let hashes = self.item_hashes(item);
        let multiplications = self.multiplications(item);
        let sum = &mut self.sums[at as usize];
        self.operations -= multiplications + i64::from(!sum.terms.is_empty());
        for (hash, change) in sum.hashes.iter_mut().zip(hashes) {
            *hash = hash.wrapping_sub(change);
        }
        item
    }

    fn item_hashes(&self, item: Item) -> [u64; 2] {
        let product = self.products.hash(item.product);
        let hash = |number: Number| mix(product ^ mix(u64::from(number) + (1 << 32)));
        [hash(item.number), hash(item.number ^ 1)]
    }

    /// Counts the candidates inside one term; `sign` is 1 or -1.
    fn count_term(&mut self, at: u32, item: Item, sign: i32) {
        let Self { pairs, products, numbers, .. } = self;
        let factors = products.get(item.product);
        let number = item.size();
        let plain = number == 0;
        let reach = if factors.len() > MAX_PAIRED { 1 } else { MAX_PAIRED };
        let mut place = 0;
        while place < factors.len() {
            let a = factors[place];
            let copies = |from: usize| factors[from..].iter().take_while(|&&factor| factor == factors[from]).count();
            let count = copies(place);
            if count > 1 {
                pairs.count(Pair::Product { a, b: a }, sign * (count / 2) as i32, at, numbers);
            }
            let mut other = place + count;
            let end = factors.len().min(other + reach);
            while other < end {
                let others = copies(other);
                let b = factors[other];
                pairs.count(Pair::Product { a, b }, sign * count.min(others) as i32, at, numbers);
                other += others;
            }
            if !plain {
                pairs.count(Pair::Multiple { number, a }, sign, at, numbers);
            }
            if factors.len() > 1 || !plain {
                pairs.count(Pair::Factor { sum: at, a }, sign, at, numbers);
            }
            place += count;
        }
        if !plain && !factors.is_empty() {
            pairs.count(Pair::Number { sum: at, number }, sign, at, numbers);
        }
    }

    /// The pair that two terms form beside their common factors, the operations that extracting it saves there, and the
    /// size that remains in front.
    pub(super) fn pair_of(
        products: &Products,
        numbers: &mut Numbers,
        left: Item,
        right: Item,
    ) -> Option<(Pair, i32, Size)> {
        let (common, mut a, mut b) = products.split(left.product, right.product)?;
        let (mut m, mut n) = (left.size(), right.size());
        let minus = left.negative() != right.negative();
        if a > b {
            (a, b, m, n) = (b, a, n, m);
        }
        let (ratio, front) = numbers.ratio(m, n);
        let of = |size: Size, symbol: u32| (common + i32::from(symbol != NOTHING) + i32::from(size != 0) - 1).max(0);
        let saved = of(m, a) + of(n, b) + 1 - common - i32::from(front != 0);
        Some((Pair::Sum { a, b, ratio, minus }, saved, front))
    }

    fn count_pairs(&mut self, at: u32, item: Item, sign: i32) {
        let Self { sums, pairs, products, numbers, .. } = self;
        let sum = &sums[at as usize];
        if sum.wide {
            return;
        }
        for &other in &sum.terms {
            if let Some((pair, saved, _)) = Self::pair_of(products, numbers, item, other) {
                pairs.count(pair, sign * saved, at, numbers);
            }
        }
    }

    /// Adds a term to a sum.
    pub(super) fn add(&mut self, at: u32, mut item: Item) {
        let terms = &self.sums[at as usize].terms;
        // Searching a sum is cheaper than counting, but its cost grows with the sum.
        self.pairs.work += 1 + terms.len() as u64 / 8;
        if let Some(same) = terms.iter().position(|other| other.product == item.product) {
            let other = self.remove(at, same);
            match self.numbers.plus(item.number, other.number) {
                Some(number) => item.number = number,
                None => return,
            }
        }
        self.count_term(at, item, 1);
        self.count_pairs(at, item, 1);
        self.put(at, self.sums[at as usize].terms.len(), item);
        self.record(Change::Added(at));
    }

    /// Removes a term from a sum.
    pub(super) fn remove(&mut self, at: u32, place: usize) -> Item {
        let item = self.take(at, place);
        self.count_term(at, item, -1);
        self.count_pairs(at, item, -1);
        self.record(Change::Removed(at, place as u32, item));
        item
    }

    /// Marks a sum as changed for [`settle`](Self::settle).
    pub(super) fn touch(&mut self, at: u32) {
        self.changed.push(at);
    }

    /// Whether `at` is the number of a living sum that is no output.
    pub(super) fn is_temporary(&self, at: u32) -> bool {
        self.sums.get(at as usize).is_some_and(|sum| sum.alive && !sum.output)
    }

    /// Whether `at` is the number of a living sum.
    pub(super) fn is_alive(&self, at: u32) -> bool {
        self.sums.get(at as usize).is_some_and(|sum| sum.alive)
    }

    /// Whether the tables have doubled, so that rebuilding them pays.
    pub(super) fn is_worn(&self) -> bool {
        let (sums, others) = self.fresh;
        self.sums.len() > 2 * sums + 1000 || self.products.len() + self.pairs.len() > 2 * others + (1 << 14)
    }

    /// A temporary that equals the sum of these terms, new or known, and 1 if it equals the negative. The products must
    /// be distinct.
    pub(super) fn define(&mut self, terms: &[Item]) -> (u32, u32) {
        let mut hashes = [0_u64; 2];
        for &item in terms {
            let more = self.item_hashes(item);
            hashes = [hashes[0].wrapping_add(more[0]), hashes[1].wrapping_add(more[1])];
        }
        if let Some((known, negative)) = self.find(hashes, terms, u32::MAX) {
            return (self.inputs + known, negative);
        }
        let at = self.sums.len() as u32;
        self.sums.push(Sum { alive: true, wide: terms.len() > MAX_WIDTH, ..Sum::default() });
        self.references.push(0);
        self.users.push(Vec::new());
        self.record(Change::Made);
        for &item in terms {
            self.add(at, item);
        }
        self.register(at);
        self.rare.push(at);
        (self.inputs + at, 0)
    }

    /// The sum behind a symbol.
    pub(super) fn sum_of(&self, symbol: u32) -> Option<u32> {
        symbol.checked_sub(self.inputs)
    }

    /// The sums that hold a temporary, in ascending order.
    pub(super) fn users_of(&mut self, symbol: u32) -> Vec<u32> {
        let mut users = std::mem::take(&mut self.users[symbol as usize]);
        users.sort_unstable();
        users.dedup();
        let holds = |at: &u32| {
            let sum = self.sums.get(*at as usize);
            sum.is_some_and(|sum| sum.terms.iter().any(|item| self.products.contains(item.product, symbol)))
        };
        users.retain(holds);
        self.users[symbol as usize].clone_from(&users);
        users
    }

    fn register(&mut self, at: u32) {
        let sum = &self.sums[at as usize];
        if sum.alive && !sum.output {
            self.index.insert(sum.hash(), at);
        }
    }

    /// A living temporary other than `except` that equals the sum of the terms or its negative.
    fn find(&self, hashes: [u64; 2], terms: &[Item], except: u32) -> Option<(u32, u32)> {
        let at = *self.index.get(&hashes[0].min(hashes[1]))?;
        let sum = self.sums.get(at as usize)?;
        if at == except || !sum.alive || sum.output || sum.terms.len() != terms.len() {
            return None;
        }
        let mut negative = None;
        for item in terms {
            let other = sum.terms.iter().find(|other| other.product == item.product)?;
            let change = other.number ^ item.number;
            if change > 1 || *negative.get_or_insert(change) != change {
                return None;
            }
        }
        Some((at, negative.unwrap_or(0)))
    }

    /// Simplifies after changes: replaces sums that equal another sum, a symbol or a number, drops unused temporaries,
    /// and puts temporaries that are used once into their use where that costs nothing.
    pub(super) fn settle(&mut self) {
        loop {
            if let Some(at) = self.changed.pop() {
                self.compare(at);
            } else if let Some(at) = self.rare.pop() {
                if self.is_temporary(at) {
                    match self.references[(self.inputs + at) as usize] {
                        0 => self.drop_sum(at),
                        1 => self.inline(at),
                        _ => {}
                    }
                }
            } else {
                return;
            }
        }
    }

    /// Replaces a sum that equals another sum, a symbol or a number.
    fn compare(&mut self, at: u32) {
        if !self.is_temporary(at) {
            return;
        }
        let sum = &self.sums[at as usize];
        let simple = match sum.terms[..] {
            [] => Some(None),
            [item] if self.multiplications(item) == 0 => Some(Some(item)),
            _ => match self.find(sum.hashes, &sum.terms, at) {
                Some((known, number)) => {
                    let product = self.products.intern(&[self.inputs + known]);
                    Some(Some(Item { product, number }))
                }
                None => None,
            },
        };
        match simple {
            Some(term) => self.substitute(at, term),
            None => self.register(at),
        }
    }

    fn drop_sum(&mut self, at: u32) {
        while let Some(last) = self.sums[at as usize].terms.len().checked_sub(1) {
            self.remove(at, last);
        }
        self.sums[at as usize].alive = false;
        self.record(Change::Died(at));
    }

    /// Replaces temporary `at` by `term`, which is a number times at most one symbol; `None` is zero.
    fn substitute(&mut self, at: u32, term: Option<Item>) {
        let symbol = self.inputs + at;
        for user in self.users_of(symbol) {
            while let Some(place) = self.place_of(user, symbol, 0) {
                let mut item = self.remove(user, place);
                let Some(term) = term else { continue };
                while self.products.contains(item.product, symbol) {
                    let rest = self.products.without(item.product, symbol);
                    item.product = self.products.times(rest, term.product);
                    item.number = self.numbers.times(item.number, term.number);
                }
                self.add(user, item);
            }
            self.touch(user);
        }
        self.drop_sum(at);
    }

    /// The first place from `from` on of a term of a sum that holds a symbol.
    pub(super) fn place_of(&self, at: u32, symbol: u32, from: usize) -> Option<usize> {
        let terms = &self.sums[at as usize].terms[from..];
        Some(from + terms.iter().position(|item| self.products.contains(item.product, symbol))?)
    }

    /// Puts a temporary that is used once into its use, if it is a term of a sum there, or if it is a product.
    fn inline(&mut self, at: u32) {
        let symbol = self.inputs + at;
        let [user] = self.users_of(symbol)[..] else { return };
        let Some(place) = self.place_of(user, symbol, 0) else { return };
        let item = self.sums[user as usize].terms[place];
        let alone = item.size() == 0 && self.products.get(item.product).len() == 1;
        if alone || self.sums[at as usize].terms.len() == 1 {
            self.expand(user, place, at);
            self.touch(user);
            self.drop_sum(at);
        }
    }

    /// Multiplies temporary `at` out in one term that holds it.
    pub(super) fn expand(&mut self, user: u32, place: usize, at: u32) {
        let outer = self.remove(user, place);
        let rest = self.products.without(outer.product, self.inputs + at);
        for part in 0..self.sums[at as usize].terms.len() {
            let inner = self.sums[at as usize].terms[part];
            let product = self.products.times(rest, inner.product);
            let number = self.numbers.times(outer.number, inner.number);
            self.add(user, Item { product, number });
        }
    }

    /// Divides terms by their content if that saves operations. Returns the divisor.
    pub(super) fn normalize(&mut self, terms: &mut [Item]) -> Number {
        if terms.iter().any(|item| item.size() == 0) {
            return 0;
        }
        let sizes: Vec<Size> = terms.iter().map(|item| item.size()).collect();
        let content = self.numbers.content(&sizes);
        let costly = |by: Size| terms.iter().filter(|item| item.product != ONE && item.size() != by).count();
        if costly(content) >= costly(0) {
            return 0;
        }
        for item in terms {
            item.number = 2 * self.numbers.quotient(item.size(), content) + item.negative();
        }
        2 * content
    }
}
