//! Claims of optimality where a rollout decides by leading bits alone.

use super::{brute_force, log2};
use crate::{Differencing, Numbers};
use num_bigint::BigUint;
use soloist::{Budget, Method, Rng, Solver};

/// Numbers of more than 128 bits that differ in their last ones: the rollout divides what is left on the leading bits
/// and says that this is spent. A tree search must not take that for a proof.
#[test]
fn tree_searches_claim_nothing_that_the_leading_bits_decide() {
    let parse = |digits: &str| digits.parse::<BigUint>().unwrap();
    let five = ["902", "872", "816", "842"].map(|end| parse(&format!("87112285931760246646623899502532662132{end}")));
    let mut cases = vec![Numbers::new(five.into_iter().chain([parse("90")]).collect()).unwrap()];
    let mut rng = Rng::new(26);
    for _ in 0..8 {
        let base = BigUint::from(1_u32) << 137_usize;
        let mut values: Vec<BigUint> = (0..4).map(|_| &base + BigUint::from(rng.below(200))).collect();
        values.push(BigUint::from(rng.below(100)));
        cases.push(Numbers::new(values).unwrap());
    }
    let mut missed = 0;
    for numbers in &cases {
        let problem = Differencing::new(numbers);
        let optimum = log2(&brute_force(numbers));
        for name in ["uct", "uct-best"] {
            let solver = Solver::new(&problem, Method::preset(name).unwrap());
            let outcome = solver.rollout("kk:30").budget(Budget::playouts(2_000)).run().unwrap();
            let found = outcome.best.unwrap().score.value().unwrap();
            let is_best = (found - optimum).abs() < 1e-9;
            assert!(is_best || !outcome.optimal, "{found}, optimum {optimum}, {name}: {numbers:?}");
            missed += u32::from(!is_best);
        }
        let outcome = Solver::new(&problem, Method::preset("dfs").unwrap()).run().unwrap();
        assert!(outcome.optimal && (outcome.best.unwrap().score.value().unwrap() - optimum).abs() < 1e-9);
    }
    assert!(missed > 0, "the leading bits decide everywhere");
}
