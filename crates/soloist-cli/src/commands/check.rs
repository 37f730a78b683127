//! `soloist check`: independent verification of a solution.

use super::args::ProblemParser;
use crate::terminal::output;
use crate::units;
use clap::Args;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use soloist_problems::result::{close, number};
use soloist_problems::{AnyInstance, Checked, Domain, Options, Setting, answer, input, known_format};
use soloist_study::Failure;
use soloist_study::text::{counted, one_line, plain};
use std::fmt;
use std::io::Read;
use std::path::Path;

/// Arguments of `check`.
#[derive(Args, Debug)]
#[command(after_help = "Exit code: 0 valid, 1 invalid or unreadable.")]
pub(crate) struct CheckArgs {
    /// The problem
    #[arg(value_name = "PROBLEM", value_parser = ProblemParser)]
    pub(crate) problem: &'static Domain,
    /// The instance file or spec
    #[arg(value_name = "INSTANCE")]
    pub(crate) instance: String,
    /// A result of `solve --json` or the problem's own solution format; `-`: standard input
    #[arg(value_name = "SOLUTION")]
    pub(crate) solution: String,
    /// Set an option of the problem; default: as the result says. Contradicting the result is an error
    #[arg(long, short, value_name = "KEY=VALUE", value_parser = units::setting)]
    pub(crate) set: Vec<Setting>,
    /// Print the verdict as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Largest solution that is read.
const MAX_SIZE: u64 = 64 << 20;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Result<u8, Failure> {
    let mut options = args.problem.options_of(&args.set.iter().cloned().collect())?;
    let text = read(&args.solution)?;
    let head = head(&text);
    let result = head.as_ref().ok().and_then(Option::as_ref);
    adopt_options(args, result, &mut options)?;
    let unopened = |error| Failure::runtime(args.problem.unopened(&args.instance, &error));
    let instance = args.problem.open(&args.instance, &options).map_err(unopened)?;
    let verdict = head
        .as_ref()
        .map_err(String::clone)
        .and_then(|head| consistent(args, &text, head.as_ref()))
        .and_then(|()| each(&*instance, &text, result))
        .and_then(|(checked, others)| Ok((claimed(result, checked)?, others)))
        .and_then(|(checked, others)| Ok((proofs(result, &*instance, checked.score)?, checked, others)));
    let name = instance.name();
    if args.json {
        let mut object = json!({ "valid": verdict.is_ok(), "problem": args.problem.name, "instance": name });
        match &verdict {
            Ok((proofs, checked, others)) => {
                if *others > 0 {
                    object["others"] = (*others).into();
                }
                object["score"] = number(checked.score);
                object["summary"] = checked.summary.as_str().into();
                proofs.iter().for_each(|&(claim, confirmed)| object["confirmed"][claim] = confirmed.into());
            }
            Err(error) => object["error"] = error.as_str().into(),
        }
        output::print(&format!("{object}\n"))?;
    }
    match verdict {
        Ok((proofs, checked, others)) if !args.json => {
            let mut line = format!("valid: score {}, {}", plain(checked.score), one_line(&checked.summary));
            if others > 0 {
                line.push_str(&format!("; {} valid", counted(others, "other solution")));
            }
            for (claim, confirmed) in proofs {
                line.push_str(&format!("; {claim} claimed, {}", if confirmed { "confirmed" } else { "not checked" }));
            }
            output::print(&(line + "\n"))?;
        }
        Ok(_) => {}
        Err(error) => {
            output::note(&format!("invalid: {error}"));
            return Ok(1);
        }
    }
    Ok(0)
}

/// Reads the solution, `-` from standard input.
pub(crate) fn read(name: &str) -> Result<String, Failure> {
    let fail = |error: &dyn fmt::Display| Failure::runtime(format!("{name}: {error}"));
    let source = input::open(Path::new(name)).map_err(|error| fail(&format_args!("cannot be read: {error}")))?;
    let mut bytes = Vec::new();
    source
        .take(MAX_SIZE + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| fail(&format_args!("cannot be read: {error}")))?;
    if bytes.len() as u64 > MAX_SIZE {
        return Err(fail(&"larger than 64 MiB, not a solution"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let line =
            1 + error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        fail(&format_args!("line {line}: not UTF-8 text"))
    })
}

/// Takes the options that a result names, so that it is checked by the rules it was found under.
fn adopt_options(args: &CheckArgs, result: Option<&Head>, options: &mut Options) -> Result<(), Failure> {
    let Some(named) = result.and_then(|result| result.options.as_ref()).and_then(Value::as_object) else {
        return Ok(());
    };
    for (key, value) in named {
        let value = value.as_str().unwrap_or_default();
        let setting = Setting { key: key.clone(), value: value.to_owned() };
        let mut adopted = Options::new();
        let known = args.problem.set_option(&mut adopted, &setting);
        if !known.map_err(|error| Failure::runtime(format!("{}: {error}", args.solution)))? {
            // A result of another problem is reported as that, below.
            continue;
        }
        if let Some(asked) = options.get(key).filter(|asked| asked.as_str() != value) {
            return Err(Failure::usage(format!(
                "--set {key}={asked} contradicts {}, which has {key}={value}",
                args.solution
            )));
        }
        options.extend(adopted);
    }
    Ok(())
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
fn consistent(args: &CheckArgs, text: &str, result: Option<&Head>) -> Result<(), String> {
    if text.trim().is_empty() {
        // A failed download more likely than a solution without moves, which a result can still say.
        return Err("the file is empty".to_owned());
    }
    let Some(result) = result else { return Ok(()) };
    match &result.problem {
        Some(Value::String(problem)) if problem != args.problem.name => {
            return Err(format!("a result of {problem}, not of {}", args.problem.name));
        }
        Some(problem) if !problem.is_string() => return Err("field `problem` is not a string".to_owned()),
        _ => {}
    }
    if result.feasible == Some(Value::Bool(false)) || result.violation.is_some() {
        return Err("the result says that it is not feasible".to_owned());
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
/// a text. Returns what was found of the solution, and how many others there are. Those without a score are not
/// feasible and claim nothing.
fn each(instance: &dyn AnyInstance, text: &str, result: Option<&Head>) -> Result<(Checked, usize), String> {
    match result.and_then(|result| result.others.as_ref()) {
        None => return Ok((instance.check(text)?, 0)),
        Some(others) if !others.is_list => return Err("field `others` is not a list".to_owned()),
        Some(_) => {}
    }
    let (mut result, others) = apart(text)?;
    let checked = instance.check(&result.to_string())?;
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
        for field in ["score", "moves", "solution"] {
            result[field] = other[field].clone();
        }
        let found = instance.check(&result.to_string()).map_err(fail)?.score;
        if !close(score, found) {
            return Err(fail(format!("score {} claimed, {} found", plain(score), plain(found))));
        }
        count += 1;
    }
    Ok((checked, count))
}

/// A result without the other solutions and the history, and the others.
fn apart(text: &str) -> Result<(Value, Vec<Value>), String> {
    let mut result: Value = answer::json("solution", text.trim_start_matches('\u{feff}'))?;
    let mut take = |field| result.as_object_mut().and_then(|result| result.remove(field));
    take("history");
    let others = match take("others") {
        Some(Value::Array(others)) => others,
        _ => Vec::new(),
    };
    Ok((result, others))
}

/// The text of a solution to start from: of a result, without the other solutions that it keeps.
pub(crate) fn best_alone(text: String) -> Result<String, String> {
    let keeps_others = head(&text).is_ok_and(|head| head.is_some_and(|head| head.others.is_some()));
    if keeps_others { Ok(apart(&text)?.0.to_string()) } else { Ok(text) }
}

/// Whether the score that a result claims is the verified one.
fn claimed(result: Option<&Head>, checked: Checked) -> Result<Checked, String> {
    match result.and_then(|result| result.score.as_ref()).map(|score| (score, score.as_f64())) {
        Some((_, Some(score))) if !close(score, checked.score) => {
            Err(format!("score {} claimed, {} found", plain(score), plain(checked.score)))
        }
        Some((_, None)) => Err("field `score` is not a number".to_owned()),
        _ => Ok(checked),
    }
}

/// The claims of a result that say what other solutions can score, each with whether it is confirmed: by the bound that
/// the problem has for all solutions. What a search has proven by examining solutions is not examined again.
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
            return Err(format!("the score {} is better than the bound {} claimed", plain(score), plain(bound)));
        }
        // A looser bound than the problem's own is one as well.
        let confirmed = limit.is_some_and(|limit| !sense.better_value(limit, bound) || close(limit, bound));
        proofs.push(("bound", confirmed));
    }
    match &result.optimal {
        None | Some(Value::Bool(false)) => {}
        Some(Value::Bool(true)) => {
            if bound.is_some_and(|bound| !close(bound, score)) {
                return Err(format!("optimality claimed, but the bound claimed is {}", plain(bound.unwrap_or(score))));
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

    fn says(result: Value) -> Head {
        serde_json::from_value(result).unwrap()
    }

    fn args(set: &[&str], solution: &str) -> CheckArgs {
        CheckArgs {
            problem: &soloist_problems::testing::problem::DOMAIN,
            instance: "feasible".to_owned(),
            solution: solution.to_owned(),
            set: set.iter().map(|text| text.parse::<Setting>().unwrap()).collect(),
            json: false,
        }
    }

    #[test]
    fn options_of_a_result_hold() {
        let adopted = |set: &[&str], options: Value| {
            let args = args(set, "r.json");
            let mut chosen = args.problem.options_of(&args.set.iter().cloned().collect())?;
            adopt_options(&args, Some(&says(json!({ "options": options }))), &mut chosen)?;
            Ok::<_, Failure>(chosen.get("mood").cloned())
        };
        assert_eq!(adopted(&[], json!({ "mood": "bad" })).unwrap().as_deref(), Some("bad"));
        assert_eq!(adopted(&["mood=bad"], json!({ "mood": "bad" })).unwrap().as_deref(), Some("bad"));
        assert_eq!(adopted(&["mood=bad"], json!({})).unwrap().as_deref(), Some("bad"));
        assert_eq!(adopted(&[], json!([])).unwrap(), None);
        assert_eq!(adopted(&["mood=good"], json!({ "mood": "bad" })).unwrap_err().code(), 2);
        assert_eq!(adopted(&[], json!({ "mood": "odd" })).unwrap_err().code(), 1);
        assert_eq!(adopted(&[], json!({ "mood": 7 })).unwrap_err().code(), 1);
    }

    #[test]
    fn claims_are_compared() {
        let checked = || Checked { score: 2.0, summary: String::new() };
        let claim = |score: Value| claimed(Some(&says(json!({ "score": score }))), checked()).is_ok();
        assert!(claim(json!(2)) && claim(json!(2.0)) && claim(Value::Null) && claimed(None, checked()).is_ok());
        assert!(!claim(json!(3)) && !claim(json!("2")));
    }
}
