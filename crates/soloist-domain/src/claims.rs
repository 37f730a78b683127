//! What a result claims: which of it holds, which does not, and which nobody has looked at.
//!
//! The domain's checker verifies the solution, its score and what it knows of. This module compares what every result
//! has, replays the moves, and lists the rest, so that no claim passes in silence.

use crate::answer::{self, short};
use crate::domain::Checked;
use crate::result::{self, VERSION, close, number};
use crate::{AnyInstance, SolutionReport, known_format};
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::fmt;

/// What is known of a solution and of all that is claimed with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What the domain's checker has found.
    pub checked: Checked,
    /// The other solutions that the result keeps, all of them valid.
    pub others: usize,
    /// The claims about solutions that nobody has seen, `bound` and `optimal`, each with whether it is confirmed: by
    /// the bound that the problem has for all solutions. What a search has proven by examining solutions is not
    /// examined again.
    pub proofs: Vec<(&'static str, bool)>,
    /// The fields of the result that were not verified, `solution.NAME` for those of its solution.
    pub unchecked: Vec<String>,
}

impl Verdict {
    /// The unverified fields in words; empty: there are none. How a solution was found is one of them.
    #[must_use]
    pub fn remark(&self) -> String {
        let (run, claims): (Vec<&str>, Vec<&str>) =
            self.unchecked.iter().map(String::as_str).partition(|field| RUN.contains(field));
        let run = if run.is_empty() { None } else { Some("how it was found") };
        let all: Vec<&str> = claims.into_iter().chain(run).collect();
        if all.is_empty() { String::new() } else { format!("not checked: {}", all.join(", ")) }
    }
}

/// The fields that say how a solution was found: only the same run could verify them.
const RUN: [&str; 21] = [
    "job",
    "label",
    "method",
    "parameters",
    "rollout",
    "seed",
    "threads",
    "budget",
    "version",
    "machine",
    "prefix",
    "playouts",
    "nodes",
    "unit",
    "tree",
    "seconds",
    "stop",
    "verified",
    "history",
    "improvements",
    "remarks",
];

/// A solution as a file holds it: the text, and what it says if it is a result.
#[derive(Debug)]
pub struct Submission<'t> {
    text: &'t str,
    head: Option<Head>,
}

impl<'t> Submission<'t> {
    /// Reads what a text says if it is a JSON object. The solution itself is read by the domain.
    ///
    /// # Errors
    /// One line: the object is broken, says something twice, or is of a later release.
    pub fn read(text: &'t str) -> Result<Self, String> {
        Ok(Self { text, head: head(text)? })
    }

    /// Returns the options that the result was found under.
    #[must_use]
    pub fn options(&self) -> Option<&Value> {
        self.head.as_ref()?.options.as_ref()
    }

    /// Verifies the solution and all that is claimed of it for the problem called `problem`.
    ///
    /// # Errors
    /// One line: the first claim that does not hold.
    pub fn verify(&self, problem: &str, instance: &dyn AnyInstance) -> Result<Verdict, String> {
        let result = self.head.as_ref();
        consistent(problem, self.text, result)?;
        let mut unchecked = Vec::new();
        let (checked, others) = each(instance, self.text, result, &mut unchecked)?;
        let checked = claimed(result, checked)?;
        let proofs = proofs(result, instance, checked.score)?;
        Ok(Verdict { checked, others, proofs, unchecked })
    }
}

/// What a result says about its solution. The solution itself is only looked at: the domain reads it.
#[derive(Debug, Default, Deserialize)]
struct Head {
    format: Option<Value>,
    problem: Option<Value>,
    options: Option<Value>,
    feasible: Option<Value>,
    violation: Option<Value>,
    score: Option<Value>,
    optimal: Option<Value>,
    infeasible: Option<Value>,
    bound: Option<Value>,
    moves: Option<Shape>,
    others: Option<Shape>,
    #[serde(default, deserialize_with = "present")]
    solution: Option<Option<IgnoredAny>>,
}

/// Distinguishes null from a missing field.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<IgnoredAny>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Whether a value is a list, without keeping it.
#[derive(Debug)]
struct Shape {
    is_list: bool,
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Look)
    }
}

/// Looks at the kind of a value and skips it.
struct Look;

impl<'de> Visitor<'de> for Look {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Shape, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Shape { is_list: true })
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shape, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Shape { is_list: false })
    }
    fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
        Ok(Shape { is_list: false })
    }
    fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
        Ok(Shape { is_list: false })
    }
    fn visit_u64<E>(self, _: u64) -> Result<Shape, E> {
        Ok(Shape { is_list: false })
    }
    fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
        Ok(Shape { is_list: false })
    }
    fn visit_str<E>(self, _: &str) -> Result<Shape, E> {
        Ok(Shape { is_list: false })
    }
}

/// Reads what a result says, if the text is a JSON object.
///
/// # Errors
/// One line: the object is broken, or says something twice.
fn head(text: &str) -> Result<Option<Head>, String> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if !text.starts_with('{') {
        return Ok(None);
    }
    let head: Head = answer::json_as("solution", text)?;
    known_format(head.format.as_ref()).map_err(|error| error.to_string())?;
    Ok(Some(head))
}

/// Whether a result is one of this problem with a solution at all.
fn consistent(problem: &str, text: &str, result: Option<&Head>) -> Result<(), String> {
    if text.trim().is_empty() {
        // A failed download more likely than a solution without moves, which a result can still say.
        return Err("the file is empty".to_owned());
    }
    let Some(result) = result else { return Ok(()) };
    match &result.problem {
        Some(Value::String(other)) if other != problem => {
            return Err(format!("a result of {other}, not of {problem}"));
        }
        Some(other) if !other.is_string() => return Err("field `problem` is not a string".to_owned()),
        _ => {}
    }
    match &result.feasible {
        None | Some(Value::Bool(true)) if result.violation.is_none() => {}
        None | Some(Value::Bool(_)) => return Err("the result says that it is not feasible".to_owned()),
        Some(_) => return Err("field `feasible` is not true or false".to_owned()),
    }
    if result.moves.as_ref().is_some_and(|moves| !moves.is_list) {
        return Err("field `moves` is not a list".to_owned());
    }
    if matches!(result.solution, Some(None)) {
        return Err("the result holds no solution".to_owned());
    }
    Ok(())
}

/// Verifies the solution and the others that the result keeps, each by itself, because a checker limits the length of
/// a text. Returns what was found of the solution, and how many others there are, and adds what was not looked at.
/// Others without a score are not feasible and claim nothing.
fn each(
    instance: &dyn AnyInstance,
    text: &str,
    head: Option<&Head>,
    unchecked: &mut Vec<String>,
) -> Result<(Checked, usize), String> {
    let Some(head) = head else { return Ok((instance.check(text)?, 0)) };
    if head.others.as_ref().is_some_and(|others| !others.is_list) {
        return Err("field `others` is not a list".to_owned());
    }
    let (mut result, others) = apart(text)?;
    // A text with other solutions may be longer than a checker reads.
    let checked = if others.is_empty() { instance.check(text)? } else { instance.check(&result.to_string())? };
    *unchecked = claims(instance, &result, checked.score)?;
    let mut count = 0;
    for (at, other) in others.into_iter().enumerate() {
        let fail = |error: String| format!("other solution {}: {error}", at + 1);
        if !other.is_object() {
            return Err(fail("not an object".to_owned()));
        }
        if other["score"].is_null() {
            continue;
        }
        let score = other["score"].as_f64().ok_or_else(|| fail("field `score` is not a number".to_owned()))?;
        // What is claimed of the pair of scores is claimed of the first solution.
        result.as_object_mut().and_then(|result| result.remove("pair"));
        for field in ["score", "moves", "solution", "parts"] {
            result[field] = other[field].clone();
        }
        let found = instance.check(&result.to_string()).map_err(fail)?.score;
        if !close(score, found) {
            return Err(fail(format!("score {} claimed, {} found", number(score), number(found))));
        }
        if !is_played(instance, &result, found).map_err(fail)? {
            unchecked.push(format!("moves of other solution {}", at + 1));
        }
        count += 1;
    }
    Ok((checked, count))
}

/// Verifies what the checker of a domain does not know of. Returns the fields that nobody has verified.
fn claims(instance: &dyn AnyInstance, result: &Value, score: f64) -> Result<Vec<String>, String> {
    let said = |name: &str| result.get(name).filter(|value| !value.is_null());
    if let Some(sense) = said("sense").filter(|sense| **sense != result::sense(instance.sense())) {
        return Err(format!("claims the sense {}, it is {}", short(sense), result::sense(instance.sense())));
    }
    if let Some(gap) = said("gap") {
        let found = said("bound").and_then(Value::as_f64).and_then(|bound| soloist::run::gap(score, bound));
        if !gap.as_f64().zip(found).is_some_and(|(claimed, found)| close(claimed, found)) {
            return Err(format!("claims the gap {}, recomputed: {}", short(gap), result::optional(found)));
        }
    }
    if let Some(pair) = said("pair") {
        let found = instance.pair(score).map(|(first, second)| vec![first, second]);
        let claimed: Option<Vec<f64>> = pair.as_array().and_then(|pair| pair.iter().map(Value::as_f64).collect());
        let holds = |(claimed, found): (Vec<f64>, Vec<f64>)| {
            claimed.len() == found.len() && claimed.iter().zip(found).all(|(&claimed, found)| close(claimed, found))
        };
        if !claimed.zip(found).is_some_and(holds) {
            return Err(format!("claims the pair {}, which the score is not", short(pair)));
        }
    }
    let is_played = is_played(instance, result, score)?;
    let whole =
        ["sense", "gap", "pair", "format", "problem", "options", "feasible", "score", "bound", "optimal", "infeasible"];
    let mut unchecked = Vec::new();
    let holds_solution = result.get("solution").is_some();
    for (name, value) in result.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        let is_verified = match name.as_str() {
            "instance" => value == instance.name(),
            "describe" => *value == instance.describe(),
            "moves" => is_played || !holds_solution && is_looked_at(instance, result, None, name),
            "parts" => is_played,
            "solution" => {
                let fields = value.as_object().filter(|_| !is_played).into_iter().flatten();
                let fields = fields.filter(|(_, value)| !value.is_null()).map(|(field, _)| field);
                let unseen = fields.filter(|field| !is_looked_at(instance, result, Some("solution"), field));
                unchecked.extend(unseen.map(|field| format!("solution.{field}")));
                true
            }
            field if whole.contains(&field) => true,
            field if RUN.contains(&field) => false,
            field => is_looked_at(instance, result, None, field),
        };
        if !is_verified {
            unchecked.push(name.clone());
        }
    }
    Ok(unchecked)
}

/// Whether the domain's checker refuses nonsense in the place of a field, so that it has looked at what stands there.
fn is_looked_at(instance: &dyn AnyInstance, result: &Value, inside: Option<&str>, field: &str) -> bool {
    let mut changed = result.clone();
    let object = match inside {
        Some(inside) => &mut changed[inside],
        None => &mut changed,
    };
    object[field] = Value::from("?");
    instance.check(&changed.to_string()).is_err()
}

/// Replays the moves of a result and compares what they make: the score, its parts and the solution. `false`: there are
/// none, or they cannot be read, or another release has written them and they make something else.
fn is_played(instance: &dyn AnyInstance, result: &Value, score: f64) -> Result<bool, String> {
    let (Some(moves), Some(solution)) = (result.get("moves").filter(|moves| moves.is_array()), result.get("solution"))
    else {
        return Ok(false);
    };
    let is_own = result.get("version").is_none_or(|version| version == VERSION);
    let played = instance.replay(moves).and_then(|played| match played {
        None => Ok(false),
        Some(played) => agrees(&played, result, solution, score).map(|()| true),
    });
    match played {
        Err(_) if !is_own => Ok(false),
        played => played.map_err(|error| format!("`moves`: {error}")),
    }
}

/// Whether what the moves make is what the result says.
fn agrees(played: &SolutionReport, result: &Value, solution: &Value, score: f64) -> Result<(), String> {
    match played.score.value() {
        Some(found) if close(found, score) => {}
        Some(found) => return Err(format!("their score is {}, that of the solution {}", number(found), number(score))),
        None => return Err("they lead to no feasible solution".to_owned()),
    }
    for (field, value) in solution.as_object().into_iter().flatten() {
        if !is_same(value, &played.solution[field]) {
            return Err(format!("they make another `{field}` than the solution has"));
        }
    }
    let parts = serde_json::to_value(&played.parts).unwrap_or_default();
    match result.get("parts").filter(|parts| !parts.is_null()) {
        Some(claimed) if !is_same(claimed, &parts) => Err("their parts of the score are others".to_owned()),
        _ => Ok(()),
    }
}

/// Whether two values are the same up to the rounding of numbers.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| is_same(one, other)))
        }
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64().zip(other.as_f64()).is_some_and(|(one, other)| close(one, other))
        }
        (one, other) => one == other,
    }
}

/// A result without the other solutions and the history, and the others.
fn apart(text: &str) -> Result<(Value, Vec<Value>), String> {
    let mut result: Value = answer::json("solution", text.trim_start_matches('\u{feff}'))?;
    let others = match result.as_object_mut().and_then(|result| result.remove("others")) {
        Some(Value::Array(others)) => others,
        _ => Vec::new(),
    };
    Ok((result, others))
}

/// Returns the text of a solution to start from: of a result, without the other solutions that it keeps.
///
/// # Errors
/// Those of [`Submission::read`].
pub fn best_alone(text: String) -> Result<String, String> {
    let keeps_others = head(&text).is_ok_and(|head| head.is_some_and(|head| head.others.is_some()));
    if keeps_others { Ok(apart(&text)?.0.to_string()) } else { Ok(text) }
}

/// Whether the score that a result claims is the verified one.
fn claimed(result: Option<&Head>, checked: Checked) -> Result<Checked, String> {
    match result.and_then(|result| result.score.as_ref()).map(|score| (score, score.as_f64())) {
        Some((_, Some(score))) if !close(score, checked.score) => {
            Err(format!("score {} claimed, {} found", number(score), number(checked.score)))
        }
        Some((_, None)) => Err("field `score` is not a number".to_owned()),
        _ => Ok(checked),
    }
}

/// The claims of a result that say what other solutions can score; see [`Verdict::proofs`].
///
/// # Errors
/// A claim that the verified score or another claim contradicts.
fn proofs(result: Option<&Head>, instance: &dyn AnyInstance, score: f64) -> Result<Vec<(&'static str, bool)>, String> {
    let Some(result) = result else { return Ok(Vec::new()) };
    let sense = instance.sense();
    let limit = instance.bound();
    let mut proofs = Vec::new();
    let bound = match &result.bound {
        None => None,
        Some(bound) => Some(bound.as_f64().ok_or("field `bound` is not a number")?),
    };
    if let Some(bound) = bound {
        if sense.better_value(score, bound) && !close(score, bound) {
            return Err(format!("the score {} is better than the bound {} claimed", number(score), number(bound)));
        }
        // A looser bound than the problem's own is one as well.
        let confirmed = limit.is_some_and(|limit| !sense.better_value(limit, bound) || close(limit, bound));
        proofs.push(("bound", confirmed));
    }
    match &result.optimal {
        None | Some(Value::Bool(false)) => {}
        Some(Value::Bool(true)) => {
            if bound.is_some_and(|bound| !close(bound, score)) {
                return Err(format!("optimality claimed, but the bound claimed is {}", number(bound.unwrap_or(score))));
            }
            proofs.push(("optimal", instance.is_complete() && limit.is_some_and(|limit| close(limit, score))));
        }
        Some(_) => return Err("field `optimal` is not true or false".to_owned()),
    }
    match &result.infeasible {
        None | Some(Value::Bool(false)) => {}
        Some(Value::Bool(true)) => return Err("infeasibility claimed, but the solution is feasible".to_owned()),
        Some(_) => return Err("field `infeasible` is not true or false".to_owned()),
    }
    Ok(proofs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn claims_are_compared() {
        let says = |result: Value| -> Head { serde_json::from_value(result).unwrap() };
        let checked = || Checked { score: 2.0, summary: String::new() };
        let claim = |score: Value| claimed(Some(&says(json!({ "score": score }))), checked()).is_ok();
        assert!(claim(json!(2)) && claim(json!(2.0)) && claim(Value::Null) && claimed(None, checked()).is_ok());
        assert!(!claim(json!(3)) && !claim(json!("2")));
    }

    #[test]
    fn values_are_the_same_up_to_rounding() {
        let same = |one: Value, other: Value| is_same(&one, &other);
        assert!(same(json!({ "a": [1, 2.0, "x"] }), json!({ "a": [1.0, 2, "x"] })));
        assert!(same(json!(0.1), json!(0.1 + 1e-12)) && same(json!(null), json!(null)));
        assert!(!same(json!([1, 2]), json!([1])) && !same(json!({ "a": 1 }), json!({ "b": 1 })));
        assert!(!same(json!(1), json!("1")) && !same(json!(1), json!(2)));
    }

    #[test]
    fn what_was_not_verified_is_said_in_short() {
        let verdict = |fields: &[&str]| Verdict {
            checked: Checked { score: 1.0, summary: String::new() },
            others: 0,
            proofs: Vec::new(),
            unchecked: fields.iter().map(|&field| field.to_owned()).collect(),
        };
        assert_eq!(verdict(&[]).remark(), "");
        assert_eq!(verdict(&["instance", "seed", "nodes"]).remark(), "not checked: instance, how it was found");
        assert_eq!(verdict(&["seconds"]).remark(), "not checked: how it was found");
    }
}
