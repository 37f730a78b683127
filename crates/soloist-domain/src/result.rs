//! What results and records of runs have in common: numbers and names as JSON has them.

pub use crate::number::number;
use crate::{AnyInstance, Domain, Options, Report};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use soloist::{Method, Score, Sense, Setup};

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

/// Returns a number that may be unknown.
#[must_use]
pub fn optional(number: Option<f64>) -> Value {
    number.map_or(Value::Null, self::number)
}

/// Returns the relative gap between the score and the bound.
#[must_use]
pub fn gap(report: &Report) -> Option<f64> {
    soloist::run::gap(report.score()?.value()?, report.bound?)
}

/// Returns an object on one line, with its newline.
#[must_use]
pub fn line(object: &impl Serialize) -> String {
    let mut line = serde_json::to_string(object).expect("plain data is always encodable in memory");
    line.push('\n');
    line
}

/// Returns the objective value of the solution, if it is feasible.
#[must_use]
pub fn value(report: &Report) -> Option<f64> {
    report.score().and_then(Score::value)
}

/// Returns a feasible score as a number, else null.
#[must_use]
pub fn score(score: Option<Score>) -> Value {
    score.and_then(Score::value).map_or(Value::Null, number)
}

/// Returns the degree of infeasibility, else null.
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

/// Returns the parameters of a method by name: numbers and booleans as such, choices (and `inf`) as strings.
#[must_use]
pub fn parameters(method: &Method) -> Map<String, Value> {
    let entry = |text: &str| match (text.parse::<u64>(), text.parse::<f64>(), text.parse::<bool>()) {
        (Ok(whole), ..) => Value::from(whole),
        (_, Ok(real), _) if real.is_finite() => number(real),
        (_, _, Ok(flag)) => Value::from(flag),
        _ => Value::from(text),
    };
    let all = method.parameters().into_iter();
    all.map(|parameter| (parameter.name.to_owned(), entry(&parameter.value))).collect()
}

/// Returns the parameters of a setup's method, and `proof` where an attempt at a proof is made.
#[must_use]
pub fn parameters_of(setup: &Setup) -> Map<String, Value> {
    let mut all = parameters(&setup.method);
    if setup.proof > 0.0 {
        all.insert("proof".to_owned(), number(setup.proof));
    }
    all
}

/// Returns an object. Unlike the macro of `serde_json`, it is compiled once.
#[must_use]
pub fn object(fields: Vec<(&str, Value)>) -> Value {
    fields.into_iter().collect()
}

/// Whether two scores are the same up to rounding.
#[must_use]
pub fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// Writes whole numbers without a point, and what JSON cannot say as null.
#[allow(clippy::ref_option, reason = "serde asks for this signature")]
pub(crate) fn serialize_number<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    optional(*value).serialize(serializer)
}
