//! What suggests that a file means another problem than the one that was read.

use crate::tsptw;
use crate::vrptw::exact::plain_distance;
use crate::vrptw::{Edges, Instance, Rounding};
use soloist_domain::WARNING;

/// The part of all distances that rounding may change without a word.
const UNREMARKABLE: f64 = 0.05;

/// Why the constraints of an instance are not explained.
pub(crate) const UNEXPLAINED: &str = "with more than 801 places it is explained only where no detour is shorter than the \
                                      direct way, which rounding brings about: try --set rounding=none";

/// Returns the remarks on an instance whose distances are rounded like this.
pub(crate) fn remarks(instance: &Instance, rounding: Rounding) -> Vec<String> {
    rounded(instance, rounding).into_iter().chain(idle(instance, rounding)).collect()
}

/// Returns a remark on depots at which vehicles spend time before they leave.
pub(crate) fn slow_depots(services: impl Iterator<Item = f64>) -> Option<String> {
    let longest = services.fold(0.0, f64::max);
    (longest > 0.0).then(|| {
        format!("{WARNING}the depot has a service time of {longest}: every vehicle spends it before it leaves")
    })
}

/// Whether rounding makes other distances of those in the file.
fn rounded(instance: &Instance, rounding: Rounding) -> Option<String> {
    let how = match rounding {
        Rounding::Exact => return None,
        Rounding::OneDecimal => "down to one decimal",
        Rounding::Nearest => "to whole numbers",
    };
    let both = instance.edges != Edges::Euclidean;
    let (mut positive, mut lost, mut sum, mut change) = (0_u64, 0_u64, 0.0, 0.0);
    for i in 0..instance.sites.len() {
        for j in (0..instance.sites.len()).filter(|&j| j < i || both && j > i) {
            let way = plain_distance(instance, Rounding::Exact, i, j);
            let kept = plain_distance(instance, rounding, i, j);
            positive += u64::from(way > 0.0);
            lost += u64::from(way > 0.0 && kept <= 0.0);
            sum += way;
            change += (way - kept).abs();
        }
    }
    if lost == 0 && change <= UNREMARKABLE * sum {
        return None;
    }
    let lost = if lost > 0 { format!("{lost} of {positive} become 0, ") } else { String::new() };
    let part = (1000.0 * change / sum).round() / 10.0;
    Some(format!(
        "{WARNING}distances are rounded {how}: {lost}on average they change by {part} % (--set rounding=none keeps them)"
    ))
}

/// Whether closings differ and none of them can be missed.
fn idle(instance: &Instance, rounding: Rounding) -> Option<String> {
    let count = instance.sites.len();
    let longest = |i: usize| (0..count).map(|j| plain_distance(instance, rounding, i, j)).fold(0.0, f64::max);
    let all: f64 = (0..count).map(|i| longest(i) + instance.sites[i].service).sum();
    without_effect(instance.sites.iter().map(|site| (site.ready, site.due)), all)
}

/// Returns the remarks on a matrix and windows.
pub(crate) fn of_tsptw(instance: &tsptw::Instance) -> Vec<String> {
    let count = instance.nodes();
    let longest = |i: usize| (0..count).filter(|&j| j != i).map(|j| instance.way(i, j)).fold(0.0, f64::max);
    let all = (0..count).map(longest).sum();
    without_effect(instance.windows.iter().copied(), all).into_iter().collect()
}

/// `most`: what all ways and services take at most.
fn without_effect(windows: impl Iterator<Item = (f64, f64)> + Clone, most: f64) -> Option<String> {
    let opening = windows.clone().map(|window| window.0).fold(0.0, f64::max);
    let closings = || windows.clone().map(|window| window.1).filter(|closing| closing.is_finite());
    let (first, last) = (closings().fold(f64::INFINITY, f64::min), closings().fold(0.0, f64::max));
    // Where all are alike they say that there is none.
    (first < last && opening + most <= first).then(|| {
        format!(
            "{WARNING}no window can be missed: the first closes at {first}, all ways together take less: are they in \
             another unit than the distances?"
        )
    })
}
