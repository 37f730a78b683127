//! Games for people: a grid with the numbers of the moves, and a picture.

use super::format::entry_text;
use super::{Direction, Played, Point};
use soloist_domain::svg::escape;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Distance of neighbouring points in a picture, in pixels.
const UNIT: i32 = 40;
const MARGIN: i32 = 50;
/// Room for the title.
const TITLE: i32 = 60;
/// Moves a line of the list.
const PER_LINE: usize = 5;

/// The corners of the smallest box around all dots.
fn extent(played: &Played) -> (Point, Point) {
    let size = played.variant.cross_size() as i32;
    let mut corners = ((0, 0), (size - 1, size - 1));
    for (x, y) in played.steps.iter().map(|step| step.stroke.point) {
        corners.0 = (corners.0.0.min(x), corners.0.1.min(y));
        corners.1 = (corners.1.0.max(x), corners.1.1.max(y));
    }
    corners
}

/// Returns a summary line, the grid with the numbers of the moves (`o`: a dot of the cross), and the moves in Pentasol
/// notation.
#[must_use]
pub fn text(played: &Played) -> String {
    let mut marks: BTreeMap<Point, String> = BTreeMap::new();
    for point in played.variant.cross() {
        marks.insert(point, "o".into());
    }
    for (number, step) in (1..).zip(&played.steps) {
        marks.insert(step.stroke.point, format!("{number}"));
    }
    let (low, high) = extent(played);
    let mut text = played.summary() + "\n\n";
    for y in low.1..=high.1 {
        for x in low.0..=high.0 {
            // Writing to a string cannot fail, here and below.
            let _ = write!(text, "{:>4}", marks.get(&(x, y)).map_or(".", String::as_str));
        }
        text.push('\n');
    }
    text.push_str(
        "\nEach move: its number, the new dot (column,row), the direction of the line, the distance of its middle;\n",
    );
    text.push_str("rows count downwards, the inner corner of the cross at the upper left is (28,28).\n");
    for (line, steps) in played.steps.chunks(PER_LINE).enumerate() {
        for (number, step) in (line * PER_LINE + 1..).zip(steps) {
            let _ = write!(text, "{number:>4}. {:<13}", entry_text(played.variant, &step.stroke));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

/// Fill of lines by direction, from Okabe and Ito's scheme, which are distinct with any colour vision.
fn color(direction: Direction) -> &'static str {
    match direction {
        Direction::Across => "#0072b2",
        Direction::Down => "#d55e00",
        Direction::Falling => "#009e73",
        Direction::Rising => "#cc79a7",
    }
}

/// Draws the final position: black dots for the cross, numbered ones in the order of play, lines coloured by direction.
/// The dots of the first `given` moves, which the instance gives, are grey. `label` names the instance.
///
/// The text is valid XML for any label and depends on nothing but the arguments.
#[must_use]
pub fn svg(played: &Played, label: &str, given: usize) -> String {
    let (low, high) = extent(played);
    let place = |(x, y): Point| (MARGIN + (x - low.0) * UNIT, TITLE + MARGIN + (y - low.1) * UNIT);
    let (width, height) = (2 * MARGIN + (high.0 - low.0) * UNIT, TITLE + 2 * MARGIN + (high.1 - low.1) * UNIT);
    let width = width.max(720);
    let mut svg = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\" fill=\"#222\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"24\" y=\"38\" font-size=\"18\" font-weight=\"bold\">{}</text>\n\
         <text x=\"24\" y=\"62\" font-size=\"14\" fill=\"#555\">{}</text>",
        played.summary(),
        escape(label.chars().take(200))
    );
    let (left, right) = (place((low.0 - 1, 0)).0 + UNIT / 2, place((high.0 + 1, 0)).0 - UNIT / 2);
    let (top, bottom) = (place((0, low.1 - 1)).1 + UNIT / 2, place((0, high.1 + 1)).1 - UNIT / 2);
    svg.push_str("<path stroke=\"#e4e4e4\" d=\"");
    for x in low.0..=high.0 {
        let _ = write!(svg, "M{} {top}V{bottom}", place((x, 0)).0);
    }
    for y in low.1..=high.1 {
        let _ = write!(svg, "M{left} {}H{right}", place((0, y)).1);
    }
    svg.push_str("\"/>\n");
    for direction in Direction::ALL {
        let stroke = color(direction);
        let _ = write!(svg, "<path stroke=\"{stroke}\" stroke-width=\"4\" stroke-linecap=\"round\" d=\"");
        for step in played.steps.iter().filter(|step| step.stroke.direction == direction) {
            let (from, to) = (place(step.ends.0), place(step.ends.1));
            let _ = write!(svg, "M{} {}L{} {}", from.0, from.1, to.0, to.1);
        }
        svg.push_str("\"/>\n");
    }
    for point in played.variant.cross() {
        let (x, y) = place(point);
        let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"7\"/>");
    }
    svg.push_str("<g font-size=\"12\" text-anchor=\"middle\">\n");
    for (index, step) in played.steps.iter().enumerate() {
        let (x, y) = place(step.stroke.point);
        let fill = if index < given { "#ddd" } else { "#fff" };
        let _ = writeln!(
            svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"13\" fill=\"{fill}\" stroke=\"#222\"/><text x=\"{x}\" y=\"{}\">{}</text>",
            y + 4,
            index + 1
        );
    }
    svg + "</g>\n</svg>\n"
}
