//! Every term of the bound, worked out by hand.

use super::*;
use crate::Score;
use crate::doc::Staircase;
use crate::erased::MoveCodec;
use crate::erased::problem::{ProblemAdapter, ProblemRef, Rules};
use crate::search::family::Family;

/// Returns a root with children that have these scores; child `i` has the code `i` and the bias `biases[i]`.
fn tree(children: &[&[f64]], biases: &[f64], sense: Sense) -> Arena {
    let mut arena = Arena::new(1 << 20, true);
    arena.plant(0);
    assert!(arena.expand(0, &vec![0; children.len()]));
    for (i, scores) in children.iter().enumerate() {
        let child = arena.try_child(0, 0);
        for &score in *scores {
            arena.update(0, Score::Feasible(score), sense);
            arena.update(child, Score::Feasible(score), sense);
        }
        arena.sides[child].code = i as u64;
        arena.sides[child].bias = biases[i];
    }
    arena
}

/// Returns a search with other parameters: "name=value name=value".
fn altered(uct: &Uct, settings: &str) -> Uct {
    let mut uct = uct.clone();
    for setting in settings.split(' ') {
        let (name, value) = setting.split_once('=').unwrap();
        uct.set(name, value).unwrap();
    }
    uct
}

/// Returns the child chosen, from 0, and its bound.
fn choice(uct: &Uct, arena: &Arena, sense: Sense, played: &[(&[u64], f64)]) -> (usize, f64) {
    drawn(uct, arena, sense, played, 0)
}

/// The same with the number that decides between equal bounds.
fn drawn(uct: &Uct, arena: &Arena, sense: Sense, played: &[(&[u64], f64)], draw: u64) -> (usize, f64) {
    uct.validate().unwrap();
    let stairs = Staircase(1);
    let rules = ProblemAdapter::new(
        ProblemRef::borrowed(&stairs),
        crate::problem::Facts::default(),
        MoveCodec::new(),
        crate::core::abort::Watch::outside(),
    );
    let mut learner = Learner::new(uct, &rules, &rules.root(), 1 << 20);
    for (codes, score) in played {
        learner.start();
        learner.codes.extend_from_slice(codes);
        learner.count(uct, Score::Feasible(*score), Scale::raw(sense));
    }
    learner.start();
    let name = learner.names[0];
    let mut range = Range::default();
    [0.0, 10.0].iter().for_each(|&score| range.add(score, Sense::Maximize));
    let standard = 30.0;
    let selector = Selector { uct, sense, arena, learner: &learner, range, standard, c: uct.selection.c, name, draw };
    let (slot, bound) = selector.select(0).unwrap();
    (slot - arena.get(0).children().start, (bound * 1e6).round() / 1e6)
}

// n = 10, ln 10 = 2.302585. Means 5, 6, 5; variances 1, 0, 32/3; best scores 6, 6, 9.
const ABC: [&[f64]; 3] = [&[4.0, 6.0], &[6.0, 6.0, 6.0, 6.0, 6.0], &[1.0, 5.0, 9.0]];

fn chosen(uct: &Uct) -> (usize, f64) {
    choice(uct, &tree(&ABC, &[3.0, 0.0, 1.0], Sense::Maximize), Sense::Maximize, &[])
}

fn raw(c: f64) -> Uct {
    altered(&Uct::default(), &format!("c={c} normalization=none"))
}

#[test]
fn ucb1_by_hand() {
    // 5 + sqrt(ln 10 / 2), 6 + sqrt(ln 10 / 5), 5 + sqrt(ln 10 / 3) = 6.072983, 6.678614, 5.876087
    assert_eq!(chosen(&raw(1.0)), (1, 6.678614));
    // 15.729830, 12.786140, 13.760870
    assert_eq!(chosen(&raw(10.0)), (0, 15.72983));
    // On best scores: 7.072983, 6.678614, 9.876087
    assert_eq!(chosen(&altered(&raw(1.0), "value=best")), (2, 9.876087));
    // From 0 to 10, and from 1 to 9 below the parent: (6 - 1) / 8.
    assert_eq!(chosen(&altered(&Uct::default(), "c=0.0")), (1, 0.6));
    assert_eq!(chosen(&altered(&Uct::default(), "c=0.0 normalization=parent")), (1, 0.625));
}

#[test]
fn sp_mcts_by_hand() {
    // d = 0 adds 1, 0, 3.265986; d = 100 adds sqrt(51), sqrt(20), sqrt(44).
    let uct = |d| altered(&raw(1.0), &format!("deviation=true d={d}"));
    assert_eq!(chosen(&uct(0.0)), (2, 9.142073));
    assert_eq!(chosen(&uct(100.0)), (0, 13.214411));
    // w = 0.5 adds 3, 3, 4.5 to the plain bounds.
    assert_eq!(chosen(&altered(&raw(1.0), "w=0.5")), (2, 10.376087));
    // The product: sqrt(sqrt 10 / n_i) is 1.257433, 0.795271, 1.026690; with d = 0 times sqrt(2/3), 0, sqrt(8):
    // 6.026690, 6, 7.903918; with d = 100 times sqrt(34), sqrt(100/6), sqrt(33): 12.332034, 9.246679, 10.897886.
    let product = |d| altered(&raw(1.0), &format!("bandit=deviation d={d}"));
    assert_eq!(chosen(&product(0.0)), (2, 7.903918));
    assert_eq!(chosen(&product(100.0)), (0, 12.332034));
    // Blended: 5.25, 6, 6 for w = 0.25, and exploration halved: 8.916017, 7.623340, 8.948943.
    let blended = altered(&product(100.0), "value=blend w=0.25 c=0.5");
    assert_eq!(chosen(&blended), (2, 8.948943));
}

#[test]
fn ucb1_tuned_by_hand() {
    // On [0, 1]: 2 ln 10 / n_i = 2.302585, 0.921034, 1.535057; every V is above 1/4.
    let uct = altered(&Uct::default(), "c=1.0 bandit=ucb1-tuned");
    assert_eq!(chosen(&uct), (0, 1.258714));
    // 20,000 scores of mean 5 and variance 20 against 80,000 of mean 5.13 and variance 0.1: V = 0.2339307 and
    // 0.0179654, terms 0.016411 and 0.002274.
    let (high, low) = (5.0 + 20_f64.sqrt(), 5.0 - 20_f64.sqrt());
    let wide: Vec<f64> = (0..20_000).map(|i| if i % 2 == 0 { high } else { low }).collect();
    let narrow: Vec<f64> =
        (0..80_000).map(|i| 5.13 + if i % 2 == 0 { 0.1_f64.sqrt() } else { -(0.1_f64.sqrt()) }).collect();
    let arena = tree(&[&wide, &narrow], &[0.0, 0.0], Sense::Maximize);
    assert_eq!(choice(&uct, &arena, Sense::Maximize, &[]), (0, 0.516411));
    // UCB1 with the same constant knows no variances: 0.52399 and 0.525, so that it prefers the other one.
    let plain = altered(&Uct::default(), "c=1.0");
    assert_eq!(choice(&plain, &arena, Sense::Maximize, &[]), (1, 0.524996));
}

#[test]
fn ratios_by_hand() {
    // The paper's rule with Cp = 1/4 on the reference 30: 30 / 5 + 0.5 sqrt(2 ln 10 / 2) = 6.758714, 30 / 6 + 0.5
    // sqrt(2 ln 10 / 5) = 5.479852, 30 / 5 + 0.5 sqrt(2 ln 10 / 3) = 6.619488: the least mean counts most.
    let uct = altered(&Uct::cooled(0.25, 10, Cooling::None), "solver=true");
    let arena = tree(&ABC, &[0.0; 3], Sense::Minimize);
    assert_eq!(choice(&uct, &arena, Sense::Minimize, &[]), (0, 6.758714));
    // Upwards the mean over the reference: 5 / 30, 6 / 30 and 5 / 30.
    assert_eq!(chosen(&altered(&uct, "c=0.0")), (1, 0.2));
    // Costs counted below zero are the same problem.
    let mirrored = tree(&[&[-4.0, -6.0], &[-6.0], &[-4.5]], &[0.0; 3], Sense::Maximize);
    let selector = Scale::ratio(-30.0, Sense::Maximize);
    assert_eq!((selector.reward(-5.0), Scale::ratio(30.0, Sense::Minimize).reward(5.0)), (6.0, 6.0));
    // A positive reference for negative scores makes no sense, and no harm.
    choice(&uct, &mirrored, Sense::Maximize, &[]);
}

#[test]
fn cooling_by_hand() {
    let at = |cooling, playout, depth, longest| {
        let uct = altered(&Uct::cooled(1.0, 100, cooling), &format!("cooling={cooling} c=8.0"));
        uct.selection.constant(playout, 100, depth, longest)
    };
    assert_eq!(at(Cooling::None, 99, 3, 4), 8.0);
    // Equation 4: T(i) = Cp (N - i) / N.
    assert_eq!([0, 25, 99].map(|i| at(Cooling::Linear, i, 3, 4)), [8.0, 6.0, 0.08]);
    assert_eq!([0, 50].map(|i| at(Cooling::Exponential, i, 3, 4)), [8.0, 0.8]);
    assert_eq!([0, 1, 3, 4].map(|depth| at(Cooling::Depth, 50, depth, 4)), [4.0, 3.0, 1.0, 0.0]);
    assert_eq!(at(Cooling::Depth, 50, 9, 0), 0.0);
    // Cp = 1 is 2 sqrt 2.
    assert!((Uct::cooled(1.0, 10, Cooling::None).selection.c - 8_f64.sqrt()).abs() < 1e-15);
}

#[test]
fn cooling_begins_again() {
    let at = |reheats: u64, playout| {
        let uct = altered(&Uct::cooled(1.0, 100, Cooling::Linear), &format!("c=8.0 reheats={reheats}"));
        uct.validate().unwrap();
        uct.selection.constant(playout, 100, 0, 9)
    };
    assert_eq!([0, 25, 50, 75].map(|i| at(1, i)), [8.0, 4.0, 8.0, 4.0]);
    // Three periods of 34, 34 and 32 playouts.
    assert_eq!([0, 17, 33, 34, 51, 68, 85].map(|i| at(2, i)), [8.0, 4.0, 8.0 / 34.0, 8.0, 4.0, 8.0, 4.0]);
    // More periods than playouts: the constant does not fall.
    assert_eq!([0, 99].map(|i| at(1_000, i)), [8.0, 8.0]);
}

#[test]
fn ties_are_broken_as_asked() {
    // Equal children 0, 1 and 3; the worse one in between is never chosen.
    let arena = tree(&[&[5.0], &[5.0], &[4.0], &[5.0]], &[0.0; 4], Sense::Maximize);
    let chosen = |ties: &str, draw| drawn(&altered(&raw(1.0), ties), &arena, Sense::Maximize, &[], draw).0;
    assert!((0..50).all(|draw| chosen("ties=first", draw) == 0));
    let mut counts = [0; 4];
    (0..3_000).for_each(|draw| counts[chosen("ties=random", draw)] += 1);
    assert!(counts[2] == 0 && [0, 1, 3].iter().all(|&at| (850..=1_150).contains(&counts[at])), "{counts:?}");
    assert_eq!(chosen("ties=random", 7), chosen("ties=random", 7));
}

#[test]
fn knowledge_by_hand() {
    // Biases 3, 0, 1: 2 h / (n_i + 1) adds 2, 0, 0.5 to 5, 6, 5.
    assert_eq!(chosen(&altered(&raw(0.0), "bias_weight=2.0")), (0, 7.0));
    let arena = tree(&ABC, &[0.0; 3], Sense::Maximize);
    // Code 2 was in playouts of 8 and 10, code 1 in one of 1.
    let played: &[(&[u64], f64)] = &[(&[2, 7], 8.0), (&[7, 2], 10.0), (&[1], 1.0)];
    // History 1: mean 0.9 / (3 * (1 - 0.5) + 1) = 0.36 for the third; 0.1 / (5 * 0.4 + 1) for the second.
    let uct = altered(&Uct::default(), "c=0.0 history=1.0");
    assert_eq!(choice(&uct, &arena, Sense::Maximize, played), (2, 0.86));
    // AMAF of the third: p = 2, n = 3, b = 2 / (2 + 3 + 0.001 * 6) = 0.399521: 0.600479 * 0.5 + 0.399521 * 0.9 =
    // 0.659808; the second: p = 1, n = 5, b = 1 / 6.005 = 0.166528: 0.516736.
    let uct = altered(&Uct::default(), "c=0.0 amaf=true");
    assert_eq!(choice(&uct, &arena, Sense::Maximize, played), (2, 0.659808));
}

#[test]
fn smaller_can_be_better() {
    let mirrored: Vec<Vec<f64>> = ABC.iter().map(|scores| scores.iter().map(|score| -score).collect()).collect();
    let mirrored: Vec<&[f64]> = mirrored.iter().map(Vec::as_slice).collect();
    let arena = tree(&mirrored, &[3.0, 0.0, 1.0], Sense::Minimize);
    for uct in [
        raw(1.0),
        altered(&raw(1.0), "deviation=true d=100.0 w=0.5"),
        altered(&raw(1.0), "bandit=deviation value=blend w=0.3"),
        altered(&raw(0.0), "bias_weight=2.0"),
    ] {
        assert_eq!(choice(&uct, &arena, Sense::Minimize, &[]), chosen(&uct));
    }
}

#[test]
fn settings_that_exclude_each_other_are_refused() {
    let beam = Uct::beam(0.1, 10, 2);
    let cases = [
        (altered(&beam, "transpositions=true"), "beam_width and transpositions exclude each other"),
        (altered(&beam, "move_playouts=3"), "beam_width and move_playouts exclude each other"),
        (altered(&Uct::default(), "played_only=true"), "played_only needs move_playouts"),
        (altered(&Uct::best(), "fpu=constant"), "fpu needs expansion=one or lazy"),
        (
            altered(&raw(1.0), "bandit=ucb1-tuned playouts=history"),
            "bandit=ucb1-tuned needs rewards in [0, 1]: normalization=global or parent",
        ),
        (altered(&Uct::cooled(1.0, 9, Cooling::Depth), "tree_playouts=0"), "cooling needs tree_playouts"),
        (altered(&Uct::cooled(1.0, 9, Cooling::None), "reheats=2"), "reheats needs cooling"),
        (
            altered(&Uct::cooled(1.0, 9, Cooling::None), "deviation=true"),
            "deviation and normalization=ratio exclude each other",
        ),
        (
            altered(&raw(1.0), "bandit=deviation deviation=true"),
            "deviation=true and bandit=deviation exclude each other",
        ),
        (altered(&raw(1.0), "value=blend w=1.5"), "value=blend needs w of at most 1"),
    ];
    for (uct, message) in cases {
        assert_eq!(uct.validate().unwrap_err().to_string(), message);
    }
}
