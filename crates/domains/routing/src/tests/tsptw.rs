//! Tours with time windows.

use super::{drive, permutations};
use crate::tsptw::{DOMAIN, Instance, Objective, Tsptw, check, generate, is_spec, parse, verify, write};
use proptest::prelude::*;
use soloist::run::StopReason;
use soloist::{Budget, Method, Problem, Rng, Score, Solver};
use soloist_domain_testing::{check_searches, exhaust};

/// A small instance with an asymmetric matrix that is no metric.
fn small(rng: &mut Rng, nodes: usize) -> Instance {
    let matrix = (0..nodes * nodes).map(|_| rng.below(12) as f64).collect();
    let mut windows = vec![(0.0, 60.0)];
    for _ in 1..nodes {
        let ready = rng.below(25) as f64;
        windows.push((ready, ready + rng.below(25) as f64));
    }
    Instance { matrix, windows }
}

#[test]
fn small_instances_agree_with_brute_force() {
    let mut rng = Rng::new(8);
    let (mut feasible, mut none) = (0, 0);
    for round in 0..80 {
        let nodes = 2 + rng.index(6);
        let instance = small(&mut rng, nodes);
        for objective in [Objective::Travel, Objective::Makespan] {
            let problem = Tsptw::new(&instance, objective);
            let mut best: Option<f64> = None;
            permutations(&mut Vec::new(), &mut (1..nodes).collect(), &mut |order| {
                if let Some((travel, makespan)) = drive(problem.network(), order) {
                    let score = if objective == Objective::Travel { travel } else { makespan };
                    best = Some(best.map_or(score, |best| best.min(score)));
                }
            });
            assert_eq!(exhaust(&problem, |_, _| {}), best, "round {round}: {instance:?}");
            soloist::check(&problem, 10, round).unwrap();
            let Some(best) = best else {
                none += 1;
                continue;
            };
            feasible += 1;
            let outcome = Solver::new(&problem, Method::preset("dfs").unwrap()).run().unwrap();
            assert!(outcome.optimal && outcome.best.unwrap().score == Score::Feasible(best));
            let refined = Solver::new(&problem, Method::named("sisr")).seed(round);
            let found =
                refined.budget(Budget { target: Some(best), ..Budget::nodes(30_000) }).run().unwrap().best.unwrap();
            assert_eq!(found.score, Score::Feasible(best), "round {round}: {instance:?}");
        }
    }
    assert!(feasible > 40 && none > 10, "{feasible} feasible, {none} not");
}

/// The degree of a complete search without a tour in time may be above the least: it is not called optimal then.
#[test]
fn an_optimum_has_the_least_violation() {
    let mut rng = Rng::new(21);
    let (mut least_found, mut above) = (0, 0);
    for round in 0..120 {
        let instance = small(&mut rng, 5);
        let mut least = u32::MAX;
        permutations(&mut Vec::new(), &mut (1..5).collect(), &mut |order| {
            let (mut time, mut last, mut late) = (0.0_f64, 0, 0);
            for &node in order.iter().chain([&0]) {
                time += instance.way(last, node);
                late += u32::from(time > instance.windows[node].1);
                (time, last) = (time.max(instance.windows[node].0), node);
            }
            least = least.min(late);
        });
        let problem = Tsptw::new(&instance, Objective::Travel);
        let outcome = Solver::new(&problem, Method::preset("dfs").unwrap()).run().unwrap();
        let Score::Infeasible(degree) = outcome.best.unwrap().score else {
            assert_eq!(least, 0);
            continue;
        };
        assert!(least > 0 && degree >= f64::from(least), "round {round}: {instance:?}");
        *if degree > f64::from(least) { &mut above } else { &mut least_found } += 1;
        assert!(
            !outcome.optimal || degree == f64::from(least),
            "round {round}: {degree}, {least} possible: {instance:?}"
        );
    }
    assert!(least_found > 0 && above > 0, "{least_found} and {above}");
}

/// Sums of decimal numbers are exact, so that a tour as short as the bound is proven; other sums leave room for
/// rounding.
#[test]
fn bounds_of_decimal_numbers_are_exact() {
    for (unit, proven) in [(1.0, true), (0.1, true), (1.0 / 3.0, false)] {
        let instance = Instance { matrix: vec![unit; 16], windows: vec![(0.0, 60.0); 4] };
        for objective in [Objective::Travel, Objective::Makespan] {
            let problem = Tsptw::new(&instance, objective);
            let solver = Solver::new(&problem, Method::preset("sampling").unwrap());
            let outcome = solver.budget(Budget::playouts(10)).run().unwrap();
            assert_eq!((outcome.stop == StopReason::Bound, outcome.optimal), (proven, proven), "{unit} {objective:?}");
        }
    }
}

#[test]
fn nested_searches_learn_improved_tours() {
    let instance = generate("random:30x80:2").unwrap();
    let problem = Tsptw::new(&instance, Objective::Travel);
    for (bias, rate) in [(0.0, 0.0), (1.0, 0.0), (1.0, 0.1)] {
        let mut nrpa = Method::preset("nrpa").unwrap();
        let settings = [("level", "2".to_owned()), ("iterations", "20".to_owned()), ("restarts", "false".to_owned())];
        let bias = [("bias_weight", bias.to_string()), ("bias_rate", rate.to_string())];
        settings.into_iter().chain(bias).for_each(|(name, value)| nrpa.set(name, &value).unwrap());
        let run = || {
            let solver = Solver::new(&problem, nrpa.clone()).rollout("refined:50").seed(1);
            solver.budget(Budget::playouts(200)).run().unwrap().best.unwrap()
        };
        let best = run();
        assert_eq!(best.moves, run().moves);
        let checked = check(&instance, Objective::Travel, &format!("{:?}", best.moves)).unwrap();
        assert_eq!(Some(checked.score), best.score.value());
    }
}

#[test]
fn ruin_and_recreation_does_not_depend_on_how_it_is_cut() {
    for objective in [Objective::Travel, Objective::Makespan] {
        check_searches(&Tsptw::new(&generate("random:40x100:1").unwrap(), objective), 5_000);
    }
}

#[test]
fn lost_cities_come_first_and_others_stay_in_reach() {
    // City 1 closes at 3, 2 at 20, 3 at 12: 2 first would lose 1 and 3.
    let text = b"4\n0 2 4 5\n2 0 4 5\n4 4 0 5\n5 5 5 0\n0 99\n0 3\n0 20\n0 12\n";
    let problem = Tsptw::new(&parse("t", text).unwrap(), Objective::Travel);
    let moves = |played: &[u16]| {
        let (mut state, mut moves) = (problem.root(), Vec::new());
        played.iter().for_each(|&mv| problem.apply(&mut state, mv));
        problem.moves(&state, &mut moves);
        moves
    };
    assert_eq!(moves(&[]), [1]);
    assert_eq!(moves(&[1]), [2, 3]);
    // Too late for 1 already.
    assert_eq!(moves(&[2]), [1]);
    let mut state = problem.root();
    [2, 1, 3].iter().for_each(|&mv| problem.apply(&mut state, mv));
    assert_eq!(problem.score(&state), Score::Infeasible(2.0));
}

#[test]
fn reader_errors_are_exact() {
    for (text, message) in [
        ("", "t: no numbers, expected the number of nodes"),
        ("# only\n", "t: no numbers, expected the number of nodes"),
        ("1\n", "t: line 1: 1 nodes, expected 2 to 801, the depot included"),
        ("802\n", "t: line 1: 802 nodes, expected 2 to 801, the depot included"),
        ("-2\n", "t: line 1: number of nodes '-2' is negative"),
        ("2.5\n", "t: line 1: number of nodes '2.5', expected a whole number"),
        ("2\n0 3\n4\n", "t: line 3: the file ends after 3 entries of the matrix, expected 2 x 2"),
        ("2\n0 3\n4 NaN\n", "t: line 3: entry of the matrix 'NaN', expected a number"),
        ("2\n0 -3\n", "t: line 2: entry of the matrix '-3' is negative"),
        ("2\n0 3\n4 0\n0 9\n5\n", "t: line 5: the file ends before the closing of node 1: 2 windows are expected"),
        ("2\n0 3\n4 0\n0 9\n", "t: line 4: the file ends before the opening of node 1: 2 windows are expected"),
        ("2\n0 3\n4 0\n0 9\n7 5\n", "t: line 5: the window of node 1 is reversed: 7 to 5"),
        ("2\n0 3\n4 0\n0 9\n5 7\n8", "t: line 6: '8' after the last of 2 windows"),
        ("2\n0 3\n4 0\n0 9\n5 1e99\n", "t: line 5: closing '1e99' is beyond 1e9, the largest number read"),
        ("2\n0 3\n4 \0", "t: line 3: binary data (a zero byte), expected text"),
    ] {
        assert_eq!(parse("t", text.as_bytes()).unwrap_err().to_string(), message, "{text:?}");
    }
    let good = parse("t", b"2\n0 3\n4 0\n0 9\n5 7\n").unwrap();
    for text in ["\u{feff}# x\r\n2 # n\r\n\r\n0 3\r\n4 0\r\n0 9\r\n5 7", "2 0 3 4 0 0 9 5 7"] {
        assert_eq!(parse("t", text.as_bytes()).unwrap(), good);
    }
}

#[test]
fn verifier_names_the_first_violation() {
    let instance = parse("t", b"3\n0 3 5\n4 0 2\n5 2 0\n0 20\n5 9\n0 10\n").unwrap();
    let of = |text: &str| check(&instance, Objective::Travel, text);
    for good in ["1 2", "0 1 2 0", "[1, 2]", "{\"tour\": [1, 2], \"travel\": 10, \"makespan\": 12}"] {
        let checked = of(good).unwrap();
        assert_eq!(
            (checked.score, checked.summary.as_str()),
            (10.0, "3 nodes with the depot, travel cost 10, makespan 12")
        );
    }
    assert_eq!(check(&instance, Objective::Makespan, "1 2").unwrap().score, 12.0);
    for (bad, message) in [
        ("1", "node 2 is not visited: it fits at the beginning of the tour"),
        ("1 1", "node 1 is visited twice"),
        ("1 0 2", "the tour returns to the depot, node 0, at place 2"),
        ("1 3", "node 3 does not exist: there are 2, counted from 1"),
        ("1 x", "line 1: node 'x', expected a number"),
        ("[1.5]", "node '1.5' is not a number from 0 on"),
        ("{}", "no list `tour`"),
        ("{\"tour\": [1, 2], \"travel\": 11}", "claims the travel '11', recomputed: 10"),
        ("{\"score\": 12, \"solution\": {\"tour\": [1, 2]}}", "claims the score '12', recomputed: 10"),
        ("{\"feasible\": false, \"solution\": {\"tour\": [1, 2]}}", "says that it is not feasible"),
    ] {
        assert_eq!(of(bad).unwrap_err(), message, "{bad}");
    }
    let tight = parse("t", b"3\n0 3 5\n4 0 2\n5 2 0\n0 11\n5 9\n0 6\n").unwrap();
    assert_eq!(
        check(&tight, Objective::Travel, "1 2").unwrap_err(),
        "node 2 is reached at 7, 1 after its window closes at 6"
    );
    assert_eq!(check(&tight, Objective::Travel, "2 1").unwrap().score, 11.0);
    let closed = parse("t", b"2\n0 3\n4 0\n0 6\n0 9\n").unwrap();
    assert_eq!(verify(&closed, &[1]).unwrap_err(), "the depot is reached at 7, it closes at 6");
    let lost = "node 1 is not visited: its window is missed even by a tour of it alone";
    assert_eq!(verify(&closed, &[]).unwrap_err(), lost);
}

#[test]
fn specs_never_change() {
    let instance = generate("random:3x10:7").unwrap();
    let again = parse("x", (DOMAIN.generate)("random:3x10:7").unwrap().as_bytes()).unwrap();
    assert_eq!(instance, again);
    let sum: f64 = instance.matrix.iter().enumerate().map(|(at, way)| at as f64 * way).sum();
    assert_eq!((sum, instance.windows), (1825.0, vec![(0.0, 111.0), (58.0, 62.0), (49.0, 50.0), (65.0, 67.0)]));
    for (spec, message) in [
        ("random:", "expected random:CUSTOMERSxWIDTH:SEED"),
        ("random:5:1", "expected random:CUSTOMERSxWIDTH:SEED"),
        ("random:0x5:1", "number of customers 0, expected 1 to 800"),
        ("random:801x5:1", "number of customers 801, expected 1 to 800"),
        ("random:5x-5:1", "width of windows '-5'"),
        ("random:5x5:x", "the seed is not a whole number"),
    ] {
        let error = generate(spec).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{spec}: {message}")), "{error}");
    }
    assert!(is_spec("random:x") && !is_spec("random.txt"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_bytes_are_read_or_refused_in_one_line(bytes in prop::collection::vec(any::<u8>(), 0..100), text in "[0-9 .\\-#\n]{0,60}") {
        for bytes in [&bytes[..], text.as_bytes()] {
            match parse("t", bytes) {
                Ok(instance) => prop_assert_eq!(parse("t", write(&instance, "x").as_bytes()).unwrap(), instance),
                Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
            }
        }
        if let Err(message) = check(&generate("random:9x9:1").unwrap(), Objective::Travel, &text) {
            prop_assert_eq!(message.lines().count(), 1, "{}", message);
        }
    }

    #[test]
    fn written_files_are_read_back(seed: u64, customers in 1..20_u64, width in 0..90_u64) {
        let instance = generate(&format!("random:{customers}x{width}:{seed}")).unwrap();
        prop_assert_eq!(parse("t", write(&instance, "x\ny").as_bytes()).unwrap(), instance);
    }

    #[test]
    fn promises_are_kept(seed: u64, customers in 1..25_u64, width in 0..90_u64, makespan: bool) {
        let instance = generate(&format!("random:{customers}x{width}:{seed}")).unwrap();
        let objective = if makespan { Objective::Makespan } else { Objective::Travel };
        prop_assert_eq!(soloist::check(&Tsptw::new(&instance, objective), 3, seed), Ok(Vec::new()));
    }
}
