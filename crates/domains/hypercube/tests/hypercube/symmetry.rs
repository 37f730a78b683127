//! Coils of a path and its images, against coils found by plain enumeration.

use super::*;
use proptest::prelude::*;
use soloist::rollout::{Playout, Rollout, Uniform};
use soloist::{Budget, Rng, Score, Solver};
use soloist_domain::{Request, Unobserved};
use std::collections::HashMap;

fn symmetric(d: u32, k: u32, order: u32) -> SymmetricCoils {
    SymmetricCoils::new(&cube(d, k), std::iter::once(order), Potential::Reachable)
}

/// All coils that begin with the canonical path `nodes`, which has flipped the first `used` bits, up to the names of
/// the other bits: found by trying every vertex beside its end; each is given to `found`.
fn coils(nodes: &mut Vec<u32>, used: u32, d: u32, k: u32, found: &mut dyn FnMut(&[u32])) {
    let head = nodes[nodes.len() - 1];
    if nodes.len() > 2 && head.is_power_of_two() && violation(nodes, k, Kind::Coil).is_none() {
        found(nodes);
    }
    for bit in 0..d.min(used + 1) {
        nodes.push(head ^ 1 << bit);
        // A beginning of a coil is no snake where it comes round to its start.
        let last = nodes.len() - 1;
        let apart =
            |at: usize| (nodes[at] ^ nodes[last]).count_ones() as usize >= (k as usize).min(last - at).min(1 + at);
        if (0..last).all(|at| nodes[at] != nodes[last] && (apart(at) || nodes[last].count_ones() < k)) {
            coils(nodes, used.max(bit + 1), d, k, found);
        }
        nodes.pop();
    }
}

/// Whether a renaming of the bits turns the flips into themselves, moved on by `by` places.
fn repeats(flips: &[u32], by: usize) -> bool {
    let mut names = HashMap::new();
    let mut images = HashMap::new();
    (0..flips.len()).all(|at| {
        let (from, to) = (flips[at], flips[(at + by) % flips.len()]);
        *names.entry(from).or_insert(to) == to && *images.entry(to).or_insert(from) == from
    })
}

#[test]
fn the_longest_symmetric_coils_of_small_cubes() {
    for (d, k) in [(3, 1), (5, 2), (6, 3)] {
        // By order: the longest coil of paths of at least 2 k vertices.
        let mut longest = [2 * d; 9];
        coils(&mut vec![0, 1], 1, d, k, &mut |nodes| {
            let flips: Vec<u32> = (0..nodes.len()).map(|at| nodes[at] ^ nodes[(at + 1) % nodes.len()]).collect();
            for (order, longest) in longest.iter_mut().enumerate().skip(2) {
                let by = nodes.len() / order;
                if nodes.len() % order == 0 && by >= 2 * k as usize && repeats(&flips, by) {
                    *longest = (*longest).max(nodes.len() as u32);
                }
            }
        });
        for order in 2..=8 {
            let problem = symmetric(d, k, order);
            let method = Method::preset("dfs").unwrap();
            let outcome = Solver::new(&problem, method).run().unwrap();
            let found = outcome.best.map_or(2 * d, |best| best.score.value().unwrap() as u32);
            assert_eq!(found, longest[order as usize], "order {order} in d{d}k{k}");
            assert!(!outcome.optimal && outcome.bound.is_none());
        }
        assert!(longest.iter().any(|&length| length > 2 * d), "nothing to find in d{d}k{k}");
    }
}

proptest! {
    #[test]
    fn symmetric_coils_are_coils(seed: u64, d in 2_u32..=9, k in 1_u32..=5, order in 2_u32..=24) {
        let problem = symmetric(d, k, order);
        prop_assume!(problem.symmetries() > 0);
        let (mut state, mut playout, mut rng) = (problem.root(), Playout::default(), Rng::new(seed));
        Uniform.run(&problem, &mut state, &mut playout, &mut rng);
        let answer = problem.answer(&playout.moves);
        prop_assert_eq!(violation(&answer, k, Kind::Coil), None);
        prop_assert_eq!(answer.len() as u32, score_of(&problem, &state));
        let flips: Vec<u32> = (0..answer.len()).map(|at| answer[at] ^ answer[(at + 1) % answer.len()]).collect();
        prop_assert!(answer.len() as u32 == 2 * d || repeats(&flips, answer.len() / order as usize));
        prop_assert!(soloist::check(&problem, 2, seed).is_ok());
    }

    #[test]
    fn widths_of_symmetric_coils_agree(seed: u64, d in 3_u32..=8, k in 1_u32..=4) {
        let narrow = symmetric(d, k, 4);
        let wide = SymmetricCoils::in_words(&cube(d, k), std::iter::once(4), Potential::Reachable, 128);
        prop_assume!(narrow.symmetries() > 0);
        let mut playout = Playout::default();
        Uniform.run(&narrow, &mut narrow.root(), &mut playout, &mut Rng::new(seed));
        let (mut a, mut b) = (narrow.root(), wide.root());
        for &mv in &playout.moves {
            narrow.apply(&mut a, mv);
            wide.apply(&mut b, mv);
            prop_assert_eq!((narrow.score(&a), narrow.bound(&a)), (wide.score(&b), wide.bound(&b)));
            prop_assert_eq!((narrow.potential(&a), narrow.key(&a).is_some()), (wide.potential(&b), true));
        }
    }
}

fn score_of<P: Problem>(problem: &P, state: &P::State) -> u32 {
    problem.score(state).value().unwrap() as u32
}

#[test]
fn equal_keys_of_symmetric_coils_mean_equal_futures() {
    /// Hash of everything that may follow.
    fn future<P: Problem>(problem: &P, state: &P::State) -> u64 {
        let mut moves = Vec::new();
        problem.moves(state, &mut moves);
        let after = moves.iter().map(|&mv| {
            let mut next = state.clone();
            problem.apply(&mut next, mv);
            (mv, future(problem, &next))
        });
        let after: Vec<(P::Move, u64)> = after.collect();
        soloist::problem::stable_hash(&(score_of(problem, state), after))
    }
    let problem = symmetric(5, 2, 2);
    let mut futures = HashMap::new();
    let (mut states, mut open) = (0, vec![problem.root()]);
    while let Some(state) = open.pop() {
        let mut moves = Vec::new();
        problem.moves(&state, &mut moves);
        if let Some(key) = problem.key(&state) {
            states += 1;
            let following = future(&problem, &state);
            assert_eq!(*futures.entry(key).or_insert(following), following);
        }
        open.extend(moves.iter().map(|&mv| {
            let mut next = state.clone();
            problem.apply(&mut next, mv);
            next
        }));
    }
    assert!(futures.len() < states, "{states} states, {} keys", futures.len());
}

#[test]
fn the_option_finds_long_coils() {
    let options = Options::from([("symmetry".to_owned(), "2".to_owned())]);
    let instance = load(Kind::Coil, "d7k2", &options).unwrap();
    let budget = Budget { target: Some(48.0), ..Budget::playouts(1_000_000) };
    let report = instance.solve(Request { budget, ..Request::default() }, &mut Unobserved).unwrap();
    assert_eq!(report.score(), Some(Score::Feasible(48.0)));
    let result = json!({ "problem": "coil", "score": 48, "feasible": true, "moves": report.moves(), "solution": report.solution() });
    assert_eq!(instance.check(&result.to_string()).unwrap().score, 48.0);
}

#[test]
fn options_without_effect_are_refused() {
    let with = |name: &str, value: &str| {
        let set = [("symmetry", "2"), (name, value)].map(|(name, value)| (name.to_owned(), value.to_owned()));
        load(Kind::Coil, "d7k2", &Options::from(set)).err().map(|error| error.to_string())
    };
    assert_eq!(with("code", "vertex"), None);
    for (name, value) in [("code", "edge"), ("potential", "free")] {
        let error = with(name, value).unwrap();
        assert!(error.contains(&format!("`{name}` has no effect")), "{error}");
    }
}
