//! Search and verifier agree from small numbers to numbers of many words, where labels are tied.

use crate::*;
use num_bigint::BigUint;
use serde_json::json;
use soloist::{Budget, Method, Problem, Rng, Setup, Solver};
use soloist_domain_testing::check_keys;

/// Few different numbers of this many bits, and neighbours of them.
fn tied(rng: &mut Rng, count: usize, bits: u64) -> Numbers {
    let top = BigUint::from(1_u32) << (bits - 1);
    let near = |rng: &mut Rng| {
        let low = BigUint::from(rng.below(4));
        match rng.below(4) {
            0 => top.clone(),
            1 => &top - low.min(top.clone()),
            // Around the edges of words.
            2 if bits > 64 => &top + (BigUint::from(1_u32) << (bits - 64)) + low,
            _ => (&top + low).min((&top << 1_u32) - 1_u32),
        }
    };
    Numbers::new((0..count).map(|_| near(rng)).collect()).unwrap()
}

#[test]
fn search_and_verifier_agree_at_any_size() {
    let mut rng = Rng::new(128);
    for bits in [1, 2, 30, 53, 63, 64, 65, 126, 127, 128, 129, 190, 192, 256, 1000, 4096] {
        for round in 0..3 {
            let count = 5 + rng.index(8);
            let numbers = tied(&mut rng, count, bits);
            let problem = Differencing::new(&numbers);
            soloist::check(&problem, 3, round).unwrap();
            assert_eq!(check_keys(&problem, 10, round), 0, "partitions have no keys");
            for (name, rollout) in [("dfs", None), ("uct", None), ("beam", None), ("sampling", Some("kk"))] {
                let mut setup = Setup::from(Method::preset(name).unwrap());
                if let Some(rollout) = rollout {
                    setup = setup.rollout(rollout);
                }
                let budget = Budget { nodes: Some(1 << 40), ..Budget::playouts(200) };
                let outcome = Solver::new(&problem, setup).budget(budget).seed(round).run().unwrap();
                let best = outcome.best.unwrap();
                let sides = problem.sides(&best.moves);
                let left: Vec<usize> = (0..count).filter(|&at| sides[at]).collect();
                let score = best.score.value().unwrap();
                let sum = |side: bool| -> BigUint {
                    numbers.values().iter().zip(&sides).filter(|&(_, &own)| own == side).map(|(value, _)| value).sum()
                };
                let (one, two) = (sum(true), sum(false));
                let difference = if one < two { two - one } else { one - two };
                let result = |score: f64, difference: &BigUint| {
                    let solution = json!({ "difference": difference.to_string(), "left": left });
                    check(&numbers, &json!({ "score": score, "solution": solution }).to_string())
                };
                let at = format!("{name}, {bits} bits, round {round}");
                assert!(result(score, &difference).is_ok(), "{at}: {:?}", result(score, &difference));
                assert!(result(score, &(&difference + 1_u32)).is_err(), "{at}");
                assert!(result(score + 2e-9 * score.max(1.0), &difference).is_err(), "{at}");
                let state = best.moves.iter().fold(problem.root(), |mut state, &mv| {
                    problem.apply(&mut state, mv);
                    state
                });
                assert_eq!(problem.exact_difference(&state), difference, "{at}");
            }
        }
    }
}
