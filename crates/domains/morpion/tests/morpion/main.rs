//! Tests of Morpion Solitaire.

mod records;
mod rules;
mod runs;
mod texts;

use records::{HYYRO_PORANEN_4D_35, ROSIN_5D_82, ROSIN_5T_178};
use soloist::rollout::Playout;
use soloist::{Problem, Rng};
use soloist_morpion::*;

fn cross(variant: Variant) -> Morpion {
    Morpion::new(&Game::of(variant)).unwrap()
}

fn moves(problem: &Morpion, state: &Position) -> Vec<u16> {
    let mut moves = Vec::new();
    problem.moves(state, &mut moves);
    moves
}

/// The moves of a uniform playout.
fn random_game(problem: &Morpion, rng: &mut Rng) -> Vec<u16> {
    let mut playout = Playout::default();
    soloist::rollout::find_rollout(problem, "random").unwrap().run(problem, &mut problem.root(), &mut playout, rng);
    playout.moves
}

fn record(variant: Variant, text: &str) -> Game {
    parse("record", text.replace(';', "\n").as_bytes(), Some(variant)).unwrap()
}
