//! `soloist problems` and `soloist methods`: what there is.

use super::args::{Listed, ListedParser, ProblemParser};
use super::solve::method_call;
use crate::terminal::output;
use clap::Args;
use serde_json::{Value, json};
use soloist::search::Preset;
use soloist::search::parameters::Table;
use soloist::{Method, Setup};
use soloist_problems::result::{parameters, sense};
use soloist_problems::{Domain, Options, domains, methods as all_methods};
use soloist_study::Failure;
use std::fmt::Write;

/// Arguments of `problems`.
#[derive(Args, Debug)]
pub(crate) struct ProblemsArgs {
    /// Show this one in detail
    #[arg(value_name = "NAME", value_parser = ProblemParser)]
    pub(crate) name: Option<&'static Domain>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `methods`.
#[derive(Args, Debug)]
pub(crate) struct MethodsArgs {
    /// Show this method with its parameters, or the methods of this problem
    #[arg(value_name = "NAME", value_parser = ListedParser, hide_possible_values = true)]
    pub(crate) name: Option<Listed>,
    /// Show all methods, those of all problems and settings of single papers included; of a method all parameters
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON, of all methods where none is named
    #[arg(long)]
    pub(crate) json: bool,
}

/// The methods to try first.
const FIRST: [&str; 8] = ["auto", "anneal", "nrpa", "beam", "cabs", "dfs", "uct", "sampling"];

/// Lists the problems or shows one.
pub(crate) fn problems(args: &ProblemsArgs) -> Result<u8, Failure> {
    let text = match (args.name, args.json) {
        (None, false) => {
            let rows: Vec<_> = domains().iter().map(|domain| (domain.name, domain.summary.to_owned())).collect();
            table(&rows) + "\n`soloist problems NAME` shows formats, specs, options and rollouts.\n"
        }
        (None, true) => line(&domains().iter().map(problem_json).collect()),
        (Some(domain), json) => problem(domain, json)?,
    };
    output::print(&text)?;
    Ok(0)
}

/// Lists the methods or shows one.
pub(crate) fn methods(args: &MethodsArgs) -> Result<u8, Failure> {
    let domain = match args.name {
        Some(Listed::Method(preset)) => {
            output::print(&if args.json { line(&method_detail(preset)) } else { method_text(preset, args.all) })?;
            return Ok(0);
        }
        Some(Listed::Problem(domain)) => Some(domain),
        None => None,
    };
    let own = domain.map_or(&[][..], |domain| domain.searches);
    let listed: Vec<&Preset> = match domain {
        None if args.all || args.json => all_methods().collect(),
        Some(_) if args.all => Method::presets().iter().chain(own).collect(),
        _ => FIRST.iter().filter_map(|name| Preset::find(name)).chain(own).collect(),
    };
    let text = if args.json {
        line(&listed.into_iter().map(method_json).collect())
    } else {
        let about = |preset: &&Preset| (preset.name, format!("{} ({})", preset.summary, preset.reference));
        let mut text = table(&listed.iter().map(about).collect::<Vec<_>>());
        text.push_str("\n`soloist methods NAME` shows the parameters for --set");
        if !args.all {
            let _ = write!(text, ", `soloist methods --all` all {} methods", all_methods().count());
            if domain.is_none() {
                text.push_str(", `soloist methods PROBLEM` those of a problem");
            }
        }
        text + ".\n"
    };
    output::print(&text)?;
    Ok(0)
}

fn problem_json(domain: &Domain) -> Value {
    let options: Vec<_> = domain
        .options
        .iter()
        .map(|option| json!({ "name": option.name, "values": option.values, "help": option.help }))
        .collect();
    json!({
        "name": domain.name, "summary": domain.summary, "score": domain.score,
        "instance": domain.instance, "example": domain.example, "options": options,
        "methods": domain.searches.iter().map(|own| own.name).collect::<Vec<_>>(),
    })
}

/// One problem, with what depends on the instance shown for the example.
fn problem(domain: &Domain, json: bool) -> Result<String, Failure> {
    let instance =
        (domain.load)(domain.example, &Options::new()).map_err(|error| Failure::runtime(error.to_string()))?;
    let Setup { preset: name, method, rollout, .. } = instance.default_setup();
    let rollout = rollout.unwrap_or_default();
    if json {
        let mut object = problem_json(domain);
        object["sense"] = sense(instance.sense()).into();
        object["method"] = name.into();
        object["parameters"] = parameters(&method).into();
        object["rollout"] = rollout.into();
        let rollouts = instance.rollouts();
        object["rollouts"] = rollouts.iter().map(|info| json!({ "name": info.name, "help": info.help })).collect();
        return Ok(line(&object));
    }
    let mut text = format!("{}: {}\n\n", domain.name, domain.summary);
    let _ = writeln!(text, "Score     {} ({})", domain.score, sense(instance.sense()));
    let _ = writeln!(text, "Instance  {}", domain.instance);
    let _ = writeln!(text, "Example   {}: {}", domain.example, instance.describe());
    let with = if matches!(method.table(), Table::Own(_)) { String::new() } else { format!(" with rollout {rollout}") };
    let _ = writeln!(text, "Method    {}{with}, the default on the example", method_call(&name, &method));
    if !domain.options.is_empty() {
        text.push_str("\nOptions (--set):\n");
        let rows: Vec<_> = domain
            .options
            .iter()
            .map(|option| {
                let default = option.values.first().unwrap_or(&"");
                (option.name, format!("{} [{}; default: {default}]", option.help, option.values.join(", ")))
            })
            .collect();
        text.push_str(&table(&rows));
    }
    if !domain.searches.is_empty() {
        text.push_str("\nMethods of its own (--method):\n");
        let rows: Vec<_> = domain.searches.iter().map(|own| (own.name, own.summary.to_owned())).collect();
        text.push_str(&table(&rows));
    }
    text.push_str("\nRollouts (--rollout):\n");
    text.push_str(&table(
        &instance.rollouts().iter().map(|info| (info.name, info.help.to_owned())).collect::<Vec<_>>(),
    ));
    let _ = writeln!(text, "\nTry: soloist solve {} {} --time 5s", domain.name, domain.example);
    Ok(text)
}

/// One method; a search of problems' own with the names of these problems.
fn method_json(preset: &Preset) -> Value {
    let mut object = json!({ "name": preset.name, "summary": preset.summary, "reference": preset.reference });
    if let Table::Own(own) = preset.method().table() {
        let has = |domain: &&Domain| domain.searches.iter().any(|own| own.name == preset.name);
        object["problems"] = domains().iter().filter(has).map(|domain| domain.name).collect();
        object["unit"] = own.unit().map(|unit| unit.name()).into();
    }
    object
}

fn method_detail(preset: &Preset) -> Value {
    let mut object = method_json(preset);
    let method = preset.method();
    let typed = parameters(&method);
    let rows = method.parameters().into_iter().map(|parameter| {
        json!({
            "name": parameter.name, "default": typed[parameter.name],
            "range": parameter.range, "help": parameter.help,
        })
    });
    object["parameters"] = rows.collect();
    object
}

fn method_text(preset: &Preset, all: bool) -> String {
    let mut text = format!("{}: {}\n{}\n", preset.name, preset.summary, preset.reference);
    let detail = method_json(preset);
    if let (Some(problems), Some(unit)) = (detail["problems"].as_array(), detail["unit"].as_str()) {
        let names: Vec<_> = problems.iter().filter_map(Value::as_str).collect();
        let _ = writeln!(text, "A method of {}; --nodes counts {unit}.", names.join(" and "));
    }
    text.push_str("\nParameters (--set NAME=VALUE):\n");
    let method = preset.method();
    let every = method.parameters();
    let parameters = if all { every.clone() } else { method.first_parameters() };
    let rows: Vec<_> = parameters
        .iter()
        .map(|parameter| {
            (parameter.name, format!("{} [{}; default: {}]", parameter.help, parameter.range, parameter.value))
        })
        .collect();
    text.push_str(&table(&rows));
    if rows.len() < every.len() {
        let _ = writeln!(text, "\n`soloist methods {} --all` shows {} more.", preset.name, every.len() - rows.len());
    }
    text
}

/// Names and descriptions in two columns.
fn table(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter().fold(String::new(), |mut text, (name, about)| {
        let _ = writeln!(text, "  {name:<width$}  {about}");
        text
    })
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}
