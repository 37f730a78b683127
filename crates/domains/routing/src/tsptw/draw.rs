//! Tours for people: a table of the visits and a time line.

use super::Instance;
use crate::rules::TOLERANCE;
use crate::verdict::shown;
use serde_json::Value;
use soloist_domain::svg::{escape, page};
use std::fmt::Write as _;

/// A visit: node, arrival, start.
struct Visit {
    node: usize,
    arrival: f64,
    start: f64,
}

/// The visits of a tour, nodes that make no sense left out, and the travel cost and the time of the return.
fn visits(instance: &Instance, solution: &Value) -> (Vec<Visit>, f64, f64) {
    let nodes = instance.windows.len();
    let mut seen = vec![false; nodes];
    let list = solution.get("tour").and_then(Value::as_array);
    let (mut time, mut last, mut travel) = (instance.windows[0].0, 0, 0.0);
    let mut result = Vec::new();
    for node in list.into_iter().flatten().filter_map(Value::as_u64) {
        let Some(node) = usize::try_from(node).ok().filter(|&node| node > 0 && node < nodes && !seen[node]) else {
            continue;
        };
        seen[node] = true;
        let way = instance.way(last, node);
        let arrival = time + way;
        time = arrival.max(instance.windows[node].0);
        travel += way;
        last = node;
        result.push(Visit { node, arrival, start: time });
    }
    let way = instance.way(last, 0);
    (result, travel + way, time + way)
}

/// Returns the tour on a line, then a table with the windows.
pub(super) fn text(instance: &Instance, solution: &Value) -> String {
    if solution.is_null() {
        return "no solution\n".into();
    }
    let (visits, travel, makespan) = visits(instance, solution);
    let tour: Vec<String> = visits.iter().map(|visit| visit.node.to_string()).collect();
    // The first line is a comment, so that the text is a tour to be checked.
    let mut text = format!("# travel cost {}, makespan {}\n{}\n", shown(travel), shown(makespan), tour.join(" "));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "# {:>6} {:>12} {:>12} {:>12} {:>12}", "node", "opens", "closes", "arrival", "start");
    for Visit { node, arrival, start } in &visits {
        let (opens, closes) = instance.windows[*node];
        let mark = if *arrival > closes + closes * TOLERANCE { "  late" } else { "" };
        let [opens, closes, arrival, start] = [opens, closes, *arrival, *start].map(|time| format!("{time:.2}"));
        let _ = writeln!(text, "# {node:>6} {opens:>12} {closes:>12} {arrival:>12} {start:>12}{mark}");
    }
    text
}

/// Draws a row for each visit from top to bottom: the window as a light bar, the visit as a dark mark (red if late),
/// waiting as a dotted line, the tour as a line from mark to mark.
pub(super) fn svg(instance: &Instance, name: &str, solution: &Value) -> String {
    const LEFT: f64 = 60.0;
    const WIDTH: f64 = 820.0;
    const TOP: f64 = 60.0;
    const ROW: f64 = 14.0;
    let (visits, travel, makespan) = visits(instance, solution);
    let begin = instance.windows[0].0;
    // Windows may be as good as endless: the scale ends soon behind the tour.
    let last = visits.iter().map(|visit| instance.windows[visit.node].1).fold(makespan, f64::max);
    let last = last.min(begin + (makespan - begin) * 1.5).max(begin + 1.0);
    let x = |time: f64| LEFT + (time.clamp(begin, last) - begin) / (last - begin) * WIDTH;
    let y = |row: usize| TOP + ROW * row as f64;
    let height = y(visits.len() + 1) + 40.0;
    let mut svg = page(LEFT + WIDTH + 20.0, height.ceil(), 11);
    let name = escape(name.chars());
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<text x=\"20\" y=\"28\" font-size=\"18\">{name}: travel cost {}, makespan {}</text>",
        shown((travel * 100.0).round() / 100.0),
        shown((makespan * 100.0).round() / 100.0)
    );
    for tick in 0..=8 {
        let time = begin + (last - begin) * f64::from(tick) / 8.0;
        let (x, bottom) = (x(time), y(visits.len() + 1));
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" stroke=\"#e8e8e8\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#666666\">{}</text>",
            bottom + 14.0,
            shown((time * 10.0).round() / 10.0)
        );
    }
    let mut points = format!("{:.1},{:.1}", x(begin), y(0));
    for (row, Visit { node, arrival, start }) in visits.iter().enumerate() {
        let (opens, closes) = instance.windows[*node];
        let (middle, late) = (y(row + 1), *arrival > closes + closes * TOLERANCE);
        let _ = write!(points, " {:.1},{middle:.1} {:.1},{middle:.1}", x(*arrival), x(*start));
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{node}</text>\
             <rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{}\" fill=\"#0072b2\" fill-opacity=\"0.2\"/>\
             <circle cx=\"{:.1}\" cy=\"{middle:.1}\" r=\"3\" fill=\"{}\"><title>node {node}: window {} to {}, arrival {}, start {}</title></circle>",
            LEFT - 8.0,
            middle + 4.0,
            x(opens),
            middle - ROW / 2.0 + 1.0,
            (x(closes) - x(opens)).max(0.5),
            ROW - 2.0,
            x(*start),
            if late { "#ff0000" } else { "#0072b2" },
            shown(opens),
            shown(closes),
            shown(*arrival),
            shown(*start)
        );
    }
    let _ = write!(points, " {:.1},{:.1}", x(makespan), y(visits.len() + 1));
    let _ =
        writeln!(svg, "<polyline points=\"{points}\" fill=\"none\" stroke=\"#333333\" stroke-width=\"0.8\"/>\n</svg>");
    svg
}
