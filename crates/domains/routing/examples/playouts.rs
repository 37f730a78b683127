//! Runs a method of the engine on an instance of vehicle routing and prints what was found.
//!
//! `cargo run --release -p soloist-routing --example playouts -- FILE METHOD ROLLOUT SECONDS SEED [KEY=VALUE]...`, with the presets and
//! parameters of the engine; `objective=distance` and `rounding=none` choose rules. Prints vehicles, distance, playouts, seconds.
#![allow(clippy::print_stdout)]

use soloist::{Budget, Method};
use soloist_domain::{Options, Request, Unobserved};
use soloist_routing::vrptw::DOMAIN;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, method, rollout, seconds, seed, pairs @ ..] = arguments.as_slice() else {
        return Err("expected FILE METHOD ROLLOUT SECONDS SEED [KEY=VALUE]...".into());
    };
    let mut method = Method::preset(method).ok_or("unknown method")?;
    let mut options = Options::new();
    for pair in pairs {
        let (key, value) = pair.split_once('=').ok_or("expected KEY=VALUE")?;
        if DOMAIN.options.iter().any(|option| option.name == key) {
            options.insert(key.to_owned(), value.to_owned());
        } else {
            method.set(key, value)?;
        }
    }
    let instance = (DOMAIN.load)(file, &options)?;
    let request = Request {
        method: Some(method),
        rollout: Some(rollout.clone()),
        seed: seed.parse()?,
        budget: Budget { time: Some(Duration::from_secs_f64(seconds.parse()?)), ..Budget::default() },
        ..Request::default()
    };
    let start = Instant::now();
    let report = instance.solve(request, &mut Unobserved)?;
    let (vehicles, distance) = (&report.solution["vehicles"], report.solution["distance"].as_f64().unwrap_or(0.0));
    let unserved = report.solution.get("unserved").and_then(|list| list.as_array()).map_or(0, Vec::len);
    let (playouts, seconds) = (report.run.counters.playouts, start.elapsed().as_secs_f64());
    println!("{file} {vehicles} {distance:.4} unserved {unserved} playouts {playouts} {seconds:.1} s");
    if report.score.is_some_and(|score| score.is_feasible()) {
        println!("{}", instance.check(&report.solution.to_string())?.summary);
    }
    Ok(())
}
