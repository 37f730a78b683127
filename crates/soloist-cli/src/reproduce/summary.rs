//! The summary of a study: medians over bins of Cp, and the interval of the bins that are near the best known.

use super::data::Sample;
use super::sensitivity::{LARGEST_CP, LEAST_CP, Panel, Study};
use crate::live::counted;
use crate::result::{VERSION, number, plain};
use crate::table::Table;
use serde_json::{Value, json};
use soloist::statistics::Summary as Numbers;

/// The bins of a decade of Cp; fewer if a bin would hold less than ten samples on average.
const BINS: usize = 20;
const LEAST_IN_BIN: usize = 10;
/// A bin is near-optimal if its median is at most this much above the best known.
const NEAR: f64 = 0.02;
/// Other such limits, for ratios that show how much they depend on the limit.
const OTHERS: [f64; 2] = [0.01, 0.05];

/// The figures of a study.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) panels: Vec<Figures>,
    /// The least operations of all samples.
    pub(crate) best: u64,
    samples: usize,
    bins_a_decade: usize,
}

/// The figures of a panel.
#[derive(Debug)]
pub(crate) struct Figures {
    pub(crate) panel: Panel,
    best: u64,
    pub(crate) bins: Vec<Bin>,
    pub(crate) interval: Option<Interval>,
    /// The intervals for the limits of [`OTHERS`].
    others: [Option<Interval>; OTHERS.len()],
}

/// The samples between two values of Cp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bin {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The median of the operations; `None` for an empty bin.
    pub(crate) median: Option<f64>,
}

/// The longest run of near-optimal bins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Interval {
    fn width(self) -> f64 {
        self.high - self.low
    }

    fn decades(self) -> f64 {
        (self.high / self.low).log10()
    }
}

impl Summary {
    /// Computes the figures.
    pub(crate) fn new(study: &Study, samples: &[Sample]) -> Self {
        let decades = (LARGEST_CP / LEAST_CP).log10().round() as usize;
        let bins_a_decade = (samples.len() / (decades * LEAST_IN_BIN)).clamp(1, BINS);
        let best = samples.iter().flat_map(|sample| &sample.operations).copied().min().unwrap_or(0);
        let figures = |(at, panel): (usize, Panel)| {
            let points: Vec<(f64, u64)> = samples.iter().map(|sample| (sample.cp, sample.operations[at])).collect();
            let bins = bins(&points, decades, bins_a_decade);
            let near = |near: f64| longest(&bins, best as f64 * (1.0 + near));
            let (interval, others) = (near(NEAR), OTHERS.map(near));
            let best = points.iter().map(|(_, operations)| *operations).min().unwrap_or(0);
            Figures { panel, best, bins, interval, others }
        };
        let panels = study.panels().into_iter().enumerate().map(figures).collect();
        Self { panels, best, samples: samples.len(), bins_a_decade }
    }

    /// The figures of SA-UCT that belong to those of UCT.
    fn partner(&self, of: &Figures) -> Option<&Figures> {
        let wanted = Panel { cooled: true, ..of.panel };
        self.panels.iter().find(|figures| figures.panel == wanted)
    }

    /// The ratios of the widths of SA-UCT to those of UCT: linear, in decades, and linear for each limit of [`OTHERS`].
    fn ratios(&self, uct: &Figures) -> [Option<f64>; 2 + OTHERS.len()] {
        let ratio = |of: fn(&Figures, usize) -> Option<Interval>, at, size: fn(Interval) -> f64| {
            Some(size(of(self.partner(uct)?, at)?) / size(of(uct, at)?))
        };
        let other = |at| ratio(|figures, at| figures.others[at], at, Interval::width);
        let main = |size| ratio(|figures, _| figures.interval, 0, size);
        [main(Interval::width), main(Interval::decades), other(0), other(1)]
    }

    /// The tables as text.
    pub(crate) fn text(&self, markdown: bool) -> String {
        let mut table = Table::new(
            2,
            ["direction", "method", "N", "best", "best median", "at Cp", "Cp from", "to", "width", "decades"],
        );
        for figures in &self.panels {
            let Panel { direction, updates, .. } = figures.panel;
            let least = least_median(&figures.bins);
            let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), three);
            let interval = figures.interval;
            table.push(vec![
                direction.name().to_owned(),
                figures.panel.method().to_owned(),
                updates.to_string(),
                figures.best.to_string(),
                least.map_or_else(|| "-".to_owned(), |(_, median)| plain(median)),
                cell(least.map(|(cp, _)| cp)),
                cell(interval.map(|interval| interval.low)),
                cell(interval.map(|interval| interval.high)),
                cell(interval.map(Interval::width)),
                cell(interval.map(Interval::decades)),
            ]);
        }
        let percent = |near: f64| format!("width at {} %", plain(near * 100.0));
        let heads = ["direction".to_owned(), "N".to_owned(), "SA-UCT : UCT, width".to_owned(), "decades".to_owned()];
        let mut ratios = Table::new(1, heads.into_iter().chain(OTHERS.map(percent)));
        for uct in self.panels.iter().filter(|figures| !figures.panel.cooled) {
            let Panel { direction, updates, .. } = uct.panel;
            let cells = self.ratios(uct).map(|ratio| ratio.map_or_else(|| "-".to_owned(), three));
            ratios.push([direction.name().to_owned(), updates.to_string()].into_iter().chain(cells).collect());
        }
        let show = |table: &Table| if markdown { table.markdown() } else { table.text() };
        format!("{}\n{}\n{}\n", show(&table), show(&ratios), self.definition())
    }

    fn definition(&self) -> String {
        format!(
            "{}; Cp from .. to: the longest run of bins ({} a decade) whose median is at most {} % above the best known, {}",
            counted(self.samples, "sample"),
            self.bins_a_decade,
            plain(NEAR * 100.0),
            self.best
        )
    }

    /// All figures as one object.
    pub(crate) fn json(&self, study: &Study) -> Value {
        let panel = |figures: &Figures| {
            let Panel { direction, cooled, updates } = figures.panel;
            let bin = |bin: &Bin| json!([number(bin.low), number(bin.high), bin.median.map(number)]);
            let [width, decades, ..] = if cooled { [None; 2 + OTHERS.len()] } else { self.ratios(figures) };
            json!({
                "direction": direction.name(),
                "method": if cooled { "sa-uct" } else { "uct" },
                "updates": updates,
                "best": figures.best,
                "best_median": least_median(&figures.bins).map(|(_, median)| number(median)),
                "best_median_cp": least_median(&figures.bins).map(|(cp, _)| number(cp)),
                "interval": figures.interval.map(|interval| json!([number(interval.low), number(interval.high)])),
                "width": figures.interval.map(|interval| number(interval.width())),
                "decades": figures.interval.map(|interval| number(interval.decades())),
                "sa_uct_width_ratio": width.map(number),
                "sa_uct_decades_ratio": decades.map(number),
                "medians": figures.bins.iter().map(bin).collect::<Vec<_>>(),
            })
        };
        json!({
            "experiment": "sa-uct",
            "instance": study.instance,
            "seed": study.seed,
            "samples": self.samples,
            "best": self.best,
            "near": NEAR,
            "bins_a_decade": self.bins_a_decade,
            "definition": self.definition(),
            "panels": self.panels.iter().map(panel).collect::<Vec<_>>(),
            "version": VERSION,
        })
    }
}

/// Medians over equal steps of log Cp.
fn bins(points: &[(f64, u64)], decades: usize, a_decade: usize) -> Vec<Bin> {
    let count = decades * a_decade;
    let edge = |at: usize| LEAST_CP * libm::pow(10.0, at as f64 / a_decade as f64);
    let mut inside: Vec<Vec<f64>> = vec![Vec::new(); count];
    for &(cp, operations) in points {
        let at = ((cp / LEAST_CP).log10() * a_decade as f64) as usize;
        inside[at.min(count - 1)].push(operations as f64);
    }
    let median = |values: &Vec<f64>| Numbers::of(values).map(|numbers| numbers.median);
    inside
        .iter()
        .enumerate()
        .map(|(at, values)| Bin { low: edge(at), high: edge(at + 1), median: median(values) })
        .collect()
}

/// The longest run of bins whose median is at most `limit`; of equally long runs the first.
fn longest(bins: &[Bin], limit: f64) -> Option<Interval> {
    let near = |bin: &&Bin| bin.median.is_some_and(|median| median <= limit);
    let mut best: Option<(usize, Interval)> = None;
    let mut at = 0;
    while at < bins.len() {
        let count = bins[at..].iter().take_while(near).count();
        if count > best.map_or(0, |(count, _)| count) {
            best = Some((count, Interval { low: bins[at].low, high: bins[at + count - 1].high }));
        }
        at += count + 1;
    }
    best.map(|(_, interval)| interval)
}

/// The middle of the bin with the least median, and that median.
fn least_median(bins: &[Bin]) -> Option<(f64, f64)> {
    let known = bins.iter().filter_map(|bin| Some(((bin.low * bin.high).sqrt(), bin.median?)));
    known.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Three significant digits.
fn three(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return plain(value);
    }
    let digits = (2 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_run_of_good_bins_counts() {
        let bin = |at: u32, median| Bin { low: f64::from(at), high: f64::from(at + 1), median };
        let medians = [Some(5.0), Some(9.0), Some(5.0), Some(6.0), None, Some(5.0), Some(5.0)];
        let bins: Vec<Bin> = (1..).zip(medians).map(|(at, median)| bin(at, median)).collect();
        assert_eq!(longest(&bins, 6.0), Some(Interval { low: 3.0, high: 5.0 }));
        assert_eq!(longest(&bins, 5.0), Some(Interval { low: 6.0, high: 8.0 }));
        assert_eq!(longest(&bins, 4.0), None);
        assert_eq!(least_median(&bins).unwrap().1, 5.0);
    }

    #[test]
    fn bins_are_equal_steps_of_the_logarithm() {
        let points: Vec<(f64, u64)> =
            [0.01, 0.0999, 0.101, 0.5, 0.9, 9.99].into_iter().zip([1, 3, 10, 30, 20, 7]).collect();
        let found = bins(&points, 3, 1);
        let medians: Vec<_> = found.iter().map(|bin| bin.median).collect();
        assert_eq!(medians, [Some(2.0), Some(20.0), Some(7.0)]);
        assert!((found[1].low - 0.1).abs() < 1e-12 && (found[2].high - 10.0).abs() < 1e-9);
    }

    #[test]
    fn widths_are_linear_and_in_decades() {
        let interval = Interval { low: 0.1, high: 1.0 };
        assert!((interval.width() - 0.9).abs() < 1e-12 && (interval.decades() - 1.0).abs() < 1e-12);
        assert_eq!([0.123_45, 12.345, 1234.5, 0.0].map(three), ["0.123", "12.3", "1234", "0"]);
    }
}
