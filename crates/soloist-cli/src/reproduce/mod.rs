//! `soloist reproduce`: repeats published experiments and writes data, figures and tables.
//!
//! Most experiments are described by files (`experiments`), which `paper` carries out as comparisons of `bench`;
//! `campaign` works through all of them in slices. The study of SA-UCT is a program: `sensitivity` runs it on
//! expressions, `data` stores its samples, `summary` computes the intervals, `scatter` draws the figures.

mod campaign;
mod data;
mod experiments;
mod paper;
mod scatter;
mod sensitivity;
mod summary;

pub(crate) use sensitivity::{Facing, samples, updates};

use crate::args::ReproduceArgs;
use crate::failure::{Failure, unknown};
use crate::output;
use crate::signal;
use crate::table::Table;
use experiments::SOURCES;
use paper::Paper;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The study of SA-UCT.
const SA_UCT: &str = "sa-uct";
const SA_UCT_TITLE: &str =
    "operations over the exploration constant Cp, UCT beside SA-UCT, forward and backward Horner orders";
const SA_UCT_REFERENCE: &str = "B. Ruijl, J. Vermaseren, A. Plaat and J. van den Herik, ICAART 2014, figures 3 to 5";
/// The scale at which the study takes less than two minutes: 40 of 4,000 samples.
const SA_UCT_SMALL: f64 = 0.01;
/// Processor hours of all samples, about.
const SA_UCT_HOURS: f64 = 0.2;

/// Runs the command.
pub(crate) fn run(args: &ReproduceArgs) -> Result<u8, Failure> {
    if let Some(folder) = &args.status {
        output::print(&campaign::status(args, folder)?)?;
        return Ok(0);
    }
    if args.all {
        return campaign::run(args);
    }
    let Some(name) = args.experiment.as_deref().filter(|_| !args.list) else {
        output::print(&list(args)?)?;
        return Ok(0);
    };
    if name == SA_UCT {
        let refused =
            [("--data", args.data.is_some()), ("--limit", args.limit.is_some()), ("--report-only", args.report_only)];
        if let Some((option, _)) = refused.iter().find(|given| given.1) {
            return Err(Failure::usage(format!("{option} means nothing to {SA_UCT}: it has one instance, --instance")));
        }
        return sensitivity::run(args);
    }
    if let Some(source) = SOURCES.iter().find(|source| source.id == name) {
        refuse_options_of_the_study(args, name)?;
        signal::install(args.quiet)?;
        let folder = args.out.clone().unwrap_or_else(|| PathBuf::from(name));
        let done = paper::run(source, args, &folder)?;
        output::print(&done.text)?;
        return Ok(done.code);
    }
    let known: Vec<_> = SOURCES.iter().map(|source| source.id).chain([SA_UCT]).collect();
    Err(Failure::usage(unknown("experiment", name, &known)))
}

/// Options of one kind of experiment mean nothing to the other.
fn refuse_options_of_the_study(args: &ReproduceArgs, name: &str) -> Result<(), Failure> {
    let given = [
        ("--samples", args.samples.is_some()),
        ("--instance", args.instance.is_some()),
        ("--updates", args.updates.is_some()),
        ("--directions", args.directions.is_some()),
        ("--seed", args.seed.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Failure::usage(format!("{option} belongs to {SA_UCT}, not to {name}"))),
        None => Ok(()),
    }
}

/// A line of the list.
struct Entry {
    id: &'static str,
    title: String,
    reference: String,
    small: f64,
    /// Processor hours at scale 1.
    hours: f64,
    /// Instances in the folder of the data, and those that are missing there.
    there: usize,
    missing: Vec<String>,
    needs_data: bool,
}

fn entries(data: &Path) -> Result<Vec<Entry>, Failure> {
    let mut entries = Vec::new();
    for source in SOURCES {
        let paper = Paper::new(source)?;
        let (there, missing) = paper.instances(data);
        entries.push(Entry {
            id: source.id,
            title: paper.description.title.clone(),
            reference: paper.description.reference.clone(),
            small: paper.description.small,
            hours: paper.description.hours,
            there: there.len(),
            missing,
            needs_data: paper.description.data.is_some(),
        });
    }
    entries.push(Entry {
        id: SA_UCT,
        title: SA_UCT_TITLE.to_owned(),
        reference: SA_UCT_REFERENCE.to_owned(),
        small: SA_UCT_SMALL,
        hours: SA_UCT_HOURS,
        there: 1,
        missing: Vec::new(),
        needs_data: false,
    });
    Ok(entries)
}

fn list(args: &ReproduceArgs) -> Result<String, Failure> {
    let data = args.data.clone().unwrap_or_else(|| PathBuf::from("data"));
    let mut entries = entries(&data)?;
    if let Some(name) = &args.experiment {
        entries.retain(|entry| entry.id == name);
    }
    if args.json {
        let object = |entry: &Entry| {
            json!({
                "name": entry.id,
                "summary": entry.title,
                "reference": entry.reference,
                "small_scale": entry.small,
                "hours": entry.hours,
                "needs_data": entry.needs_data,
                "missing": entry.missing,
            })
        };
        return Ok(format!("{}\n", entries.iter().map(object).collect::<Value>()));
    }
    let mut table = Table::new(6, ["experiment", "data", "small --scale", "hours", "what it shows", "published in"]);
    for entry in entries {
        let data = match (entry.needs_data, entry.there, entry.missing.is_empty()) {
            (false, ..) => "built in",
            (_, 0, _) => "missing",
            (_, _, false) => "in part",
            _ => "there",
        };
        let cells =
            [entry.id, data, &entry.small.to_string(), &entry.hours.to_string(), &entry.title, &entry.reference];
        table.push(cells.map(str::to_owned).to_vec());
    }
    let text = format!(
        "{}\nAt its small scale an experiment takes less than two minutes on two cores; hours are those of a \
         processor at scale 1, about. Data that may not be shipped is \
         looked for in {}; --data names another folder.\n",
        table.text(),
        data.display()
    );
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn descriptions_are_sound() {
        let mut ids = HashSet::new();
        for entry in entries(Path::new("nowhere")).unwrap() {
            assert!(ids.insert(entry.id), "{} is there twice", entry.id);
            assert!(entry.small > 0.0 && entry.small <= 1.0 && entry.hours > 0.0, "{}", entry.id);
            assert_eq!(entry.there == 0, entry.needs_data, "{}", entry.id);
        }
        assert_eq!(ids.len(), SOURCES.len() + 1);
    }
}
