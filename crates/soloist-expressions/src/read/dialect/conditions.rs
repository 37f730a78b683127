//! Conditions and conditionals of all notations: `Piecewise`, `If`, `c ? a : b`, `a if c else b`, `if c then a else b`.

use super::super::reader::{Failure, is_letter};
use super::Notation;
use super::lexer::Parser;
use super::tree::{Kind, Tree, Truth};
use crate::algebra::Relation;

/// The most comparisons that one conditional decides by.
const MAX_COMPARISONS: usize = 1000;

/// The message on a conditional that is not complete.
const NO_ELSE: &str = "a conditional without a last case that always holds, as in Piecewise((a, x < 0), (b, True))";

impl Parser<'_> {
    /// An expression with conditions and conditionals.
    pub(super) fn expression(&mut self) -> Result<Tree, Failure> {
        if self.own {
            return self.sum();
        }
        let start = self.at;
        if self.skip_word("if") { self.branches(start) } else { self.conditional(start) }
    }

    /// `a`, `c ? a : b` or `a if c else b`.
    fn conditional(&mut self, start: usize) -> Result<Tree, Failure> {
        let first = self.any()?;
        let ended = self.at;
        self.blanks()?;
        if self.peek() == b'?' {
            self.at += 1;
            self.enter()?;
            self.blanks()?;
            let then = self.expression()?;
            self.blanks()?;
            if self.peek() != b':' {
                return self.fail("expected ':' between the values of a conditional");
            }
            self.at += 1;
            self.blanks()?;
            let other = self.expression()?;
            self.leave();
            return select(start, truth(first)?, then, other);
        }
        if self.skip_word("if") {
            self.enter()?;
            self.blanks()?;
            let condition = self.any()?;
            self.blanks()?;
            if !self.skip_word("else") {
                return self.fail("expected `else` behind the condition");
            }
            self.blanks()?;
            let other = self.expression()?;
            self.leave();
            return select(start, truth(condition)?, first, other);
        }
        self.at = ended;
        Ok(first)
    }

    /// What follows the word `if`: `c then a else b`, or in braces `c { a } else { b }`.
    fn branches(&mut self, start: usize) -> Result<Tree, Failure> {
        self.enter()?;
        self.blanks()?;
        let maxima = usize::from(self.is(Notation::Maxima));
        self.equations += maxima;
        let condition = truth(self.any()?)?;
        self.equations -= maxima;
        self.blanks()?;
        if !self.skip_word("then") && self.peek() != b'{' {
            return self.fail("expected `then` behind a condition");
        }
        let then = self.branch()?;
        self.blanks()?;
        let place = self.at;
        let other = if self.skip_word("elseif") || self.skip_word("elif") {
            self.branches(place)?
        } else if self.skip_word("else") {
            self.blanks()?;
            let place = self.at;
            if self.skip_word("if") { self.branches(place)? } else { self.branch()? }
        } else {
            return Err((start, NO_ELSE.into()));
        };
        self.leave();
        select(start, condition, then, other)
    }

    /// An expression, or one in braces.
    fn branch(&mut self) -> Result<Tree, Failure> {
        self.blanks()?;
        let braces = self.peek() == b'{';
        self.at += usize::from(braces);
        self.blanks()?;
        let tree = self.expression()?;
        self.blanks()?;
        if braces {
            if self.peek() != b'}' {
                return self.fail("expected an operator or '}'");
            }
            self.at += 1;
        }
        Ok(tree)
    }

    /// Skips a word, if it stands here and no letter follows.
    fn skip_word(&mut self, word: &str) -> bool {
        let next = self.rest().get(word.len()).copied().unwrap_or(0);
        let found = self.starts(word) && !is_letter(next) && !next.is_ascii_digit() && !b"(=:.[".contains(&next)
            || self.starts(word) && next == b'(' && word != "then";
        let start = self.at;
        self.at += if found { word.len() } else { 0 };
        self.read(start);
        found
    }

    /// Skips the first of these marks that stands here.
    fn skip_mark(&mut self, marks: &[&str]) -> bool {
        let found = marks.iter().find(|mark| {
            let next = self.rest().get(mark.len()).copied().unwrap_or(0);
            let word = mark.ends_with(|last: char| last.is_ascii_alphabetic());
            self.starts(mark) && !(word && (is_letter(next) || next.is_ascii_digit() || b"=[.".contains(&next)))
        });
        let start = self.at;
        self.at += found.map_or(0, |mark| mark.len());
        self.read(start);
        found.is_some()
    }

    fn any(&mut self) -> Result<Tree, Failure> {
        self.joined(&["||", "|", "or", ".or.", ".OR."], &Self::all, &Truth::Any)
    }

    fn all(&mut self) -> Result<Tree, Failure> {
        self.joined(&["&&", "&", "and", ".and.", ".AND."], &Self::negated, &Truth::All)
    }

    /// Conditions with one of these marks between them.
    fn joined(
        &mut self,
        marks: &[&str],
        part: &dyn Fn(&mut Self) -> Result<Tree, Failure>,
        join: &dyn Fn(Vec<Truth>) -> Truth,
    ) -> Result<Tree, Failure> {
        let start = self.at;
        let first = part(self)?;
        let mut parts = Vec::new();
        loop {
            let ended = self.at;
            self.blanks()?;
            let place = self.at;
            if !self.skip_mark(marks) {
                self.at = ended;
                break;
            }
            if parts.is_empty() {
                if !matches!(first.kind, Kind::Truth(_)) {
                    self.at = place;
                    return self.fail("expected an operator; the number in front is no condition");
                }
                parts.push(truth(first.clone())?);
            }
            self.blanks()?;
            parts.push(truth(part(self)?)?);
        }
        Ok(if parts.is_empty() { first } else { Tree::new(start, Kind::Truth(join(parts))) })
    }

    fn negated(&mut self) -> Result<Tree, Failure> {
        let start = self.at;
        if self.peek() == b'!' && self.rest().get(1) != Some(&b'=') || self.peek() == b'~' {
            self.at += 1;
        } else if !self.skip_word("not") && !self.skip_mark(&[".not.", ".NOT."]) {
            return self.comparison();
        }
        self.enter()?;
        self.blanks()?;
        let inner = truth(self.negated()?)?;
        self.leave();
        Ok(Tree::new(start, Kind::Truth(Truth::Not(Box::new(inner)))))
    }

    /// `a`, `a < b` or a chain `a < b <= c`.
    fn comparison(&mut self) -> Result<Tree, Failure> {
        let start = self.at;
        let first = self.sum()?;
        let mut parts: Vec<Truth> = Vec::new();
        let mut left = first.clone();
        loop {
            let ended = self.at;
            self.blanks()?;
            let place = self.at;
            let Some((relation, swapped)) = self.relation() else {
                self.at = ended;
                break;
            };
            // In C, `a < b < c` compares a truth value with c.
            if !parts.is_empty() && !matches!(self.notation, Some(Notation::Sympy | Notation::Mathematica)) {
                let message = format!("a second comparison, which {} has not: join two by `and`", self.called());
                return Err((place, message));
            }
            self.blanks()?;
            let right = self.sum()?;
            parts.push(compare(relation, swapped, left, right.clone()));
            left = right;
        }
        Ok(match parts.pop() {
            None => first,
            Some(only) if parts.is_empty() => Tree::new(start, Kind::Truth(only)),
            Some(last) => {
                parts.push(last);
                Tree::new(start, Kind::Truth(Truth::All(parts)))
            }
        })
    }

    /// Reads a sign of comparison; true: its sides are swapped.
    fn relation(&mut self) -> Option<(Relation, bool)> {
        const MARKS: [(&str, Relation, bool); 25] = [
            ("<=", Relation::LessEqual, false),
            (">=", Relation::LessEqual, true),
            ("==", Relation::Equal, false),
            ("!=", Relation::NotEqual, false),
            ("=!=", Relation::NotEqual, false),
            ("===", Relation::Equal, false),
            ("<>", Relation::NotEqual, false),
            ("/=", Relation::NotEqual, false),
            ("~=", Relation::NotEqual, false),
            ("<", Relation::Less, false),
            (">", Relation::Less, true),
            (".lt.", Relation::Less, false),
            (".gt.", Relation::Less, true),
            (".le.", Relation::LessEqual, false),
            (".ge.", Relation::LessEqual, true),
            (".eq.", Relation::Equal, false),
            (".ne.", Relation::NotEqual, false),
            (".LT.", Relation::Less, false),
            (".GT.", Relation::Less, true),
            (".LE.", Relation::LessEqual, false),
            (".GE.", Relation::LessEqual, true),
            (".EQ.", Relation::Equal, false),
            (".NE.", Relation::NotEqual, false),
            ("\u{2264}", Relation::LessEqual, false),
            ("\u{2265}", Relation::LessEqual, true),
        ];
        if self.angle && self.peek() == b'>' || self.starts("<-") && self.is(Notation::Maxima) {
            return None;
        }
        if self.is(Notation::Maxima) && self.peek() == b'#' {
            self.at += 1;
            return Some((Relation::NotEqual, false));
        }
        let found = MARKS.iter().filter(|(mark, ..)| self.starts(mark)).max_by_key(|(mark, ..)| mark.len());
        if found.is_none() && self.equations > 0 && self.peek() == b'=' {
            self.at += 1;
            return Some((Relation::Equal, false));
        }
        let &(mark, relation, swapped) = found?;
        let start = self.at;
        self.at += mark.len();
        self.read(start);
        Some((relation, swapped))
    }
}

fn compare(relation: Relation, swapped: bool, left: Tree, right: Tree) -> Truth {
    let (left, right) = if swapped { (right, left) } else { (left, right) };
    Truth::Compare(relation, Box::new(left), Box::new(right))
}

/// The condition that an expression is.
fn truth(tree: Tree) -> Result<Truth, Failure> {
    match tree.kind {
        Kind::Truth(truth) => Ok(truth),
        _ => Err((tree.at, "a number, expected a condition such as x < y".into())),
    }
}

/// The value of a conditional, by comparisons of the reader.
fn select(at: usize, condition: Truth, then: Tree, other: Tree) -> Result<Tree, Failure> {
    let mut left = MAX_COMPARISONS;
    lowered(at, condition, then, other, &mut left)
}

fn lowered(at: usize, condition: Truth, then: Tree, other: Tree, left: &mut usize) -> Result<Tree, Failure> {
    Ok(match condition {
        Truth::Always(true) => then,
        Truth::Always(false) => other,
        Truth::Not(inner) => lowered(at, *inner, other, then, left)?,
        Truth::Compare(relation, a, b) => {
            if [&*a, &*b].iter().any(|side| matches!(side.kind, Kind::Truth(_))) {
                return Err((a.at, "a comparison of conditions".into()));
            }
            *left = left
                .checked_sub(1)
                .ok_or_else(|| (at, format!("a conditional of more than {MAX_COMPARISONS} comparisons")))?;
            Tree::new(at, Kind::Call(relation.select().to_owned(), vec![*a, *b, then, other]))
        }
        Truth::All(parts) => {
            let fold = |value: Tree, part: Truth| lowered(at, part, value, other.clone(), left);
            parts.into_iter().rev().try_fold(then, fold)?
        }
        Truth::Any(parts) => {
            let fold = |value: Tree, part: Truth| lowered(at, part, then.clone(), value, left);
            parts.into_iter().rev().try_fold(other, fold)?
        }
    })
}

/// The conditional of cases, the first that holds, and of what holds elsewhere.
fn cases(at: usize, cases: Vec<(Tree, Tree)>, other: Option<Tree>) -> Result<Tree, Failure> {
    let mut value = other;
    for (result, condition) in cases.into_iter().rev() {
        let condition = truth(condition)?;
        value = Some(match (value, condition) {
            (_, Truth::Always(true)) => result,
            (Some(value), condition) => select(at, condition, result, value)?,
            (None, _) => return Err((at, NO_ELSE.into())),
        });
    }
    value.ok_or_else(|| (at, NO_ELSE.into()))
}

/// Whether `name` is a word of conditions.
pub(super) fn is_head(name: &str) -> bool {
    is_cases(name)
        || relation(name).is_some()
        || matches!(name, "If" | "ITE" | "Ite" | "merge" | "Which" | "And" | "Or" | "Not" | "ExprCondPair" | "ifelse")
}

/// Whether equations are conditions among the arguments of `name`.
pub(super) fn is_cases(name: &str) -> bool {
    matches!(name, "Piecewise" | "piecewise")
}

fn relation(name: &str) -> Option<(Relation, bool)> {
    Some(match name {
        "Lt" | "StrictLessThan" | "Less" => (Relation::Less, false),
        "Gt" | "StrictGreaterThan" | "Greater" => (Relation::Less, true),
        "Le" | "LessThan" | "LessEqual" => (Relation::LessEqual, false),
        "Ge" | "GreaterThan" | "GreaterEqual" => (Relation::LessEqual, true),
        "Eq" | "Equality" | "Equal" | "SameQ" => (Relation::Equal, false),
        "Ne" | "Unequality" | "Unequal" | "UnsameQ" => (Relation::NotEqual, false),
        _ => return None,
    })
}

/// The meaning of a word of conditions with its arguments.
pub(super) fn call(at: usize, name: &str, arguments: Vec<Tree>) -> Result<Tree, Failure> {
    let count = arguments.len();
    let expected = |wanted: &str| Err((at, format!("`{name}` of {count} arguments, expected {wanted}")));
    let mut arguments = arguments;
    if let Some((relation, swapped)) = relation(name) {
        let (Some(second), Some(first), true) = (arguments.pop(), arguments.pop(), count == 2) else {
            return expected("2");
        };
        return Ok(Tree::new(at, Kind::Truth(compare(relation, swapped, first, second))));
    }
    match name {
        "And" | "Or" => {
            let parts = arguments.into_iter().map(truth).collect::<Result<Vec<_>, _>>()?;
            Ok(Tree::new(at, Kind::Truth(if name == "And" { Truth::All(parts) } else { Truth::Any(parts) })))
        }
        "Not" => match (arguments.pop(), count) {
            (Some(inner), 1) => Ok(Tree::new(at, Kind::Truth(Truth::Not(Box::new(truth(inner)?))))),
            _ => expected("1"),
        },
        "ExprCondPair" if count == 2 => Ok(Tree::new(at, Kind::List(arguments))),
        "If" | "ITE" | "Ite" | "ifelse" | "merge" => match (arguments.pop(), arguments.pop(), arguments.pop()) {
            (Some(condition), Some(other), Some(then)) if name == "merge" && count == 3 => {
                select(at, truth(condition)?, then, other)
            }
            (Some(other), Some(then), Some(condition)) if count == 3 => select(at, truth(condition)?, then, other),
            _ => expected("3, a condition and two values"),
        },
        "Which" | "piecewise" => {
            let other = if count % 2 == 1 { arguments.pop() } else { None };
            let mut pairs = Vec::new();
            let mut rest = arguments.into_iter();
            while let (Some(condition), Some(result)) = (rest.next(), rest.next()) {
                pairs.push((result, condition));
            }
            cases(at, pairs, other.or_else(|| (name == "piecewise").then(|| Tree::whole(at, "0"))))
        }
        "Piecewise" => {
            // Mathematica gives the cases in a list, and what holds elsewhere, 0 if it is left out.
            let nested = matches!(&arguments[..], [Tree { kind: Kind::List(list), .. }, ..]
                if list.iter().all(|one| matches!(one.kind, Kind::List(_))));
            let mut other = None;
            let pairs = if nested {
                other = if count == 2 { arguments.pop() } else { Some(Tree::whole(at, "0")) };
                match arguments.pop().map(|list| list.kind) {
                    Some(Kind::List(list)) if arguments.is_empty() => list,
                    _ => return expected("1 or 2"),
                }
            } else {
                arguments
            };
            let pair = |tree: Tree| match tree.kind {
                Kind::List(mut pair) => match (pair.pop(), pair.pop(), pair.is_empty()) {
                    (Some(condition), Some(result), true) => Ok((result, condition)),
                    _ => Err((tree.at, "expected a value and a condition".to_owned())),
                },
                _ => Err((tree.at, "expected a pair of a value and a condition".to_owned())),
            };
            let pairs = pairs.into_iter().map(pair).collect::<Result<Vec<_>, _>>()?;
            cases(at, pairs, other)
        }
        _ => expected("another number"),
    }
}
