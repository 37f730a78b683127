//! Independent verification: the operations of orders are recounted, code is run at random points.

mod evaluate;
mod frame;
mod functions;
mod generic;
mod machine;
mod points;
mod recompute;
mod recount;

use crate::algebra::{Assigned, Coefficient, Counts, Definition, Signs, System};
use crate::emit::shape;
use crate::emit::{CONTINUATION, Language, code_counts, names};
use crate::horner::Program;
use crate::read::{MAX_DIGITS, parse_form, reread};
use crate::summary::calls_text;
use evaluate::{Failed, Point, Values, add, evaluate, multiply, power};
use machine::Machine;
use points::Points;
use recompute::{Recomputed, Refused, detect, recompute};
pub(crate) use recount::LevelCounts;
pub use recount::recount;
use serde_json::Value;
use soloist_domain::Checked;
use soloist_domain::answer::{SubmittedSolution, claim, json, short};
use soloist_domain::error::quote;
use std::collections::BTreeMap;

/// Code of systems with at most this many terms is multiplied out and compared exactly.
const MAX_EXACT: usize = 2_000;

/// The message where no point has a value.
const NO_POINT: &str = "every point that was tried divides by zero";

/// The result of verifying code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The operations of the text of the code.
    pub counts: Counts,
    /// The function calls in the text of the code, and its divisions by something else than a number.
    pub calls: (usize, usize),
    /// The number of points at which all outputs agreed.
    pub points: usize,
    /// Whether the code was also multiplied out and compared term by term.
    pub exact: bool,
}

impl Verified {
    /// Wrong code of total degree `degree` agrees at all points with probability below 2 to the minus this: by the
    /// lemma of Schwartz and Zippel, the probability is degree / prime for each point, unless the coefficients of the
    /// difference all vanish modulo a prime. 0 for degrees from 2^60 on, where the lemma says nothing.
    ///
    /// # References
    /// J. T. Schwartz, "Fast probabilistic algorithms for verification of polynomial identities", Journal of the ACM
    /// 27, 1980, pages 701-717.
    #[must_use]
    pub fn error_bits(&self, degree: u64) -> u64 {
        let lost = u64::from(u64::BITS - degree.saturating_sub(1).leading_zeros());
        60_u64.saturating_sub(lost) * self.points as u64
    }
}

/// Runs `code` at random points modulo primes near 2^61 and compares the outputs with the input. The input is the text
/// from which the system was read, or its terms if there is no text. The points, and the last prime, are a hash of
/// input and code.
///
/// # Errors
/// One line: code that cannot be read, or an output that differs.
pub fn verify_code(system: &System, code: &str, language: Language) -> Result<Verified, String> {
    verify_at(system, code, language, 0)
}

/// As [`verify_code`], at points that depend on a seed too.
fn verify_at(system: &System, code: &str, language: Language, seed: u64) -> Result<Verified, String> {
    let mut chosen = Points::new(system, code, seed);
    let statements;
    let mut code = code;
    if language == Language::Json && code.starts_with('{') {
        statements = code_lines(json("code", code)?.get("code"))?.join("\n");
        code = &statements;
    }
    let joined;
    if language == Language::Fortran {
        joined = code.replace(CONTINUATION, "");
        code = &joined;
    }
    let names = names(system, language);
    let whole;
    if language == Language::C {
        if let Some(text) = shape::joined(code)? {
            whole = text;
            code = &whole;
        }
        code = shape::without_blocks(code, names.inputs.len(), names.outputs.len())?;
    }
    let machine = Machine::of(code, language, system.is_complex());
    frame::check(system, code, machine, &names)?;
    let (mut counts, mut calls) = (Counts::default(), (0, 0));
    for at in 0..points::COUNT {
        loop {
            let point = chosen.point(at);
            let prime = point.prime;
            let unlucky = |failed| match failed {
                Failed::Unlucky => None,
                Failed::Syntax(offset, message) => {
                    Some(format!("the input, evaluated for verification, at byte {offset}: {message}"))
                }
            };
            let values = match symbol_values(system, point).map_err(unlucky) {
                Ok(values) => values,
                Err(None) if chosen.unlucky() => continue,
                Err(None) => return Err(NO_POINT.into()),
                Err(Some(message)) => return Err(message),
            };
            let expected = match expected(system, &values, point).map_err(unlucky) {
                Ok(expected) => expected,
                Err(None) if chosen.unlucky() => continue,
                Err(None) => return Err(NO_POINT.into()),
                Err(Some(message)) => return Err(message),
            };
            let inputs: Vec<u64> = system.given().into_iter().map(|symbol| values[symbol]).collect();
            let Recomputed { outputs, counts: counted, calls: called } =
                match recompute(code, machine, &names, &inputs, point) {
                    Ok(found) => found,
                    Err(Refused::Unlucky) if chosen.unlucky() => continue,
                    Err(Refused::Unlucky) => return Err(NO_POINT.into()),
                    Err(Refused::Wrong(message)) => return Err(message),
                };
            if let Some(at) = (0..outputs.len()).find(|&at| outputs[at] != expected[at]) {
                let name = system.outputs().nth(at).map_or("", |output| &output.name);
                return Err(format!("output {} differs from the input modulo {prime}", quote(name.as_bytes())));
            }
            (counts, calls) = (counted, called);
            break;
        }
    }
    Ok(Verified { counts, calls, points: points::COUNT, exact: false })
}

/// The statements of the field `code` of a JSON object that [`emit`](crate::emit()) wrote.
fn code_lines(code: Option<&Value>) -> Result<Vec<&str>, String> {
    let lines = code.and_then(Value::as_array).ok_or("no list `code`")?;
    let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
    lines.ok_or_else(|| "`code` holds something else than statements".into())
}

/// The values of symbols at a point: those of inputs by their text, without a text of the system also those of blocks
/// by their terms.
fn symbol_values(system: &System, point: Point) -> Result<Vec<u64>, Failed> {
    let none = Values::new();
    let mut values = vec![0; system.symbols().len()];
    for symbol in system.given() {
        values[symbol] = evaluate(system.symbols()[symbol].as_bytes(), point, &none, None)?.value;
    }
    if system.source().is_some() {
        return Ok(values);
    }
    for definition in system.definitions() {
        if let Some(symbol) = definition.symbol {
            values[symbol] = terms_value(definition, &values, point)?;
        }
    }
    Ok(values)
}

fn terms_value(definition: &Definition, values: &[u64], point: Point) -> Result<u64, Failed> {
    let prime = point.prime;
    let mut sum = 0;
    for (row, value) in definition.polynomial.terms() {
        let mut product = value.modulo(prime).ok_or(Failed::Unlucky)?;
        for (&exponent, &value) in row.iter().zip(values) {
            match exponent {
                0 => {}
                1 => product = multiply(product, value, prime),
                _ => product = multiply(product, power(value, exponent.into(), prime), prime),
            }
        }
        sum = add(sum, product, prime);
    }
    Ok(sum)
}

/// The values of the outputs, by the text if there is one.
fn expected(system: &System, values: &[u64], point: Point) -> Result<Vec<u64>, Failed> {
    let Some(source) = system.source() else {
        return system.outputs().map(|output| terms_value(output, values, point)).collect();
    };
    let mut known = Values::new();
    for Assigned { name, range, .. } in &source.statements {
        let value = evaluate(&source.text[range.clone()], point, &known, None)?.value;
        known.insert(name.clone(), value);
    }
    let value = |output: &Definition| known.get(&output.name).copied().ok_or(Failed::Syntax(0, "an output is missing"));
    system.outputs().map(value).collect()
}

/// Verifies the code of `program` in one call: [`verify_code`], the number of operations that the program claims, and,
/// from the code in the notation of FORM, [`verify_exactly`].
///
/// # Errors
/// One line: code that cannot be read, an output that differs, another number of operations.
pub fn verify_program(
    system: &System,
    program: &Program,
    code: &str,
    language: Language,
    form: &str,
) -> Result<Verified, String> {
    let verified = verify_code(system, code, language)?;
    let (counted, claimed) = (verified.counts.total(), code_counts(system, program).total());
    if counted != claimed {
        return Err(format!("{claimed} operations claimed, {counted} counted"));
    }
    let ((calls, divisions), (called, divided)) = (system.call_counts(), verified.calls);
    if (called, divided) != (calls, divisions) {
        return Err(format!("{calls} calls and {divisions} divisions claimed, {called} and {divided} counted"));
    }
    Ok(Verified { exact: verify_exactly(system, form)?, ..verified })
}

/// Multiplies out statements in the notation of FORM and compares with the definitions term by term. Returns false,
/// without a comparison, if they are too large, hold blocks or hold numbers longer than the reader takes.
///
/// # Errors
/// One line: code that cannot be read, or an output that differs.
pub fn verify_exactly(system: &System, form: &str) -> Result<bool, String> {
    if system.terms() > MAX_EXACT || system.is_block().contains(&true) || !system.calls().is_empty() {
        return Ok(false);
    }
    if form.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() > MAX_DIGITS) {
        return Ok(false);
    }
    let again = parse_form("code", form.as_bytes()).map_err(|error| error.to_string())?;
    if again.is_block().contains(&true) {
        return Ok(false);
    }
    let names = names(system, Language::Form);
    let symbols = again.symbols();
    for (at, output) in system.outputs().enumerate() {
        let found = again.outputs().find(|found| found.name == names.outputs[at]);
        let found = found.ok_or_else(|| format!("output {} is missing", quote(output.name.as_bytes())))?;
        let mut expected: BTreeMap<Vec<(&str, u16)>, &Coefficient> = BTreeMap::new();
        for (row, value) in output.polynomial.terms() {
            let factors = row.iter().zip(&names.inputs).filter(|(exponent, _)| **exponent > 0);
            let mut factors: Vec<(&str, u16)> = factors.map(|(&exponent, name)| (name.as_str(), exponent)).collect();
            soloist::order::sort(&mut factors);
            expected.insert(factors, value);
        }
        for (row, value) in found.polynomial.terms() {
            let factors = row.iter().zip(symbols.iter()).filter(|(exponent, _)| **exponent > 0);
            let mut factors: Vec<(&str, u16)> = factors.map(|(&exponent, name)| (name.as_str(), exponent)).collect();
            soloist::order::sort(&mut factors);
            if expected.remove(&factors) != Some(value) {
                return Err(format!("output {} has another term {}", quote(output.name.as_bytes()), value));
            }
        }
        if !expected.is_empty() {
            return Err(format!("output {} lacks {} terms", quote(output.name.as_bytes()), expected.len()));
        }
    }
    Ok(true)
}

/// Verifies a solution: the result of `soloist solve --json`, its `solution` alone (`{"order": ["x", "y"]}`; further
/// fields are checked if present), a list of names, outermost first, or code that `soloist simplify` wrote.
///
/// The score of an order is the sum of its level costs, recounted from the terms. The score of code is its number of
/// operations.
///
/// # Errors
/// One line: text that cannot be read, an invalid order, a false claim, code that computes something else.
pub fn check(system: &System, text: &str, signs: Signs) -> Result<Checked, String> {
    check_at(system, text, signs, points::fresh())
}

/// As [`check`], which draws a seed from the randomness of the system and names it: code is compared at the points of
/// this seed.
///
/// # Errors
/// Same as for [`check`].
pub fn check_at(system: &System, text: &str, signs: Signs, seed: u64) -> Result<Checked, String> {
    let result = match SubmittedSolution::read(text)? {
        SubmittedSolution::Plain(text) => return check_code(system, text, detect(text), seed),
        SubmittedSolution::List(order) => return check_order(system, &order, &Value::Null, signs),
        SubmittedSolution::Object(result) => result,
    };
    result.belong_to("horner")?;
    if let code @ Some(_) = result.get("code") {
        let checked = check_code(system, &code_lines(code)?.join("\n"), Language::Json, seed)?;
        claim("operations", result.get("counts").and_then(|counts| counts.get("operations")), checked.score as u64)?;
        return Ok(checked);
    }
    let solution = result.solution()?;
    let order = solution.get("order").ok_or("no list `order`")?;
    let checked = check_order(system, order, solution, signs)?;
    if let Some(moves) = result.get("moves").and_then(Value::as_array) {
        let mut listed: Vec<Option<&str>> = moves.iter().map(Value::as_str).collect();
        let mut names: Vec<Option<&str>> = order.as_array().into_iter().flatten().map(Value::as_str).collect();
        soloist::order::sort(&mut listed);
        soloist::order::sort(&mut names);
        // Symbols that occur in no term are no moves.
        if listed.iter().any(|name| names.binary_search(name).is_err()) {
            return Err("`moves` and `order` differ".into());
        }
    }
    claim("score", result.get("score"), checked.score as u64)?;
    Ok(checked)
}

fn check_code(system: &System, code: &str, language: Language, seed: u64) -> Result<Checked, String> {
    // Inputs and outputs may have been chosen: the comments of the code name them.
    let chosen = frame::reading(system, code, language).and_then(|reading| reread(system, &reading));
    let system = chosen.as_ref().unwrap_or(system);
    let Verified { counts, points, .. } = verify_at(system, code, language, seed)?;
    let mut summary = format!(
        "{} code of {} additions and {} multiplications{}, equal to the input at {points} random points (seed {seed})",
        language.name(),
        counts.additions,
        counts.multiplications + counts.power_multiplications,
        calls_text(system)
    );
    if chosen.is_some() {
        let outputs: Vec<&str> = system.outputs().take(20).map(|output| output.name.as_str()).collect();
        summary.push_str(&format!("; outputs {}", outputs.join(", ")));
    }
    Ok(Checked { score: counts.total() as f64, summary })
}

fn check_order(system: &System, order: &Value, solution: &Value, signs: Signs) -> Result<Checked, String> {
    let list = order.as_array().ok_or("`order` is not a list")?;
    let mut places: BTreeMap<&str, usize> =
        system.symbols().iter().enumerate().map(|(symbol, name)| (name.as_str(), symbol)).collect();
    let mut full = Vec::new();
    for name in list {
        let text = name.as_str().ok_or_else(|| format!("{} is not a name", short(name)))?;
        let known = places.remove(text);
        full.push(known.ok_or_else(|| format!("variable {} does not exist or comes twice", quote(text.as_bytes())))?);
    }
    let occurrences = system.occurrences();
    if let Some(missing) = places.values().find(|&&symbol| occurrences[symbol] > 0) {
        return Err(format!("variable {} is missing", quote(system.symbols()[*missing].as_bytes())));
    }
    full.extend(places.values());
    let counts = recount(system, &full, signs).counts();
    let total = counts.total();
    claim("additions", solution.get("additions"), counts.additions)?;
    claim("multiplications", solution.get("multiplications"), counts.multiplications)?;
    claim("powers", solution.get("powers"), counts.powers)?;
    claim("operations", solution.get("operations"), total)?;
    let summary = format!("order of {} variables, {counts} operations after common sub-expressions", list.len());
    Ok(Checked { score: total as f64, summary })
}
