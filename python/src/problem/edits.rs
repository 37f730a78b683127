//! A neighbourhood of a problem's own: the function `edit`.

use super::PyProblem;
use super::answers::{collect, real, returned};
use crate::moves::PyMove;
use pyo3::prelude::*;
use pyo3::types::PyList;
use soloist::problem::{Acceptance, Edits, Neighborhood};
use soloist::run::CheckpointError;
use soloist::{Problem, Sense};

/// The solution that is edited: its moves as Python has them, and its cost.
#[derive(Debug, Default)]
struct OwnEdits {
    moves: Option<Py<PyAny>>,
    cost: f64,
    proposal: Option<(Py<PyAny>, f64)>,
    /// A `random.Random`, which is seeded for each edit: then nothing of it has to be kept.
    random: Option<Py<PyAny>>,
}

impl PyProblem {
    /// Returns the neighbourhood of the function `edit`.
    pub(super) fn own_edits() -> Box<dyn Neighborhood<Self>> {
        Box::new(OwnEdits::default())
    }
}

impl Edits<PyProblem> for OwnEdits {
    fn propose(&mut self, problem: &PyProblem, acceptance: &mut Acceptance<'_>) -> Option<f64> {
        const EXPECTED: &str = "a pair of the change of the score and the new moves, or None";
        let (function, moves) = (problem.functions.edit.as_ref()?, self.moves.as_ref()?);
        // Of 32 bits, for which seeding is fastest.
        let seed = acceptance.rng.next_u64() >> 32;
        Python::attach(|py| {
            let random = &mut self.random;
            self.proposal = problem.ask(py, ("edit", None), None, || {
                if random.is_none() {
                    *random = Some(problem.functions.random.bind(py).call0()?.unbind());
                }
                let Some(random) = random else { return Ok(None) };
                random.bind(py).call_method1("seed", (seed,))?;
                let found = function.bind(py).call1((moves.bind(py), random.bind(py)))?;
                if found.is_none() {
                    return Ok(None);
                }
                let Ok((change, new)) = found.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() else {
                    return Err(returned("edit", &found, EXPECTED));
                };
                if new.is(moves.bind(py)) {
                    return Err(pyo3::exceptions::PyValueError::new_err(
                        "edit returned the moves that it was given: it must leave them as they are and return new ones",
                    ));
                }
                Ok(Some((new.unbind(), real("edit", &change, EXPECTED)?)))
            });
        });
        let sign = if problem.sense() == Sense::Minimize { 1.0 } else { -1.0 };
        self.proposal.as_ref().map(|proposal| sign * proposal.1)
    }

    fn accept(&mut self, problem: &PyProblem) {
        if let Some((moves, change)) = self.proposal.take() {
            self.cost += if problem.sense() == Sense::Minimize { change } else { -change };
            self.moves = Some(moves);
        }
    }

    fn reject(&mut self, _: &PyProblem) {
        self.proposal = None;
    }
}

impl Neighborhood<PyProblem> for OwnEdits {
    /// A solution that breaks constraints has no cost: it is edited by replays.
    fn start(&mut self, problem: &PyProblem, moves: &[PyMove]) -> bool {
        let mut end = problem.root();
        moves.iter().for_each(|&mv| problem.apply(&mut end, mv));
        let Some(score) = problem.score(&end).value() else { return false };
        self.cost = if problem.sense() == Sense::Minimize { score } else { -score };
        self.proposal = None;
        self.moves = Python::attach(|py| {
            problem.ask(py, ("edit", None), None, || {
                Ok(Some(PyList::new(py, moves.iter().map(|mv| mv.object(py)))?.into_any().unbind()))
            })
        });
        self.moves.is_some()
    }

    fn cost(&self, _: &PyProblem) -> f64 {
        self.cost
    }

    fn moves(&self, problem: &PyProblem, moves: &mut Vec<PyMove>) {
        let Some(held) = &self.moves else { return };
        Python::attach(|py| {
            problem.ask(py, ("edit", None), (), || {
                moves.clear();
                collect(&problem.guard, "edit", held.bind(py), moves)
            });
        });
    }

    fn save(&self) -> Vec<u8> {
        self.cost.to_le_bytes().to_vec()
    }

    fn load(&mut self, _: &PyProblem, bytes: &[u8]) -> Result<(), CheckpointError> {
        let cost = bytes.try_into().map(f64::from_le_bytes).ok().filter(|cost: &f64| cost.is_finite());
        self.cost = cost.ok_or(CheckpointError::Corrupt("the cost of a solution that is edited"))?;
        Ok(())
    }
}
