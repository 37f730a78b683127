//! Packings for people: a table and a picture.

use super::Sack;
use serde_json::Value;
use soloist_domain::svg::page;
use std::fmt::Write as _;

/// Rows that a table shows at most.
const ROWS: usize = 100;
/// Bars that a picture shows at most; more items share bars.
const BARS: usize = 1000;

/// Which items a solution packs; numbers that make no sense are left out.
fn packed(sack: &Sack, solution: &Value) -> Vec<bool> {
    let mut packed = vec![false; sack.items().len()];
    let items = solution.get("items").and_then(Value::as_array);
    for index in items.into_iter().flatten().filter_map(Value::as_u64) {
        if let Some(flag) = usize::try_from(index).ok().and_then(|index| packed.get_mut(index)) {
            *flag = true;
        }
    }
    packed
}

/// Returns a summary line and a table of the packed items, at most 100 of them.
#[must_use]
pub fn text(sack: &Sack, solution: &Value) -> String {
    if solution.is_null() {
        return "no solution\n".into();
    }
    let packed = packed(sack, solution);
    let items: Vec<usize> = (0..packed.len()).filter(|&index| packed[index]).collect();
    let value: u64 = items.iter().map(|&index| sack.items()[index].value).sum();
    let weight: u64 = items.iter().map(|&index| sack.items()[index].weight).sum();
    let (count, all, capacity) = (items.len(), packed.len(), sack.capacity());
    let mut text = format!("value {value}, weight {weight} of {capacity}, {count} of {all} items (counted from 0)\n");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{:>8} {:>16} {:>16}", "item", "value", "weight");
    for &index in items.iter().take(ROWS) {
        let item = sack.items()[index];
        let _ = writeln!(text, "{index:>8} {:>16} {:>16}", item.value, item.weight);
    }
    if count > ROWS {
        let _ = writeln!(text, "     ... and {} more", count - ROWS);
    }
    text
}

/// Draws the items side by side by falling value per weight: width is weight, height is value per weight, so that area
/// is value; packed items are filled. A dashed line marks the capacity: a packing that is not greedy leaves gaps before
/// it.
#[must_use]
pub fn svg(sack: &Sack, solution: &Value) -> String {
    const WIDTH: f64 = 920.0;
    const HEIGHT: f64 = 300.0;
    const LEFT: f64 = 20.0;
    const TOP: f64 = 60.0;
    let packed = packed(sack, solution);
    let mut order: Vec<usize> = (0..packed.len()).filter(|&index| sack.items()[index].weight > 0).collect();
    soloist::order::sort_by(&mut order, |&a, &b| {
        let (a, b) = (sack.items()[a], sack.items()[b]);
        (u128::from(b.value) * u128::from(a.weight)).cmp(&(u128::from(a.value) * u128::from(b.weight)))
    });
    let sum = |pick: &dyn Fn(usize) -> u64| (0..packed.len()).map(pick).sum::<u64>();
    let all = sum(&|index| sack.items()[index].weight).max(1) as f64;
    let value = sum(&|index| if packed[index] { sack.items()[index].value } else { 0 });
    let weight = sum(&|index| if packed[index] { sack.items()[index].weight } else { 0 });
    let count = packed.iter().filter(|&&flag| flag).count();
    let (all_items, capacity) = (packed.len(), sack.capacity());
    let group = order.len().div_ceil(BARS).max(1);
    // A few items of huge ratio must not flatten the others: the scale ends at the ratio of the first tenth of the
    // weight.
    let mut reach = 0.0;
    let top = order.iter().copied().find(|&index| {
        reach += sack.items()[index].weight as f64;
        reach >= all / 10.0
    });
    let ratio = |index: usize| sack.items()[index].value as f64 / sack.items()[index].weight as f64;
    let scale = HEIGHT / (top.map_or(1.0, ratio) * 1.25).max(f64::MIN_POSITIVE);
    let mut svg = page(960, 420, 14);
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<text x=\"20\" y=\"28\" font-size=\"18\">knapsack: value {value}, weight {weight} of {capacity}, {count} of {all_items} items</text>"
    );
    let mut x = LEFT;
    for bar in order.chunks(group) {
        let total = |pick: &dyn Fn(usize) -> u64| bar.iter().map(|&index| pick(index)).sum::<u64>() as f64;
        let weight = total(&|index| sack.items()[index].weight);
        let filled = total(&|index| if packed[index] { sack.items()[index].weight } else { 0 });
        let height = (total(&|index| sack.items()[index].value) / weight * scale).min(HEIGHT);
        let (width, full, y) = (weight / all * WIDTH, filled / all * WIDTH, TOP + HEIGHT - height);
        let line = (width / 8.0).min(1.0);
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"#eeeeee\" stroke=\"#888888\" stroke-width=\"{line:.2}\"/>"
        );
        if full > 0.0 {
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{full:.2}\" height=\"{height:.2}\" fill=\"#0072b2\" stroke=\"#ffffff\" stroke-width=\"{line:.2}\"/>"
            );
        }
        x += width;
    }
    let limit = LEFT + (sack.capacity() as f64 / all * WIDTH).min(WIDTH);
    let (bottom, base) = (TOP + HEIGHT, TOP + HEIGHT + 24.0);
    let _ = writeln!(
        svg,
        "<line x1=\"{limit:.2}\" y1=\"{TOP}\" x2=\"{limit:.2}\" y2=\"{}\" stroke=\"#d55e00\" stroke-width=\"2\" stroke-dasharray=\"6 4\"/>\n\
         <text x=\"20\" y=\"{base}\">width: weight, height: value per weight, filled: packed, dashed line: the capacity (the tallest bars are cut)</text>\n</svg>",
        bottom + 6.0
    );
    svg
}
