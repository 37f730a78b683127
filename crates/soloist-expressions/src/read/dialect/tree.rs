//! Expressions of all notations as trees, and their text in the notation of the reader.

use super::super::reader::Failure;
use crate::algebra::Relation;

/// The message on a list where an expression must stand.
pub(in crate::read) const BRACKETS: &str = "brackets around an expression or a list: write parentheses, or `name = [...]` for several \
                        outputs; for a name of FORM, declare it in front, as in `Symbols [x+y];`";

/// An expression, and the byte at which it starts.
#[derive(Clone, Debug)]
pub(in crate::read) struct Tree {
    pub(in crate::read) at: usize,
    pub(in crate::read) kind: Kind,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub(in crate::read) enum Kind {
    /// Digits as the reader takes them; whether they are a whole number without point and exponent.
    Number(String, bool),
    Name(String),
    /// Summands; true: subtracted.
    Sum(Vec<(bool, Tree)>),
    /// Factors; true: divided by.
    Product(Vec<(bool, Tree)>),
    Power(Box<Tree>, Box<Tree>),
    Call(String, Vec<Tree>),
    /// Elements that are outputs of their own.
    List(Vec<Tree>),
    /// What conditionals decide by.
    Truth(Truth),
}

/// A condition.
#[derive(Clone, Debug)]
pub(in crate::read) enum Truth {
    Always(bool),
    Compare(Relation, Box<Tree>, Box<Tree>),
    Not(Box<Truth>),
    /// Whether all of them hold.
    All(Vec<Truth>),
    /// Whether one of them holds.
    Any(Vec<Truth>),
}

impl Tree {
    pub(super) fn new(at: usize, kind: Kind) -> Self {
        Self { at, kind }
    }

    pub(super) fn whole(at: usize, value: &str) -> Self {
        Self::new(at, Kind::Number(value.to_owned(), true))
    }

    /// The expression in parentheses, which keep it from being taken apart.
    pub(super) fn in_parentheses(self, at: usize) -> Self {
        match self.kind {
            Kind::Sum(_) => Self { at, ..self },
            _ => Self::new(at, Kind::Sum(vec![(false, self)])),
        }
    }

    /// The negative.
    pub(super) fn minus(self) -> Self {
        Self::new(self.at, Kind::Sum(vec![(true, self)]))
    }

    /// 1 divided by this.
    pub(super) fn inverse(self) -> Self {
        let at = self.at;
        Self::new(at, Kind::Product(vec![(false, Self::whole(at, "1")), (true, self)]))
    }

    pub(super) fn power(self, exponent: Self) -> Self {
        Self::new(self.at, Kind::Power(Box::new(self), Box::new(exponent)))
    }

    /// Whether this is a whole number without a sign.
    pub(super) fn is_whole(&self) -> bool {
        matches!(&self.kind, Kind::Number(_, true))
    }

    /// The text of an index: a whole number or a name.
    pub(super) fn index(&self) -> Option<&str> {
        match &self.kind {
            Kind::Number(text, true) | Kind::Name(text) => Some(text),
            _ => None,
        }
    }
}

/// Text in the notation of the reader.
#[derive(Debug, Default)]
pub(in crate::read) struct Output {
    pub(in crate::read) text: String,
}

impl Output {
    /// Writes an expression. `tight`: as a factor or base, in parentheses where needed.
    pub(super) fn write(&mut self, tree: &Tree, tight: bool) -> Result<(), Failure> {
        match &tree.kind {
            Kind::Number(text, _) | Kind::Name(text) => self.text.push_str(text),
            Kind::Call(name, arguments) => {
                self.text.push_str(name);
                self.text.push('(');
                for (place, argument) in arguments.iter().enumerate() {
                    self.text.push_str(if place > 0 { "," } else { "" });
                    self.write(argument, false)?;
                }
                self.text.push(')');
            }
            Kind::List(_) => return Err((tree.at, BRACKETS.into())),
            Kind::Truth(_) => return Err((tree.at, "a condition, expected a number".into())),
            _ if tight => {
                self.text.push('(');
                self.write(tree, false)?;
                self.text.push(')');
            }
            Kind::Sum(summands) => {
                for (place, (negative, summand)) in summands.iter().enumerate() {
                    let sign = match (negative, place) {
                        (true, _) => "-",
                        (false, 0) => "",
                        (false, _) => "+",
                    };
                    self.text.push_str(sign);
                    self.write(summand, matches!(summand.kind, Kind::Sum(_)))?;
                }
            }
            Kind::Product(factors) => {
                for (place, (divide, factor)) in factors.iter().enumerate() {
                    let sign = match (divide, place) {
                        (true, 0) => "1/",
                        (true, _) => "/",
                        (false, 0) => "",
                        (false, _) => "*",
                    };
                    self.text.push_str(sign);
                    self.write(factor, !matches!(factor.kind, Kind::Power(..)))?;
                }
            }
            Kind::Power(base, exponent) => {
                self.write(base, true)?;
                self.text.push('^');
                self.write(exponent, true)?;
            }
        }
        Ok(())
    }
}
