//! A chart as SVG: lines or points over numbers or names, with error bars.

use soloist_domain::svg::{escape, page};
use std::fmt::Write;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 470.0;
const LEFT: f64 = 84.0;
const TOP: f64 = 60.0;
const RIGHT: f64 = 20.0;
/// Height of a line of the legend.
const LINE: f64 = 17.0;
/// Entries of the legend side by side.
const ABREAST: usize = 3;
/// Colours that people with colour blindness can tell apart (Okabe and Ito).
const COLORS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a6000", "#444444"];

/// A chart.
#[derive(Debug, Default)]
pub(crate) struct Chart {
    pub(crate) title: String,
    /// A second line below the title.
    pub(crate) subtitle: String,
    pub(crate) x: String,
    pub(crate) y: String,
    /// Whether the x axis is logarithmic; all x must be above 0 then.
    pub(crate) log: bool,
    /// Names instead of numbers: x counts them from 0.
    pub(crate) names: Vec<String>,
    pub(crate) series: Vec<Series>,
}

/// Points of one colour.
#[derive(Debug, Default)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
    /// Whether lines join the points.
    pub(crate) joined: bool,
    /// Whether the points are left out and the line alone is drawn.
    pub(crate) curve: bool,
    /// Published values are hollow and dashed.
    pub(crate) published: bool,
    /// The number of the colour; a published series has that of ours.
    pub(crate) color: usize,
}

/// A point with its standard error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) error: Option<f64>,
}

/// An axis from its ends to pixels.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    log: bool,
}

impl Axis {
    fn place(&self, value: f64) -> f64 {
        let share = if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + share * (self.to - self.from)
    }

    /// Round values: five to ten on a linear axis, 1, 2 and 5 times powers of ten on a logarithmic one.
    fn ticks(&self) -> Vec<f64> {
        if self.log {
            let decades = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
            let crowded = (self.high / self.low).log10() > 3.0;
            let digits: &[f64] = if crowded { &[1.0] } else { &[1.0, 2.0, 5.0] };
            let all = decades.flat_map(|power| digits.iter().map(move |digit| digit * 10.0_f64.powi(power)));
            return all.filter(|&tick| tick >= self.low * 0.999 && tick <= self.high * 1.001).collect();
        }
        let step = step(self.high - self.low);
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|count| count as f64 * step).collect()
    }
}

/// A round step of which five to ten cover `span`.
fn step(span: f64) -> f64 {
    let rough = (span / 5.0).max(f64::MIN_POSITIVE);
    let power = 10.0_f64.powf(rough.log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|unit| unit * power).find(|&step| step <= rough).unwrap_or(power)
}

impl Chart {
    /// Draws the chart.
    pub(crate) fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let ends = |values: &mut dyn Iterator<Item = f64>| {
            values.fold(None, |ends: Option<(f64, f64)>, value| {
                Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
            })
        };
        let error = |point: &Point| point.error.unwrap_or(0.0);
        let mut ys = points().flat_map(|point| [point.y - error(point), point.y + error(point)]);
        let (low, high) = ends(&mut ys).unwrap_or((0.0, 1.0));
        let pad = step((high - low).max(high.abs() * 1e-6).max(1e-9));
        let (low, high) = ((low / pad - 1e-9).floor() * pad, (high / pad + 1e-9).ceil() * pad);
        let high = if high > low { high } else { low + pad };
        let (first, last) = if self.names.is_empty() {
            ends(&mut points().map(|point| point.x)).unwrap_or((0.0, 1.0))
        } else {
            (-0.5, self.names.len() as f64 - 0.5)
        };
        let last = if last > first { last } else { first + 1.0 };
        let longest = self.names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64;
        // Names are written steeply and need room below.
        let below = if self.names.is_empty() { 52.0 } else { 34.0 + longest.min(40.0) * 5.2 };
        let legend = self.series.len().div_ceil(ABREAST) as f64 * LINE;
        let x = Axis { low: first, high: last, from: LEFT + 12.0, to: WIDTH - RIGHT - 12.0, log: self.log };
        let y = Axis { low, high, from: HEIGHT - 60.0, to: TOP, log: false };
        let total = y.from + below + legend + 14.0;
        let mut svg = page(WIDTH, total, 12);
        let mut put = |text: String| {
            svg.push_str(&text);
            svg.push('\n');
        };
        put(format!("<text x=\"{LEFT}\" y=\"24\" font-size=\"16\">{}</text>", escape(self.title.chars())));
        put(format!("<text x=\"{LEFT}\" y=\"42\" fill=\"#666\">{}</text>", escape(self.subtitle.chars())));
        put(self.frame(&x, &y));
        for series in &self.series {
            put(draw(series, &x, &y));
        }
        for (at, series) in self.series.iter().enumerate() {
            let left = LEFT + (at % ABREAST) as f64 * (WIDTH - LEFT - RIGHT) / ABREAST as f64;
            let top = y.from + below + (at / ABREAST) as f64 * LINE;
            put(format!(
                "<g transform=\"translate({left:.1} {top:.1})\">{}<text x=\"14\" y=\"4\">{}</text></g>",
                mark(series, 0.0, 0.0),
                escape(series.name.chars())
            ));
        }
        svg + "</svg>\n"
    }

    /// Lines, labels and names of the axes.
    fn frame(&self, x: &Axis, y: &Axis) -> String {
        let (left, right) = (LEFT, WIDTH - RIGHT);
        let mut text = String::new();
        for tick in y.ticks() {
            let at = y.place(tick);
            let _ = write!(
                text,
                "<path d=\"M{left} {at:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" \
                 text-anchor=\"end\">{}</text>",
                left - 7.0,
                at + 4.0,
                label(tick)
            );
        }
        if self.names.is_empty() {
            for tick in x.ticks() {
                let at = x.place(tick);
                let _ = write!(
                    text,
                    "<path d=\"M{at:.1} {:.1}v5\" stroke=\"#444\"/><text x=\"{at:.1}\" y=\"{:.1}\" \
                     text-anchor=\"middle\">{}</text>",
                    y.from,
                    y.from + 18.0,
                    label(tick)
                );
            }
        }
        for (at, name) in self.names.iter().enumerate() {
            let shown: String = name.chars().take(40).collect();
            let (across, down) = (x.place(at as f64), y.from + 12.0);
            let _ = write!(
                text,
                "<text transform=\"translate({across:.1} {down:.1}) rotate(-50)\" text-anchor=\"end\" \
                 font-size=\"11\">{}</text>",
                escape(shown.chars())
            );
        }
        let _ = write!(text, "<path d=\"M{left} {:.1}V{:.1}H{right}\" fill=\"none\" stroke=\"#444\"/>", y.to, y.from);
        if self.names.is_empty() {
            let (middle, down) = (f64::midpoint(left, right), y.from + 36.0);
            let _ = write!(
                text,
                "<text x=\"{middle:.1}\" y=\"{down:.1}\" text-anchor=\"middle\">{}</text>",
                escape(self.x.chars())
            );
        }
        let middle = f64::midpoint(y.from, y.to);
        let _ = write!(
            text,
            "<text transform=\"translate(18 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            escape(self.y.chars())
        );
        text
    }
}

/// A number on an axis, in thousands or millions where that is shorter.
fn label(value: f64) -> String {
    let tidy = |value: f64| crate::text::plain((value * 1e6).round() / 1e6);
    match value.abs() {
        size if size >= 1e6 => tidy(value / 1e6) + "M",
        size if size >= 1e5 => tidy(value / 1e3) + "k",
        _ => tidy(value),
    }
}

/// The sign of a point.
fn mark(series: &Series, x: f64, y: f64) -> String {
    let color = COLORS[series.color % COLORS.len()];
    let fill = if series.published { "#fff" } else { color };
    format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{fill}\" stroke=\"{color}\" stroke-width=\"1.6\"/>")
}

/// The points of a series.
fn draw(series: &Series, x: &Axis, y: &Axis) -> String {
    let color = COLORS[series.color % COLORS.len()];
    let places: Vec<(f64, f64)> = series.points.iter().map(|point| (x.place(point.x), y.place(point.y))).collect();
    let mut text = String::new();
    if series.joined && places.len() > 1 {
        let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        let dash = if series.published { " stroke-dasharray=\"5 4\"" } else { "" };
        let _ = write!(
            text,
            "<path d=\"M{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.8\"{dash}/>",
            path.join("L")
        );
    }
    for (point, &(across, down)) in series.points.iter().zip(&places) {
        if let Some(error) = point.error {
            let (top, bottom) = (y.place(point.y + error), y.place(point.y - error));
            let _ = write!(text, "<path d=\"M{across:.1} {top:.1}V{bottom:.1}\" stroke=\"{color}\"/>");
        }
        if !series.curve {
            text.push_str(&mark(series, across, down));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let point = |x: f64, y: f64| Point { x, y, error: Some(10.0) };
        let ours = Series {
            name: "ours & <b>".to_owned(),
            points: vec![point(5.0, 1990.0), point(60.0, 2510.0)],
            joined: true,
            ..Series::default()
        };
        Chart { title: "t".to_owned(), series: vec![ours], ..Chart::default() }
    }

    #[test]
    fn axes_enclose_points_with_their_errors() {
        let svg = chart().svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.contains("ours &amp; &lt;b&gt;"), "{svg}");
        for tick in [">1900<", ">2600<", ">10<", ">60<"] {
            assert!(svg.contains(tick), "{tick} in {svg}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn odd_charts_are_drawn_too() {
        let empty = Chart::default().svg();
        let mut single = chart();
        single.series[0].points.truncate(1);
        single.series[0].points[0].error = None;
        let mut named = chart();
        named.names = vec!["a".to_owned(), "b".to_owned()];
        named.series[0].points.iter_mut().zip(0..).for_each(|(point, at)| point.x = f64::from(at));
        let logarithmic = Chart { log: true, ..chart() };
        for svg in [empty, single.svg(), named.svg(), logarithmic.svg()] {
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }

    #[test]
    fn ticks_are_round() {
        let axis = |low, high, log| Axis { low, high, from: 0.0, to: 1.0, log }.ticks();
        assert_eq!(axis(0.0, 10.0, false), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(axis(5.0, 60.0, true), [5.0, 10.0, 20.0, 50.0]);
        assert_eq!(axis(1.0, 1e5, true), [1.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0]);
        assert_eq!(
            (label(2.5e6).as_str(), label(150_000.0).as_str(), label(0.1 + 0.2).as_str()),
            ("2.5M", "150k", "0.3")
        );
    }
}
