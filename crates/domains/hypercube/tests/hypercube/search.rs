//! The searches of the problem's own: symmetric coils and their sections, beams whose ranking is learned, and annealing
//! by sections.

use super::*;
use soloist::{Budget, Score, Setup, Solver};
use soloist_domain::{Request, Unobserved};
use soloist_domain_testing::check_searches;

#[test]
fn the_search_does_not_depend_on_how_a_run_is_cut() {
    for (kind, d, k) in [(Kind::Coil, 6, 2), (Kind::Snake, 6, 3)] {
        check_searches(&problem(kind, d, k), 20_000);
    }
}

/// A cube without a move, and one whose coils are all trivial.
#[test]
fn small_cubes_end_with_a_proof() {
    for (d, k) in [(2, 5), (3, 7), (3, 1), (4, 3)] {
        for method in ["symmetric", "learned"] {
            let (score, optimal) = found(Kind::Coil, &format!("d{d}k{k}"), &[], method, 3_000);
            assert!(score >= f64::from(2 * d) && (optimal || d > k), "{method} d{d}k{k}: {score}");
            let problem = problem(Kind::Coil, d, k);
            let solver = || Solver::new(&problem, Setup::named(method).seed(3));
            let mut session = solver().start().unwrap();
            session.advance(&Budget::nodes(50)).unwrap();
            assert!(solver().resume(&session.save()).is_ok(), "{method} d{d}k{k}");
        }
    }
}

/// The length found, and whether it is proven; the solution is checked.
fn found(kind: Kind, instance: &str, options: &[(&str, &str)], method: &str, nodes: u64) -> (f64, bool) {
    let options = options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    let instance = load(kind, instance, &options).unwrap();
    let setup = Some(Setup::named(method).seed(1));
    let request = Request { setup, budget: Budget::nodes(nodes), ..Request::default() };
    let report = instance.solve(request, &mut Unobserved).unwrap();
    let score = report.score().and_then(Score::value).unwrap();
    let result = json!({ "moves": report.moves(), "solution": report.solution() });
    assert_eq!(instance.check(&result.to_string()).unwrap().score, score);
    (score, report.optimal)
}

/// Lengths of T. Cazenave and S. Edelkamp, "High-diversity Monte-Carlo tree search", 2016: snake 63 and coil 64 in
/// dimension 9, spread 3, where high-diversity NRPA had 55; snake 103 and coil 102 in dimension 10.
#[test]
fn long_snakes_and_coils_of_spread_three() {
    assert_eq!(found(Kind::Coil, "d9k3", &[], "symmetric", 200_000), (64.0, false));
    assert_eq!(found(Kind::Snake, "d9k3", &[], "symmetric", 600_000), (63.0, false));
    // 2^10 / 8 vertices: no coil is longer.
    assert_eq!(found(Kind::Coil, "d10k3", &[], "symmetric", 3_000_000), (128.0, true));
    let reachable = [("potential", "reachable")];
    assert!(found(Kind::Snake, "d9k3", &reachable, "beam", 20_000).0 < 60.0);
}

/// Lengths of the same tables: snake 39 (after two days there) and coil 40 in dimension 11, spread 5. Beams have less
/// with as many paths.
#[test]
fn sections_make_long_paths_of_large_spread() {
    assert_eq!(found(Kind::Snake, "d11k5", &[], "sections", 100_000), (39.0, false));
    assert_eq!(found(Kind::Coil, "d11k5", &[], "sections", 50_000), (40.0, false));
    assert!(found(Kind::Snake, "d11k5", &[], "beam", 100_000).0 < 39.0);
    assert_eq!(found(Kind::Snake, "d6k2", &[], "sections", 100_000), (26.0, false));
}

/// As `symmetric` above, with a tenth of the paths: beams with the random weights of the first generation already find
/// them.
#[test]
fn weighted_beams_find_long_snakes_and_coils() {
    assert_eq!(found(Kind::Snake, "d9k3", &[], "learned", 100_000), (63.0, false));
    assert_eq!(found(Kind::Coil, "d10k3", &[], "learned", 300_000), (128.0, true));
}

/// Beams that begin with a snake of the cube below, against beams that begin at the root.
#[test]
fn snakes_of_smaller_cubes_are_good_beginnings() {
    let length = |below: &str, seed: u64| {
        let mut setup = Setup::named("learned").seed(seed);
        setup.set("below", below).unwrap();
        let instance = load(Kind::Snake, "d9k2", &Options::new()).unwrap();
        let request = Request { setup: Some(setup), budget: Budget::nodes(100_000), ..Request::default() };
        instance.solve(request, &mut Unobserved).unwrap().score().and_then(Score::value).unwrap()
    };
    for seed in [1, 2] {
        let (begun, open) = (length("1", seed), length("0", seed));
        assert!(begun > open + 5.0, "{seed}: {begun} {open}");
    }
}

#[test]
fn learned_beams_continue_a_given_beginning() {
    let start = [0, 1, 3, 7, 6, 14, 12];
    let problem =
        Snakes::new(Kind::Snake, &cube(7, 2).with_prefix(&start).unwrap(), Code::default(), Potential::default());
    let outcome = Solver::new(&problem, Setup::named("learned").seed(1)).budget(Budget::nodes(60_000)).run().unwrap();
    let nodes = problem.nodes(&outcome.best.unwrap().moves);
    assert_eq!(nodes[..start.len()], start);
    assert!(nodes.len() > 45 && violation(&nodes, 2, Kind::Snake).is_none(), "{}", nodes.len());
}

#[test]
fn only_learned_beams_take_a_given_beginning() {
    let primed = cube(6, 2).with_prefix(&[0, 1, 3, 7]).unwrap();
    let snakes = |cube: &Cube| Snakes::new(Kind::Snake, cube, Code::default(), Potential::default());
    let names = |cube: &Cube| -> Vec<&str> {
        snakes(cube).extras().searches().iter().map(|search| search.info().name).collect()
    };
    assert_eq!(names(&primed), ["learned"]);
    assert_eq!(names(&cube(6, 2)), ["learned", "symmetric", "sections"]);
    assert_eq!(names(&cube(3, 2)), ["learned", "symmetric"], "no section is long enough");
    assert_eq!(names(&cube(6, 1)), ["learned", "symmetric"], "paths visit every vertex");
}

#[test]
fn woven_paths_rank_first() {
    let woven = Snakes::new(Kind::Snake, &cube(9, 3), Code::default(), Potential::Woven);
    let (mut path, flips) = (woven.root(), [0, 1, 2, 3, 0, 4, 2, 5]);
    flips.iter().for_each(|&flip| woven.apply(&mut path, flip));
    assert!(woven.potential(&path).unwrap() > 512.0);
    let mut other = woven.root();
    [0, 1, 2, 3, 4, 0, 5, 2].iter().for_each(|&flip| woven.apply(&mut other, flip));
    assert!((1.0..512.0).contains(&woven.potential(&other).unwrap()));
    let named = |name, d, k| Potential::named(name, d, k);
    assert_eq!((named("auto", 9, 3), named("auto", 8, 3)), (Potential::Woven, Potential::Reachable));
    assert_eq!((named("auto", 9, 2), named("reachable", 9, 3)), (Potential::Reachable, Potential::Reachable));
}

/// Symmetric coils do not begin as asked, beams do.
#[test]
fn a_default_that_names_the_method_gives_way_to_a_prefix() {
    let instance = load(Kind::Snake, "d9k3", &Options::new()).unwrap();
    let methods = |run: soloist_domain::ResolvedRun| run.setup.method.get("methods").unwrap();
    let spec = soloist_domain::RunSpec::default();
    assert!(methods(spec.resolve(&SNAKE, &*instance).unwrap()).contains("symmetric"));
    assert!(!methods(spec.resolve_begun(&SNAKE, &*instance).unwrap()).contains("symmetric"));
}

/// Open cells race with `symmetric`, small ones with `learned` too, those of large spread with `sections`; a given
/// beginning leaves the beam alone.
#[test]
fn the_default_depends_on_the_cell() {
    let names = |cube: &Cube| {
        let snakes = Snakes::new(Kind::Snake, cube, Code::default(), Potential::default());
        soloist::search::parameters::Entries::of(&snakes.extras().portfolio()).unwrap().to_string()
    };
    assert_eq!(names(&cube(9, 3)), "beam(width=100 widen=10),symmetric,learned");
    assert_eq!(names(&cube(11, 3)), "beam(width=100 widen=10),symmetric");
    assert_eq!(names(&cube(11, 4)), "beam(width=100 widen=10),symmetric,sections");
    assert_eq!(names(&cube(12, 4)), "beam(width=100 widen=10),symmetric");
    assert_eq!(names(&cube(8, 3)), "beam(width=100 widen=10)");
    assert_eq!(names(&cube(9, 3).with_prefix(&[0, 1, 3, 7]).unwrap()), "beam(width=100 widen=10)");
}

#[test]
fn a_limit_of_playouts_ends_the_default() {
    for (kind, cell) in [(Kind::Snake, "d8k2"), (Kind::Coil, "d9k3")] {
        let instance = load(kind, cell, &Options::new()).unwrap();
        let budget = Budget::playouts(5_000);
        let report = instance.solve(Request { budget, ..Request::default() }, &mut Unobserved).unwrap();
        assert!(report.score().is_some() && report.stop == soloist::run::StopReason::Playouts, "{:?}", report.stop);
    }
}
