//! Random texts in every notation that `simplify` reads, printed back and computed again.
//!
//! A case draws statements, prints them in a notation between comments, declarations and commands, and reads them. What
//! was read is printed back in the same notation: its tokens must be those of the text. Its values at random points,
//! negative ones among them, must be those of the statements. The names are words of other notations.

mod back;
mod print;
mod values;

use crate::{Campaign, Verdict, rng};
use back::read_back;
use print::Tree::{self, Call, Name, Number, Power, Product, Sum};
use print::{FUNCTIONS, Printer, spelled, tokens};
use soloist::Rng;
use soloist_problems::expressions::{Notation, Reading, Relation, parse_with, translated};
use std::collections::{BTreeMap, BTreeSet};
use values::{Point, system_values};

/// Names that are words of some notations. Those of the own one are left out.
const NAMES: [&str; 34] = [
    "x", "y", "z1", "S", "V", "F", "s", "v", "f0", "i", "index", "format", "print", "function", "on", "off", "symbol",
    "restart", "kill", "disp", "oo", "nan", "inf", "Infinity", "num", "den", "Float", "real", "list", "E", "I",
    "M_1_PI", "Pi", "bracket",
];
/// Functions that no code computes, words of other notations among them.
const OPAQUE: [&str; 12] = ["g", "S", "V", "F", "num", "den", "Float", "sqr", "Integer", "List", "sympify", "dble"];
/// Words that are names in no text of a notation, because it reads, skips or refuses them.
fn reserved(notation: Notation) -> &'static [&'static str] {
    match notation {
        Notation::Form => &["num", "den"],
        Notation::Mathematica => &["Infinity", "E", "I", "Pi", "num", "den", "List"],
        Notation::Maple => &["I", "Pi", "restart", "print", "kill"],
        Notation::Sympy => &["oo", "nan", "inf", "E", "I", "Float", "Integer", "sympify", "print"],
        Notation::Maxima => &["inf", "kill", "disp", "print"],
        Notation::Matlab => &["inf", "nan", "real", "function", "disp", "format", "i", "print"],
        Notation::Fortran => &["real", "dble", "Pi", "print", "S", "V", "F", "I", "E", "list"],
        Notation::C => &["Pi", "M_1_PI"],
    }
}

fn word(rng: &mut Rng, words: &[&'static str]) -> &'static str {
    words[(rng.next_u64() % words.len() as u64) as usize]
}

/// Draws expressions.
struct Draw<'a> {
    rng: &'a mut Rng,
    notation: Notation,
    names: Vec<&'static str>,
    opaque: Vec<&'static str>,
}

impl Draw<'_> {
    fn below(&mut self, count: usize) -> usize {
        (self.rng.next_u64() % count as u64) as usize
    }

    fn atom(&mut self) -> Tree {
        match self.below(10) {
            0 => Number([2.0, 3.0, 7.0, 10.0][self.below(4)]),
            1 => Number([0.5, 1.25, 2.75, 0.1][self.below(4)]),
            2 if self.notation != Notation::Form => Call("pi".into(), Vec::new()),
            _ => Name(word(self.rng, &self.names).into()),
        }
    }

    fn name(&mut self) -> Tree {
        Name(word(self.rng, &self.names).into())
    }

    fn tree(&mut self, depth: usize) -> Tree {
        if depth == 0 {
            return self.atom();
        }
        match self.below(12) {
            0..=3 => {
                let count = 2 + self.below(3);
                let mut parts: Vec<(bool, Tree)> =
                    (0..count).map(|_| (self.below(3) == 0, self.tree(depth - 1))).collect();
                // A sum inside a sum stays one only behind a sign.
                for (place, part) in parts.iter_mut().enumerate() {
                    if place == 0 && matches!(part.1, Sum(_)) {
                        part.1 = self.atom();
                    }
                }
                Sum(parts)
            }
            4..=6 => {
                let count = 2 + self.below(3);
                let mut parts: Vec<(bool, Tree)> =
                    (0..count).map(|place| (place > 0 && self.below(4) == 0, self.tree(depth - 1))).collect();
                for (place, (divide, part)) in parts.iter_mut().enumerate() {
                    if *divide && matches!(part, Number(_)) || place == 0 && matches!(part, Product(_)) {
                        *part = self.name();
                    }
                }
                Product(parts)
            }
            7 => {
                let exponent = match self.below(4) {
                    0 => self.name(),
                    1 => Sum(vec![(true, Number(1.0 + self.below(3) as f64))]),
                    _ => Number(2.0 + self.below(3) as f64),
                };
                Power(Box::new(self.tree(depth - 1)), Box::new(exponent))
            }
            8 | 9 => {
                let name = FUNCTIONS[self.below(FUNCTIONS.len())];
                if spelled(self.notation, name).is_none() {
                    return self.atom();
                }
                match name {
                    "min" | "max" => Call(name.into(), vec![self.tree(depth - 1), self.name()]),
                    "floor" | "ceil" => Call(name.into(), vec![self.name()]),
                    _ => Call(name.into(), vec![self.tree(depth - 1)]),
                }
            }
            10 => {
                let name = word(self.rng, &self.opaque);
                // Elements of arrays look like this elsewhere.
                Call(name.into(), vec![self.name()])
            }
            _ if self.notation == Notation::Form => self.atom(),
            _ => {
                let relation = Relation::ALL[self.below(4)];
                let sides = vec![self.name(), Number(0.5 + self.below(3) as f64)];
                let mut arguments = sides;
                arguments.extend([self.tree(depth - 1), self.tree(depth - 1)]);
                Call(relation.select().into(), arguments)
            }
        }
    }
}

/// Comments, declarations and commands of a notation, which change nothing; true: it must be listed as skipped.
fn decorations(notation: Notation) -> &'static [(&'static str, bool)] {
    match notation {
        Notation::Form => {
            &[("* remark q1", false), ("Symbols q1,q2;", true), ("CFunction q3;", true), ("Format C;", true)]
        }
        Notation::Mathematica => &[("(* remark q1 *)", false), ("ClearAll[q1];", true), ("Print[q1];", true)],
        Notation::Maple => &[("# remark q1", false), ("restart:", true), ("with(LinearAlgebra):", true)],
        Notation::Sympy => &[("# remark q1", false), ("from sympy import *", true), ("import math", true)],
        Notation::Maxima => &[("/* remark q1 */", false), ("kill(all)$", true), ("load(q1)$", true)],
        Notation::Matlab => {
            &[("% remark q1", false), ("format long", true), ("clear all;", true), ("syms q1 q2", true)]
        }
        Notation::Fortran => &[("! remark q1", false), ("implicit none", true), ("real(8) :: q1", true)],
        Notation::C => {
            &[("// remark q1", false), ("double q1, q2;", true), ("#include <math.h>", true), ("/* q1 */", false)]
        }
    }
}

/// A case.
struct Case {
    notation: Notation,
    statements: Vec<(String, Tree)>,
    text: String,
    skipped: BTreeSet<String>,
}

fn drawn(seed: u64, case: u64) -> Case {
    let mut rng = rng(seed, case);
    let notation = Notation::ALL[(case % 8) as usize];
    let own = reserved(notation);
    let pick = |words: &[&'static str]| words.iter().copied().filter(|word| !own.contains(word)).collect::<Vec<_>>();
    let mut draw = Draw { rng: &mut rng, notation, names: pick(&NAMES), opaque: pick(&OPAQUE) };
    // A name is a variable or a function, not both.
    let functions: Vec<&'static str> = (0..3).map(|_| word(draw.rng, &draw.opaque)).collect();
    let variables: Vec<&'static str> = (0..5).map(|_| word(draw.rng, &draw.names)).collect();
    draw.names = variables.into_iter().filter(|name| !functions.contains(name)).collect();
    draw.names.push("x");
    draw.opaque = functions;
    let printer = Printer { notation };
    let (mut statements, mut text, mut skipped) = (Vec::new(), String::new(), BTreeSet::new());
    let count = 1 + draw.below(3);
    for at in 0..count {
        if draw.below(2) == 0 {
            let all = decorations(notation);
            let (line, listed) = all[draw.below(all.len())];
            text.push_str(line);
            text.push('\n');
            if listed {
                skipped.insert(line.trim_end_matches([';', '$']).to_owned());
            }
        }
        let depth = 1 + draw.below(3);
        let (name, mut tree) = (format!("out{at}"), draw.tree(depth));
        // A bare name or number is no expression worth a statement, an earlier output may be used.
        if at > 0 && draw.below(3) == 0 {
            tree = Product(vec![(false, Name("out0".into())), (false, tree)]);
            if let Product(parts) = &mut tree
                && matches!(parts[1].1, Product(_))
            {
                parts[1].1 = Name("x".into());
            }
        }
        let typed = notation == Notation::C && draw.below(2) == 0;
        text.push_str(if typed { ["double ", "F ", "const S ", "Index "][draw.below(4)] } else { "" });
        text.push_str(&printer.statement(&name, &tree));
        text.push('\n');
        statements.push((name, tree));
    }
    Case { notation, statements, text, skipped }
}

/// The campaign.
#[derive(Clone, Copy, Debug)]
pub struct Notations {
    seed: u64,
}

impl Notations {
    /// Returns the campaign of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    fn judge(case: &Case) -> Result<(), String> {
        let Case { notation, statements, text, skipped } = case;
        let (back, listed) = translated("case", text.as_bytes(), Some(*notation), &Reading::default())
            .map_err(|error| format!("refused: {error}"))?;
        let listed: BTreeSet<String> =
            listed.into_iter().map(|line| line.trim_end_matches([';', '$']).to_owned()).collect();
        if listed != *skipped {
            return Err(format!("skipped {skipped:?}, listed {listed:?}"));
        }
        let read = read_back(&back).ok_or_else(|| format!("cannot be read back: {back}"))?;
        let printer = Printer { notation: *notation };
        let print = |all: &[(String, Tree)]| {
            all.iter().map(|(name, tree)| printer.statement(name, tree)).collect::<Vec<_>>().join("\n")
        };
        let (given, found) = (print(statements), print(&read));
        if tokens(&given) != tokens(&found) {
            return Err(format!("read as {found}"));
        }
        let names: Vec<String> = statements.iter().map(|(name, _)| name.clone()).collect();
        let reading = Reading { outputs: Some(names), ..Reading::default() };
        let system = match parse_with("case", text.as_bytes(), true, Some(*notation), &reading) {
            Ok(system) => system,
            // Random numbers may divide by zero.
            Err(error) if error.to_string().contains("a division by zero") => return Ok(()),
            Err(error) => return Err(format!("refused: {error}")),
        };
        for seed in 0..3 {
            let mut point = Point { seed, known: BTreeMap::new(), largest: 1.0 };
            let mut expected = Vec::new();
            for (name, tree) in statements {
                let value = point.value(tree);
                point.known.insert(name, value);
                expected.push(value);
            }
            let found = system_values(&system, &point);
            for ((name, _), (value, other)) in statements.iter().zip(expected.into_iter().zip(found)) {
                // A value that was lost on the way, or that rounding decides, says nothing.
                let known = value.is_finite() && other.is_finite() && point.largest < 1e6;
                if known && (value - other).abs() > 1e-6 * point.largest {
                    return Err(format!("{name} is {value}, read as {other} at point {seed}"));
                }
            }
        }
        Ok(())
    }
}

impl Campaign for Notations {
    fn run(&mut self, case: u64) -> Verdict {
        match Self::judge(&drawn(self.seed, case)) {
            Ok(()) => Verdict::Accepted,
            Err(message) => Verdict::Finding(message.replace('\n', " ")),
        }
    }

    fn describe(&self, case: u64) -> String {
        let case = drawn(self.seed, case);
        format!("{}, {} statements", case.notation.name(), case.statements.len())
    }

    fn input(&self, case: u64) -> Option<Vec<u8>> {
        Some(drawn(self.seed, case).text.into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_all_notations_are_read_as_they_were_written() {
        let mut campaign = Notations::new(1);
        for case in 0..400 {
            let verdict = campaign.run(case);
            let text = String::from_utf8(campaign.input(case).unwrap()).unwrap();
            assert_eq!(verdict, Verdict::Accepted, "case {case}, {}:\n{text}", campaign.describe(case));
        }
    }

    /// What the campaign must find: a text that another one stands for.
    #[test]
    fn another_text_is_found() {
        let mut case = drawn(1, 7);
        case.text = case.text.replacen("out0 =", "out0 = 1.0 +", 1);
        assert!(Notations::judge(&case).is_err());
        let mut case = drawn(1, 7);
        case.skipped.insert("something".into());
        assert!(Notations::judge(&case).is_err());
    }
}
