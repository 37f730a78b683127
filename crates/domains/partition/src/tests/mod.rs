//! Tests of number partitioning.

mod proofs;
mod scale;
mod searches;

use super::birthday::{Birthday, Buffers, Shape};
use super::*;
use num_bigint::BigUint;
use proptest::prelude::*;
use serde_json::json;
use soloist::rollout::Playout;
use soloist::{Budget, Method, Problem, Rng, Score, Setup, Solver};
use soloist_domain::{Options, Request, Unobserved};
use soloist_domain_testing::exhaust;

fn numbers(values: &[u64]) -> Numbers {
    Numbers::new(values.iter().map(|&value| BigUint::from(value)).collect()).unwrap()
}

/// The difference of the sides, from the numbers alone.
fn difference(numbers: &Numbers, right: &[bool]) -> BigUint {
    let sum = |side: bool| -> BigUint {
        numbers.values().iter().zip(right).filter(|&(_, &own)| own == side).map(|(value, _)| value).sum()
    };
    let (left, right) = (sum(false), sum(true));
    if left < right { right - left } else { left - right }
}

/// The least difference over all divisions.
fn brute_force(numbers: &Numbers) -> BigUint {
    let count = numbers.values().len();
    let sides = |set: u32| (0..count).map(|at| set >> at & 1 == 1).collect::<Vec<_>>();
    (0..1_u32 << (count - 1)).map(|set| difference(numbers, &sides(set))).min().unwrap()
}

fn log2(difference: &BigUint) -> f64 {
    let text = difference.to_string();
    text.parse::<f64>().unwrap().ln_1p() / std::f64::consts::LN_2
}

/// The least score over all solutions of the search; checks their exact differences on the way.
fn least(numbers: &Numbers, problem: &Differencing) -> f64 {
    let least = exhaust(problem, |path, end| {
        let exact = difference(numbers, &problem.sides(path));
        assert_eq!(exact, problem.exact_difference(end), "{path:?} of {numbers:?}");
        assert!((log2(&exact) - problem.score(end).value().unwrap()).abs() < 1e-9);
    });
    least.unwrap()
}

#[test]
fn the_tree_holds_the_optimum() {
    let mut rng = Rng::new(4);
    for round in 0..200 {
        let count = 1 + rng.index(9);
        // Small numbers (twins, zeros), numbers of one word, and of three, whose order 128 bits often leave open.
        let draw = |rng: &mut Rng| match round % 3 {
            0 => BigUint::from(rng.below(9)),
            1 => BigUint::from(rng.next_u64()),
            _ => (BigUint::from(5 + rng.below(3)) << 140) + BigUint::from(rng.below(16)),
        };
        let numbers = Numbers::new((0..count).map(|_| draw(&mut rng)).collect()).unwrap();
        let problem = Differencing::new(&numbers);
        let best = least(&numbers, &problem);
        let optimum = brute_force(&numbers);
        assert!((best - log2(&optimum)).abs() < 1e-9, "{best}, optimum {optimum} of {numbers:?}");
        soloist::check(&problem, 5, round).unwrap();
        for leaf in [5, 7, 50] {
            let problem = Differencing::new(&numbers).with_leaf(leaf);
            let value = least(&numbers, &problem);
            assert_eq!(problem.facts().is_complete, problem.is_exact());
            assert!(value == best || value > best && !problem.facts().is_complete, "{value}, optimum {best}");
        }
    }
}

#[test]
fn every_division_is_a_path() {
    let mut rng = Rng::new(8);
    for round in 0..200 {
        let spec = format!("random:{}x{}:{round}", 5 + round % 40, [20, 60, 300][round as usize % 3]);
        let numbers = generate(&spec).unwrap();
        let problem = Differencing::new(&numbers);
        let follow = |right: &[bool]| {
            let (mut state, mut moves) = (problem.root(), Vec::new());
            problem.follow(&mut state, right, &mut moves);
            assert_eq!(difference(&numbers, &problem.sides(&moves)), problem.exact_difference(&state));
            (moves, problem.exact_difference(&state))
        };
        // The sides of a path are followed along the same path, and with left and right exchanged.
        let (mut state, mut path) = (problem.root(), Vec::new());
        while !problem.is_finished(&state) {
            let mv = u16::from(rng.below(12) == 0);
            problem.apply(&mut state, mv);
            path.push(mv);
        }
        let right = problem.sides(&path);
        let wrong: Vec<bool> = right.iter().map(|side| !side).collect();
        let expected = (path, problem.exact_difference(&state));
        assert_eq!((follow(&right), follow(&wrong)), (expected.clone(), expected), "{spec}");
        // Any other sides are followed too, or the path ends where nothing as bad is left.
        let right: Vec<bool> = right.iter().map(|side| side ^ (rng.below(10) == 0)).collect();
        assert!(follow(&right).1 <= difference(&numbers, &right), "{spec}");
    }
}

#[test]
fn meeting_in_the_middle_finds_the_optimum() {
    let mut rng = Rng::new(2);
    for round in 0..100 {
        let count = 1 + rng.index(14);
        let most = [9, 1 << 20, 1 << 60][round % 3];
        let mut labels: Vec<u128> = (0..count).map(|_| u128::from(rng.below(most))).collect();
        labels.sort_unstable();
        let numbers = Numbers::new(labels.iter().map(|&label| BigUint::from(label)).collect()).unwrap();
        let optimum = brute_force(&numbers);
        let exact = |right: &[bool]| difference(&numbers, right);
        let (best, set) = meet::solve(&labels);
        assert_eq!(BigUint::from(best), optimum);
        assert_eq!(exact(&(0..count).map(|at| set >> at & 1 == 1).collect::<Vec<_>>()), optimum);
        // The same in wide words.
        let wide: Vec<u128> = labels.iter().map(|&label| label << 62 | 1 << 61).collect();
        let (best, set) = meet::solve(&wide);
        let wide = Numbers::new(wide.into_iter().map(BigUint::from).collect()).unwrap();
        assert_eq!(BigUint::from(best), brute_force(&wide));
        assert_eq!(
            difference(&wide, &(0..count).map(|at| set >> at & 1 == 1).collect::<Vec<_>>()),
            BigUint::from(best)
        );
    }
}

#[test]
fn completions_are_shared_exactly() {
    // What the heuristic remembers is what it would compute, on a walk that comes to the same joins again and again.
    for spec in ["random:40x40:1", "random:40x200:1"] {
        let numbers = generate(spec).unwrap();
        let problem = Differencing::new(&numbers);
        let mut kept = soloist::rollout::find_rollout(&problem, "kk").unwrap();
        let mut rng = Rng::new(3);
        for _ in 0..300 {
            let mut state = problem.root();
            for _ in 0..rng.index(30) {
                if problem.is_finished(&state) {
                    break;
                }
                problem.apply(&mut state, u16::from(rng.below(10) == 0));
            }
            let (mut a, mut b) = (state.clone(), state);
            let (mut one, mut two) = (Playout::default(), Playout::default());
            kept.run(&problem, &mut a, &mut one, &mut rng);
            soloist::rollout::find_rollout(&problem, "kk").unwrap().run(&problem, &mut b, &mut two, &mut rng);
            assert_eq!((one, problem.score(&a)), (two, problem.score(&b)));
            assert!(problem.is_finished(&a));
        }
    }
}

#[test]
fn birthdays_are_divisions_and_small_ones() {
    for (spec, shape, most) in [
        ("random:60x60:1", Shape { size: 10, levels: 2 }, 38.0),
        ("random:90x250:2", Shape { size: 10, levels: 3 }, 222.0),
        ("random:20x40:3", Shape { size: 12, levels: 1 }, 30.0),
        ("random:7x30:4", Shape { size: 8, levels: 2 }, 31.0),
    ] {
        let numbers = generate(spec).unwrap();
        let problem = Differencing::new(&numbers);
        let root = problem.root();
        let labels: Vec<Vec<u64>> = (0..root.len()).map(|at| problem.label(&root, at)).collect();
        let mut birthday = Birthday::new(&labels, shape, &mut Rng::new(1), Buffers::default());
        let mut steps = 1;
        let right = loop {
            if let Some(right) = birthday.step() {
                break right;
            }
            steps += 1;
        };
        assert_eq!(steps, birthday.steps());
        let mut by_place = vec![false; right.len()];
        root.slots().iter().zip(&right).for_each(|(&slot, &side)| by_place[usize::from(slot)] = side);
        let found = log2(&difference(&numbers, &by_place));
        assert!(found <= most, "{spec}: {found}");
    }
}

#[test]
fn predicted_differences_are_about_right() {
    // 100 numbers of 100 bits: four lists, and each doubling of the lists is worth two bits.
    let spread = 100.0 + 0.5 * (100.0_f64 / 3.0).log2();
    let best = Shape::best(20, 100, spread);
    assert_eq!(best, Shape { size: 20, levels: 2 });
    assert!((best.expected(100, spread) - 37.0).abs() < 3.0, "{}", best.expected(100, spread));
    assert_eq!(Shape::best(20, 500, 504.0).levels, 4);
    assert_eq!(Shape::best(20, 4096, 4096.0).excess(4096), 4096 - (36 << Shape::best(20, 4096, 4096.0).levels));
    // Halves of a group have little more sums than a list.
    assert_eq!(Shape::best(8, 4096, 4096.0).excess(4096), 4096 - (18 << 6));
}

#[test]
fn every_method_divides_validly() {
    let instance = (DOMAIN.load)("random:30x25:9", &Options::from([("leaf".into(), "4".into())])).unwrap();
    for preset in Method::presets() {
        for rollout in ["kk", "kk:10", "random"] {
            let request = Request {
                setup: Some(Setup::from(preset).rollout(rollout)),
                budget: Budget { nodes: Some(2_000), ..Budget::playouts(30) },
                ..Request::default()
            };
            let report = instance.solve(request, &mut Unobserved).unwrap();
            if let Some(Score::Feasible(score)) = report.score() {
                let result = json!({ "problem": "partition", "score": score, "solution": report.solution() });
                instance.check(&result.to_string()).unwrap();
            }
        }
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn published_instances_have_their_known_values() {
    let folder = soloist_domain_testing::shared_data("partition").unwrap();
    let path = |size: u32| folder.join(format!("hard{size:04}.dat"));
    // Optimum and heuristic of the small ones; proven by the default method.
    for (size, optimum, heuristic) in [(10, 1, 13), (20, 17, 261), (30, 13, 86_069), (40, 4, 33_781_112_u64)] {
        let instance = (DOMAIN.load)(path(size).to_str().unwrap(), &Options::new()).unwrap();
        let report = instance.solve(Request::default(), &mut Unobserved).unwrap();
        assert!(report.optimal);
        assert_eq!(report.solution()["difference"], json!(optimum.to_string()), "hard{size:04}");
        instance.check(&report.solution().to_string()).unwrap();
        let problem = Differencing::new(&read(path(size).to_str().unwrap()).unwrap());
        let value = problem.facts().reference.unwrap();
        assert!((value - (heuristic as f64 + 1.0).log2()).abs() < 1e-9, "hard{size:04}: {value}");
    }
    // The heuristic on the large ones: table 4.1 of the thesis.
    for (size, value) in [(100, 73.37), (200, 171.81), (300, 265.77), (400, 366.18), (500, 461.60), (600, 557.09)] {
        let problem = Differencing::new(&read(path(size).to_str().unwrap()).unwrap());
        let found = problem.facts().reference.unwrap();
        assert!((found - value).abs() < 0.006, "hard{size:04}: {found}");
    }
}

#[test]
fn depth_first_search_of_the_engine_agrees() {
    let numbers = generate("random:14x40:2").unwrap();
    let problem = Differencing::new(&numbers);
    let optimum = log2(&brute_force(&numbers));
    for name in ["dfs", "best-first"] {
        let outcome = Solver::new(&problem, Method::preset(name).unwrap()).run().unwrap();
        assert!(outcome.optimal, "{name}");
        assert!((outcome.best.unwrap().score.value().unwrap() - optimum).abs() < 1e-9, "{name}");
    }
}

#[test]
fn huge_numbers_are_exact() {
    let text: String =
        (0..40).map(|at| format!("{}\n", (BigUint::from(3_u32 + at) << 4000) + BigUint::from(at * at))).collect();
    let numbers = parse("a.dat", text.as_bytes()).unwrap();
    let problem = Differencing::new(&numbers);
    soloist::check(&problem, 5, 1).unwrap();
    let mut state = problem.root();
    soloist::rollout::find_rollout(&problem, "kk").unwrap().run(
        &problem,
        &mut state,
        &mut Playout::default(),
        &mut Rng::new(1),
    );
    // The high parts cancel; what is left is in the low ones.
    assert!(problem.exact_difference(&state).bits() < 20);
    assert_eq!(generate("random:2x4096:1").unwrap().values()[0].bits().div_ceil(8), 512);
}

#[test]
fn reader_accepts_what_files_look_like() {
    let expected = numbers(&[7, 9]);
    for text in ["7\n9\n", "7\r\n9", "\u{feff}# x\n\n  7\t\n009 # nine\n\n"] {
        assert_eq!(parse("a", text.as_bytes()).unwrap(), expected, "{text:?}");
    }
    assert_eq!(write(&expected), "7\n9\n");
    let zeros = format!("{}5\n", "0".repeat(3000));
    assert_eq!(parse("a", zeros.as_bytes()).unwrap(), numbers(&[5]));
    assert_eq!(parse("a", b"000").unwrap(), numbers(&[0]));
}

#[test]
fn reader_errors_are_exact() {
    let huge = format!("{}\n", "9".repeat(1234));
    let long = format!("1{}\n", "0".repeat(5000));
    let many = "1\n".repeat(MAX_NUMBERS + 1);
    for (text, message) in [
        ("", "a: no numbers, expected one a line"),
        ("# only\n", "a: no numbers, expected one a line"),
        ("7\n1 2\n", "a: line 2: 2 fields, expected one number"),
        ("NaN\n", "a: line 1: 'NaN', expected a whole number from 0 on"),
        ("7\n-9\n", "a: line 2: '-9' is negative, expected a whole number from 0 on"),
        ("+9\n", "a: line 1: '+9', expected a whole number from 0 on"),
        ("1e9\n", "a: line 1: '1e9', expected a whole number from 0 on"),
        ("7.5", "a: line 1: '7.5', expected a whole number from 0 on"),
        (&huge, "a: line 1: '999999999999999999999999...' has more than 4096 bits, the most that are read"),
        (&long, "a: line 1: '100000000000000000000000...' has more than 4096 bits, the most that are read"),
        (&many, "a: line 4097: more than 4096 numbers, the most that are read"),
        ("1\0", "a: line 1: binary data (a zero byte), expected text"),
    ] {
        assert_eq!(parse("a", text.as_bytes()).unwrap_err().to_string(), message);
    }
    assert!(read("no/such.dat").unwrap_err().to_string().starts_with("no/such.dat: cannot be read: "));
}

#[test]
fn specs_never_change() {
    assert_eq!(write(&generate("random:3x70:7").unwrap()), SPEC);
    for (spec, part) in [
        ("random:", "expected random:COUNTxBITS:SEED"),
        ("random:5:7", "expected random:COUNTxBITS:SEED"),
        ("random:0x5:7", "the number of numbers is not in 1..=4096"),
        ("random:5x4097:7", "the number of bits is not in 1..=4096"),
        ("random:5x5:-7", "the seed is not a whole number"),
    ] {
        let error = generate(spec).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{spec}: ")) && error.contains(part), "{error}");
    }
    assert!(is_spec("random:3x5:1") && !is_spec("random.dat"));
}

const SPEC: &str = "203935404614329733437\n511299033183393437810\n552731958711913350006\n";

#[test]
fn verifier_recomputes_everything() {
    let numbers = numbers(&[8, 7, 6, 5, 4]);
    for good in [
        "0 1",
        "0, 1 # comment",
        "[1, 0]",
        r#"{"left": [0, 1]}"#,
        r#"{"left": [0, 1], "right": [2, 3, 4], "difference": "0"}"#,
        r#"{"problem": "partition", "score": 0.0, "solution": {"left": [0, 1], "difference": "0"}}"#,
    ] {
        let checked = check(&numbers, good).unwrap();
        assert_eq!((checked.score, checked.summary.as_str()), (0.0, "2 numbers against 3, difference 0"), "{good}");
    }
    assert_eq!(check(&numbers, "0").unwrap().score, 15_f64.log2());
    for (bad, message) in [
        ("0 5", "number 5 does not exist: there are 5, counted from 0"),
        ("0 0", "number 0 is on two sides or twice on one"),
        ("-1", "line 1: place '-1', expected a whole number from 0 on"),
        (r#"{"left": [0], "right": [0]}"#, "number 0 is on two sides or twice on one"),
        (r#"{"left": [0], "right": [1]}"#, "number 2 is on no side"),
        (r#"{"left": [0.5]}"#, "place '0.5' is not a whole number from 0 on"),
        (r#"{"left": 3}"#, "`left` is not a list"),
        ("{}", "no list `left`"),
        (r#"{"left": [0, 1], "difference": "1"}"#, "claims the difference '\"1\"', recomputed: '0'"),
        (r#"{"left": [0, 1], "difference": 0}"#, "claims the difference '0', recomputed: '0'"),
        (r#"{"score": 1.0, "solution": {"left": [0, 1]}}"#, "claims the score '1.0', recomputed: 0"),
        (r#"{"problem": "knapsack", "solution": {}}"#, "a solution of '\"knapsack\"', expected partition"),
    ] {
        assert_eq!(check(&numbers, bad).unwrap_err(), message, "{bad}");
    }
}

#[test]
fn drawing_is_sound_on_anything() {
    for spec in ["random:30x100:1", "random:1x1:1", "random:300x4096:2"] {
        let numbers = generate(spec).unwrap();
        for solution in [json!(null), json!({ "left": [0, 7, 99_999, "x", -1] }), json!(3)] {
            let svg = draw::svg(&numbers, &solution);
            assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
            assert!(draw::text(&numbers, &solution).ends_with('\n'));
        }
    }
    assert!(draw::svg(&numbers(&[0]), &json!({ "left": [0] })).contains("sums of 0 bits"));
}

#[test]
fn domain_is_complete() {
    let instance = (DOMAIN.load)(DOMAIN.example, &Options::new()).unwrap();
    assert_eq!(instance.describe(), "60 numbers of up to 40 bits");
    assert_eq!(instance.default_setup().preset, "k-list");
    let provable = (DOMAIN.load)("random:55x60:1", &Options::new()).unwrap();
    assert_eq!(provable.default_setup().preset, "four-lists");
    assert_eq!(
        parse("x", (DOMAIN.generate)("random:5x9:1").unwrap().as_bytes()).unwrap(),
        generate("random:5x9:1").unwrap()
    );
    for name in ["kk", "kk:30", "random"] {
        assert!(instance.has_rollout(name), "{name}");
    }
    for name in ["kk:1", "kk:", "kk:-7", "kk:1e1", "k-list", "nosuch"] {
        assert!(!instance.has_rollout(name), "{name}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_in_one_line(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(error) = parse("a.dat", &bytes) {
            prop_assert_eq!(error.to_string().lines().count(), 1);
        }
    }

    #[test]
    fn written_files_are_read_back(values in prop::collection::vec(prop::collection::vec(any::<u32>(), 0..20), 1..30)) {
        let numbers = Numbers::new(values.into_iter().map(BigUint::new).collect()).unwrap();
        prop_assert_eq!(parse("a.dat", write(&numbers).as_bytes()).unwrap(), numbers);
    }

    #[test]
    fn any_text_is_verified_or_refused_in_one_line(text in "[\\[\\{]?[0-9a-z\"':,\\[\\]\\{\\} ]{0,60}") {
        prop_assert!(check(&generate("random:20x9:1").unwrap(), &text).err().is_none_or(|error| !error.contains('\n')));
    }

    #[test]
    fn bounds_hold_along_playouts(seed: u64, count in 1_u64..40, bits in 1_u64..200) {
        let problem = Differencing::new(&generate(&format!("random:{count}x{bits}:{seed}")).unwrap());
        prop_assert!(soloist::check(&problem, 3, seed).is_ok());
    }
}

/// The thesis' tree search had these values after 600 s (table 4.1).
#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn tree_search_reaches_the_values_of_the_thesis() {
    let folder = soloist_domain_testing::shared_data("partition").unwrap();
    for (name, value) in [("0200", 149.79), ("0400", 344.84), ("0600", 540.66)] {
        let path = folder.join(format!("hard{name}.dat"));
        let instance = (DOMAIN.load)(path.to_str().unwrap(), &Options::new()).unwrap();
        let setup = Setup { seed: 1, ..Method::preset("uct-best").unwrap().into() };
        assert_eq!(instance.rollout_for(&setup), "kk:30");
        let problem = Differencing::new(&read(path.to_str().unwrap()).unwrap());
        let solver = Solver::new(&problem, setup.method).rollout("kk:30").seed(1).budget(Budget::playouts(1_000));
        let best = solver.run().unwrap().best.unwrap();
        assert!(best.score.value().unwrap() <= value, "hard{name}: {:?}", best.score);
    }
}

#[test]
fn the_last_labels_are_divided_optimally() {
    for spec in ["random:30x40:1", "random:30x200:2"] {
        let problem = Differencing::new(&generate(spec).unwrap());
        let mut rng = Rng::new(3);
        let mut rollout = soloist::rollout::find_rollout(&problem, "kk:16").unwrap();
        let mut plain = soloist::rollout::find_rollout(&problem, "kk").unwrap();
        for _ in 0..200 {
            let mut state = problem.root();
            for _ in 0..rng.index(20) {
                if !problem.is_finished(&state) {
                    problem.apply(&mut state, if rng.chance(0.3) { JOIN } else { SPLIT });
                }
            }
            let mut few = state.clone();
            while few.len() > 16 && !problem.is_finished(&few) {
                problem.apply(&mut few, SPLIT);
            }
            let expected = few.len() > 4 && !problem.is_finished(&few);
            let least = meet::solve(few.keys()).0 as f64;
            let (mut end, mut playout) = (state.clone(), Playout::default());
            // With and without what was remembered.
            rollout.run(&problem, &mut end, &mut playout, &mut rng);
            let mut replayed = state.clone();
            playout.moves.iter().for_each(|&mv| problem.apply(&mut replayed, mv));
            assert!(problem.is_finished(&replayed));
            assert_eq!(problem.score(&replayed), problem.score(&end));
            let (mut other, mut moves) = (state.clone(), Playout::default());
            plain.run(&problem, &mut other, &mut moves, &mut rng);
            assert!(problem.score(&end).value() <= problem.score(&other).value());
            if expected {
                // The division of the leading bits, to their precision.
                let found = end.keys()[end.len() - 1] as f64;
                let difference = problem.score(&end).value().unwrap();
                assert!(end.len() > 1 || (found - least).abs() <= 64.0 + least * 1e-12, "{difference}");
            }
        }
    }
}

#[test]
fn known_partitions_are_starts() {
    let instance = (DOMAIN.load)("random:60x90:7", &Options::new()).unwrap();
    let sides: Vec<usize> = (0..60).filter(|place| place % 3 != 1).collect();
    let right: Vec<usize> = (0..60).filter(|place| place % 3 == 1).collect();
    let list = json!(sides).to_string();
    let score = instance.check(&list).unwrap().score;
    let lines: Vec<String> = sides.iter().map(ToString::to_string).collect();
    for text in [list, json!({ "left": sides, "right": right }).to_string(), lines.join("\r\n")] {
        let moves = instance.start_from(&text).unwrap();
        let setup: Setup = Method::preset("sampling").unwrap().into();
        let request = Request {
            setup: Some(setup.rollout("kk")),
            budget: Budget::playouts(0),
            start: vec![moves],
            ..Request::default()
        };
        let report = instance.solve(request, &mut Unobserved).unwrap();
        // Where a label dominates, the rest is done in the best way.
        let reached = report.score().and_then(Score::value).unwrap();
        assert!(reached <= score + 1e-9 && instance.check(&report.solution().to_string()).is_ok(), "{reached} {score}");
        assert!(instance.start_from(&report.solution().to_string()).is_ok());
    }
    assert!(instance.start_from("[0, 0]").is_err() && instance.start_from("[60]").is_err());
}
