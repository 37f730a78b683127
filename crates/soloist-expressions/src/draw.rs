//! Draws an order: the cost of each variable, as a table and as a picture.

use crate::algebra::{Counts, Signs, System};
use crate::verify::{LevelCounts, recount};
use serde_json::Value;
use soloist_domain::svg::{escape, page};
use std::fmt::Write as _;

/// The levels are counted for systems with at most this many terms.
const MAX_TERMS: usize = 300_000;
/// The most levels that are shown.
const MAX_LEVELS: usize = 200;
/// The most characters of a name that are shown.
const NAME: usize = 24;

/// The order of a solution, completed. Names that are no symbols are left out.
fn order(system: &System, solution: &Value) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    for name in solution.get("order").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if let Some(symbol) = system.symbols().iter().position(|symbol| symbol == name)
            && !order.contains(&symbol)
        {
            order.push(symbol);
        }
    }
    order.extend((0..system.symbols().len()).filter(|symbol| !order.contains(symbol)).collect::<Vec<_>>());
    order
}

fn levels(system: &System, order: &[usize], signs: Signs) -> Option<LevelCounts> {
    (system.terms() <= MAX_TERMS).then(|| recount(system, order, signs))
}

fn short(name: &str) -> String {
    let mut text: String = name.chars().take(NAME).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if name.chars().count() > NAME {
        text.push('…');
    }
    text
}

/// A summary line and a table of the levels, outermost first.
pub(super) fn text(system: &System, solution: &Value, signs: Signs) -> String {
    if solution.is_null() {
        return "no solution\n".into();
    }
    let order = order(system, solution);
    let names: Vec<String> = order.iter().map(|&symbol| short(&system.symbols()[symbol])).collect();
    let input = system.counts();
    let mut text = String::new();
    // Writing to a string cannot fail.
    let Some(found) = levels(system, &order, signs) else {
        let _ = writeln!(text, "order, outermost first: {}", names.join(","));
        return text;
    };
    let counts = found.counts();
    let _ = writeln!(
        text,
        "{} operations after common sub-expressions ({counts}), input {} ({input})",
        counts.total(),
        input.total()
    );
    let _ = writeln!(text, "order, outermost first: {}", names.join(","));
    let _ = writeln!(text, "{:>24} {:>9} {:>9} {:>9}", "variable", "+", "*", "powers");
    for (name, level) in names.iter().zip(&found.levels).take(MAX_LEVELS) {
        let _ = writeln!(
            text,
            "{name:>24} {:>9} {:>9} {:>9}",
            level.additions, level.multiplications, level.power_multiplications
        );
    }
    if names.len() > MAX_LEVELS {
        let _ = writeln!(text, "{:>24}", format!("... {} more", names.len() - MAX_LEVELS));
    }
    text
}

/// A bar for each level, outermost on top: the additions and multiplications that the extraction of the variable adds.
pub(super) fn svg(system: &System, solution: &Value, signs: Signs) -> String {
    const LEFT: f64 = 190.0;
    const WIDTH: f64 = 650.0;
    const ROW: f64 = 22.0;
    const TOP: f64 = 70.0;
    let order = order(system, solution);
    let found = levels(system, &order, signs).unwrap_or_default();
    let shown = found.levels.len().min(MAX_LEVELS);
    let height = TOP + ROW * shown as f64 + 40.0;
    let total = found.counts().total();
    let most = found.levels.iter().map(Counts::total).max().unwrap_or(1).max(1) as f64;
    let mut svg = page(960, height, 14);
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<text x=\"20\" y=\"28\" font-size=\"18\">Horner scheme: {total} operations, {} in the input</text>\n\
         <text x=\"20\" y=\"52\">operations that each variable adds, outermost on top; blue: additions, orange: multiplications, powers</text>",
        system.counts().total()
    );
    for (at, (level, &symbol)) in found.levels.iter().zip(&order).take(shown).enumerate() {
        let y = TOP + ROW * at as f64;
        let name = escape(short(&system.symbols()[symbol]).chars());
        let additions = level.additions as f64 / most * WIDTH;
        let rest = (level.total() - level.additions) as f64 / most * WIDTH;
        let (text, end) = (y + 15.0, LEFT + additions + rest + 6.0);
        let bar = ROW - 4.0;
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{text:.1}\" text-anchor=\"end\">{name}</text>\n\
             <rect x=\"{LEFT:.1}\" y=\"{y:.1}\" width=\"{additions:.2}\" height=\"{bar:.1}\" fill=\"#0072b2\"/>\n\
             <rect x=\"{:.2}\" y=\"{y:.1}\" width=\"{rest:.2}\" height=\"{bar:.1}\" fill=\"#e69f00\"/>\n\
             <text x=\"{end:.2}\" y=\"{text:.1}\">{}</text>",
            LEFT - 8.0,
            LEFT + additions,
            level.total()
        );
    }
    svg.push_str("</svg>\n");
    svg
}
