//! Expressions, and their text in every notation.

use Tree::{Call, Name, Number, Power, Product, Sum};
use soloist_problems::expressions::{Notation, Relation};

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    /// A number that is not negative.
    Number(f64),
    /// A variable.
    Name(String),
    /// Summands; true: subtracted.
    Sum(Vec<(bool, Tree)>),
    /// Factors; true: divided by.
    Product(Vec<(bool, Tree)>),
    /// Base and exponent.
    Power(Box<Tree>, Box<Tree>),
    /// A function by its name in the notation of the reader, a conditional, or a constant.
    Call(String, Vec<Tree>),
}

/// Functions that code computes, by their names in the notation of the reader.
pub(super) const FUNCTIONS: [&str; 19] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "exp", "log", "sqrt", "abs", "floor",
    "ceil", "cbrt", "min", "max",
];

/// What a notation calls a function of the reader; `None`: it has no such word.
pub(super) fn spelled(notation: Notation, name: &str) -> Option<String> {
    let capital = |name: &str| name[..1].to_uppercase() + &name[1..];
    let arc = |name: &str| matches!(name, "asin" | "acos" | "atan" | "asinh");
    Some(match (notation, name) {
        (Notation::Mathematica, "ceil") => "Ceiling".into(),
        (Notation::Mathematica, "cbrt") => "CubeRoot".into(),
        (Notation::Mathematica, name) if arc(name) => format!("Arc{}", capital(&name[1..])),
        (Notation::Mathematica, name) => capital(name),
        (Notation::Maple, name) if arc(name) => format!("arc{}", &name[1..]),
        (Notation::Maple | Notation::Maxima | Notation::Matlab | Notation::Fortran, "cbrt") => return None,
        (Notation::Maxima | Notation::Fortran | Notation::Sympy, "ceil") => "ceiling".into(),
        (Notation::Maxima, "abs") => "abs".into(),
        (Notation::C, "abs") => "fabs".into(),
        (Notation::C, "min" | "max") => format!("f{name}"),
        (Notation::Sympy, "min" | "max" | "abs") => capital(name),
        (_, name) => name.into(),
    })
}

/// Prints expressions in a notation.
pub(super) struct Printer {
    pub(super) notation: Notation,
}

impl Printer {
    fn number(&self, value: f64) -> String {
        let whole = value.fract() == 0.0;
        match self.notation {
            Notation::C => format!("{value:?}"),
            Notation::Fortran if whole => format!("{value:?}d0"),
            Notation::Fortran => format!("{value:?}_dp"),
            _ => format!("{value}"),
        }
    }

    fn call(&self, name: &str, arguments: &[String]) -> String {
        let joined = arguments.join(", ");
        if self.notation == Notation::Mathematica { format!("{name}[{joined}]") } else { format!("{name}({joined})") }
    }

    /// A tree as a factor or base.
    fn tight(&self, tree: &Tree) -> String {
        let text = self.text(tree);
        match tree {
            Number(_) | Name(_) => text,
            Call(name, _) if !name.starts_with("select") => text,
            Power(..) if self.notation == Notation::C => text,
            _ => format!("({text})"),
        }
    }

    pub(super) fn text(&self, tree: &Tree) -> String {
        match tree {
            Number(value) => self.number(*value),
            Name(name) => name.clone(),
            Sum(parts) => {
                let mut text = String::new();
                for (place, (negative, part)) in parts.iter().enumerate() {
                    text.push_str(match (negative, place) {
                        (true, 0) => "-",
                        (true, _) => " - ",
                        (false, 0) => "",
                        (false, _) => " + ",
                    });
                    let inner = matches!(part, Sum(_)) || matches!(part, Call(name, _) if name.starts_with("select"));
                    text.push_str(&if inner { self.tight(part) } else { self.text(part) });
                }
                text
            }
            Product(parts) => {
                let times = if self.notation == Notation::Matlab { [".*", "./"] } else { ["*", "/"] };
                let mut text = String::new();
                for (place, (divide, part)) in parts.iter().enumerate() {
                    text.push_str(if place > 0 { times[usize::from(*divide)] } else { "" });
                    let inner = if matches!(part, Power(..)) { self.text(part) } else { self.tight(part) };
                    // The point of a number would belong to the operator.
                    let dotted = self.notation == Notation::Matlab && matches!(part, Number(_));
                    text.push_str(&if dotted { format!("({inner})") } else { inner });
                }
                text
            }
            Power(base, exponent) => match self.notation {
                Notation::C => self.call("pow", &[self.text(base), self.text(exponent)]),
                Notation::Fortran | Notation::Sympy => format!("{}**{}", self.tight(base), self.tight(exponent)),
                Notation::Matlab => format!("({}).^{}", self.text(base), self.tight(exponent)),
                _ => format!("{}^{}", self.tight(base), self.tight(exponent)),
            },
            Call(name, arguments) => self.function(name, arguments),
        }
    }

    fn function(&self, name: &str, arguments: &[Tree]) -> String {
        let texts: Vec<String> = arguments.iter().map(|tree| self.text(tree)).collect();
        if let (Some(relation), [a, b, c, d]) = (relation(name), &texts[..]) {
            let sign = match (relation, self.notation) {
                (Relation::Less, _) => "<",
                (Relation::LessEqual, _) => "<=",
                (Relation::Equal, Notation::Maple | Notation::Maxima) => "=",
                (Relation::NotEqual, Notation::Maxima) => "#",
                (Relation::Equal, _) => "==",
                (Relation::NotEqual, Notation::Fortran) => "/=",
                (Relation::NotEqual, Notation::Maple) => "<>",
                (Relation::NotEqual, Notation::Matlab) => "~=",
                (Relation::NotEqual, _) => "!=",
            };
            return match self.notation {
                Notation::Form => self.call(name, &texts),
                Notation::C => format!("{a} {sign} {b} ? {c} : {d}"),
                Notation::Fortran => format!("merge({c}, {d}, {a} {sign} {b})"),
                Notation::Sympy => format!("Piecewise(({c}, {a} {sign} {b}), ({d}, True))"),
                Notation::Mathematica => format!("If[{a} {sign} {b}, {c}, {d}]"),
                Notation::Maple | Notation::Matlab => format!("piecewise({a} {sign} {b}, {c}, {d})"),
                Notation::Maxima => format!("if {a} {sign} {b} then {c} else {d}"),
            };
        }
        match (name, arguments) {
            ("pi", []) => match self.notation {
                Notation::Form => "pi_".into(),
                Notation::Mathematica | Notation::Maple => "Pi".into(),
                Notation::Maxima => "%pi".into(),
                Notation::C => "M_PI".into(),
                _ => "pi".into(),
            },
            _ if FUNCTIONS.contains(&name) => self.call(&spelled(self.notation, name).unwrap_or_default(), &texts),
            _ => self.call(name, &texts),
        }
    }

    /// A statement with its end.
    pub(super) fn statement(&self, name: &str, tree: &Tree) -> String {
        let text = self.text(tree);
        match self.notation {
            Notation::Form => format!("Local {name} = {text};"),
            Notation::Maple => format!("{name} := {text};"),
            Notation::Maxima => format!("{name} : {text}$"),
            Notation::Sympy | Notation::Fortran => format!("{name} = {text}"),
            _ => format!("{name} = {text};"),
        }
    }
}

pub(super) fn relation(name: &str) -> Option<Relation> {
    Relation::ALL.into_iter().find(|relation| relation.select() == name)
}

/// Words, numbers and signs, without blanks.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut word = false;
    for letter in text.chars() {
        let part = letter.is_alphanumeric() || matches!(letter, '_' | '.' | '%');
        match found.last_mut() {
            Some(last) if part && word => last.push(letter),
            _ if letter.is_whitespace() => {}
            _ => found.push(letter.to_string()),
        }
        word = part;
    }
    found
}
