//! Every rule of tree search against a naive implementation of it, playout by playout.

use crate::common::tree::{uct_playouts, uct_search};
use crate::common::{Bag, Fenced, altered, assert_same, games, recorded};
use soloist::doc::Staircase;
use soloist::search::parameters::{Cooling, Expansion, NodeValue, Normalization, Rank, Table, Uct};
use soloist::{Method, Problem, Rng, Score, Solver};

fn compare<P: Problem + Clone>(problem: &P, uct: &Uct, seed: u64, playouts: u64) {
    let got = recorded(problem, Method::from(uct.clone()), seed, playouts);
    let expected = uct_playouts(problem, uct, &mut Rng::new(seed), playouts as usize);
    assert_same(&got, &expected, &format!("{uct:?}"));
}

fn compare_all(uct: &Uct, playouts: u64) {
    Method::from(uct.clone()).validate().unwrap();
    compare(&Staircase(9), uct, 3, playouts);
    for bag in [Bag::sixteen(), Bag::tight(), Bag::tight().mirrored()] {
        compare(&bag, uct, 5, playouts);
    }
}

#[test]
fn the_common_settings() {
    let mut settings = vec![Uct::default(), Uct::best(), altered(&Uct::default(), "solver=false")];
    for value in [NodeValue::Mean, NodeValue::Best] {
        for expansion in [Expansion::One, Expansion::All] {
            for threshold in [0, 1, 4] {
                for normalization in [Normalization::Global, Normalization::Parent, Normalization::None] {
                    let c = if normalization == Normalization::None { 30.0 } else { 0.5 };
                    let solver = threshold == 1;
                    settings.push(altered(&Uct::default(), &format!("c={c} value={value} normalization={normalization} expansion={expansion} threshold={threshold} solver={solver}")));
                }
            }
        }
    }
    for uct in settings {
        // With the solver, 7 steps are exhausted before the playouts are.
        compare(&Staircase(7), &uct, 3, 600);
        compare_all(&uct, 600);
    }
}

#[test]
fn terms_of_selection() {
    let raw = altered(&Uct::default(), "normalization=none c=10.0");
    for uct in [
        altered(&Uct::default(), "bandit=ucb1-tuned c=0.7"),
        altered(&Uct::default(), "bandit=ucb1-tuned normalization=parent solver=false"),
        altered(&Uct::default(), "w=0.3"),
        altered(&raw, "deviation=true d=500.0"),
        altered(&Uct::default(), "deviation=true d=0.1 w=0.02 c=0.3"),
        altered(&raw, "bandit=deviation d=500.0 c=0.5"),
        altered(&raw, "bandit=deviation c=4.0 value=blend w=0.4"),
        altered(&Uct::default(), "bandit=deviation d=0.1 normalization=parent"),
        altered(&Uct::default(), "bandit=deviation d=0.1 c=1.5 value=blend w=0.02 solver=false"),
        altered(&Uct::default(), "bias_weight=0.6"),
        altered(&raw, "bias_weight=40.0 expansion=all"),
        altered(&Uct::default(), "history=0.8"),
        altered(&Uct::default(), "history=0.5 bandit=ucb1-tuned"),
        // Parents without a feasible playout have no range.
        altered(&Uct::default(), "history=0.5 deviation=true d=0.1 normalization=parent"),
        altered(&Uct::default(), "amaf=true normalization=parent"),
    ] {
        compare_all(&uct, 400);
    }
}

#[test]
fn cooling_and_ratios() {
    for cooling in [Cooling::None, Cooling::Linear, Cooling::Exponential, Cooling::Depth] {
        let uct = Uct::cooled(0.02, 150, cooling);
        compare_all(&uct, 500);
        compare_all(&altered(&uct, "solver=true reference=420.0"), 400);
        if cooling != Cooling::None {
            compare_all(&altered(&uct, "reheats=3"), 400);
        }
        compare_all(&altered(&uct, "restarts=false normalization=global c=1.4"), 500);
        compare_all(&altered(&uct, "move_playouts=40 amaf=true"), 300);
    }
}

#[test]
fn values_of_moves_played_later() {
    let uct = altered(&Uct::default(), "amaf=true");
    compare_all(&uct, 250);
    compare_all(&altered(&uct, "history=0.2 move_playouts=40"), 250);
}

#[test]
fn growth_of_the_tree() {
    for uct in [
        altered(&Uct::default(), "fpu=constant fpu_value=0.9"),
        altered(&Uct::default(), "fpu=constant fpu_value=0.6 bias_weight=0.3 solver=false"),
        altered(&Uct::default(), "fpu=constant fpu_value=0.3 normalization=parent"),
        altered(&Uct::default(), "fpu=node c=1.4142 value=best"),
        altered(&Uct::default(), "fpu=node c=0.3 expansion=lazy move_playouts=60"),
    ] {
        compare_all(&uct, 500);
    }
}

#[test]
fn interleaving_and_children_one_at_a_time() {
    for expansion in [Expansion::One, Expansion::Lazy] {
        for theta in [0, 2, 3, 5] {
            let uct = altered(&Uct::default(), &format!("expansion={expansion} theta={theta} c=0.4"));
            compare_all(&uct, 150);
            compare_all(&altered(&uct, "solver=false value=best bias_weight=0.2"), 180);
            compare_all(&altered(&uct, "fpu=constant fpu_value=0.7"), 180);
            compare_all(&altered(&uct, "move_playouts=40 history=0.2"), 150);
            compare_all(&altered(&uct, "beam_width=3 beam_limit=60"), 180);
        }
    }
    let lazy = Method::preset("uct-best-lazy").unwrap();
    let Table::Uct(uct) = lazy.table() else { panic!("a tree search") };
    compare_all(uct, 500);
}

#[test]
fn branch_and_bound_in_the_tree() {
    let compare_fenced = |uct: &Uct, playouts| {
        Method::from(uct.clone()).validate().unwrap();
        for bag in [Bag::sixteen(), Bag::sixteen().mirrored(), Bag::tight(), Bag::tight().mirrored()] {
            compare(&Fenced::new(bag), uct, 5, playouts);
        }
    };
    for expansion in [Expansion::One, Expansion::All, Expansion::Lazy] {
        for normalization in [Normalization::Global, Normalization::Parent] {
            for threshold in [0, 1, 3] {
                let settings =
                    format!("expansion={expansion} normalization={normalization} threshold={threshold} c=0.2");
                compare_fenced(&altered(&Uct::best(), &settings), 80);
                compare_fenced(&altered(&Uct::default(), &format!("{settings} prune=on")), 60);
            }
        }
    }
    compare_fenced(&altered(&Uct::best(), "expansion=one theta=3 select_from=5"), 200);
    compare_fenced(&altered(&Uct::best(), "expansion=one select_from=8 few_visits=uniform"), 200);
    compare_fenced(&altered(&Uct::best(), "expansion=one fpu=constant fpu_value=0.7 restart_nodes=150"), 200);
    // Without bounds what was seen is removed all the same.
    let uct = altered(&Uct::best(), "prune=on");
    compare(&Staircase(7), &uct, 3, 200);
    compare_all(&uct, 80);
}

#[test]
fn the_playout_policy_moves_where_visits_are_few() {
    for select_from in [2, 10, 45] {
        let uct = altered(&Uct::default(), &format!("select_from={select_from}"));
        compare_all(&uct, 700);
        compare_all(&altered(&uct, "solver=false"), 500);
        compare_all(&altered(&uct, "threshold=3 history=0.2 amaf=true"), 250);
        let uniform = altered(&uct, "few_visits=uniform");
        compare_all(&uniform, 700);
        compare_all(&altered(&uniform, "solver=false threshold=3"), 500);
        compare_all(&altered(&uniform, "move_playouts=40 history=0.2"), 250);
    }
    compare_all(&Uct::single_player(0.1, 32.0, 10, 0.02), 700);
    compare_all(&Uct::single_player(4.31, 96.67, 11, 0.28), 700);
}

#[test]
fn beams() {
    for (limit, width) in [(20, 1), (40, 3), (60, 12)] {
        for solver in [false, true] {
            for beam_rank in [Rank::Visits, Rank::Mean, Rank::Best] {
                let uct = altered(&Uct::beam(0.3, limit, width), &format!("solver={solver} beam_rank={beam_rank}"));
                compare_all(&uct, 700);
                compare_all(&altered(&uct, "widen=1.5"), 700);
                compare_all(&altered(&uct, "restarts=false c=0.01"), 700);
            }
        }
    }
    compare_all(&altered(&Uct::beam(0.3, 50, 2), "expansion=all"), 700);
    compare_all(&altered(&Uct::beam(0.3, 50, 2), "select_from=5"), 700);
}

/// Widths by depth: the last number counts for all deeper ones, and a beam of one shape is one of that width.
#[test]
fn beams_of_several_widths() {
    let play = |settings: &str| {
        let uct = altered(&Uct::beam(0.3, 40, 2), settings);
        recorded(&Bag::sixteen(), Method::from(uct), 5, 700)
    };
    let expected = recorded(&Bag::sixteen(), Method::from(Uct::beam(0.3, 40, 6)), 5, 700);
    assert_same(&play("beam_shape=3"), &expected, "thrice the width at each depth");
    assert_same(&play("beam_shape=3,3,3"), &expected, "the same, written by depth");
    let all = ["beam_shape=1", "beam_shape=1,3", "beam_shape=3,1"].map(play);
    for (at, one) in all.iter().enumerate() {
        assert!(all[..at].iter().all(|other| other != one), "shape {at} changes nothing");
        assert!(*one != expected, "shape {at} is the widest one");
    }
}

#[test]
fn games_played_move_by_move() {
    for final_move in [Rank::Best, Rank::Mean, Rank::Visits] {
        for keep_tree in [true, false] {
            for solver in [true, false] {
                let uct = altered(
                    &Uct::default(),
                    &format!("final_move={final_move} keep_tree={keep_tree} solver={solver} move_playouts=17"),
                );
                compare_all(&uct, 600);
                compare_all(&altered(&uct, "move_growth=1.6"), 600);
                compare_all(&altered(&uct, "restarts=false history=0.1"), 600);
            }
        }
    }
    let uct = altered(&Uct::single_player(0.1, 32.0, 10, 0.02).move_by_move(), "move_playouts=100");
    compare_all(&uct, 1_500);
}

#[test]
fn restarts() {
    let uct = altered(&Uct::default(), "restart_nodes=60");
    compare_all(&uct, 500);
    compare_all(&altered(&uct, "move_playouts=30"), 500);
    compare_all(&altered(&uct, "restarts=false"), 500);
    compare_all(&altered(&Uct::beam(0.1, 10, 2), "restart_nodes=30"), 500);
}

#[test]
fn only_the_game_played_counts() {
    for final_move in [Rank::Best, Rank::Mean, Rank::Visits] {
        let uct = altered(&Uct::default(), &format!("played_only=true final_move={final_move} move_playouts=25"));
        for bag in [Bag::sixteen(), Bag::sixteen().mirrored()] {
            compare(&bag, &uct, 8, 900);
            let (_, played) = uct_search(&bag, &uct, &mut Rng::new(8), 900);
            assert!(played.len() > 3);
            let budget = games(900);
            let outcome = Solver::new(&bag, Method::from(uct.clone())).seed(8).budget(budget).run().unwrap();
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

/// A problem with one legal move in each state, for the given number of moves.
struct Way(u32);

impl Problem for Way {
    type State = u32;
    type Move = bool;
    fn root(&self) -> u32 {
        0
    }
    fn moves(&self, at: &u32, moves: &mut Vec<bool>) {
        moves.extend((*at < self.0).then_some(true));
    }
    fn apply(&self, at: &mut u32, _: bool) {
        *at += 1;
    }
    fn score(&self, _: &u32) -> Score {
        Score::Feasible(1.0)
    }
}

#[test]
fn depths_of_nodes_are_counted() {
    let run = |method: &str, settings: &[(&str, &str)]| {
        Solver::new(&Way(9), crate::common::method(method, settings)).budget(games(50)).run().unwrap().tree
    };
    // The root and the nine states behind it.
    let tree = run("uct", &[]);
    assert_eq!((tree.nodes, tree.depths, tree.deepest), (10, 45, 9));
    assert!((tree.mean_depth() - 4.5).abs() < 1e-12);
    // Depths are those below the root of the problem, wherever the tree begins.
    let tree = run("uct", &[("move_playouts", "3"), ("keep_tree", "false"), ("solver", "false")]);
    assert_eq!(tree.deepest, 9);
    assert!(tree.nodes > 10 && tree.mean_depth() > 2.0, "{tree:?}");
    assert_eq!(run("dfs", &[]), soloist::run::TreeShape::default());
}

/// A bag whose scores are the logarithms of the values.
#[derive(Clone, Debug)]
struct Logarithms(Bag);

impl Problem for Logarithms {
    type State = <Bag as Problem>::State;
    type Move = <Bag as Problem>::Move;

    fn root(&self) -> Self::State {
        self.0.root()
    }
    fn moves(&self, state: &Self::State, moves: &mut Vec<Self::Move>) {
        self.0.moves(state, moves);
    }
    fn apply(&self, state: &mut Self::State, mv: Self::Move) {
        self.0.apply(state, mv);
    }
    fn score(&self, state: &Self::State) -> Score {
        match self.0.score(state) {
            Score::Feasible(value) => Score::Feasible(value.log2()),
            infeasible @ Score::Infeasible(_) => infeasible,
        }
    }
}

#[test]
fn logarithms_are_searched_as_what_they_stand_for() {
    for normalization in ["global", "parent"] {
        for bag in [Bag::sixteen(), Bag::tight()] {
            for seed in 0..3 {
                let uct = |more: &str| {
                    let settings = format!("normalization={normalization} c=0.3 expansion=one {more}");
                    Method::from(altered(&Uct::best(), &settings))
                };
                let plain = recorded(&bag, uct(""), seed, 400);
                let logarithms = Logarithms(bag.clone());
                let restored = recorded(&logarithms, uct("log_base=2"), seed, 400);
                assert_same(&restored, &plain, &format!("{normalization}, seed {seed}"));
                assert_ne!(recorded(&logarithms, uct(""), seed, 400), plain, "{normalization}, seed {seed}");
            }
        }
    }
}
