//! The state of the reader, and the words and signs that it reads.

pub(super) use super::blanks::Failure;

use super::blanks;
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

/// The state of reading: the text, the place in it, and the symbols and blocks found so far.
pub(super) struct Reader<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
    pub(super) expand: bool,
    /// As `expand`, also inside a divisor, whose factors are kept for the time being.
    pub(super) full: bool,
    /// Products of terms that may still be formed.
    pub(super) budget: usize,
    /// Words of coefficients that they may still write.
    pub(super) words: u64,
    pub(super) symbols: Vec<String>,
    pub(super) index: HashMap<String, u16>,
    /// The block for which each symbol stands.
    pub(super) block_of: HashMap<u16, usize>,
    pub(super) blocks: Vec<Block>,
    /// The blocks with each hash of a sum.
    pub(super) known: HashMap<u64, Vec<usize>>,
    pub(super) done: Vec<Statement>,
    pub(super) outputs: HashMap<String, usize>,
    pub(super) depth: usize,
    /// It is a text of FORM, where `[x+y]` is a name.
    pub(super) form: bool,
    /// A value of a statement with more terms is a block where it is used.
    pub(super) inline: usize,
    /// Functions and inverses that the code computes.
    pub(super) calls: Vec<CallOf>,
    /// The calls with each hash of function and arguments.
    pub(super) known_calls: HashMap<u64, Vec<usize>>,
    /// The symbol of which each symbol of an inverse is the inverse.
    pub(super) base_of: HashMap<u16, u16>,
    /// The names of functions that the code does not compute.
    pub(super) opaque: Vec<String>,
    /// Whether numbers are complex.
    pub(super) complex: bool,
    /// The symbol of the imaginary unit, once it was met.
    pub(super) unit: Option<u16>,
    /// Statements of FORM that were skipped.
    pub(super) skipped: Vec<String>,
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
    /// The place of its expression in the text.
    pub(super) range: Range<usize>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a [u8], expand: bool) -> Self {
        Self {
            text,
            at: 0,
            expand,
            full: expand,
            budget: EXPAND_BUDGET.saturating_add(text.len()),
            words: EXPAND_WORDS,
            symbols: Vec::new(),
            index: HashMap::new(),
            block_of: HashMap::new(),
            blocks: Vec::new(),
            known: HashMap::new(),
            done: Vec::new(),
            outputs: HashMap::new(),
            depth: 0,
            form: false,
            inline: MAX_INLINE,
            calls: Vec::new(),
            known_calls: HashMap::new(),
            base_of: HashMap::new(),
            opaque: Vec::new(),
            complex: false,
            unit: None,
            skipped: Vec::new(),
        }
    }

    /// The symbols, and the blocks and calls in the order in which they were found.
    pub(super) fn finish(self) -> (Vec<String>, Vec<Block>, Vec<CallOf>) {
        (self.symbols, self.blocks, self.calls)
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T, Failure> {
        Err((self.at, message.into()))
    }

    pub(super) fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    /// Skips blanks, joined lines and comments. Returns whether a line ended.
    pub(super) fn blanks(&mut self) -> Result<bool, Failure> {
        let mut ended = false;
        while let Some((next, line)) = blanks::skip(self.text, self.at)? {
            (self.at, ended) = (next, ended || line);
        }
        Ok(ended)
    }

    /// Skips a `\` at the end of a line inside a number or a name, with the blanks of the next line.
    pub(super) fn joint(&mut self) -> bool {
        let next = blanks::joint(self.text, self.at);
        self.at = next.unwrap_or(self.at);
        next.is_some()
    }

    pub(super) fn enter(&mut self) -> Result<(), Failure> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail(format!("nested deeper than {MAX_DEPTH}"));
        }
        Ok(())
    }

    /// Reads signs. Returns their number and whether they make the term negative.
    pub(super) fn signs(&mut self) -> Result<(usize, bool), Failure> {
        let (mut count, mut negative) = (0, false);
        while matches!(self.peek(), b'+' | b'-') {
            negative ^= self.peek() == b'-';
            count += 1;
            self.at += 1;
            self.blanks()?;
        }
        Ok((count, negative))
    }

    /// Reads a word of letters and digits.
    pub(super) fn word(&mut self) -> String {
        let mut name = String::new();
        let mut from = self.at;
        loop {
            while is_letter(self.peek()) || self.peek().is_ascii_digit() || self.peek() == b'\'' {
                self.at += 1;
            }
            name.push_str(&String::from_utf8_lossy(&self.text[from..self.at]));
            if !self.joint() {
                return name;
            }
            from = self.at;
        }
    }

    /// Reads `[...]` and drops its blanks.
    pub(super) fn brackets(&mut self) -> Result<String, Failure> {
        let Some(end) = self.rest().iter().position(|&byte| byte == b']') else {
            return self.fail("expected ']'");
        };
        let inside = &self.rest()[..=end];
        // Statements are told apart by these.
        if let Some(at) = inside[1..].iter().position(|byte| matches!(byte, b'[' | b'=' | b';')) {
            self.at += 1 + at;
            return self.fail("expected ']'");
        }
        let kept: Vec<u8> = inside.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        self.at += end + 1;
        Ok(String::from_utf8_lossy(&kept).into_owned())
    }
}

/// Whether a byte belongs to a name. Bytes of non-ASCII characters do.
pub(super) fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}
