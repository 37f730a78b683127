//! Reads code back for verification: evaluates and counts every statement.

use super::evaluate::{Evaluated, Failed, Point, Values, evaluate};
use super::functions::select;
use super::machine::Machine;
use crate::algebra::{Counts, Relation};
use crate::emit::{Language, Names};
use soloist_domain::error::quote;
use std::collections::HashSet;

/// The outputs of code at a point, and its operations.
#[derive(Clone, Debug)]
pub(super) struct Recomputed {
    pub(super) outputs: Vec<u64>,
    pub(super) counts: Counts,
    /// Function calls and divisions.
    pub(super) calls: (usize, usize),
}

/// The reason why code has no value.
#[derive(Clone, Debug)]
pub(super) enum Refused {
    /// It divides by zero at this point.
    Unlucky,
    /// It is wrong; one line.
    Wrong(String),
}

/// Runs the statements of code; `inputs` are the values in the order of `names.inputs`.
pub(super) fn recompute(
    code: &str,
    machine: Machine,
    names: &Names,
    inputs: &[u64],
    point: Point,
) -> Result<Recomputed, Refused> {
    let mut values: Values = names.inputs.iter().cloned().zip(inputs.iter().copied()).collect();
    let mut counts = Counts::default();
    let mut calls = (0, 0);
    for (number, target, expression) in statements(code, machine)? {
        if let Some(literal) = whole_literal(expression, machine) {
            let message = format!("line {number}: the number {literal} is whole, expected {literal}.0");
            return Err(Refused::Wrong(message));
        }
        let result = statement(expression, machine, point, &values).map_err(|failed| match failed {
            Failed::Unlucky => Refused::Unlucky,
            Failed::Syntax(offset, message) => {
                let rest = expression.as_bytes().get(offset..).unwrap_or_default();
                Refused::Wrong(format!("line {number}: {message}, found {}", quote(rest)))
            }
        })?;
        counts += result.counts;
        calls.0 += result.calls;
        calls.1 += result.divisions;
        if names.inputs.iter().any(|name| name == target) {
            return Err(Refused::Wrong(format!("line {number}: assigns to an input")));
        }
        values.insert(target.to_owned(), result.value);
    }
    let outputs = names.outputs.iter().map(|name| {
        let wrong = || Refused::Wrong(format!("output {} is not assigned", quote(name.as_bytes())));
        values.get(name).copied().ok_or_else(wrong)
    });
    Ok(Recomputed { outputs: outputs.collect::<Result<_, _>>()?, counts, calls })
}

/// The value of the right side of a statement.
fn statement(expression: &str, machine: Machine, point: Point, values: &Values) -> Result<Evaluated, Failed> {
    let free = Evaluated { value: 0, counts: Counts::default(), calls: 0, divisions: 0 };
    if let Some(constant) = machine.constant(expression) {
        return Ok(Evaluated { value: point.constant(constant), ..free });
    }
    let value = |text: &str| evaluate(text.as_bytes(), point, values, Some(machine));
    if let Some((relation, parts)) = conditional(expression, machine.language) {
        let mut found = [0; 4];
        for (found, text) in found.iter_mut().zip(parts) {
            let part = value(text)?;
            if part.counts.total() > 0 || part.calls + part.divisions > 0 {
                return Err(Failed::Syntax(0, "a conditional of something else than names and numbers"));
            }
            *found = part.value;
        }
        return Ok(Evaluated { value: select(point, relation, found), calls: 1, ..free });
    }
    let guarded = expression.strip_prefix("_value(").filter(|_| machine.language == Language::Python);
    let inverse = guarded.and_then(|rest| rest.strip_prefix("lambda a: 1/a, ")?.strip_suffix(')'));
    if let Some(inverse) = inverse {
        return value(&format!("1/({inverse})"));
    }
    let quotient = guarded.and_then(|rest| rest.strip_prefix("lambda a, b: a/b, ")?.strip_suffix(')'));
    if let Some((above, below)) = quotient.and_then(|quotient| quotient.split_once(", ")) {
        return value(&format!("({above})/({below})"));
    }
    if let Some((name, arguments)) = guarded.and_then(|rest| rest.split_once(", ")) {
        return value(&format!("{name}({arguments}"));
    }
    if machine.language == Language::Fortran
        && let Some(inner) = expression.strip_prefix("real(")
        && let Some(inner) = inner.strip_suffix(&format!(", {})", machine.kind().0))
    {
        return value(inner);
    }
    if machine.language == Language::Fortran
        && let Some((of, again)) = expression.strip_prefix("sign(abs(").and_then(|rest| rest.split_once(")**("))
        && let kind = machine.kind().0
        && again == format!("1.0_{kind}/3.0_{kind}), {of})")
        && !machine.complex
    {
        let part = value(of)?;
        let root = point.hash("cbrt()", &[part.value]);
        return Ok(Evaluated { value: root, calls: part.calls + 1, ..part });
    }
    value(expression)
}

/// The comparison of a conditional, and what it compares and chooses from.
fn conditional(expression: &str, language: Language) -> Option<(Relation, [&str; 4])> {
    let (condition, then, other) = match language {
        Language::C | Language::Cpp => {
            let (condition, values) = expression.split_once(" ? ")?;
            let (then, other) = values.split_once(" : ")?;
            (condition, then, other)
        }
        Language::Rust => {
            let (condition, values) = expression.strip_prefix("if ")?.split_once(" { ")?;
            let (then, other) = values.strip_suffix(" }")?.split_once(" } else { ")?;
            (condition, then, other)
        }
        Language::Python => {
            let (then, rest) = expression.split_once(" if ")?;
            let (condition, other) = rest.split_once(" else ")?;
            (condition, then, other)
        }
        Language::Fortran => {
            let mut parts = expression.strip_prefix("merge(")?.strip_suffix(')')?.split(", ");
            let (Some(then), Some(other), Some(condition), None) =
                (parts.next(), parts.next(), parts.next(), parts.next())
            else {
                return None;
            };
            (condition, then, other)
        }
        Language::Form | Language::Json => return None,
    };
    let signs = [
        (" < ", Relation::Less),
        (" <= ", Relation::LessEqual),
        (" == ", Relation::Equal),
        (if language == Language::Fortran { " /= " } else { " != " }, Relation::NotEqual),
    ];
    let (sign, relation) = signs.into_iter().find(|(sign, _)| condition.contains(sign))?;
    let (left, right) = condition.split_once(sign)?;
    Some((relation, [left, right, then, other]))
}

/// A number that the language would compute with as a whole one: in Rust any without a point, in C and Fortran one that
/// divides or is divided.
fn whole_literal(expression: &str, machine: Machine) -> Option<&str> {
    let language = machine.language;
    if !matches!(language, Language::C | Language::Rust | Language::Fortran) || machine.is_generic() {
        return None;
    }
    let bytes = expression.as_bytes();
    let name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && name(bytes[at]) {
            at += 1;
        }
        if at == start {
            at += 1;
            continue;
        }
        let word = &expression[start..at];
        let before = expression[..start].trim_end().bytes().next_back();
        let index = matches!(before, Some(b'[')) || bytes.get(at) == Some(&b')') && in_element(expression, start);
        // The power of ten of a number: 1.5e-3.
        let power = expression[..start].strip_suffix(['-', '+']).is_some_and(|head| {
            let mut back = head.bytes().rev();
            back.next() == Some(b'e') && back.next().is_some_and(|byte| byte.is_ascii_digit())
        });
        if !word.bytes().all(|byte| byte.is_ascii_digit()) || index || power {
            continue;
        }
        let after = expression[at..].trim_start().bytes().next();
        if language == Language::Rust || before == Some(b'/') || after == Some(b'/') {
            return Some(word);
        }
    }
    None
}

/// Whether the number at `start` is the index of an element of Fortran: `x(3)`.
fn in_element(expression: &str, start: usize) -> bool {
    let Some(open) = expression[..start].strip_suffix('(') else { return false };
    open.bytes().next_back().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The language that code is written in, by its first words.
pub(super) fn detect(code: &str) -> Language {
    for line in code.lines().map(str::trim) {
        let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
        if starts(&["pub fn ", "fn ", "#[allow", "pub trait "]) {
            return Language::Rust;
        } else if starts(&["#pragma once", "template "]) {
            return Language::Cpp;
        } else if starts(&["void ", "static ", "#include"]) {
            return Language::C;
        } else if starts(&["def ", "import "]) {
            return Language::Python;
        } else if starts(&["subroutine ", "pure subroutine ", "module "]) {
            return Language::Fortran;
        }
    }
    Language::Form
}

/// Line number, target and expression of each statement of the first function.
fn statements(code: &str, machine: Machine) -> Result<Vec<(usize, &str, &str)>, Refused> {
    let language = machine.language;
    if language == Language::Form {
        return form_statements(code);
    }
    let mut found = Vec::new();
    let mut targets: HashSet<&str> = HashSet::new();
    let mut inside = language == Language::Json;
    for (index, line) in code.lines().enumerate() {
        let line = line.trim();
        let number = index + 1;
        if line.is_empty() || ["//", "!", "*"].iter().any(|mark| line.starts_with(mark)) {
            continue;
        }
        if !inside {
            inside = match language {
                Language::C | Language::Cpp => line.ends_with('{'),
                Language::Rust => line.starts_with("pub fn ") && line.ends_with('{'),
                Language::Python => line.starts_with("def ") && !line.starts_with("def _value("),
                _ => line.starts_with("subroutine "),
            };
            continue;
        }
        let (skip, end) = match language {
            Language::C | Language::Rust => (false, line == "}"),
            Language::Cpp => (line.starts_with("using std::"), line == "}"),
            Language::Python => (line.starts_with('#') || line.starts_with("y = [0]*"), line == "return y"),
            Language::Fortran => (line.contains("::") || line == "implicit none", line.starts_with("end subroutine")),
            _ => (false, false),
        };
        if end {
            return Ok(found);
        }
        if skip {
            continue;
        }
        let wrong = || Refused::Wrong(format!("line {number}: {} is no assignment", quote(line.as_bytes())));
        let mut statement = line;
        if !matches!(language, Language::Python | Language::Fortran | Language::Json) {
            statement = statement.strip_suffix(';').ok_or_else(wrong)?;
        }
        let prefix = match language {
            Language::C | Language::Cpp => machine.number(),
            Language::Rust => "let",
            _ => "",
        };
        let declared = statement.strip_prefix(prefix).filter(|_| !prefix.is_empty());
        let declared = declared.and_then(|rest| rest.strip_prefix(' '));
        statement = declared.unwrap_or(statement);
        let (target, expression) = statement.split_once(" = ").ok_or_else(wrong)?;
        // A name is declared once, an element of an array never.
        let element = target.contains('[');
        let known = !targets.insert(target);
        if !prefix.is_empty()
            && (declared.is_some() && (element || known && language != Language::Rust)
                || declared.is_none() && !element && !known)
        {
            let kind = if declared.is_none() { "a name that is not declared" } else { "declared already" };
            return Err(Refused::Wrong(format!("line {number}: {} is {kind}", quote(target.as_bytes()))));
        }
        found.push((number, target, expression));
    }
    if language == Language::Json {
        Ok(found)
    } else {
        Err(Refused::Wrong(format!("the function does not {}", if inside { "end" } else { "begin" })))
    }
}

/// The statements up to `;` each, on one or several lines, between comment lines.
fn form_statements(code: &str) -> Result<Vec<(usize, &str, &str)>, Refused> {
    let mut found = Vec::new();
    let mut rest = code.trim_start();
    while !rest.is_empty() {
        if rest.starts_with('*') {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
            continue;
        }
        let number = 1 + code[..code.len() - rest.len()].bytes().filter(|&byte| byte == b'\n').count();
        let wrong = || Refused::Wrong(format!("line {number}: {} is no assignment", quote(rest.as_bytes())));
        let (statement, after) = rest.split_once(';').ok_or_else(wrong)?;
        let (target, expression) = statement.split_once(" = ").ok_or_else(wrong)?;
        found.push((number, target, expression));
        rest = after.trim_start();
    }
    Ok(found)
}
