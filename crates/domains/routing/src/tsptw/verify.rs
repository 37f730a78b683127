//! Independent verification of tours: times are recomputed from the matrix of the file, without the search.

use super::{Instance, Objective};
use crate::verdict::{Amount, Decimal, allowed, compare, in_units, is_short, shown};
use serde_json::Value;
use soloist_domain::Checked;
use soloist_domain::answer::{Claims, SubmittedSolution, short, words};
use soloist_domain::error::quote;

/// What a tour adds up to.
#[derive(Clone, Debug, PartialEq)]
pub struct Totals {
    /// Sum of the matrix entries.
    pub travel: f64,
    /// The time of the return, waiting included.
    pub makespan: f64,
    /// By place in the tour: when the visit begins.
    pub starts: Vec<f64>,
}

/// An instance in the numbers that its rules ask for.
struct Judge<'i, T> {
    instance: &'i Instance,
    /// Opening and closing of each node.
    windows: Vec<(T, T)>,
    /// These make one of the file.
    unit: f64,
    amount: fn(f64, u32) -> T,
    decimals: u32,
}

/// Returns whole numbers for a decimal instance, `None` for any other.
fn whole(instance: &Instance) -> Option<Judge<'_, i128>> {
    let n = instance.windows.len();
    let ways = || instance.matrix.iter().enumerate().filter(|(at, _)| at / n != at % n).map(|(_, &way)| way);
    let times = instance.windows.iter().flat_map(|&(opens, closes)| [opens, closes]);
    let decimals = Decimal::places(ways().chain(times.filter(|time| time.is_finite())))?;
    let amount = |value: f64, decimals: u32| in_units(value, decimals).unwrap_or(i128::MAX);
    let windows: Vec<(i128, i128)> =
        instance.windows.iter().map(|&(opens, closes)| (amount(opens, decimals), amount(closes, decimals))).collect();
    let longest = amount(ways().fold(0.0, f64::max), decimals);
    let latest = windows.iter().map(|window| window.0).max()?;
    let unit = 10_f64.powi(decimals as i32);
    is_short(n, longest, 0, latest).then_some(Judge { instance, windows, unit, amount, decimals })
}

fn doubles(instance: &Instance) -> Judge<'_, f64> {
    Judge { instance, windows: instance.windows.clone(), unit: 1.0, amount: |value, _| value, decimals: 0 }
}

impl<T: Amount> Judge<'_, T> {
    fn way(&self, from: usize, to: usize) -> T {
        (self.amount)(self.instance.matrix[from * self.windows.len() + to], self.decimals)
    }

    /// A number for a message.
    fn shown(&self, value: T) -> String {
        shown(value.plain(self.unit))
    }

    /// What is said of the tolerance at a closing.
    fn allowed(&self, closing: T) -> String {
        allowed(T::tolerance(closing).plain(self.unit))
    }

    fn is_late(time: T, closing: T) -> bool {
        time > closing + T::tolerance(closing)
    }

    fn verify(&self, tour: &[u32]) -> Result<Totals, String> {
        let nodes = self.windows.len();
        let mut seen = vec![false; nodes];
        let (mut time, mut last, mut travel) = (self.windows[0].0, 0_usize, T::ZERO);
        let mut starts = Vec::with_capacity(tour.len());
        for (place, &node) in tour.iter().enumerate() {
            let at = node as usize;
            if node == 0 {
                return Err(format!("the tour returns to the depot, node 0, at place {}", place + 1));
            }
            if at >= nodes {
                return Err(format!("node {node} does not exist: there are {}, counted from 1", nodes - 1));
            }
            if std::mem::replace(&mut seen[at], true) {
                return Err(format!("node {node} is visited twice"));
            }
            let way = self.way(last, at);
            let arrival = time + way;
            let (opens, closes) = self.windows[at];
            if Self::is_late(arrival, closes) {
                let late = shown(arrival.plain(self.unit) - closes.plain(self.unit));
                let (arrival, closes, allowed) = (self.shown(arrival), self.shown(closes), self.allowed(closes));
                return Err(format!(
                    "node {node} is reached at {arrival}, {late} after its window closes at {closes}{allowed}"
                ));
            }
            time = if arrival < opens { opens } else { arrival };
            travel = travel + way;
            last = at;
            starts.push(time.plain(self.unit));
        }
        if let Some(node) = (1..nodes).find(|&node| !seen[node]) {
            return Err(format!("node {node} is not visited: {}", self.reason(tour, node)));
        }
        let way = self.way(last, 0);
        let closes = self.windows[0].1;
        if Self::is_late(time + way, closes) {
            let (back, closes, allowed) = (self.shown(time + way), self.shown(closes), self.allowed(closes));
            return Err(format!("the depot is reached at {back}, it closes at {closes}{allowed}"));
        }
        Ok(Totals { travel: (travel + way).plain(self.unit), makespan: (time + way).plain(self.unit), starts })
    }

    /// Whether a tour of existing nodes meets every window on its way.
    fn in_time(&self, tour: impl Iterator<Item = usize>) -> bool {
        let (mut time, mut last) = (self.windows[0].0, 0);
        for node in tour.chain([0]) {
            time = time + self.way(last, node);
            let (opens, closes) = self.windows[node];
            if Self::is_late(time, closes) {
                return false;
            }
            time = if time < opens { opens } else { time };
            last = node;
        }
        true
    }

    /// Why a node is not in the tour.
    fn reason(&self, tour: &[u32], node: usize) -> String {
        if !self.in_time(std::iter::once(node)) {
            return "its window is missed even by a tour of it alone".into();
        }
        let tour: Vec<usize> = tour.iter().map(|&node| node as usize).collect();
        for place in 0..=tour.len() {
            if self.in_time(tour[..place].iter().copied().chain([node]).chain(tour[place..].iter().copied())) {
                return match place {
                    0 => "it fits at the beginning of the tour".into(),
                    _ => format!("it fits behind node {}", tour[place - 1]),
                };
            }
        }
        "at every place some window is missed".into()
    }
}

/// Verifies a tour: every node but the depot once, each within its window, back before the depot closes. Zeros at its
/// ends are the depot. Times are exact in a decimal instance, in others a visit may be late by the tolerance: see
/// [`rules`](crate::rules).
///
/// # Errors
/// One line: the first violation along the tour.
pub fn verify(instance: &Instance, tour: &[u32]) -> Result<Totals, String> {
    let mut tour = tour;
    while let [0, rest @ ..] | [rest @ .., 0] = tour {
        tour = rest;
    }
    match whole(instance) {
        Some(judge) => judge.verify(tour),
        None => doubles(instance).verify(tour),
    }
}

/// Verifies a solution.
///
/// `text` is one of
/// - a result of `soloist solve --json`: an object with `solution` and, checked when present, `problem`, `feasible` and
///   `score`;
/// - its `solution` alone: `{"tour": [2, 1], "travel": 7, "makespan": 9}`, the numbers being checked when present;
/// - a JSON list of nodes;
/// - plain nodes separated by blanks, commas or line ends, with `#` comments.
///
/// The depot, node 0, may stand at the beginning and at the end of the tour.
///
/// # Errors
/// One line: text that cannot be read, the first violation, a claim that does not hold.
pub fn check(instance: &Instance, objective: Objective, text: &str) -> Result<Checked, String> {
    let (tour, claims) = tour(text)?;
    let totals = verify(instance, &tour)?;
    let score = match objective {
        Objective::Travel => totals.travel,
        Objective::Makespan => totals.makespan,
    };
    if let Some(claims) = claims {
        claims.feasible()?;
        let found = [("travel", totals.travel), ("makespan", totals.makespan), ("score", score)];
        compare(&claims, &found, 0.0)?;
    }
    let (nodes, travel, makespan) = (instance.windows.len(), shown(totals.travel), shown(totals.makespan));
    Ok(Checked { score, summary: format!("{nodes} nodes with the depot, travel cost {travel}, makespan {makespan}") })
}

/// Returns the nodes of a text in one of the forms that [`check`] reads, and the claims of a result.
pub(super) fn tour(text: &str) -> Result<(Vec<u32>, Option<Claims>), String> {
    Ok(match SubmittedSolution::read(text)? {
        SubmittedSolution::Plain(text) => (plain(text)?, None),
        SubmittedSolution::List(list) => (numbers(&list)?, None),
        SubmittedSolution::Object(claims) => {
            if let Some(other) = claims.foreign("tsptw") {
                return Err(format!("a solution of {other}, expected tsptw"));
            }
            (numbers(claims.solution()?.get("tour").ok_or("no list `tour`")?)?, Some(claims))
        }
    })
}

fn plain(text: &str) -> Result<Vec<u32>, String> {
    let node = |(line, word): (usize, &str)| {
        let digits = word.bytes().all(|byte| byte.is_ascii_digit());
        let value = word.parse().ok().filter(|_| digits);
        value.ok_or_else(|| format!("line {line}: node {}, expected a number", quote(word.as_bytes())))
    };
    words(text).map(node).collect()
}

fn numbers(list: &Value) -> Result<Vec<u32>, String> {
    let list = list.as_array().ok_or("`tour` is not a list")?;
    let node = |value: &Value| {
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| format!("node {} is not a number from 0 on", short(value)))
    };
    list.iter().map(node).collect()
}
