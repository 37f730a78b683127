//! Generated instances: `KIND:NUMBER:SEED`.

use super::{Convention, Depot, Instance, Kind, Visit};
use crate::vrptw::{Edges, whole};
use soloist::Rng;
use soloist_domain::InstanceError;
use soloist_domain::error::quote;

const FORM: &str = "expected pairs:TRANSPORTS:SEED, depots:CUSTOMERS:SEED, types:CUSTOMERS:SEED or prizes:CUSTOMERS:SEED, as in \
                    pairs:50:7";
/// The most transports or customers.
const MOST: u64 = 1_900;

fn split(spec: &str) -> Option<(&str, &str)> {
    spec.split_once(':').filter(|(kind, _)| ["pairs", "depots", "types", "prizes"].contains(kind))
}

/// Whether `text` is meant as a spec and not as a file name.
#[must_use]
pub fn is_spec(text: &str) -> bool {
    split(text).is_some()
}

/// Generates the instance of a spec such as `pairs:50:7`: 50 transports, seed 7.
///
/// All places are uniform in a square of 100 x 100, demands 1 to 40, all numbers whole:
///
/// - `pairs`: transports with one depot in the middle, open from 0 to 400, capacity 100, service 10. The pickup has a
///   window 20 to 100 wide where one vehicle of its own meets it and the delivery behind it; the delivery is open from
///   0 until it is too late for the depot. One vehicle for each transport;
/// - `depots`: customers without windows and three depots, each with as many vehicles as needed, of capacity 160, whose
///   routes last 300 at most;
/// - `types`: customers without windows, one depot in the middle, three types of vehicles: capacity 60, 120 and 240,
///   fixed costs 40, 70 and 110, rates 1, 1.1 and 1.3, as many of each as needed;
/// - `prizes`: customers without windows, one depot in the middle, capacity 160; every customer but each fifth has a
///   prize of 5 to 60.
///
/// A solution exists for each. The draws come from [`Rng::new`] with the seed: the same spec is the same instance in
/// every release.
///
/// # Errors
/// One line: a spec that is not of this form, no customers or more than 1,900.
pub fn generate(spec: &str) -> Result<Instance, InstanceError> {
    let fail = |message: String| InstanceError::new(spec, message);
    let (form, rest) = split(spec).ok_or_else(|| fail(FORM.into()))?;
    let (count, seed) = rest.split_once(':').ok_or_else(|| fail(FORM.into()))?;
    let count = whole(count).ok_or_else(|| fail(format!("number {}: {FORM}", quote(count.as_bytes()))))?;
    if !(1..=MOST).contains(&count) {
        return Err(fail(format!("{count} customers or transports, expected 1 to {MOST}")));
    }
    let seed =
        whole(seed).ok_or_else(|| fail("the seed is not a whole number from 0 to 18446744073709551615".into()))?;
    let mut rng = Rng::new(seed);
    let paired = form == "pairs";
    let closes = if paired { 400.0 } else { f64::INFINITY };
    let depot = |x: u64, y: u64| Depot { x: x as f64, y: y as f64, ready: 0.0, due: closes, service: 0.0 };
    let depots = match form {
        "depots" => (0..3).map(|_| depot(rng.below(101), rng.below(101))).collect(),
        _ => vec![depot(50, 50)],
    };
    let mut visits = Vec::new();
    for at in 0..count {
        let demand = 1 + rng.below(40) as i64;
        if paired {
            transport(&mut rng, demand, closes, &mut visits);
        } else {
            let (x, y) = (rng.below(101) as f64, rng.below(101) as f64);
            let prize = (form == "prizes" && at % 5 != 0).then(|| 5.0 + rng.below(56) as f64);
            let (ready, due, service) = (0.0, f64::INFINITY, 0.0);
            visits.push(Visit { x, y, demand, ready, due, service, prize, partner: None, delivers: false });
        }
    }
    let kind = |capacity: u32, fixed: f64, rate: f64| Kind { fixed, rate, ..Kind::plain(0, capacity) };
    let kinds = match form {
        "pairs" => vec![Kind { count: Some(count as u32), ..kind(100, 0.0, 1.0) }],
        // No customer is farther than 142 away.
        "depots" => (0..3).map(|depot| Kind { longest: 300.0, ..Kind::plain(depot, 160) }).collect(),
        "types" => vec![kind(60, 40.0, 1.0), kind(120, 70.0, 1.1), kind(240, 110.0, 1.3)],
        _ => vec![kind(160, 0.0, 1.0)],
    };
    let convention = if paired { Convention::Pairs } else { Convention::Vrplib };
    Ok(Instance { name: spec.replace(':', "_"), convention, depots, visits, kinds, edges: Edges::Euclidean })
}

/// A pickup and its delivery.
fn transport(rng: &mut Rng, demand: i64, closes: f64, visits: &mut Vec<Visit>) {
    const SERVICE: f64 = 10.0;
    let mut place = || (rng.below(101) as f64, rng.below(101) as f64);
    let (pickup, delivery, depot) = (place(), place(), (50.0, 50.0));
    let way = |a: (f64, f64), b: (f64, f64)| ((a.0 - b.0) * (a.0 - b.0) + (a.1 - b.1) * (a.1 - b.1)).sqrt().ceil();
    // The latest starts from which delivery and depot are reached in time.
    let late = closes - SERVICE - way(delivery, depot);
    let latest = late - SERVICE - way(pickup, delivery);
    let earliest = way(depot, pickup);
    let half = 10.0 + rng.below(41) as f64;
    let center = earliest + rng.below((latest - earliest) as u64 + 1) as f64;
    let number = visits.len() as u32 + 1;
    let visit = |(x, y): (f64, f64), demand: i64, ready: f64, due: f64, partner: u32, delivers: bool| Visit {
        x,
        y,
        demand,
        ready,
        due,
        service: SERVICE,
        prize: None,
        partner: Some(partner),
        delivers,
    };
    let (ready, due) = ((center - half).max(0.0), (center + half).min(latest));
    visits.push(visit(pickup, demand, ready, due, number + 1, false));
    visits.push(visit(delivery, -demand, 0.0, late, number, true));
}
