//! Charts as SVG pages: panels side by side, each with its axes, series of points as lines, marks and bands.
//!
//! One model draws the profiles of a comparison, the trace of a tuning and the figures of experiments. The charts of
//! the report page react to the reader and are drawn by its script, with the same colours.

use soloist_domain::svg::{escape, page};
use std::fmt::Write;

/// Sizes in pixels: the space between panels and around them.
const GAP_X: f64 = 70.0;
const GAP_Y: f64 = 66.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 22.0;
const TOP: f64 = 58.0;
const BOTTOM: f64 = 52.0;
/// Height of a line of the legend.
const ENTRY: f64 = 18.0;
/// Most characters of a name on an axis.
const NAME: usize = 40;
/// Colours that people with any kind of colour vision can distinguish.
///
/// # References
/// M. Okabe and K. Ito, "Color universal design", 2008.
const COLORS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
/// Dashes of the lines that share a colour.
const DASHES: [&str; 4] = ["", "6 3", "2 3", "8 3 2 3"];

/// A page of panels with a common legend.
#[derive(Debug, Default)]
pub(crate) struct Figure {
    pub(crate) title: String,
    /// A second line below the title.
    pub(crate) subtitle: String,
    /// The kinds of series, by their number.
    pub(crate) legend: Vec<Entry>,
    /// Panels of a row.
    pub(crate) columns: usize,
    /// Width and height of a panel without its labels.
    pub(crate) size: (f64, f64),
    pub(crate) panels: Vec<Panel>,
}

/// A kind of series: its name and its look.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// The number of the colour.
    pub(crate) color: usize,
    /// The number of the dashes.
    pub(crate) dash: usize,
    /// Whether lines join the points.
    pub(crate) joined: bool,
    pub(crate) mark: Mark,
}

/// The mark of a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mark {
    #[default]
    None,
    Dot,
    /// For values of others.
    Ring,
}

impl Entry {
    /// The look of line number `at`: another colour for each, then other dashes.
    pub(crate) fn line(name: String, at: usize, mark: Mark) -> Self {
        Self { name, color: at, dash: at / COLORS.len(), joined: true, mark }
    }

    fn color(&self) -> &'static str {
        COLORS[self.color % COLORS.len()]
    }

    fn stroke(&self) -> String {
        let dashes = DASHES[self.dash % DASHES.len()];
        let dashes = if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
        format!("fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{dashes}", self.color())
    }

    /// The mark at a place, on a line of its own.
    fn mark(&self, x: f64, y: f64) -> String {
        let color = self.color();
        let fill = match self.mark {
            Mark::None => return String::new(),
            Mark::Dot => color,
            Mark::Ring => "#fff",
        };
        format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{fill}\" stroke=\"{color}\" stroke-width=\"1.4\"/>\n"
        )
    }
}

/// A pair of axes with series.
#[derive(Debug)]
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
}

/// Points of a panel, with a band around them.
#[derive(Debug, Default)]
pub(crate) struct Series {
    /// Its number in the legend.
    pub(crate) number: usize,
    pub(crate) points: Vec<Point>,
    /// Lower and upper ends over places.
    pub(crate) band: Vec<(f64, f64, f64)>,
}

impl Series {
    /// A series of points without errors.
    pub(crate) fn new(number: usize, points: Vec<(f64, f64)>) -> Self {
        let points = points.into_iter().map(|(x, y)| Point { x, y, error: None }).collect();
        Self { number, points, band: Vec::new() }
    }
}

/// A point with its standard error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) error: Option<f64>,
}

/// The smallest and the largest of some values; `None` if there are none.
pub(crate) fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |ends, value| {
        Some(ends.map_or((value, value), |(low, high): (f64, f64)| (low.min(value), high.max(value))))
    })
}

/// An axis with round ticks or names.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// What it measures.
    label: String,
    low: f64,
    high: f64,
    logarithmic: bool,
    /// Whether the ticks are names, which need room.
    named: bool,
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
        let mut axis = Self { high: last, ..Self::steps(0.0, last, step.max(1.0)) };
        axis.ticks.retain(|(value, _)| (0.0..=last).contains(value));
        axis
    }

    /// Names at 0, 1 and so on.
    pub(crate) fn names(names: impl IntoIterator<Item = String>) -> Self {
        let shown = |name: String| name.chars().take(NAME).collect();
        let ticks: Vec<_> = (0..).map(f64::from).zip(names.into_iter().map(shown)).collect();
        let high = ticks.len().max(1) as f64 - 0.5;
        Self { label: String::new(), low: -0.5, high, logarithmic: false, named: true, ticks }
    }

    fn steps(low: f64, high: f64, step: f64) -> Self {
        let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
        let count = (last - first).clamp(1.0, 50.0) as u32;
        let tick = |at: u32| (first + f64::from(at)) * step;
        let (unit, name) = unit(tick(0).abs().max(tick(count).abs()), 1e5);
        let digits = (-(step / unit).log10().floor()).clamp(0.0, 12.0) as usize;
        let text = |value: f64| {
            let text = format!("{:.digits$}", value / unit);
            if value == 0.0 || name.is_empty() { text } else { text + name }
        };
        let ticks = (0..=count).map(|at| (tick(at), text(tick(at)))).collect();
        Self { label: String::new(), low: tick(0), high: tick(count), logarithmic: false, named: false, ticks }
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
        Self { label: String::new(), low, high, logarithmic: true, named: false, ticks }
    }

    /// The axis with the name of what it measures.
    pub(crate) fn of(self, label: &str) -> Self {
        Self { label: label.to_owned(), ..self }
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

    /// Room for the ticks and the label below the axis.
    fn below(&self) -> f64 {
        let longest = self.ticks.iter().map(|(_, name)| name.chars().count()).max().unwrap_or(0) as f64;
        if self.named { 24.0 + longest * 5.2 } else { BOTTOM }
    }
}

/// The unit in which a number of this size is short, from `least` on, and its sign.
fn unit(size: f64, least: f64) -> (f64, &'static str) {
    match size {
        size if size < least => (1.0, ""),
        size if size < 999e3 => (1e3, "k"),
        size if size < 999e6 => (1e6, "M"),
        _ => (1e9, "G"),
    }
}

/// A power of ten, or a multiple of it, for people: `0.01`, `50`, `2k`, `1M`.
fn round(value: f64) -> String {
    let (unit, name) = unit(value, 999.0);
    let scaled = value / unit;
    let digits = (-scaled.log10().floor()).clamp(0.0, 12.0) as usize;
    format!("{scaled:.digits$}{name}")
}

impl Figure {
    /// The figure as an SVG page.
    pub(crate) fn svg(&self) -> String {
        let (wide, high) = self.size;
        let columns = self.columns.max(1);
        let rows = self.panels.len().div_ceil(columns).max(1);
        let inner = columns as f64 * wide + (columns - 1) as f64 * GAP_X;
        let legend = self.legend_rows(inner);
        let top = TOP + legend.len() as f64 * ENTRY + 22.0;
        let below = self.panels.iter().map(|panel| panel.x.below()).fold(BOTTOM, f64::max);
        let gap = GAP_Y - BOTTOM + below;
        let (width, height) = (LEFT + inner + RIGHT, top + rows as f64 * high + (rows - 1) as f64 * gap + below);
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
                let entry = &self.legend[number];
                if entry.joined {
                    put(format_args!("<path d=\"M{x:.0} {:.0}h26\" {}/>", y - 4.0, entry.stroke()));
                }
                let (mark, name) = (entry.mark(x + 13.0, y - 4.0), escape(entry.name.chars()));
                put(format_args!("{mark}<text x=\"{:.0}\" y=\"{y:.0}\">{name}</text>", x + 32.0));
            }
        }
        for (at, panel) in self.panels.iter().enumerate() {
            let x = LEFT + (at % columns) as f64 * (wide + GAP_X);
            let y = top + (at / columns) as f64 * (high + gap);
            let inside = panel.svg(self.size, &self.legend);
            put(format_args!("<g transform=\"translate({x:.0} {y:.0})\">\n{inside}</g>"));
        }
        put(format_args!("</svg>"));
        svg
    }

    /// The entries of the legend in rows, each with its place from the left.
    fn legend_rows(&self, inner: f64) -> Vec<Vec<(usize, f64)>> {
        let mut rows: Vec<Vec<(usize, f64)>> = Vec::new();
        let mut x = f64::INFINITY;
        for (number, entry) in self.legend.iter().enumerate() {
            let room = 32.0 + entry.name.chars().count() as f64 * 7.0 + 22.0;
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

impl Panel {
    fn svg(&self, (wide, high): (f64, f64), legend: &[Entry]) -> String {
        let mut svg = self.axes(wide, high);
        let across = |value: f64| self.x.place(value) * wide;
        let down = |value: f64| (1.0 - self.y.place(value)) * high;
        for Series { number, points, band } in &self.series {
            let entry = &legend[*number];
            if band.len() > 1 {
                let upper = band.iter().map(|&(x, _, high)| (across(x), down(high)));
                let lower = band.iter().rev().map(|&(x, low, _)| (across(x), down(low)));
                let path = path(upper.chain(lower));
                let _ = writeln!(svg, "<path d=\"{path}Z\" fill=\"{}\" fill-opacity=\".18\"/>", entry.color());
            }
            if entry.joined && points.len() > 1 {
                let path = path(points.iter().map(|point| (across(point.x), down(point.y))));
                let _ = writeln!(svg, "<path d=\"{path}\" {}/>", entry.stroke());
            }
            for &Point { x, y, error } in points {
                if let Some(error) = error {
                    let (top, bottom) = (down(y + error), down(y - error));
                    let color = entry.color();
                    let _ = writeln!(svg, "<path d=\"M{:.1} {top:.1}V{bottom:.1}\" stroke=\"{color}\"/>", across(x));
                }
                svg.push_str(&entry.mark(across(x), down(y)));
            }
        }
        svg
    }

    /// Lines, ticks and names of the axes.
    fn axes(&self, wide: f64, high: f64) -> String {
        let (mut svg, mut grid) = (String::new(), String::new());
        for (value, text) in &self.x.ticks {
            let x = self.x.place(*value) * wide;
            let text = escape(text.chars());
            let _ = if self.x.named {
                let place = format!("translate({x:.1} {:.1}) rotate(-50)", high + 12.0);
                writeln!(svg, "<text transform=\"{place}\" text-anchor=\"end\" font-size=\"11\">{text}</text>")
            } else {
                let _ = write!(grid, "M{x:.1} 0V{high}");
                let y = high + 15.0;
                writeln!(svg, "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\" font-size=\"11\">{text}</text>")
            };
        }
        for (value, text) in &self.y.ticks {
            let y = (1.0 - self.y.place(*value)) * high;
            let _ = write!(grid, "M0 {y:.1}H{wide}");
            let y = y + 4.0;
            let _ = writeln!(svg, "<text x=\"-6\" y=\"{y:.1}\" text-anchor=\"end\" font-size=\"11\">{text}</text>");
        }
        let _ = writeln!(svg, "<path d=\"{grid}\" stroke=\"#ddd\" fill=\"none\"/>");
        let _ = writeln!(svg, "<rect width=\"{wide}\" height=\"{high}\" fill=\"none\" stroke=\"#444\"/>");
        let _ = writeln!(svg, "<text x=\"0\" y=\"-7\" font-weight=\"bold\">{}</text>", escape(self.title.chars()));
        let labels = [
            (&self.x, format!("x=\"{}\" y=\"{}\"", wide / 2.0, high + 33.0)),
            (&self.y, format!("transform=\"translate(-56 {}) rotate(-90)\"", high / 2.0)),
        ];
        for (axis, place) in labels.iter().filter(|(axis, _)| !axis.label.is_empty()) {
            let label = escape(axis.label.chars());
            let _ = writeln!(svg, "<text {place} text-anchor=\"middle\" fill=\"#444\">{label}</text>");
        }
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
            legend: (0..30).map(|at| Entry::line(format!("method {at}"), at, Mark::None)).collect(),
            columns: 2,
            size: (330.0, 200.0),
            panels: vec![Panel {
                title: "p".to_owned(),
                x: axis,
                y: Axis::linear(0.0, 1.0),
                series: vec![Series {
                    band: vec![(1.0, 0.4, 0.6), (50.0, 0.9, 1.0)],
                    ..Series::new(0, vec![(1.0, 0.5), (50.0, 1.0)])
                }],
            }],
            ..Figure::default()
        };
        let svg = figure.svg();
        assert!(svg.contains("a &lt; b") && svg.contains("method 29") && svg.ends_with("</svg>\n"), "{svg}");
        assert!(svg.contains("M0.0 100.0L280.3 0.0"), "{svg}");
    }

    #[test]
    fn names_errors_and_rings_are_drawn() {
        let point = Point { x: 1.0, y: 2510.0, error: Some(10.0) };
        let ours = Entry { name: "ours & <b>".to_owned(), mark: Mark::Dot, ..Entry::default() };
        let figure = |x, points| Figure {
            legend: vec![ours.clone(), Entry { mark: Mark::Ring, ..ours.clone() }],
            size: (700.0, 300.0),
            panels: vec![Panel {
                title: String::new(),
                x,
                y: Axis::linear(1990.0, 2520.0).of("mean"),
                series: vec![Series { points, ..Series::default() }, Series::new(1, vec![(0.0, 1990.0)])],
            }],
            ..Figure::default()
        };
        let named = figure(Axis::names(["<a>".to_owned(), "b".to_owned()]), vec![point]).svg();
        for part in
            ["ours &amp; &lt;b&gt;", ">&lt;a&gt;</text>", ">2600<", "fill=\"#fff\" stroke=\"#0072b2\"", ">mean<"]
        {
            assert!(named.contains(part), "{part} in {named}");
        }
        assert_eq!(named.matches('V').count(), 1, "one error bar: {named}");
        let empty = [figure(Axis::linear(f64::NAN, 1.0), Vec::new()), figure(Axis::names([]), Vec::new())];
        for svg in [named].into_iter().chain(empty.map(|figure| figure.svg())) {
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
        let texts = |low, high| Axis::linear(low, high).ticks.into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(texts(0.0, 2.5e6), ["0.0", "0.5M", "1.0M", "1.5M", "2.0M", "2.5M"]);
    }
}
