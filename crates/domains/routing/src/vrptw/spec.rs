//! Generated instances: `KIND:CUSTOMERS:SEED`.

use super::{Edges, Instance, Site};
use crate::network::MAX_SITES;
use soloist::Rng;
use soloist_domain::InstanceError;
use soloist_domain::error::quote;

const FORM: &str =
    "expected random:CUSTOMERS:SEED, clustered:CUSTOMERS:SEED or capacity:CUSTOMERS:SEED, as in random:100:7";

/// The kind that `spec` starts with and the rest; `None`: it is a file name.
fn split(spec: &str) -> Option<(&str, &str)> {
    spec.split_once(':').filter(|(kind, _)| ["random", "clustered", "capacity"].contains(kind))
}

/// Whether `text` is meant as a spec and not as a file name.
#[must_use]
pub fn is_spec(text: &str) -> bool {
    split(text).is_some()
}

/// Returns a whole number in digits alone.
pub(crate) fn whole(text: &str) -> Option<u64> {
    text.parse().ok().filter(|_| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Generates the instance of a spec such as `random:100:7`: 100 customers, seed 7.
///
/// - `random`: customers uniform in a square of 100 x 100 with the depot in its middle, demands 1 to 40, capacity 200,
///   service 10, the depot open from 0 to 300; three of four customers have windows 20 to 100 wide, centred uniformly
///   where one vehicle of its own meets them;
/// - `clustered`: the same with customers around one centre for every ten of them, at most 8 away in each direction,
///   and windows 20 to 60 wide;
/// - `capacity`: as `random` without windows and services, in VRPLIB's terms a CVRP.
///
/// All numbers are whole. Vehicles are not limited, except with windows, where there is one for each customer. Every
/// customer can be served by a vehicle of its own. The draws come from [`Rng::new`] with the seed: the same spec is the
/// same instance in every release.
///
/// # Errors
/// One line: a spec that is not of this form, no customers or more than 4,000.
pub fn generate(spec: &str) -> Result<Instance, InstanceError> {
    let fail = |message: String| InstanceError::new(spec, message);
    let (kind, rest) = split(spec).ok_or_else(|| fail(FORM.into()))?;
    let (customers, seed) = rest.split_once(':').ok_or_else(|| fail(FORM.into()))?;
    let most = MAX_SITES - 1;
    let customers =
        whole(customers).ok_or_else(|| fail(format!("number of customers {}: {FORM}", quote(customers.as_bytes()))))?;
    if !(1..=most as u64).contains(&customers) {
        return Err(fail(format!("{customers} customers, expected 1 to {most}")));
    }
    let seed =
        whole(seed).ok_or_else(|| fail("the seed is not a whole number from 0 to 18446744073709551615".into()))?;
    let mut rng = Rng::new(seed);
    let timed = kind != "capacity";
    let closes = if timed { 300.0 } else { f64::INFINITY };
    let mut sites = vec![Site { x: 50.0, y: 50.0, demand: 0, ready: 0.0, due: closes, service: 0.0 }];
    let centers: Vec<(u64, u64)> =
        (0..customers.div_ceil(10)).map(|_| (8 + rng.below(85), 8 + rng.below(85))).collect();
    for at in 0..customers {
        let (x, y) = match kind {
            "clustered" => {
                let (x, y) = centers[at as usize / 10];
                (x + rng.below(17) - 8, y + rng.below(17) - 8)
            }
            _ => (rng.below(101), rng.below(101)),
        };
        let demand = 1 + rng.below(40) as u32;
        let (x, y) = (x as f64, y as f64);
        let service = if timed { 10.0 } else { 0.0 };
        let (mut ready, mut due) = (0.0, closes);
        if timed {
            // The latest start from which the depot is reached in time; at most 71 away, so that there is a choice.
            let way = ((x - 50.0) * (x - 50.0) + (y - 50.0) * (y - 50.0)).sqrt().ceil();
            let latest = closes - service - way;
            due = latest;
            let half = 10 + rng.below(if kind == "clustered" { 21 } else { 41 });
            let center = way + rng.below((latest - way) as u64 + 1) as f64;
            if rng.below(4) > 0 {
                ready = (center - half as f64).max(0.0);
                due = (center + half as f64).min(latest);
            }
        }
        sites.push(Site { x, y, demand, ready, due, service });
    }
    let name = spec.replace(':', "_");
    let vehicles = timed.then_some(customers as u32);
    Ok(Instance { name, sites, capacity: 200, vehicles, edges: Edges::Euclidean })
}
