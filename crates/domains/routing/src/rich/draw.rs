//! Routes for people: lists in the field's format with the reason for each visit left out, and a map with a time line
//! for each route.

use super::judge::{Judge, Routed};
use super::reason::reason;
use super::{Instance, Visit};
use crate::verdict::shown;
use crate::vrptw::draw::{COLORS, MAP, MARGIN, ROW, STRIP, TOP, head, strip, times};
use crate::vrptw::{Edges, Rounding, Site, solution};
use serde_json::Value;
use std::fmt::Write as _;

/// The routes of a solution that make sense: known vehicles and visits, each visit once.
fn routes_of(instance: &Instance, solution: &Value) -> Vec<Routed> {
    let mut seen = vec![false; instance.visits.len() + 1];
    let mut visit = |value: &Value| {
        let at = value.as_u64().and_then(|at| usize::try_from(at).ok()).filter(|&at| at > 0 && at < seen.len())?;
        (!std::mem::replace(&mut seen[at], true)).then_some(at as u32)
    };
    let kind = |at: usize| {
        let kind = solution.get("kinds").and_then(|kinds| kinds.get(at)).and_then(Value::as_u64).unwrap_or(1);
        usize::try_from(kind).ok().filter(|kind| (1..=instance.kinds.len()).contains(kind))
    };
    let lists = solution.get("routes").and_then(Value::as_array);
    let mut routes = Vec::new();
    for (at, route) in lists.into_iter().flatten().enumerate() {
        let visits: Vec<u32> = route.as_array().into_iter().flatten().filter_map(&mut visit).collect();
        if let Some(kind) = kind(at).filter(|_| !visits.is_empty()) {
            routes.push((kind, visits));
        }
    }
    routes
}

/// The sites of one depot and all visits, so that visits have their own numbers.
fn view(instance: &Instance, depot: usize) -> crate::vrptw::Instance {
    let mut all = instance.sites();
    let depots = instance.depots.len();
    let keeps = |place: &usize| *place == depot || *place >= depots;
    let size = all.sites.len();
    let places: Vec<usize> = (0..size).filter(keeps).collect();
    let sites: Vec<Site> = places.iter().map(|&place| all.sites[place]).collect();
    if let Edges::Explicit(table) = &all.edges {
        let ways = places.iter().flat_map(|&i| places.iter().map(move |&j| table[i * size + j])).collect();
        all.edges = Edges::Explicit(ways);
    }
    all.sites = sites;
    all
}

/// Distances of routes, by a view of each depot.
struct Drawn<'i> {
    instance: &'i Instance,
    rounding: Rounding,
    views: Vec<crate::vrptw::Instance>,
}

impl Drawn<'_> {
    fn view(&self, kind: usize) -> &crate::vrptw::Instance {
        &self.views[self.instance.kinds[kind - 1].depot]
    }

    fn distance(&self, routes: &[Routed]) -> f64 {
        routes.iter().map(|(kind, visits)| times(self.view(*kind), self.rounding, visits).2).sum()
    }
}

fn drawn(instance: &Instance, rounding: Rounding) -> Drawn<'_> {
    let views = (0..instance.depots.len()).map(|depot| view(instance, depot)).collect();
    Drawn { instance, rounding, views }
}

/// The routes and what they cost in the field's format.
pub(super) fn plan(instance: &Instance, rounding: Rounding, solution: &Value) -> String {
    let routes = routes_of(instance, solution);
    let drawn = drawn(instance, rounding);
    let mut served = vec![false; instance.visits.len()];
    routes.iter().flat_map(|(_, visits)| visits).for_each(|&visit| served[visit as usize - 1] = true);
    let lost = instance.visits.iter().zip(&served).filter(|(visit, served)| !**served && !visit.delivers);
    let lost: f64 = lost.filter_map(|(visit, _)| visit.prize).sum();
    let costs = routes.iter().map(|route| {
        let kind = &instance.kinds[route.0 - 1];
        kind.fixed + kind.rate * drawn.distance(std::slice::from_ref(route))
    });
    let cost = costs.sum::<f64>() + lost;
    let kinds = (instance.kinds.len() > 1).then(|| routes.iter().map(|route| route.0 as u32).collect());
    solution::write(&solution::Plan {
        routes: routes.into_iter().map(|(_, visits)| visits).collect(),
        kinds,
        cost: Some(if cost < 1.0 { cost } else { (cost * 1e6).round() / 1e6 }),
    })
}

/// Returns a line of totals, the routes in the field's format, the vehicles of each kind, and for each visit left out
/// the reason.
pub(super) fn text(instance: &Instance, rounding: Rounding, solution: &Value) -> String {
    if solution.is_null() {
        return "no solution\n".into();
    }
    let routes = routes_of(instance, solution);
    let distance = drawn(instance, rounding).distance(&routes);
    let mut text = format!("{} vehicles, distance {}\n", routes.len(), shown(distance));
    text += &plan(instance, rounding, solution);
    if instance.kinds.len() > 1 {
        for (at, kind) in instance.kinds.iter().enumerate() {
            let used = routes.iter().filter(|(other, _)| *other == at + 1).count();
            if used > 0 {
                let plural = if used == 1 { "" } else { "s" };
                let (depot, capacity) = (kind.depot + 1, kind.capacity);
                let _ = writeln!(text, "Kind {}: {used} vehicle{plural} of depot {depot}, capacity {capacity}", at + 1);
            }
        }
    }
    let sites = instance.sites();
    let judge = Judge::new(instance, &sites, rounding);
    let mut served = vec![false; instance.visits.len() + 1];
    routes.iter().flat_map(|(_, visits)| visits).for_each(|&visit| served[visit as usize] = true);
    for (at, visit) in instance.visits.iter().enumerate().filter(|(at, visit)| !served[at + 1] && !visit.delivers) {
        let what = match visit.partner {
            Some(delivery) => format!("pickup {} and delivery {delivery}", at + 1),
            None => format!("customer {}", at + 1),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "Not served: {what}: {}", reason(&judge, &routes, at as u32 + 1));
    }
    text
}

/// Draws the map on the left (unless there are no coordinates), on the right a strip for each route, as for equal
/// vehicles.
pub(super) fn svg(instance: &Instance, rounding: Rounding, solution: &Value) -> String {
    let routes = routes_of(instance, solution);
    let timed = instance.has_windows();
    let has_map = instance.visits.iter().any(|visit| visit.x != 0.0 || visit.y != 0.0);
    let drawn = drawn(instance, rounding);
    let served: usize = routes.iter().map(|(_, visits)| visits.len()).sum();
    let missing = match instance.visits.len() - served {
        0 => String::new(),
        missing => format!(", {missing} visits not made"),
    };
    let summary = format!("{} vehicles, distance {:.2}{missing}", routes.len(), drawn.distance(&routes));
    let (mut svg, left) = head(&instance.name, &summary, routes.len(), has_map, timed);
    if has_map {
        map(&mut svg, instance, &routes, [MARGIN, TOP, MAP]);
    }
    if timed {
        let ends = routes.iter().map(|(kind, visits)| times(drawn.view(*kind), rounding, visits).1);
        let closes = instance.depots.iter().map(|depot| depot.due).filter(|due| due.is_finite());
        let last = ends.chain(closes).fold(1.0, f64::max);
        let begin = instance.depots.iter().map(|depot| depot.ready).fold(f64::INFINITY, f64::min);
        let scale = STRIP / (last - begin).max(f64::MIN_POSITIVE);
        let x = |time: f64| left + 2.0 * MARGIN + (time.min(last) - begin).max(0.0) * scale;
        for (at, (kind, visits)) in routes.iter().enumerate() {
            let y = TOP + ROW * at as f64 + 4.0;
            strip(&mut svg, drawn.view(*kind), rounding, visits, (at, y, ROW - 6.0), &x);
        }
    }
    svg + "</svg>\n"
}

/// The map: `[left, top, size]`.
fn map(svg: &mut String, instance: &Instance, routes: &[Routed], [left, top, size]: [f64; 3]) {
    let places: Vec<(f64, f64)> = instance
        .depots
        .iter()
        .map(|depot| (depot.x, depot.y))
        .chain(instance.visits.iter().map(|visit| (visit.x, visit.y)))
        .collect();
    let range = |pick: fn(&(f64, f64)) -> f64| {
        let values = places.iter().map(pick);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    };
    let ((x0, x1), (y0, y1)) = (range(|place| place.0), range(|place| place.1));
    let scale = size / (x1 - x0).max(y1 - y0).max(f64::MIN_POSITIVE);
    let at = |place: usize| (left + (places[place].0 - x0) * scale, top + (y1 - places[place].1) * scale);
    let mut color_of = vec!["#ffffff"; instance.visits.len()];
    for (number, (kind, visits)) in routes.iter().enumerate() {
        let color = COLORS[number % COLORS.len()];
        let depot = instance.kinds[kind - 1].depot;
        let stops = visits.iter().map(|&visit| instance.location(visit as usize));
        let points: Vec<String> = std::iter::once(depot)
            .chain(stops)
            .chain([depot])
            .map(|place| {
                let (x, y) = at(place);
                format!("{x:.1},{y:.1}")
            })
            .collect();
        visits.iter().for_each(|&visit| color_of[visit as usize - 1] = color);
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\" stroke-opacity=\"0.8\"/>",
            points.join(" ")
        );
    }
    for (number, (visit, color)) in instance.visits.iter().zip(color_of).enumerate() {
        mark(svg, at(instance.location(number + 1)), visit, color, number + 1, places.len() <= 300);
    }
    for depot in 0..instance.depots.len() {
        let (x, y) = at(depot);
        let _ = writeln!(
            svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\" fill=\"#000000\"><title>depot {}</title></rect>",
            x - 5.0,
            y - 5.0,
            depot + 1
        );
    }
}

/// A visit: a disc, an upright triangle for a pickup and one upside down for a delivery.
fn mark(svg: &mut String, (x, y): (f64, f64), visit: &Visit, color: &str, number: usize, small: bool) {
    let r = if small { 3.5 } else { 1.5 };
    let prize = visit.prize.map_or_else(String::new, |prize| format!(", prize {}", shown(prize)));
    let title = format!("<title>visit {number}{prize}</title>");
    let style = format!("fill=\"{color}\" stroke=\"#000000\" stroke-width=\"0.5\"");
    let _ = match (visit.partner, visit.delivers) {
        (None, _) => writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\" {style}>{title}</circle>"),
        (Some(_), delivers) => {
            let tip = if delivers { y + r } else { y - r };
            let base = if delivers { y - r } else { y + r };
            let (a, b) = (x - r, x + r);
            let points = format!("{x:.1},{tip:.1} {a:.1},{base:.1} {b:.1},{base:.1}");
            writeln!(svg, "<polygon points=\"{points}\" {style}>{title}</polygon>")
        }
    };
    if small {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"8\" fill=\"#444444\">{number}</text>",
            x + 4.0,
            y - 3.0
        );
    }
}
