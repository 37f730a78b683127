//! Systems: several outputs as polynomials over shared symbols.

use super::counts::Counts;
use super::notation::Notation;
use super::polynomial::Polynomial;
use std::ops::Range;
use std::sync::Arc;

/// A polynomial with a name: an output, or a block that outputs and later blocks use as a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The name of the output. A block has a name that no input can have.
    pub name: String,
    /// Over all symbols of the system.
    pub polynomial: Polynomial,
    /// The symbol that stands for a block; `None`: an output, or the argument of a function.
    pub symbol: Option<usize>,
    /// Whether it is the argument of a function that the code computes, and no output.
    pub argument: bool,
}

/// A function that code computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// 1 divided by the argument.
    Inverse,
    /// The root of this degree, at least 2, on the principal branch.
    Root(u32),
    /// The first argument to the power of the second.
    Power,
    /// A function of one or two arguments by its name in C; `abs`, `min`, `max` are those of numbers with a point.
    Named(&'static str),
    /// A number that is no fraction. It has no argument and costs nothing.
    Constant(Constant),
    /// The third argument where the first two compare so, the fourth elsewhere.
    Select(Relation),
}

/// A number that no fraction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// The ratio of circumference and diameter.
    Pi,
    /// The base of the natural logarithm.
    E,
    /// The imaginary unit, of systems that are read with [`Reading::complex`].
    I,
}

/// How two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
}

impl Relation {
    /// All relations.
    pub const ALL: [Self; 4] = [Self::Less, Self::LessEqual, Self::Equal, Self::NotEqual];

    /// The name of the conditional in the notation of the reader: `select_lt(a,b,then,else)`.
    #[must_use]
    pub fn select(self) -> &'static str {
        match self {
            Self::Less => "select_lt",
            Self::LessEqual => "select_le",
            Self::Equal => "select_eq",
            Self::NotEqual => "select_ne",
        }
    }
}

impl Constant {
    /// All constants.
    pub const ALL: [Self; 3] = [Self::Pi, Self::E, Self::I];

    /// The name in the notation of the reader, where it is a function without arguments.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pi => "pi",
            Self::E => "exp1",
            Self::I => "imaginary_unit",
        }
    }
}

impl Function {
    /// The function of a name and a number of arguments, if code can compute it.
    #[must_use]
    pub fn named(name: &str, arguments: usize) -> Option<Self> {
        const ONE: [&str; 18] = [
            "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp",
            "log", "abs", "floor", "ceil", "cbrt",
        ];
        match (name, arguments) {
            ("sqrt", 1) => Some(Self::Root(2)),
            ("pow", 2) => Some(Self::Power),
            (_, 2) => ["atan2", "min", "max"].into_iter().find(|known| *known == name).map(Self::Named),
            (_, 4) => Relation::ALL.into_iter().find(|known| known.select() == name).map(Self::Select),
            (_, 0) => Constant::ALL.into_iter().find(|known| known.name() == name).map(Self::Constant),
            (_, 1) => ONE.into_iter().find(|known| *known == name).map(Self::Named),
            _ => None,
        }
    }
}

/// A symbol that the code computes by a function of arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The symbol of the result.
    pub symbol: usize,
    /// The function.
    pub function: Function,
    /// The arguments, by their place among [`System::results`].
    pub arguments: Vec<usize>,
}

/// Several polynomials over one table of symbols.
///
/// A symbol is given to the code, or it is the result of a [`Call`] (a function or an inverse, `sin(x)` or `x^-1`), or
/// it stands for a *block*: a sum of the input text that is not multiplied out because the result would be too large.
/// Functions that the code cannot compute are given, named by their text: `f(x,y)`.
#[derive(Clone, Debug)]
pub struct System {
    symbols: Arc<[String]>,
    definitions: Vec<Definition>,
    calls: Vec<Call>,
    source: Option<Source>,
}

/// The text that a system was read from, kept for verification.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// What errors call the text.
    pub(crate) name: String,
    /// The text as it was given.
    pub(crate) given: Arc<[u8]>,
    /// The notation in which it was read, which may be unknown; `None`: that of the reader.
    pub(crate) notation: Option<Option<Notation>>,
    /// Statements that were added to those of the text.
    pub(crate) relations: Vec<Related>,
    /// The expressions in the notation of the reader.
    pub(crate) text: Arc<[u8]>,
    /// The statements in the order of the text.
    pub(crate) statements: Vec<Assigned>,
    /// How the text was read.
    pub(crate) reading: Reading,
    /// What of the text was skipped, or taken off an expression, by name.
    pub(crate) skipped: Vec<String>,
}

/// A statement that is the sum or difference of two others.
#[derive(Clone, Debug)]
pub(crate) struct Related {
    pub(crate) name: String,
    /// The numbers of their statements.
    pub(crate) parts: [usize; 2],
    pub(crate) negative: bool,
}

/// A statement of a text.
#[derive(Clone, Debug)]
pub(crate) struct Assigned {
    pub(crate) name: String,
    /// The place of its expression in the text.
    pub(crate) range: Range<usize>,
    /// Whether it is an output and no intermediate.
    pub(crate) output: bool,
}

/// What a reader does with the names of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The names of the outputs in their order. `None`: all statements that no other statement uses.
    pub outputs: Option<Vec<String>>,
    /// The names of the inputs of the code in their order, whether they are used or not. `None`: as they first occur.
    pub args: Option<Vec<String>>,
    /// Whether `[x+y]` is a name from the beginning, as in FORM.
    pub form: bool,
    /// The names of functions that are inputs of the code even if it could compute them.
    pub opaque: Vec<String>,
    /// Whether inputs and outputs are complex numbers; `I` is then the imaginary unit in every notation.
    pub complex: bool,
}

impl System {
    /// The system of these definitions. Blocks must come before their uses.
    ///
    /// # Errors
    /// One line: definitions over different tables, a block whose symbol is used before it is defined, no output.
    pub fn new(symbols: Arc<[String]>, definitions: Vec<Definition>) -> Result<Self, String> {
        let mut waiting: Vec<bool> = vec![false; symbols.len()];
        for symbol in definitions.iter().filter_map(|definition| definition.symbol) {
            match waiting.get_mut(symbol) {
                Some(flag) if !*flag => *flag = true,
                _ => return Err(format!("symbol {symbol} does not exist or is defined twice")),
            }
        }
        if definitions.iter().all(|definition| definition.symbol.is_some() || definition.argument) {
            return Err("no output".into());
        }
        for definition in &definitions {
            if definition.polynomial.table() != &symbols {
                return Err(format!("{} is over another table of symbols", definition.name));
            }
            let used = definition.polynomial.occurrences();
            if let Some(early) = (0..symbols.len()).find(|&at| used[at] > 0 && waiting[at]) {
                return Err(format!("{} uses block {early} before it is defined", definition.name));
            }
            if let Some(symbol) = definition.symbol {
                waiting[symbol] = false;
            }
        }
        Ok(Self { symbols, definitions, calls: Vec::new(), source: None })
    }

    /// A single output named `f`.
    #[must_use]
    pub fn single(polynomial: Polynomial) -> Self {
        let symbols = Arc::clone(polynomial.table());
        let definitions = vec![Definition { name: "f".into(), polynomial, symbol: None, argument: false }];
        Self { symbols, definitions, calls: Vec::new(), source: None }
    }

    /// The system with these calls, whose symbols are no blocks.
    pub(crate) fn with_calls(mut self, calls: Vec<Call>) -> Self {
        self.calls = calls;
        self
    }

    /// The functions and inverses that the code computes.
    #[must_use]
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The number of function calls, and that of divisions. A conditional counts as a call, a constant does not.
    #[must_use]
    pub fn call_counts(&self) -> (usize, usize) {
        let divisions = self.calls.iter().filter(|call| call.function == Function::Inverse).count();
        let constants = self.calls.iter().filter(|call| matches!(call.function, Function::Constant(_))).count();
        (self.calls.len() - divisions - constants, divisions)
    }

    /// Whether inputs and outputs are complex numbers.
    #[must_use]
    pub fn is_complex(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.reading.complex)
    }

    /// What the reader skipped in the text: declarations, commands, functions that only change a form. Each as the text
    /// has it, at most 40 letters.
    #[must_use]
    pub fn skipped(&self) -> &[String] {
        self.source.as_ref().map_or(&[], |source| &source.skipped)
    }

    /// The symbols that are given to the code, in the order of its input array: those of [`inputs`](Self::inputs) that
    /// no call computes.
    #[must_use]
    pub fn given(&self) -> Vec<usize> {
        let mut called = vec![false; self.symbols.len()];
        self.calls.iter().for_each(|call| called[call.symbol] = true);
        self.inputs().into_iter().filter(|&symbol| !called[symbol]).collect()
    }

    /// What a program computes: outputs and the arguments of functions.
    pub fn results(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.iter().filter(|definition| definition.symbol.is_none())
    }

    /// The system with these outputs in the place of its own. `None`: another number of outputs.
    pub(crate) fn with_outputs(&self, names: Vec<String>, polynomials: Vec<Polynomial>) -> Option<Self> {
        let mut system = self.clone();
        let outputs = system.definitions.iter_mut().filter(|one| one.symbol.is_none() && !one.argument);
        let mut given = names.iter().zip(polynomials);
        for output in outputs {
            let (name, polynomial) = given.next()?;
            *output = Definition { name: name.clone(), polynomial, symbol: None, argument: false };
        }
        if let Some(source) = &mut system.source {
            for statement in &mut source.statements {
                statement.output = names.contains(&statement.name);
            }
            source.reading.outputs = Some(names);
        }
        Some(system)
    }

    pub(crate) fn with_source(mut self, source: Source) -> Self {
        self.source = Some(source);
        self
    }

    pub(crate) fn source(&self) -> Option<&Source> {
        self.source.as_ref()
    }

    /// All symbols: inputs and blocks.
    #[must_use]
    pub fn symbols(&self) -> &Arc<[String]> {
        &self.symbols
    }

    /// Blocks and outputs, blocks before their uses.
    #[must_use]
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    /// The outputs in the order of the input.
    pub fn outputs(&self) -> impl Iterator<Item = &Definition> {
        self.results().filter(|definition| !definition.argument)
    }

    /// Whether each symbol stands for a block.
    #[must_use]
    pub fn is_block(&self) -> Vec<bool> {
        let mut block = vec![false; self.symbols.len()];
        for symbol in self.definitions.iter().filter_map(|definition| definition.symbol) {
            block[symbol] = true;
        }
        block
    }

    /// The symbols that are inputs of a [`Program`](crate::Program), in its order: those that are given to the code,
    /// and the results of calls.
    #[must_use]
    pub fn inputs(&self) -> Vec<usize> {
        let block = self.is_block();
        (0..self.symbols.len()).filter(|&symbol| !block[symbol]).collect()
    }

    /// The number of terms of all definitions.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.definitions.iter().map(|definition| definition.polynomial.len()).sum()
    }

    /// The operations of the definitions as sums of monomials, nothing shared.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for definition in &self.definitions {
            counts += Counts::of_polynomial(&definition.polynomial);
        }
        counts
    }

    /// The number of terms of all definitions in which each symbol occurs.
    #[must_use]
    pub fn occurrences(&self) -> Vec<usize> {
        let mut counts = vec![0; self.symbols.len()];
        for definition in &self.definitions {
            for (count, more) in counts.iter_mut().zip(definition.polynomial.occurrences()) {
                *count += more;
            }
        }
        counts
    }

    /// The occurrence order of a Horner scheme, outermost first: the symbols by falling number of terms that contain
    /// them, equal ones in the order of the table.
    #[must_use]
    pub fn occurrence_order(&self) -> Vec<usize> {
        let counts = self.occurrences();
        let mut order: Vec<usize> = (0..counts.len()).collect();
        soloist::order::sort_by_key(&mut order, |&symbol| std::cmp::Reverse(counts[symbol]));
        order
    }

    /// The two standard orders: the [occurrence order](Self::occurrence_order) and its reverse.
    #[must_use]
    pub fn occurrence_orders(&self) -> [Vec<usize>; 2] {
        let order = self.occurrence_order();
        let reverse = order.iter().rev().copied().collect();
        [order, reverse]
    }

    /// Each symbol once: those of `order` first, then the symbols that it leaves out, in the order of the table.
    #[must_use]
    pub fn completed(&self, order: &[usize]) -> Vec<usize> {
        let n = self.symbols.len();
        let mut listed = vec![false; n];
        let all = order.iter().copied().filter(|&symbol| symbol < n).chain(0..n);
        all.filter(|&symbol| !std::mem::replace(&mut listed[symbol], true)).collect()
    }
}
