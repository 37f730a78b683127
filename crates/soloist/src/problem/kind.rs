//! What kind of solution a problem has, seen from the names of the decisions in a few games.

use super::Problem;
use crate::Rng;
use crate::core::cut::Watch;
use std::collections::HashMap;
use std::fmt;

/// Games that are looked at, and the moves listed in them, at most.
const GAMES: usize = 3;
const LISTED: usize = 60_000;

/// What a solution consists of, as far as random games show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolutionKind {
    /// The same decisions in every solution, in another order.
    Order,
    /// A decision at each of as many places in every solution: the places are given, the decisions differ.
    Assignment,
    /// Solutions hold some of the decisions, at different places.
    Subset,
    /// None of these, or the games show too little.
    Other,
}

impl SolutionKind {
    /// Returns the kind that a few random games show.
    pub(crate) fn seen<P: Problem>(problem: &P, watch: Option<&Watch>) -> Self {
        Self::of(&Self::play(problem, watch, |_, _| {}))
    }

    /// Plays a few random games, which are the same at each call, and returns the names of their decisions:
    /// [identities](super::Ordering::identity), otherwise [codes](Problem::code). `met` is called with each place and
    /// its legal moves. Games that are too long for the moves that may be listed are left out.
    pub(crate) fn play<P: Problem>(
        problem: &P,
        watch: Option<&Watch>,
        mut met: impl FnMut(usize, &[P::Move]),
    ) -> Vec<Vec<u64>> {
        let (mut rng, mut listed) = (Rng::new(0), 0);
        let (mut games, mut moves) = (Vec::new(), Vec::new());
        'games: for _ in 0..GAMES {
            let (mut state, mut game) = (problem.root(), Vec::new());
            loop {
                moves.clear();
                problem.moves(&state, &mut moves);
                listed += moves.len().max(1);
                if moves.is_empty() {
                    break;
                }
                let has_failed = watch.is_some_and(Watch::has_failed);
                if listed > LISTED || has_failed || Watch::ends(watch, game.len()) {
                    break 'games;
                }
                met(game.len(), &moves);
                let mv = moves[rng.index(moves.len())];
                let identity = problem.ordering().map(|ordering| ordering.identity(&state, mv));
                game.push(identity.unwrap_or_else(|| problem.code(&state, mv)));
                problem.apply(&mut state, mv);
            }
            games.push(game);
        }
        games
    }

    /// Returns the kind from the names of the decisions of a few games. Time: that of sorting them.
    pub(crate) fn of(games: &[Vec<u64>]) -> Self {
        let Some((first, others)) = games.split_first().filter(|(first, others)| first.len() > 2 && !others.is_empty())
        else {
            return Self::Other;
        };
        let mut sorted = games.to_vec();
        sorted.iter_mut().for_each(|game| game.sort_unstable());
        if sorted.iter().all(|game| *game == sorted[0]) {
            return if others.iter().all(|game| game == first) { Self::Other } else { Self::Order };
        }
        let repeats = sorted.iter().any(|game| game.windows(2).any(|pair| pair[0] == pair[1]));
        let even = others.iter().all(|game| game.len() == first.len());
        let mut places: HashMap<u64, usize> = HashMap::new();
        let decisions = || games.iter().flat_map(|game| game.iter().enumerate());
        let moves = decisions().any(|(place, name)| *places.entry(*name).or_insert(place) != place);
        match (repeats, moves) {
            // Labels, as the two sides of a cut; or the moves of a game, if its length differs.
            (true, _) if even => Self::Assignment,
            (true, _) => Self::Other,
            (false, false) => Self::Assignment,
            (false, true) => Self::Subset,
        }
    }
}

impl fmt::Display for SolutionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Order => "orders: the same decisions in every game, in another order",
            Self::Assignment => "assignments: as many places in every game, with different decisions",
            Self::Subset => "subsets: some of the decisions in every game",
            Self::Other => "none of orders, assignments and subsets",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_follow_from_games() {
        for (games, expected) in [
            (vec![vec![1, 2, 3, 4], vec![4, 2, 1, 3]], SolutionKind::Order),
            // Operations of jobs, named by the job.
            (vec![vec![1, 1, 2, 2], vec![2, 1, 2, 1]], SolutionKind::Order),
            (vec![vec![0, 1, 1, 0], vec![1, 1, 1, 0]], SolutionKind::Assignment),
            (vec![vec![10, 21, 30, 40], vec![11, 20, 30, 41]], SolutionKind::Assignment),
            (vec![vec![5, 2, 9], vec![9, 4, 2, 7]], SolutionKind::Subset),
            // Steps of a path that ends sooner or later.
            (vec![vec![1, 1, 2, 2], vec![2, 1, 2]], SolutionKind::Other),
            (vec![vec![1, 2, 3, 4]], SolutionKind::Other),
            (vec![vec![1, 2, 3, 4], vec![1, 2, 3, 4]], SolutionKind::Other),
            (vec![], SolutionKind::Other),
        ] {
            assert_eq!(SolutionKind::of(&games), expected, "{games:?}");
        }
    }
}
