//! Morpion Solitaire as a search problem.

use super::board::LINES;
use super::model::{Morpion, Position};
use super::rollout::Random;
use soloist::problem::{Entrant, Extras, Facts, Key};
use soloist::rollout::NamedRollout;
use soloist::{Problem, Score};

impl Problem for Morpion {
    type State = Position;
    type Move = u16;

    fn root(&self) -> Position {
        self.start.clone()
    }

    fn moves(&self, state: &Position, moves: &mut Vec<u16>) {
        moves.extend(state.0.lines().map(|line| line as u16));
    }

    /// A line that may not be drawn changes nothing.
    fn apply(&self, state: &mut Position, mv: u16) {
        if state.0.is_open(usize::from(mv)) {
            state.0.play(&self.rules, usize::from(mv), &mut ());
        }
    }

    fn score(&self, state: &Position) -> Score {
        Score::Feasible(f64::from(state.0.drawn))
    }

    fn code(&self, _state: &Position, mv: u16) -> u64 {
        u64::from(mv)
    }

    /// The number of lines that may be drawn next.
    fn potential(&self, state: &Position) -> Option<f64> {
        Some(f64::from(state.0.choices))
    }

    /// The set of lines drawn, which determines the dots, the score and everything to come.
    fn key(&self, state: &Position) -> Option<Key> {
        Some(state.0.key.into())
    }

    fn facts(&self) -> Facts {
        Facts { code_count: Some(LINES as u32), ..Facts::default() }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Morpion {
    /// NRPA of level 3 with two playouts an adaptation: with four million playouts of 5D and the seeds 1 to 3 it found
    /// 80, 80 and 82, with one playout an adaptation 78, 80 and 80, with four 80, 81 and 76. A clamp of the logits at
    /// 3, of use elsewhere, cost two moves of 5D and twenty of 5T.
    fn portfolio(&self) -> Vec<Entrant> {
        vec![Entrant::new("nrpa").set("level", 3).set("playouts", 2)]
    }

    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        vec![NamedRollout::new("random", "uniform over the lines that may be drawn", |_| Box::new(Random::default()))]
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(self.fingerprint)
    }
}
