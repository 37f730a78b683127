//! Independent verification of routes: distances, loads and times are recomputed from the sites of the file, without
//! the search.

use super::exact::{Numbers, doubles, plain_distance, whole};
use super::{Edges, Instance, Objective, Rounding, solution};
use crate::verdict::{Amount, compare, power_above, shown};
use serde_json::Value;
use soloist_domain::Checked;
use soloist_domain::answer::{Claims, SubmittedSolution, short};

/// What a set of routes adds up to.
#[derive(Clone, Debug, PartialEq)]
pub struct Totals {
    /// Routes with customers.
    pub vehicles: usize,
    /// Sum of the distances under the rounding in force.
    pub distance: f64,
    /// Sum of the distances in plain doubles.
    pub exact: f64,
    /// Sum of the distances, each rounded down to one decimal.
    pub truncated: f64,
}

/// The rules of an instance: whole numbers if it is decimal, doubles and a tolerance if not, see
/// [`rules`](crate::rules).
pub(super) struct Judge<'i>(Kind<'i>);

enum Kind<'i> {
    Whole(Numbers<'i, i128>),
    Doubles(Numbers<'i, f64>),
}

impl<'i> Judge<'i> {
    pub(super) fn new(instance: &'i Instance, rounding: Rounding) -> Self {
        Self(whole(instance, rounding).map_or_else(|| Kind::Doubles(doubles(instance, rounding)), Kind::Whole))
    }

    /// The distance of a route, or its first violation.
    fn drive(&self, number: usize, route: &[u32]) -> Result<f64, String> {
        self.drive_all([(number, route)])
    }

    /// The distance of numbered routes, or the first violation.
    fn drive_all<'r>(&self, routes: impl IntoIterator<Item = (usize, &'r [u32])>) -> Result<f64, String> {
        fn sum<'r, T: Amount>(
            numbers: &Numbers<'_, T>,
            routes: impl IntoIterator<Item = (usize, &'r [u32])>,
        ) -> Result<f64, String> {
            let mut sum = T::ZERO;
            for (number, route) in routes {
                sum = sum + numbers.drive(number, route)?;
            }
            Ok(sum.plain(numbers.unit))
        }
        match &self.0 {
            Kind::Whole(numbers) => sum(numbers, routes),
            Kind::Doubles(numbers) => sum(numbers, routes),
        }
    }
}

/// Verifies routes: every customer exactly once, no load above the capacity, no window missed, no vehicle too many.
/// Times are exact in a decimal instance, in others a visit may be late by the tolerance: see [`rules`](crate::rules).
///
/// # Errors
/// One line: the first violation in that order of routes; for a customer left out, why no route takes it.
pub fn verify(instance: &Instance, rounding: Rounding, routes: &[Vec<u32>]) -> Result<Totals, String> {
    let (distance_sum, unserved) = drive_all(instance, rounding, routes)?;
    let routes: Vec<&Vec<u32>> = routes.iter().filter(|route| !route.is_empty()).collect();
    if let Some(customer) = unserved {
        let judge = Judge::new(instance, rounding);
        return Err(format!("customer {customer} is not served: {}", reason(instance, &judge, &routes, customer)));
    }
    let sum = |rounding: Rounding| -> f64 {
        let legs = |route: &Vec<u32>| -> f64 {
            let mut last = 0;
            let ways = route.iter().chain([&0]).map(|&customer| {
                let way = plain_distance(instance, rounding, last, customer as usize);
                last = customer as usize;
                way
            });
            ways.sum()
        };
        routes.iter().map(|route| legs(route)).sum()
    };
    // A sum of decimals: rounded to what it is a sum of.
    let truncated = (sum(Rounding::OneDecimal) * 10.0).round() / 10.0;
    Ok(Totals { vehicles: routes.len(), distance: distance_sum, exact: sum(Rounding::Exact), truncated })
}

/// Drives all routes: the sum of the distances and the first customer left out, or the first violation by those that
/// are served.
pub(super) fn drive_all(
    instance: &Instance,
    rounding: Rounding,
    routes: &[Vec<u32>],
) -> Result<(f64, Option<usize>), String> {
    let size = instance.sites.len();
    let mut route_of = vec![0_usize; size];
    let routes: Vec<&Vec<u32>> = routes.iter().filter(|route| !route.is_empty()).collect();
    for (at, route) in routes.iter().enumerate() {
        for &customer in *route {
            if customer == 0 {
                return Err(format!("route {} visits the depot, number 0, on its way", at + 1));
            }
            let Some(seen) = route_of.get_mut(customer as usize) else {
                return Err(format!("customer {customer} does not exist: there are {}, counted from 1", size - 1));
            };
            if *seen != 0 {
                return Err(format!("customer {customer} is served twice, in route {seen} and route {}", at + 1));
            }
            *seen = at + 1;
        }
    }
    let numbered = routes.iter().enumerate().map(|(at, route)| (at + 1, route.as_slice()));
    let distance_sum = Judge::new(instance, rounding).drive_all(numbered)?;
    if let Some(most) = instance.vehicles.filter(|&most| routes.len() > most as usize) {
        return Err(format!("{} routes, there are {most} vehicles", routes.len()));
    }
    Ok((distance_sum, (1..size).find(|&customer| route_of[customer] == 0)))
}

/// Why no route takes a customer.
pub(super) fn reason(instance: &Instance, judge: &Judge<'_>, routes: &[&Vec<u32>], customer: usize) -> String {
    let site = instance.sites[customer];
    if let Err(alone) = judge.drive(0, &[customer as u32]) {
        return alone.replace("route 0", "a vehicle of its own");
    }
    let (mut full, mut late) = (0, 0);
    for (at, route) in routes.iter().enumerate() {
        let load: u64 = route.iter().map(|&c| u64::from(instance.sites[c as usize].demand)).sum();
        if load + u64::from(site.demand) > u64::from(instance.capacity) {
            full += 1;
            continue;
        }
        for place in 0..=route.len() {
            let mut with = (*route).clone();
            with.insert(place, customer as u32);
            if judge.drive(at + 1, &with).is_ok() {
                return match place {
                    0 => format!("route {} has room for it at its beginning", at + 1),
                    _ => format!("route {} has room for it behind customer {}", at + 1, route[place - 1]),
                };
            }
        }
        late += 1;
    }
    match instance.vehicles {
        Some(most) if routes.len() >= most as usize => {
            format!("all {most} vehicles are used; {full} routes lack capacity, {late} would be late")
        }
        _ => format!("{full} routes lack capacity, {late} would be late; a further vehicle could serve it"),
    }
}

/// Verifies a solution.
///
/// `text` is one of
/// - a result of `soloist solve --json`: an object with `solution` and, checked when present, `problem`, `feasible` and
///   `score`;
/// - its `solution` alone: `{"vehicles": 1, "distance": 10.2, "routes": [[5, 3, 7]]}`, the numbers being checked when
///   present;
/// - a JSON list of routes;
/// - the field's text format, or a tour with zeros between its routes: see [`solution::parse`].
///
/// The score is the distance, with [`Objective::Vehicles`] plus 10^6 (or the larger power of ten that the search uses)
/// for each route.
///
/// # Errors
/// One line: text that cannot be read, the first violation, a claim that does not hold.
pub fn check(instance: &Instance, objective: Objective, rounding: Rounding, text: &str) -> Result<Checked, String> {
    let (routes, claims, cost) = routes(text)?;
    let totals = verify(instance, rounding, &routes).map_err(|wrong| {
        let objective = (instance.has_windows() && objective == Objective::Vehicles).then_some("objective=distance");
        wrong + &elsewhere(instance, rounding, objective, |rounding| verify(instance, rounding, &routes).is_ok())
    })?;
    let score = match objective {
        Objective::Vehicles => vehicle_cost(instance, rounding) * totals.vehicles as f64 + totals.distance,
        Objective::Distance => totals.distance,
    };
    if let Some(claims) = claims {
        claims.feasible()?;
        let found = [("vehicles", totals.vehicles as f64), ("distance", totals.distance), ("score", score)];
        compare(&claims, &found, 0.0)?;
    }
    if let Some(cost) = cost {
        // Costs are printed with one decimal or two, or rounded, or in tenths.
        let near = |value: f64, within: f64| (cost - value).abs() <= within;
        if !(near(totals.distance, (totals.distance * 0.01).min(0.0501))
            || near(totals.truncated, 1e-6)
            || near(10.0 * totals.truncated, 1e-6)
            || near(totals.distance.round(), 0.0))
        {
            return Err(format!("claims the cost {cost}, recomputed: {}", shown(totals.distance)));
        }
    }
    let Totals { vehicles, distance, exact, truncated } = totals;
    let mut summary = format!("{vehicles} vehicles, distance {}", shown(distance));
    if rounding == Rounding::Exact && instance.edges == Edges::Euclidean {
        summary += &format!(" ({truncated:.1} with distances of one decimal)");
    } else if rounding != Rounding::Exact {
        summary += &format!(" ({} without rounding)", shown(exact));
    }
    Ok(Checked { score, summary })
}

/// Names the rounding under which a solution is valid that is none under the rules in force; empty: there is none.
/// `usual`: the option by which distances of one decimal are usually asked for.
pub(crate) fn elsewhere(
    instance: &Instance,
    rounding: Rounding,
    usual: Option<&str>,
    mut is_valid: impl FnMut(Rounding) -> bool,
) -> String {
    let usual = usual.filter(|_| instance.edges == Edges::Euclidean).unwrap_or("rounding=one-decimal");
    let all = [
        (Rounding::OneDecimal, "of one decimal", usual),
        (Rounding::Exact, "that are not rounded", "rounding=none"),
        (Rounding::Nearest, "rounded to whole numbers", "rounding=nearest"),
    ];
    let found = all.into_iter().find(|&(other, ..)| other != rounding && is_valid(other));
    found.map_or_else(String::new, |(_, which, option)| format!("; valid with distances {which} (--set {option})"))
}

/// Routes, the claims of a result, the cost of a plain text.
type Handed = (Vec<Vec<u32>>, Option<Claims>, Option<f64>);

/// Reads a text in one of the forms that [`check`] reads.
pub(super) fn routes(text: &str) -> Result<Handed, String> {
    Ok(match SubmittedSolution::read(text)? {
        SubmittedSolution::Plain(text) => {
            let plan = solution::parse(text)?;
            (plan.routes, None, plan.cost)
        }
        SubmittedSolution::List(list) => (numbers(&list)?, None, None),
        SubmittedSolution::Object(claims) => {
            if let Some(other) = claims.foreign("vrptw") {
                return Err(format!("a solution of {other}, expected vrptw"));
            }
            (numbers(claims.solution()?.get("routes").ok_or("no list `routes`")?)?, Some(claims), None)
        }
    })
}

/// What a vehicle counts: the power of ten from 10^6 on that is above the sum of the ways to every customer and back.
fn vehicle_cost(instance: &Instance, rounding: Rounding) -> f64 {
    let ways = (1..instance.sites.len())
        .map(|c| plain_distance(instance, rounding, 0, c) + plain_distance(instance, rounding, c, 0));
    power_above(ways.sum())
}

/// A list of routes.
pub(crate) fn numbers(list: &Value) -> Result<Vec<Vec<u32>>, String> {
    let list = list.as_array().ok_or("`routes` is not a list")?;
    let customer = |value: &Value| {
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| format!("customer {} is not a number from 1 on", short(value)))
    };
    let route = |value: &Value| {
        let customers = value.as_array().ok_or_else(|| format!("route {} is not a list", short(value)))?;
        customers.iter().map(customer).collect()
    };
    list.iter().map(route).collect()
}
