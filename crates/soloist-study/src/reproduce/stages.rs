//! The two stages of an experiment: settings are chosen on instances of their own, then the runs of the table are made.
//!
//! Both are comparisons of [`bench`](crate::bench), kept in `tuning.jsonl` and `runs.jsonl`, from which an interrupted
//! experiment continues.

use super::description::{Row, quoted};
use super::paper::Paper;
use crate::bench::{Bench, Grid, Plan, Run, Running};
use crate::context::{Context, cores};
use crate::failure::Failure;
use crate::table::Format;
use soloist::Sense;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// How an experiment is repeated.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// Multiplies the budgets of the paper.
    pub scale: f64,
    /// Instances that are used at most; `None`: as the description says.
    pub limit: Option<usize>,
    /// Texts in the names of the rows that are run; empty: all rows.
    pub rows: Vec<String>,
    /// The folder of instances that may not be shipped.
    pub data: PathBuf,
    /// Runs at a time; `None`: as many as there are cores.
    pub jobs: Option<usize>,
    /// Whether nothing is run: the verdicts are computed again from the runs in the folder, with the scale of its
    /// `report.json`.
    pub is_report_only: bool,
    /// How the report is returned.
    pub format: Format,
}

/// The finished runs of an experiment.
#[derive(Debug)]
pub(crate) struct Runs {
    pub(crate) rows: Vec<Row>,
    /// For each row, the settings that were chosen and the mean that they had.
    pub(crate) chosen: Vec<Option<BTreeMap<String, String>>>,
    pub(crate) grid: Grid,
    /// The problem's name.
    pub(crate) problem: &'static str,
    pub(crate) sense: Sense,
    /// Names of the instances.
    pub(crate) instances: Vec<String>,
    pub(crate) seeds: Vec<u64>,
    /// Instances beyond the number that is used.
    pub(crate) left_out: usize,
    /// Runs that are to be there.
    pub(crate) planned: usize,
    /// Processor hours of the runs that are there, those that chose settings included; runs are single-threaded.
    pub(crate) spent: f64,
    /// The spec of the runs; `None` where they are only read.
    pub(crate) spec: Option<String>,
    /// Where the runs are kept.
    pub(crate) file: PathBuf,
}

impl Runs {
    /// Makes the missing runs on these instances. `None`: interrupted before the settings were chosen.
    pub(crate) fn make(
        paper: &Paper,
        repeat: &Repeat,
        folder: &Path,
        instances: &[String],
        context: &Context<'_>,
    ) -> Result<Option<Self>, Failure> {
        let description = &paper.description;
        let rows = description.rows(repeat.scale);
        let mut chosen: Vec<Option<(BTreeMap<String, String>, f64)>> = vec![None; rows.len()];
        let mut spent = 0.0;
        if let Some(tuning) = &description.tuning {
            let mut methods = String::new();
            let mut owners = Vec::new();
            for (at, row) in rows.iter().enumerate() {
                let mut seen: Vec<&BTreeMap<String, String>> = Vec::new();
                // Settings that are scaled down may become equal.
                for candidate in &row.candidates {
                    if !seen.contains(&candidate) {
                        seen.push(candidate);
                        methods.push_str(&row.spec(&format!("{} #{}", row.label, owners.len()), candidate));
                        owners.push((at, candidate));
                    }
                }
            }
            let spec = head(paper, "choice of settings", &tuning.instances, None) + &methods;
            let (plan, found) = compare(paper, &spec, &folder.join("tuning.jsonl"), repeat, context)?;
            let grid = Grid::new(&plan, &found);
            spent += found.values().map(|run| run.seconds).sum::<f64>();
            for (method, (at, candidate)) in owners.into_iter().enumerate() {
                let line = grid.row(method);
                if line.missing > 0 {
                    return Ok(None);
                }
                let Some((mean, _)) = line.mean else { continue };
                if chosen[at].as_ref().is_none_or(|(_, best)| plan.sense.better_value(mean, *best)) {
                    chosen[at] = Some((candidate.clone(), mean));
                }
            }
        }
        let nothing = BTreeMap::new();
        let limit = repeat.limit.or(description.limit);
        let mut spec = head(paper, &description.title, instances, limit);
        for (row, chosen) in rows.iter().zip(&chosen) {
            let more =
                chosen.as_ref().map_or_else(|| row.candidates.first().unwrap_or(&nothing), |(settings, _)| settings);
            spec.push_str(&row.spec(&row.label, more));
        }
        let file = folder.join("runs.jsonl");
        let (plan, found) = compare(paper, &spec, &file, repeat, context)?;
        spent += found.values().map(|run| run.seconds).sum::<f64>();
        Ok(Some(Self {
            rows,
            chosen: chosen.into_iter().map(|chosen| chosen.map(|(settings, _)| settings)).collect(),
            grid: Grid::new(&plan, &found),
            problem: plan.domain.name,
            sense: plan.sense,
            instances: plan.instances.iter().map(|instance| instance.name.clone()).collect(),
            seeds: plan.seeds.clone(),
            left_out: plan.left_out,
            planned: plan.jobs.len(),
            spent: spent / 3600.0,
            spec: Some(spec),
            file,
        }))
    }

    /// The number of a row's method.
    pub(crate) fn method(&self, label: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.label == label)
    }

    /// Runs that are still to be made.
    pub(crate) fn missing(&self) -> usize {
        self.planned - self.grid.methods().into_iter().map(|method| self.grid.row(method).runs).sum::<usize>()
    }

    /// Results that failed their verification.
    pub(crate) fn unverified(&self) -> usize {
        self.grid.methods().into_iter().map(|method| self.grid.row(method).unverified).sum()
    }
}

/// The part of a spec in front of its methods.
fn head(paper: &Paper, title: &str, instances: &[String], limit: Option<usize>) -> String {
    let description = &paper.description;
    let list = |names: &[String]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    let mut text = format!(
        "# Made by `soloist reproduce {}`; files of instances count from the folder given as --data.\ntitle = {}\n\
         problem = {}\ninstances = [{}]\nseeds = {}\n",
        paper.id,
        quoted(title),
        quoted(&description.problem),
        list(instances),
        quoted(&description.seeds)
    );
    if let Some(limit) = limit {
        text.push_str(&format!("limit_instances = {limit}\n"));
    }
    if !description.options.is_empty() {
        let pairs: Vec<_> =
            description.options.iter().map(|(name, value)| format!("{name} = {}", quoted(value))).collect();
        text.push_str(&format!("options = {{ {} }}\n", pairs.join(", ")));
    }
    text
}

/// Makes the runs of a spec that the file does not hold.
fn compare(
    paper: &Paper,
    spec: &str,
    file: &Path,
    repeat: &Repeat,
    context: &Context<'_>,
) -> Result<(Plan, HashMap<String, Run>), Failure> {
    // Files of instances count from the folder of the spec, which is the folder of the data here.
    let place = repeat.data.join(format!("{}.toml", paper.id));
    let plan = Plan::parse(&place, paper.id, spec, context.registry)?;
    context.note(&format!("{}: kept in {}", plan.title.as_deref().unwrap_or(paper.id), file.display()));
    let mut bench = Bench::open(&plan, file, false)?;
    let jobs = Some(repeat.jobs.unwrap_or_else(cores));
    bench.run(&Running { jobs, ..Running::default() }, context)?;
    let runs = bench.into_runs();
    Ok((plan, runs))
}
