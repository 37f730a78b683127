//! What kind of solution a problem has, seen from the names of the decisions in a few games.

use super::Problem;
use crate::core::abort::Watch;
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, ProblemRef, State};
use crate::erased::source::rules_of;
use crate::{Rng, Score};
use std::collections::{HashMap, HashSet};
use std::fmt;

/// Games that are looked at, and the moves listed in them, at most.
const GAMES: usize = 3;
pub(crate) const LISTED: usize = 400_000;
/// Orders in which each of these games is played again, to see whether the order matters.
const ORDERS: usize = 2;

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

/// What a few random games show to a search that replays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) kind: SolutionKind,
    /// Whether solutions are assignments by their moves as well as by the names of their decisions. Codes that hold the
    /// place make an assignment of every order.
    pub(crate) has_places: bool,
    /// The number of decisions of a random game, if their order does not matter.
    pub(crate) free_order: Option<usize>,
}

impl SolutionKind {
    /// Returns the kind that a few random games show.
    pub(crate) fn seen<P: Problem>(problem: &P) -> Self {
        let (rules, _) = rules_of(ProblemRef::borrowed(problem), &[]);
        Self::of(&Self::play(&*rules, LISTED, &mut |_, _| {}))
    }

    /// Returns what a search that replays may rely on. At most 800,000 moves are listed, and nine scores asked for.
    pub(crate) fn seen_by_replays(problem: &dyn ErasedProblem) -> Seen {
        let mut moves: Vec<Vec<u64>> = Vec::new();
        let mut game = Vec::new();
        let names = Self::play_named(problem, LISTED, &mut |_, _| {}, &mut |mv| match mv {
            Some(mv) => game.push(mv),
            None => moves.push(std::mem::take(&mut game)),
        });
        let kind = Self::of(&names);
        let has_places = kind == Self::Assignment && Self::of(&moves) == Self::Assignment;
        let free_order = if kind == Self::Subset { Self::free_order(problem) } else { None };
        Seen { kind, has_places, free_order }
    }

    /// Plays a few random games, which are the same at each call, and returns the names of their decisions:
    /// [identities](super::Ordering::identity), otherwise [codes](Problem::code). `met` is called with each place and
    /// its legal moves. Games that are too long for the moves that may be listed are left out.
    pub(crate) fn play(
        problem: &dyn ErasedProblem,
        most: usize,
        met: &mut dyn FnMut(usize, &[MoveId]),
    ) -> Vec<Vec<u64>> {
        Self::play_named(problem, most, met, &mut |_| {})
    }

    /// As [`play`](Self::play); `played` is called with each move, and with none at the end of a game.
    fn play_named(
        problem: &dyn ErasedProblem,
        most: usize,
        met: &mut dyn FnMut(usize, &[MoveId]),
        played: &mut dyn FnMut(Option<MoveId>),
    ) -> Vec<Vec<u64>> {
        let (mut rng, mut player) = (Rng::new(0), Player { problem, left: most, moves: Vec::new() });
        let mut games = Vec::new();
        'games: for _ in 0..GAMES {
            let (mut state, mut game) = (problem.root(), Vec::new());
            loop {
                let Some(moves) = player.list(&state, game.len()) else { break 'games };
                if moves.is_empty() {
                    break;
                }
                met(game.len(), moves);
                let mv = moves[rng.index(moves.len())];
                game.push(problem.identity(&state, mv).unwrap_or_else(|| problem.code(&state, mv)));
                played(Some(mv));
                problem.apply(&mut state, mv);
            }
            games.push(game);
            played(None);
        }
        games
    }

    /// Returns the number of decisions of a random game if their order does not matter, as far as a few random games
    /// show it: the moves of each are legal in other orders too, and lead to a finished state of the same score, but
    /// for rounding.
    fn free_order(problem: &dyn ErasedProblem) -> Option<usize> {
        let (mut rng, mut free) = (Rng::new(0), None);
        let mut player = Player { problem, left: LISTED, moves: Vec::new() };
        for _ in 0..GAMES {
            match player.reorder(&mut rng) {
                Reordered::Equal(count) => free = free.or(Some(count)),
                Reordered::Different => return None,
                // What one order of one game has shown counts.
                Reordered::TooLong => break,
            }
        }
        free
    }

    /// Whether a policy has to learn moves apart at each step: games are as long as each other and decide at given
    /// places, or make the same decision several times. Where each decision is made once, its place says less than its
    /// name. At most 20,000 moves are listed.
    pub(crate) fn depends_on_steps(problem: &dyn ErasedProblem) -> bool {
        let mut games: Vec<Vec<u64>> = Vec::new();
        let mut game = Vec::new();
        // The moves themselves, whatever they are called.
        Self::play_named(problem, LISTED / 20, &mut |_, _| {}, &mut |mv| match mv {
            Some(mv) => game.push(mv),
            None => games.push(std::mem::take(&mut game)),
        });
        match Self::of(&games) {
            Self::Assignment => true,
            Self::Order => games.iter().any(|game| game.iter().collect::<HashSet<_>>().len() < game.len()),
            Self::Subset | Self::Other => false,
        }
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

/// Plays games, and counts the moves that are listed meanwhile.
struct Player<'a> {
    problem: &'a dyn ErasedProblem,
    /// Moves that may still be listed.
    left: usize,
    moves: Vec<MoveId>,
}

/// What the moves of a game do in other orders.
enum Reordered {
    /// They lead to the same score; their number.
    Equal(usize),
    /// They are illegal, do not finish the game, or lead to another score.
    Different,
    /// Too many moves were listed before one order was played.
    TooLong,
}

impl Player<'_> {
    /// Lists the moves of a state that `place` moves have made. `None`: the game is too long, or the run is to end.
    fn list(&mut self, state: &State, place: usize) -> Option<&[MoveId]> {
        self.moves.clear();
        self.problem.moves(state, &mut self.moves);
        let is_finished = self.moves.is_empty();
        let left = self.left.checked_sub(self.moves.len().max(1));
        self.left = left.unwrap_or(0);
        let watch = self.problem.watch();
        let goes_on = is_finished || left.is_some() && !watch.has_failed() && !Watch::leaves(Some(watch), place);
        goes_on.then_some(self.moves.as_slice())
    }

    /// Plays a random game, and its moves in other orders.
    fn reorder(&mut self, rng: &mut Rng) -> Reordered {
        let (mut state, mut game) = (self.problem.root(), Vec::new());
        loop {
            let Some(moves) = self.list(&state, game.len()) else { return Reordered::TooLong };
            if moves.is_empty() {
                break;
            }
            let mv = moves[rng.index(moves.len())];
            self.problem.apply(&mut state, mv);
            game.push(mv);
        }
        let (score, count) = (self.problem.score(&state), game.len());
        for order in 0..ORDERS {
            rng.shuffle(&mut game);
            match self.replay(&game) {
                Some(Some(other)) if is_equal(score, other) => {}
                Some(_) => return Reordered::Different,
                None if order > 0 => break,
                None => return Reordered::TooLong,
            }
        }
        Reordered::Equal(count)
    }

    /// Returns the score that moves lead to; `Some(None)` if one is illegal or the state is not finished. `None`: the
    /// game is too long.
    fn replay(&mut self, game: &[MoveId]) -> Option<Option<Score>> {
        let mut state = self.problem.root();
        for (place, &mv) in game.iter().enumerate() {
            if !self.list(&state, place)?.contains(&mv) {
                return Some(None);
            }
            self.problem.apply(&mut state, mv);
        }
        let is_finished = self.list(&state, game.len())?.is_empty();
        Some(is_finished.then(|| self.problem.score(&state)))
    }
}

/// Whether two scores differ by rounding at most.
fn is_equal(a: Score, b: Score) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
    match (a, b) {
        (Score::Feasible(a), Score::Feasible(b)) | (Score::Infeasible(a), Score::Infeasible(b)) => near(a, b),
        _ => false,
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
pub(super) mod tests {
    use super::*;
    use crate::core::hash::stable_hash;

    fn seen_by_replays(problem: &impl Problem) -> Seen {
        SolutionKind::seen_by_replays(&*rules_of(ProblemRef::borrowed(problem), &[]).0)
    }

    fn free_order(problem: &impl Problem) -> Option<usize> {
        SolutionKind::free_order(&*rules_of(ProblemRef::borrowed(problem), &[]).0)
    }

    /// Items of the sizes 1 to 40 for a bag of 100, each worth its size; with `sorted`, in ascending order alone.
    struct Bag {
        sorted: bool,
    }

    impl Problem for Bag {
        type State = Vec<u8>;
        type Move = u8;
        fn root(&self) -> Vec<u8> {
            Vec::new()
        }
        fn moves(&self, bag: &Vec<u8>, moves: &mut Vec<u8>) {
            let left = 100 - bag.iter().sum::<u8>();
            let after = bag.last().copied().filter(|_| self.sorted).unwrap_or(0);
            moves.extend((after + 1..=40).filter(|item| !bag.contains(item) && *item <= left));
        }
        fn apply(&self, bag: &mut Vec<u8>, item: u8) {
            bag.push(item);
        }
        fn score(&self, bag: &Vec<u8>) -> Score {
            // In tenths, so that the order of the sum is seen in the last bits.
            Score::Feasible(bag.iter().map(|&item| f64::from(item) / 10.0).sum())
        }
    }

    #[test]
    fn an_order_is_free_where_all_orders_are_legal_and_worth_the_same() {
        let seen = |sorted| seen_by_replays(&Bag { sorted });
        let Seen { kind, free_order: free, .. } = seen(false);
        assert_eq!(kind, SolutionKind::Subset);
        assert!(free.is_some_and(|count| (3..=13).contains(&count)), "{free:?}");
        assert_eq!(seen(true).free_order, None, "moves are not legal in other orders");
        assert_eq!(free_order(&crate::doc::Staircase(20)), None, "the score depends on the order");
    }

    /// Every order of five items; the code is the item and the place.
    pub(crate) struct Order;

    impl Problem for Order {
        type State = Vec<u8>;
        type Move = u8;
        fn root(&self) -> Vec<u8> {
            Vec::new()
        }
        fn moves(&self, state: &Vec<u8>, moves: &mut Vec<u8>) {
            moves.extend((0..5).filter(|item| !state.contains(item)));
        }
        fn apply(&self, state: &mut Vec<u8>, mv: u8) {
            state.push(mv);
        }
        fn score(&self, state: &Vec<u8>) -> Score {
            Score::Feasible((stable_hash(state) % 1000) as f64)
        }
        fn code(&self, state: &Vec<u8>, mv: u8) -> u64 {
            stable_hash(&(state.len(), mv))
        }
    }

    #[test]
    fn codes_that_hold_the_place_make_no_assignment_of_an_order() {
        let seen = seen_by_replays(&Order);
        assert_eq!(seen, Seen { kind: SolutionKind::Assignment, has_places: false, free_order: None });
        let seen = seen_by_replays(&crate::doc::Staircase(20));
        assert_eq!(seen, Seen { kind: SolutionKind::Assignment, has_places: true, free_order: None });
    }

    #[test]
    fn moves_depend_on_steps_where_they_recur_in_games_of_one_length() {
        let depends = |problem: &dyn ErasedProblem| SolutionKind::depends_on_steps(problem);
        // A permutation, a subset, and decisions at given places.
        assert!(!depends(&*rules_of(ProblemRef::borrowed(&Order), &[]).0));
        assert!(!depends(&*rules_of(ProblemRef::borrowed(&Bag { sorted: false }), &[]).0));
        assert!(depends(&*rules_of(ProblemRef::borrowed(&crate::doc::Staircase(20)), &[]).0));
    }

    #[test]
    fn scores_are_equal_but_for_rounding() {
        use Score::{Feasible, Infeasible};
        assert!(is_equal(Feasible(0.1 + 0.2), Feasible(0.3)) && is_equal(Infeasible(0.1 + 0.2), Infeasible(0.3)));
        assert!(!is_equal(Feasible(1.0), Feasible(1.001)) && !is_equal(Feasible(1.0), Infeasible(1.0)));
    }

    /// At least five of forty numbers, until an even one is drawn. Only finished games have a score.
    struct Numbers;

    impl Problem for Numbers {
        type State = Vec<u8>;
        type Move = u8;
        fn root(&self) -> Vec<u8> {
            Vec::new()
        }
        fn moves(&self, drawn: &Vec<u8>, moves: &mut Vec<u8>) {
            if drawn.len() < 5 || drawn[drawn.len() - 1] % 2 == 1 {
                moves.extend((0..40).filter(|number| !drawn.contains(number)));
            }
        }
        fn apply(&self, drawn: &mut Vec<u8>, number: u8) {
            drawn.push(number);
        }
        fn score(&self, drawn: &Vec<u8>) -> Score {
            let mut moves = Vec::new();
            self.moves(drawn, &mut moves);
            assert!(moves.is_empty(), "{drawn:?} is not finished");
            Score::Feasible(0.0)
        }
    }

    #[test]
    fn states_that_are_not_finished_have_no_score() {
        assert_eq!(free_order(&Numbers), None);
    }

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
