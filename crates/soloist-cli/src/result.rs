//! A result as JSON and as text.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use soloist::{Improvement, Method, Score, Sense, Setup, StopReason};
use soloist_problems::{Answer, AnyInstance, Domain, Options, Report};
use std::fmt::Write;

/// The version that results carry.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What was asked for: the part of a result that is known before the search.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) domain: &'a Domain,
    pub(crate) instance: &'a dyn AnyInstance,
    pub(crate) options: &'a Options,
    pub(crate) setup: &'a Setup,
}

/// What a run was asked to do, as results and records of runs name it.
#[derive(Debug, Serialize)]
pub(crate) struct Task<'a> {
    pub(crate) problem: &'a str,
    pub(crate) instance: &'a str,
    pub(crate) options: &'a Options,
    pub(crate) sense: &'static str,
    pub(crate) method: &'a str,
    pub(crate) parameters: Value,
    pub(crate) rollout: &'a str,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
}

impl<'a> Task<'a> {
    /// The task of a run on the instance called `instance`.
    pub(crate) fn new(
        domain: &'a Domain,
        instance: &'a str,
        options: &'a Options,
        sense: Sense,
        setup: &'a Setup,
    ) -> Self {
        Self {
            problem: domain.name,
            instance,
            options,
            sense: self::sense(sense),
            method: &setup.preset,
            parameters: parameters(&setup.method),
            rollout: setup.rollout.as_deref().unwrap_or_default(),
            seed: setup.seed,
            threads: setup.threads,
        }
    }
}

/// How a run ended, as results and records of runs tell it.
#[derive(Debug, Serialize)]
pub(crate) struct Ending {
    /// Null when no feasible solution is known.
    score: Value,
    feasible: bool,
    /// The degree of infeasibility; null for a feasible solution or none.
    violation: Value,
    optimal: bool,
    bound: Value,
    /// |score - bound| / |score|; null where one of them is unknown.
    gap: Value,
    playouts: u64,
    nodes: u64,
    /// Where the method has built a tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<Depths>,
    seconds: f64,
    stop: StopReason,
}

/// How deep the nodes of a tree are, in moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Depths {
    pub(crate) mean_depth: f64,
    pub(crate) deepest: u64,
}

impl Depths {
    /// Those of a run; `None`: its method has built no tree.
    pub(crate) fn of(report: &Report) -> Option<Self> {
        let tree = report.tree;
        (tree.nodes > 0).then(|| Self { mean_depth: tree.mean_depth(), deepest: tree.deepest })
    }
}

impl Ending {
    /// The end of a run.
    pub(crate) fn new(report: &Report) -> Self {
        Self {
            score: score(report.score()),
            feasible: value(report).is_some(),
            violation: violation(report.score()),
            optimal: report.optimal,
            bound: optional(report.bound),
            gap: optional(gap(report)),
            playouts: report.run.counters.playouts,
            nodes: report.run.counters.nodes,
            tree: Depths::of(report),
            seconds: report.run.elapsed.as_secs_f64(),
            stop: report.stop,
        }
    }
}

/// The JSON of a result. Everything but `seconds`, also those of the history, is the same for equal runs with count
/// limits.
#[derive(Debug, Serialize)]
pub(crate) struct ResultJson<'a> {
    #[serde(flatten)]
    task: Task<'a>,
    #[serde(flatten)]
    ending: Ending,
    /// The two numbers that the score stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pair: Option<[Value; 2]>,
    moves: &'a Value,
    solution: &'a Value,
    /// The next best different solutions, with --keep.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<Value>,
    history: Vec<Value>,
    /// What the method has decided and why.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    remarks: &'a [String],
    version: &'static str,
}

impl<'a> ResultJson<'a> {
    /// Collects a result.
    pub(crate) fn new(asked: Asked<'a>, report: &'a Report) -> Self {
        let Asked { domain, instance, options, setup } = asked;
        Self {
            task: Task::new(domain, instance.name(), options, instance.sense(), setup),
            ending: Ending::new(report),
            pair: value(report).and_then(|score| instance.pair(score)).map(|(a, b)| [number(a), number(b)]),
            moves: report.moves(),
            solution: report.solution(),
            others: report.answers.iter().skip(1).map(other).collect(),
            history: report.history.iter().map(timed).collect(),
            remarks: &report.remarks,
            version: VERSION,
        }
    }

    /// The object on one line, with its newline.
    pub(crate) fn line(&self) -> String {
        line(self)
    }
}

/// A number that may be unknown.
pub(crate) fn optional(number: Option<f64>) -> Value {
    number.map_or(Value::Null, self::number)
}

/// The relative gap between the score and the bound.
pub(crate) fn gap(report: &Report) -> Option<f64> {
    soloist::gap(report.score()?.value()?, report.bound?)
}

/// The gap for people: `1.2 %`.
pub(crate) fn percent(gap: f64) -> String {
    format!("{} %", plain((gap * 1e4).round() / 1e2))
}

/// An object on one line, with its newline.
pub(crate) fn line(object: &impl Serialize) -> String {
    let mut line = serde_json::to_string(object).expect("plain data is always encodable in memory");
    line.push('\n');
    line
}

/// The objective value of the solution, if it is feasible.
pub(crate) fn value(report: &Report) -> Option<f64> {
    report.score().and_then(Score::value)
}

/// A number, as an integer when it is one; null when it is not finite, which JSON cannot say.
pub(crate) fn number(value: f64) -> Value {
    // Up to 2^53 every integer is exact.
    if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 {
        Value::from(value as i64)
    } else {
        Value::from(value)
    }
}

/// A feasible score as a number, else null.
pub(crate) fn score(score: Option<Score>) -> Value {
    score.and_then(Score::value).map_or(Value::Null, number)
}

/// The degree of infeasibility, else null.
pub(crate) fn violation(score: Option<Score>) -> Value {
    score.and_then(Score::violation).map_or(Value::Null, number)
}

/// `maximize` or `minimize`.
pub(crate) fn sense(sense: Sense) -> &'static str {
    match sense {
        Sense::Maximize => "maximize",
        Sense::Minimize => "minimize",
    }
}

/// One improvement of the incumbent, with the seconds of the run.
fn timed(event: &Improvement) -> Value {
    let mut object = improvement(event);
    object["seconds"] = event.elapsed.as_secs_f64().into();
    object
}

/// One improvement of the incumbent.
pub(crate) fn improvement(improvement: &Improvement) -> Value {
    let mut object = Map::new();
    object.insert("playouts".into(), improvement.playouts.into());
    object.insert("score".into(), score(Some(improvement.score)));
    object.insert("stream".into(), improvement.stream.into());
    if let Some(degree) = improvement.score.violation() {
        object.insert("violation".into(), number(degree));
    }
    Value::Object(object)
}

/// A solution behind the best one.
fn other(answer: &Answer) -> Value {
    json!({ "score": score(Some(answer.score)), "moves": answer.moves, "solution": answer.solution })
}

/// The parameters of a method by name: numbers and booleans as such, choices (and `inf`) as strings.
pub(crate) fn parameters(method: &Method) -> Value {
    let entry = |text: &str| match (text.parse::<u64>(), text.parse::<f64>(), text.parse::<bool>()) {
        (Ok(whole), ..) => Value::from(whole),
        (_, Ok(real), _) if real.is_finite() => number(real),
        (_, _, Ok(flag)) => Value::from(flag),
        _ => Value::from(text),
    };
    let all = method.parameters().into_iter();
    Value::Object(all.map(|parameter| (parameter.name.to_owned(), entry(&parameter.value))).collect())
}

/// A method as it would be asked for: its name, and the parameters in which it differs from the preset of that name.
pub(crate) fn method_call(name: &str, method: &Method) -> String {
    let mut text = name.to_owned();
    let usual = Method::preset(name).map(|preset| preset.parameters()).unwrap_or_default();
    for parameter in method.parameters() {
        if !usual.contains(&parameter) {
            let _ = write!(text, " {}={}", parameter.name, parameter.value);
        }
    }
    text
}

/// The method in one line: name, unusual parameters, rollout, seed, threads.
pub(crate) fn method_line(setup: &Setup) -> String {
    let mut line = method_call(&setup.preset, &setup.method);
    let streams = if setup.threads == 1 { "thread" } else { "threads" };
    let rollout = setup.rollout.as_deref().unwrap_or_default();
    let _ = write!(line, ", rollout {rollout}, seed {}, {} {streams}", setup.seed, setup.threads);
    line
}

/// A score of an instance for people.
pub(crate) fn show(instance: &dyn AnyInstance, score: Score) -> String {
    match score {
        Score::Feasible(value) => show_value(instance, value),
        Score::Infeasible(degree) => format!("infeasible by {}", plain(degree)),
    }
}

/// A score or bound of an instance for people: a number, or the two that it stands for.
pub(crate) fn show_value(instance: &dyn AnyInstance, value: f64) -> String {
    match instance.pair(value) {
        Some((first, second)) => format!("{} / {}", plain(first), plain((second * 1e6).round() / 1e6)),
        None => plain(value),
    }
}

/// A number for people: integers without a point, others to nine significant digits or so.
pub(crate) fn plain(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    if !(1e-4..1e15).contains(&value.abs()) {
        return format!("{value:e}");
    }
    let digits = (8 - value.abs().log10().floor() as i32).clamp(1, 12) as usize;
    let text = format!("{value:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A count for people: `987`, `45.1k`, `1.23M`.
pub(crate) fn short(count: f64) -> String {
    // The limits are where rounding to three digits reaches the next unit.
    match count {
        c if c < 999.5 => format!("{c:.0}"),
        c if c < 999_500.0 => format!("{}k", three(c / 1e3)),
        c if c < 999_500_000.0 => format!("{}M", three(c / 1e6)),
        c => format!("{}G", three(c / 1e9)),
    }
}

fn three(value: f64) -> String {
    let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.digits$}")
}

/// The result for people.
pub(crate) fn text(asked: Asked<'_>, report: &Report) -> String {
    let Asked { domain, instance, options, setup } = asked;
    let seconds = report.run.elapsed.as_secs_f64();
    let bound = match report.bound {
        _ if report.optimal && value(report).is_some() => ", proven optimal".to_owned(),
        _ if report.optimal => ", proven infeasible".to_owned(),
        Some(bound) => {
            // A gap in percent says nothing about a pair.
            let gap = gap(report).filter(|_| instance.pair(bound).is_none());
            let gap = gap.map_or_else(String::new, |gap| format!(", gap {}", percent(gap)));
            format!(", bound {}{gap}", show_value(instance, bound))
        }
        None => String::new(),
    };
    let mut text = format!("{} {}: {}\n", domain.name, instance.name(), instance.describe());
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<9} {value}");
    };
    row(
        "score",
        &(report.score().map_or_else(
            || "none: no solution was finished within the limits".to_owned(),
            |score| show(instance, score),
        ) + &bound),
    );
    row("stopped", &format!("{} after {} s", stop_text(report.stop), plain((seconds * 1000.0).round() / 1000.0)));
    let counters = report.run.counters;
    let nodes = match Depths::of(report) {
        Some(tree) => {
            format!(", {} nodes ({:.1} deep on average, at most {})", counters.nodes, tree.mean_depth, tree.deepest)
        }
        None if counters.nodes > 0 => format!(", {} nodes", counters.nodes),
        None => String::new(),
    };
    let rate = short(counters.playouts as f64 / seconds.max(1e-9));
    row("effort", &format!("{} playouts{nodes}, {rate}/s", counters.playouts));
    row("method", &method_line(setup));
    report.remarks.iter().for_each(|remark| row("", remark));
    if !options.is_empty() {
        let options: Vec<_> = options.iter().map(|(key, value)| format!("{key}={value}")).collect();
        row("options", &options.join(" "));
    }
    row("version", &format!("soloist {VERSION}"));
    for answer in report.answers.iter().skip(1) {
        let _ = writeln!(text, "{:<9} {}", "also", show(instance, answer.score));
    }
    for answer in &report.answers {
        text.push('\n');
        text.push_str(instance.text(&answer.solution).trim_end());
        text.push('\n');
    }
    text
}

fn stop_text(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Time => "by time",
        StopReason::Playouts => "by playouts",
        StopReason::Nodes => "by nodes",
        StopReason::Target => "at the target",
        StopReason::Stall => "without improvement",
        StopReason::Exhausted => "with the whole space searched",
        StopReason::Bound => "at the bound: optimal",
        StopReason::Completed => "at the method's own end",
        StopReason::Interrupted => "by a signal",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(number(3.0).to_string(), "3");
        assert_eq!(number(-0.0).to_string(), "0");
        assert_eq!(number(0.5).to_string(), "0.5");
        assert_eq!(number(f64::INFINITY), Value::Null);
        assert_eq!(number(1e300).to_string(), "1e+300");
        for (value, text) in [(3.0, "3"), (1650.8, "1650.8"), (0.1 + 0.2, "0.3"), (1e20, "1e20"), (0.0, "0")] {
            assert_eq!(plain(value), text);
        }
        for (value, text) in
            [(0.0, "0"), (999.4, "999"), (999.6, "1.00k"), (45_120.0, "45.1k"), (1_234_567.0, "1.23M"), (2e9, "2.00G")]
        {
            assert_eq!(short(value), text);
        }
    }
}
