//! Drawings of games as self-contained SVG pages.

use std::fmt::Write;

use crate::grid::{Grid, MAX_COLORS};
use crate::text::summary;
use crate::verify::{Cell, Verified};
use soloist_domain::svg::escape;

/// The number of small boards that [`svg_strip`] is meant for.
pub const PANELS: usize = 24;

/// Width of the page in pixels; boards are scaled to fit.
const PAGE: usize = 1200;
const MARGIN: usize = 30;
/// Free space between boards.
const GAP: usize = 24;
/// Room for row and column numbers.
const AXIS: usize = 20;
/// Side of a tile before scaling.
const TILE: usize = 10;

/// Fill and text colour of each tile colour, mostly from Paul Tol's "muted" and Okabe and Ito's schemes, which were
/// which are distinct with any colour vision. The first five, those of usual boards, also differ in lightness.
/// Fifteen colours cannot all be distinct to everybody, so every tile carries its number as well.
const PALETTE: [(&str, &str); MAX_COLORS] = [
    ("#332288", "#fff"),
    ("#f0e442", "#222"),
    ("#cc6677", "#fff"),
    ("#56b4e9", "#222"),
    ("#117733", "#fff"),
    ("#aa4499", "#fff"),
    ("#999933", "#222"),
    ("#44aa99", "#222"),
    ("#882255", "#fff"),
    ("#e69f00", "#222"),
    ("#0072b2", "#fff"),
    ("#f4f4f4", "#222"),
    ("#222222", "#fff"),
    ("#d55e00", "#fff"),
    ("#8c7a6b", "#fff"),
];

/// Draws a page on a game: title, start and final board, and up to `panels` boards at regular points with the group
/// about to be removed outlined. `label` names the instance in the title.
///
/// The first and the last move are always among the panels when there is room for two; [`PANELS`] is a good number. The
/// text is valid XML for any label and depends on nothing but the arguments.
#[must_use]
pub fn svg_strip(played: &Verified, label: &str, panels: usize) -> String {
    let (rows, cols) = (played.start.rows(), played.start.cols());
    let mut body = String::new();
    let mut y = title(&mut body, played, label);

    // Two large boards side by side, with the numbers of rows and columns.
    let room = (PAGE - 2 * MARGIN - 2 * AXIS - 2 * GAP) as f64 / 2.0;
    let scale = (room / (cols * TILE) as f64).min(480.0 / (rows * TILE) as f64).min(4.0);
    let first = played.steps.first().map_or(&[][..], |step| &step.group);
    let left = (MARGIN + AXIS) as f64;
    // Never so close that the headings touch.
    let right = left + ((cols * TILE) as f64 * scale + (2 * GAP + AXIS) as f64).max(360.0);
    let heads = [(left, "Start", counts_text(&played.start)), (right, "End", end_text(played))];
    for (x, head, note) in heads {
        text(&mut body, x, y as f64 + 16.0, 16, "bold", "#222", head);
        text(&mut body, x + 54.0, y as f64 + 16.0, 13, "normal", "#555", &note);
    }
    y += 26 + AXIS;
    for x in [left, right] {
        axes(&mut body, &played.start, (x, y as f64), scale);
    }
    board(&mut body, &played.start, (left, y as f64), scale, first, false);
    board(&mut body, played.last(), (right, y as f64), scale, &[], false);
    y += ((rows * TILE) as f64 * scale).ceil() as usize + GAP;

    let shown = chosen(played.steps.len(), panels);
    if !shown.is_empty() {
        let small = if cols * TILE > 170 { 0.8 } else { 1.0 };
        let least = ((cols * TILE) as f64 * small).max(150.0);
        let room = (PAGE - 2 * MARGIN + GAP) as f64;
        let per_row = ((room / (least + GAP as f64)).floor() as usize).clamp(1, 6);
        let pitch = room / per_row as f64;
        let scale = ((pitch - GAP as f64) / (cols * TILE) as f64).min(320.0 / (rows * TILE) as f64).min(2.0);
        let line = ((rows * TILE) as f64 * scale).ceil() as usize + 34 + 18;
        for (place, &i) in shown.iter().enumerate() {
            let step = &played.steps[i];
            let x = MARGIN as f64 + (place % per_row) as f64 * pitch;
            let top = (y + place / per_row * line) as f64;
            let head = format!("Move {} at r{:02} c{:02}", i + 1, step.row, step.col);
            text(&mut body, x, top + 12.0, 12, "bold", "#222", &head);
            let gain = format!("{} tiles, {:+} = {}", step.size, step.points, step.total);
            text(&mut body, x, top + 27.0, 12, "normal", "#222", &gain);
            board(&mut body, played.before(i), (x, top + 34.0), scale, &step.group, true);
        }
        y += shown.len().div_ceil(per_row) * line;
    }
    page(&body, y + MARGIN - 10, &used(&played.start))
}

/// Returns the drawing of one board, without a title.
#[must_use]
pub fn svg_board(grid: &Grid) -> String {
    let mut body = String::new();
    let scale = (((PAGE - 2 * MARGIN) as f64) / (grid.cols().max(grid.rows()) * TILE) as f64).min(4.0);
    board(&mut body, grid, (MARGIN as f64, MARGIN as f64), scale, &[], false);
    page(&body, (grid.rows() as f64 * TILE as f64 * scale).ceil() as usize + 2 * MARGIN, &used(grid))
}

/// The moves to show: all of them, or `panels` spread evenly with the first and the last.
fn chosen(moves: usize, panels: usize) -> Vec<usize> {
    match (moves, panels) {
        _ if moves <= panels => (0..moves).collect(),
        (_, 0) => Vec::new(),
        (_, 1) => vec![0],
        _ => (0..panels).map(|k| (k * (moves - 1) + (panels - 1) / 2) / (panels - 1)).collect(),
    }
}

/// Writes the title; returns where the rest begins.
fn title(body: &mut String, played: &Verified, label: &str) -> usize {
    const LONGEST: usize = 60;
    let mut shown: String = label.chars().take(LONGEST).collect();
    if label.chars().count() > LONGEST {
        shown.push_str("...");
    }
    let line = summary(played);
    let x = MARGIN as f64;
    text(body, x, 48.0, 24, "bold", "#222", &line);
    let size = format!("{} rows x {} columns", played.start.rows(), played.start.cols());
    let about = if shown.is_empty() { size } else { format!("{shown}, {size}") };
    let hint = "Rows (r) and columns (c) count from 0 at the top left. Outlined: the group about to be removed.";
    text(body, x, 72.0, 14, "normal", "#555", &format!("{about}. {hint}"));
    94
}

fn counts_text(grid: &Grid) -> String {
    format!("{} tiles of {} colours", grid.tiles(), used(grid).len())
}

/// The tiles left of each colour; their sum where the list would be too long.
fn end_text(played: &Verified) -> String {
    let grid = played.last();
    let (counts, colors, tiles) = (grid.counts(), used(grid), grid.tiles());
    let left = match colors.len() {
        0 => "board cleared".to_string(),
        1..=6 => {
            let parts: Vec<String> = colors.iter().map(|&c| format!("{} x {c}", counts[c])).collect();
            format!("{tiles} left: {} (tiles x colour)", parts.join(", "))
        }
        many => format!("{tiles} tiles of {many} colours left"),
    };
    match played.end_points {
        0 => left,
        points => format!("{left}, {points:+} points"),
    }
}

/// The colours on the board, ascending.
fn used(grid: &Grid) -> Vec<usize> {
    let counts = grid.counts();
    (1..=MAX_COLORS).filter(|&color| counts[color] > 0).collect()
}

/// Numbers the rows and columns of the board at `at`.
fn axes(body: &mut String, grid: &Grid, at: (f64, f64), scale: f64) {
    let side = TILE as f64 * scale;
    let size = (side * 0.7).clamp(5.0, 11.0);
    let _ = writeln!(body, "<g font-size=\"{size:.1}\" fill=\"#777\" text-anchor=\"middle\">");
    for col in 0..grid.cols() {
        let _ =
            write!(body, "<text x=\"{:.1}\" y=\"{:.1}\">{col}</text>", at.0 + (col as f64 + 0.5) * side, at.1 - 5.0);
    }
    for row in 0..grid.rows() {
        let y = at.1 + (row as f64 + 0.5) * side + size * 0.36;
        let _ = write!(body, "<text x=\"{:.1}\" y=\"{y:.1}\">{row}</text>", at.0 - 11.0);
    }
    body.push_str("\n</g>\n");
}

/// Draws a board with its top left corner at `at`, and the outline of `group`; `fade` the tiles outside of the group,
/// without which a group is hard to find on a small board.
fn board(body: &mut String, grid: &Grid, at: (f64, f64), scale: f64, group: &[Cell], fade: bool) {
    let _ = writeln!(body, "<g transform=\"translate({:.1} {:.1}) scale({scale:.4})\">", at.0, at.1);
    let (width, height) = (grid.cols() * TILE, grid.rows() * TILE);
    let _ = writeln!(body, "<rect width=\"{width}\" height=\"{height}\" fill=\"#efefef\"/>");
    for (i, &color) in grid.cells().iter().enumerate() {
        tile(body, color, (i / grid.cols(), i % grid.cols()));
    }
    if !group.is_empty() {
        if fade {
            let _ = write!(body, "<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\" opacity=\".38\"/>");
            for &cell in group {
                tile(body, grid.get(cell.0, cell.1), cell);
            }
        }
        let path = outline(group);
        // A white line under the black one keeps the outline visible on dark tiles.
        let _ = write!(body, "\n<path d=\"{path}\" class=\"tile-under\"/><path d=\"{path}\" class=\"tile-line\"/>");
    }
    body.push_str("\n</g>\n");
}

/// A tile; nothing for colour 0.
fn tile(body: &mut String, color: u8, (row, col): Cell) {
    if color != 0 {
        let _ = write!(body, "<use xlink:href=\"#tile{color}\" x=\"{}\" y=\"{}\"/>", col * TILE, row * TILE);
    }
}

/// The edges of `group` (sorted) as path commands.
fn outline(group: &[Cell]) -> String {
    let inside = |row: usize, col: usize| group.binary_search(&(row, col)).is_ok();
    let mut path = String::new();
    for &(row, col) in group {
        let (x, y) = (col * TILE, row * TILE);
        let far = (x + TILE, y + TILE);
        // Outside of row 0 or column 0 wraps to a number that is in no group.
        let edges = [
            (inside(row.wrapping_sub(1), col), format!("M{x} {y}h{TILE}")),
            (inside(row + 1, col), format!("M{x} {}h{TILE}", far.1)),
            (inside(row, col.wrapping_sub(1)), format!("M{x} {y}v{TILE}")),
            (inside(row, col + 1), format!("M{} {y}v{TILE}", far.0)),
        ];
        path.extend(edges.into_iter().filter(|(shared, _)| !shared).map(|(_, edge)| edge));
    }
    path
}

fn text(body: &mut String, x: f64, y: f64, size: usize, weight: &str, fill: &str, content: &str) {
    let content = escape(content.chars());
    let _ = writeln!(
        body,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" font-weight=\"{weight}\" fill=\"{fill}\">{content}</text>"
    );
}

fn page(body: &str, height: usize, colors: &[usize]) -> String {
    let mut svg = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"{PAGE}\" \
         height=\"{height}\" viewBox=\"0 0 {PAGE} {height}\" font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\">\n\
         <style>.tile-under{{fill:none;stroke:#fff;stroke-width:3;stroke-linecap:square}}\
         .tile-line{{fill:none;stroke:#000;stroke-width:1.5;stroke-linecap:square}}</style>\n<defs>\n"
    );
    for &color in colors {
        let (fill, ink) = PALETTE[(color - 1) % MAX_COLORS];
        let size = if color > 9 { 5.2 } else { 6.4 };
        // The same definitions in every drawing, so that several may share an HTML page.
        let _ = writeln!(
            svg,
            "<g id=\"tile{color}\"><rect x=\".3\" y=\".3\" width=\"9.4\" height=\"9.4\" rx=\"1\" fill=\"{fill}\" \
             stroke=\"#777\" stroke-width=\".2\"/><text x=\"5\" y=\"{:.2}\" font-size=\"{size}\" text-anchor=\"middle\" \
             fill=\"{ink}\">{color}</text></g>",
            5.0 + size * 0.36
        );
    }
    let _ = write!(svg, "</defs>\n<rect width=\"{PAGE}\" height=\"{height}\" fill=\"#fff\"/>\n{body}</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Penalty};
    use crate::solution::Solution;
    use crate::verify::play;

    #[test]
    fn panels_are_spread_evenly() {
        assert!(chosen(0, 24).is_empty());
        assert_eq!(chosen(3, 24), [0, 1, 2]);
        assert!(chosen(5, 0).is_empty());
        assert_eq!(chosen(5, 1), [0]);
        assert_eq!(chosen(9, 3), [0, 4, 8]);
        for moves in 0..200 {
            let shown = chosen(moves, PANELS);
            assert!(shown.len() == moves.min(PANELS) && shown.is_sorted_by(|a, b| a < b), "{moves}: {shown:?}");
            assert!(moves == 0 || (shown[0] == 0 && shown[shown.len() - 1] == moves - 1));
        }
    }

    #[test]
    fn outline_has_the_outer_edges_only() {
        // Two tiles side by side: six unit edges.
        assert_eq!(outline(&[(0, 0), (0, 1)]).matches('M').count(), 6);
        // A ring of eight: twelve outside, four inside.
        let ring: Vec<Cell> = (0..9).filter(|&i| i != 4).map(|i| (i / 3, i % 3)).collect();
        assert_eq!(outline(&ring).matches('M').count(), 16);
    }

    #[test]
    fn labels_cannot_break_the_page() {
        let grid = Grid::new(1, 2, vec![1, 1]).unwrap();
        let played = play(&grid, Game::SameGame, Penalty::None, &Solution::of_moves([(0, 0)]).moves).unwrap();
        let svg = svg_strip(&played, "<a & \"b\">\u{0}\u{1b}\n", PANELS);
        assert!(svg.contains("&lt;a &amp; &quot;b&quot;&gt;\u{fffd}\u{fffd}\u{fffd}"), "{svg}");
        assert_eq!(svg, svg_strip(&played, "<a & \"b\">\u{0}\u{1b}\n", PANELS));
        assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
        assert!(svg_board(&grid).ends_with("</svg>\n"));
    }
}
