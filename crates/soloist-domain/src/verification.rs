//! The verification of results by code that shares nothing with the search.

use crate::result::{Asked, close, number};
use crate::{AnyInstance, Report, RunRecord};

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
/// Same as for [`verify`], for the first solution that fails.
pub fn verify_all(asked: Asked<'_>, report: &Report) -> Result<(), String> {
    let feasible = report.answers.iter().filter_map(|answer| Some((answer, answer.score.value()?)));
    for (answer, score) in feasible {
        verify(asked.instance, &RunRecord::alone(asked, report, answer).line(), score)?;
    }
    Ok(())
}
