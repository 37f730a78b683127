//! Packings for people: a table and a picture.

use super::{Order, Worth};
use serde_json::Value;
use soloist_domain::svg::{escape, page};
use std::fmt::Write as _;

/// Rows that a table shows at most, and rows of a legend.
const ROWS: usize = 40;
/// Containers that a picture shows at most.
const CONTAINERS: u64 = 12;
/// Colours of the first types, easy to distinguish (after Okabe and Ito, 2008, and Tol, 2021).
const COLORS: [&str; 12] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#332288", "#999933", "#882255",
    "#44aa99", "#777777",
];

/// A tube as far as a solution describes it.
struct Drawn {
    kind: usize,
    container: u64,
    nested: bool,
    x: f64,
    y: f64,
}

/// The tubes of a solution; what makes no sense is left out.
fn tubes(order: &Order, solution: &Value) -> Vec<Drawn> {
    let list = solution.get("tubes").and_then(Value::as_array);
    let tube = |tube: &Value| {
        let kind = tube.get("type")?.as_u64().and_then(|kind| usize::try_from(kind).ok())?;
        order.tubes().get(kind)?;
        let coordinate = |name| tube.get(name).and_then(Value::as_f64).filter(|at| at.is_finite() && at.abs() < 1e10);
        let container = tube.get("container").and_then(Value::as_u64).unwrap_or(0);
        if container >= crate::MAX_TUBES {
            return None;
        }
        let nested = tube.get("hull").is_some_and(|hull| !hull.is_null());
        Some(Drawn { kind, container, nested, x: coordinate("x")?, y: coordinate("y")? })
    };
    list.into_iter().flatten().filter_map(tube).collect()
}

/// Tubes packed of each type.
fn counts(order: &Order, tubes: &[Drawn]) -> Vec<usize> {
    let mut counts = vec![0; order.tubes().len()];
    for tube in tubes {
        counts[tube.kind] += 1;
    }
    counts
}

fn worth(order: &Order, values: Worth, counts: &[usize]) -> f64 {
    let value = |(kind, &count): (usize, &usize)| {
        let tube = &order.tubes()[kind];
        let one = match values {
            Worth::Area => std::f64::consts::PI * (tube.outer - tube.inner) * (tube.outer + tube.inner),
            Worth::Count => 1.0,
            Worth::Given => tube.value.unwrap_or(0.0),
        };
        count as f64 * one
    };
    counts.iter().enumerate().map(value).sum()
}

/// The headline of both forms.
fn headline(order: &Order, values: Worth, tubes: &[Drawn]) -> String {
    let offered: u64 = order.tubes().iter().map(|tube| u64::from(tube.demand)).sum();
    let containers = tubes.iter().map(|tube| tube.container + 1).max().unwrap_or(0);
    let counts = counts(order, tubes);
    let what = match values {
        Worth::Area => "ring area",
        Worth::Count => "count",
        Worth::Given => "value",
    };
    let discs: f64 = tubes.iter().filter(|tube| !tube.nested).map(|tube| order.tubes()[tube.kind].outer.powi(2)).sum();
    let filled = 100.0 * std::f64::consts::PI * discs / (order.width() * order.height() * containers.max(1) as f64);
    let noun = if containers == 1 { "container" } else { "containers" };
    format!(
        "{what} {:.4}, {} of {offered} tubes in {containers} {noun}, discs cover {filled:.1} %",
        worth(order, values, &counts),
        tubes.len()
    )
}

/// Returns a summary line and a table of the types.
pub(super) fn text(order: &Order, values: Worth, solution: &Value) -> String {
    if solution.is_null() {
        return "no solution\n".into();
    }
    let tubes = tubes(order, solution);
    let counts = counts(order, &tubes);
    let mut text = headline(order, values, &tubes);
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "\n{:>6} {:>12} {:>12} {:>8} {:>8} {:>8}\n",
        "type", "r_int", "r_ext", "offered", "packed", "nested"
    );
    for (kind, tube) in order.tubes().iter().enumerate().take(ROWS) {
        let nested = tubes.iter().filter(|tube| tube.kind == kind && tube.nested).count();
        let _ = writeln!(
            text,
            "{kind:>6} {:>12} {:>12} {:>8} {:>8} {nested:>8}",
            tube.inner, tube.outer, tube.demand, counts[kind]
        );
    }
    if order.tubes().len() > ROWS {
        let _ = writeln!(text, "   ... and {} more types", order.tubes().len() - ROWS);
    }
    text
}

/// The colour of a type: fixed ones, then hues a golden angle apart.
fn color(kind: usize) -> String {
    match COLORS.get(kind) {
        Some(color) => (*color).to_owned(),
        None => format!("hsl({:.0}, 55%, {}%)", kind as f64 * 137.508 % 360.0, 35 + kind % 3 * 12),
    }
}

/// Draws the containers side by side, rings to scale in the colour of their type, contents inside their hulls, and a
/// legend.
pub(super) fn svg(order: &Order, values: Worth, solution: &Value) -> String {
    const PANEL: f64 = 720.0;
    const LEFT: f64 = 30.0;
    const TOP: f64 = 56.0;
    const GAP: f64 = 24.0;
    const LEGEND: f64 = 250.0;
    let tubes = tubes(order, solution);
    let counts = counts(order, &tubes);
    let containers = tubes.iter().map(|tube| tube.container + 1).max().unwrap_or(1);
    let panels = containers.min(CONTAINERS);
    let columns = if panels <= 3 { panels } else { 4 };
    let rows = panels.div_ceil(columns);
    let size = if panels == 1 { PANEL } else { PANEL / 1.6 };
    let scale = size / order.width().max(order.height());
    let (width, height) = (order.width() * scale, order.height() * scale);
    let legend = LEFT + columns as f64 * (width + GAP);
    let shown = order.tubes().len().min(ROWS);
    let page_width = (legend + LEGEND).max(760.0);
    let page_height = (TOP + rows as f64 * (height + GAP)).max(TOP + 60.0 + shown as f64 * 22.0) + 10.0;
    let mut svg = page(format!("{page_width:.0}"), format!("{page_height:.0}"), 13);
    let name = escape(order.name().chars().take(40));
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"34\" font-size=\"18\">{name}: {}</text>",
        headline(order, values, &tubes)
    );
    let corner = |container: u64| {
        (LEFT + (container % columns) as f64 * (width + GAP), TOP + (container / columns) as f64 * (height + GAP))
    };
    for container in 0..panels {
        let (x, y) = corner(container);
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"#f4f4f4\" stroke=\"#222222\" stroke-width=\"1.5\"/>"
        );
    }
    for tube in tubes.iter().filter(|tube| tube.container < panels) {
        let size = &order.tubes()[tube.kind];
        let (left, top) = corner(tube.container);
        // The container's y goes up, the page's down.
        let (x, y) = (left + tube.x * scale, top + height - tube.y * scale);
        let _ = writeln!(svg, "{}", ring(x, y, size.inner * scale, size.outer * scale, &color(tube.kind)));
    }
    if panels < containers {
        let y = page_height - 12.0;
        let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"{y:.0}\">the first {panels} of {containers} containers</text>");
    }
    write_legend(&mut svg, order, &counts, [legend, TOP], scale);
    svg.push_str("</svg>\n");
    svg
}

/// Writes the types with their colours and what is packed of them, at (x, y).
fn write_legend(svg: &mut String, order: &Order, counts: &[usize], [legend, top]: [f64; 2], scale: f64) {
    let shown = order.tubes().len().min(ROWS);
    let largest = order.tubes().iter().map(|tube| tube.outer).fold(f64::MIN_POSITIVE, f64::max);
    let _ = writeln!(
        svg,
        "<text x=\"{legend:.1}\" y=\"{:.1}\" font-weight=\"bold\">r_int / r_ext: packed of offered</text>",
        top + 14.0
    );
    for (kind, tube) in order.tubes().iter().enumerate().take(shown) {
        let y = top + 40.0 + kind as f64 * 22.0;
        let part = (9.0 / largest).min(scale);
        let (inner, outer) = (tube.inner * part, (tube.outer * part).max(2.0));
        let _ = writeln!(svg, "{}", ring(legend + 10.0, y - 4.5, inner.min(outer - 1.0), outer, &color(kind)));
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{y:.1}\">{} / {}: {} of {}</text>",
            legend + 28.0,
            tube.inner,
            tube.outer,
            counts[kind],
            tube.demand
        );
    }
    if order.tubes().len() > shown {
        let y = top + 40.0 + shown as f64 * 22.0;
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{y:.1}\">and {} more types</text>",
            legend + 28.0,
            order.tubes().len() - shown
        );
    }
}

/// A ring, or a disc where there is no inside; what lies inside is drawn later, on the lighter ground.
fn ring(x: f64, y: f64, inner: f64, outer: f64, color: &str) -> String {
    let inner = inner.max(0.0);
    if inner <= 0.0 {
        return format!("<circle cx=\"{x:.3}\" cy=\"{y:.3}\" r=\"{outer:.3}\" fill=\"{color}\"/>");
    }
    let (middle, wall) = (0.5 * (inner + outer), outer - inner);
    format!(
        "<circle cx=\"{x:.3}\" cy=\"{y:.3}\" r=\"{middle:.3}\" fill=\"#ffffff\" stroke=\"{color}\" stroke-width=\"{wall:.3}\"/>"
    )
}
