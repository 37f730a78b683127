//! A result as JSON: what `soloist solve --json` prints, and what other programs that run a domain hand out.

use crate::{Answer, AnyInstance, Domain, Options, Report};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use soloist::{Budget, Improvement, Method, Score, Sense, Setup, StopReason};

/// The version that results carry.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What was asked for: the part of a result that is known before the search.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The problem.
    pub domain: &'a Domain,
    /// The instance.
    pub instance: &'a dyn AnyInstance,
    /// The rules in force, defaults included.
    pub options: &'a Options,
    /// Method, rollout, seed and threads.
    pub setup: &'a Setup,
}

impl std::fmt::Debug for Asked<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Setup { preset, seed, .. } = self.setup;
        write!(f, "{} {} by {preset}, seed {seed}", self.domain.name, self.instance.name())
    }
}

/// What a run was asked to do, as results and records of runs name it.
#[derive(Debug, Serialize)]
pub struct Task<'a> {
    /// The name of the problem.
    pub problem: &'a str,
    /// The name of the instance.
    pub instance: &'a str,
    /// The rules in force.
    pub options: &'a Options,
    /// `maximize` or `minimize`.
    pub sense: &'static str,
    /// The name of the preset.
    pub method: &'a str,
    /// All parameters of the method.
    pub parameters: Value,
    /// The name of the playout policy.
    pub rollout: &'a str,
    /// The seed.
    pub seed: u64,
    /// The number of streams.
    pub threads: usize,
}

impl<'a> Task<'a> {
    /// The task of a run on the instance called `instance`.
    #[must_use]
    pub fn new(domain: &'a Domain, instance: &'a str, options: &'a Options, sense: Sense, setup: &'a Setup) -> Self {
        Self {
            problem: domain.name,
            instance,
            options,
            sense: self::sense(sense),
            method: &setup.preset,
            parameters: parameters_of(setup),
            rollout: setup.rollout.as_deref().unwrap_or_default(),
            seed: setup.seed,
            threads: setup.threads,
        }
    }
}

/// How a run ended, as results and records of runs tell it.
#[derive(Debug, Serialize)]
pub struct Ending {
    /// Null when no feasible solution is known.
    score: Value,
    feasible: bool,
    /// The degree of infeasibility; null for a feasible solution or none.
    violation: Value,
    /// Whether the solution is feasible and proven optimal.
    optimal: bool,
    /// Whether it is proven that no solution is feasible.
    infeasible: bool,
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
pub struct Depths {
    /// The mean over the nodes.
    pub mean_depth: f64,
    /// That of the deepest node.
    pub deepest: u64,
}

impl Depths {
    /// Those of a run; `None`: its method has built no tree.
    #[must_use]
    pub fn of(report: &Report) -> Option<Self> {
        let tree = report.tree;
        (tree.nodes > 0).then(|| Self { mean_depth: tree.mean_depth(), deepest: tree.deepest })
    }
}

impl Ending {
    /// The end of a run.
    #[must_use]
    pub fn new(report: &Report) -> Self {
        Self {
            score: score(report.score()),
            feasible: value(report).is_some(),
            violation: violation(report.score()),
            optimal: report.optimal,
            infeasible: report.infeasible,
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
pub struct ResultJson<'a> {
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
    #[must_use]
    pub fn new(asked: Asked<'a>, report: &'a Report) -> Self {
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

    /// One solution of a report as a result of its own, without the other solutions and the history.
    fn alone(asked: Asked<'a>, report: &'a Report, answer: &'a Answer) -> Self {
        let Asked { domain, instance, options, setup } = asked;
        let value = answer.score.value();
        Self {
            task: Task::new(domain, instance.name(), options, instance.sense(), setup),
            ending: Ending {
                score: score(Some(answer.score)),
                feasible: value.is_some(),
                violation: violation(Some(answer.score)),
                ..Ending::new(report)
            },
            pair: value.and_then(|score| instance.pair(score)).map(|(a, b)| [number(a), number(b)]),
            moves: &answer.moves,
            solution: &answer.solution,
            others: Vec::new(),
            history: Vec::new(),
            remarks: &[],
            version: VERSION,
        }
    }

    /// The object on one line, with its newline.
    #[must_use]
    pub fn line(&self) -> String {
        line(self)
    }
}

/// A number that may be unknown.
#[must_use]
pub fn optional(number: Option<f64>) -> Value {
    number.map_or(Value::Null, self::number)
}

/// The relative gap between the score and the bound.
#[must_use]
pub fn gap(report: &Report) -> Option<f64> {
    soloist::gap(report.score()?.value()?, report.bound?)
}

/// An object on one line, with its newline.
#[must_use]
pub fn line(object: &impl Serialize) -> String {
    let mut line = serde_json::to_string(object).expect("plain data is always encodable in memory");
    line.push('\n');
    line
}

/// The objective value of the solution, if it is feasible.
#[must_use]
pub fn value(report: &Report) -> Option<f64> {
    report.score().and_then(Score::value)
}

/// A number, as an integer when it is one; null when it is not finite, which JSON cannot say.
#[must_use]
pub fn number(value: f64) -> Value {
    // Up to 2^53 every integer is exact.
    if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 {
        Value::from(value as i64)
    } else {
        Value::from(value)
    }
}

/// A feasible score as a number, else null.
#[must_use]
pub fn score(score: Option<Score>) -> Value {
    score.and_then(Score::value).map_or(Value::Null, number)
}

/// The degree of infeasibility, else null.
#[must_use]
pub fn violation(score: Option<Score>) -> Value {
    score.and_then(Score::violation).map_or(Value::Null, number)
}

/// `maximize` or `minimize`.
#[must_use]
pub fn sense(sense: Sense) -> &'static str {
    match sense {
        Sense::Maximize => "maximize",
        Sense::Minimize => "minimize",
    }
}

/// One improvement of the incumbent, with the seconds of the run.
#[must_use]
pub fn timed(event: &Improvement) -> Value {
    let mut object = improvement(event);
    object["seconds"] = event.elapsed.as_secs_f64().into();
    object
}

/// One improvement of the incumbent.
#[must_use]
pub fn improvement(improvement: &Improvement) -> Value {
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
#[must_use]
pub fn parameters(method: &Method) -> Value {
    let entry = |text: &str| match (text.parse::<u64>(), text.parse::<f64>(), text.parse::<bool>()) {
        (Ok(whole), ..) => Value::from(whole),
        (_, Ok(real), _) if real.is_finite() => number(real),
        (_, _, Ok(flag)) => Value::from(flag),
        _ => Value::from(text),
    };
    let all = method.parameters().into_iter();
    Value::Object(all.map(|parameter| (parameter.name.to_owned(), entry(&parameter.value))).collect())
}

/// The parameters of a setup's method, and `proof` where an attempt at a proof is made.
#[must_use]
pub fn parameters_of(setup: &Setup) -> Value {
    let mut all = parameters(&setup.method);
    if let Some(all) = all.as_object_mut().filter(|_| setup.proof > 0.0) {
        all.insert("proof".to_owned(), number(setup.proof));
    }
    all
}

/// Verifies the JSON of a result by the instance's checker, which shares nothing with the search.
///
/// # Errors
/// One line, when the checker refuses the solution or finds another score than the search: an internal error.
pub fn verify(instance: &dyn AnyInstance, json: &str, score: f64) -> Result<(), String> {
    match instance.check(json) {
        Ok(checked) if close(checked.score, score) => Ok(()),
        Ok(checked) => Err(format!(
            "internal error: the search claims score {}, verification finds {}",
            number(score),
            number(checked.score)
        )),
        Err(error) => Err(format!("internal error: the result fails verification: {error}")),
    }
}

/// Verifies all feasible solutions of a report as [`verify`] does, each by itself: checkers limit the length of a text,
/// and many solutions may be kept.
///
/// # Errors
/// As of [`verify`], for the first solution that fails.
pub fn verify_all(asked: Asked<'_>, report: &Report) -> Result<(), String> {
    let feasible = report.answers.iter().filter_map(|answer| Some((answer, answer.score.value()?)));
    for (answer, score) in feasible {
        verify(asked.instance, &ResultJson::alone(asked, report, answer).line(), score)?;
    }
    Ok(())
}

/// Whether two scores are the same up to rounding.
#[must_use]
pub fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// Why a search with these limits may never end, if that is so.
///
/// A target, or playouts without improvement, may never be met by any search; who asks for them knows. The other cases
/// are slips.
#[must_use]
pub fn endless(method: &Method, budget: &Budget) -> Option<&'static str> {
    if budget.time.is_some() || budget.target.is_some() {
        return None;
    }
    let systematic = match method {
        Method::BranchAndBound(_) | Method::IdaStar(_) => true,
        Method::Own(own) => own.is_exact(),
        _ => false,
    };
    let has_nodes = !matches!(method, Method::Sampling(_) | Method::Auto(_));
    if systematic && budget.nodes.is_none() {
        return Some(
            "it may finish no solution for very long, so that playouts never end it: give time or nodes as well",
        );
    }
    let only_nodes = budget.nodes.is_some() && [budget.playouts, budget.stall] == [None; 2];
    (only_nodes && !has_nodes)
        .then_some("it may count no nodes, so that a limit of nodes never ends it: give time or playouts")
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
    }
}
