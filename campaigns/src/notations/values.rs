//! Values of expressions and of systems at random points.

use super::print::Tree::{self, Call, Name, Number, Power, Product, Sum};
use super::print::{Printer, relation};
use soloist_problems::expressions::{Function, Notation, Polynomial, Relation, System};
use std::collections::BTreeMap;

/// Values of names at a point, and the largest number on the way.
pub(super) struct Point<'a> {
    pub(super) seed: u64,
    pub(super) known: BTreeMap<&'a str, f64>,
    pub(super) largest: f64,
}

impl Point<'_> {
    /// The value of an input, between -2 and 2.
    fn input(&self, name: &str) -> f64 {
        let hash = soloist::problem::stable_hash(&(self.seed, name));
        (hash % 4_000_003) as f64 / 1_000_000.7 - 2.0
    }

    pub(super) fn value(&mut self, tree: &Tree) -> f64 {
        let value = match tree {
            Number(value) => *value,
            Name(name) => self.known.get(name.as_str()).copied().unwrap_or_else(|| self.input(name)),
            Sum(parts) => {
                let mut sum = 0.0;
                for (negative, part) in parts {
                    let value = self.value(part);
                    sum += if *negative { -value } else { value };
                }
                sum
            }
            Product(parts) => {
                let mut product = 1.0;
                for (divide, part) in parts {
                    let value = self.value(part);
                    product = if *divide { product / value } else { product * value };
                    if *divide {
                        self.largest = self.largest.max(1.0 / value.abs());
                    }
                }
                product
            }
            Power(base, exponent) => {
                let (base, exponent) = (self.value(base), self.value(exponent));
                self.largest = self.largest.max(base.abs().recip());
                base.powf(exponent)
            }
            Call(name, arguments) => {
                let values: Vec<f64> = arguments.iter().map(|tree| self.value(tree)).collect();
                if matches!(&name[..], "log" | "sqrt" | "cbrt" | "atan2") {
                    // Rounding near zero moves these far.
                    self.largest = self.largest.max(values[0].abs().recip());
                }
                match computed(name, &values) {
                    Some(value) => value,
                    // The printer of the reader names an opaque function by its argument.
                    None => {
                        self.input(&format!("{name}({})", Printer { notation: Notation::Form }.text(&arguments[0])))
                    }
                }
            }
        };
        // A factor that is exactly zero takes away what has no value, and `max` leaves it out.
        self.largest = if value.is_nan() { f64::INFINITY } else { self.largest.max(value.abs()) };
        value
    }
}

fn computed(name: &str, values: &[f64]) -> Option<f64> {
    if let (Some(relation), &[a, b, c, d]) = (relation(name), values) {
        return Some(if holds(relation, a, b) { c } else { d });
    }
    let x = values.first().copied().unwrap_or(0.0);
    Some(match name {
        "pi" => std::f64::consts::PI,
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "asin" => x.asin(),
        "acos" => x.acos(),
        "atan" => x.atan(),
        "sinh" => x.sinh(),
        "cosh" => x.cosh(),
        "tanh" => x.tanh(),
        "asinh" => x.asinh(),
        "exp" => x.exp(),
        "log" => x.ln(),
        "sqrt" => x.sqrt(),
        "abs" => x.abs(),
        "floor" => x.floor(),
        "ceil" => x.ceil(),
        "cbrt" => x.cbrt(),
        "min" => x.min(values[1]),
        "max" => x.max(values[1]),
        _ => return None,
    })
}

fn holds(relation: Relation, a: f64, b: f64) -> bool {
    match relation {
        Relation::Less => a < b,
        Relation::LessEqual => a <= b,
        Relation::Equal => a == b,
        Relation::NotEqual => a != b,
    }
}

/// The values of the outputs of a system at a point.
pub(super) fn system_values(system: &System, point: &Point<'_>) -> Vec<f64> {
    struct Run<'a, 'b> {
        system: &'a System,
        values: Vec<Option<f64>>,
        point: &'a Point<'b>,
    }
    impl Run<'_, '_> {
        fn symbol(&mut self, symbol: usize) -> f64 {
            if let Some(value) = self.values[symbol] {
                return value;
            }
            let system = self.system;
            let block = system.definitions().iter().find(|one| one.symbol == Some(symbol));
            let call = system.calls().iter().find(|call| call.symbol == symbol);
            let value = match (block, call) {
                (Some(block), _) => self.polynomial(&block.polynomial),
                (None, Some(call)) => {
                    let results: Vec<_> = system.results().collect();
                    let values: Vec<f64> =
                        call.arguments.iter().map(|&at| self.polynomial(&results[at].polynomial)).collect();
                    match call.function {
                        Function::Inverse => values[0].recip(),
                        Function::Root(degree) => values[0].powf(1.0 / f64::from(degree)),
                        Function::Power => values[0].powf(values[1]),
                        Function::Named(name) => computed(name, &values).unwrap_or(f64::NAN),
                        Function::Constant(constant) => computed(constant.name(), &[]).unwrap_or(std::f64::consts::E),
                        Function::Select(relation) => computed(relation.select(), &values).unwrap_or(f64::NAN),
                    }
                }
                (None, None) => self.point.input(&system.symbols()[symbol]),
            };
            self.values[symbol] = Some(value);
            value
        }

        fn polynomial(&mut self, polynomial: &Polynomial) -> f64 {
            let mut sum = 0.0;
            for (row, value) in polynomial.terms() {
                let text = value.to_string();
                let (above, below) = text.split_once('/').unwrap_or((&text, "1"));
                let mut product = above.parse::<f64>().unwrap_or(f64::NAN) / below.parse::<f64>().unwrap_or(f64::NAN);
                for (symbol, &exponent) in row.iter().enumerate().filter(|(_, exponent)| **exponent > 0) {
                    product *= self.symbol(symbol).powi(exponent.into());
                }
                sum += product;
            }
            sum
        }
    }
    let mut run = Run { system, values: vec![None; system.symbols().len()], point };
    system.outputs().map(|output| run.polynomial(&output.polynomial)).collect()
}
