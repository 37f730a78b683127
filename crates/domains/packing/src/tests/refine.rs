//! Tests of the search of the problem's own.

use super::search::{area, replay};
use crate::{Objective, Packing, Worth, generate};
use soloist::search::ParameterValues;
use soloist::{Budget, Method, Problem, Solver};
use soloist_domain_testing::check_searches;

#[test]
fn refinement_does_not_depend_on_how_a_run_is_cut() {
    for (spec, objective) in [
        ("random:6x60:3", Objective::Value),
        ("random:4x30:3", Objective::Containers),
        ("random:1x1:0", Objective::Value),
    ] {
        check_searches(&Packing::new(&generate(spec).unwrap(), Worth::Area, objective).unwrap(), 1_500);
    }
}

#[test]
fn memory_of_another_instance_is_refused() {
    let (large, small) = (area(&generate("random:6x60:3").unwrap()), area(&generate("random:2x5:3").unwrap()));
    let mut session = Solver::new(&large, Method::named("refine")).start().unwrap();
    session.advance(&Budget::nodes(300)).unwrap();
    let mut other = soloist::problem::find_search(&small, "refine", &ParameterValues::default()).unwrap();
    let mut own = soloist::problem::find_search(&large, "refine", &ParameterValues::default()).unwrap();
    let bytes = own.save();
    own.load(&large, &bytes).unwrap();
    assert!(own.load(&large, &bytes[..bytes.len() - 1]).is_err() && other.load(&small, b"nonsense").is_err());
    assert!(Solver::new(&small, Method::named("refine")).resume(&session.save()).is_err());
}

/// A packing from outside is what the next annealings begin with.
#[test]
fn offers_are_kept_and_improved() {
    let problem = area(&generate("random:5x80:7").unwrap());
    let run = |moves: u64, offers: &[Vec<u64>]| {
        let solver = Solver::new(&problem, Method::named("refine")).seed(4).budget(Budget::nodes(moves));
        offers.iter().fold(solver, |solver, moves| solver.offer(moves)).run().unwrap().best.unwrap()
    };
    let (long, short) = (run(4_000, &[]), run(200, &[]));
    let warm = run(200, std::slice::from_ref(&long.moves));
    assert!(short.score.value() < long.score.value() && warm.score.value() >= long.score.value());
}

/// A step with a round of a thousand million moves, which the limit of time divides.
#[test]
fn a_long_round_ends_at_the_limit() {
    let problem = area(&generate("random:5x80:7").unwrap());
    let budget = Budget::time(std::time::Duration::from_millis(20));
    let mut method = Method::own(&problem.extras().searches()[0].info());
    method.set("round", "1e9").unwrap();
    let outcome = Solver::new(&problem, method).budget(budget).run().unwrap();
    assert_eq!(outcome.stop, soloist::run::StopReason::Time);
    replay(&problem, &outcome.best.unwrap().moves);
}
