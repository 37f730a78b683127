//! Tests of the search over a core: against tables over all weights, which share nothing with it.

use soloist::{Budget, Rng, Setup, Solver};
use soloist_domain::{Options, Request, Unobserved};
use soloist_domain_testing::check_searches;
use soloist_knapsack::{DOMAIN, Item, Knapsack, MAX_SUM, Sack, check, generate};

/// The best value for each weight up to the capacity: R. Bellman's table, item by item.
fn table(sack: &Sack) -> u64 {
    let capacity = sack.capacity() as usize;
    let mut best = vec![0_u64; capacity + 1];
    for item in sack.items().iter().filter(|item| item.weight as usize <= capacity) {
        let weight = item.weight as usize;
        for at in (weight..=capacity).rev() {
            best[at] = best[at].max(best[at - weight] + item.value);
        }
    }
    best[capacity]
}

/// The classes of D. Pisinger, "Where are the hard knapsack problems?", 2005, and some small ones with many ties.
const CLASSES: usize = 13;

/// Draws an instance of a class with weights up to `most`.
fn draw(class: usize, count: usize, most: u64, rng: &mut Rng) -> Sack {
    let tenth = (most / 10).max(1);
    let keys: Vec<(u64, u64)> = (0..2).map(|_| (1 + rng.below(most), 1 + rng.below(most))).collect();
    let item = |rng: &mut Rng| {
        let weight = 1 + rng.below(most);
        let near =
            |rng: &mut Rng, middle: u64, reach: u64| (middle + rng.below(2 * reach + 1)).saturating_sub(reach).max(1);
        let (value, weight) = match class {
            0 => (1 + rng.below(most), weight),
            1 => (near(rng, weight, tenth), weight),
            2 => (weight + tenth, weight),
            3 => (weight, weight + tenth),
            4 => (near(rng, weight + tenth, most.div_ceil(500)), weight),
            5 => (weight, weight),
            6 => (1 + rng.below(most), 100 * most + rng.below(most.div_ceil(100) + 1)),
            // Multiples of two items.
            7 | 8 => {
                let (value, weight) = keys[rng.index(2)];
                let value = if class == 7 { value } else { weight + tenth };
                let times = 1 + rng.below(10);
                (value * times, weight * times)
            }
            // Two surcharges.
            9 => (if weight.is_multiple_of(6) { weight + 3 * tenth } else { weight + 2 * tenth }, weight),
            // Values rounded up to a multiple of three.
            10 => (weight.div_ceil(3) * 3, weight),
            // An arc of a circle: 2/3 of the root of 4 R^2 - (w - 2 R)^2.
            11 => {
                let (radius, from) = (2.0 * most as f64, weight as f64 - 2.0 * most as f64);
                ((2.0 / 3.0 * (radius * radius - from * from).sqrt()) as u64, weight)
            }
            // Zeros, and items that do not fit.
            _ => (rng.below(4), rng.below(4) * most.div_ceil(2)),
        };
        Item { value, weight }
    };
    let items: Vec<Item> = (0..count).map(|_| item(rng)).collect();
    let all: u64 = items.iter().map(|item| item.weight).sum();
    let capacity = all * (1 + rng.below(9)) / 10;
    Sack::new(capacity, items).unwrap()
}

/// Runs the search alone, and says how many states it made.
fn prove(sack: &Sack, what: &dyn std::fmt::Display) -> (u64, u64) {
    let problem = Knapsack::new(sack);
    let outcome = Solver::new(&problem, Setup::named("minknap")).run().unwrap();
    assert!(outcome.optimal, "{what}: not proven, {:?}", outcome.counters);
    let best = outcome.best.unwrap();
    let value = best.score.value().unwrap();
    assert_eq!(outcome.bound, Some(value), "{what}");
    assert_eq!(check(sack, &format!("{:?}", problem.packed(&best.moves))).unwrap().score, value, "{what}");
    (value as u64, outcome.counters.nodes)
}

#[test]
fn small_instances_of_all_classes_are_proven() {
    let mut rng = Rng::new(97);
    for round in 0..6_000 {
        let (class, count) = (round % CLASSES, rng.index(40));
        let most = [3, 10, 30, 100][rng.index(4)];
        let most = if class == 6 { 1 + most / 10 } else { most };
        let sack = draw(class, count, most, &mut rng);
        let (value, _) = prove(&sack, &format_args!("round {round}, class {class}: {sack:?}"));
        assert_eq!(value, table(&sack), "round {round}, class {class}: {sack:?}");
    }
}

/// Levels of more than 2000 states: constraints on the number of items, probes, and paths of more than 64 items.
#[test]
fn instances_with_many_states_are_proven() {
    let mut rng = Rng::new(96);
    let mut large = 0;
    for round in 0..150 {
        let class = [2, 3, 4, 6, 8, 9, 11][round % 7];
        let (count, most) = if round % 2 == 0 { (60 + rng.index(200), 1_000) } else { (30 + rng.index(50), 20_000) };
        let sack = draw(class, count, if class == 6 { 12 } else { most }, &mut rng);
        let (value, states) = prove(&sack, &format_args!("round {round}, class {class}: {sack:?}"));
        assert_eq!(value, table(&sack), "round {round}, class {class}: {sack:?}");
        large += usize::from(states > 20_000);
    }
    assert!(large > 30, "{large}");
}

/// Bounds hold wherever a run is cut off: above the optimum, and equal to it only with the optimum in hand.
#[test]
fn bounds_hold_whenever_a_run_is_cut_off() {
    let (mut rng, mut open) = (Rng::new(98), 0);
    for round in 0..400 {
        let class = round % CLASSES;
        let (count, most) = (30 + rng.index(60), if class == 6 { 10 } else { 1000 });
        let sack = draw(class, count, most, &mut rng);
        let (optimum, problem) = (table(&sack) as f64, Knapsack::new(&sack));
        for nodes in [1, 100, 2_000, 20_000, 200_000] {
            let solver = Solver::new(&problem, Setup::named("minknap")).budget(Budget::nodes(nodes));
            let outcome = solver.run().unwrap();
            let what = format!("round {round}, class {class}, {nodes} nodes: {sack:?}");
            let best = outcome.best.and_then(|best| best.score.value()).unwrap_or(0.0);
            assert!(best <= optimum && outcome.bound.unwrap() >= optimum, "{what}");
            assert!(!outcome.optimal || best == optimum, "{what}");
            open += usize::from(!outcome.optimal);
        }
    }
    assert!(open > 500, "{open}");
}

#[test]
fn runs_do_not_depend_on_how_they_are_cut() {
    for spec in ["strong:200x100000:1", "circle:300x10000:2", "inverse:300x1000000:3", "span:200x1000:4"] {
        let sack = generate(spec).unwrap();
        check_searches(&Knapsack::new(&sack), 40_000);
        // Paths longer than a state holds, constraints, probes and improvements that others have found.
        assert!(prove(&sack, &spec).1 > 10_000, "{spec}");
    }
}

/// Numbers up to the limits of the reader: sums and products are exact. Half the sets of 18 items are tables of each
/// half (E. Horowitz and S. Sahni, 1974).
#[test]
fn sums_at_the_limits_are_exact() {
    let mut rng = Rng::new(99);
    for round in 0..300 {
        let count = 12 + rng.index(7) as u64;
        let near = MAX_SUM / (count + 1);
        let reach = [3, 1 << 20, near / 2][round % 3];
        let number = |rng: &mut Rng| near - rng.below(reach);
        let items: Vec<Item> = (0..count)
            .map(|at| {
                let weight = number(&mut rng);
                let value = if at % 2 == 0 { weight } else { number(&mut rng) };
                Item { value, weight }
            })
            .collect();
        let capacity = MAX_SUM / 10 * (1 + rng.below(9)) + rng.below(1000);
        let sack = Sack::new(capacity, items).unwrap();
        let sums = |items: &[Item]| -> Vec<(u64, u64)> {
            items.iter().fold(vec![(0, 0)], |all, item| {
                let with = all.iter().map(|(weight, value)| (weight + item.weight, value + item.value));
                all.iter().copied().chain(with.collect::<Vec<_>>()).collect()
            })
        };
        let (one, two) = sack.items().split_at(sack.items().len() / 2);
        let (one, mut two) = (sums(one), sums(two));
        two.sort_unstable();
        for at in 1..two.len() {
            two[at].1 = two[at].1.max(two[at - 1].1);
        }
        let best = one.iter().filter(|sum| sum.0 <= capacity).map(|sum| {
            let within = two.partition_point(|other| other.0 <= capacity - sum.0);
            sum.1 + two[within - 1].1
        });
        let (value, _) = prove(&sack, &format_args!("round {round}: {sack:?}"));
        assert_eq!(value, best.max().unwrap(), "round {round}: {sack:?}");
    }
}

/// Large instances of all kinds: proven in so many states, against the table where it fits.
#[test]
fn large_instances_are_proven() {
    for (spec, states) in [
        ("random:20000x1000:1", 100_000),
        ("weak:20000x1000:1", 100_000),
        ("strong:20000x1000:1", 20_000_000),
        ("inverse:20000x1000:1", 5_000_000),
        ("subset:20000x1000:1", 100_000),
        ("ceiling:20000x1000:1", 1_000_000),
        ("circle:2000x1000:1", 20_000_000),
        ("span:2000x100:1", 20_000_000),
    ] {
        let sack = generate(spec).unwrap();
        let (value, made) = prove(&sack, &spec);
        assert!(made <= states, "{spec}: {made}");
        if sack.capacity() * sack.items().len() as u64 <= 2_000_000_000 {
            assert_eq!(value, table(&sack), "{spec}");
        }
    }
    // The capacity, or the largest number below it, with the fewest or the most surcharges: no packing is worth more.
    for (spec, expected) in [
        ("strong:1000x10000000:1", 3_208_202_815),
        ("inverse:1000x10000000:1", 2_682_202_815),
        ("subset:1000x10000000:1", 2_500_202_815),
    ] {
        let (value, states) = prove(&generate(spec).unwrap(), &spec);
        assert_eq!(value, expected, "{spec}");
        assert!(states < 20_000_000, "{spec}");
    }
}

/// Where memory ends the search, the bound stays, and no proof is claimed.
#[test]
fn a_search_without_memory_claims_nothing() {
    let sack = generate("circle:2000x100000:1").unwrap();
    let problem = Knapsack::new(&sack);
    let budget = Budget { memory: 1 << 20, ..Budget::nodes(50_000_000) };
    let outcome = Solver::new(&problem, Setup::named("minknap")).budget(budget).run().unwrap();
    assert!(!outcome.optimal && outcome.counters.nodes < 50_000_000, "{:?}", outcome.counters);
    assert!(outcome.bound > outcome.best.and_then(|best| best.score.value()));
}

/// Beside another method the search takes part of the effort, and what that one has found counts.
#[test]
fn the_default_ends_with_a_proof() {
    for spec in ["strong:1000x1000:1", "inverse:1000x1000:1", "ceiling:1000x1000:1", "circle:200x1000:1"] {
        let instance = (DOMAIN.load)(spec, &Options::new()).unwrap();
        let request = Request { budget: Budget::playouts(20_000), ..Request::default() };
        let report = instance.solve(request, &mut Unobserved).unwrap();
        assert!(report.optimal, "{spec}: {:?}", report.run.counters);
        assert!(report.remarks.iter().any(|remark| remark.starts_with("proven by minknap")), "{:?}", report.remarks);
        assert_eq!(Some(report.score().unwrap().value().unwrap()), report.bound);
        assert_eq!(instance.check(&report.solution().to_string()).unwrap().score, report.bound.unwrap(), "{spec}");
    }
}
