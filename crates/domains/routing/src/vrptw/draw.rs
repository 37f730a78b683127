//! Routes for people: lists in the field's format, and a map with a time line for each route.

use super::verify::{Judge, reason};
use super::{Edges, Instance, Rounding, solution};
use crate::rules::TOLERANCE;
use crate::verdict::shown;
use serde_json::Value;
use soloist_domain::svg::{escape, page};
use std::fmt::Write as _;

/// Colours of routes, in turn (P. Tol's and Okabe and Ito's, readable beside each other).
pub(crate) const COLORS: [&str; 12] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#332288", "#aa4499", "#117733", "#882255", "#44aa99", "#999933",
    "#661100", "#6699cc",
];

/// The routes of a solution that make sense: known customers, each once.
fn routes_of(instance: &Instance, solution: &Value) -> Vec<Vec<u32>> {
    let mut seen = vec![false; instance.sites.len()];
    let mut customer = |value: &Value| {
        let at = value.as_u64().and_then(|at| usize::try_from(at).ok()).filter(|&at| at > 0 && at < seen.len())?;
        (!std::mem::replace(&mut seen[at], true)).then_some(at as u32)
    };
    let lists = solution.get("routes").and_then(Value::as_array);
    let mut routes = Vec::new();
    for route in lists.into_iter().flatten() {
        let route: Vec<u32> = route.as_array().into_iter().flatten().filter_map(&mut customer).collect();
        if !route.is_empty() {
            routes.push(route);
        }
    }
    routes
}

/// A distance under the rounding in force.
fn distance(instance: &Instance, rounding: Rounding, i: usize, j: usize) -> f64 {
    let plain = match &instance.edges {
        Edges::Euclidean => {
            f64::hypot(instance.sites[i].x - instance.sites[j].x, instance.sites[i].y - instance.sites[j].y)
        }
        Edges::Explicit(table) => table[i * instance.sites.len() + j],
    };
    match rounding {
        Rounding::Exact => plain,
        Rounding::OneDecimal => (10.0 * plain).floor() / 10.0,
        Rounding::Nearest => (plain + 0.5).floor(),
    }
}

/// Arrival, start and end of each service of a route, and the return.
pub(crate) fn times(instance: &Instance, rounding: Rounding, route: &[u32]) -> (Vec<[f64; 3]>, f64, f64) {
    let depot = instance.sites[0];
    let (mut time, mut last, mut sum) = (depot.ready + depot.service, 0, 0.0);
    let mut visits = Vec::with_capacity(route.len());
    for &customer in route {
        let site = instance.sites[customer as usize];
        let way = distance(instance, rounding, last, customer as usize);
        let arrival = time + way;
        let start = arrival.max(site.ready);
        time = start + site.service;
        sum += way;
        last = customer as usize;
        visits.push([arrival, start, time]);
    }
    let way = distance(instance, rounding, last, 0);
    (visits, time + way, sum + way)
}

/// The routes and what they cost in the field's format.
pub(super) fn plan(instance: &Instance, rounding: Rounding, solution: &Value) -> String {
    let routes = routes_of(instance, solution);
    let sum: f64 = routes.iter().map(|route| times(instance, rounding, route).2).sum();
    let cost = if sum < 1.0 { sum } else { (sum * 1e6).round() / 1e6 };
    solution::write(&solution::Plan { routes, kinds: None, cost: Some(cost) })
}

/// Returns a line of totals, the routes in the field's format, and for each customer left out the reason.
pub(super) fn text(instance: &Instance, rounding: Rounding, solution: &Value) -> String {
    if solution.is_null() {
        return "no solution\n".into();
    }
    let routes = routes_of(instance, solution);
    let sum: f64 = routes.iter().map(|route| times(instance, rounding, route).2).sum();
    let mut text = format!("{} vehicles, distance {}\n", routes.len(), shown(sum));
    text += &plan(instance, rounding, solution);
    let mut served = vec![false; instance.sites.len()];
    routes.iter().flatten().for_each(|&c| served[c as usize] = true);
    let all: Vec<&Vec<u32>> = routes.iter().collect();
    let judge = Judge::new(instance, rounding);
    for customer in (1..served.len()).filter(|&customer| !served[customer]) {
        let _ = writeln!(text, "Not served: customer {customer}: {}", reason(instance, &judge, &all, customer));
    }
    text
}

/// The measures of drawings of routes: side of the map, length of a strip, margins, height of the title and of a row.
pub(crate) const MAP: f64 = 640.0;
pub(crate) const STRIP: f64 = 640.0;
pub(crate) const MARGIN: f64 = 20.0;
pub(crate) const TOP: f64 = 50.0;
pub(crate) const ROW: f64 = 22.0;

/// Begins a drawing with its title, and returns where the part behind the map begins.
pub(crate) fn head(name: &str, summary: &str, routes: usize, has_map: bool, timed: bool) -> (String, f64) {
    let left = if has_map { MAP + 2.0 * MARGIN } else { MARGIN };
    let height = (TOP + MAP + MARGIN).max(TOP + ROW * (routes as f64 + 2.0) + MARGIN);
    let width = left + if timed { STRIP + 4.0 * MARGIN } else { 0.0 };
    let mut svg = page(width.max(400.0).ceil(), height.ceil(), 12);
    let title = escape(name.chars());
    let colon = if title.is_empty() { "" } else { ":" };
    // Writing to a string cannot fail.
    let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"28\" font-size=\"18\">{title}{colon} {summary}</text>");
    (svg, left)
}

/// Draws the map on the left (unless there are no coordinates), on the right a strip for each route: customers' windows
/// as light bars, services as dark ones, waiting as dots, ways as lines; a tick in red where a service begins late.
pub(super) fn svg(instance: &Instance, rounding: Rounding, solution: &Value) -> String {
    let routes = routes_of(instance, solution);
    let timed = instance.has_windows();
    let has_map = instance.sites.iter().any(|site| site.x != 0.0 || site.y != 0.0);
    let sum: f64 = routes.iter().map(|route| times(instance, rounding, route).2).sum();
    let served: usize = routes.iter().map(Vec::len).sum();
    let missing = match instance.sites.len() - 1 - served {
        0 => String::new(),
        missing => format!(", {missing} customers not served"),
    };
    let summary = format!("{} vehicles, distance {sum:.2}{missing}", routes.len());
    let (mut svg, left) = head(&instance.name, &summary, routes.len(), has_map, timed);
    if has_map {
        map(&mut svg, instance, &routes, [MARGIN, TOP, MAP]);
    }
    if timed {
        let closes = instance.sites[0].due;
        let ends = routes.iter().map(|route| times(instance, rounding, route).1);
        let last = ends.chain(closes.is_finite().then_some(closes)).fold(1.0, f64::max);
        let begin = instance.sites[0].ready;
        let scale = STRIP / (last - begin).max(f64::MIN_POSITIVE);
        let x = |time: f64| left + 2.0 * MARGIN + (time.min(last) - begin).max(0.0) * scale;
        for tick in 0..=8 {
            let time = begin + (last - begin) * f64::from(tick) / 8.0;
            let (x, bottom) = (x(time), TOP + ROW * (routes.len() as f64 + 0.5));
            let _ = writeln!(
                svg,
                "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" stroke=\"#e8e8e8\"/><text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"10\" text-anchor=\"middle\" fill=\"#666666\">{}</text>",
                bottom + 12.0,
                shown((time * 10.0).round() / 10.0)
            );
        }
        for (at, route) in routes.iter().enumerate() {
            let y = TOP + ROW * at as f64 + 4.0;
            strip(&mut svg, instance, rounding, route, (at, y, ROW - 6.0), &x);
        }
    }
    svg + "</svg>\n"
}

/// The map: `[left, top, size]`.
fn map(svg: &mut String, instance: &Instance, routes: &[Vec<u32>], [left, top, size]: [f64; 3]) {
    let range = |pick: fn(&super::Site) -> f64| {
        let values = instance.sites.iter().map(pick);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    };
    let ((x0, x1), (y0, y1)) = (range(|site| site.x), range(|site| site.y));
    let scale = size / (x1 - x0).max(y1 - y0).max(f64::MIN_POSITIVE);
    let place = |at: u32| {
        let site = instance.sites[at as usize];
        (left + (site.x - x0) * scale, top + (y1 - site.y) * scale)
    };
    for (at, route) in routes.iter().enumerate() {
        let points: Vec<String> = std::iter::once(&0)
            .chain(route)
            .chain([&0])
            .map(|&c| {
                let (x, y) = place(c);
                format!("{x:.1},{y:.1}")
            })
            .collect();
        let color = COLORS[at % COLORS.len()];
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\" stroke-opacity=\"0.8\"/>",
            points.join(" ")
        );
    }
    let small = instance.sites.len() <= 300;
    let mut color_of = vec!["#ffffff"; instance.sites.len()];
    for (at, route) in routes.iter().enumerate() {
        route.iter().for_each(|&c| color_of[c as usize] = COLORS[at % COLORS.len()]);
    }
    for (at, color) in color_of.iter().enumerate().skip(1) {
        let (x, y) = place(at as u32);
        let radius = if small { 3.0 } else { 1.5 };
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{color}\" stroke=\"#000000\" stroke-width=\"0.5\"/>"
        );
        if small {
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"8\" fill=\"#444444\">{at}</text>",
                x + 4.0,
                y - 3.0
            );
        }
    }
    let (x, y) = place(0);
    let _ =
        writeln!(svg, "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\" fill=\"#000000\"/>", x - 5.0, y - 5.0);
}

/// The time line of one route; `(index, y, height)`.
pub(crate) fn strip(
    svg: &mut String,
    instance: &Instance,
    rounding: Rounding,
    route: &[u32],
    (at, y, height): (usize, f64, f64),
    x: &dyn Fn(f64) -> f64,
) {
    let (visits, back, _) = times(instance, rounding, route);
    let color = COLORS[at % COLORS.len()];
    let (middle, begin) = (y + height / 2.0, x(instance.sites[0].ready));
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"{color}\">#{}</text><line x1=\"{begin:.1}\" y1=\"{middle:.1}\" x2=\"{:.1}\" y2=\"{middle:.1}\" stroke=\"{color}\"/>",
        begin - 5.0,
        middle + 4.0,
        at + 1,
        x(back)
    );
    for (i, (&customer, &[arrival, start, end])) in route.iter().zip(&visits).enumerate() {
        let site = instance.sites[customer as usize];
        // Windows that overlap have different heights, so that both can be seen.
        let (top, half) = (y + height / 2.0 * (i % 2) as f64, height / 2.0);
        let (open, close) = (x(site.ready), x(site.due));
        let (wait, from, to) = (x(arrival), x(start), x(end).max(x(start) + 1.0));
        let late = if start > site.due + site.due * TOLERANCE { "#ff0000" } else { color };
        let _ = writeln!(
            svg,
            "<rect x=\"{open:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{half:.1}\" fill=\"{color}\" fill-opacity=\"0.15\"/>\
             <line x1=\"{wait:.1}\" y1=\"{middle:.1}\" x2=\"{from:.1}\" y2=\"{middle:.1}\" stroke=\"#ffffff\" stroke-width=\"2\" stroke-dasharray=\"1 2\"/>\
             <rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{late}\"><title>customer {customer}: window {} to {}, service {} to {}</title></rect>",
            (close - open).max(0.5),
            middle - 3.0,
            to - from,
            6.0,
            shown(site.ready),
            if site.due.is_finite() { shown(site.due) } else { "any time".into() },
            shown(start),
            shown(end),
        );
    }
}
