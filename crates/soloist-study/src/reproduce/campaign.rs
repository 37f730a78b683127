//! All experiments in slices: `--all` works through them, `--status` says how far they are; with `--like` finished ones
//! are made again, to see whether their verdicts are the same.
//!
//! Each experiment has a folder of its own below `--out`. The cheapest claims come first. A slice that is over stops
//! the run at work, which is dropped; the same call makes it again, so that a slice must be longer than the longest
//! run.

use super::experiment::run_source;
use super::experiments::{SOURCES, Source};
use super::paper::Paper;
use super::replay::{Made, Method};
use super::stages::Repeat;
use crate::bench::rounded;
use crate::context::Context;
use crate::failure::Failure;
use crate::table::Table;
use std::path::Path;

/// An experiment of the campaign.
struct Item {
    source: &'static Source,
    /// Processor hours at scale 1.
    hours: f64,
    claims: usize,
}

/// Whether an experiment compares different runs at this scale.
fn is_testable(source: &Source, scale: f64) -> Result<bool, Failure> {
    Ok(Paper::new(source)?.description.equal_rows(scale).is_none())
}

/// All experiments, by rising hours for each claim.
fn items() -> Result<Vec<Item>, Failure> {
    let item = |source| {
        let description = Paper::new(source)?.description;
        Ok(Item { source, hours: description.hours, claims: description.claims_of_paper() })
    };
    let mut items = SOURCES.iter().map(item).collect::<Result<Vec<_>, Failure>>()?;
    let price = |item: &Item| item.hours / item.claims.max(1) as f64;
    items.sort_by(|a, b| price(a).total_cmp(&price(b)));
    Ok(items)
}

/// Works through all experiments until they are done or the stop flag is raised. Returns whether all are done, and what
/// failed: one experiment without its data does not end the others.
///
/// # Errors
/// None, unless a description of this crate is broken.
pub fn run_all(folder: &Path, repeat: &Repeat, context: &Context<'_>) -> Result<(bool, Result<(), Failure>), Failure> {
    let (mut is_complete, mut failures) = (true, Vec::new());
    for Item { source, .. } in items()? {
        if context.is_stopped() {
            is_complete = false;
            break;
        }
        match run_source(source, &folder.join(source.id), repeat, context) {
            Ok(done) if !done.is_complete => is_complete = false,
            Ok(done) if done.verdicts.is_empty() => context.show.warn(&format!("{}: done", source.id)),
            Ok(done) => context.show.warn(&format!("{}: {}", source.id, done.verdicts)),
            // What one experiment refuses is no misuse of the call for all of them.
            Err(failure) => failures.push(Err(Failure::runtime(failure.message))),
        }
    }
    Ok((is_complete, Failure::of_all(failures)))
}

/// What became of experiments that were made again.
#[derive(Debug)]
pub struct Again {
    /// Whether all of them are finished.
    pub is_complete: bool,
    /// Whether those that are finished have the verdicts of the first time.
    pub is_same: bool,
    /// A table of the verdicts.
    pub text: String,
    /// What failed.
    pub failed: Result<(), Failure>,
}

/// Makes the finished experiments of the folder `like` again below `folder`, those that took the fewest hours first,
/// each at the scale and on as many instances as its report has.
///
/// # Errors
/// There is no finished experiment in `like`, or a file `report.json` is no report.
pub fn run_again(like: &Path, folder: &Path, repeat: &Repeat, context: &Context<'_>) -> Result<Again, Failure> {
    let mut finished = Vec::new();
    for source in SOURCES {
        finished.extend(Made::read(&like.join(source.id))?.filter(|made| made.missing == 0).map(|made| (source, made)));
    }
    if finished.is_empty() {
        return Err(Failure::runtime(format!("{}: no finished experiment with a report.json", like.display())));
    }
    finished.sort_by(|(_, a), (_, b)| a.hours.total_cmp(&b.hours));
    let head = ["experiment", "scale", "hours there", "hours here", "claims", "same verdict", "other verdicts"];
    let mut table = Table::new(1, head);
    let (mut is_complete, mut is_same, mut failures) = (true, true, Vec::new());
    for (source, made) in finished {
        let place = folder.join(source.id);
        if !context.is_stopped() {
            // The number of instances there: a limit of the description may have changed since.
            let (limit, rows) = (Some(made.instance_names.len()), made.rows.clone());
            let repeat = Repeat { scale: made.scale, limit, rows, ..repeat.clone() };
            if let Err(failure) = run_source(source, &place, &repeat, context) {
                failures.push(Err(Failure::runtime(failure.message)));
            }
        }
        let again = Made::read(&place)?.filter(|again| again.missing == 0);
        let here = again.as_ref().map_or_else(|| "not finished".to_owned(), |again| rounded(again.hours, 2));
        let verdict = |text: &str| {
            again.iter().flat_map(|again| &again.claims).find(|claim| claim.claim == text).map(|claim| &claim.outcome)
        };
        let others: Vec<String> = made
            .claims
            .iter()
            .filter(|claim| again.is_some() && verdict(&claim.claim) != Some(&claim.outcome))
            .map(|claim| {
                let here = verdict(&claim.claim).map_or("no such claim", |outcome| outcome);
                format!("{}: {} there, {here} here", claim.claim, claim.outcome)
            })
            .collect();
        is_complete &= again.is_some();
        is_same &= others.is_empty();
        let same = if again.is_some() { (made.claims.len() - others.len()).to_string() } else { "-".to_owned() };
        table.push(vec![
            source.id.to_owned(),
            made.scale.to_string(),
            rounded(made.hours, 2),
            here,
            made.claims.len().to_string(),
            same,
            if others.is_empty() { "-".to_owned() } else { others.join("; ") },
        ]);
    }
    Ok(Again { is_complete, is_same, text: table.text(), failed: Failure::of_all(failures) })
}

/// Returns a table of the experiments below `folder`: runs made and left, hours spent and left. `scale` counts for
/// those that were not begun; what is not testable at this scale needs no hours.
///
/// # Errors
/// A file `report.json` there is no report.
pub fn status(folder: &Path, scale: f64) -> Result<String, Failure> {
    let mut table =
        Table::new(1, ["experiment", "scale", "runs", "left", "hours spent", "hours left", "claims", "confirmed"]);
    let (mut all_spent, mut all_left) = (0.0, 0.0);
    for item in items()? {
        let made = Made::read(&folder.join(item.source.id))?;
        let cells = match &made {
            Some(made) => {
                // Where a method has no run yet, it costs what the description says.
                let share = item.hours * made.scale / made.methods.len().max(1) as f64;
                let planned = (made.instance_names.len() * made.seeds.len()).max(1) as f64;
                let hours = |method: &Method| match method.seconds {
                    Some(seconds) => seconds * method.missing as f64 / 3600.0,
                    None => share * method.missing as f64 / planned,
                };
                let left: f64 = made.methods.iter().map(hours).sum();
                all_spent += made.hours;
                all_left += left;
                let runs = made.methods.len() * made.instance_names.len() * made.seeds.len();
                let confirmed = made.claims.iter().filter(|claim| claim.outcome == "confirmed").count();
                [
                    made.scale.to_string(),
                    runs.saturating_sub(made.missing).to_string(),
                    made.missing.to_string(),
                    rounded(made.hours, 2),
                    rounded(left, 2),
                    made.claims.len().to_string(),
                    confirmed.to_string(),
                ]
            }
            None if !is_testable(item.source, scale)? => {
                let (none, nothing) = (|| "-".to_owned(), || "0".to_owned());
                [scale.to_string(), none(), nothing(), nothing(), nothing(), item.claims.to_string(), none()]
            }
            None => {
                let hours = item.hours * scale;
                all_left += hours;
                let none = || "-".to_owned();
                [scale.to_string(), "0".to_owned(), none(), none(), rounded(hours, 2), item.claims.to_string(), none()]
            }
        };
        table.push([item.source.id.to_owned()].into_iter().chain(cells).collect());
    }
    Ok(format!(
        "{}\n{} processor hours spent, about {} left\n",
        table.text(),
        rounded(all_spent, 2),
        rounded(all_left, 2)
    ))
}
