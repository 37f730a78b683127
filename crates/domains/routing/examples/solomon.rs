//! Runs the annealing.
#![allow(clippy::print_stdout)]
use soloist::Rng;
use soloist_routing::vrptw::{Rounding, read, route_cost};
use soloist_routing::{Annealing, Schedule};
use std::sync::Arc;

fn cpu() -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()))
        .map_or(0.0, |ns| ns * 1e-9)
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let seconds: f64 = args[2].parse().unwrap();
    let seed: u64 = args[3].parse().unwrap();
    let distance = args[4] == "distance";
    let mut schedule = Schedule::default();
    for pair in &args[5..] {
        let (key, value) = pair.split_once('=').unwrap();
        let v: f64 = value.parse().unwrap();
        let (settings, key) = match key.strip_prefix("f.") {
            Some(key) => (&mut schedule.saving, key),
            None => (&mut schedule.shortening, key),
        };
        match key {
            "removed" => settings.removed = v,
            "longest" => settings.longest = v as usize,
            "split" => settings.split = v,
            "keep" => settings.keep = v,
            "blink" => settings.blink = v,
            "steps" => schedule.steps = v,
            "growth" => schedule.growth = v,
            "fleet" => schedule.fleet = v,
            "start" => schedule.start = v,
            "reheat" => schedule.reheat = v,
            "end" => schedule.end = v,
            "calm" => schedule.calm = v,
            _ => panic!("{key}"),
        }
    }
    for file in args[1].split(',') {
        let instance = read(file).unwrap();
        let network = Arc::new(instance.network(if distance { Rounding::OneDecimal } else { Rounding::Exact }));
        let vehicle = if distance { 0.0 } else { route_cost(&network) };
        let mut run = Annealing::with(network, vehicle, schedule);
        let mut rng = Rng::new(seed);
        let start = cpu();
        let mut log = Vec::new();
        let mut seen = (usize::MAX, f64::INFINITY);
        while cpu() - start < seconds {
            run.advance(1000, &mut rng);
            if run.vehicles() != seen.0 {
                seen = (run.vehicles(), run.cost());
                log.push(format!("{}@{:.1}", seen.0, cpu() - start));
            }
        }
        let cost = run.cost();
        let name = file.rsplit('/').next().unwrap().trim_end_matches(".txt");
        println!("{name} {} {cost:.4} steps {} {}", run.vehicles(), run.steps(), log.join(" "));
    }
}
