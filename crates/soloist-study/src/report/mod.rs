//! Reports: runs from files as one page that needs nothing else.
//!
//! `read` reads the files into runs (`trial`), `dedup` finds those that are there twice, `watch` follows files that
//! grow, `study` puts the runs on one problem side by side, `figures` computes what the charts show, `draw` draws the
//! best solutions, `page` writes the page from `sections` and `repeat` with pieces of `html`.

mod dedup;
pub(crate) mod draw;
mod figures;
pub(crate) mod html;
pub(crate) mod page;
pub(crate) mod read;
mod repeat;
mod sections;
pub(crate) mod study;
pub(crate) mod trial;
mod watch;

pub use page::Page;

use crate::bench::reference::BestKnown;
use crate::failure::Failure;
use crate::files::{Guarded, Target};
use crate::text::counted;
use read::Runs;
use soloist_domain::Registry;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What a report is made of.
#[derive(Clone, Debug)]
pub struct ReportSpec {
    /// Runs of `bench`, events and results of `solve`, in any mixture.
    pub files: Vec<PathBuf>,
    /// The heading; `None`: what the runs are about.
    pub title: Option<String>,
    /// A CSV file of best known scores.
    pub best_known: Option<PathBuf>,
    /// Most instances of each problem whose best solutions are drawn.
    pub drawings: usize,
}

/// Makes the page of a report and writes it to `output`. Returns what a reader must know, a line each.
///
/// # Errors
/// A file cannot be read or holds no runs, or the page would replace an input.
pub fn write(spec: &ReportSpec, output: &Path, registry: Registry) -> Result<Vec<String>, Failure> {
    let mut inputs = Guarded::default();
    spec.files.iter().for_each(|file| inputs.add(file, "a file of runs"));
    spec.best_known.iter().for_each(|file| inputs.add(file, "the best known scores"));
    inputs.check("--output", output)?;
    let target = Target::new(output)?;
    let mut runs = Runs::read(&spec.files)?;
    let named: HashSet<(usize, &str)> =
        runs.trials.iter().map(|trial| (trial.file, trial.task.instance.as_str())).collect();
    for (file, instance) in named {
        let folder = runs.files[file].parent().unwrap_or(Path::new(""));
        draw::candidates(instance, folder).iter().for_each(|file| inputs.add(Path::new(file), "an instance"));
    }
    inputs.check("--output", output)?;
    if let Some(path) = &spec.best_known {
        let known = BestKnown::read(path)?;
        if runs.trials.iter().all(|trial| known.of(&trial.task.instance).is_none()) {
            return Err(Failure::runtime(format!("{}: no value for any instance of the runs", path.display())));
        }
        runs.best_known = Some(known);
    }
    let page = Page::new(&runs, spec.title.as_deref(), spec.drawings, registry);
    target.write(&page.html())?;
    let (trials, files) = (counted(runs.trials.len(), "run"), counted(runs.files.len(), "file"));
    let written = format!("{trials} of {files} in {}", target.shown());
    Ok(page.notes().iter().cloned().chain([written]).collect())
}
