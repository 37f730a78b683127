//! Which method is best, in one sentence: the same in the tables of `bench` and on the page of `report`.

use super::analysis::{Comparison, Grid};
use super::numbers::{probability, rounded};
use soloist::Sense;
use std::fmt::Write;

/// The largest number of methods of which every pair is compared for the sentence; with more, each is compared with the
/// one that has the best mean.
const ALL_PAIRS: usize = 16;
/// What a standard normal number exceeds with 2.5 %, and what it stays above with 80 %: a test that is to find a
/// difference four times in five.
const REACH: f64 = 1.96 + 0.84;

/// Which method is best.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BestMethod {
    /// The method that is better than every other one by the tests, with Holm's correction.
    pub(crate) best: Option<usize>,
    /// "No method is clearly best", or which one is, and what it is ahead by.
    pub(crate) claim: String,
    pub(crate) reason: String,
}

impl BestMethod {
    /// The whole text.
    pub(crate) fn text(&self) -> String {
        format!("{}: {}", self.claim, self.reason)
    }
}

/// The others behind one method.
struct Rival {
    method: usize,
    /// By how much the method is ahead; `None`: no common scores.
    ahead: Option<f64>,
    p: f64,
    is_clear: bool,
    /// Units that would show this difference four times in five.
    needed: Option<u64>,
}

impl Rival {
    fn of(comparison: &Comparison, leader: usize, sense: Sense) -> Self {
        let is_first = comparison.a == leader;
        let method = if is_first { comparison.b } else { comparison.a };
        let sign = if is_first == (sense == Sense::Maximize) { 1.0 } else { -1.0 };
        let ahead = comparison.t.map(|t| sign * t.mean);
        let needed = comparison.t.and_then(|t| {
            let deviation = t.error? * (t.count as f64).sqrt();
            let needed = (REACH * deviation / t.mean).powi(2).ceil();
            (needed.is_finite() && needed > t.count as f64).then_some(needed as u64)
        });
        Self { method, ahead, p: comparison.holm, is_clear: comparison.better == Some(leader), needed }
    }

    fn text(&self, names: &dyn Fn(usize) -> String) -> String {
        let by = match self.ahead {
            Some(ahead) if ahead < 0.0 => format!(" by {} (behind where both have scores)", rounded(ahead, 3)),
            Some(ahead) => format!(" by {}", rounded(ahead, 3)),
            None => String::new(),
        };
        let p = if self.p < 1e-4 { "p < 0.0001".to_owned() } else { format!("p {}", probability(self.p)) };
        format!("{}{by} ({p})", names(self.method))
    }
}

impl Grid {
    /// Says which method is best; `None` where fewer than two have scores.
    pub(crate) fn best_method(&self, names: &dyn Fn(usize) -> String) -> Option<BestMethod> {
        let methods = self.methods();
        let means: Vec<(usize, f64)> =
            methods.iter().filter_map(|&method| Some((method, self.row(method).mean?.0))).collect();
        if means.len() < 2 {
            return None;
        }
        let first = |a: (usize, f64), b: (usize, f64)| if self.sense.better_value(b.1, a.1) { b } else { a };
        let (front, _) = means.iter().copied().reduce(first)?;
        let pairs = if methods.len() <= ALL_PAIRS { self.all_pairs() } else { self.comparisons(Some(front)) };
        let beats_all = |method: usize| {
            let own = || pairs.iter().filter(|pair| pair.a == method || pair.b == method);
            own().count() + 1 == methods.len() && own().all(|pair| pair.better == Some(method))
        };
        let best = methods.iter().copied().find(|&method| beats_all(method));
        let leader = best.unwrap_or(front);
        let mean = means.iter().find(|(method, _)| *method == leader).map(|(_, mean)| rounded(*mean, 6));
        let own = pairs.iter().filter(|pair| pair.a == leader || pair.b == leader);
        let mut rivals: Vec<Rival> = own.map(|pair| Rival::of(pair, leader, self.sense)).collect();
        // The nearest first.
        let distance = |rival: &Rival| rival.ahead.unwrap_or(f64::INFINITY);
        rivals.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        let seeds = pairs.iter().any(|pair| pair.seeds);
        let name = names(leader);
        let several = if pairs.len() > 1 { ", corrected for the number of pairs" } else { "" };
        const NAMED: usize = 3;
        let listed: Vec<String> = rivals.iter().take(NAMED).map(|rival| rival.text(names)).collect();
        let more = if rivals.len() > NAMED { format!(" and {} more", rivals.len() - NAMED) } else { String::new() };
        if best.is_some() {
            let reason = format!("ahead of {}{more}; p of Wilcoxon's test{several}", listed.join(", of "));
            return Some(BestMethod { best, claim: format!("{name} is best"), reason });
        }
        let mut reason =
            format!("{name} has the best mean{}", mean.map_or_else(String::new, |mean| format!(", {mean}")));
        let _ = write!(reason, ", ahead of {}{more}; p of Wilcoxon's test{several}", listed.join(", of "));
        let open = rivals.iter().find(|rival| !rival.is_clear);
        if let Some((rival, needed)) = open.and_then(|rival| Some((rival, rival.needed?))) {
            let unit = if seeds { "seeds" } else { "instances" };
            let _ = write!(reason, "; about {needed} {unit} would settle its lead over {}", names(rival.method));
        }
        Some(BestMethod { best, claim: "No method is clearly best".to_owned(), reason })
    }
}

#[cfg(test)]
mod tests {
    use crate::bench::analysis::Line;
    use crate::bench::record::Run;
    use crate::bench::{Grid, verdict::BestMethod};
    use soloist::Sense;
    use std::collections::BTreeMap;

    fn grid(sense: Sense, scores: &[&[f64]]) -> Grid {
        let run = |score: f64| {
            let (score, verified) = (Some(score), Some(true));
            Run { score, violation: None, optimal: false, playouts: 9, seconds: 1.0, verified, tree: None }
        };
        let line = |scores: &&[f64]| -> Line {
            scores.iter().enumerate().map(|(at, &score)| (at, vec![(0, run(score))])).collect::<BTreeMap<_, _>>()
        };
        Grid::of(sense, scores[0].len(), scores.iter().map(line).collect())
    }

    fn said(sense: Sense, scores: &[&[f64]]) -> BestMethod {
        grid(sense, scores).best_method(&|method| ["uct", "nrpa", "beam"][method].to_owned()).unwrap()
    }

    #[test]
    fn a_method_is_best_where_all_tests_say_so() {
        let low: Vec<f64> = (0..12).map(f64::from).collect();
        let high: Vec<f64> = low.iter().map(|score| score * 1.1 + 3.0).collect();
        let clear = said(Sense::Maximize, &[&low, &high]);
        assert_eq!((clear.best, clear.claim.as_str()), (Some(1), "nrpa is best"));
        assert!(clear.reason.starts_with("ahead of uct by 3.55 (p 0.0005); p of Wilcoxon's test"), "{clear:?}");
        let clear = said(Sense::Minimize, &[&low, &high]);
        assert_eq!((clear.best, clear.claim.as_str()), (Some(0), "uct is best"));
        assert!(clear.reason.starts_with("ahead of nrpa by 3.55 (p"), "{clear:?}");
    }

    #[test]
    fn the_best_mean_alone_is_no_verdict() {
        // The mean is ahead, on one instance alone.
        let a = [5.0, 4.0, 6.0, 5.0, 3.0, 7.0];
        let b = [5.0, 3.0, 7.0, 4.0, 4.0, 9.0];
        let open = said(Sense::Maximize, &[&a, &b]);
        assert_eq!(open.best, None);
        let text = open.text();
        assert!(text.starts_with("No method is clearly best: nrpa has the best mean, 5.33333, ahead of uct"), "{text}");
        assert!(text.contains("about 104 instances would settle its lead over uct"), "{text}");
        // Better than one of two others is not best.
        let low: Vec<f64> = (0..12).map(f64::from).collect();
        let high: Vec<f64> = low.iter().map(|score| score * 1.1 + 3.0).collect();
        let also: Vec<f64> = high.iter().enumerate().map(|(at, score)| score + [0.1, -0.1][at % 2]).collect();
        assert_eq!(said(Sense::Maximize, &[&low, &high, &also]).best, None);
        // A single method, or one with scores, is compared with nothing.
        assert_eq!(grid(Sense::Maximize, &[&a]).best_method(&|_| String::new()), None);
    }
}
