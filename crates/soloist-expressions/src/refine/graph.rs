//! The Horner form of a system with a variable for each sub-polynomial, whose operations are counted incrementally.

use crate::scheme::{Terms, field};
use crate::table::Table;

/// A node by number.
pub(super) type Id = u32;

/// The node of the number 1, also that of the other numbers: they cost nothing.
pub(super) const ONE: Id = 0;
/// No node.
pub(super) const NONE: Id = u32::MAX;

/// The kinds of nodes that are no polynomials. Kind, number and first part identify such a node.
const POWER: u8 = 0;
const PRODUCT: u8 = 1;
const MULTIPLE: u8 = 2;

/// A sub-expression. It counts while something uses it. An unused node is kept with its parts, because a later attempt
/// may use it.
#[derive(Clone, Copy, Debug)]
struct Node {
    uses: u32,
    /// Operations without those of its parts.
    cost: u8,
    /// The nodes that it uses, or [`NONE`].
    parts: [Id; 2],
    /// The number of its polynomial, or [`NONE`].
    polynomial: u32,
}

/// A polynomial divided by its content: terms of the input, divided by a common monomial, the divisor.
#[derive(Clone, Copy, Debug)]
struct SubPolynomial {
    node: Id,
    /// The range of its terms in the list of all terms.
    terms: (u32, u32),
    /// The inverse of the value of the divisor.
    scale: u64,
    /// The place of the exponents of the divisor.
    divisor: u32,
    content: u64,
    /// The value at the point, up to the sign.
    key: u64,
    /// The variable that is extracted; [`NONE`] while that is not decided.
    variable: u32,
    /// The nodes of q and r: the terms without the variable, and those with it.
    rest: [Id; 2],
}

/// The terms of the input, and the point.
#[derive(Clone, Debug)]
struct Input {
    /// The exponents: for each variable a column of all terms.
    columns: Vec<Vec<u16>>,
    /// The value of each term at the point.
    values: Vec<u64>,
    /// The absolute value of each coefficient.
    sizes: Vec<u64>,
    /// Inverse powers of the point's coordinates.
    inverses: Vec<Vec<u64>>,
}

/// All sub-polynomials visited so far, and the operations of those in use.
///
/// A polynomial P is written `q + v^d r`, where v is the variable chosen for it, q holds the terms without v, and d is
/// the least exponent of v in the others; if all terms hold v, P is `v^d r`. The same applies to q and r. Polynomials
/// are compared by their values at a point modulo 2^61 - 1, divided by their content, up to the sign. The form that is
/// built in the end is correct even if two polynomials share a value.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    /// How the last edit is taken back, until it is accepted.
    pub(super) edited: Option<Undo>,
    input: Input,
    /// The order that gives the variables of polynomials without a choice.
    order: Vec<usize>,
    nodes: Vec<Node>,
    polynomials: Vec<SubPolynomial>,
    terms: Vec<u32>,
    divisors: Vec<u16>,
    known: Table<u64, Id>,
    others: Table<(u8, u64, Id), Id>,
    /// The outputs.
    pub(super) roots: Vec<Id>,
    /// Operations of the nodes in use. Different powers of one base share nothing, and contents of outputs are not
    /// counted.
    pub(super) operations: i64,
    /// The work so far: terms visited and nodes counted.
    pub(super) work: u64,
    buffers: [Vec<u32>; 2],
}

impl Graph {
    /// The form of `outputs` outputs. `choices` gives variables by the values of polynomials; `order` gives the others.
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
            edited: None,
            input: Input { columns, values, sizes: (0..terms.len()).map(|at| terms.size(at)).collect(), inverses },
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

    /// The number of nodes, in use or not.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The number of terms of all polynomials, in use or not.
    pub(super) fn listed_terms(&self) -> usize {
        self.terms.len()
    }

    /// The number of exponents of all divisors.
    #[cfg(test)]
    pub(super) fn kept_exponents(&self) -> usize {
        self.divisors.len()
    }

    /// The number of polynomials, in use or not.
    pub(super) fn polynomials(&self) -> usize {
        self.polynomials.len()
    }

    /// The variables of those polynomials in use whose variable is not the one of the order, by the values of the
    /// polynomials.
    pub(super) fn choices(&self) -> Table<u64, u32> {
        let used = self.polynomials.iter().filter(|polynomial| self.nodes[polynomial.node as usize].uses > 0);
        let chosen =
            used.filter(|polynomial| polynomial.variable != NONE && polynomial.variable != self.first(polynomial));
        chosen.map(|polynomial| (polynomial.key, polynomial.variable)).collect()
    }

    /// The variable that is extracted from a node, and the nodes of q and r.
    pub(super) fn choice(&self, node: Id) -> Option<(usize, [Id; 2])> {
        let polynomial = self.polynomials.get(self.nodes.get(node as usize)?.polynomial as usize)?;
        (polynomial.variable != NONE).then_some((polynomial.variable as usize, polynomial.rest))
    }

    /// Whether polynomial number `at` is in use and a sum.
    pub(super) fn is_open(&self, at: usize) -> bool {
        let polynomial = &self.polynomials[at];
        self.size(at) > 1 && self.nodes[polynomial.node as usize].uses > 0
    }

    /// A variable of a term of polynomial number `at`: the one that `draw` chooses of the variables that the term
    /// holds.
    pub(super) fn variable(&self, at: usize, term: usize, draw: impl FnOnce(usize) -> usize) -> u32 {
        let polynomial = &self.polynomials[at];
        let terms = self.terms_of(polynomial);
        let term = terms[term % terms.len()] as usize;
        let held = |variable: &usize| self.input.columns[*variable][term] > self.divisor(polynomial)[*variable];
        let count = (0..self.input.columns.len()).filter(held).count();
        if count == 0 {
            return NONE;
        }
        let chosen = draw(count);
        (0..self.input.columns.len()).filter(held).nth(chosen).map_or(NONE, |variable| variable as u32)
    }

    /// The number of terms of polynomial number `at`.
    pub(super) fn size(&self, at: usize) -> usize {
        self.terms_of(&self.polynomials[at]).len()
    }

    /// The variable that is extracted from polynomial number `at`.
    pub(super) fn chosen(&self, at: usize) -> u32 {
        self.polynomials[at].variable
    }

    /// Extracts another variable from polynomial number `at`, which is in use and holds it. Returns how to undo that.
    pub(super) fn choose(&mut self, at: usize, variable: u32) -> Undo {
        let polynomial = self.polynomials[at];
        let node = polynomial.node as usize;
        let undo = Undo {
            at,
            variable: polynomial.variable,
            rest: polynomial.rest,
            parts: self.nodes[node].parts,
            cost: self.nodes[node].cost,
        };
        self.form(at, variable);
        self.exchange(node, undo.parts, undo.cost);
        undo
    }

    /// Undoes the last choice.
    pub(super) fn undo(&mut self, undo: Undo) {
        let polynomial = &mut self.polynomials[undo.at];
        (polynomial.variable, polynomial.rest) = (undo.variable, undo.rest);
        let node = &mut self.nodes[polynomial.node as usize];
        let (parts, cost) =
            (std::mem::replace(&mut node.parts, undo.parts), std::mem::replace(&mut node.cost, undo.cost));
        let node = polynomial.node as usize;
        self.exchange(node, parts, cost);
    }

    /// Counts the present parts of a node instead of its former parts.
    fn exchange(&mut self, node: usize, before: [Id; 2], cost: u8) {
        self.operations += i64::from(self.nodes[node].cost) - i64::from(cost);
        for part in self.nodes[node].parts {
            self.retain(part, None);
        }
        for part in before {
            self.release(part);
        }
    }

    fn terms_of(&self, polynomial: &SubPolynomial) -> &[u32] {
        &self.terms[polynomial.terms.0 as usize..polynomial.terms.1 as usize]
    }

    fn divisor(&self, polynomial: &SubPolynomial) -> &[u16] {
        &self.divisors[polynomial.divisor as usize..polynomial.divisor as usize + self.input.columns.len()]
    }

    /// The first variable of the order that a polynomial holds.
    fn first(&self, polynomial: &SubPolynomial) -> u32 {
        let held = |&variable: &u32| self.holds(polynomial, variable);
        self.order.iter().map(|&variable| variable as u32).find(held).unwrap_or(NONE)
    }

    /// Counts one use more of a node. `choices` gives the variables of new polynomials by their values.
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
        if let Some(polynomial) = self.polynomials.get(at as usize)
            && polynomial.variable == NONE
        {
            // If two polynomials share a value, the choice of one may be a variable that the other does not hold.
            let chosen = choices
                .and_then(|choices| choices.get(&polynomial.key).copied())
                .filter(|&variable| self.holds(polynomial, variable));
            let variable = chosen.unwrap_or_else(|| self.first(polynomial));
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

    fn holds(&self, polynomial: &SubPolynomial, variable: u32) -> bool {
        let (column, least) = (&self.input.columns[variable as usize], self.divisor(polynomial)[variable as usize]);
        self.terms_of(polynomial).iter().any(|&term| column[term as usize] > least)
    }

    /// Writes a polynomial as `q + v^d r`.
    fn form(&mut self, at: usize, variable: u32) {
        let polynomial = self.polynomials[at];
        let v = variable as usize;
        let least = self.divisor(&polynomial)[v];
        let [mut without, mut with] = std::mem::take(&mut self.buffers);
        without.clear();
        with.clear();
        let mut exponent = u16::MAX;
        for &term in self.terms_of(&polynomial) {
            match self.input.columns[v][term as usize] - least {
                0 => without.push(term),
                held => {
                    with.push(term);
                    exponent = exponent.min(held);
                }
            }
        }
        self.work += self.terms_of(&polynomial).len() as u64;
        let divisor = self.divisors.len() as u32;
        let from = polynomial.divisor as usize;
        self.divisors.extend_from_within(from..from + self.input.columns.len());
        self.divisors[divisor as usize + v] += exponent;
        let scale = field::mul(polynomial.scale, self.input.inverses[v][usize::from(exponent)]);
        let known = self.polynomials.len();
        let (high, content) = self.polynomial(&with, scale, divisor);
        if self.polynomials.len() == known {
            // The polynomial is known and has another divisor.
            self.divisors.truncate(divisor as usize);
        }
        let squarings = u8::from(exponent > 1);
        let power = self.other(POWER, u64::from(variable) << 16 | u64::from(exponent), NONE, NONE, squarings);
        let product = if high == ONE { power } else { self.other(PRODUCT, power.into(), high, power, 1) };
        let (rest, parts) = if without.is_empty() {
            ([NONE, high], [product, NONE])
        } else {
            let (low, below) = self.polynomial(&without, polynomial.scale, polynomial.divisor);
            (
                [low, high],
                [self.multiple(content / polynomial.content, product), self.multiple(below / polynomial.content, low)],
            )
        };
        let cost = u8::from(!without.is_empty());
        self.buffers = [without, with];
        let polynomial = &mut self.polynomials[at];
        (polynomial.variable, polynomial.rest) = (variable, rest);
        let node = &mut self.nodes[polynomial.node as usize];
        (node.parts, node.cost) = (parts, cost);
    }

    /// A number times a node.
    fn multiple(&mut self, number: u64, node: Id) -> Id {
        if number == 1 || node == ONE { node } else { self.other(MULTIPLE, number, node, NONE, 1) }
    }

    /// The node with parts `a` and `b` that is no polynomial.
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
                content = field::gcd(content, self.input.sizes[term as usize]);
            }
            value = field::add(value, self.input.values[term as usize]);
        }
        if let [term] = *terms {
            let column = |variable: usize| self.input.columns[variable][term as usize];
            let from = divisor as usize;
            if self.divisors[from..from + self.input.columns.len()]
                .iter()
                .enumerate()
                .all(|(v, &least)| column(v) == least)
            {
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
            self.polynomials.push(SubPolynomial {
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

/// How to undo a choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undo {
    at: usize,
    variable: u32,
    rest: [Id; 2],
    parts: [Id; 2],
    cost: u8,
}
