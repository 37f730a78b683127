//! The statements of computer algebra and programming languages as trees.
//!
//! One grammar reads all notations: most signs have the same meaning wherever they occur. Words belong to notations,
//! and so do marks that differ (comments by `%`, rows of matrices by `;`, whole divisions of C). A text whose
//! [`Notation`] is not given and has no marks of one has the words that mean the same wherever they occur. Each word
//! and number of a text is read, or skipped by name, or refused.

mod conditions;
mod constants;
mod guess;
mod heads;
mod ledger;
mod lexer;
mod log;
mod parser;
mod statements;
mod tree;
mod words;

use super::reader::Failure;
use crate::algebra::{Notation, Reading};
use guess::Words;
pub(super) use lexer::Parser;
use std::collections::BTreeSet;
use std::ops::Range;
pub(super) use tree::{BRACKETS, Kind, Output, Tree};

/// The statements of a text.
#[derive(Debug)]
pub(super) struct Parsed {
    statements: Vec<Statement>,
    /// What was skipped, or taken off, by name.
    pub(super) skipped: Vec<String>,
    /// The inputs of a function of MATLAB, if no other name occurs, and its outputs.
    pub(super) args: Option<Vec<String>>,
    pub(super) outputs: Option<Vec<String>>,
}

/// An expression of a statement, which may have several of them in lists.
#[derive(Debug)]
pub(super) struct Element<'a> {
    /// Where the statement stands.
    pub(super) at: usize,
    pub(super) name: Option<String>,
    /// Whether it is an output whoever uses it.
    pub(super) kept: bool,
    pub(super) value: &'a Tree,
}

impl Parsed {
    /// The expressions of all statements.
    pub(super) fn elements(&self) -> Vec<Element<'_>> {
        let mut all = Vec::new();
        for Statement { at, name, value, base, local } in &self.statements {
            let list = matches!(value.kind, Kind::List(_));
            let mut elements = Vec::new();
            flatten(value, *base, &mut Vec::new(), &mut elements);
            for (index, value) in elements {
                let index: Vec<String> = index.iter().map(usize::to_string).collect();
                let name = name.as_ref().map(|name| match name.strip_suffix(']') {
                    _ if !list => name.clone(),
                    Some(open) => format!("{open},{}]", index.join(",")),
                    None => format!("{name}[{}]", index.join(",")),
                });
                all.push(Element { at: *at, name, kept: *local || list, value });
            }
        }
        all
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

/// Whether the reader takes a text of this notation as it is, because it holds no sign that needs another notation, and
/// whether it is then one of FORM.
pub(super) fn is_plain(text: &[u8], notation: Option<Notation>) -> Option<bool> {
    if !matches!(notation, None | Some(Notation::Form)) {
        return None;
    }
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
            return None;
        }
        if !matches!(byte, b' ' | b'\t') {
            before = byte;
        }
    }
    if constants::has_names(text) || log::is_listing(text) {
        return None;
    }
    let given = notation == Some(Notation::Form);
    match guess::first_words(text, given) {
        Words::None => Some(given),
        Words::Form => Some(true),
        Words::Other => None,
    }
}

/// Whether the digits in front of `at` belong to a name.
fn after_letter(text: &[u8], at: usize) -> bool {
    let before = text[..at].iter().rev().find(|byte| !byte.is_ascii_digit());
    before.is_some_and(|&byte| super::reader::is_letter(byte))
}

/// Reads the statements of a text of any notation.
pub(super) fn parse(text: &[u8], notation: Option<Notation>, reading: &Reading) -> Result<Parsed, Failure> {
    let printed;
    let original = text;
    let mut text = text;
    if log::is_listing(text) {
        printed = log::printed(text)?;
        text = &printed;
    }
    let mut parser = Parser::new(text, notation.or_else(|| guess::guess(original)));
    parser.complex = reading.complex;
    parser.names.known.extend(reading.args.iter().chain(&reading.outputs).flatten().cloned());
    parser.names.opaque.extend(reading.opaque.iter().cloned());
    for name in &parser.names.known {
        parser.names.spellings.insert(name.to_ascii_lowercase(), name.clone());
    }
    let statements = parser.statements()?;
    if let Some(at) = parser.ledger.left(text) {
        return Err((at, "a word that is neither read nor skipped".into()));
    }
    let (args, outputs) =
        parser.function.take().map_or((None, None), |(args, outputs)| signature(args, &outputs, &statements));
    Ok(Parsed { statements, skipped: parser.ledger.skipped, args, outputs })
}

/// The inputs of a function, if its statements use no other ones, and the names of its outputs, element by element.
fn signature(
    args: Vec<String>,
    outputs: &[String],
    statements: &[Statement],
) -> (Option<Vec<String>>, Option<Vec<String>>) {
    let mut known: BTreeSet<&str> = args.iter().map(String::as_str).collect();
    let mut closed = true;
    for statement in statements {
        closed &= names_only(&statement.value, &known);
        known.extend(statement.name.as_deref());
    }
    let mut all = Vec::new();
    for output in outputs {
        for statement in statements.iter().filter(|statement| statement.name.as_ref() == Some(output)) {
            if matches!(statement.value.kind, Kind::List(_)) {
                let mut elements = Vec::new();
                flatten(&statement.value, statement.base, &mut Vec::new(), &mut elements);
                let name = |index: &[usize]| index.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
                all.extend(elements.iter().map(|(index, _)| format!("{output}[{}]", name(index))));
            } else {
                all.push(output.clone());
            }
        }
    }
    (closed.then_some(args), (!all.is_empty()).then_some(all))
}

/// Whether an expression holds no names but these, and no functions that the code does not compute.
fn names_only(tree: &Tree, known: &BTreeSet<&str>) -> bool {
    match &tree.kind {
        Kind::Number(..) | Kind::Truth(_) => true,
        Kind::Name(name) => known.contains(name.as_str()),
        Kind::Sum(parts) | Kind::Product(parts) => parts.iter().all(|(_, part)| names_only(part, known)),
        Kind::Power(base, exponent) => names_only(base, known) && names_only(exponent, known),
        Kind::Call(name, arguments) => {
            crate::algebra::Function::named(name, arguments.len()).is_some()
                && arguments.iter().all(|argument| names_only(argument, known))
        }
        Kind::List(elements) => elements.iter().all(|element| names_only(element, known)),
    }
}

impl Output {
    /// Writes statements, a line each. Returns the places of their expressions.
    pub(super) fn elements(&mut self, elements: &[Element<'_>]) -> Result<Vec<Range<usize>>, Failure> {
        let mut ranges = Vec::new();
        for element in elements {
            if let Some(name) = &element.name {
                self.text.push_str(if element.kept { "Local " } else { "" });
                self.text.push_str(name);
                self.text.push_str(" = ");
            }
            let start = self.text.len();
            self.write(element.value, false)?;
            ranges.push(start..self.text.len());
            self.text.push_str(";\n");
        }
        Ok(ranges)
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
