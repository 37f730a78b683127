//! Published experiments, repeated: runs of [`bench`](crate::bench) beside the values of the paper, with its claims
//! tested on them.
//!
//! Each experiment is described by a file (`experiments`). `description` reads what is run, `published` the values that
//! stand beside it, `paper` holds both, `stages` chooses settings and makes the runs, `replay` reads finished ones
//! back,
//! `experiment` carries it out, `claim` tests the paper's statements, `ranges` lists where
//! a parameter is good, `report` writes the tables, `figure` draws, `campaign` works through all
//! experiments in slices.

mod campaign;
mod claim;
mod description;
mod experiment;
mod experiments;
mod figure;
mod paper;
mod published;
mod ranges;
mod replay;
mod report;
mod stages;

pub use campaign::{Again, run_again, run_all, status};
pub use experiment::{Reproduced, run};
pub use stages::Repeat;

use crate::failure::Failure;
use crate::table::{Format, Table};
use experiments::SOURCES;
use paper::Paper;
use serde_json::{Value, json};
use std::path::Path;

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
    Ok(entries)
}

/// Lists the experiments, or the one called `only`, with what is missing in the folder `data`: as a table or as JSON.
///
/// # Errors
/// None, unless a description of this crate is broken.
pub fn list(only: Option<&str>, data: &Path, format: Format) -> Result<String, Failure> {
    let mut entries = entries(data)?;
    entries.retain(|entry| only.is_none_or(|only| entry.id == only));
    if format == Format::Json {
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
        table.show(format),
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
        assert_eq!(ids.len(), SOURCES.len());
    }
}
