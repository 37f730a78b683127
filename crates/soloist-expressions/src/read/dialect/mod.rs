//! Texts of computer algebra and programming languages, turned into the notation of the reader.
//!
//! One grammar reads all notations: most signs have the same meaning wherever they occur. Only marks that differ
//! (comments by `%`, rows of matrices by `;`, whole divisions of C) depend on the [`Notation`].

mod conditions;
mod constants;
mod heads;
mod lexer;
mod log;
mod parser;
mod statements;
mod tree;

use super::reader::Failure;
use crate::algebra::Reading;
use lexer::Parser;
use tree::{Kind, Output, Tree};

/// The notation of a text, where marks decide that differ between notations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// FORM: `[x+y]` is a name.
    Form,
    /// Mathematica: `f[x]` is a function.
    Mathematica,
    /// Maple: `v := [..]` counts from 1.
    Maple,
    /// SymPy and Python.
    Sympy,
    /// Maxima: `f : x$` defines.
    Maxima,
    /// MATLAB and Octave: `%` starts a comment, blanks and `;` separate the elements of a matrix.
    Matlab,
    /// Fortran: `1/2` is a whole division.
    Fortran,
    /// C, C++ and Rust: `1/2` is a whole division.
    C,
}

impl Notation {
    /// All notations.
    pub const ALL: [Self; 8] =
        [Self::Form, Self::Mathematica, Self::Maple, Self::Sympy, Self::Maxima, Self::Matlab, Self::Fortran, Self::C];

    /// Its name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Mathematica => "mathematica",
            Self::Maple => "maple",
            Self::Sympy => "sympy",
            Self::Maxima => "maxima",
            Self::Matlab => "matlab",
            Self::Fortran => "fortran",
            Self::C => "c",
        }
    }
}

/// A text in the notation of the reader.
#[derive(Debug)]
pub(super) struct Translated {
    pub(super) text: String,
    /// Whether `[x+y]` is a name.
    pub(super) form: bool,
    /// Ascending places in the text, with the bytes of the original that they come from.
    marks: Vec<(usize, usize)>,
}

impl Translated {
    /// The byte of the original behind a place of the text.
    pub(super) fn origin(&self, at: usize) -> usize {
        let after = self.marks.partition_point(|&(place, _)| place <= at);
        after.checked_sub(1).map_or(0, |last| self.marks[last].1)
    }
}

/// A statement: the name of its output and its elements.
#[derive(Debug)]
pub(super) struct Statement {
    /// Where the name stands.
    at: usize,
    name: Option<String>,
    value: Tree,
    /// The index of the first element of a list.
    base: usize,
    /// Whether FORM calls it an expression, which is an output whoever uses it.
    local: bool,
}

/// Whether the reader takes a text as it is: it holds no sign that needs another notation.
pub(super) fn is_plain(text: &[u8]) -> bool {
    let mut before = 0_u8;
    for (at, &byte) in text.iter().enumerate() {
        let next = text.get(at + 1).copied().unwrap_or(0);
        let special = match byte {
            b'[' | b'{' | b'!' | b'%' | b'&' | b'"' | b'\'' | b'`' | b'$' | b'<' | b'>' | b'?' | b'|' | b'~' => true,
            b'(' => next != b'*' && (super::reader::is_letter(before) || before.is_ascii_digit() || before == b']'),
            b'/' => next == b'/',
            b'=' => next == b'=' || matches!(before, b'+' | b'-' | b'!'),
            b':' => next != b'=',
            b'.' => matches!(next, b'*' | b'/' | b'^' | b'.'),
            b'd' | b'D' | b'L' | b'f' | b'F' | b'q' | b'Q' | b'i' | b'j' => {
                before.is_ascii_digit() && !after_letter(text, at)
            }
            _ => false,
        };
        if special {
            return false;
        }
        if !matches!(byte, b' ' | b'\t') {
            before = byte;
        }
    }
    !statements::has_words(text) && !constants::has_names(text) && !log::is_listing(text)
}

/// Whether the digits in front of `at` belong to a name.
fn after_letter(text: &[u8], at: usize) -> bool {
    let before = text[..at].iter().rev().find(|byte| !byte.is_ascii_digit());
    before.is_some_and(|&byte| super::reader::is_letter(byte))
}

/// Turns a text of any notation into that of the reader.
pub(super) fn translate(text: &[u8], notation: Option<Notation>, reading: &Reading) -> Result<Translated, Failure> {
    let printed;
    let mut text = text;
    if log::is_listing(text) {
        printed = log::printed(text)?;
        text = &printed;
    }
    let mut parser = Parser::new(text, notation);
    parser.complex = reading.complex;
    parser.known.extend(reading.args.iter().chain(&reading.outputs).flatten().cloned());
    let statements = parser.statements()?;
    let mut output = Output::default();
    for statement in &statements {
        output.statement(statement)?;
    }
    let Output { text, marks } = output;
    Ok(Translated { text, form: parser.form, marks })
}

impl Output {
    fn statement(&mut self, statement: &Statement) -> Result<(), Failure> {
        if !matches!(statement.value.kind, Kind::List(_)) {
            let name = statement.name.as_deref();
            return self.assign(statement, name, &statement.value);
        }
        let mut elements = Vec::new();
        flatten(&statement.value, statement.base, &mut Vec::new(), &mut elements);
        for (index, element) in elements {
            let index: Vec<String> = index.iter().map(usize::to_string).collect();
            let name = statement.name.as_ref().map(|name| match name.strip_suffix(']') {
                Some(open) => format!("{open},{}]", index.join(",")),
                None => format!("{name}[{}]", index.join(",")),
            });
            self.assign(statement, name.as_deref(), element)?;
        }
        Ok(())
    }

    fn assign(&mut self, statement: &Statement, name: Option<&str>, value: &Tree) -> Result<(), Failure> {
        self.mark(statement.at);
        if let Some(name) = name {
            let kept = statement.local || matches!(statement.value.kind, Kind::List(_));
            self.text.push_str(if kept { "Local " } else { "" });
            self.text.push_str(name);
            self.text.push_str(" = ");
        }
        self.write(value, false)?;
        self.mark(value.at);
        self.text.push_str(";\n");
        Ok(())
    }
}

/// The elements of lists of lists with their indices.
fn flatten<'a>(tree: &'a Tree, base: usize, index: &mut Vec<usize>, elements: &mut Vec<(Vec<usize>, &'a Tree)>) {
    match &tree.kind {
        Kind::List(list) => {
            for (at, element) in list.iter().enumerate() {
                index.push(base + at);
                flatten(element, base, index, elements);
                index.pop();
            }
        }
        _ => elements.push((index.clone(), tree)),
    }
}
