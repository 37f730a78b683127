//! The search of the problem's own: symmetric coils and sections.

use super::*;
use soloist::problem::find_search;
use soloist::search::ParameterValues;
use soloist::{Budget, Score, Setup, Solver};
use soloist_domain::testing::check_searches;
use soloist_domain::{Request, Unobserved};

#[test]
fn the_search_does_not_depend_on_how_a_run_is_cut() {
    for (kind, d, k) in [(Kind::Coil, 6, 2), (Kind::Snake, 7, 3), (Kind::Coil, 5, 4)] {
        check_searches(&problem::<4>(kind, d, k), 6_000);
    }
}

#[test]
fn a_search_is_not_continued_from_damaged_bytes_or_in_another_cube() {
    let fresh = |problem: &Snakes<4>| find_search(problem, "symmetric", &ParameterValues::default()).unwrap();
    let (own, other) = (problem::<4>(Kind::Coil, 7, 2), problem::<4>(Kind::Coil, 6, 3));
    let setup = Setup::named("symmetric").seed(2);
    let solver = || Solver::new(&own, setup.clone());
    for units in [0, 30, 2_000, 20_000] {
        let mut session = solver().start().unwrap();
        session.advance(&Budget::nodes(units)).unwrap();
        let bytes = session.save();
        assert!(solver().resume(&bytes).is_ok(), "{units}");
        for at in (0..bytes.len()).step_by(5) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x15;
            // Whatever is not refused is continued without a panic.
            if let Ok(solver) = solver().resume(&damaged) {
                let _ = solver.start().map(|mut session| session.advance(&Budget::nodes(50)));
            }
        }
        assert!(Solver::new(&other, setup.clone()).resume(&bytes).is_err());
    }
    assert!(fresh(&own).load(&own, b"nonsense").is_err());
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

#[test]
fn where_the_beginning_is_given_there_are_no_symmetric_coils() {
    let primed = cube(6, 2).with_prefix(&[0, 1, 3, 7]).unwrap();
    let snakes = |cube: &Cube| Snakes::<4>::new(Kind::Snake, cube, Code::default(), Potential::default());
    assert!(snakes(&primed).searches().is_empty());
    assert_eq!(snakes(&cube(6, 2)).searches().len(), 1);
}

#[test]
fn woven_paths_rank_first() {
    let woven = Snakes::<16>::new(Kind::Snake, &cube(9, 3), Code::default(), Potential::Woven);
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
