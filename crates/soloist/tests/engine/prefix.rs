//! Runs whose solutions begin with given moves.

use crate::common::{Bag, Recorded, games, methods, timeless};
use soloist::doc::Staircase;
use soloist::run::{Improvement, Observer, OfferError, Progress, Solution, SolveError};
use soloist::{Budget, Method, Problem, Score, Setup, Solver};
use std::time::Duration;

const PREFIX: [u8; 2] = [3, 1];

struct Begins(usize);

impl Observer<u8> for Begins {
    fn improved(&mut self, _: &Improvement, solution: &Solution<u8>, _: &Progress) {
        assert!(solution.moves.starts_with(&PREFIX), "{solution:?}");
        self.0 += 1;
    }
}

/// The best score of a packing with items 3 and 1, by all sets of items.
fn best_with_prefix(bag: &Bag) -> f64 {
    let total = |set: u32| {
        let items = (0..bag.items.len()).filter(|item| set >> item & 1 == 1).map(|item| bag.items[item]);
        items.fold((0, 0), |sum, item| (sum.0 + item.0, sum.1 + item.1))
    };
    let all = (0..1_u32 << bag.items.len()).filter(|set| set & 0b1010 == 0b1010).map(total);
    f64::from(all.filter(|&(_, weight)| weight <= bag.capacity).map(|(value, _)| value).max().unwrap())
}

#[test]
fn every_method_keeps_the_prefix_alone_in_slices_and_over_threads() {
    let bag = Bag::twelve();
    let optimum = best_with_prefix(&bag);
    let mut found = 0;
    for method in methods() {
        for threads in [1, 2] {
            let setup = || Setup::from(method.clone()).seed(4).threads(threads);
            fn solver(bag: &Bag, setup: Setup) -> Solver<'_, Bag> {
                Solver::new(bag, setup).prefix(&PREFIX).budget(games(200))
            }
            let mut seen = Begins(0);
            let whole = solver(&bag, setup()).keep(3).observer(&mut seen, Duration::from_secs(1)).run().unwrap();
            assert!(seen.0 > 0 && whole.prefix == 2, "{method:?}");
            assert!(whole.kept.iter().all(|kept| kept.moves.starts_with(&PREFIX)), "{method:?}");
            let best = whole.best.as_ref().unwrap().score.value().unwrap();
            assert!(best <= optimum && (!whole.optimal || best == optimum), "{method:?}: {best}, {optimum}");
            found += u32::from(best == optimum);
            let mut session = solver(&bag, setup()).keep(3).start().unwrap();
            for count in [1, 49, 150] {
                session.advance(&games(count)).unwrap();
                // The saved run knows its prefix.
                let bytes = session.save();
                session = Solver::new(&bag, setup()).budget(games(200)).resume(&bytes).unwrap().start().unwrap();
                assert!(session.save() == bytes, "{method:?}");
            }
            if threads == 1 {
                assert_eq!(timeless(session.outcome()), timeless(whole), "{method:?}");
            }
        }
    }
    assert!(found > 10, "{found}");
}

#[test]
fn searches_play_no_other_game() {
    let stairs = Recorded::new(Staircase(9));
    for name in ["sampling", "nrpa", "uct", "nmcs", "beam", "anneal"] {
        let solver = Solver::new(&stairs, Method::preset(name).unwrap()).prefix(&[true, false]);
        let outcome = solver.without_replays().budget(games(50)).run().unwrap();
        assert_eq!(outcome.best.unwrap().moves.len(), 9, "{name}");
    }
    let games = stairs.take();
    assert!(games.len() > 100 && games.iter().all(|game| game.starts_with(&[true, false])), "{games:?}");
}

#[test]
fn wrong_prefixes_offers_and_checkpoints_are_refused() {
    let bag = Bag::twelve();
    let solver = || Solver::new(&bag, Method::preset("nrpa").unwrap());
    let error = solver().prefix(&[3, 1, 1]).start().unwrap_err();
    assert!(matches!(error, SolveError::Prefix(2)), "{error}");
    let mut session = solver().prefix(&PREFIX).start().unwrap();
    for (moves, place) in [(&[][..], 0), (&[3], 1), (&[3, 0], 1), (&[1, 3], 0)] {
        let error = session.offer(moves).unwrap_err();
        assert!(matches!(error, SolveError::Offer(OfferError::Prefix(at)) if at == place), "{error}");
    }
    let error = session.offer(&[3, 1, 3]).unwrap_err();
    assert!(matches!(error, SolveError::Offer(OfferError::Illegal(2))), "{error}");
    let error = session.offer(&[3, 1]).unwrap_err();
    assert!(matches!(error, SolveError::Offer(OfferError::Unfinished(2))), "{error}");
    let saved = session.save();
    let other = solver().prefix(&[1]).resume(&saved).unwrap().start().unwrap_err();
    assert!(matches!(other, SolveError::Resumed), "{other}");
    let same = solver().prefix(&PREFIX).resume(&saved).unwrap().start().unwrap();
    assert_eq!(same.outcome().prefix, 2);
}

/// A solution that is finished by its prefix is the only one.
#[test]
fn a_whole_solution_is_a_prefix() {
    for name in ["dfs", "nrpa", "auto", "uct", "sampling", "anneal"] {
        let stairs = Staircase(4);
        let whole = [false, true, false, true];
        let budget = Budget { nodes: Some(100), ..games(10) };
        let outcome = Solver::new(&stairs, Method::preset(name).unwrap()).prefix(&whole).budget(budget).run().unwrap();
        let best = outcome.best.unwrap();
        assert_eq!((best.score, &best.moves[..]), (score(&stairs, &whole), &whole[..]), "{name}");
    }
}

fn score(stairs: &Staircase, moves: &[bool]) -> Score {
    let mut state = stairs.root();
    moves.iter().for_each(|&mv| stairs.apply(&mut state, mv));
    stairs.score(&state)
}
