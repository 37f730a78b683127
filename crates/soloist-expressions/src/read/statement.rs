//! Statements: names of outputs, declarations, which are skipped, and the ends of expressions.

use super::blanks;
use super::dialect::{DECLARING, Ledger};
use super::reader::{Failure, Reader, Statement, is_letter};
use super::sum::Sum;
use std::ops::Range;

/// First words of statements that define an output.
const DEFINING: [&str; 4] = ["local", "l", "global", "g"];
/// An element of a list: its index in brackets, its expression and the place of that in the text.
type Element = (String, Sum, Range<usize>);

impl Reader<'_> {
    /// Reads all statements.
    pub(super) fn statements(&mut self) -> Result<Vec<Statement>, Failure> {
        let mut unnamed = Vec::new();
        while self.next_statement()? {
            let (target, place) = (self.target()?, self.at);
            let (name, kept) = target.map_or((None, false), |(name, kept)| (Some(name), kept));
            if let Some(name) = &name {
                if self.outputs.contains_key(name) {
                    return self.fail(format!("a second output of the name '{}'", shown(name)));
                }
                if self.is_symbol(name) {
                    return self.fail(format!("'{}' is used above as a variable", shown(name)));
                }
            }
            self.blanks()?;
            let mut elements = Vec::new();
            let list = self.matrix(&mut elements)?;
            if !list {
                let start = self.at;
                let sum = self.sum()?;
                elements.push((String::new(), sum, start..self.at));
            }
            self.end(place)?;
            for (index, sum, range) in elements {
                let at = self.done.len();
                let name = name.as_ref().map_or_else(String::new, |name| format!("{name}{index}"));
                if name.is_empty() {
                    unnamed.push(at);
                } else if self.outputs.insert(name.clone(), at).is_some() {
                    return self.fail(format!("a second output of the name '{}'", shown(&name)));
                }
                let kept = kept || list || name.is_empty();
                self.done.push(Statement { name, sum, range, kept, used: false });
            }
        }
        if unnamed.len() < self.done.len()
            && let Some(&at) = unnamed.iter().find(|&&at| self.is_bare(at))
        {
            let shown = String::from_utf8_lossy(&self.text[self.done[at].range.clone()]).trim().to_owned();
            let message = format!("`{}` is no assignment and no command that is known here", shown_of(&shown));
            return Err((self.done[at].range.start, message));
        }
        for (count, &at) in unnamed.iter().enumerate() {
            let mut name = if unnamed.len() == 1 { "f".to_owned() } else { format!("f{}", count + 1) };
            while self.outputs.contains_key(&name) || self.is_symbol(&name) {
                name.push('_');
            }
            self.outputs.insert(name.clone(), at);
            self.done[at].name = name;
        }
        Ok(std::mem::take(&mut self.done))
    }

    /// Whether a statement is a mere word, or a function that code does not compute: no expression that stands for
    /// itself among assignments.
    fn is_bare(&self, at: usize) -> bool {
        let text = &self.text[self.done[at].range.clone()];
        let name = text.iter().take_while(|&&byte| is_letter(byte) || byte.is_ascii_digit() || byte == b'.').count();
        let name = String::from_utf8_lossy(&text[..name]);
        let sum = &self.done[at].sum;
        let [factor] = sum.factors[..] else { return false };
        let computed = self.calls.iter().any(|call| call.symbol == factor.symbol);
        let single = sum.len() == 1 && factor.exponent == 1 && sum.values[0] == crate::algebra::Coefficient::ONE;
        single
            && !computed
            && !name.is_empty()
            && !self.outputs.contains_key(&*name)
            && !self.block_of.contains_key(&factor.symbol)
    }

    /// Reads a list, or a list of lists, as several outputs with their indices from 0, as Python prints them. Returns
    /// false where there is none.
    fn matrix(&mut self, elements: &mut Vec<Element>) -> Result<bool, Failure> {
        const MATRIX: &[u8] = b"Matrix(";
        let named = self.rest().starts_with(MATRIX) && self.rest().get(MATRIX.len()) == Some(&b'[');
        let start = self.at;
        self.at += if named { MATRIX.len() } else { 0 };
        if !self.is_list() {
            self.at = start;
            return Ok(false);
        }
        self.list("", elements)?;
        if named {
            self.blanks()?;
            if self.peek() != b')' {
                return self.fail("expected ')' after the rows of a matrix");
            }
            self.at += 1;
        }
        Ok(true)
    }

    /// Whether a list starts here, and no name in brackets that an operator follows. FORM has no lists.
    fn is_list(&self) -> bool {
        if self.form || self.peek() != b'[' {
            return false;
        }
        let mut depth = 0_usize;
        let end = self.rest().iter().position(|byte| {
            depth = match byte {
                b'[' => depth + 1,
                b']' => depth - 1,
                _ => depth,
            };
            depth == 0
        });
        let Some(end) = end else { return false };
        let next = self.rest()[end + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
        next.is_none_or(|next| !matches!(next, b'+' | b'-' | b'*' | b'/' | b'^' | b'(' | b'=' | b'.'))
    }

    fn list(&mut self, index: &str, elements: &mut Vec<Element>) -> Result<(), Failure> {
        self.enter()?;
        for count in 0.. {
            self.at += 1;
            self.blanks()?;
            let index = if index.is_empty() { count.to_string() } else { format!("{index},{count}") };
            if self.is_list() {
                self.list(&index, elements)?;
            } else {
                let start = self.at;
                let sum = self.sum()?;
                elements.push((format!("[{index}]"), sum, start..self.at));
            }
            self.blanks()?;
            match self.peek() {
                b',' => {}
                b']' => break,
                _ => return self.fail("expected an operator, ',' or ']'"),
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    /// Skips the text between statements. Returns whether another statement follows.
    fn next_statement(&mut self) -> Result<bool, Failure> {
        loop {
            let start = self.at == 0 || self.text[self.at - 1] == b'\n';
            let ended = self.blanks()? || start;
            // Whether a comment or command of FORM may start here.
            let first = self.at == 0 || self.text[self.at - 1] == b'\n';
            match self.rest() {
                [] => return Ok(false),
                [b';', ..] => self.at += 1,
                [b'*', ..] if first && self.form => self.line(),
                [b'.', letter, ..] if ended && self.form && letter.is_ascii_alphabetic() => {
                    let start = self.at;
                    self.line();
                    self.skip(start);
                }
                _ if self.declares() => {
                    let (start, end) = (self.at, self.rest().iter().position(|&byte| byte == b';'));
                    self.at += end.unwrap_or(self.rest().len());
                    self.skip(start);
                }
                _ => return Ok(true),
            }
        }
    }

    /// Lists the text from `start` on as skipped.
    fn skip(&mut self, start: usize) {
        let mut ledger = Ledger::default();
        ledger.skip(self.text, start, self.at);
        for line in ledger.skipped {
            if !self.skipped.contains(&line) {
                self.skipped.push(line);
            }
        }
    }

    fn line(&mut self) {
        self.at = blanks::line_end(self.text, self.at);
    }

    /// Whether a declaration starts here: its word, and on the same line a name or, as in `print;`, nothing.
    fn declares(&mut self) -> bool {
        if !self.form {
            return false;
        }
        let start = self.at;
        let word = if is_letter(self.peek()) { self.word().to_ascii_lowercase() } else { String::new() };
        let gap = self.rest().iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
        let next = self.rest().get(gap).copied().unwrap_or(0);
        self.at = start;
        let named = gap > 0 && (is_letter(next) || next == b'[');
        DECLARING.contains(&word.as_str()) && (named || next == b';' && word.len() > 3)
    }

    /// Reads the name of an output in front of `=` or `:=`, if there is one, and whether FORM calls it an expression.
    fn target(&mut self) -> Result<Option<(String, bool)>, Failure> {
        let start = self.at;
        let mut name = self.dotted()?;
        self.blanks()?;
        let word = name.to_ascii_lowercase();
        let defines = DEFINING.contains(&word.as_str()) && (is_letter(self.peek()) || self.peek() == b'[');
        if defines {
            name = self.dotted()?;
            self.blanks()?;
        }
        // An element such as out(3).
        if self.peek() == b'(' && !name.is_empty() {
            let digits = self.rest()[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits > 0 && self.rest().get(1 + digits) == Some(&b')') {
                name.push_str(&String::from_utf8_lossy(&self.rest()[..digits + 2]));
                self.at += digits + 2;
                self.blanks()?;
            }
        }
        let skip = match *self.rest() {
            [b':', b'=', ..] => 2,
            [b'=', b'=', ..] => return self.fail("an equation; write `name = expression`"),
            [b'=', ..] => 1,
            _ => {
                self.at = start;
                return Ok(None);
            }
        };
        if name.is_empty() {
            return self.fail("expected a name before '='");
        }
        self.at += skip;
        Ok(Some((name, defines)))
    }

    fn dotted(&mut self) -> Result<String, Failure> {
        let mut name = if is_letter(self.peek()) { self.word() } else { String::new() };
        if self.peek() == b'[' {
            name.push_str(&self.brackets()?);
        }
        Ok(name)
    }

    /// Checks the text after an expression.
    fn end(&mut self, start: usize) -> Result<(), Failure> {
        let ended = self.text[start..self.at].ends_with(b"\n") || {
            let mut back = self.text[..self.at].iter().rev().take_while(|byte| byte.is_ascii_whitespace());
            back.any(|&byte| byte == b'\n')
        };
        let ended = self.blanks()? || ended;
        match *self.rest() {
            [] => Ok(()),
            [b';', ..] | [b':', ..] if !self.rest().starts_with(b":=") => {
                self.at += 1;
                Ok(())
            }
            [b'.', letter, ..] if ended && self.form && letter.is_ascii_alphabetic() => Ok(()),
            [byte, ..] if ended && (is_letter(byte) || byte == b'[') => {
                let here = self.at;
                let named = self.target()?.is_some();
                self.at = here;
                if named || self.declares() { Ok(()) } else { self.fail("expected an operator, ';' or `name =`") }
            }
            [b')', ..] => self.fail("a ')' without '('"),
            _ => self.fail("expected an operator, ';' or the end"),
        }
    }
}

/// A statement, shortened for a message.
fn shown_of(text: &str) -> String {
    text.chars().take(40).collect()
}

/// A name, shortened for a message.
fn shown(name: &str) -> String {
    name.chars().take(24).collect()
}
