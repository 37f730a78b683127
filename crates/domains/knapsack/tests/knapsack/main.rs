//! Tests of the knapsack.

mod minknap;

use proptest::prelude::*;
use serde_json::json;
use soloist::problem::stable_hash;
use soloist::{Budget, Method, Problem, Rng, Score, Setup, Solver};
use soloist_domain::{Options, Request, Unobserved};
use soloist_domain_testing::{check_golden_runs, check_keys, exhaust, published_data};
use soloist_knapsack::*;

fn sack(capacity: u64, items: &[(u64, u64)]) -> Sack {
    Sack::new(capacity, items.iter().map(|&(value, weight)| Item { value, weight }).collect()).unwrap()
}

/// The best value over all subsets.
fn brute_force(sack: &Sack) -> u64 {
    let mut best = 0;
    for set in 0_u32..1 << sack.items().len() {
        let (mut value, mut weight) = (0, 0);
        for (i, item) in sack.items().iter().enumerate() {
            if set >> i & 1 == 1 {
                value += item.value;
                weight += item.weight;
            }
        }
        if weight <= sack.capacity() {
            best = best.max(value);
        }
    }
    best
}

#[test]
fn search_space_holds_the_optimum_of_small_instances() {
    let mut rng = Rng::new(5);
    for round in 0..400 {
        let count = rng.index(11);
        // Small numbers, so that twins, zeros and misfits are frequent.
        let most = 1 + rng.below(12);
        let items: Vec<_> = (0..count).map(|_| (rng.below(most), rng.below(most))).collect();
        let sack = sack(rng.below(most * 3), &items);
        let problem = Knapsack::new(&sack);
        let best = exhaust(&problem, |path, end| {
            let value = problem.score(end).value().unwrap();
            let text = format!("{:?}", problem.packed(path));
            assert_eq!(check(&sack, &text).unwrap().score, value, "{path:?} of {sack:?}");
        })
        .unwrap();
        assert_eq!(best, brute_force(&sack) as f64, "round {round}: {sack:?}");
        soloist::check(&problem, 5, round).unwrap();
    }
}

#[test]
fn twins_are_taken_in_order() {
    // Four equal items, two fit: none, one or two taken, each in one way, but the first fit has no alternative
    // order.
    let problem = Knapsack::new(&sack(10, &[(5, 5); 4]));
    let mut finished = 0;
    let mut open = vec![problem.root()];
    while let Some(state) = open.pop() {
        let mut moves = Vec::new();
        problem.moves(&state, &mut moves);
        finished += usize::from(moves.is_empty());
        for mv in moves {
            let mut next = state.clone();
            problem.apply(&mut next, mv);
            open.push(next);
        }
    }
    assert_eq!(finished, 3);
}

#[test]
fn keys_tell_states_apart() {
    let sack = generate("random:12x9:3").unwrap();
    let problem = Knapsack::new(&sack);
    let mut keys = std::collections::HashMap::new();
    let mut open = vec![problem.root()];
    while let Some(state) = open.pop() {
        let other = keys.entry(problem.key(&state).unwrap()).or_insert_with(|| state.clone());
        // What `rest` adds is how a finished solution is told, not what it is worth.
        assert_eq!((other.decided(), other.room(), other.value()), (state.decided(), state.room(), state.value()));
        let mut moves = Vec::new();
        problem.moves(&state, &mut moves);
        for mv in moves {
            let mut next = state.clone();
            problem.apply(&mut next, mv);
            open.push(next);
        }
    }
    assert!(keys.len() > 100);
}

/// Two states of this instance have the same 64-bit hash: after two items by value per weight, the first or the second
/// alone. The best solution continues the one that is met later.
#[test]
fn states_with_the_same_hash_are_not_taken_as_equal() {
    let items = [
        (458_501_722_793_170, 132_757_788_091),
        (545_996_903_290_650, 176_063_118_185),
        (445_212_663_542_111, 153_215_739_019),
        (392_304_116_545_205, 140_300_971_400),
        (586_463_324_680_909, 196_056_540_626),
    ];
    let sack = sack(392_578_746_874, &items);
    let hash = |(value, weight): (u64, u64)| stable_hash(&(2_u32, sack.capacity() - weight, value));
    assert_eq!(hash(items[0]), hash(items[1]));
    let best = brute_force(&sack) as f64;
    let problem = Knapsack::new(&sack);
    for name in ["dfs", "bfs", "best-first", "cabs", "ida-star", "iterative-broadening", "beam", "uct-best", "auto"] {
        let setup = Setup::named(name);
        // `auto` may count playouts alone, and the others nodes alone.
        let budget = Budget { playouts: Some(10_000), ..Budget::nodes(10_000) };
        let outcome = Solver::new(&problem, setup).budget(budget).run().unwrap();
        assert_eq!((outcome.best.unwrap().score, outcome.optimal), (Score::Feasible(best), true), "{name}");
    }
    let mut uct = Method::preset("uct-best").unwrap();
    uct.set("transpositions", "true").unwrap();
    let outcome = Solver::new(&problem, uct).budget(Budget::playouts(10_000)).run().unwrap();
    assert_eq!((outcome.best.unwrap().score, outcome.optimal), (Score::Feasible(best), true), "transpositions");
}

#[test]
fn solutions_with_the_same_hash_are_kept_beside_each_other() {
    let items = [(1_125_899_906_842_624, 183_063_957_156), (1_162_854_361_070_328, 203_037_487_006)];
    let sack = sack(274_877_906_944, &items);
    let hash = |(value, weight): (u64, u64)| stable_hash(&(2_u32, sack.capacity() - weight, value));
    assert_eq!(hash(items[0]), hash(items[1]));
    let setup = Setup::named("sampling").rollout("random");
    let outcome = Solver::new(&Knapsack::new(&sack), setup).budget(Budget::playouts(100)).keep(5).run().unwrap();
    let found: Vec<_> = outcome.kept.iter().filter_map(|kept| kept.score.value()).collect();
    assert_eq!(found, [items[1].0 as f64, items[0].0 as f64]);
}

#[test]
fn conformance_walk() {
    for spec in ["random:100x1000:7", "weak:60x50:1", "strong:200x1000000000:2", "random:1x1:0"] {
        let problem = Knapsack::new(&generate(spec).unwrap());
        soloist::check(&problem, 50, 3).unwrap();
    }
    soloist::check(&Knapsack::new(&sack(0, &[])), 2, 0).unwrap();
}

#[test]
fn fingerprints_differ() {
    let print = |capacity, items: &[(u64, u64)]| Knapsack::new(&sack(capacity, items)).extras().fingerprint();
    let base = print(9, &[(3, 4), (5, 6)]);
    assert_eq!(base, print(9, &[(3, 4), (5, 6)]));
    for other in [print(8, &[(3, 4), (5, 6)]), print(9, &[(5, 6), (3, 4)]), print(9, &[(3, 4), (5, 7)]), print(9, &[])]
    {
        assert_ne!(base, other);
    }
}

#[test]
fn every_method_packs_validly() {
    let instance = (DOMAIN.load)("weak:80x100:9", &Options::new()).unwrap();
    for preset in Method::presets() {
        for rollout in ["greedy", "random"] {
            let request = Request {
                setup: Some(Setup::from(preset).rollout(rollout).seed(4)),
                budget: Budget { nodes: Some(100_000), ..Budget::playouts(2_000) },
                ..Request::default()
            };
            let report = instance.solve(request, &mut Unobserved).unwrap();
            let Some(score) = report.score() else {
                // 2^80 states lie between the root and the layer of solutions.
                assert_eq!(preset.name, "bfs");
                continue;
            };
            let score = score.value().unwrap();
            let result =
                json!({ "problem": "knapsack", "score": score, "feasible": true, "solution": report.solution() });
            assert_eq!(instance.check(&result.to_string()).unwrap().score, score);
            assert!(score <= report.bound.unwrap());
            assert!(instance.text(report.solution()).starts_with(&format!("value {score}, weight ")));
        }
    }
}

/// Changed on purpose only, with a line in the changelog: see CONTRIBUTING.md.
#[test]
fn golden_runs() {
    check_golden_runs(&[DOMAIN], concat!(env!("CARGO_MANIFEST_DIR"), "/tests/knapsack/golden.txt"));
}

/// The best value that a method finds: no better than the optimum, which the bound reaches, and a valid packing.
fn solved(name: &str, sack: &Sack, optimum: f64, method: Method, playouts: u64) -> f64 {
    let problem = Knapsack::new(sack);
    let budget = Budget { target: Some(optimum), ..Budget::playouts(playouts) };
    let best = Solver::new(&problem, method).seed(1).budget(budget).run().unwrap().best.unwrap();
    let Score::Feasible(value) = best.score else { panic!("{name}") };
    assert!(value <= optimum && problem.bound(&problem.root()).unwrap() >= optimum, "{name}: {value}");
    assert_eq!(check(sack, &format!("{:?}", problem.packed(&best.moves))).unwrap().score, value);
    value
}

fn nested() -> Method {
    Method::preset("nmcs").unwrap().with("level", "2").unwrap()
}

#[test]
fn small_published_optima_are_proven_and_found() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/knapsack/optima");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "kp") {
            continue;
        }
        let name = path.to_str().unwrap();
        let sack = read(name).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let optimum = text.lines().find_map(|line| line.strip_prefix("# optimum ")).unwrap().parse().unwrap();
        let proof = Solver::new(&Knapsack::new(&sack), Method::preset("dfs").unwrap()).run().unwrap();
        assert!(proof.optimal, "{name}");
        assert_eq!(proof.best.unwrap().score, Score::Feasible(optimum), "{name}");
        if sack.items().len() <= 10 {
            assert_eq!(brute_force(&sack) as f64, optimum, "{name}");
        }
        assert_eq!(solved(name, &sack, optimum, nested(), 200_000), optimum, "{name}");
        seen += 1;
    }
    assert_eq!(seen, 12);
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn known_optima_are_proven() {
    let folder = published_data("knapsack");
    let table = std::fs::read_to_string(folder.join("OPTIMA.txt")).unwrap();
    let mut seen = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [name, count, capacity, optimum] = fields[..] else { panic!("{line}") };
        let path = folder.join(format!("{name}.kp"));
        let instance = (DOMAIN.load)(path.to_str().unwrap(), &Options::new()).unwrap();
        assert_eq!(instance.describe(), format!("{count} items, capacity {capacity}"));
        // The hardest of them, n_400, takes some 660,000 states.
        let budget = Budget { nodes: Some(2_000_000), ..Budget::default() };
        let setup = Setup::preset("dfs").ok();
        let report = instance.solve(Request { setup, budget, ..Request::default() }, &mut Unobserved).unwrap();
        assert!(report.optimal, "{name}");
        assert_eq!(report.score(), Some(Score::Feasible(optimum.parse().unwrap())), "{name}");
        assert_eq!(
            Some(Score::Feasible(instance.check(&report.solution().to_string()).unwrap().score)),
            report.score()
        );
        seen += 1;
    }
    assert_eq!(seen, 18);
}

#[test]
fn reader_accepts_what_files_look_like() {
    let expected = sack(10, &[(7, 4), (9, 8)]);
    for text in [
        "2 10\n7 4\n9 8\n",
        "2 10\r\n7 4\r\n9 8",
        "\u{feff}# name\n\n  2\t10 # header\n\n7   4#x\n\n9 8\n\n# end\n\n",
        "2 10\n007 4\n9 8",
    ] {
        assert_eq!(parse("a.kp", text.as_bytes()).unwrap(), expected, "{text:?}");
    }
    assert_eq!(parse("a.kp", b"0 5").unwrap(), sack(5, &[]));
}

#[test]
fn reader_errors_are_exact() {
    for (text, message) in [
        (&b""[..], "a.kp: no numbers, expected the number of items and the capacity"),
        (b"\n# only\n", "a.kp: no numbers, expected the number of items and the capacity"),
        (b"2 10\n7 4\n", "a.kp: line 2: the file ends after 1 of 2 items"),
        (b"2 10\n7 4\n9", "a.kp: line 3: 1 field, expected 2: value and weight"),
        (b"2 10 3\n", "a.kp: line 1: 3 fields, expected 2: number of items and capacity"),
        (b"2\n", "a.kp: line 1: 1 field, expected 2: number of items and capacity"),
        (b"1 10\n7 4\n9 8\n", "a.kp: line 3: '9' after the last of 1 items"),
        (b"1 10\n7 4\nend of file\n", "a.kp: line 3: 'end' after the last of 1 items"),
        (b"1 10\nNaN 4\n", "a.kp: line 2: value 'NaN', expected a whole number from 0 on"),
        (b"1 10\n7 4.5\n", "a.kp: line 2: weight '4.5', expected a whole number from 0 on"),
        (b"1 10\n7 inf\n", "a.kp: line 2: weight 'inf', expected a whole number from 0 on"),
        (b"1 10\n-7 4\n", "a.kp: line 2: value '-7' is negative, expected a whole number from 0 on"),
        (b"1 -10\n", "a.kp: line 1: capacity '-10' is negative, expected a whole number from 0 on"),
        (b"1 +10\n", "a.kp: line 1: capacity '+10', expected a whole number from 0 on"),
        (b"1000001 10\n", "a.kp: line 1: 1000001 items, at most 1000000 are read"),
        (
            b"99999999999999999999999 10\n",
            "a.kp: line 1: number of items '99999999999999999999999' is above 9007199254740992, the largest number read",
        ),
        (b"2 10\n9007199254740992 1\n1 1", "a.kp: the values add up to more than 9007199254740992"),
        (b"2 10\n1 9007199254740992\n1 1", "a.kp: the weights add up to more than 9007199254740992"),
        (b"1 10\n7 \0\n", "a.kp: line 2: binary data (a zero byte), expected text"),
        (b"\xff\xfe1\0", "a.kp: UTF-16 text; save it as UTF-8"),
        (b"1 10\n\xff\xff 3\n", "a.kp: line 2: value '\u{fffd}\u{fffd}', expected a whole number from 0 on"),
    ] {
        assert_eq!(parse("a.kp", text).unwrap_err().to_string(), message, "{text:?}");
    }
    let missing = read("no/such.kp").unwrap_err().to_string();
    assert!(missing.starts_with("no/such.kp: cannot be read: "), "{missing}");
    assert!(read(env!("CARGO_MANIFEST_DIR")).is_err(), "a folder");
}

#[test]
fn spec_errors_are_exact() {
    for (spec, message) in [
        ("random:", "no seed: expected random:ITEMSxMAX:SEED"),
        ("random:5:7", "'5' holds 1 sizes, not 2: expected random:ITEMSxMAX:SEED"),
        ("nosuch:5x10:1", "not a spec: expected random:ITEMSxMAX:SEED"),
        ("random:0x10:1", "0 items, expected 1 to 1000000"),
        ("random:1000001x10:1", "1000001 items, expected 1 to 1000000"),
        ("weak:5x0:1", "largest weight 0, expected 1 to 1000000000"),
        ("strong:5x1000000001:1", "largest weight 1000000001, expected 1 to 1000000000"),
        ("random:-5x10:1", "'-5' is not a number of items"),
        ("random:5x1e3:1", "'1e3' is not a largest weight"),
        ("random:5x10:-1", "the seed '-1' is not a whole number"),
        ("random:5x10:1:2", "unexpected ':2' after the seed '1'"),
    ] {
        let error = generate(spec).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{spec}: {message}")), "{error}");
    }
    assert!(generate("random:3x5:18446744073709551615").is_ok());
    assert!(!is_spec("random.kp") && !is_spec("./random:3x5:1") && is_spec("weak:x"));
}

#[test]
fn specs_never_change() {
    for (spec, expected) in [
        ("random:4x100:7", sack(124, &[(18, 6), (43, 72), (47, 97), (33, 73)])),
        ("weak:4x100:7", sack(124, &[(1, 6), (70, 72), (96, 97), (69, 73)])),
        ("strong:4x100:7", sack(72, &[(16, 6), (28, 18), (82, 72), (53, 43)])),
    ] {
        assert_eq!(generate(spec).unwrap(), expected, "{spec}");
        assert_eq!(parse("x", (DOMAIN.generate)(spec).unwrap().as_bytes()).unwrap(), expected);
    }
    let correlated = generate("strong:1000x1000:1").unwrap();
    assert!(correlated.items().iter().all(|item| item.value == item.weight + 100 && item.weight <= 1000));
    let weak = generate("weak:1000x1000:1").unwrap();
    assert!(weak.items().iter().all(|item| item.value.abs_diff(item.weight) <= 100 && item.value >= 1));
    // A single item fits.
    assert_eq!(generate("random:1x50:3").unwrap().items()[0].weight, generate("random:1x50:3").unwrap().capacity());
}

#[test]
fn verifier_recomputes_everything() {
    let sack = sack(10, &[(7, 4), (9, 6), (5, 3), (1, 7)]);
    for good in [
        "0 1",
        "1\n0 # comment\n",
        "0,1",
        "[1, 0]",
        r#"{"items": [0, 1]}"#,
        r#"{"items": [0, 1], "value": 16, "weight": 10}"#,
        r#"{"moves": [[1, 1], [2, 0]], "solution": {"items": [0, 1]}}"#,
        r#"{"problem": "knapsack", "score": 16.0, "feasible": true, "solution": {"items": [0, 1], "value": 16}}"#,
    ] {
        let checked = check(&sack, good).unwrap();
        assert_eq!(checked.score, 16.0);
        assert_eq!(checked.summary, "2 of 4 items, value 16, weight 10 of 10");
    }
    assert_eq!(check(&sack, "").unwrap().score, 0.0);
    for (bad, message) in [
        ("0 1 2", "weight 13 exceeds the capacity 10"),
        // One unit too many.
        ("0 3", "weight 11 exceeds the capacity 10"),
        ("0 0", "item 0 is packed twice"),
        ("4", "item 4 does not exist: there are 4, counted from 0"),
        ("0\n-1", "line 2: item '-1' is negative, expected a whole number from 0 on"),
        ("zero", "line 1: item 'zero', expected a whole number from 0 on"),
        ("[0.5]", "'0.5' in `items` is not a whole number from 0 on"),
        ("{}", "no list `items`"),
        (r#"{"items": 3}"#, "`items` is not a list"),
        (r#"{"items": [0], "value": 8}"#, "claims the value '8', recomputed: 7"),
        (r#"{"items": [0], "weight": 3}"#, "claims the weight '3', recomputed: 4"),
        (r#"{"score": 8, "solution": {"items": [0]}}"#, "claims the score '8', recomputed: 7"),
        (r#"{"score": null, "solution": {"items": [0]}}"#, "claims the score 'null', recomputed: 7"),
        (r#"{"score": 7, "feasible": false, "solution": {"items": [0]}}"#, "says that it is not feasible"),
        (r#"{"problem": "tsptw", "solution": {"items": [0]}}"#, "a solution of '\"tsptw\"', expected knapsack"),
        (r#"{"moves": [[0, 0]], "solution": {"items": [0]}}"#, "`moves` and `items` differ at move 1"),
        (r#"{"moves": [[0, 1], [2, 1]], "solution": {"items": [0]}}"#, "`moves` and `items` differ at move 2"),
        (r#"{"moves": [[2, 2]], "solution": {"items": [0]}}"#, "`moves` and `items` differ at move 1"),
        (r#"{"moves": [7], "solution": {"items": [0]}}"#, "`moves` and `items` differ at move 1"),
        (r#"{"moves": [[0, 1], [0]], "solution": {"items": [0]}}"#, "`moves` and `items` differ at move 2"),
        (r#"{"solution": null}"#, "holds no solution"),
        (r#"{"solution": [0]}"#, "`solution` is not an object"),
        ("{\"items\": [0", "solution: line 1, column 12: not valid JSON: EOF while parsing a list"),
    ] {
        assert_eq!(check(&sack, bad).unwrap_err(), message, "{bad}");
    }
}

#[test]
fn drawing_is_sound_on_anything() {
    for spec in ["random:30x100:1", "random:1x1:1", "strong:5000x1000:2"] {
        let sack = generate(spec).unwrap();
        for solution in [json!(null), json!({"items": [0, 7, 99_999, "x", -1]}), json!(3)] {
            let drawing = svg(&sack, &solution);
            assert!(
                drawing.starts_with("<svg ")
                    && drawing.ends_with("</svg>\n")
                    && !drawing.contains("NaN")
                    && !drawing.contains("inf")
            );
            assert!(drawing.lines().filter(|line| line.starts_with("<rect")).count() <= 2 * 1000 + 1);
            assert!(text(&sack, &solution).lines().count() <= 103);
        }
    }
    assert!(svg(&sack(0, &[(1, 0), (0, 0)]), &json!({"items": [0]})).contains("value 1, weight 0 of 0"));
}

#[test]
fn domain_is_registered() {
    let domain = DOMAIN;
    let instance = (domain.load)(domain.example, &Options::new()).unwrap();
    assert_eq!((instance.name(), instance.describe().as_str()), ("random:100x1000:7", "100 items, capacity 23190"));
    assert_eq!(instance.default_setup().rollout.unwrap(), "greedy");
}

/// The default method proves small instances; a method that is named makes no attempt.
#[test]
fn small_instances_are_proven_by_default() {
    let instance = (DOMAIN.load)("random:9x100:1", &Options::new()).unwrap();
    let solve = |setup: Setup| {
        let request = Request { setup: Some(setup.seed(1)), budget: Budget::playouts(30_000), ..Request::default() };
        instance.solve(request, &mut Unobserved).unwrap()
    };
    let report = solve(instance.default_setup());
    assert!(report.optimal && report.run.counters.playouts < 30_000, "{:?}", report.run.counters);
    assert!(report.remarks.iter().any(|remark| remark.starts_with("proven by ")), "{:?}", report.remarks);
    let report = solve(instance.default_setup().proof(0.0));
    assert!(!report.optimal && report.remarks.is_empty(), "{:?}", report.remarks);
}

/// An attempt at a proof has nodes in proportion to the length of solutions, beside the default method and `auto`.
#[test]
fn long_instances_are_proven_by_default() {
    for spec in ["random:40000x1000:1", "weak:40000x1000:1"] {
        let instance = (DOMAIN.load)(spec, &Options::new()).unwrap();
        let auto = Setup::default().proof(instance.default_setup().proof);
        for setup in [instance.default_setup(), auto] {
            let request = Request { setup: Some(setup.seed(1)), budget: Budget::playouts(200), ..Request::default() };
            let report = instance.solve(request, &mut Unobserved).unwrap();
            assert!(report.optimal, "{spec}: {:?} {:?}", report.run.counters, report.remarks);
            let dfs =
                Request { setup: Setup::preset("dfs").ok(), budget: Budget::nodes(400_000), ..Request::default() };
            let proof = instance.solve(dfs, &mut Unobserved).unwrap();
            assert!(proof.optimal && proof.score() == report.score(), "{spec}");
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_in_one_line(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        match parse("a.kp", &bytes) {
            Ok(sack) => prop_assert_eq!(parse("b.kp", write(&sack, "x").as_bytes()).unwrap(), sack),
            Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
        }
    }

    #[test]
    fn mutated_files_are_read_or_refused_in_one_line(
        text in "[0-9]{1,3} [0-9]{1,21}\n([0-9 \\-#\\.\r\n]{0,40}\n){0,6}",
    ) {
        match parse("a.kp", text.as_bytes()) {
            Ok(sack) => prop_assert_eq!(parse("b.kp", write(&sack, "x").as_bytes()).unwrap(), sack),
            Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
        }
    }

    #[test]
    fn written_files_are_read_back(
        capacity in 0..=MAX_SUM,
        items in prop::collection::vec((0..1_u64 << 40, 0..1_u64 << 40), 0..50),
        comment in ".*",
    ) {
        let sack = sack(capacity, &items);
        prop_assert_eq!(parse("a.kp", write(&sack, &comment).as_bytes()).unwrap(), sack);
    }

    #[test]
    fn any_text_is_verified_or_refused_in_one_line(text in "[\\[\\{]?[0-9a-z\"':,\\[\\]\\{\\} ]{0,60}") {
        if let Err(message) = check(&generate("random:20x9:1").unwrap(), &text) {
            prop_assert_eq!(message.lines().count(), 1, "{}", message);
        }
    }

    #[test]
    fn bounds_hold_along_playouts(seed: u64, count in 1_u64..60, max in 1_u64..2000) {
        let problem = Knapsack::new(&generate(&format!("weak:{count}x{max}:{seed}")).unwrap());
        prop_assert!(soloist::check(&problem, 3, seed).is_ok());
    }
}

#[test]
fn equal_keys_have_equal_moves_where_items_are_equal() {
    let (mut rng, mut pairs) = (Rng::new(26), 0);
    for round in 0..200 {
        let most = 2 + rng.below(6);
        // Every other time values are weights, so that many selections are worth the same.
        let value = |rng: &mut Rng, weight: u64| if round % 2 == 0 { weight } else { rng.below(most) };
        let items: Vec<_> = (0..8 + rng.index(12))
            .map(|_| {
                let weight = rng.below(most);
                (value(&mut rng, weight), weight)
            })
            .collect();
        let problem = Knapsack::new(&sack(4 + rng.below(most * 5), &items));
        pairs += check_keys(&problem, 40, round);
        soloist::check(&problem, 10, round).unwrap();
    }
    assert!(pairs > 1_000, "{pairs}");
}

#[test]
fn many_items_are_verified_in_linear_time() {
    // As many moves as items: one pass over the items for each move would be 10^10 steps.
    let count = 200_000_u64;
    let sack = Sack::new(count / 2, vec![Item { value: 1, weight: 1 }; count as usize]).unwrap();
    let items: Vec<u64> = (0..count / 2).collect();
    let moves: Vec<[u64; 2]> = (0..count / 2).map(|item| [item, 1]).chain([[count - 1, 0]]).collect();
    let mut result =
        json!({ "problem": "knapsack", "score": count / 2, "moves": moves, "solution": { "items": items } });
    assert_eq!(check(&sack, &result.to_string()).unwrap().score, (count / 2) as f64);
    for wrong in [json!([count - 1, 1]), json!([0, 0]), json!([0, 2]), json!([count, 0])] {
        result["moves"][7] = wrong;
        assert_eq!(check(&sack, &result.to_string()).unwrap_err(), "`moves` and `items` differ at move 8");
    }
}

#[test]
fn sums_up_to_2_to_the_53_are_exact() {
    let mut rng = Rng::new(53);
    for round in 0..200 {
        // Sums of exactly 2^53, from few items, with values near each other: one unit decides.
        let count = 2 + rng.index(9) as u64;
        let mut items: Vec<(u64, u64)> =
            (1..count).map(|_| (MAX_SUM / count - rng.below(3), MAX_SUM / count - rng.below(3))).collect();
        let rest = |pick: fn(&(u64, u64)) -> u64, items: &[(u64, u64)]| MAX_SUM - items.iter().map(pick).sum::<u64>();
        items.push((rest(|item| item.0, &items), rest(|item| item.1, &items)));
        let capacity = if round % 5 == 0 { MAX_SUM } else { rng.below(MAX_SUM) };
        let sack = sack(capacity, &items);
        let problem = Knapsack::new(&sack);
        let outcome = Solver::new(&problem, Method::preset("dfs").unwrap()).run().unwrap();
        let best = outcome.best.unwrap();
        let (value, expected) = (best.score.value().unwrap(), brute_force(&sack));
        assert!(outcome.optimal && value as u64 == expected, "{value}, expected {expected}: {sack:?}");
        let packed = problem.packed(&best.moves);
        let result = |score: u64| json!({ "score": score, "solution": { "items": packed } }).to_string();
        assert_eq!(check(&sack, &result(expected)).unwrap().score, value);
        assert!(check(&sack, &result(expected + 1)).is_err());
        assert!(expected == 0 || check(&sack, &result(expected - 1)).is_err());
    }
}
