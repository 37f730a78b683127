//! What kind of solution a problem has, seen from random games, and which edits suit it.

use super::edits::{EDITS, Edit};
use crate::Rng;
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use std::collections::HashMap;

/// Games that are looked at, and the moves listed in them, at most.
const GAMES: usize = 3;
const LISTED: usize = 60_000;

/// What a solution consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The same decisions in every solution, in another order; or too little is known.
    Order,
    /// A decision at each of as many places in every solution: the places are given, what is decided there differs.
    Assignment,
    /// Decisions of which solutions hold some, at different places.
    Subset,
}

impl Kind {
    /// Looks at a few random games, which are the same at each call. Games that are too long for the moves that may be
    /// listed are not looked at.
    pub(crate) fn of(problem: &dyn ErasedProblem, name: &dyn Fn(&State, MoveId) -> u64) -> Self {
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
        Self::told(&games)
    }

    /// Tells the kind from the names of the decisions of a few games.
    fn told(games: &[Vec<u64>]) -> Self {
        let sorted = |game: &Vec<u64>| {
            let mut game = game.clone();
            game.sort_unstable();
            game
        };
        let Some((first, others)) = games.split_first().filter(|(first, others)| first.len() > 2 && !others.is_empty())
        else {
            return Self::Order;
        };
        let set = sorted(first);
        if others.iter().all(|game| sorted(game) == set) {
            return Self::Order;
        }
        let repeats = games.iter().any(|game| sorted(game).windows(2).any(|pair| pair[0] == pair[1]));
        let even = others.iter().all(|game| game.len() == first.len());
        let mut places: HashMap<u64, usize> = HashMap::new();
        let decisions = || games.iter().flat_map(|game| game.iter().enumerate());
        let moves = decisions().any(|(place, name)| *places.entry(*name).or_insert(place) != place);
        match (repeats, moves) {
            // Labels, as the two sides of a cut; or the moves of a game, if its length differs.
            (true, _) if even => Self::Assignment,
            (true, _) => Self::Order,
            (false, false) => Self::Assignment,
            (false, true) => Self::Subset,
        }
    }

    /// The weights of the edits that suit it. `None`: those of orders, which are the defaults.
    pub(super) fn weights(self) -> Option<[u64; EDITS.len()]> {
        let suited: &[(Edit, u64)] = match self {
            Self::Order => return None,
            Self::Assignment => &[(Edit::Replace, 16), (Edit::Change, 4), (Edit::Recreate, 1), (Edit::Swap, 1)],
            Self::Subset => &[
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_from_games() {
        for (games, expected) in [
            (vec![vec![1, 2, 3, 4], vec![4, 2, 1, 3]], Kind::Order),
            // Operations of jobs, named by the job.
            (vec![vec![1, 1, 2, 2], vec![2, 1, 2, 1]], Kind::Order),
            (vec![vec![0, 1, 1, 0], vec![1, 1, 1, 0]], Kind::Assignment),
            (vec![vec![10, 21, 30, 40], vec![11, 20, 30, 41]], Kind::Assignment),
            (vec![vec![5, 2, 9], vec![9, 4, 2, 7]], Kind::Subset),
            // Steps of a path that ends sooner or later.
            (vec![vec![1, 1, 2, 2], vec![2, 1, 2]], Kind::Order),
            (vec![vec![1, 2, 3, 4]], Kind::Order),
            (vec![], Kind::Order),
        ] {
            assert_eq!(Kind::told(&games), expected, "{games:?}");
        }
    }
}
