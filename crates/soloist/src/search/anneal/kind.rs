//! Which edits suit the kind of solution that a problem has.

use super::edits::{EDITS, Edit};
use crate::Rng;
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::problem::SolutionKind;

/// Games that are looked at, and the moves listed in them, at most.
const GAMES: usize = 3;
const LISTED: usize = 60_000;

/// Looks at a few random games, which are the same at each call. Games that are too long for the moves that may be
/// listed are not looked at.
pub(super) fn kind_of(problem: &dyn ErasedProblem, name: &dyn Fn(&State, MoveId) -> u64) -> SolutionKind {
    let (mut rng, mut listed) = (Rng::new(0), 0);
    let mut games: Vec<Vec<u64>> = Vec::new();
    let mut moves = Vec::new();
    'games: for _ in 0..GAMES {
        let (mut state, mut game) = (problem.root(), Vec::new());
        loop {
            moves.clear();
            problem.moves(&state, &mut moves);
            listed += moves.len().max(1);
            if moves.is_empty() {
                break;
            }
            if listed > LISTED || problem.has_failed() || problem.watch().gives_up(game.len()) {
                break 'games;
            }
            let mv = moves[rng.index(moves.len())];
            game.push(name(&state, mv));
            problem.apply(&mut state, mv);
        }
        games.push(game);
    }
    SolutionKind::of(&games)
}

/// The weights of the edits that suit a kind. `None`: those of orders, which are the defaults.
pub(super) fn weights(kind: SolutionKind) -> Option<[u64; EDITS.len()]> {
    let suited: &[(Edit, u64)] = match kind {
        SolutionKind::Order | SolutionKind::Other => return None,
        SolutionKind::Assignment => &[(Edit::Replace, 16), (Edit::Change, 4), (Edit::Recreate, 1), (Edit::Swap, 1)],
        SolutionKind::Subset => &[
            (Edit::Change, 6),
            (Edit::Replace, 4),
            (Edit::Remove, 4),
            (Edit::Insert, 2),
            (Edit::Guide, 2),
            (Edit::Swap, 1),
            (Edit::Shuffle, 1),
            (Edit::Recreate, 1),
        ],
    };
    let weight = |edit| suited.iter().find(|(own, _)| *own == edit).map_or(0, |(_, weight)| *weight);
    Some(EDITS.map(weight))
}
