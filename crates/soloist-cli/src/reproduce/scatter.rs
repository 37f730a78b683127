//! The scatter plots of a direction as one SVG: a row for each method, a column for each number of updates.

use super::data::Sample;
use super::sensitivity::{Facing, LARGEST_CP, LEAST_CP, Study};
use super::summary::{Figures, Summary};
use soloist_problems::svg::{escape, page};
use std::fmt::Write;

/// Sizes in pixels: a panel without its labels, the space between panels and around them.
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 210.0;
const GAP_X: f64 = 22.0;
const GAP_Y: f64 = 34.0;
const LEFT: f64 = 74.0;
const TOP: f64 = 76.0;
const RIGHT: f64 = 18.0;
const BOTTOM: f64 = 62.0;
/// Points lie on a grid of half pixels.
const GRID: f64 = 2.0;

/// Draws the samples of a direction, with medians and intervals.
pub(crate) fn draw(study: &Study, samples: &[Sample], summary: &Summary, direction: Facing) -> String {
    let columns = study.updates.len();
    let panels: Vec<(usize, &Figures)> =
        summary.panels.iter().enumerate().filter(|(_, figures)| figures.panel.direction == direction).collect();
    let rows = panels.len().div_ceil(columns);
    let width = LEFT + RIGHT + columns as f64 * WIDTH + (columns - 1) as f64 * GAP_X;
    let height = TOP + BOTTOM + rows as f64 * HEIGHT + rows.saturating_sub(1) as f64 * GAP_Y;
    let all = || samples.iter().flat_map(|sample| panels.iter().map(|&(at, _)| sample.operations[at] as f64));
    let axis = Axis::new(all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let mut svg = page(width, height, 12);
    let mut put = |text: std::fmt::Arguments<'_>| {
        let _ = svg.write_fmt(text);
        svg.push('\n');
    };
    put(format_args!(
        "<text x=\"{LEFT}\" y=\"26\" font-size=\"17\">{}: operations over Cp, {} Horner orders</text>",
        escape(study.instance.chars()),
        direction.name()
    ));
    put(format_args!(
        "<text x=\"{LEFT}\" y=\"46\" fill=\"#666\">{} samples a panel; line: median of each bin; shaded: the interval of \
         near-optimal medians</text>",
        samples.len()
    ));
    for (place, &(at, figures)) in panels.iter().enumerate() {
        let x0 = LEFT + (place % columns) as f64 * (WIDTH + GAP_X);
        let y0 = TOP + (place / columns) as f64 * (HEIGHT + GAP_Y);
        let color = if figures.panel.cooled { "#b5442c" } else { "#2c5fa8" };
        let (is_left, is_bottom) = (place % columns == 0, place / columns + 1 == rows);
        put(format_args!("<g transform=\"translate({x0} {y0})\">"));
        if let Some(interval) = figures.interval {
            let (from, to) = (across(interval.low), across(interval.high));
            put(format_args!(
                "<rect x=\"{from:.1}\" y=\"0\" width=\"{:.1}\" height=\"{HEIGHT}\" fill=\"{color}\" fill-opacity=\".12\"/>",
                to - from
            ));
        }
        put(format_args!("{}", grid(&axis, is_left, is_bottom)));
        let points = samples.iter().map(|sample| (across(sample.cp), axis.down(sample.operations[at] as f64)));
        put(format_args!(
            "<path transform=\"scale({})\" d=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-opacity=\".4\" \
             stroke-width=\"3.6\" stroke-linecap=\"round\"/>",
            1.0 / GRID,
            dots(points)
        ));
        put(format_args!(
            "<path d=\"{}\" fill=\"none\" stroke=\"#111\" stroke-width=\"1.3\"/>",
            medians(figures, &axis)
        ));
        put(format_args!("<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"#444\"/>"));
        put(format_args!(
            "<text x=\"0\" y=\"-7\" font-weight=\"bold\" fill=\"{color}\">{}, N = {}</text>",
            figures.panel.method(),
            figures.panel.updates
        ));
        if let Some(interval) = figures.interval {
            put(format_args!(
                "<text x=\"{WIDTH}\" y=\"-7\" text-anchor=\"end\" fill=\"#666\">{:.2} to {:.2}</text>",
                interval.low, interval.high
            ));
        }
        put(format_args!("</g>"));
    }
    let (x, y) = (LEFT + (width - LEFT - RIGHT) / 2.0, height - 16.0);
    put(format_args!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">exploration constant Cp</text>"));
    let y = TOP + (height - TOP - BOTTOM) / 2.0;
    put(format_args!("<text transform=\"translate(18 {y}) rotate(-90)\" text-anchor=\"middle\">operations</text>"));
    put(format_args!("</svg>"));
    svg
}

/// The place of a value of Cp in a panel.
fn across(cp: f64) -> f64 {
    (cp / LEAST_CP).log10() / (LARGEST_CP / LEAST_CP).log10() * WIDTH
}

/// The axis of operations.
struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    /// An axis of five to ten round steps that encloses both ends.
    fn new(low: f64, high: f64) -> Self {
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let rough = ((high - low) / 5.0).max(1.0);
        let power = 10.0_f64.powf(rough.log10().floor());
        let step =
            [1.0, 2.0, 5.0].into_iter().rev().map(|unit| unit * power).find(|&step| step <= rough).unwrap_or(power);
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        Self { low, high: high.max(low + step), step }
    }

    fn down(&self, operations: f64) -> f64 {
        HEIGHT * (1.0 - (operations - self.low) / (self.high - self.low))
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        (0..=((self.high - self.low) / self.step).round() as u32).map(|at| self.low + f64::from(at) * self.step)
    }
}

/// Draws the lines and labels behind the points.
fn grid(axis: &Axis, is_left: bool, is_bottom: bool) -> String {
    let mut lines = String::new();
    let mut labels = String::new();
    for value in axis.ticks() {
        let y = axis.down(value);
        let _ = write!(lines, "M0 {y:.1}H{WIDTH}");
        if is_left {
            let _ = write!(labels, "<text x=\"-7\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>", y + 4.0);
        }
    }
    let mut minor = String::new();
    for decade in -2..=1 {
        for digit in 1..10 {
            let cp = f64::from(digit) * 10.0_f64.powi(decade);
            if cp > LARGEST_CP * 1.001 {
                continue;
            }
            let x = across(cp);
            if digit > 1 {
                let _ = write!(minor, "M{x:.1} {HEIGHT}v-4");
                continue;
            }
            let _ = write!(lines, "M{x:.1} 0V{HEIGHT}");
            if is_bottom {
                let y = HEIGHT + 17.0;
                let text = if decade < 0 { format!("{cp:.*}", -decade as usize) } else { format!("{cp:.0}") };
                // The outermost labels stay inside the panel, so that they do not touch those of the next one.
                let anchor = if cp < LEAST_CP * 1.001 {
                    "start"
                } else if cp > LARGEST_CP * 0.999 {
                    "end"
                } else {
                    "middle"
                };
                let _ = write!(labels, "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"{anchor}\">{text}</text>");
            }
        }
    }
    format!(
        "<path d=\"{lines}\" stroke=\"#ddd\" fill=\"none\"/><path d=\"{minor}\" stroke=\"#444\" fill=\"none\"/>{labels}"
    )
}

/// Draws the dots as one path of relative moves, each place once.
fn dots(points: impl Iterator<Item = (f64, f64)>) -> String {
    let place = |value: f64| (value * GRID).round() as i32;
    let mut places: Vec<(i32, i32)> = points.map(|(x, y)| (place(x), place(y))).collect();
    places.sort_unstable();
    places.dedup();
    let (mut path, mut last) = (String::new(), (0, 0));
    for (x, y) in places {
        let (dx, dy) = (x - last.0, y - last.1);
        let _ = if dy < 0 { write!(path, "m{dx}{dy}h0") } else { write!(path, "m{dx} {dy}h0") };
        last = (x, y);
    }
    path
}

/// Draws a line through the medians of the bins at their middles. Empty bins interrupt the line.
fn medians(figures: &Figures, axis: &Axis) -> String {
    let (mut path, mut is_open) = (String::new(), false);
    for bin in &figures.bins {
        let Some(median) = bin.median else {
            is_open = false;
            continue;
        };
        let x = across((bin.low * bin.high).sqrt());
        let _ = write!(path, "{}{x:.1} {:.1}", if is_open { 'L' } else { 'M' }, axis.down(median));
        is_open = true;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_enclose_what_they_show() {
        for (low, high) in [(13_000.0, 22_000.0), (5.0, 5.0), (11_304.0, 31_817.0), (0.0, 3.0)] {
            let axis = Axis::new(low, high);
            let ticks: Vec<f64> = axis.ticks().collect();
            assert!((2..=12).contains(&ticks.len()), "{ticks:?}");
            assert!(axis.low <= low && axis.high >= high && axis.high == *ticks.last().unwrap(), "{ticks:?}");
            assert!(ticks.iter().all(|tick| tick.fract() == 0.0), "{ticks:?}");
        }
        assert!(Axis::new(f64::INFINITY, 0.0).high > 0.0);
    }

    #[test]
    fn dots_are_relative_and_each_place_is_drawn_once() {
        let points = [(1.0, 5.0), (0.5, 2.0), (1.01, 5.01), (2.0, 1.0)];
        assert_eq!(dots(points.into_iter()), "m1 4h0m1 6h0m2-8h0");
    }
}
