//! The Horner form of a system under choices of its own for each sub-polynomial, counted incrementally.

use crate::scheme::{Terms, field};
use crate::table::Table;

/// A node by number.
pub(super) type Id = u32;

/// The node of the number 1, also that of the other numbers: they cost nothing.
pub(super) const ONE: Id = 0;
/// No node.
pub(super) const NONE: Id = u32::MAX;

/// What a node is, for those that are no polynomials: they are told apart by kind, number and part.
const POWER: u8 = 0;
const PRODUCT: u8 = 1;
const MULTIPLE: u8 = 2;

/// A sub-expression. It is counted while something uses it; one that nothing uses is kept with its parts, because it may be
/// wanted again.
#[derive(Clone, Copy, Debug)]
struct Node {
    uses: u32,
    /// Operations besides those of its parts.
    cost: u8,
    /// What it is made of, or [`NONE`].
    parts: [Id; 2],
    /// The place among the polynomials, or [`NONE`].
    polynomial: u32,
}

/// A polynomial divided by its content: terms of the input, divided by a common factor.
#[derive(Clone, Copy, Debug)]
struct Polynomial {
    node: Id,
    /// Where its terms begin and end in the list of all.
    terms: (u32, u32),
    /// The value of 1 / (the factor that the terms are divided by), and the place of that factor's exponents.
    scale: u64,
    divisor: u32,
    content: u64,
    /// The value at the point, up to the sign.
    key: u64,
    /// The variable that is extracted; [`NONE`] before that was asked for.
    variable: u32,
    /// The polynomials that are left, without and with the variable.
    rest: [Id; 2],
}

/// All sub-polynomials that have been looked at, and the operations of those in use.
///
/// A polynomial P is written `q + v^d r` with v the variable chosen for it, q the terms without v and d the least exponent in
/// the others, or `v^d r` where all terms hold v; q and r are then treated in the same way. Polynomials are told apart by
/// their values at a point modulo 2^61 - 1, divided by their content, up to the sign, as everywhere in the search: what is
/// built in the end does not depend on it.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    /// Exponents of the input, a column of all terms for each variable, and the values of the terms at the point.
    columns: Vec<Vec<u16>>,
    values: Vec<u64>,
    sizes: Vec<u64>,
    /// Inverse powers of the point's coordinates.
    inverses: Vec<Vec<u64>>,
    /// Variables in the order that holds where nothing else is chosen.
    order: Vec<usize>,
    nodes: Vec<Node>,
    polynomials: Vec<Polynomial>,
    terms: Vec<u32>,
    divisors: Vec<u16>,
    known: Table<u64, Id>,
    others: Table<(u8, u64, Id), Id>,
    /// The outputs.
    pub(super) roots: Vec<Id>,
    /// Operations of the nodes in use; powers of one base share nothing but equal ones, and contents are left out.
    pub(super) operations: i64,
    /// Terms looked at so far, and nodes: a measure of the work done.
    pub(super) work: u64,
    buffers: [Vec<u32>; 2],
}

impl Graph {
    /// The form of so many outputs in which `choices` gives variables by the values of polynomials, `order` the others.
    pub(super) fn new(terms: &Terms, outputs: usize, order: &[usize], choices: &Table<u64, u32>) -> Self {
        let n = terms.variables();
        let point = field::point(n);
        let mut columns = vec![Vec::with_capacity(terms.len()); n];
        let mut values = Vec::with_capacity(terms.len());
        let mut outputs: Vec<Vec<u32>> = vec![Vec::new(); outputs];
        for at in 0..terms.len() {
            let mut value = terms.residue(at);
            for (variable, &exponent) in terms.row(at).iter().enumerate() {
                columns[variable].push(exponent);
                if exponent > 0 {
                    value = field::mul(value, field::power(point[variable], exponent.into()));
                }
            }
            values.push(value);
            outputs[terms.output(at) as usize].push(at as u32);
        }
        let inverses = point
            .iter()
            .zip(&columns)
            .map(|(&value, column)| {
                let (inverse, most) = (field::inverse(value), column.iter().max().copied().unwrap_or(0));
                let mut powers = vec![1];
                for at in 0..usize::from(most) {
                    powers.push(field::mul(powers[at], inverse));
                }
                powers
            })
            .collect();
        let one = Node { uses: 1, cost: 0, parts: [NONE; 2], polynomial: NONE };
        let mut graph = Self {
            columns,
            values,
            sizes: (0..terms.len()).map(|at| terms.size(at)).collect(),
            inverses,
            order: order.to_vec(),
            nodes: vec![one],
            polynomials: Vec::new(),
            terms: Vec::new(),
            divisors: vec![0; n],
            known: Table::default(),
            others: Table::default(),
            roots: Vec::new(),
            operations: 0,
            work: 0,
            buffers: [Vec::new(), Vec::new()],
        };
        for output in outputs {
            let root = if output.is_empty() { ONE } else { graph.polynomial(&output, 1, 0).0 };
            graph.retain(root, Some(choices));
            graph.roots.push(root);
        }
        graph
    }

    /// Nodes, in use or not.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Terms of all polynomials, in use or not.
    pub(super) fn listed_terms(&self) -> usize {
        self.terms.len()
    }

    /// Exponents kept of the factors that polynomials are divided by.
    #[cfg(test)]
    pub(super) fn kept_exponents(&self) -> usize {
        self.divisors.len()
    }

    /// Polynomials, in use or not.
    pub(super) fn polynomials(&self) -> usize {
        self.polynomials.len()
    }

    /// The variables chosen for polynomials that the order does not give, by their values; of those in use.
    pub(super) fn choices(&self) -> Table<u64, u32> {
        let used = self.polynomials.iter().filter(|own| self.nodes[own.node as usize].uses > 0);
        let chosen = used.filter(|own| own.variable != NONE && own.variable != self.first(own));
        chosen.map(|own| (own.key, own.variable)).collect()
    }

    /// The variable that is extracted from a node, and what is left without and with it.
    pub(super) fn choice(&self, node: Id) -> Option<(usize, [Id; 2])> {
        let own = self.polynomials.get(self.nodes.get(node as usize)?.polynomial as usize)?;
        (own.variable != NONE).then_some((own.variable as usize, own.rest))
    }

    /// Whether polynomial number `at` is in use and a sum.
    pub(super) fn is_open(&self, at: usize) -> bool {
        let own = &self.polynomials[at];
        self.size(at) > 1 && self.nodes[own.node as usize].uses > 0
    }

    /// A variable of term number `term` (counted round) of polynomial number `at`, the one that `draw` picks among those of
    /// the term.
    pub(super) fn variable(&self, at: usize, term: usize, draw: impl FnOnce(usize) -> usize) -> u32 {
        let own = &self.polynomials[at];
        let terms = self.terms_of(own);
        let term = terms[term % terms.len()] as usize;
        let held = |variable: &usize| self.columns[*variable][term] > self.divisor(own)[*variable];
        let count = (0..self.columns.len()).filter(held).count();
        if count == 0 {
            return NONE;
        }
        let chosen = draw(count);
        (0..self.columns.len()).filter(held).nth(chosen).map_or(NONE, |variable| variable as u32)
    }

    /// The number of terms of polynomial number `at`.
    pub(super) fn size(&self, at: usize) -> usize {
        self.terms_of(&self.polynomials[at]).len()
    }

    /// The variable that is extracted from polynomial number `at`.
    pub(super) fn chosen(&self, at: usize) -> u32 {
        self.polynomials[at].variable
    }

    /// Extracts another variable from polynomial number `at`, which is in use and holds it. Returns what takes that back.
    pub(super) fn choose(&mut self, at: usize, variable: u32) -> Undo {
        let own = self.polynomials[at];
        let node = own.node as usize;
        let undo = Undo {
            at,
            variable: own.variable,
            rest: own.rest,
            parts: self.nodes[node].parts,
            cost: self.nodes[node].cost,
        };
        self.form(at, variable);
        self.exchange(node, undo.parts, undo.cost);
        undo
    }

    /// Takes a choice back, the last one.
    pub(super) fn undo(&mut self, undo: Undo) {
        let own = &mut self.polynomials[undo.at];
        (own.variable, own.rest) = (undo.variable, undo.rest);
        let node = &mut self.nodes[own.node as usize];
        let (parts, cost) =
            (std::mem::replace(&mut node.parts, undo.parts), std::mem::replace(&mut node.cost, undo.cost));
        let node = own.node as usize;
        self.exchange(node, parts, cost);
    }

    /// Counts the parts that a node has now, and no longer those that it had.
    fn exchange(&mut self, node: usize, before: [Id; 2], cost: u8) {
        self.operations += i64::from(self.nodes[node].cost) - i64::from(cost);
        for part in self.nodes[node].parts {
            self.retain(part, None);
        }
        for part in before {
            self.release(part);
        }
    }

    fn terms_of(&self, own: &Polynomial) -> &[u32] {
        &self.terms[own.terms.0 as usize..own.terms.1 as usize]
    }

    fn divisor(&self, own: &Polynomial) -> &[u16] {
        &self.divisors[own.divisor as usize..own.divisor as usize + self.columns.len()]
    }

    /// The first variable in the order that a polynomial holds.
    fn first(&self, own: &Polynomial) -> u32 {
        let held = |&variable: &u32| self.holds(own, variable);
        self.order.iter().map(|&variable| variable as u32).find(held).unwrap_or(NONE)
    }

    /// Counts one more use of a node; of polynomials not met before, `choices` gives the variables by values.
    fn retain(&mut self, id: Id, choices: Option<&Table<u64, u32>>) {
        if id == NONE {
            return;
        }
        let node = &mut self.nodes[id as usize];
        node.uses += 1;
        if node.uses > 1 {
            return;
        }
        self.work += 1;
        let at = node.polynomial;
        if let Some(own) = self.polynomials.get(at as usize)
            && own.variable == NONE
        {
            // Were two polynomials of one value, a choice for one might not be held by the other.
            let chosen = choices
                .and_then(|choices| choices.get(&own.key).copied())
                .filter(|&variable| self.holds(own, variable));
            let variable = chosen.unwrap_or_else(|| self.first(own));
            self.form(at as usize, variable);
        }
        let Node { cost, parts, .. } = self.nodes[id as usize];
        self.operations += i64::from(cost);
        parts.iter().for_each(|&part| self.retain(part, choices));
    }

    /// Counts one use less of a node.
    fn release(&mut self, id: Id) {
        if id == NONE {
            return;
        }
        let node = &mut self.nodes[id as usize];
        node.uses -= 1;
        if node.uses == 0 {
            let Node { cost, parts, .. } = *node;
            self.work += 1;
            self.operations -= i64::from(cost);
            parts.iter().for_each(|&part| self.release(part));
        }
    }

    fn holds(&self, own: &Polynomial, variable: u32) -> bool {
        let (column, least) = (&self.columns[variable as usize], self.divisor(own)[variable as usize]);
        self.terms_of(own).iter().any(|&term| column[term as usize] > least)
    }

    /// Writes a polynomial as `q + v^d r`.
    fn form(&mut self, at: usize, variable: u32) {
        let own = self.polynomials[at];
        let v = variable as usize;
        let least = self.divisor(&own)[v];
        let [mut without, mut with] = std::mem::take(&mut self.buffers);
        without.clear();
        with.clear();
        let mut exponent = u16::MAX;
        for &term in self.terms_of(&own) {
            match self.columns[v][term as usize] - least {
                0 => without.push(term),
                held => {
                    with.push(term);
                    exponent = exponent.min(held);
                }
            }
        }
        self.work += self.terms_of(&own).len() as u64;
        let divisor = self.divisors.len() as u32;
        let from = own.divisor as usize;
        self.divisors.extend_from_within(from..from + self.columns.len());
        self.divisors[divisor as usize + v] += exponent;
        let scale = field::mul(own.scale, self.inverses[v][usize::from(exponent)]);
        let known = self.polynomials.len();
        let (high, content) = self.polynomial(&with, scale, divisor);
        if self.polynomials.len() == known {
            // It was met before, with a divisor of its own.
            self.divisors.truncate(divisor as usize);
        }
        let squarings = u8::from(exponent > 1);
        let power = self.other(POWER, u64::from(variable) << 16 | u64::from(exponent), NONE, NONE, squarings);
        let product = if high == ONE { power } else { self.other(PRODUCT, power.into(), high, power, 1) };
        let (rest, parts) = if without.is_empty() {
            ([NONE, high], [product, NONE])
        } else {
            let (low, below) = self.polynomial(&without, own.scale, own.divisor);
            ([low, high], [self.multiple(content / own.content, product), self.multiple(below / own.content, low)])
        };
        let cost = u8::from(!without.is_empty());
        self.buffers = [without, with];
        let own = &mut self.polynomials[at];
        (own.variable, own.rest) = (variable, rest);
        let node = &mut self.nodes[own.node as usize];
        (node.parts, node.cost) = (parts, cost);
    }

    /// A number times a node.
    fn multiple(&mut self, number: u64, node: Id) -> Id {
        if number == 1 || node == ONE { node } else { self.other(MULTIPLE, number, node, NONE, 1) }
    }

    /// A node that is no polynomial, of parts `a` and `b`.
    fn other(&mut self, kind: u8, number: u64, a: Id, b: Id, cost: u8) -> Id {
        let next = self.nodes.len() as Id;
        let id = *self.others.entry((kind, number, a)).or_insert(next);
        if id == next {
            self.nodes.push(Node { uses: 0, cost, parts: [a, b], polynomial: NONE });
        }
        id
    }

    /// The node of the polynomial of these terms, and its content.
    fn polynomial(&mut self, terms: &[u32], scale: u64, divisor: u32) -> (Id, u64) {
        let mut content = 0;
        let mut value = 0;
        for &term in terms {
            if content != 1 {
                content = field::gcd(content, self.sizes[term as usize]);
            }
            value = field::add(value, self.values[term as usize]);
        }
        if let [term] = *terms {
            let column = |variable: usize| self.columns[variable][term as usize];
            let from = divisor as usize;
            if self.divisors[from..from + self.columns.len()].iter().enumerate().all(|(v, &least)| column(v) == least) {
                return (ONE, content);
            }
        }
        value = field::mul(value, scale);
        if content != 1 {
            value = field::mul(value, field::inverse(field::residue(content)));
        }
        let key = value.min(field::negate(value));
        let next = self.nodes.len() as Id;
        let node = *self.known.entry(key).or_insert(next);
        if node == next {
            let from = self.terms.len() as u32;
            self.terms.extend_from_slice(terms);
            let polynomial = self.polynomials.len() as u32;
            let terms = (from, self.terms.len() as u32);
            self.polynomials.push(Polynomial {
                node,
                terms,
                scale,
                divisor,
                content,
                key,
                variable: NONE,
                rest: [NONE; 2],
            });
            self.nodes.push(Node { uses: 0, cost: 0, parts: [NONE; 2], polynomial });
        }
        (node, content)
    }
}

/// What takes a choice back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undo {
    at: usize,
    variable: u32,
    rest: [Id; 2],
    parts: [Id; 2],
    cost: u8,
}
