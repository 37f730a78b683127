//! Anneals instances of vehicle routing, or of the travelling salesman with time windows, and prints what was found.
//!
//! `cargo run --release -p soloist-routing --example solomon -- FILES SECONDS SEED OBJECTIVE [KEY=VALUE]...`: files
//! separated by commas, seconds of the processor (of the wall clock, where processor time is unknown), `vehicles`,
//! `distance`, `travel`, `makespan` or `rich` (the problem `rich-vrp` with its usual rules), and numbers of
//! [`Schedule`] and [`SisrSettings`], the latter with `f.` before them for the phase that saves vehicles; `trace=1`
//! prints improvements, `target=COST` stops there, `plan=0` hides the seconds from the schedule. `best=FILE:COLUMN`
//! or `best=FILE:VEHICLES:COST` names a table of best known values by instance and its columns: the gap is printed, and
//! an instance ends once it reaches the value to two decimals. Per instance: name, vehicles, cost, best known vehicles
//! and cost, gap, steps, seconds, and the seconds at which the number of vehicles fell.
#![allow(clippy::print_stdout)]

use soloist::Rng;
use soloist_routing::rich::{self, Repair};
use soloist_routing::vrptw::{self, Rounding, route_cost};
use soloist_routing::{Annealing, Kernel, Network, Schedule, Sisr, SisrSettings, tsptw};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Best known vehicles and costs by instance.
type Best = BTreeMap<String, (Option<usize>, f64)>;

/// Reads the columns of `FILE:COLUMN` or `FILE:VEHICLES:COST`.
fn best_known(place: &str) -> Result<Best, Box<dyn std::error::Error>> {
    let mut parts = place.split(':');
    let text = std::fs::read_to_string(parts.next().unwrap_or_default())?;
    let columns: Vec<&str> = parts.collect();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap_or_default();
    let find = |name: &&str| header.iter().position(|other| other == name).ok_or_else(|| format!("no column {name}"));
    let columns: Vec<usize> = columns.iter().map(find).collect::<Result<_, _>>()?;
    let mut best = Best::new();
    for row in lines {
        let cell = |column: &usize| row.get(*column).copied().unwrap_or_default();
        let (vehicles, cost) = match columns.as_slice() {
            [cost] => (None, cell(cost).parse()?),
            [vehicles, cost] => (Some(cell(vehicles).parse()?), cell(cost).parse()?),
            _ => return Err("expected best=FILE:COLUMN or best=FILE:VEHICLES:COST".into()),
        };
        best.insert(cell(&0).to_lowercase(), (vehicles, cost));
    }
    Ok(best)
}

/// Seconds that this thread has run.
fn processor(start: Instant) -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = stat.and_then(|text| text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok()));
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

fn load(file: &str, objective: &str) -> Result<(Network, f64), Box<dyn std::error::Error>> {
    Ok(match objective {
        "vehicles" => {
            let network = vrptw::read(file)?.network(Rounding::Exact);
            let cost = route_cost(&network);
            (network, cost)
        }
        "distance" => (vrptw::read(file)?.network(Rounding::OneDecimal), 0.0),
        "travel" => (tsptw::read(file)?.network(tsptw::Objective::Travel), 0.0),
        "makespan" => (tsptw::read(file)?.network(tsptw::Objective::Makespan), 0.0),
        _ => return Err("the objective is vehicles, distance, travel or makespan".into()),
    })
}

fn set(settings: &mut SisrSettings, key: &str, value: f64) -> bool {
    match key {
        "removed" => settings.removed = value,
        "longest" => settings.longest = value as usize,
        "split" => settings.split = value,
        "keep" => settings.keep = value,
        "blink" => settings.blink = value,
        "exchanges" => settings.exchanges = value as u32,
        _ => return false,
    }
    true
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [files, seconds, seed, objective, pairs @ ..] = arguments.as_slice() else {
        return Err("expected FILES SECONDS SEED OBJECTIVE [KEY=VALUE]...".into());
    };
    let (seconds, seed): (f64, u64) = (seconds.parse()?, seed.parse()?);
    let (mut schedule, mut trace, mut target) = (Schedule::default(), false, f64::NEG_INFINITY);
    let mut plan = true;
    let mut best = Best::new();
    for pair in pairs {
        let (key, value) = pair.split_once('=').ok_or("expected KEY=VALUE")?;
        if key == "best" {
            best = best_known(value)?;
            continue;
        }
        let value: f64 = value.parse()?;
        match key {
            "steps" => schedule.steps = value,
            "growth" => schedule.growth = value,
            "fleet" => schedule.fleet = value,
            "start" => schedule.start = value,
            "reheat" => schedule.reheat = value,
            "end" => schedule.end = value,
            "founders" => schedule.founders = value as u32,
            "fresh" => schedule.fresh = value as u32,
            "children" => schedule.children = value as u32,
            "pool" => schedule.pool = value as usize,
            "calm" => schedule.calm = value,
            "trace" => trace = value != 0.0,
            "plan" => plan = value != 0.0,
            "target" => target = value,
            _ => {
                let known = match key.strip_prefix("f.") {
                    Some(key) => set(&mut schedule.saving, key, value),
                    None => set(&mut schedule.shortening, key, value),
                };
                if !known {
                    return Err(format!("unknown key {key}").into());
                }
            }
        }
    }
    for file in files.split(',') {
        let asked = Asked { file, seconds, seed, trace, plan, target, best: &best };
        if objective == "rich" {
            let instance = rich::read(file)?;
            let (objective, rounding) = rich::rules(&instance, "", "");
            let tables = Arc::new(rich::Tables::new(&instance, rounding, objective));
            anneal(&asked, Annealing::over(Repair::new(tables, schedule.shortening), schedule));
        } else {
            let (network, vehicle) = load(file, objective)?;
            let schedule = schedule.for_network(&network);
            let kernel = Sisr::new(Arc::new(network), vehicle, schedule.shortening);
            anneal(&asked, Annealing::over(kernel, schedule));
        }
    }
    Ok(())
}

/// What to do with a file.
struct Asked<'a> {
    file: &'a str,
    seconds: f64,
    seed: u64,
    trace: bool,
    plan: bool,
    target: f64,
    best: &'a Best,
}

/// Anneals and prints what was found.
fn anneal<K: Kernel>(asked: &Asked<'_>, mut run: Annealing<K>) {
    let Asked { file, seconds, seed, trace, plan, target, best } = *asked;
    let mut rng = Rng::new(seed);
    let clock = Instant::now();
    let start = processor(clock);
    let (mut fleets, mut vehicles, mut cost) = (String::new(), usize::MAX, f64::INFINITY);
    loop {
        if plan {
            run.look(Some((processor(clock) - start) / seconds));
        }
        run.advance(1_000, &mut rng);
        let now = processor(clock) - start;
        if run.vehicles() != vehicles || !run.absent().is_empty() {
            vehicles = run.vehicles();
            fleets += &format!(" {vehicles}@{now:.1}");
        }
        if trace && run.cost() < cost {
            println!("{now:8.2} {:10} {vehicles} {:.4}", run.steps_made(), run.cost());
        }
        cost = run.cost();
        let name = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".txt").trim_end_matches(".tw");
        let known = best.get(&name.to_lowercase());
        // Published values have two decimals, rounded.
        let reached = known
            .is_some_and(|&(fleet, known)| fleet.is_none_or(|fleet| vehicles <= fleet) && cost <= known + 0.005 + 1e-9);
        if now >= seconds || run.absent().is_empty() && (cost <= target || reached) {
            let absent = run.absent().len();
            let missing = if absent > 0 { format!(" ({absent} not served)") } else { String::new() };
            let gap = known.map_or_else(String::new, |(fleet, known)| {
                let fleet = fleet.map_or_else(|| "-".into(), |fleet| fleet.to_string());
                format!(" best {fleet} {known:.4} gap {:+.3} %", 100.0 * (cost / known - 1.0))
            });
            println!("{name} {vehicles} {cost:.4}{missing}{gap} steps {} {now:.2} s{fleets}", run.steps_made());
            break;
        }
    }
}
