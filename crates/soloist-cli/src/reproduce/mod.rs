//! `soloist reproduce`: repeats published experiments and writes data, figures and tables.
//!
//! `sensitivity` runs the study of SA-UCT on expressions, `data` stores its samples, `summary` computes the intervals,
//! `scatter` draws the figures.

mod data;
mod scatter;
mod sensitivity;
mod summary;

pub(crate) use sensitivity::{Facing, samples, updates};

use crate::args::ReproduceArgs;
use crate::failure::{Failure, unknown};
use crate::output;
use crate::table::Table;
use serde_json::{Value, json};

/// A published experiment.
struct Experiment {
    name: &'static str,
    summary: &'static str,
    reference: &'static str,
    run: fn(&ReproduceArgs) -> Result<u8, Failure>,
}

const EXPERIMENTS: &[Experiment] = &[Experiment {
    name: "sa-uct",
    summary: "operations over the exploration constant Cp, UCT beside SA-UCT, forward and backward Horner orders",
    reference: "B. Ruijl, J. Vermaseren, A. Plaat and J. van den Herik, ICAART 2014, figures 2 to 4",
    run: sensitivity::run,
}];

/// Runs the command.
pub(crate) fn run(args: &ReproduceArgs) -> Result<u8, Failure> {
    let Some(name) = args.experiment.as_deref().filter(|_| !args.list) else {
        output::print(&list(args.json))?;
        return Ok(0);
    };
    let Some(experiment) = EXPERIMENTS.iter().find(|experiment| experiment.name == name) else {
        let known: Vec<_> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
        return Err(Failure::usage(unknown("experiment", name, &known)));
    };
    (experiment.run)(args)
}

fn list(as_json: bool) -> String {
    if as_json {
        let object = |experiment: &Experiment| {
            let Experiment { name, summary, reference, .. } = experiment;
            json!({ "name": name, "summary": summary, "reference": reference })
        };
        return format!("{}\n", EXPERIMENTS.iter().map(object).collect::<Value>());
    }
    let mut table = Table::new(3, ["experiment", "what it shows", "published in"]);
    for experiment in EXPERIMENTS {
        table.push([experiment.name, experiment.summary, experiment.reference].map(str::to_owned).to_vec());
    }
    table.text()
}
