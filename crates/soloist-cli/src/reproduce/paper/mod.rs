//! Experiments that are described rather than programmed: runs of `soloist bench` beside published values.
//!
//! `description` reads what is run, `published` the values that stand beside it, `stages` chooses settings and makes
//! the runs, `replay` reads finished ones back, `claim` tests the paper's statements, `report` writes the tables,
//! `chart` and `figure` draw.

mod chart;
mod claim;
mod description;
mod figure;
mod published;
mod replay;
mod report;
mod stages;

use super::experiments::Source;
use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::output::{self, Target};
use description::Description;
use published::Published;
use replay::Made;
use report::Report;
use stages::Runs;
use std::path::{Path, PathBuf};

/// An experiment with everything that is built in about it.
#[derive(Debug)]
pub(crate) struct Paper {
    pub(crate) id: &'static str,
    pub(crate) description: Description,
    published: Published,
}

impl Paper {
    /// Reads what is built in.
    pub(crate) fn new(source: &Source) -> Result<Self, Failure> {
        let fail = |what: &str, error: String| Failure::runtime(format!("{}{what}: {error}", source.id));
        let description = Description::parse(source.description).map_err(|error| fail(".toml", error))?;
        let published = Published::parse(source.published).map_err(|error| fail(".csv", error))?;
        Ok(Self { id: source.id, description, published })
    }

    /// The instances that are there, and those that `data` lacks. Specs are always there.
    pub(crate) fn instances(&self, data: &Path) -> (Vec<String>, Vec<String>) {
        let is_there = |name: &&String| !name.contains('/') || is_there(data, name);
        let (there, missing): (Vec<&String>, Vec<&String>) = self.description.instances.iter().partition(is_there);
        (there.into_iter().cloned().collect(), missing.into_iter().cloned().collect())
    }
}

/// Whether a file, or at least one file of a pattern, is in the folder.
fn is_there(data: &Path, name: &str) -> bool {
    let path = data.join(name);
    if !name.contains(['*', '?']) {
        return path.is_file();
    }
    // What exactly matches is found out when the runs are planned.
    path.parent().and_then(|folder| std::fs::read_dir(folder).ok()).is_some_and(|mut entries| entries.next().is_some())
}

/// How a call ended.
#[derive(Debug)]
pub(crate) struct Done {
    /// The exit code.
    pub(crate) code: u8,
    /// How many claims have each outcome.
    pub(crate) verdicts: String,
    /// What is printed unless the experiment is one of many.
    pub(crate) text: String,
}

/// Runs an experiment, or with `--report-only` reads its runs back, and writes its report into `folder`.
pub(crate) fn run(source: &Source, args: &ReproduceArgs, folder: &Path) -> Result<Done, Failure> {
    let paper = Paper::new(source)?;
    if args.report_only {
        let made = Made::read(folder)?;
        let runs = Runs::read(&paper, &made, folder)?;
        let report = Report::new(&paper, &runs, made.scale, made.limit, made.missing_instances);
        return finish(&paper, &runs, &report, args, made.scale, folder);
    }
    let data = args.data.clone().unwrap_or_else(|| PathBuf::from("data"));
    let (there, missing) = paper.instances(&data);
    if let ([], Some(first)) = (&there[..], missing.first()) {
        let source = paper.description.data.as_deref().unwrap_or("the files of the experiment");
        let (id, data) = (paper.id, data.display());
        return Err(Failure::runtime(format!(
            "{id}: no {first} in {data}: put {source} there, or name their folder by --data"
        )));
    }
    if !args.quiet && !missing.is_empty() {
        output::note(&format!("{}: left out, because not in {}: {}", paper.id, data.display(), missing.join(", ")));
    }
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::runtime(format!("cannot make the folder {}: {error}", folder.display())))?;
    let Some(runs) = Runs::make(&paper, args, folder, &data, &there)? else {
        output::note("interrupted while settings were chosen; the same call continues");
        return Ok(Done { code: 130, verdicts: String::new(), text: String::new() });
    };
    let report = Report::new(&paper, &runs, args.scale, args.limit, missing);
    finish(&paper, &runs, &report, args, args.scale, folder)
}

/// Writes what the runs say.
fn finish(
    paper: &Paper,
    runs: &Runs,
    report: &Report<'_>,
    args: &ReproduceArgs,
    scale: f64,
    folder: &Path,
) -> Result<Done, Failure> {
    let json = format!("{}\n", report.json());
    let spec = runs.spec.iter().map(|spec| ("spec.toml", spec.clone()));
    let texts = [("figure.svg", figure::draw(paper, runs, scale)?), ("report.md", report.text(true))];
    Failure::of_all(
        texts
            .into_iter()
            .chain([("report.json", json.clone())])
            .chain(spec)
            .map(|(name, text)| Target::new(&folder.join(name))?.write(&text)),
    )?;
    let text = if args.json { json } else { report.text(args.markdown) };
    let code = match runs.unverified() {
        0 if runs.missing() > 0 => 130,
        0 => 0,
        count => return Err(Failure::runtime(format!("{}: {count} results failed verification", paper.id))),
    };
    Ok(Done { code, verdicts: report.verdicts(), text })
}
