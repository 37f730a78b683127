//! `soloist report`: runs from files as one page that needs nothing else.
//!
//! `read` reads the files into runs (`trial`), `same` finds those that are there twice, `watch` follows files that
//! grow, `study` puts the runs on one problem side by side, `figures` works out
//! what the charts show, `draw` draws the best solutions, `page` writes the page from `sections` and
//! `repeat` with pieces of `html`.

pub(crate) mod draw;
mod figures;
pub(crate) mod html;
pub(crate) mod page;
pub(crate) mod read;
mod repeat;
mod same;
mod sections;
pub(crate) mod study;
pub(crate) mod trial;
mod watch;

use crate::args::ReportArgs;
use crate::bench::reference::BestKnown;
use crate::failure::Failure;
use crate::live::counted;
use crate::output::{self, Guarded, Target};
use page::Page;
use read::Runs;
use std::collections::HashSet;
use std::path::Path;

/// Runs the command.
pub(crate) fn run(args: &ReportArgs) -> Result<u8, Failure> {
    let mut inputs = Guarded::default();
    args.files.iter().for_each(|file| inputs.add(file, "a file of runs"));
    args.best_known.iter().for_each(|file| inputs.add(file, "the best known scores"));
    inputs.check("--output", &args.output)?;
    let target = Target::new(&args.output)?;
    let mut runs = Runs::read(&args.files)?;
    let named: HashSet<(usize, &str)> =
        runs.trials.iter().map(|trial| (trial.file, trial.task.instance.as_str())).collect();
    for (file, instance) in named {
        let folder = runs.files[file].parent().unwrap_or(Path::new(""));
        draw::candidates(instance, folder).iter().for_each(|file| inputs.add(Path::new(file), "an instance"));
    }
    inputs.check("--output", &args.output)?;
    if let Some(path) = &args.best_known {
        let known = BestKnown::read(path)?;
        if runs.trials.iter().all(|trial| known.of(&trial.task.instance).is_none()) {
            return Err(Failure::runtime(format!("{}: no value for any instance of the runs", path.display())));
        }
        runs.best_known = Some(known);
    }
    let page = Page::new(&runs, args.title.as_deref(), args.drawings as usize);
    target.write(&page.html())?;
    if !args.quiet {
        for note in page.notes() {
            output::note(note);
        }
        output::note(&format!(
            "{} of {} in {}",
            counted(runs.trials.len(), "run"),
            counted(runs.files.len(), "file"),
            target.shown()
        ));
    }
    Ok(0)
}
