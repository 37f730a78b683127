//! Independent verification of routes: costs, loads and times are recomputed from the instance, without the search.

use super::judge::{Judge, Routed};
use super::{Instance, Kind, Objective};
use crate::verdict::{compare, power_above, shown};
use crate::vrptw::exact::plain_distance;

use crate::vrptw::{Rounding, elsewhere, solution};
use serde_json::Value;
use soloist_domain::Checked;
use soloist_domain::answer::{Claims, SubmittedSolution, short};

/// What a set of routes adds up to.
#[derive(Clone, Debug, PartialEq)]
pub struct Totals {
    /// Routes with visits.
    pub vehicles: usize,
    /// Sum of the distances.
    pub distance: f64,
    /// Sum of the fixed costs of the vehicles.
    pub fixed: f64,
    /// Sum of the prizes of the customers that are not served.
    pub prizes: f64,
    /// Distance at the rates of the vehicles, fixed costs and prizes.
    pub cost: f64,
    /// Visits that are not made: those of customers that need not be served.
    pub unserved: Vec<u32>,
}

/// Verifies routes: every customer that must be served, no visit twice, each delivery behind its pickup in the same
/// route, and of each vehicle the capacity, the windows, the longest time and distance; no more vehicles of a kind than
/// there are. Times are exact in a decimal instance, in others a visit may be late by the tolerance: see
/// [`rules`](crate::rules). A route lasts from the latest departure that does not delay the return.
///
/// # Errors
/// One line: the first violation; for a customer left out, why no route takes it.
pub fn verify(instance: &Instance, rounding: Rounding, routes: &[(usize, Vec<u32>)]) -> Result<Totals, String> {
    let routes: Vec<Routed> = routes.iter().filter(|(_, visits)| !visits.is_empty()).cloned().collect();
    let sites = instance.sites();
    let judge = Judge::new(instance, &sites, rounding);
    let (distances, unserved) = drive_all(&judge, &routes)?;
    let must = |visit: &&u32| instance.visits[**visit as usize - 1].prize.is_none();
    if let Some(visit) = unserved.iter().find(must) {
        return Err(format!("visit {visit} is not made: {}", super::reason::reason(&judge, &routes, *visit)));
    }
    let prizes = unserved.iter().map(|&visit| &instance.visits[visit as usize - 1]);
    // The prize of a transport counts once.
    let prizes = prizes.filter(|visit| !visit.delivers).filter_map(|visit| visit.prize).sum();
    let kinds = || routes.iter().map(|(kind, _)| &instance.kinds[kind - 1]);
    let fixed = kinds().map(|kind| kind.fixed).sum();
    let distance = distances.iter().sum();
    let cost = kinds().zip(&distances).map(|(kind, distance)| kind.rate * distance).sum::<f64>() + fixed + prizes;
    Ok(Totals { vehicles: routes.len(), distance, fixed, prizes, cost, unserved })
}

/// Drives all routes, none of which is empty: their distances, and the visits left out.
pub(super) fn drive_all(judge: &Judge<'_>, routes: &[Routed]) -> Result<(Vec<f64>, Vec<u32>), String> {
    let instance = judge.instance;
    let count = instance.visits.len();
    let mut place_of = vec![None; count + 1];
    let mut used = vec![0_u32; instance.kinds.len()];
    for (at, (kind, visits)) in routes.iter().enumerate() {
        let Some(used) = kind.checked_sub(1).and_then(|kind| used.get_mut(kind)) else {
            return Err(format!(
                "route {} has vehicles of kind {kind}, there are {} kinds",
                at + 1,
                instance.kinds.len()
            ));
        };
        *used += 1;
        for (place, &visit) in visits.iter().enumerate() {
            let Some(seen) = place_of.get_mut(visit as usize).filter(|_| visit > 0) else {
                return Err(format!("visit {visit} does not exist: there are {count}, counted from 1"));
            };
            if let Some((route, _)) = seen.replace((at + 1, place)) {
                return Err(format!("visit {visit} is made twice, in route {route} and route {}", at + 1));
            }
        }
    }
    for (at, (used, kind)) in used.iter().zip(&instance.kinds).enumerate() {
        if let Some(most) = kind.count.filter(|most| used > most) {
            return Err(format!("{used} routes have vehicles of kind {}, there are {most}", at + 1));
        }
    }
    for (at, visit) in instance.visits.iter().enumerate().filter(|(_, visit)| visit.delivers) {
        let (delivery, pickup) = (at + 1, visit.partner.unwrap_or(0) as usize);
        let wrong = match (place_of[pickup], place_of[delivery]) {
            (None, None) => continue,
            (Some(pickup), Some(delivery)) if pickup < delivery && pickup.0 == delivery.0 => continue,
            (Some((a, _)), Some((b, _))) if a != b => format!("are in route {a} and route {b}, expected one route"),
            (Some(_), Some((route, _))) => format!("are in the wrong order in route {route}"),
            (Some((route, _)), None) => format!("are not both made: route {route} has the pickup alone"),
            (None, Some((route, _))) => format!("are not both made: route {route} has the delivery alone"),
        };
        return Err(format!("pickup {pickup} and delivery {delivery} {wrong}"));
    }
    let distances = judge.drive_all(routes)?;
    Ok((distances, (1..=count as u32).filter(|&visit| place_of[visit as usize].is_none()).collect()))
}

/// Verifies a solution.
///
/// `text` is one of
/// - a result of `soloist solve --json`: an object with `solution` and, checked when present, `problem`, `feasible` and
///   `score`;
/// - its `solution` alone: `{"routes": [[5, 3, 7]], "kinds": [1]}`, its totals being checked when present. Without
///   `kinds` all routes have vehicles of the only kind;
/// - a JSON list of routes;
/// - lines `Route #1: 5 3 7`, with a line `Kinds 1` that has the kind of each route where there are several kinds.
///
/// The score is the cost, with [`Objective::Vehicles`] plus 10^6 (or the larger power of ten that the search uses) for
/// each route.
///
/// # Errors
/// One line: text that cannot be read, the first violation, a claim that does not hold.
pub fn check(instance: &Instance, objective: Objective, rounding: Rounding, text: &str) -> Result<Checked, String> {
    let (routes, claims, claimed) = routes(instance, text)?;
    let totals = verify(instance, rounding, &routes).map_err(|wrong| {
        wrong + &elsewhere(&instance.sites(), rounding, None, |rounding| verify(instance, rounding, &routes).is_ok())
    })?;
    let score = match objective {
        Objective::Vehicles => vehicle_cost(instance, rounding) * totals.vehicles as f64 + totals.cost,
        Objective::Cost => totals.cost,
    };
    if let Some(claims) = claims {
        claims.feasible()?;
        let Totals { vehicles, distance, fixed, prizes, cost, .. } = totals;
        let vehicles = vehicles as f64;
        let found = [
            ("vehicles", vehicles),
            ("distance", distance),
            ("fixed", fixed),
            ("prizes", prizes),
            ("cost", cost),
            ("score", score),
        ];
        compare(&claims, &found, 1e-9)?;
    }
    if let Some(claimed) = claimed
        && (claimed - totals.cost).abs() > (totals.cost.abs() * 0.01).min(0.0501)
        // Costs of one decimal are published in tenths as well.
        && (rounding != Rounding::OneDecimal || (claimed - 10.0 * totals.cost).abs() > 1e-6 * claimed.abs())
    {
        return Err(format!("claims the cost {claimed}, recomputed: {}", shown(totals.cost)));
    }
    Ok(Checked { score, summary: summary(instance, &totals) })
}

/// What routes add up to, in words.
pub(super) fn summary(instance: &Instance, totals: &Totals) -> String {
    let plural = if totals.vehicles == 1 { "" } else { "s" };
    let mut text = format!("{} vehicle{plural}, distance {}", totals.vehicles, shown(totals.distance));
    if totals.fixed > 0.0 {
        text += &format!(", fixed costs {}", shown(totals.fixed));
    }
    if instance.has_prizes() {
        text += &format!(", prizes not collected {}", shown(totals.prizes));
    }
    if totals.cost != totals.distance {
        text += &format!(", cost {}", shown(totals.cost));
    }
    text
}

/// Routes, the claims of a result, the cost of a plain text.
type Handed = (Vec<Routed>, Option<Claims>, Option<f64>);

/// Reads a text in one of the forms that [`check`] reads.
pub(super) fn routes(instance: &Instance, text: &str) -> Result<Handed, String> {
    let (routes, kinds, claims, cost) = match SubmittedSolution::read(text)? {
        SubmittedSolution::Plain(text) => {
            let plan = solution::parse(text)?;
            (plan.routes, plan.kinds, None, plan.cost)
        }
        SubmittedSolution::List(list) => (crate::vrptw::numbers(&list)?, None, None, None),
        SubmittedSolution::Object(claims) => {
            if let Some(other) = claims.foreign("rich-vrp") {
                return Err(format!("a solution of {other}, expected rich-vrp"));
            }
            let solution = claims.solution()?;
            let routes = crate::vrptw::numbers(solution.get("routes").ok_or("no list `routes`")?)?;
            let kinds = solution.get("kinds").map(read_kinds).transpose()?;
            (routes, kinds, Some(claims), None)
        }
    };
    let kinds = match kinds {
        Some(kinds) => kinds,
        None if instance.kinds.len() == 1 => vec![1; routes.len()],
        None => {
            let count = instance.kinds.len();
            return Err(format!(
                "{count} kinds of vehicles, but no list `kinds` (or line `Kinds 1 2`) with that of each route"
            ));
        }
    };
    if kinds.len() != routes.len() {
        return Err(format!("{} routes, but the kinds of {}", routes.len(), kinds.len()));
    }
    Ok((kinds.into_iter().map(|kind| kind as usize).zip(routes).collect(), claims, cost))
}

fn read_kinds(list: &Value) -> Result<Vec<u32>, String> {
    let kind = |value: &Value| value.as_u64().and_then(|kind| u32::try_from(kind).ok());
    let list = list.as_array().ok_or("`kinds` is not a list")?;
    list.iter()
        .map(|value| kind(value).ok_or_else(|| format!("kind {} is not a number from 1 on", short(value))))
        .collect()
}

/// What a vehicle counts: the power of ten from 10^6 on that is above the costs of serving every visit alone.
fn vehicle_cost(instance: &Instance, rounding: Rounding) -> f64 {
    let sites = instance.sites();
    let alone = |visit: usize| {
        let place = instance.location(visit);
        let cost = |kind: &Kind| {
            let way = plain_distance(&sites, rounding, kind.depot, place)
                + plain_distance(&sites, rounding, place, kind.depot);
            kind.fixed + kind.rate * way
        };
        instance.kinds.iter().map(cost).fold(0.0, f64::max)
    };
    power_above((1..=instance.visits.len()).map(alone).sum())
}
