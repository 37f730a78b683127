//! Every rule of tree search against a naive implementation of it, playout by playout.

use crate::common::tree::{uct_playouts, uct_search};
use crate::common::{Bag, assert_same, recorded};
use soloist::doc::Staircase;
use soloist::search::{Bandit, Cooling, Expansion, FirstPlay, NodeValue, Normalisation, Rank, Uct};
use soloist::{Budget, Method, Problem, Rng, Solver};

fn compare<P: Problem + Clone>(problem: &P, own: &Uct, seed: u64, playouts: u64) {
    let got = recorded(problem, Method::Uct(own.clone()), seed, playouts);
    let expected = uct_playouts(problem, own, &mut Rng::new(seed), playouts as usize);
    assert_same(&got, &expected, &format!("{own:?}"));
}

fn compare_all(own: &Uct, playouts: u64) {
    Method::Uct(own.clone()).validate().unwrap();
    compare(&Staircase(9), own, 3, playouts);
    for bag in [Bag::sixteen(), Bag::tight(), Bag::tight().mirrored()] {
        compare(&bag, own, 5, playouts);
    }
}

#[test]
fn the_common_settings() {
    let mut settings = vec![Uct::default(), Uct::best(), Uct { solver: false, ..Uct::default() }];
    for value in [NodeValue::Mean, NodeValue::Best] {
        for expansion in [Expansion::One, Expansion::All] {
            for threshold in [0, 1, 4] {
                for normalisation in [Normalisation::Global, Normalisation::Parent, Normalisation::None] {
                    let c = if normalisation == Normalisation::None { 30.0 } else { 0.5 };
                    let solver = threshold == 1;
                    settings.push(Uct { c, value, normalisation, expansion, threshold, solver, ..Uct::default() });
                }
            }
        }
    }
    for own in settings {
        // With the solver, 7 steps are exhausted before the playouts are.
        compare(&Staircase(7), &own, 3, 600);
        compare_all(&own, 600);
    }
}

#[test]
fn terms_of_selection() {
    let raw = Uct { normalisation: Normalisation::None, c: 10.0, ..Uct::default() };
    for own in [
        Uct { bandit: Bandit::Ucb1Tuned, c: 0.7, ..Uct::default() },
        Uct { bandit: Bandit::Ucb1Tuned, normalisation: Normalisation::Parent, solver: false, ..Uct::default() },
        Uct { w: 0.3, ..Uct::default() },
        Uct { deviation: true, d: 500.0, ..raw.clone() },
        Uct { deviation: true, d: 0.1, w: 0.02, c: 0.3, ..Uct::default() },
        Uct { bias_weight: 0.6, ..Uct::default() },
        Uct { bias_weight: 40.0, expansion: Expansion::All, ..raw },
        Uct { history: 0.8, ..Uct::default() },
        Uct { history: 0.5, bandit: Bandit::Ucb1Tuned, ..Uct::default() },
        // Parents without a feasible playout have no range.
        Uct { history: 0.5, deviation: true, d: 0.1, normalisation: Normalisation::Parent, ..Uct::default() },
        Uct { amaf: true, normalisation: Normalisation::Parent, ..Uct::default() },
    ] {
        compare_all(&own, 400);
    }
}

#[test]
fn cooling_and_ratios() {
    for cooling in [Cooling::None, Cooling::Linear, Cooling::Exponential, Cooling::Depth] {
        let own = Uct::cooled(0.02, 150, cooling);
        compare_all(&own, 500);
        compare_all(&Uct { solver: true, reference: 420.0, ..own.clone() }, 400);
        compare_all(&Uct { restarts: false, normalisation: Normalisation::Global, c: 1.4, ..own.clone() }, 500);
        compare_all(&Uct { move_playouts: 40, amaf: true, cooling_end: 0.2, ..own }, 300);
    }
}

#[test]
fn values_of_moves_played_later() {
    for amaf_reference in [0, 10, 60] {
        let own = Uct { amaf: true, amaf_reference, ..Uct::default() };
        compare_all(&Uct { amaf_bias: 0.01, ..own.clone() }, 250);
        compare_all(&Uct { amaf_bias: 1e-5, history: 0.2, move_playouts: 40, ..own }, 250);
    }
}

#[test]
fn growth_of_the_tree() {
    for own in [
        Uct { fpu: FirstPlay::Constant, fpu_value: 0.9, ..Uct::default() },
        Uct { fpu: FirstPlay::Parent, fpu_value: 0.1, ..Uct::default() },
        Uct { fpu: FirstPlay::Parent, fpu_value: -0.2, normalisation: Normalisation::Parent, ..Uct::default() },
        Uct { widening: 1.5, widening_exponent: 0.3, ..Uct::default() },
        Uct { widening: 1.0, bias_weight: 0.3, solver: false, ..Uct::default() },
        Uct { widening: 2.0, fpu: FirstPlay::Constant, fpu_value: 0.7, ..Uct::default() },
    ] {
        compare_all(&own, 500);
    }
}

#[test]
fn the_playout_policy_moves_where_visits_are_few() {
    for select_from in [2, 10, 45] {
        let own = Uct { select_from, ..Uct::default() };
        compare_all(&own, 700);
        compare_all(&Uct { solver: false, ..own.clone() }, 500);
        compare_all(&Uct { threshold: 3, history: 0.2, amaf: true, ..own }, 250);
    }
    compare_all(&Uct::single_player(0.1, 32.0, 10, 0.02), 700);
    compare_all(&Uct::single_player(4.31, 96.67, 11, 0.28), 700);
}

#[test]
fn beams() {
    for (limit, width) in [(20, 1), (40, 3), (60, 12)] {
        for solver in [false, true] {
            for beam_rank in [Rank::Visits, Rank::Mean, Rank::Best] {
                let own = Uct { solver, beam_rank, ..Uct::beam(0.3, limit, width) };
                compare_all(&own, 700);
                compare_all(&Uct { widen: 1.5, ..own.clone() }, 700);
                compare_all(&Uct { restarts: false, c: 0.01, ..own }, 700);
            }
        }
    }
    compare_all(&Uct { expansion: Expansion::All, ..Uct::beam(0.3, 50, 2) }, 700);
    compare_all(&Uct { select_from: 5, ..Uct::beam(0.3, 50, 2) }, 700);
}

#[test]
fn games_played_move_by_move() {
    for final_move in [Rank::Best, Rank::Mean, Rank::Visits] {
        for keep_tree in [true, false] {
            for solver in [true, false] {
                let own = Uct { final_move, keep_tree, solver, move_playouts: 17, ..Uct::default() };
                compare_all(&own, 600);
                compare_all(&Uct { move_growth: 1.6, ..own.clone() }, 600);
                compare_all(&Uct { restarts: false, history: 0.1, ..own }, 600);
            }
        }
    }
    let own = Uct { move_playouts: 100, ..Uct::single_player(0.1, 32.0, 10, 0.02).move_by_move() };
    compare_all(&own, 1_500);
}

#[test]
fn restarts() {
    let own = Uct { restart_nodes: 60, ..Uct::default() };
    compare_all(&own, 500);
    compare_all(&Uct { move_playouts: 30, ..own }, 500);
    compare_all(&Uct { restarts: false, ..own }, 500);
    compare_all(&Uct { restart_nodes: 30, ..Uct::beam(0.1, 10, 2) }, 500);
}

#[test]
fn only_the_game_played_counts() {
    for final_move in [Rank::Best, Rank::Mean, Rank::Visits] {
        let own = Uct { played_only: true, final_move, move_playouts: 25, ..Uct::default() };
        for bag in [Bag::sixteen(), Bag::sixteen().mirrored()] {
            compare(&bag, &own, 8, 900);
            let (_, played) = uct_search(&bag, &own, &mut Rng::new(8), 900);
            assert!(played.len() > 3);
            let budget = Budget::playouts(900);
            let outcome = Solver::new(&bag, Method::Uct(own.clone())).seed(8).budget(budget).run().unwrap();
            let score = |moves: &[u8]| {
                let mut state = bag.root();
                moves.iter().for_each(|&mv| bag.apply(&mut state, mv));
                bag.score(&state)
            };
            let best = outcome.best.unwrap();
            assert!(played.contains(&best.moves), "{final_move}");
            assert!(played.iter().all(|moves| !bag.sense().better(score(moves), best.score)));
        }
    }
}
