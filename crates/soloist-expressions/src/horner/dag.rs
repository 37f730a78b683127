//! Horner forms as graphs in which every sub-expression occurs once.

use super::chain::addition_chain;
use crate::algebra::{Coefficient, Counts, Polynomial, Signs, System};
use crate::table::Table;
use std::collections::BTreeMap;

/// A node by number, with a sign: twice the number, plus 1 for the negative.
pub(crate) type Edge = u32;

/// A sub-expression. All numbers in it are positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// A number by its place in the table of numbers.
    Number(u32),
    /// A symbol of the system.
    Symbol(u32),
    /// Base and exponent, at least 2.
    Power(u32, u32),
    /// Two factors.
    Product(u32, u32),
    /// A number other than 1 times a node.
    Multiple(u32, u32),
    /// The negative of a monomial, only with [`Signs::Kept`]. It costs nothing.
    Minus(u32),
    /// Two terms.
    Sum(Edge, Edge),
}

/// A number times a node; if the node is [`ONE`], the number alone. With [`Signs::Kept`] the number is not negative.
#[derive(Clone, Debug)]
pub(crate) struct Scaled {
    pub(crate) value: Coefficient,
    pub(crate) node: u32,
}

/// The node of the number 1.
pub(crate) const ONE: u32 = 0;

/// An output or a block: a node with a sign, or the number 0.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub(crate) edge: Edge,
    pub(crate) zero: bool,
    /// The symbol of a block.
    pub(crate) symbol: Option<u32>,
}

/// The Horner form of a system for one order of its symbols, with common sub-expressions shared.
///
/// Each sum is split by the exponents of the outermost variable, the parts by the next one, and so on: `q + v^d * r`,
/// where r holds the parts of higher exponents. Every part is divided by its content, the number in front. Parts that
/// differ by a number (and, with [`Signs::Canonical`], by the sign) are therefore one node.
///
/// The symbol of a block is a leaf. Building takes O(t log t) comparisons of exponents for t terms and makes at most
/// about 3 t nodes of 12 bytes.
#[derive(Clone, Debug)]
pub struct Dag {
    pub(crate) nodes: Vec<Node>,
    pub(crate) numbers: Vec<Coefficient>,
    pub(crate) roots: Vec<Root>,
    table: Table<Node, u32>,
    number_table: Table<Coefficient, u32>,
    /// The multiples, each with a variable whose extraction needs it.
    level_multiples: Table<(u32, u32), ()>,
    /// The multiples that are definitions with a content.
    contents: Table<u32, ()>,
    signs: Signs,
}

impl Dag {
    /// Builds the Horner form of `system` for `order`, outermost symbol first, completed as by [`System::completed`].
    #[must_use]
    pub fn build(system: &System, order: &[usize], signs: Signs) -> Self {
        let mut dag = Self::empty(signs);
        let full = system.completed(order);
        for definition in system.definitions() {
            let scaled = Builder::new(&mut dag, &definition.polynomial, &full).build();
            dag.root(scaled, definition.symbol);
        }
        dag
    }

    /// A graph without definitions.
    pub(crate) fn empty(signs: Signs) -> Self {
        let mut dag = Self {
            nodes: Vec::new(),
            numbers: Vec::new(),
            roots: Vec::new(),
            table: Table::default(),
            number_table: Table::default(),
            level_multiples: Table::default(),
            contents: Table::default(),
            signs,
        };
        let one = dag.number(&Coefficient::ONE);
        debug_assert_eq!(one, ONE);
        dag
    }

    /// Adds a definition: an output, or the block behind a symbol.
    pub(crate) fn root(&mut self, Scaled { value, node }: Scaled, symbol: Option<usize>) {
        let symbol = symbol.map(|symbol| symbol as u32);
        if value.is_zero() {
            self.roots.push(Root { edge: 2 * ONE, zero: true, symbol });
            return;
        }
        let edge = self.signed(&value, node);
        if edge / 2 != node && !self.is_number(node) {
            self.contents.insert(edge / 2, ());
        }
        self.roots.push(Root { edge, zero: false, symbol });
    }

    fn node(&mut self, node: Node) -> u32 {
        let next = self.nodes.len() as u32;
        let at = *self.table.entry(node).or_insert(next);
        if at == next {
            self.nodes.push(node);
        }
        at
    }

    /// The node of a positive number.
    fn number(&mut self, value: &Coefficient) -> u32 {
        let place = self.number_place(value);
        self.node(Node::Number(place))
    }

    fn number_place(&mut self, value: &Coefficient) -> u32 {
        if let Some(&place) = self.number_table.get(value) {
            return place;
        }
        let place = self.numbers.len() as u32;
        self.numbers.push(value.clone());
        self.number_table.insert(value.clone(), place);
        place
    }

    /// A positive number times a node.
    fn multiple(&mut self, value: &Coefficient, node: u32) -> u32 {
        if *value == Coefficient::ONE {
            return node;
        }
        if node == ONE {
            return self.number(value);
        }
        let place = self.number_place(value);
        self.node(Node::Multiple(place, node))
    }

    /// Whether a node is 1 or -1.
    fn is_number(&self, node: u32) -> bool {
        node == ONE || self.nodes[node as usize] == Node::Minus(ONE)
    }

    /// A number with its sign times a node.
    fn signed(&mut self, value: &Coefficient, node: u32) -> Edge {
        let minus = node != ONE && self.is_number(node);
        let multiple = self.multiple(&value.abs(), if minus { ONE } else { node });
        2 * multiple + u32::from(value.is_negative() != minus)
    }

    fn product(&mut self, power: u32, node: u32) -> u32 {
        match node {
            ONE => power,
            _ if self.is_number(node) => self.node(Node::Minus(power)),
            _ => self.node(Node::Product(power.min(node), power.max(node))),
        }
    }

    fn power(&mut self, base: u32, exponent: u32) -> u32 {
        match exponent {
            0 => ONE,
            1 => base,
            _ if base == ONE => ONE,
            _ => self.node(Node::Power(base, exponent)),
        }
    }

    /// A number times `symbol^exponent` times a node.
    pub(crate) fn times(&mut self, symbol: usize, exponent: u32, value: Coefficient, node: u32) -> Scaled {
        if exponent == 0 {
            return Scaled { value, node };
        }
        let base = self.node(Node::Symbol(symbol as u32));
        let power = self.power(base, exponent);
        Scaled { value, node: self.product(power, node) }
    }

    /// `low + symbol^exponent * high`, with its content in front.
    pub(crate) fn join(&mut self, low: Scaled, symbol: usize, exponent: u32, high: Scaled) -> Scaled {
        let high = self.times(symbol, exponent, high.value, high.node);
        let content = low.value.gcd(&high.value);
        let negative = self.signs == Signs::Canonical && high.value.is_negative();
        let mut edge = |part: &Scaled| {
            // The content divides both and is not zero.
            let value = part.value.div(&content).unwrap_or(Coefficient::ONE).with_sign(negative);
            let edge = self.signed(&value, part.node);
            if edge / 2 != part.node && !self.is_number(part.node) {
                self.level_multiples.insert((symbol as u32, edge / 2), ());
            }
            edge
        };
        let (a, b) = (edge(&high), edge(&low));
        let node = self.node(Node::Sum(a.min(b), a.max(b)));
        Scaled { value: content.with_sign(negative), node }
    }

    /// The number of nodes, including leaves.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node. No built graph is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The operations of all nodes by FORM's rule; the powers of one base share nothing.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for node in &self.nodes {
            match *node {
                Node::Number(_) | Node::Symbol(_) | Node::Minus(_) => {}
                Node::Power(_, exponent) => counts.power(exponent),
                Node::Product(..) | Node::Multiple(..) => counts.multiplications += 1,
                Node::Sum(..) => counts.additions += 1,
            }
        }
        counts
    }

    /// The cost of the order as a sum over its levels: [`counts`](Self::counts), but a multiple counts once for each
    /// variable whose extraction needs it. Searches minimise this cost, because the operations that a variable adds
    /// then depend on the set of variables inside only. Code shares such multiples.
    #[must_use]
    pub fn level_counts(&self) -> Counts {
        let mut counts = self.counts();
        let multiples = self.nodes.iter().filter(|node| matches!(node, Node::Multiple(..))).count() as u64;
        counts.multiplications += (self.level_multiples.len() + self.contents.len()) as u64 - multiples;
        counts
    }

    /// The operations of the [`Program`](crate::Program) of the graph: each node once, the powers of one base by a
    /// shared addition chain.
    #[must_use]
    pub fn code_counts(&self) -> Counts {
        let mut counts = self.counts();
        (counts.powers, counts.power_multiplications) = (0, 0);
        for powers in self.powers().values() {
            // `counts` has counted a square as a multiplication.
            let exponents: Vec<u32> = powers.iter().map(|&(exponent, _)| exponent).collect();
            counts.multiplications -= exponents.iter().filter(|&&exponent| exponent == 2).count() as u64;
            counts.multiplications += addition_chain(&exponents).len() as u64;
        }
        counts
    }

    /// The exponents that occur with each base, and their nodes.
    pub(crate) fn powers(&self) -> BTreeMap<u32, Vec<(u32, u32)>> {
        let mut powers: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
        for (at, node) in self.nodes.iter().enumerate() {
            if let Node::Power(base, exponent) = *node {
                powers.entry(base).or_default().push((exponent, at as u32));
            }
        }
        powers
    }
}

/// Adds one polynomial to the graph.
struct Builder<'a> {
    dag: &'a mut Dag,
    polynomial: &'a Polynomial,
    order: &'a [usize],
    /// Terms sorted by their exponents in the order of the scheme.
    terms: Vec<u32>,
}

impl<'a> Builder<'a> {
    fn new(dag: &'a mut Dag, polynomial: &'a Polynomial, order: &'a [usize]) -> Self {
        let mut terms: Vec<u32> = (0..polynomial.len() as u32).collect();
        soloist::order::sort_by(&mut terms, |&a, &b| {
            let (a, b) = (polynomial.row(a as usize), polynomial.row(b as usize));
            order
                .iter()
                .map(|&symbol| a[symbol].cmp(&b[symbol]))
                .find(|way| way.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        Self { dag, polynomial, order, terms }
    }

    fn build(mut self) -> Scaled {
        match self.terms.len() {
            0 => Scaled { value: Coefficient::ZERO, node: ONE },
            all => self.horner(0, all, 0),
        }
    }

    fn exponent(&self, term: usize, symbol: usize) -> u16 {
        self.polynomial.row(self.terms[term] as usize)[symbol]
    }

    /// The Horner form of the terms `low..high`, which agree before `depth` in the order.
    fn horner(&mut self, low: usize, high: usize, mut depth: usize) -> Scaled {
        while depth < self.order.len() && self.exponent(high - 1, self.order[depth]) == 0 {
            depth += 1;
        }
        if depth == self.order.len() {
            let value = &self.polynomial.coefficients()[self.terms[low] as usize];
            if self.dag.signs == Signs::Kept && value.is_negative() {
                return Scaled { value: value.abs(), node: self.dag.node(Node::Minus(ONE)) };
            }
            return Scaled { value: value.clone(), node: ONE };
        }
        let symbol = self.order[depth];
        let mut done: Option<(Scaled, u16)> = None;
        let mut end = high;
        while end > low {
            let exponent = self.exponent(end - 1, symbol);
            let start = low
                + self.terms[low..end].partition_point(|&term| self.polynomial.row(term as usize)[symbol] < exponent);
            let part = self.horner(start, end, depth + 1);
            let joined = match done {
                None => part,
                Some((above, higher)) => self.dag.join(part, symbol, u32::from(higher - exponent), above),
            };
            done = Some((joined, exponent));
            end = start;
        }
        let (Scaled { value, node }, least) = done.expect("a range of terms is not empty");
        self.dag.times(symbol, least.into(), value, node)
    }
}
