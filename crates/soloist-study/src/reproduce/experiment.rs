//! One experiment: its runs are made or read back, and its report is written.

use super::experiments::{SOURCES, Source};
use super::figure;
use super::paper::Paper;
use super::replay::Made;
use super::report::Report;
use super::stages::{Repeat, Runs};
use crate::context::Context;
use crate::failure::{Failure, unknown};
use crate::files::Target;
use crate::table::Format;
use serde_json::json;
use std::path::Path;

/// How an experiment ended.
#[derive(Debug)]
pub struct Reproduced {
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
pub fn run(id: &str, folder: &Path, repeat: &Repeat, context: &Context<'_>) -> Result<Reproduced, Failure> {
    let source = SOURCES.iter().find(|source| source.id == id);
    let known = || SOURCES.iter().map(|source| source.id).collect::<Vec<_>>();
    let source = source.ok_or_else(|| Failure::usage(unknown("experiment", id, &known())))?;
    run_source(source, folder, repeat, context)
}

pub(super) fn run_source(
    source: &Source,
    folder: &Path,
    repeat: &Repeat,
    context: &Context<'_>,
) -> Result<Reproduced, Failure> {
    if repeat.is_report_only {
        let none = || Failure::runtime(format!("{}: no report.json", folder.display()));
        let made = Made::read(folder)?.ok_or_else(none)?;
        let paper = Paper::with_rows(source, &made.rows)?;
        let runs = Runs::read(&paper, &made, folder, context.registry)?;
        let report = Report::new(&paper, &runs, made.scale, made.limit, made.missing_instances)?;
        return finish(&paper, &runs, &report, repeat.format, made.scale, folder);
    }
    let paper = Paper::with_rows(source, &repeat.rows)?;
    if let Some((first, second)) = paper.description.equal_rows(repeat.scale) {
        return Ok(untestable(&paper, repeat, &first, &second));
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
        return Ok(Reproduced { is_complete: false, verdicts: String::new(), text: String::new() });
    };
    let report = Report::new(&paper, &runs, repeat.scale, repeat.limit, missing)?;
    finish(&paper, &runs, &report, repeat.format, repeat.scale, folder)
}

/// Ends an experiment that would compare a run with itself: nothing is run or written.
fn untestable(paper: &Paper, repeat: &Repeat, first: &str, second: &str) -> Reproduced {
    let outcome = "not testable at this scale";
    let reason = format!("the methods `{first}` and `{second}` are the same run");
    let text = if repeat.format == Format::Json {
        let object = json!({ "experiment": paper.id, "scale": repeat.scale, "outcome": outcome, "reason": reason });
        format!("{object}\n")
    } else {
        format!("{}: {outcome} ({}): {reason}\n", paper.id, repeat.scale)
    };
    let claims = paper.description.claims_of_paper();
    Reproduced { is_complete: true, verdicts: format!("{claims} {outcome}: {reason}"), text }
}

/// Writes what the runs say.
fn finish(
    paper: &Paper,
    runs: &Runs,
    report: &Report<'_>,
    format: Format,
    scale: f64,
    folder: &Path,
) -> Result<Reproduced, Failure> {
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
        0 => Ok(Reproduced { is_complete: runs.missing() == 0, verdicts: report.verdicts(), text }),
        count => Err(Failure::runtime(format!("{}: {count} results failed verification", paper.id))),
    }
}
