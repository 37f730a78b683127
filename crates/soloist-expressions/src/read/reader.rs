//! What has been read: symbols, blocks, calls and statements.

pub(super) use super::blanks::Failure;

use super::sum::Sum;
use crate::algebra::Function;
use std::collections::HashMap;
use std::ops::Range;

/// Products of terms that may be formed for all of a file: this many, and as many again as the file has bytes.
const EXPAND_BUDGET: usize = 4_000_000;
/// Words of coefficients that these products may write in all of a file: a second or two of work.
const EXPAND_WORDS: u64 = 1 << 27;
/// A value of an earlier statement with at most this many terms is put in where it is used. A longer one becomes a
/// block.
const MAX_INLINE: usize = 1000;
/// The deepest nesting of parentheses that is read.
const MAX_DEPTH: usize = 200;

/// A sum that is kept as a symbol.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) symbol: u16,
    pub(super) sum: Sum,
    /// The number of the statement that holds it first.
    pub(super) statement: usize,
}

/// What products of terms may still cost.
#[derive(Debug)]
pub(super) struct Budget {
    /// Those that may be formed.
    pub(super) products: usize,
    /// Words of coefficients that they may write.
    pub(super) words: u64,
}

/// The blocks found so far.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) all: Vec<Block>,
    /// The block for which each symbol stands.
    pub(super) of: HashMap<u16, usize>,
    /// Those with each hash of a sum.
    pub(super) by_hash: HashMap<u64, Vec<usize>>,
}

/// Functions and inverses that the code computes.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pub(super) all: Vec<CallOf>,
    /// Those with each hash of function and arguments.
    pub(super) by_hash: HashMap<u64, Vec<usize>>,
    /// The symbol of which each symbol of an inverse is the inverse.
    pub(super) base_of: HashMap<u16, u16>,
}

/// The symbols, blocks, calls and statements found so far.
pub(super) struct Reader {
    /// The place in the text of what is computed now.
    pub(super) at: usize,
    pub(super) expand: bool,
    /// As `expand`, also inside a divisor, whose factors are kept for the time being.
    pub(super) full: bool,
    pub(super) budget: Budget,
    pub(super) symbols: Vec<String>,
    pub(super) index: HashMap<String, u16>,
    pub(super) blocks: Blocks,
    pub(super) done: Vec<Statement>,
    pub(super) outputs: HashMap<String, usize>,
    pub(super) depth: usize,
    /// A value of a statement with more terms is a block where it is used.
    pub(super) inline: usize,
    pub(super) calls: Calls,
    /// The names of functions that the code does not compute.
    pub(super) opaque: Vec<String>,
    /// Whether numbers are complex.
    pub(super) complex: bool,
    /// The symbol of the imaginary unit, once it was met.
    pub(super) unit: Option<u16>,
}

/// A symbol that stands for a function of arguments.
#[derive(Debug)]
pub(super) struct CallOf {
    pub(super) symbol: u16,
    pub(super) function: Function,
    pub(super) arguments: Vec<Sum>,
    /// The number of the statement that holds it first.
    pub(super) statement: usize,
}

/// A statement of the text.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) name: String,
    pub(super) sum: Sum,
    /// Whether later statements use it.
    pub(super) used: bool,
    /// Whether it is an output, even if later statements use it.
    pub(super) kept: bool,
    /// The place of its expression in the text that is kept for the verifier.
    pub(super) range: Range<usize>,
    /// Where it stands in the text that was given.
    pub(super) at: usize,
}

impl Reader {
    /// `size`: the bytes of the text.
    pub(super) fn new(size: usize, expand: bool) -> Self {
        Self {
            at: 0,
            expand,
            full: expand,
            budget: Budget { products: EXPAND_BUDGET.saturating_add(size), words: EXPAND_WORDS },
            symbols: Vec::new(),
            index: HashMap::new(),
            blocks: Blocks::default(),
            done: Vec::new(),
            outputs: HashMap::new(),
            depth: 0,
            inline: MAX_INLINE,
            calls: Calls::default(),
            opaque: Vec::new(),
            complex: false,
            unit: None,
        }
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T, Failure> {
        Err((self.at, message.into()))
    }

    pub(super) fn enter(&mut self) -> Result<(), Failure> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail(format!("nested deeper than {MAX_DEPTH}"));
        }
        Ok(())
    }
}

/// Whether a byte belongs to a name. Bytes of non-ASCII characters do.
pub(super) fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}
