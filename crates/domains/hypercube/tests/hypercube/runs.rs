//! Searches: proofs of known optima, every method, recorded runs.

use super::*;
use soloist::run::StopReason;
use soloist::{Budget, Score, Setup, Solver};
use soloist_domain::{Request, Unobserved};
use soloist_domain_testing::check_golden_runs;

/// The optimum that a method proves, with the states that it visited.
fn proven(kind: Kind, d: u32, k: u32, method: Method) -> (u32, u64) {
    let problem = problem(kind, d, k);
    let budget = Budget { nodes: Some(20_000_000), ..Budget::default() };
    let outcome = Solver::new(&problem, method).budget(budget).run().unwrap();
    assert!(matches!(outcome.stop, StopReason::Exhausted | StopReason::Bound), "{:?} of d{d}k{k}", outcome.stop);
    assert!(outcome.optimal);
    let best = outcome.best.unwrap();
    assert_eq!(violation(&problem.answer(&best.moves), k, kind), None);
    (best.score.value().unwrap() as u32, outcome.counters.nodes)
}

#[test]
fn depth_first_search_proves_the_small_cells() {
    let dfs = || Method::preset("dfs").unwrap();
    for (d, k, snake, coil) in [
        (3, 2, 4, 6),
        (4, 2, 7, 8),
        (5, 2, 13, 14),
        (6, 2, 26, 26),
        (4, 3, 5, 8),
        (5, 3, 7, 10),
        (6, 3, 13, 16),
        (7, 3, 21, 24),
        (6, 4, 8, 12),
        (7, 4, 11, 14),
        (8, 4, 19, 22),
        (7, 5, 9, 14),
        (8, 5, 11, 16),
        (8, 6, 10, 16),
        (8, 7, 9, 16),
        (2, 1, 3, 4),
        (3, 1, 7, 8),
        (4, 1, 15, 16),
    ] {
        assert_eq!(proven(Kind::Snake, d, k, dfs()).0, snake, "snake d{d}k{k}");
        assert_eq!(proven(Kind::Coil, d, k, dfs()).0, coil, "coil d{d}k{k}");
    }
    for (d, k, snake, coil) in [(9, 5, 19, 24), (9, 6, 12, 18), (10, 5, 25, 28), (10, 6, 15, 20), (10, 7, 13, 20)] {
        assert_eq!(proven(Kind::Snake, d, k, dfs()).0, snake, "snake d{d}k{k}");
        assert_eq!(proven(Kind::Coil, d, k, dfs()).0, coil, "coil d{d}k{k}");
    }
    for (d, k, snake, coil) in [(11, 6, 25, 30), (11, 7, 15, 22), (12, 7, 25, 32)] {
        assert_eq!(proven(Kind::Snake, d, k, dfs()).0, snake, "snake d{d}k{k}");
        assert_eq!(proven(Kind::Coil, d, k, dfs()).0, coil, "coil d{d}k{k}");
    }
}

#[test]
fn other_exact_methods_agree() {
    for name in ["bfs", "best-first", "ida-star", "iterative-broadening"] {
        for (d, k, snake, coil) in [(5, 2, 13, 14), (6, 3, 13, 16), (7, 4, 11, 14)] {
            let method = || Method::preset(name).unwrap();
            assert_eq!(proven(Kind::Snake, d, k, method()).0, snake, "{name} snake d{d}k{k}");
            assert_eq!(proven(Kind::Coil, d, k, method()).0, coil, "{name} coil d{d}k{k}");
        }
    }
}

#[test]
fn bounds_and_keys_spare_states() {
    let plain = Method::preset("dfs").unwrap().with("table", "false").unwrap();
    let with_bound = proven(Kind::Snake, 7, 3, plain).1;
    let with_keys = proven(Kind::Snake, 7, 3, Method::preset("dfs").unwrap()).1;
    // The whole tree has 26,063 states.
    assert!(with_keys <= with_bound && with_bound < 2_600, "{with_keys}, {with_bound}");
}

#[test]
fn every_method_finds_valid_solutions() {
    for domain in ["snake", "coil"] {
        for instance in ["d6k2", "d8k3", "d9k4"] {
            let instance = (registered(domain).load)(instance, &Options::new()).unwrap();
            for preset in Method::presets() {
                let request = Request {
                    setup: Some(Setup::from(preset).rollout("random").seed(4)),
                    budget: Budget { nodes: Some(3_000), ..Budget::playouts(300) },
                    ..Request::default()
                };
                let report = instance.solve(request, &mut Unobserved).unwrap();
                let Some(score) = report.score() else { continue };
                let score = score.value().unwrap();
                let result = json!({
                    "problem": domain, "score": score, "feasible": true, "moves": report.moves(), "solution": report.solution(),
                });
                let checked = instance.check(&result.to_string()).unwrap_or_else(|error| panic!("{error}: {result}"));
                assert_eq!(checked.score, score, "{}", preset.name);
                assert!(score <= report.bound.unwrap());
                assert!(
                    instance.text(report.solution()).starts_with(&format!("{domain} of length {score} in dimension "))
                );
            }
        }
    }
}

#[test]
fn the_default_method_reaches_small_optima() {
    for (kind, d, k, length) in
        [(Kind::Snake, 5, 2, 13.0), (Kind::Coil, 5, 2, 14.0), (Kind::Snake, 7, 3, 21.0), (Kind::Coil, 7, 3, 24.0)]
    {
        let instance = load(kind, &format!("d{d}k{k}"), &Options::new()).unwrap();
        let budget = Budget { target: Some(length), ..Budget::playouts(200_000) };
        let report = instance.solve(Request { budget, ..Request::default() }, &mut Unobserved).unwrap();
        assert_eq!(report.score(), Some(Score::Feasible(length)), "{kind:?} d{d}k{k}");
    }
}

/// The best of `width` paths a length, ranked by potential, equal keys once: its score and its moves.
fn beam(problem: &Snakes, width: usize) -> (u32, Vec<u8>) {
    let mut layer = vec![(problem.root(), Vec::new())];
    let mut best = (score(problem, &layer[0].0), Vec::new());
    while !layer.is_empty() {
        let mut keys = std::collections::HashSet::new();
        let mut next = Vec::new();
        for (state, path) in &layer {
            for mv in moves(problem, state) {
                let state = play(problem, state, mv);
                if keys.insert(problem.key(&state)) {
                    let path = [&path[..], &[mv]].concat();
                    if score(problem, &state) > best.0 {
                        best = (score(problem, &state), path.clone());
                    }
                    next.push((state, path));
                }
            }
        }
        // A stable sort: ties to the earlier.
        next.sort_by_key(|(state, _)| std::cmp::Reverse(problem.potential(state).unwrap() as u32));
        next.truncate(width);
        layer = next;
    }
    best
}

#[test]
fn potentials_lead_a_beam_to_the_optima_of_dimension_seven() {
    for (kind, potential, optimum) in [
        (Kind::Snake, Potential::Free, 50),
        (Kind::Snake, Potential::Reachable, 50),
        (Kind::Coil, Potential::Reachable, 48),
    ] {
        let problem = Snakes::new(kind, &cube(7, 2), Code::Vertex, potential);
        let (length, path) = beam(&problem, 2_000);
        assert_eq!(length, optimum, "{kind:?} by {potential:?}");
        let checked = check(kind, &cube(7, 2), &format!("{:?}", problem.answer(&path))).unwrap();
        assert_eq!(checked.score, f64::from(optimum));
    }
}

/// No method may find more than is possible.
#[test]
fn proven_lengths_are_never_exceeded() {
    let rows = proven_lengths();
    assert_eq!(rows.len(), 76);
    for row in rows {
        let instance = load(row.kind, &format!("d{}k{}", row.d, row.k), &Options::new()).unwrap();
        for method in ["nrpa", "sampling"] {
            let budget = Budget::playouts(if row.d > 10 { 300 } else { 2_000 });
            let request =
                Request { setup: Setup::preset(method).ok().map(|setup| setup.seed(1)), budget, ..Request::default() };
            let report = instance.solve(request, &mut Unobserved).unwrap();
            let found = report.score().and_then(Score::value).unwrap();
            assert!(found <= f64::from(row.length), "{row:?}: {found}");
            assert!(report.bound.unwrap() >= f64::from(row.length), "{row:?}: {:?}", report.bound);
        }
    }
}

#[test]
fn a_prefix_is_where_the_search_begins() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("primed.txt");
    // Not canonical: bits 4 2 0 4 3, renamed 0 1 2 0 3.
    std::fs::write(&file, "d5k2\ntransitions 4 2 0 4 3\n").unwrap();
    for kind in [Kind::Snake, Kind::Coil] {
        let instance = load(kind, file.to_str().unwrap(), &Options::new()).unwrap();
        assert_eq!(instance.describe(), "dimension 5 (32 vertices), spread 2, the first 5 edges given");
        let request = Request { setup: Setup::preset("dfs").ok(), ..Request::default() };
        let report = instance.solve(request, &mut Unobserved).unwrap();
        assert!(report.optimal);
        let transitions = report.solution()["transitions"].as_array().unwrap();
        assert_eq!(transitions[..5], [json!(0), json!(1), json!(2), json!(0), json!(3)]);
        let result = json!({ "moves": report.moves(), "solution": report.solution() });
        instance.check(&result.to_string()).unwrap();
        let other = if kind == Kind::Snake { "0 1 3 7 15 31" } else { "1 3 7 6 14 12 13 29 31 27 26 24 16 0" };
        assert!(cube(5, 2).prefix().is_empty() && check(kind, &cube(5, 2), other).is_ok());
        assert_eq!(instance.check(other).unwrap_err(), "does not begin with the 5 edges of the instance");
    }
    // A path that cannot go on is a solution.
    std::fs::write(&file, "d3 # dead end\nnodes 5 4 6 2 3\n").unwrap();
    let instance = load(Kind::Snake, file.to_str().unwrap(), &Options::new()).unwrap();
    let report =
        instance.solve(Request { budget: Budget::playouts(10), ..Request::default() }, &mut Unobserved).unwrap();
    assert_eq!((report.score(), report.optimal), (Some(Score::Feasible(4.0)), true));
}

#[test]
fn fingerprints_differ() {
    let print = |kind, cube: &Cube, code, potential| Snakes::new(kind, cube, code, potential).extras().fingerprint();
    let (code, potential) = (Code::Vertex, Potential::Reachable);
    let base = print(Kind::Snake, &cube(7, 2), code, potential);
    assert_eq!(base, print(Kind::Snake, &cube(7, 2), code, potential));
    let primed = cube(7, 2).with_prefix(&[0, 1]).unwrap();
    for other in [
        print(Kind::Coil, &cube(7, 2), code, potential),
        print(Kind::Snake, &cube(8, 2), code, potential),
        print(Kind::Snake, &cube(7, 3), code, potential),
        print(Kind::Snake, &primed, code, potential),
        print(Kind::Snake, &cube(7, 2), Code::Edge, potential),
        print(Kind::Snake, &cube(7, 2), code, Potential::Free),
    ] {
        assert_ne!(base, other);
    }
}

#[test]
fn domains_are_registered() {
    for (name, described) in
        [("snake", "dimension 7 (128 vertices), spread 2"), ("coil", "dimension 7 (128 vertices), spread 2")]
    {
        let domain = registered(name);
        let instance = (domain.load)(domain.example, &Options::new()).unwrap();
        assert_eq!((instance.name(), instance.describe().as_str()), ("d7k2", described));
        assert_eq!(instance.default_setup().rollout.unwrap(), "random");
        for option in domain.options {
            for value in option.values {
                let options = Options::from([(option.name.to_owned(), (*value).to_owned())]);
                let budget = Budget::playouts(50);
                let instance = (domain.load)("d8", &options).unwrap();
                instance.solve(Request { budget, ..Request::default() }, &mut Unobserved).unwrap();
            }
        }
    }
}

/// Changed on purpose only, with a line in the changelog: see CONTRIBUTING.md.
#[test]
fn golden_runs() {
    check_golden_runs(&[SNAKE, COIL], concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hypercube/golden.txt"));
}

fn registered(name: &str) -> soloist_domain::Domain {
    [SNAKE, COIL].into_iter().find(|domain| domain.name == name).unwrap()
}
