//! Keys of layouts with ties, and the verifier on long solutions.

use super::*;
use soloist_domain_testing::check_keys;

/// A random instance of few due dates, so that several stacks suit an item equally well.
fn tied(rng: &mut Rng, items: usize) -> Yard {
    let width = 3 + rng.index(3);
    let dates = 1 + rng.below(4);
    let mut initial = vec![Vec::new(); width];
    let items: Vec<Item> = (0..items)
        .map(|at| {
            let due = 2 + rng.below(dates);
            let there = rng.below(4) > 0;
            if there {
                initial[rng.index(width)].push(at);
            }
            let release = (!there).then(|| rng.below(2));
            Item { number: at as u64, release, due }
        })
        .collect();
    let highest = initial.iter().map(Vec::len).max().unwrap_or(0);
    let height = highest.max(1) + 1 + rng.index(3);
    Yard::new("tied".into(), width, height, items, initial).unwrap()
}

#[test]
fn equal_keys_have_equal_moves_where_due_dates_are_tied() {
    let (mut rng, mut pairs) = (Rng::new(26), 0);
    for round in 0..300 {
        let count = 4 + rng.index(9);
        let problem = Stacking::new(&tied(&mut rng, count));
        pairs += check_keys(&problem, 40, round);
        soloist::check(&problem, 10, round).unwrap();
    }
    assert!(pairs > 10_000, "{pairs}");
}

#[test]
fn ranks_do_not_depend_on_the_order_of_stacks() {
    // Three stacks whose earliest items are due on the same date, and one that has to be cleared.
    let of = |layout: &str| {
        let header = "str name := x\nint width := 5\nint height := 1000\nint items := 6\n--- end of header ---\n";
        let items = "1 - 1\n2 - 3\n3 - 3\n4 - 3\n5 - 2\n6 - 2\n--- initial stacks ---\n";
        Stacking::new(&yard(&format!("{header}{items}{layout}")))
    };
    let (one, two) = (of("1 5 6\n2\n3\n4\n-\n"), of("-\n4\n2\n1 5 6\n3\n"));
    assert_eq!(one.key(&one.root()), two.key(&two.root()));
    for first in 0..4 {
        for second in 0..4 {
            let play = |problem: &Stacking| {
                let mut state = problem.root();
                let mut keys = vec![problem.key(&state)];
                for mv in [first, second] {
                    let mut moves = Vec::new();
                    problem.moves(&state, &mut moves);
                    if moves.contains(&mv) {
                        problem.apply(&mut state, mv);
                        keys.push(problem.key(&state));
                    }
                }
                keys
            };
            assert_eq!(play(&one), play(&two), "ranks {first}, {second}");
        }
    }
}

#[test]
fn transpositions_prove_what_plain_search_proves() {
    let mut rng = Rng::new(7);
    for round in 0..60 {
        let yard = tied(&mut rng, 7);
        let problem = Stacking::new(&yard);
        let solve = |name: &str, set: &[(&str, &str)]| {
            let mut method = Method::preset(name).unwrap();
            set.iter().for_each(|(key, value)| method.set(key, value).unwrap());
            Solver::new(&problem, method)
                .budget(Budget { nodes: Some(1 << 40), ..Budget::playouts(3_000) })
                .seed(round)
                .run()
                .unwrap()
        };
        let plain = solve("dfs", &[("table", "false")]);
        let known = plain.optimal.then(|| plain.best.as_ref().map(|best| best.score));
        for (name, set) in [("uct", &[("transpositions", "true")][..]), ("ida-star", &[]), ("bfs", &[])] {
            let found = solve(name, set);
            if found.optimal
                && let Some(known) = known
            {
                assert_eq!(found.best.map(|best| best.score), known, "{name}, round {round}: {yard:?}");
            }
        }
    }
}

#[test]
fn long_solutions_are_verified_in_linear_time() {
    // Two stacks of 2,000 items in any order: half a million relocations, where looking for each item in its stack
    // would take a thousand times as many steps.
    let mut dues: Vec<u64> = (1..=2_000).collect();
    Rng::new(1).shuffle(&mut dues);
    let items: Vec<Item> = (0..).zip(dues).map(|(number, due)| Item { number, release: None, due }).collect();
    let yard = Yard::new("long".into(), 2, 2_000, items, vec![(0..2_000).collect(), Vec::new()]).unwrap();
    let problem = Stacking::new(&yard);
    let movements = problem.movements(&yard, &[]);
    let relocations = movements.iter().filter(|own| own.from.is_some() && own.to.is_some()).count();
    assert!(relocations > 300_000, "{relocations}");
    assert_eq!(check(&yard, &plain(&yard, &movements)).unwrap().score, relocations as f64);
}
