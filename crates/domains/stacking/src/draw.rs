//! Solutions for people: a table of movements and the stacks over time.

use super::Yard;
use serde_json::Value;
use soloist_domain::svg::{escape, page};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Rows that a table shows at most.
const ROWS: usize = 200;
/// Stays of items that a picture shows one by one; more are shown as the heights of the stacks.
const STAYS: usize = 20_000;

/// A movement, as far as it makes sense: time, item, from, to.
type Row = (u64, u64, Option<usize>, Option<usize>);

fn movements(yard: &Yard, solution: &Value) -> Vec<Row> {
    let stack =
        |value: &Value| value.as_u64().and_then(|stack| usize::try_from(stack).ok()).filter(|&s| s < yard.width());
    let list = solution.get("movements").and_then(Value::as_array);
    let row =
        |row: &Value| Some((row.get(0)?.as_u64()?, row.get(1)?.as_u64()?, stack(row.get(2)?), stack(row.get(3)?)));
    list.into_iter().flatten().filter_map(row).collect()
}

/// Returns a summary line and a table of the movements, at most 200 of them.
#[must_use]
pub fn text(yard: &Yard, solution: &Value) -> String {
    if solution.is_null() {
        return "no solution\n".into();
    }
    let rows = movements(yard, solution);
    let relocations = rows.iter().filter(|row| row.2.is_some() && row.3.is_some()).count();
    let (width, count) = (yard.width(), yard.items().len());
    let mut text = format!("{relocations} relocations, {count} items, {width} stacks (counted from 0)\n");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{:>10} {:>10} {:>8} {:>8}", "time", "item", "from", "to");
    let name = |stack: Option<usize>| stack.map_or("-".into(), |stack| stack.to_string());
    for &(time, item, from, to) in rows.iter().take(ROWS) {
        let _ = writeln!(text, "{time:>10} {item:>10} {:>8} {:>8}", name(from), name(to));
    }
    if rows.len() > ROWS {
        let _ = writeln!(text, "       ... and {} more", rows.len() - ROWS);
    }
    text
}

/// An item on a stack for a time.
struct Stay {
    stack: usize,
    level: usize,
    item: u64,
    from: f64,
    to: f64,
    relocated: bool,
}

/// Where every item lay and when; and the highest level.
fn stays(yard: &Yard, rows: &[Row], when: &dyn Fn(usize) -> f64) -> (Vec<Stay>, usize) {
    let number = |&item: &usize| (yard.items()[item].number, 0.0);
    let mut stacks: Vec<Vec<(u64, f64)>> = yard.initial().iter().map(|own| own.iter().map(number).collect()).collect();
    let (mut stays, mut most) = (Vec::new(), yard.highest());
    for (index, &(_, item, from, to)) in rows.iter().enumerate() {
        let now = when(index);
        if let Some(stack) = from
            && let Some((item, since)) = stacks[stack].pop()
        {
            stays.push(Stay { stack, level: stacks[stack].len(), item, from: since, to: now, relocated: to.is_some() });
        }
        if let Some(stack) = to {
            stacks[stack].push((item, now));
            most = most.max(stacks[stack].len());
        }
    }
    (stays, most)
}

/// Draws the stacks over time: a band for each stack, a bar for each stay of an item, at its level, coloured by its due
/// date from yellow (early) to blue (late); a red end is a relocation. Time goes by dates; without arrivals by
/// movements.
#[must_use]
pub fn svg(yard: &Yard, solution: &Value) -> String {
    const WIDTH: f64 = 1100.0;
    const LEFT: f64 = 50.0;
    const TOP: f64 = 50.0;
    let rows = movements(yard, solution);
    let relocations = rows.iter().filter(|row| row.2.is_some() && row.3.is_some()).count();
    let arrivals = yard.items().iter().any(|item| item.release.is_some());
    let first = rows.first().map_or(0, |row| row.0) as f64;
    let last = rows.iter().map(|row| row.0).max().unwrap_or(1) as f64;
    // Where many things move on a few dates, each movement takes a step.
    let when = |index: usize| {
        if arrivals {
            (rows[index].0 as f64 - first) / (last - first).max(1.0)
        } else {
            (index + 1) as f64 / rows.len() as f64
        }
    };
    let (stays, most) = stays(yard, &rows, &when);
    let most = most.max(1) as f64;
    let unit = (900.0 / (yard.width() as f64 * (most + 1.0))).clamp(0.2, 14.0);
    let band = unit * (most + 1.0);
    let height = TOP + band * yard.width() as f64 + 40.0;
    let mut svg = page(LEFT + WIDTH + 20.0, format!("{height:.1}"), 12);
    let name: String = yard.name().chars().take(60).collect();
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"28\" font-size=\"18\">{}: {relocations} relocations, {} items, {} stacks</text>",
        escape(name.chars()),
        yard.items().len(),
        yard.width()
    );
    let base = |stack: usize| TOP + band * (stack + 1) as f64;
    for stack in 0..yard.width() {
        let y = base(stack);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{}\" y2=\"{y:.1}\" stroke=\"#888888\" stroke-width=\"0.5\"/>",
            LEFT + WIDTH
        );
        if band >= 10.0 {
            let _ = writeln!(svg, "<text x=\"{}\" y=\"{y:.1}\" text-anchor=\"end\">{stack}</text>", LEFT - 6.0);
        }
    }
    let dues: BTreeMap<u64, u64> = yard.items().iter().map(|item| (item.number, item.due)).collect();
    let (early, late) =
        (dues.values().min().copied().unwrap_or(0) as f64, dues.values().max().copied().unwrap_or(1) as f64);
    if stays.len() <= STAYS {
        for stay in stays.iter().filter(|stay| stay.to > stay.from) {
            let part = dues.get(&stay.item).map_or(0.0, |&due| (due as f64 - early) / (late - early).max(1.0));
            let color = |from: f64, to: f64| (from + (to - from) * part) as u8;
            let (x, width) = (LEFT + WIDTH * stay.from, WIDTH * (stay.to - stay.from));
            let y = base(stay.stack) - unit * (stay.level + 1) as f64;
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{unit:.2}\" fill=\"#{:02x}{:02x}{:02x}\"/>",
                color(250.0, 30.0),
                color(220.0, 60.0),
                color(90.0, 150.0)
            );
            if stay.relocated {
                let end = LEFT + WIDTH * stay.to;
                let _ = writeln!(
                    svg,
                    "<line x1=\"{end:.2}\" y1=\"{y:.2}\" x2=\"{end:.2}\" y2=\"{:.2}\" stroke=\"#d00000\" stroke-width=\"0.8\"/>",
                    y + unit
                );
            }
        }
    } else {
        heights(&mut svg, yard, &rows, &when, &base, (LEFT, WIDTH, unit));
    }
    let axis = if arrivals { "time" } else { "movements" };
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"{:.1}\">{axis} from left to right; yellow items leave early, blue ones late; red: relocated</text>\n</svg>",
        height - 12.0
    );
    svg
}

/// The heights of the stacks over time, where there are too many stays to show.
fn heights(
    svg: &mut String,
    yard: &Yard,
    rows: &[Row],
    when: &dyn Fn(usize) -> f64,
    base: &dyn Fn(usize) -> f64,
    (left, width, unit): (f64, f64, f64),
) {
    const STEPS: usize = 1000;
    let mut heights: Vec<usize> = yard.initial().iter().map(Vec::len).collect();
    let mut lines = vec![String::new(); yard.width()];
    let mut index = 0;
    for step in 0..=STEPS {
        let now = step as f64 / STEPS as f64;
        while index < rows.len() && when(index) <= now {
            if let Some(stack) = rows[index].2 {
                heights[stack] = heights[stack].saturating_sub(1);
            }
            if let Some(stack) = rows[index].3 {
                heights[stack] += 1;
            }
            index += 1;
        }
        for (stack, line) in lines.iter_mut().enumerate() {
            let _ = write!(line, "{:.1},{:.1} ", left + width * now, base(stack) - unit * heights[stack] as f64);
        }
    }
    for (stack, line) in lines.iter().enumerate() {
        let (end, y) = (left + width, base(stack));
        let _ = writeln!(svg, "<polygon points=\"{left:.1},{y:.1} {line}{end:.1},{y:.1}\" fill=\"#0072b2\"/>");
    }
}
