//! `soloist check`: independent verification of a solution.

use super::args::ProblemParser;
use crate::resolve;
use crate::terminal::output;
use crate::units;
use clap::Args;
use serde_json::{Value, json};
use soloist_problems::claims::Submission;
use soloist_problems::result::number;
use soloist_problems::{Domain, Options, Setting, input};
use soloist_study::Failure;
use soloist_study::text::{counted, one_line, plain};
use std::fmt;
use std::io::Read;
use std::path::Path;

/// Arguments of `check`.
#[derive(Args, Debug)]
#[command(after_help = "What is claimed and was not verified is listed. Exit code: 0 valid, 1 invalid or unreadable.")]
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
    let submitted = Submission::read(&text);
    adopt_options(args, submitted.as_ref().ok().and_then(Submission::options), &mut options)?;
    let unopened = |error| resolve::unopened(args.problem, &args.instance, &error);
    let instance = args.problem.open(&args.instance, &options).map_err(unopened)?;
    let verdict = submitted.and_then(|submitted| submitted.verify(args.problem.name, &*instance));
    let (name, remarks) = (instance.name(), instance.remarks());
    if args.json {
        let mut object = json!({ "valid": verdict.is_ok(), "problem": args.problem.name, "instance": name });
        if !remarks.is_empty() {
            object["remarks"] = json!(remarks);
        }
        match &verdict {
            Ok(verdict) => {
                if verdict.others > 0 {
                    object["others"] = verdict.others.into();
                }
                object["score"] = number(verdict.checked.score);
                object["summary"] = verdict.checked.summary.as_str().into();
                verdict.proofs.iter().for_each(|&(claim, confirmed)| object["confirmed"][claim] = confirmed.into());
                if !verdict.unchecked.is_empty() {
                    object["unchecked"] = json!(verdict.unchecked);
                }
            }
            Err(error) => object["error"] = error.as_str().into(),
        }
        output::print(&format!("{object}\n"))?;
    } else {
        remarks.iter().for_each(|remark| output::note(remark));
    }
    match verdict {
        Ok(verdict) if !args.json => {
            let checked = &verdict.checked;
            let mut line = format!("valid: score {}, {}", plain(checked.score), one_line(&checked.summary));
            if verdict.others > 0 {
                line.push_str(&format!("; {} valid", counted(verdict.others, "other solution")));
            }
            for (claim, confirmed) in &verdict.proofs {
                line.push_str(&format!("; {claim} claimed, {}", if *confirmed { "confirmed" } else { "not checked" }));
            }
            let remark = verdict.remark();
            if !remark.is_empty() {
                line.push_str("; ");
                line.push_str(&remark);
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
fn adopt_options(args: &CheckArgs, named: Option<&Value>, options: &mut Options) -> Result<(), Failure> {
    let Some(named) = named.and_then(Value::as_object) else { return Ok(()) };
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

#[cfg(test)]
mod tests {
    use super::*;

    fn args(set: &[&str], solution: &str) -> CheckArgs {
        CheckArgs {
            problem: &soloist_domain_testing::problem::DOMAIN,
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
            adopt_options(&args, Some(&options), &mut chosen)?;
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
}
