//! Runs CABS of rpid and says in one line of JSON what it found.

use rpid::prelude::*;
use rpid::solvers;
use std::fmt::Write;
use std::hash::Hash;
use std::time::Instant;

pub(crate) struct Limits {
    pub(crate) seconds: f64,
    pub(crate) threads: usize,
}

/// What the command has to know of a model beside rpid's traits.
pub(crate) trait Model: Dp<CostType = i64, Label: ToString> {
    /// The moves that the verifier takes, as JSON.
    fn moves(&self, labels: &[Self::Label]) -> Vec<String> {
        labels.iter().map(ToString::to_string).collect()
    }

    /// The value that the verifier computes, as JSON.
    fn value(&self, cost: i64) -> String {
        cost.to_string()
    }
}

pub(crate) fn solve<M, S, L, K>(model: M, limits: &Limits) -> String
where
    M: Model<State = S, Label = L> + Dominance<State = S, Key = K> + Bound<State = S, CostType = i64> + Clone + Send,
    S: Clone + Send,
    L: Default + Copy + Send + Sync,
    K: Hash + Eq,
{
    let own = model.clone();
    let parameters = SearchParameters { quiet: true, time_limit: Some(limits.seconds), ..Default::default() };
    let begin = Instant::now();
    let mut search = match limits.threads {
        1 => solvers::create_cabs(model, parameters, CabsParameters::default()),
        threads => solvers::create_parallel_cabs(model, parameters, CabsParameters::default(), threads),
    };
    let mut improvements: Vec<(f64, i64)> = Vec::new();
    let last = loop {
        let (solution, ended) = search.search_next();
        if let Some(cost) = solution.cost
            && improvements.last().is_none_or(|(_, before)| *before != cost)
        {
            improvements.push((begin.elapsed().as_secs_f64(), cost));
        }
        if ended {
            break solution;
        }
    };
    let or_null = |text: Option<String>| text.unwrap_or_else(|| "null".to_owned());
    let mut line = format!("{{\"value\": {}", or_null(last.cost.map(|cost| own.value(cost))));
    let _ = write!(line, ", \"proven\": {}, \"infeasible\": {}", last.is_optimal, last.is_infeasible);
    let _ = write!(line, ", \"first\": {}", or_null(improvements.first().map(|(time, _)| format!("{time:.6}"))));
    let moves = last.cost.map(|_| format!("[{}]", own.moves(&last.transitions).join(", ")));
    let _ = write!(line, ", \"moves\": {}", or_null(moves));
    let _ = write!(line, ", \"bound\": {}", or_null(last.best_bound.map(|bound| own.value(bound))));
    let rows = improvements.iter().map(|(time, cost)| format!("[{time:.6}, {}]", own.value(*cost)));
    let _ = write!(line, ", \"improvements\": [{}]", rows.collect::<Vec<_>>().join(", "));
    let _ = write!(line, ", \"expanded\": {}, \"generated\": {}}}", last.expanded, last.generated);
    line
}
