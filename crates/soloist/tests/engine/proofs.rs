//! Claims against a brute force that shares nothing with the engine: every method, in random settings, with everything
//! that can leave solutions out.

mod thicket;

use soloist::run::StopReason;
use soloist::search::Values;
use soloist::{Budget, Method, Outcome, Problem, Rng, Score, Solver};
use std::collections::BTreeMap;
use thicket::{ROLLOUTS, Thicket};

/// Asserts that everything that an outcome claims is true. Returns whether it claims a proof.
fn check(problem: &Thicket, outcome: &Outcome<u8>, what: &dyn Fn() -> String) -> bool {
    check_behind(problem, &[], outcome, what)
}

/// As [`check`], for a run whose solutions begin with `prefix`.
fn check_behind(problem: &Thicket, prefix: &[u8], outcome: &Outcome<u8>, what: &dyn Fn() -> String) -> bool {
    let (truth, sense) = (problem.optimum_behind(prefix), problem.sense());
    assert_eq!(outcome.prefix, prefix.len(), "{}", what());
    assert!(outcome.kept.iter().all(|kept| kept.moves.starts_with(prefix)), "another begin: {}", what());
    let found = outcome.best.as_ref().map(|best| best.score);
    if let Some(Score::Feasible(value)) = found {
        let truth = truth.unwrap_or_else(|| panic!("a solution where there is none: {}", what()));
        assert!(!sense.better_value(value, truth), "{value} is better than {truth}: {}", what());
        assert!(!outcome.optimal || value == truth, "{value} is not {truth}: {}", what());
    }
    let feasible = found.and_then(Score::value).is_some();
    assert!(!outcome.optimal || feasible, "an optimum that is no solution: {}", what());
    assert!(!outcome.infeasible || truth.is_none() && !feasible, "there is a solution: {}", what());
    let claims = outcome.optimal || outcome.infeasible;
    assert!(problem.facts().is_complete || !claims && outcome.bound.is_none(), "not all solutions: {}", what());
    if let (Some(bound), Some(truth)) = (outcome.bound, truth) {
        assert!(!sense.better_value(truth, bound), "the bound {bound} excludes {truth}: {}", what());
    }
    claims
}

/// A value of a parameter, mostly a small one.
fn draw(values: Values, rng: &mut Rng) -> String {
    let mut small = |least: u64, most: u64| {
        let span = [2, 6, 60][rng.index(3)].min(most - least);
        least + rng.below(span + 1)
    };
    match values {
        Values::Whole { least, most } => small(least, most).to_string(),
        Values::Levels { least, most } => small(least, most).to_string(),
        Values::Real { least, most } => {
            let most = most.min(least.max(0.0) + [0.5, 3.0][rng.index(2)]);
            (least.max(0.0) + (most - least.max(0.0)) * rng.below(5) as f64 / 4.0).to_string()
        }
        Values::Switch => ["true", "false"][rng.index(2)].to_owned(),
        Values::Choice(words) => words[rng.index(words.len())].to_owned(),
        Values::Presets => {
            let all = [
                "uct(rollout=always),cabs(selective=true rollout=shy)",
                "uct(rollout=late),beam(width=2 selective=true),sampling",
                "uct(value=best rollout=late),dfs",
                "anneal,bmcts(beam_limit=5 beam_width=1 solver=true),nrpa(level=2)",
            ];
            all[rng.index(all.len())].to_owned()
        }
    }
}

/// A preset with up to four parameters set at random, as far as they go together.
fn any_method(rng: &mut Rng) -> Method {
    let presets = Method::presets();
    let mut method = presets[rng.index(presets.len())].method();
    for _ in 0..rng.index(5) {
        let before = method.clone();
        let parameters = method.parameters();
        let parameter = &parameters[rng.index(parameters.len())];
        let value = draw(parameter.values, rng);
        if method.set(parameter.name, &value).is_err() || method.validate().is_err() {
            method = before;
        }
    }
    if method.validate().is_err() { Method::preset("uct").unwrap() } else { method }
}

/// Random trees, methods, settings, rollouts, memory, threads, cuts and offers.
#[test]
fn no_claim_is_wrong() {
    let mut rng = Rng::new(26);
    // Runs, claims, and runs that missed the optimum, by method.
    let mut tried: BTreeMap<String, [u32; 3]> = BTreeMap::new();
    for round in 0..800_u64 {
        let problem = Thicket::new(round);
        for _ in 0..6 {
            let method = any_method(&mut rng);
            let rollout = ROLLOUTS[rng.index(ROLLOUTS.len())].name;
            let threads = [1, 1, 3][rng.index(3)];
            let memory = [1, 1 << 14, 1 << 18, 1 << 24][rng.index(4)];
            let seed = rng.below(1_000);
            // The moves that a third of the runs begin with.
            let mut begun = Rng::new(rng.clone().next_u64());
            let mut prefix = problem.any_line(&[], &mut begun);
            prefix.truncate(begun.index(3) * begun.index(2));
            let solver = || {
                let budget = Budget { memory, ..Budget::default() };
                let solver = Solver::new(&problem, method.clone()).rollout(rollout).seed(seed).threads(threads);
                solver.budget(budget).prefix(&prefix)
            };
            let what = || {
                format!(
                    "tree {round}, {method:?}, {rollout}, {threads} threads, {memory} bytes, seed {seed}, behind {prefix:?}"
                )
            };
            // Some settings need more memory than there is.
            let Ok(mut session) = solver().start() else { continue };
            if rng.index(4) == 0 {
                let _ = session.offer(&problem.any_line(&prefix, &mut rng));
            }
            let mut claims = false;
            for _ in 0..3 {
                let most = [1, 9, 300][rng.index(3)];
                let slice = Budget { nodes: Some(8 * most), memory, ..Budget::playouts(most) };
                let stop = session.advance(&slice).unwrap_or_else(|error| panic!("{error}: {}", what()));
                claims = check_behind(&problem, &prefix, &session.outcome(), &what);
                if stop.is_final() {
                    break;
                }
                if rng.index(2) == 0 {
                    let saved = session.save();
                    session =
                        solver().resume(&saved).unwrap().start().unwrap_or_else(|error| panic!("{error}: {}", what()));
                    assert_eq!(check_behind(&problem, &prefix, &session.outcome(), &what), claims, "{}", what());
                }
            }
            let best = session.best().and_then(|best| best.score.value());
            let counts = tried.entry(method.family().to_owned()).or_default();
            for (count, met) in counts.iter_mut().zip([true, claims, problem.optimum_behind(&prefix) != best]) {
                *count += u32::from(met);
            }
        }
    }
    // Every family ran and proved something (some by the bound of the root alone), and optima were missed, so that
    // claims could have been wrong.
    assert_eq!(tried.len(), 9, "{tried:?}");
    assert!(tried.values().all(|[runs, claims, _]| *runs > 20 && *claims > 0), "{tried:?}");
    assert!(tried["uct"][2] > 20 && tried.values().map(|counts| counts[2]).sum::<u32>() > 200, "{tried:?}");
}

/// A node that the rollout calls spent is closed: what the rollout has left out below is not forgotten.
#[test]
fn tree_searches_hand_on_what_rollouts_leave_out() {
    let (mut missed, mut proven) = (0, 0);
    for round in 0..160 {
        let problem = Thicket::new(round);
        for rollout in ["random", "always", "late"] {
            for settings in ["value=mean", "value=best expansion=all threshold=0", "transpositions=true"] {
                let mut method = Method::preset("uct").unwrap();
                for setting in settings.split(' ') {
                    let (name, value) = setting.split_once('=').unwrap();
                    method.set(name, value).unwrap();
                }
                method.set("restarts", "false").unwrap();
                let solver = Solver::new(&problem, method).rollout(rollout).seed(round);
                let outcome = solver.budget(Budget { nodes: Some(100_000), ..Budget::playouts(4_000) }).run().unwrap();
                let what = || format!("tree {round}, {rollout}, {settings}");
                proven += u32::from(check(&problem, &outcome, &what));
                let best = outcome.best.and_then(|best| best.score.value());
                missed += u32::from(rollout != "random" && best != problem.optimum());
            }
        }
    }
    assert!(missed > 100 && proven > 100, "{missed} {proven}");
}

/// That no solution is feasible is a proof of something else than an optimum.
#[test]
fn infeasibility_is_not_an_optimum() {
    let problem = Thicket::hopeless(3);
    for name in ["dfs", "best-first", "bfs", "iterative-broadening", "ida-star", "uct", "cabs", "beam"] {
        let budget = Budget { nodes: Some(1_000_000), ..Budget::playouts(1_000_000) };
        let method = Method::preset(name).unwrap();
        let solver = Solver::new(&problem, method).rollout("random").budget(budget);
        let saved = {
            let mut session = solver.start().unwrap();
            let stop = session.advance(&budget_of(1_000_000)).unwrap();
            assert_eq!(stop, StopReason::Exhausted, "{name}");
            let outcome = session.outcome();
            assert_eq!((outcome.optimal, outcome.infeasible, outcome.bound), (false, true, None), "{name}");
            assert!(outcome.best.unwrap().score.violation().is_some());
            session.save()
        };
        let solver = Solver::new(&problem, Method::preset(name).unwrap()).rollout("random");
        assert!(solver.resume(&saved).unwrap().start().unwrap().outcome().infeasible, "{name}");
    }
}

fn budget_of(count: u64) -> Budget {
    Budget { nodes: Some(count), ..Budget::playouts(count) }
}
