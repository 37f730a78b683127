//! Blanks, comments, words and numbers of all notations.

use super::super::blanks;
use super::super::reader::{Failure, is_letter};
use super::Notation;
use super::constants::constant_tree;
use super::ledger::Ledger;
use super::tree::{Kind, Tree};
use crate::algebra::Constant;
use std::collections::{BTreeMap, BTreeSet};

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 200;

/// Names that mean something in the text.
#[derive(Default)]
pub(super) struct Names {
    /// Arrays whose elements are assigned in parentheses.
    pub(super) arrays: BTreeSet<String>,
    /// Inputs and outputs, which are no constants.
    pub(super) known: BTreeSet<String>,
    /// Functions that are inputs even if they are words of the notation.
    pub(super) opaque: BTreeSet<String>,
    /// The first spelling of each name of Fortran.
    pub(super) spellings: BTreeMap<String, String>,
}

/// The state of reading a text of any notation.
pub(in crate::read) struct Parser<'a> {
    pub(super) text: &'a [u8],
    pub(in crate::read) at: usize,
    depth: usize,
    pub(super) notation: Option<Notation>,
    /// The notation is that of the reader: operators, numbers and names, and no words but those of FORM.
    pub(super) own: bool,
    /// A statement of FORM was met, where `[x+y]` is a name.
    pub(super) form: bool,
    pub(super) names: Names,
    /// Whether numbers are complex.
    pub(super) complex: bool,
    /// Inside `piecewise`, where an equation is a condition.
    pub(super) equations: usize,
    /// Inside a vector of Maple, which a `>` ends.
    pub(super) angle: bool,
    /// What of the text has been read or skipped.
    pub(super) ledger: Ledger,
    /// Whether no statement has begun at this place.
    pub(super) fresh: bool,
    /// The inputs and outputs of a function of MATLAB.
    pub(super) function: Option<(Vec<String>, Vec<String>)>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a [u8], notation: Option<Notation>) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            form: notation == Some(Notation::Form),
            notation,
            own: false,
            names: Names::default(),
            complex: false,
            equations: 0,
            angle: false,
            ledger: Ledger::default(),
            fresh: true,
            function: None,
        }
    }

    /// A text in the notation of the reader; `form`: with statements of FORM.
    pub(in crate::read) fn plain(text: &'a [u8], form: bool) -> Self {
        Self { own: true, ..Self::new(text, form.then_some(Notation::Form)) }
    }

    /// What of the text has been skipped, by name.
    pub(in crate::read) fn skipped(self) -> Vec<String> {
        self.ledger.skipped
    }

    /// Marks the text from `start` on as read.
    pub(super) fn read(&mut self, start: usize) {
        if !self.own {
            self.ledger.read(start, self.at);
        }
    }

    /// The name of the notation for a message.
    pub(super) fn called(&self) -> &'static str {
        self.notation.map_or("a text of unknown notation", Notation::name)
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

    pub(in crate::read) fn rest(&self) -> &'a [u8] {
        &self.text[self.at.min(self.text.len())..]
    }

    pub(super) fn starts(&self, with: &str) -> bool {
        self.rest().starts_with(with.as_bytes())
    }

    pub(in crate::read) fn enter(&mut self) -> Result<(), Failure> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { self.fail(format!("nested deeper than {MAX_DEPTH}")) } else { Ok(()) }
    }

    pub(in crate::read) fn leave(&mut self) {
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
    pub(in crate::read) fn blanks(&mut self) -> Result<bool, Failure> {
        let mut ended = false;
        loop {
            let start = self.at;
            let (c, matlab) = (self.is(Notation::C), self.is(Notation::Matlab));
            let exclaims = matches!(self.notation, None | Some(Notation::Fortran));
            match *self.rest() {
                [b'!', next, ..] if next != b'=' && exclaims && self.after_blank() => self.line(),
                [b'!'] if exclaims && self.after_blank() => self.line(),
                [b'%', ..] if self.percent_name().is_some() => return Ok(ended),
                [b'%', ..] if matlab => self.line(),
                [b'%', ..] if self.notation.is_none() && (self.begins_line() || self.after_statement()) => self.line(),
                [b'.', b'.', b'.', ..] if matlab => {
                    self.line();
                    self.at += usize::from(self.peek() == b'\n');
                }
                // A line that continues the one before it, as in Fortran.
                [b'&', ..] if self.begins_line() && self.continues_lines() => {
                    ended = false;
                    self.at += 1;
                }
                [b'&', ..] if self.ends_line() && self.continues_lines() => self.continued()?,
                // A pointer of C.
                [b'(', b'*', ..] if c => return Ok(ended),
                [b'/', b'/', ..] if c => self.line(),
                [b'/', b'/', ..] if self.notation.is_none() && self.between_statements() => self.line(),
                // Lines for the preprocessor are statements. Maxima compares by it.
                [b'#', ..] if !self.has_hash_comments() => return Ok(ended),
                _ => match blanks::skip(self.text, self.at)? {
                    Some((next, line)) => (self.at, ended) = (next, ended || line),
                    None => return Ok(ended),
                },
            }
            self.read(start);
        }
    }

    fn has_hash_comments(&self) -> bool {
        self.own || matches!(self.notation, None | Some(Notation::Maple | Notation::Sympy | Notation::Matlab))
    }

    /// Whether `&` continues lines: in Fortran, and in what FORM prints for it.
    fn continues_lines(&self) -> bool {
        matches!(self.notation, None | Some(Notation::Fortran | Notation::Form))
    }

    /// Whether no statement has begun, or one may have ended with the line.
    fn between_statements(&self) -> bool {
        self.fresh || self.depth <= 1 && self.begins_line()
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

    /// Reads a word of letters and digits. A `$` in front of a blank ends a statement of Maxima, but not one of FORM.
    pub(super) fn word(&mut self) -> String {
        let start = self.at;
        let name = self.letters();
        self.read(start);
        if self.is(Notation::Fortran) && !name.is_empty() {
            // Capitals and small letters are the same: the first spelling stays.
            return self.names.spellings.entry(name.to_ascii_lowercase()).or_insert(name).clone();
        }
        name
    }

    fn letters(&mut self) -> String {
        let mut name = String::new();
        let mut from = self.at;
        loop {
            while is_letter(self.peek()) || self.peek().is_ascii_digit() || self.peek() == b'\'' {
                let ends = !self.form && self.peek() == b'$' && self.rest().get(1).is_none_or(u8::is_ascii_whitespace);
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
    pub(in crate::read) fn signs(&mut self) -> Result<(usize, bool), Failure> {
        let (mut count, mut negative) = (0, false);
        while matches!(self.peek(), b'+' | b'-') {
            negative ^= self.peek() == b'-';
            count += 1;
            self.at += 1;
            self.blanks()?;
        }
        Ok((count, negative))
    }

    /// Reads a number of the notation: `12`, `1.5e-3`, `1.5d0`, `1.0_dp`, `1.0L`, ``1.5`16``, `1.5*^-3`.
    pub(super) fn number(&mut self) -> Result<Tree, Failure> {
        let start = self.at;
        let number = self.digits();
        self.read(start);
        number
    }

    fn digits(&mut self) -> Result<Tree, Failure> {
        let start = self.at;
        let units = match self.notation {
            Some(Notation::Matlab) => &b"ij"[..],
            Some(Notation::Sympy) => b"j",
            None if self.complex => b"ij",
            _ => b"",
        };
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
        if self.peek() == b'`' && self.is(Notation::Mathematica) {
            // The precision of a number of Mathematica.
            whole = false;
            while matches!(self.peek(), b'`' | b'0'..=b'9' | b'.') {
                self.at += 1;
            }
        }
        whole &= !self.power(&mut text);
        if whole && text.len() > 1 && text.starts_with('0') && (self.is(Notation::C) || self.is(Notation::Sympy)) {
            self.at = start;
            return self.fail("a whole number that begins with 0 is octal here: write it without the 0");
        }
        self.suffix()?;
        let number = Tree::new(start, Kind::Number(text, whole));
        let after = self.rest().get(1).copied().unwrap_or(0);
        if units.contains(&self.peek()) && self.peek() > 0 && !is_letter(after) && !after.is_ascii_digit() {
            // An imaginary number of Python or MATLAB.
            let unit = constant_tree(self.at, Constant::I);
            self.at += 1;
            return Ok(Tree::new(start, Kind::Product(vec![(false, number), (false, unit)])));
        }
        if !self.own && (self.peek().is_ascii_alphabetic() || self.peek() == b'_') {
            let message = format!("expected an operator behind a number of {}", self.called());
            return self.fail(message);
        }
        Ok(number)
    }

    /// Reads the power of ten behind digits, if there is one, and appends it.
    fn power(&mut self, text: &mut String) -> bool {
        let algebra = self.is(Notation::Mathematica);
        let of = |notations: &[Notation]| self.notation.is_none_or(|own| notations.contains(&own));
        let fortran = of(&[Notation::Fortran, Notation::Form, Notation::Matlab]);
        let power = match *self.rest() {
            [b'e' | b'E', b'0'..=b'9', ..] | [b'e' | b'E', b'+' | b'-', b'0'..=b'9', ..] => 1,
            [b'd' | b'D' | b'q' | b'Q', b'0'..=b'9', ..] if fortran => 1,
            [b'd' | b'D' | b'q' | b'Q', b'+' | b'-', b'0'..=b'9', ..] if fortran => 1,
            [b'b' | b'B', b'0'..=b'9', ..] | [b'b' | b'B', b'+' | b'-', b'0'..=b'9', ..]
                if self.is(Notation::Maxima) =>
            {
                1
            }
            [b'*', b'^', b'0'..=b'9', ..] | [b'*', b'^', b'-', b'0'..=b'9', ..] if algebra => 2,
            _ => 0,
        };
        if power > 0 {
            self.at += power;
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
        power > 0
    }

    /// Reads what says of which type a number is: a kind of Fortran, `f`, `L` or `_f64`.
    fn suffix(&mut self) -> Result<(), Failure> {
        let c = self.is(Notation::C);
        if self.peek() == b'_' && self.is(Notation::Fortran) && self.rest().get(1).is_some_and(u8::is_ascii_alphabetic)
        {
            // A kind of Fortran.
            let place = self.at;
            let kind = self.word();
            let known = ["_dp", "_sp", "_qp", "_wp", "_rk", "_ep", "_real32", "_real64", "_real128"];
            if !known.contains(&kind.to_ascii_lowercase().as_str()) {
                self.at = place;
                return self.fail("expected an operator");
            }
        } else if c && ["_f64", "_f32", "f64", "f32"].iter().any(|kind| self.starts(kind)) {
            self.word();
        } else if c
            && matches!(self.peek(), b'f' | b'F' | b'l' | b'L')
            && self.rest().get(1).is_none_or(|&next| !is_letter(next) && !next.is_ascii_digit())
        {
            self.at += 1;
        }
        Ok(())
    }
}
