//! The numbers pi and e and the imaginary unit in all notations.

use super::super::reader::is_letter;
use super::Notation;
use super::lexer::Parser;
use super::tree::{Kind, Tree, Truth};
use super::words;
use crate::algebra::Constant;

/// Constants by their names, with the letters of the notations that have them; see [`words`].
const NAMES: [(&str, &str, Constant); 22] = [
    ("MPSXLRC0", "pi", Constant::Pi),
    ("F0", "pi_", Constant::Pi),
    ("MPRC0", "Pi", Constant::Pi),
    ("C0", "M_PI", Constant::Pi),
    ("C0", "M_PIl", Constant::Pi),
    ("C0", "M_PIq", Constant::Pi),
    ("C", "consts.PI", Constant::Pi),
    ("C", "numbers.pi", Constant::Pi),
    ("S", "S.Pi", Constant::Pi),
    ("F", "ee_", Constant::E),
    ("MS", "E", Constant::E),
    ("C0", "M_E", Constant::E),
    ("C0", "M_El", Constant::E),
    ("C0", "M_Eq", Constant::E),
    ("C", "consts.E", Constant::E),
    ("C", "numbers.e", Constant::E),
    ("S", "S.Exp1", Constant::E),
    ("F0", "i_", Constant::I),
    ("MPS", "I", Constant::I),
    ("S", "S.ImaginaryUnit", Constant::I),
    ("C", "_Complex_I", Constant::I),
    ("C", "_Imaginary_I", Constant::I),
];

/// Numbers of C, C++ and Rust that are made of others.
const MADE: [(&str, Made); 31] = [
    ("M_LN2", Made::Log("2", false)),
    ("M_LN10", Made::Log("10", false)),
    ("M_LOG2E", Made::Log("2", true)),
    ("M_LOG10E", Made::Log("10", true)),
    ("M_PI_2", Made::Pi("1", "2", false)),
    ("M_PI_4", Made::Pi("1", "4", false)),
    ("M_1_PI", Made::Pi("1", "1", true)),
    ("M_2_PI", Made::Pi("2", "1", true)),
    ("M_2_SQRTPI", Made::RootOfPi),
    ("M_SQRT2", Made::Root("2", false)),
    ("M_SQRT1_2", Made::Root("2", true)),
    ("consts.LN_2", Made::Log("2", false)),
    ("consts.LN_10", Made::Log("10", false)),
    ("consts.LOG2_E", Made::Log("2", true)),
    ("consts.LOG10_E", Made::Log("10", true)),
    ("consts.TAU", Made::Pi("2", "1", false)),
    ("consts.FRAC_PI_2", Made::Pi("1", "2", false)),
    ("consts.FRAC_PI_3", Made::Pi("1", "3", false)),
    ("consts.FRAC_PI_4", Made::Pi("1", "4", false)),
    ("consts.FRAC_PI_6", Made::Pi("1", "6", false)),
    ("consts.FRAC_PI_8", Made::Pi("1", "8", false)),
    ("consts.FRAC_1_PI", Made::Pi("1", "1", true)),
    ("consts.FRAC_2_PI", Made::Pi("2", "1", true)),
    ("consts.FRAC_2_SQRT_PI", Made::RootOfPi),
    ("consts.SQRT_2", Made::Root("2", false)),
    ("consts.FRAC_1_SQRT_2", Made::Root("2", true)),
    ("numbers.ln2", Made::Log("2", false)),
    ("numbers.ln10", Made::Log("10", false)),
    ("numbers.inv_pi", Made::Pi("1", "1", true)),
    ("numbers.sqrt2", Made::Root("2", false)),
    ("numbers.sqrt3", Made::Root("3", false)),
];

/// How a number is made.
#[derive(Clone, Copy, Debug)]
enum Made {
    /// The logarithm of a number, or 1 divided by it.
    Log(&'static str, bool),
    /// A fraction times pi, or divided by it.
    Pi(&'static str, &'static str, bool),
    /// The root of a number, or 1 divided by it.
    Root(&'static str, bool),
    /// 2 divided by the root of pi.
    RootOfPi,
}

impl Made {
    fn tree(self, at: usize) -> Tree {
        let whole = |digits: &str| Tree::whole(at, digits);
        let call = |name: &str, of: Tree| Tree::new(at, Kind::Call(name.to_owned(), vec![of]));
        let (tree, inverse) = match self {
            Self::Log(of, inverse) => (call("log", whole(of)), inverse),
            Self::Root(of, inverse) => (call("sqrt", whole(of)), inverse),
            Self::Pi(above, below, inverse) => {
                let pi = constant_tree(at, Constant::Pi);
                let factors = vec![(false, whole(above)), (inverse, pi), (true, whole(below))];
                (Tree::new(at, Kind::Product(factors)), false)
            }
            Self::RootOfPi => {
                let root = call("sqrt", constant_tree(at, Constant::Pi));
                (Tree::new(at, Kind::Product(vec![(false, whole("2")), (true, root)])), false)
            }
        };
        if inverse { tree.inverse() } else { tree }
    }
}

/// Whether a word is a constant of `math.h`.
pub(super) fn is_of_c(word: &[u8]) -> bool {
    let known = MADE.iter().map(|(name, _)| *name).chain(NAMES.iter().map(|(_, name, _)| *name));
    known.into_iter().any(|name| name.as_bytes() == word)
}

/// Whether a text holds, as a word, a constant or what is no number: the reader does not take it as it is.
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
        // Most words are names of inputs.
        if b"pPMeEiIozunNCDHS".contains(&text[at]) && length <= 20 {
            let word = std::str::from_utf8(word).unwrap_or_default();
            let constant = matches!(word, "pi" | "pi_" | "Pi" | "ee_" | "i_" | "I" | "E") || word.starts_with("M_");
            if constant || words::is_numberless(None, word) {
                return true;
            }
        }
        at += length;
    }
    false
}

impl Parser<'_> {
    /// The constant or truth value that a name stands for; names of inputs and outputs that were named hide them.
    pub(super) fn constant(&self, at: usize, name: &str) -> Option<Tree> {
        if self.own || self.names.known.contains(name) {
            return None;
        }
        let truth = |value| Some(Tree::new(at, Kind::Truth(Truth::Always(value))));
        match name {
            _ if self.is(Notation::Form) => {}
            "True" | "true" => return truth(true),
            "False" | "false" => return truth(false),
            "S.true" if self.is(Notation::Sympy) => return truth(true),
            "S.false" if self.is(Notation::Sympy) => return truth(false),
            _ => {}
        }
        let module = name.rsplit_once('.').filter(|_| self.bare(name) != name).map(|(_, last)| last);
        match module {
            Some("pi") => return Some(constant_tree(at, Constant::Pi)),
            Some("e") => return Some(constant_tree(at, Constant::E)),
            Some("tau") => return Some(Made::Pi("2", "1", false).tree(at)),
            _ => {}
        }
        if matches!(self.notation, None | Some(Notation::C)) {
            let plain = name.strip_suffix(['l', 'q', 'f']).filter(|plain| plain.starts_with("M_")).unwrap_or(name);
            let made = MADE.iter().find(|(own, _)| *own == name || *own == plain);
            if let Some(&(_, made)) = made {
                return Some(made.tree(at));
            }
        }
        if name == "I" && self.complex {
            return Some(constant_tree(at, Constant::I));
        }
        let found =
            NAMES.iter().find(|(notations, own, _)| *own == name && words::in_notation(notations, self.notation));
        found.map(|&(_, _, constant)| constant_tree(at, constant))
    }

    /// `%pi`, `%e` or `%i` of Maxima, if one stands here.
    pub(super) fn percent(&mut self) -> Option<Tree> {
        let (length, constant) = self.percent_name()?;
        let start = self.at;
        self.at += length;
        self.read(start);
        Some(constant_tree(start, constant))
    }

    /// The length and meaning of a constant of Maxima.
    pub(super) fn percent_name(&self) -> Option<(usize, Constant)> {
        if !matches!(self.notation, None | Some(Notation::Maxima)) {
            return None;
        }
        let names = [("%pi", Constant::Pi), ("%e", Constant::E), ("%i", Constant::I)];
        let found = names.into_iter().find(|(name, _)| {
            let next = self.rest().get(name.len()).copied().unwrap_or(0);
            // A `$` ends a statement.
            self.starts(name) && (!is_letter(next) || next == b'$') && !next.is_ascii_digit()
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
