//! Figures with lines: panels side by side, each with its axes, on one SVG page.

use soloist_domain::svg::{escape, page};
use std::fmt::Write;

/// Sizes in pixels: a panel without its labels, the space between panels and around them.
const WIDTH: f64 = 330.0;
const HEIGHT: f64 = 200.0;
const GAP_X: f64 = 70.0;
const GAP_Y: f64 = 66.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 22.0;
const TOP: f64 = 58.0;
const BOTTOM: f64 = 52.0;
/// Height of a line of the legend.
const ENTRY: f64 = 18.0;
/// Colours that people with any kind of colour vision tell apart.
///
/// # References
/// M. Okabe and K. Ito, "Color universal design", 2008.
const COLORS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
/// Dashes of the lines that share a colour.
const DASHES: [&str; 4] = ["", "6 3", "2 3", "8 3 2 3"];

/// A figure.
#[derive(Debug)]
pub(crate) struct Figure {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    /// Names of the lines, by their number.
    pub(crate) legend: Vec<String>,
    /// Panels of a row.
    pub(crate) columns: usize,
    pub(crate) panels: Vec<Panel>,
}

/// A pair of axes with lines.
#[derive(Debug)]
pub(crate) struct Panel {
    pub(crate) title: String,
    /// What the horizontal axis measures.
    pub(crate) label: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) lines: Vec<Line>,
}

/// A line of a panel, with a band around it.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// Its number in the legend, which decides colour and dashes.
    pub(crate) number: usize,
    pub(crate) points: Vec<(f64, f64)>,
    /// Lower and upper ends over places.
    pub(crate) band: Vec<(f64, f64, f64)>,
    /// Whether the points are marked.
    pub(crate) marked: bool,
}

/// An axis with round ticks.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// A linear axis of a few round steps that encloses both ends.
    pub(crate) fn linear(low: f64, high: f64) -> Self {
        let (low, high) = if low.is_finite() && high.is_finite() && low <= high { (low, high) } else { (0.0, 1.0) };
        let span = if high - low > 0.0 { high - low } else { low.abs().max(1.0) * 1e-3 };
        let rough = span / 5.0;
        let power = 10.0_f64.powf(rough.log10().floor());
        let units = [1.0, 2.0, 5.0, 10.0];
        let step = units.into_iter().map(|unit| unit * power).find(|&step| step >= rough * 0.999);
        Self::steps(low, low + span, step.unwrap_or(10.0 * power))
    }

    /// A linear axis of whole numbers from 0 to `last`.
    pub(crate) fn counts(last: usize) -> Self {
        let last = last.max(1) as f64;
        let Self { ticks, .. } = Self::linear(0.0, last);
        let step = ticks[1].0 - ticks[0].0;
        Self { high: last, ..Self::steps(0.0, last, step.max(1.0)) }.within()
    }

    /// Without ticks beyond the ends.
    fn within(mut self) -> Self {
        let (low, high) = (self.low, self.high);
        self.ticks.retain(|(value, _)| (low..=high).contains(value));
        self
    }

    fn steps(low: f64, high: f64, step: f64) -> Self {
        let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
        let count = (last - first).clamp(1.0, 50.0) as u32;
        let digits = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        let tick = |at: u32| (first + f64::from(at)) * step;
        let ticks = (0..=count).map(|at| (tick(at), format!("{:.digits$}", tick(at))));
        Self { low: tick(0), high: tick(count), logarithmic: false, ticks: ticks.collect() }
    }

    /// A logarithmic axis from `low` > 0 to `high`, with ticks at powers of ten, or at 1, 2 and 5 where those are few.
    pub(crate) fn logarithmic(low: f64, high: f64) -> Self {
        let low = if low.is_finite() && low > 0.0 { low } else { 1.0 };
        let high = if high.is_finite() && high > low * 1.5 { high } else { low * 10.0 };
        let decades = (high / low).log10();
        let units: &[f64] = if decades <= 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let every = (decades / 8.0).ceil().max(1.0) as i32;
        let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        let mut ticks = Vec::new();
        for power in (first..=last).filter(|power| power % every == 0) {
            for unit in units {
                let value = unit * 10.0_f64.powi(power);
                if (low * 0.999..=high * 1.001).contains(&value) {
                    ticks.push((value, round(value)));
                }
            }
        }
        Self { low, high, logarithmic: true, ticks }
    }

    /// The place of a value, 0 at the low end and 1 at the high one.
    fn place(&self, value: f64) -> f64 {
        let place = if self.logarithmic {
            (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        place.clamp(0.0, 1.0)
    }
}

/// A power of ten, or a multiple of it, for people: `0.01`, `50`, `2k`, `1M`.
fn round(value: f64) -> String {
    let (scaled, unit) = match value {
        v if v < 999.0 => (v, ""),
        v if v < 999e3 => (v / 1e3, "k"),
        v if v < 999e6 => (v / 1e6, "M"),
        v => (v / 1e9, "G"),
    };
    let digits = (-scaled.log10().floor()).clamp(0.0, 12.0) as usize;
    format!("{scaled:.digits$}{unit}")
}

impl Figure {
    /// The figure as an SVG page.
    pub(crate) fn svg(&self) -> String {
        let columns = self.columns.max(1);
        let rows = self.panels.len().div_ceil(columns).max(1);
        let inner = columns as f64 * WIDTH + (columns - 1) as f64 * GAP_X;
        let legend = self.legend_rows(inner);
        let top = TOP + legend.len() as f64 * ENTRY + 22.0;
        let (width, height) = (LEFT + inner + RIGHT, top + rows as f64 * HEIGHT + (rows - 1) as f64 * GAP_Y + BOTTOM);
        let mut svg = page(width, height, 12);
        let mut put = |text: std::fmt::Arguments<'_>| {
            // Writing to a string cannot fail.
            let _ = svg.write_fmt(text);
            svg.push('\n');
        };
        put(format_args!("<text x=\"{LEFT}\" y=\"26\" font-size=\"17\">{}</text>", escape(self.title.chars())));
        put(format_args!("<text x=\"{LEFT}\" y=\"46\" fill=\"#666\">{}</text>", escape(self.subtitle.chars())));
        for (row, entries) in legend.iter().enumerate() {
            let y = TOP + row as f64 * ENTRY + 10.0;
            for &(number, x) in entries {
                let name = escape(self.legend[number].chars());
                put(format_args!("<path d=\"M{x:.0} {:.0}h26\" {}/>", y - 4.0, stroke(number)));
                put(format_args!("<text x=\"{:.0}\" y=\"{y:.0}\">{name}</text>", x + 32.0));
            }
        }
        for (at, panel) in self.panels.iter().enumerate() {
            let x = LEFT + (at % columns) as f64 * (WIDTH + GAP_X);
            let y = top + (at / columns) as f64 * (HEIGHT + GAP_Y);
            put(format_args!("<g transform=\"translate({x:.0} {y:.0})\">\n{}</g>", panel.svg()));
        }
        put(format_args!("</svg>"));
        svg
    }

    /// The entries of the legend in rows, each with its place from the left.
    fn legend_rows(&self, inner: f64) -> Vec<Vec<(usize, f64)>> {
        let mut rows: Vec<Vec<(usize, f64)>> = Vec::new();
        let mut x = f64::INFINITY;
        for (number, name) in self.legend.iter().enumerate() {
            let room = 32.0 + name.chars().count() as f64 * 7.0 + 22.0;
            if x + room > LEFT + inner {
                rows.push(Vec::new());
                x = LEFT;
            }
            rows.last_mut().expect("a row was begun").push((number, x));
            x += room;
        }
        rows
    }
}

/// The look of a line by its number.
fn stroke(number: usize) -> String {
    let (color, dashes) = (COLORS[number % COLORS.len()], DASHES[number / COLORS.len() % DASHES.len()]);
    let dashes = if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
    format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"1.8\"{dashes}")
}

impl Panel {
    fn svg(&self) -> String {
        let mut svg = String::new();
        let across = |value: f64| self.x.place(value) * WIDTH;
        let down = |value: f64| (1.0 - self.y.place(value)) * HEIGHT;
        let mut grid = String::new();
        for (value, text) in &self.x.ticks {
            let x = across(*value);
            let _ = write!(grid, "M{x:.1} 0V{HEIGHT}");
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\" font-size=\"11\">{text}</text>",
                HEIGHT + 15.0
            );
        }
        for (value, text) in &self.y.ticks {
            let y = down(*value);
            let _ = write!(grid, "M0 {y:.1}H{WIDTH}");
            let _ =
                writeln!(svg, "<text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"11\">{text}</text>", y + 4.0);
        }
        let _ = writeln!(svg, "<path d=\"{grid}\" stroke=\"#ddd\" fill=\"none\"/>");
        for line in &self.lines {
            let color = COLORS[line.number % COLORS.len()];
            if line.band.len() > 1 {
                let upper = line.band.iter().map(|&(x, _, high)| (across(x), down(high)));
                let lower = line.band.iter().rev().map(|&(x, low, _)| (across(x), down(low)));
                let path = path(upper.chain(lower));
                let _ = writeln!(svg, "<path d=\"{path}Z\" fill=\"{color}\" fill-opacity=\".18\"/>");
            }
            let path = path(line.points.iter().map(|&(x, y)| (across(x), down(y))));
            let _ = writeln!(svg, "<path d=\"{path}\" {}/>", stroke(line.number));
            for &(x, y) in line.points.iter().filter(|_| line.marked) {
                let _ =
                    writeln!(svg, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.6\" fill=\"{color}\"/>", across(x), down(y));
            }
        }
        let _ = writeln!(svg, "<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"#444\"/>");
        let _ = writeln!(svg, "<text x=\"0\" y=\"-7\" font-weight=\"bold\">{}</text>", escape(self.title.chars()));
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#444\">{}</text>",
            WIDTH / 2.0,
            HEIGHT + 33.0,
            escape(self.label.chars())
        );
        svg
    }
}

/// A path through points.
fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (at, (x, y)) in points.enumerate() {
        let _ = write!(path, "{}{x:.1} {y:.1}", if at == 0 { 'M' } else { 'L' });
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_enclose_what_they_show() {
        for (low, high) in [(0.0, 1.0), (13.2, 21.9), (5.0, 5.0), (-3.0, 1e-3), (0.017, 0.021), (f64::NAN, 0.0)] {
            let axis = Axis::linear(low, high);
            assert!((2..=9).contains(&axis.ticks.len()), "{axis:?}");
            assert!(low.is_nan() || axis.low <= low + 1e-12 && axis.high >= high - 1e-12, "{axis:?}");
            let mut texts: Vec<_> = axis.ticks.iter().map(|(_, text)| text).collect();
            texts.dedup();
            assert_eq!(texts.len(), axis.ticks.len(), "{axis:?}");
        }
        let counts = |last| Axis::counts(last).ticks.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" ");
        assert_eq!([counts(1), counts(4), counts(25)], ["0 1", "0 1 2 3 4", "0 5 10 15 20 25"]);
        for (low, high) in [(1.0, 1e6), (1.0, 50.0), (0.002, 3.0), (0.0, 0.0), (7.0, 7.5)] {
            let axis = Axis::logarithmic(low, high);
            assert!((1..=10).contains(&axis.ticks.len()) && axis.low > 0.0 && axis.high > axis.low, "{axis:?}");
        }
        assert_eq!([0.01, 1.0, 50.0, 2e3, 1e6, 5e9].map(round), ["0.01", "1", "50", "2k", "1M", "5G"]);
    }

    #[test]
    fn places_are_inside_the_panel() {
        let axis = Axis::logarithmic(1.0, 100.0);
        assert_eq!([0.0, 1.0, 10.0, 100.0, 1e9].map(|value| axis.place(value)), [0.0, 0.0, 0.5, 1.0, 1.0]);
        let figure = Figure {
            title: "a < b".to_owned(),
            subtitle: String::new(),
            legend: (0..30).map(|number| format!("method {number}")).collect(),
            columns: 2,
            panels: vec![Panel {
                title: "p".to_owned(),
                label: "x".to_owned(),
                x: axis,
                y: Axis::linear(0.0, 1.0),
                lines: vec![Line {
                    points: vec![(1.0, 0.5), (50.0, 1.0)],
                    band: vec![(1.0, 0.4, 0.6), (50.0, 0.9, 1.0)],
                    ..Line::default()
                }],
            }],
        };
        let svg = figure.svg();
        assert!(svg.contains("a &lt; b") && svg.contains("method 29") && svg.ends_with("</svg>\n"), "{svg}");
        assert!(svg.contains("M0.0 100.0L280.3 0.0"), "{svg}");
    }
}
