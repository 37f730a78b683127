//! The program under improvement: sums, what occurs in them, and how they change.

use super::pair::{NUMBER, Pair, Pairs};
use crate::horner::dag::Table;
use crate::horner::program::{Program, Term};
use crate::horner::{Coefficient, program};
use soloist::stable_hash;

/// Terms of a sum up to which pairs of its terms are counted: the number of pairs grows with the square.
const MAX_WIDTH: usize = 600;

/// Factors of a term up to which all pairs of them are counted; of a longer product only neighbours are.
const MAX_PAIRED: usize = 60;

/// A sum: a temporary, or an output, which is no symbol.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    pub(super) terms: Vec<Term>,
    /// The same for equal sums up to the sign and the order of terms.
    hash: u64,
    alive: bool,
    output: bool,
    /// Too many terms for pairs to be counted.
    wide: bool,
}

/// The number of common factors of two products, and what is left of each: a symbol, or nothing. `None`: more is left.
fn split(left: &[u32], right: &[u32]) -> Option<(i32, u32, u32)> {
    if left.len().abs_diff(right.len()) > 1 {
        return None;
    }
    let (mut i, mut j, mut common) = (0, 0, 0);
    let (mut a, mut b) = (NUMBER, NUMBER);
    while i < left.len() || j < right.len() {
        let (x, y) = (left.get(i).copied().unwrap_or(NUMBER), right.get(j).copied().unwrap_or(NUMBER));
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
        if rest != NUMBER {
            return None;
        }
    }
    Some((common, a, b))
}

/// The whole program.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) sums: Vec<Sum>,
    inputs: u32,
    pub(super) pairs: Pairs,
    /// Sizes of numbers.
    pub(super) numbers: Vec<Coefficient>,
    number_table: Table<Coefficient, u32>,
    /// For each symbol: occurrences as a factor, and the sums where it was seen; some may have lost it.
    references: Vec<u32>,
    users: Vec<Vec<u32>>,
    /// Sums by hash; some may have changed.
    index: Table<u64, Vec<u32>>,
    /// Sums that changed and must be compared with the others.
    changed: Vec<u32>,
    /// Temporaries that may be unused.
    unused: Vec<u32>,
}

impl Work {
    pub(super) fn new(program: Program, seed: u64) -> Self {
        let Program { inputs, temporaries, outputs } = program;
        let mut work = Self {
            sums: Vec::new(),
            inputs: inputs as u32,
            pairs: Pairs::new(seed),
            numbers: Vec::new(),
            number_table: Table::default(),
            references: vec![0; inputs + temporaries.len()],
            users: vec![Vec::new(); inputs + temporaries.len()],
            index: Table::default(),
            changed: Vec::new(),
            unused: Vec::new(),
        };
        // The number 1 is the first.
        work.number(&Coefficient::ONE);
        let count = temporaries.len();
        for (at, terms) in temporaries.into_iter().chain(outputs).enumerate() {
            let output = at >= count;
            work.sums.push(Sum { alive: true, output, wide: terms.len() > MAX_WIDTH, ..Sum::default() });
            work.references.resize(work.references.len().max(inputs + at + 1), 0);
            work.users.resize(work.references.len(), Vec::new());
            for term in terms {
                work.add(at as u32, term);
            }
            work.changed.push(at as u32);
        }
        work.settle();
        work
    }

    /// The program as it is now.
    pub(super) fn finish(self) -> Program {
        let inputs = self.inputs as usize;
        let (mut temporaries, mut outputs) = (Vec::with_capacity(self.sums.len()), Vec::new());
        for sum in self.sums {
            if sum.output {
                outputs.push(sum.terms);
                temporaries.push(Vec::new());
            } else {
                temporaries.push(sum.terms);
            }
        }
        let mut program = Program { inputs, temporaries, outputs };
        program.sort();
        program
    }

    /// The place of a number's size in the table.
    fn number(&mut self, value: &Coefficient) -> u32 {
        let size = value.abs();
        if let Some(&place) = self.number_table.get(&size) {
            return place;
        }
        let place = self.numbers.len() as u32;
        self.numbers.push(size.clone());
        self.number_table.insert(size, place);
        place
    }

    fn hash(&mut self, term: &Term) -> u64 {
        stable_hash(&(self.number(&term.value), &term.factors[..]))
    }

    /// Counts what occurs inside one term, `sign` 1 or -1.
    fn count_term(&mut self, at: u32, term: &Term, sign: i32) {
        let number = self.number(&term.value);
        let plain = term.value.is_unit();
        for (place, &a) in term.factors.iter().enumerate() {
            let first = term.factors[..place].last() != Some(&a);
            if !first {
                continue;
            }
            let copies = |symbol: u32| term.factors.iter().filter(|&&factor| factor == symbol).count() as i32;
            let own = copies(a);
            if own > 1 {
                self.pairs.count(Pair::Product { a, b: a }, sign * (own / 2), 1, at);
            }
            let mut last = a;
            let reach = if term.factors.len() > MAX_PAIRED { 1 } else { MAX_PAIRED };
            for &b in term.factors[place + 1..].iter().take(reach) {
                if b != last {
                    last = b;
                    self.pairs.count(Pair::Product { a, b }, sign * own.min(copies(b)), 1, at);
                }
            }
            if !plain {
                self.pairs.count(Pair::Multiple { number, a }, sign, 1, at);
            }
            if term.factors.len() > 1 || !plain {
                self.pairs.count(Pair::Factor { sum: at, a }, sign, 1, at);
            }
        }
        if !plain && !term.factors.is_empty() {
            self.pairs.count(Pair::Number { sum: at, number }, sign, 1, at);
        }
    }

    /// The pair that two terms form beside their common factors, with what it saves there and what computing it costs.
    pub(super) fn pair_of(&mut self, left: &Term, right: &Term) -> Option<(Pair, i32, i32)> {
        let (common, mut a, mut b) = split(&left.factors, &right.factors)?;
        let (mut m, mut n) = (self.number(&left.value), self.number(&right.value));
        let minus = left.value.is_negative() != right.value.is_negative();
        if a > b {
            (a, b, m, n) = (b, a, n, m);
        }
        let before = (left.multiplications() + right.multiplications()) as i32 + 1;
        if m == n {
            return Some((Pair::Sum { a, b, minus }, before - common - i32::from(m != 0), 1));
        }
        let pair = Pair::Exact { a, m, b, n, minus };
        Some((pair, before - common, super::cost(&pair)))
    }

    fn count_pairs(&mut self, at: u32, term: &Term, sign: i32) {
        if self.sums[at as usize].wide {
            return;
        }
        // Taken out while the table of numbers may grow.
        let terms = std::mem::take(&mut self.sums[at as usize].terms);
        for other in &terms {
            if let Some((pair, saved, cost)) = self.pair_of(term, other) {
                self.pairs.count(pair, sign * saved, cost, at);
            }
        }
        self.sums[at as usize].terms = terms;
    }

    /// Adds a term to a sum.
    pub(super) fn add(&mut self, at: u32, mut term: Term) {
        let terms = &self.sums[at as usize].terms;
        // Looking through a sum is cheaper than counting, but grows with it.
        self.pairs.work += 1 + terms.len() as u64 / 8;
        if let Some(same) = terms.iter().position(|other| other.factors == term.factors) {
            let other = self.remove(at, same);
            term.value = term.value.add(&other.value);
        }
        if term.value.is_zero() {
            return;
        }
        self.count_term(at, &term, 1);
        self.count_pairs(at, &term, 1);
        let hash = self.hash(&term);
        for &symbol in &term.factors {
            self.references[symbol as usize] += 1;
            if self.users[symbol as usize].last() != Some(&at) {
                self.users[symbol as usize].push(at);
            }
        }
        let sum = &mut self.sums[at as usize];
        sum.hash = sum.hash.wrapping_add(hash);
        sum.terms.push(term);
    }

    /// Takes a term out of a sum.
    pub(super) fn remove(&mut self, at: u32, place: usize) -> Term {
        let term = self.sums[at as usize].terms.remove(place);
        self.count_term(at, &term, -1);
        self.count_pairs(at, &term, -1);
        let hash = self.hash(&term);
        for &symbol in &term.factors {
            self.references[symbol as usize] -= 1;
            if self.references[symbol as usize] == 0 && symbol >= self.inputs {
                self.unused.push(symbol - self.inputs);
            }
        }
        let sum = &mut self.sums[at as usize];
        sum.hash = sum.hash.wrapping_sub(hash);
        term
    }

    /// Says that a sum has changed, for [`settle`](Self::settle).
    pub(super) fn touch(&mut self, at: u32) {
        self.changed.push(at);
    }

    pub(super) fn is_alive(&self, at: u32) -> bool {
        self.sums[at as usize].alive
    }

    /// A temporary that is these terms, new or known, and whether it is their negative. The terms are distinct.
    pub(super) fn define(&mut self, terms: Vec<Term>) -> (u32, bool) {
        let mut hash = 0_u64;
        for term in &terms {
            hash = hash.wrapping_add(self.hash(term));
        }
        if let Some((known, negative)) = self.find(hash, &terms, u32::MAX) {
            return (self.inputs + known, negative);
        }
        let at = self.sums.len() as u32;
        self.sums.push(Sum { alive: true, wide: terms.len() > MAX_WIDTH, ..Sum::default() });
        self.references.push(0);
        self.users.push(Vec::new());
        for term in terms {
            self.add(at, term);
        }
        self.index.entry(self.sums[at as usize].hash).or_default().push(at);
        (self.inputs + at, false)
    }

    /// The sum behind a symbol.
    pub(super) fn sum_of(&self, symbol: u32) -> Option<u32> {
        symbol.checked_sub(self.inputs)
    }

    /// A living temporary other than `own` that equals the terms, or their negative.
    fn find(&self, hash: u64, terms: &[Term], own: u32) -> Option<(u32, bool)> {
        self.index.get(&hash)?.iter().find_map(|&at| {
            let sum = &self.sums[at as usize];
            if at == own || !sum.alive || sum.output || sum.hash != hash || sum.terms.len() != terms.len() {
                return None;
            }
            let mut negative = None;
            for term in terms {
                let other = sum.terms.iter().find(|other| other.factors == term.factors)?;
                let opposite = other.value.is_negative() != term.value.is_negative();
                if other.value.abs() != term.value.abs() || *negative.get_or_insert(opposite) != opposite {
                    return None;
                }
            }
            Some((at, negative.unwrap_or(false)))
        })
    }

    /// Makes consequences follow: sums that have become equal to another, to a symbol or to a number are replaced,
    /// unused ones dropped.
    pub(super) fn settle(&mut self) {
        loop {
            if let Some(at) = self.changed.pop() {
                let sum = &self.sums[at as usize];
                if !sum.alive {
                    continue;
                }
                if !sum.output {
                    let simple = match &sum.terms[..] {
                        [] => Some(Term::number(Coefficient::ZERO)),
                        [term] if term.factors.is_empty() || term.multiplications() == 0 => Some(term.clone()),
                        _ => self.find(sum.hash, &sum.terms, at).map(|(known, negative)| Term {
                            value: Coefficient::ONE.with_sign(negative),
                            factors: vec![self.inputs + known],
                        }),
                    };
                    if let Some(term) = simple {
                        self.substitute(at, &term);
                        continue;
                    }
                }
                let hash = self.sums[at as usize].hash;
                let known = self.index.entry(hash).or_default();
                if !known.contains(&at) {
                    known.push(at);
                }
            } else if let Some(at) = self.unused.pop() {
                let sum = &self.sums[at as usize];
                if sum.alive && !sum.output && self.references[(self.inputs + at) as usize] == 0 {
                    self.drop_sum(at);
                }
            } else {
                return;
            }
        }
    }

    fn drop_sum(&mut self, at: u32) {
        while let Some(last) = self.sums[at as usize].terms.len().checked_sub(1) {
            self.remove(at, last);
        }
        self.sums[at as usize].alive = false;
    }

    /// Puts `term`, at most one symbol times a number, wherever temporary `at` is used.
    fn substitute(&mut self, at: u32, term: &Term) {
        let symbol = self.inputs + at;
        let mut users = std::mem::take(&mut self.users[symbol as usize]);
        users.sort_unstable();
        users.dedup();
        for user in users {
            while let Some(place) =
                self.sums[user as usize].terms.iter().position(|other| other.factors.contains(&symbol))
            {
                let mut old = self.remove(user, place);
                while let Some(place) = old.factors.iter().position(|&factor| factor == symbol) {
                    old.factors.remove(place);
                    old = old.times(term);
                }
                self.add(user, old);
            }
            self.changed.push(user);
        }
        self.drop_sum(at);
    }

    /// Divides terms by their content where that saves operations, and by -1 where the first, in the order of factors, is
    /// negative. Returns what they were divided by.
    pub(super) fn normalize(terms: &mut Vec<Term>) -> Coefficient {
        *terms = program::merge(std::mem::take(terms));
        terms.sort_by(|a, b| a.factors.cmp(&b.factors));
        let mut content = terms.iter().fold(Coefficient::ZERO, |content, term| content.gcd(&term.value));
        let costly = |by: &Coefficient| {
            let paid = |term: &&Term| !term.factors.is_empty() && term.value.abs() != *by;
            terms.iter().filter(paid).count()
        };
        if costly(&content) >= costly(&Coefficient::ONE) {
            content = Coefficient::ONE;
        }
        let content = content.with_sign(terms.first().is_some_and(|term| term.value.is_negative()));
        for term in terms {
            term.value = term.value.div(&content).unwrap_or(Coefficient::ONE);
        }
        content
    }
}
