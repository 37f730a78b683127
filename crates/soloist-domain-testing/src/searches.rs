//! A problem's own searches do not depend on how a run is cut.

use soloist::problem::search_infos;
use soloist::run::StopReason;
use soloist::{Budget, Method, Problem, Setup, Solver};

/// What a run has found, in terms that compare.
type Found = (Vec<(String, String)>, u64, u64, Vec<String>, StopReason);

/// Runs every [own search](soloist::problem::Extras::searches) of a problem for `units` of its work: at once, in slices
/// of several sizes, with a save and a restart between slices, and with two streams. Each run must find the same, and
/// what it finds must be legal and have the score that is claimed.
///
/// # Panics
/// If two runs differ, a run fails, or a run finds nothing.
pub fn check_searches<P: Problem>(problem: &P, units: u64) {
    assert!(!problem.extras().searches().is_empty(), "the problem has no searches of its own");
    for info in search_infos(problem) {
        for threads in [1, 2] {
            let setup = Setup::from(Method::own(&info)).seed(7).threads(threads);
            let whole = in_slices(problem, &setup, units, units, false);
            assert!(!whole.0.is_empty(), "{}: nothing found with {units} units", info.name);
            assert!(whole.1 >= units || whole.4 != StopReason::Nodes, "{}: {} units of {units}", info.name, whole.1);
            for (slice, saves) in [(units, true), (units / 2 + 1, true), (units / 7 + 1, false), (units / 13 + 1, true)]
            {
                let found = in_slices(problem, &setup, units, slice, saves);
                assert_eq!(found, whole, "{}: slices of {slice}, {threads} threads, saved: {saves}", info.name);
            }
        }
    }
}

/// Runs a setup slice by slice; with `saves` it is saved and restored after each.
fn in_slices<P: Problem>(problem: &P, setup: &Setup, units: u64, slice: u64, saves: bool) -> Found {
    let whole = Budget { nodes: Some(units), ..Budget::default() };
    let solver = || Solver::new(problem, setup.clone()).budget(whole.clone()).keep(3);
    let mut session = solver().start().unwrap_or_else(|error| panic!("{setup:?}: {error}"));
    let mut left = units;
    while left > 0 {
        let now = slice.min(left);
        left -= now;
        let slice = Budget { nodes: Some(now), ..Budget::default() };
        session.advance(&slice).unwrap_or_else(|error| panic!("{setup:?}: {error}"));
        if saves {
            let bytes = session.save();
            let resumed = solver().resume(&bytes).map(Solver::start);
            session = resumed.unwrap_or_else(|error| panic!("{error}")).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(session.save(), bytes, "{setup:?}: restored and saved again");
        }
    }
    let outcome = session.outcome();
    let mut found = Vec::new();
    for solution in &outcome.kept {
        let end = soloist::rollout::replayed(problem, &problem.root(), &solution.moves).expect("legal and finished");
        assert_eq!(problem.score(&end), solution.score, "{setup:?}");
        found.push((solution.score.to_string(), format!("{:?}", solution.moves)));
    }
    let history = outcome.history.iter().map(|event| format!("{} {}", event.score, event.playouts));
    (found, outcome.counters.nodes, outcome.counters.playouts, history.collect(), outcome.stop)
}
