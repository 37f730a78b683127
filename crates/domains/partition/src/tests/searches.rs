//! Tests of the searches of the problem's own.

use super::{brute_force, difference, log2};
use crate::birthday::{Birthday, Buffers, Shape};
use crate::{Differencing, Numbers, generate};
use num_bigint::BigUint;
use soloist::search::ParameterValues;
use soloist::{Budget, Method, Problem, Rng, Setup, Solver};
use soloist_domain_testing::check_searches;

#[test]
fn every_search_is_valid_and_never_worse_than_the_heuristic() {
    for (spec, nodes) in [("random:60x60:5", 40 << 10), ("random:70x400:6", 40 << 10), ("random:6x10:1", 3 << 10)] {
        let numbers = generate(spec).unwrap();
        let problem = Differencing::new(&numbers);
        let heuristic = problem.facts().reference.unwrap();
        for (name, size) in [("k-list", "10"), ("four-lists", "8")] {
            let mut setup = Setup::named(name).seed(7);
            setup.set("size", size).unwrap();
            let outcome = Solver::new(&problem, setup).budget(Budget::nodes(nodes)).run().unwrap();
            let best = outcome.best.unwrap();
            let score = best.score.value().unwrap();
            assert!(score <= heuristic, "{spec} {name}");
            let exact = difference(&numbers, &problem.sides(&best.moves));
            assert!((log2(&exact) - score).abs() < 1e-9, "{spec} {name}");
        }
    }
}

#[test]
fn searches_do_not_depend_on_how_a_run_is_cut() {
    // Four numbers more than are divided at once.
    check_searches(&Differencing::new(&generate("random:44x80:4").unwrap()), 12);
}

#[test]
fn lists_resume_where_they_were_saved() {
    let problem = Differencing::new(&generate("random:60x80:4").unwrap());
    let units = 60_000;
    for name in ["k-list", "four-lists"] {
        let mut setup = Setup::named(name).seed(3);
        setup.set("size", "9").unwrap();
        let whole = Solver::new(&problem, setup.clone()).budget(Budget::nodes(units)).run().unwrap();
        let mut session = Solver::new(&problem, setup).start().unwrap();
        let mut left = units;
        while left > 0 {
            let now = left.min(7_001);
            left -= now;
            session.advance(&Budget::nodes(now)).unwrap();
            session = Solver::new(&problem, Method::named(name)).resume(&session.save()).unwrap().start().unwrap();
        }
        let (a, b) = (whole.best.unwrap(), session.best().unwrap());
        assert_eq!((a.score, a.moves), (b.score, b.moves), "{name}");
    }
    // A search is not continued as another one.
    let fresh = |name: &str| soloist::problem::find_search(&problem, name, &ParameterValues::default()).unwrap();
    for name in ["k-list", "four-lists"] {
        for other in ["k-list", "four-lists"] {
            assert_eq!(fresh(other).load(&problem, &fresh(name).save()).is_ok(), name == other, "{name} {other}");
        }
        assert!(fresh(name).load(&problem, b"nonsense").is_err());
    }
}

/// Where keys are exact, the end of the lists is a proof; where they are not, it proves nothing.
#[test]
fn four_lists_prove_where_keys_are_exact() {
    for (spec, proven) in [("random:14x30:1", true), ("random:14x400:1", false)] {
        let numbers = generate(spec).unwrap();
        let problem = Differencing::new(&numbers);
        let outcome = Solver::new(&problem, Method::named("four-lists")).run().unwrap();
        let exact = difference(&numbers, &problem.sides(&outcome.best.unwrap().moves));
        assert_eq!(outcome.optimal, proven, "{spec}");
        assert!(!proven || exact == brute_force(&numbers), "{spec}");
    }
}

/// Small windows over many kinds of numbers: few and many bits, equal ones, odd and even sums, sums near 128 bits.
#[test]
fn four_lists_prove_the_optimum() {
    let mut rng = Rng::new(8);
    let (mut windows, mut narrow) = (0, 0);
    for round in 0..300 {
        let count = 5 + rng.index(12);
        let bits = [3, 8, 20, 44, 59, 63, 64, 70, 90, 121, 125][rng.index(11)];
        let number = |rng: &mut Rng| {
            let wide = u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
            BigUint::from(wide >> (128 - bits)) + 1_u32
        };
        let mut values: Vec<BigUint> = (0..count).map(|_| number(&mut rng)).collect();
        if rng.index(4) == 0 {
            // Equal numbers: windows cannot be made narrow enough.
            let (from, to) = (rng.index(count), rng.index(count));
            values[to] = values[from].clone();
            values.resize(count.min(9) + 5, values[from].clone());
        }
        let numbers = Numbers::new(values).unwrap();
        let problem = Differencing::new(&numbers);
        let mut setup = Setup::named("four-lists").seed(round);
        setup.set("size", ["4", "5", "9"][rng.index(3)]).unwrap();
        let outcome = Solver::new(&problem, setup).run().unwrap();
        let exact = difference(&numbers, &problem.sides(&outcome.best.unwrap().moves));
        assert_eq!(exact, brute_force(&numbers), "{round}: {numbers:?}");
        windows += u32::from(outcome.counters.nodes > 100);
        narrow += u32::from(outcome.optimal);
    }
    assert!(windows > 100 && narrow > 250, "{windows} {narrow}");
}

/// Where the first state is finished there is one solution, and the exact search says so.
#[test]
fn a_finished_first_state_is_a_proof() {
    for spec in ["random:30x60:7", "random:16x30:7", "random:12x110:7"] {
        let numbers = generate(spec).unwrap();
        let count = numbers.values().len();
        let problem = Differencing::new(&numbers).with_leaf(count);
        assert!(problem.is_finished(&problem.root()));
        let outcome = Solver::new(&problem, Method::named("four-lists")).run().unwrap();
        assert!(outcome.optimal, "{spec}");
    }
    // Leading bits decide about more than 128: nothing is proven.
    let problem = Differencing::new(&generate("random:12x140:7").unwrap()).with_leaf(12);
    assert!(!Solver::new(&problem, Method::named("four-lists")).run().unwrap().optimal);
}

/// Differences that share a score as doubles: the least of them is handed out.
#[test]
fn ties_of_the_score_are_settled_exactly() {
    let mut rng = Rng::new(4);
    let mut ties = 0;
    for round in 0..20 {
        // Four against three, whichever they are: the last bits decide.
        let big = BigUint::from(1_u32) << 110_u32;
        let values = (0..7).map(|_| &big + BigUint::from(rng.below(1 << 20))).collect();
        let numbers = Numbers::new(values).unwrap();
        let problem = Differencing::new(&numbers);
        assert!(problem.is_exact());
        let least = brute_force(&numbers);
        let outcome = Solver::new(&problem, Method::named("four-lists")).seed(round).run().unwrap();
        let best = outcome.best.unwrap();
        let mut end = problem.root();
        best.moves.iter().for_each(|&mv| problem.apply(&mut end, mv));
        assert!(outcome.optimal);
        assert_eq!(problem.exact_difference(&end), least, "{numbers:?}");
        let first = Solver::new(&problem, Method::preset("dfs").unwrap()).run().unwrap().best.unwrap();
        let mut other = problem.root();
        first.moves.iter().for_each(|&mv| problem.apply(&mut other, mv));
        ties += u32::from(first.score == best.score && problem.exact_difference(&other) != least);
    }
    assert!(ties > 0, "no differences share a score");
}

/// A construction counts the sums that it makes, also those of the halves of a group, so that a step is short.
#[test]
fn sums_are_counted_as_they_are_made() {
    let problem = Differencing::new(&generate("random:150x150:77").unwrap());
    let root = problem.root();
    let labels: Vec<Vec<u64>> = (0..root.len()).map(|at| problem.label(&root, at)).collect();
    let mut most = 0;
    for size in [10, 12] {
        let shape = Shape::best(size, labels.len(), 150.0);
        let labels = labels[..labels.len() - shape.excess(labels.len())].to_vec();
        let mut birthday = Birthday::new(&labels, shape, &mut Rng::new(1), Buffers::default());
        let mut before = 0;
        while birthday.step().is_none() {
            most = most.max(birthday.sums() - before);
            before = birthday.sums();
        }
        // Each list has about its size, and each group two halves.
        let lists = birthday.steps() as u64;
        assert!(birthday.sums() > lists << (size - 1), "{} sums in {lists} steps", birthday.sums());
    }
    assert!(most < 1 << 15, "{most} sums in a step");
}
