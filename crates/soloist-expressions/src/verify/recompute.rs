//! Reads code back for verification: evaluates and counts every statement.

use super::evaluate::{Failed, Point, Values, evaluate};
use crate::algebra::Counts;
use crate::emit::{Language, Names};
use soloist_domain::error::quote;

/// The outputs of code at a point, and its operations.
#[derive(Clone, Debug)]
pub(super) struct Recomputed {
    pub(super) outputs: Vec<u64>,
    pub(super) counts: Counts,
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
    language: Language,
    names: &Names,
    inputs: &[u64],
    point: Point,
) -> Result<Recomputed, Refused> {
    let mut values: Values = names.inputs.iter().cloned().zip(inputs.iter().copied()).collect();
    let mut counts = Counts::default();
    for (number, target, expression) in statements(code, language)? {
        let result = evaluate(expression.as_bytes(), point, &values, true).map_err(|failed| match failed {
            Failed::Unlucky => Refused::Unlucky,
            Failed::Syntax(offset, message) => {
                let rest = expression.as_bytes().get(offset..).unwrap_or_default();
                Refused::Wrong(format!("line {number}: {message}, found {}", quote(rest)))
            }
        })?;
        counts += result.counts;
        if names.inputs.iter().any(|name| name == target) {
            return Err(Refused::Wrong(format!("line {number}: assigns to an input")));
        }
        values.insert(target.to_owned(), result.value);
    }
    let outputs = names.outputs.iter().map(|name| {
        let wrong = || Refused::Wrong(format!("output {} is not assigned", quote(name.as_bytes())));
        values.get(name).copied().ok_or_else(wrong)
    });
    Ok(Recomputed { outputs: outputs.collect::<Result<_, _>>()?, counts })
}

/// The language that code is written in, by its first words.
pub(super) fn detect(code: &str) -> Language {
    for line in code.lines().map(str::trim) {
        let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
        if starts(&["pub fn ", "fn ", "#[allow"]) {
            return Language::Rust;
        } else if starts(&["void ", "static ", "#include"]) {
            return Language::C;
        } else if starts(&["def "]) {
            return Language::Python;
        } else if starts(&["subroutine ", "pure subroutine ", "module "]) {
            return Language::Fortran;
        }
    }
    Language::Form
}

/// Line number, target and expression of each statement of the first function.
fn statements(code: &str, language: Language) -> Result<Vec<(usize, &str, &str)>, Refused> {
    if language == Language::Form {
        return form_statements(code);
    }
    let mut found = Vec::new();
    let mut inside = language == Language::Json;
    for (index, line) in code.lines().enumerate() {
        let line = line.trim();
        let number = index + 1;
        if line.is_empty() || ["//", "!", "*"].iter().any(|mark| line.starts_with(mark)) {
            continue;
        }
        if !inside {
            inside = match language {
                Language::C | Language::Rust => line.ends_with('{'),
                Language::Python => line.starts_with("def "),
                _ => line.starts_with("subroutine "),
            };
            continue;
        }
        let (skip, end) = match language {
            Language::C | Language::Rust => (false, line == "}"),
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
            Language::C => "double ",
            Language::Rust => "let ",
            _ => "",
        };
        statement = statement.strip_prefix(prefix).unwrap_or(statement);
        let (target, expression) = statement.split_once(" = ").ok_or_else(wrong)?;
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
