//! The numbers pi and e and the imaginary unit in all notations.

use super::super::reader::is_letter;
use super::Notation;
use super::lexer::Parser;
use super::tree::{Kind, Tree, Truth};
use crate::algebra::Constant;

/// Names that are constants in every notation.
const ALWAYS: [(&str, Constant); 16] = [
    ("pi_", Constant::Pi),
    ("Pi", Constant::Pi),
    ("M_PI", Constant::Pi),
    ("M_PIl", Constant::Pi),
    ("M_PIq", Constant::Pi),
    ("S.Pi", Constant::Pi),
    ("consts.PI", Constant::Pi),
    ("numbers.pi", Constant::Pi),
    ("M_E", Constant::E),
    ("M_El", Constant::E),
    ("M_Eq", Constant::E),
    ("S.Exp1", Constant::E),
    ("consts.E", Constant::E),
    ("i_", Constant::I),
    ("S.ImaginaryUnit", Constant::I),
    ("_Complex_I", Constant::I),
];

/// The constants that a plain text may hold, where the reader does not take it as it is.
const WORDS: [&str; 10] = ["pi", "pi_", "Pi", "M_PI", "M_PIl", "M_PIq", "M_E", "i_", "I", "E"];

/// Whether a text holds the name of a constant as a word.
pub(super) fn has_names(text: &[u8]) -> bool {
    let mut at = 0;
    while at < text.len() {
        if !is_letter(text[at]) {
            at += 1;
            // Digits behind a letter belong to its word, others are numbers.
            continue;
        }
        let length = text[at..].iter().take_while(|&&byte| is_letter(byte) || byte.is_ascii_digit()).count();
        let word = &text[at..at + length];
        if length <= 5 && WORDS.iter().any(|known| known.as_bytes() == word) {
            return true;
        }
        at += length;
    }
    false
}

impl Parser<'_> {
    /// The constant or truth value that a name stands for; names of inputs and outputs that were named hide them.
    pub(super) fn constant(&self, at: usize, name: &str) -> Option<Tree> {
        if self.known.contains(name) {
            return None;
        }
        let truth = |value| Some(Tree::new(at, Kind::Truth(Truth::Always(value))));
        match name {
            "True" | "true" | "S.true" => return truth(true),
            "False" | "false" | "S.false" => return truth(false),
            _ => {}
        }
        let short = name.rsplit_once('.').map_or(name, |(module, last)| {
            if super::heads::bare(name) == last && module.len() < 6 { last } else { name }
        });
        let algebra = matches!(self.notation, Some(Notation::Sympy | Notation::Mathematica));
        let constant = match short {
            "pi" if !self.form => Constant::Pi,
            "e" if short != name => Constant::E,
            "E" if algebra => Constant::E,
            "I" if algebra || self.complex || self.is(Notation::Maple) => Constant::I,
            _ => ALWAYS.iter().find(|(own, _)| *own == name).map(|&(_, constant)| constant)?,
        };
        Some(constant_tree(at, constant))
    }

    /// `%pi`, `%e` or `%i` of Maxima, if one stands here.
    pub(super) fn percent(&mut self) -> Option<Tree> {
        let (length, constant) = self.percent_name()?;
        let start = self.at;
        self.at += length;
        Some(constant_tree(start, constant))
    }

    /// The length and meaning of a constant of Maxima.
    pub(super) fn percent_name(&self) -> Option<(usize, Constant)> {
        let names = [("%pi", Constant::Pi), ("%e", Constant::E), ("%i", Constant::I)];
        let found = names.into_iter().find(|(name, _)| {
            let next = self.rest().get(name.len()).copied().unwrap_or(0);
            self.starts(name) && !is_letter(next) && !next.is_ascii_digit()
        });
        found.map(|(name, constant)| (name.len(), constant))
    }
}

/// A constant as the reader takes it.
pub(super) fn constant_tree(at: usize, constant: Constant) -> Tree {
    Tree::new(at, Kind::Call(constant.name().to_owned(), Vec::new()))
}

/// Whether an expression is this constant.
pub(super) fn is_constant(tree: &Tree, constant: Constant) -> bool {
    matches!(&tree.kind, Kind::Call(name, arguments) if arguments.is_empty() && name == constant.name())
}
