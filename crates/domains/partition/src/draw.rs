//! Partitions for people: two sides as text and as bars.

use super::Numbers;
use num_bigint::BigUint;
use serde_json::Value;
use soloist_domain::svg::{escape, page};
use std::fmt::Write as _;

/// Which numbers are on the left side; places that make no sense are left out.
fn left(numbers: &Numbers, solution: &Value) -> Vec<bool> {
    let mut left = vec![false; numbers.values().len()];
    let places = solution.get("left").and_then(Value::as_array);
    for place in places.into_iter().flatten().filter_map(Value::as_u64) {
        if let Some(flag) = usize::try_from(place).ok().and_then(|place| left.get_mut(place)) {
            *flag = true;
        }
    }
    left
}

fn sums(numbers: &Numbers, left: &[bool]) -> [BigUint; 2] {
    [true, false]
        .map(|side| numbers.values().iter().zip(left).filter(|&(_, &own)| own == side).map(|(value, _)| value).sum())
}

fn difference(sums: &[BigUint; 2]) -> BigUint {
    if sums[0] < sums[1] { &sums[1] - &sums[0] } else { &sums[0] - &sums[1] }
}

/// Returns a summary, the sums with their difference, and the places of the numbers on each side.
pub(super) fn text(numbers: &Numbers, solution: &Value) -> String {
    if solution.is_null() {
        return "no solution\n".into();
    }
    let left = left(numbers, solution);
    let sums = sums(numbers, &left);
    let difference = difference(&sums);
    let width = sums.iter().map(|sum| sum.to_string().len()).max().unwrap_or(1);
    let mut text = format!("{} numbers, difference {difference} ({} bits)\n", left.len(), difference.bits());
    for (name, sum) in ["left", "right"].into_iter().zip(&sums) {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "{name:<10} {sum:>width$}");
    }
    let _ = writeln!(text, "difference {difference:>width$}");
    for (name, side) in [("left", true), ("right", false)] {
        let places: Vec<String> = (0..left.len()).filter(|&at| left[at] == side).map(|at| at.to_string()).collect();
        let _ = writeln!(text, "{name}: {}", places.join(" "));
    }
    text.push_str("(numbers counted from 0 in the order of the file)\n");
    text
}

/// Draws the two sides as bars of their numbers, the largest first, on one scale; below them the leading digits of the
/// sums, those that both share in grey.
pub(super) fn svg(numbers: &Numbers, solution: &Value) -> String {
    const WIDTH: f64 = 900.0;
    let left = left(numbers, solution);
    let sums = sums(numbers, &left);
    let difference = difference(&sums);
    let most = sums.iter().max().cloned().unwrap_or_default();
    // Doubles of the leading bits: lengths need no more.
    let cut = most.bits().saturating_sub(1000);
    let size = |value: &BigUint| {
        let value = value >> cut;
        let low = value.bits().saturating_sub(64);
        (value >> low).iter_u64_digits().next().unwrap_or(0) as f64 * libm::exp2(low as f64)
    };
    let scale = WIDTH / size(&most).max(1.0);
    let mut svg = page(960, 330, 14);
    let _ = writeln!(
        svg,
        "<text x=\"30\" y=\"30\" font-size=\"18\">{} numbers, difference of {} bits, sums of {} bits</text>",
        left.len(),
        difference.bits(),
        most.bits()
    );
    for (row, (side, name, color)) in [(true, "left", "#0072b2"), (false, "right", "#d55e00")].into_iter().enumerate() {
        let y = 60.0 + 90.0 * row as f64;
        let mut own: Vec<&BigUint> =
            numbers.values().iter().zip(&left).filter(|&(_, &own)| own == side).map(|(value, _)| value).collect();
        soloist::order::sort_by(&mut own, |a, b| b.cmp(a));
        let _ = writeln!(svg, "<text x=\"30\" y=\"{}\">{name}: {} numbers</text>", y + 6.0, own.len());
        let mut x = 30.0;
        for value in own {
            let width = size(value) * scale;
            let line = (width / 8.0).min(1.0);
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.2}\" y=\"{:.2}\" width=\"{width:.2}\" height=\"50\" fill=\"{color}\" stroke=\"#ffffff\" stroke-width=\"{line:.2}\"/>",
                y + 14.0
            );
            x += width;
        }
    }
    let digits = sums.each_ref().map(BigUint::to_string);
    let width = digits[0].len().max(digits[1].len());
    let padded = digits.each_ref().map(|text| format!("{text:>width$}"));
    let shared = padded[0].bytes().zip(padded[1].bytes()).take_while(|(a, b)| a == b).count();
    for (row, text) in padded.iter().enumerate() {
        let shown = |from: usize, to: usize| escape(text[from.min(text.len())..to.min(text.len())].chars());
        // What does not fit on the page is cut off; the digits that both share are one colour.
        let (same, other) = (shown(0, shared.min(100)), shown(shared.min(100), 100));
        let dots = if width > 100 { "..." } else { "" };
        let _ = writeln!(
            svg,
            "<text x=\"30\" y=\"{}\" font-family=\"monospace\" font-size=\"14\" xml:space=\"preserve\"><tspan fill=\"#999999\">{same}</tspan>{other}{dots}</text>",
            270 + 24 * row
        );
    }
    svg.push_str("</svg>\n");
    svg
}
