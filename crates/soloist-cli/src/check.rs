//! `soloist check`: independent verification of a solution.

use crate::args::CheckArgs;
use crate::choice::{option_names, split_settings};
use crate::failure::{Failure, one_line};
use crate::output;
use crate::result::{number, plain};
use crate::solve::close;
use crate::values::Setting;
use serde_json::{Value, json};
use soloist_problems::{Checked, Options};
use std::fs::File;
use std::io::{self, Read};

/// Largest solution that is read.
const MAX_SIZE: u64 = 256 << 20;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Result<u8, Failure> {
    let (mut options, rest) = split_settings(args.problem, &args.set)?;
    if let Some(setting) = rest.first() {
        let (problem, names) = (args.problem.name, option_names(args.problem));
        return Err(Failure::usage(format!("{problem} has no option `{}` (options: {names})", setting.key)));
    }
    let text = read(&args.solution)?;
    let result = serde_json::from_str::<Value>(&text).ok();
    adopt_options(args, result.as_ref(), &mut options)?;
    let instance =
        (args.problem.load)(&args.instance, &options).map_err(|error| Failure::runtime(error.to_string()))?;
    let verdict = consistent(args, &text, result.as_ref())
        .and_then(|()| instance.check(&text))
        .and_then(|checked| claimed(result.as_ref(), checked));
    let name = instance.name();
    if args.json {
        let mut object = json!({ "valid": verdict.is_ok(), "problem": args.problem.name, "instance": name });
        match &verdict {
            Ok(checked) => {
                object["score"] = number(checked.score);
                object["summary"] = checked.summary.as_str().into();
            }
            Err(error) => object["error"] = error.as_str().into(),
        }
        output::print(&format!("{object}\n"))?;
    }
    match verdict {
        Ok(checked) if !args.json => {
            output::print(&format!("valid: score {}, {}\n", plain(checked.score), one_line(&checked.summary)))?;
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
    let fail = |error: &dyn std::fmt::Display| Failure::runtime(format!("{name}: {error}"));
    let source: Box<dyn Read> = if name == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(name).map_err(|error| fail(&format_args!("cannot be read: {error}")))?)
    };
    let mut bytes = Vec::new();
    source
        .take(MAX_SIZE + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| fail(&format_args!("cannot be read: {error}")))?;
    if bytes.len() as u64 > MAX_SIZE {
        return Err(fail(&"larger than 256 MiB, not a solution"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let line =
            1 + error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        fail(&format_args!("line {line}: not UTF-8 text"))
    })
}

/// Takes the options that a result names, so that it is checked by the rules it was found under.
fn adopt_options(args: &CheckArgs, result: Option<&Value>, options: &mut Options) -> Result<(), Failure> {
    let Some(named) = result.and_then(|result| result.get("options")).and_then(Value::as_object) else { return Ok(()) };
    for (key, value) in named {
        let value = value.as_str().unwrap_or_default();
        let setting = Setting { key: key.clone(), value: value.to_owned() };
        let (adopted, rest) = split_settings(args.problem, std::slice::from_ref(&setting))
            .map_err(|failure| Failure::runtime(format!("{}: {}", args.solution, failure.message)))?;
        if !rest.is_empty() {
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

/// Whether a result is one of this problem with a solution at all.
fn consistent(args: &CheckArgs, text: &str, result: Option<&Value>) -> Result<(), String> {
    if text.trim().is_empty() {
        // A failed download more likely than a solution without moves, which a result can still say.
        return Err("the file is empty".to_owned());
    }
    let Some(result) = result.and_then(Value::as_object) else { return Ok(()) };
    match result.get("problem") {
        Some(Value::String(problem)) if problem != args.problem.name => {
            return Err(format!("a result of {problem}, not of {}", args.problem.name));
        }
        Some(problem) if !problem.is_string() => return Err("field `problem` is not a string".to_owned()),
        _ => {}
    }
    if result.get("feasible") == Some(&Value::Bool(false)) || result.get("violation").is_some_and(|v| !v.is_null()) {
        return Err("the result says that it is not feasible".to_owned());
    }
    if result.get("moves").is_some_and(|moves| !moves.is_array()) {
        return Err("field `moves` is not a list".to_owned());
    }
    if result.get("solution").is_some_and(Value::is_null) {
        return Err("the result holds no solution".to_owned());
    }
    Ok(())
}

/// Whether the score that a result claims is the verified one.
fn claimed(result: Option<&Value>, checked: Checked) -> Result<Checked, String> {
    match result.and_then(|result| result.get("score")).map(|score| (score, score.as_f64())) {
        Some((_, Some(score))) if !close(score, checked.score) => {
            Err(format!("score {} claimed, {} found", plain(score), plain(checked.score)))
        }
        Some((score, None)) if !score.is_null() => Err("field `score` is not a number".to_owned()),
        _ => Ok(checked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(set: &[&str], solution: &str) -> CheckArgs {
        CheckArgs {
            problem: &crate::dummy::DOMAIN,
            instance: "feasible".to_owned(),
            solution: solution.to_owned(),
            set: set.iter().map(|text| crate::values::setting(text).unwrap()).collect(),
            json: false,
        }
    }

    #[test]
    fn options_of_a_result_hold() {
        let adopted = |set: &[&str], options: Value| {
            let args = args(set, "r.json");
            let (mut chosen, _) = split_settings(args.problem, &args.set)?;
            adopt_options(&args, Some(&json!({ "options": options })), &mut chosen)?;
            Ok::<_, Failure>(chosen.get("mood").cloned())
        };
        assert_eq!(adopted(&[], json!({ "mood": "bad" })).unwrap().as_deref(), Some("bad"));
        assert_eq!(adopted(&["mood=bad"], json!({ "mood": "bad" })).unwrap().as_deref(), Some("bad"));
        assert_eq!(adopted(&["mood=bad"], json!({})).unwrap().as_deref(), Some("bad"));
        assert_eq!(adopted(&[], json!([])).unwrap(), None);
        assert_eq!(adopted(&["mood=good"], json!({ "mood": "bad" })).unwrap_err().code, 2);
        assert_eq!(adopted(&[], json!({ "mood": "odd" })).unwrap_err().code, 1);
        assert_eq!(adopted(&[], json!({ "mood": 7 })).unwrap_err().code, 1);
    }

    #[test]
    fn claims_are_compared() {
        let checked = || Checked { score: 2.0, summary: String::new() };
        let claim = |score: Value| claimed(Some(&json!({ "score": score })), checked()).is_ok();
        assert!(claim(json!(2)) && claim(json!(2.0)) && claim(Value::Null) && claimed(None, checked()).is_ok());
        assert!(!claim(json!(3)) && !claim(json!("2")));
    }
}
