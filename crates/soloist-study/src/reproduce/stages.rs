//! The two stages of an experiment: settings are chosen on instances of their own, then the runs of the table are made.
//!
//! Both are comparisons of [`bench`](crate::bench), kept in `tuning.jsonl` and `runs.jsonl`, from which an interrupted
//! experiment continues.

use super::description::{Row, quoted};
use super::paper::Paper;
use crate::bench::plan::Job;
use crate::bench::{Bench, Grid, Plan, Running};
use crate::context::{Context, cores};
use crate::failure::Failure;
use crate::race::{self, Scores, Test};
use crate::table::Format;
use soloist::Sense;
use std::collections::BTreeMap;
use std::iter;
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

/// The settings that were chosen for a row, by name; `None`: there was nothing to choose, or no solution to choose by.
type Chosen = Option<BTreeMap<String, String>>;

/// The finished runs of an experiment.
#[derive(Debug)]
pub(crate) struct Runs {
    pub(crate) rows: Vec<Row>,
    /// For each row, the settings that were chosen.
    pub(crate) chosen: Vec<Chosen>,
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
        let mut chosen = vec![None; rows.len()];
        let mut spent = 0.0;
        if let Some(tuning) = &description.tuning {
            let choice = Choice::new(&rows);
            let spec = head(paper, "choice of settings", &tuning.instances, None) + &choice.methods;
            let plan = plan(paper, &spec, repeat, context)?;
            let mut bench = open(paper, &plan, &folder.join("tuning.jsonl"), context)?;
            let Some(best) = choice.make(&plan, &mut bench, tuning.race, repeat, context)? else { return Ok(None) };
            chosen = best;
            spent += bench.runs().values().map(|run| run.seconds).sum::<f64>();
        }
        let nothing = BTreeMap::new();
        let limit = repeat.limit.or(description.limit);
        let mut spec = head(paper, &description.title, instances, limit);
        for (row, chosen) in rows.iter().zip(&chosen) {
            let more = chosen.as_ref().unwrap_or_else(|| row.candidates.first().unwrap_or(&nothing));
            spec.push_str(&row.spec(&row.label, more));
        }
        let file = folder.join("runs.jsonl");
        let plan = plan(paper, &spec, repeat, context)?;
        let mut bench = open(paper, &plan, &file, context)?;
        bench.run(&running(repeat), context)?;
        let found = bench.into_runs();
        spent += found.values().map(|run| run.seconds).sum::<f64>();
        Ok(Some(Self {
            rows,
            chosen,
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

/// Reads a spec.
fn plan(paper: &Paper, spec: &str, repeat: &Repeat, context: &Context<'_>) -> Result<Plan, Failure> {
    // Files of instances count from the folder of the spec, which is the folder of the data here.
    let place = repeat.data.join(format!("{}.toml", paper.id));
    Plan::parse(&place, paper.id, spec, context.registry)
}

/// Opens the file that keeps the runs of a plan.
fn open<'a>(paper: &Paper, plan: &'a Plan, file: &Path, context: &Context<'_>) -> Result<Bench<'a>, Failure> {
    context.note(&format!("{}: kept in {}", plan.title.as_deref().unwrap_or(paper.id), file.display()));
    Bench::open(plan, file, false)
}

/// How the runs are made.
fn running(repeat: &Repeat) -> Running {
    Running { jobs: Some(repeat.jobs.unwrap_or_else(cores)), ..Running::default() }
}

/// The combinations of settings from which each row takes the best.
#[derive(Debug)]
struct Choice<'a> {
    /// Number of rows.
    rows: usize,
    /// Their part of a spec, a method for each.
    methods: String,
    /// The row of each and its settings.
    owners: Vec<(usize, &'a BTreeMap<String, String>)>,
}

impl<'a> Choice<'a> {
    fn new(rows: &'a [Row]) -> Self {
        let (mut methods, mut owners) = (String::new(), Vec::new());
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
        Self { rows: rows.len(), methods, owners }
    }

    /// Makes the missing runs and returns the best settings of each row: those with the most feasible runs, of these
    /// the best mean, and the first of equals. `None` without a feasible solution. In a race, each instance after the
    /// first few decides which settings see the next one. `None` for all: interrupted.
    fn make(
        &self,
        plan: &Plan,
        bench: &mut Bench<'_>,
        is_race: bool,
        repeat: &Repeat,
        context: &Context<'_>,
    ) -> Result<Option<Vec<Chosen>>, Failure> {
        let mut scores = vec![Scores::new(); self.owners.len()];
        let mut live: Vec<Vec<usize>> = (0..self.rows).map(|row| self.of_row(row)).collect();
        let all: Vec<usize> = (0..plan.instances.len()).collect();
        // No setting leaves before it has seen some instances, so that these are one block.
        let (first, rest) = all.split_at(if is_race { race::LEAST.min(all.len()) } else { all.len() });
        for block in iter::once(first).chain(rest.chunks(1)) {
            let is_due = |job: &Job| {
                let live = &live[self.owners[job.method].0];
                // A race with one setting left is over.
                block.contains(&job.instance) && live.contains(&job.method) && (live.len() > 1 || !is_race)
            };
            bench.run_some(&is_due, self.later(plan, block, &live), &running(repeat), context)?;
            for job in plan.jobs.iter().filter(|job| is_due(job)) {
                let Some(run) = bench.runs().get(&job.key) else { return Ok(None) };
                scores[job.method].push(run.value());
            }
            if is_race {
                for live in &mut live {
                    *live = race::survivors(Test::T, plan.sense, &scores, live, 1);
                }
            }
        }
        let best = live.iter().map(|live| {
            let best = live.iter().copied().min_by(|&a, &b| race::compare(plan.sense, &scores[a], &scores[b]));
            best.filter(|&at| race::mean(&scores[at]).is_some()).map(|at| self.owners[at].1.clone())
        });
        Ok(Some(best.collect()))
    }

    /// The most runs that follow a block of a race in which these settings are left.
    fn later(&self, plan: &Plan, block: &[usize], live: &[Vec<usize>]) -> usize {
        let is_left = |job: &&Job| {
            let live = &live[self.owners[job.method].0];
            block.last().is_some_and(|&last| job.instance > last) && live.contains(&job.method) && live.len() > 1
        };
        plan.jobs.iter().filter(is_left).count()
    }

    /// The combinations of a row.
    fn of_row(&self, row: usize) -> Vec<usize> {
        (0..self.owners.len()).filter(|&at| self.owners[at].0 == row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{Detail, record};
    use crate::reproduce::description::Description;
    use crate::reproduce::published::Published;
    use std::sync::atomic::AtomicBool;

    /// Boards on which settings are chosen.
    const BOARDS: usize = 24;

    /// One row has six settings to choose from, the other one has none.
    const TEXT: &str = r#"
        title = "t"
        reference = "r"
        paper = "p"
        unit = "playouts"
        departs = []
        hours = 0.1
        problem = "samegame"
        instances = ["random:8x8x4:1..2"]
        small = 0.1
        [[method]]
        name = "raced"
        method = "nrpa"
        set = { level = 1 }
        budget = { playouts = 200 }
        tune = { iterations = [1, 40, 200], alpha = [0.5, 1] }
        [[method]]
        name = "fixed"
        method = "sampling"
        budget = { playouts = 5 }
        [tuning]
        instances = ["random:8x8x4:11..34"]
        race = true
        [figure]
        kind = "lines"
        y = "mean"
    "#;

    /// Whether a paired t test could call the differences other than 0 at 0.05: its limits are 2.77 with four degrees
    /// of freedom and 2.06 with 23.
    fn is_clear(differences: &[f64]) -> bool {
        let count = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / count;
        let variance = differences.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
        mean.abs() > 2.06 * (variance / count).sqrt()
    }

    #[test]
    fn races_drop_only_what_is_clearly_worse() {
        let description = Description::parse(TEXT).unwrap();
        let paper = Paper { id: "t", description, published: Published::default() };
        let repeat = Repeat {
            scale: 1.0,
            limit: None,
            rows: Vec::new(),
            data: PathBuf::new(),
            jobs: Some(2),
            is_report_only: false,
            format: Format::Text,
        };
        let folder = tempfile::tempdir().unwrap();
        let stop = AtomicBool::new(false);
        let context = Context::silent(soloist_problems::registry(), &stop);
        let make = || {
            let runs = Runs::make(&paper, &repeat, folder.path(), &paper.description.instances, &context).unwrap();
            runs.unwrap().chosen
        };
        let chosen = make();
        assert_eq!(chosen[1], None, "nothing to choose");

        let mut scores: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        let file = folder.path().join("tuning.jsonl");
        for record in record::read_all(&file, Detail::None).unwrap() {
            scores.entry(record.task.label.unwrap()).or_default().push(record.ending.score.unwrap());
        }
        assert!(scores.len() == 6 && scores.keys().all(|label| label.starts_with("raced #")), "{:?}", scores.keys());
        let whole = scores.values().filter(|scores| scores.len() == BOARDS).count();
        assert!((1..6).contains(&whole), "{whole} settings saw all boards");
        for (label, dropped) in scores.iter().filter(|(_, scores)| scores.len() < BOARDS) {
            let is_worse_than = |other: &Vec<f64>| {
                let differences: Vec<f64> = other.iter().zip(dropped).map(|(a, b)| a - b).collect();
                other.len() >= dropped.len() && differences.iter().sum::<f64>() > 0.0 && is_clear(&differences)
            };
            assert!(dropped.len() >= 5 && scores.values().any(is_worse_than), "{label}: {dropped:?}");
        }
        let sum = |label: &String| scores[label].iter().sum::<f64>();
        let finalists = scores.keys().filter(|label| scores[*label].len() == BOARDS);
        let best = finalists.max_by(|a, b| sum(a).total_cmp(&sum(b))).unwrap();
        let candidates = &paper.description.rows(1.0)[0].candidates;
        let number: usize = best.trim_start_matches("raced #").parse().unwrap();
        assert_eq!(chosen[0].as_ref(), Some(&candidates[number]));

        // A second call reads what is there.
        let before = std::fs::read_to_string(&file).unwrap();
        assert_eq!(make(), chosen);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    }
}
