//! Moves, closures, bounds and keys against the definition.

use super::*;
use proptest::prelude::*;
use soloist::Rng;
use soloist::problem::Prior;
use soloist::rollout::{Playout, Policy, Rollout, Trace, Uniform, policy_playout};
use std::collections::HashMap;

/// Number of states of the whole tree.
fn perft(problem: &Snakes, state: &Path) -> u64 {
    1 + moves(problem, state).into_iter().map(|mv| perft(problem, &play(problem, state, mv))).sum::<u64>()
}

#[test]
fn trees_have_the_known_sizes() {
    // Counts of an independent enumeration (spread, dimension, states).
    for (k, d, expected) in [
        (2, 3, 5),
        (2, 4, 15),
        (2, 5, 347),
        (2, 6, 651_077),
        (3, 6, 142),
        (3, 7, 26_063),
        (4, 8, 4_628),
        (5, 9, 1_968),
        (5, 10, 557_998),
        (6, 11, 101_316),
        (7, 12, 42_253),
    ] {
        let problem = problem(Kind::Snake, d, k);
        let found = perft(&problem, &problem.root());
        assert_eq!(found, expected, "d{d}k{k}");
    }
}

/// The length of the longest coil that `nodes` begins, at the next `k - 1` vertices, by the definition.
fn closes(nodes: &mut Vec<u32>, d: u32, k: u32, more: u32) -> bool {
    if more == 0 {
        return nodes.len() >= 4 && violation(nodes, k, Kind::Coil).is_none();
    }
    (0..d).any(|bit| {
        nodes.push(nodes[nodes.len() - 1] ^ 1 << bit);
        let found = closes(nodes, d, k, more - 1);
        nodes.pop();
        found
    })
}

/// Walks the whole tree: moves by the definition, bounds no less than what follows; returns the best score.
fn walk(problem: &Snakes, (d, k): (u32, u32), state: &Path, path: &mut Vec<u8>, longest: u32) -> u32 {
    let kind = problem.kind();
    let mut nodes = problem.nodes(path);
    assert_eq!((state.length(), state.head()), (path.len() as u32, nodes[path.len()]));
    let mut longest = longest;
    if kind == Kind::Coil {
        // Only ways from the head: shorter ones were looked at before.
        if closes(&mut nodes, d, k, k - 1) {
            longest = longest.max(state.length() + k);
        }
        assert_eq!(state.closed(), longest, "{path:?} in d{d}k{k}");
        assert_eq!(problem.answer(path).len() as u32, longest);
        assert_eq!(violation(&problem.answer(path), k, Kind::Coil), None, "{path:?} in d{d}k{k}");
    }
    let used = path.iter().max().map_or(0, |&bit| u32::from(bit) + 1);
    let legal: Vec<u8> = (0..d.min(used + 1) as u8)
        .filter(|bit| {
            let next = nodes[nodes.len() - 1] ^ 1 << bit;
            violation(&[&nodes[..], &[next]].concat(), k, Kind::Snake).is_none()
        })
        .collect();
    let found = moves(problem, state);
    let ended = kind == Kind::Coil && found.is_empty();
    if !ended {
        assert_eq!(found, legal, "{path:?} in d{d}k{k}");
    }
    let mut best = score(problem, state);
    // A coil that ended before its path did must have nothing to gain.
    for mv in legal {
        path.push(mv);
        best = best.max(walk(problem, (d, k), &play(problem, state, mv), path, longest));
        path.pop();
    }
    if ended {
        assert_eq!(best, score(problem, state), "{path:?} in d{d}k{k}");
    }
    let bound = problem.bound(state).unwrap();
    assert!(bound >= f64::from(best), "bound {bound} < {best} after {path:?} in d{d}k{k}");
    best
}

#[test]
fn small_trees_follow_the_definition() {
    for (d, k, snake, coil) in [
        (2, 1, 3, 4),
        (2, 2, 2, 4),
        (2, 3, 2, 4),
        (3, 1, 7, 8),
        (3, 2, 4, 6),
        (3, 3, 3, 6),
        (3, 7, 3, 6),
        (4, 2, 7, 8),
        (4, 3, 5, 8),
        (4, 6, 4, 8),
        (5, 2, 13, 14),
        (5, 3, 7, 10),
        (5, 4, 6, 10),
        (6, 3, 13, 16),
        (6, 4, 8, 12),
        (7, 4, 11, 14),
        (7, 5, 9, 14),
    ] {
        let problem = problem(Kind::Snake, d, k);
        assert_eq!(walk(&problem, (d, k), &problem.root(), &mut Vec::new(), 0), snake, "snake d{d}k{k}");
        if (k - 1) * d > 24 {
            // Ways back by brute force take d^(k-1) steps.
            continue;
        }
        let problem = super::problem(Kind::Coil, d, k);
        assert_eq!(walk(&problem, (d, k), &problem.root(), &mut Vec::new(), 2 * d), coil, "coil d{d}k{k}");
    }
}

/// What can be seen of a state's future: the moves of all states below, and their scores.
fn future(problem: &Snakes, state: &Path) -> u64 {
    let below: Vec<_> =
        moves(problem, state).into_iter().map(|mv| (mv, future(problem, &play(problem, state, mv)))).collect();
    soloist::problem::stable_hash(&(score(problem, state), below))
}

#[test]
fn equal_keys_mean_equal_futures() {
    for (kind, d, k) in [
        (Kind::Snake, 4, 1),
        (Kind::Snake, 5, 2),
        (Kind::Coil, 5, 2),
        (Kind::Snake, 6, 3),
        (Kind::Coil, 6, 3),
        (Kind::Coil, 7, 4),
        (Kind::Snake, 3, 5),
    ] {
        let problem = problem(kind, d, k);
        let mut futures = HashMap::new();
        let mut open = vec![problem.root()];
        let mut states = 0;
        while let Some(state) = open.pop() {
            states += 1;
            // The tree of spread 1 is large: a part of it will do.
            if k == 1 && states > 3_000 {
                break;
            }
            let key = problem.key(&state).unwrap();
            if k == 1 && state.length() < 8 {
                open.extend(moves(&problem, &state).into_iter().rev().map(|mv| play(&problem, &state, mv)));
                continue;
            }
            let following = future(&problem, &state);
            assert_eq!(*futures.entry(key).or_insert(following), following, "{kind:?} d{d}k{k}: {state:?}");
            open.extend(moves(&problem, &state).into_iter().map(|mv| play(&problem, &state, mv)));
        }
        assert!(states > 3 && futures.len() > 2, "{kind:?} d{d}k{k}");
    }
}

/// The fast playouts draw what the engine's plain code draws.
fn plays_alike(kind: Kind, d: u32, k: u32, code: Code, (bias, rate): (f64, f64)) {
    let problem = Snakes::new(kind, &cube(d, k), code, Potential::default());
    let mut fast = soloist::rollout::find_rollout(&problem, "random").unwrap();
    let (mut rng, mut plain_rng) = (Rng::new(7), Rng::new(7));
    let mut policy = Policy::new(1.0, bias, 3.0).with_bias_rate(rate);
    let mut from = problem.root();
    for round in 0..40 {
        let (mut state, mut plain) = (from.clone(), from.clone());
        let (mut playout, mut plain_playout) = (Playout::default(), Playout::default());
        fast.run(&problem, &mut state, &mut playout, &mut rng);
        Rollout::run(&mut Uniform, &problem, &mut plain, &mut plain_playout, &mut plain_rng);
        assert_eq!((&playout.moves, &state, &rng), (&plain_playout.moves, &plain, &plain_rng), "{kind:?} d{d}k{k}");

        let (mut state, mut plain) = (from.clone(), from.clone());
        let (mut trace, mut plain_trace) = (Trace::default(), Trace::default());
        fast.run_policy(&problem, &mut state, &policy, &mut trace, &mut rng);
        policy_playout(&mut Uniform, &problem, &mut plain, &policy, &mut plain_trace, &mut plain_rng);
        assert_eq!((&trace.moves, &state, &rng), (&plain_trace.moves, &plain, &plain_rng), "{kind:?} d{d}k{k}");
        assert_eq!((trace.lifetimes(), trace.chosen()), (plain_trace.lifetimes(), plain_trace.chosen()));
        let mut taught = policy.clone();
        taught.adapt(&plain_trace, 1.0);
        policy.adapt(&trace, 1.0);
        assert!(trace.lifetimes().iter().all(|life| policy.logit(life.code) == taught.logit(life.code)));
        // From the root and from states on the way.
        from = problem.root();
        let way = &playout.moves[..playout.moves.len() * (round % 3) / 4];
        way.iter().for_each(|&mv| problem.apply(&mut from, mv));
    }
    assert!(policy.len() > 1 || d <= k);
}

#[test]
fn fast_playouts_are_the_plain_ones() {
    let plain = (0.0, 0.0);
    for (kind, bias) in
        [(Kind::Snake, plain), (Kind::Coil, plain), (Kind::Snake, (0.7, 0.0)), (Kind::Coil, (-0.4, 0.0))]
    {
        for (d, k) in [(2, 2), (3, 1), (5, 2), (7, 2), (8, 2), (8, 3), (8, 5), (6, 1), (4, 7)] {
            plays_alike(kind, d, k, Code::Vertex, bias);
        }
        plays_alike(kind, 7, 2, Code::Turn, bias);
        plays_alike(kind, 8, 2, Code::Edge, bias);
        plays_alike(kind, 10, 4, Code::Step, bias);
        plays_alike(kind, 13, 2, Code::Vertex, bias);
        plays_alike(kind, 11, 7, Code::Turn, bias);
    }
    plays_alike(Kind::Snake, 7, 2, Code::Vertex, (0.5, 0.1));
}

#[test]
fn biases_prefer_tight_places_but_for_dead_ends() {
    let problem = problem(Kind::Snake, 7, 2);
    let mut state = problem.root();
    assert_eq!(problem.bias(&state, 0), -7.0);
    // After 0, 1, 3: beside 7 lie 5, 6, 15, 23, 39 and 71, and 5 is beside 1; beside 11 as many, 9 beside 1.
    [0, 1].iter().for_each(|&bit| problem.apply(&mut state, bit));
    assert_eq!([2, 3].map(|bit| problem.bias(&state, bit)), [-5.0, -5.0]);
    let (mut rng, mut dead_ends) = (Rng::new(4), 0);
    for _ in 0..20 {
        // The start has no free vertex less for being where it is: the first move says nothing.
        let (mut state, mut played) = (problem.root(), vec![0]);
        problem.apply(&mut state, 0);
        while let legal = moves(&problem, &state)
            && !legal.is_empty()
        {
            for &mv in &legal {
                // By the definition: vertices beside the new head that are beside no other of the path.
                let nodes = problem.answer(&[&played[..], &[mv]].concat());
                let (&head, path) = nodes.split_last().unwrap();
                let beside = (0..7).map(|bit| head ^ 1 << bit);
                let free = beside.filter(|vertex| path.iter().all(|node| (node ^ vertex).count_ones() > 1)).count();
                dead_ends += usize::from(free == 0);
                assert_eq!(problem.bias(&state, mv), if free == 0 { -7.0 } else { -(free as f64) });
            }
            let mv = legal[rng.index(legal.len())];
            problem.apply(&mut state, mv);
            played.push(mv);
        }
    }
    assert!(dead_ends > 20);
}

#[test]
fn widths_agree() {
    // The same cube in more words than it needs plays the same.
    for kind in [Kind::Snake, Kind::Coil] {
        for (d, k) in [(6, 2), (7, 3), (8, 2)] {
            let small = problem(kind, d, k);
            let large = Snakes::in_words(kind, &cube(d, k), Code::default(), Potential::default(), 16);
            let (mut a, mut b) = (small.root(), large.root());
            let mut rng = Rng::new(3);
            loop {
                let legal = moves(&small, &a);
                assert_eq!(legal, moves(&large, &b));
                assert_eq!((small.bound(&a), small.potential(&a)), (large.bound(&b), large.potential(&b)));
                assert_eq!((small.key(&a), score(&small, &a)), (large.key(&b), score(&large, &b)));
                let Some(&mv) = legal.get(rng.index(legal.len())) else { break };
                small.apply(&mut a, mv);
                large.apply(&mut b, mv);
            }
        }
    }
}

#[test]
fn codes_stay_below_their_limit_and_differ() {
    for code in [Code::Vertex, Code::Edge, Code::Turn, Code::Step] {
        let problem = Snakes::new(Kind::Snake, &cube(8, 2), code, Potential::default());
        let limit = u64::from(problem.facts().code_count.unwrap());
        let mut rng = Rng::new(2);
        for _ in 0..50 {
            let mut state = problem.root();
            loop {
                let legal = moves(&problem, &state);
                let mut codes: Vec<u64> = legal.iter().map(|&mv| problem.code(&state, mv)).collect();
                assert!(codes.iter().all(|&code| code < limit), "{code:?}");
                codes.dedup();
                assert_eq!(codes.len(), legal.len(), "{code:?}");
                let Some(&mv) = legal.get(rng.index(legal.len())) else { break };
                problem.apply(&mut state, mv);
            }
        }
    }
}

#[test]
fn potentials_count_vertices() {
    let of = |potential| Snakes::new(Kind::Snake, &cube(6, 2), Code::Vertex, potential);
    let (reachable, free) = (of(Potential::Reachable), of(Potential::Free));
    let mut state = free.root();
    free.apply(&mut state, 0);
    // After one edge the ball of the start is blocked, all else can be reached.
    assert_eq!(free.potential(&state), Some(57.0));
    assert_eq!(reachable.potential(&state), Some(57.0));
    let (mut rng, mut played) = (Rng::new(9), vec![0]);
    loop {
        let legal = moves(&free, &state);
        let Some(&mv) = legal.get(rng.index(legal.len())) else { break };
        played.push(mv);
        let numbers = [&reachable, &free].map(|problem| problem.potential(&state).unwrap());
        assert!(numbers[0] >= 1.0 && numbers.is_sorted(), "{numbers:?}");
        free.apply(&mut state, mv);
    }
    // The end: what is free is told as a share of the cube.
    let nodes = free.answer(&played);
    let is_free = |vertex: &u32| nodes.iter().all(|node| (node ^ vertex).count_ones() > 1);
    let share = (0..64).filter(is_free).count() as f64 / 64.0;
    assert!(share > 0.0);
    for problem in [reachable, free] {
        assert_eq!(problem.potential(&state), Some(share));
    }
}

/// Every beginning of an optimal sequence has room for the rest.
#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn bounds_hold_along_optimal_sequences() {
    fn follow(kind: Kind, d: u32, k: u32, nodes: &[u32]) {
        let problem = problem(kind, d, k);
        let length = if kind == Kind::Coil { nodes.len() } else { nodes.len() - 1 } as u32;
        // A coil's own vertices end where it begins to close.
        let played = if kind == Kind::Coil { nodes.len() - k as usize + 1 } else { nodes.len() };
        let is_trivial = kind == Kind::Coil && length == 2 * d;
        let mut state = problem.root();
        for pair in nodes[..played].windows(2) {
            let bound = problem.bound(&state).unwrap();
            assert!(bound >= f64::from(length), "{kind:?} d{d}k{k}: bound {bound} < {length}: {state:?}");
            let mv = (pair[0] ^ pair[1]).trailing_zeros() as u8;
            if is_trivial && moves(&problem, &state).is_empty() {
                return;
            }
            assert!(moves(&problem, &state).contains(&mv), "{kind:?} d{d}k{k}: {state:?}");
            problem.apply(&mut state, mv);
        }
        assert_eq!(score(&problem, &state), length, "{kind:?} d{d}k{k}");
    }
    for (kind, k, d, nodes) in examples() {
        follow(kind, d, k, &nodes);
    }
}

proptest! {
    #[test]
    fn conformance(seed: u64, d in 2_u32..=8, k in 1_u32..=7, coil: bool) {
        let kind = if coil { Kind::Coil } else { Kind::Snake };
        prop_assert!(soloist::check(&problem(kind, d, k), 3, seed).is_ok());
    }

    #[test]
    fn playouts_are_valid(seed: u64, d in 2_u32..=9, k in 1_u32..=7, coil: bool) {
        let kind = if coil { Kind::Coil } else { Kind::Snake };
        let problem = problem(kind, d, k);
        let (mut state, mut playout) = (problem.root(), Playout::default());
        soloist::rollout::find_rollout(&problem, "random").unwrap().run(&problem, &mut state, &mut playout, &mut Rng::new(seed));
        let answer = problem.answer(&playout.moves);
        prop_assert_eq!(violation(&answer, k, kind), None);
        prop_assert_eq!(violation(&problem.nodes(&playout.moves), k, Kind::Snake), None);
        let edges = if coil { answer.len() } else { answer.len() - 1 };
        prop_assert_eq!(edges as u32, score(&problem, &state));
    }
}

#[test]
fn conformance_of_large_cubes() {
    for kind in [Kind::Snake, Kind::Coil] {
        for (d, k) in [(9, 3), (10, 2)] {
            soloist::check(&problem(kind, d, k), 3, 1).unwrap();
        }
        for (d, k) in [(11, 2), (12, 6), (13, 7)] {
            soloist::check(&problem(kind, d, k), 1, 1).unwrap();
        }
    }
}

#[test]
fn equal_keys_have_equal_moves() {
    let mut pairs = 0;
    for kind in [Kind::Snake, Kind::Coil] {
        for (d, k) in [(3, 1), (4, 1), (4, 2), (5, 2), (6, 2), (6, 3), (7, 3), (8, 4), (8, 5)] {
            pairs += soloist_domain_testing::check_keys(&problem(kind, d, k), 600, u64::from(d + k));
        }
    }
    for (d, k) in [(4, 2), (5, 2), (6, 2), (6, 3)] {
        pairs += soloist_domain_testing::check_keys(
            &SymmetricCoils::new(&cube(d, k), [2, 4].into_iter(), Potential::Woven),
            600,
            5,
        );
    }
    assert!(pairs > 1_000, "{pairs}");
}
