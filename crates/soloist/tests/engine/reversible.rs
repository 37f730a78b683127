//! Puzzles whose moves can be taken back: a state may return in the same game, and the one before it dominates it.

use crate::common::method;
use soloist::problem::{Dominance, Key};
use soloist::run::{SolveError, replay};
use soloist::{Budget, Problem, Rng, Score, Sense, Solver, check};
use std::collections::{HashMap, VecDeque};

type Board = [u8; 6];

const GOAL: Board = [1, 2, 3, 4, 5, 0];

/// Five tiles on two rows of three places; a move names the place of the tile that slides. The textbook model: a state
/// is a board and the cost of the moves made.
#[derive(Clone, Debug)]
struct Slides {
    start: Board,
    /// What a slide of each tile costs.
    costs: [i32; 6],
    /// The most moves of a game; `None`: until the goal is reached.
    most: Option<u32>,
    /// What a slide adds to the score so far of the future in the place of its cost.
    told: Option<i32>,
}

#[derive(Clone, Debug)]
struct At {
    board: Board,
    cost: i32,
    made: u32,
}

fn neighbors(board: &Board) -> impl Iterator<Item = u8> {
    let hole = board.iter().position(|&tile| tile == 0).unwrap() as u8;
    let (row, column) = (hole / 3, hole % 3);
    (0..6_u8).filter(move |place| row.abs_diff(place / 3) + column.abs_diff(place % 3) == 1)
}

fn slide(board: &mut Board, place: u8) -> u8 {
    let hole = board.iter().position(|&tile| tile == 0).unwrap();
    board.swap(hole, place.into());
    board[hole]
}

impl Slides {
    /// Begins where these many slides from the goal lead.
    fn new(slides: u32) -> Self {
        let (mut start, mut rng) = (GOAL, Rng::new(slides.into()));
        for _ in 0..slides {
            let places: Vec<u8> = neighbors(&start).collect();
            slide(&mut start, places[rng.index(places.len())]);
        }
        assert_ne!(start, GOAL);
        Self { start, costs: [1; 6], most: None, told: None }
    }
}

impl Problem for Slides {
    type State = At;
    type Move = u8;
    fn root(&self) -> At {
        At { board: self.start, cost: 0, made: 0 }
    }
    fn moves(&self, at: &At, moves: &mut Vec<u8>) {
        if at.board != GOAL && self.most.is_none_or(|most| at.made < most) {
            moves.extend(neighbors(&at.board));
        }
    }
    fn apply(&self, at: &mut At, place: u8) {
        let tile = slide(&mut at.board, place);
        at.cost += self.costs[usize::from(tile)];
        at.made += 1;
    }
    fn score(&self, at: &At) -> Score {
        if at.board == GOAL { Score::Feasible(at.cost.into()) } else { Score::Infeasible(1.0) }
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn bound(&self, at: &At) -> Option<f64> {
        let away = |place: usize, tile: u8| {
            let home = usize::from(tile) - 1;
            (place / 3).abs_diff(home / 3) + (place % 3).abs_diff(home % 3)
        };
        let cost = |(place, &tile): (usize, &u8)| away(place, tile) as i32 * self.costs[usize::from(tile)];
        let left: i32 = at.board.iter().enumerate().filter(|(_, tile)| **tile > 0).map(cost).sum();
        Some((at.cost + left).into())
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
}

impl Dominance<Slides> for Slides {
    fn future(&self, at: &At) -> (Key, f64) {
        let cost = self.told.map_or(at.cost, |told| told * at.made as i32);
        (Key::of(&(at.board, self.most.map(|_| at.made))), cost.into())
    }
}

/// The cheapest way, by relaxation until nothing changes.
fn cheapest(problem: &Slides) -> i32 {
    let mut known = HashMap::from([(problem.start, 0)]);
    let mut open = VecDeque::from([problem.start]);
    while let Some(board) = open.pop_front() {
        for place in neighbors(&board) {
            let mut next = board;
            let cost = known[&board] + problem.costs[usize::from(slide(&mut next, place))];
            if known.get(&next).is_none_or(|&before| cost < before) {
                known.insert(next, cost);
                open.push_back(next);
            }
        }
    }
    known[&GOAL]
}

const MERGING: [&str; 8] = ["cabs", "beam", "dfs", "best-first", "bfs", "iterative-broadening", "ida-star", "auto"];

#[test]
fn states_that_return_no_better_are_dropped() {
    for (slides, costs) in [
        (40, [0, 1, 1, 1, 1, 1]),
        (61, [0, 3, 1, 4, 1, 5]),
        // Tiles that slide for nothing: states return at the same cost.
        (80, [0, 0, 2, 0, 1, 3]),
    ] {
        let problem = Slides { costs, ..Slides::new(slides) };
        check(&problem, 20, 1).unwrap();
        let best = cheapest(&problem);
        for name in MERGING {
            let budget = Budget { nodes: Some(400_000), ..Budget::playouts(2_000) };
            let outcome = Solver::new(&problem, method(name, &[])).seed(1).budget(budget).run();
            let outcome = outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
            let score = outcome.best.unwrap().score.value();
            if name == "auto" || slides == 80 && ["cabs", "beam"].contains(&name) {
                // Samplers of `auto` may use up the playouts before an exact entrant ends, and where states return for
                // nothing in a later layer, a pass of a beam need not end.
                assert!(
                    score.is_some_and(|score| score >= best.into()) && (!outcome.optimal || score == Some(best.into()))
                );
                continue;
            }
            assert_eq!(score, Some(best.into()), "{name} {slides}");
            assert!(outcome.optimal || name == "beam", "{name} {slides}");
        }
    }
}

#[test]
fn a_random_game_with_returns_stands_its_replay() {
    let problem = Slides::new(61);
    let outcome = Solver::new(&problem, method("sampling", &[])).seed(3).budget(Budget::playouts(1)).run().unwrap();
    let best = outcome.best.unwrap();
    assert!(best.moves.len() > 100, "{}", best.moves.len());
    replay(&problem, &best.moves, best.score).unwrap();
}

#[test]
fn what_returns_better_is_refused() {
    // The score so far falls with each move, so that going round gains for ever.
    let problem = Slides { told: Some(-1), ..Slides::new(40) };
    let found = check(&problem, 20, 1).unwrap_err().to_string();
    assert!(found.contains("is better"), "{found}");
    let error = Solver::new(&problem, method("sampling", &[])).budget(Budget::playouts(5)).run().unwrap_err();
    assert!(matches!(&error, SolveError::Replay(_)) && error.to_string().contains("better score so far"), "{error}");
}

/// Games end after some moves, which the key leaves out.
struct Forgetful {
    slides: Slides,
    /// Whether a game that ends elsewhere than at the goal is a solution, of a score that is the number of moves.
    ends_anywhere: bool,
}

impl Problem for Forgetful {
    type State = At;
    type Move = u8;
    fn root(&self) -> At {
        self.slides.root()
    }
    fn moves(&self, at: &At, moves: &mut Vec<u8>) {
        self.slides.moves(at, moves);
    }
    fn apply(&self, at: &mut At, place: u8) {
        self.slides.apply(at, place);
    }
    fn score(&self, at: &At) -> Score {
        if self.ends_anywhere { Score::Feasible(at.made.into()) } else { self.slides.score(at) }
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
}

impl Dominance<Forgetful> for Forgetful {
    fn future(&self, at: &At) -> (Key, f64) {
        (Key::of(&at.board), at.made.into())
    }
}

/// The same moves are not left where a state returns.
#[test]
fn what_returns_and_has_another_future_is_refused() {
    let problem = Forgetful { slides: Slides { most: Some(12), ..Slides::new(61) }, ends_anywhere: true };
    let error = Solver::new(&problem, method("sampling", &[])).budget(Budget::playouts(5)).run().unwrap_err();
    assert!(error.to_string().contains("cannot be completed in the same way"), "{error}");
}

/// A game that a limit of moves ends is no solution: whatever its states lead to, nothing is lost with them.
#[test]
fn games_that_a_limit_ends_may_return() {
    let slides = Slides { most: Some(40), ..Slides::new(61) };
    let least = cheapest(&slides);
    let problem = Forgetful { slides, ends_anywhere: false };
    check(&problem, 20, 1).unwrap();
    for name in ["sampling", "anneal", "nrpa", "uct", "auto"] {
        let solver = Solver::new(&problem, method(name, &[])).budget(Budget::playouts(5)).seed(1);
        let best = solver.run().unwrap_or_else(|error| panic!("{name}: {error}")).best.unwrap();
        assert!(best.score.value().is_none_or(|value| value >= least.into()), "{name}");
    }
}
