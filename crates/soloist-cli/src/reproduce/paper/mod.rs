//! Experiments that are described rather than programmed: runs of `soloist bench` beside published values.
//!
//! `description` reads what is run, `published` the values that stand beside it, `stages` chooses settings and makes
//! the runs, `claim` tests the paper's statements, `report` writes the tables, `chart` and `figure` draw.

mod chart;
mod claim;
mod description;
mod figure;
mod published;
mod report;
mod stages;

use super::experiments::Source;
use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::output::{self, Target};
use crate::signal;
use description::Description;
use published::Published;
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

/// Runs an experiment and writes its report.
pub(crate) fn run(source: &Source, args: &ReproduceArgs) -> Result<u8, Failure> {
    let paper = Paper::new(source)?;
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
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from(paper.id));
    std::fs::create_dir_all(&folder)
        .map_err(|error| Failure::runtime(format!("cannot make the folder {}: {error}", folder.display())))?;
    let names = ["spec.toml", "figure.svg", "report.md", "report.json"];
    let targets: Vec<Target> = names.iter().map(|name| Target::new(&folder.join(name))).collect::<Result<_, _>>()?;
    signal::install(args.quiet)?;
    let Some(runs) = Runs::make(&paper, args, &folder, &data, &there)? else {
        output::note("interrupted while settings were chosen; the same call continues");
        return Ok(130);
    };
    let report = report::Report::new(&paper, &runs, args, missing);
    let texts = [
        runs.spec.clone(),
        figure::draw(&paper, &runs, args.scale)?,
        report.text(true),
        format!("{}\n", report.json()),
    ];
    let written = Failure::of_all(targets.iter().zip(texts).map(|(target, text)| target.write(&text)));
    let text = if args.json { format!("{}\n", report.json()) } else { report.text(args.markdown) };
    Failure::of_all([written, output::print(&text)])?;
    match runs.unverified() {
        0 if runs.missing() > 0 => Ok(130),
        0 => Ok(0),
        count => Err(Failure::runtime(format!("{count} results failed verification"))),
    }
}
