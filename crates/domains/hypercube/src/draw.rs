//! Paths for people: numbers and a picture of the cube.

use super::path::{add_ball, holds, near};
use super::{Cube, Kind, MAX_WORDS};
use serde_json::Value;
use soloist_domain::svg::page;
use std::fmt::Write as _;

/// Width of the plane that the vertices fill, in pixels, at most.
const PLANE: usize = 1152;
const MARGIN: usize = 24;
/// Where the plane begins.
const TOP: usize = 76;
/// Parts of the path that have colours of their own.
const SHADES: usize = 24;

/// The vertices of a solution; numbers that make no sense are left out.
fn nodes(cube: &Cube, solution: &Value) -> Vec<usize> {
    let list = solution.get("nodes").and_then(Value::as_array);
    let count = 1 << cube.dimension();
    // No path is longer, whatever a file claims.
    let numbers = list.into_iter().flatten().filter_map(Value::as_u64).take(count);
    numbers.filter_map(|node| usize::try_from(node).ok().filter(|&node| node < count)).collect()
}

/// The bits flipped along `nodes`, back to the first of a coil.
fn transitions(kind: Kind, nodes: &[usize]) -> Vec<u32> {
    let around = if kind == Kind::Coil { nodes.first() } else { None };
    nodes.iter().zip(nodes.iter().skip(1).chain(around)).map(|(a, b)| (a ^ b).trailing_zeros().min(99)).collect()
}

fn title(kind: Kind, cube: &Cube, nodes: &[usize]) -> String {
    let (d, k) = (cube.dimension(), cube.spread());
    format!("{} of length {} in dimension {d}, spread {k}", kind.name(), transitions(kind, nodes).len())
}

/// Returns a summary line, the bits flipped, and the vertices.
#[must_use]
pub fn text(kind: Kind, cube: &Cube, solution: &Value) -> String {
    let nodes = nodes(cube, solution);
    if nodes.is_empty() {
        return "no solution\n".into();
    }
    let mut text = title(kind, cube, &nodes) + "\n";
    let flips: Vec<usize> = transitions(kind, &nodes).into_iter().map(|bit| bit as usize).collect();
    for (name, numbers) in [("transitions", &flips), ("nodes", &nodes)] {
        text.push_str(name);
        let mut width = name.len();
        for number in numbers {
            let shown = format!(" {number}");
            width += shown.len();
            if width > 110 {
                text.push_str("\n ");
                width = 1 + shown.len();
            }
            text.push_str(&shown);
        }
        text.push('\n');
    }
    text
}

/// Where a number stands in the reflected Gray code: neighbours there differ in one bit.
fn place(mut code: usize) -> usize {
    for shift in [1, 2, 4, 8] {
        code ^= code >> shift;
    }
    code
}

/// Draws the vertices in a grid, the lower half of the bits across and the upper half down, both in Gray code, so that
/// vertices side by side are neighbours; with the path on top, coloured from its start to its end, and grey cells
/// wherever the path leaves no room for another piece.
#[must_use]
pub fn svg(kind: Kind, cube: &Cube, solution: &Value) -> String {
    let nodes = nodes(cube, solution);
    let (d, k) = (cube.dimension(), cube.spread());
    let across = d.div_ceil(2);
    let (columns, rows) = (1_usize << across, 1_usize << (d - across));
    let cell = (PLANE / columns).min(48);
    let center = |vertex: usize| {
        let (column, row) = (place(vertex & (columns - 1)), place(vertex >> across));
        (MARGIN + column * cell + cell / 2, TOP + row * cell + cell / 2)
    };
    let (width, height) = ((columns * cell).max(620) + 2 * MARGIN, TOP + rows * cell + MARGIN);
    let mut svg = page(width, height, 13);
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<text x=\"{MARGIN}\" y=\"30\" font-size=\"18\" fill=\"#222222\">{}</text>\n\
         <text x=\"{MARGIN}\" y=\"50\" fill=\"#555555\">a cell is a vertex, {columns} by {rows} in Gray code: cells side by side differ in one bit; grey: within distance {} of the path</text>\n\
         <text x=\"{MARGIN}\" y=\"66\" fill=\"#555555\">dark to light: the path, from the large square on; thin arcs are steps to cells further away</text>",
        title(kind, cube, &nodes),
        k - 1
    );
    shade(&mut svg, cube, &nodes, (rows, columns, cell));
    if let (Some(&start), Some(&end)) = (nodes.first(), nodes.last()) {
        let mut route: Vec<(usize, usize)> = nodes.iter().map(|&vertex| center(vertex)).collect();
        if kind == Kind::Coil {
            route.push(center(start));
        }
        let edges = route.len() - 1;
        let parts = SHADES.min(edges);
        for part in 0..parts {
            let (from, to) = (part * edges / parts, (part + 1) * edges / parts);
            stretch(&mut svg, &route[from..=to], cell, &color(part, parts));
        }
        let half = (cell / 3).max(3);
        let ((x, y), (u, v)) = (center(start), center(end));
        let _ = writeln!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"{2}\" height=\"{2}\" fill=\"#d55e00\"/>",
            x - half,
            y - half,
            2 * half
        );
        if kind == Kind::Snake {
            let _ = writeln!(svg, "<circle cx=\"{u}\" cy=\"{v}\" r=\"{half}\" fill=\"#d55e00\"/>");
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// The grid, with the balls around the path in grey; cells of one kind side by side are one rectangle.
fn shade(svg: &mut String, cube: &Cube, nodes: &[usize], (rows, columns, cell): (usize, usize, usize)) {
    let words = (1_usize << cube.dimension()).div_ceil(64);
    let ball = near(cube.spread() - 1, words);
    let mut covered = [0_u64; MAX_WORDS];
    for &vertex in nodes {
        add_ball(&mut covered, vertex, &ball);
    }
    let gray = |place: usize| place ^ place >> 1;
    for row in 0..rows {
        let is_covered = |column: usize| holds(&covered, gray(row) * columns + gray(column));
        let mut column = 0;
        while column < columns {
            let grey = is_covered(column);
            let run = (column..columns).take_while(|&next| is_covered(next) == grey).count();
            if grey {
                let (x, y) = (MARGIN + column * cell, TOP + row * cell);
                let _ = writeln!(
                    svg,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{cell}\" fill=\"#e8e8e8\"/>",
                    run * cell
                );
            }
            column += run;
        }
    }
    let (right, bottom) = (MARGIN + columns * cell, TOP + rows * cell);
    let _ = write!(svg, "<path fill=\"none\" stroke=\"#cccccc\" stroke-width=\"0.5\" d=\"");
    for column in 0..=columns {
        let _ = write!(svg, "M{} {TOP}V{bottom}", MARGIN + column * cell);
    }
    for row in 0..=rows {
        let _ = write!(svg, "M{MARGIN} {}H{right}", TOP + row * cell);
    }
    svg.push_str("\"/>\n");
}

/// A part of the path: its vertices, lines to neighbour cells, and faint arcs over the cells between others.
fn stretch(svg: &mut String, route: &[(usize, usize)], cell: usize, color: &str) {
    let (mut dots, mut lines, mut arcs) = (String::new(), String::new(), String::new());
    let half = cell as f64 / 4.0;
    for &(x, y) in route {
        let _ = write!(dots, "M{} {}h{2}v{2}h-{2}z", x as f64 - half, y as f64 - half, 2.0 * half);
    }
    for pair in route.windows(2) {
        let ((x, y), (u, v)) = (pair[0], pair[1]);
        let distance = x.abs_diff(u) + y.abs_diff(v);
        if distance <= cell {
            let _ = write!(lines, "M{x} {y}L{u} {v}");
            continue;
        }
        // An arc rises by up to half a cell; more over a longer span, so that arcs do not lie on each other.
        let height = (distance as f64 / 6.0).min(cell as f64);
        let (middle_x, middle_y) = ((x + u) as f64 / 2.0, (y + v) as f64 / 2.0);
        let (bend_x, bend_y) = if y == v { (middle_x, middle_y - height) } else { (middle_x - height, middle_y) };
        let _ = write!(arcs, "M{x} {y}Q{bend_x:.1} {bend_y:.1} {u} {v}");
    }
    let (line, arc) = ((cell as f64 / 6.0).clamp(1.5, 5.0), (cell as f64 / 16.0).clamp(0.5, 2.0));
    let _ = writeln!(
        svg,
        "<g stroke=\"{color}\" fill=\"none\" stroke-linecap=\"round\"><path stroke-width=\"{arc:.1}\" stroke-opacity=\"0.5\" d=\"{arcs}\"/>\
         <path stroke-width=\"{line:.1}\" d=\"{lines}\"/><path stroke=\"none\" fill=\"{color}\" d=\"{dots}\"/></g>"
    );
}

/// From dark to light blue-green along the path.
fn color(part: usize, parts: usize) -> String {
    const ENDS: [[usize; 3]; 3] = [[0x33, 0x22, 0x88], [0x00, 0x72, 0xb2], [0x2f, 0xb4, 0x7c]];
    let last = parts.saturating_sub(1).max(1);
    let (half, at) = (2 * part / (last + 1), 2 * part % (last + 1));
    let mix = |i: usize| (ENDS[half.min(1)][i] * (last + 1 - at) + ENDS[half.min(1) + 1][i] * at) / (last + 1);
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}
