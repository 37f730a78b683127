//! Independent verification of tours: times are recomputed from the matrix of the file, without the search.

use super::{Instance, Objective};
use serde_json::Value;
use soloist_domain::Checked;
use soloist_domain::answer::{Answer, Claims, short, words};
use soloist_domain::error::quote;

/// Lateness that is forgiven: rounding errors of published tours.
const LATENESS: f64 = 1e-6;

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

/// A number for a message: no more than six decimals.
pub(super) fn shown(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Verifies a tour: every node but the depot once, each within its window, back before the depot closes. Zeros at its
/// ends are the depot.
///
/// # Errors
/// One line: the first violation along the tour.
pub fn verify(instance: &Instance, tour: &[u32]) -> Result<Totals, String> {
    let mut tour = tour;
    while let [0, rest @ ..] | [rest @ .., 0] = tour {
        tour = rest;
    }
    let nodes = instance.windows.len();
    let mut seen = vec![false; nodes];
    let (mut time, mut last, mut travel) = (instance.windows[0].0, 0_usize, 0.0);
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
        let way = instance.matrix[last * nodes + at];
        let arrival = time + way;
        let (opens, closes) = instance.windows[at];
        if arrival > closes + LATENESS {
            let (arrival, closes, late) = (shown(arrival), shown(closes), shown(arrival - closes));
            return Err(format!("node {node} is reached at {arrival}, {late} after its window closes at {closes}"));
        }
        time = if arrival < opens { opens } else { arrival };
        travel += way;
        starts.push(time);
        last = at;
    }
    if let Some(node) = (1..nodes).find(|&node| !seen[node]) {
        return Err(format!("node {node} is not visited: {}", reason(instance, tour, node)));
    }
    let way = instance.matrix[last * nodes];
    let closes = instance.windows[0].1;
    if time + way > closes + LATENESS {
        return Err(format!("the depot is reached at {}, it closes at {}", shown(time + way), shown(closes)));
    }
    Ok(Totals { travel: travel + way, makespan: time + way, starts })
}

/// Whether a sequence of different nodes keeps its windows.
fn in_time(instance: &Instance, tour: impl Iterator<Item = usize>) -> bool {
    let (mut time, mut last) = (instance.windows[0].0, 0);
    for node in tour.chain([0]) {
        time += instance.matrix[last * instance.windows.len() + node];
        if time > instance.windows[node].1 + LATENESS {
            return false;
        }
        time = time.max(instance.windows[node].0);
        last = node;
    }
    true
}

/// Why a node is not in the tour.
fn reason(instance: &Instance, tour: &[u32], node: usize) -> String {
    let nodes = |tour: &[u32]| tour.iter().map(|&node| node as usize).collect::<Vec<_>>();
    if !in_time(instance, std::iter::once(node)) {
        return "its window is missed even by a tour of it alone".into();
    }
    let tour = nodes(tour);
    for place in 0..=tour.len() {
        if in_time(instance, tour[..place].iter().copied().chain([node]).chain(tour[place..].iter().copied())) {
            return match place {
                0 => "it fits at the beginning of the tour".into(),
                _ => format!("it fits behind node {}", tour[place - 1]),
            };
        }
    }
    "at every place some window is missed".into()
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
        let solution = claims.solution()?;
        let found = [
            ("travel", solution.get("travel"), totals.travel),
            ("makespan", solution.get("makespan"), totals.makespan),
            ("score", claims.get("score"), score),
        ];
        for (name, claimed, found) in found {
            if let Some(claimed) = claimed
                && claimed.as_f64().is_none_or(|claimed| (claimed - found).abs() > 1e-8 * found.abs().max(1.0))
            {
                return Err(format!("claims the {name} {}, recomputed: {}", short(claimed), shown(found)));
            }
        }
    }
    let (nodes, travel, makespan) = (instance.windows.len(), shown(totals.travel), shown(totals.makespan));
    Ok(Checked { score, summary: format!("{nodes} nodes with the depot, travel cost {travel}, makespan {makespan}") })
}

/// The nodes of a text in one of the forms that [`check`] reads, and the claims of a result.
pub(super) fn tour(text: &str) -> Result<(Vec<u32>, Option<Claims>), String> {
    Ok(match Answer::read(text)? {
        Answer::Plain(text) => (plain(text)?, None),
        Answer::List(list) => (numbers(&list)?, None),
        Answer::Object(claims) => {
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
