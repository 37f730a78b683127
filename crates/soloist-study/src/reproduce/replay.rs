//! Finished runs read back, so that their verdicts can be computed again: the records of `runs.jsonl` by method,
//! instance and seed, and what `report.json` says about the call that made them.
//!
//! The instances are not needed, and records of older releases serve as well: nothing is run.

use super::paper::Paper;
use super::stages::Runs;
use crate::bench::{Detail, Grid, Line, Run, record};
use crate::failure::Failure;
use serde::Deserialize;
use soloist::Sense;
use soloist_domain::{Registry, RunRecord};
use std::collections::{BTreeMap, HashSet};
use std::io::ErrorKind;
use std::path::Path;

/// What is read back of a report: what verdicts need, and how far the runs are.
#[derive(Debug, Deserialize)]
pub(crate) struct Made {
    pub(crate) scale: f64,
    pub(crate) limit: Option<usize>,
    /// The rows that were asked for; empty: all.
    #[serde(default)]
    pub(crate) rows: Vec<String>,
    problem: String,
    sense: String,
    pub(crate) seeds: Vec<u64>,
    pub(crate) instance_names: Vec<String>,
    left_out: usize,
    pub(crate) missing_instances: Vec<String>,
    pub(crate) methods: Vec<Method>,
    #[serde(default)]
    pub(crate) claims: Vec<Claim>,
    #[serde(default)]
    pub(crate) missing: usize,
    #[serde(default)]
    pub(crate) hours: f64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Method {
    method: String,
    chosen: Option<BTreeMap<String, String>>,
    #[serde(default)]
    pub(crate) missing: usize,
    pub(crate) seconds: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Claim {
    pub(crate) claim: String,
    pub(crate) outcome: String,
}

impl Made {
    /// Reads the report in `folder`; `None`: the folder has no report.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, Failure> {
        let path = folder.join("report.json");
        let fail = |error: &dyn std::fmt::Display| Failure::runtime(format!("{}: {error}", path.display()));
        match std::fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text)
                .map(Some)
                .map_err(|error| fail(&format_args!("not a report of `soloist reproduce`: {error}"))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(fail(&format_args!("cannot be read: {error}"))),
        }
    }
}

impl Runs {
    /// The runs in `folder` that `made` is about.
    pub(crate) fn read(paper: &Paper, made: &Made, folder: &Path, registry: Registry) -> Result<Self, Failure> {
        let file = folder.join("runs.jsonl");
        let rows = paper.description.rows(made.scale);
        let sense = if made.sense == "maximize" { Sense::Maximize } else { Sense::Minimize };
        let problem = registry
            .find(&made.problem)
            .ok_or_else(|| Failure::runtime(format!("{}: no problem `{}`", folder.display(), made.problem)))?;
        let seconds = |records: &[RunRecord]| records.iter().map(|record| record.ending.seconds).sum::<f64>();
        let tuning = folder.join("tuning.jsonl");
        let mut spent = if tuning.is_file() { seconds(&record::read_all(&tuning, Detail::None)?) } else { 0.0 };
        let mut lines = vec![Line::new(); rows.len()];
        let mut seen = HashSet::new();
        for (number, record) in (1..).zip(record::read_all(&file, Detail::None)?) {
            let (task, label) = (&record.task, record.task.label.as_deref().unwrap_or_default());
            let place = (
                rows.iter().position(|row| row.label == label),
                made.instance_names.iter().position(|name| *name == task.instance),
                made.seeds.iter().position(|&seed| seed == task.seed),
            );
            // Records of other runs are left alone.
            let (Some(method), Some(instance), Some(seed)) = place else { continue };
            if !seen.insert((method, instance, seed)) {
                let (name, seed) = (&task.instance, task.seed);
                let message = format!("line {number}: a second run of {label} on {name}, seed {seed}");
                return Err(Failure::runtime(format!("{}: {message}", file.display())));
            }
            spent += record.ending.seconds;
            let run = Run::of(&record.ending, record.verified);
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
