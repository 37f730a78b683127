//! Straight-line programs of n-ary sums.

use super::chain::addition_chain;
use super::dag::{Dag, Node, Root};
use crate::algebra::{Coefficient, Counts, MAX_VARIABLES, System};
use crate::table::Table;
use serde::{Deserialize, Serialize};

/// A number times a product of symbols.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Term {
    /// The number in front, not zero.
    pub value: Coefficient,
    /// Symbols in ascending order; a square is two factors. Without factors the term is the number.
    pub factors: Vec<u32>,
}

impl Term {
    pub(crate) fn symbol(symbol: u32) -> Self {
        Self { value: Coefficient::ONE, factors: vec![symbol] }
    }

    pub(crate) fn number(value: Coefficient) -> Self {
        Self { value, factors: Vec::new() }
    }

    /// The number of multiplications. A number other than 1 and -1 is a factor.
    #[must_use]
    pub fn multiplications(&self) -> u64 {
        (self.factors.len() as u64 + u64::from(!self.value.is_unit())).saturating_sub(1)
    }

    pub(crate) fn times(mut self, other: &Self) -> Self {
        self.value = self.value.mul(&other.value);
        self.factors.extend_from_slice(&other.factors);
        self.factors.sort_unstable();
        self
    }
}

/// Temporaries and outputs, each a sum of terms.
///
/// Symbols are numbered: the inputs in the order of [`System::inputs`], then the temporaries in the order in which they
/// are computed. An output is no symbol. An empty sum is 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The number of inputs.
    pub inputs: usize,
    /// The sum of each temporary, which uses inputs and earlier temporaries.
    pub temporaries: Vec<Vec<Term>>,
    /// The sum of each output.
    pub outputs: Vec<Vec<Term>>,
}

impl Program {
    /// The program of a graph. Nodes that are used once become part of the sum or product that uses them. The powers of
    /// one base are computed by a shared addition chain.
    #[must_use]
    pub fn new(system: &System, dag: &Dag) -> Self {
        Converter::new(system, dag).run(dag)
    }

    /// The operations of the code by FORM's rule. The code holds products and no powers.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for terms in self.temporaries.iter().chain(&self.outputs) {
            counts.additions += (terms.len() as u64).saturating_sub(1);
            counts.multiplications += terms.iter().map(Term::multiplications).sum::<u64>();
        }
        counts
    }

    /// The largest total degree of an output in the inputs. Saturates.
    #[must_use]
    pub fn degree(&self) -> u64 {
        let mut degrees = vec![1_u64; self.inputs];
        let of = |terms: &[Term], degrees: &[u64]| {
            let term = |term: &Term| {
                term.factors.iter().fold(0_u64, |sum, &symbol| sum.saturating_add(degrees[symbol as usize]))
            };
            terms.iter().map(term).max().unwrap_or(0)
        };
        for terms in &self.temporaries {
            degrees.push(of(terms, &degrees));
        }
        self.outputs.iter().map(|terms| of(terms, &degrees)).max().unwrap_or(0)
    }

    /// Checks that there are at most [`MAX_VARIABLES`] inputs, that each sum uses inputs and earlier temporaries only,
    /// that factors ascend, that no number in front is zero and that no two terms of a sum have the same factors.
    ///
    /// # Errors
    /// One line: the first fault.
    pub fn validate(&self) -> Result<(), String> {
        let count = self.temporaries.len();
        if self.inputs > MAX_VARIABLES {
            return Err(format!("{} inputs, expected at most {MAX_VARIABLES}", self.inputs));
        }
        for (at, terms) in self.temporaries.iter().chain(&self.outputs).enumerate() {
            let known = self.inputs + at.min(count);
            for term in terms {
                if term.value.is_zero() {
                    return Err(format!("sum {at} holds a term that is zero"));
                }
                if !term.factors.is_sorted() {
                    return Err(format!("sum {at} holds a term whose factors do not ascend"));
                }
                if term.factors.last().is_some_and(|&symbol| symbol as usize >= known) {
                    return Err(format!("sum {at} uses a symbol that is not computed before it"));
                }
            }
            let mut factors: Vec<&[u32]> = terms.iter().map(|term| &term.factors[..]).collect();
            soloist::order::sort(&mut factors);
            if factors.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(format!("sum {at} holds two terms with the same factors"));
            }
        }
        Ok(())
    }

    /// Puts the temporaries into an order in which each comes before its uses, and drops unused ones. The uses must
    /// form no cycle.
    pub(crate) fn sort(&mut self) {
        let inputs = self.inputs;
        let count = self.temporaries.len();
        // 0: not visited, 1: its parts are being visited, 2: placed.
        let mut state = vec![0_u8; count];
        let mut place = vec![u32::MAX; count];
        let mut order: Vec<usize> = Vec::with_capacity(count);
        let mut open: Vec<usize> = Vec::new();
        let parts = |terms: &[Term]| {
            let mut parts: Vec<usize> = Vec::new();
            for symbol in terms.iter().flat_map(|term| &term.factors) {
                if let Some(at) = (*symbol as usize).checked_sub(inputs) {
                    parts.push(at);
                }
            }
            parts.reverse();
            parts
        };
        for output in &self.outputs {
            open.extend(parts(output));
            while let Some(&at) = open.last() {
                match state[at] {
                    0 => {
                        state[at] = 1;
                        open.extend(parts(&self.temporaries[at]).into_iter().filter(|&part| state[part] == 0));
                    }
                    1 => {
                        state[at] = 2;
                        place[at] = order.len() as u32;
                        order.push(at);
                        open.pop();
                    }
                    _ => {
                        open.pop();
                    }
                }
            }
        }
        let mut sorted: Vec<Vec<Term>> = order.iter().map(|&at| std::mem::take(&mut self.temporaries[at])).collect();
        for term in sorted.iter_mut().chain(&mut self.outputs).flatten() {
            for symbol in &mut term.factors {
                if let Some(at) = (*symbol as usize).checked_sub(inputs) {
                    *symbol = inputs as u32 + place[at];
                }
            }
            term.factors.sort_unstable();
        }
        self.temporaries = sorted;
    }
}

/// The form that a node takes in the program.
#[derive(Clone, Debug)]
enum Form {
    /// The terms of a node that is used once and is not used yet.
    Terms(Vec<Term>),
    /// One symbol or number, as a term.
    Single(Term),
}

struct Converter {
    uses: Vec<u32>,
    forms: Vec<Option<Form>>,
    /// Elements of addition chains by base and exponent.
    powers: Table<(u32, u32), Term>,
    program: Program,
    input_of: Vec<u32>,
    blocks: Table<u32, Root>,
}

impl Converter {
    fn new(system: &System, dag: &Dag) -> Self {
        let mut uses = vec![0_u32; dag.nodes.len()];
        for node in &dag.nodes {
            match *node {
                Node::Number(_) | Node::Symbol(_) => {}
                // Counted below, by the addition chains.
                Node::Power(..) => {}
                Node::Product(a, b) => {
                    uses[a as usize] += 1;
                    uses[b as usize] += 1;
                }
                Node::Multiple(_, a) | Node::Minus(a) => uses[a as usize] += 1,
                Node::Sum(a, b) => {
                    uses[a as usize / 2] += 1;
                    uses[b as usize / 2] += 1;
                }
            }
        }
        for root in &dag.roots {
            uses[root.edge as usize / 2] += 1;
        }
        for &base in dag.powers().keys() {
            // The first step of the chain uses the base twice.
            uses[base as usize] += 2;
        }
        let inputs = system.inputs();
        let mut input_of = vec![u32::MAX; system.symbols().len()];
        for (place, &symbol) in inputs.iter().enumerate() {
            input_of[symbol] = place as u32;
        }
        let program = Program { inputs: inputs.len(), temporaries: Vec::new(), outputs: Vec::new() };
        let blocks = dag.roots.iter().filter_map(|root| Some((root.symbol?, root.clone()))).collect();
        Self { uses, forms: vec![None; dag.nodes.len()], powers: Table::default(), program, input_of, blocks }
    }

    fn run(mut self, dag: &Dag) -> Program {
        let powers = dag.powers();
        for (at, node) in dag.nodes.iter().enumerate() {
            let terms = match *node {
                Node::Number(place) => vec![Term::number(dag.numbers[place as usize].clone())],
                // The nodes of a block come before its symbol, whose node is made at the first use.
                Node::Symbol(symbol) => match self.blocks.remove(&symbol) {
                    Some(root) => self.root(&root),
                    None => vec![Term::symbol(self.input_of[symbol as usize])],
                },
                Node::Power(base, exponent) => vec![self.power(base, exponent, &powers[&base])],
                Node::Product(a, b) => {
                    let left = self.factor(a);
                    vec![left.times(&self.factor(b))]
                }
                Node::Multiple(place, a) => {
                    let number = Term::number(dag.numbers[place as usize].clone());
                    vec![number.times(&self.factor(a))]
                }
                Node::Minus(a) => self.summands(2 * a + 1),
                Node::Sum(a, b) => {
                    let mut terms = self.summands(a);
                    terms.extend(self.summands(b));
                    merge(terms)
                }
            };
            self.keep(at, terms);
        }
        for root in dag.roots.iter().filter(|root| root.symbol.is_none()) {
            let terms = self.root(root);
            self.program.outputs.push(terms);
        }
        self.program.sort();
        self.program
    }

    fn root(&mut self, root: &Root) -> Vec<Term> {
        if root.zero { Vec::new() } else { self.summands(root.edge) }
    }

    /// Stores the form of node `at`: its terms if it is used once, otherwise a temporary.
    fn keep(&mut self, at: usize, terms: Vec<Term>) {
        let leaf = terms.len() == 1 && terms[0].multiplications() == 0;
        let form = if leaf {
            terms.into_iter().next().map(Form::Single)
        } else if self.uses[at] > 1 {
            Some(Form::Single(self.temporary(terms)))
        } else {
            Some(Form::Terms(terms))
        };
        self.forms[at] = form;
    }

    fn temporary(&mut self, terms: Vec<Term>) -> Term {
        let symbol = (self.program.inputs + self.program.temporaries.len()) as u32;
        self.program.temporaries.push(terms);
        Term::symbol(symbol)
    }

    /// A node as one term.
    fn factor(&mut self, node: u32) -> Term {
        let mut terms = match self.forms[node as usize].take() {
            Some(Form::Terms(terms)) => terms,
            Some(Form::Single(term)) => {
                self.forms[node as usize] = Some(Form::Single(term.clone()));
                return term;
            }
            // A node comes after its parts, and the terms of a node that is used once are taken once.
            None => unreachable!("a node is built before it is used"),
        };
        if terms.len() == 1 { terms.swap_remove(0) } else { self.temporary(terms) }
    }

    /// A signed node as terms of a sum.
    fn summands(&mut self, edge: u32) -> Vec<Term> {
        let node = edge as usize / 2;
        let mut terms = match self.forms[node].take() {
            Some(Form::Terms(terms)) => terms,
            Some(Form::Single(term)) => {
                self.forms[node] = Some(Form::Single(term.clone()));
                vec![term]
            }
            None => unreachable!("a node is built before it is used"),
        };
        if edge % 2 == 1 {
            for term in &mut terms {
                term.value = term.value.neg();
            }
        }
        terms
    }

    /// A power of `base`. The first call for a base makes the elements of its addition chain; `all` holds the exponents
    /// and nodes of all powers of the base.
    fn power(&mut self, base: u32, exponent: u32, all: &[(u32, u32)]) -> Term {
        if let Some(term) = self.powers.get(&(base, exponent)) {
            return term.clone();
        }
        let exponents: Vec<u32> = all.iter().map(|&(exponent, _)| exponent).collect();
        let chain = addition_chain(&exponents);
        let mut uses: Table<u32, u32> = Table::default();
        for part in chain.iter().flat_map(|&(_, a, b)| [a, b]) {
            *uses.entry(part).or_default() += 1;
        }
        for &(exponent, node) in all {
            *uses.entry(exponent).or_default() += self.uses[node as usize];
        }
        let mut elements: Table<u32, Term> = Table::default();
        elements.insert(1, self.factor(base));
        for &(sum, a, b) in &chain {
            let mut term = elements[&a].clone().times(&elements[&b]);
            if uses.get(&sum).copied().unwrap_or(0) > 1 {
                term = self.temporary(vec![term]);
            }
            elements.insert(sum, term);
        }
        for &exponent in &exponents {
            self.powers.insert((base, exponent), elements[&exponent].clone());
        }
        elements[&exponent].clone()
    }
}

/// Adds terms of equal factors.
fn merge(mut terms: Vec<Term>) -> Vec<Term> {
    let distinct = |terms: &[Term]| {
        terms.iter().enumerate().all(|(at, term)| terms[..at].iter().all(|other| other.factors != term.factors))
    };
    // Most sums are short, and their terms differ.
    if terms.len() <= 16 && distinct(&terms) {
        return terms;
    }
    soloist::order::sort_by(&mut terms, |a, b| a.factors.cmp(&b.factors));
    terms.dedup_by(|next, kept| {
        let same = next.factors == kept.factors;
        if same {
            kept.value = kept.value.add(&next.value);
        }
        same
    });
    terms.retain(|term| !term.value.is_zero());
    terms
}
