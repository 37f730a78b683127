//! All experiments in slices: `--all` works through them, `--status` says how far they are.
//!
//! Each experiment has a folder of its own below `--out`. The cheapest claims come first. A slice that is over stops
//! the run at work, which is dropped; the same call makes it again, so that a slice must be longer than the longest
//! run.

use super::experiments::{SOURCES, Source};
use super::paper::{self, Paper};
use super::{SA_UCT, SA_UCT_HOURS, sensitivity};
use crate::args::ReproduceArgs;
use crate::bench::rounded;
use crate::failure::Failure;
use crate::output;
use crate::signal::{self, STOP};
use crate::table::Table;
use serde::Deserialize;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// An experiment of the campaign.
struct Item {
    id: &'static str,
    /// `None`: the study of SA-UCT.
    source: Option<&'static Source>,
    /// Processor hours at scale 1.
    hours: f64,
    claims: usize,
}

/// All experiments, by rising hours a claim.
fn items() -> Result<Vec<Item>, Failure> {
    let mut items = vec![Item { id: SA_UCT, source: None, hours: SA_UCT_HOURS, claims: 1 }];
    for source in SOURCES {
        let description = Paper::new(source)?.description;
        let claims = description.claim.len();
        items.push(Item { id: source.id, source: Some(source), hours: description.hours, claims });
    }
    let price = |item: &Item| item.hours / item.claims.max(1) as f64;
    items.sort_by(|a, b| price(a).total_cmp(&price(b)));
    Ok(items)
}

/// Works through the experiments until all are done or the hours are over.
pub(crate) fn run(args: &ReproduceArgs) -> Result<u8, Failure> {
    let Some(folder) = &args.out else {
        return Err(Failure::usage("--all needs --out DIR, the folder of the campaign".to_owned()));
    };
    let items = items()?;
    signal::install(args.quiet)?;
    if let Some(hours) = args.hours {
        let end = Instant::now() + Duration::from_secs_f64(hours * 3600.0);
        std::thread::spawn(move || {
            std::thread::sleep(end.saturating_duration_since(Instant::now()));
            signal::stop("the hours are over; the same call continues");
        });
    }
    let (mut left, mut failures) = (0, Vec::new());
    for item in &items {
        if STOP.load(Ordering::SeqCst) {
            left += 1;
            continue;
        }
        let place = folder.join(item.id);
        let made = match item.source {
            Some(source) => paper::run(source, args, &place).map(|done| (done.code, done.verdicts)),
            None => {
                let study = ReproduceArgs { out: Some(place), data: None, limit: None, ..args.clone() };
                sensitivity::make(&study).and_then(|(code, _, ran)| ran.map(|()| (code, String::new())))
            }
        };
        match made {
            Ok((130, _)) => left += 1,
            Ok((_, verdicts)) if verdicts.is_empty() => output::note(&format!("{}: done", item.id)),
            Ok((_, verdicts)) => output::note(&format!("{}: {verdicts}", item.id)),
            // One experiment without its data does not end the others.
            Err(failure) => failures.push(Err(failure)),
        }
    }
    output::print(&status(args, folder)?)?;
    Failure::of_all(failures)?;
    Ok(if left > 0 { 130 } else { 0 })
}

/// What a report says about how far an experiment is.
#[derive(Deserialize)]
struct Made {
    scale: f64,
    missing: usize,
    hours: f64,
    instances: usize,
    seeds: Vec<u64>,
    methods: Vec<Method>,
    claims: Vec<Claim>,
}

#[derive(Deserialize)]
struct Method {
    missing: usize,
    seconds: Option<f64>,
}

#[derive(Deserialize)]
struct Claim {
    outcome: String,
}

/// The experiments below `folder`: runs made and left, hours spent and left.
pub(crate) fn status(args: &ReproduceArgs, folder: &Path) -> Result<String, Failure> {
    let mut table =
        Table::new(1, ["experiment", "scale", "runs", "left", "hours spent", "hours left", "claims", "confirmed"]);
    let (mut all_spent, mut all_left) = (0.0, 0.0);
    for item in items()? {
        let path = folder.join(item.id).join("report.json");
        let text = std::fs::read_to_string(&path).ok();
        let made: Option<Made> = match &text {
            Some(text) => Some(
                serde_json::from_str(text)
                    .map_err(|error| Failure::runtime(format!("{}: not a report: {error}", path.display())))?,
            ),
            None => None,
        };
        let finished = item.source.is_none() && folder.join(item.id).join("summary.json").is_file();
        let cells = match &made {
            Some(made) => {
                // Where a method has no run yet, it costs what the description says.
                let share = item.hours * made.scale / made.methods.len().max(1) as f64;
                let planned = (made.instances * made.seeds.len()).max(1) as f64;
                let hours = |method: &Method| match method.seconds {
                    Some(seconds) => seconds * method.missing as f64 / 3600.0,
                    None => share * method.missing as f64 / planned,
                };
                let left: f64 = made.methods.iter().map(hours).sum();
                all_spent += made.hours;
                all_left += left;
                let runs = made.methods.len() * made.instances * made.seeds.len() - made.missing;
                let confirmed = made.claims.iter().filter(|claim| claim.outcome == "confirmed").count();
                [
                    made.scale.to_string(),
                    runs.to_string(),
                    made.missing.to_string(),
                    rounded(made.hours, 2),
                    rounded(left, 2),
                    made.claims.len().to_string(),
                    confirmed.to_string(),
                ]
            }
            None if finished => ["-", "-", "0", "-", "0", "-", "-"].map(str::to_owned),
            None => {
                let hours = item.hours * args.scale;
                all_left += hours;
                let none = || "-".to_owned();
                [
                    args.scale.to_string(),
                    "0".to_owned(),
                    none(),
                    none(),
                    rounded(hours, 2),
                    item.claims.to_string(),
                    none(),
                ]
            }
        };
        table.push([item.id.to_owned()].into_iter().chain(cells).collect());
    }
    Ok(format!(
        "{}\n{} processor hours spent, about {} left\n",
        table.text(),
        rounded(all_spent, 2),
        rounded(all_left, 2)
    ))
}
