//! Blanks, comments, words and numbers of all notations.

use super::super::blanks;
use super::super::reader::{Failure, is_letter};
use super::Notation;
use super::constants::constant_tree;
use super::tree::{Kind, Tree};
use crate::algebra::Constant;
use std::collections::BTreeSet;

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 200;

/// The state of reading a text of any notation.
pub(super) struct Parser<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
    depth: usize,
    pub(super) notation: Option<Notation>,
    /// A statement of FORM was met, where `[x+y]` is a name.
    pub(super) form: bool,
    /// Arrays whose elements are assigned in parentheses.
    pub(super) arrays: BTreeSet<String>,
    /// Names of inputs and outputs, which are no constants.
    pub(super) known: BTreeSet<String>,
    /// Whether numbers are complex.
    pub(super) complex: bool,
    /// Inside `piecewise`, where an equation is a condition.
    pub(super) equations: usize,
    /// Inside a vector of Maple, which a `>` ends.
    pub(super) angle: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a [u8], notation: Option<Notation>) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            form: notation == Some(Notation::Form),
            notation: notation.or_else(|| guess(text)),
            arrays: BTreeSet::new(),
            known: BTreeSet::new(),
            complex: false,
            equations: 0,
            angle: false,
        }
    }

    /// At the beginning of a text, whatever its notation.
    fn at_start(text: &'a [u8]) -> Self {
        Self::new(text, Some(Notation::Maxima))
    }

    pub(super) fn is(&self, notation: Notation) -> bool {
        self.notation == Some(notation)
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T, Failure> {
        Err((self.at, message.into()))
    }

    pub(super) fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        &self.text[self.at.min(self.text.len())..]
    }

    pub(super) fn starts(&self, with: &str) -> bool {
        self.rest().starts_with(with.as_bytes())
    }

    pub(super) fn enter(&mut self) -> Result<(), Failure> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { self.fail(format!("nested deeper than {MAX_DEPTH}")) } else { Ok(()) }
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn line(&mut self) {
        self.at = blanks::line_end(self.text, self.at);
    }

    /// Whether only blanks stand between the start of the line and this place.
    pub(super) fn begins_line(&self) -> bool {
        let back = self.text[..self.at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
        back.is_none_or(|&byte| byte == b'\n')
    }

    /// Skips blanks, joined lines and comments. Returns whether a line ended.
    pub(super) fn blanks(&mut self) -> Result<bool, Failure> {
        let mut ended = false;
        loop {
            match *self.rest() {
                [b'!', next, ..] if next != b'=' && !self.is(Notation::C) && self.after_blank() => self.line(),
                [b'!'] if self.after_blank() => self.line(),
                [b'%', ..] if self.percent_name().is_some() && !self.is(Notation::Matlab) => return Ok(ended),
                [b'%', ..] if self.is(Notation::Matlab) || self.begins_line() || self.after_statement() => self.line(),
                [b'.', b'.', b'.', ..] if self.is(Notation::Matlab) => {
                    self.line();
                    self.at += usize::from(self.peek() == b'\n');
                }
                // A line that continues the one before it, as in Fortran.
                [b'&', ..] if self.begins_line() => {
                    ended = false;
                    self.at += 1;
                }
                [b'&', ..] if self.ends_line() => self.continued()?,
                // A pointer of C.
                [b'(', b'*', ..] if self.is(Notation::C) => return Ok(ended),
                [b'/', b'/', ..] => self.line(),
                _ => match blanks::skip(self.text, self.at)? {
                    Some((next, line)) => (self.at, ended) = (next, ended || line),
                    None => return Ok(ended),
                },
            }
        }
    }

    fn after_blank(&self) -> bool {
        self.at == 0 || self.text[self.at - 1].is_ascii_whitespace() || self.text[self.at - 1] == b';'
    }

    /// Whether only blanks and a comment of Fortran follow the `&` here on its line.
    fn ends_line(&self) -> bool {
        let next = self.rest()[1..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
        next.is_none_or(|&byte| matches!(byte, b'\n' | b'!'))
    }

    fn after_statement(&self) -> bool {
        let back = self.text[..self.at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        back == Some(&b';')
    }

    /// Skips `&` at the end of a line, with comment lines and the `&` of the next line.
    fn continued(&mut self) -> Result<(), Failure> {
        let place = self.at;
        self.at += 1;
        while matches!(self.peek(), b' ' | b'\t' | b'\r') {
            self.at += 1;
        }
        if self.peek() == b'!' {
            self.line();
        }
        if self.peek() != b'\n' {
            self.at = place;
            return self.fail("expected the end of the line behind a '&'");
        }
        loop {
            while self.peek().is_ascii_whitespace() {
                self.at += 1;
            }
            match self.peek() {
                b'!' => self.line(),
                b'&' => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Ok(()),
            }
        }
    }

    /// Skips a `\` at the end of a line inside a number or a name, with the blanks of the next line.
    fn joint(&mut self) -> bool {
        let next = blanks::joint(self.text, self.at);
        self.at = next.unwrap_or(self.at);
        next.is_some()
    }

    /// Reads a word of letters and digits. A `$` in front of a blank ends a statement of Maxima.
    pub(super) fn word(&mut self) -> String {
        let mut name = String::new();
        let mut from = self.at;
        loop {
            while is_letter(self.peek()) || self.peek().is_ascii_digit() || self.peek() == b'\'' {
                let ends = self.peek() == b'$' && self.rest().get(1).is_none_or(u8::is_ascii_whitespace);
                if ends || self.peek() == b'\'' && (self.is(Notation::Matlab) || self.at == from) {
                    break;
                }
                self.at += 1;
            }
            name.push_str(&String::from_utf8_lossy(&self.text[from..self.at]));
            if !self.joint() {
                return name;
            }
            from = self.at;
        }
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

    /// Reads a number in any notation: `12`, `1.5e-3`, `1.5d0`, `1.0_dp`, `1.0L`, ``1.5`16``, `1.5*^-3`.
    pub(super) fn number(&mut self) -> Result<Tree, Failure> {
        let start = self.at;
        let mut text = String::new();
        let mut whole = true;
        loop {
            match self.peek() {
                digit @ b'0'..=b'9' => text.push(digit.into()),
                // The point of `2.*x` belongs to the operator of MATLAB.
                b'.' if whole
                    && !self.starts("...")
                    && !(self.is(Notation::Matlab) && matches!(self.rest(), [_, b'*' | b'/' | b'^', ..])) =>
                {
                    whole = false;
                    text.push('.');
                }
                _ if self.joint() => continue,
                _ => break,
            }
            self.at += 1;
        }
        if text.len() == 1 && !whole {
            self.at = start;
            return self.fail("expected digits");
        }
        if self.peek() == b'`' {
            // The precision of a number of Mathematica.
            whole = false;
            while matches!(self.peek(), b'`' | b'0'..=b'9' | b'.') {
                self.at += 1;
            }
        }
        let power = match *self.rest() {
            [b'e' | b'E' | b'd' | b'D' | b'q' | b'Q', b'0'..=b'9', ..] => 1,
            [b'e' | b'E' | b'd' | b'D' | b'q' | b'Q', b'+' | b'-', b'0'..=b'9', ..] => 1,
            [b'*', b'^', b'0'..=b'9', ..] | [b'*', b'^', b'-', b'0'..=b'9', ..] => 2,
            _ => 0,
        };
        if power > 0 {
            self.at += power;
            whole = false;
            text.push('e');
            let sign = self.peek();
            if matches!(sign, b'+' | b'-') {
                text.push(sign.into());
                self.at += 1;
            }
            while self.peek().is_ascii_digit() {
                text.push(self.peek().into());
                self.at += 1;
            }
        }
        if self.peek() == b'_' && self.rest().get(1).is_some_and(u8::is_ascii_alphabetic) {
            // A kind of Fortran.
            let place = self.at;
            let kind = self.word();
            if !["_dp", "_sp", "_qp", "_wp", "_rk", "_real64", "_real128", "_f64"].contains(&kind.as_str()) {
                self.at = place;
                return self.fail("expected an operator");
            }
        } else if matches!(self.peek(), b'f' | b'F' | b'l' | b'L')
            && self.rest().get(1).is_none_or(|&next| !is_letter(next) && !next.is_ascii_digit())
        {
            self.at += 1;
        }
        let number = Tree::new(start, Kind::Number(text, whole));
        let after = self.rest().get(1).copied().unwrap_or(0);
        if matches!(self.peek(), b'j' | b'i') && !is_letter(after) && !after.is_ascii_digit() {
            // An imaginary number of Python or MATLAB.
            let unit = constant_tree(self.at, Constant::I);
            self.at += 1;
            return Ok(Tree::new(start, Kind::Product(vec![(false, number), (false, unit)])));
        }
        Ok(number)
    }
}

/// The notation of a text by marks that no other notation has.
fn guess(text: &[u8]) -> Option<Notation> {
    let operand = |byte: u8| is_letter(byte) || byte.is_ascii_digit() || matches!(byte, b')' | b']' | b'\'');
    let dotted = |part: &[u8]| matches!(*part, [before, b'.', b'*' | b'/' | b'^', ..] if operand(before) && !before.is_ascii_digit());
    if text.windows(4).any(dotted)
        || text.starts_with(b"%") && Parser::at_start(text).percent_name().is_none()
        || text.windows(2).any(|pair| pair == b"\n%")
    {
        return Some(Notation::Matlab);
    }
    let typed = |line: &[u8]| {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_start();
        let line = line.strip_prefix("const ").unwrap_or(line);
        ["double ", "float ", "long double ", "auto "].iter().any(|word| line.starts_with(word)) && line.contains('=')
    };
    if text.split(|&byte| matches!(byte, b'\n' | b';' | b'{')).any(typed) {
        return Some(Notation::C);
    }
    let holds = |words: &[&str]| {
        words.iter().any(|word| {
            let places = text.windows(word.len()).enumerate().filter(|(_, part)| *part == word.as_bytes());
            places.into_iter().any(|(at, _)| at == 0 || !is_letter(text[at - 1]) && !text[at - 1].is_ascii_digit())
        })
    };
    if holds(&["Symbol('", "Symbol(\"", "Rational(", "Integer(", "Matrix([", "Piecewise(("]) {
        return Some(Notation::Sympy);
    }
    let heads =
        ["Sin[", "Cos[", "Tan[", "Exp[", "Log[", "Sqrt[", "Power[", "Plus[", "Times[", "Piecewise[", "If[", "Abs["];
    holds(&heads).then_some(Notation::Mathematica)
}
