//! Speeds of the search over Horner orders: `horner_speed FILE [SECONDS] [optimum]`; a spec such as `res:7,4` will do.
//!
//! Measures evaluations of random orders without a memory, steps of searches, and on request the proof of the best
//! order. Seconds are those of the processor where the system reports them, so that other programs do not count.
#![allow(clippy::print_stdout)]

use soloist::{Budget, Method, Rng, Solver};
use soloist_expressions::scheme::{Direction, Options, Scheme, SchemeOrders, optimal_order};
use soloist_expressions::{open, terms};
use std::time::{Duration, Instant};

/// Seconds of the processor; those of the clock where the system does not report the processor's.
struct Stopwatch {
    start: Instant,
    before: Option<f64>,
}

impl Stopwatch {
    fn new() -> Self {
        Self { start: Instant::now(), before: Self::processor() }
    }

    fn processor() -> Option<f64> {
        let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
        Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
    }

    fn seconds(&self) -> f64 {
        match (self.before, Self::processor()) {
            (Some(before), Some(now)) => now - before,
            _ => self.start.elapsed().as_secs_f64(),
        }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("a file");
    let seconds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    let time = Duration::from_secs_f64(seconds);
    let start = Stopwatch::new();
    let system = open(&path, true).expect("expressions");
    let (terms, names) = (terms(&system).0, system.symbols());
    println!("read in {:.2} s", start.seconds());
    println!("{} terms, {} variables, {} operations", terms.len(), names.len(), terms.operations());

    let start = Stopwatch::new();
    let blank = Scheme::new(&terms, &Options { memory: 0, ..Options::default() });
    println!("made ready in {:.2} s", start.seconds());
    let mut order = blank.searched().to_vec();
    let (mut rng, mut count, mut sum) = (Rng::new(1), 0_u32, 0);
    let start = Stopwatch::new();
    while start.seconds() < seconds {
        rng.shuffle(&mut order);
        sum += blank.operations(&order);
        count += 1;
    }
    let speed = f64::from(count) / start.seconds();
    println!("random orders: {speed:.0}/s, mean {:.1}", sum as f64 / f64::from(count));

    let names_of = |order: &[usize]| order.iter().map(|&v| names[v].as_str()).collect::<Vec<_>>().join(",");
    let mut known = None;
    for name in ["anneal", "sa-uct", "nrpa"] {
        for seed in 1..=3 {
            let problem = SchemeOrders::new(Scheme::new(&terms, &Options::default()), Direction::Forward);
            let solver = Solver::new(&problem, Method::preset(name).expect("a preset")).seed(seed);
            let start = Stopwatch::new();
            let outcome = solver.budget(Budget::time(time)).run().expect("a run");
            let (best, seconds) = (outcome.best.expect("a solution"), start.seconds());
            let order = problem.order(&best.moves);
            let last = outcome.history.last().map_or(0, |last| last.playouts);
            let (cost, operations) = (problem.scheme().cost(&order), problem.scheme().operations(&order));
            let speed = outcome.counters.playouts as f64 / seconds;
            println!("{name} {seed}: {cost} ({operations}) at playout {last}, {speed:.0}/s: {}", names_of(&order));
            if known.as_ref().is_none_or(|(least, _)| cost < *least) {
                known = Some((cost, order));
            }
        }
    }
    if arguments.next().is_some() {
        let scheme = Scheme::new(&terms, &Options::default());
        for known in [None, known.as_ref().map(|(_, order)| &order[..])] {
            let start = Stopwatch::new();
            let found = optimal_order(&scheme, known, &mut |_, _| true).expect("few variables").expect("not stopped");
            let (operations, seconds) = (scheme.operations(&found.order), start.seconds());
            println!("optimum {} ({operations}) in {seconds:.2} s: {}", found.cost, names_of(&found.order));
        }
    }
}
