//! Published experiments, repeated: runs of [`bench`](crate::bench) beside the values of the paper, with its claims tested
//! on them.
//!
//! Each experiment is described by a file (`experiments`). `description` reads what is run, `published` the values that
//! stand beside it, `paper` holds both, `stages` chooses settings and makes the runs, `replay` reads finished ones back,
//! `claim` tests the paper's statements, `report` writes the tables, `figure` draws, `campaign` works through all
//! experiments in slices.

mod campaign;
mod chart;
mod claim;
mod description;
mod experiments;
mod figure;
mod paper;
mod published;
mod replay;
mod report;
mod stages;

pub use campaign::{run_all, status};

use crate::context::Context;
use crate::failure::{Failure, unknown};
use crate::files::Target;
use crate::table::{Format, Table};
use experiments::{SOURCES, Source};
use paper::Paper;
use replay::Made;
use report::Report;
use serde_json::{Value, json};
use stages::Runs;
use std::path::{Path, PathBuf};

/// How an experiment is repeated.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// Multiplies the budgets of the paper.
    pub scale: f64,
    /// Instances that are used at most; `None`: as the description says.
    pub limit: Option<usize>,
    /// The folder of instances that may not be shipped.
    pub data: PathBuf,
    /// Runs at a time; `None`: as many as there are cores.
    pub jobs: Option<usize>,
    /// Whether nothing is run: the verdicts are worked out again from the runs in the folder, with the scale of its
    /// `report.json`.
    pub is_report_only: bool,
    /// How the report is returned.
    pub format: Format,
}

/// How an experiment ended.
#[derive(Debug)]
pub struct Done {
    /// Whether all runs were made.
    pub is_complete: bool,
    /// How many claims have each outcome, in one line.
    pub verdicts: String,
    /// The report.
    pub text: String,
}

/// Repeats the experiment `id` and writes its report into `folder`, where it continues an interrupted one.
///
/// # Errors
/// No experiment has this name, its data are missing, or a run or a file failed.
pub fn run(id: &str, folder: &Path, repeat: &Repeat, context: &Context<'_>) -> Result<Done, Failure> {
    let source = SOURCES.iter().find(|source| source.id == id);
    let known = || SOURCES.iter().map(|source| source.id).collect::<Vec<_>>();
    let source = source.ok_or_else(|| Failure::usage(unknown("experiment", id, &known())))?;
    run_source(source, folder, repeat, context)
}

fn run_source(source: &Source, folder: &Path, repeat: &Repeat, context: &Context<'_>) -> Result<Done, Failure> {
    let paper = Paper::new(source)?;
    if repeat.is_report_only {
        let made = Made::read(folder)?;
        let runs = Runs::read(&paper, &made, folder, context.registry)?;
        let report = Report::new(&paper, &runs, made.scale, made.limit, made.missing_instances);
        return finish(&paper, &runs, &report, repeat.format, made.scale, folder);
    }
    let (there, missing) = paper.instances(&repeat.data);
    let data = repeat.data.display();
    if let ([], Some(first)) = (&there[..], missing.first()) {
        let source = paper.description.data.as_deref().unwrap_or("the files of the experiment");
        let id = paper.id;
        return Err(Failure::runtime(format!(
            "{id}: no {first} in {data}: put {source} there, or name their folder by --data"
        )));
    }
    if !missing.is_empty() {
        context.note(&format!("{}: left out, because not in {data}: {}", paper.id, missing.join(", ")));
    }
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::runtime(format!("cannot make the folder {}: {error}", folder.display())))?;
    let Some(runs) = Runs::make(&paper, repeat, folder, &there, context)? else {
        context.show.warn("interrupted while settings were chosen; the same call continues");
        return Ok(Done { is_complete: false, verdicts: String::new(), text: String::new() });
    };
    let report = Report::new(&paper, &runs, repeat.scale, repeat.limit, missing);
    finish(&paper, &runs, &report, repeat.format, repeat.scale, folder)
}

/// Writes what the runs say.
fn finish(
    paper: &Paper,
    runs: &Runs,
    report: &Report<'_>,
    format: Format,
    scale: f64,
    folder: &Path,
) -> Result<Done, Failure> {
    let json = format!("{}\n", report.json());
    let spec = runs.spec.iter().map(|spec| ("spec.toml", spec.clone()));
    let texts = [("figure.svg", figure::draw(paper, runs, scale)?), ("report.md", report.text(Format::Markdown))];
    Failure::of_all(
        texts
            .into_iter()
            .chain([("report.json", json.clone())])
            .chain(spec)
            .map(|(name, text)| Target::new(&folder.join(name))?.write(&text)),
    )?;
    let text = if format == Format::Json { json } else { report.text(format) };
    match runs.unverified() {
        0 => Ok(Done { is_complete: runs.missing() == 0, verdicts: report.verdicts(), text }),
        count => Err(Failure::runtime(format!("{}: {count} results failed verification", paper.id))),
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
