//! Tests of the searches of the problem's own.

use super::{brute_force, difference, log2};
use crate::{Differencing, Numbers, generate};
use num_bigint::BigUint;
use soloist::search::ParameterValues;
use soloist::{Budget, Method, Problem, Rng, Setup, Solver};
use soloist_domain::testing::check_searches;

#[test]
fn every_search_is_valid_and_never_worse_than_the_heuristic() {
    for (spec, playouts) in [("random:60x60:5", 40), ("random:70x400:6", 40), ("random:6x10:1", 3)] {
        let numbers = generate(spec).unwrap();
        let problem = Differencing::new(&numbers);
        let heuristic = problem.facts().reference.unwrap();
        for (name, key, value) in [
            ("k-list", "size", "10"),
            ("meet", "labels", "16"),
            ("ckk", "", ""),
            ("ckk-lds", "", ""),
            ("four-lists", "size", "8"),
        ] {
            let mut setup = Setup::named(name).seed(7);
            if !key.is_empty() {
                setup.set(key, value).unwrap();
            }
            let nodes = if name == "meet" { playouts } else { playouts << 10 };
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
fn trees_and_lists_resume_where_they_were_saved() {
    let problem = Differencing::new(&generate("random:60x80:4").unwrap());
    for (name, units) in [("k-list", 60_000), ("ckk", 60_000), ("ckk-lds", 60_000), ("four-lists", 60_000)] {
        let mut setup = Setup::named(name).seed(3);
        if matches!(name, "k-list" | "four-lists") {
            setup.set("size", "9").unwrap();
        }
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
    for name in ["k-list", "ckk", "ckk-lds", "meet", "four-lists"] {
        for other in ["k-list", "ckk", "ckk-lds", "meet", "four-lists"] {
            assert_eq!(fresh(other).load(&problem, &fresh(name).save()).is_ok(), name == other, "{name} {other}");
        }
        assert!(fresh(name).load(&problem, b"nonsense").is_err());
    }
}

/// Where keys are exact, the end of the tree is a proof; where they are not, it proves nothing.
#[test]
fn complete_trees_prove_the_optimum() {
    for name in ["ckk", "ckk-lds", "four-lists"] {
        for (spec, proven) in [("random:14x30:1", true), ("random:14x400:1", false)] {
            let numbers = generate(spec).unwrap();
            let problem = Differencing::new(&numbers);
            let outcome = Solver::new(&problem, Method::named(name)).run().unwrap();
            let exact = difference(&numbers, &problem.sides(&outcome.best.unwrap().moves));
            assert_eq!(outcome.optimal, proven, "{name} {spec}");
            assert!(!proven || exact == brute_force(&numbers), "{name} {spec}");
        }
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
