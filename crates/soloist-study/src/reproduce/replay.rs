//! Finished runs read back, so that their verdicts can be worked out again: the records of `runs.jsonl` by method,
//! instance and seed, and what `report.json` says about the call that made them.
//!
//! The instances are not needed, and records of older releases serve as well: nothing is run.

use super::paper::Paper;
use super::stages::Runs;
use crate::bench::{Grid, Line, Run};
use crate::failure::Failure;
use serde::Deserialize;
use soloist::Sense;
use soloist_domain::Depths;
use soloist_domain::Registry;
use std::collections::{BTreeMap, HashSet};
use std::io::{BufRead, BufReader};
use std::path::Path;

/// What a verdict needs of a report.
#[derive(Debug, Deserialize)]
pub(crate) struct Made {
    pub(crate) scale: f64,
    pub(crate) limit: Option<usize>,
    problem: String,
    sense: String,
    seeds: Vec<u64>,
    instance_names: Vec<String>,
    left_out: usize,
    pub(crate) missing_instances: Vec<String>,
    methods: Vec<Method>,
}

#[derive(Debug, Deserialize)]
struct Method {
    method: String,
    chosen: Option<BTreeMap<String, String>>,
}

/// What a verdict needs of a record.
#[derive(Debug, Deserialize)]
struct Record {
    label: String,
    instance: String,
    seed: u64,
    score: Option<f64>,
    violation: Option<f64>,
    optimal: bool,
    playouts: u64,
    seconds: f64,
    verified: Option<bool>,
    tree: Option<Depths>,
}

impl Made {
    /// Reads the report in `folder`.
    pub(crate) fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join("report.json");
        let fail = |error: &dyn std::fmt::Display| Failure::runtime(format!("{}: {error}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(|error| fail(&format_args!("cannot be read: {error}")))?;
        serde_json::from_str(&text).map_err(|error| fail(&format_args!("not a report of `soloist reproduce`: {error}")))
    }
}

impl Runs {
    /// The runs in `folder` that `made` is about.
    pub(crate) fn read(paper: &Paper, made: &Made, folder: &Path, registry: Registry) -> Result<Self, Failure> {
        let file = folder.join("runs.jsonl");
        let fail = |error: &dyn std::fmt::Display| Failure::runtime(format!("{}: {error}", file.display()));
        let rows = paper.description.rows(made.scale);
        let sense = if made.sense == "maximize" { Sense::Maximize } else { Sense::Minimize };
        let problem = registry
            .find(&made.problem)
            .ok_or_else(|| Failure::runtime(format!("{}: no problem `{}`", folder.display(), made.problem)))?;
        let mut lines = vec![Line::new(); rows.len()];
        let mut seen = HashSet::new();
        let mut spent = seconds(&folder.join("tuning.jsonl"))?;
        let reader = std::fs::File::open(&file).map_err(|error| fail(&format_args!("cannot be read: {error}")))?;
        for (number, line) in (1..).zip(BufReader::new(reader).lines()) {
            let line = line.map_err(|error| fail(&error))?;
            let record: Record = serde_json::from_str(&line)
                .map_err(|error| fail(&format_args!("line {number}: broken record: {error}")))?;
            let place = (
                rows.iter().position(|row| row.label == record.label),
                made.instance_names.iter().position(|name| *name == record.instance),
                made.seeds.iter().position(|&seed| seed == record.seed),
            );
            // Records of other runs are left alone.
            let (Some(method), Some(instance), Some(seed)) = place else { continue };
            if !seen.insert((method, instance, seed)) {
                let (label, name) = (&record.label, &record.instance);
                return Err(fail(&format_args!(
                    "line {number}: a second run of {label} on {name}, seed {}",
                    record.seed
                )));
            }
            let Record { score, violation, optimal, playouts, seconds, verified, tree, .. } = record;
            spent += seconds;
            let run = Run { score, violation, optimal, playouts, seconds, verified, tree };
            lines[method].entry(instance).or_default().push((seed, run));
        }
        lines.iter_mut().flat_map(Line::values_mut).for_each(|cell| cell.sort_by_key(|(seed, _)| *seed));
        let chosen = |label: &String| {
            let of_row = |method: &&Method| method.method == *label;
            made.methods.iter().find(of_row).and_then(|method| method.chosen.clone())
        };
        Ok(Self {
            chosen: rows.iter().map(|row| chosen(&row.label)).collect(),
            planned: rows.len() * made.instance_names.len() * made.seeds.len(),
            rows,
            grid: Grid::of(sense, made.instance_names.len(), lines),
            problem: problem.name,
            sense,
            instances: made.instance_names.clone(),
            seeds: made.seeds.clone(),
            left_out: made.left_out,
            spent: spent / 3600.0,
            spec: None,
            file,
        })
    }
}

/// The seconds of the runs in a file, which may be missing.
fn seconds(file: &Path) -> Result<f64, Failure> {
    #[derive(Deserialize)]
    struct Timed {
        seconds: f64,
    }
    let fail = |error: &dyn std::fmt::Display| Failure::runtime(format!("{}: {error}", file.display()));
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0.0),
        Err(error) => return Err(fail(&format_args!("cannot be read: {error}"))),
    };
    let mut sum = 0.0;
    for (number, line) in (1..).zip(text.lines()) {
        let record: Timed =
            serde_json::from_str(line).map_err(|error| fail(&format_args!("line {number}: broken record: {error}")))?;
        sum += record.seconds;
    }
    Ok(sum)
}
